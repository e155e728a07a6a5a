// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of the room file: the operations of an event's file, called as the VFS
 * calls them. The arguments lie in an address space of the test.
 */
#include <kunit/test.h>
#include <linux/anon_inodes.h>
#include <linux/err.h>
#include <linux/fdtable.h>
#include <linux/file.h>
#include <linux/hw_breakpoint.h>
#include <linux/mm.h>
#include <linux/mman.h>
#include <linux/perf_event.h>
#include <linux/perf_refuse.h>
#include <linux/poll.h>
#include <linux/seq_file.h>
#include <linux/uaccess.h>

#include "../context.h"
#include "../file.h"
#include "fake_pmu.h"
#include "family_tasks.h"

#define FOREVER_MS	3600000

#define OFF		PERF_EVENT_STATE_OFF

static struct fake_pmu fake;

static int file_test_suite_init(struct kunit_suite *suite)
{
	return fake_pmu_register(&fake, "kunit_file");
}

static void file_test_suite_exit(struct kunit_suite *suite)
{
	fake_pmu_unregister(&fake);
}

/* Each event was closed with its file. */
static void file_test_check_idle(void *arg)
{
	struct kunit *test = arg;

	KUNIT_EXPECT_EQ(test, test_pmu_nr_events(&fake.pmu), 0);
	fake_pmu_expect_idle(test, &fake);
}

static int file_test_init(struct kunit *test)
{
	unsigned long at;

	fake_pmu_reset(&fake, FAKE_PMU_COUNTERS, FOREVER_MS);
	at = kunit_vm_mmap(test, NULL, 0, PAGE_SIZE, PROT_READ | PROT_WRITE,
			   MAP_ANONYMOUS | MAP_PRIVATE, 0);
	if (!at || IS_ERR_VALUE(at))
		return -ENOMEM;
	test->priv = (void *)at;
	return kunit_add_action(test, file_test_check_idle, test);
}

static void file_test_close(void *file)
{
	__fput_sync(file);
}

/* The file of a disabled event of current, or of a sibling of @leader. */
static struct file *file_test_open(struct kunit *test, struct file *leader)
{
	struct fake_pmu_spec spec = {
		.cpu = -1, .task = current, .disabled = true,
		.leader = leader ? perf_file_event(leader) : NULL,
	};
	struct perf_event *event = fake_pmu_try_open(&fake, &spec);
	struct file *file;

	KUNIT_ASSERT_FALSE(test, IS_ERR(event));
	file = anon_inode_getfile("[perf_event]", &perf_file_ops, event,
				  O_RDWR);
	KUNIT_ASSERT_FALSE(test, IS_ERR(file));
	fake_pmu_undo(test, file_test_close, file);
	return file;
}

static long file_test_ioctl(struct file *file, unsigned int cmd,
			    unsigned long arg)
{
	return perf_file_ops.unlocked_ioctl(file, cmd, arg);
}

static unsigned long file_test_put(struct kunit *test, const void *from,
				   size_t size)
{
	void __user *to = (void __user *)test->priv;

	KUNIT_ASSERT_EQ(test, copy_to_user(to, from, size), 0);
	return (unsigned long)to;
}

/* An open that failed late releases a file without an event. */
static void file_test_no_event(struct kunit *test)
{
	struct file *file = anon_inode_getfile("[perf_event]", &perf_file_ops,
					       NULL, O_RDWR);

	KUNIT_ASSERT_FALSE(test, IS_ERR(file));
	KUNIT_EXPECT_NULL(test, perf_file_event(file));
	__fput_sync(file);
}

#define FILE_TEST_HUP	((__force u32)EPOLLHUP)
#define FILE_TEST_ERR	((__force u32)EPOLLERR)

static u32 file_test_poll(struct file *file, enum perf_event_state state)
{
	struct perf_event *event = perf_file_event(file);
	u32 found;

	WRITE_ONCE(event->state, state);
	found = (__force u32)perf_file_ops.poll(file, NULL);
	WRITE_ONCE(event->state, OFF);
	return found;
}

/* Without a buffer there is nothing to wait for. */
static void file_test_polled(struct kunit *test)
{
	struct file *file = file_test_open(test, NULL);

	KUNIT_EXPECT_EQ(test, file_test_poll(file, OFF), FILE_TEST_HUP);
	KUNIT_EXPECT_EQ(test, file_test_poll(file, PERF_EVENT_STATE_EXIT),
			FILE_TEST_HUP);
	KUNIT_EXPECT_EQ(test, file_test_poll(file, PERF_EVENT_STATE_ERROR),
			FILE_TEST_ERR | FILE_TEST_HUP);
	KUNIT_EXPECT_EQ(test, file_test_poll(file, PERF_EVENT_STATE_REVOKED),
			FILE_TEST_ERR | FILE_TEST_HUP);
}

