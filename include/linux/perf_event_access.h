/* SPDX-License-Identifier: GPL-2.0 */
/*
 * perf events: sysctls, and what the caller is permitted to observe.
 */
#ifndef _LINUX_PERF_EVENT_ACCESS_H
#define _LINUX_PERF_EVENT_ACCESS_H

#include <linux/capability.h>
#include <linux/errno.h>
#include <linux/security.h>
#include <linux/types.h>

struct ctl_table;

/* Hook types of security_perf_event_open(). */
#define PERF_SECURITY_OPEN		0	/* any perf_event_open(2) */
#define PERF_SECURITY_CPU		1	/* events of a CPU */
#define PERF_SECURITY_KERNEL		2	/* kernel mode is observed */
#define PERF_SECURITY_TRACEPOINT	3	/* tracepoint payload */

#ifdef CONFIG_PERF_EVENTS

extern int sysctl_perf_event_paranoid;
extern int sysctl_perf_event_mlock;
extern int sysctl_perf_event_sample_rate;
extern int sysctl_perf_cpu_time_max_percent;

int perf_event_max_sample_rate_handler(const struct ctl_table *table, int write,
				       void *buffer, size_t *lenp,
				       loff_t *ppos);
int perf_cpu_time_max_percent_handler(const struct ctl_table *table, int write,
				      void *buffer, size_t *lenp, loff_t *ppos);
int perf_event_max_stack_handler(const struct ctl_table *table, int write,
				 void *buffer, size_t *lenp, loff_t *ppos);

/* Level 3, of distributions: no events at all without privilege. */
static inline bool perf_paranoid_any(void)
{
	return sysctl_perf_event_paranoid > 2;
}

/* Level 0 and up: no raw tracepoint data without privilege. */
static inline int perf_is_paranoid(void)
{
	return sysctl_perf_event_paranoid > -1;
}

/* May the caller observe kernel mode? */
int perf_allow_kernel(void);

/**
 * perf_allow_cpu() - check whether the caller may observe all tasks on a CPU
 *
 * Context: task.
 * Return: 0, -EACCES, or an error of the security module.
 */
static inline int perf_allow_cpu(void)
{
	bool limited = sysctl_perf_event_paranoid > 0;

	if (limited && !perfmon_capable())
		return -EACCES;

	return security_perf_event_open(PERF_SECURITY_CPU);
}

/**
 * perf_allow_tracepoint() - check whether the caller may see tracepoint payload
 *
 * Context: task.
 * Return: 0, -EPERM, or an error of the security module.
 */
static inline int perf_allow_tracepoint(void)
{
	if (perf_is_paranoid() && !perfmon_capable())
		return -EPERM;

	return security_perf_event_open(PERF_SECURITY_TRACEPOINT);
}

#endif /* CONFIG_PERF_EVENTS */

#endif /* _LINUX_PERF_EVENT_ACCESS_H */
