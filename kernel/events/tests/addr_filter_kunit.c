// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of the rooms addr_filter_parse and addr_filter: which texts are filters,
 * random texts, and which filters for the kernel a PMU gets.
 * Files need a process; the selftest addr_filters has them.
 */
#include <kunit/test.h>
#include <linux/cpumask.h>
#include <linux/perf_event.h>
#include <linux/prandom.h>
#include <linux/string.h>

#include "../addr_filter.h"
#include "../addr_filter_parse.h"
#include "../context.h"
#include "../software.h"
#include "fake_pmu.h"

#define STOP	PERF_ADDR_FILTER_ACTION_STOP
#define START	PERF_ADDR_FILTER_ACTION_START
#define FILTER	PERF_ADDR_FILTER_ACTION_FILTER

#define NR_FILTERS	4
#define NR_FUZZ		20000
#define FUZZ_LEN	64

static struct fake_pmu fake;

/* The text. */

struct filter_test_good {
	const char			*text;
	enum perf_addr_filter_action_t	action;
	unsigned long			offset;
	unsigned long			size;
	const char			*path;
	/* Filters that follow the first. */
	int				more;
};

static const struct filter_test_good filter_test_good[] = {
	{ .text = "filter 0x1000/0x200", .action = FILTER, .offset = 0x1000,
	  .size = 0x200 },
	{ .text = "start 4096", .action = START, .offset = 4096 },
	{ .text = "stop 010", .action = STOP, .offset = 8 },
	{ .text = "stop 0", .action = STOP },
	{ .text = "stop 0/0", .action = STOP },
	{ .text = "start 0X1f/0xAB", .action = START, .offset = 0x1f,
	  .size = 0xab },
	{ .text = "start 0xffffffffffffffff", .action = START,
	  .offset = ULONG_MAX },
	{ .text = "start 18446744073709551615/1", .action = START,
	  .offset = ULONG_MAX, .size = 1 },
	{ .text = "start 01777777777777777777777", .action = START,
	  .offset = ULONG_MAX },
	{ .text = " ,\n filter  ,1/2\n", .action = FILTER, .offset = 1,
	  .size = 2 },
	{ .text = "filter,1/2", .action = FILTER, .offset = 1, .size = 2 },
	{ .text = "filter\n1/2", .action = FILTER, .offset = 1, .size = 2 },
	{ .text = "filter 0x10/0x20@/bin/true", .action = FILTER,
	  .offset = 0x10, .size = 0x20, .path = "/bin/true" },
	{ .text = "start 5@/x", .action = START, .offset = 5, .path = "/x" },
	{ .text = "start 5@relative", .action = START, .offset = 5,
	  .path = "relative" },
	{ .text = "start 5@@", .action = START, .offset = 5, .path = "@" },
	{ .text = "stop 1/2@/a/b@c/3", .action = STOP, .offset = 1, .size = 2,
	  .path = "/a/b@c/3" },
	{ .text = "stop 1/2@\t", .action = STOP, .offset = 1, .size = 2,
	  .path = "\t" },
	{ .text = "filter 1/2 start 3", .action = FILTER, .offset = 1,
	  .size = 2, .more = 1 },
	{ .text = "filter 1/2@/a,start 3@/b,stop 4@/b", .action = FILTER,
	  .offset = 1, .size = 2, .path = "/a", .more = 2 },
	{ .text = "start 007", .action = START, .offset = 7 },
};

struct filter_test_bad {
	const char	*text;
	int		err;
};

