/* Puts a digest into an order that depends on its content alone. */
#include "model/digest_canonical.h"

#include "base/sorted.h"

/* Ids of `from` in `to`; LODE_NONE: not there (yet). */
struct canon {
	const struct lode_digest *from;
	struct lode_digest *to, *taken; /* taken: `from`, if its rows may be taken */
	const bool *keep;
	uint32_t *strings, *frames, *nodes, *streams, *symptoms;
	bool *is_used;	     /* nodes that a kept row needs */
	uint32_t *by_name;   /* frames of `from`, sorted */
	uint32_t *name_rank; /* per frame of `from`: its place in by_name */
};

static uint32_t string_of(struct canon *c, uint32_t id)
{
	const struct lode_strings *from = &c->from->tree.strings;

	if (c->strings[id] == LODE_NONE)
		c->strings[id] = lode_strings_intern(&c->to->tree.strings, from->text.at[id],
						     from->len.at[id]);
	return c->strings[id];
}

static uint32_t frame_of_digest_canonical(struct canon *c, uint32_t id)
{
	const struct lode_frame *frame = &c->from->tree.frames.at[id];

	if (c->frames[id] == LODE_NONE) {
		uint32_t module = string_of(c, frame->module);

		c->frames[id] = lode_frame_add(&c->to->tree, module, string_of(c, frame->function),
					       frame->flags);
	}
	return c->frames[id];
}

/* ---- Streams and symptoms ---- */

static int64_t start_of(const struct lode_digest_stream *stream)
{
	int64_t start_ns;

	if (__builtin_add_overflow(stream->t0_ns, stream->wall_offset_ns, &start_ns))
		return stream->t0_ns;
	return start_ns;
}

static int compare_streams(const void *left, const void *right, void *context)
{
	const struct lode_digest *digest = context;
	const char *const *strings = digest->tree.strings.text.at;
	uint32_t l = *(const uint32_t *)left, r = *(const uint32_t *)right;
	const struct lode_digest_stream *a = &digest->streams.at[l], *b = &digest->streams.at[r];
	int order =
		LODE_ORDER(start_of(a), start_of(b)) ?: strcmp(strings[a->path], strings[b->path]);

	return order ?: LODE_ORDER(a->content_hash, b->content_hash) ?: LODE_ORDER(l, r);
}

static void copy_streams(struct canon *c)
{
	size_t n = c->from->streams.n;
	uint32_t *order = lode_order_by(n, compare_streams, c->from);

	for (size_t i = 0; i < n; i++) {
		struct lode_digest_stream stream = c->from->streams.at[order[i]];

		if (c->keep && !c->keep[order[i]])
			continue;
		stream.path = string_of(c, stream.path);
		stream.host = string_of(c, stream.host);
		stream.kernel = string_of(c, stream.kernel);
		lode_digest_losses_copy(c->to, &stream, lode_digest_losses_of(c->from, &stream),
					stream.n_losses);
		c->streams[order[i]] = (uint32_t)c->to->streams.n;
		lode_vec_append(&c->to->streams, stream);
	}
	free(order);
}

/* Where the symptoms of each stream begin: counted, so that they stay in their order. */
static void copy_symptoms(struct canon *c)
{
	size_t n_streams = c->to->streams.n, n = 0;
	uint32_t *next = lode_alloc0(n_streams + 1, sizeof(*next));
	uint32_t *order = lode_alloc((c->from->symptoms.n + 1) * sizeof(*order));

	for (size_t i = 0; i < c->from->symptoms.n; i++) {
		uint32_t stream = c->streams[c->from->symptoms.at[i].stream];

		if (stream == LODE_NONE)
			continue;
		next[stream + 1]++;
		n++;
	}
	for (size_t i = 0; i < n_streams; i++)
		next[i + 1] += next[i];
	for (size_t i = 0; i < c->from->symptoms.n; i++) {
		uint32_t stream = c->streams[c->from->symptoms.at[i].stream];

		if (stream != LODE_NONE)
			order[next[stream]++] = (uint32_t)i;
	}
	lode_vec_reserve(&c->to->symptoms, n);
	for (size_t i = 0; i < n; i++) {
		struct lode_digest_symptom symptom = c->from->symptoms.at[order[i]];

		symptom.stream = c->streams[symptom.stream];
		symptom.comm = string_of(c, symptom.comm);
		c->symptoms[order[i]] = (uint32_t)i;
		lode_vec_append(&c->to->symptoms, symptom);
	}
	free(order);
	free(next);
}

