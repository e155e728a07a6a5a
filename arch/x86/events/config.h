/* SPDX-License-Identifier: GPL-2.0 */
/* Room "config": from attributes to selectors. */
#ifndef _ARCH_X86_EVENTS_CONFIG_H
#define _ARCH_X86_EVENTS_CONFIG_H

#include "engine.h"

/**
 * struct x86_config_vendor - what the vendor's driver does for a new event
 * @check:	before anything else; returns 0 or an errno; optional
 * @config:	when the selector is complete otherwise; returns 0 or an errno
 */
struct x86_config_vendor {
	int	(*check)(struct perf_event *event);
	int	(*config)(struct perf_event *event);
};

void x86_config_set_vendor(const struct x86_config_vendor *what);
int x86_config_refuse_branches(void);
int x86_config_init(struct perf_event *event);
u64 x86_config_allowed_period(const struct perf_event *event, u64 period);
int x86_config_check_period(struct perf_event *event, u64 period);

#endif /* _ARCH_X86_EVENTS_CONFIG_H */
