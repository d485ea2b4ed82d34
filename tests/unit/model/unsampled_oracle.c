/* Which stack time without a sample has, run by run. */
#include "unit/model/unsampled_oracle.h"

#include <stdlib.h>
#include <string.h>

#include "model/unsampled.h"

struct piece {
	const char *program;
	uint32_t before, after, stack;
	int64_t cost_ns;
	bool is_gap, has_own; /* enough samples of its kind */
	uint32_t *placed;
};
typedef LODE_VEC(struct piece) piece_vec;

uint32_t plain_user_part(const struct lode_calltree *tree, uint32_t node)
{
	uint32_t user = node;

	while (user && !strcmp(lode_frame_module(tree, tree->nodes.at[user].frame), "[kernel]"))
		user = tree->nodes.at[user].parent;
	return user ? user : node;
}

static const char *program_of(const struct lode_stream *stream, size_t thread)
{
	uint32_t leader =
		lode_map_find(&stream->thread_index, (uint32_t)stream->threads.at[thread].pid);

	if (leader == LODE_NONE)
		leader = (uint32_t)thread;
	return stream->tree.strings.text.at[stream->threads.at[leader].comm];
}

static void collect_thread(piece_vec *out, const struct lode_stream *stream, size_t thread,
			   struct lode_events *e)
{
	for (size_t i = 0; i < e->n; i++) {
		struct piece piece = {
			.program = program_of(stream, thread),
			.stack = e->stack[i],
			.cost_ns = e->cost_ns[i],
			.is_gap = e->flags[i] & LODE_EVENT_UNSAMPLED,
			.placed = &e->stack[i],
		};

		if (e->kind[i] != LODE_EVENT_RUNNING)
			continue;
		for (size_t k = i; k-- > 0 && !piece.before;)
			if (e->kind[k] != LODE_EVENT_RUNNING) {
				piece.before = plain_user_part(&stream->tree, e->stack[k]);
				break;
			}
		for (size_t k = i + 1; k < e->n && !piece.after; k++)
			if (e->kind[k] != LODE_EVENT_RUNNING) {
				piece.after = plain_user_part(&stream->tree, e->stack[k]);
				break;
			}
		lode_vec_append(out, piece);
	}
}

static bool is_of_kind(const struct piece *a, const struct piece *b)
{
	return !strcmp(a->program, b->program) && a->before == b->before && a->after == b->after &&
	       (a->before || a->after);
}

static bool ends_alike(const struct piece *a, const struct piece *b)
{
	return !strcmp(a->program, b->program) && a->after == b->after && a->after;
}

typedef bool like(const struct piece *a, const struct piece *b);

static bool has_samples(const piece_vec *all, const struct piece *of, like *is_like)
{
	size_t n = 0;

	for (size_t i = 0; i < all->n; i++)
		n += !all->at[i].is_gap && is_like(of, &all->at[i]);
	return n >= LODE_UNSAMPLED_ENOUGH;
}

static uint32_t sample_for(const piece_vec *all, const struct piece *gap, like *is_like)
{
	bool is_second = is_like == ends_alike;
	__int128 n = 0, sampled_ns = 0, gaps_ns = 0, rests = 0, middle2 = 0, end = 0;
	uint32_t stack = 0;

	for (size_t i = 0; i < all->n; i++) {
		const struct piece *p = &all->at[i];

		if (!is_like(gap, p))
			continue;
		if (!p->is_gap) {
			n++;
			sampled_ns += p->cost_ns;
		} else if (!is_second || !p->has_own) {
			if (p == gap)
				middle2 = 2 * gaps_ns + p->cost_ns;
			gaps_ns += p->cost_ns;
		}
	}
	for (int pass = 0; pass < 2; pass++)
		for (size_t i = 0; i < all->n; i++) {
			const struct piece *p = &all->at[i];
			__int128 rest;

			if (p->is_gap || !is_like(gap, p))
				continue;
			rest = sampled_ns + gaps_ns - n * p->cost_ns;
			rest = rest > 0 ? rest : 0;
			if (pass == 0) {
				rests += rest;
				continue;
			}
			end += rest;
			stack = p->stack;
			if (2 * end * gaps_ns > middle2 * rests)
				return stack;
		}
	return stack;
}

static uint32_t certain(const struct lode_calltree *tree, const struct piece *gap)
{
	uint32_t *a = lode_alloc((tree->nodes.at[gap->before].depth + 1) * sizeof(*a));
	uint32_t *b = lode_alloc((tree->nodes.at[gap->after].depth + 1) * sizeof(*b));
	size_t n = lode_calltree_path(tree, gap->before, a), common = 0;
	size_t m = lode_calltree_path(tree, gap->after, b);
	uint32_t node = gap->before;

	while (common < n && common < m && a[common] == b[common])
		common++;
	while (tree->nodes.at[node].depth > common)
		node = tree->nodes.at[node].parent;
	free(a);
	free(b);
	return node ? node : plain_user_part(tree, gap->stack);
}

void unsampled_oracle(const struct lode_stream *stream, struct lode_events *events)
{
	size_t n = stream->threads.n;
	piece_vec all = {0};

	/* Programs do not see each other: any order that keeps threads in theirs will do. */
	for (size_t i = 0; i < n; i++)
		collect_thread(&all, stream, i, &events[i]);
	for (size_t i = 0; i < all.n; i++)
		all.at[i].has_own = has_samples(&all, &all.at[i], is_of_kind);
	for (size_t i = 0; i < all.n; i++) {
		const struct piece *p = &all.at[i];

		if (!p->is_gap)
			continue;
		if (p->has_own)
			*p->placed = sample_for(&all, p, is_of_kind);
		else if (has_samples(&all, p, ends_alike))
			*p->placed = sample_for(&all, p, ends_alike);
		else
			*p->placed = certain(&stream->tree, p);
	}
	lode_vec_release(&all);
}
