/* lode suspects in a few lines: the callers that make a metric slow. */
#include <math.h>

#include "answers/suspects/text_parts.h"
#include "document/findings.h"
#include "document/units.h"

/* What is rarer than this by accident is said; the page has the rest, too. */
static const double significant = 0.05;

static const char *name_of_frame(const struct lode_names *names, uint32_t frame,
				 struct lode_arena *arena)
{
	char name[1024];

	return lode_finding_text(arena, "%s",
				 names->frame(names->context, frame, name, sizeof(name)));
}

/* "module!function", what pages call a function; its label alone without a module. */
static const char *path_of_frame(const struct lode_names *names, uint32_t frame,
				 struct lode_arena *arena)
{
	const char *module = names->module(names->context, frame);
	char label[1024];

	names->label(names->context, frame, label, sizeof(label));
	return *module ? lode_finding_text(arena, "%s!%s", module, label)
		       : lode_finding_text(arena, "%s", label);
}

/* The significant contrast of a metric that costs most; false: there is none. */
static bool find_contrast(struct lode_suspects_contrast *best,
			  const struct lode_suspects_answer *answer, const char *metric)
{
	bool is_found = false;

	for (size_t i = 0; i < answer->n_contrasts_listed; i++) {
		struct lode_suspects_contrast c = {0};

		lode_suspects_contrast_at(&c, answer, i);
		if (!c.metric || strcmp(c.metric, metric) != 0 || c.chance.q >= significant ||
		    c.lost <= 0)
			continue;
		if (!is_found || c.lost > best->lost)
			*best = c;
		is_found = true;
	}
	return is_found;
}

/* ---- In a sentence ---- */

static const char *label_of(const struct lode_names *names, uint32_t frame,
			    struct lode_arena *arena)
{
	char label[1024];

	return lode_finding_text(arena, "%s",
				 names->label(names->context, frame, label, sizeof(label)));
}

/* The first one that is shown, if it is of times; false: there is none. */
static bool find_costliest_contrast(struct lode_suspects_contrast *best,
				    const struct lode_suspects_answer *answer)
{
	if (!answer->contrasts.n)
		return false;
	lode_suspects_contrast_at(best, answer, answer->contrasts.at[0]);
	return best->lost > 0 && strcmp(best->unit, "ns") == 0 && best->n_callers;
}

/* Of a system call the function says which. */
static const char *metric_note(const struct lode_suspects_contrast *c, struct lode_arena *arena)
{
	return c->metric && strncmp(c->metric, "syscall:", 8) != 0
		       ? lode_finding_text(arena, " (%s)", c->metric)
		       : "";
}

static const char *contrast_words(const struct lode_suspects_contrast *c,
				  const struct lode_names *names, struct lode_arena *arena)
{
	char slow[LODE_UNITS_BUFFER], calls[LODE_UNITS_BUFFER], lost[LODE_UNITS_BUFFER];
	char other_slow[LODE_UNITS_BUFFER], others[LODE_UNITS_BUFFER];
	char mean[LODE_UNITS_BUFFER], other_mean[LODE_UNITS_BUFFER];

	return lode_finding_text(
		arena,
		"%s%s is slow in %s of its %s calls from %s (mean %s), in %s of its "
		"%s other calls (mean %s): %s longer in total.",
		label_of(names, c->leaf, arena), metric_note(c, arena),
		lode_format_count(slow, c->with.n_failed), lode_format_count(calls, c->with.n),
		label_of(names, c->callers[c->n_callers - 1], arena),
		lode_format_cost(mean, c->with.mean, "ns"),
		lode_format_count(other_slow, c->without.n_failed),
		lode_format_count(others, c->without.n),
		lode_format_cost(other_mean, c->without.mean, "ns"),
		lode_format_cost(lost, llround(c->lost), "ns"));
}

/* The first significant function of the ranking; NULL: there is none. */
static const struct lode_suspect *first_significant(const struct lode_suspects_answer *answer)
{
	const struct lode_suspects *s = answer->suspects;

	for (size_t i = 0; i < s->functions.n; i++)
		if (lode_suspects_is_significant(answer, &s->ranked[i]))
			return &s->ranked[i];
	return NULL;
}

