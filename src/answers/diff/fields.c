/* Fields of the document of lode diff. */
#include "answers/diff/diff.h"
#include "answers/input_fields.h"

/* ---- A set ---- */

static const struct lode_field set_fields[] = {
	LODE_FIELD(struct lode_diff_set, name, "name of the set on the command line"),
	LODE_FIELD_AS("streams", struct lode_diff_set, n_streams,
		      "recordings with symptoms: those compared"),
	LODE_FIELD_AS("streams_without_symptom", struct lode_diff_set, n_without, "left out"),
	LODE_FIELD_AS("symptoms", struct lode_diff_set, n_symptoms, NULL),
	LODE_FIELD(struct lode_diff_set, symptom_ns, "total duration of the symptoms"),
	LODE_FIELD(struct lode_diff_set, per_symptom_ns, "mean duration of a symptom"),
	LODE_FIELD(struct lode_diff_set, other_ns, "cost that no cluster explains"),
	LODE_FIELDS_AT(struct lode_diff_set, read, &lode_job_inputs_record),
};
LODE_RECORD(set, struct lode_diff_set);

/* ---- Figures of a cluster, or of the whole ---- */

static const struct lode_field part_fields[] = {
	LODE_FIELD(struct lode_diff_part, cost_ns, "in all symptoms of the set"),
	LODE_FIELD(struct lode_diff_part, per_symptom_ns, "the same over the number of symptoms"),
	LODE_FIELD_AS("streams", struct lode_diff_part, n_streams, "in which it has any cost"),
};
LODE_RECORD(part, struct lode_diff_part);

static const struct lode_field figure_fields[] = {
	LODE_FIELD_RECORD("a", struct lode_diff_figures, of[LODE_DIFF_A], &part_record, NULL),
	LODE_FIELD_RECORD("b", struct lode_diff_figures, of[LODE_DIFF_B], &part_record, NULL),
	LODE_FIELD(struct lode_diff_figures, change_ns,
		   "change of the cost per symptom, B - A; with --within, within strata"),
	LODE_FIELD_AS("change_low_ns", struct lode_diff_figures, low_ns,
		      "95 % interval of the change, not corrected",
		      .absent = "--within is given, or a set is a single recording"),
	LODE_FIELD_AS("change_high_ns", struct lode_diff_figures, high_ns, NULL,
		      .absent = "change_low_ns is"),
	LODE_FIELD(struct lode_diff_figures, ratio, "ratio of the cost per symptom, B / A",
		   .absent = "A has none"),
	LODE_FIELD(struct lode_diff_figures, matters,
		   "the change reaches min_change_ns and min_relative"),
	LODE_FIELD_OF("p", LODE_TYPE_EXACT, struct lode_diff_figures, p,
		      "of the permutation test, uncorrected", .is_positive = true, .most = 1),
};
LODE_RECORD(figure, struct lode_diff_figures);

/* ---- A change ---- */

static const struct lode_field class_fields[] = {
	LODE_FIELD_CHOICE("class", struct lode_diff_change, class, lode_diff_class_names, NULL),
};
LODE_RECORD(class, struct lode_diff_change);

static const struct lode_field adjusted_fields[] = {
	LODE_FIELD_OF(
		"p_adjusted", LODE_TYPE_EXACT, struct lode_diff_change, p_adjusted,
		"corrected for all clusters; a change is reported if this is at most options.level",
		.is_positive = true, .most = 1),
};
LODE_RECORD(adjusted, struct lode_diff_change);

static const struct lode_field id_fields[] = {
	LODE_FIELD_ID("id", struct lode_cluster, id, NULL),
	LODE_FIELD(struct lode_cluster, rank, "in the mining of both sets together, by own cost",
		   .least = 1),
};
LODE_RECORD(id, struct lode_cluster);

static const struct lode_field common_fields[] = {
	LODE_FRAMES("common", struct lode_cluster, common, n_common, NULL),
};
LODE_RECORD(common, struct lode_cluster);

static const struct lode_field flame_fields[] = {
	LODE_FIELDS_OF(struct lode_diff_detail, cluster.flame, &lode_flame_tree_record),
	LODE_COLUMN("a_ns", struct lode_diff_detail, own_ns[LODE_DIFF_A], cluster.flame.n_nodes,
		    "exclusive cost in all symptoms of the first set"),
	LODE_COLUMN("b_ns", struct lode_diff_detail, own_ns[LODE_DIFF_B], cluster.flame.n_nodes,
		    "exclusive cost in all symptoms of the second set"),
};
LODE_RECORD(flame, struct lode_diff_detail);

