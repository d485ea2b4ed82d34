/* Documents of what is asked of a served answer. */
#include "answers/mine/served.h"

#include "answers/input_fields.h"
#include "answers/sign/sign.h"

/* Of lists inside of one cluster's document; and of one cluster alone, there is room for a large
   picture. */
enum { TOP_INSIDE = 50, ROOM_OF_ONE = 30 };

/* ---- One cluster ---- */

struct one_cluster {
	const char *unit;
	int64_t symptom_ns;
	struct lode_cluster_row cluster;
	const struct lode_flame_functions *functions;
};

static const struct lode_field one_cluster_fields[] = {
	LODE_FIELD(struct one_cluster, unit, NULL),
	LODE_FIELD(struct one_cluster, symptom_ns, NULL),
	LODE_FIELD_RECORD("cluster", struct one_cluster, cluster, &lode_cluster_row_record, NULL),
	LODE_FIELDS_AT(struct one_cluster, functions, &lode_flame_functions_record),
};
LODE_RECORD(one_cluster, struct one_cluster);
const struct lode_document lode_mine_cluster_document = {
	.schema = "lode/mine-cluster/1",
	.file = "mine-cluster",
	.title = "lode serve: GET cluster?id=ID",
	.record = &one_cluster_record,
};

void lode_mine_cluster_json(FILE *out, const struct lode_mine_answer *answer,
			    const struct lode_cluster *cluster)
{
	struct lode_names names = lode_tree_names(&answer->digest->tree);
	struct lode_cluster_rows_options options = {.top = TOP_INSIDE,
						    .has_detail = true,
						    .signatures = answer->signatures,
						    .n_sharing = ROOM_OF_ONE};
	struct one_cluster one = {.unit = answer->digest->unit,
				  .symptom_ns = answer->mined->symptom_ns};
	struct lode_cluster_rows rows;

	lode_cluster_rows_build(&rows, answer->mined, cluster, &options);
	lode_cluster_row_make(&one.cluster, &rows, 0);
	one.functions = rows.functions;
	lode_document_put(out, &lode_mine_cluster_document, &one, &names);
	lode_cluster_rows_release(&rows);
}

/* ---- Stacks of one cluster, filtered ---- */

struct filtered_flame {
	const char *unit;
	const struct lode_cluster *cluster;
	struct lode_flame_rows flame;
	struct lode_flame_functions functions;
};

static const struct lode_field id_fields[] = {
	LODE_FIELD_ID("cluster", struct lode_cluster, id, NULL),
};
LODE_RECORD(id, struct lode_cluster);

static const struct lode_field filtered_fields[] = {
	LODE_FIELD(struct filtered_flame, unit, NULL),
	LODE_FIELDS_AT(struct filtered_flame, cluster, &id_record),
	LODE_FIELD_RECORD(
		"flame", struct filtered_flame, flame, &lode_flame_record,
		"the cluster's stacks as one call tree, with the costs that pass the filter"),
	LODE_FIELDS_OF(struct filtered_flame, functions, &lode_flame_functions_record),
};
LODE_RECORD(filtered, struct filtered_flame);
const struct lode_document lode_mine_flame_document = {
	.schema = "lode/mine-flame/1",
	.file = "mine-flame",
	.title = "lode serve: GET flame?cluster=ID&...",
	.record = &filtered_record,
};

void lode_mine_flame_json(FILE *out, const struct lode_mine_answer *answer,
			  const struct lode_cluster *cluster, const struct lode_cell_filter *filter)
{
	const struct lode_calltree *tree = &answer->digest->tree;
	struct lode_names names = lode_tree_names(tree);
	struct filtered_flame one = {.unit = answer->digest->unit, .cluster = cluster};
	lode_filtered_stacks stacks = {0};
	struct lode_arena arena = {0};
	struct lode_flame flame = {0};

	lode_cluster_filter(&stacks, answer->mined, cluster, filter);
	lode_flame_build(&flame, tree, stacks.at, stacks.n, lode_flame_room(cluster, ROOM_OF_ONE));
	lode_flame_rows_make(&one.flame, &flame, &one.functions, &arena);
	lode_document_put(out, &lode_mine_flame_document, &one, &names);
	lode_flame_functions_release(&one.functions);
	lode_flame_release(&flame);
	lode_vec_release(&stacks);
	lode_arena_release(&arena);
}

