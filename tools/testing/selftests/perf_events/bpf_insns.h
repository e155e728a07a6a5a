/* SPDX-License-Identifier: GPL-2.0 */
/*
 * BPF programs of the perf_events selftests, written as instructions, so that
 * the tests need no compiler and no library; functions that load and attach
 * them; and the maps that they use.
 */
#ifndef SELFTEST_BPF_INSNS_H
#define SELFTEST_BPF_INSNS_H

#include <errno.h>
#include <string.h>
#include <unistd.h>
#include <linux/bpf.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>

#include "perf_lib.h"

#define EVENT_SLOTS	64

#define INSN(op, to, from, offset, value) \
	{ .code = (op), .dst_reg = (to), .src_reg = (from), .off = (offset), \
	  .imm = (value) }
#define SET(reg, value) \
	INSN(BPF_ALU64 | BPF_MOV | BPF_K, reg, 0, 0, value)
#define SET_U32(reg, value) \
	INSN(BPF_ALU | BPF_MOV | BPF_K, reg, 0, 0, value)
#define COPY(to, from) \
	INSN(BPF_ALU64 | BPF_MOV | BPF_X, to, from, 0, 0)
#define ADD(reg, value) \
	INSN(BPF_ALU64 | BPF_ADD | BPF_K, reg, 0, 0, value)
/* 64 bits at an offset of a register. */
#define PUT(to, offset, value) \
	INSN(BPF_ST | BPF_MEM | BPF_DW, to, 0, offset, value)
#define STORE(to, offset, from) \
	INSN(BPF_STX | BPF_MEM | BPF_DW, to, from, offset, 0)
#define LOAD(to, from, offset) \
	INSN(BPF_LDX | BPF_MEM | BPF_DW, to, from, offset, 0)
#define INCREASE(to, offset, by) \
	INSN(BPF_STX | BPF_ATOMIC | BPF_DW, to, by, offset, BPF_ADD)
/* These take two instructions. */
#define WIDE(reg, kind, low, high) \
	INSN(BPF_LD | BPF_DW | BPF_IMM, reg, kind, 0, low), \
	INSN(0, 0, 0, 0, high)
#define MAP(reg, fd)	WIDE(reg, BPF_PSEUDO_MAP_FD, fd, 0)
#define CELLS(reg, fd)	WIDE(reg, BPF_PSEUDO_MAP_VALUE, fd, 0)
#define CALL(helper)	INSN(BPF_JMP | BPF_CALL, 0, 0, 0, BPF_FUNC_##helper)
#define LEAVE		INSN(BPF_JMP | BPF_EXIT, 0, 0, 0, 0)

static inline int bpf(int cmd, union bpf_attr *attr)
{
	return syscall(SYS_bpf, cmd, attr, sizeof(*attr));
}

static inline int try_load(__u32 type, const struct bpf_insn *insns,
			   size_t count, __u32 flags)
{
	union bpf_attr attr;

	memset(&attr, 0, sizeof(attr));
	attr.prog_type = type;
	attr.insns = (unsigned long)insns;
	attr.insn_cnt = count;
	attr.license = (unsigned long)"GPL";
	attr.prog_flags = flags;
	return bpf(BPF_PROG_LOAD, &attr);
}

static inline int load_insns(__u32 type, const struct bpf_insn *insns,
			     size_t count)
{
	int fd = try_load(type, insns, count, 0);

	if (fd < 0)
		test_skip("cannot load BPF programs: %s", strerror(errno));
	return fd;
}

/* A program that does nothing but return @value. */
static inline int load_return(__u32 type, int value)
{
	const struct bpf_insn insns[] = { SET(BPF_REG_0, value), LEAVE };

	return load_insns(type, insns, ARRAY_SIZE(insns));
}

static inline int attach(int fd, int prog)
{
	return ioctl(fd, PERF_EVENT_IOC_SET_BPF, (unsigned long)prog);
}

/* Return: a descriptor, or -1 and errno. */
static inline int try_link(int prog, int target, __u64 cookie, __u32 flags)
{
	union bpf_attr attr;

	memset(&attr, 0, sizeof(attr));
	attr.link_create.prog_fd = prog;
	attr.link_create.target_fd = target;
	attr.link_create.attach_type = BPF_PERF_EVENT;
	attr.link_create.flags = flags;
	attr.link_create.perf_event.bpf_cookie = cookie;
	return bpf(BPF_LINK_CREATE, &attr);
}

static inline int make_event_map(void)
{
	union bpf_attr attr;
	int map;

	memset(&attr, 0, sizeof(attr));
	attr.map_type = BPF_MAP_TYPE_PERF_EVENT_ARRAY;
	attr.key_size = sizeof(__u32);
	attr.value_size = sizeof(__u32);
	attr.max_entries = EVENT_SLOTS;
	map = bpf(BPF_MAP_CREATE, &attr);
	if (map < 0)
		test_skip("no event array: %s", strerror(errno));
	return map;
}

/* Return: 0, or -1 and errno. */
static inline int put_event(int map, __u32 slot, int event)
{
	__u32 value = event;
	union bpf_attr attr;

	memset(&attr, 0, sizeof(attr));
	attr.map_fd = map;
	attr.key = (unsigned long)&slot;
	attr.value = (unsigned long)&value;
	return bpf(BPF_MAP_UPDATE_ELEM, &attr);
}

#endif
