// SPDX-License-Identifier: GPL-2.0
/*
 * The AUX area: memory that trace hardware writes by itself.
 *
 * There is none: mmap(2) of it ends in -EOPNOTSUPP. Trace units (Intel PT and
 * BTS, CoreSight and the like) register and open all the same, and drivers call
 * what stands here; perf_aux_output_begin() tells them that there is no room, the
 * answer that they know from an event whose AUX area was never mapped. The other
 * calls are valid only after a begin that succeeded.
 *
 * Owns nothing, takes no lock; contexts are those of pmu::start and pmu::stop,
 * NMI included.
 */

#include <linux/export.h>
#include <linux/log2.h>
#include <linux/mm.h>

#include "aux_buffer.h"
#include "buffer_types.h"
#include "ring_buffer.h"

/**
 * perf_aux_refuse() - decide on a mapping at an offset other than 0
 * @rb: buffer of the event that is mapped
 * @vma: mapping that is asked for
 *
 * Who asks for nonsense hears so; who asks properly hears that it is not there.
 * aux_offset and aux_size are user-writable and read once.
 *
 * Context: mmap_lock and event->mmap_mutex held.
 * Return: -ENOMEM if the area has more than INT_MAX pages; -EINVAL if it overlaps
 * the data, is not at aux_offset, not aux_size long, or not a power of two of
 * pages; -EOPNOTSUPP otherwise.
 */
int perf_aux_refuse(const struct perf_buffer *rb,
		    struct vm_area_struct *vma)
{
	u64 offset = READ_ONCE(rb->user_page->aux_offset);
	u64 size = READ_ONCE(rb->user_page->aux_size);
	unsigned long nr_pages = vma_pages(vma);

	if (nr_pages > INT_MAX)
		return -ENOMEM;
	if (offset < perf_rb_data_size(rb) + PAGE_SIZE ||
	    offset != (u64)vma->vm_pgoff << PAGE_SHIFT)
		return -EINVAL;
	if (size != (u64)nr_pages << PAGE_SHIFT || !is_power_of_2(nr_pages))
		return -EINVAL;
	return -EOPNOTSUPP;
}

/**
 * perf_aux_output_begin() - start to write trace data
 * @handle: the caller's; ->event is NULL afterwards
 * @event: event of a trace unit
 *
 * Context: any, NMI included.
 * Return: NULL, as there is no AUX area to write to.
 */
void *perf_aux_output_begin(struct perf_output_handle *handle,
			    struct perf_event *event)
{
	handle->event = NULL;
	return NULL;
}
EXPORT_SYMBOL_GPL(perf_aux_output_begin);

/**
 * perf_aux_output_end() - finish writing trace data
 * @handle: of a begin that succeeded, so that this is never reached
 * @size: bytes written
 *
 * Context: any, NMI included.
 */
void perf_aux_output_end(struct perf_output_handle *handle, unsigned long size)
{
}
EXPORT_SYMBOL_GPL(perf_aux_output_end);

/**
 * perf_aux_output_skip() - leave a gap in the trace data
 * @handle: of a begin that succeeded, so that this is never reached
 * @size: bytes
 *
 * Context: any, NMI included.
 * Return: -ENOSPC, as no byte is free.
 */
int perf_aux_output_skip(struct perf_output_handle *handle, unsigned long size)
{
	return -ENOSPC;
}
EXPORT_SYMBOL_GPL(perf_aux_output_skip);

/**
 * perf_aux_output_flag() - add a flag to the PERF_RECORD_AUX to come
 * @handle: of a begin that succeeded, so that this is never reached
 * @flags: PERF_AUX_FLAG_*
 *
 * Context: any, NMI included.
 */
void perf_aux_output_flag(struct perf_output_handle *handle, u64 flags)
{
}
EXPORT_SYMBOL_GPL(perf_aux_output_flag);

/**
 * perf_get_aux() - what pmu::setup_aux made of the area
 * @handle: the driver's
 *
 * Drivers ask outside of begin and end, too, to learn whether they are between.
 *
 * Context: any, NMI included.
 * Return: NULL, nothing is being written.
 */
void *perf_get_aux(struct perf_output_handle *handle)
{
	return NULL;
}
EXPORT_SYMBOL_GPL(perf_get_aux);

/**
 * perf_output_copy_aux() - copy trace data into a record
 * @aux_handle: of a begin that succeeded, so that this is never reached
 * @handle: open reservation of the record
 * @from: first byte in the AUX area
 * @to: byte behind the last
 *
 * Context: any, NMI included.
 * Return: -EOPNOTSUPP.
 */
long perf_output_copy_aux(struct perf_output_handle *aux_handle,
			  struct perf_output_handle *handle,
			  unsigned long from, unsigned long to)
{
	return -EOPNOTSUPP;
}

/**
 * perf_event_addr_filters_sync() - give a driver an event's address filters
 * @event: event that is put on
 *
 * Filters are refused when they are set, so there are none to give.
 *
 * Context: any down to NMI.
 */
void perf_event_addr_filters_sync(struct perf_event *event)
{
}
EXPORT_SYMBOL_GPL(perf_event_addr_filters_sync);