/* ---- Symptoms ---- */

struct symptom_row {
	uint32_t number;
	const struct lode_digest_symptom *symptom;
	const struct lode_cluster_worst *worst;
	double share;
	const struct lode_digest_row *row; /* has its costliest event */
};

static struct symptom_row symptom_row(const struct lode_drill *drill,
				      const struct lode_cluster_worst *worst)
{
	const struct lode_digest *digest = drill->mined->digest;
	const struct lode_digest_symptom *s = &digest->symptoms.at[worst->symptom];

	return (struct symptom_row){drill->number[worst->symptom], s, worst,
				    lode_ratio(worst->symptom_cost_ns, lode_digest_symptom_ns(s)),
				    &digest->rows.at[worst->row]};
}

static const struct lode_field cost_fields[] = {
	LODE_FIELD_AS("cost_ns", struct lode_cluster_worst, symptom_cost_ns,
		      "cost of the cluster in it"),
};
LODE_RECORD(cost, struct lode_cluster_worst);

static const struct lode_field event_fields[] = {
	LODE_FIELD_AS("event_t0_ns", struct lode_digest_row, worst_t0_ns,
		      "start of the costliest event"),
	LODE_FIELD_AS("event_ns", struct lode_digest_row, worst_cost_ns,
		      "cost of the costliest event"),
};
LODE_RECORD(event, struct lode_digest_row);

static const struct lode_field symptom_fields[] = {
	LODE_FIELD_AS("symptom", struct symptom_row, number,
		      "its number in the recording, for `path`"),
	LODE_FIELDS_AT(struct symptom_row, symptom, &lode_mine_symptom_record),
	LODE_FIELDS_AT(struct symptom_row, worst, &cost_record),
	LODE_FIELD(struct symptom_row, share, "cost_ns / length"),
	LODE_FIELDS_AT(struct symptom_row, row, &event_record),
};
LODE_RECORD(symptom, struct symptom_row);

struct cluster_symptoms {
	const char *unit;
	const struct lode_cluster *cluster;
	uint32_t stream;
	const struct lode_digest_stream *at;
	const struct lode_drill *drill;
	const uint32_t *worst; /* indices into cluster->worst */
	size_t n, n_more;
};

static void make_symptom_row(void *row, const void *symptoms, size_t i)
{
	const struct cluster_symptoms *of = symptoms;

	*(struct symptom_row *)row = symptom_row(of->drill, &of->cluster->worst[of->worst[i]]);
}

static const struct lode_field place_fields[] = {
	LODE_FIELD_ID("id", struct lode_digest_stream, content_hash, NULL),
	LODE_FIELD_OF("path", LODE_TYPE_NAME, struct lode_digest_stream, path, NULL),
};
LODE_RECORD(place, struct lode_digest_stream);

static const struct lode_field symptoms_fields[] = {
	LODE_FIELD(struct cluster_symptoms, unit, NULL),
	LODE_FIELDS_AT(struct cluster_symptoms, cluster, &id_record),
	LODE_FIELD(struct cluster_symptoms, stream, NULL),
	LODE_FIELDS_AT(struct cluster_symptoms, at, &place_record),
	LODE_ROWS("symptoms", struct cluster_symptoms, n, make_symptom_row, &symptom_record,
		  "by the cluster's cost in them"),
	LODE_FIELD_AS("more", struct cluster_symptoms, n_more, NULL, .absent = "none are left out"),
};
LODE_RECORD(symptoms, struct cluster_symptoms);
const struct lode_document lode_mine_symptoms_document = {
	.schema = "lode/mine-symptoms/1",
	.file = "mine-symptoms",
	.title = "lode serve: GET symptoms?cluster=ID&stream=S",
	.record = &symptoms_record,
};

