/* Finds functions that stand for each other across groups of recordings. */
#include "engine/aliases/aliases.h"

#include <math.h>

#include "engine/aliases/alias_search.h"
#include "base/sorted.h"
#include "model/digest_rename.h"

static const double least_share = 0.001; /* of all cost: of a function that is examined */
static const double least_words = 0.4;	 /* likeness of names that share words */
static const double same_words = 3;	 /* evidence of such names */

/* LIMIT: of more functions with one neighbour the costliest are compared; longer units are not. */
enum { MAX_SIBLINGS = 1024, MAX_UNIT = 256, MAX_ROUNDS = 64 };

/* ---- Names ---- */

static bool is_fixed(const struct lode_alias_search *s, uint32_t frame)
{
	return (s->digest->tree.frames.at[frame].flags & (LODE_FRAME_LINK | LODE_FRAME_UNKNOWN)) ||
	       strcmp(lode_frame_module(&s->digest->tree, frame), LODE_CLIENT_MODULE) == 0;
}

/* Of one module, perhaps of another version: libssl.so.1 and libssl.so.3. */
static bool same_module(const struct lode_alias_search *s, uint32_t a, uint32_t b)
{
	const struct lode_frame *frames = s->digest->tree.frames.at;

	return frames[a].module == frames[b].module || lode_words_sub(&s->modules, a, b) <= 0.25;
}

/* Share of words that two names have together. */
static double name_likeness(const struct lode_alias_search *s, uint32_t a, uint32_t b)
{
	if (s->digest->tree.frames.at[a].function == s->digest->tree.frames.at[b].function)
		return 1;
	return 1 - lode_words_sub(&s->names, a, b);
}

typedef LODE_VEC(uint32_t) frame_vec;

static void list_unit(frame_vec *out, const struct lode_alias_search *s, uint32_t head)
{
	for (out->n = 0; head != LODE_NONE; head = s->tree.next_in_unit[head])
		lode_vec_append(out, head);
	lode_vec_is_there(out);
}

/*
 * Which functions of two units are one: the cheapest alignment of their names, a gap costs 1, a
 * pair of one module less than two gaps. partner[i] is the place in `b` of a's i-th function, or
 * LODE_NONE. Gives the mean likeness of the pairs; < 0: there is no pair.
 */
static double align_units(uint32_t *partner, const struct lode_alias_search *s, const frame_vec *a,
			  const frame_vec *b)
{
	size_t width = b->n + 1, n_pairs = 0;
	double *least = lode_alloc((a->n + 1) * width * sizeof(*least)), sum = 0;

	lode_vec_is_there(a);
	lode_vec_is_there(b);
	for (size_t i = 0; i <= a->n; i++)
		for (size_t j = 0; j <= b->n; j++) {
			double *at = &least[i * width + j];

			*at = i && j ? fmin(at[-1], at[-(ptrdiff_t)width]) + 1 : (double)(i + j);
			if (i && j && same_module(s, a->at[i - 1], b->at[j - 1]))
				*at = fmin(*at, at[-(ptrdiff_t)width - 1] + 1.5 -
							1.5 * name_likeness(s, a->at[i - 1],
									    b->at[j - 1]));
		}
	for (size_t i = a->n, j = b->n; i > 0;) {
		const double *at = &least[i * width + j];

		if (j && *at == at[-1] + 1) {
			j--;
		} else if (*at == at[-(ptrdiff_t)width] + 1) {
			partner[--i] = LODE_NONE;
		} else {
			partner[--i] = (uint32_t)--j;
			sum += name_likeness(s, a->at[i], b->at[j]);
			n_pairs++;
		}
	}
	free(least);
	return n_pairs ? sum / (double)n_pairs : -1;
}

/* ---- Neighbours ---- */

LODE_COMPARE(by_frame, struct lode_alias_neighbour,
	     LODE_ORDER(a->frame, b->frame) ?: LODE_ORDER(a->other, b->other))

