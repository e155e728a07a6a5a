// SPDX-License-Identifier: GPL-2.0
/*
 * Drivers of trace units differ in when they begin and end an output. With each
 * of them, an area can be unmapped, a descriptor closed, a task can exit, and
 * the PMU can be unregistered, while the trace is active.
 *
 * The module perf_test_aux imitates hisi_ptt, arm_spe, CoreSight ETM,
 * intel_bts, intel_pt and the s390 cpum_sf. Without it all cases are skipped.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include "perf_lib.h"
#include "test_pmu.h"

#define MODULE		"perf_test_aux"
#define RW		(PROT_READ | PROT_WRITE)

#define STRICT		1
#define MANNER_SHIFT	8
#define STEP		100
#define DATA_PAGES	4
#define AREA_PAGES	4
/* Ten times the shortest period of cpu-clock. */
#define PERIOD_NS	100000
#define THROTTLINGS	5
#define ROUNDS		20

/* In the order of enum trace_manner. */
static const char *const manners[] = {
	"hisi_ptt", "arm_spe", "etm", "intel_bts", "intel_pt", "cpum_sf",
};

#define PTT	0
#define SF	5

static size_t page_size;

/* A group of a clock that samples and a trace, on the calling task. */
struct trace {
	unsigned int manner;
	int clock;
	int fd;
	struct perf_ring *clock_ring;
	struct perf_ring *ring;
	void *area;
	size_t size;
};

/* How a group is made. */
struct shape {
	unsigned int manner;
	bool leads;
	int prot;
};

static long parameter(const char *name)
{
	return test_module_parameter(MODULE, name);
}

static void expect_clean(const struct trace *trace)
{
	EXPECT(parameter("areas") == 0, "%s: the driver has %ld areas",
	       manners[trace->manner], parameter("areas"));
	EXPECT(parameter("faults") == 0, "%s: %ld faults",
	       manners[trace->manner], parameter("faults"));
}

static struct perf_event_attr trace_attr(unsigned int manner)
{
	struct perf_event_attr attr = make_attr(pmu_type(MODULE), 0);

	attr.config = (__u64)manner << MANNER_SHIFT | (manner ? STRICT : 0);
	attr.config1 = STEP;
	attr.read_format = FORMAT_TIMES;
	return attr;
}

static struct perf_event_attr clock_attr(void)
{
	struct perf_event_attr attr = sw_attr(PERF_COUNT_SW_CPU_CLOCK);

	attr.sample_period = PERIOD_NS;
	attr.sample_type = PERF_SAMPLE_IP;
	attr.read_format = FORMAT_TIMES;
	return attr;
}

static void map_area(struct trace *trace, size_t pages, int prot)
{
	struct perf_event_mmap_page *page = trace->ring->page;

	trace->size = pages * page_size;
	page->aux_offset = trace->ring->map_size;
	page->aux_size = trace->size;
	trace->area = mmap(NULL, trace->size, prot, MAP_SHARED, trace->fd,
			   page->aux_offset);
	CHECK(trace->area != MAP_FAILED, "%s: area: %s",
	      manners[trace->manner], strerror(errno));
}

static void unmap_area(struct trace *trace)
{
	CHECK(!munmap(trace->area, trace->size), "munmap: %s", strerror(errno));
}

static struct trace open_trace(const struct shape *shape)
{
	struct perf_event_attr attr = trace_attr(shape->manner);
	struct perf_event_attr clock = clock_attr();
	struct trace trace = { .manner = shape->manner };

	page_size = sysconf(_SC_PAGESIZE);
	attr.disabled = shape->leads;
	clock.disabled = !shape->leads;
	if (shape->leads) {
		trace.fd = open_self(&attr);
		trace.clock = open_sibling(&clock, trace.fd);
	} else {
		trace.clock = open_self(&clock);
		trace.fd = open_sibling(&attr, trace.clock);
	}
	trace.clock_ring = ring_map(trace.clock, DATA_PAGES);
	trace.ring = ring_map(trace.fd, DATA_PAGES);
	map_area(&trace, AREA_PAGES, shape->prot);
	return trace;
}

