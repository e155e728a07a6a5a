/* SPDX-License-Identifier: GPL-2.0 */
/* Room "extra": registers that events of a core share. */
#ifndef _ARCH_X86_EVENTS_EXTRA_H
#define _ARCH_X86_EVENTS_EXTRA_H

#include <linux/spinlock.h>
#include "engine.h"

/**
 * struct x86_extra - a register that several events need
 * @users:	events that are scheduled in and need @value in it
 * @value:	what the register contains, if @known
 * @known:	@value is right
 */
struct x86_extra {
	unsigned int	users;
	bool		known;
	u64		value;
};

/**
 * struct x86_extra_set - the shared registers of a core
 * @lock:	guards @regs; a leaf, taken with interrupts off
 * @regs:	by hw.extra_reg.idx
 * @threads:	CPUs that use the set
 */
struct x86_extra_set {
	raw_spinlock_t		lock;
	unsigned int		threads;
	struct x86_extra	regs[X86_NR_EXTRA];
};

struct x86_extra_set *x86_extra_alloc(unsigned int cpu);
void x86_extra_join(unsigned int cpu, struct x86_extra_set **spare, bool shared);
void x86_extra_leave(unsigned int cpu);
void x86_extra_forget(struct x86_extra_set *set);
const struct x86_extra_rule *x86_extra_choose(const struct x86_extra *regs,
					      const struct x86_core *core,
					      const struct perf_event *event);
void x86_extra_take(struct x86_extra *reg, u64 value);
int x86_extra_claim(struct x86_extra_set *set, struct perf_event *event);
void x86_extra_release(struct x86_extra_set *set, struct perf_event *event);
u32 x86_extra_find_absent(const struct x86_model *model);
int x86_extra_claim_value(struct x86_extra_set *set, unsigned int reg, u64 value);
void x86_extra_release_value(struct x86_extra_set *set, unsigned int reg);
void x86_extra_write(struct x86_extra_set *set, const struct perf_event *event);

/* May one more event have the register with this value? */
static inline bool x86_extra_has_room(const struct x86_extra *reg, u64 value)
{
	return !reg->users || reg->value == value;
}

/* Most events need no such register. */
static inline int x86_extra_get(struct x86_extra_set *set, struct perf_event *event)
{
	return event->hw.extra_reg.reg ? x86_extra_claim(set, event) : 0;
}

static inline void x86_extra_put(struct x86_extra_set *set, struct perf_event *event)
{
	if (event->hw.extra_reg.reg)
		x86_extra_release(set, event);
}

#endif /* _ARCH_X86_EVENTS_EXTRA_H */
