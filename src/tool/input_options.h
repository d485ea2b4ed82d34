/*
 * Options that all commands which read recordings share: where symbols are, what is read, with how
 * much of the machine.
 */
#pragma once

#include "tool/option_values.h"
#include "streams/digest_job.h"
#include "input/source.h"

struct lode_input_options {
	struct lode_symbol_options symbols;
	struct lode_time_span span;
	int32_t cpu;
	int folded_kind; /* enum lode_event_kind */
	const char *unit;
	unsigned n_threads;
	size_t memory_bytes;
};

void lode_input_options_init(struct lode_input_options *options);
struct lode_narrow lode_input_options_narrow(const struct lode_input_options *options);
/* A job's options, as far as these say them. */
struct lode_digest_job_options lode_input_options_job(const struct lode_input_options *options);

extern const char *const lode_kind_choices[]; /* in the order of enum lode_event_kind */

/* Entries of an option table; `at` is the offset of struct lode_input_options in the values. */
#define LODE_SPAN_OPTIONS(at)                                                                      \
	LODE_OPTION("time", "FROM,TO", lode_set_span,                                              \
		    (at) + offsetof(struct lode_input_options, span),                              \
		    "read only this time range: times on the recording's own clock in ns or with " \
		    "a unit, or +1.5s relative to its first record; either end may be empty",      \
		    .group = "Input"),                                                             \
		LODE_OPTION("cpu", "N", lode_set_id,                                               \
			    (at) + offsetof(struct lode_input_options, cpu),                       \
			    "read only what ran on CPU N: running time without waits")

#define LODE_NARROW_OPTIONS(at)                                                                    \
	LODE_SPAN_OPTIONS(at),                                                                     \
		LODE_OPTION(                                                                       \
			"kind", "KIND", lode_set_choice,                                           \
			(at) + offsetof(struct lode_input_options, folded_kind),                   \
			"kind of time that folded stacks count: run, wait or ready (default run)", \
			.choices = lode_kind_choices),                                             \
		LODE_OPTION("unit", "NAME", lode_set_text,                                         \
			    (at) + offsetof(struct lode_input_options, unit),                      \
			    "unit of folded stacks: ns is shown as time, anything else as plain "  \
			    "numbers (default samples)")

#define LODE_SYMBOL_OPTIONS(at)                                                                   \
	LODE_OPTION("kallsyms", "FILE", lode_set_text,                                            \
		    (at) + offsetof(struct lode_input_options, symbols.kallsyms),                 \
		    "kernel symbols: a copy of /proc/kallsyms from the recorded machine",         \
		    .file = LODE_FILE_READ, .group = "Symbols"),                                  \
		LODE_OPTION("buildid-dir", "DIR", lode_set_text,                                  \
			    (at) + offsetof(struct lode_input_options, symbols.buildid_dir),      \
			    "folder of files by build-id, in perf's layout (default: symbols/ "   \
			    "beside the recording, then ~/.debug)",                               \
			    .file = LODE_FILE_READ),                                              \
		LODE_OPTION(                                                                      \
			"symfs", "DIR", lode_set_text,                                            \
			(at) + offsetof(struct lode_input_options, symbols.symfs),                \
			"look up programs and libraries below DIR, the root of another machine",  \
			.file = LODE_FILE_READ),                                                  \
		LODE_OPTION("debuginfod", "TIME", lode_set_some_time,                             \
			    (at) + offsetof(struct lode_input_options, symbols.debuginfod_ns),    \
			    "download missing symbols from the servers in $DEBUGINFOD_URLS, for " \
			    "at most TIME in total (default: no downloads)"),                     \
		LODE_FLAG("inline",                                                               \
			  (at) + offsetof(struct lode_input_options, symbols.want_inlined),       \
			  "show inlined functions as frames (slower: reads debug information)"),  \
		LODE_FLAG("no-demangle",                                                          \
			  (at) + offsetof(struct lode_input_options, symbols.keep_mangled),       \
			  "do not demangle C++ and Rust names")

#define LODE_MACHINE_OPTIONS(at)                                                          \
	LODE_OPTION("threads", "N", lode_set_unsigned,                                    \
		    (at) + offsetof(struct lode_input_options, n_threads),                \
		    "use N threads (default: all CPUs); the result does not depend on N", \
		    .letter = 'j', .is_aside = true, .group = "Machine"),                 \
		LODE_MEMORY_OPTION((at) + offsetof(struct lode_input_options, memory_bytes))
