/*
 * Counters in JSON as they stream in: bytes in, samples into the reader's log. Memory does not
 * depend on how many bytes there are. counter_reader.h has the way to read a whole file.
 *
 * Inside of input/formats/counters only.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct lode_counter_reader;
struct lode_counter_json;

/* Never NULL. One document; borrows the reader. */
struct lode_counter_json *lode_counter_json_new(struct lode_counter_reader *reader);
void lode_counter_json_free(struct lode_counter_json *parse);
/* False: these bytes, or earlier ones, are not JSON. What came before was taken. */
bool lode_counter_json_feed(struct lode_counter_json *parse, const void *bytes, size_t size);
/* The document ends here; false: inside of something. */
bool lode_counter_json_end(struct lode_counter_json *parse);
/* Where it stopped to be JSON, or how many bytes were. */
int64_t lode_counter_json_offset(const struct lode_counter_json *parse);
/* Prometheus' words when the document says "error", made harmless; NULL: it does not. */
const char *lode_counter_json_refusal(const struct lode_counter_json *parse);
