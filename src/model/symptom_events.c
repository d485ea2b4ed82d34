/* Collects the events at which symptoms begin or end. */
#include "model/symptom_events.h"

#include <stdio.h>

#include "model/syscalls.h"
#include "base/glob.h"

/* ---- Points ---- */

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

/* Does every event of that kind mean the point? */
static bool point_is_kind(const struct lode_point *point, const struct lode_tap_kind *kind)
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

/* May one, as its number tells (point_is_number)? The kinds of raw_syscalls. */
static bool point_is_raw_kind(const struct lode_point *point, const struct lode_tap_kind *kind)
{
	return point->kind == LODE_POINT_SYSCALL && kind->tracepoint &&
	       !strcmp(kind->tracepoint,
		       point->is_return ? "raw_syscalls:sys_exit" : "raw_syscalls:sys_enter");
}

static bool point_is_number(const struct lode_point *point, const char *arch, int64_t number)
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

/* ---- Events ---- */

enum { NO_FIELD = 255 };

/* ---- Asking ---- */

/* Its place among the wished fields, which it becomes one of if there is room. */
static uint8_t wish_for(struct lode_tap_wish *wish, const char *field, uint8_t element)
{
	for (unsigned i = 0; i < wish->n_fields; i++)
		if (!strcmp(wish->field[i], field) && wish->element[i] == element)
			return (uint8_t)i;
	if (wish->n_fields == LODE_TAP_FIELDS)
		return NO_FIELD;
	wish->field[wish->n_fields] = field;
	wish->element[wish->n_fields] = element;
	return (uint8_t)wish->n_fields++;
}

/* raw_syscalls has its arguments in one field, without names: "arg0" to "arg5". */
static uint8_t wish_for_key(struct lode_tap_wish *wish, const char *key, bool is_raw)
{
	if (!key)
		return NO_FIELD;
	if (is_raw && !strncmp(key, "arg", 3) && key[3] >= '0' && key[3] <= '5' && !key[4])
		return wish_for(wish, "args", (uint8_t)(key[3] - '0'));
	return wish_for(wish, key, 0);
}

static void look_at(const struct lode_point *point, const struct lode_tap_kind *kind,
		    struct lode_point_found *found, bool *is_sure, bool *is_raw)
{
	*is_sure = point_is_kind(point, kind);
	*is_raw = !*is_sure && point_is_raw_kind(point, kind);
	found->is_recorded |= *is_sure || *is_raw;
	found->is_named |= *is_sure;
}

static void ask_kind(void *context, const struct lode_tap_kind *kind, struct lode_tap_wish *wish)
{
	struct lode_symptom_events *events = context;
	struct lode_symptom_kind ours = {.number = NO_FIELD};
	bool is_raw;

	if (events->inner && events->inner->kind)
		events->inner->kind(events->inner->context, kind, wish);
	events->tap.wants_model = !events->inner || events->inner->wants_model;
	ours.inner_id = wish->id;
	look_at(events->from, kind, &events->found_from, &ours.begins, &ours.may_begin);
	look_at(events->to, kind, &events->found_to, &ours.ends, &ours.may_end);
	is_raw = ours.may_begin || ours.may_end;
	if (!is_raw && !ours.begins && !ours.ends && wish->id == LODE_NONE)
		return;
	if (is_raw)
		ours.number = wish_for(wish, "id", 0);
	ours.from_key = ours.to_key = NO_FIELD;
	if (ours.begins || ours.may_begin)
		ours.from_key = wish_for_key(wish, events->from_key, is_raw);
	if (ours.ends || ours.may_end)
		ours.to_key = wish_for_key(wish, events->to_key, is_raw);
	wish->id = (uint32_t)events->kinds.n;
	lode_vec_append(&events->kinds, ours);
}

/* ---- Taking ---- */

static bool has_field(const struct lode_tap_event *event, uint8_t field)
{
	return field < LODE_TAP_FIELDS && event->found >> field & 1;
}

