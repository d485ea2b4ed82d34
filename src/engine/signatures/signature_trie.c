/* One trie of all patterns of all signatures. */
#include "engine/signatures/signature_trie.h"

#include <stdio.h>

#include "base/glob.h"
#include "model/signature_pattern.h"

/* ---- Building ---- */

/* The one name that a glob without stars, question marks and sets means; false if it has any. */
static bool plain_name(const char *glob, char *name)
{
	for (; *glob; glob++) {
		if (strchr("*?[", *glob))
			return false;
		if (*glob == '\\' && glob[1])
			glob++;
		*name++ = *glob;
	}
	*name = '\0';
	return true;
}

static uint32_t add_glob(struct lode_sigtrie *trie, const char *glob)
{
	size_t len = strlen(glob), n = trie->globs.text.n;
	uint32_t id = lode_strings_intern(&trie->globs, glob, len);
	char *name;
	uint32_t name_id;

	if (id < n)
		return id;
	name = lode_alloc(len + 1);
	if (plain_name(glob, name)) {
		name_id = lode_strings_intern(&trie->names, name, strlen(name));
		/* "a" and "\a" are two globs of one name: the first stands for both. */
		if (name_id == trie->glob_of_name.n)
			lode_vec_append(&trie->glob_of_name, id);
		else
			lode_vec_append(&trie->magic, id);
	} else {
		lode_vec_append(&trie->magic, id);
	}
	free(name);
	return id;
}

static uint32_t add_child(struct lode_sigtrie *trie, uint32_t parent, uint32_t glob, bool is_direct)
{
	uint64_t key = (uint64_t)parent << 32 | glob << 1 | is_direct;
	uint32_t child = lode_map_number(&trie->edges, key, trie->nodes.n);
	struct lode_sigtrie_node node = {glob, LODE_NONE, LODE_NONE, LODE_NONE, is_direct, false};

	if (child < trie->nodes.n)
		return child;
	node.next = trie->nodes.at[parent].first_child;
	trie->nodes.at[parent].first_child = child;
	trie->nodes.at[parent].has_direct |= is_direct;
	lode_vec_append(&trie->nodes, node);
	return child;
}

static void add_owner(struct lode_sigtrie *trie, uint32_t node, uint32_t signature)
{
	struct lode_sigtrie_owner owner = {signature, trie->nodes.at[node].first_owner};

	/* Signatures come one after another: twice the same pattern would be seen here. */
	if (owner.next != LODE_NONE && trie->owners.at[owner.next].signature == signature)
		return;
	trie->nodes.at[node].first_owner = (uint32_t)trie->owners.n;
	lode_vec_append(&trie->owners, owner);
}

int lode_sigtrie_build(struct lode_sigtrie *out, const struct lode_signature *list, size_t n,
		       struct lode_error *err)
{
	static const struct lode_sigtrie_node start = {LODE_NONE, LODE_NONE, LODE_NONE,
						       LODE_NONE, false,     false};
	lode_signature_step_vec steps = {0};
	struct lode_arena arena = {0};
	int rc = 0;

	memset(out, 0, sizeof(*out));
	lode_vec_append(&out->nodes, start);
	for (size_t s = 0; rc == 0 && s < n; s++) {
		for (size_t p = 0; rc == 0 && p < list[s].n_patterns; p++) {
			uint32_t node = 0;

			steps.n = 0;
			rc = lode_signature_pattern_parse(&steps, list[s].patterns[p], &arena, err);
			for (size_t i = 0; rc == 0 && i < steps.n; i++)
				node = add_child(out, node, add_glob(out, steps.at[i].glob),
						 steps.at[i].is_direct);
			add_owner(out, node, (uint32_t)s);
		}
		lode_arena_release(&arena);
	}
	lode_vec_release(&steps);
	if (rc < 0)
		lode_sigtrie_release(out);
	return rc;
}

void lode_sigtrie_release(struct lode_sigtrie *trie)
{
	lode_vec_release(&trie->nodes);
	lode_vec_release(&trie->owners);
	lode_map_release(&trie->edges);
	lode_strings_release(&trie->globs);
	lode_strings_release(&trie->names);
	lode_vec_release(&trie->glob_of_name);
	lode_vec_release(&trie->magic);
	memset(trie, 0, sizeof(*trie));
}

/* ---- Names ---- */

/* The texts that a step may match a frame by: "module!function" or its label, and its function, or
   without one "module!". `name` has room for the longest. */
static size_t texts_of(const char *texts[2], const struct lode_calltree *tree, uint32_t frame,
		       char *name, size_t size)
{
	uint32_t flags = tree->frames.at[frame].flags;
	size_t n = 0, used;

	lode_frame_full_name(tree, frame, name, size);
	texts[n++] = name;
	if (flags & LODE_FRAME_UNKNOWN) {
		used = strlen(name) + 1;
		snprintf(name + used, size - used, "%s!", lode_frame_module(tree, frame));
		texts[n++] = name + used;
	} else if (!(flags & LODE_FRAME_LINK)) {
		texts[n++] = lode_frame_function(tree, frame);
	}
	return n;
}

void lode_sigtrie_globs_of(lode_sigtrie_globs *out, const struct lode_sigtrie *trie,
			   const struct lode_calltree *tree, uint32_t frame)
{
	size_t size = 2 * (strlen(lode_frame_module(tree, frame)) +
			   strlen(lode_frame_function(tree, frame)) + 8);
	char small[1024];
	char *name = size <= sizeof(small) ? small : lode_alloc(size);
	const char *texts[2];
	size_t n = texts_of(texts, tree, frame, name, size);
	uint32_t found[2];

	for (size_t i = 0; i < n; i++) {
		found[i] = lode_strings_find(&trie->names, texts[i], strlen(texts[i]));
		if (found[i] != LODE_NONE && (i == 0 || found[i] != found[0]))
			lode_vec_append(out, trie->glob_of_name.at[found[i]]);
	}
	for (size_t m = 0; m < trie->magic.n; m++) {
		const char *glob = trie->globs.text.at[trie->magic.at[m]];

		for (size_t i = 0; i < n; i++)
			if (lode_glob_match(glob, texts[i])) {
				lode_vec_append(out, trie->magic.at[m]);
				break;
			}
	}
	if (name != small)
		free(name);
}
