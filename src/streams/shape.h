/*
 * Shape: the options that decide what is in a digest, as command line text, one to a line.
 *
 *   --symptom comm=git
 *   --scope critical
 *   --stacks chained
 *
 * Digests of one shape go together; one of another shape would add up what is not alike. Mining
 * digests alone takes their shape, so that it need not be said again; content filters can still be
 * applied to digests that were made without any.
 */
#pragma once

#include "base/error.h"
#include "base/mem.h"

struct lode_digest_job_options;

/* The shape of a stream's digest; `only_given`: without defaults. */
const char *lode_shape_of(const struct lode_digest_job_options *options, bool only_given,
			  struct lode_arena *arena);

/*
 * Whether it is made of options of shapes alone, those with a value having one. A shape that was
 * stored becomes part of a command line: no other option may come in by it, and no input.
 */
bool lode_shape_is_sound(const char *shape);

/* Was this option's value that? */
bool lode_shape_is(const char *shape, const char *name, const char *value);

/* What stands behind "--name" in the shape, or NULL; *len is its length. */
const char *lode_shape_value(const char *shape, const char *name, size_t *len);

/* Values of --scope and --stacks, in the order of the enums that they stand for; NULL ends them. */
extern const char *const lode_scope_choices[], *const lode_stacks_choices[];
/* The shape's value of an option that has choices, such as --scope; "unknown" if there is none. */
const char *lode_shape_choice(const char *shape, const char *option, const char *const *choices);

/* Whether symptoms are the default: the recorded command's threads. */
bool lode_shape_has_default_symptoms(const char *shape);

/* Whether content filters (--include, --exclude, --only, --reason) are part of it. */
bool lode_shape_has_filters(const char *shape);

/* How two shapes differ, in words: "with --scope graph", "with --scope critical". False: they do
   not. */
bool lode_shape_difference(char a_words[256], char b_words[256], const char *a, const char *b);

/* What a run asks of the digests among its inputs. */
struct lode_shape_demand {
	const char *given; /* lode_shape_of, only what was given */
	const char *full;  /* lode_shape_of, all */
	/* Streams are read as well: digests must have their shape. Otherwise, that of `first`. */
	bool has_streams;
	const char *first, *first_path; /* the first digest's; NULL: there was none yet */
};

/*
 * Whether a digest can be used; *needs_filter: once the run's content filters are applied to it.
 * LODE_ERR_ARG, with what is different, if not.
 */
int lode_shape_agree(bool *needs_filter, const struct lode_shape_demand *demand, const char *shape,
		     const char *path, struct lode_error *err);
