/* What speaks for and against two functions being one. */
#include "engine/aliases/alias_search.h"

#include <math.h>

static const double other_build = 4;	  /* no release of the kernel is on both sides */
static const double same_build = -1;	  /* one is */
static const double most_border = 3;	  /* at most for a border that others keep to */
static const double other_release = 0.25; /* weight of what only one side's recordings have */

/* LIMIT: of the paths of two functions so many steps are compared: deep recursion has the square of
   its depth. */
enum { MAX_STEPS = 1 << 22 };

/* ---- Chance ---- */

/* -ln of the probability that random sets of a and b of m recordings are disjoint. */
double lode_alias_exclusion(double m, double a, double b)
{
	int sign;

	if (a + b > m)
		m = a + b;
	return lgamma_r(m + 1, &sign) + lgamma_r(m - a - b + 1, &sign) -
	       lgamma_r(m - a + 1, &sign) - lgamma_r(m - b + 1, &sign);
}

/* How unlikely it is that two functions keep by chance to the sides of a border; 0: they do not. */
static double keeps_border(const struct lode_alias_search *s,
			   const struct lode_alias_border *border,
			   const struct lode_alias_streams *a, const struct lode_alias_streams *b)
{
	double n = (double)s->n_streams;

	if (!lode_alias_exclude(a, &border->side[1], s->n_streams) ||
	    !lode_alias_exclude(b, &border->side[0], s->n_streams))
		return 0;
	return lode_alias_exclusion(n, a->n, border->side[1].n) +
	       lode_alias_exclusion(n, b->n, border->side[0].n);
}

double lode_alias_border_evidence(const struct lode_alias_search *s,
				  const struct lode_alias_streams *a,
				  const struct lode_alias_streams *b)
{
	double most = 0;

	for (size_t i = 0; i < s->borders.n; i++)
		most = fmax(most, fmax(keeps_border(s, &s->borders.at[i], a, b),
				       keeps_border(s, &s->borders.at[i], b, a)));
	return fmin(most, most_border);
}

static void streams_copy(struct lode_alias_search *s, struct lode_alias_streams *to,
			 const struct lode_alias_streams *from)
{
	size_t n_words = (s->n_streams + 63) / 64;

	to->bits = lode_arena_array(&s->arena, uint64_t, n_words);
	to->n = from->n;
	memcpy(to->bits, from->bits, n_words * sizeof(*to->bits));
}

void lode_alias_keep_border(struct lode_alias_search *s, const struct lode_alias_streams *a,
			    const struct lode_alias_streams *b)
{
	struct lode_alias_border border;

	streams_copy(s, &border.side[0], a);
	streams_copy(s, &border.side[1], b);
	lode_vec_append(&s->borders, border);
}

/* ---- Builds ---- */

static bool has_stream(const struct lode_alias_streams *streams, size_t i)
{
	return streams->bits[i / 64] >> (i & 63) & 1;
}

static const char *release_of(const struct lode_alias_search *s, size_t stream)
{
	return s->digest->tree.strings.text.at[s->digest->streams.at[stream].kernel];
}

/*
 * What the kernel's releases of two groups of recordings say: none is in both (evidence for), one
 * is in both (against), or they are not known.
 */
double lode_alias_kernel_evidence(const struct lode_alias_search *s, uint32_t frame,
				  const struct lode_alias_streams *a,
				  const struct lode_alias_streams *b)
{
	struct lode_map in_a = {0};
	double evidence = 0;

	if (!(s->digest->tree.frames.at[frame].flags & LODE_FRAME_KERNEL))
		return 0;
	for (size_t i = 0; i < s->n_streams; i++)
		if (has_stream(a, i) && *release_of(s, i))
			*lode_map_slot(&in_a, s->digest->streams.at[i].kernel) = 1;
	for (size_t i = 0; i < s->n_streams && in_a.n && evidence >= 0; i++)
		if (has_stream(b, i) && *release_of(s, i))
			evidence =
				lode_map_find(&in_a, s->digest->streams.at[i].kernel) == LODE_NONE
					? other_build
					: same_build;
	lode_map_release(&in_a);
	return evidence;
}

/* Share of two functions' cost that has the same neighbours on one side. */
double lode_alias_overlap(const struct lode_alias_search *s, enum lode_alias_side side, uint32_t f,
			  uint32_t g)
{
	const struct lode_alias_neighbour *at = s->sides[side].at;
	size_t i = s->start[side][f], i_end = s->start[side][f + 1];
	size_t j = s->start[side][g], j_end = s->start[side][g + 1];
	double sum = 0;

	while (i < i_end && j < j_end) {
		if (at[i].other == at[j].other && at[i].other != LODE_NONE)
			sum += fmin((double)at[i].cost / (double)s->tree.cost[f],
				    (double)at[j].cost / (double)s->tree.cost[g]);
		if (at[i].other <= at[j].other)
			i++;
		else
			j++;
	}
	return sum;
}

