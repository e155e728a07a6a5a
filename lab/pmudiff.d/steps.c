// SPDX-License-Identifier: GPL-2.0
/*
 * Sequence of operations on events: the steps
 *
 * A step opens its own events and closes them at its end.  The first steps open each
 * generic event, each cache event and each listed raw event; all later ones are random.
 * The flags of a phase, which lab/pmudiff.d/compare explains:
 *
 *   f   events start with a whole period
 *   s   one group is counting alone
 *   m   groups take turns on the counters
 *   x   at which moment events stop is not determined
 */
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "sequence.h"

#define MAX_GROUPS	10
#define LONG_PERIOD	1000000000

static unsigned int nr_cpus;

void set_cpus(unsigned int number)
{
	nr_cpus = number;
}

static int any_cpu(void)
{
	return below(nr_cpus);
}

/* Another CPU if there is one. */
static int other_cpu(int cpu)
{
	return (cpu + 1) % nr_cpus;
}

static void enable(const struct group *g)
{
	control(g, 0, PERF_EVENT_IOC_ENABLE, 0);
}

static void disable(const struct group *g)
{
	control(g, 0, PERF_EVENT_IOC_DISABLE, 0);
}

/* One event of this task, counting for a moment. */
static void show_event(struct group *g)
{
	phase("f");
	open_group(g, 0, -1);
	enable(g);
	work(1);
	report_counts(g);
	close_group(g);
}

static void show_all(unsigned int nr,
		     void (*make)(struct perf_event_attr *, const struct pmu *,
				  unsigned int))
{
	struct group g = { .nr = 1 };
	unsigned int i, cpu;

	for (cpu = 0; cpu < (hybrid() ? nr_cpus : 1); cpu++) {
		move_to(cpu);
		for (i = 0; i < nr; i++) {
			make(&g.attr[0], pmu_of(cpu), i);
			g.attr[0].disabled = 1;
			show_event(&g);
		}
	}
}

static void all_generic(void)
{
	show_all(nr_generic_events(), generic_event);
}

static void all_cache(void)
{
	show_all(nr_cache_events(), cache_event);
}

static void all_raw(void)
{
	show_all(nr_raw_events(), raw_event);
}

static void count(void)
{
	int cpu = any_cpu();
	struct group g;

	move_to(cpu);
	new_group(&g, pmu_of(cpu), 1 + below(MAX_GROUP));
	g.attr[0].disabled = chance(2);
	g.attr[0].pinned = chance(4);
	g.attr[0].exclusive = chance(4);
	phase("f");
	open_group(&g, 0, chance(2) ? cpu : -1);
	enable(&g);
	work(1);
	phase("");
	work(1);
	report_counts(&g);
	phase("");
	disable(&g);
	phase("");
	work(1);
	report_counts(&g);
	close_group(&g);
}

/* Random controls of one group. */
static void toggle(void)
{
	int cpu = any_cpu();
	unsigned int i;
	struct group g;

	move_to(cpu);
	new_group(&g, pmu_of(cpu), 1 + below(3));
	phase("f");
	open_group(&g, 0, -1);
	enable(&g);
	work(1);
	for (i = 0; i < 6; i++) {
		unsigned int member = below(g.nr);
		unsigned long whole = chance(2) ? PERF_IOC_FLAG_GROUP : 0;

		phase("");
		switch (below(3)) {
		case 0:
			control(&g, member, PERF_EVENT_IOC_ENABLE, whole);
			break;
		case 1:
			control(&g, member, PERF_EVENT_IOC_DISABLE, whole);
			break;
		default:
			control(&g, member, PERF_EVENT_IOC_RESET, whole);
		}
		work(1);
		report_counts(&g);
	}
	/* Members go on without their leader. */
	phase("");
	close(g.fd[0]);
	g.fd[0] = -1;
	work(1);
	report_counts(&g);
	close_group(&g);
}

