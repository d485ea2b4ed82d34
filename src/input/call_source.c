/* Reads a trace of calls, whatever its format, from a file or a folder. */
#include "input/call_source.h"

#include <stdio.h>
#include <sys/stat.h>

#include "input/bundle_notes.h"
#include "input/file_names.h"
#include "input/strangers.h"
#include "base/map.h"
#include "base/decimal.h"
#include "base/lines.h"

/*
 * Names of threads from a table in text, for formats that record none:
 *
 *   # tid <tab> name
 *   27085 <tab> eviction-server
 *
 * A sink in front of another: it passes everything on, and adds names to the threads that come
 * without one.
 */
struct thread_names {
	struct lode_call_sink sink;   /* to be given to the source */
	struct lode_call_sink *inner; /* borrowed */
	struct lode_strings strings;
	struct lode_map by_tid; /* -> string id */
};

static void on_about(void *context, const struct lode_calls_about *about)
{
	struct lode_call_sink *inner = ((struct thread_names *)context)->inner;

	if (inner->about)
		inner->about(inner->context, about);
}

static uint32_t on_thread(void *context, int32_t pid, int32_t tid, const char *name)
{
	struct thread_names *names = context;
	uint32_t id = name ? LODE_NONE : lode_map_find(&names->by_tid, (uint32_t)tid);

	return names->inner->thread(names->inner->context, pid, tid,
				    id == LODE_NONE ? name : names->strings.text.at[id]);
}

static uint32_t on_function(void *context, const char *module, const char *name)
{
	struct lode_call_sink *inner = ((struct thread_names *)context)->inner;

	return inner->function(inner->context, module, name);
}

static int on_events(void *context, uint32_t thread, const struct lode_call_event *at, size_t n,
		     struct lode_error *err)
{
	struct lode_call_sink *inner = ((struct thread_names *)context)->inner;

	return inner->events(inner->context, thread, at, n, err);
}

static bool take_name(struct thread_names *names, const char *line, size_t len)
{
	size_t n = strcspn(line, "\t ");
	int32_t tid;

	if (n + 1 >= len || !lode_int32_parse(&tid, line, n))
		return false;
	*lode_map_slot(&names->by_tid, (uint32_t)tid) =
		lode_strings_intern(&names->strings, line + n + 1, len - n - 1);
	return true;
}

/* Release it also after a failure. */
static int open_names(struct thread_names *names, const char *path, struct lode_call_sink *inner,
		      struct lode_error *err)
{
	struct lode_input *input;
	struct lode_lines lines;
	char *line;
	size_t len;
	int rc;

	*names = (struct thread_names){
		.sink = {.about = on_about,
			 .thread = on_thread,
			 .function = on_function,
			 .events = on_events,
			 .losses = inner->losses},
		.inner = inner,
	};
	names->sink.context = names;
	rc = lode_input_open(&input, path, err);
	if (rc < 0)
		return rc;
	lode_lines_init(&lines, input);
	while ((rc = lode_lines_next(&lines, &line, &len, err)) > 0) {
		if (len == 0 || *line == '#' || take_name(names, line, len) || lines.number == 1)
			continue; /* the first may be a heading */
		rc = lode_fail_line(err, LODE_ERR_FORMAT, path, lines.number,
				    "expected \"tid <tab> name\"");
		break;
	}
	lode_lines_release(&lines);
	lode_input_close(input);
	return rc;
}

static void release_names(struct thread_names *names)
{
	lode_strings_release(&names->strings);
	lode_map_release(&names->by_tid);
}

static int read_file(const char *path, const struct lode_call_options *options,
		     struct lode_call_sink *sink, struct lode_error *err)
{
	const struct lode_format *format;
	uint8_t head[LODE_PEEK_BYTES];
	struct lode_input *input;
	ssize_t n;
	int rc = lode_input_open(&input, path, err);

	if (rc < 0)
		return rc;
	format = lode_format_peek(LODE_HOLDS_CALLS, input, head, &n, err);
	if (n < 0)
		rc = (int)n;
	else if (!format)
		rc = lode_format_fail_unknown(LODE_HOLDS_CALLS, lode_input_path(input), head,
					      (size_t)n, err);
	else
		rc = format->read_calls(input, options, sink, err);
	lode_input_close(input);
	return rc;
}

