// SPDX-License-Identifier: GPL-2.0
/*
 * All operations at once: workers open, group, move, map, redirect, switch,
 * read and close events of all kinds and targets, while tasks fork, exec and
 * exit, CPUs go offline and come back, a PMU is registered and unregistered,
 * and cgroups are made, entered and removed. At the end every number of objects
 * must be what it was before.
 *
 *   churn [SECONDS [WORKERS [SEED]]]
 *
 * Each worker draws its operations from a sequence that follows from the seed.
 * Refusals are normal, since most drawn calls make no sense. The kernel must
 * not crash, report or leak anything.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <linux/hw_breakpoint.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "bad_calls.h"
#include "perf_books.h"
#include "perf_lib.h"
#include "storm.h"
#include "test_pmu.h"

#define MAX_WORKERS	64
#define MAX_CHILDREN	4
#define NR_SLOTS	24
#define NR_CGROUPS	3

#define CGROUPS		"/sys/fs/cgroup"

/* An event that is open, and its mapping. */
struct slot {
	int fd;
	pid_t pid;
	int cpu;
	bool inherit;
	void *map;
	size_t size;
	bool writable;
};

struct worker {
	__u64 random;
	struct slot slot[NR_SLOTS];
	pid_t child[MAX_CHILDREN];
	/* Something at random, which may be a fork. */
	void (*step)(struct worker *w);
	bool is_child;
	bool is_root;
};

/* Of all processes. */
static struct shared {
	struct storm storm;
	pid_t pid[MAX_WORKERS];
	__u64 plugged;
	__u64 pulled;
	__u64 regrouped;
	__u64 still_pinned;
} *shared;

static int nr_workers = 8;
static int switch_tracepoint;
static bool has_test_pmu;
static char watched_byte;

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

/* Return: an event in use if a few tries find one, else NULL. */
static struct slot *draw_event(struct worker *w)
{
	struct slot *slot = draw_slot(w);
	int tries;

	for (tries = 0; tries < 4 && slot->fd < 0; tries++)
		slot = draw_slot(w);
	return slot->fd < 0 ? NULL : slot;
}

static int draw_fd(struct worker *w)
{
	struct slot *slot = draw_event(w);

	return slot ? slot->fd : -1;
}

static bool unmap_slot(struct slot *slot)
{
	if (!slot->map)
		return false;
	munmap(slot->map, slot->size);
	slot->map = NULL;
	return true;
}

static void close_slot(struct slot *slot)
{
	if (slot->fd >= 0)
		close(slot->fd);
	slot->fd = -1;
}

/* Opening. */

static struct perf_event_attr draw_software(struct worker *w)
{
	static const struct {
		__u64 config;
		__u64 least;
	} kinds[] = {
		{ PERF_COUNT_SW_CPU_CLOCK, 2000000 },
		{ PERF_COUNT_SW_TASK_CLOCK, 2000000 },
		{ PERF_COUNT_SW_PAGE_FAULTS, 1 },
		{ PERF_COUNT_SW_CONTEXT_SWITCHES, 1 },
		{ PERF_COUNT_SW_CPU_MIGRATIONS, 1 },
		{ PERF_COUNT_SW_PAGE_FAULTS_MIN, 7 },
		{ PERF_COUNT_SW_CGROUP_SWITCHES, 1 },
		{ PERF_COUNT_SW_DUMMY, 1 },
	};
	unsigned int i = draw(w, ARRAY_SIZE(kinds));
	struct perf_event_attr attr = sw_attr(kinds[i].config);

	if (one_in(w, 3))
		attr.sample_period = kinds[i].least * (1 + draw(w, 10));
	return attr;
}

static struct perf_event_attr draw_hardware(struct worker *w)
{
	static const __u64 kinds[] = {
		PERF_COUNT_HW_CPU_CYCLES, PERF_COUNT_HW_INSTRUCTIONS,
		PERF_COUNT_HW_BRANCH_INSTRUCTIONS, PERF_COUNT_HW_BRANCH_MISSES,
		PERF_COUNT_HW_CACHE_REFERENCES, PERF_COUNT_HW_REF_CPU_CYCLES,
	};
	struct perf_event_attr attr;

