// SPDX-License-Identifier: GPL-2.0
/*
 * Room "sample": properties of addresses, from page tables.
 *
 * Purpose: PERF_SAMPLE_PHYS_ADDR, PERF_SAMPLE_DATA_PAGE_SIZE and
 * PERF_SAMPLE_CODE_PAGE_SIZE; where a dump of the user's stack has to end.
 *
 * Contexts: any down to NMI. Takes no lock and allocates nothing.
 *
 * Lifetime: page tables are freed after an interrupt to every CPU that uses
 * the address space, or after an RCU-sched grace period. While interrupts are
 * off on this CPU the current task's tables stay. Their entries still change
 * under the reader, so each level is read once and only that copy is used.
 */

#include <linux/cleanup.h>
#include <linux/hugetlb.h>
#include <linux/io.h>
#include <linux/irqflags.h>
#include <linux/mm.h>
#include <linux/pgtable.h>
#include <linux/sched/mm.h>
#include <linux/uaccess.h>

#include "sample_parts.h"

static u64 sample_user_phys(unsigned long addr)
{
	struct page *page;
	u64 phys = 0;

	if (!is_user_task(current))
		return 0;

	pagefault_disable();
	if (get_user_page_fast_only(addr, 0, &page)) {
		phys = page_to_phys(page) + offset_in_page(addr);
		put_page(page);
	}
	pagefault_enable();
	return phys;
}

/**
 * perf_sample_phys_addr() - find the physical address of a virtual one
 * @addr: kernel address, or the current task's user address
 *
 * Kernel addresses are translated inside the linear map only.
 *
 * Context: any.
 * Return: the physical address, 0 when none can be found.
 */
u64 perf_sample_phys_addr(u64 addr)
{
	void *kernel = (void *)(unsigned long)addr;

	if (!addr)
		return 0;
	if (addr < TASK_SIZE)
		return sample_user_phys(addr);
	if (is_vmalloc_addr(kernel) || !virt_addr_valid(kernel))
		return 0;

	return virt_to_phys(kernel);
}

#ifdef CONFIG_HAVE_GUP_FAST
/* Return: false if a huge page has just replaced the table. */
static bool sample_pte_size(pmd_t pmd, unsigned long addr, u64 *bytes)
{
	pte_t *ptep = pte_offset_map(&pmd, addr);
	pte_t pte;

	if (!ptep)
		return false;
	__acquire(RCU);	/* for sparse: the function has no such annotation */

	pte = ptep_get_lockless(ptep);
	*bytes = pte_present(pte) ? __pte_leaf_size(pmd, pte) : 0;
	pte_unmap(ptep);
	return true;
}

static u64 sample_pmd_size(pmd_t *pmdp, unsigned long addr)
{
	u64 bytes = 0;
	pmd_t pmd;

	do {
		pmd = pmdp_get_lockless(pmdp);
		if (!pmd_present(pmd))
			return 0;
		if (pmd_leaf(pmd))
			return pmd_leaf_size(pmd);
	} while (!sample_pte_size(pmd, addr, &bytes));

	return bytes;
}

static u64 sample_p4d_size(p4d_t *p4dp, p4d_t p4d, unsigned long addr)
{
	pud_t *pudp = pud_offset_lockless(p4dp, p4d, addr);
	pud_t pud = READ_ONCE(*pudp);

	if (!pud_present(pud))
		return 0;

	return pud_leaf(pud) ? pud_leaf_size(pud) :
		sample_pmd_size(pmd_offset_lockless(pudp, pud, addr), addr);
}

static u64 sample_mapped_size(struct mm_struct *mm, unsigned long addr)
{
	pgd_t *pgdp = pgd_offset(mm, addr);
	pgd_t pgd = READ_ONCE(*pgdp);
	p4d_t *p4dp, p4d;

	if (pgd_none(pgd) || pgd_leaf(pgd))
		return pgd_none(pgd) ? 0 : pgd_leaf_size(pgd);

	p4dp = p4d_offset_lockless(pgdp, pgd, addr);
	p4d = READ_ONCE(*p4dp);
	if (!p4d_present(p4d))
		return 0;

	return p4d_leaf(p4d) ? p4d_leaf_size(p4d) :
		sample_p4d_size(p4dp, p4d, addr);
}
#else
/* Tables cannot be walked without locks: the size is unknown. */
static u64 sample_mapped_size(struct mm_struct *mm, unsigned long addr)
{
	return 0;
}
#endif

/**
 * perf_sample_page_size() - find the size of the page behind an address
 * @addr: kernel address, or the current task's user address
 *
 * Context: any.
 * Return: bytes that one entry of the page tables maps, 0 when not mapped.
 */
u64 perf_sample_page_size(unsigned long addr)
{
	if (!addr)
		return 0;

	guard(irqsave)();
	return sample_mapped_size(current->mm ?: &init_mm, addr);
}

/**
 * perf_sample_is_absent() - check whether an address is known to be unmapped
 * @addr: current task's user address
 *
 * An access to an absent page costs an exception; this check costs a walk.
 *
 * Context: any.
 * Return: true when an access would fault; false when it may succeed, or when
 * tables cannot be walked here.
 */
bool perf_sample_is_absent(unsigned long addr)
{
	return IS_ENABLED(CONFIG_HAVE_GUP_FAST) && !perf_sample_page_size(addr);
}
