/* Fields of the document of lode mine. */
#include "answers/mine/mine.h"
#include "answers/clusters/alias_words.h"
#include "streams/shape.h"
#include "answers/input_fields.h"

/* ---- What was read ---- */

/* A stream with its losses. */
struct input_row {
	const struct lode_digest_stream *stream;
	const struct lode_repo_label *labels;
	size_t n_labels;
	struct lode_loss_row losses[LODE_N_LOSS_KINDS];
	const struct lode_loss_row *first;
	size_t n_losses;
};

static void make_input_row(void *row, const void *answer, size_t i)
{
	const struct lode_mine_answer *of = answer;
	struct input_row *input = row;

	input->stream = &of->digest->streams.at[i];
	if (of->served || of->rows.options.has_detail)
		input->n_labels = lode_stream_set_labels(&input->labels, of->set, i);
	input->first = input->losses;
	input->n_losses =
		lode_loss_note_rows(input->losses, lode_digest_losses_of(of->digest, input->stream),
				    input->stream->n_losses);
}

static const struct lode_field loss_fields[] = {
	LODE_FIELD(struct lode_loss_row, kind, NULL),
	LODE_FIELD(struct lode_loss_row, count, NULL, .least = 1),
	LODE_FIELD_AS("first", struct lode_loss_row, detail, "description of the first one"),
};
LODE_RECORD(loss, struct lode_loss_row);

#define STREAM_TEXT(key, member) \
	LODE_FIELD_OF(key, LODE_TYPE_NAME, struct lode_digest_stream, member, NULL)

static const struct lode_field stream_fields[] = {
	LODE_FIELD_ID("id", struct lode_digest_stream, content_hash,
		      "hash of the recording's identity"),
	STREAM_TEXT("path", path),
	STREAM_TEXT("host", host),
	STREAM_TEXT("kernel", kernel),
	LODE_FIELD(struct lode_digest_stream, t0_ns, NULL),
	LODE_FIELD(struct lode_digest_stream, t1_ns, NULL),
	LODE_FIELD_AS("no_waker_ns", struct lode_digest_stream, lost_cost_ns,
		      "symptom time in waits without a recorded waker"),
	LODE_FIELD_AS("records", struct lode_digest_stream, n_records, "that were read of it",
		      .absent = "it is from a digest of an older version"),
};
LODE_RECORD(stream, struct lode_digest_stream);

static const struct lode_field input_fields[] = {
	LODE_FIELDS_AT(struct input_row, stream, &stream_record),
	LODE_MAP_FIELD("labels", struct input_row, labels, n_labels, &lode_repo_label_record,
		       "of the repository", .absent = "--detail is not given, or it has none"),
	LODE_LIST("losses", struct input_row, first, n_losses, &loss_record, NULL),
};
LODE_RECORD(input, struct input_row);

/* ---- What was mined ---- */

#define AOI_KIND(key, kind) \
	LODE_FIELD_OF(key, LODE_TYPE_INT64, struct lode_mined, aoi_kind_ns[kind], NULL)

static const struct lode_field aoi_fields[] = {
	LODE_FIELD_AS("events", struct lode_mined, n_aoi_events, NULL),
	LODE_FIELD_AS("stacks", struct lode_mined, n_aoi_stacks, NULL),
	AOI_KIND("wait_ns", LODE_EVENT_WAITING),
	AOI_KIND("run_ns", LODE_EVENT_RUNNING),
	AOI_KIND("ready_ns", LODE_EVENT_READY),
	LODE_FIELD(struct lode_mined, contended_ns,
		   "part of ready_ns in which other threads are known to have had the CPU"),
	LODE_LIST("ran_instead", struct lode_mined, ran_instead, n_ran_instead, &lode_runner_record,
		  "what had the CPU during ready time, by cost; sums to ready_ns, except for "
		  "digests of older versions"),
};
LODE_RECORD(aoi, struct lode_mined);

