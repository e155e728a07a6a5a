// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of the room aux_buffer with active events: the effect on an open
 * output when its event leaves the buffer, and when the area is retired.
 *
 * The driver begins an output in pmu::start. Like some real ones it may end the
 * output in pmu::del only, so that the output is open after pmu::stop; or it
 * uses its data until pmu::stop, although its interrupt has ended the output.
 */
#include <kunit/test.h>
#include <linux/cpumask.h>
#include <linux/irq_work.h>
#include <linux/mm.h>
#include <linux/perf_event.h>
#include <linux/smp.h>

#include "../aux_buffer.h"
#include "../buffer_types.h"
#include "../mmap.h"
#include "../ring_buffer.h"
#include "../software.h"
#include "fake_pmu.h"
#include "family_tasks.h"

#define NR_EVENTS	2
#define AREA_PAGES	4
#define AREA_PGOFF	8
#define FOREVER_MS	3600000

#define OFF		PERF_EVENT_STATE_OFF
#define ACTIVE		PERF_EVENT_STATE_ACTIVE

/* Event 0 traces. */
struct aux_stop_test_world {
	struct pmu			pmu;
	struct perf_event		*event[NR_EVENTS];
	struct perf_buffer		*rb;
	struct perf_output_handle	handle;
	bool				ends_late;
	bool				uses_data;
	/* Events of this task, on one CPU if @bound; NULL: of a CPU. */
	struct task_struct		*task;
	bool				bound;
	bool				inherit;
	unsigned int			stops;
	unsigned int			freed;
	unsigned int			freed_in_use;
};

static struct aux_stop_test_world world;
/* A PMU that does not trace. */
static struct fake_pmu counters;

/* The driver. */

static bool aux_stop_test_traces(const struct perf_event *event)
{
	return perf_event_eldest(event) == world.event[0];
}

static void *aux_stop_test_setup_aux(struct perf_event *event, void **pages,
				     int nr_pages, bool overwrite)
{
	return &world;
}

static void aux_stop_test_free_aux(void *priv)
{
	world.freed++;
	world.freed_in_use += world.uses_data;
}

static void aux_stop_test_end(struct perf_event *event)
{
	if (world.handle.event == event)
		perf_aux_output_end(&world.handle, 0);
}

static void aux_stop_test_start(struct perf_event *event, int flags)
{
	if (aux_stop_test_traces(event) &&
	    perf_aux_output_begin(&world.handle, event))
		world.uses_data = true;
	perf_counter_set_state(event, PERF_COUNTER_COUNTS);
}

static void aux_stop_test_stop(struct perf_event *event, int flags)
{
	if (aux_stop_test_traces(event)) {
		world.stops++;
		world.uses_data = false;
	}
	if (!world.ends_late)
		aux_stop_test_end(event);
	perf_counter_set_state(event, PERF_COUNTER_SAVED);
}

/* The interrupt of the trace unit, which does not begin another output. */
static void aux_stop_test_interrupt(void *unused)
{
	aux_stop_test_end(world.event[0]);
}

static int aux_stop_test_add(struct perf_event *event, int flags)
{
	perf_counter_set_state(event, PERF_COUNTER_SAVED);
	if (flags & PERF_EF_START)
		aux_stop_test_start(event, flags);
	return 0;
}

static void aux_stop_test_del(struct perf_event *event, int flags)
{
	aux_stop_test_end(event);
	perf_counter_set_state(event, PERF_COUNTER_SAVED);
}

static void aux_stop_test_read(struct perf_event *event)
{
}

static int aux_stop_test_event_init(struct perf_event *event)
{
	return event->attr.type == event->pmu->type ? 0 : -ENOENT;
}

/* Fixtures. */

static int aux_stop_test_suite_init(struct kunit_suite *suite)
{
	int err;

	world.pmu = (struct pmu) {
		.task_ctx_nr	= perf_hw_context,
		.capabilities	= PERF_PMU_CAP_NO_INTERRUPT,
		.event_init	= aux_stop_test_event_init,
		.add		= aux_stop_test_add,
		.del		= aux_stop_test_del,
		.start		= aux_stop_test_start,
		.stop		= aux_stop_test_stop,
		.read		= aux_stop_test_read,
		.setup_aux	= aux_stop_test_setup_aux,
		.free_aux	= aux_stop_test_free_aux,
	};
	err = fake_pmu_register(&counters, "kunit_aux_stop_counters");
	if (err)
		return err;
	err = perf_pmu_register(&world.pmu, "kunit_aux_stop", -1);
	if (err)
		fake_pmu_unregister(&counters);
	return err;
}

static void aux_stop_test_suite_exit(struct kunit_suite *suite)
{
	perf_pmu_unregister(&world.pmu);
	fake_pmu_unregister(&counters);
}

