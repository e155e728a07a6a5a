/* SPDX-License-Identifier: GPL-2.0 */
/*
 * An event of any process, and its mappings in this one: for tests that pass
 * descriptors on.
 */
#ifndef SELFTEST_EVENT_SLOT_H
#define SELFTEST_EVENT_SLOT_H

#include <stdbool.h>
#include <unistd.h>
#include <sys/mman.h>
#include <linux/perf_event.h>

/* Where in a buffer's mapping its AUX area begins. */
#define AUX_AT_PAGE	16

/* What is sent along with a descriptor. */
struct item {
	pid_t pid;
	int cpu;
	unsigned int pages;
	bool traces;
	bool inherit;
	/* The sender maps and unmaps it all the time. */
	bool duel;
};

/* A descriptor, and its mappings in this process. */
struct slot {
	int fd;
	struct item item;
	void *data;
	size_t data_size;
	bool writable;
	void *aux;
	size_t aux_size;
};

static inline bool unmap_data(struct slot *slot)
{
	if (!slot->data)
		return false;
	munmap(slot->data, slot->data_size);
	slot->data = NULL;
	return true;
}

static inline bool unmap_aux(struct slot *slot)
{
	if (!slot->aux)
		return false;
	munmap(slot->aux, slot->aux_size);
	slot->aux = NULL;
	return true;
}

static inline void close_slot(struct slot *slot)
{
	if (slot->fd >= 0)
		close(slot->fd);
	slot->fd = -1;
}

static inline bool map_data(struct slot *slot, unsigned int pages, bool writable)
{
	void *map;

	unmap_data(slot);
	slot->data_size = pages * sysconf(_SC_PAGESIZE);
	slot->writable = writable;
	map = mmap(NULL, slot->data_size,
		   PROT_READ | (writable ? PROT_WRITE : 0), MAP_SHARED,
		   slot->fd, 0);
	if (map == MAP_FAILED)
		return false;
	slot->item.pages = pages;
	slot->data = map;
	return true;
}

/* If others have mapped the area, its place and size are taken from them. */
static inline bool map_aux(struct slot *slot, unsigned int pages, bool writable)
{
	struct perf_event_mmap_page *page = slot->data;
	void *map;

	if (!page || !slot->writable)
		return false;
	unmap_aux(slot);
	if (!page->aux_size) {
		page->aux_offset = AUX_AT_PAGE * sysconf(_SC_PAGESIZE);
		page->aux_size = pages * sysconf(_SC_PAGESIZE);
	}
	slot->aux_size = page->aux_size;
	map = mmap(NULL, slot->aux_size,
		   PROT_READ | (writable ? PROT_WRITE : 0), MAP_SHARED,
		   slot->fd, page->aux_offset);
	if (map == MAP_FAILED)
		return false;
	slot->aux = map;
	return true;
}

#endif
