// SPDX-License-Identifier: GPL-2.0
/*
 * A user without privilege can read nothing about the kernel and about other
 * users' tasks that the level of perf_event_paranoid does not allow. The user
 * is nobody; or root of a new user namespace; or root of a container, which has
 * further namespaces, among them one of process ids.
 *
 * The user opens an event of each source, with all bits of sample_type, read_format and
 * the flags that are permitted, on an own task and on a CPU, and provokes records.
 * Meanwhile a task of root, the victim, works on the same CPU. The test examines every
 * field of every record that the user gets, and everything else that perf_events show.
 * As a control, the same examination as root must find each kind of secret.
 */
#define _GNU_SOURCE
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <linux/hw_breakpoint.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "bpf_insns.h"
#include "dry_run.h"
#include "perf_lib.h"

#define PARANOID	"/proc/sys/kernel/perf_event_paranoid"
#define UNPRIVILEGED_BPF "/proc/sys/kernel/unprivileged_bpf_disabled"
#define PROBES		"/sys/kernel/tracing/kprobe_events"
#define DEVICES		"/sys/bus/event_source/devices"
#define LOWEST		-1
#define HIGHEST		3

/* The victim's name, a file that it maps, and words in its memory. */
#define SECRET_NAME	"s3cr3t-victim"
#define SECRET_HALF	0x5ec3e7ac7eULL

#define MAX_SOURCES	72
#define HW_PERIOD	1000000
#define WAKEUPS		32
#define DATA_PAGES	2
#define MAX_OWN		256
#define BE_NOTHING	"be-nothing"

/* Kinds of secrets. */
enum { KERNEL, TASKS, NAMES, MEMORY, PHYSICAL, SECRETS };

#define BIT(n)		(1U << (n))
#define EVERYTHING	(BIT(SECRETS) - 1)

static const char *const secret_names[SECRETS] = {
	"addresses of the kernel", "numbers of others' tasks",
	"names of others", "memory of others", "physical addresses",
};

/* Shared by all processes of a case. */
static struct shared {
	unsigned int nr_own;
	pid_t own[MAX_OWN];		/* as their own namespace numbers them */
	unsigned int opened;
	unsigned long records;
	unsigned int found[SECRETS];
	char first[SECRETS][96];
} *shared;

static pid_t victim;
static int own_program = -1;

/* Looking. */

__printf(2, 3)
static void found(unsigned int secret, const char *fmt, ...)
{
	va_list args;

	if (shared->found[secret]++)
		return;
	va_start(args, fmt);
	vsnprintf(shared->first[secret], sizeof(shared->first[0]), fmt, args);
	va_end(args);
}

/* By a shift, so that the test itself has no such address in its registers. */
static bool is_kernels(__u64 word)
{
#ifdef __x86_64__
	/*
	 * Between -4 GiB and -2 GiB there is nothing, but pairs whose second is
	 * -1. Above -8 MiB the kernel maps nothing either, and registers of a
	 * program may have small negative numbers.
	 */
	return word >> 47 == 0x1ffff && word >> 23 != 0x1ffffffffff &&
	       word >> 31 != 0x1fffffffe;
#else
	return word >> 60 == 0xc;
#endif
}

static __u64 secret_word(void)
{
	return SECRET_HALF << 24 | 0xe7ac7e;
}

static bool is_secret_word(__u64 word)
{
	return word >> 24 == SECRET_HALF;
}

static void look_at_words(const char *what, const char *at, size_t size)
{
	__u64 word;

	for (; size >= sizeof(word); at += sizeof(word), size -= sizeof(word)) {
		memcpy(&word, at, sizeof(word));
		if (is_kernels(word))
			found(KERNEL, "%s has %#llx", what,
			      (unsigned long long)word);
		if (is_secret_word(word))
			found(MEMORY, "%s has %#llx", what,
			      (unsigned long long)word);
		if (word && !strcmp(what, "PHYS_ADDR"))
			found(PHYSICAL, "%s is %#llx", what,
			      (unsigned long long)word);
	}
}

/* Those that the namespace does not have are 0, those that have gone -1. */
static void look_at_task(const char *what, pid_t nr)
{
	unsigned int i;

	if (!nr || nr == -1)
		return;
	for (i = 0; i < shared->nr_own && i < MAX_OWN; i++)
		if (shared->own[i] == nr)
			return;
	found(TASKS, "%s is %d", what, nr);
}

