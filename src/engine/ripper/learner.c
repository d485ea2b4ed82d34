/* RIPPERk for one class against the rest. */
#include "engine/ripper/learner.h"

/* Building goes on until the description is this much longer than the shortest so far. */
#define SURPLUS_BITS 64.0

void lode_learnt_rules_release(lode_learnt_rules *rules)
{
	for (size_t i = 0; i < rules->n; i++) {
		lode_rule_release(&rules->at[i].rule);
		free(rules->at[i].covers);
	}
	lode_vec_release(rules);
}

/* Splits `rows` in two: `grow` has all folds but one, `prune` that one, each with its share of
   every class. */
static void split_rows(const struct lode_learner *learner, const lode_row_word *rows,
		       lode_row_word *grow, lode_row_word *prune)
{
	size_t n_rows = learner->data->n_rows, n_classes = learner->data->n_classes;
	size_t *starts = lode_alloc0(n_classes + 1, sizeof(*starts));
	uint32_t *dealt = lode_alloc((n_rows + 1) * sizeof(*dealt));
	size_t at = 0;

	for (size_t row = 0; row < n_rows; row++)
		starts[learner->data->classes[row] + 1] += lode_rows_has(rows, row);
	for (size_t c = 0; c < n_classes; c++)
		starts[c + 1] += starts[c];
	for (size_t row = 0; row < n_rows; row++) {
		if (lode_rows_has(rows, row))
			dealt[starts[learner->data->classes[row]]++] = (uint32_t)row;
	}
	/* starts[c] is now the end of class c. */
	for (size_t c = 0; c < n_classes; c++) {
		lode_random_shuffle(learner->random, dealt + at, starts[c] - at);
		at = starts[c];
	}
	memset(prune, 0, lode_row_words(n_rows) * sizeof(*prune));
	lode_rows_copy(grow, rows, n_rows);
	for (size_t i = 0; i < at; i += learner->n_folds)
		lode_rows_add(prune, dealt[i]);
	lode_rows_remove_all(grow, prune, n_rows);
	free(dealt);
	free(starts);
}

void lode_learner_cover(const struct lode_learner *learner, const struct lode_rule *rule,
			const lode_row_word *among, lode_row_word *covers)
{
	size_t n_words = lode_row_words(learner->data->n_rows);

	memcpy(covers, among, n_words * sizeof(*covers));
	for (size_t i = 0; i < rule->conditions.n; i++) {
		const struct lode_rule_condition *c = &rule->conditions.at[i];
		const double *column = learner->data->columns[c->attribute];

		for (size_t w = 0; w < n_words; w++) {
			for (lode_row_word bits = covers[w]; bits; bits &= bits - 1) {
				unsigned bit = (unsigned)__builtin_ctzll(bits);

				if (!lode_rule_condition_holds(c, column[w * 64 + bit]))
					covers[w] &= ~((lode_row_word)1 << bit);
			}
		}
	}
}

/* Cuts conditions off the end of a rule as `rows` say. While rules are built, what counts is how
   pure the rule is (p + 1) / (p + n + 2); when the whole list is looked at (`is_whole`), how many
   rows are right. Covers may be left empty of conditions: worse than no rule. */
static void prune_rule(const struct lode_learner *learner, struct lode_rule *rule,
		       const lode_row_word *rows, bool is_whole)
{
	size_t n_rows = learner->data->n_rows;
	uint32_t total = lode_rows_count(rows, n_rows);
	uint32_t total_positive = lode_rows_count_both(rows, learner->positive, n_rows);
	lode_row_word *covers;
	double best;
	size_t n_best = 0;

	if (!total || !rule->conditions.n)
		return;
	best = (total_positive + 1.0) / (total + 2.0);
	covers = lode_rows_new(n_rows);
	lode_rows_copy(covers, rows, n_rows);
	for (size_t i = 0; i < rule->conditions.n; i++) {
		struct lode_rule one = {.conditions = {&rule->conditions.at[i], 1, 1}};
		uint32_t covered, positive;
		double worth;

		lode_learner_cover(learner, &one, covers, covers);
		covered = lode_rows_count(covers, n_rows);
		positive = lode_rows_count_both(covers, learner->positive, n_rows);
		if (is_whole) /* right: positives covered, negatives not covered */
			worth = (positive + (double)(total - total_positive) -
				 (covered - positive)) /
				total;
		else
			worth = (positive + 1.0) / (covered + 2.0);
		if (worth > best) {
			best = worth;
			n_best = i + 1;
		}
	}
	rule->conditions.n = n_best;
	free(covers);
}

