/* Request logs and counters of a period, read; what could not be read becomes a note. */
#include <unistd.h>

#include "answers/pio/parts.h"
#include "base/memory_limit.h"
#include "input/formats/counters/counter_source.h"

static const int64_t DAY_NS = (int64_t)86400 * 1000000000;

size_t lode_pio_inputs_periods(const struct lode_pio_inputs *inputs)
{
	size_t n = 1;

	for (size_t i = 0; i < inputs->n; i++)
		n += inputs->at[i].kind == LODE_PIO_THEN;
	return n;
}

const char *lode_pio_counter_path(const char *text, char **server)
{
	size_t len = strcspn(text, "=/");

	*server = NULL;
	if (text[len] != '=' || access(text, F_OK) == 0)
		return text;
	*server = lode_strdup(text);
	(*server)[len] = '\0';
	return text + len + 1;
}

/* The next input of a kind in a period, from *at on; NULL at its end. */
static const char *next_input(const struct lode_pio_inputs *inputs, size_t number,
			      enum lode_pio_input_kind kind, size_t *at)
{
	size_t period = 0;

	for (size_t i = 0; i < inputs->n; i++) {
		period += inputs->at[i].kind == LODE_PIO_THEN;
		if (i < *at || period != number || inputs->at[i].kind != kind)
			continue;
		*at = i + 1;
		return inputs->at[i].text;
	}
	return NULL;
}

/* ---- Losses ---- */

void lode_pio_note_losses(struct lode_pio_notes *notes, const struct lode_losses *losses)
{
	for (int k = 0; k < LODE_N_LOSS_KINDS; k++) {
		const struct lode_loss *loss = &losses->by_kind[k];

		if (loss->count)
			lode_pio_note(notes, k == LODE_LOSS_PAUSE ? LODE_PIO_HINT : LODE_PIO_LOST,
				      "%llu %s%s%s", (unsigned long long)loss->count,
				      lode_loss_words((enum lode_loss_kind)k, loss->count),
				      loss->count > 1 ? "; first: " : ": ", loss->detail);
	}
}

/* Notes the losses of the input that was just read, and adds them to those before it. */
static void close_losses(struct lode_losses *losses, const struct lode_losses *before,
			 struct lode_pio_notes *notes)
{
	struct lode_losses all = *before;

	lode_pio_note_losses(notes, losses);
	lode_losses_add(&all, losses);
	*losses = all;
}

/* Of all inputs none could be read: their errors are why there is no answer. Gives the last one's
   status. */
static int fail_all(struct lode_pio_notes *notes, size_t first)
{
	int rc = LODE_OK;

	for (size_t i = first; i < notes->list.n; i++) {
		struct lode_pio_note *note = &notes->list.at[i];

		if (!note->error)
			continue;
		note->kind = LODE_PIO_FAILED;
		rc = note->error->status;
	}
	return rc;
}

/* ---- Counters ---- */

static int read_counter_file(struct lode_counter_log *log, const char *text, struct lode_error *err)
{
	struct lode_counter_facts facts;
	char *server;
	const char *path = lode_pio_counter_path(text, &server);
	int rc = lode_counters_read(log, path, server, &facts, err);

	free(server);
	return rc;
}

/* Files of a folder that could not be read. */
static void note_skipped(struct lode_counter_log *log, struct lode_pio_notes *notes)
{
	char *text;

	while ((text = lode_counter_log_next_skipped(log))) {
		lode_pio_note(notes, LODE_PIO_HINT, "%s", text);
		free(text);
	}
}

int lode_pio_read_counters(struct lode_pio_recorded *recorded, const struct lode_pio_inputs *inputs,
			   size_t number, struct lode_pio_notes *notes, struct lode_error *err)
{
	size_t at = 0, n_read = 0, first_note = notes->list.n;
	struct lode_losses *losses;
	const char *text;

	recorded->raw = lode_counter_log_new();
	losses = lode_counter_log_losses(recorded->raw);
	while ((text = next_input(inputs, number, LODE_PIO_COUNTERS, &at))) {
		uint32_t first = lode_counter_log_groups(recorded->raw);
		struct lode_pio_sampled span = {.text = text};
		struct lode_losses before = *losses;
		int rc;

		memset(losses, 0, sizeof(*losses));
		rc = read_counter_file(recorded->raw, text, err);
		note_skipped(recorded->raw, notes);
		close_losses(losses, &before, notes);
		if (rc < 0)
			lode_pio_note_error(notes, LODE_PIO_LOST, err);
		else
			n_read++;
		if (rc == 0 &&
		    lode_counter_log_span(recorded->raw, first, &span.first_ns, &span.last_ns))
			lode_vec_append(&recorded->spans, span);
	}
	if (at && !n_read)
		return fail_all(notes, first_note);
	if (at)
		return LODE_OK;
	lode_pio_note(notes, LODE_PIO_LACKS, "give counters: --counters [SERVER=]FILE");
	return lode_fail(err, LODE_ERR_ARG, NULL, -1, "there are no counters");
}

