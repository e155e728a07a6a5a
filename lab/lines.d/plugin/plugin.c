// SPDX-License-Identifier: GPL-2.0
/*
 * The plugin: arguments, marks
 *
 * Arguments, all of them files:
 *   out=	the results
 *   symbols=	the kernel's symbols, in the form of System.map
 *   perf=	names of the functions that are perf's part
 *   skip=	names of functions that are taken as absent (the PMU model)
 *   helpers=	prefixes of functions whose work counts for their callers
 *   layout=	offsets in structures of the kernel, see place.c
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../marks.h"
#include "lines.h"
#include "qemu.h"

#define EXPORT	__attribute__((__visibility__("default")))

struct mark_at {
	__u32	number;
	__u64	vaddr;
	__u64	host;
};

EXPORT int qemu_plugin_version = QEMU_PLUGIN_VERSION;
unsigned int nr_cpus;
const char *layout_path;
static const char *out_path = "lines.out";
static __u64 self;
static bool armed;
/* The callback at the end of a reset; it registers others, which lead to on_mark(). */
static void (*when_reset)(__u64 id);

void fail(const char *what)
{
	fprintf(stderr, "lines: %s\n", what);
	exit(EXIT_FAILURE);
}

void *must(void *memory)
{
	if (!memory)
		fail("no memory");
	return memory;
}

static bool is_mark(const __u8 *byte, size_t size, __u32 *number)
{
	static const __u8 opcode[] = { 0x0f, 0x1f, 0x80 };

	if (size != sizeof(opcode) + sizeof(*number) || memcmp(byte, opcode, sizeof(opcode)))
		return false;
	memcpy(number, byte + sizeof(opcode), sizeof(*number));
	*number -= MARK_MAGIC;
	return *number < MARK_COMMANDS * MARK_REGIONS;
}

static void on_mark(unsigned int cpu, void *data)
{
	const struct mark_at *mark = data;
	unsigned int region = mark->number % MARK_REGIONS;

	(void)cpu;
	switch ((enum mark)(mark->number / MARK_REGIONS)) {
	case MARK_CALIBRATE:
		calibrate_at(mark->vaddr, mark->host);
		break;
	case MARK_ARM:
		/* QEMU discards its translations when the vCPU leaves this block. */
		if (!armed)
			qemu_plugin_reset(self, when_reset);
		break;
	case MARK_START:
		region_start(region);
		break;
	case MARK_STOP:
		region_stop();
		break;
	case MARK_NEXT:
		region_next();
		break;
	}
}

static void look_for_marks(struct qemu_plugin_tb *tb)
{
	size_t n = qemu_plugin_tb_n_insns(tb);
	struct qemu_plugin_insn *insn;
	struct mark_at *mark;
	__u32 number;

	for (size_t i = 0; i < n; i++) {
		insn = qemu_plugin_tb_get_insn(tb, i);
		if (!is_mark(qemu_plugin_insn_data(insn), qemu_plugin_insn_size(insn), &number))
			continue;
		mark = must(malloc(sizeof(*mark)));
		mark->number = number;
		mark->vaddr = qemu_plugin_insn_vaddr(insn);
		mark->host = (__u64)qemu_plugin_insn_haddr(insn);
		qemu_plugin_register_vcpu_insn_exec_cb(insn, on_mark, QEMU_PLUGIN_CB_NO_REGS,
						       mark);
	}
}

static void on_translate(__u64 id, struct qemu_plugin_tb *tb)
{
	(void)id;
	if (armed)
		translate(tb);
	look_for_marks(tb);
}

static void on_exit_of_qemu(__u64 id, void *data)
{
	(void)id;
	(void)data;
	result_write(out_path);
}

static void register_callbacks(__u64 id)
{
	qemu_plugin_register_vcpu_tb_trans_cb(id, on_translate);
	qemu_plugin_register_atexit_cb(id, on_exit_of_qemu, NULL);
}

static void on_reset(__u64 id)
{
	armed = true;
	register_callbacks(id);
}

/* Return: true if the text is NAME and a path. */
static bool has_path(const char *text, const char *name, const char **path)
{
	size_t length = strlen(name);

	*path = text + length;
	return !strncmp(text, name, length);
}

static void argument(const char *text)
{
	const char *path;

	if (has_path(text, "out=", &path))
		out_path = path;
	else if (has_path(text, "symbols=", &path))
		symbols_read(path);
	else if (has_path(text, "perf=", &path))
		symbols_mark(path, 'p');
	else if (has_path(text, "skip=", &path))
		symbols_mark(path, 's');
	else if (has_path(text, "helpers=", &path))
		symbols_mark(path, 'h');
	else if (has_path(text, "layout=", &path))
		layout_path = path;
	else
		fail(text);
}

EXPORT int qemu_plugin_install(__u64 id, const struct qemu_info *info, int argc, char **argv)
{
	if (!info->system_emulation || strcmp(info->target_name, "x86_64") ||
	    info->system.smp_vcpus > MAX_CPUS)
		fail("for x86-64 machines with at most 64 CPUs");
	self = id;
	when_reset = on_reset;
	nr_cpus = info->system.smp_vcpus;
	for (int i = 0; i < argc; i++)
		argument(argv[i]);
	if (!functions.count)
		fail("needs symbols=");
	caches_init();
	records_init();
	register_callbacks(id);
	return 0;
}
