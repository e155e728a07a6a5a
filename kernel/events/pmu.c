// SPDX-License-Identifier: GPL-2.0
/*
 * Room "pmu": the registry of PMUs, their default methods, and finding the PMU
 * of a new event.
 *
 * Owns: the list and the numbers of PMUs; pmu->{type,name,leaving,
 * cpu_pmu_context}; cpc->{disable_count,mux_*,users}; event->{pmu,pmu_cpu,
 * pmu_entry}; one mask of CPUs for each scope.
 *
 * Contexts: task; perf_pmu_disable() and perf_pmu_enable() down to NMI.
 *
 * Lifetime: an event is on a list of its PMU, and pins the module, from
 * event_init until all resources that the driver gave it were released.
 * Unregistering first removes the PMU from the list and from the numbers, and
 * waits for grace periods of SRCU and RCU. When all events of the PMU have
 * gone, it waits for grace periods again, because readers may have found the
 * PMU through an event.
 *
 * Locking: perf_pmus_mutex to change the registry, perf_pmus_srcu to read;
 * the users.lock of a PMU and CPU for the events that were made there, the
 * users_lock of a PMU for its PMU contexts. event->pmu changes to
 * perf_pmu_none. Holders of ctx->mutex or mmap_mutex see a stable event->pmu
 * unless the event is revoked; all others read it once, under RCU or SRCU.
 *
 * Race, an event is opened while its PMU registers:
 *  1. the number is reserved, but lookups find no PMU with it yet;
 *  2. methods, per-CPU data and device are made;
 *  3. the number gets its PMU, and the list its entry: lookups find a complete
 *     PMU.
 *
 * Race, an event is opened while its PMU unregisters:
 *  1. perf_pmu_hide() sets pmu->leaving, and then closes the list of each CPU
 *     under its lock;
 *  2. event_init has accepted the event, which joins the list of this CPU under
 *     the same lock. If the list is closed, the event is refused. Otherwise the
 *     task that revokes events finds it on the list;
 *  3. if the event has no context yet, that task leaves it alone and waits:
 *     such an event cannot count, and its creator may still free it. When it
 *     gets a context, perf_pmu_announce() sees that the PMU is leaving and
 *     wakes the waiting task.
 */
#include <linux/cpu.h>
#include <linux/idr.h>
#include <linux/module.h>
#include <linux/nospec.h>
#include <linux/slab.h>
#include <linux/topology.h>
#include <linux/wait_bit.h>
#include "context.h"
#include "hooks.h"
#include "live.h"
#include "pmu.h"
#include "pmu_sysfs.h"
#include "refuse.h"
#include "remote.h"

/* For registration, unregistration and CPU hotplug; readers do not take it. */
DEFINE_MUTEX(perf_pmus_mutex);
LIST_HEAD(perf_pmus);
DEFINE_SRCU(perf_pmus_srcu);

static DEFINE_IDR(perf_pmu_numbers);
/* For each scope: the CPUs that count, one in each unit of the scope. */
static struct cpumask perf_scope_masks[PERF_PMU_MAX_SCOPE];
static DEFINE_PER_CPU(unsigned int, perf_pmu_txn_flags);

/*
 * Set by the driver that records branches; without such a driver it returns 0.
 */
DEFINE_STATIC_CALL_RET0(perf_snapshot_branch_stack, perf_snapshot_branch_stack_t);

#define PERF_MUX_INTERVAL_MS	(1000 / HZ ?: 1)

#define TO(s)	BIT(PERF_PMU_##s)

/* A PMU is disabled while events are scheduled; groups need a transaction. */
static const struct perf_state_row perf_pmu_states[] = {
	[PERF_PMU_ENABLED] = {
		.name	= "enabled",
		.to	= TO(DISABLED) | TO(READING),
	},
	[PERF_PMU_DISABLED] = {
		.name	= "disabled",
		.to	= TO(ENABLED) | TO(ADDING),
	},
	[PERF_PMU_ADDING] = {
		.name	= "adding",
		.to	= TO(DISABLED),
	},
	[PERF_PMU_READING] = {
		.name	= "reading",
		.to	= TO(ENABLED),
	},
};

struct perf_state_table perf_pmu_state_table = {
	.of	= "PMU",
	.rows	= perf_pmu_states,
	.nr	= ARRAY_SIZE(perf_pmu_states),
};

