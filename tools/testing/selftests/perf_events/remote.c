// SPDX-License-Identifier: GPL-2.0
/*
 * Calls on events of tasks that run, sleep, move between CPUs and exit meanwhile: each takes
 * effect once, before it returns.
 *
 *	remote [MILLISECONDS]
 *
 * Tasks touch pages of their own, and say before and after each how many they touched.
 * Callers have events of their own that count the page faults of one of these tasks. So a
 * caller knows bounds of what its event may count between two of its calls.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "perf_books.h"
#include "perf_lib.h"

#define TARGETS		3
#define CALLERS		4
#define EVENTS		3
#define PAGES		16

/* Faults of a task outside its pages: on its stack, in the program's text. */
#define OTHER_FAULTS	8

struct target {
	pthread_t thread;
	pid_t tid;
	__u64 random;
	char *pages;
	/* Touches that have begun, and that have ended */
	__u64 begun;
	__u64 ended;
};

/**
 * struct watched - an event, and bounds of its count
 * @fd: the event
 * @target: task whose faults it counts
 * @enabled: the state that the last call asked for
 * @last: result of the last read
 * @least: lower bound of the count when it was last disabled
 * @most: upper bound of that count
 * @least_from: touches that had begun when the last enable had returned
 * @most_from: touches that had ended before that enable
 * @since: time before the event was opened, in ns
 */
struct watched {
	int fd;
	struct target *target;
	bool enabled;
	struct timed_count last;
	__u64 least;
	__u64 most;
	__u64 least_from;
	__u64 most_from;
	__u64 since;
};

struct caller {
	pthread_t thread;
	__u64 random;
	__u64 calls;
	struct watched event[EVENTS];
};

static struct target targets[TARGETS];
static struct caller callers[CALLERS];
static unsigned int ready;
static bool stop_targets, stop_callers;
static unsigned int msec = 400;
static int cpus[2];

static __u64 load(const __u64 *at)
{
	return __atomic_load_n(at, __ATOMIC_SEQ_CST);
}

/* The tasks. */

static void touch(struct target *target)
{
	size_t page = sysconf(_SC_PAGESIZE);
	unsigned int i;

	madvise(target->pages, PAGES * page, MADV_DONTNEED);
	for (i = 0; i < PAGES; i++) {
		__atomic_fetch_add(&target->begun, 1, __ATOMIC_SEQ_CST);
		__atomic_store_n(&target->pages[i * page], 1, __ATOMIC_RELAXED);
		__atomic_fetch_add(&target->ended, 1, __ATOMIC_SEQ_CST);
	}
}

static void move(struct target *target)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpus[rnd(&target->random, 2)], &set);
	if (rnd(&target->random, 3) == 0)
		CPU_SET(cpus[1], &set);
	sched_setaffinity(0, sizeof(set), &set);
}

static void *live(void *arg)
{
	struct target *target = arg;

	target->tid = syscall(SYS_gettid);
	touch(target);
	__atomic_fetch_add(&ready, 1, __ATOMIC_SEQ_CST);
	while (!__atomic_load_n(&stop_targets, __ATOMIC_SEQ_CST)) {
		touch(target);
		switch (rnd(&target->random, 8)) {
		case 0:
			usleep(rnd(&target->random, 300));
			break;
		case 1:
		case 2:
			move(target);
			break;
		case 3:
			sched_yield();
			break;
		default:
			burn(rnd(&target->random, 2000));
		}
	}
	return NULL;
}

/* The callers. */

static struct perf_event_attr faults_attr(bool inherit)
{
	struct perf_event_attr attr = sw_attr(PERF_COUNT_SW_PAGE_FAULTS);

	attr.disabled = 1;
	attr.inherit = inherit;
	attr.exclude_kernel = 1;
	attr.exclude_hv = 1;
	attr.read_format = FORMAT_TIMES;
	return attr;
}

/* An open may fail because the task has exited. */
static void open_watched(struct caller *caller, struct watched *w)
{
	struct target *target = &targets[rnd(&caller->random, TARGETS)];
	struct perf_event_attr attr = faults_attr(rnd(&caller->random, 2));

	*w = (struct watched) { .target = target, .since = now_ns() };
	w->fd = perf_open(&attr, target->tid, -1, -1, 0);
	EXPECT(w->fd >= 0 || errno == ESRCH, "open: %s", strerror(errno));
}

static void expect_bounds(const struct watched *w, const struct timed_count *count,
			  __u64 least, __u64 most)
{
	EXPECT(count->value >= least && count->value <= most + OTHER_FAULTS,
	       "%llu faults counted, of %llu to %llu", count->value, least, most);
	EXPECT(count->value >= w->last.value && count->enabled >= w->last.enabled &&
	       count->running >= w->last.running,
	       "from %llu, %llu, %llu to %llu, %llu, %llu", w->last.value,
	       w->last.enabled, w->last.running, count->value, count->enabled,
	       count->running);
	EXPECT(count->running <= count->enabled &&
	       count->enabled <= now_ns() - w->since + NSEC_PER_MSEC,
	       "enabled for %llu ns, running for %llu, open for %llu", count->enabled,
	       count->running, now_ns() - w->since);
}

static void call_read(struct watched *w)
{
	struct target *target = w->target;
	struct timed_count count;
	__u64 ended = load(&target->ended);

	count = read_timed(w->fd);
	if (w->enabled)
		expect_bounds(w, &count,
			      w->least + (ended > w->least_from ? ended - w->least_from : 0),
			      w->most + load(&target->begun) - w->most_from);
	else
		expect_bounds(w, &count, w->least, w->most);
	w->last = count;
}

