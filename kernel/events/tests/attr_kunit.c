// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of the room attr, compiled into its object to see the tables: each row
 * refuses what it should and nothing else, sizes of attributes of old, present
 * and future programs, what is permitted at each paranoid level.
 *
 * Privileges are those of the test's thread, and are taken away and given back.
 * Security modules are asked as well, so denials are only expected where the core
 * itself denies, and grants where no module is expected to object to root.
 */

#include <kunit/test.h>
#include <linux/cred.h>
#include <linux/mman.h>

struct attr_case {
	const char		*name;
	struct perf_event_attr	attr;
	/* The expected result: an errno, or the level that denies it. */
	int			error;
	int			level;
};

static void attr_case_name(const struct attr_case *c, char *name)
{
	strscpy(name, c->name, KUNIT_PARAM_DESC_SIZE);
}

#define BRANCH(bits)	.sample_type = PERF_SAMPLE_BRANCH_STACK, \
			.branch_sample_type = (bits)
#define NO_CGROUP	(IS_ENABLED(CONFIG_CGROUP_PERF) ? 0 : -EINVAL)

/* With the errno for a caller that may do everything. */
static const struct attr_case content_cases[] = {
	{ .name = "nothing", .attr = { }, .error = 0 },
	{ .name = "reserved_1", .attr = { .__reserved_1 = 1 },
	  .error = -EINVAL },
	{ .name = "reserved_2", .attr = { .__reserved_2 = 1 },
	  .error = -EINVAL },
	{ .name = "reserved_3", .attr = { .__reserved_3 = 1 },
	  .error = -EINVAL },
	{ .name = "sample_type", .attr = { .sample_type = PERF_SAMPLE_MAX },
	  .error = -EINVAL },
	{ .name = "sample_type high", .attr = { .sample_type = BIT_ULL(63) },
	  .error = -EINVAL },
	{ .name = "sample_type known",
	  .attr = { .sample_type = PERF_SAMPLE_IP |
		    PERF_SAMPLE_CODE_PAGE_SIZE }, .error = 0 },
	{ .name = "read_format", .attr = { .read_format = PERF_FORMAT_MAX },
	  .error = -EINVAL },
	{ .name = "read_format high", .attr = { .read_format = BIT_ULL(63) },
	  .error = -EINVAL },
	{ .name = "read_format known",
	  .attr = { .read_format = PERF_FORMAT_MAX - 1 }, .error = 0 },
	{ .name = "branch bits",
	  .attr = { BRANCH(PERF_SAMPLE_BRANCH_MAX | PERF_SAMPLE_BRANCH_ANY) },
	  .error = -EINVAL },
	{ .name = "branch high",
	  .attr = { BRANCH(BIT_ULL(63) | PERF_SAMPLE_BRANCH_ANY) },
	  .error = -EINVAL },
	{ .name = "branch no kind", .attr = { BRANCH(PERF_SAMPLE_BRANCH_USER) },
	  .error = -EINVAL },
	{ .name = "branch any",
	  .attr = { BRANCH(PERF_SAMPLE_BRANCH_USER | PERF_SAMPLE_BRANCH_ANY) },
	  .error = 0 },
	{ .name = "branch unused",
	  .attr = { .branch_sample_type = BIT_ULL(63) }, .error = 0 },
	{ .name = "regs_user none",
	  .attr = { .sample_type = PERF_SAMPLE_REGS_USER },
	  .error = IS_ENABLED(CONFIG_HAVE_PERF_REGS) ? -EINVAL : 0 },
	{ .name = "regs_user all",
	  .attr = { .sample_type = PERF_SAMPLE_REGS_USER,
		    .sample_regs_user = U64_MAX }, .error = -EINVAL },
	{ .name = "regs_intr all",
	  .attr = { .sample_type = PERF_SAMPLE_REGS_INTR,
		    .sample_regs_intr = U64_MAX }, .error = -EINVAL },
	{ .name = "regs unused",
	  .attr = { .sample_regs_user = U64_MAX, .sample_regs_intr = U64_MAX },
	  .error = 0 },
	{ .name = "stack limit",
	  .attr = { .sample_type = PERF_SAMPLE_STACK_USER,
		    .sample_stack_user = U16_MAX }, .error = -EINVAL },
	{ .name = "stack huge",
	  .attr = { .sample_type = PERF_SAMPLE_STACK_USER,
		    .sample_stack_user = U32_MAX - 7 }, .error = -EINVAL },
	{ .name = "stack unaligned",
	  .attr = { .sample_type = PERF_SAMPLE_STACK_USER,
		    .sample_stack_user = 1020 }, .error = -EINVAL },
	{ .name = "stack largest",
	  .attr = { .sample_type = PERF_SAMPLE_STACK_USER,
		    .sample_stack_user = 65528 }, .error = 0 },
	{ .name = "cgroup", .attr = { .sample_type = PERF_SAMPLE_CGROUP },
	  .error = NO_CGROUP },
	{ .name = "weight", .attr = { .sample_type = PERF_SAMPLE_WEIGHT },
	  .error = 0 },
	{ .name = "weight struct",
	  .attr = { .sample_type = PERF_SAMPLE_WEIGHT_STRUCT }, .error = 0 },
	{ .name = "weight twice",
	  .attr = { .sample_type = PERF_SAMPLE_WEIGHT |
		    PERF_SAMPLE_WEIGHT_STRUCT }, .error = -EINVAL },
	{ .name = "inherit_thread", .attr = { .inherit_thread = 1 },
	  .error = -EINVAL },
	{ .name = "inherit_thread inherit",
	  .attr = { .inherit_thread = 1, .inherit = 1 }, .error = 0 },
	{ .name = "exec twice",
	  .attr = { .remove_on_exec = 1, .enable_on_exec = 1 },
	  .error = -EINVAL },
	{ .name = "sigtrap", .attr = { .sigtrap = 1 }, .error = -EINVAL },
	{ .name = "sigtrap removed",
	  .attr = { .sigtrap = 1, .remove_on_exec = 1 }, .error = 0 },
};

