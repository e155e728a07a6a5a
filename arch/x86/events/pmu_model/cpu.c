// SPDX-License-Identifier: GPL-2.0
/*
 * PMU model: the state of each CPU
 *
 * Hardware executes an access to a register as a whole; an NMI comes before it
 * or after it. Here an access is some dozens of instructions, and an NMI may
 * come in the middle and access registers itself.
 *
 * Owns the per-CPU states and the model's clock.
 *
 * Changes: a state is never changed in place. It is copied to a spare buffer,
 * changed there and published with one compare-and-exchange of a word that
 * holds a sequence number and the number of the buffer.
 *  1. Task or interrupt level copies buffer 0 to buffer 1 and changes it.
 *  2. An NMI copies buffer 0 to buffer 2, changes it and publishes 2.
 *  3. The compare-and-exchange of the first fails: it begins again, from
 *     buffer 2.
 * Only NMIs use the buffers 2 and 3, so they never write to the buffer of the
 * code that they interrupted; they do not interrupt each other. Interrupts are
 * off throughout.
 *
 * Interrupts: the comparator sends them (pmi.c); an access that finds one due
 * sends it first, see hurry(). An NMI may interrupt an access, whose clock does
 * not advance. If it set the comparator to the next few ticks, that would fire
 * before the access goes on, again and again. So the access sets it when it is
 * left:
 *  1. The NMI changes the state and sets @late.
 *  2. The access starts the clock, and looks at @late.
 *  3. If it is set, the access stops the clock once more, clears @late and sets
 *     the comparator, until no NMI comes in between. An NMI after the last look
 *     is not amid an access any more.
 *
 * Trace: an access takes its place in the trace (trace.c) after it has looked
 * at the state and before it publishes a change, or before it makes sure that
 * the state that it has read is still there. While accesses are recorded each
 * NMI amid an access increments the sequence number, even if it only reads. The
 * access that it interrupted begins again then and takes another place. So the
 * records are in the order in which the accesses had their effects.
 *
 * Clock: the TSC, less the time that the model itself has used (with self=count
 * that is not subtracted). The clock stands still in the model, also for an NMI
 * that comes there. So nothing that happens within an access takes time.
 *
 * Contexts: registers are accessed anywhere, NMI included. A CPU's data is
 * touched by that CPU alone, and by the boot CPU while it is down.
 */
#include <linux/cpuhotplug.h>
#include <linux/errno.h>
#include <linux/init.h>
#include <linux/kprobes.h>
#include <linux/percpu.h>
#include <linux/printk.h>
#include <linux/smp.h>
#include <linux/string.h>

#include <asm/irqflags.h>
#include <asm/local.h>
#include <asm/msr.h>
#include <asm/nmi.h>

#include "pmu_model.h"

#define NR_BUFFERS	4
#define BUFFER_BITS	2
#define BUFFER_MASK	(NR_BUFFERS - 1)
#define NMI_BUFFERS	2

#define MAX_WAIT	10000	/* turns of waiting for an own NMI */
#define MAX_EARLY	20000	/* ticks of waiting until a shot is due */

struct model_cpu {
	unsigned long	live;	/* sequence << 2 | number of the live buffer */
	unsigned int	depth;
	bool		late;	/* the outermost access has to program the shot */
	u64		entry;	/* TSC when the outermost access began */
	u64		now;	/* the clock while it stands still, or 0 */
	u64		spent;	/* TSC ticks that do not count */
	u64		due;	/* clock when the next PMI is due */
	struct pmu_model_shot shot;
	struct pmu_model_state state[NR_BUFFERS];
};

static DEFINE_PER_CPU(struct model_cpu, model_cpu);

static __always_inline u64 running_clock(const struct model_cpu *c)
{
	return rdtsc() - c->spent;
}

/* An NMI may come after an access has begun and before it stops the clock. */
static __always_inline u64 clock(const struct model_cpu *c)
{
	u64 now = READ_ONCE(c->now);

	return now ?: running_clock(c);
}

static __always_inline void stop_clock(struct model_cpu *c)
{
	if (!c->depth++) {
		barrier();
		c->entry = rdtsc();
		WRITE_ONCE(c->now, c->entry - c->spent);
	}
	barrier();
}

static __always_inline void start_clock(struct model_cpu *c)
{
	barrier();
	if (c->depth == 1) {
		u64 ticks = rdtsc() - c->entry;

		if (pmu_model.exclude_self)
			c->spent += ticks;
		__this_cpu_add(pmu_model_stats.ticks, ticks);
		__this_cpu_inc(pmu_model_stats.sections);
		WRITE_ONCE(c->now, 0);
		barrier();
	}
	c->depth--;
}

