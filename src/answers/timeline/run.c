/* The answer of lode timeline: a trace is read, compressed, and asked. */
#include <math.h>
#include <stdarg.h>

#include "answers/timeline/timeline.h"
#include "answers/timeline/views.h"
#include "answers/timeline/window.h"
#include "base/time_sum.h"
#include "base/glob.h"
#include "base/sorted.h"
#include "engine/suspects/fisher.h"

struct lode_timeline_state {
	struct lode_timeline_answer answer;
	struct lode_moment moment;
	struct lode_timeline_function function;
	struct lode_meanwhile meanwhile;
	struct lode_profile profile;
	struct lode_timeline_during during;
	struct lode_timeline_versus versus;
	struct lode_timeline_views views;
	struct lode_arena arena;
};

__attribute__((format(printf, 3, 4))) static int
misused(struct lode_timeline_answer *answer, struct lode_error *err, const char *format, ...)
{
	char text[sizeof(err->message)];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	answer->is_misuse = true;
	return lode_fail(err, LODE_ERR_ARG, NULL, -1, "%s", text);
}

/* ---- What the request's words name ---- */

static bool is_thread(const struct lode_call_trace *trace, size_t i, const char *word)
{
	char *end;
	long tid = strtol(word, &end, 10);

	if (end > word && !*end)
		return trace->threads.at[i]->tid == tid;
	return strcmp(lode_call_thread_name(trace, trace->threads.at[i]), word) == 0;
}

static int find_thread(size_t *found, struct lode_timeline_answer *answer, const char *word,
		       struct lode_error *err)
{
	const struct lode_call_trace *trace = answer->job.trace;
	size_t n = 0;

	for (size_t i = trace->threads.n; i-- > 0;)
		if (is_thread(trace, i, word)) {
			*found = i;
			n++;
		}
	if (n == 1)
		return 0;
	if (n)
		return misused(answer, err, "%zu threads are named '%.60s': give a tid", n, word);
	if (trace->n_left_out)
		return misused(answer, err,
			       "no thread '%.60s' among the %zu with the most calls, which a page "
			       "has",
			       word, trace->threads.n);
	return misused(answer, err, "the trace has no thread '%.60s'", word);
}

static bool parse_trace_time(const struct lode_call_trace *trace, const char *text, int64_t *t_ns)
{
	bool is_offset = *text == '+';

	if (!(is_offset ? lode_duration_parse(t_ns, text + 1) : lode_clock_time_parse(t_ns, text)))
		return false;
	if (is_offset)
		*t_ns = lode_time_add(*t_ns, trace->first_ns);
	return true;
}

/* A function by its name, or by a glob that only one fits. */
static int find_function(uint32_t *found, struct lode_timeline_answer *answer, const char *word,
			 struct lode_error *err)
{
	const struct lode_call_trace *trace = answer->job.trace;
	char label[4096], full[4096];
	size_t n_equal = 0, n_like = 0;
	uint32_t equal = 0, like = 0;

	for (uint32_t f = 0; f < trace->functions.frames.n; f++) {
		if (!trace->spreads.at[f].n)
			continue;
		lode_frame_label(&trace->functions, f, label, sizeof(label));
		lode_frame_full_name(&trace->functions, f, full, sizeof(full));
		if (strcmp(label, word) == 0 || strcmp(full, word) == 0) {
			n_equal++;
			equal = f;
		} else if (lode_glob_match(word, label) || lode_glob_match(word, full)) {
			n_like++;
			like = f;
		}
	}
	*found = n_equal ? equal : like;
	if (n_equal == 1 || (!n_equal && n_like == 1))
		return 0;
	if (!n_equal && !n_like)
		return misused(answer, err, "the trace has no calls of '%.200s'", word);
	return misused(answer, err, "%zu functions are named '%.200s': give one as module!name",
		       n_equal ? n_equal : n_like, word);
}

