// SPDX-License-Identifier: GPL-2.0
/*
 * Benchmark rows: the longest time without an interrupt
 *
 * How long a user without privileges can keep interrupts off by opening many
 * events. A pinned clock event of the CPU measures: its timer fires after a
 * fixed number of instructions, and the longest time between two of its samples
 * is the figure. So each figure includes one period of the timer and one
 * sample, see "nothing".
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench.h"

#define MAX_EVENTS	4096
#define LOOK_NSEC	20000
#define LOOK_PAGES	1024
/* Room for a sample of more than a page from each of the events. */
#define WALK_PAGES	2048
#define PAGE_SIZE	4096
#define ROUNDS		10
#define GROUPS		10
/* Longer than an interval of multiplexing, and than a tick. */
#define LONG_NSEC	30000000
#define INTERVAL_FILE	"/sys/bus/event_source/devices/cpu/perf_event_mux_interval_ms"
#define INTERVAL_AT_BOOT "4"
#define MANY_DIR	"/sys/fs/cgroup/many"
/* No event gets there. */
#define FAR_PERIOD	1000000000000ULL

static int fds[MAX_EVENTS];
static struct buffer look;

static void look_begin(void)
{
	struct perf_event_attr attr = make_attr(PERF_TYPE_SOFTWARE,
						PERF_COUNT_SW_CPU_CLOCK);

	attr.pinned = 1;
	attr.sample_period = LOOK_NSEC;
	attr.sample_type = PERF_SAMPLE_TIME;
	buffer_map(&look, must_open(&attr, -1, 0, -1), LOOK_PAGES);
}

/* The longest time between two samples of those in the buffer. */
static double look_longest(void)
{
	__u64 head = __atomic_load_n(&look.page->data_head, __ATOMIC_ACQUIRE);
	const char *data = (const char *)look.page + look.page->data_offset;
	__u64 at = look.page->data_tail, last = 0, longest = 0;

	while (at < head) {
		const struct perf_event_header *header;
		const __u64 *time;

		header = (const void *)(data + at % look.page->data_size);
		time = (const __u64 *)(header + 1);
		if (header->type == PERF_RECORD_SAMPLE) {
			if (last && *time - last > longest)
				longest = *time - last;
			last = *time;
		}
		at += header->size;
	}
	if (!last)
		die("no sample");
	return longest;
}

/* Drops earlier samples. The measured section is between two samples. */
static void look_again(void)
{
	buffer_drop(&look);
	burn(4 * LOOK_NSEC);
}

static void look_at(const struct row *row, void (*op)(const struct row *row))
{
	double longest = 0, seen;
	unsigned int i;

	look_begin();
	settle();
	for (i = 0; i < (quick ? 1 : 3); i++) {
		look_again();
		op(row);
		burn(4 * LOOK_NSEC);
		seen = look_longest();
		if (seen > longest)
			longest = seen;
	}
	emit(row, NULL, "insn", longest, 0);
}

/*
 * A turn that is due follows the section that has delayed it without a gap, and
 * its time would be added. Rows of their own measure it, see run_turn().
 */
static void forbid_turns(void)
{
	write_file(INTERVAL_FILE, "1000");
}

static void allow_turns(void)
{
	write_file(INTERVAL_FILE, INTERVAL_AT_BOOT);
}

static struct perf_event_attr one_attr(const struct recipe *set)
{
	struct recipe one = { .hw = !!set->hw, .sw = !!set->sw };

	return set_attr(&one, 0);
}

/* Each a group, or all one group; @leader_on: only siblings are disabled. */
static void open_many(const struct row *row, bool pinned, bool disabled,
		      bool leader_on)
{
	struct perf_event_attr attr = one_attr(&row->set);
	unsigned int i;

	attr.pinned = pinned;
	for (i = 0; i < row->n; i++) {
		attr.disabled = disabled && (i || !leader_on);
		if (i && row->set.group)
			attr.pinned = 0;
		fds[i] = must_open(&attr, 0, -1,
				   i && row->set.group ? fds[0] : -1);
	}
}

static void op_toggle(const struct row *row)
{
	unsigned int i;

	for (i = 0; i < ROUNDS; i++) {
		ioctl(fds[0], PERF_EVENT_IOC_DISABLE, 0);
		ioctl(fds[0], PERF_EVENT_IOC_ENABLE, 0);
	}
}

static void run_toggle(const struct row *row)
{
	open_many(row, false, false, false);
	look_at(row, op_toggle);
}

