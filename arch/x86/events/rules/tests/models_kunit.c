// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of the room models and of all tables: each processor is found, and what
 * the rows of each model promise is possible.
 */
#include <kunit/test.h>
#include <linux/bitops.h>
#include <linux/perf_event.h>

#include "../models.h"
#include "../tables/tables.h"

/* All models, some of them several times; NULL after the last one. */
static const struct x86_model *models_test_nth(unsigned int n)
{
	static const struct x86_model * const architectural[] = {
		&x86_model_intel_v1, &x86_model_intel_v2, &x86_model_intel_v5, NULL,
	};
	const struct x86_models_row *rows;
	unsigned int nr;

	rows = x86_models_rows(&nr);
	if (n < nr)
		return rows[n].model;
	n -= nr;
	if (n < nr)
		return rows[n].model->atom ?: rows[n].model;
	return architectural[n - nr];
}

#define for_each_model(n, model) \
	for (n = 0; (model = models_test_nth(n)); n++)

/* Whether some code is counted by @rule, not by one before it. */
static bool models_test_reachable(const struct x86_model *model,
				  const struct x86_rule *rule)
{
	u64 others = rule->first & ~(u64)X86_SEL_CODE;

	for (u64 code = rule->first & X86_SEL_CODE; code <= X86_SEL_CODE; code++) {
		if (x86_match_rule(model, code | others) == rule)
			return true;
	}
	return false;
}

static void check_rule(struct kunit *test, const struct x86_model *model,
		       const struct x86_rule *rule)
{
	u64 outside = rule->counters & ~model->counters;

	KUNIT_EXPECT_LE_MSG(test, rule->first, rule->last, "%s", model->name);
	KUNIT_EXPECT_EQ_MSG(test, (rule->first | rule->last) & ~rule->mask, 0ULL,
			    "%s, %llx has bits outside of its mask", model->name, rule->first);
	KUNIT_EXPECT_TRUE_MSG(test, models_test_reachable(model, rule),
			      "%s, %llx is never matched", model->name, rule->first);
	if (rule->flags & X86_RULE_NONE) {
		KUNIT_EXPECT_EQ(test, rule->counters, 0ULL);
		return;
	}
	KUNIT_EXPECT_NE_MSG(test, rule->counters & model->counters, 0ULL,
			    "%s, %llx has no counter", model->name, rule->first);
	/* Two kinds of rules are for any number of counters. */
	if (rule->counters != X86_ALL_GENERAL && !(rule->flags & X86_RULE_PAIR))
		KUNIT_EXPECT_EQ_MSG(test, outside, 0ULL, "%s, %llx: counters %llx",
				    model->name, rule->first, rule->counters);
}

/* The last event that a rule applies to. */
static unsigned int models_test_last_event(const struct x86_rule *rule)
{
	return (rule->last | ~rule->mask) & X86_SEL_EVENT;
}

static void check_rule_order(struct kunit *test, const struct x86_model *model,
			     const struct x86_rule *rule)
{
	unsigned int event = models_test_last_event(rule);
	unsigned int next = models_test_last_event(rule + 1);

	KUNIT_EXPECT_LE_MSG(test, event, next, "%s, before %llx", model->name,
			    rule[1].first);
	if (event == next)
		KUNIT_EXPECT_GE_MSG(test, hweight64(rule->mask), hweight64(rule[1].mask),
				    "%s, before %llx", model->name, rule[1].first);
}

static void check_rules(struct kunit *test, const struct x86_model *model)
{
	const struct x86_rule_list *list;

	for (list = model->rules; list; list = list->next) {
		for (unsigned int i = 0; i < list->nr; i++) {
			check_rule(test, model, &list->rows[i]);
			if (i + 1 < list->nr)
				check_rule_order(test, model, &list->rows[i]);
		}
	}
}

static void models_test_rules(struct kunit *test)
{
	const struct x86_model *model;
	unsigned int n;

	for_each_model(n, model)
		check_rules(test, model);
}

/*
 * Each fixed counter and metric of the model has a code, and no code has two.
 */
static void check_fixed(struct kunit *test, const struct x86_model *model)
{
	struct x86_match_pmu pmu = { .model = model, .counters = model->counters };
	u64 others = model->counters & ~X86_ALL_GENERAL, found = 0;
	const struct x86_fixed_list *list;

	for (list = model->fixed; list; list = list->next) {
		for (unsigned int i = 0; i < list->nr; i++) {
			u64 bit = BIT_ULL(list->rows[i].counter);
			u64 counters = x86_match_counters(&pmu, list->rows[i].code);

			KUNIT_EXPECT_EQ_MSG(test, counters & others, bit, "%s, code %x",
					    model->name, list->rows[i].code);
			found |= bit;
		}
	}
	/* Those of Zhaoxin and of no known core need not have all. */
	if (model->pmu_name)
		KUNIT_EXPECT_EQ_MSG(test, found, others, "%s", model->name);
}

