// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of the room caps, which tries out PMUs with scripted counters, and asks
 * PMUs that know how many they have.
 *
 * Such a PMU judges a group as real drivers do: is there a counter for each
 * event of the group, if nothing else is on the PMU?
 */
#include <kunit/test.h>
#include <linux/bitops.h>
#include <linux/cpumask.h>
#include <linux/perf_event.h>
#include <linux/prandom.h>

#include "../caps.h"
#include "fake_pmu.h"

#define NR_KINDS	PERF_COUNT_HW_MAX
#define NR_COUNTERS	16
#define NR_MACHINES	40

#define GENERAL(n)	GENMASK((n) - 1, 0)

/* One machine at a time. */
struct caps_test_machine {
	struct pmu	pmu;
	/* Counters that each kind of event can use; 0: no such kind. */
	u32		counters[NR_KINDS];
	bool		judges;
	bool		no_memory;
	bool		is_registered;
	/* What the driver answers itself. */
	unsigned int	general;
	unsigned int	held;
	int		absent_on;
};

static struct caps_test_machine machine;

/* The driver. */

/* Is there a counter for event @nr if the other events may move? */
static bool caps_driver_test_place(const u32 *wants, int *holder, int nr,
				   u32 *seen)
{
	for (int c = 0; c < NR_COUNTERS; c++) {
		if (!(wants[nr] & BIT(c)) || *seen & BIT(c))
			continue;
		*seen |= BIT(c);
		if (holder[c] < 0 ||
		    caps_driver_test_place(wants, holder, holder[c], seen)) {
			holder[c] = nr;
			return true;
		}
	}
	return false;
}

static bool caps_driver_test_fits(const u32 *wants, int nr)
{
	int holder[NR_COUNTERS];

	memset(holder, -1, sizeof(holder));
	for (int i = 0; i < nr; i++) {
		u32 seen = 0;

		if (!caps_driver_test_place(wants, holder, i, &seen))
			return false;
	}
	return true;
}

static int caps_driver_test_judge(struct perf_event *event)
{
	struct perf_event *leader = event->group_leader, *sibling;
	u32 wants[NR_COUNTERS + 2];
	int nr = 0;

	wants[nr++] = machine.counters[event->attr.config];
	if (leader != event) {
		wants[nr++] = machine.counters[leader->attr.config];
		for_each_sibling_event(sibling, leader)
			wants[nr++] = machine.counters[sibling->attr.config];
	}
	return caps_driver_test_fits(wants, nr) ? 0 : -EINVAL;
}

static int caps_driver_test_event_init(struct perf_event *event)
{
	if (event->attr.type != PERF_TYPE_HARDWARE &&
	    event->attr.type != event->pmu->type)
		return -ENOENT;
	if (event->attr.config >= NR_KINDS ||
	    !machine.counters[event->attr.config])
		return -EINVAL;
	if (machine.no_memory)
		return -ENOMEM;
	return machine.judges ? caps_driver_test_judge(event) : 0;
}

static int caps_driver_test_add(struct perf_event *event, int flags)
{
	event->hw.state = 0;
	return 0;
}

static void caps_driver_test_nothing(struct perf_event *event, int flags)
{
}

static void caps_driver_test_read(struct perf_event *event)
{
}

static int caps_driver_test_counters(struct pmu *pmu,
				     struct perf_pmu_counters *counters)
{
	if (machine.absent_on == -1 || smp_processor_id() == machine.absent_on)
		return -ENODEV;
	counters->general = machine.general;
	counters->fixed = 0;
	counters->general_free = machine.general - machine.held;
	/* Another CPU has one fewer. */
	if (smp_processor_id())
		counters->general_free--;
	counters->fixed_free = 0;
	return 0;
}

static int caps_test_init(struct kunit *test)
{
	machine = (struct caps_test_machine) {
		.pmu = {
			.task_ctx_nr	= perf_hw_context,
			.capabilities	= PERF_PMU_CAP_EXTENDED_HW_TYPE |
					  PERF_PMU_CAP_NO_INTERRUPT,
			.event_init	= caps_driver_test_event_init,
			.add		= caps_driver_test_add,
			.del		= caps_driver_test_nothing,
			.start		= caps_driver_test_nothing,
			.stop		= caps_driver_test_nothing,
			.read		= caps_driver_test_read,
		},
		.judges = true,
	};
	return 0;
}

