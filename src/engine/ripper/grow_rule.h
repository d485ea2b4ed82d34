/*
 * Growing a rule: the condition with the highest FOIL gain is added until no row of another class
 * is covered, over columns that were sorted once.
 *
 *   sorted   every attribute's rows by value, of the rows at hand ("the table")
 *   grown    of these, the rows that the growing rule covers        filtered again per condition
 *
 * Nothing is sorted twice. While a rule covers a good part of all rows, they are walked over as
 * they are, in blocks (numeric_scan.h); then what it covers is taken out by its places in the
 * order, and a condition costs one pass over that.
 */
#pragma once

#include "engine/ripper/dataset.h"
#include "engine/ripper/ruleset.h"

struct lode_rule_grower;

/* Sorts the numeric columns of `rows`. Borrows the dataset. Memory: 12 bytes per value. */
struct lode_rule_grower *lode_rule_grower_new(const struct lode_dataset *data,
					      const lode_row_word *rows, unsigned n_threads);
void lode_rule_grower_free(struct lode_rule_grower *grower);

/* Of the rows at hand, how many conditions can be asked: the size of the space that MDL codes in.
   A numeric attribute has two per distinct value, a nominal one has one per value. */
double lode_rule_grower_possible(const struct lode_rule_grower *grower);

/* Only `rows` are at hand from now on (a subset of those before). */
void lode_rule_grower_restrict(struct lode_rule_grower *grower, const lode_row_word *rows);

/*
 * Adds conditions to `rule` for the rows `grow`, all of which it must cover already, where
 * `positive` are those of its class. Stops when a condition would cover fewer than `min_positive`
 * of them.
 */
void lode_grow_rule(struct lode_rule_grower *grower, struct lode_rule *rule,
		    const lode_row_word *grow, const lode_row_word *positive,
		    uint32_t min_positive);
