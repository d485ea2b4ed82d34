/*
 * The events of a recording at which symptoms begin or end, while it is read.
 *
 *   events = lode_symptom_events_new(spec, tap or NULL)
 *   load the stream with lode_symptom_events_tap(events)
 *   lode_symptoms_find(&symptoms, spec, stream, events, &err)
 *
 * Another tap may listen too: it gets what it asks for, as if it were alone.
 */
#pragma once

#include "model/symptom_pairs.h"
#include "model/tap.h"
#include "base/error.h"

/*
 * One end of a symptom, as the user names it.
 *
 *   start, exit, exec       birth and end of the thread, its last exec
 *   syscall:read[:exit]     a system call's begin, or its return; sys_enter_read, sys_exit_read
 *
 *   uprobe:G, uretprobe:G   entry and return of a function that perf probe added: probe_*:G
 *
 *   usdt:PROVIDER:NAME      a static probe of a program: sdt_PROVIDER:NAME
 *   SYSTEM:NAME, event:NAME any event, by its name in the recording
 *   anything else           functions: an event of the model with such a frame in its stack
 *
 * Names are globs.
 */

enum lode_point_kind {
	LODE_POINT_EDGE, /* not given: where the recorded life starts or ends */
	LODE_POINT_START,
	LODE_POINT_EXIT,
	LODE_POINT_EXEC,
	LODE_POINT_FUNCTION,
	LODE_POINT_SYSCALL, /* an event where system calls were recorded, else a function */
	LODE_POINT_EVENT,
};

struct lode_point {
	enum lode_point_kind kind;
	const char *name; /* glob: of functions, system calls or events */
	bool is_return;	  /* of a system call or function */
};

/* `option`: "from" or "to". */
int lode_point_read(struct lode_point *out, const char *option, const char *text,
		    struct lode_arena *arena, struct lode_error *err);

/* Is it one that is looked for among the events of the recording? */
static inline bool lode_point_is_event(const struct lode_point *point)
{
	return point->kind == LODE_POINT_SYSCALL || point->kind == LODE_POINT_EVENT;
}

/* Is that the point, with LODE_POINT_FUNCTION, or LODE_POINT_SYSCALL known from stacks? */
bool lode_point_is_function(const struct lode_point *point, const char *function);

/* Entry and return of the same functions: these nest. */
bool lode_points_nest(const struct lode_point *from, const struct lode_point *to);

/* How to record it: "lode record --syscalls". */
const char *lode_point_advice(const struct lode_point *point, char *buffer, size_t size);

struct lode_symptom_event {
	int64_t t_ns;
	uint64_t key;
	int32_t pid, tid;
	uint32_t cpu;
	bool begins, ends;
	bool is_interrupt; /* it is not the thread's doing */
	bool is_raw;	   /* of raw_syscalls */
};

/* Whether a point was found: is a kind of event recorded that means it, with the key? */
struct lode_point_found {
	bool is_recorded, is_named; /* named: by more than raw_syscalls */
	bool has_no_key;
};

/* What a kind of event that some point may mean is to us and to the inner tap. */
struct lode_symptom_kind {
	uint32_t inner_id;
	bool begins, ends;		  /* for sure */
	bool may_begin, may_end;	  /* by their number, which is field `number` */
	uint8_t number, from_key, to_key; /* fields; 255: none */
};

struct lode_symptom_events {
	const struct lode_point *from, *to;
	const char *from_key, *to_key; /* field of its payload; NULL: none */
	struct lode_point_found found_from, found_to;
	LODE_VEC(struct lode_symptom_event) at; /* in order of time */
	LODE_VEC(struct lode_event_gap) gaps;
	uint64_t n_unfinished, n_doubtful; /* requests: lode_symptoms_find counts them */
	int64_t first_ns;		   /* when the first of them began */
	char *why_none; /* set by lode_symptoms_find where it finds nothing; on the heap */

	struct lode_tap tap;
	const struct lode_tap *inner;
	const char *arch;
	LODE_VEC(struct lode_symptom_kind) kinds; /* by id of the tap's */
};

/* The inner tap itself where no point is an event. */
const struct lode_tap *lode_symptom_events_tap(struct lode_symptom_events *events);
void lode_symptom_events_free(struct lode_symptom_events *events);

/* For struct lode_symptom_spec: see model/symptom.h. */
struct lode_symptom_events *lode_symptom_events_make(const struct lode_point *from,
						     const char *from_key,
						     const struct lode_point *to,
						     const char *to_key,
						     const struct lode_tap *inner);
