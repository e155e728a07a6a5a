// SPDX-License-Identifier: GPL-2.0
/*
 * Address filters: their text, and their address ranges while files are mapped,
 * programs are executed and processes fork. The PMU "perf_test_filter", of the
 * module of that name, shows the ranges that it was given.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <linux/sched.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "perf_books.h"
#include "perf_lib.h"

#define MODULE		"perf_test_filter"
#define PARAMETERS	"/sys/module/" MODULE "/parameters/"
#define PMU_DIR		"/sys/bus/event_source/devices/" MODULE
#define NR_FILTERS	4
#define FILE_PAGES	8

static char self_path[512];

static bool is_loaded(void)
{
	return !access(PARAMETERS "ranges", R_OK);
}

static bool load_object(void)
{
	const char *objects = getenv("KERNEL_OBJECTS");
	char path[512];
	bool loaded;
	int fd;

	if (!objects)
		return false;
	snprintf(path, sizeof(path), "%s/kernel/events/tests/" MODULE ".ko",
		 objects);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	loaded = !syscall(SYS_finit_module, fd, "", 0) || errno == EEXIST;
	close(fd);
	return loaded;
}

static void need_pmu(void)
{
	if (geteuid())
		test_skip("needs root");
	if (is_loaded() || load_object())
		return;
	if (system("modprobe -q " MODULE " 2>/dev/null") || !is_loaded())
		test_skip("no module " MODULE);
}

static int open_event(pid_t pid, int cpu, __u64 config, bool inherit)
{
	struct perf_event_attr attr;

	need_pmu();
	attr = make_attr(read_long(PMU_DIR "/type"), config);
	attr.disabled = 0;
	attr.inherit = inherit;
	return open_on(&attr, pid, cpu, -1);
}

/* Return: 0 or an errno. */
static int set_filter(int fd, const char *text)
{
	return ioctl(fd, PERF_EVENT_IOC_SET_FILTER, text) ? errno : 0;
}

static void must_set(int fd, const char *text)
{
	int err = set_filter(fd, text);

	CHECK(!err, "\"%s\": %s", text, strerror(err));
}

struct range {
	char action;
	unsigned long start;
	unsigned long size;
};

struct shown {
	unsigned int syncs;
	int nr;
	struct range of[NR_FILTERS];
};

static bool parse_line(const char *line, __u64 config, pid_t pid,
		       struct shown *shown)
{
	unsigned long long line_config;
	int line_pid, used, n;

	if (sscanf(line, "%llu %d %u%n", &line_config, &line_pid,
		   &shown->syncs, &used) != 3)
		return false;
	if (line_config != config || line_pid != pid)
		return false;
	line += used;
	for (n = 0; n < NR_FILTERS; n++) {
		struct range *range = &shown->of[n];

		if (sscanf(line, " %c%lx/%lx%n", &range->action, &range->start,
			   &range->size, &used) != 3)
			break;
		line += used;
	}
	shown->nr = n;
	return true;
}

/*
 * Return: the ranges that the PMU was last given for event @config of task
 * @pid.
 */
static struct shown look(__u64 config, pid_t pid)
{
	FILE *file = fopen(PARAMETERS "ranges", "r");
	struct shown shown;
	char line[512];

	CHECK(file, "ranges: %s", strerror(errno));
	while (fgets(line, sizeof(line), file)) {
		if (parse_line(line, config, pid, &shown)) {
			fclose(file);
			return shown;
		}
	}
	CHECK(0, "no event %llu of %d", (unsigned long long)config, pid);
	return shown;
}

static void expect_range(const struct shown *shown, int n, char action,
			 unsigned long start, unsigned long size)
{
	const struct range *range = &shown->of[n];

	CHECK(n < shown->nr, "%d filters", shown->nr);
	EXPECT(range->action == action && range->start == start &&
	       range->size == size, "filter %d: %c %#lx/%#lx, not %c %#lx/%#lx",
	       n, range->action, range->start, range->size, action, start,
	       size);
}

/* The same for a place that is mapped here. */
static void expect_at(const struct shown *shown, int n, char action,
		      const char *start, unsigned long size)
{
	expect_range(shown, n, action, (unsigned long)start, size);
}

/* A file to map; it is removed when the case ends. */
static char file_path[64];
static long page;

