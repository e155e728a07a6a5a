// SPDX-License-Identifier: GPL-2.0
/*
 * Uses of BPF programs with events, other than deciding on samples
 * (bpf_attach.c): programs that read events, cookies of attached programs,
 * programs at probes of the PMUs "kprobe" and "uprobe", programs that may
 * sleep, programs of inherited copies, and programs whose event is closed.
 *
 * Programs leave their results in the cells of a map.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include "bpf_insns.h"
#include "perf_lib.h"

#define ROUNDS		50
#define REMOVALS	100
#define COOKIE		0x1122334455667788ULL
#define OTHER		0x99aabbccULL
#define SLOT		3
#define CURRENT_CPU	BPF_F_CURRENT_CPU
#define POISON		(~0ULL)

/* The cells, and their offsets for a program. */
struct cells {
	__u64 hits;
	__u64 result;
	__u64 value[3];
};

#define CELL(member)	((int)offsetof(struct cells, member))

/* Puts a read's result (register 0) and counts (on the stack) in the cells. */
#define KEEP_READ(map)						\
	CELLS(BPF_REG_1, map),					\
	STORE(BPF_REG_1, CELL(result), BPF_REG_0),		\
	LOAD(BPF_REG_2, BPF_REG_10, -24),			\
	STORE(BPF_REG_1, CELL(value[0]), BPF_REG_2),		\
	LOAD(BPF_REG_2, BPF_REG_10, -16),			\
	STORE(BPF_REG_1, CELL(value[1]), BPF_REG_2),		\
	LOAD(BPF_REG_2, BPF_REG_10, -8),			\
	STORE(BPF_REG_1, CELL(value[2]), BPF_REG_2)

static struct cells *cells;

static int make_cells(void)
{
	union bpf_attr attr;
	void *at;
	int map;

	memset(&attr, 0, sizeof(attr));
	attr.map_type = BPF_MAP_TYPE_ARRAY;
	attr.key_size = sizeof(__u32);
	attr.value_size = sizeof(struct cells);
	attr.max_entries = 1;
	attr.map_flags = BPF_F_MMAPABLE;
	map = bpf(BPF_MAP_CREATE, &attr);
	if (map < 0)
		test_skip("no map that can be mapped: %s", strerror(errno));
	at = mmap(NULL, sizeof(*cells), PROT_READ | PROT_WRITE, MAP_SHARED,
		  map, 0);
	CHECK(at != MAP_FAILED, "map: %s", strerror(errno));
	cells = at;
	return map;
}

/* Counts its hits, leaves the cookie as the result, and adds up all cookies. */
static int load_counter(__u32 type, int verdict)
{
	int map = make_cells();
	const struct bpf_insn insns[] = {
		CALL(get_attach_cookie),
		CELLS(BPF_REG_1, map),
		STORE(BPF_REG_1, CELL(result), BPF_REG_0),
		INCREASE(BPF_REG_1, CELL(value), BPF_REG_0),
		SET(BPF_REG_2, 1),
		INCREASE(BPF_REG_1, CELL(hits), BPF_REG_2),
		SET(BPF_REG_0, verdict),
		LEAVE,
	};

	return load_insns(type, insns, ARRAY_SIZE(insns));
}

static int link_to(int prog, int target, __u64 cookie)
{
	int fd = try_link(prog, target, cookie, 0);

	CHECK(fd >= 0, "link: %s", strerror(errno));
	return fd;
}

/* An event that a program can be attached to, and a call that makes it run. */

struct hook {
	__u32 type;
	struct perf_event_attr (*attr)(void);
	void (*hit)(unsigned int times);
	/* Only hit() makes it run. */
	bool exact;
};

static struct perf_event_attr fault_attr(void)
{
	struct perf_event_attr attr = sw_attr(PERF_COUNT_SW_PAGE_FAULTS);

	attr.sample_period = 1;
	attr.sample_type = PERF_SAMPLE_TID;
	return attr;
}

static struct perf_event_attr rename_attr(void)
{
	return make_attr(PERF_TYPE_TRACEPOINT,
			 tracepoint_id("task/task_rename"));
}

static void rename_self(unsigned int times)
{
	while (times--)
		CHECK(!prctl(PR_SET_NAME, "bpf", 0, 0, 0), "PR_SET_NAME");
}

