// SPDX-License-Identifier: GPL-2.0
/*
 * Records about the machine instead of samples: mappings, names, tasks,
 * switches, namespaces, BPF programs, and the sample_id fields behind each.
 *
 * A dummy event requests the records; the test provokes them and checks every
 * field that it can know, and that the sizes add up.
 *
 * Called with an argument, the program is the one that the tests exec.
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
#include <time.h>
#include <unistd.h>
#include <linux/bpf.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>

#include "perf_lib.h"

#define TRAILER \
	(PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ID | \
	 PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU | PERF_SAMPLE_IDENTIFIER)

struct mmap_body {
	__u32 pid;
	__u32 tid;
	__u64 addr;
	__u64 len;
	__u64 pgoff;
	char filename[];
};

struct mmap2_body {
	__u32 pid;
	__u32 tid;
	__u64 addr;
	__u64 len;
	__u64 pgoff;
	__u32 maj;
	__u32 min;
	__u64 ino;
	__u64 ino_generation;
	__u32 prot;
	__u32 flags;
	char filename[];
};

struct comm_body {
	__u32 pid;
	__u32 tid;
	char comm[];
};

struct task_body {
	__u32 pid;
	__u32 ppid;
	__u32 tid;
	__u32 ptid;
	__u64 time;
};

struct namespaces_body {
	__u32 pid;
	__u32 tid;
	__u64 nr;
	struct perf_ns_link_info link[];
};

struct switch_body {
	__u32 pid;
	__u32 tid;
};

static struct perf_event_attr dummy_attr(void)
{
	struct perf_event_attr attr = sw_attr(PERF_COUNT_SW_DUMMY);

	attr.disabled = 0;
	attr.sample_id_all = 1;
	attr.sample_type = TRAILER;
	attr.use_clockid = 1;
	attr.clockid = CLOCK_MONOTONIC;
	return attr;
}

/* Opens an event; skips the case if the record kind is not supported. */
static int open_or_skip(struct perf_event_attr *attr, pid_t pid, int cpu)
{
	int fd = perf_open(attr, pid, cpu, -1, 0);

	if (fd < 0 && errno == EOPNOTSUPP)
		test_skip("not supported");
	CHECK(fd >= 0, "open: %s", strerror(errno));
	return fd;
}

/* The sample_id fields must be those of @fd and of this task. */
static void check_trailer(const struct perf_event_header *header,
			  const struct perf_event_attr *attr, int fd)
{
	struct sample id;

	if (!attr->sample_id_all)
		return;
	parse_trailer(header, attr, &id);
	if (attr->sample_type & PERF_SAMPLE_ID)
		CHECK(id.id == event_id(fd), "id");
	if (attr->sample_type & PERF_SAMPLE_IDENTIFIER)
		CHECK(id.identifier == event_id(fd), "identifier");
	if (attr->sample_type & PERF_SAMPLE_TIME)
		CHECK(id.time && id.time <= now_ns(), "time %llu",
		      (unsigned long long)id.time);
	if (attr->sample_type & PERF_SAMPLE_CPU)
		CHECK(id.cpu < 4096 && !id.cpu_reserved, "cpu %u", id.cpu);
}

/* @name ends with a zero and fills the record up to a multiple of 8. */
static void check_name(const struct perf_event_header *header,
		       const struct perf_event_attr *attr, const char *name)
{
	const char *end = (const char *)header + header->size -
			  trailer_size(attr);
	size_t room = end - name;

	CHECK(end > name && strnlen(name, room) < room, "name without end");
	CHECK(room - strlen(name) <= 8, "%zu bytes for \"%s\"", room, name);
	for (name += strlen(name); name < end; name++)
		CHECK(!*name, "padding is not zero");
}