static int make_file(void)
{
	int fd;

	page = sysconf(_SC_PAGESIZE);
	snprintf(file_path, sizeof(file_path), "/tmp/addr_filters.%d",
		 getpid());
	fd = open(file_path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0700);
	CHECK(fd >= 0, "%s: %s", file_path, strerror(errno));
	CHECK(!ftruncate(fd, FILE_PAGES * page), "%s", strerror(errno));
	return fd;
}

static char *map_file(int fd, int prot, long first, long pages)
{
	char *at = mmap(NULL, pages * page, prot, MAP_PRIVATE, fd,
			first * page);

	CHECK(at != MAP_FAILED, "mmap: %s", strerror(errno));
	return at;
}

static char *map_code(int fd, long first, long pages)
{
	return map_file(fd, PROT_READ | PROT_EXEC, first, pages);
}

__printf(2, 3)
static void set_on_file(int fd, const char *format, ...)
{
	char text[512];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	must_set(fd, text);
}

static const struct {
	const char *text;
	int err;
} texts[] = {
	{ "", 0 },
	{ " ,\n", 0 },
	{ "filter 0x1000/0x200", 0 },
	{ "filter 1/2,start 3/4,stop 5\nstop 6", 0 },
	{ "start 0xffffffffffffffff", 0 },
	{ "filter 0/1@/proc/self/exe", 0 },
	{ "filter", EINVAL },
	{ "filter 1", EINVAL },
	{ "filter 1/0", EINVAL },
	{ "filter 1/2/3", EINVAL },
	{ "filter 1/2@", EINVAL },
	{ "filter @/bin/sh", EINVAL },
	{ "filter -1/2", EINVAL },
	{ "tracestop 1/2", EINVAL },
	{ "start 1 2", EINVAL },
	{ "start start 1", EINVAL },
	{ "start 0x10000000000000000", ERANGE },
	{ "start 1/99999999999999999999", ERANGE },
	{ "start 99999999999999999999x", EINVAL },
	{ "start 1@/", EINVAL },
	{ "start 1@/dev/null", EINVAL },
	{ "start 1@/no/such/file", ENOENT },
	{ "start 1@/proc/self/exe/file", ENOTDIR },
	{ "start 1@/proc/self/exe bogus", EINVAL },
	{ "stop 1,stop 2,stop 3,stop 4,stop 5", EOPNOTSUPP },
};

static void text(void)
{
	int fd = open_event(0, -1, 0, false);
	size_t i;

	for (i = 0; i < ARRAY_SIZE(texts); i++) {
		int err = set_filter(fd, texts[i].text);

		EXPECT(err == texts[i].err, "\"%s\": %s", texts[i].text,
		       strerror(err));
	}
	CHECK(set_filter(fd, NULL) == EFAULT, "NULL: %s", strerror(errno));
}

/* A kernel with debugfs shows how many lists name a file. */
static long lists_of_files(void)
{
	struct live_number live[MAX_LIVE];
	int nr = read_live(live);

	while (nr--) {
		if (!strcmp(live[nr].name, "file_filters"))
			return live[nr].nr;
	}
	test_skip("no file_filters in debugfs");
}

static void filters_counted(void)
{
	long before = lists_of_files();
	int fd = open_event(0, -1, 0, false);

	must_set(fd, "start 1");
	CHECK(lists_of_files() == before, "a list without a file counts");
	must_set(fd, "start 1@/proc/self/exe");
	CHECK(lists_of_files() == before + 1, "not counted");
	must_set(fd, "start 2@/proc/self/exe");
	CHECK(lists_of_files() == before + 1, "counted twice");
	must_set(fd, "start 1");
	CHECK(lists_of_files() == before, "still counted");
}

static void long_text(void)
{
	int fd = open_event(0, -1, 0, false);
	size_t size = 3 * sysconf(_SC_PAGESIZE);
	char *long_one = malloc(size);
	int err;

	memset(long_one, ' ', size);
	long_one[size - 1] = '\0';
	err = set_filter(fd, long_one);
	CHECK(err == EINVAL, "%s", strerror(err));
	/* The longest text that fits a page. */
	long_one[sysconf(_SC_PAGESIZE) - 1] = '\0';
	must_set(fd, long_one);
}

