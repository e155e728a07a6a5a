// SPDX-License-Identifier: GPL-2.0
/* Sieve: memory writes with a stride. */
#include <stdlib.h>
#include "demo.h"

unsigned int primes_below(unsigned int limit)
{
	unsigned char *composite = calloc(limit, 1);
	unsigned int found = 0;

	if (!composite)
		return 0;
	for (unsigned int i = 2; i < limit; i++) {
		if (composite[i])
			continue;
		found++;
		for (unsigned long j = (unsigned long)i * i; j < limit; j += i)
			composite[j] = 1;
	}
	free(composite);
	return found;
}
