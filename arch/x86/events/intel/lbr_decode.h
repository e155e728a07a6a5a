/* SPDX-License-Identifier: GPL-2.0 */
/* Room "intel/lbr_decode": branches from what registers contain. */
#ifndef _ARCH_X86_EVENTS_INTEL_LBR_DECODE_H
#define _ARCH_X86_EVENTS_INTEL_LBR_DECODE_H

#include <linux/bits.h>
#include <linux/types.h>

struct perf_branch_entry;

/* Most branches that a processor records. */
#define INTEL_LBR_DEPTH		32

/* IA32_PERF_CAPABILITIES bits 5-0, SDM vol. 3 18.4.8.1. */
enum intel_lbr_format {
	INTEL_LBR_32,		/* both addresses in one register, 32 bits each */
	INTEL_LBR_LIP,		/* linear addresses */
	INTEL_LBR_EIP,		/* addresses within the code segment */
	INTEL_LBR_FLAGS,	/* bit 63 of the source: mispredicted */
	INTEL_LBR_FLAGS_TSX,	/* bits 63-61 of the source: and transactions */
	INTEL_LBR_INFO_TSX,	/* a third register, with transactions */
	INTEL_LBR_FLAGS_TIME,	/* bit 63 of the source, bits 63-48 of the target: cycles */
	INTEL_LBR_INFO,		/* a third register */
	INTEL_LBR_NR_FORMATS,
};

/**
 * struct intel_lbr_raw - the registers of a branch, as PEBS records have them
 * @from: source
 * @to: target
 * @info: the third register, with flags and cycles; 0 without one
 */
struct intel_lbr_raw {
	u64	from;
	u64	to;
	u64	info;
};

/**
 * struct intel_lbr_layout - what the bits of the registers mean
 * @shared: both addresses are in the register of the source
 * @from_flags: bits at the top of the source that are no address
 * @to_flags: the same of the target, with the number of cycles
 * @extended: a write must extend the address into bits 62-61 of the source
 * @info: there is a third register
 * @mispredicted: the processor tells whether a branch was mispredicted
 * @tsx: it tells about transactions
 * @cycles: it counts cycles
 * @valid_bit: bit 60 of the third register says whether cycles were counted
 * @type: bits 59-56 of the third register are the kind of the branch
 * @double_abort: an abort may be recorded twice
 */
struct intel_lbr_layout {
	bool	shared;
	u8	from_flags;
	u8	to_flags;
	bool	extended;
	bool	info;
	bool	mispredicted;
	bool	tsx;
	bool	cycles;
	bool	valid_bit;
	bool	type;
	bool	double_abort;
};

/* The third register, SDM vol. 3 18.12.4 and 19.1.2.3. */
#define INTEL_LBR_MISPREDICTED	BIT_ULL(63)
#define INTEL_LBR_IN_TX		BIT_ULL(62)
#define INTEL_LBR_ABORT		BIT_ULL(61)
#define INTEL_LBR_CYCLES_VALID	BIT_ULL(60)
#define INTEL_LBR_TYPE		GENMASK_ULL(59, 56)
#define INTEL_LBR_COUNTERS	GENMASK_ULL(39, 32)
#define INTEL_LBR_CYCLES	GENMASK_ULL(15, 0)

/* A branch has counts of this many counters, the first general ones. */
#define INTEL_LBR_NR_COUNTS	4

/* In the order of counts: an event without a counter; its count is 0. */
#define INTEL_LBR_NO_COUNTER	0xff

int intel_lbr_decode_layout(struct intel_lbr_layout *layout, unsigned int format, bool tsx);
u64 intel_lbr_decode_writable(const struct intel_lbr_layout *layout, u64 from);
void intel_lbr_decode_one(const struct intel_lbr_layout *layout,
			  const struct intel_lbr_raw *raw, struct perf_branch_entry *e);
u64 intel_lbr_decode_counts(u64 counts, const u8 *order, unsigned int nr);
unsigned int intel_lbr_decode(const struct intel_lbr_layout *layout,
			      const struct intel_lbr_raw *raw, unsigned int nr,
			      struct perf_branch_entry *entries, u64 *counters);

#endif /* _ARCH_X86_EVENTS_INTEL_LBR_DECODE_H */
