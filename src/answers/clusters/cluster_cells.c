/* Costs of clusters by recording, thread, kind and reason. */
#include "answers/clusters/cluster_cells.h"

#include "base/sorted.h"
#include "model/tracers.h"

/* Stacks that clusters own: (node, group of kinds) -> cluster. */
struct owners {
	struct lode_map cluster_of;
	bool are_kinds_apart;
};

static uint64_t stack_key(const struct owners *owners, uint32_t node, unsigned kind)
{
	return (uint64_t)node << 2 | (owners->are_kinds_apart ? kind + 1u : 0);
}

/* Of a cluster that owns nothing, `stacks` tells of what it shares. */
static void add_owner(struct owners *owners, const struct lode_cluster *cluster, uint32_t number)
{
	for (size_t i = 0; cluster->own_ns > 0 && i < cluster->n_stacks; i++)
		*lode_map_slot(&owners->cluster_of, (uint64_t)cluster->stacks[i].node << 2 |
							    cluster->kind_group) = number;
	owners->are_kinds_apart |= cluster->kind_group != 0;
}

/* ---- All of them ---- */

struct cell_keys {
	struct lode_map of_cell, of_symptom, of_thread;
};

static uint32_t thread_place(struct lode_cluster_cells *out, struct lode_map *of_thread,
			     uint32_t name)
{
	uint32_t place = lode_map_number(of_thread, name, out->threads.n);

	if (place == out->threads.n)
		lode_vec_append(&out->threads, name);
	return place;
}

static void add_symptom_cell(struct lode_cluster_cells *out, struct cell_keys *keys,
			     const struct lode_digest_symptom *symptom)
{
	uint32_t thread = thread_place(out, &keys->of_thread, symptom->comm);
	uint32_t place = lode_map_number(&keys->of_symptom,
					 (uint64_t)symptom->stream << 32 | thread, out->symptoms.n);
	struct lode_symptom_cell *cell;

	if (place == out->symptoms.n)
		lode_vec_append(&out->symptoms,
				((struct lode_symptom_cell){symptom->stream, thread, 0, 0}));
	cell = &out->symptoms.at[place];
	cell->n_symptoms++;
	cell->symptom_ns += lode_digest_symptom_ns(symptom);
}

enum {
	KIND_BITS = 2,
	REASON_BITS = 4,
	END_BITS = 5,
	LABEL_BITS = KIND_BITS + REASON_BITS + END_BITS + 1
};
_Static_assert(LODE_N_EVENT_KINDS <= 1 << KIND_BITS && LODE_N_REASONS <= 1 << REASON_BITS &&
		       LODE_N_ENDS <= 1 << END_BITS && LODE_MOST_CELLS < 1 << 16,
	       "the members of a cell fit into a key");

static void add_cell(struct lode_cluster_cells *out, struct cell_keys *keys, uint32_t symptom_cell,
		     struct lode_cluster_cell cell)
{
	/* Clusters are at most as many as patterns, cells of symptoms at most LODE_MOST_CELLS. */
	uint64_t label = (uint64_t)cell.kind << REASON_BITS | cell.reason;
	uint64_t key = (uint64_t)symptom_cell << 48 | (uint64_t)(cell.cluster + 1u) << LABEL_BITS;
	uint32_t place;

	label = (label << END_BITS | cell.end) << 1 | (cell.waited != LODE_REASON_NONE);
	place = lode_map_number(&keys->of_cell, key | label, out->cells.n);
	if (place == out->cells.n)
		lode_vec_append(&out->cells, cell);
	else
		out->cells.at[place].cost_ns += cell.cost_ns;
}

/* Ready time in which no other thread is known to have run ends in nothing known. */
static void add_row_cells(struct lode_cluster_cells *out, struct cell_keys *keys,
			  const struct lode_chain_ends *ends, const struct lode_digest *digest,
			  const struct lode_digest_row *row, uint32_t symptom_cell,
			  uint32_t cluster)
{
	int64_t unknown_ns = lode_digest_ready_unknown_ns(digest, row);
	struct lode_cluster_cell cell = {
		.cluster = cluster,
		.stream = out->symptoms.at[symptom_cell].stream,
		.thread = out->symptoms.at[symptom_cell].thread,
		.kind = row->kind,
		.reason = row->reason,
		.end = (uint8_t)lode_chain_end_of(ends, row),
		.waited = ends->has_threads[row->stack] ? row->reason : LODE_REASON_NONE,
		.cost_ns = row->cost_ns - unknown_ns,
	};

	if (cell.cost_ns)
		add_cell(out, keys, symptom_cell, cell);
	cell.end = LODE_REASON_NONE;
	cell.cost_ns = unknown_ns;
	if (cell.cost_ns)
		add_cell(out, keys, symptom_cell, cell);
}

