/* The answer of lode suspects: recordings are read, executions labelled, functions ranked. */
#include <math.h>

#include "answers/suspects/rows.h"
#include "base/memory_limit.h"
#include "document/units.h"
#include "answers/input_fields.h"

struct lode_suspects_state {
	struct lode_suspects_answer answer;
	struct lode_execution_set *set;
	struct lode_suspects *suspects;
	struct lode_explanation explanation; /* whose histograms texts draw */
	struct lode_arena arena;
};

static const char *const correction_names[] = {
	[LODE_CORRECTION_HOLM] = "Holm",
	[LODE_CORRECTION_BH] = "Benjamini-Hochberg",
	[LODE_CORRECTION_NONE] = "uncorrected",
};

/* ---- Recordings ---- */

/* Records of executions that stay in memory: beyond, they go to a temporary file. */
static size_t record_memory(size_t memory_bytes)
{
	const size_t most = (size_t)256 << 20;
	size_t share = lode_memory_budget(memory_bytes) / 4;

	return share < most ? share : most;
}

static const char *nothing_words(const struct lode_suspects_request *request, enum lode_side side)
{
	if (side == LODE_SIDE_OTHER)
		return request->is_versus ? "what --versus names" : "what --baseline names";
	return request->n_inputs[side] == 1 ? "the input" : "the inputs";
}

static int read_side(struct lode_suspects_state *s, const struct lode_suspects_request *request,
		     enum lode_side side, struct lode_error *err)
{
	struct lode_suspects_side *out = &s->answer.sides[side];
	size_t n_streams = s->set->streams.n;
	uint64_t n = s->set->n;
	int rc = lode_suspects_job_run(&out->job, s->set, request->inputs[side],
				       request->n_inputs[side], &request->reading, err);

	out->n_streams = s->set->streams.n - n_streams;
	if (rc == 0 && s->set->n == n) {
		s->answer.nothing_in = out;
		s->answer.nothing_in_words = nothing_words(request, side);
	}
	return rc;
}

static int read_sides(struct lode_suspects_state *s, const struct lode_suspects_request *request,
		      struct lode_error *err)
{
	int rc = read_side(s, request, LODE_SIDE_SUBJECT, err);

	if (rc < 0 || s->answer.nothing_in || !request->n_inputs[LODE_SIDE_OTHER])
		return rc;
	s->answer.other = &s->answer.sides[LODE_SIDE_OTHER];
	return read_side(s, request, LODE_SIDE_OTHER, err);
}

static const struct lode_skipped_input *
joined_inputs(struct lode_arena *arena, size_t *n, const struct lode_skipped_input *a, size_t n_a,
	      const struct lode_skipped_input *b, size_t n_b)
{
	struct lode_skipped_input *all =
		lode_arena_array(arena, struct lode_skipped_input, n_a + n_b + 1);

	if (n_a)
		memcpy(all, a, n_a * sizeof(*a));
	if (n_b)
		memcpy(all + n_a, b, n_b * sizeof(*b));
	*n = n_a + n_b;
	return all;
}

/* What was read, of both sides together. */
static void sum_sides(struct lode_suspects_state *s)
{
	struct lode_suspects_answer *answer = &s->answer;
	const struct lode_suspects_job *a = &answer->sides[LODE_SIDE_SUBJECT].job;
	const struct lode_suspects_job *b = &answer->sides[LODE_SIDE_OTHER].job;
	struct lode_metric_note *notes =
		lode_arena_array(&s->arena, struct lode_metric_note, a->notes.n + b->notes.n + 1);

	answer->n_events = a->n_events + b->n_events;
	answer->n_lost = a->n_lost + b->n_lost;
	answer->n_inputs = a->n_inputs + b->n_inputs;
	answer->skipped = joined_inputs(&s->arena, &answer->n_skipped, a->skipped.at, a->skipped.n,
					b->skipped.at, b->skipped.n);
	answer->incomplete = joined_inputs(&s->arena, &answer->n_incomplete, a->incomplete.at,
					   a->incomplete.n, b->incomplete.at, b->incomplete.n);
	for (size_t i = 0; i < a->notes.n; i++)
		notes[answer->n_notes++] = a->notes.at[i];
	for (size_t i = 0; i < b->notes.n; i++)
		notes[answer->n_notes++] = b->notes.at[i];
	for (size_t i = 0; i < answer->n_notes; i++)
		if (!notes[i].path)
			notes[i].path = "";
	answer->notes = notes;
}

/* ---- Statistics ---- */

