// SPDX-License-Identifier: GPL-2.0
/*
 * The PMUs "perf_test_aux", "perf_test_aux_twin" and "perf_test_feed": a trace
 * without hardware, for tests from user space.
 *
 * Purpose: what "perf_test_aux" traces is a stream in which the byte at each
 * position follows from the position (trace_byte()), so that a reader can tell
 * whether it has got all of it, and nothing else. Each read of an active event
 * advances the stream by attr.config1 bytes. Nothing else does, neither time
 * nor interrupts. The event counts the bytes that were written.
 *
 * Bit 0 of attr.config makes add() refuse the event while there is no area with
 * room, as some drivers do. Other events are active then, and trace nothing.
 * Bytes without room are dropped: the output ends as truncated. attr.config2
 * bytes are skipped at each begin.
 *
 * Bits 8 to 15 of attr.config select the driver that is imitated (enum
 * trace_manner): when it begins and ends an output, and how it handles a stop
 * without PERF_EF_UPDATE, a second stop, and an area that has gone. The first
 * one ends an output at each stop, as hisi_ptt does.
 *
 * "perf_test_aux_twin" is an identical second PMU, as areas of two PMUs must
 * not be mixed up. A CPU traces for one of the two at a time.
 *
 * "perf_test_feed" has events that write into the trace of "perf_test_aux", or would
 * if they did anything (attr.aux_output). They report the number 42.
 *
 * Parameters, in /sys/module/perf_test_aux/parameters/:
 *
 *   registered	the PMUs are there; see test_presence.h
 *   areas	areas that setup_aux has made and free_aux has not freed
 *   pauses	how often a trace was paused
 *   resumes	how often a trace was resumed
 *   faults	calls that broke a rule of struct pmu; the log has the lines
 *
 * Contexts: as struct pmu says. Each CPU has one trace at a time, which only
 * that CPU uses, with interrupts off.
 *
 * Lifetime: an area is the driver's from setup_aux to free_aux.
 */
#include <linux/bitfield.h>
#include <linux/init.h>
#include <linux/irqflags.h>
#include <linux/minmax.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/percpu.h>
#include <linux/perf_event.h>
#include <linux/printk.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "test_presence.h"

#define TRACE_STRICT	BIT(0)
#define TRACE_MANNER	GENMASK(15, 8)
#define TRACE_HW_ID	42

struct trace_area {
	void		**pages;
	unsigned long	size;
	bool		overwrite;
};

/* The state of a CPU's unit. */
struct trace_cpu {
	struct perf_event		*event;
	struct perf_output_handle	handle;
	/* Bytes since the begin. */
	unsigned long			written;
	/* What the drivers of CoreSight and BTS remember. */
	const struct trace_area		*session;
	bool				active;
	/* An add that failed has left its output open, as cpum_sf does. */
	bool				forgotten;
};

static DEFINE_PER_CPU(struct trace_cpu, trace_cpus);
static atomic_t test_areas, test_pauses, test_resumes, test_faults;

static void test_expect_at(bool kept, int line)
{
	if (kept)
		return;
	atomic_inc(&test_faults);
	pr_info_ratelimited("perf_test_aux: the rule in line %d was broken\n",
			    line);
}

#define test_expect(kept)	test_expect_at(kept, __LINE__)

/* The stream. */

static u8 trace_byte(u64 position)
{
	return position ^ position >> 8 ^ position >> 16;
}

static void trace_store(const struct trace_area *area, u64 position)
{
	unsigned long at = position & (area->size - 1);

	((u8 *)area->pages[at >> PAGE_SHIFT])[offset_in_page(at)] =
		trace_byte(position);
}

static bool trace_begin(struct trace_cpu *cpu, struct perf_event *event)
{
	struct trace_area *area = perf_aux_output_begin(&cpu->handle, event);

	cpu->forgotten = false;
	cpu->written = 0;
	if (!area)
		return false;
	if (event->attr.config2 && !area->overwrite)
		perf_aux_output_skip(&cpu->handle, event->attr.config2);
	return true;
}

static void trace_end(struct trace_cpu *cpu)
{
	const struct trace_area *area = perf_get_aux(&cpu->handle);

	if (!area)
		return;
	if (area->overwrite)
		cpu->handle.head += cpu->written;
	perf_aux_output_end(&cpu->handle, min(cpu->written, area->size));
	cpu->written = 0;
}