/* The function behind task_rename on every architecture. */
static struct perf_event_attr kprobe_attr(void)
{
	struct perf_event_attr attr = make_attr(pmu_type("kprobe"), 0);

	attr.kprobe_func = (unsigned long)"__set_task_comm";
	return attr;
}

__attribute__((noipa))
static void probed(void)
{
	asm volatile("" : : : "memory");
}

static void call_probed(unsigned int times)
{
	while (times--)
		probed();
}

static __u64 offset_of_probed(void)
{
	unsigned long start, end, offset, at = (unsigned long)probed;
	FILE *maps = fopen("/proc/self/maps", "r");

	CHECK(maps, "maps: %s", strerror(errno));
	do
		CHECK(fscanf(maps, "%lx-%lx %*s %lx%*[^\n]", &start, &end,
			     &offset) == 3, "probed() is not mapped");
	while (at < start || at >= end);
	fclose(maps);
	return at - start + offset;
}

static struct perf_event_attr uprobe_attr(void)
{
	struct perf_event_attr attr = make_attr(pmu_type("uprobe"), 0);

	attr.uprobe_path = (unsigned long)"/proc/self/exe";
	attr.probe_offset = offset_of_probed();
	return attr;
}

static const struct hook overflow = {
	BPF_PROG_TYPE_PERF_EVENT, fault_attr, touch_pages, false,
};

static const struct hook tracepoint = {
	BPF_PROG_TYPE_TRACEPOINT, rename_attr, rename_self, true,
};

static const struct hook kprobe = {
	BPF_PROG_TYPE_KPROBE, kprobe_attr, rename_self, true,
};

static const struct hook uprobe = {
	BPF_PROG_TYPE_KPROBE, uprobe_attr, call_probed, true,
};

static int open_hook(const struct hook *hook)
{
	struct perf_event_attr attr = hook->attr();

	return open_self(&attr);
}

static void expect_hits(const struct hook *hook, __u64 want, const char *when)
{
	__u64 hits = cells->hits;

	CHECK(hook->exact ? hits == want : hits >= want,
	      "%s: %llu hits, expected %llu", when, hits, want);
}

/* Attached by SET_BPF: cookie 0, and detached with the event. */
static void attached_by_ioctl(const struct hook *hook, int verdict)
{
	int prog = load_counter(hook->type, verdict);
	int fd = open_hook(hook);
	__u64 hits;

	CHECK(!attach(fd, prog), "attach: %s", strerror(errno));
	close(prog);
	cells->result = OTHER;
	event_enable(fd);
	hook->hit(ROUNDS);
	event_disable(fd);
	expect_hits(hook, ROUNDS, "enabled");
	CHECK(!cells->result, "cookie %#llx", cells->result);
	if (verdict)
		CHECK(read_count(fd) >= ROUNDS, "count %llu", read_count(fd));
	else
		CHECK(!read_count(fd), "%llu in spite of the program",
		      read_count(fd));
	hits = cells->hits;
	close(fd);
	hook->hit(ROUNDS);
	CHECK(cells->hits == hits, "runs when its event is closed");
}

static void kprobe_drops(void)
{
	attached_by_ioctl(&kprobe, 0);
}

static void kprobe_keeps(void)
{
	attached_by_ioctl(&kprobe, 1);
}

static void uprobe_drops(void)
{
	attached_by_ioctl(&uprobe, 0);
}

static void uprobe_keeps(void)
{
	attached_by_ioctl(&uprobe, 1);
}

/* Attached by a link: it has a cookie, and keeps the event. */
static void attached_by_link(const struct hook *hook)
{
	int prog = load_counter(hook->type, 1);
	int fd = open_hook(hook), link;
	__u64 hits;

	link = link_to(prog, fd, COOKIE);
	close(prog);
	event_enable(fd);
	hook->hit(ROUNDS);
	expect_hits(hook, ROUNDS, "enabled");
	CHECK(cells->result == COOKIE, "cookie %#llx", cells->result);
	close(fd);
	hits = cells->hits;
	hook->hit(ROUNDS);
	expect_hits(hook, hits + ROUNDS, "descriptor closed");
	close(link);
	hits = cells->hits;
	hook->hit(ROUNDS);
	CHECK(cells->hits == hits, "runs without its link");
}

