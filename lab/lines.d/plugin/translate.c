// SPDX-License-Identifier: GPL-2.0
/*
 * The plugin: callbacks for each block and each access of memory
 *
 * A block of instructions counts for the function that it is in, or for the
 * last other function if that one is a helper, such as a lock.
 */
#include <stdlib.h>
#include <string.h>

#include "lines.h"
#include "qemu.h"

#define INSN_BITS	20
#define MAX_TRIES	64
#define STACK_SHIFT	14	/* THREAD_SIZE and its alignment */
#define SOON		20000	/* instructions from a function of perf's to its memory */

struct insn {
	__u64	pc;
	bool		locked;
	bool		stack;	/* push, pop, call, return */
	bool		clears;
	bool		skip;
};

struct block {
	__u64	pc;
	__u32	insns;
	__u32	func;
	__u32	nr_lines;
	__u64	lines[];	/* host address >> LINE_SHIFT */
};

struct vcpu {
	__u32	user;		/* the function that instructions count for */
	bool		perf;		/* it is perf's */
	__u64	stack;		/* an address near the stack's end */
	__u64	insns;
	__u32	last_perf;	/* the last function of perf's */
	__u64	last_perf_at;	/* value of insns at that time */
	__u64	clear_begin, clear_next;
};

static struct vcpu vcpus[MAX_CPUS];
static struct insn *insns[1u << INSN_BITS];
static __u64 calibrate_vaddr, calibrate_host;

/*
 * Code has host addresses, data guest-physical ones. A load of a known
 * instruction shows how they differ.
 */
void calibrate_at(__u64 vaddr, __u64 host)
{
	calibrate_vaddr = vaddr;
	calibrate_host = host;
}

static void calibrate(__u32 info, __u64 vaddr)
{
	struct qemu_plugin_hwaddr *hw;

	if (vaddr != calibrate_vaddr)
		return;
	hw = qemu_plugin_get_hwaddr(info, vaddr);
	calibrate_vaddr = 0;
	if (hw && !qemu_plugin_hwaddr_is_io(hw))
		place_calibrate(calibrate_host, qemu_plugin_hwaddr_phys_addr(hw));
}

static void enter_function(struct vcpu *v, __u32 func)
{
	const struct symbol *symbol = &functions.all[func];

	if (symbol->helper)
		return;
	v->user = func;
	v->perf = symbol->perf;
	if (symbol->perf) {
		v->last_perf = func;
		v->last_perf_at = v->insns;
	} else if (func == NO_FUNC) {
		v->last_perf = NO_FUNC;
	}
}

static void on_block(unsigned int cpu, void *data)
{
	const struct block *block = data;
	struct vcpu *v = &vcpus[cpu];
	struct access a;

	if (functions.all[block->func].skip)
		return;
	enter_function(v, block->func);
	v->insns += block->insns;
	if (!active)
		return;
	region_count(INSNS, block->insns, v->perf);
	active->by_function[block->func] += block->insns;
	if (!place_calibrated())
		return;
	a = (struct access) { .cpu = cpu, .pc = block->pc, .vaddr = block->pc,
			      .user = v->user, .code = true, .perf = v->perf };
	for (__u32 i = 0; i < block->nr_lines; i++) {
		a.line = block->lines[i] - (place_host_base() >> LINE_SHIFT);
		if (a.line < nr_lines)
			cache_access(&a);
	}
}

/* An allocator fills an object with zeros: for whom, and from where. */
static void note_cleared(struct vcpu *v, __u64 vaddr, __u64 size, __u64 physical)
{
	struct line *line = &lines[physical >> LINE_SHIFT];
	bool soon = v->insns - v->last_perf_at < SOON;

	if (vaddr != v->clear_next)
		v->clear_begin = vaddr;
	v->clear_next = vaddr + size;
	line->begin = v->clear_begin;
	line->maker = soon ? v->last_perf : NO_FUNC;
}

/* Stacks belong to no structure; an access of one is not perf's. */
static bool is_on_stack(struct vcpu *v, const struct insn *insn, __u64 vaddr)
{
	if (insn->stack)
		v->stack = vaddr;
	return vaddr >> STACK_SHIFT == v->stack >> STACK_SHIFT;
}

static void count_access(struct access *a, __u64 size, __u64 physical, bool locked)
{
	__u64 last = (physical + size - 1) >> LINE_SHIFT;

	region_count(a->write ? STORES : LOADS, 1, a->perf);
	if (locked && a->write)
		region_count(LOCKED, 1, a->perf);
	a->write |= locked;
	a->line = physical >> LINE_SHIFT;
	cache_access(a);
	/* An access that crosses a page counts for the first one only. */
	if (last == a->line || (last << LINE_SHIFT) % PAGE_SIZE == 0 || last >= nr_lines)
		return;
	a->line = last;
	a->vaddr += size - 1;
	cache_access(a);
}

