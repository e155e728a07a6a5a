// SPDX-License-Identifier: GPL-2.0
/*
 * Room "trace": a record of each access to a register, CPU by CPU.
 *
 * Purpose: tests compare the accesses of two drivers, or check the order in
 * which one driver does them.
 *
 * Owns: one buffer of records for each possible CPU, of the same size. Places
 * are taken in order and never used twice; a full buffer takes no more records.
 * A place is taken with one instruction before the access has its effect, so an
 * NMI that comes after that moment takes a later one. Its kind is written last,
 * and a reader skips a place without a kind: the access is under way, or it was
 * interrupted and has taken another place (cpu.c).
 *
 * Contexts: pmu_model_trace_reserve() and pmu_model_trace_put() run anywhere,
 * NMI included, on the CPU that the record is for and with interrupts off. The
 * other functions run in tasks. The memory is mapped before the buffers are
 * visible; on 64-bit x86 all page tables share the upper levels of the area of
 * vmalloc(), so an access cannot fault.
 *
 * Locking: trace_mutex serialises commands and readers. The access itself takes
 * no lock. Buffers are unpublished, then each CPU runs an interrupt: it can do
 * that only when it is neither in an access nor in an NMI. CPUs that are down
 * access no register, and none comes up while the lock on hotplug is held.
 */
#include <linux/cpu.h>
#include <linux/cpumask.h>
#include <linux/ctype.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/lockdep.h>
#include <linux/mutex.h>
#include <linux/overflow.h>
#include <linux/percpu.h>
#include <linux/seq_file.h>
#include <linux/smp.h>
#include <linux/string.h>
#include <linux/vmalloc.h>

#include "pmu_model.h"

/* The buffer that accesses of a CPU go to now, and the one to read. */
static DEFINE_PER_CPU(struct pmu_model_trace *, recording);
static DEFINE_PER_CPU(struct pmu_model_trace *, kept);

static DEFINE_MUTEX(trace_mutex);
static unsigned int kept_size;	/* records of each buffer; 0: no buffers */
static bool running;

static const char * const trace_names[PMU_TRACE_NR_KINDS] = {
	[PMU_TRACE_READ]	= "read",
	[PMU_TRACE_WRITE]	= "write",
	[PMU_TRACE_FAULT]	= "fault",
	[PMU_TRACE_RDPMC]	= "rdpmc",
	[PMU_TRACE_PMI]		= "pmi",
	[PMU_TRACE_MARKER]	= "marker",
};

/**
 * pmu_model_trace_alloc() - allocate a buffer
 * @size:	number of records, 1 to PMU_MODEL_MAX_TRACE
 *
 * Context: task.
 * Return: an empty buffer for vfree(), or NULL.
 */
struct pmu_model_trace *pmu_model_trace_alloc(unsigned int size)
{
	struct pmu_model_trace *t;

	t = vzalloc(struct_size(t, records, size));
	if (t)
		t->size = size;
	return t;
}

/**
 * pmu_model_trace_take() - take the next place of a buffer
 * @t:		the buffer
 *
 * Context: any, NMI included; on the CPU that the buffer belongs to.
 * Return: a record without a kind, or NULL if the buffer is full; the access is
 * then counted as lost.
 */
struct pmu_model_record *pmu_model_trace_take(struct pmu_model_trace *t)
{
	unsigned long place = local_inc_return(&t->taken) - 1;

	return place < t->size ? &t->records[place] : NULL;
}

/**
 * pmu_model_trace_reserve() - take a place for an access of this CPU
 *
 * Context: any, NMI included; interrupts off.
 * Return: a record for pmu_model_trace_put(), or NULL if accesses are not
 * recorded or the buffer is full.
 */
struct pmu_model_record *pmu_model_trace_reserve(void)
{
	/* The buffer is empty and complete: pairs with start(). */
	struct pmu_model_trace *t = smp_load_acquire(this_cpu_ptr(&recording));

	return t ? pmu_model_trace_take(t) : NULL;
}

/**
 * pmu_model_trace_on() - check whether this CPU records accesses
 *
 * Context: any, NMI included; interrupts off.
 * Return: true if it does, even if the buffer is full.
 */
bool pmu_model_trace_on(void)
{
	return this_cpu_read(recording);
}

/**
 * pmu_model_trace_put() - complete a record
 * @to:		its place, or NULL: nothing is done
 * @from:	the content
 *
 * Context: any, NMI included; on the CPU that has taken the place.
 */
void pmu_model_trace_put(struct pmu_model_record *to,
			 const struct pmu_model_record *from)
{
	if (!to)
		return;
	to->time = from->time;
	to->value = from->value;
	memcpy(to->word, from->word, sizeof(to->word));
	to->address = from->address;
	to->slot = from->slot;
	/* A reader that sees the kind sees the rest. */
	smp_store_release(&to->kind, from->kind);
}

/**
 * pmu_model_trace_show() - print one place of a buffer
 * @m:		file to print to
 * @cpu:	number of the CPU that the buffer belongs to
 * @t:		the buffer
 * @place:	number of the place; the one after the last stands for the number
 *		of lost records
 *
 * Context: task.
 * Return: 0, or SEQ_SKIP if there is nothing to print.
 */
int pmu_model_trace_show(struct seq_file *m, unsigned int cpu,
			 struct pmu_model_trace *t, unsigned int place)
{
	unsigned long taken = local_read(&t->taken);
	const struct pmu_model_record *r = &t->records[place];
	unsigned int kind;

