/* From digests to ranked clusters of costly patterns (docs/mining.md). */
#include "engine/mine/mine.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "engine/clusters/common.h"
#include "engine/clusters/pairs.h"
#include "engine/mine/adopt.h"
#include "engine/mine/cpu_costs.h"
#include "engine/mine/measure.h"
#include "model/tracers.h"
#include "engine/mine/problems.h"
#include "engine/mine/rounds.h"
#include "engine/patterns/min_cost.h"
#include "base/memory_limit.h"
#include "base/sorted.h"

/* Stacks that are mined together: all kinds, or those of one kind. */
struct group {
	uint32_t kind_group;
	struct lode_stackset set;
	struct lode_rounds rounds;
};

/* What was mined at the last λ of a search that had few enough patterns: the answer, at its end. */
struct kept {
	int64_t min_cost;			       /* 0: nothing */
	struct lode_rounds rounds[LODE_N_EVENT_KINDS]; /* by group */
	struct lode_arena arena;		       /* that has them */
	size_t n_patterns;
	uint32_t n_rounds;
};

struct mining {
	const struct lode_mine_options *options;
	struct lode_mined *mined;
	struct group groups[LODE_N_EVENT_KINDS];
	size_t n_groups;
	struct kept kept;
	uint32_t *name_rank;
	struct lode_arena scratch;
	struct lode_arena rounds; /* what the latest mine_groups found: the next one starts over */
};

static void progress(const struct mining *m, const char *stage, double done)
{
	if (m->options->progress)
		m->options->progress(m->options->progress_context, stage, done);
}

static uint32_t *rank_names(const struct lode_calltree *tree, struct lode_arena *arena)
{
	size_t n = tree->frames.n;
	uint32_t *rank = lode_arena_array(arena, uint32_t, n);
	uint32_t *order = lode_frames_by_name(tree);

	for (size_t i = 0; i < n; i++)
		rank[order[i]] = (uint32_t)i;
	free(order);
	return rank;
}

static void build_groups(struct mining *m)
{
	const struct lode_digest *digest = m->mined->digest;
	uint32_t recording = lode_tracers_recording(&digest->tree);

	m->mined->n_aoi_events = digest->n_events;
	m->n_groups = m->options->split_kinds ? LODE_N_EVENT_KINDS : 1;
	for (size_t g = 0; g < m->n_groups; g++) {
		struct group *group = &m->groups[g];

		group->kind_group = m->options->split_kinds ? (uint32_t)g + 1 : 0;
		lode_stackset_build(&group->set, digest, m->options->split_kinds ? 1u << g : ~0u,
				    &m->scratch);
		m->mined->n_aoi_stacks += group->set.n;
		m->mined->aoi_ns += group->set.total_ns;
	}
	for (size_t i = 0; i < digest->rows.n; i++) {
		const struct lode_digest_row *row = &digest->rows.at[i];

		if (row->stack == recording) {
			m->mined->recording_ns += row->cost_ns;
			m->mined->n_aoi_events -= row->n_events;
		} else {
			m->mined->aoi_kind_ns[row->kind] += row->cost_ns;
		}
	}
	for (size_t i = 0; i < digest->symptoms.n; i++) {
		const struct lode_digest_symptom *symptom = &digest->symptoms.at[i];

		m->mined->symptom_ns += lode_digest_symptom_ns(symptom);
		m->mined->symptom_cpu_ns += symptom->is_cpu_time ? symptom->cpu_ns : 0;
		m->mined->n_cpu_symptoms += symptom->is_cpu_time;
	}
}