static void file_test_states(struct kunit *test)
{
	struct file *file = file_test_open(test, NULL),
		    *other = file_test_open(test, file);
	struct perf_event *event = perf_file_event(file);
	struct perf_event *sibling = perf_file_event(other);

	KUNIT_EXPECT_EQ(test, file_test_ioctl(file, PERF_EVENT_IOC_ENABLE, 0),
			0);
	KUNIT_EXPECT_GT(test, event->state, OFF);
	KUNIT_EXPECT_EQ(test, sibling->state, OFF);
	KUNIT_EXPECT_EQ(test,
			file_test_ioctl(other, PERF_EVENT_IOC_DISABLE,
					PERF_IOC_FLAG_GROUP),
			0);
	KUNIT_EXPECT_EQ(test, event->state, OFF);
	KUNIT_EXPECT_EQ(test,
			file_test_ioctl(file, PERF_EVENT_IOC_ENABLE,
					PERF_IOC_FLAG_GROUP),
			0);
	KUNIT_EXPECT_GT(test, event->state, OFF);
	KUNIT_EXPECT_GT(test, sibling->state, OFF);
	KUNIT_EXPECT_EQ(test, file_test_ioctl(file, PERF_EVENT_IOC_DISABLE, 0),
			0);
	KUNIT_EXPECT_EQ(test, event->state, OFF);
}

static void file_test_reset(struct kunit *test)
{
	struct file *file = file_test_open(test, NULL),
		    *other = file_test_open(test, file);
	struct perf_event *event = perf_file_event(file);
	struct perf_event *sibling = perf_file_event(other);

	local64_set(&event->count, 5);
	local64_set(&sibling->count, 6);
	KUNIT_EXPECT_EQ(test, file_test_ioctl(file, PERF_EVENT_IOC_RESET, 0),
			0);
	KUNIT_EXPECT_EQ(test, local64_read(&event->count), 0);
	KUNIT_EXPECT_EQ(test, local64_read(&sibling->count), 6);
	KUNIT_EXPECT_EQ(test,
			file_test_ioctl(file, PERF_EVENT_IOC_RESET,
					PERF_IOC_FLAG_GROUP),
			0);
	KUNIT_EXPECT_EQ(test, local64_read(&sibling->count), 0);
}

/* The owner may enable and disable all that it has opened. */
static void file_test_owned(struct kunit *test)
{
	struct file *file = file_test_open(test, NULL);
	struct perf_event *event = perf_file_event(file);

	scoped_guard(mutex, &current->perf_event_mutex) {
		WRITE_ONCE(event->owner, current);
		list_add_tail(&event->owner_entry, &current->perf_event_list);
	}
	KUNIT_EXPECT_EQ(test, perf_event_task_enable(), 0);
	KUNIT_EXPECT_GT(test, event->state, OFF);
	KUNIT_EXPECT_EQ(test, perf_event_task_disable(), 0);
	KUNIT_EXPECT_EQ(test, event->state, OFF);
}

/* Commands that carry a structure accept each size of it; others, one. */
static void file_test_numbers(struct kunit *test)
{
	struct file *file = file_test_open(test, NULL);
	const unsigned int size = 1 << IOCSIZE_SHIFT;

	KUNIT_EXPECT_EQ(test,
			file_test_ioctl(file, PERF_EVENT_IOC_RANDOM_PERIOD, 0),
			-EFAULT);
	KUNIT_EXPECT_EQ(test,
			file_test_ioctl(file,
					PERF_EVENT_IOC_RANDOM_PERIOD ^ size, 0),
			-EFAULT);
	KUNIT_EXPECT_EQ(test,
			file_test_ioctl(file,
					PERF_EVENT_IOC_GET_RANDOM_PERIOD ^ size,
					0),
			-EFAULT);
	KUNIT_EXPECT_EQ(test,
			file_test_ioctl(file, PERF_EVENT_IOC_ID ^ size, 0),
			-ENOTTY);
	KUNIT_EXPECT_EQ(test, file_test_ioctl(file, _IO('$', 99), 0), -ENOTTY);
}

