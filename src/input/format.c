/* The list of formats, and which of them an input is. */
#include "input/format.h"

#include <stdio.h>

#include "input/strangers.h"

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
	return find_format(kinds, head, size, false);
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

static bool is_tar(const uint8_t *head, size_t size)
{
	return size > 262 && !memcmp(head + 257, "ustar", 5);
}

/* A repository of lode's (docs/formats/repository.md): an SQLite file with its application's id. */
static bool is_repository(const uint8_t *head, size_t size)
{
	return size >= 72 && !memcmp(head, "SQLite format 3", 16) && !memcmp(head + 68, "lode", 4);
}

int lode_format_fail_unknown(unsigned kinds, const char *path, const uint8_t *head, size_t size,
			     struct lode_error *err)
{
	const char *stranger = lode_stranger_words(head, size);
	const struct lode_format *other;
	char words[600];

	if (size == 0)
		return lode_fail(err, LODE_ERR_FORMAT, path, 0,
				 "the file is empty: nothing was recorded, or copying it failed");
	if (is_tar(head, size))
		return lode_fail(err, LODE_ERR_FORMAT, path, 0,
				 "this is a tar archive: unpack it first");
	if (is_repository(head, size))
		return lode_fail(err, LODE_ERR_FORMAT, path, 0,
				 "this is a repository: give it with --repo, as in 'lode repo show "
				 "--repo FILE' or 'lode mine --repo FILE'");
	if (!(kinds & LODE_HOLDS_CALLS) && (other = lode_format_find(LODE_HOLDS_CALLS, head, size)))
		return lode_fail(err, LODE_ERR_FORMAT, path, 0,
				 "a trace of function calls, %s: use 'lode timeline FILE'",
				 other->words ? other->words : other->name);
	if (stranger)
		return lode_fail(err, LODE_ERR_FORMAT, path, 0, "%s", stranger);
	return lode_fail(err, LODE_ERR_FORMAT, path, 0, "unknown format; expected one of: %s",
			 lode_format_words(words, sizeof(words), kinds));
}
