// SPDX-License-Identifier: GPL-2.0
/*
 * Benchmark: options, the list of rows, one process for each row
 *
 * A result is a line "NAME UNIT VALUE ACCESSES", separated by tabs; other lines
 * show the progress. It is written after the row has ended, so that nothing
 * else runs during the row.
 */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench.h"

#define MAX_FILES	8192
#define MAX_RESULTS	16
#define MAX_TEXT	128

struct result {
	char	name[MAX_TEXT];
	char	unit[MAX_TEXT];
	double	value;
	double	accesses;
};

/* Shared with the process of the row. */
struct outcome {
	unsigned int	count;
	char		why[MAX_TEXT];
	struct result	results[MAX_RESULTS];
};

bool quick;
static struct outcome *outcome;

void emit(const struct row *row, const char *part, const char *unit,
	  double value, double accesses)
{
	struct result *r = &outcome->results[outcome->count];

	if (outcome->count == MAX_RESULTS)
		die("too many results");
	snprintf(r->name, sizeof(r->name), "%s%s%s", row->name, part ? "/" : "",
		 part ?: "");
	snprintf(r->unit, sizeof(r->unit), "%s", unit);
	r->value = value;
	r->accesses = accesses;
	outcome->count++;
}

static void explain(const char *what)
{
	snprintf(outcome->why, sizeof(outcome->why), "%s: %s", what,
		 strerror(errno));
}

void refuse(const char *what)
{
	explain(what);
	_exit(EXIT_REFUSED);
}

void die(const char *what)
{
	explain(what);
	_exit(EXIT_FAILURE);
}

static void write_results(void)
{
	unsigned int i;

	for (i = 0; i < outcome->count; i++) {
		const struct result *r = &outcome->results[i];

		printf("%s\t%s\t%.2f\t%.2f\n", r->name, r->unit, r->value,
		       r->accesses);
	}
	fflush(stdout);
}

/* A row that was refused may leave children behind. */
static void remove_rest(pid_t group)
{
	kill(-group, SIGKILL);
	while (waitpid(-1, NULL, 0) > 0)
		;
}

/*
 * The kernel keeps perf's hooks in the task switch enabled for a second after
 * the last event was closed. A row begins after that second, so that
 * measurements without events are those of a kernel without events.
 */
static void forget_events(void)
{
	settle();
	usleep(1500000);
}

/* Returns false if the row failed; a refusal is not a failure. */
static bool run_row(const struct row *row)
{
	int status;
	pid_t pid;

	memset(outcome, 0, sizeof(*outcome));
	forget_events();
	pid = fork();
	if (pid < 0) {
		perror("fork");
		return false;
	}
	if (!pid) {
		setpgid(0, 0);
		row->run(row);
		_exit(0);
	}
	waitpid(pid, &status, 0);
	remove_rest(pid);
	write_results();
	if (WIFEXITED(status) && !WEXITSTATUS(status))
		return true;
	if (WIFEXITED(status) && WEXITSTATUS(status) == EXIT_REFUSED) {
		printf("%s: refused, %s\n", row->name, outcome->why);
		return true;
	}
	printf("%s: failed, %s\n", row->name,
	       outcome->why[0] ? outcome->why : "killed by a signal");
	return false;
}

static bool wanted(const struct row *row, char **names)
{
	if (quick && row->slow)
		return false;
	if (!*names)
		return true;
	for (; *names; names++)
		if (strstr(row->name, *names))
			return true;
	return false;
}

static unsigned int run_table(const struct row_table *table, char **names)
{
	unsigned int failed = 0;
	size_t i;

	for (i = 0; i < table->count; i++) {
		const struct row *row = &table->rows[i];

		if (!wanted(row, names))
			continue;
		printf("%s\n", row->name);
		fflush(stdout);
		failed += !run_row(row);
	}
	return failed;
}

static void list_table(const struct row_table *table, char **names)
{
	size_t i;

	for (i = 0; i < table->count; i++)
		if (wanted(&table->rows[i], names))
			printf("%s\t%s\n", table->machine, table->rows[i].name);
}

static void prepare(void)
{
	struct rlimit files = { MAX_FILES, MAX_FILES };
	cpu_set_t first;

	outcome = mmap(NULL, sizeof(*outcome), PROT_READ | PROT_WRITE,
		       MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (outcome == MAP_FAILED)
		exit(EXIT_FAILURE);
	CPU_ZERO(&first);
	CPU_SET(0, &first);
	if (prctl(PR_SET_CHILD_SUBREAPER, 1) ||
	    sched_setaffinity(0, sizeof(first), &first) ||
	    setrlimit(RLIMIT_NOFILE, &files))
		perror("bench");
	write_file("/proc/sys/kernel/sched_rt_runtime_us", "-1");
	write_file("/proc/sys/kernel/perf_event_max_sample_rate", "10000000");
	write_file("/proc/sys/kernel/perf_cpu_time_max_percent", "0");
	write_file("/proc/sys/kernel/perf_event_mlock_kb", "65536");
	meter_init();
}

static void usage(void)
{
	fputs("bench [--list] [--quick] [--machine M] [ROW...]\n",
	      stderr);
	exit(2);
}

struct options {
	bool		list;
	const char	*machine;
};

/* Returns the first argument that is not an option. */
static char **parse(char **arg, struct options *o)
{
	for (; *arg && **arg == '-'; arg++) {
		if (!strcmp(*arg, "--list"))
			o->list = true;
		else if (!strcmp(*arg, "--quick"))
			quick = true;
		else if (!strcmp(*arg, "--machine") && arg[1])
			o->machine = *++arg;
		else
			usage();
	}
	return arg;
}

int main(int argc, char **argv)
{
	struct options o = { 0 };
	unsigned int failed = 0;
	size_t i;

	/* The program that rows execute. */
	if (argc == 2 && !strcmp(argv[1], "--nothing"))
		_exit(0);
	if (getpid() == 1)
		guest_begin();
	argv = parse(argv + 1, &o);
	if (!o.list)
		prepare();
	for (i = 0; row_tables[i]; i++) {
		if (o.machine && strcmp(o.machine, row_tables[i]->machine))
			continue;
		if (o.list)
			list_table(row_tables[i], argv);
		else
			failed += run_table(row_tables[i], argv);
	}
	if (getpid() == 1)
		guest_end(failed ? EXIT_FAILURE : EXIT_SUCCESS);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