KUNIT_ARRAY_PARAM(content, content_cases, attr_case_name);

static void content(struct kunit *test)
{
	const struct attr_case *c = test->param_value;

	if ((c->attr.sample_type & PERF_SAMPLE_STACK_USER) &&
	    attr_stack_impossible(&c->attr))
		kunit_skip(test, "no user stacks on this architecture");
	KUNIT_EXPECT_EQ(test, perf_attr_check(&c->attr), c->error);
}

/* Rows that check privileges have tests of their own. */
static bool row_is_tried(const struct attr_rule *row)
{
	for (size_t i = 0; i < ARRAY_SIZE(content_cases); i++) {
		if (attr_rules_walk(row, 1, &content_cases[i].attr))
			return true;
	}
	return false;
}

static bool row_is_dead(const struct attr_rule *row)
{
	if (row->applies == attr_stack_impossible)
		return IS_ENABLED(CONFIG_HAVE_PERF_USER_STACK_DUMP);
	if (row->applies == attr_cgroup_impossible)
		return IS_ENABLED(CONFIG_CGROUP_PERF);
	return false;
}

static void content_complete(struct kunit *test)
{
	for (size_t i = 0; i < ARRAY_SIZE(attr_content_rules); i++) {
		const struct attr_rule *row = &attr_content_rules[i];

		if (!row->ask && !row_is_dead(row))
			KUNIT_EXPECT_TRUE_MSG(test, row_is_tried(row),
					      "no case for row %zu", i);
	}
}

/* perf_attr_permitted_at() walks these rows only for such attributes. */
static void secrets_complete(struct kunit *test)
{
	for (size_t i = 0; i < ARRAY_SIZE(attr_secret_rules); i++) {
		const u64 asked = attr_secret_rules[i].sample_type;

		KUNIT_EXPECT_NE_MSG(test, asked, 0, "row %zu", i);
		KUNIT_EXPECT_EQ_MSG(test, asked & ~(u64)ATTR_SECRETS, 0,
				    "row %zu", i);
	}
}

/* User memory. */

struct attr_user {
	struct perf_event_attr __user	*uattr;
	union {
		struct perf_event_attr	attr;
		u8			bytes[2 * PAGE_SIZE];
	};
};

static struct attr_user *user_prepare(struct kunit *test)
{
	struct attr_user *user = kunit_kzalloc(test, sizeof(*user), GFP_KERNEL);
	unsigned long addr;

	KUNIT_ASSERT_NOT_NULL(test, user);
	addr = kunit_vm_mmap(test, NULL, 0, sizeof(user->bytes),
			     PROT_READ | PROT_WRITE,
			     MAP_ANONYMOUS | MAP_PRIVATE, 0);
	KUNIT_ASSERT_FALSE(test, !addr || IS_ERR_VALUE(addr));
	user->uattr = (struct perf_event_attr __user *)addr;
	user->attr.type = PERF_TYPE_SOFTWARE;
	user->attr.config = PERF_COUNT_SW_DUMMY;
	return user;
}

