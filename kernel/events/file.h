/* SPDX-License-Identifier: GPL-2.0 */
/* Room "file": the operations of an event's file. */
#ifndef _KERNEL_EVENTS_FILE_H
#define _KERNEL_EVENTS_FILE_H

#include <linux/fs.h>
#include "types.h"

extern const struct file_operations perf_file_ops;

/* Return: the event of @file, or NULL if it is a file of something else. */
static inline struct perf_event *perf_file_event(struct file *file)
{
	return file->f_op == &perf_file_ops ? file->private_data : NULL;
}

#endif /* _KERNEL_EVENTS_FILE_H */