/* "31.0 days" */
static const char *days_text(char *buffer, size_t size, int64_t ns)
{
	snprintf(buffer, size, "%.1f days", (double)ns / 86400e9);
	return buffer;
}

/* The inputs on both sides of a pause, if none has samples on both: ": a.csv ends at ... ". */
static const char *sides_text(char *buffer, size_t size, const struct lode_pio_recorded *recorded,
			      int64_t pause_ns)
{
	const struct lode_pio_sampled *before = NULL, *after = NULL;
	char end[LODE_PIO_TIME_BYTES], begin[LODE_PIO_TIME_BYTES];

	*buffer = '\0';
	for (size_t i = 0; i < recorded->spans.n; i++) {
		const struct lode_pio_sampled *span = &recorded->spans.at[i];

		if (span->first_ns <= pause_ns && span->last_ns > pause_ns)
			return buffer;
		if (span->last_ns <= pause_ns && (!before || span->last_ns > before->last_ns))
			before = span;
		if (span->first_ns > pause_ns && (!after || span->first_ns < after->first_ns))
			after = span;
	}
	if (before && after)
		snprintf(buffer, size, ": %s ends at %s, and %s begins at %s", before->text,
			 lode_pio_time_text(end, before->last_ns, false), after->text,
			 lode_pio_time_text(begin, after->first_ns, false));
	return buffer;
}

/* Pauses of more than a day. */
static void note_pauses(const struct lode_pio_recorded *recorded, struct lode_pio_notes *notes)
{
	const struct lode_counters *counters = &recorded->counters;
	char from[LODE_PIO_TIME_BYTES], length[40], sides[1000];

	for (size_t i = 0; i < counters->pauses.n; i++) {
		const struct lode_interval_pause *p = &counters->pauses.at[i];
		int64_t n = p->n_left_out - (i ? p[-1].n_left_out : 0) + LODE_PAUSE_KEPT;
		size_t place = (size_t)(p->at - LODE_PAUSE_KEPT / 2);
		int64_t from_ns = lode_counters_time(counters, place);

		if (n * counters->step_ns <= DAY_NS)
			continue;
		lode_pio_note(notes, LODE_PIO_HINT, "no counter was sampled for %s from %s on%s",
			      days_text(length, sizeof(length), n * counters->step_ns),
			      lode_pio_time_text(from, from_ns, false),
			      sides_text(sides, sizeof(sides), recorded,
					 from_ns + counters->step_ns));
	}
}

struct lode_counter_bound lode_pio_grid_bound(const struct lode_pio_inputs *inputs,
					      size_t n_counters)
{
	size_t bytes = lode_memory_budget(inputs->memory_bytes);

	return (struct lode_counter_bound){bytes < SIZE_MAX / 8 ? bytes * 8 : SIZE_MAX, n_counters};
}

int lode_pio_align(struct lode_pio_recorded *recorded, int64_t step_ns,
		   const struct lode_counter_bound *bound, struct lode_pio_notes *notes,
		   struct lode_error *err)
{
	int rc = lode_counters_align(&recorded->counters, recorded->raw, step_ns, bound, err);

	lode_losses_add(&recorded->requests.losses, lode_counter_log_losses(recorded->raw));
	lode_counter_log_free(recorded->raw);
	recorded->raw = NULL;
	if (rc < 0)
		return lode_pio_note_error(notes, LODE_PIO_FAILED, err);
	note_pauses(recorded, notes);
	return LODE_OK;
}

/* ---- Services ---- */

bool lode_pio_is_unnamed(const struct lode_pio_inputs *inputs, const struct lode_counters *counters)
{
	for (size_t i = 0; i < inputs->n; i++) {
		char *server = NULL;

		if (inputs->at[i].kind != LODE_PIO_COUNTERS)
			continue;
		lode_pio_counter_path(inputs->at[i].text, &server);
		free(server);
		if (server)
			return false;
	}
	return lode_service_names_is_one(counters);
}

static void note_services(const struct lode_service_names *rule, struct lode_pio_notes *notes)
{
	if (rule->label[0])
		lode_pio_note(notes, LODE_PIO_HINT, "services are the values of the label '%s'",
			      rule->label);
	else
		lode_pio_note(notes, LODE_PIO_HINT,
			      "services are the part of the columns' names %s '%c'; for one "
			      "service, name it: --counters NAME=FILE",
			      rule->is_suffix ? "behind" : "before", rule->separator);
}

void lode_pio_find_services(struct lode_service_names *rule, const struct lode_pio_inputs *inputs,
			    struct lode_counters *const *grids, size_t n,
			    struct lode_pio_notes *notes)
{
	bool is_unnamed = true;

