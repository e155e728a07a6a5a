// SPDX-License-Identifier: GPL-2.0
/*
 * Room "open": perf_event_open(2), and its counterpart inside the kernel.
 *
 * There are four steps. Parse looks only at the arguments and the caller. Find
 * reserves a descriptor and looks up the leader and the task. Build makes the
 * event and all that it needs, and checks whether it may join its context and
 * group. Publish makes the event visible to others and cannot fail. One struct
 * perf_open is passed from step to step, and one function undoes the steps that
 * were done.
 *
 * A dry run consists of the first three steps, without a file, without
 * attaching to a buffer, and without a change to the context. It reserves the
 * resources that the PMU needs for the event, and releases them.
 *
 * Owns:     nothing that outlives a call.
 * Contexts: task context, may sleep.
 *
 * Lifetime rules: the call owns the event until it publishes it, then the file
 * does. Before that, others can find it only with PERF_FLAG_FD_OUTPUT: a task
 * that unmaps the buffer finds it on the list of the buffer. So the last step
 * that can fail attaches it there, and a dry run never does. The leader is kept
 * by its file, the context by a reference of the call, to which installing adds
 * the event's own.
 *
 * Locking rules: the target's exec_update_lock, if there is a target other than
 * the caller, then the mutex of the context; both are held from the first check
 * until the event is installed. The owner's perf_event_mutex is taken
 * afterwards, since it must not be taken inside a context's mutex.
 *
 * Race: open against a target that execs a set-uid program.
 *   1. perf_target_permitted() allows the caller to observe the target.
 *   2. The target execs. It cannot change its credentials before the event is
 *      installed, because this call holds exec_update_lock.
 *   3. Then exec finds the event, and removes it if necessary.
 *
 * Race: two siblings join the same software group, one of a hardware PMU.
 *   1. Both calls see a leader of the software PMU.
 *   2. One of them moves the group to the hardware PMU.
 *   3. The other one checks the leader's PMU only now, under the context's
 *      mutex; it uses nothing that it read earlier.
 *
 * Race: open against an exchange of contexts, and an exit.
 *   1. The call finds the target's context and waits for its mutex.
 *   2. A switch gives the context to another task; that task exits, and the
 *      context has no task any more.
 *   3. The target itself may still run. The call checks whether the target
 *      still has the context. If not, it looks up the target's present context,
 *      which fails only if the target itself exits. If the target runs with
 *      another task's context, home.c gives it back its own.
 *
 * Race: open against CPU hotplug, for events of CPUs.
 *   1. The CPU goes offline: "online" is cleared under the context's mutex.
 *   2. This call looks at "online" under the same mutex: -ENODEV. If the call
 *      comes before 1, the event is installed, and is scheduled out with the
 *      others.
 *
 * Race: open with PERF_FLAG_FD_OUTPUT against the last unmapping of that buffer.
 *   1. The buffer was in use when the event was checked.
 *   2. It is unmapped. If attaching comes later it is refused, and the event is
 *      freed without having been visible.
 *   3. If attaching came before, unmapping finds the event and detaches it.
 *      Then the event has no buffer, just as an event that was opened earlier.
 */

#include <linux/anon_inodes.h>
#include <linux/capability.h>
#include <linux/cred.h>
#include <linux/export.h>
#include <linux/file.h>
#include <linux/nospec.h>
#include <linux/ptrace.h>
#include <linux/rwsem.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/syscalls.h>

#include "attr.h"
#include "aux_event.h"
#include "clock.h"
#include "context.h"
#include "control.h"
#include "delay.h"
#include "event.h"
#include "event_state.h"
#include "file.h"
#include "groups.h"
#include "home.h"
#include "hooks.h"
#include "member.h"
#include "mmap.h"
#include "open.h"
#include "refuse.h"
#include "swap.h"

/* The state of a call. Zero, or -1 for fd, for steps that are still to come. */
struct perf_open {
	/* The arguments. */
	const struct perf_event_attr *attr;
	unsigned long		flags;
	pid_t			pid;		/* or a cgroup's descriptor */
	int			cpu;

	/* Found; with references. */
	int			fd;
	struct file		*group;
	struct task_struct	*task;

	/* Kept by the group's file. */
	struct perf_event	*leader;
	struct perf_event	*output;

	/* Built; @file gets @event when it is published. */
	struct perf_event	*event;
	struct file		*file;

