// SPDX-License-Identifier: GPL-2.0
/*
 * The sum over a family of tasks is exact. A random tree of processes and
 * threads makes a known number of system calls while its members fork, move
 * between CPUs, exec, exit, and open events on themselves and on each other. An
 * inherited event on the root of the tree must have counted each of them once,
 * while they run as well as after they have gone.
 *
 * In hardware the calls are instructions that read a counter: the model of a
 * PMU emulates these, and has an event that counts them one by one.
 *
 *	inherit_sum [SEED]
 *
 * The seed of a run is printed. It repeats the decisions, not the timing.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "perf_lib.h"

#define MAX_NODES	120
#define MAX_BURST	20
#define MAX_STEPS	24
#define MAX_OFFSPRING	6
#define MAX_CPUS	64
#define EVENTS		3

#define RDPMC_SYSFS	"/sys/bus/event_source/devices/cpu/rdpmc"
#define MODEL_RATES	"/sys/kernel/debug/x86_pmu_model/rates"
#define USER_RDPMC	0x01df

/* Shared by all nodes, in a file that stays open across an exec. */
struct slot {
	pid_t tid;
	__u64 started;
	__u64 made;
};

struct shared {
	__u64 started;		/* before each call */
	__u64 made;		/* after it */
	int live;
	int nr_slots;
	int failed;
	__u32 tracepoint;
	__u32 by_filter;
	__u32 hardware;
	struct slot slot[MAX_NODES];
};

static struct shared nobody, *shared = &nobody;
static int shared_fd = -1;

#define ADD(var, n)	__atomic_add_fetch(&(var), n, __ATOMIC_SEQ_CST)
#define LOAD(var)	__atomic_load_n(&(var), __ATOMIC_SEQ_CST)

#define MISS(cond, ...) \
	((cond) ? (void)0 : \
	 (test_note(__FILE__, __LINE__, __VA_ARGS__), (void)ADD(shared->failed, 1)))

static __u64 rnd_child(__u64 *state)
{
	rnd(state, 2);
	return rnd_seed(*state);
}

static void read_counter(void)
{
#ifdef __x86_64__
	asm volatile("rdpmc" : : "c" (0) : "eax", "edx");
#endif
}

/* The call that is counted. */
static void make_call(void)
{
	if (LOAD(shared->hardware))
		read_counter();
	else
		syscall(SYS_getppid);
}

/* Events that count the calls. */
static struct perf_event_attr call_attr(void)
{
	struct perf_event_attr attr;

	if (!LOAD(shared->hardware))
		return make_attr(PERF_TYPE_TRACEPOINT,
				 LOAD(shared->tracepoint));
	attr = make_attr(PERF_TYPE_RAW, USER_RDPMC);
	attr.exclude_kernel = 1;
	return attr;
}

/* A node's other events: there are not enough counters for all of them. */
static struct perf_event_attr node_attr(void)
{
	if (LOAD(shared->hardware))
		return sw_attr(PERF_COUNT_SW_DUMMY);
	return call_attr();
}

static void set_filter(int fd)
{
	char text[32];

	snprintf(text, sizeof(text), "id == %d", (int)SYS_getppid);
	MISS(!ioctl(fd, PERF_EVENT_IOC_SET_FILTER, text), "filter: %s",
	     strerror(errno));
}

/* Return: descriptor of an enabled event, or -1. */
static int call_open(struct perf_event_attr *attr, pid_t pid, int cpu,
		     int leader)
{
	int fd;

	/* A pending signal interrupts the open, even one that is ignored. */
	do {
		fd = perf_open(attr, pid, cpu, leader, PERF_FLAG_FD_CLOEXEC);
	} while (fd < 0 && errno == EINTR);
	if (fd < 0)
		return fd;
	if (LOAD(shared->by_filter) && attr->type == PERF_TYPE_TRACEPOINT)
		set_filter(fd);
	event_enable(fd);
	return fd;
}

/* A node of the tree: a process, or a thread. */
struct node {
	__u64 rnd;
	struct slot *slot;
	int steps;
	bool is_thread;
	pid_t child[MAX_OFFSPRING];
	pthread_t thread[MAX_OFFSPRING];
	int nr_children;
	int nr_threads;

