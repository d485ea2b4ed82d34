/*
 * Options of commands that read recordings: where symbols are, what is read, with how much of the
 * machine; and what counts of it: whose waiting (symptoms), and which events of it (area of
 * interest). The latter shape digests, so commands that make these and those that read them share
 * them.
 */
#pragma once

#include "input/source.h"
#include "streams/shape.h"
#include "streams/stream_set.h"
#include "tool/command.h"
#include "tool/option_values.h"
#include "tool/progress.h"

/* ---- What is read ---- */

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
		LODE_OPTION("debuginfod", "TIME", lode_set_long_time,                             \
			    (at) + offsetof(struct lode_input_options, symbols.debuginfod_ns),    \
			    "download missing symbols from the servers in $DEBUGINFOD_URLS, for " \
			    "at most TIME in total (default: no downloads)"),                     \
		LODE_FLAG("inline",                                                               \
			  (at) + offsetof(struct lode_input_options, symbols.want_inlined),       \
			  "show inlined functions as frames (slower: reads debug information)"),  \
		LODE_FLAG("no-demangle",                                                          \
			  (at) + offsetof(struct lode_input_options, symbols.keep_mangled),       \
			  "do not demangle C++ and Rust names")

/* `at`: of a lode_text_list. */
#define LODE_SOURCE_DIR_OPTION(at)                                                               \
	LODE_OPTION("source-dir", "DIR", lode_set_list, at,                                      \
		    "show source text of files below DIR, matched by the longest common end of " \
		    "their paths; may be repeated (default: line numbers only)",                 \
		    .file = LODE_FILE_READ)

#define LODE_MACHINE_OPTIONS(at)                                                          \
	LODE_OPTION("threads", "N", lode_set_unsigned,                                    \
		    (at) + offsetof(struct lode_input_options, n_threads),                \
		    "use N threads (default: all CPUs); the result does not depend on N", \
		    .letter = 'j', .is_aside = true, .group = "Machine"),                 \
		LODE_MEMORY_OPTION((at) + offsetof(struct lode_input_options, memory_bytes))

/* ---- What counts ---- */

struct lode_aoi_values {
	const char *symptom, *symptoms, *comm;
	int32_t pid;
	struct lode_slowness_value slower_than;
	int scope, stacks; /* LODE_UNSET until settled */
	bool is_scope_given, are_stacks_given;
	lode_text_list include, exclude;
	struct lode_bits_value only, reason;
};

enum { LODE_UNSET = -1 };

void lode_aoi_values_init(struct lode_aoi_values *values);
void lode_aoi_values_release(struct lode_aoi_values *values);

/* Sets what was not given; `is_classic` is as good as giving scope graph and own stacks. */
void lode_aoi_values_settle(struct lode_aoi_values *values, bool is_classic);

/* Says what is wrong with them, once settled. Gives an exit code. */
int lode_aoi_values_check(const struct lode_command *self, const struct lode_aoi_values *values);

/* Whose waiting counts. */
struct lode_symptom_options lode_aoi_values_symptoms(const struct lode_aoi_values *values);

