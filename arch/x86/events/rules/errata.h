/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Which processors have errata that concern counting
 */
#ifndef _ARCH_X86_EVENTS_ERRATA_H
#define _ARCH_X86_EVENTS_ERRATA_H

#include "models.h"

/*
 * Counters that get a new event may count wrong, unless the four general ones
 * count certain other events for a moment before: AAK100, AAP53, BD53.
 */
#define X86_ERRATA_WARM_UP	BIT(0)

/*
 * Events must not be precise: AJ106 of Core 2; Sandy Bridge until it is
 * repaired.
 */
#define X86_ERRATA_NO_PRECISE	BIT(1)

/*
 * A record of a precise event may be written after its counter has stopped, and
 * so into the memory of a guest that was entered meanwhile.
 */
#define X86_ERRATA_LATE_RECORDS	BIT(2)

/**
 * struct x86_errata_row - errata of some processors
 * @vendor: enum x86_models_vendor
 * @family: family
 * @first: first model number
 * @last: last model number
 * @first_stepping: first stepping
 * @last_stepping: last stepping
 * @repaired: first version of the microcode that repairs them; 0 without one
 * @errata: X86_ERRATA_*
 */
struct x86_errata_row {
	u8	vendor;
	u8	family;
	u8	first;
	u8	last;
	u8	first_stepping;
	u8	last_stepping;
	u32	repaired;
	u32	errata;
};

u32 x86_errata_in(const struct x86_errata_row *rows, unsigned int nr,
		  const struct x86_models_cpu *cpu, u32 microcode);
u32 x86_errata_find(const struct x86_models_cpu *cpu, u32 microcode);

#endif /* _ARCH_X86_EVENTS_ERRATA_H */