/* ---- Frames and stacks ---- */

static void sort_frames(struct canon *c)
{
	const struct lode_calltree *tree = &c->from->tree;
	size_t n = tree->frames.n;

	c->by_name = lode_frames_by_name(tree);
	c->name_rank = lode_alloc((n + 1) * sizeof(*c->name_rank));
	for (size_t i = 0; i < n; i++)
		c->name_rank[c->by_name[i]] = (uint32_t)i;
}

static void mark_used(struct canon *c)
{
	const struct lode_digest *from = c->from;

	for (size_t i = 0; i < from->rows.n; i++)
		if (c->symptoms[from->rows.at[i].symptom] != LODE_NONE)
			c->is_used[from->rows.at[i].stack] = true;
	for (size_t i = from->tree.nodes.n - 1; i > 0; i--)
		if (c->is_used[i])
			c->is_used[from->tree.nodes.at[i].parent] = true;
}

/*
 * The used nodes in depth-first order, callees by name. Children are put in front of their
 * parent's list in descending order of names: sorted by counting, over all nodes at once.
 */
static void copy_nodes(struct canon *c)
{
	const struct lode_calltree *tree = &c->from->tree;
	size_t n = tree->nodes.n, n_frames = tree->frames.n;
	uint32_t *first_of_rank = lode_alloc_none(n_frames), *next_of_rank = lode_alloc_none(n);
	uint32_t *first_child = lode_alloc0(n, sizeof(*first_child));
	uint32_t *sibling = lode_alloc0(n, sizeof(*sibling));
	uint32_t node, next;

	for (size_t i = 1; i < n; i++)
		if (c->is_used[i]) {
			uint32_t rank = c->name_rank[tree->nodes.at[i].frame];

			next_of_rank[i] = first_of_rank[rank];
			first_of_rank[rank] = (uint32_t)i;
		}
	for (size_t rank = n_frames; rank-- > 0;)
		for (node = first_of_rank[rank]; node != LODE_NONE; node = next_of_rank[node]) {
			sibling[node] = first_child[tree->nodes.at[node].parent];
			first_child[tree->nodes.at[node].parent] = node;
		}
	c->nodes[0] = 0;
	for (node = first_child[0]; node; node = next) {
		const struct lode_callnode *at = &tree->nodes.at[node];

		c->nodes[node] = lode_calltree_append(&c->to->tree, c->nodes[at->parent],
						      frame_of_digest_canonical(c, at->frame));
		next = first_child[node];
		while (!next && node) {
			next = sibling[node];
			node = tree->nodes.at[node].parent;
		}
	}
	free(first_of_rank);
	free(next_of_rank);
	free(first_child);
	free(sibling);
}

/* ---- Rows and names ---- */

/* Where in `from` each of the kept rows is, by the symptoms that they will have; gives how many. */
static size_t order_rows(struct canon *c, uint32_t **out)
{
	const struct lode_digest *from = c->from;
	size_t n_symptoms = c->to->symptoms.n, n;
	uint32_t *next = lode_alloc0(n_symptoms + 2, sizeof(*next)), *order;

	for (size_t i = 0; i < from->rows.n; i++) {
		uint32_t symptom = c->symptoms[from->rows.at[i].symptom];

		if (symptom != LODE_NONE)
			next[symptom + 1]++;
	}
	for (size_t i = 0; i < n_symptoms; i++)
		next[i + 1] += next[i];
	n = next[n_symptoms];
	*out = order = lode_alloc((n + 1) * sizeof(*order));
	for (size_t i = 0; i < from->rows.n; i++) {
		uint32_t symptom = c->symptoms[from->rows.at[i].symptom];

		if (symptom != LODE_NONE)
			order[next[symptom]++] = (uint32_t)i;
	}
	free(next);
	return n;
}

