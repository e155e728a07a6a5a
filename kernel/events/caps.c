// SPDX-License-Identifier: GPL-2.0
/*
 * Room "caps": how many counters a PMU has, and how many are free.
 *
 * Purpose: the files counters_* in caps/ of a PMU's device. A driver with
 * pmu->counters() answers itself. For other PMUs of hardware events the core
 * tries out what the driver accepts: it makes groups of generic events that are
 * never installed, and calls event_init for them. For an event that joins a
 * group, event_init checks whether the group fits on an empty PMU. If the
 * driver does not check groups, or has no generic events, there are no files.
 *
 * From this the core concludes:
 *
 *   1. Up to n events of some kind fit at the same time. If at most one event
 *	of each other kind fits in addition, the n events occupy all general
 *	counters, and each additional event has a counter that this kind cannot
 *	use: a fixed one.
 *   2. This may hold for several kinds: a kind with a fixed counter of its own
 *	uses that counter as well as the general ones. The kind with the least n
 *	has no fixed counter, and its n is the number of general counters.
 *   3. To count the free counters, the group begins with copies of the pinned
 *	events that are active on a CPU, and then grows as above.
 *
 * A fixed counter for which there is no generic event is not seen.
 *
 * The total does not change. The first query asks the driver for it, and later
 * queries interrupt no CPU for it. The free counters are counted again for each
 * query.
 *
 * The number of free counters reveals events of other users, so only users that
 * may open events of CPUs can read it.
 *
 * The room "fit" uses trials for other groups; see caps_trial.h.
 *
 * Owns: pmu->caps; trials.
 *
 * Contexts: task; may sleep. Events that count are not disturbed.
 *
 * Lifetime: events and context of a trial are freed when it ends. The files go
 * with the device, and are waited for before events are revoked: no
 * revocation meets a trial. The caller of perf_trial_begin() keeps the PMU
 * registered, by perf_pmus_srcu.
 *
 * Locking: caps_mutex for one trial at a time; a CPU's ctx->mutex, then
 * ctx->lock, while its pinned events are looked at.
 */
#include <linux/cpu.h>
#include <linux/device.h>
#include <linux/slab.h>
#include <linux/sysfs.h>

#include "attr.h"
#include "caps.h"
#include "caps_trial.h"
#include "context.h"
#include "event.h"
#include "groups.h"
#include "hooks.h"
#include "pmu.h"
#include "remote.h"

/*
 * What trials showed when the PMU got its device, or what the driver has
 * reported. It does not change once it is known.
 */
struct perf_pmu_caps {
	bool		known;
	unsigned int	general;
	unsigned int	fixed;
	/* Generic event that can have any general counter and no other. */
	u64		kind;
};

/* One at a time: see caps_mutex. */
struct perf_trial {
	struct pmu			*pmu;
	int				cpu;
	struct perf_ctx			*ctx;
	/* Keeps the driver from releasing its hardware between groups. */
	struct perf_event		*anchor;
	bool				no_memory;
	unsigned int			nr;
	struct perf_event		*event[PERF_CAPS_GROUP_MAX];
	/* The pinned events of the last CPU that was looked at, if any was. */
	bool				has_looked;
	unsigned int			nr_pinned;
	/* The events of this group are left out. */
	const struct perf_event		*leader;
	struct perf_event_attr		pinned[PERF_CAPS_GROUP_MAX];
};

static DEFINE_MUTEX(caps_mutex);

/* Trials. */

static struct perf_event_attr caps_attr(u64 kind)
{
	return (struct perf_event_attr) {
		.type	= PERF_TYPE_HARDWARE,
		.size	= sizeof(struct perf_event_attr),
		.config	= kind,
		.pinned	= 1,
	};
}

/* Return: an event that the driver accepts, or NULL. */
static struct perf_event *caps_alloc(struct perf_trial *trial,
				     const struct perf_event_attr *attr)
{
	const struct perf_event_spec spec = {
		.attr		= attr,
		.cpu		= trial->cpu,
		.group_leader	= trial->nr ? trial->event[0] : NULL,
		.cgroup_fd	= -1,
	};
	struct perf_event *event = perf_event_alloc_trial(&spec, trial->pmu);

	if (IS_ERR(event)) {
		trial->no_memory |= PTR_ERR(event) == -ENOMEM;
		return NULL;
	}
	perf_ctx_get(trial->ctx);
	event->ctx = &trial->ctx->pub;
	return event;
}

