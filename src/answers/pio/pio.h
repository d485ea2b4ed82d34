/*
 * lode pio: when a service was slow, and which counter of which server goes with it.
 *
 *   logs, counters  --train-->  model
 *   logs, counters, model  --analyse-->  findings: slow periods, with names and times
 *
 * What follows files as they grow is in watch.h.
 */
#pragma once

#include "engine/pio/analyse.h"
#include "engine/pio/slo.h"
#include "document/fields.h"
#include "answers/input_fields.h"
#include "document/findings.h"
#include "document/text_page.h"
#include "input/formats/log/request_source.h"

/* ---- Inputs: of one or several periods ---- */

enum lode_pio_input_kind {
	LODE_PIO_LOG,
	LODE_PIO_COUNTERS, /* "web=FILE": of the server web; "FILE", or a file with that whole name
			    */
	LODE_PIO_THEN,	   /* what follows is of another period */
};

struct lode_pio_input {
	enum lode_pio_input_kind kind;
	const char *text;
};

struct lode_pio_inputs {
	const struct lode_pio_input *at; /* as the user gave them */
	size_t n;
	struct lode_log_options log;
	const char *entity_label; /* whose values are services; NULL: found if need be */
	unsigned n_threads;
	size_t memory_bytes; /* to keep to; 0: not given */
};

/* What there is to say of the inputs, in the order in which it was found. */
enum lode_pio_note_kind {
	LODE_PIO_HINT,	 /* nothing is missing */
	LODE_PIO_LOST,	 /* something could not be read; the rest goes on */
	LODE_PIO_FAILED, /* why there is no answer, or a part of it is not there */
	LODE_PIO_LACKS,	 /* the same: what the request should have had */
};

struct lode_pio_note {
	enum lode_pio_note_kind kind;
	const char *text;		/* names in it are not escaped */
	const struct lode_error *error; /* instead of the text; or NULL */
};

struct lode_pio_notes {
	LODE_VEC(struct lode_pio_note) list;
	struct lode_arena arena;
};

/* ---- Training ---- */

struct lode_pio_train_request {
	struct lode_pio_inputs inputs;
	struct lode_pio_settings
		settings;	 /* step_ns 0: how often the fastest counter was sampled */
	const char *const *slos; /* bounds of counters in place of logs (engine/pio/slo.h) */
	size_t n_slos;
	const struct lode_pio_incident *incidents; /* the same */
	size_t n_incidents;
	unsigned n_folds;  /* of cross-validation; 0: none */
	const char *model; /* file that it is written to, "-": standard output; NULL: none */
};

struct lode_pio_trained {
	struct lode_pio_model model;
	struct lode_pio_notes notes;
};

/* `*out` is there also when it fails, for its notes. */
int lode_pio_train_run(struct lode_pio_trained **out, const struct lode_pio_train_request *request,
		       struct lode_error *err);
void lode_pio_trained_free(struct lode_pio_trained *trained);

/* What a model is: its training, bounds and rules. */
void lode_pio_model_text(FILE *out, const struct lode_pio_model *model,
			 const struct lode_text_page *page);

/* ---- A finding: one slow period ---- */

struct lode_pio_found_server {
	const char *server;
	double value, share_pct;  /* what it has to show, and as a share of the first one's */
	bool is_bottleneck;	  /* of its own */
	int64_t start_ns, end_ns; /* when it was one; LODE_NO_INT: it was none */
};

struct lode_pio_found_counter {
	const char *server, *counter;
	double value;
	double deviation;	  /* the median one; NaN: of classic models */
	int64_t start_ns, end_ns; /* when it had something to show */
	bool is_late;		  /* later than smoothing alone would have it */
};

/* The counter that moved most in a period that the model does not explain. */
struct lode_pio_found_moved {
	const char *server, *counter;
	double before, within; /* medians of all other time, and of the period */
};

/* An action or a user that was hit. */
struct lode_pio_found_hit {
	const char *name;
	uint64_t n_slow;
};

