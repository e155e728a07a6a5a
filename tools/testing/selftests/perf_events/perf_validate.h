/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Validator of the records in a data buffer: every byte must be what the
 * attribute of the event that wrote it asks for.
 *
 * perf_open() reports each event that a test opens. The id in a record selects
 * its event; without one it is the event that the buffer was mapped through.
 * The rings of perf_lib.h pass all records that they read to the validator.
 */
#ifndef SELFTEST_PERF_VALIDATE_H
#define SELFTEST_PERF_VALIDATE_H

#include <stdbool.h>
#include <stddef.h>
#include <asm/perf_regs.h>
#include <linux/perf_event.h>

/* The register with the address of the next instruction. */
#if defined(__x86_64__)
#define IP_REG	PERF_REG_X86_IP
#elif defined(__powerpc__)
#define IP_REG	PERF_REG_POWERPC_NIP
#endif

/* Streams whose time is followed; new ones replace the oldest. */
#define MAX_STREAMS	16

/**
 * struct perf_validator - validator of one buffer
 * @attr: of records without an id; NULL accepts all that have a sane header
 * @cpu: the CPU that writes here, or -1 if that may change
 * @backward: records come newest first
 * @strict: faults of widely used kernels are faults as well
 * @look: called with each field of a body or a trailer: its record, its name,
 *	  its place and bytes, and @look_arg; or NULL
 * @look_arg: for @look
 * @records: number of records that were right
 * @streams: latest time of each event, and where the next new one goes
 * @error: what is wrong, and at which offset in the record
 */
struct perf_validator {
	const struct perf_event_attr *attr;
	int cpu;
	bool backward;
	bool strict;
	void (*look)(const struct perf_event_header *header, const char *what,
		     const void *at, size_t size, void *arg);
	void *look_arg;
	unsigned long records;
	struct {
		__u64 id;
		__u64 time;
	} streams[MAX_STREAMS];
	unsigned int next_stream;
	char error[160];
	size_t error_at;
};

void validate_learn(int fd, int cpu, const struct perf_event_attr *attr);
const struct perf_event_attr *validate_known(__u64 id, int *cpu);

void validate_begin(struct perf_validator *v, int fd);
bool validate_record(struct perf_validator *v,
		     const struct perf_event_header *header, size_t readable);
void validate_explain(const struct perf_validator *v,
		      const struct perf_event_header *header, size_t readable);

#endif