static bool caps_add(struct perf_trial *trial,
		     const struct perf_event_attr *attr)
{
	struct perf_event *event;

	if (trial->nr == PERF_CAPS_GROUP_MAX)
		return false;
	event = caps_alloc(trial, attr);
	if (!event)
		return false;
	scoped_guard(raw_spinlock_irq, &trial->ctx->lock)
		perf_group_attach_locked(event);
	trial->event[trial->nr++] = event;
	return true;
}

/* Return: how many more events of a kind fit into the group. */
static unsigned int caps_fill(struct perf_trial *trial, u64 kind)
{
	struct perf_event_attr attr = caps_attr(kind);
	unsigned int before = trial->nr;

	while (caps_add(trial, &attr))
		;
	return trial->nr - before;
}

/**
 * perf_trial_clear() - take all events out of a trial's group
 * @trial: the trial
 *
 * Context: task; may sleep.
 */
void perf_trial_clear(struct perf_trial *trial)
{
	struct perf_event *event;

	while (trial->nr) {
		event = trial->event[--trial->nr];
		scoped_guard(raw_spinlock_irq, &trial->ctx->lock)
			perf_group_detach_locked(event, NULL);
		perf_event_put(event);
	}
}

static void caps_end(struct perf_trial *trial)
{
	if (!trial)
		return;
	perf_trial_clear(trial);
	if (trial->anchor)
		perf_event_put(trial->anchor);
	if (trial->ctx)
		perf_ctx_put(trial->ctx);
	kvfree(trial);
}

DEFINE_FREE(caps_end, struct perf_trial *, caps_end(_T))

static struct perf_trial *caps_begin(struct pmu *pmu)
{
	struct perf_trial *trial = kvzalloc(sizeof(*trial), GFP_KERNEL);

	if (!trial)
		return NULL;
	trial->pmu = pmu;
	trial->ctx = kzalloc(sizeof(*trial->ctx), GFP_KERNEL);
	if (!trial->ctx) {
		caps_end(trial);
		return NULL;
	}
	perf_ctx_init(trial->ctx, -1);
	return trial;
}

/* Return: true if the PMU is on the CPU, and knows this kind of event. */
static bool caps_anchor(struct perf_trial *trial, int cpu, u64 kind)
{
	struct perf_event_attr attr = caps_attr(kind);

	if (trial->anchor)
		perf_event_put(trial->anchor);
	trial->cpu = cpu;
	trial->anchor = caps_alloc(trial, &attr);
	return trial->anchor;
}

/* How many there are. */

/*
 * Return: how many events fit in addition, if @kind fills the general counters;
 * -1 if it does not.
 */
static int caps_beside(struct perf_trial *trial, u64 kind)
{
	unsigned int beside = 0, nr;

	for (u64 other = 0; other < PERF_COUNT_HW_MAX; other++) {
		if (other == kind)
			continue;
		nr = caps_fill(trial, other);
		if (nr > 1)
			return -1;
		beside += nr;
	}
	return beside;
}

static void caps_try_kind(struct perf_trial *trial, u64 kind,
			  struct perf_pmu_caps *best)
{
	unsigned int general = caps_fill(trial, kind);
	int fixed;

	if (general && (!best->general || general < best->general)) {
		fixed = caps_beside(trial, kind);
		if (fixed >= 0)
			*best = (struct perf_pmu_caps) {
				.known		= true,
				.general	= general,
				.fixed		= fixed,
				.kind		= kind,
			};
	}
	perf_trial_clear(trial);
}

/* Finds a CPU of the PMU; all of them are alike. */
static bool caps_find_cpu(struct perf_trial *trial)
{
	int cpu;

	for_each_online_cpu(cpu) {
		for (u64 kind = 0; kind < PERF_COUNT_HW_MAX; kind++) {
			if (caps_anchor(trial, cpu, kind))
				return true;
		}
	}
	return false;
}

/* Return: false if the driver's judgement does not show the counters. */
static bool caps_find_out(struct pmu *pmu, struct perf_pmu_caps *caps)
{
	struct perf_trial *trial __free(caps_end) = caps_begin(pmu);

	if (!trial || !caps_find_cpu(trial))
		return false;
	for (u64 kind = 0; kind < PERF_COUNT_HW_MAX; kind++)
		caps_try_kind(trial, kind, caps);
	return !trial->no_memory && caps->general &&
	       caps->general + caps->fixed < PERF_CAPS_GROUP_MAX;
}

/* How many are free. */

