/* The headline of a cluster, from the stacks that belong to it. */
#include "answers/clusters/headline_parts.h"

#include <math.h>
#include <stdio.h>

#include "base/sorted.h"

/*
 * Lays the common functions over the stack, each at its first place behind the one before. False:
 * the stack does not have all of them.
 */
static bool lay_common(struct lode_headline_building *b, size_t n)
{
	size_t at = 0;

	for (size_t i = 0; i < n; i++) {
		bool is_common = at < b->cluster->n_common && b->path[i] == b->cluster->common[at];

		b->gap_of[i] = is_common ? LODE_NONE : (uint32_t)at;
		at += is_common;
	}
	return at == b->cluster->n_common;
}

struct lode_headline_held *lode_headline_held_at(struct lode_headline_gap *gap, uint32_t frame)
{
	uint32_t place = lode_map_number(&gap->place_of, frame, gap->held.n);

	if (place == gap->held.n)
		lode_vec_append(&gap->held,
				((struct lode_headline_held){.frame = frame, .stack = LODE_NONE}));
	return &gap->held.at[place];
}

size_t lode_headline_path_of(struct lode_headline_building *b, uint32_t node)
{
	size_t n = lode_calltree_path(&b->mined->digest->tree, node, b->path);

	lode_hop_names_apply(b->hop_names, b->path, n);
	return n;
}

static void count_held(struct lode_headline_building *b)
{
	for (uint32_t s = 0; s < b->cluster->n_stacks; s++) {
		size_t n = lode_headline_path_of(b, b->cluster->stacks[s].node);

		if (!lay_common(b, n))
			continue;
		for (size_t i = 0; i < n; i++) {
			struct lode_headline_held *held;

			if (b->gap_of[i] == LODE_NONE)
				continue;
			held = lode_headline_held_at(&b->gaps[b->gap_of[i]], b->path[i]);
			if (held->stack != s)
				held->cost_ns += lode_headline_cost_of(b, s);
			held->stack = s;
		}
	}
}

static void drop_rare(struct lode_headline_building *b)
{
	for (size_t g = 0; g <= b->cluster->n_common; g++) {
		struct lode_headline_gap *gap = &b->gaps[g];
		size_t n = 0;

		for (size_t i = 0; i < gap->held.n; i++)
			if (gap->held.at[i].cost_ns >= b->enough_ns)
				gap->held.at[n++] = gap->held.at[i];
		gap->held.n = n;
		lode_map_release(&gap->place_of);
		memset(&gap->place_of, 0, sizeof(gap->place_of));
		for (size_t i = 0; i < n; i++) {
			gap->held.at[i].stack = LODE_NONE;
			*lode_map_slot(&gap->place_of, gap->held.at[i].frame) = (uint32_t)i;
		}
	}
}

/* How many of its gap's functions stand before each of them, by cost. */
static void count_order(struct lode_headline_building *b)
{
	for (uint32_t s = 0; s < b->cluster->n_stacks; s++) {
		size_t n = lode_headline_path_of(b, b->cluster->stacks[s].node), n_before = 0;
		uint32_t last = LODE_NONE;

		if (!lay_common(b, n))
			continue;
		for (size_t i = 0; i < n; i++) {
			uint32_t g = b->gap_of[i], place;

			if (g == LODE_NONE)
				continue;
			n_before = g == last ? n_before : 0;
			last = g;
			place = lode_map_find(&b->gaps[g].place_of, b->path[i]);
			if (place == LODE_NONE || b->gaps[g].held.at[place].stack == s)
				continue;
			b->gaps[g].held.at[place].stack = s;
			b->gaps[g].held.at[place].after +=
				(double)lode_headline_cost_of(b, s) * (double)n_before++;
		}
	}
}

LODE_COMPARE(earliest_first, struct lode_headline_held,
	     LODE_ORDER(a->after / (double)a->cost_ns, b->after / (double)b->cost_ns)
		     ?: LODE_ORDER(a->frame, b->frame))

void lode_headline_gap_sort(struct lode_headline_gap *gap)
{
	lode_sort(gap->held.at, gap->held.n, earliest_first);
}

