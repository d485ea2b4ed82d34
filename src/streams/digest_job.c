/* From inputs to one digest, recording by recording. */
#include "streams/digest_job.h"

#include <stdio.h>

#include "base/memory_limit.h"
#include "base/pool.h"
#include "base/sorted.h"
#include "model/digest_canonical.h"
#include "streams/digest_item.h"
#include "streams/digest_merge.h"
#include "streams/shape.h"
#include "streams/job_symptoms.h"
#include "input/file_names.h"
#include "input/repeated.h"
#include "input/siblings.h"

/* From so many streams on, digests wait for the merge in packed form. */
enum { MANY_STREAMS = 64 };

/* ---- What the inputs are ---- */

static void open_items(struct lode_job_run *run, const struct lode_inputs *inputs)
{
	run->n_items = inputs->paths.n;
	run->items = lode_alloc0(run->n_items + 1, sizeof(*run->items));
	run->streams = lode_alloc0(run->n_items + 1, sizeof(*run->streams));
	for (size_t i = 0; i < run->n_items; i++) {
		struct lode_job_item *item = &run->items[i];

		item->line = inputs->lines.n ? inputs->lines.at[i] : NULL;
		item->file = inputs->paths.at[i];
		item->path = item->line ? item->line->name : item->file;
		item->run = run;
		lode_job_item_look(item);
		run->total_bytes += item->size_bytes;
		if (!item->is_given_digest)
			run->streams[run->n_streams++] = i;
	}
}

/* All inputs are parts of one. */
static int join_items(struct lode_job_run *run, const struct lode_inputs *inputs,
		      struct lode_error *err)
{
	struct lode_job_item *item;
	int rc = 0;

	run->items = lode_alloc0(inputs->paths.n + 1, sizeof(*run->items));
	run->streams = lode_alloc0(1, sizeof(*run->streams));
	if (inputs->paths.n < 2 || inputs->paths.n - 1 < run->options->n_offsets)
		return lode_fail(err, LODE_ERR_ARG, NULL, -1,
				 "--join needs at least two recordings, and at most one "
				 "--clock-offset for each after the first");
	run->n_items = run->n_streams = 1;
	item = &run->items[0];
	for (size_t i = 0; rc == 0 && i < inputs->paths.n; i++) {
		struct lode_job_item part = {
			.path = inputs->paths.at[i], .file = inputs->paths.at[i], .run = run};
		struct lode_job_beside beside = {.path = part.path};

		lode_job_item_look(&part);
		if (part.is_given_digest || part.input)
			rc = lode_fail(err, LODE_ERR_ARG, part.path, -1,
				       "only recordings in files can be joined");
		item->size_bytes += part.size_bytes;
		item->need_bytes += part.need_bytes;
		if (i)
			lode_vec_append(&item->beside, beside);
		lode_job_item_release(&part);
	}
	item->path = item->file = inputs->paths.at[0];
	item->run = run;
	run->total_bytes = item->size_bytes;
	return rc;
}

static void close_items(struct lode_job_run *run)
{
	for (size_t i = 0; i < run->n_items; i++)
		lode_job_item_release(&run->items[i]);
	free(run->items);
	free(run->streams);
	lode_strings_release(&run->texts);
}

/* ---- Symptoms and shape: all inputs must have been made alike ---- */

/* A table beside a recording that cannot be read costs that recording. */
static void choose_symptoms(struct lode_job_run *run, struct lode_job_symptoms *symptoms)
{
	for (size_t i = 0; i < run->n_streams; i++) {
		struct lode_job_item *item = &run->items[run->streams[i]];
		struct lode_error err;
		int rc = lode_job_symptoms_choose(&item->symptoms, symptoms, item->file, &err);

		for (size_t k = 0; rc == 0 && k < item->beside.n; k++)
			rc = lode_job_symptoms_choose(&item->beside.at[k].symptoms, symptoms,
						      item->beside.at[k].path, &err);
		if (rc < 0)
			lode_job_item_skip(item, &err);
	}
}

static int agree_on_shape(struct lode_digest_job *job, struct lode_job_run *run,
			  struct lode_error *err)
{
	struct lode_shape_demand demand = {
		.given = lode_shape_of(run->options, true, &job->arena),
		.full = run->shape,
		.has_streams = run->n_streams > 0,
	};
	const struct lode_digest_sink *sink = run->options->sink;
	int rc = 0;