	/* An event that the node opens on itself. */
	int own;
	bool own_inherits;
	__u64 own_since;

	/* An event that the node opens on another node. */
	int peer;
	struct slot *peer_slot;
	__u64 peer_started, peer_made;
};

/* Threads of this process besides the first. */
static int nr_other_threads;
static cpu_set_t usable;

static void find_cpus(void)
{
	int cpu;

	CPU_ZERO(&usable);
	for (cpu = 0; cpu < MAX_CPUS; cpu++)
		CPU_SET(cpu, &usable);
	sched_setaffinity(0, sizeof(usable), &usable);
	sched_getaffinity(0, sizeof(usable), &usable);
}

static void node_calls(struct node *node)
{
	int count = 1 + rnd(&node->rnd, MAX_BURST);

	while (count--) {
		ADD(node->slot->started, 1);
		ADD(shared->started, 1);
		make_call();
		ADD(node->slot->made, 1);
		ADD(shared->made, 1);
	}
}

static void node_move(struct node *node)
{
	int cpu = rnd(&node->rnd, MAX_CPUS), left = MAX_CPUS;
	cpu_set_t set;

	while (!CPU_ISSET(cpu, &usable) && left--)
		cpu = (cpu + 1) % MAX_CPUS;
	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	sched_setaffinity(0, sizeof(set), &set);
	if (rnd(&node->rnd, 2))
		sched_setaffinity(0, sizeof(usable), &usable);
}

static void node_rest(struct node *node)
{
	if (rnd(&node->rnd, 2))
		sched_yield();
	else
		usleep(rnd(&node->rnd, 500));
}

/* A node's event on itself: exact or, with children, a lower bound. */
static void node_own_open(struct node *node)
{
	struct perf_event_attr attr = node_attr();

	node->own_inherits = !rnd(&node->rnd, 3);
	attr.inherit = node->own_inherits;
	node->own = call_open(&attr, 0, -1, -1);
	MISS(node->own >= 0, "own event: %s", strerror(errno));
	node->own_since = node->slot->made;
}

static void node_own_close(struct node *node)
{
	__u64 want = node->slot->made - node->own_since;
	__u64 got = read_count(node->own);

	if (LOAD(shared->hardware))
		want = 0;
	MISS(node->own_inherits ? got >= want : got == want,
	     "own event: %llu of %llu calls", (unsigned long long)got,
	     (unsigned long long)want);
	close(node->own);
	node->own = -1;
}

static void node_own(struct node *node)
{
	if (node->own < 0)
		node_own_open(node);
	else
		node_own_close(node);
}

/*
 * Between the open and the read the other node made at least the calls that it
 * began after the open and had finished before the read.
 */
static void node_peer_open(struct node *node)
{
	struct perf_event_attr attr = node_attr();
	int nr = LOAD(shared->nr_slots);
	struct slot *slot = &shared->slot[rnd(&node->rnd, nr)];
	pid_t tid = LOAD(slot->tid);

	if (!tid)
		return;
	node->peer_made = LOAD(slot->made);
	node->peer = call_open(&attr, tid, -1, -1);
	node->peer_started = LOAD(slot->started);
	node->peer_slot = slot;
	MISS(node->peer >= 0 || errno == ESRCH, "event on another: %s",
	     strerror(errno));
}

static void node_peer_close(struct node *node)
{
	__u64 made = LOAD(node->peer_slot->made), started, got;

	got = read_count(node->peer);
	started = LOAD(node->peer_slot->started);
	MISS(LOAD(shared->hardware) || made < node->peer_started ||
	     got >= made - node->peer_started,
	     "event on another: %llu, at least %llu", (unsigned long long)got,
	     (unsigned long long)(made - node->peer_started));
	MISS(got <= started - node->peer_made,
	     "event on another: %llu, at most %llu", (unsigned long long)got,
	     (unsigned long long)(started - node->peer_made));
	close(node->peer);
	node->peer = -1;
}

static void node_peer(struct node *node)
{
	if (node->peer < 0)
		node_peer_open(node);
	else
		node_peer_close(node);
}

