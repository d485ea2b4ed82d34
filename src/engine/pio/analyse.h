/*
 * Analysis: a model, counters and (where there is a log) requests -> when it was slow, and whose
 * fault it seems.
 *
 * Classic [PIO13]: rules estimate each interval's class from counters; a period is where the
 * intensity is above 0; counters are ranked by their cells of the rule coverage matrix, summed over
 * the period; so are servers. Otherwise a period is where some server's evidence (evidence.h) is
 * above the model's bound; counters and servers are ranked by blame. The matrix is made either way.
 *
 * With a log, a period that users did not feel (no more SLOW requests than in healthy time) is
 * none: it goes to `unfelt`. Slow time without evidence goes to `unexplained`.
 *
 * Intervals are places on the counters' grid, which leaves most of a long pause out: times come
 * from lode_pio_time.
 */
#pragma once

#include "engine/pio/model.h"
#include "engine/pio/request_log.h"
#include "engine/pio/rules.h"
#include "model/counters.h"

struct lode_pio_interval {
	double sa_ratio;    /* NaN: no log, or no request */
	uint8_t class;	    /* of sa_ratio; enum lode_pio_class */
	uint8_t estimated;  /* from counters, by the rules (the middle one of several rulesets) */
	uint32_t intensity; /* of the estimated classes */
	uint32_t n, n_slow, n_client;
	double evidence; /* largest detection of a server; 0 in classic models */
};

struct lode_pio_ranked {
	uint32_t at; /* a counter, a server, an action or a user */
	double value;
	double deviation; /* counters of not classic models: the median one in the period */
	uint64_t n_slow;  /* actions and users */
	/* Counters: the intervals in which they had something to show; servers at fault: in which
	   they were. */
	size_t first, last;
	bool is_at_fault; /* servers */
};
typedef LODE_VEC(struct lode_pio_ranked) lode_pio_ranking;

struct lode_pio_rule_use {
	uint32_t ruleset; /* of the model */
	bool is_med_high;
	uint32_t rule, n; /* rows that it decided */
};

struct lode_pio_period {
	size_t first, last; /* intervals, both slow */
	size_t reported;    /* the interval at whose end it was known; >= first */
	uint32_t intensity_max;
	double evidence_max;
	uint64_t n, n_slow;  /* requests */
	uint64_t n_client;   /* not SLOW by the servers' time, but by the response time */
	double excess;	     /* SLOW requests beyond the healthy share */
	uint32_t n_at_fault; /* of the servers ranked first: bottlenecks of their own */
	lode_pio_ranking servers, counters, actions, users;
	LODE_VEC(struct lode_pio_rule_use) rules;
};
typedef LODE_VEC(struct lode_pio_period) lode_pio_periods;

/* When training again is advised. */
struct lode_pio_advice {
	LODE_VEC(uint32_t) vanished; /* counters of the model without a value here */
	LODE_VEC(uint32_t) shifted;  /* out of their range for most of the time: not used */
	LODE_VEC(const struct lode_counter *) appeared; /* that the model does not know */
	uint64_t n_unjudged; /* requests of actions that the model does not know */
	bool is_class_drift; /* the shares of classes differ from training's, see below */
};

/*
 * HIGH intervals against the share that training had by definition. z counts standard errors, with
 * neighbouring intervals' likeness taken into account: above 2 it got worse, below -2 better.
 */
struct lode_pio_regression {
	uint64_t n, n_high;
	double expected;   /* share in training */
	double z;	   /* NaN: not known */
	bool is_estimated; /* by counters: there was no log */
};

struct lode_pio_analysis {
	const struct lode_pio_model *model; /* borrowed */
	int64_t start_ns, step_ns;
	size_t n_intervals;
	lode_interval_pauses pauses; /* of the counters; borrowed */
	struct lode_pio_interval *intervals;
	float **coverage;   /* rule coverage matrix: [counter][interval] */
	float **deviations; /* [counter][interval]; NULL in classic models */
	double **values;    /* [counter][interval], NaN: none; NULL of rows that a watch kept */
	float **detections; /* [server][interval]; NULL in classic models */
	size_t n_servers;
	struct lode_pio_verdict *verdicts; /* [ruleset * n_intervals + interval] */
	lode_pio_periods periods, unfelt, unexplained;
	struct lode_pio_advice advice;
	struct lode_pio_regression regression;
	bool has_log;
};

/* `requests` (judging, done) may be NULL. The counters' step is the model's. */
void lode_pio_analyse(struct lode_pio_analysis *out, const struct lode_pio_model *model,
		      const struct lode_counters *counters,
		      const struct lode_request_log *requests);
void lode_pio_analysis_release(struct lode_pio_analysis *analysis);

/* Counters came, went or moved, or classes drifted: time to train again. */
bool lode_pio_is_retraining_advised(const struct lode_pio_analysis *analysis);
/* "worse", "better", "same" or "unknown": beyond two standard errors. */
const char *lode_pio_regression_verdict(const struct lode_pio_regression *regression);

static inline int64_t lode_pio_time(const struct lode_pio_analysis *analysis, size_t interval)
{
	return lode_interval_at(&analysis->pauses, analysis->start_ns / analysis->step_ns,
				interval) *
	       analysis->step_ns;
}