static int test_max_stack = 127;

static int user_copy(struct kunit *test, struct attr_user *user,
		     struct perf_event_attr *attr)
{
	unsigned long left = copy_to_user(user->uattr, user->bytes,
					  sizeof(user->bytes));

	KUNIT_ASSERT_EQ(test, left, 0);
	return perf_attr_copy_user(user->uattr, attr, &test_max_stack);
}

static void expect_size_told(struct kunit *test, struct attr_user *user,
			     u32 size)
{
	struct perf_event_attr attr;
	u32 told = 0;

	user->attr.size = size;
	KUNIT_EXPECT_EQ(test, user_copy(test, user, &attr), -E2BIG);
	KUNIT_ASSERT_EQ(test, get_user(told, &user->uattr->size), 0);
	KUNIT_EXPECT_EQ(test, told, (u32)sizeof(attr));
}

static void expect_size_taken(struct kunit *test, struct attr_user *user,
			      u32 size, u32 means)
{
	struct perf_event_attr attr;

	user->attr.size = size;
	memset(&attr, 0xff, sizeof(attr));
	KUNIT_EXPECT_EQ(test, user_copy(test, user, &attr), 0);
	KUNIT_EXPECT_EQ(test, attr.size, means);
	KUNIT_EXPECT_EQ(test, attr.type, (u32)PERF_TYPE_SOFTWARE);
	KUNIT_EXPECT_EQ(test, attr.config, (u64)PERF_COUNT_SW_DUMMY);
	KUNIT_EXPECT_EQ(test, attr.config3, 0);
	KUNIT_EXPECT_EQ(test, attr.config4, 0);
}

static void sizes(struct kunit *test)
{
	static const u32 versions[] = {
		PERF_ATTR_SIZE_VER0, PERF_ATTR_SIZE_VER1, PERF_ATTR_SIZE_VER2,
		PERF_ATTR_SIZE_VER3, PERF_ATTR_SIZE_VER4, PERF_ATTR_SIZE_VER5,
		PERF_ATTR_SIZE_VER6, PERF_ATTR_SIZE_VER7, PERF_ATTR_SIZE_VER8,
		PERF_ATTR_SIZE_VER9,
		sizeof(struct perf_event_attr) + 8, PAGE_SIZE,
	};
	struct attr_user *user = user_prepare(test);

	for (size_t i = 0; i < ARRAY_SIZE(versions); i++)
		expect_size_taken(test, user, versions[i], versions[i]);
	expect_size_taken(test, user, 0, PERF_ATTR_SIZE_VER0);
	/* Between two versions: a size may end in the middle of a field. */
	expect_size_taken(test, user, PERF_ATTR_SIZE_VER0 + 1,
			  PERF_ATTR_SIZE_VER0 + 1);

	expect_size_told(test, user, 1);
	expect_size_told(test, user, PERF_ATTR_SIZE_VER0 - 1);
	expect_size_told(test, user, PAGE_SIZE + 1);
	expect_size_told(test, user, U32_MAX);
}

static void size_of_the_future(struct kunit *test)
{
	struct attr_user *user = user_prepare(test);
	const u32 known = sizeof(struct perf_event_attr);

	user->bytes[known] = 1;
	expect_size_told(test, user, known + 8);
	expect_size_told(test, user, PAGE_SIZE);
	/* Bytes behind the end of the structure belong to no field. */
	expect_size_taken(test, user, known, known);

	user->bytes[known] = 0;
	user->bytes[PAGE_SIZE - 1] = 1;
	expect_size_told(test, user, PAGE_SIZE);
	expect_size_taken(test, user, PAGE_SIZE - 8, PAGE_SIZE - 8);
}

/* The kernel does not read beyond the size that an old program states. */
static void size_of_the_past(struct kunit *test)
{
	struct attr_user *user = user_prepare(test);
	struct perf_event_attr attr;

	memset(user->bytes + PERF_ATTR_SIZE_VER0, 0xff,
	       sizeof(struct perf_event_attr) - PERF_ATTR_SIZE_VER0);
	user->attr.size = PERF_ATTR_SIZE_VER0;
	KUNIT_EXPECT_EQ(test, user_copy(test, user, &attr), 0);
	KUNIT_EXPECT_EQ(test, attr.config2, 0);
	KUNIT_EXPECT_EQ(test, attr.sample_regs_intr, 0);
	KUNIT_EXPECT_EQ(test, attr.sig_data, 0);
	KUNIT_EXPECT_EQ(test, perf_attr_check(&attr), 0);
}

