/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the pure rooms of arch/x86/events need of the kernel, in a program.
 *
 * Included in front of each source; of the kernel's own headers only
 * those that user space has as well (types, errno) are not empty.
 */
#ifndef LAB_MODEL_X86_SHIM_H
#define LAB_MODEL_X86_SHIM_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <linux/types.h>

typedef __u64 u64;
typedef __u32 u32;
typedef __u16 u16;
typedef __u8 u8;
typedef __s64 s64;
typedef __s32 s32;
typedef __s16 s16;
typedef __s8 s8;

#define U32_MAX			UINT32_MAX
#define S64_MAX			INT64_MAX
#define S64_MIN			INT64_MIN

#define __noreturn		__attribute__((__noreturn__))
#define __printf(format, first)	\
	__attribute__((__format__(__printf__, format, first)))

#define ARRAY_SIZE(array)	(sizeof(array) / sizeof((array)[0]))
#define BIT(n)			(1UL << (n))
#define BIT_ULL(n)		(1ULL << (n))
#define GENMASK(high, low)	(~0UL >> (63 - (high)) & ~0UL << (low))
#define GENMASK_ULL(high, low)	(~0ULL >> (63 - (high)) & ~0ULL << (low))

#define FIELD_GET(mask, word)	(((word) & (mask)) >> __builtin_ctzll(mask))

#define CHOSEN(a, op, b) \
	({ __auto_type one = (a); __auto_type other = (b); \
	   one op other ? one : other; })
#define min(a, b)		CHOSEN(a, <, b)
#define max(a, b)		CHOSEN(a, >, b)
#define min_t(type, a, b)	min((type)(a), (type)(b))
#define max_t(type, a, b)	max((type)(a), (type)(b))

#define __ffs64(word)		((unsigned long)__builtin_ctzll(word))
#define hweight32(word)		((unsigned int)__builtin_popcount(word))
#define hweight64(word)		((unsigned long)__builtin_popcountll(word))

#endif