/* `other`: labels by the other bounds, which separate less; NULL: these alone were asked for. */
static const char *threshold_words(const struct lode_suspects_request *request, bool is_robust,
				   const struct lode_suspects *other, struct lode_arena *arena)
{
	static const char *const bounds[] = {"mean + 2σ", "median + 2 · 1.4826 MAD"};
	char words[300], less[120] = "", calls[LODE_UNITS_BUFFER];

	if (request->is_versus)
		return "none: sets are compared";
	if (other)
		snprintf(less, sizeof(less), " (by %s, which separates callers less: %s)",
			 bounds[!is_robust],
			 lode_format_plural(calls, other->all.failed, "slow call"));
	snprintf(words, sizeof(words), "longer than %s of the metric in %s%s%s", bounds[is_robust],
		 request->n_inputs[LODE_SIDE_OTHER] ? "the baseline" : "this run",
		 request->by_hand ? ", or than --thresholds" : "", less);
	return lode_arena_strdup(arena, words);
}

/* How well labels separate: what the callers that are significantly slow cost most. */
static double separation_of(const struct lode_suspects *s)
{
	struct lode_suspects_choice choice;
	struct lode_suspects_answer answer = {.suspects = (struct lode_suspects *)s};
	struct lode_suspects_contrast c = {0};

	lode_suspects_choose(&choice, s, NULL);
	if (choice.n)
		lode_suspects_contrast_at(&c, &answer, choice.at[0]);
	return c.lost;
}

static struct lode_suspects_options options_of(const struct lode_suspects_state *s,
					       const struct lode_suspects_request *request)
{
	bool has_other = s->answer.other != NULL;

	return (struct lode_suspects_options){
		.tally = {.n_subject_streams =
				  has_other ? (uint32_t)s->answer.sides[LODE_SIDE_SUBJECT].n_streams
					    : UINT32_MAX,
			  .pooled = request->pooled,
			  .source = has_other && !request->is_versus ? LODE_THRESHOLDS_OTHER
								     : LODE_THRESHOLDS_SUBJECT,
			  .robust = request->robust,
			  .by_hand = request->by_hand},
		.kind = request->is_versus ? LODE_EVIDENCE_SIDES : LODE_EVIDENCE_LABELS,
		.order = request->order,
		.correction = request->correction,
	};
}

/*
 * A few very long calls make σ so large that nothing is slow any more. Where a metric has such, the
 * robust bounds are tried, too; those count by which the callers cost more.
 */
static int try_robust(struct lode_suspects_state *s, const struct lode_suspects_request *request,
		      struct lode_error *err)
{
	struct lode_suspects_options options = options_of(s, request);
	struct lode_suspects *robust, *plain = s->suspects;
	int rc;

	if (options.kind != LODE_EVIDENCE_LABELS || s->answer.other || request->robust ||
	    request->by_hand || !lode_suspects_long_tail(plain))
		return 0;
	options.tally.robust = true;
	rc = lode_suspects(&robust, s->set, &options, err);
	if (rc < 0)
		return rc;
	if (separation_of(robust) <= separation_of(plain)) {
		lode_suspects_free(robust);
		return 0;
	}
	s->answer.thresholds = threshold_words(request, true, plain, &s->arena);
	s->suspects = robust;
	lode_suspects_free(plain);
	return 0;
}

static int rank_functions(struct lode_suspects_state *s,
			  const struct lode_suspects_request *request, struct lode_error *err)
{
	const struct lode_suspects_options options = options_of(s, request);
	int rc;

	s->answer.is_versus = request->is_versus;
	s->answer.thresholds = threshold_words(request, request->robust, NULL, &s->arena);
	s->answer.is_pooled = request->pooled;
	s->answer.order = lode_suspect_order_name(request->order);
	s->answer.correction = correction_names[request->correction];
	rc = lode_suspects(&s->suspects, s->set, &options, err);
	return rc < 0 ? rc : try_robust(s, request, err);
}

/* ---- Stacks of two sets ---- */

static const char *const stack_kinds[] = {"no stacks", "call chains", "stack dumps"};