static u64 trace_room(const struct trace_cpu *cpu, const struct trace_area *area)
{
	return area->overwrite ? area->size : cpu->handle.size - cpu->written;
}

/* Return: bytes for which there was room. */
static u64 trace_write(struct trace_cpu *cpu, const struct trace_area *area,
		       u64 bytes)
{
	u64 head = cpu->handle.head + cpu->written;
	u64 len = min(bytes, trace_room(cpu, area));

	for (u64 i = 0; i < len; i++)
		trace_store(area, head + i);
	cpu->written += len;
	return len;
}

/*
 * Manners: each driver's start, stop, add and del, reduced to what they do to
 * an output and to hw.state. A start that fails leaves PERF_HES_STOPPED set.
 */

enum trace_manner {
	TRACE_PLAIN,
	TRACE_SPE,
	TRACE_ETM,
	TRACE_BTS,
	TRACE_PT,
	TRACE_CPUM_SF,
	TRACE_MANNERS,
};

struct trace_driver {
	int	(*add)(struct trace_cpu *cpu, struct perf_event *event);
	void	(*del)(struct trace_cpu *cpu);
	void	(*start)(struct trace_cpu *cpu, struct perf_event *event);
	void	(*stop)(struct trace_cpu *cpu, struct perf_event *event,
			bool update);
	/* The interrupt has ended an output, and there is no other. */
	void	(*full)(struct trace_cpu *cpu, struct perf_event *event);
};

static void plain_start(struct trace_cpu *cpu, struct perf_event *event)
{
	test_expect(!cpu->handle.event || cpu->forgotten);
	event->hw.state = trace_begin(cpu, event) ? 0 : PERF_HES_STOPPED;
}

static void plain_stop(struct trace_cpu *cpu, struct perf_event *event,
		       bool update)
{
	event->hw.state = PERF_HES_STOPPED;
	trace_end(cpu);
}

static void stopped_full(struct trace_cpu *cpu, struct perf_event *event)
{
	event->hw.state |= PERF_HES_STOPPED;
}

/* arm_spe: a stopped event counts as stopped, even if its output goes on. */

static void spe_stop(struct trace_cpu *cpu, struct perf_event *event,
		     bool update)
{
	if (event->hw.state & PERF_HES_STOPPED)
		return;
	if (update) {
		trace_end(cpu);
		event->hw.state |= PERF_HES_UPTODATE;
	}
	event->hw.state |= PERF_HES_STOPPED;
}

static void spe_start(struct trace_cpu *cpu, struct perf_event *event)
{
	event->hw.state = 0;
	if (!trace_begin(cpu, event))
		spe_stop(cpu, event, false);
}

static void spe_full(struct trace_cpu *cpu, struct perf_event *event)
{
	spe_stop(cpu, event, true);
}

/* CoreSight ETM: it remembers what begin returned until any stop. */

static void etm_start(struct trace_cpu *cpu, struct perf_event *event)
{
	event->hw.state = PERF_HES_STOPPED;
	test_expect(!cpu->session);
	if (cpu->session || !trace_begin(cpu, event))
		return;
	cpu->session = perf_get_aux(&cpu->handle);
	event->hw.state = 0;
}

static void etm_stop(struct trace_cpu *cpu, struct perf_event *event,
		     bool update)
{
	bool strange = cpu->handle.event &&
		       perf_get_aux(&cpu->handle) != cpu->session;

	test_expect(!strange);
	if (strange)
		return;
	if (event->hw.state != PERF_HES_STOPPED)
		test_expect(cpu->session);
	cpu->session = NULL;
	if (event->hw.state == PERF_HES_STOPPED)
		return;
	event->hw.state = PERF_HES_STOPPED;
	if (update)
		trace_end(cpu);
}

/* The sink's interrupt leaves the event as it is. */
static void etm_full(struct trace_cpu *cpu, struct perf_event *event)
{
}

/* intel_bts: a stop ends the output only if the event is active. */

static int bts_add(struct trace_cpu *cpu, struct perf_event *event)
{
	return cpu->handle.event ? -EBUSY : 0;
}

