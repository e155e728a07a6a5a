// SPDX-License-Identifier: GPL-2.0
/*
 * When samples come: fixed periods, frequencies, throttling and its records.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/ioctl.h>

#include "perf_lib.h"

#define FAULTS		600
#define MAX_PERIODS	256

struct tally {
	unsigned int samples;
	unsigned int throttle;
	unsigned int unthrottle;
	__u64 periods;
};

static void throttle_record(const struct perf_event_header *header,
			    const struct perf_event_attr *attr, __u64 id)
{
	const __u64 *body = record_body(header);

	CHECK(header->size == 32 + trailer_size(attr), "size %u",
	      header->size);
	CHECK(body[0] != 0, "time 0");
	CHECK(body[1] == id && body[2] == id, "id %llu stream_id %llu",
	      (unsigned long long)body[1], (unsigned long long)body[2]);
}

static struct tally count_records(struct perf_ring *ring,
				  const struct perf_event_attr *attr, __u64 id)
{
	struct perf_event_header *header;
	struct tally tally = { 0 };
	struct sample sample;

	while ((header = ring_next(ring))) {
		switch (header->type) {
		case PERF_RECORD_SAMPLE:
			parse_sample(header, attr, &sample);
			tally.samples++;
			tally.periods += sample.period;
			break;
		case PERF_RECORD_THROTTLE:
			throttle_record(header, attr, id);
			tally.throttle++;
			break;
		case PERF_RECORD_UNTHROTTLE:
			throttle_record(header, attr, id);
			tally.unthrottle++;
			break;
		}
	}
	return tally;
}

static void fixed_periods(void)
{
	static const __u64 periods[] = { 1, 2, 3, 7, 10, 64, 100, 599 };
	struct perf_event_attr attr = sw_attr(PERF_COUNT_SW_PAGE_FAULTS);
	struct perf_ring *ring;
	struct tally tally;
	__u64 count, want;
	size_t i;
	int fd;

	attr.sample_type = PERF_SAMPLE_IP;
	for (i = 0; i < ARRAY_SIZE(periods); i++) {
		attr.sample_period = periods[i];
		fd = open_self(&attr);
		ring = ring_map(fd, 8);
		event_enable(fd);
		touch_pages(FAULTS);
		event_disable(fd);
		count = read_count(fd);
		tally = count_records(ring, &attr, event_id(fd));
		want = count / periods[i];
		EXPECT(tally.samples == want,
		       "period %llu: %u samples of %llu faults",
		       (unsigned long long)periods[i], tally.samples,
		       (unsigned long long)count);
		ring_unmap(ring);
		close(fd);
	}
}

/*
 * If a software event's samples include the period, each occurrence is a sample
 * with its own weight, whatever sample_period is.
 */
static void period_in_sample(void)
{
	struct perf_event_attr attr = sw_attr(PERF_COUNT_SW_PAGE_FAULTS);
	struct perf_ring *ring;
	struct tally tally;
	__u64 count;
	int fd;

	attr.sample_type = PERF_SAMPLE_PERIOD;
	attr.sample_period = 100;
	fd = open_self(&attr);
	ring = ring_map(fd, 8);
	event_enable(fd);
	touch_pages(FAULTS);
	event_disable(fd);
	count = read_count(fd);
	tally = count_records(ring, &attr, event_id(fd));
	CHECK(tally.samples == count && tally.periods == count,
	      "%u samples, sum %llu, %llu faults", tally.samples,
	      (unsigned long long)tally.periods, (unsigned long long)count);
}

/* A disable keeps what is left of a period. */
static void period_across_disable(void)
{
	struct perf_event_attr attr = sw_attr(PERF_COUNT_SW_PAGE_FAULTS);
	struct perf_ring *ring;
	__u64 count;
	int fd, i;

	attr.sample_type = PERF_SAMPLE_IP;
	attr.sample_period = 100;
	fd = open_self(&attr);
	ring = ring_map(fd, 8);
	for (i = 0; i < 20; i++) {
		event_enable(fd);
		touch_pages(30);
		event_disable(fd);
	}
	count = read_count(fd);
	CHECK(count >= 600, "%llu faults", (unsigned long long)count);
	CHECK(ring_count(ring, PERF_RECORD_SAMPLE) == count / 100,
	      "samples of %llu faults", (unsigned long long)count);
}