static void file_test_random_period(struct kunit *test)
{
	struct perf_event_random_period how = {
		.size = PERF_RANDOM_PERIOD_SIZE_VER0 - 1,
	};
	struct file *file = file_test_open(test, NULL);
	unsigned long at = file_test_put(test, &how, sizeof(how));

	KUNIT_EXPECT_NE(test,
			file_test_ioctl(file, PERF_EVENT_IOC_GET_RANDOM_PERIOD, at),
			0);
	memset(&how, 0xff, sizeof(how));
	how.size = PERF_RANDOM_PERIOD_SIZE_VER0;
	file_test_put(test, &how, sizeof(how));
	KUNIT_EXPECT_EQ(test,
			file_test_ioctl(file, PERF_EVENT_IOC_GET_RANDOM_PERIOD, at),
			0);
	KUNIT_ASSERT_EQ(test, copy_from_user(&how, (void __user *)at,
					     sizeof(how)), 0);
	KUNIT_EXPECT_EQ(test, how.size, PERF_RANDOM_PERIOD_SIZE_VER0);
}

/* Only breakpoints can be modified, and none becomes another kind of event. */
static void file_test_modify(struct kunit *test)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_BREAKPOINT, .size = sizeof(attr),
	};
	struct file *file = file_test_open(test, NULL);
	unsigned long at = file_test_put(test, &attr, sizeof(attr));

	KUNIT_EXPECT_EQ(test,
			file_test_ioctl(file, PERF_EVENT_IOC_MODIFY_ATTRIBUTES,
					at),
			-EINVAL);
	attr.type = fake.pmu.type;
	file_test_put(test, &attr, sizeof(attr));
	KUNIT_EXPECT_EQ(test,
			file_test_ioctl(file, PERF_EVENT_IOC_MODIFY_ATTRIBUTES,
					at),
			-EOPNOTSUPP);
	attr.read_format = U64_MAX;
	file_test_put(test, &attr, sizeof(attr));
	KUNIT_EXPECT_EQ(test,
			file_test_ioctl(file, PERF_EVENT_IOC_MODIFY_ATTRIBUTES,
					at),
			-EINVAL);
}

#ifdef CONFIG_HAVE_HW_BREAKPOINT
#define FILE_TEST_PLACE	0x10000
#define FILE_TEST_OTHER_PLACE	0x20000

/* A breakpoint of a task that sleeps, and its copy in another one. */
struct file_test_family {
	struct perf_event_attr	attr;
	struct file		*file;
	struct perf_event	*eldest;
	struct perf_event	*copy;
};

static void file_test_make_family(struct kunit *test,
				  struct file_test_family *family)
{
	struct test_task *owner = test_task_fork(test, test_task_fork_child);

	family->attr = (struct perf_event_attr) {
		.type = PERF_TYPE_BREAKPOINT, .size = sizeof(family->attr),
		.bp_type = HW_BREAKPOINT_W, .bp_addr = FILE_TEST_PLACE,
		.bp_len = HW_BREAKPOINT_LEN_8, .inherit = 1,
		/* Not 0, which the ioctl would replace: no field may differ. */
		.sample_max_stack = 1,
	};
	family->eldest = perf_event_create_kernel_counter(&family->attr, -1,
							  owner->task, NULL,
							  NULL);
	if (IS_ERR(family->eldest))
		kunit_skip(test, "no breakpoint: %ld", PTR_ERR(family->eldest));
	family->file = anon_inode_getfile("[perf_event]", &perf_file_ops,
					  family->eldest, O_RDWR);
	KUNIT_ASSERT_FALSE(test, IS_ERR(family->file));
	fake_pmu_undo(test, file_test_close, family->file);

	owner->child = test_task_make(test, NULL);
	test_task_act(owner);
	KUNIT_ASSERT_NOT_NULL(test, owner->child->task);
	fake_pmu_undo(test, test_task_finish, owner->child);
	test_task_wait_asleep(owner);
	test_task_wait_asleep(owner->child);
	family->copy = list_first_entry_or_null(&family->eldest->child_list,
						struct perf_event, child_list);
	KUNIT_ASSERT_NOT_NULL(test, family->copy);
}

static void file_test_expect_place(struct kunit *test,
				   const struct file_test_family *family,
				   u64 place)
{
	KUNIT_EXPECT_EQ(test, family->eldest->attr.bp_addr, place);
	KUNIT_EXPECT_EQ(test, family->copy->attr.bp_addr, place);
	KUNIT_EXPECT_EQ(test, family->eldest->state,
			PERF_EVENT_STATE_INACTIVE);
	KUNIT_EXPECT_EQ(test, family->copy->state, PERF_EVENT_STATE_INACTIVE);
}