static const struct lode_field detail_fields[] = {
	LODE_FIELDS_OF(struct lode_diff_detail, cluster, &lode_cluster_detail_record),
	LODE_RECORD_HERE("flame", &flame_record,
			 "the cluster's stacks of both sets as one call tree, in columns by node; "
			 "callers precede callees"),
};
LODE_RECORD(detail, struct lode_diff_detail);

static const struct lode_field row_fields[] = {
	LODE_FIELD(struct lode_diff_row, number,
		   "rank among all clusters, from 1, as --show takes it", .least = 1),
	LODE_FIELDS_AT(struct lode_diff_row, change, &class_record),
	LODE_FIELDS_AT(struct lode_diff_row, cluster, &id_record),
	LODE_FIELDS_OF(struct lode_diff_row, figures, &figure_record),
	LODE_FIELDS_AT(struct lode_diff_row, change, &adjusted_record),
	LODE_FIELD(struct lode_diff_row, kind, NULL),
	LODE_FIELD(struct lode_diff_row, reason, NULL),
	LODE_FIELDS_AT(struct lode_diff_row, cluster, &common_record),
	LODE_COLUMN("gaps", struct lode_diff_row, gaps, n_gaps,
		    "indices into `common` that variants precede"),
	LODE_LIST("headline", struct lode_diff_row, headline, n_headline, &lode_headline_hop_record,
		  LODE_HEADLINE_DOC),
	LODE_FIELDS_AT(struct lode_diff_row, brief, &lode_cluster_brief_record,
		       .absent = "--detail is not given"),
	LODE_FIELDS_AT(struct lode_diff_row, detail, &detail_record,
		       .absent = "--detail is not given"),
};
LODE_RECORD(row, struct lode_diff_row);

static const struct lode_field shown_fields[] = {
	LODE_FIELD_POINTER("shown", struct lode_diff_shown, row, &lode_cluster_row_record,
			   "the cluster in full, as in lode mine --show, over both sets"),
};
LODE_RECORD(shown, struct lode_diff_shown);

/* ---- Counts, and what --fail-on comes to ---- */

#define COUNT(name, class) LODE_FIELD_AS(name, struct lode_diff, n_of[LODE_DIFF_##class], NULL)

static const struct lode_field count_fields[] = {
	COUNT("new", NEW),	 COUNT("gone", GONE), COUNT("worse", WORSE),
	COUNT("better", BETTER), COUNT("same", SAME),
};
LODE_RECORD(count, struct lode_diff);

static const struct lode_field verdict_fields[] = {
	LODE_COLUMN("fail_on", struct lode_diff_verdict, classes, n_classes, NULL,
		    .choices = lode_diff_changed_names),
	LODE_FIELD_AS("failed", struct lode_diff_verdict, has_failed,
		      "true: there is such a change, and the exit code is 5"),
};
LODE_RECORD(verdict, struct lode_diff_verdict);

/* ---- Streams, splits and options ---- */

static const char *const sets[] = {"a", "b", NULL};

static const struct lode_field stream_fields[] = {
	LODE_FIELD_ID("id", struct lode_diff_stream_row, id, NULL),
	LODE_FIELD(struct lode_diff_stream_row, path, NULL),
	LODE_FIELD(struct lode_diff_stream_row, host, NULL),
	LODE_MAP_FIELD("labels", struct lode_diff_stream_row, labels, n_labels,
		       &lode_repo_label_record, "of the repository", .absent = "it has none"),
	LODE_FIELD(struct lode_diff_stream_row, set, NULL, .choices = sets,
		   .absent = "it is in both sets and left out"),
	LODE_FIELD_AS("symptoms", struct lode_diff_stream_row, n_symptoms, NULL),
	LODE_FIELD(struct lode_diff_stream_row, symptom_ns, "total duration of the symptoms"),
};
LODE_RECORD(stream, struct lode_diff_stream_row);

static const struct lode_field tried_fields[] = {
	LODE_FIELD_AS("tried", struct lode_diff, n_splits,
		      "splits of the recordings used for the test, including the observed one",
		      .least = 1),
	LODE_FIELD_AS("exact", struct lode_diff, is_exact, "true: these are all possible splits"),
};
LODE_RECORD(tried, struct lode_diff);

static const struct lode_field power_fields[] = {
	LODE_FIELD_OF("least_p", LODE_TYPE_EXACT, struct lode_diff, least_p,
		      "the smallest p possible with these recordings", .is_positive = true,
		      .most = 1),
};
LODE_RECORD(power, struct lode_diff);

