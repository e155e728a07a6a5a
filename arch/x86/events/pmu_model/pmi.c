// SPDX-License-Identifier: GPL-2.0
/*
 * PMU model: overflow interrupts
 *
 * An overflow must interrupt any code at once, with interrupts off or not.
 * Comparators of the HPET can do that: they send messages to a local APIC with
 * delivery mode NMI, and plain MMIO writes arm them, which is possible in an
 * NMI. Each CPU has one, counted from the last downwards, since the first two
 * belong to the legacy timer interrupts. A comparator that is set, and the
 * interrupt that it sends, are called a shot.
 *
 * Owns the comparators it takes, and its own mapping of the HPET. It was
 * written for QEMU's HPET (hpet.msi=on), whose comparator also fires when it is
 * set to the past.
 *
 * Contexts: the functions with suffix _nmi run on the CPU whose comparator they
 * touch with interrupts off, or in an NMI there; attach and detach run while
 * that CPU is down, or is the boot CPU at init.
 *
 * Races: an NMI can interrupt the programming of a comparator. The comparator,
 * its former setting, or another source may have sent it.
 *  1. While @changing is set the sender of such an NMI is unknown. It is taken
 *     for ours and @missed is set. The interrupted code then checks whether the
 *     new shot was due by then, and if so makes the CPU interrupt itself.
 *  2. A shot may be on its way while it is replaced. If the old moment has
 *     passed when the new one is set, one NMI is expected as a stray.
 *  3. An NMI that the CPU sends to itself may merge with the comparator's:
 *     after it one stray is expected.
 *  4. A handler that runs during 1 does not touch the comparator; the code that
 *     it interrupted checks the counters again (cpu.c).
 */
#include <linux/init.h>
#include <linux/io.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/printk.h>
#include <linux/seq_file.h>
#include <linux/smp.h>

#include <asm/apic.h>
#include <asm/hpet.h>
#include <asm/msr.h>

#include "pmu_model.h"

#define FEMTOSEC_PER_SEC	1000000000000000ULL
#define CALIBRATE_HZ		100	/* for a hundredth of a second */
#define DEAR_READ		400	/* TSC ticks; under -icount it is some dozen */
#define STRAY_SECONDS		4	/* a busy host stops guests for long */

#define LEGACY_COMPARATORS	2
#define ROUTE_ADDRESS		0xfee00000U
#define ROUTE_APICID_SHIFT	12
#define MAX_ROUTE_APICID	0xff

/* In HPET ticks. The section that programs the shot is not over yet. */
#define SKID			16
#define FARTHEST		BIT_ULL(40)
#define WRAP_GUARD		0x100000U
#define IN_FLIGHT		10000

static struct {
	void __iomem	*base;
	unsigned int	comparators;
	u64		ticks_per_tsc;	/* times 2^32 */
	u64		epoch;		/* HPET count and */
	u64		epoch_tsc;	/* TSC of one moment */
	u64		tsc_hz;
	u64		farthest;	/* all in TSC ticks */
	s64		lazy;
	u64		stray_grace;
} hpet __ro_after_init;

static __always_inline u32 hpet_get(u32 reg)
{
	return readl(hpet.base + reg);
}

static __always_inline void hpet_set(u32 reg, u32 val)
{
	writel(val, hpet.base + reg);
}

/* QEMU takes no 64-bit accesses. A small low half may follow a carry. */
static u64 __init read_both_halves(void)
{
	u32 high = hpet_get(HPET_COUNTER + 4);
	u32 low = hpet_get(HPET_COUNTER);

	if (low < WRAP_GUARD)
		high = hpet_get(HPET_COUNTER + 4);
	return (u64)high << 32 | low;
}

/* Only the low half is read, which is slow; the TSC gives the high one. */
static u64 hpet_now(void)
{
	u32 low = hpet_get(HPET_COUNTER);
	u64 about = hpet.epoch + mul_u64_u64_shr(rdtsc() - hpet.epoch_tsc,
						 hpet.ticks_per_tsc, 32);

	return about + (s32)(low - (u32)about);
}

static void __init calibrate(u64 hz)
{
	u64 start = read_both_halves();
	u64 tsc = rdtsc();
	unsigned int reads = 0;
	u64 end;

	hpet.epoch = start;
	hpet.epoch_tsc = tsc;
	do {
		end = read_both_halves();
		reads++;
	} while (end - start < hz / CALIBRATE_HZ);
	tsc = rdtsc() - tsc;

	hpet.ticks_per_tsc = div64_u64((end - start) << 32, tsc);
	hpet.tsc_hz = mul_u64_u64_div_u64(tsc, hz, end - start);
	hpet.farthest = div64_u64(FARTHEST << 20, (hpet.ticks_per_tsc >> 12) + 1);
	hpet.lazy = tsc / reads > DEAR_READ ? S64_MIN : hpet.tsc_hz / 20;
	hpet.stray_grace = hpet.tsc_hz * STRAY_SECONDS;
}

