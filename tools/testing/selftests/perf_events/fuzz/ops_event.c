// SPDX-License-Identifier: GPL-2.0
/* Opening events, and operations on their descriptors except for mappings. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <sys/ioctl.h>

#include "../bad_calls.h"
#include "fuzz.h"

/* Behind the attribute is nothing but zeroes, whatever size it claims. */
static long call_padded(const struct call *call)
{
	static __thread __u64 page[1024];

	memcpy(page, &call->attr, sizeof(call->attr));
	return or_errno(syscall(SYS_perf_event_open, page, call->pid, call->cpu,
				call->group, call->flags));
}

static long open_call(struct fuzzer *f, const struct call *call)
{
	int slot = draw_slot(f);
	long fd;

	tell(f, " ->%d", slot);
	fd = call_padded(call);
	fill_slot(f, slot, fd);
	return fd < 0 ? fd : 0;
}

long op_open(struct fuzzer *f)
{
	struct call call;

	draw_call(f, &call);
	return open_call(f, &call);
}

long op_open_spoilt(struct fuzzer *f)
{
	struct call call;

	draw_call(f, &call);
	spoil_call(f, &call);
	return open_call(f, &call);
}

long op_open_random(struct fuzzer *f)
{
	struct call call;

	scramble_call(f, &call);
	return open_call(f, &call);
}

long op_dry_run(struct fuzzer *f)
{
	struct call call;

	if (!fuzz->options.extensions)
		return 0;
	draw_call(f, &call);
	if (one_in(f, 2))
		spoil_call(f, &call);
	return call_dry_run(&call) ? 0 : -errno;
}

/* Requests. */

static const struct request {
	const char *name;
	unsigned long number;
} requests[] = {
	{ "enable", PERF_EVENT_IOC_ENABLE },
	{ "disable", PERF_EVENT_IOC_DISABLE },
	{ "refresh", PERF_EVENT_IOC_REFRESH },
	{ "reset", PERF_EVENT_IOC_RESET },
	{ "pause", PERF_EVENT_IOC_PAUSE_OUTPUT },
};

long op_ioctl(struct fuzzer *f)
{
	const struct request *request = &requests[draw(f, ARRAY_SIZE(requests))];
	unsigned long arg = draw(f, 3);
	int slot = draw_slot(f);

	tell(f, " %s %d %lu", request->name, slot, arg);
	return or_errno(ioctl(slot_fd(f, slot), request->number, arg));
}

/* Requests with a pointer that is none, and requests that do not exist. */
long op_ioctl_bad(struct fuzzer *f)
{
	static const unsigned long bad[] = {
		PERF_EVENT_IOC_PERIOD, PERF_EVENT_IOC_SET_FILTER,
		PERF_EVENT_IOC_ID, PERF_EVENT_IOC_SET_BPF,
		PERF_EVENT_IOC_SET_OUTPUT, PERF_EVENT_IOC_QUERY_BPF,
		PERF_EVENT_IOC_MODIFY_ATTRIBUTES, _IO('$', 12), _IO('$', 0x7f),
		_IOW('$', 4, char), _IO('!', 0),
	};
	static const unsigned long args[] = { 0, 1, ~0UL, 1UL << 40 };
	unsigned int which = draw(f, ARRAY_SIZE(bad));
	unsigned long arg = args[draw(f, ARRAY_SIZE(args))];
	int slot = draw_slot(f);

	tell(f, " %u %d %lx", which, slot, arg);
	return or_errno(ioctl(slot_fd(f, slot), bad[which], arg));
}

long op_output(struct fuzzer *f)
{
	int from = draw_slot(f), to = draw_slot(f);
	bool off = one_in(f, 4);

	tell(f, " %d %d", from, off ? -1 : to);
	return or_errno(ioctl(slot_fd(f, from), PERF_EVENT_IOC_SET_OUTPUT,
			      off ? -1L : (long)slot_fd(f, to)));
}

long op_filter(struct fuzzer *f)
{
	static const char *const filters[] = {
		"", "prev_pid > 0", "child_pid == 1", "no_such_field == 1", "(((",
		"filter 0x1000/0x100@/bin/true", "start 0x1000@/bin/true",
		"filter 0x1000/0x100", "0", "common_pid != 0 && common_pid < 0",
	};
	unsigned int which = draw(f, ARRAY_SIZE(filters));
	int slot = draw_slot(f);

	tell(f, " %d '%s'", slot, filters[which]);
	return or_errno(ioctl(slot_fd(f, slot), PERF_EVENT_IOC_SET_FILTER,
			      filters[which]));
}

