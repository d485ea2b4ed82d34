/* Which names and first bytes say that a file was meant as an input. */
#include "input/file_names.h"

#include <sys/stat.h>

#include "base/found_file.h"
#include "base/glob.h"
#include "input/source.h"

/* lode's own files, which are no formats of input/format.h. */
static const char *const digest_globs[] = {"*.digest", "*.lode", NULL};
static const char *const index_globs[] = {"*.lodet", NULL};

static const struct own_file {
	unsigned kinds;
	struct lode_format format;
} own_files[] = {
	{LODE_HOLDS_DIGEST,
	 {.globs = digest_globs, .named = "lode's digests", .begins = "8f 'lode'"}},
	{LODE_HOLDS_CALLS,
	 {.globs = index_globs, .named = "indexes of function traces", .begins = "'LODETML'"}},
};

/* Of files that speak of a recording and are none. */
static const char *const notes[] = {"*.md5",  "*.sha*", "*.sig",  "*.asc", "*.md",  "*.log",
				    "*.html", "*.svg",	"*.json", "*.tsv", "*.csv", "*.txt"};

struct packing {
	const char *suffix, *name, *begins;
	uint8_t magic[6];
	size_t n;
};
static const struct packing packings[] = {
	{".zst", "zstd", "28 b5 2f fd", {0x28, 0xb5, 0x2f, 0xfd}, 4},
	{".gz", "gzip", "1f 8b", {0x1f, 0x8b}, 2},
	{".xz", "xz", "fd '7zXZ'", {0xfd, '7', 'z', 'X', 'Z', 0}, 6},
};

/* The packing that the name ends in, which is cut off; NULL: none. */
static const struct packing *cut_packing(char *name)
{
	size_t n = strlen(name);

	for (size_t i = 0; i < sizeof(packings) / sizeof(*packings); i++) {
		size_t n_suffix = strlen(packings[i].suffix);

		if (n > n_suffix && strcmp(name + n - n_suffix, packings[i].suffix) == 0) {
			name[n - n_suffix] = '\0';
			return &packings[i];
		}
	}
	return NULL;
}

/* Then its first bytes are those of what was unpacked. */
static bool is_packed(const char *path, const struct packing *packing)
{
	uint8_t head[sizeof(packing->magic)];
	FILE *file = lode_found_stream(path);
	size_t n = file ? fread(head, 1, packing->n, file) : 0;

	if (file)
		fclose(file);
	return n == packing->n && memcmp(head, packing->magic, n) == 0;
}

/* Tables and notes about a recording are named after it. */
static bool is_note(const char *name)
{
	for (size_t i = 0; i < sizeof(notes) / sizeof(*notes); i++)
		if (lode_glob_match(notes[i], name))
			return true;
	return false;
}

static bool is_named_like(const struct lode_format *format, unsigned kinds, const char *name)
{
	for (size_t i = 0; format->globs && format->globs[i]; i++)
		if (lode_glob_match(format->globs[i], name))
			return !(kinds & LODE_HOLDS_SAMPLES) || !is_note(name);
	return false;
}

static const struct lode_format *find_format(const char *name, unsigned kinds)
{
	for (size_t i = 0; lode_formats[i]; i++) {
		unsigned holds = lode_format_holds(lode_formats[i]);

		if ((holds & kinds) && is_named_like(lode_formats[i], holds, name))
			return lode_formats[i];
	}
	for (size_t i = 0; i < sizeof(own_files) / sizeof(*own_files); i++)
		if ((own_files[i].kinds & kinds) &&
		    is_named_like(&own_files[i].format, own_files[i].kinds, name))
			return &own_files[i].format;
	return NULL;
}

/* One of lode's own that is sound, and no input of a folder's. */
static bool is_own(const struct lode_format *format, const uint8_t *head, size_t n)
{
	static const char repository[] = "SQLite format 3", index[] = "LODETML";

	if (format->globs == index_globs)
		return n >= sizeof(index) && memcmp(head, index, sizeof(index)) == 0;
	return format->globs == digest_globs && n >= sizeof(repository) &&
	       memcmp(head, repository, sizeof(repository)) == 0;
}

