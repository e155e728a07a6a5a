// SPDX-License-Identifier: GPL-2.0
/*
 * The grammar of perf_event_open(2): it draws attributes that are valid, as
 * far as that is known without a call, that are valid except for one thing, or
 * that are arbitrary.
 *
 * It does not draw attributes that would only keep the machine busy: short
 * periods of counters, whose overflows are expensive if the hardware is a
 * model, and signals that cause the next signal.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <linux/hw_breakpoint.h>

#include "../bad_calls.h"
#include "../test_pmu.h"
#include "fuzz.h"

#define LEAST_PERIOD	50000000
#define MOST_HZ		50

#ifdef __x86_64__
#define SOME_REGISTERS	0xff0fffULL
#else
#define SOME_REGISTERS	0xfffULL
#endif

static void set_kind(struct perf_event_attr *attr, __u32 type, __u64 config)
{
	attr->type = type;
	attr->config = config;
}

static void draw_software(struct fuzzer *f, struct perf_event_attr *attr)
{
	set_kind(attr, PERF_TYPE_SOFTWARE, draw(f, PERF_COUNT_SW_MAX));
	tell(f, " sw%llu", (unsigned long long)attr->config);
}

static void draw_hardware(struct fuzzer *f, struct perf_event_attr *attr)
{
	set_kind(attr, PERF_TYPE_HARDWARE, draw(f, PERF_COUNT_HW_MAX));
	tell(f, " hw%llu", (unsigned long long)attr->config);
}

static void draw_cache(struct fuzzer *f, struct perf_event_attr *attr)
{
	set_kind(attr, PERF_TYPE_HW_CACHE,
		 draw(f, PERF_COUNT_HW_CACHE_MAX) |
		 draw(f, PERF_COUNT_HW_CACHE_OP_MAX) << 8 |
		 draw(f, PERF_COUNT_HW_CACHE_RESULT_MAX) << 16);
	tell(f, " cache%llx", (unsigned long long)attr->config);
}

static void draw_raw(struct fuzzer *f, struct perf_event_attr *attr)
{
	static const __u64 codes[] = { 0xc0, 0x3c, 0xc4, 0xc5, 0x76, 0x1c2 };

	set_kind(attr, PERF_TYPE_RAW, codes[draw(f, ARRAY_SIZE(codes))]);
	tell(f, " raw%llx", (unsigned long long)attr->config);
}

static void draw_breakpoint(struct fuzzer *f, struct perf_event_attr *attr)
{
	static const __u32 kinds[] = {
		HW_BREAKPOINT_W, HW_BREAKPOINT_R | HW_BREAKPOINT_W,
		HW_BREAKPOINT_X,
	};
	unsigned int at = draw(f, 4);

	set_kind(attr, PERF_TYPE_BREAKPOINT, 0);
	attr->bp_type = kinds[draw(f, ARRAY_SIZE(kinds))];
	attr->bp_addr = (unsigned long)&fuzz_target[at];
	attr->bp_len = attr->bp_type == HW_BREAKPOINT_X ? sizeof(long) :
							  1U << draw(f, 4);
	attr->exclude_kernel = 1;
	tell(f, " bp%u@%u+%llu", attr->bp_type, at,
	     (unsigned long long)attr->bp_len);
}

/* A signal handler hits none of these; the last one does not exist. */
static const char *const tracepoints[NR_TRACEPOINTS] = {
	"sched/sched_switch", "sched/sched_process_fork",
	"sched/sched_process_exit", "sched/sched_migrate_task", "no/such_event",
};

void look_up_tracepoints(void)
{
	char path[128];
	int i;

	for (i = 0; i < NR_TRACEPOINTS; i++) {
		snprintf(path, sizeof(path), "/sys/kernel/tracing/events/%s/id",
			 tracepoints[i]);
		fuzz->tracepoint[i] = read_long(path);
	}
}

static void draw_tracepoint(struct fuzzer *f, struct perf_event_attr *attr)
{
	unsigned int which = draw(f, NR_TRACEPOINTS);

	set_kind(attr, PERF_TYPE_TRACEPOINT, fuzz->tracepoint[which]);
	tell(f, " %s", tracepoints[which]);
}