/* Runs a clock event at the rate that @arg asks for, for 200 ms. */
static bool clock_rate(void *arg)
{
	struct perf_event_attr *attr = arg;
	struct perf_ring *ring;
	struct tally tally;
	__u64 want, period;
	int fd;

	period = attr->freq ? NSEC_PER_SEC / attr->sample_freq :
			      attr->sample_period;
	set_usual_rate();
	fd = open_self(attr);
	ring = ring_map(fd, 16);
	event_enable(fd);
	burn_ms(200);
	event_disable(fd);
	tally = count_records(ring, attr, event_id(fd));
	want = read_count(fd) / period;
	close(fd);
	ring_unmap(ring);
	if (tally.samples >= want / 4 && tally.samples <= want + want / 4)
		return true;
	return test_remark("%u samples in %llu periods", tally.samples,
			   (unsigned long long)want);
}

static void clock_period(__u64 config)
{
	struct perf_event_attr attr = sw_attr(config);

	attr.sample_type = PERF_SAMPLE_PERIOD | PERF_SAMPLE_IP;
	attr.sample_period = 2 * NSEC_PER_MSEC;
	test_retry(clock_rate, &attr);
}

static void cpu_clock_period(void)
{
	clock_period(PERF_COUNT_SW_CPU_CLOCK);
}

static void task_clock_period(void)
{
	clock_period(PERF_COUNT_SW_TASK_CLOCK);
}

static void clock_frequency(void)
{
	struct perf_event_attr attr = sw_attr(PERF_COUNT_SW_CPU_CLOCK);

	attr.sample_type = PERF_SAMPLE_PERIOD;
	attr.freq = 1;
	attr.sample_freq = 200;
	test_retry(clock_rate, &attr);
}

struct frequency {
	struct perf_event_attr attr;
	void (*work)(unsigned int msec);
	unsigned int slack;
};

/*
 * Lets the frequency of an event settle, then compares the samples of some time
 * with what was asked for; a factor of slack in either direction is allowed.
 */
static bool frequency_rate(void *arg)
{
	struct frequency *test = arg;
	struct perf_event_attr *attr = &test->attr;
	struct perf_ring *ring;
	struct tally tally;
	__u64 start, end, want;
	int fd;

	set_usual_rate();
	fd = open_self(attr);
	ring = ring_map(fd, 64);
	event_enable(fd);
	test->work(400);
	ring_skip_all(ring);
	start = now_ns();
	test->work(600);
	end = now_ns();
	event_disable(fd);
	tally = count_records(ring, attr, event_id(fd));
	want = (end - start) * attr->sample_freq / NSEC_PER_SEC;
	close(fd);
	ring_unmap(ring);
	if (tally.samples >= want / test->slack &&
	    tally.samples <= test->slack * want)
		return true;
	return test_remark("%u samples, %llu expected", tally.samples,
			   (unsigned long long)want);
}

static void expect_frequency(struct perf_event_attr attr,
			     void (*work)(unsigned int msec),
			     unsigned int slack)
{
	struct frequency test = { attr, work, slack };

	test.attr.freq = 1;
	test.attr.sample_freq = 250;
	test.attr.sample_type = PERF_SAMPLE_PERIOD;
	test_retry(frequency_rate, &test);
}

static void fault_for(unsigned int msec)
{
	__u64 end = now_ns() + msec * NSEC_PER_MSEC;

	while (now_ns() < end)
		touch_pages(8);
}

static void burn_for(unsigned int msec)
{
	__u64 end = now_ns() + msec * NSEC_PER_MSEC;

	while (now_ns() < end)
		burn(2000);
}

static void software_frequency(void)
{
	expect_frequency(sw_attr(PERF_COUNT_SW_PAGE_FAULTS), fault_for,
			 10);
}

static void hardware_frequency(void)
{
	need_hardware();
	expect_frequency(hw_attr(PERF_COUNT_HW_CPU_CYCLES), burn_for,
			 3);
}