/* The thread and time of THREAD:TIME. */
static int find_moment(size_t *thread, int64_t *t_ns, struct lode_timeline_answer *answer,
		       const char *at, struct lode_error *err)
{
	const char *colon = strrchr(at, ':');
	char word[256];

	if (!colon || colon == at || colon - at >= (ptrdiff_t)sizeof(word) ||
	    !parse_trace_time(answer->job.trace, colon + 1, t_ns))
		return misused(answer, err, "--at: give THREAD:TIME, such as 4711:+1.5s");
	memcpy(word, at, (size_t)(colon - at));
	word[colon - at] = 0;
	return find_thread(thread, answer, word, err);
}

static int set_window(struct lode_timeline_answer *answer, const struct lode_time_span *w,
		      struct lode_error *err)
{
	const struct lode_call_trace *trace = answer->job.trace;
	int64_t from = w->from_ns, to = w->to_ns;

	if (from == INT64_MIN && to == INT64_MAX)
		return LODE_OK;
	from = from == INT64_MIN ? trace->first_ns
				 : lode_time_add(from, w->is_from_offset ? trace->first_ns : 0);
	to = to == INT64_MAX ? trace->last_ns + 1
			     : lode_time_add(to, w->is_to_offset ? trace->first_ns : 0);
	if (from >= to)
		return misused(answer, err, "--window: it ends before it begins");
	answer->options.t0_ns = from;
	answer->options.t1_ns = to;
	return LODE_OK;
}

/* Where, and whose timelines are asked for. */
static int narrow_down(struct lode_timeline_answer *answer,
		       const struct lode_timeline_request *request, struct lode_error *err)
{
	size_t thread = 0;
	int rc = set_window(answer, &request->window, err);

	if (rc < 0 || !request->thread)
		return rc;
	rc = find_thread(&thread, answer, request->thread, err);
	if (rc < 0)
		return rc;
	answer->only = answer->job.trace->threads.at[thread];
	/* With a question beside it, the others' timelines may be asked for. */
	if (!request->at && !request->function && !request->during && !request->symptoms)
		answer->options.only = answer->only;
	return LODE_OK;
}

/* ---- Lists ---- */

static bool is_asked_about(const struct lode_timeline_answer *answer, size_t thread)
{
	return !answer->only || answer->job.trace->threads.at[thread] == answer->only;
}

/* Of n, so many are shown; the others are `*more`. */
static size_t cut_off(size_t n, size_t top, size_t *more)
{
	*more = n > top ? n - top : 0;
	return n - *more;
}

struct by_calls {
	size_t thread;
	uint64_t n_calls;
};

LODE_COMPARE(compare_calls, struct by_calls,
	     LODE_ORDER(b->n_calls, a->n_calls) ?: LODE_ORDER(a->thread, b->thread))

static void list_threads(struct lode_timeline_state *s)
{
	struct lode_timeline_answer *answer = &s->answer;
	const struct lode_regtime *regtime = answer->job.regtime;
	struct by_calls *order = lode_alloc(regtime->n_threads * sizeof(*order));
	size_t n = 0, n_listed = 0, room;

	room = cut_off(regtime->n_threads, answer->top, &answer->n_listed_more);
	answer->listed = lode_arena_array(&s->arena, size_t, room + 1);
	answer->busiest = lode_arena_array(&s->arena, size_t, room + 1);
	for (size_t i = 0; i < regtime->n_threads; i++) {
		if (!is_asked_about(answer, i))
			continue;
		if (n_listed++ < room)
			answer->listed[n_listed - 1] = i;
		if (regtime->threads[i].n_calls)
			order[n++] = (struct by_calls){i, regtime->threads[i].n_calls};
	}
	lode_sort(order, n, compare_calls);
	answer->n_listed = cut_off(n_listed, answer->top, &answer->n_listed_more);
	answer->n_busiest = cut_off(n, answer->top, &answer->n_busiest_more);
	for (size_t i = 0; i < answer->n_busiest; i++)
		answer->busiest[i] = order[i].thread;
	free(order);
}

/* A thread's leaves cost memory; of a million threads, few are shown. */
static int find_leaves(struct lode_timeline_answer *answer, bool is_for_page,
		       struct lode_error *err)
{
	bool *is_shown = NULL;
	int rc;