static void op_period(const struct row *row)
{
	__u64 period = 2 * FAR_PERIOD;
	unsigned int i;

	for (i = 0; i < ROUNDS; i++, period += FAR_PERIOD)
		if (ioctl(fds[i], PERF_EVENT_IOC_PERIOD, &period))
			die("PERF_EVENT_IOC_PERIOD");
}

static void run_period(const struct row *row)
{
	struct perf_event_attr attr = one_attr(&row->set);
	unsigned int i;

	attr.sample_period = FAR_PERIOD;
	for (i = 0; i < row->n; i++)
		fds[i] = must_open(&attr, 0, -1, -1);
	look_at(row, op_period);
}

static void op_nothing(const struct row *row)
{
	burn(LONG_NSEC);
}

static void run_nothing(const struct row *row)
{
	look_at(row, op_nothing);
}

/* Groups of one are the worst case for work that is done for each group. */
static void op_prctl(const struct row *row)
{
	unsigned int i;

	for (i = row->set.group; i < row->n; i++)
		ioctl(fds[i], PERF_EVENT_IOC_DISABLE, 0);
	look_again();
	prctl(PR_TASK_PERF_EVENTS_ENABLE);
}

static void run_prctl(const struct row *row)
{
	forbid_turns();
	open_many(row, row->arg, true, row->set.group);
	look_at(row, op_prctl);
	allow_turns();
}

static void partner(const int *there, const int *back)
{
	char byte;

	while (read(there[0], &byte, 1) == 1 && write(back[1], &byte, 1) == 1)
		;
	_exit(0);
}

static int there[2], back[2];
static pid_t partner_pid;

static void start_partner(void)
{
	if (pipe(there) || pipe(back))
		die("pipe");
	partner_pid = fork();
	if (partner_pid < 0)
		die("fork");
	if (!partner_pid)
		partner(there, back);
}

static void op_switch(const struct row *row)
{
	unsigned int i;
	char byte = 0;

	for (i = 0; i < ROUNDS; i++)
		if (write(there[1], &byte, 1) != 1 ||
		    read(back[0], &byte, 1) != 1)
			die("pipe");
}

static void run_switch(const struct row *row)
{
	forbid_turns();
	start_partner();
	open_many(row, false, false, false);
	look_at(row, op_switch);
	reap(partner_pid);
	allow_turns();
}

/* A task with one event, beside many events of the CPU that take turns. */
static void run_switch_beside(const struct row *row)
{
	struct perf_event_attr attr = one_attr(&row->set);
	unsigned int i;

	forbid_turns();
	start_partner();
	must_open(&attr, 0, -1, -1);
	for (i = 0; i < row->n; i++)
		fds[i] = must_open(&attr, -1, 0, -1);
	look_at(row, op_switch);
	reap(partner_pid);
	allow_turns();
}

/* The partner is in a cgroup that has many events. */
static void run_switch_cgroup(const struct row *row)
{
	struct perf_event_attr attr = one_attr(&row->set);
	char number[16];
	unsigned int i;
	int dir;

	forbid_turns();
	start_partner();
	/* Events find only cgroups below one with a controller. */
	write_file("/sys/fs/cgroup/cgroup.subtree_control", "+pids");
	mkdir(MANY_DIR, 0755);
	snprintf(number, sizeof(number), "%d", partner_pid);
	write_file(MANY_DIR "/cgroup.procs", number);
	dir = open(MANY_DIR, O_RDONLY | O_CLOEXEC);
	if (dir < 0)
		die(MANY_DIR);
	for (i = 0; i < row->n; i++) {
		fds[i] = syscall(SYS_perf_event_open, &attr, dir, 0, -1,
				 PERF_FLAG_PID_CGROUP);
		if (fds[i] < 0)
			die("PERF_FLAG_PID_CGROUP");
	}
	close(dir);
	look_at(row, op_switch);
	reap(partner_pid);
	allow_turns();
}

/* Events that found no room before are all tried again. */
static void op_wake(const struct row *row)
{
	prctl(PR_TASK_PERF_EVENTS_ENABLE);
	look_again();
	op_switch(row);
}

/* Pinned events of a task that sleeps, and is woken. */
static void run_wake(const struct row *row)
{
	struct perf_event_attr attr = one_attr(&row->set);
	unsigned int i;

	start_partner();
	attr.pinned = 1;
	for (i = 0; i < row->n; i++)
		fds[i] = must_open(&attr, partner_pid, -1, -1);
	look_at(row, op_wake);
	reap(partner_pid);
}

