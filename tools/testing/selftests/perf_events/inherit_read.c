// SPDX-License-Identifier: GPL-2.0
/*
 * Counts by task: with attr.inherit, PERF_SAMPLE_READ shows the count of the
 * thread that is sampled, and with inherit_stat each task that exits reports
 * its own. Only read(2) returns the sum.
 *
 * Three tasks on one CPU take turns, so that each is switched to from each of
 * the others. A call passes as its argument the number of calls that its task
 * has made so far, and the sample of that call has to show this number.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <sys/syscall.h>

#include "perf_lib.h"

#define PLAYERS		3
#define ROUNDS		40
#define EVENTS		2
#define FORMAT		(FORMAT_TIMES | PERF_FORMAT_ID | PERF_FORMAT_LOST)

#define OTHERS_MSEC	200

/* The arguments follow the common fields and the number of the call. */
#define RAW_ARGS	16

/* What a task does in its turn; player 0 opens the events. */
static const struct {
	unsigned int calls;
	unsigned int side_calls;	/* along with each call */
	unsigned int msec;
} work[PLAYERS] = { { 3, 1, 0 }, { 5, 2, 1 }, { 9, 3, 3 } };

struct score {
	pid_t tid;
	__u64 made;
	__u64 side;
};

static struct {
	__u64 made;
	struct score player[PLAYERS];
} *shared;

/* A byte in the pipe: it is this player's turn. */
static int turn[PLAYERS][2];

struct variant {
	struct test_row row;
	unsigned int period;	/* 0: no samples */
	bool group;
	bool lone_read;		/* the other has no PERF_SAMPLE_READ */
	bool by_sibling;		/* the sibling samples */
	bool threads;
	bool stat;
	bool small;		/* one page */
	bool after_others;	/* others exited before, with times */
};

static const struct variant variants[] = {
	{ .row = { "each call" }, .period = 1 },
	{ .row = { "each seventh call" }, .period = 7 },
	{ .row = { "threads" }, .period = 1, .threads = true },
	{ .row = { "after others have ended" }, .period = 1,
	  .after_others = true },
	{ .row = { "a group" }, .period = 1, .group = true },
	{ .row = { "a group after others have ended" }, .period = 1,
	  .group = true, .after_others = true },
	{ .row = { "a group of threads, each seventh call" }, .period = 7,
	  .group = true, .threads = true },
	{ .row = { "a group, the sibling has no READ" }, .period = 1,
	  .group = true, .lone_read = true, .after_others = true },
	{ .row = { "a group, the sibling samples" }, .period = 1,
	  .group = true, .by_sibling = true },
	{ .row = { "a group, the leader has no READ" }, .period = 1,
	  .group = true, .by_sibling = true, .lone_read = true,
	  .after_others = true },
	{ .row = { "losses" }, .period = 1, .small = true },
	{ .row = { "losses of threads" }, .period = 1, .small = true,
	  .threads = true },
	{ .row = { "losses of a group" }, .period = 1, .small = true,
	  .group = true },
	{ .row = { "inherit_stat" }, .stat = true },
	{ .row = { "inherit_stat, threads" }, .stat = true, .threads = true },
	{ .row = { "inherit_stat after others have ended" }, .stat = true,
	  .after_others = true },
	{ .row = { "inherit_stat and samples" }, .stat = true, .period = 7 },
	{ .row = { "inherit_stat and samples, threads" }, .stat = true,
	  .period = 7, .threads = true },
};

/* Samples and records of a player. */
struct seen {
	__u64 samples;
	__u64 index;
	__u64 enabled;
	__u64 running;
	unsigned int reads;
};

struct game {
	const struct variant *how;
	struct perf_event_attr attr[EVENTS];
	int fd[EVENTS];
	__u64 id[EVENTS];
	int nr_events;
	int sampler;
	struct perf_ring *ring;
	struct seen seen[PLAYERS];
	__u64 samples;
	__u64 ended_calls;
	__u64 ended_time;
	unsigned int wrong_losses;
	pthread_t thread[PLAYERS];
	pid_t pid[PLAYERS];
};

/* Playing. */

static void make_calls(int nr, unsigned int calls)
{
	struct score *own = &shared->player[nr];
	unsigned int i;

	while (calls--) {
		for (i = 0; i < work[nr].side_calls; i++)
			syscall(SYS_getppid);
		own->side += i;
		own->made++;
		shared->made++;
		syscall(SYS_getpriority, own->made, shared->made);
	}
}

static void wait_for_turn(int nr)
{
	char byte;

	CHECK(read(turn[nr][0], &byte, 1) == 1, "player %d waits", nr);
}