static void close_trace(struct trace *trace)
{
	ring_unmap(trace->ring);
	ring_unmap(trace->clock_ring);
	close(trace->fd);
	close(trace->clock);
}

static void group_ioctl(const struct trace *trace, unsigned long request)
{
	CHECK(!ioctl(trace->fd, request, PERF_IOC_FLAG_GROUP), "ioctl: %s",
	      strerror(errno));
}

static __u64 head(const struct trace *trace)
{
	return __atomic_load_n(&trace->ring->page->aux_head, __ATOMIC_ACQUIRE);
}

/* Reads the event, which advances the trace, and consumes what there is. */
static void produce(const struct trace *trace)
{
	read_timed(trace->fd);
	__atomic_store_n(&trace->ring->page->aux_tail, head(trace),
			 __ATOMIC_RELEASE);
}

static bool goes_on(const struct trace *trace)
{
	__u64 before = head(trace);

	produce(trace);
	return head(trace) != before;
}

static void expect_trace(const struct trace *trace, const char *when)
{
	EXPECT(goes_on(trace), "%s: no trace %s", manners[trace->manner], when);
}

/* One round of a test, for each kind of driver and of group. */
static void run_each_shape(void (*run)(const struct shape *shape))
{
	struct shape shape;

	test_module_need(MODULE);
	for (shape.manner = 0; shape.manner < ARRAY_SIZE(manners);
	     shape.manner++) {
		for (int i = 0; i < 4; i++) {
			shape.leads = i & 1;
			shape.prot = i & 2 ? PROT_READ : RW;
			run(&shape);
		}
	}
}

/* The group is throttled because the clock is too fast, and then continues. */
static void throttle(const struct shape *shape)
{
	struct trace trace = open_trace(shape);
	struct perf_ring *leaders = shape->leads ? trace.ring :
						   trace.clock_ring;
	unsigned int throttlings = 0;
	__u64 enabled;

	group_ioctl(&trace, PERF_EVENT_IOC_ENABLE);
	enabled = now_ns();
	while (throttlings < THROTTLINGS) {
		CHECK(now_ns() - enabled < 5 * NSEC_PER_SEC,
		      "%s: throttled %u times", manners[shape->manner],
		      throttlings);
		burn_ms(2);
		expect_trace(&trace, "in a throttled group");
		throttlings += ring_count(leaders, PERF_RECORD_THROTTLE);
		ring_skip_all(trace.clock_ring);
	}
	group_ioctl(&trace, PERF_EVENT_IOC_DISABLE);
	unmap_area(&trace);
	expect_clean(&trace);
	close_trace(&trace);
}

static void throttled(void)
{
	test_module_need(MODULE);
	need_low_rate();
	run_each_shape(throttle);
}

/* A count that stops is no proof: the event may be throttled until the tick. */
static void burn_until_off(int fd)
{
	__u64 enabled;

	do {
		enabled = read_timed(fd).enabled;
		burn_ms(1);
	} while (read_timed(fd).enabled != enabled);
}

/* At its limit the clock is disabled; as the leader it stops the trace too. */
static void refresh(const struct shape *shape)
{
	struct trace trace = open_trace(shape);

	group_ioctl(&trace, PERF_EVENT_IOC_ENABLE);
	for (int i = 0; i < ROUNDS / 4; i++) {
		CHECK(!ioctl(trace.clock, PERF_EVENT_IOC_REFRESH, 3),
		      "REFRESH: %s", strerror(errno));
		burn_until_off(trace.clock);
		produce(&trace);
		event_enable(trace.clock);
		expect_trace(&trace, "after a limit");
	}
	unmap_area(&trace);
	expect_clean(&trace);
	close_trace(&trace);
}

static void refreshed(void)
{
	run_each_shape(refresh);
}

