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
#define LODE_SPAN_OPTIONS(at)                                                                   \
	LODE_OPTION("time", "FROM,TO", lode_set_span,                                           \
		    (at) + offsetof(struct lode_input_options, span),                           \
		    "read only this span: ns or with a unit, on the recording's own clock, or " \
		    "+1.5s from its first record; either end may be empty",                     \
		    .group = "What is read"),                                                   \
		LODE_OPTION("cpu", "N", lode_set_id,                                            \
			    (at) + offsetof(struct lode_input_options, cpu),                    \
			    "read only what ran on CPU N: running time, no waits")

#define LODE_NARROW_OPTIONS(at)                                                                \
	LODE_SPAN_OPTIONS(at),                                                                 \
		LODE_OPTION("kind", "KIND", lode_set_choice,                                   \
			    (at) + offsetof(struct lode_input_options, folded_kind),           \
			    "what folded stacks count: run, wait or ready time (default run)", \
			    .choices = lode_kind_choices),                                     \
		LODE_OPTION("unit", "NAME", lode_set_text,                                     \
			    (at) + offsetof(struct lode_input_options, unit),                  \
			    "the unit in which folded stacks count: ns are shown as times, "   \
			    "anything else as numbers (default samples)")

#define LODE_SYMBOL_OPTIONS(at)                                                                    \
	LODE_OPTION("kallsyms", "FILE", lode_set_text,                                             \
		    (at) + offsetof(struct lode_input_options, symbols.kallsyms),                  \
		    "kernel symbols: a copy of the recording machine's /proc/kallsyms",            \
		    .file = LODE_FILE_READ, .group = "Symbols"),                                   \
		LODE_OPTION("buildid-dir", "DIR", lode_set_text,                                   \
			    (at) + offsetof(struct lode_input_options, symbols.buildid_dir),       \
			    "files by build-id, as perf keeps them (default: symbols/ beside the " \
			    "recording, then ~/.debug)",                                           \
			    .file = LODE_FILE_READ),                                               \
		LODE_OPTION("symfs", "DIR", lode_set_text,                                         \
			    (at) + offsetof(struct lode_input_options, symbols.symfs),             \
			    "look for programs and libraries below DIR: another machine's root",   \
			    .file = LODE_FILE_READ),                                               \
		LODE_OPTION("debuginfod", "TIME", lode_set_some_time,                              \
			    (at) + offsetof(struct lode_input_options, symbols.debuginfod_ns),     \
			    "ask the servers in $DEBUGINFOD_URLS for symbols that are not here, "  \
			    "for at most TIME in all; without this option nobody is asked"),       \
		LODE_FLAG("inline",                                                                \
			  (at) + offsetof(struct lode_input_options, symbols.want_inlined),        \
			  "show inlined functions as frames (reads debug information: slower)"),   \
		LODE_FLAG("no-demangle",                                                           \
			  (at) + offsetof(struct lode_input_options, symbols.keep_mangled),        \
			  "leave C++ and Rust names as they are in files")

#define LODE_MACHINE_OPTIONS(at)                                                           \
	LODE_OPTION("threads", "N", lode_set_unsigned,                                     \
		    (at) + offsetof(struct lode_input_options, n_threads),                 \
		    "use N threads (default: all CPUs); the result is the same for any N", \
		    .letter = 'j', .is_aside = true, .group = "Machine"),                  \
		LODE_MEMORY_OPTION((at) + offsetof(struct lode_input_options, memory_bytes))
