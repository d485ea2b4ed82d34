/*
 * The events of a recording as they stand in it, for who needs more than the model keeps of them.
 *
 *   source --"block:block_rq_issue"?--> tap: id 3, with its stack and the fields dev and sector
 *   source --event 3, 41.7 s, tid 17, cpu 1, stack, {8388608, 2048}--> tap
 *
 * A source asks once per kind of event (never for each event) whether the tap wants it. Then it
 * hands over those events, and the births and ends of threads and the places where the recorder
 * dropped events among them, all in the order of time as lode_builder gets it. Stacks are the
 * source's raw ids, as the builder's are, and mean something when `finish` gives their nodes.
 *
 * Never called from two threads at once.
 */
#pragma once

#include "model/stream.h"

enum {
	LODE_TAP_FIELDS = 8,
	LODE_TAP_TEXT_BYTES = 32, /* of a text, with its NUL: longer ones are cut */
};

/* What the tap wants of a kind of event; names are borrowed until the source is done. */
struct lode_tap_wish {
	uint32_t id; /* with which its events are handed over; LODE_NONE: not wanted */
	bool wants_stack;
	unsigned n_fields;
	/* Fields of its payload, by their names in the tracepoint's format. A field of text gives a
	   hash of it, and one that is an array its element `element`. */
	const char *field[LODE_TAP_FIELDS];
	uint8_t element[LODE_TAP_FIELDS];
	const char *text; /* a field to be handed over as text; NULL: none */
};

/* What a source says of a kind of event. */
struct lode_tap_kind {
	const char *name; /* as the recording names it: "cpu-clock", "sched:sched_switch" */
	const char
		*tracepoint; /* "syscalls:sys_enter_read"; NULL: none, or its format is missing */
	/* Not every one is in the recording: sampled by frequency, or every so many. */
	bool is_sampled;
	/* With it come switches of threads in records of their own (perf record --switch-events).
	 */
	bool has_switches;
};

struct lode_tap_event {
	int64_t t_ns;
	uint32_t id;	  /* as in the wish */
	int32_t pid, tid; /* -1: the record does not tell (an exiting thread) */
	uint32_t cpu;	  /* UINT32_MAX unknown */
	uint32_t stack;	  /* raw; 0: none, or not wished for */
	bool is_inside;	  /* in what is read of the recording (struct lode_narrow) */
	/* Tracepoints: it happened while an interrupt or a softirq was handled. */
	bool has_context, in_hardirq, in_softirq;
	uint8_t found;			  /* bit i: values[i] is there */
	uint64_t values[LODE_TAP_FIELDS]; /* signed fields are extended with their sign */
	const char *text;		  /* valid during the call; NULL: not there */
};

/* The recording as a whole. */
struct lode_tap_about {
	const char *arch; /* "x86_64"; "" unknown */
	/* `kind` was asked about all there are. Else it will be when the first one comes. */
	bool has_all_kinds;
};

/* Functions that are NULL are not called. */
struct lode_tap {
	void *context;
	/*
	 * Without it the source need not fill threads' events: no state machine, no samples, only
	 * threads, names, counts and losses. Much faster where they are not used. It may be set
	 * by `kind`: the source looks when the first event comes.
	 */
	bool wants_model;
	/* `wish` comes filled with zeros and the id LODE_NONE. May be asked again about one kind,
	   when more has become known of it; the last answer counts. */
	void (*kind)(void *context, const struct lode_tap_kind *kind, struct lode_tap_wish *wish);
	/* Once, before the first event, birth, end or loss. */
	void (*begin)(void *context, const struct lode_tap_about *about);
	void (*event)(void *context, const struct lode_tap_event *event);
	/* A thread is made (INT64_MIN: before the recording), ends; as lode_builder_fork, _exit. */
	void (*born)(void *context, int64_t t_ns, int32_t pid, int32_t tid);
	void (*ended)(void *context, int64_t t_ns, int32_t tid);
	/* Events of a CPU (UINT32_MAX: any) were dropped before `t_ns`. */
	void (*lost)(void *context, int64_t t_ns, uint32_t cpu);
	/* The stream is complete; node_of_raw[raw] is a node of its tree. */
	void (*finish)(void *context, const struct lode_stream *stream, const uint32_t *node_of_raw,
		       size_t n_raw);
};
