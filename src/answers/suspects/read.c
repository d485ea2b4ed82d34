/* From recordings to executions. */
#include "answers/suspects/read.h"

#include <stdio.h>
#include <sys/stat.h>

#include "engine/suspects/collect.h"
#include "engine/suspects/offcpu.h"
#include "engine/quality/advice.h"
#include "base/pool.h"
#include "streams/digest_item.h"
#include "streams/job_symptoms.h"
#include "answers/suspects/windows.h"
#include "input/repeated.h"
#include "input/siblings.h"
#include "engine/waits/critpath.h"

struct reading {
	const struct lode_suspects_job_options *options;
	struct lode_suspects_job *job;
	struct lode_execution_set *set;
	struct lode_symboliser *symboliser;
	struct lode_job_symptoms *symptoms;
	bool are_windows_given; /* specified by the user: executions outside do not count */
	bool has_windows;	/* of the stream at hand: given, or by a table beside it */
	int64_t done_bytes;	/* of the streams before */
	size_t n_done;
	bool has_calls;	 /* some stream has system calls */
	char again[512]; /* how to record the first one with system calls; "" */
};

static struct lode_skipped_input listed(struct reading *run, const char *path, const char *reason)
{
	return (struct lode_skipped_input){lode_arena_strdup(&run->job->arena, path),
					   lode_arena_strdup(&run->job->arena, reason)};
}

static void skip_input(struct reading *run, const char *path, const struct lode_error *err)
{
	char *reason = lode_job_reason(path, err);

	lode_vec_append(&run->job->skipped, listed(run, path, reason));
	free(reason);
}

static void tell_progress(void *context, int64_t consumed_bytes)
{
	struct reading *run = context;
	struct lode_digest_progress now = {
		.n_streams = run->job->n_inputs,
		.n_done = run->n_done,
		.total_bytes = run->job->input_bytes,
		.done_bytes = run->done_bytes + consumed_bytes,
	};

	if (run->options->progress)
		run->options->progress(run->options->progress_context, &now);
}

/* ---- One stream ---- */

static int load_tapped(struct reading *run, struct lode_stream **stream, const char *path,
		       const struct lode_tap *tap, struct lode_error *err)
{
	const struct lode_suspects_job_options *options = run->options;
	struct lode_source_options source = {
		.symboliser = run->symboliser,
		.narrow = options->narrow,
		.n_threads = options->n_threads ? options->n_threads : lode_pool_cpus(),
		.memory_bytes = options->memory_bytes,
		.tap = tap,
		.progress = tell_progress,
		.progress_context = run,
	};

	return lode_stream_load(stream, path, &source, err);
}

/*
 * Metrics of the critical path: what a symptom's time was spent on, stretch by stretch.
 *
 *   critical:running    a thread ran        critical:preempted   ready, without a CPU
 *   critical:blocked    no thread ran: waited for a device, a timer, or what was not recorded
 *
 * The stack is that of the thread in which the path then was (engine/waits/critpath.h).
 */

/* Where a span of the path belongs: a whole event, or nothing that was recorded. */
static bool is_same_place(const struct lode_link *a, const struct lode_link *b)
{
	return a->thread == b->thread && a->event == b->event;
}

static void measure_stretch(struct lode_collect *c, const struct lode_stream *stream,
			    const uint32_t whats[LODE_N_EVENT_KINDS], const struct lode_link *link,
			    int64_t start_ns, int64_t end_ns)
{
	const struct lode_thread *thread = &stream->threads.at[link->thread];
	enum lode_event_kind kind = LODE_EVENT_WAITING;
	uint32_t node = 0;

	if (link->event != LODE_NONE) {
		kind = (enum lode_event_kind)thread->events.kind[link->event];
		node = thread->events.stack[link->event];
	}
	if (lode_collect_is_wanted(c, whats[kind]))
		lode_collect_execution(c, whats[kind], start_ns, end_ns - start_ns, thread->tid,
				       node, kind != LODE_EVENT_RUNNING);
}

