#include "analyses/clusters/joining.h"

#include <stdbool.h>
#include <stdlib.h>

#include "base/map.h"

__extension__ typedef unsigned __int128 wide;

/* What is known of the pairs between two clusters. */
struct link {
	uint64_t sum; /* of the known similarities; complete linkage: the lowest */
	uint64_t n;   /* how many are known */
};

/* A cluster that has a known pair with this one. */
struct neighbour {
	uint32_t cluster;
	uint32_t link; /* shared by both sides */
};

/* A similarity as a fraction, so that two of them compare exactly. */
struct fraction {
	uint64_t sum, n;
};

struct candidate {
	double bound; /* for the order of looking only */
	struct neighbour neighbour;
};

/* A cluster goes by its smallest item. */
struct state {
	const struct lode_joining *in;
	size_t *start; /* per item + 1: the other sides of its pairs, sorted, in `other` */
	uint32_t *other;
	struct lode_map computed; /* pairs below the cut that were needed */
	LODE_VEC(struct link) links;
	LODE_VEC(struct neighbour) * near; /* per cluster; some may be gone */
	uint32_t *size;
	bool *is_open;	       /* may still be joined */
	uint32_t *next, *last; /* members of a cluster as a list */
	uint32_t *place; /* scratch of join: where a cluster stands in a list, else LODE_NONE */
	LODE_VEC(struct candidate) candidates;
	uint32_t *first_of;
};

/* < 0 when x is the more similar. */
static int compare_fractions(struct fraction x, struct fraction y)
{
	wide left = (wide)x.sum * y.n, right = (wide)y.sum * x.n;

	return (left < right) - (left > right);
}

static uint64_t n_pairs(const struct state *s, uint32_t a, uint32_t b)
{
	return (uint64_t)s->size[a] * s->size[b];
}

/* The similarity that the clusters have at most: unknown pairs are below the cut. */
static struct fraction at_most(const struct state *s, uint32_t a, struct neighbour b)
{
	const struct link *link = &s->links.at[b.link];
	uint64_t n = n_pairs(s, a, b.cluster);

	if (s->in->linkage == LODE_LINKAGE_COMPLETE)
		return (struct fraction){link->n == n ? link->sum : 0, 1};
	return (struct fraction){link->sum + (n - link->n) * (s->in->cut - 1), n};
}

/* Whether (a, b) would be joined before (a, found), which has the similarity `best`. */
static bool goes_first(struct fraction f, uint32_t b, struct fraction best, uint32_t found)
{
	int order = compare_fractions(f, best);

	return order < 0 || (order == 0 && b < found);
}

static bool is_listed(const struct state *s, uint32_t a, uint32_t b)
{
	size_t from = s->start[a], to = s->start[a + 1], middle;

	while (from < to) {
		middle = from + (to - from) / 2;
		if (s->other[middle] < b)
			from = middle + 1;
		else
			to = middle;
	}
	return from < s->start[a + 1] && s->other[from] == b;
}

/* Computes unknown pairs until all are known, or `b` cannot be the nearest any more. */
static void complete(struct state *s, uint32_t a, struct neighbour b, struct fraction best,
		     uint32_t found)
{
	struct link *link = &s->links.at[b.link];
	uint64_t n = n_pairs(s, a, b.cluster), key;
	uint32_t *slot;

	for (uint32_t i = a; i != LODE_NONE; i = s->next[i])
		for (uint32_t k = b.cluster; k != LODE_NONE; k = s->next[k]) {
			if (is_listed(s, i, k))
				continue;
			key = i < k ? (uint64_t)i << 32 | k : (uint64_t)k << 32 | i;
			slot = lode_map_slot(&s->computed, key);
			if (*slot != LODE_NONE)
				continue;
			*slot = s->in->similarity(s->in->context, i, k);
			link->sum += *slot;
			link->n++;
			if (link->n == n || !goes_first(at_most(s, a, b), b.cluster, best, found))
				return;
		}
}

