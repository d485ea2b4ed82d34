/* The main branch of a headline in other threads. */
#include "answers/clusters/headline_parts.h"

bool lode_headline_is_kthread(const struct lode_calltree *tree, uint32_t frame)
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

static bool is_any(const struct lode_headline_building *b, uint32_t link)
{
	const struct lode_hop_names *names = b->hop_names;

	return !strcmp(lode_hop_name_of(names->names.at, names->names.n, &b->mined->digest->tree,
					link),
		       lode_hop_any);
}

/* The frames of a stack behind the link to that thread: [start, *end), up to the next link. */
static size_t frames_behind(struct lode_headline_building *b, struct followed *f, size_t s,
			    size_t *n, size_t *end)
{
	const struct lode_calltree *tree = &b->mined->digest->tree;
	size_t start;

	*n = lode_headline_path_of(b, b->cluster->stacks[s].node);
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
static bool follow_link(struct followed *f, struct lode_headline_building *b, int64_t least_ns)
{
	struct followed next = {LODE_NONE, false, f->has, 0, f->names};
	struct lode_headline_gap links = {0};
	size_t n, end;

	for (uint32_t s = 0; s < b->cluster->n_stacks; s++) {
		frames_behind(b, f, s, &n, &end);
		if (f->has[s] && end < n)
			lode_headline_held_at(&links, f->names[end])->cost_ns +=
				lode_headline_cost_of(b, s);
	}
	for (size_t i = 0; i < links.held.n; i++)
		if (links.held.at[i].cost_ns >= least_ns) {
			next.link = links.held.at[i].frame;
			next.cost_ns = links.held.at[i].cost_ns;
		}
	lode_headline_gap_release(&links);
	if (next.link == LODE_NONE)
		return false;
	for (uint32_t s = 0; s < b->cluster->n_stacks; s++) {
		frames_behind(b, f, s, &n, &end);
		f->has[s] = f->has[s] && end < n && f->names[end] == next.link;
	}
	*f = next;
	return true;
}

/* Adds the thread, with what stacks of so much cost that have come there have in it. */
static void put_frames_of(struct lode_headline *out, struct lode_headline_building *b,
			  struct followed *f, int64_t least_ns)
{
	struct lode_headline_gap thread = {0};

	for (uint32_t s = 0; s < b->cluster->n_stacks; s++) {
		size_t n, end, start;

		if (!f->has[s])
			continue;
		start = frames_behind(b, f, s, &n, &end);
		lode_headline_count_once(&thread, b, s, start, end);
	}
	lode_vec_append(&out->frames, f->link);
	lode_headline_gap_sort(&thread);
	for (size_t i = 0; i < thread.held.n; i++)
		if (thread.held.at[i].cost_ns >= least_ns)
			lode_vec_append(&out->frames, thread.held.at[i].frame);
	lode_headline_gap_release(&thread);
}

/* Which of the thread's frames, from `first` on, mostly have another before them than the headline
   has; and how rare they are elsewhere. */
static void put_gaps_of(struct lode_headline *out, struct lode_headline_building *b,
			struct followed *f, size_t first)
{
	size_t n_frames = out->frames.n - first;
	struct lode_headline_held *held =
		lode_alloc0(n_frames, sizeof(*held)); /* cost_ns: with all time */
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
				beside_ns[k] += lode_headline_cost_of(b, s);
		}
	}
	for (size_t k = 0; k < n_frames; k++) {
		lode_vec_append(&out->gap_before, k && beside_ns[k] < f->cost_ns - beside_ns[k]);
		lode_vec_append(&out->rarity, lode_headline_rarity_of(b, out->frames.at[first + k],
								      held[k].cost_ns));
	}
	lode_map_release(&place_of);
	free(beside_ns);
	free(held);
}

uint32_t lode_headline_last_link(const struct lode_headline *out,
				 const struct lode_headline_building *b, bool *has_own,
				 bool *is_kernel)
{
	const struct lode_calltree *tree = &b->mined->digest->tree;

	*has_own = *is_kernel = false;
	for (size_t i = out->frames.n; i-- > 0;) {
		uint32_t frame = out->frames.at[i];

		if (tree->frames.at[frame].flags & LODE_FRAME_LINK)
			return frame;
		*has_own |= lode_headline_tells(b, frame);
		*is_kernel |= lode_headline_is_kthread(tree, frame);
	}
	return LODE_NONE;
}

void lode_headline_follow_threads(struct lode_headline *out, struct lode_headline_building *b,
				  size_t depth)
{
	size_t n_agreed = out->frames.n, n_kept = n_agreed;
	int64_t all_ns = 0, half_ns, least_ns, kept_ns = 0;
	struct followed f = {.is_agreed = true};
	bool has_own, is_kernel, is_enough;

	f.link = lode_headline_last_link(out, b, &has_own, &is_kernel);
	is_enough = has_own;
	f.has = lode_alloc0(b->cluster->n_stacks + 1, sizeof(*f.has));
	f.names = lode_alloc((depth + 1) * sizeof(*f.names));
	for (uint32_t s = 0; s < b->cluster->n_stacks; s++) {
		f.has[s] = lode_headline_cost_of(b, s) > 0;
		all_ns += lode_headline_cost_of(b, s);
	}
	half_ns = least_ns = all_ns / 2 + 1;
	while (!is_kernel && follow_link(&f, b, least_ns)) {
		size_t first = out->frames.n;
		int64_t agreed_ns = lode_agreed_ns(f.cost_ns);

		agreed_ns = agreed_ns < half_ns ? agreed_ns : half_ns;
		put_frames_of(out, b, &f, agreed_ns);
		put_gaps_of(out, b, &f, first);
		lode_headline_last_link(out, b, &has_own, &is_kernel);
		least_ns = has_own ? half_ns : agreed_ns;
		if (is_enough && !has_own)
			continue;
		n_kept = out->frames.n;
		kept_ns = f.cost_ns;
	}
	out->frames.n = out->gap_before.n = out->rarity.n = n_kept;
	out->n_more = n_kept - n_agreed;
	if (out->n_more)
		out->more_share = (double)kept_ns / (double)all_ns;
	free(f.names);
	free(f.has);
}
