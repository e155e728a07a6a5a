// SPDX-License-Identifier: GPL-2.0
/*
 * Sequence of operations on events, in a guest whose PMU is the model
 *
 *   sequence SEED STEPS   STEPS random steps after the fixed ones
 *   sequence work         what the step "exec" executes
 *
 * The same arguments give the same operations on each kernel.  The output has each
 * operation with its result.  Counts that depend on time are only reported as zero or
 * not zero.  Exit status: 0, or 2 if the machine lacks something.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sequence.h"

/* With 2, programs may read counters whether they have events or not. */
static void allow_rdpmc(void)
{
	char path[64];
	unsigned int i;

	for (i = 0; i < nr_pmus; i++) {
		snprintf(path, sizeof(path),
			 "/sys/bus/event_source/devices/%s/rdpmc", pmus[i].name);
		write_file(path, "2");
	}
}

/*
 * Events on each CPU make the driver write the registers that are the same for all
 * events, so that the trace has their values.
 */
static void touch_cpus(unsigned int number)
{
	struct group g = { .nr = 1 };
	unsigned int cpu;

	for (cpu = 0; cpu < number; cpu++) {
		move_to(cpu);
		generic_event(&g.attr[0], pmu_of(cpu), PERF_COUNT_HW_INSTRUCTIONS);
		open_group(&g, -1, cpu);
		work(1);
		close_group(&g);
	}
}

int main(int argc, char **argv)
{
	unsigned int i, steps, number = sysconf(_SC_NPROCESSORS_ONLN);
	__u64 seed;

	if (argc == 2 && !strcmp(argv[1], "work")) {
		work(1);
		return 0;
	}
	if (argc != 3) {
		fprintf(stderr, "usage: sequence SEED STEPS\n");
		return 2;
	}
	seed = strtoull(argv[1], NULL, 0);
	steps = strtoul(argv[2], NULL, 0) + nr_fixed_steps();
	find_pmus();
	allow_rdpmc();
	set_cpus(number);
	touch_cpus(number);
	for (i = 0; i < steps; i++) {
		seed_random(seed, i);
		begin_step(i + 1);
		phase("");
		run_step(i);
	}
	begin_step(steps + 1);
	phase("x");
	report("end");
	return 0;
}
