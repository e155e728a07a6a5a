/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The plugin: counts cache lines that vCPUs touch, and take from each other
 *
 * What its files share:
 *
 *   plugin.c		arguments, marks
 *   translate.c	callbacks for each block and each access of memory
 *   cache.c		the model: caches of vCPUs, kept coherent by MESI
 *   region.c		counters of operations
 *   symbol.c		functions and data of the guest's kernel by address
 *   place.c		the object that an address belongs to
 *   record.c		which code touched which object
 *   result.c		the file of results
 *
 * Until the mark MARK_ARM the plugin only looks at instructions while QEMU
 * translates them. Then QEMU discards its translations, and from there on each
 * block and each access calls the plugin. Between operations the model does not
 * change.
 *
 * The model
 *   line	64 bytes of guest-physical memory
 *   L1		one for data, one for code; 32 KiB, 8 ways, least recently used.
 *		They only count misses.
 *   private	a vCPU's own cache, of infinite size. Coherence is between these;
 *		a memory behind them has every line.
 *   MESI	A read of a line that another vCPU has modified leaves both with a
 *		shared copy. The load of a locked instruction takes the line to
 *		write it.
 * The model has no prefetch, no store buffers, no page walks, no speculation.
 *
 * All vCPUs run in one host thread (-icount), so there are no locks here.
 */
#ifndef LAB_LINES_H
#define LAB_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <linux/types.h>
#include <stdio.h>

#define MAX_CPUS	64
#define LINE_SHIFT	6
#define LINE_SIZE	64u
#define PAGE_SHIFT	12
#define PAGE_SIZE	4096u
#define MAX_NAME	256
#define HASH_FACTOR	0x9e3779b97f4a7c15ULL

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))

/* plugin.c */

extern unsigned int nr_cpus;
extern const char *layout_path;

void fail(const char *what);
void *must(void *memory);

/* region.c */

enum counter {
	INSNS, LOADS, STORES,
	LOCKED,		/* stores of locked instructions */
	DLINES,		/* distinct lines of data, by vCPU and operation */
	WLINES,		/* those of them that were written */
	CLINES,		/* distinct lines of code */
	L1D, L1I,	/* misses */
	TRANSFERS,	/* misses of a line that another vCPU had modified */
	CLEAN,		/* misses of a line that others had, unmodified */
	MEMORY,		/* misses of a line that nobody had */
	UPGRADES,	/* writes of a line that others had as well */
	LOST,		/* copies that others lost by writes */
	NR_COUNTERS,
};

extern const char *const counter_names[NR_COUNTERS];

/* What the whole system does, and perf's part of it. */
enum part { ALL, PERF, NR_PARTS };

struct region {
	__u64	ops;
	__u64	total[NR_PARTS][NR_COUNTERS];
	struct sample	*samples;	/* of the first operations */
	__u64	*by_function;	/* instructions */
};

extern struct region *active;		/* NULL between operations */
extern __u32 epoch;			/* number of the operation */

void region_start(unsigned int number);
void region_stop(void);
void region_next(void);
void region_count(enum counter what, unsigned int n, bool perf);
const struct region *region_get(unsigned int number);
unsigned int region_number(void);
double region_mean(const struct region *region, enum part part, enum counter what);
__u32 region_median(const struct region *region, enum part part, enum counter what);

/* symbol.c */

#define NO_FUNC		0	/* a program's code */

struct symbol {
	__u64	address;
	const char	*name;
	bool		perf;	/* of the perf core or of the PMU's driver */
	bool		skip;	/* of the PMU model: taken as absent */
	bool		helper;	/* what it does counts for its caller */
	bool		clears;	/* it fills new memory with zeros */
};

struct symbols {
	struct symbol	*all;
	size_t		count;
};

extern struct symbols functions;
extern struct symbols objects;

void symbols_read(const char *path);
void symbols_mark(const char *path, char what);
__u32 function_at(__u64 address);
const char *function_name(__u32 func);
const struct symbol *object_at(__u64 address);
__u64 object_address(const char *name);

/* cache.c */

struct line {
	__u64	sharers;	/* vCPUs whose private cache has it */
	__u64	data;		/* vCPUs that touched it in this operation */
	__u64	code;		/* the same for code */
	__u64	written;	/* those that wrote it */
	__u64	begin;		/* address of the object that was cleared */
	__u32	maker;		/* function for which it was cleared */
	__u32	epoch;		/* the operation of the three masks */
	bool		owned;		/* its only sharer may write */
	bool		modified;	/* and did */
};

/* An access of one line. */
struct access {
	unsigned int	cpu;
	__u64	line;
	__u64	pc;
	__u64	vaddr;
	__u32	user;	/* the function for which it counts */
	bool		write;
	bool		code;
	bool		perf;
};

extern struct line *lines;
extern __u64 nr_lines;

void caches_init(void);
void cache_access(const struct access *a);

/* place.c */

/* The object that an address belongs to. */
struct place {
	const char	*name;		/* of a slab cache or a symbol, or a kind */
	__u32	offset;
	__u32	maker;		/* function that it was cleared for */
	bool		per_cpu;
};

void place_calibrate(__u64 host, __u64 physical);
bool place_calibrated(void);
__u64 place_host_base(void);
struct place place_of(__u64 vaddr, __u64 line);

/* record.c */

struct record {
	__u64	pc;
	__u64	line;
	__u64	count;
	struct place	place;
	__u32	user;
	__u8		region;
	__u8		what;	/* enum counter */
	bool		perf;
};

void records_init(void);
void record_access(enum counter what, const struct access *a);
void records_print(FILE *file, void (*print)(FILE *file, const struct record *r));
size_t records_lost(void);

/* translate.c */

struct qemu_plugin_tb;

void translate(struct qemu_plugin_tb *tb);
void calibrate_at(__u64 vaddr, __u64 host);

/* result.c */

void result_write(const char *path);

#endif
