// SPDX-License-Identifier: GPL-2.0
/*
 * The plugin: the object that an address belongs to
 *
 * This reads the guest's memory: the page tables of the kernel, the slab that
 * a page belongs to, and where the areas of the CPUs begin. The addresses are
 * those of x86-64 with four levels of page tables and without KASLR. Offsets in
 * the kernel's structures come from a file (layout=FILE), one "NAME OFFSET" on
 * each line, since they depend on the configuration.
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
#define VMEMMAP_BASE	0xffffea0000000000ULL
#define VMEMMAP_END	0xffffeb0000000000ULL
#define ENTRY_AREA	0xfffffe0000000000ULL
#define IMAGE_BASE	0xffffffff80000000ULL
#define PAGE_STRUCT	64		/* sizeof(struct page) */
#define SLAB_TYPE	0xf5		/* PGTY_slab */
#define ENTRY_MASK	0x000ffffffffff000ULL
#define ENTRY_PRESENT	1
#define ENTRY_LARGE	0x80

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
static uint64_t host_base;	/* of guest-physical 0 */
static bool calibrated;
static uint64_t cpu_offsets[MAX_CPUS];
static uint64_t cpu_area_end;

void place_calibrate(uint64_t host, uint64_t physical)
{
	host_base = host - physical;
	calibrated = true;
}

bool place_calibrated(void)
{
	return calibrated;
}

uint64_t place_host_base(void)
{
	return host_base;
}

static bool read_physical(uint64_t physical, void *to, size_t size)
{
	if ((physical + size) >> LINE_SHIFT >= nr_lines)
		return false;
	memcpy(to, (const void *)(host_base + physical), size);
	return true;
}

/* Walks the kernel's page tables. Return: physical address, 0 if there is none. */
static uint64_t physical_of(uint64_t vaddr)
{
	static uint64_t top;
	uint64_t entry, table;
	int shift;

	if (vaddr >= DIRECT_BASE && vaddr < DIRECT_END)
		return vaddr - DIRECT_BASE;
	if (vaddr >= IMAGE_BASE)
		return vaddr - IMAGE_BASE;
	if (!top)
		top = object_address("init_top_pgt");
	table = top - IMAGE_BASE;
	for (shift = 39; shift >= PAGE_SHIFT; shift -= 9) {
		if (!read_physical(table + (vaddr >> shift) % 512 * 8, &entry, 8) ||
		    !(entry & ENTRY_PRESENT))
			return 0;
		table = entry & ENTRY_MASK;
		if (shift < 39 && shift > PAGE_SHIFT && entry & ENTRY_LARGE)
			break;
	}
	if (shift < PAGE_SHIFT)
		shift = PAGE_SHIFT;
	return (table & ~((1ULL << shift) - 1)) + vaddr % (1ULL << shift);
}

static uint64_t read_long(uint64_t vaddr)
{
	uint64_t value;

	return read_physical(physical_of(vaddr), &value, sizeof(value)) ? value : 0;
}

static uint32_t read_int(uint64_t vaddr)
{
	uint32_t value;

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

static const char *cache_name(uint64_t cache)
{
	uint64_t name = read_long(cache + offsets[CACHE_NAME]);
	char text[64];

	if (!read_physical(physical_of(name), text, sizeof(text)))
		return NULL;
	text[sizeof(text) - 1] = 0;
	return text[0] ? intern(text) : NULL;
}

/* An object of a slab cache, by its address in the direct mapping. */
static bool place_in_slab(uint64_t physical, struct place *place)
{
	uint64_t frame = physical >> PAGE_SHIFT;
	uint64_t page = VMEMMAP_BASE + frame * PAGE_STRUCT, head, cache;
	uint32_t size;

	head = read_long(page + offsets[PAGE_HEAD]);
	if (head & 1) {
		page = head - 1;
		frame = (page - VMEMMAP_BASE) / PAGE_STRUCT;
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
	uint64_t table = object_address("__per_cpu_offset");

	cpu_area_end = object_address("__per_cpu_end");
	for (unsigned int i = 0; table && i < nr_cpus; i++)
		cpu_offsets[i] = read_long(table + 8 * i);
}

/* A variable of each CPU that the kernel's image defines. */
static bool place_of_cpu(uint64_t vaddr, struct place *place)
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

static bool place_of_symbol(uint64_t vaddr, struct place *place)
{
	const struct symbol *symbol = object_at(vaddr);

	if (vaddr < IMAGE_BASE || !symbol)
		return false;
	place->name = symbol->name;
	place->offset = vaddr - symbol->address;
	return true;
}

static const char *kind_of(uint64_t vaddr)
{
	if (!(vaddr >> 63))
		return "user";
	if (vaddr >= DIRECT_BASE && vaddr < DIRECT_END)
		return "page";
	if (vaddr >= VMEMMAP_BASE && vaddr < VMEMMAP_END)
		return "struct-page";
	if (vaddr >= VMALLOC_BASE && vaddr < VMEMMAP_BASE)
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
struct place place_of(uint64_t vaddr, uint64_t number)
{
	uint64_t physical = (number << LINE_SHIFT) + vaddr % LINE_SIZE;
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
