/* The headline of a cluster, from the stacks that belong to it. */
#include "answers/clusters/headline.h"

#include <math.h>
#include <stdio.h>

#include "base/sorted.h"
#include "engine/waits/chain.h"

/* A function in a gap of the common part. */
struct held {
	uint32_t frame;
	int64_t cost_ns; /* of the stacks that have it there, as cost_of */
	double after;	 /* sum over these of cost * how many of the others stand before it */
	uint32_t stack;	 /* that counted it last */
};

/* What stands in one gap: before common function i, or behind the last. */
struct gap {
	LODE_VEC(struct held) held;
	struct lode_map place_of; /* frame -> index into held */
};

struct building {
	const struct lode_mined *mined;
	const struct lode_cluster *cluster;
	int64_t enough_ns;   /* four fifths of its cost, as cost_of */
	bool is_ready_apart; /* time without a CPU does not count */
	struct gap *gaps;    /* n_common + 1 */
	uint32_t *path;	     /* frames of a stack */
	uint32_t *gap_of;    /* per frame of it: its gap; LODE_NONE: a common function */
	const struct lode_hop_names *hop_names;
};

/* What a stack counts for. Threads that wait for a CPU do so wherever they are, mostly where they
   were woken: that time says how busy the machine was, not what the others have in common. */
static int64_t cost_of(const struct building *b, size_t stack)
{
	const struct lode_cluster_stack *s = &b->cluster->stacks[stack];

	return b->is_ready_apart ? s->cost_ns - s->ready_ns : s->cost_ns;
}

/*
 * Lays the common functions over the stack, each at its first place behind the one before. False:
 * the stack does not have all of them.
 */
static bool lay_common(struct building *b, size_t n)
{
	size_t at = 0;

	for (size_t i = 0; i < n; i++) {
		bool is_common = at < b->cluster->n_common && b->path[i] == b->cluster->common[at];

		b->gap_of[i] = is_common ? LODE_NONE : (uint32_t)at;
		at += is_common;
	}
	return at == b->cluster->n_common;
}

static struct held *held_at(struct gap *gap, uint32_t frame)
{
	uint32_t place = lode_map_number(&gap->place_of, frame, gap->held.n);

	if (place == gap->held.n)
		lode_vec_append(&gap->held, ((struct held){.frame = frame, .stack = LODE_NONE}));
	return &gap->held.at[place];
}

static size_t path_of(struct building *b, uint32_t node)
{
	size_t n = lode_calltree_path(&b->mined->digest->tree, node, b->path);

	lode_hop_names_apply(b->hop_names, b->path, n);
	return n;
}

static void count_held(struct building *b)
{
	for (uint32_t s = 0; s < b->cluster->n_stacks; s++) {
		size_t n = path_of(b, b->cluster->stacks[s].node);

		if (!lay_common(b, n))
			continue;
		for (size_t i = 0; i < n; i++) {
			struct held *held;

			if (b->gap_of[i] == LODE_NONE)
				continue;
			held = held_at(&b->gaps[b->gap_of[i]], b->path[i]);
			if (held->stack != s)
				held->cost_ns += cost_of(b, s);
			held->stack = s;
		}
	}
}

