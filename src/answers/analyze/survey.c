/* Sorts files and folders of any kind by what lode can do with them. */
#include "answers/analyze/survey.h"

#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>

#include "input/bundle_notes.h"
#include "input/file_names.h"
#include "input/format.h"
#include "store/digest_file.h"
#include "store/timeline_file.h"

static bool begins_page(const uint8_t *head, size_t n)
{
	static const char start[] = "<!doctype html>";

	return n >= strlen(start) && strncasecmp((const char *)head, start, strlen(start)) == 0;
}

static bool is_model(const uint8_t *head, size_t n)
{
	return *head == '{' && memmem(head, n, "\"lode/pio-model/", 16);
}

/* Those with magic numbers first; what accepts the most text comes last. */
static enum lode_survey_kind kind_of(const uint8_t *head, size_t n)
{
	static const struct {
		enum lode_holds holds;
		enum lode_survey_kind kind;
	} kinds[] = {
		{LODE_HOLDS_SAMPLES, LODE_SURVEY_RECORDING},
		{LODE_HOLDS_COUNTERS, LODE_SURVEY_COUNTERS},
		{LODE_HOLDS_REQUESTS, LODE_SURVEY_REQUESTS},
		{LODE_HOLDS_CALLS, LODE_SURVEY_CALLS},
	};

	if (begins_page(head, n))
		return LODE_SURVEY_PAGE;
	if (is_model(head, n))
		return LODE_SURVEY_MODEL;
	if (lode_timeline_recognise(head, n))
		return LODE_SURVEY_CALLS;
	if (lode_digest_recognise(head, n))
		return LODE_SURVEY_RECORDING;
	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		if (lode_format_find_unnamed(kinds[i].holds, head, n))
			return kinds[i].kind;
	return LODE_SURVEY_OTHER;
}

enum { NAMED_KINDS = LODE_HOLDS_SAMPLES | LODE_HOLDS_DIGEST | LODE_HOLDS_CALLS };

static enum lode_survey_kind kind_of_file(const char *path, struct lode_error *err)
{
	enum lode_survey_kind kind = LODE_SURVEY_OTHER;
	uint8_t head[LODE_PEEK_BYTES];
	struct lode_input *input;
	char reason[400];
	ssize_t n;

	err->status = LODE_OK;
	if (lode_input_open_found(&input, path, err) < 0)
		return LODE_SURVEY_OTHER;
	n = lode_input_peek(input, head, sizeof(head), err);
	lode_input_close(input);
	if (n > 0)
		kind = kind_of(head, (size_t)n);
	if (kind == LODE_SURVEY_OTHER && n >= 0 &&
	    lode_file_unread_reason(reason, sizeof(reason), path, NAMED_KINDS, head, (size_t)n))
		lode_fail(err, LODE_ERR_FORMAT, path, 0, "%s", reason);
	return kind;
}

static enum lode_survey_kind survey_one(const char *path, struct lode_error *err)
{
	const char *reason;
	struct stat st;

	err->status = LODE_OK;
	if (stat(path, &st) < 0) {
		lode_fail_errno(err, errno, path, "cannot open");
		return LODE_SURVEY_OTHER;
	}
	if (S_ISREG(st.st_mode))
		return kind_of_file(path, err);
	if (lode_bundle_is(path))
		return LODE_SURVEY_RECORDING;
	reason = lode_file_not_regular_reason(path, NAMED_KINDS);
	if (reason)
		lode_fail(err, LODE_ERR_FORMAT, path, -1, "%s", reason);
	return S_ISDIR(st.st_mode) && lode_format_find_folder(path) ? LODE_SURVEY_CALLS
								    : LODE_SURVEY_OTHER;
}

static void cannot_open(struct lode_survey *survey, const char *path, const char *reason)
{
	struct lode_survey_unread unread = {
		.path = lode_arena_strdup(&survey->arena, path),
		.reason = lode_arena_strdup(&survey->arena, reason),
	};

	lode_vec_append(&survey->unread, unread);
}

static bool is_output(const struct lode_survey *survey, const char *path)
{
	struct stat output, st;

	return survey->output && stat(survey->output, &output) == 0 && stat(path, &st) == 0 &&
	       st.st_dev == output.st_dev && st.st_ino == output.st_ino;
}

/* Skipped files that the user named are reported. */
static void add_survey(struct lode_survey *survey, size_t folder, const char *path, bool is_named)
{
	enum lode_survey_kind kind;
	struct lode_error err;

	if (is_output(survey, path))
		return;
	kind = survey_one(path, &err);
	survey->n_files++;
	if (kind != LODE_SURVEY_OTHER)
		lode_vec_append(&survey->folders.at[folder].of[kind],
				lode_arena_strdup(&survey->arena, path));
	else if (err.status < 0)
		cannot_open(survey, path, err.message);
	else if (is_named)
		cannot_open(survey, path, "unknown format");
	else
		survey->n_other++;
}

static size_t new_folder(struct lode_survey *survey, const char *path)
{
	struct lode_survey_folder folder = {.path = lode_arena_strdup(&survey->arena, path)};

	lode_vec_append(&survey->folders, folder);
	return survey->folders.n - 1;
}

static bool is_folder(const char *path)
{
	struct stat st;

	/* Links are not followed: they may lead in circles. */
	return lstat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

/* Folders that stand beside recordings and belong to them. */
static bool is_symbols(const char *name)
{
	return strcmp(name, "symbols") == 0;
}

/* Its files first, then its folders, each by name. */
static void walk_survey(struct lode_survey *survey, const char *path, unsigned depth)
{
	size_t folder = new_folder(survey, path);
	lode_path_list paths = {0};

	(void)lode_folder_list(&paths, path, NULL);
	for (int pass = 0; pass < 2; pass++)
		for (size_t i = 0; i < paths.n; i++) {
			const char *at = paths.at[i];
			bool is_walked = is_folder(at) && !lode_bundle_is(at) &&
					 !lode_format_find_folder(at);

			if (!is_walked && pass == 0)
				add_survey(survey, folder, at, false);
			else if (is_walked && pass == 1 && depth < LODE_SURVEY_DEPTH &&
				 !is_symbols(lode_path_base(at)))
				walk_survey(survey, at, depth + 1);
		}
	lode_path_list_release(&paths);
}

void lode_survey(struct lode_survey *out, char *const *inputs, size_t n)
{
	size_t named = SIZE_MAX;

	for (size_t i = 0; i < n; i++) {
		struct stat st;

		if (stat(inputs[i], &st) == 0 && S_ISDIR(st.st_mode) &&
		    !lode_bundle_is(inputs[i]) && !lode_format_find_folder(inputs[i])) {
			walk_survey(out, inputs[i], 1);
			continue;
		}
		if (named == SIZE_MAX)
			named = new_folder(out, "");
		add_survey(out, named, inputs[i], true);
	}
}

void lode_survey_release(struct lode_survey *survey)
{
	for (size_t i = 0; i < survey->folders.n; i++)
		for (int kind = 0; kind < LODE_N_SURVEY_KINDS; kind++)
			lode_vec_release(&survey->folders.at[i].of[kind]);
	lode_vec_release(&survey->folders);
	lode_vec_release(&survey->unread);
	lode_arena_release(&survey->arena);
}
