/*
 * The headline of a cluster by its definition (answers/clusters/headline.h), word for word: every
 * question goes through all stacks. Part of test_headline.c, which alone includes it.
 */
#pragma once

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "answers/clusters/headline.h"

enum { MOST_FRAMES = 40 };

/* Under which frame each link of the cluster is counted, and what that is called; NULL: by its own
   name. */
static struct {
	uint32_t as[64];
	char name[64][32];
} told;

static size_t told_path(const struct lode_mined *mined, uint32_t node, uint32_t *path)
{
	size_t n = lode_calltree_path(&mined->digest->tree, node, path);

	for (size_t i = 0; i < n; i++)
		path[i] = told.as[path[i]];
	return n;
}

/* Where a stack has frame `f` in gap `g` of the common part, at first; -1: nowhere. *n_frames: how
   many functions it has; -2: the stack lacks the common part. */
static int place_in_gap(const struct lode_mined *mined, const struct lode_cluster *c, size_t s,
			size_t g, uint32_t f)
{
	uint32_t path[MOST_FRAMES];
	size_t n = told_path(mined, c->stacks[s].node, path), at = 0;
	int found = -1;

	for (size_t i = 0; i < n; i++) {
		if (at < c->n_common && path[i] == c->common[at])
			at++;
		else if (at == g && path[i] == f && found < 0)
			found = (int)i;
	}
	return at < c->n_common ? -2 : found;
}

/* What stack `s` counts for: without its time ready to run, unless that is half of the cluster. */
static int64_t counted(const struct lode_mined *mined, const struct lode_cluster *c, size_t s)
{
	int64_t all_ns = 0, ready_ns = 0, cost_ns = 0, ready_here_ns = 0;

	for (size_t r = 0; r < mined->digest->rows.n; r++) {
		const struct lode_digest_row *row = &mined->digest->rows.at[r];

		for (size_t k = 0; k < c->n_stacks; k++) {
			bool is_ready = row->kind == LODE_EVENT_READY;

			if (c->stacks[k].node != row->stack)
				continue;
			all_ns += row->cost_ns;
			ready_ns += is_ready ? row->cost_ns : 0;
			cost_ns += k == s ? row->cost_ns : 0;
			ready_here_ns += k == s && is_ready ? row->cost_ns : 0;
		}
	}
	return cost_ns - (2 * ready_ns < all_ns ? ready_here_ns : 0);
}

static int64_t cost_in_gap(const struct lode_mined *mined, const struct lode_cluster *c, size_t g,
			   uint32_t f)
{
	int64_t cost_ns = 0;

	for (size_t s = 0; s < c->n_stacks; s++)
		if (place_in_gap(mined, c, s, g, f) >= 0)
			cost_ns += counted(mined, c, s);
	return cost_ns;
}

struct placed {
	uint32_t frame;
	double before; /* others of the gap that stand before it, on average by cost */
};

static int by_place(const void *a, const void *b)
{
	const struct placed *p = a, *q = b;

	return p->before != q->before ? (p->before > q->before) - (p->before < q->before)
				      : (p->frame > q->frame) - (p->frame < q->frame);
}

static size_t gap_frames(uint32_t *out, const struct lode_mined *mined,
			 const struct lode_cluster *c, size_t g, int64_t all_ns)
{
	struct placed placed[64];
	size_t n = 0;

	for (uint32_t f = 0; f < mined->digest->tree.frames.n; f++)
		if (cost_in_gap(mined, c, g, f) > 0 &&
		    cost_in_gap(mined, c, g, f) >= all_ns - all_ns / 5)
			placed[n++].frame = f;
	for (size_t i = 0; i < n; i++) {
		double sum = 0;

		for (size_t s = 0; s < c->n_stacks; s++) {
			int at = place_in_gap(mined, c, s, g, placed[i].frame);

			for (size_t k = 0; at >= 0 && k < n; k++) {
				int other = place_in_gap(mined, c, s, g, placed[k].frame);

				if (other >= 0 && other < at)
					sum += (double)counted(mined, c, s);
			}
		}
		placed[i].before = sum / (double)cost_in_gap(mined, c, g, placed[i].frame);
	}
	qsort(placed, n, sizeof(*placed), by_place);
	for (size_t i = 0; i < n; i++)
		out[i] = placed[i].frame;
	return n;
}

static int64_t cost_of_stacks(const struct lode_mined *mined, const struct lode_cluster *c)
{
	int64_t all_ns = 0;

	for (size_t s = 0; s < c->n_stacks; s++)
		all_ns += counted(mined, c, s);
	return all_ns;
}

