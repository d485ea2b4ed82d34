/* Learns and applies the paper's two rulesets. */
#include "engine/pio/rules.h"

#include "base/random.h"
#include "engine/ripper/ripper.h"

static const char *const low_other_names[] = {"LOW", "OTHER"};
static const char *const med_high_names[] = {"MED", "HIGH"};

/* A random subset of the LOW rows, about as many as there are others, in the order of rows. */
static void balance(uint32_t *low, uint32_t *n_low, size_t n_other, uint64_t seed)
{
	struct lode_random random = {seed ^ 0xba1a9ce};
	uint32_t kept = 0;
	size_t wanted = n_other;

	for (size_t i = 0; i < *n_low && wanted; i++) {
		/* Selection sampling: every subset of that size is as likely. */
		if (lode_random_below(&random, *n_low - i) < wanted) {
			low[kept++] = low[i];
			wanted--;
		}
	}
	*n_low = kept;
}

/* The rows' columns that may be used, behind each other; `counter_of` leads back. */
struct training {
	struct lode_dataset data;
	struct lode_attribute *attributes;
	const double **columns;
	uint32_t *counter_of, *classes;
};

static void choose_columns(struct training *t, const struct lode_pio_matrix *matrix,
			   const bool *is_used)
{
	size_t n = 0;

	t->attributes = lode_alloc0(matrix->n_columns + 1, sizeof(*t->attributes));
	t->columns = lode_alloc0(matrix->n_columns + 1, sizeof(*t->columns));
	t->counter_of = lode_alloc0(matrix->n_columns + 1, sizeof(*t->counter_of));
	t->classes = lode_alloc0(matrix->n_rows + 1, sizeof(*t->classes));
	for (size_t c = 0; c < matrix->n_columns; c++) {
		if (is_used && !is_used[c])
			continue;
		t->columns[n] = matrix->columns[c];
		t->counter_of[n++] = (uint32_t)c;
	}
	t->data = (struct lode_dataset){.n_rows = matrix->n_rows,
					.attributes = t->attributes,
					.columns = t->columns,
					.n_attributes = n,
					.classes = t->classes,
					.n_classes = 2};
}

static double learn(struct training *t, struct lode_ruleset *out, const uint32_t *rows, size_t n,
		    uint64_t seed, unsigned n_folds, unsigned n_threads)
{
	struct lode_ripper_options options = lode_ripper_defaults();
	struct lode_confusion confusion;
	double error = NAN;

	options.seed = seed;
	options.n_threads = n_threads;
	lode_ripper_train(out, &t->data, rows, n, &options);
	for (size_t r = 0; r < out->rules.n; r++) {
		struct lode_rule *rule = &out->rules.at[r];

		for (size_t i = 0; i < rule->conditions.n; i++)
			rule->conditions.at[i].attribute =
				t->counter_of[rule->conditions.at[i].attribute];
	}
	if (n_folds > 1 && n >= n_folds) {
		lode_ripper_cross_validate(&confusion, &t->data, rows, n, n_folds, &options);
		error = confusion.n ? (double)confusion.n_wrong / confusion.n : NAN;
		lode_confusion_release(&confusion);
	}
	return error;
}

void lode_pio_rules_learn(struct lode_pio_rules *out, const struct lode_pio_matrix *matrix,
			  const uint8_t *classes, const bool *is_used, uint64_t seed,
			  unsigned n_folds, unsigned n_threads)
{
	uint32_t *rows = lode_alloc((matrix->n_rows + 1) * sizeof(*rows));
	uint32_t *low = lode_alloc((matrix->n_rows + 1) * sizeof(*low));
	struct training t;
	uint32_t n = 0;

	*out = (struct lode_pio_rules){.seed = seed};
	choose_columns(&t, matrix, is_used);
	for (size_t r = 0; r < matrix->n_rows; r++) {
		if (classes[r] == LODE_PIO_LOW)
			low[out->n_low++] = (uint32_t)r;
		else if (classes[r] != LODE_PIO_NONE)
			rows[n++] = (uint32_t)r;
		out->n_med += classes[r] == LODE_PIO_MED;
		out->n_high += classes[r] == LODE_PIO_HIGH;
		t.classes[r] = classes[r] == LODE_PIO_HIGH ? LODE_RULES_HIGH : LODE_RULES_MED;
	}
	t.data.class_names = med_high_names;
	out->med_high_error = learn(&t, &out->med_high, rows, n, seed, n_folds, n_threads);
	balance(low, &out->n_low, n, seed);
	memcpy(rows + n, low, out->n_low * sizeof(*rows));
	for (size_t r = 0; r < matrix->n_rows; r++)
		t.classes[r] = classes[r] == LODE_PIO_LOW ? LODE_RULES_LOW : LODE_RULES_OTHER;
	t.data.class_names = low_other_names;
	out->low_other_error =
		learn(&t, &out->low_other, rows, n + out->n_low, seed, n_folds, n_threads);
	free(t.attributes);
	free(t.columns);
	free(t.counter_of);
	free(t.classes);
	free(rows);
	free(low);
}

enum lode_pio_class lode_pio_rules_classify(const struct lode_pio_rules *rules,
					    const double *const *columns, size_t n_columns,
					    size_t row, struct lode_pio_fired *fired)
{
	size_t c = 0;

	*fired = (struct lode_pio_fired){LODE_NO_RULE, LODE_NO_RULE};
	while (c < n_columns && isnan(columns[c][row]))
		c++;
	if (c == n_columns)
		return LODE_PIO_NONE;
	if (lode_ruleset_classify(&rules->low_other, columns, row, &fired->low_other) ==
	    LODE_RULES_LOW)
		return LODE_PIO_LOW;
	return lode_ruleset_classify(&rules->med_high, columns, row, &fired->med_high) ==
			       LODE_RULES_HIGH
		       ? LODE_PIO_HIGH
		       : LODE_PIO_MED;
}

static void move_rules(float *column, const struct lode_ruleset *rules, size_t rule, float by,
		       bool *is_moved)
{
	if (rule == LODE_NO_RULE)
		return;
	for (size_t i = 0; i < rules->rules.at[rule].conditions.n; i++) {
		uint32_t c = rules->rules.at[rule].conditions.at[i].attribute;

		if (is_moved[c])
			continue;
		is_moved[c] = true;
		column[c] = column[c] + by > 0 ? column[c] + by : 0;
	}
}

void lode_pio_coverage_step(float *column, size_t n, const struct lode_pio_rules *rules,
			    enum lode_pio_class class, const struct lode_pio_fired *fired,
			    float step, bool *is_moved)
{
	float by = class == LODE_PIO_HIGH ? step : class == LODE_PIO_LOW ? -step : 0;

	if (class == LODE_PIO_NONE || class == LODE_PIO_MED)
		return;
	memset(is_moved, 0, n * sizeof(*is_moved));
	move_rules(column, &rules->low_other, fired->low_other, by, is_moved);
	if (class == LODE_PIO_HIGH)
		move_rules(column, &rules->med_high, fired->med_high, by, is_moved);
}