static void cookie_of_overflow(void)
{
	attached_by_link(&overflow);
}

static void cookie_of_tracepoint(void)
{
	attached_by_link(&tracepoint);
}

static void cookie_of_kprobe(void)
{
	attached_by_link(&kprobe);
}

static void cookie_of_uprobe(void)
{
	attached_by_link(&uprobe);
}

/* An event can have a program again when its link is gone. */
static void linked_again(void)
{
	int first = load_counter(BPF_PROG_TYPE_PERF_EVENT, 0);
	int second = load_counter(BPF_PROG_TYPE_PERF_EVENT, 0);
	int fd = open_hook(&overflow), link;

	link = link_to(first, fd, COOKIE);
	CHECK(try_link(second, fd, OTHER, 0) < 0 && errno == EEXIST,
	      "second link: %s", strerror(errno));
	CHECK(attach(fd, second) && errno == EEXIST, "SET_BPF beside it: %s",
	      strerror(errno));
	close(link);
	event_enable(fd);
	touch_pages(ROUNDS);
	CHECK(read_count(fd) >= ROUNDS, "the event has gone with its link");
	link_to(second, fd, OTHER);
	touch_pages(ROUNDS);
	CHECK(cells->hits >= ROUNDS && cells->result == OTHER,
	      "%llu hits, cookie %#llx", cells->hits, cells->result);
}

static void links_refused(void)
{
	int trace = load_counter(BPF_PROG_TYPE_TRACEPOINT, 0);
	int prog = load_counter(BPF_PROG_TYPE_PERF_EVENT, 0);
	int fd = open_hook(&overflow), fds[2];

	CHECK(try_link(prog, fd, COOKIE, 1) < 0 && errno == EINVAL,
	      "unknown flag: %s", strerror(errno));
	CHECK(try_link(trace, fd, COOKIE, 0) < 0 && errno == EINVAL,
	      "program of a tracepoint: %s", strerror(errno));
	CHECK(!pipe(fds), "pipe");
	CHECK(try_link(prog, fds[0], COOKIE, 0) < 0 && errno == EBADF,
	      "link to a pipe: %s", strerror(errno));
	CHECK(!attach(fd, prog), "attach after it: %s", strerror(errno));
}

static void wrong_types(void)
{
	int trace = load_return(BPF_PROG_TYPE_TRACEPOINT, 0);
	int probe = load_return(BPF_PROG_TYPE_KPROBE, 0);

	CHECK(attach(open_hook(&kprobe), trace) && errno == EINVAL,
	      "tracepoint's on a kprobe: %s", strerror(errno));
	CHECK(attach(open_hook(&uprobe), trace) && errno == EINVAL,
	      "tracepoint's on a uprobe: %s", strerror(errno));
	CHECK(attach(open_hook(&tracepoint), probe) && errno == EINVAL,
	      "probe's on a tracepoint: %s", strerror(errno));
	CHECK(attach(open_hook(&overflow), probe) && errno == EINVAL,
	      "probe's on a software event: %s", strerror(errno));
}

/* Sleeping. */

/* Copies 8 bytes from @at, a page that is not yet in memory. */
static int load_sleeper(const void *at)
{
	int map = make_cells(), fd;
	__u64 from = (unsigned long)at;
	const struct bpf_insn insns[] = {
		COPY(BPF_REG_1, BPF_REG_10),
		ADD(BPF_REG_1, -8),
		SET(BPF_REG_2, 8),
		WIDE(BPF_REG_3, 0, (__s32)from, (__s32)(from >> 32)),
		CALL(copy_from_user),
		CELLS(BPF_REG_1, map),
		STORE(BPF_REG_1, CELL(result), BPF_REG_0),
		LOAD(BPF_REG_2, BPF_REG_10, -8),
		STORE(BPF_REG_1, CELL(value), BPF_REG_2),
		SET(BPF_REG_2, 1),
		INCREASE(BPF_REG_1, CELL(hits), BPF_REG_2),
		SET(BPF_REG_0, 1),
		LEAVE,
	};

	fd = try_load(BPF_PROG_TYPE_KPROBE, insns, ARRAY_SIZE(insns),
		      BPF_F_SLEEPABLE);
	if (fd < 0)
		test_skip("no programs that sleep: %s", strerror(errno));
	return fd;
}

