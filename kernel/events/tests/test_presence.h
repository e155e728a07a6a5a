/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The parameter "registered" of a module with PMUs: they are registered. 0
 * unregisters them, even if they are in use, 1 registers them again. Its value
 * when the module is loaded says whether they are registered at once.
 *
 * Locking: test_presence::mutex, for registering and unregistering.
 */
#ifndef _KERNEL_EVENTS_TESTS_TEST_PRESENCE_H
#define _KERNEL_EVENTS_TESTS_TEST_PRESENCE_H

#include <linux/cleanup.h>
#include <linux/kstrtox.h>
#include <linux/moduleparam.h>
#include <linux/mutex.h>
#include <linux/sysfs.h>

/**
 * struct test_presence - whether the PMUs of a module are registered
 * @come: registers them all, or none and returns an error
 * @go: unregisters them
 * @mutex: guards the rest, and is held for @come and @go
 * @loaded: the module is initialized and not going, so that they can be registered
 * @there: they are registered; before @loaded, they are going to be
 */
struct test_presence {
	int		(*come)(void);
	void		(*go)(void);
	struct mutex	mutex; /* see kernel-doc */
	bool		loaded;
	bool		there;
};

#define DEFINE_TEST_PRESENCE(name, come_fn, go_fn)			\
	static struct test_presence name = {				\
		.come	= (come_fn),					\
		.go	= (go_fn),					\
		.mutex	= __MUTEX_INITIALIZER((name).mutex),		\
		.there	= true,						\
	}

static inline int test_presence_want(struct test_presence *presence, bool there)
{
	int err = 0;

	guard(mutex)(&presence->mutex);
	if (presence->loaded && there && !presence->there)
		err = presence->come();
	else if (presence->loaded && !there && presence->there)
		presence->go();
	if (!err)
		presence->there = there;
	return err;
}

static inline int test_presence_set(const char *text,
				    const struct kernel_param *kp)
{
	bool there;
	int err = kstrtobool(text, &there);

	return err ?: test_presence_want(kp->arg, there);
}

static inline int test_presence_get(char *page, const struct kernel_param *kp)
{
	struct test_presence *presence = kp->arg;

	return sysfs_emit(page, "%c\n", presence->there ? 'Y' : 'N');
}

static const struct kernel_param_ops test_presence_ops = {
	.set	= test_presence_set,
	.get	= test_presence_get,
};

static inline int test_presence_init(struct test_presence *presence)
{
	int err = 0;

	guard(mutex)(&presence->mutex);
	if (presence->there)
		err = presence->come();
	presence->loaded = !err;
	return err;
}

/* The parameter can be written until the module is freed. */
static inline void test_presence_exit(struct test_presence *presence)
{
	guard(mutex)(&presence->mutex);
	if (presence->there)
		presence->go();
	presence->loaded = false;
}

#endif /* _KERNEL_EVENTS_TESTS_TEST_PRESENCE_H */