	*rule = (struct lode_service_names){0};
	for (size_t i = 0; i < n; i++)
		is_unnamed &= lode_pio_is_unnamed(inputs, grids[i]);
	if (inputs->entity_label)
		snprintf(rule->label, sizeof(rule->label), "%s", inputs->entity_label);
	else if (is_unnamed)
		lode_service_names_learn(rule, grids[0]);
	for (size_t i = 0; i < n; i++)
		lode_service_names_apply(rule, grids[i]);
	if (notes && lode_service_names_has(rule))
		note_services(rule, notes);
}

/* ---- Logs ---- */

/* No loss: nothing is missing of what was read, but a clock that was set looks just like it. */
static void note_leaps(const char *path, const struct lode_request_leaps *leaps,
		       struct lode_pio_notes *notes)
{
	char length[40], more[60] = "";
	int64_t by_ns;

	if (!leaps->n)
		return;
	if (leaps->n > 1)
		snprintf(more, sizeof(more), "; this happens %llu times",
			 (unsigned long long)leaps->n);
	if (__builtin_sub_overflow(leaps->to_ns, leaps->from_ns, &by_ns))
		by_ns = INT64_MAX;
	lode_pio_note(notes, LODE_PIO_HINT, "%s: line %lld: the clock jumps %s by %s%s", path,
		      (long long)leaps->line, by_ns < 0 ? "back" : "on",
		      days_text(length, sizeof(length), by_ns < 0 ? -by_ns : by_ns), more);
}

/*
 * What was taken for what in a log whose format the user did not give, and what speaks against it.
 * `told` is what the last note said: rotated files of one format say it once.
 */
static void note_guesses(const char *path, const struct lode_log_options *options,
			 const struct lode_log_facts *facts, char *told, size_t told_size,
			 struct lode_pio_notes *notes)
{
	bool is_given =
		options->format || (options->fields && strstr(options->fields, "response="));

	if ((!is_given || facts->is_comma_assumed) && strcmp(told, facts->format) != 0)
		lode_pio_note(notes, LODE_PIO_HINT, "%s: read as %s", path, facts->format);
	snprintf(told, told_size, "%s", facts->format);
	if (!facts->has_action)
		lode_pio_note(notes, LODE_PIO_HINT,
			      "%s: no field is known for an action, so all requests are of one; "
			      "name it, as in --fields action=FIELD",
			      path);
	if (2 * facts->n_long > facts->n_requests)
		lode_pio_note(notes, LODE_PIO_HINT,
			      "%s: %llu of %llu requests took more than 10 s; if the unit is "
			      "wrong, give it, as in --fields response=FIELD:ms",
			      path, (unsigned long long)facts->n_long,
			      (unsigned long long)facts->n_requests);
	if (20 * facts->n_longer_behind > facts->n_requests)
		lode_pio_note(notes, LODE_PIO_HINT,
			      "%s: %llu of %llu requests took longer upstream than in all; check "
			      "which field is which, and give --format or --fields",
			      path, (unsigned long long)facts->n_longer_behind,
			      (unsigned long long)facts->n_requests);
}

int lode_pio_read_logs(struct lode_pio_recorded *recorded, const struct lode_pio_inputs *inputs,
		       size_t number, struct lode_request_names *names,
		       struct lode_pio_notes *notes, struct lode_error *err)
{
	struct lode_request_sink sink = lode_request_log_sink(&recorded->requests, names);
	struct lode_log_options options = inputs->log;
	size_t at = 0, n_read = 0, first_note = notes->list.n;
	struct lode_log_facts facts;
	char told[sizeof(facts.format)] = "";
	const char *text;

	options.n_threads = inputs->n_threads;
	while ((text = next_input(inputs, number, LODE_PIO_LOG, &at))) {
		struct lode_losses before = recorded->requests.losses;
		int rc;

		memset(&recorded->requests.losses, 0, sizeof(before));
		rc = lode_requests_read(&sink, text, &options, &facts, err);
		close_losses(&recorded->requests.losses, &before, notes);
		if (rc < 0) {
			lode_pio_note_error(notes, LODE_PIO_LOST, err);
			continue;
		}
		n_read++;
		recorded->has_log = true;
		note_guesses(text, &options, &facts, told, sizeof(told), notes);
		note_leaps(text, &facts.leaps, notes);
	}
	return at && !n_read ? fail_all(notes, first_note) : LODE_OK;
}

void lode_pio_recorded_release(struct lode_pio_recorded *recorded)
{
	lode_request_log_release(&recorded->requests);
	lode_counters_release(&recorded->counters);
	lode_counter_log_free(recorded->raw);
	lode_vec_release(&recorded->spans);
}
