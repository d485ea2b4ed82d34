/* Merges the items of a digest job in order. */
#include "streams/digest_merge.h"

#include <stdio.h>

#include "engine/waits/fold.h"
#include "base/pipeline.h"

/* A digest on its way from where it lies to the merged one. */
struct slot {
	struct lode_job_item *item;
	struct lode_digest *digest;
};

/* A stream of the merged digest: the item that it came with, and the one of the same content
   before it, or NONE. */
struct seen {
	uint32_t item, before;
};

struct merge {
	struct lode_digest_job *job;
	struct lode_job_run *run;
	size_t next;
	struct lode_map seen;	       /* content of streams -> the last merged stream of it */
	LODE_VEC(struct seen) streams; /* that are merged */
};

/* ---- Lists ---- */

static struct lode_skipped_input input_of(struct lode_digest_job *job, const char *path,
					  const char *reason)
{
	return (struct lode_skipped_input){
		lode_arena_strdup(&job->arena, path),
		lode_arena_strdup(&job->arena, reason),
	};
}

void lode_job_add_skipped(struct lode_digest_job *job, const char *path, const char *reason)
{
	lode_vec_append(&job->skipped, input_of(job, path, reason));
}

static void add_incomplete(struct lode_digest_job *job, const char *path, const char *what)
{
	lode_vec_append(&job->incomplete, input_of(job, path, what));
}

static void list_output(struct lode_digest_job *job, const struct lode_job_item *item)
{
	const char *digest = item->is_given_digest ? item->file : item->digest_path;
	struct lode_digest_output output = {
		.state = item->state,
		.input_bytes = item->is_given_digest ? item->origin.input_bytes : item->size_bytes,
		.content_bytes = item->origin.content_bytes,
		.digest_bytes = (int64_t)item->digest_bytes,
		.n_symptoms = item->n_symptoms,
		.n_rows = item->n_rows,
	};

	if (!digest || item->skipped)
		return;
	output.path = lode_arena_strdup(&job->arena, item->path);
	output.digest_path = output.path;
	if (strcmp(digest, item->path) != 0)
		output.digest_path = lode_arena_strdup(&job->arena, digest);
	lode_vec_append(&job->outputs, output);
}

static void list_item(struct lode_digest_job *job, const struct lode_job_item *item)
{
	list_output(job, item);
	if (item->skipped)
		lode_job_add_skipped(job, item->path, item->skipped);
	for (size_t i = 0; item->is_given_digest && i < item->origin.skipped.n; i++)
		lode_job_add_skipped(job, item->origin.skipped.at[i].path,
				     item->origin.skipped.at[i].reason);
	if (item->cut && !item->skipped)
		add_incomplete(job, item->path, item->cut);
}

void lode_job_list(struct lode_digest_job *job, struct lode_job_run *run)
{
	for (size_t i = 0; i < run->n_items; i++)
		list_item(job, &run->items[i]);
}

void lode_job_list_cut(struct lode_digest_job *job, const struct lode_digest *digest)
{
	for (size_t i = 0; i < digest->streams.n; i++) {
		const struct lode_digest_stream *stream = &digest->streams.at[i];
		char *cut = lode_job_digest_cut_text(digest, stream);

		if (cut)
			add_incomplete(job, digest->tree.strings.text.at[stream->path], cut);
		free(cut);
	}
}

/* ---- Merging ---- */

void lode_job_filter(struct lode_digest *digest, const struct lode_aoi_options *aoi)
{
	size_t n = 0;

	for (size_t i = 0; i < digest->rows.n; i++) {
		const struct lode_digest_row *row = &digest->rows.at[i];

		if ((!aoi->kinds || aoi->kinds >> row->kind & 1) &&
		    (!aoi->reasons || aoi->reasons >> row->reason & 1))
			digest->rows.at[n++] = *row;
	}
	digest->rows.n = n;
	lode_content_filter(digest, aoi);
	digest->n_events = 0;
	for (size_t i = 0; i < digest->rows.n; i++)
		digest->n_events += digest->rows.at[i].n_events;
}

/* Of recordings that count together; a cut one has another size than the whole one. */
static bool is_recompressed(const struct merge *merge, const struct lode_job_item *a,
			    const struct lode_job_item *b)
{
	return !merge->run->options->is_canonical && !a->is_given_digest && !b->is_given_digest &&
	       a->origin.content_bytes == b->origin.content_bytes;
}

/*
 * The merged stream that this one repeats, or NONE. Of two digests it is that of the same path: as
 * one process would have it, whatever recordings were digested together. Of two recordings it is
 * the one before, which is compressed differently; each line of a manifest counts.
 */
static uint32_t find_seen(const struct merge *merge, const struct lode_job_item *item,
			  const struct lode_digest *digest, const struct lode_digest_stream *stream)
{
	const struct lode_digest *into = merge->job->digest;
	const char *path = digest->tree.strings.text.at[stream->path];
	uint32_t i = lode_map_find(&merge->seen, stream->content_hash);

	for (; i != LODE_NONE; i = merge->streams.at[i].before) {
		const struct lode_job_item *with = &merge->run->items[merge->streams.at[i].item];
		bool is_digest = with->is_given_digest;

		if (is_digest != item->is_given_digest || is_recompressed(merge, item, with) ||
		    (is_digest &&
		     strcmp(path, into->tree.strings.text.at[into->streams.at[i].path]) == 0))
			return i;
	}
	return LODE_NONE;
}