/**
 * perf_pmu_disable() - stop all counters of a PMU on this CPU
 * @pmu: PMU; calls nest, only the outermost reaches the hardware
 *
 * Context: any on the CPU in question, migration off.
 */
void perf_pmu_disable(struct pmu *pmu)
{
	if (!perf_cpc_oncpu(pmu)->disable_count++) {
		perf_pmu_set_state(pmu, PERF_PMU_DISABLED);
		pmu->pmu_disable(pmu);
	}
}

/**
 * perf_pmu_enable() - undo perf_pmu_disable()
 * @pmu: PMU
 *
 * Context: as perf_pmu_disable().
 */
void perf_pmu_enable(struct pmu *pmu)
{
	if (!--perf_cpc_oncpu(pmu)->disable_count) {
		perf_pmu_set_state(pmu, PERF_PMU_ENABLED);
		pmu->pmu_enable(pmu);
	}
}

/**
 * perf_event_print_debug() - print this CPU's counters; for drivers to override
 *
 * Context: interrupt, for SysRq.
 */
void __weak perf_event_print_debug(void)
{
}

/* Defaults for methods that a driver leaves out. */

static void perf_pmu_no_op(struct pmu *pmu)
{
}

static void perf_pmu_no_start_txn(struct pmu *pmu, unsigned int flags)
{
}

static int perf_pmu_no_commit_txn(struct pmu *pmu)
{
	return 0;
}

static int perf_pmu_any_period(struct perf_event *event, u64 value)
{
	return 0;
}

static int perf_pmu_no_index(struct perf_event *event)
{
	return 0;
}

/* For drivers that can disable but not batch: disabled during an addition. */

static void perf_pmu_batch_start(struct pmu *pmu, unsigned int flags)
{
	__this_cpu_write(perf_pmu_txn_flags, flags);
	if (flags == PERF_PMU_TXN_ADD)
		perf_pmu_disable(pmu);
}

static void perf_pmu_batch_cancel(struct pmu *pmu)
{
	if (__this_cpu_xchg(perf_pmu_txn_flags, 0) == PERF_PMU_TXN_ADD)
		perf_pmu_enable(pmu);
}

static int perf_pmu_batch_commit(struct pmu *pmu)
{
	perf_pmu_batch_cancel(pmu);
	return 0;
}

/* The PMU of revoked events: no event is ever scheduled in on it. */

static int perf_pmu_none_refuse(struct perf_event *event, int flags)
{
	return -ENODEV;
}

static void perf_pmu_none_op(struct perf_event *event, int flags)
{
}

static void perf_pmu_none_read(struct perf_event *event)
{
}

static int perf_pmu_none_check_period(struct perf_event *event, u64 value)
{
	return -ENODEV;
}

static struct pmu perf_pmu_none = {
	.name		= "none",
	.type		= -1,
	.capabilities	= PERF_PMU_CAP_NO_INTERRUPT,
	.task_ctx_nr	= perf_invalid_context,
	.leaving	= true,
	.pmu_enable	= perf_pmu_no_op,
	.pmu_disable	= perf_pmu_no_op,
	.add		= perf_pmu_none_refuse,
	.del		= perf_pmu_none_op,
	.start		= perf_pmu_none_op,
	.stop		= perf_pmu_none_op,
	.read		= perf_pmu_none_read,
	.start_txn	= perf_pmu_no_start_txn,
	.commit_txn	= perf_pmu_no_commit_txn,
	.cancel_txn	= perf_pmu_no_op,
	.event_idx	= perf_pmu_no_index,
	.check_period	= perf_pmu_none_check_period,
};

/*
 * Sets are for events of tasks, and loading one does nothing of what a trace
 * needs.
 * Return: false if the PMU must not have the load and unload that it has.
 */
static bool perf_pmu_may_load(const struct pmu *pmu)
{
	if (!pmu->load && !pmu->unload)
		return true;
	return pmu->load && pmu->unload && !pmu->setup_aux &&
	       !(pmu->capabilities & PERF_PMU_CAP_ITRACE) &&
	       pmu->task_ctx_nr != perf_invalid_context;
}