static void models_test_fixed(struct kunit *test)
{
	const struct x86_model *model;
	unsigned int n;

	for_each_model(n, model)
		check_fixed(test, model);
}

static void check_extra(struct kunit *test, const struct x86_model *model)
{
	const struct x86_extra_list *list;

	for (list = model->extra; list; list = list->next) {
		for (unsigned int i = 0; i < list->nr; i++) {
			const struct x86_extra_rule *row = &list->rows[i];

			KUNIT_EXPECT_PTR_EQ_MSG(test, x86_match_extra(model, row->code), row,
						"%s, code %x", model->name, row->code);
			KUNIT_EXPECT_LT(test, row->reg, X86_NR_EXTRA);
			KUNIT_EXPECT_NE(test, row->valid, 0ULL);
			if (i + 1 < list->nr)
				KUNIT_EXPECT_LE_MSG(test, row->code & 0xff, row[1].code & 0xff,
						    "%s, before %x", model->name, row[1].code);
		}
	}
}

static void models_test_extra(struct kunit *test)
{
	const struct x86_model *model;
	unsigned int n;

	for_each_model(n, model)
		check_extra(test, model);
}

/* The event of a generic or cache event can be counted, with its register. */
static void check_event(struct kunit *test, const struct x86_model *model,
			u64 config, u64 value)
{
	struct x86_match_pmu pmu = { .model = model, .counters = model->counters };

	KUNIT_EXPECT_NE_MSG(test, x86_match_counters(&pmu, config), 0ULL,
			    "%s, config %llx", model->name, config);
	KUNIT_EXPECT_EQ_MSG(test, x86_match_extra_value(model, config, value), 0,
			    "%s, config %llx, value %llx", model->name, config, value);
	KUNIT_EXPECT_EQ_MSG(test, !x86_match_extra(model, config), !value,
			    "%s, config %llx, value %llx", model->name, config, value);
}

static void check_generic(struct kunit *test, const struct x86_model *model)
{
	struct x86_match_pmu pmu = { .model = model, .counters = model->counters };
	unsigned int nr = 0;
	u64 config;

	for (u64 event = 0; event < PERF_COUNT_HW_MAX; event++) {
		if (x86_match_generic(&pmu, event, &config))
			continue;
		check_event(test, model, config, 0);
		nr++;
	}
	KUNIT_EXPECT_GT_MSG(test, nr, 0U, "%s", model->name);
	KUNIT_EXPECT_EQ_MSG(test, x86_match_generic(&pmu, PERF_COUNT_HW_CPU_CYCLES, &config),
			    0, "%s", model->name);
}

static void models_test_generic(struct kunit *test)
{
	const struct x86_model *model;
	unsigned int n;

	for_each_model(n, model)
		check_generic(test, model);
}

static void check_cache(struct kunit *test, const struct x86_model *model)
{
	const struct x86_cache_list *list;

	for (list = model->cache; list; list = list->next) {
		for (unsigned int i = 0; i < list->nr; i++) {
			const struct x86_cache *row = &list->rows[i];
			u64 config = 0, value = 0;
			int ret = x86_match_cache(model, row->key, &config, &value);

			for (unsigned int j = 0; j < i; j++)
				KUNIT_EXPECT_NE_MSG(test, row->key, list->rows[j].key,
						    "%s, key %x", model->name, row->key);
			if (ret)
				KUNIT_EXPECT_EQ_MSG(test, ret, -EINVAL, "%s, key %x",
						    model->name, row->key);
			else
				check_event(test, model, config, value);
		}
	}
}

static void models_test_cache(struct kunit *test)
{
	const struct x86_model *model;
	unsigned int n;

	for_each_model(n, model)
		check_cache(test, model);
}

/* Where the value of each field of an event's text belongs. */
static const struct {
	const char	*name;
	unsigned int	shift;
} models_test_fields[] = {
	{ "event", 0 }, { "umask", 8 }, { "any", 21 }, { "cmask", 24 },
	{ "in_tx", 32 }, { "in_tx_cp", 33 },
};

/* The config of one field "NAME=VALUE", or 0. */
static u64 models_test_field(const char *text)
{
	size_t length = strcspn(text, "=");
	u64 value;

	for (unsigned int i = 0; i < ARRAY_SIZE(models_test_fields); i++) {
		const char *name = models_test_fields[i].name;

		if (strlen(name) == length && !strncmp(text, name, length) &&
		    !kstrtou64(text + length + 1, 0, &value))
			return value << models_test_fields[i].shift;
	}
	return 0;
}