static bool is_folder(const char *path)
{
	struct stat st;

	return strcmp(path, "-") != 0 && stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

/* ---- Folders ---- */

struct trace_files {
	lode_path_list paths;
	LODE_VEC(const struct lode_format *) formats; /* beside the paths */
	char unread[120]; /* files that are named like a trace and are none, as far as they fit */
	uint64_t n_unread;
};

static void add_unread(struct trace_files *traces, const char *path)
{
	size_t used = strlen(traces->unread), left = sizeof(traces->unread) - used;
	const char *name = lode_path_base(path);

	traces->n_unread++;
	if (strlen(name) + 2 < left)
		snprintf(traces->unread + used, left, "%s%s", used ? ", " : "", name);
	else if (left > 4 && !strstr(traces->unread, "..."))
		snprintf(traces->unread + used, left, "...");
}

/* The format of a file, NULL if it is no trace. */
static const struct lode_format *format_of(struct trace_files *traces, const char *path)
{
	const struct lode_format *format = NULL;
	uint8_t head[LODE_PEEK_BYTES];
	struct lode_input *input;
	struct lode_error err;
	char reason[400];
	ssize_t n;

	if (lode_input_open_found(&input, path, &err) < 0) {
		add_unread(traces, path);
		return NULL;
	}
	format = lode_format_peek(LODE_HOLDS_CALLS, input, head, &n, &err);
	lode_input_close(input);
	if (n < 0 || (!format && lode_file_unread_reason(reason, sizeof(reason), path,
							 LODE_HOLDS_CALLS, head, (size_t)n)))
		add_unread(traces, path);
	return format;
}

static int find_traces(struct trace_files *traces, const char *folder, struct lode_error *err)
{
	lode_path_list all = {0};
	int rc = lode_folder_list(&all, folder, err);

	for (size_t i = 0; rc == LODE_OK && i < all.n; i++) {
		const struct lode_format *format = NULL;
		struct stat st;

		if (!lode_bundle_is(folder) && lode_bundle_is(all.at[i]))
			rc = find_traces(traces, all.at[i], err);
		else if (stat(all.at[i], &st) == 0 && S_ISREG(st.st_mode))
			format = format_of(traces, all.at[i]);
		else if (lode_file_not_regular_reason(all.at[i], LODE_HOLDS_CALLS))
			add_unread(traces, all.at[i]);
		if (!format)
			continue;
		lode_vec_append(&traces->formats, format);
		lode_vec_append(&traces->paths, all.at[i]);
		all.at[i] = NULL;
	}
	lode_path_list_release(&all);
	return rc;
}

/* Files that are threads of one trace: of the first format that has such, put first. */
static const struct lode_format *gather_threads(struct trace_files *traces, size_t *n)
{
	const struct lode_format *format = NULL;

	*n = 0;
	for (size_t i = 0; i < traces->paths.n; i++) {
		char *path = traces->paths.at[i];

		if (!format && traces->formats.at[i]->read_calls_of_files)
			format = traces->formats.at[i];
		if (!format || traces->formats.at[i] != format)
			continue;
		traces->paths.at[i] = traces->paths.at[*n];
		traces->paths.at[(*n)++] = path;
	}
	return format;
}

/* A timeline is of one trace: which of them is for the user to say. */
static int fail_several(const char *folder, const struct trace_files *traces,
			struct lode_error *err)
{
	enum { SHOWN = 5 };
	size_t n_folder = strlen(folder) + (folder[strlen(folder) - 1] != '/');
	char list[400] = "";

	for (size_t i = 0; i < traces->paths.n && i < SHOWN; i++) {
		size_t used = strlen(list);

		snprintf(list + used, sizeof(list) - used, "%s%.40s (%.20s)", i ? ", " : "",
			 traces->paths.at[i] + n_folder, traces->formats.at[i]->name);
	}
	return lode_fail(err, LODE_ERR_ARG, folder, -1,
			 "contains %zu traces; give one of them: %s%s", traces->paths.n, list,
			 traces->paths.n > SHOWN ? ", ..." : "");
}

static int read_folder(const char *folder, const struct lode_call_options *options,
		       struct lode_call_sink *sink, struct lode_error *err)
{
	const struct lode_format *whole = lode_format_find_folder(folder), *threads;
	struct trace_files traces = {0};
	const char *stranger;
	size_t n, n_said;
	int rc;

	if (whole)
		return whole->read_calls_of_folder(folder, options, sink, err);
	rc = find_traces(&traces, folder, err);
	threads = gather_threads(&traces, &n);
	if (rc == LODE_OK && threads)
		rc = threads->read_calls_of_files(traces.paths.at, n, options, sink, err);
	else if (rc == LODE_OK && traces.paths.n == 1)
		rc = read_file(traces.paths.at[0], options, sink, err);
	else if (rc == LODE_OK && traces.paths.n > 1)
		rc = fail_several(folder, &traces, err);
	else if (rc == LODE_OK && (stranger = lode_stranger_folder_words(folder)))
		rc = lode_fail(err, LODE_ERR_FORMAT, folder, -1, "%s", stranger);
	else if (rc == LODE_OK)
		rc = lode_fail(err, LODE_ERR_FORMAT, folder, -1,
			       "none of its files is a known call trace, and it is not uftrace "
			       "data (no file `info`)");
	if (traces.n_unread && rc == LODE_OK)
		lode_loss_add(sink->losses, LODE_LOSS_FILE, traces.n_unread, -1, 0,
			      "%s: damaged, or wrong file name", traces.unread);
	else if (traces.n_unread && err) {
		n_said = strlen(err->message);
		snprintf(err->message + n_said, sizeof(err->message) - n_said,
			 "; damaged, or wrong file name: %s", traces.unread);
	}
	lode_path_list_release(&traces.paths);
	lode_vec_release(&traces.formats);
	return rc;
}

static int read_any(const char *path, const struct lode_call_options *options,
		    struct lode_call_sink *sink, struct lode_error *err)
{
	return is_folder(path) ? read_folder(path, options, sink, err)
			       : read_file(path, options, sink, err);
}

int lode_calls_read(const char *path, const struct lode_call_options *options,
		    struct lode_call_sink *sink, struct lode_error *err)
{
	struct thread_names names;
	int rc;

	if (!options->thread_names)
		return read_any(path, options, sink, err);
	rc = open_names(&names, options->thread_names, sink, err);
	if (rc == LODE_OK)
		rc = read_any(path, options, &names.sink, err);
	release_names(&names);
	return rc;
}
