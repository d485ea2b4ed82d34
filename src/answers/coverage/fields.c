/* The document of lode coverage. */
#include "answers/coverage/coverage.h"
#include "answers/clusters/cluster_rows.h"
#include "answers/input_fields.h"

/* ---- Groups of streams ---- */

static const struct lode_field group_fields[] = {
	LODE_FIELD(struct lode_coverage_group, name, NULL),
	LODE_FIELD_AS("streams", struct lode_coverage_group, n_streams, NULL),
	LODE_FIELDS_OF(struct lode_coverage_group, cover, &lode_cover_times_record),
	LODE_FIELDS_OF(struct lode_coverage_group, cover, &lode_cover_share_record),
};
LODE_RECORD(group, struct lode_coverage_group);

/* ---- One signature ---- */

static const struct lode_field cell_fields[] = {
	LODE_FIELD(struct lode_coverage_cell, name, NULL),
	LODE_FIELD_AS("streams", struct lode_coverage_cell, n_streams, NULL),
	LODE_FIELD(struct lode_coverage_cell, total_ns, NULL, .is_positive = true),
	LODE_FIELD(struct lode_coverage_cell, exclusive_ns, NULL, .is_positive = true),
	LODE_FIELD(struct lode_coverage_cell, share, "share of the group's symptom_ns",
		   .is_positive = true),
};
LODE_RECORD(cell, struct lode_coverage_cell);

static const struct lode_field worst_fields[] = {
	LODE_FIELD(struct lode_coverage_worst, stream, "path of the recording"),
	LODE_FIELD_ID("stream_id", struct lode_coverage_worst, stream_id, NULL),
	LODE_FIELD(struct lode_coverage_worst, pid, NULL),
	LODE_FIELD(struct lode_coverage_worst, tid, NULL),
	LODE_FIELD(struct lode_coverage_worst, comm, NULL),
	LODE_FIELD(struct lode_coverage_worst, t0_ns, "start of its costliest event"),
	LODE_FIELD(struct lode_coverage_worst, cost_ns, "in that symptom", .is_positive = true),
};
LODE_RECORD(worst, struct lode_coverage_worst);

#define COST(key, member, text) \
	LODE_FIELD_AS(key, struct lode_signature_cost, member, text, .is_positive = true)

static const struct lode_field total_fields[] = {
	COST("total_ns", total_ns, "cost of the events that it matches; each event counts once"),
	COST("exclusive_ns", exclusive_ns, "exclusive cost: matched by no other active signature"),
};
LODE_RECORD(total, struct lode_signature_cost);

static const struct lode_field split_fields[] = {
	COST("wait_ns", split_ns[LODE_EVENT_WAITING], NULL),
	COST("run_ns", split_ns[LODE_EVENT_RUNNING], NULL),
	COST("ready_ns", split_ns[LODE_EVENT_READY], NULL),
};
LODE_RECORD(split, struct lode_signature_cost);

static const struct lode_field count_fields[] = {
	COST("events", n_events, NULL),
	COST("streams", n_streams, NULL),
	COST("symptoms", n_symptoms, NULL),
};
LODE_RECORD(count, struct lode_signature_cost);

static const char *const states[] = {"active", "retired", NULL};

static const struct lode_field row_fields[] = {
	LODE_FIELD(struct lode_coverage_signature, name, NULL),
	LODE_FIELD_CHOICE("state", struct lode_coverage_signature, is_retired, states, NULL),
	LODE_FIELD(struct lode_coverage_signature, owner, NULL),
	LODE_FIELD(struct lode_coverage_signature, bug, "URL of the bug; empty: none"),
	LODE_FIELDS_AT(struct lode_coverage_signature, cost, &total_record),
	LODE_FIELD(struct lode_coverage_signature, share, "total_ns / symptom_ns",
		   .is_positive = true),
	LODE_FIELD_POINTER("split", struct lode_coverage_signature, cost, &split_record,
			   "of total_ns"),
	LODE_FIELDS_AT(struct lode_coverage_signature, cost, &count_record),
	LODE_FIELD_POINTER("worst", struct lode_coverage_signature, worst, &worst_record,
			   "the symptom with its largest cost", .absent = "it matches nothing"),
	LODE_LIST("groups", struct lode_coverage_signature, cells, n_cells, &cell_record,
		  "groups in which it occurs", .absent = "--by is not given"),
};
LODE_RECORD(row, struct lode_coverage_signature);

/* ---- The rest ---- */

static const struct lode_field rest_fields[] = {
	LODE_FIELD(struct lode_coverage_rest, function, "the most distinctive functions"),
	LODE_FIELD(struct lode_coverage_rest, why,
		   "the main component of its time, with its share"),
	LODE_FIELD(struct lode_coverage_rest, own_ns,
		   "own cost: counted in no other part of the rest", .is_positive = true),
	LODE_FIELD_AS("streams", struct lode_coverage_rest, n_streams, NULL),
	LODE_LIST("headline", struct lode_coverage_rest, headline, n_headline,
		  &lode_headline_hop_record, LODE_HEADLINE_DOC),
};
LODE_RECORD(rest, struct lode_coverage_rest);

/* ---- The document ---- */

static const struct lode_field coverage_fields[] = {
	LODE_FIELDS_OF(struct lode_coverage_answer, opening, &lode_opening_record),
	LODE_FIELD(struct lode_coverage_answer, unit, "unit of all costs, as in lode mine --json"),
	LODE_FIELD_AS("streams", struct lode_coverage_answer, n_streams, NULL),
	LODE_FIELD_AS("symptoms", struct lode_coverage_answer, n_symptoms, NULL),
	LODE_FIELDS_OF(struct lode_coverage_answer, all, &lode_cover_times_record),
	LODE_FIELDS_OF(struct lode_coverage_answer, all, &lode_cover_share_record),
	LODE_LIST("signatures", struct lode_coverage_answer, signatures, n_signatures, &row_record,
		  "active ones first, then retired, each by --rank"),
	LODE_FIELD_AS("more", struct lode_coverage_answer, n_more, "signatures left out by --top",
		      .absent = "none were"),
	LODE_LIST("rest", struct lode_coverage_answer, rest, n_rest, &rest_record,
		  "what no signature explains, mined as by lode mine, largest first"),
	LODE_FIELD_AS("rest_more", struct lode_coverage_answer, n_rest_more, "left out by --top",
		      .absent = "none were"),
	LODE_FIELD(struct lode_coverage_answer, not_mined, "why the rest was not mined",
		   .absent = "it was, or --no-mining was given"),
	LODE_FIELD(struct lode_coverage_answer, rest_other_ns,
		   "cost of the rest outside of these clusters",
		   .absent = "the rest was not mined"),
	LODE_FIELD(struct lode_coverage_answer, by, "the label that recordings are grouped by",
		   .absent = "--by is not given"),
	LODE_LIST("groups", struct lode_coverage_answer, groups, n_groups, &group_record,
		  "all groups, by name", .absent = "--by is not given"),
	LODE_FIELDS_AT(struct lode_coverage_answer, read, &lode_job_inputs_record),
};
LODE_RECORD(coverage, struct lode_coverage_answer);

const struct lode_document lode_coverage_document = {
	.schema = "lode/coverage/1",
	.file = "coverage",
	.title = "lode coverage --json",
	.record = &coverage_record,
	.names = lode_coverage_names,
	.find = lode_coverage_findings,
};
