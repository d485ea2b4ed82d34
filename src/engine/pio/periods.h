/*
 * From intervals to slow periods, and what stands behind each. Inside of engine/pio.
 */
#pragma once

#include "engine/pio/analyse.h"
#include "engine/pio/evidence.h"
#include "engine/pio/model.h"

struct lode_pio_run {
	struct lode_pio_analysis *out;
	const struct lode_pio_model *model;
	const struct lode_request_log *requests;
	struct lode_pio_matrix matrix;
	struct lode_pio_servers servers;
	bool *is_out; /* counters with a new level */
	bool is_live; /* requests may still come behind the last one */
};

/* Counts the requests of every interval, and gives its SARatio and class. */
void lode_pio_count_requests(struct lode_pio_run *run);
/* The middle class of several rulesets' votes (per class); the higher of two middle ones. */
enum lode_pio_class lode_pio_middle_vote(const uint32_t *votes);
/* Whether a counter that was out of its range in `n_out` of `n_rows` has a new level. */
bool lode_pio_has_new_level(size_t n_out, size_t n_rows);

/* Rows between two slow ones of a period, at most; of not classic models. */
size_t lode_pio_period_gap(const struct lode_pio_model *model);

/* SLOW share of healthy time. */
double lode_pio_healthy_ratio(const struct lode_pio_model *model);
/* What stands behind a period whose first and last interval are set. */
void lode_pio_describe(const struct lode_pio_run *run, struct lode_pio_period *period);
/* Actions and users that were hit in each of several periods that do not overlap. */
void lode_pio_find_hits(const struct lode_pio_run *run, lode_pio_periods *periods);

/* Fills periods, unfelt, unexplained, and the intervals' evidence. */
void lode_pio_find_periods(struct lode_pio_run *run);
