// SPDX-License-Identifier: GPL-2.0
/*
 * Room "dry_run": PERF_FLAG_DRY_RUN, perf_event_open(2) without an event.
 *
 * Purpose: reports what the call would return, which argument or field causes a
 * refusal and why, and whether the event would find counters. Checks report
 * their reasons by perf_refuse(). If a driver refuses without a reason, the
 * field is found by trials: the field is to blame if the event is accepted once
 * that field is zero. No denial of a trial is audited, because the caller has
 * not requested the events that are tried.
 *
 * Owns: nothing that outlives a call.
 *
 * Contexts: task; may sleep.
 *
 * Lifetime: one allocation for each call, freed with it. Events that are made
 * meanwhile belong to perf_open_try().
 *
 * Locking: none.
 *
 * Race: rights, leader or CPU change between the answer and the call that it is
 * about. The answer holds for the moment, and promises nothing.
 */
#include <linux/cpumask.h>
#include <linux/err.h>
#include <linux/hw_breakpoint.h>
#include <linux/init.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "attr.h"
#include "hooks.h"
#include "open.h"
#include "refuse.h"

struct dry_run {
	struct perf_event_dry_run	abi;
	struct perf_open_attempt	attempt;
	/* The original question, while others are tried. */
	pid_t				pid;
	int				cpu;
	int				group_fd;
	struct perf_event_attr		asked;
	struct perf_refusal		refusal;
	int				error;
	u32				fit_alone;
	u32				fit_beside;
};

struct dry_suspect {
	u32	place;
	u64	bits;
	/* The value of the bits in the trial. */
	u64	instead;
};

/* In the order in which they are tried. */
static const struct dry_suspect dry_suspects[] = {
	{ .place = PERF_FIELD_FLAGS, .bits = PERF_ATTR_PRECISE_IP },
	{ .place = PERF_FIELD(sample_type), .bits = PERF_SAMPLE_BRANCH_STACK },
	{ .place = PERF_FIELD(config3), .bits = ~0ULL },
	{ .place = PERF_FIELD(config2), .bits = ~0ULL },
	{ .place = PERF_FIELD(config1), .bits = ~0ULL },
	{ .place = PERF_FIELD(sample_period), .bits = ~0ULL },
	{ .place = PERF_FIELD_FLAGS, .bits = PERF_ATTR_EXCLUDE_SOME },
	{ .place = PERF_FIELD(config), .bits = ~0ULL },
};

/* Zero is no valid type or length; instructions have the length of a long. */
static const struct dry_suspect dry_breakpoint_suspects[] = {
	{ .place = PERF_FIELD(bp_addr), .bits = ~0ULL },
	{ .place = PERF_FIELD(bp_len), .bits = ~0ULL,
	  .instead = HW_BREAKPOINT_LEN_1 },
	{ .place = PERF_FIELD(bp_len), .bits = ~0ULL, .instead = sizeof(long) },
	{ .place = PERF_FIELD(bp_type), .bits = ~0U,
	  .instead = HW_BREAKPOINT_W },
};

static void dry_write_field(struct perf_event_attr *attr, u32 place, u64 value)
{
	void *field = (void *)attr + PERF_PLACE_OFFSET(place);

	if (PERF_PLACE_SIZE(place) == sizeof(u32))
		*(u32 *)field = value;
	else
		*(u64 *)field = value;
}

/* Restores the original question. */
static void dry_reset(struct dry_run *run)
{
	struct perf_open_attempt *attempt = &run->attempt;

	attempt->attr = run->asked;
	attempt->pid = run->pid;
	attempt->cpu = run->cpu;
	attempt->group_fd = run->group_fd;
}

/*
 * These functions return true if the event would be accepted without the
 * suspect.
 */

static bool dry_try_without(struct dry_run *run,
			    const struct dry_suspect *suspect)
{
	struct perf_event_attr *attr = &run->attempt.attr;
	u64 was, value;

	dry_reset(run);
	was = perf_refuse_read_field(attr, suspect->place);
	value = (was & ~suspect->bits) | suspect->instead;
	dry_write_field(attr, suspect->place, value);
	/* Nothing is tried if the field had that value already. */
	return value != was && !perf_open_try(&run->attempt);
}

static bool dry_try_without_group(struct dry_run *run)
{
	dry_reset(run);
	if (run->group_fd == -1)
		return false;
	run->attempt.group_fd = -1;
	return !perf_open_try(&run->attempt);
}

static bool dry_try_without_task(struct dry_run *run)
{
	dry_reset(run);
	if (run->pid == -1 || run->attempt.flags & PERF_FLAG_PID_CGROUP ||
	    !perf_attr_would_see_cpus())
		return false;
	run->attempt.pid = -1;
	if (run->attempt.cpu == -1)
		run->attempt.cpu = cpumask_first(cpu_online_mask);
	run->attempt.group_fd = -1;
	return !perf_open_try(&run->attempt);
}

/*
 * Reports the bits that must not be set; if there are none, the missing bits.
 */
static void dry_blame_field(struct dry_run *run,
			    const struct dry_suspect *suspect)
{
	u64 value = perf_refuse_read_field(&run->asked, suspect->place);

	run->refusal.place = suspect->place;
	run->refusal.must_clear = value & suspect->bits & ~suspect->instead;
	if (!run->refusal.must_clear)
		run->refusal.must_set = suspect->instead & ~value;
}