static bool caps_is_held(const struct perf_trial *trial,
			 const struct perf_event *event)
{
	return event->pmu == trial->pmu && perf_event_is_pinned_to_cpu(event) &&
	       event->state == PERF_EVENT_STATE_ACTIVE &&
	       event->group_leader != trial->leader;
}

/*
 * Notes the pinned events of a CPU, if they differ from those noted before.
 * Return: true if they differ.
 */
static bool caps_look_at_pinned(struct perf_trial *trial, int cpu)
{
	struct perf_ctx *ctx = &per_cpu(perf_cpu_context, cpu).ctx;
	struct perf_event *event;
	unsigned int nr = 0;
	bool changed = false;

	guard(mutex)(&ctx->mutex);
	guard(raw_spinlock_irq)(&ctx->lock);
	list_for_each_entry(event, &ctx->event_list, event_entry) {
		if (nr == PERF_CAPS_GROUP_MAX || !caps_is_held(trial, event))
			continue;
		if (nr >= trial->nr_pinned ||
		    memcmp(&trial->pinned[nr], &event->attr,
			   sizeof(event->attr))) {
			trial->pinned[nr] = event->attr;
			changed = true;
		}
		nr++;
	}
	changed |= nr != trial->nr_pinned;
	trial->nr_pinned = nr;
	return changed;
}

/**
 * perf_trial_move() - continue a trial on another CPU
 * @trial: the trial, its group empty; its PMU has pmu->caps
 * @cpu: the CPU, online
 *
 * Context: task; may sleep. Takes the ctx->mutex of @cpu.
 * Return: PERF_TRIAL_ABSENT if the PMU is not on @cpu; PERF_TRIAL_SAME if the
 * same events are pinned there as on the CPU before; else PERF_TRIAL_OTHER.
 */
enum perf_trial_cpu perf_trial_move(struct perf_trial *trial, int cpu)
{
	bool is_first = !trial->has_looked;

	if (!caps_anchor(trial, cpu, trial->pmu->caps->kind))
		return PERF_TRIAL_ABSENT;
	trial->has_looked = true;
	return caps_look_at_pinned(trial, cpu) || is_first ? PERF_TRIAL_OTHER :
							     PERF_TRIAL_SAME;
}

/**
 * perf_trial_add() - put a copy of an event into a trial's group
 * @trial: the trial, on a CPU
 * @model: attribute of an event that the driver has accepted
 *
 * Context: task; may sleep.
 * Return: true if the driver accepts the copy in that group.
 */
bool perf_trial_add(struct perf_trial *trial,
		    const struct perf_event_attr *model)
{
	struct perf_event_attr attr = *model;

	attr.disabled = 0;
	attr.inherit = 0;
	return caps_add(trial, &attr);
}

/**
 * perf_trial_imitate() - begin a group with the pinned events of the CPU
 * @trial: the trial, on a CPU, its group empty
 * @exclusive: result: whether one of them lets no other group on the PMU
 *
 * Context: task; may sleep.
 * Return: 0; -ENODATA if the driver does not accept the events that it runs.
 */
int perf_trial_imitate(struct perf_trial *trial, bool *exclusive)
{
	*exclusive = false;
	for (unsigned int i = 0; i < trial->nr_pinned; i++) {
		*exclusive |= trial->pinned[i].exclusive;
		if (!perf_trial_add(trial, &trial->pinned[i]))
			return -ENODATA;
	}
	return 0;
}

static int caps_count_free(struct perf_trial *trial,
			   struct perf_pmu_counters *counters)
{
	const struct perf_pmu_caps *caps = trial->pmu->caps;
	unsigned int others = 0;
	bool exclusive;
	int err;

	err = perf_trial_imitate(trial, &exclusive);
	if (!err && !exclusive) {
		counters->general_free = caps_fill(trial, caps->kind);
		for (u64 kind = 0; kind < PERF_COUNT_HW_MAX; kind++)
			others += caps_fill(trial, kind);
		counters->fixed_free = others;
	}
	perf_trial_clear(trial);
	return err;
}

/* Initial value of a minimum over CPUs. */
static const struct perf_pmu_counters caps_most = {
	.general	= UINT_MAX,
	.fixed		= UINT_MAX,
	.general_free	= UINT_MAX,
	.fixed_free	= UINT_MAX,
};

static void caps_take_least(struct perf_pmu_counters *least,
			    const struct perf_pmu_counters *one)
{
	least->general = min(least->general, one->general);
	least->fixed = min(least->fixed, one->fixed);
	least->general_free = min(least->general_free, one->general_free);
	least->fixed_free = min(least->fixed_free, one->fixed_free);
}