/* Entries of an option table; `at` is the offset of struct lode_aoi_values in the values. */
#define LODE_SYMPTOM_OPTIONS(at)                                                                  \
	LODE_OPTION("symptom", "WHAT", lode_set_text,                                             \
		    (at) + offsetof(struct lode_aoi_values, symptom),                             \
		    "what counts as slow: whole process lifetimes, 'comm=git' (globs; "           \
		    "'comm=git,threads' for all their threads), 'pid=N' or 'tid=N'; or the time " \
		    "between two events, 'from=exec,to=syscall:epoll_wait': start, exec, exit, "  \
		    "syscall:NAME[:exit], uprobe:NAME, uretprobe:NAME, usdt:PROVIDER:NAME, "      \
		    "SYSTEM:EVENT or a function; 'key=FIELD' pairs events by the value of a "     \
		    "field instead of by thread",                                                 \
		    .group = "Symptoms: which threads were slow, and when"),                      \
		LODE_OPTION("symptoms", "FILE", lode_set_text,                                    \
			    (at) + offsetof(struct lode_aoi_values, symptoms),                    \
			    "read symptoms from a TSV file with a header: columns stream (or "    \
			    "trace), tid, t0_ns, t1_ns; other columns are ignored",               \
			    .file = LODE_FILE_READ),                                              \
		LODE_OPTION("slower-than", "TIME", lode_set_slowness,                             \
			    (at) + offsetof(struct lode_aoi_values, slower_than),                 \
			    "ignore shorter symptoms: 300ms, 1s, or p99 to keep the slowest 1 % " \
			    "over all recordings"),                                               \
		LODE_OPTION("comm", "GLOB", lode_set_text,                                        \
			    (at) + offsetof(struct lode_aoi_values, comm),                        \
			    "only symptoms of threads whose name matches"),                       \
		LODE_OPTION("pid", "N", lode_set_pid,                                             \
			    (at) + offsetof(struct lode_aoi_values, pid),                         \
			    "only symptoms of threads of process N")

#define LODE_AOI_OPTIONS(at)                                                                       \
	LODE_OPTION("scope", "SCOPE", lode_set_choice,                                             \
		    (at) + offsetof(struct lode_aoi_values, scope),                                \
		    "critical: time on the critical path, across threads; each ns counts once "    \
		    "(default); graph: everything the paper's wait graph reaches; thread: the "    \
		    "symptom's thread only",                                                       \
		    .choices = lode_scope_choices,                                                 \
		    .group = "Area of interest: which events count"),                              \
		LODE_OPTION(                                                                       \
			"stacks", "KIND", lode_set_choice,                                         \
			(at) + offsetof(struct lode_aoi_values, stacks),                           \
			"chained: the waiting stack, then the stack of the thread it waited for, " \
			"and so on (default with --scope critical); own: the last link only",      \
			.choices = lode_stacks_choices),                                           \
		LODE_OPTION("include", "GLOB", lode_set_list,                                      \
			    (at) + offsetof(struct lode_aoi_values, include),                      \
			    "only stacks that contain this function or module!function; may be "   \
			    "repeated"),                                                           \
		LODE_OPTION("exclude", "GLOB", lode_set_list,                                      \
			    (at) + offsetof(struct lode_aoi_values, exclude),                      \
			    "exclude stacks that contain this function; may be repeated"),         \
		LODE_OPTION("only", "KINDS", lode_set_bits,                                        \
			    (at) + offsetof(struct lode_aoi_values, only),                         \
			    "only events of these kinds: run,wait,ready"),                         \
		LODE_OPTION("reason", "REASONS", lode_set_bits,                                    \
			    (at) + offsetof(struct lode_aoi_values, reason),                       \
			    "only waits with these reasons: lock, disk, fault, network, ipc, "     \
			    "poll, timer, child, other")

/* ---- Reading the streams that a command is about ---- */

/*
 * Entries of an option table: all that lode_reading_options takes. Offsets of struct
 * lode_aoi_values and struct lode_input_options in the values.
 */
#define LODE_READING_OPTIONS(aoi_at, input_at)                                                 \
	LODE_SYMPTOM_OPTIONS(aoi_at), LODE_AOI_OPTIONS(aoi_at), LODE_NARROW_OPTIONS(input_at), \
		LODE_SYMBOL_OPTIONS(input_at), LODE_MACHINE_OPTIONS(input_at)

/* How recordings are read: all that the command line says of it. `progress` NULL: quietly. */
struct lode_digest_job_options lode_reading_options(const struct lode_input_options *input,
						    const struct lode_aoi_values *aoi,
						    struct lode_progress *progress);

/* What the command's own code becomes: what was skipped or is incomplete shows in it. */
int lode_job_exit(const struct lode_digest_job *job, int code);

/* Now, as queries count ages from. */
int64_t lode_query_now_ns(void);
