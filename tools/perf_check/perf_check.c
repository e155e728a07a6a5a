// SPDX-License-Identifier: GPL-2.0
/*
 * perf_check - ask the kernel whether it would open an event, and why not.
 *
 * See perf-check.txt. A sibling is asked about beside the events before it, which
 * are opened for this purpose, disabled, and closed when the program ends.
 */
#define _GNU_SOURCE
#include <endian.h>
#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <linux/perf_event.h>
#include <linux/perf_event_ext.h>

#define COUNT(array)	(sizeof(array) / sizeof((array)[0]))
#define SOURCES		"/sys/bus/event_source/devices"
#define FLAGS_OFFSET	(offsetof(struct perf_event_attr, read_format) + 8)

enum { EXIT_OPENS, EXIT_REFUSED, EXIT_TROUBLE };

struct options {
	pid_t pid;
	int cpu;
	unsigned long flags;
};

/* Fields of the attribute; those that share a place have the usual name. */
static const struct field {
	const char *name;
	size_t offset;
	size_t length;
	bool bits;
} fields[] = {
#define FIELD(name, bits) { #name, offsetof(struct perf_event_attr, name), \
			    sizeof(((struct perf_event_attr *)0)->name), bits }
#define NUMBER(name)	FIELD(name, false)
#define BITS(name)	FIELD(name, true)
	NUMBER(type), NUMBER(size), NUMBER(config), NUMBER(sample_period),
	NUMBER(sample_freq), BITS(sample_type), BITS(read_format),
	NUMBER(wakeup_events), NUMBER(wakeup_watermark), NUMBER(bp_type),
	NUMBER(config1), NUMBER(bp_addr), NUMBER(config2), NUMBER(bp_len),
	BITS(branch_sample_type), BITS(sample_regs_user),
	NUMBER(sample_stack_user), NUMBER(clockid), BITS(sample_regs_intr),
	NUMBER(aux_watermark), NUMBER(sample_max_stack), BITS(__reserved_2),
	NUMBER(aux_sample_size), BITS(aux_action), NUMBER(sig_data),
	NUMBER(config3), NUMBER(config4),
};

/* The one-bit fields, in the order of their declaration. */
static const char *const flags[] = {
	"disabled", "inherit", "pinned", "exclusive", "exclude_user",
	"exclude_kernel", "exclude_hv", "exclude_idle", "mmap", "comm", "freq",
	"inherit_stat", "enable_on_exec", "task", "watermark", "precise_ip",
	"precise_ip(high)", "mmap_data", "sample_id_all", "exclude_host",
	"exclude_guest", "exclude_callchain_kernel", "exclude_callchain_user",
	"mmap2", "comm_exec", "use_clockid", "context_switch",
	"write_backward", "namespaces", "ksymbol", "bpf_event", "aux_output",
	"cgroup", "text_poke", "build_id", "inherit_thread", "remove_on_exec",
	"sigtrap",
};

#define PRECISE_IP	15