static void run_turn(const struct row *row)
{
	open_many(row, false, false, false);
	look_at(row, op_nothing);
}

/* Opens events of the groups by turns, which is the worst order. */
static void run_exchange(const struct row *row)
{
	struct perf_event_attr attr = one_attr(&row->set);
	unsigned int i;

	attr.inherit = 1;
	attr.inherit_stat = 1;
	for (i = 0; i < row->n; i++)
		fds[i] = must_open(&attr, 0, -1,
				   i < GROUPS ? -1 : fds[i % GROUPS]);
	start_partner();
	look_at(row, op_switch);
	reap(partner_pid);
}

static void op_read(const struct row *row)
{
	static __u64 values[MAX_EVENTS + 3];

	if (read(fds[0], values, sizeof(values)) <= 0)
		die("read");
}

static void run_read(const struct row *row)
{
	struct perf_event_attr attr = one_attr(&row->set);
	unsigned int i;

	attr.read_format = PERF_FORMAT_GROUP;
	for (i = 0; i < row->n; i++)
		fds[i] = must_open(&attr, 0, -1, i ? fds[0] : -1);
	look_at(row, op_read);
}

static void op_close(const struct row *row)
{
	unsigned int i;

	open_many(row, false, false, false);
	look_again();
	for (i = 0; i < row->n; i++)
		close(fds[i]);
}

static void run_close(const struct row *row)
{
	look_at(row, op_close);
}

static void op_open(const struct row *row)
{
	unsigned int i;

	open_many(row, false, false, false);
	burn(4 * LOOK_NSEC);
	for (i = row->n; i; i--)
		close(fds[i - 1]);
}

static void run_open(const struct row *row)
{
	look_at(row, op_open);
}

/* Fork, exec and exit with copies of all, which count from exec on. */
static void op_exec(const struct row *row)
{
	char * const argv[] = { "bench", "--nothing", NULL };
	pid_t pid = fork();

	if (!pid) {
		execv("/proc/self/exe", argv);
		_exit(1);
	}
	waitpid(pid, NULL, 0);
}

static void run_exec(const struct row *row)
{
	struct perf_event_attr attr = one_attr(&row->set);
	unsigned int i;

	attr.inherit = 1;
	attr.disabled = 1;
	attr.enable_on_exec = 1;
	for (i = 0; i < row->n; i++)
		fds[i] = must_open(&attr, 0, -1,
				   i && row->set.group ? fds[0] : -1);
	look_at(row, op_exec);
}

/* At each tick. */
static void run_freq(const struct row *row)
{
	struct perf_event_attr attr = one_attr(&row->set);
	unsigned int i;

	attr.freq = 1;
	attr.sample_freq = 1000;
	for (i = 0; i < row->n; i++)
		fds[i] = must_open(&attr, 0, -1, -1);
	look_at(row, op_nothing);
}

/* All in one buffer, so that memory is no limit. */
static void open_in_one(const struct row *row, struct perf_event_attr *attr,
			struct buffer *buffer, unsigned int pages)
{
	unsigned int i;

	for (i = 0; i < row->n; i++)
		fds[i] = must_open(attr, 0, -1, -1);
	buffer_map(buffer, fds[0], pages);
	for (i = 1; i < row->n; i++)
		if (ioctl(fds[i], PERF_EVENT_IOC_SET_OUTPUT, fds[0]))
			die("PERF_EVENT_IOC_SET_OUTPUT");
}

static void look_at_switches(const struct row *row)
{
	start_partner();
	look_at(row, op_switch);
	reap(partner_pid);
}

static void run_records(const struct row *row)
{
	struct perf_event_attr attr = one_attr(&row->set);
	struct buffer buffer;

	attr.context_switch = 1;
	open_in_one(row, &attr, &buffer, LOOK_PAGES);
	look_at_switches(row);
}

/* Events that happen with the run-queue lock held; row->arg: they leave samples. */
static void run_happens(const struct row *row)
{
	struct perf_event_attr attr = make_attr(PERF_TYPE_SOFTWARE,
						PERF_COUNT_SW_CONTEXT_SWITCHES);
	struct buffer buffer;

	attr.sample_period = 1;
	attr.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME;
	attr.exclude_kernel = !row->arg;
	open_in_one(row, &attr, &buffer, LOOK_PAGES);
	look_at_switches(row);
}

