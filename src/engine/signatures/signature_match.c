/* Matches all signatures with all rows of a digest, each stack once. */
#include "engine/signatures/signature_match.h"

#include "engine/signatures/signature_trie.h"
#include "base/sorted.h"

struct lode_signature_matcher {
	struct lode_sigtrie trie;
	unsigned *kinds, *reasons; /* per signature; 0: any */
	size_t n_signatures;
};

int lode_signature_matcher_new(struct lode_signature_matcher **out,
			       const struct lode_signature *list, size_t n, struct lode_error *err)
{
	struct lode_signature_matcher *matcher = lode_alloc0(1, sizeof(*matcher));
	int rc = lode_sigtrie_build(&matcher->trie, list, n, err);

	*out = NULL;
	if (rc < 0) {
		free(matcher);
		return rc;
	}
	matcher->n_signatures = n;
	matcher->kinds = lode_alloc0(n, sizeof(*matcher->kinds));
	matcher->reasons = lode_alloc0(n, sizeof(*matcher->reasons));
	for (size_t i = 0; i < n; i++) {
		matcher->kinds[i] = list[i].kinds;
		matcher->reasons[i] = list[i].reasons;
	}
	*out = matcher;
	return 0;
}

void lode_signature_matcher_free(struct lode_signature_matcher *matcher)
{
	if (!matcher)
		return;
	lode_sigtrie_release(&matcher->trie);
	free(matcher->kinds);
	free(matcher->reasons);
	free(matcher);
}

typedef LODE_VEC(uint32_t) number_vec;

/* A call tree's node on the way from its root to where the walk is. */
struct level {
	uint32_t node;
	uint32_t set;	      /* signatures that hold by now */
	size_t n_activated;   /* of walk.activated, before this level */
	size_t first_current; /* of walk.current: its own are from there to the next level's */
};

struct walk {
	struct lode_arena arena; /* of the arrays */
	const struct lode_signature_matcher *matcher;
	const struct lode_digest *digest;
	const struct lode_calltree *tree;
	struct lode_signature_match *out;
	/* Sets by a hash of their members: the first with that hash, the next of it. */
	struct lode_map set_index;
	LODE_VEC(uint32_t) set_next;
	/* Children of the call tree's nodes that are wanted. */
	uint32_t *first_child, *next_sibling;
	uint8_t *is_wanted;
	/* Which globs match a frame: worked out when it is met. */
	uint32_t *frame_start, *frame_n;
	lode_sigtrie_globs frame_globs;
	/* The trie. A node is active when its steps hold in the frames so far; its children wait,
	   each with its glob, in the order in which they began to. */
	uint8_t *is_active;
	number_vec *waiting;
	number_vec activated; /* in order */
	/* Nodes with direct children whose last step is this very frame, level by level. */
	number_vec current;
	LODE_VEC(struct level) path;
	number_vec fired, members; /* scratch */
};

/* ---- Sets ---- */

static bool is_set(const struct walk *w, uint32_t set, const number_vec *members)
{
	const uint32_t *at;
	size_t n = lode_signature_set(w->out, set, &at);

	return n == members->n && (!n || memcmp(at, members->at, n * sizeof(*at)) == 0);
}

/* The number of the set that w->members is (sorted, not empty). */
static uint32_t set_of_members(struct walk *w)
{
	size_t size = w->members.n * sizeof(*w->members.at);
	uint32_t *slot =
		lode_map_slot(&w->set_index, lode_hash_bytes(w->members.at, size, w->members.n));
	uint32_t set;

	for (set = *slot; set != LODE_NONE; set = w->set_next.at[set])
		if (is_set(w, set, &w->members))
			return set;
	set = (uint32_t)lode_signature_match_n_sets(w->out);
	lode_vec_append(&w->set_next, *slot);
	*slot = set;
	for (size_t i = 0; i < w->members.n; i++)
		lode_vec_append(&w->out->members, w->members.at[i]);
	lode_vec_append(&w->out->start, w->out->members.n);
	return set;
}

