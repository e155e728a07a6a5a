/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Marks: the instructions by which the guest's program speaks to the plugin
 *
 * A mark does nothing on any CPU:
 *
 *	nopl DISP32(%rax)	0f 1f 80 <DISP32>
 *
 * DISP32 is MARK_MAGIC + command * MARK_REGIONS + region. The guest has a table
 * of functions with one mark each, so that the region can be a variable.
 */
#ifndef LAB_LINES_MARKS_H
#define LAB_LINES_MARKS_H

#define MARK_MAGIC	0x4c4e0000
#define MARK_REGIONS	128
#define MARK_COMMANDS	5

enum mark {
	MARK_CALIBRATE,	/* the next load reads this instruction's own bytes */
	MARK_ARM,	/* instrument code, a few milliseconds from now on */
	MARK_START,	/* begin an operation of the region */
	MARK_STOP,	/* end the operation; count no longer */
	MARK_NEXT,	/* end the operation, begin another of this region */
};

#endif
