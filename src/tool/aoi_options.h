/*
 * Options that say what counts: whose waiting (symptoms), and which events of it (area of
 * interest). They are what a digest is shaped by, so commands that make digests and those that read
 * them share them.
 */
#pragma once

#include "tool/command.h"
#include "tool/option_values.h"
#include "streams/digest_job.h"
#include "streams/shape.h"

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

/* Fills the part of a job's options that they are. */
void lode_aoi_values_apply(const struct lode_aoi_values *values,
			   struct lode_digest_job_options *options);

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