/* Children. Return: a slot for one more, NULL when the tree is large enough. */
static struct slot *slot_get(void)
{
	int n = __atomic_fetch_add(&shared->nr_slots, 1, __ATOMIC_SEQ_CST);

	if (n < MAX_NODES) {
		ADD(shared->live, 1);
		return &shared->slot[n];
	}
	ADD(shared->nr_slots, -1);
	return NULL;
}

/* A node's whole life; set by main(), because its steps make nodes. */
static void (*node_life)(struct node *node);

static void node_init(struct node *node, __u64 seed, struct slot *slot)
{
	memset(node, 0, sizeof(*node));
	node->rnd = seed;
	node->slot = slot;
	node->steps = 1 + rnd(&node->rnd, MAX_STEPS);
	node->own = -1;
	node->peer = -1;
}

static void process_body(__u64 seed, struct slot *slot)
{
	struct node node;

	nr_other_threads = 0;
	node_init(&node, seed, slot);
	node_life(&node);
	_exit(0);
}

/* A child closes the events that its parent has opened, or keeps them open. */
static void node_forget(struct node *node)
{
	if (rnd(&node->rnd, 4)) {
		close(node->own);
		close(node->peer);
	}
}

static void node_fork(struct node *node)
{
	__u64 seed = rnd_child(&node->rnd);
	struct slot *slot;
	pid_t pid;

	if (node->nr_children == MAX_OFFSPRING)
		return;
	slot = slot_get();
	if (!slot)
		return;
	pid = fork();
	if (!pid) {
		node_forget(node);
		process_body(seed, slot);
	}
	MISS(pid > 0, "fork: %s", strerror(errno));
	if (pid > 0)
		node->child[node->nr_children++] = pid;
	else
		ADD(shared->live, -1);
}

static void *thread_body(void *arg)
{
	struct node *node = arg;

	node_life(node);
	free(node);
	ADD(nr_other_threads, -1);
	return NULL;
}

static void node_thread(struct node *node)
{
	struct node *new;
	struct slot *slot;

	if (node->nr_threads == MAX_OFFSPRING)
		return;
	slot = slot_get();
	if (!slot)
		return;
	new = malloc(sizeof(*new));
	CHECK(new, "out of memory");
	node_init(new, rnd_child(&node->rnd), slot);
	new->is_thread = true;
	ADD(nr_other_threads, 1);
	if (!pthread_create(&node->thread[node->nr_threads], NULL, thread_body,
			    new)) {
		node->nr_threads++;
		return;
	}
	MISS(false, "thread: %s", strerror(errno));
	ADD(nr_other_threads, -1);
	ADD(shared->live, -1);
	free(new);
}

static void node_close_all(struct node *node)
{
	if (node->own >= 0)
		node_own_close(node);
	if (node->peer >= 0)
		node_peer_close(node);
}

/* The node continues in a new program; its children become the root's. */
static void node_exec(struct node *node)
{
	char fd[16], seed[32], slot[16], steps[16];

	if (node->is_thread || LOAD(nr_other_threads))
		return;
	node_close_all(node);
	snprintf(fd, sizeof(fd), "%d", shared_fd);
	snprintf(seed, sizeof(seed), "%llu", (unsigned long long)node->rnd);
	snprintf(slot, sizeof(slot), "%d", (int)(node->slot - shared->slot));
	snprintf(steps, sizeof(steps), "%d", node->steps);
	execl("/proc/self/exe", "inherit_sum", "node", fd, seed, slot, steps,
	      NULL);
	MISS(false, "exec: %s", strerror(errno));
}

/* A node's steps, each line equally likely. */
static void (*const node_steps[])(struct node *node) = {
	node_calls,
	node_calls,
	node_calls,
	node_calls,
	node_fork,
	node_fork,
	node_thread,
	node_move,
	node_rest,
	node_own,
	node_peer,
	node_exec,
};