LODE_COMPARE(by_members, struct lode_cluster_cell,
	     LODE_ORDER(a->cluster, b->cluster) ?: LODE_ORDER(a->stream, b->stream)
	     ?: LODE_ORDER(a->thread, b->thread) ?: LODE_ORDER(a->kind, b->kind)
	     ?: LODE_ORDER(a->reason, b->reason) ?: LODE_ORDER(a->end, b->end)
	     ?: LODE_ORDER(a->waited, b->waited))

static bool add_cells(struct lode_cluster_cells *out, struct cell_keys *keys,
		      const struct owners *owners, const struct lode_digest *digest, size_t most)
{
	struct lode_chain_ends ends;
	uint32_t recording = lode_tracers_recording(&digest->tree);

	lode_chain_ends_find(&ends, &digest->tree);
	for (size_t i = 0; i < digest->symptoms.n && out->symptoms.n <= most; i++)
		add_symptom_cell(out, keys, &digest->symptoms.at[i]);
	for (size_t i = 0; i < digest->rows.n && out->cells.n + out->symptoms.n <= most; i++) {
		const struct lode_digest_row *row = &digest->rows.at[i];
		const struct lode_digest_symptom *symptom = &digest->symptoms.at[row->symptom];
		uint32_t thread = lode_map_find(&keys->of_thread, symptom->comm);

		if (row->cost_ns && row->stack != recording)
			add_row_cells(out, keys, &ends, digest, row,
				      lode_map_find(&keys->of_symptom,
						    (uint64_t)symptom->stream << 32 | thread),
				      lode_map_find(&owners->cluster_of,
						    stack_key(owners, row->stack, row->kind)));
	}
	lode_chain_ends_release(&ends);
	return out->cells.n + out->symptoms.n <= most;
}

bool lode_cluster_cells_build(struct lode_cluster_cells *out, const struct lode_mined *mined,
			      size_t most)
{
	struct cell_keys keys = {0};
	struct owners owners = {0};
	bool fit;

	*out = (struct lode_cluster_cells){
		.kinds = lode_event_kind_names,
		.n_kinds = LODE_N_EVENT_KINDS,
		.reasons = lode_wait_reason_names,
		.n_reasons = LODE_N_REASONS,
		.ends = out->end_names,
		.n_ends = LODE_N_ENDS,
	};
	for (unsigned e = 0; e < LODE_N_ENDS; e++)
		out->end_names[e] = lode_chain_end_name(e);
	for (size_t c = 0; c < mined->n_clusters; c++)
		add_owner(&owners, &mined->clusters[c], (uint32_t)c);
	fit = add_cells(out, &keys, &owners, mined->digest, most);
	if (fit)
		lode_sort(out->cells.at, out->cells.n, by_members);
	else
		lode_cluster_cells_release(out);
	lode_map_release(&owners.cluster_of);
	lode_map_release(&keys.of_cell);
	lode_map_release(&keys.of_symptom);
	lode_map_release(&keys.of_thread);
	return fit;
}

void lode_cluster_cells_release(struct lode_cluster_cells *cells)
{
	lode_vec_release(&cells->cells);
	lode_vec_release(&cells->symptoms);
	lode_vec_release(&cells->threads);
	memset(cells, 0, sizeof(*cells));
}

/* ---- What is left of one ---- */

static bool passes(const struct lode_cell_filter *filter, const struct lode_digest *digest,
		   const struct lode_digest_row *row)
{
	const struct lode_digest_symptom *symptom = &digest->symptoms.at[row->symptom];

	return (!filter->has_stream || filter->has_stream[symptom->stream]) &&
	       (filter->thread == LODE_NONE || filter->thread == symptom->comm) &&
	       (!filter->kinds || filter->kinds >> row->kind & 1) &&
	       (!filter->reasons || filter->reasons >> row->reason & 1);
}