/* "1.05 s of 1.08 s (97.6 %)", "1.05 s" where others take less; "" where there is none. */
static const char *extra_words(const struct lode_suspects_answer *answer,
			       const struct lode_suspect *f, struct lode_arena *arena)
{
	double all = answer->suspects->extra_ns;
	char part[LODE_UNITS_BUFFER], whole[LODE_UNITS_BUFFER], share[LODE_UNITS_BUFFER];

	if (f->extra_ns < 0.5)
		return "";
	lode_format_cost(part, llround(f->extra_ns), "ns");
	if (all < f->extra_ns)
		return lode_finding_text(arena, "%s", part);
	return lode_finding_text(arena, "%s of %s (%s)", part,
				 lode_format_cost(whole, llround(all), "ns"),
				 lode_format_share(share, llround(f->extra_ns), llround(all)));
}

static const char *function_words(const struct lode_suspects_answer *answer,
				  const struct lode_suspect *f, const struct lode_names *names,
				  struct lode_arena *arena)
{
	const struct lode_evidence *e = &f->function->evidence;
	uint64_t n = f->function->n[LODE_SIDE_SUBJECT];
	uint64_t others = answer->sides[LODE_SIDE_SUBJECT].n_executions - n;
	char slow[LODE_UNITS_BUFFER], calls[LODE_UNITS_BUFFER], q[LODE_UNITS_BUFFER];
	char other_slow[LODE_UNITS_BUFFER], other_calls[LODE_UNITS_BUFFER];
	const char *extra = extra_words(answer, f, arena);

	return lode_finding_text(arena,
				 "%s is slow in %s of its %s calls, others in %s of %s%s%s; q %s.",
				 label_of(names, f->function->frame, arena),
				 lode_format_count(slow, e->o_failed), lode_format_count(calls, n),
				 lode_format_count(other_slow, answer->all.failed - e->o_failed),
				 lode_format_count(other_calls, others),
				 *extra ? ": slow time " : "", extra,
				 lode_format_log_p_is(q, f->log_q / log(10)));
}

static const char *slow_calls_of(const struct lode_suspects_metric *m, struct lode_arena *arena)
{
	char n[LODE_UNITS_BUFFER], all[LODE_UNITS_BUFFER], cost[LODE_UNITS_BUFFER];
	char bound[LODE_UNITS_BUFFER];

	return lode_finding_text(arena, "%s: %s of %s took longer than %s, %s in all", m->of.name,
				 lode_format_count(n,
						   m->of.n[LODE_SIDE_SUBJECT][LODE_LABEL_FAILED]),
				 lode_format_count(all, m->values.n),
				 lode_format_cost(bound, m->of.thresholds.failed, m->of.unit),
				 lode_format_cost(cost, m->failed_total, m->of.unit));
}

/* The slowest metric, where nothing goes with what is slow in it. */
static const char *metric_words(const struct lode_suspects_answer *answer, struct lode_arena *arena)
{
	const struct lode_suspects_metric *m = answer->n_metrics ? &answer->metrics[0] : NULL;
	uint64_t failed = m ? m->of.n[LODE_SIDE_SUBJECT][LODE_LABEL_FAILED] : 0;
	char all[LODE_UNITS_BUFFER];

	if (!answer->all.failed || !m || !failed)
		return lode_finding_text(
			arena, "None of %s calls is slow.",
			lode_format_count(all, answer->sides[LODE_SIDE_SUBJECT].n_executions));
	return lode_finding_text(
		arena,
		"No function or caller is significantly associated with slow calls (q < %g). The "
		"largest part of the slow time is in %s.",
		significant, slow_calls_of(m, arena));
}

/* ---- Two sets, in a sentence ---- */

static const char *count_words(struct lode_arena *arena, uint64_t n)
{
	char text[LODE_UNITS_BUFFER];

	return n ? lode_finding_text(arena, "%s", lode_format_count(text, n)) : "none";
}

