/*
 * Where the cost of a cluster goes on behind a headline that ends early, when no function and no
 * thread has half of it: the two or three largest branches.
 *
 *   → scrub  scrub_personal_data 49 %, write 31 %      functions of the headline's last thread
 *   → sh deploy.sh  read → sed 33 %, expr 25 %         threads that it waited for
 *
 * A stack counts for one branch only: for the program's own function that has most, of those that
 * have a tenth of the cost; else for the thread that comes next, by its program; else for a public
 * function of the C library. Branches with less than half of the cost together are none.
 */
#pragma once

#include "answers/clusters/hop_names.h"

enum { LODE_HEADLINE_FORKS = 3 };

struct lode_headline_fork {
	uint32_t frame; /* a function, or a link to a thread of that program */
	double share;	/* of the cluster's cost */
	bool is_thread;
};

/* What one stack has behind the headline: its functions in the last thread, and the next thread. */
struct lode_headline_rest {
	const uint32_t *frames;
	size_t n;
	uint32_t link; /* LODE_NONE: none comes next */
	int64_t cost_ns;
};

/* Fills `out` by share; gives how many. `rests` has all stacks, those that
   lack the headline's last thread included. O(frames). */
size_t lode_headline_forks_find(struct lode_headline_fork out[LODE_HEADLINE_FORKS],
				const struct lode_digest *digest,
				const struct lode_headline_rest *rests, size_t n_rests);

/* "sed", "scrub_personal_data"; escaped. */
const char *lode_headline_fork_name(char *buffer, size_t size, const struct lode_digest *digest,
				    const struct lode_headline_fork *fork);
/* "scrub_personal_data 49 %, write 31 %", "→ sed 33 %, expr 25 %": as many as have room. */
const char *lode_headline_forks_text(char *buffer, size_t size, const struct lode_digest *digest,
				     const struct lode_headline_fork *forks, size_t n,
				     size_t columns);
