/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the parts of the program share.
 */
#ifndef LAB_MODEL_X86_TEST_H
#define LAB_MODEL_X86_TEST_H

/* Ends the program with the message and the seed unless the condition holds. */
#define require(condition, ...)						\
	do {								\
		if (!(condition))					\
			test_fail(__FILE__, __LINE__, __VA_ARGS__);	\
	} while (0)

void __noreturn __printf(3, 4)
test_fail(const char *file, int line, const char *format, ...);

/* Numbers that follow from the seed. */
u64 test_random(void);
unsigned int test_below(unsigned int end);

/* One function for each room. Return: number of cases that were checked. */
unsigned long test_amd_lbr(unsigned int rounds);
unsigned long test_count(unsigned int rounds);
unsigned long test_ibs(unsigned int rounds);
unsigned long test_place(unsigned int rounds);
unsigned long test_branch(unsigned int rounds);
unsigned long test_lbr(unsigned int rounds);
unsigned long test_pebs_decode(unsigned int rounds);

#endif
