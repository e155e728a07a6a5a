/* SPDX-License-Identifier: GPL-2.0 */
/* Room "attr": copies and checks perf_event_attr; decides on permission. */
#ifndef _KERNEL_EVENTS_ATTR_H
#define _KERNEL_EVENTS_ATTR_H

#include "types.h"

int perf_attr_read_user(struct perf_event_attr __user *uattr,
			struct perf_event_attr *attr, unsigned int max_stack);
int perf_attr_copy_user(struct perf_event_attr __user *uattr,
			struct perf_event_attr *attr, unsigned int max_stack);
/* The same for structures of extensions, which grow as well. */
int perf_ext_copy_in(void *known, size_t known_size, void __user *from,
		     size_t least);
int perf_ext_copy_out(void *known, size_t known_size, void __user *to);
/* Checks that need no target: fields that exclude or require each other. */
int perf_attr_check(const struct perf_event_attr *attr);
/* Checks the caller's rights: paranoid level, capabilities and LSM. */
int perf_attr_permitted_at(const struct perf_event_attr *attr, u64 max_rate);
/* Clears bits that are not permitted and not worth a refusal. */
void perf_attr_leave_out(struct perf_event_attr *attr);
/* The same for all that runs on a CPU; only the first one is audited. */
int perf_attr_cpu_permitted(void);
bool perf_attr_would_see_cpus(void);
bool perf_attr_shows_all(void);
bool perf_attr_is_perfmon(void);

/*
 * The limits are arguments because they belong to later rooms; tests also
 * choose them.
 */
static inline int perf_attr_copy(struct perf_event_attr __user *uattr,
				 struct perf_event_attr *attr)
{
	return perf_attr_copy_user(uattr, attr,
				   READ_ONCE(sysctl_perf_event_max_stack));
}

/* The same for a dry run, which does not write to the attribute. */
static inline int perf_attr_read(struct perf_event_attr __user *uattr,
				 struct perf_event_attr *attr)
{
	return perf_attr_read_user(uattr, attr,
				   READ_ONCE(sysctl_perf_event_max_stack));
}

static inline int perf_attr_permitted(const struct perf_event_attr *attr)
{
	int rate = READ_ONCE(sysctl_perf_event_sample_rate);

	return perf_attr_permitted_at(attr, rate);
}

static inline bool perf_attr_inherits_samples_read(const struct perf_event_attr *attr)
{
	return attr->inherit && (attr->sample_type & PERF_SAMPLE_READ);
}

#endif /* _KERNEL_EVENTS_ATTR_H */