static void refusals(void)
{
	struct perf_event_attr attr = sw_attr(PERF_COUNT_SW_DUMMY);
	int fd = open_event(0, -1, 0, false), err;
	struct shown shown;

	must_set(fd, "start 7/8");
	CHECK(write_text(PARAMETERS "refuse", "16"), "%s", strerror(errno));
	err = set_filter(fd, "start 1");
	CHECK(write_text(PARAMETERS "refuse", "0"), "%s", strerror(errno));
	CHECK(err == EBUSY, "refused by the PMU: %s", strerror(err));
	shown = look(0, getpid());
	CHECK(shown.nr == 1, "%d filters", shown.nr);
	expect_range(&shown, 0, 's', 7, 8);

	/* A CPU's event sees many processes. */
	fd = open_event(-1, first_cpu(), 0, false);
	must_set(fd, "start 1");
	err = set_filter(fd, "start 1@/proc/self/exe");
	CHECK(err == EOPNOTSUPP, "file, event of a CPU: %s", strerror(err));
	err = set_filter(open_self(&attr), "start 1");
	CHECK(err == EINVAL, "PMU without filters: %s", strerror(err));
}

static void kernel(void)
{
	int fd = open_event(0, -1, 0, false);
	struct shown shown;

	must_set(fd, "filter 0xffffffff81000000/0x1000 start 010,stop 9/1");
	shown = look(0, getpid());
	CHECK(shown.nr == 3, "%d filters", shown.nr);
	expect_range(&shown, 0, 'f', 0xffffffff81000000UL, 0x1000);
	expect_range(&shown, 1, 's', 8, 0);
	expect_range(&shown, 2, 'S', 9, 1);
	must_set(fd, "");
	CHECK(look(0, getpid()).nr == 0, "not taken away");
}

/* Mappings that exist; data and other parts of the file do not count. */
static void mapped_before(void)
{
	int fd = open_event(0, -1, 0, false), file = make_file();
	struct shown shown;
	char *code;

	map_file(file, PROT_READ, 0, FILE_PAGES);
	map_code(file, 0, 1);
	code = map_code(file, 2, 2);
	set_on_file(fd, "filter %#lx/0x20@%s filter %#lx/%#lx@%s start %#lx@%s stop %#lx@%s",
		    2 * page + 0x10, file_path, page, 10 * page, file_path,
		    4 * page, file_path, 2 * page, file_path);
	shown = look(0, getpid());
	CHECK(shown.nr == 4, "%d filters", shown.nr);
	expect_at(&shown, 0, 'f', code + 0x10, 0x20);
	/* The filter begins before the mapping and ends behind it. */
	expect_at(&shown, 1, 'f', code, 2 * page);
	/* Just behind the mapping. */
	expect_range(&shown, 2, 's', 0, 0);
	/* The first byte of the mapping; a point has no size. */
	expect_at(&shown, 3, 'S', code, 0);

	/* Ends where the mapping begins, and one byte later. */
	fd = open_event(0, -1, 1, false);
	set_on_file(fd, "filter %#lx/%#lx@%s filter %#lx/%#lx@%s",
		    page + 0x10, page - 0x10, file_path, page + 0x10,
		    page - 0xf, file_path);
	shown = look(1, getpid());
	CHECK(shown.nr == 2, "%d filters", shown.nr);
	expect_range(&shown, 0, 'f', 0, 0);
	expect_at(&shown, 1, 'f', code, 1);
}

/*
 * Code that is mapped later, mapped at another address, or made executable
 * later.
 */
static void mapped_after(void)
{
	int fd = open_event(0, -1, 0, false), file = make_file();
	struct shown shown;
	unsigned int syncs;
	char *code, *other;

	set_on_file(fd, "filter %#lx/%#lx@%s,start 5", page, page, file_path);
	shown = look(0, getpid());
	expect_range(&shown, 0, 'f', 0, 0);
	expect_range(&shown, 1, 's', 5, 0);

	syncs = shown.syncs;
	map_file(file, PROT_READ, 0, FILE_PAGES);
	map_code(file, 4, 2);
	shown = look(0, getpid());
	CHECK(shown.syncs == syncs, "told of other mappings");

	code = map_code(file, 0, FILE_PAGES);
	shown = look(0, getpid());
	expect_at(&shown, 0, 'f', code + page, page);
	other = map_code(file, 1, 1);
	shown = look(0, getpid());
	expect_at(&shown, 0, 'f', other, page);
	expect_range(&shown, 1, 's', 5, 0);

	other = map_file(file, PROT_READ, 1, 1);
	CHECK(!mprotect(other, page, PROT_READ | PROT_EXEC), "%s",
	      strerror(errno));
	shown = look(0, getpid());
	expect_at(&shown, 0, 'f', other, page);
}

