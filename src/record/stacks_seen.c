/* What stacks are like: of a recording with call chains and with dumps, and of those before it. */
#include "record/stacks_seen.h"

#include <sys/stat.h>

#include "engine/waits/critpath.h"
#include "record/bundle.h"
#include "record/relevant.h"
#include "record/stored_words.h"
#include "base/folder.h"
#include "input/bundle_notes.h"

enum { FEW_STACKS = 20 };

/* Time of the command's threads by what its stacks are like. */
struct share {
	size_t n;
	int64_t whole_ns, unrooted_ns;
	int32_t newest; /* process of the command that has not ended; 0: none */
	double events_per_s;
};

/* Who is ready and has no CPU stands wherever it was: on a busy machine mostly in the loader. */
static void add_event(struct share *share, const struct lode_stream *stream, lode_thread_id thread,
		      uint32_t event, int64_t ns)
{
	const struct lode_events *events = &stream->threads.at[thread].events;
	bool is_there = event != LODE_NONE && events->kind[event] != LODE_EVENT_READY;
	uint32_t stack = is_there ? events->stack[event] : 0;
	unsigned flags = stack < stream->n_stack_flags ? stream->stack_flags[stack] : 0;

	if (!stack || !(flags & LODE_STACK_USER))
		return;
	share->n++;
	share->whole_ns += ns;
	if (flags & LODE_STACK_UNROOTED)
		share->unrooted_ns += ns;
}

static void add_path(struct share *share, const struct lode_stream *stream,
		     const struct lode_critpath *path)
{
	for (size_t k = 0; k < path->spans.n; k++) {
		const struct lode_span *span = &path->spans.at[k];
		const struct lode_link *link = &path->links.at[span->link];

		add_event(share, stream, link->thread, link->event, span->end_ns - span->start_ns);
	}
}

/* While perf writes, the file has no formats of tracepoints: CPU samples are all that is known. */
static void add_samples(struct share *share, const struct lode_stream *stream,
			lode_thread_id thread)
{
	const struct lode_events *events = &stream->threads.at[thread].events;

	for (uint32_t k = 0; k < events->n; k++)
		add_event(share, stream, thread, k, events->cost_ns[k]);
}

static void add_lives(struct share *share, const struct lode_stream *stream)
{
	struct lode_critpath path = {0};
	lode_symptom_vec lives = {0};

	lode_command_lives(&lives, stream);
	for (size_t i = 0; i < lives.n; i++) {
		if (!stream->has_switches) {
			add_samples(share, stream, lives.at[i].thread);
			continue;
		}
		lode_critpath_build(&path, stream, &lives.at[i]);
		add_path(share, stream, &path);
	}
	lode_critpath_release(&path);
	lode_vec_release(&lives);
}

static int32_t newest_process(const struct lode_stream *stream)
{
	int64_t born_ns = INT64_MIN;
	int32_t pid = 0;

	for (size_t i = 0; i < stream->threads.n; i++) {
		const struct lode_thread *thread = &stream->threads.at[i];

		if (!thread->is_command || thread->pid != thread->tid ||
		    thread->born_ns < born_ns || thread->died_ns <= stream->t1_ns)
			continue;
		born_ns = thread->born_ns;
		pid = thread->pid;
	}
	return pid;
}

static bool find_share(struct share *out, const char *recording)
{
	struct lode_stream *stream;

	*out = (struct share){0};
	if (lode_bundle_read(&stream, recording, 1, NULL) < 0)
		return false;
	add_lives(out, stream);
	out->newest = newest_process(stream);
	out->events_per_s = lode_dump_rate(stream);
	lode_stream_free(stream);
	return true;
}

static double unrooted_pct(const struct share *share)
{
	return share->whole_ns ? 100.0 * (double)share->unrooted_ns / (double)share->whole_ns : 0;
}

void lode_stacks_look(struct lode_stacks_seen *seen, const char *with_chains,
		      const char *with_dumps, const char *program)
{
	struct share chains, dumps;

	*seen = (struct lode_stacks_seen){0};
	if (!find_share(&chains, with_chains))
		return;
	seen->events_per_s = chains.events_per_s;
	/* Too few stacks tell nothing; what the newest of its processes runs does. */
	if (chains.n < FEW_STACKS) {
		if (chains.newest)
			lode_process_frame_pointers(&seen->functions, chains.newest);
		else if (program)
			lode_program_frame_pointers(&seen->functions, program);
		return;
	}
	seen->has_shares = true;
	seen->chains_pct = seen->dumps_pct = unrooted_pct(&chains);
	/* Whether dumps end later is to be seen. */
	if (seen->chains_pct > LODE_NOTABLE_UNROOTED_PCT && find_share(&dumps, with_dumps)) {
		seen->has_dumps = dumps.n > 0;
		seen->dumps_pct = unrooted_pct(&dumps);
	}
}

/* ---- The latest recording of the same program near by ---- */

enum { MOST_ENTRIES = 4096 }; /* LIMIT: of a folder */

struct search {
	unsigned mark;	       /* of the command */
	struct timespec since; /* the program was written */
	struct timespec latest;
	enum lode_stack_kind kind;
	char *where;
};

static bool is_older(const struct timespec *a, const struct timespec *b)
{
	return a->tv_sec != b->tv_sec ? a->tv_sec < b->tv_sec : a->tv_nsec < b->tv_nsec;
}

static void look_at(struct search *search, const char *bundle)
{
	char *note = lode_path_join(bundle, LODE_STACKS_NOTE);
	struct stat st;
	unsigned mark;
	bool has_dumps;

	/* The note lies beside the recording. */
	if (stat(note, &st) == 0 && S_ISREG(st.st_mode) && is_older(&search->latest, &st.st_mtim) &&
	    is_older(&search->since, &st.st_mtim) &&
	    lode_bundle_stacks_read(note, &has_dumps, &mark) && mark == search->mark) {
		search->latest = st.st_mtim;
		search->kind = has_dumps ? LODE_STACKS_DUMPS : LODE_STACKS_CHAINS;
		free(search->where);
		search->where = lode_strdup(bundle);
	}
	free(note);
}

static void look_in(struct search *search, const char *folder, bool is_of_folders)
{
	lode_path_list paths = {0};

	if (lode_folder_list(&paths, folder, NULL) < 0)
		paths.n = 0;
	for (size_t i = 0; i < paths.n && i < MOST_ENTRIES; i++)
		if (is_of_folders)
			look_in(search, paths.at[i], false);
		else
			look_at(search, paths.at[i]);
	lode_path_list_release(&paths);
}

enum lode_stack_kind lode_stacks_before(char **where, const struct lode_record_options *options,
					const char *program)
{
	struct search search = {.kind = LODE_STACKS_UNDECIDED};
	const char *bundle = options->bundle ? options->bundle : "";
	size_t n = lode_path_folder_bytes(bundle);
	bool is_of_folders = false;
	char folder[4200];
	struct stat st;

	*where = NULL;
	if (stat(program, &st) < 0)
		return LODE_STACKS_UNDECIDED;
	search.since = st.st_mtim;
	search.mark = lode_words_mark(options->command);
	snprintf(folder, sizeof(folder), "%.*s", (int)n, bundle);
	/* "fast/": what is in folders of the one above. */
	if (n > 1 && *folder != '/' && !strstr(folder, "..")) {
		folder[n - 1] = '\0';
		folder[lode_path_folder_bytes(folder)] = '\0';
		is_of_folders = true;
	}
	look_in(&search, *folder ? folder : ".", is_of_folders);
	*where = search.where;
	return search.kind;
}