static void bts_start(struct trace_cpu *cpu, struct perf_event *event)
{
	event->hw.state = PERF_HES_STOPPED;
	if (!trace_begin(cpu, event))
		return;
	event->hw.state = 0;
	cpu->active = true;
}

static void bts_stop(struct trace_cpu *cpu, struct perf_event *event,
		     bool update)
{
	bool active = cpu->active;

	cpu->active = false;
	event->hw.state |= PERF_HES_STOPPED;
	if (active && update)
		trace_end(cpu);
}

static void bts_full(struct trace_cpu *cpu, struct perf_event *event)
{
	cpu->active = false;
}

/* intel_pt: with an area that is overwritten, a stop may keep the output. */

static int pt_add(struct trace_cpu *cpu, struct perf_event *event)
{
	event->hw.state |= PERF_HES_UPTODATE;
	return cpu->handle.event ? -EBUSY : 0;
}

static void pt_start(struct trace_cpu *cpu, struct perf_event *event)
{
	if (!(event->hw.state & PERF_HES_UPTODATE))
		event->hw.state &= ~PERF_HES_STOPPED;
	else if (trace_begin(cpu, event))
		event->hw.state &= ~(PERF_HES_STOPPED | PERF_HES_UPTODATE);
	else
		event->hw.state |= PERF_HES_STOPPED | PERF_HES_UPTODATE;
}

static void pt_stop(struct trace_cpu *cpu, struct perf_event *event,
		    bool update)
{
	const struct trace_area *area = perf_get_aux(&cpu->handle);

	event->hw.state |= PERF_HES_STOPPED;
	if (event->hw.state & PERF_HES_UPTODATE || !area)
		return;
	if (!update && area->overwrite)
		return;
	trace_end(cpu);
	event->hw.state |= PERF_HES_UPTODATE;
}

static void pt_full(struct trace_cpu *cpu, struct perf_event *event)
{
	event->hw.state |= PERF_HES_STOPPED | PERF_HES_UPTODATE;
}

/*
 * s390's cpum_sf: an output lasts from add to del. An add with less than a page
 * of room fails, and forgets to end the output.
 */

static int sf_add(struct trace_cpu *cpu, struct perf_event *event)
{
	if (!trace_begin(cpu, event))
		return -EINVAL;
	if (cpu->handle.size && cpu->handle.size < PAGE_SIZE)
		return -ENOMEM;
	return 0;
}

static void sf_del(struct trace_cpu *cpu)
{
	trace_end(cpu);
}

static void sf_start(struct trace_cpu *cpu, struct perf_event *event)
{
	event->hw.state = 0;
}

static void sf_stop(struct trace_cpu *cpu, struct perf_event *event,
		    bool update)
{
	event->hw.state |= PERF_HES_STOPPED;
	if (update)
		event->hw.state |= PERF_HES_UPTODATE;
}

static const struct trace_driver trace_drivers[TRACE_MANNERS] = {
	[TRACE_PLAIN]	= { .start = plain_start, .stop = plain_stop,
			    .full = stopped_full },
	[TRACE_SPE]	= { .start = spe_start, .stop = spe_stop,
			    .full = spe_full },
	[TRACE_ETM]	= { .start = etm_start, .stop = etm_stop,
			    .full = etm_full },
	[TRACE_BTS]	= { .add = bts_add, .start = bts_start,
			    .stop = bts_stop, .full = bts_full },
	[TRACE_PT]	= { .add = pt_add, .start = pt_start,
			    .stop = pt_stop, .full = pt_full },
	[TRACE_CPUM_SF]	= { .add = sf_add, .del = sf_del, .start = sf_start,
			    .stop = sf_stop, .full = stopped_full },
};

static const struct trace_driver *trace_driver(const struct perf_event *event)
{
	return &trace_drivers[FIELD_GET(TRACE_MANNER, event->attr.config)];
}

/* Does what hardware would do by itself, and the interrupt that follows. */
static void trace_advance(struct trace_cpu *cpu, struct perf_event *event)
{
	const struct trace_area *area = perf_get_aux(&cpu->handle);
	u64 bytes = event->attr.config1;
	u64 done;

	if (!area || READ_ONCE(event->hw.aux_paused) || !bytes)
		return;
	done = trace_write(cpu, area, bytes);
	local64_add(done, &event->count);
	if (done < bytes)
		perf_aux_output_flag(&cpu->handle, PERF_AUX_FLAG_TRUNCATED);
	trace_end(cpu);
	if (done < bytes || !trace_begin(cpu, event))
		trace_driver(event)->full(cpu, event);
}

