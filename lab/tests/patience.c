// SPDX-License-Identifier: GPL-2.0
/*
 * Linked to the base's selftests: their harness gives a test thirty seconds,
 * for a real machine. An emulated debug kernel on a busy host needs more; the
 * lab has its own time limits.
 */
#include <unistd.h>

#define PATIENCE	6

unsigned int __real_alarm(unsigned int seconds);
unsigned int __wrap_alarm(unsigned int seconds);

unsigned int __wrap_alarm(unsigned int seconds)
{
	return __real_alarm(seconds * PATIENCE);
}
