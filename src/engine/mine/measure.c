/* Own and total costs of clusters (docs/mining.md). */
#include "engine/mine/measure.h"

#include "base/pool.h"
#include "base/sorted.h"

/* What one worker needs to count distinct things: stamps instead of clearing. */
struct scratch {
	uint32_t *stack_stamp, *stream_stamp, *symptom_stamp, *group_stamp;
	uint32_t stamp;
	bool is_counted;	/* the occurrences of all of the cluster's rows are known */
	uint32_t *symptom_slot; /* per symptom: its place in `worst` */
	LODE_VEC(uint32_t) stacks;
	LODE_VEC(struct lode_cluster_worst) worst;
	LODE_VEC(struct lode_cluster_waker) wakers;
	struct lode_map waker_slot;
	LODE_VEC(struct lode_cluster_stack) kept; /* of the cluster at hand */
	struct lode_arena arena;		  /* of results */
};

struct job {
	const struct lode_measure *m;
	uint32_t kind_group;
	struct scratch *scratch;	     /* one per worker */
	struct lode_mined_pattern *patterns; /* of all clusters, cluster behind cluster */
	const uint32_t *members;	     /* pattern indices, cluster behind cluster */
	const size_t *member_start;	     /* n_clusters + 1 */
	const uint32_t *owned;		     /* stacks that patterns own, pattern behind pattern */
	const size_t *owned_start;	     /* n_patterns + 1 */
};

/* Marks the stack's streams under the current stamp and gives how many are new. */
static uint32_t count_streams(const struct lode_measure *m, struct scratch *scratch, size_t s)
{
	uint32_t n = 0;

	for (size_t r = m->set->row_start[s]; r < m->set->row_start[s + 1]; r++) {
		const struct lode_digest_row *row = &m->digest->rows.at[m->set->rows[r]];
		uint32_t stream = m->digest->symptoms.at[row->symptom].stream;

		n += scratch->stream_stamp[stream] != scratch->stamp;
		scratch->stream_stamp[stream] = scratch->stamp;
	}
	return n;
}

static uint64_t count_events(const struct lode_measure *m, size_t s)
{
	uint64_t n = 0;

	for (size_t r = m->set->row_start[s]; r < m->set->row_start[s + 1]; r++)
		n += m->digest->rows.at[m->set->rows[r]].n_events;
	return n;
}

static bool holds(const struct lode_mined_pattern *pattern, const uint32_t *common, size_t n_common)
{
	size_t n = 0;

	for (size_t i = 0; i < pattern->n_frames && n < n_common; i++)
		n += pattern->frames[i] == common[n];
	return n == n_common;
}

/* Cost, events and streams of one pattern over all stacks; its stacks join `stacks` if new. */
static void measure_pattern(const struct job *job, struct scratch *scratch, uint32_t p,
			    struct lode_mined_pattern *out, uint32_t cluster_stamp)
{
	const struct lode_measure *m = job->m;
	const struct lode_round_pattern *pattern = &m->rounds->patterns[p];
	uint32_t rarest = lode_postings_rarest(m->postings, pattern->frames, pattern->n_frames);

	*out = (struct lode_mined_pattern){
		.round = pattern->round,
		.kind_group = job->kind_group,
		.frames = pattern->frames,
		.n_frames = pattern->n_frames,
	};
	for (size_t i = m->postings->start[rarest]; i < m->postings->start[rarest + 1]; i++) {
		uint32_t s = m->postings->stacks[i];

		if (!lode_stack_contains(m->set, s, pattern->frames, pattern->n_frames,
					 pattern->filter))
			continue;
		out->cost_ns += m->set->cost_ns[s];
		out->n_events += count_events(m, s);
		out->n_streams += count_streams(m, scratch, s);
		if (scratch->stack_stamp[s] != cluster_stamp) {
			scratch->stack_stamp[s] = cluster_stamp;
			lode_vec_append(&scratch->stacks, s);
		}
	}
	for (size_t i = job->owned_start[p]; i < job->owned_start[p + 1]; i++)
		out->own_ns += m->set->cost_ns[job->owned[i]];
}