/* What the stacks that have a frame cost, per frame. */
static const int64_t *find_frame_costs(const struct mining *m)
{
	size_t n_frames = m->mined->digest->tree.frames.n;
	int64_t *cost_ns = lode_arena_array(&m->mined->arena, int64_t, n_frames + 1);
	uint32_t *last = lode_alloc((n_frames + 1) * sizeof(*last));

	memset(cost_ns, 0, (n_frames + 1) * sizeof(*cost_ns));
	for (size_t g = 0; g < m->n_groups; g++) {
		const struct lode_stackset *set = &m->groups[g].set;

		memset(last, 0xff, n_frames * sizeof(*last));
		for (uint32_t s = 0; s < set->n; s++)
			for (size_t i = set->start[s]; i < set->start[s + 1]; i++) {
				if (last[set->items[i]] != s)
					cost_ns[set->items[i]] += set->cost_ns[s];
				last[set->items[i]] = s;
			}
	}
	free(last);
	return cost_ns;
}

static int64_t chosen_min_cost(const struct mining *m)
{
	const struct lode_mine_options *o = m->options;
	double cost;

	if (o->min_cost > 0)
		return o->min_cost;
	if (o->prevalence > 0 && o->delay_ns > 0)
		cost = o->prevalence * (double)o->delay_ns * (double)m->mined->digest->streams.n;
	else
		cost = (o->min_cost_share > 0 ? o->min_cost_share : 0.002) *
		       (double)(m->mined->aoi_ns + m->mined->recording_ns);
	return cost < 1 ? 1 : (int64_t)ceil(cost);
}

/*
 * How long the search may take, in the miner's steps of some 10 ns, besides what each pattern
 * allows: most of a minute of one CPU, however few stacks there are. Threads that wait for each
 * other in circles give chained stacks in which the same functions come again and again: few
 * thousand stacks and few hundred patterns may take many seconds. Where this is too little,
 * patterns are too many as well.
 */
static uint64_t allowed_work(const struct lode_stackset *set, double share)
{
	double n_frames = (double)set->start[set->n];
	double work = fmax((double)(1LL << 32), 64 * n_frames);

	return (uint64_t)(share * work) + (1 << 24);
}

/* How far mining at a λ may go. */
struct extent {
	size_t max_patterns;
	double share; /* of what is reasonable for so many patterns */
	unsigned n_threads;
	int64_t test_cost; /* see miner.h */
};

/*
 * All rounds of all groups at λ; LODE_ERR_LIMIT when they give too many patterns, or when the
 * search takes too long. `crowded_to`: see miner.h.
 */
static int mine_groups(struct mining *m, int64_t min_cost, const struct extent *extent,
		       struct lode_miner_stop *stop, struct lode_error *err)
{
	size_t max_patterns = extent->max_patterns;
	size_t left = max_patterns, max_lookups = lode_memory_for_lookups();

	lode_arena_release(&m->rounds);
	m->mined->n_patterns = 0;
	m->mined->n_rounds = 0;
	for (size_t g = 0; g < m->n_groups; g++) {
		struct group *group = &m->groups[g];
		struct lode_miner_options options = {
			.min_cost = min_cost,
			.max_patterns = left ? left : 1,
			.max_work = allowed_work(&group->set, extent->share),
			.max_lookups = max_lookups,
			.test_cost = extent->test_cost,
			.n_threads = extent->n_threads,
			.stop = stop,
		};
		int rc = lode_rounds_mine(&group->rounds, &group->set, m->name_rank, &options,
					  m->options->classic, &m->rounds, err);

		if (rc == 0 && group->rounds.n_patterns > left)
			rc = lode_fail(err, LODE_ERR_LIMIT, NULL, -1, "more than %zu patterns",
				       max_patterns);
		if (m->n_groups > 1) /* the bound was not this group's alone */
			stop->crowded_to = 0;
		if (rc < 0)
			return rc;
		left -= group->rounds.n_patterns;
		m->mined->n_patterns += group->rounds.n_patterns;
		if (group->rounds.n_rounds > m->mined->n_rounds)
			m->mined->n_rounds = group->rounds.n_rounds;
	}
	m->mined->min_cost = min_cost;
	return 0;
}