void lode_mine_symptoms_json(FILE *out, const struct lode_drill *drill,
			     const struct lode_cluster *cluster, uint32_t stream, size_t top)
{
	const struct lode_digest *digest = drill->mined->digest;
	lode_drill_symptoms symptoms = {0};
	struct lode_names names = lode_tree_names(&digest->tree);
	struct cluster_symptoms list = {
		.unit = digest->unit,
		.cluster = cluster,
		.stream = stream,
		.at = &digest->streams.at[stream],
		.drill = drill,
	};

	lode_drill_symptoms_of(&symptoms, drill, cluster, stream);
	list.worst = symptoms.at;
	list.n = symptoms.n < top ? symptoms.n : top;
	list.n_more = symptoms.n - list.n;
	lode_document_put(out, &lode_mine_symptoms_document, &list, &names);
	lode_vec_release(&symptoms);
}

/* ---- Streams ---- */

struct stream_row {
	uint32_t number, n_symptoms;
	const struct lode_digest_stream *stream;
	char time_text[LODE_SIGNATURE_TIME_BYTES];
	const char *time; /* NULL: not known */
	const struct lode_repo_label *labels;
	size_t n_labels;
	int64_t symptom_ns, cost_ns;
	double share;
	struct symptom_row worst_rows[LODE_DRILL_WORST];
	const struct symptom_row *worst;
	size_t n_worst;
};

struct cluster_streams {
	const char *unit;
	const struct lode_cluster *cluster;
	const struct lode_stream_set *set;
	const struct lode_drill *drill;
	const struct lode_drill_stream *at;
	size_t n, n_more, n_shared;
};

static void set_time(struct stream_row *row, const struct lode_stream_set *set)
{
	const struct lode_digest_stream *s = row->stream;
	int64_t time_ns = 0;

	if (row->number < set->described.list.n)
		time_ns = set->described.list.at[row->number].time_ns;
	else if (!s->has_wall_clock ||
		 __builtin_add_overflow(s->t0_ns, s->wall_offset_ns, &time_ns))
		time_ns = 0;
	if (time_ns > 0)
		lode_signature_time_text(row->time_text, time_ns / 1000000000);
	row->time = *row->time_text ? row->time_text : NULL;
}

static void make_stream_row(void *out, const void *streams, size_t i)
{
	const struct cluster_streams *of = streams;
	const struct lode_drill_stream *at = &of->at[i];
	struct stream_row *row = out;

	row->number = at->stream;
	row->stream = &of->drill->mined->digest->streams.at[at->stream];
	set_time(row, of->set);
	row->n_labels = lode_stream_set_labels(&row->labels, of->set, at->stream);
	row->n_symptoms = at->n_symptoms;
	row->symptom_ns = of->drill->symptom_ns[at->stream];
	row->cost_ns = at->cost_ns;
	row->share = lode_ratio(at->cost_ns, row->symptom_ns);
	row->worst = row->worst_rows;
	for (; row->n_worst < at->n_symptoms && row->n_worst < LODE_DRILL_WORST; row->n_worst++)
		row->worst_rows[row->n_worst] =
			symptom_row(of->drill, &of->cluster->worst[at->worst[row->n_worst]]);
}

static const struct lode_field host_fields[] = {
	LODE_FIELD_OF("host", LODE_TYPE_NAME, struct lode_digest_stream, host, NULL),
	LODE_FIELD_OF("kernel", LODE_TYPE_NAME, struct lode_digest_stream, kernel, NULL),
};
LODE_RECORD(host, struct lode_digest_stream);

static const struct lode_field stream_fields[] = {
	LODE_FIELD_AS("stream", struct stream_row, number, "its number, for `symptoms` and `path`"),
	LODE_FIELDS_AT(struct stream_row, stream, &place_record),
	LODE_FIELDS_AT(struct stream_row, stream, &host_record),
	LODE_FIELD(struct stream_row, time, "2026-11-21T09:30:00Z", .absent = "it is not known",
		   .is_null = true),
	LODE_MAP_FIELD("labels", struct stream_row, labels, n_labels, &lode_repo_label_record,
		       NULL),
	LODE_FIELD_AS("symptoms", struct stream_row, n_symptoms,
		      "symptoms in which the cluster occurs"),
	LODE_FIELD(struct stream_row, symptom_ns, "of all symptoms of the recording"),
	LODE_FIELD(struct stream_row, cost_ns, "of the cluster"),
	LODE_FIELD(struct stream_row, share, "cost_ns / symptom_ns"),
	LODE_LIST("worst", struct stream_row, worst, n_worst, &symptom_record,
		  "the symptoms with its largest cost"),
};
LODE_RECORD(stream, struct stream_row);

