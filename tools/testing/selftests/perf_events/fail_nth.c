// SPDX-License-Identifier: GPL-2.0
/*
 * Every system call of perf_events with one fault: an allocation that finds no
 * memory, or a copy from or to the program that fails. The first one of the
 * call fails, then the second, until none is left. The call succeeds
 * nevertheless, or has an errno that is documented. Then it is made again
 * without a fault, and succeeds; and when all is closed, the kernel has what it
 * had before. Needs a kernel with fault injection.
 *
 *	fail_nth [STRIDE]
 *
 * With a stride only each STRIDE-th fault is tried, from a random one on.
 * inherit_faults checks that events count right after a fault.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <linux/hw_breakpoint.h>
#include <linux/membarrier.h>
#include <linux/perf_event_ext.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/sendfile.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "bpf_insns.h"
#include "perf_books.h"
#include "perf_lib.h"
#include "test_pmu.h"

#define FAIL_NTH	"/proc/thread-self/fail-nth"
#define DEBUGFS		"/sys/kernel/debug/"
#define CGROUPS		"/sys/fs/cgroup"
#define TRACE_PMU	"perf_test_aux"
#define FILTER_PMU	"perf_test_filter"

#define MAX_NTH		2000
#define MAX_FDS		4
#define MAX_FORKS	2
#define DATA_PAGES	4
#define AREA_PAGES	4
#define NEVER		1000000000

/* Seconds for a path. */
#define PATH_TIMEOUT	300

/* How long the kernel may take to free what is no longer used. */
#define SETTLE		(20 * NSEC_PER_SEC)
#define QUIET_READS	8

/* Argument of a program that was executed and has to exit at once. */
#define AFTER_EXEC	"--after-exec"

static int stride = 1;
/* Aligned, so that a breakpoint may be longer. */
static __u64 watched;

/* Taken once for each path, by its need(). */
static int program, cgroup;
/* The program that is executed: this one, in memory. */
static int own_program;
static const char *kprobe_symbol;

/* Faults. */

/* Selects the faults: allocations of every kind and size, and copies. */
static void prepare_faults(void)
{
	static const char *const settings[][2] = {
		{ DEBUGFS "failslab/verbose", "0" },
		{ DEBUGFS "failslab/ignore-gfp-wait", "N" },
		{ DEBUGFS "fail_page_alloc/verbose", "0" },
		{ DEBUGFS "fail_page_alloc/ignore-gfp-wait", "N" },
		{ DEBUGFS "fail_page_alloc/min-order", "0" },
		{ DEBUGFS "fail_usercopy/verbose", "0" },
	};
	size_t i;

	if (access(FAIL_NTH, W_OK))
		test_skip("no " FAIL_NTH);
	for (i = 0; i < ARRAY_SIZE(settings); i++)
		if (!write_text(settings[i][0], settings[i][1]))
			test_skip("no %s", settings[i][0]);
}

/* Opened beforehand, because an open would allocate. */
static int open_fault(void)
{
	int fd = open(FAIL_NTH, O_RDWR | O_CLOEXEC);

	CHECK(fd >= 0, FAIL_NTH ": %s", strerror(errno));
	return fd;
}

static bool write_fault(int fd, const char *text)
{
	ssize_t size = strlen(text);

	return pwrite(fd, text, size, 0) == size;
}

/* The last fault, if still pending, may hit the first write, but no other. */
static void arm(int fd, int nth)
{
	char text[16];

	snprintf(text, sizeof(text), "%d", nth);
	CHECK(write_fault(fd, text) || write_fault(fd, text), FAIL_NTH ": %s",
	      strerror(errno));
}

/*
 * If the fault hits the read here, the call under test did not meet it.
 * Return: whether there was a fault.
 */
static bool disarm(int fd)
{
	char text[16] = "";
	bool came = pread(fd, text, sizeof(text) - 1, 0) > 0 && !atoi(text);

	arm(fd, 0);
	return came;
}

/* What the kernel has. */

/* The kernel's own numbers, if it has that view, and what this process has locked. */
struct numbers {
	int nr;
	struct live_number of[MAX_LIVE + 1];
};

static void read_numbers(struct numbers *numbers)
{
	struct live_number *pinned;

	memset(numbers, 0, sizeof(*numbers));
	numbers->nr = read_live(numbers->of);
	pinned = &numbers->of[numbers->nr++];
	snprintf(pinned->name, sizeof(pinned->name), "VmPin");
	pinned->nr = pinned_kb();
}

/* Return: index of a number that differs, or -1. */
static int changed_number(const struct numbers *before,
			  const struct numbers *after)
{
	int i;

	for (i = 0; i < before->nr; i++)
		if (before->of[i].nr != after->of[i].nr)
			return i;
	return -1;
}