static void size_beyond_memory(struct kunit *test)
{
	struct perf_event_attr attr;

	user_prepare(test);
	KUNIT_EXPECT_EQ(test, perf_attr_copy_user(NULL, &attr, &test_max_stack), -EFAULT);
}

static void usual_values(struct kunit *test)
{
	struct attr_user *user = user_prepare(test);
	struct perf_event_attr attr;

	user->attr.size = sizeof(attr);
	KUNIT_EXPECT_EQ(test, user_copy(test, user, &attr), 0);
	KUNIT_EXPECT_EQ(test, attr.branch_sample_type, 0);

	user->attr.sample_type = PERF_SAMPLE_BRANCH_STACK;
	user->attr.branch_sample_type = PERF_SAMPLE_BRANCH_ANY;
	user->attr.exclude_kernel = 1;
	user->attr.exclude_hv = 1;
	KUNIT_EXPECT_EQ(test, user_copy(test, user, &attr), 0);
	KUNIT_EXPECT_EQ(test, attr.branch_sample_type,
			(u64)(PERF_SAMPLE_BRANCH_ANY | PERF_SAMPLE_BRANCH_USER));

	user->attr.branch_sample_type |= PERF_SAMPLE_BRANCH_HV;
	KUNIT_EXPECT_EQ(test, user_copy(test, user, &attr), 0);
	KUNIT_EXPECT_EQ(test, attr.branch_sample_type,
			user->attr.branch_sample_type);
}

static void usual_max_stack(struct kunit *test)
{
	struct attr_user *user = user_prepare(test);
	struct perf_event_attr attr;

	/* Without call chains the field has no meaning. */
	user->attr.size = sizeof(attr);
	KUNIT_EXPECT_EQ(test, user_copy(test, user, &attr), 0);
	KUNIT_EXPECT_EQ(test, attr.sample_max_stack, 0);

	user->attr.sample_type = PERF_SAMPLE_CALLCHAIN;
	KUNIT_EXPECT_EQ(test, user_copy(test, user, &attr), 0);
	KUNIT_EXPECT_EQ(test, attr.sample_max_stack, 127);

	/* A limit that the field cannot hold. */
	test_max_stack = 640 << 10;
	KUNIT_EXPECT_EQ(test, user_copy(test, user, &attr), 0);
	KUNIT_EXPECT_EQ(test, attr.sample_max_stack, U16_MAX);
	test_max_stack = 127;

	user->attr.sample_max_stack = 5;
	KUNIT_EXPECT_EQ(test, user_copy(test, user, &attr), 0);
	KUNIT_EXPECT_EQ(test, attr.sample_max_stack, 5);
}

/* Permission. */

struct attr_caller {
	const struct cred	*own;
	struct cred		*weak;
	int			paranoid;
};

static int caller_init(struct kunit *test)
{
	struct attr_caller *caller;

	caller = kunit_kzalloc(test, sizeof(*caller), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, caller);
	caller->paranoid = sysctl_perf_event_paranoid;
	test->priv = caller;
	return 0;
}

static void caller_weaken(struct kunit *test, bool perfmon)
{
	struct attr_caller *caller = test->priv;

	caller->weak = prepare_creds();
	KUNIT_ASSERT_NOT_NULL(test, caller->weak);
	cap_clear(caller->weak->cap_effective);
	if (perfmon)
		cap_raise(caller->weak->cap_effective, CAP_PERFMON);
	caller->own = override_creds(caller->weak);
}

static void caller_restore(struct attr_caller *caller)
{
	if (!caller->weak)
		return;
	revert_creds(caller->own);
	put_cred(caller->weak);
	caller->weak = NULL;
}

static void caller_exit(struct kunit *test)
{
	struct attr_caller *caller = test->priv;

	caller_restore(caller);
	WRITE_ONCE(sysctl_perf_event_paranoid, caller->paranoid);
}

#define USER_ONLY	.exclude_kernel = 1, .exclude_callchain_kernel = 1
#define MAX_RATE	1000

