/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Reasons why an event is refused, for callers with PERF_FLAG_DRY_RUN.
 *
 * A check that refuses an event gives the reason where it decides on the
 * errno::
 *
 *	if (attr->config2)
 *		return perf_refuse(-EINVAL, PERF_FIELD(config2),
 *				   attr->config2, PERF_REASON_RESERVED);
 *
 * This returns the errno and does nothing else, unless the caller is in a dry
 * run. PMU drivers may use it in pmu::event_init.
 */
#ifndef _LINUX_PERF_REFUSE_H
#define _LINUX_PERF_REFUSE_H

#include <linux/bits.h>
#include <linux/compiler.h>
#include <linux/kconfig.h>
#include <linux/stddef.h>
#include <linux/types.h>
#include <uapi/linux/perf_event.h>
#include <uapi/linux/perf_event_ext.h>

/* A place: PERF_WHERE_*, and for a field of the attribute offset and size. */
#define PERF_PLACE(where, offset, size)	((where) << 24 | (size) << 16 | (offset))
#define PERF_PLACE_WHERE(place)		((place) >> 24)
#define PERF_PLACE_SIZE(place)		((place) >> 16 & 0xff)
#define PERF_PLACE_OFFSET(place)	((place) & 0xffff)

#define PERF_FIELD(member)						\
	PERF_PLACE(PERF_WHERE_ATTR,					\
		   (u32)offsetof(struct perf_event_attr, member),	\
		   (u32)sizeof_field(struct perf_event_attr, member))

/* The word of one-bit fields, which has no name. */
#define PERF_FIELD_FLAGS						\
	PERF_PLACE(PERF_WHERE_ATTR,					\
		   (u32)offsetofend(struct perf_event_attr, read_format),\
		   (u32)sizeof(u64))

#define PERF_ARGUMENT(which)	PERF_PLACE(PERF_WHERE_##which, 0, 0)
#define PERF_NOWHERE		PERF_ARGUMENT(NOWHERE)

/* In a word of @size bytes, the @nr bits declared after @first others. */
#define PERF_BITS(size, first, nr)					\
	(GENMASK_ULL((nr) - 1, 0) <<					\
	 (IS_ENABLED(CONFIG_CPU_BIG_ENDIAN) ? 8 * (size) - (first) - (nr) : \
					      (first)))

/* Bits of PERF_FIELD_FLAGS that checks refuse. */
#define PERF_ATTR_INHERIT		PERF_BITS(8, 1, 1)
#define PERF_ATTR_PINNED		PERF_BITS(8, 2, 1)
#define PERF_ATTR_EXCLUSIVE		PERF_BITS(8, 3, 1)
#define PERF_ATTR_EXCLUDE_KERNEL	PERF_BITS(8, 5, 1)
#define PERF_ATTR_EXCLUDE_SOME		(PERF_BITS(8, 4, 4) | PERF_BITS(8, 19, 2))
#define PERF_ATTR_ENABLE_ON_EXEC	PERF_BITS(8, 12, 1)
#define PERF_ATTR_PRECISE_IP		PERF_BITS(8, 15, 2)
#define PERF_ATTR_EXCLUDE_CALLCHAIN_KERNEL PERF_BITS(8, 21, 1)
#define PERF_ATTR_EXCLUDE_CALLCHAIN_USER PERF_BITS(8, 22, 1)
#define PERF_ATTR_NAMESPACES		PERF_BITS(8, 28, 1)
#define PERF_ATTR_AUX_OUTPUT		PERF_BITS(8, 31, 1)
#define PERF_ATTR_TEXT_POKE		PERF_BITS(8, 33, 1)
#define PERF_ATTR_INHERIT_THREAD	PERF_BITS(8, 35, 1)
#define PERF_ATTR_REMOVE_ON_EXEC	PERF_BITS(8, 36, 1)
#define PERF_ATTR_SIGTRAP		PERF_BITS(8, 37, 1)
#define PERF_ATTR_RESERVED_1		PERF_BITS(8, 38, 26)

/* Bits of PERF_FIELD(aux_action) that checks refuse. */
#define PERF_ATTR_AUX_START_PAUSED	PERF_BITS(4, 0, 1)
#define PERF_ATTR_AUX_PAUSE		PERF_BITS(4, 1, 1)
#define PERF_ATTR_AUX_RESUME		PERF_BITS(4, 2, 1)
#define PERF_ATTR_RESERVED_3		PERF_BITS(4, 3, 29)

/* Cold: the compiler moves branches that call them out of code that runs often. */
#ifdef CONFIG_PERF_EVENTS
int __cold perf_refuse(int err, u32 place, u64 bits, u32 reason);
int __cold perf_refuse_above(int err, u32 place, u64 limit, u32 reason);
int __cold perf_refuse_because(int err, u32 place, u64 bits, const char *text);
#else
static inline int perf_refuse(int err, u32 place, u64 bits, u32 reason)
{
	return err;
}

static inline int perf_refuse_above(int err, u32 place, u64 limit, u32 reason)
{
	return err;
}

static inline int perf_refuse_because(int err, u32 place, u64 bits,
				      const char *text)
{
	return err;
}
#endif

#endif /* _LINUX_PERF_REFUSE_H */
