/* What a watch has read, taken in. */
#include "answers/pio/watch_parts.h"

#include "base/clock.h"
#include "model/clock_guard.h"
#include "model/interval_axis.h"
#include "input/formats/counters/counter_source.h"

/* Values of a time are asked for so much later, when Prometheus has them; and so often at most. */
#define SETTLED_NS	((int64_t)2000000000)
#define LEAST_ASKING_NS ((int64_t)1000000000)
enum { MOST_EARLY = 1 << 20 }; /* LIMIT: requests; more come of a clock that is wrong */

void lode_watch_warn(struct lode_watch_source *source, const struct lode_pio_watcher *watcher,
		     const struct lode_error *err)
{
	if (!source->is_warned)
		watcher->warn(watcher->context, err);
	source->is_warned = true;
}

/* A chunk behind its head, and what it takes to tell where its lines are in the file. */
struct joined {
	struct lode_text_part part;
	struct lode_follow *follow;
	int64_t offset;	 /* of the chunk */
	int64_t between; /* lines between head and chunk; -1: not counted yet */
};

static int64_t count_between(void *context)
{
	struct joined *joined = context;
	const char *end = joined->part.text + joined->part.head_size;

	if (joined->between < 0) {
		joined->between = lode_follow_lines_before(joined->follow, joined->offset);
		for (const char *c = joined->part.text; c < end; c++)
			joined->between -= *c == '\n';
	}
	return joined->between;
}

static void join_head(struct joined *out, struct lode_pio_watch *w, struct lode_watch_source *s,
		      const char *head, size_t head_size, const struct lode_follow_chunk *chunk)
{
	w->text.n = 0;
	lode_vec_reserve(&w->text, head_size + chunk->size + 1);
	if (head_size)
		memcpy(w->text.at, head, head_size);
	if (chunk->size)
		memcpy(w->text.at + head_size, chunk->text, chunk->size);
	w->text.n = head_size + chunk->size;
	*out = (struct joined){
		.part = {.text = w->text.at,
			 .size = w->text.n,
			 .head_size = head_size,
			 .lines_between = count_between,
			 .context = out},
		.follow = s->follow,
		.offset = chunk->offset,
		.between = -1,
	};
}

/* ---- Counters ---- */

/* The lines above the first one that begins with a number, as rows do and headers do not. */
static size_t header_size(const char *head, size_t size)
{
	size_t at = 0;

	while (at < size) {
		const char *line = head + at, *feed = memchr(line, '\n', size - at);
		size_t begin = *line == '"' && at + 1 < size;

		if (lode_is_digit(line[begin]))
			break;
		at = feed ? (size_t)(feed - head) + 1 : size;
	}
	return at;
}

/* sadf: remembers the last line that names columns. */
static void find_section(struct lode_watch_source *s, const char *text, size_t size)
{
	const char *end = text + size, *at = text;

	while (at && at < end) {
		const char *feed = memchr(at, '\n', (size_t)(end - at));

		if (*at == '#' && feed) {
			s->section.n = 0;
			lode_vec_reserve(&s->section, (size_t)(feed - at) + 1);
			memcpy(s->section.at, at, (size_t)(feed - at) + 1);
			s->section.n = (size_t)(feed - at) + 1;
		}
		at = feed ? feed + 1 : NULL;
	}
}

/* Losses so far, and the newest time. */
static void note_delivered(struct lode_pio_watch *w, struct lode_watch_source *s)
{
	int64_t newest = lode_counter_log_newest(w->counters);

	lode_losses_add(&w->losses, lode_counter_log_losses(w->counters));
	memset(lode_counter_log_losses(w->counters), 0, sizeof(struct lode_losses));
	if (newest > s->newest_ns)
		s->newest_ns = newest;
}

static void feed_counters(struct lode_pio_watch *w, struct lode_watch_source *s,
			  const struct lode_follow_chunk *chunk,
			  const struct lode_pio_watcher *watcher)
{
	bool is_sadf = (chunk->head_size ? chunk->head[0] : chunk->text[0]) == '#';
	const char *head = chunk->head;
	size_t size = header_size(chunk->head, chunk->head_size);
	struct lode_counter_facts facts;
	struct joined joined;
	struct lode_error err;

	if (is_sadf && !s->section.n)
		find_section(s, chunk->head, chunk->head_size);
	if (is_sadf) {
		head = s->section.at;
		size = chunk->text[0] == '#' ? 0 : s->section.n;
	}
	if (!size && header_size(chunk->text, chunk->size) == chunk->size)
		return; /* nothing but a header yet: it is the head of what follows */
	join_head(&joined, w, s, head, size, chunk);
	if (lode_counters_read_text(w->counters, lode_follow_path(s->follow), &joined.part,
				    s->server, &facts, &err) < 0)
		lode_watch_warn(s, watcher, &err);
	else
		s->is_warned = false;
	if (is_sadf)
		find_section(s, chunk->text, chunk->size);
	note_delivered(w, s);
}

