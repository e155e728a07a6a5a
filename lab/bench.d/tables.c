// SPDX-License-Identifier: GPL-2.0
/* Benchmark: the list of tables */
#include "bench.h"

const struct row_table * const row_tables[] = {
	&open_table, &control_table, &switch_table, &fork_table, &sample_table,
	&record_table, &memory_table, &mux_table, &percpu_table, &remote_table,
	&cgroup_table, &cgroup_cpus_table, &irqs_table, &nmi_table, NULL,
};