static const struct filter_test_bad filter_test_bad[] = {
	{ .text = "filter", .err = -EINVAL },
	{ .text = "filter ", .err = -EINVAL },
	{ .text = "filter 1", .err = -EINVAL },
	{ .text = "filter 1/0", .err = -EINVAL },
	{ .text = "filter 1@/bin/true", .err = -EINVAL },
	{ .text = "filter 1/", .err = -EINVAL },
	{ .text = "filter /2", .err = -EINVAL },
	{ .text = "filter 1/2/3", .err = -EINVAL },
	{ .text = "filter 1/2@", .err = -EINVAL },
	{ .text = "filter 1/@/bin/true", .err = -EINVAL },
	{ .text = "filter @/bin/true", .err = -EINVAL },
	{ .text = "filter /bin/true", .err = -EINVAL },
	{ .text = "filter 1 /2", .err = -EINVAL },
	{ .text = "filter -1/2", .err = -EINVAL },
	{ .text = "filter +1/2", .err = -EINVAL },
	{ .text = "filter 0x/2", .err = -EINVAL },
	{ .text = "filter 0xg/2", .err = -EINVAL },
	{ .text = "filter 08/2", .err = -EINVAL },
	{ .text = "filter 1a/2", .err = -EINVAL },
	{ .text = "filter 1/2x", .err = -EINVAL },
	{ .text = "filter 1:2", .err = -EINVAL },
	{ .text = "filter\t1/2", .err = -EINVAL },
	{ .text = "Filter 1/2", .err = -EINVAL },
	{ .text = "filters 1/2", .err = -EINVAL },
	{ .text = "filte 1/2", .err = -EINVAL },
	{ .text = "tracestop 1/2", .err = -EINVAL },
	{ .text = "1/2", .err = -EINVAL },
	{ .text = "filter filter", .err = -EINVAL },
	{ .text = "start stop 1", .err = -EINVAL },
	{ .text = "start 0x10000000000000000", .err = -ERANGE },
	{ .text = "start 18446744073709551616", .err = -ERANGE },
	{ .text = "start 02000000000000000000000", .err = -ERANGE },
	{ .text = "start 1/99999999999999999999", .err = -ERANGE },
	{ .text = "start 99999999999999999999@/a", .err = -ERANGE },
	{ .text = "start 99999999999999999999x", .err = -EINVAL },
	{ .text = "start 99999999999999999999/", .err = -EINVAL },
	{ .text = "start 1 2", .err = -EINVAL },
	{ .text = "start 1, 2", .err = -EINVAL },
	{ .text = "start 1; stop 2", .err = -EINVAL },
	{ .text = "start 1 stop", .err = -EINVAL },
	{ .text = "start 1 foo 2", .err = -EINVAL },
};

/* Return: number of filters, or the error of the first invalid one. */
static int filter_test_parse(const char *text)
{
	struct perf_filter_term term;
	int ret, nr = 0;

	while ((ret = perf_filter_next(&text, &term)) > 0)
		nr++;
	return ret ?: nr;
}

static void filter_test_expect_term(struct kunit *test,
				    const struct filter_test_good *c)
{
	const char *text = c->text;
	struct perf_filter_term term;

	KUNIT_ASSERT_EQ_MSG(test, perf_filter_next(&text, &term), 1, "%s",
			    c->text);
	KUNIT_EXPECT_EQ_MSG(test, term.action, c->action, "%s", c->text);
	KUNIT_EXPECT_EQ_MSG(test, term.offset, c->offset, "%s", c->text);
	KUNIT_EXPECT_EQ_MSG(test, term.size, c->size, "%s", c->text);
	KUNIT_EXPECT_EQ_MSG(test, !term.path, !c->path, "%s", c->text);
	if (term.path && c->path) {
		KUNIT_EXPECT_EQ_MSG(test, term.path_len, strlen(c->path), "%s",
				    c->text);
		KUNIT_EXPECT_FALSE_MSG(test, memcmp(term.path, c->path,
						    term.path_len),
				       "%s", c->text);
	}
	KUNIT_EXPECT_EQ_MSG(test, filter_test_parse(c->text), c->more + 1, "%s",
			    c->text);
}

static void filter_test_good_texts(struct kunit *test)
{
	for (int i = 0; i < ARRAY_SIZE(filter_test_good); i++)
		filter_test_expect_term(test, &filter_test_good[i]);
	KUNIT_EXPECT_EQ(test, filter_test_parse(""), 0);
	KUNIT_EXPECT_EQ(test, filter_test_parse(" ,\n"), 0);
}

