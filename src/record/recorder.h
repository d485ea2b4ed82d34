/*
 * Recording: runs perf with exactly the events that the analyses need, and leaves a bundle.
 *
 *   NAME.lode/
 *     perf.data.zst    the recording
 *     symbols/         programs that stacks of the command, and of threads it waited
 *                      for, pass through, by build-id; kernel symbols
 *     symptoms.tsv     the life of the recorded command, from its exec to its end; with --pid, of
 *                      each thread of the processes while they were recorded
 *     titles.tsv       what processes were called, beside their comm (record/title_watch.h)
 *     README           what this is, how it was made, how to read it
 *     INCOMPLETE       until all of it is there: what it lacks (input/bundle_notes.h)
 *
 * A bundle is read anywhere: nothing in it points to the machine that made it. Only its owner may
 * read it, unless options->readers say otherwise.
 */
#pragma once

#include <stdio.h>

#include "base/private_file.h"
#include "engine/quality/quality.h"

/* The stacks of a recording, as far as it is decided. */
enum lode_stack_kind { LODE_STACKS_UNDECIDED, LODE_STACKS_CHAINS, LODE_STACKS_DUMPS };

/* What of command lines is stored (record/stored_words.h). */
enum lode_titles { LODE_TITLES_NAMES, LODE_TITLES_FULL, LODE_TITLES_NONE };

/* A stack dump that lode chose by itself while it records: half of one that was asked for lets
   twice as many events pass. */
enum { LODE_LATER_DUMP_BYTES = LODE_DUMP_BYTES / 2 };

struct lode_record_options {
	char *const *command; /* NULL-terminated; NULL: the machine alone, for `duration_ns` */
	const int32_t *pids;  /* without a command: processes that run already; may be NULL */
	size_t n_pids;
	const char *bundle; /* directory to make; NULL: NAME.lode, with a number if that is there */
	const char *perf;   /* the perf program; NULL: looked for in PATH */
	const char *perf_link; /* to it, by the name that its processes get; may be NULL */
	unsigned cpu_rate;     /* CPU samples per second and CPU */
	size_t buffer_bytes;   /* of each CPU; 0: 8 MiB, or with stack dumps as much as fits */
	int64_t duration_ns;   /* stop then; 0: when the command ends */
	bool want_syscalls;    /* record system calls too */
	bool want_network;     /* record sends and receives of TCP connections too */
	bool name_in_turns;    /* with want_network, where perf can (record/socket_names.h) */
	bool want_dwarf;       /* stack dumps in place of frame pointers, unless too many */
	bool switch_records;   /* perf's own: who comes in after idle (record/idle_cpus.h) */
	bool choose_stacks;    /* want_dwarf is for lode to decide (record/frame_pointers.h) */
	size_t dump_bytes;     /* with want_dwarf; 0: LODE_DUMP_BYTES */
	bool may_dump;	       /* chains and dumps until it is decided (record/first_second.h) */
	bool want_later;       /* of both, dumps are kept (record/stacks_seen.h), or */
	bool want_at_once;     /* they are unless too many: asked for, or chosen before */
	bool keep_awake;       /* a spinner of class SCHED_IDLE on each CPU */
	bool keep_plain;       /* leave perf.data uncompressed */
	bool no_symbols;       /* no copies of programs in the bundle */
	enum lode_titles titles;
	char *const *events; /* n_events more, as perf record -e takes them */
	size_t n_events;
	struct lode_readers readers; /* of the bundle */
	mode_t command_umask;	     /* of the process before lode_record: the command gets it */
	/* Says what is being done, for a person who waits; may be NULL. */
	void (*say)(void *context, const char *text);
	/* Says what went wrong on the way, and does not end it; may be NULL. */
	void (*warn)(void *context, const char *text);
	void *say_context; /* of both */
};

struct lode_record_result {
	char *bundle;		     /* heap */
	int command_exit;	     /* of the command: 0..255, or 128 + signal; -1 unknown */
	bool was_stopped;	     /* by a signal or by the duration */
	size_t n_modules, n_missing; /* copied into symbols/; hit by stacks but not found */
	size_t n_titles;	     /* processes in titles.tsv */
	size_t n_symptoms;	     /* in symptoms.tsv */
	size_t n_unwritten;	     /* found, but not written: no room, for example */
	int64_t begin_ns;	     /* all events were on, by CLOCK_MONOTONIC, the recording's */
	bool has_dumps;		     /* stacks are dumps: as wanted, or as lode chose */
	uint64_t n_lost, n_events;   /* perf could not keep up with; in the recording */
	/* Of the cost looked at: its stacks end early; or lack the innermost caller. */
	double unrooted_pct, skips_caller_pct;
	char unrooted_module[80], skipping_module[80], skipping_function[80]; /* where most */
	double events_per_s; /* that stack dumps would be taken of */
	int64_t size_bytes;  /* of the recording as it lies in the bundle */
	char *lacks;	     /* heap: what the bundle lacks, a line for each; NULL: nothing */
	pid_t still_running; /* the command, which did not end when it was asked to; 0: it has */
};

/*
 * Refuses before anything is started when rights or programs are missing, with a sentence that says
 * what to do. After that a bundle is made even when the command fails or the recording is stopped
 * by SIGINT. On failure nothing is left behind but what perf itself wrote. A part of the bundle
 * that cannot be written, on a full disk, costs no other: result.lacks says which, and what of the
 * bundle still serves. When lode is killed, perf closes its file and ends, and the command goes on.
 */
int lode_record(struct lode_record_result *out, const struct lode_record_options *options,
		struct lode_error *err);
void lode_record_result_release(struct lode_record_result *result);

/*
 * The command line that records the same, for --dry-run and for the bundle's README: `data` is the
 * file that perf writes. NULL-terminated, one heap block.
 */
char **lode_record_perf_command(const struct lode_record_options *options, const char *data);
/* Of perf, for each CPU. */
size_t lode_record_buffer_bytes(const struct lode_record_options *options);
/* The one that is run: without the command, listening on `control_fd`, answering on `ack_fd`. */
char **lode_record_controlled_command(const struct lode_record_options *options, const char *data,
				      int control_fd, int ack_fd);
/* In a child: becomes perf, under the link's name if that is there. Returns when it cannot. */
void lode_record_exec_perf(const struct lode_record_options *options, char *const *argv);
/* A command line as a shell would need it, with a line feed. */
void lode_record_print_command(FILE *out, char *const *argv);

/* Processes that were running before they were recorded, as --pid takes them: "12,13" (heap). */
char *lode_targets_text(const int32_t *pids, size_t n);

/* Such a process's name, fit for a folder's; "system" when it is gone. */
void lode_target_name(char *name, size_t size, int32_t pid);