/* PMUs of test modules, which get a new type each time; PMUs of probes. */
static void draw_named(struct fuzzer *f, struct perf_event_attr *attr)
{
	static const char *const names[] = {
		"perf_test", "perf_test_aux", "perf_test", "uprobe", "kprobe",
	};
	const char *name = names[draw(f, ARRAY_SIZE(names))];
	char path[128];

	snprintf(path, sizeof(path), EVENT_SOURCES "/%s/type", name);
	set_kind(attr, read_long(path), draw(f, 3));
	attr->config1 = draw(f, 2) ? 64 + draw(f, 6000) : 0;
	tell(f, " %s/%llu,%llu", name, (unsigned long long)attr->config,
	     (unsigned long long)attr->config1);
}

static void draw_kind(struct fuzzer *f, struct perf_event_attr *attr)
{
	static void (*const kinds[])(struct fuzzer *, struct perf_event_attr *) = {
		draw_software, draw_software, draw_software, draw_hardware,
		draw_hardware, draw_cache, draw_raw, draw_breakpoint,
		draw_tracepoint, draw_named,
	};

	kinds[draw(f, ARRAY_SIZE(kinds))](f, attr);
}

static bool overflows_seldom(const struct perf_event_attr *attr)
{
	switch (attr->type) {
	case PERF_TYPE_SOFTWARE:
		return attr->config != PERF_COUNT_SW_CPU_CLOCK &&
		       attr->config != PERF_COUNT_SW_TASK_CLOCK;
	case PERF_TYPE_TRACEPOINT:
	case PERF_TYPE_BREAKPOINT:
		return true;
	default:
		return false;
	}
}

/* Changes attributes that would bring the machine down. */
static void make_bearable(struct perf_event_attr *attr)
{
	if (attr->freq) {
		if (attr->sample_freq > MOST_HZ && attr->sample_freq < 1ULL << 32)
			attr->sample_freq %= MOST_HZ;
		attr->sigtrap = 0;
	} else if (attr->sample_period && !overflows_seldom(attr)) {
		if (attr->sample_period < LEAST_PERIOD)
			attr->sample_period += LEAST_PERIOD;
	}
	/* Not all functions of the kernel. */
	if (attr->type == PERF_TYPE_TRACEPOINT && attr->config < 5)
		attr->config = ~0U;
	/* No addresses of the kernel. */
	if (attr->type == PERF_TYPE_BREAKPOINT && attr->bp_addr >> 47)
		attr->bp_addr = (unsigned long)fuzz_target;
}

static void draw_sampling(struct fuzzer *f, struct perf_event_attr *attr)
{
	switch (draw(f, 4)) {
	case 0:
		attr->freq = 1;
		attr->sample_freq = 1 + draw(f, MOST_HZ);
		break;
	case 1:
		attr->sample_period = 1 + draw(f, 10);
		break;
	case 2:
		attr->sample_period = LEAST_PERIOD + draw(f, LEAST_PERIOD);
		break;
	default:
		return;
	}
	attr->sample_type = draw_u64(f) & draw_u64(f) & (PERF_SAMPLE_MAX - 1) &
			    ~(PERF_SAMPLE_AUX | PERF_SAMPLE_WEIGHT);
	if (attr->sample_type & PERF_SAMPLE_BRANCH_STACK)
		attr->branch_sample_type = PERF_SAMPLE_BRANCH_USER |
					   PERF_SAMPLE_BRANCH_ANY;
	if (attr->sample_type & PERF_SAMPLE_STACK_USER)
		attr->sample_stack_user = 8 * (1 + draw(f, 100));
	if (attr->sample_type & PERF_SAMPLE_REGS_USER)
		attr->sample_regs_user = draw_u64(f) & SOME_REGISTERS;
	if (attr->sample_type & PERF_SAMPLE_REGS_INTR)
		attr->sample_regs_intr = draw_u64(f) & SOME_REGISTERS;
	attr->wakeup_events = draw(f, 4);
}

