/* Request in, answer out: reads the model and its inputs, and analyses them. */
#include "engine/pio/model_file.h"
#include "engine/pio/moved.h"
#include "answers/pio/parts.h"

/* What an answer borrows from. */
struct pio_state {
	struct lode_pio_answer answer;
	struct lode_pio_model model;
	struct lode_pio_recorded recorded;
	struct lode_pio_analysis analysis;
};

/* ---- Lists of periods ---- */

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

static struct lode_pio_found_list tell_periods(struct pio_state *s, const lode_pio_periods *periods,
					       enum lode_pio_order by, size_t top)
{
	struct lode_arena *arena = &s->answer.arena;
	struct lode_pio_found_list out = {
		.at = lode_arena_array(arena, struct lode_pio_found, periods->n + 1),
		.n = periods->n,
		.n_top = lode_pio_shown(periods->n, top),
	};
	size_t *order = lode_pio_period_order(periods, by);

	for (size_t i = 0; i < periods->n; i++) {
		const struct lode_pio_period *p = &periods->at[order[i]];

		lode_pio_found_build(&out.at[i], &s->analysis, p, &s->model.names, top, arena);
		lode_pio_found_rules(&out.at[i], &s->analysis, p, top, arena);
	}
	free(order);
	return out;
}

/* ---- Is the model of this service still? ---- */

static struct lode_pio_named_list named_counters(const struct lode_pio_model *model,
						 const uint32_t *at, size_t n,
						 struct lode_arena *arena)
{
	struct lode_pio_named_list out = {lode_arena_array(arena, struct lode_pio_named, n + 1), n};

	for (size_t i = 0; i < n; i++)
		out.at[i] = (struct lode_pio_named){model->counters.at[at[i]].server,
						    model->counters.at[at[i]].name};
	return out;
}

static void tell_advice(struct pio_state *s)
{
	const struct lode_pio_advice *advice = &s->analysis.advice;
	const struct lode_pio_regression *g = &s->analysis.regression;
	struct lode_pio_answer *answer = &s->answer;
	struct lode_pio_named_list appeared = {
		lode_arena_array(&answer->arena, struct lode_pio_named, advice->appeared.n + 1),
		advice->appeared.n};

	for (size_t i = 0; i < appeared.n; i++)
		appeared.at[i] = (struct lode_pio_named){advice->appeared.at[i]->server,
							 advice->appeared.at[i]->name};
	answer->retraining = (struct lode_pio_retraining){
		.vanished = named_counters(&s->model, advice->vanished.at, advice->vanished.n,
					   &answer->arena),
		.shifted = named_counters(&s->model, advice->shifted.at, advice->shifted.n,
					  &answer->arena),
		.appeared = appeared,
		.n_unjudged = advice->n_unjudged,
		.is_class_drift = advice->is_class_drift,
		.is_advised = lode_pio_is_retraining_advised(&s->analysis),
	};
	answer->regression = (struct lode_pio_comparison){
		.n = g->n,
		.n_high = g->n_high,
		.expected = lode_pio_finite(g->expected),
		.z = g->z,
		.high_pct = g->n ? 100.0 * (double)g->n_high / (double)g->n : 0,
		.expected_pct = 100 * g->expected,
		.is_estimated = g->is_estimated,
		.verdict = lode_pio_regression_verdict(g),
	};
}

/*
 * Borders are the 0.5th and 99.5th percentile: of fewer than 200 intervals these are the extremes,
 * so that one odd interval makes a range.
 */
enum { TRAINED_LEAST = 200 };
/* Share of the analysed time in training from which both count as the same time. */
#define SAME_PCT 50

static void tell_training(struct pio_state *s)
{
	struct lode_pio_trained_on *training = &s->answer.training;
	const struct lode_pio_answer *answer = &s->answer;
	int64_t shared_ns = 0;

	for (size_t i = 0; i < s->model.periods.n; i++) {
		const struct lode_pio_span *span = &s->model.periods.at[i];
		int64_t from =
			span->start_ns > answer->start_ns ? span->start_ns : answer->start_ns;
		int64_t to = span->end_ns < answer->end_ns ? span->end_ns : answer->end_ns;

		shared_ns += to > from ? to - from : 0;
		training->n_intervals += span->n_intervals;
	}
	training->length_ns = (int64_t)training->n_intervals * s->model.settings.step_ns;
	training->shared_pct =
		fmin(100, 100 * (double)shared_ns / (double)(answer->end_ns - answer->start_ns));
	training->is_same_time = training->shared_pct >= SAME_PCT;
	training->has_log = lode_pio_model_has_log(&s->model);
	training->is_short = training->n_intervals < TRAINED_LEAST;
}

