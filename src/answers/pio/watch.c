/* Follows files, judges intervals, and reports periods. */
#include "answers/pio/watch.h"

#include "answers/pio/parts.h"
#include "answers/pio/watch_parts.h"
#include "input/formats/counters/counter_source.h"

enum {
	CHUNK_BYTES = 256 << 10,
	CHUNKS_PER_POLL = 64, /* so that the caller's loop can look at signals */
	ROWS_KEPT = 16,	      /* of each group of counters: they say how often it is sampled */
};

struct lode_pio_watch *lode_pio_watch_new(struct lode_pio_model *model,
					  const struct lode_pio_watch_options *options)
{
	struct lode_pio_watch *w = lode_alloc0(1, sizeof(*w));
	struct lode_request_log_options log = {
		.step_ns = model->settings.step_ns,
		.is_by_start = model->settings.is_by_start,
		.is_whole_response = model->settings.is_whole_response,
	};

	w->model = model;
	w->options = *options;
	w->resumed_ns = w->reached = INT64_MIN;
	w->model_hash = lode_watch_model_hash(model);
	w->other_action = lode_strings_intern(&model->names.actions, "(other)", 7);
	w->other_user = lode_strings_intern(&model->names.users, "(other)", 7);
	lode_request_log_init(&w->requests, &log, &model->usual, true);
	w->counters = lode_counter_log_new();
	lode_counter_log_follow(w->counters);
	return w;
}

void lode_pio_watch_free(struct lode_pio_watch *w)
{
	if (!w)
		return;
	for (size_t i = 0; i < w->sources.n; i++) {
		lode_follow_free(w->sources.at[i].follow);
		free(w->sources.at[i].server);
		lode_vec_release(&w->sources.at[i].section);
	}
	lode_vec_release(&w->sources);
	lode_vec_release(&w->text);
	lode_request_log_release(&w->requests);
	lode_counter_log_free(w->counters);
	lode_pio_online_free(w->online);
	free(w);
}

static struct lode_watch_source *add_source(struct lode_pio_watch *w, const char *path)
{
	struct lode_watch_source *s = lode_vec_append_zero(&w->sources);

	s->follow = lode_follow_new(path, !w->options.is_from_start);
	s->newest_ns = s->early_ns = INT64_MIN;
	return s;
}

void lode_pio_watch_add_log(struct lode_pio_watch *w, const char *path)
{
	add_source(w, path)->is_log = true;
	w->has_log = true;
}

void lode_pio_watch_add_counters(struct lode_pio_watch *w, const char *path, const char *server)
{
	struct lode_watch_source *s = add_source(w, path);

	s->server = server ? lode_strdup(server) : NULL;
	s->is_query = lode_counters_is_query(path);
}

void lode_watch_start(struct lode_pio_watch *w)
{
	if (!w->online)
		w->online = lode_pio_online_new(w->model, w->has_log ? &w->requests : NULL);
}

int64_t lode_pio_watch_judged_ns(const struct lode_pio_watch *w)
{
	int64_t next = w->online ? lode_pio_online_next(w->online) : INT64_MIN;

	return next == INT64_MIN ? next : next * w->model->settings.step_ns;
}

const struct lode_losses *lode_pio_watch_losses(const struct lode_pio_watch *w)
{
	return &w->losses;
}

/* ---- Judging ---- */

/* The interval before which all counters that still deliver are complete; INT64_MIN: none is. */
static int64_t counters_reach(struct lode_pio_watch *w)
{
	struct lode_counter_reach reach;
	int64_t now = INT64_MIN;

	for (size_t i = 0; i < w->sources.n; i++)
		if (w->sources.at[i].newest_ns > now)
			now = w->sources.at[i].newest_ns;
	if (now == INT64_MIN ||
	    !lode_counter_log_reach(&reach, w->counters, w->model->settings.step_ns, now))
		return INT64_MIN;
	return reach.all;
}

