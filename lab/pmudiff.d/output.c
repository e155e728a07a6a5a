// SPDX-License-Identifier: GPL-2.0
/*
 * Sequence of operations on events: markers in the trace, and lines of output
 *
 * A marker begins a phase and has the word STEP.PHASE.FLAGS.  The comparator says
 * what the flags mean.  Each line of output begins with STEP.PHASE.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sequence.h"

#define MARKER	"/sys/kernel/debug/x86_pmu_model/marker"

static unsigned int step_now, phase_now;

void die(const char *format, ...)
{
	va_list args;

	fprintf(stderr, "sequence: %u.%u: ", step_now, phase_now);
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fprintf(stderr, "\n");
	_exit(2);
}

void write_file(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY);
	ssize_t len = strlen(text);

	if (fd < 0 || write(fd, text, len) != len)
		die("%s: %s", path, strerror(errno));
	close(fd);
}

void begin_step(unsigned int step)
{
	step_now = step;
	phase_now = 0;
}

/* Begin the next phase on all CPUs. */
void phase(const char *flags)
{
	char word[32];

	phase_now++;
	snprintf(word, sizeof(word), "all %u.%u.%s", step_now, phase_now, flags);
	write_file(MARKER, word);
}

/* A line of the output is one system call: children write, too. */
void report(const char *format, ...)
{
	char line[256];
	va_list args;
	int len;

	len = snprintf(line, sizeof(line), "%u.%u ", step_now, phase_now);
	va_start(args, format);
	vsnprintf(line + len, sizeof(line) - len - 1, format, args);
	va_end(args);
	strcat(line, "\n");
	len = strlen(line);
	if (write(STDOUT_FILENO, line, len) != len)
		die("output: %s", strerror(errno));
}
