/* Finds the functions that stacks can be cut by. */
#include "engine/clusters/stack_functions.h"

#include "base/map.h"
#include "base/sorted.h"

struct candidate {
	uint64_t stacks; /* a hash of those that have it */
	int64_t cost_ns;
	size_t place; /* in the last of them */
	uint32_t frame, rank;
};

LODE_COMPARE(by_rank, struct candidate, LODE_ORDER(a->rank, b->rank))

LODE_COMPARE(dearest_first, struct candidate,
	     LODE_ORDER(b->cost_ns, a->cost_ns) ?: LODE_ORDER(a->rank, b->rank))

static struct candidate *find_candidates(const struct lode_cut_stacks *in, const int64_t *stack_ns)
{
	struct candidate *found = lode_alloc0(in->n_frames, sizeof(*found));
	uint32_t *last = lode_alloc(in->n_frames * sizeof(*last));

	for (uint32_t i = 0; i < in->n_frames; i++) {
		found[i] = (struct candidate){.frame = i, .rank = in->name_rank[i]};
		last[i] = LODE_NONE;
	}
	for (uint32_t s = 0; s < in->n; s++)
		for (size_t i = in->start[s]; i < in->start[s + 1]; i++) {
			struct candidate *f = &found[in->items[i]];

			f->place = i;
			if (last[in->items[i]] == s)
				continue;
			last[in->items[i]] = s;
			f->cost_ns += stack_ns[s];
			f->stacks += lode_hash_u64(s + 1);
		}
	free(last);
	return found;
}

size_t lode_stack_functions(uint32_t *frame_of, uint32_t *function_of, int64_t *held_ns,
			    const struct lode_cut_stacks *in, const int64_t *stack_ns,
			    int64_t least_ns, size_t most, enum lode_function_order order)
{
	struct candidate *found = find_candidates(in, stack_ns);
	size_t *deepest = lode_alloc(in->n_frames * sizeof(*deepest)), n = 0;
	struct lode_map of_stacks = {0};

	memset(function_of, 0xff, in->n_frames * sizeof(*function_of));
	lode_sort(found, in->n_frames, order == LODE_FUNCTIONS_BY_COST ? dearest_first : by_rank);
	for (size_t i = 0; i < in->n_frames; i++) {
		const struct candidate *f = &found[i];
		uint32_t at;

		if (!in->may_name[f->frame] || f->cost_ns < least_ns)
			continue;
		at = lode_map_find(&of_stacks, f->stacks);
		if (at == LODE_NONE && n == most)
			continue;
		if (at == LODE_NONE) {
			*lode_map_slot(&of_stacks, f->stacks) = at = (uint32_t)n++;
			if (held_ns)
				held_ns[at] = f->cost_ns;
			frame_of[at] = f->frame;
			deepest[at] = f->place;
		} else if (f->place > deepest[at]) {
			frame_of[at] = f->frame;
			deepest[at] = f->place;
		}
		function_of[f->frame] = at;
	}
	lode_map_release(&of_stacks);
	free(found);
	free(deepest);
	return n;
}
