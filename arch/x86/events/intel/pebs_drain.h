/* SPDX-License-Identifier: GPL-2.0 */
/* Room "intel/pebs_drain": from records of precise events to samples. */
#ifndef _ARCH_X86_EVENTS_INTEL_PEBS_DRAIN_H
#define _ARCH_X86_EVENTS_INTEL_PEBS_DRAIN_H

#include <asm/intel_ds.h>
#include "../engine.h"

/**
 * struct intel_pebs_format - how processors of this machine write records
 * @present: they write records
 * @number: format, below INTEL_PEBS_FORMATS
 * @groups: events choose groups (baseline PEBS)
 * @retire_latency: records have the latency of retirement
 * @latency_enable: IA32_PEBS_ENABLE has bits for events of load latency
 */
struct intel_pebs_format {
	bool	present;
	u8	number;
	bool	groups;
	bool	retire_latency;
	bool	latency_enable;
};

/**
 * struct intel_pebs - precise events of a CPU
 * @ds:		DS area of the CPU, NULL before it is first needed
 * @format:	how the CPU writes records
 * @counters:	counters that have a precise event
 * @enable:	what IA32_PEBS_ENABLE is to contain
 * @enable_image: what it contains
 * @groups:	what MSR_PEBS_DATA_CFG contains
 * @bytes:	size of the buffer
 * @size:	bytes of a record
 * @nr:		events in @counters
 * @nr_large:	those of them whose samples can wait for a switch
 * @draining:	records are being read; a PMI leaves them alone
 * @dropped:	records that contradict themselves, or belong to no event
 *
 * Only this CPU uses it: with interrupts off, or in the PMI.
 */
struct intel_pebs {
	struct debug_store		*ds;
	const struct intel_pebs_format	*format;
	u64				counters;
	u64				enable;
	u64				enable_image;
	u64				groups;
	unsigned int			bytes;
	unsigned int			size;
	u8				nr;
	u8				nr_large;
	bool				draining;
	unsigned long			dropped;
};

/**
 * intel_pebs_reset_slot() - find the word of the DS area that reloads a counter
 * @format: format of records
 * @counter: number of the counter
 *
 * Fixed counters follow 8 general ones, or 32 from format 5 on.
 *
 * Context: any.
 * Return: index in debug_store::pebs_event_reset.
 */
static inline unsigned int intel_pebs_reset_slot(const struct intel_pebs_format *format,
						 unsigned int counter)
{
	if (counter < X86_COUNTER_FIXED)
		return counter;
	return counter - X86_COUNTER_FIXED +
	       (format->number < 5 ? MAX_PEBS_EVENTS_FMT4 : MAX_PEBS_EVENTS);
}

u64 intel_pebs_read_counter(const struct perf_event *event);
void intel_pebs_update(struct intel_pebs *p, struct perf_event *event, unsigned int nr);
void intel_pebs_report_lost(struct perf_event *event, unsigned int lost);
void intel_pebs_account(struct perf_event *event);
bool intel_pebs_emit(struct perf_event *event, struct perf_sample_data *data,
		     struct pt_regs *regs, bool last);
void intel_pebs_drain(struct intel_pebs *p, struct x86_cpu *cpu, struct pt_regs *interrupted);

#endif /* _ARCH_X86_EVENTS_INTEL_PEBS_DRAIN_H */
