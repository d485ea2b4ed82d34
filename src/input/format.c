/* The list of formats, and which of them an input is. */
#include "input/format.h"

#include <stdio.h>

#include "base/slice.h"

/* ---- Formats of others ---- */

/*
 * What others write and lode does not read, but knows: a refusal then says what to do.
 */

/* Messages of protobuf, one behind the other: field 1, its length, its bytes. How many are seen. */
static size_t count_messages(const uint8_t *head, size_t size)
{
	size_t at = 0, n = 0;

	while (at + 3 < size && head[at] == 0x0a) {
		size_t length = 0;
		unsigned shift = 0;

		for (at++; at < size && shift < 28; shift += 7) {
			length |= (size_t)(head[at] & 0x7f) << shift;
			if (!(head[at++] & 0x80))
				break;
		}
		n++;
		at += length;
	}
	return n;
}

/* Packets, and nothing else. A profile's first fields are pairs of small numbers. */
static bool is_perfetto(const uint8_t *head, size_t size)
{
	return size > 4 && head[2] != 0x08 && count_messages(head, size) >= 3;
}

static bool is_profile(const uint8_t *head, size_t size)
{
	return size > 6 && head[0] == 0x0a && head[1] <= 8 && head[2] == 0x08 &&
	       count_messages(head, size) >= 1;
}

/* "execve("/bin/ls", ["ls"], 0x7ffe8f2a1f60) = 0", after a pid or a time or none. */
static bool is_strace(const uint8_t *head, size_t size)
{
	const uint8_t *feed = memchr(head, '\n', size);
	size_t n = feed ? (size_t)(feed - head) : size;

	return memmem(head, n, "execve(\"", 8) && memmem(head, n, ") = ", 4);
}

/* What a file with these first bytes is, and what to give instead; NULL: not known. */
static const char *stranger_words(const uint8_t *head, size_t size)
{
	struct lode_slice bytes = {(const char *)head, size};

	if (lode_slice_begins(bytes, "\x17\x08\x44tracing"))
		return "a recording of trace-cmd, which lode does not read: record with 'lode "
		       "record', or give function_graph as text, 'trace-cmd report FILE "
		       ">trace.txt'";
	if (lode_slice_begins(bytes, "\xc1\x1f\xfc\xc1"))
		return "a CTF trace (LTTng), which lode does not read: record with 'lode record'";
	if (is_profile(head, size))
		return "a pprof profile, which lode writes but does not read: give the recording "
		       "that it was made of, or folded stacks";
	if (is_perfetto(head, size))
		return "a Perfetto trace, which lode does not read: 'traceconv json FILE "
		       "trace.json' converts it for 'lode timeline'";
	if (is_strace(head, size))
		return "output of strace, which lode does not read: record with 'lode record "
		       "--syscalls'";
	return NULL;
}

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
	const char *stranger = stranger_words(head, size);
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
