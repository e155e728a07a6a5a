/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Room "sample", private: the fields of PERF_RECORD_SAMPLE, in the order in
 * which they are written.
 *
 * Purpose: one list, from which follow the sets of bits, the compiled size
 * (perf_sample_compile), the values (perf_prepare_sample) and the bytes
 * (perf_output_sample); so these cannot disagree. A new field is one row here.
 * The arguments of a list are macros that expand its rows:
 *
 *   WORD(bit, member, value)	eight bytes, kept in data->member; @value as u64,
 *				unless the driver set one
 *   VARY(bit, name)		what perf_sample_emit_name() writes;
 *				perf_sample_fill_name() has added its size to
 *				data->dyn_size
 *
 * @value sees data, event and regs, and the members of earlier rows.
 *
 * Three fields are sized apart from the others. READ has event->read_size
 * bytes, fixed when the header is made. STACK_USER gets the room that all
 * others leave, and AUX the room that is left after that.
 */
#ifndef _KERNEL_EVENTS_SAMPLE_FIELDS_H
#define _KERNEL_EVENTS_SAMPLE_FIELDS_H

/* These come first, and most samples have nothing else. */
#define SAMPLE_LEAD_FIELDS(WORD)					\
	WORD(PERF_SAMPLE_IDENTIFIER, id, perf_event_eldest_id(event))	\
	WORD(PERF_SAMPLE_IP, ip, sample_ip(event, regs))		\
	WORD(PERF_SAMPLE_TID, tid_entry, sample_tid_entry(event))	\
	WORD(PERF_SAMPLE_TIME, time, perf_event_clock(event))		\
	WORD(PERF_SAMPLE_ADDR, addr, 0)					\
	WORD(PERF_SAMPLE_ID, id, perf_event_eldest_id(event))		\
	WORD(PERF_SAMPLE_STREAM_ID, stream_id, event->id)		\
	WORD(PERF_SAMPLE_CPU, cpu_entry, sample_cpu_entry())		\
	WORD(PERF_SAMPLE_PERIOD, period, event->hw.last_period)

/* These follow. */
#define SAMPLE_MORE_FIELDS(VARY)					\
	VARY(PERF_SAMPLE_READ, read)					\
	VARY(PERF_SAMPLE_CALLCHAIN, callchain)				\
	VARY(PERF_SAMPLE_RAW, raw)					\
	VARY(PERF_SAMPLE_BRANCH_STACK, branches)			\
	VARY(PERF_SAMPLE_REGS_USER, regs_user)				\
	VARY(PERF_SAMPLE_STACK_USER, stack)

/* These come last; few samples have any of them. */
#define SAMPLE_LATE_FIELDS(WORD, VARY)					\
	WORD(PERF_SAMPLE_WEIGHT_TYPE, weight, 0)			\
	WORD(PERF_SAMPLE_DATA_SRC, data_src, PERF_MEM_NA)		\
	WORD(PERF_SAMPLE_TRANSACTION, txn, 0)				\
	VARY(PERF_SAMPLE_REGS_INTR, regs_intr)				\
	WORD(PERF_SAMPLE_PHYS_ADDR, phys_addr,				\
	     perf_sample_phys_addr(data->addr))				\
	WORD(PERF_SAMPLE_CGROUP, cgroup, sample_cgroup())		\
	WORD(PERF_SAMPLE_DATA_PAGE_SIZE, data_page_size,		\
	     perf_sample_page_size(data->addr))				\
	WORD(PERF_SAMPLE_CODE_PAGE_SIZE, code_page_size,		\
	     perf_sample_page_size(data->ip))				\
	VARY(PERF_SAMPLE_AUX, aux)

/*
 * The identity at the end of all other records, in its own order. Its values
 * are those of the leading words.
 */
#define SAMPLE_ID_FIELDS(WORD)						\
	WORD(PERF_SAMPLE_TID, tid_entry)				\
	WORD(PERF_SAMPLE_TIME, time)					\
	WORD(PERF_SAMPLE_ID, id)					\
	WORD(PERF_SAMPLE_STREAM_ID, stream_id)				\
	WORD(PERF_SAMPLE_CPU, cpu_entry)				\
	WORD(PERF_SAMPLE_IDENTIFIER, id)

#endif /* _KERNEL_EVENTS_SAMPLE_FIELDS_H */
