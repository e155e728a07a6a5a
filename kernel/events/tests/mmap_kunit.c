// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of the room mmap with real mappings: what a program finds in the pages,
 * which mappings are refused, and what an unmapping ends.
 */
#include <kunit/test.h>
#include <linux/anon_inodes.h>
#include <linux/completion.h>
#include <linux/cpumask.h>
#include <linux/delay.h>
#include <linux/err.h>
#include <linux/file.h>
#include <linux/kthread.h>
#include <linux/mm.h>
#include <linux/mman.h>
#include <linux/poll.h>
#include <linux/uaccess.h>

#include "../buffer_types.h"
#include "../file.h"
#include "../live.h"
#include "../mmap.h"
#include "../ring_buffer.h"
#include "fake_pmu.h"

#define FOREVER_MS	3600000
#define NR_PAGES	5	/* the user page, and four of data */
#define LENGTH		(NR_PAGES * PAGE_SIZE)

static struct fake_pmu fake;

static int mmap_test_suite_init(struct kunit_suite *suite)
{
	return fake_pmu_register(&fake, "kunit_mmap");
}

static void mmap_test_suite_exit(struct kunit_suite *suite)
{
	fake_pmu_unregister(&fake);
}

/* A file as perf_event_open(2) makes it, of an event that counts current. */
struct mmap_test_file {
	struct perf_event	*event;
	struct file		*file;
};

/* The mappings have gone, but their references on the file are put late. */
static void mmap_test_close(void *file)
{
	flush_delayed_fput();
	__fput_sync(file);
}

/* The first mapping gives current an address space. */
static int mmap_test_init(struct kunit *test)
{
	unsigned long at;

	fake_pmu_reset(&fake, FAKE_PMU_COUNTERS, FOREVER_MS);
	at = kunit_vm_mmap(test, NULL, 0, PAGE_SIZE, PROT_READ,
			   MAP_ANONYMOUS | MAP_PRIVATE, 0);
	return !at || IS_ERR_VALUE(at) ? -ENOMEM : 0;
}

static struct mmap_test_file mmap_test_open(struct kunit *test)
{
	struct fake_pmu_spec spec = { .cpu = -1, .task = current };
	struct mmap_test_file new;

	new.event = fake_pmu_try_open(&fake, &spec);
	KUNIT_ASSERT_FALSE(test, IS_ERR(new.event));
	new.file = anon_inode_getfile("[perf_event]", &perf_file_ops, new.event,
				      O_RDWR);
	KUNIT_ASSERT_FALSE(test, IS_ERR(new.file));
	fake_pmu_undo(test, mmap_test_close, new.file);
	return new;
}

/* Return: the address, or an errno. */
static long mmap_test_map(const struct mmap_test_file *from,
			  unsigned int nr_pages)
{
	return vm_mmap(from->file, 0, nr_pages * PAGE_SIZE,
		       PROT_READ | PROT_WRITE, MAP_SHARED, 0);
}

static unsigned long mmap_test_map_all(struct kunit *test,
				       const struct mmap_test_file *from)
{
	long at = mmap_test_map(from, NR_PAGES);

	KUNIT_ASSERT_FALSE(test, IS_ERR_VALUE(at));
	return at;
}

static u64 *mmap_test_page(struct perf_event *event, unsigned int nr)
{
	return page_address(perf_rb_page(event->rb, nr));
}

static void mmap_test_discard(unsigned long at)
{
	mmap_read_lock(current->mm);
	zap_page_range_single(vma_lookup(current->mm, at), at, LENGTH, NULL);
	mmap_read_unlock(current->mm);
}

static void mmap_test_expect_pages(struct kunit *test, unsigned long at)
{
	u64 word;

	for (unsigned int i = 1; i < NR_PAGES; i++) {
		u64 __user *page = (u64 __user *)(at + i * PAGE_SIZE);

		KUNIT_EXPECT_EQ(test, get_user(word, page), 0);
		KUNIT_EXPECT_EQ(test, word, i);
		KUNIT_EXPECT_EQ(test, put_user(word, page), -EFAULT);
	}
}

