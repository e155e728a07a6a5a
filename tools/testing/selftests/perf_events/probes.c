// SPDX-License-Identifier: GPL-2.0
/*
 * The PMUs "kprobe" and "uprobe": probes that belong to one event each.
 *
 * Kernel probes are set on getppid(), which nothing else in the process calls,
 * user probes on a function of this program: every count is known beforehand.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <linux/capability.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include "perf_lib.h"

#define ROUNDS		50
#define TASKS		4
#define CLOSINGS	10

/* Longer than the kernel accepts: a symbol's name, a path. */
#define LONG_NAME	513
#define LONG_PATH	(PATH_MAX + 1)

#define RETURN		1ULL
#define COUNTER(at)	((__u64)(at) << 32)

#ifndef CAP_PERFMON
#define CAP_PERFMON	38
#endif

static char long_name[LONG_NAME + 1];
static char long_path[LONG_PATH + 1];
static char own_path[PATH_MAX];

/* The kernel writes to the first; the second keeps both in the file. */
static unsigned short probe_users[2] = { 0, 1 };

static unsigned long probed(unsigned long value)
{
	asm volatile("" : "+r" (value));
	return value + 1;
}

/*
 * The compiler knows nothing about the pointer: probed() is not inlined, and is
 * entered where the pointer says. A direct call may enter it elsewhere.
 */
static void call_probed(unsigned int times)
{
	unsigned long (*call)(unsigned long value) = probed;

	asm volatile("" : "+r" (call));
	while (times--)
		call(times);
}

static void call_getppid(unsigned int times)
{
	while (times--)
		syscall(SYS_getppid);
}

struct probe_kind {
	const char *pmu;
	__u64 config;
	bool by_address;
	void (*hit)(unsigned int times);
};

static const struct probe_kind by_symbol = {
	"kprobe", 0, false, call_getppid,
};

static const struct probe_kind by_address = {
	"kprobe", 0, true, call_getppid,
};

static const struct probe_kind kernel_return = {
	"kprobe", RETURN, false, call_getppid,
};

static const struct probe_kind user_call = {
	"uprobe", 0, false, call_probed,
};

static const struct probe_kind user_return = {
	"uprobe", RETURN, false, call_probed,
};

static bool is_user(const struct probe_kind *kind)
{
	return kind->hit == call_probed;
}

static __u64 kernel_symbol(const char *wanted)
{
	FILE *file = fopen("/proc/kallsyms", "r");
	unsigned long address, found = 0;
	char name[LONG_NAME];

	CHECK(file, "kallsyms: %s", strerror(errno));
	while (!found && fscanf(file, "%lx %*c %512s%*[^\n]", &address,
				name) == 2)
		if (!strcmp(name, wanted))
			found = address;
	fclose(file);
	return found;
}

/* The name depends on how an architecture enters its system calls. */
static const char *getppid_symbol(void)
{
	static const char *const names[] = {
		"__x64_sys_getppid", "__arm64_sys_getppid", "sys_getppid",
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(names); i++)
		if (kernel_symbol(names[i]))
			return names[i];
	test_skip("no symbol of getppid");
}

/* Where in its file a part of this program is. */
static __u64 file_offset(const void *at)
{
	unsigned long start, end, offset, wanted = (unsigned long)at;
	FILE *file = fopen("/proc/self/maps", "r");

	CHECK(file, "maps: %s", strerror(errno));
	while (fscanf(file, "%lx-%lx %*s %lx%*[^\n]", &start, &end,
		      &offset) == 3) {
		if (wanted < start || wanted >= end)
			continue;
		fclose(file);
		return wanted - start + offset;
	}
	CHECK(0, "%p is not mapped", at);
	return 0;
}

static struct perf_event_attr probe_attr(const struct probe_kind *kind)
{
	struct perf_event_attr attr = make_attr(pmu_type(kind->pmu),
						kind->config);

	if (is_user(kind)) {
		attr.uprobe_path = (unsigned long)own_path;
		attr.probe_offset = file_offset(probed);
	} else if (kind->by_address) {
		attr.kprobe_addr = kernel_symbol(getppid_symbol());
	} else {
		attr.kprobe_func = (unsigned long)getppid_symbol();
	}
	return attr;
}

static void expect_count(int fd, __u64 expected, const char *what)
{
	__u64 count = read_count(fd);

	CHECK(count == expected, "%s: %llu instead of %llu", what,
	      (unsigned long long)count, (unsigned long long)expected);
}

