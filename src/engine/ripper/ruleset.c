/* Rules and lists of rules: evaluation and memory. */
#include "engine/ripper/ruleset.h"

bool lode_rule_covers(const struct lode_rule *rule, const double *const *columns, size_t row)
{
	for (size_t i = 0; i < rule->conditions.n; i++) {
		const struct lode_rule_condition *c = &rule->conditions.at[i];

		if (!lode_rule_condition_holds(c, columns[c->attribute][row]))
			return false;
	}
	return true;
}

uint32_t lode_ruleset_classify(const struct lode_ruleset *ruleset, const double *const *columns,
			       size_t row, size_t *rule)
{
	size_t i = 0;

	while (i < ruleset->rules.n && !lode_rule_covers(&ruleset->rules.at[i], columns, row))
		i++;
	if (rule)
		*rule = i < ruleset->rules.n ? i : LODE_NO_RULE;
	return i < ruleset->rules.n ? ruleset->rules.at[i].class : ruleset->default_class;
}

void lode_rule_copy(struct lode_rule *out, const struct lode_rule *rule)
{
	*out = (struct lode_rule){
		.class = rule->class, .n_covered = rule->n_covered, .n_wrong = rule->n_wrong};
	for (size_t i = 0; i < rule->conditions.n; i++)
		lode_vec_append(&out->conditions, rule->conditions.at[i]);
}

void lode_rule_release(struct lode_rule *rule)
{
	lode_vec_release(&rule->conditions);
}

void lode_ruleset_release(struct lode_ruleset *ruleset)
{
	lode_vec_release_each(&ruleset->rules, it, lode_rule_release(it));
}
