#include "job/survey.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/input.h"
#include "sources/call_source.h"
#include "sources/counters/counter_source.h"
#include "sources/file_names.h"
#include "sources/log/request_source.h"
#include "sources/source.h"
#include "sources/uftrace/uftrace.h"
#include "store/digest_file.h"
#include "store/timeline_file.h"

static const char bundle_suffix[] = ".lode";

static bool ends_in(const char *text, const char *end)
{
	size_t n = strlen(text), n_end = strlen(end);

	return n >= n_end && strcmp(text + n - n_end, end) == 0;
}

bool lode_survey_is_bundle(const char *path)
{
	return ends_in(path, bundle_suffix);
}

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
static enum lode_survey_kind kind_of(const char *path, const uint8_t *head, size_t n)
{
	const char *calls = NULL;

	if (begins_page(head, n))
		return LODE_SURVEY_PAGE;
	if (is_model(head, n))
		return LODE_SURVEY_MODEL;
	if (lode_timeline_recognise(head, n))
		return LODE_SURVEY_CALLS;
	if (lode_digest_recognise(head, n) || lode_stream_recognise(head, n))
		return LODE_SURVEY_RECORDING;
	if (lode_counters_recognise(head, n))
		return LODE_SURVEY_COUNTERS;
	if (lode_requests_recognise(head, n))
		return LODE_SURVEY_REQUESTS;
	if (lode_calls_recognise(&calls, path, NULL) == LODE_OK && calls)
		return LODE_SURVEY_CALLS;
	return LODE_SURVEY_OTHER;
}

static enum lode_survey_kind kind_of_file(const char *path, struct lode_error *err)
{
	static const unsigned named_kinds =
		LODE_NAMED_RECORDING | LODE_NAMED_DIGEST | LODE_NAMED_CALLS;
	enum lode_survey_kind kind = LODE_SURVEY_OTHER;
	uint8_t head[LODE_PEEK_BYTES];
	struct lode_input *input;
	char reason[400];
	ssize_t n;

	err->status = LODE_OK;
	if (lode_input_open(&input, path, err) < 0)
		return LODE_SURVEY_OTHER;
	n = lode_input_peek(input, head, sizeof(head), err);
	lode_input_close(input);
	if (n > 0)
		kind = kind_of(path, head, (size_t)n);
	if (kind == LODE_SURVEY_OTHER && n >= 0 &&
	    lode_file_unread_reason(reason, sizeof(reason), path, named_kinds, head, (size_t)n))
		lode_fail(err, LODE_ERR_FORMAT, path, 0, "%s", reason);
	return kind;
}

enum lode_survey_kind lode_survey_one(const char *path, struct lode_error *err)
{
	struct stat st;

	err->status = LODE_OK;
	if (stat(path, &st) < 0) {
		lode_fail_errno(err, errno, path, "cannot open");
		return LODE_SURVEY_OTHER;
	}
	if (S_ISREG(st.st_mode))
		return kind_of_file(path, err);
	if (S_ISDIR(st.st_mode) && ends_in(path, bundle_suffix))
		return LODE_SURVEY_RECORDING;
	return S_ISDIR(st.st_mode) && lode_uftrace_recognise(path) ? LODE_SURVEY_CALLS
								   : LODE_SURVEY_OTHER;
}

static void cannot_open(struct lode_survey *survey, const char *path, const char *reason)
{
	struct lode_survey_unread unread = {
		.path = lode_arena_strndup(&survey->arena, path, strlen(path)),
		.reason = lode_arena_strndup(&survey->arena, reason, strlen(reason)),
	};

	lode_vec_append(&survey->unread, unread);
}

static bool is_output(const struct lode_survey *survey, const char *path)
{
	struct stat output, st;

	return survey->output && stat(survey->output, &output) == 0 && stat(path, &st) == 0 &&
	       st.st_dev == output.st_dev && st.st_ino == output.st_ino;
}

/* What somebody named is not passed over without a word. */
static void add(struct lode_survey *survey, size_t folder, const char *path, bool is_named)
{
	enum lode_survey_kind kind;
	struct lode_error err;

	if (is_output(survey, path))
		return;
	kind = lode_survey_one(path, &err);
	survey->n_files++;
	if (kind != LODE_SURVEY_OTHER)
		lode_vec_append(&survey->folders.at[folder].of[kind],
				lode_arena_strndup(&survey->arena, path, strlen(path)));
	else if (err.status < 0)
		cannot_open(survey, path, err.message);
	else if (is_named)
		cannot_open(survey, path, "this is nothing that lode reads");
	else
		survey->n_other++;
}

static size_t new_folder(struct lode_survey *survey, const char *path)
{
	struct lode_survey_folder folder = {
		.path = lode_arena_strndup(&survey->arena, path, strlen(path))};

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

static int by_name(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

/* Its files first, then its folders, each by name. */
static void walk(struct lode_survey *survey, const char *path, unsigned depth)
{
	struct dirent **entries = NULL;
	int n = scandir(path, &entries, NULL, by_name);
	size_t folder = new_folder(survey, path);

	for (int pass = 0; pass < 2; pass++)
		for (int i = 0; i < n; i++) {
			const char *name = entries[i]->d_name;
			size_t size = strlen(path) + strlen(name) + 2;
			char *full;
			bool is_walked;

			if (name[0] == '.')
				continue;
			full = lode_alloc(size);
			snprintf(full, size, "%s%s%s", path, ends_in(path, "/") ? "" : "/", name);
			is_walked = is_folder(full) && !ends_in(name, bundle_suffix) &&
				    !lode_uftrace_recognise(full);
			if (!is_walked && pass == 0)
				add(survey, folder, full, false);
			else if (is_walked && pass == 1 && depth < LODE_SURVEY_DEPTH &&
				 !is_symbols(name))
				walk(survey, full, depth + 1);
			free(full);
		}
	for (int i = 0; i < n; i++)
		free(entries[i]);
	free(entries);
}

void lode_survey(struct lode_survey *out, char *const *inputs, size_t n)
{
	size_t named = SIZE_MAX;

	for (size_t i = 0; i < n; i++) {
		struct stat st;

		if (stat(inputs[i], &st) == 0 && S_ISDIR(st.st_mode) &&
		    !lode_survey_is_bundle(inputs[i]) && !lode_uftrace_recognise(inputs[i])) {
			walk(out, inputs[i], 1);
			continue;
		}
		if (named == SIZE_MAX)
			named = new_folder(out, "");
		add(out, named, inputs[i], true);
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
