/*
 * Which programs took the CPU, in recordings that have nothing but CPU samples: the area of
 * interest by the name of its threads, as `perf report --sort comm` has it.
 */
#pragma once

#include "model/digest.h"

struct lode_mine_program {
	const char *name;	   /* of its threads; borrowed from the digest */
	int64_t cost_ns, other_ns; /* other_ns: in stacks that no pattern explains */
	uint64_t n_threads;
};

struct lode_mine_cpu {
	const struct lode_mine_program *programs; /* by cost */
	size_t n_programs, n_listed, n_more;
	const char *other; /* in words: whose the cost is that no pattern explains; NULL: none */
};

struct lode_mined;

/* By cost, in the arena; gives how many. O(rows + symptoms, of clusters as well). */
size_t lode_mine_programs_find(const struct lode_mine_program **out, const struct lode_mined *mined,
			       struct lode_arena *arena);

/*
 * "xz 25.8 %, clang 19.4 %, 20 others 54.8 %": safe for terminals; shares of `whole_ns`. Of all
 * their cost, or `of_other` of what no pattern explains.
 */
const char *lode_mine_programs_text(struct lode_arena *arena,
				    const struct lode_mine_program *programs, size_t n,
				    int64_t whole_ns, bool of_other);
