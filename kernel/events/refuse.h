/* SPDX-License-Identifier: GPL-2.0 */
/* Room "refuse": records why an event is refused, if the caller asks. */
#ifndef _KERNEL_EVENTS_REFUSE_H
#define _KERNEL_EVENTS_REFUSE_H

#include <linux/types.h>
#include <linux/perf_refuse.h>

struct task_struct;

#define PERF_REFUSE_TEXT_MAX	96

/* What is known about a refusal; the task that asks provides the memory. */
struct perf_refusal {
	struct hlist_node		entry;
	struct task_struct		*owner;
	/* Where fields are looked up. */
	const struct perf_event_attr	*attr;

	int				error;	/* negative errno, 0: none */
	u32				place;
	u64				must_clear;
	u64				must_set;
	u64				limit;
	u32				reason;
	/* Empty: the usual text of @reason applies. */
	char				text[PERF_REFUSE_TEXT_MAX];
};

/**
 * struct perf_refuse_hint - details of a value that a check refuses
 * @bits: bits that must be clear or, if all of them are, of which some must be
 *	set
 * @needs: bits of which some must be set for @bits to be accepted
 * @limit: largest number that is accepted
 */
struct perf_refuse_hint {
	u64	bits;
	u64	needs;
	u64	limit;
};

void perf_refuse_note(int err, u32 place, const struct perf_refuse_hint *hint,
		      u32 reason, const char *text);
void perf_refuse_begin(struct perf_refusal *refusal,
		       const struct perf_event_attr *attr);
void perf_refuse_end(struct perf_refusal *refusal, int err);
u64 perf_refuse_read_field(const struct perf_event_attr *attr, u32 place);
bool perf_refuse_is_asked(void);
const char *perf_refuse_text(const struct perf_refusal *refusal);

#endif /* _KERNEL_EVENTS_REFUSE_H */