	if (!is_for_page) {
		is_shown = lode_alloc0(answer->job.regtime->n_threads + 1, sizeof(*is_shown));
		for (size_t i = 0; i < answer->n_listed; i++)
			is_shown[answer->listed[i]] = true;
		for (size_t i = 0; i < answer->n_busiest; i++)
			is_shown[answer->busiest[i]] = true;
	}
	rc = lode_timeline_job_leaves(&answer->leaves, &answer->job, is_shown, err);
	free(is_shown);
	return rc;
}

static void list_outliers(struct lode_timeline_state *s)
{
	struct lode_timeline_answer *answer = &s->answer;
	const struct lode_outliers *outliers = &answer->job.outliers;
	size_t n = 0, room = cut_off(outliers->at.n, answer->top, &answer->n_outliers_more);

	answer->outliers = lode_arena_array(&s->arena, size_t, room + 1);
	for (size_t i = 0; i < outliers->at.n; i++)
		if (is_asked_about(answer, outliers->at.at[i].thread) && n++ < room)
			answer->outliers[n - 1] = i;
	answer->n_outliers = cut_off(n, answer->top, &answer->n_outliers_more);
	answer->n_groups = cut_off(outliers->groups.n, answer->top, &answer->n_groups_more);
}

/* ---- Questions ---- */

static int ask_moment(struct lode_timeline_state *s, size_t thread, int64_t t_ns,
		      struct lode_error *err)
{
	struct lode_timeline_job *job = &s->answer.job;
	int rc = lode_moment_find(&s->moment, job->regtime, thread, t_ns, err);

	if (rc < 0)
		return rc;
	s->answer.moment = &s->moment;
	s->answer.meanwhile = &s->meanwhile;
	return lode_meanwhile_make(&s->meanwhile, job->trace, NULL,
				   job->trace->threads.at[thread]->clock, s->moment.t0_ns,
				   s->moment.t1_ns, job->n_threads, err);
}

static int make_profile(struct lode_timeline_state *s, struct lode_error *err)
{
	struct lode_timeline_answer *answer = &s->answer;
	const struct lode_profile_span span = {.only = answer->only,
					       .t0_ns = answer->options.t0_ns,
					       .t1_ns = answer->options.t1_ns};
	int rc = lode_profile_make(&s->profile, answer->job.trace, &span, err);

	answer->profile = &s->profile;
	answer->n_functions = cut_off(s->profile.rows.n, answer->top, &answer->n_functions_more);
	return rc;
}

/* One test for each function that both call often enough. */
static void correct_changes(struct lode_timeline_state *s)
{
	const struct lode_profile_diff *diff = &s->versus.diff;
	double *log_p = lode_arena_array(&s->arena, double, diff->rows.n + 1);
	size_t n = 0, next = 0;

	s->versus.log_q = lode_arena_array(&s->arena, double, diff->rows.n + 1);
	for (size_t i = 0; i < diff->rows.n; i++)
		if (!isnan(diff->rows.at[i].log_p))
			log_p[n++] = diff->rows.at[i].log_p;
	lode_correct_log_p(log_p, n, LODE_CORRECTION_HOLM);
	for (size_t i = 0; i < diff->rows.n; i++)
		s->versus.log_q[i] = isnan(diff->rows.at[i].log_p) ? NAN : log_p[next++];
}

/* Of what is missing there, too. */
static void note_incomplete(struct lode_timeline_answer *answer,
			    const struct lode_call_trace *other)
{
	char *missing = lode_timeline_incomplete(other);

	if (missing && !answer->incomplete) {
		size_t size = strlen(other->path) + strlen(missing) + 3;

		answer->incomplete = lode_alloc(size);
		snprintf(answer->incomplete, size, "%s: %s", other->path, missing);
	}
	free(missing);
}

static int compare_profiles(struct lode_timeline_state *s,
			    const struct lode_timeline_request *request, struct lode_error *err)
{
	struct lode_timeline_job_options reading = request->reading;
	const struct lode_profile_span whole = {0};
	struct lode_timeline_versus *versus = &s->versus;
	const struct lode_profile_side here = {s->answer.job.trace, &s->profile};
	struct lode_profile_side there = {NULL, &versus->profile};
	int rc;

	reading.index = NULL;
	rc = lode_timeline_job_read(&versus->job, request->versus, &reading, err);
	if (rc < 0)
		return rc;
	there.trace = versus->job.trace;
	note_incomplete(&s->answer, there.trace);
	rc = lode_profile_make(&versus->profile, there.trace, &whole, err);
	if (rc == LODE_OK)
		rc = lode_profile_diff_make(&versus->diff, &here, &there, err);
	if (rc < 0)
		return rc;
	correct_changes(s);
	versus->n_rows = cut_off(versus->diff.rows.n, s->answer.top, &versus->n_more);
	s->answer.versus = versus;
	return LODE_OK;
}