void lode_cluster_filter(lode_filtered_stacks *out, const struct lode_mined *mined,
			 const struct lode_cluster *cluster, const struct lode_cell_filter *filter)
{
	const struct lode_digest *digest = mined->digest;
	size_t first = out->n, n = first;
	struct lode_map place = {0};

	for (size_t i = 0; i < cluster->n_stacks; i++) {
		*lode_map_slot(&place, cluster->stacks[i].node) = (uint32_t)out->n;
		lode_vec_append(out,
				((struct lode_cluster_stack){.node = cluster->stacks[i].node}));
	}
	for (size_t i = 0; i < digest->rows.n; i++) {
		const struct lode_digest_row *row = &digest->rows.at[i];
		uint32_t at;

		if ((cluster->kind_group && cluster->kind_group != row->kind + 1u) ||
		    !passes(filter, digest, row))
			continue;
		at = lode_map_find(&place, row->stack);
		if (at == LODE_NONE)
			continue;
		out->at[at].cost_ns += row->cost_ns;
		out->at[at].wait_ns += row->kind == LODE_EVENT_WAITING ? row->cost_ns : 0;
		out->at[at].ready_ns += row->kind == LODE_EVENT_READY ? row->cost_ns : 0;
	}
	for (size_t i = first; i < out->n; i++)
		if (out->at[i].cost_ns)
			out->at[n++] = out->at[i];
	out->n = n;
	lode_map_release(&place);
}

/* ---- Their fields ---- */

#define CELLS(key, type, part, text)                                             \
	LODE_MEMBERS_OF(key, type, struct lode_cluster_cells, cells.at, cells.n, \
			struct lode_cluster_cell, part, text)
#define SYMPTOMS(key, type, part, text)                                                \
	LODE_MEMBERS_OF(key, type, struct lode_cluster_cells, symptoms.at, symptoms.n, \
			struct lode_symptom_cell, part, text)

static const struct lode_field symptom_fields[] = {
	SYMPTOMS("stream", LODE_TYPE_UINT32, stream, "as in `cells`"),
	SYMPTOMS("thread", LODE_TYPE_UINT32, thread, "as in `cells`"),
	SYMPTOMS("symptoms", LODE_TYPE_UINT32, n_symptoms,
		 "symptoms of that thread in that recording"),
	SYMPTOMS("symptom_ns", LODE_TYPE_INT64, symptom_ns, "total duration of the symptoms"),
};
LODE_RECORD(symptom, struct lode_cluster_cells);

static const struct lode_field cells_fields[] = {
	LODE_LIST_OF("threads", LODE_TYPE_NAME, struct lode_cluster_cells, threads.at, threads.n,
		     "names of the threads with symptoms"),
	CELLS("cluster", LODE_TYPE_INDEX, cluster,
	      "rank of the cluster, from 0; -1: cost that no pattern explains"),
	CELLS("stream", LODE_TYPE_UINT32, stream,
	      "index of the recording in `inputs` (which `top` may truncate)"),
	CELLS("thread", LODE_TYPE_UINT32, thread, "index into `threads`: the symptom's thread"),
	LODE_COLUMN("kinds", struct lode_cluster_cells, kinds, n_kinds, "names of kinds of events"),
	CELLS("kind", LODE_TYPE_UINT8, kind, "index into `kinds`"),
	LODE_COLUMN("reasons", struct lode_cluster_cells, reasons, n_reasons,
		    "names of wait reasons"),
	CELLS("reason", LODE_TYPE_UINT8, reason,
	      "index into `reasons`: why the symptom's thread waited"),
	LODE_COLUMN("ends", struct lode_cluster_cells, ends, n_ends,
		    "names of what last threads of chains did"),
	CELLS("end", LODE_TYPE_UINT8, end, "index into `ends`"),
	CELLS("waited", LODE_TYPE_UINT8, waited,
	      "index into `reasons`: `reason` where the symptom's thread waited for another one, "
	      "else that of `none`"),
	CELLS("cost_ns", LODE_TYPE_INT64, cost_ns,
	      "own cost; all cells together are the area of interest"),
	LODE_RECORD_HERE("symptoms", &symptom_record, "symptom time by recording and thread"),
};
const struct lode_record lode_cluster_cells_record =
	LODE_RECORD_OF("cells", cells_fields, struct lode_cluster_cells);
