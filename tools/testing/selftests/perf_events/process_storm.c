// SPDX-License-Identifier: GPL-2.0
/*
 * Unrelated processes share events: they pass descriptors over sockets, so that
 * an event that one process opens is mapped, redirected, grouped, traced and
 * closed by others, while the first one exits or executes another program.
 * Opens fail at each step, dry runs come in between, and PMUs are unregistered.
 * In the end all counts must be as before, and all processes must have ended.
 *
 *   process_storm [SECONDS [WORKERS [SEED]]]
 *
 * Each worker has one life after another. The operations of a life follow from
 * the seed, the worker and the number of the life. Half of them are root.
 *
 * CONFIG_PERF_EVENTS_DEBUG_DELAY makes the kernel wait between steps of races.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include "bad_calls.h"
#include "event_slot.h"
#include "perf_books.h"
#include "perf_lib.h"
#include "storm.h"
#include "test_pmu.h"

#define MIN_WORKERS	4
#define MAX_WORKERS	32
#define NR_SLOTS	8

/* Rounds of a duel: one maps and unmaps the target of the others' output. */
#define DUEL_ROUNDS	16

/* attr.config of perf_test_aux: which drivers it imitates. */
#define TRACE_MANNER_SHIFT	8
#define TRACE_MANNERS		6

#define SAMPLE_RATE	"/proc/sys/kernel/perf_event_max_sample_rate"
#define DELAY_US	"/sys/module/perf_events/parameters/delay_us"

struct worker {
	__u64 random;
	unsigned int nr;
	bool is_root;
	/* The same for all lives of a worker. */
	int inbox;
	struct slot slot[NR_SLOTS];
	pid_t child;
};

/* Of all processes. */
static struct shared {
	struct storm storm;
	pid_t pid[MAX_WORKERS];
	__u64 lives;
	__u64 pulled;
	int wrong_flaw;
} *shared;

static unsigned int nr_workers = 6;
static int outbox[MAX_WORKERS];
static int inbox[MAX_WORKERS];
static bool has_pmu, has_trace;

static unsigned int draw(struct worker *w, unsigned int below)
{
	return rnd(&w->random, below);
}

static bool one_in(struct worker *w, unsigned int n)
{
	return !draw(w, n);
}

/* Slots. */

static struct slot *draw_slot(struct worker *w)
{
	return &w->slot[draw(w, NR_SLOTS)];
}

/* Return: a slot in use if a few tries find one, else NULL. */
static struct slot *draw_event(struct worker *w)
{
	struct slot *slot = draw_slot(w);
	int tries;

	for (tries = 0; tries < 4 && slot->fd < 0; tries++)
		slot = draw_slot(w);
	return slot->fd < 0 ? NULL : slot;
}

static struct slot *draw_tracer(struct worker *w)
{
	struct slot *slot = draw_event(w);
	int tries;

	for (tries = 0; tries < 8 && slot && !slot->item.traces; tries++)
		slot = draw_event(w);
	return slot;
}

static int draw_fd(struct worker *w)
{
	struct slot *slot = draw_event(w);

	return slot ? slot->fd : -1;
}

/* Empties a slot; its mappings stay or go. */
static struct slot *empty_slot(struct worker *w)
{
	struct slot *slot = draw_slot(w);

	if (one_in(w, 2)) {
		unmap_aux(slot);
		unmap_data(slot);
	}
	close_slot(slot);
	return slot;
}

/* Opening. */

static struct perf_event_attr draw_software(struct worker *w)
{
	static const __u64 kinds[] = {
		PERF_COUNT_SW_DUMMY, PERF_COUNT_SW_TASK_CLOCK,
		PERF_COUNT_SW_CPU_CLOCK, PERF_COUNT_SW_PAGE_FAULTS,
		PERF_COUNT_SW_CONTEXT_SWITCHES,
	};
	__u64 kind = kinds[draw(w, ARRAY_SIZE(kinds))];
	struct perf_event_attr attr = sw_attr(kind);

	if (kind == PERF_COUNT_SW_PAGE_FAULTS)
		attr.sample_period = 1;
	else if (one_in(w, 3))
		attr.sample_period = 10000000;
	return attr;
}

static struct perf_event_attr draw_hardware(struct worker *w)
{
	struct perf_event_attr attr = hw_attr(one_in(w, 2) ?
					      PERF_COUNT_HW_INSTRUCTIONS :
					      PERF_COUNT_HW_CPU_CYCLES);

