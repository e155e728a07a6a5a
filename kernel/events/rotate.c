// SPDX-License-Identifier: GPL-2.0
/*
 * Room "rotate": who runs when not all groups fit.
 *
 * Purpose: while some flexible group waits, a timer for each PMU and CPU has
 * the scheduler choose anew, by service received, once a choice has been on for
 * an interval; it fires when the first one will have been. A task switch does the
 * same for the context that it loads, so contexts that never run long enough for
 * the timer take turns as well. A turn ends early only where groups came or went.
 *
 * Owns: the handler of cpc->mux_timer.
 *
 * Contexts: hard timer interrupt on the CPU in question; on another one when
 * that CPU went offline with its timer under way.
 *
 * Locking: takes both context locks; mux_lock alone, after them.
 *
 * Why no wish for the timer is lost: between the handler's look at who waits
 * and its switching itself off no group of this CPU can fail to go on, since
 * that happens on this CPU only, where interrupts are off.
 */
#include "clock.h"
#include "context.h"
#include "pmu.h"
#include "recursion.h"
#include "rotate.h"
#include "sched.h"

/*
 * A turn that came a little too early, by the context's clock, or at a bad
 * moment is tried again after this part of an interval.
 */
#define PERF_ROTATE_PATIENCE	64

/* Nanoseconds until the groups of @epc take turns, U64_MAX if they need not. */
static u64 perf_rotate_left_locked(struct perf_event_pmu_context *epc)
{
	if (!epc)
		return U64_MAX;
	lockdep_assert_held(&epc->ctx->lock);
	return epc->rotate_necessary ? perf_sched_choice_left_locked(epc) :
				       U64_MAX;
}

/*
 * The CPU's groups choose before the task's. Whoever chooses gets all the room
 * that those after it have left so far, so these choose as well. Software events
 * are members of groups too: a turn that comes while such are told waits.
 */
static void perf_rotate_locked(struct perf_cpu_pmu_context *cpc)
{
	struct perf_event_pmu_context *task_epc = cpc->task_epc;
	bool cpu_due = !perf_rotate_left_locked(&cpc->epc);
	struct pmu *pmu = cpc->epc.pmu;

	lockdep_assert_held(&cpc->epc.ctx->lock);
	if (!cpu_due && perf_rotate_left_locked(task_epc))
		return;
	if (perf_recursion_is_interrupted())
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

/* Return: nanoseconds until the next turn, U64_MAX if nobody waits for room. */
static u64 perf_rotate_oncpu(struct perf_cpu_pmu_context *cpc)
{
	struct perf_cpu_context *cpuctx = this_cpu_ptr(&perf_cpu_context);
	struct perf_event_context *task_ctx = cpuctx->task_ctx;
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

/*
 * When a CPU goes offline another one takes over its timers. There is nothing on
 * that CPU that could take turns, and what is here has a timer of its own.
 */
static bool perf_rotate_is_stray(const struct perf_cpu_pmu_context *cpc)
{
	return cpc != perf_cpc_oncpu(cpc->epc.pmu);
}

static enum hrtimer_restart perf_rotate_timer(struct hrtimer *timer)
{
	struct perf_cpu_pmu_context *cpc;
	u64 left = U64_MAX;

	lockdep_assert_irqs_disabled();
	cpc = container_of(timer, struct perf_cpu_pmu_context, mux_timer);
	if (!perf_rotate_is_stray(cpc))
		left = perf_rotate_oncpu(cpc);

	guard(raw_spinlock)(&cpc->mux_lock);
	if (left == U64_MAX) {
		cpc->mux_active = false;
		return HRTIMER_NORESTART;
	}
	left = max_t(u64, left, cpc->mux_interval / PERF_ROTATE_PATIENCE);
	hrtimer_set_expires(timer, ktime_add_ns(ktime_get(), left));
	return HRTIMER_RESTART;
}

/**
 * perf_rotate_init - give the multiplexing timers their handler
 *
 * Context: boot, before the first PMU is registered.
 */
void __init perf_rotate_init(void)
{
	perf_pmu_mux_handler = perf_rotate_timer;
}
