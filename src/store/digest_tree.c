/* Packs the call tree of a digest with chained stacks. */
#include "store/digest_tree.h"

/*
 * Which pieces are there behind the base at hand, and as which nodes. Both sides keep it in the
 * same way; going to another base clears it by changing `now`.
 */
struct mark {
	uint32_t when, node;
};

struct marks {
	struct mark *at; /* per piece */
	uint32_t now;
};

static void marks_init(struct marks *marks, size_t n_pieces)
{
	marks->at = lode_alloc0(n_pieces, sizeof(*marks->at));
	marks->now = 1;
	marks->at[0] = (struct mark){marks->now, 0};
}

static void marks_set(struct marks *marks, uint32_t piece, uint32_t node)
{
	marks->at[piece] = (struct mark){marks->now, node};
}

static bool is_marked(const struct marks *marks, uint32_t piece)
{
	return marks->at[piece].when == marks->now;
}

static bool is_link(const struct lode_calltree *tree, uint32_t frame)
{
	return tree->frames.at[frame].flags & LODE_FRAME_LINK;
}

bool lode_digest_tree_is_chained(const struct lode_calltree *tree)
{
	for (size_t i = 0; i < tree->frames.n; i++)
		if (is_link(tree, (uint32_t)i))
			return true;
	return false;
}

/* ---- Writing ---- */

struct writer {
	struct lode_digest_columns *out;
	const struct lode_calltree *tree;
	struct lode_calltree pieces;   /* only its nodes are used */
	LODE_VEC(uint32_t) last_child; /* per piece: its child that was met last, or 0 */
	uint32_t *piece_of;	       /* per node; 0: the empty stack, and links */
	uint32_t *base_of;	       /* per node: the link that it stands behind; 0: none */
	struct marks marks;
	uint32_t base; /* of the run before */
	uint32_t last_piece, last_parent;
	uint64_t next_link; /* frame */
	uint64_t n_runs;
};

/* Mostly the same child as the last time: a look at it saves the look-up. */
static uint32_t piece_child(struct writer *w, uint32_t parent, uint32_t frame)
{
	uint32_t child = w->last_child.at[parent];

	if (child && w->pieces.nodes.at[child].frame == frame)
		return child;
	child = lode_calltree_child(&w->pieces, parent, frame);
	while (w->last_child.n < w->pieces.nodes.n)
		lode_vec_append(&w->last_child, 0);
	w->last_child.at[parent] = child;
	return child;
}

static void take_apart(struct writer *w)
{
	const struct lode_callnode *nodes = w->tree->nodes.at;
	size_t n = w->tree->nodes.n;

	w->piece_of[0] = w->base_of[0] = 0;
	for (uint32_t i = 1; i < n; i++) {
		if (is_link(w->tree, nodes[i].frame)) {
			w->piece_of[i] = 0;
			w->base_of[i] = i;
			continue;
		}
		w->piece_of[i] = piece_child(w, w->piece_of[nodes[i].parent], nodes[i].frame);
		w->base_of[i] = w->base_of[nodes[i].parent];
	}
}

static lode_byte_vec *column(struct writer *w, enum lode_digest_column id)
{
	return &w->out->at[id];
}

/* Would a reader find by itself where the nodes [begin, end] go? */
static bool is_implied(const struct writer *w, uint32_t begin, uint32_t end)
{
	uint32_t parent = w->tree->nodes.at[begin].parent;
	const struct mark *mark = &w->marks.at[w->piece_of[parent]];

	if (w->base_of[begin] != w->base || mark->when != w->marks.now || mark->node != parent)
		return false;
	for (uint32_t i = begin; i <= end; i++)
		if (is_marked(&w->marks, w->piece_of[i]))
			return false;
	return true;
}

static void write_run(struct writer *w, uint32_t begin, uint32_t end)
{
	const struct lode_callnode *node = &w->tree->nodes.at[begin];
	enum lode_tree_run run;

	if (is_link(w->tree, node->frame)) {
		run = LODE_TREE_RUN_LINK;
		lode_varint_put_delta(column(w, LODE_COLUMN_LINK_PARENT), node->parent,
				      w->last_parent);
		lode_varint_put_delta(column(w, LODE_COLUMN_LINK_FRAME), w->next_link, node->frame);
		w->last_parent = node->parent;
		w->next_link = node->frame;
		w->marks.now++;
	} else if (is_implied(w, begin, end)) {
		run = LODE_TREE_RUN_SAME;
	} else {
		run = LODE_TREE_RUN_ELSEWHERE;
		lode_varint_put(column(w, LODE_COLUMN_RUN_PARENT), begin - 1 - node->parent);
		lode_varint_put(column(w, LODE_COLUMN_RUN_LENGTH), end - begin);
		w->marks.now++;
		marks_set(&w->marks, w->piece_of[node->parent], node->parent);
	}
	lode_vec_append(column(w, LODE_COLUMN_RUN_KIND), (uint8_t)run);
	lode_varint_put_delta(column(w, LODE_COLUMN_RUN_PIECE), w->piece_of[end], w->last_piece);
	w->last_piece = w->piece_of[end];
	w->base = w->base_of[begin];
	for (uint32_t i = begin; i <= end; i++)
		marks_set(&w->marks, w->piece_of[i], i);
	w->n_runs++;
}

