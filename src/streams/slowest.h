/*
 * The slowest symptoms of all recordings: `--slower-than p99` as a time.
 *
 * Which they are is known when all are, so the recordings are read twice.
 */
#pragma once

#include "input/source.h"
#include "model/symptom.h"

/*
 * Sets `min_ns`, `n_slowest` and `n_all` of `symptoms`, which has a percentile: the slowest
 * (100 - percentile) % count, at least one, and others that took as long. What cannot be read has
 * no symptoms; it is for the second reading to say so. `source`: how to read, without a symboliser.
 */
int lode_slowest_decide(struct lode_symptom_options *symptoms, const char *const *paths,
			size_t n_paths, const struct lode_source_options *source,
			const struct lode_symbol_options *symbols, struct lode_error *err);