static void keep_mined(struct mining *m)
{
	lode_arena_release(&m->kept.arena);
	m->kept.arena = m->rounds;
	m->rounds = (struct lode_arena){0};
	m->kept.min_cost = m->mined->min_cost;
	m->kept.n_patterns = m->mined->n_patterns;
	m->kept.n_rounds = m->mined->n_rounds;
	for (size_t g = 0; g < m->n_groups; g++)
		m->kept.rounds[g] = m->groups[g].rounds;
}

/* As mine_groups with all that mining may take, unless the search for λ has mined there. */
static int mine_found(struct mining *m, int64_t min_cost, const struct extent *extent,
		      struct lode_error *err)
{
	struct lode_miner_stop stop = {0};

	if (m->kept.min_cost != min_cost)
		return mine_groups(m, min_cost, extent, &stop, err);
	lode_arena_release(&m->rounds);
	m->rounds = m->kept.arena;
	m->kept.arena = (struct lode_arena){0};
	m->kept.min_cost = 0;
	m->mined->min_cost = min_cost;
	m->mined->n_patterns = m->kept.n_patterns;
	m->mined->n_rounds = m->kept.n_rounds;
	for (size_t g = 0; g < m->n_groups; g++)
		m->groups[g].rounds = m->kept.rounds[g];
	return 0;
}

/* Rounded up, so that it still fits, to what is short as an option. */
static int64_t round_cost(int64_t cost, const char *unit)
{
	static const int64_t ns_per_ms = 1000000;

	if (!unit || strcmp(unit, "ns") != 0 || cost < 10 * ns_per_ms)
		return cost;
	return ((cost - 1) / ns_per_ms + 1) * ns_per_ms;
}

/* One question of lode_min_cost_find or _fit. */
struct question {
	struct mining *m;
	struct extent part, whole; /* by effort */
	bool is_rounded;	   /* what is mined is the λ that would be named as an option */
};

static int ask(void *context, int64_t min_cost, enum lode_effort effort, int64_t *crowded_to,
	       struct lode_error *err)
{
	const struct question *q = context;
	const struct extent *extent = effort == LODE_EFFORT_WHOLE ? &q->whole : &q->part;
	const char *unit = q->m->mined->digest->unit;
	struct lode_miner_stop stop = {0};
	int rc = mine_groups(q->m, q->is_rounded ? round_cost(min_cost, unit) : min_cost, extent,
			     &stop, err);

	if (rc == LODE_ERR_LIMIT && !stop.is_too_long)
		*crowded_to = stop.crowded_to > min_cost ? stop.crowded_to : min_cost;
	if (rc == 0)
		keep_mined(q->m);
	return rc == LODE_ERR_LIMIT ? 0 : rc < 0 ? rc : 1;
}

/* What mining in earnest may take. */
static struct extent all_of(const struct mining *m, size_t max_patterns)
{
	return (struct extent){
		.max_patterns = max_patterns, .share = 1, .n_threads = m->options->n_threads};
}

/* The smallest λ whose result (all rounds, all groups) has no more than `max_patterns`. */
static int find_min_cost(struct mining *m, size_t max_patterns, int64_t *min_cost,
			 struct lode_error *err)
{
	struct question question = {
		.m = m, .part = all_of(m, max_patterns), .whole = all_of(m, max_patterns)};
	struct lode_min_cost_search search = {
		.probe = ask, .context = &question, .total = m->mined->aoi_ns};
	size_t n_frames = 0;

	question.part.share = 1.0 / 8;
	/* Later rounds tell nothing of other λ. */
	if (!m->options->classic || m->n_groups > 1)
		search.tolerance = 1e-4;
	for (size_t g = 0; g < m->n_groups; g++)
		n_frames += m->groups[g].set.start[m->groups[g].set.n];
	search.max_upward = lode_min_cost_max_upward(n_frames);
	return lode_min_cost_find(min_cost, &search, err);
}

