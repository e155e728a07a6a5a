// SPDX-License-Identifier: GPL-2.0
/* Scaling: the list of tables */
#include "scaling.h"

const struct row_table * const row_tables[] = {
	&scaling_events, &scaling_threads, &scaling_cpus, NULL,
};
