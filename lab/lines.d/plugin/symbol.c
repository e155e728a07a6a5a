// SPDX-License-Identifier: GPL-2.0
/*
 * The plugin: functions and data of the guest's kernel by address
 */
#include <stdlib.h>
#include <string.h>

#include "lines.h"

#define MAX_SYMBOLS	262144
#define MAX_OFFSET	1048576	/* of an object without a name of its own */

struct symbols functions, objects;

static int by_address(const void *left, const void *right)
{
	const struct symbol *a = left, *b = right;

	return (a->address > b->address) - (a->address < b->address);
}

/* Functions that fill memory which an allocator returns. */
static bool clears_memory(const char *name)
{
	static const char *const words[] = {
		"memset", "__memset", "clear_page", "kmem_cache_alloc", "__kmalloc",
	};

	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (!strncmp(name, words[i], strlen(words[i])))
			return true;
	return false;
}

static void add(struct symbols *table, __u64 address, const char *name)
{
	struct symbol *symbol = &table->all[table->count];

	if (table->count == MAX_SYMBOLS)
		fail("too many symbols");
	table->count++;
	symbol->address = address;
	symbol->name = must(strdup(name));
	symbol->clears = clears_memory(name);
}

/**
 * symbols_read - read the kernel's symbols
 * @path:	file in the form of System.map
 */
void symbols_read(const char *path)
{
	FILE *file = fopen(path, "re");
	unsigned long long address;
	char type, name[MAX_NAME];

	if (!file)
		fail("cannot read the symbols");
	functions.all = must(calloc(MAX_SYMBOLS, sizeof(struct symbol)));
	objects.all = must(calloc(MAX_SYMBOLS, sizeof(struct symbol)));
	add(&functions, 0, "user");
	while (fscanf(file, "%llx %c %255s", &address, &type, name) == 3)
		add(strchr("tTwW", type) ? &functions : &objects, address, name);
	fclose(file);
	qsort(functions.all + 1, functions.count - 1, sizeof(struct symbol), by_address);
	qsort(objects.all, objects.count, sizeof(struct symbol), by_address);
}

static void mark(struct symbol *symbol, const char *word, char what)
{
	if (what == 'h' && !strncmp(symbol->name, word, strlen(word)))
		symbol->helper = true;
	if (strcmp(symbol->name, word))
		return;
	if (what == 'p')
		symbol->perf = true;
	if (what == 's')
		symbol->skip = true;
}

/**
 * symbols_mark - mark the functions that a file lists
 * @path:	names, one on each line; those of helpers are prefixes
 * @what:	'p' perf's functions, 's' those to skip, 'h' helpers
 */
void symbols_mark(const char *path, char what)
{
	FILE *file = fopen(path, "re");
	char word[MAX_NAME];

	if (!file)
		fail("cannot read a list of functions");
	while (fgets(word, sizeof(word), file)) {
		word[strcspn(word, "\n")] = 0;
		if (!word[0] || word[0] == '#')
			continue;
		for (size_t i = 1; i < functions.count; i++)
			mark(&functions.all[i], word, what);
	}
	fclose(file);
}

/* Return: number of the last symbol that begins at @address or before. */
static size_t find(const struct symbols *table, __u64 address)
{
	size_t low = 0, high = table->count;

	while (high - low > 1) {
		size_t middle = (low + high) / 2;

		if (table->all[middle].address <= address)
			low = middle;
		else
			high = middle;
	}
	return low;
}

__u32 function_at(__u64 address)
{
	return address >> 63 && functions.count ? find(&functions, address) : NO_FUNC;
}

const char *function_name(__u32 func)
{
	return functions.all[func].name;
}

/* Return: NULL if no object begins near before @address. */
const struct symbol *object_at(__u64 address)
{
	const struct symbol *symbol;

	if (!objects.count)
		return NULL;
	symbol = &objects.all[find(&objects, address)];
	if (address < symbol->address || address - symbol->address > MAX_OFFSET)
		return NULL;
	return symbol;
}

__u64 object_address(const char *name)
{
	for (size_t i = 0; i < objects.count; i++)
		if (!strcmp(objects.all[i].name, name))
			return objects.all[i].address;
	return 0;
}
