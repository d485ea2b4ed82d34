/* Critical paths of a cluster's costliest symptoms, read from the recordings. */
#include "answers/clusters/cluster_paths.h"

#include "streams/digest_item.h"
#include "base/sorted.h"
#include "input/siblings.h"

/* ---- The recording behind a digest's stream, once more ---- */

struct lode_source_options lode_stream_again_options(const struct lode_digest_job_options *options)
{
	return (struct lode_source_options){
		.narrow = options->narrow,
		.n_threads = options->n_threads,
		.memory_bytes = options->memory_bytes,
		.folded_kind = options->folded_kind,
		.unit = options->unit,
	};
}

int lode_stream_again_symboliser(struct lode_symboliser **out, const struct lode_digest *digest,
				 const struct lode_digest_job_options *options,
				 struct lode_error *err)
{
	int rc = lode_symboliser_new(out, &options->symbols, err);
	char **paths;

	if (rc < 0)
		return rc;
	paths = lode_alloc((digest->streams.n + 1) * sizeof(*paths));
	for (size_t i = 0; i < digest->streams.n; i++)
		paths[i] = (char *)digest->tree.strings.text.at[digest->streams.at[i].path];
	lode_siblings_lend(*out, paths, digest->streams.n);
	free(paths);
	return LODE_OK;
}

/* From `file`; standard input is refused. */
static int load_again(struct lode_stream **out, const char *file,
		      const struct lode_source_options *source, struct lode_error *err)
{
	*out = NULL;
	if (strcmp(file, "-") == 0)
		return lode_fail(err, LODE_ERR_ARG, NULL, -1,
				 "standard input cannot be read twice");
	return lode_stream_load(out, file, source, err);
}

/* The recording at `file`, if it is that one. */
static int load_same(struct lode_stream **stream, const struct lode_digest_stream *of,
		     const char *file, const struct lode_source_options *source,
		     struct lode_error *err)
{
	int rc = load_again(stream, file, source, err);

	if (rc < 0 || !*stream || (*stream)->content_hash == of->content_hash)
		return rc;
	lode_stream_free(*stream);
	*stream = NULL;
	return lode_fail(err, LODE_ERR_IO, file, -1,
			 "the file has been replaced by another recording");
}

int lode_stream_again_find(struct lode_stream **out, const struct lode_digest *digest,
			   uint32_t stream, const char *file,
			   const struct lode_source_options *source, struct lode_error *err)
{
	const struct lode_digest_stream *of = &digest->streams.at[stream];
	const char *other = digest->tree.strings.text.at[of->path];
	struct lode_error why = {0};
	int rc = load_same(out, of, file, source, err), other_rc;

	if (rc < 0 && strcmp(other, file) != 0) {
		other_rc = load_same(out, of, other, source, &why);
		/* What is at `file`, and no recording, is the digest that was imported. */
		if (err && other_rc < 0 && rc != LODE_ERR_IO)
			*err = why;
		rc = other_rc == 0 ? 0 : rc;
	}
	if (rc == 0 && *out)
		return LODE_OK;
	lode_error_context(err, "the recording cannot be read again");
	if (err)
		err->status = LODE_ERR_IO;
	return LODE_ERR_IO;
}

lode_thread_id lode_stream_again_thread(const struct lode_stream *stream,
					const struct lode_digest_symptom *symptom)
{
	for (uint32_t t = 0; t < stream->threads.n; t++) {
		const struct lode_thread *thread = &stream->threads.at[t];
		const struct lode_events *events = &thread->events;

		if (thread->tid == symptom->tid && thread->pid == symptom->pid && events->n &&
		    events->start_ns[0] < symptom->t1_ns &&
		    lode_event_end_ns(events, events->n - 1) > symptom->t0_ns)
			return t;
	}
	return LODE_NONE;
}

/* ---- Critical paths in it ---- */

LODE_COMPARE(by_symptom, struct lode_cluster_path, LODE_ORDER(a->symptom, b->symptom))

/* The worst symptoms of the first clusters, each once, in order. */
static void choose_cluster_paths(struct lode_cluster_paths *out, const struct lode_mined *mined,
				 size_t n_clusters)
{
	size_t n = 0;

	for (size_t c = 0; c < mined->n_clusters && c < n_clusters; c++)
		if (mined->clusters[c].n_worst)
			lode_vec_append_zero(&out->at)->symptom =
				mined->clusters[c].worst[0].symptom;
	if (!out->at.n)
		return;
	lode_sort(out->at.at, out->at.n, by_symptom);
	for (size_t i = 1; i < out->at.n; i++)
		if (out->at.at[i].symptom != out->at.at[n].symptom)
			out->at.at[++n] = out->at.at[i];
	out->at.n = n + 1;
}

