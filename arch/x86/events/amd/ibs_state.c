// SPDX-License-Identifier: GPL-2.0
/*
 * Room "amd/ibs_state": what an NMI of IBS means.
 *
 * Purpose: say what to do when an event of a unit starts or stops, and when an
 * NMI comes. An NMI may come between any two instructions of start and stop,
 * and also a while after the unit was turned off, when its register does not
 * show a sample any more. The kernel reports an NMI that nobody claims. So the
 * table says for each state whether the NMI is of the unit.
 *
 * - While an event is being stopped an NMI may still take its sample, but it
 *   neither turns the unit on again, nor stops the event a second time.
 * - After each stop one NMI without a sample is claimed, even if it comes when
 *   the next event is on.
 *
 * Owns: constant data.
 *
 * Contexts: any. The room is pure, and also runs in user space
 * (./perflab check x86).
 *
 * Locking: none.
 */
#include "ibs_state.h"

#define STEP(next_state, what)	{ AMD_IBS_##next_state, AMD_IBS_##what }

static const struct amd_ibs_step steps[AMD_IBS_NR_STATES][AMD_IBS_NR_INPUTS] = {
	[AMD_IBS_OFF] = {
		[AMD_IBS_START]		= STEP(ON, TURN_ON),
		[AMD_IBS_STOP]		= STEP(OFF, NOTHING),
		[AMD_IBS_STOPPED]	= STEP(OFF, NOTHING),
		[AMD_IBS_SAMPLE]	= STEP(OFF, NOTHING),
		[AMD_IBS_EMPTY]		= STEP(OFF, NOTHING),
	},
	[AMD_IBS_OFF_LATE] = {
		[AMD_IBS_START]		= STEP(ON_LATE, TURN_ON),
		[AMD_IBS_STOP]		= STEP(OFF_LATE, NOTHING),
		[AMD_IBS_STOPPED]	= STEP(OFF_LATE, NOTHING),
		[AMD_IBS_SAMPLE]	= STEP(OFF, CLAIM),
		[AMD_IBS_EMPTY]		= STEP(OFF, CLAIM),
	},
	[AMD_IBS_ON] = {
		[AMD_IBS_START]		= STEP(ON, NOTHING),
		[AMD_IBS_STOP]		= STEP(STOPPING, TURN_OFF),
		[AMD_IBS_STOPPED]	= STEP(ON, NOTHING),
		[AMD_IBS_SAMPLE]	= STEP(ON, TAKE),
		[AMD_IBS_EMPTY]		= STEP(ON, NOTHING),
	},
	[AMD_IBS_ON_LATE] = {
		[AMD_IBS_START]		= STEP(ON_LATE, NOTHING),
		[AMD_IBS_STOP]		= STEP(STOPPING, TURN_OFF),
		[AMD_IBS_STOPPED]	= STEP(ON_LATE, NOTHING),
		[AMD_IBS_SAMPLE]	= STEP(ON_LATE, TAKE),
		[AMD_IBS_EMPTY]		= STEP(ON, CLAIM),
	},
	[AMD_IBS_STOPPING] = {
		[AMD_IBS_START]		= STEP(STOPPING, NOTHING),
		[AMD_IBS_STOP]		= STEP(STOPPING, NOTHING),
		[AMD_IBS_STOPPED]	= STEP(OFF_LATE, COUNT),
		[AMD_IBS_SAMPLE]	= STEP(STOPPING_SAMPLED, TAKE),
		[AMD_IBS_EMPTY]		= STEP(STOPPING, CLAIM),
	},
	[AMD_IBS_STOPPING_SAMPLED] = {
		[AMD_IBS_START]		= STEP(STOPPING_SAMPLED, NOTHING),
		[AMD_IBS_STOP]		= STEP(STOPPING_SAMPLED, NOTHING),
		[AMD_IBS_STOPPED]	= STEP(OFF_LATE, NOTHING),
		[AMD_IBS_SAMPLE]	= STEP(STOPPING_SAMPLED, CLAIM),
		[AMD_IBS_EMPTY]		= STEP(STOPPING_SAMPLED, CLAIM),
	},
};

/**
 * amd_ibs_state_step() - find what to do
 * @state: state of the unit
 * @input: what happens
 *
 * Context: any.
 * Return: the next state, and the action.
 */
struct amd_ibs_step amd_ibs_state_step(enum amd_ibs_state state, enum amd_ibs_input input)
{
	return steps[state][input];
}
