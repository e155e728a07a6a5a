// SPDX-License-Identifier: GPL-2.0
/*
 * Checks every byte of a record, by the attribute of the event that wrote it.
 *
 * A scan walks over the record once. Each function below takes the bytes of one
 * field and reports what is wrong with them; after the first fault nothing more
 * is taken. Bytes that are left over are a fault as well. The parser in
 * perf_ring.c is separate on purpose: it returns values to tests, and knows
 * samples only.
 *
 * Time is followed for each event. It may not go back among samples of an event
 * that cannot interrupt itself. Records of several events, or of an event that
 * occurs in tasks and in interrupts alike, may be in another order than their
 * times, because an interrupt can come between a writer's read of the clock and
 * its reservation.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>

#include "perf_lib.h"
#include "perf_validate.h"

/* Ids are consecutive; this many of the latest are known. */
#define MAX_KNOWN	4096

/* Far above sysctl_perf_event_max_stack and the contexts in between. */
#define MAX_CHAIN	8192

#define MISC_SPECIFIC	(3 << 13)
#define MISC_RESERVED	(~(MISC_SPECIFIC | PERF_RECORD_MISC_CPUMODE_MASK))

#define AUX_FLAGS \
	(PERF_AUX_FLAG_TRUNCATED | PERF_AUX_FLAG_OVERWRITE | \
	 PERF_AUX_FLAG_PARTIAL | PERF_AUX_FLAG_COLLISION | \
	 PERF_AUX_FLAG_PMU_FORMAT_TYPE_MASK)

static struct {
	__u64 id;
	int cpu;
	struct perf_event_attr attr;
} known[MAX_KNOWN];

/* Called for each event that is opened; does not change errno. */
void validate_learn(int fd, int cpu, const struct perf_event_attr *attr)
{
	size_t size = attr->size ?: PERF_ATTR_SIZE_VER0;
	int error = errno;
	__u64 id = 0;

	if (size > sizeof(*attr))
		size = sizeof(*attr);
	if (!ioctl(fd, PERF_EVENT_IOC_ID, &id) && id) {
		memset(&known[id % MAX_KNOWN], 0, sizeof(known[0]));
		memcpy(&known[id % MAX_KNOWN].attr, attr, size);
		known[id % MAX_KNOWN].cpu = cpu;
		known[id % MAX_KNOWN].id = id;
	}
	errno = error;
}

const struct perf_event_attr *validate_known(__u64 id, int *cpu)
{
	if (!id || known[id % MAX_KNOWN].id != id)
		return NULL;
	if (cpu)
		*cpu = known[id % MAX_KNOWN].cpu;
	return &known[id % MAX_KNOWN].attr;
}

/* Begins a buffer that was mapped through @fd. */
void validate_begin(struct perf_validator *v, int fd)
{
	__u64 id = 0;

	memset(v, 0, sizeof(*v));
	v->cpu = -1;
	if (!ioctl(fd, PERF_EVENT_IOC_ID, &id))
		v->attr = validate_known(id, &v->cpu);
	v->backward = v->attr && v->attr->write_backward;
	v->strict = getenv("PERF_TEST_STRICT");
}

/* A record under examination; @at stops at the first fault. */
struct scan {
	struct perf_validator *v;
	const struct perf_event_header *header;
	const struct perf_event_attr *attr;
	const char *at;
	const char *end;
	__u64 id;
	__u64 time;
	bool wrong;
};

static __printf(2, 3)
void fault(struct scan *s, const char *fmt, ...)
{
	va_list args;

	if (s->wrong)
		return;
	s->wrong = true;
	va_start(args, fmt);
	vsnprintf(s->v->error, sizeof(s->v->error), fmt, args);
	va_end(args);
	s->v->error_at = s->at - (const char *)s->header;
}

#define MUST(s, cond, ...) \
	((cond) ? (void)0 : fault(s, __VA_ARGS__))

static size_t left(const struct scan *s)
{
	return s->end - s->at;
}