	attr = hw_attr(kinds[draw(w, ARRAY_SIZE(kinds))]);
	if (one_in(w, 8)) {
		attr.freq = 1;
		attr.sample_freq = 1 + draw(w, 500);
	} else if (one_in(w, 3)) {
		attr.sample_period = 5000000 + draw(w, 5000000);
	}
	return attr;
}

static struct perf_event_attr draw_breakpoint(struct worker *w)
{
	struct perf_event_attr attr = make_attr(PERF_TYPE_BREAKPOINT, 0);

	attr.bp_type = HW_BREAKPOINT_W;
	attr.bp_addr = (unsigned long)&watched_byte;
	attr.bp_len = HW_BREAKPOINT_LEN_1;
	attr.sample_period = draw(w, 3);
	/* Programs that are executed have no handler for the signal. */
	attr.sigtrap = attr.sample_period && one_in(w, 3);
	attr.remove_on_exec = attr.sigtrap;
	return attr;
}

/* The PMU may have gone by now; each time that it comes it has a new type. */
static struct perf_event_attr draw_pullable(struct worker *w)
{
	long type = has_test_pmu ? read_long(TEST_PMU_DIR "/type") : -1;
	struct perf_event_attr attr;

	if (type < 0)
		return draw_software(w);
	attr = make_attr(type, draw(w, 2));
	if (one_in(w, 8))
		attr.config = draw(w, 10);
	return attr;
}

static struct perf_event_attr draw_kind(struct worker *w)
{
	struct perf_event_attr attr;

	switch (draw(w, 12)) {
	case 10:
	case 11:
		return draw_pullable(w);
	case 0:
		return draw_breakpoint(w);
	case 1:
		attr = make_attr(PERF_TYPE_TRACEPOINT, switch_tracepoint);
		attr.sample_period = draw(w, 3);
		return attr;
	case 2:
	case 3:
	case 4:
	case 5:
		return draw_software(w);
	default:
		return draw_hardware(w);
	}
}

static struct perf_event_attr draw_attr(struct worker *w)
{
	struct perf_event_attr attr = draw_kind(w);

	attr.disabled = one_in(w, 2);
	attr.pinned = one_in(w, 8);
	attr.exclusive = one_in(w, 16);
	attr.inherit = one_in(w, 3);
	attr.inherit_thread = attr.inherit && one_in(w, 4);
	attr.inherit_stat = attr.inherit && one_in(w, 6);
	attr.enable_on_exec = attr.disabled && one_in(w, 4);
	attr.remove_on_exec |= !attr.enable_on_exec && one_in(w, 8);
	attr.exclude_kernel = !w->is_root || one_in(w, 4);
	attr.exclude_user = one_in(w, 16);
	attr.exclude_idle = one_in(w, 16);
	attr.write_backward = one_in(w, 8);
	attr.sample_id_all = one_in(w, 2);
	attr.mmap = one_in(w, 8);
	attr.comm = one_in(w, 8);
	attr.task = one_in(w, 8);
	attr.context_switch = one_in(w, 8);
	attr.read_format = draw(w, 32);
	attr.sample_type = draw(w, PERF_SAMPLE_MAX) &
		(PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
		 PERF_SAMPLE_READ | PERF_SAMPLE_ID | PERF_SAMPLE_CPU |
		 PERF_SAMPLE_PERIOD | PERF_SAMPLE_STREAM_ID |
		 PERF_SAMPLE_IDENTIFIER);
	if (one_in(w, 6))
		attr.sample_type |= PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_TID;
	attr.wakeup_events = draw(w, 3);
	return attr;
}

static void draw_target(struct worker *w, pid_t *pid, int *cpu)
{
	*pid = 0;
	*cpu = -1;
	switch (draw(w, 8)) {
	case 0:
		*pid = -1;
		*cpu = draw(w, storm_cpus);
		break;
	case 1:
		*cpu = draw(w, storm_cpus);
		break;
	case 2:
		*pid = shared->pid[draw(w, nr_workers)] ?: 0;
		break;
	case 3:
		*pid = w->child[draw(w, MAX_CHILDREN)] ?: 0;
		break;
	case 4:
		*pid = getppid();
		break;
	}
}

/* Most draws are refused; that is no failure. */
static bool open_slot(struct worker *w, struct slot *slot,
		      struct perf_event_attr *attr, int group)
{
	unsigned long flags = 0;