static void caps_test_unregister(void *unused)
{
	if (machine.is_registered)
		perf_pmu_unregister(&machine.pmu);
	machine.is_registered = false;
}

static void caps_test_register(struct kunit *test)
{
	int err = perf_pmu_register(&machine.pmu, "kunit_caps", -1);

	KUNIT_ASSERT_EQ(test, err, 0);
	machine.is_registered = true;
	fake_pmu_undo(test, caps_test_unregister, NULL);
}

static void caps_test_expect(struct kunit *test, unsigned int general,
			     unsigned int fixed)
{
	struct perf_pmu_counters counters;

	KUNIT_ASSERT_EQ(test, perf_caps_get(&machine.pmu, &counters), 0);
	KUNIT_EXPECT_EQ(test, counters.general, general);
	KUNIT_EXPECT_EQ(test, counters.fixed, fixed);
	KUNIT_EXPECT_EQ(test, counters.general_free, general);
	KUNIT_EXPECT_EQ(test, counters.fixed_free, fixed);
}

static void caps_test_expect_free(struct kunit *test, unsigned int general,
				  unsigned int fixed)
{
	struct perf_pmu_counters counters;

	KUNIT_ASSERT_EQ(test, perf_caps_get(&machine.pmu, &counters), 0);
	KUNIT_EXPECT_EQ(test, counters.general_free, general);
	KUNIT_EXPECT_EQ(test, counters.fixed_free, fixed);
}

static void caps_test_expect_nothing(struct kunit *test)
{
	struct perf_pmu_counters counters;

	KUNIT_EXPECT_EQ(test, perf_caps_get(&machine.pmu, &counters), -ENODATA);
	KUNIT_EXPECT_NULL(test, machine.pmu.caps);
}

/* All kinds can use the general counters; the first also a fixed one each. */
static void caps_test_build(unsigned int general, unsigned int fixed)
{
	for (int kind = 0; kind < NR_KINDS; kind++) {
		machine.counters[kind] = GENERAL(general);
		if (kind < fixed)
			machine.counters[kind] |= BIT(general + kind);
	}
}

/* How many counters there are. */

static void caps_test_general_only(struct kunit *test)
{
	caps_test_build(6, 0);
	caps_test_register(test);
	caps_test_expect(test, 6, 0);
}

static void caps_test_general_and_fixed(struct kunit *test)
{
	caps_test_build(4, 3);
	caps_test_register(test);
	caps_test_expect(test, 4, 3);
}

/* A kind that can use only its fixed counter, like a reference clock. */
static void caps_test_fixed_only(struct kunit *test)
{
	caps_test_build(4, 2);
	machine.counters[NR_KINDS - 1] = BIT(7);
	caps_test_register(test);
	caps_test_expect(test, 4, 3);
}

/* Some kinds cannot use every general counter. */
static void caps_test_constrained(struct kunit *test)
{
	caps_test_build(4, 2);
	machine.counters[3] = BIT(0);
	machine.counters[4] = BIT(1) | BIT(2);
	caps_test_register(test);
	caps_test_expect(test, 4, 2);
}

static void caps_test_few_kinds(struct kunit *test)
{
	machine.counters[1] = GENERAL(2);
	caps_test_register(test);
	caps_test_expect(test, 2, 0);
}

static void caps_test_random(struct kunit *test)
{
	struct rnd_state rnd;

	fake_pmu_seed(test, &rnd);
	for (int i = 0; i < NR_MACHINES; i++) {
		unsigned int general = 1 + prandom_u32_state(&rnd) % 8;
		unsigned int fixed = prandom_u32_state(&rnd) % 5;

		caps_test_init(test);
		caps_test_build(general, fixed);
		/* Some kinds are missing, but not the one with all general. */
		for (int kind = 5; kind < NR_KINDS - 1; kind++) {
			if (prandom_u32_state(&rnd) & 1)
				machine.counters[kind] = 0;
		}
		caps_test_register(test);
		caps_test_expect(test, general, fixed);
		kunit_release_action(test, caps_test_unregister, NULL);
	}
}

/* Where the number cannot be known. */

static void caps_test_no_judge(struct kunit *test)
{
	caps_test_build(4, 3);
	machine.judges = false;
	caps_test_register(test);
	caps_test_expect_nothing(test);
}

static void caps_test_no_generic_events(struct kunit *test)
{
	caps_test_register(test);
	caps_test_expect_nothing(test);
}

