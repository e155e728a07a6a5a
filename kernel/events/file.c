// SPDX-License-Identifier: GPL-2.0
/*
 * Room "file": the operations of an event's file.
 *
 * Purpose: poll, ioctl, fasync, fdinfo, release; mmap and read have rooms of
 * their own. An ioctl is a row of a table.
 *
 * Owns: perf_file_ops.
 *
 * Contexts: task.
 *
 * Lifetime: the file holds a reference on its event until it is released. An
 * open that fails may release a file that has no event and no descriptor.
 *
 * Locking: an ioctl changes the event under event->ctx->mutex. One that touches
 * user memory does so before it takes the mutex, or after it has released it: a
 * fault may take as long as the program that handles it likes, and a whole family
 * may wait for the mutex. Ioctls that also change copies hold child_mutex as
 * well, so that no copy leaves meanwhile.
 */
#include <linux/bitmap.h>
#include <linux/bpf.h>
#include <linux/compat.h>
#include <linux/file.h>
#include <linux/kallsyms.h>
#include <linux/hw_breakpoint.h>
#include <linux/perf_refuse.h>
#include <linux/poll.h>
#include <linux/security.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/trace_events.h>
#include <linux/uaccess.h>
#include "addr_filter.h"
#include "attr.h"
#include "batch.h"
#include "context.h"
#include "control.h"
#include "event.h"
#include "file.h"
#include "mmap.h"
#include "random.h"
#include "read.h"
#include "tracing.h"

static int perf_file_release(struct inode *inode, struct file *file)
{
	struct perf_event *event = file->private_data;

	/* The file gets its event when the open cannot fail any more. */
	return event ? perf_event_close(event) : 0;
}

static __poll_t perf_file_poll(struct file *file, poll_table *wait)
{
	struct perf_event *event = file->private_data;

	poll_wait(file, &event->waitq, wait);
	if (perf_event_is_revoked(event))
		return EPOLLHUP | EPOLLERR;
	if (READ_ONCE(event->state) == PERF_EVENT_STATE_ERROR)
		return EPOLLERR | perf_mmap_poll(event);
	if (perf_read_is_hup(event))
		return EPOLLHUP;
	return perf_mmap_poll(event);
}

static int perf_file_fasync(int fd, struct file *file, int on)
{
	struct perf_event *event = file->private_data;
	struct inode *inode = file_inode(file);
	int ret;

	inode_lock(inode);
	ret = fasync_helper(fd, file, on, &event->fasync);
	inode_unlock(inode);
	return min(ret, 0);
}

#ifdef CONFIG_PROC_FS
/*
 * config1 and config2 may be the address of a breakpoint or a probe. The file may
 * have been passed to a program that must not learn addresses of the kernel.
 */
static bool perf_file_shows_address(const struct perf_event *event,
				    const struct seq_file *m)
{
	if (event->attr.type != PERF_TYPE_BREAKPOINT &&
	    !perf_tracing_is_event(event))
		return true;
	return kallsyms_show_value(m->file->f_cred);
}

/* Shows the requested type, and the PMU: "none" for a revoked event. */
static void perf_file_show_fdinfo(struct seq_file *m, struct file *file)
{
	struct perf_event *event = file->private_data;
	const struct perf_event_attr *attr = &event->attr;
	u64 mask = perf_file_shows_address(event, m) ? ~0ULL : 0;

	seq_printf(m, "perf_event_attr.type:\t%u\n", event->orig_type);
	seq_printf(m, "perf_event_attr.config:\t0x%llx\n", attr->config);
	seq_printf(m, "perf_event_attr.config1:\t0x%llx\n",
		   attr->config1 & mask);
	seq_printf(m, "perf_event_attr.config2:\t0x%llx\n",
		   attr->config2 & mask);
	seq_printf(m, "perf_event_attr.config3:\t0x%llx\n", attr->config3);
	seq_printf(m, "perf_event_attr.config4:\t0x%llx\n", attr->config4);
	guard(rcu)();
	seq_printf(m, "pmu:\t%s\n", READ_ONCE(event->pmu)->name);
}
#endif

