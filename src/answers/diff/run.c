/* From a request to an answer: two sets are read and compared, and what comes of it laid out. */
#include <math.h>

#include "answers/diff/diff.h"
#include "answers/diff/compare.h"
#include "answers/clusters/cluster_choice.h"
#include "engine/aliases/aliases.h"
#include "streams/shape.h"
#include "answers/input_fields.h"

struct lode_diff_state {
	struct lode_diff_answer answer; /* what the caller holds */
	struct lode_diff_sets sets;
	struct lode_diff_job job;
	struct lode_flame_functions functions;
	struct lode_diff_shown shown;
	struct lode_cluster_rows shown_rows;
	struct lode_cluster_row shown_row;
	struct lode_arena arena;
};

static const char *const set_keys[LODE_N_DIFF_SIDES] = {"a", "b"};

/* ---- Figures ---- */

static struct lode_diff_figures figures_of(const struct lode_diff_change *change)
{
	struct lode_diff_figures out = {
		.change_ns = llround(change->change),
		.low_ns = change->has_interval ? llround(change->low) : LODE_NO_INT,
		.high_ns = change->has_interval ? llround(change->high) : LODE_NO_INT,
		.ratio = change->ratio,
		.matters = change->matters,
		.p = change->p,
	};

	for (unsigned s = 0; s < LODE_N_DIFF_SIDES; s++)
		out.of[s] =
			(struct lode_diff_part){change->cost_ns[s], llround(change->per_symptom[s]),
						change->n_streams[s]};
	return out;
}

/* ---- What pages are drawn of ---- */

static int64_t *spread(struct lode_diff_state *s, const struct lode_flame *flame,
		       const struct lode_cluster_stack *stacks, size_t n_stacks)
{
	int64_t *own_ns = lode_arena_array(&s->arena, int64_t, flame->nodes.n + 1);

	lode_flame_spread(own_ns, flame, &s->sets.digest->tree, stacks, n_stacks);
	return own_ns;
}

static const struct lode_diff_detail *detail_of(struct lode_diff_state *s,
						const struct lode_cluster *cluster,
						const struct lode_side_stacks *stacks)
{
	struct lode_diff_detail *out = lode_arena_array(&s->arena, struct lode_diff_detail, 1);
	size_t from = stacks->start[cluster - s->job.mined->clusters];
	struct lode_flame flame = {0};

	lode_cluster_detail_build(&out->cluster, s->job.mined, cluster, &s->arena);
	lode_flame_build(&flame, &s->sets.digest->tree, stacks->both + from, cluster->n_stacks,
			 lode_flame_room(cluster, s->job.mined->n_clusters));
	lode_flame_rows_make(&out->cluster.flame, &flame, &s->functions, &s->arena);
	for (unsigned side = 0; side < LODE_N_DIFF_SIDES; side++)
		out->own_ns[side] = spread(s, &flame, stacks->of[side] + from, cluster->n_stacks);
	lode_flame_release(&flame);
	return out;
}

/* The streams that clusters' costs are counted by, with their sets. */
static void list_streams(struct lode_diff_state *s)
{
	const struct lode_digest *digest = s->sets.digest;
	struct lode_diff_stream_row *rows =
		lode_arena_array(&s->arena, struct lode_diff_stream_row, digest->streams.n + 1);

	for (size_t i = 0; i < digest->streams.n; i++) {
		const struct lode_digest_stream *stream = &digest->streams.at[i];
		uint8_t side = s->sets.side[i];

		rows[i] = (struct lode_diff_stream_row){
			.id = stream->content_hash,
			.path = digest->tree.strings.text.at[stream->path],
			.host = digest->tree.strings.text.at[stream->host],
			.set = side < LODE_N_DIFF_SIDES ? set_keys[side] : NULL,
		};
		/* Of a repository, which is all in the first set. */
		rows[i].n_labels =
			lode_stream_set_labels(&rows[i].labels, &s->sets.sets[LODE_DIFF_A], i);
	}
	for (size_t i = 0; i < digest->symptoms.n; i++) {
		const struct lode_digest_symptom *symptom = &digest->symptoms.at[i];

		rows[symptom->stream].n_symptoms++;
		rows[symptom->stream].symptom_ns += lode_digest_symptom_ns(symptom);
	}
	s->answer.streams = rows;
	s->answer.n_streams = digest->streams.n;
}

