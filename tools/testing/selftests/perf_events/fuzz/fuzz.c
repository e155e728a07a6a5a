// SPDX-License-Identifier: GPL-2.0
/*
 * The fuzzer of perf events: the command line, and the parts of a test. fuzz.h
 * explains streams and seeds.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../perf_books.h"
#include "../storm.h"
#include "fuzz.h"

/* Even few samples take long where each is emulated. */
#define SAMPLE_RATE	"/proc/sys/kernel/perf_event_max_sample_rate"
#define LOW_RATE	1000

#define CPU_PERCENT	"/proc/sys/kernel/perf_cpu_time_max_percent"

static const char usage_text[] =
"usage: perf_fuzz [--test SECONDS] [OPTION...]\n"
"       perf_fuzz --replay LOG [OPTION...]\n"
"       perf_fuzz --minimise OUT --replay LOG (--until WHAT | --check CMD)\n"
"\n"
"Operations on perf events at random, that a seed repeats.\n"
"\n"
"  --test SECONDS   TAP: in portions, as root and as nobody at each paranoia, SECONDS\n"
"                   in sum; the default, with 14\n"
"  --seed N         of the run; the time by default\n"
"  --first N        number of the first process (0)\n"
"  --ops N          operations of each thread of each process (300)\n"
"  --lives N        processes in all (as many as at a time, or until the time is over)\n"
"  --procs N        processes at the same time (4)\n"
"  --threads N      of each process (1)\n"
"  --seconds N      how long\n"
"  --patience N     seconds that an operation may take (100)\n"
"  --uid nobody     drop root\n"
"  --paranoid N     what kernel.perf_event_paranoid is meanwhile, -1 to 3\n"
"  --disturb LIST   beside it all: hotplug,sysctls,pmu,memory\n"
"  --extensions     also what other kernels do not know\n"
"  --faults         where failslab and its like are set up for tasks that ask for it, the\n"
"                   processes ask; how they end says nothing then\n"
"  --cover count    count the edges of the kernel's code that are reached, with KCOV\n"
"  --cover steer    also repeat operations that reached a new one; --seed does not repeat\n"
"                   such a run, --replay of its log does\n"
"  --trace          print each operation, after its process has ended\n"
"  --tally          print how often each operation had which result\n"
"  --log FILE       write each operation to FILE, before it begins and when it has ended\n"
"  --compare        for two kernels: one process after the other, nothing that depends on\n"
"                   time, and --trace\n"
"  --replay LOG     do what LOG says, each of its streams in a process of its own\n"
"  --minimise OUT   leave out what is not needed for the effect; the rest goes to OUT\n"
"  --until WHAT     the effect: signal, hang, or OPERATION=RESULT as open=EINVAL\n"
"  --check CMD      the effect: \"CMD OUT\" succeeds\n";

static const char *replay, *minimised, *until, *check;
static unsigned int test_seconds;

static __noreturn void usage(int status)
{
	fputs(usage_text, status ? stderr : stdout);
	exit(status);
}

static const struct option long_options[] = {
	{ "test", required_argument, NULL, 'T' },
	{ "seed", required_argument, NULL, 's' },
	{ "first", required_argument, NULL, 'f' },
	{ "ops", required_argument, NULL, 'o' },
	{ "lives", required_argument, NULL, 'l' },
	{ "procs", required_argument, NULL, 'p' },
	{ "threads", required_argument, NULL, 't' },
	{ "seconds", required_argument, NULL, 'S' },
	{ "patience", required_argument, NULL, 'P' },
	{ "uid", required_argument, NULL, 'u' },
	{ "paranoid", required_argument, NULL, 'a' },
	{ "disturb", required_argument, NULL, 'd' },
	{ "extensions", no_argument, NULL, 'x' },
	{ "cover", required_argument, NULL, 'k' },
	{ "faults", no_argument, NULL, 'F' },
	{ "trace", no_argument, NULL, 'v' },
	{ "tally", no_argument, NULL, 'y' },
	{ "log", required_argument, NULL, 'L' },
	{ "compare", no_argument, NULL, 'c' },
	{ "replay", required_argument, NULL, 'r' },
	{ "minimise", required_argument, NULL, 'm' },
	{ "until", required_argument, NULL, 'U' },
	{ "check", required_argument, NULL, 'C' },
	{ "help", no_argument, NULL, 'h' },
	{ }
};

static unsigned int number(const char *text, unsigned int least,
			   unsigned int most)
{
	unsigned long value;
	char *end;

	value = strtoul(text, &end, 0);
	if (*end || !*text || value < least || value > most) {
		fprintf(stderr, "%s: from %u to %u\n", text, least, most);
		exit(2);
	}
	return value;
}

