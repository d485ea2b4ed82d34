/*
 * A series of Prometheus as a counter: its labels give the server and the name, in the same way
 * for each of Prometheus' formats.
 *
 *   __name__="up" job="x" instance="web1:9100"   ->   server web1, counter up{job="x"}
 *
 * Inside of input/formats/counters only.
 */
#pragma once

#include "model/counters.h"

struct lode_counter_reader;

struct lode_prometheus_label {
	size_t at, key_len, value_len; /* in the series' text: the key, then the value */
};

/* `{ 0 }` is a series without labels. */
struct lode_prometheus_series {
	LODE_VEC(char) text;
	LODE_VEC(struct lode_prometheus_label) labels; /* by key; without name and instance */
	LODE_VEC(char) metric, server, name; /* end with NUL; empty: not given, not built */
};

/* Another series begins: the memory is used again. */
void lode_prometheus_series_begin(struct lode_prometheus_series *series);
void lode_prometheus_series_label(struct lode_prometheus_series *series, const char *key,
				  size_t key_len, const char *value, size_t value_len);
/* One value of it. No label may follow before the next series begins. */
void lode_prometheus_series_add(struct lode_prometheus_series *series,
				struct lode_counter_reader *reader, enum lode_counter_kind kind,
				int64_t t_ns, double value);
/* Its name; "": it has none. */
const char *lode_prometheus_series_metric(const struct lode_prometheus_series *series);
void lode_prometheus_series_release(struct lode_prometheus_series *series);

/* The length of the ending by which a metric is a total ("_total", "_bucket"); 0: it has none. */
size_t lode_counter_total_ending(const char *metric);