static void *map_self(int prot, int flags)
{
	int fd = open("/proc/self/exe", O_RDONLY);
	size_t page = sysconf(_SC_PAGESIZE);
	void *at;

	CHECK(fd >= 0, "/proc/self/exe: %s", strerror(errno));
	at = mmap(NULL, page, prot, flags, fd, page);
	CHECK(at != MAP_FAILED, "mmap: %s", strerror(errno));
	close(fd);
	return at;
}

static const char *own_name(void)
{
	static char name[4096];
	ssize_t len = readlink("/proc/self/exe", name, sizeof(name) - 1);

	CHECK(len > 0, "readlink");
	return name;
}

/* Maps a page of the program. Return: the MMAP record about it. */
static struct perf_event_header *
own_mapping(struct perf_ring *ring, const struct perf_event_attr *attr, int fd,
	    int prot)
{
	unsigned long at = (unsigned long)map_self(prot, MAP_PRIVATE);
	struct perf_event_header *header;
	const struct mmap_body *body;

	do {
		header = ring_find(ring, PERF_RECORD_MMAP);
		CHECK(header, "no MMAP record for the mapping");
		body = record_body(header);
	} while (body->addr != at);
	CHECK(body->pid == (__u32)getpid() && body->tid == (__u32)gettid(),
	      "pid %u tid %u", body->pid, body->tid);
	CHECK(body->len == (__u64)sysconf(_SC_PAGESIZE) &&
	      body->pgoff == body->len, "len or pgoff");
	CHECK(!strcmp(body->filename, own_name()), "name %s", body->filename);
	check_name(header, attr, body->filename);
	check_trailer(header, attr, fd);
	return header;
}

static void mmap_record(void)
{
	struct perf_event_attr attr = dummy_attr();
	struct perf_event_header *header;
	struct perf_ring *ring;
	int fd;

	attr.mmap = 1;
	fd = open_self(&attr);
	ring = ring_map(fd, 4);
	map_self(PROT_READ, MAP_PRIVATE);
	CHECK(!ring_find(ring, PERF_RECORD_MMAP), "record of data");
	header = own_mapping(ring, &attr, fd, PROT_READ | PROT_EXEC);
	CHECK(!(header->misc & PERF_RECORD_MISC_MMAP_DATA), "misc %#x",
	      header->misc);
}

static void mmap_data_record(void)
{
	struct perf_event_attr attr = dummy_attr();
	struct perf_event_header *header;
	int fd;

	attr.mmap_data = 1;
	fd = open_self(&attr);
	header = own_mapping(ring_map(fd, 4), &attr, fd, PROT_READ);
	CHECK(header->misc & PERF_RECORD_MISC_MMAP_DATA, "misc %#x",
	      header->misc);
}

static const struct mmap2_body *find_mmap2(struct perf_ring *ring,
					   struct perf_event_header **header)
{
	*header = ring_find(ring, PERF_RECORD_MMAP2);
	CHECK(*header, "no MMAP2 record");
	return record_body(*header);
}

static void mmap2_record(void)
{
	struct perf_event_attr attr = dummy_attr();
	struct perf_event_header *header;
	const struct mmap2_body *body;
	struct perf_ring *ring;
	struct stat st;
	void *at;
	int fd;

	attr.mmap = 1;
	attr.mmap2 = 1;
	fd = open_self(&attr);
	ring = ring_map(fd, 4);
	at = map_self(PROT_READ | PROT_EXEC, MAP_PRIVATE);
	body = find_mmap2(ring, &header);
	CHECK(!stat("/proc/self/exe", &st), "stat");
	EXPECT(body->addr == (unsigned long)at, "addr");
	EXPECT(body->ino == st.st_ino, "ino %llu, not %llu",
	       (unsigned long long)body->ino, (unsigned long long)st.st_ino);
	EXPECT(body->maj == major(st.st_dev) && body->min == minor(st.st_dev),
	       "device %u:%u", body->maj, body->min);
	EXPECT(body->prot == (PROT_READ | PROT_EXEC), "prot %#x", body->prot);
	EXPECT(body->flags == MAP_PRIVATE, "flags %#x", body->flags);
	EXPECT(!strcmp(body->filename, own_name()), "name %s",
	       body->filename);
	check_name(header, &attr, body->filename);
	check_trailer(header, &attr, fd);
}