/* Waits for a grace period, if the kernel has the call and several CPUs. */
static void wait_some(void)
{
	syscall(SYS_membarrier, MEMBARRIER_CMD_GLOBAL, 0, 0);
	usleep(10000);
}

/* Reads the numbers when they have settled. */
static void quiet_numbers(struct numbers *numbers)
{
	__u64 end = now_ns() + SETTLE;
	struct numbers now;
	int same = 0;

	read_numbers(numbers);
	while (same < QUIET_READS && now_ns() < end) {
		wait_some();
		read_numbers(&now);
		same = changed_number(numbers, &now) < 0 ? same + 1 : 0;
		*numbers = now;
	}
}

/* Return: index of a number that has not returned to its old value, or -1. */
static int wait_for_numbers(const struct numbers *before, struct numbers *after)
{
	__u64 end = now_ns() + SETTLE;
	int changed;

	for (;;) {
		read_numbers(after);
		changed = changed_number(before, after);
		if (changed < 0 || now_ns() > end)
			return changed;
		wait_some();
	}
}

/* What is done. */

typedef struct perf_event_attr (*attr_fn)(void);

enum {
	ON_CHILD	= 1 << 0,	/* events of another task */
	ON_CPU		= 1 << 1,	/* of all tasks on a CPU */
	ON_CGROUP	= 1 << 2,	/* of those of a cgroup */
	INHERIT		= 1 << 3,
	WITH_COPY	= 1 << 4,	/* and there is a copy */
	MAPPED		= 1 << 5,	/* the first has a buffer */
	BY_CHILD	= 1 << 6,	/* a child does it, and ends */
};

struct scene {
	const struct path *path;
	/* The attribute of the row: files are read before the fault. */
	struct perf_event_attr attr;
	int fd[MAX_FDS];
	int nr;
	struct perf_event_mmap_page *page;
	void *area;
	size_t area_size;
	struct helper helper;
	bool helped;
	pid_t forked[MAX_FORKS];
	int nr_forked;
};

/**
 * struct path - a system call, and what is there when it is made
 * @row: its name
 * @need: ends the case where the call cannot be made
 * @leader: event that is opened first, and leads a group
 * @attr: event that is opened next or, if the call is an open, by act()
 * @flags: the flags above
 * @act: makes the call; false, with errno, if it fails
 * @cmd: of an ioctl
 * @argument: of an ioctl, 0 without one
 * @also: an errno that is allowed, beside ENOMEM and EFAULT
 */
struct path {
	struct test_row row;
	void (*need)(void);
	attr_fn leader;
	attr_fn attr;
	unsigned int flags;
	bool (*act)(struct scene *scene);
	unsigned long cmd;
	unsigned long (*argument)(struct scene *scene);
	int also;
};

static int scene_cpu(const struct scene *scene)
{
	return scene->path->flags & (ON_CPU | ON_CGROUP) ? first_cpu() : -1;
}

static int scene_pid(const struct scene *scene)
{
	unsigned int flags = scene->path->flags;

	if (flags & ON_CGROUP)
		return cgroup;
	if (flags & ON_CPU)
		return -1;
	return flags & ON_CHILD ? scene->helper.pid : 0;
}

static unsigned long scene_open_flags(const struct scene *scene)
{
	return PERF_FLAG_FD_CLOEXEC |
	       (scene->path->flags & ON_CGROUP ? PERF_FLAG_PID_CGROUP : 0);
}

static struct perf_event_attr scene_attr(const struct scene *scene, attr_fn make)
{
	struct perf_event_attr attr = make();

	attr.inherit = !!(scene->path->flags & INHERIT);
	if (attr.inherit)
		attr.disabled = 0;
	return attr;
}

/* Return: whether the next event could be opened. */
static bool scene_open(struct scene *scene, struct perf_event_attr attr)
{
	int leader = scene->path->leader && scene->nr ? scene->fd[0] : -1;
	int fd = perf_open(&attr, scene_pid(scene), scene_cpu(scene), leader,
			   scene_open_flags(scene));

	if (fd < 0)
		return false;
	scene->fd[scene->nr++] = fd;
	return true;
}

static void scene_must_open(struct scene *scene, attr_fn make)
{
	CHECK(scene_open(scene, scene_attr(scene, make)), "open: %s",
	      strerror(errno));
}

static size_t map_size(size_t data_pages)
{
	return (1 + data_pages) * sysconf(_SC_PAGESIZE);
}

