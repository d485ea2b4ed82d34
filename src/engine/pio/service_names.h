/*
 * Services in the names of counters: "carts-db_cpu", "cpu.carts", "cpu{service=\"carts\"}". Found
 * from the names, which repeat their parts, and the columns' levels, which tell the part of a
 * metric.
 */
#pragma once

#include "base/slice.h"
#include "model/counters.h"

struct lode_service_names {
	char label[64]; /* of Prometheus' labels the one whose value is the service; "": none */
	char separator; /* 0: names do not contain services, unless there is a label */
	bool is_last;	/* cut at its last one, else at its first */
	bool is_suffix; /* the service is behind it */
	size_t n_services;
};

static inline bool lode_service_names_has(const struct lode_service_names *rule)
{
	return rule->separator || rule->label[0];
}

/*
 * Which label, or else which cut, gives names the fewest different parts, at most three quarters of
 * the number of names; nine in ten names have it. Of the two parts of a cut the metric is the one
 * whose columns have levels of one size (`levels`: NaN or 0 say nothing).
 */
void lode_service_names_find(struct lode_service_names *out, const char *const *names,
			     const double *levels, size_t n);
/* The parts of a name, to be freed. False: it has no service; then that is "". Labels that name one
   of several copies of a service (pod, instance) are no part of the metric's name. */
bool lode_service_names_cut(const struct lode_service_names *rule, const char *name, char **service,
			    char **metric);

/* `key="value"` of labels, from *at (behind the brace) on; *at is then behind its comma. False:
   there is none any more. */
bool lode_label_next(const char **at, struct lode_slice *key, struct lode_slice *value);

/* All counters are of one server: a file's name, as far as no one named it. */
bool lode_service_names_is_one(const struct lode_counters *counters);
/* The rule for the counters of a grid. */
void lode_service_names_learn(struct lode_service_names *out, const struct lode_counters *counters);
/* Services become the counters' servers; counters of one service and name become their mean. */
void lode_service_names_apply(const struct lode_service_names *rule,
			      struct lode_counters *counters);
