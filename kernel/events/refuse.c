// SPDX-License-Identifier: GPL-2.0
/*
 * Room "refuse": why an event is refused, for who asks.
 *
 * Purpose: a check that fails calls perf_refuse() with what it knows, and
 * returns the errno. Where a dry run waits for it, the words are kept; nobody
 * hands them up through the calls in between.
 *
 * Of several the first one counts, since it is the one that decided, with two
 * exceptions. After -ENOENT the core may ask another PMU, whose word then counts.
 * And a caller often knows better which field was meant: if the first one has
 * not said where, a later one with the same errno does.
 *
 * Owns: the list of tasks in a dry run.
 *
 * Contexts: task. What refuses in an interrupt is not heard.
 *
 * Lifetime: a refusal is memory of its task, listed from perf_refuse_begin() to
 * perf_refuse_end().
 *
 * Locking: refuse_lock for the list. What is in a refusal belongs to its task.
 *
 * Race: a check of another task looks at the list while this one goes off it.
 *   1. The other sees perf_refuse_watchers not 0, and takes refuse_lock.
 *   2. It compares owners with itself, and does not touch what is not its own.
 *   3. This task gets the lock afterwards; its refusal has not been kept.
 */
#include <linux/export.h>
#include <linux/kernel.h>
#include <linux/preempt.h>
#include <linux/sched.h>
#include <linux/spinlock.h>
#include <linux/string.h>

#include "refuse.h"

static DEFINE_SPINLOCK(refuse_lock);
static LIST_HEAD(refuse_list);

/* Entries of the list. */
unsigned int perf_refuse_watchers __read_mostly;
EXPORT_SYMBOL_GPL(perf_refuse_watchers);

static const struct {
	u32		reason;
	const char	*text;
} refuse_reasons[] = {
#define REFUSE_REASON(name, number, text)	{ number, text },
	PERF_DRY_RUN_REASONS(REFUSE_REASON)
#undef REFUSE_REASON
};

static struct perf_refusal *refuse_find(void)
{
	struct perf_refusal *refusal;

	if (!in_task())
		return NULL;
	guard(spinlock)(&refuse_lock);
	list_for_each_entry(refusal, &refuse_list, entry) {
		if (refusal->owner == current)
			return refusal;
	}
	return NULL;
}

static bool refuse_decides(const struct perf_refusal *refusal, int error)
{
	if (!refusal->error)
		return true;
	return refusal->error == -ENOENT && error != -ENOENT;
}

/**
 * perf_refuse_read_field - the value of an attribute's field
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

/* What is set of the bits is to blame; if nothing is, something is missing. */
static void refuse_set_place(struct perf_refusal *refusal, u32 place, u64 bits)
{
	u64 set = 0;

	if (PERF_PLACE_WHERE(place) == PERF_WHERE_ATTR && refusal->attr)
		set = perf_refuse_read_field(refusal->attr, place) & bits;
	refusal->place = place;
	refusal->bits = set ?: bits;
}

/**
 * perf_refuse_note - take down a refusal
 * @error: negative errno
 * @place: PERF_FIELD(), PERF_FIELD_FLAGS, PERF_ARGUMENT() or PERF_NOWHERE
 * @bits: of the field, those that must not be set or some of which must
 * @reason: PERF_REASON_*
 * @text: a sentence in place of the one that belongs to @reason, or NULL
 *
 * Checks call perf_refuse() or perf_refuse_because().
 *
 * Context: any; in a task only is it of consequence. No raw lock held.
 */
void perf_refuse_note(int error, u32 place, u64 bits, u32 reason,
		      const char *text)
{
	struct perf_refusal *refusal = refuse_find();

	if (!refusal)
		return;
	if (!refuse_decides(refusal, error)) {
		if (error == refusal->error && !refusal->place)
			refuse_set_place(refusal, place, bits);
		return;
	}
	refusal->error = error;
	refusal->reason = reason;
	refuse_set_place(refusal, place, bits);
	strscpy(refusal->text, text ?: "");
}
EXPORT_SYMBOL_GPL(perf_refuse_note);

/**
 * perf_refuse_begin - from now on, take down why current is refused something
 * @refusal: memory for it
 * @attr: attribute in question; what the fields contain is looked up there
 *
 * Context: task that is in no dry run. perf_refuse_end() follows.
 */
void perf_refuse_begin(struct perf_refusal *refusal,
		       const struct perf_event_attr *attr)
{
	*refusal = (struct perf_refusal) {
		.owner	= current,
		.attr	= attr,
	};
	guard(spinlock)(&refuse_lock);
	list_add(&refusal->entry, &refuse_list);
	WRITE_ONCE(perf_refuse_watchers, perf_refuse_watchers + 1);
}

/**
 * perf_refuse_end - the answer is there
 * @refusal: what perf_refuse_begin() has got
 * @error: what it came to, 0 or a negative errno
 *
 * What was taken down about another errno does not explain this one.
 *
 * Context: task.
 */
void perf_refuse_end(struct perf_refusal *refusal, int error)
{
	scoped_guard(spinlock, &refuse_lock) {
		list_del(&refusal->entry);
		WRITE_ONCE(perf_refuse_watchers, perf_refuse_watchers - 1);
	}
	if (refusal->error == error)
		return;
	refusal->error = error;
	refusal->place = PERF_NOWHERE;
	refusal->bits = 0;
	refusal->text[0] = '\0';
	refusal->reason = PERF_REASON_NONE;
	if (error)
		refusal->reason = error == -ENOMEM ? PERF_REASON_MEMORY :
						     PERF_REASON_OTHER;
}

/**
 * perf_refuse_text - a sentence about a refusal
 * @refusal: after perf_refuse_end()
 *
 * Return: words for people, without full stop.
 */
const char *perf_refuse_text(const struct perf_refusal *refusal)
{
	if (refusal->text[0])
		return refusal->text;
	for (int i = 0; i < ARRAY_SIZE(refuse_reasons); i++) {
		if (refuse_reasons[i].reason == refusal->reason)
			return refuse_reasons[i].text;
	}
	return "";
}

#if IS_ENABLED(CONFIG_PERF_EVENTS_KUNIT_TEST)
#include "tests/refuse_kunit.c"
#endif
