/* The document of lode coverage. */
#include <stdlib.h>
#include <string.h>

#include "reports/coverage_report.h"
#include "reports/input_fields.h"
#include "reports/json_parts.h"

/* ---- How much is covered: of all, and of a group ---- */

struct cover {
	int64_t symptom_ns, aoi_ns, covered_ns, returned_ns;
	double coverage;
};

static const struct lode_field cover_fields[] = {
	LODE_FIELD(struct cover, symptom_ns, "sum of the symptoms' lengths", .is_positive = true),
	LODE_FIELD(struct cover, aoi_ns, "cost of all events of the area of interest",
		   .is_positive = true),
	LODE_FIELD(struct cover, covered_ns,
		   "what any signature matches that is not retired, each event once",
		   .is_positive = true),
	LODE_FIELD(struct cover, returned_ns, "what only retired ones match", .is_positive = true),
	LODE_FIELD(struct cover, coverage, "covered_ns / symptom_ns", .is_positive = true),
	LODE_FIELDS_END,
};
static const struct lode_record cover_record = {"cover", cover_fields, sizeof(struct cover)};

static struct cover cover_of(const struct lode_stream_cover *cover)
{
	return (struct cover){cover->symptom_ns, cover->aoi_ns, cover->covered_ns,
			      cover->returned_ns, lode_ratio(cover->covered_ns, cover->symptom_ns)};
}

struct group {
	const char *name;
	uint32_t n_streams;
	struct cover cover;
};

static const struct lode_field group_fields[] = {
	LODE_FIELD(struct group, name, NULL),
	LODE_FIELD_AS("streams", struct group, n_streams, NULL),
	LODE_FIELDS_OF(struct group, cover, &cover_record),
	LODE_FIELDS_END,
};
static const struct lode_record group_record = {"group", group_fields, sizeof(struct group)};

/* ---- One signature ---- */

struct cell {
	const char *name;
	uint32_t n_streams;
	int64_t total_ns, exclusive_ns;
	double share;
};

static const struct lode_field cell_fields[] = {
	LODE_FIELD(struct cell, name, NULL),
	LODE_FIELD_AS("streams", struct cell, n_streams, NULL),
	LODE_FIELD(struct cell, total_ns, NULL, .is_positive = true),
	LODE_FIELD(struct cell, exclusive_ns, NULL, .is_positive = true),
	LODE_FIELD(struct cell, share, "of the group's symptom_ns", .is_positive = true),
	LODE_FIELDS_END,
};
static const struct lode_record cell_record = {"cell", cell_fields, sizeof(struct cell)};

struct worst {
	const char *stream, *comm;
	uint64_t stream_id;
	int32_t pid, tid;
	int64_t t0_ns, cost_ns;
};

static const struct lode_field worst_fields[] = {
	LODE_FIELD(struct worst, stream, "its path"),
	LODE_FIELD_ID("stream_id", struct worst, stream_id, NULL),
	LODE_FIELD(struct worst, pid, NULL),
	LODE_FIELD(struct worst, tid, NULL),
	LODE_FIELD(struct worst, comm, NULL),
	LODE_FIELD(struct worst, t0_ns, "start of its costliest event there"),
	LODE_FIELD(struct worst, cost_ns, "in that symptom", .is_positive = true),
	LODE_FIELDS_END,
};
static const struct lode_record worst_record = {"worst", worst_fields, sizeof(struct worst)};

struct row {
	const char *name, *owner, *bug;
	bool is_retired;
	const struct lode_signature_cost *cost;
	double share;
	const struct worst *worst;
	struct cell *groups;
	size_t n_groups;
};

#define COST(key, member, text) \
	LODE_FIELD_AS(key, struct lode_signature_cost, member, text, .is_positive = true)

static const struct lode_field total_fields[] = {
	COST("total_ns", total_ns, "what it matches, each event once"),
	COST("exclusive_ns", exclusive_ns, "what no other that is not retired matches"),
	LODE_FIELDS_END,
};
static const struct lode_record total_record = {"total", total_fields,
						sizeof(struct lode_signature_cost)};

static const struct lode_field split_fields[] = {
	COST("wait_ns", split_ns[LODE_EVENT_WAITING], NULL),
	COST("run_ns", split_ns[LODE_EVENT_RUNNING], NULL),
	COST("ready_ns", split_ns[LODE_EVENT_READY], NULL),
	LODE_FIELDS_END,
};
static const struct lode_record split_record = {"split", split_fields,
						sizeof(struct lode_signature_cost)};

static const struct lode_field count_fields[] = {
	COST("events", n_events, NULL),
	COST("streams", n_streams, NULL),
	COST("symptoms", n_symptoms, NULL),
	LODE_FIELDS_END,
};
static const struct lode_record count_record = {"counts", count_fields,
						sizeof(struct lode_signature_cost)};

static const char *const states[] = {"active", "retired", NULL};

static const struct lode_field row_fields[] = {
	LODE_FIELD(struct row, name, NULL),
	LODE_FIELD_CHOICE("state", struct row, is_retired, states, NULL),
	LODE_FIELD(struct row, owner, NULL),
	LODE_FIELD(struct row, bug, "its address; empty: none"),
	LODE_FIELDS_AT(struct row, cost, &total_record),
	LODE_FIELD(struct row, share, "total_ns of symptom_ns", .is_positive = true),
	LODE_FIELD_POINTER("split", struct row, cost, &split_record, "of total_ns"),
	LODE_FIELDS_AT(struct row, cost, &count_record),
	LODE_FIELD_POINTER("worst", struct row, worst, &worst_record,
			   "the symptom that it costs most", .absent = "it matches nothing"),
	LODE_LIST("groups", struct row, groups, n_groups, &cell_record, "groups where it is",
		  .absent = "without --by"),
	LODE_FIELDS_END,
};
static const struct lode_record row_record = {"signature", row_fields, sizeof(struct row)};

