/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The fields of PERF_RECORD_SAMPLE, in the order in which they are written.
 *
 * Purpose: one list, from which follow the compiled size (perf_sample_compile),
 * the values (perf_prepare_sample) and the bytes (perf_output_sample); so these
 * cannot disagree. A new field is one row here. The including file defines the
 * meaning of a row, and may include the list once for each meaning:
 *
 *   SAMPLE_LEAD(bit, word, value)	eight bytes, kept in @word; @value as u64,
 *					unless the driver set one. These come
 *					first, and most samples have nothing else
 *   SAMPLE_VARY(bit, name)		what perf_sample_emit_name() writes;
 *					perf_sample_fill_name() has added its
 *					size to data->dyn_size
 *   SAMPLE_LATE(bit, name)		the same, after all SAMPLE_VARY; few
 *					samples have any late field
 *   SAMPLE_WORD(bit, word, value)	as SAMPLE_LEAD, among the late fields
 *   SAMPLE_ID_WORD(bit, word)		another list: the identity at the end of
 *					all other records, in its own order
 *
 * @value sees data, event and regs, and the members of earlier rows.
 *
 * Three fields are sized apart from the others. READ has event->read_size
 * bytes, fixed when the header is made. STACK_USER gets the room that all
 * others leave, and AUX the room that is left after that.
 */

#ifdef SAMPLE_LEAD
SAMPLE_LEAD(PERF_SAMPLE_IDENTIFIER, data->id, perf_event_eldest_id(event));
SAMPLE_LEAD(PERF_SAMPLE_IP, data->ip, sample_ip(event, regs));
SAMPLE_LEAD(PERF_SAMPLE_TID, data->tid_entry, sample_tid_entry(event));
SAMPLE_LEAD(PERF_SAMPLE_TIME, data->time, perf_event_clock(event));
SAMPLE_LEAD(PERF_SAMPLE_ADDR, data->addr, 0);
SAMPLE_LEAD(PERF_SAMPLE_ID, data->id, perf_event_eldest_id(event));
SAMPLE_LEAD(PERF_SAMPLE_STREAM_ID, data->stream_id, event->id);
SAMPLE_LEAD(PERF_SAMPLE_CPU, data->cpu_entry, sample_cpu_entry());
SAMPLE_LEAD(PERF_SAMPLE_PERIOD, data->period, event->hw.last_period);
#undef SAMPLE_LEAD
#endif

#ifdef SAMPLE_VARY
SAMPLE_VARY(PERF_SAMPLE_READ, read);
SAMPLE_VARY(PERF_SAMPLE_CALLCHAIN, callchain);
SAMPLE_VARY(PERF_SAMPLE_RAW, raw);
SAMPLE_VARY(PERF_SAMPLE_BRANCH_STACK, branches);
SAMPLE_VARY(PERF_SAMPLE_REGS_USER, regs_user);
SAMPLE_VARY(PERF_SAMPLE_STACK_USER, stack);
#undef SAMPLE_VARY
#endif

#ifdef SAMPLE_LATE
SAMPLE_WORD(PERF_SAMPLE_WEIGHT_TYPE, data->weight, 0);
SAMPLE_WORD(PERF_SAMPLE_DATA_SRC, data->data_src, PERF_MEM_NA);
SAMPLE_WORD(PERF_SAMPLE_TRANSACTION, data->txn, 0);
SAMPLE_LATE(PERF_SAMPLE_REGS_INTR, regs_intr);
SAMPLE_WORD(PERF_SAMPLE_PHYS_ADDR, data->phys_addr,
	    perf_sample_phys_addr(data->addr));
SAMPLE_WORD(PERF_SAMPLE_CGROUP, data->cgroup, sample_cgroup());
SAMPLE_WORD(PERF_SAMPLE_DATA_PAGE_SIZE, data->data_page_size,
	    perf_sample_page_size(data->addr));
SAMPLE_WORD(PERF_SAMPLE_CODE_PAGE_SIZE, data->code_page_size,
	    perf_sample_page_size(data->ip));
SAMPLE_LATE(PERF_SAMPLE_AUX, aux);
#undef SAMPLE_WORD
#undef SAMPLE_LATE
#endif

#ifdef SAMPLE_ID_WORD
SAMPLE_ID_WORD(PERF_SAMPLE_TID, data->tid_entry);
SAMPLE_ID_WORD(PERF_SAMPLE_TIME, data->time);
SAMPLE_ID_WORD(PERF_SAMPLE_ID, data->id);
SAMPLE_ID_WORD(PERF_SAMPLE_STREAM_ID, data->stream_id);
SAMPLE_ID_WORD(PERF_SAMPLE_CPU, data->cpu_entry);
SAMPLE_ID_WORD(PERF_SAMPLE_IDENTIFIER, data->id);
#undef SAMPLE_ID_WORD
#endif