/* The shortest of a few: the others include a tick or a context switch. */
static __u64 fault_shortest(char *page, struct buffer *buffer)
{
	__u64 start, took, shortest = ~0ULL;
	unsigned int i;

	for (i = 0; i < ROUNDS; i++, page += PAGE_SIZE) {
		/* Each fault finds room for all its samples. */
		buffer_drop(buffer);
		start = now();
		*page = 1;
		took = now() - start;
		if (took < shortest)
			shortest = took;
	}
	return shortest;
}

/*
 * One page fault, which 1000 events count, each of which writes a long sample.
 * Work on this CPU that schedules events in waits for the last sample.
 */
static void run_walk(const struct row *row)
{
	struct perf_event_attr attr = make_attr(PERF_TYPE_SOFTWARE,
						PERF_COUNT_SW_PAGE_FAULTS);
	char *pages = mmap(NULL, ROUNDS * PAGE_SIZE, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	/* A copy of the stack does not reach its end. */
	char deep[2 * PAGE_SIZE];
	struct buffer buffer;

	memset(deep, 1, sizeof(deep));
	asm volatile ("" : : "r" (deep) : "memory");
	if (pages == MAP_FAILED)
		die("mmap");
	attr.disabled = 1;
	attr.sample_period = 1;
	attr.sample_type = PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_STACK_USER;
	attr.sample_stack_user = 4096;
	open_in_one(row, &attr, &buffer, WALK_PAGES);
	prctl(PR_TASK_PERF_EVENTS_ENABLE);
	emit(row, NULL, "insn", fault_shortest(pages, &buffer), 0);
}

#define MANY	1000

static const struct row rows[] = {
	{ "irqs-off/nothing", run_nothing },
	{ "irqs-off/prctl-1000-sw", run_prctl, { .sw = 1 }, MANY },
	{ "irqs-off/prctl-1000-hw", run_prctl, { .hw = 1 }, MANY },
	{ "irqs-off/prctl-1000-hw-pinned", run_prctl, { .hw = 1 }, MANY, 1 },
	{ "irqs-off/prctl-group-1000-sw", run_prctl,
	  { .sw = 1, .group = true }, MANY },
	{ "irqs-off/ioctl-group-1000-sw", run_toggle,
	  { .sw = 1, .group = true }, MANY },
	{ "irqs-off/period-1000-sw", run_period, { .sw = 1 }, MANY },
	{ "irqs-off/switch-1000-sw", run_switch, { .sw = 1 }, MANY },
	{ "irqs-off/switch-1000-hw", run_switch, { .hw = 1 }, MANY },
	{ "irqs-off/switch-beside-1000-hw", run_switch_beside, { .hw = 1 }, MANY },
	{ "irqs-off/switch-cgroup-1000-hw", run_switch_cgroup, { .hw = 1 }, MANY },
	{ "irqs-off/wake-1000-hw-pinned", run_wake, { .hw = 1 }, MANY },
	{ "irqs-off/turn-1000-hw", run_turn, { .hw = 1 }, MANY },
	{ "irqs-off/exchange-10-groups-of-100", run_exchange, { .sw = 1 }, MANY },
	{ "irqs-off/switch-records-1000", run_records, { .sw = 1 }, MANY },
	{ "irqs-off/switch-event-1000", run_happens, { .sw = 1 }, MANY },
	{ "irqs-off/switch-event-1000-samples", run_happens, { .sw = 1 }, MANY, 1 },
	{ "irqs-off/tick-1000-sw-freq", run_freq, { .sw = 1 }, MANY },
	{ "walk/1000-long-samples", run_walk, { .sw = 1 }, MANY },
	{ "irqs-off/read-group-1000-sw", run_read, { .sw = 1 }, MANY },
	{ "irqs-off/open-group-1000-sw", run_open,
	  { .sw = 1, .group = true }, MANY },
	{ "irqs-off/open-1000-hw", run_open, { .hw = 1 }, MANY },
	{ "irqs-off/close-group-1000-sw", run_close,
	  { .sw = 1, .group = true }, MANY },
	{ "irqs-off/exec-group-1000-sw", run_exec,
	  { .sw = 1, .group = true }, MANY },
	{ "irqs-off/exec-1000-hw", run_exec, { .hw = 1 }, MANY },
};

const struct row_table irqs_table = { "one", rows, ARRAY_SIZE(rows) };
