/*
 * From intervals to slow periods, and what stands behind each. Inside of analyses/pio.
 */
#ifndef LODE_PIO_PERIODS_H
#define LODE_PIO_PERIODS_H

#include "analyses/pio/analyse.h"
#include "analyses/pio/evidence.h"
#include "analyses/pio/matrix.h"
#include "analyses/pio/rules.h"

/* What one ruleset said about one interval. */
struct lode_pio_verdict {
	uint8_t class;
	struct lode_pio_fired fired;
};

struct lode_pio_run {
	struct lode_pio_analysis *out;
	const struct lode_pio_model *model;
	const struct lode_request_log *requests;
	struct lode_pio_matrix matrix;
	struct lode_pio_servers servers;
	struct lode_pio_verdict *verdicts; /* [ruleset][interval] */
	bool *is_out;			   /* counters with a new level */
};

/* Fills periods, unfelt, unexplained, and the intervals' evidence. */
void lode_pio_find_periods(struct lode_pio_run *run);

#endif
