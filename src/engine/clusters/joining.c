/* Agglomeration from the pairs that are similar enough, without a matrix. */
#include "engine/clusters/joining.h"

#include "base/sorted.h"

__extension__ typedef unsigned __int128 wide;

/* What is known of the pairs between this cluster and another. */
struct link {
	uint64_t cluster : 24; /* or one that was joined to it. LIMIT: 2^24 patterns */
	uint64_t n : 40;       /* how many are known */
	uint64_t sum;	       /* of their similarities; complete linkage: the lowest */
};

/* A similarity as a fraction, so that two of them compare exactly. */
struct fraction {
	uint64_t sum, n;
};

struct candidate {
	double bound; /* for the order of looking only */
	uint32_t cluster;
};

/*
 * A pair below the cut whose similarity was computed: which of its clusters count it in their
 * links. Each side learns of it by itself.
 */
static const uint32_t LOWER_COUNTS = (uint32_t)1 << 30, HIGHER_COUNTS = (uint32_t)1 << 31;

/*
 * A cluster goes by its smallest item. What it knows of its neighbours is the sum of its links and
 * of the pairs of its loose items. A row of pairs is read where it lies as long as that is about as
 * quick as reading links made of it, which take more room: most rows are never copied.
 */
struct state {
	struct lode_arena arena; /* of the arrays */
	const struct lode_joining *in;
	uint32_t *first_of;
	struct lode_map *computed; /* pairs below the cut that were needed, at their lower items */
	LODE_VEC(struct link) * links;
	uint32_t *next, *last;		   /* items of a cluster as a list */
	uint32_t *next_loose, *last_loose; /* those that are loose */
	uint32_t *first_loose;
	uint32_t *size;
	bool *is_open; /* may still be joined */
	/* Of the cluster that is looked at, by neighbour: */
	struct link *near;
	LODE_VEC(uint32_t) touched; /* neighbours: whose near.n is not 0 */
	LODE_VEC(struct candidate) candidates;
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

/* The similarity that cluster `a`, which is looked at, and b have at most: unknown pairs are below
   the cut. */
static struct fraction greatest_similarity(const struct state *s, uint32_t a, uint32_t b)
{
	const struct link *link = &s->near[b];
	uint64_t n = n_pairs(s, a, b);

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

static bool is_similar(const struct lode_similar_pairs *pairs, uint32_t a, uint32_t b)
{
	size_t from = pairs->start[a], to = pairs->start[a + 1], middle;

	while (from < to) {
		middle = from + (to - from) / 2;
		if (pairs->at[middle].other < b)
			from = middle + 1;
		else
			to = middle;
	}
	return from < pairs->start[a + 1] && pairs->at[from].other == b;
}

static uint32_t find_first(uint32_t *first_of, uint32_t i)
{
	while (first_of[i] != i)
		i = first_of[i] = first_of[first_of[i]];
	return i;
}

/* ---- The neighbours of a cluster ---- */

static inline void add(struct state *s, uint32_t item, uint64_t n, uint64_t sum)
{
	uint32_t b = find_first(s->first_of, item);
	struct link *link = &s->near[b];

	if (!link->n)
		lode_vec_append(&s->touched, b);
	if (s->in->linkage != LODE_LINKAGE_COMPLETE)
		link->sum += sum;
	else if (!link->n || sum < link->sum)
		link->sum = sum;
	link->n += n;
}

static void look_away(struct state *s)
{
	for (size_t i = 0; i < s->touched.n; i++)
		s->near[s->touched.at[i]].n = s->near[s->touched.at[i]].sum = 0;
	s->touched.n = 0;
}

/* Forgets `a` itself, and what is not joined any more. */
static void keep_neighbours(struct state *s, uint32_t a)
{
	size_t n = 0;

	for (size_t i = 0; i < s->touched.n; i++) {
		uint32_t b = s->touched.at[i];

		if (b != a && s->is_open[b])
			s->touched.at[n++] = b;
		else
			s->near[b].n = s->near[b].sum = 0;
	}
	s->touched.n = n;
}

/*
 * Fills `near` with what `a` knows. The next time no more is read than some times the number of
 * neighbours: links are made of what was read, if need be.
 */
static void find_near(struct state *s, uint32_t a)
{
	const struct lode_similar_pairs *pairs = s->in->pairs;
	size_t n_read = s->links[a].n;

	for (size_t i = 0; i < s->links[a].n; i++)
		add(s, s->links[a].at[i].cluster, s->links[a].at[i].n, s->links[a].at[i].sum);
	for (uint32_t i = s->first_loose[a]; i != LODE_NONE; i = s->next_loose[i]) {
		n_read += pairs->start[i + 1] - pairs->start[i];
		for (size_t k = pairs->start[i]; k < pairs->start[i + 1]; k++)
			add(s, pairs->at[k].other, 1, pairs->at[k].similarity);
	}
	keep_neighbours(s, a);
	if (n_read <= 6 * s->touched.n)
		return;
	lode_vec_release(&s->links[a]);
	lode_vec_reserve(&s->links[a], s->touched.n);
	for (size_t i = 0; i < s->touched.n; i++)
		lode_vec_append(&s->links[a], s->near[s->touched.at[i]]);
	s->first_loose[a] = LODE_NONE;
}

/* The similarity of a pair below the cut, unless `i`'s cluster counts it already: LODE_NONE. */
static uint32_t learn(struct state *s, uint32_t i, uint32_t k)
{
	uint32_t *slot = lode_map_slot(&s->computed[i < k ? i : k], i < k ? k : i);
	uint32_t counts = i < k ? LOWER_COUNTS : HIGHER_COUNTS;

	if (*slot == LODE_NONE)
		*slot = s->in->similarity(s->in->context, i, k) | counts;
	else if (*slot < LOWER_COUNTS || *slot & counts)
		return LODE_NONE;
	else /* now both count it: no flag */
		return *slot &= LOWER_COUNTS - 1;
	return *slot & (LOWER_COUNTS - 1);
}

/* Computes unknown pairs until all are known, or `b` cannot be the nearest any more. */
static void complete(struct state *s, uint32_t a, uint32_t b, struct fraction best, uint32_t found)
{
	struct link *link = &s->near[b], before = *link;
	uint64_t n = n_pairs(s, a, b);
	bool is_decided = false;
	uint32_t similarity;

	for (uint32_t i = a; i != LODE_NONE && !is_decided; i = s->next[i])
		for (uint32_t k = b; k != LODE_NONE && !is_decided; k = s->next[k]) {
			if (is_similar(s->in->pairs, i, k) ||
			    (similarity = learn(s, i, k)) == LODE_NONE)
				continue;
			link->sum += similarity;
			link->n++;
			is_decided = link->n == n ||
				     !goes_first(greatest_similarity(s, a, b), b, best, found);
		}
	lode_vec_append(&s->links[a],
			((struct link){b, link->n - before.n, link->sum - before.sum}));
}

LODE_COMPARE(compare_candidates, struct candidate,
	     LODE_ORDER(b->bound, a->bound) ?: LODE_ORDER(a->cluster, b->cluster))

/* Those that may yet be nearer than the best that is known, the most promising first. */
static void choose_candidates(struct state *s, uint32_t a, struct fraction best, uint32_t found)
{
	s->candidates.n = 0;
	for (size_t i = 0; i < s->touched.n; i++) {
		uint32_t b = s->touched.at[i];
		struct fraction f;

		if (s->near[b].n == n_pairs(s, a, b))
			continue;
		f = greatest_similarity(s, a, b);
		if (goes_first(f, b, best, found))
			lode_vec_append(&s->candidates,
					((struct candidate){(double)f.sum / (double)f.n, b}));
	}
	lode_sort(s->candidates.at, s->candidates.n, compare_candidates);
}

/* The cluster that `a` would be joined with first, or LODE_NONE when nothing is >= cut. */
static uint32_t nearest(struct state *s, uint32_t a)
{
	struct fraction best = {s->in->cut, 1}, f;
	uint32_t found = LODE_NONE, b;

	find_near(s, a);
	for (size_t i = 0; i < s->touched.n; i++) {
		b = s->touched.at[i];
		if (s->near[b].n != n_pairs(s, a, b))
			continue;
		f = greatest_similarity(s, a, b);
		if (goes_first(f, b, best, found)) {
			best = f;
			found = b;
		}
	}
	choose_candidates(s, a, best, found);
	for (size_t i = 0; i < s->candidates.n; i++) {
		b = s->candidates.at[i].cluster;
		if (!goes_first(greatest_similarity(s, a, b), b, best, found))
			continue;
		complete(s, a, b, best, found);
		f = greatest_similarity(s, a, b);
		if (goes_first(f, b, best, found)) {
			best = f;
			found = b;
		}
	}
	look_away(s);
	return found;
}

/* ---- Joining ---- */

static void join(struct state *s, uint32_t a, uint32_t b)
{
	uint32_t into = a < b ? a : b, from = a < b ? b : a;

	s->is_open[from] = false;
	s->first_of[from] = into;
	for (size_t i = 0; i < s->links[from].n; i++)
		lode_vec_append(&s->links[into], s->links[from].at[i]);
	lode_vec_release(&s->links[from]);
	s->size[into] += s->size[from];
	s->next[s->last[into]] = from;
	s->last[into] = s->last[from];
	if (s->first_loose[from] == LODE_NONE)
		return;
	if (s->first_loose[into] == LODE_NONE)
		s->first_loose[into] = s->first_loose[from];
	else
		s->next_loose[s->last_loose[into]] = s->first_loose[from];
	s->last_loose[into] = s->last_loose[from];
}

/* Nearest-neighbour chains: a joined cluster is never nearer to a third than one of its parts was.
 */
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

static void state_init(struct state *s)
{
	size_t n = s->in->n;

	s->links = lode_alloc0(n, sizeof(*s->links));
	s->computed = lode_alloc0(n, sizeof(*s->computed));
	s->next = lode_arena_array(&s->arena, uint32_t, n);
	s->last = lode_arena_array(&s->arena, uint32_t, n);
	s->next_loose = lode_arena_array(&s->arena, uint32_t, n);
	s->last_loose = lode_arena_array(&s->arena, uint32_t, n);
	s->first_loose = lode_arena_array(&s->arena, uint32_t, n);
	s->size = lode_arena_array(&s->arena, uint32_t, n);
	s->is_open = lode_arena_array(&s->arena, bool, n);
	s->near = lode_arena_array0(&s->arena, struct link, n);
	for (uint32_t i = 0; i < n; i++) {
		s->size[i] = 1;
		s->is_open[i] = true;
		s->next[i] = s->next_loose[i] = LODE_NONE;
		s->last[i] = s->last_loose[i] = s->first_loose[i] = i;
		s->near[i].cluster = i;
	}
}

static void state_release(struct state *s)
{
	for (size_t i = 0; i < s->in->n; i++) {
		lode_vec_release(&s->links[i]);
		lode_map_release(&s->computed[i]);
	}
	free(s->computed);
	free(s->links);
	lode_arena_release(&s->arena);
	lode_vec_release(&s->touched);
	lode_vec_release(&s->candidates);
}

/* Single linkage: whatever similar pairs connect. */
static void connect(uint32_t *first_of, const struct lode_joining *joining)
{
	const struct lode_similar_pairs *pairs = joining->pairs;
	uint32_t a, b;

	for (uint32_t i = 0; i < joining->n; i++)
		for (size_t k = pairs->start[i]; k < pairs->start[i + 1]; k++) {
			a = find_first(first_of, i);
			b = find_first(first_of, pairs->at[k].other);
			first_of[a > b ? a : b] = a < b ? a : b;
		}
}

void lode_join_similar(uint32_t *first_of, const struct lode_joining *joining)
{
	struct state s = {.in = joining, .first_of = first_of};

	for (uint32_t i = 0; i < joining->n; i++)
		first_of[i] = i;
	if (joining->linkage == LODE_LINKAGE_SINGLE) {
		connect(first_of, joining);
	} else {
		state_init(&s);
		chain_of_neighbours(&s);
		state_release(&s);
	}
	for (uint32_t i = 0; i < joining->n; i++)
		first_of[i] = find_first(first_of, i);
}
