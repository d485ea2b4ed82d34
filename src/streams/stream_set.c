/* Recordings, digests or a repository's query as one merged digest. */
#include "streams/stream_set.h"

#include <stdio.h>

#include "base/clock.h"
#include "base/duration.h"
#include "streams/cover_form.h"
#include "streams/digest_merge.h"
#include "streams/shape.h"
#include "streams/job_symptoms.h"
#include "model/digest_canonical.h"
#include "store/repo_query.h"
#include "base/sorted.h"

/* ---- Of a repository ---- */

static int find_streams(struct lode_stream_set *set, const struct lode_stream_set_options *options,
			struct lode_error *err)
{
	int64_t now_ns = options->now_ns ? options->now_ns : lode_clock_ns(CLOCK_REALTIME);
	struct lode_repo_query *query = NULL;
	int rc = 0;

	if (options->where)
		rc = lode_repo_query_parse(&query, options->where, now_ns, err);
	if (rc == 0)
		rc = (options->needs_no_labels ? lode_repo_find_places : lode_repo_find)(
			&set->described, options->repo, query, err);
	lode_repo_query_free(query);
	return rc;
}

/* Puts what the repository says of the streams into the order of the digest. */
static void order_described(struct lode_stream_set *set)
{
	struct lode_repo_streams *described = &set->described;
	const struct lode_digest *digest = set->job.digest;
	size_t n = described->list.n;
	struct lode_repo_stream *list = lode_alloc((n + 1) * sizeof(*list));
	struct lode_map at = {0};

	for (size_t i = 0; i < n; i++)
		*lode_map_slot(&at, described->list.at[i].content_hash) = (uint32_t)i;
	for (size_t i = 0; i < n; i++)
		list[i] =
			described->list.at[lode_map_find(&at, digest->streams.at[i].content_hash)];
	memcpy(described->list.at, list, n * sizeof(*list));
	lode_map_release(&at);
	free(list);
}

/* What a digest job would say of the same streams. */
static void describe_job(struct lode_digest_job *job)
{
	job->n_inputs = job->origin.n_inputs;
	job->input_bytes = job->origin.input_bytes;
	job->is_default_symptoms =
		!job->origin.n_beside && lode_shape_has_default_symptoms(job->origin.shape);
	lode_job_say_symptoms(job);
	lode_job_list_cut(job, job->digest);
}

static void tell_progress(void *context, size_t n_done, size_t n_streams)
{
	const struct lode_digest_job_options *job = context;

	job->progress(job->progress_context,
		      &(struct lode_digest_progress){.n_streams = n_streams, .n_done = n_done});
}

static int read_repository(struct lode_stream_set *set,
			   const struct lode_stream_set_options *options, struct lode_error *err)
{
	struct lode_digest_job *job = &set->job;
	const char *shape = lode_repo_shape(options->repo);
	struct lode_shape_demand demand = {
		.given = lode_shape_of(&options->job, true, &job->arena),
		.full = lode_shape_of(&options->job, false, &job->arena),
	};
	struct lode_repo_read_options reading = {
		.n_threads = options->job.n_threads,
		.progress = options->job.progress ? tell_progress : NULL,
		.progress_context = (void *)&options->job,
	};
	bool needs_filter = false;
	int rc = 0;

	if (shape)
		rc = lode_shape_agree(&needs_filter, &demand, shape, lode_repo_path(options->repo),
				      err);
	if (rc == 0)
		rc = find_streams(set, options, err);
	set->has_covers = options->covers && !needs_filter;
	if (rc == 0 && set->has_covers)
		rc = lode_covers_form(&reading.covers, &reading.made, options->covers,
				      options->repo, err);
	if (rc == 0 && set->described.list.n)
		rc = lode_repo_read(&job->digest, &job->origin, options->repo, &set->described,
				    &reading, err);
	if (rc < 0 || !job->digest)
		return rc;
	if (options->needs_no_labels)
		lode_repo_streams_release(&set->described);
	else
		order_described(set);
	describe_job(job);
	if (needs_filter)
		lode_job_filter(job->digest, &options->job.aoi);
	return 0;
}

/* ---- Of inputs ---- */

/* Those of the repository, and of inputs if they are not in it. Names of several inputs are not
   known apart any more: with one of them there, none is added. */
