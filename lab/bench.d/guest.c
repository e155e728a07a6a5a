// SPDX-License-Identifier: GPL-2.0
/*
 * Benchmark: the duties of the first process of a guest
 *
 * The guest is started from an archive that holds this program as /init, see
 * lab/bench. Nothing in it depends on the host, so that two runs do the same:
 * the host's folder is mounted only at the end, for the exit status.
 */
#include <fcntl.h>
#include <stdio.h>
#include <sys/mount.h>
#include <sys/reboot.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bench.h"

#define SHARE	"/lab"

static void mount_at(const char *type, const char *path)
{
	mkdir(path, 0755);
	if (mount(type, path, type, 0, NULL))
		perror(path);
}

void guest_begin(void)
{
	int fd;

	mount_at("proc", "/proc");
	mount_at("sysfs", "/sys");
	mount_at("devtmpfs", "/dev");
	mount_at("tracefs", "/sys/kernel/tracing");
	mount_at("debugfs", "/sys/kernel/debug");
	mount_at("cgroup2", "/sys/fs/cgroup");
	fd = open("/dev/ttyS1", O_RDWR | O_NOCTTY);
	if (fd < 0)
		return;
	dup2(fd, STDOUT_FILENO);
	dup2(fd, STDERR_FILENO);
	close(fd);
}

void guest_end(int status)
{
	FILE *file;

	fflush(stdout);
	settle();
	mkdir(SHARE, 0755);
	if (mount("lab", SHARE, "9p", 0, "trans=virtio,version=9p2000.L,cache=none"))
		perror(SHARE);
	file = fopen(SHARE "/status", "we");
	if (file) {
		fprintf(file, "%d\n", status);
		fclose(file);
	}
	umount(SHARE);
	reboot(RB_POWER_OFF);
	_exit(status);
}
