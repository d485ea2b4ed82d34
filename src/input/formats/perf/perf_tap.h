/*
 * What the tap of a recording's events (model/tap.h) wants, as offsets into samples.
 */
#pragma once

#include "model/tap.h"

struct tep_event;

/* A field of a payload that the tap wants. */
struct lode_perf_tapped {
	uint16_t offset, size; /* size 0: not there */
	enum {
		LODE_PERF_UNSIGNED,
		LODE_PERF_SIGNED,
		LODE_PERF_TEXT,		 /* an array of char */
		LODE_PERF_TEXT_ELSEWHERE /* offset and length of the text */
	} how;
};

/* `{ 0 }` with id LODE_NONE: not wanted. */
struct lode_perf_tap {
	uint32_t id;
	bool wants_stack;
	uint8_t n_fields, found;
	uint16_t need; /* bytes that a payload must have */
	struct lode_perf_tapped field[LODE_TAP_FIELDS], text;
};

/* Asks `tap` about an event. `format`: of its tracepoint; NULL when it is not known. */
void lode_perf_tap_ask(struct lode_perf_tap *out, const struct lode_tap *tap,
		       const struct lode_tap_kind *kind, struct tep_event *format);

/* Bytes that lode_perf_tap_keep writes. */
static inline size_t lode_perf_tap_bytes(const struct lode_perf_tap *tap)
{
	return tap->n_fields * sizeof(uint64_t) + (tap->text.size ? LODE_TAP_TEXT_BYTES : 0);
}

/* Copies what is wanted of a payload, which has at least `need` bytes: values, then the text. */
void lode_perf_tap_keep(const struct lode_perf_tap *tap, const uint8_t *raw, size_t raw_bytes,
			uint8_t *to);