static void hits_are_counted(const struct probe_kind *kind)
{
	struct perf_event_attr attr = probe_attr(kind);
	int fd = open_self(&attr);

	kind->hit(ROUNDS);
	expect_count(fd, 0, "disabled");
	event_enable(fd);
	kind->hit(ROUNDS);
	expect_count(fd, ROUNDS, "enabled");
	event_disable(fd);
	kind->hit(ROUNDS);
	expect_count(fd, ROUNDS, "disabled again");
}

/* One of two events is closed, the other goes on. */
static void two_events(const struct probe_kind *kind)
{
	struct perf_event_attr attr = probe_attr(kind);
	int first = open_self(&attr), second = open_self(&attr);

	event_enable(first);
	event_enable(second);
	kind->hit(ROUNDS);
	expect_count(first, ROUNDS, "first");
	close(first);
	kind->hit(ROUNDS);
	expect_count(second, 2 * ROUNDS, "second");
}

struct raw_probe {
	__u16 type;
	__u8 flags;
	__u8 preempt_count;
	__s32 pid;
	unsigned long at[2];
};

static bool is_near(unsigned long at, unsigned long start, unsigned long size)
{
	return at >= start && at - start < size;
}

/* A kernel probe may lie behind a landing pad. */
static void check_places(const struct probe_kind *kind,
			 const struct raw_probe *raw)
{
	unsigned long entry = (unsigned long)probed, caller;

	if (!is_user(kind)) {
		entry = kernel_symbol(getppid_symbol());
		CHECK(is_near(raw->at[0], entry, 16), "%#lx, function at %#lx",
		      raw->at[0], entry);
		return;
	}
	CHECK(raw->at[0] == entry, "%#lx instead of %#lx", raw->at[0], entry);
	caller = (unsigned long)call_probed;
	if (kind->config & RETURN)
		CHECK(is_near(raw->at[1], caller, 256), "returns to %#lx",
		      raw->at[1]);
}

static void check_raw(const struct probe_kind *kind, const struct sample *sample)
{
	size_t words = kind->config & RETURN ? 2 : 1;
	size_t size = 8 + words * sizeof(unsigned long);
	struct raw_probe raw = { 0 };

	/* Its length field is not counted, and fills words with it. */
	CHECK(sample->raw_size == ((size + 4 + 7) & ~7UL) - 4, "%u bytes",
	      sample->raw_size);
	memcpy(&raw, sample->raw, size);
	CHECK(raw.pid == getpid(), "pid %d in the record", raw.pid);
	check_places(kind, &raw);
	if (is_user(kind))
		CHECK(sample->ip == raw.at[words - 1], "ip %#llx",
		      (unsigned long long)sample->ip);
}

static void samples_have_places(const struct probe_kind *kind)
{
	struct perf_event_attr attr = probe_attr(kind);
	unsigned int samples = 0, period = 5;
	struct perf_event_header *header;
	struct perf_ring *ring;
	struct sample sample;
	int fd;

	attr.sample_period = period;
	attr.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
			   PERF_SAMPLE_RAW;
	fd = open_self(&attr);
	ring = ring_map(fd, 8);
	event_enable(fd);
	kind->hit(ROUNDS);
	event_disable(fd);
	while ((header = ring_find(ring, PERF_RECORD_SAMPLE))) {
		parse_sample(header, &attr, &sample);
		check_raw(kind, &sample);
		samples++;
	}
	CHECK(samples == ROUNDS / period, "%u samples", samples);
}

static void hit_as_child(void *arg)
{
	const struct probe_kind *kind = arg;

	kind->hit(ROUNDS);
}

static void *hit_as_thread(void *arg)
{
	hit_as_child(arg);
	return NULL;
}

static void hit_by_family(const struct probe_kind *kind)
{
	pthread_t thread;
	int i;

	for (i = 0; i < TASKS; i++)
		run_child(hit_as_child, (void *)kind);
	CHECK(!pthread_create(&thread, NULL, hit_as_thread, (void *)kind),
	      "thread");
	pthread_join(thread, NULL);
	kind->hit(ROUNDS);
}

static void family_is_counted(const struct probe_kind *kind)
{
	struct perf_event_attr attr = probe_attr(kind);
	int alone = open_self(&attr), together;

	attr.inherit = 1;
	together = open_self(&attr);
	event_enable(alone);
	event_enable(together);
	hit_by_family(kind);
	event_disable(together);
	event_disable(alone);
	expect_count(alone, ROUNDS, "without inherit");
	expect_count(together, (TASKS + 2) * ROUNDS, "with inherit");
}