static void look_at_field(const struct perf_event_header *header,
			  const char *what, const void *at, size_t size,
			  void *arg)
{
	const char *source = arg;
	char where[80];

	snprintf(where, sizeof(where), "%s: record of type %u, %s", source,
		 header->type, what);
	if (size == sizeof(pid_t) && (!strcmp(what, "pid") || !strcmp(what, "tid")))
		look_at_task(where, *(const pid_t *)at);
	else if (!strcmp(what, "PHYS_ADDR"))
		look_at_words(what, at, size);
	else
		look_at_words(where, at, size);
	if (memmem(at, size, SECRET_NAME, strlen(SECRET_NAME)))
		found(NAMES, "%s", where);
}

/*
 * Sixteen hexadecimal digits or more, of which the first are those of kernel
 * addresses.
 */
static void look_at_text(const char *what, const char *text)
{
	size_t digits;

	for (; *text; text += digits ?: 1) {
		for (digits = 0; isxdigit(text[digits]); digits++)
			;
		if (digits == 16 && is_kernels(strtoull(text, NULL, 16)))
			found(KERNEL, "%s says %.16s", what, text);
	}
}

static void look_at_file(const char *path)
{
	static char text[65536];
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_NOFOLLOW);
	ssize_t size;

	if (fd < 0)
		return;
	size = read(fd, text, sizeof(text) - 1);
	close(fd);
	if (size <= 0)
		return;
	text[size] = 0;
	look_at_text(path, text);
	if (strstr(text, SECRET_NAME))
		found(NAMES, "%s", path);
}

/* Devices are links to folders, in which others are not followed. */
static void look_at_folder(const char *path, int depth)
{
	DIR *folder = opendir(path);
	struct dirent *entry;
	char name[PATH_MAX];

	while (folder && (entry = readdir(folder))) {
		if (entry->d_name[0] == '.')
			continue;
		snprintf(name, sizeof(name), "%s/%s", path, entry->d_name);
		if (entry->d_type == DT_REG)
			look_at_file(name);
		else if (depth && (entry->d_type == DT_DIR || depth == 3))
			look_at_folder(name, depth - 1);
	}
	if (folder)
		closedir(folder);
}

/* Words that may be negative, as they are added to the counter or the clock. */
static void look_at_page(const char *source, struct perf_event_mmap_page page)
{
	char what[64];

	page.offset = 0;
	page.time_offset = 0;
	page.time_zero = 0;
	snprintf(what, sizeof(what), "%s: user page", source);
	look_at_words(what, (char *)&page, sizeof(page));
}

/* The victim. */

static void victims_child(void)
{
	char *file = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_SHARED,
			  own_program, 0);

	munmap(file, 4096);
	touch_pages(4);
	_exit(0);
}

/* Keeps the word on its stack and in registers, whenever it may be seen. */
static void be_victim(int mapped, int from, int to)
{
	__u64 words[64], word = secret_word();
	unsigned int i;
	char byte;

	prctl(PR_SET_NAME, SECRET_NAME);
	for (i = 0; i < ARRAY_SIZE(words); i++)
		words[i] = word;
	for (;;) {
		pid_t child = fork();

		if (!child)
			victims_child();
		waitpid(child, NULL, 0);
		munmap(mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_SHARED,
			    mapped, 0), 4096);
		prctl(PR_SET_NAME, SECRET_NAME);
		touch_pages(8);
		asm volatile("" : "+r" (word) : "r" (words) : "memory");
		/* Wakes the task that waits for it. */
		if (read(from, &byte, 1) == 1 && write(to, &byte, 1) != 1)
			break;
		usleep(200);
	}
	_exit(1);
}

static int to_victim[2], from_victim[2];

static void start_victim(void)
{
	int mapped = memory_fd(SECRET_NAME, 4096);

	CHECK(!pipe2(to_victim, O_CLOEXEC | O_NONBLOCK) && !pipe(from_victim),
	      "pipe: %s", strerror(errno));
	victim = fork();
	CHECK(victim >= 0, "fork: %s", strerror(errno));
	if (!victim)
		be_victim(mapped, to_victim[0], from_victim[1]);
	close(mapped);
	usleep(1000);
}

/* Provoking. */

static void own_task(void)
{
	unsigned int i = __atomic_fetch_add(&shared->nr_own, 1, __ATOMIC_RELAXED);

	CHECK(i < MAX_OWN, "more tasks than the table has room for");
	shared->own[i] = getpid();
}

