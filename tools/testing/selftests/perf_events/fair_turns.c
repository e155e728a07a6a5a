// SPDX-License-Identifier: GPL-2.0
/*
 * Groups that do not all fit share the counters: each gets its turns, whichever
 * groups existed before, are opened and closed, or never fit, and whichever
 * task runs.
 */
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "perf_lib.h"

#define MAX_GROUPS	(8 * MAX_COUNTERS)
#define PEACE_MS	1000
#define LOOK_MS		500
#define UNFIT		40
#define PASSING		100
#define TASKS		200
#define DISABLED	70
#define HEIRS		40
#define HEIR_MS		20

struct crowd {
	int		fd[MAX_GROUPS];
	int		nr;
	__u64		had[MAX_GROUPS];
};

/* Running time of groups since the last look, in milliseconds. */
struct shares {
	double		least;
	double		most;
	double		all;
};

/* Return: how many single groups fit. */
static int begin(void)
{
	need_hardware();
	pin_to_cpu(first_cpu());
	return count_counters();
}

static struct perf_event_attr shared_attr(void)
{
	struct perf_event_attr attr = branch_attr();

	attr.disabled = 0;
	attr.read_format = FORMAT_TIMES;
	return attr;
}

static void crowd_open(struct crowd *crowd, struct perf_event_attr *attr, int nr)
{
	CHECK(crowd->nr + nr <= MAX_GROUPS, "%d groups", crowd->nr + nr);
	while (nr--)
		crowd->fd[crowd->nr++] = open_self(attr);
}

static void crowd_close(const struct crowd *crowd)
{
	for (int i = 0; i < crowd->nr; i++)
		close(crowd->fd[i]);
}

static struct shares crowd_look(struct crowd *crowd)
{
	struct shares shares = { .least = 1e9 };
	__u64 running;
	double had;
	int i;

	for (i = 0; i < crowd->nr; i++) {
		running = read_timed(crowd->fd[i]).running;
		had = (double)(running - crowd->had[i]) / NSEC_PER_MSEC;
		crowd->had[i] = running;
		if (had < shares.least)
			shares.least = had;
		if (had > shares.most)
			shares.most = had;
		shares.all += had;
	}
	return shares;
}

static bool are_even(const struct shares *shares, int nr)
{
	double mean = shares->all / nr;

	if (shares->least >= mean / 2 && shares->most <= mean * 2)
		return true;
	return test_remark("%d groups: %.1f to %.1f ms, mean %.1f", nr,
			   shares->least, shares->most, mean);
}

/* Some groups are alone for long, then others are opened. */
static bool later_ones_are_equals(void *arg)
{
	struct perf_event_attr attr = shared_attr();
	int counters = *(int *)arg;
	struct crowd crowd = { };
	struct shares shares;

	crowd_open(&crowd, &attr, counters);
	burn_ms(PEACE_MS);
	crowd_open(&crowd, &attr, 4 * counters);
	crowd_look(&crowd);
	burn_ms(LOOK_MS);
	shares = crowd_look(&crowd);
	crowd_close(&crowd);
	return are_even(&shares, crowd.nr);
}

static void after_peace(void)
{
	int counters = begin();

	test_retry_or_xfail(later_ones_are_equals, &counters,
			    "those that were alone do not share alike");
}

/* One counter is held, and most groups need all counters. */
static bool room_is_used(void *arg)
{
	int counters = *(int *)arg, fit = 2 * (counters - 1);
	struct shares shares;
	struct crowd crowd = { };
	struct perf_event_attr attr = shared_attr();

	crowd_open(&crowd, &attr, fit);
	burn_ms(10);
	crowd_look(&crowd);
	burn_ms(LOOK_MS);
	shares = crowd_look(&crowd);
	crowd_close(&crowd);
	if (shares.all >= 0.7 * LOOK_MS * (counters - 1))
		return true;
	return test_remark("%.0f ms of %d", shares.all,
			   LOOK_MS * (counters - 1));
}

