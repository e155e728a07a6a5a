// SPDX-License-Identifier: GPL-2.0
/*
 * Room "refuse": records why an event is refused, if the caller asks.
 *
 * Purpose: a check that fails calls perf_refuse() with errno, place and reason,
 * and returns the errno. If the task is in a dry run, the reason is recorded
 * for it. The functions in between do not have to pass the reason up.
 *
 * If there are several refusals, the first one is reported, since it decided
 * the result. There are two exceptions. After -ENOENT the core may ask another
 * PMU, and then that PMU's refusal is reported. And a caller often knows better
 * which field is concerned: if the first refusal names no place, a later one
 * with the same errno adds it.
 *
 * Owns: the table of tasks in a dry run.
 *
 * Contexts: task. A refusal in an interrupt is not recorded.
 *
 * Lifetime: a refusal is memory of its task, listed from perf_refuse_begin() to
 * perf_refuse_end(). In between, the task does the steps of an open, which may
 * sleep. Only that task uses the entry: other tasks look for entries of their
 * own and skip this one. A task searches the table only when it is refused
 * something. It searches one row, which has the entries of a 256th of all tasks
 * in a dry run.
 *
 * Locking: a lock for each row of the table, so that dry runs in different rows
 * do not wait for each other. The contents of a refusal belong to its task.
 *
 * Race: a check of another task walks a row while this task leaves it.
 *   1. The other task sees refuse_watchers not 0, and takes the lock.
 *   2. It compares owners with itself, and does not touch entries of others.
 *   3. This task gets the lock afterwards. The other task has kept no pointer.
 */
#include <linux/atomic.h>
#include <linux/export.h>
#include <linux/hash.h>
#include <linux/kernel.h>
#include <linux/list.h>
#include <linux/preempt.h>
#include <linux/sched.h>
#include <linux/spinlock.h>
#include <linux/string.h>

#include "refuse.h"

#define REFUSE_BITS	8

struct refuse_row {
	/* Protects @tasks; a refusal stays as long as it is listed there. */
	spinlock_t		lock;
	struct hlist_head	tasks;
};

static struct refuse_row refuse_rows[1 << REFUSE_BITS] = {
	[0 ... (1 << REFUSE_BITS) - 1] = {
		.lock = __SPIN_LOCK_UNLOCKED(refuse_rows.lock),
	},
};

/* Number of entries in the table. */
static atomic_t refuse_watchers;

static bool refuse_is_watched(void)
{
	return atomic_read(&refuse_watchers);
}

static const char *const refuse_texts[] = {
	[PERF_REASON_NONE] = "it would be opened",
	[PERF_REASON_OTHER] = "the check that refuses it gives no reason",
	[PERF_REASON_MEMORY] = "there is no memory",
	[PERF_REASON_FILES] = "the caller has no free descriptor",
	[PERF_REASON_POINTER] = "the attribute cannot be read",
	[PERF_REASON_SIZE] = "no version of perf_event_attr has that size",
	[PERF_REASON_TOO_NEW] =
		"fields are used that this kernel does not know",
	[PERF_REASON_RESERVED] = "reserved bits are set",
	[PERF_REASON_UNKNOWN_BITS] =
		"bits are set that this kernel does not know",
	[PERF_REASON_CONFLICT] = "these bits exclude each other",
	[PERF_REASON_REQUIRES] = "another bit has to be set with these",
	[PERF_REASON_NOT_BUILT] = "this kernel was built without it",
	[PERF_REASON_NO_AUX] = "there is no AUX area",
	[PERF_REASON_BRANCH_KIND] = "no kind of branch is asked for",
	[PERF_REASON_REGISTERS] = "no registers, or some that do not exist",
	[PERF_REASON_STACK_SIZE] = "not a multiple of 8 up to 65528",
	[PERF_REASON_MAX_STACK] = "more than kernel.perf_event_max_stack",
	[PERF_REASON_RATE] = "more than kernel.perf_event_max_sample_rate",
	[PERF_REASON_PERIOD] = "a period has at most 63 bits",
	[PERF_REASON_CLOCK] = "no clock that events can have",
	[PERF_REASON_CLOCK_NMI] = "this clock cannot be read in an NMI",
	[PERF_REASON_PARANOID] =
		"kernel.perf_event_paranoid keeps this from the caller",
	[PERF_REASON_CAPABILITY] =
		"the caller lacks a capability, CAP_PERFMON as a rule",
	[PERF_REASON_SECURITY] = "a security module does not allow it",
	[PERF_REASON_TASK_RIGHTS] = "the caller may not look into that task",
	[PERF_REASON_NO_TASK] = "there is no such task",
	[PERF_REASON_TASK_EXITS] = "the task exits",
	[PERF_REASON_NO_TARGET] = "neither a task nor a CPU that may exist",
	[PERF_REASON_CPU_OFFLINE] = "the CPU is offline",
	[PERF_REASON_TASK_ONLY] = "only for events of a task",
	[PERF_REASON_CPU_ONLY] =
		"the PMU counts for CPUs, not for tasks or cgroups",
	[PERF_REASON_CGROUP_TARGET] =
		"a cgroup's event needs a descriptor and a CPU",
	[PERF_REASON_CGROUP_FD] =
		"not the descriptor of a cgroup that is watched",
	[PERF_REASON_GROUP_FD] = "not the descriptor of an event",
	[PERF_REASON_LEADER_GONE] = "the leader's task or PMU has gone",
	[PERF_REASON_LEADER_INHERIT] =
		"leader and sibling have to agree in inherit",
	[PERF_REASON_LEADER_CGROUP] = "the leader is not of the same cgroup",
	[PERF_REASON_LEADER_MEMBER] =
		"the leader is a sibling in another group",
	[PERF_REASON_LEADER_CLOCK] = "the leader has another clock",
	[PERF_REASON_LEADER_CPU] = "the leader is on another CPU",
	[PERF_REASON_LEADER_TARGET] = "the leader counts something else",
	[PERF_REASON_LEADER_ONLY] = "for leaders only",
	[PERF_REASON_LEADER_PMU] = "the group is on another hardware PMU",
	[PERF_REASON_GROUP_SIZE] =
		"reading the group would take more than 16 KiB",
	[PERF_REASON_GROUP_FIT] =
		"the PMU takes the event, but not in this group",
	[PERF_REASON_OUTPUT] = "the other event's buffer cannot be shared",
	[PERF_REASON_NO_PMU] = "no PMU has that event",
	[PERF_REASON_NO_EVENT] = "the PMU does not have that event",
	[PERF_REASON_PMU] = "the driver of the PMU refuses it",
	[PERF_REASON_PMU_CANNOT] = "the PMU cannot do that",
	[PERF_REASON_PMU_FULL] = "the PMU has no room for it now",
	[PERF_REASON_PMU_BUSY] = "the PMU is in the hands of somebody else",
	[PERF_REASON_PMU_GOES] = "the PMU goes away",
	[PERF_REASON_NO_SAMPLES] = "the PMU cannot sample",
	[PERF_REASON_NO_BRANCHES] = "the PMU has no records of branches",
	[PERF_REASON_NO_EXCLUDE] = "the PMU cannot leave anything out",
	[PERF_REASON_NO_REGISTERS] = "the PMU cannot sample these registers",
};

