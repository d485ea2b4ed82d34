/*
 * Options that all commands which read recordings share: where symbols are, what is read, with how
 * much of the machine.
 */
#ifndef LODE_INPUT_OPTIONS_H
#define LODE_INPUT_OPTIONS_H

#include <stddef.h>
#include <stdint.h>

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
	{                                                                                          \
		.name = "time",                                                                    \
		.argument = "FROM,TO",                                                             \
		.help = "read only this span: ns or with a unit, on the recording's own clock, "   \
			"or +1.5s from its first record; either end may be empty",                 \
		.set = lode_set_span,                                                              \
		.offset = (at) + offsetof(struct lode_input_options, span),                        \
		.group = "What is read",                                                           \
	},                                                                                         \
	{                                                                                          \
		.name = "cpu", .argument = "N",                                                    \
		.help = "read only what ran on CPU N: running time, no waits", .set = lode_set_id, \
		.offset = (at) + offsetof(struct lode_input_options, cpu),                         \
	}

#define LODE_NARROW_OPTIONS(at)                                                                    \
	LODE_SPAN_OPTIONS(at),                                                                     \
		{                                                                                  \
			.name = "kind",                                                            \
			.argument = "KIND",                                                        \
			.help = "what folded stacks count: run, wait or ready time (default run)", \
			.set = lode_set_choice,                                                    \
			.choices = lode_kind_choices,                                              \
			.offset = (at) + offsetof(struct lode_input_options, folded_kind),         \
		},                                                                                 \
	{                                                                                          \
		.name = "unit", .argument = "NAME",                                                \
		.help = "the unit in which folded stacks count: ns are shown as times, anything "  \
			"else as numbers (default samples)",                                       \
		.set = lode_set_text, .offset = (at) + offsetof(struct lode_input_options, unit),  \
	}

#define LODE_SYMBOL_OPTIONS(at)                                                                    \
	{                                                                                          \
		.name = "kallsyms",                                                                \
		.argument = "FILE",                                                                \
		.help = "kernel symbols: a copy of the recording machine's /proc/kallsyms",        \
		.set = lode_set_text,                                                              \
		.file = LODE_FILE_READ,                                                            \
		.offset = (at) + offsetof(struct lode_input_options, symbols.kallsyms),            \
		.group = "Symbols",                                                                \
	},                                                                                         \
		{                                                                                  \
			.name = "buildid-dir",                                                     \
			.argument = "DIR",                                                         \
			.help = "files by build-id, as perf keeps them (default: symbols/ beside " \
				"the "                                                             \
				"recording, then ~/.debug)",                                       \
			.set = lode_set_text,                                                      \
			.file = LODE_FILE_READ,                                                    \
			.offset = (at) + offsetof(struct lode_input_options, symbols.buildid_dir), \
		},                                                                                 \
		{                                                                                  \
			.name = "symfs",                                                           \
			.argument = "DIR",                                                         \
			.help = "look for programs and libraries below DIR: another machine's "    \
				"root",                                                            \
			.set = lode_set_text,                                                      \
			.file = LODE_FILE_READ,                                                    \
			.offset = (at) + offsetof(struct lode_input_options, symbols.symfs),       \
		},                                                                                 \
		{                                                                                  \
			.name = "inline",                                                          \
			.help = "show inlined functions as frames (reads debug information: "      \
				"slower)",                                                         \
			.set = lode_set_flag,                                                      \
			.offset =                                                                  \
				(at) + offsetof(struct lode_input_options, symbols.want_inlined),  \
		},                                                                                 \
	{                                                                                          \
		.name = "no-demangle", .help = "leave C++ and Rust names as they are in files",    \
		.set = lode_set_flag,                                                              \
		.offset = (at) + offsetof(struct lode_input_options, symbols.keep_mangled),        \
	}

#define LODE_MACHINE_OPTIONS(at)                                                               \
	{                                                                                      \
		.name = "threads",                                                             \
		.letter = 'j',                                                                 \
		.argument = "N",                                                               \
		.help = "use N threads (default: all CPUs); the result is the same for any N", \
		.set = lode_set_unsigned,                                                      \
		.offset = (at) + offsetof(struct lode_input_options, n_threads),               \
		.group = "Machine",                                                            \
	},                                                                                     \
		LODE_MEMORY_OPTION((at) + offsetof(struct lode_input_options, memory_bytes))

#endif