static void beside_the_unfit(void)
{
	struct perf_event_attr attr = shared_attr();
	int counters = begin(), i, j, leader;

	if (counters < 2)
		test_skip("one counter");
	attr.pinned = 1;
	open_self(&attr);
	attr.pinned = 0;
	for (i = 0; i < UNFIT; i++) {
		leader = open_self(&attr);
		for (j = 1; j < counters; j++)
			open_sibling(&attr, leader);
	}
	test_retry_or_xfail(room_is_used, &counters,
			    "groups that never fit take the tries of others");
}

/* Return: the running time that the event had, in milliseconds. */
static double close_timed(int fd)
{
	double had = (double)read_timed(fd).running / NSEC_PER_MSEC;

	close(fd);
	return had;
}

/* Others, which are opened and closed all the time. */
struct passing {
	int		counters;
	unsigned int	pause_us;	/* between two opens */
	int		fd[PASSING];
	double		had;		/* running time of all, milliseconds */
	int		opened;
};

static void passing_close(struct passing *others, int nr)
{
	if (!others->fd[nr])
		return;
	others->had += (double)read_timed(others->fd[nr]).running /
		       NSEC_PER_MSEC;
	close(others->fd[nr]);
	others->fd[nr] = 0;
}

static void passing_exist(struct passing *others, __u64 msec)
{
	struct perf_event_attr attr = shared_attr();
	__u64 end = now_ns() + msec * NSEC_PER_MSEC, next;
	int i;

	while (now_ns() < end) {
		i = others->opened++ % PASSING;
		passing_close(others, i);
		others->fd[i] = open_self(&attr);
		next = now_ns() + others->pause_us * 1000ULL;
		while (now_ns() < next)
			burn(100);
	}
	for (i = 0; i < PASSING; i++)
		passing_close(others, i);
}

/*
 * What there is to share is what all of them had: a slow kernel spends much of
 * the time in the opens, while no event runs.
 */
static bool those_who_stay_have_turns(void *arg)
{
	struct passing others = *(struct passing *)arg;
	struct perf_event_attr attr = shared_attr();
	struct crowd crowd = { };
	struct shares shares;
	double share;

	crowd_open(&crowd, &attr, 4 * others.counters);
	crowd_look(&crowd);
	passing_exist(&others, 2 * LOOK_MS);
	shares = crowd_look(&crowd);
	crowd_close(&crowd);
	/* The share that there is if all others are always open. */
	share = (shares.all + others.had) / (crowd.nr + PASSING);
	if (share > 0 && shares.least >= share / 2)
		return true;
	return test_remark("%.1f to %.1f ms of %.1f, %d opened", shares.least,
			   shares.most, share, others.opened);
}

static void beside_the_passing(void)
{
	struct passing others = { .counters = begin() };

	test_retry(those_who_stay_have_turns, &others);
}

/* In each turn two new groups come for each counter. */
static void beside_slow_passing(void)
{
	struct passing others = { .counters = begin(), .pause_us = 500 };

	test_retry(those_who_stay_have_turns, &others);
}

/* A group that needs all counters. */
struct whole {
	int		counters;
	int		fd[MAX_COUNTERS];
};

static void whole_open_as(struct whole *group, struct perf_event_attr *attr,
			  int cpu)
{
	int i;

	group->fd[0] = open_on(attr, 0, cpu, -1);
	attr->disabled = 0;
	for (i = 1; i < group->counters; i++)
		group->fd[i] = open_on(attr, 0, cpu, group->fd[0]);
}

static void whole_open(struct whole *group, bool disabled)
{
	struct perf_event_attr attr = shared_attr();

	attr.disabled = disabled;
	whole_open_as(group, &attr, -1);
}

static void whole_close(const struct whole *group)
{
	int i;

	for (i = 0; i < group->counters; i++)
		close(group->fd[i]);
}

static __u64 whole_ran(struct whole *group)
{
	return read_timed(group->fd[0]).running;
}

static void burn_us(unsigned int usec)
{
	__u64 end = now_ns() + usec * 1000ULL;

	while (now_ns() < end)
		burn(100);
}