/* A process that another one observes. */
static int child_say, child_hear;

static void child_step(void)
{
	char c;

	CHECK(write(child_say, "", 1) == 1 && read(child_hear, &c, 1) == 1,
	      "%s", strerror(errno));
}

static void parent_wait(int hear)
{
	char c;

	CHECK(read(hear, &c, 1) == 1, "the child is gone");
}

static pid_t start_child(void (*body)(int file), int file, int *say, int *hear)
{
	int down[2], up[2];
	pid_t pid;

	CHECK(!pipe(down) && !pipe(up), "%s", strerror(errno));
	pid = fork();
	CHECK(pid >= 0, "%s", strerror(errno));
	if (!pid) {
		child_hear = down[0];
		child_say = up[1];
		body(file);
		child_finish();
	}
	close(down[0]);
	close(up[1]);
	*say = down[1];
	*hear = up[0];
	return pid;
}

static void go_on(int say, int hear)
{
	CHECK(write(say, "", 1) == 1, "%s", strerror(errno));
	parent_wait(hear);
}

/* An address that is known because it was mapped before the fork. */
static char *reserved_at;

static void map_reserved(int file)
{
	void *at = mmap(reserved_at, page, PROT_READ | PROT_EXEC,
			MAP_PRIVATE | MAP_FIXED, file, page);

	CHECK(at == reserved_at, "%s", strerror(errno));
}

static void child_maps(int file)
{
	child_step();
	map_reserved(file);
	child_step();
	/* The PMU gets the list when the event is scheduled in. */
	child_step();
}