	job->origin.shape = run->shape;
	if (sink && run->n_streams)
		rc = sink->agree(sink->context, run->shape, NULL, err);
	for (size_t i = 0; rc == 0 && i < run->n_items; i++) {
		struct lode_job_item *item = &run->items[i];

		if (!item->is_given_digest || item->skipped)
			continue;
		rc = lode_shape_agree(&item->needs_filter, &demand, item->origin.shape, item->path,
				      err);
		if (rc == 0 && sink && item->needs_filter)
			rc = lode_fail(err, LODE_ERR_ARG, item->path, -1,
				       "this digest was made without content filters: give them to "
				       "'lode mine' instead");
		if (rc == 0 && sink)
			rc = sink->agree(sink->context, item->origin.shape, item->path, err);
		if (demand.first)
			continue;
		demand.first = item->origin.shape;
		demand.first_path = item->path;
		if (!demand.has_streams)
			job->origin.shape = lode_arena_strdup(&job->arena, demand.first);
	}
	return rc;
}

/* What counts as a symptom where no table is beside the recording, in words. */
static const char *common_symptoms(const struct lode_job_run *run)
{
	const char *common = run->n_streams ? run->symptom_text : NULL;

	for (size_t i = 0; i < run->n_items; i++) {
		const struct lode_job_item *item = &run->items[i];

		if (!item->is_given_digest || item->skipped)
			continue;
		if (common && strcmp(common, item->origin.symptom_text) != 0)
			return "as each digest was made";
		common = item->origin.symptom_text;
	}
	return common ? common : run->symptom_text;
}

/* Of all streams, whichever input they came with: how many, and what their symptoms are. */
static void describe_symptoms(struct lode_digest_job *job, const struct lode_job_run *run)
{
	const char *common = common_symptoms(run);
	uint64_t n_beside = 0, n_inputs = 0;

	for (size_t i = 0; i < run->n_items; i++) {
		const struct lode_job_item *item = &run->items[i];
		bool is_digest = item->is_given_digest && !item->skipped;

		job->n_unread += item->is_given_digest && item->skipped;
		n_beside += is_digest ? item->origin.n_beside : item->symptoms.table != NULL;
		n_inputs += is_digest ? item->origin.n_inputs : 1;
	}
	job->n_inputs = n_inputs;
	job->is_default_symptoms = !n_beside && lode_shape_has_default_symptoms(job->origin.shape);
	job->origin.n_inputs = n_inputs;
	job->origin.n_beside = n_beside;
	job->origin.symptom_text = lode_arena_strdup(&job->arena, common);
	job->symptom_text = job->origin.symptom_text;
}

/* ---- Running ---- */

static int by_need_descending(const void *a, const void *b, void *context)
{
	const struct lode_job_item *items = context;
	size_t p = *(const size_t *)a, q = *(const size_t *)b;

	if (items[p].need_bytes != items[q].need_bytes)
		return items[p].need_bytes < items[q].need_bytes ? 1 : -1;
	return p < q ? -1 : p > q;
}

/* Orders the streams by size and gives how many may be in memory together, at least one. */
static unsigned plan(struct lode_job_run *run, unsigned n_threads, int64_t memory_bytes)
{
	int64_t need = 0;
	unsigned together = 0;

	if (run->n_streams)
		qsort_r(run->streams, run->n_streams, sizeof(*run->streams), by_need_descending,
			run->items);
	while (together < run->n_streams && together < n_threads) {
		need += run->items[run->streams[together]].need_bytes;
		if (together && need > memory_bytes)
			break;
		together++;
	}
	return together ? together : 1;
}

static void run_stream(void *context, size_t index, unsigned worker)
{
	struct lode_job_run *run = context;
	struct lode_job_item *item = &run->items[run->streams[index]];

	(void)worker;
	if (atomic_load(&run->has_failed))
		return;
	lode_job_item_make(item);
	lode_job_item_done(item);
}

/*
 * What one recording lacks, the others of the job and those beside it may know. Those of a manifest
 * are read each by itself: which others are at hand depends on how the manifest was split.
 */
static void lend_build_ids(struct lode_job_run *run)
{
	char **paths = lode_alloc((run->n_streams + 1) * sizeof(*paths));
	size_t n = 0;

	for (size_t i = 0; i < run->n_streams; i++)
		if (!run->items[run->streams[i]].line)
			paths[n++] = (char *)run->items[run->streams[i]].file;
	lode_siblings_lend(run->symboliser, paths, n);
	free(paths);
}

static int make_digests(struct lode_digest_job *job, struct lode_job_run *run,
			struct lode_error *err)
{
	const struct lode_digest_job_options *options = run->options;
	unsigned n_threads = options->n_threads ? options->n_threads : lode_pool_cpus();
	int64_t memory_bytes = (int64_t)lode_memory_budget(options->memory_bytes);
	unsigned n_together = plan(run, n_threads, memory_bytes);
	int rc = lode_symboliser_new(&run->symboliser, &options->symbols, err);

