// SPDX-License-Identifier: GPL-2.0
/*
 * Room "sideband": PERF_RECORD_MMAP and PERF_RECORD_MMAP2.
 *
 * Purpose: reports what is mapped where, so that a profile's addresses can be
 * given names.
 *
 * Contexts: task, mmap_lock held; sleeps for memory and for the path. The file
 * is read without page faults for its build id.
 *
 * Lifetime: a name is either a string of the mapping's owner, or is in a page
 * sized buffer that is freed when all events have been notified.
 */

#include <linux/buildid.h>
#include <linux/dcache.h>
#include <linux/err.h>
#include <linux/fs.h>
#include <linux/hugetlb_inline.h>
#include <linux/kdev_t.h>
#include <linux/mm.h>
#include <linux/mman.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "addr_filter.h"
#include "sample.h"
#include "sideband_record.h"

/**
 * struct side_mmap - a mapping, as it is reported
 * @vma: the mapping
 * @name: what is mapped
 * @name_len: length of @name in bytes
 * @dev: the file's device
 * @ino: its inode number
 * @generation: its inode generation
 * @prot: PROT_*
 * @flags: MAP_*
 * @build_id_size: bytes of @build_id, 0 when unknown
 * @build_id: of the file
 */
struct side_mmap {
	struct vm_area_struct	*vma;
	const char		*name;
	size_t			name_len;
	dev_t			dev;
	u64			ino;
	u64			generation;
	u32			prot;
	u32			flags;
	u32			build_id_size;
	u8			build_id[BUILD_ID_SIZE_MAX];
};

/* First half of the body, in both records. */
struct side_mmap_where {
	u32			pid;
	u32			tid;
	u64			start;
	u64			len;
	u64			pgoff;
};

/* Second half, only in PERF_RECORD_MMAP2. */
struct side_mmap_what {
	union {
		struct {
			u32	maj;
			u32	min;
			u64	ino;
			u64	generation;
		};
		struct {
			u8	build_id_size;
			u8	reserved[3];
			u8	build_id[BUILD_ID_SIZE_MAX];
		};
	};
	u32			prot;
	u32			flags;
};

static_assert(sizeof(struct side_mmap_where) + sizeof(struct side_mmap_what) ==
	      sizeof_field(struct perf_side_record, body));
static_assert(BUILD_ID_SIZE_MAX == 20);

/* attr.mmap and mmap2 ask for mappings of code, mmap_data for all others. */
static bool side_match_mmap(const struct perf_event *event, const void *what)
{
	const struct side_mmap *happened = what;
	const struct perf_event_attr *attr = &event->attr;

	if (happened->vma->vm_flags & VM_EXEC)
		return attr->mmap || attr->mmap2;
	return attr->mmap_data;
}

static void side_put_what(struct perf_side_record *record,
			  struct side_mmap_what *body,
			  const struct side_mmap *happened, bool build_id)
{
	if (build_id && happened->build_id_size) {
		record->header.misc |= PERF_RECORD_MISC_MMAP_BUILD_ID;
		body->build_id_size = happened->build_id_size;
		memcpy(body->build_id, happened->build_id,
		       sizeof(body->build_id));
	} else {
		body->maj = MAJOR(happened->dev);
		body->min = MINOR(happened->dev);
		body->ino = happened->ino;
		body->generation = happened->generation;
	}
	body->prot = happened->prot;
	body->flags = happened->flags;
}

static void side_shape_mmap(struct perf_side_record *record,
			    struct perf_event *event, const void *what)
{
	const struct side_mmap *happened = what;
	const struct vm_area_struct *vma = happened->vma;
	struct side_mmap_where *where = (void *)record->body;

	record->header.type = PERF_RECORD_MMAP;
	record->header.misc = PERF_RECORD_MISC_USER;
	if (!(vma->vm_flags & VM_EXEC))
		record->header.misc |= PERF_RECORD_MISC_MMAP_DATA;