static void pass_turn(int nr)
{
	CHECK(write(turn[(nr + 1) % PLAYERS][1], "", 1) == 1,
	      "player %d is done", nr);
}

/* A page has room for the samples of most rounds, but not of all. */
static void take_turn(int nr, unsigned int round)
{
	make_calls(nr, work[nr].calls * (round % 4 ? 1 : 10));
	if (work[nr].msec)
		burn_ms(work[nr].msec);
}

static void play(int nr)
{
	unsigned int round;

	shared->player[nr].tid = gettid();
	for (round = 0; round < ROUNDS; round++) {
		wait_for_turn(nr);
		take_turn(nr, round);
		pass_turn(nr);
	}
}

static void *play_thread(void *arg)
{
	play((long)arg);
	return NULL;
}

static void start_player(struct game *game, long nr)
{
	if (game->how->threads) {
		CHECK(!pthread_create(&game->thread[nr], NULL, play_thread,
				      (void *)nr), "thread");
		return;
	}
	fflush(stdout);
	game->pid[nr] = fork();
	CHECK(game->pid[nr] >= 0, "fork: %s", strerror(errno));
	if (!game->pid[nr]) {
		play(nr);
		child_finish();
	}
}

/* Waits for the exit: a thread can be joined before its events end. */
static void join_player(struct game *game, int nr)
{
	char path[64];

	if (!game->how->threads) {
		join_child(game->pid[nr]);
		return;
	}
	CHECK(!pthread_join(game->thread[nr], NULL), "join");
	snprintf(path, sizeof(path), "/proc/self/task/%d",
		 shared->player[nr].tid);
	while (!access(path, F_OK))
		usleep(1000);
}

/* The events. */

static struct perf_event_attr sampler_attr(const struct variant *how)
{
	struct perf_event_attr attr =
		make_attr(PERF_TYPE_TRACEPOINT,
			  tracepoint_id("syscalls/sys_enter_getpriority"));

	attr.inherit = 1;
	attr.inherit_stat = how->stat;
	attr.read_format = FORMAT;
	if (how->group)
		attr.read_format |= PERF_FORMAT_GROUP;
	attr.sample_period = how->period;
	if (how->period)
		attr.sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_ID |
				   PERF_SAMPLE_READ | PERF_SAMPLE_RAW;
	return attr;
}

static struct perf_event_attr side_attr(const struct variant *how)
{
	struct perf_event_attr attr = sampler_attr(how);

	attr.config = tracepoint_id("syscalls/sys_enter_getppid");
	attr.sample_period = 0;
	attr.sample_type &= ~PERF_SAMPLE_RAW;
	if (how->lone_read)
		attr.sample_type = 0;
	return attr;
}

static void open_game(struct game *game)
{
	const struct variant *how = game->how;
	int cpu = first_cpu(), i;

	pin_to_cpu(cpu);
	game->nr_events = how->group ? 2 : 1;
	game->sampler = how->by_sibling;
	game->attr[game->sampler] = sampler_attr(how);
	if (how->group)
		game->attr[!game->sampler] = side_attr(how);
	for (i = 0; i < game->nr_events; i++) {
		game->attr[i].disabled = !i;
		game->fd[i] = open_on(&game->attr[i], 0, cpu,
				      i ? game->fd[0] : -1);
		game->id[i] = event_id(game->fd[i]);
	}
	game->ring = ring_map(game->fd[game->sampler], how->small ? 1 : 64);
	event_enable(game->fd[0]);
}

/* Looking. */

static int player_of(__u32 tid)
{
	int nr;

	for (nr = 0; nr < PLAYERS; nr++)
		if ((__u32)shared->player[nr].tid == tid)
			return nr;
	CHECK(false, "tid %u is nobody's", tid);
	return -1;
}

static void check_times(struct game *game, int nr,
			const struct read_values *got)
{
	struct seen *seen = &game->seen[nr];

	CHECK(got->running <= got->enabled, "player %d: ran %llu of %llu", nr,
	      (unsigned long long)got->running,
	      (unsigned long long)got->enabled);
	CHECK(got->enabled >= seen->enabled && got->running >= seen->running,
	      "player %d: times go back, from %llu and %llu to %llu and %llu",
	      nr, (unsigned long long)seen->enabled,
	      (unsigned long long)seen->running,
	      (unsigned long long)got->enabled,
	      (unsigned long long)got->running);
	seen->enabled = got->enabled;
	seen->running = got->running;
}

static void check_ids(struct game *game, const struct read_values *got)
{
	__u64 i;

	CHECK(got->nr == (__u64)game->nr_events, "%llu events",
	      (unsigned long long)got->nr);
	for (i = 0; i < got->nr; i++)
		CHECK(got->event[i].id == game->id[i], "event %llu: id %llu",
		      (unsigned long long)i,
		      (unsigned long long)got->event[i].id);
}

