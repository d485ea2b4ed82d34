/* Compares two times: reads counters, matches them by name, and groups them by service. */
#include "answers/pio/compare.h"

#include "answers/pio/parts.h"
#include "document/units.h"

/* The values of one side: intervals [first, end) of a grid. */
struct compare_side {
	const struct lode_counters *counters;
	size_t first, end;
};

struct comparing {
	struct lode_pio_compare_answer *answer;
	const struct lode_pio_compare_request *request;
	struct lode_pio_recorded recorded[2];
	struct compare_side before, after;
	LODE_VEC(struct lode_shift_series) series;
	struct lode_shifts shifts;
};

/* ---- Reading ---- */

static int read_sides(struct comparing *c, size_t n, struct lode_error *err)
{
	const struct lode_pio_inputs *inputs = &c->request->inputs;
	struct lode_pio_notes *notes = &c->answer->notes;
	struct lode_counter_bound bound = lode_pio_grid_bound(inputs, 0);
	int64_t step_ns = c->request->step_ns;
	int rc = LODE_OK;

	for (size_t i = 0; i < n && rc == 0; i++) {
		int64_t period;

		rc = lode_pio_read_counters(&c->recorded[i], inputs, i, notes, err);
		if (rc < 0)
			return rc;
		period = lode_counter_log_period(c->recorded[i].raw);
		if (!c->request->step_ns && period && (!step_ns || period < step_ns))
			step_ns = period;
	}
	if (!step_ns) {
		lode_pio_note(notes, LODE_PIO_LACKS,
			      "cannot derive the sampling interval from a single sample: give "
			      "--interval");
		return lode_fail(err, LODE_ERR_ARG, NULL, -1, "no intervals");
	}
	c->answer->step_ns = step_ns;
	for (size_t i = 0; i < n && rc == 0; i++)
		rc = lode_pio_align(&c->recorded[i], step_ns, &bound, notes, err);
	return rc;
}

/* The first interval that begins at `at_ns` or later. */
static size_t interval_from(const struct lode_counters *counters, int64_t at_ns)
{
	size_t i = 0;

	while (i < counters->n_intervals && lode_counters_time(counters, i) < at_ns)
		i++;
	return i;
}

static int part_sides(struct comparing *c, struct lode_error *err)
{
	const struct lode_counters *first = &c->recorded[0].counters;
	const struct lode_counters *second = &c->recorded[1].counters;
	char at[LODE_PIO_TIME_BYTES], from[LODE_PIO_TIME_BYTES], to[LODE_PIO_TIME_BYTES];

	c->before = (struct compare_side){first, 0, first->n_intervals};
	c->after = (struct compare_side){second, 0, second->n_intervals};
	if (c->request->at_ns == LODE_NO_INT)
		return LODE_OK;
	c->before.end = interval_from(first, c->request->at_ns);
	c->after = (struct compare_side){first, c->before.end, first->n_intervals};
	if (c->before.end && c->before.end < first->n_intervals)
		return LODE_OK;
	lode_fail(err, LODE_ERR_EMPTY, NULL, -1,
		  "--at %s: the counters are from %s to %s: nothing to compare",
		  lode_pio_time_text(at, c->request->at_ns, false),
		  lode_pio_time_text(from, first->start_ns, false),
		  lode_pio_time_text(to, lode_counters_time(first, first->n_intervals), false));
	return lode_pio_note_error(&c->answer->notes, LODE_PIO_FAILED, err);
}

/* ---- Which counters are the same, and of which service ---- */

static void add_series(struct comparing *c, const struct lode_counter *before,
		       const struct lode_counter *after)
{
	lode_vec_append(&c->series, ((struct lode_shift_series){
					    .service = before->server,
					    .counter = before->name,
					    .before = before->at + c->before.first,
					    .after = after->at + c->after.first,
					    .n_before = c->before.end - c->before.first,
					    .n_after = c->after.end - c->after.first,
				    }));
}