static const struct lode_field split_fields[] = {
	LODE_FIELDS_AT(struct lode_diff_answer, diff, &tried_record),
	LODE_FIELD(struct lode_diff_answer, seed, "random seed of the splits",
		   .absent = "all splits were tried", .is_positive = true),
	LODE_FIELD_AS("strata", struct lode_diff_answer, n_strata, "number of strata (--within)",
		      .absent = "--within is not given", .is_positive = true),
	LODE_FIELDS_AT(struct lode_diff_answer, diff, &power_record),
	LODE_FIELD_AS("enough_streams", struct lode_diff_answer, has_enough,
		      "true: least_p does not exceed the level"),
};
LODE_RECORD(split, struct lode_diff_answer);

static const struct lode_field level_fields[] = {
	LODE_FIELD(struct lode_diff, level, NULL),
};
LODE_RECORD(level, struct lode_diff);

static const struct lode_field relative_fields[] = {
	LODE_FIELD(struct lode_diff, min_relative,
		   "minimum relative change, as a share of the smaller cost"),
};
LODE_RECORD(relative, struct lode_diff);

static const struct lode_field option_fields[] = {
	LODE_FIELD(struct lode_diff_answer, symptoms, NULL),
	LODE_FIELD(struct lode_diff_answer, scope, NULL),
	LODE_FIELD(struct lode_diff_answer, stacks, NULL),
	LODE_FIELD(struct lode_diff_answer, lambda, "how λ was chosen"),
	LODE_FIELDS_AT(struct lode_diff_answer, diff, &level_record),
	LODE_FIELD(struct lode_diff_answer, min_change_ns,
		   "minimum change of the cost per symptom"),
	LODE_FIELDS_AT(struct lode_diff_answer, diff, &relative_record),
	LODE_FIELD(struct lode_diff_answer, within, NULL, .absent = "--within is not given"),
};
LODE_RECORD(option, struct lode_diff_answer);

static const struct lode_field mined_fields[] = {
	LODE_FIELD_AS("lambda_ns", struct lode_mined, min_cost, "minimum cost of a pattern"),
	LODE_FIELD_AS("patterns", struct lode_mined, n_patterns, NULL),
};
LODE_RECORD(mined, struct lode_mined);

static const struct lode_field left_out_fields[] = {
	LODE_FIELD_AS("in_both", struct lode_diff_sets, n_in_both,
		      "recordings in both sets: left out"),
	LODE_FIELD_AS("repeated", struct lode_diff_sets, n_repeated,
		      "recordings that occur more than once in a set: counted once"),
};
LODE_RECORD(left_out, struct lode_diff_sets);

/* ---- The document ---- */

static const struct lode_field answer_fields[] = {
	LODE_FIELDS_OF(struct lode_diff_answer, opening, &lode_opening_record),
	LODE_FIELD(struct lode_diff_answer, unit, "unit of all costs, as in lode mine --json"),
	LODE_FIELD_RECORD("a", struct lode_diff_answer, sets[LODE_DIFF_A], &set_record,
			  "the first set"),
	LODE_FIELD_RECORD("b", struct lode_diff_answer, sets[LODE_DIFF_B], &set_record,
			  "the second set"),
	LODE_FIELD_RECORD("total", struct lode_diff_answer, total, &figure_record,
			  "whole symptoms, tested separately from the clusters"),
	LODE_FIELD_POINTER("counts", struct lode_diff_answer, diff, &count_record,
			   "clusters by class"),
	LODE_FIELDS_AT(struct lode_diff_answer, verdict, &verdict_record,
		       .absent = "--fail-on is not given"),
	LODE_LIST("clusters", struct lode_diff_answer, rows, n_rows, &row_record,
		  "by class in the order new, gone, worse, better, same, the larger change first"),
	LODE_FIELD_AS("more", struct lode_diff_answer, n_more,
		      "clusters left out by --top or --show", .absent = "none were"),
	LODE_FIELDS_AT(struct lode_diff_answer, shown, &shown_record,
		       .absent = "--show is not given"),
	LODE_FRAMES("frames", struct lode_diff_answer, frames, n_frames,
		    "functions of all flame graphs", .absent = "--detail is not given"),
	LODE_LIST("streams", struct lode_diff_answer, streams, n_streams, &stream_record,
		  "all recordings, in the order of clusters[].by_stream",
		  .absent = "--detail is not given"),
	LODE_RECORD_HERE("splits", &split_record, NULL),
	LODE_FIELDS_AT(struct lode_diff_answer, mined, &mined_record),
	LODE_FIELDS_AT(struct lode_diff_answer, read, &left_out_record),
	LODE_RECORD_HERE("options", &option_record, NULL),
};
LODE_RECORD(answer, struct lode_diff_answer);

const struct lode_document lode_diff_document = {
	.schema = "lode/diff/1",
	.file = "diff",
	.title = "lode diff --json",
	.record = &answer_record,
	.names = lode_diff_names,
	.find = lode_diff_findings,
};
