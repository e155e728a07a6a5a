// SPDX-License-Identifier: GPL-2.0
/*
 * Room "reserve": the counters are ours while events are open.
 *
 * Purpose: reserve the general counters against other users of their registers,
 * which ask the kernel's NMI watchdog code.
 *
 * Owns: struct x86_reserve.
 *
 * Contexts: tasks that open or close events; a work.
 *
 * Lifetime: the reservation begins with the first event. A program that opens
 * and closes one event after the other should not pay for it each time, so it
 * ends a second after the last event was closed. The work that ends it is not
 * cancelled when an event is opened: it finds users, and does nothing.
 *
 * Locking: x86_reserve::lock for the reservation. The number of users becomes
 * positive only with the lock held, so it stays zero while the work releases the
 * counters.
 */
#include <linux/jiffies.h>
#include <asm/nmi.h>
#include "pmc.h"
#include "reserve.h"

/* How long the reservation outlives the last event. */
#define LINGER		HZ

static void release_counters(u64 counters)
{
	unsigned int counter;

	while (counters) {
		counter = __ffs64(counters);
		counters &= counters - 1;
		release_perfctr_nmi(x86_pmc.counter + counter * x86_pmc.step);
		release_evntsel_nmi(x86_pmc_select(&x86_pmc, counter));
	}
}

static bool reserve_counter(unsigned int counter)
{
	u32 address = x86_pmc.counter + counter * x86_pmc.step;

	if (!reserve_perfctr_nmi(address))
		return false;
	if (reserve_evntsel_nmi(x86_pmc_select(&x86_pmc, counter)))
		return true;
	release_perfctr_nmi(address);
	return false;
}

static int reserve_counters(u64 counters)
{
	u64 done = 0;
	unsigned int counter;

	while (counters & ~done) {
		counter = __ffs64(counters & ~done);
		if (!reserve_counter(counter)) {
			release_counters(done);
			return -EBUSY;
		}
		done |= BIT_ULL(counter);
	}
	return 0;
}

/* Starts itself again if the last event was closed less than a second ago. */
static void end_reservation(struct work_struct *work)
{
	struct x86_reserve *r = container_of(to_delayed_work(work), struct x86_reserve, work);
	unsigned long end;

	guard(mutex)(&r->lock);
	if (atomic_read(&r->users))
		return;
	end = READ_ONCE(r->idle_since) + LINGER;
	if (time_before(jiffies, end)) {
		schedule_delayed_work(&r->work, end - jiffies);
		return;
	}
	release_counters(r->held);
	r->held = 0;
}

/**
 * x86_reserve_init() - prepare a reservation
 * @r: the reservation, all zeros
 * @counters: tells which general counters are needed
 *
 * Context: any.
 */
void x86_reserve_init(struct x86_reserve *r, u64 (*counters)(void))
{
	mutex_init(&r->lock);
	r->counters = counters;
	INIT_DELAYED_WORK(&r->work, end_reservation);
}

/* Return: 0, or -EBUSY if something else uses a counter. */
static int begin(struct x86_reserve *r)
{
	u64 counters = r->counters();
	int err = reserve_counters(counters);

	if (!err)
		r->held = counters;
	return err;
}

/**
 * x86_reserve_get() - an event is opened
 * @r: the reservation of its counters
 *
 * Context: task; takes the lock of the reservation.
 * Return: 0, or -EBUSY if something else uses a counter.
 */
int x86_reserve_get(struct x86_reserve *r)
{
	int err = 0;

	if (atomic_inc_not_zero(&r->users))
		return 0;
	guard(mutex)(&r->lock);
	if (!r->held)
		err = begin(r);
	if (!err)
		atomic_inc(&r->users);
	return err;
}

/**
 * x86_reserve_put() - an event is closed
 * @r: the reservation of its counters
 *
 * Context: any.
 */
void x86_reserve_put(struct x86_reserve *r)
{
	/* The work may run at once when there are no users. */
	WRITE_ONCE(r->idle_since, jiffies);
	if (atomic_dec_and_test(&r->users) && !delayed_work_pending(&r->work))
		schedule_delayed_work(&r->work, LINGER);
}