/* Both sides are sorted by server, then name: `is_by_name` leaves the servers out. */
static void match_counters(struct comparing *c, bool is_by_name)
{
	const struct lode_counters *a = c->before.counters, *b = c->after.counters;
	size_t i = 0, k = 0;

	while (i < a->n_counters && k < b->n_counters) {
		int order = is_by_name ? 0 : strcmp(a->counters[i].server, b->counters[k].server);

		order = order ? order : strcmp(a->counters[i].name, b->counters[k].name);
		if (!order) {
			add_series(c, &a->counters[i], &b->counters[k]);
			i++, k++;
			continue;
		}
		c->answer->n_unmatched++;
		i += order < 0;
		k += order > 0;
	}
	c->answer->n_unmatched += a->n_counters - i + b->n_counters - k;
}

/* Services from labels or columns' names, where the user asks for it, or where all counters are of
   one server that no one named. */
static void find_series(struct comparing *c)
{
	struct lode_counters *grids[] = {&c->recorded[0].counters, &c->recorded[1].counters};
	size_t n = c->request->at_ns == LODE_NO_INT ? 2 : 1;
	struct lode_service_names *rule = &c->answer->services_in;

	lode_pio_find_services(rule, &c->request->inputs, grids, n, NULL);
	match_counters(c, !lode_service_names_has(rule) &&
				  lode_service_names_is_one(c->before.counters) &&
				  lode_service_names_is_one(c->after.counters));
}

/* ---- The answer ---- */

static int64_t since_ns(const struct comparing *c, size_t at)
{
	return lode_counters_time(c->after.counters, c->after.first + at);
}

static struct lode_pio_compared_time compared_time(const struct compare_side *side)
{
	return (struct lode_pio_compared_time){
		lode_counters_time(side->counters, side->first),
		lode_counters_time(side->counters, side->end),
		side->end - side->first,
	};
}

static void tell_service(struct comparing *c, struct lode_pio_changed *out,
			 const struct lode_shift_service *service)
{
	struct lode_arena *arena = &c->answer->arena;

	/* Names are the grid's, which goes. */
	out->service = lode_arena_strdup(arena, service->name[0] ? service->name : "(no service)");
	out->evidence = service->evidence;
	out->confidence = service->confidence;
	out->since_ns = since_ns(c, service->since);
	out->n_counters = lode_pio_shown(service->counters.n, c->request->top);
	out->n_counters_more = service->counters.n - out->n_counters;
	out->counters =
		lode_arena_array(arena, struct lode_pio_changed_counter, out->n_counters + 1);
	for (size_t i = 0; i < out->n_counters; i++) {
		const struct lode_shift_counter *counter = &service->counters.at[i];

		out->counters[i] = (struct lode_pio_changed_counter){
			.rank = i + 1,
			.counter = lode_arena_strdup(arena, c->series.at[counter->at].counter),
			.is_fall = counter->deviation < 0,
			.is_total = counter->is_total,
			.before = counter->before,
			.after = counter->after,
			.deviation = counter->deviation,
			.since_ns = since_ns(c, counter->since),
		};
	}
}

static struct lode_opening compare_opening(const struct lode_pio_compare_answer *answer,
					   const struct lode_pio_compare_request *request,
					   struct lode_arena *arena)
{
	const struct lode_pio_changed *first = answer->services;
	const struct lode_pio_changed_counter *counter = first ? first->counters : NULL;
	struct lode_opening opening = {.next_command = lode_next_page(arena, request->asked)};
	char since[LODE_PIO_TIME_BYTES], n[LODE_UNITS_BUFFER];

	if (!answer->n_compared)
		opening.finding = "No counter has enough values both before and after.";
	else if (!answer->stands_out || !first)
		opening.finding = lode_finding_text(
			arena,
			"Nothing stands out: no service changed more than counters do by "
			"themselves (%s compared).",
			lode_format_plural(n, answer->n_compared, "counter"));
	else
		opening.finding = lode_finding_text(
			arena,
			"%s stands out (confidence %.0f %%): %s %s from %.4g to %.4g, since %s.",
			first->service, 100 * first->confidence, counter->counter,
			counter->is_fall ? "fell" : "rose", counter->before, counter->after,
			lode_pio_time_text(since, counter->since_ns, false));
	return opening;
}