struct lode_timeline_part lode_timeline_part_of(const struct lode_timeline_answer *answer)
{
	const struct lode_regtime_options *options = &answer->options;
	const struct lode_call_trace *trace = answer->job.trace;
	bool has_window = lode_timeline_has_window(answer);

	return (struct lode_timeline_part){
		.t0_ns = has_window ? options->t0_ns : trace->first_ns,
		.t1_ns = has_window ? options->t1_ns : trace->last_ns,
	};
}

LODE_COMPARE(compare_uses, struct lode_timeline_use,
	     LODE_ORDER(b->use.total_ns, a->use.total_ns) ?: LODE_ORDER(a->thread, b->thread))

static int find_uses(struct lode_timeline_state *s, struct lode_error *err)
{
	struct lode_call_trace *trace = s->answer.job.trace;
	const struct lode_timeline_part part = lode_timeline_part_of(&s->answer);
	struct lode_timeline_function *f = &s->function;
	int rc = LODE_OK;

	for (size_t i = 0; i < trace->threads.n && rc == LODE_OK; i++) {
		struct lode_timeline_use use = {
			.thread = i, .tid = trace->threads.at[i]->tid, .n_bins = f->n_bins};

		if (!is_asked_about(&s->answer, i))
			continue;
		rc = lode_function_use(&use.use, trace, trace->threads.at[i], f->function,
				       s->answer.options.t0_ns, s->answer.options.t1_ns, err);
		if (rc < 0 || !use.use.n_calls)
			continue;
		use.bins_ns = lode_arena_array(&s->arena, uint64_t, f->n_bins);
		memset(use.bins_ns, 0, f->n_bins * sizeof(*use.bins_ns));
		lode_vec_append(&f->uses, use);
		rc = lode_function_over_time(use.bins_ns, f->n_bins, trace, trace->threads.at[i],
					     f->function, part.t0_ns, part.t1_ns, err);
	}
	lode_sort(f->uses.at, f->uses.n, compare_uses);
	return rc;
}

LODE_COMPARE_AT(compare_edges, struct lode_profile_edge,
		LODE_ORDER(b->total_ns, a->total_ns) ?: LODE_ORDER(a, b))

/* Who calls it, and what it calls; edges are by callee, so that callers are in order. */
static int find_edges(struct lode_timeline_state *s, struct lode_error *err)
{
	struct lode_timeline_function *f = &s->function;
	int rc = make_profile(s, err);

	if (rc < 0)
		return rc;
	f->row = lode_profile_find(&s->profile, f->function);
	for (size_t i = 0; i < s->profile.edges.n; i++) {
		const struct lode_profile_edge *edge = &s->profile.edges.at[i];

		if (edge->callee == f->function)
			lode_vec_append(&f->callers, edge);
		if (edge->caller == f->function)
			lode_vec_append(&f->callees, edge);
	}
	lode_sort(f->callees.at, f->callees.n, compare_edges);
	return LODE_OK;
}

static int ask_function(struct lode_timeline_state *s, uint32_t function, struct lode_error *err)
{
	const struct lode_timeline_job *job = &s->answer.job;
	const struct lode_outliers *outliers = &job->outliers;
	const struct lode_outlier *longest;
	int rc;

	s->function.function = function;
	s->function.n_bins = 32;
	s->answer.function = &s->function;
	rc = find_uses(s, err);
	if (rc == LODE_OK)
		rc = find_edges(s, err);
	for (size_t i = 0; i < outliers->at.n; i++)
		if (outliers->at.at[i].function == function &&
		    is_asked_about(&s->answer, outliers->at.at[i].thread))
			lode_vec_append(&s->function.long_calls, i);
	if (rc < 0 || !s->function.long_calls.n)
		return rc;
	longest = &outliers->at.at[s->function.long_calls.at[0]];
	s->answer.meanwhile = &s->meanwhile;
	return lode_meanwhile_make(&s->meanwhile, job->trace, NULL,
				   job->trace->threads.at[longest->thread]->clock,
				   longest->start_ns, longest->start_ns + longest->duration_ns,
				   job->n_threads, err);
}

