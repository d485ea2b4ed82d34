/*
 * Clients that are too slow: those that send a header a byte at a time, or never read an answer;
 * and those that are too many.
 *
 *   connected --(header_ms)--> asked --(body_ms)--> sent --(answer_ms)--> done --(header_ms)--> ...
 *
 * Every connection has a deadline for what is next. A thread of this module shuts down sockets that
 * miss theirs; the connection's owner then finds it at its end. All calls from any thread.
 *
 * All clients of this machine have one address, so a limit per address would let one of them keep
 * the others out. Instead, when there are too many connections, each new one ends another: one that
 * awaits a header, if any does, and of those the one that has done so for longest. A client that
 * asks at once has its answer long before its turn comes.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct lode_overdue;
struct lode_overdue_connection;

/* In the order in which they give way to new connections; those whose question is being answered
   do not. */
enum lode_overdue_phase {
	LODE_AWAITS_HEADER,
	LODE_AWAITS_BODY,
	LODE_AWAITS_READER,
	LODE_AWAITS_ANSWER,
	LODE_N_PHASES
};

/* `most`: connections without others giving way to new ones. */
struct lode_overdue *lode_overdue_start(const int64_t limits_ms[LODE_N_PHASES], size_t most);
/* All connections must have left. NULL does nothing. */
void lode_overdue_stop(struct lode_overdue *overdue);

/* A connection on the socket `fd`, which awaits its first header. */
struct lode_overdue_connection *lode_overdue_enter(struct lode_overdue *overdue, int fd);
/* Before the socket is closed: its number may be another's right after. */
void lode_overdue_leave(struct lode_overdue *overdue, struct lode_overdue_connection *connection);

/* What it awaits now: its time starts again. */
void lode_overdue_phase(struct lode_overdue *overdue, struct lode_overdue_connection *connection,
			enum lode_overdue_phase phase);
/* It awaits an answer; false: half of `most` do already, and it stays what it was. */
bool lode_overdue_await_answer(struct lode_overdue *overdue,
			       struct lode_overdue_connection *connection);

/* LIMIT: of answers that are made for one connection each, and not read to their end. */
#define LODE_OVERDUE_HELD_BYTES ((size_t)128 << 20)

/* It now awaits the reader of so many bytes, and the slowest reader gives way if all these
   are too many. */
void lode_overdue_hold(struct lode_overdue *overdue, struct lode_overdue_connection *connection,
		       size_t bytes);