static void hit_as_parent(void *arg)
{
	hit_as_child(arg);
	run_child(hit_as_child, arg);
}

/* A copy is made from the event, not from the memory of its attribute. */
static void family_without_name(const struct probe_kind *kind)
{
	struct perf_event_attr attr = probe_attr(kind);
	char *name = strdup(is_user(kind) ? own_path : getppid_symbol());
	pid_t child;
	int fd;

	CHECK(name, "out of memory");
	attr.config1 = (unsigned long)name;
	attr.inherit = 1;
	fd = open_self(&attr);
	event_enable(fd);
	memset(name, 0, strlen(name));
	child = fork();
	if (child < 0)
		test_xfail("fork reads the name again: %s", strerror(errno));
	if (!child) {
		hit_as_parent((void *)kind);
		child_finish();
	}
	join_child(child);
	expect_count(fd, 2 * ROUNDS, "two generations");
}

/* Executes another program, which is mapped after the event was enabled. */
static void exec_itself(void *arg)
{
	(void)arg;
	execl(own_path, own_path, "hit", NULL);
	CHECK(0, "exec: %s", strerror(errno));
}

static void program_is_counted(const struct probe_kind *kind)
{
	struct perf_event_attr attr = probe_attr(kind);
	int fd;

	attr.inherit = 1;
	fd = open_self(&attr);
	event_enable(fd);
	run_child(exec_itself, NULL);
	expect_count(fd, ROUNDS, "behind an exec");
}

static void task_of_others(const struct probe_kind *kind)
{
	struct helper helper = helper_start(hit_as_child, (void *)kind);
	struct perf_event_attr attr = probe_attr(kind);
	int fd = open_on(&attr, helper.pid, -1, -1);

	event_enable(fd);
	kind->hit(ROUNDS);
	expect_count(fd, 0, "by who is not meant");
	helper_go(&helper);
	helper_join(&helper);
	expect_count(fd, ROUNDS, "by who is meant");
}

static void one_cpu(const struct probe_kind *kind)
{
	struct perf_event_attr attr = probe_attr(kind);
	int here = first_cpu(), there = second_cpu(), fd;

	fd = open_on(&attr, -1, here, -1);
	pin_to_cpu(there);
	event_enable(fd);
	run_child(hit_as_child, (void *)kind);
	CHECK(read_count(fd) < ROUNDS, "counts another CPU");
	event_reset(fd);
	pin_to_cpu(here);
	run_child(hit_as_child, (void *)kind);
	kind->hit(ROUNDS);
	if (is_user(kind))
		expect_count(fd, 2 * ROUNDS, "on its CPU");
	else
		CHECK(read_count(fd) >= 2 * ROUNDS, "on its CPU");
}

struct hitter {
	const struct probe_kind *kind;
	pid_t tid;
	unsigned long rounds;
	bool end;
};

static void *hit_for_ever(void *arg)
{
	struct hitter *hitter = arg;

	__atomic_store_n(&hitter->tid, gettid(), __ATOMIC_RELEASE);
	while (!__atomic_load_n(&hitter->end, __ATOMIC_ACQUIRE)) {
		hitter->kind->hit(1);
		__atomic_add_fetch(&hitter->rounds, 1, __ATOMIC_RELEASE);
	}
	return NULL;
}

static void wait_for_rounds(struct hitter *hitter)
{
	unsigned long start = __atomic_load_n(&hitter->rounds,
					      __ATOMIC_ACQUIRE);

	while (__atomic_load_n(&hitter->rounds, __ATOMIC_ACQUIRE) - start < 2)
		sched_yield();
}

/* Of the task and of a CPU in turn. If a close hangs the case times out. */
static void closed_while_hit(const struct probe_kind *kind)
{
	struct perf_event_attr attr = probe_attr(kind);
	struct hitter hitter = { .kind = kind };
	pthread_t thread;
	int i, fd;

	pin_to_cpu(first_cpu());
	CHECK(!pthread_create(&thread, NULL, hit_for_ever, &hitter), "thread");
	wait_for_rounds(&hitter);
	attr.disabled = 0;
	for (i = 0; i < CLOSINGS; i++) {
		if (i % 2)
			fd = open_on(&attr, -1, first_cpu(), -1);
		else
			fd = open_on(&attr, hitter.tid, -1, -1);
		CHECK(event_grows(fd), "is not hit");
		close(fd);
		wait_for_rounds(&hitter);
	}
	__atomic_store_n(&hitter.end, true, __ATOMIC_RELEASE);
	pthread_join(thread, NULL);
}

