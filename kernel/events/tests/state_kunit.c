// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of the room state and of the tables of all rooms: every pair of states,
 * and states of objects in their lives. clock_kunit.c has those of events.
 *
 * Runs after the other suites, so that it can tell whether a setter has
 * reported a fault in them.
 */
#include <kunit/test.h>
#include <linux/cleanup.h>
#include <linux/cpu.h>
#include <linux/irqflags.h>
#include <linux/sched.h>
#include <linux/sched/task.h>
#include <linux/slab.h>

#include "../aux_buffer.h"
#include "../buffer_types.h"
#include "../clock.h"
#include "../context.h"
#include "../event_state.h"
#include "../family.h"
#include "../pmu.h"
#include "../ring_buffer.h"
#include "../software.h"
#include "../state.h"
#include "fake_pmu.h"

#define NR_MAX	8

/* A copy of the rules: rows[from][to] is "y" if the step is allowed. */
struct state_test_rules {
	const struct perf_state_table	*table;
	const char			*rows[NR_MAX];
};

static const struct state_test_rules state_test_rules[] = {
	{
		.table	= &perf_ctx_state_table,
		.rows	= {
			/* offline, online, handle, unloaded, loaded, parked, lent, tombstone */
			[PERF_CTX_OFFLINE]	= "yy------",
			[PERF_CTX_ONLINE]	= "yy------",
			[PERF_CTX_HANDLE]	= "--y-----",
			[PERF_CTX_UNLOADED]	= "---yyy-y",
			[PERF_CTX_LOADED]	= "---yy-y-",
			[PERF_CTX_PARKED]	= "---y-yy-",
			[PERF_CTX_LENT]		= "----yyy-",
			[PERF_CTX_TOMBSTONE]	= "-------y",
		},
	}, {
		.table	= &perf_rb_state_table,
		.rows	= {
			/* new, mapped, unmapped, freed */
			[PERF_RB_NEW]		= "yy-y",
			[PERF_RB_MAPPED]	= "-yy-",
			[PERF_RB_UNMAPPED]	= "--yy",
			[PERF_RB_FREED]		= "---y",
		},
	}, {
		.table	= &perf_rb_flow_table,
		.rows	= {
			/* flows, paused, bare */
			[PERF_RB_FLOWS]		= "yy-",
			[PERF_RB_PAUSED]	= "yy-",
			[PERF_RB_BARE]		= "--y",
		},
	}, {
		.table	= &perf_aux_state_table,
		.rows	= {
			/* new, open, closing, retired, freed */
			[PERF_AUX_NEW]		= "yy--y",
			[PERF_AUX_OPEN]		= "-yy--",
			[PERF_AUX_CLOSING]	= "--yy-",
			[PERF_AUX_RETIRED]	= "---yy",
			[PERF_AUX_FREED]	= "----y",
		},
	}, {
		.table	= &perf_pmu_state_table,
		.rows	= {
			/* enabled, disabled, adding, reading */
			[PERF_PMU_ENABLED]	= "yy-y",
			[PERF_PMU_DISABLED]	= "yyy-",
			[PERF_PMU_ADDING]	= "-yy-",
			[PERF_PMU_READING]	= "y--y",
		},
	}, {
		.table	= &perf_counter_state_table,
		.rows	= {
			/* counts, stopped, PERF_HES_UPTODATE by itself, saved */
			[PERF_COUNTER_COUNTS]	= "yy-y",
			[PERF_COUNTER_STOPPED]	= "yy-y",
			[PERF_HES_UPTODATE]	= "----",
			[PERF_COUNTER_SAVED]	= "y--y",
		},
	},
};

static struct perf_state_table *const state_test_tables[] = {
	&perf_event_state_table,
	&perf_ctx_state_table,
	&perf_rb_state_table,
	&perf_rb_flow_table,
	&perf_aux_state_table,
	&perf_pmu_state_table,
	&perf_counter_state_table,
};