static void caps_test_not_of_the_cpu(struct kunit *test)
{
	caps_test_build(4, 3);
	machine.pmu.capabilities = PERF_PMU_CAP_NO_INTERRUPT;
	caps_test_register(test);
	caps_test_expect_nothing(test);
}

/* No kind fills all the general counters and no others. */
static void caps_test_no_measure(struct kunit *test)
{
	machine.counters[0] = BIT(0) | BIT(1);
	machine.counters[1] = BIT(2) | BIT(3);
	caps_test_register(test);
	caps_test_expect_nothing(test);
}

/* How many counters are free. */

static struct perf_event *caps_test_open(struct kunit *test, u64 kind,
					 bool pinned, struct task_struct *task)
{
	struct perf_event_attr attr = {
		.type	= machine.pmu.type,
		.size	= sizeof(attr),
		.config	= kind,
		.pinned	= pinned,
	};
	int cpu = task ? -1 : cpumask_first(cpu_online_mask);

	return fake_open_counter(test, &attr, cpu, task);
}

/* A pinned event of @cpu. */
static void caps_test_open_on(struct kunit *test, int cpu, u64 kind)
{
	struct perf_event_attr attr = {
		.type	= machine.pmu.type,
		.size	= sizeof(attr),
		.config	= kind,
		.pinned	= 1,
	};

	fake_open_counter(test, &attr, cpu, NULL);
}

static void caps_test_pinned(struct kunit *test)
{
	struct perf_event *fixed, *general;

	caps_test_build(4, 3);
	caps_test_register(test);
	caps_test_expect_free(test, 4, 3);
	/* The event takes the fixed counter, which blocks no other event. */
	fixed = caps_test_open(test, 0, true, NULL);
	caps_test_expect_free(test, 4, 2);
	general = caps_test_open(test, NR_KINDS - 1, true, NULL);
	caps_test_expect_free(test, 3, 2);
	caps_test_open(test, 0, true, NULL);
	caps_test_expect_free(test, 2, 2);

	perf_event_disable(fixed);
	caps_test_expect_free(test, 3, 2);
	perf_event_enable(fixed);
	fake_pmu_close(test, general);
	caps_test_expect_free(test, 3, 2);
}

/* The number is that of the CPU with the fewest, whichever is asked first. */
static void caps_test_pinned_elsewhere(struct kunit *test)
{
	if (num_online_cpus() < 2)
		kunit_skip(test, "one CPU only");
	caps_test_build(4, 3);
	caps_test_register(test);
	caps_test_open_on(test, cpumask_last(cpu_online_mask), NR_KINDS - 1);
	caps_test_expect_free(test, 3, 3);
	caps_test_open_on(test, cpumask_first(cpu_online_mask), 0);
	caps_test_expect_free(test, 3, 2);
}

/*
 * The measure is a kind that has the general counters only. Another kind has a
 * fixed one in the place of a general one, so that their numbers are equal.
 */
static void caps_test_measure(struct kunit *test)
{
	caps_test_build(4, 0);
	machine.counters[NR_KINDS - 1] = GENERAL(3) | BIT(4);
	caps_test_register(test);
	caps_test_expect(test, 4, 1);
	caps_test_open(test, 0, true, NULL);
	caps_test_expect_free(test, 3, 1);
}

static void caps_test_no_memory(struct kunit *test)
{
	struct perf_pmu_counters counters;

	caps_test_build(4, 3);
	caps_test_register(test);
	machine.no_memory = true;
	KUNIT_EXPECT_EQ(test, perf_caps_get(&machine.pmu, &counters), -ENOMEM);
	machine.no_memory = false;
	caps_test_expect(test, 4, 3);
}

static void caps_test_not_pinned(struct kunit *test)
{
	caps_test_build(4, 3);
	caps_test_register(test);
	caps_test_open(test, 0, false, NULL);
	caps_test_open(test, 5, false, NULL);
	/* A task's event takes nothing away from the CPU's events. */
	caps_test_open(test, 5, true, current);
	caps_test_expect_free(test, 4, 3);
}

static void caps_test_exclusive(struct kunit *test)
{
	struct perf_event_attr attr = {
		.size		= sizeof(attr),
		.pinned		= 1,
		.exclusive	= 1,
	};

	caps_test_build(4, 3);
	caps_test_register(test);
	attr.type = machine.pmu.type;
	fake_open_counter(test, &attr, 0, NULL);
	caps_test_expect_free(test, 0, 0);
}

/* Drivers that know how many counters they have. */

