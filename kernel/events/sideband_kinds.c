// SPDX-License-Identifier: GPL-2.0
/*
 * Room "sideband": the kinds of record, except those of memory maps.
 *
 * Purpose: a table of the kinds of records with the layout of each, and the
 * hooks that the rest of the kernel calls. A hook first checks whether any
 * event requests the kind, then describes once what happened. The engine makes
 * a record from that for every event that requests one.
 *
 * Contexts: hooks run in the task whose action is reported. Those for switches
 * run under the run-queue lock with interrupts off.
 *
 * Shapes: the body of a record is an array of words; fields of 32 bits lie in it
 * in pairs. See <uapi/linux/perf_event.h> for the layouts.
 *
 * Permission: TEXT_POKE is written only for events whose attr was checked for
 * it at open. KSYMBOL shows kernel addresses: perf_attr_leave_out() clears the
 * bit at open for users who may not see them.
 */

#include <linux/bpf.h>
#include <linux/cgroup.h>
#include <linux/dcache.h>
#include <linux/filter.h>
#include <linux/fs.h>
#include <linux/kdev_t.h>
#include <linux/path.h>
#include <linux/proc_ns.h>
#include <linux/sched.h>
#include <linux/sizes.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "addr_filter.h"
#include "clock.h"
#include "sample.h"
#include "sideband.h"
#include "sideband_record.h"

/* Puts a task's two numbers into one word of the body. */
static void side_put_task(struct perf_side_record *record, unsigned int word,
			  struct perf_event *event, struct task_struct *task)
{
	u32 *ids = (u32 *)&record->body[word];

	ids[0] = perf_sample_pid(event, task);
	ids[1] = perf_sample_tid(event, task);
}

/* PERF_RECORD_FORK and PERF_RECORD_EXIT. */
struct side_task {
	struct task_struct	*task;
	bool			is_new;
};

static void side_shape_task(struct perf_side_record *record,
			    struct perf_event *event, const void *what)
{
	const struct side_task *happened = what;
	struct task_struct *task = happened->task, *other = current;
	u32 *ids = (u32 *)record->body;

	record->header.type = PERF_RECORD_FORK;
	if (!happened->is_new) {
		record->header.type = PERF_RECORD_EXIT;
		other = rcu_dereference(task->real_parent);
	}

	/* An exiting task has a parent process, not a parent thread. */
	ids[0] = perf_sample_pid(event, task);
	ids[1] = perf_sample_pid(event, other);
	ids[2] = perf_sample_tid(event, task);
	ids[3] = happened->is_new ? perf_sample_tid(event, other) : ids[1];
	record->body[2] = perf_event_clock(event);
	record->body_len = 3 * sizeof(u64);
}

/* PERF_RECORD_COMM. */
struct side_comm {
	struct task_struct	*task;
	bool			exec;
	size_t			name_len;
	char			name[TASK_COMM_LEN];
};

static void side_shape_comm(struct perf_side_record *record,
			    struct perf_event *event, const void *what)
{
	const struct side_comm *happened = what;

	record->header.type = PERF_RECORD_COMM;
	record->header.misc = happened->exec ? PERF_RECORD_MISC_COMM_EXEC : 0;
	side_put_task(record, 0, event, happened->task);
	record->body_len = sizeof(u64);
	perf_side_add_name(record, happened->name, happened->name_len);
}

/* PERF_RECORD_NAMESPACES. */
struct side_namespaces {
	struct task_struct		*task;
	struct perf_ns_link_info	link[NR_NAMESPACES];
};

static void side_shape_namespaces(struct perf_side_record *record,
				  struct perf_event *event, const void *what)
{
	const struct side_namespaces *happened = what;

	record->header.type = PERF_RECORD_NAMESPACES;
	side_put_task(record, 0, event, happened->task);
	record->body[1] = ARRAY_SIZE(happened->link);
	record->body_len = 2 * sizeof(u64);
	perf_side_add(record, happened->link, sizeof(happened->link));
}

/* PERF_RECORD_SWITCH and PERF_RECORD_SWITCH_CPU_WIDE. */
struct side_switch {
	struct task_struct	*other;
	u16			misc;
};

/* An event of a task must not show which other tasks run on the CPU. */
static void side_shape_switch(struct perf_side_record *record,
			      struct perf_event *event, const void *what)
{
	const struct side_switch *happened = what;

