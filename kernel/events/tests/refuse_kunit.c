// SPDX-License-Identifier: GPL-2.0
/* Tests of the room refuse: which refusals are noted, and of which task. */
#include <kunit/test.h>
#include <linux/bitmap.h>
#include <linux/completion.h>
#include <linux/kthread.h>

static const struct perf_event_attr refuse_test_attr = {
	.sample_type	= 0x30,
	.clockid	= 99,
	.sample_max_stack = 7,
	.inherit	= 1,
};

static int refuse_test_refuse(int err, u32 reason)
{
	return perf_refuse(err, PERF_FIELD(config), 0, reason);
}

/* Without a dry run there is only the errno. */
static void refuse_test_not_asked(struct kunit *test)
{
	struct perf_refusal refusal;

	KUNIT_EXPECT_EQ(test, refuse_test_refuse(-EINVAL, PERF_REASON_CLOCK),
			-EINVAL);
	perf_refuse_begin(&refusal, &refuse_test_attr);
	perf_refuse_end(&refusal, 0);
	KUNIT_EXPECT_EQ(test, refusal.reason, PERF_REASON_NONE);
	KUNIT_EXPECT_EQ(test, refusal.place, PERF_NOWHERE);
	refuse_test_refuse(-EINVAL, PERF_REASON_CLOCK);
	KUNIT_EXPECT_EQ(test, refusal.reason, PERF_REASON_NONE);
}

/* The first refusal counts, but any other errno replaces -ENOENT. */
static void refuse_test_first(struct kunit *test)
{
	struct perf_refusal refusal;

	perf_refuse_begin(&refusal, &refuse_test_attr);
	refuse_test_refuse(-ENOENT, PERF_REASON_NO_PMU);
	refuse_test_refuse(-ENOENT, PERF_REASON_NO_EVENT);
	KUNIT_EXPECT_EQ(test, refusal.reason, PERF_REASON_NO_PMU);
	refuse_test_refuse(-EINVAL, PERF_REASON_CLOCK);
	refuse_test_refuse(-EINVAL, PERF_REASON_RATE);
	refuse_test_refuse(-EBUSY, PERF_REASON_PMU_BUSY);
	perf_refuse_end(&refusal, -EINVAL);
	KUNIT_EXPECT_EQ(test, refusal.error, -EINVAL);
	KUNIT_EXPECT_EQ(test, refusal.reason, PERF_REASON_CLOCK);
	KUNIT_EXPECT_EQ(test, refusal.place, PERF_FIELD(config));
}

/* A later refusal with the same errno may add the place to the reason. */
static void refuse_test_where_later(struct kunit *test)
{
	struct perf_refusal refusal;

	perf_refuse_begin(&refusal, &refuse_test_attr);
	perf_refuse(-EACCES, PERF_NOWHERE, 0, PERF_REASON_PARANOID);
	perf_refuse(-EINVAL, PERF_FIELD(clockid), 0, PERF_REASON_CLOCK);
	KUNIT_EXPECT_EQ(test, refusal.place, PERF_NOWHERE);
	perf_refuse(-EACCES, PERF_FIELD(sample_type), 0x10, PERF_REASON_OTHER);
	perf_refuse_end(&refusal, -EACCES);
	KUNIT_EXPECT_EQ(test, refusal.reason, PERF_REASON_PARANOID);
	KUNIT_EXPECT_EQ(test, refusal.place, PERF_FIELD(sample_type));
	KUNIT_EXPECT_EQ(test, refusal.must_clear, 0x10);
	KUNIT_EXPECT_EQ(test, refusal.must_set, 0);
}

/* An errno for which no reason was noted has no explanation. */
static void refuse_test_other(struct kunit *test)
{
	struct perf_refusal refusal;

	perf_refuse_begin(&refusal, &refuse_test_attr);
	refuse_test_refuse(-EINVAL, PERF_REASON_CLOCK);
	perf_refuse_end(&refusal, -EIO);
	KUNIT_EXPECT_EQ(test, refusal.error, -EIO);
	KUNIT_EXPECT_EQ(test, refusal.reason, PERF_REASON_OTHER);
	KUNIT_EXPECT_EQ(test, refusal.place, PERF_NOWHERE);

	perf_refuse_begin(&refusal, &refuse_test_attr);
	perf_refuse_end(&refusal, -ENOMEM);
	KUNIT_EXPECT_EQ(test, refusal.reason, PERF_REASON_MEMORY);
}

static void refuse_test_expect_bits(struct kunit *test, u32 place, u64 bits,
				    u64 must_clear, u64 must_set)
{
	struct perf_refusal refusal;

	perf_refuse_begin(&refusal, &refuse_test_attr);
	perf_refuse(-EINVAL, place, bits, PERF_REASON_CONFLICT);
	perf_refuse_end(&refusal, -EINVAL);
	KUNIT_EXPECT_EQ(test, refusal.must_clear, must_clear);
	KUNIT_EXPECT_EQ(test, refusal.must_set, must_set);
	KUNIT_EXPECT_EQ(test, refusal.limit, 0);
}

/* The bits to clear are those that are set; if none is, all must be set. */
static void refuse_test_which_bits(struct kunit *test)
{
	refuse_test_expect_bits(test, PERF_FIELD(sample_type), 0x70, 0x30, 0);
	refuse_test_expect_bits(test, PERF_FIELD(sample_type), 0x0f, 0, 0x0f);
	refuse_test_expect_bits(test, PERF_FIELD(clockid), ~0ULL, 99, 0);
	refuse_test_expect_bits(test, PERF_FIELD(sample_max_stack), ~0ULL, 7,
				0);
	refuse_test_expect_bits(test, PERF_FIELD_FLAGS, ~0ULL,
				PERF_ATTR_INHERIT, 0);
	refuse_test_expect_bits(test, PERF_ARGUMENT(FLAGS), 0x10, 0x10, 0);
}