static void sleeps_at_uprobes_only(void)
{
	__u64 magic = COOKIE;
	int file = memory_fd("unseen", sizeof(magic)), fd, prog;
	void *at = map_memory(file, sizeof(magic));

	CHECK(pwrite(file, &magic, sizeof(magic), 0) == sizeof(magic),
	      "pwrite");
	prog = load_sleeper(at);
	CHECK(attach(open_hook(&kprobe), prog) && errno == EINVAL,
	      "kprobe: %s", strerror(errno));
	CHECK(try_link(prog, open_hook(&kprobe), 0, 0) < 0 && errno == EINVAL,
	      "kprobe by a link: %s", strerror(errno));
	fd = open_hook(&uprobe);
	CHECK(!attach(fd, prog), "uprobe: %s", strerror(errno));
	event_enable(fd);
	call_probed(1);
	CHECK(cells->hits == 1, "%llu hits", cells->hits);
	CHECK(!cells->result && cells->value[0] == magic,
	      "result %lld, value %#llx", (long long)cells->result,
	      cells->value[0]);
}

/* Reading. */

/* Leaves the result of bpf_perf_event_read() with @where as its flags. */
static int load_read(int events, __u64 where)
{
	int map = make_cells();
	const struct bpf_insn insns[] = {
		MAP(BPF_REG_1, events),
		WIDE(BPF_REG_2, 0, (__s32)where, (__s32)(where >> 32)),
		CALL(perf_event_read),
		CELLS(BPF_REG_1, map),
		STORE(BPF_REG_1, CELL(result), BPF_REG_0),
		SET(BPF_REG_2, 1),
		INCREASE(BPF_REG_1, CELL(hits), BPF_REG_2),
		LEAVE,
	};

	return load_insns(BPF_PROG_TYPE_TRACEPOINT, insns, ARRAY_SIZE(insns));
}

/* Calls bpf_perf_event_read_value() with a structure of @size bytes. */
static int load_read_value(int events, __u64 where, int size)
{
	int map = make_cells();
	const struct bpf_insn insns[] = {
		PUT(BPF_REG_10, -24, -1),
		PUT(BPF_REG_10, -16, -1),
		PUT(BPF_REG_10, -8, -1),
		MAP(BPF_REG_1, events),
		WIDE(BPF_REG_2, 0, (__s32)where, (__s32)(where >> 32)),
		COPY(BPF_REG_3, BPF_REG_10),
		ADD(BPF_REG_3, -24),
		SET(BPF_REG_4, size),
		CALL(perf_event_read_value),
		KEEP_READ(map),
		SET(BPF_REG_2, 1),
		INCREASE(BPF_REG_1, CELL(hits), BPF_REG_2),
		SET(BPF_REG_0, 1),
		LEAVE,
	};

	return load_insns(BPF_PROG_TYPE_TRACEPOINT, insns, ARRAY_SIZE(insns));
}

/* A program at an overflow reads its own event. */
static int load_prog_read(void)
{
	int map = make_cells();
	const struct bpf_insn insns[] = {
		COPY(BPF_REG_2, BPF_REG_10),
		ADD(BPF_REG_2, -24),
		SET(BPF_REG_3, 24),
		CALL(perf_prog_read_value),
		KEEP_READ(map),
		SET(BPF_REG_0, 0),
		LEAVE,
	};

	return load_insns(BPF_PROG_TYPE_PERF_EVENT, insns, ARRAY_SIZE(insns));
}

/* Run the program once, from a tracepoint that is hit by the caller. */
static void run_once(int prog)
{
	int fd = open_hook(&tracepoint);

	CHECK(!attach(fd, prog), "attach: %s", strerror(errno));
	event_enable(fd);
	rename_self(1);
	close(fd);
	close(prog);
	CHECK(cells->hits == 1, "%llu hits", cells->hits);
}

static int timed_event(__u64 config, pid_t pid, int cpu)
{
	struct perf_event_attr attr = sw_attr(config);

	attr.disabled = 0;
	attr.read_format = FORMAT_TIMES;
	return open_on(&attr, pid, cpu, -1);
}