/* Names may contain colons: the first thread that there is counts. */
static int find_condition(struct lode_during_condition *out, struct lode_timeline_answer *answer,
			  const char *words, struct lode_error *err)
{
	const struct lode_call_trace *trace = answer->job.trace;
	char word[256] = "";
	const char *rest = words;
	bool is_found = false;

	for (const char *colon; !is_found && (colon = strchr(rest, ':')) != NULL;) {
		snprintf(word, sizeof(word), "%.*s", (int)(colon - words), words);
		rest = colon + 1;
		for (size_t i = 0; i < trace->threads.n && !is_found; i++)
			is_found = is_thread(trace, i, word);
	}
	if (!*word || !*rest)
		return misused(answer, err,
			       "--during: give THREAD:FUNCTION or THREAD:idle, such as 4711:lock");
	if (find_thread(&out->thread, answer, word, err) < 0)
		return LODE_ERR_ARG;
	out->function = LODE_NONE;
	return strcmp(rest, "idle") == 0 ? LODE_OK
					 : find_function(&out->function, answer, rest, err);
}

/* Rows of the thread that is asked for, which something is there to say of. */
static void list_during(struct lode_timeline_state *s)
{
	struct lode_timeline_during *during = &s->during;
	size_t n = 0;

	during->rows = lode_arena_array(&s->arena, size_t, during->is.rows.n + 1);
	for (size_t i = 0; i < during->is.rows.n; i++)
		if (is_asked_about(&s->answer, during->is.rows.at[i].thread) &&
		    !isnan(during->is.rows.at[i].p))
			during->rows[n++] = i;
	during->n_rows = cut_off(n, s->answer.top, &during->n_more);
}

static int ask_during(struct lode_timeline_state *s, const char *words, struct lode_error *err)
{
	struct lode_timeline_answer *answer = &s->answer;
	struct lode_call_trace *trace = answer->job.trace;
	const struct lode_timeline_part part = lode_timeline_part_of(answer);
	int rc = find_condition(&s->during.condition, answer, words, err);

	if (rc < 0)
		return rc;
	rc = lode_during_make(&s->during.is, trace, &s->during.condition, part.t0_ns, part.t1_ns,
			      err);
	list_during(s);
	answer->during = &s->during;
	return rc;
}

static int ask_trace(struct lode_timeline_state *s, const struct lode_timeline_request *request,
		     struct lode_error *err)
{
	uint32_t function = LODE_NONE;
	size_t thread = 0;
	int64_t t_ns = 0;
	int rc = LODE_OK;

	if (request->function)
		rc = find_function(&function, &s->answer, request->function, err);
	if (rc == LODE_OK && request->at)
		rc = find_moment(&thread, &t_ns, &s->answer, request->at, err);
	if (rc == LODE_OK && request->at)
		rc = ask_moment(s, thread, t_ns, err);
	else if (rc == LODE_OK && request->function)
		rc = ask_function(s, function, err);
	else if (rc == LODE_OK && request->during)
		rc = ask_during(s, request->during, err);
	else if (rc == LODE_OK && request->wants_functions)
		rc = make_profile(s, err);
	if (rc == LODE_OK && request->versus)
		rc = compare_profiles(s, request, err);
	/* Last: no file is left where a question fails. */
	if (rc == LODE_OK && request->symptoms)
		rc = lode_timeline_symptoms(request->symptoms, &s->answer.job, function, err);
	return rc;
}

/* ---- The whole ---- */

static int make_window(struct lode_timeline_answer *answer, struct lode_error *err)
{
	const struct lode_timeline_window_query query = {
		.t0_ns = answer->options.t0_ns,
		.t1_ns = answer->options.t1_ns,
		.single_calls = LODE_WINDOW_SINGLE_CALLS,
		.only = answer->only,
		.n_threads = answer->job.n_threads,
	};

	return lode_timeline_window(&answer->window, answer->job.trace, &answer->options, &query,
				    err);
}

