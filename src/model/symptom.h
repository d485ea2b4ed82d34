/*
 * Symptoms: who waited, and when (design §3.1).
 */
#ifndef LODE_SYMPTOM_H
#define LODE_SYMPTOM_H

#include <stdint.h>

#include "base/error.h"
#include "base/mem.h"
#include "model/stream.h"

/* Thread `thread` of a stream was slow during [t0_ns, t1_ns). */
struct lode_symptom {
	lode_thread_id thread;
	int64_t t0_ns, t1_ns;
};

typedef LODE_VEC(struct lode_symptom) lode_symptom_vec;

/* How symptoms are found; made once from the command line, read by every stream's job. */
struct lode_symptom_spec;

/*
 * From the options' texts, each NULL when absent:
 *  - `select`: "comm=GLOB" (whole life of the processes' main threads with that name;
 * `comm=G,threads` takes all their threads), "pid=N", "tid=N", or "from=A,to=B" where A and B are
 * an event or function: `start` / `exit` (birth and end of the process), `exec`, `syscall:NAME`,
 *    `function GLOB` seen in a stack; may be joined with comm=: "comm=git,from=exec,to=epoll_wait"
 *  - `tsv_path`: a table with a header; columns stream|trace, tid, t0_ns, t1_ns found by name;
 * names of streams are relative to the table's folder or match the end of the input's path
 *  - `min_ns`: shorter ones are left out
 *  - pid < 0 / comm NULL: no restriction
 * All NULL: every thread of the recorded command, whole stream.
 */
struct lode_symptom_options {
	const char *select, *tsv_path, *comm;
	int64_t min_ns;
	int32_t pid;
};
int lode_symptom_spec_new(struct lode_symptom_spec **out,
			  const struct lode_symptom_options *options, struct lode_error *err);
void lode_symptom_spec_free(struct lode_symptom_spec *spec);

/* In words, for the output: "every thread of the recorded command, whole stream". */
const char *lode_symptom_spec_text(const struct lode_symptom_spec *spec);

/* Appends the symptoms of one stream, ordered by thread, then time. Thread-safe for a const spec.
 */
int lode_symptoms_find(lode_symptom_vec *out, const struct lode_symptom_spec *spec,
		       const struct lode_stream *stream, struct lode_error *err);

#endif
