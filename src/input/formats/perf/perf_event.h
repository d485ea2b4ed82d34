/*
 * The events of a perf recording: what each one's samples look like, and what they mean.
 *
 *   sample  | header | id? ip? pid,tid? time? ... | read? | callchain? | raw? | ...
 *             8        `---- fixed offsets -----'   `-- found one after another --'
 *
 * An event's attr says once which fields its samples have; the offsets are worked out then, so
 * that decoding a sample is a few loads. Filled while the header is read (in a pipe: also later,
 * between blocks), then read by all threads.
 */
#pragma once

#include "model/tap.h"
#include "base/bytes.h"

/*
 * What the tap of a recording's events (model/tap.h) wants, as offsets into samples.
 */

struct tep_event;

/* A field of a payload that the tap wants. */
struct lode_perf_tapped {
	uint16_t offset, size; /* size 0: not there */
	enum {
		LODE_PERF_UNSIGNED,
		LODE_PERF_SIGNED,
		LODE_PERF_TEXT,		 /* an array of char */
		LODE_PERF_TEXT_ELSEWHERE /* offset and length of the text */
	} how;
};

/* `{ 0 }` with id LODE_NONE: not wanted. */
struct lode_perf_tap {
	uint32_t id;
	bool wants_stack;
	uint8_t n_fields, found;
	uint16_t need; /* bytes that a payload must have */
	struct lode_perf_tapped field[LODE_TAP_FIELDS], text;
};

/* Bytes that lode_perf_tap_keep writes. */
static inline size_t lode_perf_tap_bytes(const struct lode_perf_tap *tap)
{
	return tap->n_fields * sizeof(uint64_t) + (tap->text.size ? LODE_TAP_TEXT_BYTES : 0);
}

/* Copies what is wanted of a payload, which has at least `need` bytes: values, then the text. */
void lode_perf_tap_keep(const struct lode_perf_tap *tap, const uint8_t *raw, size_t raw_bytes,
			uint8_t *to);

/* What a sample of the event means for the model. */
enum lode_perf_class {
	LODE_PERF_OTHER, /* counted, nothing else */
	LODE_PERF_CPU,	 /* CPU time */
	LODE_PERF_OFFCPU,
	LODE_PERF_SCHED_SWITCH,
	LODE_PERF_SCHED_WAKING,
	LODE_PERF_SCHED_WAKEUP,	    /* as waking, when there is no waking */
	LODE_PERF_SCHED_WAKEUP_NEW, /* a new thread becomes runnable */
	LODE_PERF_SOCKET_SENT,
	LODE_PERF_SOCKET_RECEIVED,
	LODE_PERF_SOCKET_STATE,
	LODE_PERF_SOCKET_NAMED, /* says which ends a socket has */
	LODE_PERF_DISK_REQUEST, /* by the thread, unless a kernel thread sends it */
	LODE_PERF_SYS_ENTER,
	LODE_PERF_SYS_EXIT,
};

/* A field of a tracepoint's payload; size 0: not there. */
struct lode_perf_field {
	uint16_t offset, size;
};

struct lode_perf_payload {
	struct lode_perf_field common_flags;
	struct lode_perf_field pid[2];	/* prev_pid, next_pid; or the wakee */
	struct lode_perf_field comm[2]; /* prev_comm, next_comm; or the wakee's */
	struct lode_perf_field prev_state;
	struct lode_perf_field nr;		    /* of the system call */
	struct lode_perf_field socket, amount;	    /* amount: bytes moved, or the new state */
	struct lode_perf_field port[2], address[2]; /* own, peer */
	uint32_t need;				    /* bytes that a payload must have */
};

struct lode_perf_event {
	uint32_t type;
	uint64_t config;
	uint64_t sample_type, read_format, branch_sample_type;
	uint64_t period; /* or frequency when is_freq */
	bool is_freq, sample_id_all, context_switch;
	bool is_monotonic;  /* its times are CLOCK_MONOTONIC's (perf record -k mono) */
	uint16_t max_stack; /* frames that the recorder takes at most */
	uint8_t n_regs_user, n_regs_intr;
	uint64_t regs_user;
	const char *name;	/* "" until known */
	const char *unit;	/* "" unless the recording names one */
	const char *tracepoint; /* "sched:sched_switch"; NULL: none, or its format is missing */
	enum lode_perf_class class;
	const char *syscall; /* of sys_enter_X: X */
	bool is_time;	     /* its period counts ns */
	bool is_count;	     /* a sample stands for its period: cycles of a fixed period, ... */
	struct lode_perf_payload payload;
	struct lode_perf_tap tap;

	/* Offsets from a sample's start; 0: the field is not there. */
	uint16_t at_id, at_ip, at_tid, at_time, at_cpu, at_period;
	uint16_t fixed_bytes; /* up to the fields without a fixed place */
	/* Offsets back from the end of all other records; 0: not there. */
	uint16_t trailer_bytes, back_tid, back_time, back_cpu, back_id;
};

struct lode_perf_events {
	LODE_VEC(struct lode_perf_event) at;
	struct lode_map by_id;
	struct lode_strings strings;
	bool has_waking, has_switch_tracepoint, has_context_switch;
	/* CPU time is in cycles of a fixed period; samples are of another counter, in its unit. */
	bool has_cycles;
	uint32_t other; /* index of that one, from 1; 0: none */
	bool has_twins; /* several events of sched_switch: for a moment all may have been on */
	const struct lode_tap *tap; /* borrowed; may be NULL */
	uint16_t at_id, back_id;    /* where samples and other records have their event's id */
};

void lode_perf_events_release(struct lode_perf_events *events);

/* A new event from the bytes of a perf_event_attr, of which some versions have fewer. */
struct lode_perf_event *lode_perf_events_add(struct lode_perf_events *events,
					     struct lode_bytes attr);
/* Samples that carry `id` are the last added event's. */
void lode_perf_events_add_id(struct lode_perf_events *events, uint64_t id);

/* The event of an id; NULL if no event has it. With one event only, ids do not matter. */
static inline struct lode_perf_event *lode_perf_events_find(const struct lode_perf_events *events,
							    uint64_t id)
{
	uint32_t i = events->at.n == 1 ? 0 : lode_map_find(&events->by_id, id);

	return i == LODE_NONE ? NULL : &events->at.at[i];
}

const char *lode_perf_events_text(struct lode_perf_events *events, const char *text);

/* After events, names or tracepoints came: decides what each event means. */
void lode_perf_events_classify(struct lode_perf_events *events);

/* Asks the tap about an event; `format` NULL: its tracepoint's is not known (yet). */
void lode_perf_event_ask(const struct lode_perf_events *events, struct lode_perf_event *event,
			 struct tep_event *format);

/* A name for an event that the recording does not name: "cpu-clock", "type 8 config 0x1". */
const char *lode_perf_event_default_name(const struct lode_perf_event *event, char *buffer,
					 size_t size);