static u64 models_test_config(struct kunit *test, const char *text)
{
	char *copy = kunit_kzalloc(test, strlen(text) + 1, GFP_KERNEL);
	u64 config = 0;
	char *field;

	KUNIT_ASSERT_NOT_NULL(test, copy);
	memcpy(copy, text, strlen(text));
	while ((field = strsep(&copy, ","))) {
		/*
		 * A field of value 0 is written for the reader. The latency is
		 * in config1.
		 */
		if (!strcmp(field, "umask=0x0") || !strcmp(field, "event=0x00") ||
		    !strcmp(field, "ldlat=3"))
			continue;
		KUNIT_EXPECT_NE_MSG(test, models_test_field(field), 0ULL, "%s", field);
		config |= models_test_field(field);
	}
	return config;
}

/* A text is a factor, or an event that counters of the model count. */
static void check_named_text(struct kunit *test, const struct x86_model *model,
			     const struct x86_named *row, const char *text)
{
	unsigned int factor;

	if (strstr(row->name, ".scale")) {
		KUNIT_EXPECT_EQ_MSG(test, kstrtouint(text, 10, &factor), 0, "%s", text);
		return;
	}
	/* An event with a register of its own names the value. */
	check_event(test, model, models_test_config(test, text), strstr(text, "ldlat=3") ? 3 : 0);
}

static void check_named(struct kunit *test, const struct x86_model *model)
{
	const struct x86_named_list *list;
	const struct x86_named *row;

	for (list = model->named; list; list = list->next) {
		for (row = list->rows; row < list->rows + list->nr; row++) {
			for (const struct x86_named *other = list->rows; other < row; other++)
				KUNIT_EXPECT_STRNEQ(test, row->name, other->name);
			if (row->needs & X86_HAS_TSX)
				KUNIT_EXPECT_NE(test, model->quirks & X86_QUIRK_TSX, 0U);
			check_named_text(test, model, row, row->text);
			if (row->threads)
				check_named_text(test, model, row, row->threads);
		}
	}
}

static void models_test_named(struct kunit *test)
{
	const struct x86_model *model;
	unsigned int n;

	for_each_model(n, model)
		check_named(test, model);
}

static const struct x86_model *find(enum x86_models_vendor vendor, unsigned int family,
				    unsigned int model, unsigned int stepping)
{
	struct x86_models_cpu cpu = {
		.vendor = vendor, .family = family, .model = model, .stepping = stepping,
	};

	return x86_models_find(&cpu);
}

static void models_test_rows(struct kunit *test)
{
	const struct x86_models_row *rows, *a, *b;
	unsigned int nr;

	rows = x86_models_rows(&nr);
	KUNIT_ASSERT_GT(test, nr, 0U);
	for (a = rows; a < rows + nr; a++) {
		KUNIT_EXPECT_LE(test, a->first, a->last);
		KUNIT_EXPECT_LE(test, a->first_stepping, a->last_stepping);
		KUNIT_EXPECT_PTR_EQ(test, find(a->vendor, a->family, a->first,
					       a->first_stepping), a->model);
		KUNIT_EXPECT_PTR_EQ(test, find(a->vendor, a->family, a->last,
					       a->last_stepping), a->model);
		for (b = rows; b < a; b++)
			KUNIT_EXPECT_FALSE_MSG(test, a->vendor == b->vendor &&
					       a->family == b->family &&
					       a->first <= b->last && b->first <= a->last &&
					       a->first_stepping <= b->last_stepping &&
					       b->first_stepping <= a->last_stepping,
					       "family %x, model %x is in two rows",
					       a->family, a->first);
	}
}

static void models_test_find(struct kunit *test)
{
	KUNIT_EXPECT_PTR_EQ(test, find(X86_MODELS_INTEL, 6, 0x2f, 2), &x86_model_westmere_ex);
	KUNIT_EXPECT_PTR_EQ(test, find(X86_MODELS_INTEL, 6, 0x2d, 7), &x86_model_sandybridge_ep);
	KUNIT_EXPECT_PTR_EQ(test, find(X86_MODELS_INTEL, 6, 0x55, 4), &x86_model_skylake_server);
	KUNIT_EXPECT_PTR_EQ(test, find(X86_MODELS_INTEL, 6, 0x5e, 3), &x86_model_skylake);
	KUNIT_EXPECT_PTR_EQ(test, find(X86_MODELS_INTEL, 6, 0x6a, 6), &x86_model_icelake_server);
	KUNIT_EXPECT_PTR_EQ(test, find(X86_MODELS_INTEL, 6, 0xbe, 0), &x86_model_gracemont);
	KUNIT_EXPECT_PTR_EQ(test, find(X86_MODELS_INTEL, 6, 0x04, 0), NULL);
	KUNIT_EXPECT_PTR_EQ(test, find(X86_MODELS_AMD, 0x17, 0x31, 0), &x86_model_zen2);
	KUNIT_EXPECT_PTR_EQ(test, find(X86_MODELS_AMD, 0x17, 0x50, 0), &x86_model_zen1);
	KUNIT_EXPECT_PTR_EQ(test, find(X86_MODELS_AMD, 0x19, 0x11, 1), &x86_model_zen4);
	KUNIT_EXPECT_PTR_EQ(test, find(X86_MODELS_AMD, 0x19, 0x21, 0), &x86_model_zen3);
	KUNIT_EXPECT_PTR_EQ(test, find(X86_MODELS_HYGON, 0x18, 1, 1), &x86_model_zen1);
	/* Nano has the same family and model as the first ZXC. */
	KUNIT_EXPECT_PTR_EQ(test, find(X86_MODELS_CENTAUR, 6, 0x0f, 0x0d), NULL);
	KUNIT_EXPECT_PTR_EQ(test, find(X86_MODELS_CENTAUR, 6, 0x0f, 0x0e), &x86_model_zxc);
	KUNIT_EXPECT_PTR_EQ(test, find(X86_MODELS_ZHAOXIN, 7, 0x3b, 0), &x86_model_zxe);
}