struct kind_row {
	const char *name;
	const struct probe_kind *kind;
	void (*run)(const struct probe_kind *kind);
};

static const struct kind_row kind_rows[] = {
	{ "kprobe by symbol: exact counts", &by_symbol, hits_are_counted },
	{ "kprobe by address: exact counts", &by_address, hits_are_counted },
	{ "kretprobe: exact counts", &kernel_return, hits_are_counted },
	{ "uprobe: exact counts", &user_call, hits_are_counted },
	{ "uretprobe: exact counts", &user_return, hits_are_counted },
	{ "kprobe by symbol: two events", &by_symbol, two_events },
	{ "kprobe by address: two events", &by_address, two_events },
	{ "kretprobe: two events", &kernel_return, two_events },
	{ "uprobe: two events", &user_call, two_events },
	{ "uretprobe: two events", &user_return, two_events },
	{ "kprobe by symbol: samples", &by_symbol, samples_have_places },
	{ "kprobe by address: samples", &by_address, samples_have_places },
	{ "kretprobe: samples", &kernel_return, samples_have_places },
	{ "uprobe: samples", &user_call, samples_have_places },
	{ "uretprobe: samples", &user_return, samples_have_places },
	{ "kprobe by symbol: inherited", &by_symbol, family_is_counted },
	{ "kprobe by address: inherited", &by_address, family_is_counted },
	{ "kretprobe: inherited", &kernel_return, family_is_counted },
	{ "uprobe: inherited", &user_call, family_is_counted },
	{ "uretprobe: inherited", &user_return, family_is_counted },
	{ "kprobe by symbol: inherited without its name", &by_symbol,
	  family_without_name },
	{ "uprobe: inherited without its name", &user_call,
	  family_without_name },
	{ "uprobe: inherited by a program", &user_call, program_is_counted },
	{ "uretprobe: inherited by a program", &user_return,
	  program_is_counted },
	{ "kprobe by symbol: another task", &by_symbol, task_of_others },
	{ "uprobe: another task", &user_call, task_of_others },
	{ "uretprobe: another task", &user_return, task_of_others },
	{ "kprobe by symbol: a CPU", &by_symbol, one_cpu },
	{ "uprobe: a CPU", &user_call, one_cpu },
	{ "uretprobe: a CPU", &user_return, one_cpu },
	{ "kprobe by symbol: closed while hit", &by_symbol, closed_while_hit },
	{ "kprobe by address: closed while hit", &by_address,
	  closed_while_hit },
	{ "kretprobe: closed while hit", &kernel_return, closed_while_hit },
	{ "uprobe: closed while hit", &user_call, closed_while_hit },
	{ "uretprobe: closed while hit", &user_return, closed_while_hit },
};

static void run_kind(const void *arg)
{
	const struct kind_row *row = arg;

	row->run(row->kind);
}

/* Requests that are refused. */

enum needs { NEED_NOTHING, NEED_X86 };

struct bad_row {
	const char *name;
	const char *pmu;
	int error;
	const char *target;
	__u64 where;
	__u64 config;
	enum needs needs;
};

static const char no_function[] = "no_such_function_anywhere";

/* Stands for the name of getppid, which is found at run time. */
static const char getppid_name[] = "getppid";

#define KPROBE	.pmu = "kprobe"
#define UPROBE	.pmu = "uprobe"

