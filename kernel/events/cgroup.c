// SPDX-License-Identifier: GPL-2.0
/*
 * Room "cgroup": perf's controller in the cgroup hierarchy.
 *
 * Purpose: the controller exists, so that hierarchies can be mounted with it,
 * and new cgroups are reported to those who asked. Events that count for one
 * cgroup are refused when they are opened.
 *
 * Contexts: task, cgroup_mutex held.
 */
#include <linux/cgroup.h>
#include <linux/slab.h>
#include "sideband.h"
#include "types.h"

#ifdef CONFIG_CGROUP_PERF
static struct cgroup_subsys_state *
perf_cgroup_css_alloc(struct cgroup_subsys_state *parent)
{
	struct perf_cgroup *cgrp = kzalloc(sizeof(*cgrp), GFP_KERNEL);

	return cgrp ? &cgrp->css : ERR_PTR(-ENOMEM);
}

static void perf_cgroup_css_free(struct cgroup_subsys_state *css)
{
	kfree(container_of(css, struct perf_cgroup, css));
}

static int perf_cgroup_css_online(struct cgroup_subsys_state *css)
{
	perf_side_cgroup(css->cgroup);
	return 0;
}

struct cgroup_subsys perf_event_cgrp_subsys = {
	.css_alloc		= perf_cgroup_css_alloc,
	.css_free		= perf_cgroup_css_free,
	.css_online		= perf_cgroup_css_online,
	/* In the unified hierarchy a cgroup's path is all perf needs. */
	.implicit_on_dfl	= true,
	.threaded		= true,
};
#endif