static void write_runs(struct writer *w)
{
	const struct lode_callnode *nodes = w->tree->nodes.at;
	uint32_t n = (uint32_t)w->tree->nodes.n, begin = 1;

	for (uint32_t i = 2; i <= n; i++)
		if (i == n || nodes[i].parent != i - 1 || is_link(w->tree, nodes[i].frame)) {
			if (begin < i)
				write_run(w, begin, i - 1);
			begin = i;
		}
}

size_t lode_digest_tree_write(struct lode_digest_columns *out, const struct lode_calltree *tree)
{
	size_t n = tree->nodes.n, n_pieces;
	struct writer w = {.out = out, .tree = tree};

	lode_calltree_init(&w.pieces);
	lode_vec_append(&w.last_child, 0);
	w.piece_of = lode_alloc(n * sizeof(*w.piece_of));
	w.base_of = lode_alloc(n * sizeof(*w.base_of));
	take_apart(&w);
	marks_init(&w.marks, w.pieces.nodes.n);
	write_runs(&w);
	lode_varint_put(column(&w, LODE_COLUMN_RUN_COUNTS), n);
	lode_varint_put(column(&w, LODE_COLUMN_RUN_COUNTS), w.n_runs);
	lode_digest_nodes_write(out, &w.pieces);
	n_pieces = w.pieces.nodes.n;
	free(w.marks.at);
	free(w.base_of);
	free(w.piece_of);
	lode_vec_release(&w.last_child);
	lode_calltree_release(&w.pieces);
	return n_pieces;
}

/* ---- Reading ---- */

struct reader {
	struct lode_calltree *tree;
	const struct lode_calltree *pieces;
	struct lode_bytes *columns;
	struct marks marks;
	uint32_t *piece_of;    /* per node */
	size_t n_nodes;	       /* as the file says */
	struct lode_map links; /* parent << 32 | frame of those that are there */
	LODE_VEC(uint32_t) pending;
	uint64_t parent, link, piece; /* of the one before */
	bool has_jumps;
	const char *wrong;
	enum lode_digest_column wrong_column;
};

static void refuse_digest_tree(struct reader *r, enum lode_digest_column column, const char *what)
{
	if (r->wrong)
		return;
	r->wrong = what;
	r->wrong_column = column;
}

static uint32_t add_node(struct reader *r, uint32_t parent, uint32_t frame, uint32_t piece)
{
	uint32_t node;

	if (r->tree->nodes.n >= r->n_nodes) {
		refuse_digest_tree(r, LODE_COLUMN_RUN_PIECE, "more stacks than were said to come");
		return parent;
	}
	node = lode_calltree_append(r->tree, parent, frame);
	r->piece_of[node] = piece;
	marks_set(&r->marks, piece, node);
	return node;
}

static void add_link(struct reader *r)
{
	uint32_t *slot;

	r->parent = lode_varint_get_delta(&r->columns[LODE_COLUMN_LINK_PARENT], r->parent);
	r->link -= lode_varint_get_delta(&r->columns[LODE_COLUMN_LINK_FRAME], 0);
	if (r->parent >= r->tree->nodes.n) {
		refuse_digest_tree(r, LODE_COLUMN_LINK_PARENT,
				   "a link from a stack that is not there");
		return;
	}
	if (r->link >= r->tree->frames.n || !is_link(r->tree, (uint32_t)r->link)) {
		refuse_digest_tree(r, LODE_COLUMN_LINK_FRAME, "a frame that is not a link");
		return;
	}
	slot = lode_map_slot(&r->links, r->parent << 32 | r->link);
	if (*slot != LODE_NONE)
		refuse_digest_tree(r, LODE_COLUMN_LINK_FRAME, "a link that is a duplicate");
	*slot = 0;
	r->marks.now++;
	add_node(r, (uint32_t)r->parent, (uint32_t)r->link, 0);
}

/* Makes nodes of what is pending, innermost first in the list, behind `node`. */
static void add_pending(struct reader *r, uint32_t node)
{
	while (r->pending.n && !r->wrong) {
		uint32_t piece = r->pending.at[--r->pending.n];

		node = add_node(r, node, r->pieces->nodes.at[piece].frame, piece);
	}
	r->pending.n = 0;
}

/* All callers that are not there yet. */
static void add_same(struct reader *r, uint32_t piece, bool may_be_empty)
{
	while (piece && !is_marked(&r->marks, piece)) {
		lode_vec_append(&r->pending, piece);
		piece = r->pieces->nodes.at[piece].parent;
	}
	if (!is_marked(&r->marks, piece))
		refuse_digest_tree(r, LODE_COLUMN_RUN_PIECE, "a run that begins nowhere");
	else if (!r->pending.n && !may_be_empty)
		refuse_digest_tree(r, LODE_COLUMN_RUN_PIECE, "a run without a stack");
	else
		add_pending(r, r->marks.at[piece].node);
}