static char watched_byte;

static void ignore_signal(int nr)
{
	(void)nr;
}

/* The kernel, not the program, is the first to touch the pages. */
static void let_kernel_touch(void)
{
	int zeros = open("/dev/zero", O_RDONLY);
	size_t size = 16 * 4096;
	char *at = mmap(NULL, size, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	CHECK(at != MAP_FAILED, "mmap: %s", strerror(errno));
	if (zeros >= 0 && read(zeros, at, size) < 0)
		test_remark("/dev/zero: %s", strerror(errno));
	close(zeros);
	munmap(at, size);
}

static void execute_nothing(void)
{
	char *const argv[] = { "own", BE_NOTHING, NULL }, *const envp[] = { NULL };

	own_task();
	touch_pages(4);
	fexecve(own_program, argv, envp);
	_exit(0);
}

/* Where nobody may load programs, this does nothing. */
static void load_program(void)
{
	const struct bpf_insn insns[] = { SET(BPF_REG_0, 0), LEAVE };

	close(try_load(BPF_PROG_TYPE_SOCKET_FILTER, insns, ARRAY_SIZE(insns), 0));
}

/* For its first user the function tracer generates code. */
static void count_probe(int probe)
{
	struct perf_event_attr attr = make_attr(PERF_TYPE_TRACEPOINT, probe);
	int fd;

	if (probe < 0)
		return;
	attr.exclude_kernel = 1;
	fd = perf_open(&attr, 0, -1, -1, 0);
	if (fd >= 0)
		close(fd);
}

static void provoke(int probe)
{
	unsigned int i;
	pid_t child;

	signal(SIGUSR1, ignore_signal);
	load_program();
	count_probe(probe);
	for (i = 0; i < 2; i++) {
		touch_pages(8);
		let_kernel_touch();
		poke(&watched_byte);
		syscall(SYS_getppid);
		raise(SIGUSR1);
		usleep(1000);
		prctl(PR_SET_NAME, i & 1 ? "own-one" : "own-other");
		child = fork();
		if (!child)
			execute_nothing();
		waitpid(child, NULL, 0);
		burn_ms(4);
	}
}

/* Sources of events. */

struct source {
	char name[40];
	struct perf_event_attr attr;
	int fd;
	struct perf_ring *ring;
};

static struct source sources[MAX_SOURCES];
static unsigned int nr_sources;
static int probe_id = -1;

__printf(2, 3)
static void add_source(struct perf_event_attr attr, const char *fmt, ...)
{
	struct source *source = &sources[nr_sources++];
	va_list args;

	CHECK(nr_sources <= MAX_SOURCES, "more sources than there is room for");
	if (!attr.sample_period)
		attr.sample_period = 1;
	source->attr = attr;
	va_start(args, fmt);
	vsnprintf(source->name, sizeof(source->name), fmt, args);
	va_end(args);
}

static void add_software(void)
{
	struct perf_event_attr attr;
	unsigned int i;

	for (i = 0; i < PERF_COUNT_SW_MAX; i++) {
		attr = sw_attr(i);
		if (i == PERF_COUNT_SW_CPU_CLOCK || i == PERF_COUNT_SW_TASK_CLOCK)
			attr.sample_period = NSEC_PER_MSEC / 2;
		add_source(attr, "software %u", i);
	}
}

static void add_hardware(void)
{
	static const __u64 configs[] = {
		PERF_COUNT_HW_CPU_CYCLES, PERF_COUNT_HW_INSTRUCTIONS,
		PERF_COUNT_HW_BRANCH_INSTRUCTIONS,
	};
	struct perf_event_attr attr;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(configs); i++) {
		attr = hw_attr(configs[i]);
		attr.sample_period = HW_PERIOD;
		add_source(attr, "hardware %llu", (unsigned long long)attr.config);
	}
	attr = make_attr(PERF_TYPE_HW_CACHE, 0);
	attr.sample_period = HW_PERIOD;
	add_source(attr, "cache");
	attr = make_attr(PERF_TYPE_RAW, 0xc0);
	attr.sample_period = HW_PERIOD;
	add_source(attr, "raw");
}

