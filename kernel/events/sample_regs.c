// SPDX-License-Identifier: GPL-2.0
/*
 * Room "sample": registers and the user's stack.
 *
 * Purpose: PERF_SAMPLE_REGS_USER, PERF_SAMPLE_REGS_INTR and
 * PERF_SAMPLE_STACK_USER.
 *
 * Contexts: any down to NMI. User memory is read with page faults off: pages
 * that are not in memory are not shown.
 *
 * Permission: a kernel thread, an I/O worker and a task whose address space has
 * gone have no user registers; an event that excludes the kernel gets no kernel
 * registers.
 */

#include <linux/bitops.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/perf_event.h>
#include <linux/ptrace.h>
#include <linux/sched/task_stack.h>
#include <linux/sizes.h>
#include <linux/uaccess.h>

#include "ring_buffer.h"
#include "sample_parts.h"

static const struct perf_regs sample_no_regs = {
	.abi = PERF_SAMPLE_REGS_ABI_NONE,
};

/* The word for the ABI, and the registers unless that is NONE. */
static u32 sample_regs_bytes(const struct perf_regs *from, u64 mask)
{
	u32 words = 1;

	if (from->abi != PERF_SAMPLE_REGS_ABI_NONE)
		words += hweight64(mask);
	return words * sizeof(u64);
}

/**
 * perf_sample_fill_regs_user() - find the registers of the user's side
 * @data: the sample
 * @event: its event
 * @regs: of the interrupt
 *
 * Also called for a stack dump alone, which needs these registers as well.
 *
 * Context: any, preemption off.
 */
void perf_sample_fill_regs_user(struct perf_sample_data *data,
				struct perf_event *event,
				struct pt_regs *regs)
{
	struct perf_regs *user = &data->regs_user;

	*user = sample_no_regs;
	if (user_mode(regs)) {
		user->regs = regs;
		user->abi = perf_reg_abi(current);
	} else if (is_user_task(current)) {
		perf_get_regs_user(user, regs);
	}

	if (!user->regs)
		user->abi = PERF_SAMPLE_REGS_ABI_NONE;
	if (event->attr.sample_type & PERF_SAMPLE_REGS_USER)
		data->dyn_size += sample_regs_bytes(user,
					event->attr.sample_regs_user);
}

/**
 * perf_sample_fill_regs_intr() - find the registers of the interrupt
 * @data: the sample
 * @event: its event
 * @regs: of the interrupt, or more precise ones from the driver
 *
 * Context: any, preemption off.
 */
void perf_sample_fill_regs_intr(struct perf_sample_data *data,
				struct perf_event *event,
				struct pt_regs *regs)
{
	struct perf_regs *intr = &data->regs_intr;

	*intr = sample_no_regs;
	if (!perf_sample_hides(event, regs)) {
		intr->regs = regs;
		intr->abi = perf_reg_abi(current);
	}
	data->dyn_size += sample_regs_bytes(intr, event->attr.sample_regs_intr);
}

static void sample_emit_regs(struct perf_output_handle *handle,
			     const struct perf_regs *from, u64 mask)
{
	u64 words[1 + BITS_PER_TYPE(mask)];
	unsigned int nr = 0;

	words[nr++] = from->abi;
	if (from->abi == PERF_SAMPLE_REGS_ABI_NONE)
		mask = 0;
	for (; mask; mask &= mask - 1)
		words[nr++] = perf_reg_value(from->regs, __ffs64(mask));

	perf_rb_write(handle, words, nr * sizeof(words[0]));
}

/**
 * perf_sample_emit_regs_user() - write the registers of the user's side
 * @record: the sample, filled by perf_sample_fill_regs_user()
 *
 * Context: between perf_output_begin() and perf_output_end().
 */
void perf_sample_emit_regs_user(const struct perf_sample_record *record)
{
	sample_emit_regs(record->handle, &record->data->regs_user,
			 record->event->attr.sample_regs_user);
}

