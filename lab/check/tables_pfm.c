// SPDX-License-Identifier: GPL-2.0
/*
 * Prints the events that libpfm4 knows for x86 cores, for lab/check/tables
 *
 * One line for each event: the name of the PMU, the event's code, and the codes of
 * its umasks, all in hexadecimal.
 */
#include <stdio.h>
#include <string.h>
#include <perfmon/pfmlib.h>

static void print_umasks(int event, int nr)
{
	int i;

	for (i = 0; i < nr; i++) {
		pfm_event_attr_info_t attr = { .size = sizeof(attr) };

		if (pfm_get_event_attr_info(event, i, PFM_OS_NONE, &attr) == PFM_SUCCESS &&
		    attr.type == PFM_ATTR_UMASK)
			printf(" %llx", (unsigned long long)attr.code);
	}
}

static void print_events(pfm_pmu_t number, const pfm_pmu_info_t *pmu)
{
	int event;

	for (event = pmu->first_event; event != -1; event = pfm_get_event_next(event)) {
		pfm_event_info_t info = { .size = sizeof(info) };

		if (pfm_get_event_info(event, PFM_OS_NONE, &info) != PFM_SUCCESS ||
		    info.pmu != number)
			break;
		printf("%s %llx", pmu->name, (unsigned long long)info.code);
		print_umasks(event, info.nattrs);
		printf("\n");
	}
}

int main(void)
{
	pfm_pmu_t number;

	if (pfm_initialize() != PFM_SUCCESS)
		return 2;
	pfm_for_all_pmus(number) {
		pfm_pmu_info_t pmu = { .size = sizeof(pmu) };

		if (pfm_get_pmu_info(number, &pmu) == PFM_SUCCESS &&
		    pmu.type == PFM_PMU_TYPE_CORE)
			print_events(number, &pmu);
	}
	return 0;
}
