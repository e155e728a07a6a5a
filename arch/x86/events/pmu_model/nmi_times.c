// SPDX-License-Identifier: GPL-2.0
/*
 * PMU model: durations of overflow interrupts
 *
 * A duration begins when the model passes a PMI on to the next handler, see cpu.c, and
 * ends when the other NMI handlers have returned, among them the PMU driver's. It is in
 * ticks of the time-stamp counter, less those that the model spends. A second
 * handler of the model, the last on the list, records the end. It is registered
 * only during a measurement, so that it costs nothing otherwise.
 *
 * Owns the recorded durations, in no order. When the array is full, further ones are
 * counted only.
 *
 * Locking: times_mutex serialises readers and writers of the file. NMIs take a slot of
 * the array with one atomic addition; a reader may see slots that are not filled yet, as 0.
 */
#include <linux/atomic.h>
#include <linux/cleanup.h>
#include <linux/errno.h>
#include <linux/kprobes.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/sort.h>
#include <linux/string.h>

#include <asm/msr.h>
#include <asm/nmi.h>

#include "pmu_model.h"

#define MAX_TIMES	32768

struct watch {
	u64	begin;	/* TSC; 0: no interrupt is measured */
	u64	model;	/* ticks that the model had spent before */
};

static DEFINE_PER_CPU(struct watch, watch);
static DEFINE_MUTEX(times_mutex);
static bool measuring;
static atomic_t seen;
static u32 *times;

/**
 * pmu_model_nmi_begins() - note that a PMI is passed on to the driver
 *
 * Context: NMI.
 */
void pmu_model_nmi_begins(void)
{
	if (!READ_ONCE(measuring))
		return;
	__this_cpu_write(watch.model, __this_cpu_read(pmu_model_stats.ticks));
	__this_cpu_write(watch.begin, rdtsc());
}

NOKPROBE_SYMBOL(pmu_model_nmi_begins);

static int stop_watch(unsigned int type, struct pt_regs *regs)
{
	u64 begin = __this_cpu_read(watch.begin);
	u64 took = rdtsc() - begin;
	unsigned int place;

	if (!begin)
		return NMI_DONE;
	__this_cpu_write(watch.begin, 0);
	took -= __this_cpu_read(pmu_model_stats.ticks) - __this_cpu_read(watch.model);
	place = atomic_fetch_inc(&seen);
	if (place < MAX_TIMES)
		times[place] = min_t(u64, took, U32_MAX);
	return NMI_DONE;
}

NOKPROBE_SYMBOL(stop_watch);

static void stop_measuring(void)
{
	if (!measuring)
		return;
	WRITE_ONCE(measuring, false);
	/* Waits for NMIs that run it. */
	unregister_nmi_handler(NMI_LOCAL, "pmu_model_last");
}

static int start_measuring(void)
{
	unsigned int cpu;
	int err;

	if (!times)
		times = kcalloc(MAX_TIMES, sizeof(*times), GFP_KERNEL);
	if (!times)
		return -ENOMEM;
	memset(times, 0, MAX_TIMES * sizeof(*times));
	atomic_set(&seen, 0);
	for_each_possible_cpu(cpu)
		per_cpu(watch.begin, cpu) = 0;
	err = register_nmi_handler(NMI_LOCAL, stop_watch, 0, "pmu_model_last");
	if (!err)
		WRITE_ONCE(measuring, true);
	return err;
}

/**
 * pmu_model_nmi_times_set() - drop the recorded durations
 * @on:		true to begin a new measurement
 *
 * Context: task.
 * Return: 0 or -ENOMEM.
 */
int pmu_model_nmi_times_set(bool on)
{
	guard(mutex)(&times_mutex);
	stop_measuring();
	atomic_set(&seen, 0);
	return on ? start_measuring() : 0;
}

static int by_size(const void *left, const void *right)
{
	u32 a = *(const u32 *)left, b = *(const u32 *)right;

	return (a > b) - (a < b);
}

/* The smallest duration that @permille of a thousand do not exceed. */
static u32 quantile(const u32 *sorted, unsigned int count, unsigned int permille)
{
	return sorted[DIV_ROUND_UP(count * permille, 1000) - 1];
}

/**
 * pmu_model_nmi_times_show() - print statistics of the durations
 * @m:		file to print to
 *
 * Context: task.
 * Return: 0 or -ENOMEM.
 */
int pmu_model_nmi_times_show(struct seq_file *m)
{
	unsigned int count;
	u32 *sorted;

	guard(mutex)(&times_mutex);
	count = atomic_read(&seen);
	seq_printf(m, "interrupts %u\n", count);
	count = min(count, MAX_TIMES);
	if (!count)
		return 0;
	sorted = kmemdup(times, count * sizeof(*times), GFP_KERNEL);
	if (!sorted)
		return -ENOMEM;
	sort(sorted, count, sizeof(*sorted), by_size, NULL);
	seq_printf(m, "kept %u\nmedian %u\nhighest-in-a-thousand %u\nlongest %u\n", count,
		   quantile(sorted, count, 500), quantile(sorted, count, 999),
		   sorted[count - 1]);
	kfree(sorted);
	return 0;
}
