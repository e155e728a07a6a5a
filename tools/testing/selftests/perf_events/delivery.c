// SPDX-License-Identifier: GPL-2.0
/*
 * Each event that requests a record gets it exactly once: events of a CPU, of
 * a task, and of a family, two of each, with one buffer for all or one for
 * each.
 *
 * A child does everything several times, and each time has a number. Each
 * listener must get each record once, with its own id.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>

#include "perf_lib.h"

#define TIMES		16
#define BUFFER_PAGES	64

enum deed {
	NAME,
	MAP,
	FORK,
	SPACES_OF_FORK,
	SPACES,
	EXIT,
	OWN_EXIT,
	DEEDS,
};

static const char *const deed_names[DEEDS] = {
	[NAME]		 = "COMM",
	[MAP]		 = "MMAP2",
	[FORK]		 = "FORK",
	[SPACES_OF_FORK] = "NAMESPACES of a fork",
	[SPACES]	 = "NAMESPACES of an unshare",
	[EXIT]		 = "EXIT of a child",
	[OWN_EXIT]	 = "EXIT",
};

/* What the child did, in memory shared with it. */
struct story {
	pid_t child[TIMES];
	__u64 map[TIMES];
	unsigned long switches;
};

enum scope { OF_CPU, OF_TASK, OF_FAMILY, OFF };

/**
 * struct listener - an event that asks for records
 * @name: for messages
 * @scope: what it is opened for; an OFF one is never enabled
 * @fd: of the event
 * @id: of the event
 * @ring: where it writes, or NULL if into the first listener's
 * @seen: how often the record of each time came
 * @unshared: NAMESPACES records of the child, which have no numbers
 * @within: the last record lies between the marks of switching_child()
 * @in: switches to the child between the marks
 * @out: switches from the child between the marks
 */
struct listener {
	const char *name;
	enum scope scope;
	int fd;
	__u64 id;
	struct perf_ring *ring;
	unsigned int seen[DEEDS][TIMES];
	unsigned int unshared;
	bool within;
	unsigned long in;
	unsigned long out;
};

/* The first one lends its buffer; a family must exist before the child does. */
static const struct listener listeners[] = {
	{ .name = "CPU event",			.scope = OF_CPU },
	{ .name = "inherited event",		.scope = OF_FAMILY },
	{ .name = "second inherited event",	.scope = OF_FAMILY },
	{ .name = "task event",			.scope = OF_TASK },
	{ .name = "second task event",		.scope = OF_TASK },
	{ .name = "disabled event",		.scope = OFF },
	{ .name = "second CPU event",		.scope = OF_CPU },
};

#define LISTENERS	ARRAY_SIZE(listeners)
#define BEFORE_CHILD	3

/**
 * struct scene - one child, watched by all listeners
 * @listener: the listeners
 * @attr: attribute of all, except for inherit and disabled
 * @story: what the child reports
 * @actor: the child
 * @one_buffer: all write into the first listener's buffer
 */
struct scene {
	struct listener listener[LISTENERS];
	struct perf_event_attr attr;
	struct story *story;
	pid_t actor;
	bool one_buffer;
};

static void open_listener(struct scene *scene, struct listener *l)
{
	struct perf_event_attr attr = scene->attr;
	pid_t pid = scene->actor;

	if (l->scope == OF_CPU)
		pid = -1;
	if (l->scope == OF_FAMILY)
		pid = 0;
	attr.inherit = l->scope == OF_FAMILY;
	attr.disabled = l->scope == OFF;
	l->fd = open_on(&attr, pid, first_cpu(), -1);
	l->id = event_id(l->fd);
	if (!scene->one_buffer || l == scene->listener) {
		l->ring = ring_map(l->fd, BUFFER_PAGES);
		return;
	}
	event_set_output(l->fd, scene->listener[0].fd);
}

static void skip_all(struct scene *scene)
{
	size_t i;

	for (i = 0; i < LISTENERS; i++)
		if (scene->listener[i].ring)
			ring_skip_all(scene->listener[i].ring);
}

/*
 * On return the buffers have the records of all that the child did, also its
 * exit.
 */
static void perform(struct scene *scene, void (*body)(void *arg))
{
	int fd = memory_fd("story", sizeof(*scene->story));
	struct helper child;
	size_t i;

	memcpy(scene->listener, listeners, sizeof(listeners));
	scene->attr.sample_id_all = 1;
	scene->attr.sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
				  PERF_SAMPLE_ID | PERF_SAMPLE_IDENTIFIER;
	scene->story = map_memory(fd, sizeof(*scene->story));
	pin_to_cpu(first_cpu());
	for (i = 0; i < BEFORE_CHILD; i++)
		open_listener(scene, &scene->listener[i]);
	child = helper_start(body, scene->story);
	scene->actor = child.pid;
	for (; i < LISTENERS; i++)
		open_listener(scene, &scene->listener[i]);
	skip_all(scene);
	helper_go(&child);
	helper_join(&child);
}

