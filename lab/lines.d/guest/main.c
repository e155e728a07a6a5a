// SPDX-License-Identifier: GPL-2.0
/*
 * The guest's program: the list of rows, one process for each row
 *
 *	init [--list] --cpus N [ROW...]		rows whose name begins with a word
 *
 * It says "row NUMBER NAME" for each region; a line with a name alone shows the
 * progress. The benchmark's files call die() and refuse(), which are here.
 */
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lines.h"

#define REGIONS_OF_ROW	2
#define MAX_NAME	128

static const struct row_table * const tables[] = {
	&one_table, &visit_table, &migrate_table, &turn_table,
};

static unsigned int nr_cpus;

void die(const char *what)
{
	printf("failed: %s: %s\n", what, strerror(errno));
	fflush(stdout);
	_exit(EXIT_FAILURE);
}

void refuse(const char *what)
{
	die(what);
}

unsigned int cpus_online(void)
{
	return nr_cpus;
}

void pin(unsigned int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		die("sched_setaffinity");
}

/* "idle/4-hw" becomes "idle/8-cpus-4-hw". */
static void full_name(char *name, const char *group, const struct row *row)
{
	const char *rest = strchr(row->name, '/') + 1;
	int length = group ? (int)strlen(group) : (int)(rest - row->name) - 1;

	if (nr_cpus > 1)
		snprintf(name, MAX_NAME, "%.*s/%u-cpus-%s", length, group ?: row->name,
			 nr_cpus, rest);
	else
		snprintf(name, MAX_NAME, "%s", row->name);
}

/**
 * name_region - give a region its name
 * @which:	number of the region in the row
 * @group:	first part of the name; NULL for the row's
 * @row:	the row
 */
void name_region(unsigned int which, const char *group, const struct row *row)
{
	char name[MAX_NAME];

	full_name(name, group, row);
	printf("row\t%u\t%s\n", region_of_row(which), name);
	fflush(stdout);
}

static bool has_word(const struct row *row, const char *group, const char *word)
{
	char name[MAX_NAME];

	full_name(name, group, row);
	return !strncmp(name, word, strlen(word));
}

/* With many CPUs the rows of fork measure exit as well. */
static bool wanted(const struct row *row, char **words)
{
	bool twice = nr_cpus > 1 && !strncmp(row->name, "fork/", strlen("fork/"));

	if (!*words)
		return true;
	for (; *words; words++)
		if (has_word(row, NULL, *words) || (twice && has_word(row, "exit", *words)))
			return true;
	return false;
}

/* The kernel keeps perf's hooks in the task switch for a second after the last event. */
static void forget_events(void)
{
	settle();
	usleep(1500000);
}

static bool run_row(const struct row *row)
{
	static unsigned int number;
	char name[MAX_NAME];
	int status;
	pid_t pid;

	full_name(name, NULL, row);
	printf("%s\n", name);
	forget_events();
	regions_of_row(number);
	number += REGIONS_OF_ROW;
	if (number >= WARM_UP)
		die("too many rows");
	name_region(0, NULL, row);
	pid = fork();
	if (!pid) {
		row->run(row);
		_exit(EXIT_SUCCESS);
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid || status) {
		printf("%s: failed, status %x\n", name, status);
		return false;
	}
	return true;
}

static bool run_table(const struct row_table *table, bool list, char **words)
{
	char name[MAX_NAME];
	bool good = true;

	if (strcmp(table->machine, nr_cpus > 1 ? "many" : "one"))
		return true;
	for (size_t i = 0; i < table->count; i++) {
		const struct row *row = &table->rows[i];

		if (!wanted(row, words))
			continue;
		full_name(name, NULL, row);
		if (list)
			puts(name);
		else
			good &= run_row(row);
	}
	return good;
}

int main(int argc, char **argv)
{
	bool first = getpid() == 1, list = false, good = true;

	/* The program that rows execute. */
	if (argc == 2 && !strcmp(argv[1], "--nothing"))
		_exit(EXIT_SUCCESS);
	if (first)
		guest_begin();
	for (argv++; *argv && **argv == '-'; argv++) {
		if (!strcmp(*argv, "--list"))
			list = true;
		else if (!strcmp(*argv, "--cpus") && argv[1])
			nr_cpus = atoi(*++argv);
	}
	if (!list)
		marks_arm();
	for (size_t i = 0; i < ARRAY_SIZE(tables); i++)
		good &= run_table(tables[i], list, argv);
	if (first)
		guest_end(good ? EXIT_SUCCESS : EXIT_FAILURE);
	return good ? EXIT_SUCCESS : EXIT_FAILURE;
}