static void anonymous_record(void)
{
	struct perf_event_attr attr = dummy_attr();
	struct perf_event_header *header;
	const struct mmap2_body *body;
	struct perf_ring *ring;
	void *at;
	int fd;

	attr.mmap = 1;
	attr.mmap2 = 1;
	fd = open_self(&attr);
	ring = ring_map(fd, 4);
	at = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
		  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	CHECK(at != MAP_FAILED, "mmap");
	body = find_mmap2(ring, &header);
	CHECK(body->addr == (unsigned long)at && !body->ino, "addr or ino");
	CHECK(!strcmp(body->filename, "//anon"), "name %s", body->filename);
}

static void build_id_record(void)
{
	struct perf_event_attr attr = dummy_attr();
	struct perf_event_header *header;
	const struct mmap2_body *body;
	struct perf_ring *ring;
	const __u8 *id;
	int fd, i, sum = 0;

	attr.mmap = 1;
	attr.mmap2 = 1;
	attr.build_id = 1;
	fd = open_or_skip(&attr, 0, -1);
	ring = ring_map(fd, 4);
	map_self(PROT_READ | PROT_EXEC, MAP_PRIVATE);
	body = find_mmap2(ring, &header);
	if (!(header->misc & PERF_RECORD_MISC_MMAP_BUILD_ID))
		test_skip("program without build id");
	id = (const __u8 *)&body->maj;
	CHECK(id[0] > 0 && id[0] <= 20, "size %u", id[0]);
	for (i = 0; i < id[0]; i++)
		sum += id[4 + i];
	CHECK(sum, "build id of zeros");
	CHECK(!strcmp(body->filename, own_name()), "name %s", body->filename);
}

static void comm_names(const struct perf_event_attr *attr, int fd,
		       struct perf_ring *ring)
{
	struct perf_event_header *header;
	const struct comm_body *body;
	char name[16] = "";
	int len;

	for (len = 1; len < 16; len++) {
		name[len - 1] = 'a' + len;
		CHECK(!prctl(PR_SET_NAME, name, 0, 0, 0), "PR_SET_NAME");
		header = ring_find(ring, PERF_RECORD_COMM);
		CHECK(header, "no COMM record for \"%s\"", name);
		body = record_body(header);
		CHECK(body->pid == (__u32)getpid() &&
		      body->tid == (__u32)gettid(), "pid or tid");
		CHECK(!strcmp(body->comm, name), "\"%s\", not \"%s\"",
		      body->comm, name);
		CHECK(!(header->misc & PERF_RECORD_MISC_COMM_EXEC), "misc");
		check_name(header, attr, body->comm);
		check_trailer(header, attr, fd);
	}
}

static void comm_record(void)
{
	struct perf_event_attr attr = dummy_attr();
	int fd;

	attr.comm = 1;
	fd = open_self(&attr);
	comm_names(&attr, fd, ring_map(fd, 4));
}

/* All 64 sets of sample_id fields, and none. */
static void trailers(void)
{
	static const __u64 bits[] = {
		PERF_SAMPLE_TID, PERF_SAMPLE_TIME, PERF_SAMPLE_ID,
		PERF_SAMPLE_STREAM_ID, PERF_SAMPLE_CPU,
		PERF_SAMPLE_IDENTIFIER,
	};
	struct perf_event_attr attr = dummy_attr();
	struct perf_ring *ring;
	unsigned int mask, i;
	int fd;

	attr.comm = 1;
	for (mask = 0; mask < 2 << ARRAY_SIZE(bits); mask++) {
		attr.sample_id_all = mask & 1;
		attr.sample_type = PERF_SAMPLE_IP;
		for (i = 0; i < ARRAY_SIZE(bits); i++)
			if (mask & 2 << i)
				attr.sample_type |= bits[i];
		fd = open_self(&attr);
		ring = ring_map(fd, 1);
		comm_names(&attr, fd, ring);
		ring_unmap(ring);
		close(fd);
	}
}

