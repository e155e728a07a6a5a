/* SPDX-License-Identifier: GPL-2.0 */
/* Room "sysfs": the files of the PMU's device. */
#ifndef _ARCH_X86_EVENTS_SYSFS_H
#define _ARCH_X86_EVENTS_SYSFS_H

#include <linux/sysfs.h>

extern const struct attribute_group *x86_sysfs_groups[];

#endif /* _ARCH_X86_EVENTS_SYSFS_H */