/* Tries one more state than there is, in both directions. */
static void state_test_check_pairs(struct kunit *test,
				   const struct state_test_rules *rules)
{
	const struct perf_state_table *table = rules->table;

	for (unsigned int from = 0; from <= table->nr; from++) {
		for (unsigned int to = 0; to <= table->nr; to++) {
			bool may = from < table->nr && to < table->nr &&
				   rules->rows[from][to] == 'y';

			KUNIT_EXPECT_EQ_MSG(test,
					    perf_state_allowed(table, from, to),
					    may, "%s: %s to %s", table->of,
					    perf_state_name(table, from),
					    perf_state_name(table, to));
		}
	}
}

static void state_test_pairs(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, ARRAY_SIZE(state_test_rules) + 1,
			ARRAY_SIZE(state_test_tables));
	for (int i = 0; i < ARRAY_SIZE(state_test_rules); i++)
		state_test_check_pairs(test, &state_test_rules[i]);
}

/* By state of the context: dead, revoked, exit, error, off, inactive, active. */
static const char *const state_test_together[] = {
	[PERF_CTX_OFFLINE]	= "yyyyyy-",
	[PERF_CTX_ONLINE]	= "yyyyyyy",
	[PERF_CTX_HANDLE]	= "-------",
	[PERF_CTX_UNLOADED]	= "yyyyyy-",
	[PERF_CTX_LOADED]	= "yyyyyyy",
	[PERF_CTX_PARKED]	= "yyyyyy-",
	[PERF_CTX_LENT]		= "yyyyyyy",
	[PERF_CTX_TOMBSTONE]	= "yyyyyy-",
};

static void state_test_check_together(struct kunit *test, unsigned int around,
				      unsigned int inside)
{
	bool may = around < ARRAY_SIZE(state_test_together) &&
		   inside < perf_event_state_table.nr &&
		   state_test_together[around][inside] == 'y';

	KUNIT_EXPECT_EQ_MSG(test,
			    perf_state_together(&perf_ctx_event_table, around,
						inside),
			    may, "%s in %s",
			    perf_state_name(&perf_event_state_table, inside),
			    perf_state_name(&perf_ctx_event_table, around));
}

static void state_test_events_in_contexts(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, perf_ctx_event_table.nr, perf_ctx_state_table.nr);
	for (unsigned int ctx = 0; ctx <= perf_ctx_state_table.nr; ctx++) {
		KUNIT_EXPECT_STREQ(test,
				   perf_state_name(&perf_ctx_event_table, ctx),
				   perf_state_name(&perf_ctx_state_table, ctx));
		for (unsigned int event = 0;
		     event <= perf_event_state_table.nr; event++)
			state_test_check_together(test, ctx, event);
	}
}

static void state_test_check_names(struct kunit *test,
				   const struct perf_state_table *table)
{
	for (unsigned int a = 0; a < table->nr; a++) {
		if (!table->rows[a].name)
			continue;
		for (unsigned int b = 0; b < a; b++)
			KUNIT_EXPECT_STRNEQ(test, perf_state_name(table, a),
					    perf_state_name(table, b));
	}
	KUNIT_EXPECT_STREQ(test, perf_state_name(table, table->nr), "?");
	KUNIT_EXPECT_STREQ(test, perf_state_name(table, -1), "?");
}

static void state_test_names(struct kunit *test)
{
	for (int i = 0; i < ARRAY_SIZE(state_test_tables); i++)
		state_test_check_names(test, state_test_tables[i]);
	KUNIT_EXPECT_STREQ(test, perf_state_name(&perf_counter_state_table,
						 PERF_HES_UPTODATE), "?");
}

/*
 * A table that ends where its array goes on, so that a look behind the end is
 * seen, with a state that may follow in every bit.
 */
static const struct perf_state_row state_test_long_rows[] = {
	{ .name = "first", .to = ~0U },
	{ .name = "second", .to = ~0U },
	{ .name = "third", .to = ~0U },
};

static struct perf_state_table state_test_short_table = {
	.of	= "test",
	.rows	= state_test_long_rows,
	.nr	= 2,
};