/* Data can be read only, in the order of the pages; the user page written. */
static void mmap_test_pages(struct kunit *test)
{
	struct mmap_test_file from = mmap_test_open(test);
	unsigned long at = mmap_test_map_all(test, &from);
	struct perf_event_mmap_page __user *userpg = (void __user *)at;
	u64 word;

	for (unsigned int i = 1; i < NR_PAGES; i++)
		*mmap_test_page(from.event, i) = i;
	mmap_test_expect_pages(test, at);
	KUNIT_EXPECT_EQ(test, put_user(5, &userpg->data_tail), 0);
	/* Pages that are discarded come back, by the same rules. */
	mmap_test_discard(at);
	mmap_test_expect_pages(test, at);
	KUNIT_EXPECT_EQ(test, get_user(word, &userpg->data_tail), 0);
	KUNIT_EXPECT_EQ(test, word, 5);
	mmap_test_discard(at);
	KUNIT_EXPECT_EQ(test, put_user(6, &userpg->data_tail), 0);
	KUNIT_EXPECT_EQ(test, from.event->rb->user_page->data_tail, 6);
	vm_munmap(at, LENGTH);
}

static void mmap_test_user_page(struct kunit *test)
{
	struct mmap_test_file from = mmap_test_open(test);
	unsigned long at = mmap_test_map_all(test, &from);
	struct perf_event_mmap_page *userpg = from.event->rb->user_page;

	KUNIT_EXPECT_EQ(test, (int)userpg->cap_bit0, 0);
	KUNIT_EXPECT_EQ(test, (int)userpg->cap_bit0_is_deprecated, 1);
	KUNIT_EXPECT_EQ(test, userpg->size,
			offsetof(struct perf_event_mmap_page, __reserved));
	KUNIT_EXPECT_EQ(test, userpg->data_offset, PAGE_SIZE);
	KUNIT_EXPECT_EQ(test, userpg->data_size, LENGTH - PAGE_SIZE);
	KUNIT_EXPECT_EQ(test, userpg->aux_size, 0);
	vm_munmap(at, LENGTH);
}

static int mmap_test_first_counter(struct perf_event *event)
{
	return 1;
}

/*
 * Updates the page several times, without a switch in between. Before the third
 * time the event seems not to have run for a while.
 */
static void mmap_test_update(struct kunit *test, struct perf_event *event,
			     u64 *times, unsigned int nr)
{
	struct perf_event_mmap_page *userpg = event->rb->user_page;

	guard(irqsave)();
	for (unsigned int i = 0; i < nr; i++) {
		if (i == 2)
			event->running_offset -= NSEC_PER_USEC;
		local64_set(&event->count, i);
		perf_event_update_userpage(event);
		times[i] = userpg->time_enabled;
		KUNIT_EXPECT_EQ(test, userpg->index, 1);
		KUNIT_EXPECT_EQ(test, userpg->offset,
				i - local64_read(&event->hw.prev_count));
		udelay(5);
	}
}

/* Times that the reader continues stay, unless the event did not run. */
static void mmap_test_times_stay(struct kunit *test)
{
	struct mmap_test_file from = mmap_test_open(test);
	int (*idx)(struct perf_event *event) = fake.pmu.event_idx;
	struct perf_event_mmap_page *userpg;
	u64 times[4];

	mmap_test_map_all(test, &from);
	userpg = from.event->rb->user_page;
	fake.pmu.event_idx = mmap_test_first_counter;
	mmap_test_update(test, from.event, times, ARRAY_SIZE(times));
	fake.pmu.event_idx = idx;
	KUNIT_EXPECT_GT(test, times[2], times[1]);
	if (!userpg->cap_user_time)
		kunit_skip(test, "no clock to read here");
	KUNIT_EXPECT_EQ(test, times[1], times[0]);
	KUNIT_EXPECT_EQ(test, times[3], times[2]);
}

