// SPDX-License-Identifier: GPL-2.0
/*
 * Mappings of events. Each area has a window of its own, so that nothing else comes
 * to lie where a part was unmapped. Mapped memory is read and written by system calls
 * only, which say EFAULT where there is none any more.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stddef.h>
#include <unistd.h>
#include <sys/mman.h>

#include "fuzz.h"

static size_t page_size(void)
{
	return sysconf(_SC_PAGESIZE);
}

/* Through a pipe, so that a hole is an error and no signal. */
static long put(char *to, const void *from, size_t size)
{
	long ret = -1;
	int ends[2];

	if (pipe(ends))
		return -errno;
	if (write(ends[1], from, size) == (ssize_t)size)
		ret = or_errno(read(ends[0], to, size));
	close(ends[0]);
	close(ends[1]);
	return ret;
}

static void get(void *to, const char *from, size_t size)
{
	int ends[2];

	if (pipe(ends))
		return;
	if (write(ends[1], from, size) == (ssize_t)size)
		CHECK(read(ends[0], to, size) == (ssize_t)size, "pipe");
	close(ends[0]);
	close(ends[1]);
}

static void empty(char *at, size_t size)
{
	mmap(at, size, PROT_NONE,
	     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
}

void reserve_areas(struct fuzzer *f)
{
	size_t window = WINDOW_PAGES * page_size();
	char *all = mmap(NULL, NR_AREAS * window, PROT_NONE,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	int i;

	CHECK(all != MAP_FAILED, "no room for windows");
	for (i = 0; i < NR_AREAS; i++)
		f->area[i].window = all + i * window;
}

static struct area *draw_area(struct fuzzer *f)
{
	unsigned int which = draw(f, NR_AREAS);

	tell(f, " area%u", which);
	return &f->area[which];
}

static int draw_protection(struct fuzzer *f)
{
	return one_in(f, 4) ? PROT_READ : PROT_READ | PROT_WRITE;
}

/* An older mapping at this place is replaced. */
static long map_area(struct fuzzer *f, struct area *area, int fd, size_t pages,
		     off_t page)
{
	int protection = draw_protection(f);
	void *at;

	tell(f, " %zu+%ld %d", pages, (long)page, protection);
	at = mmap(area->window, pages * page_size(), protection,
		  MAP_SHARED | MAP_FIXED, fd, page * page_size());
	if (at == MAP_FAILED)
		return -errno;
	area->size = pages * page_size();
	return 0;
}

long op_map_data(struct fuzzer *f)
{
	static const size_t sizes[] = { 1, 2, 2, 3, 3, 5, 9, 33 };
	int slot = draw_slot(f);

	tell(f, " %d", slot);
	return map_area(f, draw_area(f), slot_fd(f, slot),
			sizes[draw(f, ARRAY_SIZE(sizes))], 0);
}

/*
 * Stores the area's place in the user page, if that is mapped, and maps the
 * area.
 */
long op_map_aux(struct fuzzer *f)
{
	int slot = draw_slot(f);
	struct area *page = draw_area(f), *aux = draw_area(f);
	__u64 where[2] = { 16 * page_size(), page_size() << draw(f, 4) };

	tell(f, " %d", slot);
	put(page->window + offsetof(struct perf_event_mmap_page, aux_offset), where,
	    sizeof(where));
	return map_area(f, aux, slot_fd(f, slot), where[1] / page_size(), 16);
}

/* Sizes, offsets, protections and kinds that no event has. */
long op_map_bad(struct fuzzer *f)
{
	static const size_t sizes[] = { 1, 2, 3, 4, 6, 1UL << 18, 1UL << 30 };
	static const off_t offsets[] = { 0, 0, 1, 16, 1L << 40 };
	static const int kinds[] = { MAP_SHARED, MAP_PRIVATE, MAP_SHARED };
	size_t pages = sizes[draw(f, ARRAY_SIZE(sizes))];
	off_t offset = offsets[draw(f, ARRAY_SIZE(offsets))];
	int kind = kinds[draw(f, ARRAY_SIZE(kinds))], slot = draw_slot(f);
	int protection = draw(f, 8);
	void *at;

	tell(f, " %d %zu+%lx kind%d prot%d", slot, pages, (long)offset, kind,
	     protection);
	at = mmap(NULL, pages * page_size(), protection, kind,
		  slot_fd(f, slot), offset * page_size());
	if (at == MAP_FAILED)
		return -errno;
	return or_errno(munmap(at, pages * page_size()));
}

long op_unmap(struct fuzzer *f)
{
	struct area *area = draw_area(f);

	empty(area->window, WINDOW_PAGES * page_size());
	area->size = 0;
	return 0;
}

long op_unmap_part(struct fuzzer *f)
{
	unsigned int page = draw(f, 8), pages = 1 + draw(f, 4);
	struct area *area = draw_area(f);
	char *at = area->window + page * page_size();
	long ret;

	tell(f, " %u+%u", page, pages);
	ret = or_errno(munmap(at, pages * page_size()));
	empty(at, pages * page_size());
	return ret;
}

/* To another window, or in its own: smaller, larger, as it is. */
long op_move(struct fuzzer *f)
{
	struct area *from = draw_area(f), *to = draw_area(f);
	size_t size = from->size, new_size = size;
	long ret;
	void *at;

	switch (draw(f, 4)) {
	case 0:
		new_size = page_size();
		break;
	case 1:
		new_size = 2 * size;
		break;
	}
	if (!size || from == to)
		return 0;
	tell(f, " %zu", new_size / page_size());
	if (new_size > WINDOW_PAGES * page_size())
		return 0;
	at = mremap(from->window, size, new_size, MREMAP_MAYMOVE | MREMAP_FIXED,
		    to->window);
	if (at == MAP_FAILED) {
		ret = -errno;
		empty(to->window, WINDOW_PAGES * page_size());
		to->size = 0;
		return ret;
	}
	empty(from->window, size);
	from->size = 0;
	to->size = new_size;
	return 0;
}

long op_protect(struct fuzzer *f)
{
	struct area *area = draw_area(f);
	int protection = draw(f, 4);

	tell(f, " %d", protection);
	return area->size ? or_errno(mprotect(area->window, area->size,
					      protection)) : 0;
}

/* Says that all was read, or that nonsense was. */
long op_consume(struct fuzzer *f)
{
	struct area *area = draw_area(f);
	__u64 head = draw_u64(f);

	if (!one_in(f, 4))
		get(&head, area->window +
			   offsetof(struct perf_event_mmap_page, data_head),
		    sizeof(head));
	return put(area->window +
			   offsetof(struct perf_event_mmap_page, data_tail),
		   &head, sizeof(head));
}