static void state_test_end_of_table(struct kunit *test)
{
	const struct perf_state_table *table = &state_test_short_table;

	KUNIT_EXPECT_STREQ(test, perf_state_name(table, 1), "second");
	KUNIT_EXPECT_STREQ(test, perf_state_name(table, 2), "?");
	KUNIT_EXPECT_TRUE(test, perf_state_allowed(table, 0, 1));
	KUNIT_EXPECT_FALSE(test, perf_state_allowed(table, 0, 2));
	KUNIT_EXPECT_FALSE(test, perf_state_allowed(table, 2, 0));
	KUNIT_EXPECT_TRUE(test, perf_state_together(table, 1, 31));
	KUNIT_EXPECT_FALSE(test, perf_state_together(table, 1, 32));
	KUNIT_EXPECT_FALSE(test, perf_state_together(table, 1, 64));
	KUNIT_EXPECT_FALSE(test, perf_state_together(table, 2, 0));
}

/* Each report is a warning, which would fail the test. */
static void state_test_reported_once(struct kunit *test)
{
	state_test_short_table.reported = true;
	perf_state_report(&state_test_short_table, 0, 1);
	perf_state_report_pair(&state_test_short_table, &state_test_short_table,
			       0, 1);
	KUNIT_EXPECT_TRUE(test, state_test_short_table.reported);
}

/* A task's context through a pool, loaded and not, as fork and exit use it. */
static void state_test_ctx_life(struct kunit *test)
{
	struct perf_ctx *ctx = perf_ctx_alloc_task(current), *taken;
	struct perf_family *family = perf_family_alloc(false);
	struct task_struct *task;

	KUNIT_ASSERT_NOT_NULL(test, ctx);
	KUNIT_ASSERT_NOT_NULL(test, family);
	KUNIT_EXPECT_EQ(test, perf_ctx_state(&family->handle), PERF_CTX_HANDLE);
	KUNIT_EXPECT_EQ(test, perf_ctx_state(ctx), PERF_CTX_UNLOADED);

	scoped_guard(raw_spinlock_irq, &ctx->lock) {
		perf_ctx_set_loaded_locked(ctx, smp_processor_id());
		KUNIT_EXPECT_EQ(test, perf_ctx_state(ctx), PERF_CTX_LOADED);
	}
	scoped_guard(mutex, &family->mutex)
		perf_family_add(family, ctx);
	KUNIT_EXPECT_EQ(test, perf_ctx_state(ctx), PERF_CTX_LENT);
	scoped_guard(raw_spinlock_irq, &ctx->lock) {
		perf_ctx_set_loaded_locked(ctx, PERF_CPU_NONE);
		perf_family_park_locked(ctx);
	}
	KUNIT_EXPECT_EQ(test, perf_ctx_state(ctx), PERF_CTX_PARKED);

	scoped_guard(irqsave)
		taken = perf_family_take_oncpu(family);
	KUNIT_EXPECT_PTR_EQ(test, taken, ctx);
	scoped_guard(raw_spinlock_irq, &ctx->lock) {
		perf_ctx_set_loaded_locked(ctx, smp_processor_id());
		KUNIT_EXPECT_EQ(test, perf_ctx_state(ctx), PERF_CTX_LENT);
	}
	scoped_guard(mutex, &family->mutex)
		perf_family_withdraw(ctx);
	KUNIT_EXPECT_EQ(test, perf_ctx_state(ctx), PERF_CTX_LOADED);

	scoped_guard(raw_spinlock_irq, &ctx->lock) {
		perf_ctx_set_loaded_locked(ctx, PERF_CPU_NONE);
		KUNIT_EXPECT_EQ(test, perf_ctx_state(ctx), PERF_CTX_UNLOADED);
		task = perf_ctx_orphan_locked(ctx);
		KUNIT_EXPECT_EQ(test, perf_ctx_state(ctx), PERF_CTX_TOMBSTONE);
	}
	KUNIT_EXPECT_PTR_EQ(test, task, current);
	put_task_struct(task);
	perf_ctx_put(ctx);
	perf_ctx_put(&family->handle);
}

static void state_test_ctx_cpus(struct kunit *test)
{
	int cpu;

	guard(cpus_read_lock)();
	for_each_possible_cpu(cpu)
		KUNIT_EXPECT_EQ(test,
				perf_ctx_state(&per_cpu(perf_cpu_context,
							cpu).ctx),
				cpu_online(cpu) ? PERF_CTX_ONLINE :
						  PERF_CTX_OFFLINE);
}

