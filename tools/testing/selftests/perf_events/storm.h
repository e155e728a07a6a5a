/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Functions shared by programs with many processes that act at random. Each
 * has its own struct worker, with the state of its random numbers in @random.
 */
#ifndef SELFTEST_STORM_H
#define SELFTEST_STORM_H

#include <stdbool.h>
#include <linux/types.h>

#define STORM_MAX_OPS	64

#define PARANOID	"/proc/sys/kernel/perf_event_paranoid"

struct worker;

/**
 * struct storm_op - an operation of a worker
 * @name: for the account at the end
 * @weight: how often it is done, relative to the weights of the others
 * @run: true if it was done, false if it was refused or there was nothing to do
 */
struct storm_op {
	const char *name;
	unsigned int weight;
	bool (*run)(struct worker *w);
};

/**
 * struct storm - what all processes share
 * @stop: the time is over
 * @done: how often each operation was done
 * @refused: how often it was not
 * @wrong: opens that should have failed
 */
struct storm {
	bool stop;
	__u64 done[STORM_MAX_OPS];
	__u64 refused[STORM_MAX_OPS];
	__u64 wrong;
};

/* CPUs that were online when the storm began. */
extern int storm_cpus;

void *storm_set_up(size_t size);
bool storm_stopping(void);
void storm_stop(void);
void storm_count(__u64 *counter);
void storm_step(const struct storm_op *ops, size_t count, struct worker *w,
		__u64 *random);
void storm_show(const struct storm_op *ops, size_t count);
bool storm_move(__u64 *random);
void storm_if_executed(int argc, char **argv);

#endif
