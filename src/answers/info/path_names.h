/*
 * Which files' names the answers about a command need: not only the command's own, but those of
 * the threads that it waited for.
 */
#pragma once

#include "model/stream.h"

struct lode_path_module {
	const char *name; /* the stream's */
	int64_t unnamed_ns;
};

struct lode_path_names {
	const struct lode_path_module *modules; /* those that lack names, costliest first */
	size_t n;
	int64_t path_ns; /* of all critical paths */
};

/*
 * On the critical paths of the command's threads that no other thread of it created: time in stacks
 * whose innermost function, or innermost function of a program, has no name. None without switches
 * or a command. O(spans + nodes).
 */
void lode_path_names_find(struct lode_path_names *out, const struct lode_stream *stream,
			  struct lode_arena *arena);