/* Return: true if it is one of the suspects. */
static bool dry_find_among(struct dry_run *run,
			   const struct dry_suspect *suspects, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (dry_try_without(run, &suspects[i])) {
			dry_blame_field(run, &suspects[i]);
			return true;
		}
	}
	return false;
}

/* Return: true if it is a field. */
static bool dry_find_field(struct dry_run *run)
{
	if (run->asked.type == PERF_TYPE_BREAKPOINT &&
	    dry_find_among(run, dry_breakpoint_suspects,
			   ARRAY_SIZE(dry_breakpoint_suspects)))
		return true;
	return dry_find_among(run, dry_suspects, ARRAY_SIZE(dry_suspects));
}

static void dry_find_culprit(struct dry_run *run)
{
	run->asked = run->attempt.attr;
	run->attempt.trial = true;
	if (dry_try_without_group(run)) {
		run->refusal.place = PERF_ARGUMENT(GROUP_FD);
		run->refusal.reason = PERF_REASON_GROUP_FIT;
		run->fit_alone = PERF_FIT_NO;
		run->fit_beside = PERF_FIT_NO;
	} else if (!dry_find_field(run) && dry_try_without_task(run)) {
		run->refusal.place = PERF_ARGUMENT(PID);
		run->refusal.reason = PERF_REASON_CPU_ONLY;
	}
}

/* If a driver gives a reason, that is the answer. */
static bool dry_is_unexplained(const struct dry_run *run)
{
	return run->refusal.place == PERF_NOWHERE && !run->refusal.text[0] &&
	       (run->refusal.reason == PERF_REASON_PMU ||
		run->refusal.reason == PERF_REASON_PMU_CANNOT);
}

static void dry_run_ask(struct dry_run *run)
{
	struct perf_open_attempt *attempt = &run->attempt;

	attempt->uattr = u64_to_user_ptr(run->abi.attr);
	attempt->pid = run->pid;
	attempt->cpu = run->cpu;
	attempt->group_fd = run->group_fd;

	perf_refuse_begin(&run->refusal, &attempt->attr);
	run->error = perf_open_try(attempt);
	perf_refuse_end(&run->refusal, run->error);

	if (!run->error) {
		run->fit_alone = attempt->fit.alone;
		run->fit_beside = attempt->fit.beside;
	} else if (dry_is_unexplained(run)) {
		dry_find_culprit(run);
	} else if (run->refusal.reason == PERF_REASON_GROUP_FIT) {
		run->fit_alone = PERF_FIT_NO;
		run->fit_beside = PERF_FIT_NO;
	} else if (run->refusal.reason == PERF_REASON_PMU_FULL) {
		run->fit_beside = PERF_FIT_NO;
	}
}

static void dry_run_answer(struct dry_run *run)
{
	const struct perf_refusal *refusal = &run->refusal;
	struct perf_event_dry_run *abi = &run->abi;

	abi->error = -run->error;
	abi->reason = refusal->reason;
	abi->where = PERF_PLACE_WHERE(refusal->place);
	abi->offset = PERF_PLACE_OFFSET(refusal->place);
	abi->length = PERF_PLACE_SIZE(refusal->place);
	abi->must_clear = refusal->must_clear;
	abi->must_set = refusal->must_set;
	abi->limit = refusal->limit;
	abi->fit_alone = run->fit_alone;
	abi->fit_beside = run->fit_beside;
}

static int dry_run_copy_text(const struct dry_run *run)
{
	char text[PERF_REFUSE_TEXT_MAX] = "";
	size_t room = run->abi.text_size;

	if (!room)
		return 0;
	room = min(room, sizeof(text));
	strscpy(text, perf_refuse_text(&run->refusal), room);
	if (copy_to_user(u64_to_user_ptr(run->abi.text), text,
			 strlen(text) + 1))
		return -EFAULT;
	return 0;
}

static int dry_run_copy_in(struct perf_event_dry_run *abi,
			   struct perf_event_dry_run __user *uabi)
{
	int err;

	BUILD_BUG_ON(sizeof(*abi) != PERF_DRY_RUN_SIZE_VER0);
	err = perf_ext_copy_in(abi, sizeof(*abi), uabi,
			       PERF_DRY_RUN_SIZE_VER0);
	if (err)
		return err;
	return abi->flags ? -EINVAL : 0;
}

static int dry_run(struct perf_event_dry_run __user *uabi, pid_t pid, int cpu,
		   int group_fd, unsigned long flags)
{
	struct dry_run *run __free(kvfree) = NULL;
	int err;

	run = kvzalloc(sizeof(*run), GFP_KERNEL);
	if (!run)
		return -ENOMEM;
	err = dry_run_copy_in(&run->abi, uabi);
	if (err)
		return err;
	run->pid = pid;
	run->cpu = cpu;
	run->group_fd = group_fd;
	run->attempt.flags = flags;

	dry_run_ask(run);
	/* This is the result of the call itself, not an answer. */
	if (run->error == -EINTR)
		return -EINTR;
	dry_run_answer(run);
	err = dry_run_copy_text(run);
	return err ?: perf_ext_copy_out(&run->abi, sizeof(run->abi), uabi);
}

static int __init dry_run_init(void)
{
	perf_hooks.dry_run = dry_run;
	return 0;
}
core_initcall(dry_run_init);
