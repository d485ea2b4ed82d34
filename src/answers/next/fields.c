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
	LODE_FIELD(struct lode_next_known, signature, "that it is opened for",
		   .absent = "nothing new is in it, or `cluster` stands instead"),
	LODE_FIELD_POINTER("cluster", struct lode_next_known, cluster, &cluster_record, NULL,
			   .absent = "there are signatures"),
};
LODE_RECORD(which, struct lode_next_known);

static const struct lode_field known_fields[] = {
	LODE_FIELDS_HERE(&which_record),
	LODE_FIELD(struct lode_next_known, why, "what most of its own cost is, with the share",
		   .absent = "a signature"),
	LODE_COLUMN("brief", struct lode_next_known, brief, n_brief,
		    "the most distinctive functions, a line per thread, safe for terminals",
		    .absent = "a signature"),
	LODE_FIELD(struct lode_next_known, brief_variants,
		   "the most distinctive variants, in a line; empty when there are none",
		   .absent = "a signature"),
};
LODE_RECORD(known, struct lode_next_known);

/* ---- The order ---- */

static const struct lode_field sights_fields[] = {
	LODE_COLUMN("known", struct lode_next_sights, known, n, "index into `known`"),
	LODE_COLUMN("cost_ns", struct lode_next_sights, cost_ns, n,
		    "what it costs there; more than one may explain the same time"),
	LODE_COLUMN("new", struct lode_next_sights, is_new, n, "1: seen here first, else 0"),
};
LODE_RECORD(sights, struct lode_next_sights);

static const struct lode_field step_fields[] = {
	LODE_FIELD(struct lode_next_step, stream, "its path"),
	LODE_FIELD_ID("stream_id", struct lode_next_step, stream_id, NULL),
	LODE_FIELDS_OF(struct lode_next_step, opened_for, &which_record),
	LODE_FIELD_AS("new", struct lode_next_step, n_new, "signatures seen there first"),
	LODE_FIELD(struct lode_next_step, adds_ns, "coverage that it adds", .is_positive = true),
	LODE_FIELD(struct lode_next_step, covered_ns, "after it"),
	LODE_FIELD(struct lode_next_step, symptom_ns, "of this recording"),
	LODE_FIELD(struct lode_next_step, unexplained_ns, "of that"),
	LODE_FIELD_POINTER("sights", struct lode_next_step, sights, &sights_record,
			   "the signatures, or clusters, in the recording, as columns",
			   .absent = "without --detail"),
};
LODE_RECORD(step, struct lode_next_step);

/* ---- What is left ---- */

static const struct lode_field rest_fields[] = {
	LODE_FIELD(struct lode_next_rest, stream, "its path"),
	LODE_FIELD_ID("stream_id", struct lode_next_rest, stream_id, NULL),
	LODE_FIELD(struct lode_next_rest, unexplained_ns, "of its symptoms' time"),
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
		      .absent = "nothing is left to be seen")

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
		  "recordings to open for a coverage: each tenth, and what all recordings reach"),
	LODE_RECORD_HERE(
		"best_share_of", &share_record,
		"mean over the levels: recordings that best needs over those that this order "
		"needs"),
};
LODE_RECORD(compare, struct lode_next_curves);

/* ---- The document ---- */

static const char *const of[] = {"signatures", "clusters", NULL};

static const struct lode_field answer_fields[] = {
	LODE_FIELDS_OF(struct lode_next_answer, opening, &lode_opening_record),
	LODE_FIELD(struct lode_next_answer, unit, "unit of all costs, as in lode mine --json"),
	LODE_FIELD_AS("streams", struct lode_next_answer, n_streams, NULL),
	LODE_FIELD_AS("opened", struct lode_next_answer, n_opened, "of these, by --opened"),
	LODE_FIELD(struct lode_next_answer, symptom_ns, "of all recordings"),
	LODE_FIELD_CHOICE("of", struct lode_next_answer, is_of_clusters, of,
			  "clusters where there are no signatures"),
	LODE_FIELD_AS("signatures", struct lode_next_answer, n_known,
		      "signatures, or clusters, that can be seen"),
	LODE_FIELD_AS("seen", struct lode_next_answer, n_seen, "of these, in opened recordings"),
	LODE_FIELD(struct lode_next_answer, explained_ns, "what all of them explain of symptom_ns"),
	LODE_FIELD(struct lode_next_answer, unexplained_ns, "the rest of symptom_ns"),
	LODE_FIELD_POINTER("unexplained_most", struct lode_next_answer, rest, &rest_record,
			   "of the recordings that are not opened, where most is unexplained",
			   .absent = "nothing is"),
	LODE_FIELD_AS("enough", struct lode_next_answer, n_enough,
		      "recordings to open, in this order, until all signatures are seen"),
	LODE_FIELD(struct lode_next_answer, start_ns, "covered by what is opened"),
	LODE_LIST("order", struct lode_next_answer, steps, n_steps, &step_record,
		  "recordings that are not opened, the next one first"),
	LODE_FIELD_AS("more", struct lode_next_answer, n_more, "left out by --top",
		      .absent = "none was"),
	LODE_LIST("known", struct lode_next_answer, known, n_known_listed, &known_record,
		  "the signatures that are not retired, or the clusters",
		  .absent = "without --detail"),
	LODE_FIELD_POINTER("compare", struct lode_next_answer, curves, &compare_record, NULL,
			   .absent = "without --compare"),
	LODE_LIST("skipped", struct lode_next_answer, skipped, n_skipped, &lode_skipped_record,
		  "inputs of which nothing could be used"),
	LODE_LIST("incomplete", struct lode_next_answer, incomplete, n_incomplete,
		  &lode_skipped_record, "inputs that are cut or damaged: what was sound was used"),
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