	record->header.misc = happened->misc;
	if (perf_ctx_is_task(perf_event_ctx(event))) {
		record->header.type = PERF_RECORD_SWITCH;
		return;
	}

	record->header.type = PERF_RECORD_SWITCH_CPU_WIDE;
	side_put_task(record, 0, event, happened->other);
	record->body_len = sizeof(u64);
}

/* PERF_RECORD_KSYMBOL. */
struct side_ksymbol {
	u64			addr;
	u32			len;
	u16			type;
	u16			flags;
	const char		*name;
	size_t			name_len;
};

static void side_shape_ksymbol(struct perf_side_record *record,
			       struct perf_event *event, const void *what)
{
	const struct side_ksymbol *happened = what;

	record->header.type = PERF_RECORD_KSYMBOL;
	record->body_len = offsetof(struct side_ksymbol, name);
	memcpy(record->body, happened, record->body_len);
	perf_side_add_name(record, happened->name, happened->name_len);
}

/* PERF_RECORD_BPF_EVENT, the body exactly as in the record. */
struct side_bpf {
	u16			type;
	u16			flags;
	u32			id;
	u8			tag[BPF_TAG_SIZE];
};

static void side_shape_bpf(struct perf_side_record *record,
			   struct perf_event *event, const void *what)
{
	record->header.type = PERF_RECORD_BPF_EVENT;
	record->body_len = sizeof(struct side_bpf);
	memcpy(record->body, what, sizeof(struct side_bpf));
}

/* PERF_RECORD_TEXT_POKE. */
struct side_poke {
	const void		*addr;
	const void		*old_bytes;
	const void		*new_bytes;
	u16			old_len;
	u16			new_len;
};

static void side_shape_poke(struct perf_side_record *record,
			    struct perf_event *event, const void *what)
{
	const struct side_poke *happened = what;
	u16 *lens = (u16 *)&record->body[1];

	record->header.type = PERF_RECORD_TEXT_POKE;
	record->header.misc = PERF_RECORD_MISC_KERNEL;
	record->body[0] = (unsigned long)happened->addr;
	lens[0] = happened->old_len;
	lens[1] = happened->new_len;
	record->body_len = sizeof(u64) + 2 * sizeof(*lens);
	perf_side_add(record, happened->old_bytes, happened->old_len);
	perf_side_add(record, happened->new_bytes, happened->new_len);
	perf_side_align(record);
}

/* PERF_RECORD_CGROUP. */
struct side_cgroup {
	u64			id;
	const char		*path;
	size_t			path_len;
};

static void side_shape_cgroup(struct perf_side_record *record,
			      struct perf_event *event, const void *what)
{
	const struct side_cgroup *happened = what;

	record->header.type = PERF_RECORD_CGROUP;
	record->body[0] = happened->id;
	record->body_len = sizeof(u64);
	perf_side_add_name(record, happened->path, happened->path_len);
}

#define SIDE_KIND(kind, function) \
	[PERF_SIDE_##kind] = { \
		.want	= PERF_SIDE_##kind, \
		.shape	= (function), \
	}

static const struct perf_side_kind side_kinds[PERF_SIDE_NR] = {
	SIDE_KIND(TASK,		side_shape_task),
	SIDE_KIND(COMM,		side_shape_comm),
	SIDE_KIND(NAMESPACES,	side_shape_namespaces),
	SIDE_KIND(SWITCH,	side_shape_switch),
	SIDE_KIND(KSYMBOL,	side_shape_ksymbol),
	SIDE_KIND(BPF,		side_shape_bpf),
	SIDE_KIND(TEXT_POKE,	side_shape_poke),
	SIDE_KIND(CGROUP,	side_shape_cgroup),
};

/**
 * perf_side_task() - report that a task was created or exits
 * @task: the task
 * @is_new: true if current has created it, false if it exits
 * @exiting_ctx: notify the events of this context, which @task has just given
 *	up; NULL: notify those of this CPU and of the current task
 *
 * Context: task.
 */
void perf_side_task(struct task_struct *task, bool is_new,
		    struct perf_ctx *exiting_ctx)
{
	const struct side_task happened = {
		.task = task,
		.is_new = is_new,
	};

	if (!perf_side_wanted(PERF_SIDE_TASK))
		return;

