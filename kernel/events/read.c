// SPDX-License-Identifier: GPL-2.0
/*
 * Room "read": values of events, in the formats of read(2).
 *
 * Purpose: sums an event, or a group, over its inherited copies. If several CPUs
 * count them, all are asked at the same time (wave.c).
 *
 * Owns: nothing.
 *
 * Contexts: task.
 *
 * Locking: event->ctx->mutex keeps the group, child_mutex keeps the copies; a
 * copy's group is kept by its own context's lock while it is added up.
 *
 * Race, a group is read while its copies change:
 *  1. the leader's copies are listed, child_mutex is held;
 *  2. a sibling is opened or closed: parent and copies change one by one;
 *  3. generation and size of a copy differ from the parent's: the sum would
 *     mix counts of different events, and the read returns -ECHILD.
 *
 * Race, a read without ctx->mutex while perf_pmu_migrate_context() moves the
 * event to another CPU:
 *  1. under the lock of the old context the event is detached from it;
 *  2. event->ctx becomes the new context;
 *  3. under the lock of the new context the event is attached to it (a).
 * A reader holds one of these locks. If it finds the event attached, and
 * event->ctx is the context that it has locked, the event stays there.
 * Otherwise the reader takes the mutex.
 */
#include <linux/security.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include "clock.h"
#include "context.h"
#include "control.h"
#include "read.h"
#include "swap.h"

/* Values of one event at most: count, two times, id, lost samples. */
#define PERF_READ_WORDS		5

/* Values up to this size are read on the stack, if they can be read here. */
#define PERF_READ_HERE_WORDS	32

/**
 * perf_read_count() - get an event's count with that of its ended copies
 * @event: event; nothing is brought up to date
 *
 * Context: any.
 * Return: count.
 */
u64 perf_read_count(const struct perf_event *event)
{
	return local64_read(&event->count) + atomic64_read(&event->child_count);
}

static u64 perf_read_enabled(const struct perf_event *event)
{
	return READ_ONCE(event->total_time_enabled) +
	       atomic64_read(&event->child_total_time_enabled);
}

static u64 perf_read_running(const struct perf_event *event)
{
	return READ_ONCE(event->total_time_running) +
	       atomic64_read(&event->child_total_time_running);
}

/* The sum over an event and its copies. */
struct perf_read_sum {
	u64				count;
	struct perf_control_times	times;
};

struct perf_read_wave {
	struct perf_wave	wave;
	struct perf_read_sum	*sum;
};

static void perf_read_ended(struct perf_wave *wave, const void *arg, int err)
{
	const struct perf_control_reading *reading = arg;
	struct perf_read_sum *sum;

	sum = container_of(wave, struct perf_read_wave, wave)->sum;
	sum->count += reading->count;
	sum->times.enabled += reading->times.enabled;
	sum->times.running += reading->times.running;
}

/* Reads the event, or its group, and its copies. */
static void perf_read_send_all(struct perf_wave *wave, unsigned int size,
			       struct perf_event *event, bool group)
{
	struct perf_event *child;

	lockdep_assert_held(&event->child_mutex);
	perf_wave_begin(wave, size);
	perf_control_read_wave(wave, event, group);
	list_for_each_entry(child, &event->child_list, child_list)
		perf_control_read_wave(wave, child, group);
	perf_wave_end(wave);
}

/* Out of line, since a wave is large and aligned. */
static noinline void perf_read_together(struct perf_event *event,
					struct perf_read_sum *sum,
					unsigned int size)
{
	struct perf_read_wave read __uninitialized;

	*sum = (struct perf_read_sum) { };
	read.sum = sum;
	read.wave.ended = perf_read_ended;
	perf_read_send_all(&read.wave, size, event, false);
}

static void perf_read_each(struct perf_event *event, struct perf_read_sum *sum)
{
	/* The results are filled in. */
	struct perf_control_reading reading __uninitialized;
	struct perf_event *child;

	reading.event = event;
	reading.group = false;
	perf_control_read_call(&reading);
	sum->count = reading.count;
	sum->times = reading.times;
	list_for_each_entry(child, &event->child_list, child_list) {
		reading.event = child;
		perf_control_read_call(&reading);
		/* Copies of copies are listed at the eldest: no child_count. */
		sum->count += reading.count;
		sum->times.enabled += reading.times.enabled;
		sum->times.running += reading.times.running;
	}
}