static struct perf_event *aux_stop_test_open(struct kunit *test)
{
	int cpu = !world.task || world.bound ?
			  cpumask_last(cpu_online_mask) : -1;
	struct perf_event_attr attr = {
		.type		= world.pmu.type,
		.size		= sizeof(attr),
		.disabled	= 1,
		.inherit	= world.inherit,
	};

	return fake_open_counter(test, &attr, cpu, world.task);
}

static void aux_stop_test_retire(void)
{
	guard(mutex)(&world.rb->aux.mutex);
	perf_aux_retire_mutexed(world.rb);
}

/* Does what the last unmapping does. */
static void aux_stop_test_unmap(void *unused)
{
	struct perf_aux_area *area = world.rb->aux.area;

	if (area) {
		aux_stop_test_retire();
		WRITE_ONCE(world.rb->aux.area, NULL);
		perf_aux_free(area);
	}
	for (int i = 0; i < NR_EVENTS; i++)
		perf_mmap_detach(world.event[i]);
	perf_rb_put(world.rb);
}

static void aux_stop_test_attach(struct perf_event *event)
{
	refcount_inc(&world.rb->refcount);
	scoped_guard(spinlock_irq, &world.rb->event_lock)
		list_add(&event->rb_entry, &world.rb->event_list);
	rcu_assign_pointer(*perf_rb_slot(event), world.rb);
}

static void aux_stop_test_map_area(struct kunit *test)
{
	struct vm_area_struct *vma = kunit_kzalloc(test, sizeof(*vma),
						   GFP_KERNEL);
	struct perf_aux_area *area;

	KUNIT_ASSERT_NOT_NULL(test, vma);
	vma->vm_end = AREA_PAGES * PAGE_SIZE;
	vma->vm_pgoff = AREA_PGOFF;
	vm_flags_init(vma, VM_SHARED | VM_WRITE);
	scoped_guard(mutex, &world.event[0]->mmap_mutex)
		area = perf_aux_alloc(world.event[0], vma);
	KUNIT_ASSERT_NOT_NULL(test, area);
	guard(mutex)(&world.rb->aux.mutex);
	perf_aux_publish_mutexed(world.rb, area);
}

/* Both events share a buffer, and the first one traces. */
static void aux_stop_test_begin(struct kunit *test, bool ends_late)
{
	world.ends_late = ends_late;
	world.handle.event = NULL;
	world.uses_data = false;
	world.stops = 0;
	world.freed = 0;
	world.freed_in_use = 0;
	for (int i = 0; i < NR_EVENTS; i++)
		world.event[i] = aux_stop_test_open(test);
	world.rb = perf_rb_alloc(1, 0, -1, PERF_RB_WRITABLE);
	KUNIT_ASSERT_NOT_NULL(test, world.rb);
	refcount_set(&world.rb->mmap_count, 1);
	fake_pmu_undo(test, aux_stop_test_unmap, NULL);
	for (int i = 0; i < NR_EVENTS; i++)
		aux_stop_test_attach(world.event[i]);
	aux_stop_test_map_area(test);
	for (int i = 0; i < NR_EVENTS; i++)
		perf_event_enable(world.event[i]);
	KUNIT_ASSERT_PTR_EQ(test, world.rb->aux.writer, world.event[0]);
}

/* The event's state after all that was queued has run. */
static int aux_stop_test_state(int nr)
{
	irq_work_sync(&world.event[nr]->pending_disable_irq);
	return READ_ONCE(world.event[nr]->state);
}

/* The event leaves the buffer. */
static void aux_stop_test_leave(struct kunit *test, int nr)
{
	KUNIT_EXPECT_EQ(test, perf_mmap_set_output(world.event[nr], NULL), 0);
}

static void aux_stop_test_unbind(void *unused)
{
	set_cpus_allowed_ptr(current, cpu_possible_mask);
}

/* Cases. */

/* The event is stopped, and remains enabled, whatever the driver does then. */
static void aux_stop_test_leaves_buffer(struct kunit *test, bool ends_late)
{
	aux_stop_test_begin(test, ends_late);
	aux_stop_test_leave(test, 0);
	KUNIT_EXPECT_EQ(test, world.stops, 1);
	KUNIT_EXPECT_EQ(test, aux_stop_test_state(0), ACTIVE);
	KUNIT_EXPECT_PTR_EQ(test, world.handle.event,
			    ends_late ? world.event[0] : NULL);
	perf_event_disable(world.event[0]);
	KUNIT_EXPECT_NULL(test, world.handle.event);
	KUNIT_EXPECT_NULL(test, world.rb->aux.writing);
}

