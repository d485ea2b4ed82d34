/* Reads titles.tsv, and works out what tells the processes of a recording apart. */
#include "input/titles.h"

#include <stdio.h>

#include "base/decimal.h"
#include "base/folder.h"
#include "base/lines.h"
#include "base/sorted.h"
#include "input/title_words.h"
#include "model/stream.h"

const char lode_titles_file[] = "titles.tsv";

enum {
	MOST_ROWS = 1 << 20, /* LIMIT: of a file; what is behind them is not read */
};

/* A process is read at some moment after its exec, perhaps after its end was recorded. */
static const int64_t slack_ns = 100000000;

/* What a process was called at a time: its arguments, each with a NUL behind it. */
struct row {
	int64_t t_ns;
	int32_t pid;
	uint32_t order;
	const char *text;
	size_t size;
};

typedef LODE_VEC(struct row) row_vec;

/* A process of the stream that has a row. */
struct process {
	lode_thread_id thread; /* its first */
	const struct row *first, *last;
	const char *program;
	int64_t run_ns;
	bool is_command;
	char title[LODE_TITLE_BYTES + 1];
};

struct titles {
	struct lode_stream *stream;
	struct lode_arena arena;
	row_vec rows; /* by pid and time */
	LODE_VEC(struct process) processes;
	struct lode_map n_unread; /* per comm and is_command: programs that ended before their
				     arguments were read */
};

/* ---- The file ---- */

/* Undoes the escapes in place: "\0", "\\", "\x1f". The size then; 0: damaged. */
static size_t unescape(char *text, size_t len)
{
	size_t n = 0;

	for (size_t i = 0; i < len; i++) {
		unsigned value;

		if (text[i] != '\\') {
			text[n++] = text[i];
			continue;
		}
		if (++i == len)
			return 0;
		if (text[i] == '0') {
			text[n++] = '\0';
		} else if (text[i] == '\\') {
			text[n++] = '\\';
		} else if (text[i] == 'x' && i + 2 < len &&
			   sscanf(text + i + 1, "%2x", &value) == 1) {
			text[n++] = (char)value;
			i += 2;
		} else {
			return 0;
		}
	}
	return n;
}

static void take_title_line(struct titles *titles, char *line, size_t len)
{
	size_t t_len = strcspn(line, "\t"), pid_len, size;
	struct row row = {.order = (uint32_t)titles->rows.n};
	char *pid, *text, *kept;

	if (t_len + 1 >= len || !lode_int_parse(&row.t_ns, line, t_len))
		return;
	pid = line + t_len + 1;
	pid_len = strcspn(pid, "\t");
	text = pid + pid_len + 1;
	if (text >= line + len || !lode_int32_parse(&row.pid, pid, pid_len))
		return;
	size = (size_t)(line + len - text);
	kept = lode_arena_array(&titles->arena, char, size + 1);
	memcpy(kept, text, size);
	row.size = unescape(kept, size);
	while (row.size && !kept[row.size - 1])
		row.size--;
	kept[row.size] = '\0';
	row.text = kept;
	if (row.size)
		lode_vec_append(&titles->rows, row);
}

LODE_COMPARE(by_pid_and_time, struct row,
	     LODE_ORDER(a->pid, b->pid) ?: LODE_ORDER(a->t_ns, b->t_ns)
		     ?: LODE_ORDER(a->order, b->order))

static bool read_titles(struct titles *titles, const char *recording)
{
	char path[4200];
	struct lode_input *input;
	struct lode_lines lines;
	char *line;
	size_t len;

	snprintf(path, sizeof(path), "%.*s%s", (int)lode_path_folder_bytes(recording), recording,
		 lode_titles_file);
	if (!strcmp(recording, "-") || lode_input_open_found(&input, path, NULL) < 0)
		return false;
	lode_lines_init(&lines, input);
	while (titles->rows.n < MOST_ROWS && lode_lines_next(&lines, &line, &len, NULL) > 0)
		take_title_line(titles, line, len);
	lode_lines_release(&lines);
	lode_input_close(input);
	lode_sort(titles->rows.at, titles->rows.n, by_pid_and_time);
	return titles->rows.n > 0;
}