	if (rc < 0)
		return rc;
	lend_build_ids(run);
	run->n_threads_each = n_threads / n_together;
	run->memory_each = (size_t)memory_bytes / n_together;
	run->is_packed = run->n_streams >= MANY_STREAMS;
	lode_pool_run(n_together, run->n_streams, run_stream, run);
	lode_symboliser_free(run->symboliser);
	if (atomic_load(&run->has_failed)) {
		*err = run->error;
		return run->error.status;
	}
	if (options->no_merge)
		lode_job_list(job, run);
	else
		lode_job_merge(job, run, n_threads, memory_bytes);
	/* A sink may have failed on what came last. */
	if (atomic_load(&run->has_failed)) {
		*err = run->error;
		return run->error.status;
	}
	return 0;
}

LODE_COMPARE(by_path, struct lode_skipped_input,
	     strcmp(a->path, b->path) ?: strcmp(a->reason, b->reason))

/* Nothing that is said depends on which input came first. */
static void order_lists(struct lode_digest_job *job)
{
	lode_sort(job->skipped.at, job->skipped.n, by_path);
	lode_sort(job->incomplete.at, job->incomplete.n, by_path);
}

/* What the merged digest was made of. */
static void describe_origin(struct lode_digest_job *job, const struct lode_job_run *run)
{
	bool is_known = true;

	for (size_t i = 0; i < run->n_items; i++) {
		const struct lode_job_item *item = &run->items[i];

		lode_origin_add_bytes(&job->input_bytes, item->is_given_digest
								 ? item->origin.input_bytes
								 : item->size_bytes);
		lode_origin_add_bytes(&job->origin.content_bytes, item->origin.content_bytes);
		/* What gave nothing, here or when its digest was made, has no content. */
		is_known &= item->skipped || item->origin.content_bytes > 0 ||
			    item->origin.skipped.n >= item->origin.n_inputs;
	}
	if (!is_known)
		job->origin.content_bytes = 0;
	job->origin.input_bytes = job->input_bytes;
	for (size_t i = 0; i < job->skipped.n; i++)
		lode_digest_origin_skip(&job->origin, job->skipped.at[i].path,
					job->skipped.at[i].reason);
}

/* The first recording's reason, and whose it is if not all give the same. */
static void explain_no_symptoms(struct lode_digest_job *job, const struct lode_job_run *run)
{
	const struct lode_job_item *first = NULL;
	char text[sizeof(((struct lode_error *)0)->message)];
	bool is_same = true;

	for (size_t i = 0; i < run->n_items; i++) {
		const struct lode_job_item *item = &run->items[i];

		if (!item->why_none)
			continue;
		is_same &= !first || !strcmp(first->why_none, item->why_none);
		first = first ? first : item;
	}
	if (!first)
		return;
	snprintf(text, sizeof(text), "%s%s%s", is_same ? "" : first->path, is_same ? "" : ": ",
		 first->why_none);
	job->why_none = lode_arena_strdup(&job->arena, text);
}

static int run_items(struct lode_digest_job *job, struct lode_job_run *run, struct lode_error *err)
{
	struct lode_job_symptoms *symptoms = NULL;
	int rc = lode_job_symptoms_new(&symptoms, &run->options->symptoms, err);

	if (rc < 0)
		return rc;
	run->symptom_text = lode_job_symptoms_text(symptoms);
	run->shape = lode_shape_of(run->options, false, &job->arena);
	choose_symptoms(run, symptoms);
	rc = agree_on_shape(job, run, err);
	if (rc == 0)
		describe_symptoms(job, run);
	if (rc == 0 && run->options->digest_dir)
		rc = lode_digest_dir_open(&run->dir, run->options->digest_dir, err);
	if (rc == 0)
		rc = make_digests(job, run, err);
	if (rc == 0)
		lode_job_say_symptoms(job);
	if (rc == 0) {
		order_lists(job);
		describe_origin(job, run);
		explain_no_symptoms(job, run);
	}
	lode_digest_dir_close(&run->dir);
	lode_job_symptoms_free(symptoms);
	return rc;
}

static void list_joined(struct lode_digest_job *job, const struct lode_job_run *run)
{
	for (size_t i = 0; i < run->n_items; i++)
		for (size_t k = 0; k < run->items[i].joined.n; k++) {
			struct lode_joined_input joined = run->items[i].joined.at[k];

			joined.path = lode_arena_strdup(&job->arena, joined.path);
			lode_vec_append(&job->joined, joined);
		}
}