static long perf_file_apply(struct perf_event *event, unsigned long flags,
			    enum perf_batch_op op)
{
	/* The rest of the word has never been checked. */
	if ((u32)flags & PERF_IOC_FLAG_GROUP)
		perf_batch_group(event->group_leader, op);
	else
		perf_batch_event(event, op);
	return 0;
}

static long perf_ioctl_enable(struct perf_event *event, unsigned long arg)
{
	return perf_file_apply(event, arg, PERF_BATCH_ENABLE);
}

static long perf_ioctl_disable(struct perf_event *event, unsigned long arg)
{
	return perf_file_apply(event, arg, PERF_BATCH_DISABLE);
}

static long perf_ioctl_reset(struct perf_event *event, unsigned long arg)
{
	return perf_file_apply(event, arg, PERF_BATCH_RESET);
}

static long perf_ioctl_refresh(struct perf_event *event, unsigned long arg)
{
	return perf_control_refresh(event, arg);
}

/*
 * Takes the mutex of an event whose PMU has not gone.
 * Return: 0; -ENODEV, without the mutex, if the PMU has gone.
 */
static int perf_file_lock(struct perf_event *event, struct perf_ctx **ctx)
{
	*ctx = perf_event_ctx_lock(event);
	if (!perf_event_is_revoked(event))
		return 0;
	perf_event_ctx_unlock(event, *ctx);
	return -ENODEV;
}

static long perf_ioctl_period(struct perf_event *event, unsigned long arg)
{
	struct perf_ctx *ctx;
	u64 value;
	int err;

	if (get_user(value, (u64 __user *)arg))
		return -EFAULT;
	err = perf_file_lock(event, &ctx);
	if (err)
		return err;
	err = perf_control_period(event, value);
	perf_event_ctx_unlock(event, ctx);
	return err;
}

static long perf_ioctl_random_period(struct perf_event *event,
				     unsigned long arg)
{
	void __user *from = (void __user *)arg;
	struct perf_event_random_period how;
	struct perf_ctx *ctx;
	int err;

	BUILD_BUG_ON(sizeof(how) != PERF_RANDOM_PERIOD_SIZE_VER0);
	err = perf_ext_copy_in(&how, sizeof(how), from,
			       PERF_RANDOM_PERIOD_SIZE_VER0);
	if (!err)
		err = perf_file_lock(event, &ctx);
	if (err)
		return err;
	err = perf_random_set(event, &how);
	perf_event_ctx_unlock(event, ctx);
	return err;
}

static long perf_ioctl_get_random_period(struct perf_event *event,
					 unsigned long arg)
{
	void __user *to = (void __user *)arg;
	struct perf_event_random_period how;
	struct perf_ctx *ctx;
	u32 size;
	int err;

	err = perf_ext_copy_in(&how, sizeof(how), to,
			       PERF_RANDOM_PERIOD_SIZE_VER0);
	if (!err)
		err = perf_file_lock(event, &ctx);
	if (err)
		return err;
	size = how.size;
	perf_random_get(event, &how);
	how.size = size;
	perf_event_ctx_unlock(event, ctx);
	return perf_ext_copy_out(&how, sizeof(how), to);
}

static long perf_ioctl_id(struct perf_event *event, unsigned long arg)
{
	return put_user(event->id, (u64 __user *)arg);
}

static long perf_ioctl_set_output(struct perf_event *event, unsigned long arg)
{
	struct perf_event *target;
	struct file *file;
	long err;

	/* A descriptor is an int; most programs pass no more than 32 bits. */
	if ((int)arg == -1)
		return perf_mmap_set_output(event, NULL);
	file = fget(arg);
	if (!file)
		return -EBADF;
	target = perf_file_event(file);
	err = target ? perf_mmap_set_output(event, target) : -EBADF;
	fput(file);
	return err;
}

static long perf_ioctl_set_filter(struct perf_event *event, unsigned long arg)
{
	char *text = strndup_user((const char __user *)arg, PAGE_SIZE);
	int err;

	if (IS_ERR(text))
		return PTR_ERR(text);
	if (perf_tracing_is_event(event))
		err = perf_tracing_set_filter(event, text);
	else
		err = perf_addr_filter_set(event, text);
	kfree(text);
	return err;
}