static unsigned int disturbers(char *list)
{
	static const char *const names[] = { "hotplug", "sysctls", "pmu", "memory" };
	unsigned int which = 0, i;
	char *name;

	for (name = strtok(list, ","); name; name = strtok(NULL, ",")) {
		for (i = 0; i < ARRAY_SIZE(names); i++)
			if (!strcmp(names[i], name))
				break;
		if (i == ARRAY_SIZE(names))
			usage(2);
		which |= 1U << i;
	}
	return which;
}

static enum cover_use cover_use(const char *use)
{
	if (!strcmp(use, "count"))
		return COVER_COUNT;
	if (!strcmp(use, "steer"))
		return COVER_STEER;
	usage(2);
}

static bool count_option(struct fuzz_options *o, int c)
{
	switch (c) {
	case 'f':
		o->first = number(optarg, 0, THREAD_STREAM - 1);
		return true;
	case 'o':
		o->ops = number(optarg, 1, ~0U);
		return true;
	case 'l':
		o->lives = number(optarg, 1, ~0U);
		return true;
	case 'p':
		o->procs = number(optarg, 1, MAX_PROCS);
		return true;
	case 't':
		o->threads = number(optarg, 1, MAX_THREADS);
		return true;
	case 'S':
		o->seconds = number(optarg, 1, 1000000);
		return true;
	case 'P':
		o->patience = number(optarg, 1, 10000);
		return true;
	case 'T':
		test_seconds = number(optarg, 1, 1000000);
		return true;
	default:
		return false;
	}
}

static bool kind_option(struct fuzz_options *o, int c)
{
	switch (c) {
	case 's':
		o->seed = strtoull(optarg, NULL, 0);
		return true;
	case 'u':
		o->nobody = !strcmp(optarg, "nobody");
		return o->nobody || !strcmp(optarg, "root");
	case 'a':
		o->paranoid = atoi(optarg);
		return true;
	case 'k':
		o->cover = cover_use(optarg);
		return true;
	case 'd':
		o->disturb = disturbers(optarg);
		return true;
	case 'x':
		o->extensions = true;
		return true;
	case 'F':
		o->faults = true;
		return true;
	case 'v':
		o->trace = true;
		return true;
	case 'y':
		o->tally = true;
		return true;
	case 'L':
		o->log = optarg;
		return true;
	case 'c':
		o->compare = true;
		o->trace = true;
		o->procs = 1;
		o->threads = 1;
		return true;
	default:
		return false;
	}
}

static void file_option(int c)
{
	switch (c) {
	case 'r':
		replay = optarg;
		break;
	case 'm':
		minimised = optarg;
		break;
	case 'U':
		until = optarg;
		break;
	case 'C':
		check = optarg;
		break;
	case 'h':
		usage(0);
	default:
		usage(2);
	}
}

static void parse(struct fuzz_options *o, int argc, char **argv)
{
	int c;

	while ((c = getopt_long(argc, argv, "", long_options, NULL)) != -1)
		if (!count_option(o, c) && !kind_option(o, c))
			file_option(c);
	if (optind < argc || (minimised && (!replay || !until == !check)))
		usage(2);
	if (!o->seconds && !o->lives)
		o->lives = o->procs;
}

/* Settings of the system. */

static void set_number(const char *path, long value)
{
	char text[24];

	if (geteuid())
		return;
	snprintf(text, sizeof(text), "%ld", value);
	if (!write_text(path, text))
		printf("# %s: cannot be %ld\n", path, value);
}

static void run(struct outcome *outcome)
{
	const struct fuzz_options *o = &fuzz->options;
	long paranoid = read_long(PARANOID), percent = read_long(CPU_PERCENT);
	long rate = read_long(SAMPLE_RATE);

	*outcome = (struct outcome) { 0 };
	if (o->paranoid != PARANOID_AS_IS)
		set_number(PARANOID, o->paranoid);
	set_number(SAMPLE_RATE, LOW_RATE);
	/* If a sample takes long, the kernel lowers the maximum rate. */
	if (o->compare)
		set_number(CPU_PERCENT, 0);
	disturb_start(o->disturb, o->seed);
	crew_run(outcome);
	disturb_stop(outcome);
	if (o->compare)
		set_number(CPU_PERCENT, percent);
	set_number(SAMPLE_RATE, rate);
	if (o->paranoid != PARANOID_AS_IS)
		set_number(PARANOID, paranoid);
}