static void add_breakpoints(void)
{
	struct perf_event_attr attr = make_attr(PERF_TYPE_BREAKPOINT, 0);

	attr.bp_type = HW_BREAKPOINT_RW;
	attr.bp_addr = (unsigned long)&watched_byte;
	attr.bp_len = HW_BREAKPOINT_LEN_1;
	add_source(attr, "watchpoint");
	attr.bp_type = HW_BREAKPOINT_X;
	attr.bp_addr = (unsigned long)touch_pages;
	attr.bp_len = sizeof(long);
	add_source(attr, "breakpoint");
}

/*
 * No tracepoint about a task other than the current one: events of that task
 * count it as well, with the number of the current task. And not all
 * functions, since tracing them takes seconds to begin; "paranoid" has a case
 * for that.
 */
static const char *const tracepoints[] = {
	"syscalls/sys_enter_getppid", "syscalls/sys_exit_getppid",
	"raw_syscalls/sys_enter", "sched/sched_switch", "task/task_newtask",
	"exceptions/page_fault_user", "exceptions/page_fault_kernel",
	"kmem/kmalloc", "signal/signal_deliver", "irq_vectors/local_timer_entry",
	"perf_secrets/probe",
};

static long quiet_tracepoint(const char *name)
{
	char path[128];

	snprintf(path, sizeof(path), "/sys/kernel/tracing/events/%s/id", name);
	return read_long(path);
}

static void add_tracepoints(void)
{
	unsigned int i;
	long id;

	for (i = 0; i < ARRAY_SIZE(tracepoints); i++) {
		id = quiet_tracepoint(tracepoints[i]);
		if (id > 0)
			add_source(make_attr(PERF_TYPE_TRACEPOINT, id), "%s",
				   tracepoints[i]);
	}
	probe_id = quiet_tracepoint("perf_secrets/probe");
}

/* kprobe and uprobe are among them. */
static void add_devices(void)
{
	DIR *folder = opendir(DEVICES);
	struct dirent *entry;

	while (folder && (entry = readdir(folder))) {
		char path[PATH_MAX];
		long type;

		snprintf(path, sizeof(path), DEVICES "/%s/type", entry->d_name);
		type = entry->d_name[0] == '.' ? -1 : read_long(path);
		if (type >= PERF_TYPE_MAX)
			add_source(make_attr(type, 0), "device %.24s",
				   entry->d_name);
	}
	if (folder)
		closedir(folder);
}

static void find_sources(void)
{
	add_software();
	add_hardware();
	add_breakpoints();
	add_tracepoints();
	add_devices();
}

/* Requests as much as is permitted. */

struct wish {
	struct perf_event_attr attr;
	bool of_kernel;			/* asks for the kernel by name */
};

#define SAMPLE(bit)	.attr = { .sample_type = PERF_SAMPLE_##bit }
#define FLAG(flag)	.attr = { .flag = 1 }

static const struct wish wishes[] = {
	{ SAMPLE(IDENTIFIER) }, { SAMPLE(IP) }, { SAMPLE(TID) },
	{ SAMPLE(TIME) }, { SAMPLE(ADDR) }, { SAMPLE(ID) },
	{ SAMPLE(STREAM_ID) }, { SAMPLE(CPU) }, { SAMPLE(PERIOD) },
	{ SAMPLE(CALLCHAIN), .of_kernel = true },
	{ .attr = { .sample_type = PERF_SAMPLE_CALLCHAIN,
		    .exclude_callchain_kernel = 1 } },
	{ SAMPLE(RAW) },
	{ .attr = { .sample_type = PERF_SAMPLE_BRANCH_STACK,
		    .branch_sample_type = PERF_SAMPLE_BRANCH_ANY |
			PERF_SAMPLE_BRANCH_USER | PERF_SAMPLE_BRANCH_KERNEL },
	  .of_kernel = true },
	{ .attr = { .sample_type = PERF_SAMPLE_BRANCH_STACK,
		    .branch_sample_type = PERF_SAMPLE_BRANCH_ANY |
			PERF_SAMPLE_BRANCH_USER } },
	{ .attr = { .sample_type = PERF_SAMPLE_REGS_USER,
		    .sample_regs_user = 1ULL << IP_REG | 0x7f } },
	{ .attr = { .sample_type = PERF_SAMPLE_REGS_INTR,
		    .sample_regs_intr = 1ULL << IP_REG | 0xff } },
	{ .attr = { .sample_type = PERF_SAMPLE_STACK_USER,
		    .sample_stack_user = 512 } },
	{ SAMPLE(WEIGHT) }, { SAMPLE(WEIGHT_STRUCT) }, { SAMPLE(DATA_SRC) },
	{ SAMPLE(TRANSACTION) }, { SAMPLE(PHYS_ADDR), .of_kernel = true },
	{ SAMPLE(CGROUP) }, { SAMPLE(DATA_PAGE_SIZE) },
	{ SAMPLE(CODE_PAGE_SIZE) }, { SAMPLE(AUX) },
	{ .attr = { .sample_type = PERF_SAMPLE_READ,
		    .read_format = PERF_FORMAT_MAX - 1 } },
	{ FLAG(sample_id_all) }, { FLAG(inherit) }, { FLAG(inherit_stat) },
	{ FLAG(mmap) }, { FLAG(mmap2) }, { FLAG(mmap_data) }, { FLAG(comm) },
	{ FLAG(comm_exec) }, { FLAG(task) }, { FLAG(context_switch) },
	{ FLAG(namespaces) }, { FLAG(ksymbol), .of_kernel = true }, { FLAG(bpf_event) },
	{ FLAG(cgroup) }, { FLAG(text_poke), .of_kernel = true },
	{ .attr = { .precise_ip = 1 } },
};

