// SPDX-License-Identifier: GPL-2.0
/*
 * PMU model: the boot parameter
 *
 *   pmu_model=intel[,version=2-5][,gp=1-8][,fixed=0-4][,width=40-48]
 *             [,fullwidth=0-1][,metrics=0-8][,hybrid=0-1][,ext=0-1]
 *             [,lbr=0|4|8|16|32][,lbrfmt=0-6|arch][,pebs=none|0-4]
 *   pmu_model=amd[,variant=legacy|core|v2][,ibs=0-4][,lbr=0|16][,brs=0-1]
 *   pmu_model=zhaoxin[,gp=1-8][,fixed=0-4][,width=40-48]
 *   all: [,filter=none|ctx][,self=exclude|count][,strict=0-1]
 *
 * Owns the description of the modelled PMU, which never changes afterwards.
 *
 * Contexts: early parameter parsing on the boot CPU; the CPU's vendor is known,
 * calls through pv_ops are not patched yet.
 */
#include <linux/bits.h>
#include <linux/cache.h>
#include <linux/errno.h>
#include <linux/init.h>
#include <linux/kernel.h>
#include <linux/printk.h>
#include <linux/string.h>

#include <asm/processor.h>

#include "pmu_model.h"

struct pmu_model pmu_model __ro_after_init;

#define INTEL	BIT(PMU_MODEL_INTEL)
#define AMD	BIT(PMU_MODEL_AMD)
#define ZHAOXIN	BIT(PMU_MODEL_ZHAOXIN)
#define ALL	(INTEL | AMD | ZHAOXIN)

/* An option: a number within limits, or the index of a word. */
struct option {
	const char *name;
	unsigned int *value;
	unsigned int min, max;
	const char * const *words;
	u8 vendors;	/* mask of enum pmu_model_vendor */
};

static struct {
	unsigned int version, gp, fixed, width, fullwidth, metrics, hybrid, ext;
	unsigned int variant, filter, self, strict, ibs, lbr, lbrfmt, pebs, brs;
} chosen __initdata = {
	.version = 4, .gp = 4, .fixed = 3, .width = 48, .fullwidth = 1,
	.variant = PMU_MODEL_AMD_V2, .lbrfmt = PMU_LBR_FMT_INFO,
};

static const char * const variant_words[] __initconst = {
	"legacy", "core", "v2",
};

static const char * const pebs_words[] __initconst = {
	"none", "0", "1", "2", "3", "4",
};

static const char * const format_words[] __initconst = {
	"0", "1", "2", "3", "4", "5", "6", "arch",
};

static const char * const filter_words[] __initconst = { "none", "ctx" };
static const char * const self_words[] __initconst = { "exclude", "count" };

static const struct option options[] __initconst = {
	{ "version", &chosen.version, 0, 5, NULL, INTEL },
	{ "gp", &chosen.gp, 1, PMU_MODEL_MAX_GP, NULL, INTEL | ZHAOXIN },
	{ "fixed", &chosen.fixed, 0, PMU_MODEL_MAX_FIXED, NULL, INTEL | ZHAOXIN },
	{ "width", &chosen.width, 40, 48, NULL, INTEL | ZHAOXIN },
	{ "fullwidth", &chosen.fullwidth, 0, 1, NULL, INTEL },
	{ "metrics", &chosen.metrics, 0, 8, NULL, INTEL },
	{ "hybrid", &chosen.hybrid, 0, 1, NULL, INTEL },
	{ "ext", &chosen.ext, 0, 1, NULL, INTEL },
	{ "variant", &chosen.variant, 0, 2, variant_words, AMD },
	{ "ibs", &chosen.ibs, 0, 4, NULL, AMD },
	{ "lbr", &chosen.lbr, 0, PMU_LBR_MAX, NULL, INTEL | AMD },
	{ "lbrfmt", &chosen.lbrfmt, 0, ARRAY_SIZE(format_words) - 1, format_words, INTEL },
	{ "pebs", &chosen.pebs, 0, ARRAY_SIZE(pebs_words) - 1, pebs_words, INTEL },
	{ "brs", &chosen.brs, 0, 1, NULL, AMD },
	{ "filter", &chosen.filter, 0, 1, filter_words, ALL },
	{ "self", &chosen.self, 0, 1, self_words, ALL },
	{ "strict", &chosen.strict, 0, 1, NULL, ALL },
};