static void filter_test_bad_texts(struct kunit *test)
{
	for (int i = 0; i < ARRAY_SIZE(filter_test_bad); i++)
		KUNIT_EXPECT_EQ_MSG(test,
				    filter_test_parse(filter_test_bad[i].text),
				    filter_test_bad[i].err, "%s",
				    filter_test_bad[i].text);
}

static const char * const filter_test_pieces[] = {
	"filter", "start", "stop", " ", ",", "\n", "/", "@", "0x", "0", "1", "7",
	"8", "f", "x", "/bin/true", "99999999999999999999", "\x80", "-", "+",
	"18446744073709551615",
};

/* Pieces of filters in any order. */
static void filter_test_random_text(struct rnd_state *rnd, char *text)
{
	unsigned int words = prandom_u32_state(rnd) % 16;

	text[0] = '\0';
	while (words--)
		strlcat(text,
			filter_test_pieces[prandom_u32_state(rnd) %
					   ARRAY_SIZE(filter_test_pieces)],
			FUZZ_LEN);
}

/* Return: what is wrong with a filter that was found in @text, or NULL. */
static const char *filter_test_check_term(const char *text, const char *rest,
					  const struct perf_filter_term *term)
{
	const char *end = text + strlen(text);

	if (rest <= text || rest > end)
		return "goes on elsewhere";
	if (term->action == FILTER && !term->size)
		return "no size";
	if (!term->path)
		return NULL;
	if (!term->path_len || term->path < text ||
	    term->path + term->path_len != rest)
		return "path elsewhere";
	return memchr(term->path, ' ', term->path_len) ? "path has a space" :
							 NULL;
}

/* The text ends where its memory ends, so that KASAN sees an overrun. */
static void filter_test_fuzz_one(struct kunit *test, const char *random)
{
	struct perf_filter_term term;
	const char *at, *from, *wrong = NULL;
	size_t size = strlen(random) + 1;
	char *text;
	int ret;

	text = kunit_kmalloc(test, size, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, text);
	memcpy(text, random, size);
	at = text;
	do {
		from = at;
		ret = perf_filter_next(&at, &term);
		if (ret > 0 && !wrong)
			wrong = filter_test_check_term(from, at, &term);
	} while (ret > 0);
	if (ret && ret != -EINVAL && ret != -ERANGE)
		wrong = "error";
	if (wrong)
		KUNIT_FAIL(test, "%s: \"%s\", %d", wrong, text, ret);
	kunit_kfree(test, text);
}

static void filter_test_fuzz(struct kunit *test)
{
	struct rnd_state rnd;
	char text[FUZZ_LEN];

	fake_pmu_seed(test, &rnd);
	for (int i = 0; i < NR_FUZZ; i++) {
		filter_test_random_text(&rnd, text);
		filter_test_fuzz_one(test, text);
	}
}

/* The lists that the PMU is given. */

/* The last list that the driver saw. */
static struct {
	unsigned int			syncs;
	/* Of these: calls without the lock that protects the list. */
	unsigned int			unlocked;
	unsigned int			nr;
	struct perf_addr_filter_range	range[NR_FILTERS];
	enum perf_addr_filter_action_t	action[NR_FILTERS];
} filter_test_seen;

/* The error with which the driver refuses a list. */
static int filter_test_verdict;

static int filter_test_validate(struct list_head *filters)
{
	return filter_test_verdict;
}

static void filter_test_sync(struct perf_event *event)
{
	struct perf_addr_filters_head *head = perf_event_addr_filters(event);
	struct perf_addr_filter *filter;

	lockdep_assert_held(&head->lock);
	filter_test_seen.syncs++;
	filter_test_seen.unlocked += !raw_spin_is_locked(&head->lock);
	filter_test_seen.nr = 0;
	list_for_each_entry(filter, &head->list, entry) {
		filter_test_seen.range[filter_test_seen.nr] =
			event->addr_filter_ranges[filter_test_seen.nr];
		filter_test_seen.action[filter_test_seen.nr++] = filter->action;
	}
}