/* Return: @size bytes, or NULL behind the end or after a fault. */
static const void *take(struct scan *s, __u64 size, const char *what)
{
	const char *at = s->at;

	MUST(s, size <= left(s), "%s of %llu bytes, %zu are left", what,
	     (unsigned long long)size, left(s));
	if (s->wrong)
		return NULL;
	if (s->v->look)
		s->v->look(s->header, what, at, size, s->v->look_arg);
	s->at += size;
	return at;
}

/* If the bytes are missing, *@value does not change. */
static void take_to(struct scan *s, void *value, size_t size, const char *what)
{
	const void *at = take(s, size, what);

	if (at)
		memcpy(value, at, size);
}

static __u64 word(struct scan *s, const char *what)
{
	__u64 value = 0;

	take_to(s, &value, sizeof(value), what);
	return value;
}

static __u32 half(struct scan *s, const char *what)
{
	__u32 value = 0;

	take_to(s, &value, sizeof(value), what);
	return value;
}

static __u16 quarter(struct scan *s, const char *what)
{
	__u16 value = 0;

	take_to(s, &value, sizeof(value), what);
	return value;
}

/* Takes zeros up to the next multiple of 8, which must be the end. */
static void zeros_to_end(struct scan *s, const char *what)
{
	MUST(s, left(s) < 8, "%zu bytes behind %s", left(s), what);
	while (!s->wrong && left(s)) {
		MUST(s, !*s->at, "padding of %s is not zero", what);
		s->at++;
	}
}

/* A string is the last field of its record. */
static void string(struct scan *s, const char *what)
{
	size_t room = left(s), len = strnlen(s->at, room);

	if (s->wrong)
		return;
	MUST(s, len < room, "%s has no end", what);
	take(s, len + 1, what);
	zeros_to_end(s, what);
}

/*
 * The interrupt of a counter that excludes the kernel may come late, in the
 * kernel. Older kernels then show the kernel's side.
 */
static bool hides_kernel(const struct scan *s)
{
	return s->v->strict && s->attr->exclude_kernel;
}

static void check_address(struct scan *s, __u64 ip, const char *what)
{
	MUST(s, (__s64)ip >= 0 || !hides_kernel(s),
	     "%s is %#llx in the kernel, which is excluded", what,
	     (unsigned long long)ip);
}

static void task(struct scan *s)
{
	half(s, "pid");
	half(s, "tid");
}

static void power_of_two(struct scan *s, const char *what)
{
	__u64 size = word(s, what);

	MUST(s, !(size & (size - 1)), "%s of %#llx", what,
	     (unsigned long long)size);
}

static void own_id(struct scan *s, const char *what)
{
	__u64 id = word(s, what);

	MUST(s, s->wrong || id == s->id || (!s->id && id), "%s is %llu, not %llu", what,
	     (unsigned long long)id, (unsigned long long)s->id);
	s->id = id;
}

static void stream(struct scan *s)
{
	__u64 id = word(s, "STREAM_ID");

	MUST(s, id, "no STREAM_ID");
}

static void time_of(struct scan *s)
{
	s->time = word(s, "TIME");
	MUST(s, s->time, "no TIME");
}

static void processor(struct scan *s)
{
	__u32 cpu = half(s, "CPU");

	MUST(s, s->v->cpu < 0 || (__u32)s->v->cpu == cpu,
	     "CPU %u writes to the buffer of CPU %d", cpu, s->v->cpu);
	MUST(s, cpu < 1 << 16, "CPU %u", cpu);
	MUST(s, !half(s, "CPU"), "second half of CPU is not zero");
}

static void rest_of_event(struct scan *s)
{
	__u64 format = s->attr->read_format;

	if (format & PERF_FORMAT_ID)
		MUST(s, word(s, "READ id"), "READ without id");
	if (format & PERF_FORMAT_LOST)
		word(s, "READ lost");
}

static void read_times(struct scan *s)
{
	__u64 format = s->attr->read_format, enabled = ~0ULL, running = 0;

	if (format & PERF_FORMAT_TOTAL_TIME_ENABLED)
		enabled = word(s, "READ enabled");
	if (format & PERF_FORMAT_TOTAL_TIME_RUNNING)
		running = word(s, "READ running");
	MUST(s, running <= enabled, "READ ran %llu of %llu ns",
	     (unsigned long long)running, (unsigned long long)enabled);
}

