/*
 * Measures the metrics of one stream: a tap on its events (model/tap.h) that fills an execution
 * set.
 *
 *   collect = lode_collect_new(set, spec, kernel_frames);
 *   lode_collect_begin(collect, path);
 *   load the stream with lode_collect_tap(collect)
 *   lode_offcpu_measure(collect, stream); ...      what the model holds (offcpu.h)
 *   lode_collect_end(collect, &err);
 *
 * What cannot be measured is counted with its metric (enum lode_execution_loss), and what a
 * recording lacks for a metric that was asked for by name is in `notes`.
 *
 * Rules, beside those of pairing.h:
 *  - System calls pair by thread; of raw_syscalls and syscalls in one recording the first count.
 *    The exit with which a new thread returns from clone has no begin, and is no loss.
 *  - Interrupts and softirqs pair by CPU, requests by device and sectors, own metrics by thread or
 *    by their fields. The idle threads of CPUs share their tid 0: they are distinguished by CPU.
 *  - A thread's open calls end with it (DIED), also when its tid is seen to be born again.
 *  - Where the recorder dropped events of a call's CPU while it was open, its end may be that of a
 *    later call: it is left out (DOUBTFUL).
 *  - Events that are sampled (`-F`, `-c`) are not all there: no metric is made of them.
 *  - Only what begins and ends inside of what is read of the recording counts.
 */
#pragma once

#include "engine/suspects/block_requests.h"
#include "engine/suspects/execution.h"
#include "engine/suspects/graft.h"
#include "engine/suspects/metric_spec.h"
#include "engine/suspects/pairing.h"
#include "model/tap.h"

/* A metric that may come to be: it is in the set as soon as something is known of it. */
struct lode_collect_what {
	const char *name, *unit;
	uint32_t metric; /* of the set; LODE_NONE */
	bool is_wanted, has_begin, has_end;
	/* System calls: it waits on a futex, always or as its operation says. */
	enum { LODE_FUTEX_NONE, LODE_FUTEX_BY_OP, LODE_FUTEX_WAITS } futex;
};

/* How an own metric uses a kind of event. */
struct lode_collect_use {
	uint32_t own; /* index into the spec's */
	bool is_end;
	uint8_t key[LODE_METRIC_KEYS]; /* places in the event's values, or one of the below */
};
enum { LODE_KEY_CPU = 0xf0, LODE_KEY_TID = 0xf1, LODE_KEY_PID = 0xf2, LODE_KEY_ABSENT = 0xff };

struct lode_collect_kind {
	enum lode_event_role role;
	uint32_t what; /* of LODE_ROLE_ENTER, _EXIT */
	LODE_VEC(struct lode_collect_use) uses;
};

/* How many executions of a metric had a raw stack: the last metric that had it. */
struct lode_collect_count {
	uint32_t metric, n;
};

struct lode_collect_more {
	uint32_t metric, stack;
	uint64_t n;
};

struct lode_collect {
	struct lode_execution_set *set; /* borrowed, as the spec */
	const struct lode_metric_spec *spec;
	bool kernel_frames;
	struct lode_tap tap;
	const char *path, *arch;

	struct lode_strings names; /* of whats: id = index */
	LODE_VEC(struct lode_collect_what) whats;
	struct lode_strings kind_names; /* id = index into kinds = id of the tap */
	LODE_VEC(struct lode_collect_kind) kinds;
	LODE_VEC(uint32_t) what_of_nr;			      /* by number of the system call */
	uint32_t device, queue, length, send, receive, futex; /* whats */
	uint32_t other_syscall, born;
	LODE_VEC(uint32_t) own; /* whats of the spec's own metrics */
	bool has_role[LODE_N_ROLES];
	bool has_all_kinds; /* no more kinds of events can come */

	struct lode_pairing calls;
	struct lode_block_requests queued, issued;
	LODE_VEC(int64_t) lost_ns; /* per CPU: when events of it were last dropped */
	int64_t lost_anywhere_ns, last_lost_ns;

