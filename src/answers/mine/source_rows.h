/*
 * What lode_mine_source_make makes. Inside of answers/mine/source*.c.
 */
#pragma once

#include "answers/clusters/code_costs.h"
#include "answers/mine/source.h"
#include "input/symbols/listing.h"

/* All are LODE_NO_INT where nothing was spent. */
struct lode_source_cost {
	int64_t exclusive_ns, inclusive_ns;
	int64_t running_ns, waiting_ns, ready_ns; /* of the inclusive one */
};

struct lode_source_line_row {
	uint32_t line;
	const char *text; /* NULL: the file is not here, or has fewer lines */
	struct lode_source_cost cost;
};

struct lode_source_file_row {
	const char *path;    /* as recorded */
	const char *found;   /* whose text is shown; NULL: none */
	const char *missing; /* why there is no text; NULL: there is */
	bool is_newer;	     /* than the program */
	struct lode_source_line_row *lines;
	size_t n_lines, n_more; /* left out, though they cost something */
	int64_t inclusive_ns;
};

struct lode_source_instruction_row {
	const char *address, *text;
	uint32_t file, line; /* LODE_NONE; 0: not known */
	struct lode_source_cost cost;
};

struct lode_source_code_row {
	const char *module, *start;
	const char *missing; /* why there is no code; NULL: there is */
	struct lode_source_instruction_row *instructions;
	size_t n_instructions, n_more;
	struct lode_source_cost cost;
};

/* A recording in which the function costs something. */
struct lode_source_stream_row {
	const struct lode_digest_stream *stream;
	uint32_t number;
	const struct lode_repo_label *labels;
	size_t n_labels;
	int64_t exclusive_ns, inclusive_ns;
};

struct lode_mine_source {
	const struct lode_digest *digest;
	const char *unit, *function, *no_lines;
	const struct lode_digest_stream *stream;
	uint32_t number;
	size_t n_streams;			   /* in which the function costs something */
	int64_t symptom_ns, all_ns;		   /* all_ns: inclusive, in all recordings */
	struct lode_source_stream_row *recordings; /* the costliest first, so many of n_streams */
	size_t n_recordings, n_more_recordings;
	struct lode_source_cost cost, unplaced;
	struct lode_source_file_row *files;
	size_t n_files;
	struct lode_source_code_row *code;
	size_t n_code, n_more_code;
	const struct lode_source_dirs *dirs; /* while it is made */

	struct lode_arena arena;
	LODE_VEC(struct lode_source_text) texts; /* of the files; their bytes are not in `arena` */
};

struct lode_source_cost lode_source_cost_of(const struct lode_code_cost *cost);

/* An address of the function, with what its module's file says of it. */
struct lode_source_point {
	struct lode_listing *listing;
	const struct lode_dso *dso;
	uint32_t level;
	bool is_found;
	struct lode_listing_place place;
	struct lode_code_cost cost;
};
typedef LODE_VEC(struct lode_source_point) lode_source_points;

/* Fill `files` and `code`. */
void lode_source_make_files(struct lode_mine_source *source, const lode_source_points *points);
void lode_source_make_code(struct lode_mine_source *source, const lode_source_points *points);