/* Not so short that counters only overflow; as a frequency it is too high. */
long op_period(struct fuzzer *f)
{
	static const __u64 periods[] = { 0, 1ULL << 63, ~0ULL };
	__u64 period = 50000000 + draw(f, 10000000);
	int slot = draw_slot(f);

	if (one_in(f, 3))
		period = periods[draw(f, ARRAY_SIZE(periods))];
	tell(f, " %d %llu", slot, (unsigned long long)period);
	return or_errno(ioctl(slot_fd(f, slot), PERF_EVENT_IOC_PERIOD, &period));
}

/* Only breakpoints can be modified; other events refuse it. */
long op_modify(struct fuzzer *f)
{
	int slot = draw_slot(f);
	struct call call = { 0 };

	tell(f, " %d", slot);
	draw_valid_attr(f, &call.attr);
	if (one_in(f, 4))
		spoil_call(f, &call);
	return or_errno(ioctl(slot_fd(f, slot),
			      PERF_EVENT_IOC_MODIFY_ATTRIBUTES, &call.attr));
}

long op_bpf(struct fuzzer *f)
{
	int slot = draw_slot(f);
	struct {
		struct perf_event_query_bpf query;
		__u32 ids[4];
	} answer = { .query.ids_len = draw(f, 5) };

	tell(f, " %d %u", slot, answer.query.ids_len);
	if (one_in(f, 2))
		return or_errno(ioctl(slot_fd(f, slot), PERF_EVENT_IOC_SET_BPF,
				      (long)slot_fd(f, draw_slot(f))));
	return or_errno(ioctl(slot_fd(f, slot), PERF_EVENT_IOC_QUERY_BPF,
			      &answer));
}

long op_extension(struct fuzzer *f)
{
	struct perf_event_random_period random = {
		.size = one_in(f, 4) ? draw(f, 64) : sizeof(random),
		.share = draw(f, PERF_RANDOM_PERIOD_SHARE_MAX + 1000),
		.flags = one_in(f, 8),
		.seed = draw_u64(f),
	};
	int slot = draw_slot(f);

	if (!fuzz->options.extensions)
		return 0;
	tell(f, " %d size=%u share=%u", slot, random.size, random.share);
	return or_errno(ioctl(slot_fd(f, slot), one_in(f, 2) ?
			      PERF_EVENT_IOC_RANDOM_PERIOD :
			      PERF_EVENT_IOC_GET_RANDOM_PERIOD, &random));
}

/* Files. */

long op_read(struct fuzzer *f)
{
	static const size_t sizes[] = { 0, 1, 8, 16, 24, 40, 512, 4096 };
	size_t size = sizes[draw(f, ARRAY_SIZE(sizes))];
	int slot = draw_slot(f);
	char values[4096];

	tell(f, " %d %zu", slot, size);
	if (one_in(f, 16))
		return or_errno(read(slot_fd(f, slot), (void *)1, size));
	return or_errno(read(slot_fd(f, slot), values, size));
}

long op_write(struct fuzzer *f)
{
	int slot = draw_slot(f);

	tell(f, " %d", slot);
	return or_errno(write(slot_fd(f, slot), fuzz_target, draw(f, 64)));
}

long op_poll(struct fuzzer *f)
{
	struct pollfd polls[2];
	int i, slot;

	for (i = 0; i < 2; i++) {
		slot = draw_slot(f);
		tell(f, " %d", slot);
		polls[i] = (struct pollfd) {
			.fd = slot_fd(f, slot), .events = POLLIN,
		};
	}
	return or_errno(poll(polls, 2, draw(f, 5)));
}

long op_async(struct fuzzer *f)
{
	int slot = draw_slot(f), fd = slot_fd(f, slot);
	unsigned int how = draw(f, 4);

	tell(f, " %d %u", slot, how);
	switch (how) {
	case 0:
		return or_errno(fcntl(fd, F_SETOWN, getpid()));
	case 1:
		return or_errno(fcntl(fd, F_SETSIG, one_in(f, 2) ? SIGIO : 0));
	case 2:
		return or_errno(fcntl(fd, F_SETFL, O_ASYNC | O_NONBLOCK));
	default:
		return or_errno(fcntl(fd, F_SETFL, 0));
	}
}

long op_dup(struct fuzzer *f)
{
	int from = draw_slot(f), to = draw_slot(f);
	long fd;

	tell(f, " %d %d", from, to);
	fd = or_errno(fcntl(slot_fd(f, from), F_DUPFD_CLOEXEC, 3));
	fill_slot(f, to, fd);
	return fd < 0 ? fd : 0;
}

long op_close(struct fuzzer *f)
{
	int slot = draw_slot(f), fd = f->fd[slot];

	tell(f, " %d", slot);
	f->fd[slot] = -1;
	return or_errno(close(fd));
}
