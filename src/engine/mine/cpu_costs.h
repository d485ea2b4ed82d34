/*
 * Of all that was mined and of each cluster: who ran while threads were ready, and how much of the
 * cost is time on a CPU in which no sample was taken.
 *
 * What such time was spent on is worked out (model/unsampled.h), so a cluster's own cost has
 * bounds. The least is what it is without. A run without a sample is one of a thread at one place
 * of a chain: the most is what the cluster would cost if all such time at the places that its own
 * stacks have were its.
 */
#pragma once

struct lode_mined;

/* Clusters' own stacks are there. O(rows + nodes + own stacks). */
void lode_cpu_costs(struct lode_mined *mined);