	/* Samples are slow where the hardware is emulated. */
	if (one_in(w, 4))
		attr.sample_period = 10000000 + draw(w, 10000000);
	return attr;
}

/* A PMU has a new type after each registration. */
static bool find_pmu(const char *pmu, struct perf_event_attr *attr)
{
	char path[128];
	long type;

	snprintf(path, sizeof(path), EVENT_SOURCES "/%s/type", pmu);
	type = read_long(path);
	*attr = make_attr(type, 0);
	return type >= 0;
}

static struct perf_event_attr draw_pullable(struct worker *w)
{
	struct perf_event_attr attr;

	if (!has_pmu || !find_pmu("perf_test", &attr))
		return draw_software(w);
	attr.config = draw(w, 3);
	return attr;
}

/* Each read of the event produces a piece of trace. */
static bool draw_trace(struct worker *w, struct perf_event_attr *attr)
{
	if (!has_trace || !find_pmu("perf_test_aux", attr))
		return false;
	attr->config = one_in(w, 4);
	if (!one_in(w, 4))
		attr->config |= draw(w, TRACE_MANNERS) << TRACE_MANNER_SHIFT;
	attr->config1 = 64 + draw(w, 6000);
	return true;
}

static struct perf_event_attr draw_kind(struct worker *w)
{
	struct perf_event_attr attr;

	switch (draw(w, 8)) {
	case 0:
		return draw_pullable(w);
	case 1:
	case 2:
		return draw_hardware(w);
	case 3:
	case 4:
		if (draw_trace(w, &attr))
			return attr;
		break;
	}
	return draw_software(w);
}

static struct perf_event_attr draw_attr(struct worker *w)
{
	struct perf_event_attr attr = draw_kind(w);

	attr.disabled = one_in(w, 3);
	attr.inherit = one_in(w, 4);
	attr.pinned = one_in(w, 12);
	attr.remove_on_exec = one_in(w, 12);
	attr.exclude_kernel = 1;
	attr.exclude_hv = 1;
	attr.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID;
	attr.write_backward = one_in(w, 12);
	attr.mmap = one_in(w, 8);
	attr.comm = one_in(w, 8);
	attr.task = one_in(w, 8);
	attr.wakeup_events = draw(w, 3);
	return attr;
}

/* There are few targets, so that many events can share a buffer. */
static void draw_target(struct worker *w, struct call *call)
{
	call->pid = 0;
	call->cpu = -1;
	switch (draw(w, 8)) {
	case 0:
		call->pid = w->is_root ? -1 : 0;
		call->cpu = draw(w, storm_cpus);
		break;
	case 1:
		call->pid = shared->pid[draw(w, nr_workers)];
		break;
	case 2:
		call->pid = shared->pid[w->is_root];
		break;
	case 3:
		call->pid = w->child;
		break;
	}
}

static struct call draw_call(struct worker *w)
{
	struct call call = { .attr = draw_attr(w), .group = -1 };

	draw_target(w, &call);
	if (one_in(w, 4))
		call.flags = PERF_FLAG_FD_CLOEXEC;
	return call;
}

/* A sibling in its group, an event with its buffer, or both. */
static struct call draw_call_beside(struct worker *w, const struct slot *other)
{
	static const unsigned long kinds[] = {
		0, PERF_FLAG_FD_OUTPUT,
		PERF_FLAG_FD_OUTPUT | PERF_FLAG_FD_NO_GROUP,
		PERF_FLAG_FD_OUTPUT | PERF_FLAG_FD_NO_GROUP,
	};
	struct call call = { .attr = draw_attr(w) };

	call.pid = other->item.pid == getpid() ? 0 : other->item.pid;
	call.cpu = other->item.cpu;
	call.group = other->fd;
	call.flags = kinds[draw(w, ARRAY_SIZE(kinds))];
	call.attr.inherit = other->item.inherit;
	call.attr.pinned = 0;
	call.attr.write_backward = 0;
	return call;
}

static bool open_slot(struct slot *slot, struct call *call)
{
	int fd = call_open(call);

	if (fd < 0)
		return false;
	slot->fd = fd;
	slot->item = (struct item) {
		.pid = call->pid ?: getpid(),
		.cpu = call->cpu,
		.pages = 2,
		.traces = call->attr.config1,
		.inherit = call->attr.inherit,
	};
	return true;
}

