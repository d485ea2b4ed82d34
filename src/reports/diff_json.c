#include <math.h>
#include <stdlib.h>

#include "reports/cluster_rows.h"
#include "reports/input_fields.h"
#include "reports/diff_report.h"
#include "reports/json.h"
#include "reports/json_parts.h"

static const char *const side_keys[LODE_N_DIFF_SIDES] = {"a", "b"};

static void put_names(struct lode_json *json, const struct lode_calltree *tree,
		      const struct lode_cluster *cluster)
{
	char name[4096];

	lode_json_array(json, "common");
	for (size_t i = 0; i < cluster->n_common; i++)
		lode_json_text(json, NULL,
			       lode_frame_full_name(tree, cluster->common[i], name, sizeof(name)));
	lode_json_end_array(json);
	lode_json_array(json, "gaps");
	for (size_t i = 0; i < cluster->n_common; i++)
		if (cluster->gap_before[i])
			lode_json_int(json, NULL, (int64_t)i);
	lode_json_end_array(json);
}

static void put_side(struct lode_json *json, const struct lode_diff_report *report, unsigned s)
{
	const struct lode_diff *diff = report->job->diff;
	const struct lode_diff_side *side = &diff->sides[s];
	const struct lode_digest_job *job = &report->sets->sets[s].job;

	lode_json_object(json, side_keys[s]);
	lode_json_text(json, "name", report->names[s]);
	lode_json_int(json, "streams", (int64_t)side->n_streams);
	lode_json_int(json, "streams_without_symptom", (int64_t)side->n_without);
	lode_json_int(json, "symptoms", (int64_t)side->n_symptoms);
	lode_json_int(json, "symptom_ns", side->symptom_ns);
	lode_json_int(json, "per_symptom_ns", llround(diff->total.per_symptom[s]));
	lode_json_int(json, "other_ns", report->job->other_ns[s]);
	lode_json_job_inputs(json, job);
	lode_json_end_object(json);
}

/* Figures that clusters and the whole have alike. */
static void put_figures(struct lode_json *json, const struct lode_diff_change *change)
{
	double a = change->per_symptom[LODE_DIFF_A];

	for (unsigned s = 0; s < LODE_N_DIFF_SIDES; s++) {
		lode_json_object(json, side_keys[s]);
		lode_json_int(json, "cost_ns", change->cost_ns[s]);
		lode_json_int(json, "per_symptom_ns", llround(change->per_symptom[s]));
		lode_json_int(json, "streams", (int64_t)change->n_streams[s]);
		lode_json_end_object(json);
	}
	lode_json_int(json, "change_ns", llround(change->change));
	if (change->has_interval) {
		lode_json_int(json, "change_low_ns", llround(change->low));
		lode_json_int(json, "change_high_ns", llround(change->high));
	}
	/* Without any cost in A there is none. */
	if (a > 0)
		lode_json_number(json, "ratio", change->per_symptom[LODE_DIFF_B] / a);
	lode_json_bool(json, "matters", change->matters);
	lode_json_exact(json, "p", change->p);
}

/* ---- What pages are drawn of ---- */

static void put_costs(struct lode_json *json, const char *key, const struct lode_flame *flame,
		      const struct lode_calltree *tree, const struct lode_cluster_stack *stacks,
		      size_t n_stacks)
{
	int64_t *own_ns = lode_alloc(flame->nodes.n * sizeof(*own_ns));

	lode_flame_spread(own_ns, flame, tree, stacks, n_stacks);
	lode_json_array(json, key);
	for (size_t i = 0; i < flame->nodes.n; i++)
		lode_json_int(json, NULL, own_ns[i]);
	lode_json_end_array(json);
	free(own_ns);
}

/* One tree for both sets, so that a function stands in the same place in both. */
static void put_flame(struct lode_json *json, const struct lode_diff_report *report,
		      const struct lode_cluster *cluster, struct lode_flame_functions *functions,
		      struct lode_arena *arena)
{
	const struct lode_calltree *tree = &report->sets->digest->tree;
	const struct lode_side_stacks *stacks = report->stacks_of;
	size_t from = stacks->start[cluster - report->job->mined->clusters];
	struct lode_flame flame = {0};
	struct lode_flame_rows rows;