static int add_names(struct lode_stream_set *set, const struct lode_stream_set_options *options,
		     struct lode_error *err)
{
	struct lode_digest *digest = set->job.digest;
	int has = lode_repo_has_any(options->repo, digest, err);

	if (has < 0)
		return has;
	if (has)
		lode_name_stats_release(&digest->names);
	return lode_repo_add_names(digest, options->repo, options->job.n_threads, err);
}

static int read_all_stream_set(struct lode_stream_set *out,
			       const struct lode_stream_set_options *options,
			       struct lode_error *err)
{
	int rc;

	if (!options->n_inputs)
		return read_repository(out, options, err);
	rc = lode_digest_job_run(&out->job, options->inputs, options->n_inputs, &options->job, err);
	if (rc == 0 && out->job.digest && options->repo)
		rc = add_names(out, options, err);
	return rc;
}

int lode_stream_set_read(struct lode_stream_set *out, const struct lode_stream_set_options *options,
			 struct lode_error *err)
{
	int rc;

	memset(out, 0, sizeof(*out));
	if (!options->repo)
		return read_all_stream_set(out, options, err);
	rc = lode_repo_snapshot(options->repo, err);
	if (rc == 0)
		rc = read_all_stream_set(out, options, err);
	lode_repo_snapshot_end(options->repo);
	if (rc == 0 && out->has_covers)
		lode_covers_keep(options->covers, options->repo);
	return rc;
}

static int no_stream(const struct lode_stream_set_options *options, struct lode_error *err)
{
	if (options->n_inputs)
		return lode_fail(err, LODE_ERR_EMPTY, NULL, -1, "no usable recording in %s",
				 options->n_inputs == 1 ? "the input" : "the inputs");
	return lode_fail(err, LODE_ERR_EMPTY, NULL, -1,
			 options->where ? "no recording in the repository matches"
					: "the repository has no recordings");
}

static int no_symptom(const struct lode_digest_job *job, struct lode_error *err)
{
	return lode_fail(
		err, LODE_ERR_EMPTY, NULL, -1, "no symptoms in %zu recording%s: %.150s%s%s",
		job->digest->streams.n, job->digest->streams.n == 1 ? "" : "s", job->symptom_text,
		!job->is_default_symptoms && job->why_none ? "\n" : "",
		!job->is_default_symptoms
			? job->why_none ? job->why_none : ""
			: "\n"
			  "the recorded command has no event with a cost: `lode info` lists "
			  "what was recorded; use --symptom 'comm=*' for every process, "
			  "--symptom comm=NAME for those with a name");
}

int lode_stream_set_require(struct lode_stream_set *out,
			    const struct lode_stream_set_options *options, struct lode_error *err)
{
	int rc = lode_stream_set_read(out, options, err);

	if (rc < 0)
		return rc;
	if (!out->job.digest)
		return no_stream(options, err);
	return out->job.digest->symptoms.n ? rc : no_symptom(&out->job, err);
}

void lode_stream_set_release(struct lode_stream_set *set)
{
	lode_digest_job_release(&set->job);
	lode_repo_streams_release(&set->described);
}

/* ---- Asking ---- */

static const char *day_of(struct lode_arena *arena, int64_t time_ns)
{
	char text[LODE_UTC_BYTES];

	lode_utc_text(text, time_ns, "%Y-%m-%d");
	return lode_arena_strdup(arena, text);
}

const char *lode_stream_set_label(struct lode_stream_set *set, size_t i, const char *key)
{
	const struct lode_digest *digest = set->job.digest;
	const struct lode_digest_stream *stream = &digest->streams.at[i];
	const char *const *text = digest->tree.strings.text.at;

	if (strcmp(key, "host") == 0)
		return text[stream->host];
	if (strcmp(key, "kernel") == 0)
		return text[stream->kernel];
	if (strcmp(key, "path") == 0)
		return text[stream->path];
	if (i >= set->described.list.n) {
		int64_t time_ns;

		if (strcmp(key, "day") != 0 || !stream->has_wall_clock ||
		    __builtin_add_overflow(stream->t0_ns, stream->wall_offset_ns, &time_ns))
			return NULL;
		return day_of(&set->job.arena, time_ns);
	}
	if (strcmp(key, "day") == 0)
		return day_of(&set->job.arena, set->described.list.at[i].time_ns);
	return lode_repo_stream_label(&set->described.list.at[i], key);
}

