// SPDX-License-Identifier: GPL-2.0
/*
 * Room "absent": what the kernel asks for and these drivers do not have yet.
 *
 * Purpose: answer the rest of the kernel for BTS, BRS and microcode, which
 * these drivers do not use: there is none, and there is nothing to do.
 *
 * Owns: nothing.
 *
 * Contexts: any.
 *
 * Locking: none.
 */
#include <linux/errno.h>
#include <linux/export.h>
#include <linux/perf_event.h>
#include <linux/static_call.h>
#include <asm/perf_event.h>

/**
 * perf_check_microcode() - microcode has changed; errata stay as found at boot
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