static void tell_compared(struct comparing *c)
{
	struct lode_pio_compare_answer *answer = c->answer;
	const struct lode_shifts *shifts = &c->shifts;
	size_t n = 0;

	answer->before = compared_time(&c->before);
	answer->after = compared_time(&c->after);
	answer->stands_out = shifts->stands_out;
	answer->evidence = shifts->services.n ? shifts->services.at[0].evidence : 0;
	answer->natural = shifts->natural;
	answer->bound = shifts->bound;
	answer->n_services_all = shifts->services.n;
	answer->n_compared = shifts->n_compared;
	answer->n_too_few = c->series.n - shifts->n_compared;
	while (shifts->stands_out && n < shifts->services.n && shifts->services.at[n].evidence > 0)
		n++;
	answer->n_services = lode_pio_shown(n, c->request->top);
	answer->n_services_more = n - answer->n_services;
	answer->services = n ? lode_arena_array(&answer->arena, struct lode_pio_changed, n) : NULL;
	for (size_t i = 0; i < answer->n_services; i++) {
		answer->services[i].rank = i + 1;
		tell_service(c, &answer->services[i], &shifts->services.at[i]);
	}
	lode_losses_add(&c->recorded[0].requests.losses, &c->recorded[1].requests.losses);
	answer->losses = answer->losses_at;
	answer->n_losses = lode_loss_rows(answer->losses_at, &c->recorded[0].requests.losses);
	/* What was recorded goes with this run. */
	for (size_t i = 0; i < answer->n_losses; i++)
		answer->losses_at[i].detail =
			lode_arena_strdup(&answer->arena, answer->losses_at[i].detail);
	if (answer->services_in.label[0]) {
		answer->source = LODE_PIO_SERVICES_BY_LABEL;
		answer->separator = lode_arena_strdup(&answer->arena, answer->services_in.label);
	} else if (answer->services_in.separator) {
		answer->source = answer->services_in.is_suffix ? LODE_PIO_SERVICES_BEHIND
							       : LODE_PIO_SERVICES_BEFORE;
		answer->separator =
			lode_arena_strndup(&answer->arena, &answer->services_in.separator, 1);
	}
	answer->opening = compare_opening(answer, c->request, &answer->arena);
}

static int give_way(struct comparing *c, struct lode_error *err)
{
	lode_shift_edges edges = {0};
	size_t n_known = 0;
	int rc = LODE_OK;

	if (!c->request->edges)
		return rc;
	rc = lode_pio_edges_read(&edges, c->request->edges, &c->answer->arena, err);
	if (rc < 0)
		rc = lode_pio_note_error(&c->answer->notes, LODE_PIO_FAILED, err);
	for (size_t e = 0; e < edges.n; e++)
		for (size_t s = 0; s < c->shifts.services.n; s++)
			n_known += strcmp(edges.at[e].caller, c->shifts.services.at[s].name) == 0;
	if (rc == LODE_OK && !n_known)
		lode_pio_note(&c->answer->notes, LODE_PIO_HINT,
			      "%s: none of its callers is a service of the counters",
			      c->request->edges);
	if (rc == LODE_OK)
		lode_shifts_give_way(&c->shifts, &edges);
	lode_vec_release(&edges);
	return rc;
}

int lode_pio_compare_run(struct lode_pio_compare_answer **out,
			 const struct lode_pio_compare_request *request, struct lode_error *err)
{
	struct lode_pio_compare_answer *answer = lode_alloc0(1, sizeof(*answer));
	struct comparing c = {.answer = answer, .request = request};
	int rc;

	*out = answer;
	rc = read_sides(&c, request->at_ns == LODE_NO_INT ? 2 : 1, err);
	if (rc == 0)
		rc = part_sides(&c, err);
	if (rc == 0) {
		find_series(&c);
		lode_shifts_build(&c.shifts, c.series.at, c.series.n, request->inputs.n_threads);
		rc = give_way(&c, err);
	}
	if (rc == 0)
		tell_compared(&c);
	lode_shifts_release(&c.shifts);
	lode_vec_release(&c.series);
	for (size_t i = 0; i < 2; i++)
		lode_pio_recorded_release(&c.recorded[i]);
	return rc;
}

void lode_pio_compare_free(struct lode_pio_compare_answer *answer)
{
	if (!answer)
		return;
	lode_pio_notes_release(&answer->notes);
	lode_arena_release(&answer->arena);
	free(answer);
}