static int __init parse_value(const struct option *o, const char *text,
			      unsigned int *value)
{
	unsigned int i;

	if (!o->words)
		return kstrtouint(text, 0, value);
	for (i = o->min; i <= o->max; i++) {
		if (strcmp(o->words[i], text))
			continue;
		*value = i;
		return 0;
	}
	return -EINVAL;
}

static const struct option * __init find_option(const char *name,
						enum pmu_model_vendor vendor)
{
	const struct option *o;

	for (o = options; o < options + ARRAY_SIZE(options); o++)
		if (!strcmp(o->name, name) && (o->vendors & BIT(vendor)))
			return o;
	return NULL;
}

/* Numbers of records that there are, of Intel and of AMD. */
static bool __init is_lbr_size(unsigned int value, enum pmu_model_vendor vendor)
{
	if (vendor == PMU_MODEL_AMD)
		return !value || value == 16;
	return !value || value == 4 || value == 8 || value == 16 || value == 32;
}

/* A wrong option is reported, and the default is used. */
static void __init parse_option(char *text, enum pmu_model_vendor vendor)
{
	const char *name = strsep(&text, "=");
	const struct option *o = find_option(name, vendor);
	unsigned int value;

	if (!o) {
		pr_warn("pmu_model: unknown option \"%s\"\n", name);
		return;
	}
	if (!text || parse_value(o, text, &value) ||
	    value < o->min || value > o->max ||
	    (o->value == &chosen.version && value == 1) ||
	    (o->value == &chosen.lbr && !is_lbr_size(value, vendor))) {
		pr_warn("pmu_model: bad value of %s, default kept\n", name);
		return;
	}
	*o->value = value;
}

static enum pmu_model_vendor __init parse_vendor(const char *word)
{
	u8 cpu = boot_cpu_data.x86_vendor;

	if (!strcmp(word, "intel") && cpu == X86_VENDOR_INTEL)
		return PMU_MODEL_INTEL;
	if (!strcmp(word, "amd") && cpu == X86_VENDOR_AMD)
		return PMU_MODEL_AMD;
	if (!strcmp(word, "zhaoxin") &&
	    (cpu == X86_VENDOR_CENTAUR || cpu == X86_VENDOR_ZHAOXIN))
		return PMU_MODEL_ZHAOXIN;
	return PMU_MODEL_OFF;
}

static void __init build(enum pmu_model_vendor vendor)
{
	struct pmu_model *m = &pmu_model;

	m->version = chosen.version;
	m->gp = chosen.gp;
	m->fixed = chosen.fixed;
	m->width = chosen.width;
	m->full_width = chosen.fullwidth;
	m->metrics = chosen.metrics;
	m->hybrid = chosen.hybrid;
	m->ext = chosen.ext;
	m->variant = chosen.variant;
	m->lbr = chosen.lbr;
	m->lbr_format = chosen.lbrfmt > PMU_LBR_FMT_TIME ? PMU_LBR_FMT_ARCH : chosen.lbrfmt;
	m->branch_script = &pmu_model_branch_script;
	m->pebs = chosen.pebs;
	m->access_script = &pmu_model_access_script;
	m->brs = chosen.brs;
	m->ibs_caps = pmu_model_ibs_caps(chosen.ibs);
	m->ibs_script = &pmu_model_ibs_script;
	m->filter = chosen.filter;
	m->exclude_self = !chosen.self;
	m->constraints = chosen.strict ? &pmu_model_constraints : NULL;
	pmu_model_setup(m, vendor);
}

static int __init pmu_model_param(char *text)
{
	enum pmu_model_vendor vendor;
	const char *word;

	if (!text || pmu_model.vendor)
		return -EINVAL;
	word = strsep(&text, ",");
	vendor = parse_vendor(word);
	if (!vendor) {
		pr_warn("pmu_model: \"%s\" does not fit this CPU, no PMU\n", word);
		return 0;
	}
	while (text)
		parse_option(strsep(&text, ","), vendor);
	if (chosen.filter && !IS_ENABLED(CONFIG_CONTEXT_TRACKING_USER_FORCE)) {
		pr_warn("pmu_model: filter=ctx needs CONTEXT_TRACKING_USER_FORCE, not filtering\n");
		chosen.filter = 0;
	}
	build(vendor);
	pmu_model_power_up();
	pmu_model_pv_install();
	return 0;
}
early_param("pmu_model", pmu_model_param);