/*
 * QEMU's timers are late, and so is the comparator's NMI. A real PMI is not: no
 * access to a register comes between an overflow and its interrupt. So an
 * access that finds an interrupt due sends it and starts again.
 */
static __always_inline bool overdue(const struct model_cpu *c)
{
	return c->shot.armed && c->depth == 1 && (s64)(c->now - c->due) >= 0 &&
	       !in_nmi();
}

static noinline void hurry(struct model_cpu *c)
{
	unsigned int i;

	pmu_model_shot_send(&c->shot);
	for (i = 0; i < MAX_WAIT && READ_ONCE(c->shot.sent); i++)
		cpu_relax();
}

/* An access that an NMI interrupts begins again: see "Trace" above. */
static __always_inline void disturb_access(struct model_cpu *c)
{
	if (c->depth > 1 && pmu_model_trace_on())
		WRITE_ONCE(c->live, c->live + BIT(BUFFER_BITS));
}

static __always_inline struct model_cpu *enter(unsigned long *flags)
{
	struct model_cpu *c;

	*flags = arch_local_irq_save();
	c = this_cpu_ptr(&model_cpu);
	stop_clock(c);
	if (unlikely(overdue(c))) {
		start_clock(c);
		hurry(c);
		stop_clock(c);
	}
	disturb_access(c);
	return c;
}

static __always_inline struct pmu_model_state *live_state(struct model_cpu *c)
{
	return &c->state[READ_ONCE(c->live) & BUFFER_MASK];
}

static struct pmu_model_state *begin(struct model_cpu *c, unsigned long *seen)
{
	unsigned int spare = c->depth > 1 ? NMI_BUFFERS : 0;
	unsigned int used;

	*seen = READ_ONCE(c->live);
	used = *seen & BUFFER_MASK;
	if (spare == used)
		spare++;
	memcpy(&c->state[spare], &c->state[used], pmu_model.state_size);
	return &c->state[spare];
}

static bool publish(struct model_cpu *c, unsigned long seen,
		    struct pmu_model_state *next)
{
	unsigned long sequence = (seen >> BUFFER_BITS) + 1;

	barrier();
	return try_cmpxchg_local(&c->live, &seen, sequence << BUFFER_BITS |
				 (next - c->state));
}

/*
 * An NMI that changed the state meanwhile may have set the comparator first.
 * An NMI amid an access leaves it to that access: no shot becomes due while the
 * clock stands still.
 */
static void program_shot(struct model_cpu *c)
{
	unsigned long seen;
	u64 now, ticks;

	if (c->depth > 1) {
		WRITE_ONCE(c->late, true);
		return;
	}
	do {
		seen = READ_ONCE(c->live);
		now = clock(c);
		ticks = pmu_model_state_deadline(&pmu_model, live_state(c), now);
		c->due = ticks == PMU_MODEL_NEVER ? S64_MAX : now + ticks;
		pmu_model_shot_program_nmi(&c->shot, ticks);
	} while (READ_ONCE(c->live) != seen);
}

static noinline void program_late(struct model_cpu *c)
{
	do {
		stop_clock(c);
		WRITE_ONCE(c->late, false);
		program_shot(c);
		start_clock(c);
	} while (READ_ONCE(c->late));
}

static __always_inline void leave(struct model_cpu *c, unsigned long flags)
{
	start_clock(c);
	if (unlikely(READ_ONCE(c->late)) && !c->depth)
		program_late(c);
	arch_local_irq_restore(flags);
}

static enum pmu_model_core core_of(unsigned int cpu)
{
	if (!pmu_model.hybrid)
		return PMU_CORE_ANY;
	return cpu & 1 ? PMU_CORE_ATOM : PMU_CORE_BIG;
}

/**
 * pmu_model_power_up() - prepare the state that CPUs start with
 *
 * Context: boot CPU, before the per-CPU areas are set up: the state written
 * here becomes the initial content of each area.
 */
void __init pmu_model_power_up(void)
{
	struct pmu_model_state *s = this_cpu_ptr(&model_cpu.state[0]);

	pmu_model_state_reset(&pmu_model, s);
	s->core = core_of(0);
}

static void put_access(struct pmu_model_record *to, const struct model_cpu *c,
		       enum pmu_model_trace_kind kind, unsigned int slot, u64 val)
{
	const struct pmu_model_record from = {
		.time = clock(c), .value = val, .kind = kind, .slot = slot,
		.address = pmu_model.regs[slot].msr,
	};