static struct refuse_row *refuse_row_of(const struct task_struct *task)
{
	return &refuse_rows[hash_ptr(task, REFUSE_BITS)];
}

static struct perf_refusal *refuse_find(void)
{
	struct refuse_row *row = refuse_row_of(current);
	struct perf_refusal *refusal;

	if (!in_task())
		return NULL;
	guard(spinlock)(&row->lock);
	hlist_for_each_entry(refusal, &row->tasks, entry) {
		if (refusal->owner == current)
			return refusal;
	}
	return NULL;
}

static bool refuse_decides(const struct perf_refusal *refusal, int err)
{
	if (!refusal->error)
		return true;
	return refusal->error == -ENOENT && err != -ENOENT;
}

/**
 * perf_refuse_read_field() - read a field of an attribute
 * @attr: the attribute
 * @place: PERF_FIELD() or PERF_FIELD_FLAGS
 *
 * Context: any.
 * Return: the field, widened to 64 bits.
 */
u64 perf_refuse_read_field(const struct perf_event_attr *attr, u32 place)
{
	const void *field = (const char *)attr + PERF_PLACE_OFFSET(place);

	switch (PERF_PLACE_SIZE(place)) {
	case sizeof(u16):
		return *(const u16 *)field;
	case sizeof(u32):
		return *(const u32 *)field;
	default:
		return *(const u64 *)field;
	}
}

/* Bits of @hint that are set have to be cleared; if none is, one is missing. */
static void refuse_set_place(struct perf_refusal *refusal, u32 place,
			     const struct perf_refuse_hint *hint)
{
	u64 set = hint->bits;

	if (PERF_PLACE_WHERE(place) == PERF_WHERE_ATTR)
		set &= refusal->attr ?
		       perf_refuse_read_field(refusal->attr, place) : 0;
	refusal->place = place;
	refusal->must_clear = set;
	refusal->must_set = set ? hint->needs : hint->bits;
	refusal->limit = hint->limit;
}

/**
 * perf_refuse_note() - record a refusal
 * @err: negative errno
 * @place: PERF_FIELD(), PERF_FIELD_FLAGS, PERF_ARGUMENT() or PERF_NOWHERE
 * @hint: details of the value there
 * @reason: PERF_REASON_*
 * @text: a sentence in place of the one that belongs to @reason, or NULL
 *
 * Checks call perf_refuse() or one of its variants.
 *
 * Context: any; does nothing outside of task context. No raw lock held.
 */