static void exec_child(void *arg)
{
	(void)arg;
	execl("/proc/self/exe", "sideband", "exit", NULL);
	CHECK(0, "exec: %s", strerror(errno));
}

static void exec_record(void)
{
	struct perf_event_attr attr = dummy_attr();
	struct helper child = helper_start(exec_child, NULL);
	struct perf_event_header *header;
	unsigned int maps = 0, names = 0;
	struct perf_ring *ring;
	int fd;

	attr.comm = 1;
	attr.comm_exec = 1;
	attr.mmap = 1;
	attr.mmap2 = 1;
	attr.task = 1;
	fd = open_on(&attr, child.pid, -1, -1);
	ring = ring_map(fd, 8);
	helper_go(&child);
	helper_join(&child);
	while ((header = ring_next(ring))) {
		if (header->type == PERF_RECORD_COMM) {
			CHECK(header->misc & PERF_RECORD_MISC_COMM_EXEC,
			      "COMM without COMM_EXEC");
			names++;
		}
		if (header->type == PERF_RECORD_MMAP2) {
			CHECK(names, "mapping before the name");
			maps++;
		}
	}
	CHECK(names == 1 && maps >= 1, "%u names, %u mappings", names, maps);
}

static void short_child(void *arg)
{
	(void)arg;
}

static void check_task(const struct perf_event_header *header,
		       const struct perf_event_attr *attr, __u32 pid)
{
	const struct task_body *body = record_body(header);

	CHECK(header->size == 8 + sizeof(*body) + trailer_size(attr),
	      "size %u", header->size);
	CHECK(body->pid == pid && body->tid == pid, "pid %u tid %u, not %u",
	      body->pid, body->tid, pid);
	CHECK(body->ppid == (__u32)getpid() && body->ptid == (__u32)gettid(),
	      "ppid %u ptid %u", body->ppid, body->ptid);
	CHECK(body->time && body->time <= now_ns(), "time %llu",
	      (unsigned long long)body->time);
}

static void fork_record(void)
{
	struct perf_event_attr attr = dummy_attr();
	struct perf_event_header *header;
	struct perf_ring *ring;
	struct helper child;
	int fd;

	attr.task = 1;
	fd = open_self(&attr);
	ring = ring_map(fd, 4);
	child = helper_start(short_child, NULL);
	header = ring_find(ring, PERF_RECORD_FORK);
	CHECK(header, "no FORK record");
	check_task(header, &attr, child.pid);
	check_trailer(header, &attr, fd);
	helper_go(&child);
	helper_join(&child);
	CHECK(!ring_find(ring, PERF_RECORD_EXIT), "EXIT of a task not watched");
}

static void exit_record(void)
{
	struct perf_event_attr attr = dummy_attr();
	struct perf_event_header *header;
	struct perf_ring *ring;
	struct helper child;
	int fd, cpu = first_cpu();

	pin_to_cpu(cpu);
	attr.task = 1;
	fd = open_on(&attr, -1, cpu, -1);
	ring = ring_map(fd, 16);
	child = helper_start(short_child, NULL);
	helper_go(&child);
	helper_join(&child);
	do {
		header = ring_find(ring, PERF_RECORD_EXIT);
		CHECK(header, "no EXIT record");
	} while (*(__u32 *)record_body(header) != (__u32)child.pid);
	check_task(header, &attr, child.pid);
	check_trailer(header, &attr, fd);
}

static void own_exit_record(void)
{
	struct perf_event_attr attr = dummy_attr();
	struct perf_event_header *header;
	struct perf_ring *ring;
	struct helper child;
	int fd;

	child = helper_start(short_child, NULL);
	attr.task = 1;
	fd = open_on(&attr, child.pid, -1, -1);
	ring = ring_map(fd, 4);
	helper_go(&child);
	helper_join(&child);
	header = ring_find(ring, PERF_RECORD_EXIT);
	CHECK(header, "no EXIT record");
	check_task(header, &attr, child.pid);
	check_trailer(header, &attr, fd);
}

