#include "sources/call_source.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "sources/calltext/calltext.h"
#include "sources/chrome/chrome.h"
#include "sources/ftrace/graph.h"
#include "sources/stream_calls.h"
#include "sources/thread_names.h"
#include "sources/uftrace/uftrace.h"
#include "sources/xray/xray_log.h"

/* Asked in this order: those with a shape of their own before those that are mere lines. */
static const struct lode_call_source *const sources[] = {
	&lode_call_source_xray,	 &lode_call_source_perf,	&lode_call_source_chrome,
	&lode_call_source_graph, &lode_call_source_nonsequitur, &lode_call_source_csv,
};

#define N_SOURCES (sizeof(sources) / sizeof(*sources))

static const struct lode_call_source *recognise(const uint8_t *head, size_t size)
{
	for (size_t i = 0; i < N_SOURCES; i++)
		if (sources[i]->recognise(head, size))
			return sources[i];
	return NULL;
}

/* ---- Directories ---- */

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static bool is_nonsequitur(const char *path)
{
	uint8_t head[LODE_PEEK_BYTES];
	struct lode_input *input;
	bool is_one = false;
	struct stat st;

	if (stat(path, &st) || !S_ISREG(st.st_mode) || lode_input_open(&input, path, NULL) < 0)
		return false;
	ssize_t n = lode_input_peek(input, head, sizeof(head), NULL);

	is_one = n > 0 && lode_call_source_nonsequitur.recognise(head, (size_t)n);
	lode_input_close(input);
	return is_one;
}

struct paths {
	LODE_VEC(char *) at;
};

/* The files of a directory that `is_wanted`, sorted by name. Hidden files are not. */
static int list_files(struct paths *paths, const char *directory,
		      bool (*is_wanted)(const char *path), struct lode_error *err)
{
	DIR *dir = opendir(directory);
	struct dirent *entry;

	if (!dir)
		return lode_fail_errno(err, errno, directory, "cannot list it");
	while ((entry = readdir(dir))) {
		char *path;

		if (entry->d_name[0] == '.')
			continue;
		path = lode_uftrace_path(directory, entry->d_name);
		if (is_wanted(path))
			lode_vec_append(&paths->at, path);
		else
			free(path);
	}
	closedir(dir);
	if (paths->at.n)
		qsort(paths->at.at, paths->at.n, sizeof(*paths->at.at), by_name);
	return LODE_OK;
}

static void release_paths(struct paths *paths)
{
	for (size_t i = 0; i < paths->at.n; i++)
		free(paths->at.at[i]);
	lode_vec_release(&paths->at);
}

/* ---- Files ---- */

static bool is_tar(const uint8_t *head, size_t size)
{
	return size > 262 && !memcmp(head + 257, "ustar", 5);
}

static int fail_unknown(const char *path, const uint8_t *head, size_t size, struct lode_error *err)
{
	if (size == 0)
		return lode_fail(err, LODE_ERR_FORMAT, path, 0,
				 "the file is empty: nothing was recorded, or it was not copied");
	if (is_tar(head, size))
		return lode_fail(err, LODE_ERR_FORMAT, path, 0,
				 "this is a tar archive: unpack it, and name what was in it");
	return lode_fail(err, LODE_ERR_FORMAT, path, 0,
			 "this is none of: XRay log, Chrome trace events (JSON), function_graph "
			 "text, \"0|1 function time\" lines, CSV \"tid,enter|exit,function,ns\", "
			 "perf.data, perf script text (plain, .zst, .gz or .xz); or name a "
			 "directory of uftrace");
}

static int read_file(const char *path, const struct lode_call_options *options,
		     struct lode_call_sink *sink, struct lode_error *err)
{
	const struct lode_call_source *source;
	uint8_t head[LODE_PEEK_BYTES];
	struct lode_input *input;
	ssize_t n;
	int rc = lode_input_open(&input, path, err);

	if (rc < 0)
		return rc;
	n = lode_input_peek(input, head, sizeof(head), err);
	source = n > 0 ? recognise(head, (size_t)n) : NULL;
	if (n < 0)
		rc = (int)n;
	else if (!source)
		rc = fail_unknown(lode_input_path(input), head, (size_t)n, err);
	else
		rc = source->read(input, options, sink, err);
	lode_input_close(input);
	return rc;
}