static void note_left_out(struct pio_state *s)
{
	const struct lode_pio_counter *first = NULL;
	char name[200];
	size_t n = 0;

	for (size_t i = 0; i < s->model.counters.n; i++) {
		const struct lode_pio_counter *c = &s->model.counters.at[i];

		first = c->is_drifting && !first ? c : first;
		n += c->is_drifting;
	}
	if (n)
		lode_pio_note(&s->answer.notes, LODE_PIO_HINT,
			      "%zu of %zu counters are left out, as their level drifted in "
			      "training: %s%s",
			      n, s->model.counters.n,
			      lode_pio_counter_text(name, sizeof(name), first->server, first->name,
						    60),
			      n > 1 ? " ..." : "");
}

/* ---- The whole ---- */

/* In periods that the model does not explain, which are in the order of time. */
static void tell_moved(struct pio_state *s)
{
	const struct lode_pio_analysis *a = &s->analysis;
	struct lode_pio_found_list *list = &s->answer.unexplained;
	struct lode_pio_moved *moved = lode_alloc0(a->unexplained.n + 1, sizeof(*moved));

	lode_pio_find_moved(moved, a);
	for (size_t i = 0; i < list->n; i++) {
		struct lode_pio_found_moved *found;

		if (moved[i].counter == LODE_NONE)
			continue;
		found = lode_arena_array(&s->answer.arena, struct lode_pio_found_moved, 1);
		*found = (struct lode_pio_found_moved){
			.server = s->model.counters.at[moved[i].counter].server,
			.counter = s->model.counters.at[moved[i].counter].name,
			.before = moved[i].before,
			.within = moved[i].within,
		};
		list->at[i].moved = found;
	}
	free(moved);
}

static void lay_out_pio(struct pio_state *s, const struct lode_pio_request *request)
{
	const struct lode_pio_analysis *a = &s->analysis;
	struct lode_pio_answer *answer = &s->answer;

	answer->is_classic = s->model.settings.is_classic;
	answer->has_log = a->has_log;
	answer->step_ns = a->step_ns;
	answer->start_ns = a->start_ns;
	answer->end_ns = lode_pio_time(a, a->n_intervals);
	answer->length_ns = (int64_t)a->n_intervals * a->step_ns;
	answer->n_pauses = a->pauses.n;
	answer->pauses = lode_arena_array(&answer->arena, struct lode_pio_pause, a->pauses.n + 1);
	for (size_t i = 0; i < a->pauses.n; i++)
		answer->pauses[i] =
			(struct lode_pio_pause){a->pauses.at[i].at,
						a->pauses.at[i].n_left_out * a->step_ns};
	answer->periods = tell_periods(s, &a->periods, request->order, request->top);
	answer->unfelt = tell_periods(s, &a->unfelt, LODE_PIO_BY_TIME, request->top);
	answer->unexplained = tell_periods(s, &a->unexplained, LODE_PIO_BY_TIME, request->top);
	tell_moved(s);
	tell_training(s);
	note_left_out(s);
	tell_advice(s);
	answer->losses = answer->losses_at;
	answer->n_losses = lode_loss_rows(answer->losses_at, &s->recorded.requests.losses);
	if (request->wants_pictures)
		lode_pio_pictures_build(&answer->pictures, a, request, &answer->arena);
	lode_pio_map_build(&answer->map, a, request, &answer->arena);
	if (request->bridge.n_streams)
		lode_pio_bridge_build(answer, a, &request->bridge);
	answer->opening = lode_pio_opening(answer, request, &answer->arena);
}

/* What slow means. */
static void note_slos(struct pio_state *s, const struct lode_pio_inputs *inputs)
{
	struct lode_pio_notes *notes = &s->answer.notes;
	char slo[300];

	for (size_t i = 0; i < s->model.slos.n; i++)
		lode_pio_note(notes, LODE_PIO_HINT, "%s are slow with %s",
			      lode_pio_judged_words(&s->model),
			      lode_pio_slo_text(slo, sizeof(slo), &s->model.slos.at[i]));
	if (!s->recorded.has_log)
		lode_pio_note(notes, LODE_PIO_HINT,
			      "none of these counters is there: only the others are analysed");
	for (size_t i = 0; i < inputs->n; i++)
		if (inputs->at[i].kind == LODE_PIO_LOG)
			lode_pio_note(notes, LODE_PIO_HINT,
				      "%s is not read: the model was trained with --slo",
				      inputs->at[i].text);
}