static bool is_well(const struct outcome *outcome)
{
	if (fuzz->options.faults)
		return !outcome->hung;
	return !outcome->killed && !outcome->hung && !fuzz->strange;
}

/* The test. */

static const struct portion {
	const char *name;
	bool nobody;
	int paranoid;
	unsigned int disturb;
	unsigned int threads;
} portions[] = {
	{ "root", false, PARANOID_AS_IS, 0, 2 },
	{ "root, disturbed", false, PARANOID_AS_IS,
	  DISTURB_HOTPLUG | DISTURB_SYSCTLS | DISTURB_PMU | DISTURB_MEMORY, 1 },
	{ "nobody, paranoid -1", true, -1, DISTURB_PMU, 1 },
	{ "nobody, paranoid 0", true, 0, DISTURB_HOTPLUG, 2 },
	{ "nobody, paranoid 1", true, 1, DISTURB_SYSCTLS, 1 },
	{ "nobody, paranoid 2", true, 2, DISTURB_MEMORY, 2 },
	{ "nobody, paranoid 3", true, 3, 0, 1 },
};

static void run_portion(const struct portion *portion)
{
	struct fuzz_options *o = &fuzz->options;
	struct outcome outcome;

	o->nobody = portion->nobody;
	o->paranoid = portion->paranoid;
	o->disturb = portion->disturb;
	if (getenv("PERF_TEST_NO_HOTPLUG"))
		o->disturb &= ~DISTURB_HOTPLUG;
	o->threads = portion->threads;
	o->lives = 0;
	o->extensions = true;
	o->seconds = test_seconds / ARRAY_SIZE(portions) ?: 1;
	run(&outcome);
	ksft_test_result(is_well(&outcome),
			 "%s: %u operations, %u processes, %u killed, %u hung, %u children went wrong\n",
			 portion->name, outcome.ops, outcome.lives,
			 outcome.killed, outcome.hung, fuzz->strange);
	/* A process that cannot end still has events. */
	if (outcome.hung)
		ksft_exit_fail();
}

static void test(void)
{
	static struct books before, after;
	size_t i;

	ksft_print_header();
	if (geteuid())
		ksft_exit_skip("needs root\n");
	ksft_set_plan(ARRAY_SIZE(portions) + BOOKS_RESULTS + cover_is_on());
	ksft_print_msg("seed %llu\n", (unsigned long long)fuzz->options.seed);
	open_books(&before);
	for (i = 0; i < ARRAY_SIZE(portions); i++)
		run_portion(&portions[i]);
	close_books(&before, &after);
	report_books(&before, &after);
	if (cover_is_on())
		ksft_test_result(cover_report(),
				 "KCOV: edges are reached, sequences are kept and repeated\n");
	if (fuzz->options.tally)
		log_tally();
	ksft_finished();
}

static int run_once(void)
{
	struct outcome outcome;

	printf("# seed %llu\n", (unsigned long long)fuzz->options.seed);
	run(&outcome);
	printf("# %u operations, %u processes, %u killed, %u hung, %u children went wrong\n",
	       outcome.ops, outcome.lives, outcome.killed, outcome.hung, fuzz->strange);
	if (cover_is_on())
		cover_report();
	if (fuzz->options.tally)
		log_tally();
	return !is_well(&outcome);
}

static int repeat(void)
{
	struct log_lines lines = { 0 };
	struct outcome outcome;

	if (!log_read(replay, &lines)) {
		fprintf(stderr, "%s: no operations\n", replay);
		return 2;
	}
	if (minimised)
		return minimise(&lines, minimised, check, until);
	fuzz->options.trace = true;
	if (fuzz->options.paranoid != PARANOID_AS_IS)
		set_number(PARANOID, fuzz->options.paranoid);
	if (!crew_replay(&lines, &outcome))
		printf("# too many streams: only the first ones were run\n");
	if (cover_is_on())
		cover_report();
	return !is_well(&outcome);
}

int main(int argc, char **argv)
{
	static const struct fuzz_options defaults = {
		.ops = 300, .procs = 4, .threads = 1, .patience = 100,
		.paranoid = PARANOID_AS_IS,
	};

	if (argc == 7 && !strcmp(argv[1], "--executed"))
		return fuzzer_executed(argv + 2);
	fuzz_set_up();
	fuzz->options = defaults;
	fuzz->options.seed = now_ns();
	parse(&fuzz->options, argc, argv);
	cover_check();
	if (replay)
		return repeat();
	if (argc > 1 && !test_seconds)
		return run_once();
	if (!test_seconds)
		test_seconds = 14;
	test();
}
