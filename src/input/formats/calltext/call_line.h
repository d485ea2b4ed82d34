/*
 * One line of a text of entries and exits. Pure functions on text.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/calls.h"

struct lode_call_line {
	const char *function; /* points into the line; not NUL-terminated */
	size_t function_len;
	int64_t t_ns;
	enum lode_call_event_kind kind;
};

/* "0 read_page 1234": 0 enters, 1 leaves; one space between (docs/formats/nonsequitur.md). */
bool lode_call_parse_nonsequitur(struct lode_call_line *out, const char *line, size_t len);

/* "enter", "exit" and their like, whatever the case. */
bool lode_call_parse_kind(enum lode_call_event_kind *out, const char *text, size_t len);

/*
 * Splits comma-separated values (or tabs, or semicolons) in place: quotes go, doubled quotes become
 * one. Gives the number of fields, `max` + 1 if there are more, or 0 if a quote is not closed.
 */
struct lode_call_field {
	char *at;
	size_t len;
};
size_t lode_call_split(struct lode_call_field *fields, size_t max, char *line, size_t len,
		       char separator);