	if (exiting_ctx)
		perf_side_tell_ctx(&side_kinds[PERF_SIDE_TASK], &happened,
				   exiting_ctx);
	else
		perf_side_tell(&side_kinds[PERF_SIDE_TASK], &happened);
}

/**
 * perf_event_comm() - report that a task has a new name
 * @task: the task
 * @exec: true if the name comes from exec
 *
 * Context: task.
 */
void perf_event_comm(struct task_struct *task, bool exec)
{
	struct side_comm happened = {
		.task = task,
		.exec = exec,
	};

	if (!perf_side_wanted(PERF_SIDE_COMM))
		return;

	/* Another task may change the name meanwhile: take one copy. */
	strscpy(happened.name, task->comm, sizeof(happened.name));
	happened.name_len = strlen(happened.name);
	perf_side_tell(&side_kinds[PERF_SIDE_COMM], &happened);
}

/* In the order of the record; a namespace that is not configured stays zero. */
static const struct proc_ns_operations *const side_ns_ops[NR_NAMESPACES] = {
#ifdef CONFIG_NET_NS
	[NET_NS_INDEX]		= &netns_operations,
#endif
#ifdef CONFIG_UTS_NS
	[UTS_NS_INDEX]		= &utsns_operations,
#endif
#ifdef CONFIG_IPC_NS
	[IPC_NS_INDEX]		= &ipcns_operations,
#endif
#ifdef CONFIG_PID_NS
	[PID_NS_INDEX]		= &pidns_operations,
#endif
#ifdef CONFIG_USER_NS
	[USER_NS_INDEX]		= &userns_operations,
#endif
	[MNT_NS_INDEX]		= &mntns_operations,
#ifdef CONFIG_CGROUPS
	[CGROUP_NS_INDEX]	= &cgroupns_operations,
#endif
};

static void side_find_ns(struct perf_ns_link_info *link,
			 struct task_struct *task,
			 const struct proc_ns_operations *ops)
{
	const struct inode *inode;
	struct path path;

	if (!ops || ns_get_path(&path, task, ops))
		return;

	inode = d_inode(path.dentry);
	link->dev = new_encode_dev(inode->i_sb->s_dev);
	link->ino = inode->i_ino;
	path_put(&path);
}

static void side_namespaces_tell(struct task_struct *task)
{
	struct side_namespaces happened = { .task = task };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(happened.link); i++)
		side_find_ns(&happened.link[i], task, side_ns_ops[i]);
	perf_side_tell(&side_kinds[PERF_SIDE_NAMESPACES], &happened);
}

/**
 * perf_event_namespaces() - report the namespaces that a task is in
 * @task: the task
 *
 * Context: task; may sleep.
 */
void perf_event_namespaces(struct task_struct *task)
{
	/* The data of the record is on the stack, filled with zeros. */
	if (perf_side_wanted(PERF_SIDE_NAMESPACES))
		side_namespaces_tell(task);
}

/**
 * perf_event_fork() - report a new task
 * @task: the task, not running yet; its fork cannot fail any more
 *
 * Context: task; may sleep.
 */
void perf_event_fork(struct task_struct *task)
{
	perf_addr_filter_fork(task);
	perf_side_task(task, true, NULL);
	perf_event_namespaces(task);
}

/**
 * perf_side_switch() - report a task switch, once for each side of it
 * @task: the current task, which starts or stops running here
 * @other: the task that ran before it or runs after it
 * @in: true if @task starts
 *
 * Context: run-queue lock held, interrupts off.
 */
void perf_side_switch(struct task_struct *task, struct task_struct *other,
		      bool in)
{
	struct side_switch happened = { .other = other };

	if (!in) {
		happened.misc = PERF_RECORD_MISC_SWITCH_OUT;
		if (task_is_runnable(task))
			happened.misc |= PERF_RECORD_MISC_SWITCH_OUT_PREEMPT;
	}
	perf_side_tell(&side_kinds[PERF_SIDE_SWITCH], &happened);
}

/**
 * perf_event_ksymbol() - report code that the kernel made or frees
 * @ksym_type: PERF_RECORD_KSYMBOL_TYPE_*
 * @addr: start address
 * @len: length in bytes
 * @unregister: true if the code is freed
 * @sym: its name
 *
 * Context: task.
 */
