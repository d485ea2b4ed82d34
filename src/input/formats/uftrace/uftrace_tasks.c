/* Reads threads and sessions from task.txt. */
#include "input/formats/uftrace/uftrace_tasks.h"

#include "base/decimal.h"
#include "base/lines.h"
#include "input/call_source.h"

/* Text behind `key` in the line, NULL if it is not there. */
static const char *value_of_uftrace_tasks(const char *line, const char *key)
{
	const char *at = strstr(line, key);

	return at ? at + strlen(key) : NULL;
}

static bool number_of(const char *line, const char *key, int base, uint64_t *out)
{
	const char *at = value_of_uftrace_tasks(line, key);
	char *end;

	if (!at)
		return false;
	*out = strtoull(at, &end, base);
	return end > at;
}

/* "timestamp=2382.992937134": nine digits behind the point. */
static bool time_of(const char *line, int64_t *t_ns)
{
	const char *at = value_of_uftrace_tasks(line, "timestamp=");
	struct lode_decimal s;

	return at && lode_decimal_take(&s, at, strlen(at), false) && !s.is_negative &&
	       lode_decimal_scale(t_ns, &s, 9, false);
}

/* Up to the next blank, or the quote if one is open. */
static const char *text_of(struct lode_arena *arena, const char *line, const char *key)
{
	const char *at = value_of_uftrace_tasks(line, key);
	size_t n;

	if (!at)
		return NULL;
	if (*at == '"') {
		at++;
		n = strcspn(at, "\"");
	} else {
		n = strcspn(at, " \t");
	}
	return lode_arena_strndup(arena, at, n);
}

static bool take_line_uftrace_tasks(struct lode_uftrace_tasks *tasks, const char *line)
{
	uint64_t pid, tid, other;
	int64_t t_ns;

	if (!time_of(line, &t_ns))
		return false;
	if (!strncmp(line, "SESS ", 5)) {
		struct lode_uftrace_session session = {
			.t_ns = t_ns,
			.sid = text_of(&tasks->arena, line, " sid="),
			.exename = text_of(&tasks->arena, line, " exename="),
		};

		if (!session.sid ||
		    (!number_of(line, " pid=", 10, &pid) && !number_of(line, " tid=", 10, &pid)))
			return false;
		session.pid = (int32_t)pid;
		lode_vec_append(&tasks->sessions, session);
		return true;
	}
	if (!strncmp(line, "TASK ", 5)) {
		if (!number_of(line, " tid=", 10, &tid) || !number_of(line, " pid=", 10, &pid))
			return false;
		*lode_map_slot(&tasks->pids, tid) = (uint32_t)pid;
		return true;
	}
	if (!strncmp(line, "FORK ", 5)) {
		if (!number_of(line, " pid=", 10, &pid) || !number_of(line, " ppid=", 10, &other))
			return false;
		*lode_map_slot(&tasks->pids, pid) = (uint32_t)pid;
		*lode_map_slot(&tasks->parents, pid) = (uint32_t)other;
		return true;
	}
	if (!strncmp(line, "DLOP ", 5)) {
		struct lode_uftrace_dlopen loaded = {
			.sid = text_of(&tasks->arena, line, " sid="),
			.path = text_of(&tasks->arena, line, " libname="),
		};

		if (!loaded.sid || !loaded.path || !number_of(line, " base=", 16, &loaded.base))
			return false;
		lode_vec_append(&tasks->dlopens, loaded);
		return true;
	}
	return true; /* kinds that later versions have */
}

void lode_uftrace_tasks_load(struct lode_uftrace_tasks *tasks, const char *directory,
			     struct lode_losses *losses)
{
	char *path = lode_path_join(directory, "task.txt");
	struct lode_input *input;
	struct lode_lines lines;
	struct lode_error fault;
	char *line;
	size_t len;
	int rc = lode_input_open_found(&input, path, &fault);

	free(path);
	if (rc < 0) {
		lode_loss_add(losses, LODE_LOSS_UNDECODABLE, 1, -1, 0, "task.txt: %s",
			      fault.message);
		return;
	}
	lode_lines_init(&lines, input);
	while ((rc = lode_lines_next(&lines, &line, &len, &fault)) > 0)
		if (len && !take_line_uftrace_tasks(tasks, line))
			lode_loss_add(losses, LODE_LOSS_BAD_RECORD, 1, lines.offset, 0,
				      "task.txt, line %lld: cannot parse it",
				      (long long)lines.number);
	if (rc < 0)
		lode_loss_add(losses, LODE_LOSS_BAD_RECORD, 1, lines.next_offset, 0, "task.txt: %s",
			      fault.message);
	lode_lines_release(&lines);
	lode_input_close(input);
}

void lode_uftrace_tasks_release(struct lode_uftrace_tasks *tasks)
{
	lode_vec_release(&tasks->sessions);
	lode_vec_release(&tasks->dlopens);
	lode_map_release(&tasks->pids);
	lode_map_release(&tasks->parents);
	lode_arena_release(&tasks->arena);
}

int32_t lode_uftrace_pid(const struct lode_uftrace_tasks *tasks, int32_t tid)
{
	uint32_t pid = lode_map_find(&tasks->pids, (uint32_t)tid);

	return pid == LODE_NONE ? tid : (int32_t)pid;
}

uint32_t lode_uftrace_session_at(const struct lode_uftrace_tasks *tasks, int32_t pid, int64_t t_ns)
{
	uint32_t first = LODE_NONE;

	/* Up the parents: bounded, should the file make them a circle. */
	for (unsigned level = 0; level < 64; level++) {
		uint32_t best = LODE_NONE, parent;

		for (uint32_t i = 0; i < tasks->sessions.n; i++) {
			const struct lode_uftrace_session *s = &tasks->sessions.at[i];

			if (s->pid != pid)
				continue;
			if (first == LODE_NONE)
				first = i;
			if (s->t_ns <= t_ns &&
			    (best == LODE_NONE || s->t_ns >= tasks->sessions.at[best].t_ns))
				best = i;
		}
		if (best != LODE_NONE)
			return best;
		parent = lode_map_find(&tasks->parents, (uint32_t)pid);
		if (parent == LODE_NONE)
			break;
		pid = (int32_t)parent;
	}
	return first != LODE_NONE ? first : tasks->sessions.n ? 0 : LODE_NONE;
}