/* Puts rows[order[i]] at i for all i, round by round; `order` is used up. */
static void permute(struct lode_digest_row *rows, uint32_t *order, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		struct lode_digest_row first = rows[i];
		size_t at = i;

		while (order[at] != i) {
			size_t from = order[at];

			rows[at] = rows[from];
			order[at] = (uint32_t)at;
			at = from;
		}
		rows[at] = first;
		order[at] = (uint32_t)at;
	}
}

static void copy_rows(struct canon *c)
{
	struct lode_digest *to = c->to;
	uint32_t *order;
	size_t n = order_rows(c, &order);

	if (c->taken) {
		permute(c->taken->rows.at, order, n);
		to->rows.at = c->taken->rows.at;
		to->rows.n = c->taken->rows.n;
		to->rows.capacity = c->taken->rows.capacity;
		memset(&c->taken->rows, 0, sizeof(c->taken->rows));
	} else {
		lode_vec_reserve(&to->rows, n);
		for (size_t i = 0; i < n; i++)
			to->rows.at[i] = c->from->rows.at[order[i]];
		to->rows.n = n;
	}
	free(order);
	for (size_t i = 0; i < n; i++) {
		struct lode_digest_row *row = &to->rows.at[i];

		row->symptom = c->symptoms[row->symptom];
		row->stack = c->nodes[row->stack];
		row->waker = row->waker ? string_of(c, row->waker) : 0;
		to->n_events += row->n_events;
	}
}

/* When rows have their places, so that runners lie in that order. Rows still say where in `from`.
 */
static void copy_runners(struct canon *c)
{
	for (size_t i = 0; i < c->to->rows.n; i++) {
		struct lode_digest_row *row = &c->to->rows.at[i];
		struct lode_digest_runner *runners = lode_digest_runners_copy(c->to, c->from, row);

		for (uint32_t k = 0; k < row->n_runners; k++)
			runners[k].name = string_of(c, runners[k].name);
	}
}

/* Wakers have their ids, in the order of names, before rows that differ in nothing else are
   compared. */
LODE_COMPARE_WITH(compare_strings, uint32_t, const struct lode_strings *strings,
		  strcmp(strings->text.at[*a], strings->text.at[*b]))

static void order_wakers(struct canon *c)
{
	const struct lode_digest *from = c->from;
	const struct lode_strings *strings = &from->tree.strings;
	bool *is_waker = lode_alloc0(strings->text.n, sizeof(*is_waker));
	uint32_t *wakers = lode_alloc((strings->text.n + 1) * sizeof(*wakers));
	size_t n = 0;

	for (size_t i = 0; i < from->rows.n; i++)
		if (c->symptoms[from->rows.at[i].symptom] != LODE_NONE)
			is_waker[from->rows.at[i].waker] = true;
	for (uint32_t i = 1; i < strings->text.n; i++)
		if (is_waker[i])
			wakers[n++] = i;
	qsort_r(wakers, n, sizeof(*wakers), compare_strings, (void *)(uintptr_t)strings);
	for (size_t i = 0; i < n; i++)
		string_of(c, wakers[i]);
	free(wakers);
	free(is_waker);
}

LODE_COMPARE(by_callee, struct lode_name_pair,
	     LODE_ORDER(a->callee, b->callee) ?: LODE_ORDER(a->caller, b->caller))

/* Rows and symptoms keep their places in them, whichever are kept. */
static void copy_occurrences(struct canon *c)
{
	lode_vec_append_all(&c->to->groups, c->from->groups.at, c->from->groups.n);
	lode_vec_append_all(&c->to->shared, c->from->shared.at, c->from->shared.n);
}