static void put_frames(struct lode_headline *out, struct lode_headline_building *b)
{
	for (size_t g = 0; g <= b->cluster->n_common; g++) {
		struct lode_headline_gap *gap = &b->gaps[g];

		lode_headline_gap_sort(gap);
		for (size_t i = 0; i < gap->held.n; i++)
			lode_vec_append(&out->frames, gap->held.at[i].frame);
		if (g < b->cluster->n_common)
			lode_vec_append(&out->frames, b->cluster->common[g]);
	}
}

bool lode_headline_tells(const struct lode_headline_building *b, uint32_t frame)
{
	return lode_telling_frame(b->mined->digest, &frame, 1) != LODE_NONE;
}

/* Where a chain ends in several threads, none of which has a function of a program, that says
   nothing. */
static void drop_vague_end(struct lode_headline *out, const struct lode_headline_building *b)
{
	const struct lode_calltree *tree = &b->mined->digest->tree;

	for (size_t i = out->frames.n; i-- > 0;) {
		uint32_t frame = out->frames.at[i];

		if (lode_headline_tells(b, frame))
			return;
		if (!(tree->frames.at[frame].flags & LODE_FRAME_LINK))
			continue;
		if (strcmp(lode_hop_name_of(out->hop_names.names.at, out->hop_names.names.n, tree,
					    frame),
			   lode_hop_any) != 0)
			return;
		out->frames.n = i;
	}
}

/* ---- The main branch ---- */

/* The headline's last thread. */
struct last_thread {
	uint32_t link;		 /* LODE_NONE: it is the first one */
	size_t first;		 /* of the headline's frames behind that link */
	struct lode_map telling; /* the functions of it that tell, as keys */
};

static struct last_thread last_thread_of(const struct lode_headline *headline,
					 const struct lode_headline_building *b)
{
	const struct lode_calltree *tree = &b->mined->digest->tree;
	struct last_thread last = {.link = LODE_NONE};

	for (size_t i = 0; i < headline->frames.n; i++)
		if (tree->frames.at[headline->frames.at[i]].flags & LODE_FRAME_LINK) {
			last.link = headline->frames.at[i];
			last.first = i + 1;
		}
	for (size_t i = last.first; i < headline->frames.n; i++)
		if (lode_headline_tells(b, headline->frames.at[i]))
			*lode_map_slot(&last.telling, headline->frames.at[i]) = 0;
	return last;
}

static bool is_among(const uint32_t *frames, size_t n, uint32_t frame)
{
	for (size_t i = 0; i < n; i++)
		if (frames[i] == frame)
			return true;
	return false;
}

/* The functions of b->path in that thread, behind the last telling one that the headline has there:
   [start, *end). */
static size_t tail_of(const struct lode_headline_building *b, size_t n, size_t *end,
		      const struct last_thread *last)
{
	const struct lode_calltree *tree = &b->mined->digest->tree;
	size_t start = last->link == LODE_NONE ? 0 : n;

	for (size_t i = 0; i < n; i++)
		if (b->path[i] == last->link)
			start = i + 1;
	for (*end = start; *end < n; ++*end) {
		uint32_t frame = b->path[*end];

		if (tree->frames.at[frame].flags & LODE_FRAME_LINK)
			break;
		if (lode_map_find(&last->telling, frame) != LODE_NONE)
			start = *end + 1;
	}
	return start;
}

void lode_headline_count_once(struct lode_headline_gap *gap, const struct lode_headline_building *b,
			      uint32_t s, size_t start, size_t end)
{
	size_t n_before = 0;

	for (size_t i = start; i < end; i++) {
		struct lode_headline_held *held = lode_headline_held_at(gap, b->path[i]);

		if (held->stack == s)
			continue;
		held->stack = s;
		held->cost_ns += lode_headline_cost_of(b, s);
		held->after += (double)lode_headline_cost_of(b, s) * (double)n_before++;
	}
}

/* Counts what stacks have in their tails; with `first`, of those that have it there. */
static int64_t count_tails(struct lode_headline_gap *tails, struct lode_headline_building *b,
			   const struct last_thread *last, uint32_t first)
{
	int64_t cost_ns = 0;

	for (uint32_t s = 0; s < b->cluster->n_stacks; s++) {
		size_t n = lode_headline_path_of(b, b->cluster->stacks[s].node), end;
		size_t start = tail_of(b, n, &end, last);

		if (lode_headline_cost_of(b, s) <= 0 ||
		    (first != LODE_NONE && !is_among(b->path + start, end - start, first)))
			continue;
		cost_ns += lode_headline_cost_of(b, s);
		lode_headline_count_once(tails, b, s, start, end);
	}
	return cost_ns;
}