static bool is_between(__u64 from, __u64 value, __u64 to)
{
	return from <= value && value <= to;
}

/*
 * A count that a program reads of an active event is between two read(2)
 * calls.
 */
static void expect_reads(int events, __u64 where, int event)
{
	struct timed_count from, to;

	from = read_timed(event);
	run_once(load_read(events, where));
	to = read_timed(event);
	CHECK(is_between(from.value, cells->result, to.value),
	      "read: %llu, between %llu and %llu", cells->result, from.value,
	      to.value);
	from = to;
	run_once(load_read_value(events, where, 24));
	to = read_timed(event);
	CHECK(!cells->result, "read_value: %lld", (long long)cells->result);
	CHECK(is_between(from.value, cells->value[0], to.value) &&
	      is_between(from.enabled, cells->value[1], to.enabled) &&
	      is_between(from.running, cells->value[2], to.running),
	      "%llu of %llu to %llu, enabled %llu of %llu to %llu, running %llu",
	      cells->value[0], from.value, to.value, cells->value[1],
	      from.enabled, to.enabled, cells->value[2]);
}

static void read_own_event(void)
{
	int event = timed_event(PERF_COUNT_SW_PAGE_FAULTS, 0, -1);
	int events = make_event_map();

	CHECK(!put_event(events, SLOT, event), "put: %s", strerror(errno));
	touch_pages(ROUNDS);
	expect_reads(events, SLOT, event);
	CHECK(cells->value[0] >= ROUNDS, "%llu faults", cells->value[0]);
	event_disable(event);
	touch_pages(ROUNDS);
	/* Disabled, its count is constant. */
	expect_reads(events, SLOT, event);
	CHECK(cells->value[0] == read_timed(event).value, "it is disabled");
}

static void read_cpu_event(void)
{
	int cpu = first_cpu(), events = make_event_map(), event;

	pin_to_cpu(cpu);
	event = timed_event(PERF_COUNT_SW_CPU_CLOCK, -1, cpu);
	CHECK(!put_event(events, cpu, event), "put: %s", strerror(errno));
	expect_reads(events, CURRENT_CPU, event);
	CHECK(cells->value[0], "the clock does not go");
	expect_reads(events, cpu, event);
}

static void read_hardware(void)
{
	struct perf_event_attr attr = hw_attr(PERF_COUNT_HW_CPU_CYCLES);
	int events = make_event_map(), event;

	need_hardware();
	attr.disabled = 0;
	attr.read_format = FORMAT_TIMES;
	event = open_self(&attr);
	CHECK(!put_event(events, SLOT, event), "put: %s", strerror(errno));
	burn(1000);
	expect_reads(events, SLOT, event);
	CHECK(cells->value[0], "no cycles");
}

/* The map keeps the event. */
static void read_closed_event(void)
{
	int event = timed_event(PERF_COUNT_SW_PAGE_FAULTS, 0, -1);
	int events = make_event_map();
	__u64 before;

	CHECK(!put_event(events, SLOT, event), "put: %s", strerror(errno));
	before = read_timed(event).value;
	close(event);
	touch_pages(ROUNDS);
	run_once(load_read(events, SLOT));
	CHECK(cells->result >= before + ROUNDS, "%lld after %llu",
	      (long long)cells->result, before);
}

static void read_at_overflow(void)
{
	struct perf_event_attr attr = fault_attr();
	struct timed_count to;
	int fd;

	attr.read_format = FORMAT_TIMES;
	fd = open_self(&attr);
	CHECK(!attach(fd, load_prog_read()), "attach: %s", strerror(errno));
	event_enable(fd);
	touch_pages(ROUNDS);
	event_disable(fd);
	to = read_timed(fd);
	CHECK(!cells->result && is_between(ROUNDS, cells->value[0], to.value) &&
	      is_between(1, cells->value[1], to.enabled) &&
	      is_between(1, cells->value[2], to.running),
	      "result %lld, %llu, enabled %llu, running %llu",
	      (long long)cells->result, cells->value[0], cells->value[1],
	      cells->value[2]);
	attr.inherit = 1;
	attr.disabled = 0;
	fd = open_self(&attr);
	CHECK(!attach(fd, load_prog_read()), "attach: %s", strerror(errno));
	touch_pages(ROUNDS);
	CHECK((long long)cells->result == -EOPNOTSUPP && !cells->value[0],
	      "inherited: %lld, %llu", (long long)cells->result,
	      cells->value[0]);
}

