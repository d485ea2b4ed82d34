/*
 * ARFF files (dense, numeric and nominal attributes; the last one is the class) -> a dataset to
 * learn from. For benches and tests on public data; rows without a class are left out.
 */
#ifndef LODE_ARFF_H
#define LODE_ARFF_H

#include "engine/ripper/dataset.h"
#include "base/error.h"

struct arff {
	struct lode_dataset data; /* points into what is below */
	struct lode_attribute *attributes;
	double **columns;
	uint32_t *classes;
	char ***values; /* per attribute, the class last */
};

int arff_load(struct arff *out, const char *path, struct lode_error *err);
void arff_release(struct arff *arff);

#endif
