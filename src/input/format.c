/* The list of formats, and which of them an input is. */
#include "input/format.h"

#include <stdio.h>

#include "input/strangers.h"

/* ---- The list ---- */

#define ADDRESS(name) &lode_format_##name,
const struct lode_format *const lode_formats[] = {LODE_FORMATS(ADDRESS) NULL};

unsigned lode_format_holds(const struct lode_format *f)
{
	return (f->load ? LODE_HOLDS_SAMPLES : 0) |
	       (f->read_calls || f->read_calls_of_folder ? LODE_HOLDS_CALLS : 0) |
	       (f->read_counters ? LODE_HOLDS_COUNTERS : 0) |
	       (f->read_requests ? LODE_HOLDS_REQUESTS : 0);
}

static const struct lode_format *find_format(unsigned kinds, const uint8_t *head, size_t size,
					     bool is_named)
{
	for (size_t i = 0; lode_formats[i] && size; i++) {
		const struct lode_format *f = lode_formats[i];
		bool (*recognise)(const uint8_t *, size_t) =
			f->recognise_unnamed && !is_named ? f->recognise_unnamed : f->recognise;

		if ((lode_format_holds(f) & kinds) && recognise && recognise(head, size))
			return f;
	}
	return NULL;
}

const struct lode_format *lode_format_find(unsigned kinds, const uint8_t *head, size_t size)
{
	return find_format(kinds, head, size, true);
}

const struct lode_format *lode_format_find_unnamed(unsigned kinds, const uint8_t *head, size_t size)
{
	return find_format(kinds, head, size, NULL);
}

const struct lode_format *lode_format_peek(unsigned kinds, struct lode_input *input,
					   uint8_t head[LODE_PEEK_BYTES], ssize_t *n,
					   struct lode_error *err)
{
	const struct lode_format *format;

	*n = lode_input_peek(input, head, LODE_PEEK_BYTES, err);
	format = *n > 0 ? lode_format_find(kinds, head, (size_t)*n) : NULL;
	if (format || *n != (ssize_t)LODE_PEEK_LEAST_BYTES)
		return format;
	*n = lode_input_peek_all(input, head, LODE_PEEK_BYTES, err);
	return *n > 0 ? lode_format_find(kinds, head, (size_t)*n) : NULL;
}

const struct lode_format *lode_format_find_folder(const char *path)
{
	for (size_t i = 0; lode_formats[i]; i++)
		if (lode_formats[i]->recognise_folder && lode_formats[i]->recognise_folder(path))
			return lode_formats[i];
	return NULL;
}

const char *lode_format_words(char *buffer, size_t size, unsigned kinds)
{
	char files[400] = "", folders[100] = "";

	for (size_t i = 0; lode_formats[i]; i++) {
		const struct lode_format *f = lode_formats[i];
		char *list = f->recognise ? files : folders;
		size_t n = strlen(list), room = f->recognise ? sizeof(files) : sizeof(folders);

		if (lode_format_holds(f) & kinds)
			snprintf(list + n, room - n, "%s%s", n ? ", " : "",
				 f->words ? f->words : f->name);
	}
	snprintf(buffer, size, "%s (plain, .zst, .gz or .xz)%s%s", files,
		 *folders ? "; or give a folder of " : "", folders);
	return buffer;
}

int lode_format_fail_unknown(unsigned kinds, const char *path, const uint8_t *head, size_t size,
			     struct lode_error *err)
{
	static const struct {
		unsigned holds;
		const char *words, *command;
	} others[] = {
		{LODE_HOLDS_CALLS, "a trace of function calls", "lode timeline FILE"},
		{LODE_HOLDS_SAMPLES, "stacks of samples", "lode mine FILE"},
		{LODE_HOLDS_REQUESTS, "requests of a server", "lode pio --log FILE"},
		{LODE_HOLDS_COUNTERS, "counters of a machine", "lode pio --counters FILE"},
	};
	const struct lode_format *other;
	char words[600];

	if (size == 0)
		return lode_fail(err, LODE_ERR_FORMAT, path, 0,
				 "the file is empty: nothing was recorded, or copying it failed");
	if (lode_stranger_words(words, sizeof(words), head, size, NULL))
		return lode_fail(err, LODE_ERR_FORMAT, path, 0, "%s", words);
	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++) {
		other = lode_format_find_unnamed(others[i].holds, head, size);
		if (other && !(kinds & others[i].holds))
			return lode_fail(err, LODE_ERR_FORMAT, path, 0, "%s, %s: use '%s'",
					 others[i].words, other->words ? other->words : other->name,
					 others[i].command);
	}
	return lode_fail(err, LODE_ERR_FORMAT, path, 0, "unknown format; expected one of: %s",
			 lode_format_words(words, sizeof(words), kinds));
}