static void copy_names(struct canon *c)
{
	const struct lode_name_stats *from = &c->from->names;
	struct lode_name_stats *to = &c->to->names, counts = {.n_stacks = from->n_stacks};
	size_t n_pairs = 0;
	struct lode_name_pair *pairs = lode_alloc((from->pairs.n + 1) * sizeof(*pairs));

	for (size_t i = 0; i < c->from->tree.frames.n; i++) {
		uint32_t frame = c->by_name[i];

		if (frame < from->n_with.n &&
		    (from->n_with.at[frame] | from->n_callee.at[frame] | from->n_caller.at[frame]))
			frame_of_digest_canonical(c, frame);
	}
	for (size_t i = 0; i < from->pairs.n; i++) {
		const struct lode_name_pair *pair = &from->pairs.at[i];

		if (pair->n)
			pairs[n_pairs++] =
				(struct lode_name_pair){frame_of_digest_canonical(c, pair->caller),
							frame_of_digest_canonical(c, pair->callee),
							pair->n};
	}
	lode_sort(pairs, n_pairs, by_callee);
	/* Frames that are not there have no counts; lode_name_stats_merge wants a place for each.
	 */
	for (size_t i = 0; i < from->n_with.n; i++) {
		if (c->frames[i] == LODE_NONE)
			continue;
		while (to->n_with.n < c->to->tree.frames.n) {
			lode_vec_append(&to->n_with, 0);
			lode_vec_append(&to->n_callee, 0);
			lode_vec_append(&to->n_caller, 0);
		}
		to->n_with.at[c->frames[i]] = from->n_with.at[i];
		to->n_callee.at[c->frames[i]] = from->n_callee.at[i];
		to->n_caller.at[c->frames[i]] = from->n_caller.at[i];
	}
	to->n_stacks = counts.n_stacks;
	for (size_t i = 0; i < n_pairs; i++)
		lode_name_stats_add_pair(to, &pairs[i]);
	free(pairs);
}

static void copy_unit(struct canon *c)
{
	const char *unit = c->from->unit;

	if (!unit)
		return;
	c->to->unit = c->to->tree.strings.text
			      .at[lode_strings_intern(&c->to->tree.strings, unit, strlen(unit))];
}

static struct lode_digest *make_canonical(const struct lode_digest *from, const bool *keep,
					  struct lode_digest *taken)
{
	struct canon c = {
		.from = from,
		.to = lode_digest_new(),
		.taken = taken,
		.keep = keep,
		.strings = lode_alloc_none(from->tree.strings.text.n),
		.frames = lode_alloc_none(from->tree.frames.n),
		.nodes = lode_alloc_none(from->tree.nodes.n),
		.streams = lode_alloc_none(from->streams.n),
		.symptoms = lode_alloc_none(from->symptoms.n),
		.is_used = lode_alloc0(from->tree.nodes.n, sizeof(bool)),
	};

	lode_map_reserve(&c.to->tree.strings.index, from->tree.strings.text.n);
	lode_map_reserve(&c.to->tree.frame_index, from->tree.frames.n);
	lode_map_reserve(&c.to->names.pair_index, from->names.pairs.n);
	copy_unit(&c);
	sort_frames(&c);
	copy_streams(&c);
	copy_symptoms(&c);
	mark_used(&c);
	copy_nodes(&c);
	order_wakers(&c);
	copy_rows(&c);
	lode_digest_rows_sort(c.to->rows.at, c.to->rows.n);
	copy_runners(&c);
	copy_occurrences(&c);
	copy_names(&c);
	free(c.strings);
	free(c.frames);
	free(c.nodes);
	free(c.streams);
	free(c.symptoms);
	free(c.is_used);
	free(c.by_name);
	free(c.name_rank);
	return c.to;
}

struct lode_digest *lode_digest_canonical(const struct lode_digest *from, const bool *keep)
{
	return make_canonical(from, keep, NULL);
}

struct lode_digest *lode_digest_canonical_take(struct lode_digest *from)
{
	struct lode_digest *canonical = make_canonical(from, NULL, from);

	lode_digest_free(from);
	return canonical;
}
