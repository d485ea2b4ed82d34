/*
 * RIPPER alone: learning times, and errors of cross-validation, on ARFF files; and a generator of
 * large ones.
 *
 *   bench_ripper FILE.arff                        one JSON line: rules, seconds
 *   bench_ripper --folds 10 --seeds 5 FILE.arff   errors per seed, percent
 *   bench_ripper --rules FILE.arff                the rules
 *   bench_ripper --generate ROWS COLUMNS > FILE   counters of a service with five planted rules
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "base/random.h"
#include "engine/ripper/ripper.h"
#include "arff.h"

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* CPU time of all threads. */
static double cpu(void)
{
	struct rusage u;

	getrusage(RUSAGE_SELF, &u);
	return (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) +
	       (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec) / 1e6;
}

/* Uniform in [0, 1). */
static double uniform(struct lode_random *random)
{
	return (double)(lode_random_next(random) >> 11) / 9007199254740992.0;
}

/* Values as collectors print them: some columns are slow waves, some bursts, some mostly zero. */
static double counter(struct lode_random *random, size_t column, size_t row)
{
	double u = uniform(random);

	switch (column % 4) {
	case 0:
		return 50 + 30 * sin((double)row / (500 + (double)column)) + 20 * u;
	case 1:
		return -100 * log(1 - u);
	case 2:
		return u < 0.9 ? 0 : floor(100 * uniform(random));
	default:
		return floor(1000 * u * u);
	}
}

static int generate(size_t n_rows, size_t n_columns)
{
	struct lode_random random = {42};
	double *row = lode_alloc0(n_columns, sizeof(*row));

	printf("@relation counters\n");
	for (size_t c = 0; c < n_columns; c++)
		printf("@attribute c%zu numeric\n", c);
	printf("@attribute class {LOW,OTHER}\n@data\n");
	for (size_t r = 0; r < n_rows; r++) {
		bool is_slow;

		for (size_t c = 0; c < n_columns; c++) {
			row[c] = counter(&random, c, r);
			printf("%.6g,", row[c]);
		}
		is_slow = (row[0] > 80 && row[1] > 120) || (row[5] > 250 && row[3] < 700) ||
			  row[2] > 60 || (row[7] > 900 && row[4] < 60) ||
			  (row[9] > 180 && row[8] > 70);
		if (uniform(&random) < 0.02)
			is_slow = !is_slow;
		printf("%s\n", is_slow ? "OTHER" : "LOW");
	}
	free(row);
	return 0;
}

static void print_rules(const struct lode_ruleset *rules, const struct lode_dataset *data)
{
	static const char *const signs[] = {"<=", ">=", "="};

	for (size_t r = 0; r < rules->rules.n; r++) {
		const struct lode_rule *rule = &rules->rules.at[r];

		for (size_t i = 0; i < rule->conditions.n; i++) {
			const struct lode_rule_condition *c = &rule->conditions.at[i];
			const struct lode_attribute *a = &data->attributes[c->attribute];

			printf("%s%s %s ", i ? "and " : "", a->name, signs[c->comparison]);
			if (a->n_values)
				printf("%s ", a->values[(size_t)c->value]);
			else
				printf("%g ", c->value);
		}
		printf("-> %s (%u/%u)\n", data->class_names[rule->class], rule->n_covered,
		       rule->n_wrong);
	}
	printf("else -> %s (%u/%u)\n", data->class_names[rules->default_class], rules->n_covered,
	       rules->n_wrong);
}

static void learn(const struct arff *arff, const struct lode_ripper_options *options,
		  bool want_rules)
{
	struct lode_ruleset rules;
	double start = now(), cpu_start = cpu();

	lode_ripper_train(&rules, &arff->data, NULL, 0, options);
	printf("{\"rows\": %zu, \"attributes\": %zu, \"rules\": %zu, \"seconds\": %.3f, "
	       "\"cpu_seconds\": %.3f}\n",
	       arff->data.n_rows, arff->data.n_attributes, rules.rules.n, now() - start,
	       cpu() - cpu_start);
	if (want_rules)
		print_rules(&rules, &arff->data);
	lode_ruleset_release(&rules);
}

static void validate(const struct arff *arff, struct lode_ripper_options options, unsigned n_folds,
		     unsigned n_seeds)
{
	for (unsigned seed = 1; seed <= n_seeds; seed++) {
		struct lode_confusion confusion;

		options.seed = seed;
		lode_ripper_cross_validate(&confusion, &arff->data, NULL, 0, n_folds, &options);
		printf("%s%.4f", seed > 1 ? " " : "", 100.0 * confusion.n_wrong / confusion.n);
		lode_confusion_release(&confusion);
	}
	printf("\n");
}

int main(int argc, char **argv)
{
	struct lode_ripper_options options = lode_ripper_defaults();
	unsigned n_folds = 0, n_seeds = 1;
	bool want_rules = false;
	struct lode_error err;
	struct arff arff;
	int i = 1;

	if (argc == 4 && strcmp(argv[1], "--generate") == 0)
		return generate(strtoul(argv[2], NULL, 10), strtoul(argv[3], NULL, 10));
	for (; i + 1 < argc; i++) {
		if (strcmp(argv[i], "--folds") == 0)
			n_folds = (unsigned)strtoul(argv[++i], NULL, 10);
		else if (strcmp(argv[i], "--seeds") == 0)
			n_seeds = (unsigned)strtoul(argv[++i], NULL, 10);
		else if (strcmp(argv[i], "--seed") == 0)
			options.seed = strtoul(argv[++i], NULL, 10);
		else if (strcmp(argv[i], "--threads") == 0)
			options.n_threads = (unsigned)strtoul(argv[++i], NULL, 10);
		else if (strcmp(argv[i], "--rules") == 0)
			want_rules = true;
	}
	if (i >= argc) {
		fprintf(stderr, "usage: bench_ripper [--folds N] [--seeds N] [--seed N] "
				"[--threads N] [--rules] FILE.arff\n");
		return 2;
	}
	if (arff_load(&arff, argv[i], &err) < 0) {
		char text[1024];

		fprintf(stderr, "%s\n", lode_error_text(&err, text, sizeof(text)));
		return 3;
	}
	if (n_folds)
		validate(&arff, options, n_folds, n_seeds);
	else
		learn(&arff, &options, want_rules);
	arff_release(&arff);
	return 0;
}
