// SPDX-License-Identifier: GPL-2.0
/*
 * Records about the kernel's own code: code that is changed (TEXT_POKE), made
 * and freed (KSYMBOL), and loaded (BPF_EVENT).
 *
 * The test makes the kernel change its code by a probe in a function, a
 * tracepoint behind a jump label, a tracer of all functions, and a program.
 * Two events request the records, one of the CPU and one of the task; each
 * must get each record once, in one buffer.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <linux/bpf.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>

#include "perf_lib.h"

#define MAX_NOTES	64
#define BODY_SIZE	320
#define SITE		"do_sys_openat2"
#define SITE_END	64
#define BREAKPOINT	0xcc
#define MAX_INSN	16

#define OPTIMIZATION	"/proc/sys/debug/kprobes-optimization"
#define INSN_PAGE	"kprobe_insn_page"
#define TRAMPOLINE	"ftrace_trampoline"

struct poke {
	__u64 addr;
	__u16 old_len;
	__u16 new_len;
	__u8 bytes[];
};

struct symbol {
	__u64 addr;
	__u32 len;
	__u16 type;
	__u16 flags;
	char name[];
};

struct program {
	__u16 type;
	__u16 flags;
	__u32 id;
	__u8 tag[8];
};

/* A record, without header and trailer. */
struct note {
	__u32 type;
	size_t size;
	__u64 body[BODY_SIZE / sizeof(__u64)];
};

/**
 * struct watch - two events and their records since the last look
 * @attr: attribute of both
 * @id: of each
 * @ring: buffer of both
 * @nr: number of notes for each
 * @notes: the notes for each
 */
struct watch {
	struct perf_event_attr attr;
	__u64 id[2];
	struct perf_ring *ring;
	unsigned int nr[2];
	struct note notes[2][MAX_NOTES];
};

static struct watch watch;

static void watch_begin(struct perf_event_attr *attr)
{
	int cpu = first_cpu(), fd[2];

	if (geteuid())
		test_skip("needs root");
	pin_to_cpu(cpu);
	attr->disabled = 0;
	attr->sample_id_all = 1;
	attr->sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_ID |
			    PERF_SAMPLE_IDENTIFIER;
	fd[0] = perf_open(attr, -1, cpu, -1, 0);
	if (fd[0] < 0)
		test_skip("not supported: %s", strerror(errno));
	fd[1] = open_on(attr, 0, cpu, -1);
	watch.attr = *attr;
	watch.ring = ring_map(fd[0], 64);
	event_set_output(fd[1], fd[0]);
	watch.id[0] = event_id(fd[0]);
	watch.id[1] = event_id(fd[1]);
}

static void watch_note(const struct perf_event_header *header, int i)
{
	struct note *note = &watch.notes[i][watch.nr[i]];

	CHECK(watch.nr[i] < MAX_NOTES, "more than %d records", MAX_NOTES);
	note->type = header->type;
	note->size = header->size - sizeof(*header) - trailer_size(&watch.attr);
	CHECK(note->size <= BODY_SIZE, "record of %zu bytes", note->size);
	memcpy(note->body, record_body(header), note->size);
	watch.nr[i]++;
}

/* Records of kernel threads are skipped: only the CPU's event gets those. */
static void watch_look(void)
{
	struct perf_event_header *header;
	struct sample id;
	unsigned int i;

	watch.nr[0] = 0;
	watch.nr[1] = 0;
	while ((header = ring_next(watch.ring))) {
		CHECK(header->type != PERF_RECORD_LOST, "records are lost");
		parse_trailer(header, &watch.attr, &id);
		CHECK(id.id == watch.id[0] || id.id == watch.id[1], "id");
		if (id.tid == (__u32)gettid())
			watch_note(header, id.id == watch.id[1]);
	}
	CHECK(watch.nr[0] == watch.nr[1], "%u records of the CPU, %u of the task",
	      watch.nr[0], watch.nr[1]);
	for (i = 0; i < watch.nr[0]; i++)
		CHECK(!memcmp(&watch.notes[0][i], &watch.notes[1][i],
			      offsetof(struct note, body) +
			      watch.notes[0][i].size), "record %u differs", i);
}