/* Adds the event as one end; the key of a request that both ends have may differ in its name. */
static void add_end(struct lode_symptom_events *events, const struct lode_tap_event *event,
		    const struct lode_symptom_kind *kind, bool is_begin)
{
	const char *key = is_begin ? events->from_key : events->to_key;
	uint8_t field = is_begin ? kind->from_key : kind->to_key;
	struct lode_symptom_event ours = {
		.t_ns = event->t_ns,
		.pid = event->pid,
		.tid = event->tid,
		.cpu = event->cpu,
		.begins = is_begin,
		.ends = !is_begin,
		.is_interrupt = event->has_context && (event->in_hardirq || event->in_softirq),
		.is_raw = kind->number != NO_FIELD,
	};

	if (key && !has_field(event, field)) {
		(is_begin ? &events->found_from : &events->found_to)->has_no_key = true;
		return;
	}
	if (key)
		ours.key = event->values[field];
	lode_vec_append(&events->at, ours);
}

static void take_event(void *context, const struct lode_tap_event *event)
{
	struct lode_symptom_events *events = context;
	const struct lode_symptom_kind *kind = &events->kinds.at[event->id];
	bool begins = kind->begins, ends = kind->ends;

	if (has_field(event, kind->number)) {
		int64_t number = (int64_t)event->values[kind->number];

		begins |= kind->may_begin && point_is_number(events->from, events->arch, number);
		ends |= kind->may_end && point_is_number(events->to, events->arch, number);
	}
	/* One that is both ends a request, then begins the next. */
	if (ends)
		add_end(events, event, kind, false);
	if (begins)
		add_end(events, event, kind, true);
	if (kind->inner_id != LODE_NONE) {
		struct lode_tap_event theirs = *event;

		theirs.id = kind->inner_id;
		events->inner->event(events->inner->context, &theirs);
	}
}

/* ---- Handing on ---- */

static void begin_tap(void *context, const struct lode_tap_about *about)
{
	struct lode_symptom_events *events = context;

	events->arch = about->arch;
	if (events->inner && events->inner->begin)
		events->inner->begin(events->inner->context, about);
}

static void thread_born(void *context, int64_t t_ns, int32_t pid, int32_t tid)
{
	const struct lode_symptom_events *events = context;

	if (events->inner && events->inner->born)
		events->inner->born(events->inner->context, t_ns, pid, tid);
}

static void thread_ended(void *context, int64_t t_ns, int32_t tid)
{
	const struct lode_symptom_events *events = context;

	if (events->inner && events->inner->ended)
		events->inner->ended(events->inner->context, t_ns, tid);
}

static void events_lost(void *context, int64_t t_ns, uint32_t cpu)
{
	struct lode_symptom_events *events = context;
	struct lode_event_gap gap = {t_ns, cpu};

	lode_vec_append(&events->gaps, gap);
	if (events->inner && events->inner->lost)
		events->inner->lost(events->inner->context, t_ns, cpu);
}

static void finish_tap(void *context, const struct lode_stream *stream, const uint32_t *node_of_raw,
		       size_t n_raw)
{
	const struct lode_symptom_events *events = context;

	if (events->inner && events->inner->finish)
		events->inner->finish(events->inner->context, stream, node_of_raw, n_raw);
}

struct lode_symptom_events *lode_symptom_events_make(const struct lode_point *from,
						     const char *from_key,
						     const struct lode_point *to,
						     const char *to_key,
						     const struct lode_tap *inner)
{
	struct lode_symptom_events *events = lode_alloc0(1, sizeof(*events));

	events->from = from;
	events->to = to;
	events->from_key = from_key;
	events->to_key = to_key;
	events->inner = inner;
	events->arch = "";
	events->first_ns = INT64_MIN;
	events->tap = (struct lode_tap){
		.context = events,
		.wants_model = !inner || inner->wants_model,
		.kind = ask_kind,
		.begin = begin_tap,
		.event = take_event,
		.born = thread_born,
		.ended = thread_ended,
		.lost = events_lost,
		.finish = finish_tap,
	};
	return events;
}

const struct lode_tap *lode_symptom_events_tap(struct lode_symptom_events *events)
{
	if (lode_point_is_event(events->from) || lode_point_is_event(events->to))
		return &events->tap;
	return events->inner;
}

void lode_symptom_events_free(struct lode_symptom_events *events)
{
	if (!events)
		return;
	lode_vec_release(&events->at);
	lode_vec_release(&events->gaps);
	lode_vec_release(&events->kinds);
	free(events->why_none);
	free(events);
}
