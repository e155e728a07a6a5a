// SPDX-License-Identifier: GPL-2.0
/*
 * Room "random": periods that are drawn at random.
 *
 * Purpose: PERF_EVENT_IOC_RANDOM_PERIOD, for an event and its inherited copies.
 * The draws themselves are in random_draw.h; the code that ends a period makes them.
 *
 * Owns: hw.random_*, which share memory with the fields of frequency mode.
 *
 * Contexts: task. The event is changed where its context is loaded.
 *
 * Lifetime: the state is a few words of the event.
 *
 * Locking: ctx->lock on the event's CPU to set them, while the event does not
 * count; then they change in that CPU's overflows. The eldest's child_mutex for
 * hw.random_children.
 *
 * Race: a fork against the ioctl.
 *  1. The ioctl has the eldest's child_mutex: it numbers the copies on the
 *     list from 1.
 *  2. If a fork had the mutex before, its copy is on the list. If it gets the
 *     mutex later, it finds the eldest changed, and takes the next number.
 */
#include "context.h"
#include "control.h"
#include "random.h"
#include "remote.h"

struct perf_random_args {
	struct perf_event	*event;
	u32			key;
	u32			share;
};

/*
 * A copy must not draw the same periods as another copy or the eldest. Each
 * step is invertible, so different numbers have different results. Only 0,
 * which is no copy's number, has the result 0.
 */
static u32 perf_random_child_key(u32 key, u32 number)
{
	number = (number ^ number >> 16) * 0x85ebca6b;
	number = (number ^ number >> 13) * 0xc2b2ae35;
	return key ^ number ^ number >> 16;
}

static void perf_random_assign(const struct perf_random_args *args)
{
	struct hw_perf_event *hwc = &args->event->hw;

	hwc->random_key = args->key;
	hwc->random_seq = 0;
	hwc->random_share = args->share;
	hwc->random_fresh = false;
	hwc->random_children = 0;
	/* The caller begins a new period, and draws it if it has to. */
	hwc->sample_period = args->event->attr.sample_period;
}

static void perf_random_change(struct perf_event *event, void *arg)
{
	perf_random_assign(arg);
}

static int perf_random_set_remote(struct perf_ctx *ctx,
				  struct perf_cpu_context *cpuctx, void *arg)
{
	struct perf_random_args *args = arg;

	perf_control_new_period_locked(args->event, perf_random_change, args);
	return 0;
}

static void perf_random_set_one(struct perf_event *event, u32 key, u32 share)
{
	struct perf_random_args args = {
		.event	= event,
		.key	= key,
		.share	= share,
	};

	perf_ctx_call(perf_event_ctx(event), perf_random_set_remote, &args);
}

static int perf_random_check(struct perf_event *event,
			     const struct perf_event_random_period *how)
{
	if (how->flags || how->reserved ||
	    how->share > PERF_RANDOM_PERIOD_SHARE_MAX)
		return -EINVAL;
	if (!is_sampling_event(event) || event->attr.freq)
		return -EINVAL;
	if (event->attr.precise_ip || has_aux(event))
		return -EOPNOTSUPP;
	return perf_control_check_period(event, event->attr.sample_period,
					 perf_random_units(how->share));
}

/**
 * perf_random_set() - turn random periods of an event and its copies on or off
 * @event: event that was opened
 * @how: share and seed
 *
 * Context: task, ctx->mutex; takes child_mutex.
 * Return: 0; -EINVAL for bad arguments, for an event without fixed period, or
 * for periods that the PMU refuses; -EOPNOTSUPP for hardware that begins
 * periods by itself.
 */
int perf_random_set(struct perf_event *event,
		    const struct perf_event_random_period *how)
{
	u32 share = perf_random_units(how->share);
	u32 key = perf_random_mix(how->seed);
	struct perf_event *child;
	u32 number = 0;
	int err;

	lockdep_assert_held(&perf_event_ctx(event)->mutex);
	err = perf_random_check(event, how);
	if (err)
		return err;
	guard(mutex)(&event->child_mutex);
	perf_control_forget_passed(event);
	perf_random_set_one(event, key, share);
	list_for_each_entry(child, &event->child_list, child_list)
		perf_random_set_one(child, perf_random_child_key(key, ++number),
				    share);
	event->hw.random_children = number;
	event->random_asked = how->share;
	event->random_seed = how->seed;
	return 0;
}

/**
 * perf_random_get() - get the arguments of the last perf_random_set()
 * @event: event that was opened
 * @how: result, except for its size
 *
 * Context: task; takes child_mutex.
 */
void perf_random_get(struct perf_event *event,
		     struct perf_event_random_period *how)
{
	guard(mutex)(&event->child_mutex);
	how->flags = 0;
	how->share = event->random_asked;
	how->reserved = 0;
	how->seed = event->random_seed;
}

/**
 * perf_random_inherit() - give a new copy the random periods of its eldest
 * @copy: an inherited event that is about to be listed
 *
 * Context: task, the eldest's child_mutex.
 */
void perf_random_inherit(struct perf_event *copy)
{
	struct perf_event *eldest = copy->parent;
	struct hw_perf_event *hwc = &eldest->hw;
	struct perf_random_args args = { .event = copy };

	lockdep_assert_held(&eldest->child_mutex);
	if (!perf_random_is_on(eldest))
		return;
	args.key = perf_random_child_key(hwc->random_key,
					 ++hwc->random_children);
	args.share = hwc->random_share;
	perf_random_assign(&args);
	perf_random_begin(copy);
}