void lode_headline_gap_release(struct lode_headline_gap *gap)
{
	lode_vec_release(&gap->held);
	lode_map_release(&gap->place_of);
}

/* Of a thread's functions that more than half of the cost has, the one with the fewest others of
   them behind it; equal ones: with the largest cost, the one that stands first. LODE_NONE: there is
   none. */
static uint32_t deepest_of_half(struct lode_headline_gap *tails, struct lode_headline_building *b,
				const struct last_thread *last, int64_t cost_ns)
{
	struct lode_headline_gap half = {0};
	const struct lode_headline_held *deepest = NULL;
	uint32_t frame;

	lode_headline_gap_sort(tails);
	for (size_t i = 0; i < tails->held.n; i++) {
		const struct lode_headline_held *held = &tails->held.at[i];

		if (held->cost_ns <= cost_ns - held->cost_ns ||
		    !lode_headline_tells(b, held->frame))
			continue;
		*lode_headline_held_at(&half, held->frame) = *held;
		half.held.at[half.held.n - 1].after = 0;
	}
	/* From here on, "after" counts those behind. */
	for (uint32_t s = 0; half.held.n > 1 && s < b->cluster->n_stacks; s++) {
		size_t n = lode_headline_path_of(b, b->cluster->stacks[s].node), end;
		size_t start = tail_of(b, n, &end, last), n_behind = 0;

		for (size_t i = end; i-- > start;) {
			uint32_t place = lode_map_find(&half.place_of, b->path[i]);

			if (place == LODE_NONE ||
			    is_among(b->path + i + 1, end - i - 1, b->path[i]))
				continue;
			half.held.at[place].after +=
				(double)lode_headline_cost_of(b, s) * (double)n_behind++;
		}
	}
	for (size_t i = 0; i < half.held.n; i++) {
		const struct lode_headline_held *held = &half.held.at[i];
		double order;

		if (!deepest) {
			deepest = held;
			continue;
		}
		order = held->after / (double)held->cost_ns -
			deepest->after / (double)deepest->cost_ns;
		if (order < 0 || (order <= 0 && held->cost_ns > deepest->cost_ns))
			deepest = held;
	}
	frame = deepest ? deepest->frame : LODE_NONE;
	lode_headline_gap_release(&half);
	return frame;
}

static void find_branch(struct lode_headline *out, struct lode_headline_building *b)
{
	struct last_thread last = last_thread_of(out, b);
	struct lode_headline_gap tails = {0}, branch = {0};
	int64_t cost_ns = count_tails(&tails, b, &last, LODE_NONE), branch_ns;
	uint32_t deepest = deepest_of_half(&tails, b, &last, cost_ns);

	if (deepest != LODE_NONE) {
		branch_ns = count_tails(&branch, b, &last, deepest);
		lode_headline_gap_sort(&branch);
		for (size_t i = 0; i < branch.held.n; i++)
			if (branch.held.at[i].cost_ns >= lode_agreed_ns(branch_ns))
				lode_vec_append(&out->branch, branch.held.at[i].frame);
		out->branch_share = (double)branch_ns / (double)cost_ns;
	}
	lode_map_release(&last.telling);
	lode_headline_gap_release(&tails);
	lode_headline_gap_release(&branch);
}

/* What the stacks have in that thread beside the headline's functions, and which thread comes next.
 */