static bool is_link(const struct lode_mined *mined, uint32_t frame)
{
	return mined->digest->tree.frames.at[frame].flags & LODE_FRAME_LINK;
}

/* What the stacks with any of these frames count for; -1: there is none. */
static int64_t cost_with(const struct lode_mined *mined, const struct lode_cluster *c,
			 const bool *frames)
{
	int64_t cost_ns = -1;

	for (size_t s = 0; s < c->n_stacks; s++) {
		uint32_t path[MOST_FRAMES];
		size_t n = lode_calltree_path(&mined->digest->tree, c->stacks[s].node, path);
		bool has = false;

		for (size_t i = 0; i < n; i++)
			has |= frames[path[i]];
		if (has)
			cost_ns = (cost_ns < 0 ? 0 : cost_ns) + counted(mined, c, s);
	}
	return cost_ns;
}

/* The links among `odd` of `program`, "": of any, are called so if they have enough together. */
static void define_name(const struct lode_mined *mined, const struct lode_cluster *c, bool *odd,
			const char *program)
{
	const struct lode_calltree *tree = &mined->digest->tree;
	int64_t all_ns = cost_of_stacks(mined, c), most = -1;
	bool of[64] = {0};
	uint32_t first = 0;

	for (uint32_t f = 0; f < tree->frames.n; f++) {
		const char *name = lode_frame_function(tree, f);
		bool alone[64] = {[0] = false};
		int64_t cost_ns;

		if (!odd[f] || (*program && (strncmp(name, program, strlen(program)) != 0 ||
					     strchr(" ", name[strlen(program)]) == NULL)))
			continue;
		alone[f] = of[f] = true;
		cost_ns = cost_with(mined, c, alone);
		if (cost_ns > most ||
		    (cost_ns == most && strcmp(name, lode_frame_function(tree, first)) < 0)) {
			most = cost_ns;
			first = f;
		}
	}
	if (cost_with(mined, c, of) < all_ns - all_ns / 5)
		return;
	for (uint32_t f = 0; f < tree->frames.n; f++)
		if (of[f]) {
			told.as[f] = first;
			odd[f] = false;
			snprintf(told.name[first], sizeof(told.name[first]), "%s",
				 *program ? program : "…");
		}
}

static void define_names(const struct lode_mined *mined, const struct lode_cluster *c)
{
	int64_t all_ns = cost_of_stacks(mined, c);
	bool odd[64] = {0};

	memset(&told, 0, sizeof(told));
	for (uint32_t f = 0; f < mined->digest->tree.frames.n; f++) {
		bool alone[64] = {[0] = false};

		told.as[f] = f;
		alone[f] = true;
		odd[f] = is_link(mined, f) && cost_with(mined, c, alone) >= 0 &&
			 cost_with(mined, c, alone) < all_ns - all_ns / 5;
		for (size_t i = 0; i < c->n_common; i++)
			odd[f] &= c->common[i] != f;
	}
	define_name(mined, c, odd, "store");
	define_name(mined, c, odd, "log");
	define_name(mined, c, odd, "");
}

static bool tells(const struct lode_mined *mined, uint32_t frame)
{
	return lode_telling_frame(mined->digest, &frame, 1) != LODE_NONE;
}

/* Up to the first of the links called "…" behind which no other link, and no function that tells,
   follows. */
static size_t without_vague_end(const uint32_t *frames, size_t n, const struct lode_mined *mined)
{
	for (size_t i = 0; i < n; i++) {
		bool is_vague = !strcmp(told.name[frames[i]], "…");

		for (size_t k = i + 1; k < n; k++)
			is_vague &=
				!tells(mined, frames[k]) &&
				(!is_link(mined, frames[k]) || !strcmp(told.name[frames[k]], "…"));
		if (is_vague)
			return i;
	}
	return n;
}

static size_t defined_headline(uint32_t *out, const struct lode_mined *mined,
			       const struct lode_cluster *c)
{
	int64_t all_ns = cost_of_stacks(mined, c);
	size_t n = 0;

	for (size_t g = 0; g <= c->n_common; g++) {
		n += gap_frames(out + n, mined, c, g, all_ns);
		if (g < c->n_common)
			out[n++] = c->common[g];
	}
	return without_vague_end(out, n, mined);
}

/* In how much of the cost the function before stands right before function `k`, when each stack's
   functions take the headline's places in turn. */
