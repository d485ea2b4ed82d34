/*
 * Stacks with costs, in the forms that other tools read: speedscope's JSON and pprof's
 * profile.proto (docs/exports.md).
 *
 *   lode mine      --> samples, a group per cluster  --+--> speedscope: a profile per group
 *   lode suspects  --> samples, slow and others      --+--> pprof: one profile, labels tell the
 * group
 *
 * Both hold the same samples, so their sums are those of --json, to the nanosecond. Names are what
 * tables show, made harmless as on a terminal: other tools do not expect them to be hostile.
 */
#pragma once

#include <stdio.h>

#include "engine/mine/mine.h"
#include "model/frame.h"

enum { LODE_EXPORT_VALUES = 5, LODE_EXPORT_LABELS = 11 };

/* A kind of value that pprof's samples have: "wall", in "nanoseconds". */
struct lode_export_value_type {
	const char *name, *unit;
};

/* A label of a pprof sample; `text` NULL: the number. */
struct lode_export_label {
	const char *key, *text;
	int64_t number;
};

struct lode_export_details {
	int64_t values[LODE_EXPORT_VALUES];
	struct lode_export_label labels[LODE_EXPORT_LABELS];
	size_t n_labels;
};

struct lode_export_group {
	char *name; /* a line for people, harmless */
	char id[24];
	uint32_t rank; /* of a cluster, else 0 */
};

struct lode_export_sample {
	uint32_t group, stack; /* index into groups; node of the tree */
	int64_t cost;	       /* in `unit`, not negative; of pprof, the values are `describe`'s */
	size_t row;	       /* of what it comes from, for `describe` */
};

struct lode_export_stacks {
	const struct lode_calltree *tree; /* borrowed */
	const char *unit;		  /* of costs: "ns", or what a folded file counts */
	char *title;
	int64_t duration_ns; /* that the samples are about; 0: not known */
	LODE_VEC(struct lode_export_group) groups;
	LODE_VEC(struct lode_export_sample) samples; /* in any order */
	struct lode_export_value_type value_types[LODE_EXPORT_VALUES];
	size_t n_value_types, default_type;
	/* Values and labels of a sample. */
	void (*describe)(struct lode_export_details *out, const struct lode_export_stacks *stacks,
			 const struct lode_export_sample *sample);
	const void *context; /* borrowed */
};

/*
 * All of the area of interest: a group for each cluster that owns stacks, by rank, and one for what
 * none explains. With `only`, that cluster's stacks: its own, or, when it owns none, all that its
 * patterns match.
 */
void lode_export_mined(struct lode_export_stacks *out, const struct lode_mined *mined,
		       const struct lode_cluster *only);

void lode_export_stacks_release(struct lode_export_stacks *stacks);

/* Both are lode_export_put (export_file.h) of a struct lode_export_stacks. */
int lode_export_speedscope(FILE *out, const void *stacks, struct lode_error *err);
int lode_export_pprof(FILE *out, const void *stacks, struct lode_error *err);

/* A frame's name as tables show it, harmless, in `buffer` or constant: "[no stack]" for LODE_NONE.
 */
enum { LODE_EXPORT_NAME_BYTES = 4 * 4096 };
const char *lode_export_name(char buffer[LODE_EXPORT_NAME_BYTES], const struct lode_calltree *tree,
			     uint32_t frame);
/* Any other text, harmless. */
const char *lode_export_text(char buffer[LODE_EXPORT_NAME_BYTES], const char *text);

/* The frames of `stack`, root first; the one frame LODE_NONE for the empty stack. `*frames` grows
   as needed. */
typedef LODE_VEC(uint32_t) lode_export_path;
void lode_export_path_of(lode_export_path *path, const struct lode_calltree *tree, uint32_t stack);

/* ---- Folded stacks, "a;b;c cost": what flame graphs are drawn from ---- */

/* One line for each stack with a cost above 0 (by node of the tree), in the order of their texts.
 */
void lode_folded_print(FILE *out, const struct lode_calltree *tree, const int64_t *cost);

/* The same with two costs, for stacks where either is above 0: "a;b;c 31 33". */
void lode_folded_print_two(FILE *out, const struct lode_calltree *tree, const int64_t *first,
			   const int64_t *second);