/* A context that must not be loaded is reported as loaded when it is. */
static void state_test_ctx_wrong(struct kunit *test)
{
	struct perf_ctx *ctx;

	ctx = kunit_kzalloc(test, sizeof(*ctx), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, ctx);
	fake_ctx_init(ctx);
	KUNIT_EXPECT_EQ(test, perf_ctx_state(ctx), PERF_CTX_HANDLE);
	ctx->loaded_cpu = 0;
	KUNIT_EXPECT_EQ(test, perf_ctx_state(ctx), PERF_CTX_LOADED);
	ctx->pub.task = TASK_TOMBSTONE;
	KUNIT_EXPECT_EQ(test, perf_ctx_state(ctx), PERF_CTX_LOADED);
	ctx->loaded_cpu = PERF_CPU_NONE;
	KUNIT_EXPECT_EQ(test, perf_ctx_state(ctx), PERF_CTX_TOMBSTONE);
}

static void state_test_rb_life(struct kunit *test)
{
	struct perf_buffer *rb = perf_rb_alloc(1, 0, -1, PERF_RB_WRITABLE);

	KUNIT_ASSERT_NOT_NULL(test, rb);
	KUNIT_EXPECT_EQ(test, rb->state, PERF_RB_NEW);
	perf_rb_set_state(rb, PERF_RB_MAPPED);
	KUNIT_EXPECT_EQ(test, rb->state, PERF_RB_MAPPED);
	perf_rb_set_state(rb, PERF_RB_UNMAPPED);
	KUNIT_EXPECT_EQ(test, rb->state, PERF_RB_UNMAPPED);
	scoped_guard(rcu) {
		perf_rb_put(rb);
		KUNIT_EXPECT_EQ(test, rb->state, PERF_RB_FREED);
	}
}

static void state_test_rb_flow(struct kunit *test)
{
	struct perf_buffer *rb = perf_rb_alloc(1, 0, -1, PERF_RB_WRITABLE);
	struct perf_buffer *bare = perf_rb_alloc(0, 0, -1, PERF_RB_WRITABLE);

	KUNIT_ASSERT_NOT_NULL(test, rb);
	KUNIT_ASSERT_NOT_NULL(test, bare);
	KUNIT_EXPECT_EQ(test, rb->flow, PERF_RB_FLOWS);
	perf_rb_pause(rb, true);
	KUNIT_EXPECT_EQ(test, rb->flow, PERF_RB_PAUSED);
	perf_rb_pause(rb, false);
	KUNIT_EXPECT_EQ(test, rb->flow, PERF_RB_FLOWS);
	for (int pause = 0; pause < 2; pause++) {
		KUNIT_EXPECT_EQ(test, bare->flow, PERF_RB_BARE);
		perf_rb_pause(bare, pause);
	}
	KUNIT_EXPECT_EQ(test, bare->flow, PERF_RB_BARE);
	perf_rb_put(rb);
	perf_rb_put(bare);
}

/* The state of a PMU is kept only with CONFIG_PERF_EVENTS_DEBUG_STATE. */
static void state_test_expect_pmu(struct kunit *test, struct pmu *pmu,
				  enum perf_pmu_state state)
{
	if (IS_ENABLED(CONFIG_PERF_EVENTS_DEBUG_STATE))
		KUNIT_EXPECT_EQ(test, perf_cpc_oncpu(pmu)->state, state);
	else
		KUNIT_EXPECT_EQ(test, perf_cpc_oncpu(pmu)->state,
				PERF_PMU_ENABLED);
}