static void build(struct lode_cluster_path *path, const struct lode_stream *stream,
		  const struct lode_digest_symptom *of, const struct lode_lanes_bounds *bounds)
{
	struct lode_symptom symptom = {lode_stream_again_thread(stream, of), of->t0_ns, of->t1_ns};

	if (!stream->has_switches || stream->is_one_cpu)
		path->missing = lode_strdup("the recording has no context switches");
	else if (symptom.thread == LODE_NONE)
		path->missing = lode_strdup("the recording no longer has this thread");
	else
		lode_lanes_build(&path->lanes, stream, &symptom, bounds);
}

int lode_cluster_paths_load(struct lode_cluster_paths *out, const struct lode_mined *mined,
			    size_t n_clusters, struct lode_digest_job *job,
			    const struct lode_digest_job_options *options, struct lode_error *err)
{
	const struct lode_digest *digest = mined->digest;
	struct lode_source_options source = lode_stream_again_options(options);
	uint32_t at_stream = LODE_NONE;
	struct lode_stream *stream = NULL;
	struct lode_error why;
	int rc;

	memset(out, 0, sizeof(*out));
	choose_cluster_paths(out, mined, n_clusters);
	if (!out->at.n)
		return 0;
	rc = lode_stream_again_symboliser(&source.symboliser, digest, options, err);
	if (rc < 0)
		return rc;
	/* Symptoms are in order of their streams, and so is what was chosen of them. */
	for (size_t i = 0; i < out->at.n; i++) {
		const struct lode_digest_symptom *s = &digest->symptoms.at[out->at.at[i].symptom];
		const char *file = digest->tree.strings.text.at[digest->streams.at[s->stream].path];

		if (s->stream != at_stream) {
			lode_stream_free(stream);
			at_stream = s->stream;
			stream = job ? lode_digest_job_take_stream(job, file) : NULL;
			if (!stream)
				(void)load_again(&stream, file, &source, &why);
		}
		if (stream)
			build(&out->at.at[i], stream, s, &LODE_LANES_BOUNDS);
		else
			out->at.at[i].missing = lode_job_reason(file, &why);
	}
	lode_stream_free(stream);
	lode_symboliser_free(source.symboliser);
	return 0;
}

int lode_cluster_path_load_within(struct lode_cluster_path *out, const struct lode_digest *digest,
				  uint32_t symptom, const char *file,
				  const struct lode_lanes_bounds *bounds,
				  const struct lode_digest_job_options *options,
				  struct lode_error *err)
{
	const struct lode_digest_symptom *s = &digest->symptoms.at[symptom];
	struct lode_source_options source = lode_stream_again_options(options);
	struct lode_stream *stream;
	int rc;

	memset(out, 0, sizeof(*out));
	out->symptom = symptom;
	rc = lode_stream_again_symboliser(&source.symboliser, digest, options, err);
	if (rc == LODE_OK)
		rc = lode_stream_again_find(&stream, digest, s->stream, file, &source, err);
	lode_symboliser_free(source.symboliser);
	if (rc != LODE_OK) {
		if (err)
			err->status = LODE_ERR_IO;
		return LODE_ERR_IO;
	}
	build(out, stream, s, bounds);
	lode_stream_free(stream);
	if (!out->missing)
		return 0;
	rc = lode_fail(err, LODE_ERR_UNSUPPORTED, file, -1, "no critical path: %s", out->missing);
	lode_cluster_path_release(out);
	return rc;
}

int lode_cluster_path_load(struct lode_cluster_path *out, const struct lode_digest *digest,
			   uint32_t symptom, const char *file,
			   const struct lode_digest_job_options *options, struct lode_error *err)
{
	return lode_cluster_path_load_within(out, digest, symptom, file, &LODE_LANES_BOUNDS,
					     options, err);
}

void lode_cluster_path_release(struct lode_cluster_path *path)
{
	lode_lanes_release(&path->lanes);
	free(path->missing);
	memset(path, 0, sizeof(*path));
}

void lode_cluster_paths_release(struct lode_cluster_paths *paths)
{
	lode_vec_release_each(&paths->at, it, lode_cluster_path_release(it));
}