static void find_forks(struct lode_headline *out, struct lode_headline_building *b, size_t depth)
{
	const struct lode_calltree *tree = &b->mined->digest->tree;
	size_t n_stacks = b->cluster->n_stacks;
	struct lode_headline_rest *rests = lode_alloc0(n_stacks + 1, sizeof(*rests));
	struct last_thread last = last_thread_of(out, b);
	uint32_t *names = lode_alloc((depth + 1) * sizeof(*names));
	struct lode_arena arena = {0};

	for (uint32_t s = 0; s < n_stacks; s++) {
		uint32_t node = b->cluster->stacks[s].node, *frames;
		size_t n = lode_headline_path_of(b, node), end, start = tail_of(b, n, &end, &last);
		struct lode_headline_rest *rest = &rests[s];

		lode_calltree_path(tree, node, names);
		frames = lode_arena_array(&arena, uint32_t, end - start);
		*rest = (struct lode_headline_rest){.frames = frames,
						    .link = end < n ? names[end] : LODE_NONE,
						    .cost_ns = lode_headline_cost_of(b, s)};
		for (size_t i = start; i < end; i++)
			if (!is_among(out->frames.at + last.first, out->frames.n - last.first,
				      names[i]))
				frames[rest->n++] = names[i];
	}
	out->n_forks = lode_headline_forks_find(out->forks, b->mined->digest, rests, n_stacks);
	lode_arena_release(&arena);
	lode_map_release(&last.telling);
	free(names);
	free(rests);
}

/* Behind what all agree on: one way where half of the cost goes it, else the largest ones. */
static void find_ways(struct lode_headline *out, struct lode_headline_building *b, size_t depth)
{
	bool has_own, is_kernel;

	find_branch(out, b);
	lode_headline_last_link(out, b, &has_own, &is_kernel);
	lode_headline_follow_threads(out, b, depth);
	if (!out->branch.n && !out->n_more && !has_own && !is_kernel)
		find_forks(out, b, depth);
}

/* Where the headline has a function, when its places are asked for in turn. */
struct place {
	uint32_t first; /* of them all */
	uint32_t at;	/* the one that stack `stack` asks for next; LODE_NONE: behind the last */
	uint32_t stack;
};

struct places {
	struct lode_map of; /* frame -> index into `at` */
	LODE_VEC(struct place) at;
	uint32_t *next; /* per function of the headline: the next place of the same one */
};

static void find_places(struct places *places, const struct lode_headline *headline)
{
	places->next = lode_alloc((headline->frames.n + 1) * sizeof(*places->next));
	for (size_t i = headline->frames.n; i-- > 0;) {
		uint32_t *slot = lode_map_slot(&places->of, headline->frames.at[i]);

		places->next[i] = *slot == LODE_NONE ? LODE_NONE : places->at.at[*slot].first;
		if (*slot == LODE_NONE) {
			*slot = (uint32_t)places->at.n;
			lode_vec_append(&places->at, ((struct place){.stack = LODE_NONE}));
		}
		places->at.at[*slot].first = (uint32_t)i;
	}
}

/* The first place of `frame` that is not before `from`, which only grows within a stack. */
static uint32_t place_behind(struct places *places, uint32_t frame, uint32_t stack, size_t from)
{
	uint32_t slot = lode_map_find(&places->of, frame);
	struct place *place;

	if (slot == LODE_NONE || slot >= places->at.n)
		return LODE_NONE;
	place = &places->at.at[slot];
	if (place->stack != stack)
		place->at = place->first;
	place->stack = stack;
	while (place->at != LODE_NONE && place->at < from)
		place->at = places->next[place->at];
	return place->at;
}

/* Which frames mostly have another before them than the headline has; and how much of the cluster's
   cost each frame has. */
static void find_gaps(struct lode_headline *out, struct lode_headline_building *b, int64_t *held_ns)
{
	int64_t *beside_ns = lode_alloc0(out->frames.n + 1, sizeof(*beside_ns)), laid_ns = 0;
	struct places places = {0};

	find_places(&places, out);
	for (uint32_t s = 0; s < b->cluster->n_stacks; s++) {
		size_t n = lode_headline_path_of(b, b->cluster->stacks[s].node), at = 0;
		uint32_t before = LODE_NONE;

		laid_ns += lode_headline_cost_of(b, s);
		/* Functions of the headline that this stack lacks are passed over. */
		for (size_t i = 0; i < n; before = b->path[i++]) {
			uint32_t place = place_behind(&places, b->path[i], s, at);

			if (place == LODE_NONE)
				continue;
			held_ns[place] += b->cluster->stacks[s].cost_ns;
			if (place && before == out->frames.at[place - 1])
				beside_ns[place] += lode_headline_cost_of(b, s);
			at = place + 1;
		}
	}
	for (size_t i = 0; i < out->frames.n; i++)
		lode_vec_append(&out->gap_before, i && beside_ns[i] < laid_ns - beside_ns[i]);
	lode_map_release(&places.of);
	lode_vec_release(&places.at);
	free(places.next);
	free(beside_ns);
}