/* The lowest level that denies it to a caller without any capability. */
static const struct attr_case access_cases[] = {
	{ .name = "user", .attr = { USER_ONLY }, .level = 3 },
	{ .name = "kernel", .attr = { }, .level = 2 },
	{ .name = "text poke", .attr = { USER_ONLY, .text_poke = 1 },
	  .level = 2 },
	{ .name = "callchain",
	  .attr = { .exclude_kernel = 1, .sample_type = PERF_SAMPLE_CALLCHAIN },
	  .level = 2 },
	{ .name = "callchain user",
	  .attr = { USER_ONLY, .sample_type = PERF_SAMPLE_CALLCHAIN },
	  .level = 3 },
	{ .name = "namespaces", .attr = { USER_ONLY, .namespaces = 1 },
	  .level = -1 },
	{ .name = "phys addr",
	  .attr = { USER_ONLY, .sample_type = PERF_SAMPLE_PHYS_ADDR },
	  .level = 2 },
};

KUNIT_ARRAY_PARAM(access, access_cases, attr_case_name);

static void access_levels(struct kunit *test)
{
	const struct attr_case *c = test->param_value;
	int err;

	caller_weaken(test, false);
	for (int level = -1; level <= 3; level++) {
		WRITE_ONCE(sysctl_perf_event_paranoid, level);
		err = perf_attr_permitted_at(&c->attr, MAX_RATE);
		KUNIT_EXPECT_EQ_MSG(test, err,
				    level >= c->level ? -EACCES : 0,
				    "level %d", level);
	}
}

/* CAP_PERFMON permits everything, except at level 3, which requires root. */
static void access_perfmon(struct kunit *test)
{
	const struct attr_case *c = test->param_value;

	caller_weaken(test, true);
	WRITE_ONCE(sysctl_perf_event_paranoid, 2);
	KUNIT_EXPECT_EQ(test, perf_attr_permitted_at(&c->attr, MAX_RATE), 0);
	WRITE_ONCE(sysctl_perf_event_paranoid, 3);
	KUNIT_EXPECT_EQ(test, perf_attr_permitted_at(&c->attr, MAX_RATE),
			-EACCES);

	caller_restore(test->priv);
	KUNIT_EXPECT_EQ(test, perf_attr_permitted_at(&c->attr, MAX_RATE), 0);
}

static void access_branches(struct kunit *test)
{
	const struct perf_event_attr user = {
		BRANCH(PERF_SAMPLE_BRANCH_ANY | PERF_SAMPLE_BRANCH_USER)
	};
	const struct perf_event_attr kernel = {
		BRANCH(PERF_SAMPLE_BRANCH_ANY | PERF_SAMPLE_BRANCH_KERNEL)
	};
	const struct perf_event_attr hv = {
		BRANCH(PERF_SAMPLE_BRANCH_ANY | PERF_SAMPLE_BRANCH_HV)
	};

	KUNIT_EXPECT_EQ(test, perf_attr_check(&kernel), 0);
	caller_weaken(test, false);
	WRITE_ONCE(sysctl_perf_event_paranoid, 2);
	KUNIT_EXPECT_EQ(test, perf_attr_check(&user), 0);
	KUNIT_EXPECT_EQ(test, perf_attr_check(&kernel), -EACCES);
	KUNIT_EXPECT_EQ(test, perf_attr_check(&hv), -EACCES);
	WRITE_ONCE(sysctl_perf_event_paranoid, 1);
	KUNIT_EXPECT_EQ(test, perf_attr_check(&kernel), 0);
	KUNIT_EXPECT_EQ(test, perf_attr_check(&hv), 0);
}

/* Events of whole CPUs are permitted below level 1, or with a capability. */
static void access_cpus(struct kunit *test)
{
	caller_weaken(test, false);
	for (int level = -1; level <= 3; level++) {
		WRITE_ONCE(sysctl_perf_event_paranoid, level);
		KUNIT_EXPECT_EQ_MSG(test, perf_attr_would_see_cpus(), level < 1,
				    "level %d", level);
		KUNIT_EXPECT_EQ_MSG(test, perf_attr_cpu_permitted(),
				    level < 1 ? 0 : -EACCES, "level %d", level);
	}
	caller_restore(test->priv);
	caller_weaken(test, true);
	KUNIT_EXPECT_TRUE(test, perf_attr_would_see_cpus());
}

static bool asks_ksymbol(bool user_only)
{
	struct perf_event_attr attr = {
		.ksymbol = 1, .bpf_event = 1, .exclude_kernel = user_only,
	};

	perf_attr_leave_out(&attr);
	return attr.ksymbol && attr.bpf_event;
}