/* Some λ above `too_low` that has no more, found with less work than mining there may take. With
   one thread, so that it is always the same. */
static int fit_min_cost(struct mining *m, size_t max_patterns, int64_t too_low, int64_t *min_cost)
{
	struct question question = {
		.m = m,
		.part = {.max_patterns = max_patterns, .share = 1.0 / 32, .n_threads = 1},
		.whole = {.max_patterns = max_patterns, .share = 1.0 / 4, .n_threads = 1},
		.is_rounded = true,
	};
	struct lode_min_cost_search search = {
		.probe = ask, .context = &question, .total = m->mined->aoi_ns};

	return lode_min_cost_fit(min_cost, &search, too_low, NULL);
}

const char *lode_min_cost_option(char *buffer, size_t size, int64_t cost, const char *unit)
{
	cost = round_cost(cost, unit);
	if (!unit || strcmp(unit, "ns") != 0)
		snprintf(buffer, size, "%" PRId64, cost);
	else if (cost % 1000000 == 0)
		snprintf(buffer, size, "%" PRId64 "ms", cost / 1000000);
	else
		snprintf(buffer, size, "%" PRId64 "ns", cost);
	return buffer;
}

/* What is looked up while mining does not fit into memory: says how much would do. */
static int fail_too_large(const struct mining *m, size_t lookups, int64_t fits,
			  struct lode_error *err)
{
	struct lode_memory_ceiling ceiling = lode_memory_ceiling("");
	size_t beside = lookups + (ceiling.bytes - lode_memory_for_lookups());
	size_t needed = lookups / 3 * 4 > beside ? lookups / 3 * 4 : beside; /* by default 3/4 */
	const char *unit = m->mined->digest->unit;
	char chosen[32], option[32];

	return lode_fail(err, LODE_ERR_LIMIT, NULL, -1,
			 "mining at λ = %s looks up %zu MiB at random, which do not stay in memory "
			 "where %s has %zu MiB: try --min-cost %s, or %zu MiB for %s",
			 lode_min_cost_option(chosen, sizeof(chosen), chosen_min_cost(m), unit),
			 lookups >> 20, ceiling.of, ceiling.bytes >> 20,
			 lode_min_cost_option(option, sizeof(option), fits, unit),
			 (needed >> 20) + 1, ceiling.of);
}

/* Mines at a λ that fits if it may, else says that it has stopped, and names that λ. */
static int raise_or_fail(struct mining *m, size_t max_patterns, const struct lode_miner_stop *stop,
			 struct lode_error *err)
{
	const char *unit = m->mined->digest->unit;
	char chosen[32], option[32], why[64];
	int64_t fits;
	int rc = fit_min_cost(m, max_patterns, chosen_min_cost(m), &fits);

	if (rc < 0)
		return rc;
	if (stop->is_too_long)
		snprintf(why, sizeof(why), "mining takes too long");
	else
		snprintf(why, sizeof(why), "more than %zu patterns", max_patterns);
	if (m->options->may_raise && fits <= m->mined->aoi_ns) {
		struct extent extent = all_of(m, max_patterns);

		m->mined->is_raised = true;
		return mine_found(m, round_cost(fits, unit), &extent, err);
	}
	if (fits > m->mined->aoi_ns)
		return lode_fail(err, LODE_ERR_LIMIT, NULL, -1,
				 "%s at every λ: the stacks are too deep and too varied; use "
				 "--include, --symptom or --time to reduce them",
				 why);
	if (m->options->fits)
		*m->options->fits = round_cost(fits, unit);
	if (stop->lookups)
		return fail_too_large(m, stop->lookups, fits, err);
	return lode_fail(err, LODE_ERR_LIMIT, NULL, -1,
			 "%s at λ = %s; try --min-cost %s, or allow more with --max-patterns", why,
			 lode_min_cost_option(chosen, sizeof(chosen), chosen_min_cost(m), unit),
			 lode_min_cost_option(option, sizeof(option), fits, unit));
}