/* Of the whole trace: no index is left where the request names what is not there. */
static int check_words(struct lode_timeline_answer *answer,
		       const struct lode_timeline_request *request, struct lode_error *err)
{
	struct lode_during_condition condition;
	uint32_t function;
	size_t thread;
	int64_t t_ns;
	int rc = narrow_down(answer, request, err);

	if (rc == LODE_OK && request->function)
		rc = find_function(&function, answer, request->function, err);
	if (rc == LODE_OK && request->at)
		rc = find_moment(&thread, &t_ns, answer, request->at, err);
	if (rc == LODE_OK && request->during)
		rc = find_condition(&condition, answer, request->during, err);
	return rc;
}

int lode_timeline_run(struct lode_timeline_answer **out,
		      const struct lode_timeline_request *request, struct lode_error *err)
{
	struct lode_timeline_state *s = lode_alloc0(1, sizeof(*s));
	struct lode_timeline_answer *answer = &s->answer;
	int rc;

	answer->state = s;
	answer->options = request->regtime;
	answer->top = request->top;
	answer->is_full = request->is_full;
	*out = answer;
	rc = lode_timeline_job_read(&answer->job, request->input, &request->reading, err);
	if (rc < 0)
		return rc;
	answer->incomplete = lode_timeline_incomplete(answer->job.trace);
	if (request->reading.index)
		rc = check_words(answer, request, err);
	if (rc == LODE_OK)
		rc = lode_timeline_job_save(&answer->job, request->reading.index, err);
	if (rc < 0)
		return rc;
	if (request->is_for_page)
		lode_call_trace_keep_threads(answer->job.trace, LODE_VIEWS_THREADS);
	rc = narrow_down(answer, request, err);
	if (rc < 0 || request->stage == LODE_TIMELINE_CALLS)
		return rc;
	if (request->stage == LODE_TIMELINE_WINDOW && lode_timeline_has_window(answer))
		return make_window(answer, err);
	rc = lode_timeline_job_compress(&answer->job, &answer->options, err);
	if (rc < 0)
		return rc;
	list_threads(s);
	rc = find_leaves(answer, request->is_for_page, err);
	if (rc < 0)
		return rc;
	list_outliers(s);
	rc = ask_trace(s, request, err);
	if (rc == LODE_OK)
		answer->opening = lode_timeline_opening(answer, request->asked, &s->arena);
	return rc;
}

int lode_timeline_add_views(struct lode_timeline_answer *answer, bool is_whole_only,
			    struct lode_error *err)
{
	const struct lode_timeline_views_options options = {
		.regtime = &answer->options,
		.whole_budget = LODE_VIEWS_WHOLE_BUDGET,
		.meanwhile_bytes = is_whole_only ? 0 : LODE_VIEWS_MEANWHILE_BYTES,
		.page_bytes = is_whole_only ? 0 : LODE_VIEWS_PAGE_BYTES,
	};
	int rc = lode_timeline_views_make(&answer->state->views, &answer->job, &options, err);

	if (rc == LODE_OK)
		answer->views = &answer->state->views;
	return rc;
}

void lode_timeline_free(struct lode_timeline_answer *answer)
{
	struct lode_timeline_state *s = answer ? answer->state : NULL;

	if (!s)
		return;
	if (answer->views)
		lode_timeline_views_release(&s->views);
	lode_vec_release(&s->function.uses);
	lode_vec_release(&s->function.callers);
	lode_vec_release(&s->function.callees);
	lode_vec_release(&s->function.long_calls);
	lode_profile_diff_release(&s->versus.diff);
	lode_profile_release(&s->versus.profile);
	lode_timeline_job_release(&s->versus.job);
	lode_profile_release(&s->profile);
	lode_during_release(&s->during.is);
	lode_meanwhile_release(&s->meanwhile);
	lode_moment_release(&s->moment);
	lode_meanwhile_release(&answer->leaves);
	lode_regtime_free(answer->window);
	lode_timeline_job_release(&answer->job);
	lode_arena_release(&s->arena);
	free(answer->incomplete);
	free(s);
}
