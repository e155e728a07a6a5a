// SPDX-License-Identifier: GPL-2.0
/*
 * Callbacks of a hypervisor, for overflows that interrupted a guest.
 *
 * A hypervisor (KVM, Xen) registers callbacks; an overflow handler calls them,
 * in NMI, to find out whether this CPU was in a guest, and at which address.
 * Only one hypervisor can register. Without one the answer is 0, which is "no
 * guest".
 *
 * This file owns the pointer perf_guest_cbs and three static calls made from
 * it, so that a query costs a direct call and no test.
 *
 * Lifetime: the callbacks belong to the hypervisor, which may be a module. After
 * perf_unregister_guest_info_callbacks() no CPU is in them:
 *
 *   1. the static calls are patched back to "return 0";
 *   2. a CPU that entered a callback before runs it with preemption off;
 *   3. synchronize_rcu() waits until all such CPUs have left;
 *   4. the module may go.
 *
 * Locking: none. Registering twice is a bug of the callers, reported and
 * ignored; they serialise among themselves.
 */
#include <linux/export.h>
#include <linux/perf_event.h>
#include <linux/rcupdate.h>
#include <linux/static_call.h>

struct perf_guest_info_callbacks __rcu *perf_guest_cbs;

DEFINE_STATIC_CALL_RET0(__perf_guest_state, *perf_guest_cbs->state);
DEFINE_STATIC_CALL_RET0(__perf_guest_get_ip, *perf_guest_cbs->get_ip);
DEFINE_STATIC_CALL_RET0(__perf_guest_handle_intel_pt_intr,
			*perf_guest_cbs->handle_intel_pt_intr);

/* Targets of the static calls while no hypervisor is registered. */
#define perf_guest_answer_none(_call) \
	static_call_update(_call, (void *)&__static_call_return0)

/**
 * perf_register_guest_info_callbacks() - register a hypervisor's callbacks
 * @cbs: its callbacks, valid until it unregisters; handle_intel_pt_intr is
 *	optional
 *
 * Warns and does nothing when a hypervisor has registered already.
 *
 * Context: process context, may sleep.
 */
void perf_register_guest_info_callbacks(struct perf_guest_info_callbacks *cbs)
{
	if (WARN_ON_ONCE(rcu_access_pointer(perf_guest_cbs)))
		return;

	rcu_assign_pointer(perf_guest_cbs, cbs);
	if (cbs->handle_intel_pt_intr)
		static_call_update(__perf_guest_handle_intel_pt_intr,
				   cbs->handle_intel_pt_intr);
	static_call_update(__perf_guest_get_ip, cbs->get_ip);
	/* Last: callers use the others only if this one reports a guest. */
	static_call_update(__perf_guest_state, cbs->state);
}
EXPORT_SYMBOL_GPL(perf_register_guest_info_callbacks);

/**
 * perf_unregister_guest_info_callbacks() - unregister a hypervisor's callbacks
 * @cbs: the callbacks that it has registered
 *
 * Warns and does nothing if it has not. On return no CPU is in a callback.
 *
 * Context: process context, waits for a grace period.
 */
void perf_unregister_guest_info_callbacks(struct perf_guest_info_callbacks *cbs)
{
	if (WARN_ON_ONCE(rcu_access_pointer(perf_guest_cbs) != cbs))
		return;

	perf_guest_answer_none(__perf_guest_state);
	perf_guest_answer_none(__perf_guest_get_ip);
	perf_guest_answer_none(__perf_guest_handle_intel_pt_intr);
	synchronize_rcu();
	RCU_INIT_POINTER(perf_guest_cbs, NULL);
}
EXPORT_SYMBOL_GPL(perf_unregister_guest_info_callbacks);