/* ---- Changes ---- */

static void list_rows(struct lode_diff_state *s, const struct lode_diff_request *request)
{
	const struct lode_diff *diff = s->job.diff;
	struct lode_diff_answer *out = &s->answer;
	size_t n = diff->n_changes, first = out->shown ? out->shown->number - 1 : 0;
	size_t top = out->shown ? 1 : request->top;
	struct lode_side_stacks stacks;

	out->n_rows = lode_listed(top, n);
	out->n_more = n - out->n_rows;
	out->rows = lode_arena_array(&s->arena, struct lode_diff_row, out->n_rows + 1);
	if (request->wants_detail)
		lode_side_stacks_build(&stacks, s->job.mined, s->sets.side);
	for (size_t i = 0; i < out->n_rows; i++) {
		const struct lode_diff_change *change = &diff->changes[first + i];
		const struct lode_cluster *cluster = &s->job.mined->clusters[change->item];
		struct lode_diff_row *row = &out->rows[i];
		struct lode_headline_hop *hops;

		*row = (struct lode_diff_row){
			.number = first + i + 1,
			.change = change,
			.cluster = cluster,
			.figures = figures_of(change),
			.kind = lode_event_kind_name(lode_cluster_kind(cluster)),
			.reason = lode_wait_reason_name(lode_cluster_reason(cluster)),
		};
		row->n_gaps = lode_cluster_gaps(&row->gaps, cluster, &s->arena);
		row->n_headline = lode_headline_hops(&hops, s->job.mined, cluster, &s->arena);
		row->headline = hops;
		if (request->wants_detail) {
			row->brief = lode_cluster_brief_of(s->job.mined, cluster, &s->arena);
			row->detail = detail_of(s, cluster, &stacks);
		}
	}
	if (!request->wants_detail)
		return;
	lode_side_stacks_release(&stacks);
	lode_vec_reserve(&s->functions.frames, 1);
	out->frames = s->functions.frames.at;
	out->n_frames = s->functions.frames.n;
	list_streams(s);
}

/* ---- One in full ---- */

/* The recording on that side that the cluster costs most; NULL: there is none. */
static const char *worst_recording(const struct lode_diff_state *s,
				   const struct lode_cluster *cluster, unsigned side)
{
	const struct lode_digest *digest = s->sets.digest;

	for (size_t i = 0; i < cluster->n_worst; i++) {
		uint32_t stream = digest->symptoms.at[cluster->worst[i].symptom].stream;

		if (s->sets.side[stream] == side)
			return digest->tree.strings.text.at[digest->streams.at[stream].path];
	}
	return NULL;
}

static const char *const *sets_of_streams(struct lode_diff_state *s)
{
	size_t n = s->sets.digest->streams.n;
	const char **names = lode_arena_array(&s->arena, const char *, n + 1);

	for (size_t i = 0; i < n; i++)
		names[i] = s->sets.side[i] == LODE_DIFF_A   ? "A"
			   : s->sets.side[i] == LODE_DIFF_B ? "B"
							    : "both";
	return names;
}

static void list_shown(struct lode_diff_state *s, const struct lode_diff_request *request)
{
	const struct lode_cluster_rows_options options = {.top = request->top};

	lode_cluster_rows_build(&s->shown_rows, s->job.mined, s->shown.cluster.cluster, &options);
	lode_cluster_row_make(&s->shown_row, &s->shown_rows, 0);
	s->shown.row = &s->shown_row;
}

static int show_change(struct lode_diff_state *s, const struct lode_diff_request *request,
		       struct lode_error *err)
{
	const struct lode_diff *diff = s->job.diff;
	const struct lode_mined *mined = s->job.mined;
	uint32_t *numbers = lode_arena_array(&s->arena, uint32_t, mined->n_clusters + 1);
	const struct lode_cluster *cluster;
	const struct lode_diff_change *change;
	size_t number;

	for (size_t i = 0; i < diff->n_changes; i++)
		numbers[diff->changes[i].item] = (uint32_t)i + 1;
	cluster = lode_cluster_find_numbered(mined, request->show, numbers, err);
	if (!cluster)
		return err->status;
	number = numbers[cluster - mined->clusters];
	change = &diff->changes[number - 1];
	s->shown = (struct lode_diff_shown){
		.number = number,
		.change = change,
		.figures = figures_of(change),
		.worst =
			worst_recording(s, cluster, change->change < 0 ? LODE_DIFF_A : LODE_DIFF_B),
	};
	lode_cluster_shown_build(&s->shown.cluster, mined, cluster, request->top, &s->arena);
	s->shown.cluster.set_of = sets_of_streams(s);
	if (request->wants_rows)
		list_shown(s, request);
	s->answer.shown = &s->shown;
	return 0;
}

