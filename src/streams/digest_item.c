/* Work on one input of a digest job. */
#include "streams/digest_item.h"

#include <inttypes.h>
#include <stdio.h>
#include <sys/stat.h>

#include "model/join.h"
#include "input/bundle_notes.h"

/*
 * What a stream takes in memory per byte of its file, as a rule of thumb: columns and stacks are
 * about half of a plain recording, and recordings compress 20 to 1. Digests unfold about 30 times.
 */
static const int64_t plain_memory_percent = 60, compressed_memory_percent = 1200,
		     digest_memory_percent = 3000;

/* ---- Progress ---- */

static void report_progress(struct lode_job_run *run)
{
	struct lode_digest_progress progress = {
		.n_streams = run->n_items,
		.n_done = atomic_load(&run->n_done),
		.total_bytes = run->total_bytes,
		.done_bytes = atomic_load(&run->done_bytes),
	};

	if (run->options->progress)
		run->options->progress(run->options->progress_context, &progress);
}

static void item_progress(void *context, int64_t consumed_bytes)
{
	struct lode_job_item *item = context;
	long long before = atomic_exchange(&item->consumed_bytes, consumed_bytes);

	atomic_fetch_add(&item->run->done_bytes, consumed_bytes - before);
	report_progress(item->run);
}

void lode_job_item_done(struct lode_job_item *item)
{
	atomic_fetch_add(&item->run->n_done, 1);
	item_progress(item, item->size_bytes);
}

/* ---- Faults ---- */

char *lode_job_reason(const char *path, const struct lode_error *err)
{
	char text[sizeof(err->path) + sizeof(err->message) + 64];
	const char *reason = lode_error_text(err, text, sizeof(text));
	size_t len = strlen(path);

	/* The list names the path already. */
	if (strncmp(reason, path, len) == 0 && reason[len] == ':')
		reason += len + 2;
	return lode_strdup(reason);
}

void lode_job_item_skip(struct lode_job_item *item, const struct lode_error *err)
{
	free(item->skipped);
	item->skipped = lode_job_reason(item->file, err);
}

static void fail_digest_item(struct lode_job_run *run, const struct lode_error *err)
{
	if (!atomic_flag_test_and_set(&run->is_failing)) {
		run->error = *err;
		atomic_store(&run->has_failed, true);
	}
}

/* In one line (heap); NULL: its bundle is whole, or there is none. */
static char *lacks_of(const char *recording)
{
	char *lacks = lode_bundle_lacks_read(recording);

	for (char *feed = lacks; feed && (feed = strchr(feed, '\n'));)
		*feed = ' ';
	return lacks;
}

static struct lode_loss_note note_of_bundle(const char *lacks)
{
	return (struct lode_loss_note){
		.kind = LODE_LOSS_BUNDLE, .count = 1, .offset = -1, .detail = lacks};
}

/* Kinds that say that something is missing at its place, which most do not. */
static bool is_cut(enum lode_loss_kind kind)
{
	return kind == LODE_LOSS_TRUNCATED || kind == LODE_LOSS_BAD_RECORD ||
	       kind == LODE_LOSS_UNDECODABLE || kind == LODE_LOSS_CLOCK_JUMP ||
	       kind == LODE_LOSS_BUNDLE || kind == LODE_LOSS_REPEATED;
}

static char *cut_text(const struct lode_loss_note *losses, size_t n)
{
	char text[8192] = "";

	for (size_t i = 0; i < n; i++) {
		const struct lode_loss_note *loss = &losses[i];
		size_t used = strlen(text);

		if (!is_cut(loss->kind))
			continue;
		if (loss->kind == LODE_LOSS_BUNDLE)
			snprintf(text + used, sizeof(text) - used,
				 "%sits bundle is incomplete: ", used ? "; " : "");
		else
			snprintf(text + used, sizeof(text) - used,
				 "%s%s (%llu): ", used ? "; " : "", lode_loss_name(loss->kind),
				 (unsigned long long)loss->count);
		used = strlen(text);
		if (loss->offset >= 0)
			snprintf(text + used, sizeof(text) - used,
				 "offset 0x%llx: ", (unsigned long long)loss->offset);
		used = strlen(text);
		snprintf(text + used, sizeof(text) - used, "%s", loss->detail);
	}
	return *text ? lode_strdup(text) : NULL;
}

char *lode_job_cut_text(const struct lode_losses *losses, const char *recording)
{
	struct lode_loss_note notes[LODE_N_LOSS_KINDS];
	size_t n = lode_losses_list(notes, losses);
	char *lacks = recording ? lacks_of(recording) : NULL, *text;

	if (lacks)
		notes[n++] = note_of_bundle(lacks);
	text = cut_text(notes, n);
	free(lacks);
	return text;
}