static int64_t smaller(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

/*
 * The interval before which all is read; INT64_MIN: none. A file that has no more had all that was
 * written before it was looked at: what others have had since may be ahead of what it has by now.
 * What they had when the last poll ended is not.
 */
static int64_t complete_until(struct lode_pio_watch *w)
{
	int64_t until = counters_reach(w);

	for (size_t i = 0; i < w->sources.n; i++) {
		const struct lode_watch_source *s = &w->sources.at[i];
		int64_t at = lode_watch_position(s);

		if (s->is_idle)
			until = smaller(until, w->reached);
		else
			until = smaller(until,
					at == INT64_MIN ? at : at / w->model->settings.step_ns);
	}
	return until;
}

struct telling {
	const struct lode_pio_watch *watch;
	const struct lode_pio_watcher *watcher;
	bool has_told;
};

static void tell_news(void *context, const struct lode_pio_news *news)
{
	struct telling *telling = context;
	const struct lode_pio_watch *w = telling->watch;
	struct lode_pio_event event = {.kind = news->kind};
	struct lode_arena arena = {0};

	lode_pio_found_build(&event.found, news->analysis, news->period, &w->model->names,
			     w->options.top, &arena);
	lode_pio_found_place(&event.found, news->start_ns, news->end_ns, news->known_ns, &arena);
	telling->watcher->tell(telling->watcher->context, &event);
	telling->has_told = true;
	lode_arena_release(&arena);
}

static void save_or_warn(const struct lode_pio_watch *w, const struct lode_pio_watcher *watcher)
{
	struct lode_error err;

	if (w->options.state_path && lode_pio_watch_save(w, &err) < 0)
		watcher->warn(watcher->context, &err);
}

static void judge_all(struct lode_pio_watch *w, const struct lode_counters *grid, int64_t until,
		      const struct lode_pio_watcher *watcher)
{
	struct telling telling = {.watch = w, .watcher = watcher};
	struct lode_pio_listener listener = {&telling, tell_news};
	int64_t first = grid->start_ns / grid->step_ns, next = lode_pio_online_next(w->online);
	double *values = lode_alloc0(w->model->counters.n + 1, sizeof(*values));
	struct lode_pio_matrix matrix;

	lode_pio_matrix_build(&matrix, w->model, &grid, 1);
	for (size_t i = 0; i < grid->n_intervals; i++) {
		int64_t interval = lode_interval_at(&grid->pauses, first, i);

		if (interval < next)
			continue;
		if (interval >= until)
			break;
		for (size_t c = 0; c < w->model->counters.n; c++)
			values[c] = matrix.columns[c][i];
		lode_pio_online_step(w->online, interval, values, &listener);
		if (telling.has_told)
			save_or_warn(w, watcher);
		telling.has_told = false;
	}
	if (next != INT64_MIN && lode_pio_online_next(w->online) - next >= LODE_WATCH_FAR)
		w->n_early = 0; /* it was a pause, which is over */
	lode_pio_matrix_release(&matrix);
	free(values);
}

static void advance(struct lode_pio_watch *w, const struct lode_pio_watcher *watcher)
{
	int64_t until = complete_until(w), step = w->model->settings.step_ns;
	struct lode_counters grid;
	struct lode_error err;

	if (until == INT64_MIN || until <= lode_pio_online_next(w->online))
		return;
	if (lode_counters_align(&grid, w->counters, step, NULL, &err) < 0) {
		watcher->warn(watcher->context, &err);
		/* A wrong time stretches the grid: without old rows it heals. */
		lode_counter_log_forget(w->counters, (until - 1) * step, 0);
		return;
	}
	if (w->model->services_in.label[0] || lode_service_names_is_one(&grid))
		lode_service_names_apply(&w->model->services_in, &grid);
	judge_all(w, &grid, until, watcher);
	lode_counters_release(&grid);
	lode_counter_log_forget(w->counters, (until - 2) * step, ROWS_KEPT);
}

/* ---- Reading ---- */

/* The file that is furthest behind of those that may have more. */
static struct lode_watch_source *next_source(struct lode_pio_watch *w)
{
	struct lode_watch_source *best = NULL;

	for (size_t i = 0; i < w->sources.n; i++) {
		struct lode_watch_source *s = &w->sources.at[i];

		if (!s->is_idle && (!best || lode_watch_position(s) < lode_watch_position(best)))
			best = s;
	}
	return best;
}

static void note_truncation(struct lode_pio_watch *w, struct lode_watch_source *s)
{
	uint64_t n = lode_follow_truncations(s->follow);

	if (n > s->n_truncations)
		lode_loss_add(&w->losses, LODE_LOSS_TRUNCATED, n - s->n_truncations, 0,
			      s->newest_ns, "%s was truncated while being followed",
			      lode_follow_path(s->follow));
	s->n_truncations = n;
}

bool lode_pio_watch_poll(struct lode_pio_watch *w, const struct lode_pio_watcher *watcher)
{
	struct lode_watch_source *s;

	lode_watch_start(w);
	for (size_t i = 0; i < w->sources.n; i++)
		w->sources.at[i].is_idle = false;
	for (int n = 0; n < CHUNKS_PER_POLL && (s = next_source(w)); n++) {
		struct lode_follow_chunk chunk;
		struct lode_error err;
		int rc;

		if (s->is_query) {
			lode_watch_ask(w, s, watcher);
			s->is_idle = true;
			advance(w, watcher);
			continue;
		}
		rc = lode_follow_read(s->follow, CHUNK_BYTES, &chunk, &err);
		note_truncation(w, s);
		if (rc < 0)
			lode_watch_warn(s, watcher, &err);
		s->is_idle = rc <= 0;
		if (rc > 0)
			lode_watch_feed(w, s, &chunk, watcher);
		advance(w, watcher);
	}
	w->reached = counters_reach(w);
	return next_source(w) != NULL;
}