/* Without switches there are none. */
static void measure_critical_paths(struct lode_collect *c, const struct lode_stream *stream,
				   const struct lode_symptom *symptoms, size_t n_symptoms)
{
	const uint32_t whats[LODE_N_EVENT_KINDS] = {
		[LODE_EVENT_RUNNING] = lode_collect_what(c, "critical:running", "ns"),
		[LODE_EVENT_WAITING] = lode_collect_what(c, "critical:blocked", "ns"),
		[LODE_EVENT_READY] = lode_collect_what(c, "critical:preempted", "ns"),
	};
	struct lode_critpath path = {0};

	if (!stream->has_switches || stream->is_one_cpu)
		return;
	for (size_t i = 0; i < n_symptoms; i++) {
		size_t first = 0;

		if (!stream->threads.at[symptoms[i].thread].events.n)
			continue;
		lode_critpath_build(&path, stream, &symptoms[i]);
		/* Spans of one event, next to each other by different chains, are one stretch. */
		for (size_t k = 0; k < path.spans.n; k++) {
			const struct lode_link *link = &path.links.at[path.spans.at[k].link];

			if (k + 1 < path.spans.n &&
			    is_same_place(link, &path.links.at[path.spans.at[k + 1].link]))
				continue;
			measure_stretch(c, stream, whats, link, path.spans.at[first].start_ns,
					path.spans.at[k].end_ns);
			first = k + 1;
		}
	}
	lode_critpath_release(&path);
}

static void add_note(struct reading *run, const char *path, const char *text)
{
	struct lode_arena *arena = &run->job->arena;

	lode_vec_append(&run->job->notes,
			((struct lode_metric_note){path ? lode_arena_strdup(arena, path) : NULL,
						   lode_arena_strdup(arena, text)}));
}

/* Ends that come before their starts cannot be paired: the user must know why calls are missing. */
static void note_unordered(struct reading *run, const char *path, const struct lode_loss *loss)
{
	char text[200];

	if (!loss->count)
		return;
	snprintf(text, sizeof(text),
		 "%llu of its records came out of order, so some calls could not be measured (more "
		 "--memory may help)",
		 (unsigned long long)loss->count);
	add_note(run, path, text);
}

/* What is missing or doubled though the recorder reported nothing. */
static void note_silent(struct reading *run, const char *path, const struct lode_losses *losses)
{
	static const enum lode_loss_kind kinds[] = {LODE_LOSS_SILENT, LODE_LOSS_REPEATED,
						    LODE_LOSS_CLOCK_JUMP, LODE_LOSS_GAP};
	char text[300];

	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
		const struct lode_loss *loss = &losses->by_kind[kinds[i]];

		snprintf(text, sizeof(text), "%llu %s: %s", (unsigned long long)loss->count,
			 lode_loss_words(kinds[i], loss->count), loss->detail);
		if (loss->count)
			add_note(run, path, text);
	}
}

static void note_stacks(struct reading *run, const struct lode_stream *stream)
{
	for (size_t i = 0; i < stream->event_counts.n; i++) {
		const struct lode_event_count *count = &stream->event_counts.at[i];
		int stacks = count->has_dump	    ? LODE_STACKS_DUMPS
			     : count->has_callchain ? LODE_STACKS_CHAINS
						    : LODE_STACKS_NONE;

		if (count->n && count->is_tracepoint && stacks > (int)run->job->stacks &&
		    (!run->has_calls || strstr(count->name, "syscalls:sys_")))
			run->job->stacks = stacks;
	}
}

static void note_stream(struct reading *run, const char *path, const struct lode_stream *stream,
			const struct lode_collect *collect)
{
	struct lode_suspects_job *job = run->job;
	char *cut = lode_job_cut_text(&stream->losses, path);

	if (cut)
		lode_vec_append(&job->incomplete, listed(run, path, cut));
	free(cut);
	for (size_t i = 0; i < collect->notes.n; i++)
		add_note(run, path, collect->notes.at[i]);
	note_unordered(run, path, &stream->losses.by_kind[LODE_LOSS_UNORDERED]);
	note_silent(run, path, &stream->losses);
	for (size_t i = 0; i < stream->event_counts.n; i++)
		run->has_calls |= strstr(stream->event_counts.at[i].name, "syscalls:sys_") != NULL;
	note_stacks(run, stream);
	if (!*run->again)
		lode_record_again_text(run->again, sizeof(run->again), stream, " --syscalls");
	job->n_streams++;
	job->n_events += stream->n_samples;
	job->n_lost += stream->losses.by_kind[LODE_LOSS_EVENTS].count;
}

/* What the finished stream tells. */
static int measure_stream(struct reading *run, struct lode_collect *collect,
			  struct lode_stream *stream, const struct lode_job_spec *spec,
			  struct lode_symptom_events *events, lode_symptom_vec *symptoms,
			  struct lode_error *err)
{
	bool has_critical = lode_metric_spec_may_want(run->options->metrics, "critical") &&
			    stream->has_switches;
	int rc = 0;

	lode_offcpu_measure(collect, stream);
	if (has_critical || run->has_windows) {
		rc = lode_symptoms_find(symptoms, spec->spec, stream, events, err);
		lode_symptoms_count_skipped(spec->spec, stream, events);
	}
	if (rc == 0 && has_critical)
		measure_critical_paths(collect, stream, symptoms->at, symptoms->n);
	return rc;
}