static int mine_stage(struct mining *m, struct lode_error *err)
{
	size_t max_patterns = m->options->max_patterns ? m->options->max_patterns : 100000;
	struct extent extent = all_of(m, max_patterns);
	struct lode_miner_stop stop = {0};
	int64_t fits;
	int rc;

	progress(m, "mining patterns", 0);
	if (m->options->patterns) {
		rc = find_min_cost(m, m->options->patterns, &fits, err);
		extent.max_patterns = m->options->patterns;
		return rc < 0 ? rc : mine_found(m, fits, &extent, err);
	}
	if (m->options->may_raise)
		extent.test_cost = m->mined->aoi_ns / 10;
	rc = mine_groups(m, chosen_min_cost(m), &extent, &stop, err);
	return rc == LODE_ERR_LIMIT ? raise_or_fail(m, max_patterns, &stop, err) : rc;
}

/* The patterns of one group as the clustering wants them. */
static void pattern_set_of(struct lode_pattern_set *out, const struct lode_rounds *rounds)
{
	for (size_t p = 0; p < rounds->n_patterns; p++) {
		lode_vec_append(&out->start, out->items.n);
		lode_vec_append(&out->cost, rounds->patterns[p].cost_ns);
		for (size_t i = 0; i < rounds->patterns[p].n_frames; i++)
			lode_vec_append(&out->items, rounds->patterns[p].frames[i]);
	}
	lode_vec_append(&out->start, out->items.n);
	out->n = rounds->n_patterns;
}

/* A hash of the names of the cluster's patterns: the same wherever the same patterns meet. */
static uint64_t cluster_id(const struct lode_calltree *tree, const struct lode_cluster *cluster)
{
	char name[1024];
	uint64_t id = 0;

	for (size_t p = 0; p < cluster->n_patterns; p++) {
		uint64_t hash = cluster->kind_group;

		for (size_t i = 0; i < cluster->patterns[p].n_frames; i++) {
			lode_frame_full_name(tree, cluster->patterns[p].frames[i], name,
					     sizeof(name));
			hash = lode_stable_hash(name, strlen(name), hash);
		}
		id += hash; /* the order of the patterns does not matter */
	}
	return id;
}

static void find_common(struct mining *m, const struct group *group,
			const struct lode_pattern_set *patterns,
			const struct lode_similar_pairs *similar, const uint32_t *cluster_of,
			const uint32_t *name_of, struct lode_cluster *clusters, size_t n_clusters)
{
	const struct lode_digest *digest = m->mined->digest;
	struct lode_cluster_parts *parts = lode_alloc0(n_clusters, sizeof(*parts));
	uint8_t *is_core = lode_alloc(group->rounds.n_patterns);

	lode_core_patterns(is_core, &group->rounds, &group->set, cluster_of, n_clusters);
	lode_cluster_describe(parts, n_clusters, patterns, cluster_of, is_core, &digest->tree,
			      &digest->names, similar, m->options->n_threads, &m->mined->arena);
	for (size_t c = 0; c < n_clusters; c++) {
		clusters[c].name = name_of[c];
		clusters[c].common = parts[c].common;
		clusters[c].gap_before = parts[c].gap_before;
		clusters[c].n_common = parts[c].n_common;
		clusters[c].min_similarity = parts[c].min_similarity;
	}
	free(is_core);
	free(parts);
}

static struct lode_cluster_options cluster_options(const struct mining *m)
{
	return (struct lode_cluster_options){
		.linkage = m->options->linkage,
		.min_similarity = m->options->min_similarity < 0 ? LODE_SIMILARITY
								 : m->options->min_similarity,
		.n_threads = m->options->n_threads,
		.most_pairs = m->options->most_pairs,
	};
}

/* How many times the memory that there is for them the clusters of what was mined take; 0: there is
   enough. */
