// SPDX-License-Identifier: GPL-2.0
/*
 * PMU model: /sys/kernel/debug/x86_pmu_model
 *
 *   config	the modelled PMU; read only
 *   rates	the table of events; "NAME PPM" changes one
 *   accesses	reads and writes per CPU and register; any write resets
 *   overhead	the model's own costs and its interrupts; any write resets
 *   trace	each access to a register; "N" starts, "0" ends recording
 *   marker	write only: a word that becomes a record of the trace
 *   constraints	with strict=1: the counters of each event, one line each
 *   misplaced	with strict=1: events on other counters; any write resets
 *   memory	with pebs=: the memory accesses of records; a write replaces all
 *   branches	with lbr=: the branches of a CPU; a write replaces all
 *   ibs	with ibs=: the samples that IBS takes; a write replaces all
 *   nmi-times	durations of overflow interrupts; "1" starts, "0" ends
 *
 * Locking: rates_mutex serialises changes of the rates, the constraints and the
 * scripts.
 */
#include <linux/debugfs.h>
#include <linux/err.h>
#include <linux/init.h>
#include <linux/mutex.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "pmu_model.h"

#define MAX_LINE	80
#define MAX_LINES	(128 * 1024)

static DEFINE_MUTEX(rates_mutex);

static int config_show(struct seq_file *m, void *unused)
{
	static const char * const variants[] = { "legacy", "core", "v2" };
	static const char * const vendors[] = {
		[PMU_MODEL_INTEL] = "intel", [PMU_MODEL_AMD] = "amd",
		[PMU_MODEL_ZHAOXIN] = "zhaoxin",
	};

	seq_printf(m, "vendor %s\n", vendors[pmu_model.vendor]);
	if (pmu_model.vendor == PMU_MODEL_AMD)
		seq_printf(m, "variant %s\n", variants[pmu_model.variant]);
	else
		seq_printf(m, "version %u\n", pmu_model.version);
	seq_printf(m, "gp %u\nfixed %u\nwidth %u\n", pmu_model.gp,
		   pmu_model.fixed, pmu_model.width);
	if (pmu_model.pebs)
		seq_printf(m, "pebs %u\n", pmu_model.pebs - 1);
	if (pmu_model.lbr_type)
		seq_printf(m, "lbr %u\n", pmu_model.lbr);
	if (pmu_model.ibs_caps)
		seq_printf(m, "ibs %#x\n", pmu_model.ibs_caps);
	seq_printf(m, "filter %s\n", pmu_model.filter ? "ctx" : "none");
	seq_printf(m, "self %s\n", pmu_model.exclude_self ? "exclude" : "count");
	seq_printf(m, "strict %d\n", !!pmu_model.constraints);
	pmu_model_hpet_show(m);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(config);

static int rates_show(struct seq_file *m, void *unused)
{
	pmu_model_rates_show(m);
	return 0;
}

static int rates_open(struct inode *inode, struct file *file)
{
	return single_open(file, rates_show, NULL);
}

static void reload_here(void *unused)
{
	pmu_model_reload_rates();
}

static ssize_t rates_write(struct file *file, const char __user *buf,
			   size_t len, loff_t *pos)
{
	char *line;
	int ret;

	if (len >= MAX_LINE)
		return -E2BIG;
	line = memdup_user_nul(buf, len);
	if (IS_ERR(line))
		return PTR_ERR(line);

	mutex_lock(&rates_mutex);
	ret = pmu_model_rates_set(strim(line));
	if (!ret)
		on_each_cpu(reload_here, NULL, 1);
	mutex_unlock(&rates_mutex);
	kfree(line);
	return ret ?: len;
}

static const struct file_operations rates_fops = {
	.open		= rates_open,
	.read		= seq_read,
	.write		= rates_write,
	.llseek		= seq_lseek,
	.release	= single_release,
};

static int accesses_show(struct seq_file *m, void *unused)
{
	pmu_model_stats_show_accesses(m);
	return 0;
}

static int accesses_open(struct inode *inode, struct file *file)
{
	return single_open(file, accesses_show, NULL);
}

static ssize_t accesses_write(struct file *file, const char __user *buf,
			      size_t len, loff_t *pos)
{
	pmu_model_stats_reset_accesses();
	return len;
}

static const struct file_operations accesses_fops = {
	.open		= accesses_open,
	.read		= seq_read,
	.write		= accesses_write,
	.llseek		= seq_lseek,
	.release	= single_release,
};

static int overhead_show(struct seq_file *m, void *unused)
{
	pmu_model_stats_show_overhead(m);
	return 0;
}

static int overhead_open(struct inode *inode, struct file *file)
{
	return single_open(file, overhead_show, NULL);
}

static ssize_t overhead_write(struct file *file, const char __user *buf,
			      size_t len, loff_t *pos)
{
	pmu_model_stats_reset_overhead();
	return len;
}

static const struct file_operations overhead_fops = {
	.open		= overhead_open,
	.read		= seq_read,
	.write		= overhead_write,
	.llseek		= seq_lseek,
	.release	= single_release,
};

static int constraints_show(struct seq_file *m, void *unused)
{
	pmu_model_constraints_show(&pmu_model_constraints, m);
	return 0;
}

static int constraints_open(struct inode *inode, struct file *file)
{
	return single_open(file, constraints_show, NULL);
}

static int set_constraints(char *lines)
{
	char *line;
	int err = 0;

	mutex_lock(&rates_mutex);
	while (!err && (line = strsep(&lines, "\n"))) {
		line = strim(line);
		if (*line)
			err = pmu_model_constraints_set(&pmu_model_constraints, line);
	}
	on_each_cpu(reload_here, NULL, 1);
	mutex_unlock(&rates_mutex);
	return err;
}

static ssize_t constraints_write(struct file *file, const char __user *buf,
				 size_t len, loff_t *pos)
{
	char *lines;
	int err;

	if (len > MAX_LINES)
		return -E2BIG;
	lines = memdup_user_nul(buf, len);
	if (IS_ERR(lines))
		return PTR_ERR(lines);
	err = set_constraints(lines);
	kfree(lines);
	return err ?: len;
}

static const struct file_operations constraints_fops = {
	.open		= constraints_open,
	.read		= seq_read,
	.write		= constraints_write,
	.llseek		= seq_lseek,
	.release	= single_release,
};

static int misplaced_show(struct seq_file *m, void *unused)
{
	pmu_model_misplaced_show(m);
	return 0;
}

static int misplaced_open(struct inode *inode, struct file *file)
{
	return single_open(file, misplaced_show, NULL);
}

static ssize_t misplaced_write(struct file *file, const char __user *buf,
			       size_t len, loff_t *pos)
{
	pmu_model_misplaced_reset();
	return len;
}

static const struct file_operations misplaced_fops = {
	.open		= misplaced_open,
	.read		= seq_read,
	.write		= misplaced_write,
	.llseek		= seq_lseek,
	.release	= single_release,
};

static void leave_here(void *unused)
{
}

/* Replace a script. At the return no CPU uses the old one any more. */
static ssize_t write_script(int (*set)(char *text), const char __user *buf, size_t len)
{
	char *text;
	int err;

	if (len > MAX_LINES)
		return -E2BIG;
	text = memdup_user_nul(buf, len);
	if (IS_ERR(text))
		return PTR_ERR(text);
	mutex_lock(&rates_mutex);
	err = set(text);
	on_each_cpu(leave_here, NULL, 1);
	mutex_unlock(&rates_mutex);
	kfree(text);
	return err ?: len;
}

static int memory_show(struct seq_file *m, void *unused)
{
	mutex_lock(&rates_mutex);
	pmu_model_access_script_show(&pmu_model_access_script, m);
	mutex_unlock(&rates_mutex);
	return 0;
}

static int memory_open(struct inode *inode, struct file *file)
{
	return single_open(file, memory_show, NULL);
}

static int set_memory(char *text)
{
	return pmu_model_access_script_set(&pmu_model_access_script, text);
}

static ssize_t memory_write(struct file *file, const char __user *buf, size_t len,
			    loff_t *pos)
{
	return write_script(set_memory, buf, len);
}

static const struct file_operations memory_fops = {
	.open		= memory_open,
	.read		= seq_read,
	.write		= memory_write,
	.llseek		= seq_lseek,
	.release	= single_release,
};

static int branches_show(struct seq_file *m, void *unused)
{
	mutex_lock(&rates_mutex);
	pmu_model_branch_script_show(&pmu_model_branch_script, m);
	mutex_unlock(&rates_mutex);
	return 0;
}

static int branches_open(struct inode *inode, struct file *file)
{
	return single_open(file, branches_show, NULL);
}

static int set_branches(char *text)
{
	return pmu_model_branch_script_set(&pmu_model_branch_script, text);
}

static ssize_t branches_write(struct file *file, const char __user *buf, size_t len,
			      loff_t *pos)
{
	return write_script(set_branches, buf, len);
}

static const struct file_operations branches_fops = {
	.open		= branches_open,
	.read		= seq_read,
	.write		= branches_write,
	.llseek		= seq_lseek,
	.release	= single_release,
};

static int ibs_show(struct seq_file *m, void *unused)
{
	mutex_lock(&rates_mutex);
	pmu_model_ibs_script_show(&pmu_model_ibs_script, m);
	mutex_unlock(&rates_mutex);
	return 0;
}

static int ibs_open(struct inode *inode, struct file *file)
{
	return single_open(file, ibs_show, NULL);
}

static int set_ibs(char *text)
{
	return pmu_model_ibs_script_set(&pmu_model_ibs_script, text);
}

static ssize_t ibs_write(struct file *file, const char __user *buf, size_t len,
			 loff_t *pos)
{
	return write_script(set_ibs, buf, len);
}

static const struct file_operations ibs_fops = {
	.open		= ibs_open,
	.read		= seq_read,
	.write		= ibs_write,
	.llseek		= seq_lseek,
	.release	= single_release,
};

static int trace_open(struct inode *inode, struct file *file)
{
	return pmu_model_trace_open(file);
}

static ssize_t trace_write(struct file *file, const char __user *buf, size_t len,
			   loff_t *pos)
{
	unsigned int size;
	int err = kstrtouint_from_user(buf, len, 0, &size);

	if (!err)
		err = pmu_model_trace_set(size);
	return err ?: len;
}

static const struct file_operations trace_fops = {
	.open		= trace_open,
	.read		= seq_read,
	.write		= trace_write,
	.llseek		= seq_lseek,
	.release	= seq_release,
};

static ssize_t marker_write(struct file *file, const char __user *buf,
			    size_t len, loff_t *pos)
{
	char *line, *word;
	int err;

	if (len >= MAX_LINE)
		return -E2BIG;
	line = memdup_user_nul(buf, len);
	if (IS_ERR(line))
		return PTR_ERR(line);
	word = strim(line);
	if (str_has_prefix(word, "all "))
		err = pmu_model_trace_mark(strim(word + strlen("all ")), true);
	else
		err = pmu_model_trace_mark(word, false);
	kfree(line);
	return err ?: len;
}

static const struct file_operations marker_fops = {
	.open		= simple_open,
	.write		= marker_write,
	.llseek		= noop_llseek,
};

static int nmi_times_show(struct seq_file *m, void *unused)
{
	return pmu_model_nmi_times_show(m);
}

static int nmi_times_open(struct inode *inode, struct file *file)
{
	return single_open(file, nmi_times_show, NULL);
}

static ssize_t nmi_times_write(struct file *file, const char __user *buf,
			       size_t len, loff_t *pos)
{
	bool on;
	int err = kstrtobool_from_user(buf, len, &on);

	if (!err)
		err = pmu_model_nmi_times_set(on);
	return err ?: len;
}

static const struct file_operations nmi_times_fops = {
	.open		= nmi_times_open,
	.read		= seq_read,
	.write		= nmi_times_write,
	.llseek		= seq_lseek,
	.release	= single_release,
};

static int __init pmu_model_debugfs_init(void)
{
	struct dentry *dir;

	if (pmu_model.vendor == PMU_MODEL_OFF)
		return 0;
	dir = debugfs_create_dir("x86_pmu_model", NULL);
	debugfs_create_file("config", 0444, dir, NULL, &config_fops);
	debugfs_create_file("rates", 0644, dir, NULL, &rates_fops);
	debugfs_create_file("accesses", 0644, dir, NULL, &accesses_fops);
	debugfs_create_file("overhead", 0644, dir, NULL, &overhead_fops);
	if (pmu_model.constraints) {
		debugfs_create_file("constraints", 0644, dir, NULL, &constraints_fops);
		debugfs_create_file("misplaced", 0644, dir, NULL, &misplaced_fops);
	}
	if (pmu_model.pebs)
		debugfs_create_file("memory", 0644, dir, NULL, &memory_fops);
	if (pmu_model.lbr_type)
		debugfs_create_file("branches", 0644, dir, NULL, &branches_fops);
	if (pmu_model.ibs_caps)
		debugfs_create_file("ibs", 0644, dir, NULL, &ibs_fops);
	debugfs_create_file("trace", 0644, dir, NULL, &trace_fops);
	debugfs_create_file("marker", 0200, dir, NULL, &marker_fops);
	debugfs_create_file("nmi-times", 0644, dir, NULL, &nmi_times_fops);
	return 0;
}
late_initcall(pmu_model_debugfs_init);
