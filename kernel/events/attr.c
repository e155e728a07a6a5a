// SPDX-License-Identifier: GPL-2.0
/*
 * Room "attr": copies an attribute from user memory and checks it.
 *
 * Three steps, in this order: perf_attr_read_user() copies the structure, in
 * whatever version the program was built with; perf_attr_check() finds
 * contradictions in it; perf_attr_permitted_at() checks whether the caller may
 * open such an event. Checks that few events need are rows of const tables. A
 * program that has made two mistakes sees the errno of the first check that
 * fails, so the order of checks and rows is ABI.
 *
 * perf_ext_copy_in() and perf_ext_copy_out() copy structures of extensions,
 * which grow as the attribute does.
 *
 * Owns:     kernel.perf_event_paranoid.
 * Contexts: task context, may sleep (user memory, LSM hooks).
 * Lifetime: works on memory of its callers, keeps nothing.
 * Locking:  none.
 *
 * Race: the program changes the structure while it is copied.
 *   1. The size is read and checked.
 *   2. Another thread of the program stores a different size.
 *   3. The structure is copied with the size of step 1, which then replaces
 *      the copied attr.size.
 * Nothing is read from user memory after step 3.
 */

#include <linux/capability.h>
#include <linux/export.h>
#include <linux/perf_event.h>
#include <linux/security.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "attr.h"
#include "refuse.h"

/* -1 open to all, 0 no raw tracepoints, 1 no CPU events, 2 no kernel, 3 none */
int sysctl_perf_event_paranoid __read_mostly =
	IS_ENABLED(CONFIG_SECURITY_PERF_EVENTS_RESTRICT) ? 3 : 2;

static int attr_ask_lsm(int type)
{
	int err = security_perf_event_open(type);

	if (err)
		perf_refuse(err, PERF_NOWHERE, 0, PERF_REASON_SECURITY);
	return err;
}

/**
 * perf_allow_kernel() - check whether the caller may observe the kernel
 *
 * Context: Task context; capabilities and LSM of current.
 * Return: 0; -EACCES without CAP_PERFMON while kernel.perf_event_paranoid is 2
 * or more; the errno of an LSM, usually -EACCES.
 */
int perf_allow_kernel(void)
{
	bool guarded = READ_ONCE(sysctl_perf_event_paranoid) >= 2;

	if (guarded && !perfmon_capable())
		return perf_refuse(-EACCES, PERF_NOWHERE, 0,
				   PERF_REASON_PARANOID);
	return attr_ask_lsm(PERF_SECURITY_KERNEL);
}
EXPORT_SYMBOL_GPL(perf_allow_kernel);

/**
 * perf_attr_cpu_permitted() - check whether the caller may see a CPU's tasks
 *
 * Context: Task context; capabilities and LSM of current.
 * Return: 0; -EACCES without CAP_PERFMON while kernel.perf_event_paranoid is 1
 * or more; the errno of an LSM, usually -EACCES.
 */
int perf_attr_cpu_permitted(void)
{
	bool guarded = READ_ONCE(sysctl_perf_event_paranoid) >= 1;

	if (guarded && !perfmon_capable())
		return perf_refuse(-EACCES, PERF_NOWHERE, 0,
				   PERF_REASON_PARANOID);
	return attr_ask_lsm(PERF_SECURITY_CPU);
}

/**
 * perf_attr_is_perfmon() - ask perfmon_capable() without auditing
 *
 * The caller only prepares an answer. The program has not asked for anything
 * that needs the capability, so that a denial must not be audited.
 *
 * Context: Task context; capabilities of current.
 * Return: true if the caller has CAP_PERFMON or CAP_SYS_ADMIN.
 */
bool perf_attr_is_perfmon(void)
{
	return ns_capable_noaudit(&init_user_ns, CAP_PERFMON) ||
	       ns_capable_noaudit(&init_user_ns, CAP_SYS_ADMIN);
}

/**
 * perf_attr_would_see_cpus() - predict perf_attr_cpu_permitted(), without LSM
 *
 * Context: Task context; capabilities of current, not audited.
 * Return: true if capabilities and kernel.perf_event_paranoid allow it.
 */
bool perf_attr_would_see_cpus(void)
{
	return READ_ONCE(sysctl_perf_event_paranoid) < 1 ||
	       perf_attr_is_perfmon();
}

