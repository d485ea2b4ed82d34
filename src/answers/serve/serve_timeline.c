/* Serves any window of a trace from its index. */
#include "answers/serve/serve_timeline.h"

#include "engine/regtime/meanwhile.h"
#include "answers/timeline/page.h"
#include "answers/timeline/window.h"
#include "base/pool.h"
#include "store/timeline_file.h"

enum {
	/* Who zooms looks for where a function is called: so much less is folded. */
	LESS_FOLDED = 8,
	MOST_THREADS = 8, /* for one answer */
};

struct lode_serve_timeline {
	struct lode_call_trace *trace;
	char *path; /* of the index: the trace borrows it */
};

/* What every question needs is here before the first: that one is no slower than others. A thread
   whose part of the index is damaged is reported when a question needs it. */
static void load_threads(struct lode_call_trace *trace)
{
	for (size_t i = 0; i < trace->threads.n; i++)
		lode_call_thread_need(trace, trace->threads.at[i], LODE_CALL_ALL, NULL);
}

int lode_serve_timeline_open(struct lode_serve_timeline **out, const char *path, const char *index,
			     struct lode_error *err)
{
	struct lode_serve_timeline *timeline = lode_alloc0(1, sizeof(*timeline));
	int rc;

	*out = NULL;
	timeline->path = lode_strdup(path);
	rc = lode_timeline_load(&timeline->trace, timeline->path, err);
	if (rc < 0) {
		free(timeline->path);
		timeline->path = lode_strdup(index);
		rc = lode_timeline_load(&timeline->trace, timeline->path, err);
	}
	if (rc < 0) {
		lode_serve_timeline_close(timeline);
		return rc;
	}
	lode_call_trace_keep_threads(timeline->trace, LODE_VIEWS_THREADS); /* as the page has */
	load_threads(timeline->trace);
	*out = timeline;
	return LODE_OK;
}

void lode_serve_timeline_close(struct lode_serve_timeline *timeline)
{
	if (!timeline)
		return;
	lode_call_trace_free(timeline->trace);
	free(timeline->path);
	free(timeline);
}

static unsigned n_threads(void)
{
	unsigned n = lode_pool_cpus();

	return n < MOST_THREADS ? n : MOST_THREADS;
}

/* The span that is asked for, on the trace's clock. */
static int read_span(int64_t *t0_ns, int64_t *t1_ns, const struct lode_call_trace *trace,
		     const struct lode_site_query *query, struct lode_error *err)
{
	int64_t length = trace->last_ns - trace->first_ns + 1, t0 = -1, t1 = -1;

	if (!lode_site_param_number(query, "t0", 0, length, &t0) ||
	    !lode_site_param_number(query, "t1", 0, length, &t1) || t0 < 0 || t1 <= t0)
		return lode_fail(err, LODE_ERR_ARG, NULL, -1,
				 "t0 and t1 must be a time range within the trace, in ns from its "
				 "start: at most %lld",
				 (long long)length);
	*t0_ns = trace->first_ns + t0;
	*t1_ns = trace->first_ns + t1;
	return LODE_OK;
}

static int answer_window(void *context, const struct lode_site_query *query, FILE *out,
			 struct lode_error *err)
{
	const struct lode_serve_timeline *timeline = context;
	struct lode_timeline_window_query window = {.single_calls = LODE_WINDOW_SINGLE_CALLS,
						    .n_threads = n_threads()};
	struct lode_regtime_options options = lode_regtime_defaults();
	struct lode_regtime *made = NULL;
	int rc = read_span(&window.t0_ns, &window.t1_ns, timeline->trace, query, err);

	options.negligible.parts_1e9 /= LESS_FOLDED;
	if (rc == LODE_OK)
		rc = lode_timeline_window(&made, timeline->trace, &options, &window, err);
	if (rc < 0)
		return rc;
	lode_timeline_window_json(out, made, window.t0_ns, window.t1_ns);
	lode_regtime_free(made);
	return LODE_OK;
}

static int answer_meanwhile(void *context, const struct lode_site_query *query, FILE *out,
			    struct lode_error *err)
{
	const struct lode_serve_timeline *timeline = context;
	struct lode_meanwhile meanwhile = {0};
	int64_t t0_ns = 0, t1_ns = 0, clock = 0;
	int rc = read_span(&t0_ns, &t1_ns, timeline->trace, query, err);

	/* A trace with one clock needs no parameter. */
	if (rc == LODE_OK &&
	    !lode_site_param_number(query, "clock", 0, (int64_t)timeline->trace->clocks.n - 1,
				    &clock))
		rc = lode_fail(err, LODE_ERR_ARG, NULL, -1,
			       "clock must be less than %zu, the number of clocks of the trace",
			       timeline->trace->clocks.n);

	if (rc == LODE_OK)
		rc = lode_meanwhile_make(&meanwhile, timeline->trace, NULL, (uint32_t)clock, t0_ns,
					 t1_ns, n_threads(), err);
	if (rc == LODE_OK)
		lode_timeline_meanwhile_json(out, timeline->trace, &meanwhile);
	lode_meanwhile_release(&meanwhile);
	return rc;
}

void lode_serve_timeline_add(struct lode_serve_timeline *timeline, struct lode_site *site,
			     const char *report)
{
	lode_site_add_question(site, report, "window", LODE_REQUEST_READ, answer_window, timeline);
	lode_site_add_question(site, report, "meanwhile", LODE_REQUEST_READ, answer_meanwhile,
			       timeline);
}