static double memory_excess(struct mining *m)
{
	struct lode_cluster_options options = cluster_options(m);
	double excess = 0;

	options.excess = &excess;
	options.is_trial = true;
	for (size_t g = 0; g < m->n_groups && excess == 0; g++) {
		const struct lode_rounds *rounds = &m->groups[g].rounds;
		uint32_t *cluster_of = lode_alloc(rounds->n_patterns * sizeof(*cluster_of));
		struct lode_pattern_set patterns = {0};
		size_t n_clusters;

		pattern_set_of(&patterns, rounds);
		(void)lode_cluster_patterns(cluster_of, &n_clusters, &patterns,
					    &m->mined->digest->tree, &m->mined->digest->names,
					    &options, NULL);
		lode_pattern_set_release(&patterns);
		free(cluster_of);
	}
	return excess;
}

/* Patterns that are too many for their clusters: adds a λ that fits to what was said. */
static int fail_too_similar(struct mining *m, double excess, struct lode_error *err)
{
	int64_t min_cost = m->mined->min_cost, fits = min_cost;
	const char *unit = m->mined->digest->unit;
	struct lode_error why = {0};
	char chosen[32], option[32];
	int rc;

	if (err)
		why = *err;
	/* Pairs grow with the square of the patterns, more or less. */
	while (excess > 0) {
		size_t n = (size_t)(0.9 * (double)m->mined->n_patterns / sqrt(excess)) + 1;

		rc = fit_min_cost(m, n, fits, &fits);
		if (rc == 0) {
			struct extent extent = all_of(m, n);

			fits = round_cost(fits, unit);
			rc = mine_found(m, fits, &extent, err);
		}
		if (rc < 0)
			return rc;
		excess = memory_excess(m);
	}
	if (m->options->fits)
		*m->options->fits = round_cost(fits, unit);
	return lode_fail(err, LODE_ERR_LIMIT, NULL, -1, "%s: λ = %s is too low; try --min-cost %s",
			 why.message, lode_min_cost_option(chosen, sizeof(chosen), min_cost, unit),
			 lode_min_cost_option(option, sizeof(option), fits, unit));
}

/* Of the clusters from `first` on, those whose stacks all went to problems with a name have nothing
   left to say. */
static void drop_empty(struct lode_mined *mined, size_t first)
{
	size_t n = first;

	for (size_t c = first; c < mined->n_clusters; c++)
		if (mined->clusters[c].own_ns > 0)
			mined->clusters[n++] = mined->clusters[c];
		else
			mined->n_patterns -= mined->clusters[c].n_patterns;
	mined->n_clusters = n;
}

