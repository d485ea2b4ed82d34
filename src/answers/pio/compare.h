/*
 * lode pio compare: which service changed between two times, and which of its counters. No model,
 * no request log.
 *
 *   counters before, counters after  ->  services by evidence (engine/pio/shifts.h)
 */
#pragma once

#include "answers/pio/pio.h"
#include "engine/pio/shifts.h"
#include "engine/pio/service_names.h"

struct lode_pio_compare_request {
	struct lode_pio_inputs inputs; /* counters; before, LODE_PIO_THEN, after; or one period */
	int64_t at_ns;	   /* one period: where `after` begins; LODE_NO_INT: two periods */
	int64_t step_ns;   /* 0: how often the fastest counter was sampled */
	size_t top;	   /* longest list; 0: no bound */
	const char *edges; /* a file that says which service calls which; NULL: none */
	const struct lode_asked *asked; /* NULL: by no command line */
};

struct lode_pio_changed_counter {
	uint64_t rank;
	const char *counter;
	bool is_fall;
	bool is_total;
	double before, after, deviation;
	int64_t since_ns;
};

struct lode_pio_changed {
	uint64_t rank;
	const char *service;
	double evidence, confidence;
	int64_t since_ns;
	struct lode_pio_changed_counter *counters;
	size_t n_counters, n_counters_more;
};

struct lode_pio_compared_time {
	int64_t start_ns, end_ns;
	uint64_t n_intervals;
};

/* Where the services come from. */
enum lode_pio_service_source {
	LODE_PIO_SERVICES_OF_FILES,
	LODE_PIO_SERVICES_BEFORE, /* in columns' names, before the separator */
	LODE_PIO_SERVICES_BEHIND,
	LODE_PIO_SERVICES_BY_LABEL,
};

struct lode_pio_compare_answer {
	struct lode_opening opening;
	struct lode_pio_compared_time before, after;
	int64_t step_ns;
	bool stands_out;
	double evidence, natural, bound;   /* evidence: the largest */
	struct lode_pio_changed *services; /* none if nothing stands out */
	size_t n_services, n_services_more;
	uint64_t n_services_all, n_compared, n_too_few, n_unmatched;
	enum lode_pio_service_source source;
	struct lode_service_names services_in;
	const char *separator; /* or the label; NULL: of files */
	struct lode_loss_row losses_at[LODE_N_LOSS_KINDS];
	const struct lode_loss_row *losses;
	size_t n_losses;
	struct lode_pio_notes notes;
	struct lode_arena arena;
};

/* `*out` is there also when it fails, for its notes. */
int lode_pio_compare_run(struct lode_pio_compare_answer **out,
			 const struct lode_pio_compare_request *request, struct lode_error *err);
void lode_pio_compare_free(struct lode_pio_compare_answer *answer);

/* Lines "caller,callee", or Jaeger's dependencies. */
int lode_pio_edges_read(lode_shift_edges *out, const char *path, struct lode_arena *arena,
			struct lode_error *err);

extern const struct lode_document lode_pio_compare_document;
void lode_pio_compare_text(FILE *out, const struct lode_pio_compare_answer *answer,
			   const struct lode_text_page *page);
lode_findings_maker lode_pio_compare_findings;
