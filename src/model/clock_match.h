/*
 * How far two hosts' clocks are apart, whatever they say: found by the bytes that went between
 * them.
 *
 *   web1   |send 40|.......|receive 900|.........|send 35|..|receive 12|      turns of one
 * connection db1         |receive 40|send 900|........|receive 35|send 12|             its other
 * end
 *
 * A turn is all that one end sends until the other one answers. The two ends of a connection are
 * the sockets with each other's addresses; their turns have equal sizes in one order, and each
 * place at which these agree says between which bounds the clocks must differ, as no byte is
 * received before it is sent. What most turns of all connections agree on is the offset. Nothing is
 * assumed of when the recordings were made, or that they cover the same turns.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct lode_connections;

struct lode_clock_match {
	int64_t offset_ns;    /* to add to the second one's times */
	size_t n_turns;	      /* that fit it; 0: none */
	int64_t other_ns;     /* another one that fits most turns, */
	size_t n_other_turns; /* of which there are so many */
	size_t n_expected;    /* turns that fit the offset that was expected */
	bool is_unique;	      /* enough turns, and more than twice those of any other */
};

/*
 * Matches `b` with `a` (NULL: without connections). `expected_ns` is what clocks say, INT64_MIN:
 * nothing; offsets within 20 ms of it are taken for it. O(turns of one end * those of the other)
 * for short connections, linear in both for long ones.
 */
void lode_clock_match_find(struct lode_clock_match *out, const struct lode_connections *a,
			   const struct lode_connections *b, int64_t expected_ns);
