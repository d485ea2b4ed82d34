/*
 * Parts that the reports of `lode suspects` are made of. Inside of reports/ only.
 */
#ifndef LODE_SUSPECTS_PARTS_H
#define LODE_SUSPECTS_PARTS_H

#include "reports/suspects_report.h"

/* ---- The tables of the page ---- */

void lode_suspects_print_metrics(FILE *out, const struct lode_suspects_report *report);
void lode_suspects_print_metrics_of_sides(FILE *out, const struct lode_suspects_report *report);
void lode_suspects_print_functions(FILE *out, const struct lode_suspects_report *report);
void lode_suspects_print_functions_of_sides(FILE *out, const struct lode_suspects_report *report);
/* `only` NULL: the most significant ones; otherwise those that have this function at either end. */
void lode_suspects_print_contrasts(FILE *out, const struct lode_suspects_report *report,
				   const struct lode_suspect *only);

/* ---- What they share ---- */

/* Two sets are compared. */
static inline bool lode_suspects_is_versus(const struct lode_suspects_report *report)
{
	return report->suspects->options.kind == LODE_EVIDENCE_SIDES;
}

/* Indexes of the tally's metrics: longest failed time first, then longest time, then by name. The
   caller's to free. */
uint32_t *lode_suspects_metric_order(const struct lode_suspects *suspects);

/* How many functions are shown. */
size_t lode_suspects_n_shown(const struct lode_suspects_report *report);

struct lode_sheet;
/* Four cells from `column` on: calls and time of one recording, of slow ones and of fast ones. */
void lode_suspects_set_sides(struct lode_sheet *sheet, const struct lode_suspects *suspects,
			     size_t row, size_t column, const uint64_t *n,
			     const struct lode_moments *moments, const char *unit);

/* "0.03", "4e-12", "<1e-99" of a natural logarithm; LODE_UNITS_BUFFER is enough. */
const char *lode_format_log_p(char *buffer, double log_p);
/* A sum of ns as a duration. */
const char *lode_format_sum(char *buffer, lode_u128 sum);

/* The line of latency columns in tables, and its title: an axis. */
struct lode_sparkline {
	unsigned first, last; /* buckets */
	unsigned columns;
};
enum { LODE_SPARKLINE_BYTES = 512 };
/* Spans all values of these metrics that are times. */
struct lode_sparkline lode_sparkline_make(const struct lode_suspects *suspects,
					  const uint32_t *metrics, size_t n, unsigned columns);
void lode_sparkline_axis(char *buffer, const struct lode_sparkline *line);
/* `thresholds` NULL: none to draw in. */
void lode_sparkline_draw(char *buffer, const struct lode_sparkline *line,
			 const struct lode_latency_histogram *histogram,
			 const struct lode_thresholds *thresholds);

/* Bars, one line to a bucket; `other` (may be NULL) stands beside them. */
struct lode_bars {
	const struct lode_latency_histogram *histogram, *other;
	const char *title, *other_title;	  /* of the columns */
	const struct lode_thresholds *thresholds; /* NULL: none */
	const char *unit;
};
void lode_bars_print(FILE *out, const struct lode_bars *bars, unsigned columns);

#endif