static void (*filter_test_fake_start)(struct perf_event *event, int flags);
static void (*filter_test_fake_stop)(struct perf_event *event, int flags);
static int (*filter_test_fake_add)(struct perf_event *event, int flags);

static void filter_test_start(struct perf_event *event, int flags)
{
	perf_event_addr_filters_sync(event);
	filter_test_fake_start(event, flags);
}

static int filter_test_add(struct perf_event *event, int flags)
{
	if (flags & PERF_EF_START)
		perf_event_addr_filters_sync(event);
	return filter_test_fake_add(event, flags);
}

static int filter_test_suite_init(struct kunit_suite *suite)
{
	int err = fake_pmu_register(&fake, "kunit_addr_filter");

	if (err)
		return err;
	filter_test_fake_start = fake.pmu.start;
	filter_test_fake_add = fake.pmu.add;
	fake.pmu.start = filter_test_start;
	fake.pmu.add = filter_test_add;
	fake.pmu.nr_addr_filters = NR_FILTERS;
	fake.pmu.addr_filters_validate = filter_test_validate;
	fake.pmu.addr_filters_sync = filter_test_sync;
	return 0;
}

static void filter_test_suite_exit(struct kunit_suite *suite)
{
	fake_pmu_unregister(&fake);
}

static void filter_test_check_idle(void *test)
{
	fake_pmu_expect_idle(test, &fake);
}

static int filter_test_init(struct kunit *test)
{
	fake_pmu_reset(&fake, FAKE_PMU_COUNTERS, 1000);
	memset(&filter_test_seen, 0, sizeof(filter_test_seen));
	filter_test_verdict = 0;
	return kunit_add_action(test, filter_test_check_idle, test);
}

static struct perf_event *filter_test_open(struct kunit *test)
{
	const struct fake_pmu_spec spec = {
		.cpu = cpumask_first(cpu_online_mask),
	};

	return fake_pmu_open(test, &fake, &spec);
}

static void filter_test_expect_seen(struct kunit *test, unsigned int n,
				    enum perf_addr_filter_action_t action,
				    unsigned long start, unsigned long size)
{
	KUNIT_ASSERT_GT(test, filter_test_seen.nr, n);
	KUNIT_EXPECT_EQ(test, filter_test_seen.action[n], action);
	KUNIT_EXPECT_EQ(test, filter_test_seen.range[n].start, start);
	KUNIT_EXPECT_EQ(test, filter_test_seen.range[n].size, size);
}

/* An active event is restarted, and the driver sees the new list. */
static void filter_test_set(struct kunit *test)
{
	static const char several[] = "filter 4096/256, stop 0x1080 start 0x10";
	struct perf_event *event = filter_test_open(test);
	unsigned int syncs;

	KUNIT_EXPECT_EQ(test, perf_addr_filter_set(event, several), 0);
	KUNIT_EXPECT_EQ(test, filter_test_seen.nr, 3);
	filter_test_expect_seen(test, 0, FILTER, 0x1000, 0x100);
	filter_test_expect_seen(test, 1, STOP, 0x1080, 0);
	filter_test_expect_seen(test, 2, START, 0x10, 0);

	KUNIT_EXPECT_EQ(test, filter_test_seen.unlocked, 0);

	/* The driver does not get an unchanged list again. */
	syncs = filter_test_seen.syncs;
	perf_event_disable(event);
	perf_event_enable(event);
	KUNIT_EXPECT_EQ(test, filter_test_seen.syncs, syncs);

	KUNIT_EXPECT_EQ(test, perf_addr_filter_set(event, ""), 0);
	KUNIT_EXPECT_EQ(test, filter_test_seen.nr, 0);
}

/* An event that is disabled gets the list when it is started. */
static void filter_test_set_off(struct kunit *test)
{
	struct perf_event *event = filter_test_open(test);

	perf_event_disable(event);
	KUNIT_EXPECT_EQ(test, perf_addr_filter_set(event, "stop 7/8"), 0);
	KUNIT_EXPECT_EQ(test, filter_test_seen.nr, 0);
	perf_event_enable(event);
	filter_test_expect_seen(test, 0, STOP, 7, 8);
}