static bool is_directory(const char *path)
{
	struct stat st;

	return strcmp(path, "-") != 0 && stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

/* ---- Directories ---- */

/* The source of a file; *out is NULL where none knows it. */
static int find_source(const struct lode_call_source **out, const char *path,
		       struct lode_error *err)
{
	uint8_t head[LODE_PEEK_BYTES];
	struct lode_input *input;
	ssize_t n;
	int rc = lode_input_open(&input, path, err);

	*out = NULL;
	if (rc < 0)
		return rc;
	n = lode_input_peek(input, head, sizeof(head), err);
	*out = n > 0 ? recognise(head, (size_t)n) : NULL;
	lode_input_close(input);
	return n < 0 ? (int)n : LODE_OK;
}

static const struct lode_call_source *source_of(const char *path)
{
	const struct lode_call_source *source;

	return find_source(&source, path, NULL) < 0 ? NULL : source;
}

static bool is_trace(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISREG(st.st_mode) && source_of(path);
}

/* A timeline is of one trace: which of them is for the user to say. */
static int fail_several(const char *directory, const struct paths *paths, struct lode_error *err)
{
	enum { SHOWN = 5 };
	char list[400] = "";

	for (size_t i = 0; i < paths->at.n && i < SHOWN; i++) {
		size_t used = strlen(list);

		snprintf(list + used, sizeof(list) - used, "%s%.40s (%.20s)", i ? ", " : "",
			 strrchr(paths->at.at[i], '/') + 1, source_of(paths->at.at[i])->name);
	}
	return lode_fail(err, LODE_ERR_ARG, directory, -1,
			 "holds %zu traces; name one of them: %s%s", paths->at.n, list,
			 paths->at.n > SHOWN ? ", ..." : "");
}

/* A directory of files, of which one is a trace. */
static int read_only_trace(const char *directory, const struct lode_call_options *options,
			   struct lode_call_sink *sink, struct lode_error *err)
{
	struct paths paths = {0};
	int rc = list_files(&paths, directory, is_trace, err);

	if (rc == LODE_OK && paths.at.n == 1)
		rc = read_file(paths.at.at[0], options, sink, err);
	else if (rc == LODE_OK && paths.at.n > 1)
		rc = fail_several(directory, &paths, err);
	else if (rc == LODE_OK)
		rc = lode_fail(err, LODE_ERR_FORMAT, directory, -1,
			       "none of its files is a trace of calls that lode reads, and it is "
			       "no uftrace data (a file `info`)");
	release_paths(&paths);
	return rc;
}

static int read_directory(const char *directory, const struct lode_call_options *options,
			  struct lode_call_sink *sink, struct lode_error *err)
{
	struct paths paths = {0};
	int rc;

	if (lode_uftrace_recognise(directory))
		return lode_uftrace_read(directory, options, sink, err);
	rc = list_files(&paths, directory, is_nonsequitur, err);
	if (rc == LODE_OK && paths.at.n)
		rc = lode_nonsequitur_read_files(paths.at.at, paths.at.n, options, sink, err);
	else if (rc == LODE_OK)
		rc = read_only_trace(directory, options, sink, err);
	release_paths(&paths);
	return rc;
}

static int read_any(const char *path, const struct lode_call_options *options,
		    struct lode_call_sink *sink, struct lode_error *err)
{
	return is_directory(path) ? read_directory(path, options, sink, err)
				  : read_file(path, options, sink, err);
}

int lode_calls_read(const char *path, const struct lode_call_options *options,
		    struct lode_call_sink *sink, struct lode_error *err)
{
	struct lode_thread_names names;
	int rc;

	if (!options->thread_names)
		return read_any(path, options, sink, err);
	rc = lode_thread_names_open(&names, options->thread_names, sink, err);
	if (rc == LODE_OK)
		rc = read_any(path, options, &names.sink, err);
	lode_thread_names_release(&names);
	return rc;
}

/* ---- Recognising ---- */

static int recognise_directory(const char **out, const char *path, struct lode_error *err)
{
	struct paths paths = {0};
	int rc = LODE_OK;

	if (lode_uftrace_recognise(path)) {
		*out = "uftrace";
		return LODE_OK;
	}
	rc = list_files(&paths, path, is_nonsequitur, err);
	if (rc == LODE_OK && paths.at.n)
		*out = lode_call_source_nonsequitur.name;
	release_paths(&paths);
	return rc;
}

int lode_calls_recognise(const char **out, const char *path, struct lode_error *err)
{
	const struct lode_call_source *source;
	int rc;

	*out = NULL;
	if (is_directory(path))
		return recognise_directory(out, path, err);
	rc = find_source(&source, path, err);
	if (source)
		*out = source->name;
	return rc;
}
