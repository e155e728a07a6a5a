// SPDX-License-Identifier: GPL-2.0
/* The kernel parameter perf_mutant=NUMBER, which may change while tests run. */
#include <linux/moduleparam.h>
#include "mutant.h"

int perf_mutant;
core_param(perf_mutant, perf_mutant, int, 0644);
