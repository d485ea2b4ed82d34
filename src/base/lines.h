/*
 * The lines of a text input, whatever wraps it. No allocation per line.
 *
 * LIMIT: a line is at most LODE_LINE_MAX_BYTES. A longer one is LODE_ERR_LIMIT: text with such
 * lines is mostly not text. The next call gives the line after it. A fault of
 * the input (cut compressed data) comes after all whole lines before it; the part of a line that
 * stands before the fault is not given.
 */
#pragma once

#include "base/input.h"
#include "base/mem.h"

#define LODE_LINE_MAX_BYTES ((size_t)4 << 20)

struct lode_lines {
	struct lode_input *input; /* borrowed */
	char *buffer;
	size_t size, at, end; /* buffer[at .. end) is not given yet */
	bool is_end;
	bool is_skipping; /* the rest of a line that is too long */
	int64_t number;	  /* of the line last given, from 1 */
	int64_t offset;	  /* where it starts in the (decompressed) text */
	int64_t next_offset;
	bool is_unended; /* it is the last one, without a line feed: maybe cut */
};

void lode_lines_init(struct lode_lines *lines, struct lode_input *input);
void lode_lines_release(struct lode_lines *lines);

/* Was that failure a line that is too long, so that others may follow? Its place is in `number` and
   `offset`. */
bool lode_lines_may_go_on(const struct lode_lines *lines);

/*
 * The next line, without its line feed (and the carriage return before that), NUL-terminated; it
 * may hold NUL bytes, and may be written to. Valid until the next call. 1, 0 at the end, or < 0.
 */
int lode_lines_next(struct lode_lines *lines, char **line, size_t *len, struct lode_error *err);

/* ---- In memory ---- */

/*
 * A part of a text file that is read as if it were one: its first `head_size` bytes are the first
 * lines of the file, repeated, and the others stand somewhere behind them.
 */
struct lode_text_part {
	const char *text;
	size_t size, head_size;
	/* How many lines stand between the two; may take long, and is asked only where a line is
	   to be named. NULL: none. */
	int64_t (*lines_between)(void *context);
	void *context;
};
/* The number in the file of the part's line `number` (from 1), which begins at `offset`. */
int64_t lode_text_part_line(const struct lode_text_part *part, int64_t offset, int64_t number);

/* The lines of a text, copied to the arena; empty ones are none, and NULL has none. */
const char **lode_lines_split(const char *text, size_t *n, struct lode_arena *arena);
/* Back again: separated by line feeds, in the arena. */
const char *lode_lines_join(const char *const *lines, size_t n, struct lode_arena *arena);
