/*
 * When tcp:tcp_rcv_space_adjust is recorded: it names the ends of connections that are older than
 * the recording, and comes with each receive, though once for each connection would do.
 *
 *   few receives     |on ------------------------------------------------------->
 *   many on a CPU    |on|off               |on|off               |on ------------>
 *                    0  50 ms            500 ms                1 s    few again
 *
 * So nothing is missing unless a CPU is busy with receives; then a connection that is older than
 * the recording is named if it receives while a tenth of the time lasts. Newer ones are named by
 * sock:inet_sock_set_state in any case.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Receives per second on one CPU that are taken all the time: they cost less than 1 % of it. */
enum { LODE_MOST_NAMED_PER_S = 5000 };

struct lode_socket_names {
	size_t n_cpus; /* 0: it is on all the time */
	struct lode_names_cpu {
		int counter; /* -1: none */
		uint64_t n_counted;
	} * cpus;
	bool is_on;
	int64_t turn_ns; /* when it went on last */
	int64_t seen_ns; /* up to when receives have been counted */
	int64_t due_ns;	 /* when to look next; INT64_MAX: never */
};

/* What perf has to be told. */
enum lode_names_change { LODE_NAMES_AS_THEY_ARE, LODE_NAMES_ON, LODE_NAMES_OFF };

/* perf's commands, with line feed. */
extern const char lode_names_on[], lode_names_off[];

/* Whether `perf` can turn single events on and off (5.12); older ones would turn all of them. */
bool lode_perf_turns_events(const char *perf);
/* The same of what `perf --version` prints. */
bool lode_version_turns_events(const char *text);

/* All events are on; counts from now. */
void lode_socket_names_begin(struct lode_socket_names *names, int64_t now_ns);
void lode_socket_names_end(struct lode_socket_names *names);

/* To be called when it is due; changes nothing if `can_tell` is false. */
enum lode_names_change lode_socket_names_tick(struct lode_socket_names *names, int64_t now_ns,
					      bool can_tell);
/* The decision alone: `most` receives on one CPU since it was seen last. */
enum lode_names_change lode_socket_names_decide(struct lode_socket_names *names, uint64_t most,
						int64_t now_ns);
