/*
 * Evidence against servers: how far their counters left what is healthy, weighed by what that was
 * worth in training. This is what lode goes by; the paper's rules and matrix stand beside it.
 *
 *   counter   x smoothed     deviation d                 |d| > 1: beyond the healthy border
 *             running median (x - median) / scale        log(|d|) says how far, without end
 *
 *   detection of a server = sum of its 3 largest  log |d| x precision             is it slow?
 *   blame                 = sum of its 3 largest  log |d| x precision x blame     whose fault?
 *
 * Why so: one counter tells little, three do not fail together; correlated counters by the dozen
 * are no stronger proof. What is learnt from training, and not from names:
 *   precision  leaving the range separated slow from healthy time. Counters that drift have none:
 *              their level says when it was, not how it was
 *   blame      when it left its range, was its own server the one with most to show? Queues and
 *              connections rise in front of whatever is slow: little of it is their own doing
 *   falls      count a tenth: less arrives, whatever is at fault; the server at fault shows
 * something that rises (work, waits, queues)
 */
#pragma once

#include "engine/pio/model.h"

/* The servers of a model, and whose each counter is. */
struct lode_pio_servers {
	LODE_VEC(const char *) names; /* borrowed from the model */
	uint32_t *of;		      /* per counter */
};
void lode_pio_servers_build(struct lode_pio_servers *out, const struct lode_pio_model *model);
void lode_pio_servers_release(struct lode_pio_servers *servers);

/* Signed distance of a value: above 1 it rose beyond its border, below -1 it fell; NaN: no value or
   no baseline. */
double lode_pio_deviation(const struct lode_pio_counter *counter, double value);

/* The median distance of neighbouring distinct values: what one step of the counter is. */
double lode_pio_step(const double *sorted, size_t n);
/* The median of the last `window` values (64 at most) up to `row`; NaN with less than half of them.
 */
double lode_pio_running_median(const double *column, size_t start, size_t row, size_t window);

/*
 * Deviations of running medians over `window` rows, per counter and row; a period's first rows, and
 * those with less than half of the values, are 0.
 */
float **lode_pio_deviations(const struct lode_pio_model *model,
			    const struct lode_pio_matrix *matrix, size_t window);
void lode_pio_deviations_free(float **deviations, size_t n_counters);

/* What a deviation is worth: for detection, and for blame. */
struct lode_pio_worth {
	double detection, blame;
};
struct lode_pio_worth lode_pio_worth_of(const struct lode_pio_counter *counter, double deviation);

/* Blame of a counter among others: its deviation is in units of its own spread alone, so that 3 %
   of what never moved say more than 300 % of what is noisy. */
double lode_pio_sharp_blame(const struct lode_pio_counter *counter, double deviation);

/* Puts x among the `n` largest, sorted from the largest. */
void lode_pio_keep_strongest(double *strongest, size_t n, double x);

/* Detection and blame of all servers at a row. `is_out` (per counter; may be NULL): left out. */
void lode_pio_evidence(struct lode_pio_worth *servers_out, const struct lode_pio_model *model,
		       const struct lode_pio_servers *servers, float *const *deviations, size_t row,
		       const bool *is_out);

/*
 * Learns baselines, precision, blame and the bound from rows whose SARatio is known (NaN: no
 * requests); all of them are healthy unless `has_slow`. Fills model->counters, evidence_bound,
 * n_episodes, bystanders.
 */
void lode_pio_baseline_learn(struct lode_pio_model *model, const struct lode_pio_matrix *matrix,
			     const double *ratios, bool has_slow, unsigned n_threads);
