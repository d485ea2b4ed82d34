/* lode timeline in a few lines: the calls that took longest beside their usual time. */
#include <inttypes.h>
#include <math.h>

#include "answers/timeline/page.h"
#include "document/findings.h"
#include "document/units.h"

/* ---- In a sentence ---- */

/* What a call must be at least, as a multiple of its function's median, to stand out. */
enum { STANDS_OUT = 2 };

/* A time as an offset from the trace's start, exact, as --at takes it: "+1.413204001s". */
static const char *offset_text(const struct lode_timeline_answer *answer, int64_t t_ns,
			       struct lode_arena *arena)
{
	int64_t from = t_ns - answer->job.trace->first_ns;
	int64_t far = from < 0 ? -from : from;

	return lode_finding_text(arena, "%c%" PRId64 ".%09" PRId64 "s", from < 0 ? '-' : '+',
				 far / 1000000000, far % 1000000000);
}

/* Its name, with the tid where another thread has the same name. */
static const char *thread_text(const struct lode_timeline_answer *answer,
			       const struct lode_call_thread *thread, struct lode_arena *arena)
{
	const struct lode_call_trace *trace = answer->job.trace;
	const char *name = lode_call_thread_name(trace, thread);
	size_t n = 0;

	for (size_t i = 0; *name && i < trace->threads.n; i++)
		n += !strcmp(lode_call_thread_name(trace, trace->threads.at[i]), name);
	if (n > 1 && thread->tid >= 0)
		return lode_finding_text(arena, "%s (%" PRId32 ")", name, thread->tid);
	return *name ? lode_finding_text(arena, "%s", name)
		     : lode_finding_text(arena, "%" PRId32, thread->tid);
}

static const char *function_text(const struct lode_timeline_answer *answer, uint32_t function,
				 struct lode_arena *arena)
{
	char name[1024];

	return lode_finding_text(arena, "%s",
				 lode_frame_label(&answer->job.trace->functions, function, name,
						  sizeof(name)));
}

/* "--at 7:+1.413204001s" asks it; what has no number goes by its name. */
static const char *next_at(const struct lode_timeline_answer *answer,
			   const struct lode_asked *asked, const struct lode_call_thread *thread,
			   int64_t t_ns, struct lode_arena *arena)
{
	const char *who = thread->tid < 0 ? thread_text(answer, thread, arena)
					  : lode_finding_text(arena, "%" PRId32, thread->tid);

	return lode_next_again(arena, asked, "--at %s",
			       lode_next_word(arena,
					      lode_finding_text(arena, "%s:%s", who,
								offset_text(answer, t_ns, arena))));
}

/* "evict took 61.0 ms in thread eviction at +1.4s, 5,080 times its median of 12.0 µs" */
static const char *call_words(const struct lode_timeline_answer *answer,
			      const struct lode_outlier *o, struct lode_arena *arena)
{
	const struct lode_call_trace *trace = answer->job.trace;
	char took[LODE_UNITS_BUFFER], times[LODE_UNITS_BUFFER], usual[LODE_UNITS_BUFFER];

	return lode_finding_text(arena, "%s took %s in thread %s at %s, %s times its median of %s",
				 function_text(answer, o->function, arena),
				 lode_format_cost(took, o->duration_ns, "ns"),
				 thread_text(answer, trace->threads.at[o->thread], arena),
				 offset_text(answer, o->start_ns, arena),
				 lode_format_count(times, (uint64_t)(o->times_median + 0.5)),
				 lode_format_cost(usual, trace->spreads.at[o->function].median_ns,
						  "ns"));
}

/* Why no call is called unusual, with `n` long ones. */
static const char *why_none(size_t n, struct lode_arena *arena)
{
	char calls[LODE_UNITS_BUFFER];

	if (!n)
		return "none is long for its thread";
	if (n == 1)
		return lode_finding_text(
			arena, "the only long one took less than %d times its function's median",
			STANDS_OUT);
	return lode_finding_text(arena, "none of the %s took %d times its function's median",
				 lode_format_plural(calls, n, "long call"), STANDS_OUT);
}

/* Calls of the threads and the window that were asked about. */
static uint64_t calls_asked_about(const struct lode_timeline_answer *answer)
{
	const struct lode_regtime *regtime = answer->job.regtime;
	uint64_t n = 0;

	for (size_t i = 0; i < regtime->n_threads; i++)
		if (!answer->only || regtime->threads[i].thread == answer->only)
			n += regtime->threads[i].n_calls;
	return n;
}