/* A period, a new one while the event counts, and one while it does not. */
static void period(void)
{
	int cpu = any_cpu();
	struct group g;

	move_to(cpu);
	new_group(&g, pmu_of(cpu), 1);
	g.attr[0].sample_period = LONG_PERIOD + below(1000);
	phase("f");
	open_group(&g, 0, -1);
	enable(&g);
	work(1);
	phase("f");
	control(&g, 0, PERF_EVENT_IOC_PERIOD, LONG_PERIOD + 1000 + below(1000));
	work(1);
	phase("");
	disable(&g);
	control(&g, 0, PERF_EVENT_IOC_PERIOD, LONG_PERIOD / 2 + below(1000));
	phase("f");
	enable(&g);
	work(1);
	phase("");
	control(&g, 0, PERF_EVENT_IOC_PERIOD, 0);
	control(&g, 0, PERF_EVENT_IOC_PERIOD, 1ull << 63);
	report_counts(&g);
	close_group(&g);
}

/* Overflows, with or without other events in the group. */
static void sample(void)
{
	int cpu = any_cpu();
	struct group g;

	move_to(cpu);
	new_group(&g, pmu_of(cpu), 1 + below(2));
	g.attr[0].sample_period = 100000 + below(900000);
	g.attr[0].sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID;
	phase("f");
	open_group(&g, 0, -1);
	enable(&g);
	work(4);
	phase("");
	disable(&g);
	report_counts(&g);
	close_group(&g);
}

/* The kernel chooses periods, which depend on time. */
static void frequency(void)
{
	int cpu = any_cpu();
	struct group g;

	move_to(cpu);
	new_group(&g, pmu_of(cpu), 1);
	g.attr[0].freq = 1;
	g.attr[0].sample_freq = 100 + below(900);
	phase("");
	open_group(&g, 0, -1);
	enable(&g);
	work(20);
	phase("");
	disable(&g);
	report_counts(&g);
	close_group(&g);
}

/* The event stops by itself after a few overflows. */
static void refresh(void)
{
	int cpu = any_cpu();
	struct group g;

	move_to(cpu);
	new_group(&g, pmu_of(cpu), 1);
	generic_event(&g.attr[0], pmu_of(cpu), below(2));
	g.attr[0].disabled = 1;
	g.attr[0].sample_period = 200000 + below(100000);
	phase("f");
	open_group(&g, 0, -1);
	control(&g, 0, PERF_EVENT_IOC_REFRESH, 1 + below(3));
	work(4);
	phase("");
	work(2);
	report_counts(&g);
	close_group(&g);
}

/* Exact counts while the event counts, and none while it does not. */
static void exact(void)
{
	int cpu = any_cpu();
	unsigned int i;
	struct group g;
	__u64 value[3];

	move_to(cpu);
	new_group(&g, pmu_of(cpu), 1);
	exact_event(&g.attr[0], pmu_of(cpu));
	g.attr[0].disabled = 1;
	g.attr[0].exclude_kernel = chance(2);
	phase("f");
	open_group(&g, 0, chance(2) ? cpu : -1);
	for (i = 0; i < 8; i++) {
		phase("");
		if (chance(2))
			enable(&g);
		else
			disable(&g);
		if (chance(6))
			control(&g, 0, PERF_EVENT_IOC_RESET, 0);
		count_rdpmc(1 + below(100));
		if (opened(&g) && read(g.fd[0], value, sizeof(value)) > 0)
			report("exactly %llu", value[0]);
	}
	close_group(&g);
}

/* Make groups whose events all differ, so that each can be told from the others. */
static unsigned int different_groups(struct group *groups, const struct pmu *pmu)
{
	unsigned int nr = 3 + below(MAX_GROUPS - 2);
	unsigned int next = below(nr_raw_events());
	unsigned int i, k;

	for (i = 0; i < nr; i++) {
		new_group(&groups[i], pmu, 1 + below(2));
		for (k = 0; k < groups[i].nr; k++) {
			raw_event(&groups[i].attr[k], pmu, next);
			choose_modes(&groups[i].attr[k]);
			next = (next + 1) % nr_raw_events();
		}
		groups[i].attr[0].disabled = 1;
	}
	return nr;
}

