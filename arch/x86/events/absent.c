// SPDX-License-Identifier: GPL-2.0
/*
 * Room "absent": what the kernel asks for and these drivers do not have yet.
 *
 * Purpose: answer the rest of the kernel for PEBS, BTS and BRS, which
 * these drivers do not use: there is none, and there is nothing to do.
 *
 * Owns: the debug store in the CPU entry area. The area is mapped at boot, long
 * before a driver could use it.
 *
 * Contexts: any.
 *
 * Locking: none.
 */
#include <linux/errno.h>
#include <linux/export.h>
#include <linux/perf_event.h>
#include <linux/static_call.h>
#include <asm/intel_ds.h>
#include <asm/perf_event.h>

DEFINE_PER_CPU_PAGE_ALIGNED(struct debug_store, cpu_debug_store);

/**
 * perf_restore_debug_store() - the machine resumes; no debug store is in use
 *
 * Context: this CPU, interrupts off.
 */
void perf_restore_debug_store(void)
{
}

/**
 * perf_check_microcode() - microcode has changed; nothing in use depends on it
 *
 * Context: task.
 */
void perf_check_microcode(void)
{
}

#ifdef PERF_NEEDS_LOPWR_CB
/* Called around idle states while branches are sampled, which never happens. */
DEFINE_STATIC_CALL_NULL(perf_lopwr_cb, perf_amd_brs_lopwr_cb);
EXPORT_STATIC_CALL_TRAMP_GPL(perf_lopwr_cb);
#endif
