/* SPDX-License-Identifier: GPL-2.0 */
/* Room "amd/ibs_state": what an NMI of IBS means. */
#ifndef _ARCH_X86_EVENTS_AMD_IBS_STATE_H
#define _ARCH_X86_EVENTS_AMD_IBS_STATE_H

#include <linux/types.h>

/**
 * enum amd_ibs_state - state of one IBS unit of a CPU
 * @AMD_IBS_OFF:	it does not sample, and no NMI can come
 * @AMD_IBS_OFF_LATE:	it does not sample; an NMI may be on its way
 * @AMD_IBS_ON:		it samples
 * @AMD_IBS_ON_LATE:	it samples; an NMI from before may be on its way
 * @AMD_IBS_STOPPING:	it is being turned off
 * @AMD_IBS_STOPPING_SAMPLED: the same; an NMI came and has taken the sample
 */
enum amd_ibs_state {
	AMD_IBS_OFF,
	AMD_IBS_OFF_LATE,
	AMD_IBS_ON,
	AMD_IBS_ON_LATE,
	AMD_IBS_STOPPING,
	AMD_IBS_STOPPING_SAMPLED,
};

#define AMD_IBS_NR_STATES	(AMD_IBS_STOPPING_SAMPLED + 1)

/**
 * enum amd_ibs_input - what happens to the unit
 * @AMD_IBS_START:	the event starts; next the unit is turned on
 * @AMD_IBS_STOP:	the event stops; next the unit is turned off
 * @AMD_IBS_STOPPED:	the unit was turned off
 * @AMD_IBS_SAMPLE:	an NMI; the unit has a sample
 * @AMD_IBS_EMPTY:	an NMI; the unit has no sample
 */
enum amd_ibs_input {
	AMD_IBS_START,
	AMD_IBS_STOP,
	AMD_IBS_STOPPED,
	AMD_IBS_SAMPLE,
	AMD_IBS_EMPTY,
};

#define AMD_IBS_NR_INPUTS	(AMD_IBS_EMPTY + 1)

/**
 * enum amd_ibs_action - what to do
 * @AMD_IBS_NOTHING:	nothing; an NMI is not of this unit
 * @AMD_IBS_TURN_ON:	turn the unit on
 * @AMD_IBS_TURN_OFF:	turn the unit off, then AMD_IBS_STOPPED
 * @AMD_IBS_COUNT:	count what the unit had counted when it was turned off
 * @AMD_IBS_CLAIM:	the NMI was of this unit, and there is nothing to do
 * @AMD_IBS_TAKE:	take the sample; go on only if the state is still
 *	AMD_IBS_ON or AMD_IBS_ON_LATE then
 */
enum amd_ibs_action {
	AMD_IBS_NOTHING,
	AMD_IBS_TURN_ON,
	AMD_IBS_TURN_OFF,
	AMD_IBS_COUNT,
	AMD_IBS_CLAIM,
	AMD_IBS_TAKE,
};

/**
 * struct amd_ibs_step - a row of the table
 * @next:	enum amd_ibs_state
 * @action:	enum amd_ibs_action
 */
struct amd_ibs_step {
	u8	next;
	u8	action;
};

struct amd_ibs_step amd_ibs_state_step(enum amd_ibs_state state, enum amd_ibs_input input);

#endif /* _ARCH_X86_EVENTS_AMD_IBS_STATE_H */