char *lode_job_digest_cut_text(const struct lode_digest *digest,
			       const struct lode_digest_stream *stream)
{
	return cut_text(lode_digest_losses_of(digest, stream), stream->n_losses);
}

/* ---- Looking ---- */

static const char *shared_text(struct lode_job_item *item, const char *text)
{
	struct lode_strings *texts = &item->run->texts;
	uint32_t id = lode_strings_intern(texts, text, strlen(text));

	return texts->text.at[id];
}

/* There may be a million of them: what they all say is kept once. */
static void share_texts(struct lode_job_item *item)
{
	struct lode_digest_origin *origin = &item->origin;

	origin->shape = shared_text(item, origin->shape);
	origin->symptom_text = shared_text(item, origin->symptom_text);
	if (!origin->skipped.n)
		lode_arena_release(&origin->arena);
}

static void look_at_digest(struct lode_job_item *item, struct lode_input *input)
{
	struct lode_error err;
	bool is_stdin = strcmp(item->file, "-") == 0;

	item->is_given_digest = true;
	item->state = LODE_DIGEST_GIVEN;
	item->digest_bytes = (size_t)item->size_bytes;
	item->need_bytes = item->size_bytes / 100 * digest_memory_percent;
	/* Only what can be opened again is left for later. */
	if (lode_digest_read(is_stdin ? &item->digest : NULL, &item->origin, input, &err) < 0)
		lode_job_item_skip(item, &err);
	else
		share_texts(item);
}

/* A part of a file, or another one, must not pass for what the manifest means. */
static void check_size(struct lode_job_item *item)
{
	struct lode_error err;

	if (!item->line || item->line->bytes < 0 || item->line->bytes == item->size_bytes)
		return;
	lode_fail(&err, LODE_ERR_TRUNCATED, item->file, -1,
		  "it has %" PRId64 " bytes, but the manifest says %" PRId64
		  ": it was not copied completely, or has changed",
		  item->size_bytes, item->line->bytes);
	lode_job_item_skip(item, &err);
}

void lode_job_item_look(struct lode_job_item *item)
{
	uint8_t head[LODE_PEEK_BYTES];
	bool is_stdin = strcmp(item->file, "-") == 0;
	struct lode_input *input;
	struct stat st;
	ssize_t n;

	if (!is_stdin && stat(item->file, &st) == 0 && S_ISREG(st.st_mode)) {
		item->size_bytes = st.st_size;
		check_size(item);
	}
	/* What cannot be opened says so when it is read. */
	if (lode_input_open(&input, item->file, NULL) < 0)
		return;
	n = lode_input_peek(input, head, sizeof(head), NULL);
	if (n > 0 && lode_digest_recognise(head, (size_t)n)) {
		look_at_digest(item, input);
	} else {
		item->need_bytes = item->size_bytes / 100 *
				   (lode_input_is_seekable(input) ? plain_memory_percent
								  : compressed_memory_percent);
		if (is_stdin) {
			item->input = input;
			return;
		}
	}
	lode_input_close(input);
}

/* ---- Making ---- */

static int load_stream(struct lode_stream **stream, struct lode_job_item *item, const char *path,
		       const struct lode_tap *tap, struct lode_error *err)
{
	const struct lode_digest_job_options *options = item->run->options;
	struct lode_source_options source = {
		.symboliser = item->run->symboliser,
		.narrow = options->narrow,
		.n_threads = item->run->n_threads_each,
		.memory_bytes = item->run->memory_each,
		.folded_kind = options->folded_kind,
		.unit = options->unit,
		.tap = tap,
		.progress = item_progress,
		.progress_context = item,
	};

	if (item->input)
		return lode_stream_read(stream, item->input, &source, err);
	return lode_stream_load(stream, path, &source, err);
}

/* A stream, and its symptoms behind those that are there. */
static int load_part(struct lode_stream **stream, lode_symptom_vec *symptoms,
		     struct lode_job_item *item, const char *path, const struct lode_job_spec *with,
		     struct lode_error *err)
{
	struct lode_symptom_events *events = lode_symptom_events_new(with->spec, NULL);
	int rc = load_stream(stream, item, path, lode_symptom_events_tap(events), err);

	if (rc == 0)
		rc = lode_symptoms_find(symptoms, with->spec, *stream, events, err);
	if (rc == 0)
		lode_symptoms_count_skipped(with->spec, *stream, events);
	if (events->why_none && !item->why_none)
		item->why_none = lode_strdup(events->why_none);
	lode_symptom_events_free(events);
	return rc;
}

/* Joins the recordings beside the item's to `*stream`, with their symptoms. */
static int join_beside(struct lode_stream **stream, lode_symptom_vec *symptoms,
		       struct lode_job_item *item, struct lode_error *err)
{
	const struct lode_digest_job_options *options = item->run->options;
	size_t n = item->beside.n + 1;
	struct lode_join_part *parts = lode_alloc0(n, sizeof(*parts));
	size_t *first_symptom = lode_alloc0(n + 1, sizeof(*first_symptom));
	int rc = 0;