static u64 perf_read_with_copies(struct perf_event *event, u64 *enabled,
				 u64 *running)
{
	struct perf_read_sum sum __uninitialized;
	unsigned int size;

	guard(mutex)(&event->child_mutex);
	perf_swap_hold_counts(event);
	size = perf_wave_size(event);
	if (size > 1)
		perf_read_together(event, &sum, size);
	else
		perf_read_each(event, &sum);
	perf_swap_release_counts(event);
	*enabled = sum.times.enabled +
		   atomic64_read(&event->child_total_time_enabled);
	*running = sum.times.running +
		   atomic64_read(&event->child_total_time_running);
	return sum.count + atomic64_read(&event->child_count);
}

/**
 * perf_event_read_value() - read an event of a kernel user with its children
 * @event: event
 * @enabled: result: nanoseconds enabled
 * @running: result: nanoseconds active
 *
 * Context: task; takes ctx->mutex and child_mutex.
 * Return: count.
 */
u64 perf_event_read_value(struct perf_event *event, u64 *enabled, u64 *running)
{
	struct perf_ctx *ctx = perf_event_ctx_lock(event);
	u64 total = perf_read_with_copies(event, enabled, running);

	perf_event_ctx_unlock(event, ctx);
	return total;
}
EXPORT_SYMBOL_GPL(perf_event_read_value);

/* Return: the number of words; the caller passes the first three. */
static int perf_read_fill_single(const struct perf_event *event, u64 *values,
				 u64 count, u64 enabled, u64 running)
{
	u64 format = event->attr.read_format;
	int n = 0;

	values[n++] = count;
	if (format & PERF_FORMAT_TOTAL_TIME_ENABLED)
		values[n++] = enabled;
	if (format & PERF_FORMAT_TOTAL_TIME_RUNNING)
		values[n++] = running;
	if (format & PERF_FORMAT_ID)
		values[n++] = perf_event_eldest_id(event);
	if (format & PERF_FORMAT_LOST)
		values[n++] = atomic64_read(&event->lost_samples);
	return n;
}

static ssize_t perf_read_single(struct perf_event *event, u64 *values)
{
	u64 count, enabled, running;

	count = perf_read_with_copies(event, &enabled, &running);
	return perf_read_fill_single(event, values, count, enabled, running) *
	       sizeof(u64);
}

static u64 *perf_read_add_event(const struct perf_event *event, u64 format,
				u64 *value)
{
	*value++ += perf_read_count(event);
	if (format & PERF_FORMAT_ID)
		*value++ = perf_event_eldest_id(event);
	if (format & PERF_FORMAT_LOST)
		*value++ += atomic64_read(&event->lost_samples);
	return value;
}

static bool perf_read_same_shape(const struct perf_event *leader)
{
	const struct perf_event *parent = leader->parent;

	return !parent ||
	       (parent->group_generation == leader->group_generation &&
		parent->nr_siblings == leader->nr_siblings);
}

/* Events of a group run together, so the leader's times are those of all. */
static int perf_read_add_group_locked(struct perf_event *leader, u64 format,
				      u64 *value)
{
	struct perf_event *sibling;

	lockdep_assert_held(&perf_event_ctx(leader)->lock);
	if (!perf_read_same_shape(leader))
		return -ECHILD;
	if (format & PERF_FORMAT_TOTAL_TIME_ENABLED)
		*value++ += perf_read_enabled(leader);
	if (format & PERF_FORMAT_TOTAL_TIME_RUNNING)
		*value++ += perf_read_running(leader);
	value = perf_read_add_event(leader, format, value);
	for_each_sibling_event(sibling, leader)
		value = perf_read_add_event(sibling, format, value);
	return 0;
}

static int perf_read_add_group(struct perf_event *leader, u64 format,
			       u64 *values)
{
	guard(raw_spinlock_irqsave)(&perf_event_ctx(leader)->lock);
	/* The number of events comes before their values. */
	return perf_read_add_group_locked(leader, format, values + 1);
}

