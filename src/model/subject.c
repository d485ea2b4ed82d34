/* Decides whose time a recording is about by default. */
#include "model/subject.h"

enum { WAITS_ONLY_PCT = 1, SLEEP_PCT = 50 };

bool lode_stream_is_cpu_only(const struct lode_stream *stream)
{
	if (stream->has_switches || !stream->has_samples)
		return false;
	for (size_t i = 0; i < stream->threads.n; i++) {
		const struct lode_events *events = &stream->threads.at[i].events;

		for (size_t k = 0; k < events->n; k++)
			if (events->kind[k] != LODE_EVENT_RUNNING)
				return false;
	}
	return true;
}

struct usage {
	int64_t command_ns[LODE_N_EVENT_KINDS], others_ns[LODE_N_EVENT_KINDS];
	bool is_sleep; /* each of the command's threads has that name */
};

static void find_usage(struct usage *out, const struct lode_stream *stream)
{
	*out = (struct usage){.is_sleep = true};
	for (size_t i = 0; i < stream->threads.n; i++) {
		const struct lode_thread *thread = &stream->threads.at[i];
		const struct lode_events *events = &thread->events;
		int64_t *sums = thread->is_command ? out->command_ns : out->others_ns;

		if (thread->is_command &&
		    strcmp(stream->tree.strings.text.at[thread->comm], "sleep") != 0)
			out->is_sleep = false;
		for (size_t k = 0; k < events->n; k++)
			sums[events->kind[k]] += events->cost_ns[k];
	}
}

static bool only_waited(const struct usage *usage, const struct lode_stream *stream)
{
	const int64_t *command = usage->command_ns, *others = usage->others_ns;
	int64_t ran_ns = command[LODE_EVENT_RUNNING], length_ns = stream->t1_ns - stream->t0_ns;
	int64_t waited_ns = command[LODE_EVENT_WAITING];

	if (others[LODE_EVENT_RUNNING] <= ran_ns)
		return false;
	if (waited_ns || others[LODE_EVENT_WAITING] || stream->has_switches)
		return usage->is_sleep && waited_ns > ran_ns + command[LODE_EVENT_READY];
	return ran_ns < length_ns / 100 * (usage->is_sleep ? SLEEP_PCT : WAITS_ONLY_PCT);
}

static bool knows_command(const struct lode_stream *stream)
{
	for (size_t i = 0; i < stream->threads.n; i++)
		if (stream->threads.at[i].is_command)
			return true;
	return false;
}

enum lode_subject lode_subject_of(const struct lode_stream *stream)
{
	struct usage usage;

	if (!knows_command(stream))
		return LODE_SUBJECT_UNNAMED;
	if (stream->is_attached)
		return LODE_SUBJECT_PROCESSES;
	if (stream->is_command_asked)
		return LODE_SUBJECT_COMMAND;
	find_usage(&usage, stream);
	return only_waited(&usage, stream) ? LODE_SUBJECT_MACHINE : LODE_SUBJECT_COMMAND;
}

bool lode_subject_has(enum lode_subject subject, bool is_cpu_only, const struct lode_thread *thread)
{
	if (lode_subject_is_command(subject))
		return thread->is_command;
	if (is_cpu_only)
		return true;
	return !thread->is_kernel && !(subject == LODE_SUBJECT_MACHINE && thread->is_command);
}