/* A hint of what would help besides, and a limit that was exceeded. */
static void refuse_test_what_helps(struct kunit *test)
{
	const struct perf_refuse_hint hint = { .bits = 0x10, .needs = 0x700 };
	struct perf_refusal refusal;

	perf_refuse_begin(&refusal, &refuse_test_attr);
	KUNIT_EXPECT_TRUE(test, perf_refuse_is_asked());
	perf_refuse_note(-EINVAL, PERF_FIELD(sample_type), &hint,
			 PERF_REASON_REQUIRES, NULL);
	perf_refuse_end(&refusal, -EINVAL);
	KUNIT_EXPECT_EQ(test, refusal.must_clear, 0x10);
	KUNIT_EXPECT_EQ(test, refusal.must_set, 0x700);
	KUNIT_EXPECT_FALSE(test, perf_refuse_is_asked());

	perf_refuse_begin(&refusal, &refuse_test_attr);
	perf_refuse_above(-EINVAL, PERF_FIELD(sample_freq), 4000,
			  PERF_REASON_RATE);
	perf_refuse_end(&refusal, -EINVAL);
	KUNIT_EXPECT_EQ(test, refusal.must_clear, 0);
	KUNIT_EXPECT_EQ(test, refusal.must_set, 0);
	KUNIT_EXPECT_EQ(test, refusal.limit, 4000);
}

/* The words of a driver. */
static void refuse_test_words(struct kunit *test)
{
	struct perf_refusal refusal;

	perf_refuse_begin(&refusal, &refuse_test_attr);
	perf_refuse_because(-EINVAL, PERF_FIELD(config1), 1, "no such filter");
	perf_refuse_because(-EINVAL, PERF_FIELD(config2), 1, "too late");
	perf_refuse_end(&refusal, -EINVAL);
	KUNIT_EXPECT_EQ(test, refusal.reason, PERF_REASON_PMU);
	KUNIT_EXPECT_EQ(test, refusal.place, PERF_FIELD(config1));
	KUNIT_EXPECT_STREQ(test, perf_refuse_text(&refusal), "no such filter");

	perf_refuse_begin(&refusal, &refuse_test_attr);
	refuse_test_refuse(-EINVAL, PERF_REASON_RESERVED);
	perf_refuse_end(&refusal, -EINVAL);
	KUNIT_EXPECT_STREQ(test, perf_refuse_text(&refusal),
			   "reserved bits are set");
}

/* A number that is no reason has no text. */
static void refuse_test_no_words(struct kunit *test)
{
	struct perf_refusal refusal = { .reason = U32_MAX };

	KUNIT_EXPECT_STREQ(test, perf_refuse_text(&refusal), "");
}

struct refuse_test_other_task {
	struct completion	done;
	bool			asked;
};

static int refuse_test_other_task(void *arg)
{
	struct refuse_test_other_task *other = arg;

	other->asked = perf_refuse_is_asked();
	refuse_test_refuse(-EINVAL, PERF_REASON_CLOCK);
	complete(&other->done);
	while (!kthread_should_stop())
		schedule_timeout_interruptible(1);
	return 0;
}

/*
 * Refusals of another task are not noted, and no reason is requested from it.
 */
static void refuse_test_whose(struct kunit *test)
{
	struct perf_refusal refusal;
	struct refuse_test_other_task other = { };
	struct task_struct *task;

	init_completion(&other.done);
	perf_refuse_begin(&refusal, &refuse_test_attr);
	task = kthread_run(refuse_test_other_task, &other, "perf_refuse");
	if (!IS_ERR(task)) {
		/* A thread that is stopped before it runs does nothing. */
		wait_for_completion(&other.done);
		kthread_stop(task);
	}
	perf_refuse_end(&refusal, 0);
	KUNIT_ASSERT_FALSE(test, IS_ERR(task));
	KUNIT_EXPECT_EQ(test, refusal.reason, PERF_REASON_NONE);
	KUNIT_EXPECT_FALSE(test, other.asked);
	KUNIT_EXPECT_EQ(test, atomic_read(&refuse_watchers), 0);
}

/* Each text fits the caller's buffer. */
static void refuse_test_list(struct kunit *test)
{
	for (int i = 0; i < ARRAY_SIZE(refuse_texts); i++) {
		if (refuse_texts[i])
			KUNIT_EXPECT_LT(test, strlen(refuse_texts[i]),
					PERF_REFUSE_TEXT_MAX);
	}
	KUNIT_EXPECT_EQ(test, sizeof(struct perf_event_dry_run),
			PERF_DRY_RUN_SIZE_VER0);
}

static struct kunit_case refuse_test_cases[] = {
	KUNIT_CASE(refuse_test_not_asked),
	KUNIT_CASE(refuse_test_first),
	KUNIT_CASE(refuse_test_where_later),
	KUNIT_CASE(refuse_test_other),
	KUNIT_CASE(refuse_test_which_bits),
	KUNIT_CASE(refuse_test_what_helps),
	KUNIT_CASE(refuse_test_words),
	KUNIT_CASE(refuse_test_no_words),
	KUNIT_CASE(refuse_test_whose),
	KUNIT_CASE(refuse_test_list),
	{}
};

static struct kunit_suite refuse_suite = {
	.name		= "perf_refuse",
	.test_cases	= refuse_test_cases,
};

kunit_test_suite(refuse_suite);