/**
 * perf_attr_shows_all() - check whether the caller may observe all tasks on a CPU
 *
 * Context: Task context; capabilities of current, not audited, and the LSM.
 * Return: true if it may.
 */
bool perf_attr_shows_all(void)
{
	return perf_attr_would_see_cpus() &&
	       !security_perf_event_open(PERF_SECURITY_CPU);
}

/**
 * perf_attr_leave_out_ksymbol() - clear attr.ksymbol if the caller may not use it
 * @attr: attribute that passed perf_attr_permitted() and does not count the
 *	kernel
 *
 * KSYMBOL records show kernel addresses. Tools request them by default, also for
 * events of user mode, and would not understand a refusal. Missing capabilities
 * are not audited, since the tool works without these records; an LSM may log a
 * denial of its own.
 *
 * Context: Task context; capabilities and LSM of current.
 */
void perf_attr_leave_out_ksymbol(struct perf_event_attr *attr)
{
	bool guarded = READ_ONCE(sysctl_perf_event_paranoid) >= 2;

	if ((guarded && !perf_attr_is_perfmon()) ||
	    security_perf_event_open(PERF_SECURITY_KERNEL))
		attr->ksymbol = 0;
}

/*
 * A row of the tables. It applies to attributes that have one of the bits
 * @sample_type, if any are given, and for which @applies() is true, if it is
 * given. The result is @error, or what @ask() returns. A dry run also gets the
 * @reason, the field (@place), and what its value should be (@hint).
 */
struct attr_rule {
	u64	sample_type;
	bool	(*applies)(const struct perf_event_attr *attr);
	int	error;
	int	(*ask)(void);
	u32	reason;
	u32	place;
	struct perf_refuse_hint hint;
};

static int attr_rules_walk(const struct attr_rule *rules, size_t nr,
			   const struct perf_event_attr *attr)
{
	const struct attr_rule *rule;
	int err;

	for (rule = rules; rule < rules + nr; rule++) {
		if (rule->sample_type && !(rule->sample_type & attr->sample_type))
			continue;
		if (rule->applies && !rule->applies(attr))
			continue;
		err = rule->ask ? rule->ask() : rule->error;
		if (!err)
			continue;
		perf_refuse_note(err, rule->place, &rule->hint, rule->reason,
				 NULL);
		return err;
	}
	return 0;
}

/* What the structure may contain. */

static bool attr_reserved_1_used(const struct perf_event_attr *attr)
{
	return attr->__reserved_1;
}

static bool attr_reserved_2_used(const struct perf_event_attr *attr)
{
	return attr->__reserved_2;
}

static bool attr_reserved_3_used(const struct perf_event_attr *attr)
{
	return attr->__reserved_3;
}

static bool attr_sample_unknown(const struct perf_event_attr *attr)
{
	return attr->sample_type >= PERF_SAMPLE_MAX;
}

static bool attr_format_unknown(const struct perf_event_attr *attr)
{
	return attr->read_format >= PERF_FORMAT_MAX;
}

static bool attr_branch_unknown(const struct perf_event_attr *attr)
{
	return attr->branch_sample_type >= PERF_SAMPLE_BRANCH_MAX;
}

/* Privilege levels alone do not say which kinds of branches are recorded. */
static bool attr_branch_kindless(const struct perf_event_attr *attr)
{
	return !(attr->branch_sample_type & ~(u64)PERF_SAMPLE_BRANCH_PLM_ALL);
}

static bool attr_branch_privileged(const struct perf_event_attr *attr)
{
	return attr->branch_sample_type &
		(PERF_SAMPLE_BRANCH_KERNEL | PERF_SAMPLE_BRANCH_HV);
}

/* What perf_reg_validate() returns for a mask that it does not accept. */
#define ATTR_BAD_REGS	(IS_ENABLED(CONFIG_HAVE_PERF_REGS) ? -EINVAL : -ENOSYS)

static bool attr_regs_user_bad(const struct perf_event_attr *attr)
{
	return perf_reg_validate(attr->sample_regs_user);
}

static bool attr_regs_intr_bad(const struct perf_event_attr *attr)
{
	return perf_reg_validate(attr->sample_regs_intr);
}

static bool attr_stack_impossible(const struct perf_event_attr *attr)
{
	return !IS_ENABLED(CONFIG_HAVE_PERF_USER_STACK_DUMP);
}

