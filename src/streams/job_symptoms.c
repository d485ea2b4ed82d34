/* The symptoms of recordings: which each has, the slowest of all, and what they are called. */
#include "streams/job_symptoms.h"

#include <math.h>
#include <unistd.h>

#include "base/written.h"
#include "base/sorted.h"

/* ---- Of each recording ---- */

struct folder_spec {
	char *table;
	struct lode_symptom_spec *spec;
};

struct lode_job_symptoms {
	struct lode_symptom_options options;
	struct lode_symptom_spec *common;
	LODE_VEC(struct folder_spec) folders;
};

bool lode_job_symptoms_are_given(const struct lode_symptom_options *options)
{
	return options->select || options->tsv_path || options->comm || options->pid >= 0;
}

/* "DIR/symptoms.tsv" for a recording in DIR; NULL when there is none. */
static char *table_beside(const char *path)
{
	size_t folder = lode_path_folder_bytes(path);
	size_t size = folder + sizeof("symptoms.tsv");
	char *table = lode_alloc(size);

	snprintf(table, size, "%.*ssymptoms.tsv", (int)folder, path);
	if (strcmp(path, "-") != 0 && access(table, F_OK) == 0)
		return table;
	free(table);
	return NULL;
}

static int spec_beside(struct lode_job_spec *out, struct lode_job_symptoms *symptoms,
		       const char *path, struct lode_error *err)
{
	struct lode_symptom_options of_folder = symptoms->options;
	char *table = table_beside(path);
	struct folder_spec folder = {.table = table};
	int rc;

	if (!table)
		return 0;
	for (size_t i = 0; i < symptoms->folders.n; i++) {
		if (strcmp(symptoms->folders.at[i].table, table) != 0)
			continue;
		out->spec = symptoms->folders.at[i].spec;
		out->table = symptoms->folders.at[i].table;
		free(table);
		return 0;
	}
	of_folder.tsv_path = table;
	of_folder.is_tsv_found = true;
	rc = lode_symptom_spec_new(&folder.spec, &of_folder, err);
	if (rc < 0) {
		free(table);
		return rc;
	}
	lode_vec_append(&symptoms->folders, folder);
	out->spec = folder.spec;
	out->table = table;
	return 0;
}

int lode_job_symptoms_new(struct lode_job_symptoms **out,
			  const struct lode_symptom_options *options, struct lode_error *err)
{
	struct lode_job_symptoms *symptoms = lode_alloc0(1, sizeof(*symptoms));
	int rc;

	*out = NULL;
	symptoms->options = *options;
	rc = lode_symptom_spec_new(&symptoms->common, options, err);
	if (rc < 0)
		lode_job_symptoms_free(symptoms);
	else
		*out = symptoms;
	return rc;
}

static void release_folders(struct lode_job_symptoms *symptoms)
{
	for (size_t i = 0; i < symptoms->folders.n; i++) {
		lode_symptom_spec_free(symptoms->folders.at[i].spec);
		free(symptoms->folders.at[i].table);
	}
	lode_vec_release(&symptoms->folders);
}

void lode_job_symptoms_free(struct lode_job_symptoms *symptoms)
{
	if (!symptoms)
		return;
	lode_symptom_spec_free(symptoms->common);
	release_folders(symptoms);
	free(symptoms);
}

int lode_job_symptoms_choose(struct lode_job_spec *out, struct lode_job_symptoms *symptoms,
			     const char *path, struct lode_error *err)
{
	*out = (struct lode_job_spec){.spec = symptoms->common};
	if (lode_job_symptoms_are_given(&symptoms->options))
		return 0;
	return spec_beside(out, symptoms, path, err);
}

bool lode_job_symptoms_can_be_read(const void *options, const char *path)
{
	struct lode_job_symptoms symptoms = {.options =
						     *(const struct lode_symptom_options *)options};
	struct lode_job_spec spec;
	bool can = lode_job_symptoms_choose(&spec, &symptoms, path, NULL) == 0;

	release_folders(&symptoms);
	return can;
}

const char *lode_job_symptoms_text(const struct lode_job_symptoms *symptoms)
{
	return lode_symptom_spec_text(symptoms->common);
}

/* ---- In words ---- */

static const char beside[] = "those listed in symptoms.tsv beside the recordings";

static void count_subjects(size_t n[LODE_N_SUBJECTS], const struct lode_digest *digest)
{
	for (size_t i = 0; digest && i < digest->streams.n; i++)
		n[digest->streams.at[i].subject]++;
}

