/* Reads source files that debug information names, if they are that. */
#include "input/symbols/source_text.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <strings.h>
#include <sys/stat.h>

#include "base/folder.h"
#include "input/symbols/dso.h"

static bool is_named_like_source(const char *path)
{
	static const char *const ends[] = {
		"c",   "h",	"cc",  "hh",  "cpp", "hpp",   "cxx",  "hxx", "c++", "h++",
		"ipp", "tcc",	"inl", "inc", "def", "s",     "asm",  "m",   "mm",  "rs",
		"go",  "d",	"f",   "for", "f90", "f95",   "f03",  "f08", "adb", "ads",
		"ada", "pas",	"pp",  "zig", "nim", "swift", "ml",   "mli", "hs",  "cu",
		"cl",  "y",	"yy",  "l",   "ll",  "re",    "vala", "cr",  "jl",  "java",
		"kt",  "scala", "py",  "pyx", "rb",  "js",
	};
	const char *base = lode_path_base(path), *dot = strrchr(base, '.');

	/* Headers of the C++ library have none: they are not read. */
	for (size_t i = 0; dot && i < sizeof(ends) / sizeof(*ends); i++)
		if (strcasecmp(dot + 1, ends[i]) == 0)
			return true;
	return false;
}

static int load_from(struct lode_source_text *out, const char *path, struct lode_error *err)
{
	char *real = realpath(path, NULL);
	struct stat st = {0};
	int rc = LODE_OK;

	if (!real || stat(real, &st) < 0)
		rc = lode_fail_errno(err, errno, path, "no source");
	else if (!S_ISREG(st.st_mode) || !is_named_like_source(path) || !is_named_like_source(real))
		rc = lode_fail(err, LODE_ERR_UNSUPPORTED, path, -1,
			       "not a source file by its name or kind: it is not shown");
	else if ((uint64_t)st.st_size > LODE_SOURCE_BYTES)
		rc = lode_fail(err, LODE_ERR_LIMIT, path, -1,
			       "larger than 16 MiB: it is not shown");
	if (rc == LODE_OK)
		rc = lode_file_read(&out->bytes, &out->n_bytes, real, LODE_SOURCE_BYTES, err);
	if (rc == LODE_OK && memchr(out->bytes, 0, out->n_bytes))
		rc = lode_fail(err, LODE_ERR_UNSUPPORTED, path, -1, "not text: it is not shown");
	if (rc == LODE_OK) {
		out->changed_s = st.st_mtim.tv_sec;
	} else {
		free(out->bytes);
		*out = (struct lode_source_text){0};
	}
	free(real);
	return rc;
}

static void find_lines(struct lode_source_text *text)
{
	const char *end = text->bytes + text->n_bytes, *next;

	for (const char *at = text->bytes; at < end; at = next) {
		next = memchr(at, '\n', (size_t)(end - at));
		next = next ? next + 1 : end;
		lode_vec_append(&text->starts, (uint32_t)(at - text->bytes));
	}
}

int lode_source_text_load(struct lode_source_text *out, const struct lode_dso *dso,
			  const char *file, struct lode_error *err)
{
	const char *symfs = lode_dso_roots(dso).symfs;
	char below[PATH_MAX];
	int rc;

	*out = (struct lode_source_text){0};
	if (file[0] != '/')
		return lode_fail(err, LODE_ERR_UNSUPPORTED, file, -1,
				 "the program does not record the folder that it was compiled in");
	if (symfs && (size_t)snprintf(below, sizeof(below), "%s%s", symfs, file) < sizeof(below) &&
	    load_from(out, below, NULL) == LODE_OK) {
		find_lines(out);
		return LODE_OK;
	}
	rc = load_from(out, file, err);
	if (rc == LODE_OK)
		find_lines(out);
	return rc;
}

void lode_source_text_release(struct lode_source_text *text)
{
	free(text->bytes);
	lode_vec_release(&text->starts);
	*text = (struct lode_source_text){0};
}

const char *lode_source_text_line(const struct lode_source_text *text, uint32_t line, size_t *n)
{
	size_t start, end;

	if (!line || line > text->starts.n)
		return NULL;
	start = text->starts.at[line - 1];
	end = line < text->starts.n ? text->starts.at[line] : text->n_bytes;
	while (end > start && (text->bytes[end - 1] == '\n' || text->bytes[end - 1] == '\r'))
		end--;
	*n = end - start;
	return text->bytes + start;
}