/*
 * Did one of the digest's streams come with an earlier input? Copies that a manifest lists are the
 * user's own choice, and stay so when digests were made of them.
 */
static bool is_repeated(struct merge *merge, struct lode_job_item *item,
			const struct lode_digest *digest)
{
	char text[1400];

	for (size_t i = 0; i < digest->streams.n; i++) {
		const struct lode_digest_stream *stream = &digest->streams.at[i];
		uint32_t earlier = find_seen(merge, item, digest, stream);
		const struct lode_job_item *with;

		if (earlier == LODE_NONE)
			continue;
		with = &merge->run->items[merge->streams.at[earlier].item];
		if (item->is_given_digest || with->is_given_digest)
			snprintf(text, sizeof(text),
				 "%.600s is already included in %.600s, and would count twice",
				 digest->tree.strings.text.at[stream->path], with->path);
		else
			snprintf(text, sizeof(text),
				 "it is the same recording as %.600s, and would count twice",
				 with->path);
		item->skipped = lode_strdup(text);
		return true;
	}
	for (size_t i = 0; i < digest->streams.n; i++) {
		uint32_t *slot = lode_map_slot(&merge->seen, digest->streams.at[i].content_hash);
		struct seen seen = {(uint32_t)(item - merge->run->items), *slot};

		*slot = (uint32_t)merge->streams.n;
		lode_vec_append(&merge->streams, seen);
	}
	return false;
}

static int make_slot(void *context, void *item)
{
	struct merge *merge = context;
	struct slot *slot = item;

	if (merge->next == merge->run->n_items)
		return LODE_PIPELINE_END;
	slot->item = &merge->run->items[merge->next++];
	return LODE_PIPELINE_ITEM;
}

static void work_slot(void *context, void *item, unsigned worker)
{
	struct merge *merge = context;
	struct slot *slot = item;

	(void)worker;
	slot->digest = lode_job_item_take_digest(slot->item);
	if (slot->digest && slot->item->needs_filter)
		lode_job_filter(slot->digest, &merge->run->options->aoi);
}

static int take_slot(void *context, void *item)
{
	struct merge *merge = context;
	struct slot *slot = item;
	struct lode_digest_job *job = merge->job;
	struct lode_digest *digest = slot->digest;

	slot->digest = NULL;
	if (digest && !merge->run->options->sink && is_repeated(merge, slot->item, digest)) {
		lode_digest_free(digest);
		digest = NULL;
	}
	if (digest && !merge->run->options->sink && job->digest &&
	    !lode_digest_fits(job->digest, digest)) {
		slot->item->skipped =
			lode_strdup("its costs and those before it add up to 2^63 or more");
		lode_digest_free(digest);
		digest = NULL;
	}
	if (digest && slot->item->is_given_digest) {
		slot->item->n_symptoms = digest->symptoms.n;
		slot->item->n_rows = digest->rows.n;
	}
	list_item(job, slot->item);
	if (digest && slot->item->is_given_digest)
		lode_job_list_cut(job, digest);
	if (slot->item->is_given_digest)
		lode_job_item_done(slot->item);
	if (digest && merge->run->options->sink) {
		if (!atomic_load(&merge->run->has_failed))
			lode_job_item_sink(slot->item, digest);
		else
			lode_digest_free(digest);
	} else if (digest && job->digest) {
		lode_digest_merge(job->digest, digest);
		lode_digest_free(digest);
	} else if (digest) {
		job->digest = digest;
	}
	return 0;
}

/* As many as keep the threads busy, and fit. */
static size_t choose_slots(const struct lode_job_run *run, unsigned n_threads, int64_t memory_bytes)
{
	size_t n = 2 * (size_t)n_threads;
	int64_t largest = 1;

	for (size_t i = 0; i < run->n_items; i++)
		if (run->items[i].is_given_digest && run->items[i].need_bytes > largest)
			largest = run->items[i].need_bytes;
	if ((int64_t)n > memory_bytes / largest)
		n = (size_t)(memory_bytes / largest);
	return n ? n : 1;
}

void lode_job_merge(struct lode_digest_job *job, struct lode_job_run *run, unsigned n_threads,
		    int64_t memory_bytes)
{
	struct merge merge = {.job = job, .run = run};
	size_t n = choose_slots(run, n_threads, memory_bytes);
	struct slot *slots = lode_alloc0(n, sizeof(*slots));
	const struct lode_pipeline pipeline = {
		.make = make_slot,
		.work = work_slot,
		.take = take_slot,
		.context = &merge,
		.items = slots,
		.item_bytes = sizeof(*slots),
		.n_items = n,
	};

	lode_pipeline_run(&pipeline, n_threads);
	lode_map_release(&merge.seen);
	lode_vec_release(&merge.streams);
	free(slots);
}