static const char *time_words(struct lode_arena *arena, double ns)
{
	char text[LODE_UNITS_BUFFER];

	return lode_finding_text(arena, "%s", lode_format_cost(text, llround(ns), "ns"));
}

/* "12 calls of 1.09 s" in one recording. */
static const char *pace_words(const struct lode_suspects_answer *answer,
			      const struct lode_function *of, enum lode_side side,
			      struct lode_arena *arena)
{
	double n_streams = (double)answer->suspects->n_streams[side];
	uint64_t n = (uint64_t)((double)of->n[side] / n_streams + 0.5);
	char calls[LODE_UNITS_BUFFER];

	if (!of->n[side])
		return "none";
	return lode_finding_text(arena, "%s of %s", lode_format_plural(calls, n, "call"),
				 time_words(arena, (double)of->moments[side].sum / n_streams));
}

static const char *excess_words(const struct lode_suspects_answer *answer,
				const struct lode_suspect *f, const struct lode_names *names,
				struct lode_arena *arena)
{
	const char *extra = extra_words(answer, f, arena);
	char slow[LODE_UNITS_BUFFER], fast[LODE_UNITS_BUFFER], q[LODE_UNITS_BUFFER];

	return lode_finding_text(
		arena, "%s%s%s: %s in A (%s), %s in B (%s)%s; q %s.",
		label_of(names, f->function->frame, arena),
		*extra ? " takes longer in A by at least " : " makes more calls", extra,
		pace_words(answer, f->function, LODE_SIDE_SUBJECT, arena),
		lode_format_plural(slow, answer->sides[LODE_SIDE_SUBJECT].n_streams,
				   "slow recording"),
		pace_words(answer, f->function, LODE_SIDE_OTHER, arena),
		lode_format_plural(fast, answer->other->n_streams, "fast recording"),
		answer->sides[LODE_SIDE_SUBJECT].n_streams + answer->other->n_streams > 2
			? ", per recording"
			: "",
		lode_format_log_p_is(q, f->log_q / log(10)));
}

static const char *nothing_words(const struct lode_suspects_answer *answer,
				 struct lode_arena *arena)
{
	const struct lode_suspects_metric *m = answer->n_metrics ? answer->by_extra[0] : NULL;
	char a[LODE_UNITS_BUFFER], b[LODE_UNITS_BUFFER];
	const char *largest = "";

	if (m && strcmp(m->of.unit, "ns") == 0 && m->values.total > m->other->total)
		largest = lode_finding_text(
			arena,
			" The largest difference in time is %s: %s calls (%s) in A, %s (%s) in B.",
			m->of.name, count_words(arena, m->values.n),
			time_words(arena, (double)m->values.total), count_words(arena, m->other->n),
			time_words(arena, (double)m->other->total));
	return lode_finding_text(
		arena, "No function does significantly more in A (%s) than in B (%s) (q < %g).%s",
		lode_format_plural(a, answer->sides[LODE_SIDE_SUBJECT].n_streams, "slow recording"),
		lode_format_plural(b, answer->other->n_streams, "fast recording"), significant,
		largest);
}

/* ---- What is said first ---- */

struct lode_opening lode_suspects_opening(const struct lode_suspects_answer *answer,
					  const struct lode_suspects_request *request,
					  struct lode_arena *arena)
{
	const struct lode_names names = lode_suspects_names(answer);
	const struct lode_suspect *f = NULL;
	struct lode_suspects_contrast c;
	struct lode_opening opening = {0};
	uint32_t frame = LODE_NONE;

