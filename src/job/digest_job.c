#include "job/digest_job.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/input.h"
#include "base/pool.h"

/*
 * What a stream takes in memory per byte of its file, as a rule of thumb: columns and stacks are
 * about half of a plain recording, and recordings compress 20 to 1.
 */
static const int64_t plain_memory_percent = 60, compressed_memory_percent = 1200;

/* One input on its way to its digest; written by its own job alone. */
struct item {
	const char *path;
	const struct lode_symptom_spec *spec;
	int64_t size_bytes, need_bytes;
	atomic_llong consumed_bytes;
	struct lode_digest *digest;
	char reason[sizeof(((struct lode_error *)0)->message) + 600]; /* why skipped, or cut */
	struct run *run;
};

struct run {
	const struct lode_digest_job_options *options;
	struct lode_symboliser *symboliser;
	unsigned n_threads_each;
	struct item *items;
	size_t *order; /* largest first, so that none of them is left for the end */
	size_t n_items;
	int64_t total_bytes;
	atomic_llong done_bytes;
	atomic_size_t n_done;
};

static void report_progress(struct run *run)
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
	struct item *item = context;
	long long before = atomic_exchange(&item->consumed_bytes, consumed_bytes);

	atomic_fetch_add(&item->run->done_bytes, consumed_bytes - before);
	report_progress(item->run);
}

/* A file that ends early or holds bad records: its result stands on what was readable. */
static void note_incomplete(struct item *item, const struct lode_losses *losses)
{
	static const enum lode_loss_kind kinds[] = {LODE_LOSS_TRUNCATED, LODE_LOSS_BAD_RECORD,
						    LODE_LOSS_UNDECODABLE};

	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
		const struct lode_loss *loss = &losses->by_kind[kinds[i]];
		size_t used = strlen(item->reason);

		if (!loss->count)
			continue;
		snprintf(item->reason + used, sizeof(item->reason) - used, "%s%s (%llu): %s",
			 used ? "; " : "", lode_loss_name(kinds[i]),
			 (unsigned long long)loss->count, loss->detail);
	}
}

static int make_digest(struct item *item, struct lode_stream **stream, lode_symptom_vec *symptoms,
		       struct lode_error *err)
{
	const struct lode_digest_job_options *options = item->run->options;
	struct lode_source_options source = {
		.symboliser = item->run->symboliser,
		.narrow = options->narrow,
		.n_threads = item->run->n_threads_each,
		.memory_bytes = options->memory_bytes,
		.folded_kind = options->folded_kind,
		.unit = options->unit,
		.progress = item_progress,
		.progress_context = item,
	};
	int rc = lode_stream_load(stream, item->path, &source, err);

	if (rc < 0)
		return rc;
	rc = lode_symptoms_find(symptoms, item->spec, *stream, err);
	if (rc < 0)
		return rc;
	rc = lode_aoi_digest(&item->digest, *stream, symptoms->at, symptoms->n, &options->aoi, err);
	if (rc == 0)
		note_incomplete(item, &(*stream)->losses);
	return rc;
}

static void run_item(void *context, size_t index, unsigned worker)
{
	struct run *run = context;
	struct item *item = &run->items[run->order[index]];
	struct lode_stream *stream = NULL;
	lode_symptom_vec symptoms = {0};
	struct lode_error err = {0};
	char text[sizeof(err.path) + sizeof(err.message) + 64];

	(void)worker;
	if (make_digest(item, &stream, &symptoms, &err) < 0) {
		const char *reason = lode_error_text(&err, text, sizeof(text));
		size_t len = strlen(item->path);

		/* The list names the path already. */
		if (strncmp(reason, item->path, len) == 0 && reason[len] == ':')
			reason += len + 2;
		snprintf(item->reason, sizeof(item->reason), "%s", reason);
	}
	lode_vec_release(&symptoms);
	lode_stream_free(stream);
	atomic_fetch_add(&run->n_done, 1);
	item_progress(item, item->size_bytes);
}

static void measure(struct item *item)
{
	struct lode_input *input;
	struct stat st;

	if (strcmp(item->path, "-") == 0 || stat(item->path, &st) < 0 || !S_ISREG(st.st_mode))
		return;
	item->size_bytes = st.st_size;
	if (lode_input_open(&input, item->path, NULL) < 0)
		return;
	item->need_bytes =
		item->size_bytes / 100 *
		(lode_input_is_seekable(input) ? plain_memory_percent : compressed_memory_percent);
	lode_input_close(input);
}

