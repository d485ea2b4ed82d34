/*
 * The formats that lode reads: how each is recognised, by content, and what reads it.
 * LODE_FORMATS is the only list of them.
 *
 *	file's first bytes --> format --> load            samples, waits     input/source.h
 *	                              --> read_calls      entries and exits  input/call_source.h
 *	                              --> read_counters   counters counters/counter_source.h
 *	                              --> read_requests   requests           log/request_source.h
 *
 * A format may hold several of these: a recording of perf has samples, and its system calls are
 * calls.
 */
#pragma once

#include "base/folder.h"
#include "base/input.h"

struct lode_stream;
struct lode_source_options;
struct lode_call_options;
struct lode_call_sink;
struct lode_counter_reader;
struct lode_request_sink;
struct lode_log_options;
struct lode_log_facts;
struct lode_build_ids;

/* Sets of what is looked for. */
enum lode_holds {
	LODE_HOLDS_SAMPLES = 1,
	LODE_HOLDS_CALLS = 2,
	LODE_HOLDS_COUNTERS = 4,
	LODE_HOLDS_REQUESTS = 8,
	LODE_HOLDS_DIGEST = 16, /* lode's own, no format of these (input/file_names.h) */
};

struct lode_format {
	const char *name;  /* "perf.data", "XRay" */
	const char *words; /* in messages that list what could be read; NULL: as `name` */

	/* Looks at the first bytes only. NULL: a format of folders. */
	bool (*recognise)(const uint8_t *head, size_t size);
	/* The same for a file that the user did not name; NULL: as `recognise`. */
	bool (*recognise_unnamed)(const uint8_t *head, size_t size);
	/* A folder that is one input; NULL: none is. */
	bool (*recognise_folder)(const char *path);

	/* What files of it are called, ends with NULL; a file that is named so and not recognised
	   is damaged. What that is, and what it should begin with, in words. */
	const char *const *globs;
	const char *named, *begins;

	/* Readers; NULL: it holds none of that. What is sound of a damaged input is given, with its
	   losses; only an input of which nothing is usable fails. */
	int (*load)(struct lode_stream **out, struct lode_input *input,
		    const struct lode_source_options *options, struct lode_error *err);
	int (*read_calls)(struct lode_input *input, const struct lode_call_options *options,
			  struct lode_call_sink *sink, struct lode_error *err);
	int (*read_calls_of_folder)(const char *path, const struct lode_call_options *options,
				    struct lode_call_sink *sink, struct lode_error *err);
	/* Files of one folder that are threads of one trace. */
	int (*read_calls_of_files)(char *const *paths, size_t n,
				   const struct lode_call_options *options,
				   struct lode_call_sink *sink, struct lode_error *err);
	int (*read_counters)(struct lode_counter_reader *reader, struct lode_error *err);
	/* Host and build-ids of a recording, without its events (input/symbols/build_ids.h). */
	int (*read_build_ids)(struct lode_input *input, struct lode_build_ids *out,
			      struct lode_error *err);
	int (*read_requests)(const struct lode_request_sink *sink, const char *path,
			     const struct lode_log_options *options, struct lode_log_facts *facts,
			     struct lode_error *err);
};

/* All of them. Asked in this order: magic numbers first, then what accepts the most. */
#define LODE_FORMATS(each)                                                                   \
	each(xray) each(perf) each(script) each(exposition) each(folded) each(sar) each(pcp) \
		each(sadf) each(counter_json) each(counter_table) each(log) each(uftrace)    \
			each(chrome) each(chrome_counters) each(graph) each(nonsequitur)     \
				each(csv_calls)

#define LODE_DECLARE_FORMAT(name) extern const struct lode_format lode_format_##name;
LODE_FORMATS(LODE_DECLARE_FORMAT)

/* Ends with NULL. */
extern const struct lode_format *const lode_formats[];

/* A set of enum lode_holds. */
unsigned lode_format_holds(const struct lode_format *format);

/* The first format that holds any of `kinds` and recognises head[0..size); NULL: none does. */
const struct lode_format *lode_format_find(unsigned kinds, const uint8_t *head, size_t size);
/* The same for a file of a folder, which the user did not name. */
const struct lode_format *lode_format_find_unnamed(unsigned kinds, const uint8_t *head,
						   size_t size);
/* That of an input that the user named, by its beginning: by all of it that can be looked at where
   the usual part is not enough, as with a long preamble. `*n`: bytes in `head`, or an error. */
const struct lode_format *lode_format_peek(unsigned kinds, struct lode_input *input,
					   uint8_t head[LODE_PEEK_BYTES], ssize_t *n,
					   struct lode_error *err);
/* The format of a folder that is one input; NULL: it is a folder of inputs, or none. */
const struct lode_format *lode_format_find_folder(const char *path);

/* The formats that hold `kinds`, in words: "perf.data, folded stacks (plain, .zst, .gz or .xz)". */
const char *lode_format_words(char *buffer, size_t size, unsigned kinds);
/* Fails: a file is none of the formats that hold `kinds`, which are listed. */
int lode_format_fail_unknown(unsigned kinds, const char *path, const uint8_t *head, size_t size,
			     struct lode_error *err);