double lode_headline_rarity_of(const struct lode_headline_building *b, uint32_t frame,
			       int64_t held_ns)
{
	int64_t rest_ns = b->mined->aoi_ns - b->cluster->own_ns;
	int64_t outside_ns = b->mined->frame_ns[frame] - held_ns;
	double share = rest_ns > 0 ? (double)outside_ns / (double)rest_ns : 0;

	return 1 - (share < 0 ? 0 : share > 1 ? 1 : share);
}

static void find_rarity(struct lode_headline *out, const struct lode_headline_building *b,
			const int64_t *held_ns)
{
	for (size_t i = 0; i < out->frames.n; i++)
		lode_vec_append(&out->rarity,
				lode_headline_rarity_of(b, out->frames.at[i], held_ns[i]));
}

static size_t deepest(const struct lode_mined *mined, const struct lode_cluster *cluster)
{
	size_t depth = 0;

	for (size_t s = 0; s < cluster->n_stacks; s++) {
		size_t n = mined->digest->tree.nodes.at[cluster->stacks[s].node].depth;

		depth = n > depth ? n : depth;
	}
	return depth;
}

/* Ready time counts where it is the larger part: then it is what the cluster is about. */
static void weigh(struct lode_headline_building *b)
{
	int64_t cost_ns = 0, ready_ns = 0;

	for (size_t s = 0; s < b->cluster->n_stacks; s++) {
		cost_ns += b->cluster->stacks[s].cost_ns;
		ready_ns += b->cluster->stacks[s].ready_ns;
	}
	b->is_ready_apart = ready_ns < cost_ns - ready_ns;
	b->enough_ns = lode_agreed_ns(b->is_ready_apart ? cost_ns - ready_ns : cost_ns);
}

void lode_headline_build(struct lode_headline *out, const struct lode_mined *mined,
			 const struct lode_cluster *cluster)
{
	size_t depth = deepest(mined, cluster);
	int64_t *held_ns, *cost_ns;
	struct lode_headline_building b = {
		.hop_names = &out->hop_names,
		.mined = mined,
		.cluster = cluster,
		.gaps = lode_alloc0(cluster->n_common + 1, sizeof(*b.gaps)),
		.path = lode_alloc((depth + 1) * sizeof(*b.path)),
		.gap_of = lode_alloc((depth + 1) * sizeof(*b.gap_of)),
	};

	weigh(&b);
	cost_ns = lode_alloc((cluster->n_stacks + 1) * sizeof(*cost_ns));
	for (size_t i = 0; i < cluster->n_stacks; i++)
		cost_ns[i] = lode_headline_cost_of(&b, i);
	lode_hop_names_find(&out->hop_names, mined->digest, cluster, cost_ns, b.enough_ns);
	free(cost_ns);
	count_held(&b);
	drop_rare(&b);
	count_order(&b);
	put_frames(out, &b);
	drop_vague_end(out, &b);
	held_ns = lode_alloc0(out->frames.n + 1, sizeof(*held_ns));
	find_gaps(out, &b, held_ns);
	find_rarity(out, &b, held_ns);
	find_ways(out, &b, depth);
	lode_cluster_who(out->who, mined, cluster);
	for (size_t g = 0; g <= cluster->n_common; g++)
		lode_headline_gap_release(&b.gaps[g]);
	free(held_ns);
	free(b.gaps);
	free(b.path);
	free(b.gap_of);
}

void lode_headline_release(struct lode_headline *headline)
{
	lode_vec_release(&headline->frames);
	lode_vec_release(&headline->gap_before);
	lode_vec_release(&headline->rarity);
	lode_vec_release(&headline->branch);
	lode_hop_names_release(&headline->hop_names);
}

