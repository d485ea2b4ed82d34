/*
 * Errors: a status, a sentence, a place.
 *
 * A fallible call returns LODE_OK or a negative lode_status, takes a struct lode_error last (which
 * may be NULL) and fills it only when it fails. A failed call has set *out = NULL and leaves
 * nothing to clean up. Nothing is ever printed.
 */
#ifndef LODE_PUBLIC_ERROR_H
#define LODE_PUBLIC_ERROR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum lode_status {
	LODE_OK = 0,
	LODE_ERR_IO = -1,	   /* the operating system said no */
	LODE_ERR_FORMAT = -2,	   /* bytes that the format does not allow */
	LODE_ERR_TRUNCATED = -3,   /* the input ends before the format does */
	LODE_ERR_UNSUPPORTED = -4, /* valid, but not something lode reads */
	LODE_ERR_LIMIT = -5,	   /* a stated bound would be exceeded, or memory is exhausted */
	LODE_ERR_ARG = -6,	   /* the caller's words are off */
	LODE_ERR_EMPTY = -7,	   /* there is nothing to answer from */
};

/* The offset is a byte offset in `path`, or a line when `is_line`; negative: no place. */
struct lode_error {
	enum lode_status status;
	bool is_line;
	int64_t offset;
	char path[512];
	char message[512];
};

/* One line for people: "a.data: offset 0x1f40: sample is 12 bytes, its type needs 24". */
const char *lode_error_text(const struct lode_error *err, char *buffer, size_t size);

#ifdef __cplusplus
}
#endif

#endif