/* The stream of a file, measured as far as its events tell; NULL: `err` says why not. */
static struct lode_stream *load_events(struct reading *run, struct lode_collect *collect,
				       const char *path, struct lode_symptom_events *events,
				       struct lode_error *err)
{
	struct lode_stream *stream = NULL;

	lode_collect_begin(collect, path);
	if (load_tapped(run, &stream, path, lode_symptom_events_tap(events), err) == 0 &&
	    collect->is_begun)
		return stream;
	if (stream)
		(void)lode_fail(
			err, LODE_ERR_UNSUPPORTED, path, -1,
			"has no events to measure: a perf recording of tracepoints is needed");
	lode_stream_free(stream);
	return NULL;
}

/* Measures into `set`. `*stream` is the caller's to free; NULL: it failed, and is listed. */
static int measure_recording(struct reading *run, struct lode_execution_set *set, const char *path,
			     const struct lode_job_spec *spec, struct lode_stream **stream,
			     lode_symptom_vec *symptoms, struct lode_error *err)
{
	struct lode_collect *collect =
		lode_collect_new(set, run->options->metrics, run->options->kernel_frames);
	struct lode_tap *tap = lode_collect_tap(collect);
	struct lode_symptom_events *events;
	struct lode_error bad;
	int rc;

	tap->wants_model = run->has_windows;
	events = lode_symptom_events_new(spec->spec, tap);
	*stream = load_events(run, collect, path, events, &bad);
	if (*stream && measure_stream(run, collect, *stream, spec, events, symptoms, &bad) < 0) {
		lode_stream_free(*stream);
		*stream = NULL;
	}
	if (*stream)
		note_stream(run, path, *stream, collect);
	else
		skip_input(run, path, &bad);
	lode_symptom_events_free(events);
	rc = lode_collect_end(collect, err);
	lode_collect_free(collect);
	return rc;
}

static void note_machine(struct reading *run, const char *path, uint64_t n)
{
	char text[200];

	if (!n)
		return;
	snprintf(text, sizeof(text),
		 "%llu interrupts, softirqs and packets of that time are the machine's and do not "
		 "count; --metric irq, softirq or net measures them",
		 (unsigned long long)n);
	add_note(run, path, text);
}

/* A stream whose executions count in slow windows only: these are known at its end. */
static int measure_windows(struct reading *run, const char *path, const struct lode_job_spec *spec,
			   struct lode_error *err)
{
	enum { memory_bytes = 64 << 20 };
	struct lode_execution_set *all = lode_execution_set_new(memory_bytes);
	struct lode_stream *stream = NULL;
	lode_symptom_vec symptoms = {0};
	bool is_machine_asked = run->options->metrics && run->options->metrics->globs.n;
	uint64_t n_of_machine = 0;
	int rc = measure_recording(run, all, path, spec, &stream, &symptoms, err);

	if (rc == 0 && stream && spec->table)
		lode_suspects_add_family(&symptoms, stream);
	if (rc == 0 && stream)
		rc = lode_suspects_copy_within(run->set, all, stream, symptoms.at, symptoms.n,
					       is_machine_asked ? NULL : &n_of_machine, err);
	note_machine(run, path, n_of_machine);
	lode_vec_release(&symptoms);
	lode_stream_free(stream);
	lode_execution_set_free(all);
	return rc;
}

static int run_stream(struct reading *run, const char *path, struct lode_error *err)
{
	struct lode_stream *stream = NULL;
	lode_symptom_vec symptoms = {0};
	struct lode_job_spec spec;
	int rc = lode_job_symptoms_choose(&spec, run->symptoms, path, err);

	if (rc < 0) {
		skip_input(run, path, err);
		return 0;
	}
	/* What `lode record` leaves says whose life was recorded; the rest is other programs'. */
	run->has_windows = run->are_windows_given || spec.table;
	if (spec.table && !run->job->symptom_text)
		run->job->symptom_text =
			lode_arena_strdup(&run->job->arena,
					  "by the symptoms.tsv beside a recording, with all "
					  "threads and child processes of a recorded command");
	if (run->has_windows)
		return measure_windows(run, path, &spec, err);
	rc = measure_recording(run, run->set, path, &spec, &stream, &symptoms, err);
	lode_vec_release(&symptoms);
	lode_stream_free(stream);
	return rc;
}

/* ---- All of them ---- */

static int64_t size_of(const char *path)
{
	struct stat st;

	return strcmp(path, "-") != 0 && stat(path, &st) == 0 && S_ISREG(st.st_mode) ? st.st_size
										     : 0;
}

