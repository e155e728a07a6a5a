/* SPDX-License-Identifier: GPL-2.0 */
/* Room "config": from attributes to selectors. */
#ifndef _ARCH_X86_EVENTS_CONFIG_H
#define _ARCH_X86_EVENTS_CONFIG_H

#include "engine.h"

void x86_config_set_vendor(int (*config)(struct perf_event *event));
int x86_config_init(struct perf_event *event);
u64 x86_config_allowed_period(const struct perf_event *event, u64 period);
int x86_config_check_period(struct perf_event *event, u64 period);

#endif /* _ARCH_X86_EVENTS_CONFIG_H */
