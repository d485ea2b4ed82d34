/*
 * The paper's learning and classifying: two rulesets, one behind the other.
 *
 *   LOW rows (about as many as MED + HIGH, drawn by the seed)  |  OTHER = MED + HIGH   -> rules LO
 *   MED rows                                                    |  HIGH                 -> rules MH
 *   a new row:  rules LO say LOW, or else rules MH say MED or HIGH
 */
#pragma once

#include "engine/pio/model.h"

/* Classes of the rulesets. */
enum { LODE_RULES_LOW = 0, LODE_RULES_OTHER = 1 };
enum { LODE_RULES_MED = 0, LODE_RULES_HIGH = 1 };

/*
 * Learns from the rows whose class is known. `is_used` (per counter; NULL: all) says which counters
 * rules may ask. `n_folds` above 1: cross-validates, too.
 */
void lode_pio_rules_learn(struct lode_pio_rules *out, const struct lode_pio_matrix *matrix,
			  const uint8_t *classes, const bool *is_used, uint64_t seed,
			  unsigned n_folds, unsigned n_threads);

/* Which rules said so: an index into a ruleset, or LODE_NO_RULE for its default. */
struct lode_pio_fired {
	size_t low_other, med_high; /* med_high has a meaning only when the class is not LOW */
};
/* What one ruleset said about one interval. */
struct lode_pio_verdict {
	uint8_t class;
	struct lode_pio_fired fired;
};
/* LODE_PIO_NONE when the row has no value at all. */
enum lode_pio_class lode_pio_rules_classify(const struct lode_pio_rules *rules,
					    const double *const *columns, size_t n_columns,
					    size_t row, struct lode_pio_fired *fired);

/*
 * One column of the rule coverage matrix from the one before [PIO13 3.1.3]: the counters of the
 * rules that decided move by +1 (HIGH), 0 (MED) or -1 (LOW, not below 0), each once. `step` is the
 * size of a move; `is_moved` is scratch for n counters.
 */
void lode_pio_coverage_step(float *column, size_t n, const struct lode_pio_rules *rules,
			    enum lode_pio_class class, const struct lode_pio_fired *fired,
			    float step, bool *is_moved);
