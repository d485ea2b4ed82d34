/* Decides which rules are worth their bits, and drops the others. */
#include "engine/ripper/learner.h"

#include <math.h>

bool lode_is_mostly_wrong(uint32_t covered, uint32_t right)
{
	return covered && 2 * (uint64_t)(covered - right) >= covered;
}

void lode_learner_take(const struct lode_learner *learner, const lode_learnt_rules *rules,
		       size_t without, struct lode_taken *taken)
{
	size_t n_rows = learner->data->n_rows, n_words = lode_row_words(n_rows);
	lode_row_word *left = lode_rows_new(n_rows);
	uint32_t n_all = 0, n_positive = 0;

	taken->covered = lode_alloc0(rules->n + 1, sizeof(*taken->covered));
	taken->right = lode_alloc0(rules->n + 1, sizeof(*taken->right));
	lode_rows_copy(left, learner->all, n_rows);
	n_all = lode_rows_count(left, n_rows);
	n_positive = lode_rows_count_both(left, learner->positive, n_rows);
	taken->total = (struct lode_rule_counts){0};
	for (size_t r = 0; r < rules->n; r++) {
		uint32_t covered = 0, right = 0;

		if (r == without)
			continue;
		for (size_t w = 0; w < n_words; w++) {
			lode_row_word got = left[w] & rules->at[r].covers[w];

			covered += (uint32_t)__builtin_popcountll(got);
			right += (uint32_t)__builtin_popcountll(got & learner->positive[w]);
			left[w] &= ~got;
		}
		taken->covered[r] = covered;
		taken->right[r] = right;
		taken->total.covered += covered;
		taken->total.false_positives += covered - right;
		n_positive -= right;
	}
	taken->total.uncovered = n_all - taken->total.covered;
	taken->total.false_negatives = n_positive;
	free(left);
}

void lode_taken_release(struct lode_taken *taken)
{
	free(taken->covered);
	free(taken->right);
}

/* Bits to say which `k` of `t` things are meant, when each is expected with probability `p`. */
static double subset_bits(double t, double k, double p)
{
	double bits = p > 0 ? -k * log2(p) : 0;

	if (p < 1)
		bits -= (t - k) * log2(1 - p);
	return bits;
}

double lode_mdl_rule(size_t n_conditions, double n_possible)
{
	double k = (double)n_conditions, bits;

	if (!n_conditions)
		return 0;
	bits = log2(k);
	if (n_conditions > 1)
		bits += 2 * log2(bits);
	if (n_possible > k)
		bits += subset_bits(n_possible, k, k / n_possible);
	/* Half: attributes say much the same, [RIPPER95]. */
	return bits / 2;
}

double lode_mdl_exceptions(const struct lode_rule_counts *c, double expected_fp)
{
	double covered = c->covered, uncovered = c->uncovered;
	double fp = c->false_positives, fn = c->false_negatives;
	double bits = log2(covered + uncovered + 1);

	/* The larger side's errors are coded by what is expected of them, the smaller's by what
	   is left. */
	if (covered > uncovered) {
		bits += subset_bits(covered, fp, expected_fp * (fp + fn) / covered);
		if (uncovered > 0)
			bits += subset_bits(uncovered, fn, fn / uncovered);
	} else {
		if (covered > 0)
			bits += subset_bits(covered, fp, fp / covered);
		if (uncovered > 0)
			bits += subset_bits(uncovered, fn,
					    (1 - expected_fp) * (fp + fn) / uncovered);
	}
	return bits;
}

/*
 * Drops rule `r` from `total` if that makes the description shorter, or if the rule is mostly
 * wrong, as though what it took went to the default. Gives the bits saved, 0 if it stays.
 */
static double drop_if_idle(const struct lode_learner *learner, const lode_learnt_rules *rules,
			   const struct lode_taken *taken, size_t r, struct lode_rule_counts *total,
			   bool *is_dropped)
{
	uint32_t covered = taken->covered[r], right = taken->right[r];
	struct lode_rule_counts less = *total;
	double saved;

	less.covered -= covered;
	less.uncovered += covered;
	less.false_positives -= covered - right;
	less.false_negatives += right;
	saved = lode_mdl_exceptions(total, learner->expected_fp) +
		lode_mdl_rule(rules->at[r].rule.conditions.n, learner->n_possible) -
		lode_mdl_exceptions(&less, learner->expected_fp);
	*is_dropped = saved >= 0 || lode_is_mostly_wrong(covered, right);
	if (!*is_dropped)
		return 0;
	*total = less;
	return saved;
}

/* Bits of the exceptions, less what dropping idle rules behind `at` would save. */
static double settled_bits(const struct lode_learner *learner, const lode_learnt_rules *rules,
			   size_t at, bool is_with)
{
	struct lode_taken taken;
	struct lode_rule_counts total;
	double bits;

	lode_learner_take(learner, rules, is_with ? SIZE_MAX : at, &taken);
	total = taken.total;
	bits = lode_mdl_exceptions(&total, learner->expected_fp);
	for (size_t r = at + 1; r < rules->n; r++) {
		bool is_dropped;

		bits -= drop_if_idle(learner, rules, &taken, r, &total, &is_dropped);
	}
	lode_taken_release(&taken);
	return bits;
}

double lode_learner_relative_bits(const struct lode_learner *learner,
				  const lode_learnt_rules *rules, size_t at)
{
	return settled_bits(learner, rules, at, true) +
	       lode_mdl_rule(rules->at[at].rule.conditions.n, learner->n_possible) -
	       settled_bits(learner, rules, at, false);
}

void lode_learner_drop_idle(const struct lode_learner *learner, lode_learnt_rules *rules)
{
	struct lode_taken taken;
	struct lode_rule_counts total;
	size_t kept = 0;

	lode_learner_take(learner, rules, SIZE_MAX, &taken);
	total = taken.total;
	for (size_t r = rules->n; r-- > 0;) {
		bool is_dropped;

		drop_if_idle(learner, rules, &taken, r, &total, &is_dropped);
		if (is_dropped) {
			lode_rule_release(&rules->at[r].rule);
			free(rules->at[r].covers);
			rules->at[r].covers = NULL;
		}
	}
	for (size_t r = 0; r < rules->n; r++) {
		if (rules->at[r].covers)
			rules->at[kept++] = rules->at[r];
	}
	rules->n = kept;
	lode_taken_release(&taken);
}