static void mmap_test_sizes(struct kunit *test)
{
	struct mmap_test_file from = mmap_test_open(test);
	unsigned long at, again, other;

	KUNIT_EXPECT_EQ(test, mmap_test_map(&from, 4), -EINVAL);
	KUNIT_EXPECT_NULL(test, from.event->rb);
	at = mmap_test_map(&from, 1);
	KUNIT_EXPECT_FALSE(test, IS_ERR_VALUE(at));
	vm_munmap(at, PAGE_SIZE);

	/* Once mapped, in no other size, until it is unmapped. */
	at = mmap_test_map_all(test, &from);
	KUNIT_EXPECT_EQ(test, mmap_test_map(&from, 3), -EINVAL);
	again = mmap_test_map_all(test, &from);
	KUNIT_EXPECT_EQ(test, refcount_read(&from.event->rb->mmap_count), 2);
	vm_munmap(at, LENGTH);
	KUNIT_EXPECT_NOT_NULL(test, from.event->rb);
	vm_munmap(again, LENGTH);
	KUNIT_EXPECT_NULL(test, from.event->rb);
	other = mmap_test_map(&from, 3);
	KUNIT_EXPECT_FALSE(test, IS_ERR_VALUE(other));
	vm_munmap(other, 3 * PAGE_SIZE);
}

/* The buffer of another event is not mapped, until it has gone. */
static void mmap_test_redirected(struct kunit *test)
{
	struct mmap_test_file from = mmap_test_open(test),
			      second = mmap_test_open(test);
	unsigned long at = mmap_test_map_all(test, &from), other;
	struct perf_buffer *rb = from.event->rb;

	KUNIT_ASSERT_EQ(test, perf_mmap_set_output(second.event, from.event), 0);
	KUNIT_EXPECT_EQ(test, mmap_test_map(&second, NR_PAGES), -EINVAL);
	KUNIT_EXPECT_PTR_EQ(test, second.event->rb, rb);

	/* Its last mapping has gone; the close has not come this far. */
	refcount_set(&rb->mmap_count, 0);
	other = mmap_test_map(&second, NR_PAGES);
	KUNIT_EXPECT_FALSE(test, IS_ERR_VALUE(other));
	KUNIT_EXPECT_NOT_NULL(test, second.event->rb);
	KUNIT_EXPECT_PTR_NE(test, second.event->rb, rb);
	refcount_set(&rb->mmap_count, 1);
	vm_munmap(other, LENGTH);
	vm_munmap(at, LENGTH);
	KUNIT_EXPECT_NULL(test, from.event->rb);
}

/* Pages are charged while they are mapped. */
static void mmap_test_charge(struct kunit *test)
{
	long before = perf_live_sum(PERF_LIVE_USER_PAGES) +
		      perf_live_sum(PERF_LIVE_PINNED_PAGES);
	struct mmap_test_file from = mmap_test_open(test);
	struct user_struct *user = current_user();
	long used = atomic_long_read(&user->perf_mlock) +
		    atomic64_read(&current->mm->pinned_vm);
	unsigned long at = mmap_test_map_all(test, &from);

	KUNIT_EXPECT_EQ(test, perf_live_sum(PERF_LIVE_USER_PAGES) +
			perf_live_sum(PERF_LIVE_PINNED_PAGES),
			before + NR_PAGES);
	KUNIT_EXPECT_EQ(test, atomic_long_read(&user->perf_mlock) +
			atomic64_read(&current->mm->pinned_vm),
			used + NR_PAGES);
	KUNIT_EXPECT_PTR_EQ(test, from.event->rb->charge.user, user);
	KUNIT_EXPECT_PTR_EQ(test, from.event->rb->charge.mm, current->mm);
	vm_munmap(at, LENGTH);
	KUNIT_EXPECT_EQ(test, perf_live_sum(PERF_LIVE_USER_PAGES) +
			perf_live_sum(PERF_LIVE_PINNED_PAGES), before);
	KUNIT_EXPECT_EQ(test, atomic_long_read(&user->perf_mlock) +
			atomic64_read(&current->mm->pinned_vm), used);
}