static void read_values(struct scan *s)
{
	__u64 nr;

	if (!(s->attr->read_format & PERF_FORMAT_GROUP)) {
		word(s, "READ value");
		read_times(s);
		rest_of_event(s);
		return;
	}
	nr = word(s, "READ nr");
	MUST(s, s->wrong || (nr && nr <= left(s) / 8), "READ of %llu events",
	     (unsigned long long)nr);
	read_times(s);
	while (!s->wrong && nr--) {
		word(s, "READ value");
		rest_of_event(s);
	}
}

static bool is_context(__u64 ip)
{
	static const __u64 contexts[] = {
		PERF_CONTEXT_HV, PERF_CONTEXT_KERNEL, PERF_CONTEXT_USER,
		PERF_CONTEXT_GUEST, PERF_CONTEXT_GUEST_KERNEL,
		PERF_CONTEXT_GUEST_USER,
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(contexts); i++)
		if (ip == contexts[i])
			return true;
	return false;
}

static void chain_context(struct scan *s, __u64 ip)
{
	MUST(s, is_context(ip), "CALLCHAIN has marker %lld", (long long)ip);
	MUST(s, ip != PERF_CONTEXT_KERNEL ||
	     !(s->attr->exclude_callchain_kernel || hides_kernel(s)),
	     "kernel's CALLCHAIN, which is excluded");
	MUST(s, ip != PERF_CONTEXT_USER || !s->attr->exclude_callchain_user,
	     "user's CALLCHAIN, which is excluded");
}

/*
 * PowerPC shows 0 in place of a kernel address that it does not trust, and
 * starts again at the frame of an interrupt.
 */
static bool is_strict_chain(void)
{
#ifdef __x86_64__
	return true;
#else
	return false;
#endif
}

/* Addresses in the user's part may be anything but a marker. */
static void chain_frame(struct scan *s, __u64 context, __u64 ip)
{
	MUST(s, context, "CALLCHAIN begins with %#llx, no marker",
	     (unsigned long long)ip);
	if (!ip && !is_strict_chain())
		return;
	MUST(s, context != PERF_CONTEXT_KERNEL || (__s64)ip < 0,
	     "kernel's CALLCHAIN has %#llx", (unsigned long long)ip);
}

static void callchain(struct scan *s)
{
	__u64 nr = word(s, "CALLCHAIN nr"), context = 0, frames = 0, ip;

	MUST(s, nr <= MAX_CHAIN, "CALLCHAIN of %llu", (unsigned long long)nr);
	while (!s->wrong && nr--) {
		ip = word(s, "CALLCHAIN");
		if (ip >= PERF_CONTEXT_MAX) {
			chain_context(s, ip);
			MUST(s, ip != context || !is_strict_chain(),
			     "CALLCHAIN has a marker twice");
			context = ip;
		} else {
			chain_frame(s, context, ip);
			frames++;
		}
	}
	MUST(s, !s->attr->sample_max_stack ||
	     frames <= s->attr->sample_max_stack,
	     "CALLCHAIN of %llu frames, sample_max_stack %u",
	     (unsigned long long)frames, s->attr->sample_max_stack);
}

static void raw(struct scan *s)
{
	__u32 size = half(s, "RAW size");

	MUST(s, (size + sizeof(size)) % 8 == 0, "RAW of %u bytes", size);
	take(s, size, "RAW");
}

static void branches(struct scan *s)
{
	__u64 nr = word(s, "BRANCH_STACK nr"), type, i;
	const struct perf_branch_entry *entry;

	type = s->attr->branch_sample_type;
	if (type & PERF_SAMPLE_BRANCH_HW_INDEX)
		word(s, "BRANCH_STACK index");
	MUST(s, nr <= left(s) / sizeof(*entry), "BRANCH_STACK of %llu",
	     (unsigned long long)nr);
	for (i = 0; !s->wrong && i < nr; i++) {
		entry = take(s, sizeof(*entry), "BRANCH_STACK");
		MUST(s, entry && !entry->reserved,
		     "BRANCH_STACK has reserved bits");
	}
	if (type & PERF_SAMPLE_BRANCH_COUNTERS)
		take(s, nr * sizeof(__u64), "BRANCH_STACK counters");
}