/* A turn of a group ends a little later than this. */
static unsigned int almost_a_turn(void)
{
	long ms = read_long("/sys/bus/event_source/devices/cpu/perf_event_mux_interval_ms");

	return ms > 0 ? 1000 * ms - 200 : 3800;
}

/* It is closed before its turn ends, and comes back soon after. */
static void reopen(struct whole *rival)
{
	whole_open(rival, false);
	usleep(1);
	burn_us(almost_a_turn());
	whole_close(rival);
	usleep(1);
	burn_us(almost_a_turn() / 6);
	usleep(1);
}

static void await_turn(struct whole *rival, __u64 ran)
{
	__u64 end = now_ns() + 50 * NSEC_PER_MSEC;

	while (whole_ran(rival) == ran && now_ns() < end)
		burn(100);
}

/* It was opened long ago, is enabled for one turn, and is opened anew. */
static void enable_for_a_turn(struct whole *rival)
{
	event_enable(rival->fd[0]);
	await_turn(rival, 0);
	burn_us(almost_a_turn());
	whole_close(rival);
	whole_open(rival, true);
}

static void burn_until(__u64 end)
{
	while (now_ns() < end)
		burn(100);
}

/*
 * It is chosen time after time, and disabled from one choice to the next. With
 * @toggle a sibling is disabled and enabled while the leader is off.
 */
static void enable_for_choices_as(struct whole *rival, bool toggle)
{
	__u64 margin = 500000, turn = 1000ULL * (almost_a_turn() + 200), choice;
	__u64 ran = whole_ran(rival);

	event_enable(rival->fd[0]);
	await_turn(rival, ran);
	for (choice = now_ns(); whole_ran(rival) > ran; choice += turn) {
		event_disable(rival->fd[0]);
		if (toggle) {
			event_disable(rival->fd[1]);
			event_enable(rival->fd[1]);
		}
		burn_until(choice + turn - margin);
		event_enable(rival->fd[0]);
		burn_until(choice + turn + margin);
		ran = whole_ran(rival);
		burn(100);
	}
	event_disable(rival->fd[0]);
}

static void enable_for_choices(struct whole *rival)
{
	enable_for_choices_as(rival, false);
}

static void toggle_between_choices(struct whole *rival)
{
	enable_for_choices_as(rival, true);
}

struct rivals {
	int		counters;
	int		nr;	/* that are opened first, disabled */
	void		(*turn)(struct whole *rival);
};

/* One of the rivals competes at a time, so the other group gets half. */
static bool one_keeps_its_half(void *arg)
{
	const struct rivals *rivals = arg;
	struct whole rival[DISABLED] = { }, one = { rivals->counters };
	__u64 end, began, before;
	double share;
	int i;

	whole_open(&one, false);
	burn_ms(20);
	for (i = 0; i < DISABLED; i++) {
		rival[i].counters = rivals->counters;
		if (i < rivals->nr)
			whole_open(&rival[i], true);
	}
	began = now_ns();
	before = whole_ran(&one);
	end = began + 2 * LOOK_MS * NSEC_PER_MSEC;
	for (i = 0; now_ns() < end; i++)
		rivals->turn(&rival[rivals->nr ? i % rivals->nr : 0]);
	share = (double)(whole_ran(&one) - before) / (now_ns() - began);
	for (i = 0; i < rivals->nr; i++)
		whole_close(&rival[i]);
	whole_close(&one);
	if (share >= 0.4)
		return true;
	return test_remark("it has %.0f %%", 100 * share);
}

static void beside_the_reopened(void)
{
	struct rivals rivals = { begin(), 0, reopen };

	test_retry_or_xfail(one_keeps_its_half, &rivals,
			    "a group that comes again and again has more");
}

static void beside_the_disabled(void)
{
	struct rivals rivals = { begin(), DISABLED, enable_for_a_turn };

	test_retry_or_xfail(one_keeps_its_half, &rivals,
			    "groups that were opened before have more");
}