struct lode_pio_found_rule {
	uint32_t ruleset, rule, n_intervals;
	bool is_med_high;
	const char *text; /* of the first LODE_PIO_FEW */
};

/* Of a list the first `n` are asked for, by --top; `n_more` others were found. The first
   LODE_PIO_FEW of all are there, asked for or not: n_there. */
enum { LODE_PIO_FEW = 4 };
struct lode_pio_found_hits {
	struct lode_pio_found_hit *at;
	size_t n, n_more, n_there;
};

/* Times are since 1970, UTC. What needs a log is LODE_NO_INT or NaN without one. */
struct lode_pio_found {
	const char *judged; /* what n_requests counts: "requests", or "intervals" */
	int64_t start_ns, end_ns;
	int64_t known_ns; /* the end of the interval that showed it */
	int64_t duration_ns;
	const char *start_utc;
	uint32_t intensity_max;
	double evidence_max; /* NaN: of classic models */
	int64_t n_requests, n_slow, n_client;
	double excess_slow; /* slow requests beyond what is usual */
	double slow_pct;    /* of the requests; NaN without any */
	double client_pct;  /* slow for the client alone; NaN: too few to tell */
	struct lode_pio_found_server *servers;
	size_t n_servers, n_bottlenecks; /* which are the first ones */
	struct lode_pio_found_counter *counters;
	size_t n_counters, n_counters_more, n_counters_there; /* as in lode_pio_found_hits */
	const struct lode_pio_found_moved *moved;	      /* NULL: explained, or none moved */
	struct lode_pio_found_hits actions, users;
	struct lode_pio_found_rule *rules;
	size_t n_rules, n_rules_more, n_rules_there; /* as in lode_pio_found_hits */
};

struct lode_pio_found_list {
	struct lode_pio_found *at;
	size_t n, n_top; /* all, and those that a short list has */
};

/* ---- Analysis ---- */

enum lode_pio_order { LODE_PIO_BY_TIME, LODE_PIO_BY_HARM, LODE_PIO_BY_PEAK };

/* Whose raw values are given. */
enum lode_pio_series { LODE_PIO_SERIES_TOP, LODE_PIO_SERIES_ALL, LODE_PIO_SERIES_NONE };

/* Recordings of the same time, whose symptoms the slow periods are: the bridge to lode mine. */
struct lode_pio_bridge {
	const char *const *streams;
	size_t n_streams;
	const char *comm;	/* glob of threads' names; NULL: all but the kernel's */
	bool has_offset;	/* the user's word on the clock, over the recording's */
	int64_t wall_offset_ns; /* wall clock = the recording's + it */
};

struct lode_pio_request {
	const char *model;
	struct lode_pio_inputs inputs;
	enum lode_pio_order order; /* of periods */
	size_t top;		   /* longest list; 0: no bound */
	enum lode_pio_series series;
	size_t points;			/* of a series, at most; 0: one per interval */
	bool wants_pictures;		/* what JSON and pages have beside the findings */
	size_t map_columns;		/* of the heat map for terminals; 0: none */
	struct lode_pio_bridge bridge;	/* without streams: not asked for */
	const char *symptoms;		/* the file that its symptoms go to; NULL: none */
	const struct lode_asked *asked; /* NULL: by no command line */
};

struct lode_pio_pause {
	uint64_t interval; /* before which it would stand */
	int64_t left_out_ns;
};

struct lode_pio_named {
	const char *server, *counter;
};

struct lode_pio_named_list {
	struct lode_pio_named *at;
	size_t n;
};

/* Whether the model is of this service still. */
struct lode_pio_retraining {
	struct lode_pio_named_list vanished, shifted, appeared;
	uint64_t n_unjudged;
	bool is_class_drift, is_advised;
};

/* What the model was trained on, compared with what is analysed. */
struct lode_pio_trained_on {
	int64_t length_ns; /* of the intervals with requests and counters */
	uint64_t n_intervals;
	double shared_pct; /* of the analysed time that training covered as well */
	bool is_same_time, is_short, has_log;
};