void perf_event_ksymbol(u16 ksym_type, u64 addr, u32 len, bool unregister,
			const char *sym)
{
	struct side_ksymbol happened = {
		.addr = addr,
		.len = len,
		.type = ksym_type,
		.flags = unregister ? PERF_RECORD_KSYMBOL_FLAGS_UNREGISTER : 0,
		.name = sym,
	};

	if (!perf_side_wanted(PERF_SIDE_KSYMBOL))
		return;
	if (WARN_ONCE(ksym_type == PERF_RECORD_KSYMBOL_TYPE_UNKNOWN ||
		      ksym_type >= PERF_RECORD_KSYMBOL_TYPE_MAX,
		      "perf: code of unknown type %u\n", ksym_type))
		return;

	happened.name_len = strlen(sym);
	perf_side_tell(&side_kinds[PERF_SIDE_KSYMBOL], &happened);
}

static void side_bpf_symbol(const struct bpf_prog *prog, bool unload)
{
	perf_event_ksymbol(PERF_RECORD_KSYMBOL_TYPE_BPF,
			   (unsigned long)prog->bpf_func, prog->jited_len,
			   unload, prog->aux->ksym.name);
}

/**
 * perf_event_bpf_event() - report that a BPF program is loaded or unloaded
 * @prog: the program
 * @type: PERF_BPF_EVENT_PROG_LOAD or _UNLOAD; others are not reported
 * @flags: flags of the record
 *
 * Context: task.
 */
void perf_event_bpf_event(struct bpf_prog *prog, enum perf_bpf_event_type type,
			  u16 flags)
{
	struct side_bpf happened = {
		.type = type,
		.flags = flags,
		.id = prog->aux->id,
	};
	bool unload = type == PERF_BPF_EVENT_PROG_UNLOAD;
	unsigned int i;

	if (!unload && type != PERF_BPF_EVENT_PROG_LOAD)
		return;

	if (perf_side_wanted(PERF_SIDE_KSYMBOL)) {
		/* The first of a program's functions is the program itself. */
		side_bpf_symbol(prog, unload);
		for (i = 1; i < prog->aux->func_cnt; i++)
			side_bpf_symbol(prog->aux->func[i], unload);
	}
	if (!perf_side_wanted(PERF_SIDE_BPF))
		return;

	memcpy(happened.tag, prog->tag, sizeof(happened.tag));
	perf_side_tell(&side_kinds[PERF_SIDE_BPF], &happened);
}

/**
 * perf_event_text_poke() - report a change of kernel code
 * @addr: address
 * @old_bytes: the code that is there
 * @old_len: its length in bytes
 * @new_bytes: the code that will be there
 * @new_len: its length in bytes
 *
 * A change that does not fit into a record is not reported; no caller makes
 * one.
 *
 * Context: task, text_mutex held.
 */
void perf_event_text_poke(const void *addr, const void *old_bytes,
			  size_t old_len, const void *new_bytes,
			  size_t new_len)
{
	const struct side_poke happened = {
		.addr = addr,
		.old_bytes = old_bytes,
		.new_bytes = new_bytes,
		.old_len = old_len,
		.new_len = new_len,
	};

	if (!perf_side_wanted(PERF_SIDE_TEXT_POKE))
		return;
	if (WARN_ON_ONCE(old_len > S16_MAX || new_len > S16_MAX - SZ_1K))
		return;

	perf_side_tell(&side_kinds[PERF_SIDE_TEXT_POKE], &happened);
}

#ifdef CONFIG_CGROUP_PERF
/**
 * perf_side_cgroup() - report a new cgroup
 * @cgrp: the cgroup
 *
 * Context: task; may sleep.
 */
void perf_side_cgroup(struct cgroup *cgrp)
{
	struct side_cgroup happened = { .path = "//enomem" };
	char *path;

	if (!perf_side_wanted(PERF_SIDE_CGROUP))
		return;

	path = kmalloc(PATH_MAX, GFP_KERNEL);
	if (path) {
		cgroup_path(cgrp, path, PATH_MAX);
		happened.path = path;
	}
	happened.path_len = strlen(happened.path);
	happened.id = cgroup_id(cgrp);
	perf_side_tell(&side_kinds[PERF_SIDE_CGROUP], &happened);
	kfree(path);
}
#endif