static struct lode_line_frames line_of(const struct lode_headline *headline, uint32_t name)
{
	return (struct lode_line_frames){
		.who = headline->who,
		.name = name,
		.frames = headline->frames.at,
		.gap_before = headline->gap_before.at,
		.rarity = headline->rarity.at,
		.n = headline->frames.n,
		.branch = headline->branch.at,
		.n_branch = headline->branch.n,
		.branch_share = headline->branch_share,
		.n_more = headline->n_more,
		.more_share = headline->more_share,
		.forks = headline->forks,
		.n_forks = headline->n_forks,
		.hop_names = headline->hop_names.names.at,
		.n_hop_names = headline->hop_names.names.n,
	};
}

static void mark_kernel_threads(struct lode_headline_hop *hops, size_t n,
				const struct lode_calltree *tree,
				const struct lode_headline *headline)
{
	size_t hop = 0;

	for (size_t i = 0; i < headline->frames.n && hop < n; i++) {
		uint32_t frame = headline->frames.at[i];

		hop += tree->frames.at[frame].flags & LODE_FRAME_LINK ? 1 : 0;
		if (hop < n && lode_headline_is_kthread(tree, frame))
			hops[hop].is_kernel_thread = true;
	}
}

static size_t name_forks(const struct lode_headline_way **out, const struct lode_headline *headline,
			 const struct lode_digest *digest, struct lode_arena *arena)
{
	struct lode_headline_way *ways =
		lode_arena_array(arena, struct lode_headline_way, headline->n_forks);
	char name[1600];

	for (size_t i = 0; i < headline->n_forks; i++) {
		const struct lode_headline_fork *fork = &headline->forks[i];

		lode_headline_fork_name(name, sizeof(name), digest, fork);
		ways[i] = (struct lode_headline_way){lode_arena_strdup(arena, name),
						     fork->is_thread, fork->share};
	}
	*out = ways;
	return headline->n_forks;
}

size_t lode_headline_hops(struct lode_headline_hop **out, const struct lode_mined *mined,
			  const struct lode_cluster *cluster, struct lode_arena *arena)
{
	const struct lode_calltree *tree = &mined->digest->tree;
	struct lode_line_hop hops[LODE_LINE_HOPS];
	struct lode_headline headline = {0};
	struct lode_line_frames line;
	size_t n, n_agreed = 0;

	lode_headline_build(&headline, mined, cluster);
	line = line_of(&headline, cluster->name);
	n = lode_line_hops(hops, mined->digest, &line);
	while (n_agreed < n && !hops[n_agreed].is_more)
		n_agreed++;
	*out = lode_arena_array(arena, struct lode_headline_hop, n);
	for (size_t i = 0; i < n; i++) {
		uint32_t *frames = lode_arena_array(arena, uint32_t, hops[i].n);
		const char *thread = hops[i].name;

		memcpy(frames, hops[i].frames, hops[i].n * sizeof(*frames));
		(*out)[i] = (struct lode_headline_hop){
			.thread = lode_arena_strdup(arena, thread),
			.frames = frames,
			.n = hops[i].is_more ? 0 : hops[i].n,
			.branch = hops[i].is_more ? frames : NULL,
			.n_branch = hops[i].is_more ? hops[i].n : 0,
			.is_more = hops[i].is_more,
			.branch_share = hops[i].is_more ? headline.more_share : (double)NAN,
		};
	}
	if (n_agreed && headline.branch.n) {
		struct lode_headline_hop *last = &(*out)[n_agreed - 1];
		uint32_t *frames = lode_arena_array(arena, uint32_t, LODE_LINE_BRANCH_FRAMES);

		last->n_branch = lode_line_branch(frames, mined->digest, &line);
		last->branch = frames;
		last->branch_share = headline.branch_share;
	}
	if (n && headline.n_forks)
		(*out)[n - 1].n_forks =
			name_forks(&(*out)[n - 1].forks, &headline, mined->digest, arena);
	mark_kernel_threads(*out, n, tree, &headline);
	lode_headline_release(&headline);
	return n;
}

const char *lode_headline_text(char *buffer, size_t size, const struct lode_mined *mined,
			       const struct lode_cluster *cluster, size_t columns,
			       size_t more_columns, size_t max_lines)
{
	struct lode_headline headline = {0};
	struct lode_line_frames line;

	lode_headline_build(&headline, mined, cluster);
	line = line_of(&headline, cluster->name);
	lode_common_part_short(buffer, size, mined->digest, &line, columns, more_columns,
			       max_lines);
	lode_headline_release(&headline);
	return buffer;
}
