/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the counters of an x86 PMU can count: numbers and types of all rules
 *
 * Everything in this folder is pure: it reads no register and no per-CPU data,
 * takes no lock, and gets the PMU as an argument. So it also compiles in user
 * space, for tests with sanitizers (./perflab check x86).
 */
#ifndef _ARCH_X86_EVENTS_RULES_H
#define _ARCH_X86_EVENTS_RULES_H

#include <linux/bits.h>
#include <linux/types.h>

/*
 * The number of a counter is the number of its bit in the global control
 * register, SDM vol. 3 20.2.2: general counters from 0, fixed ones from 32.
 * Without that register the general counters have the same numbers.
 */
#define X86_COUNTER_FIXED	32
#define X86_COUNTER_METRICS	48
#define X86_NR_COUNTERS		64

#define X86_GENERAL(n)		GENMASK_ULL((n) - 1, 0)
#define X86_FIXED(n)		BIT_ULL(X86_COUNTER_FIXED + (n))
#define X86_ALL_FIXED		GENMASK_ULL(X86_COUNTER_METRICS - 1, X86_COUNTER_FIXED)
#define X86_ALL_METRICS		GENMASK_ULL(X86_COUNTER_METRICS + 7, X86_COUNTER_METRICS)

/*
 * Event select register, SDM vol. 3 20.2.1.1; APM vol. 2 13.2.1 for bits 35-32
 * and 41-40.
 */
#define X86_SEL_EVENT		GENMASK_ULL(7, 0)
#define X86_SEL_UMASK		GENMASK_ULL(15, 8)
#define X86_SEL_CODE		(X86_SEL_EVENT | X86_SEL_UMASK)
#define X86_SEL_USR		BIT_ULL(16)
#define X86_SEL_OS		BIT_ULL(17)
#define X86_SEL_EDGE		BIT_ULL(18)
#define X86_SEL_PIN		BIT_ULL(19)
#define X86_SEL_INT		BIT_ULL(20)
#define X86_SEL_ANY		BIT_ULL(21)
#define X86_SEL_ENABLE		BIT_ULL(22)
#define X86_SEL_INV		BIT_ULL(23)
#define X86_SEL_CMASK		GENMASK_ULL(31, 24)
#define X86_SEL_IN_TX		BIT_ULL(32)	/* Intel */
#define X86_SEL_IN_TXCP		BIT_ULL(33)	/* Intel */
#define X86_SEL_ADAPTIVE	BIT_ULL(34)	/* Intel, SDM vol. 3 20.9.2.1 */
#define X86_SEL_PER_BRANCH	BIT_ULL(35)	/* Intel, CPUID leaf 0x1c */
#define X86_SEL_EVENT_HIGH	GENMASK_ULL(35, 32)	/* AMD */
#define X86_SEL_EQ		BIT_ULL(36)	/* Intel, CPUID leaf 0x23 */
#define X86_SEL_UMASK2		GENMASK_ULL(47, 40)	/* Intel, CPUID leaf 0x23 */
#define X86_SEL_GUEST		BIT_ULL(40)	/* AMD: only while a guest runs */
#define X86_SEL_HOST		BIT_ULL(41)	/* AMD: only while the host runs */

#endif /* _ARCH_X86_EVENTS_RULES_H */
