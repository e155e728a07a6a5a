// SPDX-License-Identifier: GPL-2.0
/*
 * Room "intel/ds_buffer": memory for the records of precise events.
 *
 * Purpose: each CPU has a debug store (DS) area, which tells the processor
 * where its buffers are, SDM vol. 3 18.4.9 and 20.3.1.1. The processor writes
 * with the page tables of whatever runs, so both are in the CPU entry area,
 * which is mapped in user space's tables, too.
 *
 * Owns: cpu_debug_store, the buffers, IA32_DS_AREA.
 *
 * Contexts: tasks that open or close events; a work; a CPU that starts to count
 * a precise event, interrupts off.
 *
 * Lifetime: the area of a CPU is mapped at boot. The buffers of all possible
 * CPUs begin with the first precise event, and end a second after the last one
 * was closed, so that a program that opens and closes such events does not pay
 * for it each time. IA32_DS_AREA is written when a CPU first needs it, and
 * keeps its value: without precise events the processor does not use it.
 *
 * Locking: intel_ds_life::lock for the buffers. The number of users becomes
 * positive only with the lock held, so it stays zero while the work frees the
 * buffers.
 */
#include <linux/cleanup.h>
#include <linux/gfp.h>
#include <linux/jiffies.h>
#include <linux/perf_event.h>
#include <linux/topology.h>
#include <asm/cpu_entry_area.h>
#include <asm/io.h>
#include <asm/perf_event.h>
#include <asm/tlbflush.h>
#include "../regs.h"
#include "ds_buffer.h"

/* How long the buffers outlive the last event. */
#define LINGER		HZ

DEFINE_PER_CPU_PAGE_ALIGNED(struct debug_store, cpu_debug_store);

/* The buffer of each CPU, by its address in the linear mapping. */
static DEFINE_PER_CPU(void *, buffer_pages);

/* What IA32_DS_AREA contains; NULL if that is unknown. */
static DEFINE_PER_CPU(struct debug_store *, area);

static struct intel_ds_life buffers;
static size_t buffer_size __ro_after_init;

/* Starts itself again if the last event was closed less than a second ago. */
static void end_work(struct work_struct *work)
{
	struct intel_ds_life *life = container_of(to_delayed_work(work),
						  struct intel_ds_life, work);
	unsigned long end;

	guard(mutex)(&life->lock);
	if (atomic_read(&life->users) || !life->exist)
		return;
	end = READ_ONCE(life->idle_since) + LINGER;
	if (time_before(jiffies, end)) {
		schedule_delayed_work(&life->work, end - jiffies);
		return;
	}
	life->end();
	life->exist = false;
}

/**
 * intel_ds_life_init() - prepare buffers that begin with their first user
 * @life: all zeros
 * @begin: makes them; returns 0 or an errno
 * @end: frees them
 *
 * Context: any.
 */
void intel_ds_life_init(struct intel_ds_life *life, int (*begin)(void), void (*end)(void))
{
	life->begin = begin;
	life->end = end;
	mutex_init(&life->lock);
	INIT_DELAYED_WORK(&life->work, end_work);
}

/**
 * intel_ds_life_get() - an event needs the buffers
 * @life: the buffers
 *
 * Context: task; takes the lock.
 * Return: 0, or an errno of what makes them.
 */
int intel_ds_life_get(struct intel_ds_life *life)
{
	int err = 0;

	if (atomic_inc_not_zero(&life->users))
		return 0;
	guard(mutex)(&life->lock);
	if (!life->exist)
		err = life->begin();
	if (err)
		return err;
	life->exist = true;
	atomic_inc(&life->users);
	return 0;
}

/**
 * intel_ds_life_put() - an event needs them no longer
 * @life: the buffers
 *
 * Context: any.
 */
void intel_ds_life_put(struct intel_ds_life *life)
{
	/* The work may run at once when there are no users. */
	WRITE_ONCE(life->idle_since, jiffies);
	if (atomic_dec_and_test(&life->users) && !delayed_work_pending(&life->work))
		schedule_delayed_work(&life->work, LINGER);
}