/* When the driver refuses a list, the old one stays in place. */
static void filter_test_refused(struct kunit *test)
{
	static const char too_many[] = "stop 1,stop 2,stop 3,stop 4,stop 5";
	struct perf_event *event = filter_test_open(test);

	KUNIT_ASSERT_EQ(test, perf_addr_filter_set(event, "stop 7/8"), 0);
	KUNIT_EXPECT_EQ(test, perf_addr_filter_set(event, "stop 1 stop"),
			-EINVAL);
	KUNIT_EXPECT_EQ(test, perf_addr_filter_set(event, "stop 1@/init"),
			-EOPNOTSUPP);
	KUNIT_EXPECT_EQ(test, perf_addr_filter_set(event, too_many),
			-EOPNOTSUPP);
	filter_test_verdict = -EBUSY;
	KUNIT_EXPECT_EQ(test, perf_addr_filter_set(event, "stop 1"), -EBUSY);
	perf_event_disable(event);
	perf_event_enable(event);
	KUNIT_EXPECT_EQ(test, filter_test_seen.nr, 1);
	filter_test_expect_seen(test, 0, STOP, 7, 8);
}

/* The core does not ask a PMU that has no filters, or does not want to know. */
static void filter_test_none(struct kunit *test)
{
	struct perf_event *event = filter_test_open(test);

	KUNIT_ASSERT_EQ(test, perf_addr_filter_set(event, "stop 7/8"), 0);
	perf_event_disable(event);
	event->hw.addr_filters_gen--;
	filter_test_seen.syncs = 0;
	fake.pmu.nr_addr_filters = 0;
	perf_event_enable(event);
	KUNIT_EXPECT_EQ(test, filter_test_seen.syncs, 0);
	perf_event_disable(event);
	fake.pmu.nr_addr_filters = NR_FILTERS;
	fake.pmu.addr_filters_sync = NULL;
	perf_event_enable(event);
	KUNIT_EXPECT_EQ(test, filter_test_seen.syncs, 0);
	perf_event_disable(event);
	fake.pmu.addr_filters_sync = filter_test_sync;
	perf_event_enable(event);
	KUNIT_EXPECT_EQ(test, filter_test_seen.syncs, 1);
}

/* The tick starts a throttled event, and the driver asks for the list then. */
static void filter_test_throttled(struct kunit *test)
{
	struct perf_event *event = filter_test_open(test);
	int stops = fake_pmu_calls(&fake, FAKE_STOP);

	WRITE_ONCE(event->hw.interrupts, MAX_INTERRUPTS);
	KUNIT_EXPECT_EQ(test, perf_addr_filter_set(event, "stop 7/8"), 0);
	KUNIT_EXPECT_EQ(test, fake_pmu_calls(&fake, FAKE_STOP), stops);
	KUNIT_EXPECT_EQ(test, filter_test_seen.nr, 0);
	WRITE_ONCE(event->hw.interrupts, 0);
}

/* Like a driver whose interrupt comes just before the stop. */
static void filter_test_late_stop(struct perf_event *event, int flags)
{
	WRITE_ONCE(event->hw.interrupts, MAX_INTERRUPTS);
	filter_test_fake_stop(event, flags);
}

static void filter_test_throttled_late(struct kunit *test)
{
	struct perf_event *event = filter_test_open(test);
	int starts = fake_pmu_calls(&fake, FAKE_START);

	filter_test_fake_stop = fake.pmu.stop;
	fake.pmu.stop = filter_test_late_stop;
	KUNIT_EXPECT_EQ(test, perf_addr_filter_set(event, "stop 7/8"), 0);
	fake.pmu.stop = filter_test_fake_stop;
	KUNIT_EXPECT_EQ(test, fake_pmu_calls(&fake, FAKE_START), starts);
	WRITE_ONCE(event->hw.interrupts, 0);
}