	if (answer->explained)
		f = &answer->explained->of;
	else if (answer->is_versus)
		f = first_significant(answer);
	if (answer->is_versus) {
		opening.finding =
			f ? excess_words(answer, f, &names, arena) : nothing_words(answer, arena);
	} else if (!f && find_costliest_contrast(&c, answer)) {
		opening.finding = contrast_words(&c, &names, arena);
		frame = c.callers[c.n_callers - 1];
	} else {
		f = f ? f : first_significant(answer);
		opening.finding =
			f ? function_words(answer, f, &names, arena) : metric_words(answer, arena);
	}
	if (f)
		frame = f->function->frame;
	/* Of one function in full, its stacks come next. */
	if (answer->explained || frame == LODE_NONE)
		opening.next_command = lode_next_page(arena, request->asked);
	else
		opening.next_command =
			lode_next_again(arena, request->asked, "--explain %s",
					lode_next_word(arena, path_of_frame(&names, frame, arena)));
	return opening;
}

/* ---- In a few lines ---- */

static void add_contrast(struct lode_findings *out, const struct lode_suspects_contrast *c,
			 const struct lode_names *names, struct lode_arena *arena)
{
	const char *caller =
		c->n_callers ? name_of_frame(names, c->callers[c->n_callers - 1], arena) : "";
	int64_t n = (int64_t)c->with.n, n_other = (int64_t)c->without.n;
	char pct[LODE_UNITS_BUFFER], else_pct[LODE_UNITS_BUFFER];

	lode_findings_add(
		out,
		lode_finding_text(arena, "%s: slow in %s of its calls from %s, else in %s",
				  c->metric, lode_format_share(pct, (int64_t)c->with.n_failed, n),
				  lode_finding_function(caller),
				  lode_format_share(else_pct, (int64_t)c->without.n_failed,
						    n_other)),
		*caller ? caller : path_of_frame(names, c->leaf, arena));
}

static void add_metric(struct lode_findings *out, const struct lode_suspects_metric *m,
		       struct lode_arena *arena)
{
	lode_findings_add(out, slow_calls_of(m, arena), NULL)->params[0] =
		(struct lode_finding_param){"metric", lode_finding_text(arena, "%s", m->of.name)};
}

/* Two sets of recordings: what the slow ones do more. */
static void add_excess(struct lode_findings *out, const struct lode_suspects_answer *answer,
		       const struct lode_names *names, struct lode_arena *arena)
{
	for (size_t i = 0; i < answer->n_listed && lode_findings_have_room(out); i++) {
		struct lode_suspects_function f = {0};
		char pct[LODE_UNITS_BUFFER], label[1024];

		lode_suspects_function_at(&f, answer, i);
		if (f.chance.q >= significant || !f.excess || f.excess->of.low <= 0)
			continue;
		lode_findings_add(
			out,
			lode_finding_text(arena, "%s: at least %s of it is not in fast recordings",
					  names->label(names->context, f.frame, label,
						       sizeof(label)),
					  lode_format_pct(pct, 100 * f.excess->of.low)),
			path_of_frame(names, f.frame, arena));
	}
}

/*
 * Metrics stand in the order of the time in what was slow of them: the caller that makes one slow
 * is its line, else how slow it was.
 */
void lode_suspects_findings(struct lode_findings *out, const void *of, struct lode_arena *arena)
{
	const struct lode_suspects_answer *answer = of;
	const struct lode_names names = lode_suspects_names(answer);

	lode_findings_open(out, &answer->opening, arena);
	for (size_t i = 0; i < answer->n_metrics_listed; i++)
		out->weight += answer->metrics[i].failed_total;
	if (answer->is_versus) {
		add_excess(out, answer, &names, arena);
		return;
	}
	for (int is_plain = 0; is_plain < 2; is_plain++) {
		for (size_t i = 0; i < answer->n_metrics_listed && lode_findings_have_room(out);
		     i++) {
			const struct lode_suspects_metric *m = &answer->metrics[i];
			struct lode_suspects_contrast c = {0};
			bool has_contrast = find_contrast(&c, answer, m->of.name);

			if (has_contrast && !is_plain)
				add_contrast(out, &c, &names, arena);
			else if (!has_contrast && is_plain &&
				 m->of.n[LODE_SIDE_SUBJECT][LODE_LABEL_FAILED] > 0)
				add_metric(out, m, arena);
		}
	}
}