static void on_access(unsigned int cpu, __u32 info, __u64 vaddr, void *data)
{
	const struct insn *insn = data;
	struct vcpu *v = &vcpus[cpu];
	__u64 physical, size = 1ULL << qemu_plugin_mem_size_shift(info);
	bool store = qemu_plugin_mem_is_store(info), stack;
	struct qemu_plugin_hwaddr *hw;
	struct access a;

	if (calibrate_vaddr)
		calibrate(info, vaddr);
	if (insn->skip)
		return;
	stack = is_on_stack(v, insn, vaddr);
	if (!active && !(insn->clears && store && vaddr >> 63))
		return;
	hw = qemu_plugin_get_hwaddr(info, vaddr);
	if (!hw || qemu_plugin_hwaddr_is_io(hw))
		return;
	physical = qemu_plugin_hwaddr_phys_addr(hw);
	if (physical >> LINE_SHIFT >= nr_lines)
		return;
	if (insn->clears && store && !stack)
		note_cleared(v, vaddr, size, physical);
	if (!active)
		return;
	a = (struct access) { .cpu = cpu, .pc = insn->pc, .vaddr = vaddr, .user = v->user,
			      .write = store, .perf = v->perf && !stack };
	count_access(&a, size, physical, insn->locked);
}

/* Return: index of the first byte of the opcode. */
static size_t skip_prefixes(const __u8 *byte, size_t size)
{
	static const __u8 prefixes[] = {
		0x26, 0x2e, 0x36, 0x3e, 0x64, 0x65, 0x66, 0x67, 0xf2, 0xf3,
	};
	size_t i = 0;

	while (i < size && ((byte[i] & 0xf0) == 0x40 ||
			    memchr(prefixes, byte[i], sizeof(prefixes))))
		i++;
	return i;
}

/* A lock prefix, or an exchange with memory, which is locked without one. */
static bool is_locked(const __u8 *byte, size_t size)
{
	size_t i = skip_prefixes(byte, size);

	if (i < size && byte[i] == 0xf0)
		return true;
	return i + 1 < size && (byte[i] & 0xfe) == 0x86 && byte[i + 1] < 0xc0;
}

static bool is_stack(const __u8 *byte, size_t size)
{
	size_t i = size > 1 && (byte[0] & 0xf0) == 0x40;

	return (byte[i] & 0xf0) == 0x50 || byte[i] == 0xe8 || byte[i] == 0xc3;
}

/* One for each instruction: blocks are translated again and again. */
static struct insn *intern(const struct insn *new)
{
	size_t i = new->pc * HASH_FACTOR >> (64 - INSN_BITS);
	struct insn *insn;

	for (int tries = 0; insns[i] && tries < MAX_TRIES; tries++) {
		insn = insns[i];
		if (insn->pc == new->pc && insn->locked == new->locked &&
		    insn->stack == new->stack)
			return insn;
		i = (i + 1) % ARRAY_SIZE(insns);
	}
	insn = must(malloc(sizeof(*insn)));
	*insn = *new;
	if (!insns[i])
		insns[i] = insn;
	return insn;
}

static void add_lines(struct block *block, __u64 host, size_t size)
{
	__u64 first = host >> LINE_SHIFT, last = (host + size - 1) >> LINE_SHIFT;

	if (!block->nr_lines || block->lines[block->nr_lines - 1] != first)
		block->lines[block->nr_lines++] = first;
	if (last != first && (last << LINE_SHIFT) % PAGE_SIZE)
		block->lines[block->nr_lines++] = last;
}

static void translate_insn(struct block *block, struct qemu_plugin_insn *insn)
{
	const struct symbol *symbol = &functions.all[block->func];
	const __u8 *byte = qemu_plugin_insn_data(insn);
	size_t size = qemu_plugin_insn_size(insn);
	struct insn new = {
		.pc = qemu_plugin_insn_vaddr(insn),
		.locked = is_locked(byte, size),
		.stack = is_stack(byte, size),
		.clears = symbol->clears,
		.skip = symbol->skip,
	};

	qemu_plugin_register_vcpu_mem_cb(insn, on_access, QEMU_PLUGIN_CB_NO_REGS,
					 QEMU_PLUGIN_MEM_RW, intern(&new));
	add_lines(block, (__u64)qemu_plugin_insn_haddr(insn), size);
}

void translate(struct qemu_plugin_tb *tb)
{
	size_t n = qemu_plugin_tb_n_insns(tb);
	struct block *block = must(calloc(1, sizeof(*block) + 2 * n * sizeof(__u64)));

	block->pc = qemu_plugin_tb_vaddr(tb);
	block->insns = n;
	block->func = function_at(block->pc);
	for (size_t i = 0; i < n; i++)
		translate_insn(block, qemu_plugin_tb_get_insn(tb, i));
	qemu_plugin_register_vcpu_tb_exec_cb(tb, on_block, QEMU_PLUGIN_CB_NO_REGS, block);
}