static void beside_the_brief(void)
{
	struct rivals rivals = { begin(), 1, enable_for_choices };

	test_retry_or_xfail(one_keeps_its_half, &rivals,
			    "a group that gives up its turns has more");
}

static void beside_the_toggled(void)
{
	struct rivals rivals = { begin(), 1, toggle_between_choices };

	test_retry_or_xfail(one_keeps_its_half, &rivals,
			    "a group that gives up its turns has more");
}

static void run_task(unsigned int msec)
{
	pid_t pid = fork();

	CHECK(pid >= 0, "fork");
	if (!pid) {
		burn_ms(msec);
		_exit(0);
	}
	CHECK(waitpid(pid, NULL, 0) == pid, "waitpid");
}

static void whole_open_inherited(struct whole *group, bool disabled)
{
	struct perf_event_attr attr = shared_attr();

	attr.inherit = 1;
	attr.disabled = disabled;
	whole_open_as(group, &attr, -1);
}

struct heirs {
	int		counters;
	bool		first;	/* all are opened before the other group */
	void		(*forks)(struct heirs *heirs);
	struct whole	rival[HEIRS];
};

static void heirs_open(struct heirs *heirs, bool disabled)
{
	for (int i = 0; i < HEIRS; i++) {
		heirs->rival[i].counters = heirs->counters;
		whole_open_inherited(&heirs->rival[i], disabled);
	}
}

/* There is one of them at a time, and each is new when a task begins. */
static void open_before_fork(struct heirs *heirs)
{
	for (int i = 0; i < HEIRS; i++) {
		heirs->rival[i].counters = heirs->counters;
		whole_open_inherited(&heirs->rival[i], false);
		run_task(HEIR_MS);
		whole_close(&heirs->rival[i]);
	}
}

static void enable_before_fork(struct heirs *heirs)
{
	for (int i = 0; i < HEIRS; i++) {
		event_enable(heirs->rival[i].fd[0]);
		run_task(HEIR_MS);
		whole_close(&heirs->rival[i]);
	}
}

/* Return: a child that runs on the first CPU, and keeps no event open. */
static pid_t start_task(const struct heirs *heirs)
{
	pid_t pid = fork();
	int i;

	CHECK(pid >= 0, "fork");
	if (pid)
		return pid;
	for (i = 0; i < HEIRS; i++)
		whole_close(&heirs->rival[i]);
	pin_to_cpu(first_cpu());
	for (;;)
		burn(1000);
}

static void end_task(pid_t pid)
{
	kill(pid, SIGKILL);
	CHECK(waitpid(pid, NULL, 0) == pid, "waitpid");
}

/* A task runs while each of them comes to its turn and is closed. */
static void enable_beside_task(struct heirs *heirs)
{
	pid_t pid = start_task(heirs);
	int i;

	for (i = 0; i < HEIRS; i++) {
		event_enable(heirs->rival[i].fd[0]);
		await_turn(&heirs->rival[i], 0);
		whole_close(&heirs->rival[i]);
		burn_us(almost_a_turn());
	}
	end_task(pid);
}

/* Return: the share of its enabled time for which a group has run since. */
static double share_since(const struct whole *group,
			  const struct timed_count *before)
{
	struct timed_count now = read_timed(group->fd[0]);

	return (double)(now.running - before->running) /
	       (now.enabled - before->enabled);
}

/* One of them competes at a time in tasks, so the other group gets half. */
static bool copies_keep_their_half(void *arg)
{
	struct heirs *heirs = arg;
	struct whole one = { .counters = heirs->counters };
	struct timed_count before;
	struct perf_event_attr attr;
	double share;
	int own;

	/* A task with such an event exchanges no context with its children. */
	attr = sw_attr(PERF_COUNT_SW_DUMMY);
	own = open_self(&attr);
	if (heirs->first)
		heirs_open(heirs, true);
	whole_open_inherited(&one, false);
	run_task(5 * HEIR_MS);
	before = read_timed(one.fd[0]);
	heirs->forks(heirs);
	share = share_since(&one, &before);
	whole_close(&one);
	close(own);
	if (share >= 0.4)
		return true;
	return test_remark("it has %.0f %%", 100 * share);
}