/* The set and w->members together; these need not be sorted. */
static uint32_t set_with_members(struct walk *w, uint32_t set)
{
	const uint32_t *at;
	size_t n = lode_signature_set(w->out, set, &at), kept = 0;

	if (w->members.n == 0)
		return set;
	for (size_t i = 0; i < n; i++)
		lode_vec_append(&w->members, at[i]);
	lode_sort(w->members.at, w->members.n, lode_compare_u32);
	for (size_t i = 0; i < w->members.n; i++)
		if (kept == 0 || w->members.at[i] != w->members.at[kept - 1])
			w->members.at[kept++] = w->members.at[i];
	w->members.n = kept;
	return set_of_members(w);
}

/* ---- Steps down the call tree ---- */

/* Each number once, in the order of first sight. */
static size_t unique(uint32_t *at, size_t n)
{
	size_t n_kept = 0;

	for (size_t i = 0; i < n; i++) {
		size_t k = 0;

		while (k < n_kept && at[k] != at[i])
			k++;
		at[k] = at[i];
		n_kept += k == n_kept;
	}
	return n_kept;
}

/* Those of the frame's own name, and of the names that it has in other recordings. */
static void find_globs(struct walk *w, uint32_t frame)
{
	size_t start = w->frame_globs.n;

	if (w->frame_start[frame] != LODE_NONE)
		return;
	w->frame_start[frame] = (uint32_t)w->frame_globs.n;
	lode_sigtrie_globs_of(&w->frame_globs, &w->matcher->trie, w->tree, frame);
	for (size_t i = 0; i < w->digest->aliases.n; i++)
		if (w->digest->aliases.at[i].as == frame)
			lode_sigtrie_globs_of(&w->frame_globs, &w->matcher->trie, w->tree,
					      w->digest->aliases.at[i].frame);
	if (w->digest->aliases.n)
		w->frame_globs.n =
			start + unique(w->frame_globs.at + start, w->frame_globs.n - start);
	w->frame_n[frame] = (uint32_t)w->frame_globs.n - w->frame_start[frame];
}

static bool takes(const struct walk *w, uint32_t frame, uint32_t glob)
{
	const uint32_t *globs = w->frame_globs.at + w->frame_start[frame];

	for (uint32_t i = 0; i < w->frame_n[frame]; i++)
		if (globs[i] == glob)
			return true;
	return false;
}

/* Steps whose turn it is at `frame`, below the level at the end of the path. */
static void find_fired(struct walk *w, uint32_t frame)
{
	const struct lode_sigtrie_node *nodes = w->matcher->trie.nodes.at;
	const struct level *above = &w->path.at[w->path.n - 1];

	w->fired.n = 0;
	find_globs(w, frame);
	for (uint32_t g = 0; g < w->frame_n[frame]; g++) {
		const number_vec *waiting =
			&w->waiting[w->frame_globs.at[w->frame_start[frame] + g]];

		for (size_t i = 0; i < waiting->n; i++) {
			uint32_t node = waiting->at[i];

			if (!w->is_active[node] || nodes[node].has_direct)
				lode_vec_append(&w->fired, node);
		}
	}
	for (size_t i = above->first_current; i < w->current.n; i++)
		for (uint32_t child = nodes[w->current.at[i]].first_child; child != LODE_NONE;
		     child = nodes[child].next)
			if (nodes[child].is_direct && takes(w, frame, nodes[child].glob))
				lode_vec_append(&w->fired, child);
}

/* Its steps hold from here on: its children wait, and its signatures have matched. */
static void activate(struct walk *w, uint32_t node)
{
	const struct lode_sigtrie *trie = &w->matcher->trie;

	w->is_active[node] = 1;
	lode_vec_append(&w->activated, node);
	for (uint32_t child = trie->nodes.at[node].first_child; child != LODE_NONE;
	     child = trie->nodes.at[child].next)
		if (!trie->nodes.at[child].is_direct)
			lode_vec_append(&w->waiting[trie->nodes.at[child].glob], child);
	for (uint32_t o = trie->nodes.at[node].first_owner; o != LODE_NONE;
	     o = trie->owners.at[o].next)
		lode_vec_append(&w->members, trie->owners.at[o].signature);
}