static int by_value(const void *a, const void *b)
{
	const __u64 *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* Return: the value that most periods are near to. */
static __u64 median(const __u64 *values, size_t nr)
{
	__u64 sorted[MAX_PERIODS];

	memcpy(sorted, values, nr * sizeof(*values));
	qsort(sorted, nr, sizeof(*sorted), by_value);
	return sorted[nr / 2];
}

static size_t read_periods(struct perf_ring *ring,
			   const struct perf_event_attr *attr, __u64 *periods)
{
	struct perf_event_header *header;
	struct sample sample;
	size_t nr = 0;

	while (nr < MAX_PERIODS &&
	       (header = ring_find(ring, PERF_RECORD_SAMPLE))) {
		parse_sample(header, attr, &sample);
		periods[nr++] = sample.period;
	}
	return nr;
}

static bool is_near(__u64 period, __u64 right)
{
	return period >= right - right / 20 && period <= right + right / 20;
}

/*
 * The cycles of a loop come evenly, so periods must be even, from the tenth one
 * on, except for some if the host stops the guest.
 */
static bool frequency_settles(void *arg)
{
	struct perf_event_attr *attr = arg;
	__u64 periods[MAX_PERIODS], right;
	unsigned int off = 0;
	struct perf_ring *ring;
	size_t nr, i;
	int fd;

	set_usual_rate();
	fd = open_self(attr);
	ring = ring_map(fd, 64);
	event_enable(fd);
	burn_for(300);
	event_disable(fd);
	nr = read_periods(ring, attr, periods);
	close(fd);
	ring_unmap(ring);
	if (nr < 40)
		return test_remark("%zu samples", nr);
	right = median(periods + 10, nr - 10);
	for (i = 10; i < nr; i++)
		off += !is_near(periods[i], right);
	if (is_near(periods[10], right) && off <= nr / 4)
		return true;
	return test_remark("%u of %zu periods off by more than 5 %% of %llu, the tenth is %llu",
			   off, nr, (unsigned long long)right,
			   (unsigned long long)periods[10]);
}

static void hardware_frequency_settles(void)
{
	struct perf_event_attr attr = hw_attr(PERF_COUNT_HW_CPU_CYCLES);

	need_hardware();
	attr.freq = 1;
	attr.sample_freq = 500;
	attr.sample_type = PERF_SAMPLE_PERIOD;
	test_retry_or_xfail(frequency_settles, &attr,
			    "it takes more than ten periods");
}

static void hardware_samples(void)
{
	struct perf_event_attr attr = hw_attr(PERF_COUNT_HW_INSTRUCTIONS);
	struct perf_event_header *header;
	unsigned int samples = 0;
	struct perf_ring *ring;
	struct sample sample;
	__u64 count;
	int fd;

	need_hardware();
	attr.sample_period = 1000000;
	attr.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID |
			   PERF_SAMPLE_PERIOD | PERF_SAMPLE_CALLCHAIN |
			   PERF_SAMPLE_READ;
	fd = open_self(&attr);
	ring = ring_map(fd, 64);
	event_enable(fd);
	burn(10000000);
	event_disable(fd);
	count = read_count(fd);
	while ((header = ring_find(ring, PERF_RECORD_SAMPLE))) {
		parse_sample(header, &attr, &sample);
		CHECK(sample.tid == (__u32)getpid(), "tid %u", sample.tid);
		CHECK(sample.period == attr.sample_period, "period");
		samples++;
	}
	CHECK(samples > 0 && samples <= count / attr.sample_period + 1,
	      "%u samples of %llu instructions", samples,
	      (unsigned long long)count);
}

static bool shows_kernel(const struct perf_event_header *header,
			 const struct sample *sample)
{
	__u64 i;

	if ((header->misc & PERF_RECORD_MISC_CPUMODE_MASK) ==
	    PERF_RECORD_MISC_KERNEL || (__s64)sample->ip < 0)
		return true;
	for (i = 0; i < sample->nr_ips; i++)
		if (sample->ips[i] == (__u64)PERF_CONTEXT_KERNEL)
			return true;
	return sample->intr_abi && (__s64)sample->intr_regs[0] < 0;
}

/*
 * So many system calls that some interrupts of user-mode cycles come after one
 * has begun. Such a sample has no registers, or shows what it should not.
 */
static bool late_samples(void *arg)
{
	unsigned int samples = 0, late = 0, shown = 0, i;
	struct perf_event_attr *attr = arg;
	struct perf_event_header *header;
	struct perf_ring *ring;
	struct sample sample;
	int fd;

	fd = open_self(attr);
	ring = ring_map(fd, 64);
	event_enable(fd);
	for (i = 0; i < 50000; i++)
		getppid();
	event_disable(fd);
	while ((header = ring_find(ring, PERF_RECORD_SAMPLE))) {
		parse_sample(header, attr, &sample);
		samples++;
		late += !sample.intr_abi;
		shown += shows_kernel(header, &sample);
	}
	close(fd);
	ring_unmap(ring);
	if (shown)
		test_xfail("%u of %u samples show the kernel, which is excluded",
			   shown, samples);
	return late || test_remark("none of %u samples came late", samples);
}

static void hardware_user_mode(void)
{
	struct perf_event_attr attr = hw_attr(PERF_COUNT_HW_CPU_CYCLES);

	need_hardware();
	attr.exclude_kernel = 1;
	attr.sample_period = 20011;
	attr.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID |
			   PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_REGS_INTR |
			   PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER;
	attr.sample_regs_intr = 1ULL << IP_REG;
	attr.sample_regs_user = 1ULL << IP_REG;
	attr.sample_stack_user = 256;
	test_retry(late_samples, &attr);
}

static bool throttling(void *arg)
{
	struct perf_event_attr *attr = arg;
	struct perf_ring *ring;
	struct tally tally;
	int fd;

	fd = open_self(attr);
	ring = ring_map(fd, 64);
	event_enable(fd);
	burn_for(150);
	event_disable(fd);
	tally = count_records(ring, attr, event_id(fd));
	close(fd);
	ring_unmap(ring);
	CHECK(tally.unthrottle <= tally.throttle &&
	      tally.unthrottle + 1 >= tally.throttle,
	      "%u THROTTLE, %u UNTHROTTLE", tally.throttle, tally.unthrottle);
	if (tally.unthrottle)
		return true;
	return test_remark("%u samples, %u THROTTLE, %u UNTHROTTLE",
			   tally.samples, tally.throttle, tally.unthrottle);
}

static void expect_throttling(struct perf_event_attr *attr)
{
	attr->sample_period = 20000;
	attr->sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_ID | PERF_SAMPLE_TIME;
	attr->sample_id_all = 1;
	test_retry(throttling, attr);
}

static void clock_throttled(void)
{
	struct perf_event_attr attr = sw_attr(PERF_COUNT_SW_CPU_CLOCK);

	need_low_rate();
	expect_throttling(&attr);
}

static void hardware_throttled(void)
{
	struct perf_event_attr attr = hw_attr(PERF_COUNT_HW_CPU_CYCLES);

	need_hardware();
	need_low_rate();
	expect_throttling(&attr);
}

/*
 * Cycles are counted by a leader, by a sibling whose rate is too high, and by
 * an event outside the group. The leader misses much of what the sibling
 * misses. If only the sibling were stopped it would miss nearly nothing.
 */
static bool group_throttling(void *arg)
{
	struct perf_event_attr attr = hw_attr(PERF_COUNT_HW_CPU_CYCLES);
	struct perf_event_attr *sampled = arg;
	__u64 counts[3];
	struct perf_ring *ring;
	struct tally tally;
	int apart, leader, sibling;

	apart = open_self(&attr);
	attr.sample_period = 1ULL << 40;
	attr.sample_type = sampled->sample_type;
	attr.sample_id_all = 1;
	leader = open_self(&attr);
	sibling = open_sibling(sampled, leader);
	ring = ring_map(leader, 64);
	event_enable(apart);
	event_enable(leader);
	burn_for(150);
	event_disable(leader);
	event_disable(apart);
	counts[0] = read_count(leader);
	counts[1] = read_count(sibling);
	counts[2] = read_count(apart);
	tally = count_records(ring, &attr, event_id(leader));
	close(sibling);
	close(leader);
	close(apart);
	ring_unmap(ring);
	CHECK(tally.unthrottle <= tally.throttle &&
	      tally.unthrottle + 1 >= tally.throttle,
	      "%u THROTTLE, %u UNTHROTTLE", tally.throttle, tally.unthrottle);
	if (tally.unthrottle &&
	    2 * (counts[2] - counts[0]) > counts[2] - counts[1])
		return true;
	return test_remark("%u THROTTLE, %u UNTHROTTLE, counts %llu, %llu and apart %llu",
			   tally.throttle, tally.unthrottle,
			   (unsigned long long)counts[0],
			   (unsigned long long)counts[1],
			   (unsigned long long)counts[2]);
}

static void group_throttled(void)
{
	struct perf_event_attr attr = hw_attr(PERF_COUNT_HW_CPU_CYCLES);

	need_hardware();
	need_low_rate();
	attr.disabled = 0;
	attr.sample_period = 20000;
	attr.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_ID | PERF_SAMPLE_TIME;
	attr.sample_id_all = 1;
	test_retry_or_xfail(group_throttling, &attr,
			    "a sibling alone is throttled");
}

/*
 * Return: whether the event does not count, as the rest of a throttled group.
 */
static bool wait_until_stopped(int fd)
{
	for (int i = 0; i < 3000; i++) {
		__u64 before = read_count(fd);

		burn(1000);
		if (read_count(fd) == before)
			return true;
	}
	return false;
}

/*
 * The counting sibling of a throttled event is stopped on a general counter. Its
 * own counter becomes free, and an event is added: the driver assigns counters
 * anew.
 */
static bool adding_beside_stopped(void *arg)
{
	struct perf_event_attr attr = hw_attr(PERF_COUNT_HW_INSTRUCTIONS);
	int occupant, leader, sibling, added;
	struct perf_event_attr *sampled = arg;
	__u64 before, counted;
	bool stopped;

	attr.disabled = 0;
	occupant = open_self(&attr);
	leader = open_self(sampled);
	sibling = open_sibling(&attr, leader);
	attr.config = PERF_COUNT_HW_BRANCH_MISSES;
	attr.disabled = 1;
	added = open_self(&attr);
	close(occupant);
	burn_for(20);
	stopped = wait_until_stopped(sibling);
	before = read_count(sibling);
	event_enable(added);
	burn_for(20);
	counted = read_count(sibling) - before;
	close(added);
	close(sibling);
	close(leader);
	CHECK(counted < NSEC_PER_SEC * 100, "%llu instructions in 20 ms",
	      (unsigned long long)counted);
	return stopped || test_remark("the sibling was not stopped");
}

static void added_beside_throttled(void)
{
	struct perf_event_attr attr = hw_attr(PERF_COUNT_HW_BRANCH_INSTRUCTIONS);

	need_hardware();
	need_low_rate();
	attr.disabled = 0;
	attr.sample_period = 1000;
	test_retry_or_xfail(adding_beside_stopped, &attr,
			    "a sibling is not stopped with the event");
}

static const struct test_case cases[] = {
	{ "fixed periods", fixed_periods },
	{ "a period across disable and enable", period_across_disable },
	{ "periods in samples of software events", period_in_sample },
	{ "cpu-clock with a period", cpu_clock_period },
	{ "task-clock with a period", task_clock_period },
	{ "cpu-clock with a frequency", clock_frequency },
	{ "frequency of a software event", software_frequency },
	{ "frequency of a hardware event", hardware_frequency },
	{ "a frequency settles within ten periods", hardware_frequency_settles },
	{ "samples of a hardware event", hardware_samples },
	{ "late samples of user mode hide the kernel", hardware_user_mode },
	{ "cpu-clock is throttled", clock_throttled },
	{ "a hardware event is throttled", hardware_throttled },
	{ "a group is throttled", group_throttled },
	{ "an event is added beside a throttled group", added_beside_throttled },
};

int main(void)
{
	tests_begin(ARRAY_SIZE(cases));
	tests_run(cases, ARRAY_SIZE(cases));
	tests_end();
}
