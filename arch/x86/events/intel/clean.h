/* SPDX-License-Identifier: GPL-2.0 */
/* Room "intel/clean": what firmware or an earlier kernel may have left on. */
#ifndef _ARCH_X86_EVENTS_INTEL_CLEAN_H
#define _ARCH_X86_EVENTS_INTEL_CLEAN_H

void intel_clean(void);

#endif /* _ARCH_X86_EVENTS_INTEL_CLEAN_H */