/* The last unmapping takes all events off the buffer. */
static void mmap_test_detaches_all(struct kunit *test)
{
	struct mmap_test_file from = mmap_test_open(test),
			      second = mmap_test_open(test);
	unsigned long at = mmap_test_map_all(test, &from);
	struct perf_buffer *rb = perf_rb_get(from.event);

	KUNIT_ASSERT_PTR_EQ(test, rb, from.event->rb);
	KUNIT_ASSERT_EQ(test, perf_mmap_set_output(second.event, from.event), 0);
	KUNIT_EXPECT_FALSE(test, perf_mmap_poll(second.event));
	vm_munmap(at, LENGTH);
	KUNIT_EXPECT_NULL(test, from.event->rb);
	KUNIT_EXPECT_NULL(test, second.event->rb);
	KUNIT_EXPECT_TRUE(test, list_empty(&rb->event_list));
	KUNIT_EXPECT_NULL(test, rb->page_event);
	KUNIT_EXPECT_TRUE(test, perf_mmap_poll(second.event) == EPOLLHUP);
	KUNIT_EXPECT_EQ(test, refcount_read(&rb->refcount), 1);
	perf_rb_put(rb);
}

/* An event that comes while another CPU walks over the events of a buffer. */

#define WALK_US		20000

struct mmap_test_comer {
	struct perf_event	*event;
	struct perf_event	*target;
	struct completion	done;
	bool			comes;
};

static int mmap_test_come(void *arg)
{
	struct mmap_test_comer *comer = arg;

	WRITE_ONCE(comer->comes, true);
	perf_mmap_set_output(comer->event, comer->target);
	complete(&comer->done);
	return 0;
}

/* Return: whether the list is the same for as long as its lock is held. */
static bool mmap_test_walk(struct perf_buffer *rb,
			   struct mmap_test_comer *comer,
			   struct task_struct *thread)
{
	bool same;

	spin_lock_irq(&rb->event_lock);
	wake_up_process(thread);
	for (int us = 0; !READ_ONCE(comer->comes) && us < 100 * WALK_US; us++)
		udelay(1);
	for (int us = 0; us < WALK_US; us++)
		udelay(1);
	same = list_is_singular(&rb->event_list);
	spin_unlock_irq(&rb->event_lock);
	return same;
}

static void mmap_test_links_locked(struct kunit *test)
{
	struct task_struct *thread;
	struct mmap_test_comer comer = { };
	struct mmap_test_file from, second;
	unsigned long at;

	if (num_online_cpus() < 2)
		kunit_skip(test, "one CPU");
	from = mmap_test_open(test);
	second = mmap_test_open(test);
	at = mmap_test_map_all(test, &from);
	comer.event = second.event;
	comer.target = from.event;
	init_completion(&comer.done);
	migrate_disable();
	thread = kthread_create_on_cpu(mmap_test_come, &comer,
				       cpumask_any_but(cpu_online_mask,
						       smp_processor_id()),
				       "perf_kunit/%u");
	KUNIT_EXPECT_TRUE(test, mmap_test_walk(from.event->rb, &comer, thread));
	migrate_enable();
	wait_for_completion(&comer.done);
	KUNIT_EXPECT_PTR_EQ(test, second.event->rb, from.event->rb);
	vm_munmap(at, LENGTH);
}

static struct kunit_case mmap_test_cases[] = {
	KUNIT_CASE(mmap_test_pages),
	KUNIT_CASE(mmap_test_user_page),
	KUNIT_CASE(mmap_test_times_stay),
	KUNIT_CASE(mmap_test_sizes),
	KUNIT_CASE(mmap_test_redirected),
	KUNIT_CASE(mmap_test_charge),
	KUNIT_CASE(mmap_test_detaches_all),
	KUNIT_CASE(mmap_test_links_locked),
	{ }
};

static struct kunit_suite mmap_test_suite = {
	.name		= "perf_mmap",
	.suite_init	= mmap_test_suite_init,
	.suite_exit	= mmap_test_suite_exit,
	.init		= mmap_test_init,
	.test_cases	= mmap_test_cases,
};

kunit_test_suite(mmap_test_suite);
