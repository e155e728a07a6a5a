// SPDX-License-Identifier: GPL-2.0
/*
 * The pure rooms of arch/x86/events in user space, with sanitizers.
 *
 *	rules [SEED [ROUNDS]]
 *
 * Everything follows from the seed; a failure prints it. ROUNDS is how many
 * random cases of each kind are made.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "test.h"

static const struct {
	const char *room;
	unsigned long (*run)(unsigned int rounds);
} tests[] = {
	{ "count", test_count },
	{ "place", test_place },
	{ "branch", test_branch },
	{ "lbr", test_lbr },
	{ "ibs", test_ibs },
	{ "amd_lbr", test_amd_lbr },
	{ "pebs_decode", test_pebs_decode },
};

static unsigned long long seed;
static u64 state;

void test_fail(const char *file, int line, const char *format, ...)
{
	va_list arguments;

	printf("%s:%d: ", file, line);
	va_start(arguments, format);
	vprintf(format, arguments);
	va_end(arguments);
	printf(" (seed %llu)\n", seed);
	exit(1);
}

/* splitmix64: the state is a sequence of all numbers, each is then mixed. */
u64 test_random(void)
{
	u64 word = state += 0x9e3779b97f4a7c15ULL;

	word = (word ^ word >> 30) * 0xbf58476d1ce4e5b9ULL;
	word = (word ^ word >> 27) * 0x94d049bb133111ebULL;
	return word ^ word >> 31;
}

unsigned int test_below(unsigned int end)
{
	return test_random() % end;
}

int main(int argc, char **argv)
{
	unsigned int rounds = argc > 2 ? strtoul(argv[2], NULL, 0) : 20000;
	unsigned int i;

	seed = argc > 1 ? strtoull(argv[1], NULL, 0) : 1;
	for (i = 0; i < ARRAY_SIZE(tests); i++) {
		state = seed;
		printf("%s%s: %lu cases", i ? ", " : "", tests[i].room,
		       tests[i].run(rounds));
	}
	printf("; seed %llu\n", seed);
	return 0;
}