	if (group >= 0 && one_in(w, 8))
		flags = PERF_FLAG_FD_OUTPUT;
	if (group >= 0 && one_in(w, 8))
		flags |= PERF_FLAG_FD_NO_GROUP;
	if (one_in(w, 4))
		flags |= PERF_FLAG_FD_CLOEXEC;
	close_slot(slot);
	slot->inherit = attr->inherit;
	slot->fd = perf_open(attr, slot->pid, slot->cpu, group, flags);
	return slot->fd >= 0;
}

static bool op_open(struct worker *w)
{
	struct perf_event_attr attr = draw_attr(w);
	struct slot *slot = draw_slot(w);

	draw_target(w, &slot->pid, &slot->cpu);
	return open_slot(w, slot, &attr, -1);
}

static bool op_join(struct worker *w)
{
	struct perf_event_attr attr = draw_attr(w);
	struct slot *leader = draw_event(w), *slot = draw_slot(w);

	if (!leader || slot == leader)
		return false;
	attr.inherit = leader->inherit;
	attr.pinned = 0;
	attr.exclusive = 0;
	slot->pid = leader->pid;
	slot->cpu = leader->cpu;
	return open_slot(w, slot, &attr, leader->fd);
}

/* A hardware event makes a software group move. */
static bool op_move_group(struct worker *w)
{
	struct slot *leader = draw_slot(w), *soft = draw_slot(w);
	struct slot *hard = draw_slot(w);
	struct perf_event_attr attr = draw_software(w);

	if (leader == soft || leader == hard || soft == hard)
		return false;
	draw_target(w, &leader->pid, &leader->cpu);
	attr.inherit = one_in(w, 2);
	attr.disabled = one_in(w, 2);
	attr.exclude_kernel = !w->is_root;
	if (!open_slot(w, leader, &attr, -1))
		return false;
	soft->pid = leader->pid;
	soft->cpu = leader->cpu;
	hard->pid = leader->pid;
	hard->cpu = leader->cpu;
	attr.disabled = 0;
	open_slot(w, soft, &attr, leader->fd);
	attr = one_in(w, 4) ? draw_pullable(w) : draw_hardware(w);
	attr.inherit = leader->inherit;
	attr.exclude_kernel = !w->is_root;
	return open_slot(w, hard, &attr, leader->fd);
}

/* Arguments for a failing call or a dry run, with another event's buffer. */
static struct call draw_call(struct worker *w, const struct slot *other)
{
	struct call call = {
		.attr = draw_attr(w),
		.pid = other->pid,
		.cpu = other->cpu,
		.group = other->fd,
		.flags = PERF_FLAG_FD_OUTPUT,
	};

	if (one_in(w, 2))
		call.flags |= PERF_FLAG_FD_NO_GROUP;
	call.attr.inherit = other->inherit;
	return call;
}

static bool op_fail(struct worker *w)
{
	const struct flaw *flaw = draw_flaw(&w->random);
	struct slot *other = draw_event(w);
	struct call call;
	int fd;

	if (!other)
		return false;
	call = draw_call(w, other);
	flaw->spoil(&call);
	fd = call_open(&call);
	if (fd < 0)
		return true;
	ksft_print_msg("opened with a flaw: %s\n", flaw->name);
	storm_count(&shared->storm.wrong);
	close(fd);
	return false;
}

static bool op_dry_run(struct worker *w)
{
	struct slot *other = draw_event(w);
	struct call call;

	if (!other)
		return false;
	call = draw_call(w, other);
	return call_dry_run(&call);
}

static void cgroup_path(char *path, size_t size, int nr, const char *file)
{
	snprintf(path, size, CGROUPS "/perf_churn_%d/%s", nr, file);
}

static bool op_open_cgroup(struct worker *w)
{
	struct perf_event_attr attr = draw_attr(w);
	struct slot *slot = draw_slot(w);
	char path[128];
	int dir;

	cgroup_path(path, sizeof(path), draw(w, NR_CGROUPS), "");
	dir = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (dir < 0)
		return false;
	close_slot(slot);
	slot->pid = -1;
	slot->cpu = draw(w, storm_cpus);
	slot->inherit = attr.inherit;
	slot->fd = perf_open(&attr, dir, slot->cpu, -1, PERF_FLAG_PID_CGROUP);
	close(dir);
	return slot->fd >= 0;
}