	/* The event's context: a reference, and two locks if held. */
	struct perf_ctx *ctx;
	bool			ctx_locked;
	bool			ctx_held;
	bool			exec_locked;

	/* The leader's software group has to follow the event to its PMU. */
	bool			move_group;

	/* In a dry run nothing is published, and this is filled in. */
	struct perf_fit		*fit;
	/*
	 * A dry run repeats the call with less in the attribute, to find the
	 * reason. Rights were checked for the whole attribute.
	 */
	bool			trial;
};

/* Undo. */

static void perf_open_unlock(struct perf_open *open)
{
	if (open->ctx_held) {
		open->ctx_held = false;
		perf_swap_release(open->ctx);
	}
	if (open->ctx_locked) {
		open->ctx_locked = false;
		mutex_unlock(&open->ctx->mutex);
	}
	if (open->exec_locked) {
		open->exec_locked = false;
		up_read(&open->task->signal->exec_update_lock);
	}
}

/* The event's PMU context needs the context, which is put later. */
static void perf_open_finish(struct perf_open *open)
{
	perf_open_unlock(open);
	if (open->file)
		fput(open->file);
	if (open->event)
		perf_event_put(open->event);
	if (open->ctx)
		perf_ctx_put(open->ctx);
	if (open->task)
		put_task_struct(open->task);
	if (open->group)
		fput(open->group);
	if (open->fd >= 0)
		put_unused_fd(open->fd);
}

/* Parse. */

static int perf_open_check(const struct perf_open *open)
{
	int err;

	err = perf_attr_check(open->attr);
	if (!err)
		err = perf_attr_permitted(open->attr);
	if (err)
		return err;

	/* A cgroup event needs a CPU, and a descriptor of the cgroup. */
	if ((open->flags & PERF_FLAG_PID_CGROUP) &&
	    (open->pid == -1 || open->cpu == -1))
		return perf_refuse(-EINVAL, open->pid == -1 ?
				   PERF_ARGUMENT(PID) : PERF_ARGUMENT(CPU), 0,
				   PERF_REASON_CGROUP_TARGET);
	return 0;
}

static int perf_open_parse(const struct perf_open *open,
			   struct perf_event_attr __user *uattr,
			   struct perf_event_attr *attr)
{
	int err;

	if (open->flags & ~PERF_OPEN_FLAGS)
		return perf_refuse(-EINVAL, PERF_ARGUMENT(FLAGS),
				   open->flags & ~PERF_OPEN_FLAGS,
				   PERF_REASON_UNKNOWN_BITS);
	err = open->fit ? perf_attr_read(uattr, attr) :
			    perf_attr_copy(uattr, attr);
	err = err ?: perf_open_check(open);
	if (!err)
		perf_attr_leave_out(attr);
	return err;
}

/* Find. */

static bool perf_open_is_gone(const struct perf_event *event)
{
	return READ_ONCE(event->state) <= PERF_EVENT_STATE_EXIT;
}

static int perf_open_find_group(struct perf_open *open, int group_fd)
{
	struct perf_event *leader;

	if (group_fd == -1)
		return 0;
	open->group = fget(group_fd);
	leader = open->group ? perf_file_event(open->group) : NULL;
	if (!leader)
		return perf_refuse(-EBADF, PERF_ARGUMENT(GROUP_FD), 0,
				   PERF_REASON_GROUP_FD);
	if (perf_open_is_gone(leader))
		return perf_refuse(-ENODEV, PERF_ARGUMENT(GROUP_FD), 0,
				   PERF_REASON_LEADER_GONE);

	if (open->flags & PERF_FLAG_FD_OUTPUT)
		open->output = leader;
	if (!(open->flags & PERF_FLAG_FD_NO_GROUP))
		open->leader = leader;
	return 0;
}

static int perf_open_find_task(struct perf_open *open)
{
	struct task_struct *task;

	if (open->pid == -1 || (open->flags & PERF_FLAG_PID_CGROUP))
		return 0;
	scoped_guard(rcu) {
		task = open->pid ? find_task_by_vpid(open->pid) : current;
		if (task)
			open->task = get_task_struct(task);
	}
	if (!open->task)
		return perf_refuse(-ESRCH, PERF_ARGUMENT(PID), 0,
				   PERF_REASON_NO_TASK);

	/* Otherwise a fork would copy only some events of the group. */
	if (open->leader && open->leader->attr.inherit != open->attr->inherit)
		return perf_refuse(-EINVAL, PERF_FIELD_FLAGS,
				   PERF_ATTR_INHERIT,
				   PERF_REASON_LEADER_INHERIT);
	return 0;
}

