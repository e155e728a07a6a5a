// SPDX-License-Identifier: GPL-2.0
/*
 * The rooms amd/ibs_decode and amd/ibs_state: samples of the manuals, random
 * registers, and all orders in which the driver and the hardware can act.
 */
#include <stdlib.h>

#include "amd/ibs_decode.h"
#include "amd/ibs_state.h"
#include "tests/ibs_samples.h"
#include "test.h"

#define USER_END	0x7ffffffff000ULL

static void check_sample(const struct ibs_sample *sample, unsigned int row)
{
	struct amd_ibs_cpu cpu = { .caps = sample->cpu.caps, .user_end = USER_END };
	u64 regs[AMD_IBS_OP_NR] = { 0 };
	struct amd_ibs_op op = { 0 };
	const char *field;

	regs[AMD_IBS_OP_DATA2] = sample->data2;
	regs[AMD_IBS_OP_DATA3] = sample->data3;
	amd_ibs_decode_cpu(&cpu, sample->cpu.family, sample->cpu.model);
	amd_ibs_decode_access(&cpu, regs, &op);
	field = ibs_sample_differs(sample, op.source);
	require(!field, "sample %u: %s, source %llx", row, field, op.source);
}

/* Zeros and ones are more frequent than other values of a field. */
static u64 random_register(void)
{
	switch (test_below(4)) {
	case 0:
		return test_random() & test_random() & test_random();
	case 1:
		return test_random() >> test_below(64);
	case 2:
		return test_random() | test_random();
	default:
		return test_random();
	}
}

/* Some addresses are in the kernel, and some do not exist. */
static u64 random_address(void)
{
	return random_register() >> 17 | (test_below(2) ? 0xffffULL << 48 : 0);
}

static void check_hidden(const struct amd_ibs_cpu *cpu, struct amd_ibs_op *op)
{
	amd_ibs_decode_hide(cpu, op);
	require(op->rip < USER_END, "an address of the kernel: %llx", op->rip);
	require(op->rip_valid ? op->user : !op->rip || op->user, "a wrong address: %llx", op->rip);
	require(op->linear < USER_END, "data of the kernel: %llx", op->linear);
	require(op->has_linear || !op->physical, "memory of the kernel: %llx", op->physical);
	require(op->has_physical || !op->physical, "memory that is not valid");
}

static void check_random(void)
{
	static const u8 families[] = { 0x10, 0x15, 0x17, 0x19, 0x1a };
	struct amd_ibs_cpu cpu = { .caps = random_register(), .user_end = USER_END };
	/* A register too many that is read is found by the sanitizer. */
	u64 *regs = malloc(AMD_IBS_OP_NR * sizeof(*regs));
	struct amd_ibs_op op = { 0 };
	unsigned int i;

	require(regs, "no memory");
	for (i = 0; i < AMD_IBS_OP_NR; i++)
		regs[i] = i == AMD_IBS_OP_RIP || i == AMD_IBS_OP_LINEAR ? random_address() :
									 random_register();
	amd_ibs_decode_cpu(&cpu, families[test_below(ARRAY_SIZE(families))], test_below(256));
	amd_ibs_decode_rip(&cpu, regs, &op);
	amd_ibs_decode_access(&cpu, regs, &op);
	amd_ibs_decode_branch(&cpu, regs, &op);
	require(op.accesses == !!(regs[AMD_IBS_OP_DATA3] & 3), "not an access");
	require(op.has_linear || !op.linear, "an address that is not valid");
	require(op.has_physical || !op.physical, "memory that is not valid");
	require(!op.has_latency || op.latency == (u16)(regs[AMD_IBS_OP_DATA3] >> 32), "latency");
	require(!op.has_latency || op.retire == (u16)(regs[AMD_IBS_OP_DATA] >> 16), "retire");
	require(op.branch || !(op.taken | op.mispredicted | op.returns | op.fused), "no branch");
	require(op.user == (op.rip < USER_END), "mode");
	check_hidden(&cpu, &op);
	free(regs);
}

