/*
 * Whose wait a cluster is: the name, or else the program, of the symptoms that four fifths of its
 * cost in symptoms agree on. Of CPU time that several programs share it is "clang and 11 others".
 */
#pragma once

#include "engine/mine/mine.h"

enum { LODE_WHO = 64 };

/*
 * "" if they do not agree, or of bare stacks, whose one thread is called by its file and has no
 * name. O(symptoms of the cluster).
 */
void lode_cluster_who(char out[LODE_WHO], const struct lode_mined *mined,
		      const struct lode_cluster *cluster);

/* How much of a cluster's cost must agree for a line to say it: at four fifths, one odd pattern
   hides nothing, and what a quarter of the cost lacks is not in the line. */
static inline int64_t lode_agreed_ns(int64_t cost_ns)
{
	return cost_ns - cost_ns / 5;
}