static int perf_open_find(struct perf_open *open, int group_fd)
{
	int fd_flags = O_RDWR;
	int err;

	/*
	 * It is used as an index. perf_event_alloc() refuses invalid numbers.
	 */
	if ((unsigned int)open->cpu < nr_cpu_ids)
		open->cpu = array_index_nospec(open->cpu, nr_cpu_ids);

	if (open->flags & PERF_FLAG_FD_CLOEXEC)
		fd_flags |= O_CLOEXEC;
	open->fd = get_unused_fd_flags(fd_flags);
	if (open->fd < 0)
		return perf_refuse(open->fd, PERF_ARGUMENT(CALLER), 0,
				   PERF_REASON_FILES);
	err = perf_open_find_group(open, group_fd);
	if (err)
		return err;
	return perf_open_find_task(open);
}

/* Build: the event and its context. */

static int perf_open_alloc(struct perf_open *open,
			   perf_overflow_handler_t handler, void *context)
{
	bool cgroup = open->flags & PERF_FLAG_PID_CGROUP;
	struct perf_event_spec spec = {
		.attr			= open->attr,
		.cpu			= open->cpu,
		.task			= open->task,
		.group_leader		= open->leader,
		.overflow_handler	= handler,
		.context		= context,
		.cgroup_fd		= cgroup ? open->pid : -1,
		.dry			= open->fit,
	};
	struct perf_event *event = perf_event_alloc(&spec);

	if (IS_ERR(event))
		return PTR_ERR(event);
	open->event = event;
	/* Drivers of units that CPUs share choose the CPU that counts. */
	open->cpu = event->cpu;
	return 0;
}

/*
 * With signals the caller has as much power over the target as a debugger, so
 * it needs the right to attach to it, or the right to send any signal.
 */
static bool perf_target_permitted(const struct perf_event_attr *attr,
				  struct task_struct *task)
{
	unsigned int mode = PTRACE_MODE_READ_REALCREDS;
	bool capable = perfmon_capable();

	if (attr->sigtrap) {
		mode = PTRACE_MODE_ATTACH_REALCREDS;
		guard(rcu)();
		capable = capable &&
			  ns_capable(__task_cred(task)->user_ns, CAP_KILL);
	}
	return capable || ptrace_may_access(task, mode);
}

/* A trial is not audited. It leaves nothing that an exec could abuse. */
static int perf_open_ask_target_trial(const struct perf_open *open)
{
	unsigned int mode = PTRACE_MODE_READ_REALCREDS | PTRACE_MODE_NOAUDIT;

	if (perf_attr_is_perfmon() || ptrace_may_access(open->task, mode))
		return 0;
	return -EACCES;
}

/* A task may always observe itself, and does not exec during this call. */
static int perf_open_ask_target(struct perf_open *open)
{
	int err;

	if (!open->task || open->task == current)
		return 0;
	if (open->trial)
		return perf_open_ask_target_trial(open);
	err = down_read_interruptible(&open->task->signal->exec_update_lock);
	if (err)
		return err;
	open->exec_locked = true;
	if (perf_target_permitted(open->attr, open->task))
		return 0;
	return perf_refuse(-EACCES, PERF_ARGUMENT(PID), 0,
			   PERF_REASON_TASK_RIGHTS);
}

/* A trial is not audited. */
static int perf_open_ask_cpu(const struct perf_open *open)
{
	if (open->trial)
		return perf_attr_would_see_cpus() ? 0 : -EACCES;
	return perf_attr_cpu_permitted();
}

/* Return: NULL in a dry run if the event would get a new context. */
static struct perf_ctx *perf_open_get_ctx(struct perf_open *open)
{
	int err;

	if (open->task)
		return open->fit ? perf_member_see_ctx(open->task, open->cpu) :
				   perf_ctx_get_task(open->task);
	/* Without a task the event is for everything that runs on a CPU. */
	err = perf_open_ask_cpu(open);
	if (err)
		return ERR_PTR(perf_refuse(err, PERF_ARGUMENT(PID), 0,
					   PERF_REASON_OTHER));
	return perf_ctx_get_cpu(open->cpu);
}