static bool map_data(struct scene *scene)
{
	void *at = mmap(NULL, map_size(DATA_PAGES), PROT_READ | PROT_WRITE,
			MAP_SHARED, scene->fd[0], 0);

	if (at == MAP_FAILED)
		return false;
	scene->page = at;
	return true;
}

static void idle(void *arg)
{
	(void)arg;
}

static void start_helper(struct scene *scene)
{
	scene->helper = helper_start(idle, NULL);
	scene->helped = true;
}

static bool act_open(struct scene *scene)
{
	return scene_open(scene, scene->attr);
}

static bool act_dry_run(struct scene *scene)
{
	struct perf_event_attr attr = scene->attr;
	char text[128];
	struct perf_event_dry_run run = {
		.size = sizeof(run),
		.attr = (unsigned long)&attr,
		.text = (unsigned long)text,
		.text_size = sizeof(text),
	};

	return !syscall(SYS_perf_event_open, &run, scene_pid(scene),
			scene_cpu(scene), -1, PERF_FLAG_DRY_RUN);
}

static void scene_begin(struct scene *scene, const struct path *path)
{
	memset(scene, 0, sizeof(*scene));
	scene->path = path;
	scene->attr = scene_attr(scene, path->attr);
	if (path->flags & ON_CHILD)
		start_helper(scene);
	if (path->leader)
		scene_must_open(scene, path->leader);
	if (path->act != act_open && path->act != act_dry_run)
		scene_must_open(scene, path->attr);
	if (path->flags & MAPPED)
		CHECK(map_data(scene), "mmap: %s", strerror(errno));
	if (path->flags & WITH_COPY)
		start_helper(scene);
}

static void scene_end(struct scene *scene)
{
	while (scene->nr_forked)
		waitpid(scene->forked[--scene->nr_forked], NULL, 0);
	if (scene->helped) {
		helper_go(&scene->helper);
		helper_join(&scene->helper);
	}
	if (scene->area)
		munmap(scene->area, scene->area_size);
	if (scene->page)
		munmap(scene->page, map_size(DATA_PAGES));
	while (scene->nr)
		close(scene->fd[--scene->nr]);
}

/* Attributes. */

static struct perf_event_attr faults_attr(void)
{
	return sw_attr(PERF_COUNT_SW_PAGE_FAULTS);
}

static struct perf_event_attr clock_attr(void)
{
	struct perf_event_attr attr = sw_attr(PERF_COUNT_SW_CPU_CLOCK);

	attr.sample_type = PERF_SAMPLE_TID;
	attr.sample_period = NEVER;
	return attr;
}

static struct perf_event_attr chain_attr(void)
{
	struct perf_event_attr attr = clock_attr();

	attr.sample_type |= PERF_SAMPLE_CALLCHAIN;
	return attr;
}

static struct perf_event_attr cycles_attr(void)
{
	return hw_attr(PERF_COUNT_HW_CPU_CYCLES);
}

static struct perf_event_attr call_attr(void)
{
	return make_attr(PERF_TYPE_TRACEPOINT,
			 tracepoint_id("syscalls/sys_enter_getppid"));
}

static struct perf_event_attr trap_attr(void)
{
	struct perf_event_attr attr = call_attr();

	attr.sample_period = NEVER;
	attr.remove_on_exec = 1;
	attr.sigtrap = 1;
	return attr;
}

static struct perf_event_attr group_attr(void)
{
	struct perf_event_attr attr = call_attr();

	attr.read_format = PERF_FORMAT_GROUP;
	return attr;
}

static struct perf_event_attr watch_attr(void)
{
	struct perf_event_attr attr = make_attr(PERF_TYPE_BREAKPOINT, 0);

	attr.bp_type = HW_BREAKPOINT_W;
	attr.bp_addr = (unsigned long)&watched;
	attr.bp_len = HW_BREAKPOINT_LEN_1;
	attr.exclude_kernel = 1;
	return attr;
}

/* Records of what a task does, and no samples. */
static struct perf_event_attr records_attr(void)
{
	struct perf_event_attr attr = sw_attr(PERF_COUNT_SW_DUMMY);

	attr.disabled = 0;
	attr.mmap = 1;
	attr.mmap2 = 1;
	attr.comm = 1;
	attr.task = 1;
	return attr;
}

static struct perf_event_attr symbol_attr(void)
{
	struct perf_event_attr attr = make_attr(pmu_type("kprobe"), 0);

	attr.kprobe_func = (unsigned long)kprobe_symbol;
	return attr;
}

extern const char __executable_start[];

/* In this file offsets equal those in memory. */
static struct perf_event_attr place_attr(void)
{
	struct perf_event_attr attr = make_attr(pmu_type("uprobe"), 0);

