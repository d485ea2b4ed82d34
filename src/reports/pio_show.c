/* What the text and the JSON of `lode pio` share. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/escape.h"
#include "base/mem.h"
#include "reports/pio_parts.h"

const char *const lode_pio_low_other_names[2] = {"LOW", "OTHER"};
const char *const lode_pio_med_high_names[2] = {"MED", "HIGH"};

const char *lode_pio_time_text(char *buffer, int64_t t_ns, bool is_short)
{
	time_t seconds = (time_t)(t_ns / 1000000000);
	int millis = (int)(t_ns / 1000000 % 1000);
	char clock[LODE_PIO_TIME_BYTES], fraction[8] = "";
	struct tm tm;

	gmtime_r(&seconds, &tm);
	strftime(clock, sizeof(clock), is_short ? "%H:%M:%S" : "%Y-%m-%d %H:%M:%S", &tm);
	if (millis)
		snprintf(fraction, sizeof(fraction), ".%03d", millis);
	snprintf(buffer, LODE_PIO_TIME_BYTES, "%.24s%s%s", clock, fraction, is_short ? "" : " UTC");
	return buffer;
}

static void put_name(FILE *out, const char *name)
{
	size_t size = 4 * strlen(name) + 1;
	char *safe = lode_alloc(size);

	fputs(lode_escape(safe, size, name), out);
	free(safe);
}

char *lode_pio_rule_text(const struct lode_pio_model *model, const struct lode_rule *rule,
			 const char *then)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		lode_oom(0);
	for (size_t i = 0; i < rule->conditions.n; i++) {
		const struct lode_rule_condition *c = &rule->conditions.at[i];
		const struct lode_pio_counter *counter = &model->counters.at[c->attribute];

		fputs(i ? " and " : "", out);
		if (counter->server[0]) {
			put_name(out, counter->server);
			fputc('/', out);
		}
		put_name(out, counter->name);
		fprintf(out, " %s %.6g", c->comparison == LODE_AT_MOST ? "<=" : ">=", c->value);
	}
	fprintf(out, "%s-> %s", rule->conditions.n ? " " : "else ", then);
	if (fclose(out) != 0)
		lode_oom(0);
	return text;
}

static double weight_of(const struct lode_pio_period *p, enum lode_pio_order order)
{
	if (order == LODE_PIO_BY_HARM)
		return p->n ? p->excess : (double)(p->last - p->first + 1);
	return p->n ? (double)p->n_slow / (double)p->n : p->evidence_max + p->intensity_max;
}

size_t *lode_pio_period_order(const lode_pio_periods *periods, enum lode_pio_order order)
{
	size_t *at = lode_alloc((periods->n + 1) * sizeof(*at));

	for (size_t i = 0; i < periods->n; i++) {
		size_t k = i;

		/* Insertion: periods are few, and equal ones stay in the order of time. */
		for (;
		     k && order != LODE_PIO_BY_TIME &&
		     weight_of(&periods->at[at[k - 1]], order) < weight_of(&periods->at[i], order);
		     k--)
			at[k] = at[k - 1];
		at[k] = i;
	}
	return at;
}

const char *lode_pio_server_name(const struct lode_pio_analysis *analysis, uint32_t server)
{
	const struct lode_pio_model *model = analysis->model;
	uint32_t n = 0;

	/* Servers are numbered in the order of the counters, which stand together by server. */
	for (size_t c = 0; c < model->counters.n; c++) {
		n += c &&
		     strcmp(model->counters.at[c].server, model->counters.at[c - 1].server) != 0;
		if (n == server)
			return model->counters.at[c].server[0] ? model->counters.at[c].server
							       : "(no server)";
	}
	return "?";
}

static int by_value(const void *a, const void *b)
{
	const struct lode_pio_ranked *x = a, *y = b;

	if (x->value != y->value)
		return x->value > y->value ? -1 : 1;
	return x->at < y->at ? -1 : x->at > y->at;
}

static int by_counter(const void *a, const void *b)
{
	const struct lode_pio_ranked *x = a, *y = b;

	return x->at < y->at ? -1 : x->at > y->at;
}

size_t lode_pio_map_rows(lode_pio_ranking *rows, const struct lode_pio_analysis *a, size_t most)
{
	size_t n;

	for (size_t c = 0; c < a->model->counters.n; c++) {
		struct lode_pio_ranked row = {.at = (uint32_t)c};

		for (size_t i = 0; i < a->n_intervals; i++)
			row.value = fmax(row.value, (double)a->coverage[c][i]);
		if (row.value > 0)
			lode_vec_append(rows, row);
	}
	n = rows->n;
	if (!n)
		return 0;
	qsort(rows->at, n, sizeof(*rows->at), by_value);
	rows->n = lode_pio_shown(n, most);
	qsort(rows->at, rows->n, sizeof(*rows->at), by_counter);
	return n;
}
