/* lode pio compare for terminals, and in a few lines. */
#include <inttypes.h>

#include "answers/pio/compare.h"
#include "answers/pio/parts.h"
#include "base/duration.h"
#include "base/escape.h"
#include "document/prose.h"

enum { SERVICE_COLUMNS = 24, COUNTERS_SHOWN = 3 };

static void print_changed(FILE *out, const struct lode_pio_changed *service, int columns,
			  const struct lode_text_page *page)
{
	char name[256], since[LODE_PIO_TIME_BYTES];
	struct lode_prose prose;
	FILE *words = lode_prose_open(&prose);
	int pad;

	lode_escape_fit(name, sizeof(name), service->service, SERVICE_COLUMNS);
	pad = columns - (int)lode_escape_width(name);
	fprintf(words, "%3" PRIu64 "  %s%*s  %4.0f %%  %s ", service->rank, name, pad > 0 ? pad : 0,
		"", 100 * service->confidence, lode_pio_time_text(since, service->since_ns, true));
	for (size_t i = 0; i < service->n_counters && i < COUNTERS_SHOWN; i++) {
		const struct lode_pio_changed_counter *c = &service->counters[i];

		fprintf(words, "%s %s%s %s %.4g → %.4g", i ? "," : "",
			lode_escape_fit(name, sizeof(name), c->counter, 40),
			c->is_total ? " per interval" : "", c->is_fall ? "↓" : "↑", c->before,
			c->after);
	}
	if (service->n_counters + service->n_counters_more > COUNTERS_SHOWN)
		fprintf(words, " and %zu more",
			service->n_counters + service->n_counters_more - COUNTERS_SHOWN);
	fputc('\n', words);
	lode_prose_close(out, page, 5, &prose);
}

static void print_services(FILE *out, const struct lode_pio_compare_answer *answer,
			   const struct lode_text_page *page)
{
	char name[256];
	size_t columns = strlen("service");

	if (!answer->n_services)
		return;
	for (size_t i = 0; i < answer->n_services; i++) {
		size_t width;

		lode_escape_fit(name, sizeof(name), answer->services[i].service, SERVICE_COLUMNS);
		width = lode_escape_width(name);
		columns = width > columns ? width : columns;
	}
	fprintf(out, "\n     %-*s  confid.  since     counters, before → after\n", (int)columns,
		"service");
	for (size_t i = 0; i < answer->n_services; i++)
		print_changed(out, &answer->services[i], (int)columns, page);
	if (answer->n_services_more)
		fprintf(out, "     and %zu more with changes\n", answer->n_services_more);
}

static void print_time(FILE *out, const char *what, const struct lode_pio_compared_time *time)
{
	char from[LODE_PIO_TIME_BYTES], to[LODE_PIO_TIME_BYTES];

	fprintf(out, "%s: %s to %s, %" PRIu64 " intervals\n", what,
		lode_pio_time_text(from, time->start_ns, false),
		lode_pio_time_text(to, time->end_ns, true), time->n_intervals);
}

static void print_compared(FILE *out, const struct lode_pio_compare_answer *answer)
{
	char step[LODE_DURATION_BYTES];

	fputc('\n', out);
	print_time(out, "before", &answer->before);
	print_time(out, "after", &answer->after);
	fprintf(out, "%" PRIu64 " counters of %" PRIu64 " services in intervals of %s",
		answer->n_compared, answer->n_services_all,
		lode_duration_text(answer->step_ns, step, sizeof(step)));
	if (answer->source == LODE_PIO_SERVICES_BY_LABEL)
		fprintf(out, "; services are the values of the label '%s'", answer->separator);
	else if (answer->source != LODE_PIO_SERVICES_OF_FILES)
		fprintf(out, "; services are the part of the columns' names %s '%s'",
			answer->source == LODE_PIO_SERVICES_BEFORE ? "before" : "behind",
			answer->separator);
	if (answer->n_too_few)
		fprintf(out, "; %" PRIu64 " not compared: too few values", answer->n_too_few);
	if (answer->n_unmatched)
		fprintf(out, "; %" PRIu64 " only before or only after", answer->n_unmatched);
	fprintf(out,
		"\nevidence: largest %.1f; within the time before %.1f; a service stands out above "
		"%.1f\n",
		answer->evidence, answer->natural, answer->bound);
}

void lode_pio_compare_text(FILE *out, const struct lode_pio_compare_answer *answer,
			   const struct lode_text_page *page)
{
	char detail[4 * sizeof(((struct lode_loss *)0)->detail)];
	struct lode_prose prose;
	FILE *words;

	lode_opening_put(out, &answer->opening, page);
	print_services(out, answer, page);
	words = lode_prose_open(&prose);
	print_compared(words, answer);
	for (size_t i = 0; i < answer->n_losses; i++)
		fprintf(words, "not read: %s; first: %s\n", answer->losses[i].words,
			lode_escape(detail, sizeof(detail), answer->losses[i].detail));
	lode_prose_close(out, page, 2, &prose);
}

/* ---- In a few lines ---- */

void lode_pio_compare_findings(struct lode_findings *out, const void *of, struct lode_arena *arena)
{
	const struct lode_pio_compare_answer *answer = of;

	lode_findings_open(out, &answer->opening, arena);
	for (size_t i = 0; i < answer->n_services && lode_findings_have_room(out); i++) {
		const struct lode_pio_changed *service = &answer->services[i];

		lode_findings_add(
			out,
			lode_finding_text(arena, "%s (confidence %.0f %%): %s %s from %.4g to %.4g",
					  service->service, 100 * service->confidence,
					  service->counters[0].counter,
					  service->counters[0].is_fall ? "fell" : "rose",
					  service->counters[0].before, service->counters[0].after),
			NULL);
	}
}
