/* RIPPERk: learns an ordered list of rules from examples. */
#include "engine/ripper/ripper.h"

#include "engine/ripper/learner.h"
#include "base/sorted.h"

struct lode_ripper_options lode_ripper_defaults(void)
{
	return (struct lode_ripper_options){
		.n_optimizations = 2, .n_folds = 3, .min_positive = 2, .seed = 1};
}

struct class_count {
	uint32_t class, n;
};

LODE_COMPARE(by_count, struct class_count, LODE_ORDER(a->n, b->n) ?: LODE_ORDER(a->class, b->class))

static struct class_count *order_classes(const struct lode_dataset *data, const lode_row_word *rows)
{
	struct class_count *order = lode_alloc0(data->n_classes + 1, sizeof(*order));

	for (size_t c = 0; c < data->n_classes; c++)
		order[c].class = (uint32_t)c;
	for (size_t row = 0; row < data->n_rows; row++)
		order[data->classes[row]].n += lode_rows_has(rows, row);
	lode_sort(order, data->n_classes, by_count);
	return order;
}

/* Appends the rules of one class, and takes what they cover out of `left`. */
static void learn_class(struct lode_ruleset *out, struct lode_learner *learner, lode_row_word *left)
{
	size_t n_rows = learner->data->n_rows;
	lode_learnt_rules rules = {0};
	struct lode_taken taken;

	memset(learner->positive, 0, lode_row_words(n_rows) * sizeof(*learner->positive));
	for (size_t row = 0; row < n_rows; row++) {
		if (lode_rows_has(left, row) && learner->data->classes[row] == learner->class)
			lode_rows_add(learner->positive, row);
	}
	lode_rows_copy(learner->all, left, n_rows);
	lode_rule_grower_restrict(learner->grower, left);
	learner->expected_fp =
		(double)lode_rows_count(learner->positive, n_rows) / lode_rows_count(left, n_rows);
	lode_learn_class(learner, &rules);
	lode_learner_take(learner, &rules, SIZE_MAX, &taken);
	for (size_t r = 0; r < rules.n; r++) {
		struct lode_rule *rule = &rules.at[r].rule;

		rule->n_covered = taken.covered[r];
		rule->n_wrong = taken.covered[r] - taken.right[r];
		lode_rows_remove_all(left, rules.at[r].covers, n_rows);
		lode_vec_append(&out->rules, *rule);
		*rule = (struct lode_rule){0}; /* the list's now */
	}
	lode_taken_release(&taken);
	lode_learnt_rules_release(&rules);
}

void lode_ripper_train(struct lode_ruleset *out, const struct lode_dataset *data,
		       const uint32_t *rows, size_t n_rows,
		       const struct lode_ripper_options *options)
{
	lode_row_word *left = lode_rows_new(data->n_rows);
	struct lode_random random = {options->seed};
	struct class_count *order;
	struct lode_learner learner = {.data = data,
				       .random = &random,
				       .n_folds = options->n_folds,
				       .n_optimizations = options->n_optimizations,
				       .min_positive = options->min_positive};

	*out = (struct lode_ruleset){0};
	for (size_t i = 0; i < (rows ? n_rows : data->n_rows); i++)
		lode_rows_add(left, rows ? rows[i] : i);
	order = order_classes(data, left);
	learner.grower = lode_rule_grower_new(data, left, options->n_threads);
	learner.n_possible = lode_rule_grower_possible(learner.grower);
	learner.all = lode_rows_new(data->n_rows);
	learner.positive = lode_rows_new(data->n_rows);
	for (size_t c = 0; c + 1 < data->n_classes; c++) {
		learner.class = order[c].class;
		if (order[c].n)
			learn_class(out, &learner, left);
	}
	out->default_class = data->n_classes ? order[data->n_classes - 1].class : 0;
	for (size_t row = 0; row < data->n_rows; row++) {
		out->n_covered += lode_rows_has(left, row);
		out->n_wrong +=
			lode_rows_has(left, row) && data->classes[row] != out->default_class;
	}
	lode_rule_grower_free(learner.grower);
	free(learner.all);
	free(learner.positive);
	free(order);
	free(left);
}

/* ---- Cross-validation ---- */

/* Rows in an order in which every n_folds-th belongs to one fold: by class, shuffled inside. */
static uint32_t *deal(const struct lode_dataset *data, const uint32_t *rows, size_t n,
		      uint64_t seed)
{
	struct lode_random random = {seed};
	uint32_t *dealt = lode_alloc((n + 1) * sizeof(*dealt));
	size_t at = 0;

	for (size_t c = 0; c < data->n_classes; c++) {
		size_t start = at;

		for (size_t i = 0; i < n; i++) {
			uint32_t row = rows ? rows[i] : (uint32_t)i;

			if (data->classes[row] == c)
				dealt[at++] = row;
		}
		lode_random_shuffle(&random, dealt + start, at - start);
	}
	return dealt;
}

void lode_ripper_cross_validate(struct lode_confusion *out, const struct lode_dataset *data,
				const uint32_t *rows, size_t n_rows, unsigned n_folds,
				const struct lode_ripper_options *options)
{
	size_t n = rows ? n_rows : data->n_rows;
	uint32_t *dealt = deal(data, rows, n, options->seed ^ 0x5f01d5);
	uint32_t *training = lode_alloc((n + 1) * sizeof(*training));

	*out = (struct lode_confusion){.n_classes = data->n_classes};
	out->counts = lode_alloc0(data->n_classes * data->n_classes + 1, sizeof(*out->counts));
	for (unsigned fold = 0; fold < n_folds; fold++) {
		struct lode_ruleset rules;
		size_t n_training = 0;

		for (size_t i = 0; i < n; i++) {
			if (i % n_folds != fold)
				training[n_training++] = dealt[i];
		}
		lode_ripper_train(&rules, data, training, n_training, options);
		for (size_t i = fold; i < n; i += n_folds) {
			uint32_t said =
				lode_ruleset_classify(&rules, data->columns, dealt[i], NULL);
			uint32_t actual = data->classes[dealt[i]];

			out->counts[actual * data->n_classes + said]++;
			out->n++;
			out->n_wrong += said != actual;
		}
		lode_ruleset_release(&rules);
	}
	free(dealt);
	free(training);
}

void lode_confusion_release(struct lode_confusion *confusion)
{
	free(confusion->counts);
	*confusion = (struct lode_confusion){0};
}