static void aux_stop_test_leaves(struct kunit *test)
{
	aux_stop_test_leaves_buffer(test, false);
}

static void aux_stop_test_leaves_late_end(struct kunit *test)
{
	aux_stop_test_leaves_buffer(test, true);
}

/* The event of a task that is bound to no CPU. */
static void aux_stop_test_leaves_of_task(struct kunit *test)
{
	world.task = current;
	aux_stop_test_leaves_buffer(test, false);
}

/* The event of a task that is bound to a CPU may have copies. */
static void aux_stop_test_leaves_of_task_on_cpu(struct kunit *test)
{
	int cpu = cpumask_last(cpu_online_mask);

	fake_pmu_undo(test, aux_stop_test_unbind, NULL);
	KUNIT_ASSERT_EQ(test, set_cpus_allowed_ptr(current, cpumask_of(cpu)), 0);
	world.task = current;
	world.bound = true;
	aux_stop_test_leaves_buffer(test, false);
}

static bool aux_stop_test_spins;

/* Few tasks preempt it, so that its events usually stay active. */
static void aux_stop_test_spin(struct test_task *self)
{
	sched_set_fifo(current);
	complete(&self->started);
	while (READ_ONCE(aux_stop_test_spins) && !READ_ONCE(self->end))
		cond_resched();
}

/* A copy traces on the event's CPU; the event's own task runs elsewhere. */
static void aux_stop_test_leaves_with_copy(struct kunit *test)
{
	int cpu = cpumask_last(cpu_online_mask);
	int other = cpumask_first(cpu_online_mask);
	struct test_task *child;
	struct perf_event *writer;
	enum perf_event_state state;
	unsigned long preempted;
	unsigned int stops;

	if (cpu == other)
		kunit_skip(test, "needs two CPUs");
	fake_pmu_undo(test, aux_stop_test_unbind, NULL);
	KUNIT_ASSERT_EQ(test, set_cpus_allowed_ptr(current, cpumask_of(cpu)), 0);
	world.task = current;
	world.bound = true;
	world.inherit = true;
	aux_stop_test_begin(test, false);
	child = test_task_fork(test, aux_stop_test_spin);
	KUNIT_ASSERT_EQ(test, set_cpus_allowed_ptr(current, cpumask_of(other)), 0);
	KUNIT_ASSERT_EQ(test, set_cpus_allowed_ptr(child->task, cpumask_of(cpu)), 0);
	WRITE_ONCE(aux_stop_test_spins, true);
	test_task_go(child);
	wait_for_completion(&child->started);
	preempted = READ_ONCE(child->task->nivcsw);
	read_poll_timeout(READ_ONCE, writer, writer, 100, TEST_TASK_PATIENCE_US,
			  false, world.rb->aux.writer);
	KUNIT_ASSERT_NOT_NULL(test, writer);
	KUNIT_ASSERT_PTR_EQ(test, writer->parent, world.event[0]);
	world.stops = 0;
	aux_stop_test_leave(test, 0);
	stops = READ_ONCE(world.stops);
	state = READ_ONCE(writer->state);
	if (preempted != READ_ONCE(child->task->nivcsw))
		kunit_skip(test, "the child was preempted");
	KUNIT_EXPECT_EQ(test, stops, 1);
	KUNIT_EXPECT_NULL(test, world.handle.event);
	KUNIT_EXPECT_EQ(test, state, ACTIVE);
	WRITE_ONCE(aux_stop_test_spins, false);
	wait_for_completion(&child->done);
}

/* Another event of the buffer leaves it: the trace goes on. */
static void aux_stop_test_other_leaves(struct kunit *test)
{
	aux_stop_test_begin(test, false);
	aux_stop_test_leave(test, 1);
	KUNIT_EXPECT_EQ(test, world.stops, 0);
	KUNIT_EXPECT_PTR_EQ(test, world.handle.event, world.event[0]);
}

/* No output is open: nothing has to be stopped. */
static void aux_stop_test_leaves_without_output(struct kunit *test)
{
	aux_stop_test_begin(test, false);
	perf_event_disable(world.event[0]);
	aux_stop_test_leave(test, 0);
	KUNIT_EXPECT_EQ(test, world.stops, 0);
}

/* The output is over, and the event continues without a trace. */
static void aux_stop_test_retires(struct kunit *test)
{
	aux_stop_test_begin(test, false);
	aux_stop_test_retire();
	KUNIT_EXPECT_EQ(test, world.stops, 2);
	KUNIT_EXPECT_EQ(test, world.freed, 1);
	KUNIT_EXPECT_NULL(test, world.handle.event);
	KUNIT_EXPECT_EQ(test, aux_stop_test_state(0), ACTIVE);
	KUNIT_EXPECT_EQ(test, aux_stop_test_state(1), ACTIVE);
}