static bool op_open(struct worker *w)
{
	struct call call = draw_call(w);

	return open_slot(empty_slot(w), &call);
}

static bool op_join(struct worker *w)
{
	struct slot *other = draw_event(w), *slot = draw_slot(w);
	struct call call;

	if (!other || slot == other)
		return false;
	call = draw_call_beside(w, other);
	close_slot(slot);
	return open_slot(slot, &call);
}

/* Opens that fail. */

static bool fail_beside(struct worker *w, const struct slot *other)
{
	const struct flaw *flaw = draw_flaw(&w->random);
	struct call call = draw_call_beside(w, other);
	int fd;

	flaw->spoil(&call);
	fd = call_open(&call);
	if (fd < 0)
		return true;
	close(fd);
	storm_count(&shared->storm.wrong);
	shared->wrong_flaw = flaw - call_flaws;
	return false;
}

static bool op_fail(struct worker *w)
{
	struct slot *other = draw_event(w);

	return other && fail_beside(w, other);
}

/* The new event is closed at once. */
static bool open_beside(struct worker *w, const struct slot *other)
{
	struct call call = draw_call_beside(w, other);
	int fd = call_open(&call);

	if (fd < 0)
		return false;
	close(fd);
	return true;
}

/* The open fails because the caller has no descriptor left. */
static bool op_fail_file(struct worker *w)
{
	struct slot *other = draw_event(w);
	struct rlimit few, before;
	struct call call;
	int fd;

	call = other ? draw_call_beside(w, other) : draw_call(w);
	if (getrlimit(RLIMIT_NOFILE, &before))
		return false;
	few = before;
	few.rlim_cur = 3;
	setrlimit(RLIMIT_NOFILE, &few);
	fd = call_open(&call);
	setrlimit(RLIMIT_NOFILE, &before);
	if (fd < 0)
		return true;
	close(fd);
	return false;
}

static bool dry_run_beside(struct worker *w, const struct slot *other)
{
	struct call call = draw_call_beside(w, other);

	if (one_in(w, 4))
		draw_flaw(&w->random)->spoil(&call);
	return call_dry_run(&call);
}

static bool op_dry_run(struct worker *w)
{
	struct slot *other = draw_event(w);

	return other && dry_run_beside(w, other);
}

/* Mappings. */

static bool op_map_data(struct worker *w)
{
	static const unsigned int pages[] = { 1, 2, 3, 5, 9 };
	struct slot *slot = draw_event(w);

	if (!slot)
		return false;
	/* Mostly the size that other processes have mapped. */
	return map_data(slot, one_in(w, 4) ? pages[draw(w, ARRAY_SIZE(pages))] :
					     slot->item.pages,
			!one_in(w, 6));
}

static bool op_map_aux(struct worker *w)
{
	struct slot *slot = draw_tracer(w);

	if (slot && !slot->data)
		map_data(slot, slot->item.pages, true);
	return slot && map_aux(slot, 1U << draw(w, 3), !one_in(w, 4));
}

static bool op_unmap_data(struct worker *w)
{
	return unmap_data(draw_slot(w));
}

static bool op_unmap_aux(struct worker *w)
{
	return unmap_aux(draw_slot(w));
}

