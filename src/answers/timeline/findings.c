/* lode timeline in a few lines: the calls that took longest beside what is usual. */
#include <inttypes.h>

#include "answers/timeline/page.h"
#include "document/findings.h"
#include "document/units.h"

static bool is_inside(const struct lode_outlier *a, const struct lode_outlier *b)
{
	return a->thread == b->thread && a->start_ns >= b->start_ns &&
	       a->start_ns + a->duration_ns <= b->start_ns + b->duration_ns;
}

/* Is its function told already, or one that it called or that called it? They share their time. */
static bool is_told(const struct lode_outlier *all, size_t i, const size_t *told, size_t n_told)
{
	for (size_t k = 0; k < i; k++) {
		bool is_of_told = false;

		for (size_t t = 0; t < n_told && !is_of_told; t++)
			is_of_told = all[k].function == all[told[t]].function;
		if (is_of_told && (all[k].function == all[i].function ||
				   is_inside(&all[i], &all[k]) || is_inside(&all[k], &all[i])))
			return true;
	}
	return false;
}

static void add_outlier(struct lode_findings *out, const struct lode_timeline_answer *answer,
			const struct lode_outlier *o, struct lode_arena *arena)
{
	const struct lode_call_trace *trace = answer->job.trace;
	const struct lode_outliers *outliers = &answer->job.outliers;
	const struct lode_call_thread *thread = trace->threads.at[o->thread];
	int64_t start = o->start_ns - trace->first_ns, end = start + o->duration_ns;
	int64_t room = o->duration_ns / 3 + 20, length_ns = trace->last_ns - trace->first_ns;
	char took[LODE_UNITS_BUFFER], usual[LODE_UNITS_BUFFER], function[1024];
	const char *thread_name = lode_call_thread_name(trace, thread), *such = "";
	struct lode_finding *finding;
	size_t n_such = 0;

	if (!*thread_name)
		thread_name = lode_finding_text(arena, "%" PRId32, thread->tid);
	for (size_t k = 0; k < outliers->at.n; k++)
		n_such += outliers->at.at[k].function == o->function;
	if (n_such > 1)
		such = lode_finding_text(arena, "; %zu such calls", n_such);
	finding = lode_findings_add(
		out,
		lode_finding_text(arena, "%s took %s in thread %s, usually %s%s",
				  lode_frame_full_name(&trace->functions, o->function, function,
						       sizeof(function)),
				  lode_format_cost(took, o->duration_ns, "ns"), thread_name,
				  lode_format_cost(usual, trace->spreads.at[o->function].median_ns,
						   "ns"),
				  such),
		NULL);
	/* As the page's own links: a stretch of time, and a call by thread, time and depth. */
	finding->params[0] = (struct lode_finding_param){
		"w",
		lode_finding_text(arena, "%" PRId64 "-%" PRId64, start > room ? start - room : 0,
				  end + room < length_ns ? end + room : length_ns)};
	finding->params[1] = (struct lode_finding_param){
		"sel",
		lode_finding_text(arena, "%" PRId32 "_%" PRId64 "_%" PRId64 "_%" PRIu32 "_call_0",
				  thread->tid, start, end, o->depth)};
}

void lode_timeline_findings(struct lode_findings *out, const void *of, struct lode_arena *arena)
{
	const struct lode_timeline_answer *answer = of;
	const struct lode_call_trace *trace = answer->job.trace;
	const struct lode_outlier *all = answer->job.outliers.at.at;
	size_t n = answer->job.outliers.at.n, told[LODE_FINDINGS_MOST] = {0};
	char calls[LODE_UNITS_BUFFER], n_threads[LODE_UNITS_BUFFER], lasted[LODE_UNITS_BUFFER];
	char n_outliers[LODE_UNITS_BUFFER];

	*out = (struct lode_findings){.weight = trace->last_ns - trace->first_ns};
	out->summary = lode_finding_text(
		arena, "%s calls of %s in %s; %s", lode_format_count(calls, trace->n_calls),
		lode_format_plural(n_threads, answer->views->whole->n_threads, "thread"),
		lode_format_cost(lasted, out->weight, "ns"),
		lode_format_plural(n_outliers, n, "outlier"));
	/* In the report's order: the longest beside their median first. */
	for (size_t i = 0; i < n && lode_findings_have_room(out); i++) {
		if (all[i].duration_ns < 2 * trace->spreads.at[all[i].function].median_ns ||
		    is_told(all, i, told, out->n_details))
			continue;
		told[out->n_details] = i;
		add_outlier(out, answer, &all[i], arena);
	}
}
