// SPDX-License-Identifier: GPL-2.0
/*
 * Room "hooks": what earlier rooms need of later ones.
 *
 * Purpose: all calls from a room to a later one, in one place.
 *
 * Owns: perf_hooks and perf_hooks_event_last_put.
 *
 * Contexts: as hooks.h says for each.
 *
 * Lifetime: static. Rooms set their functions at boot; then the table is
 * read-only.
 *
 * Locking: none.
 */
#include <linux/cache.h>
#include "hooks.h"

struct perf_hooks perf_hooks __ro_after_init;
DEFINE_STATIC_CALL_NULL(perf_hooks_event_last_put,
			void (struct perf_event *event));