/* CPUs with equal pinned events have equal answers. */
static int caps_try_cpus(struct pmu *pmu, struct perf_pmu_counters *least)
{
	const struct perf_pmu_caps *caps = pmu->caps;
	struct perf_pmu_counters one = { };
	struct perf_trial *trial __free(caps_end) = caps_begin(pmu);
	enum perf_trial_cpu found;
	int cpu, err;

	if (!trial)
		return -ENOMEM;
	one.general = caps->general;
	one.fixed = caps->fixed;
	for_each_online_cpu(cpu) {
		found = perf_trial_move(trial, cpu);
		if (found == PERF_TRIAL_ABSENT)
			continue;
		if (found == PERF_TRIAL_OTHER) {
			one.general_free = 0;
			one.fixed_free = 0;
			err = caps_count_free(trial, &one);
			if (err)
				return err;
		}
		caps_take_least(least, &one);
	}
	return trial->no_memory ? -ENOMEM : 0;
}

/* For trials of the room "fit". */

/**
 * perf_trial_begin() - begin a trial
 * @pmu: PMU with pmu->caps; stays registered until perf_trial_end()
 * @leader: leader of a group whose pinned events count as free, or NULL
 *
 * Others wait until the trial ends.
 *
 * Context: task; may sleep, no mutex of a context held.
 * Return: trial; NULL without memory.
 */
struct perf_trial *perf_trial_begin(struct pmu *pmu,
				    const struct perf_event *leader)
{
	struct perf_trial *trial;

	mutex_lock(&caps_mutex);
	trial = caps_begin(pmu);
	if (trial)
		trial->leader = leader;
	else
		mutex_unlock(&caps_mutex);
	return trial;
}

/**
 * perf_trial_end() - end a trial, and free its events
 * @trial: from perf_trial_begin(); nothing is done for NULL
 *
 * Context: task; may sleep.
 */
void perf_trial_end(struct perf_trial *trial)
{
	if (!trial)
		return;
	caps_end(trial);
	mutex_unlock(&caps_mutex);
}

/**
 * perf_trial_is_empty() - check whether a trial's group has no event
 * @trial: the trial
 *
 * Context: task.
 * Return: true if it has none.
 */
bool perf_trial_is_empty(const struct perf_trial *trial)
{
	return !trial->nr;
}

/**
 * perf_trial_lacked_memory() - check whether a trial ran short of memory
 * @trial: the trial
 *
 * Context: task.
 * Return: true if an event was not made because of a lack of memory.
 */
bool perf_trial_lacked_memory(const struct perf_trial *trial)
{
	return trial->no_memory;
}

/* Drivers with pmu->counters(). */

struct caps_question {
	struct pmu			*pmu;
	struct perf_pmu_counters	answer;
};

static int caps_ask_oncpu(void *arg)
{
	struct perf_cpu_context *cpuctx = this_cpu_ptr(&perf_cpu_context);
	struct caps_question *question = arg;
	struct pmu *pmu = question->pmu;

	guard(raw_spinlock)(&cpuctx->ctx.lock);
	return pmu->counters(pmu, &question->answer);
}

static void caps_ask_cpus(struct pmu *pmu, struct perf_pmu_counters *least)
{
	struct caps_question question = { .pmu = pmu };
	int cpu;

	for_each_online_cpu(cpu) {
		if (!perf_cpu_call(cpu, caps_ask_oncpu, &question))
			caps_take_least(least, &question.answer);
	}
}

/* Return: 0; -ENODATA as long as the PMU is on no CPU. */
static int caps_learn(struct pmu *pmu)
{
	struct perf_pmu_counters least = caps_most;
	struct perf_pmu_caps *caps = pmu->caps;

	guard(mutex)(&caps_mutex);
	if (caps->known)
		return 0;
	caps_ask_cpus(pmu, &least);
	if (least.general == UINT_MAX)
		return -ENODATA;
	caps->general = least.general;
	caps->fixed = least.fixed;
	smp_store_release(&caps->known, true); /* the numbers, first */
	return 0;
}

/**
 * perf_caps_get_total() - get the number of a PMU's counters
 * @pmu: PMU that has a device
 * @counters: result: general and fixed; those free are set to 0
 *
 * Only the first query interrupts CPUs, to ask the driver.
 *
 * Context: task; may sleep.
 * Return: 0; -ENODATA when the number is not known.
 */