/* Some nodes wait for their children, others leave them behind. */
static void node_leave(struct node *node)
{
	bool wait = rnd(&node->rnd, 2);
	int i;

	for (i = 0; wait && i < node->nr_children; i++)
		waitpid(node->child[i], NULL, 0);
	/*
	 * Threads of a process that exits would not finish their calls.
	 * pthread_exit() takes locks that a fork may have copied.
	 */
	if (!wait && !node->is_thread && node->nr_threads) {
		ADD(shared->live, -1);
		syscall(SYS_exit, 0);
	}
	for (i = 0; i < node->nr_threads; i++)
		pthread_join(node->thread[i], NULL);
	ADD(shared->live, -1);
}

static void node_run(struct node *node)
{
	node->slot->tid = syscall(SYS_gettid);
	while (node->steps-- > 0)
		node_steps[rnd(&node->rnd, ARRAY_SIZE(node_steps))](node);
	node_close_all(node);
	node_leave(node);
}

/* argv: "node", file, random state, slot, steps. */
static int node_main(char **argv)
{
	struct node node;

	shared_fd = atoi(argv[2]);
	shared = map_memory(shared_fd, sizeof(*shared));
	find_cpus();
	node_init(&node, strtoull(argv[3], NULL, 0),
		  &shared->slot[atoi(argv[4])]);
	node.steps = atoi(argv[5]);
	node_run(&node);
	return 0;
}

/* The tree as a whole, and the events on it. */
struct variant {
	struct test_row row;
	bool per_cpu;
	bool group;
	bool by_filter;
	bool hardware;
	bool on_child;	/* of the reader; else on the reader */
	bool period;	/* changed all the time */
	bool by_task;	/* counts are kept for each task */
	bool disturb;	/* other events come, go, and are switched */
};

static const struct variant variants[] = {
	{ .row = { "any CPU" } },
	{ .row = { "any CPU, by filter" }, .by_filter = true },
	{ .row = { "any CPU, on a child" }, .on_child = true },
	{ .row = { "any CPU, a group, disturbed" }, .group = true, .disturb = true },
	{ .row = { "any CPU, a group on a child, disturbed" }, .group = true,
	  .on_child = true, .disturb = true },
	{ .row = { "any CPU, new periods" }, .period = true },
	{ .row = { "any CPU, by task" }, .by_task = true, .period = true },
	{ .row = { "any CPU, by task, a group on a child" }, .by_task = true,
	  .group = true, .on_child = true, .period = true },
	{ .row = { "one for each CPU" }, .per_cpu = true },
	{ .row = { "one for each CPU, on a child, disturbed" }, .per_cpu = true,
	  .on_child = true, .disturb = true },
	{ .row = { "a group for each CPU" }, .per_cpu = true, .group = true },
	{ .row = { "a group for each CPU, on a child, new periods" }, .per_cpu = true,
	  .group = true, .on_child = true, .period = true, .disturb = true },
	{ .row = { "hardware, any CPU" }, .hardware = true },
	{ .row = { "hardware, a group on a child, disturbed" }, .hardware = true,
	  .group = true, .on_child = true, .disturb = true },
	{ .row = { "hardware, new periods" }, .hardware = true, .period = true },
	{ .row = { "hardware, by task, a group on a child" }, .hardware = true,
	  .by_task = true, .group = true, .on_child = true, .period = true },
	{ .row = { "hardware, one for each CPU" }, .hardware = true,
	  .per_cpu = true },
	{ .row = { "hardware, a group for each CPU, on a child, new periods" },
	  .hardware = true, .per_cpu = true, .group = true, .on_child = true,
	  .period = true, .disturb = true },
};

struct tree {
	const struct variant *variant;
	__u64 rnd;
	int fd[MAX_CPUS][EVENTS];
	int nr_cpus;
	int other;
	pid_t pid;
};

static __u64 first_seed;

static void tree_begin(void *arg)
{
	struct tree *tree = arg;

	struct node node;

	node_init(&node, rnd_child(&tree->rnd), &shared->slot[0]);
	node.steps = 2 * MAX_STEPS;
	node_run(&node);
	_exit(0);
}

/*
 * The last event of a group is of another kind, so that the group is not shared
 * as such. Multiplexed counts are not exact, so hardware events are pinned.
 */
static struct perf_event_attr tree_attr(const struct variant *variant, int i)
{
	struct perf_event_attr attr = call_attr();