/* Its header's sizes are a recording's, whatever became of its first eight bytes. */
static bool is_close_to_perf(const uint8_t *head, size_t n)
{
	static const uint64_t header_size = 104;
	uint64_t sizes[2];

	if (n < 8 + sizeof(sizes))
		return false;
	memcpy(sizes, head + 8, sizeof(sizes));
	if (sizes[0] != header_size) {
		sizes[0] = __builtin_bswap64(sizes[0]);
		sizes[1] = __builtin_bswap64(sizes[1]);
	}
	/* Attributes have grown from 64 bytes, and their ids take 16 more. */
	return sizes[0] == header_size && sizes[1] >= 64 && sizes[1] < 256 && sizes[1] % 8 == 0;
}

/* "'XERFILE2'", or bytes as numbers. */
static const char *first_bytes(char *text, size_t size, const uint8_t *head, size_t n)
{
	bool is_text = n > 0;
	size_t at = 0;

	n = n < 8 ? n : 8;
	for (size_t i = 0; i < n; i++)
		is_text &= head[i] >= ' ' && head[i] < 0x7f;
	if (is_text) {
		snprintf(text, size, "'%.*s'", (int)n, (const char *)head);
		return text;
	}
	*text = '\0';
	for (size_t i = 0; i < n && at + 4 < size; i++)
		at += (size_t)snprintf(text + at, size - at, "%s%02x", i ? " " : "", head[i]);
	return text;
}

const char *lode_file_unread_reason(char *text, size_t size, const char *path, unsigned kinds,
				    const uint8_t *head, size_t n_head)
{
	const struct lode_format *format;
	const struct packing *packing;
	char name[256], found[64];

	snprintf(name, sizeof(name), "%s", lode_path_base(path));
	packing = cut_packing(name);
	format = find_format(name, kinds);
	if (format && is_own(format, head, n_head))
		return NULL;
	if (format && !n_head) {
		snprintf(text, size, "empty, although named like %s", format->named);
		return text;
	}
	first_bytes(found, sizeof(found), head, n_head);
	if (!format) {
		if (!(kinds & LODE_HOLDS_SAMPLES) || !is_close_to_perf(head, n_head))
			return NULL;
		snprintf(text, size, "perf.data with damaged first bytes: found %s, expected %s",
			 found, lode_format_perf.begins);
		return text;
	}
	if (packing && !is_packed(path, packing))
		snprintf(text, size,
			 "named like %s packed with %s, which begins with %s; this begins with %s: "
			 "damaged, or wrong file name",
			 format->named, packing->name, packing->begins, found);
	else
		snprintf(text, size,
			 "named like %s, which begin with %s; this begins with %s: damaged, or "
			 "wrong file name",
			 format->named, format->begins, found);
	return text;
}

const char *lode_file_not_regular_reason(const char *path, unsigned kinds)
{
	struct stat st;

	if (stat(path, &st) || S_ISREG(st.st_mode) || S_ISDIR(st.st_mode) ||
	    !lode_file_is_named_as(path, kinds))
		return NULL;
	return S_ISFIFO(st.st_mode)   ? "a pipe, not a file: give it alone to read from it"
	       : S_ISSOCK(st.st_mode) ? "a socket, not a file"
				      : "a device, not a file";
}

bool lode_file_is_named_as(const char *path, unsigned kinds)
{
	char name[256];

	snprintf(name, sizeof(name), "%s", lode_path_base(path));
	(void)cut_packing(name);
	return find_format(name, kinds) != NULL;
}

bool lode_file_is_companion(const char *path)
{
	static const char *const names[] = {"symptoms.tsv", "titles.tsv", "README",    "README.*",
					    "INCOMPLETE",   "perf-*.map", "jit-*.dump"};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (lode_glob_match(names[i], lode_path_base(path)))
			return true;
	return false;
}