/* Return: the values, or NULL. */
static const char *registers(struct scan *s, __u64 mask, const char *what)
{
	__u64 abi = word(s, what);

	MUST(s, abi <= PERF_SAMPLE_REGS_ABI_64, "%s abi %llu", what,
	     (unsigned long long)abi);
	if (!abi)
		return NULL;
	return take(s, 8 * __builtin_popcountll(mask), what);
}

static void interrupted_registers(struct scan *s)
{
	__u64 mask = s->attr->sample_regs_intr, ip;
	const char *regs = registers(s, mask, "REGS_INTR");

	if (!regs || !(mask >> IP_REG & 1))
		return;
	regs += 8 * __builtin_popcountll(mask & ((1ULL << IP_REG) - 1));
	memcpy(&ip, regs, sizeof(ip));
	check_address(s, ip, "REGS_INTR ip");
}

static void user_stack(struct scan *s)
{
	__u64 size = word(s, "STACK_USER size"), used;

	MUST(s, !(size & 7) && size <= s->attr->sample_stack_user,
	     "STACK_USER of %llu bytes, %u asked for",
	     (unsigned long long)size, s->attr->sample_stack_user);
	if (!size)
		return;
	take(s, size, "STACK_USER");
	used = word(s, "STACK_USER used");
	MUST(s, used <= size, "STACK_USER uses %llu of %llu bytes",
	     (unsigned long long)used, (unsigned long long)size);
}

static void aux_sample(struct scan *s)
{
	__u64 size = word(s, "AUX size");

	MUST(s, !(size & 7) && size <= ((s->attr->aux_sample_size + 7ULL) & ~7ULL),
	     "AUX of %llu bytes, %u asked for", (unsigned long long)size,
	     s->attr->aux_sample_size);
	take(s, size, "AUX");
}

static void sample_head(struct scan *s, __u64 type)
{
	if (type & PERF_SAMPLE_IDENTIFIER)
		own_id(s, "IDENTIFIER");
	if (type & PERF_SAMPLE_IP)
		check_address(s, word(s, "IP"), "IP");
	if (type & PERF_SAMPLE_TID)
		task(s);
	if (type & PERF_SAMPLE_TIME)
		time_of(s);
	if (type & PERF_SAMPLE_ADDR)
		word(s, "ADDR");
	if (type & PERF_SAMPLE_ID)
		own_id(s, "ID");
	if (type & PERF_SAMPLE_STREAM_ID)
		stream(s);
	if (type & PERF_SAMPLE_CPU)
		processor(s);
	if (type & PERF_SAMPLE_PERIOD)
		word(s, "PERIOD");
}

static void sample_middle(struct scan *s, __u64 type)
{
	if (type & PERF_SAMPLE_READ)
		read_values(s);
	if (type & PERF_SAMPLE_CALLCHAIN)
		callchain(s);
	if (type & PERF_SAMPLE_RAW)
		raw(s);
	if (type & PERF_SAMPLE_BRANCH_STACK)
		branches(s);
	if (type & PERF_SAMPLE_REGS_USER)
		registers(s, s->attr->sample_regs_user, "REGS_USER");
	if (type & PERF_SAMPLE_STACK_USER)
		user_stack(s);
}

static void sample_tail(struct scan *s, __u64 type)
{
	if (type & (PERF_SAMPLE_WEIGHT | PERF_SAMPLE_WEIGHT_STRUCT))
		word(s, "WEIGHT");
	if (type & PERF_SAMPLE_DATA_SRC)
		word(s, "DATA_SRC");
	if (type & PERF_SAMPLE_TRANSACTION)
		word(s, "TRANSACTION");
	if (type & PERF_SAMPLE_REGS_INTR)
		interrupted_registers(s);
	if (type & PERF_SAMPLE_PHYS_ADDR)
		word(s, "PHYS_ADDR");
	if (type & PERF_SAMPLE_CGROUP)
		word(s, "CGROUP");
	if (type & PERF_SAMPLE_DATA_PAGE_SIZE)
		power_of_two(s, "DATA_PAGE_SIZE");
	if (type & PERF_SAMPLE_CODE_PAGE_SIZE)
		power_of_two(s, "CODE_PAGE_SIZE");
	if (type & PERF_SAMPLE_AUX)
		aux_sample(s);
}

