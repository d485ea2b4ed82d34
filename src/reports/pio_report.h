/*
 * What `lode pio` found, for people and as "lode/pio/1"; and what training came to.
 */
#ifndef LODE_PIO_REPORT_H
#define LODE_PIO_REPORT_H

#include <stdbool.h>
#include <stdio.h>

#include "analyses/pio/analyse.h"

enum lode_pio_order { LODE_PIO_BY_TIME, LODE_PIO_BY_HARM, LODE_PIO_BY_PEAK };

/* Whose raw values JSON has. */
enum lode_pio_series { LODE_PIO_SERIES_TOP, LODE_PIO_SERIES_ALL, LODE_PIO_SERIES_NONE };

struct lode_pio_report {
	const struct lode_pio_analysis *analysis;
	const struct lode_request_names *names; /* of actions and users */
	const struct lode_losses *losses;	/* of logs and counters, together; may be NULL */
	enum lode_pio_order order;
	size_t top; /* longest list; 0: no bound */
	enum lode_pio_series series;
	size_t points; /* of a series, at most; 0: one per interval */
	unsigned columns;
	bool is_terminal;
};

void lode_pio_report_text(FILE *out, const struct lode_pio_report *report);
void lode_pio_report_json(FILE *out, const struct lode_pio_report *report);

/* What a model is: its training, bounds, rules, and counters by what they are worth. */
void lode_pio_model_report(FILE *out, const struct lode_pio_model *model);

/* ---- Parts that both share ---- */

/* "2026-11-21 04:37:35 UTC"; with `is_short` "04:37:35". LODE_PIO_TIME_BYTES are enough. */
enum { LODE_PIO_TIME_BYTES = 40 };
const char *lode_pio_time_text(char *buffer, int64_t t_ns, bool is_short);
/* "web/cpu_user_ms >= 80.5 and ... -> OTHER", in text that must be freed; names are harmless. */
char *lode_pio_rule_text(const struct lode_pio_model *model, const struct lode_rule *rule,
			 const char *then);
/* Periods in the order asked for: indices into `periods`, to be freed. */
size_t *lode_pio_period_order(const lode_pio_periods *periods, enum lode_pio_order order);
/* What a server is called: "(no server)" for "". Borrowed, not escaped. */
const char *lode_pio_server_name(const struct lode_pio_analysis *analysis, uint32_t server);

/* Names of the rulesets' classes, LOW/OTHER and MED/HIGH. */
extern const char *const lode_pio_low_other_names[2], *const lode_pio_med_high_names[2];

#endif