static void caps_test_driver(struct kunit *test)
{
	struct perf_pmu_counters counters;

	machine.pmu.counters = caps_driver_test_counters;
	machine.pmu.capabilities = PERF_PMU_CAP_NO_INTERRUPT;
	machine.general = 8;
	machine.held = 3;
	machine.absent_on = nr_cpu_ids;
	caps_test_register(test);
	KUNIT_ASSERT_EQ(test, perf_caps_get(&machine.pmu, &counters), 0);
	KUNIT_EXPECT_EQ(test, counters.general, 8);
	KUNIT_EXPECT_EQ(test, counters.fixed, 0);
	KUNIT_EXPECT_EQ(test, counters.general_free,
			num_online_cpus() > 1 ? 4 : 5);

	/* The total is constant: once it is known nobody asks again. */
	machine.absent_on = -1;
	KUNIT_EXPECT_EQ(test, perf_caps_get_total(&machine.pmu, &counters),
			-ENODATA);
	machine.absent_on = nr_cpu_ids;
	KUNIT_EXPECT_EQ(test, perf_caps_get_total(&machine.pmu, &counters), 0);
	machine.general = 7;
	machine.absent_on = -1;
	KUNIT_EXPECT_EQ(test, perf_caps_get_total(&machine.pmu, &counters), 0);
	KUNIT_EXPECT_EQ(test, counters.general, 8);
	KUNIT_EXPECT_EQ(test, counters.fixed, 0);
	machine.general = 8;

	/* A CPU without the PMU does not count. */
	machine.absent_on = cpumask_last(cpu_online_mask);
	if (num_online_cpus() == 2) {
		KUNIT_ASSERT_EQ(test, perf_caps_get(&machine.pmu, &counters), 0);
		KUNIT_EXPECT_EQ(test, counters.general_free, 5);
	}
	machine.absent_on = -1;
	KUNIT_EXPECT_EQ(test, perf_caps_get(&machine.pmu, &counters), -ENODATA);
}

/* Does a group fit? */

static struct perf_fit *caps_test_question(struct kunit *test, int cpu,
					   unsigned int nr, u64 kind)
{
	struct perf_fit *fit = kunit_kzalloc(test, sizeof(*fit), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, fit);
	fit->pmu = &machine.pmu;
	fit->cpu = cpu;
	fit->nr = nr;
	for (unsigned int i = 0; i < nr; i++) {
		fit->attr[i].type = machine.pmu.type;
		fit->attr[i].config = kind;
		fit->attr[i].disabled = 1;
		fit->attr[i].inherit = 1;
	}
	return fit;
}

static u32 caps_test_beside(struct kunit *test, int cpu, unsigned int nr,
			    u64 kind)
{
	struct perf_fit *fit = caps_test_question(test, cpu, nr, kind);
	u32 beside;

	perf_fit_judge(fit);
	beside = fit->beside;
	kunit_kfree(test, fit);
	return beside;
}

static void caps_test_fit_group(struct kunit *test)
{
	caps_test_build(4, 1);
	caps_test_register(test);
	KUNIT_EXPECT_EQ(test, caps_test_beside(test, -1, 1, 3), PERF_FIT_YES);
	KUNIT_EXPECT_EQ(test, caps_test_beside(test, -1, 4, 3), PERF_FIT_YES);
	KUNIT_EXPECT_EQ(test, caps_test_beside(test, -1, 5, 3), PERF_FIT_NO);
	KUNIT_EXPECT_EQ(test, caps_test_beside(test, -1, 5, 0), PERF_FIT_YES);
	KUNIT_EXPECT_EQ(test, caps_test_beside(test, -1, 6, 0), PERF_FIT_NO);
}

static void caps_test_fit_beside_pinned(struct kunit *test)
{
	int cpu = cpumask_first(cpu_online_mask);
	u32 anywhere = num_online_cpus() > 1 ? PERF_FIT_SOMEWHERE : PERF_FIT_NO;
	struct perf_event *pinned;
	struct perf_fit *fit;

	caps_test_build(4, 0);
	caps_test_register(test);
	caps_test_open(test, 5, false, NULL);
	pinned = caps_test_open(test, 5, true, NULL);
	KUNIT_EXPECT_EQ(test, caps_test_beside(test, cpu, 3, 3), PERF_FIT_YES);
	KUNIT_EXPECT_EQ(test, caps_test_beside(test, cpu, 4, 3), PERF_FIT_NO);
	KUNIT_EXPECT_EQ(test, caps_test_beside(test, -1, 4, 3), anywhere);

	/* A pinned event takes no counter from its own group. */
	fit = caps_test_question(test, cpu, 4, 3);
	fit->leader = pinned;
	perf_fit_judge(fit);
	KUNIT_EXPECT_EQ(test, fit->alone, PERF_FIT_YES);
	KUNIT_EXPECT_EQ(test, fit->beside, PERF_FIT_YES);
}