static int by_need_descending(const void *a, const void *b)
{
	const struct item *const *x = a, *const *y = b;

	if ((*x)->need_bytes != (*y)->need_bytes)
		return (*x)->need_bytes < (*y)->need_bytes ? 1 : -1;
	return *x < *y ? -1 : *x > *y;
}

/* Orders the items by size and gives how many may be in memory together, at least one. */
static unsigned plan(struct run *run, unsigned n_threads, int64_t memory_bytes)
{
	const struct item **sorted = lode_alloc0(run->n_items + 1, sizeof(struct item *));
	int64_t need = 0;
	unsigned together = 0;

	for (size_t i = 0; i < run->n_items; i++) {
		measure(&run->items[i]);
		run->total_bytes += run->items[i].size_bytes;
		sorted[i] = &run->items[i];
	}
	qsort(sorted, run->n_items, sizeof(struct item *), by_need_descending);
	for (size_t i = 0; i < run->n_items; i++) {
		run->order[i] = (size_t)(sorted[i] - run->items);
		need += sorted[i]->need_bytes;
		if (together == i && together < n_threads && (i == 0 || need <= memory_bytes))
			together++;
	}
	free(sorted);
	return together ? together : 1;
}

static int64_t half_of_machine(void)
{
	return (int64_t)sysconf(_SC_PHYS_PAGES) * sysconf(_SC_PAGESIZE) / 2;
}

static void add_skipped(struct lode_digest_job *job, const char *path, const char *reason)
{
	struct lode_skipped_input skipped = {
		lode_arena_strndup(&job->arena, path, strlen(path)),
		lode_arena_strndup(&job->arena, reason, strlen(reason)),
	};

	lode_vec_append(&job->skipped, skipped);
}

/* Takes over what the items came to, in input order. */
static void collect(struct lode_digest_job *job, struct run *run)
{
	for (size_t i = 0; i < run->n_items; i++) {
		struct item *item = &run->items[i];
		struct lode_skipped_input cut;

		if (!item->digest) {
			add_skipped(job, item->path, item->reason);
			continue;
		}
		if (item->reason[0]) {
			cut.path = lode_arena_strndup(&job->arena, item->path, strlen(item->path));
			cut.reason =
				lode_arena_strndup(&job->arena, item->reason, strlen(item->reason));
			lode_vec_append(&job->incomplete, cut);
		}
		if (!job->digest) {
			job->digest = item->digest;
			continue;
		}
		lode_digest_merge(job->digest, item->digest);
		lode_digest_free(item->digest);
	}
}

/* ---- Symptoms: one specification for all, or one per folder that brings its own ---- */

struct specs {
	struct lode_symptom_spec *common;
	LODE_VEC(struct folder_spec {
		char *table;
		struct lode_symptom_spec *spec;
	})
	folders;
};

static bool are_symptoms_given(const struct lode_symptom_options *options)
{
	return options->select || options->tsv_path || options->comm || options->pid >= 0;
}

/* "DIR/symptoms.tsv" for a recording in DIR; NULL when there is none. */
static char *table_beside(const char *path)
{
	const char *slash = strrchr(path, '/');
	size_t folder = slash ? (size_t)(slash - path) + 1 : 0;
	size_t size = folder + sizeof("symptoms.tsv");
	char *table = lode_alloc(size);

	snprintf(table, size, "%.*ssymptoms.tsv", (int)folder, path);
	if (strcmp(path, "-") != 0 && access(table, R_OK) == 0)
		return table;
	free(table);
	return NULL;
}

static int spec_beside(const struct lode_symptom_spec **out, struct specs *specs,
		       const struct lode_symptom_options *options, const char *path,
		       struct lode_error *err)
{
	struct lode_symptom_options of_folder = *options;
	char *table = table_beside(path);
	struct folder_spec folder = {.table = table};
	int rc;

