/* Says why a recording has no symptom. */
#include "model/symptom_none.h"

#include "base/closest_name.h"
#include "base/duration.h"
#include "base/escape.h"
#include "base/glob.h"
#include "base/sorted.h"
#include "base/written.h"

enum { NAMES_SHOWN = 6, CLOSE_SHOWN = 3, COMM_BYTES = 15 };

static const char *stream_string(const struct lode_stream *stream, uint32_t string)
{
	return stream->tree.strings.text.at[string];
}

static void put_quoted(FILE *out, const char *text)
{
	char safe[120];

	fprintf(out, "'%s'", lode_escape_fit(safe, sizeof(safe), text, 60));
}

/* ---- Who there is ---- */

struct name_count {
	const char *name;
	size_t n;
};

typedef LODE_VEC(struct name_count) name_counts;

LODE_COMPARE(by_count, struct name_count, LODE_ORDER(b->n, a->n) ?: strcmp(a->name, b->name))

/* How many threads each name has; most first. */
static void count_names(name_counts *out, const struct lode_stream *stream)
{
	struct lode_map places = {0};

	for (size_t i = 0; i < stream->threads.n; i++) {
		const struct lode_thread *thread = &stream->threads.at[i];
		uint32_t place;

		if (!thread->events.n)
			continue;
		lode_vec_reserve(out, out->n + 1);
		place = lode_map_number(&places, thread->comm, out->n);
		if (place == out->n)
			lode_vec_append(
				out, ((struct name_count){stream_string(stream, thread->comm), 0}));
		out->at[place].n++;
	}
	lode_map_release(&places);
	lode_sort(out->at, out->n, by_count);
}

static void put_names(FILE *out, const struct lode_stream *stream)
{
	name_counts names = {0};
	char safe[80];

	count_names(&names, stream);
	fputs(names.n ? "; the recording has " : "; the recording has no threads", out);
	for (size_t i = 0; i < names.n && i < NAMES_SHOWN; i++)
		fprintf(out, "%s%s (%zu thread%s)", i ? ", " : "",
			lode_escape_fit(safe, sizeof(safe), names.at[i].name, 20), names.at[i].n,
			names.at[i].n == 1 ? "" : "s");
	if (names.n > NAMES_SHOWN)
		fprintf(out, " and %zu more names", names.n - NAMES_SHOWN);
	lode_vec_release(&names);
}

static void put_processes(FILE *out, const struct lode_stream *stream)
{
	size_t n = 0;
	char safe[80];

	for (size_t i = 0; i < stream->threads.n; i++) {
		const struct lode_thread *thread = &stream->threads.at[i];

		if (!thread->events.n || thread->is_kernel || thread->tid != thread->pid ||
		    n++ >= NAMES_SHOWN)
			continue;
		fprintf(out, "%s%d (%s)", n == 1 ? "; the recording has " : ", ", thread->pid,
			lode_escape_fit(safe, sizeof(safe), stream_string(stream, thread->comm),
					20));
	}
	if (n > NAMES_SHOWN)
		fprintf(out, " and %zu more processes", n - NAMES_SHOWN);
}

/* ---- Close names ---- */

typedef LODE_VEC(const char *) name_list;

static void put_close_name(FILE *out, const char *word, name_list *names)
{
	const char *close;

	lode_vec_append(names, NULL);
	close = lode_closest_name(word, names->at);
	if (!close)
		return;
	fputs(" (did you mean ", out);
	put_quoted(out, close);
	fputs("?)", out);
}

static bool is_plain(const char *glob)
{
	return !glob[strcspn(glob, "*?[\\")];
}

/* The kernel cuts names of threads. */
static void put_close_comm(FILE *out, const char *comm, const struct lode_stream *stream)
{
	name_list names = {0};

	for (size_t i = 0; i < stream->threads.n; i++) {
		const char *name = stream_string(stream, stream->threads.at[i].comm);

		if (strlen(name) == COMM_BYTES && strlen(comm) > COMM_BYTES &&
		    !strncmp(name, comm, COMM_BYTES)) {
			fprintf(out, " (names of threads have %d characters at most: ", COMM_BYTES);
			put_quoted(out, name);
			fputc(')', out);
			lode_vec_release(&names);
			return;
		}
		if (stream->threads.at[i].events.n)
			lode_vec_append(&names, name);
	}
	if (is_plain(comm))
		put_close_name(out, comm, &names);
	lode_vec_release(&names);
}

/* Functions that have the word in their name, else the one that is closest to it. */
static void put_close_functions(FILE *out, const char *word, const struct lode_stream *stream)
{
	const struct lode_calltree *tree = &stream->tree;
	name_list names = {0};
	struct lode_map seen = {0};
	size_t n_holding = 0;

	for (uint32_t i = 0; is_plain(word) && i < tree->frames.n; i++) {
		const char *name = lode_frame_function(tree, i);
		uint32_t *slot = lode_map_slot(&seen, lode_stable_hash(name, strlen(name), 0));

		if (*slot != LODE_NONE)
			continue;
		*slot = 0;
		lode_vec_append(&names, name);
		if (!strstr(name, word) || n_holding >= CLOSE_SHOWN)
			continue;
		fputs(n_holding++ ? ", " : "; the recording has ", out);
		put_quoted(out, name);
	}
	if (!n_holding)
		put_close_name(out, word, &names);
	lode_map_release(&seen);
	lode_vec_release(&names);
}

/* ---- Which part matched nothing ---- */

