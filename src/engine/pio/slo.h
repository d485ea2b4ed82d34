/*
 * Slow by counters (service level objectives), where there is no request log: an interval is slow
 * if a counter is beyond a bound, that is given or learnt from healthy time.
 *
 *   "front-end:latency_p99 > 0.5"    above 0.5
 *   "front-end:latency_p99"          above what it had in training, by a margin
 *   "front-end:requests <"           below that
 *   "api:http_duration_seconds > 1"  of a histogram (http_duration_seconds_bucket{le=...}): not an
 *                                    interval, but the requests above the bucket are slow
 */
#pragma once

#include "engine/pio/model.h"
#include "engine/pio/request_log.h"

/* A time in which the service was slow, as the user says. */
struct lode_pio_incident {
	int64_t start_ns, end_ns;
};

/* NULL, or what is wrong with the text of a bound. */
const char *lode_pio_slo_misuse(const char *text);
/*
 * Adds the counters that `text` names to the model's: "SERVER:COUNTER" or "COUNTER", labels of
 * Prometheus left out or not. A bound that is not given is learnt from all grids. Gives how many
 * there are.
 */
size_t lode_pio_slo_add(struct lode_pio_model *model, const char *text,
			struct lode_counters *const *grids, size_t n);
/* Counts each interval that can be judged as a request, SLOW if a bound of the model is violated,
   or if it is within an incident. `requests` judges. */
void lode_pio_incidents_count(const struct lode_pio_incident *incidents, size_t n,
			      const struct lode_counters *counters,
			      struct lode_request_log *requests);
void lode_pio_slos_count(const struct lode_pio_model *model, const struct lode_counters *counters,
			 struct lode_request_log *requests);