/* The event may be enabled already. */
static void call_enable(struct watched *w)
{
	__u64 ended = load(&w->target->ended);

	event_enable(w->fd);
	if (w->enabled)
		return;
	w->enabled = true;
	w->most_from = ended;
	w->least_from = load(&w->target->begun);
}

static void call_disable(struct watched *w)
{
	struct timed_count first, second;
	__u64 ended = load(&w->target->ended);

	event_disable(w->fd);
	if (w->enabled) {
		w->enabled = false;
		if (ended > w->least_from)
			w->least += ended - w->least_from;
		w->most += load(&w->target->begun) - w->most_from;
	}
	first = read_timed(w->fd);
	expect_bounds(w, &first, w->least, w->most);
	sched_yield();
	second = read_timed(w->fd);
	EXPECT(first.value == second.value && first.enabled == second.enabled &&
	       first.running == second.running,
	       "disabled, but from %llu, %llu, %llu to %llu, %llu, %llu", first.value,
	       first.enabled, first.running, second.value, second.enabled,
	       second.running);
	/* Now the count is known exactly. */
	w->last = second;
	w->least = second.value;
	w->most = second.value;
}

static void call_reset(struct watched *w)
{
	struct timed_count count;

	call_disable(w);
	event_reset(w->fd);
	count = read_timed(w->fd);
	EXPECT(!count.value, "%llu after a reset", count.value);
	w->last.value = 0;
	w->least = 0;
	w->most = 0;
}

/* Two calls that cancel each other. */
static void call_twice(struct watched *w)
{
	call_enable(w);
	call_disable(w);
}

static void call_close(struct caller *caller, struct watched *w)
{
	call_read(w);
	close(w->fd);
	open_watched(caller, w);
}

static void call_any(struct caller *caller)
{
	struct watched *w = &caller->event[rnd(&caller->random, EVENTS)];

	caller->calls++;
	if (w->fd < 0)
		return open_watched(caller, w);
	switch (rnd(&caller->random, 12)) {
	case 0:
		return call_close(caller, w);
	case 1:
		return call_reset(w);
	case 2:
	case 3:
		return call_twice(w);
	case 4:
	case 5:
	case 6:
		return call_disable(w);
	case 7:
	case 8:
	case 9:
		return call_enable(w);
	default:
		return call_read(w);
	}
}

static void *make_calls(void *arg)
{
	struct caller *caller = arg;
	struct watched *w;

	for (w = caller->event; w < caller->event + EVENTS; w++)
		open_watched(caller, w);
	while (!__atomic_load_n(&stop_callers, __ATOMIC_SEQ_CST))
		call_any(caller);
	for (w = caller->event; w < caller->event + EVENTS; w++) {
		if (w->fd < 0)
			continue;
		call_disable(w);
		close(w->fd);
	}
	return NULL;
}

static void join_all(void)
{
	int i;

	for (i = 0; i < TARGETS; i++)
		pthread_join(targets[i].thread, NULL);
	/* Calls on events whose task has exited. */
	usleep(msec * 200);
	__atomic_store_n(&stop_callers, true, __ATOMIC_SEQ_CST);
	for (i = 0; i < CALLERS; i++)
		pthread_join(callers[i].thread, NULL);
}

static void start(__u64 seed)
{
	size_t size = PAGES * sysconf(_SC_PAGESIZE);
	int i;

	for (i = 0; i < TARGETS; i++) {
		targets[i].random = rnd_seed(seed + i);
		targets[i].pages = mmap(NULL, size, PROT_READ | PROT_WRITE,
					MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		CHECK(targets[i].pages != MAP_FAILED, "mmap");
		madvise(targets[i].pages, size, MADV_NOHUGEPAGE);
		CHECK(!pthread_create(&targets[i].thread, NULL, live, &targets[i]),
		      "no thread");
	}
	while (__atomic_load_n(&ready, __ATOMIC_SEQ_CST) < TARGETS)
		usleep(1000);
	for (i = 0; i < CALLERS; i++) {
		callers[i].random = rnd_seed(seed + TARGETS + i);
		CHECK(!pthread_create(&callers[i].thread, NULL, make_calls, &callers[i]),
		      "no thread");
	}
}

static void test_exact(void)
{
	static struct books before;
	__u64 seed = now_ns(), calls = 0;
	int i;

	printf("# seed %llu\n", (unsigned long long)seed);
	cpus[0] = first_cpu();
	cpus[1] = second_cpu();
	open_books(&before);
	start(seed);
	usleep(msec * 1000);
	__atomic_store_n(&stop_targets, true, __ATOMIC_SEQ_CST);
	join_all();
	for (i = 0; i < CALLERS; i++)
		calls += callers[i].calls;
	CHECK(calls >= CALLERS * EVENTS, "only %llu calls", calls);
	printf("# %llu calls\n", (unsigned long long)calls);
	expect_balance(&before);
}

int main(int argc, char **argv)
{
	static const struct test_case cases[] = {
		{ "calls take effect once: first round", test_exact },
		{ "calls take effect once: second round", test_exact },
		{ "calls take effect once: third round", test_exact },
		{ "calls take effect once: fourth round", test_exact },
	};

	if (argc > 1)
		msec = atoi(argv[1]);
	tests_begin(ARRAY_SIZE(cases));
	tests_run(cases, ARRAY_SIZE(cases));
	tests_end();
}