static void sample(struct scan *s)
{
	sample_head(s, s->attr->sample_type);
	sample_middle(s, s->attr->sample_type);
	sample_tail(s, s->attr->sample_type);
}

static void trailer(struct scan *s)
{
	__u64 type = s->attr->sample_id_all ? s->attr->sample_type : 0;

	if (type & PERF_SAMPLE_TID)
		task(s);
	if (type & PERF_SAMPLE_TIME)
		time_of(s);
	if (type & PERF_SAMPLE_ID)
		own_id(s, "ID");
	if (type & PERF_SAMPLE_STREAM_ID)
		stream(s);
	if (type & PERF_SAMPLE_CPU)
		processor(s);
	if (type & PERF_SAMPLE_IDENTIFIER)
		own_id(s, "IDENTIFIER");
}

/* The bodies of the other records, in the order of their numbers. */

static void mmap_body(struct scan *s)
{
	task(s);
	word(s, "addr");
	MUST(s, word(s, "len"), "empty mapping");
	word(s, "pgoff");
	string(s, "file name");
}

static void lost_body(struct scan *s)
{
	own_id(s, "id");
	word(s, "lost");
}

static void comm_body(struct scan *s)
{
	task(s);
	MUST(s, left(s) <= 16, "name of %zu bytes", left(s));
	string(s, "name");
}

static void task_body(struct scan *s)
{
	task(s);
	task(s);
	MUST(s, word(s, "time"), "no time");
}

static void throttle_body(struct scan *s)
{
	MUST(s, word(s, "time"), "no time");
	own_id(s, "id");
	stream(s);
}

static void read_body(struct scan *s)
{
	task(s);
	read_values(s);
}

static void build_id(struct scan *s)
{
	const __u8 *id = take(s, 24, "build id");
	int i;

	if (!id)
		return;
	MUST(s, id[0] && id[0] <= 20, "build id of %u bytes", id[0]);
	MUST(s, !id[1] && !id[2] && !id[3], "build id: reserved bytes");
	for (i = 4 + id[0]; !s->wrong && i < 24; i++)
		MUST(s, !id[i], "bytes behind the build id");
}

static void mmap2_body(struct scan *s)
{
	task(s);
	word(s, "addr");
	MUST(s, word(s, "len"), "empty mapping");
	word(s, "pgoff");
	if (s->header->misc & PERF_RECORD_MISC_MMAP_BUILD_ID)
		build_id(s);
	else
		take(s, 24, "inode");
	MUST(s, half(s, "prot") < 1 << 8, "protection bits");
	half(s, "flags");
	string(s, "file name");
}

static void aux_body(struct scan *s)
{
	word(s, "offset");
	word(s, "size");
	MUST(s, !(word(s, "flags") & ~AUX_FLAGS), "unknown flags");
}

static void lost_samples_body(struct scan *s)
{
	MUST(s, word(s, "lost"), "nothing was lost");
}

static void no_body(struct scan *s)
{
	(void)s;
}

static void namespaces_body(struct scan *s)
{
	__u64 nr;

	task(s);
	nr = word(s, "number");
	MUST(s, nr <= left(s) / 16, "%llu namespaces", (unsigned long long)nr);
	take(s, nr * sizeof(struct perf_ns_link_info), "namespaces");
}

static void ksymbol_body(struct scan *s)
{
	__u16 type;

	word(s, "addr");
	half(s, "len");
	type = quarter(s, "type");
	MUST(s, type < PERF_RECORD_KSYMBOL_TYPE_MAX, "type %u", type);
	MUST(s, quarter(s, "flags") <= PERF_RECORD_KSYMBOL_FLAGS_UNREGISTER,
	     "unknown flags");
	string(s, "symbol");
}