static void expect_unread(int events, __u64 where, int error,
			  const char *what)
{
	run_once(load_read(events, where));
	EXPECT((long long)cells->result == -error, "read, %s: %lld", what,
	       (long long)cells->result);
	run_once(load_read_value(events, where, 24));
	EXPECT((long long)cells->result == -error, "read_value, %s: %lld",
	       what, (long long)cells->result);
	EXPECT(!cells->value[0] && !cells->value[1] && !cells->value[2],
	       "%s: left %#llx", what, cells->value[0]);
}

static void reads_refused(void)
{
	int cpu = first_cpu(), other = second_cpu();
	int events = make_event_map();

	pin_to_cpu(cpu);
	CHECK(!put_event(events, 0, timed_event(PERF_COUNT_SW_PAGE_FAULTS,
						getppid(), -1)), "put");
	CHECK(!put_event(events, 1, timed_event(PERF_COUNT_SW_PAGE_FAULTS, -1,
						other)), "put");
	expect_unread(events, 0, EINVAL, "event of another task");
	expect_unread(events, 1, EINVAL, "event of another CPU");
	expect_unread(events, 2, ENOENT, "empty slot");
	expect_unread(events, EVENT_SLOTS, E2BIG, "slot behind the last");
	expect_unread(events, 1ULL << 32, EINVAL, "unknown flag");
	run_once(load_read_value(events, 0, 16));
	CHECK((long long)cells->result == -EINVAL && !cells->value[0] &&
	      !cells->value[1] && cells->value[2] == POISON,
	      "size 16: %lld, %#llx %#llx %#llx", (long long)cells->result,
	      cells->value[0], cells->value[1], cells->value[2]);
}

/* Inherited events are refused: programs cannot read copies on other CPUs. */
static void slots_refused(void)
{
	struct perf_event_attr attr = sw_attr(PERF_COUNT_SW_PAGE_FAULTS);
	int events = make_event_map(), fds[2];

	attr.inherit = 1;
	CHECK(put_event(events, 0, open_self(&attr)) && errno == EOPNOTSUPP,
	      "inherited event: %s", strerror(errno));
	CHECK(!pipe(fds), "pipe");
	CHECK(put_event(events, 0, fds[0]) && errno == EBADF, "pipe: %s",
	      strerror(errno));
	attr.inherit = 0;
	CHECK(put_event(events, EVENT_SLOTS, open_self(&attr)) &&
	      errno == E2BIG, "slot behind the last: %s", strerror(errno));
}

/* Copies. */

static void touch_many(void *arg)
{
	(void)arg;
	touch_pages(10 * ROUNDS);
}

static int inherited_hook(void)
{
	struct perf_event_attr attr = fault_attr();

	attr.inherit = 1;
	attr.disabled = 0;
	return open_self(&attr);
}

/* Return: hits that @helper makes while the caller waits for it. */
static __u64 hits_of(struct helper *helper)
{
	cells->hits = 0;
	cells->value[0] = 0;
	helper_go(helper);
	helper_join(helper);
	return cells->hits;
}

static void copies_made_later(void)
{
	int prog = load_counter(BPF_PROG_TYPE_PERF_EVENT, 0);
	int fd = inherited_hook();
	struct helper child;
	__u64 hits;

	CHECK(!attach(fd, prog), "attach: %s", strerror(errno));
	child = helper_start(touch_many, NULL);
	hits = hits_of(&child);
	CHECK(hits >= 10 * ROUNDS, "%llu hits", hits);
	CHECK(read_count(fd) >= hits, "count %llu", read_count(fd));
}

static void copies_made_before(void)
{
	int prog = load_counter(BPF_PROG_TYPE_PERF_EVENT, 0);
	int fd = inherited_hook();
	struct helper child = helper_start(touch_many, NULL);
	__u64 hits;

	CHECK(!attach(fd, prog), "attach: %s", strerror(errno));
	hits = hits_of(&child);
	if (hits < 10 * ROUNDS)
		test_xfail("%llu hits: the copy has no program", hits);
}