static void perf_pmu_fill_txn(struct pmu *pmu)
{
	if (pmu->start_txn)
		return;
	if (pmu->pmu_enable) {
		pmu->start_txn = perf_pmu_batch_start;
		pmu->commit_txn = perf_pmu_batch_commit;
		pmu->cancel_txn = perf_pmu_batch_cancel;
	} else {
		pmu->start_txn = perf_pmu_no_start_txn;
		pmu->commit_txn = perf_pmu_no_commit_txn;
		pmu->cancel_txn = perf_pmu_no_op;
	}
}

static void perf_pmu_fill_methods(struct pmu *pmu)
{
	perf_pmu_fill_txn(pmu);
	if (!pmu->pmu_enable) {
		pmu->pmu_enable = perf_pmu_no_op;
		pmu->pmu_disable = perf_pmu_no_op;
	}
	if (!pmu->check_period)
		pmu->check_period = perf_pmu_any_period;
	if (!pmu->event_idx)
		pmu->event_idx = perf_pmu_no_index;
}

/* Data of a PMU for each CPU. */

static void perf_pmu_init_cpc(struct pmu *pmu, int cpu)
{
	struct perf_cpu_pmu_context *cpc;

	cpc = per_cpu_ptr(pmu->cpu_pmu_context, cpu);
	perf_epc_init(&cpc->epc, pmu);
	cpc->epc.embedded = true;
	cpc->epc.ctx = &per_cpu(perf_cpu_context, cpu).ctx;
	INIT_LIST_HEAD(&cpc->cgroup_entry);
	raw_spin_lock_init(&cpc->users.lock);
	INIT_LIST_HEAD(&cpc->users.events);
	raw_spin_lock_init(&cpc->mux_lock);
	cpc->mux_interval = ms_to_ktime(pmu->hrtimer_interval_ms);
	hrtimer_init(&cpc->mux_timer, CLOCK_MONOTONIC,
		     HRTIMER_MODE_ABS_PINNED_HARD);
	cpc->mux_timer.function = perf_hooks.mux_timer;
}

static int perf_pmu_alloc_cpus(struct pmu *pmu)
{
	int cpu;

	pmu->cpu_pmu_context = alloc_percpu(struct perf_cpu_pmu_context);
	if (!pmu->cpu_pmu_context)
		return -ENOMEM;
	if (pmu->hrtimer_interval_ms < 1)
		pmu->hrtimer_interval_ms = PERF_MUX_INTERVAL_MS;
	for_each_possible_cpu(cpu)
		perf_pmu_init_cpc(pmu, cpu);
	return 0;
}

/* Scopes. */

/* The topology's masks of the CPUs around a CPU; some of them are macros. */
#define SCOPE_AROUND(unit, mask)					\
static const struct cpumask *perf_scope_around_##unit(unsigned int cpu)	\
{									\
	return mask;							\
}

SCOPE_AROUND(core, topology_sibling_cpumask(cpu))
SCOPE_AROUND(die, topology_die_cpumask(cpu))
SCOPE_AROUND(cluster, topology_cluster_cpumask(cpu))
SCOPE_AROUND(package, topology_core_cpumask(cpu))
SCOPE_AROUND(system, cpu_online_mask)

typedef const struct cpumask *(*perf_scope_around_fn)(unsigned int cpu);

static const perf_scope_around_fn perf_scope_around[PERF_PMU_MAX_SCOPE] = {
	[PERF_PMU_SCOPE_CORE]		= perf_scope_around_core,
	[PERF_PMU_SCOPE_DIE]		= perf_scope_around_die,
	[PERF_PMU_SCOPE_CLUSTER]	= perf_scope_around_cluster,
	[PERF_PMU_SCOPE_PKG]		= perf_scope_around_package,
	[PERF_PMU_SCOPE_SYS_WIDE]	= perf_scope_around_system,
};

/**
 * perf_pmu_scope_siblings() - get the CPUs that share what a PMU counts
 * @scope: PERF_PMU_SCOPE_* of the PMU
 * @cpu: one of these CPUs
 *
 * Context: any; CPUs may come and go unless the caller prevents it.
 * Return: mask; NULL if every CPU counts for itself.
 */
const struct cpumask *perf_pmu_scope_siblings(unsigned int scope, int cpu)
{
	if (scope >= PERF_PMU_MAX_SCOPE || !perf_scope_around[scope])
		return NULL;
	return perf_scope_around[scope](cpu);
}