static int64_t beside(const struct lode_mined *mined, const struct lode_cluster *c,
		      const uint32_t *headline, size_t n_headline, size_t k)
{
	int64_t cost_ns = 0;

	for (size_t s = 0; s < c->n_stacks; s++) {
		uint32_t path[MOST_FRAMES];
		size_t n = told_path(mined, c->stacks[s].node, path);
		size_t at = 0, place;

		for (size_t i = 0; i < n; i++) {
			for (place = at; place < n_headline && headline[place] != path[i];)
				place++;
			if (place == n_headline)
				continue;
			if (place == k && i && path[i - 1] == headline[k - 1])
				cost_ns += counted(mined, c, s);
			at = place + 1;
		}
	}
	return cost_ns;
}

/* ---- The main branch, by its definition ---- */

/* The functions of stack `s` in the headline's last thread, behind the program's own functions that
   the headline has there; each once. */
static size_t defined_tail(uint32_t *out, const struct lode_mined *mined,
			   const struct lode_cluster *c, size_t s, const uint32_t *headline,
			   size_t n_headline)
{
	uint32_t path[MOST_FRAMES];
	size_t n = told_path(mined, c->stacks[s].node, path);
	size_t first = 0, start = 0, end, n_out = 0;

	for (size_t k = 0; k < n_headline; k++)
		if (is_link(mined, headline[k]))
			first = k + 1;
	/* Behind the last such link, where there is one. */
	for (size_t i = n; first && i > 0; i--)
		if (path[i - 1] == headline[first - 1]) {
			start = i;
			break;
		}
	if (first && !start)
		return 0;
	for (end = start; end < n && !is_link(mined, path[end]);)
		end++;
	for (size_t i = start; i < end; i++)
		for (size_t k = first; k < n_headline; k++)
			if (tells(mined, path[i]) && headline[k] == path[i])
				start = i + 1;
	for (size_t i = start; i < end; i++) {
		bool is_new = true;

		for (size_t k = 0; k < n_out; k++)
			is_new &= out[k] != path[i];
		if (is_new)
			out[n_out++] = path[i];
	}
	return n_out;
}

static size_t place_among(const uint32_t *frames, size_t n, uint32_t frame)
{
	size_t at = 0;

	while (at < n && frames[at] != frame)
		at++;
	return at;
}

/* What the tails that have `other` (or all) and `frame` cost; *before: what stands before it. */
static int64_t cost_in_tails(const struct lode_mined *mined, const struct lode_cluster *c,
			     const uint32_t *headline, size_t n_headline, uint32_t other,
			     uint32_t frame, double *before)
{
	int64_t cost_ns = 0;

	*before = 0;
	for (size_t s = 0; s < c->n_stacks; s++) {
		uint32_t tail[MOST_FRAMES];
		size_t n = defined_tail(tail, mined, c, s, headline, n_headline);
		size_t at = place_among(tail, n, frame);

		if (at == n || (other != LODE_NONE && place_among(tail, n, other) == n))
			continue;
		cost_ns += counted(mined, c, s);
		*before += (double)counted(mined, c, s) * (double)at;
	}
	if (cost_ns > 0)
		*before /= (double)cost_ns;
	return cost_ns;
}

/* Where the stack's frames of the headline's last thread begin. */
static int begin_of_last(const struct lode_mined *mined, const uint32_t *path, size_t n,
			 const uint32_t *headline, size_t n_headline)
{
	uint32_t link = LODE_NONE;

	for (size_t k = 0; k < n_headline; k++)
		link = is_link(mined, headline[k]) ? headline[k] : link;
	for (size_t i = n; link != LODE_NONE && i > 0; i--)
		if (path[i - 1] == link)
			return (int)i;
	return 0;
}

/* How many of the functions in `half` stand behind the last place of `frame`, on average by cost of
   the tails that have it. */
static double n_behind(const struct lode_mined *mined, const struct lode_cluster *c,
		       const uint32_t *headline, size_t n_headline, const bool *half,
		       uint32_t frame)
{
	double sum = 0, cost = 0;

	for (size_t s = 0; s < c->n_stacks; s++) {
		uint32_t path[MOST_FRAMES], tail[MOST_FRAMES];
		size_t n_path = told_path(mined, c->stacks[s].node, path), at, n_after = 0;
		size_t n = defined_tail(tail, mined, c, s, headline, n_headline), end;

		if (place_among(tail, n, frame) == n)
			continue;
		end = (size_t)begin_of_last(mined, path, n_path, headline, n_headline);
		while (end < n_path && !is_link(mined, path[end]))
			end++;
		for (at = end; path[at - 1] != frame;)
			at--;
		for (uint32_t f = 0; f < mined->digest->tree.frames.n; f++)
			n_after += half[f] && place_among(path + at, end - at, f) < end - at;
		sum += (double)counted(mined, c, s) * (double)n_after;
		cost += (double)counted(mined, c, s);
	}
	return cost > 0 ? sum / cost : 0;
}

