/*
 * Rules and lists of rules, as RIPPER learns them.
 *
 *   cpu >= 80.5 and lock <= 2   -> HIGH      the first rule that covers a row decides
 *   disk >= 300                 -> HIGH
 *   else                        -> LOW
 */
#pragma once

#include "engine/ripper/dataset.h"

enum lode_comparison {
	LODE_AT_MOST,  /* numeric: value <= threshold */
	LODE_AT_LEAST, /* numeric: value >= threshold */
	LODE_EQUAL,    /* nominal */
};

struct lode_rule_condition {
	uint32_t attribute;
	enum lode_comparison comparison;
	double value; /* threshold, or index of the nominal value */
};

struct lode_rule {
	LODE_VEC(struct lode_rule_condition)
	conditions; /* all must hold; none: covers everything */
	uint32_t class;
	uint32_t n_covered, n_wrong; /* of the training rows, those that no rule before took */
};

struct lode_ruleset {
	LODE_VEC(struct lode_rule) rules;
	uint32_t default_class;
	uint32_t n_covered, n_wrong; /* training rows that are left to the default */
};

#define LODE_NO_RULE SIZE_MAX /* the default decided */

/* A missing value satisfies no condition. */
static inline bool lode_rule_condition_holds(const struct lode_rule_condition *c, double value)
{
	switch (c->comparison) {
	case LODE_AT_MOST:
		return value <= c->value;
	case LODE_AT_LEAST:
		return value >= c->value;
	default:
		return value == c->value;
	}
}

bool lode_rule_covers(const struct lode_rule *rule, const double *const *columns, size_t row);
/* The class of a row, and which rule said so (LODE_NO_RULE: the default); `rule` may be NULL. */
uint32_t lode_ruleset_classify(const struct lode_ruleset *ruleset, const double *const *columns,
			       size_t row, size_t *rule);
void lode_rule_copy(struct lode_rule *out, const struct lode_rule *rule);
void lode_rule_release(struct lode_rule *rule);
void lode_ruleset_release(struct lode_ruleset *ruleset);