/* A trace that was stopped because its buffer goes away is not started. */
static void filter_test_stays_stopped(struct kunit *test)
{
	struct perf_event *event = filter_test_open(test);
	int starts = fake_pmu_calls(&fake, FAKE_START);

	fake_pmu_trace(test, &fake);
	perf_counter_set_state(event, PERF_COUNTER_SAVED);
	KUNIT_EXPECT_EQ(test, perf_addr_filter_set(event, "stop 7/8"), 0);
	KUNIT_EXPECT_EQ(test, fake_pmu_calls(&fake, FAKE_START), starts);
}

/* Return: 0, or -ENOENT if the machine has none of these files. */
static int filter_test_set_file(struct perf_event *event)
{
	int err = perf_addr_filter_set(event, "filter 0/16@/init");

	return err == -ENOENT ?
	       perf_addr_filter_set(event, "filter 0/16@/bin/sh") : err;
}

/*
 * A filter of a file that is set while the event's task is being made is applied
 * when the fork is complete. This task has no memory, where the file could be
 * mapped: the event is only started again.
 */
static void filter_test_during_fork(struct kunit *test)
{
	const struct fake_pmu_spec spec = { .task = current, .cpu = -1 };
	struct perf_event *event = fake_pmu_open(test, &fake, &spec);
	struct perf_ctx *ctx = perf_event_ctx(event);
	int err, starts;

	ctx->forking = true;
	err = filter_test_set_file(event);
	ctx->forking = false;
	if (err == -ENOENT)
		kunit_skip(test, "there is no file");
	KUNIT_ASSERT_EQ(test, err, 0);
	KUNIT_EXPECT_TRUE(test, ctx->filters_late);

	ctx->forking = true;
	starts = fake_pmu_calls(&fake, FAKE_START);
	perf_addr_filter_fork(current);
	KUNIT_EXPECT_FALSE(test, ctx->forking);
	KUNIT_EXPECT_GT(test, fake_pmu_calls(&fake, FAKE_START), starts);
}

/* An exec restarts events with filters of files, and no others. */
static void filter_test_exec(struct kunit *test)
{
	const struct fake_pmu_spec spec = { .task = current, .cpu = -1 };
	struct perf_event *event = fake_pmu_open(test, &fake, &spec);
	struct perf_event *others[2];
	int err, starts;

	for (int i = 0; i < 2; i++) {
		others[i] = fake_pmu_open(test, &fake, &spec);
		KUNIT_EXPECT_EQ(test, perf_addr_filter_set(others[i], "stop 7/8"),
				0);
	}
	err = filter_test_set_file(event);
	if (err == -ENOENT)
		kunit_skip(test, "there is no file");
	KUNIT_ASSERT_EQ(test, err, 0);
	KUNIT_ASSERT_EQ(test, READ_ONCE(event->state), PERF_EVENT_STATE_ACTIVE);
	preempt_disable();
	starts = fake_pmu_calls(&fake, FAKE_START);
	perf_addr_filter_exec(perf_event_ctx(event));
	starts = fake_pmu_calls(&fake, FAKE_START) - starts;
	preempt_enable();
	KUNIT_EXPECT_EQ(test, starts, 1);
}

static struct kunit_case filter_test_cases[] = {
	KUNIT_CASE(filter_test_good_texts),
	KUNIT_CASE(filter_test_bad_texts),
	KUNIT_CASE(filter_test_fuzz),
	KUNIT_CASE(filter_test_set),
	KUNIT_CASE(filter_test_set_off),
	KUNIT_CASE(filter_test_refused),
	KUNIT_CASE(filter_test_throttled),
	KUNIT_CASE(filter_test_throttled_late),
	KUNIT_CASE(filter_test_stays_stopped),
	KUNIT_CASE(filter_test_none),
	KUNIT_CASE(filter_test_during_fork),
	KUNIT_CASE(filter_test_exec),
	{ }
};

static struct kunit_suite filter_test_suite = {
	.name		= "perf_addr_filter",
	.suite_init	= filter_test_suite_init,
	.suite_exit	= filter_test_suite_exit,
	.init		= filter_test_init,
	.test_cases	= filter_test_cases,
};

kunit_test_suite(filter_test_suite);