static void drop_rare(struct building *b)
{
	for (size_t g = 0; g <= b->cluster->n_common; g++) {
		struct gap *gap = &b->gaps[g];
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
static void count_order(struct building *b)
{
	for (uint32_t s = 0; s < b->cluster->n_stacks; s++) {
		size_t n = path_of(b, b->cluster->stacks[s].node), n_before = 0;
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
				(double)cost_of(b, s) * (double)n_before++;
		}
	}
}

LODE_COMPARE(earliest_first, struct held,
	     LODE_ORDER(a->after / (double)a->cost_ns, b->after / (double)b->cost_ns)
		     ?: LODE_ORDER(a->frame, b->frame))

static void put_frames(struct lode_headline *out, struct building *b)
{
	for (size_t g = 0; g <= b->cluster->n_common; g++) {
		struct gap *gap = &b->gaps[g];

		lode_sort(gap->held.at, gap->held.n, earliest_first);
		for (size_t i = 0; i < gap->held.n; i++)
			lode_vec_append(&out->frames, gap->held.at[i].frame);
		if (g < b->cluster->n_common)
			lode_vec_append(&out->frames, b->cluster->common[g]);
	}
}

static bool tells(const struct building *b, uint32_t frame)
{
	return lode_telling_frame(b->mined->digest, &frame, 1) != LODE_NONE;
}

/* Where a chain ends in several threads, none of which has a function of a program, that says
   nothing. */
static void drop_vague_end(struct lode_headline *out, const struct building *b)
{
	const struct lode_calltree *tree = &b->mined->digest->tree;

	for (size_t i = out->frames.n; i-- > 0;) {
		uint32_t frame = out->frames.at[i];

		if (tells(b, frame))
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
	struct lode_map telling; /* the functions of it that tell, as keys */
};

static struct last_thread last_thread_of(const struct lode_headline *headline,
					 const struct building *b)
{
	const struct lode_calltree *tree = &b->mined->digest->tree;
	struct last_thread last = {.link = LODE_NONE};
	size_t first = 0;

	for (size_t i = 0; i < headline->frames.n; i++)
		if (tree->frames.at[headline->frames.at[i]].flags & LODE_FRAME_LINK) {
			last.link = headline->frames.at[i];
			first = i + 1;
		}
	for (size_t i = first; i < headline->frames.n; i++)
		if (tells(b, headline->frames.at[i]))
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
static size_t tail_of(const struct building *b, size_t n, size_t *end,
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

/* Counts what stack s has in [start, end) of b->path. */
static void count_once(struct gap *gap, const struct building *b, uint32_t s, size_t start,
		       size_t end)
{
	size_t n_before = 0;

	for (size_t i = start; i < end; i++) {
		struct held *held = held_at(gap, b->path[i]);

		if (held->stack == s)
			continue;
		held->stack = s;
		held->cost_ns += cost_of(b, s);
		held->after += (double)cost_of(b, s) * (double)n_before++;
	}
}

/* Counts what stacks have in their tails; with `first`, of those that have it there. */
static int64_t count_tails(struct gap *tails, struct building *b, const struct last_thread *last,
			   uint32_t first)
{
	int64_t cost_ns = 0;

	for (uint32_t s = 0; s < b->cluster->n_stacks; s++) {
		size_t n = path_of(b, b->cluster->stacks[s].node), end;
		size_t start = tail_of(b, n, &end, last);

		if (cost_of(b, s) <= 0 ||
		    (first != LODE_NONE && !is_among(b->path + start, end - start, first)))
			continue;
		cost_ns += cost_of(b, s);
		count_once(tails, b, s, start, end);
	}
	return cost_ns;
}

static void gap_release(struct gap *gap)
{
	lode_vec_release(&gap->held);
	lode_map_release(&gap->place_of);
}

static void find_branch(struct lode_headline *out, struct building *b)
{
	struct last_thread last = last_thread_of(out, b);
	struct gap tails = {0}, branch = {0};
	int64_t cost_ns = count_tails(&tails, b, &last, LODE_NONE), branch_ns;
	const struct held *first = NULL;

	lode_sort(tails.held.at, tails.held.n, earliest_first);
	for (size_t i = 0; i < tails.held.n; i++) {
		const struct held *held = &tails.held.at[i];

		if (held->cost_ns > cost_ns - held->cost_ns &&
		    (!first || held->cost_ns > first->cost_ns) && tells(b, held->frame))
			first = held;
	}
	if (first) {
		branch_ns = count_tails(&branch, b, &last, first->frame);
		lode_sort(branch.held.at, branch.held.n, earliest_first);
		for (size_t i = 0; i < branch.held.n; i++)
			if (branch.held.at[i].cost_ns >= lode_agreed_ns(branch_ns))
				lode_vec_append(&out->branch, branch.held.at[i].frame);
		out->branch_share = (double)branch_ns / (double)cost_ns;
	}
	lode_map_release(&last.telling);
	gap_release(&tails);
	gap_release(&branch);
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
static void find_gaps(struct lode_headline *out, struct building *b, int64_t *held_ns)
{
	int64_t *beside_ns = lode_alloc0(out->frames.n + 1, sizeof(*beside_ns)), laid_ns = 0;
	struct places places = {0};

	find_places(&places, out);
	for (uint32_t s = 0; s < b->cluster->n_stacks; s++) {
		size_t n = path_of(b, b->cluster->stacks[s].node), at = 0;
		uint32_t before = LODE_NONE;

		laid_ns += cost_of(b, s);
		/* Functions of the headline that this stack lacks are passed over. */
		for (size_t i = 0; i < n; before = b->path[i++]) {
			uint32_t place = place_behind(&places, b->path[i], s, at);

			if (place == LODE_NONE)
				continue;
			held_ns[place] += b->cluster->stacks[s].cost_ns;
			if (place && before == out->frames.at[place - 1])
				beside_ns[place] += cost_of(b, s);
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

/* How much of the rest of the area of interest does without a function that so much of the cluster
   has. */
static double rarity_of(const struct building *b, uint32_t frame, int64_t held_ns)
{
	int64_t rest_ns = b->mined->aoi_ns - b->cluster->own_ns;
	int64_t outside_ns = b->mined->frame_ns[frame] - held_ns;
	double share = rest_ns > 0 ? (double)outside_ns / (double)rest_ns : 0;

	return 1 - (share < 0 ? 0 : share > 1 ? 1 : share);
}

static void find_rarity(struct lode_headline *out, const struct building *b, const int64_t *held_ns)
{
	for (size_t i = 0; i < out->frames.n; i++)
		lode_vec_append(&out->rarity, rarity_of(b, out->frames.at[i], held_ns[i]));
}

/* ---- The main branch in other threads ---- */

/* What all kernel threads begin with. */
static bool is_kthread(const struct lode_calltree *tree, uint32_t frame)
{
	return tree->frames.at[frame].flags & LODE_FRAME_KERNEL &&
	       strcmp(lode_frame_function(tree, frame), "kthread") == 0;
}

/* The thread that the branch has come to, and the stacks that have come there. */
struct followed {
	uint32_t link;	/* LODE_NONE: it is the first thread */
	bool is_agreed; /* the thread is the last of those that all agree on */
	bool *has;	/* per stack of the cluster */
	int64_t cost_ns;
	uint32_t *names; /* frames of a stack; threads called "…" have their own names */
};

static bool is_any(const struct building *b, uint32_t link)
{
	const struct lode_hop_names *names = b->hop_names;

	return !strcmp(lode_hop_name_of(names->names.at, names->names.n, &b->mined->digest->tree,
					link),
		       lode_hop_any);
}

/* The frames of a stack behind the link to that thread: [start, *end), up to the next link. */
static size_t frames_behind(struct building *b, struct followed *f, size_t s, size_t *n,
			    size_t *end)
{
	const struct lode_calltree *tree = &b->mined->digest->tree;
	size_t start;

	*n = path_of(b, b->cluster->stacks[s].node);
	lode_calltree_path(tree, b->cluster->stacks[s].node, f->names);
	start = f->link == LODE_NONE ? 0 : *n;
	for (size_t i = 0; i < *n; i++) {
		if (b->path[i] != f->names[i] && !is_any(b, b->path[i]))
			f->names[i] = b->path[i];
		if ((f->is_agreed ? b->path[i] : f->names[i]) == f->link)
			start = i + 1;
	}
	for (*end = start; *end < *n;) {
		if (tree->frames.at[f->names[*end]].flags & LODE_FRAME_LINK)
			break;
		++*end;
	}
	return start;
}

/* Goes on along the link that stacks with so much of the cost have behind the thread; false: none
   has so much. */
static bool follow_link(struct followed *f, struct building *b, int64_t least_ns)
{
	struct followed next = {LODE_NONE, false, f->has, 0, f->names};
	struct gap links = {0};
	size_t n, end;

	for (uint32_t s = 0; s < b->cluster->n_stacks; s++) {
		frames_behind(b, f, s, &n, &end);
		if (f->has[s] && end < n)
			held_at(&links, f->names[end])->cost_ns += cost_of(b, s);
	}
	for (size_t i = 0; i < links.held.n; i++)
		if (links.held.at[i].cost_ns >= least_ns) {
			next.link = links.held.at[i].frame;
			next.cost_ns = links.held.at[i].cost_ns;
		}
	gap_release(&links);
	if (next.link == LODE_NONE)
		return false;
	for (uint32_t s = 0; s < b->cluster->n_stacks; s++) {
		frames_behind(b, f, s, &n, &end);
		f->has[s] = f->has[s] && end < n && f->names[end] == next.link;
	}
	*f = next;
	return true;
}

/* Adds the thread, with what four fifths of the stacks that have come there have in it. */
static void put_frames_of(struct lode_headline *out, struct building *b, struct followed *f)
{
	struct gap thread = {0};

	for (uint32_t s = 0; s < b->cluster->n_stacks; s++) {
		size_t n, end, start;

		if (!f->has[s])
			continue;
		start = frames_behind(b, f, s, &n, &end);
		count_once(&thread, b, s, start, end);
	}
	lode_vec_append(&out->frames, f->link);
	lode_sort(thread.held.at, thread.held.n, earliest_first);
	for (size_t i = 0; i < thread.held.n; i++)
		if (thread.held.at[i].cost_ns >= lode_agreed_ns(f->cost_ns))
			lode_vec_append(&out->frames, thread.held.at[i].frame);
	gap_release(&thread);
}

/* Which of the thread's frames, from `first` on, mostly have another before them than the headline
   has; and how rare they are elsewhere. */
static void put_gaps_of(struct lode_headline *out, struct building *b, struct followed *f,
			size_t first)
{
	size_t n_frames = out->frames.n - first;
	struct held *held = lode_alloc0(n_frames, sizeof(*held)); /* cost_ns: with all time */
	int64_t *beside_ns = lode_alloc0(n_frames, sizeof(*beside_ns));
	struct lode_map place_of = {0};

	for (size_t k = 0; k < n_frames; k++) {
		*lode_map_slot(&place_of, out->frames.at[first + k]) = (uint32_t)k;
		held[k].stack = LODE_NONE;
	}
	for (uint32_t s = 0; s < b->cluster->n_stacks; s++) {
		size_t n, end, start = frames_behind(b, f, s, &n, &end);

		for (size_t i = start - 1; f->has[s] && i < end; i++) {
			uint32_t k = lode_map_find(&place_of, i < start ? f->link : b->path[i]);

			if (k == LODE_NONE || held[k].stack == s)
				continue;
			held[k].stack = s;
			held[k].cost_ns += b->cluster->stacks[s].cost_ns;
			if (k && (i == start ? f->link : b->path[i - 1]) ==
					 out->frames.at[first + k - 1])
				beside_ns[k] += cost_of(b, s);
		}
	}
	for (size_t k = 0; k < n_frames; k++) {
		lode_vec_append(&out->gap_before, k && beside_ns[k] < f->cost_ns - beside_ns[k]);
		lode_vec_append(&out->rarity,
				rarity_of(b, out->frames.at[first + k], held[k].cost_ns));
	}
	lode_map_release(&place_of);
	free(beside_ns);
	free(held);
}

/* The link to the headline's last thread. A thread with a function of a program is what to look at,
   and more threads would take its room; a kernel thread works for others: *is_end. */
static uint32_t last_link(const struct lode_headline *out, const struct building *b, bool *is_end)
{
	const struct lode_calltree *tree = &b->mined->digest->tree;

	*is_end = false;
	for (size_t i = out->frames.n; i-- > 0;) {
		uint32_t frame = out->frames.at[i];

		if (tree->frames.at[frame].flags & LODE_FRAME_LINK)
			return frame;
		*is_end |= tells(b, frame) || is_kthread(tree, frame);
	}
	return LODE_NONE;
}

/* Behind the threads that all agree on, where most of the cost waits for one and the same, up to
   the first thread that is an end. */
static void follow_branch(struct lode_headline *out, struct building *b, size_t depth)
{
	size_t n_agreed = out->frames.n;
	int64_t all_ns = 0, least_ns;
	struct followed f = {.is_agreed = true};
	bool is_end;

	f.link = last_link(out, b, &is_end);
	if (is_end)
		return;
	f.has = lode_alloc0(b->cluster->n_stacks + 1, sizeof(*f.has));
	f.names = lode_alloc((depth + 1) * sizeof(*f.names));
	for (uint32_t s = 0; s < b->cluster->n_stacks; s++) {
		f.has[s] = cost_of(b, s) > 0;
		all_ns += cost_of(b, s);
	}
	for (least_ns = all_ns / 2 + 1; !is_end && follow_link(&f, b, least_ns);
	     least_ns = lode_agreed_ns(f.cost_ns)) {
		size_t first = out->frames.n;

		put_frames_of(out, b, &f);
		put_gaps_of(out, b, &f, first);
		last_link(out, b, &is_end);
	}
	out->n_more = out->frames.n - n_agreed;
	if (out->n_more)
		out->branch_share = (double)f.cost_ns / (double)all_ns;
	free(f.names);
	free(f.has);
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
static void weigh(struct building *b)
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
	struct building b = {
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
		cost_ns[i] = cost_of(&b, i);
	lode_hop_names_find(&out->hop_names, mined->digest, cluster, cost_ns, b.enough_ns);
	free(cost_ns);
	count_held(&b);
	drop_rare(&b);
	count_order(&b);
	put_frames(out, &b);
	drop_vague_end(out, &b);
	find_branch(out, &b);
	held_ns = lode_alloc0(out->frames.n + 1, sizeof(*held_ns));
	find_gaps(out, &b, held_ns);
	find_rarity(out, &b, held_ns);
	if (!out->branch.n)
		follow_branch(out, &b, depth);
	lode_cluster_who(out->who, mined, cluster);
	for (size_t g = 0; g <= cluster->n_common; g++)
		gap_release(&b.gaps[g]);
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
		if (hop < n && is_kthread(tree, frame))
			hops[hop].is_kernel_thread = true;
	}
}

size_t lode_headline_hops(struct lode_headline_hop **out, const struct lode_mined *mined,
			  const struct lode_cluster *cluster, struct lode_arena *arena)
{
	const struct lode_calltree *tree = &mined->digest->tree;
	struct lode_line_hop hops[LODE_LINE_HOPS];
	struct lode_headline headline = {0};
	struct lode_line_frames line;
	size_t n;

	lode_headline_build(&headline, mined, cluster);
	line = line_of(&headline, cluster->name);
	n = lode_line_hops(hops, mined->digest, &line);
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
			.branch_share = hops[i].is_more ? headline.branch_share : (double)NAN,
		};
	}
	if (n && headline.branch.n) {
		struct lode_headline_hop *last = &(*out)[n - 1];
		uint32_t *frames = lode_arena_array(arena, uint32_t, LODE_LINE_BRANCH_FRAMES);

		last->n_branch = lode_line_branch(frames, mined->digest, &line);
		last->branch = frames;
		last->branch_share = headline.branch_share;
	}
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
