/* SPDX-License-Identifier: GPL-2.0 */
/* Room "attr": copies and checks perf_event_attr; decides on permission. */
#ifndef _KERNEL_EVENTS_ATTR_H
#define _KERNEL_EVENTS_ATTR_H

#include <linux/uaccess.h>
#include "types.h"

int perf_attr_read_user(struct perf_event_attr __user *uattr,
			struct perf_event_attr *attr, const int *max_stack);
/* The same for structures of extensions, which grow as well. */
int perf_ext_copy_in(void *known, size_t known_size, void __user *from,
		     size_t least);
int perf_ext_copy_out(void *known, size_t known_size, void __user *to);
/* Checks that need no target: fields that exclude or require each other. */
int perf_attr_check(const struct perf_event_attr *attr);
/* Checks the caller's rights: paranoid level, capabilities and LSM. */
int perf_attr_permitted_at(const struct perf_event_attr *attr, u64 max_rate);
void perf_attr_leave_out_ksymbol(struct perf_event_attr *attr);
/* Rights to observe all that runs on a CPU; only the first one is audited. */
int perf_attr_cpu_permitted(void);
bool perf_attr_would_see_cpus(void);
bool perf_attr_shows_all(void);
bool perf_attr_is_perfmon(void);

/**
 * perf_attr_copy_user() - copy an attribute, and report the known size
 * @uattr: attribute of the program; on -E2BIG its size is set to the known one
 * @attr: receives it
 * @max_stack: as for perf_attr_read_user()
 *
 * Context: Task context, may fault.
 * Return: as perf_attr_read_user().
 */
static inline int perf_attr_copy_user(struct perf_event_attr __user *uattr,
				      struct perf_event_attr *attr,
				      const int *max_stack)
{
	int err = perf_attr_read_user(uattr, attr, max_stack);

	/* Only a hint: if it cannot be stored, the program still sees E2BIG. */
	if (unlikely(err == -E2BIG))
		put_user((u32)sizeof(*attr), &uattr->size);
	return err;
}

/*
 * The limits are arguments because they belong to later rooms; tests also
 * choose them.
 */
static inline int perf_attr_copy(struct perf_event_attr __user *uattr,
				 struct perf_event_attr *attr)
{
	return perf_attr_copy_user(uattr, attr, &sysctl_perf_event_max_stack);
}

/* The same for a dry run, which does not write to the attribute. */
static inline int perf_attr_read(struct perf_event_attr __user *uattr,
				 struct perf_event_attr *attr)
{
	return perf_attr_read_user(uattr, attr, &sysctl_perf_event_max_stack);
}

static inline int perf_attr_permitted(const struct perf_event_attr *attr)
{
	/* Without a frequency there is nothing to compare with the rate. */
	int rate = attr->freq ? READ_ONCE(sysctl_perf_event_sample_rate) : 0;

	return perf_attr_permitted_at(attr, rate);
}

/**
 * perf_attr_leave_out() - clear bits that the caller must not use
 * @attr: attribute that passed perf_attr_permitted()
 *
 * These bits are not worth a refusal. An event that counts the kernel has been
 * checked before.
 *
 * Context: as perf_attr_leave_out_ksymbol().
 */
static inline void perf_attr_leave_out(struct perf_event_attr *attr)
{
	if (attr->ksymbol && attr->exclude_kernel)
		perf_attr_leave_out_ksymbol(attr);
}

static inline bool perf_attr_inherits_samples_read(const struct perf_event_attr *attr)
{
	return attr->inherit && (attr->sample_type & PERF_SAMPLE_READ);
}

#endif /* _KERNEL_EVENTS_ATTR_H */
