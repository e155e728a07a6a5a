/* SPDX-License-Identifier: GPL-2.0 */
/* Room "addr_filter_parse": parses the text of address filters. */
#ifndef _KERNEL_EVENTS_ADDR_FILTER_PARSE_H
#define _KERNEL_EVENTS_ADDR_FILTER_PARSE_H

#ifdef __KERNEL__
#include <linux/perf_event.h>
#else
#include <stdbool.h>
#include <stddef.h>

/* As in <linux/perf_event.h>. */
enum perf_addr_filter_action_t {
	PERF_ADDR_FILTER_ACTION_STOP = 0,
	PERF_ADDR_FILTER_ACTION_START,
	PERF_ADDR_FILTER_ACTION_FILTER,
};
#endif

/**
 * struct perf_filter_term - one filter, as it is written
 * @action: what the trace unit does there
 * @offset: address in the kernel, or offset in the file
 * @size: bytes, 0 for a single address
 * @path: the file's name, not terminated; NULL for the kernel
 * @path_len: bytes of @path
 */
struct perf_filter_term {
	enum perf_addr_filter_action_t	action;
	unsigned long			offset;
	unsigned long			size;
	const char			*path;
	size_t				path_len;
};

int perf_filter_next(const char **text, struct perf_filter_term *term);

#endif /* _KERNEL_EVENTS_ADDR_FILTER_PARSE_H */
