#include "sources/source.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/mem.h"
#include "sources/file_names.h"

/* Asked in this order: the first has a magic number, the last accepts the most. */
static const struct lode_source *const sources[] = {
	&lode_source_perf,
	&lode_source_script,
	&lode_source_folded,
};

#define N_SOURCES (sizeof(sources) / sizeof(*sources))

static const struct lode_source *recognise(const uint8_t *head, size_t size)
{
	for (size_t i = 0; i < N_SOURCES; i++)
		if (sources[i]->recognise(head, size))
			return sources[i];
	return NULL;
}

int lode_stream_read(struct lode_stream **out, struct lode_input *input,
		     const struct lode_source_options *options, struct lode_error *err)
{
	const struct lode_source *source;
	uint8_t head[LODE_PEEK_BYTES];
	ssize_t n = lode_input_peek(input, head, sizeof(head), err);
	int rc;

	*out = NULL;
	if (n < 0)
		return (int)n;
	if (n == 0)
		return lode_fail(err, LODE_ERR_FORMAT, lode_input_path(input), 0,
				 "the file is empty: nothing was recorded, or it was not copied");
	source = recognise(head, (size_t)n);
	if (!source)
		return lode_fail(err, LODE_ERR_FORMAT, lode_input_path(input), 0,
				 "this is none of: perf.data, perf script text, folded stacks "
				 "(plain, .zst, .gz or .xz)");
	rc = source->load(out, input, options, err);
	if (rc == 0)
		(*out)->content_bytes = lode_input_content_bytes(input);
	return rc;
}

int lode_stream_load(struct lode_stream **out, const char *path,
		     const struct lode_source_options *options, struct lode_error *err)
{
	struct lode_input *input;
	int rc = lode_input_open(&input, path, err);

	*out = NULL;
	if (rc < 0)
		return rc;
	rc = lode_stream_read(out, input, options, err);
	lode_input_close(input);
	return rc;
}

/* ---- Arguments -> files ---- */

static void skip(struct lode_inputs *inputs, const char *path, const char *reason)
{
	struct lode_skipped skipped = {lode_strdup(path), lode_strdup(reason)};

	inputs->skipped =
		lode_realloc_n(inputs->skipped, inputs->n_skipped + 1, sizeof(*inputs->skipped));
	inputs->skipped[inputs->n_skipped++] = skipped;
}

/* A ';' to count: many tables end their lines in numbers. */
bool lode_stream_recognise(const uint8_t *head, size_t size)
{
	const struct lode_source *source = recognise(head, size);

	if (source == &lode_source_folded)
		return memchr(head, ';', size) != NULL;
	return source != NULL;
}

typedef bool recogniser(const uint8_t *head, size_t size);

/* What is looked for beside recordings. */
struct wanted {
	recogniser *recognise; /* NULL: nothing */
	unsigned kinds;	       /* how files of it are named: enum lode_named_kind */
};

static void consider_head(struct lode_inputs *inputs, const char *path, const uint8_t *head,
			  size_t n, const struct wanted *wanted)
{
	unsigned kinds = LODE_NAMED_RECORDING | wanted->kinds;
	char text[400];

	if (n == 0)
		skip(inputs, path, "the file is empty");
	else if (lode_stream_recognise(head, n) ||
		 (wanted->recognise && wanted->recognise(head, n)))
		lode_vec_append(&inputs->paths, lode_strdup(path));
	else if (lode_file_unread_reason(text, sizeof(text), path, kinds, head, n))
		skip(inputs, path, text);
	else
		inputs->n_other += !lode_file_is_companion(path);
}

static void consider(struct lode_inputs *inputs, const char *path, const struct wanted *wanted)
{
	struct lode_input *input;
	struct lode_error err;
	uint8_t head[LODE_PEEK_BYTES];
	struct stat st;
	ssize_t n;

	if (stat(path, &st)) {
		skip(inputs, path, strerror(errno));
		return;
	}
	if (!S_ISREG(st.st_mode))
		return;
	if (lode_input_open(&input, path, &err) < 0) {
		skip(inputs, path, err.message);
		return;
	}
	n = lode_input_peek(input, head, sizeof(head), &err);
	if (n < 0)
		skip(inputs, path, err.message);
	else
		consider_head(inputs, path, head, (size_t)n, wanted);
	lode_input_close(input);
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static char *join(const char *dir, const char *name)
{
	size_t n_dir = strlen(dir), n_name = strlen(name) + 1;
	bool needs_slash = n_dir && dir[n_dir - 1] != '/';
	char *path = lode_alloc(n_dir + needs_slash + n_name);

	memcpy(path, dir, n_dir);
	if (needs_slash)
		path[n_dir] = '/';
	memcpy(path + n_dir + needs_slash, name, n_name);
	return path;
}

/* Hidden files are nobody's recordings. */
static void expand_dir(struct lode_inputs *inputs, const char *path, const struct wanted *wanted)
{
	size_t n_before = inputs->paths.n, n_skipped_before = inputs->n_skipped;
	LODE_VEC(char *) names = {0};
	struct dirent *entry;
	DIR *dir = opendir(path);

	if (!dir) {
		skip(inputs, path, strerror(errno));
		return;
	}
	while ((entry = readdir(dir)))
		if (entry->d_name[0] != '.')
			lode_vec_append(&names, join(path, entry->d_name));
	closedir(dir);
	if (names.n)
		qsort(names.at, names.n, sizeof(*names.at), by_name);
	for (size_t i = 0; i < names.n; i++) {
		consider(inputs, names.at[i], wanted);
		free(names.at[i]);
	}
	lode_vec_release(&names);
	if (inputs->paths.n == n_before && inputs->n_skipped == n_skipped_before)
		skip(inputs, path, "no file in this directory is a recording");
}

int lode_inputs_expand(struct lode_inputs *out, char *const *arguments, size_t n,
		       struct lode_error *err)
{
	return lode_inputs_expand_with(out, arguments, n, NULL, 0, err);
}

int lode_inputs_expand_with(struct lode_inputs *out, char *const *arguments, size_t n,
			    recogniser *is_wanted, unsigned kinds, struct lode_error *err)
{
	struct wanted wanted = {is_wanted, kinds};
	struct stat st;

	memset(out, 0, sizeof(*out));
	for (size_t i = 0; i < n; i++) {
		if (!*arguments[i]) {
			lode_inputs_release(out);
			return lode_fail(err, LODE_ERR_ARG, NULL, -1, "an input has an empty name");
		}
		if (!strcmp(arguments[i], "-"))
			lode_vec_append(&out->paths, lode_strdup("-"));
		else if (stat(arguments[i], &st))
			skip(out, arguments[i], strerror(errno));
		else if (S_ISDIR(st.st_mode))
			expand_dir(out, arguments[i], &wanted);
		else
			lode_vec_append(&out->paths, lode_strdup(arguments[i]));
	}
	return 0;
}

void lode_inputs_release(struct lode_inputs *inputs)
{
	for (size_t i = 0; i < inputs->paths.n; i++)
		free(inputs->paths.at[i]);
	lode_vec_release(&inputs->paths);
	for (size_t i = 0; i < inputs->n_skipped; i++) {
		free(inputs->skipped[i].path);
		free(inputs->skipped[i].reason);
	}
	free(inputs->skipped);
	memset(inputs, 0, sizeof(*inputs));
}