static long perf_ioctl_set_bpf(struct perf_event *event, unsigned long arg)
{
	struct bpf_prog *prog = bpf_prog_get(arg);
	int err;

	if (IS_ERR(prog))
		return PTR_ERR(prog);
	err = perf_tracing_set_bpf(event, prog, 0);
	if (err)
		bpf_prog_put(prog);
	return err;
}

static long perf_ioctl_pause_output(struct perf_event *event,
				    unsigned long arg)
{
	return perf_mmap_pause_output(event, arg);
}

static long perf_ioctl_query_bpf(struct perf_event *event, unsigned long arg)
{
	return perf_event_query_prog_array(event, (void __user *)arg);
}

#ifdef CONFIG_HAVE_HW_BREAKPOINT
/*
 * A refused change leaves the event as it was. The check compares all other
 * fields, so it gets the event's sig_data.
 */
static int perf_file_modify_breakpoint(struct perf_event *event,
				       const struct perf_event_attr *attr,
				       bool enable)
{
	bool enabled = READ_ONCE(event->state) >= PERF_EVENT_STATE_INACTIVE;
	struct perf_event_attr place = *attr;
	int err;

	place.sig_data = event->attr.sig_data;
	perf_control_disable(event);
	err = modify_user_hw_breakpoint_check(event, &place, true);
	if (!err)
		event->attr.sig_data = attr->sig_data;
	if (err ? enabled : enable)
		perf_control_enable(event);
	return err;
}
#else
static int perf_file_modify_breakpoint(struct perf_event *event,
				       const struct perf_event_attr *attr,
				       bool enable)
{
	return -EOPNOTSUPP;
}
#endif

/*
 * A change of an event and its copies. The first @nr_done of them have been
 * changed. Copies may be enabled while the event is not, so @enabled has a bit
 * for each of them.
 */
struct perf_file_change {
	const struct perf_event_attr	*attr;
	struct perf_event_attr		before;
	unsigned long			*enabled;
	unsigned int			nr_done;
};

static int perf_file_change_one(struct perf_event *event,
				struct perf_file_change *change)
{
	bool enabled = READ_ONCE(event->state) >= PERF_EVENT_STATE_INACTIVE;
	int err;

	err = perf_file_modify_breakpoint(event, change->attr,
					  !change->attr->disabled);
	if (!err)
		__assign_bit(change->nr_done++, change->enabled, enabled);
	return err;
}

static int perf_file_change_all(struct perf_event *event,
				struct perf_file_change *change)
{
	struct perf_event *child;
	int err;

	lockdep_assert_held(&event->child_mutex);
	err = perf_file_change_one(event, change);
	list_for_each_entry(child, &event->child_list, child_list) {
		if (err)
			break;
		err = perf_file_change_one(child, change);
	}
	return err;
}

static void perf_file_undo_change(struct perf_event *event,
				  struct perf_file_change *change)
{
	struct perf_event *child;
	unsigned int nr = 0;

	lockdep_assert_held(&event->child_mutex);
	if (!change->nr_done)
		return;
	perf_file_modify_breakpoint(event, &change->before,
				    test_bit(nr++, change->enabled));
	list_for_each_entry(child, &event->child_list, child_list) {
		if (nr == change->nr_done)
			break;
		perf_file_modify_breakpoint(child, &change->before,
					    test_bit(nr++, change->enabled));
	}
}

/* If the change of one is refused, all stay as they were. */
static int perf_file_modify_copies(struct perf_event *event,
				   const struct perf_event_attr *attr)
{
	struct perf_file_change change = {
		.attr	= attr,
		.before	= event->attr,
	};
	int err;

	guard(mutex)(&event->child_mutex);
	change.enabled = bitmap_zalloc(1 + list_count_nodes(&event->child_list),
				       GFP_KERNEL);
	if (!change.enabled)
		return -ENOMEM;
	err = perf_file_change_all(event, &change);
	if (err)
		perf_file_undo_change(event, &change);
	bitmap_free(change.enabled);
	return err;
}