static void cookie_of_copies(void)
{
	int prog = load_counter(BPF_PROG_TYPE_PERF_EVENT, 0);
	struct helper child;
	__u64 hits;

	link_to(prog, inherited_hook(), COOKIE);
	child = helper_start(touch_many, NULL);
	hits = hits_of(&child);
	CHECK(hits >= 10 * ROUNDS, "%llu hits", hits);
	if (cells->value[0] != hits * COOKIE)
		test_xfail("cookies add up to %#llx in %llu hits",
			   cells->value[0], hits);
}

/* The child has the link's descriptor as well. */
static void close_and_touch(void *arg)
{
	close(*(int *)arg);
	touch_many(NULL);
}

/* When the program is detached from the eldest, it is detached from copies. */
static void link_of_copies_closed(void)
{
	int prog = load_counter(BPF_PROG_TYPE_PERF_EVENT, 0);
	int link = link_to(prog, inherited_hook(), COOKIE);
	struct helper child = helper_start(close_and_touch, &link);
	__u64 hits;

	close(link);
	hits = hits_of(&child);
	if (hits >= 10 * ROUNDS)
		test_xfail("%llu hits: the copy still has its program", hits);
}

/* Records report the load of a program, not its attachment. */

struct told {
	unsigned int loaded;
	unsigned int unloaded;
	unsigned int symbols;
};

static struct told records_of(struct perf_ring *ring)
{
	struct perf_event_header *header;
	struct told told = { };
	const __u16 *body;

	while ((header = ring_next(ring))) {
		body = record_body(header);
		if (header->type == PERF_RECORD_KSYMBOL)
			told.symbols++;
		if (header->type != PERF_RECORD_BPF_EVENT)
			continue;
		if (body[0] == PERF_BPF_EVENT_PROG_LOAD)
			told.loaded++;
		else
			told.unloaded++;
	}
	return told;
}

static void expect_told(struct perf_ring *ring, const struct told *want,
			const char *when)
{
	struct told told = records_of(ring);

	EXPECT(told.loaded == want->loaded && told.unloaded == want->unloaded &&
	       told.symbols == want->symbols,
	       "%s: %u loaded, %u unloaded, %u symbols", when, told.loaded,
	       told.unloaded, told.symbols);
}

static struct perf_ring *watch_programs(void)
{
	struct perf_event_attr attr = sw_attr(PERF_COUNT_SW_DUMMY);
	int cpu = first_cpu();

	pin_to_cpu(cpu);
	attr.disabled = 0;
	attr.bpf_event = 1;
	attr.ksymbol = 1;
	return ring_map(open_on(&attr, -1, cpu, -1), 8);
}

static void records_of_attached(const struct hook *hook, bool by_link)
{
	struct perf_ring *ring = watch_programs();
	const struct told nothing = { };
	struct told loaded, unloaded;
	int prog, fd, link = -1;

	prog = load_counter(hook->type, 1);
	loaded = records_of(ring);
	CHECK(loaded.loaded == 1 && !loaded.unloaded, "%u loaded, %u unloaded",
	      loaded.loaded, loaded.unloaded);
	fd = open_hook(hook);
	if (by_link)
		link = link_to(prog, fd, COOKIE);
	else
		CHECK(!attach(fd, prog), "attach: %s", strerror(errno));
	event_enable(fd);
	hook->hit(ROUNDS);
	close(by_link ? fd : prog);
	expect_told(ring, &nothing, "attached");
	close(by_link ? prog : fd);
	close(link);
	/* KSYMBOL reports compiled code, if there is any. */
	unloaded = (struct told) { 0, 1, loaded.symbols };
	usleep(100000);
	expect_told(ring, &unloaded, "closed");
}

static void records_of_overflow(void)
{
	records_of_attached(&overflow, false);
	records_of_attached(&overflow, true);
}

static void records_of_tracepoint(void)
{
	records_of_attached(&tracepoint, false);
	records_of_attached(&tracepoint, true);
}

/*
 * An event is closed while it overflows on another CPU. It has the last
 * reference on its program, so that this is freed too.
 */

static __u64 read_hits(void)
{
	return __atomic_load_n(&cells->hits, __ATOMIC_RELAXED);
}