static void bpf_body(struct scan *s)
{
	__u16 type = quarter(s, "type");

	MUST(s, s->wrong || (type && type < PERF_BPF_EVENT_MAX), "type %u", type);
	MUST(s, !quarter(s, "flags"), "unknown flags");
	MUST(s, half(s, "id"), "program without id");
	take(s, 8, "tag");
}

static void cgroup_body(struct scan *s)
{
	MUST(s, word(s, "id"), "cgroup without id");
	string(s, "path");
}

static void text_poke_body(struct scan *s)
{
	unsigned int old, new;

	word(s, "addr");
	old = quarter(s, "old_len");
	new = quarter(s, "new_len");
	take(s, old + new, "code");
	zeros_to_end(s, "code");
}

static void hw_id_body(struct scan *s)
{
	word(s, "hw_id");
}

/* Which events ask for which kind of record. */

#define WANTS(records, bit)						\
static bool wants_##records(const struct perf_event_attr *attr)	\
{									\
	return attr->bit;						\
}

WANTS(mmap2, mmap2)
WANTS(comm, comm)
WANTS(read, inherit_stat)
WANTS(switch, context_switch)
WANTS(namespaces, namespaces)
WANTS(ksymbol, ksymbol)
WANTS(bpf, bpf_event)
WANTS(cgroup, cgroup)
WANTS(text_poke, text_poke)

static bool wants_mmap(const struct perf_event_attr *attr)
{
	return (attr->mmap || attr->mmap_data) && !attr->mmap2;
}

static bool wants_task(const struct perf_event_attr *attr)
{
	return attr->task || attr->comm || attr->mmap || attr->mmap2 ||
	       attr->mmap_data;
}

static bool wants_samples(const struct perf_event_attr *attr)
{
	return attr->sample_period || attr->type == PERF_TYPE_SOFTWARE ||
	       attr->type == PERF_TYPE_TRACEPOINT;
}

/**
 * struct kind - a type of record
 * @name: for messages
 * @body: takes the bytes between header and trailer
 * @wanted: does an event ask for it; NULL if events get it without asking
 * @misc: bits that may be set
 */
struct kind {
	const char *name;
	void (*body)(struct scan *s);
	bool (*wanted)(const struct perf_event_attr *attr);
	__u16 misc;
};

#define CPUMODE		PERF_RECORD_MISC_CPUMODE_MASK
#define SWITCH_BITS \
	(PERF_RECORD_MISC_SWITCH_OUT | PERF_RECORD_MISC_SWITCH_OUT_PREEMPT)

static const struct kind kinds[PERF_RECORD_MAX] = {
	[PERF_RECORD_MMAP] = { "MMAP", mmap_body, wants_mmap,
		CPUMODE | PERF_RECORD_MISC_MMAP_DATA },
	[PERF_RECORD_LOST] = { "LOST", lost_body },
	[PERF_RECORD_COMM] = { "COMM", comm_body, wants_comm,
		PERF_RECORD_MISC_COMM_EXEC },
	[PERF_RECORD_EXIT] = { "EXIT", task_body, wants_task },
	[PERF_RECORD_THROTTLE] = { "THROTTLE", throttle_body },
	[PERF_RECORD_UNTHROTTLE] = { "UNTHROTTLE", throttle_body },
	[PERF_RECORD_FORK] = { "FORK", task_body, wants_task },
	[PERF_RECORD_READ] = { "READ", read_body, wants_read },
	[PERF_RECORD_SAMPLE] = { "SAMPLE", sample, wants_samples,
		CPUMODE | PERF_RECORD_MISC_EXACT_IP },
	[PERF_RECORD_MMAP2] = { "MMAP2", mmap2_body, wants_mmap2,
		CPUMODE | PERF_RECORD_MISC_MMAP_DATA |
		PERF_RECORD_MISC_MMAP_BUILD_ID },
	[PERF_RECORD_AUX] = { "AUX", aux_body },
	[PERF_RECORD_ITRACE_START] = { "ITRACE_START", task },
	[PERF_RECORD_LOST_SAMPLES] = { "LOST_SAMPLES", lost_samples_body },
	[PERF_RECORD_SWITCH] = { "SWITCH", no_body, wants_switch,
		SWITCH_BITS },
	[PERF_RECORD_SWITCH_CPU_WIDE] = { "SWITCH_CPU_WIDE", task,
		wants_switch, SWITCH_BITS },
	[PERF_RECORD_NAMESPACES] = { "NAMESPACES", namespaces_body,
		wants_namespaces },
	[PERF_RECORD_KSYMBOL] = { "KSYMBOL", ksymbol_body, wants_ksymbol },
	[PERF_RECORD_BPF_EVENT] = { "BPF_EVENT", bpf_body, wants_bpf },
	[PERF_RECORD_CGROUP] = { "CGROUP", cgroup_body, wants_cgroup },
	[PERF_RECORD_TEXT_POKE] = { "TEXT_POKE", text_poke_body,
		wants_text_poke, CPUMODE },
	[PERF_RECORD_AUX_OUTPUT_HW_ID] = { "AUX_OUTPUT_HW_ID", hw_id_body },
};