static void add_waker(struct scratch *scratch, uint32_t name, int64_t cost_ns)
{
	uint32_t slot = lode_map_number(&scratch->waker_slot, name, scratch->wakers.n);

	if (slot == scratch->wakers.n)
		lode_vec_append(&scratch->wakers, ((struct lode_cluster_waker){name, 0}));
	scratch->wakers.at[slot].cost_ns += cost_ns;
}

/* One row of a stack of the cluster: its symptom, cost and waker. */
static void add_row_measure(struct scratch *scratch, const struct lode_digest *digest, uint32_t r)
{
	const struct lode_digest_row *row = &digest->rows.at[r], *costliest;
	struct lode_cluster_worst *worst;

	if (scratch->symptom_stamp[row->symptom] != scratch->stamp) {
		scratch->symptom_stamp[row->symptom] = scratch->stamp;
		scratch->symptom_slot[row->symptom] = (uint32_t)scratch->worst.n;
		lode_vec_append(&scratch->worst, ((struct lode_cluster_worst){
							 .symptom = row->symptom,
							 .row = r,
						 }));
	}
	worst = &scratch->worst.at[scratch->symptom_slot[row->symptom]];
	worst->symptom_cost_ns += row->cost_ns;
	costliest = &digest->rows.at[worst->row];
	if (row->worst_cost_ns > costliest->worst_cost_ns ||
	    (row->worst_cost_ns == costliest->worst_cost_ns &&
	     row->worst_t0_ns < costliest->worst_t0_ns))
		worst->row = r;
	if (row->waker)
		add_waker(scratch, row->waker, row->cost_ns);
}

/* Adds the row's occurrences that no row of the cluster so far has. */
static void add_occurrences(struct scratch *scratch, const struct lode_digest *digest,
			    const struct lode_digest_row *row, struct lode_cluster *own)
{
	uint32_t first = digest->symptoms.at[row->symptom].first_group;

	own->n_occurrences += row->n_alone;
	for (uint32_t i = 0; i < row->n_shared; i++) {
		uint32_t group = first + digest->shared.at[row->first_shared + i];

		if (scratch->group_stamp[group] != scratch->stamp)
			own->n_occurrences += digest->groups.at[group];
		scratch->group_stamp[group] = scratch->stamp;
	}
	scratch->is_counted &= lode_digest_row_is_counted(row);
}

/* Once all of its own rows are counted. A sample, whose cost is 1, is an occurrence. */
static void settle_occurrences(const struct lode_digest *digest, const struct scratch *scratch,
			       struct lode_cluster *own)
{
	if (digest->unit && strcmp(digest->unit, "samples") == 0)
		own->n_occurrences = (uint64_t)own->own_ns;
	else if (!scratch->is_counted)
		own->n_occurrences = 0;
	own->mean_ns = own->n_occurrences ? own->own_ns / (int64_t)own->n_occurrences : INT64_MIN;
}

static void add_stack(const struct job *job, struct scratch *scratch, uint32_t s,
		      struct lode_cluster *own)
{
	const struct lode_measure *m = job->m;
	struct lode_cluster_stack kept = {
		.node = m->digest->rows.at[m->set->rows[m->set->row_start[s]]].stack,
		.cost_ns = m->set->cost_ns[s],
	};

	for (size_t r = m->set->row_start[s]; r < m->set->row_start[s + 1]; r++) {
		const struct lode_digest_row *row = &m->digest->rows.at[m->set->rows[r]];

		add_row_measure(scratch, m->digest, m->set->rows[r]);
		kept.wait_ns += row->kind == LODE_EVENT_WAITING ? row->cost_ns : 0;
		kept.ready_ns += row->kind == LODE_EVENT_READY ? row->cost_ns : 0;
		if (own) {
			own->own_ns += row->cost_ns;
			own->split_ns[row->kind] += row->cost_ns;
			own->reason_ns[row->reason] += row->cost_ns;
			own->kind_reason_ns[row->kind][row->reason] += row->cost_ns;
			add_occurrences(scratch, m->digest, row, own);
		}
	}
	lode_vec_append(&scratch->kept, kept);
}

LODE_COMPARE(worst_first, struct lode_cluster_worst,
	     LODE_ORDER(b->symptom_cost_ns, a->symptom_cost_ns)
		     ?: LODE_ORDER(a->symptom, b->symptom))

