/* Lays clusters out for documents. */
#include "answers/clusters/cluster_rows.h"

#include "answers/input_fields.h"

/*
 * LIMIT: nodes of all flame graphs of a document, so that a thousand clusters stay a page that can
 * be mailed. Half of them for the first clusters, which people look at; what is left out of a graph
 * is said in it.
 */
enum { MAX_NODES = 120000, N_FIRST = 30, MIN_NODES = 40 };

/* Variants of a gap. */
enum { MAX_VARIANTS = 12 };

/* ---- Flame graphs ---- */

void lode_flame_functions_release(struct lode_flame_functions *functions)
{
	lode_map_release(&functions->place_of);
	lode_vec_release(&functions->frames);
}

static uint32_t function_place(struct lode_flame_functions *functions, uint32_t frame)
{
	uint32_t place = lode_map_number(&functions->place_of, frame, functions->frames.n);

	if (place == functions->frames.n)
		lode_vec_append(&functions->frames, frame);
	return place;
}

void lode_flame_rows_make(struct lode_flame_rows *out, const struct lode_flame *flame,
			  struct lode_flame_functions *functions, struct lode_arena *arena)
{
	struct lode_flame_node *nodes =
		lode_arena_array(arena, struct lode_flame_node, flame->nodes.n);

	for (size_t i = 0; i < flame->nodes.n; i++) {
		nodes[i] = flame->nodes.at[i];
		nodes[i].frame = function_place(functions, nodes[i].frame);
	}
	*out = (struct lode_flame_rows){nodes, flame->nodes.n, flame->n_left_out,
					flame->left_out_ns};
}

size_t lode_flame_room(const struct lode_cluster *cluster, size_t n_clusters)
{
	size_t each = MAX_NODES / 2 / (n_clusters ? n_clusters : 1);

	if (cluster->rank <= N_FIRST)
		return MAX_NODES / 2 / N_FIRST;
	return each < MIN_NODES ? MIN_NODES : each;
}

/* ---- What stands between the common functions ---- */

static struct lode_gap_row gap_row(const struct lode_gap *gap, size_t before,
				   struct lode_arena *arena)
{
	size_t n = gap->variants.n < MAX_VARIANTS ? gap->variants.n : MAX_VARIANTS;
	struct lode_variant *variants = lode_arena_array(arena, struct lode_variant, n);
	struct lode_gap_row row = {(uint32_t)before, variants, n, gap->variants.n - n, LODE_NO_INT};

	memcpy(variants, gap->variants.at, n * sizeof(*variants));
	if (row.n_more)
		row.more_ns = 0;
	for (size_t i = n; i < gap->variants.n; i++)
		row.more_ns += gap->variants.at[i].own_ns;
	return row;
}

void lode_cluster_detail_build(struct lode_cluster_detail *out, const struct lode_mined *mined,
			       const struct lode_cluster *cluster, struct lode_arena *arena)
{
	struct lode_cluster_stream *by_stream;
	lode_cluster_streams streams = {0};
	struct lode_gap *gaps = lode_gaps_new(cluster);
	struct lode_gap_row *rows =
		lode_arena_array(arena, struct lode_gap_row, cluster->n_common + 1);

	lode_cluster_streams_of(&streams, mined, cluster);
	by_stream = lode_arena_array(arena, struct lode_cluster_stream, streams.n);
	if (streams.n)
		memcpy(by_stream, streams.at, streams.n * sizeof(*by_stream));
	*out = (struct lode_cluster_detail){
		.gaps = rows, .by_stream = by_stream, .n_by_stream = streams.n};
	lode_vec_release(&streams);
	for (size_t i = 0; i <= cluster->n_common; i++)
		if (gaps[i].variants.n > 1 || (gaps[i].variants.n && gaps[i].variants.at[0].n))
			rows[out->n_gaps++] = gap_row(&gaps[i], i, arena);
	lode_gaps_free(gaps, cluster);
}

/* ---- One cluster ---- */

size_t lode_cluster_gaps(const uint32_t **out, const struct lode_cluster *cluster,
			 struct lode_arena *arena)
{
	uint32_t *gaps = lode_arena_array(arena, uint32_t, cluster->n_common);
	size_t n = 0;

	for (uint32_t i = 0; i < cluster->n_common; i++)
		if (cluster->gap_before[i])
			gaps[n++] = i;
	*out = gaps;
	return n;
}

const char *const lode_reason_cost_names[] = {"lock_ns",  "disk_ns", "fault_ns", "network_ns",
					      "ipc_ns",	  "poll_ns", "timer_ns", "child_ns",
					      "other_ns", NULL};

static void list_reasons(struct lode_cluster_row *row, struct lode_arena *arena)
{
	struct lode_reason_cost *reasons =
		lode_arena_array(arena, struct lode_reason_cost, LODE_N_REASONS);

	for (unsigned r = LODE_REASON_NONE + 1; r < LODE_N_REASONS; r++)
		if (row->cluster->reason_ns[r])
			reasons[row->n_reasons++] =
				(struct lode_reason_cost){lode_reason_cost_names[r - 1],
							  row->cluster->reason_ns[r]};
	row->reasons = reasons;
}