/**
 * perf_sample_emit_regs_intr() - write the registers of the interrupt
 * @record: the sample, filled by perf_sample_fill_regs_intr()
 *
 * Context: between perf_output_begin() and perf_output_end().
 */
void perf_sample_emit_regs_intr(const struct perf_sample_record *record)
{
	sample_emit_regs(record->handle, &record->data->regs_intr,
			 record->event->attr.sample_regs_intr);
}

/* Stacks of other threads are farther from the start of the first one's. */
#define SAMPLE_FIRST_STACK	SZ_8M

#ifdef CONFIG_HAVE_PERF_USER_STACK_DUMP
static unsigned long sample_stack_pointer(struct pt_regs *regs)
{
	return user_stack_pointer(regs);
}
#else
/* attr refuses the field on such architectures. */
static unsigned long sample_stack_pointer(struct pt_regs *regs)
{
	return 0;
}
#endif

/**
 * perf_sample_fit_stack() - decide how much of the user's stack is dumped
 * @data: the sample, complete except for this field
 * @event: its event
 * @room: bytes by which the record can still grow, at least one word
 *
 * The end of the stack cannot be found without the lock of the address space,
 * so the end of the address space is the bound.
 *
 * Context: any, preemption off.
 */
void perf_sample_fit_stack(struct perf_sample_data *data,
			   struct perf_event *event, u32 room)
{
	/* Two words frame the dump: the reserved and the real length. */
	const u32 frame = 2 * sizeof(u64);
	unsigned long sp = 0;
	u64 bytes = 0;

	if (data->regs_user.regs && is_user_task(current))
		sp = sample_stack_pointer(data->regs_user.regs);
	if (sp && sp < TASK_SIZE && room > frame)
		bytes = min3((u64)event->attr.sample_stack_user,
			     (u64)(TASK_SIZE - sp), (u64)(room - frame));
	bytes = round_down(bytes, sizeof(u64));

	data->stack_user_size = bytes;
	data->dyn_size += bytes ? frame + bytes : sizeof(u64);
}

/*
 * The first thread has used its stack from the start down to @sp, so the pages
 * between are there, except those of large variables that were never written.
 * At such a page, at one that was swapped out, or after prctl(2) moved the
 * start, the copy ends with an exception.
 */
static bool sample_stack_was_used(unsigned long sp, unsigned long len)
{
	unsigned long used = READ_ONCE(current->mm->start_stack) - sp;

	return used >= len && used < SAMPLE_FIRST_STACK;
}

/*
 * Other dumps go page by page: most end where the stack does, and the page
 * behind it is absent. Checking for that first is cheaper than the exception.
 */
static unsigned long sample_write_stack(struct perf_output_handle *handle,
					unsigned long sp, unsigned long len)
{
	if (sample_stack_was_used(sp, len))
		return perf_rb_write_user(handle, (const void __user *)sp, len);

	while (len) {
		unsigned long piece = min(len, PAGE_SIZE - offset_in_page(sp));
		unsigned long left;

		left = perf_rb_write_user(handle, (const void __user *)sp,
					  piece);
		sp += piece;
		len -= piece;
		if (left)
			return len + left;
		if (len && perf_sample_is_absent(sp))
			break;
	}
	return len;
}

/**
 * perf_sample_emit_stack() - write the dump of the user's stack
 * @record: the sample, as perf_sample_fit_stack() left it
 *
 * Context: between perf_output_begin() and perf_output_end().
 */
void perf_sample_emit_stack(const struct perf_sample_record *record)
{
	struct perf_output_handle *handle = record->handle;
	u64 reserved = record->data->stack_user_size;
	unsigned long sp, rest;
	u64 copied;

	perf_rb_write_word(handle, &reserved);
	if (!reserved)
		return;

	sp = sample_stack_pointer(record->data->regs_user.regs);
	rest = sample_write_stack(handle, sp, reserved);
	if (rest)
		perf_output_skip(handle, rest);

	copied = reserved - rest;
	perf_rb_write_word(handle, &copied);
}
