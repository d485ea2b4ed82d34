/* Finds the threads of the recorded command. */
#include "input/formats/perf/perf_command.h"

enum { IS_PERF = 1, IS_PERF_EXEC = 2, IS_PERF_CHILD = 4, COMM_LEN = 15 };

void lode_perf_command_init(struct lode_perf_command *command)
{
	memset(command, 0, sizeof(*command));
	command->child_root = LODE_NONE;
}

void lode_perf_command_release(struct lode_perf_command *command)
{
	lode_map_release(&command->marks);
	lode_vec_release(&command->execs);
	lode_vec_release(&command->recorded_pids);
}

static uint32_t marks_of(const struct lode_perf_command *command, int32_t tid)
{
	uint32_t marks = lode_map_find(&command->marks, (uint32_t)tid);

	return marks == LODE_NONE ? 0 : marks;
}

void lode_perf_command_comm(struct lode_perf_command *command, const struct lode_stream *stream,
			    int32_t tid, const char *comm, bool is_exec)
{
	uint32_t marks = marks_of(command, tid);
	lode_thread_id thread = lode_map_find(&stream->thread_index, (uint32_t)tid);

	if (!strcmp(comm, "perf-exec")) {
		*lode_map_slot(&command->marks, (uint32_t)tid) = marks | IS_PERF_EXEC;
	} else if (!strcmp(comm, "perf")) {
		*lode_map_slot(&command->marks, (uint32_t)tid) = marks | IS_PERF;
	} else if (marks) {
		if (marks & IS_PERF_EXEC)
			lode_vec_append(
				&command->execs,
				((struct lode_perf_exec){thread, stream->threads.at[thread].comm}));
		if (is_exec && marks & IS_PERF_CHILD && command->child_root == LODE_NONE)
			command->child_root = thread;
		*lode_map_slot(&command->marks, (uint32_t)tid) = 0;
	}
}

void lode_perf_command_fork(struct lode_perf_command *command, int32_t tid, int32_t parent_tid)
{
	uint32_t marks = marks_of(command, parent_tid) & IS_PERF ? IS_PERF_CHILD : 0;

	if (marks || marks_of(command, tid))
		*lode_map_slot(&command->marks, (uint32_t)tid) = marks;
}

void lode_perf_command_thread_map(struct lode_perf_command *command, int32_t pid)
{
	if (pid < 0)
		command->is_system_wide = true;
	else if (pid > 0)
		lode_vec_append(&command->recorded_pids, pid);
}

void lode_perf_command_give_pids(struct lode_perf_command *command, const char *pids)
{
	char *end;

	command->recorded_pids.n = 0;
	for (; *pids; pids = *end ? end + 1 : end) {
		long pid = strtol(pids, &end, 10);

		if (end == pids)
			break;
		if (pid > 0 && pid <= INT32_MAX)
			lode_vec_append(&command->recorded_pids, (int32_t)pid);
	}
	command->has_given_pids = command->recorded_pids.n > 0;
}

/* Whether a thread or any ancestor is marked; remembers the answer along the way. */
static void inherit(struct lode_stream *stream, uint8_t *is_known, lode_thread_id start,
		    lode_thread_id *path)
{
	lode_thread_id id = start;
	size_t n = 0;
	bool is_command;

	/* A thread that is met again on the way would be its own ancestor: damaged input. */
	while (id != LODE_NONE && !is_known[id] && !stream->threads.at[id].is_command) {
		is_known[id] = 1;
		path[n++] = id;
		id = stream->threads.at[id].parent;
	}
	is_command = id != LODE_NONE && stream->threads.at[id].is_command;
	while (n > 0)
		stream->threads.at[path[--n]].is_command = is_command;
}