static void toggle(const struct shape *shape)
{
	struct trace trace = open_trace(shape);

	group_ioctl(&trace, PERF_EVENT_IOC_ENABLE);
	for (int i = 0; i < ROUNDS; i++) {
		int fd = i % 3 ? trace.fd : trace.clock;

		event_disable(fd);
		produce(&trace);
		event_enable(fd);
		expect_trace(&trace, "when it is on again");
	}
	unmap_area(&trace);
	expect_clean(&trace);
	close_trace(&trace);
}

static void toggled(void)
{
	run_each_shape(toggle);
}

static void unmap(const struct shape *shape)
{
	struct trace trace = open_trace(shape);

	group_ioctl(&trace, PERF_EVENT_IOC_ENABLE);
	for (int i = 0; i < ROUNDS; i++) {
		expect_trace(&trace, "with a new area");
		unmap_area(&trace);
		expect_clean(&trace);
		produce(&trace);
		map_area(&trace, AREA_PAGES, shape->prot);
		group_ioctl(&trace, PERF_EVENT_IOC_DISABLE);
		group_ioctl(&trace, PERF_EVENT_IOC_ENABLE);
	}
	unmap_area(&trace);
	expect_clean(&trace);
	close_trace(&trace);
}

static void unmapped(void)
{
	run_each_shape(unmap);
}

/* The event is closed first; then only the area holds a reference on it. */
static void close_first(const struct shape *shape)
{
	struct trace trace = open_trace(shape);

	group_ioctl(&trace, PERF_EVENT_IOC_ENABLE);
	expect_trace(&trace, "before the end");
	close_trace(&trace);
	unmap_area(&trace);
	expect_clean(&trace);
}

static void closed(void)
{
	run_each_shape(close_first);
}

static void trace_until_end(void *arg)
{
	struct trace trace = open_trace(arg);

	group_ioctl(&trace, PERF_EVENT_IOC_ENABLE);
	burn_ms(1);
	expect_trace(&trace, "before the end");
}

static void leave(const struct shape *shape)
{
	struct trace trace = { .manner = shape->manner };
	struct shape copy = *shape;

	run_child(trace_until_end, &copy);
	expect_clean(&trace);
}

static void left(void)
{
	run_each_shape(leave);
}

static void burn_on(void *arg)
{
	pin_to_cpu(*(int *)arg);
	while (1)
		burn(1000);
}

/* The area is unmapped while a child writes there, or after it was killed. */
static void inherit(const struct shape *shape)
{
	struct perf_event_attr attr = trace_attr(shape->manner);
	struct trace trace = { .manner = shape->manner };
	bool traced = false, kill_first = shape->leads;
	struct helper helper;
	int cpu = first_cpu();

	page_size = sysconf(_SC_PAGESIZE);
	pin_to_cpu(second_cpu());
	attr.inherit = 1;
	attr.disabled = 0;
	trace.fd = open_on(&attr, 0, cpu, -1);
	trace.ring = ring_map(trace.fd, DATA_PAGES);
	map_area(&trace, AREA_PAGES, shape->prot);
	helper = helper_start(burn_on, &cpu);
	helper_go(&helper);
	for (int i = 0; i < 1000 && !traced; i++) {
		usleep(1000);
		traced = goes_on(&trace);
	}
	EXPECT(traced, "%s: no trace of a child", manners[shape->manner]);
	if (!kill_first)
		unmap_area(&trace);
	kill(helper.pid, SIGKILL);
	waitpid(helper.pid, NULL, 0);
	if (kill_first)
		unmap_area(&trace);
	expect_clean(&trace);
	ring_unmap(trace.ring);
	close(trace.fd);
}

static void inherited(void)
{
	run_each_shape(inherit);
}

/* Redirects an active event into another buffer, and into none. */
static void redirect(const struct shape *shape)
{
	struct perf_event_attr attr = trace_attr(shape->manner);
	struct trace from, to;
	int fd;

	from = open_trace(shape);
	to = open_trace(shape);
	fd = open_self(&attr);
	for (int i = 0; i < ROUNDS; i++) {
		event_set_output(fd, i & 1 ? from.fd : to.fd);
		event_disable(fd);
		event_enable(fd);
		read_timed(fd);
		event_set_output(fd, i & 1 ? to.fd : -1);
		read_timed(fd);
	}
	unmap_area(&from);
	unmap_area(&to);
	expect_clean(&from);
	close(fd);
	close_trace(&from);
	close_trace(&to);
}