static void list_neighbours(struct lode_alias_search *s)
{
	const struct lode_alias_node *nodes = s->tree.nodes.at;

	for (int side = 0; side < LODE_ALIAS_N_SIDES; side++)
		s->sides[side].n = 0;
	for (size_t i = 1; i < s->tree.nodes.n; i++) {
		const struct lode_alias_node *node = &nodes[i];
		uint32_t caller = nodes[node->parent].frame;

		if (node->cost <= 0)
			continue;
		if (s->is_candidate[node->frame])
			lode_vec_append(
				&s->sides[LODE_ALIAS_CALLERS],
				((struct lode_alias_neighbour){node->frame, caller, node->cost}));
		if (s->is_candidate[node->frame] && node->self > 0)
			lode_vec_append(&s->sides[LODE_ALIAS_CALLEES],
					((struct lode_alias_neighbour){node->frame, LODE_NONE,
								       node->self}));
		if (node->parent && s->is_candidate[caller])
			lode_vec_append(
				&s->sides[LODE_ALIAS_CALLEES],
				((struct lode_alias_neighbour){caller, node->frame, node->cost}));
	}
	for (int side = 0; side < LODE_ALIAS_N_SIDES; side++) {
		struct lode_alias_neighbour *at = s->sides[side].at;
		size_t n = 0, next = 0;

		lode_sort(at, s->sides[side].n, by_frame);
		for (size_t i = 0; i < s->sides[side].n; i++)
			if (n && at[n - 1].frame == at[i].frame && at[n - 1].other == at[i].other)
				at[n - 1].cost += at[i].cost;
			else
				at[n++] = at[i];
		s->sides[side].n = n;
		for (size_t f = 0; f <= s->n_frames; f++) {
			while (next < n && at[next].frame < f)
				next++;
			s->start[side][f] = next;
		}
	}
}

static double path_likeness(struct lode_alias_search *s, uint32_t f, uint32_t g)
{
	double cost[2] = {(double)s->tree.cost[f], (double)s->tree.cost[g]};
	struct lode_alias_streams streams[2] = {s->tree.streams[f], s->tree.streams[g]};

	lode_alias_clear_paths(s);
	for (uint32_t n = s->tree.first_of_frame[f]; n; n = s->tree.nodes.at[n].next_of_frame)
		lode_alias_add_paths(s, 0, n, false);
	for (uint32_t n = s->tree.first_of_frame[g]; n; n = s->tree.nodes.at[n].next_of_frame)
		lode_alias_add_paths(s, 1, n, false);
	return lode_alias_likeness(s, cost, streams);
}

/* ---- Two names of one function ---- */

static double unit_likeness(const struct lode_alias_search *s, uint32_t f, uint32_t g)
{
	frame_vec a = {0}, b = {0};
	uint32_t *partner;
	double likeness;

	list_unit(&a, s, f);
	list_unit(&b, s, g);
	partner = lode_alloc(a.n * sizeof(*partner));
	likeness = a.n > MAX_UNIT || b.n > MAX_UNIT ? -1 : align_units(partner, s, &a, &b);
	free(partner);
	lode_vec_release(&a);
	lode_vec_release(&b);
	return likeness;
}

/* Appends them to the joins if the evidence is enough. */
static void weigh_names(struct lode_alias_search *s, uint32_t f, uint32_t g)
{
	const struct lode_alias_streams *a = &s->tree.streams[f], *b = &s->tree.streams[g];
	double callers, callees, name, possible, evidence, kernel, ratio;
	bool is_two_sided;

	if (!lode_alias_exclude(a, b, s->n_streams))
		return;
	callers = lode_alias_overlap(s, LODE_ALIAS_CALLERS, f, g);
	callees = lode_alias_overlap(s, LODE_ALIAS_CALLEES, f, g);
	ratio = lode_alias_ratio_of((double)s->tree.cost[f] / a->n, (double)s->tree.cost[g] / b->n);
	if (fmax(callers, callees) < lode_alias_alike || ratio > lode_alias_ratio)
		return;
	name = unit_likeness(s, f, g);
	kernel = lode_alias_kernel_evidence(s, f, a, b);
	if (name < 0)
		return;
	possible = lode_alias_possible(s, f, g);
	evidence = lode_alias_exclusion(possible, a->n, b->n) + kernel +
		   lode_alias_border_evidence(s, a, b);
	if (name >= least_words)
		evidence += same_words;
	if (a->n + b->n >= possible)
		evidence += lode_alias_complete;
	is_two_sided = fmin(callers, callees) >= lode_alias_alike;
	if (evidence < (is_two_sided ? lode_alias_enough : lode_alias_one_side))
		return;
	if (!is_two_sided && name < least_words && kernel <= 0)
		return;
	if (path_likeness(s, f, g) < lode_alias_alike)
		return;
	lode_vec_append(&s->joins, ((struct lode_alias_join){
					   f, g, evidence + callers + callees + name, {*a, *b}}));
}

LODE_COMPARE_WITH(by_other, struct lode_alias_neighbour, const struct lode_alias_search *s,
		  LODE_ORDER(a->other, b->other)
			  ?: LODE_ORDER(s->tree.cost[b->frame], s->tree.cost[a->frame])
			  ?: LODE_ORDER(a->frame, b->frame))

