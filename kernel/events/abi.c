// SPDX-License-Identifier: GPL-2.0
/*
 * The perf ABI as numbers, checked when the kernel is built.
 *
 * Programs were compiled against <linux/perf_event.h> long ago and will not be
 * compiled again. A change to that header, to add a field or to tidy it up,
 * must not move anything. This file repeats each structure's size, each
 * member's offset, each enumerator, flag bit and ioctl as a number, and the
 * build fails where header and number disagree. New ABI gets a new line. A line
 * that is here never changes, except for the limits (names in _MAX), which say
 * how many values this version knows.
 *
 * No code, no data, nothing at run time.
 */
#include <linux/bits.h>
#include <linux/build_bug.h>
#include <linux/init.h>
#include <linux/ioctl.h>
#include <linux/perf_event.h>
#include <linux/perf_refuse.h>
#include <linux/stddef.h>
#include <uapi/linux/perf_event_ext.h>

#define ABI_SIZE(_type, _bytes)						\
	static_assert(sizeof(_type) == (_bytes))
#define ABI_OFFSET(_struct, _member, _bytes)				\
	static_assert(offsetof(struct _struct, _member) == (_bytes))
#define ABI_VALUE(_name, _value)					\
	static_assert((_name) == (_value))

/*
 * The encoding of direction and size in an ioctl's number is the
 * architecture's, so the parts are compared.
 */
