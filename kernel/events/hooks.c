// SPDX-License-Identifier: GPL-2.0
/*
 * Room "hooks": the functions of later rooms that earlier ones call.
 *
 * Purpose: one table of all calls from a room to a later one.
 *
 * Owns: perf_hooks, and a static call.
 *
 * Contexts: as struct perf_hooks says for each.
 *
 * Lifetime: static. Rooms set their functions at boot; then the table is
 * read-only.
 *
 * Locking: none.
 */
#include <linux/cache.h>
#include "hooks.h"

struct perf_hooks perf_hooks __ro_after_init;
DEFINE_STATIC_CALL_NULL(perf_hook_event_last_put,
			void (struct perf_event *event));
