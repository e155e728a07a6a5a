// SPDX-License-Identifier: GPL-2.0
/*
 * A timer that replaces the performance monitor interrupt
 *
 * Purpose: some emulated processors set a bit in MMCR0 when a counter
 * overflows, but do not interrupt. A timer looks at the bit and calls
 * perf_irq(), as the interrupt would. The driver sees only one difference: the
 * registers are those of the timer's interrupt.
 *
 *   pmi_poll=MICROSECONDS	period of the timer; nothing is done without it
 *
 * Owns: one timer for each CPU that is online.
 *
 * Contexts: hard interrupt. Interrupts are off wherever the driver has stopped
 * the counters, so the timer never interrupts the driver's work on them.
 *
 * Locking: none, all data is per CPU.
 */
#include <linux/cpuhotplug.h>
#include <linux/hrtimer.h>
#include <linux/init.h>
#include <linux/kstrtox.h>
#include <linux/percpu.h>
#include <linux/printk.h>
#include <linux/time64.h>

#include <asm/hardirq.h>
#include <asm/irq_regs.h>
#include <asm/pmc.h>
#include <asm/reg.h>

#define PMI_POLL_MIN_US		20
#define PMI_POLL_IDLE_US	4000

static unsigned int pmi_poll_us __ro_after_init;
static DEFINE_PER_CPU(struct hrtimer, pmi_poll_timer);

/* Frozen without an alert: no event counts here. */
static bool pmi_poll_is_idle(unsigned long mmcr0)
{
	return (mmcr0 & (MMCR0_FC | MMCR0_PMAO)) == MMCR0_FC;
}

static enum hrtimer_restart pmi_poll(struct hrtimer *timer)
{
	unsigned long mmcr0 = mfspr(SPRN_MMCR0);
	struct pt_regs *regs = get_irq_regs();
	unsigned int us = pmi_poll_us;

	if (pmi_poll_is_idle(mmcr0)) {
		us = max(us, PMI_POLL_IDLE_US);
	} else if ((mmcr0 & MMCR0_PMAO) && regs) {
		__this_cpu_inc(irq_stat.pmu_irqs);
		perf_irq(regs);
	}
	hrtimer_forward_now(timer, ns_to_ktime(us * NSEC_PER_USEC));
	return HRTIMER_RESTART;
}

static int pmi_poll_online(unsigned int cpu)
{
	struct hrtimer *timer = this_cpu_ptr(&pmi_poll_timer);

	hrtimer_init(timer, CLOCK_MONOTONIC, HRTIMER_MODE_REL_PINNED_HARD);
	timer->function = pmi_poll;
	hrtimer_start(timer, ns_to_ktime(pmi_poll_us * NSEC_PER_USEC),
		      HRTIMER_MODE_REL_PINNED_HARD);
	return 0;
}

static int pmi_poll_offline(unsigned int cpu)
{
	hrtimer_cancel(this_cpu_ptr(&pmi_poll_timer));
	return 0;
}

static int __init pmi_poll_setup(char *text)
{
	if (kstrtouint(text, 0, &pmi_poll_us) ||
	    pmi_poll_us < PMI_POLL_MIN_US || pmi_poll_us > USEC_PER_SEC) {
		pr_warn("pmi_poll=%s: not between %d and %ld\n", text,
			PMI_POLL_MIN_US, USEC_PER_SEC);
		pmi_poll_us = 0;
	}
	return 1;
}
__setup("pmi_poll=", pmi_poll_setup);

static int __init pmi_poll_init(void)
{
	int state;

	if (!pmi_poll_us)
		return 0;
	state = cpuhp_setup_state(CPUHP_AP_ONLINE_DYN, "perf/powerpc/pmi_poll:online",
				  pmi_poll_online, pmi_poll_offline);
	if (state < 0)
		return state;
	pr_info("performance monitor alerts are looked for every %u us\n",
		pmi_poll_us);
	return 0;
}
device_initcall(pmi_poll_init);