	attr.uprobe_path = (unsigned long)"/proc/self/exe";
	attr.probe_offset = (unsigned long)idle -
			    (unsigned long)__executable_start;
	return attr;
}

static struct perf_event_attr trace_attr(void)
{
	return test_module_attr(TRACE_PMU, 0);
}

static struct perf_event_attr filter_attr(void)
{
	return test_module_attr(FILTER_PMU, 0);
}

/* Needs. */

static void need_trace(void)
{
	test_module_need(TRACE_PMU);
}

static void need_own_program(void)
{
	int file = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	ssize_t done;

	own_program = memfd_create("fail_nth", MFD_CLOEXEC);
	CHECK(file >= 0 && own_program >= 0, "%s", strerror(errno));
	do {
		done = sendfile(own_program, file, NULL, 1 << 20);
	} while (done > 0);
	CHECK(!done, "sendfile: %s", strerror(errno));
	close(file);
}

static void need_filter(void)
{
	/* The PMU exists while its module is loaded. */
	if (!test_module_load(FILTER_PMU))
		test_skip("no module " FILTER_PMU);
}

static void need_open(struct perf_event_attr attr, const char *what)
{
	int fd = perf_open(&attr, 0, -1, -1, 0);

	if (fd < 0)
		test_skip("no %s: %s", what, strerror(errno));
	close(fd);
}

static void need_uprobe(void)
{
	need_open(place_attr(), "uprobe");
}

/* The name depends on how an architecture enters its system calls. */
static void need_kprobe(void)
{
	static const char *const symbols[] = {
		"__x64_sys_getppid", "__arm64_sys_getppid", "sys_getppid",
	};
	struct perf_event_attr attr;
	size_t i;
	int fd;

	for (i = 0; i < ARRAY_SIZE(symbols); i++) {
		kprobe_symbol = symbols[i];
		attr = symbol_attr();
		fd = perf_open(&attr, 0, -1, -1, 0);
		if (fd < 0)
			continue;
		close(fd);
		return;
	}
	test_skip("no kprobe: %s", strerror(errno));
}

