/*
 * All patterns of all signatures as one trie, and the names that its steps take. Inside of
 * engine/signatures only.
 *
 *   (start) - a - b - c   {0}     a node is the beginning of a pattern; one that is a whole
 *           |       ` d   {1}     pattern says whose
 *           ` e           {1, 2}
 *
 * Each distinct glob is there once, with a number. Most are plain names: those of a function are
 * found by hashing; only globs with a meaning are compared one by one.
 */
#pragma once

#include "model/frame.h"
#include "model/signature.h"

struct lode_sigtrie_node {
	uint32_t glob;	      /* LODE_NONE of the start */
	uint32_t first_child; /* LODE_NONE: none */
	uint32_t next;	      /* sibling */
	uint32_t first_owner; /* into owners; LODE_NONE: no pattern ends here */
	bool is_direct;	      /* holds only right behind its parent */
	bool has_direct;      /* one of its children is */
};

struct lode_sigtrie_owner {
	uint32_t signature, next;
};

struct lode_sigtrie {
	LODE_VEC(struct lode_sigtrie_node) nodes; /* 0 is the start; parents before children */
	LODE_VEC(struct lode_sigtrie_owner) owners;
	struct lode_map edges; /* (parent, glob, direct) -> node */
	struct lode_strings globs;
	/* Globs that are one name: the name -> glob; and the others. */
	struct lode_strings names;
	LODE_VEC(uint32_t) glob_of_name;
	LODE_VEC(uint32_t) magic;
};

int lode_sigtrie_build(struct lode_sigtrie *out, const struct lode_signature *list, size_t n,
		       struct lode_error *err);
void lode_sigtrie_release(struct lode_sigtrie *trie);

typedef LODE_VEC(uint32_t) lode_sigtrie_globs;

/* Appends the globs that match a frame by one of its texts, each once. */
void lode_sigtrie_globs_of(lode_sigtrie_globs *out, const struct lode_sigtrie *trie,
			   const struct lode_calltree *tree, uint32_t frame);
