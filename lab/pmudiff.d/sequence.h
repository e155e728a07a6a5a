/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Sequence of operations on events: what its files share
 */
#ifndef SEQUENCE_H
#define SEQUENCE_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <sys/types.h>

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))
#define __printf(a, b)	__attribute__((__format__(printf, a, b)))
#define __noreturn	__attribute__((__noreturn__))
#define fallthrough	__attribute__((__fallthrough__))

#define MAX_GROUP	4
#define MAX_PMUS	4

/* A PMU of the CPUs.  A hybrid machine has two, each for some of them. */
struct pmu {
	char name[16];
	__u32 type;
	__u64 cpus;
};

/* Events that are opened together; the descriptor is -1 if that has failed. */
struct group {
	unsigned int nr;
	struct perf_event_attr attr[MAX_GROUP];
	int fd[MAX_GROUP];
	pid_t pid;
	int cpu;
};

/* output.c */
void begin_step(unsigned int step);
void phase(const char *flags);
__printf(1, 2) void report(const char *format, ...);
__printf(1, 2) __noreturn void die(const char *format, ...);
void write_file(const char *path, const char *text);

/* choose.c */
extern struct pmu pmus[MAX_PMUS];
extern unsigned int nr_pmus;
void find_pmus(void);
const struct pmu *pmu_of(int cpu);
bool hybrid(void);
void seed_random(__u64 seed, unsigned int step);
__u64 random_bits(void);
unsigned int below(unsigned int limit);
bool chance(unsigned int one_in);
void generic_event(struct perf_event_attr *attr, const struct pmu *pmu,
		   unsigned int number);
void cache_event(struct perf_event_attr *attr, const struct pmu *pmu,
		 unsigned int number);
unsigned int nr_generic_events(void);
unsigned int nr_cache_events(void);
unsigned int nr_raw_events(void);
void raw_event(struct perf_event_attr *attr, const struct pmu *pmu,
	       unsigned int number);
void exact_event(struct perf_event_attr *attr, const struct pmu *pmu);
void any_event(struct perf_event_attr *attr, const struct pmu *pmu);
void wild_event(struct perf_event_attr *attr, const struct pmu *pmu);
void choose_modes(struct perf_event_attr *attr);

/* group.c */
void new_group(struct group *g, const struct pmu *pmu, unsigned int nr);
void open_group(struct group *g, pid_t pid, int cpu);
bool opened(const struct group *g);
void control(const struct group *g, unsigned int member, unsigned long request,
	     unsigned long arg);
void report_counts(const struct group *g);
__u64 time_running(const struct group *g);
void close_group(struct group *g);

/* task.c */
struct child {
	pid_t pid;
	int go, done;
};

void work(unsigned int ms);
void count_rdpmc(unsigned int number);
void move_to(int cpu);
struct child start_child(int cpu, void (*run)(void));
struct child start_program(int cpu);
void release_child(struct child *c);
void settle_child(struct child *c);
void reap_child(struct child *c);

/* steps.c */
void run_step(unsigned int number);
unsigned int nr_fixed_steps(void);
void set_cpus(unsigned int number);

#endif
