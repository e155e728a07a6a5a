// SPDX-License-Identifier: GPL-2.0
/*
 * Room "aux_event": siblings that act on the trace of their group leader.
 *
 * Purpose: a group whose leader traces can have siblings that write into the
 * same trace (attr.aux_output), pause or resume it when they overflow
 * (attr.aux_pause, attr.aux_resume), or show the newest part of it in their
 * samples (PERF_SAMPLE_AUX with attr.aux_sample_size).
 *
 * Owns event->aux_event, hw.aux_paused.
 *
 * Contexts: links are made in task context; the rest is done by an overflow, in
 * any context down to NMI.
 *
 * Lifetime: event->aux_event is the leader while the event is a sibling in its
 * group, so it needs no reference: the end of the leader dissolves the group
 * first, under ctx->lock and with the sibling off its PMU.
 *
 * Locking: none. The leader is paused, and its trace copied, on the CPU where
 * it is active, with interrupts off. If an NMI overflows an event of the same
 * group meanwhile, it does not start the same action a second time.
 *
 * Race, the area ends while a sample is copied from it: aux.sampling names the
 * area from before the first access to after the last; see aux_buffer.c for the
 * barriers. A sample contains zeros if the area has gone. It also contains
 * zeros while the trace is stopped, because drivers copy only from an open
 * output.
 */

#include <linux/cleanup.h>
#include <linux/irqflags.h>
#include <linux/mm.h>
#include <linux/rcupdate.h>
#include <linux/smp.h>

#include "aux_buffer.h"
#include "aux_event.h"
#include "buffer_types.h"
#include "refuse.h"
#include "ring_buffer.h"

/**
 * perf_aux_check_request() - perf_aux_check_attr() for an event that asks
 * @event: event with attr.aux_output or an action on a trace
 *
 * Context: task.
 * Return: as perf_aux_check_attr().
 */
int perf_aux_check_request(struct perf_event *event)
{
	const struct perf_event_attr *attr = &event->attr;
	int caps = event->pmu->capabilities;

	if (attr->aux_output && (!(caps & PERF_PMU_CAP_AUX_OUTPUT) ||
				 attr->aux_pause || attr->aux_resume))
		return perf_refuse(-EOPNOTSUPP, PERF_FIELD_FLAGS,
				   PERF_ATTR_AUX_OUTPUT, PERF_REASON_NO_AUX);
	if (attr->aux_pause && attr->aux_resume)
		return perf_refuse(-EINVAL, PERF_FIELD(aux_action),
				   PERF_ATTR_AUX_PAUSE | PERF_ATTR_AUX_RESUME,
				   PERF_REASON_CONFLICT);
	if (!attr->aux_start_paused)
		return 0;
	if (!(caps & PERF_PMU_CAP_AUX_PAUSE))
		return perf_refuse(-EOPNOTSUPP, PERF_FIELD(aux_action),
				   PERF_ATTR_AUX_START_PAUSED,
				   PERF_REASON_NO_AUX);
	event->hw.aux_paused = 1;
	return 0;
}

/* Links. */

static bool perf_aux_takes_output(struct perf_event *leader,
				  struct perf_event *event)
{
	const struct pmu *pmu = event->pmu;

	return has_aux(leader) && pmu->aux_output_match &&
	       pmu->aux_output_match(leader);
}

static bool perf_aux_can_serve(struct perf_event *leader,
			       struct perf_event *event)
{
	const struct perf_event_attr *attr = &event->attr;

	if (attr->aux_output && (attr->aux_sample_size ||
				 !perf_aux_takes_output(leader, event)))
		return false;
	if ((attr->aux_pause || attr->aux_resume) &&
	    !(leader->pmu->capabilities & PERF_PMU_CAP_AUX_PAUSE))
		return false;
	return !attr->aux_sample_size || leader->pmu->snapshot_aux;
}

static int perf_aux_refuse_leader(const struct perf_event_attr *attr)
{
	u32 place = attr->aux_sample_size ? PERF_FIELD(aux_sample_size) :
					    PERF_FIELD(aux_action);

	if (attr->aux_output)
		return perf_refuse(-EINVAL, PERF_FIELD_FLAGS,
				   PERF_ATTR_AUX_OUTPUT, PERF_REASON_NO_AUX);
	return perf_refuse(-EINVAL, place, ~0U, PERF_REASON_NO_AUX);
}

/**
 * perf_aux_link_leader() - perf_aux_link() for an event that acts on a trace
 * @event: see there
 *
 * Context: task, ctx->mutex.
 * Return: as perf_aux_link().
 */
