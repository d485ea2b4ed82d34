/* Fields of the document of lode next. */
#include "answers/next/next.h"
#include "answers/input_fields.h"

/* ---- A signature or a cluster ---- */

static const struct lode_field cluster_fields[] = {
	LODE_FIELD_ID("id", struct lode_cluster, id, NULL),
	LODE_FIELD(struct lode_cluster, rank, NULL, .least = 1),
	LODE_FRAMES("common", struct lode_cluster, common, n_common, "shared call path"),
};
LODE_RECORD(cluster, struct lode_cluster);

static const struct lode_field which_fields[] = {
	LODE_FIELD(struct lode_next_known, signature,
		   "the cluster that the recording is opened for",
		   .absent = "it shows nothing new, or `cluster` is given instead"),
	LODE_FIELD_POINTER("cluster", struct lode_next_known, cluster, &cluster_record, NULL,
			   .absent = "there are signatures"),
};
LODE_RECORD(which, struct lode_next_known);

static const struct lode_field known_fields[] = {
	LODE_FIELDS_HERE(&which_record),
	LODE_FIELD(struct lode_next_known, why,
		   "the main component of its own cost, with its share",
		   .absent = "it is a signature"),
	LODE_COLUMN("brief", struct lode_next_known, brief, n_brief,
		    "the most distinctive functions, one line per thread, escaped for terminals",
		    .absent = "it is a signature"),
	LODE_FIELD(struct lode_next_known, brief_variants,
		   "the most distinctive variants, on one line; empty if there are none",
		   .absent = "it is a signature"),
};
LODE_RECORD(known, struct lode_next_known);

/* ---- The order ---- */

static const struct lode_field sights_fields[] = {
	LODE_COLUMN("known", struct lode_next_sights, known, n, "index into `known`"),
	LODE_COLUMN("cost_ns", struct lode_next_sights, cost_ns, n,
		    "its cost there; several may explain the same time"),
	LODE_COLUMN("new", struct lode_next_sights, is_new, n, "1: first seen here; otherwise 0"),
};
LODE_RECORD(sights, struct lode_next_sights);

static const struct lode_field step_fields[] = {
	LODE_FIELD(struct lode_next_step, stream, "path of the recording"),
	LODE_FIELD_ID("stream_id", struct lode_next_step, stream_id, NULL),
	LODE_FIELDS_OF(struct lode_next_step, opened_for, &which_record),
	LODE_FIELD_AS("new", struct lode_next_step, n_new, "signatures first seen in it"),
	LODE_FIELD(struct lode_next_step, adds_ns, "coverage that it adds", .is_positive = true),
	LODE_FIELD(struct lode_next_step, covered_ns, "covered after opening it"),
	LODE_FIELD(struct lode_next_step, symptom_ns, "symptom time of this recording"),
	LODE_FIELD(struct lode_next_step, unexplained_ns, "of that, not explained"),
	LODE_FIELD_POINTER("sights", struct lode_next_step, sights, &sights_record,
			   "the signatures, or clusters, in the recording, in columns",
			   .absent = "--detail is not given"),
};
LODE_RECORD(step, struct lode_next_step);

/* ---- What is left ---- */

static const struct lode_field rest_fields[] = {
	LODE_FIELD(struct lode_next_rest, stream, "path of the recording"),
	LODE_FIELD_ID("stream_id", struct lode_next_rest, stream_id, NULL),
	LODE_FIELD(struct lode_next_rest, unexplained_ns, "unexplained symptom time"),
};
LODE_RECORD(rest, struct lode_next_rest);

/* ---- The four curves ---- */

#define CURVE(name, which) \
	LODE_COLUMN(name, struct lode_next_curves, covered_ns[which], n_points, NULL)

static const struct lode_field curve_fields[] = {
	CURVE("best", LODE_NEXT_BEST),
	CURVE("random", LODE_NEXT_RANDOM),
	CURVE("total", LODE_NEXT_TOTAL),
	CURVE("max", LODE_NEXT_MAX),
};
LODE_RECORD(curve, struct lode_next_curves);

#define NEEDED(name, which) LODE_FIELD_AS(name, struct lode_next_level, needed[which], NULL)