/* Functions with the same neighbour, two by two. */
static void find_names(struct lode_alias_search *s)
{
	struct lode_map seen = {0};

	for (int side = 0; side < LODE_ALIAS_N_SIDES; side++) {
		size_t n = s->sides[side].n;
		struct lode_alias_neighbour *by = lode_alloc((n + 1) * sizeof(*by));

		if (n)
			memcpy(by, s->sides[side].at, n * sizeof(*by));
		lode_sort_r(by, n, by_other, s);
		for (size_t i = 0; i < n; i++)
			for (size_t j = i + 1;
			     j < n && j - i < MAX_SIBLINGS && by[j].other == by[i].other &&
			     by[j].other != LODE_NONE;
			     j++) {
				uint32_t f = by[i].frame, g = by[j].frame;
				uint64_t key =
					f < g ? (uint64_t)f << 32 | g : (uint64_t)g << 32 | f;

				if (!lode_alias_exclude(&s->tree.streams[f], &s->tree.streams[g],
							s->n_streams) ||
				    lode_map_find(&seen, key) != LODE_NONE)
					continue;
				*lode_map_slot(&seen, key) = 1;
				weigh_names(s, f < g ? f : g, f < g ? g : f);
			}
		free(by);
	}
	lode_map_release(&seen);
}

/* ---- Joining ---- */

static void rename_frame(struct lode_alias_search *s, uint32_t frame, uint32_t as)
{
	for (size_t f = 0; f < s->n_frames; f++)
		if (s->frame_of[f] == frame)
			s->frame_of[f] = as;
}

/* The name of more recordings stays; of as many the one that comes first in the alphabet. */
static bool is_better_name(const struct lode_alias_search *s, uint32_t f, uint32_t g)
{
	char a[512], b[512];
	int64_t more = (int64_t)s->tree.streams[f].n - s->tree.streams[g].n;

	if (more)
		return more > 0;
	return strcmp(lode_frame_full_name(&s->digest->tree, f, a, sizeof(a)),
		      lode_frame_full_name(&s->digest->tree, g, b, sizeof(b))) <= 0;
}

static void join_units(struct lode_alias_search *s, uint32_t f, uint32_t g)
{
	uint32_t to = is_better_name(s, f, g) ? f : g;
	frame_vec a = {0}, b = {0};
	uint32_t *partner;

	list_unit(&a, s, to == f ? g : f);
	list_unit(&b, s, to);
	partner = lode_alloc(a.n * sizeof(*partner));
	align_units(partner, s, &a, &b);
	lode_vec_is_there(&a);
	lode_vec_is_there(&b);
	/* Functions that only one release has are left out. */
	for (size_t i = 0, next = 0; i <= a.n; i++) {
		size_t end = i == a.n ? b.n : partner[i];

		if (i < a.n)
			rename_frame(s, a.at[i],
				     partner[i] == LODE_NONE ? LODE_NONE : b.at[partner[i]]);
		if (end == LODE_NONE)
			continue;
		for (; next < end; next++)
			rename_frame(s, b.at[next], LODE_NONE);
		next++;
	}
	free(partner);
	lode_vec_release(&a);
	lode_vec_release(&b);
}

LODE_COMPARE(best_first, struct lode_alias_join,
	     LODE_ORDER(b->evidence, a->evidence)
		     ?: LODE_ORDER(a->frame, b->frame) ?: LODE_ORDER(a->as, b->as))

/* The best joins first; a function takes part in one of them per round. */
static void join_best(struct lode_alias_search *s)
{
	bool *is_taken = lode_alloc0(s->n_frames + 1, sizeof(*is_taken));

	lode_sort(s->joins.at, s->joins.n, best_first);
	for (size_t i = 0; i < s->joins.n; i++) {
		const struct lode_alias_join *join = &s->joins.at[i];
		frame_vec unit = {0};

		if (is_taken[join->frame] || (join->as != LODE_NONE && is_taken[join->as]))
			continue;
		is_taken[join->frame] = true;
		lode_alias_keep_border(s, &join->streams[0], &join->streams[1]);
		if (join->as != LODE_NONE) {
			is_taken[join->as] = true;
			join_units(s, join->frame, join->as);
			continue;
		}
		list_unit(&unit, s, join->frame);
		for (size_t k = 0; k < unit.n; k++)
			rename_frame(s, unit.at[k], LODE_NONE);
		lode_vec_release(&unit);
	}
	free(is_taken);
}

