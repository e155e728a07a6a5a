/* SPDX-License-Identifier: GPL-2.0 */
/* Room "sample", private: the fields that need more than a line. */
#ifndef _KERNEL_EVENTS_SAMPLE_PARTS_H
#define _KERNEL_EVENTS_SAMPLE_PARTS_H

#include "types.h"

/*
 * An event that excludes the kernel may find it running nevertheless, when the
 * interrupt comes some instructions late. Such registers are not shown.
 */
static inline bool perf_sample_hides(const struct perf_event *event,
				     struct pt_regs *regs)
{
	return event->attr.exclude_kernel && !user_mode(regs);
}

/**
 * struct perf_sample_record - a sample that is being written
 * @handle: where to write
 * @header: its header; the size is binding
 * @data: its values
 * @event: its event
 */
struct perf_sample_record {
	struct perf_output_handle	*handle;
	const struct perf_event_header	*header;
	struct perf_sample_data		*data;
	struct perf_event		*event;
};

/* sample_read.c */

/* Number of events, times, count, id and losses. */
#define PERF_SAMPLE_OWN_WORDS	6

void perf_sample_write_counts(struct perf_output_handle *handle,
			      struct perf_event *event, u32 bytes);
unsigned int perf_sample_own_words(const struct perf_event *event,
				   u64 words[PERF_SAMPLE_OWN_WORDS]);

/* sample_regs.c */
void perf_sample_fill_regs_user(struct perf_sample_data *data,
				struct perf_event *event,
				struct pt_regs *regs);
void perf_sample_emit_regs_user(const struct perf_sample_record *record);
void perf_sample_fill_regs_intr(struct perf_sample_data *data,
				struct perf_event *event,
				struct pt_regs *regs);
void perf_sample_emit_regs_intr(const struct perf_sample_record *record);
void perf_sample_fit_stack(struct perf_sample_data *data,
			   struct perf_event *event, u32 room);
void perf_sample_emit_stack(const struct perf_sample_record *record);

/* sample_addr.c */
u64 perf_sample_phys_addr(u64 addr);
u64 perf_sample_page_size(unsigned long addr);
bool perf_sample_is_absent(unsigned long addr);

#endif /* _KERNEL_EVENTS_SAMPLE_PARTS_H */
