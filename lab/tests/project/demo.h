/* SPDX-License-Identifier: GPL-2.0 */
#ifndef DEMO_H
#define DEMO_H

unsigned int primes_below(unsigned int limit);
unsigned long words_hash(const char *text, unsigned int rounds);
double matrix_trace(unsigned int size);

#endif