/* Methods of the trace. */

static void trace_start(struct perf_event *event, int flags)
{
	struct trace_cpu *cpu = this_cpu_ptr(&trace_cpus);

	test_expect(cpu->event == event);
	if (flags & PERF_EF_RESUME) {
		test_expect(!event->hw.aux_paused);
		atomic_inc(&test_resumes);
		return;
	}
	trace_driver(event)->start(cpu, event);
}

static void trace_stop(struct perf_event *event, int flags)
{
	struct trace_cpu *cpu = this_cpu_ptr(&trace_cpus);

	test_expect(cpu->event == event);
	if (flags & PERF_EF_PAUSE) {
		test_expect(event->hw.aux_paused);
		atomic_inc(&test_pauses);
		return;
	}
	trace_driver(event)->stop(cpu, event, flags & PERF_EF_UPDATE);
}

/* Return: 0, or the error with which a driver refuses an event. */
static int trace_try_add(struct trace_cpu *cpu, struct perf_event *event,
			 int flags)
{
	const struct trace_driver *driver = trace_driver(event);
	int err = driver->add ? driver->add(cpu, event) : 0;

	if (err)
		return err;
	if (flags & PERF_EF_START)
		trace_start(event, 0);
	if (event->hw.state & PERF_HES_STOPPED &&
	    event->attr.config & TRACE_STRICT)
		return -EINVAL;
	return 0;
}

static int trace_add(struct perf_event *event, int flags)
{
	struct trace_cpu *cpu = this_cpu_ptr(&trace_cpus);
	int err;

	test_expect(irqs_disabled());
	if (cpu->event)
		return -EBUSY;
	cpu->event = event;
	event->hw.state = PERF_HES_STOPPED;
	err = trace_try_add(cpu, event, flags);
	if (err) {
		cpu->event = NULL;
		cpu->forgotten = cpu->handle.event;
	}
	return err;
}

static void trace_del(struct perf_event *event, int flags)
{
	struct trace_cpu *cpu = this_cpu_ptr(&trace_cpus);

	test_expect(irqs_disabled());
	trace_stop(event, PERF_EF_UPDATE);
	if (trace_driver(event)->del)
		trace_driver(event)->del(cpu);
	cpu->event = NULL;
}

static void trace_read(struct perf_event *event)
{
	struct trace_cpu *cpu = this_cpu_ptr(&trace_cpus);

	test_expect(cpu->event == event);
	if (!(event->hw.state & PERF_HES_STOPPED))
		trace_advance(cpu, event);
}

static long trace_snapshot(struct perf_event *event,
			   struct perf_output_handle *handle,
			   unsigned long size)
{
	struct trace_cpu *cpu = this_cpu_ptr(&trace_cpus);
	unsigned long to = cpu->handle.head + cpu->written;

	test_expect(perf_get_aux(&cpu->handle));
	if (!perf_get_aux(&cpu->handle))
		return 0;
	return perf_output_copy_aux(&cpu->handle, handle, to - size, to);
}

static void *trace_setup_area(struct perf_event *event, void **pages,
			      int nr_pages, bool overwrite)
{
	struct trace_area *area = kmalloc(sizeof(*area), GFP_KERNEL);

	if (!area)
		return NULL;
	area->pages = pages;
	area->size = (unsigned long)nr_pages << PAGE_SHIFT;
	area->overwrite = overwrite;
	atomic_inc(&test_areas);
	return area;
}

static void trace_free_area(void *priv)
{
	struct trace_area *area = priv;

	/* Zeroed, so that it shows if anything writes there later. */
	for (unsigned long at = 0; at < area->size; at += PAGE_SIZE)
		memset(area->pages[at >> PAGE_SHIFT], 0, PAGE_SIZE);
	kfree(area);
	atomic_dec(&test_areas);
}

static int trace_event_init(struct perf_event *event)
{
	if (event->attr.type != event->pmu->type)
		return -ENOENT;
	if (event->attr.config & ~(u64)(TRACE_STRICT | TRACE_MANNER))
		return -EINVAL;
	return FIELD_GET(TRACE_MANNER, event->attr.config) < TRACE_MANNERS ?
	       0 : -EINVAL;
}

