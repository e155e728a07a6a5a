// SPDX-License-Identifier: GPL-2.0
/*
 * Sequence of operations on events: open, control and read a group
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "sequence.h"

static const char *result(long ret)
{
	return ret < 0 ? strerrorname_np(errno) : "0";
}

static const char *modes(const struct perf_event_attr *attr)
{
	static char text[8];
	char *c = text;

	if (attr->exclude_user)
		*c++ = 'u';
	if (attr->exclude_kernel)
		*c++ = 'k';
	if (attr->exclude_hv)
		*c++ = 'v';
	if (attr->exclude_guest)
		*c++ = 'g';
	if (attr->exclude_host)
		*c++ = 'h';
	*c = 0;
	return text;
}

/* What few events ask for. */
static const char *extras(const struct perf_event_attr *attr)
{
	static char text[64];
	int n = 0;

	text[0] = 0;
	if (attr->precise_ip)
		n += sprintf(text, " precise %u", (unsigned int)attr->precise_ip);
	if (attr->sample_type & PERF_SAMPLE_BRANCH_STACK)
		sprintf(text + n, " branches %llx", (unsigned long long)attr->branch_sample_type);
	return text;
}

/* Random events of one PMU; the group starts when its leader is enabled. */
void new_group(struct group *g, const struct pmu *pmu, unsigned int nr)
{
	unsigned int i;

	memset(g, 0, sizeof(*g));
	g->nr = nr;
	for (i = 0; i < nr; i++) {
		g->fd[i] = -1;
		any_event(&g->attr[i], pmu);
	}
	g->attr[0].disabled = 1;
}

static int open_event(const struct perf_event_attr *attr, pid_t pid, int cpu,
		      int leader)
{
	int fd = syscall(SYS_perf_event_open, attr, pid, cpu, leader,
			 PERF_FLAG_FD_CLOEXEC);

	report("open type %u config %llx,%llx,%llx without [%s] period %llu%s: %s",
	       attr->type, attr->config,
	       attr->config1,
	       attr->config2, modes(attr),
	       attr->sample_period, extras(attr), result(fd));
	return fd;
}

/* Without its leader no member is opened. */
void open_group(struct group *g, pid_t pid, int cpu)
{
	unsigned int i;

	g->pid = pid;
	g->cpu = cpu;
	for (i = 0; i < g->nr; i++) {
		g->fd[i] = open_event(&g->attr[i], pid, cpu, i ? g->fd[0] : -1);
		if (g->fd[0] < 0)
			return;
	}
}

bool opened(const struct group *g)
{
	return g->fd[0] >= 0;
}

void control(const struct group *g, unsigned int member, unsigned long request,
	     unsigned long arg)
{
	static const struct {
		unsigned long request;
		const char *name;
	} names[] = {
		{ PERF_EVENT_IOC_ENABLE, "enable" },
		{ PERF_EVENT_IOC_DISABLE, "disable" },
		{ PERF_EVENT_IOC_RESET, "reset" },
		{ PERF_EVENT_IOC_REFRESH, "refresh" },
		{ PERF_EVENT_IOC_PERIOD, "period" },
	};
	const char *name = "ioctl";
	__u64 period = arg;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(names); i++)
		if (names[i].request == request)
			name = names[i].name;
	if (g->fd[member] < 0)
		return;
	report("%s %lu of member %u: %s", name, arg, member,
	       result(ioctl(g->fd[member], request,
			    request == PERF_EVENT_IOC_PERIOD ?
			    (unsigned long)&period : arg)));
}

/* Counts depend on time; whether there is one does not. */
void report_counts(const struct group *g)
{
	__u64 value[3];
	unsigned int i;
	ssize_t len;

	for (i = 0; i < g->nr; i++) {
		if (g->fd[i] < 0)
			continue;
		len = read(g->fd[i], value, sizeof(value));
		if (len <= 0)
			report("count of member %u: %s", i, len ? result(len) : "none");
		else
			report("count of member %u: %szero, running %szero", i,
			       value[0] ? "not " : "", value[2] ? "not " : "");
	}
}

__u64 time_running(const struct group *g)
{
	__u64 value[3];

	if (read(g->fd[0], value, sizeof(value)) != sizeof(value))
		return 0;
	return value[2];
}

void close_group(struct group *g)
{
	unsigned int i;

	for (i = 0; i < g->nr; i++) {
		if (g->fd[i] >= 0)
			close(g->fd[i]);
		g->fd[i] = -1;
	}
}