/*
 * Makes sure that the context stays with the target while the mutex is held.
 * Return: false if the target is in a family, or has to get its own context
 * back first.
 */
static bool perf_open_take_ctx(struct perf_open *open)
{
	if (!open->task)
		return true;
	if (open->ctx->family)
		return open->fit;
	if (perf_home_is_own(open->ctx, open->task) &&
	    perf_swap_stays(open->ctx, open->task))
		return true;
	open->ctx_held = perf_home_take(open->ctx, open->task);
	return open->ctx_held;
}

/*
 * Locks the context for the event. If the target is in a family, or has another
 * task's context, it gets its own first. A target that forks or switches may
 * lose it again before it is locked. A dry run changes nothing: if the target
 * would need a new context, open->ctx stays NULL.
 * Return: 0, or an errno; then no mutex is held.
 */
static int perf_open_lock_own_ctx(struct perf_open *open)
{
	int err;

	for (;;) {
		struct perf_ctx *ctx = perf_open_get_ctx(open);

		if (IS_ERR_OR_NULL(ctx))
			return PTR_ERR_OR_ZERO(ctx);
		open->ctx = ctx;
		perf_debug_sleep();
		mutex_lock(&ctx->mutex);
		open->ctx_locked = true;
		if (perf_open_take_ctx(open))
			return 0;
		mutex_unlock(&ctx->mutex);
		open->ctx_locked = false;
		open->ctx = NULL;
		perf_ctx_put(ctx);
		if (fatal_signal_pending(current))
			return -EINTR;
		err = open->fit ? 0 : perf_member_leave(open->task);
		if (err)
			return err;
		perf_home_bring(open->task);
	}
}

/* Return: 0 with the mutex of a context held that accepts events. */
static int perf_open_lock_ctx(struct perf_open *open)
{
	int err = perf_open_lock_own_ctx(open);

	if (!err && !open->ctx && open->task->flags & PF_EXITING)
		err = -ESRCH;
	if (err == -ESRCH)
		return perf_refuse(err, PERF_ARGUMENT(PID), 0,
				   PERF_REASON_TASK_EXITS);
	if (err)
		return err;
	if (!open->task && !per_cpu_ptr(&perf_cpu_context, open->cpu)->online)
		return perf_refuse(-ENODEV, PERF_ARGUMENT(CPU), 0,
				   PERF_REASON_CPU_OFFLINE);
	return 0;
}

/* Build: the group. All of it under the context's mutex. */

static bool group_has_other_leader(const struct perf_open *open)
{
	return open->leader->group_leader != open->leader;
}

static bool group_has_other_clock(const struct perf_open *open)
{
	return open->leader->clock != open->event->clock;
}

static bool group_has_other_cpu(const struct perf_open *open)
{
	return open->leader->cpu != open->event->cpu;
}

static bool group_has_other_ctx(const struct perf_open *open)
{
	return perf_event_ctx(open->leader) != open->ctx;
}

static bool group_is_gone(const struct perf_open *open)
{
	return perf_open_is_gone(open->leader);
}

static bool group_wants_leader(const struct perf_open *open)
{
	return open->attr->exclusive || open->attr->pinned;
}

static bool group_has_other_pmu(const struct perf_open *open)
{
	const struct pmu *pmu = perf_event_pmu_ctx(open->leader)->pmu;

	return !is_software_event(open->event) &&
	       pmu->task_ctx_nr != perf_sw_context &&
	       pmu != open->event->pmu;
}

#define OPEN_SAYS(reason_, place_, bits_) \
	.reason = PERF_REASON_##reason_, .place = place_, .bits = bits_
#define OPEN_SAYS_LEADER(reason_) \
	OPEN_SAYS(reason_, PERF_ARGUMENT(GROUP_FD), 0)