static void file_test_expect_sig_data(struct kunit *test,
				      const struct file_test_family *family,
				      u64 sig_data)
{
	KUNIT_EXPECT_EQ(test, family->eldest->attr.sig_data, sig_data);
	KUNIT_EXPECT_EQ(test, family->copy->attr.sig_data, sig_data);
}

/* A breakpoint and its copies are modified alike, or none of them. */
static void file_test_modify_family(struct kunit *test)
{
	struct file_test_family family;
	unsigned long at;

	file_test_make_family(test, &family);
	family.attr.bp_addr = FILE_TEST_OTHER_PLACE;
	family.attr.sig_data = 5;
	at = file_test_put(test, &family.attr, sizeof(family.attr));
	KUNIT_EXPECT_EQ(test,
			file_test_ioctl(family.file,
					PERF_EVENT_IOC_MODIFY_ATTRIBUTES, at),
			0);
	file_test_expect_place(test, &family, FILE_TEST_OTHER_PLACE);
	file_test_expect_sig_data(test, &family, 5);

	family.attr.sig_data = 6;
	family.attr.bp_addr = FILE_TEST_PLACE;
	family.attr.bp_type = HW_BREAKPOINT_EMPTY;
	file_test_put(test, &family.attr, sizeof(family.attr));
	KUNIT_EXPECT_EQ(test,
			file_test_ioctl(family.file,
					PERF_EVENT_IOC_MODIFY_ATTRIBUTES, at),
			-EINVAL);
	file_test_expect_place(test, &family, FILE_TEST_OTHER_PLACE);
	file_test_expect_sig_data(test, &family, 5);
}

/* A copy that refuses, here because of another field, undoes the change of the others. */
static void file_test_copy_refuses(struct kunit *test)
{
	struct file_test_family family;
	unsigned long at;

	file_test_make_family(test, &family);
	family.copy->attr.sample_max_stack++;
	family.attr.bp_addr = FILE_TEST_OTHER_PLACE;
	at = file_test_put(test, &family.attr, sizeof(family.attr));
	KUNIT_EXPECT_EQ(test,
			file_test_ioctl(family.file,
					PERF_EVENT_IOC_MODIFY_ATTRIBUTES, at),
			-EINVAL);
	file_test_expect_place(test, &family, FILE_TEST_PLACE);

	perf_event_disable(family.eldest);
	perf_event_enable(family.copy);
	KUNIT_EXPECT_EQ(test,
			file_test_ioctl(family.file,
					PERF_EVENT_IOC_MODIFY_ATTRIBUTES, at),
			-EINVAL);
	KUNIT_EXPECT_EQ(test, family.eldest->attr.bp_addr, FILE_TEST_PLACE);
	KUNIT_EXPECT_EQ(test, family.eldest->state, OFF);
	KUNIT_EXPECT_EQ(test, family.copy->state, PERF_EVENT_STATE_INACTIVE);
}
#endif

/* The descriptor's file is kept for no longer than the call takes. */
static void file_test_set_output(struct kunit *test)
{
	struct file *file = file_test_open(test, NULL),
		    *target = file_test_open(test, NULL);
	int fd = get_unused_fd_flags(O_CLOEXEC);
	long refs;

	KUNIT_ASSERT_GE(test, fd, 0);
	KUNIT_EXPECT_EQ(test,
			file_test_ioctl(file, PERF_EVENT_IOC_SET_OUTPUT, fd),
			-EBADF);
	fd_install(fd, get_file(target));
	refs = file_count(target);
	/* The target has no buffer. */
	KUNIT_EXPECT_EQ(test,
			file_test_ioctl(file, PERF_EVENT_IOC_SET_OUTPUT, fd),
			-EINVAL);
	KUNIT_EXPECT_EQ(test, file_count(target), refs);
	close_fd(fd);
	KUNIT_EXPECT_EQ(test,
			file_test_ioctl(file, PERF_EVENT_IOC_SET_OUTPUT, -1UL),
			0);
}

static struct file *file_test_other(struct kunit *test)
{
	static const struct file_operations none;
	struct file *file = anon_inode_getfile("[kunit]", &none, NULL, O_RDWR);

	KUNIT_ASSERT_FALSE(test, IS_ERR(file));
	return file;
}