/* A record's size has 16 bits. */
static bool attr_stack_too_large(const struct perf_event_attr *attr)
{
	return attr->sample_stack_user >= U16_MAX;
}

/* The dump is written in words. */
static bool attr_stack_uneven(const struct perf_event_attr *attr)
{
	return attr->sample_stack_user % sizeof(u64);
}

static bool attr_cgroup_impossible(const struct perf_event_attr *attr)
{
	return !IS_ENABLED(CONFIG_CGROUP_PERF);
}

static bool attr_weight_twice(const struct perf_event_attr *attr)
{
	return (attr->sample_type & PERF_SAMPLE_WEIGHT_TYPE) ==
		PERF_SAMPLE_WEIGHT_TYPE;
}

static bool attr_thread_uninherited(const struct perf_event_attr *attr)
{
	return attr->inherit_thread && !attr->inherit;
}

static bool attr_exec_both_ways(const struct perf_event_attr *attr)
{
	return attr->enable_on_exec && attr->remove_on_exec;
}

/* The new program must not get signals that the old one asked for. */
static bool attr_sigtrap_outlives(const struct perf_event_attr *attr)
{
	return attr->sigtrap && !attr->remove_on_exec;
}

/* Values of at least @limit, a power of two, have one of these bits. */
#define ATTR_FROM(limit)	(~((u64)(limit) - 1))

#define ATTR_BRANCH_KINDS \
	(PERF_SAMPLE_BRANCH_MAX - 1 - (u64)PERF_SAMPLE_BRANCH_PLM_ALL)
#define ATTR_BRANCH_PRIVILEGED \
	(PERF_SAMPLE_BRANCH_KERNEL | PERF_SAMPLE_BRANCH_HV)

#define ATTR_SAYS(reason_, place_, bits_) \
	.reason = PERF_REASON_##reason_, .place = place_, .hint.bits = bits_
#define ATTR_NEEDS(bits_)	.hint.needs = bits_
#define ATTR_UP_TO(limit_)	.hint.limit = limit_

