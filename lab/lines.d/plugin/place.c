// SPDX-License-Identifier: GPL-2.0
/*
 * The plugin: the object that an address belongs to
 *
 * This reads the guest's memory: the slab that a page belongs to, and where the
 * areas of the CPUs begin. It knows the address space of x86-64 without KASLR,
 * and sections of memory without a virtual memory map, as the kernels of
 * lab/config/release.config have. Offsets in the kernel's structures come from a
 * file (layout=FILE), one "NAME OFFSET" on each line.
 *
 * Memory of kmalloc() has no type. But an allocator that fills it with zeros is
 * called by the function that makes the object: see note_cleared() in
 * translate.c.
 */
#include <stdlib.h>
#include <string.h>

#include "lines.h"

#define DIRECT_BASE	0xffff888000000000ULL
#define DIRECT_END	0xffffc88000000000ULL
#define VMALLOC_BASE	0xffffc90000000000ULL
#define VMALLOC_END	0xffffe90000000000ULL
#define ENTRY_AREA	0xfffffe0000000000ULL
#define IMAGE_BASE	0xffffffff80000000ULL
#define SECTION_SHIFT	27
#define SECTION_STRUCT	16		/* sizeof(struct mem_section) */
#define SECTION_FLAGS	0x3fULL
#define PAGE_STRUCT	64		/* sizeof(struct page) */
#define SLAB_TYPE	0xf5		/* PGTY_slab */

enum field {
	PAGE_TYPE,	/* struct page */
	PAGE_HEAD,
	SLAB_CACHE,	/* struct slab */
	CACHE_NAME,	/* struct kmem_cache */
	CACHE_SIZE,
	NR_FIELDS,
};

static const char *const field_names[NR_FIELDS] = {
	"page.page_type", "page.compound_head", "slab.slab_cache",
	"kmem_cache.name", "kmem_cache.size",
};

static unsigned int offsets[NR_FIELDS];
static bool have_layout;
static __u64 host_base;	/* of guest-physical 0 */
static bool calibrated;
static __u64 cpu_offsets[MAX_CPUS];
static __u64 cpu_area_end;

void place_calibrate(__u64 host, __u64 physical)
{
	host_base = host - physical;
	calibrated = true;
}

bool place_calibrated(void)
{
	return calibrated;
}

__u64 place_host_base(void)
{
	return host_base;
}

static bool read_physical(__u64 physical, void *to, size_t size)
{
	if (!physical || (physical + size) >> LINE_SHIFT >= nr_lines)
		return false;
	memcpy(to, (const void *)(host_base + physical), size);
	return true;
}

/* Return: the physical address of what is always mapped; 0 for anything else. */
static __u64 physical_of(__u64 vaddr)
{
	if (vaddr >= DIRECT_BASE && vaddr < DIRECT_END)
		return vaddr - DIRECT_BASE;
	return vaddr >= IMAGE_BASE ? vaddr - IMAGE_BASE : 0;
}

static __u64 read_long(__u64 vaddr)
{
	__u64 value;

	return read_physical(physical_of(vaddr), &value, sizeof(value)) ? value : 0;
}

static __u32 read_int(__u64 vaddr)
{
	__u32 value;

	return read_physical(physical_of(vaddr), &value, sizeof(value)) ? value : 0;
}

/* One copy of each name. */
static const char *intern(const char *name)
{
	static const char *names[1024];
	static size_t count;
	size_t i;

	for (i = 0; i < count; i++)
		if (!strcmp(names[i], name))
			return names[i];
	if (count == ARRAY_SIZE(names))
		return "?";
	names[count] = must(strdup(name));
	return names[count++];
}

static const char *cache_name(__u64 cache)
{
	__u64 name = read_long(cache + offsets[CACHE_NAME]);
	char text[64];

	if (!read_physical(physical_of(name), text, sizeof(text)))
		return NULL;
	text[sizeof(text) - 1] = 0;
	return text[0] ? intern(text) : NULL;
}