/* The longest call of the function that comes first in the list; NULL: none stands out. */
static const struct lode_outlier *most_unusual(const struct lode_outliers *outliers)
{
	for (size_t i = 0; i < outliers->groups.n; i++) {
		const struct lode_outlier_group *group = &outliers->groups.at[i];
		const struct lode_outlier *longest = &outliers->at.at[group->first];

		if (group->weight > 0 && longest->times_median >= STANDS_OUT)
			return longest;
	}
	return NULL;
}

static struct lode_opening open_trace(const struct lode_timeline_answer *answer,
				      const struct lode_asked *asked, struct lode_arena *arena)
{
	const struct lode_timeline_part part = lode_timeline_part_of(answer);
	const struct lode_call_trace *trace = answer->job.trace;
	const struct lode_outliers *outliers = &answer->job.outliers;
	const struct lode_outlier *most = most_unusual(outliers);
	uint64_t n_calls = calls_asked_about(answer);
	char n[LODE_UNITS_BUFFER], calls[LODE_UNITS_BUFFER], length[LODE_UNITS_BUFFER];
	char such[LODE_UNITS_BUFFER];
	size_t n_such = 0;

	for (size_t i = 0; most && i < outliers->at.n; i++)
		n_such += outliers->at.at[i].function == most->function;
	lode_format_count(calls, n_calls);
	lode_format_cost(length, part.t1_ns - part.t0_ns, "ns");
	if (!most)
		return (struct lode_opening){
			.finding =
				lode_finding_text(arena, "No unusual calls among %s in %s: %s.",
						  calls, length, why_none(outliers->at.n, arena)),
			.next_command = lode_next_page(arena, asked),
		};
	return (struct lode_opening){
		.finding = lode_finding_text(
			arena, "%s: the most unusual of %s in %s. %s long, %s of this function.",
			call_words(answer, most, arena), lode_format_plural(such, n_calls, "call"),
			length,
			outliers->at.n == 1
				? "1 call is"
				: lode_finding_text(arena, "%s calls are",
						    lode_format_count(n, outliers->at.n)),
			lode_format_count(calls, n_such)),
		.next_command = next_at(answer, asked, trace->threads.at[most->thread],
					most->start_ns, arena),
	};
}

/* Of the window and thread where they were given: medians are of the whole trace. */
static const char *function_words(const struct lode_timeline_answer *answer,
				  struct lode_arena *arena)
{
	const struct lode_timeline_function *f = answer->function;
	const struct lode_call_spread *s = &answer->job.trace->spreads.at[f->function];
	bool is_whole = lode_timeline_is_whole(answer);
	uint64_t n_calls = f->row ? f->row->n_calls : 0, total_ns = f->row ? f->row->total_ns : 0;
	int64_t longest_ns = 0;
	char n[LODE_UNITS_BUFFER], total[LODE_UNITS_BUFFER], median[LODE_UNITS_BUFFER];
	char p99[LODE_UNITS_BUFFER], most[LODE_UNITS_BUFFER];

	for (size_t i = 0; i < f->uses.n; i++)
		if (f->uses.at[i].use.longest.duration_ns > longest_ns)
			longest_ns = f->uses.at[i].use.longest.duration_ns;
	return lode_finding_text(arena, "%s: %s, %s in all, longest %s; median%s %s, p99 %s.",
				 function_text(answer, f->function, arena),
				 lode_format_plural(n, n_calls, "call"),
				 lode_format_cost(total, (int64_t)total_ns, "ns"),
				 lode_format_cost(most, longest_ns, "ns"),
				 is_whole ? "" : " of the whole trace",
				 lode_format_cost(median, s->median_ns, "ns"),
				 lode_format_cost(p99, s->p99_ns, "ns"));
}

static struct lode_opening open_function(const struct lode_timeline_answer *answer,
					 const struct lode_asked *asked, struct lode_arena *arena)
{
	const struct lode_timeline_function *f = answer->function;
	const struct lode_outlier *longest =
		f->long_calls.n ? &answer->job.outliers.at.at[f->long_calls.at[0]] : NULL;

	return (struct lode_opening){
		.finding = function_words(answer, arena),
		.next_command = longest ? next_at(answer, asked,
						  answer->job.trace->threads.at[longest->thread],
						  longest->start_ns, arena)
					: NULL,
	};
}