static void add_elsewhere(struct reader *r, uint32_t piece)
{
	uint64_t back = lode_varint_get(&r->columns[LODE_COLUMN_RUN_PARENT]);
	uint64_t length = lode_varint_get(&r->columns[LODE_COLUMN_RUN_LENGTH]);
	uint32_t parent;

	r->has_jumps = true;
	if (back >= r->tree->nodes.n || length >= r->n_nodes) {
		refuse_digest_tree(r, LODE_COLUMN_RUN_PARENT,
				   "a run from a stack that is not there");
		return;
	}
	parent = (uint32_t)(r->tree->nodes.n - 1 - back);
	for (uint64_t i = 0; i <= length && piece; i++) {
		lode_vec_append(&r->pending, piece);
		piece = r->pieces->nodes.at[piece].parent;
	}
	if (r->pending.n != length + 1 || piece != r->piece_of[parent]) {
		refuse_digest_tree(r, LODE_COLUMN_RUN_LENGTH, "a run that does not fit its place");
		r->pending.n = 0;
		return;
	}
	r->marks.now++;
	marks_set(&r->marks, piece, parent);
	add_pending(r, parent);
}

static void add_run(struct reader *r)
{
	uint8_t run = lode_bytes_u8(&r->columns[LODE_COLUMN_RUN_KIND]);

	r->piece = lode_varint_get_delta(&r->columns[LODE_COLUMN_RUN_PIECE], r->piece);
	if (r->piece >= r->pieces->nodes.n) {
		refuse_digest_tree(r, LODE_COLUMN_RUN_PIECE, "a piece that is not there");
		return;
	}
	if (run == LODE_TREE_RUN_LINK)
		add_link(r);
	if (r->wrong)
		return;
	if (run <= LODE_TREE_RUN_SAME)
		add_same(r, (uint32_t)r->piece, run == LODE_TREE_RUN_LINK);
	else if (run == LODE_TREE_RUN_ELSEWHERE)
		add_elsewhere(r, (uint32_t)r->piece);
	else
		refuse_digest_tree(r, LODE_COLUMN_RUN_KIND, "a run of no known kind");
}

/* Behind a new base everything is new. Only runs elsewhere can make a stack that is there. */
static void check_unique(struct reader *r)
{
	const struct lode_calltree *tree = r->tree;

	for (uint32_t i = 1; i < tree->nodes.n && !r->wrong; i++)
		if (lode_calltree_child(r->tree, tree->nodes.at[i].parent,
					tree->nodes.at[i].frame) != i)
			refuse_digest_tree(r, LODE_COLUMN_RUN_PARENT,
					   "a stack that is a duplicate");
}

static void read_runs(struct reader *r, uint64_t limit)
{
	struct lode_bytes *counts = &r->columns[LODE_COLUMN_RUN_COUNTS];
	uint64_t n_nodes = lode_varint_get(counts), n_runs = lode_varint_get(counts);

	if (n_nodes == 0 || n_nodes > limit || n_nodes >= LODE_NONE) {
		refuse_digest_tree(r, LODE_COLUMN_RUN_COUNTS, "more stacks than the file can hold");
		return;
	}
	if (n_runs > lode_bytes_left(&r->columns[LODE_COLUMN_RUN_KIND])) {
		refuse_digest_tree(r, LODE_COLUMN_RUN_COUNTS, "more runs than there are");
		return;
	}
	for (size_t i = 1; i < r->pieces->nodes.n; i++)
		if (is_link(r->tree, r->pieces->nodes.at[i].frame))
			refuse_digest_tree(r, LODE_COLUMN_NODE_FRAME, "a link within a piece");
	r->n_nodes = (size_t)n_nodes;
	r->piece_of = lode_alloc(r->n_nodes * sizeof(*r->piece_of));
	r->piece_of[0] = 0;
	marks_init(&r->marks, r->pieces->nodes.n);
	lode_vec_reserve(&r->tree->nodes, r->n_nodes);
	for (; n_runs && !r->wrong; n_runs--)
		add_run(r);
	if (r->tree->nodes.n < r->n_nodes)
		refuse_digest_tree(r, LODE_COLUMN_RUN_COUNTS,
				   "fewer stacks than were said to come");
	if (r->has_jumps)
		check_unique(r);
}

const char *lode_digest_tree_read(struct lode_calltree *tree, const struct lode_calltree *pieces,
				  struct lode_bytes *columns, uint64_t limit,
				  enum lode_digest_column *column_id)
{
	struct reader r = {.tree = tree, .pieces = pieces, .columns = columns};

	read_runs(&r, limit);
	free(r.piece_of);
	free(r.marks.at);
	lode_map_release(&r.links);
	lode_vec_release(&r.pending);
	*column_id = r.wrong_column;
	return r.wrong;
}