static bool op_close(struct worker *w)
{
	struct slot *slot = draw_event(w);

	if (!slot)
		return false;
	close_slot(slot);
	return true;
}

static bool op_dup(struct worker *w)
{
	struct slot *from = draw_event(w), *to = draw_slot(w);

	if (!from || from == to)
		return false;
	close_slot(to);
	to->fd = dup(from->fd);
	to->pid = from->pid;
	to->cpu = from->cpu;
	to->inherit = from->inherit;
	return to->fd >= 0;
}

/* Ioctls. */

static bool group_ioctl(struct worker *w, unsigned long cmd)
{
	return !ioctl(draw_fd(w), cmd, one_in(w, 3) ? PERF_IOC_FLAG_GROUP : 0);
}

static bool op_enable(struct worker *w)
{
	return group_ioctl(w, PERF_EVENT_IOC_ENABLE);
}

static bool op_disable(struct worker *w)
{
	return group_ioctl(w, PERF_EVENT_IOC_DISABLE);
}

static bool op_reset(struct worker *w)
{
	return group_ioctl(w, PERF_EVENT_IOC_RESET);
}

static bool op_refresh(struct worker *w)
{
	return !ioctl(draw_fd(w), PERF_EVENT_IOC_REFRESH, 1 + draw(w, 5));
}

static bool op_period(struct worker *w)
{
	__u64 period = 2000000 + draw(w, 10000000);

	return !ioctl(draw_fd(w), PERF_EVENT_IOC_PERIOD, &period);
}

static bool op_set_output(struct worker *w)
{
	int from = draw_fd(w), to = one_in(w, 4) ? -1 : draw_fd(w);

	return !ioctl(from, PERF_EVENT_IOC_SET_OUTPUT, to);
}

static bool op_pause(struct worker *w)
{
	return !ioctl(draw_fd(w), PERF_EVENT_IOC_PAUSE_OUTPUT, draw(w, 2));
}

static bool op_set_filter(struct worker *w)
{
	return !ioctl(draw_fd(w), PERF_EVENT_IOC_SET_FILTER,
		      one_in(w, 2) ? "prev_pid > 10" : "next_prio < ");
}

static bool op_modify(struct worker *w)
{
	struct perf_event_attr attr = draw_breakpoint(w);

	attr.disabled = one_in(w, 2);
	return !ioctl(draw_fd(w), PERF_EVENT_IOC_MODIFY_ATTRIBUTES, &attr);
}

static bool op_prctl(struct worker *w)
{
	return !prctl(one_in(w, 2) ? PR_TASK_PERF_EVENTS_ENABLE :
				     PR_TASK_PERF_EVENTS_DISABLE, 0, 0, 0, 0);
}

/* Files and mappings. */

static bool op_read(struct worker *w)
{
	char values[512];

	return read(draw_fd(w), values, one_in(w, 8) ? 8 : sizeof(values)) > 0;
}

static bool op_poll(struct worker *w)
{
	struct pollfd poll_fd = { .fd = draw_fd(w), .events = POLLIN };

	return poll(&poll_fd, 1, one_in(w, 8)) > 0;
}

static bool op_async(struct worker *w)
{
	int fd = draw_fd(w);

	fcntl(fd, F_SETOWN, getpid());
	return !fcntl(fd, F_SETFL, one_in(w, 2) ? O_ASYNC : 0);
}

static bool op_mmap(struct worker *w)
{
	static const unsigned int pages[] = { 1, 2, 3, 5, 9, 4 };
	struct slot *slot = draw_event(w);
	int prot = PROT_READ;
	void *map;

	if (!slot)
		return false;
	unmap_slot(slot);
	slot->writable = !one_in(w, 4);
	if (slot->writable)
		prot |= PROT_WRITE;
	slot->size = pages[draw(w, ARRAY_SIZE(pages))] *
		     sysconf(_SC_PAGESIZE);
	map = mmap(NULL, slot->size, prot, MAP_SHARED, slot->fd, 0);
	if (map == MAP_FAILED)
		return false;
	slot->map = map;
	return true;
}

static bool op_munmap(struct worker *w)
{
	return unmap_slot(draw_slot(w));
}