size_t lode_stream_set_labels(const struct lode_repo_label **labels,
			      const struct lode_stream_set *set, size_t i)
{
	const struct lode_repo_streams *described = &set->described;
	bool has = i < described->list.n && described->list.at[i].n_labels;

	*labels = has ? described->list.at[i].labels : NULL;
	return has ? described->list.at[i].n_labels : 0;
}

/* ---- Groups by a label ---- */

const char lode_coverage_no_label[] = "(none)";

/* Numbers inside as numbers; no label is last. */
static int by_name(const void *a, const void *b)
{
	const char *x = *(const char *const *)a, *y = *(const char *const *)b;

	if (!x || !y)
		return !x - !y;
	return strverscmp(x, y);
}

static bool is_same_label(const char *x, const char *y)
{
	return x && y ? strcmp(x, y) == 0 : x == y;
}

/* The group of `label`, which there is. */
static uint32_t find_group(const char *const *groups, size_t n, const char *label)
{
	const char *const *found = bsearch(&label, groups, n, sizeof(*groups), by_name);

	/* strverscmp can find texts equal that are not: they stand side by side. */
	while (found > groups && by_name(&found[-1], &label) == 0)
		found--;
	while (!is_same_label(*found, label))
		found++;
	return (uint32_t)(found - groups);
}

int lode_stream_groups_make(struct lode_stream_groups *out, struct lode_stream_set *set,
			    const char *by, struct lode_error *err)
{
	size_t n = set->job.digest->streams.n, n_groups = 0;
	const char **labels = lode_alloc0(n + 1, sizeof(*labels));
	bool is_known = false;

	out->names = lode_alloc0(n + 1, sizeof(*out->names));
	out->group_of = lode_alloc0(n + 1, sizeof(*out->group_of));
	out->n = 0;
	for (size_t i = 0; i < n; i++) {
		labels[i] = lode_stream_set_label(set, i, by);
		out->names[i] = labels[i];
		is_known |= labels[i] != NULL;
	}
	if (n && !is_known) {
		free(labels);
		return lode_fail(err, LODE_ERR_ARG, NULL, -1, "no recording has the label '%.60s'",
				 by);
	}
	lode_sort(out->names, n, by_name);
	for (size_t i = 0; i < n; i++)
		if (n_groups == 0 || !is_same_label(out->names[i], out->names[n_groups - 1]))
			out->names[n_groups++] = out->names[i];
	for (size_t i = 0; i < n; i++)
		out->group_of[i] = find_group(out->names, n_groups, labels[i]);
	for (size_t g = 0; g < n_groups; g++)
		if (!out->names[g])
			out->names[g] = lode_coverage_no_label;
	out->n = n_groups;
	free(labels);
	return 0;
}

void lode_stream_groups_release(struct lode_stream_groups *groups)
{
	free(groups->names);
	free(groups->group_of);
	memset(groups, 0, sizeof(*groups));
}

/* ---- Keys ---- */

static bool any_has(struct lode_stream_set *set, const char *key)
{
	const char *value = NULL;

	for (size_t i = 0; i < set->job.digest->streams.n && (!value || !*value); i++)
		value = lode_stream_set_label(set, i, key);
	return value && *value;
}

void lode_stream_groups_keys(lode_stream_keys *out, struct lode_stream_set *set)
{
	static const char *const fields[] = {"day", "host", "kernel"};
	const struct lode_repo_streams *described = &set->described;
	size_t first, n;

	for (size_t i = 0; i < sizeof(fields) / sizeof(*fields); i++)
		if (any_has(set, fields[i]))
			lode_vec_append(out, fields[i]);
	first = n = out->n;
	for (size_t i = 0; i < described->list.n; i++)
		for (size_t k = 0; k < described->list.at[i].n_labels; k++)
			lode_vec_append(out, described->list.at[i].labels[k].key);
	if (out->n == first)
		return;
	lode_sort(out->at + first, out->n - first, lode_compare_text);
	for (size_t i = first; i < out->n; i++)
		if (n == first || strcmp(out->at[n - 1], out->at[i]) != 0)
			out->at[n++] = out->at[i];
	out->n = n;
}
