/* Reads the recording behind a digest's stream once more. */
#include "answers/clusters/stream_again.h"

#include "input/siblings.h"

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

int lode_stream_again_load(struct lode_stream **out, const char *file,
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
	int rc = lode_stream_again_load(stream, file, source, err);

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