/* ---- The document ---- */

struct coverage {
	const char *unit;
	size_t n_streams, n_symptoms;
	struct cover all;
	struct row *signatures;
	size_t n_signatures, n_more;
	const char *by;
	struct group *groups;
	size_t n_groups;
	const struct lode_digest_job *job;
};

static const struct lode_field coverage_fields[] = {
	LODE_FIELD(struct coverage, unit, "unit of all costs, as in lode mine --json"),
	LODE_FIELD_AS("streams", struct coverage, n_streams, NULL),
	LODE_FIELD_AS("symptoms", struct coverage, n_symptoms, NULL),
	LODE_FIELDS_OF(struct coverage, all, &cover_record),
	LODE_LIST("signatures", struct coverage, signatures, n_signatures, &row_record,
		  "those that are not retired first, by --rank"),
	LODE_FIELD_AS("more", struct coverage, n_more, "signatures left out by --top",
		      .absent = "none was"),
	LODE_FIELD(struct coverage, by, "the label that groups streams", .absent = "without --by"),
	LODE_LIST("groups", struct coverage, groups, n_groups, &group_record,
		  "all groups, in the order of their names", .absent = "without --by"),
	LODE_FIELDS_AT(struct coverage, job, &lode_job_inputs_record),
	LODE_FIELDS_END,
};
static const struct lode_record coverage_record = {"coverage", coverage_fields,
						   sizeof(struct coverage)};

const struct lode_document lode_coverage_document = {
	.schema = "lode/coverage/1",
	.file = "coverage",
	.title = "lode coverage --json",
	.record = &coverage_record,
};

/* ---- From the report ---- */

static const char *string_at(const struct lode_digest *digest, uint32_t id)
{
	return digest->tree.strings.text.at[id];
}

static const struct worst *worst_of(const struct lode_digest *digest,
				    const struct lode_signature_cost *cost,
				    struct lode_arena *arena)
{
	const struct lode_digest_symptom *s;
	struct worst *worst;

	if (cost->worst_symptom == LODE_NONE)
		return NULL;
	s = &digest->symptoms.at[cost->worst_symptom];
	worst = lode_arena_array(arena, struct worst, 1);
	*worst = (struct worst){
		.stream = string_at(digest, digest->streams.at[s->stream].path),
		.comm = string_at(digest, s->comm),
		.stream_id = digest->streams.at[s->stream].content_hash,
		.pid = s->pid,
		.tid = s->tid,
		.t0_ns = cost->worst_t0_ns,
		.cost_ns = cost->worst_ns,
	};
	return worst;
}

static void list_cells(struct row *row, const struct lode_coverage_job *job, uint32_t signature,
		       struct lode_arena *arena)
{
	const struct lode_signature_trend *trend = &job->trend;

	row->groups = lode_arena_array(arena, struct cell, trend->n_groups + 1);
	for (size_t g = 0; g < trend->n_groups; g++) {
		const struct lode_trend_cell *cell = lode_trend_cell(trend, signature, g);

		if (cell->n_streams)
			row->groups[row->n_groups++] = (struct cell){
				job->groups[g], cell->n_streams, cell->total_ns, cell->exclusive_ns,
				lode_ratio(cell->total_ns, trend->groups[g].symptom_ns)};
	}
}

static void list_signatures(struct coverage *out, const struct lode_coverage_report *report,
			    struct lode_arena *arena)
{
	const struct lode_coverage_job *job = report->job;
	uint32_t *order = lode_coverage_order(report);
	size_t n = job->coverage.n_signatures;

	out->n_signatures = report->top && report->top < n ? report->top : n;
	out->n_more = n - out->n_signatures;
	out->signatures = lode_arena_array(arena, struct row, out->n_signatures + 1);
	for (size_t i = 0; i < out->n_signatures; i++) {
		const struct lode_signature *s = &job->signatures->list.at[order[i]];
		const struct lode_signature_cost *cost = &job->coverage.signatures[order[i]];

		out->signatures[i] = (struct row){
			.name = s->name,
			.owner = s->owner,
			.bug = s->bug,
			.is_retired = s->is_retired,
			.cost = cost,
			.share = lode_ratio(cost->total_ns, job->coverage.all.symptom_ns),
			.worst = worst_of(job->streams.job.digest, cost, arena),
		};
		if (job->by)
			list_cells(&out->signatures[i], job, order[i], arena);
	}
	free(order);
}

static void list_groups(struct coverage *out, const struct lode_coverage_job *job,
			struct lode_arena *arena)
{
	const struct lode_signature_trend *trend = &job->trend;

	out->by = job->by;
	out->n_groups = trend->n_groups;
	out->groups = lode_arena_array(arena, struct group, trend->n_groups + 1);
	for (size_t g = 0; g < trend->n_groups; g++)
		out->groups[g] = (struct group){job->groups[g], trend->n_streams[g],
						cover_of(&trend->groups[g])};
}

void lode_coverage_report_json(FILE *out, const struct lode_coverage_report *report)
{
	const struct lode_coverage_job *job = report->job;
	const struct lode_digest *digest = job->streams.job.digest;
	struct lode_arena arena = {0};
	struct coverage coverage = {
		.unit = digest->unit,
		.n_streams = digest->streams.n,
		.n_symptoms = digest->symptoms.n,
		.all = cover_of(&job->coverage.all),
		.job = &job->streams.job,
	};

	list_signatures(&coverage, report, &arena);
	if (job->by)
		list_groups(&coverage, job, &arena);
	lode_document_put(out, &lode_coverage_document, &coverage, NULL);
	lode_arena_release(&arena);
}
