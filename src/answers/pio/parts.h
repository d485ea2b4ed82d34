/*
 * What the answers of lode pio are made of. Inside of answers/pio.
 */
#pragma once

#include "answers/pio/pio.h"
#include "engine/pio/request_log.h"
#include "model/counters.h"

/* ---- Words ---- */

/* "2026-11-21 04:37:35 UTC"; with `is_short` "04:37:35". LODE_PIO_TIME_BYTES are enough. */
enum { LODE_PIO_TIME_BYTES = 40 };
const char *lode_pio_time_text(char *buffer, int64_t t_ns, bool is_short);
/* "web/cpu_user_ms", harmless, at most `columns` wide. */
const char *lode_pio_counter_text(char *buffer, size_t size, const char *server,
				  const char *counter, size_t columns);
/* " ↑2.3×"; nothing of a counter that is in its range. LODE_PIO_TIME_BYTES are enough. */
const char *lode_pio_deviation_text(char *buffer, double deviation);
/* One rule of a list, or behind the last one its default. Its text is "web/cpu_user_ms >= 80.5 and
   ... -> OTHER", names made harmless; in `arena`. */
struct lode_pio_rule_row lode_pio_rule_row(const struct lode_pio_model *model, size_t ruleset,
					   bool is_med_high, size_t rule, struct lode_arena *arena);
/* What is slow or not: "requests", or "intervals" by bounds of counters. */
static inline const char *lode_pio_judged_words(const struct lode_pio_model *model)
{
	return model->usual.actions.n || (model->slos.n && model->slos.at[0].is_histogram)
		       ? "requests"
		       : "intervals";
}
/* "front-end/lat_99 > 0.5", harmless. */
const char *lode_pio_slo_text(char *buffer, size_t size, const struct lode_pio_slo *slo);
/* What a server is called: "(no server)" for "". Borrowed, not escaped. */
const char *lode_pio_server_name(const struct lode_pio_model *model, uint32_t server);

/* ---- Notes ---- */

void lode_pio_note(struct lode_pio_notes *notes, enum lode_pio_note_kind kind, const char *format,
		   ...) __attribute__((format(printf, 3, 4)));
/* Gives the error's status. */
int lode_pio_note_error(struct lode_pio_notes *notes, enum lode_pio_note_kind kind,
			const struct lode_error *error);
void lode_pio_notes_release(struct lode_pio_notes *notes);

/* ---- Reading ---- */

/* From the first to the last sample of an input of counters. */
struct lode_pio_sampled {
	const char *text; /* the input, as it was given; borrowed */
	int64_t first_ns, last_ns;
};

/* One period, read. */
struct lode_pio_recorded {
	struct lode_request_log requests; /* has_log only */
	struct lode_counters counters;
	struct lode_counter_log *raw;
	LODE_VEC(struct lode_pio_sampled) spans;
	bool has_log;
};

/* Number of periods that the inputs name. */
size_t lode_pio_inputs_periods(const struct lode_pio_inputs *inputs);
/* "web=FILE" is FILE of the server "web", unless a file has that whole name. Gives the path; the
   server is the caller's to free, NULL: by the file's name. */
const char *lode_pio_counter_path(const char *text, char **server);

/*
 * Reads the counters of period `number` into recorded->raw. Fails when nothing could be used; what
 * was passed over is noted.
 */
int lode_pio_read_counters(struct lode_pio_recorded *recorded, const struct lode_pio_inputs *inputs,
			   size_t number, struct lode_pio_notes *notes, struct lode_error *err);
/*
 * How large a grid of so many counters may be: what is beyond --memory goes to files, and eight
 * times as much in all is refused, with what it would take.
 */
struct lode_counter_bound lode_pio_grid_bound(const struct lode_pio_inputs *inputs,
					      size_t n_counters);
/* Puts them on the grid, and lets the raw samples go. */
int lode_pio_align(struct lode_pio_recorded *recorded, int64_t step_ns,
		   const struct lode_counter_bound *bound, struct lode_pio_notes *notes,
		   struct lode_error *err);
/*
 * Which part of the counters' names is the service (`rule`: found from the first grid, for all of
 * them), and makes it their server. Nothing is done where counters are of several servers, or of
 * one that the user named, unless a label is asked for. `notes` (may be NULL): where that is said.
 */
void lode_pio_find_services(struct lode_service_names *rule, const struct lode_pio_inputs *inputs,
			    struct lode_counters *const *grids, size_t n,
			    struct lode_pio_notes *notes);
/* Whether counters of these inputs are of one server that no one named. */
bool lode_pio_is_unnamed(const struct lode_pio_inputs *inputs,
			 const struct lode_counters *counters);
/* Reads the logs of period `number`, if it has any; recorded->requests was set up by the caller. */
int lode_pio_read_logs(struct lode_pio_recorded *recorded, const struct lode_pio_inputs *inputs,
		       size_t number, struct lode_request_names *names,
		       struct lode_pio_notes *notes, struct lode_error *err);
void lode_pio_recorded_release(struct lode_pio_recorded *recorded);
/* Notes what could not be read: a line per kind of loss. */
void lode_pio_note_losses(struct lode_pio_notes *notes, const struct lode_losses *losses);

/* ---- Findings ---- */

/* `top`: longest list; 0: no bound. What it points to is in `arena`, or borrowed from the analysis,
   its model and `names` (of actions and users). */
void lode_pio_found_build(struct lode_pio_found *out, const struct lode_pio_analysis *analysis,
			  const struct lode_pio_period *period,
			  const struct lode_request_names *names, size_t top,
			  struct lode_arena *arena);
/* Says otherwise when it was. */
void lode_pio_found_place(struct lode_pio_found *out, int64_t start_ns, int64_t end_ns,
			  int64_t known_ns, struct lode_arena *arena);
/* The rules that decided its intervals. */
void lode_pio_found_rules(struct lode_pio_found *out, const struct lode_pio_analysis *analysis,
			  const struct lode_pio_period *period, size_t top,
			  struct lode_arena *arena);

/* Periods in the order asked for: indices into `periods`, to be freed. */
size_t *lode_pio_period_order(const lode_pio_periods *periods, enum lode_pio_order order);

/* How many of `n` are shown; `top` 0: all. */
static inline size_t lode_pio_shown(size_t n, size_t top)
{
	return top && n > top ? top : n;
}

/* JSON has no number for what is none. */
double lode_pio_finite(double value);

/* ---- Pictures ---- */

void lode_pio_pictures_build(struct lode_pio_pictures *out,
			     const struct lode_pio_analysis *analysis,
			     const struct lode_pio_request *request, struct lode_arena *arena);
void lode_pio_map_build(struct lode_pio_map *out, const struct lode_pio_analysis *analysis,
			const struct lode_pio_request *request, struct lode_arena *arena);

/* ---- The bridge ---- */

/* Adds the rows of all recordings; those that cannot be used are noted. */
void lode_pio_bridge_build(struct lode_pio_answer *answer, const struct lode_pio_analysis *analysis,
			   const struct lode_pio_bridge *bridge);
