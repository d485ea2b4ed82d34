/*
 * Sources of function entries and exits: files and folders of any format lode reads -> a sink of
 * calls (model/calls.h). The format is recognised by content.
 *
 *   a file          XRay log (basic, flight data recorder), Chrome trace events (JSON),
 *                   function_graph text of ftrace, enters and exits as text or CSV;
 *                   perf.data and perf script text: system calls and waits as calls
 *   a directory     uftrace data; or text files of entries and exits, one per thread
 *
 * Files may be .zst, .gz or .xz; "-" is standard input.
 */
#pragma once

#include "model/calls.h"
#include "input/format.h"
#include "input/symbols/symbols.h"

struct lode_call_options {
	/* For XRay: the program (ELF with xray_instr_map) or a table "id <tab> [address <tab>]
	   name" that names function ids. NULL: functions are called "#id". */
	const char *symbols;
	/* A table "tid <tab> name", for formats without names of threads. NULL: none. */
	const char *thread_names;
	/* Chrome's trace events: a call's name with its args.detail, "Source /usr/include/stdio.h".
	 */
	bool with_details;
	struct lode_symboliser *symboliser; /* for perf.data only; borrowed. NULL: one is made as */
	struct lode_symbol_options symbol_options; /* say */
	unsigned n_threads;  /* that reading may use, the sink's caller included */
	size_t memory_bytes; /* bound of what is held at once; 0: 256 MiB */
	/* What was read so far, in bytes or files, of `size_bytes` (-1: not known); may be NULL.
	   Called on any thread. */
	void (*progress)(void *context, int64_t consumed_bytes, int64_t size_bytes);
	void *progress_context;
};

/*
 * Reads a whole trace into `sink`. Calls of the sink come one at a time, though not all from the
 * thread that called this when n_threads > 1. A trace that ends early or has bad records gives what
 * is sound, and losses (0); only one of which nothing is usable fails, or one whose sink failed.
 */
int lode_calls_read(const char *path, const struct lode_call_options *options,
		    struct lode_call_sink *sink, struct lode_error *err);