#define ABI_IOCTL(_name, _nr, _dir, _bytes)				\
	static_assert(_IOC_TYPE(PERF_EVENT_IOC_##_name) == '$' &&	\
		      _IOC_NR(PERF_EVENT_IOC_##_name) == (_nr) &&	\
		      _IOC_DIR(PERF_EVENT_IOC_##_name) == (_dir) &&	\
		      _IOC_SIZE(PERF_EVENT_IOC_##_name) == (_bytes))

/* The attribute of an event. It may grow at its end, by at least 8 bytes. */
ABI_SIZE(struct perf_event_attr, 144);
ABI_OFFSET(perf_event_attr, type, 0);
ABI_OFFSET(perf_event_attr, size, 4);
ABI_OFFSET(perf_event_attr, config, 8);
ABI_OFFSET(perf_event_attr, sample_period, 16);
ABI_OFFSET(perf_event_attr, sample_freq, 16);
ABI_OFFSET(perf_event_attr, sample_type, 24);
ABI_OFFSET(perf_event_attr, read_format, 32);
ABI_OFFSET(perf_event_attr, wakeup_events, 48);
ABI_OFFSET(perf_event_attr, wakeup_watermark, 48);
ABI_OFFSET(perf_event_attr, bp_type, 52);
ABI_OFFSET(perf_event_attr, bp_addr, 56);
ABI_OFFSET(perf_event_attr, kprobe_func, 56);
ABI_OFFSET(perf_event_attr, uprobe_path, 56);
ABI_OFFSET(perf_event_attr, config1, 56);
ABI_OFFSET(perf_event_attr, bp_len, 64);
ABI_OFFSET(perf_event_attr, kprobe_addr, 64);
ABI_OFFSET(perf_event_attr, probe_offset, 64);
ABI_OFFSET(perf_event_attr, config2, 64);
ABI_OFFSET(perf_event_attr, branch_sample_type, 72);
ABI_OFFSET(perf_event_attr, sample_regs_user, 80);
ABI_OFFSET(perf_event_attr, sample_stack_user, 88);
ABI_OFFSET(perf_event_attr, clockid, 92);
ABI_OFFSET(perf_event_attr, sample_regs_intr, 96);
ABI_OFFSET(perf_event_attr, aux_watermark, 104);
ABI_OFFSET(perf_event_attr, sample_max_stack, 108);
ABI_OFFSET(perf_event_attr, __reserved_2, 110);
ABI_OFFSET(perf_event_attr, aux_sample_size, 112);
ABI_OFFSET(perf_event_attr, aux_action, 116);
ABI_OFFSET(perf_event_attr, sig_data, 120);
ABI_OFFSET(perf_event_attr, config3, 128);
ABI_OFFSET(perf_event_attr, config4, 136);

/* The user page, mapped by programs that read counters themselves. */
ABI_SIZE(struct perf_event_mmap_page, 1088);
ABI_OFFSET(perf_event_mmap_page, version, 0);
ABI_OFFSET(perf_event_mmap_page, compat_version, 4);
ABI_OFFSET(perf_event_mmap_page, lock, 8);
ABI_OFFSET(perf_event_mmap_page, index, 12);
ABI_OFFSET(perf_event_mmap_page, offset, 16);
ABI_OFFSET(perf_event_mmap_page, time_enabled, 24);
ABI_OFFSET(perf_event_mmap_page, time_running, 32);
ABI_OFFSET(perf_event_mmap_page, capabilities, 40);
ABI_OFFSET(perf_event_mmap_page, pmc_width, 48);
ABI_OFFSET(perf_event_mmap_page, time_shift, 50);
ABI_OFFSET(perf_event_mmap_page, time_mult, 52);
ABI_OFFSET(perf_event_mmap_page, time_offset, 56);
ABI_OFFSET(perf_event_mmap_page, time_zero, 64);
ABI_OFFSET(perf_event_mmap_page, size, 72);
ABI_OFFSET(perf_event_mmap_page, __reserved_1, 76);
ABI_OFFSET(perf_event_mmap_page, time_cycles, 80);
ABI_OFFSET(perf_event_mmap_page, time_mask, 88);
ABI_OFFSET(perf_event_mmap_page, __reserved, 96);
ABI_OFFSET(perf_event_mmap_page, data_head, 1024);
ABI_OFFSET(perf_event_mmap_page, data_tail, 1032);
ABI_OFFSET(perf_event_mmap_page, data_offset, 1040);
ABI_OFFSET(perf_event_mmap_page, data_size, 1048);
ABI_OFFSET(perf_event_mmap_page, aux_head, 1056);
ABI_OFFSET(perf_event_mmap_page, aux_tail, 1064);
ABI_OFFSET(perf_event_mmap_page, aux_offset, 1072);
ABI_OFFSET(perf_event_mmap_page, aux_size, 1080);

/* Parts of records. */
ABI_SIZE(struct perf_event_header, 8);
ABI_OFFSET(perf_event_header, type, 0);
ABI_OFFSET(perf_event_header, misc, 4);
ABI_OFFSET(perf_event_header, size, 6);
ABI_SIZE(struct perf_ns_link_info, 16);
ABI_OFFSET(perf_ns_link_info, dev, 0);
ABI_OFFSET(perf_ns_link_info, ino, 8);
ABI_SIZE(struct perf_branch_entry, 24);
ABI_OFFSET(perf_branch_entry, from, 0);
ABI_OFFSET(perf_branch_entry, to, 8);
ABI_SIZE(union perf_mem_data_src, 8);
ABI_SIZE(union perf_sample_weight, 8);

/* Ioctls. */
ABI_SIZE(struct perf_event_query_bpf, 8);
ABI_OFFSET(perf_event_query_bpf, ids_len, 0);
ABI_OFFSET(perf_event_query_bpf, prog_cnt, 4);
ABI_OFFSET(perf_event_query_bpf, ids, 8);
ABI_IOCTL(ENABLE, 0, _IOC_NONE, 0);
ABI_IOCTL(DISABLE, 1, _IOC_NONE, 0);
ABI_IOCTL(REFRESH, 2, _IOC_NONE, 0);
ABI_IOCTL(RESET, 3, _IOC_NONE, 0);
ABI_IOCTL(PERIOD, 4, _IOC_WRITE, 8);
ABI_IOCTL(SET_OUTPUT, 5, _IOC_NONE, 0);
ABI_IOCTL(SET_FILTER, 6, _IOC_WRITE, sizeof(char *));
ABI_IOCTL(ID, 7, _IOC_READ, sizeof(u64 *));
ABI_IOCTL(SET_BPF, 8, _IOC_WRITE, 4);
ABI_IOCTL(PAUSE_OUTPUT, 9, _IOC_WRITE, 4);
ABI_IOCTL(QUERY_BPF, 10, _IOC_READ | _IOC_WRITE, sizeof(void *));
ABI_IOCTL(MODIFY_ATTRIBUTES, 11, _IOC_WRITE, sizeof(void *));

/* Extensions. */
ABI_SIZE(struct perf_event_random_period, 24);
ABI_VALUE(PERF_RANDOM_PERIOD_SIZE_VER0, 24);
ABI_VALUE(PERF_RANDOM_PERIOD_SHARE_MAX, 1000000);
ABI_OFFSET(perf_event_random_period, size, 0);
ABI_OFFSET(perf_event_random_period, flags, 4);
ABI_OFFSET(perf_event_random_period, share, 8);
ABI_OFFSET(perf_event_random_period, reserved, 12);
ABI_OFFSET(perf_event_random_period, seed, 16);
ABI_IOCTL(RANDOM_PERIOD, 0x80, _IOC_WRITE, 24);
ABI_IOCTL(GET_RANDOM_PERIOD, 0x81, _IOC_READ | _IOC_WRITE, 24);
ABI_VALUE(PERF_FLAG_DRY_RUN, 0x80000000);
ABI_SIZE(struct perf_event_dry_run, 80);
ABI_VALUE(PERF_DRY_RUN_SIZE_VER0, 80);
ABI_OFFSET(perf_event_dry_run, size, 0);
ABI_OFFSET(perf_event_dry_run, flags, 4);
ABI_OFFSET(perf_event_dry_run, attr, 8);
ABI_OFFSET(perf_event_dry_run, text, 16);
ABI_OFFSET(perf_event_dry_run, text_size, 24);
ABI_OFFSET(perf_event_dry_run, error, 28);
ABI_OFFSET(perf_event_dry_run, reason, 32);
ABI_OFFSET(perf_event_dry_run, where, 36);
ABI_OFFSET(perf_event_dry_run, offset, 40);
ABI_OFFSET(perf_event_dry_run, length, 44);
ABI_OFFSET(perf_event_dry_run, must_clear, 48);
ABI_OFFSET(perf_event_dry_run, must_set, 56);
ABI_OFFSET(perf_event_dry_run, limit, 64);
ABI_OFFSET(perf_event_dry_run, fit_alone, 72);
ABI_OFFSET(perf_event_dry_run, fit_beside, 76);

/* PMU types. */
ABI_VALUE(PERF_TYPE_HARDWARE, 0);
ABI_VALUE(PERF_TYPE_SOFTWARE, 1);
ABI_VALUE(PERF_TYPE_TRACEPOINT, 2);
ABI_VALUE(PERF_TYPE_HW_CACHE, 3);
ABI_VALUE(PERF_TYPE_RAW, 4);
ABI_VALUE(PERF_TYPE_BREAKPOINT, 5);
ABI_VALUE(PERF_TYPE_MAX, 6);

/* Halves of config. */
ABI_VALUE(PERF_PMU_TYPE_SHIFT, 32);
ABI_VALUE(PERF_HW_EVENT_MASK, 0xffffffff);

/* Hardware events. */
ABI_VALUE(PERF_COUNT_HW_CPU_CYCLES, 0);
ABI_VALUE(PERF_COUNT_HW_INSTRUCTIONS, 1);
ABI_VALUE(PERF_COUNT_HW_CACHE_REFERENCES, 2);
ABI_VALUE(PERF_COUNT_HW_CACHE_MISSES, 3);
ABI_VALUE(PERF_COUNT_HW_BRANCH_INSTRUCTIONS, 4);
ABI_VALUE(PERF_COUNT_HW_BRANCH_MISSES, 5);
ABI_VALUE(PERF_COUNT_HW_BUS_CYCLES, 6);
ABI_VALUE(PERF_COUNT_HW_STALLED_CYCLES_FRONTEND, 7);
ABI_VALUE(PERF_COUNT_HW_STALLED_CYCLES_BACKEND, 8);
ABI_VALUE(PERF_COUNT_HW_REF_CPU_CYCLES, 9);
ABI_VALUE(PERF_COUNT_HW_MAX, 10);

/* Cache events: cache, operation, outcome. */
ABI_VALUE(PERF_COUNT_HW_CACHE_L1D, 0);
ABI_VALUE(PERF_COUNT_HW_CACHE_L1I, 1);
ABI_VALUE(PERF_COUNT_HW_CACHE_LL, 2);
ABI_VALUE(PERF_COUNT_HW_CACHE_DTLB, 3);
ABI_VALUE(PERF_COUNT_HW_CACHE_ITLB, 4);
ABI_VALUE(PERF_COUNT_HW_CACHE_BPU, 5);
ABI_VALUE(PERF_COUNT_HW_CACHE_NODE, 6);
ABI_VALUE(PERF_COUNT_HW_CACHE_MAX, 7);

ABI_VALUE(PERF_COUNT_HW_CACHE_OP_READ, 0);
ABI_VALUE(PERF_COUNT_HW_CACHE_OP_WRITE, 1);
ABI_VALUE(PERF_COUNT_HW_CACHE_OP_PREFETCH, 2);
ABI_VALUE(PERF_COUNT_HW_CACHE_OP_MAX, 3);

ABI_VALUE(PERF_COUNT_HW_CACHE_RESULT_ACCESS, 0);
ABI_VALUE(PERF_COUNT_HW_CACHE_RESULT_MISS, 1);
ABI_VALUE(PERF_COUNT_HW_CACHE_RESULT_MAX, 2);

/* Software events. */
ABI_VALUE(PERF_COUNT_SW_CPU_CLOCK, 0);
ABI_VALUE(PERF_COUNT_SW_TASK_CLOCK, 1);
ABI_VALUE(PERF_COUNT_SW_PAGE_FAULTS, 2);
ABI_VALUE(PERF_COUNT_SW_CONTEXT_SWITCHES, 3);
ABI_VALUE(PERF_COUNT_SW_CPU_MIGRATIONS, 4);
ABI_VALUE(PERF_COUNT_SW_PAGE_FAULTS_MIN, 5);
ABI_VALUE(PERF_COUNT_SW_PAGE_FAULTS_MAJ, 6);
ABI_VALUE(PERF_COUNT_SW_ALIGNMENT_FAULTS, 7);
ABI_VALUE(PERF_COUNT_SW_EMULATION_FAULTS, 8);
ABI_VALUE(PERF_COUNT_SW_DUMMY, 9);
ABI_VALUE(PERF_COUNT_SW_BPF_OUTPUT, 10);
ABI_VALUE(PERF_COUNT_SW_CGROUP_SWITCHES, 11);
ABI_VALUE(PERF_COUNT_SW_MAX, 12);

/* Sample fields. */
ABI_VALUE(PERF_SAMPLE_IP, 0x1);
ABI_VALUE(PERF_SAMPLE_TID, 0x2);
ABI_VALUE(PERF_SAMPLE_TIME, 0x4);
ABI_VALUE(PERF_SAMPLE_ADDR, 0x8);
ABI_VALUE(PERF_SAMPLE_READ, 0x10);
ABI_VALUE(PERF_SAMPLE_CALLCHAIN, 0x20);
ABI_VALUE(PERF_SAMPLE_ID, 0x40);
ABI_VALUE(PERF_SAMPLE_CPU, 0x80);
ABI_VALUE(PERF_SAMPLE_PERIOD, 0x100);
ABI_VALUE(PERF_SAMPLE_STREAM_ID, 0x200);
ABI_VALUE(PERF_SAMPLE_RAW, 0x400);
ABI_VALUE(PERF_SAMPLE_BRANCH_STACK, 0x800);
ABI_VALUE(PERF_SAMPLE_REGS_USER, 0x1000);
ABI_VALUE(PERF_SAMPLE_STACK_USER, 0x2000);
ABI_VALUE(PERF_SAMPLE_WEIGHT, 0x4000);
ABI_VALUE(PERF_SAMPLE_DATA_SRC, 0x8000);
ABI_VALUE(PERF_SAMPLE_IDENTIFIER, 0x10000);
ABI_VALUE(PERF_SAMPLE_TRANSACTION, 0x20000);
ABI_VALUE(PERF_SAMPLE_REGS_INTR, 0x40000);
ABI_VALUE(PERF_SAMPLE_PHYS_ADDR, 0x80000);
ABI_VALUE(PERF_SAMPLE_AUX, 0x100000);
ABI_VALUE(PERF_SAMPLE_CGROUP, 0x200000);
ABI_VALUE(PERF_SAMPLE_DATA_PAGE_SIZE, 0x400000);
ABI_VALUE(PERF_SAMPLE_CODE_PAGE_SIZE, 0x800000);
ABI_VALUE(PERF_SAMPLE_WEIGHT_STRUCT, 0x1000000);
ABI_VALUE(PERF_SAMPLE_MAX, 0x2000000);
ABI_VALUE(PERF_SAMPLE_WEIGHT_TYPE, 0x1004000);

/* Branch recording: bit numbers, then bits. */
ABI_VALUE(PERF_SAMPLE_BRANCH_USER_SHIFT, 0);
ABI_VALUE(PERF_SAMPLE_BRANCH_KERNEL_SHIFT, 1);
ABI_VALUE(PERF_SAMPLE_BRANCH_HV_SHIFT, 2);
ABI_VALUE(PERF_SAMPLE_BRANCH_ANY_SHIFT, 3);
ABI_VALUE(PERF_SAMPLE_BRANCH_ANY_CALL_SHIFT, 4);
ABI_VALUE(PERF_SAMPLE_BRANCH_ANY_RETURN_SHIFT, 5);
ABI_VALUE(PERF_SAMPLE_BRANCH_IND_CALL_SHIFT, 6);
ABI_VALUE(PERF_SAMPLE_BRANCH_ABORT_TX_SHIFT, 7);
ABI_VALUE(PERF_SAMPLE_BRANCH_IN_TX_SHIFT, 8);
ABI_VALUE(PERF_SAMPLE_BRANCH_NO_TX_SHIFT, 9);
ABI_VALUE(PERF_SAMPLE_BRANCH_COND_SHIFT, 10);
ABI_VALUE(PERF_SAMPLE_BRANCH_CALL_STACK_SHIFT, 11);
ABI_VALUE(PERF_SAMPLE_BRANCH_IND_JUMP_SHIFT, 12);
ABI_VALUE(PERF_SAMPLE_BRANCH_CALL_SHIFT, 13);
ABI_VALUE(PERF_SAMPLE_BRANCH_NO_FLAGS_SHIFT, 14);
ABI_VALUE(PERF_SAMPLE_BRANCH_NO_CYCLES_SHIFT, 15);
ABI_VALUE(PERF_SAMPLE_BRANCH_TYPE_SAVE_SHIFT, 16);
ABI_VALUE(PERF_SAMPLE_BRANCH_HW_INDEX_SHIFT, 17);
ABI_VALUE(PERF_SAMPLE_BRANCH_PRIV_SAVE_SHIFT, 18);
ABI_VALUE(PERF_SAMPLE_BRANCH_COUNTERS_SHIFT, 19);
ABI_VALUE(PERF_SAMPLE_BRANCH_MAX_SHIFT, 20);

ABI_VALUE(PERF_SAMPLE_BRANCH_USER, 0x1);
ABI_VALUE(PERF_SAMPLE_BRANCH_KERNEL, 0x2);
ABI_VALUE(PERF_SAMPLE_BRANCH_HV, 0x4);
ABI_VALUE(PERF_SAMPLE_BRANCH_ANY, 0x8);
ABI_VALUE(PERF_SAMPLE_BRANCH_ANY_CALL, 0x10);
ABI_VALUE(PERF_SAMPLE_BRANCH_ANY_RETURN, 0x20);
ABI_VALUE(PERF_SAMPLE_BRANCH_IND_CALL, 0x40);
ABI_VALUE(PERF_SAMPLE_BRANCH_ABORT_TX, 0x80);
ABI_VALUE(PERF_SAMPLE_BRANCH_IN_TX, 0x100);
ABI_VALUE(PERF_SAMPLE_BRANCH_NO_TX, 0x200);
ABI_VALUE(PERF_SAMPLE_BRANCH_COND, 0x400);
ABI_VALUE(PERF_SAMPLE_BRANCH_CALL_STACK, 0x800);
ABI_VALUE(PERF_SAMPLE_BRANCH_IND_JUMP, 0x1000);
ABI_VALUE(PERF_SAMPLE_BRANCH_CALL, 0x2000);
ABI_VALUE(PERF_SAMPLE_BRANCH_NO_FLAGS, 0x4000);
ABI_VALUE(PERF_SAMPLE_BRANCH_NO_CYCLES, 0x8000);
ABI_VALUE(PERF_SAMPLE_BRANCH_TYPE_SAVE, 0x10000);
ABI_VALUE(PERF_SAMPLE_BRANCH_HW_INDEX, 0x20000);
ABI_VALUE(PERF_SAMPLE_BRANCH_PRIV_SAVE, 0x40000);
ABI_VALUE(PERF_SAMPLE_BRANCH_COUNTERS, 0x80000);
ABI_VALUE(PERF_SAMPLE_BRANCH_MAX, 0x100000);
ABI_VALUE(PERF_SAMPLE_BRANCH_PLM_ALL, 0x7);

/* Read format. */
ABI_VALUE(PERF_FORMAT_TOTAL_TIME_ENABLED, 0x1);
ABI_VALUE(PERF_FORMAT_TOTAL_TIME_RUNNING, 0x2);
ABI_VALUE(PERF_FORMAT_ID, 0x4);
ABI_VALUE(PERF_FORMAT_GROUP, 0x8);
ABI_VALUE(PERF_FORMAT_LOST, 0x10);
ABI_VALUE(PERF_FORMAT_MAX, 0x20);

/* Sizes that perf_event_attr has had. */
ABI_VALUE(PERF_ATTR_SIZE_VER0, 64);
ABI_VALUE(PERF_ATTR_SIZE_VER1, 72);
ABI_VALUE(PERF_ATTR_SIZE_VER2, 80);
ABI_VALUE(PERF_ATTR_SIZE_VER3, 96);
ABI_VALUE(PERF_ATTR_SIZE_VER4, 104);
ABI_VALUE(PERF_ATTR_SIZE_VER5, 112);
ABI_VALUE(PERF_ATTR_SIZE_VER6, 120);
ABI_VALUE(PERF_ATTR_SIZE_VER7, 128);
ABI_VALUE(PERF_ATTR_SIZE_VER8, 136);
ABI_VALUE(PERF_ATTR_SIZE_VER9, 144);

/* Flags of perf_event_open(2). */
ABI_VALUE(PERF_FLAG_FD_NO_GROUP, 0x1);
ABI_VALUE(PERF_FLAG_FD_OUTPUT, 0x2);
ABI_VALUE(PERF_FLAG_PID_CGROUP, 0x4);
ABI_VALUE(PERF_FLAG_FD_CLOEXEC, 0x8);

/* Ioctl flags. */
ABI_VALUE(PERF_IOC_FLAG_GROUP, 1);

/* Record header. */
ABI_VALUE(PERF_RECORD_MISC_CPUMODE_MASK, 0x7);
ABI_VALUE(PERF_RECORD_MISC_CPUMODE_UNKNOWN, 0x0);
ABI_VALUE(PERF_RECORD_MISC_KERNEL, 0x1);
ABI_VALUE(PERF_RECORD_MISC_USER, 0x2);
ABI_VALUE(PERF_RECORD_MISC_HYPERVISOR, 0x3);
ABI_VALUE(PERF_RECORD_MISC_GUEST_KERNEL, 0x4);
ABI_VALUE(PERF_RECORD_MISC_GUEST_USER, 0x5);
ABI_VALUE(PERF_RECORD_MISC_PROC_MAP_PARSE_TIMEOUT, 0x1000);
ABI_VALUE(PERF_RECORD_MISC_MMAP_DATA, 0x2000);
ABI_VALUE(PERF_RECORD_MISC_COMM_EXEC, 0x2000);
ABI_VALUE(PERF_RECORD_MISC_FORK_EXEC, 0x2000);
ABI_VALUE(PERF_RECORD_MISC_SWITCH_OUT, 0x2000);
ABI_VALUE(PERF_RECORD_MISC_EXACT_IP, 0x4000);
ABI_VALUE(PERF_RECORD_MISC_SWITCH_OUT_PREEMPT, 0x4000);
ABI_VALUE(PERF_RECORD_MISC_MMAP_BUILD_ID, 0x4000);
ABI_VALUE(PERF_RECORD_MISC_EXT_RESERVED, 0x8000);

/* Namespaces. */
ABI_VALUE(NET_NS_INDEX, 0);
ABI_VALUE(UTS_NS_INDEX, 1);
ABI_VALUE(IPC_NS_INDEX, 2);
ABI_VALUE(PID_NS_INDEX, 3);
ABI_VALUE(USER_NS_INDEX, 4);
ABI_VALUE(MNT_NS_INDEX, 5);
ABI_VALUE(CGROUP_NS_INDEX, 6);
ABI_VALUE(NR_NAMESPACES, 7);

/* Record types. */
ABI_VALUE(PERF_RECORD_MMAP, 1);
ABI_VALUE(PERF_RECORD_LOST, 2);
ABI_VALUE(PERF_RECORD_COMM, 3);
ABI_VALUE(PERF_RECORD_EXIT, 4);
ABI_VALUE(PERF_RECORD_THROTTLE, 5);
ABI_VALUE(PERF_RECORD_UNTHROTTLE, 6);
ABI_VALUE(PERF_RECORD_FORK, 7);
ABI_VALUE(PERF_RECORD_READ, 8);
ABI_VALUE(PERF_RECORD_SAMPLE, 9);
ABI_VALUE(PERF_RECORD_MMAP2, 10);
ABI_VALUE(PERF_RECORD_AUX, 11);
ABI_VALUE(PERF_RECORD_ITRACE_START, 12);
ABI_VALUE(PERF_RECORD_LOST_SAMPLES, 13);
ABI_VALUE(PERF_RECORD_SWITCH, 14);
ABI_VALUE(PERF_RECORD_SWITCH_CPU_WIDE, 15);
ABI_VALUE(PERF_RECORD_NAMESPACES, 16);
ABI_VALUE(PERF_RECORD_KSYMBOL, 17);
ABI_VALUE(PERF_RECORD_BPF_EVENT, 18);
ABI_VALUE(PERF_RECORD_CGROUP, 19);
ABI_VALUE(PERF_RECORD_TEXT_POKE, 20);
ABI_VALUE(PERF_RECORD_AUX_OUTPUT_HW_ID, 21);
ABI_VALUE(PERF_RECORD_MAX, 22);

/* Kernel symbols and BPF programs. */
ABI_VALUE(PERF_RECORD_KSYMBOL_TYPE_UNKNOWN, 0);
ABI_VALUE(PERF_RECORD_KSYMBOL_TYPE_BPF, 1);
ABI_VALUE(PERF_RECORD_KSYMBOL_TYPE_OOL, 2);
ABI_VALUE(PERF_RECORD_KSYMBOL_TYPE_MAX, 3);
ABI_VALUE(PERF_RECORD_KSYMBOL_FLAGS_UNREGISTER, 1);

ABI_VALUE(PERF_BPF_EVENT_UNKNOWN, 0);
ABI_VALUE(PERF_BPF_EVENT_PROG_LOAD, 1);
ABI_VALUE(PERF_BPF_EVENT_PROG_UNLOAD, 2);
ABI_VALUE(PERF_BPF_EVENT_MAX, 3);

/* AUX records. */
ABI_VALUE(PERF_AUX_FLAG_TRUNCATED, 0x1);
ABI_VALUE(PERF_AUX_FLAG_OVERWRITE, 0x2);
ABI_VALUE(PERF_AUX_FLAG_PARTIAL, 0x4);
ABI_VALUE(PERF_AUX_FLAG_COLLISION, 0x8);
ABI_VALUE(PERF_AUX_FLAG_PMU_FORMAT_TYPE_MASK, 0xff00);
ABI_VALUE(PERF_AUX_FLAG_CORESIGHT_FORMAT_CORESIGHT, 0x0);
ABI_VALUE(PERF_AUX_FLAG_CORESIGHT_FORMAT_RAW, 0x100);
ABI_VALUE(PERF_MAX_STACK_DEPTH, 127);
ABI_VALUE(PERF_MAX_CONTEXTS_PER_STACK, 8);

/* Call chains. */
ABI_VALUE(PERF_CONTEXT_HV, (u64)-32);
ABI_VALUE(PERF_CONTEXT_KERNEL, (u64)-128);
ABI_VALUE(PERF_CONTEXT_USER, (u64)-512);
ABI_VALUE(PERF_CONTEXT_GUEST, (u64)-2048);
ABI_VALUE(PERF_CONTEXT_GUEST_KERNEL, (u64)-2176);
ABI_VALUE(PERF_CONTEXT_GUEST_USER, (u64)-2560);
ABI_VALUE(PERF_CONTEXT_MAX, (u64)-4095);

/* Registers. */
ABI_VALUE(PERF_SAMPLE_REGS_ABI_NONE, 0);
ABI_VALUE(PERF_SAMPLE_REGS_ABI_32, 1);
ABI_VALUE(PERF_SAMPLE_REGS_ABI_64, 2);

/* Transactions. */
ABI_VALUE(PERF_TXN_ELISION, 0x1);
ABI_VALUE(PERF_TXN_TRANSACTION, 0x2);
ABI_VALUE(PERF_TXN_SYNC, 0x4);
ABI_VALUE(PERF_TXN_ASYNC, 0x8);
ABI_VALUE(PERF_TXN_RETRY, 0x10);
ABI_VALUE(PERF_TXN_CONFLICT, 0x20);
ABI_VALUE(PERF_TXN_CAPACITY_WRITE, 0x40);
ABI_VALUE(PERF_TXN_CAPACITY_READ, 0x80);
ABI_VALUE(PERF_TXN_MAX, 0x100);
ABI_VALUE(PERF_TXN_ABORT_MASK, 0xffffffff00000000ULL);
ABI_VALUE(PERF_TXN_ABORT_SHIFT, 32);
ABI_VALUE(PERF_BRANCH_ENTRY_INFO_BITS_MAX, 33);

/* Branches: kind. */
ABI_VALUE(PERF_BR_UNKNOWN, 0);
ABI_VALUE(PERF_BR_COND, 1);
ABI_VALUE(PERF_BR_UNCOND, 2);
ABI_VALUE(PERF_BR_IND, 3);
ABI_VALUE(PERF_BR_CALL, 4);
ABI_VALUE(PERF_BR_IND_CALL, 5);
ABI_VALUE(PERF_BR_RET, 6);
ABI_VALUE(PERF_BR_SYSCALL, 7);
ABI_VALUE(PERF_BR_SYSRET, 8);
ABI_VALUE(PERF_BR_COND_CALL, 9);
ABI_VALUE(PERF_BR_COND_RET, 10);
ABI_VALUE(PERF_BR_ERET, 11);
ABI_VALUE(PERF_BR_IRQ, 12);
ABI_VALUE(PERF_BR_SERROR, 13);
ABI_VALUE(PERF_BR_NO_TX, 14);
ABI_VALUE(PERF_BR_EXTEND_ABI, 15);
ABI_VALUE(PERF_BR_MAX, 16);

/* Branches: speculation. */
ABI_VALUE(PERF_BR_SPEC_NA, 0);
ABI_VALUE(PERF_BR_SPEC_WRONG_PATH, 1);
ABI_VALUE(PERF_BR_NON_SPEC_CORRECT_PATH, 2);
ABI_VALUE(PERF_BR_SPEC_CORRECT_PATH, 3);
ABI_VALUE(PERF_BR_SPEC_MAX, 4);

/* Branches: further kinds. */
ABI_VALUE(PERF_BR_NEW_FAULT_ALGN, 0);
ABI_VALUE(PERF_BR_NEW_FAULT_DATA, 1);
ABI_VALUE(PERF_BR_NEW_FAULT_INST, 2);
ABI_VALUE(PERF_BR_NEW_ARCH_1, 3);
ABI_VALUE(PERF_BR_NEW_ARCH_2, 4);
ABI_VALUE(PERF_BR_NEW_ARCH_3, 5);
ABI_VALUE(PERF_BR_NEW_ARCH_4, 6);
ABI_VALUE(PERF_BR_NEW_ARCH_5, 7);
ABI_VALUE(PERF_BR_NEW_MAX, 8);
ABI_VALUE(PERF_BR_ARM64_FIQ, 3);
ABI_VALUE(PERF_BR_ARM64_DEBUG_HALT, 4);
ABI_VALUE(PERF_BR_ARM64_DEBUG_EXIT, 5);
ABI_VALUE(PERF_BR_ARM64_DEBUG_INST, 6);
ABI_VALUE(PERF_BR_ARM64_DEBUG_DATA, 7);

/* Branches: mode. */
ABI_VALUE(PERF_BR_PRIV_UNKNOWN, 0);
ABI_VALUE(PERF_BR_PRIV_USER, 1);
ABI_VALUE(PERF_BR_PRIV_KERNEL, 2);
ABI_VALUE(PERF_BR_PRIV_HV, 3);

/* Data source: operation. */
ABI_VALUE(PERF_MEM_OP_NA, 0x1);
ABI_VALUE(PERF_MEM_OP_LOAD, 0x2);
ABI_VALUE(PERF_MEM_OP_STORE, 0x4);
ABI_VALUE(PERF_MEM_OP_PFETCH, 0x8);
ABI_VALUE(PERF_MEM_OP_EXEC, 0x10);
ABI_VALUE(PERF_MEM_OP_SHIFT, 0);

/* Data source: level. */
ABI_VALUE(PERF_MEM_LVL_NA, 0x1);
ABI_VALUE(PERF_MEM_LVL_HIT, 0x2);
ABI_VALUE(PERF_MEM_LVL_MISS, 0x4);
ABI_VALUE(PERF_MEM_LVL_L1, 0x8);
ABI_VALUE(PERF_MEM_LVL_LFB, 0x10);
ABI_VALUE(PERF_MEM_LVL_L2, 0x20);
ABI_VALUE(PERF_MEM_LVL_L3, 0x40);
ABI_VALUE(PERF_MEM_LVL_LOC_RAM, 0x80);
ABI_VALUE(PERF_MEM_LVL_REM_RAM1, 0x100);
ABI_VALUE(PERF_MEM_LVL_REM_RAM2, 0x200);
ABI_VALUE(PERF_MEM_LVL_REM_CCE1, 0x400);
ABI_VALUE(PERF_MEM_LVL_REM_CCE2, 0x800);
ABI_VALUE(PERF_MEM_LVL_IO, 0x1000);
ABI_VALUE(PERF_MEM_LVL_UNC, 0x2000);
ABI_VALUE(PERF_MEM_LVL_SHIFT, 5);

/* Data source: distance. */
ABI_VALUE(PERF_MEM_REMOTE_REMOTE, 0x1);
ABI_VALUE(PERF_MEM_REMOTE_SHIFT, 37);

/* Data source: level by number. */
ABI_VALUE(PERF_MEM_LVLNUM_L1, 0x1);
ABI_VALUE(PERF_MEM_LVLNUM_L2, 0x2);
ABI_VALUE(PERF_MEM_LVLNUM_L3, 0x3);
ABI_VALUE(PERF_MEM_LVLNUM_L4, 0x4);
ABI_VALUE(PERF_MEM_LVLNUM_L2_MHB, 0x5);
ABI_VALUE(PERF_MEM_LVLNUM_MSC, 0x6);
ABI_VALUE(PERF_MEM_LVLNUM_L0, 0x7);
ABI_VALUE(PERF_MEM_LVLNUM_UNC, 0x8);
ABI_VALUE(PERF_MEM_LVLNUM_CXL, 0x9);
ABI_VALUE(PERF_MEM_LVLNUM_IO, 0xa);
ABI_VALUE(PERF_MEM_LVLNUM_ANY_CACHE, 0xb);
ABI_VALUE(PERF_MEM_LVLNUM_LFB, 0xc);
ABI_VALUE(PERF_MEM_LVLNUM_RAM, 0xd);
ABI_VALUE(PERF_MEM_LVLNUM_PMEM, 0xe);
ABI_VALUE(PERF_MEM_LVLNUM_NA, 0xf);
ABI_VALUE(PERF_MEM_LVLNUM_SHIFT, 33);

/* Data source: other caches. */
ABI_VALUE(PERF_MEM_SNOOP_NA, 0x1);
ABI_VALUE(PERF_MEM_SNOOP_NONE, 0x2);
ABI_VALUE(PERF_MEM_SNOOP_HIT, 0x4);
ABI_VALUE(PERF_MEM_SNOOP_MISS, 0x8);
ABI_VALUE(PERF_MEM_SNOOP_HITM, 0x10);
ABI_VALUE(PERF_MEM_SNOOP_SHIFT, 19);
ABI_VALUE(PERF_MEM_SNOOPX_FWD, 0x1);
ABI_VALUE(PERF_MEM_SNOOPX_PEER, 0x2);
ABI_VALUE(PERF_MEM_SNOOPX_SHIFT, 38);

/* Data source: lock. */
ABI_VALUE(PERF_MEM_LOCK_NA, 0x1);
ABI_VALUE(PERF_MEM_LOCK_LOCKED, 0x2);
ABI_VALUE(PERF_MEM_LOCK_SHIFT, 24);

/* Data source: translation. */
ABI_VALUE(PERF_MEM_TLB_NA, 0x1);
ABI_VALUE(PERF_MEM_TLB_HIT, 0x2);
ABI_VALUE(PERF_MEM_TLB_MISS, 0x4);
ABI_VALUE(PERF_MEM_TLB_L1, 0x8);
ABI_VALUE(PERF_MEM_TLB_L2, 0x10);
ABI_VALUE(PERF_MEM_TLB_WK, 0x20);
ABI_VALUE(PERF_MEM_TLB_OS, 0x40);
ABI_VALUE(PERF_MEM_TLB_SHIFT, 26);

/* Data source: what blocked it. */
ABI_VALUE(PERF_MEM_BLK_NA, 0x1);
ABI_VALUE(PERF_MEM_BLK_DATA, 0x2);
ABI_VALUE(PERF_MEM_BLK_ADDR, 0x4);
ABI_VALUE(PERF_MEM_BLK_SHIFT, 40);

/* Data source: hops. */
ABI_VALUE(PERF_MEM_HOPS_0, 0x1);
ABI_VALUE(PERF_MEM_HOPS_1, 0x2);
ABI_VALUE(PERF_MEM_HOPS_2, 0x3);
ABI_VALUE(PERF_MEM_HOPS_3, 0x4);
ABI_VALUE(PERF_MEM_HOPS_SHIFT, 43);

/* Data source: region. */
ABI_VALUE(PERF_MEM_REGION_NA, 0x0);
ABI_VALUE(PERF_MEM_REGION_RSVD, 0x1);
ABI_VALUE(PERF_MEM_REGION_L_SHARE, 0x2);
ABI_VALUE(PERF_MEM_REGION_L_NON_SHARE, 0x3);
ABI_VALUE(PERF_MEM_REGION_O_IO, 0x4);
ABI_VALUE(PERF_MEM_REGION_O_SHARE, 0x5);
ABI_VALUE(PERF_MEM_REGION_O_NON_SHARE, 0x6);
ABI_VALUE(PERF_MEM_REGION_MMIO, 0x7);
ABI_VALUE(PERF_MEM_REGION_MEM0, 0x8);
ABI_VALUE(PERF_MEM_REGION_MEM1, 0x9);
ABI_VALUE(PERF_MEM_REGION_MEM2, 0xa);
ABI_VALUE(PERF_MEM_REGION_MEM3, 0xb);
ABI_VALUE(PERF_MEM_REGION_MEM4, 0xc);
ABI_VALUE(PERF_MEM_REGION_MEM5, 0xd);
ABI_VALUE(PERF_MEM_REGION_MEM6, 0xe);
ABI_VALUE(PERF_MEM_REGION_MEM7, 0xf);
ABI_VALUE(PERF_MEM_REGION_SHIFT, 46);

/* Bit fields have no offset: fill one with ones and look at the word. */
union abi_attr {
	struct perf_event_attr		attr;
	u64				word[PERF_ATTR_SIZE_VER9 / 8];
	u32				half[PERF_ATTR_SIZE_VER9 / 4];
};

union abi_page {
	struct perf_event_mmap_page	page;
	u64				word[1088 / 8];
};

union abi_branch {
	struct perf_branch_entry	entry;
	u64				word[3];
};

/* The architecture gives the first bit field the lowest bits or the highest. */
#ifdef __LITTLE_ENDIAN_BITFIELD
# define ABI_FIRST_IS_LOW	true
#else
# define ABI_FIRST_IS_LOW	false
#endif

static __always_inline u64 abi_mask(int word, int first, int width)
{
	int low = ABI_FIRST_IS_LOW ? first : word - first - width;

	return GENMASK_ULL(low + width - 1, low);
}

#define ABI_ATTR_BITS(_member, _first, _width)				\
	BUILD_BUG_ON(((union abi_attr) {				\
		.attr._member = ones,					\
	}).word[5] != abi_mask(64, _first, _width))

#define ABI_AUX_BITS(_member, _first, _width)				\
	BUILD_BUG_ON(((union abi_attr) {				\
		.attr._member = ones,					\
	}).half[29] != abi_mask(32, _first, _width))

#define ABI_PAGE_BITS(_member, _first, _width)				\
	BUILD_BUG_ON(((union abi_page) {				\
		.page._member = ones,					\
	}).word[5] != abi_mask(64, _first, _width))

#define ABI_BRANCH_BITS(_member, _first, _width)			\
	BUILD_BUG_ON(((union abi_branch) {				\
		.entry._member = ones,					\
	}).word[2] != abi_mask(64, _first, _width))

/* The header declares these for both orders of bit fields: one mask each. */
#define ABI_MEM_BITS(_member, _high, _low)				\
	BUILD_BUG_ON(((union perf_mem_data_src) {			\
		._member = ones,					\
	}).val != GENMASK_ULL(_high, _low))

/* Compiles to nothing; __used, because nothing calls it. */
static void __init __used perf_abi_check_attr_bits(void)
{
	u64 ones = ~0ULL;

	ABI_ATTR_BITS(disabled, 0, 1);
	ABI_ATTR_BITS(inherit, 1, 1);
	ABI_ATTR_BITS(pinned, 2, 1);
	ABI_ATTR_BITS(exclusive, 3, 1);
	ABI_ATTR_BITS(exclude_user, 4, 1);
	ABI_ATTR_BITS(exclude_kernel, 5, 1);
	ABI_ATTR_BITS(exclude_hv, 6, 1);
	ABI_ATTR_BITS(exclude_idle, 7, 1);
	ABI_ATTR_BITS(mmap, 8, 1);
	ABI_ATTR_BITS(comm, 9, 1);
	ABI_ATTR_BITS(freq, 10, 1);
	ABI_ATTR_BITS(inherit_stat, 11, 1);
	ABI_ATTR_BITS(enable_on_exec, 12, 1);
	ABI_ATTR_BITS(task, 13, 1);
	ABI_ATTR_BITS(watermark, 14, 1);
	ABI_ATTR_BITS(precise_ip, 15, 2);
	ABI_ATTR_BITS(mmap_data, 17, 1);
	ABI_ATTR_BITS(sample_id_all, 18, 1);
	ABI_ATTR_BITS(exclude_host, 19, 1);
	ABI_ATTR_BITS(exclude_guest, 20, 1);
	ABI_ATTR_BITS(exclude_callchain_kernel, 21, 1);
	ABI_ATTR_BITS(exclude_callchain_user, 22, 1);
	ABI_ATTR_BITS(mmap2, 23, 1);
	ABI_ATTR_BITS(comm_exec, 24, 1);
	ABI_ATTR_BITS(use_clockid, 25, 1);
	ABI_ATTR_BITS(context_switch, 26, 1);
	ABI_ATTR_BITS(write_backward, 27, 1);
	ABI_ATTR_BITS(namespaces, 28, 1);
	ABI_ATTR_BITS(ksymbol, 29, 1);
	ABI_ATTR_BITS(bpf_event, 30, 1);
	ABI_ATTR_BITS(aux_output, 31, 1);
	ABI_ATTR_BITS(cgroup, 32, 1);
	ABI_ATTR_BITS(text_poke, 33, 1);
	ABI_ATTR_BITS(build_id, 34, 1);
	ABI_ATTR_BITS(inherit_thread, 35, 1);
	ABI_ATTR_BITS(remove_on_exec, 36, 1);
	ABI_ATTR_BITS(sigtrap, 37, 1);
	ABI_ATTR_BITS(__reserved_1, 38, 26);
	ABI_AUX_BITS(aux_start_paused, 0, 1);
	ABI_AUX_BITS(aux_pause, 1, 1);
	ABI_AUX_BITS(aux_resume, 2, 1);
	ABI_AUX_BITS(__reserved_3, 3, 29);
}

static void __init __used perf_abi_check_record_bits(void)
{
	u64 ones = ~0ULL;

	ABI_PAGE_BITS(cap_bit0, 0, 1);
	ABI_PAGE_BITS(cap_bit0_is_deprecated, 1, 1);
	ABI_PAGE_BITS(cap_user_rdpmc, 2, 1);
	ABI_PAGE_BITS(cap_user_time, 3, 1);
	ABI_PAGE_BITS(cap_user_time_zero, 4, 1);
	ABI_PAGE_BITS(cap_user_time_short, 5, 1);
	ABI_PAGE_BITS(cap_____res, 6, 58);

	ABI_BRANCH_BITS(mispred, 0, 1);
	ABI_BRANCH_BITS(predicted, 1, 1);
	ABI_BRANCH_BITS(in_tx, 2, 1);
	ABI_BRANCH_BITS(abort, 3, 1);
	ABI_BRANCH_BITS(cycles, 4, 16);
	ABI_BRANCH_BITS(type, 20, 4);
	ABI_BRANCH_BITS(spec, 24, 2);
	ABI_BRANCH_BITS(new_type, 26, 4);
	ABI_BRANCH_BITS(priv, 30, 3);
	ABI_BRANCH_BITS(reserved, 33, 31);

	ABI_MEM_BITS(mem_op, 4, 0);
	ABI_MEM_BITS(mem_lvl, 18, 5);
	ABI_MEM_BITS(mem_snoop, 23, 19);
	ABI_MEM_BITS(mem_lock, 25, 24);
	ABI_MEM_BITS(mem_dtlb, 32, 26);
	ABI_MEM_BITS(mem_lvl_num, 36, 33);
	ABI_MEM_BITS(mem_remote, 37, 37);
	ABI_MEM_BITS(mem_snoopx, 39, 38);
	ABI_MEM_BITS(mem_blk, 42, 40);
	ABI_MEM_BITS(mem_hops, 45, 43);
	ABI_MEM_BITS(mem_region, 50, 46);
	ABI_MEM_BITS(mem_rsvd, 63, 51);
}

/* Names of linux/perf_refuse.h for these bits: masks of their word. */
#define ABI_ATTR_MASK(_member, _mask)					\
	BUILD_BUG_ON(((union abi_attr) {				\
		.attr._member = ones,					\
	}).word[PERF_PLACE_OFFSET(PERF_FIELD_FLAGS) / 8] != (_mask))

#define ABI_AUX_MASK(_member, _mask)					\
	BUILD_BUG_ON(((union abi_attr) {				\
		.attr._member = ones,					\
	}).attr.aux_action != (_mask))

static void __init __used perf_abi_check_masks(void)
{
	u64 ones = ~0ULL;

	ABI_ATTR_MASK(inherit, PERF_ATTR_INHERIT);
	ABI_ATTR_MASK(pinned, PERF_ATTR_PINNED);
	ABI_ATTR_MASK(exclusive, PERF_ATTR_EXCLUSIVE);
	ABI_ATTR_MASK(exclude_kernel, PERF_ATTR_EXCLUDE_KERNEL);
	ABI_ATTR_MASK(enable_on_exec, PERF_ATTR_ENABLE_ON_EXEC);
	ABI_ATTR_MASK(precise_ip, PERF_ATTR_PRECISE_IP);
	ABI_ATTR_MASK(exclude_callchain_kernel, PERF_ATTR_EXCLUDE_CALLCHAIN_KERNEL);
	ABI_ATTR_MASK(exclude_callchain_user, PERF_ATTR_EXCLUDE_CALLCHAIN_USER);
	ABI_ATTR_MASK(namespaces, PERF_ATTR_NAMESPACES);
	ABI_ATTR_MASK(aux_output, PERF_ATTR_AUX_OUTPUT);
	ABI_ATTR_MASK(text_poke, PERF_ATTR_TEXT_POKE);
	ABI_ATTR_MASK(inherit_thread, PERF_ATTR_INHERIT_THREAD);
	ABI_ATTR_MASK(remove_on_exec, PERF_ATTR_REMOVE_ON_EXEC);
	ABI_ATTR_MASK(sigtrap, PERF_ATTR_SIGTRAP);
	ABI_ATTR_MASK(__reserved_1, PERF_ATTR_RESERVED_1);
	BUILD_BUG_ON(((union abi_attr) {
		.attr.exclude_user = 1, .attr.exclude_kernel = 1,
		.attr.exclude_hv = 1, .attr.exclude_idle = 1,
		.attr.exclude_host = 1, .attr.exclude_guest = 1,
	}).word[PERF_PLACE_OFFSET(PERF_FIELD_FLAGS) / 8] != PERF_ATTR_EXCLUDE_SOME);
	ABI_AUX_MASK(aux_start_paused, PERF_ATTR_AUX_START_PAUSED);
	ABI_AUX_MASK(aux_pause, PERF_ATTR_AUX_PAUSE);
	ABI_AUX_MASK(aux_resume, PERF_ATTR_AUX_RESUME);
	ABI_AUX_MASK(__reserved_3, PERF_ATTR_RESERVED_3);
}