/* The word of the flags follows read_format. */
static __u64 *flags_of(struct perf_event_attr *attr)
{
	return (__u64 *)(&attr->read_format + 1);
}

static struct perf_event_attr with_wish(struct perf_event_attr attr,
					const struct wish *wish)
{
	struct perf_event_attr more = wish->attr;

	attr.sample_type |= more.sample_type;
	attr.read_format |= more.read_format;
	attr.branch_sample_type |= more.branch_sample_type;
	attr.sample_regs_user |= more.sample_regs_user;
	attr.sample_regs_intr |= more.sample_regs_intr;
	if (more.sample_stack_user)
		attr.sample_stack_user = more.sample_stack_user;
	*flags_of(&attr) |= *flags_of(&more);
	return attr;
}

/* The fields of a dry run that was refused, and the answer. */
static void look_at_refusal(struct perf_event_attr *attr, pid_t pid, int cpu)
{
	struct perf_event_dry_run run = question(attr);

	if (ask(&run, (struct open_place) { pid, cpu }, -1, 0))
		return;
	run.attr = 0;
	run.text = 0;
	look_at_words("dry run", (char *)&run, sizeof(run));
	look_at_text("dry run", text);
	if (strstr(text, SECRET_NAME))
		found(NAMES, "dry run says %s", text);
}

/* What an event requests, and its target. */
struct tour {
	pid_t pid;
	int cpu;
	bool kernel;			/* ask for the kernel as well */
};

static bool is_open(struct perf_event_attr *attr, const struct tour *tour)
{
	int fd = perf_open(attr, tour->pid, tour->cpu, -1, PERF_FLAG_FD_CLOEXEC);

	/*
	 * After other errors the core may have to search for the field, which
	 * takes long.
	 */
	if (fd >= 0)
		close(fd);
	else if (errno == EACCES || errno == EPERM)
		look_at_refusal(attr, tour->pid, tour->cpu);
	return fd >= 0;
}

/*
 * Return: the event that requests least, or -1 if none can be opened that
 * excludes the kernel.
 */
static int ask_for_least(struct perf_event_attr *attr, const struct tour *tour)
{
	int fd;

	attr->exclude_kernel = !tour->kernel;
	attr->exclude_callchain_kernel = !tour->kernel;
	fd = perf_open(attr, tour->pid, tour->cpu, -1, PERF_FLAG_FD_CLOEXEC);
	if (fd >= 0)
		return fd;
	look_at_refusal(attr, tour->pid, tour->cpu);
	attr->exclude_kernel = 1;
	return perf_open(attr, tour->pid, tour->cpu, -1, PERF_FLAG_FD_CLOEXEC);
}

/* A buffer of all CPUs does not take records of copies. */
static bool may_wish(const struct wish *wish, const struct tour *tour)
{
	if (wish->of_kernel && !tour->kernel)
		return false;
	return !wish->attr.inherit || tour->cpu >= 0;
}

/*
 * The features that the last source was permitted are requested at once, the
 * rest one by one.
 */