	parts[0].stream = *stream;
	for (size_t i = 1; rc == 0 && i < n; i++) {
		const struct lode_job_beside *beside = &item->beside.at[i - 1];

		first_symptom[i] = symptoms->n;
		parts[i].has_offset = i <= options->n_offsets;
		parts[i].offset_ns = parts[i].has_offset ? options->clock_offsets[i - 1] : 0;
		rc = load_part(&parts[i].stream, symptoms, item, beside->path, &beside->symptoms,
			       err);
	}
	first_symptom[n] = symptoms->n;
	if (rc == 0)
		rc = lode_streams_join(parts, n, err);
	for (size_t i = 1; rc == 0 && i < n; i++) {
		struct lode_joined_input joined = {item->beside.at[i - 1].path, parts[i].offset_ns,
						   parts[i].n_links, parts[i].n_turns};

		lode_vec_append(&item->joined, joined);
		for (size_t s = first_symptom[i]; s < first_symptom[i + 1]; s++) {
			struct lode_symptom *symptom = &symptoms->at[s];

			symptom->thread += parts[i].first_thread;
			symptom->t0_ns = lode_join_shifted(symptom->t0_ns, parts[i].offset_ns);
			symptom->t1_ns = lode_join_shifted(symptom->t1_ns, parts[i].offset_ns);
		}
	}
	for (size_t i = 1; i < n; i++)
		lode_stream_free(parts[i].stream);
	free(first_symptom);
	free(parts);
	return rc;
}

/* Is there room for it? It must be a recording that can be asked for by its path. */
static bool is_to_keep(struct lode_job_item *item)
{
	int64_t most = (int64_t)item->run->options->keep_bytes, need = item->need_bytes;

	return most && !item->beside.n && !item->line && !item->input &&
	       atomic_fetch_add(&item->run->kept_bytes, need) + need <= most;
}

/* What its bundle says goes wherever the digest goes. */
static void note_bundle(struct lode_job_item *item)
{
	char *lacks = lacks_of(item->file);
	struct lode_loss_note loss = note_of_bundle(lacks);

	if (lacks)
		lode_digest_loss_insert(item->digest, &loss);
	free(lacks);
}

static int make_digest(struct lode_job_item *item, struct lode_error *err)
{
	struct lode_stream *stream = NULL;
	lode_symptom_vec symptoms = {0};
	enum lode_subject subject = LODE_SUBJECT_COMMAND;
	int rc = load_part(&stream, &symptoms, item, item->file, &item->symptoms, err);

	if (rc == 0)
		subject = lode_symptom_spec_subject(item->symptoms.spec, stream);
	if (rc == 0 && item->beside.n)
		rc = join_beside(&stream, &symptoms, item, err);
	if (rc == 0 && item->line)
		stream->path = item->path;
	if (rc == 0)
		rc = lode_aoi_digest(&item->digest, stream, symptoms.at, symptoms.n,
				     &item->run->options->aoi, err);
	if (rc == 0) {
		item->digest->streams.at[0].subject = (uint8_t)subject;
		note_bundle(item);
		item->cut = lode_job_digest_cut_text(item->digest, &item->digest->streams.at[0]);
		item->origin.content_bytes = stream->content_bytes;
	}
	lode_vec_release(&symptoms);
	if (rc == 0 && is_to_keep(item))
		item->kept = stream;
	else
		lode_stream_free(stream);
	return rc;
}

static void describe_digest_item(struct lode_job_item *item, uint64_t key)
{
	struct lode_digest_origin *origin = &item->origin;

	origin->shape = item->run->shape;
	origin->symptom_text = item->run->symptom_text;
	origin->key = key;
	origin->n_inputs = 1;
	origin->n_beside = item->symptoms.table != NULL;
	origin->input_bytes = item->size_bytes;
}

/* Is its digest in the folder, sound, and made of what is here now? One without a stream is not
   kept: what was wrong may be right by now. */
static bool find_kept(struct lode_job_item *item, uint64_t key)
{
	struct lode_digest *digest = NULL;
	struct stat st;

	if (!key || item->run->options->again || stat(item->digest_path, &st) < 0)
		return false;
	if (lode_digest_load(&digest, &item->origin, item->digest_path, NULL) < 0)
		return false;
	if (!digest || item->origin.key != key || digest->streams.n != 1) {
		lode_digest_free(digest);
		lode_digest_origin_release(&item->origin);
		return false;
	}
	item->state = LODE_DIGEST_KEPT;
	item->digest_bytes = (size_t)st.st_size;
	item->n_symptoms = digest->symptoms.n;
	item->n_rows = digest->rows.n;
	item->cut = lode_job_digest_cut_text(digest, &digest->streams.at[0]);
	lode_digest_free(digest);
	return true;
}