/* An exclusive group is alone, whether it comes first or last. */
static void caps_test_fit_exclusive(struct kunit *test)
{
	int cpu = cpumask_first(cpu_online_mask);
	struct perf_fit *fit;

	caps_test_build(4, 0);
	caps_test_register(test);
	fit = caps_test_question(test, cpu, 2, 3);
	fit->attr[0].exclusive = 1;
	perf_fit_judge(fit);
	KUNIT_EXPECT_EQ(test, fit->beside, PERF_FIT_YES);
	/* The first event belongs to another group of the same task. */
	fit->nr_before = 1;
	perf_fit_judge(fit);
	KUNIT_EXPECT_EQ(test, fit->beside, PERF_FIT_NO);
	fit->nr_before = 0;
	caps_test_open(test, 5, true, NULL);
	perf_fit_judge(fit);
	KUNIT_EXPECT_EQ(test, fit->beside, PERF_FIT_NO);
}

static void caps_test_fit_unknown(struct kunit *test)
{
	struct perf_fit *fit;

	caps_test_build(4, 3);
	machine.judges = false;
	caps_test_register(test);
	KUNIT_EXPECT_EQ(test, caps_test_beside(test, -1, 1, 0),
			PERF_FIT_UNKNOWN);
	fit = caps_test_question(test, -1, 1, 0);
	fit->too_many = true;
	perf_fit_judge(fit);
	KUNIT_EXPECT_EQ(test, fit->alone, PERF_FIT_UNKNOWN);
	/* A PMU that is being unregistered is not asked. */
	kunit_release_action(test, caps_test_unregister, NULL);
	KUNIT_EXPECT_EQ(test, caps_test_beside(test, -1, 1, 0),
			PERF_FIT_UNKNOWN);
}

static void caps_test_fit_driver(struct kunit *test)
{
	machine.pmu.counters = caps_driver_test_counters;
	machine.pmu.capabilities = PERF_PMU_CAP_NO_INTERRUPT;
	machine.general = 8;
	machine.held = 3;
	machine.absent_on = nr_cpu_ids;
	caps_test_register(test);
	KUNIT_EXPECT_EQ(test, caps_test_beside(test, -1, 4, 0), PERF_FIT_YES);
	KUNIT_EXPECT_EQ(test, caps_test_beside(test, -1, 8, 0),
			PERF_FIT_UNKNOWN);
	KUNIT_EXPECT_EQ(test, caps_test_beside(test, -1, 9, 0), PERF_FIT_NO);
}

static struct kunit_case caps_test_cases[] = {
	KUNIT_CASE(caps_test_general_only),
	KUNIT_CASE(caps_test_general_and_fixed),
	KUNIT_CASE(caps_test_fixed_only),
	KUNIT_CASE(caps_test_constrained),
	KUNIT_CASE(caps_test_few_kinds),
	KUNIT_CASE(caps_test_random),
	KUNIT_CASE(caps_test_no_judge),
	KUNIT_CASE(caps_test_no_generic_events),
	KUNIT_CASE(caps_test_not_of_the_cpu),
	KUNIT_CASE(caps_test_no_measure),
	KUNIT_CASE(caps_test_pinned),
	KUNIT_CASE(caps_test_pinned_elsewhere),
	KUNIT_CASE(caps_test_measure),
	KUNIT_CASE(caps_test_no_memory),
	KUNIT_CASE(caps_test_not_pinned),
	KUNIT_CASE(caps_test_exclusive),
	KUNIT_CASE(caps_test_driver),
	KUNIT_CASE(caps_test_fit_group),
	KUNIT_CASE(caps_test_fit_beside_pinned),
	KUNIT_CASE(caps_test_fit_exclusive),
	KUNIT_CASE(caps_test_fit_unknown),
	KUNIT_CASE(caps_test_fit_driver),
	{ }
};

static struct kunit_suite caps_test_suite = {
	.name		= "perf_caps",
	.init		= caps_test_init,
	.test_cases	= caps_test_cases,
};

kunit_test_suite(caps_test_suite);