static const struct bad_row bad_rows[] = {
	{ .name = "kprobe: no such symbol", KPROBE, .error = ENOENT,
	  .target = no_function },
	{ .name = "kprobe: name too long", KPROBE, .error = E2BIG,
	  .target = long_name },
	{ .name = "kprobe: longest name", KPROBE, .error = ENOENT,
	  .target = long_name + 2 },
	{ .name = "kprobe: name that cannot be read", KPROBE, .error = EFAULT,
	  .target = (char *)8 },
	{ .name = "kprobe: neither name nor address", KPROBE, .error = EINVAL },
	{ .name = "kprobe: empty name", KPROBE, .error = EINVAL,
	  .target = "" },
	{ .name = "kprobe: user address", KPROBE, .error = ENOENT,
	  .where = 0x400000 },
	{ .name = "kprobe: address without code", KPROBE, .error = ENOENT,
	  .where = -4096ULL },
	{ .name = "kprobe: where none may be", KPROBE, .error = EINVAL,
	  .target = "get_kprobe" },
	{ .name = "kprobe: inside an instruction", KPROBE, .error = EILSEQ,
	  .target = getppid_name, .where = 1, .needs = NEED_X86 },
	{ .name = "kretprobe: behind the entry", KPROBE, .error = EINVAL,
	  .target = getppid_name, .where = 1, .config = RETURN },
	{ .name = "kretprobe: no such symbol", KPROBE, .error = ENOENT,
	  .target = no_function, .config = RETURN },
	{ .name = "uprobe: no path", UPROBE, .error = EINVAL },
	{ .name = "uprobe: empty path", UPROBE, .error = EINVAL,
	  .target = "" },
	{ .name = "uprobe: no such file", UPROBE, .error = ENOENT,
	  .target = "/no/such/file" },
	{ .name = "uprobe: a folder", UPROBE, .error = EINVAL,
	  .target = "/" },
	{ .name = "uprobe: a device", UPROBE, .error = EINVAL,
	  .target = "/dev/null" },
	{ .name = "uprobe: file without pages", UPROBE, .error = EIO,
	  .target = "/proc/self/maps" },
	{ .name = "uprobe: path too long", UPROBE, .error = E2BIG,
	  .target = long_path },
	{ .name = "uprobe: path that cannot be read", UPROBE, .error = EFAULT,
	  .target = (char *)8 },
	{ .name = "uprobe: behind the end", UPROBE, .error = EINVAL,
	  .target = own_path, .where = 1ULL << 40 },
	{ .name = "uprobe: counter at an odd offset", UPROBE, .error = EINVAL,
	  .target = own_path, .config = COUNTER(1) },
};

static struct perf_event_attr bad_attr(const struct bad_row *row)
{
	struct perf_event_attr attr = make_attr(pmu_type(row->pmu),
						row->config);
	const char *target = row->target;

	if (target == getppid_name)
		target = getppid_symbol();
	attr.config1 = (unsigned long)target;
	attr.config2 = row->where;
	return attr;
}

static void run_bad(const void *arg)
{
	const struct bad_row *row = arg;
	struct perf_event_attr attr = bad_attr(row);
	int fd;

#ifndef __x86_64__
	if (row->needs == NEED_X86)
		test_skip("not on this architecture");
#endif
	fd = perf_open(&attr, 0, -1, -1, 0);
	CHECK(fd < 0 && errno == row->error, "%s instead of %s",
	      fd < 0 ? strerror(errno) : "opened", strerror(row->error));
}

/* The rest. */

static void check_file(const char *name, const char *expected)
{
	char path[128], text[64] = "";
	FILE *file;

	snprintf(path, sizeof(path), "/sys/bus/event_source/devices/%s", name);
	file = fopen(path, "r");
	CHECK(file && fgets(text, sizeof(text), file), "%s: %s", path,
	      strerror(errno));
	CHECK(!strncmp(text, expected, strlen(expected)), "%s: %s", path, text);
	fclose(file);
}

static void formats(void)
{
	pmu_type("kprobe");
	pmu_type("uprobe");
	check_file("kprobe/format/retprobe", "config:0\n");
	check_file("uprobe/format/retprobe", "config:0\n");
	check_file("uprobe/format/ref_ctr_offset", "config:32-63\n");
}

static struct perf_event_attr counted_attr(void)
{
	struct perf_event_attr attr = probe_attr(&user_call);

	attr.config |= COUNTER(file_offset(probe_users));
	return attr;
}

static void expect_users(unsigned int users, const char *what)
{
	unsigned int seen = __atomic_load_n(probe_users, __ATOMIC_RELAXED);

	CHECK(seen == users, "%s: %u users", what, seen);
}

/* The program's reference counter shows whether an event has the probe. */
static void reference_counter(void)
{
	struct perf_event_attr attr = counted_attr();
	int first, second;

	expect_users(0, "before");
	first = open_self(&attr);
	expect_users(1, "one event");
	second = open_self(&attr);
	expect_users(1, "two events of one probe");
	event_enable(first);
	call_probed(ROUNDS);
	expect_count(first, ROUNDS, "with a counter");
	close(first);
	expect_users(1, "one of them closed");
	close(second);
	expect_users(0, "both closed");
}