static void ask_for_most(struct perf_event_attr *attr, const struct tour *tour)
{
	static bool given[ARRAY_SIZE(wishes)];
	struct perf_event_attr more = *attr;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(wishes); i++)
		if (given[i])
			more = with_wish(more, &wishes[i]);
	if (is_open(&more, tour))
		*attr = more;
	else
		memset(given, 0, sizeof(given));
	for (i = 0; i < ARRAY_SIZE(wishes); i++) {
		if (given[i] || !may_wish(&wishes[i], tour))
			continue;
		more = with_wish(*attr, &wishes[i]);
		given[i] = is_open(&more, tour);
		if (given[i])
			*attr = more;
	}
}

static void open_source(struct source *source, const struct tour *tour)
{
	int least = ask_for_least(&source->attr, tour);

	source->fd = -1;
	if (least < 0)
		return;
	/* Meanwhile it keeps its source alive, which may take long to begin and end. */
	if (source->attr.type == PERF_TYPE_BREAKPOINT)
		close(least);
	ask_for_most(&source->attr, tour);
	source->fd = open_on(&source->attr, tour->pid, tour->cpu, -1);
	if (source->attr.type != PERF_TYPE_BREAKPOINT)
		close(least);
	source->ring = ring_map(source->fd, DATA_PAGES);
	source->ring->validator.look = look_at_field;
	source->ring->validator.look_arg = source->name;
	shared->opened++;
}

static void look_at_event(struct source *source)
{
	char counts[4096], path[64];
	ssize_t size;

	while (ring_next(source->ring))
		shared->records++;
	size = read(source->fd, counts, sizeof(counts));
	if (size > 0)
		look_at_words("read(2)", counts, size);
	look_at_page(source->name, *source->ring->page);
	snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", source->fd);
	look_at_file(path);
}

static void watch(const struct tour *tour)
{
	unsigned int i;

	for (i = 0; i < nr_sources; i++)
		open_source(&sources[i], tour);
	for (i = 0; i < nr_sources; i++)
		if (sources[i].fd >= 0)
			event_enable(sources[i].fd);
	provoke(probe_id);
	for (i = 0; i < nr_sources; i++)
		if (sources[i].fd >= 0)
			event_disable(sources[i].fd);
	for (i = 0; i < nr_sources; i++)
		if (sources[i].fd >= 0)
			look_at_event(&sources[i]);
	look_at_folder(DEVICES, 3);
}

/* The user. */

struct user {
	bool namespace;
	bool container;
};

static void give_ids(void)
{
	char map[32];

	snprintf(map, sizeof(map), "0 %d 1", NOBODY);
	CHECK(write_text("/proc/self/setgroups", "deny") &&
	      write_text("/proc/self/uid_map", map) &&
	      write_text("/proc/self/gid_map", map), "map of ids: %s",
	      strerror(errno));
}

/* Namespaces that the kernel lacks are left out, except for the first two. */
static void enter_container(void)
{
	static const int others[] = {
		CLONE_NEWCGROUP, CLONE_NEWNS, CLONE_NEWIPC, CLONE_NEWUTS,
		CLONE_NEWNET,
	};
	unsigned int i;

	if (unshare(CLONE_NEWPID))
		test_skip("no namespace of process ids: %s", strerror(errno));
	for (i = 0; i < ARRAY_SIZE(others); i++)
		if (unshare(others[i]))
			test_remark("no namespace %#x: %s", others[i],
				    strerror(errno));
}

static void become(const struct user *user)
{
	become_nobody();
	CHECK(!prctl(PR_SET_DUMPABLE, 1, 0, 0, 0), "PR_SET_DUMPABLE");
	if (!user->namespace)
		return;
	if (unshare(CLONE_NEWUSER))
		test_skip("no user namespace: %s", strerror(errno));
	give_ids();
	if (user->container)
		enter_container();
}

/* No event can be opened on another user's task, by any number. */
static void try_others(pid_t root)
{
	const pid_t others[] = { victim, root, 1 };
	struct perf_event_attr attr = sw_attr(PERF_COUNT_SW_DUMMY);
	unsigned int i;
	int fd;

	attr.exclude_kernel = 1;
	for (i = 0; i < ARRAY_SIZE(others); i++) {
		if (others[i] == getpid())
			continue;
		fd = perf_open(&attr, others[i], -1, -1, 0);
		EXPECT(fd < 0 && (errno == EACCES || errno == ESRCH),
		       "task %d of another is opened", others[i]);
		look_at_refusal(&attr, others[i], -1);
	}
}

