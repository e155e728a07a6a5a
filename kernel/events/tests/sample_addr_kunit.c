// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of the room sample: physical addresses and sizes of pages, against what
 * the rest of the kernel says about the same addresses.
 *
 * The test's thread plays the user's task. It gets an address space with some
 * pages, of which only the first ones are in memory.
 */
#include <kunit/test.h>
#include <linux/memblock.h>
#include <linux/mm.h>
#include <linux/mman.h>
#include <linux/perf_event.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uaccess.h>
#include <linux/vmalloc.h>

#include "../sample_parts.h"

#define SAMPLE_ADDR_TEST_PAGES	4
/* Pages of the mapping that are in memory. */
#define SAMPLE_ADDR_TEST_TOUCHED	2

static unsigned long sample_addr_test_map(struct kunit *test)
{
	unsigned long at;

	at = kunit_vm_mmap(test, NULL, 0, SAMPLE_ADDR_TEST_PAGES * PAGE_SIZE,
			   PROT_READ | PROT_WRITE, MAP_ANONYMOUS | MAP_PRIVATE,
			   0);
	KUNIT_ASSERT_FALSE(test, !at || IS_ERR_VALUE(at));
	for (int i = 0; i < SAMPLE_ADDR_TEST_TOUCHED; i++)
		KUNIT_ASSERT_EQ(test, 0, put_user(1, (char __user *)at +
						  i * PAGE_SIZE));
	return at;
}

/* What a sample of a user's task would show. */
static u64 sample_addr_test_user_phys(unsigned long addr)
{
	u64 phys;

	guard(irqsave)();
	current->flags &= ~PF_KTHREAD;
	phys = perf_sample_phys_addr(addr);
	current->flags |= PF_KTHREAD;
	return phys;
}

/* The page that is mapped at @addr, with a reference. */
static struct page *sample_addr_test_page(struct kunit *test,
					  unsigned long addr)
{
	struct page *page;

	KUNIT_ASSERT_EQ(test, 1, get_user_pages_fast(addr, 1, 0, &page));
	return page;
}

/* The page's address, and the offset in it; the page is not kept. */
static void sample_addr_test_user(struct kunit *test)
{
	unsigned long at = sample_addr_test_map(test);

	for (int i = 0; i < SAMPLE_ADDR_TEST_TOUCHED; i++, at += PAGE_SIZE) {
		struct page *page = sample_addr_test_page(test, at);
		int users = page_ref_count(page);

		KUNIT_EXPECT_EQ(test, sample_addr_test_user_phys(at + i),
				page_to_phys(page) + i);
		KUNIT_EXPECT_EQ(test,
				sample_addr_test_user_phys(at + PAGE_SIZE - 1),
				page_to_phys(page) + PAGE_SIZE - 1);
		KUNIT_EXPECT_EQ(test, page_ref_count(page), users);
		put_page(page);
	}
	KUNIT_EXPECT_FALSE(test, pagefault_disabled());
}

/* A page that is not in memory has no address, and is not read into memory. */
static void sample_addr_test_user_absent(struct kunit *test)
{
	unsigned long at = sample_addr_test_map(test) +
			   SAMPLE_ADDR_TEST_TOUCHED * PAGE_SIZE;

	for (int i = 0; i < 2; i++) {
		KUNIT_EXPECT_EQ(test, sample_addr_test_user_phys(at), 0);
		if (IS_ENABLED(CONFIG_HAVE_GUP_FAST))
			KUNIT_EXPECT_TRUE(test, perf_sample_is_absent(at));
		KUNIT_EXPECT_EQ(test, perf_sample_page_size(at), 0);
	}
	KUNIT_EXPECT_FALSE(test, pagefault_disabled());
}

/* A thread of the kernel has no user side, although it has borrowed one here. */
static void sample_addr_test_thread(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, perf_sample_phys_addr(sample_addr_test_map(test)),
			0);
}

/* Only addresses of the linear map are translated. */
static void sample_addr_test_kernel(struct kunit *test)
{
	char *linear = kunit_kzalloc(test, PAGE_SIZE, GFP_KERNEL);
	void *mapped = vmalloc(PAGE_SIZE);

	KUNIT_ASSERT_NOT_NULL(test, linear);
	KUNIT_EXPECT_EQ(test, perf_sample_phys_addr((unsigned long)linear),
			virt_to_phys(linear));
	KUNIT_EXPECT_EQ(test, perf_sample_phys_addr((unsigned long)linear + 7),
			virt_to_phys(linear) + 7);
	KUNIT_EXPECT_EQ(test, perf_sample_phys_addr((unsigned long)mapped), 0);
	KUNIT_EXPECT_EQ(test, perf_sample_phys_addr(0), 0);
	vfree(mapped);
}