/* Recordings in which one of both can be expected: those that have a caller of both, or a callee of
   both if these are fewer. */
double lode_alias_possible(const struct lode_alias_search *s, uint32_t f, uint32_t g)
{
	size_t n_words = (s->n_streams + 63) / 64;
	uint64_t *any = lode_alloc(n_words * sizeof(*any));
	size_t least = s->n_streams;

	for (int side = 0; side < LODE_ALIAS_N_SIDES; side++) {
		const struct lode_alias_neighbour *at = s->sides[side].at;
		size_t i = s->start[side][f], j = s->start[side][g], n = 0;

		memset(any, 0, n_words * sizeof(*any));
		while (i < s->start[side][f + 1] && j < s->start[side][g + 1]) {
			if (at[i].other == at[j].other && at[i].other != LODE_NONE &&
			    (double)at[i].cost >= lode_alias_neglected * (double)s->tree.cost[f] &&
			    (double)at[j].cost >= lode_alias_neglected * (double)s->tree.cost[g])
				for (size_t w = 0; w < n_words; w++)
					any[w] |= s->tree.streams[at[i].other].bits[w];
			if (at[i].other <= at[j].other)
				i++;
			else
				j++;
		}
		for (size_t w = 0; w < n_words; w++)
			n += (size_t)__builtin_popcountll(any[w]);
		least = n && n < least ? n : least;
	}
	free(any);
	return (double)least;
}

/* ---- Paths ---- */

void lode_alias_add_path(struct lode_alias_search *s, double *sums, uint32_t frame, double cost)
{
	if (!s->is_on_path[frame]) {
		s->is_on_path[frame] = true;
		lode_vec_append(&s->on_path, frame);
	}
	sums[frame] += cost;
	s->n_steps++;
}

/* Adds a node's callers, and what it calls, by cost. */
void lode_alias_add_paths(struct lode_alias_search *s, int which, uint32_t node, bool with_node)
{
	const struct lode_alias_node *nodes = s->tree.nodes.at;
	double cost = (double)nodes[node].cost;

	for (uint32_t n = nodes[node].parent; n && s->n_steps < MAX_STEPS; n = nodes[n].parent)
		lode_alias_add_path(s, s->above[which], nodes[n].frame, cost);
	if (with_node)
		lode_alias_add_path(s, s->below[which], nodes[node].frame, cost);
	for (uint32_t n = nodes[node].child; n && s->n_steps < MAX_STEPS;) {
		lode_alias_add_path(s, s->below[which], nodes[n].frame, (double)nodes[n].cost);
		if (nodes[n].child) {
			n = nodes[n].child;
			continue;
		}
		while (n != node && !nodes[n].sibling)
			n = nodes[n].parent;
		n = n == node ? 0 : nodes[n].sibling;
	}
}

void lode_alias_clear_paths(struct lode_alias_search *s)
{
	for (size_t i = 0; i < s->on_path.n; i++) {
		uint32_t f = s->on_path.at[i];

		s->is_on_path[f] = false;
		s->above[0][f] = s->above[1][f] = s->below[0][f] = s->below[1][f] = 0;
	}
	s->on_path.n = 0;
	s->n_steps = 0;
}

/*
 * Similarity of what was added as 0 and as 1, which cost so much in these streams: as the paper's
 * of two patterns (clusters/similarity.h), for all paths at once. Functions in few stacks weigh
 * more, those that the other side's recordings do not have at all less: they may have another name
 * there.
 */
double lode_alias_likeness(const struct lode_alias_search *s, const double *cost,
			   const struct lode_alias_streams *streams)
{
	double both = 0, any = 0;

	for (size_t i = 0; i < s->on_path.n; i++) {
		uint32_t f = s->on_path.at[i];
		double weight = 1.05 - fmin(1, (double)s->tree.cost[f] / (double)s->tree.all);
		double a = fmin(1, s->above[0][f] / cost[0]), b = fmin(1, s->above[1][f] / cost[1]);
		double c = fmin(1, s->below[0][f] / cost[0]), d = fmin(1, s->below[1][f] / cost[1]);

		if ((a + c <= 0 || b + d <= 0) &&
		    lode_alias_exclude(&s->tree.streams[f], &streams[a + c > 0], s->n_streams))
			weight *= other_release;
		both += weight * (fmin(a, b) + fmin(c, d));
		any += weight * (a + b + c + d - fmin(a, b) - fmin(c, d));
	}
	return any > 0 ? both / any : 0;
}