static void *short_thread(void *arg)
{
	return arg;
}

static void thread_record(void)
{
	struct perf_event_attr attr = dummy_attr();
	struct perf_event_header *header;
	const struct task_body *body;
	struct perf_ring *ring;
	pthread_t thread;
	int fd;

	attr.task = 1;
	fd = open_self(&attr);
	ring = ring_map(fd, 4);
	CHECK(!pthread_create(&thread, NULL, short_thread, NULL), "thread");
	pthread_join(thread, NULL);
	header = ring_find(ring, PERF_RECORD_FORK);
	CHECK(header, "no FORK record");
	body = record_body(header);
	CHECK(body->pid == (__u32)getpid() && body->tid != body->pid,
	      "pid %u tid %u", body->pid, body->tid);
}

static void switch_record(void)
{
	struct perf_event_attr attr = dummy_attr();
	struct perf_event_header *header;
	unsigned int in = 0, out = 0;
	struct perf_ring *ring;
	int fd;

	attr.context_switch = 1;
	fd = open_or_skip(&attr, 0, -1);
	ring = ring_map(fd, 32);
	bounce(20);
	event_disable(fd);
	while ((header = ring_find(ring, PERF_RECORD_SWITCH))) {
		CHECK(header->size == 8 + trailer_size(&attr), "size %u",
		      header->size);
		check_trailer(header, &attr, fd);
		if (header->misc & PERF_RECORD_MISC_SWITCH_OUT)
			out++;
		else
			in++;
	}
	CHECK(out >= 20 && in >= 20, "%u out, %u in", out, in);
	CHECK(out <= in + 1 && in <= out + 1, "%u out, %u in", out, in);
}

static void switch_cpu_wide_record(void)
{
	struct perf_event_attr attr = dummy_attr();
	unsigned int in = 0, out = 0, own = 0;
	struct perf_event_header *header;
	const struct switch_body *body;
	int fd, cpu = first_cpu();
	struct perf_ring *ring;

	pin_to_cpu(cpu);
	attr.context_switch = 1;
	fd = open_or_skip(&attr, -1, cpu);
	ring = ring_map(fd, 64);
	bounce(20);
	event_disable(fd);
	while ((header = ring_find(ring, PERF_RECORD_SWITCH_CPU_WIDE))) {
		CHECK(header->size == 16 + trailer_size(&attr), "size %u",
		      header->size);
		body = record_body(header);
		own += body->tid == (__u32)gettid();
		if (header->misc & PERF_RECORD_MISC_SWITCH_OUT)
			out++;
		else
			in++;
	}
	CHECK(out >= 40 && in >= 40, "%u out, %u in", out, in);
	CHECK(own >= 20, "%u to or from this task", own);
}

static void namespaces_record(void)
{
	struct perf_event_attr attr = dummy_attr();
	const struct namespaces_body *body;
	struct perf_event_header *header;
	struct perf_ring *ring;
	__u64 i, inodes = 0;
	int fd;

	if (geteuid())
		test_skip("needs root");
	attr.namespaces = 1;
	fd = open_or_skip(&attr, 0, -1);
	ring = ring_map(fd, 4);
	if (unshare(CLONE_NEWUTS))
		test_skip("unshare: %s", strerror(errno));
	header = ring_find(ring, PERF_RECORD_NAMESPACES);
	CHECK(header, "no NAMESPACES record");
	body = record_body(header);
	CHECK(body->pid == (__u32)getpid(), "pid %u", body->pid);
	CHECK(body->nr >= 7 && body->nr < 32, "%llu namespaces",
	      (unsigned long long)body->nr);
	CHECK(header->size == 24 + body->nr * sizeof(body->link[0]) +
	      trailer_size(&attr), "size %u", header->size);
	for (i = 0; i < body->nr; i++)
		inodes += body->link[i].ino != 0;
	CHECK(inodes >= 2, "%llu with an inode", (unsigned long long)inodes);
	check_trailer(header, &attr, fd);
}