/* The bit is not refused but cleared if the kernel must not be shown. */
static void access_ksymbol(struct kunit *test)
{
	caller_weaken(test, false);
	for (int level = -1; level <= 3; level++) {
		WRITE_ONCE(sysctl_perf_event_paranoid, level);
		KUNIT_EXPECT_EQ_MSG(test, asks_ksymbol(true), level < 2,
				    "level %d", level);
	}
	/* Asked about elsewhere. */
	KUNIT_EXPECT_TRUE(test, asks_ksymbol(false));
	caller_restore(test->priv);
	caller_weaken(test, true);
	KUNIT_EXPECT_TRUE(test, asks_ksymbol(true));
}

static void rates(struct kunit *test)
{
	static const struct attr_case cases[] = {
		{ .name = "freq",
		  .attr = { .freq = 1, .sample_freq = MAX_RATE }, .error = 0 },
		{ .name = "freq high",
		  .attr = { .freq = 1, .sample_freq = MAX_RATE + 1 },
		  .error = -EINVAL },
		{ .name = "freq huge",
		  .attr = { .freq = 1, .sample_freq = U64_MAX },
		  .error = -EINVAL },
		{ .name = "period", .attr = { .sample_period = S64_MAX },
		  .error = 0 },
		{ .name = "period sign",
		  .attr = { .sample_period = BIT_ULL(63) }, .error = -EINVAL },
		{ .name = "none", .attr = { }, .error = 0 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		KUNIT_EXPECT_EQ_MSG(test,
				    perf_attr_permitted_at(&cases[i].attr,
							   MAX_RATE),
				    cases[i].error, "%s", cases[i].name);
}

/* Of two mistakes, the one that the ABI reports first decides the errno. */
static void order(struct kunit *test)
{
	const struct perf_event_attr branch_then_sigtrap = {
		BRANCH(PERF_SAMPLE_BRANCH_ANY | PERF_SAMPLE_BRANCH_KERNEL),
		.sigtrap = 1,
	};
	const struct perf_event_attr reserved_then_branch = {
		BRANCH(PERF_SAMPLE_BRANCH_ANY | PERF_SAMPLE_BRANCH_KERNEL),
		.__reserved_2 = 1,
	};
	const struct perf_event_attr kernel_then_rate = {
		.freq = 1,
		.sample_freq = MAX_RATE + 1,
	};
	const struct perf_event_attr rate_then_phys = {
		USER_ONLY,
		.sample_period = BIT_ULL(63),
		.sample_type = PERF_SAMPLE_PHYS_ADDR,
	};

	caller_weaken(test, false);
	WRITE_ONCE(sysctl_perf_event_paranoid, 2);
	KUNIT_EXPECT_EQ(test, perf_attr_check(&branch_then_sigtrap), -EACCES);
	KUNIT_EXPECT_EQ(test, perf_attr_check(&reserved_then_branch), -EINVAL);
	KUNIT_EXPECT_EQ(test, perf_attr_permitted_at(&kernel_then_rate, MAX_RATE),
			-EACCES);
	KUNIT_EXPECT_EQ(test, perf_attr_permitted_at(&rate_then_phys, MAX_RATE),
			-EINVAL);
}

static struct kunit_case attr_test_cases[] = {
	KUNIT_CASE_PARAM(content, content_gen_params),
	KUNIT_CASE(content_complete),
	KUNIT_CASE(secrets_complete),
	KUNIT_CASE(sizes),
	KUNIT_CASE(size_of_the_future),
	KUNIT_CASE(size_of_the_past),
	KUNIT_CASE(size_beyond_memory),
	KUNIT_CASE(usual_values),
	KUNIT_CASE(usual_max_stack),
	KUNIT_CASE_PARAM(access_levels, access_gen_params),
	KUNIT_CASE_PARAM(access_perfmon, access_gen_params),
	KUNIT_CASE(access_branches),
	KUNIT_CASE(access_cpus),
	KUNIT_CASE(access_ksymbol),
	KUNIT_CASE(rates),
	KUNIT_CASE(order),
	{}
};

static struct kunit_suite attr_suite = {
	.name		= "perf_attr",
	.init		= caller_init,
	.exit		= caller_exit,
	.test_cases	= attr_test_cases,
};

kunit_test_suite(attr_suite);
