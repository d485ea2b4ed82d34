/* Which stacks contain which patterns, as subsequences. */
#include "engine/mine/match.h"

void lode_postings_count(struct lode_postings *out, const struct lode_stackset *set,
			 size_t n_frames, struct lode_arena *arena)
{
	/* last[f]: the latest stack counted for f, so that recursion counts once. */
	uint32_t *last = lode_alloc(n_frames * sizeof(*last));

	*out = (struct lode_postings){.n_frames = n_frames};
	out->start = lode_arena_array(arena, size_t, n_frames + 2);
	memset(out->start, 0, (n_frames + 2) * sizeof(*out->start));
	memset(last, 0xff, n_frames * sizeof(*last));
	for (size_t s = 0; s < set->n; s++) {
		lode_stackset_pass(set, s);
		for (size_t i = set->start[s]; i < set->start[s + 1]; i++)
			if (last[set->items[i]] != s) {
				last[set->items[i]] = (uint32_t)s;
				out->start[set->items[i] + 1]++;
			}
	}
	for (size_t f = 0; f < n_frames; f++)
		out->start[f + 1] += out->start[f];
	free(last);
}

void lode_postings_build(struct lode_postings *out, const struct lode_stackset *set,
			 size_t n_frames, struct lode_arena *arena)
{
	uint32_t *last = lode_alloc(n_frames * sizeof(*last));
	size_t *fill = lode_alloc((n_frames + 1) * sizeof(*fill));

	lode_postings_count(out, set, n_frames, arena);
	memcpy(fill, out->start, (n_frames + 1) * sizeof(*fill));
	out->stacks = lode_arena_array(arena, uint32_t, out->start[n_frames]);
	memset(last, 0xff, n_frames * sizeof(*last));
	for (size_t s = 0; s < set->n; s++) {
		lode_stackset_pass(set, s);
		for (size_t i = set->start[s]; i < set->start[s + 1]; i++)
			if (last[set->items[i]] != s) {
				last[set->items[i]] = (uint32_t)s;
				out->stacks[fill[set->items[i]]++] = (uint32_t)s;
			}
	}
	free(fill);
	free(last);
}

uint32_t lode_postings_rarest(const struct lode_postings *postings, const uint32_t *frames,
			      size_t n_frames)
{
	uint32_t best = frames[0];

	for (size_t i = 1; i < n_frames; i++)
		if (postings->start[frames[i] + 1] - postings->start[frames[i]] <
		    postings->start[best + 1] - postings->start[best])
			best = frames[i];
	return best;
}

uint64_t lode_frames_filter(const uint32_t *frames, size_t n_frames)
{
	uint64_t filter = 0;

	for (size_t i = 0; i < n_frames; i++)
		filter |= lode_frame_bit(frames[i]);
	return filter;
}