static void draw_bits(struct fuzzer *f, struct perf_event_attr *attr)
{
	attr->disabled = one_in(f, 3);
	attr->inherit = one_in(f, 3);
	attr->pinned = one_in(f, 12);
	attr->exclusive = one_in(f, 16);
	attr->exclude_kernel |= !one_in(f, 4);
	attr->exclude_hv = attr->exclude_kernel;
	attr->exclude_user = one_in(f, 12);
	attr->mmap = one_in(f, 6);
	attr->comm = one_in(f, 6);
	attr->task = one_in(f, 6);
	attr->inherit_stat = one_in(f, 8);
	attr->enable_on_exec = one_in(f, 6);
	attr->watermark = one_in(f, 8);
	attr->sample_id_all = one_in(f, 3);
	attr->context_switch = one_in(f, 12);
	attr->write_backward = one_in(f, 12);
	attr->namespaces = one_in(f, 12);
	attr->ksymbol = one_in(f, 12);
	attr->cgroup = one_in(f, 12);
	attr->inherit_thread = attr->inherit && one_in(f, 6);
	attr->remove_on_exec = !attr->enable_on_exec && one_in(f, 6);
	attr->sigtrap = attr->remove_on_exec && one_in(f, 3);
	attr->sig_data = attr->sigtrap ? draw(f, 100) : 0;
	if (one_in(f, 8)) {
		attr->use_clockid = 1;
		attr->clockid = one_in(f, 2) ? CLOCK_MONOTONIC : CLOCK_BOOTTIME;
	}
}

void draw_valid_attr(struct fuzzer *f, struct perf_event_attr *attr)
{
	*attr = make_attr(0, 0);
	draw_kind(f, attr);
	draw_sampling(f, attr);
	draw_bits(f, attr);
	attr->read_format = draw_u64(f) & draw_u64(f) & (PERF_FORMAT_MAX - 1);
	make_bearable(attr);
	tell(f, " period=%llu%s type=%llx read=%llx bits=%s%s%s%s%s",
	     (unsigned long long)attr->sample_period, attr->freq ? "Hz" : "",
	     (unsigned long long)attr->sample_type,
	     (unsigned long long)attr->read_format, attr->disabled ? "d" : "",
	     attr->inherit ? "i" : "", attr->pinned ? "p" : "",
	     attr->exclude_kernel ? "k" : "", attr->sigtrap ? "s" : "");
}

/* Where, beside whom. */

static void draw_target(struct fuzzer *f, struct call *call)
{
	unsigned int which = draw(f, 12);

	call->pid = 0;
	call->cpu = -1;
	switch (which) {
	case 0:
	case 1:
		call->pid = -1;
		call->cpu = draw(f, 2);
		break;
	case 2:
		call->cpu = draw(f, 2);
		break;
	case 3:
	case 4:
		if (f->child)
			call->pid = f->child;
		break;
	case 5:
		if (!fuzz->options.compare)
			call->pid = fuzz->stream[draw(f, MAX_PROCS)].pid;
		break;
	}
	tell(f, " target%u.%d", which, call->cpu);
}

static void draw_cgroup(struct fuzzer *f, struct call *call)
{
	static int cgroup = -1;

	if (cgroup < 0)
		cgroup = open(FUZZ_CGROUP, O_RDONLY | O_CLOEXEC);
	if (!one_in(f, 12))
		return;
	call->flags |= PERF_FLAG_PID_CGROUP;
	call->pid = cgroup;
	call->cpu = draw(f, 2);
	tell(f, " cgroup.%d", call->cpu);
}

static void draw_group(struct fuzzer *f, struct call *call)
{
	static const unsigned long kinds[] = {
		0, 0, 0, PERF_FLAG_FD_OUTPUT,
		PERF_FLAG_FD_OUTPUT | PERF_FLAG_FD_NO_GROUP,
		PERF_FLAG_FD_NO_GROUP,
	};
	int slot = draw_slot(f);

	call->group = -1;
	call->flags = one_in(f, 4) ? PERF_FLAG_FD_CLOEXEC : 0;
	if (!one_in(f, 3))
		return;
	call->group = slot_fd(f, slot);
	call->flags |= kinds[draw(f, ARRAY_SIZE(kinds))];
	call->attr.pinned &= one_in(f, 4);
	call->attr.exclusive &= one_in(f, 4);
	tell(f, " group%d flags=%lx", slot, call->flags);
}

void draw_call(struct fuzzer *f, struct call *call)
{
	memset(call, 0, sizeof(*call));
	draw_valid_attr(f, &call->attr);
	draw_group(f, call);
	draw_target(f, call);
	draw_cgroup(f, call);
}