#define TRACE_METHODS							\
	.module		= THIS_MODULE,					\
	.capabilities	= PERF_PMU_CAP_NO_INTERRUPT |			\
			  PERF_PMU_CAP_ITRACE | PERF_PMU_CAP_AUX_PAUSE,	\
	.task_ctx_nr	= perf_hw_context,				\
	.event_init	= trace_event_init,				\
	.add		= trace_add,					\
	.del		= trace_del,					\
	.start		= trace_start,					\
	.stop		= trace_stop,					\
	.read		= trace_read,					\
	.setup_aux	= trace_setup_area,				\
	.free_aux	= trace_free_area,				\
	.snapshot_aux	= trace_snapshot

static struct pmu trace_pmu = { TRACE_METHODS };
static struct pmu twin_pmu = { TRACE_METHODS };

/* Events that write into a trace. */

static int feed_add(struct perf_event *event, int flags)
{
	test_expect(irqs_disabled());
	event->hw.state = 0;
	if (event->aux_event)
		perf_report_aux_output_id(event, TRACE_HW_ID);
	return 0;
}

static void feed_start(struct perf_event *event, int flags)
{
}

static void feed_stop(struct perf_event *event, int flags)
{
}

static void feed_del(struct perf_event *event, int flags)
{
}

static void feed_read(struct perf_event *event)
{
	local64_inc(&event->count);
}

static int feed_event_init(struct perf_event *event)
{
	return event->attr.type == event->pmu->type ? 0 : -ENOENT;
}

static int feed_match(struct perf_event *leader)
{
	return leader->pmu == &trace_pmu;
}

/* A software PMU, so that its events can be in groups of any PMU. */
static struct pmu feed_pmu = {
	.module			= THIS_MODULE,
	.capabilities		= PERF_PMU_CAP_NO_INTERRUPT |
				  PERF_PMU_CAP_AUX_OUTPUT,
	.task_ctx_nr		= perf_sw_context,
	.event_init		= feed_event_init,
	.add			= feed_add,
	.del			= feed_del,
	.start			= feed_start,
	.stop			= feed_stop,
	.read			= feed_read,
	.aux_output_match	= feed_match,
};

/* Registration. */

static int test_register(void)
{
	int err = perf_pmu_register(&trace_pmu, "perf_test_aux", -1);

	if (err)
		return err;
	err = perf_pmu_register(&twin_pmu, "perf_test_aux_twin", -1);
	if (err)
		goto no_twin;
	err = perf_pmu_register(&feed_pmu, "perf_test_feed", -1);
	if (err)
		goto no_feed;
	return 0;
no_feed:
	perf_pmu_unregister(&twin_pmu);
no_twin:
	perf_pmu_unregister(&trace_pmu);
	return err;
}

static void test_unregister(void)
{
	int cpu;

	perf_pmu_unregister(&feed_pmu);
	perf_pmu_unregister(&twin_pmu);
	perf_pmu_unregister(&trace_pmu);
	test_expect(!atomic_read(&test_areas));
	for_each_possible_cpu(cpu)
		test_expect(!per_cpu(trace_cpus, cpu).event);
}

DEFINE_TEST_PRESENCE(test_presence, test_register, test_unregister);

module_param_cb(registered, &test_presence_ops, &test_presence, 0600);
MODULE_PARM_DESC(registered, "the PMUs are there");
module_param_named(areas, test_areas.counter, int, 0400);
MODULE_PARM_DESC(areas, "areas that the driver knows");
module_param_named(pauses, test_pauses.counter, int, 0400);
MODULE_PARM_DESC(pauses, "how often a trace was held");
module_param_named(resumes, test_resumes.counter, int, 0400);
MODULE_PARM_DESC(resumes, "how often a trace was let go on");
module_param_named(faults, test_faults.counter, int, 0400);
MODULE_PARM_DESC(faults, "calls that broke a rule");

static int __init test_init(void)
{
	return test_presence_init(&test_presence);
}
module_init(test_init);

static void __exit test_exit(void)
{
	test_presence_exit(&test_presence);
}
module_exit(test_exit);

MODULE_DESCRIPTION("A trace without hardware");
MODULE_LICENSE("GPL");