static const struct lode_field whole_fields[] = {
	LODE_FIELDS_HERE(&id_record),
	LODE_FIELD(struct lode_cluster, own_ns, NULL),
	LODE_FIELD(struct lode_cluster, total_ns, NULL),
};
LODE_RECORD(whole, struct lode_cluster);

static const struct lode_field streams_fields[] = {
	LODE_FIELD(struct cluster_streams, unit, NULL),
	LODE_FIELDS_AT(struct cluster_streams, cluster, &whole_record),
	LODE_ROWS("streams", struct cluster_streams, n, make_stream_row, &stream_record,
		  "costliest first"),
	LODE_FIELD_AS("more", struct cluster_streams, n_more, NULL, .absent = "none are left out"),
	LODE_FIELD_AS("shared", struct cluster_streams, n_shared,
		      "recordings in which other clusters own all stacks that it matches"),
};
LODE_RECORD(streams, struct cluster_streams);
const struct lode_document lode_mine_streams_document = {
	.schema = "lode/mine-streams/1",
	.file = "mine-streams",
	.title = "lode serve: GET streams?cluster=ID",
	.record = &streams_record,
};

void lode_mine_streams_json(FILE *out, const struct lode_stream_set *set,
			    const struct lode_drill *drill, const struct lode_cluster *cluster,
			    size_t top)
{
	lode_drill_streams streams = {0};
	struct lode_names names = lode_tree_names(&set->job.digest->tree);
	struct cluster_streams list = {
		.unit = set->job.digest->unit,
		.cluster = cluster,
		.set = set,
		.drill = drill,
	};

	lode_drill_streams_of(&streams, drill, cluster);
	list.at = streams.at;
	list.n = streams.n < top ? streams.n : top;
	list.n_more = streams.n - list.n;
	if (cluster->n_streams > streams.n)
		list.n_shared = cluster->n_streams - streams.n;
	lode_document_put(out, &lode_mine_streams_document, &list, &names);
	lode_vec_release(&streams);
}

/* ---- One path ---- */

static const struct lode_field path_fields[] = {
	LODE_FIELDS_HERE(&lode_path_words_record),
	LODE_FIELD_POINTER("path", struct lode_path_rows, at, &lode_path_there_record, NULL),
};
LODE_RECORD(path, struct lode_path_rows);
const struct lode_document lode_mine_path_document = {
	.schema = "lode/mine-path/1",
	.file = "mine-path",
	.title = "lode serve: GET path?stream=S&symptom=I",
	.record = &path_record,
};

void lode_mine_path_json(FILE *out, const struct lode_mined *mined,
			 const struct lode_cluster_path *path)
{
	struct lode_names names = lode_tree_names(&mined->digest->tree);
	struct lode_arena arena = {0};
	struct lode_path_rows rows;

	lode_path_rows_make(&rows, mined, path, 1, &arena);
	lode_document_put(out, &lode_mine_path_document, &rows, &names);
	lode_arena_release(&arena);
}

/* ---- Signatures ---- */

static const char *const states[] = {"active", "retired", NULL};

struct known_row {
	struct lode_signature_row signature;
	const struct lode_signature_cost *cost;
	double share;
};

static const struct lode_field known_cost_fields[] = {
	LODE_FIELD(struct lode_signature_cost, total_ns, "cost of the events that it matches"),
	LODE_FIELD(struct lode_signature_cost, exclusive_ns,
		   "exclusive cost: matched by no other signature"),
};
LODE_RECORD(known_cost, struct lode_signature_cost);

static const struct lode_field known_count_fields[] = {
	LODE_FIELD_AS("streams", struct lode_signature_cost, n_streams, NULL),
	LODE_FIELD_AS("symptoms", struct lode_signature_cost, n_symptoms, NULL),
};
LODE_RECORD(known_count, struct lode_signature_cost);