	lode_flame_build(&flame, tree, stacks->both + from, cluster->n_stacks,
			 lode_flame_room(cluster, report->job->mined->n_clusters));
	lode_flame_rows_make(&rows, &flame, functions, arena);
	lode_json_object(json, "flame");
	lode_fields_put(json, &lode_flame_tree_record, &rows, NULL);
	put_costs(json, "a_ns", &flame, tree, stacks->of[LODE_DIFF_A] + from, cluster->n_stacks);
	put_costs(json, "b_ns", &flame, tree, stacks->of[LODE_DIFF_B] + from, cluster->n_stacks);
	lode_json_end_object(json);
	lode_flame_release(&flame);
}

static void put_detail(struct lode_json *json, const struct lode_diff_report *report,
		       const struct lode_cluster *cluster, struct lode_flame_functions *functions)
{
	const struct lode_digest *digest = report->sets->digest;
	struct lode_names names = lode_tree_names(&digest->tree);
	struct lode_arena arena = {0};
	struct lode_cluster_brief brief;
	struct lode_cluster_detail detail;

	lode_cluster_brief_build(&brief, digest, cluster, &arena);
	lode_cluster_detail_build(&detail, cluster, &arena);
	lode_fields_put(json, &lode_cluster_brief_record, &brief, NULL);
	lode_fields_put(json, &lode_cluster_detail_record, &detail, &names);
	put_flame(json, report, cluster, functions, &arena);
	lode_arena_release(&arena);
}

static void put_frames(struct lode_json *json, const struct lode_calltree *tree,
		       const struct lode_flame_functions *functions)
{
	char name[4096];

	lode_json_array(json, "frames");
	for (size_t i = 0; i < functions->frames.n; i++)
		lode_json_text(json, NULL,
			       lode_frame_full_name(tree, functions->frames.at[i], name,
						    sizeof(name)));
	lode_json_end_array(json);
}

/* The streams that "by_stream" counts, with their sets. */
static void put_streams(struct lode_json *json, const struct lode_diff_report *report)
{
	const struct lode_digest *digest = report->sets->digest;
	int64_t *n_symptoms = lode_alloc0(digest->streams.n, sizeof(*n_symptoms));
	int64_t *symptom_ns = lode_alloc0(digest->streams.n, sizeof(*symptom_ns));

	for (size_t i = 0; i < digest->symptoms.n; i++) {
		const struct lode_digest_symptom *symptom = &digest->symptoms.at[i];

		n_symptoms[symptom->stream]++;
		symptom_ns[symptom->stream] += symptom->t1_ns - symptom->t0_ns;
	}
	lode_json_array(json, "streams");
	for (size_t i = 0; i < digest->streams.n; i++) {
		const struct lode_digest_stream *stream = &digest->streams.at[i];
		uint8_t side = report->sets->side[i];

		lode_json_object(json, NULL);
		lode_json_id(json, "id", stream->content_hash);
		lode_json_text(json, "path", digest->tree.strings.text.at[stream->path]);
		if (side < LODE_N_DIFF_SIDES)
			lode_json_text(json, "set", side_keys[side]);
		lode_json_int(json, "symptoms", n_symptoms[i]);
		lode_json_int(json, "symptom_ns", symptom_ns[i]);
		lode_json_end_object(json);
	}
	lode_json_end_array(json);
	free(n_symptoms);
	free(symptom_ns);
}

static void put_change(struct lode_json *json, const struct lode_diff_report *report,
		       const struct lode_diff_change *change,
		       struct lode_flame_functions *functions)
{
	const struct lode_cluster *cluster = &report->job->mined->clusters[change->item];

	lode_json_object(json, NULL);
	lode_json_text(json, "class", lode_diff_class_name(change->class));
	lode_json_id(json, "id", cluster->id);
	lode_json_int(json, "rank", cluster->rank);
	put_figures(json, change);
	lode_json_exact(json, "p_adjusted", change->p_adjusted);
	lode_json_text(json, "kind", lode_event_kind_name(lode_cluster_kind(cluster)));
	lode_json_text(json, "reason", lode_wait_reason_name(lode_cluster_reason(cluster)));
	put_names(json, &report->sets->digest->tree, cluster);
	if (report->stacks_of)
		put_detail(json, report, cluster, functions);
	lode_json_end_object(json);
}