static void two_counters(void)
{
	struct perf_event_attr attr = counted_attr();

	open_self(&attr);
	attr.config = COUNTER(file_offset(&probe_users[1]));
	CHECK(perf_open(&attr, 0, -1, -1, 0) < 0 && errno == EINVAL,
	      "another counter for the same probe: %s", strerror(errno));
}

/* Becomes nobody, with some capabilities. */
static void keep_only(__u64 caps)
{
	struct __user_cap_header_struct header = {
		.version = _LINUX_CAPABILITY_VERSION_3,
	};
	struct __user_cap_data_struct data[2] = {
		{ .effective = caps, .permitted = caps },
		{ .effective = caps >> 32, .permitted = caps >> 32 },
	};

	CHECK(!prctl(PR_SET_KEEPCAPS, 1, 0, 0, 0), "PR_SET_KEEPCAPS");
	become_nobody();
	CHECK(!syscall(SYS_capset, &header, data), "capset: %s",
	      strerror(errno));
}

static void expect_access(struct perf_event_attr *attr, bool allowed,
			  const char *what)
{
	int fd = perf_open(attr, 0, -1, -1, 0);

	if (allowed)
		CHECK(fd >= 0, "%s: %s", what, strerror(errno));
	else
		CHECK(fd < 0 && errno == EACCES, "%s: %s", what,
		      fd < 0 ? strerror(errno) : "opened");
}

static void try_with(__u64 caps, bool kernel, bool user)
{
	struct perf_event_attr kernel_attr = probe_attr(&by_symbol);
	struct perf_event_attr user_attr = probe_attr(&user_call);

	keep_only(caps);
	kernel_attr.exclude_kernel = 1;
	user_attr.exclude_kernel = 1;
	expect_access(&kernel_attr, kernel, "kprobe");
	expect_access(&user_attr, user, "uprobe");
}

static void nobody(void)
{
	try_with(0, false, false);
}

/* A user probe changes the code of files that belong to others. */
static void perfmon(void)
{
	try_with(1ULL << CAP_PERFMON, true, false);
}

static void admin(void)
{
	try_with(1ULL << CAP_SYS_ADMIN, true, true);
}

static int open_inherited(const struct probe_kind *kind)
{
	struct perf_event_attr attr = probe_attr(kind);
	int fd;

	attr.inherit = 1;
	fd = open_self(&attr);
	event_enable(fd);
	return fd;
}

/* Only the opener needs the right, not a task that inherits. */
static void nobody_forks(void *arg)
{
	int fd = open_inherited(arg);
	pid_t pid;

	become_nobody();
	pid = fork();
	if (pid < 0)
		test_xfail("a fork needs the rights again: %s",
			   strerror(errno));
	if (!pid) {
		hit_as_child(arg);
		child_finish();
	}
	join_child(pid);
	expect_count(fd, ROUNDS, "of a child without rights");
}

static void rights_of_copies(void)
{
	nobody_forks((void *)&by_symbol);
}

static void rights_of_user_copies(void)
{
	nobody_forks((void *)&user_call);
}

static const struct test_case cases[] = {
	{ "format files", formats },
	{ "uprobe: reference counter", reference_counter },
	{ "uprobe: two reference counters", two_counters },
	{ "no capability", nobody },
	{ "CAP_PERFMON", perfmon },
	{ "CAP_SYS_ADMIN", admin },
	{ "kprobe: fork without capability", rights_of_copies },
	{ "uprobe: fork without capability", rights_of_user_copies },
};

int main(int argc, char **argv)
{
	if (argc == 2 && !strcmp(argv[1], "hit")) {
		call_probed(ROUNDS);
		return 0;
	}
	memset(long_name, 'x', LONG_NAME);
	memset(long_path, 'x', LONG_PATH);
	if (readlink("/proc/self/exe", own_path, sizeof(own_path) - 1) < 0)
		ksft_exit_fail_perror("/proc/self/exe");
	tests_begin(ARRAY_SIZE(kind_rows) + ARRAY_SIZE(bad_rows) +
		    ARRAY_SIZE(cases));
	tests_run_rows(kind_rows, ARRAY_SIZE(kind_rows), sizeof(kind_rows[0]),
		       run_kind);
	tests_run_rows(bad_rows, ARRAY_SIZE(bad_rows), sizeof(bad_rows[0]),
		       run_bad);
	tests_run(cases, ARRAY_SIZE(cases));
	tests_end();
}