/* The leader's pmu_ctx may be read only after the check of its context. */
static const struct {
	bool	(*broken)(const struct perf_open *open);
	int	error;
	u32	reason;
	u32	place;
	u64	bits;
} perf_open_group_rules[] = {
	{ .broken = group_has_other_leader, .error = -EINVAL,
	  OPEN_SAYS_LEADER(LEADER_MEMBER) },
	{ .broken = group_has_other_clock, .error = -EINVAL,
	  OPEN_SAYS_LEADER(LEADER_CLOCK) },
	{ .broken = group_has_other_cpu, .error = -EINVAL,
	  OPEN_SAYS_LEADER(LEADER_CPU) },
	{ .broken = group_has_other_ctx, .error = -EINVAL,
	  OPEN_SAYS_LEADER(LEADER_TARGET) },
	{ .broken = group_is_gone, .error = -ENODEV,
	  OPEN_SAYS_LEADER(LEADER_GONE) },
	{ .broken = group_wants_leader, .error = -EINVAL,
	  OPEN_SAYS(LEADER_ONLY, PERF_FIELD_FLAGS,
		    PERF_ATTR_PINNED | PERF_ATTR_EXCLUSIVE) },
	{ .broken = group_has_other_pmu, .error = -EINVAL,
	  OPEN_SAYS_LEADER(LEADER_PMU) },
};

static int perf_open_check_group(const struct perf_open *open)
{
	for (size_t i = 0; i < ARRAY_SIZE(perf_open_group_rules); i++) {
		if (perf_open_group_rules[i].broken(open))
			return perf_refuse(perf_open_group_rules[i].error,
					   perf_open_group_rules[i].place,
					   perf_open_group_rules[i].bits,
					   perf_open_group_rules[i].reason);
	}
	return 0;
}

/*
 * A group is scheduled as a whole, on one PMU: software events go to the PMU of
 * the hardware events in their group, in whatever order they were opened.
 */
static struct pmu *perf_open_choose_pmu(struct perf_open *open)
{
	struct perf_event *leader = open->leader;
	struct perf_event *event = open->event;

	if (!leader)
		return event->pmu;
	if (is_software_event(event))
		return perf_event_pmu_ctx(leader)->pmu;
	open->move_group = is_software_event(leader) &&
			   (leader->group_caps & PERF_EV_CAP_SOFTWARE);
	return event->pmu;
}

static int perf_open_join_pmu(struct perf_open *open, struct pmu *pmu)
{
	bool task_data = open->event->attach_state & PERF_ATTACH_TASK_DATA;
	struct perf_pmu_ctx *epc;

	epc = perf_epc_get(pmu, open->ctx, task_data);
	if (IS_ERR(epc))
		return PTR_ERR(epc);
	open->event->pmu_ctx = &epc->pub;
	return 0;
}

static int perf_open_check_output(const struct perf_open *open)
{
	int err;

	if (!open->output)
		return 0;
	err = perf_mmap_check_output(open->event, open->output);
	if (err)
		perf_refuse(err, PERF_ARGUMENT(GROUP_FD), 0,
			    PERF_REASON_OUTPUT);
	return err;
}

static int perf_open_check_fits(struct perf_open *open)
{
	struct perf_event *event = open->event;
	int err;

	if (!perf_group_size_fits(event))
		return perf_refuse(-E2BIG, PERF_ARGUMENT(GROUP_FD), 0,
				   PERF_REASON_GROUP_SIZE);
	err = perf_aux_link(event);
	if (err)
		return err;
	if (open->ctx && !perf_event_exclusive_fits(event, open->ctx))
		return perf_refuse(-EBUSY, PERF_FIELD(type), 0,
				   PERF_REASON_PMU_BUSY);
	return 0;
}

static int perf_open_place(struct perf_open *open)
{
	struct pmu *pmu;
	int err;

	err = perf_open_lock_ctx(open);
	if (!err && open->leader)
		err = perf_open_check_group(open);
	if (err)
		return err;
	pmu = perf_open_choose_pmu(open);
	if (!open->fit)
		err = perf_open_join_pmu(open, pmu);
	if (!err)
		err = perf_open_check_output(open);
	perf_debug_sleep();
	if (!err)
		err = perf_open_check_fits(open);
	if (!err && open->fit)
		perf_fit_collect(open->fit, open->event, pmu, open->ctx);
	return err;
}

static int perf_open_make_file(struct perf_open *open)
{
	struct file *file;

	file = anon_inode_getfile("[perf_event]", &perf_file_ops, NULL, O_RDWR);
	if (IS_ERR(file))
		return PTR_ERR(file);
	open->file = file;
	return 0;
}

/*
 * A record about a task, such as sched_wakeup, is also delivered to events of
 * that task which are bound to the CPU. Their sample shows the task that runs
 * there.
 */
