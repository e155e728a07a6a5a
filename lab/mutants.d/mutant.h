/* SPDX-License-Identifier: GPL-2.0 */
/* Which of the known faults the kernel has: one, or none. For ./perflab mutants only. */
#ifndef _PERF_MUTANT_H
#define _PERF_MUTANT_H

#include <linux/compiler.h>

extern int perf_mutant;

#define MUTANT(number)	unlikely(READ_ONCE(perf_mutant) == (number))

#endif