/* The roots when the recording does not show its command being executed. */
static void mark_recorded(const struct lode_perf_command *command, struct lode_stream *stream)
{
	struct lode_map pids = {0};

	for (size_t i = 0; i < command->recorded_pids.n; i++)
		*lode_map_slot(&pids, (uint32_t)command->recorded_pids.at[i]) = 1;
	for (size_t i = 0; i < stream->threads.n; i++) {
		struct lode_thread *thread = &stream->threads.at[i];

		thread->is_command = lode_map_find(&pids, (uint32_t)thread->tid) != LODE_NONE ||
				     (thread->pid > 0 &&
				      lode_map_find(&pids, (uint32_t)thread->pid) != LODE_NONE);
	}
	lode_map_release(&pids);
}

/* "perf record -g -p 1234 -- sleep 30": whether its own options name processes or threads. */
static bool names_processes(const char *command)
{
	for (const char *word = command; *word; word += strspn(word, " ")) {
		size_t len = strcspn(word, " ");

		if (len == 2 && !strncmp(word, "--", 2))
			break;
		if (!strncmp(word, "-p", 2) || !strncmp(word, "-t", 2) ||
		    !strncmp(word, "--pid", 5) || !strncmp(word, "--tid", 5))
			return true;
		word += len;
	}
	return false;
}

/* ---- Which of several commands ---- */

/* "perf record -a -- /bin/sleep 9": whether some word is a program of that name. */
static bool stands_in(const char *line, const char *comm)
{
	size_t n = strlen(comm);

	for (const char *word = line; *word; word += strspn(word, " ")) {
		size_t len = strcspn(word, " ");
		const char *slash = memrchr(word, '/', len);
		const char *base = slash ? slash + 1 : word;
		size_t base_len = (size_t)(word + len - base);

		/* The kernel keeps the first 15 bytes of a name. */
		if (n && (base_len == n || (n == COMM_LEN && base_len > n)) &&
		    !memcmp(base, comm, n))
			return true;
		word += len;
	}
	return false;
}

/* The recorder was there before its recording: a perf that was executed meanwhile is another. */
static bool is_of_another(const struct lode_stream *stream, lode_thread_id id)
{
	lode_thread_id parent = stream->threads.at[id].parent;

	return parent != LODE_NONE && stream->threads.at[parent].exec_ns != INT64_MIN;
}

static lode_thread_id exec_root(const struct lode_perf_command *command,
				const struct lode_stream *stream)
{
	lode_thread_id first = LODE_NONE;

	for (size_t i = 0; i < command->execs.n; i++) {
		const struct lode_perf_exec *exec = &command->execs.at[i];

		if (is_of_another(stream, exec->thread))
			continue;
		if (stands_in(stream->command, stream->tree.strings.text.at[exec->comm]))
			return exec->thread;
		if (first == LODE_NONE)
			first = exec->thread;
	}
	return first;
}

/* The builder marks whatever was called "perf-exec". */
static void mark_only(struct lode_stream *stream, lode_thread_id root)
{
	for (size_t i = 0; i < stream->threads.n; i++)
		stream->threads.at[i].is_command = i == root;
}

void lode_perf_command_mark(const struct lode_perf_command *command, struct lode_stream *stream)
{
	lode_thread_id root = exec_root(command, stream);
	size_t n = stream->threads.n;
	uint8_t *is_known = lode_alloc0(n, 1);
	lode_thread_id *path = lode_alloc0(n, sizeof(*path));

	stream->is_attached =
		(command->has_given_pids && !stream->is_command_asked) ||
		(root == LODE_NONE && command->recorded_pids.n && names_processes(stream->command));
	if (command->has_given_pids)
		mark_recorded(command, stream);
	else if (command->execs.n)
		mark_only(stream, root);
	if (!command->has_given_pids && root == LODE_NONE) {
		if (command->recorded_pids.n)
			mark_recorded(command, stream);
		else if (command->child_root != LODE_NONE &&
			 !is_of_another(stream, command->child_root))
			stream->threads.at[command->child_root].is_command = true;
	}
	for (size_t i = 0; i < n; i++)
		inherit(stream, is_known, (lode_thread_id)i, path);
	free(is_known);
	free(path);
}
