// SPDX-License-Identifier: GPL-2.0
/*
 * Room "wave": calls to several contexts at the same time.
 *
 * Purpose: an operation on an event with inherited copies calls the contexts
 * of all copies. Those that are loaded on other CPUs are called without
 * waiting, so that these CPUs work at the same time. When all calls have been
 * sent, the caller waits for one after the other.
 *
 * Owns: nothing.
 *
 * Contexts: callers are tasks that may sleep.
 *
 * Lifetime: a wave is on the caller's stack. It has memory for as many calls as
 * there are copies in contexts that are loaded elsewhere, but not more than CPUs.
 * With less memory, or when contexts have been loaded meanwhile, it waits earlier.
 *
 * Locking: as for perf_ctx_call(); the caller holds what keeps the copies and
 * their contexts from the beginning to the end of the wave.
 */
#include <linux/cpumask.h>
#include <linux/slab.h>
#include <linux/string.h>
#include "context.h"
#include "wave.h"

static bool perf_wave_is_elsewhere(const struct perf_event *event)
{
	int cpu = READ_ONCE(perf_event_ctx(event)->loaded_cpu);

	return cpu != PERF_CPU_NONE && cpu != raw_smp_processor_id();
}

/**
 * perf_wave_count() - perf_wave_size() for an event with copies
 * @event: event that was opened
 *
 * Context: event->child_mutex.
 * Return: see there.
 */
unsigned int perf_wave_count(const struct perf_event *event)
{
	const unsigned int most = num_online_cpus() - 1;
	unsigned int nr = perf_wave_is_elsewhere(event);
	const struct perf_event *child;

	lockdep_assert_held(&event->child_mutex);
	list_for_each_entry(child, &event->child_list, child_list) {
		if (nr >= most)
			break;
		nr += perf_wave_is_elsewhere(child);
	}
	return nr;
}

/**
 * perf_wave_begin() - prepare calls to several contexts
 * @wave: the wave, with @ended filled in
 * @size: how many calls may be under way at the same time
 *
 * Context: task, may sleep.
 */
void perf_wave_begin(struct perf_wave *wave, unsigned int size)
{
	wave->slots = NULL;
	if (size > 1)
		wave->slots = kvmalloc_array(size, sizeof(*wave->slots),
					     GFP_KERNEL | __GFP_NOWARN);
	if (!wave->slots) {
		wave->slots = &wave->one;
		size = 1;
	}
	wave->nr = 0;
	wave->max = size;
}

static void perf_wave_ended(struct perf_wave *wave,
			    struct perf_wave_slot *slot, int ret)
{
	if (wave->ended)
		wave->ended(wave, slot->arg, ret);
}

static void perf_wave_wait(struct perf_wave *wave)
{
	unsigned int i;

	for (i = 0; i < wave->nr; i++)
		perf_wave_ended(wave, &wave->slots[i],
				perf_remote_finish(&wave->slots[i].sent));
	wave->nr = 0;
}

/**
 * perf_wave_call() - run a function where a context is loaded
 * @wave: the wave
 * @ctx: context
 * @fn: function; see perf_ctx_call()
 * @arg: its argument, which is copied
 * @size: bytes of @arg, at most PERF_WAVE_ARG
 *
 * The function has run when wave->ended() is called, at the latest in
 * perf_wave_end().
 *
 * Context: task, may sleep.
 */
void perf_wave_call(struct perf_wave *wave, struct perf_ctx *ctx,
		    perf_ctx_fn fn, const void *arg, size_t size)
{
	struct perf_wave_slot *slot = &wave->slots[wave->nr];

	memcpy(slot->arg, arg, size);
	if (perf_remote_start(&slot->sent, ctx, fn, slot->arg))
		perf_wave_ended(wave, slot, slot->sent.call.ret);
	else if (++wave->nr == wave->max)
		perf_wave_wait(wave);
}

/**
 * perf_wave_end() - wait until all calls of a wave have ended
 * @wave: the wave
 *
 * Context: task, may sleep.
 */
void perf_wave_end(struct perf_wave *wave)
{
	perf_wave_wait(wave);
	if (wave->slots != &wave->one)
		kvfree(wave->slots);
}
