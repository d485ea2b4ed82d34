/*
 * JSON as it is written: one document, streamed, pretty-printed.
 *
 * Times are integers; texts from traces become valid UTF-8 (a byte that is not turns into U+FFFD)
 * and are escaped. A stream that cannot be written shows in ferror(out), once, at the end.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct lode_json;

/* Starts a document. `schema` is "lode/<command>/1": the first field of its outermost object. */
struct lode_json *lode_json_open(FILE *out, const char *schema);
/* The same on one line, without its end: for streams of documents, a line each. */
struct lode_json *lode_json_open_line(FILE *out, const char *schema);
/* The same for formats that are not lode's: an object in which nothing stands yet. */
struct lode_json *lode_json_open_plain(FILE *out);
/* The same, pretty-printed. */
struct lode_json *lode_json_open_pretty(FILE *out);
/* Ends the outermost object and the line. */
void lode_json_close(struct lode_json *json);

/* A member of the object at hand; `key` NULL: an item of the array at hand. */
void lode_json_int(struct lode_json *json, const char *key, int64_t value);
void lode_json_text(struct lode_json *json, const char *key, const char *value);
void lode_json_bool(struct lode_json *json, const char *key, bool value);
/* 16 hex digits: ids are hashes, and numbers of 64 bits do not survive every reader. */
void lode_json_id(struct lode_json *json, const char *key, uint64_t id);
/* A ratio or a percentage, never a time. */
void lode_json_number(struct lode_json *json, const char *key, double value);
/* As lode_json_number, with all digits: of a quotient of counts, which is the same everywhere. */
void lode_json_exact(struct lode_json *json, const char *key, double value);
/* With as many digits as it takes to read the same number back; null if it is not finite. */
void lode_json_shortest(struct lode_json *json, const char *key, double value);
/* A time or length in microseconds, exact: 1234567 ns are 1234.567. */
void lode_json_microseconds(struct lode_json *json, const char *key, int64_t value_ns);
/* No value where there could be one. */
void lode_json_null(struct lode_json *json, const char *key);

void lode_json_object(struct lode_json *json, const char *key);
void lode_json_end_object(struct lode_json *json);
void lode_json_array(struct lode_json *json, const char *key);
void lode_json_end_array(struct lode_json *json);

/* A line feed before what comes next, which may be anything but a member's value: for documents
   that are not indented, and still have lines. */
void lode_json_break(struct lode_json *json);