static int perf_file_modify_mutexed(struct perf_event *event,
				    struct perf_event_attr *attr)
{
	lockdep_assert_held(&perf_event_ctx(event)->mutex);
	/*
	 * The open may have cleared the bit, see perf_attr_leave_out(). A bit
	 * that was not requested there is ignored as well.
	 */
	if (attr->exclude_kernel && !event->attr.ksymbol)
		attr->ksymbol = 0;
	if (attr->type != event->attr.type)
		return -EINVAL;
	if (attr->type != PERF_TYPE_BREAKPOINT)
		return -EOPNOTSUPP;
	return perf_file_modify_copies(event, attr);
}

static long perf_ioctl_modify(struct perf_event *event, unsigned long arg)
{
	struct perf_event_attr attr;
	struct perf_ctx *ctx;
	int err;

	err = perf_attr_copy((struct perf_event_attr __user *)arg, &attr);
	if (!err)
		err = perf_attr_check(&attr);
	if (!err)
		err = perf_file_lock(event, &ctx);
	if (err)
		return err;
	err = perf_file_modify_mutexed(event, &attr);
	perf_event_ctx_unlock(event, ctx);
	return err;
}

/* Commands. Those with @locks_itself are called without the mutex. */
static const struct perf_ioctl {
	unsigned int	cmd;
	bool		locks_itself;
	long (*run)(struct perf_event *event, unsigned long arg);
} perf_ioctls[] = {
	{ .cmd = PERF_EVENT_IOC_ENABLE, .run = perf_ioctl_enable },
	{ .cmd = PERF_EVENT_IOC_DISABLE, .run = perf_ioctl_disable },
	{ .cmd = PERF_EVENT_IOC_RESET, .run = perf_ioctl_reset },
	{ .cmd = PERF_EVENT_IOC_REFRESH, .run = perf_ioctl_refresh },
	{ .cmd = PERF_EVENT_IOC_PERIOD,
	  .run = perf_ioctl_period, .locks_itself = true },
	{ .cmd = PERF_EVENT_IOC_ID,
	  .run = perf_ioctl_id, .locks_itself = true },
	{ .cmd = PERF_EVENT_IOC_SET_OUTPUT, .run = perf_ioctl_set_output },
	{ .cmd = PERF_EVENT_IOC_SET_FILTER,
	  .run = perf_ioctl_set_filter, .locks_itself = true },
	{ .cmd = PERF_EVENT_IOC_SET_BPF, .run = perf_ioctl_set_bpf },
	{ .cmd = PERF_EVENT_IOC_PAUSE_OUTPUT, .run = perf_ioctl_pause_output },
	{ .cmd = PERF_EVENT_IOC_QUERY_BPF,
	  .run = perf_ioctl_query_bpf, .locks_itself = true },
	{ .cmd = PERF_EVENT_IOC_MODIFY_ATTRIBUTES,
	  .run = perf_ioctl_modify, .locks_itself = true },
	{ .cmd = PERF_EVENT_IOC_RANDOM_PERIOD,
	  .run = perf_ioctl_random_period, .locks_itself = true },
	{ .cmd = PERF_EVENT_IOC_GET_RANDOM_PERIOD,
	  .run = perf_ioctl_get_random_period, .locks_itself = true },
};

/* For extensions, whose structures may grow and contain their size. */
static unsigned int perf_ioctl_number(unsigned int cmd)
{
	static const unsigned int growing[] = {
		PERF_EVENT_IOC_RANDOM_PERIOD,
		PERF_EVENT_IOC_GET_RANDOM_PERIOD,
	};

	for (int i = 0; i < ARRAY_SIZE(growing); i++) {
		if (!((cmd ^ growing[i]) & ~IOCSIZE_MASK))
			return growing[i];
	}
	return cmd;
}

static const struct perf_ioctl *perf_ioctl_look_up(unsigned int cmd)
{
	const struct perf_ioctl *ioctl;

	for (ioctl = perf_ioctls; ioctl < perf_ioctls + ARRAY_SIZE(perf_ioctls);
	     ioctl++) {
		if (ioctl->cmd == cmd)
			return ioctl;
	}
	return NULL;
}

