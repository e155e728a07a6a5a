/* SPDX-License-Identifier: GPL-2.0 */
/* A PMU that judges groups by scripted counters, for tests of caps and fit. */
#ifndef _KERNEL_EVENTS_TESTS_JUDGE_PMU_H
#define _KERNEL_EVENTS_TESTS_JUDGE_PMU_H

#include <kunit/test.h>
#include <linux/bits.h>
#include <linux/perf_event.h>

#define JUDGE_PMU_KINDS		PERF_COUNT_HW_MAX
#define JUDGE_PMU_COUNTERS	16

#define JUDGE_PMU_GENERAL(n)	GENMASK((n) - 1, 0)

struct judge_pmu {
	struct pmu	pmu;
	/* Counters that each kind of event can use; 0: no such kind. */
	u32		counters[JUDGE_PMU_KINDS];
	bool		judges;
	bool		no_memory;
	bool		is_registered;
	/* The numbers that the driver reports itself. */
	unsigned int	general;
	unsigned int	fixed;
	unsigned int	held;
	int		absent_on;
};

/* One PMU at a time; zeroed, and with the driver's methods, for each case. */
extern struct judge_pmu judge_pmu;

int judge_pmu_init(struct kunit *test);
void judge_pmu_build(unsigned int general, unsigned int fixed);
void judge_pmu_let_know(unsigned int general, unsigned int held);
void judge_pmu_register(struct kunit *test);
void judge_pmu_unregister(void *unused);
struct perf_event *judge_pmu_open(struct kunit *test, u64 kind, bool pinned,
				  struct task_struct *task);

#endif /* _KERNEL_EVENTS_TESTS_JUDGE_PMU_H */
