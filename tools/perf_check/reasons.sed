# SPDX-License-Identifier: GPL-2.0
# <linux/perf_event_ext.h> to lines for perf_check: REASON(NAME)
s/^[[:blank:]]PERF_REASON_\([A-Z_]*\)[[:blank:]]*=.*/REASON(\1)/p