void lode_watch_ask(struct lode_pio_watch *w, struct lode_watch_source *s,
		    const struct lode_pio_watcher *watcher)
{
	int64_t end_ns = lode_clock_ns(CLOCK_REALTIME) - SETTLED_NS, step_ns = 0;
	int64_t start_ns = w->options.is_from_start ? INT64_MIN : end_ns;
	const char *path = lode_follow_path(s->follow);
	struct lode_counter_facts facts;
	struct lode_error err;
	char *text;

	if (lode_clock_ns(CLOCK_MONOTONIC) < s->ask_ns)
		return;
	text = lode_counters_query_between(path, start_ns, end_ns, &step_ns, &err);
	if (text && s->newest_ns != INT64_MIN) {
		free(text);
		start_ns = s->newest_ns + step_ns;
		if (start_ns > end_ns)
			return;
		text = lode_counters_query_between(path, start_ns, end_ns, &step_ns, &err);
	}
	if (!text || lode_counters_read(w->counters, text, s->server, &facts, &err) < 0)
		lode_watch_warn(s, watcher, &err);
	else
		s->is_warned = false;
	free(text);
	s->ask_ns = lode_clock_ns(CLOCK_MONOTONIC) +
		    (step_ns > LEAST_ASKING_NS ? step_ns : LEAST_ASKING_NS);
	note_delivered(w, s);
}

/* ---- Requests ---- */

/* What takes requests on their way to the request log. */
struct intake {
	struct lode_pio_watch *watch;
	struct lode_watch_source *source;
	struct lode_request_sink to;
	struct lode_request_names names; /* of this chunk */
	uint64_t n_left_out;		 /* requests of the head, which were taken before */
	int64_t newest_ns, last_early_ns;
};

static uint32_t known(const struct lode_strings *names, const struct lode_strings *chunk,
		      uint32_t id, uint32_t other)
{
	uint32_t found;

	if (id == LODE_NONE)
		return LODE_NONE;
	found = lode_strings_find(names, chunk->text.at[id], chunk->len.at[id]);
	return found == LODE_NONE ? other : found;
}

/* The interval up to which all files were read that have anything; INT64_MIN: none has. */
static int64_t front(const struct lode_pio_watch *w)
{
	int64_t least = INT64_MAX;

	for (size_t i = 0; i < w->sources.n; i++) {
		int64_t at = lode_watch_position(&w->sources.at[i]);

		if (at != INT64_MIN && at < least)
			least = at;
	}
	return least == INT64_MAX ? INT64_MIN : lode_interval_of(least, w->model->settings.step_ns);
}

enum nearness { NEAR, LATE, EARLY, FAR };

/*
 * Where a request lies from the time that is judged, or will be first. An early one may come behind
 * a pause beyond which no counters were read yet.
 */
static enum nearness nearness_of(const struct lode_pio_watch *w, int64_t t_ns)
{
	int64_t step = w->model->settings.step_ns, interval = lode_interval_of(t_ns, step);
	int64_t next = lode_pio_online_next(w->online);

	if (next != INT64_MIN && interval < lode_pio_online_oldest(w->online))
		return LATE;
	if (next == INT64_MIN)
		next = front(w);
	if (next == INT64_MIN ||
	    (interval - next < LODE_WATCH_FAR && next - interval < LODE_WATCH_FAR))
		return NEAR;
	return lode_clock_may_pause(next * step, t_ns) && w->n_early < MOST_EARLY ? EARLY : FAR;
}

/* One that comes late is of no use any more; one that is a day off has a wrong time. */
static void count_far(struct lode_pio_watch *w, const char *path, int64_t t_ns)
{
	int64_t next = lode_pio_online_next(w->online);
	char place[LODE_LOSS_PLACE_BYTES];

	if (next == INT64_MIN || lode_clock_is_near(t_ns, next * w->model->settings.step_ns))
		return;
	lode_loss_add(&w->losses, LODE_LOSS_CLOCK_JUMP, 1, -1, t_ns,
		      "%sa request with an implausible time (%lld s since 1970): dropped",
		      lode_loss_place(place, path, -1), (long long)(t_ns / 1000000000));
}