/* Return: kinds of secrets that @user may see. */
static unsigned int may_see(const struct user *user, int level,
			    const struct tour *tour)
{
	unsigned int may = 0;

	if (tour->kernel && level <= 1)
		may |= BIT(KERNEL) | BIT(PHYSICAL);
	/* The payload of tracepoints, which is not filtered. */
	if (tour->kernel && level < 0)
		may |= BIT(NAMES);
	if (tour->pid == -1 && level <= 0)
		may |= BIT(NAMES) | BIT(MEMORY) |
		       (user->container ? 0 : BIT(TASKS));
	return may;
}

/* Return: the kinds that were found. */
static unsigned int kinds_found(void)
{
	unsigned int i, kinds = 0;

	for (i = 0; i < SECRETS; i++)
		kinds |= shared->found[i] ? BIT(i) : 0;
	return kinds;
}

/* A note would make the children of the next tours fail. */
static void report(const struct tour *tour, unsigned int kinds)
{
	unsigned int i;

	for (i = 0; i < SECRETS; i++)
		if (kinds & BIT(i))
			printf("# pid %d, CPU %d, %s: %u %s, such as: %s\n",
			       tour->pid, tour->cpu,
			       tour->kernel ? "all" : "user mode only",
			       shared->found[i], secret_names[i],
			       shared->first[i]);
}

struct visit {
	const struct user *user;
	const struct tour *tour;
	pid_t root;
};

/* In a container the first process of its namespace. */
static void be_user(const struct visit *visit)
{
	own_task();
	try_others(visit->root);
	watch(visit->tour);
}

static void visit_as(void *arg)
{
	const struct visit *visit = arg;
	pid_t pid;

	become(visit->user);
	if (!visit->user->container) {
		be_user(visit);
		return;
	}
	fflush(stdout);
	pid = fork();
	CHECK(pid >= 0, "fork: %s", strerror(errno));
	if (!pid) {
		if (mount("proc", "/proc", "proc", 0, NULL))
			test_remark("no /proc: %s", strerror(errno));
		be_user(visit);
		child_finish();
	}
	join_child(pid);
}

static void forget(void)
{
	memset(shared, 0, sizeof(*shared));
}

static void set_level(int level)
{
	char text[16];

	snprintf(text, sizeof(text), "%d", level);
	if (!write_text(PARANOID, text))
		test_skip("cannot write " PARANOID);
}

static void prepare(void)
{
	if (geteuid())
		test_skip("needs root");
	shared = map_memory(memory_fd("secrets", sizeof(*shared)),
			    sizeof(*shared));
	own_program = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	pin_to_cpu(first_cpu());
	find_sources();
	start_victim();
}

/* Return: kinds that were found and must not be. */
static unsigned int judge(const struct tour *tour, int level, unsigned int may)
{
	unsigned int kinds = kinds_found() & ~may;

	if (level > 2 || (tour->pid == -1 && level > 0))
		CHECK(!shared->opened, "%u events are opened", shared->opened);
	else
		CHECK(shared->opened && shared->records, "%u events, %lu records",
		      shared->opened, shared->records);
	report(tour, kinds);
	return kinds;
}

static void visit_level(const struct user *user, int level)
{
	const struct tour tours[] = {
		{ 0, -1, false }, { 0, first_cpu(), true },
		{ -1, first_cpu(), true },
	};
	unsigned int i, kinds = 0;

	prepare();
	set_level(level);
	for (i = 0; i < ARRAY_SIZE(tours); i++) {
		struct visit visit = { user, &tours[i], getpid() };

		forget();
		run_child(visit_as, &visit);
		kinds |= judge(&tours[i], level,
			       may_see(user, level, &tours[i]));
	}
	if (kinds == BIT(KERNEL))
		test_xfail("the kernel shows where its code is, or where it was interrupted");
	CHECK(!kinds, "what must not be found is found");
}

struct visit_row {
	const char *name;
	struct user user;
	int level;
	char text[64];
};

static const struct {
	const char *name;
	struct user user;
} users[] = {
	{ "nobody", { .namespace = false } },
	{ "root of a user namespace", { .namespace = true } },
	{ "root of a container", { .namespace = true, .container = true } },
};

#define LEVELS		(HIGHEST - LOWEST + 1)

static struct visit_row visits[LEVELS * ARRAY_SIZE(users)];

static void make_visits(void)
{
	struct visit_row *row = visits;
	unsigned int i;
	int level;

	for (level = LOWEST; level <= HIGHEST; level++) {
		for (i = 0; i < ARRAY_SIZE(users); i++, row++) {
			snprintf(row->text, sizeof(row->text), "%s at level %d",
				 users[i].name, level);
			row->name = row->text;
			row->user = users[i].user;
			row->level = level;
		}
	}
}

