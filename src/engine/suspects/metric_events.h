/*
 * The tracepoints that metrics are made of: what each one means, and which of its fields count.
 */
#pragma once

#include "model/tap.h"

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