/* Groups that are brought up to date in a wave. */
struct perf_read_groups {
	struct perf_wave		wave;
	int				err;
};

static void perf_read_group_ended(struct perf_wave *wave, const void *arg,
				  int err)
{
	struct perf_read_groups *groups;

	groups = container_of(wave, struct perf_read_groups, wave);
	if (err)
		groups->err = err;
}

static int perf_read_update_each(struct perf_event *leader)
{
	int err = perf_control_read_group(leader), ret;
	struct perf_event *child;

	list_for_each_entry(child, &leader->child_list, child_list) {
		ret = perf_control_read_group(child);
		if (ret)
			err = ret;
	}
	return err;
}

static noinline int perf_read_update_together(struct perf_event *leader,
					      unsigned int size)
{
	struct perf_read_groups groups __uninitialized;

	groups.err = 0;
	groups.wave.ended = perf_read_group_ended;
	perf_read_send_all(&groups.wave, size, leader, true);
	return groups.err;
}

static int perf_read_update_groups(struct perf_event *leader)
{
	unsigned int size = perf_wave_size(leader);

	return size > 1 ? perf_read_update_together(leader, size) :
			  perf_read_update_each(leader);
}

static int perf_read_add_copies(struct perf_event *leader, u64 format,
				u64 *values)
{
	struct perf_event *child;
	int err;

	lockdep_assert_held(&leader->child_mutex);
	err = perf_read_update_groups(leader) ?:
	      perf_read_add_group(leader, format, values);
	if (err)
		return err;
	list_for_each_entry(child, &leader->child_list, child_list) {
		err = perf_read_add_group(child, format, values);
		if (err)
			return err;
	}
	return 0;
}

static int perf_read_add_groups(struct perf_event *leader, u64 format,
				u64 *values)
{
	int err;

	guard(mutex)(&leader->child_mutex);
	perf_swap_hold_counts(leader);
	err = perf_read_add_copies(leader, format, values);
	perf_swap_release_counts(leader);
	return err;
}

/* The caller frees *@values, also after an error. */
static ssize_t perf_read_group(struct perf_event *event, u64 **values)
{
	struct perf_event *leader = event->group_leader;
	int err;

	*values = kzalloc(event->read_size, GFP_KERNEL);
	if (!*values)
		return -ENOMEM;
	(*values)[0] = leader->nr_siblings + 1;
	err = perf_read_add_groups(leader, event->attr.read_format, *values);
	return err ?: event->read_size;
}

/* The values are in @single, or in *@group, which the caller frees. */
static ssize_t perf_read_mutexed(struct perf_event *event, u64 *single,
				 u64 **group, size_t count)
{
	lockdep_assert_held(&perf_event_ctx(event)->mutex);
	if (perf_event_is_revoked(event))
		return -ENODEV;
	/* A pinned event that does not fit has no values. */
	if (event->state == PERF_EVENT_STATE_ERROR)
		return 0;
	if (count < event->read_size)
		return -ENOSPC;
	if (event->attr.read_format & PERF_FORMAT_GROUP)
		return perf_read_group(event, group);
	return perf_read_single(event, single);
}

/* See the second race. */
static bool perf_read_is_attached_locked(const struct perf_event *event,
					 const struct perf_ctx *ctx)
{
	lockdep_assert_held(&ctx->lock);
	/* (a) pairs with the release in perf_ctx_add_event_locked() */
	return smp_load_acquire(&event->attach_state) & PERF_ATTACH_CONTEXT &&
	       perf_event_ctx(event) == ctx;
}

/* Return: false if perf_read_slowly() has to read the event. */
static bool perf_read_here_locked(struct perf_event *event,
				  struct perf_ctx *ctx, u64 *values)
{
	struct perf_event *leader = event->group_leader;
	u64 format = event->attr.read_format;

