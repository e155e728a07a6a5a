// SPDX-License-Identifier: GPL-2.0
/*
 * Room "addr_filter_parse": the text of address filters.
 *
 * Purpose: parse the string of PERF_EVENT_IOC_SET_FILTER.
 *
 *	filters	= *sep [ filter *( 1*sep filter ) ] *sep
 *	filter	= action 1*sep number [ "/" number ] [ "@" path ]
 *	action	= "filter" / "start" / "stop"
 *	number	= decimal, 0octal or 0xhexadecimal
 *	sep	= " " / "," / newline
 *
 * Each word ends at a separator: a path cannot contain one, and there is no way
 * to quote it. The first number is an address in the kernel or, with a path, an
 * offset in that file; the second number is the size.
 *
 * Owns nothing. Contexts: any. The code uses only the text, and also compiles
 * in user space, for tests.
 */
#ifdef __KERNEL__
#include <linux/ctype.h>
#include <linux/errno.h>
#include <linux/overflow.h>
#include <linux/string.h>
#else
#include <ctype.h>
#include <errno.h>
#include <string.h>
#define check_mul_overflow(a, b, d)	__builtin_mul_overflow(a, b, d)
#define check_add_overflow(a, b, d)	__builtin_add_overflow(a, b, d)
#endif

#include "addr_filter_parse.h"

#define PERF_FILTER_SEPARATORS	" ,\n"

/* The part of a word that has not been read yet. */
struct perf_filter_word {
	const char	*at;
	size_t		len;
};

static bool perf_filter_next_word(const char **text,
				  struct perf_filter_word *word)
{
	word->at = *text + strspn(*text, PERF_FILTER_SEPARATORS);
	word->len = strcspn(word->at, PERF_FILTER_SEPARATORS);
	*text = word->at + word->len;
	return word->len;
}

static bool perf_filter_is(const struct perf_filter_word *word,
			   const char *name)
{
	return word->len == strlen(name) && !memcmp(word->at, name, word->len);
}

static int perf_filter_action(const struct perf_filter_word *word,
			      enum perf_addr_filter_action_t *action)
{
	if (perf_filter_is(word, "filter"))
		*action = PERF_ADDR_FILTER_ACTION_FILTER;
	else if (perf_filter_is(word, "start"))
		*action = PERF_ADDR_FILTER_ACTION_START;
	else if (perf_filter_is(word, "stop"))
		*action = PERF_ADDR_FILTER_ACTION_STOP;
	else
		return -EINVAL;
	return 0;
}

/* Return: value of the digit at @at; -1 if there is no digit of @radix. */
static int perf_filter_digit(const struct perf_filter_word *word, size_t at,
			     int radix)
{
	unsigned char c;
	int digit = -1;

	if (at >= word->len)
		return -1;
	c = word->at[at];
	if (c >= '0' && c <= '9')
		digit = c - '0';
	else if ((c | 0x20) >= 'a' && (c | 0x20) <= 'f')
		digit = (c | 0x20) - 'a' + 10;
	return digit < radix ? digit : -1;
}

static void perf_filter_skip(struct perf_filter_word *word, size_t len)
{
	word->at += len;
	word->len -= len;
}

static bool perf_filter_skip_char(struct perf_filter_word *word, char c)
{
	if (!word->len || *word->at != c)
		return false;
	perf_filter_skip(word, 1);
	return true;
}

/* An "x" without a digit behind it does not belong to the number. */
static int perf_filter_radix(struct perf_filter_word *word)
{
	if (!word->len || *word->at != '0')
		return 10;
	if (word->len > 2 && (word->at[1] | 0x20) == 'x' &&
	    perf_filter_digit(word, 2, 16) >= 0) {
		perf_filter_skip(word, 2);
		return 16;
	}
	return 8;
}

/*
 * Return: false if there is no number. A number that is too large is noted in
 * *@err, because other errors of the word take precedence.
 */
static bool perf_filter_number(struct perf_filter_word *word,
			       unsigned long *number, int *err)
{
	unsigned long radix = perf_filter_radix(word);
	size_t len = 0;
	int digit;

	*number = 0;
	while ((digit = perf_filter_digit(word, len, radix)) >= 0) {
		if (check_mul_overflow(*number, radix, number) ||
		    check_add_overflow(*number, (unsigned long)digit, number))
			*err = -ERANGE;
		len++;
	}
	perf_filter_skip(word, len);
	return len;
}

static int perf_filter_range(struct perf_filter_word *word,
			     struct perf_filter_term *term)
{
	int err = 0;

	if (!perf_filter_number(word, &term->offset, &err))
		return -EINVAL;
	if (perf_filter_skip_char(word, '/') &&
	    !perf_filter_number(word, &term->size, &err))
		return -EINVAL;
	if (perf_filter_skip_char(word, '@')) {
		term->path = word->at;
		term->path_len = word->len;
		return word->len ? err : -EINVAL;
	}
	return word->len ? -EINVAL : err;
}

/**
 * perf_filter_next() - read the next filter of a text
 * @text: where to begin; on return, where to continue
 * @term: receives the filter; its path points into the text
 *
 * Context: any.
 * Return: 1; 0 at the end; -EINVAL for text that is no filter, and for the
 * action "filter" without a size; -ERANGE for a number that is too large.
 */
int perf_filter_next(const char **text, struct perf_filter_term *term)
{
	struct perf_filter_word word;
	int err;

	memset(term, 0, sizeof(*term));
	if (!perf_filter_next_word(text, &word))
		return 0;
	err = perf_filter_action(&word, &term->action);
	if (err)
		return err;
	if (!perf_filter_next_word(text, &word))
		return -EINVAL;
	err = perf_filter_range(&word, term);
	if (err)
		return err;
	if (term->action == PERF_ADDR_FILTER_ACTION_FILTER && !term->size)
		return -EINVAL;
	return 1;
}
