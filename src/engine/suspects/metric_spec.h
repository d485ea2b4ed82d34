/*
 * Which metrics are measured: the texts of `--metric`, any number of them.
 *
 *   syscall:*                                      a glob on the names of metrics, or a kind alone
 *   lock=lock:contention_begin..lock:contention_end[by lock_addr]        a metric of one's own
 *    |            |                    |              |
 *   name   begins with this ..  ends with that,   of the same value of this field
 *
 * An own metric is the time from an event to the next event that ends it. Without `[by ...]` both
 * are events of one thread; with it they may be of any two, as long as the field has the same value
 * in both. The field is one of the tracepoint's format, or `cpu`; several are joined by commas
 * (`[by dev,sector]`), and `[by pid=next_pid]` compares two of different names. The brackets may be
 * left out. Inside of each other, the innermost that is open ends first.
 *
 * Without any text every metric that the recordings have events for is measured. As soon as there
 * are texts, only what they name: their globs, and their own metrics.
 */
#pragma once

#include "model/tap.h"
#include "base/error.h"

/*
 * The tracepoints that metrics are made of: what each one means, and which of its fields count.
 */

enum lode_event_role {
	LODE_ROLE_NONE,
	LODE_ROLE_RAW_ENTER, /* values: id, args[1] */
	LODE_ROLE_RAW_EXIT,  /* id */
	LODE_ROLE_ENTER,     /* of one system call: op, where it has one */
	LODE_ROLE_EXIT,
	LODE_ROLE_RQ_INSERT,	 /* dev, sector, nr_sector */
	LODE_ROLE_RQ_ISSUE,	 /* the same */
	LODE_ROLE_RQ_COMPLETE,	 /* the same */
	LODE_ROLE_RQ_REQUEUE,	 /* the same */
	LODE_ROLE_IRQ_ENTRY,	 /* irq; text: the handler's name */
	LODE_ROLE_IRQ_EXIT,	 /* irq */
	LODE_ROLE_SOFTIRQ_ENTRY, /* vec */
	LODE_ROLE_SOFTIRQ_EXIT,	 /* vec */
	LODE_ROLE_NET_QUEUE,
	LODE_ROLE_NET_RECEIVE,
	LODE_ROLE_WAKING, /* pid */
	LODE_ROLE_SWITCH, /* taken by the model, not here */
	LODE_N_ROLES,
};

/* The role of a tracepoint; of LODE_ROLE_ENTER and _EXIT, `*syscall` is the call's name. */
enum lode_event_role lode_event_role_of(const char *tracepoint, const char **syscall);

/* The fields and the stack that the role needs, into a wish of which nothing else is set. */
void lode_event_role_wish(enum lode_event_role role, struct lode_tap_wish *wish);

/* "NET_RX" for 3; "7" and the like are written to `buffer`. */
const char *lode_softirq_name(uint64_t vec, char *buffer, size_t size);

/* Whether a futex call with this operation waits. */
bool lode_futex_op_waits(uint64_t op);

enum { LODE_METRIC_KEYS = 4 }; /* fields of one `by`, at most */

struct lode_own_metric {
	const char *text;		/* as given, for messages */
	const char *name, *begin, *end; /* `begin`, `end`: events, "irq:irq_handler_entry" */
	unsigned n_keys;		/* 0: by thread */
	const char *begin_key[LODE_METRIC_KEYS], *end_key[LODE_METRIC_KEYS];
};

/* `{ 0 }` is the empty spec: everything. Strings live in its arena. */
struct lode_metric_spec {
	LODE_VEC(const char *) globs;
	LODE_VEC(struct lode_own_metric) own;
	struct lode_arena arena;
};

/* Adds one text of `--metric`. LODE_ERR_ARG says what is wrong with it, and what a right one is. */
int lode_metric_spec_add(struct lode_metric_spec *spec, const char *text, struct lode_error *err);
void lode_metric_spec_release(struct lode_metric_spec *spec);

/* Whether a metric of this name ("syscall:statx"), which is not an own one, is asked for. NULL: as
   the empty spec. */
bool lode_metric_spec_wants(const struct lode_metric_spec *spec, const char *name);

/* Whether any name that begins with `kind` and a colon may be asked for: "offcpu". */
bool lode_metric_spec_may_want(const struct lode_metric_spec *spec, const char *kind);
