/*
 * Which symptoms each recording has: those that the user says, or else the table that lies beside
 * the recording (as bundles of `lode record` have), or else lode's default.
 */
#pragma once

#include "streams/digest_job.h"

struct lode_job_symptoms;

/* `options` is borrowed, texts included. */
int lode_job_symptoms_new(struct lode_job_symptoms **out,
			  const struct lode_symptom_options *options, struct lode_error *err);
void lode_job_symptoms_free(struct lode_job_symptoms *symptoms);

struct lode_job_spec {
	const struct lode_symptom_spec *spec;
	const char *table; /* path of the table beside the recording, or NULL */
};

/* For the recording at `path`. Tables are read once per folder. */
int lode_job_symptoms_choose(struct lode_job_spec *out, struct lode_job_symptoms *symptoms,
			     const char *path, struct lode_error *err);

/* The user specified symptoms: tables beside recordings do not count. */
bool lode_job_symptoms_are_given(const struct lode_symptom_options *options);

/* Whether the table beside a recording, if it counts, is one; `options` as for a new job. */
bool lode_job_symptoms_can_be_read(const void *options, const char *path);

/* In words: what counts where no table lies beside the recording. */
const char *lode_job_symptoms_text(const struct lode_job_symptoms *symptoms);

/*
 * What counted as a symptom, in words for a report: as the options say, as tables beside recordings
 * say, or as the recordings themselves do (model/subject.h). Sets job->symptom_text of its origin
 * and of its digest, if it has one.
 */
void lode_job_say_symptoms(struct lode_digest_job *job);

/*
 * The slowest symptoms of all recordings: `--slower-than p99` as a time. Which they are is known
 * when all are, so the recordings are read twice.
 *
 * Sets `min_ns`, `n_slowest` and `n_all` of `symptoms`, which has a percentile: the slowest
 * (100 - percentile) % count, at least one, and others that took as long. What cannot be read has
 * no symptoms; it is for the second reading to say so. `source`: how to read, without a symboliser.
 */
int lode_slowest_decide(struct lode_symptom_options *symptoms, const char *const *paths,
			size_t n_paths, const struct lode_source_options *source,
			const struct lode_symbol_options *symbols, struct lode_error *err);