/* Whether it is taken. Its log is as far as an early one only when another follows it there. */
static bool place_request(struct intake *in, const struct lode_request *r)
{
	struct lode_pio_watch *w = in->watch;
	int64_t t_ns = w->requests.options.is_by_start ? r->end_ns - r->response_ns : r->end_ns;

	switch (nearness_of(w, t_ns)) {
	case NEAR:
		in->last_early_ns = in->source->early_ns = INT64_MIN;
		in->newest_ns = r->end_ns > in->newest_ns ? r->end_ns : in->newest_ns;
		return true;
	case EARLY:
		if (in->last_early_ns != INT64_MIN && lode_clock_is_near(in->last_early_ns, t_ns))
			in->source->early_ns = t_ns;
		in->last_early_ns = t_ns;
		w->resumed_ns = r->end_ns > w->resumed_ns ? r->end_ns : w->resumed_ns;
		w->n_early++;
		return true;
	case LATE:
	case FAR:
		break;
	}
	count_far(w, lode_follow_path(in->source->follow), r->end_ns);
	return false;
}

static int take_requests(void *context, const struct lode_request *at, size_t n,
			 struct lode_error *err)
{
	struct intake *in = context;
	struct lode_pio_watch *w = in->watch;

	for (size_t i = 0; i < n; i++) {
		struct lode_request r = at[i];
		int rc;

		if (in->n_left_out) {
			in->n_left_out--;
			continue;
		}
		if (!place_request(in, &r))
			continue;
		r.action = known(&w->model->names.actions, &in->names.actions, r.action,
				 w->other_action);
		r.user = known(&w->model->names.users, &in->names.users, r.user, w->other_user);
		rc = in->to.requests(in->to.context, &r, 1, err);
		if (rc < 0)
			return rc;
	}
	return LODE_OK;
}

static int ignore(void *context, const struct lode_request *at, size_t n, struct lode_error *err)
{
	(void)context;
	(void)at;
	(void)n;
	(void)err;
	return LODE_OK;
}

/* How many requests the head holds: they were taken before. */
static void count_head(const struct lode_pio_watch *w, struct lode_watch_source *s,
		       const struct lode_follow_chunk *chunk)
{
	struct lode_log_options options = w->options.log;
	struct lode_text_part head = {.text = chunk->head, .size = chunk->head_size};
	struct lode_request_names names = {0};
	struct lode_losses losses = {0};
	struct lode_request_sink sink = {.names = &names, .requests = ignore, .losses = &losses};
	struct lode_log_facts facts;
	struct lode_error err;

	if (s->head_file == chunk->file && s->head_size == chunk->head_size)
		return;
	options.n_threads = 1;
	(void)lode_requests_read_text(&sink, lode_follow_path(s->follow), &head, &options, &facts,
				      &err); /* a head without a request has none to leave out */
	s->head_file = chunk->file;
	s->head_size = chunk->head_size;
	s->n_head_requests = facts.n_requests;
	lode_request_names_release(&names);
}

static void feed_log(struct lode_pio_watch *w, struct lode_watch_source *s,
		     const struct lode_follow_chunk *chunk, const struct lode_pio_watcher *watcher)
{
	struct intake in = {.watch = w,
			    .source = s,
			    .to = lode_request_log_sink(&w->requests, &w->model->names),
			    .newest_ns = s->newest_ns,
			    .last_early_ns = s->early_ns};
	struct lode_losses losses = {0};
	struct lode_request_sink sink = {
		.context = &in, .names = &in.names, .requests = take_requests, .losses = &losses};
	struct lode_log_options options = w->options.log;
	struct lode_log_facts facts;
	struct joined joined;
	struct lode_error err;
	const struct lode_loss *bad = &losses.by_kind[LODE_LOSS_BAD_RECORD];

	if (chunk->head_size)
		count_head(w, s, chunk);
	in.n_left_out = chunk->head_size ? s->n_head_requests : 0;
	join_head(&joined, w, s, chunk->head, chunk->head_size, chunk);
	options.n_threads = 1;
	if (lode_requests_read_text(&sink, lode_follow_path(s->follow), &joined.part, &options,
				    &facts, &err) < 0)
		lode_watch_warn(s, watcher, &err);
	else
		s->is_warned = false;
	if (bad->count)
		lode_loss_add(&w->losses, LODE_LOSS_BAD_RECORD, bad->count, chunk->offset,
			      in.newest_ns, "%s", bad->detail);
	s->newest_ns = in.newest_ns;
	/* Nothing is judged as long as there are no counters: then old requests are of no use. */
	if (lode_pio_online_next(w->online) == INT64_MIN && front(w) != INT64_MIN)
		lode_request_log_forget(&w->requests, front(w) - LODE_WATCH_FAR);
	lode_request_names_release(&in.names);
}

void lode_watch_feed(struct lode_pio_watch *watch, struct lode_watch_source *source,
		     const struct lode_follow_chunk *chunk, const struct lode_pio_watcher *watcher)
{
	if (source->is_log)
		feed_log(watch, source, chunk, watcher);
	else
		feed_counters(watch, source, chunk, watcher);
}