static const struct lode_field mined_fields[] = {
	LODE_FIELD(struct lode_mined, symptom_ns,
		   "total time of the symptoms: their durations, and the CPU time of threads of "
		   "recordings that have CPU samples alone"),
	LODE_FIELD(struct lode_mined, symptom_cpu_ns, "part of symptom_ns that is such CPU time"),
	LODE_RECORD_HERE("aoi", &aoi_record,
			 "the area of interest; with --scope critical and no content filter its "
			 "costs and recording_ns sum to symptom_ns"),
	LODE_FIELD(
		struct lode_mined, recording_ns,
		"symptom time in tracing code and in threads of the recorder: in no cluster, and "
		"not in `aoi`"),
	LODE_FIELD_AS("unsampled_ns", struct lode_mined, aoi_unsampled_ns,
		      "of aoi.run_ns: running time without a CPU sample, attributed by samples of "
		      "similar runs"),
	LODE_FIELD_AS("lambda_ns", struct lode_mined, min_cost, "minimum cost of a pattern"),
	LODE_FIELD_AS("rounds", struct lode_mined, n_rounds, NULL),
	LODE_FIELD_AS("patterns", struct lode_mined, n_patterns, NULL),
	LODE_FIELD_AS("patterns_not_compared", struct lode_mined, n_not_compared,
		      "patterns too long to compare: each is its own cluster",
		      .absent = "there are none"),
	LODE_FIELD(struct lode_mined, other_ns,
		   "cost of stacks that no pattern explains; the own costs of all clusters plus "
		   "other_ns are the cost of the area of interest"),
};
LODE_RECORD(mined, struct lode_mined);

static const struct lode_field program_fields[] = {
	LODE_FIELD(struct lode_mine_program, name, "of its threads"),
	LODE_FIELD(struct lode_mine_program, cost_ns, NULL),
	LODE_FIELD_AS("other_ns", struct lode_mine_program, other_ns,
		      "part of cost_ns in stacks that no pattern explains"),
	LODE_FIELD_AS("threads", struct lode_mine_program, n_threads, NULL),
};
LODE_RECORD(program, struct lode_mine_program);

static const struct lode_field cpu_fields[] = {
	LODE_LIST("programs", struct lode_mine_cpu, programs, n_listed, &program_record, "by cost"),
	LODE_FIELD_AS("programs_more", struct lode_mine_cpu, n_more, "left out by --top"),
};
LODE_RECORD(cpu, struct lode_mine_cpu);

static const struct lode_field option_fields[] = {
	LODE_FIELD(struct lode_mine_answer, symptoms, NULL),
	LODE_FIELD(struct lode_mine_answer, scope, NULL, .choices = lode_scope_choices),
	LODE_FIELD(struct lode_mine_answer, stacks, NULL, .choices = lode_stacks_choices),
	LODE_FIELD(struct lode_mine_answer, rank, NULL, .choices = lode_rank_choices),
	LODE_FIELD(struct lode_mine_answer, lambda, NULL),
	LODE_FIELD_AS("classic", struct lode_mine_answer, is_classic, NULL),
};
LODE_RECORD(option, struct lode_mine_answer);

/* ---- What a server has beyond it ---- */

const char *const lode_mine_questions[] = {"cluster", "streams", "symptoms",   "path",	  "trend",
					   "flame",   "source",	 "signatures", "compare", NULL};
const char *const lode_mine_changes[] = {"sign", "edit", "retire", "activate", "delete", NULL};

static const struct lode_field served_fields[] = {
	LODE_FIELD(struct lode_mine_served, repo, "path of the repository",
		   .absent = "the report is made from files"),
	LODE_FIELD(struct lode_mine_served, where,
		   "the query that selected the recordings; empty: all",
		   .absent = "the report is made from files"),
	LODE_COLUMN("questions", struct lode_mine_served, questions, n_questions,
		    "queries that the server answers for this report",
		    .choices = lode_mine_questions),
	LODE_COLUMN("changes", struct lode_mine_served, changes, n_changes,
		    "changes that the server accepts; empty without a repository",
		    .choices = lode_mine_changes),
};
LODE_RECORD(served, struct lode_mine_served);

static const struct lode_field path_fields[] = {
	LODE_FIELDS_HERE(&lode_path_words_record),
	LODE_LIST("paths", struct lode_path_rows, at, n, &lode_path_record,
		  "critical paths of the worst symptoms of the first clusters"),
};
static const struct lode_record paths_record =
	LODE_RECORD_OF("paths", path_fields, struct lode_path_rows);

/* ---- The document ---- */

