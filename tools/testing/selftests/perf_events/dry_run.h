/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Functions that selftests of dry runs share: they make a dry run, and check
 * each answer.
 */
#ifndef SELFTEST_DRY_RUN_H
#define SELFTEST_DRY_RUN_H

#include <errno.h>
#include <string.h>

#include "open_rows.h"
#include "perf_lib.h"

/* The last answer in words. */
static char text[128];

static inline struct perf_event_dry_run question(struct perf_event_attr *attr)
{
	return (struct perf_event_dry_run) {
		.size = sizeof(struct perf_event_dry_run),
		.attr = (unsigned long)attr,
		.text = (unsigned long)text,
		.text_size = sizeof(text),
	};
}

static inline int ask(void *run, struct open_place place, int leader,
		      unsigned long flags)
{
	return perf_open(run, place.pid, place.cpu, leader,
			 flags | PERF_FLAG_DRY_RUN);
}

static inline void need_dry_run(void)
{
	struct perf_event_attr attr = sw_attr(PERF_COUNT_SW_DUMMY);
	struct perf_event_dry_run run = question(&attr);

	if (ask(&run, place_of(ON_SELF), -1, 0) < 0 && errno == EINVAL)
		test_skip("no PERF_FLAG_DRY_RUN");
}

static inline __u64 blamed_field(const struct perf_event_dry_run *run,
				 const struct perf_event_attr *attr)
{
	const char *field = (const char *)attr + run->offset;

	switch (run->length) {
	case 2:
		return *(const __u16 *)field;
	case 4:
		return *(const __u32 *)field;
	default:
		return *(const __u64 *)field;
	}
}

/* The answer fits the value: bits to clear are set, and so on. */
static inline void expect_sense(const struct perf_event_dry_run *run,
				const struct perf_event_attr *attr)
{
	__u64 value;

	if (run->where != PERF_WHERE_ATTR)
		return;
	value = blamed_field(run, attr);
	EXPECT((value & run->must_clear) == run->must_clear,
	       "%#llx: bits %#llx must be clear", value, run->must_clear);
	EXPECT(!(value & run->must_set), "%#llx: bits %#llx must be set",
	       value, run->must_set);
	EXPECT(!run->limit || value > run->limit ||
	       run->reason == PERF_REASON_SIZE, "%llu: limit %llu", value,
	       run->limit);
}

static inline struct perf_event_dry_run dry_run(struct perf_event_attr *attr,
						struct open_place place, int leader,
						unsigned long flags)
{
	struct perf_event_dry_run run = question(attr);

	memset(text, 'x', sizeof(text));
	CHECK(!ask(&run, place, leader, flags), "dry run: %s", strerror(errno));
	CHECK(run.size == sizeof(run), "size %u", run.size);
	CHECK(memchr(text, 0, sizeof(text)), "text has no end");
	CHECK(text[0], "no text");
	expect_sense(&run, attr);
	return run;
}

static inline struct perf_event_dry_run dry_run_self(struct perf_event_attr *attr,
						     int leader)
{
	return dry_run(attr, place_of(ON_SELF), leader, 0);
}

static inline const char *error_name(int error)
{
	return error ? strerrorname_np(error) : "0";
}

static inline void expect_answer(const struct perf_event_dry_run *run,
				 const struct dry_answer *says)
{
	EXPECT(run->reason, "refused without reason");
	if (!says->reason)
		return;
	EXPECT(run->reason == says->reason, "reason %u (%s), expected %u",
	       run->reason, text, says->reason);
	EXPECT(run->where == says->where, "where %u, expected %u", run->where,
	       says->where);
	EXPECT(run->offset == says->offset && run->length == says->length,
	       "offset %u length %u, expected %u and %u", run->offset,
	       run->length, says->offset, says->length);
	EXPECT((run->must_clear ?: run->must_set) == says->bits,
	       "bits %#llx and %#llx, expected %#llx", run->must_clear,
	       run->must_set, says->bits);
	EXPECT(!says->needs || run->must_set == says->needs,
	       "needs %#llx, expected %#llx", run->must_set, says->needs);
	EXPECT(run->limit == says->limit, "limit %#llx, expected %#llx",
	       run->limit, says->limit);
}

/* Dry run, then open: both return @error, and the answer is @says. */
static inline void expect_refusal(struct perf_event_attr *attr,
				  struct open_place place, int leader, int error,
				  const struct dry_answer *says)
{
	struct perf_event_dry_run run = dry_run(attr, place, leader, 0);
	int fd = perf_open(attr, place.pid, place.cpu, leader, 0);
	int opened = fd < 0 ? errno : 0;

	EXPECT(run.error == error, "dry run: %s, not %s: %s",
	       error_name(run.error), error_name(error), text);
	EXPECT(opened == error, "then %s, not %s", error_name(opened),
	       error_name(error));
	expect_answer(&run, says);
}

static inline struct perf_event_attr trace_attr(const char *name, __u64 sample_type)
{
	struct perf_event_attr attr = make_attr(PERF_TYPE_TRACEPOINT,
						tracepoint_id(name));

	attr.sample_period = 1;
	attr.sample_type = sample_type;
	return attr;
}

#endif