	if (i == EVENTS - 1)
		attr = sw_attr(PERF_COUNT_SW_PAGE_FAULTS);
	attr.inherit = 1;
	attr.pinned = variant->hardware && !i;
	attr.sample_period = variant->period ? 1000 : 0;
	if (variant->by_task)
		attr.sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_READ;
	if (variant->group)
		attr.read_format = PERF_FORMAT_GROUP;
	return attr;
}

static void tree_open_cpu(struct tree *tree, int at, int cpu, pid_t pid)
{
	int events = tree->variant->group ? EVENTS : 1, i;
	struct perf_event_attr attr;

	for (i = 0; i < events; i++) {
		attr = tree_attr(tree->variant, i);
		tree->fd[at][i] = call_open(&attr, pid, cpu,
					    i ? tree->fd[at][0] : -1);
		CHECK(tree->fd[at][i] >= 0, "open: %s", strerror(errno));
	}
}

static void tree_open(struct tree *tree, pid_t pid)
{
	int cpu;

	if (!tree->variant->per_cpu) {
		tree_open_cpu(tree, tree->nr_cpus++, -1, pid);
		return;
	}
	for (cpu = 0; cpu < MAX_CPUS; cpu++) {
		if (CPU_ISSET(cpu, &usable))
			tree_open_cpu(tree, tree->nr_cpus++, cpu, pid);
	}
	ring_map(tree->fd[0][0], 1);
}

/* Return: the sum of event @i, or -1 while the group changes its shape. */
static __s64 tree_read(struct tree *tree, int i)
{
	__u64 buf[1 + EVENTS], sum = 0;
	ssize_t len;
	int at;

	for (at = 0; at < tree->nr_cpus; at++) {
		len = read(tree->fd[at][0], buf, sizeof(buf));
		if (len < 0 && errno == ECHILD)
			return -1;
		CHECK(len > 0, "read: %s", strerror(errno));
		sum += tree->variant->group ? buf[1 + i] : buf[0];
	}
	return sum;
}

static void tree_check_running(struct tree *tree)
{
	__u64 made = LOAD(shared->made), started;
	__s64 got = tree_read(tree, 0);

	started = LOAD(shared->started);
	if (got < 0)
		return;
	MISS((__u64)got >= made && (__u64)got <= started,
	     "%lld calls, not in %llu..%llu", (long long)got,
	     (unsigned long long)made, (unsigned long long)started);
}

/* Without a buffer, which needs an event of a CPU, a poll reports nothing. */
static bool tree_is_hup(struct tree *tree)
{
	struct pollfd poll_fd = { .fd = tree->fd[0][0], .events = POLLIN };

	CHECK(poll(&poll_fd, 1, 0) >= 0, "poll: %s", strerror(errno));
	return poll_fd.revents & POLLHUP;
}

static void tree_change_period(struct tree *tree)
{
	__u64 period = 100 + rnd(&tree->rnd, 10000);
	int at = rnd(&tree->rnd, tree->nr_cpus);

	MISS(!ioctl(tree->fd[at][0], PERF_EVENT_IOC_PERIOD, &period),
	     "period: %s", strerror(errno));
}

/* Opens an event on the task that is the root, while it exists. */
static void tree_open_other(struct tree *tree)
{
	struct perf_event_attr attr = sw_attr(PERF_COUNT_SW_PAGE_FAULTS);

	attr.inherit = rnd(&tree->rnd, 2);
	tree->other = perf_open(&attr, tree->pid, -1, -1, 0);
	MISS(tree->other >= 0 || errno == ESRCH, "another event: %s",
	     strerror(errno));
}

static void tree_disturb(struct tree *tree)
{
	int at = rnd(&tree->rnd, tree->nr_cpus);
	int *sibling = &tree->fd[at][EVENTS - 1];

	switch (rnd(&tree->rnd, 6)) {
	case 0:
		if (tree->other >= 0)
			close(tree->other);
		tree_open_other(tree);
		break;
	case 1:
		if (tree->other >= 0)
			event_enable(tree->other);
		break;
	case 2:
		if (tree->other >= 0)
			event_disable(tree->other);
		break;
	case 3:
		if (tree->other >= 0)
			event_reset(tree->other);
		break;
	case 4:
		if (*sibling > 0 && !rnd(&tree->rnd, 20)) {
			close(*sibling);
			*sibling = -1;
		}
		break;
	}
}