static struct lode_opening open_profile(const struct lode_timeline_answer *answer,
					const struct lode_asked *asked, struct lode_arena *arena)
{
	const struct lode_profile *profile = answer->profile;
	const struct lode_profile_row *most = profile->rows.at;
	char self[LODE_UNITS_BUFFER], share[LODE_UNITS_BUFFER], all[LODE_UNITS_BUFFER];
	char n[LODE_UNITS_BUFFER], total[LODE_UNITS_BUFFER];
	const char *name;

	if (!profile->rows.n)
		return (struct lode_opening){
			.finding = lode_finding_text(arena, "No function was called then.")};
	name = function_text(answer, most->function, arena);
	return (struct lode_opening){
		.finding = lode_finding_text(
			arena, "%s has the most self time: %s, %s of %s. %s, %s with callees.",
			name, lode_format_cost(self, (int64_t)most->self_ns, "ns"),
			lode_format_share(share, (int64_t)most->self_ns, (int64_t)profile->self_ns),
			lode_format_cost(all, (int64_t)profile->self_ns, "ns"),
			lode_format_plural(n, most->n_calls, "call"),
			lode_format_cost(total, (int64_t)most->total_ns, "ns")),
		.next_command =
			lode_next_again(arena, asked, "--function %s", lode_next_word(arena, name)),
	};
}

/* Whether single calls take longer, as far as that was tested. */
static const char *longer_words(const struct lode_timeline_versus *versus, size_t i,
				struct lode_arena *arena)
{
	const struct lode_profile_change *change = &versus->diff.rows.at[i];
	double share = change->longer * 100;
	char pct[LODE_UNITS_BUFFER], q[LODE_UNITS_BUFFER];

	if (isnan(change->longer))
		return "";
	if (versus->log_q[i] > log(0.05))
		return "; single calls do not differ significantly in length";
	return lode_finding_text(arena, "; of pairs of a call of each, A's is %s in %s (q %s)",
				 share > 50 ? "longer" : "shorter",
				 lode_format_pct(pct, share > 50 ? share : 100 - share),
				 lode_format_log_p_is(q, versus->log_q[i] / M_LN10));
}

static struct lode_opening open_versus(const struct lode_timeline_answer *answer,
				       struct lode_arena *arena)
{
	const struct lode_timeline_versus *versus = answer->versus;
	const struct lode_profile_change *most = versus->diff.rows.at;
	const struct lode_profile_row none = {0}, *here, *there;
	char difference[LODE_UNITS_BUFFER], a[LODE_UNITS_BUFFER], b[LODE_UNITS_BUFFER];
	char n[LODE_UNITS_BUFFER], m[LODE_UNITS_BUFFER], name[1024];
	int64_t ns = versus->diff.rows.n ? most->self_ns : 0;

	if (!ns)
		return (struct lode_opening){
			.finding = "Both traces spend the same self time in each function."};
	here = most->here ? most->here : &none;
	there = most->there ? most->there : &none;
	return (struct lode_opening){
		.finding = lode_finding_text(
			arena,
			"%s differs most: %s %s self time in A (%s) than in B (%s), %s against "
			"%s%s.",
			lode_frame_label(most->here ? &answer->job.trace->functions
						    : &versus->job.trace->functions,
					 (most->here ? here : there)->function, name, sizeof(name)),
			lode_format_cost(difference, ns < 0 ? -ns : ns, "ns"),
			ns < 0 ? "less" : "more", lode_format_cost(a, (int64_t)here->self_ns, "ns"),
			lode_format_cost(b, (int64_t)there->self_ns, "ns"),
			lode_format_plural(n, here->n_calls, "call"),
			lode_format_count(m, there->n_calls), longer_words(versus, 0, arena)),
	};
}

/* "in shelf_lock", "idle" */
static const char *condition_text(const struct lode_timeline_answer *answer, uint32_t function,
				  struct lode_arena *arena)
{
	return function == LODE_NONE
		       ? "idle"
		       : lode_finding_text(arena, "in %s", function_text(answer, function, arena));
}

static const char *percent_text(int64_t part_ns, int64_t whole_ns, struct lode_arena *arena)
{
	char share[LODE_UNITS_BUFFER];

	return lode_finding_text(arena, "%s", lode_format_share(share, part_ns, whole_ns));
}

/* The largest difference that shifts seldom give; of none, that there is none. */
static struct lode_opening open_during(const struct lode_timeline_answer *answer,
				       struct lode_arena *arena)
{
	const struct lode_timeline_during *d = answer->during;
	const struct lode_call_trace *trace = answer->job.trace;
	const struct lode_during_row *most = NULL;
	const char *who = thread_text(answer, trace->threads.at[d->condition.thread], arena);
	const char *is = condition_text(answer, d->condition.function, arena);