static size_t defined_branch(uint32_t *out, double *share, const struct lode_mined *mined,
			     const struct lode_cluster *c, const uint32_t *headline,
			     size_t n_headline)
{
	size_t n_frames = mined->digest->tree.frames.n, n = 0;
	int64_t all_ns = cost_of_stacks(mined, c), most_ns = 0;
	double before, least = 0, least_before = 0;
	uint32_t first = LODE_NONE;
	struct placed placed[64];
	bool half[64] = {0};

	for (uint32_t f = 0; f < n_frames; f++)
		half[f] = tells(mined, f) && cost_in_tails(mined, c, headline, n_headline,
							   LODE_NONE, f, &before) > all_ns / 2;
	for (uint32_t f = 0; f < n_frames; f++) {
		int64_t cost_ns =
			cost_in_tails(mined, c, headline, n_headline, LODE_NONE, f, &before);
		double behind = half[f] ? n_behind(mined, c, headline, n_headline, half, f) : 0;
		bool is_equal = first != LODE_NONE && behind <= least && behind >= least;

		/* Of equal ones, the costliest; of these, the one that stands first. */
		if (half[f] &&
		    (first == LODE_NONE || behind < least || (is_equal && cost_ns > most_ns) ||
		     (is_equal && cost_ns == most_ns && before < least_before))) {
			first = f;
			most_ns = cost_ns;
			least = behind;
			least_before = before;
		}
	}
	*share = 0;
	if (first == LODE_NONE)
		return 0;
	*share = (double)most_ns / (double)all_ns;
	for (uint32_t f = 0; f < n_frames; f++) {
		int64_t cost_ns = cost_in_tails(mined, c, headline, n_headline, first, f, &before);

		if (cost_ns > 0 && cost_ns >= most_ns - most_ns / 5)
			placed[n++] = (struct placed){f, before};
	}
	qsort(placed, n, sizeof(*placed), by_place);
	for (size_t i = 0; i < n; i++)
		out[i] = placed[i].frame;
	return n;
}

/* ---- The main branch in other threads, by its definition ---- */

/* What a frame counts as: links called "…" as themselves. */
static uint32_t named_alone(uint32_t frame)
{
	return strcmp(told.name[told.as[frame]], "…") ? told.as[frame] : frame;
}

/* Behind which place the stack's frames of the thread begin, the last one behind `link`; -1: the
   stack does not have it. */
static int begin_of_thread(const uint32_t *path, size_t n, uint32_t link, bool is_agreed)
{
	if (link == LODE_NONE)
		return 0;
	for (size_t i = n; i > 0; i--)
		if ((is_agreed ? told.as[path[i - 1]] : named_alone(path[i - 1])) == link)
			return (int)i;
	return -1;
}

static uint32_t next_link(const struct lode_mined *mined, const uint32_t *path, size_t n, int at)
{
	for (; at >= 0 && at < (int)n; at++)
		if (is_link(mined, path[at]))
			return named_alone(path[at]);
	return LODE_NONE;
}

/* The functions that stacks in `in` with so much of the cost have behind `link`. */
static size_t frames_of_thread(uint32_t *out, const struct lode_mined *mined,
			       const struct lode_cluster *c, const bool *in, uint32_t link,
			       int64_t least_ns)
{
	struct placed placed[64];
	size_t n_placed = 0;

	for (uint32_t f = 0; f < mined->digest->tree.frames.n; f++) {
		int64_t cost_ns = 0;
		double before = 0;

		for (size_t s = 0; s < c->n_stacks; s++) {
			uint32_t path[MOST_FRAMES], seen[MOST_FRAMES];
			size_t n = lode_calltree_path(&mined->digest->tree, c->stacks[s].node,
						      path),
			       n_seen = 0;
			int at = begin_of_thread(path, n, link, false);

			for (; in[s] && at < (int)n && !is_link(mined, path[at]); at++) {
				if (place_among(seen, n_seen, path[at]) < n_seen)
					continue;
				if (path[at] == f) {
					cost_ns += counted(mined, c, s);
					before += (double)counted(mined, c, s) * (double)n_seen;
				}
				seen[n_seen++] = path[at];
			}
		}
		if (cost_ns > 0 && cost_ns >= least_ns)
			placed[n_placed++] = (struct placed){f, before / (double)cost_ns};
	}
	qsort(placed, n_placed, sizeof(*placed), by_place);
	for (size_t i = 0; i < n_placed; i++)
		out[i] = placed[i].frame;
	return n_placed;
}

