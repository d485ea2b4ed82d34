/* From a request to an answer: makes digests in parallel, stores each, reports each. */
#include <limits.h>
#include <sys/stat.h>

#include "answers/import/import.h"
#include "base/clock.h"
#include "base/sorted.h"
#include "store/repo_care.h"
#include "store/repo_intake.h"
#include "streams/digest_merge.h"
#include "streams/shape.h"
#include "document/findings.h"
#include "document/units.h"

struct lode_import_state {
	struct lode_import_answer answer; /* what the caller holds */
	const struct lode_import_request *request;
	struct lode_repo_intake *intake;
	struct lode_digest_job job;
	LODE_VEC(struct lode_imported) inputs;
	struct lode_arena arena;
};

/* ---- What is said first ---- */

static struct lode_opening opening_of_import(const struct lode_import_answer *answer,
					     struct lode_arena *arena)
{
	size_t n_skipped = answer->job->skipped.n;
	char n[LODE_UNITS_BUFFER], bytes[LODE_UNITS_BUFFER];
	const char *words =
		lode_finding_text(arena, "%s added",
				  lode_format_plural(n, answer->n_streams_added, "recording"));

	if (answer->n_replaced)
		words = lode_finding_text(arena, "%s, %s replaced", words,
					  lode_format_plural(n, answer->n_replaced, "input"));
	if (answer->n_there)
		words = lode_finding_text(arena, "%s, %s there already", words,
					  lode_format_plural(n, answer->n_there, "input"));
	if (n_skipped)
		words = lode_finding_text(arena, "%s, %s skipped", words,
					  lode_format_plural(n, n_skipped, "input"));
	return (struct lode_opening){
		.finding = lode_finding_text(arena, "%s; %s: %s, %s.", words, answer->repo,
					     lode_format_plural(n, (uint64_t)answer->n_streams,
								"recording"),
					     lode_format_bytes(bytes, answer->file_bytes)),
		.next_command =
			answer->n_streams ? lode_next_of_repo(arena, "mine", answer->repo) : NULL,
	};
}

/* ---- What became of inputs ---- */

static void note_imported(void *context, const char *path, enum lode_repo_added added,
			  size_t n_streams)
{
	struct lode_import_state *s = context;
	struct lode_imported input = {lode_arena_strdup(&s->arena, path), added, n_streams};

	lode_vec_append(&s->inputs, input);
	if (s->request->told)
		s->request->told(s->request->context, path, added, n_streams);
}

static void note_overtaken(void *context, size_t nth)
{
	struct lode_import_state *s = context;
	struct lode_imported *input = &s->inputs.at[nth];

	input->added = LODE_REPO_THERE;
	if (s->request->told)
		s->request->told(s->request->context, input->path, input->added, input->n_streams);
}

LODE_COMPARE(by_path, struct lode_imported, strcmp(a->path, b->path))

static void count_imported(struct lode_import_state *s, const struct lode_imported *input)
{
	struct lode_import_answer *answer = &s->answer;

	switch (input->added) {
	case LODE_REPO_ADDED:
		answer->n_added++;
		answer->n_streams_added += input->n_streams;
		break;
	case LODE_REPO_THERE:
		answer->n_there++;
		break;
	case LODE_REPO_REPLACED:
		answer->n_replaced++;
		break;
	case LODE_REPO_OVERLAPS:
		lode_job_add_skipped(
			&s->job, input->path,
			"some of its recordings are already in the repository, and a merged digest "
			"cannot be imported in part: import its recordings, or a digest of each");
		break;
	}
}

static void list_imported(struct lode_import_state *s)
{
	struct lode_import_answer *answer = &s->answer;
	size_t n = s->inputs.n, top = s->request->top;

	lode_sort(s->inputs.at, n, by_path);
	for (size_t i = 0; i < n; i++)
		count_imported(s, &s->inputs.at[i]);
	answer->list = s->inputs.at;
	answer->n_inputs = n;
	answer->n_listed = lode_listed(top, n);
	answer->n_more = n - answer->n_listed;
}

/* ---- Taking digests ---- */

/* The same from every folder; standard input is itself. */
static const char *source_path(const char *path, char real[PATH_MAX])
{
	return strcmp(path, "-") != 0 && realpath(path, real) ? real : path;
}

static bool is_imported(void *context, const char *path, uint64_t key)
{
	struct lode_import_state *s = context;
	char real[PATH_MAX];

	if (s->request->again || !lode_repo_intake_has(s->intake, source_path(path, real), key))
		return false;
	lode_repo_intake_tell(s->intake, path, LODE_REPO_THERE);
	return true;
}

static int64_t file_time_ns(const char *path)
{
	struct stat st;

	if (strcmp(path, "-") != 0 && stat(path, &st) == 0)
		return (int64_t)st.st_mtim.tv_sec * 1000000000 + st.st_mtim.tv_nsec;
	return lode_clock_ns(CLOCK_REALTIME);
}

