/*
 * A counter by server and name; NULL if there is none.
 */
#ifndef LODE_TEST_FIND_COUNTER_H
#define LODE_TEST_FIND_COUNTER_H

#include <string.h>

#include "model/counters.h"

static inline const struct lode_counter *find_counter(const struct lode_counters *counters,
						      const char *server, const char *name)
{
	for (size_t i = 0; i < counters->n_counters; i++) {
		if (strcmp(counters->counters[i].server, server) == 0 &&
		    strcmp(counters->counters[i].name, name) == 0)
			return &counters->counters[i];
	}
	return NULL;
}

#endif
