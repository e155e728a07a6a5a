// SPDX-License-Identifier: GPL-2.0
/*
 * Room "facade": what other drivers share with those of the CPU's counters.
 *
 * Purpose: serve the readers of perf_event.h: assign the counters of uncore
 * units, keep users of branch records apart, show the files of events, and
 * give Xen a handler of the interrupt.
 *
 * Owns: the numbers of users of last branch records (LBR), the branch trace
 * store (BTS) and Processor Trace (PT); x86_pmu, whose handler is set when the
 * drivers are initialised.
 *
 * Contexts: task; the assignment in any.
 *
 * Locking: users_mutex for the numbers of users.
 */
#include <linux/array_size.h>
#include <linux/cleanup.h>
#include <linux/device.h>
#include <linux/errno.h>
#include <linux/export.h>
#include <linux/mutex.h>
#include <linux/sysfs.h>
#include "facade.h"
#include "overflow.h"
#include "perf_event.h"
#include "rules/place.h"

/* An uncore unit has at most eight general counters and a fixed one. */
#define MAX_SEATS	16

static DEFINE_MUTEX(users_mutex);
static unsigned int users[x86_lbr_exclusive_max];
static bool trace_allowed __ro_after_init;

static int no_handler(struct pt_regs *regs)
{
	return 0;
}

struct x86_pmu x86_pmu = { .handle_irq = no_handler };

/**
 * perf_assign_events() - assign the counters of an uncore unit to events
 * @constraints: the constraint of each event
 * @n: number of events
 * @wmin: not used
 * @wmax: not used
 * @gpmax: not used
 * @assign: gets the number of each event's counter; NULL to ask whether they
 *	fit
 *
 * The assignment is found whenever there is one, so it needs no hints about
 * the order in which to try. @assign does not change if there is none.
 *
 * Context: any.
 * Return: 0, or @n if the events do not fit.
 */
int perf_assign_events(struct event_constraint **constraints, int n, int wmin,
		       int wmax, int gpmax, int *assign)
{
	struct x86_seat seats[MAX_SEATS];
	int i;

	if (n > MAX_SEATS)
		return n;
	for (i = 0; i < n; i++) {
		seats[i] = (struct x86_seat) {
			.counters	= constraints[i]->idxmsk64,
			.at		= -1,
		};
	}
	if (x86_place(seats, n, ~0ULL))
		return n;
	for (i = 0; assign && i < n; i++)
		assign[i] = seats[i].to;
	return 0;
}
EXPORT_SYMBOL_GPL(perf_assign_events);

static bool exclude_each_other(unsigned int a, unsigned int b, bool trace)
{
	if (a == b)
		return false;
	return !trace || (a != x86_lbr_exclusive_pt && b != x86_lbr_exclusive_pt);
}

/**
 * x86_facade_excluded() - may a use not begin, since another one goes on?
 * @what: x86_lbr_exclusive_lbr, _bts or _pt
 * @nr_users: numbers of users of each
 * @trace: PT runs beside LBR and BTS
 *
 * Context: any.
 * Return: true if it may not.
 */
bool x86_facade_excluded(unsigned int what, const unsigned int *nr_users,
			 bool trace)
{
	unsigned int other;

	for (other = 0; other < x86_lbr_exclusive_max; other++) {
		if (nr_users[other] && exclude_each_other(what, other, trace))
			return true;
	}
	return false;
}

/**
 * x86_add_exclusive() - begin to use LBR, BTS or PT
 * @what: x86_lbr_exclusive_lbr, _bts or _pt
 *
 * Except for branch records, the user may get interrupts of the counters from
 * now on. Branch records have no interrupt of their own.
 *
 * Context: task; takes users_mutex.
 * Return: 0; -EBUSY while a use goes on that excludes this one; -EINVAL for
 * another number.
 */
int x86_add_exclusive(unsigned int what)
{
	if (what >= ARRAY_SIZE(users))
		return -EINVAL;
	scoped_guard(mutex, &users_mutex) {
		if (x86_facade_excluded(what, users, trace_allowed))
			return -EBUSY;
		users[what]++;
	}
	if (what != x86_lbr_exclusive_lbr)
		x86_overflow_use_other();
	return 0;
}

/**
 * x86_del_exclusive() - end a use of LBR, BTS or PT
 * @what: as for x86_add_exclusive(), which has returned 0
 *
 * Context: task; takes users_mutex.
 */
void x86_del_exclusive(unsigned int what)
{
	if (what != x86_lbr_exclusive_lbr)
		x86_overflow_unuse_other();
	scoped_guard(mutex, &users_mutex)
		users[what]--;
}

/**
 * x86_facade_allow_trace() - let PT run beside LBR and BTS
 *
 * Without this call they exclude each other: on the first CPUs with PT, LBR
 * and BTS do not work while PT traces. LBR and BTS always exclude each other.
 *
 * Context: boot, before the first x86_add_exclusive().
 */
void __init x86_facade_allow_trace(void)
{
	trace_allowed = true;
}

/**
 * events_sysfs_show() - show the file of an event
 * @dev: the PMU's device
 * @attr: the file, in a struct perf_pmu_events_attr with the text
 * @page: destination
 *
 * Context: task.
 * Return: length of the text.
 */
ssize_t events_sysfs_show(struct device *dev, struct device_attribute *attr,
			  char *page)
{
	const struct perf_pmu_events_attr *event =
		container_of_const(attr, struct perf_pmu_events_attr, attr);

	return sysfs_emit(page, "%s\n", event->event_str);
}
EXPORT_SYMBOL_GPL(events_sysfs_show);
