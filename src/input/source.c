/* Recognises the format of a file and reads it as a recording. */
#include "input/source.h"

#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "input/bundle_notes.h"
#include "input/file_names.h"
#include "input/strangers.h"

int lode_stream_read(struct lode_stream **out, struct lode_input *input,
		     const struct lode_source_options *options, struct lode_error *err)
{
	const struct lode_format *format;
	uint8_t head[LODE_PEEK_BYTES];
	ssize_t n;
	int rc;

	*out = NULL;
	format = lode_format_peek(LODE_HOLDS_SAMPLES, input, head, &n, err);
	if (n < 0)
		return (int)n;
	if (!format)
		return lode_format_fail_unknown(LODE_HOLDS_SAMPLES, lode_input_path(input), head,
						(size_t)n, err);
	rc = format->load(out, input, options, err);
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

void lode_inputs_skip(struct lode_inputs *inputs, const char *path, const char *reason)
{
	struct lode_skipped skipped = {lode_strdup(path), lode_strdup(reason)};

	inputs->skipped =
		lode_realloc_n(inputs->skipped, inputs->n_skipped + 1, sizeof(*inputs->skipped));
	inputs->skipped[inputs->n_skipped++] = skipped;
}

typedef bool recogniser(const uint8_t *head, size_t size);

/* What is looked for beside recordings. */
struct wanted {
	recogniser *recognise; /* NULL: nothing */
	unsigned kinds;	       /* how files of it are named: enum lode_holds */
};

static void consider_head(struct lode_inputs *inputs, const char *path, const uint8_t *head,
			  size_t n, const struct wanted *wanted)
{
	unsigned kinds = LODE_HOLDS_SAMPLES | wanted->kinds;
	char text[400];

	if (n == 0)
		lode_inputs_skip(inputs, path, "the file is empty");
	else if (lode_format_find_unnamed(LODE_HOLDS_SAMPLES, head, n) ||
		 (wanted->recognise && wanted->recognise(head, n)))
		lode_vec_append(&inputs->paths, lode_strdup(path));
	else if (lode_file_unread_reason(text, sizeof(text), path, kinds, head, n))
		lode_inputs_skip(inputs, path, text);
	else
		inputs->n_other += !lode_file_is_companion(path);
}

/* "lode mine --json in >in/mined.json": the shell made it, and lode will write it. */
static bool is_stdout(const struct stat *st)
{
	struct stat out;

	return S_ISREG(st->st_mode) && fstat(STDOUT_FILENO, &out) == 0 &&
	       out.st_dev == st->st_dev && out.st_ino == st->st_ino;
}

static void consider(struct lode_inputs *inputs, const char *path, const struct wanted *wanted)
{
	struct lode_input *input;
	struct lode_error err;
	uint8_t head[LODE_PEEK_BYTES];
	const char *reason;
	struct stat st;
	ssize_t n;

	if (stat(path, &st)) {
		lode_inputs_skip(inputs, path, strerror(errno));
		return;
	}
	if (is_stdout(&st))
		return;
	if (!S_ISREG(st.st_mode)) {
		reason = lode_file_not_regular_reason(path, LODE_HOLDS_SAMPLES | wanted->kinds);
		if (reason)
			lode_inputs_skip(inputs, path, reason);
		return;
	}
	if (lode_input_open_found(&input, path, &err) < 0) {
		lode_inputs_skip(inputs, path, err.message);
		return;
	}
	n = lode_input_peek(input, head, sizeof(head), &err);
	if (n < 0)
		lode_inputs_skip(inputs, path, err.message);
	else
		consider_head(inputs, path, head, (size_t)n, wanted);
	lode_input_close(input);
}

static size_t count_folders(const lode_path_list *paths)
{
	size_t n = 0;
	struct stat st;

	for (size_t i = 0; i < paths->n; i++)
		n += stat(paths->at[i], &st) == 0 && S_ISDIR(st.st_mode);
	return n;
}

/* Users who give the directory above want those in it. */
static void skip_folder(struct lode_inputs *inputs, const char *path, const lode_path_list *paths)
{
	size_t n = count_folders(paths), n_path = strlen(path);
	char reason[400] = "no file in this directory is a recording";
	const char *stranger = lode_stranger_folder_words(path);

	if (stranger)
		snprintf(reason, sizeof(reason), "%s", stranger);
	else if (n)
		snprintf(reason, sizeof(reason),
			 "no file in this directory is a recording, and its %zu director%s not "
			 "searched; to read them, give %.200s%s*/",
			 n, n == 1 ? "y was" : "ies were", path,
			 path[n_path - 1] == '/' ? "" : "/");
	lode_inputs_skip(inputs, path, reason);
}

/* Its files, and its bundles: each is one recording. */
static void expand_folder(struct lode_inputs *inputs, const char *path, const struct wanted *wanted)
{
	size_t n_before = inputs->paths.n, n_skipped_before = inputs->n_skipped;
	lode_path_list paths = {0};
	struct lode_error err;

	if (lode_format_find_folder(path)) {
		lode_inputs_skip(inputs, path, "a trace of function calls: use 'lode timeline'");
		return;
	}
	if (lode_folder_list(&paths, path, &err) < 0)
		lode_inputs_skip(inputs, path, err.message);
	for (size_t i = 0; i < paths.n; i++) {
		if (lode_bundle_is(path) || !lode_bundle_is(paths.at[i]))
			consider(inputs, paths.at[i], wanted);
		else
			expand_folder(inputs, paths.at[i], wanted);
	}
	if (inputs->paths.n == n_before && inputs->n_skipped == n_skipped_before)
		skip_folder(inputs, path, &paths);
	lode_path_list_release(&paths);
}

static int expand_manifest(struct lode_inputs *inputs, const char *path, struct lode_error *err)
{
	struct lode_manifest manifest = {0};
	int rc = lode_manifest_read(&manifest, path, false, err);

	if (rc == 0 && !manifest.lines.n)
		lode_inputs_skip(inputs, path, "the manifest names no recording");
	while (inputs->lines.n < inputs->paths.n)
		lode_vec_append(&inputs->lines, NULL);
	for (size_t i = 0; rc == 0 && i < manifest.lines.n; i++) {
		lode_vec_append(&inputs->paths, lode_strdup(manifest.lines.at[i].path));
		lode_vec_append(&inputs->lines, &manifest.lines.at[i]);
	}
	lode_vec_append(&inputs->manifests, manifest);
	return rc;
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
	int rc = 0;

	memset(out, 0, sizeof(*out));
	for (size_t i = 0; rc == 0 && i < n; i++) {
		if (!*arguments[i])
			rc = lode_fail(err, LODE_ERR_ARG, NULL, -1, "an input has an empty name");
		else if (!strcmp(arguments[i], "-"))
			lode_vec_append(&out->paths, lode_strdup("-"));
		else if (stat(arguments[i], &st))
			lode_inputs_skip(out, arguments[i], strerror(errno));
		else if (S_ISDIR(st.st_mode))
			expand_folder(out, arguments[i], &wanted);
		else if (S_ISREG(st.st_mode) && lode_manifest_is(arguments[i]))
			rc = expand_manifest(out, arguments[i], err);
		else
			lode_vec_append(&out->paths, lode_strdup(arguments[i]));
	}
	while (out->lines.n && out->lines.n < out->paths.n)
		lode_vec_append(&out->lines, NULL);
	if (rc < 0)
		lode_inputs_release(out);
	return rc;
}

void lode_inputs_release(struct lode_inputs *inputs)
{
	lode_path_list_release(&inputs->paths);
	lode_vec_release(&inputs->lines);
	lode_vec_release_each(&inputs->manifests, it, lode_manifest_release(it));
	for (size_t i = 0; i < inputs->n_skipped; i++) {
		free(inputs->skipped[i].path);
		free(inputs->skipped[i].reason);
	}
	free(inputs->skipped);
	memset(inputs, 0, sizeof(*inputs));
}