static void check_counts(struct game *game, int nr,
			 const struct read_values *got, __u64 index)
{
	__u64 side = index * work[nr].side_calls;

	CHECK(got->event[game->sampler].value == index,
	      "player %d: call %llu is shown as %llu", nr,
	      (unsigned long long)index,
	      (unsigned long long)got->event[game->sampler].value);
	CHECK(!game->how->group || got->event[!game->sampler].value == side,
	      "player %d: %llu side calls are shown as %llu", nr,
	      (unsigned long long)side,
	      (unsigned long long)got->event[!game->sampler].value);
}

/* The losses are those of all tasks, since they share the buffer. */
static void check_losses(struct game *game, __u64 ordinal, __u64 shown)
{
	if (game->how->period != 1)
		ordinal = game->samples;
	if (shown == ordinal - game->samples)
		return;
	if (!game->wrong_losses++)
		test_remark("%llu losses, shown as %llu",
			    (unsigned long long)(ordinal - game->samples),
			    (unsigned long long)shown);
}

static void check_sample(struct game *game,
			 const struct perf_event_header *header)
{
	unsigned long args[2];
	struct sample sample;
	struct seen *seen;
	int nr;

	parse_sample(header, &game->attr[game->sampler], &sample);
	nr = player_of(sample.tid);
	seen = &game->seen[nr];
	CHECK(sample.raw_size >= RAW_ARGS + sizeof(args), "raw data");
	memcpy(args, (const char *)sample.raw + RAW_ARGS, sizeof(args));
	CHECK(sample.id == game->id[game->sampler], "id %llu",
	      (unsigned long long)sample.id);
	CHECK(args[0] > seen->index, "player %d: call %lu after %llu", nr,
	      args[0], (unsigned long long)seen->index);
	seen->index = args[0];
	seen->samples++;
	game->samples++;
	check_ids(game, &sample.read);
	check_counts(game, nr, &sample.read, args[0]);
	check_times(game, nr, &sample.read);
	check_losses(game, args[1],
		     sample.read.event[game->sampler].lost);
}

/* The one record that a task leaves. */
static void check_read(struct game *game,
		       const struct perf_event_header *header)
{
	const __u32 *ids = record_body(header);
	struct read_values got;
	size_t size;
	int nr = player_of(ids[1]);

	CHECK(ids[0] == (__u32)(game->how->threads ? getpid() : game->pid[nr]),
	      "pid %u, tid %u", ids[0], ids[1]);
	size = parse_read(ids + 2, header->size - sizeof(*header) - 8,
			  game->attr[0].read_format, &got);
	CHECK(size + sizeof(*header) + 8 == header->size, "size %u",
	      header->size);
	game->seen[nr].reads++;
	check_ids(game, &got);
	if (!getenv("PERF_TEST_STRICT") &&
	    got.event[0].value != shared->player[nr].made)
		test_xfail("player %d: %llu calls, %llu in the record", nr,
			   (unsigned long long)shared->player[nr].made,
			   (unsigned long long)got.event[0].value);
	check_counts(game, nr, &got, shared->player[nr].made);
	check_times(game, nr, &got);
}

static void drain(struct game *game)
{
	struct perf_event_header *header;

	while ((header = ring_next(game->ring))) {
		if (header->type == PERF_RECORD_SAMPLE)
			check_sample(game, header);
		else if (header->type == PERF_RECORD_READ)
			check_read(game, header);
		else
			CHECK(header->type == PERF_RECORD_LOST &&
			      game->how->small, "record of type %u",
			      header->type);
	}
}

/*
 * Each task's time is a part of the sum, and no part of another task's. There
 * is no other clock to compare with: when a host stops the machine in the
 * middle of a switch, either task may get the time.
 */
static void check_sum_of_times(const struct game *game, __u64 enabled)
{
	__u64 least = game->ended_time;
	int nr;

	for (nr = 0; nr < PLAYERS; nr++)
		least += game->seen[nr].enabled;
	if (enabled < least)
		test_xfail("tasks were enabled %llu, all together %llu",
			   (unsigned long long)least,
			   (unsigned long long)enabled);
}

static void check_all_losses(const struct game *game, __u64 told)
{
	__u64 lost = shared->made - game->samples;

	if (game->how->period != 1 || told == lost)
		return;
	if (game->how->group)
		test_xfail("a group read tells %llu losses of %llu",
			   (unsigned long long)told, (unsigned long long)lost);
	CHECK(false, "read tells %llu losses of %llu", (unsigned long long)told,
	      (unsigned long long)lost);
}