static int cluster_group(struct mining *m, struct group *group, struct lode_error *err)
{
	struct lode_mined *mined = m->mined;
	struct lode_pattern_set patterns = {0};
	struct lode_similar_pairs similar = {0};
	uint32_t *cluster_of = lode_alloc(group->rounds.n_patterns * sizeof(*cluster_of));
	size_t n_clusters = 0, n_alone = 0;
	struct lode_cluster_options options = cluster_options(m);
	struct lode_problems problems;
	struct lode_postings postings;
	struct lode_cluster *clusters;
	double excess = 0;
	int rc;

	options.n_alone = &n_alone;
	options.excess = &excess;
	options.similar = &similar;
	pattern_set_of(&patterns, &group->rounds);
	rc = lode_cluster_patterns(cluster_of, &n_clusters, &patterns, &mined->digest->tree,
				   &mined->digest->names, &options, err);
	if (rc == LODE_ERR_LIMIT && excess > 0)
		rc = fail_too_similar(m, excess, err);
	if (rc < 0)
		goto out;
	mined->n_not_compared += n_alone;
	if (m->options->min_similarity < 0 && !m->options->classic)
		lode_problems_part(&problems, &group->rounds, cluster_of, &n_clusters, &group->set,
				   mined->digest, m->name_rank, m->options->n_threads, &m->scratch);
	else
		lode_problems_none(&problems, group->set.n, n_clusters, &m->scratch);
	mined->clusters = lode_realloc_n(mined->clusters, mined->n_clusters + n_clusters,
					 sizeof(*mined->clusters));
	clusters = &mined->clusters[mined->n_clusters];
	memset(clusters, 0, n_clusters * sizeof(*clusters));
	mined->n_clusters += n_clusters;
	find_common(m, group, &patterns, &similar, cluster_of, problems.name_of_cluster, clusters,
		    n_clusters);
	lode_similar_pairs_release(&similar);
	lode_adopt_stacks(&group->rounds, &group->set, cluster_of, problems.name_of_stack, clusters,
			  n_clusters, m->options->n_threads);
	lode_postings_build(&postings, &group->set, mined->digest->tree.frames.n, &m->scratch);
	lode_measure_clusters(
		&(struct lode_measure){
			.digest = mined->digest,
			.set = &group->set,
			.postings = &postings,
			.rounds = &group->rounds,
			.cluster_of = cluster_of,
			.name_rank = m->name_rank,
			.clusters = clusters,
			.n_clusters = n_clusters,
			.n_threads = m->options->n_threads,
			.arena = &mined->arena,
		},
		group->kind_group);
	for (size_t s = 0; s < group->set.n; s++)
		if (group->rounds.owner[s] == LODE_NONE)
			mined->other_ns += group->set.cost_ns[s];
	if (problems.has_names)
		drop_empty(mined, mined->n_clusters - n_clusters);
out:
	lode_similar_pairs_release(&similar);
	lode_pattern_set_release(&patterns);
	free(cluster_of);
	return rc;
}

const char *const lode_rank_choices[] = {"own", "total", "average", "streams", "events", NULL};

static int64_t rank_value(const struct lode_cluster *cluster,
			  const struct lode_mine_options *options)
{
	switch (options->rank) {
	case LODE_RANK_TOTAL:
		return cluster->total_ns;
	case LODE_RANK_AVERAGE:
		return options->classic ? cluster->average_ns : cluster->mean_ns;
	case LODE_RANK_STREAMS:
		return cluster->n_streams;
	case LODE_RANK_EVENTS:
		return (int64_t)cluster->n_events;
	case LODE_RANK_OWN:
		break;
	}
	return cluster->own_ns;
}

bool lode_cluster_is_unrecorded(const struct lode_mined *mined, const struct lode_cluster *cluster)
{
	return cluster->n_common == 1 &&
	       !strcmp(lode_frame_module(&mined->digest->tree, cluster->common[0]),
		       LODE_RUNNER_UNRECORDED);
}

/* Most of what it matches is other clusters', and what is left is small: its total, recordings and
   events are hardly its own. */
static bool is_remainder(const struct lode_mined *mined, const struct lode_cluster *c)
{
	return c->own_ns < c->total_ns - c->own_ns && c->own_ns < mined->aoi_ns / 100;
}

/* Whatever its measure, it comes after the problems. */
static bool is_last(const struct mining *m, const struct lode_cluster *c)
{
	return lode_cluster_is_unrecorded(m->mined, c) ||
	       (m->options->rank != LODE_RANK_OWN && is_remainder(m->mined, c));
}

static int order_of_ratios(int64_t a_ns, uint64_t n_a, int64_t b_ns, uint64_t n_b)
{
	return LODE_ORDER((__int128)b_ns * (__int128)n_a, (__int128)a_ns * (__int128)n_b);
}

/* Which of them is first by that measure; averages exactly, as these are kept in whole ns. */
static int order_by(const struct lode_cluster *a, const struct lode_cluster *b,
		    const struct lode_mine_options *options)
{
	if (options->rank == LODE_RANK_AVERAGE && options->classic && a->n_events && b->n_events)
		return order_of_ratios(a->total_ns, a->n_events, b->total_ns, b->n_events);
	if (options->rank == LODE_RANK_AVERAGE && !options->classic && a->n_occurrences &&
	    b->n_occurrences)
		return order_of_ratios(a->own_ns, a->n_occurrences, b->own_ns, b->n_occurrences);
	return LODE_ORDER(rank_value(b, options), rank_value(a, options));
}

