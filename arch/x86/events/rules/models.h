/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Which processor has which model
 */
#ifndef _ARCH_X86_EVENTS_MODELS_H
#define _ARCH_X86_EVENTS_MODELS_H

#include "match.h"

enum x86_models_vendor {
	X86_MODELS_INTEL,
	X86_MODELS_AMD,
	X86_MODELS_HYGON,
	X86_MODELS_CENTAUR,
	X86_MODELS_ZHAOXIN,
};

/**
 * struct x86_models_row - processors of one model
 * @vendor: enum x86_models_vendor
 * @family: family
 * @first: first model number
 * @last: last model number
 * @first_stepping: first stepping
 * @last_stepping: last stepping
 * @model: their tables; for hybrid processors those of the performance cores
 */
struct x86_models_row {
	u8			vendor;
	u8			family;
	u8			first;
	u8			last;
	u8			first_stepping;
	u8			last_stepping;
	const struct x86_model	*model;
};

/**
 * struct x86_models_cpu - what CPUID says of a processor
 * @vendor: enum x86_models_vendor
 * @family: family
 * @model: model number
 * @stepping: stepping
 * @version: version of the architectural PMU, CPUID leaf 0xa; 0 without one
 */
struct x86_models_cpu {
	enum x86_models_vendor	vendor;
	unsigned int		family;
	unsigned int		model;
	unsigned int		stepping;
	unsigned int		version;
};

const struct x86_models_row *x86_models_rows(unsigned int *nr);
const struct x86_model *x86_models_find(const struct x86_models_cpu *cpu);

#endif /* _ARCH_X86_EVENTS_MODELS_H */