/* Where the processor finds the buffer of a CPU. */
static char *mapping_of(unsigned int cpu)
{
	return get_cpu_entry_area(cpu)->cpu_debug_buffers.pebs_buffer;
}

/* Nothing was mapped there before, so no TLB has an entry for it. */
static void map(unsigned int cpu, void *pages)
{
	char *to = mapping_of(cpu);
	phys_addr_t from = virt_to_phys(pages);
	size_t i;

	guard(preempt)();
	for (i = 0; i < buffer_size; i += PAGE_SIZE)
		cea_set_pte(to + i, from + i, PAGE_KERNEL);
}

static void unmap(unsigned int cpu)
{
	char *at = mapping_of(cpu);
	size_t i;

	guard(preempt)();
	for (i = 0; i < buffer_size; i += PAGE_SIZE)
		cea_set_pte(at + i, 0, PAGE_NONE);
}

static void unmap_all(void)
{
	unsigned int cpu;

	for_each_possible_cpu(cpu) {
		if (per_cpu(buffer_pages, cpu))
			unmap(cpu);
	}
	/* The TLB of each CPU may have entries for its buffer. */
	flush_tlb_all();
	for_each_possible_cpu(cpu) {
		free_pages((unsigned long)per_cpu(buffer_pages, cpu), get_order(buffer_size));
		per_cpu(buffer_pages, cpu) = NULL;
	}
}

static int map_all(void)
{
	unsigned int cpu;
	struct page *pages;

	for_each_possible_cpu(cpu) {
		pages = alloc_pages_node(cpu_to_node(cpu), GFP_KERNEL | __GFP_ZERO,
					 get_order(buffer_size));
		if (!pages) {
			unmap_all();
			return -ENOMEM;
		}
		per_cpu(buffer_pages, cpu) = page_address(pages);
		map(cpu, page_address(pages));
	}
	return 0;
}

/**
 * intel_ds_buffer_init() - say how large the buffers are
 * @size: bytes, a power of two and at most PEBS_BUFFER_SIZE
 *
 * Context: boot.
 */
void __init intel_ds_buffer_init(size_t size)
{
	buffer_size = size;
	intel_ds_life_init(&buffers, map_all, unmap_all);
}

/**
 * intel_ds_buffer_get() - a precise event is opened
 *
 * Context: task; takes the lock of the buffers.
 * Return: 0, or -ENOMEM.
 */
int intel_ds_buffer_get(void)
{
	return intel_ds_life_get(&buffers);
}

/**
 * intel_ds_buffer_put() - a precise event is closed
 *
 * Context: any.
 */
void intel_ds_buffer_put(void)
{
	intel_ds_life_put(&buffers);
}

/**
 * intel_ds_buffer_of() - find the area of a CPU
 * @cpu: its number
 *
 * Context: any, while a precise event exists.
 * Return: the area, with the limits of its buffer.
 */
struct debug_store *intel_ds_buffer_of(unsigned int cpu)
{
	struct debug_store *ds = &get_cpu_entry_area(cpu)->cpu_debug_store;
	u64 base = (unsigned long)mapping_of(cpu);

	ds->pebs_buffer_base = base;
	ds->pebs_index = base;
	ds->pebs_absolute_maximum = base + buffer_size;
	return ds;
}

/**
 * intel_ds_buffer_use() - tell the processor where its area is
 * @ds: the area of this CPU
 *
 * Context: this CPU, interrupts off; it has no precise event yet.
 */
void intel_ds_buffer_use(struct debug_store *ds)
{
	if (this_cpu_read(area) == ds)
		return;
	x86_regs_write(MSR_IA32_DS_AREA, (unsigned long)ds);
	this_cpu_write(area, ds);
}

/**
 * intel_ds_buffer_forget() - a CPU starts; its registers may contain anything
 *
 * Context: this CPU, interrupts off.
 */
void intel_ds_buffer_forget(void)
{
	this_cpu_write(area, NULL);
}

/**
 * perf_restore_debug_store() - the machine resumes
 *
 * Context: this CPU, interrupts off.
 */
void perf_restore_debug_store(void)
{
	if (this_cpu_read(area))
		x86_regs_write(MSR_IA32_DS_AREA, (unsigned long)this_cpu_read(area));
}