	LODE_VEC(struct lode_collect_count) counts; /* per raw stack */
	struct lode_map more_index;		    /* metric << 32 | stack id -> the rest */
	LODE_VEC(struct lode_collect_more) more;
	LODE_VEC(uint32_t) nodes; /* of the set, per stack id */
	struct lode_graft graft;  /* once the stream is complete */
	uint32_t *node_ids; /* per node of the stream, whole and trimmed: stack id; LODE_NONE */
	bool is_begun;	    /* the set knows of the stream: it has events */
	bool is_complete;
	size_t n_newborn; /* threads of which nothing but their birth was seen */

	LODE_VEC(const char *) notes;
	struct lode_arena arena;
	struct lode_error err; /* of the set, once an append has failed */
};

struct lode_collect *lode_collect_new(struct lode_execution_set *set,
				      const struct lode_metric_spec *spec, bool kernel_frames);
void lode_collect_free(struct lode_collect *collect);

/* The next stream; `path` is borrowed until its end. It is in the set if its source has events. */
void lode_collect_begin(struct lode_collect *collect, const char *path);
/* For the source; `wants_model` may be set before, and is set when a metric needs it. */
struct lode_tap *lode_collect_tap(struct lode_collect *collect);
/* No more of this stream. Fails if the set could not take something. */
int lode_collect_end(struct lode_collect *collect, struct lode_error *err);

/* ---- For what is measured from the finished stream: between loading and end ---- */

/* The metric that may come to be under this name; `unit` is a static string. */
uint32_t lode_collect_what(struct lode_collect *collect, const char *name, const char *unit);
bool lode_collect_is_wanted(const struct lode_collect *collect, uint32_t what);
/* `node`: of the stream; `is_off_cpu`: that with which a thread left its CPU. */
void lode_collect_execution(struct lode_collect *collect, uint32_t what, int64_t start_ns,
			    int64_t value, int32_t tid, uint32_t node, bool is_off_cpu);
void lode_collect_lose(struct lode_collect *collect, uint32_t what, enum lode_execution_loss loss);
void lode_collect_note(struct lode_collect *collect, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* ---- Between the files of the collector ---- */

/* A raw stack as id; executions and open calls have such. */
static inline uint32_t lode_collect_stack(const struct lode_collect *collect, uint32_t raw,
					  bool is_syscall)
{
	return raw << 1 | (is_syscall && !collect->kernel_frames);
}

enum { LODE_CALL_INSIDE = 1, LODE_CALL_FUTEX_WAIT = 2, LODE_CALL_SENT = 4 }; /* flags of calls */

/* Spaces of lanes; own metrics have those behind. */
enum {
	LODE_SPACE_SYSCALL,
	LODE_SPACE_IRQ,
	LODE_SPACE_SOFTIRQ,
	LODE_SPACE_WAKING,
	LODE_SPACE_OWN,
};

/* The answers to the source's questions, and what is to be done before the first event. */
void lode_collect_on_kind(void *context, const struct lode_tap_kind *kind,
			  struct lode_tap_wish *wish);
void lode_collect_agree(struct lode_collect *collect, bool has_all_kinds);
/* Notes own metrics whose events are not there. */
void lode_collect_check_own(struct lode_collect *collect);
/* What the source hands over. */
void lode_collect_on_event(void *context, const struct lode_tap_event *event);
void lode_collect_on_born(void *context, int64_t t_ns, int32_t pid, int32_t tid);
void lode_collect_on_ended(void *context, int64_t t_ns, int32_t tid);
void lode_collect_on_lost(void *context, int64_t t_ns, uint32_t cpu);
void lode_collect_on_lost_call(void *context, const struct lode_lane *lane,
			       const struct lode_open_call *call, enum lode_execution_loss loss);
void lode_collect_on_lost_request(void *context, const struct lode_open_call *call,
				  enum lode_execution_loss loss);
/* Everything that is still open is lost. */
void lode_collect_close_calls(struct lode_collect *collect);

/* An execution of `value`, begun by `call`. */
void lode_collect_append(struct lode_collect *collect, uint32_t what,
			 const struct lode_open_call *call, int64_t value);
/* The metric is in the set from here on. */
uint32_t lode_collect_metric(struct lode_collect *collect, uint32_t what);