static void sample_addr_test_need_tables(struct kunit *test)
{
	if (!IS_ENABLED(CONFIG_HAVE_GUP_FAST))
		kunit_skip(test, "page tables cannot be walked without locks");
}

static void sample_addr_test_user_size(struct kunit *test)
{
	unsigned long at = sample_addr_test_map(test);

	sample_addr_test_need_tables(test);
	for (int i = 0; i < SAMPLE_ADDR_TEST_TOUCHED; i++, at += PAGE_SIZE) {
		KUNIT_EXPECT_EQ(test, perf_sample_page_size(at + i), PAGE_SIZE);
		KUNIT_EXPECT_FALSE(test, perf_sample_is_absent(at + i));
	}
	KUNIT_EXPECT_EQ(test, perf_sample_page_size(0), 0);
}

/* Behind an area of vmalloc() is a page that is never mapped. */
static void sample_addr_test_vmalloc_size(struct kunit *test)
{
	void *mapped = vmalloc(SAMPLE_ADDR_TEST_PAGES * PAGE_SIZE);
	unsigned long at = (unsigned long)mapped;
	u64 size[2];

	KUNIT_ASSERT_NOT_NULL(test, mapped);
	size[0] = perf_sample_page_size(at);
	size[1] =
		perf_sample_page_size(at + SAMPLE_ADDR_TEST_PAGES * PAGE_SIZE);
	vfree(mapped);
	sample_addr_test_need_tables(test);
	KUNIT_EXPECT_EQ(test, size[0], PAGE_SIZE);
	KUNIT_EXPECT_EQ(test, size[1], 0);
}

#ifdef CONFIG_X86_64
/* An address of the linear map's range, far behind all memory. */
static unsigned long sample_addr_test_behind_memory(void)
{
	return (unsigned long)__va(PFN_PHYS(max_pfn) + (1ULL << 40));
}

static void sample_addr_test_no_memory(struct kunit *test)
{
	KUNIT_ASSERT_FALSE(test,
			   virt_addr_valid(sample_addr_test_behind_memory()));
	KUNIT_EXPECT_EQ(test,
			perf_sample_phys_addr(sample_addr_test_behind_memory()),
			0);
	KUNIT_EXPECT_EQ(test,
			perf_sample_page_size(sample_addr_test_behind_memory()),
			0);
}

static u64 sample_addr_test_size_of(unsigned long at)
{
	unsigned int level;
	pte_t *entry = lookup_address(at, &level);

	return entry && pte_present(*entry) ? page_level_size(level) : 0;
}

/* All sizes that the kernel's own memory is mapped with. */
static void sample_addr_test_kernel_sizes(struct kunit *test)
{
	unsigned long phys, at,
		text = (unsigned long)sample_addr_test_kernel_sizes;
	u64 seen = 0, size;

	for (phys = 0; phys < PFN_PHYS(max_pfn); phys += PMD_SIZE) {
		at = (unsigned long)__va(phys);
		size = sample_addr_test_size_of(at);
		KUNIT_EXPECT_EQ_MSG(test, size, perf_sample_page_size(at),
				    "at %#lx", at);
		seen |= size;
	}
	KUNIT_EXPECT_NE(test, seen & PMD_SIZE, 0);
	KUNIT_EXPECT_EQ(test, perf_sample_page_size(text),
			sample_addr_test_size_of(text));
}
#endif

static struct kunit_case sample_addr_test_cases[] = {
	KUNIT_CASE(sample_addr_test_user),
	KUNIT_CASE(sample_addr_test_user_absent),
	KUNIT_CASE(sample_addr_test_thread),
	KUNIT_CASE(sample_addr_test_kernel),
	KUNIT_CASE(sample_addr_test_user_size),
	KUNIT_CASE(sample_addr_test_vmalloc_size),
#ifdef CONFIG_X86_64
	KUNIT_CASE(sample_addr_test_no_memory),
	KUNIT_CASE(sample_addr_test_kernel_sizes),
#endif
	{ }
};

static struct kunit_suite sample_addr_test_suite = {
	.name		= "perf_sample_addr",
	.test_cases	= sample_addr_test_cases,
};

kunit_test_suite(sample_addr_test_suite);

MODULE_DESCRIPTION("KUnit tests of what perf's samples tell about addresses");
MODULE_LICENSE("GPL");