static void deactivate(struct walk *w, uint32_t node)
{
	const struct lode_sigtrie_node *nodes = w->matcher->trie.nodes.at;

	w->is_active[node] = 0;
	for (uint32_t child = nodes[node].first_child; child != LODE_NONE;
	     child = nodes[child].next)
		if (!nodes[child].is_direct)
			w->waiting[nodes[child].glob].n--;
}

/* Goes one node down. What is fired was found before anything of this frame counts. */
static void enter_signature_match(struct walk *w, uint32_t node)
{
	struct level level = {.node = node, .n_activated = w->activated.n};

	find_fired(w, w->tree->nodes.at[node].frame);
	level.first_current = w->current.n;
	w->members.n = 0;
	for (size_t i = 0; i < w->fired.n; i++) {
		uint32_t fired = w->fired.at[i];

		if (w->matcher->trie.nodes.at[fired].has_direct)
			lode_vec_append(&w->current, fired);
		if (!w->is_active[fired])
			activate(w, fired);
	}
	level.set = set_with_members(w, w->path.at[w->path.n - 1].set);
	lode_vec_append(&w->path, level);
}

/* Goes one node up. The levels' own nodes lie behind each other: each level's are the last. */
static void leave_signature_match(struct walk *w)
{
	struct level level = w->path.at[--w->path.n];

	while (w->activated.n > level.n_activated)
		deactivate(w, w->activated.at[--w->activated.n]);
	w->current.n = level.first_current;
}

/* The empty stack: where patterns start. */
static void enter_root(struct walk *w)
{
	struct level level = {0};

	w->members.n = 0;
	activate(w, 0);
	if (w->matcher->trie.nodes.at[0].has_direct)
		lode_vec_append(&w->current, 0u);
	level.set = set_with_members(w, 0);
	lode_vec_append(&w->path, level);
}

/* ---- The walk ---- */

/* Marks the nodes on the way to any row's stack, and lists their children in ascending order. */
static void find_wanted(struct walk *w, const struct lode_digest *digest)
{
	const struct lode_callnode *nodes = w->tree->nodes.at;

	for (size_t i = 0; i < digest->rows.n; i++)
		w->is_wanted[digest->rows.at[i].stack] = 1;
	for (size_t i = w->tree->nodes.n; i-- > 1;) {
		if (!w->is_wanted[i])
			continue;
		w->is_wanted[nodes[i].parent] = 1;
		w->next_sibling[i] = w->first_child[nodes[i].parent];
		w->first_child[nodes[i].parent] = (uint32_t)i;
	}
}

/* The next node in preorder; LODE_NONE at the end. */
static uint32_t next_node(struct walk *w, uint32_t node)
{
	if (w->first_child[node] != LODE_NONE)
		return w->first_child[node];
	while (node && w->next_sibling[node] == LODE_NONE) {
		node = w->tree->nodes.at[node].parent;
		leave_signature_match(w);
	}
	if (!node)
		return LODE_NONE;
	leave_signature_match(w);
	return w->next_sibling[node];
}

static void walk_tree(struct walk *w, uint32_t *set_of_node)
{
	enter_root(w);
	set_of_node[0] = w->path.at[0].set;
	for (uint32_t node = 0; (node = next_node(w, node)) != LODE_NONE;) {
		enter_signature_match(w, node);
		set_of_node[node] = w->path.at[w->path.n - 1].set;
	}
}

