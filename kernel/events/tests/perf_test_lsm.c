// SPDX-License-Identifier: GPL-2.0
/*
 * The security module "perf_test": its hooks refuse as a test selects.
 *
 * Purpose: to see from user space which hooks the core calls, and the effect
 * of a refusal. It refuses nothing until a hook is selected.
 *
 * Parameters, in /sys/module/perf_test_lsm/parameters/:
 *
 *   refuse	a bit for each of enum lsm_hook, by number: that hook refuses
 *   asked	how often each was asked, in the same order; a write sets all to 0
 *
 * Owns: a number in each event, which it stores at perf_event_alloc and checks
 * in the other hooks: events without it are reported once.
 *
 * Contexts: those of the hooks; none of them may be an NMI, which is reported.
 *
 * Lifetime: a security module is never unloaded.
 *
 * Locking: none. The counters are atomic.
 */
#include <linux/atomic.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/lsm_hooks.h>
#include <linux/moduleparam.h>
#include <linux/perf_event.h>
#include <linux/preempt.h>
#include <linux/ptrace.h>
#include <linux/security.h>
#include <linux/sysfs.h>

/* No other code in the path of these calls returns this errno. */
#define LSM_REFUSAL	(-EKEYREJECTED)

#define LSM_MARK	0x70657266

/* The first four are the types of security_perf_event_open(), by number. */
enum lsm_hook {
	LSM_OPEN	= PERF_SECURITY_OPEN,
	LSM_CPU		= PERF_SECURITY_CPU,
	LSM_KERNEL	= PERF_SECURITY_KERNEL,
	LSM_TRACEPOINT	= PERF_SECURITY_TRACEPOINT,
	LSM_ALLOC,
	LSM_READ,
	LSM_WRITE,
	LSM_LOCKED_DOWN,
	LSM_ATTACH,
	LSM_HOOKS,
};

static unsigned int refuse;
module_param(refuse, uint, 0644);

static atomic_t asked[LSM_HOOKS];

static int asked_get(char *buffer, const struct kernel_param *kp)
{
	int length = 0;

	for (int i = 0; i < LSM_HOOKS; i++)
		length += sysfs_emit_at(buffer, length, "%d%c", atomic_read(&asked[i]),
					i < LSM_HOOKS - 1 ? ' ' : '\n');
	return length;
}

static int asked_set(const char *text, const struct kernel_param *kp)
{
	for (int i = 0; i < LSM_HOOKS; i++)
		atomic_set(&asked[i], 0);
	return 0;
}

static const struct kernel_param_ops asked_ops = {
	.get = asked_get,
	.set = asked_set,
};
module_param_cb(asked, &asked_ops, NULL, 0644);

static int lsm_ask(enum lsm_hook hook)
{
	WARN_ON_ONCE(in_nmi());
	atomic_inc(&asked[hook]);
	return READ_ONCE(refuse) & BIT(hook) ? LSM_REFUSAL : 0;
}

static struct lsm_blob_sizes lsm_blobs __ro_after_init = {
	.lbs_perf_event = sizeof(u32),
};

static u32 *lsm_mark(const struct perf_event *event)
{
	return event->security + lsm_blobs.lbs_perf_event;
}

static int lsm_open(int type)
{
	return lsm_ask(type);
}

static int lsm_alloc(struct perf_event *event)
{
	*lsm_mark(event) = LSM_MARK;
	return lsm_ask(LSM_ALLOC);
}

static int lsm_read(struct perf_event *event)
{
	WARN_ON_ONCE(*lsm_mark(event) != LSM_MARK);
	return lsm_ask(LSM_READ);
}

static int lsm_write(struct perf_event *event)
{
	WARN_ON_ONCE(*lsm_mark(event) != LSM_MARK);
	return lsm_ask(LSM_WRITE);
}

static int lsm_locked_down(enum lockdown_reason what)
{
	return what == LOCKDOWN_PERF ? lsm_ask(LSM_LOCKED_DOWN) : 0;
}

/* Rights to observe another task are not of interest, rights to debug it are. */
static int lsm_ptrace(struct task_struct *child, unsigned int mode)
{
	return mode & PTRACE_MODE_ATTACH ? lsm_ask(LSM_ATTACH) : 0;
}

static struct security_hook_list lsm_hooks[] __ro_after_init = {
	LSM_HOOK_INIT(perf_event_open, lsm_open),
	LSM_HOOK_INIT(perf_event_alloc, lsm_alloc),
	LSM_HOOK_INIT(perf_event_read, lsm_read),
	LSM_HOOK_INIT(perf_event_write, lsm_write),
	LSM_HOOK_INIT(locked_down, lsm_locked_down),
	LSM_HOOK_INIT(ptrace_access_check, lsm_ptrace),
};

static const struct lsm_id lsm_id = {
	.name = "perf_test",
	.id = LSM_ID_UNDEF,
};

static int __init lsm_start(void)
{
	security_add_hooks(lsm_hooks, ARRAY_SIZE(lsm_hooks), &lsm_id);
	return 0;
}

DEFINE_LSM(perf_test) = {
	.name = "perf_test",
	.init = lsm_start,
	.blobs = &lsm_blobs,
};