static const struct attr_rule attr_content_rules[] = {
	{ .applies = attr_reserved_1_used, .error = -EINVAL,
	  ATTR_SAYS(RESERVED, PERF_FIELD_FLAGS, PERF_ATTR_RESERVED_1) },
	{ .applies = attr_reserved_2_used, .error = -EINVAL,
	  ATTR_SAYS(RESERVED, PERF_FIELD(__reserved_2), ~0ULL) },
	{ .applies = attr_reserved_3_used, .error = -EINVAL,
	  ATTR_SAYS(RESERVED, PERF_FIELD(aux_action), PERF_ATTR_RESERVED_3) },
	{ .applies = attr_sample_unknown, .error = -EINVAL,
	  ATTR_SAYS(UNKNOWN_BITS, PERF_FIELD(sample_type),
		    ATTR_FROM(PERF_SAMPLE_MAX)) },
	{ .applies = attr_format_unknown, .error = -EINVAL,
	  ATTR_SAYS(UNKNOWN_BITS, PERF_FIELD(read_format),
		    ATTR_FROM(PERF_FORMAT_MAX)) },
	{ .sample_type = PERF_SAMPLE_BRANCH_STACK,
	  .applies = attr_branch_unknown, .error = -EINVAL,
	  ATTR_SAYS(UNKNOWN_BITS, PERF_FIELD(branch_sample_type),
		    ATTR_FROM(PERF_SAMPLE_BRANCH_MAX)) },
	{ .sample_type = PERF_SAMPLE_BRANCH_STACK,
	  .applies = attr_branch_kindless, .error = -EINVAL,
	  ATTR_SAYS(BRANCH_KIND, PERF_FIELD(branch_sample_type),
		    ATTR_BRANCH_KINDS) },
	{ .sample_type = PERF_SAMPLE_BRANCH_STACK,
	  .applies = attr_branch_privileged, .ask = perf_allow_kernel,
	  ATTR_SAYS(OTHER, PERF_FIELD(branch_sample_type),
		    ATTR_BRANCH_PRIVILEGED) },
	{ .sample_type = PERF_SAMPLE_REGS_USER,
	  .applies = attr_regs_user_bad, .error = ATTR_BAD_REGS,
	  ATTR_SAYS(REGISTERS, PERF_FIELD(sample_regs_user), ~0ULL) },
	{ .sample_type = PERF_SAMPLE_STACK_USER,
	  .applies = attr_stack_impossible, .error = -ENOSYS,
	  ATTR_SAYS(NOT_BUILT, PERF_FIELD(sample_type),
		    PERF_SAMPLE_STACK_USER) },
	{ .sample_type = PERF_SAMPLE_STACK_USER,
	  .applies = attr_stack_too_large, .error = -EINVAL,
	  ATTR_SAYS(STACK_SIZE, PERF_FIELD(sample_stack_user), 0),
	  ATTR_UP_TO(round_down(U16_MAX, sizeof(u64))) },
	{ .sample_type = PERF_SAMPLE_STACK_USER,
	  .applies = attr_stack_uneven, .error = -EINVAL,
	  ATTR_SAYS(STACK_SIZE, PERF_FIELD(sample_stack_user),
		    sizeof(u64) - 1) },
	{ .sample_type = PERF_SAMPLE_CGROUP,
	  .applies = attr_cgroup_impossible, .error = -EINVAL,
	  ATTR_SAYS(NOT_BUILT, PERF_FIELD(sample_type), PERF_SAMPLE_CGROUP) },
	{ .applies = attr_weight_twice, .error = -EINVAL,
	  ATTR_SAYS(CONFLICT, PERF_FIELD(sample_type),
		    PERF_SAMPLE_WEIGHT_TYPE) },
	{ .applies = attr_thread_uninherited, .error = -EINVAL,
	  ATTR_SAYS(REQUIRES, PERF_FIELD_FLAGS, PERF_ATTR_INHERIT_THREAD),
	  ATTR_NEEDS(PERF_ATTR_INHERIT) },
	{ .applies = attr_exec_both_ways, .error = -EINVAL,
	  ATTR_SAYS(CONFLICT, PERF_FIELD_FLAGS,
		    PERF_ATTR_ENABLE_ON_EXEC | PERF_ATTR_REMOVE_ON_EXEC) },
	{ .applies = attr_sigtrap_outlives, .error = -EINVAL,
	  ATTR_SAYS(REQUIRES, PERF_FIELD_FLAGS, PERF_ATTR_SIGTRAP),
	  ATTR_NEEDS(PERF_ATTR_REMOVE_ON_EXEC) },
	{ .sample_type = PERF_SAMPLE_REGS_INTR,
	  .applies = attr_regs_intr_bad, .error = ATTR_BAD_REGS,
	  ATTR_SAYS(REGISTERS, PERF_FIELD(sample_regs_intr), ~0ULL) },
};

/* All bits of sample_type that the rows above check. */
#define ATTR_SAMPLE_ASKED \
	(ATTR_FROM(PERF_SAMPLE_MAX) | PERF_SAMPLE_BRANCH_STACK | \
	 PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER | \
	 PERF_SAMPLE_CGROUP | PERF_SAMPLE_WEIGHT_TYPE | PERF_SAMPLE_REGS_INTR)

/* True if no row can apply, as for most events that only count. */
static bool attr_is_plain(const struct perf_event_attr *attr)
{
	return !(attr->sample_type & ATTR_SAMPLE_ASKED) &&
	       !(attr->read_format & ATTR_FROM(PERF_FORMAT_MAX)) &&
	       !attr->inherit_thread && !attr->remove_on_exec &&
	       !attr->sigtrap && !attr->__reserved_1 &&
	       !attr->__reserved_2 && !attr->__reserved_3;
}

/**
 * perf_attr_check() - check an attribute for contradictions
 * @attr: attribute that perf_attr_read_user() has completed
 *
 * Context: Task context; one row looks at the caller's privileges.
 * Return: 0; -EINVAL for reserved, unknown or contradictory fields; -ENOSYS
 * for stacks or registers that the architecture cannot sample; -EACCES, or the
 * errno of an LSM, for branches of privileged levels.
 */
int perf_attr_check(const struct perf_event_attr *attr)
{
	if (attr_is_plain(attr))
		return 0;
	return attr_rules_walk(attr_content_rules,
			       ARRAY_SIZE(attr_content_rules), attr);
}

/* Permission. */