struct lode_pio_comparison {
	uint64_t n, n_high;
	double expected, z; /* z NaN: not known */
	double high_pct, expected_pct;
	bool is_estimated;
	const char *verdict;
};

/* A server's evidence, or a counter's row of the rule coverage matrix, per interval. */
struct lode_pio_line {
	const char *server, *counter;
	const float *values;
	size_t n;
};

struct lode_pio_line_list {
	struct lode_pio_line *at;
	size_t n;
};

/* A counter's raw values. */
struct lode_pio_values {
	const char *server, *counter;
	double median, low, high; /* of healthy time; NaN: unknown */
	bool is_drifting;
	const double *values; /* of several intervals the one furthest from the median; NaN: none */
	size_t n;
};

struct lode_pio_rule_row {
	uint32_t ruleset, rule;
	const char *text, *then;
	uint32_t n_covered, n_wrong;
	const uint32_t *spans; /* first and last interval that it decided, by twos */
	size_t n_spans;
};

struct lode_pio_rule_list {
	struct lode_pio_rule_row *at;
	size_t n;
};

/* What pages draw. */
struct lode_pio_pictures {
	double med, high, healthy, evidence; /* bounds; the latter two NaN in classic models */
	struct lode_pio_line_list servers, matrix;
	size_t n_matrix_more;
	struct lode_pio_rule_list low_other, med_high;
	int64_t series_step_ns;
	struct lode_pio_values *series;
	size_t n_series, n_intervals;
	const struct lode_pio_analysis *analysis; /* for the intervals */
};

/* The matrix, drawn with characters: the largest value of the intervals of each column. */
struct lode_pio_map_row {
	const char *server, *counter;
	const double *cells; /* 0..1, of the largest value of all */
};

struct lode_pio_map {
	struct lode_pio_map_row *rows;
	size_t n_rows, n_columns;
	int64_t column_ns;
	const bool *is_slow, *is_high; /* per column: in a slow period; HIGH by the log */
};

/* A row of a table of symptoms (model/symptom_table.h). */
struct lode_pio_symptom {
	const char *stream, *comm;
	int32_t tid;
	int64_t t0_ns, t1_ns;
};

struct lode_pio_answer {
	struct lode_opening opening;
	bool is_classic, has_log;
	int64_t step_ns, start_ns,
		end_ns; /* `start_ns` to `end_ns` without what pauses leave out: */
	int64_t length_ns;
	struct lode_pio_pause *pauses;
	size_t n_pauses;
	struct lode_pio_found_list periods, unfelt, unexplained;
	struct lode_pio_trained_on training;
	struct lode_pio_retraining retraining;
	struct lode_pio_comparison regression;
	struct lode_loss_row losses_at[LODE_N_LOSS_KINDS];
	const struct lode_loss_row *losses; /* of logs and counters, together */
	size_t n_losses;
	struct lode_pio_pictures pictures; /* if asked for */
	struct lode_pio_map map;
	LODE_VEC(struct lode_pio_symptom) symptoms;
	bool has_symptoms;
	struct lode_pio_notes notes;
	struct lode_arena arena;
	void *state; /* what all of it borrows from */
};

/* `*out` is there also when it fails, for its notes. */
int lode_pio_run(struct lode_pio_answer **out, const struct lode_pio_request *request,
		 struct lode_error *err);
void lode_pio_free(struct lode_pio_answer *answer);

extern const struct lode_document lode_pio_document;
void lode_pio_text(FILE *out, const struct lode_pio_answer *answer,
		   const struct lode_text_page *page);
/* Columns of the heat map on a page. */
size_t lode_pio_text_map_columns(const struct lode_text_page *page);
void lode_pio_symptoms_put(FILE *out, const struct lode_pio_answer *answer);

/* What is said first. */
struct lode_opening lode_pio_opening(const struct lode_pio_answer *answer,
				     const struct lode_pio_request *request,
				     struct lode_arena *arena);
/* In a few lines, of an answer (document/findings.h). */
lode_findings_maker lode_pio_findings;