static void inherited(void)
{
	int fd = open_event(0, -1, 0, true), file = make_file(), say, hear;
	char *code = map_code(file, 1, 1);
	struct shown mine, theirs;
	pid_t pid;

	reserved_at = mmap(NULL, page, PROT_NONE,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	set_on_file(fd, "filter %#lx/0x10@%s", page, file_path);
	pid = start_child(child_maps, file, &say, &hear);
	parent_wait(hear);
	theirs = look(0, pid);
	CHECK(theirs.nr == 1, "%d filters", theirs.nr);
	expect_at(&theirs, 0, 'f', code, 0x10);

	/* The child has mappings of its own. */
	go_on(say, hear);
	theirs = look(0, pid);
	mine = look(0, getpid());
	expect_at(&theirs, 0, 'f', reserved_at, 0x10);
	expect_at(&mine, 0, 'f', code, 0x10);

	/* New filters apply to both, at the first mapping of each. */
	set_on_file(fd, "start %#lx/0x20@%s,stop 3", page, file_path);
	go_on(say, hear);
	theirs = look(0, pid);
	mine = look(0, getpid());
	expect_at(&mine, 0, 's', code, 0x20);
	expect_at(&theirs, 0, 's', code < reserved_at ? code : reserved_at,
		  0x20);
	expect_range(&theirs, 1, 'S', 3, 0);
	CHECK(write(say, "", 1) == 1, "%s", strerror(errno));
	join_child(pid);
}

static void child_execs(int file)
{
	char hear[16], say[16];

	(void)file;
	snprintf(hear, sizeof(hear), "%d", child_hear);
	snprintf(say, sizeof(say), "%d", child_say);
	child_step();
	child_step();
	execl(self_path, self_path, "wait", hear, say, NULL);
}

/*
 * The new program maps none of the old program's files. Its own file is mapped
 * when it starts.
 */
static void exec(void)
{
	int file = make_file(), fd, say, hear;
	struct shown shown;
	char *code;
	pid_t pid;

	need_pmu();
	code = map_code(file, 0, 2);
	pid = start_child(child_execs, file, &say, &hear);
	parent_wait(hear);
	fd = open_event(pid, -1, 0, false);
	set_on_file(fd, "filter %#lx/0x10@%s,start 5/6 filter 0/0x7fffffff@%s",
		    page, file_path, self_path);
	/* The PMU gets the list when the event is scheduled in. */
	go_on(say, hear);
	shown = look(0, pid);
	expect_at(&shown, 0, 'f', code + page, 0x10);
	go_on(say, hear);
	shown = look(0, pid);
	CHECK(shown.nr == 3, "%d filters", shown.nr);
	expect_range(&shown, 0, 'f', 0, 0);
	expect_range(&shown, 1, 's', 5, 6);
	EXPECT(shown.of[2].start && shown.of[2].size,
	       "the new program: %#lx/%#lx", shown.of[2].start,
	       shown.of[2].size);
	CHECK(write(say, "", 1) == 1, "%s", strerror(errno));
	join_child(pid);
}

/* References on files: a busy unmount shows them. */
static char mount_path[64];

static bool is_busy(void)
{
	CHECK(!umount(mount_path) || errno == EBUSY, "umount: %s",
	      strerror(errno));
	return errno == EBUSY;
}

static void mount_again(void)
{
	char path[128];
	int fd;

	errno = 0;
	CHECK(!mount("none", mount_path, "tmpfs", 0, NULL), "mount: %s",
	      strerror(errno));
	snprintf(path, sizeof(path), "%s/file", mount_path);
	fd = open(path, O_CREAT | O_RDWR, 0700);
	CHECK(fd >= 0, "%s: %s", path, strerror(errno));
	close(fd);
}

static const char * const bad_references[] = {
	"start 1@%s/file bogus", "start 1@%s/file stop",
	"start 1@%s/file stop 1@/no/such/file", "start 1@%s",
	"start 1@%s/file stop 1,stop 2,stop 3,stop 4",
};

static void references(void)
{
	int fd = open_event(0, -1, 0, false);
	char spec[256];
	size_t i;

	snprintf(mount_path, sizeof(mount_path), "/tmp/addr_filters.d%d",
		 getpid());
	CHECK(!mkdir(mount_path, 0700), "%s", strerror(errno));
	for (i = 0; i < ARRAY_SIZE(bad_references); i++) {
		mount_again();
		snprintf(spec, sizeof(spec), bad_references[i], mount_path);
		CHECK(set_filter(fd, spec), "\"%s\" is good", spec);
		errno = 0;
		CHECK(!is_busy(), "\"%s\" is still there", spec);
	}

	mount_again();
	set_on_file(fd, "start 1@%s/file", mount_path);
	CHECK(is_busy(), "no reference");
	must_set(fd, "start 1");
	errno = 0;
	CHECK(!is_busy(), "replaced, and still there");

	mount_again();
	set_on_file(fd, "start 1@%s/file", mount_path);
	close(fd);
	errno = 0;
	CHECK(!is_busy(), "closed, and still there");
	rmdir(mount_path);
}

/* Setting, mapping and forking at the same time, for half a second. */
static void storm_child(int file)
{
	char *code;

	for (;;) {
		code = map_code(file, 0, FILE_PAGES);
		munmap(code, FILE_PAGES * page);
		if (!fork())
			_exit(0);
		wait(NULL);
	}
}

static void storm(void)
{
	int fd = open_event(0, -1, 0, true), file = make_file(), say, hear;
	__u64 end = now_ns() + NSEC_PER_SEC / 2;
	unsigned int rounds = 0;
	pid_t pid;

	pid = start_child(storm_child, file, &say, &hear);
	while (now_ns() < end) {
		set_on_file(fd, "filter %#lx/%#lx@%s", page, page, file_path);
		must_set(fd, rounds++ % 2 ? "start 1,stop 2" : "");
	}
	kill(pid, SIGKILL);
	CHECK(waitpid(pid, NULL, 0) == pid, "%s", strerror(errno));
	CHECK(rounds > 1, "%u rounds", rounds);
}

/* Much to copy makes a fork long. */
#define FORK_BYTES	(16UL << 20)
#define FORK_ROUNDS	40
#define FORK_DELAY_NS	50000

static pid_t *forked;

static void child_forks(int file)
{
	char *memory = mmap(NULL, FORK_BYTES, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	(void)file;
	CHECK(memory != MAP_FAILED, "%s", strerror(errno));
	madvise(memory, FORK_BYTES, MADV_NOHUGEPAGE);
	memset(memory, 1, FORK_BYTES);
	child_step();
	for (;;) {
		pid_t pid = fork();

		CHECK(pid >= 0, "%s", strerror(errno));
		if (!pid) {
			*forked = getpid();
			child_step();
			/* The PMU gets the list when the event is scheduled in. */
			child_step();
			_exit(0);
		}
		CHECK(waitpid(pid, NULL, 0) == pid, "%s", strerror(errno));
		child_step();
	}
}

/* Whether filters are set before a fork, after it, or meanwhile. */
static void forks(void)
{
	int fd = open_event(0, -1, 0, true), file = make_file(), say, hear;
	char *code = map_code(file, 0, FILE_PAGES);
	unsigned int i;
	pid_t pid;

	forked = mmap(NULL, page, PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	CHECK(forked != MAP_FAILED, "%s", strerror(errno));
	pid = start_child(child_forks, file, &say, &hear);
	parent_wait(hear);
	for (i = 1; i <= FORK_ROUNDS; i++) {
		__u64 go = now_ns() + i * FORK_DELAY_NS;
		struct shown shown;

		CHECK(write(say, "", 1) == 1, "%s", strerror(errno));
		while (now_ns() < go)
			;
		set_on_file(fd, "filter %#lx/%#x@%s", page, i, file_path);
		parent_wait(hear);
		go_on(say, hear);
		shown = look(0, *forked);
		CHECK(shown.nr == 1, "round %u: %d filters", i, shown.nr);
		expect_at(&shown, 0, 'f', code + page, i);
		go_on(say, hear);
	}
	kill(pid, SIGKILL);
	CHECK(waitpid(pid, NULL, 0) == pid, "%s", strerror(errno));
}

/* The new task cannot have this number, which is found out late. */
static void child_fails_to_fork(int file)
{
	pid_t taken = getpid();
	struct clone_args args = {
		.exit_signal	= SIGCHLD,
		.set_tid	= (unsigned long)&taken,
		.set_tid_size	= 1,
	};

	(void)file;
	for (;;) {
		CHECK(syscall(SYS_clone3, &args, sizeof(args)) < 0 &&
		      errno == EEXIST, "%s", strerror(errno));
		__atomic_store_n(forked, 1, __ATOMIC_RELAXED);
	}
}

/* The memory of a task whose fork fails is gone before its events are. */
static void fork_fails(void)
{
	int fd = open_event(0, -1, 0, true), file = make_file(), say, hear;
	__u64 end = now_ns() + NSEC_PER_SEC;
	unsigned int rounds = 0;
	pid_t pid;

	map_code(file, 0, FILE_PAGES);
	forked = mmap(NULL, page, PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	CHECK(forked != MAP_FAILED, "%s", strerror(errno));
	pid = start_child(child_fails_to_fork, file, &say, &hear);
	while (now_ns() < end || !__atomic_load_n(forked, __ATOMIC_RELAXED))
		set_on_file(fd, "filter %#lx/%#x@%s", page, 1 + rounds++ % 9,
			    file_path);
	CHECK(!waitpid(pid, NULL, WNOHANG), "the child is gone");
	kill(pid, SIGKILL);
	CHECK(waitpid(pid, NULL, 0) == pid, "%s", strerror(errno));
}

static const struct test_case cases[] = {
	{ "text", text },
	{ "counted", filters_counted },
	{ "long_text", long_text },
	{ "refusals", refusals },
	{ "kernel", kernel },
	{ "mapped_before", mapped_before },
	{ "mapped_after", mapped_after },
	{ "inherited", inherited },
	{ "exec", exec },
	{ "references", references },
	{ "storm", storm },
	{ "forks", forks },
	{ "fork_fails", fork_fails },
};

int main(int argc, char *argv[])
{
	if (argc == 4 && !strcmp(argv[1], "wait")) {
		child_hear = atoi(argv[2]);
		child_say = atoi(argv[3]);
		child_step();
		return 0;
	}
	CHECK(readlink("/proc/self/exe", self_path, sizeof(self_path) - 1) > 0,
	      "%s", strerror(errno));
	tests_begin(ARRAY_SIZE(cases));
	tests_run(cases, ARRAY_SIZE(cases));
	tests_end();
}
