/*
 * One line of a text of entries and exits. Pure functions on text.
 */
#pragma once

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
