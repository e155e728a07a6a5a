/* SPDX-License-Identifier: GPL-2.0 */
/* Room "run": events on counters: start, stop, read. */
#ifndef _ARCH_X86_EVENTS_RUN_H
#define _ARCH_X86_EVENTS_RUN_H

#include "engine.h"

/**
 * struct x86_run_precise - what the vendor's driver does for precise events
 * @open:	a task opens one; returns 0 or an errno
 * @close:	a task closes one
 * @start:	on its CPU, before its counter runs: prepare records
 * @leave:	its counter stands still and is taken away: write the last
 *		samples
 * @update:	on its CPU, if the processor begins its periods: write samples,
 *		and bring the count up to date
 * @restore:	on a CPU that has lost its registers: write those of precise
 *		events
 */
struct x86_run_precise {
	int	(*open)(void);
	void	(*close)(void);
	void	(*start)(struct x86_cpu *cpu, struct perf_event *event);
	void	(*leave)(struct x86_cpu *cpu, struct perf_event *event);
	void	(*update)(struct x86_cpu *cpu, struct perf_event *event);
	void	(*restore)(void);
};

/**
 * struct x86_run_metrics - what the vendor's driver does for metrics and slots
 * @begin:	a slots event is about to run: write its counter and the metrics
 * @update:	bring the counts of slots and metrics up to date
 * @leave:	the slots event leaves its counter, which stands still: save the
 *		values
 * @read:	a slots or metric event is read: bring counts up to date, and
 *		set the counter of slots and the metrics to 0
 * @add:	a metric event is scheduled in; returns 0, or -ENOSPC if the
 *		metric has another event
 * @del:	a metric event is scheduled out
 * @start:	start a metric event
 * @stop:	stop a metric event, with its count up to date
 *
 * Called on the CPU itself with interrupts off; @begin, @update, @start and
 * @stop also in the PMI, @read also in NMI.
 */
struct x86_run_metrics {
	void	(*begin)(struct x86_cpu *cpu, struct perf_event *slots);
	void	(*update)(struct x86_cpu *cpu);
	void	(*leave)(struct x86_cpu *cpu, struct perf_event *slots);
	void	(*read)(struct x86_cpu *cpu, struct perf_event *event);
	int	(*add)(struct x86_cpu *cpu, struct perf_event *event, int flags);
	void	(*del)(struct x86_cpu *cpu, struct perf_event *event);
	void	(*start)(struct x86_cpu *cpu, struct perf_event *event);
	void	(*stop)(struct x86_cpu *cpu, struct perf_event *event);
};

void x86_run_set_metrics(const struct x86_run_metrics *what);
void x86_run_set_precise(const struct x86_run_precise *what);
int x86_run_open(const struct perf_event *event);
void x86_run_close(const struct perf_event *event);
void x86_run_update(struct perf_event *event);
void x86_run_update_precise(struct perf_event *event);
void x86_run_hide(struct perf_event *event);
bool x86_run_rearm(struct x86_cpu *cpu, struct perf_event *event);
void x86_run_stop(struct perf_event *event, int flags);
void x86_run_reload(struct x86_cpu *cpu, struct perf_event *event, bool run);
void x86_run_rebase(struct perf_event *event);
void x86_run_set_warm_up(void (*warm_up)(struct x86_cpu *cpu));
void x86_run_set_wait(void (*wait)(u64 stopped));
void x86_run_mark(u64 counters);
void x86_run_unmark(u64 counters);
void x86_run_take(struct x86_cpu *cpu, struct perf_event *event, unsigned int counter);
void x86_run_finish(struct x86_cpu *cpu, struct perf_event *event);
void x86_run_reprogram(struct x86_cpu *cpu);
void x86_run_restore(struct x86_cpu *cpu);
bool x86_run_warms_up(void);
bool x86_run_suspend(struct x86_cpu *cpu, u64 counters);
bool x86_run_pause(struct x86_cpu *cpu);
void x86_run_unpause(struct x86_cpu *cpu, bool enabled);
void x86_run_resume(struct x86_cpu *cpu, bool enabled);

/*
 * Second half of a pair: the event "merge", PPR for family 17h, 2.1.15.2. Its
 * counter takes what does not fit into the first one.
 */
#define X86_PAIR_CONFIG		0xf000000ffULL

/* The methods of struct pmu. */
int x86_run_add(struct perf_event *event, int flags);
void x86_run_del(struct perf_event *event, int flags);
void x86_run_start(struct perf_event *event, int flags);
void x86_run_read(struct perf_event *event);
void x86_run_enable(struct pmu *pmu);
void x86_run_disable(struct pmu *pmu);
void x86_run_begin_txn(struct pmu *pmu, unsigned int flags);
int x86_run_commit_txn(struct pmu *pmu);
void x86_run_cancel_txn(struct pmu *pmu);

#endif /* _ARCH_X86_EVENTS_RUN_H */
