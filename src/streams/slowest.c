/* Resolves --slower-than to a time over all recordings. */
#include "streams/slowest.h"

#include <math.h>

#include "base/sorted.h"
#include "streams/job_symptoms.h"

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
	for (size_t i = 0; rc == 0 && i < n_paths; i++) {
		rc = lode_job_symptoms_choose(&spec, each, paths[i], err);
		if (rc == 0)
			add_lengths(&lengths, spec.spec, paths[i], &with);
	}
	if (rc == 0)
		decide(symptoms, &lengths);
	lode_vec_release(&lengths);
	lode_symboliser_free(with.symboliser);
	lode_job_symptoms_free(each);
	return rc;
}