	pmu_model_trace_put(to, &from);
}

static void put_rdpmc(struct pmu_model_record *to, const struct model_cpu *c,
		      enum pmu_model_trace_kind kind, u32 index, u64 val)
{
	const struct pmu_model_record from = {
		.time = clock(c), .value = val, .kind = kind,
		.slot = PMU_MODEL_SLOT_RDPMC, .address = index,
	};

	pmu_model_trace_put(to, &from);
}

/* Only in an NMI that has published its last change: nothing comes between. */
static void trace_pmi(struct model_cpu *c)
{
	const struct pmu_model_record from = {
		.time = clock(c), .kind = PMU_TRACE_PMI,
		.value = pmu_model_state_signalled(&pmu_model, live_state(c)),
	};

	pmu_model_trace_put(pmu_model_trace_reserve(), &from);
}

/**
 * pmu_model_mark() - record a marker on this CPU
 * @word:	its word, see pmu_model_trace_word()
 *
 * Context: any.
 */
void pmu_model_mark(const char *word)
{
	unsigned long flags;
	struct model_cpu *c = enter(&flags);
	struct pmu_model_record from = {
		.time = clock(c), .kind = PMU_TRACE_MARKER,
	};

	strscpy(from.word, word);
	pmu_model_trace_put(pmu_model_trace_reserve(), &from);
	leave(c, flags);
}

/* A register of a unit that works by itself: first settle its state. */
static bool reads_unit(unsigned int slot)
{
	unsigned int kind = pmu_model.regs[slot].kind;

	return kind >= PMU_REG_FIRST_UNIT && kind <= PMU_REG_LAST_UNIT;
}

static int read_unit(struct model_cpu *c, unsigned int slot, u64 *val,
		     struct pmu_model_record **record)
{
	struct pmu_model_state *next;
	unsigned long seen;
	int err;

	do {
		next = begin(c, &seen);
		pmu_model_state_settle_units(&pmu_model, next, clock(c));
		*record = pmu_model_trace_reserve();
		err = pmu_model_reg_read(&pmu_model, next, &pmu_model.regs[slot],
					 clock(c), val);
	} while (!publish(c, seen, next));
	program_shot(c);
	return err;
}

static int read_state(struct model_cpu *c, unsigned int slot, u64 *val,
		      struct pmu_model_record **record)
{
	unsigned long seen;
	int err;

	do {
		seen = READ_ONCE(c->live);
		*record = pmu_model_trace_reserve();
		err = pmu_model_reg_read(&pmu_model, live_state(c),
					 &pmu_model.regs[slot], clock(c), val);
	} while (READ_ONCE(c->live) != seen);
	return err;
}

/**
 * pmu_model_read() - read a register of this CPU
 * @slot:	the register
 * @val:	set to the value, 0 on error
 *
 * Context: any, NMI included.
 * Return: 0, or -EIO where hardware raises #GP.
 */
int pmu_model_read(unsigned int slot, u64 *val)
{
	unsigned long flags;
	struct model_cpu *c = enter(&flags);
	struct pmu_model_record *record;
	int err = reads_unit(slot) ? read_unit(c, slot, val, &record) :
				     read_state(c, slot, val, &record);

	put_access(record, c, err ? PMU_TRACE_FAULT : PMU_TRACE_READ, slot, *val);
	__this_cpu_inc(pmu_model_stats.reads[slot]);
	leave(c, flags);
	return err;
}

/**
 * pmu_model_read_pmc() - execute RDPMC on this CPU
 * @index:	as in ECX
 * @val:	set to the count, 0 on error
 *
 * Context: any, NMI included.
 * Return: 0, or -EIO where hardware raises #GP.
 */
int pmu_model_read_pmc(u32 index, u64 *val)
{
	unsigned long flags, seen;
	struct model_cpu *c = enter(&flags);
	struct pmu_model_record *record;
	int err;

	do {
		seen = READ_ONCE(c->live);
		record = pmu_model_trace_reserve();
		err = pmu_model_rdpmc(&pmu_model, live_state(c), index,
				      clock(c), val);
	} while (READ_ONCE(c->live) != seen);
	put_rdpmc(record, c, err ? PMU_TRACE_FAULT : PMU_TRACE_RDPMC, index, *val);
	__this_cpu_inc(pmu_model_stats.reads[PMU_MODEL_SLOT_RDPMC]);
	leave(c, flags);
	return err;
}