/**
 * perf_pmu_scope_join() - make a CPU count for its units that have no CPU yet
 * @cpu: CPU that comes online; not yet in perf_online_mask
 *
 * The topology of the boot CPU is not known yet when it joins, so it counts for
 * a unit of each scope.
 *
 * Context: perf_pmus_mutex.
 */
void perf_pmu_scope_join(unsigned int cpu)
{
	const struct cpumask *siblings;
	unsigned int scope;

	lockdep_assert_held(&perf_pmus_mutex);
	for (scope = PERF_PMU_SCOPE_NONE + 1; scope < PERF_PMU_MAX_SCOPE;
	     scope++) {
		siblings = perf_pmu_scope_siblings(scope, cpu);
		if (cpumask_empty(perf_online_mask) ||
		    (!cpumask_empty(siblings) &&
		     !cpumask_intersects(&perf_scope_masks[scope], siblings)))
			cpumask_set_cpu(cpu, &perf_scope_masks[scope]);
	}
}

/**
 * perf_pmu_scope_leave() - find another CPU that counts for a unit
 * @scope: PERF_PMU_SCOPE_*
 * @cpu: CPU that goes offline; if it counts for the unit, another one does now
 *
 * Context: perf_pmus_mutex.
 * Return: the CPU that counts for the unit; -1 if @cpu was its last CPU, or if
 * there is no unit.
 */
int perf_pmu_scope_leave(unsigned int scope, unsigned int cpu)
{
	const struct cpumask *siblings = perf_pmu_scope_siblings(scope, cpu);
	unsigned int heir;

	lockdep_assert_held(&perf_pmus_mutex);
	if (!siblings)
		return -1;
	if (!cpumask_test_and_clear_cpu(cpu, &perf_scope_masks[scope])) {
		heir = cpumask_any_and(siblings, &perf_scope_masks[scope]);
		return heir < nr_cpu_ids ? heir : -1;
	}
	heir = cpumask_any_but(siblings, cpu);
	if (heir >= nr_cpu_ids)
		return -1;
	cpumask_set_cpu(heir, &perf_scope_masks[scope]);
	return heir;
}

/* An event of a PMU with a scope needs a CPU that counts for the unit. */
static int perf_pmu_check_scope(struct pmu *pmu, struct perf_event *event)
{
	const struct cpumask *siblings;

	if (pmu->scope == PERF_PMU_SCOPE_NONE || event->cpu < 0)
		return 0;
	siblings = perf_pmu_scope_siblings(pmu->scope, event->cpu);
	if (!siblings ||
	    !cpumask_intersects(siblings, &perf_scope_masks[pmu->scope]))
		return perf_refuse(-ENODEV, PERF_ARGUMENT(CPU), 0,
				   PERF_REASON_CPU_OFFLINE);
	event->event_caps |= PERF_EV_CAP_READ_SCOPE;
	return 0;
}

/* Registration. */

static int perf_pmu_reserve_number(struct pmu *pmu, int type)
{
	int start = type >= 0 ? type : PERF_TYPE_MAX;
	int end = type >= 0 ? type + 1 : 0;
	int number;

	number = idr_alloc(&perf_pmu_numbers, NULL, start, end, GFP_KERNEL);
	if (number < 0)
		return number == -ENOSPC ? -EEXIST : number;
	pmu->type = number;
	return 0;
}

/* Undoes a registration, also an incomplete one; the PMU is on no list. */
static void perf_pmu_teardown(struct pmu *pmu)
{
	guard(mutex)(&perf_pmus_mutex);
	free_percpu(pmu->cpu_pmu_context);
	pmu->cpu_pmu_context = NULL;
	kfree(pmu->caps);
	pmu->caps = NULL;
	if (pmu->type >= 0)
		idr_remove(&perf_pmu_numbers, pmu->type);
	pmu->type = -1;
}

static int perf_pmu_build(struct pmu *pmu, int type)
{
	int err;

	err = perf_pmu_reserve_number(pmu, type);
	if (err)
		return err;
	perf_pmu_fill_methods(pmu);
	err = perf_pmu_alloc_cpus(pmu);
	if (err)
		return err;
	return perf_pmu_sysfs_add(pmu);
}