/* Stores valid and invalid values in the fields that a reader writes. */
static bool op_touch_map(struct worker *w)
{
	struct slot *slot = draw_slot(w);
	struct perf_event_mmap_page *page = slot->map;

	if (!page || !slot->writable)
		return false;
	if (one_in(w, 4))
		page->data_tail = draw(w, ~0U);
	else
		page->data_tail = __atomic_load_n(&page->data_head,
						  __ATOMIC_RELAXED);
	return true;
}

/* Tasks. */

static bool op_work(struct worker *w)
{
	watched_byte++;
	touch_pages(1 + draw(w, 8));
	burn(draw(w, 20000));
	return true;
}

static bool op_sleep(struct worker *w)
{
	usleep(draw(w, 300));
	return true;
}

static bool op_move(struct worker *w)
{
	return storm_move(&w->random);
}

static void *short_thread(void *arg)
{
	struct worker *w = arg;

	op_open(w);
	op_enable(w);
	op_work(w);
	return NULL;
}

/* The thread ends; its events stay without an owner. */
static bool op_thread(struct worker *w)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, short_thread, w))
		return false;
	return !pthread_join(thread, NULL);
}

static bool reap(struct worker *w, int nr, bool wait)
{
	if (!w->child[nr])
		return true;
	if (waitpid(w->child[nr], NULL, wait ? 0 : WNOHANG) <= 0)
		return false;
	w->child[nr] = 0;
	return true;
}

static bool op_kill(struct worker *w)
{
	int nr = draw(w, MAX_CHILDREN);

	if (!w->child[nr])
		return false;
	kill(w->child[nr], SIGKILL);
	return reap(w, nr, true);
}

static bool op_cgroup(struct worker *w)
{
	char path[128];

	cgroup_path(path, sizeof(path), draw(w, NR_CGROUPS), "cgroup.procs");
	return write_text(one_in(w, 4) ? CGROUPS "/cgroup.procs" : path, "0");
}

/* A child does what its parent does for a while, with the same files. */
static void child_life(struct worker *w)
{
	int i, steps = draw(w, 60);

	memset(w->child, 0, sizeof(w->child));
	w->is_child = true;
	alarm(60);
	for (i = 0; i < steps && !storm_stopping(); i++)
		w->step(w);
	if (one_in(w, 3))
		execl("/proc/self/exe", "churn", "executed", NULL);
	_exit(0);
}

static bool op_fork(struct worker *w)
{
	int nr = draw(w, MAX_CHILDREN);

	/* A family of three generations is enough. */
	if (!reap(w, nr, false) || (w->is_child && !one_in(w, 8)))
		return false;
	draw(w, 2);
	w->child[nr] = fork();
	if (!w->child[nr])
		child_life(w);
	if (w->child[nr] < 0)
		w->child[nr] = 0;
	return w->child[nr];
}

static const struct storm_op ops[] = {
	{ "open", 20, op_open },
	{ "join", 20, op_join },
	{ "move_group", 8, op_move_group },
	{ "open_cgroup", 4, op_open_cgroup },
	{ "fail", 6, op_fail },
	{ "dry_run", 6, op_dry_run },
	{ "close", 12, op_close },
	{ "dup", 2, op_dup },
	{ "enable", 10, op_enable },
	{ "disable", 8, op_disable },
	{ "reset", 4, op_reset },
	{ "refresh", 4, op_refresh },
	{ "period", 4, op_period },
	{ "set_output", 8, op_set_output },
	{ "pause", 3, op_pause },
	{ "set_filter", 2, op_set_filter },
	{ "modify", 2, op_modify },
	{ "prctl", 3, op_prctl },
	{ "read", 12, op_read },
	{ "poll", 4, op_poll },
	{ "async", 2, op_async },
	{ "mmap", 12, op_mmap },
	{ "munmap", 8, op_munmap },
	{ "touch_map", 4, op_touch_map },
	{ "work", 10, op_work },
	{ "sleep", 6, op_sleep },
	{ "move", 4, op_move },
	{ "thread", 3, op_thread },
	{ "fork", 4, op_fork },
	{ "kill", 1, op_kill },
	{ "cgroup", 3, op_cgroup },
};

static void one_op(struct worker *w)
{
	storm_step(ops, ARRAY_SIZE(ops), w, &w->random);
}

static void on_trap(int sig)
{
	(void)sig;
}