static int run_inputs(struct reading *run, const struct lode_inputs *inputs, struct lode_error *err)
{
	int rc = 0;

	for (size_t i = 0; i < inputs->n_skipped; i++)
		lode_vec_append(&run->job->skipped,
				listed(run, inputs->skipped[i].path, inputs->skipped[i].reason));
	run->job->n_other = inputs->n_other;
	run->job->n_inputs = inputs->paths.n;
	for (size_t i = 0; i < inputs->paths.n; i++)
		run->job->input_bytes += size_of(inputs->paths.at[i]);
	for (size_t i = 0; rc == 0 && i < inputs->paths.n; i++) {
		rc = run_stream(run, inputs->paths.at[i], err);
		run->done_bytes += size_of(inputs->paths.at[i]);
		run->n_done++;
		tell_progress(run, 0);
	}
	return rc;
}

/* What was asked for and is in no recording at all. */
static void note_unmet(struct reading *run)
{
	const struct lode_metric_spec *spec = run->options->metrics;

	for (size_t i = 0; spec && i < spec->globs.n; i++) {
		struct lode_metric_spec one = {
			.globs = {.at = &spec->globs.at[i], .n = 1, .capacity = 1}};
		bool is_met = false;
		char text[256];

		for (size_t k = 0; k < run->set->metrics.n; k++)
			is_met |= lode_metric_spec_wants(&one, run->set->metrics.at[k].name);
		if (is_met)
			continue;
		snprintf(text, sizeof(text), "nothing was measured for '%s'", spec->globs.at[i]);
		add_note(run, NULL, text);
	}
}

/* Most calls that programs wait in are system calls. */
static void note_no_calls(struct reading *run)
{
	char text[700];

	if (run->has_calls || !*run->again)
		return;
	snprintf(text, sizeof(text), "no system calls were recorded; to measure them: %s",
		 run->again);
	add_note(run, NULL, text);
}

/* `symptoms` as they are once it is known which are the slowest. */
static int decide_slowest(struct lode_symptom_options *symptoms,
			  const struct lode_suspects_job_options *options,
			  const struct lode_inputs *inputs, struct lode_error *err)
{
	struct lode_source_options source = {
		.narrow = options->narrow,
		.n_threads = options->n_threads,
		.memory_bytes = options->memory_bytes,
	};

	if (!(symptoms->percentile > 0))
		return 0;
	return lode_slowest_decide(symptoms, (const char *const *)inputs->paths.at, inputs->paths.n,
				   &source, &options->symbols, err);
}

int lode_suspects_job_run(struct lode_suspects_job *out, struct lode_execution_set *set,
			  char *const *inputs, size_t n_inputs,
			  const struct lode_suspects_job_options *options, struct lode_error *err)
{
	struct reading run = {.options = options,
			      .job = out,
			      .set = set,
			      .are_windows_given = lode_job_symptoms_are_given(&options->symptoms)};
	struct lode_symptom_options symptoms = options->symptoms;
	struct lode_input_check check = {lode_job_symptoms_can_be_read, &symptoms};
	struct lode_inputs expanded = {0};
	int rc;

	memset(out, 0, sizeof(*out));
	rc = lode_inputs_expand(&expanded, inputs, n_inputs, err);
	if (rc == 0)
		lode_inputs_skip_recompressed(&expanded, &check);
	if (rc == 0)
		rc = decide_slowest(&symptoms, options, &expanded, err);
	if (rc == 0)
		rc = lode_job_symptoms_new(&run.symptoms, &symptoms, err);
	if (rc == 0 && run.are_windows_given)
		out->symptom_text =
			lode_arena_strdup(&out->arena, lode_job_symptoms_text(run.symptoms));
	if (rc == 0)
		rc = lode_symboliser_new(&run.symboliser, &options->symbols, err);
	if (rc == 0)
		lode_siblings_lend(run.symboliser, expanded.paths.at, expanded.paths.n);
	if (rc == 0)
		rc = run_inputs(&run, &expanded, err);
	if (rc == 0)
		note_unmet(&run);
	if (rc == 0 && !options->metrics)
		note_no_calls(&run);
	lode_inputs_release(&expanded);
	lode_symboliser_free(run.symboliser);
	lode_job_symptoms_free(run.symptoms);
	return rc;
}

void lode_suspects_job_release(struct lode_suspects_job *job)
{
	lode_vec_release(&job->skipped);
	lode_vec_release(&job->incomplete);
	lode_vec_release(&job->notes);
	lode_arena_release(&job->arena);
	memset(job, 0, sizeof(*job));
}