/* Large differences that are not significant are a class of their own. */
static void count_told(struct lode_diff_state *s, size_t top)
{
	enum { DOUBTFUL_TOLD = 3 };
	const struct lode_diff *diff = s->job.diff;
	struct lode_diff_answer *out = &s->answer;
	size_t n = diff->n_changes - diff->n_of[LODE_DIFF_SAME];
	size_t most = top ? DOUBTFUL_TOLD : diff->n_changes;

	out->n_told = lode_listed(top, n);
	out->n_told_more = n - out->n_told;
	out->first_doubtful = n;
	while (n + out->n_doubtful < diff->n_changes && out->n_doubtful < most &&
	       diff->changes[n + out->n_doubtful].matters)
		out->n_doubtful++;
}

static void judge_diff(struct lode_diff_state *s, unsigned fail_on)
{
	struct lode_diff_verdict *verdict;

	if (!fail_on)
		return;
	verdict = lode_arena_array(&s->arena, struct lode_diff_verdict, 1);
	*verdict = (struct lode_diff_verdict){
		.classes = lode_arena_array(&s->arena, const char *, LODE_N_DIFF_CLASSES)};
	for (unsigned k = 0; k < LODE_DIFF_SAME; k++) {
		if (!(fail_on >> k & 1))
			continue;
		verdict->classes[verdict->n_classes++] = lode_diff_class_names[k];
		verdict->has_failed |= s->job.diff->n_of[k] > 0;
	}
	s->answer.verdict = verdict;
}

/* ---- The sets and the options ---- */

/* "runs-2.0/", "mon/ and 1 more" */
static const char *set_name(struct lode_diff_state *s, char *const *inputs, size_t n)
{
	char text[4096];

	if (n == 1)
		return inputs[0];
	snprintf(text, sizeof(text), "%s and %zu more", inputs[0], n - 1);
	return lode_arena_strdup(&s->arena, text);
}

static void list_sets(struct lode_diff_state *s, const struct lode_diff_sets_options *options)
{
	const struct lode_diff *diff = s->job.diff;

	for (unsigned i = 0; i < LODE_N_DIFF_SIDES; i++) {
		const struct lode_diff_side *side = &diff->sides[i];
		struct lode_diff_set *set = &s->answer.sets[i];

		set->name = set_name(s, options->inputs[i], options->n_inputs[i]);
		set->n_streams = side->n_streams;
		set->n_without = side->n_without;
		set->n_symptoms = side->n_symptoms;
		set->symptom_ns = side->symptom_ns;
		set->per_symptom_ns = llround(diff->total.per_symptom[i]);
		set->other_ns = s->job.other_ns[i];
		set->other_per_symptom_ns =
			llround((double)set->other_ns / (double)side->n_symptoms);
	}
}

static const char *lambda_words(struct lode_diff_state *s, const struct lode_mine_options *mine)
{
	char text[64];

	if (mine->min_cost)
		return "as given";
	if (mine->min_cost_share <= 0)
		return s->job.is_lambda_coarse ? "0.2 % of both sets" : "0.2 % of the smaller set";
	snprintf(text, sizeof(text), "%g %% of both sets", 100 * mine->min_cost_share);
	return lode_arena_strdup(&s->arena, text);
}

static void list_options(struct lode_diff_state *s, const struct lode_diff_request *request)
{
	const struct lode_digest_job *read = &s->sets.sets[LODE_DIFF_A].job;
	const struct lode_diff *diff = s->job.diff;
	struct lode_diff_answer *out = &s->answer;

	out->symptoms = read->symptom_text;
	out->is_cpu_time = s->job.mined->n_cpu_symptoms &&
			   s->job.mined->n_cpu_symptoms == s->job.mined->digest->symptoms.n;
	out->scope = lode_shape_choice(read->origin.shape, "--scope", lode_scope_choices);
	out->stacks = lode_shape_choice(read->origin.shape, "--stacks", lode_stacks_choices);
	out->lambda = lambda_words(s, &request->mine);
	out->within = request->sets.within;
	out->min_change_ns = llround(diff->min_change);
	out->seed = diff->is_exact ? LODE_NO_INT : (int64_t)request->diff.seed;
	out->n_strata = out->within ? (int64_t)s->sets.n_strata : LODE_NO_INT;
	out->enough_streams = lode_diff_enough_streams(diff->level);
	out->has_enough = diff->least_p <= diff->level;
}