/* When all events and mappings are closed, no memory is locked any more. */
static void worker_end(struct worker *w)
{
	long pinned;
	int i;

	for (i = 0; i < MAX_CHILDREN; i++) {
		if (w->child[i])
			kill(w->child[i], SIGKILL);
		reap(w, i, true);
	}
	for (i = 0; i < NR_SLOTS; i++) {
		unmap_slot(&w->slot[i]);
		close_slot(&w->slot[i]);
	}
	pinned = pinned_kb();
	if (pinned) {
		ksft_print_msg("process %d: %ld kB pinned\n", getpid(),
			       pinned);
		fflush(stdout);
		storm_count(&shared->still_pinned);
	}
}

static int work(__u64 seed, int nr)
{
	struct worker w = { .step = one_op, .is_root = nr & 1 };
	int i;

	signal(SIGTRAP, on_trap);
	signal(SIGIO, SIG_IGN);
	if (!w.is_root)
		become_nobody();
	for (i = 0; i < NR_SLOTS; i++)
		w.slot[i].fd = -1;
	w.random = rnd_seed(seed + nr);
	for (i = 0; i < 8; i++)
		draw(&w, 2);
	while (!storm_stopping())
		w.step(&w);
	worker_end(&w);
	return 0;
}

/* CPUs and cgroups. */

static bool plug(int cpu, bool in)
{
	char path[64];

	snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%d/online",
		 cpu);
	return read_long(path) == in || write_text(path, in ? "1" : "0");
}

static int plug_cpus(__u64 seed)
{
	struct worker w = { .random = rnd_seed(seed) };
	int cpu;

	while (!storm_stopping() && storm_cpus > 1) {
		cpu = 1 + draw(&w, storm_cpus - 1);
		if (plug(cpu, one_in(&w, 2)))
			storm_count(&shared->plugged);
		usleep(draw(&w, 20000));
	}
	for (cpu = 1; cpu < storm_cpus; cpu++)
		if (!plug(cpu, true))
			return 1;
	return 0;
}

static int pull_pmu(__u64 seed)
{
	struct worker w = { .random = rnd_seed(seed) };

	while (!storm_stopping()) {
		test_pmu_unregister();
		usleep(draw(&w, 5000));
		test_pmu_register();
		usleep(draw(&w, 40000));
		storm_count(&shared->pulled);
	}
	return 0;
}

static void clear_cgroup(int nr)
{
	char path[128], pid[32];
	FILE *procs;

	cgroup_path(path, sizeof(path), nr, "cgroup.procs");
	procs = fopen(path, "r");
	while (procs && fgets(pid, sizeof(pid), procs))
		write_text(CGROUPS "/cgroup.procs", pid);
	if (procs)
		fclose(procs);
}

/* Cgroups are made and removed, with events open on them and tasks inside. */
static int regroup(__u64 seed)
{
	struct worker w = { .random = rnd_seed(seed) };
	int nr, tries, left = 0;
	char path[128];

	while (!storm_stopping()) {
		nr = draw(&w, NR_CGROUPS);
		cgroup_path(path, sizeof(path), nr, "");
		if (one_in(&w, 2))
			clear_cgroup(nr);
		if (one_in(&w, 2) ? !rmdir(path) : !mkdir(path, 0755))
			storm_count(&shared->regrouped);
		usleep(draw(&w, 20000));
	}
	for (nr = 0; nr < NR_CGROUPS; nr++) {
		cgroup_path(path, sizeof(path), nr, "");
		for (tries = 0; tries < 2000; tries++) {
			clear_cgroup(nr);
			if (!rmdir(path) || errno == ENOENT)
				break;
			usleep(10000);
		}
		left += tries == 2000;
	}
	return left;
}

/* On widely used kernels this sometimes drops below zero. */
static void report_pinned(void)
{
	if (shared->still_pinned && !getenv("PERF_TEST_STRICT"))
		ksft_test_result_xfail("pinned memory\n");
	else
		ksft_test_result(!shared->still_pinned, "pinned memory\n");
}

/* The run. */

static pid_t start(int (*body)(__u64 seed), __u64 seed)
{
	pid_t pid = fork();

	if (pid < 0)
		ksft_exit_fail_perror("fork");
	if (!pid)
		_exit(body(seed));
	return pid;
}

