/*
 * Options that say what counts: whose waiting (symptoms), and which events of it (area of
 * interest). They are what a digest is shaped by, so commands that make digests and those that read
 * them share them.
 */
#ifndef LODE_AOI_OPTIONS_H
#define LODE_AOI_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tool/option_values.h"
#include "streams/digest_job.h"
#include "streams/shape.h"

struct lode_aoi_values {
	const char *symptom, *symptoms, *comm;
	int32_t pid;
	int64_t slower_than_ns;
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

/* NULL, or what is wrong with them; once settled. */
const char *lode_aoi_values_misuse(const struct lode_aoi_values *values);

/* Whose waiting counts. */
struct lode_symptom_options lode_aoi_values_symptoms(const struct lode_aoi_values *values);

/* Fills the part of a job's options that they are. */
void lode_aoi_values_apply(const struct lode_aoi_values *values,
			   struct lode_digest_job_options *options);

/* Entries of an option table; `at` is the offset of struct lode_aoi_values in the values. */
#define LODE_SYMPTOM_OPTIONS(at)                                                                \
	{.name = "symptom",                                                                     \
	 .argument = "WHAT",                                                                    \
	 .help = "whole lives of processes, 'comm=git' (globs; 'comm=git,threads' for all of "  \
		 "their "                                                                       \
		 "threads), 'pid=N' or 'tid=N'; or from one event to another, "                 \
		 "'from=exec,to=syscall:"                                                       \
		 "epoll_wait': start, exec, exit, syscall:NAME or a function",                  \
	 .set = lode_set_text,                                                                  \
	 .offset = (at) + offsetof(struct lode_aoi_values, symptom),                            \
	 .group = "Symptoms: who waited, and when"},                                            \
		{.name = "symptoms",                                                            \
		 .argument = "FILE",                                                            \
		 .help = "a table (TSV with a header) of symptoms: columns stream (or trace), " \
			 "tid, t0_ns, "                                                         \
			 "t1_ns; other columns are ignored",                                    \
		 .set = lode_set_text,                                                          \
		 .file = LODE_FILE_READ,                                                        \
		 .offset = (at) + offsetof(struct lode_aoi_values, symptoms)},                  \
		{.name = "slower-than",                                                         \
		 .argument = "TIME",                                                            \
		 .help = "leave out shorter symptoms: 300ms, 1s",                               \
		 .set = lode_set_duration,                                                      \
		 .offset = (at) + offsetof(struct lode_aoi_values, slower_than_ns)},            \
		{.name = "comm",                                                                \
		 .argument = "GLOB",                                                            \
		 .help = "only threads with such a name",                                       \
		 .set = lode_set_text,                                                          \
		 .offset = (at) + offsetof(struct lode_aoi_values, comm)},                      \
	{                                                                                       \
		.name = "pid", .argument = "N", .help = "only threads of process N",            \
		.set = lode_set_id, .offset = (at) + offsetof(struct lode_aoi_values, pid)      \
	}

#define LODE_AOI_OPTIONS(at)                                                                      \
	{.name = "scope",                                                                         \
	 .argument = "SCOPE",                                                                     \
	 .help = "critical: each ns of a symptom once, along the chain of who waited for whom "   \
		 "(default); graph: all that the paper's wait graph reaches; thread: the "        \
		 "symptom's "                                                                     \
		 "thread alone",                                                                  \
	 .set = lode_set_choice,                                                                  \
	 .choices = lode_scope_choices,                                                           \
	 .offset = (at) + offsetof(struct lode_aoi_values, scope),                                \
	 .group = "Area of interest: which events count"},                                        \
		{.name = "stacks",                                                                \
		 .argument = "KIND",                                                              \
		 .help = "chained: the waiting stack, then the stack of whom it waited for, and " \
			 "so on "                                                                 \
			 "(default with scope critical); own: the last link alone",               \
		 .set = lode_set_choice,                                                          \
		 .choices = lode_stacks_choices,                                                  \
		 .offset = (at) + offsetof(struct lode_aoi_values, stacks)},                      \
		{.name = "include",                                                               \
		 .argument = "GLOB",                                                              \
		 .help = "only stacks with such a function or module!function; may be repeated",  \
		 .set = lode_set_list,                                                            \
		 .offset = (at) + offsetof(struct lode_aoi_values, include)},                     \
		{.name = "exclude",                                                               \
		 .argument = "GLOB",                                                              \
		 .help = "no stacks with such a function; may be repeated",                       \
		 .set = lode_set_list,                                                            \
		 .offset = (at) + offsetof(struct lode_aoi_values, exclude)},                     \
		{.name = "only",                                                                  \
		 .argument = "KINDS",                                                             \
		 .help = "only such events: run,wait,ready",                                      \
		 .set = lode_set_bits,                                                            \
		 .offset = (at) + offsetof(struct lode_aoi_values, only)},                        \
	{                                                                                         \
		.name = "reason", .argument = "REASONS",                                          \
		.help = "only waits for: lock, disk, fault, network, ipc, poll, timer, child, "   \
			"other",                                                                  \
		.set = lode_set_bits, .offset = (at) + offsetof(struct lode_aoi_values, reason)   \
	}

#endif
