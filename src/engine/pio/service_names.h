/*
 * Services in the names of columns: "carts-db_cpu", "cpu.carts". Found from the names, which repeat
 * their parts, and the columns' levels, which tell the part of a metric.
 */
#pragma once

#include "base/mem.h"

struct lode_service_names {
	char separator; /* 0: names do not contain services */
	bool is_last;	/* cut at its last one, else at its first */
	bool is_suffix; /* the service is behind it */
	size_t n_services;
};

/*
 * Which cut gives names the fewest different parts, at most three quarters of the number of names;
 * nine in ten names have the separator. Of the two parts the metric is the one whose columns have
 * levels of one size (`levels`: NaN or 0 say nothing).
 */
void lode_service_names_find(struct lode_service_names *out, const char *const *names,
			     const double *levels, size_t n);
/* The parts of a name, to be freed; a name without the separator is of service "". */
void lode_service_names_cut(const struct lode_service_names *rule, const char *name, char **service,
			    char **metric);