static int finish(pid_t pid)
{
	int status;

	if (waitpid(pid, &status, 0) != pid)
		return 1;
	if (status)
		ksft_print_msg("process %d: status %#x\n", pid, status);
	return status;
}

static void show_work(void)
{
	storm_show(ops, ARRAY_SIZE(ops));
	ksft_print_msg("%llu times a CPU, %llu times a cgroup, %llu times a PMU\n",
		       (unsigned long long)shared->plugged,
		       (unsigned long long)shared->regrouped,
		       (unsigned long long)shared->pulled);
}

/* Return: the number of processes that did not end as they should. */
static int churn(unsigned int seconds, __u64 seed)
{
	pid_t plugger = 0, puller = 0, regrouper, pid;
	int i, failed = 0;

	for (i = 0; i < nr_workers; i++) {
		pid = fork();
		if (pid < 0)
			ksft_exit_fail_perror("fork");
		if (!pid)
			_exit(work(seed, i));
		shared->pid[i] = pid;
	}
	regrouper = start(regroup, seed + 1000);
	if (!getenv("PERF_TEST_NO_HOTPLUG"))
		plugger = start(plug_cpus, seed + 1001);
	if (has_test_pmu)
		puller = start(pull_pmu, seed + 1002);
	sleep(seconds);
	storm_stop();
	for (i = 0; i < nr_workers; i++)
		failed += !!finish(shared->pid[i]);
	failed += !!finish(regrouper);
	if (plugger)
		failed += !!finish(plugger);
	if (puller)
		failed += !!finish(puller);
	return failed;
}

/* New cgroups get the perf_event controller only after a write to this file. */
static void hand_down_controllers(void)
{
	static const char control[] = CGROUPS "/cgroup.subtree_control";

	if (!write_text(control, "+pids") && !write_text(control, "+cpu"))
		ksft_print_msg("no events of cgroups\n");
}

static void set_up(void)
{
	shared = storm_set_up(sizeof(*shared));
	hand_down_controllers();
	switch_tracepoint =
		read_long("/sys/kernel/tracing/events/sched/sched_switch/id");
	has_test_pmu = test_pmu_load();
	if (has_test_pmu)
		test_pmu_register();
}

/* The driver of the PMU that comes and goes keeps an account of its own. */
static void report_driver(void)
{
	long events, mappings, faults;

	if (!has_test_pmu) {
		ksft_test_result_skip("no PMU that can be pulled\n");
		return;
	}
	if (others_are_at_work()) {
		ksft_test_result_skip("driver: others are at work\n");
		return;
	}
	events = test_pmu_parameter("events");
	mappings = test_pmu_parameter("mappings");
	faults = test_pmu_parameter("faults");
	test_pmu_unload();
	ksft_test_result(!events && !mappings && !faults,
			 "driver: %ld events, %ld mappings, %ld faults\n",
			 events, mappings, faults);
}

static void run(unsigned int seconds, __u64 seed)
{
	static struct books before, after;
	char paranoid[16];
	int failed;

	snprintf(paranoid, sizeof(paranoid), "%ld", read_long(PARANOID));
	write_text(PARANOID, "0");
	open_books(&before);
	failed = churn(seconds, seed);
	while (waitpid(-1, NULL, 0) > 0)
		;
	show_work();
	close_books(&before, &after);
	write_text(PARANOID, paranoid);
	ksft_test_result(!failed && !shared->storm.wrong,
			 "%d processes and %llu opens went wrong\n", failed,
			 (unsigned long long)shared->storm.wrong);
	report_pinned();
	report_driver();
	report_books(&before, &after);
}

int main(int argc, char **argv)
{
	unsigned int seconds = 5;
	__u64 seed = now_ns();

	storm_if_executed(argc, argv);
	if (argc > 1)
		seconds = atoi(argv[1]);
	if (argc > 2)
		nr_workers = atoi(argv[2]);
	if (nr_workers < 1 || nr_workers > MAX_WORKERS)
		nr_workers = 8;
	if (argc > 3)
		seed = strtoull(argv[3], NULL, 0);
	ksft_print_header();
	set_up();
	ksft_set_plan(3 + BOOKS_RESULTS);
	ksft_print_msg("%u seconds, %d workers, %d CPUs, seed %llu\n", seconds,
		       nr_workers, storm_cpus, (unsigned long long)seed);
	run(seconds, seed);
	ksft_finished();
}