/* Where stacks of the two sets differ in kind, so do the functions in them. */
static const char *stack_note(struct lode_suspects_state *s)
{
	const struct lode_suspects_job *a = &s->answer.sides[LODE_SIDE_SUBJECT].job;
	const struct lode_suspects_job *b = &s->answer.sides[LODE_SIDE_OTHER].job;
	const char *first = NULL;
	size_t n = 0;
	char text[400];

	for (size_t i = 0; i < s->suspects->tally.metrics.n; i++) {
		const struct lode_tally_metric *m = &s->suspects->tally.metrics.at[i];

		first = !n && m->is_one_sided ? m->name : first;
		n += m->is_one_sided;
	}
	if (!s->answer.is_versus || (!n && a->stacks == b->stacks))
		return NULL;
	if (n)
		snprintf(text, sizeof(text),
			 "stacks of %s%s are in one set of recordings only: its functions are not "
			 "compared; record both in the same way",
			 first, n > 1 ? " and other metrics" : "");
	else
		snprintf(text, sizeof(text),
			 "A was recorded with %s, B with %s: functions that only one of them shows "
			 "differ by recording, not by program; record both in the same way",
			 stack_kinds[a->stacks], stack_kinds[b->stacks]);
	return lode_arena_strdup(&s->arena, text);
}

static void add_stack_note(struct lode_suspects_state *s)
{
	struct lode_suspects_answer *answer = &s->answer;
	struct lode_metric_note *notes =
		lode_arena_array(&s->arena, struct lode_metric_note, answer->n_notes + 1);

	answer->stack_note = stack_note(s);
	if (!answer->stack_note)
		return;
	notes[0] = (struct lode_metric_note){"", answer->stack_note};
	if (answer->n_notes)
		memcpy(notes + 1, answer->notes, answer->n_notes * sizeof(*notes));
	answer->notes = notes;
	answer->n_notes++;
}

static void describe_sides(struct lode_suspects_state *s)
{
	const struct lode_suspects *suspects = s->suspects;
	struct lode_suspects_side *sides = s->answer.sides;

	sides[LODE_SIDE_SUBJECT].streams = s->set->streams.at;
	sides[LODE_SIDE_OTHER].streams = s->set->streams.at + sides[LODE_SIDE_SUBJECT].n_streams;
	for (unsigned side = 0; side < LODE_N_SIDES; side++)
		sides[side].n_executions = suspects->n[side];
	s->answer.all = suspects->all;
	s->answer.extra_ns = llround(suspects->extra_ns);
	s->answer.n_functions = suspects->functions.n;
	s->answer.n_groups = suspects->n_groups;
	s->answer.n_contrast_tests = suspects->n_contrast_tests;
	s->answer.n_between = sides[LODE_SIDE_SUBJECT].n_executions - suspects->all.failed -
			      suspects->all.succeeded;
}

/* ---- How much of it is shown ---- */

enum { MOST_SURE = 25 };

static size_t functions_shown(const struct lode_suspects_request *request, size_t cut, size_t n)
{
	size_t most = request->length == LODE_SUSPECTS_SURE    ? n
		      : request->length == LODE_SUSPECTS_FIRST ? request->top
		      : request->length == LODE_SUSPECTS_CUT   ? cut
		      : cut < 10			       ? 10
		      : cut > 25			       ? 25
							       : cut;

	return lode_listed(most, n);
}

static void list_functions(struct lode_suspects_state *s,
			   const struct lode_suspects_request *request)
{
	struct lode_suspects_answer *answer = &s->answer;
	size_t n = s->suspects->functions.n, end, behind = 0;

	answer->cut = (size_t)ceil(request->cut_share * (double)n - 1e-9);
	end = functions_shown(request, answer->cut, n);
	answer->listed = lode_arena_array(&s->arena, const struct lode_suspect *, end + 1);
	answer->are_sure = request->length == LODE_SUSPECTS_SURE;
	for (size_t i = 0; i < end; i++) {
		const struct lode_suspect *suspect = &s->suspects->ranked[i];

		if (suspect->scores.increase < request->min_increase) /* not of NAN */
			continue;
		if (answer->are_sure && (answer->n_listed == MOST_SURE ||
					 !lode_suspects_is_significant(answer, suspect)))
			continue;
		answer->listed[answer->n_listed++] = suspect;
		behind = i + 1;
	}
	answer->n_more = n - answer->n_listed;
	answer->n_ranked_more = n - behind;
}

/* ---- Functions in full ---- */

/* Pages show so many of the first functions, and of the first contrasts both ends. */
enum { FIRST_FUNCTIONS = 60, FIRST_CONTRASTS = 10 };

/* Marks the suspect that is this frame, by its place in the ranking. */
static void want_frame(bool *is_wanted, const struct lode_suspects *s, uint32_t frame)
{
	for (size_t i = 0; i < s->functions.n; i++)
		if (s->ranked[i].function->frame == frame)
			is_wanted[i] = true;
}