static void check_header(struct scan *s, const struct kind *kind,
			 size_t readable)
{
	const struct perf_event_header *header = s->header;
	__u16 misc = header->misc;

	MUST(s, header->size >= sizeof(*header) && !(header->size & 7),
	     "size %u", header->size);
	MUST(s, header->size <= readable, "size %u, %zu bytes readable",
	     header->size, readable);
	MUST(s, kind, "type %u", header->type);
	if (s->wrong)
		return;
	MUST(s, !(misc & ~kind->misc), "%s has misc %#x", kind->name, misc);
	MUST(s, (misc & CPUMODE) <= PERF_RECORD_MISC_GUEST_USER,
	     "CPU mode %u", misc & CPUMODE);
	MUST(s, kind->misc != SWITCH_BITS ||
	     misc != PERF_RECORD_MISC_SWITCH_OUT_PREEMPT,
	     "preempted, but not switched out");
}

/* Return: offset of the event's id in the record, 0 if there is none. */
static size_t id_offset(const struct perf_event_attr *attr,
			const struct perf_event_header *header)
{
	__u64 type = attr->sample_type, before, behind;

	before = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
		 PERF_SAMPLE_ADDR;
	behind = PERF_SAMPLE_ID | PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU;
	if (header->type == PERF_RECORD_SAMPLE) {
		if (type & PERF_SAMPLE_IDENTIFIER)
			return sizeof(*header);
		if (type & PERF_SAMPLE_ID)
			return sizeof(*header) +
			       8 * __builtin_popcountll(type & before);
		return 0;
	}
	if (!attr->sample_id_all)
		return 0;
	if (type & PERF_SAMPLE_IDENTIFIER)
		return header->size - 8;
	if (type & PERF_SAMPLE_ID)
		return header->size - 8 * __builtin_popcountll(type & behind);
	return 0;
}

/*
 * Sets the id and the attribute of the event that wrote the record. If the
 * record has no id, all events that write here must have the same layout and
 * exclusions, and it is not known which kinds of record they ask for.
 */
static void find_writer(struct scan *s)
{
	const struct perf_event_attr *attr;
	size_t offset = id_offset(s->v->attr, s->header);

	s->attr = s->v->attr;
	if (!offset)
		return;
	if (offset < sizeof(*s->header) || offset + 8 > s->header->size) {
		fault(s, "size %u leaves no room for the id", s->header->size);
		return;
	}
	memcpy(&s->id, (const char *)s->header + offset, sizeof(s->id));
	attr = validate_known(s->id, NULL);
	MUST(s, attr, "id %llu at offset %zu is that of no event",
	     (unsigned long long)s->id, offset);
	if (!attr)
		return;
	MUST(s, id_offset(attr, s->header) == offset,
	     "event %llu has its id elsewhere", (unsigned long long)s->id);
	s->attr = attr;
}

static bool follows_time(const struct scan *s)
{
	if (s->header->type != PERF_RECORD_SAMPLE || !s->time)
		return false;
	if (s->attr->type == PERF_TYPE_SOFTWARE)
		return s->attr->config != PERF_COUNT_SW_BPF_OUTPUT;
	return s->attr->type == PERF_TYPE_HARDWARE ||
	       s->attr->type == PERF_TYPE_RAW;
}