/* An event's file gets a reference; another one keeps those that it has. */
static void file_test_get(struct kunit *test)
{
	struct file *file = file_test_open(test, NULL),
		    *other = file_test_other(test);
	int fd = get_unused_fd_flags(O_CLOEXEC),
	    other_fd = get_unused_fd_flags(O_CLOEXEC);
	long refs;

	KUNIT_ASSERT_GE(test, fd, 0);
	KUNIT_ASSERT_GE(test, other_fd, 0);
	KUNIT_EXPECT_PTR_EQ(test, perf_event_get(fd), ERR_PTR(-EBADF));

	fd_install(fd, get_file(file));
	refs = file_count(file);
	KUNIT_EXPECT_PTR_EQ(test, perf_event_get(fd), file);
	KUNIT_EXPECT_EQ(test, file_count(file), refs + 1);
	fput(file);
	KUNIT_EXPECT_PTR_EQ(test, perf_get_event(file), perf_file_event(file));
	close_fd(fd);

	fd_install(other_fd, get_file(other));
	refs = file_count(other);
	KUNIT_EXPECT_PTR_EQ(test, perf_event_get(other_fd), ERR_PTR(-EBADF));
	KUNIT_EXPECT_EQ(test, file_count(other), refs);
	KUNIT_EXPECT_PTR_EQ(test, perf_get_event(other), ERR_PTR(-EINVAL));
	close_fd(other_fd);
	fput(other);
}

/* Signals can be asked for, and again not. */
static void file_test_fasync(struct kunit *test)
{
	struct file *file = file_test_open(test, NULL);
	struct perf_event *event = perf_file_event(file);

	KUNIT_EXPECT_EQ(test, perf_file_ops.fasync(0, file, 1), 0);
	KUNIT_EXPECT_NOT_NULL(test, event->fasync);
	KUNIT_EXPECT_EQ(test, perf_file_ops.fasync(0, file, 0), 0);
	KUNIT_EXPECT_NULL(test, event->fasync);
}

#ifdef CONFIG_PROC_FS
/* What /proc shows of the file: a line for each of these, in this order. */
static void file_test_fdinfo(struct kunit *test)
{
	struct file *file = file_test_open(test, NULL);
	struct perf_event *event = perf_file_event(file);
	struct seq_file m = { .size = PAGE_SIZE };
	char *text;

	m.buf = kunit_kzalloc(test, m.size, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, m.buf);
	text = kunit_kzalloc(test, m.size, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, text);
	event->attr.config = 0xa0;
	event->attr.config1 = 0x1234;
	event->attr.config2 = 2;
	event->attr.config3 = 3;
	event->attr.config4 = 4;
	snprintf(text, m.size,
		 "perf_event_attr.type:\t%u\n"
		 "perf_event_attr.config:\t0xa0\n"
		 "perf_event_attr.config1:\t0x1234\n"
		 "perf_event_attr.config2:\t0x2\n"
		 "perf_event_attr.config3:\t0x3\n"
		 "perf_event_attr.config4:\t0x4\n"
		 "pmu:\tkunit_file\n", fake.pmu.type);
	perf_file_ops.show_fdinfo(&m, file);
	KUNIT_EXPECT_STREQ(test, m.buf, text);
}
#endif

static struct kunit_case file_test_cases[] = {
	KUNIT_CASE(file_test_no_event),
	KUNIT_CASE(file_test_polled),
	KUNIT_CASE(file_test_states),
	KUNIT_CASE(file_test_reset),
	KUNIT_CASE(file_test_owned),
	KUNIT_CASE(file_test_numbers),
	KUNIT_CASE(file_test_random_period),
	KUNIT_CASE(file_test_modify),
#ifdef CONFIG_HAVE_HW_BREAKPOINT
	KUNIT_CASE(file_test_modify_family),
	KUNIT_CASE(file_test_copy_refuses),
#endif
	KUNIT_CASE(file_test_set_output),
	KUNIT_CASE(file_test_get),
	KUNIT_CASE(file_test_fasync),
#ifdef CONFIG_PROC_FS
	KUNIT_CASE(file_test_fdinfo),
#endif
	{ }
};

static struct kunit_suite file_test_suite = {
	.name		= "perf_file",
	.suite_init	= file_test_suite_init,
	.suite_exit	= file_test_suite_exit,
	.init		= file_test_init,
	.test_cases	= file_test_cases,
};

kunit_test_suite(file_test_suite);