/*
 * A unit, its driver and its NMI. Each call of explore() tries all that can come
 * next; an NMI runs as a whole.
 */
struct world {
	u8	state;		/* enum amd_ibs_state */
	bool	on;		/* the unit samples */
	bool	valid;		/* it has a sample */
	bool	nmi;		/* an NMI is on its way */
	u8	place;		/* what the driver does next */
	bool	read_valid;	/* what it has read */
	bool	taken;		/* a sample was taken in this stop */
	u8	sample_of;	/* number of the event that the sample is of */
	u8	event;		/* number of the present event */
};

enum { IDLE, START, RUN, STOP, READ, TURN_OFF, FINISH };

static unsigned long explored;

static u8 step(struct world *w, enum amd_ibs_input input)
{
	struct amd_ibs_step step = amd_ibs_state_step(w->state, input);

	w->state = step.next;
	return step.action;
}

static bool is_on(const struct world *w)
{
	return w->state == AMD_IBS_ON || w->state == AMD_IBS_ON_LATE;
}

/* As in the driver: where no event is, the register is not read. */
static void deliver(struct world *w)
{
	bool sees = w->valid && w->state != AMD_IBS_OFF && w->state != AMD_IBS_OFF_LATE;
	u8 action = step(w, sees ? AMD_IBS_SAMPLE : AMD_IBS_EMPTY);

	w->nmi = false;
	require(action == AMD_IBS_TAKE || action == AMD_IBS_CLAIM, "nobody claims the NMI");
	if (action != AMD_IBS_TAKE)
		return;
	require(sees, "a sample is taken that is none");
	require(w->sample_of == w->event, "a sample of another event");
	require(!w->taken, "a sample is taken twice");
	w->taken = w->place > STOP;
	if (is_on(w)) {
		w->valid = false;
		w->on = true;
	}
}

static void drive(struct world *w)
{
	u8 action;

	switch (w->place) {
	case IDLE:
		w->event++;
		w->place = step(w, AMD_IBS_START) == AMD_IBS_TURN_ON ? START : IDLE;
		require(w->place == START, "an event does not start");
		break;
	case START:
		w->on = true;
		w->valid = false;
		w->place = RUN;
		break;
	case RUN:
	case STOP:
		w->taken = false;
		require(step(w, AMD_IBS_STOP) == AMD_IBS_TURN_OFF, "an event does not stop");
		w->place = READ;
		break;
	case READ:
		w->read_valid = w->valid;
		w->place = TURN_OFF;
		break;
	case TURN_OFF:
		w->on = false;
		w->valid = false;
		w->place = FINISH;
		break;
	default:
		action = step(w, AMD_IBS_STOPPED);
		require(action != AMD_IBS_COUNT || !w->taken, "a period counts twice");
		require(!w->on && !is_on(w), "the unit is on");
		w->taken = false;
		w->place = IDLE;
	}
}

static void explore(struct world w, unsigned int depth)
{
	struct world next = w;

	explored++;
	if (!depth)
		return;
	drive(&next);
	explore(next, depth - 1);
	next = w;
	if (w.on && !w.valid) {
		next.valid = true;
		next.nmi = true;
		next.sample_of = w.event;
		explore(next, depth - 1);
	}
	next = w;
	if (w.nmi) {
		deliver(&next);
		explore(next, depth - 1);
	}
}

/* Return: number of samples and states. */
unsigned long test_ibs(unsigned int rounds)
{
	struct world off = { .state = AMD_IBS_OFF };
	unsigned long i;

	for (i = 0; i < ARRAY_SIZE(ibs_samples); i++)
		check_sample(&ibs_samples[i], i);
	for (i = 0; i < 50UL * rounds; i++)
		check_random();
	explored = 0;
	explore(off, 26);
	return ARRAY_SIZE(ibs_samples) + 50UL * rounds + explored;
}