static void list_kept(struct lode_digest_job *job, struct lode_job_run *run)
{
	for (size_t i = 0; i < run->n_items; i++) {
		struct lode_job_item *item = &run->items[i];
		struct lode_kept_stream kept = {
			lode_arena_strdup(&job->arena, item->path),
			item->kept,
		};

		if (item->kept)
			lode_vec_append(&job->kept, kept);
		item->kept = NULL;
	}
}

/* `options` as they are once it is known which symptoms are the slowest. */
static int decide_slowest(struct lode_digest_job_options *options, const struct lode_job_run *run,
			  struct lode_error *err)
{
	struct lode_source_options source = {
		.narrow = options->narrow,
		.n_threads = options->n_threads,
		.memory_bytes = options->memory_bytes,
		.folded_kind = options->folded_kind,
		.unit = options->unit,
	};
	LODE_VEC(const char *) paths = {0};
	int rc;

	if (!(options->symptoms.percentile > 0))
		return 0;
	for (size_t i = 0; i < run->n_streams; i++) {
		const struct lode_job_item *item = &run->items[run->streams[i]];

		lode_vec_append(&paths, item->file);
		for (size_t k = 0; k < item->beside.n; k++)
			lode_vec_append(&paths, item->beside.at[k].path);
	}
	rc = lode_slowest_decide(&options->symptoms, paths.at, paths.n, &source, &options->symbols,
				 err);
	lode_vec_release(&paths);
	return rc;
}

int lode_digest_job_run(struct lode_digest_job *out, char *const *inputs, size_t n_inputs,
			const struct lode_digest_job_options *options, struct lode_error *err)
{
	struct lode_inputs expanded = {0};
	struct lode_digest_job_options decided = *options;
	struct lode_input_check check = {lode_job_symptoms_can_be_read, &options->symptoms};
	struct lode_job_run run = {
		.options = &decided, .dir = {.fd = -1}, .is_failing = ATOMIC_FLAG_INIT};
	int rc;

	memset(out, 0, sizeof(*out));
	rc = lode_inputs_expand_with(&expanded, inputs, n_inputs, lode_digest_recognise,
				     LODE_HOLDS_DIGEST, err);
	if (rc < 0)
		return rc;
	/* Several hosts may have recorded the same. */
	if (!options->is_joined)
		lode_inputs_skip_repeated(&expanded, &check);
	for (size_t i = 0; i < expanded.n_skipped; i++)
		lode_job_add_skipped(out, expanded.skipped[i].path, expanded.skipped[i].reason);
	out->n_other = expanded.n_other;
	decided.is_canonical |= expanded.lines.n > 0;
	if (options->is_joined)
		rc = join_items(&run, &expanded, err);
	else
		open_items(&run, &expanded);
	if (rc == 0 && options->is_canonical && expanded.lines.n &&
	    options->symptoms.percentile > 0)
		rc = lode_fail(err, LODE_ERR_ARG, NULL, -1,
			       "a percentile depends on all recordings, but a manifest may be only "
			       "a part of them: give --slower-than a time");
	if (rc == 0)
		rc = decide_slowest(&decided, &run, err);
	if (rc == 0)
		rc = run_items(out, &run, err);
	if (rc == 0) {
		list_joined(out, &run);
		list_kept(out, &run);
	}
	close_items(&run);
	lode_inputs_release(&expanded);
	/* When inputs take no memory any more. */
	if (rc == 0 && out->digest && decided.is_canonical)
		out->digest = lode_digest_canonical_take(out->digest);
	return rc;
}

struct lode_stream *lode_digest_job_take_stream(struct lode_digest_job *job, const char *path)
{
	for (size_t i = 0; i < job->kept.n; i++) {
		struct lode_stream *stream = job->kept.at[i].stream;

		if (!stream || strcmp(job->kept.at[i].path, path) != 0)
			continue;
		job->kept.at[i].stream = NULL;
		return stream;
	}
	return NULL;
}

void lode_digest_job_forget_streams(struct lode_digest_job *job)
{
	for (size_t i = 0; i < job->kept.n; i++)
		lode_stream_free(job->kept.at[i].stream);
	job->kept.n = 0;
}

void lode_digest_job_release(struct lode_digest_job *job)
{
	lode_digest_job_forget_streams(job);
	lode_vec_release(&job->kept);
	lode_digest_free(job->digest);
	lode_vec_release(&job->outputs);
	lode_vec_release(&job->skipped);
	lode_vec_release(&job->incomplete);
	lode_vec_release(&job->joined);
	lode_digest_origin_release(&job->origin);
	lode_arena_release(&job->arena);
	memset(job, 0, sizeof(*job));
}