static void redirected(void)
{
	run_each_shape(redirect);
}

static void pull(const struct shape *shape)
{
	struct trace trace = open_trace(shape);

	group_ioctl(&trace, PERF_EVENT_IOC_ENABLE);
	expect_trace(&trace, "before the PMU goes");
	test_module_register(MODULE, false);
	expect_clean(&trace);
	unmap_area(&trace);
	close_trace(&trace);
	test_module_register(MODULE, true);
}

static void pulled(void)
{
	run_each_shape(pull);
}

/* cpum_sf begins an output for a page, refuses the event, and forgets both. */
static void forgotten(void)
{
	struct shape shape = { .manner = SF, .prot = RW };
	struct trace trace;
	__u64 before;

	test_module_need(MODULE);
	for (int i = 0; i < ROUNDS; i++) {
		trace = open_trace(&shape);
		unmap_area(&trace);
		map_area(&trace, 1, RW);
		group_ioctl(&trace, PERF_EVENT_IOC_ENABLE);
		before = read_timed(trace.fd).running;
		burn_ms(1);
		EXPECT(read_timed(trace.fd).running == before, "it runs");
		if (i & 1)
			unmap_area(&trace);
		close_trace(&trace);
		if (!(i & 1))
			unmap_area(&trace);
		expect_clean(&trace);
	}
}

/* The same, but the event is closed before the area is unmapped. */
static void forgotten_by_closed(void)
{
	struct shape shape = { .manner = SF, .prot = RW };
	struct perf_event_attr attr;
	struct trace trace;
	int fd;

	test_module_need(MODULE);
	attr = trace_attr(SF);
	for (int i = 0; i < ROUNDS; i++) {
		trace = open_trace(&shape);
		unmap_area(&trace);
		map_area(&trace, 1, RW);
		fd = open_self(&attr);
		event_set_output(fd, trace.fd);
		event_enable(fd);
		close(fd);
		burn_ms(1);
		unmap_area(&trace);
		expect_clean(&trace);
		close_trace(&trace);
	}
}

/* A trace that ends only in pmu::del is disabled when its area has gone. */
static void ends_late(void)
{
	struct shape shape = { .manner = SF, .prot = RW };
	struct trace trace;
	__u64 enabled;

	test_module_need(MODULE);
	trace = open_trace(&shape);
	group_ioctl(&trace, PERF_EVENT_IOC_ENABLE);
	unmap_area(&trace);
	enabled = read_timed(trace.fd).enabled;
	burn_ms(2);
	EXPECT(read_timed(trace.fd).enabled == enabled, "it is enabled");
	expect_clean(&trace);

	/* Other drivers' events stay active, without a trace. */
	shape.manner = PTT;
	trace = open_trace(&shape);
	group_ioctl(&trace, PERF_EVENT_IOC_ENABLE);
	unmap_area(&trace);
	enabled = read_timed(trace.fd).running;
	burn_ms(2);
	EXPECT(read_timed(trace.fd).running > enabled, "it does not run");
	expect_clean(&trace);
}

static const struct test_case cases[] = {
	{ "a group is throttled", throttled },
	{ "a limit is reached", refreshed },
	{ "off and on", toggled },
	{ "unmapped while it is on", unmapped },
	{ "closed while it is on", closed },
	{ "a task exits while it is on", left },
	{ "a child's trace", inherited },
	{ "redirected while it is on", redirected },
	{ "the PMU goes while it is on", pulled },
	{ "an output that the driver forgets", forgotten },
	{ "an output that a closed event has left", forgotten_by_closed },
	{ "what is off without its area", ends_late },
};

int main(void)
{
	tests_begin(ARRAY_SIZE(cases));
	tests_run(cases, ARRAY_SIZE(cases));
	tests_end();
}