/* Best first; equal ones by own cost, total, then the name of their costliest pattern. */
LODE_COMPARE_WITH(by_rank, struct lode_cluster, const struct mining *m,
		  (m->options->classic ? 0 : LODE_ORDER(is_last(m, a), is_last(m, b)))
			  ?: order_by(a, b, m->options)
			  ?: LODE_ORDER(b->own_ns, a->own_ns)
			  ?: LODE_ORDER(b->total_ns, a->total_ns)
			  ?: LODE_ORDER(a->kind_group, b->kind_group)
			  ?: lode_frames_compare(m->name_rank, a->patterns[0].frames,
						 a->patterns[0].n_frames, b->patterns[0].frames,
						 b->patterns[0].n_frames))

int lode_mine(struct lode_mined **out, const struct lode_digest *digest,
	      const struct lode_mine_options *options, struct lode_error *err)
{
	struct mining m = {.options = options};
	int rc;

	*out = NULL;
	m.mined = lode_alloc0(1, sizeof(*m.mined));
	m.mined->digest = digest;
	m.name_rank = rank_names(&digest->tree, &m.scratch);
	build_groups(&m);
	m.mined->frame_ns = find_frame_costs(&m);
	rc = mine_stage(&m, err);
	progress(&m, "clustering patterns", 0);
	for (size_t g = 0; rc == 0 && g < m.n_groups; g++)
		rc = cluster_group(&m, &m.groups[g], err);
	if (rc == 0)
		lode_cpu_costs(m.mined);
	if (rc == 0 && m.mined->n_clusters) {
		lode_sort_r(m.mined->clusters, m.mined->n_clusters, by_rank, &m);
		for (size_t c = 0; c < m.mined->n_clusters; c++) {
			m.mined->clusters[c].rank = (uint32_t)c + 1;
			m.mined->clusters[c].id = cluster_id(&digest->tree, &m.mined->clusters[c]);
		}
	}
	progress(&m, "done", 1);
	/* Patterns' frames live in these arenas: they go with the result. */
	lode_arena_release(&m.kept.arena);
	lode_arena_join(&m.scratch, &m.rounds);
	m.mined->pattern_arena = m.scratch;
	if (rc < 0)
		lode_mined_free(m.mined);
	else
		*out = m.mined;
	return rc;
}

LODE_COMPARE(by_stream, struct lode_cluster_stream, LODE_ORDER(a->stream, b->stream))

void lode_cluster_streams_of(lode_cluster_streams *out, const struct lode_mined *mined,
			     const struct lode_cluster *cluster)
{
	size_t first = out->n, n = first;

	for (size_t i = 0; i < cluster->n_worst; i++) {
		const struct lode_cluster_worst *worst = &cluster->worst[i];
		struct lode_cluster_stream item = {
			.stream = mined->digest->symptoms.at[worst->symptom].stream,
			.cost_ns = worst->symptom_cost_ns,
		};

		lode_vec_append(out, item);
	}
	if (out->n > first)
		lode_sort(out->at + first, out->n - first, by_stream);
	for (size_t i = first; i < out->n; i++)
		if (n > first && out->at[n - 1].stream == out->at[i].stream)
			out->at[n - 1].cost_ns += out->at[i].cost_ns;
		else
			out->at[n++] = out->at[i];
	out->n = n;
}

void lode_mined_free(struct lode_mined *mined)
{
	if (!mined)
		return;
	free(mined->clusters);
	lode_arena_release(&mined->arena);
	lode_arena_release(&mined->pattern_arena);
	free(mined);
}