/**
 * pmu_model_hpet_init() - find the HPET and measure it against the TSC
 *
 * Context: boot CPU, before the other CPUs are started.
 * Return: false if there is no HPET or none of its free comparators can send
 * messages; the model then works without interrupts.
 */
bool __init pmu_model_hpet_init(void)
{
	u32 id, last;

	if (!hpet_address)
		return false;
	hpet.base = ioremap(hpet_address, HPET_MMAP_SIZE);
	if (!hpet.base)
		return false;

	id = hpet_get(HPET_ID);
	hpet.comparators = ((id & HPET_ID_NUMBER) >> HPET_ID_NUMBER_SHIFT) + 1;
	last = HPET_Tn_CFG((hpet.comparators - 1));
	if (hpet.comparators <= LEGACY_COMPARATORS || !(id & HPET_ID_64BIT) ||
	    !(hpet_get(last) & HPET_TN_FSB_CAP) || !hpet_get(HPET_PERIOD)) {
		iounmap(hpet.base);
		hpet.base = NULL;
		return false;
	}
	hpet_set(HPET_CFG, hpet_get(HPET_CFG) | HPET_CFG_ENABLE);
	calibrate(div_u64(FEMTOSEC_PER_SEC, hpet_get(HPET_PERIOD)));
	return true;
}

/**
 * pmu_model_shot_attach() - give a CPU its comparator
 * @shot:	the CPU's shot; becomes usable if a comparator is left
 * @cpu:	the CPU
 *
 * Context: the CPU is the boot CPU at init, or is about to be started.
 */
void pmu_model_shot_attach(struct pmu_model_shot *shot, unsigned int cpu)
{
	u32 apicid = cpu_physical_id(cpu);

	*shot = (struct pmu_model_shot) { };
	if (!hpet.base)
		return;
	if (cpu + LEGACY_COMPARATORS >= hpet.comparators ||
	    apicid > MAX_ROUTE_APICID) {
		pr_warn("pmu_model: no HPET comparator for CPU %u, no overflow interrupts there\n",
			cpu);
		return;
	}
	shot->base = HPET_Tn_CFG((hpet.comparators - 1 - cpu));
	hpet_set(shot->base, 0);
	hpet_set(shot->base + HPET_T0_ROUTE - HPET_T0_CFG, APIC_DM_NMI);
	hpet_set(shot->base + HPET_T0_ROUTE - HPET_T0_CFG + 4,
		 ROUTE_ADDRESS | apicid << ROUTE_APICID_SHIFT);
	shot->high = hpet_get(shot->base + HPET_T0_CMP - HPET_T0_CFG + 4);
	shot->usable = true;
}

/**
 * pmu_model_shot_detach() - disable the comparator of a CPU that is offline
 * @shot:	the CPU's shot
 *
 * Context: the CPU is dead.
 */
void pmu_model_shot_detach(struct pmu_model_shot *shot)
{
	if (shot->usable)
		hpet_set(shot->base, 0);
	shot->usable = false;
	shot->armed = false;
}

/**
 * pmu_model_shot_send() - interrupt this CPU without waiting for the comparator
 * @shot:	this CPU's comparator; its own NMI may still come as a stray
 *
 * Context: interrupts off. Within an NMI the new one comes afterwards.
 */
void pmu_model_shot_send(struct pmu_model_shot *shot)
{
	WRITE_ONCE(shot->sent, true);
	__apic_send_IPI(smp_processor_id(), NMI_VECTOR);
}

static void enable(struct pmu_model_shot *shot, bool on)
{
	hpet_set(shot->base, on ? HPET_TN_FSB | HPET_TN_ENABLE : HPET_TN_FSB);
	shot->enabled = on;
}

/* Writes the comparator in two halves; it must not compare in between. */
static void set_target(struct pmu_model_shot *shot, u64 target)
{
	u32 cmp = shot->base + HPET_T0_CMP - HPET_T0_CFG;
	u32 high = upper_32_bits(target);

	if (shot->enabled && high != shot->high)
		enable(shot, false);
	shot->target = target;
	shot->armed = true;
	if (high != shot->high)
		hpet_set(cmp + 4, high);
	shot->high = high;
	hpet_set(cmp, lower_32_bits(target));
	if (!shot->enabled)
		enable(shot, true);
}