/* Return: the one note that @fits, or NULL. */
static const struct note *find_note(__u32 type,
				    bool (*fits)(const void *body,
						 const void *like),
				    const void *like)
{
	const struct note *found = NULL, *note;
	unsigned int i;

	for (i = 0; i < watch.nr[0]; i++) {
		note = &watch.notes[0][i];
		if (note->type != type || !fits(note->body, like))
			continue;
		CHECK(!found, "two records of one thing, type %u", type);
		found = note;
	}
	return found;
}

/* Address of a symbol of the kernel, or 0. */
static __u64 kernel_symbol(const char *name)
{
	FILE *file = fopen("/proc/kallsyms", "r");
	unsigned long long at, found = 0;
	char line[512], symbol[256];

	if (!file)
		test_skip("no /proc/kallsyms");
	while (!found && fgets(line, sizeof(line), file))
		if (sscanf(line, "%llx %*c %255s", &at, symbol) == 2 &&
		    !strcmp(symbol, name))
			found = at;
	fclose(file);
	return found;
}

static bool at_address(const void *body, const void *like)
{
	const struct poke *poke = body;
	const __u64 *addr = like;

	return poke->addr == *addr;
}

/*
 * A new instruction where there was no code before, and not the longer code of
 * an optimized probe.
 */
static bool is_new_insn(const void *body, const void *like)
{
	const struct poke *poke = body;
	const __u16 *longest = like;

	return !poke->old_len && poke->new_len && poke->new_len <= *longest;
}

static bool has_name(const void *body, const void *like)
{
	const struct symbol *symbol = body;

	return !strncmp(symbol->name, like, strlen(like));
}

static const struct symbol *find_symbol(const char *name, __u16 type,
					__u16 flags)
{
	const struct symbol *symbol;
	const struct note *note;

	note = find_note(PERF_RECORD_KSYMBOL, has_name, name);
	CHECK(note, "no KSYMBOL of %s", name);
	symbol = (const struct symbol *)note->body;
	CHECK(symbol->type == type, "%s has type %u", name, symbol->type);
	CHECK(symbol->flags == flags, "%s has flags %#x", name, symbol->flags);
	CHECK((__s64)symbol->addr < 0 && symbol->len, "%s at %#llx, %u bytes",
	      name, (unsigned long long)symbol->addr, symbol->len);
	return symbol;
}

static void check_place(const struct symbol *symbol, __u64 addr, __u32 len)
{
	CHECK(symbol->addr == addr && symbol->len == len,
	      "%s came at %#llx, %u bytes, and went at %#llx, %u bytes",
	      symbol->name, (unsigned long long)addr, len,
	      (unsigned long long)symbol->addr, symbol->len);
}

/* A symbol that was added since the last look is removed by the next one. */
static void close_and_find(int fd, const char *name, __u16 type)
{
	const struct symbol *symbol = find_symbol(name, type, 0);
	__u64 addr = symbol->addr;
	__u32 len = symbol->len;

	close(fd);
	watch_look();
	symbol = find_symbol(name, type, PERF_RECORD_KSYMBOL_FLAGS_UNREGISTER);
	check_place(symbol, addr, len);
}

/* Other architectures make none of these records. */
static void need_x86(void)
{
#ifndef __x86_64__
	test_skip("changes of code are not told of here");
#endif
}

static struct perf_event_attr poke_attr(void)
{
	struct perf_event_attr attr = sw_attr(PERF_COUNT_SW_DUMMY);

	attr.text_poke = 1;
	attr.ksymbol = 1;
	return attr;
}

/* In the body of the function, behind the place of the function tracer. */
static int open_probe(unsigned int *offset)
{
	long type = read_long("/sys/bus/event_source/devices/kprobe/type");
	struct perf_event_attr attr;
	int fd = -1;

	if (type < 0)
		test_skip("no probes");
	attr = make_attr(type, 0);
	attr.kprobe_func = (unsigned long)SITE;
	for (; fd < 0 && *offset < SITE_END; ++*offset) {
		attr.probe_offset = *offset;
		fd = perf_open(&attr, 0, -1, -1, 0);
	}
	if (fd < 0)
		test_skip("no probe in " SITE ": %s", strerror(errno));
	--*offset;
	return fd;
}

