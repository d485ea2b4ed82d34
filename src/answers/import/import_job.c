#include "answers/import/import_job.h"

#include <limits.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/clock.h"
#include "streams/digest_merge.h"
#include "streams/shape.h"
#include "store/repo_intake.h"

struct importing {
	struct lode_import *import;
	struct lode_repo *repo;
	struct lode_repo_intake *intake;
	const struct lode_import_options *options;
};

/* ---- What became of inputs ---- */

static void told(void *context, const char *path, enum lode_repo_added added, size_t n_streams)
{
	struct importing *importing = context;
	struct lode_import *import = importing->import;
	struct lode_imported input = {lode_arena_strndup(&import->arena, path, strlen(path)), added,
				      n_streams};

	lode_vec_append(&import->inputs, input);
	if (importing->options->told)
		importing->options->told(importing->options->context, path, added, n_streams);
}

static int by_path(const void *left, const void *right)
{
	const struct lode_imported *a = left, *b = right;

	return strcmp(a->path, b->path);
}

static void count_import_job(struct lode_import *import)
{
	if (import->inputs.n)
		qsort(import->inputs.at, import->inputs.n, sizeof(*import->inputs.at), by_path);
	for (size_t i = 0; i < import->inputs.n; i++) {
		const struct lode_imported *input = &import->inputs.at[i];

		switch (input->added) {
		case LODE_REPO_ADDED:
			import->n_added++;
			import->n_streams_added += input->n_streams;
			break;
		case LODE_REPO_THERE:
			import->n_there++;
			break;
		case LODE_REPO_REPLACED:
			import->n_replaced++;
			break;
		case LODE_REPO_OVERLAPS:
			lode_job_add_skipped(
				&import->job, input->path,
				"some of its streams are in the repository already, and name "
				"statistics of a merged digest cannot be taken apart: import its "
				"recordings, or a digest of each");
			break;
		}
	}
}

/* ---- Taking digests ---- */

/* The same from every folder; standard input is itself. */
static const char *source_path(const char *path, char real[PATH_MAX])
{
	return strcmp(path, "-") != 0 && realpath(path, real) ? real : path;
}

static bool has(void *context, const char *path, uint64_t key)
{
	struct importing *importing = context;
	char real[PATH_MAX];

	if (importing->options->again ||
	    !lode_repo_intake_has(importing->intake, source_path(path, real), key))
		return false;
	lode_repo_intake_tell(importing->intake, path, LODE_REPO_THERE);
	return true;
}

static int64_t file_time(const char *path)
{
	struct stat st;

	if (strcmp(path, "-") != 0 && stat(path, &st) == 0)
		return (int64_t)st.st_mtim.tv_sec * 1000000000 + st.st_mtim.tv_nsec;
	return lode_clock_ns(CLOCK_REALTIME);
}

static int agree(void *context, const char *shape, const char *path, struct lode_error *err)
{
	const struct importing *importing = context;
	const char *repo = lode_repo_path(importing->repo);
	char here[256], there[256];

	if (!lode_repo_shape(importing->repo) ||
	    !lode_shape_difference(here, there, shape, lode_repo_shape(importing->repo)))
		return 0;
	return lode_fail(
		err, LODE_ERR_ARG, path, -1,
		"made %s, and what is in %.200s was made %s: only what was made alike adds "
		"up; import it into a repository of its own",
		here, repo, there);
}

static int take_import_job(void *context, const struct lode_digest_taken *taken,
			   struct lode_error *err)
{
	struct importing *importing = context;
	char real[PATH_MAX];
	struct lode_repo_source source = {
		.path = source_path(taken->path, real),
		.key = taken->key,
		.file_ns = file_time(taken->path),
	};
	struct lode_repo_entry *entry;

	if (!taken->digest->streams.n) {
		lode_digest_free(taken->digest);
		return 0;
	}
	entry = lode_repo_entry_new(taken->digest, taken->origin, &source,
				    importing->options->labels, importing->options->n_labels,
				    taken->packed);
	return lode_repo_intake_put(importing->intake, entry, taken->path, taken->is_given, err);
}

int lode_import_run(struct lode_import *out, struct lode_repo *repo, char *const *inputs,
		    size_t n_inputs, const struct lode_import_options *options,
		    struct lode_error *err)
{
	struct importing importing = {.import = out, .repo = repo, .options = options};
	struct lode_repo_intake_options intake = {
		.replace = options->again, .told = told, .context = &importing};
	struct lode_digest_sink sink = {
		.context = &importing, .agree = agree, .has = has, .take = take_import_job};
	struct lode_digest_job_options job = options->job;
	struct lode_error late;
	int rc, flushed;

	memset(out, 0, sizeof(*out));
	importing.intake = lode_repo_intake_new(repo, &intake);
	job.sink = &sink;
	rc = lode_digest_job_run(&out->job, inputs, n_inputs, &job, err);
	/* What came before a failure is stored all the same. */
	flushed = lode_repo_intake_flush(importing.intake, &late);
	if (rc == 0 && flushed < 0) {
		*err = late;
		rc = flushed;
	}
	lode_repo_intake_free(importing.intake);
	count_import_job(out);
	return rc;
}

void lode_import_release(struct lode_import *import)
{
	lode_digest_job_release(&import->job);
	lode_vec_release(&import->inputs);
	lode_arena_release(&import->arena);
	memset(import, 0, sizeof(*import));
}