static void aux_stop_test_detach(void *event)
{
	perf_mmap_detach(event);
}

/* Samples of an event that does not trace go to the same buffer. */
static void aux_stop_test_retires_beside_counter(struct kunit *test)
{
	struct fake_pmu_spec spec = { .cpu = cpumask_last(cpu_online_mask) };
	struct perf_event *counter = fake_pmu_open(test, &counters, &spec);

	aux_stop_test_begin(test, false);
	aux_stop_test_attach(counter);
	fake_pmu_undo(test, aux_stop_test_detach, counter);
	aux_stop_test_retire();
	KUNIT_EXPECT_EQ(test, world.stops, 2);
	KUNIT_EXPECT_EQ(test, READ_ONCE(counter->state), ACTIVE);
	KUNIT_EXPECT_EQ(test, fake_pmu_calls(&counters, FAKE_STOP), 0);
}

/* If the driver ends its output in pmu::del only, the event is disabled. */
static void aux_stop_test_retires_late_end(struct kunit *test)
{
	aux_stop_test_begin(test, true);
	aux_stop_test_retire();
	KUNIT_EXPECT_GE(test, world.stops, 1);
	KUNIT_EXPECT_EQ(test, world.freed, 1);
	KUNIT_EXPECT_NULL(test, world.handle.event);
	KUNIT_EXPECT_EQ(test, aux_stop_test_state(0), OFF);
	KUNIT_EXPECT_EQ(test, aux_stop_test_state(1), ACTIVE);
}

/* Begins, and ends the output where the driver still uses its data. */
static void aux_stop_test_interrupted(struct kunit *test)
{
	aux_stop_test_begin(test, false);
	KUNIT_ASSERT_EQ(test, 0,
			smp_call_function_single(world.event[0]->cpu,
						 aux_stop_test_interrupt, NULL,
						 true));
	KUNIT_ASSERT_NULL(test, world.rb->aux.writing);
	KUNIT_ASSERT_EQ(test, world.stops, 0);
	KUNIT_ASSERT_TRUE(test, world.uses_data);
}

/* Without an output the driver's data is not freed before the stop either. */
static void aux_stop_test_retires_interrupted(struct kunit *test)
{
	aux_stop_test_interrupted(test);
	aux_stop_test_retire();
	KUNIT_EXPECT_EQ(test, world.stops, 1);
	KUNIT_EXPECT_EQ(test, world.freed, 1);
	KUNIT_EXPECT_EQ(test, world.freed_in_use, 0);
	KUNIT_EXPECT_EQ(test, aux_stop_test_state(0), ACTIVE);
}

/* The event leaves first, and cannot be found through the buffer. */
static void aux_stop_test_leaves_interrupted(struct kunit *test)
{
	aux_stop_test_interrupted(test);
	aux_stop_test_leave(test, 0);
	KUNIT_EXPECT_EQ(test, world.stops, 1);
	KUNIT_EXPECT_FALSE(test, world.uses_data);
	KUNIT_EXPECT_EQ(test, aux_stop_test_state(0), ACTIVE);
	aux_stop_test_retire();
	KUNIT_EXPECT_EQ(test, world.freed_in_use, 0);
}

static struct kunit_case aux_stop_test_cases[] = {
	KUNIT_CASE(aux_stop_test_leaves),
	KUNIT_CASE(aux_stop_test_leaves_late_end),
	KUNIT_CASE(aux_stop_test_leaves_of_task),
	KUNIT_CASE(aux_stop_test_leaves_of_task_on_cpu),
	KUNIT_CASE(aux_stop_test_leaves_with_copy),
	KUNIT_CASE(aux_stop_test_other_leaves),
	KUNIT_CASE(aux_stop_test_leaves_without_output),
	KUNIT_CASE(aux_stop_test_retires),
	KUNIT_CASE(aux_stop_test_retires_beside_counter),
	KUNIT_CASE(aux_stop_test_retires_late_end),
	KUNIT_CASE(aux_stop_test_retires_interrupted),
	KUNIT_CASE(aux_stop_test_leaves_interrupted),
	{ }
};

static int aux_stop_test_init(struct kunit *test)
{
	world.task = NULL;
	world.bound = false;
	world.inherit = false;
	fake_pmu_reset(&counters, FAKE_PMU_COUNTERS, FOREVER_MS);
	return 0;
}

static struct kunit_suite aux_stop_test_suite = {
	.name		= "perf_aux_stop",
	.suite_init	= aux_stop_test_suite_init,
	.suite_exit	= aux_stop_test_suite_exit,
	.init		= aux_stop_test_init,
	.test_cases	= aux_stop_test_cases,
};

kunit_test_suite(aux_stop_test_suite);