static int agree_on_shape(void *context, const char *shape, const char *path,
			  struct lode_error *err)
{
	const struct lode_import_state *s = context;
	const struct lode_repo *repo = s->request->repo;
	char here[256], there[256];

	if (!lode_repo_shape(repo) ||
	    !lode_shape_difference(here, there, shape, lode_repo_shape(repo)))
		return 0;
	return lode_fail(
		err, LODE_ERR_ARG, path, -1,
		"it was made %s, but the digests in %.200s were made %s: digests made with "
		"different options cannot be merged; import it into another repository",
		here, lode_repo_path(repo), there);
}

typedef LODE_VEC(struct lode_repo_label) label_vec;

/* Those of the request, and behind them those that a manifest gives this input, which win. */
static int labels_of(label_vec *out, char **text, const struct lode_import_request *request,
		     const struct lode_digest_taken *taken, struct lode_error *err)
{
	char *rest = *text = lode_strdup(taken->labels), *field;

	lode_vec_append_all(out, request->labels, request->n_labels);
	while (rest && *rest) {
		char *value = strchr(field = strsep(&rest, "\t"), '=');

		*value++ = '\0';
		if (!lode_repo_label_is_key(field, strlen(field)))
			return lode_fail(err, LODE_ERR_ARG, taken->path, -1,
					 "its manifest sets the label '%.60s', which is a reserved "
					 "query field: rename the label",
					 field);
		lode_vec_append(out, ((struct lode_repo_label){field, value}));
	}
	return 0;
}

static int take_digest(void *context, const struct lode_digest_taken *taken, struct lode_error *err)
{
	struct lode_import_state *s = context;
	char real[PATH_MAX], *text;
	label_vec labels = {0};
	int rc;
	struct lode_repo_source source = {
		.path = source_path(taken->path, real),
		.key = taken->key,
		.place = taken->place,
		.file_ns = file_time_ns(taken->file),
	};
	struct lode_repo_entry *entry;

	if (!taken->digest->streams.n) {
		lode_digest_free(taken->digest);
		return 0;
	}
	rc = labels_of(&labels, &text, s->request, taken, err);
	if (rc == 0) {
		entry = lode_repo_entry_new(taken->digest, taken->origin, &source, labels.at,
					    labels.n, taken->packed);
		rc = lode_repo_intake_put(s->intake, entry, taken->path, taken->is_given, err);
	} else {
		lode_digest_free(taken->digest);
	}
	lode_vec_release(&labels);
	free(text);
	return rc;
}

/* ---- The whole ---- */

static int import_inputs(struct lode_import_state *s, struct lode_error *err)
{
	const struct lode_import_request *request = s->request;
	struct lode_repo_intake_options intake = {.replace = request->again,
						  .defer = request->defer,
						  .told = note_imported,
						  .overtaken = note_overtaken,
						  .context = s};
	struct lode_digest_sink sink = {
		.context = s, .agree = agree_on_shape, .has = is_imported, .take = take_digest};
	struct lode_digest_job_options reading = request->reading;
	struct lode_error late;
	int rc, flushed;

	s->intake = lode_repo_intake_new(request->repo, &intake);
	reading.sink = &sink;
	rc = lode_digest_job_run(&s->job, request->inputs, request->n_inputs, &reading, err);
	/* What came before a failure is stored all the same. */
	flushed = lode_repo_intake_flush(s->intake, &late);
	if (rc == 0 && flushed < 0) {
		*err = late;
		rc = flushed;
	}
	lode_repo_intake_free(s->intake);
	return rc;
}

int lode_import_run(struct lode_import_answer **out, const struct lode_import_request *request,
		    struct lode_error *err)
{
	struct lode_import_state *s = lode_alloc0(1, sizeof(*s));
	struct lode_repo_sums sums = {0};
	int rc;

	s->answer = (struct lode_import_answer){
		.job = &s->job, .repo = lode_repo_path(request->repo), .state = s};
	s->request = request;
	*out = &s->answer;
	rc = import_inputs(s, err);
	list_imported(s);
	if (rc == 0)
		rc = lode_repo_sums(&sums, request->repo, err);
	s->answer.n_streams = sums.n_streams;
	s->answer.file_bytes = sums.file_bytes;
	s->answer.opening = opening_of_import(&s->answer, &s->arena);
	return rc;
}

void lode_import_free(struct lode_import_answer *answer)
{
	struct lode_import_state *s = answer ? answer->state : NULL;

	if (!s)
		return;
	lode_digest_job_release(&s->job);
	lode_vec_release(&s->inputs);
	lode_arena_release(&s->arena);
	free(s);
}