static const struct lode_field known_fields[] = {
	LODE_FIELDS_OF(struct known_row, signature, &lode_signature_row_record),
	LODE_FIELDS_AT(struct known_row, cost, &known_cost_record),
	LODE_FIELD(struct known_row, share, "total_ns / symptom_ns"),
	LODE_FIELDS_AT(struct known_row, cost, &known_count_record),
};
LODE_RECORD(known, struct known_row);

struct match_row {
	const char *name;
	bool is_retired;
	int64_t matched_ns;
	double share;
};

static const struct lode_field match_fields[] = {
	LODE_FIELD(struct match_row, name, NULL),
	LODE_FIELD_CHOICE("state", struct match_row, is_retired, states, NULL),
	LODE_FIELD(struct match_row, matched_ns, "of the cluster's own cost"),
	LODE_FIELD(struct match_row, share, NULL),
};
LODE_RECORD(match, struct match_row);

/* A cluster that signatures match. */
struct matched_row {
	uint64_t id;
	struct match_row *matches;
	size_t n;
};

static const struct lode_field matched_fields[] = {
	LODE_FIELD_ID("id", struct matched_row, id, NULL),
	LODE_LIST("signatures", struct matched_row, matches, n, &match_record,
		  "by matched cost, largest first"),
};
LODE_RECORD(matched, struct matched_row);

struct known_signatures {
	const struct lode_mine_signatures *of;
	const char *path, *unit;
	const struct lode_stream_cover *all;
	double coverage;
	size_t n;
	struct matched_row *matched;
	size_t n_matched;
};

static void make_known_row(void *out, const void *signatures, size_t i)
{
	const struct known_signatures *s = signatures;
	struct known_row *row = out;

	lode_signature_row_fill(&row->signature, &s->of->signatures->list.at[i]);
	row->cost = &s->of->coverage->signatures[i];
	row->share = lode_ratio(row->cost->total_ns, s->all->symptom_ns);
}

static const struct lode_field cover_fields[] = {
	LODE_FIELD(struct lode_stream_cover, symptom_ns, NULL),
	LODE_FIELD(struct lode_stream_cover, covered_ns, "matched by any active signature"),
	LODE_FIELD(struct lode_stream_cover, returned_ns, "matched by retired signatures only"),
};
LODE_RECORD(cover, struct lode_stream_cover);

static const struct lode_field signatures_fields[] = {
	LODE_FIELD(struct known_signatures, path, "of the repository"),
	LODE_FIELD(struct known_signatures, unit, NULL),
	LODE_FIELDS_AT(struct known_signatures, all, &cover_record),
	LODE_FIELD(struct known_signatures, coverage, "covered_ns / symptom_ns"),
	LODE_ROWS("signatures", struct known_signatures, n, make_known_row, &known_record, NULL),
	LODE_LIST("clusters", struct known_signatures, matched, n_matched, &matched_record,
		  "matched by any signature"),
};
LODE_RECORD(signatures, struct known_signatures);
const struct lode_document lode_mine_signatures_document = {
	.schema = "lode/mine-signatures/1",
	.file = "mine-signatures",
	.title = "lode serve: GET signatures, and what every change answers",
	.record = &signatures_record,
};

/* What a share of the cluster is a share of: its own cost, or what it matches if it owns nothing.
 */
static int64_t whole_of(const struct lode_cluster *cluster)
{
	int64_t whole = 0;

	for (size_t i = 0; i < cluster->n_stacks; i++)
		whole += cluster->stacks[i].cost_ns;
	return whole;
}

/* The matches of one cluster, from matches[from] on. */
static struct matched_row matched_row(const struct lode_mine_signatures *s, size_t from,
				      struct match_row *rows)
{
	uint32_t number = s->matches->at[from].cluster;
	const struct lode_cluster *cluster = &s->mined->clusters[number];
	int64_t whole = whole_of(cluster);
	struct matched_row out = {cluster->id, rows, 0};