static bool perf_open_shows_all(struct perf_event *event)
{
	return event->attr.type == PERF_TYPE_TRACEPOINT &&
	       event->attach_state & PERF_ATTACH_TASK && event->cpu >= 0 &&
	       is_sampling_event(event) && perf_attr_shows_all();
}

static int perf_open_build(struct perf_open *open)
{
	struct perf_event *event;
	int err;

	err = perf_open_alloc(open, NULL, NULL);
	if (err)
		return err;
	event = open->event;
	if (is_sampling_event(event) &&
	    (event->pmu->capabilities & PERF_PMU_CAP_NO_INTERRUPT))
		return perf_refuse(-EOPNOTSUPP, PERF_FIELD(sample_period),
				   ~0ULL, PERF_REASON_NO_SAMPLES);
	if (open->attr->use_clockid)
		err = perf_clock_choose(event, open->attr->clockid);
	if (!err)
		err = perf_open_ask_target(open);
	if (!err)
		err = perf_open_place(open);
	if (err || open->fit)
		return err;
	if (perf_open_shows_all(event))
		event->attach_state |= PERF_ATTACH_SHOWS_ALL;
	err = perf_open_make_file(open);
	if (err || !open->output)
		return err;
	/* The last step that can fail: from here on others can find the event. */
	return perf_mmap_set_output(event, open->output);
}

/* Publish. */

/*
 * The event restarts in the new event's PMU context, as if just opened. An
 * event that an exec has ended stays as it is.
 */
static void perf_open_replace(struct perf_open *open, struct perf_event *event)
{
	struct perf_pmu_ctx *old = perf_event_pmu_ctx(event);
	struct perf_pmu_ctx *epc = perf_event_pmu_ctx(open->event);

	if (perf_open_is_gone(event))
		return;
	perf_epc_get_ref(epc);
	event->pmu_ctx = &epc->pub;
	perf_epc_put(old);
	perf_event_state_init(event);
	perf_control_install(open->ctx, event);
}

/*
 * The events stay linked to each other. All of them are removed before the
 * first one is installed again, and the leader is installed last. So the group
 * is complete when it is scheduled in.
 */
static void perf_open_move_group(struct perf_open *open)
{
	struct perf_event *leader = open->leader;
	struct perf_event *sibling;

	perf_control_uninstall(leader);
	for_each_sibling_event(sibling, leader)
		perf_control_uninstall(sibling);

	for_each_sibling_event(sibling, leader)
		perf_open_replace(open, sibling);
	perf_open_replace(open, leader);
}

static int perf_open_publish(struct perf_open *open)
{
	struct perf_event *event = open->event;
	int fd = open->fd;

	perf_debug_sleep();
	if (open->move_group)
		perf_open_move_group(open);
	event->owner = current;
	perf_control_install(open->ctx, event);
	perf_open_unlock(open);
	perf_debug_sleep();

	scoped_guard(mutex, &current->perf_event_mutex)
		list_add_tail(&event->owner_entry, &current->perf_event_list);

	open->file->private_data = event;
	open->event = NULL;
	/* From here on another thread may close it. */
	fd_install(fd, open->file);
	open->file = NULL;
	open->fd = -1;
	return fd;
}

/**
 * sys_perf_event_open() - make an event and a descriptor for it
 * @attr_uptr: what to count or sample, see perf_event_open(2); with
 *	PERF_FLAG_DRY_RUN a struct perf_event_dry_run
 * @pid: process id; 0 for the caller, -1 for all on @cpu; with
 *	PERF_FLAG_PID_CGROUP a descriptor of a cgroup's directory
 * @cpu: CPU number, -1 for any
 * @group_fd: descriptor of the leader of the group to join, -1 for a new group
 * @flags: PERF_FLAG_*
 *
 * Context: System call.
 * Return: descriptor, or the errno that perf_event_open(2) lists; of several
 * that apply, the first in the order parse, find, build. With PERF_FLAG_DRY_RUN 0,
 * or the errno of the dry run itself.
 */
