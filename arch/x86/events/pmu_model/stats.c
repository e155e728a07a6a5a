// SPDX-License-Identifier: GPL-2.0
/*
 * PMU model: statistics of accesses and of the model's own cost
 *
 * Owns the per-CPU statistics. A CPU adds to its own with single instructions;
 * a reader or a reset on another CPU may be off by one access.
 *
 * Contexts: any; resets and files in tasks.
 */
#include <linux/cpumask.h>
#include <linux/seq_file.h>
#include <linux/string.h>

#include "pmu_model.h"

DEFINE_PER_CPU(struct pmu_model_stats, pmu_model_stats);

static const char * const kind_names[PMU_REG_NR_KINDS] = {
	[PMU_REG_ABSENT]	= "absent",
	[PMU_REG_SELECT]	= "select",
	[PMU_REG_COUNTER]	= "counter",
	[PMU_REG_FULL]		= "counter-full",
	[PMU_REG_FIXED]		= "fixed",
	[PMU_REG_FIXED_CTRL]	= "fixed-ctrl",
	[PMU_REG_GLOBAL_CTRL]	= "global-ctrl",
	[PMU_REG_STATUS]	= "status",
	[PMU_REG_STATUS_CLEAR]	= "status-clear",
	[PMU_REG_STATUS_SET]	= "status-set",
	[PMU_REG_INUSE]		= "inuse",
	[PMU_REG_CAPS]		= "caps",
	[PMU_REG_DEBUGCTL]	= "debugctl",
	[PMU_REG_PLAIN]		= "plain",
	[PMU_REG_METRICS]	= "metrics",
	[PMU_REG_PEBS_ENABLE]	= "pebs-enable",
	[PMU_REG_DS_AREA]	= "ds-area",
	[PMU_REG_PEBS_DATA_CFG]	= "pebs-data-cfg",
	[PMU_REG_LOAD_LATENCY]	= "load-latency",
	[PMU_REG_FRONTEND]	= "frontend",
	[PMU_REG_IBS_FETCH]	= "ibs-fetch",
	[PMU_REG_IBS_OP]	= "ibs-op",
	[PMU_REG_IBS_LVT]	= "ibs-lvt",
	[PMU_REG_LBR_FROM]	= "lbr-from",
	[PMU_REG_LBR_TO]	= "lbr-to",
	[PMU_REG_LBR_INFO]	= "lbr-info",
	[PMU_REG_LBR_TOS]	= "lbr-tos",
	[PMU_REG_LBR_SELECT]	= "lbr-select",
	[PMU_REG_LBR_CTL]	= "lbr-ctl",
	[PMU_REG_LBR_DEPTH]	= "lbr-depth",
	[PMU_REG_DEBUG_EXTENSION] = "debug-extension",
	[PMU_REG_RDPMC]		= "rdpmc",
};

static const char * const shot_names[PMU_SHOT_NR] = {
	[PMU_SHOT_PROGRAMMED]	= "programmed",
	[PMU_SHOT_DELIVERED]	= "delivered",
	[PMU_SHOT_MASKED]	= "masked",
	[PMU_SHOT_EARLY]	= "early",
	[PMU_SHOT_STRAY]	= "stray",
	[PMU_SHOT_RECORD]	= "record",
};

/**
 * pmu_model_stats_reset_accesses() - reset the numbers of register accesses
 *
 * Context: task.
 */
void pmu_model_stats_reset_accesses(void)
{
	unsigned int cpu;

	for_each_possible_cpu(cpu) {
		struct pmu_model_stats *st = per_cpu_ptr(&pmu_model_stats, cpu);

		memset(st->reads, 0, sizeof(st->reads));
		memset(st->writes, 0, sizeof(st->writes));
		st->faults = 0;
		st->turns = 0;
	}
}

/**
 * pmu_model_stats_reset_overhead() - reset the numbers of the model's own cost
 *
 * Context: task.
 */
void pmu_model_stats_reset_overhead(void)
{
	unsigned int cpu;

	for_each_possible_cpu(cpu) {
		struct pmu_model_stats *st = per_cpu_ptr(&pmu_model_stats, cpu);

		st->sections = 0;
		st->ticks = 0;
		memset(st->shots, 0, sizeof(st->shots));
	}
}

/**
 * pmu_model_show_name() - print the name of a register
 * @m:		file to print to
 * @slot:	the register
 *
 * Context: task.
 */
void pmu_model_show_name(struct seq_file *m, unsigned int slot)
{
	const struct pmu_model_reg *reg = &pmu_model.regs[slot];

	seq_printf(m, "%s%u", kind_names[reg->kind], reg->index);
}

static void show_register(struct seq_file *m, unsigned int cpu, unsigned int slot)
{
	const struct pmu_model_stats *st = per_cpu_ptr(&pmu_model_stats, cpu);

	if (!st->reads[slot] && !st->writes[slot])
		return;
	seq_printf(m, "%u %#x ", cpu, pmu_model.regs[slot].msr);
	pmu_model_show_name(m, slot);
	seq_printf(m, " %llu %llu\n", st->reads[slot], st->writes[slot]);
}

/**
 * pmu_model_stats_show_accesses() - print the registers that were accessed
 * @m:		file to print to
 *
 * Context: task.
 */
void pmu_model_stats_show_accesses(struct seq_file *m)
{
	u64 reads = 0, writes = 0, faults = 0, turns = 0;
	unsigned int cpu, slot;

	seq_puts(m, "# cpu register name reads writes\n");
	for_each_possible_cpu(cpu) {
		const struct pmu_model_stats *st = per_cpu_ptr(&pmu_model_stats, cpu);

		for (slot = PMU_MODEL_SLOT_RDPMC; slot < pmu_model.nr_regs; slot++) {
			show_register(m, cpu, slot);
			reads += st->reads[slot];
			writes += st->writes[slot];
		}
		faults += st->faults;
		turns += st->turns;
	}
	seq_printf(m, "total %llu %llu\nfaults %llu\nturns %llu\n", reads,
		   writes, faults, turns);
}

/**
 * pmu_model_stats_show_overhead() - print the model's own cost
 * @m:		file to print to
 *
 * One line for each CPU: accesses, TSC ticks spent in them, then the shots.
 *
 * Context: task.
 */
void pmu_model_stats_show_overhead(struct seq_file *m)
{
	u64 sections = 0, ticks = 0;
	unsigned int cpu, i;

	seq_puts(m, "# cpu sections ticks");
	for (i = 0; i < PMU_SHOT_NR; i++)
		seq_printf(m, " %s", shot_names[i]);
	seq_puts(m, "\n");
	for_each_possible_cpu(cpu) {
		const struct pmu_model_stats *st = per_cpu_ptr(&pmu_model_stats, cpu);

		seq_printf(m, "%u %llu %llu", cpu, st->sections, st->ticks);
		for (i = 0; i < PMU_SHOT_NR; i++)
			seq_printf(m, " %llu", st->shots[i]);
		seq_puts(m, "\n");
		sections += st->sections;
		ticks += st->ticks;
	}
	seq_printf(m, "total %llu %llu\n", sections, ticks);
}
