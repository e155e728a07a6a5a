// SPDX-License-Identifier: GPL-2.0
/*
 * Room "rotate": multiplexing; groups take turns when not all fit.
 *
 * Purpose: while a flexible group waits, a timer for each PMU and CPU makes the
 * scheduler choose groups again, by service received, when a choice has held
 * for an interval. The timer fires when one of the two choices, the CPU's and
 * the task's, has held that long; the other one may have held up to twice that
 * long, if its groups began to wait later. A task switch does the same for the
 * context that it loads, so groups of a context that never runs long enough for
 * the timer take turns as well. A turn ends early only if groups were added or
 * removed.
 *
 * Owns: the handler of cpc->mux_timer; cpc->late_turn.
 *
 * Contexts: hard timer interrupt on the CPU in question, or the end of the walk
 * that it has interrupted (see remote.c); on another CPU if the first one went
 * offline while its timer was pending.
 *
 * Locking: takes the locks of both contexts; mux_lock inside of them when a
 * group has to wait, and alone after their release.
 *
 * Why no start of the timer is lost: the handler checks for waiting groups, and
 * stops the timer if there is none. In between, no group of this CPU can begin
 * to wait, since groups are scheduled in only on this CPU, where interrupts are
 * off.
 */
#include "clock.h"
#include "context.h"
#include "hooks.h"
#include "pmu.h"
#include "rotate.h"
#include "sched.h"
#include "walk.h"

/*
 * If the timer fires a little too early by the context's clock, it fires again
 * after this part of an interval.
 */
#define PERF_ROTATE_PATIENCE	64

/* Nanoseconds until the groups of @epc take turns, U64_MAX if none waits. */
static u64 perf_rotate_left_locked(struct perf_pmu_ctx *epc)
{
	if (!epc)
		return U64_MAX;
	lockdep_assert_held(&epc->ctx->lock);
	return epc->rotate_necessary ? perf_sched_choice_left_locked(epc) :
				       U64_MAX;
}

/*
 * The CPU's groups are chosen before the task's. A choice may take all counters
 * that are left for the later groups, so these are chosen again as well.
 */
static void perf_rotate_locked(struct perf_cpu_pmu_context *cpc)
{
	struct perf_pmu_ctx *task_epc = cpc->task_epc;
	bool cpu_due = !perf_rotate_left_locked(&cpc->epc);
	struct pmu *pmu = cpc->epc.pmu;

	lockdep_assert_held(&cpc->epc.ctx->lock);
	if (!cpu_due && perf_rotate_left_locked(task_epc))
		return;
	perf_pmu_disable(pmu);
	if (task_epc)
		perf_sched_flexible_out_locked(task_epc);
	if (cpu_due) {
		perf_sched_flexible_out_locked(&cpc->epc);
		perf_sched_choose_locked(&cpc->epc);
	}
	if (task_epc)
		perf_sched_choose_locked(task_epc);
	perf_pmu_enable(pmu);
}

/* Return: nanoseconds until the next turn, U64_MAX if no group waits. */
static u64 perf_rotate_both_oncpu(struct perf_cpu_pmu_context *cpc)
{
	struct perf_cpu_context *cpuctx = this_cpu_ptr(&perf_cpu_context);
	struct perf_ctx *task_ctx = cpuctx->task_ctx;
	u64 left;

	perf_ctx_lock_pair(cpuctx, task_ctx);
	perf_ctx_clock_update_locked(&cpuctx->ctx);
	if (task_ctx)
		perf_ctx_clock_update_locked(task_ctx);
	perf_rotate_locked(cpc);
	left = min(perf_rotate_left_locked(&cpc->epc),
		   perf_rotate_left_locked(cpc->task_epc));
	perf_ctx_unlock_pair(cpuctx, task_ctx);
	return left;
}

/* Return: nanoseconds until the timer has to fire, U64_MAX if it is stopped. */
static u64 perf_rotate_oncpu(struct perf_cpu_pmu_context *cpc)
{
	u64 left = perf_rotate_both_oncpu(cpc);

	guard(raw_spinlock)(&cpc->mux_lock);
	if (left == U64_MAX) {
		cpc->mux_active = false;
		return U64_MAX;
	}
	return max_t(u64, left, cpc->mux_interval / PERF_ROTATE_PATIENCE);
}

/* A walk has ended; meanwhile the timer was marked as active. */
static void perf_rotate_late(struct perf_late *late)
{
	struct perf_cpu_pmu_context *cpc;
	u64 left;

	lockdep_assert_irqs_disabled();
	cpc = container_of(late, struct perf_cpu_pmu_context, late_turn);
	left = perf_rotate_oncpu(cpc);
	if (left != U64_MAX)
		hrtimer_start(&cpc->mux_timer, ns_to_ktime(left),
			      HRTIMER_MODE_REL_PINNED_HARD);
}

/*
 * When a CPU goes offline another CPU takes over its timers. The offline CPU
 * has no groups that could take turns, and those of this CPU have a timer of
 * their own.
 */
static bool perf_rotate_is_stray(const struct perf_cpu_pmu_context *cpc)
{
	return cpc != perf_cpc_oncpu(cpc->epc.pmu);
}

static enum hrtimer_restart perf_rotate_timer(struct hrtimer *timer)
{
	struct perf_cpu_pmu_context *cpc;
	u64 left;

	lockdep_assert_irqs_disabled();
	cpc = container_of(timer, struct perf_cpu_pmu_context, mux_timer);
	if (perf_rotate_is_stray(cpc)) {
		scoped_guard(raw_spinlock, &cpc->mux_lock)
			cpc->mux_active = false;
		return HRTIMER_NORESTART;
	}
	if (perf_walk_defer_oncpu(&cpc->late_turn, perf_rotate_late))
		return HRTIMER_NORESTART;
	left = perf_rotate_oncpu(cpc);
	if (left == U64_MAX)
		return HRTIMER_NORESTART;
	hrtimer_set_expires(timer, ktime_add_ns(ktime_get(), left));
	return HRTIMER_RESTART;
}

/**
 * perf_rotate_init() - give the multiplexing timers their handler
 *
 * Context: boot, before the first PMU is registered.
 */
void __init perf_rotate_init(void)
{
	perf_hooks.mux_timer = perf_rotate_timer;
}
