/*
 * A table to learn from: columns of values, and a class per row.
 *
 *   row   cpu    lock   host        class
 *   0     12.5   0      "a" (0)     0
 *   1     80.1   NaN    "b" (1)     1          NaN: missing
 *
 * Borrowed and read-only: whoever makes it keeps it until the learner is done.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct lode_attribute {
	const char *name;
	const char *const *values; /* names of a nominal attribute's values; NULL: numeric */
	size_t n_values;	   /* 0: numeric */
};

struct lode_dataset {
	size_t n_rows; /* below 2^31 */
	const struct lode_attribute *attributes;
	/* columns[attribute][row]; of a nominal attribute the index of its value */
	const double *const *columns;
	size_t n_attributes;
	const uint32_t *classes; /* per row, below n_classes */
	const char *const *class_names;
	size_t n_classes;
};
