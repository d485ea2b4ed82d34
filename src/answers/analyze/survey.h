/*
 * What is there: files and folders of anything, sorted into what lode can do with them.
 *
 *   DIR/a.perf.data.zst  DIR/b.perf.data.zst   recordings: one set, they mine together
 *   DIR/run.xray                               function trace: a timeline of its own
 *   DIR/access.log  DIR/db.csv                 requests and counters: one service, one pio
 *   DIR/more/...                               a folder of its own, with sets of its own
 *
 * The format is recognised by content. Bundles of `lode record` (NAME.lode) are recordings of the
 * folder that they stand in. A file that is named like one of these, and is none, is listed as one
 * that cannot be read. Other files are counted, never an error: a folder may hold anything.
 */
#pragma once

#include "base/folder.h"

enum lode_survey_kind {
	LODE_SURVEY_RECORDING, /* perf.data, perf script, folded stacks; digests; bundles */
	LODE_SURVEY_CALLS,     /* a function trace, or an index of one */
	LODE_SURVEY_REQUESTS,
	LODE_SURVEY_COUNTERS,
	LODE_SURVEY_MODEL, /* of lode pio */
	LODE_SURVEY_PAGE,  /* reports that were written with --html */
	LODE_N_SURVEY_KINDS,
	LODE_SURVEY_OTHER = LODE_N_SURVEY_KINDS,
};

struct lode_survey_folder {
	const char *path; /* of the folder; "" for files that were named one by one */
	lode_path_list of[LODE_N_SURVEY_KINDS]; /* by name */
};

struct lode_survey_unread {
	const char *path, *reason;
};

struct lode_survey {
	LODE_VEC(struct lode_survey_folder) folders; /* in order of the inputs, then by name */
	size_t n_files, n_other;		     /* looked at; of no use */
	LODE_VEC(struct lode_survey_unread) unread;  /* cannot be opened, or is damaged */
	/* Set before, or NULL: a file that will be written, no input although it may be there. */
	const char *output;
	struct lode_arena arena;
};

/* LIMIT: folders below each other; deeper ones are not looked at. */
enum { LODE_SURVEY_DEPTH = 8 };

/* `{ 0 }` before, but for `output`; the caller's to release. What is not there is among those not
 * read. */
void lode_survey(struct lode_survey *out, char *const *inputs, size_t n);
void lode_survey_release(struct lode_survey *survey);
