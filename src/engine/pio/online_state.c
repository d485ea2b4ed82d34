/* The state of an online analysis as words, and back. */
#include "engine/pio/online_parts.h"
#include "engine/pio/periods.h"

void lode_pio_online_save(FILE *out, const struct lode_pio_online *o)
{
	fprintf(out, "online %zu %zu %lld %zu %u %u\n", o->n_counters, o->n_rulesets,
		(long long)o->first, o->n, o->intensity, o->n_seen);
	fprintf(out, "open %d %d %lld %lld %lld\n", o->open.is_open, o->open.is_told,
		(long long)o->open.reported, (long long)o->open.last, (long long)o->open.start_ns);
	fprintf(out, "silence %d %lld %lld\n", o->silence.is_told, (long long)o->silence.last,
		(long long)o->silence.start_ns);
	for (size_t c = 0; c < o->n_counters; c++) {
		fprintf(out, "%u %d ", o->n_out[c], o->has_value[c]);
		lode_state_put_number(out, (double)o->column[c]);
		fputc(' ', out);
		lode_state_put_text(out, o->model->counters.at[c].name,
				    strlen(o->model->counters.at[c].name));
		fputc('\n', out);
	}
	for (size_t i = 0; i < o->n; i++) {
		fprintf(out, "%u %u", o->rows[i].estimated, o->rows[i].intensity);
		for (size_t c = 0; c < o->n_counters; c++) {
			fputc(' ', out);
			lode_state_put_number(out, o->columns[c][i]);
		}
		/* The matrix is needed back to a period's start only by classic models. */
		for (size_t c = 0; c < o->n_counters && o->model->settings.is_classic; c++) {
			fputc(' ', out);
			lode_state_put_number(out, (double)o->coverage[c][i]);
		}
		fputc('\n', out);
	}
}

static void load_row(struct lode_pio_online *o, struct lode_state_words *words)
{
	size_t i = o->n;

	lode_online_reserve(o, i + 1);
	o->rows[i].estimated = (uint8_t)lode_state_int(words) & 3;
	o->rows[i].intensity = (uint32_t)lode_state_int(words);
	for (size_t c = 0; c < o->n_counters; c++) {
		o->columns[c][i] = lode_state_number(words);
		o->coverage[c][i] = 0;
	}
	for (size_t c = 0; c < o->n_counters && o->model->settings.is_classic; c++)
		o->coverage[c][i] = (float)lode_state_number(words);
	/* Which rules spoke follows from the values. */
	for (size_t k = 0; k < o->n_rulesets; k++) {
		struct lode_pio_verdict *v = &o->verdicts[k][i];

		v->class = (uint8_t)lode_pio_rules_classify(&o->model->rules.at[k],
							    (const double *const *)o->columns,
							    o->n_counters, i, &v->fired);
	}
	o->n++;
}

/* A number from 0 to `most`: what was judged lies before its end. */
static int64_t up_to(struct lode_state_words *words, int64_t most)
{
	int64_t value = lode_state_int(words);

	words->is_bad |= value < 0 || value > most;
	return value;
}

bool lode_pio_online_load(struct lode_pio_online *o, struct lode_state_words *words)
{
	size_t n_rows, len;
	int64_t end, end_ns;

	lode_state_expect(words, "online");
	if (lode_state_int(words) != (int64_t)o->n_counters ||
	    lode_state_int(words) != (int64_t)o->n_rulesets)
		words->is_bad = true;
	o->first = lode_state_int(words);
	if (o->first < 0 || o->first > INT64_MAX / 4) {
		words->is_bad = true;
		o->first = 0;
	}
	n_rows = lode_state_count(words);
	end = o->first + (int64_t)n_rows;
	if (__builtin_mul_overflow(end, o->model->settings.step_ns, &end_ns))
		words->is_bad = true;
	o->intensity = (uint32_t)lode_state_int(words);
	o->n_seen = (uint32_t)lode_state_int(words);
	lode_state_expect(words, "open");
	o->open.is_open = lode_state_int(words) != 0;
	o->open.is_told = lode_state_int(words) != 0;
	o->open.reported = up_to(words, end);
	o->open.last = up_to(words, end);
	o->open.start_ns = up_to(words, end_ns);
	lode_state_expect(words, "silence");
	o->silence.is_told = lode_state_int(words) != 0;
	o->silence.last = up_to(words, end);
	o->silence.start_ns = up_to(words, end_ns);
	for (size_t c = 0; c < o->n_counters && !words->is_bad; c++) {
		char *name;

		o->n_out[c] = (uint32_t)lode_state_int(words);
		o->has_value[c] = lode_state_int(words) != 0;
		o->column[c] = (float)lode_state_number(words);
		name = lode_state_text(words, &len);
		words->is_bad |= strcmp(name, o->model->counters.at[c].name) != 0;
		free(name);
		o->is_out[c] = o->has_value[c] && lode_pio_has_new_level(o->n_out[c], o->n_seen);
	}
	for (size_t i = 0; i < n_rows && !words->is_bad; i++)
		load_row(o, words);
	return !words->is_bad;
}