/* One byte becomes a breakpoint, or becomes itself again. */
static const struct poke *find_byte(__u64 addr)
{
	const struct note *note;
	const struct poke *poke;

	note = find_note(PERF_RECORD_TEXT_POKE, at_address, &addr);
	CHECK(note, "no TEXT_POKE at %#llx", (unsigned long long)addr);
	poke = (const struct poke *)note->body;
	CHECK(poke->old_len == 1 && poke->new_len == 1, "%u bytes become %u",
	      poke->old_len, poke->new_len);
	return poke;
}

/* The copy of the probed instruction; its place depends on earlier probes. */
static __u64 check_copy(bool page_is_new)
{
	static const __u16 longest = MAX_INSN;
	const struct symbol *page;
	const struct note *note;
	const struct poke *poke;

	note = find_note(PERF_RECORD_TEXT_POKE, is_new_insn, &longest);
	CHECK(note, "no TEXT_POKE of the copy");
	poke = (const struct poke *)note->body;
	if (page_is_new) {
		page = find_symbol(INSN_PAGE, PERF_RECORD_KSYMBOL_TYPE_OOL, 0);
		CHECK(poke->addr >= page->addr &&
		      poke->addr + poke->new_len <= page->addr + page->len,
		      "copy at %#llx, page at %#llx",
		      (unsigned long long)poke->addr,
		      (unsigned long long)page->addr);
	}
	return poke->addr;
}

static void probe(void)
{
	struct perf_event_attr attr = poke_attr();
	bool page_is_new = !kernel_symbol(INSN_PAGE);
	const struct poke *poke;
	const struct note *note;
	unsigned int offset = 9;
	__u64 site, copy;
	__u8 byte;
	int fd;

	need_x86();
	site = kernel_symbol(SITE);
	if (!site)
		test_skip("no address of " SITE);
	watch_begin(&attr);
	fd = open_probe(&offset);
	site += offset;
	watch_look();
	poke = find_byte(site);
	byte = poke->bytes[0];
	CHECK(byte != BREAKPOINT && poke->bytes[1] == BREAKPOINT,
	      "armed: %#x becomes %#x", byte, poke->bytes[1]);
	copy = check_copy(page_is_new);
	close(fd);
	watch_look();
	poke = find_byte(site);
	CHECK(poke->bytes[0] == BREAKPOINT && poke->bytes[1] == byte,
	      "disarmed: %#x becomes %#x", poke->bytes[0], poke->bytes[1]);
	note = find_note(PERF_RECORD_TEXT_POKE, at_address, &copy);
	CHECK(note, "no TEXT_POKE of the copy that goes");
	poke = (const struct poke *)note->body;
	CHECK(poke->old_len && !poke->new_len, "%u bytes become %u",
	      poke->old_len, poke->new_len);
}

/* Every jump that is undone had been made before, in the opposite direction. */
static void tracepoint(void)
{
	struct perf_event_attr attr = poke_attr(), point;
	static struct note came[MAX_NOTES];
	const struct poke *off, *on;
	unsigned int nr, i, j, pairs;
	int fd;

	need_x86();
	point = make_attr(PERF_TYPE_TRACEPOINT,
			  tracepoint_id("signal/signal_generate"));
	watch_begin(&attr);
	fd = open_self(&point);
	watch_look();
	nr = watch.nr[0];
	memcpy(came, watch.notes[0], sizeof(came));
	close(fd);
	watch_look();
	CHECK(nr && watch.nr[0], "%u records on, %u off", nr, watch.nr[0]);
	for (i = 0; i < watch.nr[0]; i++) {
		off = (const struct poke *)watch.notes[0][i].body;
		CHECK(watch.notes[0][i].type == PERF_RECORD_TEXT_POKE &&
		      off->old_len == off->new_len, "type %u",
		      watch.notes[0][i].type);
		for (j = 0, pairs = 0; j < nr; j++) {
			on = (const struct poke *)came[j].body;
			pairs += on->addr == off->addr &&
				 on->old_len == off->new_len &&
				 !memcmp(on->bytes, off->bytes + off->old_len,
					 off->new_len) &&
				 !memcmp(on->bytes + on->old_len, off->bytes,
					 off->old_len);
		}
		CHECK(pairs == 1, "%#llx goes back, came %u times",
		      (unsigned long long)off->addr, pairs);
	}
}

