/*
 * Symptoms: who waited, and when (docs/mine.md).
 */
#pragma once

#include "model/stream.h"
#include "model/subject.h"
#include "model/symptom_events.h"

/* Thread `thread` of a stream was slow during [t0_ns, t1_ns). */
struct lode_symptom {
	lode_thread_id thread;
	int64_t t0_ns, t1_ns;
	bool is_life; /* the thread's recorded life, without times given by the user */
};

typedef LODE_VEC(struct lode_symptom) lode_symptom_vec;

/* How symptoms are found; made once from the command line, read by every stream's job. */
struct lode_symptom_spec;

/*
 * From the options' texts, each NULL when absent:
 *
 *  - `select`: parts joined by commas, all of which must hold.
 *    Who: "comm=GLOB" (processes by the last name of their main thread), "pid=N", "tid=N". Of a
 *    process its main thread is meant, and with the word "threads" all of them. Where `from` is
 *    an event: each thread of that name, and with "threads" all of the processes of that name.
 *    When: "from=A" and "to=B", points as model/symptom_events.c has them; one that is not given is
 *    where the thread's recorded life starts or ends. From A to the first B after it, and again
 *    from the next A (model/symptom_pairs.h). What was not recorded (a birth before the recording,
 *    a B that never came) makes no symptom. "comm=git", "comm=nginx,threads",
 *    "comm=git,from=exec,to=*epoll_wait", "comm=shop,from=syscall:write,to=syscall:read"
 *    "key=FIELD" (or "key=FIELD:FIELD", of A and of B): A and B, both events, belong together when
 *    they have the same value in that field of their payload, whatever their threads; with
 *    "shared-key=", also when they are of two processes. The symptom's thread is the one that ends
 *    it, since the way back from there leads to the thread that it waited for; the one that began
 * it, where it ends while a CPU idles or in an interrupt.
 *  - `tsv_path`: a table of symptoms (model/symptom_table.h). Times are taken as they are, also
 *    where they lie outside of what is known of the thread.
 *  - `comm`, `pid` (<= 0: any): only threads with that name, of that process
 *  - `min_ns`: shorter ones are left out
 *  - `percentile`: 99 for the slowest 1 %, 0: all. Of all recordings, so it is for
 *    streams/slowest.h to turn it into `min_ns`; here it is only told.
 *
 * Without `select` and `tsv_path`: every thread of the recording's subject (model/subject.h), whole
 * stream. So too where `select` does not say who.
 */
#define LODE_DEFAULT_SYMPTOMS "every thread of the recorded command, whole recording"
struct lode_symptom_options {
	const char *select, *tsv_path, *comm;
	bool is_tsv_found; /* the user did not name it: it must be a regular file */
	int64_t min_ns;
	int32_t pid;
	double percentile;
	size_t n_slowest, n_all; /* once it is min_ns: how many that leaves of how many */
};
int lode_symptom_spec_new(struct lode_symptom_spec **out,
			  const struct lode_symptom_options *options, struct lode_error *err);
void lode_symptom_spec_free(struct lode_symptom_spec *spec);

/* In words, for the output: "every thread of the recorded command, whole stream". */
const char *lode_symptom_spec_text(const struct lode_symptom_spec *spec);

/* Whose symptoms it finds in a stream: the stream's subject, unless the options say whose. */
enum lode_subject lode_symptom_spec_subject(const struct lode_symptom_spec *spec,
					    const struct lode_stream *stream);

/* What is to listen while a stream is read, beside `inner` (or NULL): model/symptom_events.h. With
   `inner`, threads without events in the model have symptoms too. */
struct lode_symptom_events *lode_symptom_events_new(const struct lode_symptom_spec *spec,
						    const struct lode_tap *inner);

/*
 * Appends the symptoms of one stream, ordered by thread, then time. Thread-safe for a const spec.
 * Rows of a table whose thread is not in the stream are left out: see below. `events` has what was
 * seen while the stream was read; NULL: not collected, system calls are known from stacks.
 * Fails where an event that symptoms begin or end with was not recorded, and says how to.
 */
int lode_symptoms_find(lode_symptom_vec *out, const struct lode_symptom_spec *spec,
		       const struct lode_stream *stream, struct lode_symptom_events *events,
		       struct lode_error *err);

/*
 * How many rows of the table name this stream but a thread that is not in it; `text` tells the
 * first ("symptoms.tsv: line 7: startup-01.perf.data has no thread 4711").
 */
size_t lode_symptoms_skipped(const struct lode_symptom_spec *spec, const struct lode_stream *stream,
			     char *text, size_t size);
/* Counts them as bad records of the stream, and what `events` (or NULL) could not pair. */
void lode_symptoms_count_skipped(const struct lode_symptom_spec *spec, struct lode_stream *stream,
				 const struct lode_symptom_events *events);