/*
 * A driver stops all counters, gives them other events and starts them with the
 * global control register: that is one turn, whatever else it does in between.
 */
static void note_turn(struct model_cpu *c, enum pmu_model_kind kind)
{
	struct pmu_model_stats *st = this_cpu_ptr(&pmu_model_stats);
	u64 selection;

	if (kind != PMU_REG_GLOBAL_CTRL)
		return;
	selection = pmu_model_state_selection(&pmu_model, live_state(c));
	if (!selection || selection == st->selection)
		return;
	st->selection = selection;
	st->turns++;
}

static void note_misplaced(struct model_cpu *c, unsigned int slot, u64 val)
{
	const struct pmu_model_reg *reg = &pmu_model.regs[slot];

	if (reg->kind == PMU_REG_SELECT &&
	    pmu_model_state_misplaced(&pmu_model, live_state(c), reg->index))
		pmu_model_misplaced_add(slot, val);
}

/**
 * pmu_model_write() - write a register of this CPU
 * @slot:	the register
 * @val:	the value
 *
 * Context: any, NMI included.
 * Return: 0, or -EIO where hardware raises #GP.
 */
int pmu_model_write(unsigned int slot, u64 val)
{
	unsigned long flags, seen;
	struct model_cpu *c = enter(&flags);
	struct pmu_model_record *record;
	struct pmu_model_state *next;
	int err;

	do {
		next = begin(c, &seen);
		pmu_model_state_settle_units(&pmu_model, next, clock(c));
		record = pmu_model_trace_reserve();
		err = pmu_model_reg_write(&pmu_model, next,
					  &pmu_model.regs[slot], clock(c), val);
	} while (!err && !publish(c, seen, next));
	put_access(record, c, err ? PMU_TRACE_FAULT : PMU_TRACE_WRITE, slot, val);
	if (!err) {
		program_shot(c);
		note_turn(c, pmu_model.regs[slot].kind);
		note_misplaced(c, slot, val);
	}
	__this_cpu_inc(pmu_model_stats.writes[slot]);
	leave(c, flags);
	return err;
}

/**
 * pmu_model_count_rdpmc() - count an RDPMC of a program on this CPU
 *
 * Context: the trap that emulates it.
 */
void pmu_model_count_rdpmc(void)
{
	unsigned long flags, seen;
	struct model_cpu *c = enter(&flags);
	struct pmu_model_state *next;

	do {
		next = begin(c, &seen);
		pmu_model_state_count_rdpmc(&pmu_model, next, clock(c));
	} while (!publish(c, seen, next));
	program_shot(c);
	leave(c, flags);
}

/**
 * pmu_model_set_mode() - note that this CPU enters or leaves user mode
 * @user:	true if it executes user code from now on
 *
 * Context: entry code with interrupts off, after RCU watches.
 */
void pmu_model_set_mode(bool user)
{
	unsigned long flags, seen;
	struct model_cpu *c = enter(&flags);
	struct pmu_model_state *next;

	do {
		next = begin(c, &seen);
		pmu_model_state_set_mode(&pmu_model, next, clock(c), user);
	} while (!publish(c, seen, next));
	program_shot(c);
	leave(c, flags);
}

/**
 * pmu_model_reload_rates() - let this CPU's counters use the table's rates
 *
 * Context: any.
 */
void pmu_model_reload_rates(void)
{
	unsigned long flags, seen;
	struct model_cpu *c = enter(&flags);
	struct pmu_model_state *next;

	do {
		next = begin(c, &seen);
		pmu_model_state_reload_rates(&pmu_model, next, clock(c));
	} while (!publish(c, seen, next));
	program_shot(c);
	leave(c, flags);
}

static unsigned int masked_entries(void)
{
	unsigned int masked = pmu_model_lvt_masked_nmi() ? PMU_MASKED_LVTPC : 0;

	if (pmu_model.ibs_caps && pmu_model_eilvt_masked())
		masked |= PMU_MASKED_IBS;
	return masked;
}

static enum pmu_model_shot_event take_pmi(struct model_cpu *c,
					  const struct pmu_model_moment *moment)
{
	bool recorded;
	enum pmu_model_shot_event event;
	struct pmu_model_state *next;
	unsigned long seen;
	unsigned int masked = masked_entries();

	do {
		next = begin(c, &seen);
		next->ip = moment->regs->ip;
		recorded = pmu_model_state_take_records(&pmu_model, next, clock(c),
							moment);
		event = pmu_model_state_take_pmi(&pmu_model, next, clock(c),
						 masked);
	} while (!publish(c, seen, next));
	if (event == PMU_SHOT_EARLY && recorded)
		event = PMU_SHOT_RECORD;
	if (event == PMU_SHOT_DELIVERED && pmu_model.has_lvt_mask)
		pmu_model_lvt_mask_nmi();
	return event;
}

