/*
 * Subject: whose time a recording is about by default.
 *
 *   perf record -g -- make              what make and its descendants did
 *   perf record -g -p 1234 -- sleep 30  what process 1234 did
 *   perf record -a -g -- sleep 30       what the machine did: sleep only ends the recording
 *
 * The recorded command is not the subject if other threads were recorded, used more CPU time than
 * it, and it only waited (`lode record COMMAND` was asked about it, and is always about it):
 *
 *  - a recording without waits: it ran for less than 1 % of the recording's length, whatever its
 *    name. Of a command called "sleep", less than half: starting it is much of a short recording.
 *  - a recording with waits: it is called "sleep" and waited for most of its life. The name has to
 *    say so: that any other command waits is what it was recorded for.
 */
#pragma once

#include "model/stream.h"

/* Stored in digests by number: only add. */
enum lode_subject {
	LODE_SUBJECT_COMMAND,	/* threads of the recorded command */
	LODE_SUBJECT_PROCESSES, /* those that the recorder was attached to */
	LODE_SUBJECT_UNNAMED,	/* all threads: no command is known */
	LODE_SUBJECT_MACHINE,	/* all threads: the command only waited */
	LODE_N_SUBJECTS
};

/*
 * Whether CPU time is all that the stream knows of: no context switches, no waits. Then a thread's
 * life says nothing of what it did, and its CPU time is what it took.
 */
bool lode_stream_is_cpu_only(const struct lode_stream *stream);

/* O(events), as the one above. */
enum lode_subject lode_subject_of(const struct lode_stream *stream);

/*
 * Is a thread one of `subject`'s, found of the same stream? Of all threads: where waits were
 * recorded, those of programs without the command that only waited; in CPU time, kernel threads as
 * well. Idle threads have no events anywhere.
 */
bool lode_subject_has(enum lode_subject subject, bool is_cpu_only,
		      const struct lode_thread *thread);

static inline bool lode_subject_is_command(enum lode_subject subject)
{
	return subject == LODE_SUBJECT_COMMAND || subject == LODE_SUBJECT_PROCESSES;
}