/* The numbers of another vendor's processor mean nothing. */
static void models_test_vendors(struct kunit *test)
{
	KUNIT_EXPECT_NULL(test, find(X86_MODELS_AMD, 0x18, 1, 1));
	KUNIT_EXPECT_NULL(test, find(X86_MODELS_HYGON, 6, 0x55, 4));
	KUNIT_EXPECT_NULL(test, find(X86_MODELS_HYGON, 0x17, 0x31, 0));
	KUNIT_EXPECT_NULL(test, find(X86_MODELS_ZHAOXIN, 6, 0x2a, 7));
	KUNIT_EXPECT_NULL(test, find(X86_MODELS_INTEL, 0x17, 0x31, 0));
	KUNIT_EXPECT_PTR_EQ(test, find(X86_MODELS_AMD, 6, 0x2a, 7), &x86_model_k7);
}

static void models_test_architectural(struct kunit *test)
{
	static const struct x86_model * const by_version[] = {
		NULL, &x86_model_intel_v1, &x86_model_intel_v2, &x86_model_intel_v2,
		&x86_model_intel_v2, &x86_model_intel_v5, &x86_model_intel_v5,
	};
	struct x86_models_cpu cpu = { .family = 6, .model = 0xfe };

	for (unsigned int i = 0; i < ARRAY_SIZE(by_version); i++) {
		cpu.version = i;
		cpu.vendor = X86_MODELS_INTEL;
		KUNIT_EXPECT_PTR_EQ(test, x86_models_find(&cpu), by_version[i]);
		cpu.vendor = X86_MODELS_ZHAOXIN;
		KUNIT_EXPECT_NULL(test, x86_models_find(&cpu));
	}
}

static void models_test_hybrid(struct kunit *test)
{
	static const u8 hybrid[] = {
		0x97, 0x9a, 0xaa, 0xac, 0xb5, 0xb7, 0xba, 0xbd, 0xbf, 0xc6,
	};
	const struct x86_models_row *rows;
	unsigned int nr, nr_hybrid = 0;

	for (unsigned int i = 0; i < ARRAY_SIZE(hybrid); i++) {
		const struct x86_model *core = find(X86_MODELS_INTEL, 6, hybrid[i], 0);

		KUNIT_ASSERT_NOT_NULL(test, core->atom);
		KUNIT_EXPECT_STREQ(test, core->pmu_name, core->atom->pmu_name);
		KUNIT_EXPECT_NULL(test, core->atom->atom);
	}
	rows = x86_models_rows(&nr);
	for (unsigned int i = 0; i < nr; i++)
		nr_hybrid += rows[i].model->atom ? rows[i].last - rows[i].first + 1 : 0;
	KUNIT_EXPECT_EQ(test, nr_hybrid, ARRAY_SIZE(hybrid));
}

static struct kunit_case models_test_cases[] = {
	KUNIT_CASE(models_test_rules),
	KUNIT_CASE(models_test_fixed),
	KUNIT_CASE(models_test_extra),
	KUNIT_CASE(models_test_generic),
	KUNIT_CASE(models_test_cache),
	KUNIT_CASE(models_test_named),
	KUNIT_CASE(models_test_rows),
	KUNIT_CASE(models_test_find),
	KUNIT_CASE(models_test_vendors),
	KUNIT_CASE(models_test_architectural),
	KUNIT_CASE(models_test_hybrid),
	{ }
};

static struct kunit_suite models_test_suite = {
	.name		= "x86_models",
	.test_cases	= models_test_cases,
};

kunit_test_suite(models_test_suite);