static int compare_candidates(const void *a, const void *b)
{
	const struct candidate *x = a, *y = b;

	if (x->bound != y->bound)
		return x->bound > y->bound ? -1 : 1;
	return (x->neighbour.cluster > y->neighbour.cluster) -
	       (x->neighbour.cluster < y->neighbour.cluster);
}

/* The cluster that `a` would be joined with first, or LODE_NONE when nothing is >= cut. */
static uint32_t nearest(struct state *s, uint32_t a)
{
	struct fraction best = {s->in->cut, 1}, f;
	uint32_t found = LODE_NONE;
	size_t kept = 0, i;

	s->candidates.n = 0;
	for (i = 0; i < s->near[a].n; i++) {
		struct neighbour b = s->near[a].at[i];

		if (!s->is_open[b.cluster])
			continue;
		s->near[a].at[kept++] = b;
		f = at_most(s, a, b);
		if (!goes_first(f, b.cluster, best, found))
			continue;
		if (s->links.at[b.link].n == n_pairs(s, a, b.cluster)) {
			best = f;
			found = b.cluster;
		} else {
			lode_vec_append(&s->candidates,
					((struct candidate){(double)f.sum / (double)f.n, b}));
		}
	}
	s->near[a].n = kept;
	if (s->candidates.n > 1)
		qsort(s->candidates.at, s->candidates.n, sizeof(*s->candidates.at),
		      compare_candidates);
	for (i = 0; i < s->candidates.n; i++) {
		struct neighbour b = s->candidates.at[i].neighbour;

		if (!goes_first(at_most(s, a, b), b.cluster, best, found))
			continue;
		complete(s, a, b, best, found);
		f = at_most(s, a, b);
		if (goes_first(f, b.cluster, best, found)) {
			best = f;
			found = b.cluster;
		}
	}
	return found;
}

static void add_link(struct state *s, uint32_t into, uint32_t from)
{
	struct link *x = &s->links.at[into];
	const struct link *y = &s->links.at[from];

	if (s->in->linkage == LODE_LINKAGE_COMPLETE)
		x->sum = y->sum < x->sum ? y->sum : x->sum;
	else
		x->sum += y->sum;
	x->n += y->n;
}

static void join(struct state *s, uint32_t a, uint32_t b)
{
	uint32_t into = a < b ? a : b, from = a < b ? b : a;
	struct neighbour n;
	size_t i;

	s->is_open[from] = false;
	s->first_of[from] = into;
	for (i = 0; i < s->near[into].n; i++)
		s->place[s->near[into].at[i].cluster] = (uint32_t)i;
	for (i = 0; i < s->near[from].n; i++) {
		n = s->near[from].at[i];
		if (n.cluster == into || !s->is_open[n.cluster])
			continue;
		if (s->place[n.cluster] != LODE_NONE) {
			add_link(s, s->near[into].at[s->place[n.cluster]].link, n.link);
			continue;
		}
		lode_vec_append(&s->near[into], n);
		n.cluster = into;
		lode_vec_append(&s->near[s->near[from].at[i].cluster], n);
	}
	for (i = 0; i < s->near[into].n; i++)
		s->place[s->near[into].at[i].cluster] = LODE_NONE;
	lode_vec_release(&s->near[from]);
	s->size[into] += s->size[from];
	s->next[s->last[into]] = from;
	s->last[into] = s->last[from];
}

/* Nearest-neighbour chains, as in linkage.c. */
static void chain_of_neighbours(struct state *s)
{
	LODE_VEC(uint32_t) chain = {0};
	uint32_t next;

	for (uint32_t first = 0; first < s->in->n;) {
		if (!chain.n && !s->is_open[first]) {
			first++;
			continue;
		}
		if (!chain.n)
			lode_vec_append(&chain, first);
		next = nearest(s, chain.at[chain.n - 1]);
		if (next == LODE_NONE) {
			s->is_open[chain.at[--chain.n]] = false;
		} else if (chain.n > 1 && next == chain.at[chain.n - 2]) {
			join(s, chain.at[chain.n - 1], next);
			chain.n -= 2;
		} else {
			lode_vec_append(&chain, next);
		}
	}
	lode_vec_release(&chain);
}