static const struct perf_ioctl *perf_ioctl_find(unsigned int cmd)
{
	const struct perf_ioctl *ioctl = perf_ioctl_look_up(cmd);
	unsigned int number;

	if (ioctl)
		return ioctl;
	number = perf_ioctl_number(cmd);
	return number == cmd ? NULL : perf_ioctl_look_up(number);
}

static long perf_file_ioctl(struct file *file, unsigned int cmd,
			    unsigned long arg)
{
	struct perf_event *event = file->private_data;
	const struct perf_ioctl *ioctl;
	struct perf_ctx *ctx;
	long ret;

	ret = security_perf_event_write(event);
	if (ret)
		return ret;
	ioctl = perf_ioctl_find(cmd);
	if (!ioctl)
		return -ENOTTY;
	if (ioctl->locks_itself)
		return perf_event_is_revoked(event) ? -ENODEV :
						      ioctl->run(event, arg);
	ret = perf_file_lock(event, &ctx);
	if (ret)
		return ret;
	ret = ioctl->run(event, arg);
	perf_event_ctx_unlock(event, ctx);
	return ret;
}

#ifdef CONFIG_COMPAT
/*
 * For 32-bit programs. Commands that carry a pointer have its size in their
 * number.
 */
static long perf_file_compat_ioctl(struct file *file, unsigned int cmd,
				   unsigned long arg)
{
	unsigned int native = (cmd & ~IOCSIZE_MASK) |
			      sizeof(void *) << IOCSIZE_SHIFT;

	switch (native) {
	case PERF_EVENT_IOC_SET_FILTER:
	case PERF_EVENT_IOC_ID:
	case PERF_EVENT_IOC_QUERY_BPF:
	case PERF_EVENT_IOC_MODIFY_ATTRIBUTES:
		if (_IOC_SIZE(cmd) == sizeof(compat_uptr_t))
			cmd = native;
		break;
	}
	return perf_file_ioctl(file, cmd, arg);
}
#else
# define perf_file_compat_ioctl NULL
#endif

const struct file_operations perf_file_ops = {
	.release	= perf_file_release,
	.read		= perf_read,
	.poll		= perf_file_poll,
	.unlocked_ioctl	= perf_file_ioctl,
	.compat_ioctl	= perf_file_compat_ioctl,
	.mmap		= perf_mmap,
	.fasync		= perf_file_fasync,
#ifdef CONFIG_PROC_FS
	.show_fdinfo	= perf_file_show_fdinfo,
#endif
};

/**
 * perf_event_get() - get the file of an event
 * @fd: file descriptor of current
 *
 * Context: task.
 * Return: file with a reference; -EBADF when it is not an event's.
 */
struct file *perf_event_get(unsigned int fd)
{
	struct file *file = fget(fd);

	if (!file)
		return ERR_PTR(-EBADF);
	if (perf_file_event(file))
		return file;
	fput(file);
	return ERR_PTR(-EBADF);
}

/**
 * perf_get_event() - get the event of a file
 * @file: any file
 *
 * Context: any.
 * Return: event, -EINVAL when the file is not an event's.
 */
const struct perf_event *perf_get_event(struct file *file)
{
	return perf_file_event(file) ?: ERR_PTR(-EINVAL);
}

/**
 * perf_event_attrs() - get the attributes of an event
 * @event: event or NULL
 *
 * Context: any.
 * Return: attributes, -EINVAL for NULL.
 */
const struct perf_event_attr *perf_event_attrs(struct perf_event *event)
{
	return event ? &event->attr : ERR_PTR(-EINVAL);
}

/**
 * perf_event_task_enable() - handle prctl(PR_TASK_PERF_EVENTS_ENABLE)
 *
 * Enables all events that current has opened, not those opened on it.
 *
 * Context: task.
 * Return: 0.
 */
int perf_event_task_enable(void)
{
	perf_batch_owned(PERF_BATCH_ENABLE);
	return 0;
}

/**
 * perf_event_task_disable() - handle prctl(PR_TASK_PERF_EVENTS_DISABLE)
 *
 * Context: task.
 * Return: 0.
 */
int perf_event_task_disable(void)
{
	perf_batch_owned(PERF_BATCH_DISABLE);
	return 0;
}