static void put_options(struct lode_json *json, const struct lode_diff_report *report)
{
	const struct lode_diff *diff = report->job->diff;

	lode_json_object(json, "options");
	lode_json_text(json, "symptoms", report->sets->sets[LODE_DIFF_A].job.symptom_text);
	lode_json_text(json, "scope", report->scope);
	lode_json_text(json, "stacks", report->stacks);
	lode_json_text(json, "lambda", report->lambda);
	lode_json_number(json, "level", diff->level);
	lode_json_int(json, "min_change_ns", llround(diff->min_change));
	lode_json_number(json, "min_relative", diff->min_relative);
	if (report->within)
		lode_json_text(json, "within", report->within);
	lode_json_end_object(json);
}

static void put_splits(struct lode_json *json, const struct lode_diff_report *report)
{
	const struct lode_diff *diff = report->job->diff;

	lode_json_object(json, "splits");
	lode_json_int(json, "tried", (int64_t)diff->n_splits);
	lode_json_bool(json, "exact", diff->is_exact);
	if (!diff->is_exact)
		lode_json_int(json, "seed", (int64_t)report->seed);
	if (report->within)
		lode_json_int(json, "strata", (int64_t)report->sets->n_strata);
	lode_json_exact(json, "least_p", diff->least_p);
	lode_json_bool(json, "enough_streams", diff->least_p <= diff->level);
	lode_json_end_object(json);
}

static void put_counts(struct lode_json *json, const struct lode_diff *diff)
{
	lode_json_object(json, "counts");
	for (unsigned k = 0; k < LODE_N_DIFF_CLASSES; k++)
		lode_json_int(json, lode_diff_class_name((enum lode_diff_class)k),
			      (int64_t)diff->n_of[k]);
	lode_json_end_object(json);
}

static void put_verdict(struct lode_json *json, const struct lode_diff_report *report)
{
	if (!report->fail_on)
		return;
	lode_json_array(json, "fail_on");
	for (unsigned k = 0; k < LODE_DIFF_SAME; k++)
		if (report->fail_on >> k & 1)
			lode_json_text(json, NULL, lode_diff_class_name((enum lode_diff_class)k));
	lode_json_end_array(json);
	lode_json_bool(json, "failed", report->has_failed);
}

void lode_diff_report_json(FILE *out, const struct lode_diff_report *report)
{
	const struct lode_diff *diff = report->job->diff;
	struct lode_json *json = lode_json_open(out, "lode/diff/1");
	struct lode_flame_functions functions = {0};
	size_t n = report->top && report->top < diff->n_changes ? report->top : diff->n_changes;

	lode_json_text(json, "unit", report->sets->digest->unit);
	for (unsigned s = 0; s < LODE_N_DIFF_SIDES; s++)
		put_side(json, report, s);
	lode_json_object(json, "total");
	put_figures(json, &diff->total);
	lode_json_end_object(json);
	put_counts(json, diff);
	put_verdict(json, report);
	lode_json_array(json, "clusters");
	for (size_t i = 0; i < n; i++)
		put_change(json, report, &diff->changes[i], &functions);
	lode_json_end_array(json);
	if (n < diff->n_changes)
		lode_json_int(json, "more", (int64_t)(diff->n_changes - n));
	if (report->stacks_of) {
		put_frames(json, &report->sets->digest->tree, &functions);
		put_streams(json, report);
	}
	put_splits(json, report);
	lode_json_int(json, "lambda_ns", report->job->mined->min_cost);
	lode_json_int(json, "patterns", (int64_t)report->job->mined->n_patterns);
	lode_json_int(json, "in_both", (int64_t)report->sets->n_in_both);
	lode_json_int(json, "repeated", (int64_t)report->sets->n_repeated);
	put_options(json, report);
	lode_json_close(json);
	lode_flame_functions_release(&functions);
}