/* Return: address of the struct page of frame 0, as seen from this section. */
static __u64 page_map(__u64 physical)
{
	static __u64 root;

	if (!root)
		root = read_long(read_long(object_address("mem_section")));
	return read_long(root + SECTION_STRUCT * (physical >> SECTION_SHIFT)) & ~SECTION_FLAGS;
}

static bool place_in_slab(__u64 physical, struct place *place)
{
	__u64 map = page_map(physical), frame = physical >> PAGE_SHIFT, page, head, cache;
	__u32 size;

	page = map + frame * PAGE_STRUCT;
	head = read_long(page + offsets[PAGE_HEAD]);
	if (head & 1) {
		page = head - 1;
		frame = (page - map) / PAGE_STRUCT;
	}
	if (read_int(page + offsets[PAGE_TYPE]) >> 24 != SLAB_TYPE)
		return false;
	cache = read_long(page + offsets[SLAB_CACHE]);
	size = read_int(cache + offsets[CACHE_SIZE]);
	if (!size)
		return false;
	place->name = cache_name(cache);
	place->offset = (physical - (frame << PAGE_SHIFT)) % size;
	return place->name;
}

static void read_cpu_offsets(void)
{
	__u64 table = object_address("__per_cpu_offset");

	cpu_area_end = object_address("__per_cpu_end");
	for (unsigned int i = 0; table && i < nr_cpus; i++)
		cpu_offsets[i] = read_long(table + 8 * i);
}

/* A variable of each CPU that the kernel's image defines. */
static bool place_of_cpu(__u64 vaddr, struct place *place)
{
	const struct symbol *symbol;

	if (!cpu_area_end)
		read_cpu_offsets();
	for (unsigned int i = 0; i < nr_cpus; i++) {
		if (vaddr - cpu_offsets[i] >= cpu_area_end)
			continue;
		symbol = object_at(vaddr - cpu_offsets[i]);
		if (!symbol)
			return false;
		place->name = symbol->name;
		place->offset = vaddr - cpu_offsets[i] - symbol->address;
		place->per_cpu = true;
		return true;
	}
	return false;
}

static bool place_of_symbol(__u64 vaddr, struct place *place)
{
	const struct symbol *symbol = object_at(vaddr);

	if (vaddr < IMAGE_BASE || !symbol)
		return false;
	place->name = symbol->name;
	place->offset = vaddr - symbol->address;
	return true;
}

static const char *kind_of(__u64 vaddr)
{
	if (!(vaddr >> 63))
		return "user";
	if (vaddr >= DIRECT_BASE && vaddr < DIRECT_END)
		return "page";
	if (vaddr >= VMALLOC_BASE && vaddr < VMALLOC_END)
		return "vmalloc";
	return vaddr >= ENTRY_AREA && vaddr < IMAGE_BASE ? "entry-area" : "kernel";
}

static void read_layout(void)
{
	FILE *file = fopen(layout_path, "re");
	unsigned int offset;
	char name[MAX_NAME];

	have_layout = true;
	if (!file)
		fail("cannot read the layout of structures");
	while (fscanf(file, "%255s %u", name, &offset) == 2)
		for (int i = 0; i < NR_FIELDS; i++)
			if (!strcmp(name, field_names[i]))
				offsets[i] = offset;
	fclose(file);
}

/**
 * place_of - the object that an address belongs to
 * @vaddr:	the address
 * @number:	number of its line
 */
struct place place_of(__u64 vaddr, __u64 number)
{
	__u64 physical = (number << LINE_SHIFT) + vaddr % LINE_SIZE;
	struct line *line = &lines[number];
	struct place place = { kind_of(vaddr), vaddr % PAGE_SIZE, NO_FUNC, false };

	if (layout_path && !have_layout)
		read_layout();
	if (!have_layout || !(vaddr >> 63))
		return place;
	if (place_of_cpu(vaddr, &place) || place_of_symbol(vaddr, &place))
		return place;
	place.maker = line->maker;
	if (place_in_slab(physical, &place) || !line->maker)
		return place;
	place.offset = vaddr - line->begin;
	return place;
}