/* ---- The whole ---- */

static int say_unusable(const struct lode_diff_sets *sets, bool is_repo, struct lode_error *err)
{
	return lode_fail(err, LODE_ERR_EMPTY, NULL, -1,
			 is_repo ? "no recording in the repository matches set %c"
				 : "no usable recording in set %c",
			 sets->empty == LODE_DIFF_A ? 'A' : 'B');
}

static int say_empty(const struct lode_diff_sets *sets, unsigned side, struct lode_error *err)
{
	char name = side == LODE_DIFF_A ? 'A' : 'B';
	const struct lode_digest_job *job = &sets->sets[side].job;

	if (sets->n_in_both)
		return lode_fail(err, LODE_ERR_EMPTY, NULL, -1,
				 "set %c is empty: %zu of its recordings %s in both sets", name,
				 sets->n_in_both, sets->n_in_both == 1 ? "is" : "are");
	return lode_fail(err, LODE_ERR_EMPTY, NULL, -1, "no symptoms in set %c: %s%s%s", name,
			 job->symptom_text, job->why_none ? "\n" : "",
			 job->why_none ? job->why_none : "");
}

static int compare_sets(struct lode_diff_state *s, const struct lode_diff_request *request,
			struct lode_error *err)
{
	struct lode_mine_options mine = request->mine;
	int rc;

	mine.split_kinds =
		lode_shape_is(s->sets.sets[LODE_DIFF_A].job.origin.shape, "--stacks", "own");
	rc = lode_diff_job_run(&s->job, &s->sets, &mine, &request->diff, err);
	if (rc == LODE_ERR_LIMIT)
		rc = err->status = LODE_ERR_ARG; /* too many patterns: another λ has fewer */
	if (rc == 0 && !s->job.diff)
		rc = say_empty(&s->sets, s->job.empty, err);
	return rc;
}

int lode_diff_run(struct lode_diff_answer **out, const struct lode_diff_request *request,
		  struct lode_error *err)
{
	struct lode_diff_state *s = lode_alloc0(1, sizeof(*s));
	struct lode_diff_answer *answer = &s->answer;
	int rc;

	answer->state = s;
	*out = answer;
	rc = lode_diff_sets_read(&s->sets, &request->sets, err);
	for (unsigned i = 0; i < LODE_N_DIFF_SIDES; i++)
		answer->sets[i].read = &s->sets.sets[i].job;
	if (s->sets.digest && !request->mine.classic)
		lode_aliases_join(s->sets.digest);
	if (rc == 0)
		rc = s->sets.digest ? compare_sets(s, request, err)
				    : say_unusable(&s->sets, request->sets.repo, err);
	if (rc < 0 || !s->sets.digest)
		return rc;
	answer->unit = s->sets.digest->unit;
	answer->diff = s->job.diff;
	answer->mined = s->job.mined;
	answer->read = &s->sets;
	answer->job = &s->job;
	answer->total = figures_of(&s->job.diff->total);
	list_sets(s, &request->sets);
	list_options(s, request);
	judge_diff(s, request->fail_on);
	count_told(s, request->top);
	rc = request->show ? show_change(s, request, err) : 0;
	if (rc < 0)
		return rc;
	if (request->wants_rows)
		list_rows(s, request);
	answer->opening = lode_diff_opening(answer, request, &s->arena);
	return 0;
}

void lode_diff_answer_free(struct lode_diff_answer *answer)
{
	struct lode_diff_state *s = answer ? answer->state : NULL;

	if (!s)
		return;
	lode_cluster_rows_release(&s->shown_rows);
	lode_flame_functions_release(&s->functions);
	lode_diff_job_release(&s->job);
	lode_diff_sets_release(&s->sets);
	lode_arena_release(&s->arena);
	free(s);
}

struct lode_names lode_diff_names(const void *of)
{
	const struct lode_diff_answer *answer = of;

	return lode_tree_names(&answer->read->digest->tree);
}
