/*
 * RIPPERk for one class against the rest [RIPPER95]: build rules until they stop to pay, then look
 * at each again in the light of the others, k times.
 *
 * Inside of engine/ripper only; ripper.h is the way in.
 */
#pragma once

#include "engine/ripper/grow_rule.h"
#include "base/random.h"
#include "engine/ripper/dataset.h"
#include "engine/ripper/ruleset.h"

/* A rule, and all rows that it covers whatever comes before it. */
struct lode_learnt_rule {
	struct lode_rule rule;
	lode_row_word *covers;
};

typedef LODE_VEC(struct lode_learnt_rule) lode_learnt_rules;

struct lode_learner {
	const struct lode_dataset *data;
	struct lode_rule_grower *grower;
	struct lode_random *random;
	uint32_t class;
	lode_row_word *all;	 /* rows at hand */
	lode_row_word *positive; /* of these, those of the class */
	double n_possible;	 /* conditions that can be asked */
	double expected_fp;	 /* share of the class in the rows at hand */
	unsigned n_folds;	 /* one of which prunes */
	unsigned n_optimizations;
	uint32_t min_positive;
};

/* The rules of the class, in `rules` (empty before). */
void lode_learn_class(const struct lode_learner *learner, lode_learnt_rules *rules);
void lode_learnt_rules_release(lode_learnt_rules *rules);

/* ---- Parts ---- */

/* The rows of `among` that a rule covers, into `covers`. */
void lode_learner_cover(const struct lode_learner *learner, const struct lode_rule *rule,
			const lode_row_word *among, lode_row_word *covers);

/* ---- What a list is worth (worth.c) ---- */

/* How a list of rules for one class does on a set of rows. */
struct lode_rule_counts {
	uint32_t covered, uncovered;
	uint32_t false_positives; /* covered, of another class */
	uint32_t false_negatives; /* of the class, not covered */
};

/*
 * Description lengths in bits [RIPPER95, MDL]: what it costs to send the rules, and then the rows
 * that they get wrong. A rule earns its place when the sum falls.
 */
/* A rule of `n_conditions`, of `n_possible` that there are. */
double lode_mdl_rule(size_t n_conditions, double n_possible);
/* The exceptions to the rules; `expected_fp` is the share of the errors that is expected to be
   false positives: the share of the class among the rows. */
double lode_mdl_exceptions(const struct lode_rule_counts *counts, double expected_fp);

/* What each rule takes, in order, and what all of them take. */
struct lode_taken {
	struct lode_rule_counts total; /* of the list */
	uint32_t *covered, *right;     /* per rule: rows it takes, of these of the class */
};

/* `without`: a rule that is left out (takes nothing), or SIZE_MAX. */
void lode_learner_take(const struct lode_learner *learner, const lode_learnt_rules *rules,
		       size_t without, struct lode_taken *taken);
void lode_taken_release(struct lode_taken *taken);
/* How many bits longer the description is with rule `at` than without it, each time with all later
   rules dropped that do not pay. */
double lode_learner_relative_bits(const struct lode_learner *learner,
				  const lode_learnt_rules *rules, size_t at);
/* Drops every rule that does not pay, from the last to the first. */
void lode_learner_drop_idle(const struct lode_learner *learner, lode_learnt_rules *rules);
/* Wrong for at least half of what it takes. */
bool lode_is_mostly_wrong(uint32_t covered, uint32_t right);