/* Does something else than `before` stand before `frame`, at its first place behind `link`, in more
   than half of the cost? */
static bool is_gap(const struct lode_mined *mined, const struct lode_cluster *c, const bool *in,
		   uint32_t link, int64_t all_ns, uint32_t before, uint32_t frame)
{
	int64_t beside_ns = 0;

	for (size_t s = 0; s < c->n_stacks; s++) {
		uint32_t path[MOST_FRAMES];
		size_t n = lode_calltree_path(&mined->digest->tree, c->stacks[s].node, path);
		int at = begin_of_thread(path, n, link, false), first = at;

		while (in[s] && at < (int)n && !is_link(mined, path[at]) && path[at] != frame)
			at++;
		if (in[s] && at < (int)n && path[at] == frame &&
		    (at == first ? link : path[at - 1]) == before)
			beside_ns += counted(mined, c, s);
	}
	return 2 * beside_ns < all_ns;
}

static bool has_own_at_end(const struct lode_mined *mined, const uint32_t *headline, size_t n)
{
	for (size_t i = n; i > 0 && !is_link(mined, headline[i - 1]); i--)
		if (tells(mined, headline[i - 1]))
			return true;
	return false;
}

/* What comes behind the headline's `n` frames; *share: of the cost. */
static size_t defined_more(uint32_t *headline, bool *gaps, size_t n, double *share,
			   const struct lode_mined *mined, const struct lode_cluster *c)
{
	int64_t all_ns = cost_of_stacks(mined, c), half_ns = all_ns / 2 + 1, enough_ns = half_ns;
	uint32_t link = LODE_NONE;
	bool in[64], is_agreed = true, is_enough = has_own_at_end(mined, headline, n);
	size_t n_more = 0, n_kept = 0;

	*share = 0;
	assert_true(c->n_stacks <= 64);
	for (size_t s = 0; s < c->n_stacks; s++)
		in[s] = counted(mined, c, s) > 0;
	for (size_t i = 0; i < n; i++)
		link = is_link(mined, headline[i]) ? headline[i] : link;
	for (;;) {
		uint32_t next[64], best = LODE_NONE;
		int64_t best_ns = 0;

		/* Behind a function of a program, only what half of the cost has. */
		if (has_own_at_end(mined, headline, n + n_more))
			enough_ns = half_ns;

		for (size_t s = 0; s < c->n_stacks; s++) {
			uint32_t path[MOST_FRAMES];
			size_t n_path =
				lode_calltree_path(&mined->digest->tree, c->stacks[s].node, path);

			next[s] = next_link(mined, path, n_path,
					    begin_of_thread(path, n_path, link, is_agreed));
		}
		for (uint32_t f = 0; f < mined->digest->tree.frames.n; f++) {
			int64_t cost_ns = 0;

			for (size_t s = 0; s < c->n_stacks; s++)
				cost_ns += in[s] && next[s] == f ? counted(mined, c, s) : 0;
			if (cost_ns >= enough_ns) {
				best = f;
				best_ns = cost_ns;
			}
		}
		if (best == LODE_NONE)
			return n_kept;
		for (size_t s = 0; s < c->n_stacks; s++)
			in[s] &= next[s] == best;
		link = best;
		is_agreed = false;
		enough_ns = best_ns - best_ns / 5 < half_ns ? best_ns - best_ns / 5 : half_ns;
		gaps[n + n_more] = false;
		headline[n + n_more++] = link;
		for (size_t end = n_more + frames_of_thread(headline + n + n_more, mined, c, in,
							    link, enough_ns);
		     n_more < end; n_more++)
			gaps[n + n_more] = is_gap(mined, c, in, link, best_ns,
						  headline[n + n_more - 1], headline[n + n_more]);
		/* Behind a function of a program, others without one take its room. */
		if (!is_enough || has_own_at_end(mined, headline, n + n_more)) {
			n_kept = n_more;
			*share = (double)best_ns / (double)all_ns;
		}
	}
}