static int perf_pmu_publish(struct pmu *pmu, const char *name, int type)
{
	int err;

	guard(mutex)(&perf_pmus_mutex);
	pmu->name = name;
	pmu->type = -1;
	pmu->caps = NULL;
	pmu->cpu_pmu_context = NULL;
	atomic_set(&pmu->exclusive_cnt, 0);
	raw_spin_lock_init(&pmu->users_lock);
	INIT_LIST_HEAD(&pmu->pmu_ctxs);
	pmu->leaving = false;
	err = perf_pmu_build(pmu, type);
	if (err)
		return err;
	idr_replace(&perf_pmu_numbers, pmu, pmu->type);
	list_add_rcu(&pmu->entry, &perf_pmus);
	return 0;
}

/**
 * perf_pmu_register() - add a PMU to the registry
 * @pmu: its methods and capabilities
 * @name: its name in sysfs
 * @type: number for attr.type, -1 for the next free one
 *
 * Context: task.
 * Return: 0; -EINVAL without a name, with a bad scope, with only one of
 * pmu::load and pmu::unload, or with these in a PMU that traces or has no
 * events of tasks; -EEXIST for a number in use; -ENOMEM;
 * errors of sysfs.
 */
int perf_pmu_register(struct pmu *pmu, const char *name, int type)
{
	int err;

	if (!name) {
		pr_err("perf: %pS registers a PMU without a name\n",
		       __builtin_return_address(0));
		return -EINVAL;
	}
	if (pmu->scope >= PERF_PMU_MAX_SCOPE) {
		pr_err("perf: %s: unknown scope %u\n", name, pmu->scope);
		return -EINVAL;
	}
	if (!perf_pmu_may_load(pmu)) {
		pr_err("perf: %s: load or unload is missing or not possible\n",
		       name);
		return -EINVAL;
	}

	err = perf_pmu_publish(pmu, name, type);
	if (err) {
		/* Without perf_pmus_mutex, as in perf_pmu_hide(). */
		perf_pmu_sysfs_del(pmu);
		perf_pmu_teardown(pmu);
		return err;
	}
	if (perf_pmu_sysfs_has_dev(pmu))
		perf_hooks.pmu_has_dev(pmu);
	return 0;
}
EXPORT_SYMBOL_GPL(perf_pmu_register);

/* Readers: the list under SRCU, numbers under RCU, event->pmu under either. */
static void perf_pmu_wait_for_readers(void)
{
	synchronize_srcu(&perf_pmus_srcu);
	synchronize_rcu();
}

/**
 * perf_pmu_hide() - keep new events from a PMU
 * @pmu: PMU that is being unregistered
 *
 * The device is removed without perf_pmus_mutex, since a sysfs file may wait
 * for that mutex. It is removed before the PMU refuses events, because reads of
 * its sysfs files create some.
 *
 * Context: task; waits for grace periods.
 */
void perf_pmu_hide(struct pmu *pmu)
{
	struct perf_pmu_users *users;
	int cpu;

	scoped_guard(mutex, &perf_pmus_mutex) {
		list_del_rcu(&pmu->entry);
		idr_replace(&perf_pmu_numbers, NULL, pmu->type);
	}
	perf_pmu_wait_for_readers();
	perf_pmu_sysfs_del(pmu);
	scoped_guard(raw_spinlock_irq, &pmu->users_lock)
		WRITE_ONCE(pmu->leaving, true);
	for_each_possible_cpu(cpu) {
		users = perf_pmu_users(pmu, cpu);
		guard(raw_spinlock_irq)(&users->lock);
		users->closed = true;
	}
}

/**
 * perf_pmu_forget() - free the core's data of a PMU
 * @pmu: hidden PMU without events and without PMU contexts
 *
 * Context: task; waits for grace periods.
 */
void perf_pmu_forget(struct pmu *pmu)
{
	int cpu;

	/*
	 * Nothing starts the timers again. A turn that was deferred to the end
	 * of a walk has preemption off around it, so that a grace period waits
	 * for it.
	 */
	for_each_possible_cpu(cpu)
		hrtimer_cancel(&per_cpu_ptr(pmu->cpu_pmu_context,
					    cpu)->mux_timer);
	perf_pmu_wait_for_readers();
	/* The driver may destroy the cache: wait for objects that RCU frees. */
	if (pmu->task_ctx_cache)
		rcu_barrier();
	perf_pmu_teardown(pmu);
}

