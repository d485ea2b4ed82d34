/*
 * The events that occur in a `perf script` text: what each one means, and what a sample stands for.
 */
#pragma once

#include "input/formats/text/script_line.h"
#include "model/stream.h"

/*
 * Fields of a tracepoint's payload as `perf script` prints them, for the tap (model/tap.h).
 *
 *   irq=24 name=virtio1-req.0                   most: name=value
 *   uaddr: 0x7f10a8, op: 0x00000080             syscalls:*: name: value
 *   NR 202 (7f10a8, 80, 2, 0, 0, 0)             raw_syscalls:sys_enter: id, args[]
 *   254,0 WS 65536 () 1234 + 128 none,0,0 [dd]  block:*: dev, rwbs, sector, nr_sector
 *   dd:17 [120] CPU:001                         libtraceevent's plugin for sched_waking: comm, pid
 */

/* The field's value, of an array its element's; of text a hash. False if it is not there. */
bool lode_script_value(uint64_t *out, const char *tracepoint, struct lode_slice payload,
		       const char *field, unsigned element);
/* The field as text; an empty one if it is not there. */
struct lode_slice lode_script_text(const char *tracepoint, struct lode_slice payload,
				   const char *field);

enum lode_script_class {
	LODE_SCRIPT_OTHER, /* counted only */
	LODE_SCRIPT_CPU,   /* samples of a counter: where threads run */
	LODE_SCRIPT_OFFCPU,
	LODE_SCRIPT_SWITCH,
	LODE_SCRIPT_WAKING,
	LODE_SCRIPT_WAKEUP,
	LODE_SCRIPT_FORK,
	LODE_SCRIPT_EXIT,
	LODE_SCRIPT_SYS_ENTER,
	LODE_SCRIPT_SYS_EXIT,
};

struct lode_script_event {
	const char *name;
	const char *syscall; /* of syscalls:sys_enter_X: X; else NULL */
	int64_t syscall_key; /* a number of its own, for the builder */
	enum lode_script_class class;
	uint32_t index;
	uint64_t n;
	uint64_t period, frequency; /* from --header; 0: not known */
	bool is_time;		    /* its periods are ns */
	int rank;		    /* how well its samples tell where threads run */
	bool is_tracepoint, has_callchain;
};

struct lode_script_events {
	struct lode_strings names; /* id = index into `at` */
	LODE_VEC(struct lode_script_event) at;
	uint32_t last;	/* index of the event last counted, behind one: most follow their like */
	uint32_t cost;	/* index behind one of the event whose samples carry cost; 0: none yet */
	bool has_unit;	/* costs are not ns: they count the event `cost` */
	int64_t period; /* of its samples, unless they differ or lack time or CPU: is_varied */
	bool is_varied;
};

/* Counts one sample of the event. Valid until the next event of a new name. */
const struct lode_script_event *lode_script_events_count(struct lode_script_events *events,
							 const char *name, size_t len);
void lode_script_events_has_callchain(struct lode_script_events *events,
				      const struct lode_script_event *event);

/* "name = cycles, , id = {...}, ..., { sample_period, sample_freq } = 4000, ..., freq = 1, ..." */
void lode_script_events_describe(struct lode_script_events *events, const char *text);

/*
 * What one sample stands for: its period when that is time, the sampling interval when the header
 * tells the frequency, else its period in the event's own unit. Of several counters only one
 * carries cost, as they watch the same time: a clock before cycles, these before others, the first
 * of them. `*is_first`: it is this one from here on, and samples before have no cost.
 */
int64_t lode_script_weight(struct lode_script_events *events, const struct lode_script_event *event,
			   const struct lode_script_sample *sample, bool *is_first);

/* Fills the stream's event_counts, and its unit if costs are not times. Cycles of a fixed period
   become time, as in perf.data. */
void lode_script_events_finish(const struct lode_script_events *events, struct lode_stream *stream);

void lode_script_events_release(struct lode_script_events *events);