static const struct {
	const char *name;
	__u32 type;
	__u64 config;
} events[] = {
	{ "cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES },
	{ "instructions", PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS },
	{ "cache-references", PERF_TYPE_HARDWARE,
	  PERF_COUNT_HW_CACHE_REFERENCES },
	{ "cache-misses", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES },
	{ "branches", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS },
	{ "branch-misses", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES },
	{ "bus-cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BUS_CYCLES },
	{ "ref-cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_REF_CPU_CYCLES },
	{ "cpu-clock", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK },
	{ "task-clock", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK },
	{ "page-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS },
	{ "context-switches", PERF_TYPE_SOFTWARE,
	  PERF_COUNT_SW_CONTEXT_SWITCHES },
	{ "dummy", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY },
	{ "hardware", PERF_TYPE_HARDWARE, 0 },
	{ "software", PERF_TYPE_SOFTWARE, 0 },
	{ "tracepoint", PERF_TYPE_TRACEPOINT, 0 },
	{ "cache", PERF_TYPE_HW_CACHE, 0 },
	{ "raw", PERF_TYPE_RAW, 0 },
	{ "breakpoint", PERF_TYPE_BREAKPOINT, 0 },
};

/* The names in the header, made into a list by the Makefile. */
static const struct {
	__u32 number;
	const char *name;
} reasons[] = {
#define REASON(name) { PERF_REASON_##name, #name },
#include "reasons.h"
#undef REASON
};

static const char *const where_names[] = {
	[PERF_WHERE_PID] = "pid",
	[PERF_WHERE_CPU] = "cpu",
	[PERF_WHERE_GROUP_FD] = "group_fd",
	[PERF_WHERE_FLAGS] = "flags",
	[PERF_WHERE_ATTR_POINTER] = "attr",
	[PERF_WHERE_CALLER] = "the caller",
};

static const char *const fit_names[] = {
	[PERF_FIT_UNKNOWN] = "unknown",
	[PERF_FIT_YES] = "yes",
	[PERF_FIT_NO] = "no",
	[PERF_FIT_SOMEWHERE] = "on some of the CPUs",
};

#define NAME_OF(names, number) \
	((number) < COUNT(names) && (names)[number] ? (names)[number] : "?")

static const char usage[] =
"usage: perf_check [-p PID] [-C CPU] [-c] EVENT [+ EVENT]...\n"
"\n"
"Says whether perf_event_open(2) would open EVENT, and if not, why; with \"+\",\n"
"each one in the group of those before it.\n"
"\n"
"  -p PID  on this process (without -p and -C: on the caller)\n"
"  -C CPU  on this CPU; without -p: all that runs there\n"
"  -c      with PERF_FLAG_FD_CLOEXEC\n"
"\n"
"EVENT is NAME[,FIELD=NUMBER]...; NAME is cycles, page-faults, ..., a type\n"
"(hardware, software, tracepoint, cache, raw, breakpoint) or a PMU, FIELD a\n"
"field of perf_event_attr.\n";

static __attribute__((noreturn, format(printf, 1, 2)))
void trouble(const char *format, ...)
{
	va_list args;

	fputs("perf_check: ", stderr);
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
	exit(EXIT_TROUBLE);
}

static __u64 parse_number(const char *word)
{
	unsigned long long number;
	char *end;

	errno = 0;
	number = strtoull(word, &end, 0);
	if (!*word || *end || errno)
		trouble("not a number: %s", word);
	return number;
}

/* The command line. */

static bool find_pmu(const char *name, __u32 *type)
{
	char path[256];
	FILE *file;
	bool found;

	if (strchr(name, '/'))
		return false;
	snprintf(path, sizeof(path), SOURCES "/%s/type", name);
	file = fopen(path, "r");
	if (!file)
		return false;
	found = fscanf(file, "%u", type) == 1;
	fclose(file);
	return found;
}

static void set_event(struct perf_event_attr *attr, const char *name)
{
	size_t i;

	for (i = 0; i < COUNT(events); i++) {
		if (!strcmp(events[i].name, name)) {
			attr->type = events[i].type;
			attr->config = events[i].config;
			return;
		}
	}
	if (!find_pmu(name, &attr->type))
		trouble("no event, type or PMU: %s", name);
}

static unsigned int flag_shift(unsigned int number, unsigned int width)
{
#if __BYTE_ORDER == __LITTLE_ENDIAN
	(void)width;
	return number;
#else
	return 64 - number - width;
#endif
}

static bool set_flag(struct perf_event_attr *attr, const char *name,
		     __u64 value)
{
	__u64 *word = (void *)((char *)attr + FLAGS_OFFSET);
	unsigned int i, width, shift;

	for (i = 0; i < COUNT(flags); i++) {
		if (strcmp(flags[i], name))
			continue;
		width = i == PRECISE_IP ? 2 : 1;
		if (value >> width)
			trouble("%s has %u bits", name, width);
		shift = flag_shift(i, width);
		*word &= ~(((1ULL << width) - 1) << shift);
		*word |= value << shift;
		return true;
	}
	return false;
}

static void store(void *place, size_t length, __u64 value)
{
	switch (length) {
	case 2:
		*(__u16 *)place = value;
		break;
	case 4:
		*(__u32 *)place = value;
		break;
	default:
		*(__u64 *)place = value;
	}
}

static void set_field(struct perf_event_attr *attr, char *word)
{
	char *equals = strchr(word, '=');
	__u64 value;
	size_t i;

	if (!equals)
		trouble("not FIELD=NUMBER: %s", word);
	*equals = '\0';
	value = parse_number(equals + 1);
	for (i = 0; i < COUNT(fields); i++) {
		if (strcmp(fields[i].name, word))
			continue;
		store((char *)attr + fields[i].offset, fields[i].length, value);
		return;
	}
	if (!set_flag(attr, word, value))
		trouble("perf_event_attr has no field %s", word);
}

static struct perf_event_attr parse_event(const char *text)
{
	struct perf_event_attr attr = { .size = sizeof(attr) };
	char *copy = strdup(text), *rest = copy, *word;

	if (!copy)
		trouble("no memory");
	set_event(&attr, strsep(&rest, ","));
	while ((word = strsep(&rest, ",")))
		set_field(&attr, word);
	free(copy);
	return attr;
}

/* The kernel's answer. */

static void print_bits(const struct perf_event_dry_run *run, __u64 bits)
{
	unsigned int i, number;

	for (i = 0; i < 64; i++) {
		if (!(bits >> i & 1))
			continue;
		number = flag_shift(i, 1);
		if (run->offset == FLAGS_OFFSET && number < COUNT(flags))
			printf(", %s", flags[number]);
		else
			printf(", bit %u", i);
	}
}

static const struct field *find_field(const struct perf_event_dry_run *run)
{
	static const struct field one_bit = {
		"the one-bit fields", FLAGS_OFFSET, 8, true
	};
	static const struct field unknown = {
		"a field unknown here", 0, 0, true
	};
	size_t i;

	if (run->offset == FLAGS_OFFSET)
		return &one_bit;
	for (i = 0; i < COUNT(fields); i++) {
		if (fields[i].offset == run->offset)
			return &fields[i];
	}
	return &unknown;
}

static void print_value(const struct field *field,
			const struct perf_event_dry_run *run, __u64 bits,
			const char *how)
{
	if (!bits || bits == ~0ULL)
		return;
	if (field->bits)
		print_bits(run, bits);
	else
		printf(" %#llx", (unsigned long long)bits);
	fputs(how, stdout);
}

static void print_field(const struct perf_event_dry_run *run)
{
	const struct field *field = find_field(run);

	printf("  field:    %s", field->name);
	print_value(field, run, run->must_clear, "");
	print_value(field, run, run->must_set, " not set");
	if (run->limit)
		printf(", at most %llu", (unsigned long long)run->limit);
	printf(" (offset %u, %u bytes)\n", run->offset, run->length);
}

static void print_where(const struct perf_event_dry_run *run)
{
	if (run->where == PERF_WHERE_ATTR)
		print_field(run);
	else if (run->where != PERF_WHERE_NOWHERE)
		printf("  argument: %s\n", NAME_OF(where_names, run->where));
}

static const char *reason_name(__u32 number)
{
	size_t i;

	for (i = 0; i < COUNT(reasons); i++) {
		if (reasons[i].number == number)
			return reasons[i].name;
	}
	return "a reason unknown here";
}

static void print_answer(const char *event,
			 const struct perf_event_dry_run *run, const char *text)
{
	if (run->error) {
		printf("%s: %s, %s\n", event, strerrorname_np(run->error),
		       strerror(run->error));
		printf("  reason:   %s (%s)\n", text,
		       reason_name(run->reason));
		print_where(run);
	} else {
		printf("%s: would be opened\n", event);
	}
	printf("  counters: alone %s, beside what is pinned now %s\n",
	       NAME_OF(fit_names, run->fit_alone),
	       NAME_OF(fit_names, run->fit_beside));
}

static int open_event(struct perf_event_attr *attr, const struct options *to,
		      int group_fd)
{
	return syscall(SYS_perf_event_open, attr, to->pid, to->cpu, group_fd,
		       to->flags);
}

static int check_event(const char *event, struct perf_event_attr *attr,
		       const struct options *to, int group_fd)
{
	char text[128] = "";
	struct perf_event_dry_run run = {
		.size = sizeof(run),
		.attr = (unsigned long)attr,
		.text = (unsigned long)text,
		.text_size = sizeof(text),
	};

	if (syscall(SYS_perf_event_open, &run, to->pid, to->cpu, group_fd,
		    to->flags | PERF_FLAG_DRY_RUN)) {
		if (errno == EINVAL)
			trouble("this kernel has no PERF_FLAG_DRY_RUN");
		trouble("dry run: %s", strerror(errno));
	}
	print_answer(event, &run, text);
	return run.error;
}

static int check_group(char **words, int count, const struct options *to)
{
	int leader = -1, fd, i;
	struct perf_event_attr attr;

	for (i = 0; i < count; i += 2) {
		attr = parse_event(words[i]);
		attr.disabled |= leader < 0;
		if (check_event(words[i], &attr, to, leader))
			return EXIT_REFUSED;
		if (i + 1 == count)
			return EXIT_OPENS;
		if (strcmp(words[i + 1], "+") || i + 2 == count)
			trouble("events of a group are joined by \"+\"");
		fd = open_event(&attr, to, leader);
		if (fd < 0)
			trouble("%s: not any more: %s", words[i],
				strerror(errno));
		if (leader < 0)
			leader = fd;
	}
	return EXIT_OPENS;
}

int main(int argc, char **argv)
{
	struct options to = { .pid = -1, .cpu = -1 };
	int option;

	while ((option = getopt(argc, argv, "+p:C:ch")) != -1) {
		switch (option) {
		case 'p':
			to.pid = parse_number(optarg);
			break;
		case 'C':
			to.cpu = parse_number(optarg);
			break;
		case 'c':
			to.flags |= PERF_FLAG_FD_CLOEXEC;
			break;
		case 'h':
			fputs(usage, stdout);
			return EXIT_OPENS;
		default:
			fputs(usage, stderr);
			return EXIT_TROUBLE;
		}
	}
	if (optind == argc) {
		fputs(usage, stderr);
		return EXIT_TROUBLE;
	}
	if (to.pid == -1 && to.cpu == -1)
		to.pid = 0;
	return check_group(argv + optind, argc - optind, &to);
}