static void trampoline(void)
{
	struct perf_event_attr attr = sw_attr(PERF_COUNT_SW_DUMMY), tracer;
	int fd;

	need_x86();
	tracer = make_attr(PERF_TYPE_TRACEPOINT,
			   tracepoint_id("ftrace/function"));
	attr.ksymbol = 1;
	watch_begin(&attr);
	fd = open_self(&tracer);
	watch_look();
	close_and_find(fd, TRAMPOLINE, PERF_RECORD_KSYMBOL_TYPE_OOL);
}

static int load_program(void)
{
	static const struct bpf_insn insns[] = {
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	union bpf_attr attr;
	int fd;

	memset(&attr, 0, sizeof(attr));
	attr.prog_type = BPF_PROG_TYPE_SOCKET_FILTER;
	attr.insns = (unsigned long)insns;
	attr.insn_cnt = ARRAY_SIZE(insns);
	attr.license = (unsigned long)"GPL";
	memcpy(attr.prog_name, "watched", sizeof("watched"));
	fd = syscall(SYS_bpf, BPF_PROG_LOAD, &attr, sizeof(attr));
	if (fd < 0)
		test_skip("cannot load a BPF program: %s", strerror(errno));
	return fd;
}

static struct bpf_prog_info ask_program(int fd)
{
	struct bpf_prog_info info;
	union bpf_attr attr;

	memset(&attr, 0, sizeof(attr));
	memset(&info, 0, sizeof(info));
	attr.info.bpf_fd = fd;
	attr.info.info_len = sizeof(info);
	attr.info.info = (unsigned long)&info;
	CHECK(!syscall(SYS_bpf, BPF_OBJ_GET_INFO_BY_FD, &attr, sizeof(attr)),
	      "BPF_OBJ_GET_INFO_BY_FD: %s", strerror(errno));
	return info;
}

static bool is_program(const void *body, const void *like)
{
	const struct program *program = body;
	const struct bpf_prog_info *info = like;

	return program->id == info->id;
}

static void check_program(const struct bpf_prog_info *info, __u16 type)
{
	const struct program *program;
	const struct note *note;

	note = find_note(PERF_RECORD_BPF_EVENT, is_program, info);
	CHECK(note, "no BPF_EVENT of program %u", info->id);
	CHECK(note->size == sizeof(*program), "%zu bytes", note->size);
	program = (const struct program *)note->body;
	CHECK(program->type == type, "type %u, not %u", program->type, type);
	CHECK(!memcmp(program->tag, info->tag, sizeof(program->tag)),
	      "another tag");
	CHECK(watch.nr[0] == 2, "%u records", watch.nr[0]);
}

static void bpf_program(void)
{
	struct perf_event_attr attr = sw_attr(PERF_COUNT_SW_DUMMY);
	struct bpf_prog_info info;
	char name[64];
	int fd, len, i;

	attr.bpf_event = 1;
	attr.ksymbol = 1;
	watch_begin(&attr);
	fd = load_program();
	info = ask_program(fd);
	len = sprintf(name, "bpf_prog_");
	for (i = 0; i < 8; i++)
		len += sprintf(name + len, "%02x", info.tag[i]);
	sprintf(name + len, "_watched");
	watch_look();
	check_program(&info, PERF_BPF_EVENT_PROG_LOAD);
	close_and_find(fd, name, PERF_RECORD_KSYMBOL_TYPE_BPF);
	check_program(&info, PERF_BPF_EVENT_PROG_UNLOAD);
}

static const struct test_case cases[] = {
	{ "a probe is armed and disarmed", probe },
	{ "a tracepoint's jumps", tracepoint },
	{ "a trampoline comes and goes", trampoline },
	{ "a BPF program is loaded and unloaded", bpf_program },
};

/* A probe must stay a breakpoint; kernel threads would turn it into a jump. */
int main(void)
{
	bool optimizes = read_long(OPTIMIZATION) == 1;

	tests_begin(ARRAY_SIZE(cases));
	if (optimizes)
		write_text(OPTIMIZATION, "0");
	tests_run(cases, ARRAY_SIZE(cases));
	if (optimizes)
		write_text(OPTIMIZATION, "1");
	tests_end();
}