static void tree_watch(struct tree *tree)
{
	const struct variant *variant = tree->variant;
	bool hup;

	while (LOAD(shared->live)) {
		tree_check_running(tree);
		hup = variant->per_cpu && tree_is_hup(tree);
		MISS(!hup || !LOAD(shared->live), "hung up too early");
		if (variant->period)
			tree_change_period(tree);
		if (variant->disturb)
			tree_disturb(tree);
		usleep(rnd(&tree->rnd, 2000));
	}
	while (wait(NULL) > 0)
		;
}

static void tree_check_end(struct tree *tree)
{
	__u64 made = LOAD(shared->made);
	__s64 got = tree_read(tree, 0);

	CHECK(LOAD(shared->started) == made, "calls that did not return");
	CHECK(made, "no calls");
	CHECK((__u64)got == made, "%lld of %llu calls", (long long)got,
	      (unsigned long long)made);
	if (tree->variant->group && tree->fd[0][1] >= 0)
		CHECK(tree_read(tree, 1) == got, "sibling %lld, leader %lld",
		      (long long)tree_read(tree, 1), (long long)got);
	if (tree->variant->per_cpu)
		CHECK(tree_is_hup(tree) == tree->variant->on_child, "hang-up");
	CHECK(!LOAD(shared->failed), "%d misses", LOAD(shared->failed));
}

/* Lets programs read counters whether or not they have mapped an event. */
static void find_model(void)
{
	char rates[8192] = "";
	int fd = open(MODEL_RATES, O_RDONLY);

	if (fd < 0 || read(fd, rates, sizeof(rates) - 1) <= 0 ||
	    !strstr(rates, "user-rdpmc"))
		test_skip("no model of a PMU that counts RDPMC");
	close(fd);
	if (!write_text(RDPMC_SYSFS, "2"))
		test_skip("cannot write " RDPMC_SYSFS);
}

static void find_calls(const struct variant *variant)
{
	shared->hardware = variant->hardware;
	if (variant->hardware) {
		find_model();
		return;
	}
	shared->by_filter = variant->by_filter;
	shared->tracepoint = tracepoint_id(variant->by_filter ?
					   "raw_syscalls/sys_enter" :
					   "syscalls/sys_enter_getppid");
}

static void begin_sharing(const struct variant *variant)
{
	shared_fd = memory_fd("inherit_sum", sizeof(*shared));
	shared = map_memory(shared_fd, sizeof(*shared));
	find_calls(variant);
}

/* Calls before the reset do not count. */
static void tree_reset(struct tree *tree)
{
	int events = tree->variant->group ? EVENTS : 1, at, i;

	make_call();
	for (at = 0; at < tree->nr_cpus; at++) {
		for (i = 0; i < events; i++)
			event_reset(tree->fd[at][i]);
	}
}

static void tree_run(const void *row)
{
	const struct variant *variant = row;
	struct tree tree = {
		.variant = variant,
		.rnd	 = rnd_seed(first_seed + (variant - variants)),
		.other	 = -1,
	};
	struct helper helper;

	begin_sharing(variant);
	find_cpus();
	CHECK(!prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0), "subreaper");
	shared->nr_slots = 1;
	shared->live = 1;
	if (!variant->on_child)
		tree_open(&tree, 0);
	helper = helper_start(tree_begin, &tree);
	tree.pid = helper.pid;
	if (variant->on_child)
		tree_open(&tree, helper.pid);
	tree_reset(&tree);
	helper_go(&helper);
	tree_watch(&tree);
	tree_check_end(&tree);
}

/* A copy of this program that gains privileges; its calls do not count. */
static char privileged[] = "/tmp/inherit_sum.XXXXXX";

static void copy_self(int to)
{
	int from = open("/proc/self/exe", O_RDONLY);
	ssize_t len;

	CHECK(from >= 0, "own program: %s", strerror(errno));
	do {
		len = copy_file_range(from, NULL, to, NULL, 1 << 20, 0);
		if (len < 0)
			len = sendfile(to, from, NULL, 1 << 20);
	} while (len > 0);
	CHECK(!len && !fchmod(to, 04755), "copy: %s", strerror(errno));
	close(from);
	close(to);
}

