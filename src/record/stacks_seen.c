/* Reads what was recorded with call chains, and with stack dumps. */
#include "record/stacks_seen.h"

#include "engine/waits/critpath.h"
#include "record/bundle.h"
#include "record/relevant.h"

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

/* While perf writes, the file has no formats of tracepoints: CPU samples are all that is known. */
static void add_samples(struct share *share, const struct lode_stream *stream)
{
	bool has_command = false;

	for (size_t i = 0; i < stream->threads.n; i++)
		has_command |= stream->threads.at[i].is_command;
	for (size_t i = 0; i < stream->threads.n; i++) {
		const struct lode_thread *thread = &stream->threads.at[i];

		for (uint32_t k = 0; thread->is_command == has_command && k < thread->events.n; k++)
			add_event(share, stream, (lode_thread_id)i, k, thread->events.cost_ns[k]);
	}
}

static void add_lives(struct share *share, const struct lode_stream *stream)
{
	struct lode_critpath path = {0};
	lode_symptom_vec lives = {0};

	lode_command_lives(&lives, stream);
	for (size_t i = 0; i < lives.n; i++) {
		lode_critpath_build(&path, stream, &lives.at[i]);
		for (size_t k = 0; k < path.spans.n; k++) {
			const struct lode_span *span = &path.spans.at[k];
			const struct lode_link *link = &path.links.at[span->link];

			add_event(share, stream, link->thread, link->event,
				  span->end_ns - span->start_ns);
		}
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
	if (stream->has_switches)
		add_lives(out, stream);
	else
		add_samples(out, stream);
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