static void start_round(struct lode_alias_search *s)
{
	lode_alias_tree_build(&s->tree, s->digest, s->frame_of);
	s->joins.n = 0;
	for (uint32_t f = 0; f < s->n_frames; f++)
		s->is_candidate[f] = s->frame_of[f] == f && s->tree.first_of_frame[f] &&
				     s->tree.streams[f].n < s->n_streams && !is_fixed(s, f) &&
				     (double)s->tree.cost[f] >= least_share * (double)s->tree.all;
	list_neighbours(s);
}

static void search_init(struct lode_alias_search *s)
{
	const struct lode_calltree *tree = &s->digest->tree;
	size_t n = s->n_frames + 1;

	for (uint32_t f = 0; f < s->n_frames; f++) {
		lode_words_append(&s->names, lode_frame_function(tree, f));
		lode_words_append(&s->modules, lode_frame_module(tree, f));
	}
	s->is_candidate = lode_alloc0(n, sizeof(*s->is_candidate));
	s->is_on_path = lode_alloc0(n, sizeof(*s->is_on_path));
	for (int i = 0; i < 2; i++) {
		s->start[i] = lode_alloc(n * sizeof(*s->start[i]));
		s->above[i] = lode_alloc0(n, sizeof(double));
		s->below[i] = lode_alloc0(n, sizeof(double));
	}
}

static void search_release(struct lode_alias_search *s)
{
	lode_alias_tree_release(&s->tree);
	lode_words_release(&s->names);
	lode_words_release(&s->modules);
	free(s->is_candidate);
	free(s->is_on_path);
	lode_vec_release(&s->on_path);
	for (int i = 0; i < 2; i++) {
		free(s->start[i]);
		free(s->above[i]);
		free(s->below[i]);
		lode_vec_release(&s->sides[i]);
	}
	lode_vec_release(&s->joins);
	lode_vec_release(&s->borders);
	lode_arena_release(&s->arena);
}

size_t lode_aliases_find(uint32_t *frame_of, uint32_t *n_streams, const struct lode_digest *digest)
{
	struct lode_alias_search s = {
		.digest = digest,
		.n_frames = digest->tree.frames.n,
		.n_streams = digest->streams.n,
		.frame_of = frame_of,
	};
	size_t n_changed = 0;

	for (uint32_t f = 0; f < s.n_frames; f++)
		frame_of[f] = f;
	if (s.n_streams < 2)
		return 0;
	search_init(&s);
	for (int round = 0; round < MAX_ROUNDS; round++) {
		start_round(&s);
		for (size_t f = 0; round == 0 && f < s.n_frames; f++)
			n_streams[f] = s.tree.streams[f].n;
		find_names(&s);
		lode_alias_find_layers(&s);
		if (!s.joins.n)
			break;
		join_best(&s);
	}
	for (uint32_t f = 0; f < s.n_frames; f++)
		n_changed += frame_of[f] != f;
	search_release(&s);
	return n_changed;
}

LODE_COMPARE(by_name, struct lode_digest_alias,
	     LODE_ORDER(!a->name, !b->name)
		     ?: strcmp(a->name ? a->name : "", b->name ? b->name : "")
		     ?: strcmp(a->function, b->function) ?: LODE_ORDER(a->frame, b->frame))

static const char *keep_name(struct lode_digest *digest, uint32_t frame)
{
	char text[1024];

	lode_frame_full_name(&digest->tree, frame, text, sizeof(text));
	return lode_arena_strdup(&digest->tree.strings.arena, text);
}

void lode_aliases_join(struct lode_digest *digest)
{
	size_t n = digest->tree.frames.n;
	uint32_t *frame_of = lode_alloc((n + 1) * sizeof(*frame_of));
	uint32_t *n_streams = lode_alloc0(n + 1, sizeof(*n_streams));

	if (lode_aliases_find(frame_of, n_streams, digest))
		lode_digest_rename(digest, frame_of);
	for (uint32_t f = 0; f < n; f++) {
		struct lode_digest_alias alias = {
			.frame = f,
			.as = frame_of[f],
			.n_streams = n_streams[f],
		};

		if (alias.as == f || !n_streams[f])
			continue;
		alias.function = keep_name(digest, f);
		if (alias.as != LODE_NONE)
			alias.name = keep_name(digest, alias.as);
		lode_vec_append(&digest->aliases, alias);
	}
	lode_sort(digest->aliases.at, digest->aliases.n, by_name);
	free(frame_of);
	free(n_streams);
}