/* A new event and its PMU. */

static_assert(CONFIG_NR_CPUS <= U16_MAX);

/* Return: false if the PMU accepts no more events. */
static bool perf_pmu_list_event(struct pmu *pmu, struct perf_event *event)
{
	struct perf_pmu_users *users;

	guard(irq)();
	users = &perf_cpc_oncpu(pmu)->users;
	guard(raw_spinlock)(&users->lock);
	if (users->closed)
		return false;
	event->pmu_cpu = smp_processor_id();
	list_add_tail(&event->pmu_entry, &users->events);
	perf_live_add(PERF_LIVE_ON_PMU, 1);
	return true;
}

/**
 * perf_pmu_drop_event() - detach an event from its PMU
 * @event: event in no context, whose driver resources were released; if its
 *	PMU has gone already, nothing is done
 *
 * The PMU may be gone when this returns.
 *
 * Context: task.
 */
void perf_pmu_drop_event(struct perf_event *event)
{
	struct pmu *pmu = event->pmu;
	struct module *module = pmu->module;
	struct perf_pmu_users *users;
	bool awaited;

	if (pmu == &perf_pmu_none)
		return;
	WRITE_ONCE(event->pmu, &perf_pmu_none);
	scoped_guard(irq) {
		/* Most events are closed where they were opened. */
		users = event->pmu_cpu == smp_processor_id() ?
			&perf_cpc_oncpu(pmu)->users :
			perf_pmu_users(pmu, event->pmu_cpu);
		guard(raw_spinlock)(&users->lock);
		list_del(&event->pmu_entry);
		perf_live_add(PERF_LIVE_ON_PMU, -1);
		awaited = users->closed;
	}
	if (awaited) {
		smp_mb(); /* it is off the list before the queue is checked */
		wake_up_var(pmu);
	}
	module_put(module);
}

/**
 * perf_pmu_is_leaving() - check whether an event's PMU is leaving or has gone
 * @event: event that has a PMU
 *
 * Context: any.
 * Return: true if the PMU refuses new events, or has gone.
 */
bool perf_pmu_is_leaving(const struct perf_event *event)
{
	guard(rcu)();
	return READ_ONCE(READ_ONCE(event->pmu)->leaving);
}

static int perf_pmu_check_event(struct pmu *pmu, struct perf_event *event)
{
	const struct perf_event_attr *attr = &event->attr;

	if (!(pmu->capabilities & PERF_PMU_CAP_EXTENDED_REGS)) {
		if (attr->sample_regs_user & PERF_REG_EXTENDED_MASK)
			return perf_refuse(-EOPNOTSUPP,
					   PERF_FIELD(sample_regs_user),
					   PERF_REG_EXTENDED_MASK,
					   PERF_REASON_NO_REGISTERS);
		if (attr->sample_regs_intr & PERF_REG_EXTENDED_MASK)
			return perf_refuse(-EOPNOTSUPP,
					   PERF_FIELD(sample_regs_intr),
					   PERF_REG_EXTENDED_MASK,
					   PERF_REASON_NO_REGISTERS);
	}
	if (pmu->capabilities & PERF_PMU_CAP_NO_EXCLUDE &&
	    event_has_any_exclude_flag(event))
		return perf_refuse(-EINVAL, PERF_FIELD_FLAGS,
				   PERF_ATTR_EXCLUDE_SOME,
				   PERF_REASON_NO_EXCLUDE);
	/* Most drivers are older than the field, and would ignore it. */
	if (attr->config4 && !(pmu->capabilities & PERF_PMU_CAP_CONFIG4))
		return perf_refuse(-EINVAL, PERF_FIELD(config4), ~0ULL,
				   PERF_REASON_UNKNOWN_BITS);
	return perf_pmu_check_scope(pmu, event);
}

/*
 * Drivers look at the siblings to see whether the group fits, so the group
 * must not change. When an event is inherited, another context is locked
 * already: nested.
 */
static int perf_pmu_call_event_init(struct pmu *pmu, struct perf_event *event)
{
	struct perf_event *leader = event->group_leader;
	struct perf_ctx *ctx;
	int err;

	if (leader == event || pmu->task_ctx_nr == perf_sw_context)
		return pmu->event_init(event);
	ctx = perf_event_ctx_lock_nested(leader, SINGLE_DEPTH_NESTING);
	err = pmu->event_init(event);
	perf_event_ctx_unlock(leader, ctx);
	return err;
}