static struct listener *find_listener(struct scene *scene, __u64 id)
{
	size_t i;

	for (i = 0; i < LISTENERS; i++)
		if (scene->listener[i].id == id)
			break;
	CHECK(i < LISTENERS, "record of event %llu", (unsigned long long)id);
	return &scene->listener[i];
}

typedef void (*note_f)(struct scene *scene, struct listener *l,
		       const struct perf_event_header *header);

static void read_ring(struct scene *scene, struct perf_ring *ring, note_f note)
{
	struct perf_event_header *header;
	struct listener *l;
	struct sample id;

	while ((header = ring_next(ring))) {
		CHECK(header->type != PERF_RECORD_LOST, "records are lost");
		parse_trailer(header, &scene->attr, &id);
		CHECK(id.id == id.identifier, "two ids");
		l = find_listener(scene, id.id);
		CHECK(scene->one_buffer || l->ring == ring,
		      "%s writes into another's buffer", l->name);
		note(scene, l, header);
	}
}

static void read_rings(struct scene *scene, note_f note)
{
	size_t i;

	for (i = 0; i < LISTENERS; i++)
		if (scene->listener[i].ring)
			read_ring(scene, scene->listener[i].ring, note);
}

/* A child of several actions. */

static void *map_program(void)
{
	int fd = open("/proc/self/exe", O_RDONLY);
	size_t page = sysconf(_SC_PAGESIZE);
	void *at;

	CHECK(fd >= 0, "/proc/self/exe: %s", strerror(errno));
	at = mmap(NULL, page, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);
	CHECK(at != MAP_FAILED, "mmap: %s", strerror(errno));
	close(fd);
	return at;
}

static void acting_child(void *arg)
{
	struct story *story = arg;
	char name[16];
	pid_t child;
	int i;

	for (i = 0; i < TIMES; i++) {
		snprintf(name, sizeof(name), "name-%d", i);
		CHECK(!prctl(PR_SET_NAME, name, 0, 0, 0), "PR_SET_NAME");
		story->map[i] = (unsigned long)map_program();
		if (!geteuid())
			CHECK(!unshare(CLONE_NEWUTS), "unshare: %s",
			      strerror(errno));
		child = fork();
		CHECK(child >= 0, "fork: %s", strerror(errno));
		if (!child)
			_exit(0);
		story->child[i] = child;
		join_child(child);
	}
}

static void saw(struct listener *l, enum deed deed, int number)
{
	CHECK(number < TIMES, "%s has more than %d %s", l->name, TIMES,
	      deed_names[deed]);
	l->seen[deed][number]++;
}

static int child_number(const struct scene *scene, __u32 pid)
{
	int i;

	for (i = 0; i < TIMES; i++)
		if (scene->story->child[i] == (pid_t)pid)
			return i;
	return -1;
}

static void note_child(struct scene *scene, struct listener *l, enum deed deed,
		       __u32 pid)
{
	int number = child_number(scene, pid);

	if (number >= 0)
		saw(l, deed, number);
}

static void note_name(struct listener *l, const char *name)
{
	int number;

	if (sscanf(name, "name-%d", &number) == 1)
		saw(l, NAME, number);
}

static void note_map(struct scene *scene, struct listener *l, __u64 at)
{
	int i;

	for (i = 0; i < TIMES; i++)
		if (scene->story->map[i] == at)
			saw(l, MAP, i);
}

/* Records of other tasks on this CPU do not count. */
static void note_action(struct scene *scene, struct listener *l,
			const struct perf_event_header *header)
{
	/* All of them begin with pid and tid. */
	const __u32 *body = record_body(header);
	bool own = body[0] == (__u32)scene->actor;

	switch (header->type) {
	case PERF_RECORD_COMM:
		if (own)
			note_name(l, (const char *)(body + 2));
		break;
	case PERF_RECORD_MMAP2:
		if (own)
			note_map(scene, l, *(const __u64 *)(body + 2));
		break;
	case PERF_RECORD_FORK:
		note_child(scene, l, FORK, body[0]);
		break;
	case PERF_RECORD_NAMESPACES:
		if (own)
			saw(l, SPACES, l->unshared++);
		note_child(scene, l, SPACES_OF_FORK, body[0]);
		break;
	case PERF_RECORD_EXIT:
		if (own)
			saw(l, OWN_EXIT, 0);
		note_child(scene, l, EXIT, body[0]);
		break;
	}
}

