/*
 * Errors (include/lode/error.h), and how they are made. The library never prints; the command line
 * does.
 */
#pragma once

#include <lode/error.h>

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