/* Takes the reason from the errno, for drivers that have given none. */
static int perf_pmu_refuse(int err)
{
	u32 reason;

	/* It is not the PMU's event. */
	if (err == -ENOENT)
		return err;
	switch (err) {
	case -EACCES:
	case -EPERM:
		reason = PERF_REASON_CAPABILITY;
		break;
	case -EOPNOTSUPP:
		reason = PERF_REASON_PMU_CANNOT;
		break;
	case -ENOSPC:
	case -EBUSY:
		reason = PERF_REASON_PMU_FULL;
		break;
	default:
		reason = PERF_REASON_PMU;
	}
	return perf_refuse(err, PERF_NOWHERE, 0, reason);
}

static int perf_pmu_refuse_leaving(void)
{
	return perf_refuse(-ENODEV, PERF_FIELD(type), 0, PERF_REASON_PMU_GOES);
}

static int perf_pmu_try(struct pmu *pmu, struct perf_event *event)
{
	int err;

	if (!try_module_get(pmu->module))
		return perf_pmu_refuse_leaving();
	event->pmu = pmu;
	err = perf_pmu_call_event_init(pmu, event);
	if (err) {
		perf_pmu_refuse(err);
	} else {
		err = perf_pmu_check_event(pmu, event);
		if (!err && perf_pmu_list_event(pmu, event))
			return 0;
		err = err ?: perf_pmu_refuse_leaving();
	}
	/* Some drivers rely on it also when their event_init() has failed. */
	if (event->destroy)
		event->destroy(event);
	event->destroy = NULL;
	event->pmu = NULL;
	module_put(pmu->module);
	return err;
}

static struct pmu *perf_pmu_find(u32 type)
{
	guard(rcu)();
	return type <= INT_MAX ? idr_find(&perf_pmu_numbers, type) : NULL;
}

/*
 * Sets attr.type of a clock's event to that of the clock's own PMU. For clocks
 * attr.config, which is 0 or 1, is the index.
 */
static u32 perf_pmu_forward_clock(struct perf_event *event)
{
	u64 config = event->attr.config;

	if (config < ARRAY_SIZE(perf_hooks.clock_types)) {
		config = array_index_nospec((unsigned long)config,
					    ARRAY_SIZE(perf_hooks.clock_types));
		event->attr.type = perf_hooks.clock_types[config] ?:
				   PERF_TYPE_SOFTWARE;
	}
	return event->attr.type;
}

/*
 * Generic hardware and cache events go to the CPU's PMU, unless the upper half
 * of config names another one. @named receives whether it did.
 */
static u32 perf_pmu_wanted(struct perf_event *event, bool *named)
{
	u32 type = event->attr.type;

	*named = false;
	if (type == PERF_TYPE_SOFTWARE)
		return perf_pmu_forward_clock(event);
	if (type != PERF_TYPE_HARDWARE && type != PERF_TYPE_HW_CACHE)
		return type;
	type = event->attr.config >> PERF_PMU_TYPE_SHIFT;
	if (!type)
		return PERF_TYPE_RAW;
	*named = true;
	event->attr.config &= PERF_HW_EVENT_MASK;
	return type;
}

/**
 * perf_pmu_try_event() - ask a PMU whether it takes an event
 * @pmu: PMU that does not go away meanwhile
 * @event: new event with attr, cpu and leader set
 *
 * Context: task.
 * Return: 0, and the event has the PMU, as after perf_pmu_init_event(); -ENODEV
 * if the PMU is leaving; -EOPNOTSUPP, -EINVAL and what pmu->event_init()
 * returns.
 */
int perf_pmu_try_event(struct pmu *pmu, struct perf_event *event)
{
	guard(srcu)(&perf_pmus_srcu);
	return perf_pmu_try(pmu, event);
}

/* Return: whether @pmu may be asked about an event of another type. */
static bool perf_pmu_accepts(struct pmu *pmu, u32 type,
			     const struct perf_event *event)
{
	return event->attr.type == type || type == PERF_TYPE_RAW ||
	       pmu->capabilities & PERF_PMU_CAP_EXTENDED_HW_TYPE;
}

