/* SPDX-License-Identifier: GPL-2.0 */
/* What the setup of a vendor tells the engine. */
#ifndef _ARCH_X86_EVENTS_SETUP_H
#define _ARCH_X86_EVENTS_SETUP_H

#include "cpu.h"

/* CPUID leaf 0xa, SDM vol. 2A CPUID; the same on Intel and Zhaoxin. */
#define LEAF_VERSION(eax)	((eax) & 0xff)
#define LEAF_GENERAL(eax)	((eax) >> 8 & 0xff)
#define LEAF_WIDTH(eax)		((eax) >> 16 & 0xff)
#define LEAF_NR_EVENTS(eax)	((eax) >> 24 & 0xff)
#define LEAF_FIXED(edx)		((edx) & 0x1f)

/**
 * struct x86_setup - the PMUs of this machine
 * @name:	name of the model, for the message at boot
 * @vendor:	how the message goes on
 * @nr_cores:	types of cores: 1, or 2 on a hybrid machine
 * @cores:	their PMUs; facts and config_mask are filled in
 * @names:	names of the PMUs
 * @cpu:	what to do when a CPU comes or goes
 * @task_data:	what each task keeps for its events, or NULL
 * @sched_task:	what else to do at a task switch, or NULL
 * @pmi:	finds the counters that have overflowed
 */
struct x86_setup {
	const char			*name;
	const char			*vendor;
	unsigned int			nr_cores;
	struct x86_core			*cores[2];
	const char			*names[2];
	const struct x86_cpu_ops	*cpu;
	struct kmem_cache		*task_data;
	void				(*sched_task)(bool sched_in);
	int				(*pmi)(struct x86_cpu *cpu, struct pt_regs *regs);
};

int intel_core_setup(struct x86_setup *setup);
int intel_p6_setup(struct x86_setup *setup);
int amd_core_setup(struct x86_setup *setup);
int zhaoxin_core_setup(struct x86_setup *setup);

#endif /* _ARCH_X86_EVENTS_SETUP_H */