/* ---- Several branches, by their definition ---- */

enum { OWN, THREAD, LIBRARY, N_WAYS };

/* Has stack `s` frame `f` behind the headline, as a branch of that kind? *at: how many of the kind
   precede it. */
static bool has_way(const struct lode_mined *mined, const struct lode_cluster *c, size_t s,
		    const uint32_t *headline, size_t n_headline, int way, uint32_t f, double *at)
{
	uint32_t tail[MOST_FRAMES], path[MOST_FRAMES], link = LODE_NONE;
	size_t n = lode_calltree_path(&mined->digest->tree, c->stacks[s].node, path), first = 0;
	char program[LODE_HOP_NAME], other[LODE_HOP_NAME];
	int begin;

	*at = 0;
	for (size_t k = 0; k < n_headline; k++)
		if (is_link(mined, headline[k])) {
			link = headline[k];
			first = k + 1;
		}
	if (way == THREAD) {
		begin = begin_of_thread(path, n, link, true);
		for (; begin >= 0 && begin < (int)n; begin++)
			if (is_link(mined, path[begin]))
				return is_link(mined, f) &&
				       !strcmp(lode_hop_program(
						       program, sizeof(program),
						       lode_frame_function(&mined->digest->tree,
									   path[begin])),
					       lode_hop_program(other, sizeof(other),
								lode_frame_function(
									&mined->digest->tree, f)));
		return false;
	}
	n = defined_tail(tail, mined, c, s, headline, n_headline);
	for (size_t i = 0; i < n; i++) {
		if (place_among(headline + first, n_headline - first, tail[i]) <
			    n_headline - first ||
		    !(way == OWN ? tells(mined, tail[i]) : lode_is_telling(mined->digest, tail[i])))
			continue;
		if (tail[i] == f)
			return true;
		++*at;
	}
	return false;
}

static size_t defined_forks(struct lode_headline_fork *out, const struct lode_mined *mined,
			    const struct lode_cluster *c, const uint32_t *headline,
			    size_t n_headline)
{
	int64_t all_ns = cost_of_stacks(mined, c);
	bool is_taken[64] = {0};
	double share = 0, at;
	size_t n = 0;

	for (int way = 0; way < N_WAYS; way++) {
		int64_t most_ns = all_ns / 10;
		double least = 0;
		bool is_found = false;

		if (n == LODE_HEADLINE_FORKS)
			break;
		for (uint32_t f = 0; f < mined->digest->tree.frames.n; f++) {
			int64_t cost_ns = 0;
			double after = 0;

			for (size_t s = 0; s < c->n_stacks; s++)
				if (!is_taken[s] &&
				    has_way(mined, c, s, headline, n_headline, way, f, &at)) {
					cost_ns += counted(mined, c, s);
					after += (double)counted(mined, c, s) * at;
				}
			if (cost_ns > most_ns ||
			    (is_found && cost_ns == most_ns && after < least)) {
				is_found = true;
				most_ns = cost_ns;
				least = after;
				out[n] = (struct lode_headline_fork){
					f, (double)cost_ns / (double)all_ns, way == THREAD};
			}
		}
		if (!is_found)
			continue;
		for (size_t s = 0; s < c->n_stacks; s++)
			is_taken[s] |=
				has_way(mined, c, s, headline, n_headline, way, out[n].frame, &at);
		n++;
		way--;
	}
	for (size_t i = 0; i < n; i++)
		share += out[i].share;
	return share < 0.5 ? 0 : n;
}

/* Both name the same ways: their order, and the link of a program, are the headline's. */
static void are_same_forks(const struct lode_headline *headline,
			   const struct lode_headline_fork *expected, size_t n,
			   const struct lode_digest *digest)
{
	assert_int_equal(headline->n_forks, n);
	for (size_t i = 0; i < n; i++) {
		char name[200], other[200];
		bool is_found = false;

		lode_headline_fork_name(name, sizeof(name), digest, &headline->forks[i]);
		for (size_t k = 0; k < n; k++)
			is_found |= expected[k].share > headline->forks[i].share - 1e-9 &&
				    expected[k].share < headline->forks[i].share + 1e-9 &&
				    expected[k].is_thread == headline->forks[i].is_thread &&
				    !strcmp(name, lode_headline_fork_name(other, sizeof(other),
									  digest, &expected[k]));
		assert_true(is_found);
		assert_true(!i || headline->forks[i - 1].share >= headline->forks[i].share);
	}
}
