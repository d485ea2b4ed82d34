/*
 * Errors: a status, a sentence, a place.
 *
 * A fallible call returns 0 (or 1 for "here is an item") or a negative lode_status, takes a
 * struct lode_error last and fills it only when it fails. A failed call has set *out = NULL and
 * leaves nothing to clean up. The library never prints; the command line does.
 */
#ifndef LODE_ERROR_H
#define LODE_ERROR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum lode_status {
	LODE_OK = 0,
	LODE_ERR_IO = -1,	   /* the operating system said no */
	LODE_ERR_FORMAT = -2,	   /* bytes that the format does not allow */
	LODE_ERR_TRUNCATED = -3,   /* the input ends before the format does */
	LODE_ERR_UNSUPPORTED = -4, /* valid, but not something lode reads */
	LODE_ERR_LIMIT = -5,	   /* a stated bound would be exceeded */
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

/*
 * Fills `err` (which may be NULL) and returns `status`, so that a caller can write
 * `return lode_fail(...)`. `path` may be NULL. The message says what was expected, what was found.
 */
int lode_fail(struct lode_error *err, enum lode_status status, const char *path, int64_t offset,
	      const char *format, ...) __attribute__((format(printf, 5, 6)));

/* As lode_fail, with a line number for the place. */
int lode_fail_line(struct lode_error *err, enum lode_status status, const char *path, int64_t line,
		   const char *format, ...) __attribute__((format(printf, 5, 6)));

/* LODE_ERR_IO with the text of `errnum` behind the message. */
int lode_fail_errno(struct lode_error *err, int errnum, const char *path, const char *what);

/* Puts the caller's purpose before the message: "reading build-ids: ...". */
void lode_error_context(struct lode_error *err, const char *purpose);

/* One line for people: "a.data: offset 0x1f40: sample is 12 bytes, its type needs 24". */
const char *lode_error_text(const struct lode_error *err, char *buffer, size_t size);

#endif