void perf_refuse_note(int err, u32 place, const struct perf_refuse_hint *hint,
		      u32 reason, const char *text)
{
	struct perf_refusal *refusal = refuse_is_watched() ? refuse_find() : NULL;

	if (!refusal)
		return;
	if (!refuse_decides(refusal, err)) {
		if (err == refusal->error && !refusal->place)
			refuse_set_place(refusal, place, hint);
		return;
	}
	refusal->error = err;
	refusal->reason = reason;
	refuse_set_place(refusal, place, hint);
	strscpy(refusal->text, text ?: "");
}

/**
 * perf_refuse() - refuse an event and say why
 * @err: negative errno
 * @place: PERF_FIELD(member), PERF_FIELD_FLAGS, PERF_ARGUMENT(which) or
 *	PERF_NOWHERE
 * @bits: bits of that field that must be clear, or of which some must be set
 * @reason: PERF_REASON_*
 *
 * Context: any, no raw lock held. Only in a task the reason is kept.
 * Return: @err.
 */
int perf_refuse(int err, u32 place, u64 bits, u32 reason)
{
	const struct perf_refuse_hint hint = { .bits = bits };

	perf_refuse_note(err, place, &hint, reason, NULL);
	return err;
}
EXPORT_SYMBOL_GPL(perf_refuse);

/**
 * perf_refuse_above() - refuse a number that is too large
 * @err: negative errno
 * @place: PERF_FIELD(member)
 * @limit: the largest number that is accepted
 * @reason: PERF_REASON_*
 *
 * Context: any, no raw lock held. Only in a task the reason is kept.
 * Return: @err.
 */
int perf_refuse_above(int err, u32 place, u64 limit, u32 reason)
{
	const struct perf_refuse_hint hint = { .limit = limit };

	perf_refuse_note(err, place, &hint, reason, NULL);
	return err;
}
EXPORT_SYMBOL_GPL(perf_refuse_above);

/**
 * perf_refuse_because() - refuse an event with the driver's own sentence
 * @err: negative errno
 * @place: as for perf_refuse()
 * @bits: as for perf_refuse()
 * @text: the reason as text for users; no full stop, no newline
 *
 * The reason is PERF_REASON_PMU.
 *
 * Context: any, no raw lock held. Only in a task the reason is kept.
 * Return: @err.
 */
int perf_refuse_because(int err, u32 place, u64 bits, const char *text)
{
	const struct perf_refuse_hint hint = { .bits = bits };

	perf_refuse_note(err, place, &hint, PERF_REASON_PMU, text);
	return err;
}
EXPORT_SYMBOL_GPL(perf_refuse_because);

/**
 * perf_refuse_is_asked() - check whether current is in a dry run
 *
 * For callers that would have to search for the reason.
 *
 * Context: any. No raw lock held.
 * Return: true if current is in a dry run.
 */
bool perf_refuse_is_asked(void)
{
	return refuse_is_watched() && refuse_find();
}

/**
 * perf_refuse_begin() - start recording why current is refused something
 * @refusal: memory for the record
 * @attr: attribute in question; values of its fields are looked up there
 *
 * Context: task that is in no dry run. perf_refuse_end() must follow.
 */
void perf_refuse_begin(struct perf_refusal *refusal,
		       const struct perf_event_attr *attr)
{
	struct refuse_row *row = refuse_row_of(current);

	*refusal = (struct perf_refusal) {
		.owner	= current,
		.attr	= attr,
	};
	scoped_guard(spinlock, &row->lock)
		hlist_add_head(&refusal->entry, &row->tasks);
	atomic_inc(&refuse_watchers);
}

/**
 * perf_refuse_end() - stop recording and complete the record
 * @refusal: what was passed to perf_refuse_begin()
 * @err: result of the dry run, 0 or a negative errno
 *
 * A record about another errno does not explain @err and is dropped.
 *
 * Context: task.
 */
void perf_refuse_end(struct perf_refusal *refusal, int err)
{
	struct refuse_row *row = refuse_row_of(refusal->owner);

	scoped_guard(spinlock, &row->lock)
		hlist_del(&refusal->entry);
	atomic_dec(&refuse_watchers);
	if (refusal->error == err)
		return;
	refusal->error = err;
	refusal->place = PERF_NOWHERE;
	refusal->must_clear = 0;
	refusal->must_set = 0;
	refusal->limit = 0;
	refusal->text[0] = '\0';
	refusal->reason = PERF_REASON_NONE;
	if (err)
		refusal->reason = err == -ENOMEM ? PERF_REASON_MEMORY :
						     PERF_REASON_OTHER;
}

/**
 * perf_refuse_text() - describe a refusal in words
 * @refusal: after perf_refuse_end()
 *
 * Return: a sentence for people, without full stop.
 */
const char *perf_refuse_text(const struct perf_refusal *refusal)
{
	if (refusal->text[0])
		return refusal->text;
	if (refusal->reason >= ARRAY_SIZE(refuse_texts))
		return "";
	return refuse_texts[refusal->reason] ?: "";
}

#if IS_ENABLED(CONFIG_PERF_EVENTS_KUNIT_TEST)
#include "tests/refuse_kunit.c"
#endif