/* Return: what makes the event show the kernel; 0 if it does not. */
static u64 attr_kernel_bit(const struct perf_event_attr *attr)
{
	if (!attr->exclude_kernel)
		return PERF_ATTR_EXCLUDE_KERNEL;
	if (attr->text_poke)
		return PERF_ATTR_TEXT_POKE;
	if (attr->sample_type & PERF_SAMPLE_CALLCHAIN &&
	    !attr->exclude_callchain_kernel)
		return PERF_ATTR_EXCLUDE_CALLCHAIN_KERNEL;
	return 0;
}

/*
 * These come before the check of the sampling rate, secrets after it. Every
 * open makes them, so they are code and not rows of a table.
 */
static int attr_check_access(const struct perf_event_attr *attr)
{
	u64 kernel_bit = attr_kernel_bit(attr);
	int err;

	if (perf_paranoid_any() && !capable(CAP_SYS_ADMIN))
		return perf_refuse(-EACCES, PERF_ARGUMENT(CALLER), 0,
				   PERF_REASON_PARANOID);
	err = security_perf_event_open(PERF_SECURITY_OPEN);
	if (err)
		return perf_refuse(err, PERF_ARGUMENT(CALLER), 0,
				   PERF_REASON_SECURITY);
	if (kernel_bit)
		err = perf_allow_kernel();
	if (err)
		return perf_refuse(err, PERF_FIELD_FLAGS, kernel_bit,
				   PERF_REASON_OTHER);
	if (attr->namespaces && !perfmon_capable())
		return perf_refuse(-EACCES, PERF_FIELD_FLAGS,
				   PERF_ATTR_NAMESPACES,
				   PERF_REASON_CAPABILITY);
	return 0;
}

static int ask_lockdown(void)
{
	return security_locked_down(LOCKDOWN_PERF);
}

static const struct attr_rule attr_secret_rules[] = {
	{ .sample_type = PERF_SAMPLE_PHYS_ADDR, .ask = perf_allow_kernel,
	  ATTR_SAYS(OTHER, PERF_FIELD(sample_type), PERF_SAMPLE_PHYS_ADDR) },
	{ .sample_type = PERF_SAMPLE_REGS_INTR, .ask = ask_lockdown,
	  ATTR_SAYS(SECURITY, PERF_FIELD(sample_type),
		    PERF_SAMPLE_REGS_INTR) },
};

/* All bits of sample_type that the rows above check. */
#define ATTR_SECRETS	(PERF_SAMPLE_PHYS_ADDR | PERF_SAMPLE_REGS_INTR)

static int attr_check_rate(const struct perf_event_attr *attr, u64 max_rate)
{
	if (attr->freq && attr->sample_freq > max_rate)
		return perf_refuse_above(-EINVAL, PERF_FIELD(sample_freq),
					 max_rate, PERF_REASON_RATE);
	/*
	 * Counters are programmed with minus the period, so bit 63 must be
	 * clear.
	 */
	if (!attr->freq && (s64)attr->sample_period < 0)
		return perf_refuse_above(-EINVAL, PERF_FIELD(sample_period),
					 S64_MAX, PERF_REASON_PERIOD);
	return 0;
}

/**
 * perf_attr_permitted_at() - check whether the caller may open such an event
 * @attr: attribute that passed perf_attr_check()
 * @max_rate: highest attr.sample_freq, samples a second; not used without
 *	attr.freq
 *
 * Checks that depend on the target are elsewhere: rights over the task, events
 * of whole CPUs, tracepoints, breakpoints.
 *
 * Context: Task context; privileges of current.
 * Return: 0; -EACCES without the required privilege; -EINVAL for a frequency
 * above @max_rate or a period with bit 63; -EPERM under lockdown; the
 * errno of an LSM.
 */
int perf_attr_permitted_at(const struct perf_event_attr *attr, u64 max_rate)
{
	int err = attr_check_access(attr);

	if (!err)
		err = attr_check_rate(attr, max_rate);
	if (err || !(attr->sample_type & ATTR_SECRETS))
		return err;
	return attr_rules_walk(attr_secret_rules,
			       ARRAY_SIZE(attr_secret_rules), attr);
}

/*
 * If attr gives no privilege levels for branches, those of the counter apply.
 */
