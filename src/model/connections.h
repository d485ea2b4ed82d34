/*
 * Sends and receives over TCP connections, and which send a receive got its bytes from.
 *
 *   thread 7   |run send|~~~~~~~~~~~~ wait ~~~~~~~~~~~~|receive run|
 *                     \                               /
 *   thread 9   |run: another one's request  |receive run send|
 *
 * Thread 9 was not woken: it was awake when the request came, and found it later. What joins them
 * is the order of bytes (model/byte_pairing.h) between two sockets that have each other's address.
 *
 * A source tells records in time order (lode_builder_socket); lode_connections_link works out the
 * rest when the threads' events are complete. Where sends and receives were not recorded, a stream
 * has no connections, and nothing changes.
 */
#pragma once

#include "model/byte_pairing.h"
#include "model/stream.h"

enum lode_socket_act {
	LODE_SOCKET_SENT,
	LODE_SOCKET_RECEIVED,
	LODE_SOCKET_CONNECTS, /* an end that asks: its port is known later */
	LODE_SOCKET_UP,	      /* established: from here on both ends are known */
	LODE_SOCKET_NAMED,    /* its ends, at any time */
	LODE_SOCKET_CLOSED,
};

/* One record of a source. */
struct lode_socket_record {
	int64_t t_ns;
	uint32_t cpu; /* UINT32_MAX unknown */
	int32_t tid;
	enum lode_socket_act act;
	uint64_t socket;    /* the kernel's number; given again when the socket is gone */
	int64_t n_bytes;    /* sent, received */
	uint64_t own, peer; /* hashes of address and port: UP, NAMED */
	bool is_loopback;   /* an address that every host has */
	bool asks;	    /* by its ports: the own is the larger one, as those of clients are */
};

struct lode_socket {
	uint64_t own, peer; /* 0: not known */
	int64_t born_ns;    /* INT64_MIN: before the recording */
	int64_t died_ns;
	uint32_t host;	/* among recordings of several hosts */
	uint32_t other; /* the other end; LODE_NONE: not recorded, or not to be told */
	bool is_loopback;
	bool asks; /* a client's end: it connected, or seems to have */
};

/* A send or a receive. */
struct lode_transfer {
	int64_t t_ns, before_ns; /* as in struct lode_moved */
	uint32_t n_bytes;
	uint32_t socket;
	lode_thread_id thread;
	bool is_send;
	/* The transfers at the other end that have its first and its last byte; LODE_NONE: not
	   known. */
	uint32_t first, last;
};

/* Where records of a host are missing: in order, apart. */
struct lode_host_gaps {
	LODE_VEC(struct lode_record_gap) gaps;
};

struct lode_connections {
	LODE_VEC(struct lode_socket) sockets;
	LODE_VEC(struct lode_transfer) transfers; /* in order of time */
	LODE_VEC(struct lode_host_gaps) hosts;	  /* one, if the recording is not joined */
	size_t n_linked;			  /* receives whose sends are known */

	/* Transfers by thread, and by socket: of each in order of time, in *_first[i] ..
	 *_first[i + 1]. */
	uint32_t *by_thread, *thread_first, *by_socket, *socket_first;
	size_t n_threads;

	/* While records come. */
	struct lode_map socket_of;	  /* the kernel's number -> its latest socket */
	LODE_VEC(int64_t) thread_last_ns; /* per thread: its last transfer */
	LODE_VEC(int64_t) cpu_last_ns;	  /* per CPU: its last record here */
};

void lode_connections_free(struct lode_connections *connections);

/* ---- While records come, in order of time ---- */

void lode_connections_add(struct lode_connections *connections,
			  const struct lode_socket_record *record, lode_thread_id thread);
/* Records of a CPU (UINT32_MAX: any) are missing before `t_ns`. */
void lode_connections_lost(struct lode_connections *connections, int64_t t_ns, uint32_t cpu);

/* ---- Then ---- */

/*
 * Finds the two ends of each connection, links receives to sends, and says of waits that the
 * network or an unknown thread ended who sent what was read next: `other` is then that thread. The
 * stream's events must be complete, with reasons. May be done again when others' were appended.
 */
void lode_connections_link(struct lode_stream *stream);

/* ---- Of several hosts (model/join.h) ---- */

/* Adds to all times of a host's; NULL: nothing to do. */
void lode_connections_shift(struct lode_connections *connections, uint32_t host, int64_t by_ns);
/*
 * Appends what `from` has of connections to those of `to`, where its threads were appended from
 * `first_thread` on, as those of `host`. Links are gone until lode_connections_link.
 */
void lode_connections_append(struct lode_stream *to, const struct lode_stream *from,
			     lode_thread_id first_thread, uint32_t host);
/*
 * What to add to the times of `host` so that nothing is received before it is sent: the middle
 * between what the smallest delays in both directions allow, if that leaves less than a
 * millisecond; else the least that they ask for. *n_links: how many receives say so.
 */
int64_t lode_connections_clock_error(struct lode_stream *stream, uint32_t host, size_t *n_links);

/*
 * Whose request `server` was at while `waiter`, in its waiting event `wait`, which `server` ended,
 * had to wait for its own: at `t_ns`. LODE_NONE: not known, or it was `waiter`'s. Sets
 * *until_ns to when that may change, or INT64_MAX, and *is_queued to whether the request stood in a
 * queue, whosever `server` was at. O(log n + transfers of `server` until then).
 */
lode_thread_id lode_connections_serves(const struct lode_stream *stream, lode_thread_id waiter,
				       size_t wait, lode_thread_id server, int64_t t_ns,
				       int64_t *until_ns, bool *is_queued);
