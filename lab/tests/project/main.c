// SPDX-License-Identifier: GPL-2.0
/* Runs the three kinds of work and prints their results. */
#include <stdio.h>
#include "demo.h"

int main(void)
{
	printf("primes %u\n", primes_below(200000));
	printf("hash   %lx\n", words_hash("the quick brown fox", 20000));
	printf("trace  %.3f\n", matrix_trace(96));
	return 0;
}