SYSCALL_DEFINE5(perf_event_open,
		struct perf_event_attr __user *, attr_uptr,
		pid_t, pid, int, cpu, int, group_fd, unsigned long, flags)
{
	/* Parsing clears it. */
	struct perf_event_attr attr __uninitialized;
	struct perf_open open = {
		.attr	= &attr,
		.flags	= flags,
		.pid	= pid,
		.cpu	= cpu,
		.fd	= -1,
	};
	int result;

	if (flags & PERF_FLAG_DRY_RUN)
		return perf_hooks.dry_run((void __user *)attr_uptr, pid, cpu,
					  group_fd,
					  flags & ~PERF_FLAG_DRY_RUN);
	result = perf_open_parse(&open, attr_uptr, &attr);
	if (!result)
		result = perf_open_find(&open, group_fd);
	if (!result)
		result = perf_open_build(&open);
	if (!result)
		result = perf_open_publish(&open);
	perf_open_finish(&open);
	return result;
}

/**
 * perf_open_try() - do all of perf_event_open(2) that can fail, then undo it
 * @attempt: the call; receives the attribute as the kernel read it, and whether
 *	the event would find counters
 *
 * A trial is made after an attempt that a driver has refused, with less in the
 * attribute. It checks the rights over the target, but asks no LSM: a denial
 * would be audited, although the user has not asked for this event.
 *
 * Context: task, may sleep; as the system call.
 * Return: 0, or the errno of the system call, except those of making a file
 * (not its descriptor) and, for a task without events, of making a context.
 */
int perf_open_try(struct perf_open_attempt *attempt)
{
	struct perf_open open = {
		.attr	= &attempt->attr,
		.flags	= attempt->flags,
		.pid	= attempt->pid,
		.cpu	= attempt->cpu,
		.fd	= -1,
		.fit	= &attempt->fit,
		.trial	= attempt->trial,
	};
	int err = 0;

	if (!attempt->trial)
		err = perf_open_parse(&open, attempt->uattr, &attempt->attr);
	if (!err)
		err = perf_open_find(&open, attempt->group_fd);
	if (!err)
		err = perf_open_build(&open);
	/* The event is kept meanwhile, and so its PMU stays. */
	perf_open_unlock(&open);
	if (!err)
		perf_fit_judge(open.fit);
	perf_open_finish(&open);
	return err;
}

/* The kernel's own. */

static int perf_open_build_kernel(struct perf_open *open,
				  perf_overflow_handler_t handler,
				  void *context)
{
	struct perf_event *event;
	int err;

	/* Both need other events in the group, and there are none. */
	if (open->attr->aux_output || open->attr->aux_action)
		return -EINVAL;
	err = perf_open_alloc(open, handler, context);
	if (err)
		return err;
	event = open->event;
	event->owner = PERF_OWNER_KERNEL;

	err = perf_open_lock_ctx(open);
	if (err)
		return err;
	if (!perf_event_exclusive_fits(event, open->ctx))
		return -EBUSY;
	return perf_open_join_pmu(open, event->pmu);
}

/**
 * perf_event_create_kernel_counter() - make an event for the kernel itself
 * @attr: what to count or sample
 * @cpu: CPU number, -1 for any if there is a @task
 * @task: task to follow, NULL for all on @cpu
 * @overflow_handler: called at each overflow, maybe in NMI; NULL: only the
 *	usual sample is written
 * @context: for perf_event::overflow_handler_context
 *
 * The event has no descriptor and no group. perf_event_release_kernel() closes
 * it.
 *
 * Context: Task context, may sleep; also from CPU hotplug callbacks.
 * Return: the event; or an error pointer: -EINVAL for a target or attribute
 * that is not accepted, -EACCES for a CPU that the caller may not observe,
 * -ESRCH for a task that exits, -ENODEV for a CPU that is offline, -EBUSY for
 * an exclusive PMU in use, or the errno of perf_event_alloc().
 */
struct perf_event *
perf_event_create_kernel_counter(struct perf_event_attr *attr, int cpu,
				 struct task_struct *task,
				 perf_overflow_handler_t overflow_handler,
				 void *context)
{
	struct perf_open open = {
		.attr	= attr,
		.cpu	= cpu,
		.fd	= -1,
		.task	= task ? get_task_struct(task) : NULL,
	};
	struct perf_event *event;
	int err;

	err = perf_open_build_kernel(&open, overflow_handler, context);
	event = ERR_PTR(err);
	if (!err) {
		event = open.event;
		open.event = NULL;
		perf_control_install(open.ctx, event);
	}
	perf_open_finish(&open);
	return event;
}
EXPORT_SYMBOL_GPL(perf_event_create_kernel_counter);