static u64 attr_branch_levels(const struct perf_event_attr *attr)
{
	u64 levels = 0;

	if (attr->branch_sample_type & PERF_SAMPLE_BRANCH_PLM_ALL)
		return 0;
	if (!attr->exclude_user)
		levels |= PERF_SAMPLE_BRANCH_USER;
	if (!attr->exclude_kernel)
		levels |= PERF_SAMPLE_BRANCH_KERNEL;
	if (!attr->exclude_hv)
		levels |= PERF_SAMPLE_BRANCH_HV;
	return levels;
}

static int attr_refuse_size(u32 reason)
{
	return perf_refuse_above(-E2BIG, PERF_FIELD(size),
				 sizeof(struct perf_event_attr), reason);
}

static int attr_refuse_pointer(void)
{
	return perf_refuse(-EFAULT, PERF_ARGUMENT(ATTR_POINTER), 0,
			   PERF_REASON_POINTER);
}

/**
 * perf_attr_read_user() - copy an attribute of any version from user memory
 * @uattr: attribute of the program
 * @attr: receives it, in the version of this kernel
 * @max_stack: number of frames to use if attr.sample_max_stack is 0; only read
 *	for an event that samples call chains
 *
 * Fields that the program's version lacks become 0. Fields in which 0 means the
 * default get the default: size, frames of a callchain, levels of branches.
 *
 * Context: Task context, may fault.
 * Return: 0; -EFAULT; -E2BIG for a size below the first version's or above a
 * page, or if fields that this kernel does not know are in use.
 */
int perf_attr_read_user(struct perf_event_attr __user *uattr,
			struct perf_event_attr *attr, const int *max_stack)
{
	u32 size;
	int err;

	memset(attr, 0, sizeof(*attr));
	if (get_user(size, &uattr->size))
		return attr_refuse_pointer();
	if (!size)
		size = PERF_ATTR_SIZE_VER0;
	if (size < PERF_ATTR_SIZE_VER0 || size > PAGE_SIZE)
		return attr_refuse_size(PERF_REASON_SIZE);

	err = copy_struct_from_user(attr, sizeof(*attr), uattr, size);
	if (err == -E2BIG)
		return attr_refuse_size(PERF_REASON_TOO_NEW);
	if (err)
		return attr_refuse_pointer();

	attr->size = size;
	if (attr->sample_type & PERF_SAMPLE_CALLCHAIN && !attr->sample_max_stack)
		attr->sample_max_stack =
			min_t(unsigned int, READ_ONCE(*max_stack), U16_MAX);
	if (attr->sample_type & PERF_SAMPLE_BRANCH_STACK)
		attr->branch_sample_type |= attr_branch_levels(attr);
	return 0;
}

/**
 * perf_ext_copy_in() - copy in a structure of <linux/perf_event_ext.h>
 * @known: receives it; begins with its size, which is set to the program's
 * @known_size: bytes that this kernel knows
 * @from: what the program passed
 * @least: bytes of its first version
 *
 * Context: Task context, may fault.
 * Return: 0; -EFAULT; -EINVAL for a size below @least; -E2BIG for a size above
 * a page, or if bytes that this kernel does not know are not 0: then the known
 * size is written to @from.
 */
int perf_ext_copy_in(void *known, size_t known_size, void __user *from,
		     size_t least)
{
	u32 __user *told = from;
	int err = -E2BIG;
	u32 size;

	if (get_user(size, told))
		return -EFAULT;
	if (size < least)
		return -EINVAL;
	if (size <= PAGE_SIZE)
		err = copy_struct_from_user(known, known_size, from, size);
	if (err == -E2BIG)
		put_user((u32)known_size, told);
	/* The program may have changed it since it was checked. */
	*(u32 *)known = size;
	return err;
}

/**
 * perf_ext_copy_out() - copy a structure back to the program, filled in
 * @known: what perf_ext_copy_in() has filled, or another one with its size
 * @known_size: bytes that this kernel knows
 * @to: what the program passed
 *
 * Context: Task context, may fault.
 * Return: 0; -EFAULT.
 */
int perf_ext_copy_out(void *known, size_t known_size, void __user *to)
{
	u32 *size = known;

	*size = min_t(size_t, *size, known_size);
	return copy_to_user(to, known, *size) ? -EFAULT : 0;
}

#if IS_ENABLED(CONFIG_PERF_EVENTS_KUNIT_TEST)
#include "tests/attr_kunit.c"
#endif
