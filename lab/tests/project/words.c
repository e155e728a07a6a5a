// SPDX-License-Identifier: GPL-2.0
/* Hashing: integer work, a branch for every character. */
#include "demo.h"

unsigned long words_hash(const char *text, unsigned int rounds)
{
	unsigned long hash = 5381;

	while (rounds--) {
		for (const char *p = text; *p; p++)
			hash = *p == ' ' ? hash ^ (hash >> 7) : hash * 33 + *p;
	}
	return hash;
}