	where->pid = perf_sample_pid(event, current);
	where->tid = perf_sample_tid(event, current);
	where->start = vma->vm_start;
	where->len = vma->vm_end - vma->vm_start;
	where->pgoff = (u64)vma->vm_pgoff << PAGE_SHIFT;
	record->body_len = sizeof(*where);

	if (event->attr.mmap2) {
		record->header.type = PERF_RECORD_MMAP2;
		side_put_what(record, (void *)(where + 1), happened,
			      event->attr.build_id);
		record->body_len += sizeof(struct side_mmap_what);
	}
	perf_side_add_name(record, happened->name, happened->name_len);
}

static const struct perf_side_kind side_mmap_kind = {
	.want	= PERF_SIDE_MMAP,
	.match	= side_match_mmap,
	.shape	= side_shape_mmap,
};

static u32 side_vma_prot(const struct vm_area_struct *vma)
{
	return (vma->vm_flags & VM_READ ? PROT_READ : 0) |
	       (vma->vm_flags & VM_WRITE ? PROT_WRITE : 0) |
	       (vma->vm_flags & VM_EXEC ? PROT_EXEC : 0);
}

static u32 side_vma_flags(struct vm_area_struct *vma)
{
	u32 flags = vma->vm_flags & VM_MAYSHARE ? MAP_SHARED : MAP_PRIVATE;

	if (vma->vm_flags & VM_LOCKED)
		flags |= MAP_LOCKED;
	if (is_vm_hugetlb_page(vma))
		flags |= MAP_HUGETLB;
	return flags;
}

static const char *side_name_anon(struct vm_area_struct *vma)
{
	const char *name = NULL;

	if (vma->vm_ops && vma->vm_ops->name)
		name = vma->vm_ops->name(vma);
	if (!name)
		name = arch_vma_name(vma);
	if (name)
		return name;
	if (vma_is_initial_heap(vma))
		return "[heap]";

	return vma_is_initial_stack(vma) ? "[stack]" : "//anon";
}

/* If the path of a file is not available, its inode is not shown either. */
static void side_name_file(struct side_mmap *happened, struct file *file,
			   char *buffer)
{
	const struct inode *inode = file_user_inode(file);
	const char *path;

	happened->name = "//enomem";
	if (!buffer)
		return;

	path = d_path(file_user_path(file), buffer, PATH_MAX);
	if (IS_ERR(path)) {
		happened->name = "//toolong";
		return;
	}

	happened->name = path;
	happened->dev = inode->i_sb->s_dev;
	happened->ino = inode->i_ino;
	happened->generation = inode->i_generation;
}

static void side_mmap_tell(struct vm_area_struct *vma)
{
	struct side_mmap happened = { .vma = vma };
	char *buffer = NULL;

	if (vma->vm_file) {
		buffer = kmalloc(PATH_MAX, GFP_KERNEL);
		side_name_file(&happened, vma->vm_file, buffer);
	} else {
		happened.name = side_name_anon(vma);
	}
	happened.name_len = strlen(happened.name);
	happened.prot = side_vma_prot(vma);
	happened.flags = side_vma_flags(vma);

	if (perf_side_wanted(PERF_SIDE_BUILD_ID) &&
	    build_id_parse_nofault(vma, happened.build_id,
				   &happened.build_id_size))
		happened.build_id_size = 0;

	perf_side_tell(&side_mmap_kind, &happened);
	kfree(buffer);
}

/**
 * perf_event_mmap() - report a new or changed mapping of the current task
 * @vma: the mapping
 *
 * Context: task, mmap_lock held for writing; may sleep.
 */
void perf_event_mmap(struct vm_area_struct *vma)
{
	perf_addr_filter_mmap(vma);
	/* The data of the record is on the stack, filled with zeros. */
	if (perf_side_wanted(PERF_SIDE_MMAP))
		side_mmap_tell(vma);
}