/* ---- Building ---- */

struct scratch {
	lode_row_word *left, *grow, *prune, *covered;
};

static void append_learner(lode_learnt_rules *rules, const struct lode_learner *learner,
			   struct lode_rule *rule)
{
	lode_row_word *covers = lode_rows_new(learner->data->n_rows);

	lode_learner_cover(learner, rule, learner->all, covers);
	lode_vec_append(rules, ((struct lode_learnt_rule){*rule, covers}));
}

static void remove_last(lode_learnt_rules *rules)
{
	rules->n--;
	lode_rule_release(&rules->at[rules->n].rule);
	free(rules->at[rules->n].covers);
}

/* Grows a rule on what is left, and prunes it; what optimising leaves over is little: then all of
   it grows the rule, and the description length alone says whether it stays, as in Weka's JRip. */
static struct lode_rule new_rule(const struct lode_learner *learner, const struct scratch *s,
				 bool is_leftover)
{
	struct lode_rule rule = {.class = learner->class};

	if (is_leftover) {
		lode_grow_rule(learner->grower, &rule, s->left, learner->positive,
			       learner->min_positive);
		return rule;
	}
	split_rows(learner, s->left, s->grow, s->prune);
	lode_grow_rule(learner->grower, &rule, s->grow, learner->positive, learner->min_positive);
	prune_rule(learner, &rule, s->prune, false);
	return rule;
}

/* The class' rows that are left. */
static bool has_positive(const struct lode_learner *learner, const lode_row_word *left)
{
	return lode_rows_count_both(left, learner->positive, learner->data->n_rows) > 0;
}

struct progress {
	double bits, shortest; /* of the description, against that of no rules */
};

/* Adds rules behind those there are until one does not pay any more. */
static void build(const struct lode_learner *learner, lode_learnt_rules *rules, struct scratch *s,
		  struct progress *p, bool is_leftover)
{
	while (has_positive(learner, s->left)) {
		struct lode_rule rule = new_rule(learner, s, is_leftover);
		struct lode_taken taken;
		uint32_t covered, right;

		append_learner(rules, learner, &rule);
		lode_learner_take(learner, rules, SIZE_MAX, &taken);
		covered = taken.covered[rules->n - 1];
		right = taken.right[rules->n - 1];
		lode_taken_release(&taken);
		p->bits += lode_learner_relative_bits(learner, rules, rules->n - 1);
		if (p->bits > p->shortest + SURPLUS_BITS || !right ||
		    lode_is_mostly_wrong(covered, right)) {
			remove_last(rules);
			return;
		}
		if (p->bits < p->shortest)
			p->shortest = p->bits;
		lode_rows_remove_all(s->left, rules->at[rules->n - 1].covers,
				     learner->data->n_rows);
	}
}

/* ---- Optimising ---- */

/* A rule grown from nothing, pruned so that the whole list errs least. */
static struct lode_rule replacement(const struct lode_learner *learner, const struct scratch *s)
{
	struct lode_rule rule = {.class = learner->class};

	lode_grow_rule(learner->grower, &rule, s->grow, learner->positive, learner->min_positive);
	prune_rule(learner, &rule, s->prune, true);
	return rule;
}