/* During the move there are two mappings. */
static bool op_move_map(struct worker *w)
{
	struct slot *slot = draw_slot(w);
	void *to, *map;

	if (!slot->data)
		return false;
	to = mmap(NULL, slot->data_size, PROT_NONE,
		  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (to == MAP_FAILED)
		return false;
	map = mremap(slot->data, slot->data_size, slot->data_size,
		     MREMAP_MAYMOVE | MREMAP_FIXED, to);
	if (map == MAP_FAILED) {
		munmap(to, slot->data_size);
		return false;
	}
	slot->data = map;
	return true;
}

static bool op_consume(struct worker *w)
{
	struct slot *slot = draw_slot(w);
	struct perf_event_mmap_page *page = slot->data;

	if (!page || !slot->writable)
		return false;
	page->data_tail = __atomic_load_n(&page->data_head, __ATOMIC_ACQUIRE);
	page->aux_tail = __atomic_load_n(&page->aux_head, __ATOMIC_ACQUIRE);
	return true;
}

/* A group with a trace, whose leader samples so often that it is throttled. */
static bool op_trace_group(struct worker *w)
{
	struct slot *leader = empty_slot(w), *trace = empty_slot(w);
	unsigned int ticks;
	struct call call = {
		.attr = sw_attr(PERF_COUNT_SW_PAGE_FAULTS),
		.cpu = -1,
		.group = -1,
	};

	if (leader == trace)
		return false;
	call.attr.sample_period = 1;
	call.attr.exclude_kernel = 1;
	call.attr.exclude_hv = 1;
	call.attr.disabled = 1;
	if (!open_slot(leader, &call))
		return false;
	if (!draw_trace(w, &call.attr))
		return false;
	call.attr.disabled = 0;
	call.attr.exclude_kernel = 1;
	call.attr.exclude_hv = 1;
	call.group = leader->fd;
	if (!open_slot(trace, &call))
		return false;
	map_data(trace, 2, true);
	map_aux(trace, 1U << draw(w, 3), !one_in(w, 4));
	ioctl(leader->fd, PERF_EVENT_IOC_ENABLE, PERF_IOC_FLAG_GROUP);
	/* Ticks end the throttling. */
	for (ticks = draw(w, 4); ticks; ticks--) {
		touch_pages(20);
		burn_ms(4);
	}
	if (one_in(w, 2))
		unmap_aux(trace);
	return true;
}

/* Ioctls. */

static bool op_enable(struct worker *w)
{
	return !ioctl(draw_fd(w), PERF_EVENT_IOC_ENABLE,
		      one_in(w, 3) ? PERF_IOC_FLAG_GROUP : 0);
}

static bool op_disable(struct worker *w)
{
	return !ioctl(draw_fd(w), PERF_EVENT_IOC_DISABLE,
		      one_in(w, 3) ? PERF_IOC_FLAG_GROUP : 0);
}

static bool op_refresh(struct worker *w)
{
	return !ioctl(draw_fd(w), PERF_EVENT_IOC_REFRESH, 1 + draw(w, 4));
}

static bool op_reset(struct worker *w)
{
	return !ioctl(draw_fd(w), PERF_EVENT_IOC_RESET, 0);
}

/* To an event with the same target, as any other is refused. */
static bool op_set_output(struct worker *w)
{
	struct slot *from = draw_event(w), *to = NULL;
	int tries;

	if (!from)
		return false;
	if (one_in(w, 5))
		return !ioctl(from->fd, PERF_EVENT_IOC_SET_OUTPUT, -1);
	for (tries = 0; tries < 8; tries++) {
		to = draw_event(w);
		if (to && to != from && to->item.pid == from->item.pid &&
		    to->item.cpu == from->item.cpu)
			break;
	}
	if (!to)
		return false;
	/* The size is for others, which map through the other event. */
	from->item.pages = to->item.pages;
	return !ioctl(from->fd, PERF_EVENT_IOC_SET_OUTPUT, to->fd);
}

static bool op_pause(struct worker *w)
{
	return !ioctl(draw_fd(w), PERF_EVENT_IOC_PAUSE_OUTPUT, draw(w, 2));
}

/* A read advances a trace. */
static bool op_read(struct worker *w)
{
	char values[512];

	return read(draw_fd(w), values, sizeof(values)) > 0;
}

static bool op_close(struct worker *w)
{
	struct slot *slot = draw_event(w);

	if (!slot)
		return false;
	/* A mapping keeps the event after the close. */
	if (one_in(w, 2)) {
		unmap_aux(slot);
		unmap_data(slot);
	}
	close_slot(slot);
	return true;
}

/* Sockets. */

static bool op_pass(struct worker *w)
{
	struct slot *slot = draw_event(w);

	return slot && send_fd(outbox[draw(w, nr_workers)], slot->fd,
			       &slot->item, sizeof(slot->item));
}

/* The others open events beside it while its buffer is mapped and unmapped. */
static bool op_duel(struct worker *w)
{
	struct slot *slot = empty_slot(w);
	struct call call = {
		.attr = sw_attr(PERF_COUNT_SW_DUMMY), .cpu = -1, .group = -1,
	};
	unsigned int i;

	call.attr.exclude_kernel = 1;
	if (!open_slot(slot, &call))
		return false;
	slot->item.duel = true;
	for (i = 0; i < nr_workers; i++)
		if (i != w->nr)
			send_fd(outbox[i], slot->fd, &slot->item,
				sizeof(slot->item));
	slot->item.duel = false;
	for (i = 0; i < DUEL_ROUNDS; i++) {
		map_data(slot, 2, true);
		usleep(draw(w, 500));
		unmap_data(slot);
	}
	return true;
}

static void answer(struct worker *w, struct slot *slot)
{
	unsigned int i;

	for (i = 0; i < DUEL_ROUNDS; i++) {
		switch (draw(w, 4)) {
		case 0:
			dry_run_beside(w, slot);
			break;
		case 1:
			open_beside(w, slot);
			break;
		default:
			fail_beside(w, slot);
		}
	}
}

static bool op_receive(struct worker *w)
{
	struct slot *slot = empty_slot(w);

	slot->fd = receive_fd(w->inbox, &slot->item, sizeof(slot->item));
	if (slot->fd < 0)
		return false;
	if (slot->item.duel)
		answer(w, slot);
	slot->item.duel = false;
	return true;
}

/* Tasks. */

static bool op_work(struct worker *w)
{
	touch_pages(1 + draw(w, 20));
	burn(draw(w, 2000));
	return true;
}

static bool op_sleep(struct worker *w)
{
	usleep(draw(w, 500));
	return true;
}

static bool op_move(struct worker *w)
{
	return storm_move(&w->random);
}

/* Threads of one process map and unmap at the same time. */
static void *map_again(void *arg)
{
	struct slot slot = { .fd = *(int *)arg };
	int i;

	for (i = 0; i < 8; i++) {
		if (map_data(&slot, 2, true) && map_aux(&slot, 1, true))
			unmap_aux(&slot);
		unmap_data(&slot);
	}
	close(slot.fd);
	return NULL;
}

static bool op_thread(struct worker *w)
{
	int fd = dup(draw_fd(w));
	pthread_t thread;

	if (fd < 0)
		return false;
	if (pthread_create(&thread, NULL, map_again, &fd)) {
		close(fd);
		return false;
	}
	op_unmap_data(w);
	op_map_data(w);
	op_dry_run(w);
	op_fail(w);
	return !pthread_join(thread, NULL);
}

static bool reap(struct worker *w, bool wait)
{
	if (!w->child)
		return true;
	if (waitpid(w->child, NULL, wait ? 0 : WNOHANG) <= 0)
		return false;
	w->child = 0;
	return true;
}

static __noreturn void execute(void)
{
	execl("/proc/self/exe", "process_storm", "executed", NULL);
	_exit(1);
}

/* The child has its parent's files, and copies of inherited events. */
static bool op_fork(struct worker *w)
{
	if (!reap(w, false))
		return false;
	draw(w, 2);
	w->child = fork();
	if (w->child < 0)
		w->child = 0;
	if (w->child)
		return true;
	op_work(w);
	op_close(w);
	op_enable(w);
	if (one_in(w, 3))
		execute();
	_exit(0);
}

static bool op_kill(struct worker *w)
{
	if (!w->child)
		return false;
	kill(w->child, SIGKILL);
	return reap(w, true);
}

static const struct storm_op ops[] = {
	{ "open", 12, op_open },
	{ "join", 12, op_join },
	{ "fail", 14, op_fail },
	{ "fail_file", 2, op_fail_file },
	{ "dry_run", 12, op_dry_run },
	{ "trace_group", 5, op_trace_group },
	{ "map_data", 14, op_map_data },
	{ "map_aux", 10, op_map_aux },
	{ "unmap_data", 10, op_unmap_data },
	{ "unmap_aux", 8, op_unmap_aux },
	{ "move_map", 1, op_move_map },
	{ "consume", 4, op_consume },
	{ "enable", 6, op_enable },
	{ "disable", 4, op_disable },
	{ "refresh", 1, op_refresh },
	{ "reset", 1, op_reset },
	{ "set_output", 10, op_set_output },
	{ "pause", 1, op_pause },
	{ "read", 10, op_read },
	{ "close", 8, op_close },
	{ "pass", 12, op_pass },
	{ "receive", 16, op_receive },
	{ "duel", 4, op_duel },
	{ "work", 6, op_work },
	{ "sleep", 3, op_sleep },
	{ "move", 2, op_move },
	{ "thread", 2, op_thread },
	{ "fork", 3, op_fork },
	{ "kill", 1, op_kill },
};

static void one_op(struct worker *w)
{
	storm_step(ops, ARRAY_SIZE(ops), w, &w->random);
}

/* A life. */

static void on_signal(int sig)
{
	(void)sig;
}

static void end_orderly(struct worker *w)
{
	int i;

	for (i = 0; i < NR_SLOTS; i++) {
		unmap_aux(&w->slot[i]);
		unmap_data(&w->slot[i]);
		close_slot(&w->slot[i]);
	}
}

/* Most lives end with open descriptors and mappings. */
static __noreturn void end_life(struct worker *w)
{
	if (w->child)
		kill(w->child, SIGKILL);
	reap(w, true);
	switch (draw(w, 4)) {
	case 0:
		end_orderly(w);
		break;
	case 1:
		execute();
	case 2:
		kill(getpid(), SIGKILL);
	}
	_exit(0);
}

static __noreturn void live(__u64 seed, unsigned int nr, unsigned int life)
{
	struct worker w = {
		.random = rnd_seed(seed + nr * 100003ULL + life * 1000000007ULL),
		.nr = nr, .is_root = nr & 1, .inbox = inbox[nr],
	};
	unsigned int i, steps;

	signal(SIGTRAP, on_signal);
	signal(SIGIO, SIG_IGN);
	if (!w.is_root) {
		become_nobody();
		/* Other processes of the same user may open events on it. */
		prctl(PR_SET_DUMPABLE, 1, 0, 0, 0);
	}
	for (i = 0; i < NR_SLOTS; i++)
		w.slot[i].fd = -1;
	for (i = 0; i < 8; i++)
		draw(&w, 2);
	steps = 100 + draw(&w, 2000);
	for (i = 0; i < steps && !storm_stopping(); i++)
		one_op(&w);
	end_life(&w);
}

static pid_t start_life(__u64 seed, unsigned int nr, unsigned int life)
{
	pid_t pid = fork();

	if (pid < 0)
		ksft_exit_fail_perror("fork");
	if (!pid)
		live(seed, nr, life);
	shared->pid[nr] = pid;
	storm_count(&shared->lives);
	return pid;
}

/* PMUs come and go. */

static void pull(struct worker *w, const char *module)
{
	test_module_register(module, false);
	usleep(draw(w, 5000));
	test_module_register(module, true);
	storm_count(&shared->pulled);
}

static pid_t start_puller(__u64 seed)
{
	struct worker w = { .random = rnd_seed(seed) };
	pid_t pid = fork();

	if (pid < 0)
		ksft_exit_fail_perror("fork");
	if (pid)
		return pid;
	while (!storm_stopping()) {
		usleep(draw(&w, 100000));
		if (has_pmu && one_in(&w, 2))
			pull(&w, "perf_test_pmu");
		if (has_trace && one_in(&w, 3))
			pull(&w, "perf_test_aux");
	}
	_exit(0);
}

/* The storm. */

static bool is_worker(pid_t pid, unsigned int *nr)
{
	for (*nr = 0; *nr < nr_workers; ++*nr)
		if (shared->pid[*nr] == pid)
			return true;
	return false;
}

struct outcome {
	int failed;
	int stuck;
};

/* A life ends in one of these ways only. */
static bool ended_well(int status)
{
	return (WIFEXITED(status) && !WEXITSTATUS(status)) ||
	       (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
}

static void finish(pid_t pid, struct outcome *outcome)
{
	int status;

	if (process_ends(pid, &status))
		outcome->failed += !ended_well(status);
	else
		outcome->stuck++;
}

static void storm(unsigned int seconds, __u64 seed, struct outcome *outcome)
{
	__u64 end = now_ns() + seconds * NSEC_PER_SEC;
	unsigned int nr, life[MAX_WORKERS] = { 0 };
	pid_t puller, pid;
	int status;

	for (nr = 0; nr < nr_workers; nr++)
		start_life(seed, nr, life[nr]++);
	puller = start_puller(seed);
	while (now_ns() < end) {
		pid = waitpid(-1, &status, WNOHANG);
		if (pid <= 0) {
			usleep(1000);
			continue;
		}
		if (is_worker(pid, &nr)) {
			outcome->failed += !ended_well(status);
			start_life(seed, nr, life[nr]++);
		}
	}
	storm_stop();
	for (nr = 0; nr < nr_workers; nr++)
		finish(shared->pid[nr], outcome);
	finish(puller, outcome);
}

static void make_sockets(void)
{
	unsigned int i;
	int pair[2];

	for (i = 0; i < nr_workers; i++) {
		if (socketpair(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0, pair))
			ksft_exit_fail_perror("socketpair");
		inbox[i] = pair[0];
		outbox[i] = pair[1];
	}
}

/* Descriptors that are still in the sockets are closed with them. */
static void close_sockets(void)
{
	unsigned int i;

	for (i = 0; i < nr_workers; i++) {
		close(inbox[i]);
		close(outbox[i]);
	}
}

static void show_work(void)
{
	storm_show(ops, ARRAY_SIZE(ops));
	ksft_print_msg("%llu lives, %llu times a PMU\n",
		       (unsigned long long)shared->lives,
		       (unsigned long long)shared->pulled);
}

/* Settings of the system, and back. */

static const struct setting {
	const char *path;
	const char *value;
} settings[] = {
	{ PARANOID, "2" },
	/* A low rate: even few samples take long in an emulator. */
	{ SAMPLE_RATE, "2000" },
	{ DELAY_US, "300" },
};

static long setting_before[ARRAY_SIZE(settings)];

static void change_settings(void)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(settings); i++) {
		setting_before[i] = read_long(settings[i].path);
		write_text(settings[i].path, settings[i].value);
	}
}

