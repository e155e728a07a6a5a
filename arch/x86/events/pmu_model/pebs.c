// SPDX-License-Identifier: GPL-2.0
/*
 * PMU model: records of Intel's processor event-based sampling (PEBS)
 *
 * A counter that is enabled for PEBS and overflows writes a record into a
 * buffer in memory, and takes its next value from the debug store area. At a
 * threshold of the buffer a status bit is set, and an interrupt comes. Source:
 * SDM vol. 3 18.4.9, 18.15.7, 20.3.1.1, 20.3.6.1, 20.3.8.1, 20.6.2.4 "PEBS",
 * 20.9 and vol. 4 table 2-2.
 *
 * Owns the registers, and the layout of the debug store area and of the
 * records. The driver owns the memory: a record for an address that is not
 * mapped is lost.
 *
 * Contexts: any; records are written in the NMI of the overflow.
 *
 * Locking: none.
 */
#include <linux/bitfield.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/uaccess.h>

#include <asm/msr-index.h>
#include <asm/ptrace.h>

#include "pmu_model.h"

/* Capability register: a trap, all registers, the format, the baseline. */
#define CAPS_TRAP		BIT_ULL(6)
#define CAPS_ARCH_REGS		BIT_ULL(7)
#define CAPS_FORMAT_SHIFT	8
#define CAPS_BASELINE		BIT_ULL(14)

#define ENABLE_LATENCY_SHIFT	32
#define ENABLE_FIXED_SHIFT	32
#define ENABLE_PRECISE_STORE	BIT_ULL(63)

#define DATA_MEMORY		BIT_ULL(0)
#define DATA_GPRS		BIT_ULL(1)
#define DATA_XMMS		BIT_ULL(2)
#define DATA_LBRS		BIT_ULL(3)
#define DATA_NR_LBRS		GENMASK_ULL(31, 24)
#define DATA_MASK		(DATA_NR_LBRS | GENMASK_ULL(3, 0))

#define LATENCY_MASK		GENMASK_ULL(15, 0)
/* Event code, qualifier, width and threshold of bubbles. */
#define FRONTEND_MASK		GENMASK_ULL(22, 0)

#define XMM_BYTES		256
#define SIZE_SHIFT		48

/* Offsets in the debug store area, 64-bit mode. */
#define DS_INDEX		0x28
#define DS_MAXIMUM		0x30
#define DS_THRESHOLD		0x38
#define DS_RESET		0x40
#define DS_RESET_FIXED		0x80

/* What a record says. */
struct content {
	struct pmu_model_access access;
	const struct pmu_model_moment *now;
};

/* Where a record is written, and whether some of it could not be. */
struct sink {
	u64	at;
	bool	lost;
};

static unsigned int format_of(const struct pmu_model *m)
{
	return m->pebs - 1;
}

static u64 enable_mask(const struct pmu_model *m)
{
	u64 general = BIT_ULL(m->gp) - 1;

	if (m->pebs == PMU_PEBS_ADAPTIVE)
		return general | (BIT_ULL(m->fixed) - 1) << ENABLE_FIXED_SHIFT;
	/* Core 2 has it on counter 0 only, and no latencies. */
	if (!format_of(m))
		return BIT_ULL(0);
	return general | general << ENABLE_LATENCY_SHIFT | ENABLE_PRECISE_STORE;
}

/**
 * pmu_model_pebs_setup() - add the registers of PEBS
 * @m:		the model; the format and the numbers of counters are set
 *
 * Context: init.
 */
void pmu_model_pebs_setup(struct pmu_model *m)
{
	unsigned int format = format_of(m);

	m->pebs_mask[PMU_PEBS_ENABLE] = enable_mask(m);
	m->pebs_mask[PMU_PEBS_DS_AREA] = U64_MAX;
	m->pebs_mask[PMU_PEBS_DATA_CFG] = DATA_MASK;
	m->pebs_mask[PMU_PEBS_LOAD_LATENCY] = LATENCY_MASK;
	m->pebs_mask[PMU_PEBS_FRONTEND] = FRONTEND_MASK;
	pmu_model_add_reg(m, MSR_IA32_PEBS_ENABLE, PMU_REG_PEBS_ENABLE, 0);
	pmu_model_add_reg(m, MSR_IA32_DS_AREA, PMU_REG_DS_AREA, 0);
	if (format >= 1)
		pmu_model_add_reg(m, MSR_PEBS_LD_LAT_THRESHOLD, PMU_REG_LOAD_LATENCY, 0);
	if (format >= 3)
		pmu_model_add_reg(m, MSR_PEBS_FRONTEND, PMU_REG_FRONTEND, 0);
	if (m->pebs == PMU_PEBS_ADAPTIVE)
		pmu_model_add_reg(m, MSR_PEBS_DATA_CFG, PMU_REG_PEBS_DATA_CFG, 0);
}