/* Reports a reason for a PMU that does not have the event. */
static int perf_pmu_refuse_event(int err)
{
	if (err != -ENOENT)
		return err;
	return perf_refuse(err, PERF_FIELD(config), ~0ULL,
			   PERF_REASON_NO_EVENT);
}

static int perf_pmu_refuse_type(const struct perf_event *event)
{
	u32 type = event->attr.type;

	/* A PMU for generic events exists, but it does not have this one. */
	if ((type == PERF_TYPE_HARDWARE || type == PERF_TYPE_HW_CACHE) &&
	    perf_pmu_find(PERF_TYPE_RAW))
		return perf_pmu_refuse_event(-ENOENT);
	return perf_refuse(-ENOENT, PERF_FIELD(type), ~0U, PERF_REASON_NO_PMU);
}

/* No PMU has the number, but one of them may still take the type. */
static struct pmu *perf_pmu_ask_all(struct perf_event *event)
{
	struct pmu *pmu;
	int err;

	list_for_each_entry_rcu(pmu, &perf_pmus, entry,
				srcu_read_lock_held(&perf_pmus_srcu)) {
		err = perf_pmu_try(pmu, event);
		if (!err)
			return pmu;
		if (err != -ENOENT)
			return ERR_PTR(err);
	}
	return ERR_PTR(perf_pmu_refuse_type(event));
}

/**
 * perf_pmu_init_event() - find the PMU of a new event
 * @event: event with attr, cpu, parent and leader set
 *
 * The core sends events of the two clocks to their own PMUs. A PMU may answer
 * -ENOENT and change attr.type to send the event to another one. orig_type
 * keeps what the user asked for. For a copy, only the PMU of its parent is
 * asked. On success the event holds a reference on the PMU's module.
 *
 * Context: task.
 * Return: PMU; -ENOENT if no PMU knows the event; -ENODEV if the PMU goes away;
 * -EOPNOTSUPP, -EINVAL and what pmu->event_init() returns.
 */
struct pmu *perf_pmu_init_event(struct perf_event *event)
{
	struct pmu *pmu;
	bool named;
	u32 type;
	int err;

	guard(srcu)(&perf_pmus_srcu);
	event->orig_type = event->attr.type;
	if (event->parent) {
		pmu = READ_ONCE(event->parent->pmu);
		if (READ_ONCE(pmu->leaving))
			return ERR_PTR(-ENODEV);
		/*
		 * Only the parent's PMU: another one would count something
		 * else.
		 */
		err = perf_pmu_try(pmu, event);
		return err ? ERR_PTR(err) : pmu;
	}

	type = perf_pmu_wanted(event, &named);
	for (;;) {
		pmu = perf_pmu_find(type);
		if (!pmu)
			return perf_pmu_ask_all(event);
		if (!perf_pmu_accepts(pmu, type, event))
			return ERR_PTR(perf_pmu_refuse_type(event));
		err = perf_pmu_try(pmu, event);
		if (!err)
			return pmu;
		if (err != -ENOENT || named || event->attr.type == type)
			return ERR_PTR(perf_pmu_refuse_event(err));
		type = event->attr.type;
	}
}

static int __init perf_pmu_add_devs(void)
{
	struct pmu *pmu;
	int err;

	guard(mutex)(&perf_pmus_mutex);
	err = perf_pmu_sysfs_start(perf_scope_masks);
	if (err)
		return err;
	list_for_each_entry(pmu, &perf_pmus, entry) {
		err = perf_pmu_sysfs_add(pmu);
		WARN(err, "perf: %s: no device: %d\n", pmu->name, err);
	}
	return 0;
}

/* PMUs that registered before there was a bus get their devices now. */
static int __init perf_pmu_start_bus(void)
{
	struct pmu *pmu;
	int err;

	err = perf_pmu_add_devs();
	if (err)
		return err;
	guard(srcu)(&perf_pmus_srcu);
	list_for_each_entry_rcu(pmu, &perf_pmus, entry,
				srcu_read_lock_held(&perf_pmus_srcu)) {
		if (perf_pmu_sysfs_has_dev(pmu))
			perf_hooks.pmu_has_dev(pmu);
	}
	return 0;
}
device_initcall(perf_pmu_start_bus);