	for (size_t i = from; i < s->matches->n && s->matches->at[i].cluster == number; i++) {
		const struct lode_cluster_match *m = &s->matches->at[i];
		const struct lode_signature *signature = &s->signatures->list.at[m->signature];

		rows[out.n++] = (struct match_row){signature->name, signature->is_retired,
						   m->matched_ns, lode_ratio(m->matched_ns, whole)};
	}
	return out;
}

void lode_mine_signatures_json(FILE *out, const struct lode_mine_signatures *of)
{
	const struct lode_stream_cover *all = &of->coverage->all;
	size_t n = of->matches->n;
	struct match_row *rows = lode_alloc0(n + 1, sizeof(*rows));
	struct known_signatures known = {
		.of = of,
		.path = of->path,
		.unit = of->mined->digest->unit,
		.all = all,
		.coverage = lode_ratio(all->covered_ns, all->symptom_ns),
		.n = of->signatures->list.n,
		.matched = lode_alloc0(n + 1, sizeof(*known.matched)),
	};

	for (size_t i = 0; i < n; i += known.matched[known.n_matched++].n)
		known.matched[known.n_matched] = matched_row(of, i, rows + i);
	lode_document_put(out, &lode_mine_signatures_document, &known, NULL);
	free(known.matched);
	free(rows);
}

/* ---- Trends ---- */

struct trend {
	const struct lode_mine_trend *of;
	const struct lode_cluster *cluster;
	const char *unit, *by, *signature;
	const char *const *keys;
	size_t n_keys, n_groups;
};

struct group_row {
	const char *value;
	const struct lode_group_cost *cost;
	double share;
};

static void make_group_row(void *row, const void *trend, size_t i)
{
	const struct lode_mine_trend *of = ((const struct trend *)trend)->of;
	const struct lode_group_cost *cost = &of->at[i];

	*(struct group_row *)row = (struct group_row){of->groups->names[i], cost,
						      lode_ratio(cost->cost_ns, cost->symptom_ns)};
}

static const struct lode_field group_cost_fields[] = {
	LODE_FIELD_AS("streams", struct lode_group_cost, n_streams, NULL),
	LODE_FIELD_AS("streams_with", struct lode_group_cost, n_with, "in which it occurs"),
	LODE_FIELD(struct lode_group_cost, symptom_ns, NULL),
	LODE_FIELD_AS("matched_ns", struct lode_group_cost, cost_ns, NULL),
};
LODE_RECORD(group_cost, struct lode_group_cost);

static const struct lode_field group_fields[] = {
	LODE_FIELD(struct group_row, value, NULL),
	LODE_FIELDS_AT(struct group_row, cost, &group_cost_record),
	LODE_FIELD(struct group_row, share, "matched_ns / symptom_ns"),
};
LODE_RECORD(group, struct group_row);

static const struct lode_field trend_fields[] = {
	LODE_FIELD(struct trend, unit, NULL),
	LODE_FIELD(struct trend, by, NULL),
	LODE_COLUMN("keys", struct trend, keys, n_keys,
		    "labels by which recordings can be grouped"),
	LODE_FIELDS_AT(struct trend, cluster, &id_record, .absent = "it is a signature's"),
	LODE_FIELD(struct trend, signature, "its name", .absent = "it is a cluster's"),
	LODE_ROWS("groups", struct trend, n_groups, make_group_row, &group_record, NULL),
};
LODE_RECORD(trend, struct trend);
const struct lode_document lode_mine_trend_document = {
	.schema = "lode/mine-trend/1",
	.file = "mine-trend",
	.title = "lode serve: GET trend?cluster=ID&by=KEY, trend?signature=NAME&by=KEY",
	.record = &trend_record,
};

void lode_mine_trend_json(FILE *out, const struct lode_mine_trend *of)
{
	struct trend trend = {
		.of = of,
		.cluster = of->cluster,
		.unit = of->unit,
		.by = of->by,
		.signature = of->cluster ? NULL : of->signature,
		.keys = of->keys->at,
		.n_keys = of->keys->n,
		.n_groups = of->groups->n,
	};

	lode_document_put(out, &lode_mine_trend_document, &trend, NULL);
}