/* The record agrees with /proc, while the task exists. */
static void check_links(const struct namespaces_body *body, pid_t pid)
{
	static const char *const names[] = {
		[NET_NS_INDEX] = "net",	   [UTS_NS_INDEX] = "uts",
		[IPC_NS_INDEX] = "ipc",	   [PID_NS_INDEX] = "pid",
		[USER_NS_INDEX] = "user",  [MNT_NS_INDEX] = "mnt",
		[CGROUP_NS_INDEX] = "cgroup",
	};
	char path[64];
	struct stat st;
	size_t i;

	CHECK(body->pid == (__u32)pid, "pid %u, not %d", body->pid, pid);
	CHECK(body->nr >= ARRAY_SIZE(names), "%llu namespaces",
	      (unsigned long long)body->nr);
	for (i = 0; i < ARRAY_SIZE(names); i++) {
		snprintf(path, sizeof(path), "/proc/%d/ns/%s", pid, names[i]);
		if (stat(path, &st)) {
			EXPECT(!body->link[i].ino, "%s, without a file", names[i]);
			continue;
		}
		EXPECT(body->link[i].ino == st.st_ino, "%s is %llu, not %llu",
		       names[i], (unsigned long long)body->link[i].ino,
		       (unsigned long long)st.st_ino);
	}
}

/* Return: the only record since the last call. */
static const struct namespaces_body *only_namespaces(struct perf_ring *ring)
{
	struct perf_event_header *header;

	header = ring_find(ring, PERF_RECORD_NAMESPACES);
	CHECK(header, "no NAMESPACES record");
	CHECK(ring->tail == ring_head(ring), "more than one record");
	return record_body(header);
}

static struct perf_ring *map_namespaces(void)
{
	struct perf_event_attr attr = dummy_attr();

	if (geteuid())
		test_skip("needs root");
	attr.namespaces = 1;
	return ring_map(open_or_skip(&attr, 0, -1), 4);
}

static void namespaces_of_setns(void)
{
	int home = open("/proc/self/ns/uts", O_RDONLY);
	struct perf_ring *ring = map_namespaces();
	const struct namespaces_body *body;
	__u64 away;

	CHECK(home >= 0, "/proc/self/ns/uts: %s", strerror(errno));
	CHECK(!unshare(CLONE_NEWUTS), "unshare: %s", strerror(errno));
	body = only_namespaces(ring);
	check_links(body, getpid());
	away = body->link[UTS_NS_INDEX].ino;
	CHECK(!setns(home, CLONE_NEWUTS), "setns: %s", strerror(errno));
	body = only_namespaces(ring);
	check_links(body, getpid());
	CHECK(body->link[UTS_NS_INDEX].ino != away, "still away");
}

static void namespaces_of_fork(void)
{
	struct perf_ring *ring = map_namespaces();
	struct helper child;
	pid_t pid;

	child = helper_start(short_child, NULL);
	check_links(only_namespaces(ring), child.pid);
	helper_go(&child);
	helper_join(&child);
	pid = syscall(SYS_clone, CLONE_NEWUTS | SIGCHLD, NULL, NULL, NULL, NULL);
	CHECK(pid >= 0, "clone: %s", strerror(errno));
	if (!pid)
		for (;;)
			pause();
	check_links(only_namespaces(ring), pid);
	stop_child(pid);
}

