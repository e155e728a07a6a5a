/* SPDX-License-Identifier: GPL-2.0 */
/* Room "intel/facts": what CPUID says of the counters. */
#ifndef _ARCH_X86_EVENTS_INTEL_FACTS_H
#define _ARCH_X86_EVENTS_INTEL_FACTS_H

#include "../engine.h"

u64 intel_facts_big(u64 common, const struct x86_model *model);
void intel_facts_init(struct x86_core *core, const struct x86_model *model, bool hybrid);
void intel_facts_complete(struct x86_core *core);

#endif /* _ARCH_X86_EVENTS_INTEL_FACTS_H */
