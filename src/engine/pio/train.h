/*
 * Training: periods of requests and counters -> a model.
 */
#pragma once

#include "engine/pio/model.h"
#include "engine/pio/request_log.h"
#include "model/counters.h"

/* One period: its request log (learning, with the model's `usual`) and its counters, whose step is
   the model's. */
struct lode_pio_training {
	struct lode_request_log *requests; /* NULL: no log; all of it is taken for healthy */
	const struct lode_counters *counters;
};

struct lode_pio_train_options {
	unsigned n_folds; /* of cross-validation; 0: none */
	unsigned n_threads;
};

/*
 * Fills `model`, whose settings are set and whose `names` and `usual` the request logs have filled.
 * Periods may be any number, in any order: what is usual is pooled over all of them. Fails when no
 * interval has counters (and requests, where there is a log), or the temporary file of requests
 * cannot be read.
 */
int lode_pio_train(struct lode_pio_model *model, const struct lode_pio_training *periods,
		   size_t n_periods, const struct lode_pio_train_options *options,
		   struct lode_error *err);
