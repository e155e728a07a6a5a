/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Room "intel/pebs_decode": records of precise events, from bytes to a struct.
 *
 * It is pure: it reads no register and no per-CPU data. So it also compiles in
 * user space, for tests with sanitizers (./perflab check x86).
 */
#ifndef _ARCH_X86_EVENTS_INTEL_PEBS_DECODE_H
#define _ARCH_X86_EVENTS_INTEL_PEBS_DECODE_H

#include <linux/bits.h>
#include <linux/types.h>

/* Groups of a record, as in MSR_PEBS_DATA_CFG, SDM vol. 3 20.9.2.3. */
#define INTEL_PEBS_MEMORY	BIT(0)
#define INTEL_PEBS_REGS		BIT(1)
#define INTEL_PEBS_XMM		BIT(2)
#define INTEL_PEBS_BRANCHES	BIT(3)
#define INTEL_PEBS_COUNTERS	BIT(4)
#define INTEL_PEBS_METRICS	BIT(5)

/* What else a record may have; the header of a record has no such bits. */
#define INTEL_PEBS_STATUS	BIT(8)	/* the counters that it belongs to */
#define INTEL_PEBS_EVENT_IP	BIT(9)	/* the instruction that caused the event */
#define INTEL_PEBS_TSX		BIT(10)	/* how a transaction went */
#define INTEL_PEBS_TSC		BIT(11)	/* when it was written */

/* Formats of records: IA32_PERF_CAPABILITIES bits 11-8. */
#define INTEL_PEBS_FORMATS	7

/* From this format on a record has groups, and begins with a header. */
#define INTEL_PEBS_ADAPTIVE	4

#define INTEL_PEBS_NR_REGS	18
#define INTEL_PEBS_NR_XMM	32	/* two words for each of 16 registers */
#define INTEL_PEBS_BRANCH	3	/* words of a branch: from, to, information */

/* Registers of a record, for intel_pebs_reg(). R8 to R15 follow. */
enum intel_pebs_reg {
	INTEL_PEBS_FLAGS,
	INTEL_PEBS_IP,
	INTEL_PEBS_AX,
	INTEL_PEBS_BX,
	INTEL_PEBS_CX,
	INTEL_PEBS_DX,
	INTEL_PEBS_SI,
	INTEL_PEBS_DI,
	INTEL_PEBS_BP,
	INTEL_PEBS_SP,
	INTEL_PEBS_R8,
};

/**
 * struct intel_pebs_record - a record of a precise event
 * @size: its length in bytes
 * @has: INTEL_PEBS_*: what it has
 * @adaptive: it has groups
 * @nr_branches: number of branches at @branches
 * @retire_latency: cycles since the instruction before it retired
 * @counters: INTEL_PEBS_STATUS: the counters that it belongs to
 * @event_ip: INTEL_PEBS_EVENT_IP: address of the instruction
 * @tsc: INTEL_PEBS_TSC: time stamp
 * @address: INTEL_PEBS_MEMORY: data address
 * @source: INTEL_PEBS_MEMORY: where the data was, see the room "intel/datasrc"
 * @latency: INTEL_PEBS_MEMORY: cycles; from Golden Cove on two numbers
 * @tsx: INTEL_PEBS_TSX: how the transaction went
 * @general: which general counters have a value at @values, as a mask
 * @fixed: which fixed counters have one after those
 * @metrics: two words with the counter of slots and the metrics follow
 * @regs: INTEL_PEBS_REGS: registers, read by intel_pebs_reg()
 * @xmm: INTEL_PEBS_XMM: INTEL_PEBS_NR_XMM words
 * @branches: INTEL_PEBS_BRANCHES: INTEL_PEBS_BRANCH words for each branch
 * @values: INTEL_PEBS_COUNTERS, INTEL_PEBS_METRICS: counters
 *
 * Pointers are into the record, and NULL for what it does not have.
 */
struct intel_pebs_record {
	u16		size;
	u16		has;
	bool		adaptive;
	u16		nr_branches;
	u16		retire_latency;
	u64		counters;
	u64		event_ip;
	u64		tsc;
	u64		address;
	u64		source;
	u64		latency;
	u64		tsx;
	u32		general;
	u32		fixed;
	bool		metrics;
	const u64	*regs;
	const u64	*xmm;
	const u64	*branches;
	const u64	*values;
};

bool intel_pebs_decode(struct intel_pebs_record *record, unsigned int format,
		       const u64 *buffer, size_t size);
u64 intel_pebs_reg(const struct intel_pebs_record *record, unsigned int reg);
size_t intel_pebs_size(unsigned int format, u64 groups);

#endif /* _ARCH_X86_EVENTS_INTEL_PEBS_DECODE_H */