static int load_bpf(void)
{
	static const struct bpf_insn insns[] = {
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	union bpf_attr attr;

	memset(&attr, 0, sizeof(attr));
	attr.prog_type = BPF_PROG_TYPE_SOCKET_FILTER;
	attr.insns = (unsigned long)insns;
	attr.insn_cnt = ARRAY_SIZE(insns);
	attr.license = (unsigned long)"GPL";
	return syscall(SYS_bpf, BPF_PROG_LOAD, &attr, sizeof(attr));
}

static void bpf_record(void)
{
	struct perf_event_attr attr = dummy_attr();
	struct perf_event_header *header;
	int fd, prog, cpu = first_cpu();
	struct perf_ring *ring;
	const __u16 *body;

	pin_to_cpu(cpu);
	attr.bpf_event = 1;
	attr.ksymbol = 1;
	fd = open_or_skip(&attr, -1, cpu);
	ring = ring_map(fd, 8);
	prog = load_bpf();
	if (prog < 0)
		test_skip("cannot load a BPF program: %s", strerror(errno));
	header = ring_find(ring, PERF_RECORD_BPF_EVENT);
	CHECK(header, "no BPF_EVENT record");
	body = record_body(header);
	CHECK(body[0] == PERF_BPF_EVENT_PROG_LOAD, "type %u", body[0]);
	CHECK(header->size == 24 + trailer_size(&attr), "size %u",
	      header->size);
	check_trailer(header, &attr, fd);
}

static void no_records_when_disabled(void)
{
	struct perf_event_attr attr = dummy_attr();
	struct perf_ring *ring;
	int fd;

	attr.comm = 1;
	attr.mmap = 1;
	attr.task = 1;
	attr.disabled = 1;
	fd = open_self(&attr);
	ring = ring_map(fd, 4);
	prctl(PR_SET_NAME, "unseen", 0, 0, 0);
	map_self(PROT_READ | PROT_EXEC, MAP_PRIVATE);
	CHECK(!ring_next(ring), "record from a disabled event");
	event_enable(fd);
	prctl(PR_SET_NAME, "seen", 0, 0, 0);
	CHECK(ring_find(ring, PERF_RECORD_COMM), "no record once enabled");
}

static void rename_child(void *arg)
{
	prctl(PR_SET_NAME, arg, 0, 0, 0);
}

static void of_other_tasks(void)
{
	struct perf_event_attr attr = dummy_attr();
	struct perf_ring *own, *all;
	int cpu = first_cpu(), fd;

	pin_to_cpu(cpu);
	attr.comm = 1;
	fd = open_self(&attr);
	own = ring_map(fd, 4);
	attr.inherit = 1;
	fd = open_on(&attr, 0, cpu, -1);
	all = ring_map(fd, 4);
	run_child(rename_child, "child");
	CHECK(!ring_find(own, PERF_RECORD_COMM), "child seen without inherit");
	CHECK(ring_find(all, PERF_RECORD_COMM), "child not seen with inherit");
}

static const struct test_case cases[] = {
	{ "MMAP", mmap_record },
	{ "MMAP of data", mmap_data_record },
	{ "MMAP2", mmap2_record },
	{ "MMAP2 of anonymous memory", anonymous_record },
	{ "MMAP2 with build id", build_id_record },
	{ "COMM", comm_record },
	{ "sample_id fields", trailers },
	{ "COMM and MMAP2 of an exec", exec_record },
	{ "FORK", fork_record },
	{ "FORK of a thread", thread_record },
	{ "EXIT", exit_record },
	{ "EXIT of the observed task", own_exit_record },
	{ "SWITCH", switch_record },
	{ "SWITCH_CPU_WIDE", switch_cpu_wide_record },
	{ "NAMESPACES", namespaces_record },
	{ "NAMESPACES of setns", namespaces_of_setns },
	{ "NAMESPACES of a fork", namespaces_of_fork },
	{ "BPF_EVENT", bpf_record },
	{ "disabled events get nothing", no_records_when_disabled },
	{ "other tasks", of_other_tasks },
};

int main(int argc, char **argv)
{
	(void)argv;
	if (argc > 1)
		return 0;
	tests_begin(ARRAY_SIZE(cases));
	tests_run(cases, ARRAY_SIZE(cases));
	tests_end();
}