/**
 * pmu_model_pebs_caps() - get the bits of PEBS in the capability register
 * @m:		the model
 *
 * Context: any.
 * Return: the bits, 0 without PEBS.
 */
u64 pmu_model_pebs_caps(const struct pmu_model *m)
{
	if (!m->pebs)
		return 0;
	return CAPS_TRAP | CAPS_ARCH_REGS | (u64)format_of(m) << CAPS_FORMAT_SHIFT |
	       (m->pebs == PMU_PEBS_ADAPTIVE ? CAPS_BASELINE : 0);
}

/**
 * pmu_model_pebs_write() - write a register of PEBS
 * @m:		the model
 * @pebs:	the registers; unchanged on error
 * @index:	the register
 * @val:	the value
 *
 * Context: any.
 * Return: 0, or -EIO where hardware raises #GP.
 */
int pmu_model_pebs_write(const struct pmu_model *m, struct pmu_model_pebs *pebs,
			 unsigned int index, u64 val)
{
	s64 high = (s64)val >> 47;

	if (val & ~m->pebs_mask[index])
		return -EIO;
	if (index == PMU_PEBS_DS_AREA && high && high != -1)
		return -EIO;
	pebs->regs[index] = val;
	return 0;
}

/**
 * pmu_model_pebs_counters() - find the counters that write records
 * @m:		the model
 * @pebs:	the registers
 *
 * Context: any.
 * Return: a mask of counter numbers.
 */
u32 pmu_model_pebs_counters(const struct pmu_model *m, const struct pmu_model_pebs *pebs)
{
	u64 enable = pebs->regs[PMU_PEBS_ENABLE];
	u32 counters = enable & (BIT(PMU_MODEL_MAX_GP) - 1);

	if (m->pebs == PMU_PEBS_ADAPTIVE)
		counters |= (u32)(enable >> ENABLE_FIXED_SHIFT) << PMU_MODEL_FIXED_BASE;
	return counters & (BIT(PMU_MODEL_NR_COUNTERS) - 1);
}

static void emit(struct sink *to, const void *data, size_t size)
{
	if (copy_to_kernel_nofault((void *)to->at, data, size))
		to->lost = true;
	to->at += size;
}

static void emit_zeros(struct sink *to, size_t size)
{
	static const u64 zeros[XMM_BYTES / sizeof(u64)];

	emit(to, zeros, size);
}

/* The order of the formats 0 to 3. */
static void emit_basic_registers(struct sink *to, const struct pt_regs *r)
{
	const u64 words[] = {
		r->flags, r->ip, r->ax, r->bx, r->cx, r->dx, r->si, r->di, r->bp, r->sp,
		r->r8, r->r9, r->r10, r->r11, r->r12, r->r13, r->r14, r->r15,
	};

	emit(to, words, sizeof(words));
}

/* The order of the adaptive format. */
static void emit_gprs(struct sink *to, const struct pt_regs *r)
{
	const u64 words[] = {
		r->flags, r->ip, r->ax, r->cx, r->dx, r->bx, r->sp, r->bp, r->si, r->di,
		r->r8, r->r9, r->r10, r->r11, r->r12, r->r13, r->r14, r->r15,
	};

	emit(to, words, sizeof(words));
}

static void emit_branches(const struct pmu_model *m, const struct pmu_model_state *s,
			  unsigned int nr, struct sink *to)
{
	unsigned int i;

	for (i = 0; i < nr; i++) {
		u64 words[3];

		pmu_model_lbr_newest(m, &s->lbr, i, words);
		emit(to, words, sizeof(words));
	}
}

static unsigned int nr_branches(u64 cfg)
{
	return cfg & DATA_LBRS ? FIELD_GET(DATA_NR_LBRS, cfg) + 1 : 0;
}

static size_t adaptive_size(u64 cfg)
{
	size_t words = 4;

	if (cfg & DATA_MEMORY)
		words += 4;
	if (cfg & DATA_GPRS)
		words += 18;
	return words * sizeof(u64) + (cfg & DATA_XMMS ? XMM_BYTES : 0) +
	       nr_branches(cfg) * 3 * sizeof(u64);
}

/*
 * The groups of an adaptive record. A counter whose bit for adaptive records is
 * clear has only the first group.
 */
static u64 data_cfg(const struct pmu_model_state *s, unsigned int counter)
{
	unsigned int shift = PMU_FIXED_ADAPTIVE_SHIFT;
	bool adaptive;

	if (counter >= PMU_MODEL_FIXED_BASE) {
		shift += (counter - PMU_MODEL_FIXED_BASE) * PMU_FIXED_BITS;
		adaptive = s->fixed_ctrl & BIT_ULL(shift);
	} else {
		adaptive = s->select[counter] & PMU_SEL_ADAPTIVE;
	}
	return adaptive ? s->pebs.regs[PMU_PEBS_DATA_CFG] : 0;
}