static void restore_settings(void)
{
	char text[32];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(settings); i++) {
		snprintf(text, sizeof(text), "%ld", setting_before[i]);
		write_text(settings[i].path, text);
	}
}

/* Accounts. */

static void report_module(const char *module, const char *objects)
{
	long left, faults;

	if (others_are_at_work()) {
		ksft_test_result_skip("%s: others are at work\n", module);
		return;
	}
	/* A PMU that is unregistered has no users. */
	test_module_register(module, false);
	left = test_module_parameter(module, objects);
	faults = test_module_parameter(module, "faults");
	ksft_test_result(!left && !faults, "%s: %ld %s, %ld faults\n", module,
			 left, objects, faults);
}

static void report_modules(void)
{
	if (has_pmu)
		report_module("perf_test_pmu", "events");
	else
		ksft_test_result_skip("no module perf_test_pmu\n");
	if (has_trace)
		report_module("perf_test_aux", "areas");
	else
		ksft_test_result_skip("no module perf_test_aux\n");
}

static void run(unsigned int seconds, __u64 seed)
{
	static struct books before, after;
	struct outcome outcome = { 0 };

	change_settings();
	open_books(&before);
	make_sockets();
	storm(seconds, seed, &outcome);
	show_work();
	ksft_test_result(!outcome.stuck, "%d processes did not end\n",
			 outcome.stuck);
	/* A process that cannot end still has events: no more to compare. */
	if (outcome.stuck)
		ksft_exit_fail();
	while (waitpid(-1, NULL, 0) > 0)
		;
	close_sockets();
	ksft_test_result(!outcome.failed, "%d lives went wrong\n",
			 outcome.failed);
	ksft_test_result(!shared->storm.wrong, "%llu opens should have failed (%s)\n",
			 (unsigned long long)shared->storm.wrong,
			 call_flaws[shared->wrong_flaw].name);
	report_modules();
	close_books(&before, &after);
	restore_settings();
	report_books(&before, &after);
}

static void set_up(void)
{
	shared = storm_set_up(sizeof(*shared));
	has_pmu = test_module_load("perf_test_pmu");
	has_trace = test_module_load("perf_test_aux");
	if (has_pmu)
		test_module_register("perf_test_pmu", true);
	if (has_trace)
		test_module_register("perf_test_aux", true);
}

static unsigned int number(const char *text, unsigned int least,
			   unsigned int most)
{
	unsigned int value = atoi(text);

	if (value < least)
		return least;
	return value > most ? most : value;
}

int main(int argc, char **argv)
{
	unsigned int seconds = 10;
	__u64 seed = now_ns();

	storm_if_executed(argc, argv);
	if (argc > 1)
		seconds = number(argv[1], 1, 100000);
	if (argc > 2)
		nr_workers = number(argv[2], MIN_WORKERS, MAX_WORKERS);
	if (argc > 3)
		seed = strtoull(argv[3], NULL, 0);
	ksft_print_header();
	set_up();
	ksft_set_plan(5 + BOOKS_RESULTS);
	ksft_print_msg("%u seconds, %u workers, %d CPUs, seed %llu\n", seconds,
		       nr_workers, storm_cpus, (unsigned long long)seed);
	run(seconds, seed);
	ksft_finished();
}