	lockdep_assert_held(&ctx->lock);
	perf_ctx_clock_update_locked(ctx);
	if (format & PERF_FORMAT_GROUP) {
		if (leader->attr.inherit ||
		    !perf_read_is_attached_locked(leader, ctx))
			return false;
		memset(values, 0, event->read_size);
		values[0] = leader->nr_siblings + 1;
		return !perf_control_read_group_locked(leader) &&
		       !perf_read_add_group_locked(leader, format, values + 1);
	}
	perf_control_read_locked(event);
	perf_read_fill_single(event, values, perf_read_count(event),
			      event->total_time_enabled,
			      event->total_time_running);
	return true;
}

/*
 * An event without copies whose context is loaded here or nowhere needs no
 * mutex.
 * Return: bytes of @values; 0 if perf_read_slowly() has to read the event, or
 * to return an error.
 */
static size_t perf_read_here(struct perf_event *event, u64 *values, size_t size)
{
	struct perf_ctx *ctx;
	int cpu;

	if (event->attr.inherit)
		return 0;
	/* With interrupts off RCU keeps a context that the event leaves. */
	guard(irq)();
	ctx = perf_ctx_of(READ_ONCE(event->ctx));
	guard(raw_spinlock)(&ctx->lock);
	cpu = ctx->loaded_cpu;
	if (!perf_read_is_attached_locked(event, ctx) ||
	    event->read_size > size ||
	    event->state < PERF_EVENT_STATE_OFF ||
	    (cpu != PERF_CPU_NONE && cpu != smp_processor_id()))
		return 0;
	return perf_read_here_locked(event, ctx, values) ? event->read_size : 0;
}

/*
 * Out of line, so that perf_read() saves fewer registers. The mutex is not held
 * while the values are copied: the copy may fault, and a fault may take as long
 * as the program that handles it likes. Exits and forks of a whole family wait
 * for this mutex.
 */
static noinline ssize_t perf_read_slowly(struct perf_event *event,
					 char __user *buf, size_t count)
{
	u64 *group __free(kfree) = NULL;
	struct perf_ctx *ctx;
	ssize_t size;
	/* Only what was filled in is copied. */
	u64 single[PERF_READ_WORDS] __uninitialized;

	ctx = perf_event_ctx_lock(event);
	size = perf_read_mutexed(event, single, &group, count);
	perf_event_ctx_unlock(event, ctx);
	if (size > 0 && copy_to_user(buf, group ?: single, size))
		size = -EFAULT;
	return size;
}

/**
 * perf_read() - read the values of an event
 * @file: file of the event
 * @buf: destination
 * @count: its size in bytes
 * @ppos: not used: values have no position
 *
 * Context: task; takes ctx->mutex and child_mutex.
 * Return: bytes; 0 for an event in ERROR; -ENODEV when its PMU has gone;
 * -ENOSPC when @buf is too small for all values; -ECHILD when inherited groups
 * differ; -EFAULT, -ENOMEM; the errno of the security module, or of the PMU if
 * it cannot read the group.
 */
ssize_t perf_read(struct file *file, char __user *buf, size_t count,
		  loff_t *ppos)
{
	struct perf_event *event = file->private_data;
	/* Only bytes that were filled in are copied. */
	u64 values[PERF_READ_HERE_WORDS] __uninitialized;
	size_t size;
	int err;

	err = security_perf_event_read(event);
	if (err)
		return err;
	size = perf_read_here(event, values, min(count, sizeof(values)));
	if (!size)
		return perf_read_slowly(event, buf, count);
	return copy_to_user(buf, values, size) ? -EFAULT : size;
}

/**
 * perf_read_is_hup() - check whether an event has nothing left to count
 * @event: event
 *
 * Context: task; takes child_mutex.
 * Return: true when its task has exited or its PMU has gone, and no inherited
 * copy is left; false for an event that ended with its CPU: perf(1) polls all its
 * events in one call, which would always return at once.
 */
bool perf_read_is_hup(struct perf_event *event)
{
	enum perf_event_state state = READ_ONCE(event->state);

	if (state > PERF_EVENT_STATE_EXIT)
		return false;
	if (state == PERF_EVENT_STATE_EXIT &&
	    !(event->attach_state & PERF_ATTACH_TASK))
		return false;
	guard(mutex)(&event->child_mutex);
	return list_empty(&event->child_list);
}
