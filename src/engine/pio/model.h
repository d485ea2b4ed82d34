/*
 * What training leaves behind, and analysis needs: a model.
 *
 *   requests  ->  usual response times, bounds of SARatio             when is it slow?
 *   counters  ->  rules: LOW against OTHER, MED against HIGH          which counters go with it?
 *             ->  baseline: each counter's healthy range, and what    which server is it?
 *                 its leaving that range was worth                    (not in classic models)
 */
#pragma once

#include "engine/pio/intensity.h"
#include "engine/pio/usual.h"
#include "engine/pio/service_names.h"
#include "engine/ripper/ruleset.h"
#include "model/requests.h"

enum { LODE_PIO_MODEL_VERSION = 1 };

struct lode_pio_settings {
	bool is_classic;	/* the paper's pipeline, nothing else */
	bool is_log;		/* logarithms of response times */
	bool is_per_action;	/* users make no difference */
	bool is_by_start;	/* requests belong to the interval of their start */
	bool is_whole_response; /* upstream times are not looked at */
	uint32_t min_requests;	/* of a pair, else its action is asked */
	uint32_t window;	/* intervals of the intensity and of smoothing; 0: training says */
	int64_t step_ns;
	double med_pct, high_pct; /* 85 and 95 */
	uint32_t n_rulesets;	  /* each learnt from another share of the LOW rows */
	uint64_t seed;
};

/* The paper's or lode's own; step 0: not known yet. */
struct lode_pio_settings lode_pio_settings_default(bool is_classic);

/*
 * One counter. A value beyond [low, high] left its healthy range; how far is measured in the
 * distance from the median to the border. Rises and falls are worth something of their own.
 */
struct lode_pio_side {
	double border, scale; /* |border - median|, never 0 */
	double precision; /* 0..1: how well leaving the range separates slow from healthy time */
	double blame;	  /* 0..1: how much of that was this server's own doing */
};

struct lode_pio_counter {
	char *server, *name;
	uint64_t n_values; /* in training */
	double median;	   /* of healthy time; NaN without a value */
	double spread;	   /* half of the healthy range, never 0: what orders counters */
	bool is_drifting;  /* wanders: its level says nothing */
	struct lode_pio_side rise, fall;
};

/* The two rulesets of PIO13; their attributes are counters of the model. */
struct lode_pio_rules {
	uint64_t seed;
	struct lode_ruleset low_other, med_high;
	double low_other_error, med_high_error; /* of cross-validation, 0..1; NaN: not done */
	uint32_t n_low, n_med, n_high;		/* rows learnt from */
};

struct lode_pio_span {
	int64_t start_ns, end_ns;
	uint64_t n_requests;
	uint64_t n_intervals; /* with counters and requests */
};

/* A bound of a counter beyond which an interval is slow; there may be a log instead. */
struct lode_pio_slo {
	char *server, *name;
	double bound;
	bool is_fall;	   /* slow below it */
	bool is_histogram; /* of Prometheus: `name` without labels, requests above the bucket
			      `bound` */
};

struct lode_pio_model {
	struct lode_pio_settings settings;
	struct lode_service_names services_in; /* the counters' names */
	LODE_VEC(struct lode_pio_slo) slos;
	LODE_VEC(struct lode_pio_span) periods; /* that were learnt from */
	struct lode_request_names names;
	struct lode_usual usual;
	double med_bound, high_bound; /* of SARatio */
	uint64_t class_counts[3];     /* LOW, MED, HIGH intervals in training */
	double likeness;	      /* of neighbours in being HIGH, see lode_pio_likeness */
	double healthy_ratio;	      /* SLOW share of healthy time; NaN in classic models */
	LODE_VEC(struct lode_pio_counter) counters; /* by server, then name */
	LODE_VEC(struct lode_pio_rules) rules;
	double evidence_bound; /* evidence above it is never seen in healthy time */
	uint32_t n_episodes;   /* slow times that blame was learnt from */
	/* Per server, in the order of counters: more blame than it ever had for a while in slow
	   time that was another's fault; NaN: there was too little of that. Empty in classic
	   models. */
	LODE_VEC(double) bystanders;
};

void lode_pio_model_release(struct lode_pio_model *model);
/* Whether training had a request log; else no request can be judged. */
bool lode_pio_model_has_log(const struct lode_pio_model *model);
/* Number of a counter, or LODE_NONE. */
uint32_t lode_pio_model_counter(const struct lode_pio_model *model, const char *server,
				const char *name);

/*
 * Counters of one or several periods as one table: a column per counter of the model, a row per
 * interval, period behind period. What a period's counters do not have is NaN.
 */

struct lode_pio_matrix {
	double **columns; /* [counter][row] */
	size_t n_columns, n_rows;
	size_t *starts; /* first row of each period; [n_periods] is n_rows */
	size_t n_periods;
};

/* Columns in the order of the model's counters. */
void lode_pio_matrix_build(struct lode_pio_matrix *out, const struct lode_pio_model *model,
			   const struct lode_counters *const *periods, size_t n_periods);
void lode_pio_matrix_release(struct lode_pio_matrix *matrix);
