/*
 * Patterns of signatures, as people type them: functions that stand in one order in a stack.
 *
 *   InitComponents;*;GetHashCode      a stack with InitComponents, and GetHashCode below it
 *   pluginhost!config_*;lstat         names are globs (base/glob.h) on function or module!function
 *   session_get;→ ph-store;fsync      "→ comm" (or "-> comm"): there waits for the other thread
 *   license_check;>read               ">" : read is called by license_check itself
 *   >main;idle                        the stack begins with main
 *   [kernel]!vfs_read                 a module's own brackets are no set of characters
 *   libssl.so*!*                      any function of that module, also those without a symbol
 *
 * Steps are separated by ";". Between two of them any frames may be, or none (patterns are
 * non-consecutive subsequences, docs/signatures.md); a step that is just "*" says so once more and
 * is left out. "?*" is any one frame. A backslash takes the meaning off the character behind it,
 * "\;" is a semicolon of the name. Blanks around a step do not count. The pattern "*" alone is
 * every stack.
 */
#pragma once

#include "base/error.h"
#include "model/frame.h"

/* LIMIT: steps of one pattern; far beyond the depth of most chained stacks. */
enum { LODE_SIGNATURE_MAX_STEPS = 4096 };

struct lode_signature_step {
	const char *glob; /* for lode_glob_match; brackets of modules are escaped */
	bool is_direct;	  /* called by the step before itself; of the first: the stack's root */
};

typedef LODE_VEC(struct lode_signature_step) lode_signature_step_vec;

/* The steps of a pattern (none of "*"), appended to `out`; texts are the arena's. LODE_ERR_ARG,
   with what is wrong, if it is none. */
int lode_signature_pattern_parse(lode_signature_step_vec *out, const char *text,
				 struct lode_arena *arena, struct lode_error *err);

/* The one way of writing those steps: equal texts, equal patterns. In the arena. */
const char *lode_signature_pattern_text(const struct lode_signature_step *steps, size_t n,
					struct lode_arena *arena);

/* The pattern of exactly these frames, in that order; of more than LODE_SIGNATURE_MAX_STEPS, the
   innermost ones, which hold wherever all do; "*" where none has a name. Bytes that a line of text
   cannot hold are
   "?" in it: any byte. In the arena. */
const char *lode_signature_pattern_of(const struct lode_calltree *tree, const uint32_t *frames,
				      size_t n, struct lode_arena *arena);