/* The rule grown further. */
static struct lode_rule revision(const struct lode_learner *learner, const struct scratch *s,
				 const struct lode_learnt_rule *old)
{
	struct lode_rule rule;

	lode_rule_copy(&rule, &old->rule);
	lode_learner_cover(learner, &rule, s->grow, s->covered);
	lode_grow_rule(learner->grower, &rule, s->covered, learner->positive,
		       learner->min_positive);
	prune_rule(learner, &rule, s->prune, true);
	return rule;
}

/* How the list does with `rule` in the place of rule `at`. */
static double bits_with(const struct lode_learner *learner, lode_learnt_rules *rules, size_t at,
			struct lode_learnt_rule with)
{
	struct lode_learnt_rule old = rules->at[at];
	double bits;

	rules->at[at] = with;
	bits = lode_learner_relative_bits(learner, rules, at);
	rules->at[at] = old;
	return bits;
}

static void keep_better(const struct lode_learner *learner, lode_learnt_rules *rules, size_t at,
			struct lode_rule replaced, struct lode_rule revised)
{
	struct lode_learnt_rule *old = &rules->at[at];
	struct lode_learnt_rule variants[2] = {{replaced, lode_rows_new(learner->data->n_rows)},
					       {revised, lode_rows_new(learner->data->n_rows)}};
	double bits[2], old_bits = lode_learner_relative_bits(learner, rules, at);
	int chosen = -1;

	for (int v = 0; v < 2; v++) {
		lode_learner_cover(learner, &variants[v].rule, learner->all, variants[v].covers);
		bits[v] = bits_with(learner, rules, at, variants[v]);
	}
	if (old_bits > bits[0] || old_bits > bits[1])
		chosen = bits[1] <= bits[0];
	for (int v = 0; v < 2; v++) {
		if (v == chosen) {
			struct lode_learnt_rule loser = *old;

			*old = variants[v];
			variants[v] = loser;
		}
	}
	for (int v = 0; v < 2; v++) {
		lode_rule_release(&variants[v].rule);
		free(variants[v].covers);
	}
}

/* Each rule against two variants of it, given the others; then rules for what is left. */
static void optimize(const struct lode_learner *learner, lode_learnt_rules *rules,
		     struct scratch *s)
{
	size_t n_rows = learner->data->n_rows;
	struct progress progress = {0};
	size_t n_old = rules->n;

	lode_rows_copy(s->left, learner->all, n_rows);
	for (size_t at = 0; at < n_old && has_positive(learner, s->left); at++) {
		struct lode_rule replaced, revised;

		if (!lode_rows_count_both(s->left, rules->at[at].covers, n_rows))
			continue; /* nothing is left for it to take: nothing to vary */
		split_rows(learner, s->left, s->grow, s->prune);
		for (size_t later = at + 1; later < rules->n; later++)
			lode_rows_remove_all(s->prune, rules->at[later].covers, n_rows);
		replaced = replacement(learner, s);
		revised = revision(learner, s, &rules->at[at]);
		keep_better(learner, rules, at, replaced, revised);
		lode_rows_remove_all(s->left, rules->at[at].covers, n_rows);
	}
	build(learner, rules, s, &progress, true);
	lode_learner_drop_idle(learner, rules);
}

void lode_learn_class(const struct lode_learner *learner, lode_learnt_rules *rules)
{
	size_t n_rows = learner->data->n_rows;
	struct scratch s = {lode_rows_new(n_rows), lode_rows_new(n_rows), lode_rows_new(n_rows),
			    lode_rows_new(n_rows)};
	struct progress progress = {0};

	lode_rows_copy(s.left, learner->all, n_rows);
	build(learner, rules, &s, &progress, false);
	for (unsigned i = 0; i < learner->n_optimizations; i++)
		optimize(learner, rules, &s);
	free(s.left);
	free(s.grow);
	free(s.prune);
	free(s.covered);
}