/* ---- Which process a row is of ---- */

static bool has_lower_pid(const void *row, const void *pid)
{
	return ((const struct row *)row)->pid < *(const int32_t *)pid;
}

static const struct row *first_row(const struct titles *titles, int32_t pid)
{
	return titles->rows.at + lode_sorted_before(titles->rows.at, titles->rows.n,
						    sizeof(*titles->rows.at), &pid, has_lower_pid);
}

static const char *comm_of(const struct titles *titles, lode_thread_id thread)
{
	const struct lode_stream *stream = titles->stream;

	return stream->tree.strings.text.at[stream->threads.at[thread].comm];
}

/* "/usr/lib/gcc/cc1" -> "cc1"; "-bash" -> "bash", a login shell. */
static const char *program_of(const struct row *row)
{
	const char *base = lode_path_base(row->text);

	return *base == '-' ? base + 1 : base;
}

/* Of a thread's name; of the recorded command's apart from those of others. */
static uint32_t *unread_slot(struct titles *titles, const struct lode_thread *thread)
{
	uint32_t *n =
		lode_map_slot(&titles->n_unread, (uint64_t)thread->comm << 1 | thread->is_command);

	*n = *n == LODE_NONE ? 0 : *n;
	return n;
}

/* A process whose rows lie in the life of its last program. */
static void add_process(struct titles *titles, lode_thread_id thread)
{
	const struct lode_thread *t = &titles->stream->threads.at[thread];
	const struct row *end = titles->rows.at + titles->rows.n;
	struct process process = {.thread = thread};
	int64_t from_ns = t->exec_ns > t->born_ns ? t->exec_ns : t->born_ns;

	for (const struct row *row = first_row(titles, t->pid); row < end && row->pid == t->pid;
	     row++) {
		if (row->t_ns < from_ns ||
		    (t->died_ns < INT64_MAX - slack_ns && row->t_ns > t->died_ns + slack_ns))
			continue;
		process.first = process.first ? process.first : row;
		process.last = row;
	}
	if (!process.last) {
		*unread_slot(titles, t) += t->exec_ns > INT64_MIN;
		return;
	}
	process.program = program_of(process.last);
	process.is_command = t->is_command;
	lode_vec_append(&titles->processes, process);
}

static void find_processes(struct titles *titles)
{
	const struct lode_stream *stream = titles->stream;

	for (size_t i = 0; i < stream->threads.n; i++)
		if (stream->threads.at[i].pid == stream->threads.at[i].tid &&
		    !stream->threads.at[i].is_kernel)
			add_process(titles, (lode_thread_id)i);
}

/* ---- Titles that programs write ---- */

struct title_words {
	struct {
		const char *at;
		size_t len;
	} words[LODE_TITLE_WORDS];
	size_t n;
};

static struct title_words split_title(const char *text)
{
	struct title_words out = {.n = 0};

	for (text += strspn(text, " "); *text && out.n < LODE_TITLE_WORDS;
	     text += strspn(text, " ")) {
		out.words[out.n].at = text;
		out.words[out.n++].len = strcspn(text, " ");
		text += strcspn(text, " ");
	}
	return out;
}

/* How many words both begin with. */
static size_t count_shared(const struct title_words *a, const struct title_words *b)
{
	size_t n = 0;

	while (n < a->n && n < b->n && a->words[n].len == b->words[n].len &&
	       !memcmp(a->words[n].at, b->words[n].at, a->words[n].len))
		n++;
	return n;
}

/* Port numbers in parentheses tell connections apart, not what a process is for. */
static void append_word(char *title, const char *word, size_t len)
{
	size_t n = strlen(title);

	if (n && n < LODE_TITLE_BYTES)
		title[n++] = ' ';
	for (size_t i = 0; i < len && n < LODE_TITLE_BYTES; i++) {
		bool is_number = i && word[i - 1] == '(' && lode_is_digit(word[i]);

		title[n++] = is_number ? 'N' : word[i];
		while (is_number && i + 1 < len && lode_is_digit(word[i + 1]))
			i++;
	}
	title[n] = '\0';
}