static void await_above(const __u64 *cell, __u64 value)
{
	__u64 end = now_ns() + 30 * NSEC_PER_SEC;

	while (__atomic_load_n(cell, __ATOMIC_RELAXED) <= value)
		CHECK(now_ns() < end, "nothing happens on the other CPU");
}

/* Never ends, and counts its rounds in memory that the caller sees. */
static pid_t start_faults(__u64 *rounds)
{
	int other = second_cpu();
	pid_t pid = fork();

	CHECK(pid >= 0, "fork: %s", strerror(errno));
	if (!pid) {
		pin_to_cpu(other);
		for (;;) {
			touch_pages(8);
			__atomic_fetch_add(rounds, 1, __ATOMIC_RELAXED);
		}
	}
	pin_to_cpu(first_cpu());
	return pid;
}

/* Opens a disabled event that has the only reference on its program. */
static int open_with_program(pid_t pid)
{
	struct perf_event_attr attr = sw_attr(PERF_COUNT_SW_PAGE_FAULTS);
	int prog = load_counter(BPF_PROG_TYPE_PERF_EVENT, 0), fd;

	attr.sample_period = 1;
	fd = open_on(&attr, pid, -1, -1);
	CHECK(!attach(fd, prog), "attach: %s", strerror(errno));
	close(prog);
	return fd;
}

static void disable_and_close(int fd)
{
	__u64 hits;

	event_disable(fd);
	hits = read_hits();
	CHECK(hits <= read_count(fd), "%llu hits, but %llu faults",
	      (unsigned long long)hits,
	      (unsigned long long)read_count(fd));
	close(fd);
}

static void just_close(int fd)
{
	close(fd);
}

static void goes_while_it_overflows(void (*end)(int fd))
{
	__u64 *rounds = map_memory(memory_fd("rounds", sizeof(*rounds)),
				   sizeof(*rounds));
	pid_t pid = start_faults(rounds);
	unsigned int i;
	__u64 hits;
	int fd;

	for (i = 0; i < REMOVALS; i++) {
		fd = open_with_program(pid);
		event_enable(fd);
		await_above(&cells->hits, i % 16);
		end(fd);
		hits = read_hits();
		await_above(rounds, *rounds + 1);
		CHECK(read_hits() == hits, "round %u: runs on afterwards", i);
		munmap(cells, sizeof(*cells));
	}
	stop_child(pid);
}

static void closed_while_it_overflows(void)
{
	goes_while_it_overflows(just_close);
}

static void disabled_while_it_overflows(void)
{
	goes_while_it_overflows(disable_and_close);
}

static const struct test_case cases[] = {
	{ "kprobe program drops events", kprobe_drops },
	{ "kprobe program lets events pass", kprobe_keeps },
	{ "uprobe program drops events", uprobe_drops },
	{ "uprobe program lets events pass", uprobe_keeps },
	{ "cookie of an overflow program", cookie_of_overflow },
	{ "cookie of a tracepoint program", cookie_of_tracepoint },
	{ "cookie of a kprobe program", cookie_of_kprobe },
	{ "cookie of a uprobe program", cookie_of_uprobe },
	{ "linked again", linked_again },
	{ "links that are refused", links_refused },
	{ "programs of the wrong type", wrong_types },
	{ "programs that sleep: uprobes only", sleeps_at_uprobes_only },
	{ "programs read a task's event", read_own_event },
	{ "programs read a CPU's event", read_cpu_event },
	{ "programs read hardware", read_hardware },
	{ "programs read a closed event", read_closed_event },
	{ "programs read the event that overflows", read_at_overflow },
	{ "reads that are refused", reads_refused },
	{ "events that programs cannot read", slots_refused },
	{ "copies that are made later", copies_made_later },
	{ "copies that were there before", copies_made_before },
	{ "cookie of copies", cookie_of_copies },
	{ "link of copies, closed", link_of_copies_closed },
	{ "records about an overflow program", records_of_overflow },
	{ "records about a tracepoint program", records_of_tracepoint },
	{ "closed while it overflows elsewhere", closed_while_it_overflows },
	{ "disabled while it overflows elsewhere",
	  disabled_while_it_overflows },
};

int main(void)
{
	tests_begin(ARRAY_SIZE(cases));
	tests_run(cases, ARRAY_SIZE(cases));
	tests_end();
}