/* Of recordings of one kind, or of several. */
static void write_subjects(FILE *out, const size_t n[LODE_N_SUBJECTS], size_t n_all)
{
	size_t n_whole = n[LODE_SUBJECT_UNNAMED] + n[LODE_SUBJECT_MACHINE];

	if (n_all && n[LODE_SUBJECT_MACHINE] == n_all)
		fputs("every recorded thread, whole recording, as the recorded command only waited",
		      out);
	else if (n_all && n[LODE_SUBJECT_UNNAMED] == n_all)
		fputs("every recorded thread, whole recording, as no command was recorded", out);
	else if (n_all && n[LODE_SUBJECT_PROCESSES] == n_all)
		fputs("every thread of the processes that were recorded, whole recording", out);
	else
		fputs(LODE_DEFAULT_SYMPTOMS, out);
	if (n_whole && n_whole < n_all)
		fprintf(out,
			"; in %zu of %zu recordings, whose command only waited or is unknown, "
			"every recorded thread",
			n_whole, n_all);
}

void lode_job_say_symptoms(struct lode_digest_job *job)
{
	const char *common = job->origin.symptom_text;
	size_t len = strlen(LODE_DEFAULT_SYMPTOMS), n[LODE_N_SUBJECTS] = {0}, size;
	bool is_default = !strncmp(common, LODE_DEFAULT_SYMPTOMS, len);
	char *text;
	FILE *out;

	job->symptom_text = common;
	if (!job->origin.n_beside && !is_default)
		return;
	count_subjects(n, job->digest);
	out = lode_written_open(&text, &size);
	if (job->origin.n_beside)
		fputs(beside, out);
	if (job->origin.n_beside < job->origin.n_inputs) {
		fputs(job->origin.n_beside ? "; elsewhere " : "", out);
		if (is_default)
			write_subjects(out, n, job->digest ? job->digest->streams.n : 0);
		fputs(is_default ? common + len : common, out);
	}
	job->symptom_text = lode_written_keep(out, &text, &size, &job->arena);
}

/* ---- The slowest: --slower-than as a time over all recordings ---- */

typedef LODE_VEC(int64_t) length_vec;

static void add_lengths(length_vec *lengths, const struct lode_symptom_spec *spec, const char *path,
			const struct lode_source_options *source)
{
	struct lode_symptom_events *events = lode_symptom_events_new(spec, NULL);
	struct lode_source_options with = *source;
	struct lode_stream *stream = NULL;
	lode_symptom_vec symptoms = {0};
	struct lode_error ignored;

	with.tap = lode_symptom_events_tap(events);
	if (lode_stream_load(&stream, path, &with, &ignored) == 0 &&
	    lode_symptoms_find(&symptoms, spec, stream, events, &ignored) == 0)
		for (size_t i = 0; i < symptoms.n; i++)
			lode_vec_append(lengths, symptoms.at[i].t1_ns - symptoms.at[i].t0_ns);
	lode_vec_release(&symptoms);
	lode_stream_free(stream);
	lode_symptom_events_free(events);
}

LODE_COMPARE(by_length_descending, int64_t, LODE_ORDER(*b, *a))

static void decide(struct lode_symptom_options *symptoms, length_vec *lengths)
{
	size_t n;

	symptoms->n_all = lengths->n;
	if (!lengths->n)
		return;
	lode_sort(lengths->at, lengths->n, by_length_descending);
	n = (size_t)floor((double)lengths->n * (100 - symptoms->percentile) / 100 + 1e-9);
	symptoms->min_ns = lengths->at[n ? n - 1 : 0];
	for (n = n ? n : 1; n < lengths->n && lengths->at[n] == symptoms->min_ns; n++)
		;
	symptoms->n_slowest = n;
}

int lode_slowest_decide(struct lode_symptom_options *symptoms, const char *const *paths,
			size_t n_paths, const struct lode_source_options *source,
			const struct lode_symbol_options *symbols, struct lode_error *err)
{
	struct lode_job_symptoms *each = NULL;
	struct lode_source_options with = *source;
	length_vec lengths = {0};
	struct lode_error ignored;
	struct lode_job_spec spec;
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < n_paths; i++)
		if (strcmp(paths[i], "-") == 0)
			rc = lode_fail(err, LODE_ERR_ARG, NULL, -1,
				       "--slower-than p%g reads recordings twice, which standard "
				       "input does not allow",
				       symptoms->percentile);
	if (rc == 0 && !n_paths)
		rc = lode_fail(
			err, LODE_ERR_ARG, NULL, -1,
			"--slower-than p%g requires recordings: the symptoms of a digest are fixed",
			symptoms->percentile);
	if (rc == 0)
		rc = lode_job_symptoms_new(&each, symptoms, err);
	if (rc == 0)
		rc = lode_symboliser_new(&with.symboliser, symbols, err);
	/* One whose table is damaged is skipped, as one that is damaged itself. */
	for (size_t i = 0; rc == 0 && i < n_paths; i++)
		if (lode_job_symptoms_choose(&spec, each, paths[i], &ignored) == 0)
			add_lengths(&lengths, spec.spec, paths[i], &with);
	if (rc == 0)
		decide(symptoms, &lengths);
	lode_vec_release(&lengths);
	lode_symboliser_free(with.symboliser);
	lode_job_symptoms_free(each);
	return rc;
}