LODE_COMPARE_WITH(dearest_waker_first, struct lode_cluster_waker, const struct lode_calltree *tree,
		  LODE_ORDER(b->cost_ns, a->cost_ns)
			  ?: strcmp(tree->strings.text.at[a->name], tree->strings.text.at[b->name]))

LODE_COMPARE_WITH(by_cost, struct lode_mined_pattern, const uint32_t *name_rank,
		  LODE_ORDER(b->cost_ns, a->cost_ns)
			  ?: lode_frames_compare(name_rank, a->frames, a->n_frames, b->frames,
						 b->n_frames))

LODE_COMPARE(by_node, struct lode_cluster_stack, LODE_ORDER(a->node, b->node))

static const void *keep_array(struct lode_arena *arena, const void *items, size_t n,
			      size_t item_bytes)
{
	void *copy = lode_arena_alloc(arena, n * item_bytes, _Alignof(max_align_t));

	return n ? memcpy(copy, items, n * item_bytes) : copy;
}

/* What the stacks seen since the last stamp come to, kept beyond this job. */
static void keep_details(const struct job *job, struct scratch *scratch,
			 struct lode_cluster *cluster)
{
	cluster->n_worst = scratch->worst.n;
	cluster->n_wakers = scratch->wakers.n;
	cluster->n_stacks = scratch->kept.n;
	lode_sort(scratch->worst.at, cluster->n_worst, worst_first);
	lode_sort_r(scratch->wakers.at, cluster->n_wakers, dearest_waker_first,
		    (void *)&job->m->digest->tree);
	lode_sort(scratch->kept.at, cluster->n_stacks, by_node);
	cluster->worst = keep_array(&scratch->arena, scratch->worst.at, cluster->n_worst,
				    sizeof(*cluster->worst));
	cluster->wakers = keep_array(&scratch->arena, scratch->wakers.at, cluster->n_wakers,
				     sizeof(*cluster->wakers));
	cluster->stacks = keep_array(&scratch->arena, scratch->kept.at, cluster->n_stacks,
				     sizeof(*cluster->stacks));
}

static void forget_details(struct scratch *scratch)
{
	scratch->worst.n = scratch->wakers.n = scratch->kept.n = 0;
	lode_map_release(&scratch->waker_slot);
	scratch->stamp++;
}

/* Adopted stacks hold the common part, but perhaps no whole pattern: they are of the total too. */
static void join_own_stacks(const struct job *job, struct scratch *scratch, size_t c,
			    uint32_t cluster_stamp)
{
	for (size_t i = job->member_start[c]; i < job->member_start[c + 1]; i++)
		for (size_t k = job->owned_start[job->members[i]];
		     k < job->owned_start[job->members[i] + 1]; k++) {
			uint32_t s = job->owned[k];

			if (scratch->stack_stamp[s] == cluster_stamp)
				continue;
			scratch->stack_stamp[s] = cluster_stamp;
			lode_vec_append(&scratch->stacks, s);
		}
}

static void measure_cluster(void *context, size_t c, unsigned worker)
{
	const struct job *job = context;
	const struct lode_measure *m = job->m;
	struct scratch *scratch = &job->scratch[worker];
	struct lode_cluster *cluster = &m->clusters[c];
	struct lode_mined_pattern *patterns = &job->patterns[job->member_start[c]];
	uint32_t cluster_stamp;
	bool owns_any = false;

	scratch->stamp++;
	cluster_stamp = scratch->stamp;
	scratch->stacks.n = 0;
	cluster->kind_group = job->kind_group;
	cluster->n_patterns = job->member_start[c + 1] - job->member_start[c];
	for (size_t i = 0; i < cluster->n_patterns; i++) {
		scratch->stamp++;
		measure_pattern(job, scratch, job->members[job->member_start[c] + i], &patterns[i],
				cluster_stamp);
		patterns[i].holds_common = holds(&patterns[i], cluster->common, cluster->n_common);
	}
	join_own_stacks(job, scratch, c, cluster_stamp);
	lode_sort_r(patterns, cluster->n_patterns, by_cost, (void *)m->name_rank);
	cluster->patterns = patterns;
	/* All that any pattern matches, or that it owns: totals. */
	forget_details(scratch);
	for (size_t i = 0; i < scratch->stacks.n; i++) {
		uint32_t s = scratch->stacks.at[i];

		cluster->total_ns += m->set->cost_ns[s];
		cluster->n_events += count_events(m, s);
		cluster->n_streams += count_streams(m, scratch, s);
		add_stack(job, scratch, s, NULL);
	}
	cluster->n_symptoms = (uint32_t)scratch->worst.n;
	cluster->average_ns =
		cluster->n_events ? cluster->total_ns / (int64_t)cluster->n_events : 0;
	scratch->is_counted = true;
	/* What belongs to it: own cost, its split; and its worst places, if it owns anything. */
	for (size_t i = job->member_start[c]; i < job->member_start[c + 1]; i++)
		for (size_t k = job->owned_start[job->members[i]];
		     k < job->owned_start[job->members[i] + 1]; k++) {
			if (!owns_any)
				forget_details(scratch);
			owns_any = true;
			add_stack(job, scratch, job->owned[k], cluster);
		}
	settle_occurrences(m->digest, scratch, cluster);
	keep_details(job, scratch, cluster);
}