static size_t record_size(const struct pmu_model *m, const struct pmu_model_state *s,
			  unsigned int counter)
{
	static const size_t sizes[] = { 0x90, 0xb0, 0xc0, 0xc8 };

	if (m->pebs == PMU_PEBS_ADAPTIVE)
		return adaptive_size(data_cfg(s, counter));
	return sizes[format_of(m)];
}

static void emit_adaptive(const struct pmu_model *m, const struct pmu_model_state *s,
			  unsigned int counter, const struct content *what,
			  struct sink *to)
{
	const struct pmu_model_moment *now = what->now;
	const struct pmu_model_access *a = &what->access;
	u64 cfg = data_cfg(s, counter);
	const u64 basic[] = {
		cfg | (u64)adaptive_size(cfg) << SIZE_SHIFT, now->regs->ip,
		pmu_model_status_bit(counter), now->tsc,
	};
	const u64 memory[] = { a->addr, a->source, a->latency, 0 };

	emit(to, basic, sizeof(basic));
	if (cfg & DATA_MEMORY)
		emit(to, memory, sizeof(memory));
	if (cfg & DATA_GPRS)
		emit_gprs(to, now->regs);
	if (cfg & DATA_XMMS)
		emit_zeros(to, XMM_BYTES);
	emit_branches(m, s, nr_branches(cfg), to);
}

static void emit_fixed_layout(const struct pmu_model *m, u64 bit,
			      const struct content *what, struct sink *to)
{
	const struct pmu_model_moment *now = what->now;
	const struct pmu_model_access *a = &what->access;
	const u64 more[] = {
		bit, a->addr, a->source, a->latency, now->regs->ip, 0, now->tsc,
	};
	static const u8 nr_more[] = { 0, 4, 6, 7 };

	emit_basic_registers(to, now->regs);
	emit(to, more, nr_more[format_of(m)] * sizeof(u64));
}

static bool load(u64 addr, u64 *val)
{
	return !copy_from_kernel_nofault(val, (void *)addr, sizeof(*val));
}

static u64 threshold_of(const struct pmu_model *m, const struct pmu_model_state *s,
			unsigned int counter)
{
	/* Event 0xcd with unit mask 1: loads by latency, 20.3.1.1.2. */
	if (counter >= PMU_MODEL_FIXED_BASE ||
	    (s->select[counter] & (PMU_SEL_EVENT | PMU_SEL_UMASK)) != 0x01cd)
		return 0;
	return s->pebs.regs[PMU_PEBS_LOAD_LATENCY];
}

static void write_record(const struct pmu_model *m, struct pmu_model_state *s,
			 unsigned int counter, const struct pmu_model_moment *now,
			 struct sink *to)
{
	u64 threshold = threshold_of(m, s, counter);
	struct content what = { .now = now };

	if (m->access_script)
		what.access = pmu_model_access_next(m->access_script, threshold,
						    &s->pebs.next);
	if (m->pebs == PMU_PEBS_ADAPTIVE)
		emit_adaptive(m, s, counter, &what, to);
	else
		emit_fixed_layout(m, pmu_model_status_bit(counter), &what, to);
}

static void reload(const struct pmu_model *m, struct pmu_model_state *s,
		   unsigned int counter)
{
	u64 at = s->pebs.regs[PMU_PEBS_DS_AREA] + DS_RESET + counter * sizeof(u64);
	u64 val;

	if (counter >= PMU_MODEL_FIXED_BASE)
		at += DS_RESET_FIXED - DS_RESET - PMU_MODEL_FIXED_BASE * sizeof(u64);
	if (load(at, &val))
		s->counter[counter].value = val & m->width_mask;
}

/**
 * pmu_model_pebs_record() - write the record of a counter that has overflowed
 * @m:		the model
 * @s:		the CPU's state, up to date
 * @counter:	number of the counter; is loaded with its next value
 * @now:	what was interrupted
 *
 * A buffer that is full takes no record. At the threshold the status bit is
 * set, and an interrupt is due.
 *
 * Context: NMI; KUnit.
 */
void pmu_model_pebs_record(const struct pmu_model *m, struct pmu_model_state *s,
			   unsigned int counter, const struct pmu_model_moment *now)
{
	u64 ds = s->pebs.regs[PMU_PEBS_DS_AREA];
	size_t size = record_size(m, s, counter);
	u64 index, maximum, threshold;
	struct sink to;

	if (!load(ds + DS_INDEX, &index) || !load(ds + DS_MAXIMUM, &maximum) ||
	    !load(ds + DS_THRESHOLD, &threshold))
		return;
	to = (struct sink) { .at = index };
	if (index + size <= maximum) {
		write_record(m, s, counter, now, &to);
		index = to.lost ? index : to.at;
		to.at = ds + DS_INDEX;
		emit(&to, &index, sizeof(index));
	}
	reload(m, s, counter);
	if (index >= threshold) {
		s->status |= PMU_STATUS_BUFFER;
		s->pebs.full = true;
	}
}
