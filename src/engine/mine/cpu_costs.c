/* Sums what rows say of CPUs, for all of it and by cluster. */
#include "engine/mine/cpu_costs.h"

#include "base/sorted.h"
#include "engine/mine/mine.h"
#include "model/tracers.h"

struct cpu_sums {
	struct lode_mined *mined;
	const struct lode_digest *digest;
	struct lode_chain_ends ends;
	uint32_t *place_of; /* per node: the link above it, or 0: a thread at a place of a chain */
	int64_t *unsampled_at;	 /* per place */
	uint32_t *place_stamp;	 /* per place: the last cluster that has it, from 1 */
	uint32_t *first_row;	 /* per node: a row of it, then `next_row`; LODE_NONE ends */
	uint32_t *next_row;	 /* per row */
	struct lode_map slot_of; /* name -> its sum */
	LODE_VEC(struct lode_digest_runner) sums;
};

static void sums_init(struct cpu_sums *s, struct lode_mined *mined)
{
	const struct lode_digest *digest = mined->digest;
	const struct lode_calltree *tree = &digest->tree;
	size_t n = tree->nodes.n;

	*s = (struct cpu_sums){.mined = mined, .digest = digest};
	s->place_of = lode_alloc0(n, sizeof(*s->place_of));
	s->unsampled_at = lode_alloc0(n, sizeof(*s->unsampled_at));
	s->place_stamp = lode_alloc0(n, sizeof(*s->place_stamp));
	s->first_row = lode_alloc(n * sizeof(*s->first_row));
	s->next_row = lode_alloc(digest->rows.n * sizeof(*s->next_row));
	s->first_row[0] = LODE_NONE;
	for (uint32_t i = 1; i < n; i++) {
		const struct lode_callnode *node = &tree->nodes.at[i];
		bool is_link = tree->frames.at[node->frame].flags & LODE_FRAME_LINK;

		s->place_of[i] = is_link ? i : s->place_of[node->parent];
		s->first_row[i] = LODE_NONE;
	}
	for (size_t i = digest->rows.n; i-- > 0;) {
		uint32_t *first = &s->first_row[digest->rows.at[i].stack];

		s->next_row[i] = *first;
		*first = (uint32_t)i;
	}
}

static void sums_release(struct cpu_sums *s)
{
	free(s->place_of);
	free(s->unsampled_at);
	free(s->place_stamp);
	free(s->first_row);
	free(s->next_row);
	lode_map_release(&s->slot_of);
	lode_vec_release(&s->sums);
}

/* ---- Who ran instead ---- */

/* Adds the CPU occupants of a row. */
static void add_runners_of(struct cpu_sums *s, const struct lode_digest_row *row)
{
	for (uint32_t k = 0; k < row->n_runners; k++) {
		const struct lode_digest_runner *runner =
			&s->digest->runners.at[row->first_runner + k];
		uint32_t slot = lode_map_number(&s->slot_of, runner->name, s->sums.n);

		if (slot == s->sums.n)
			lode_vec_append(&s->sums, ((struct lode_digest_runner){runner->name, 0}));
		s->sums.at[slot].cost_ns += runner->cost_ns;
	}
}

LODE_COMPARE_WITH(costliest_first, struct lode_digest_runner, const struct lode_strings *names,
		  LODE_ORDER(b->cost_ns, a->cost_ns)
			  ?: strcmp(names->text.at[a->name], names->text.at[b->name]))

/* What was added since the last time, costliest first. */
static void take_runners(struct cpu_sums *s, const struct lode_digest_runner **out, size_t *n)
{
	struct lode_digest_runner *runners;

	*n = s->sums.n;
	runners = lode_arena_array(&s->mined->arena, struct lode_digest_runner, s->sums.n);
	*out = runners;
	if (!s->sums.n)
		return;
	memcpy(runners, s->sums.at, s->sums.n * sizeof(*runners));
	lode_sort_r(runners, s->sums.n, costliest_first,
		    (void *)(uintptr_t)&s->digest->tree.strings);
	s->sums.n = 0;
	lode_map_release(&s->slot_of);
}

/* ---- All of it, and clusters ---- */

static void add_all(struct cpu_sums *s)
{
	uint32_t recording = lode_tracers_recording(&s->digest->tree);

	for (size_t i = 0; i < s->digest->rows.n; i++) {
		const struct lode_digest_row *row = &s->digest->rows.at[i];

		s->mined->aoi_unsampled_ns += row->unsampled_ns;
		s->unsampled_at[s->place_of[row->stack]] += row->unsampled_ns;
		if (row->stack == recording)
			continue;
		s->mined->ready_unknown_ns += lode_digest_ready_unknown_ns(s->digest, row);
		add_runners_of(s, row);
	}
	s->mined->contended_ns =
		s->mined->aoi_kind_ns[LODE_EVENT_READY] - s->mined->ready_unknown_ns;
	take_runners(s, &s->mined->ran_instead, &s->mined->n_ran_instead);
}

/* When kinds of events were mined apart, a stack is of a cluster with rows of one kind alone. */
static bool is_of(const struct lode_cluster *cluster, const struct lode_digest_row *row)
{
	return !cluster->kind_group || cluster->kind_group == row->kind + 1u;
}

/* `unknown_ns`: ready time in which no other thread is known to have run. */
static void sum_chain_end(struct lode_cluster *cluster, const struct lode_chain_ends *ends,
			  const struct lode_digest_row *row, int64_t unknown_ns)
{
	unsigned end = lode_chain_end_of(ends, row);
	unsigned reason = ends->has_threads[row->stack] ? row->reason : LODE_REASON_NONE;

	cluster->ready_unknown_ns += unknown_ns;
	cluster->end_reason_ns[end][reason] += row->cost_ns - unknown_ns;
	cluster->end_reason_ns[LODE_REASON_NONE][reason] += unknown_ns;
}

static void add_cluster(struct cpu_sums *s, struct lode_cluster *cluster, uint32_t stamp)
{
	int64_t near_ns = 0;

	/* Without own cost these are stacks of others. */
	for (size_t i = 0; cluster->own_ns > 0 && i < cluster->n_stacks; i++) {
		uint32_t node = cluster->stacks[i].node, place = s->place_of[node];

		if (s->place_stamp[place] != stamp)
			near_ns += s->unsampled_at[place];
		s->place_stamp[place] = stamp;
		for (uint32_t r = s->first_row[node]; r != LODE_NONE; r = s->next_row[r]) {
			const struct lode_digest_row *row = &s->digest->rows.at[r];

			if (!is_of(cluster, row))
				continue;
			cluster->unsampled_ns += row->unsampled_ns;
			sum_chain_end(cluster, &s->ends, row,
				      lode_digest_ready_unknown_ns(s->digest, row));
			add_runners_of(s, row);
		}
	}
	cluster->least_ns = cluster->own_ns - cluster->unsampled_ns;
	cluster->most_ns = cluster->least_ns + near_ns;
	take_runners(s, &cluster->ran_instead, &cluster->n_ran_instead);
}

void lode_cpu_costs(struct lode_mined *mined)
{
	struct cpu_sums s;

	sums_init(&s, mined);
	lode_chain_ends_find(&s.ends, &mined->digest->tree);
	add_all(&s);
	for (size_t c = 0; c < mined->n_clusters; c++)
		add_cluster(&s, &mined->clusters[c], (uint32_t)c + 1);
	lode_chain_ends_release(&s.ends);
	sums_release(&s);
}