/* Groups 0..n-1 by `group_of`: items of group g are out[start[g] .. start[g + 1]), in order. */
static uint32_t *group(const uint32_t *group_of, size_t n, size_t n_groups, size_t **start)
{
	uint32_t *out = lode_alloc(n * sizeof(*out));
	size_t *at = lode_alloc0(n_groups + 2, sizeof(*at));

	for (size_t i = 0; i < n; i++)
		if (group_of[i] != LODE_NONE)
			at[group_of[i] + 2]++;
	for (size_t g = 0; g < n_groups; g++)
		at[g + 2] += at[g + 1];
	for (size_t i = 0; i < n; i++)
		if (group_of[i] != LODE_NONE)
			out[at[group_of[i] + 1]++] = (uint32_t)i;
	*start = at;
	return out;
}

static void scratch_init(struct scratch *scratch, const struct lode_measure *m)
{
	scratch->stack_stamp = lode_alloc0(m->set->n, sizeof(*scratch->stack_stamp));
	scratch->stream_stamp = lode_alloc0(m->digest->streams.n, sizeof(*scratch->stream_stamp));
	scratch->symptom_stamp =
		lode_alloc0(m->digest->symptoms.n, sizeof(*scratch->symptom_stamp));
	scratch->group_stamp = lode_alloc0(m->digest->groups.n, sizeof(*scratch->group_stamp));
	scratch->symptom_slot = lode_alloc0(m->digest->symptoms.n, sizeof(*scratch->symptom_slot));
}

static void scratch_release(struct scratch *scratch)
{
	free(scratch->stack_stamp);
	free(scratch->stream_stamp);
	free(scratch->symptom_stamp);
	free(scratch->group_stamp);
	free(scratch->symptom_slot);
	lode_vec_release(&scratch->stacks);
	lode_vec_release(&scratch->worst);
	lode_vec_release(&scratch->wakers);
	lode_vec_release(&scratch->kept);
	lode_map_release(&scratch->waker_slot);
}

void lode_measure_clusters(const struct lode_measure *m, uint32_t kind_group)
{
	unsigned n_workers = m->n_threads ? m->n_threads : 1;
	struct job job = {.m = m, .kind_group = kind_group};
	size_t *member_start, *owned_start;
	uint32_t *members =
		group(m->cluster_of, m->rounds->n_patterns, m->n_clusters, &member_start);
	uint32_t *owned = group(m->rounds->owner, m->set->n, m->rounds->n_patterns, &owned_start);

	job.members = members;
	job.member_start = member_start;
	job.owned = owned;
	job.owned_start = owned_start;
	job.patterns = lode_arena_array(m->arena, struct lode_mined_pattern, m->rounds->n_patterns);
	job.scratch = lode_alloc0(n_workers, sizeof(*job.scratch));
	for (unsigned w = 0; w < n_workers; w++)
		scratch_init(&job.scratch[w], m);
	lode_pool_run(n_workers, m->n_clusters, measure_cluster, &job);
	for (unsigned w = 0; w < n_workers; w++) {
		lode_arena_join(m->arena, &job.scratch[w].arena);
		scratch_release(&job.scratch[w]);
	}
	free(job.scratch);
	free(members);
	free(member_start);
	free(owned);
	free(owned_start);
}
