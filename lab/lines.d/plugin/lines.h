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
#include <stdint.h>
#include <stdio.h>

#define MAX_CPUS	64
#define LINE_SHIFT	6
#define LINE_SIZE	(1u << LINE_SHIFT)
#define PAGE_SHIFT	12
#define PAGE_SIZE	(1u << PAGE_SHIFT)
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
	uint64_t	ops;
	uint64_t	total[NR_PARTS][NR_COUNTERS];
	struct sample	*samples;	/* of the first operations */
	uint64_t	*by_function;	/* instructions */
};

extern struct region *active;		/* NULL between operations */
extern uint32_t epoch;			/* number of the operation */

void region_start(unsigned int number);
void region_stop(void);
void region_next(void);
void region_count(enum counter what, unsigned int n, bool perf);
const struct region *region_get(unsigned int number);
unsigned int region_number(void);
double region_mean(const struct region *region, enum part part, enum counter what);
uint32_t region_median(const struct region *region, enum part part, enum counter what);

/* symbol.c */

#define NO_FUNC		0	/* a program's code */

struct symbol {
	uint64_t	address;
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
uint32_t function_at(uint64_t address);
const char *function_name(uint32_t func);
const struct symbol *object_at(uint64_t address);
uint64_t object_address(const char *name);

/* cache.c */

struct line {
	uint64_t	sharers;	/* vCPUs whose private cache has it */
	uint64_t	data;		/* vCPUs that touched it in this operation */
	uint64_t	code;		/* the same for code */
	uint64_t	written;	/* those that wrote it */
	uint64_t	begin;		/* address of the object that was cleared */
	uint32_t	maker;		/* function for which it was cleared */
	uint32_t	epoch;		/* the operation of the three masks */
	bool		owned;		/* its only sharer may write */
	bool		modified;	/* and did */
};

/* An access of one line. */
struct access {
	unsigned int	cpu;
	uint64_t	line;
	uint64_t	pc;
	uint64_t	vaddr;
	uint32_t	user;	/* the function for which it counts */
	bool		write;
	bool		code;
	bool		perf;
};

extern struct line *lines;
extern uint64_t nr_lines;

void caches_init(void);
void cache_access(const struct access *a);

/* place.c */

/* The object that an address belongs to. */
struct place {
	const char	*name;		/* of a slab cache or a symbol, or a kind */
	uint32_t	offset;
	uint32_t	maker;		/* function that it was cleared for */
	bool		per_cpu;
};

void place_calibrate(uint64_t host, uint64_t physical);
bool place_calibrated(void);
uint64_t place_host_base(void);
struct place place_of(uint64_t vaddr, uint64_t line);

/* record.c */

struct record {
	uint64_t	pc;
	uint64_t	line;
	uint64_t	count;
	struct place	place;
	uint32_t	user;
	uint8_t		region;
	uint8_t		what;	/* enum counter */
	bool		perf;
};

void records_init(void);
void record_access(enum counter what, const struct access *a);
void records_print(FILE *file, void (*print)(FILE *file, const struct record *r));
size_t records_lost(void);

/* translate.c */

struct qemu_plugin_tb;

void translate(struct qemu_plugin_tb *tb);
void calibrate_at(uint64_t vaddr, uint64_t host);

/* result.c */

void result_write(const char *path);

#endif