static __u64 *stream_time(struct perf_validator *v, __u64 id)
{
	unsigned int i;

	for (i = 0; i < MAX_STREAMS; i++)
		if (v->streams[i].id == id)
			return &v->streams[i].time;
	i = v->next_stream++ % MAX_STREAMS;
	v->streams[i].id = id;
	v->streams[i].time = 0;
	return &v->streams[i].time;
}

static void check_time(struct scan *s)
{
	__u64 *last;

	if (s->wrong || !follows_time(s))
		return;
	last = stream_time(s->v, s->id);
	if (s->v->backward)
		MUST(s, !*last || s->time <= *last,
		     "TIME %llu of an older record, %llu of the newer",
		     (unsigned long long)s->time, (unsigned long long)*last);
	else
		MUST(s, s->time >= *last, "TIME goes back by %llu ns",
		     (unsigned long long)(*last - s->time));
	*last = s->time;
}

/* TEXT_POKE is always about the kernel's code. */
static void check_mode(struct scan *s, const struct kind *kind)
{
	if (!(kind->misc & CPUMODE) || s->header->type == PERF_RECORD_TEXT_POKE)
		return;
	MUST(s, (s->header->misc & CPUMODE) != PERF_RECORD_MISC_KERNEL ||
	     !hides_kernel(s), "%s of the kernel, which is excluded",
	     kind->name);
}

static void check_body(struct scan *s, const struct kind *kind)
{
	const char *end = (const char *)s->header + s->header->size;
	size_t tail = 0;

	if (s->header->type != PERF_RECORD_SAMPLE)
		tail = trailer_size(s->attr);
	MUST(s, sizeof(*s->header) + tail <= s->header->size,
	     "size %u, and %zu for the trailer", s->header->size, tail);
	MUST(s, !s->id || !kind->wanted || kind->wanted(s->attr),
	     "%s, which the event did not ask for", kind->name);
	check_mode(s, kind);
	if (s->wrong)
		return;
	s->at = (const char *)(s->header + 1);
	s->end = end - tail;
	kind->body(s);
	MUST(s, s->at == s->end, "%zu bytes of %s left over", left(s),
	     kind->name);
	s->end = end;
	if (tail && !s->wrong)
		trailer(s);
}

/*
 * The whole record follows @header, of which @readable bytes may be read.
 * Return: false if something is wrong: see @v->error.
 */
bool validate_record(struct perf_validator *v,
		     const struct perf_event_header *header, size_t readable)
{
	const struct kind *kind = NULL;
	struct scan s = {
		.v = v,
		.header = header,
		.at = (const char *)header,
		.end = (const char *)header,
	};

	if (header->type < PERF_RECORD_MAX && kinds[header->type].body)
		kind = &kinds[header->type];
	check_header(&s, kind, readable);
	if (!s.wrong && v->attr) {
		find_writer(&s);
		if (!s.wrong)
			check_body(&s, kind);
		check_time(&s);
	}
	v->records += !s.wrong;
	return !s.wrong;
}

static void dump_line(const unsigned char *at, size_t offset, size_t size)
{
	size_t i;

	printf("# %6zu:", offset);
	for (i = offset; i < offset + 16 && i < size; i++)
		printf(" %02x", at[i]);
	printf("\n");
}

/* Prints the fault and the bytes around it. */
void validate_explain(const struct perf_validator *v,
		      const struct perf_event_header *header, size_t readable)
{
	size_t size = header->size, at, from;

	if (size < sizeof(*header) || size > readable)
		size = readable < 64 ? readable : 64;
	printf("# record %lu, type %u, misc %#x, size %u, offset %zu: %s\n",
	       v->records, header->type, header->misc, header->size,
	       v->error_at, v->error);
	from = v->error_at > 256 ? (v->error_at - 256) & ~15UL : 0;
	for (at = from; at < size && at < from + 512; at += 16)
		dump_line((const unsigned char *)header, at, size);
	fflush(stdout);
}