static int compare_items(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

static void state_init(struct state *s)
{
	const lode_pair_vec *pairs = s->in->pairs;
	size_t n = s->in->n;

	s->start = lode_alloc0(n + 2, sizeof(*s->start));
	s->other = lode_alloc(2 * pairs->n * sizeof(*s->other));
	s->near = lode_alloc0(n, sizeof(*s->near));
	s->size = lode_alloc(n * sizeof(*s->size));
	s->is_open = lode_alloc(n * sizeof(*s->is_open));
	s->next = lode_alloc(n * sizeof(*s->next));
	s->last = lode_alloc(n * sizeof(*s->last));
	s->place = lode_alloc(n * sizeof(*s->place));
	for (uint32_t i = 0; i < n; i++) {
		s->size[i] = 1;
		s->is_open[i] = true;
		s->next[i] = s->place[i] = LODE_NONE;
		s->last[i] = i;
	}
	for (size_t i = 0; i < pairs->n; i++) {
		s->start[pairs->at[i].a + 2]++;
		s->start[pairs->at[i].b + 2]++;
	}
	for (size_t i = 2; i < n + 2; i++)
		s->start[i] += s->start[i - 1];
	for (size_t i = 0; i < n; i++)
		lode_vec_reserve(&s->near[i], s->start[i + 2] - s->start[i + 1]);
	lode_vec_reserve(&s->links, pairs->n);
	for (uint32_t i = 0; i < pairs->n; i++) {
		struct lode_pair p = pairs->at[i];

		s->other[s->start[p.a + 1]++] = p.b;
		s->other[s->start[p.b + 1]++] = p.a;
		lode_vec_append(&s->links, ((struct link){p.similarity, 1}));
		lode_vec_append(&s->near[p.a], ((struct neighbour){p.b, i}));
		lode_vec_append(&s->near[p.b], ((struct neighbour){p.a, i}));
	}
	for (size_t i = 0; i < n; i++)
		if (s->start[i + 1] > s->start[i])
			qsort(s->other + s->start[i], s->start[i + 1] - s->start[i],
			      sizeof(*s->other), compare_items);
}

static void state_release(struct state *s)
{
	for (size_t i = 0; i < s->in->n; i++)
		lode_vec_release(&s->near[i]);
	free(s->start);
	free(s->other);
	free(s->near);
	free(s->size);
	free(s->is_open);
	free(s->next);
	free(s->last);
	free(s->place);
	lode_map_release(&s->computed);
	lode_vec_release(&s->links);
	lode_vec_release(&s->candidates);
}

static uint32_t find_first(uint32_t *first_of, uint32_t i)
{
	while (first_of[i] != i)
		i = first_of[i] = first_of[first_of[i]];
	return i;
}

void lode_join_similar(uint32_t *first_of, const struct lode_joining *joining)
{
	struct state s = {.in = joining, .first_of = first_of};
	uint32_t a, b;

	for (uint32_t i = 0; i < joining->n; i++)
		first_of[i] = i;
	if (joining->linkage == LODE_LINKAGE_SINGLE) {
		/* Whatever similar pairs connect. */
		for (size_t i = 0; i < joining->pairs->n; i++) {
			a = find_first(first_of, joining->pairs->at[i].a);
			b = find_first(first_of, joining->pairs->at[i].b);
			first_of[a > b ? a : b] = a < b ? a : b;
		}
	} else {
		state_init(&s);
		chain_of_neighbours(&s);
		state_release(&s);
	}
	for (uint32_t i = 0; i < joining->n; i++)
		first_of[i] = find_first(first_of, i);
}