/* How many threads with events match, by each part alone. */
struct matches {
	size_t comm, main_comm, pid, tid, only_comm, only_pid, all;
};

static void count_matches(struct matches *n, const struct lode_symptom_none *none,
			  const struct lode_stream *stream)
{
	*n = (struct matches){0};
	for (size_t i = 0; i < stream->threads.n; i++) {
		const struct lode_thread *thread = &stream->threads.at[i];
		const char *name = stream_string(stream, thread->comm);
		bool is_named;

		if (!thread->events.n)
			continue;
		is_named = none->comm && lode_glob_match(none->comm, name);
		n->all++;
		n->comm += is_named;
		n->main_comm += is_named && thread->tid == thread->pid;
		n->pid += thread->pid == none->pid;
		n->tid += thread->tid == none->tid;
		n->only_pid += thread->pid == none->only_pid;
		n->only_comm += none->only_comm && lode_glob_match(none->only_comm, name);
	}
}

static void put_no_name(FILE *out, const char *comm, const struct lode_stream *stream)
{
	fputs("no thread is named ", out);
	put_quoted(out, comm);
	put_close_comm(out, comm, stream);
	put_names(out, stream);
}

static void put_no_number(FILE *out, const char *what, int32_t number,
			  const struct lode_stream *stream)
{
	fprintf(out, "no %s has number %d", what, number);
	put_processes(out, stream);
}

/* No thread is meant by all parts together. */
static void put_no_thread(FILE *out, const struct lode_symptom_none *none,
			  const struct lode_stream *stream)
{
	struct matches n;

	count_matches(&n, none, stream);
	if (none->comm && !n.comm) {
		put_no_name(out, none->comm, stream);
	} else if (none->only_comm && !n.only_comm) {
		put_no_name(out, none->only_comm, stream);
	} else if (none->pid >= 0 && !n.pid) {
		put_no_number(out, "process", none->pid, stream);
	} else if (none->only_pid >= 0 && !n.only_pid) {
		put_no_number(out, "process", none->only_pid, stream);
	} else if (none->tid >= 0 && !n.tid) {
		put_no_number(out, "thread", none->tid, stream);
	} else if (none->comm && none->is_process && !n.main_comm) {
		put_quoted(out, none->comm);
		fprintf(out,
			" is the name of %zu thread%s, but of no process: add ',threads' to "
			"include "
			"all threads",
			n.comm, n.comm == 1 ? "" : "s");
	} else if (!n.all) {
		fputs("no thread has an event with a cost", out);
	} else {
		fputs("no thread matches all parts together", out);
		put_names(out, stream);
	}
}

static void put_point(FILE *out, const struct lode_point *point)
{
	static const char *const words[] = {
		[LODE_POINT_START] = "start",
		[LODE_POINT_EXIT] = "exit",
		[LODE_POINT_EXEC] = "exec",
	};

	put_quoted(out, point->name ? point->name : words[point->kind]);
}

static void put_never(FILE *out, const char *option, const struct lode_point *point,
		      size_t n_threads, const struct lode_stream *stream)
{
	fprintf(out, "%s=: ", option);
	put_point(out, point);
	fprintf(out, " never occurs in the %zu thread%s that %s meant", n_threads,
		n_threads == 1 ? "" : "s", n_threads == 1 ? "is" : "are");
	if (point->kind == LODE_POINT_FUNCTION)
		put_close_functions(out, point->name, stream);
}

/* Both ends are there, or none was asked for. */
static void put_no_pair(FILE *out, const struct lode_symptom_none *none)
{
	char longest[LODE_DURATION_BYTES], least[LODE_DURATION_BYTES];

	if (!none->n_pairs)
		fprintf(out,
			"from= occurs %zu time%s and to= %zu time%s, but never one after the other "
			"in one thread",
			none->n_from, none->n_from == 1 ? "" : "s", none->n_to,
			none->n_to == 1 ? "" : "s");
	else if (none->longest_ns < none->min_ns)
		fprintf(out, "%zu occurrence%s, the longest of %s: none is slower than %s",
			none->n_pairs, none->n_pairs == 1 ? "" : "s",
			lode_duration_text(none->longest_ns, longest, sizeof(longest)),
			lode_duration_text(none->min_ns, least, sizeof(least)));
	else
		fputs("they are outside of the part that was read", out);
}

char *lode_symptom_none_text(const struct lode_symptom_none *none, const struct lode_stream *stream)
{
	bool lacks_from = none->from->kind != LODE_POINT_EDGE && !none->n_from;
	bool lacks_to = none->to->kind != LODE_POINT_EDGE && !none->n_to;
	size_t size;
	char *text;
	FILE *out = lode_written_open(&text, &size);

	if (!none->n_threads)
		put_no_thread(out, none, stream);
	else if (lacks_from)
		put_never(out, "from", none->from, none->n_threads, stream);
	else if (!lacks_to)
		put_no_pair(out, none);
	if (none->n_threads && lacks_to) {
		fputs(lacks_from ? "; " : "", out);
		put_never(out, "to", none->to, none->n_threads, stream);
	}
	lode_written_close(out);
	return text;
}

char *lode_symptom_none_row_text(size_t n_rows)
{
	char text[120] = "the table has no row for the recording";

	if (n_rows)
		snprintf(text, sizeof(text),
			 "the table has %zu row%s for the recording, but none that passes "
			 "--slower-than, --comm and --pid",
			 n_rows, n_rows == 1 ? "" : "s");
	return lode_strdup(text);
}
