/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Room "intel/datasrc": where the data of a precise event was.
 *
 * It is pure, as the room "intel/pebs_decode" is.
 */
#ifndef _ARCH_X86_EVENTS_INTEL_DATASRC_H
#define _ARCH_X86_EVENTS_INTEL_DATASRC_H

#include <linux/types.h>
#include "../rules/match.h"

u64 intel_datasrc(enum x86_datasrc model, enum x86_data kind, u64 word);

#endif /* _ARCH_X86_EVENTS_INTEL_DATASRC_H */