static void need_cgroup(void)
{
	struct perf_event_attr attr = faults_attr();
	int fd;

	cgroup = open(CGROUPS, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (cgroup < 0)
		test_skip(CGROUPS ": %s", strerror(errno));
	fd = perf_open(&attr, cgroup, first_cpu(), -1, PERF_FLAG_PID_CGROUP);
	if (fd < 0)
		test_skip("no events of cgroups: %s", strerror(errno));
	close(fd);
}

static void need_dry_run(void)
{
	struct scene scene;
	const struct path path = { .act = act_dry_run, .attr = faults_attr };

	scene_begin(&scene, &path);
	if (!act_dry_run(&scene))
		test_skip("no PERF_FLAG_DRY_RUN: %s", strerror(errno));
}

static void need_trace_program(void)
{
	program = load_return(BPF_PROG_TYPE_TRACEPOINT, 1);
}

static void need_overflow_program(void)
{
	program = load_return(BPF_PROG_TYPE_PERF_EVENT, 1);
}

static void need_random_period(void)
{
	struct perf_event_random_period how = { .size = sizeof(how) };
	struct perf_event_attr attr = clock_attr();
	int fd = open_self(&attr);

	if (ioctl(fd, PERF_EVENT_IOC_RANDOM_PERIOD, &how))
		test_skip("no PERF_EVENT_IOC_RANDOM_PERIOD: %s", strerror(errno));
	close(fd);
}

/* Uses up the allowance of the user, so that further pages charge the mm. */
static void need_pinning(void)
{
	long kb = read_long("/proc/sys/kernel/perf_event_mlock_kb");
	long page_kb = sysconf(_SC_PAGESIZE) / 1024;
	struct perf_event_attr attr = faults_attr();
	long before = pinned_kb();
	size_t pages = 1;

	while ((long)pages * page_kb < kb * sysconf(_SC_NPROCESSORS_CONF))
		pages *= 2;
	if (mmap(NULL, map_size(pages), PROT_READ | PROT_WRITE, MAP_SHARED,
		 open_self(&attr), 0) == MAP_FAILED)
		test_skip("no buffer of %zu pages: %s", pages, strerror(errno));
	if (pinned_kb() <= before)
		test_skip("the allowance is larger than %zu pages", pages);
}

/* Calls. */

static bool act_map(struct scene *scene)
{
	return map_data(scene);
}

static bool act_map_area(struct scene *scene)
{
	size_t page_size = sysconf(_SC_PAGESIZE);
	void *at;

	scene->page->aux_offset = map_size(DATA_PAGES);
	scene->page->aux_size = AREA_PAGES * page_size;
	at = mmap(NULL, AREA_PAGES * page_size, PROT_READ | PROT_WRITE,
		  MAP_SHARED, scene->fd[0], map_size(DATA_PAGES));
	if (at == MAP_FAILED)
		return false;
	scene->area = at;
	scene->area_size = AREA_PAGES * page_size;
	return true;
}

static bool act_unmap(struct scene *scene)
{
	if (munmap(scene->page, map_size(DATA_PAGES)))
		return false;
	scene->page = NULL;
	return true;
}

/* Makes a mapping whose record has the path of a file. */
static bool act_map_file(struct scene *scene)
{
	size_t size = sysconf(_SC_PAGESIZE);
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	void *at = MAP_FAILED;
	int error;

	if (fd >= 0)
		at = mmap(NULL, size, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);
	error = errno;
	if (fd >= 0)
		close(fd);
	errno = error;
	if (at == MAP_FAILED)
		return false;
	scene->area = at;
	scene->area_size = size;
	return true;
}

static bool act_ioctl(struct scene *scene)
{
	const struct path *path = scene->path;
	int fd = scene->fd[scene->nr - 1];

	return ioctl(fd, path->cmd, path->argument ? path->argument(scene) : 0) >= 0;
}

static bool act_read(struct scene *scene)
{
	__u64 values[16];

	return read(scene->fd[0], values, sizeof(values)) > 0;
}

static bool act_poll(struct scene *scene)
{
	struct pollfd one = { .fd = scene->fd[0], .events = POLLIN };

	return poll(&one, 1, 0) >= 0;
}

static bool act_async(struct scene *scene)
{
	return !fcntl(scene->fd[0], F_SETFL, O_ASYNC);
}

/* The next two calls cannot fail, whatever fault they meet. */

static bool act_close(struct scene *scene)
{
	CHECK(!close(scene->fd[--scene->nr]), "close: %s", strerror(errno));
	return true;
}

static bool act_prctl(struct scene *scene)
{
	(void)scene;
	CHECK(!prctl(PR_TASK_PERF_EVENTS_DISABLE, 0, 0, 0, 0) &&
	      !prctl(PR_TASK_PERF_EVENTS_ENABLE, 0, 0, 0, 0), "prctl: %s",
	      strerror(errno));
	return true;
}

/* The child is waited for later, without faults. */
static bool act_fork(struct scene *scene)
{
	pid_t pid = fork();

	if (!pid)
		_exit(0);
	if (pid < 0)
		return false;
	scene->forked[scene->nr_forked++] = pid;
	return true;
}

/*
 * The program is in memory: a network file system may lose some of its files
 * when a fault hits it.
 */
static bool act_exec(struct scene *scene)
{
	static char *const args[] = { "fail_nth", AFTER_EXEC, NULL };

	(void)scene;
	fexecve(own_program, args, environ);
	return false;
}

/* Does nothing: the call is the exit that follows. */
static bool act_exit(struct scene *scene)
{
	(void)scene;
	return true;
}

/* Arguments. */

static unsigned long arg_one(struct scene *scene)
{
	(void)scene;
	return 1;
}

static unsigned long arg_first_fd(struct scene *scene)
{
	return scene->fd[0];
}

static unsigned long arg_program(struct scene *scene)
{
	(void)scene;
	return program;
}

static unsigned long arg_number(struct scene *scene)
{
	static __u64 number;

	(void)scene;
	number = NEVER;
	return (unsigned long)&number;
}

static unsigned long arg_query(struct scene *scene)
{
	static struct {
		struct perf_event_query_bpf head;
		__u32 ids[4];
	} query;

	(void)scene;
	query.head.ids_len = ARRAY_SIZE(query.ids);
	return (unsigned long)&query;
}

static unsigned long arg_watch(struct scene *scene)
{
	static struct perf_event_attr attr;

	attr = scene_attr(scene, watch_attr);
	attr.bp_len = HW_BREAKPOINT_LEN_2;
	return (unsigned long)&attr;
}

static unsigned long arg_random(struct scene *scene)
{
	static struct perf_event_random_period how;

	(void)scene;
	how = (struct perf_event_random_period) {
		.size = sizeof(how), .share = 1000, .seed = 1,
	};
	return (unsigned long)&how;
}

static unsigned long arg_condition(struct scene *scene)
{
	(void)scene;
	return (unsigned long)"common_pid == 1 || common_pid > 2";
}

static unsigned long arg_places(struct scene *scene)
{
	(void)scene;
	return (unsigned long)"filter 0/1@/proc/self/exe";
}

/* All of it. */
static const struct path paths[] = {
	{ .row = { "open: software" }, .attr = faults_attr, .act = act_open },
	{ .row = { "open: software, of a CPU" }, .attr = faults_attr,
	  .flags = ON_CPU, .act = act_open },
	{ .row = { "open: software, of another task" }, .attr = faults_attr,
	  .flags = ON_CHILD, .act = act_open },
	{ .row = { "open: software, of a cgroup" }, .need = need_cgroup,
	  .attr = faults_attr, .flags = ON_CGROUP, .act = act_open },
	{ .row = { "open: software, to be inherited" }, .attr = faults_attr,
	  .flags = INHERIT, .act = act_open },
	{ .row = { "open: clock, with call chains" }, .attr = chain_attr,
	  .act = act_open },
	{ .row = { "open: hardware" }, .need = need_hardware,
	  .attr = cycles_attr, .act = act_open },
	{ .row = { "open: hardware, of a CPU" }, .need = need_hardware,
	  .attr = cycles_attr, .flags = ON_CPU, .act = act_open },
	{ .row = { "open: hardware, of another task" }, .need = need_hardware,
	  .attr = cycles_attr, .flags = ON_CHILD, .act = act_open },
	{ .row = { "open: a software group moves" }, .need = need_hardware,
	  .leader = faults_attr, .attr = cycles_attr, .act = act_open },
	{ .row = { "open: sibling in a group" }, .leader = group_attr,
	  .attr = group_attr, .act = act_open },
	{ .row = { "open: tracepoint" }, .attr = call_attr, .act = act_open },
	{ .row = { "open: tracepoint, of a CPU" }, .attr = call_attr,
	  .flags = ON_CPU, .act = act_open },
	{ .row = { "open: sigtrap" }, .attr = trap_attr, .act = act_open },
	{ .row = { "open: breakpoint" }, .need = need_breakpoints,
	  .attr = watch_attr, .act = act_open },
	{ .row = { "open: kprobe" }, .need = need_kprobe, .attr = symbol_attr,
	  .act = act_open },
	{ .row = { "open: uprobe" }, .need = need_uprobe, .attr = place_attr,
	  .act = act_open },
	{ .row = { "open: trace" }, .need = need_trace, .attr = trace_attr,
	  .act = act_open },
	{ .row = { "open: address filters" }, .need = need_filter,
	  .attr = filter_attr, .act = act_open },
	{ .row = { "dry run" }, .need = need_dry_run, .attr = faults_attr,
	  .act = act_dry_run },
	{ .row = { "dry run: hardware" }, .need = need_dry_run,
	  .attr = cycles_attr, .act = act_dry_run },

	{ .row = { "mmap" }, .attr = clock_attr, .act = act_map },
	{ .row = { "mmap: beyond the allowance" }, .need = need_pinning,
	  .attr = clock_attr, .act = act_map },
	{ .row = { "mmap: area of a trace" }, .need = need_trace,
	  .attr = trace_attr, .flags = MAPPED, .act = act_map_area },
	{ .row = { "mmap: a file, with records" }, .attr = records_attr,
	  .flags = MAPPED, .act = act_map_file },
	{ .row = { "munmap" }, .attr = clock_attr, .flags = MAPPED,
	  .act = act_unmap },

	{ .row = { "ENABLE" }, .attr = clock_attr, .act = act_ioctl,
	  .cmd = PERF_EVENT_IOC_ENABLE },
	{ .row = { "DISABLE" }, .attr = call_attr, .flags = INHERIT | WITH_COPY,
	  .act = act_ioctl, .cmd = PERF_EVENT_IOC_DISABLE },
	{ .row = { "RESET" }, .attr = call_attr, .flags = INHERIT | WITH_COPY,
	  .act = act_ioctl, .cmd = PERF_EVENT_IOC_RESET },
	{ .row = { "REFRESH" }, .attr = clock_attr, .act = act_ioctl,
	  .cmd = PERF_EVENT_IOC_REFRESH, .argument = arg_one },
	{ .row = { "PERIOD" }, .attr = clock_attr, .act = act_ioctl,
	  .cmd = PERF_EVENT_IOC_PERIOD, .argument = arg_number },
	{ .row = { "RANDOM_PERIOD" }, .need = need_random_period,
	  .attr = clock_attr, .act = act_ioctl,
	  .cmd = PERF_EVENT_IOC_RANDOM_PERIOD, .argument = arg_random },
	{ .row = { "ID" }, .attr = clock_attr, .act = act_ioctl,
	  .cmd = PERF_EVENT_IOC_ID, .argument = arg_number },
	{ .row = { "PAUSE_OUTPUT" }, .attr = clock_attr, .flags = MAPPED,
	  .act = act_ioctl, .cmd = PERF_EVENT_IOC_PAUSE_OUTPUT,
	  .argument = arg_one },
	{ .row = { "SET_OUTPUT" }, .leader = clock_attr, .attr = clock_attr,
	  .flags = MAPPED, .act = act_ioctl, .cmd = PERF_EVENT_IOC_SET_OUTPUT,
	  .argument = arg_first_fd },
	{ .row = { "SET_FILTER: tracepoint, with a copy" }, .attr = call_attr,
	  .flags = INHERIT | WITH_COPY, .act = act_ioctl,
	  .cmd = PERF_EVENT_IOC_SET_FILTER, .argument = arg_condition },
	{ .row = { "SET_FILTER: addresses" }, .need = need_filter,
	  .attr = filter_attr, .act = act_ioctl,
	  .cmd = PERF_EVENT_IOC_SET_FILTER, .argument = arg_places },
	{ .row = { "SET_BPF: tracepoint" }, .need = need_trace_program,
	  .attr = call_attr, .act = act_ioctl, .cmd = PERF_EVENT_IOC_SET_BPF,
	  .argument = arg_program },
	{ .row = { "SET_BPF: overflow" }, .need = need_overflow_program,
	  .attr = clock_attr, .act = act_ioctl, .cmd = PERF_EVENT_IOC_SET_BPF,
	  .argument = arg_program },
	{ .row = { "QUERY_BPF" }, .attr = call_attr, .act = act_ioctl,
	  .cmd = PERF_EVENT_IOC_QUERY_BPF, .argument = arg_query },
	{ .row = { "MODIFY_ATTRIBUTES" }, .need = need_breakpoints,
	  .attr = watch_attr, .act = act_ioctl,
	  .cmd = PERF_EVENT_IOC_MODIFY_ATTRIBUTES, .argument = arg_watch },

	{ .row = { "read" }, .attr = call_attr, .act = act_read },
	{ .row = { "read: with a copy" }, .attr = call_attr,
	  .flags = INHERIT | WITH_COPY, .act = act_read },
	{ .row = { "read: a group" }, .leader = group_attr, .attr = group_attr,
	  .act = act_read },
	{ .row = { "read: a group with a copy" }, .leader = group_attr,
	  .attr = group_attr, .flags = INHERIT | WITH_COPY, .act = act_read },
	{ .row = { "poll" }, .attr = clock_attr, .flags = MAPPED,
	  .act = act_poll },
	{ .row = { "O_ASYNC" }, .attr = clock_attr, .act = act_async },
	{ .row = { "close" }, .attr = call_attr, .act = act_close },
	{ .row = { "close: a group with copies" }, .leader = group_attr,
	  .attr = group_attr, .flags = INHERIT | WITH_COPY, .act = act_close },
	{ .row = { "prctl" }, .attr = call_attr, .flags = INHERIT | WITH_COPY,
	  .act = act_prctl },

	{ .row = { "fork" }, .attr = call_attr, .flags = INHERIT,
	  .act = act_fork, .also = EAGAIN },
	{ .row = { "fork: a group" }, .leader = group_attr, .attr = group_attr,
	  .flags = INHERIT, .act = act_fork, .also = EAGAIN },
	{ .row = { "fork: hardware and software" }, .need = need_hardware,
	  .leader = cycles_attr, .attr = faults_attr, .flags = INHERIT,
	  .act = act_fork, .also = EAGAIN },
	{ .row = { "fork: a breakpoint" }, .need = need_breakpoints,
	  .attr = watch_attr, .flags = INHERIT, .act = act_fork,
	  .also = EAGAIN },
	{ .row = { "fork: a group, by a copy" }, .leader = group_attr,
	  .attr = group_attr, .flags = INHERIT | BY_CHILD, .act = act_fork,
	  .also = EAGAIN },
	{ .row = { "exec" }, .need = need_own_program,
	  .leader = group_attr, .attr = group_attr,
	  .flags = INHERIT | BY_CHILD, .act = act_exec },
	{ .row = { "exec: sigtrap, which goes" }, .need = need_own_program,
	  .attr = trap_attr,
	  .flags = INHERIT | BY_CHILD, .act = act_exec },
	{ .row = { "exit" }, .leader = group_attr, .attr = group_attr,
	  .flags = INHERIT | BY_CHILD, .act = act_exit },
};

/* Rounds. */

static bool is_documented(const struct path *path, int error)
{
	return error == ENOMEM || error == EFAULT ||
	       (path->also && error == path->also);
}

static void check_error(const struct path *path, int nth, int error)
{
	EXPECT(is_documented(path, error), "fault %d: %s", nth, strerror(error));
}

/* Return: whether there was a fault. */
static bool act_here(struct scene *scene, int nth)
{
	const struct path *path = scene->path;
	int fd = open_fault(), error;
	bool done, came;

	arm(fd, nth);
	done = path->act(scene);
	error = errno;
	came = disarm(fd) && nth;
	close(fd);
	if (done)
		return came;
	CHECK(came, "without a fault: %s", strerror(error));
	check_error(path, nth, error);
	CHECK(path->act(scene), "after fault %d: %s", nth, strerror(errno));
	return true;
}

/* After an exec without memory the program may end in any way. */
static void check_child(const struct path *path, int nth, int status)
{
	if (path->act == act_exec)
		return;
	CHECK(WIFEXITED(status), "fault %d: status %#x", nth, status);
	if (WEXITSTATUS(status))
		check_error(path, nth, WEXITSTATUS(status));
}

/* Faults that are left hit its exit, or the program that it executes. */
static __noreturn void be_child(struct scene *scene, int nth)
{
	int fd = open_fault(), error;

	arm(fd, nth);
	error = scene->path->act(scene) ? 0 : errno;
	while (scene->nr_forked)
		waitpid(scene->forked[--scene->nr_forked], NULL, 0);
	_exit(error);
}

/* Reads from a zombie whether it met the fault. */
static bool fault_came(pid_t pid)
{
	char path[64];
	siginfo_t info;
	long left;

	CHECK(!waitid(P_PID, pid, &info, WEXITED | WNOWAIT), "waitid: %s",
	      strerror(errno));
	snprintf(path, sizeof(path), "/proc/%d/fail-nth", pid);
	left = read_long(path);
	CHECK(left >= 0, "%s: %s", path, strerror(errno));
	return !left;
}

static bool act_by_child(struct scene *scene, int nth)
{
	int status;
	bool came;
	pid_t pid;

	fflush(stdout);
	pid = fork();
	CHECK(pid >= 0, "fork: %s", strerror(errno));
	if (!pid)
		be_child(scene, nth);
	came = fault_came(pid) && nth;
	CHECK(waitpid(pid, &status, 0) == pid, "waitpid: %s", strerror(errno));
	if (came)
		check_child(scene->path, nth, status);
	else
		CHECK(!status, "without a fault: status %#x", status);
	return came;
}

/* Return: whether there was a fault. */
static bool run_round(const struct path *path, int nth)
{
	struct scene scene;
	bool came;

	scene_begin(&scene, path);
	came = path->flags & BY_CHILD ? act_by_child(&scene, nth) :
					act_here(&scene, nth);
	scene_end(&scene);
	return came;
}

/* Repeats the rounds, checking the numbers after each, to find the fault. */
static void find_culprit(const struct path *path, int last)
{
	struct numbers before, after;
	int nth, changed;

	quiet_numbers(&before);
	for (nth = 1; nth <= last; nth++) {
		run_round(path, nth);
		changed = wait_for_numbers(&before, &after);
		if (changed < 0)
			continue;
		ksft_print_msg("fault %d: %s %ld before, %ld afterwards\n", nth,
			       before.of[changed].name,
			       before.of[changed].nr,
			       after.of[changed].nr);
		return;
	}
}

static void run_path(const void *row)
{
	const struct path *path = row;
	struct numbers before, after;
	int nth = 1 + getpid() % stride, faults = 0, changed;

	prepare_faults();
	alarm(PATH_TIMEOUT);
	pin_to_cpu(first_cpu());
	if (path->need)
		path->need();
	/* The first round takes what is taken once and kept. */
	run_round(path, 0);
	quiet_numbers(&before);
	while (nth < MAX_NTH && run_round(path, nth)) {
		nth += stride;
		faults++;
	}
	CHECK(nth < MAX_NTH, "no end of faults");
	ksft_print_msg("%d faults, %d numbers\n", faults, before.nr);
	changed = wait_for_numbers(&before, &after);
	if (changed < 0)
		return;
	EXPECT(0, "%s: %ld before, %ld afterwards", before.of[changed].name,
	       before.of[changed].nr, after.of[changed].nr);
	find_culprit(path, nth);
}

int main(int argc, char **argv)
{
	if (argc > 1 && !strcmp(argv[1], AFTER_EXEC))
		return 0;
	if (argc > 1)
		stride = atoi(argv[1]);
	if (stride < 1) {
		fprintf(stderr, "usage: %s [STRIDE]\n", argv[0]);
		return KSFT_FAIL;
	}
	tests_begin(ARRAY_SIZE(paths));
	tests_run_rows(paths, ARRAY_SIZE(paths), sizeof(*paths), run_path);
	tests_end();
}