static unsigned int expected(const struct listener *l, enum deed deed,
			     int number)
{
	if (l->scope == OFF)
		return 0;
	switch (deed) {
	case SPACES:
		return !geteuid();
	case EXIT:
		return l->scope != OF_TASK;
	case OWN_EXIT:
		return number == 0;
	default:
		return 1;
	}
}

static void check_listener(const struct listener *l)
{
	int deed, i;

	for (deed = 0; deed < DEEDS; deed++)
		for (i = 0; i < TIMES; i++)
			EXPECT(l->seen[deed][i] == expected(l, deed, i),
			       "%s: %s number %d came %u times, not %u", l->name,
			       deed_names[deed], i, l->seen[deed][i],
			       expected(l, deed, i));
}

static void actions(bool one_buffer)
{
	struct scene scene = { .one_buffer = one_buffer };
	size_t i;

	scene.attr = sw_attr(PERF_COUNT_SW_DUMMY);
	scene.attr.comm = 1;
	scene.attr.mmap = 1;
	scene.attr.mmap2 = 1;
	scene.attr.task = 1;
	scene.attr.namespaces = 1;
	perform(&scene, acting_child);
	read_rings(&scene, note_action);
	for (i = 0; i < LISTENERS; i++)
		check_listener(&scene.listener[i]);
}

static void actions_in_one(void)
{
	actions(true);
}

static void actions_in_own(void)
{
	actions(false);
}

/* A child that is switched away from. */

static unsigned long count_switches(void)
{
	struct rusage usage;

	CHECK(!getrusage(RUSAGE_SELF, &usage), "getrusage");
	return usage.ru_nvcsw + usage.ru_nivcsw;
}

static void switching_child(void *arg)
{
	struct story *story = arg;
	unsigned long before;

	prctl(PR_SET_NAME, "begin", 0, 0, 0);
	before = count_switches();
	bounce(TIMES);
	story->switches = count_switches() - before;
	prctl(PR_SET_NAME, "end", 0, 0, 0);
}

/* The trailer names the task that is switched out or in. */
static void note_switch(struct scene *scene, struct listener *l,
			const struct perf_event_header *header)
{
	struct sample id;

	parse_trailer(header, &scene->attr, &id);
	if (id.tid != (__u32)scene->actor)
		return;
	switch (header->type) {
	case PERF_RECORD_COMM:
		l->within = !strcmp((const char *)record_body(header) + 8,
				    "begin");
		break;
	case PERF_RECORD_SWITCH:
	case PERF_RECORD_SWITCH_CPU_WIDE:
		CHECK((header->type == PERF_RECORD_SWITCH) ==
		      (l->scope != OF_CPU), "%s gets type %u", l->name,
		      header->type);
		if (header->misc & PERF_RECORD_MISC_SWITCH_OUT)
			l->out += l->within;
		else
			l->in += l->within;
		break;
	}
}

/*
 * The kernel's own count is a little off if the child loses the CPU between a
 * mark and the read of that count. The listeners agree even then.
 */
static bool try_switches(void *arg)
{
	struct scene scene = { .one_buffer = *(bool *)arg };
	unsigned long count, out;
	struct listener *l;
	size_t i;

	scene.attr = sw_attr(PERF_COUNT_SW_DUMMY);
	scene.attr.comm = 1;
	scene.attr.context_switch = 1;
	perform(&scene, switching_child);
	read_rings(&scene, note_switch);
	out = scene.listener[0].out;
	for (i = 0; i < LISTENERS; i++) {
		l = &scene.listener[i];
		count = l->scope == OFF ? 0 : out;
		EXPECT(l->out == count && l->in == count,
		       "%s: %lu switches out, %lu in, not %lu", l->name, l->out,
		       l->in, count);
		close(l->fd);
		if (l->ring)
			ring_unmap(l->ring);
	}
	count = scene.story->switches;
	if (count >= TIMES && out == count)
		return true;
	return test_remark("%lu records, %lu switches", out, count);
}

static void switches_in_one(void)
{
	bool one_buffer = true;

	test_retry(try_switches, &one_buffer);
}

static void switches_in_own(void)
{
	bool one_buffer = false;

	test_retry(try_switches, &one_buffer);
}

static const struct test_case cases[] = {
	{ "actions, one buffer for all", actions_in_one },
	{ "actions, a buffer for each", actions_in_own },
	{ "switches, one buffer for all", switches_in_one },
	{ "switches, a buffer for each", switches_in_own },
};

int main(void)
{
	tests_begin(ARRAY_SIZE(cases));
	tests_run(cases, ARRAY_SIZE(cases));
	tests_end();
}
