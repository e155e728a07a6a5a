/* SPDX-License-Identifier: GPL-2.0 */
/* PMU model: scripts, texts of lines that a program writes */
#ifndef _ARCH_X86_EVENTS_PMU_MODEL_SCRIPT_H
#define _ARCH_X86_EVENTS_PMU_MODEL_SCRIPT_H

int pmu_model_script_parse(char *text, unsigned int most,
			   int (*parse)(char *text, void *lines, unsigned int nr), void *lines);

#endif /* _ARCH_X86_EVENTS_PMU_MODEL_SCRIPT_H */
