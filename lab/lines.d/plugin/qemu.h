/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The part of QEMU's plugin interface, version 1, that the plugin uses
 *
 * Debian packages no qemu-plugin.h. Names, types and values are those of QEMU
 * 7.2.
 */
#ifndef LAB_LINES_QEMU_H
#define LAB_LINES_QEMU_H

#include <stdbool.h>
#include <stddef.h>
#include <linux/types.h>

#define QEMU_PLUGIN_VERSION	1
#define QEMU_PLUGIN_CB_NO_REGS	0
#define QEMU_PLUGIN_MEM_RW	3

struct qemu_info {
	const char	*target_name;
	struct {
		int	min;
		int	cur;
	} version;
	bool		system_emulation;
	struct {
		int	smp_vcpus;
		int	max_vcpus;
	} system;
};

struct qemu_plugin_tb;
struct qemu_plugin_insn;
struct qemu_plugin_hwaddr;

void qemu_plugin_reset(__u64 id, void (*done)(__u64 id));
void qemu_plugin_register_atexit_cb(__u64 id, void (*fn)(__u64 id, void *data),
				    void *data);
void qemu_plugin_register_vcpu_tb_trans_cb(__u64 id,
					   void (*fn)(__u64 id, struct qemu_plugin_tb *tb));
void qemu_plugin_register_vcpu_tb_exec_cb(struct qemu_plugin_tb *tb,
					  void (*fn)(unsigned int cpu, void *data),
					  int flags, void *data);
void qemu_plugin_register_vcpu_insn_exec_cb(struct qemu_plugin_insn *insn,
					    void (*fn)(unsigned int cpu, void *data),
					    int flags, void *data);
void qemu_plugin_register_vcpu_mem_cb(struct qemu_plugin_insn *insn,
				      void (*fn)(unsigned int cpu, __u32 info,
						 __u64 vaddr, void *data),
				      int flags, int accesses, void *data);
size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *tb);
__u64 qemu_plugin_tb_vaddr(const struct qemu_plugin_tb *tb);
struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *tb, size_t i);
const void *qemu_plugin_insn_data(const struct qemu_plugin_insn *insn);
size_t qemu_plugin_insn_size(const struct qemu_plugin_insn *insn);
__u64 qemu_plugin_insn_vaddr(const struct qemu_plugin_insn *insn);
void *qemu_plugin_insn_haddr(const struct qemu_plugin_insn *insn);
unsigned int qemu_plugin_mem_size_shift(__u32 info);
bool qemu_plugin_mem_is_store(__u32 info);
struct qemu_plugin_hwaddr *qemu_plugin_get_hwaddr(__u32 info, __u64 vaddr);
bool qemu_plugin_hwaddr_is_io(const struct qemu_plugin_hwaddr *hw);
__u64 qemu_plugin_hwaddr_phys_addr(const struct qemu_plugin_hwaddr *hw);

#endif
