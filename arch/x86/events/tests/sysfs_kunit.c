// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of the room sysfs: each name in the tables of the models has a file of
 * events/, and each of these files is a generic event's or in a table.
 */
#include <kunit/test.h>
#include <linux/string.h>
#include <linux/sysfs.h>

#include "../rules/models.h"
#include "../sysfs.h"

/* Files of generic events. */
static const char * const generic[] = {
	"cpu-cycles", "instructions", "cache-references", "cache-misses",
	"branch-instructions", "branch-misses", "bus-cycles",
	"stalled-cycles-frontend", "stalled-cycles-backend", "ref-cycles",
};

static const struct attribute_group *events_group(void)
{
	for (unsigned int i = 0; x86_sysfs_groups[i]; i++) {
		const char *name = x86_sysfs_groups[i]->name;

		if (name && !strcmp(name, "events"))
			return x86_sysfs_groups[i];
	}
	return NULL;
}

static bool has_file(const char *name)
{
	struct attribute **attr;

	for (attr = events_group()->attrs; *attr; attr++) {
		if (!strcmp((*attr)->name, name))
			return true;
	}
	return false;
}

static void check_files(struct kunit *test, const struct x86_model *model)
{
	const struct x86_named_list *list;

	for (list = model->named; list; list = list->next) {
		for (unsigned int i = 0; i < list->nr; i++)
			KUNIT_EXPECT_TRUE_MSG(test, has_file(list->rows[i].name), "%s, %s",
					      model->name, list->rows[i].name);
	}
}

static void sysfs_test_named(struct kunit *test)
{
	const struct x86_models_row *rows;
	unsigned int nr;

	KUNIT_ASSERT_NOT_NULL(test, events_group());
	rows = x86_models_rows(&nr);
	for (unsigned int i = 0; i < nr; i++) {
		check_files(test, rows[i].model);
		if (rows[i].model->atom)
			check_files(test, rows[i].model->atom);
	}
}

static bool is_generic(const char *name)
{
	for (unsigned int i = 0; i < ARRAY_SIZE(generic); i++) {
		if (!strcmp(generic[i], name))
			return true;
	}
	return false;
}

static bool model_has(const struct x86_model *model, const char *name)
{
	return model && x86_match_named(model, name, ~0U);
}

static bool some_model_has(const char *name)
{
	const struct x86_models_row *rows;
	unsigned int nr;

	rows = x86_models_rows(&nr);
	for (unsigned int i = 0; i < nr; i++) {
		if (model_has(rows[i].model, name) || model_has(rows[i].model->atom, name))
			return true;
	}
	return false;
}

static void sysfs_test_used(struct kunit *test)
{
	struct attribute **attr;

	KUNIT_ASSERT_NOT_NULL(test, events_group());
	for (attr = events_group()->attrs; *attr; attr++)
		KUNIT_EXPECT_TRUE_MSG(test, is_generic((*attr)->name) ||
				      some_model_has((*attr)->name), "%s", (*attr)->name);
}

static struct kunit_case sysfs_test_cases[] = {
	KUNIT_CASE(sysfs_test_named),
	KUNIT_CASE(sysfs_test_used),
	{ }
};

static struct kunit_suite sysfs_test_suite = {
	.name		= "x86_sysfs",
	.test_cases	= sysfs_test_cases,
};

kunit_test_suite(sysfs_test_suite);