	if (place == t->size) {
		if (taken <= t->size)
			return SEQ_SKIP;
		seq_printf(m, "%u lost %lu\n", cpu, taken - t->size);
		return 0;
	}
	/* Pairs with pmu_model_trace_put(). */
	kind = smp_load_acquire(&r->kind);
	if (!kind)
		return SEQ_SKIP;
	seq_printf(m, "%u %u %llu %s %#x ", cpu, place, r->time,
		   trace_names[kind], r->address);
	if (kind == PMU_TRACE_MARKER)
		seq_puts(m, r->word);
	else if (kind == PMU_TRACE_PMI)
		seq_puts(m, "pmi");
	else
		pmu_model_show_name(m, r->slot);
	seq_printf(m, " %#llx\n", r->value);
	return 0;
}

/* Afterwards no CPU uses the buffers that it had found before. */
static void leave_cpu(void *unused)
{
}

static void stop(void)
{
	unsigned int cpu;

	lockdep_assert_held(&trace_mutex);
	if (!running)
		return;
	cpus_read_lock();
	for_each_possible_cpu(cpu)
		WRITE_ONCE(per_cpu(recording, cpu), NULL);
	on_each_cpu(leave_cpu, NULL, 1);
	cpus_read_unlock();
	running = false;
}

static void free_kept(void)
{
	unsigned int cpu;

	for_each_possible_cpu(cpu) {
		vfree(per_cpu(kept, cpu));
		per_cpu(kept, cpu) = NULL;
	}
	kept_size = 0;
}

static int start(unsigned int size)
{
	unsigned int cpu;

	for_each_possible_cpu(cpu) {
		per_cpu(kept, cpu) = pmu_model_trace_alloc(size);
		if (!per_cpu(kept, cpu)) {
			free_kept();
			return -ENOMEM;
		}
	}
	kept_size = size;
	for_each_possible_cpu(cpu) {
		/* Pairs with pmu_model_trace_reserve(). */
		smp_store_release(per_cpu_ptr(&recording, cpu), per_cpu(kept, cpu));
	}
	running = true;
	return 0;
}

/**
 * pmu_model_trace_set() - begin or end recording
 * @size:	records of each CPU's buffer, at most PMU_MODEL_MAX_TRACE; the
 *		records of an earlier trace are dropped. 0 ends recording and
 *		keeps the records; if nothing is recorded it drops them.
 *
 * Context: task.
 * Return: 0, -EINVAL if @size is too large, or -ENOMEM; then there are no
 * buffers.
 */
int pmu_model_trace_set(unsigned int size)
{
	bool was_running;
	int err = 0;

	if (size > PMU_MODEL_MAX_TRACE)
		return -EINVAL;
	mutex_lock(&trace_mutex);
	was_running = running;
	stop();
	if (size || !was_running)
		free_kept();
	if (size)
		err = start(size);
	mutex_unlock(&trace_mutex);
	return err;
}

/**
 * pmu_model_trace_word() - check the word of a marker
 * @word:	the word
 *
 * Context: any.
 * Return: true if it has 1 to 15 characters, all of [A-Za-z0-9_.:-].
 */
bool pmu_model_trace_word(const char *word)
{
	size_t len = strnlen(word, PMU_MODEL_MAX_WORD);
	size_t i;

	if (!len || len == PMU_MODEL_MAX_WORD)
		return false;
	for (i = 0; i < len; i++)
		if (!isascii(word[i]) || (!isalnum(word[i]) && !strchr("_.:-", word[i])))
			return false;
	return true;
}

static void mark_here(void *word)
{
	pmu_model_mark(word);
}

/**
 * pmu_model_trace_mark() - record a marker
 * @word:	its word, see pmu_model_trace_word()
 * @all:	on all CPUs that are online; otherwise on this CPU only
 *
 * Context: task.
 * Return: 0, -EINVAL if it is no such word, -ENODATA if nothing is recorded.
 */
int pmu_model_trace_mark(char *word, bool all)
{
	int err = 0;

	if (!pmu_model_trace_word(word))
		return -EINVAL;
	mutex_lock(&trace_mutex);
	if (!running)
		err = -ENODATA;
	else if (all)
		on_each_cpu(mark_here, word, 1);
	else
		mark_here(word);
	mutex_unlock(&trace_mutex);
	return err;
}

/* The position in the file counts the places of all CPUs one after the other. */
static void *place_at(loff_t *pos)
{
	for (; kept_size && *pos < (u64)nr_cpu_ids * (kept_size + 1); ++*pos)
		if (cpu_possible(*pos / (kept_size + 1)))
			return pos;
	return NULL;
}

static void *trace_start(struct seq_file *m, loff_t *pos)
{
	mutex_lock(&trace_mutex);
	return place_at(pos);
}

static void *trace_next(struct seq_file *m, void *v, loff_t *pos)
{
	++*pos;
	return place_at(pos);
}

static void trace_stop(struct seq_file *m, void *v)
{
	mutex_unlock(&trace_mutex);
}

static int trace_show(struct seq_file *m, void *v)
{
	u64 pos = *(loff_t *)v;
	unsigned int cpu = pos / (kept_size + 1);

	return pmu_model_trace_show(m, cpu, per_cpu(kept, cpu),
				    pos % (kept_size + 1));
}

static const struct seq_operations trace_ops = {
	.start	= trace_start,
	.next	= trace_next,
	.stop	= trace_stop,
	.show	= trace_show,
};

/**
 * pmu_model_trace_open() - open the file that lists the records
 * @file:	the file
 *
 * Context: task.
 * Return: 0 or -ENOMEM.
 */
int pmu_model_trace_open(struct file *file)
{
	return seq_open(file, &trace_ops);
}