static void run_visit(const void *arg)
{
	const struct visit_row *row = arg;

	visit_level(&row->user, row->level);
}

/* The secrets that nobody must not find exist, and root finds them. */
static void watch_as_root(void *arg)
{
	own_task();
	watch(arg);
	look_at_file("/proc/kallsyms");
}

static void root_finds_all(void)
{
	struct tour tour = { -1, first_cpu(), true };
	unsigned int i;

	prepare();
	run_child(watch_as_root, &tour);
	for (i = 0; i < SECRETS; i++)
		EXPECT(shared->found[i], "root finds no %s", secret_names[i]);
	for (i = 0; i < SECRETS; i++)
		printf("# %u %s: %s\n", shared->found[i], secret_names[i],
		       shared->first[i]);
}

/*
 * A task that wakes another one is the current task at that moment. The event of the
 * woken task counts the wake-up.
 */

static struct perf_event_attr wakeup_attr(void)
{
	struct perf_event_attr attr =
		make_attr(PERF_TYPE_TRACEPOINT,
			  tracepoint_id("sched/sched_wakeup"));

	attr.sample_period = 1;
	attr.sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_CALLCHAIN |
			   PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER;
	attr.sample_regs_user = 1ULL << IP_REG | 0xff << 16 | 0xff;
	attr.sample_stack_user = 1024;
	return attr;
}

/* It answers each byte, which wakes the task that waits for the answer. */
static void be_woken(void)
{
	unsigned int i;
	char byte = 0;

	for (i = 0; i < WAKEUPS; i++) {
		CHECK(write(to_victim[1], &byte, 1) == 1, "to the victim");
		CHECK(read(from_victim[0], &byte, 1) == 1, "of the victim");
	}
}

static void watch_wakeups(void *arg)
{
	const struct tour *tour = arg;
	struct perf_event_attr attr = wakeup_attr();
	struct perf_ring *ring;
	int fd;

	if (!tour->pid)
		become_nobody();
	own_task();
	fd = open_on(&attr, tour->pid, tour->cpu, -1);
	ring = ring_map(fd, 128);
	ring->validator.look = look_at_field;
	ring->validator.look_arg = "sched_wakeup";
	event_enable(fd);
	be_woken();
	event_disable(fd);
	CHECK(read_count(fd) >= WAKEUPS, "%llu wake-ups are counted",
	      (unsigned long long)read_count(fd));
	while (ring_next(ring))
		shared->records++;
}

static unsigned int see_wakeups(struct tour tour)
{
	forget();
	run_child(watch_wakeups, &tour);
	return kinds_found();
}

static void woken_by_another(void)
{
	const unsigned int kinds = BIT(TASKS) | BIT(MEMORY);
	struct tour as_root = { -1, first_cpu(), true };
	struct tour as_nobody = { 0, first_cpu(), true };

	prepare();
	set_level(1);
	CHECK((see_wakeups(as_root) & kinds) == kinds,
	      "root does not see the task that wakes");
	CHECK(!(see_wakeups(as_nobody) & kinds), "%s; %s",
	      shared->first[TASKS], shared->first[MEMORY]);
}

static const struct test_case cases[] = {
	{ "root finds every kind of secret", root_finds_all },
	{ "woken by another user's task", woken_by_another },
};

int main(int argc, char **argv)
{
	char saved[16], bpf[16];

	if (argc == 2 && !strcmp(argv[1], BE_NOTHING))
		return 0;
	snprintf(saved, sizeof(saved), "%ld", read_long(PARANOID));
	snprintf(bpf, sizeof(bpf), "%ld", read_long(UNPRIVILEGED_BPF));
	write_text(UNPRIVILEGED_BPF, "0");
	write_text(PROBES, "p:perf_secrets/probe do_sys_openat2");
	make_visits();
	tests_begin(ARRAY_SIZE(visits) + ARRAY_SIZE(cases));
	tests_keep_rate();
	tests_run(cases, ARRAY_SIZE(cases));
	tests_run_rows(visits, ARRAY_SIZE(visits), sizeof(visits[0]), run_visit);
	write_text(PROBES, "-:perf_secrets/probe");
	write_text(UNPRIVILEGED_BPF, bpf);
	write_text(PARANOID, saved);
	tests_end();
}
