// SPDX-License-Identifier: GPL-2.0
/*
 * The guest's program: threads or processes that run in turn, one on each CPU
 *
 * A visitor sleeps by a timer of its own CPU, which fires a slot after that of
 * its neighbour: idle, visitor, idle. In the emulation a CPU runs until it
 * sleeps or a timer is due, so loops on all CPUs at once would not interleave;
 * timers do.
 */
#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "lines.h"

#define NSEC_PER_SEC	1000000000ULL
#define STACK_SIZE	65536
#define FIRST_VISIT	20000000	/* after the start */
#define SETTLED		1200000		/* microseconds until no old work is left */

/* Shared with processes. */
struct control {
	__u32	ready;
	__u32	begin;
	__u32	done;
	__u32	leave;
	__u64	from;
};

struct visitor *visitors;
unsigned int nr_visitors;
static struct control *control;
static const struct plan *plan;

void futex_wait(__u32 *word, __u32 value)
{
	while (__atomic_load_n(word, __ATOMIC_ACQUIRE) == value)
		syscall(SYS_futex, word, FUTEX_WAIT, value, NULL, NULL, 0);
}

void futex_set(__u32 *word, __u32 value)
{
	__atomic_store_n(word, value, __ATOMIC_RELEASE);
	syscall(SYS_futex, word, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

__u64 clock_now(void)
{
	struct timespec at;

	clock_gettime(CLOCK_MONOTONIC, &at);
	return at.tv_sec * NSEC_PER_SEC + at.tv_nsec;
}

static void sleep_until(__u64 at)
{
	struct timespec time = { at / NSEC_PER_SEC, at % NSEC_PER_SEC };

	clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, NULL);
}

static void *shared_memory(size_t size)
{
	void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
			    -1, 0);

	if (memory == MAP_FAILED)
		die("mmap");
	return memory;
}

/* Memory for one visitor on each CPU. */
void visitors_alloc(void)
{
	nr_visitors = cpus_online();
	visitors = shared_memory(MAX_VISITORS * sizeof(*visitors));
	control = shared_memory(sizeof(*control));
	for (unsigned int i = 0; i < nr_visitors; i++)
		visitors[i].cpu = i;
}

static void begin_together(struct visitor *me)
{
	pin(me->cpu);
	if (plan->prepare)
		plan->prepare(me);
	__atomic_add_fetch(&control->ready, 1, __ATOMIC_SEQ_CST);
	futex_wait(&control->begin, 0);
}

/* The exit is not measured: it waits for all others. */
static void end_together(void)
{
	if (__atomic_add_fetch(&control->done, 1, __ATOMIC_SEQ_CST) == nr_visitors)
		futex_set(&control->done, nr_visitors);
	futex_wait(&control->leave, 0);
}

/*
 * The first visitor begins the regions: those that warm the caches, and then
 * the row's.
 */
static void mark_visit(const struct visitor *me, unsigned int round, unsigned int which)
{
	if (me->cpu || (!plan->second && round && round != plan->warm))
		mark_next();
	else
		mark_start(round < plan->warm ? WARM_UP : region_of_row(which));
}

static void *visit(void *arg)
{
	unsigned int visits = plan->second ? 2 : 1;
	struct visitor *me = arg;
	__u64 at, slots;

	begin_together(me);
	for (unsigned int i = 0; i < plan->rounds * visits; i++) {
		slots = (__u64)i * nr_visitors + me->cpu;
		at = control->from + FIRST_VISIT + slots * plan->slot;
		sleep_until(at);
		mark_visit(me, i / visits, i % visits);
		(i % visits ? plan->second : plan->visit)(me, at);
	}
	end_together();
	return NULL;
}

/* Each visitor wakes its neighbour on the next CPU, and sleeps. */
static void *visit_in_ring(void *arg)
{
	struct visitor *me = arg, *next = &visitors[(me->cpu + 1) % nr_visitors];

	begin_together(me);
	if (!me->cpu)
		me->turn = 1;
	for (unsigned int i = 0; i < plan->rounds; i++) {
		futex_wait(&me->turn, i);
		mark_visit(me, i, 0);
		futex_set(&next->turn, me->cpu == nr_visitors - 1 ? i + 2 : i + 1);
	}
	end_together();
	return NULL;
}

static void start_visitors(pthread_t *threads, void *(*body)(void *arg))
{
	pthread_attr_t attr;

	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, STACK_SIZE);
	for (unsigned int i = 0; i < nr_visitors; i++) {
		if (!plan->processes) {
			if (pthread_create(&threads[i], &attr, body, &visitors[i]))
				die("pthread_create");
		} else if (!fork()) {
			body(&visitors[i]);
			_exit(0);
		}
	}
}

static void run(const struct plan *what, void *(*body)(void *arg))
{
	pthread_t threads[MAX_VISITORS];
	__u32 done;

	plan = what;
	start_visitors(threads, body);
	while (__atomic_load_n(&control->ready, __ATOMIC_SEQ_CST) < nr_visitors)
		usleep(1000);
	usleep(SETTLED);
	control->from = clock_now();
	futex_set(&control->begin, 1);
	while ((done = __atomic_load_n(&control->done, __ATOMIC_SEQ_CST)) < nr_visitors)
		futex_wait(&control->done, done);
	mark_stop();
	futex_set(&control->leave, 1);
	for (unsigned int i = 0; i < nr_visitors; i++) {
		if (what->processes)
			wait(NULL);
		else
			pthread_join(threads[i], NULL);
	}
}

/**
 * visitors_run - run a plan by timers, after visitors_alloc()
 * @what:	the plan
 */
void visitors_run(const struct plan *what)
{
	run(what, visit);
}

/**
 * visitors_ring - each visitor wakes the next one
 * @what:	the plan; its visits and slots are not used
 */
void visitors_ring(const struct plan *what)
{
	run(what, visit_in_ring);
}