/* One thing that is wrong, or may be. */

/* A field, and values that it does not always have. */
static void draw_field(struct fuzzer *f, struct perf_event_attr *attr)
{
	static const __u16 fields[] = {
		offsetof(struct perf_event_attr, type),
		offsetof(struct perf_event_attr, size),
		offsetof(struct perf_event_attr, config),
		offsetof(struct perf_event_attr, sample_period),
		offsetof(struct perf_event_attr, sample_type),
		offsetof(struct perf_event_attr, read_format),
		offsetof(struct perf_event_attr, read_format) + 8,
		offsetof(struct perf_event_attr, wakeup_events),
		offsetof(struct perf_event_attr, bp_type),
		offsetof(struct perf_event_attr, config1),
		offsetof(struct perf_event_attr, config2),
		offsetof(struct perf_event_attr, branch_sample_type),
		offsetof(struct perf_event_attr, sample_regs_user),
		offsetof(struct perf_event_attr, sample_stack_user),
		offsetof(struct perf_event_attr, clockid),
		offsetof(struct perf_event_attr, sample_regs_intr),
		offsetof(struct perf_event_attr, aux_watermark),
		offsetof(struct perf_event_attr, sample_max_stack),
		offsetof(struct perf_event_attr, aux_sample_size),
		offsetof(struct perf_event_attr, aux_action),
		offsetof(struct perf_event_attr, sig_data),
		offsetof(struct perf_event_attr, config3),
		offsetof(struct perf_event_attr, config4),
	};
	unsigned int at = fields[draw(f, ARRAY_SIZE(fields) -
				      !fuzz->options.extensions)];
	unsigned int how = draw(f, 5);
	__u64 value;

	memcpy(&value, (char *)attr + at, sizeof(__u32));
	switch (how) {
	case 0:
		value ^= 1ULL << draw(f, 32);
		break;
	case 1:
		value = ~0U;
		break;
	case 2:
		value = draw(f, 256);
		break;
	case 3:
		value += 1;
		break;
	default:
		value = 0;
	}
	/* Only the first 32 bits of a wide field change. */
	memcpy((char *)attr + at, &value, sizeof(__u32));
	tell(f, " @%u=%x", at, (unsigned int)value);
}

void spoil_call(struct fuzzer *f, struct call *call)
{
	const struct flaw *flaw;

	if (one_in(f, 2)) {
		draw_field(f, &call->attr);
	} else {
		flaw = draw_flaw(&f->random);
		flaw->spoil(call);
		tell(f, " flaw-%s", flaw->name);
	}
	make_bearable(&call->attr);
}

/* Arbitrary fields, with a type that may exist. */
void scramble_call(struct fuzzer *f, struct call *call)
{
	unsigned int i, all = sizeof(call->attr) / sizeof(__u64);
	__u64 *words = (__u64 *)&call->attr;

	memset(call, 0, sizeof(*call));
	if (!fuzz->options.extensions)
		all = offsetof(struct perf_event_attr, config4) / sizeof(__u64);
	for (i = 0; i < all; i++)
		if (one_in(f, 2))
			words[i] = draw_u64(f) & draw_u64(f) & draw_u64(f);
	call->attr.type = draw(f, PERF_TYPE_MAX + 1);
	call->attr.size = one_in(f, 4) ? draw(f, 160) : PERF_ATTR_SIZE_VER8;
	if (one_in(f, 2)) {
		call->attr.config &= 0xf;
		call->attr.sample_type &= PERF_SAMPLE_MAX - 1;
		call->attr.read_format &= PERF_FORMAT_MAX - 1;
		words[offsetof(struct perf_event_attr, read_format) / 8 + 1] &=
			(1ULL << 38) - 1;
		call->attr.aux_action = 0;
	}
	make_bearable(&call->attr);
	call->group = one_in(f, 3) ? slot_fd(f, draw_slot(f)) : -1;
	draw_target(f, call);
	call->flags |= draw(f, 16) & draw(f, 16);
	tell(f, " type%u.%llx size=%u flags=%lx", call->attr.type,
	     (unsigned long long)call->attr.config, call->attr.size, call->flags);
}
