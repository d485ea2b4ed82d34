/*
 * JSON that came from outside, as a tree: bounds first, then yajl.
 */
#pragma once

#include <stddef.h>
#include <yajl/yajl_tree.h>

#include "base/error.h"

/* LIMIT: brackets inside of brackets; freeing a tree of them recurses. lode's have less than ten.
 */
enum { LODE_JSON_MAX_NESTING = 100 };

/*
 * `text` is NUL-terminated, `size` bytes before that. LODE_ERR_FORMAT: not JSON, or a NUL in it or
 * in one of its texts, which no text of ours has; LODE_ERR_LIMIT: nested too deep. `name` stands
 * for the path in errors; may be NULL. The tree is the caller's, for yajl_tree_free.
 */
int lode_json_tree_parse(yajl_val *out, const char *text, size_t size, const char *name,
			 struct lode_error *err);

/* NULL: not there, or `object` is none. */
yajl_val lode_json_tree_member(yajl_val object, const char *name);