/* The digest is on disk from here on; without one, why there is none. */
static void keep_digest_item(struct lode_job_item *item)
{
	struct lode_error err;

	if (item->skipped)
		lode_digest_origin_skip(&item->origin, item->path, item->skipped);
	if (lode_digest_save(item->digest_path, item->digest, &item->origin, &item->digest_bytes,
			     &err) < 0)
		fail_digest_item(item->run, &err);
	lode_digest_free(item->digest);
	item->digest = NULL;
}

/* Is it with the sink already, as it lies on the disk now? */
static bool sink_has(struct lode_job_item *item)
{
	const struct lode_digest_sink *sink = item->run->options->sink;

	item->key = lode_digest_key(item->file, item->is_given_digest ? NULL : item->run->shape,
				    item->symptoms.table, item->run->options);
	if (!item->key || !sink->has(sink->context, item->path, item->key))
		return false;
	item->state = LODE_DIGEST_KEPT;
	return true;
}

void lode_job_item_sink(struct lode_job_item *item, struct lode_digest *digest)
{
	const struct lode_digest_sink *sink = item->run->options->sink;
	struct lode_digest_taken taken = {
		.path = item->path,
		.file = item->file,
		.labels = item->line ? item->line->labels : "",
		.key = item->key,
		.digest = digest,
		.origin = &item->origin,
		.packed = item->packed.n ? &item->packed : NULL,
		.place = (size_t)(item - item->run->items),
		.is_given = item->is_given_digest,
	};
	struct lode_error err;

	if (sink->take(sink->context, &taken, &err) < 0)
		fail_digest_item(item->run, &err);
	lode_vec_release(&item->packed);
}

static void pack_digest_item(struct lode_job_item *item)
{
	lode_digest_pack(&item->packed, item->digest, &item->origin, LODE_DIGEST_LEVEL_MEMORY);
	lode_digest_free(item->digest);
	item->digest = NULL;
}

void lode_job_item_make(struct lode_job_item *item)
{
	struct lode_job_run *run = item->run;
	bool is_kept = run->dir.fd >= 0;
	struct lode_error err = {0};
	uint64_t key = 0;

	if (run->options->sink) {
		if (sink_has(item))
			return;
		key = item->key;
	}
	if (is_kept) {
		item->digest_path = lode_digest_dir_file(&run->dir, item->path);
		/* Before it is read: what changes meanwhile is made again the next time. */
		key = lode_digest_key(item->file, run->shape, item->symptoms.table, run->options);
		if (find_kept(item, key))
			return;
	}
	describe_digest_item(item, key);
	if (!item->skipped && make_digest(item, &err) < 0)
		lode_job_item_skip(item, &err);
	if (item->digest) {
		item->n_symptoms = item->digest->symptoms.n;
		item->n_rows = item->digest->rows.n;
	}
	if (is_kept)
		keep_digest_item(item);
	else if (item->digest && run->options->sink) {
		lode_job_item_sink(item, item->digest);
		item->digest = NULL;
	} else if (item->digest && run->is_packed)
		pack_digest_item(item);
}

/* ---- Taking ---- */

struct lode_digest *lode_job_item_take_digest(struct lode_job_item *item)
{
	struct lode_digest *digest = item->digest;
	struct lode_digest_origin origin = {0};
	struct lode_error err;
	int rc = 0;

	item->digest = NULL;
	if (item->skipped || digest)
		return digest;
	if (item->run->options->sink) {
		if (item->is_given_digest && !sink_has(item))
			rc = lode_digest_load_packed(&digest, &origin, &item->packed, item->file,
						     &err);
	} else if (item->packed.n)
		rc = lode_digest_unpack(&digest, &origin, item->packed.at, item->packed.n,
					item->file, &err);
	else if (item->is_given_digest || item->digest_path)
		rc = lode_digest_load(&digest, &origin,
				      item->is_given_digest ? item->file : item->digest_path, &err);
	if (rc < 0)
		lode_job_item_skip(item, &err);
	if (!item->run->options->sink)
		lode_vec_release(&item->packed);
	lode_digest_origin_release(&origin);
	return digest;
}

void lode_job_item_release(struct lode_job_item *item)
{
	lode_input_close(item->input);
	lode_vec_release(&item->beside);
	lode_vec_release(&item->joined);
	lode_digest_free(item->digest);
	lode_stream_free(item->kept);
	lode_vec_release(&item->packed);
	lode_digest_origin_release(&item->origin);
	free(item->digest_path);
	free(item->skipped);
	free(item->cut);
	free(item->why_none);
}