/* Wait until each group has been on the counters in this phase. */
static void take_turns(const struct group *groups, unsigned int nr)
{
	__u64 before[MAX_GROUPS];
	unsigned int i, ms, waiting;

	for (i = 0; i < nr; i++)
		before[i] = opened(&groups[i]) ? time_running(&groups[i]) : 0;
	for (i = 0; i < nr; i++)
		if (opened(&groups[i]))
			enable(&groups[i]);
	for (ms = 0; ms < 400; ms += 10) {
		work(10);
		waiting = 0;
		for (i = 0; i < nr; i++)
			waiting += opened(&groups[i]) &&
				   time_running(&groups[i]) == before[i];
		if (!waiting)
			break;
	}
	for (i = 0; i < nr; i++)
		if (opened(&groups[i]))
			report("group %u: %s", i,
			       time_running(&groups[i]) == before[i] ?
			       "had no turn" : "had its turn");
}

/* More groups than counters: of the task, and some of them of the CPU. */
static void multiplex(void)
{
	struct group groups[MAX_GROUPS];
	int cpu = any_cpu();
	unsigned int i, nr;

	move_to(cpu);
	nr = different_groups(groups, pmu_of(cpu));
	groups[0].attr[0].pinned = chance(4);
	groups[1].attr[0].exclusive = chance(4);
	for (i = 0; i < nr; i++) {
		phase("sf");
		if (chance(4))
			open_group(&groups[i], -1, cpu);
		else
			open_group(&groups[i], 0, -1);
		if (!opened(&groups[i]))
			continue;
		enable(&groups[i]);
		work(1);
		disable(&groups[i]);
	}
	phase("m");
	take_turns(groups, nr);
	phase("x");
	for (i = 0; i < nr; i++)
		close_group(&groups[i]);
}

/* The events of a task go with it from CPU to CPU. */
static void migrate(void)
{
	int cpu = any_cpu(), other = other_cpu(cpu);
	struct group g;
	unsigned int i;

	move_to(cpu);
	new_group(&g, pmu_of(cpu), 1 + below(3));
	phase("f");
	open_group(&g, 0, chance(3) ? cpu : -1);
	enable(&g);
	for (i = 0; i < 3; i++) {
		phase("");
		move_to(i & 1 ? cpu : other);
		work(1);
		phase("");
		work(1);
		report_counts(&g);
	}
	close_group(&g);
}

/* Events of a CPU, whatever task is there. */
static void wide(void)
{
	int cpu = any_cpu(), other = other_cpu(cpu);
	struct group g;

	move_to(cpu);
	new_group(&g, pmu_of(other), 1 + below(3));
	phase("f");
	open_group(&g, -1, other);
	enable(&g);
	work(1);
	phase("");
	work(1);
	report_counts(&g);
	phase("");
	disable(&g);
	close_group(&g);
}

static void work_a_moment(void)
{
	work(1);
}

/* Children get copies of the events, and their counts are added at their end. */
static void inherit(void)
{
	int cpu = any_cpu(), other = chance(2) ? other_cpu(cpu) : cpu;
	struct child child;
	struct group g;
	unsigned int i;

	move_to(cpu);
	new_group(&g, pmu_of(cpu), 1 + below(2));
	for (i = 0; i < g.nr; i++)
		g.attr[i].inherit = 1;
	phase("f");
	open_group(&g, 0, -1);
	if (chance(2))
		enable(&g);
	phase("");
	child = start_child(other, work_a_moment);
	phase("");
	release_child(&child);
	settle_child(&child);
	phase("");
	enable(&g);
	release_child(&child);
	settle_child(&child);
	phase("");
	disable(&g);
	release_child(&child);
	settle_child(&child);
	phase("");
	reap_child(&child);
	report_counts(&g);
	close_group(&g);
}