static const struct lode_field unit_fields[] = {
	LODE_FIELD(struct lode_digest, unit,
		   "unit of all costs: ns for recordings; for folded stacks the unit of the file, "
		   "which then also applies to the *_ns fields"),
};
LODE_RECORD(unit, struct lode_digest);

static const struct lode_field lost_fields[] = {
	LODE_FIELD_AS("events", struct lode_mine_quality, n_losses[LODE_LOSS_EVENTS],
		      "events that the recorders report as dropped"),
	LODE_FIELD_AS("records", struct lode_mine_quality, n_records, "that were read",
		      .absent = "a digest is of an older version"),
	LODE_FIELD_AS("share_pct", struct lode_mine_quality, lost_pct,
		      "of lost events, in these and the records that were read",
		      .is_positive = true, .most = 100,
		      .absent = "the number of records is unknown"),
};
LODE_RECORD(lost, struct lode_mine_quality);

static const struct lode_field answer_fields[] = {
	LODE_FIELDS_OF(struct lode_mine_answer, opening, &lode_opening_record),
	LODE_FIELDS_AT(struct lode_mine_answer, digest, &unit_record),
	LODE_FIELDS_AT(struct lode_mine_answer, digest, &lode_aliases_record),
	LODE_FIELD_AS("streams", struct lode_mine_answer, n_streams, NULL),
	LODE_FIELD_AS("symptoms", struct lode_mine_answer, n_symptoms, NULL),
	LODE_FIELDS_AT(struct lode_mine_answer, mined, &mined_record),
	LODE_FIELD_POINTER("cpu", struct lode_mine_answer, cpu, &cpu_record,
			   "which programs took the CPU",
			   .absent = "some of the recordings have more than CPU samples"),
	LODE_FIELD(struct lode_mine_answer, busy,
		   "what had the CPUs while threads were ready, as text escaped for terminals; "
		   "aoi.ran_instead lists all",
		   .absent = "less than 5 % of the area of interest is ready time in which other "
			     "threads had the CPU"),
	LODE_FIELD(struct lode_mine_answer, ready_unknown,
		   "why it is unknown what ready threads waited for (ready_unknown_ns), and "
		   "what to record instead",
		   .absent = "that is less than 5 % of the area of interest"),
	LODE_FIELD_RECORD("lost", struct lode_mine_answer, quality, &lost_record, NULL),
	LODE_RECORD_HERE("options", &option_record, NULL),
	LODE_FIELD_POINTER("served", struct lode_mine_answer, served, &served_record,
			   "true: the document has only the list of clusters; `patterns`, `worst` "
			   "and the patterns of `signature` are empty (the `_more` fields count "
			   "them), and the query `cluster` returns one cluster in full",
			   .absent = "the document is not from a server"),
	LODE_FIELDS_OF(struct lode_mine_answer, rows, &lode_cluster_rows_record),
	LODE_FIELDS_AT(struct lode_mine_answer, paths, &paths_record,
		       .absent = "--paths is not given"),
	LODE_FIELD_POINTER("cells", struct lode_mine_answer, cells, &lode_cluster_cells_record,
			   "own costs by cluster, recording, thread, kind, reason and end of the "
			   "chain, in columns, for the filters of pages",
			   .absent = "--detail is not given, or there are more than 40,000"),
	LODE_ROWS("inputs", struct lode_mine_answer, n_inputs_listed, make_input_row, &input_record,
		  "the recordings mined"),
	LODE_FIELD_AS("inputs_more", struct lode_mine_answer, n_inputs_more, NULL,
		      .absent = "none are left out"),
	LODE_LIST("skipped", struct lode_mine_answer, skipped, n_skipped, &lode_skipped_record,
		  "unusable inputs"),
	LODE_LIST("incomplete", struct lode_mine_answer, incomplete, n_incomplete,
		  &lode_skipped_record,
		  "truncated or damaged inputs: only the intact part was used"),
};
LODE_RECORD(answer, struct lode_mine_answer);

static struct lode_names names_of_answer(const void *of)
{
	const struct lode_mine_answer *answer = of;

	return lode_tree_names(&answer->digest->tree);
}

const struct lode_document lode_mine_document = {
	.schema = "lode/mine/1",
	.file = "mine",
	.title = "lode mine --json",
	.record = &answer_record,
	.names = names_of_answer,
	.find = lode_mine_findings,
};