/* The other tasks wait, so that no count is on its way. */
static void check_sums(struct game *game)
{
	__u64 side = 0, calls = shared->made + game->ended_calls;
	__u64 format = game->attr[0].read_format;
	struct read_values got;
	char buf[256];
	ssize_t len;
	int nr;

	for (nr = 0; nr < PLAYERS; nr++)
		side += shared->player[nr].side;
	side += game->ended_calls * work[0].side_calls;
	len = read(game->fd[0], buf, sizeof(buf));
	CHECK(len > 0, "read: %s", strerror(errno));
	parse_read(buf, len, format, &got);
	check_ids(game, &got);
	CHECK(got.event[game->sampler].value == calls,
	      "sum %llu, of %llu calls",
	      (unsigned long long)got.event[game->sampler].value,
	      (unsigned long long)calls);
	CHECK(!game->how->group || got.event[!game->sampler].value == side,
	      "sum %llu, of %llu side calls",
	      (unsigned long long)got.event[!game->sampler].value,
	      (unsigned long long)side);
	check_sum_of_times(game, got.enabled);
	check_all_losses(game, got.event[game->sampler].lost);
}

/* The game. */

/* After the last turn the others are exiting: their groups have no sum then. */
static void opener_plays(struct game *game)
{
	unsigned int round;

	for (round = 0; round < ROUNDS; round++) {
		take_turn(0, round);
		pass_turn(0);
		wait_for_turn(0);
		drain(game);
		if (round + 1 < ROUNDS)
			check_sums(game);
	}
}

static void others_play(void *arg)
{
	unsigned int i;

	(void)arg;
	for (i = 0; i < work[0].calls * work[0].side_calls; i++)
		syscall(SYS_getppid);
	for (i = 0; i < work[0].calls; i++)
		syscall(SYS_getpriority, 0, 0);
	burn_ms(OTHERS_MSEC);
}

static __u64 enabled_by_now(const struct game *game)
{
	struct read_values got;
	char buf[256];
	ssize_t len = read(game->fd[0], buf, sizeof(buf));

	CHECK(len > 0, "read: %s", strerror(errno));
	parse_read(buf, len, game->attr[0].read_format, &got);
	return got.enabled;
}

/*
 * Tasks that exit leave their counts to the event that was opened: as long as
 * this task has an event that is not inherited, its context equals no other,
 * and stays with it. While they ran, so did their parent, but not for long.
 */
static void let_others_end(struct game *game)
{
	struct perf_event_attr attr = sw_attr(PERF_COUNT_SW_DUMMY);
	__u64 before = enabled_by_now(game);
	int fd = open_self(&attr);

	run_child(others_play, NULL);
	game->ended_calls = work[0].calls;
	game->ended_time = (enabled_by_now(game) - before) / 2;
	ring_skip_all(game->ring);
	close(fd);
}

/* Each context keeps its own remainder of a period. */
static void check_samples(const struct game *game)
{
	__u64 want = shared->made;

	if (!game->how->period || game->how->small)
		return;
	want /= game->how->period;
	CHECK(game->samples <= want && game->samples + PLAYERS >= want,
	      "%llu samples of %llu", (unsigned long long)game->samples,
	      (unsigned long long)want);
}

static void check_reads(const struct game *game)
{
	int nr;

	for (nr = 0; nr < PLAYERS; nr++) {
		unsigned int want = game->how->stat && nr ? 1 : 0;

		if (game->seen[nr].reads < want)
			test_xfail("player %d left no READ", nr);
		CHECK(game->seen[nr].reads == want, "player %d left %u READs",
		      nr, game->seen[nr].reads);
	}
}

static void begin(struct game *game)
{
	int nr;

	shared = map_memory(memory_fd("inherit_read", sizeof(*shared)),
			    sizeof(*shared));
	shared->player[0].tid = gettid();
	for (nr = 0; nr < PLAYERS; nr++)
		CHECK(!pipe(turn[nr]), "pipe");
	open_game(game);
	if (game->how->after_others)
		let_others_end(game);
}

static void run_variant(const void *row)
{
	struct game game = { .how = row };
	int nr;

	begin(&game);
	for (nr = 1; nr < PLAYERS; nr++)
		start_player(&game, nr);
	opener_plays(&game);
	for (nr = 1; nr < PLAYERS; nr++)
		join_player(&game, nr);
	drain(&game);
	check_sums(&game);
	check_samples(&game);
	check_reads(&game);
	if (game.wrong_losses)
		test_xfail("%u samples show other losses", game.wrong_losses);
}

int main(void)
{
	tests_begin(ARRAY_SIZE(variants));
	tests_run_rows(variants, ARRAY_SIZE(variants), sizeof(*variants),
		       run_variant);
	tests_end();
}
