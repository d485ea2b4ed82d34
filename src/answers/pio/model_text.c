/* What a model has learnt, for terminals. */
#include "answers/pio/parts.h"
#include "base/duration.h"
#include "document/prose.h"

static void print_ruleset(FILE *out, const struct lode_pio_model *model, size_t ruleset,
			  bool is_med_high)
{
	const struct lode_pio_rules *rules = &model->rules.at[ruleset];
	double error = is_med_high ? rules->med_high_error : rules->low_other_error;
	size_t n = is_med_high ? rules->med_high.rules.n : rules->low_other.rules.n;
	struct lode_arena arena = {0};

	fprintf(out, "  %s", is_med_high ? "MED against HIGH" : "LOW against OTHER");
	if (!isnan(error))
		fprintf(out, ", %.1f %% wrong in cross-validation", 100 * error);
	fputc('\n', out);
	for (size_t i = 0; i <= n; i++) {
		struct lode_pio_rule_row row =
			lode_pio_rule_row(model, ruleset, is_med_high, i, &arena);

		fprintf(out, "    %s (%u, %u wrong)\n", row.text, row.n_covered, row.n_wrong);
	}
	lode_arena_release(&arena);
}

static void print_requests(FILE *words, const struct lode_pio_model *model)
{
	fprintf(words, "%zu (action, user) pairs, %zu actions; %s response times\n",
		model->usual.pairs.n, model->usual.actions.n,
		model->settings.is_log ? "logarithms of" : "plain");
	fprintf(words, "SARatio: MED from %.4f, HIGH from %.4f; %llu LOW, %llu MED, %llu HIGH\n",
		model->med_bound, model->high_bound,
		(unsigned long long)model->class_counts[LODE_PIO_LOW],
		(unsigned long long)model->class_counts[LODE_PIO_MED],
		(unsigned long long)model->class_counts[LODE_PIO_HIGH]);
}

void lode_pio_model_text(FILE *out, const struct lode_pio_model *model,
			 const struct lode_text_page *page)
{
	struct lode_prose prose;
	FILE *words = lode_prose_open(&prose);
	char from[LODE_PIO_TIME_BYTES], to[LODE_PIO_TIME_BYTES], step[LODE_DURATION_BYTES];
	char slo[300];
	size_t n_drifting = 0;

	for (size_t i = 0; i < model->periods.n; i++)
		fprintf(words, "trained on %s to %s: %llu %s, %llu intervals of %s\n",
			lode_pio_time_text(from, model->periods.at[i].start_ns, false),
			lode_pio_time_text(to, model->periods.at[i].end_ns, false),
			(unsigned long long)model->periods.at[i].n_requests,
			model->usual.actions.n || !model->periods.at[i].n_requests ? "requests"
										   : "judged",
			(unsigned long long)model->periods.at[i].n_intervals,
			lode_duration_text(model->settings.step_ns, step, sizeof(step)));
	for (size_t i = 0; i < model->slos.n; i++)
		fprintf(words, "%s are slow with %s\n", lode_pio_judged_words(model),
			lode_pio_slo_text(slo, sizeof(slo), &model->slos.at[i]));
	if (model->usual.actions.n)
		print_requests(words, model);
	else if (!lode_pio_model_has_log(model))
		fputs("no request log: all of it counts as healthy\n", words);
	for (size_t c = 0; c < model->counters.n; c++)
		n_drifting += model->counters.at[c].is_drifting;
	fprintf(words, "%zu counters", model->counters.n);
	if (!model->settings.is_classic)
		fprintf(words,
			", %zu of which drift and are left out; %u slow episodes; evidence in "
			"healthy time is at most %.2f",
			n_drifting, model->n_episodes, model->evidence_bound);
	fputs("\n", words);
	for (size_t i = 0; i < model->rules.n; i++) {
		const struct lode_pio_rules *rules = &model->rules.at[i];

		fprintf(words, "\nrules of seed %llu, from %u LOW, %u MED, %u HIGH intervals\n",
			(unsigned long long)rules->seed, rules->n_low, rules->n_med, rules->n_high);
		print_ruleset(words, model, i, false);
		print_ruleset(words, model, i, true);
	}
	lode_prose_close(out, page, 6, &prose);
}