/* A shot is early by the time that the model has used meanwhile: not long. */
static void wait_until_due(struct model_cpu *c)
{
	start_clock(c);
	while ((s64)(running_clock(c) - c->due) < 0)
		cpu_relax();
	stop_clock(c);
}

static enum pmu_model_shot_event handle_shot(struct model_cpu *c, struct pt_regs *regs)
{
	const struct pmu_model_moment moment = { .regs = regs, .tsc = rdtsc() };
	enum pmu_model_shot_event event = take_pmi(c, &moment);

	if (event == PMU_SHOT_EARLY && c->depth == 1 &&
	    c->due - c->now < MAX_EARLY) {
		wait_until_due(c);
		event = take_pmi(c, &moment);
	}
	if (event == PMU_SHOT_DELIVERED)
		trace_pmi(c);
	program_shot(c);
	return event;
}

/*
 * The first handler on the list: it turns a shot into the PMI that the driver's
 * handler then finds, or claims the NMI if there is nothing to find.
 */
static int pmu_model_nmi(unsigned int type, struct pt_regs *regs)
{
	enum pmu_model_shot_event event = PMU_SHOT_STRAY;
	enum pmu_model_nmi_cause cause;
	unsigned long flags;
	struct model_cpu *c = enter(&flags);

	cause = pmu_model_shot_cause_nmi(&c->shot);
	if (cause == PMU_NMI_SHOT)
		event = handle_shot(c, regs);
	if (cause != PMU_NMI_FOREIGN)
		__this_cpu_inc(pmu_model_stats.shots[event]);
	leave(c, flags);

	if (cause == PMU_NMI_FOREIGN)
		return NMI_DONE;
	if (event != PMU_SHOT_DELIVERED)
		return NMI_HANDLED;
	pmu_model_nmi_begins();
	return NMI_DONE;
}

NOKPROBE_SYMBOL(pmu_model_nmi);

static int prepare_cpu(unsigned int cpu)
{
	struct model_cpu *c = per_cpu_ptr(&model_cpu, cpu);

	memset(c, 0, sizeof(*c));
	pmu_model_state_reset(&pmu_model, &c->state[0]);
	c->state[0].core = core_of(cpu);
	pmu_model_shot_attach(&c->shot, cpu);
	pmu_model_eilvt_power_up(cpu);
	return 0;
}

static int dead_cpu(unsigned int cpu)
{
	pmu_model_shot_detach(&per_cpu_ptr(&model_cpu, cpu)->shot);
	return 0;
}

static void __init describe(void)
{
	if (pmu_model.vendor != PMU_MODEL_AMD)
		pr_info("pmu_model: %s version %u, %u general and %u fixed counters of %u bits\n",
			pmu_model.vendor == PMU_MODEL_INTEL ? "Intel" : "Zhaoxin",
			pmu_model.version, pmu_model.gp, pmu_model.fixed,
			pmu_model.width);
	else
		pr_info("pmu_model: AMD, %u counters%s\n", pmu_model.gp,
			pmu_model.has_global ? ", global registers" : "");
}

static int __init pmu_model_init(void)
{
	int ret;

	if (pmu_model.vendor == PMU_MODEL_OFF)
		return 0;
	describe();
	if (!pmu_model_hpet_init())
		pr_warn("pmu_model: HPET cannot send messages (hpet.msi=on), no overflow interrupts\n");
	pmu_model_stats_reset_accesses();
	pmu_model_stats_reset_overhead();

	register_nmi_handler(NMI_LOCAL, pmu_model_nmi, NMI_FLAG_FIRST,
			     "pmu_model");
	pmu_model_shot_attach(this_cpu_ptr(&model_cpu.shot), smp_processor_id());
	if (pmu_model.ibs_caps)
		pmu_model_eilvt_init();
	ret = cpuhp_setup_state_nocalls(CPUHP_BP_PREPARE_DYN, "x86/pmu_model:prepare",
					prepare_cpu, dead_cpu);
	if (ret < 0)
		return ret;
	if (pmu_model.filter && pmu_model_filter_init())
		pr_warn("pmu_model: filter=ctx needs CONFIG_CONTEXT_TRACKING_USER_FORCE\n");
	return pmu_model_user_rdpmc_init();
}
early_initcall(pmu_model_init);
