/*
 * One end of a symptom, as the user names it.
 *
 *   start, exit, exec            birth and end of the thread, its last exec
 *   syscall:read[:exit]          a system call's begin, or its return; sys_enter_read,
 * sys_exit_read uprobe:G, uretprobe:G        entry and return of a function that perf probe added:
 * probe_*:G usdt:PROVIDER:NAME           a static probe of a program: sdt_PROVIDER:NAME
 *   SYSTEM:NAME, event:NAME      any event, by its name in the recording
 *   anything else                functions: an event of the model with such a frame in its stack
 *
 * Names are globs.
 */
#pragma once

#include "base/error.h"
#include "model/tap.h"

enum lode_point_kind {
	LODE_POINT_EDGE, /* not given: where the recorded life starts or ends */
	LODE_POINT_START,
	LODE_POINT_EXIT,
	LODE_POINT_EXEC,
	LODE_POINT_FUNCTION,
	LODE_POINT_SYSCALL, /* an event where system calls were recorded, else a function */
	LODE_POINT_EVENT,
};

struct lode_point {
	enum lode_point_kind kind;
	const char *name; /* glob: of functions, system calls or events */
	bool is_return;	  /* of a system call or function */
};

/* `option`: "from" or "to". */
int lode_point_read(struct lode_point *out, const char *option, const char *text,
		    struct lode_arena *arena, struct lode_error *err);

/* Is it one that is looked for among the events of the recording? */
static inline bool lode_point_is_event(const struct lode_point *point)
{
	return point->kind == LODE_POINT_SYSCALL || point->kind == LODE_POINT_EVENT;
}

/* Does every event of that kind mean the point? */
bool lode_point_is_kind(const struct lode_point *point, const struct lode_tap_kind *kind);
/* May one, as its number tells (lode_point_is_number)? The kinds of raw_syscalls. */
bool lode_point_is_raw_kind(const struct lode_point *point, const struct lode_tap_kind *kind);
bool lode_point_is_number(const struct lode_point *point, const char *arch, int64_t number);

/* Is that the point, with LODE_POINT_FUNCTION, or LODE_POINT_SYSCALL told from stacks? */
bool lode_point_is_function(const struct lode_point *point, const char *function);

/* Entry and return of the same functions: these nest. */
bool lode_points_nest(const struct lode_point *from, const struct lode_point *to);

/* How to record it: "lode record --syscalls". */
const char *lode_point_advice(const struct lode_point *point, char *buffer, size_t size);
