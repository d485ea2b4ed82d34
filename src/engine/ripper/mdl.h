/*
 * Description lengths in bits [RIPPER95, MDL]: what it costs to send the rules, and then the rows
 * that they get wrong. A rule earns its place when the sum falls.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* How a list of rules for one class does on a set of rows. */
struct lode_rule_counts {
	uint32_t covered, uncovered;
	uint32_t false_positives; /* covered, of another class */
	uint32_t false_negatives; /* of the class, not covered */
};

/* A rule of `n_conditions`, of `n_possible` that there are. */
double lode_mdl_rule(size_t n_conditions, double n_possible);
/* The exceptions to the rules; `expected_fp` is the share of the errors that is expected to be
   false positives: the share of the class among the rows. */
double lode_mdl_exceptions(const struct lode_rule_counts *counts, double expected_fp);