int perf_caps_get_total(struct pmu *pmu, struct perf_pmu_counters *counters)
{
	const struct perf_pmu_caps *caps = READ_ONCE(pmu->caps);
	int err;

	if (!caps)
		return -ENODATA;
	if (!smp_load_acquire(&caps->known)) { /* pairs with caps_learn() */
		err = caps_learn(pmu);
		if (err)
			return err;
	}
	*counters = (struct perf_pmu_counters) {
		.general	= caps->general,
		.fixed		= caps->fixed,
	};
	return 0;
}

/**
 * perf_caps_get() - get the number of a PMU's counters, and of the free ones
 * @pmu: PMU with pmu->counters(), or one that was tried out
 * @counters: result: the least of all CPUs that have the PMU
 *
 * Context: task; may sleep.
 * Return: 0; -ENODATA when the numbers are not known, -ENOMEM.
 */
int perf_caps_get(struct pmu *pmu, struct perf_pmu_counters *counters)
{
	int err = 0;

	*counters = caps_most;
	guard(mutex)(&caps_mutex);
	if (pmu->counters)
		caps_ask_cpus(pmu, counters);
	else if (pmu->caps)
		err = caps_try_cpus(pmu, counters);
	if (!err && counters->general == UINT_MAX)
		err = -ENODATA;
	return err;
}

/* Files. */

/* The free counters reveal events of other users on the CPUs. */
static ssize_t caps_show(struct device *dev, char *page, size_t offset)
{
	struct perf_pmu_counters counters;
	struct pmu *pmu = dev_get_drvdata(dev);
	int err;

	if (offset < offsetof(struct perf_pmu_counters, general_free)) {
		err = perf_caps_get_total(pmu, &counters);
	} else {
		err = perf_attr_cpu_permitted();
		if (!err)
			err = perf_caps_get(pmu, &counters);
	}
	if (err)
		return err;
	return sysfs_emit(page, "%u\n",
			  *(unsigned int *)((void *)&counters + offset));
}

#define CAPS_FILE(which)						\
static ssize_t counters_##which##_show(struct device *dev,		\
				       struct device_attribute *attr,	\
				       char *page)			\
{									\
	return caps_show(dev, page,					\
			 offsetof(struct perf_pmu_counters, which));	\
}									\
static DEVICE_ATTR_RO(counters_##which)

CAPS_FILE(general);
CAPS_FILE(fixed);
CAPS_FILE(general_free);
CAPS_FILE(fixed_free);

static struct attribute *caps_attrs[] = {
	&dev_attr_counters_general.attr,
	&dev_attr_counters_fixed.attr,
	&dev_attr_counters_general_free.attr,
	&dev_attr_counters_fixed_free.attr,
	NULL,
};

static const struct attribute_group caps_group = {
	.name	= "caps",
	.attrs	= caps_attrs,
};

/* A driver may have a directory of this name, with files of its own. */
static void caps_add_files(struct pmu *pmu)
{
	struct kobject *kobj = &pmu->dev->kobj;
	int err = sysfs_merge_group(kobj, &caps_group);

	if (err == -ENOENT)
		err = sysfs_create_group(kobj, &caps_group);
	if (err)
		pr_warn("perf: %s: no caps/counters_*: %d\n", pmu->name, err);
}

/* Only PMUs of the CPU itself have generic events. */
static bool caps_can_try(const struct pmu *pmu)
{
	return pmu->task_ctx_nr == perf_hw_context &&
	       (pmu->type == PERF_TYPE_RAW ||
		pmu->capabilities & PERF_PMU_CAP_EXTENDED_HW_TYPE);
}

/* Called for each PMU, once it has a device. */
static void caps_new_pmu(struct pmu *pmu)
{
	struct perf_pmu_caps *caps __free(kfree) = NULL;

	guard(mutex)(&caps_mutex);
	if (pmu->caps || (!pmu->counters && !caps_can_try(pmu)))
		return;
	caps = kzalloc(sizeof(*caps), GFP_KERNEL);
	if (!caps || (!pmu->counters && !caps_find_out(pmu, caps)))
		return;
	/* Dry runs look at it without the mutex. */
	smp_store_release(&pmu->caps, no_free_ptr(caps));
	caps_add_files(pmu);
}

/**
 * perf_caps_init() - examine each PMU when it gets its device
 *
 * Context: boot, before the first PMU is registered.
 */
void __init perf_caps_init(void)
{
	perf_hooks.pmu_has_dev = caps_new_pmu;
}
