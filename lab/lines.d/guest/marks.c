// SPDX-License-Identifier: GPL-2.0
/*
 * The guest's program: the marks that the plugin sees
 */
#include <unistd.h>

#include "lines.h"

#define TEXT(x)		#x
#define TEXT_OF(x)	TEXT(x)
#define MARK_SIZE	8	/* of a mark and its return */

/* The functions: a mark and a return each. */
asm(".text\n.p2align 6\n.globl mark_table\nmark_table:\n.set number, 0\n"
	".rept " TEXT_OF(MARK_COMMANDS) " * " TEXT_OF(MARK_REGIONS) "\n"
	".byte 0x0f, 0x1f, 0x80\n.long " TEXT_OF(MARK_MAGIC) " + number\nret\n"
	".set number, number + 1\n.endr\n");

static unsigned int first_region;

static void mark(enum mark command, unsigned int number)
{
	char *entry = mark_table + MARK_SIZE * (command * MARK_REGIONS + number);

	((void (*)(void))entry)();
}

void marks_arm(void)
{
	mark(MARK_ARM, 0);
	usleep(20000);
	mark(MARK_CALIBRATE, 0);
	asm volatile("" : : "r" (mark_table[0]) : "memory");
}

void mark_start(unsigned int number)
{
	mark(MARK_START, number);
}

void mark_stop(void)
{
	mark(MARK_STOP, 0);
}

void mark_next(void)
{
	mark(MARK_NEXT, 0);
}

void regions_of_row(unsigned int first)
{
	first_region = first;
}

unsigned int region_of_row(unsigned int which)
{
	return first_region + which;
}