	for (size_t i = 0; i < d->n_rows && !most; i++)
		if (d->is.rows.at[d->rows[i]].p <= 0.05)
			most = &d->is.rows.at[d->rows[i]];
	if (!d->is.inside_ns || !d->is.outside_ns)
		return (struct lode_opening){
			.finding = lode_finding_text(arena, "Thread %s is %s %s.", who,
						     d->is.inside_ns ? "always" : "never", is)};
	if (!most)
		return (struct lode_opening){
			.finding = lode_finding_text(
				arena,
				"While thread %s is %s (%s of the time), what the others do does "
				"not differ significantly from the rest of the time.",
				who, is,
				percent_text(d->is.inside_ns, d->is.t1_ns - d->is.t0_ns, arena))};
	return (struct lode_opening){
		.finding = lode_finding_text(
			arena,
			"While thread %s is %s (%s of the time), thread %s is %s for %s of it, "
			"otherwise %s.",
			who, is, percent_text(d->is.inside_ns, d->is.t1_ns - d->is.t0_ns, arena),
			thread_text(answer, trace->threads.at[most->thread], arena),
			condition_text(answer, most->function, arena),
			percent_text(most->inside_ns, d->is.inside_ns, arena),
			percent_text(most->outside_ns, d->is.outside_ns, arena)),
	};
}

static struct lode_opening open_moment(const struct lode_timeline_answer *answer,
				       const struct lode_asked *asked, struct lode_arena *arena)
{
	const struct lode_moment *moment = answer->moment;
	const struct lode_call_thread *thread = answer->job.trace->threads.at[moment->thread];
	const struct lode_call *call = moment->open.n ? &moment->open.at[moment->open.n - 1] : NULL;
	char took[LODE_UNITS_BUFFER];
	const char *what = "calls nothing";

	if (call)
		what = lode_finding_text(
			arena, "is in %s since %s, for %s in all",
			function_text(answer, lode_call_function(thread, call->stack), arena),
			offset_text(answer, call->start_ns, arena),
			lode_format_cost(took, call->duration_ns, "ns"));
	return (struct lode_opening){
		.finding = lode_finding_text(arena, "Thread %s at %s %s.",
					     thread_text(answer, thread, arena),
					     offset_text(answer, moment->t_ns, arena), what),
		.next_command =
			call ? lode_next_again(
				       arena, asked, "--function %s",
				       lode_next_word(arena,
						      function_text(answer,
								    lode_call_function(thread,
										       call->stack),
								    arena)))
			     : NULL,
	};
}

struct lode_opening lode_timeline_opening(const struct lode_timeline_answer *answer,
					  const struct lode_asked *asked, struct lode_arena *arena)
{
	return answer->moment	  ? open_moment(answer, asked, arena)
	       : answer->function ? open_function(answer, asked, arena)
	       : answer->during	  ? open_during(answer, arena)
	       : answer->versus	  ? open_versus(answer, arena)
	       : answer->profile  ? open_profile(answer, asked, arena)
				  : open_trace(answer, asked, arena);
}

/* ---- In a few lines ---- */

static bool is_inside(const struct lode_outlier *a, const struct lode_outlier *b)
{
	return a->thread == b->thread && a->start_ns >= b->start_ns &&
	       a->start_ns + a->duration_ns <= b->start_ns + b->duration_ns;
}

/* Is its function reported already, or one that it called or that called it? They share their time.
 */
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
	const char *such = "";
	struct lode_finding *finding;
	size_t n_such = 0;

	for (size_t k = 0; k < outliers->at.n; k++)
		n_such += outliers->at.at[k].function == o->function;
	if (n_such > 1)
		such = lode_finding_text(arena, "; %zu such calls", n_such);
	finding = lode_findings_add(
		out,
		lode_finding_text(arena, "%s took %s in thread %s, usually %s%s",
				  lode_frame_full_name(&trace->functions, o->function, function,
						       sizeof(function)),
				  lode_format_cost(took, o->duration_ns, "ns"),
				  thread_text(answer, thread, arena),
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

	lode_findings_open(out, &answer->opening, arena);
	out->weight = trace->last_ns - trace->first_ns;
	/* In the report's order. */
	for (size_t i = 0; i < n && lode_findings_have_room(out); i++) {
		if (all[i].duration_ns <
			    STANDS_OUT * trace->spreads.at[all[i].function].median_ns ||
		    is_told(all, i, told, out->n_details))
			continue;
		told[out->n_details] = i;
		add_outlier(out, answer, &all[i], arena);
	}
}