int perf_aux_link_leader(struct perf_event *event)
{
	struct perf_event *leader = event->group_leader;

	if (leader == event || !perf_aux_can_serve(leader, event))
		return perf_aux_refuse_leader(&event->attr);
	event->aux_event = leader;
	return 0;
}

/* What happens at an overflow. */

/* If @aux is not active, hw.aux_paused takes effect when it starts. */
static void perf_aux_pause_event(struct perf_event *aux, bool pause)
{
	if (aux->hw.aux_paused == pause)
		return;
	aux->hw.aux_paused = pause;
	if (!perf_aux_is_here(aux))
		return;
	if (pause)
		aux->pmu->stop(aux, PERF_EF_PAUSE);
	else
		aux->pmu->start(aux, PERF_EF_RESUME);
}

/**
 * perf_aux_set_paused() - pause or resume the trace of an event's leader
 * @event: event that overflows
 * @pause: true to pause, false to resume
 *
 * Context: any, NMI included; as perf_event_overflow().
 */
void perf_aux_set_paused(struct perf_event *event, bool pause)
{
	struct perf_event *aux = READ_ONCE(event->aux_event);
	struct perf_buffer *rb;

	if (!aux)
		return;
	guard(irqsave)();
	guard(rcu)();
	rb = perf_rb_rcu(perf_event_eldest(aux));
	if (!rb || READ_ONCE(rb->aux.pausing))
		return;
	WRITE_ONCE(rb->aux.pausing, true);
	barrier(); /* an NMI sees the mark */
	perf_aux_pause_event(aux, pause);
	barrier(); /* the mark stays until this is done */
	WRITE_ONCE(rb->aux.pausing, false);
}

/**
 * perf_aux_sample_size() - get the bytes of trace for a sample
 * @event: event that samples
 * @room: bytes that are free in the record
 *
 * Context: any, NMI included; preemption off.
 * Return: a multiple of 8, at most @room; 0 if nothing can be shown.
 */
u64 perf_aux_sample_size(struct perf_event *event, u64 room)
{
	struct perf_event *aux = READ_ONCE(event->aux_event);
	struct perf_buffer *rb;
	u64 size;

	if (!aux || !perf_aux_is_here(aux))
		return 0;
	guard(rcu)();
	rb = perf_rb_rcu(perf_event_eldest(aux));
	if (!rb || READ_ONCE(rb->aux.sampling))
		return 0;
	size = min3((u64)event->attr.aux_sample_size, room,
		    (u64)READ_ONCE(rb->aux.size));
	return round_down(size, sizeof(u64));
}

static long perf_aux_snapshot_rcu(struct perf_event *aux,
				  struct perf_output_handle *handle, u64 size)
{
	struct perf_buffer *rb = perf_rb_rcu(perf_event_eldest(aux));
	struct perf_aux_area *area = rb ? READ_ONCE(rb->aux.open) : NULL;
	long copied = 0;

	if (!area || cmpxchg(&rb->aux.sampling, NULL, area)) /* (a) */
		return 0;
	if (READ_ONCE(rb->aux.open) == area && perf_aux_is_here(aux) &&
	    READ_ONCE(rb->aux.writer) == aux && size <= READ_ONCE(rb->aux.size))
		copied = aux->pmu->snapshot_aux(aux, handle, size);
	smp_store_release(&rb->aux.sampling, NULL); /* after the last access */
	return max(copied, 0L);
}

/**
 * perf_aux_sample_write() - copy the newest trace of the leader into a sample
 * @event: event that samples
 * @handle: open reservation
 * @size: bytes; what perf_aux_sample_size() returned
 *
 * Bytes that the driver does not copy are zero.
 *
 * Context: any, NMI included; between perf_output_begin() and _end().
 */
void perf_aux_sample_write(struct perf_event *event,
			   struct perf_output_handle *handle, u64 size)
{
	struct perf_event *aux = READ_ONCE(event->aux_event);
	const void *zeros = page_address(ZERO_PAGE(0));
	u64 piece, done = 0;

	/* The leader must neither be stopped nor scheduled out meanwhile. */
	guard(irqsave)();
	guard(rcu)();
	if (aux)
		done = perf_aux_snapshot_rcu(aux, handle, size);
	for (; done < size; done += piece) {
		piece = min_t(u64, size - done, PAGE_SIZE);
		perf_rb_write(handle, zeros, piece);
	}
}
