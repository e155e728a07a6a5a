/* SPDX-License-Identifier: GPL-2.0 */
/* Room "validate": could these events count together? */
#ifndef _ARCH_X86_EVENTS_VALIDATE_H
#define _ARCH_X86_EVENTS_VALIDATE_H

#include "engine.h"

bool x86_validate_is_ours(const struct perf_event *event);
int x86_validate(struct perf_event *event);

#endif /* _ARCH_X86_EVENTS_VALIDATE_H */