static void replace(struct pmu_model_shot *shot, u64 ticks)
{
	u64 now, old = shot->target;
	bool doubt;

	WRITE_ONCE(shot->changing, true);
	barrier();
	now = hpet_now();
	doubt = shot->armed && (s64)(old - now) < IN_FLIGHT;
	if (doubt)
		shot->stray_until = rdtsc() + hpet.stray_grace;

	if (ticks == PMU_MODEL_NEVER) {
		shot->armed = false;
		enable(shot, false);
	} else {
		shot->tsc = rdtsc() + ticks;
		set_target(shot, now + SKID +
			   mul_u64_u64_shr(ticks, hpet.ticks_per_tsc, 32));
	}
	barrier();
	WRITE_ONCE(shot->changing, false);

	if (doubt && (s64)(hpet_now() - old) < 0)
		shot->stray_until = 0;
}

/*
 * A shot that has become too early may stay: when it comes the comparator is
 * set again. Where MMIO is slow that is always the better choice. Under -icount
 * MMIO is nearly free, and a shot is replaced to save the NMI, except for shots
 * that are far away: those of counters that only count.
 */
static bool may_stay(const struct pmu_model_shot *shot, u64 ticks)
{
	s64 left = shot->tsc - rdtsc();

	if (!shot->armed)
		return ticks == PMU_MODEL_NEVER;
	return left > hpet.lazy && (left < 0 || left <= ticks);
}

/* An NMI was taken for a stray while the comparator was set: was it this shot? */
static void make_up_for_missed(struct pmu_model_shot *shot)
{
	if (!READ_ONCE(shot->missed))
		return;
	WRITE_ONCE(shot->missed, false);
	if (shot->armed && (s64)(hpet_now() - shot->target) >= 0)
		pmu_model_shot_send(shot);
}

/**
 * pmu_model_shot_program_nmi() - set the comparator for the next overflow
 * @shot:	this CPU's comparator
 * @ticks:	time until then, in TSC ticks; PMU_MODEL_NEVER disables it
 *
 * Context: interrupts off, or NMI.
 */
void pmu_model_shot_program_nmi(struct pmu_model_shot *shot, u64 ticks)
{
	if (!shot->usable || shot->changing)
		return;
	if (ticks != PMU_MODEL_NEVER)
		ticks = min(ticks, hpet.farthest);
	if (may_stay(shot, ticks))
		return;
	replace(shot, ticks);
	make_up_for_missed(shot);
	__this_cpu_inc(pmu_model_stats.shots[PMU_SHOT_PROGRAMMED]);
}

/**
 * pmu_model_shot_cause_nmi() - find out whether the comparator sent this NMI
 * @shot:	this CPU's comparator; its shot is used up if it was the sender
 *
 * Context: NMI.
 * Return: the sender.
 */
enum pmu_model_nmi_cause pmu_model_shot_cause_nmi(struct pmu_model_shot *shot)
{
	u64 until = shot->stray_until;

	if (!shot->usable)
		return PMU_NMI_FOREIGN;
	if (READ_ONCE(shot->changing)) {
		WRITE_ONCE(shot->missed, true);
		return PMU_NMI_STRAY;
	}
	if (READ_ONCE(shot->sent)) {
		WRITE_ONCE(shot->sent, false);
		shot->armed = false;
		shot->stray_until = rdtsc() + hpet.stray_grace;
		return PMU_NMI_SHOT;
	}
	if (shot->armed && (s64)(hpet_now() - shot->target) >= 0) {
		shot->armed = false;
		return PMU_NMI_SHOT;
	}
	shot->stray_until = 0;
	return until && (s64)(until - rdtsc()) > 0 ? PMU_NMI_STRAY :
						     PMU_NMI_FOREIGN;
}

/**
 * pmu_model_lvt_masked_nmi() - check whether the local APIC masks PMIs
 *
 * A delivery mode other than NMI is not modelled and counts as masked.
 *
 * Context: NMI.
 * Return: true if it does.
 */
bool pmu_model_lvt_masked_nmi(void)
{
	u32 lvt = apic_read(APIC_LVTPC);

	return (lvt & APIC_LVT_MASKED) || (lvt & APIC_MODE_MASK) != APIC_DM_NMI;
}

/**
 * pmu_model_lvt_mask_nmi() - mask PMIs, as an Intel APIC does on delivery
 *
 * SDM vol. 3 11.5.1: software has to unmask the entry again.
 *
 * Context: NMI; the entry is known to be unmasked and to send NMIs.
 */
void pmu_model_lvt_mask_nmi(void)
{
	apic_write(APIC_LVTPC, APIC_DM_NMI | APIC_LVT_MASKED);
}

/**
 * pmu_model_hpet_show() - print the results of finding and measuring the HPET
 * @m:		file to print to
 */
void pmu_model_hpet_show(struct seq_file *m)
{
	if (!hpet.base) {
		seq_puts(m, "interrupts none\n");
		return;
	}
	seq_puts(m, "interrupts hpet\n");
	seq_printf(m, "hpet-comparators %u\n", hpet.comparators);
	seq_printf(m, "tsc-hz %llu\n", hpet.tsc_hz);
}