/* Events of another task that start when it executes a program. */
static void exec(void)
{
	int cpu = any_cpu(), other = chance(2) ? other_cpu(cpu) : cpu;
	struct child child;
	struct group g;

	move_to(cpu);
	new_group(&g, pmu_of(other), 1 + below(3));
	g.attr[0].enable_on_exec = 1;
	child = start_program(other);
	phase("");
	open_group(&g, child.pid, -1);
	phase("f");
	release_child(&child);
	reap_child(&child);
	phase("");
	report_counts(&g);
	close_group(&g);
}

/* Events of a task that is waiting: controlled from outside, seen when it runs. */
static void attach(void)
{
	int cpu = any_cpu(), other = other_cpu(cpu);
	struct child child;
	struct group g;

	move_to(cpu);
	new_group(&g, pmu_of(other), 1 + below(3));
	child = start_child(other, work_a_moment);
	phase("");
	open_group(&g, child.pid, -1);
	enable(&g);
	phase("f");
	release_child(&child);
	settle_child(&child);
	phase("");
	disable(&g);
	release_child(&child);
	settle_child(&child);
	phase("");
	report_counts(&g);
	reap_child(&child);
	report_counts(&g);
	close_group(&g);
}

static void set_online(int cpu, const char *text)
{
	char path[64];

	snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%d/online", cpu);
	write_file(path, text);
}

/* A CPU leaves and returns, with events of its own and of a task. */
static void hotplug(void)
{
	struct group g, late, task;
	int cpu = nr_cpus - 1;

	move_to(0);
	if (!cpu)
		return;
	new_group(&g, pmu_of(cpu), 1 + below(2));
	new_group(&late, pmu_of(cpu), 1);
	new_group(&task, pmu_of(0), 1);
	phase("f");
	open_group(&g, -1, cpu);
	enable(&g);
	open_group(&task, 0, -1);
	enable(&task);
	work(1);
	phase("x");
	set_online(cpu, "0");
	phase("");
	work(1);
	report_counts(&g);
	open_group(&late, -1, cpu);
	phase("x");
	set_online(cpu, "1");
	phase("");
	work(1);
	disable(&g);
	enable(&g);
	work(1);
	report_counts(&g);
	report_counts(&task);
	close_group(&task);
	close_group(&g);
	phase("f");
	open_group(&late, -1, cpu);
	enable(&late);
	work(1);
	report_counts(&late);
	close_group(&late);
}

/* Attributes that a driver may refuse. */
static void wild(void)
{
	int cpu = any_cpu();
	struct group g;
	unsigned int i;

	move_to(cpu);
	for (i = 0; i < 8; i++) {
		new_group(&g, pmu_of(cpu), 1);
		wild_event(&g.attr[0], pmu_of(cpu));
		phase("");
		open_group(&g, 0, -1);
		work(1);
		close_group(&g);
	}
}

static const struct {
	const char *name;
	void (*run)(void);
} steps[] = {
	{ "generic", all_generic },
	{ "cache", all_cache },
	{ "raw", all_raw },
	{ "count", count },
	{ "toggle", toggle },
	{ "period", period },
	{ "sample", sample },
	{ "frequency", frequency },
	{ "refresh", refresh },
	{ "exact", exact },
	{ "multiplex", multiplex },
	{ "migrate", migrate },
	{ "wide", wide },
	{ "inherit", inherit },
	{ "exec", exec },
	{ "attach", attach },
	{ "hotplug", hotplug },
	{ "wild", wild },
};

#define NR_FIXED	3

unsigned int nr_fixed_steps(void)
{
	return NR_FIXED;
}

/* Each kind of step comes once before the kinds become random. */
void run_step(unsigned int number)
{
	unsigned int kind = number;

	if (kind >= ARRAY_SIZE(steps))
		kind = NR_FIXED + below(ARRAY_SIZE(steps) - NR_FIXED);
	report("step %s", steps[kind].name);
	steps[kind].run();
}