static const struct lode_field level_fields[] = {
	LODE_FIELD_OF("coverage", LODE_TYPE_EXACT, struct lode_next_level, coverage, NULL),
	NEEDED("best", LODE_NEXT_BEST),
	NEEDED("random", LODE_NEXT_RANDOM),
	NEEDED("total", LODE_NEXT_TOTAL),
	NEEDED("max", LODE_NEXT_MAX),
};
LODE_RECORD(level, struct lode_next_level);

#define SHARE(name, which)                                                       \
	LODE_FIELD_AS(name, struct lode_next_curves, best_share_of[which], NULL, \
		      .absent = "nothing new is left")

static const struct lode_field share_fields[] = {
	SHARE("random", LODE_NEXT_RANDOM),
	SHARE("total", LODE_NEXT_TOTAL),
	SHARE("max", LODE_NEXT_MAX),
};
LODE_RECORD(share, struct lode_next_curves);

static const struct lode_field compare_fields[] = {
	LODE_RECORD_HERE("curves", &curve_record,
			 "covered_ns after 0, 1, 2 ... recordings; of random, the expectation"),
	LODE_LIST("levels", struct lode_next_curves, levels, n_levels, &level_record,
		  "recordings needed for each coverage: every 10 %, and that of all recordings"),
	LODE_RECORD_HERE(
		"best_share_of", &share_record,
		"mean over these coverages: recordings needed by lode's order / by this order"),
};
LODE_RECORD(compare, struct lode_next_curves);

/* ---- The document ---- */

static const char *const of[] = {"signatures", "clusters", NULL};

static const struct lode_field answer_fields[] = {
	LODE_FIELDS_OF(struct lode_next_answer, opening, &lode_opening_record),
	LODE_FIELD(struct lode_next_answer, unit, "unit of all costs, as in lode mine --json"),
	LODE_FIELD_AS("streams", struct lode_next_answer, n_streams, NULL),
	LODE_FIELD_AS("opened", struct lode_next_answer, n_opened,
		      "of these, already reviewed (--opened)"),
	LODE_FIELD(struct lode_next_answer, symptom_ns, "of all recordings"),
	LODE_FIELD_CHOICE("of", struct lode_next_answer, is_of_clusters, of,
			  "clusters if there are no signatures"),
	LODE_FIELD_AS("signatures", struct lode_next_answer, n_known,
		      "signatures, or clusters, in all recordings"),
	LODE_FIELD_AS("seen", struct lode_next_answer, n_seen, "of these, in reviewed recordings"),
	LODE_FIELD(struct lode_next_answer, explained_ns,
		   "part of symptom_ns that all of them explain"),
	LODE_FIELD(struct lode_next_answer, unexplained_ns, "the rest of symptom_ns"),
	LODE_FIELD_POINTER("unexplained_most", struct lode_next_answer, rest, &rest_record,
			   "the recording with the most unexplained time, among those not reviewed",
			   .absent = "nothing is unexplained"),
	LODE_FIELD_AS("enough", struct lode_next_answer, n_enough,
		      "recordings to open, in this order, to see all signatures"),
	LODE_FIELD(struct lode_next_answer, start_ns, "covered by the recordings reviewed"),
	LODE_LIST("order", struct lode_next_answer, steps, n_steps, &step_record,
		  "recordings to open, in order"),
	LODE_FIELD_AS("more", struct lode_next_answer, n_more, "left out by --top",
		      .absent = "none were"),
	LODE_LIST("known", struct lode_next_answer, known, n_known_listed, &known_record,
		  "the active signatures, or the clusters", .absent = "--detail is not given"),
	LODE_FIELD_POINTER("compare", struct lode_next_answer, curves, &compare_record, NULL,
			   .absent = "--compare is not given"),
	LODE_LIST("skipped", struct lode_next_answer, skipped, n_skipped, &lode_skipped_record,
		  "unusable inputs"),
	LODE_LIST("incomplete", struct lode_next_answer, incomplete, n_incomplete,
		  &lode_skipped_record,
		  "truncated or damaged inputs: only the intact part was used"),
};
LODE_RECORD(answer, struct lode_next_answer);

const struct lode_document lode_next_document = {
	.schema = "lode/next/1",
	.file = "next",
	.title = "lode next --json",
	.record = &answer_record,
	.names = lode_next_names,
	.find = lode_next_findings,
};