static void walk_init(struct walk *w, struct lode_signature_match *out,
		      const struct lode_signature_matcher *matcher,
		      const struct lode_digest *digest)
{
	size_t n_nodes = digest->tree.nodes.n, n_frames = digest->tree.frames.n;

	memset(w, 0, sizeof(*w));
	w->matcher = matcher;
	w->digest = digest;
	w->tree = &digest->tree;
	w->out = out;
	w->first_child = lode_arena_array(&w->arena, uint32_t, n_nodes);
	w->next_sibling = lode_arena_array(&w->arena, uint32_t, n_nodes);
	w->is_wanted = lode_arena_array0(&w->arena, uint8_t, n_nodes);
	w->frame_start = lode_arena_array(&w->arena, uint32_t, n_frames);
	w->frame_n = lode_arena_array0(&w->arena, uint32_t, n_frames);
	memset(w->first_child, 0xff, n_nodes * sizeof(*w->first_child));
	memset(w->next_sibling, 0xff, n_nodes * sizeof(*w->next_sibling));
	memset(w->frame_start, 0xff, n_frames * sizeof(*w->frame_start));
	w->is_active = lode_arena_array0(&w->arena, uint8_t, matcher->trie.nodes.n);
	w->waiting = lode_arena_array0(&w->arena, number_vec, matcher->trie.globs.text.n);
	lode_vec_append(&out->start, (size_t)0);
	lode_vec_append(&out->start, (size_t)0); /* set 0 */
	lode_vec_append(&w->set_next, LODE_NONE);
}

static void walk_release(struct walk *w)
{
	for (size_t i = 0; i < w->matcher->trie.globs.text.n; i++)
		lode_vec_release(&w->waiting[i]);
	lode_arena_release(&w->arena);
	lode_vec_release(&w->frame_globs);
	lode_vec_release(&w->activated);
	lode_vec_release(&w->current);
	lode_vec_release(&w->path);
	lode_vec_release(&w->fired);
	lode_vec_release(&w->members);
	lode_vec_release(&w->set_next);
	lode_map_release(&w->set_index);
}

/* ---- Rows ---- */

/* The signatures of `set` that take events of that kind and reason. */
static uint32_t narrowed(struct walk *w, uint32_t set, unsigned kind, unsigned reason)
{
	const struct lode_signature_matcher *m = w->matcher;
	const uint32_t *at;
	size_t n = lode_signature_set(w->out, set, &at);

	w->members.n = 0;
	for (size_t i = 0; i < n; i++)
		if ((!m->kinds[at[i]] || m->kinds[at[i]] >> kind & 1) &&
		    (!m->reasons[at[i]] || m->reasons[at[i]] >> reason & 1))
			lode_vec_append(&w->members, at[i]);
	return w->members.n == n ? set : w->members.n ? set_of_members(w) : 0;
}

static void match_rows(struct walk *w, const struct lode_digest *digest,
		       const uint32_t *set_of_node)
{
	struct lode_map known = {0}; /* (set, kind, reason) -> set */

	w->out->n_rows = digest->rows.n;
	w->out->row_set = lode_alloc0(digest->rows.n, sizeof(*w->out->row_set));
	for (size_t i = 0; i < digest->rows.n; i++) {
		const struct lode_digest_row *row = &digest->rows.at[i];
		uint32_t set = set_of_node[row->stack], *slot;

		if (!set)
			continue;
		slot = lode_map_slot(&known,
				     (uint64_t)set << 16 | (uint64_t)row->kind << 8 | row->reason);
		if (*slot == LODE_NONE)
			*slot = narrowed(w, set, row->kind, row->reason);
		w->out->row_set[i] = *slot;
	}
	lode_map_release(&known);
}

void lode_signature_match(struct lode_signature_match *out,
			  const struct lode_signature_matcher *matcher,
			  const struct lode_digest *digest)
{
	uint32_t *set_of_node = lode_alloc0(digest->tree.nodes.n, sizeof(*set_of_node));
	struct walk w;

	memset(out, 0, sizeof(*out));
	walk_init(&w, out, matcher, digest);
	find_wanted(&w, digest);
	walk_tree(&w, set_of_node);
	match_rows(&w, digest, set_of_node);
	walk_release(&w);
	free(set_of_node);
}

void lode_signature_match_release(struct lode_signature_match *match)
{
	lode_vec_release(&match->start);
	lode_vec_release(&match->members);
	free(match->row_set);
	memset(match, 0, sizeof(*match));
}
