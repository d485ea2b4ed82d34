/* Parses one end of a symptom as users name it. */
#include "model/symptom_point.h"

#include <stdio.h>

#include "base/glob.h"
#include "model/syscalls.h"

static const char enter[] = "syscalls:sys_enter_", leave[] = "syscalls:sys_exit_";
static const char returned[] = "__return";

/* ---- From texts ---- */

static const char *joined(struct lode_arena *arena, const char *a, const char *b, const char *c)
{
	size_t size = strlen(a) + strlen(b) + strlen(c) + 1;
	char *text = lode_arena_array(arena, char, size);

	snprintf(text, size, "%s%s%s", a, b, c);
	return text;
}

/* The text behind a prefix, or NULL. */
static const char *behind(const char *text, const char *prefix)
{
	size_t len = strlen(prefix);

	return strncmp(text, prefix, len) == 0 ? text + len : NULL;
}

static void read_syscall(struct lode_point *out, const char *text, struct lode_arena *arena)
{
	const char *colon = strrchr(text, ':'), *name;

	out->kind = LODE_POINT_SYSCALL;
	out->name = text;
	if (colon && (!strcmp(colon, ":exit") || !strcmp(colon, ":enter"))) {
		out->is_return = colon[2] == 'x';
		out->name = lode_arena_strndup(arena, text, (size_t)(colon - text));
	}
	if ((name = behind(out->name, "sys_enter_"))) {
		out->name = name;
	} else if ((name = behind(out->name, "sys_exit_"))) {
		out->name = name;
		out->is_return = true;
	}
}

/* "system:name"; a C++ name has its colons in pairs. */
static bool is_event_name(const char *text)
{
	const char *colon = strchr(text, ':');

	return colon && colon != text && colon[1] != ':' && colon[1] != '\0';
}

int lode_point_read(struct lode_point *out, const char *option, const char *text,
		    struct lode_arena *arena, struct lode_error *err)
{
	const char *name = text;

	*out = (struct lode_point){.kind = LODE_POINT_EVENT, .name = text};
	if (!strcmp(text, "start")) {
		out->kind = LODE_POINT_START;
	} else if (!strcmp(text, "exit")) {
		out->kind = LODE_POINT_EXIT;
	} else if (!strcmp(text, "exec")) {
		out->kind = LODE_POINT_EXEC;
	} else if ((name = behind(text, "syscall:"))) {
		read_syscall(out, name, arena);
	} else if ((name = behind(text, "uprobe:"))) {
		out->name = joined(arena, "probe_*:", name, "");
	} else if ((name = behind(text, "uretprobe:"))) {
		out->name = joined(arena, "probe_*:", name, returned);
	} else if ((name = behind(text, "usdt:"))) {
		out->name = joined(arena, "sdt_", name, "");
	} else if ((name = behind(text, "event:"))) {
		out->name = name;
	} else {
		name = text;
		if (!is_event_name(text))
			out->kind = LODE_POINT_FUNCTION;
	}
	if (out->kind == LODE_POINT_EVENT) {
		size_t len = strlen(out->name), n = sizeof(returned) - 1;

		out->is_return = len > n && !strcmp(out->name + len - n, returned);
	}
	if (!*text || (name && !*name) || (out->name && !*out->name))
		return lode_fail(err, LODE_ERR_ARG, NULL, -1, "symptom: %s=%s is empty", option,
				 text);
	return 0;
}

/* ---- Events ---- */

bool lode_point_is_kind(const struct lode_point *point, const struct lode_tap_kind *kind)
{
	const char *name = kind->tracepoint ? kind->tracepoint : kind->name, *syscall;
	size_t len = strlen(name), n = sizeof(returned) - 1;

	if (point->kind == LODE_POINT_SYSCALL) {
		syscall = behind(name, point->is_return ? leave : enter);
		return syscall && lode_glob_match(point->name, syscall);
	}
	if (point->kind != LODE_POINT_EVENT)
		return false;
	/* "probe_shop:*" are entries; what returns is named so. */
	if (!point->is_return && len > n && !strcmp(name + len - n, returned))
		return false;
	return lode_glob_match(point->name, name) ||
	       (kind->tracepoint && lode_glob_match(point->name, kind->name));
}

bool lode_point_is_raw_kind(const struct lode_point *point, const struct lode_tap_kind *kind)
{
	return point->kind == LODE_POINT_SYSCALL && kind->tracepoint &&
	       !strcmp(kind->tracepoint,
		       point->is_return ? "raw_syscalls:sys_exit" : "raw_syscalls:sys_enter");
}

bool lode_point_is_number(const struct lode_point *point, const char *arch, int64_t number)
{
	const char *name = lode_syscall_name(arch, number);

	return name && lode_glob_match(point->name, name);
}

/* "__x64_sys_read", "ksys_read", "sys_enter_read", "__libc_read", "read": all are read. */
static bool is_syscall(const char *function, const char *name)
{
	static const char *const prefixes[] = {"__x64_sys_", "__ia32_sys_", "__arm64_sys_",
					       "__se_sys_",  "__do_sys_",   "ksys_",
					       "sys_",	     "__libc_",	    "__GI_",
					       "__"};

	for (size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++) {
		const char *rest = behind(function, prefixes[i]);

		if (rest && lode_glob_match(name, rest))
			return true;
	}
	return lode_glob_match(name, function);
}

bool lode_point_is_function(const struct lode_point *point, const char *function)
{
	return point->kind == LODE_POINT_SYSCALL ? is_syscall(function, point->name)
						 : lode_glob_match(point->name, function);
}

bool lode_points_nest(const struct lode_point *from, const struct lode_point *to)
{
	size_t len;

	if (from->kind != LODE_POINT_EVENT || to->kind != LODE_POINT_EVENT || from->is_return)
		return false;
	len = strlen(from->name);
	return !strncmp(from->name, to->name, len) && !strcmp(to->name + len, returned);
}

const char *lode_point_advice(const struct lode_point *point, char *buffer, size_t size)
{
	const char *probe = behind(point->name, "probe_"), *sdt = behind(point->name, "sdt_");
	const char *name = strchr(point->name, ':');

	if (point->kind == LODE_POINT_SYSCALL)
		snprintf(buffer, size, "lode record --syscalls");
	else if (probe && name)
		snprintf(buffer, size,
			 "perf probe -x PROGRAM '%.*s%s', then lode record --event '%s'",
			 (int)(strlen(name + 1) - (point->is_return ? sizeof(returned) - 1 : 0)),
			 name + 1, point->is_return ? "%return" : "", point->name);
	else if (sdt)
		snprintf(buffer, size,
			 "perf buildid-cache --add PROGRAM, perf probe '%s', then lode record "
			 "--event '%s'",
			 point->name, point->name);
	else
		snprintf(buffer, size, "lode record --event '%s'", point->name);
	return buffer;
}