static void beside_new_heirs(void)
{
	struct heirs heirs = {
		.counters = begin(), .first = false, .forks = open_before_fork,
	};

	test_retry_or_xfail(copies_keep_their_half, &heirs,
			    "copies of new groups have more");
}

static void beside_enabled_heirs(void)
{
	struct heirs heirs = {
		.counters = begin(), .first = true, .forks = enable_before_fork,
	};

	test_retry_or_xfail(copies_keep_their_half, &heirs,
			    "copies of groups that were disabled have more");
}

static void beside_closed_heirs(void)
{
	struct heirs heirs = {
		.counters = begin(), .first = true, .forks = enable_beside_task,
	};

	pin_to_cpu(second_cpu());
	test_retry_or_xfail(copies_keep_their_half, &heirs,
			    "copies of groups that are closed have more");
}

/*
 * A group is bound to a CPU, which the task leaves as soon as the group runs.
 */
static bool the_unbound_moves(void *arg)
{
	int counters = *(int *)arg, here = first_cpu(), there = second_cpu();
	struct whole one = { .counters = counters }, bound = one;
	struct perf_event_attr attr = shared_attr();
	struct timed_count before;
	__u64 end, ran;
	double share;

	whole_open_as(&bound, &attr, here);
	whole_open(&one, false);
	burn_ms(20);
	before = read_timed(one.fd[0]);
	end = now_ns() + 2 * LOOK_MS * NSEC_PER_MSEC;
	while (now_ns() < end) {
		ran = whole_ran(&bound);
		pin_to_cpu(here);
		await_turn(&bound, ran);
		pin_to_cpu(there);
		burn_us(almost_a_turn() * 9 / 10);
	}
	share = share_since(&one, &before);
	whole_close(&bound);
	whole_close(&one);
	if (share >= 0.7)
		return true;
	return test_remark("it has %.0f %%", 100 * share);
}

static void beside_the_bound(void)
{
	int counters = begin();

	second_cpu();
	test_retry_or_xfail(the_unbound_moves, &counters,
			    "a choice of another CPU counts");
}

/* Short tasks, which exchange their contexts with their parent. */
static bool tasks_share_alike(void *arg)
{
	struct perf_event_attr attr = shared_attr();
	int counters = *(int *)arg, i;
	struct crowd crowd = { };
	struct shares shares;

	attr.inherit = 1;
	attr.inherit_stat = 1;
	crowd_open(&crowd, &attr, 5 * counters);
	for (i = 0; i < TASKS; i++)
		run_task(2);
	shares = crowd_look(&crowd);
	crowd_close(&crowd);
	return are_even(&shares, crowd.nr);
}

static void by_task(void)
{
	int counters = begin();

	test_retry_or_xfail(tasks_share_alike, &counters,
			    "short tasks do not count alike");
}

static const struct test_case cases[] = {
	{ "those that were alone before", after_peace },
	{ "beside groups that never fit", beside_the_unfit },
	{ "beside groups that come and go", beside_the_passing },
	{ "beside as many as have turns", beside_slow_passing },
	{ "beside one that is opened again and again", beside_the_reopened },
	{ "beside some that were opened disabled", beside_the_disabled },
	{ "beside one that gives up its turns", beside_the_brief },
	{ "the same, and a sibling is enabled meanwhile", beside_the_toggled },
	{ "short tasks that count by task", by_task },
	{ "tasks beside copies of new groups", beside_new_heirs },
	{ "tasks beside copies of groups enabled late", beside_enabled_heirs },
	{ "a task beside copies of groups that are closed", beside_closed_heirs },
	{ "beside groups of a CPU that the task leaves", beside_the_bound },
};

int main(void)
{
	tests_begin(ARRAY_SIZE(cases));
	tests_run(cases, ARRAY_SIZE(cases));
	tests_end();
}