static bool *wanted_functions(const struct lode_suspects *s)
{
	bool *is_wanted = lode_alloc0(s->functions.n + 1, sizeof(*is_wanted));

	for (size_t i = 0; i < s->functions.n && i < FIRST_FUNCTIONS; i++)
		is_wanted[i] = true;
	for (size_t i = 0; i < s->contrasts.n && i < FIRST_CONTRASTS; i++) {
		want_frame(is_wanted, s, s->contrasts.at[i].leaf);
		if (s->contrasts.at[i].n_callers)
			want_frame(is_wanted, s, s->contrasts.at[i].callers[0]);
	}
	return is_wanted;
}

static int explain_first(struct lode_suspects_state *s, const struct lode_suspects_request *request,
			 struct lode_error *err)
{
	size_t n = s->suspects->functions.n, n_wanted = 0;
	bool *is_wanted = wanted_functions(s->suspects);
	struct lode_explanation explanation;
	int rc = 0;

	for (size_t i = 0; i < n; i++)
		n_wanted += is_wanted[i];
	if (n_wanted)
		s->answer.details =
			lode_arena_array(&s->arena, struct lode_suspects_explained, n_wanted);
	for (size_t i = 0; i < n && rc == 0; i++) {
		if (!is_wanted[i])
			continue;
		rc = lode_explain(&explanation, s->suspects, &s->suspects->ranked[i], err);
		if (rc < 0)
			break;
		lode_suspects_explained_fill(&s->answer.details[s->answer.n_details++], s->suspects,
					     &explanation, false, request->list_top, &s->arena);
		lode_explanation_release(&explanation);
	}
	free(is_wanted);
	return rc;
}

static int explain_one(struct lode_suspects_state *s, const struct lode_suspects_request *request,
		       struct lode_error *err)
{
	const struct lode_suspect *suspect =
		lode_suspects_find(s->suspects, request->explain, &s->answer.n_found);
	struct lode_suspects_explained *out;
	int rc;

	if (!suspect)
		return 0;
	rc = lode_explain(&s->explanation, s->suspects, suspect, err);
	if (rc < 0)
		return rc;
	out = lode_arena_array(&s->arena, struct lode_suspects_explained, 1);
	lode_suspects_explained_fill(out, s->suspects, &s->explanation, true, request->list_top,
				     &s->arena);
	s->answer.explained = out;
	return 0;
}

/* ---- The whole ---- */

int lode_suspects_run(struct lode_suspects_answer **out,
		      const struct lode_suspects_request *request, struct lode_error *err)
{
	struct lode_suspects_state *s = lode_alloc0(1, sizeof(*s));
	int rc;

	s->answer.state = s;
	*out = &s->answer;
	s->set = lode_execution_set_new(record_memory(request->reading.memory_bytes));
	rc = read_sides(s, request, err);
	sum_sides(s);
	if (rc < 0 || s->answer.nothing_in)
		return rc;
	rc = rank_functions(s, request, err);
	if (rc < 0)
		return rc;
	s->answer.suspects = s->suspects;
	add_stack_note(s);
	describe_sides(s);
	lode_suspects_metrics_fill(&s->answer, request->list_top, &s->arena);
	list_functions(s, request);
	s->answer.n_contrasts_listed = lode_listed(request->list_top, s->suspects->contrasts.n);
	s->answer.n_contrasts_more = s->suspects->contrasts.n - s->answer.n_contrasts_listed;
	lode_suspects_choose(&s->answer.contrasts, s->suspects, NULL);
	if (request->explain)
		rc = explain_one(s, request, err);
	if (rc == 0 && request->wants_details)
		rc = explain_first(s, request, err);
	if (rc == 0)
		s->answer.opening = lode_suspects_opening(&s->answer, request, &s->arena);
	return rc;
}

struct lode_names lode_suspects_names(const void *of)
{
	const struct lode_suspects_answer *answer = of;

	return lode_tree_names(&answer->state->set->tree);
}

void lode_suspects_answer_free(struct lode_suspects_answer *answer)
{
	struct lode_suspects_state *s = answer ? answer->state : NULL;

	if (!s)
		return;
	lode_explanation_release(&s->explanation);
	lode_suspects_free(s->suspects);
	lode_execution_set_free(s->set);
	for (unsigned side = 0; side < LODE_N_SIDES; side++)
		lode_suspects_job_release(&s->answer.sides[side].job);
	lode_arena_release(&s->arena);
	free(s);
}
