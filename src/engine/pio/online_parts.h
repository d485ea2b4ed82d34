/*
 * What an online analysis keeps. Inside of engine/pio.
 */
#pragma once

#include "engine/pio/evidence.h"
#include "engine/pio/online.h"
#include "engine/pio/rules.h"

/* What the rules made of a row. */
struct lode_online_row {
	uint8_t estimated;
	uint32_t intensity;
};

struct lode_online_period {
	bool is_open, is_told;
	int64_t reported, last; /* intervals: the first and the last slow one as they came */
	int64_t start_ns;	/* reported; 0: not yet */
};

/* Slow time that no counter explains. */
struct lode_online_silence {
	bool is_told;
	int64_t last; /* interval: the last one that belongs to it */
	int64_t start_ns;
};

struct lode_pio_online {
	struct lode_arena arena; /* of the arrays */
	const struct lode_pio_model *model;
	struct lode_request_log *requests; /* may be NULL */
	struct lode_pio_servers servers;
	size_t n_counters, n_rulesets;
	/* Rows kept: interval `first` + i is at i. */
	int64_t first;
	size_t n, capacity;
	double **columns;		    /* [counter] */
	float **coverage;		    /* [counter] */
	struct lode_pio_verdict **verdicts; /* [ruleset] */
	struct lode_online_row *rows;
	/* Of the newest row. */
	float *column;
	bool *is_moved;
	uint32_t intensity;
	/* New levels. */
	uint32_t *n_out;
	uint32_t n_seen;
	bool *is_out, *has_value;
	struct lode_online_period open;
	struct lode_online_silence silence;
};

/* Room for `need` rows. */
void lode_online_reserve(struct lode_pio_online *online, size_t need);