static void state_test_pmu_turns(struct kunit *test, struct pmu *pmu)
{
	guard(irqsave)();
	state_test_expect_pmu(test, pmu, PERF_PMU_ENABLED);
	perf_pmu_start_read(pmu);
	state_test_expect_pmu(test, pmu, PERF_PMU_READING);
	perf_pmu_commit_read(pmu);
	state_test_expect_pmu(test, pmu, PERF_PMU_ENABLED);

	perf_pmu_disable(pmu);
	perf_pmu_disable(pmu);
	perf_pmu_enable(pmu);
	state_test_expect_pmu(test, pmu, PERF_PMU_DISABLED);
	perf_pmu_start_add(pmu);
	state_test_expect_pmu(test, pmu, PERF_PMU_ADDING);
	KUNIT_EXPECT_EQ(test, perf_pmu_commit_add(pmu), 0);
	state_test_expect_pmu(test, pmu, PERF_PMU_DISABLED);
	perf_pmu_enable(pmu);
	state_test_expect_pmu(test, pmu, PERF_PMU_ENABLED);
}

/* A commit that is refused leaves the transaction open. */
static void state_test_pmu_refused(struct kunit *test, struct fake_pmu *fake)
{
	guard(irqsave)();
	atomic_set(&fake->refuse_commits, 1);
	perf_pmu_disable(&fake->pmu);
	perf_pmu_start_add(&fake->pmu);
	KUNIT_EXPECT_EQ(test, perf_pmu_commit_add(&fake->pmu), -EAGAIN);
	state_test_expect_pmu(test, &fake->pmu, PERF_PMU_ADDING);
	perf_pmu_cancel_add(&fake->pmu);
	state_test_expect_pmu(test, &fake->pmu, PERF_PMU_DISABLED);
	perf_pmu_enable(&fake->pmu);
}

static void state_test_pmu(struct kunit *test)
{
	struct fake_pmu *fake;

	fake = kunit_kzalloc(test, sizeof(*fake), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, fake);
	KUNIT_ASSERT_EQ(test, fake_pmu_register(fake, "perf_kunit_state"), 0);
	fake_pmu_reset(fake, 1, 1000);
	state_test_pmu_turns(test, &fake->pmu);
	state_test_pmu_refused(test, fake);
	fake_pmu_expect_idle(test, fake);
	fake_pmu_unregister(fake);
}

static void state_test_counter(struct kunit *test)
{
	struct perf_event *event;

	event = kunit_kzalloc(test, sizeof(*event), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, event);
	KUNIT_EXPECT_EQ(test, event->hw.state, PERF_COUNTER_COUNTS);
	perf_swevent_stop(event, PERF_EF_UPDATE);
	KUNIT_EXPECT_EQ(test, event->hw.state, PERF_COUNTER_STOPPED);
	perf_counter_set_state(event, PERF_COUNTER_SAVED);
	KUNIT_EXPECT_EQ(test, event->hw.state, PERF_COUNTER_SAVED);
	perf_swevent_start(event, PERF_EF_RELOAD);
	KUNIT_EXPECT_EQ(test, event->hw.state, PERF_COUNTER_COUNTS);
}

static void state_test_no_fault(struct kunit *test)
{
	for (int i = 0; i < ARRAY_SIZE(state_test_tables); i++)
		KUNIT_EXPECT_FALSE_MSG(test,
				       READ_ONCE(state_test_tables[i]->reported),
				       "%s: see the first trace above",
				       state_test_tables[i]->of);
	KUNIT_EXPECT_FALSE_MSG(test, READ_ONCE(perf_ctx_event_table.reported),
			       "%s: see the first trace above",
			       perf_ctx_event_table.of);
}

static struct kunit_case state_test_cases[] = {
	KUNIT_CASE(state_test_pairs),
	KUNIT_CASE(state_test_events_in_contexts),
	KUNIT_CASE(state_test_names),
	KUNIT_CASE(state_test_end_of_table),
	KUNIT_CASE(state_test_reported_once),
	KUNIT_CASE(state_test_ctx_life),
	KUNIT_CASE(state_test_ctx_cpus),
	KUNIT_CASE(state_test_ctx_wrong),
	KUNIT_CASE(state_test_rb_life),
	KUNIT_CASE(state_test_rb_flow),
	KUNIT_CASE(state_test_pmu),
	KUNIT_CASE(state_test_counter),
	KUNIT_CASE(state_test_no_fault),
	{}
};

static struct kunit_suite state_test_suite = {
	.name		= "perf_state",
	.test_cases	= state_test_cases,
};

kunit_test_suite(state_test_suite);
