// SPDX-License-Identifier: GPL-2.0
/*
 * The PMU "perf_test_filter": it has address filters, and shows them.
 *
 * Purpose: to see from user space what the core gives to a trace unit. Events
 * count nothing; attr.config is a number from 0 up to tell them apart.
 *
 * Parameters, in /sys/module/perf_test_filter/parameters/:
 *
 *   ranges	a line for each event: attr.config, the task (0: none), how often
 *		the core set a new list, and for each filter a letter of its
 *		action (f, s for start, S for stop), start and size in hexadecimal
 *   refuse	lists are refused with this errno; 0: they are not
 *
 * Owns: a struct filter_shown for each event, found by event->pmu_private.
 *
 * Contexts: as struct pmu says. Locking: filter_lock, a raw spin lock inside the
 * filters' own, for what is shown.
 */
#include <linux/init.h>
#include <linux/list.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/perf_event.h>
#include <linux/sched.h>
#include <linux/slab.h>

#define NR_FILTERS	4

/* What the driver has programmed. */
struct filter_shown {
	struct list_head		entry;
	u64				config;
	struct task_struct		*task;
	unsigned int			syncs;
	unsigned int			nr;
	char				action[NR_FILTERS];
	struct perf_addr_filter_range	range[NR_FILTERS];
};

static DEFINE_RAW_SPINLOCK(filter_lock);
static LIST_HEAD(filter_events);
static int filter_refuse;

static int filter_validate(struct list_head *filters)
{
	return -abs(READ_ONCE(filter_refuse));
}

static void filter_sync(struct perf_event *event)
{
	static const char letters[] = {
		[PERF_ADDR_FILTER_ACTION_STOP]		= 'S',
		[PERF_ADDR_FILTER_ACTION_START]		= 's',
		[PERF_ADDR_FILTER_ACTION_FILTER]	= 'f',
	};
	struct filter_shown *shown = event->pmu_private;
	struct perf_addr_filter *filter;

	guard(raw_spinlock_irqsave)(&filter_lock);
	shown->syncs++;
	shown->nr = 0;
	list_for_each_entry(filter, &perf_event_addr_filters(event)->list,
			    entry) {
		if (WARN_ON_ONCE(shown->nr == NR_FILTERS))
			break;
		shown->range[shown->nr] = event->addr_filter_ranges[shown->nr];
		shown->action[shown->nr++] = letters[filter->action];
	}
}

static void filter_start(struct perf_event *event, int flags)
{
	perf_event_addr_filters_sync(event);
	event->hw.state = 0;
}

static void filter_stop(struct perf_event *event, int flags)
{
	event->hw.state = PERF_HES_STOPPED | PERF_HES_UPTODATE;
}

static int filter_add(struct perf_event *event, int flags)
{
	filter_stop(event, 0);
	if (flags & PERF_EF_START)
		filter_start(event, PERF_EF_RELOAD);
	return 0;
}

static void filter_del(struct perf_event *event, int flags)
{
	filter_stop(event, PERF_EF_UPDATE);
}

static void filter_read(struct perf_event *event)
{
}

static void filter_destroy(struct perf_event *event)
{
	struct filter_shown *shown = event->pmu_private;

	scoped_guard(raw_spinlock_irqsave, &filter_lock)
		list_del(&shown->entry);
	kfree(shown);
}

static int filter_event_init(struct perf_event *event)
{
	struct filter_shown *shown;

	if (event->attr.type != event->pmu->type)
		return -ENOENT;
	shown = kzalloc(sizeof(*shown), GFP_KERNEL);
	if (!shown)
		return -ENOMEM;
	shown->config = event->attr.config;
	/* A task that is being forked has no pid yet; the event keeps it. */
	shown->task = event->hw.target;
	event->pmu_private = shown;
	event->destroy = filter_destroy;
	guard(raw_spinlock_irqsave)(&filter_lock);
	list_add_tail(&shown->entry, &filter_events);
	return 0;
}

static struct pmu filter_pmu = {
	.module			= THIS_MODULE,
	.capabilities		= PERF_PMU_CAP_NO_INTERRUPT,
	.task_ctx_nr		= perf_hw_context,
	.nr_addr_filters	= NR_FILTERS,
	.event_init		= filter_event_init,
	.add			= filter_add,
	.del			= filter_del,
	.start			= filter_start,
	.stop			= filter_stop,
	.read			= filter_read,
	.addr_filters_validate	= filter_validate,
	.addr_filters_sync	= filter_sync,
};

static int filter_show_one(char *page, int at, const struct filter_shown *shown)
{
	at += scnprintf(page + at, PAGE_SIZE - at, "%llu %d %u", shown->config,
			shown->task ? task_pid_nr(shown->task) : 0,
			shown->syncs);
	for (unsigned int i = 0; i < shown->nr; i++)
		at += scnprintf(page + at, PAGE_SIZE - at, " %c%lx/%lx",
				shown->action[i], shown->range[i].start,
				shown->range[i].size);
	return at + scnprintf(page + at, PAGE_SIZE - at, "\n");
}

static int filter_show(char *page, const struct kernel_param *kp)
{
	struct filter_shown *shown;
	int at = 0;

	guard(raw_spinlock_irqsave)(&filter_lock);
	list_for_each_entry(shown, &filter_events, entry)
		at = filter_show_one(page, at, shown);
	return at;
}

static const struct kernel_param_ops filter_ranges_ops = {
	.get	= filter_show,
};

module_param_cb(ranges, &filter_ranges_ops, NULL, 0400);
MODULE_PARM_DESC(ranges, "what the events have been given");
module_param_named(refuse, filter_refuse, int, 0600);
MODULE_PARM_DESC(refuse, "errno with which lists are refused");

static int __init filter_init(void)
{
	return perf_pmu_register(&filter_pmu, "perf_test_filter", -1);
}
module_init(filter_init);

static void __exit filter_exit(void)
{
	perf_pmu_unregister(&filter_pmu);
}
module_exit(filter_exit);

MODULE_DESCRIPTION("A PMU that shows its address filters");
MODULE_LICENSE("GPL");