static void calls(int count)
{
	while (count--)
		make_call();
}

static void gain_privileges(void *arg)
{
	(void)arg;
	become_nobody();
	calls(10);
	execl(privileged, "inherit_sum", "calls", "1000", NULL);
	CHECK(0, "exec: %s", strerror(errno));
}

static void ten_calls(void *arg)
{
	(void)arg;
	calls(10);
}

static void privileged_exec(void)
{
	struct perf_event_attr attr;
	struct helper before;
	int fd;

	begin_sharing(&variants[0]);
	copy_self(mkstemp(privileged));
	attr = call_attr();
	attr.inherit = 1;
	fd = call_open(&attr, 0, -1, -1);
	CHECK(fd >= 0, "open: %s", strerror(errno));
	before = helper_start(ten_calls, NULL);
	run_child(gain_privileges, NULL);
	unlink(privileged);
	CHECK(read_count(fd) == 10, "%llu calls, 10 of them its own",
	      (unsigned long long)read_count(fd));
	run_child(ten_calls, NULL);
	helper_go(&before);
	helper_join(&before);
	CHECK(read_count(fd) == 30, "%llu of 30 calls",
	      (unsigned long long)read_count(fd));
}

static void call_while_told(void *arg)
{
	(void)arg;
	pin_to_cpu(second_cpu());
	while (LOAD(shared->live)) {
		make_call();
		ADD(shared->made, 1);
	}
}

/* By chance some opens hit the task in the middle of a call. */
static void open_on_caller(pid_t pid, int calls)
{
	struct perf_event_attr attr = sw_attr(PERF_COUNT_SW_DUMMY);
	__u64 until = LOAD(shared->made) + calls;
	int fd;

	while (LOAD(shared->made) < until)
		;
	fd = perf_open(&attr, pid, -1, -1, 0);
	CHECK(fd >= 0, "open: %s", strerror(errno));
	close(fd);
}

/* A task on which an event is opened leaves the family. */
static void opened_on_while_calling(void)
{
	static const struct variant variant = { .per_cpu = true, .group = true };
	struct tree tree = { .variant = &variant };
	struct helper helper;
	int turn;

	begin_sharing(&variant);
	find_cpus();
	second_cpu();
	tree_open(&tree, 0);
	pin_to_cpu(first_cpu());
	for (turn = 0; turn < 300; turn++) {
		shared->live = 1;
		helper = helper_start(call_while_told, NULL);
		helper_go(&helper);
		open_on_caller(helper.pid, 1 + turn % 50);
		ADD(shared->live, -1);
		helper_join(&helper);
		CHECK((__u64)tree_read(&tree, 0) == shared->made &&
		      (__u64)tree_read(&tree, 1) == shared->made,
		      "turn %d: %lld and %lld of %llu calls", turn,
		      (long long)tree_read(&tree, 0),
		      (long long)tree_read(&tree, 1),
		      (unsigned long long)shared->made);
	}
}

static const struct test_case others[] = {
	{ "exec into privilege", privileged_exec },
	{ "opened on while calling", opened_on_while_calling },
};

int main(int argc, char **argv)
{
	node_life = node_run;
	if (argc == 6 && !strcmp(argv[1], "node"))
		return node_main(argv);
	if (argc == 3 && !strcmp(argv[1], "calls")) {
		calls(atoi(argv[2]));
		return 0;
	}
	first_seed = argc > 1 ? strtoull(argv[1], NULL, 0) : (__u64)time(NULL);
	tests_begin(ARRAY_SIZE(variants) + ARRAY_SIZE(others));
	ksft_print_msg("seed %llu\n", (unsigned long long)first_seed);
	/* A throttled event would not count. */
	tests_keep_rate();
	tests_run_rows(variants, ARRAY_SIZE(variants), sizeof(*variants),
		       tree_run);
	tests_run(others, ARRAY_SIZE(others));
	write_text(RDPMC_SYSFS, "1");
	tests_end();
}