static void name_by_own_title(struct process *process)
{
	struct title_words words = split_title(process->last->text);

	for (const struct row *row = process->first; row < process->last; row++) {
		struct title_words other = split_title(row->text);

		if (lode_title_is_own(row->text, row->size))
			words.n = count_shared(&words, &other) ?: words.n;
	}
	for (size_t i = 0; i < words.n; i++) {
		const char *word = words.words[i].at, *end = word + words.words[i].len;

		/* Of the program, without its folder. */
		for (const char *p = word; i == 0 && p < end; p++)
			word = *p == '/' && p + 1 < end ? p + 1 : word;
		append_word(process->title, word, (size_t)(end - word));
	}
}

/* ---- Arguments ---- */

static void name_by_argument(struct process *process, const char *argument)
{
	const char *base = lode_path_base(argument);

	append_word(process->title, process->program, strlen(process->program));
	append_word(process->title, base, strlen(base));
}

/* ---- Processes of one program, distinguished ---- */

struct counted {
	struct lode_strings arguments;
	LODE_VEC(uint32_t) n;	 /* per argument: processes that have it */
	LODE_VEC(uint32_t) seen; /* per argument: the last process, from 1 */
};

static void count_arguments(struct counted *counted, const struct row *row, uint32_t process)
{
	for (const char *a = lode_title_next(row->text, row->size, row->text); a;
	     a = lode_title_next(row->text, row->size, a)) {
		uint32_t id = lode_strings_intern(&counted->arguments, a, strlen(a));

		if (id == counted->n.n) {
			lode_vec_append(&counted->n, 0);
			lode_vec_append(&counted->seen, 0);
		}
		if (counted->seen.at[id] != process)
			counted->n.at[id]++;
		counted->seen.at[id] = process;
	}
}

/* The first argument that not all `n` are known to have; what may be the value of an option only if
   there is no other. */
static const char *telling_argument(const struct counted *counted, const struct row *row, size_t n)
{
	const char *value = NULL, *before = row->text;

	for (const char *a = lode_title_next(row->text, row->size, row->text); a;
	     before = a, a = lode_title_next(row->text, row->size, a)) {
		uint32_t id = lode_strings_find(&counted->arguments, a, strlen(a));

		if (lode_title_is_unfit(a) || id >= counted->n.n || counted->n.at[id] == n)
			continue;
		if (*before != '-' || strchr(before, '='))
			return a;
		value = value ? value : a;
	}
	return value;
}

static void name_group(struct process **group, size_t n, size_t n_all)
{
	struct counted counted = {0};
	int64_t run_ns = 0;

	for (size_t i = 0; i < n; i++) {
		count_arguments(&counted, group[i]->last, (uint32_t)i + 1);
		run_ns += group[i]->run_ns;
	}
	for (size_t i = 0; i < n; i++) {
		const char *argument = telling_argument(&counted, group[i]->last, n_all);

		if (argument && group[i]->run_ns && group[i]->run_ns >= run_ns / 10)
			name_by_argument(group[i], argument);
	}
	lode_strings_release(&counted.arguments);
	lode_vec_release(&counted.n);
	lode_vec_release(&counted.seen);
}

LODE_COMPARE_AT(by_program, struct process,
		LODE_ORDER(b->is_command, a->is_command) ?: strcmp(a->program, b->program)
			?: LODE_ORDER(a->thread, b->thread))

/* Others of the machine do not tell the command's apart. */
static bool is_same_group(const struct process *a, const struct process *b)
{
	return a->is_command == b->is_command && !strcmp(a->program, b->program);
}

/* A comm is the program's file, or what it called itself: then that is its name. */
static bool is_called_by_file(const struct titles *titles, const struct process *process)
{
	const char *comm = comm_of(titles, process->thread);
	size_t len = strlen(comm);

	return len && !strncmp(process->program, comm, len) &&
	       (!process->program[len] || len == 15);
}