static int read_recorded(struct pio_state *s, const struct lode_pio_request *request,
			 struct lode_error *err)
{
	const struct lode_pio_inputs *inputs = &request->inputs;
	struct lode_pio_notes *notes = &s->answer.notes;
	const struct lode_pio_settings *settings = &s->model.settings;
	struct lode_counter_bound bound = lode_pio_grid_bound(inputs, s->model.counters.n);
	struct lode_request_log_options log = {
		.step_ns = settings->step_ns,
		.is_by_start = settings->is_by_start,
		.is_whole_response = settings->is_whole_response,
	};
	int rc;

	lode_request_log_init(&s->recorded.requests, &log, &s->model.usual, true);
	rc = lode_pio_read_counters(&s->recorded, inputs, 0, notes, err);
	if (rc == 0)
		rc = lode_pio_align(&s->recorded, log.step_ns, &bound, notes, err);
	if (rc == 0 &&
	    (s->model.services_in.label[0] || lode_pio_is_unnamed(inputs, &s->recorded.counters)))
		lode_service_names_apply(&s->model.services_in, &s->recorded.counters);
	if (rc == 0 && s->model.slos.n) { /* logs are not needed */
		lode_pio_slos_count(&s->model, &s->recorded.counters, &s->recorded.requests);
		s->recorded.has_log = s->recorded.requests.n_requests > 0;
		note_slos(s, inputs);
	} else if (rc == 0) {
		rc = lode_pio_read_logs(&s->recorded, inputs, 0, &s->model.names, notes, err);
	}
	return rc;
}

/* A log of another day than the counters explains nothing of theirs: it is said, and left out. */
static bool has_requests_in_time(struct pio_state *s)
{
	const struct lode_counters *counters = &s->recorded.counters;
	struct lode_request_log *log = &s->recorded.requests;
	char log_times[2][LODE_PIO_TIME_BYTES], counter_times[2][LODE_PIO_TIME_BYTES];
	int64_t end_ns = lode_counters_time(counters, counters->n_intervals);

	if (s->recorded.has_log && !lode_pio_model_has_log(&s->model)) {
		lode_pio_note(&s->answer.notes, LODE_PIO_HINT,
			      "the model was trained without a request log: requests cannot be "
			      "judged, and only counters are analysed");
		return false;
	}
	if (!s->recorded.has_log || !log->n_requests || !counters->n_intervals ||
	    (log->first_ns < end_ns && log->last_ns >= counters->start_ns))
		return s->recorded.has_log;
	lode_pio_time_text(log_times[0], log->first_ns, false);
	lode_pio_time_text(log_times[1], log->last_ns, false);
	lode_pio_time_text(counter_times[0], counters->start_ns, false);
	lode_pio_time_text(counter_times[1], end_ns, false);
	lode_pio_note(&s->answer.notes, LODE_PIO_LOST,
		      "log and counters have no time in common: only counters are analysed (log: "
		      "%s to %s; counters: %s to %s)",
		      log_times[0], log_times[1], counter_times[0], counter_times[1]);
	lode_loss_add(&log->losses, LODE_LOSS_REQUEST, log->n_requests, -1, log->first_ns,
		      "%s to %s, counters %s to %s", log_times[0], log_times[1], counter_times[0],
		      counter_times[1]);
	return false;
}

int lode_pio_run(struct lode_pio_answer **out, const struct lode_pio_request *request,
		 struct lode_error *err)
{
	struct pio_state *s = lode_alloc0(1, sizeof(*s));
	int rc = lode_pio_model_read(&s->model, request->model, err);

	s->answer.state = s;
	*out = &s->answer;
	if (rc < 0)
		return lode_pio_note_error(&s->answer.notes, LODE_PIO_FAILED, err);
	rc = read_recorded(s, request, err);
	if (rc < 0)
		return rc;
	lode_pio_analyse(&s->analysis, &s->model, &s->recorded.counters,
			 has_requests_in_time(s) ? &s->recorded.requests : NULL);
	lay_out_pio(s, request);
	return LODE_OK;
}

void lode_pio_free(struct lode_pio_answer *answer)
{
	struct pio_state *s = answer ? answer->state : NULL;

	if (!s)
		return;
	lode_pio_analysis_release(&s->analysis);
	lode_pio_recorded_release(&s->recorded);
	lode_pio_model_release(&s->model);
	lode_vec_release(&s->answer.symptoms);
	lode_pio_notes_release(&s->answer.notes);
	lode_arena_release(&s->answer.arena);
	free(s);
}
