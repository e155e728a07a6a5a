// SPDX-License-Identifier: GPL-2.0
/*
 * PMU model: telling user mode from kernel mode
 *
 * Context tracking reports when a CPU enters and leaves user mode; with
 * filter=ctx the counters that count in one mode only follow these reports. An
 * NMI that interrupts user code counts as user mode, since it is not reported.
 *
 * Contexts: tracepoint probes in entry code, interrupts off.
 */
#include <linux/init.h>
#include <trace/events/context_tracking.h>

#include "pmu_model.h"

static void enter_user(void *data, int dummy)
{
	pmu_model_set_mode(true);
}

static void leave_user(void *data, int dummy)
{
	pmu_model_set_mode(false);
}

/**
 * pmu_model_filter_init() - follow the mode of each CPU
 *
 * Return: 0 or the error of the registration; then both modes count as one.
 */
int __init pmu_model_filter_init(void)
{
	int ret = register_trace_user_enter(enter_user, NULL);

	if (ret)
		return ret;
	ret = register_trace_user_exit(leave_user, NULL);
	if (ret)
		unregister_trace_user_enter(enter_user, NULL);
	return ret;
}