static void name_processes(struct titles *titles)
{
	struct process **rest = lode_alloc((titles->processes.n + 1) * sizeof(*rest));
	size_t n_rest = 0;

	for (size_t i = 0; i < titles->processes.n; i++) {
		struct process *process = &titles->processes.at[i];

		if (lode_title_is_own(process->last->text, process->last->size)) {
			name_by_own_title(process);
		} else if (!is_called_by_file(titles, process)) {
			continue;
		} else if (lode_title_is_interpreter(process->program)) {
			const char *script =
				lode_title_script(process->last->text, process->last->size);

			if (script && !strchr(script, '*'))
				name_by_argument(process, script);
		} else {
			rest[n_rest++] = process;
		}
	}
	lode_sort(rest, n_rest, by_program);
	for (size_t i = 0, end, n_all; i < n_rest; i = end) {
		for (end = i + 1; end < n_rest && is_same_group(rest[i], rest[end]);)
			end++;
		n_all = end - i +
			*unread_slot(titles, &titles->stream->threads.at[rest[i]->thread]);
		if (n_all > 1)
			name_group(rest + i, end - i, n_all);
	}
	free(rest);
}

/* ---- The whole ---- */

/* CPU time of a process is that of all its threads. */
static void sum_running(struct titles *titles, const uint32_t *process_of)
{
	const struct lode_stream *stream = titles->stream;

	for (size_t t = 0; t < stream->threads.n; t++) {
		const struct lode_events *events = &stream->threads.at[t].events;

		for (size_t i = 0; process_of[t] != LODE_NONE && i < events->n; i++)
			if (events->kind[i] == LODE_EVENT_RUNNING)
				titles->processes.at[process_of[t]].run_ns += events->cost_ns[i];
	}
}

/* Per thread: the process of its pid that had begun last by then; LODE_NONE. In order of sight, so
   that a pid that was used again is the later one's. */
static uint32_t *find_process_of(const struct titles *titles)
{
	const struct lode_stream *stream = titles->stream;
	uint32_t *process_of = lode_alloc(stream->threads.n * sizeof(*process_of));
	struct lode_map of_pid = {0};
	size_t next = 0;

	for (size_t t = 0; t < stream->threads.n; t++) {
		int32_t pid = stream->threads.at[t].pid;

		if (pid == stream->threads.at[t].tid) {
			bool is_named = next < titles->processes.n &&
					titles->processes.at[next].thread == t;

			*lode_map_slot(&of_pid, (uint32_t)pid) =
				is_named ? (uint32_t)next++ : LODE_NONE - 1;
		}
		process_of[t] = lode_map_find(&of_pid, (uint32_t)pid);
		if (process_of[t] == LODE_NONE - 1)
			process_of[t] = LODE_NONE;
	}
	lode_map_release(&of_pid);
	return process_of;
}

static void set_titles(struct titles *titles, const uint32_t *process_of)
{
	struct lode_stream *stream = titles->stream;

	for (size_t t = 0; t < stream->threads.n; t++) {
		struct lode_thread *thread = &stream->threads.at[t];
		const struct process *process =
			process_of[t] == LODE_NONE ? NULL : &titles->processes.at[process_of[t]];

		if (process && *process->title &&
		    thread->comm == stream->threads.at[process->thread].comm)
			thread->title = lode_strings_intern(&stream->tree.strings, process->title,
							    strlen(process->title));
	}
}

void lode_titles_apply(struct lode_stream *stream)
{
	struct titles titles = {.stream = stream};
	uint32_t *process_of;

	if (read_titles(&titles, stream->path)) {
		find_processes(&titles);
		process_of = find_process_of(&titles);
		sum_running(&titles, process_of);
		name_processes(&titles);
		set_titles(&titles, process_of);
		free(process_of);
	}
	lode_vec_release(&titles.rows);
	lode_vec_release(&titles.processes);
	lode_map_release(&titles.n_unread);
	lode_arena_release(&titles.arena);
}
