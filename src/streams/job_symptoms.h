/*
 * Which symptoms each recording has: those that the user says, or else the table that lies beside
 * the recording (as bundles of `lode record` have), or else lode's default.
 */
#pragma once

#include "model/symptom.h"

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

/* Somebody said what the symptoms are: tables beside recordings do not count. */
bool lode_job_symptoms_are_given(const struct lode_symptom_options *options);

/* In words: what counts where no table lies beside the recording. */
const char *lode_job_symptoms_text(const struct lode_job_symptoms *symptoms);