	*out = specs->common;
	if (!table)
		return 0;
	for (size_t i = 0; i < specs->folders.n; i++) {
		if (strcmp(specs->folders.at[i].table, table) != 0)
			continue;
		*out = specs->folders.at[i].spec;
		free(table);
		return 0;
	}
	of_folder.tsv_path = table;
	rc = lode_symptom_spec_new(&folder.spec, &of_folder, err);
	if (rc < 0) {
		free(table);
		return rc;
	}
	lode_vec_append(&specs->folders, folder);
	*out = folder.spec;
	return 0;
}

/* Gives each item its specification, and the job the words for it. */
static int choose_symptoms(struct lode_digest_job *job, struct specs *specs, struct run *run,
			   struct lode_error *err)
{
	const struct lode_symptom_options *options = &run->options->symptoms;
	const char *text;
	size_t n_beside = 0;
	int rc = lode_symptom_spec_new(&specs->common, options, err);

	for (size_t i = 0; rc == 0 && i < run->n_items; i++) {
		struct item *item = &run->items[i];

		item->spec = specs->common;
		if (!are_symptoms_given(options))
			rc = spec_beside(&item->spec, specs, options, item->path, err);
		n_beside += item->spec != specs->common;
	}
	if (rc < 0)
		return rc;
	text = n_beside ? "those listed in symptoms.tsv beside the recordings"
			: lode_symptom_spec_text(specs->common);
	if (n_beside && n_beside < run->n_items)
		text = "those listed in symptoms.tsv beside the recordings; elsewhere every thread "
		       "of the recorded command";
	job->is_default_symptoms = !n_beside && !are_symptoms_given(options);
	job->symptom_text = lode_arena_strndup(&job->arena, text, strlen(text));
	return 0;
}

static void release_specs(struct specs *specs)
{
	lode_symptom_spec_free(specs->common);
	for (size_t i = 0; i < specs->folders.n; i++) {
		lode_symptom_spec_free(specs->folders.at[i].spec);
		free(specs->folders.at[i].table);
	}
	lode_vec_release(&specs->folders);
}

static int run_items(struct lode_digest_job *job, struct run *run, struct lode_error *err)
{
	const struct lode_digest_job_options *options = run->options;
	unsigned n_threads = options->n_threads ? options->n_threads : lode_pool_cpus();
	struct specs specs = {0};
	unsigned n_together;
	int rc = choose_symptoms(job, &specs, run, err);

	if (rc == 0)
		rc = lode_symboliser_new(&run->symboliser, &options->symbols, err);
	if (rc == 0) {
		n_together = plan(run, n_threads,
				  options->memory_bytes ? (int64_t)options->memory_bytes
							: half_of_machine());
		run->n_threads_each = n_threads / n_together;
		job->input_bytes = run->total_bytes;
		lode_pool_run(n_together, run->n_items, run_item, run);
		collect(job, run);
	}
	lode_symboliser_free(run->symboliser);
	release_specs(&specs);
	return rc;
}

int lode_digest_job_run(struct lode_digest_job *out, char *const *inputs, size_t n_inputs,
			const struct lode_digest_job_options *options, struct lode_error *err)
{
	struct lode_inputs expanded = {0};
	struct run run = {.options = options};
	int rc;

	memset(out, 0, sizeof(*out));
	rc = lode_inputs_expand(&expanded, inputs, n_inputs, err);
	if (rc < 0)
		return rc;
	for (size_t i = 0; i < expanded.n_skipped; i++)
		add_skipped(out, expanded.skipped[i].path, expanded.skipped[i].reason);
	run.n_items = out->n_inputs = expanded.paths.n;
	run.items = lode_alloc0(run.n_items + 1, sizeof(*run.items));
	run.order = lode_alloc0(run.n_items + 1, sizeof(*run.order));
	for (size_t i = 0; i < run.n_items; i++) {
		run.items[i].path = expanded.paths.at[i];
		run.items[i].run = &run;
	}
	rc = run_items(out, &run, err);
	free(run.items);
	free(run.order);
	lode_inputs_release(&expanded);
	return rc;
}

void lode_digest_job_release(struct lode_digest_job *job)
{
	lode_digest_free(job->digest);
	lode_vec_release(&job->skipped);
	lode_vec_release(&job->incomplete);
	lode_arena_release(&job->arena);
	memset(job, 0, sizeof(*job));
}