static void list_parts(struct lode_cluster_row *row, struct lode_arena *arena)
{
	struct lode_cluster_part *ends =
		lode_arena_array(arena, struct lode_cluster_part, LODE_N_ENDS);
	struct lode_cluster_part *parts =
		lode_arena_array(arena, struct lode_cluster_part, LODE_CLUSTER_PARTS);

	row->n_parts = lode_cluster_parts(parts, row->cluster);
	row->parts = parts;
	row->ends = ends;
	row->n_ends = lode_cluster_ends(ends, row->cluster);
}

static struct lode_cluster_signature_row signature_row(const struct lode_cluster_signature *s,
						       bool is_light, struct lode_arena *arena)
{
	char kinds[LODE_SIGNATURE_BITS_BYTES];

	lode_signature_bits_text(kinds, LODE_SIGNATURE_KINDS, s->kinds);
	return (struct lode_cluster_signature_row){
		.kind = *kinds ? lode_arena_strdup(arena, kinds) : "",
		.patterns = s->patterns,
		.n_patterns = is_light ? 0 : s->n_patterns,
		.total_ns = s->total_ns,
	};
}

/* Of thousands of clusters, the last ones are rarely read. */
static size_t top_inside(const struct lode_cluster_rows_options *options,
			 const struct lode_cluster *cluster)
{
	if (!options->top_inside)
		return options->top;
	return cluster->rank > N_FIRST ? (options->top_inside + 4) / 5 : options->top_inside;
}

static void list_items(struct lode_cluster_row *row,
		       const struct lode_cluster_rows_options *options)
{
	const struct lode_cluster *c = row->cluster;
	size_t top = top_inside(options, c);

	row->wakers = c->wakers;
	row->n_wakers = lode_listed(top, c->n_wakers);
	row->n_wakers_more = c->n_wakers - row->n_wakers;
	row->patterns = c->patterns;
	row->n_patterns = options->is_light ? 0 : lode_listed(top, c->n_patterns);
	row->n_patterns_more = c->n_patterns - row->n_patterns;
	row->n_worst = options->is_light ? 0 : lode_listed(top, c->n_worst);
	row->n_worst_more = c->n_worst - row->n_worst;
}

static const struct lode_cluster_detail *detail_of(const struct lode_cluster_row *row,
						   const struct lode_mined *mined, size_t n_sharing,
						   struct lode_flame_functions *functions,
						   struct lode_arena *arena)
{
	struct lode_cluster_detail *detail = lode_arena_array(arena, struct lode_cluster_detail, 1);
	const struct lode_cluster *c = row->cluster;
	struct lode_flame flame = {0};

	lode_cluster_detail_build(detail, mined, c, arena);
	lode_flame_build(&flame, &row->digest->tree, c->stacks, c->n_stacks,
			 lode_flame_room(c, n_sharing));
	lode_flame_rows_make(&detail->flame, &flame, functions, arena);
	lode_flame_release(&flame);
	return detail;
}

/* ---- All ---- */

void lode_cluster_row_make(void *out, const void *of, size_t i)
{
	const struct lode_cluster_rows *rows = of;
	const struct lode_cluster_rows_options *options = &rows->options;
	const struct lode_mined *mined = rows->mined;
	struct lode_cluster_row *row = out;
	struct lode_headline_hop *hops;

	lode_arena_release(rows->arena);
	row->cluster = &rows->first[i];
	row->digest = mined->digest;
	row->kind = lode_cluster_kind(row->cluster);
	row->reason = lode_cluster_reason(row->cluster);
	row->coverage = lode_ratio(row->cluster->own_ns, mined->symptom_ns);
	row->signature =
		signature_row(options->signatures
				      ? &options->signatures->at[row->cluster - mined->clusters]
				      : &rows->made.at[i],
			      options->is_light, rows->arena);
	row->n_gaps = lode_cluster_gaps(&row->gaps, row->cluster, rows->arena);
	row->n_headline = lode_headline_hops(&hops, mined, row->cluster, rows->arena);
	row->headline = hops;
	list_reasons(row, rows->arena);
	list_parts(row, rows->arena);
	list_items(row, options);
	if (options->is_light || options->has_detail)
		row->brief = lode_cluster_brief_of(mined, row->cluster, rows->arena);
	if (options->has_detail)
		row->detail =
			detail_of(row, mined, options->n_sharing ? options->n_sharing : rows->n,
				  rows->functions, rows->arena);
}

void lode_cluster_rows_build(struct lode_cluster_rows *out, const struct lode_mined *mined,
			     const struct lode_cluster *only,
			     const struct lode_cluster_rows_options *options)
{
	size_t n = only ? 1 : lode_listed(options->top, mined->n_clusters);

	*out = (struct lode_cluster_rows){
		.n = n,
		.n_more = mined->n_clusters - n,
		.arena = lode_alloc0(1, sizeof(*out->arena)),
		.options = *options,
		.mined = mined,
		.first = only ? only : mined->clusters,
	};
	if (options->has_detail)
		out->functions = lode_alloc0(1, sizeof(*out->functions));
	if (!options->signatures)
		lode_cluster_signatures_build(&out->made, mined, out->first, n);
}

void lode_cluster_rows_release(struct lode_cluster_rows *rows)
{
	lode_cluster_signatures_release(&rows->made);
	if (rows->functions)
		lode_flame_functions_release(rows->functions);
	free(rows->functions);
	if (rows->arena)
		lode_arena_release(rows->arena);
	free(rows->arena);
	memset(rows, 0, sizeof(*rows));
}
