/*
 * Mining: from digests to ranked clusters of costly patterns (docs/mining.md).
 *
 *   digest -> distinct stacks -> rounds of maximal patterns -> own costs -> clusters -> rank
 *
 * Sum of own costs + other = the AOI's cost, to the nanosecond.
 */
#pragma once

#include "engine/clusters/clusters.h"
#include "engine/mine/chain_ends.h"

enum lode_rank {
	LODE_RANK_OWN,
	LODE_RANK_TOTAL,
	LODE_RANK_AVERAGE, /* per occurrence, and with `classic` per event */
	LODE_RANK_STREAMS,
	LODE_RANK_EVENTS,
};
extern const char *const lode_rank_choices[]; /* their names; NULL ends them */

#define LODE_SIMILARITY	 0.5
#define LODE_CUT_BY_DATA (-1.0) /* in place of a similarity */

struct lode_mine_options {
	/* λ: the first that is set wins; none: 0.2 % of the AOI's cost. */
	int64_t min_cost;      /* 0: not set */
	double min_cost_share; /* of the AOI's cost; 0: not set */
	double prevalence;     /* with delay_ns: λ = prevalence * delay * streams */
	int64_t delay_ns;
	size_t patterns;     /* the smallest λ that gives no more patterns */
	size_t max_patterns; /* 0: 100,000 */
	int64_t *fits; /* NULL, or for a λ that fits, when this one is refused (LODE_ERR_LIMIT) */
	/* λ is the default, 0.2 %: where that gives too many patterns, which may be
	   foreseeable, a λ that fits is mined instead. */
	bool may_raise;
	uint64_t most_pairs; /* of similar patterns (clusters.h); 0: what there is memory for */
	bool classic;	     /* one round, as the paper */
	bool split_kinds;    /* mine running, waiting and ready stacks apart (own stacks) */
	enum lode_linkage linkage;
	double min_similarity; /* of patterns that are clustered, and nothing else; < 0: by the data
				  (problems.h), and LODE_SIMILARITY where these tell nothing */
	enum lode_rank rank;
	unsigned n_threads;
	void (*progress)(void *context, const char *stage, double done);
	void *progress_context;
};

struct lode_mined_pattern {
	uint32_t round;		/* from 1 */
	uint32_t kind_group;	/* 0 all kinds together, else 1 + enum lode_event_kind */
	const uint32_t *frames; /* n_frames frame ids of the digest's tree, root first */
	size_t n_frames;
	int64_t cost_ns; /* over all stacks (of its kind group) */
	int64_t own_ns;	 /* of the stacks that it explains */
	uint64_t n_events;
	uint32_t n_streams;
	bool holds_common; /* has its cluster's whole common part: all but odd ones do */
};

struct lode_cluster_worst {
	uint32_t symptom; /* index into the digest's symptoms */
	uint32_t row;	  /* of the digest: has the cluster's costliest event there */
	int64_t symptom_cost_ns;
};

struct lode_cluster_waker {
	uint32_t name; /* string id */
	int64_t cost_ns;
};

/* A stack that belongs to the cluster. */
struct lode_cluster_stack {
	uint32_t node; /* of the digest's tree */
	int64_t cost_ns;
	int64_t wait_ns, ready_ns; /* of cost_ns; the rest was on a CPU */
};

/* What the cluster costs in one stream. */
struct lode_cluster_stream {
	uint32_t stream; /* index into the digest's streams */
	int64_t cost_ns;
};

struct lode_cluster {
	uint64_t id;   /* stable hash of its patterns' functions */
	uint32_t name; /* the frame that tells its cost from all other (problems.h), or LODE_NONE */
	uint32_t rank; /* from 1 */
	uint32_t kind_group;
	int64_t own_ns, total_ns, average_ns;
	int64_t mean_ns; /* own_ns per occurrence; INT64_MIN: their number is not known */
	int64_t split_ns[LODE_N_EVENT_KINDS]; /* of own_ns */
	int64_t ready_unknown_ns; /* of split_ns' ready time: no other thread is known to have run
				   */
	int64_t reason_ns[LODE_N_REASONS]; /* of own_ns' waits */
	/* Both: what the threads of the chain did at last, by the symptom's own wait. */
	int64_t kind_reason_ns[LODE_N_EVENT_KINDS][LODE_N_REASONS];
	/* Of own_ns: what the last threads of chains did, by the own wait of the symptom's thread
	   if it waited for another one, else LODE_REASON_NONE (chain_ends.h). */
	int64_t end_reason_ns[LODE_N_ENDS][LODE_N_REASONS];
	int64_t unsampled_ns;	   /* of own_ns: on a CPU, and no sample was taken */
	int64_t least_ns, most_ns; /* bounds of own_ns, whatever that time was (cpu_costs.h) */
	uint64_t n_events;	   /* events that any of its patterns matches */
	uint64_t n_occurrences;	   /* of its own stacks; 0: not known, or there are none */
	uint32_t n_streams, n_symptoms;
	double min_similarity; /* its spread: lowest similarity inside */
	/* Common part: functions that the patterns which carry 95 % of its own cost all have, in
	   order; a gap before common[i] when variants stand between it and common[i - 1]. */
	const uint32_t *common;
	const bool *gap_before;
	size_t n_common;
	const struct lode_mined_pattern *patterns; /* by cost */
	size_t n_patterns;
	const struct lode_cluster_worst *worst; /* symptoms by cost of the cluster in them */
	size_t n_worst;
	const struct lode_cluster_waker *wakers; /* by cost */
	size_t n_wakers;
	const struct lode_digest_runner *ran_instead; /* of its ready time, by cost */
	size_t n_ran_instead;
	/* Its own stacks by node, their costs sum to own_ns. Like `worst`, of all stacks that its
	   patterns match when it owns none. */
	const struct lode_cluster_stack *stacks;
	size_t n_stacks;
};

struct lode_mined {
	const struct lode_digest *digest; /* borrowed */
	int64_t symptom_ns;	/* the time that the symptoms took: lode_digest_symptom_ns */
	int64_t symptom_cpu_ns; /* of it: of symptoms that are measured in CPU time */
	size_t n_cpu_symptoms;
	int64_t aoi_ns, aoi_kind_ns[LODE_N_EVENT_KINDS];
	int64_t recording_ns;	  /* beside it: what the recording itself took (model/tracers.h) */
	int64_t ready_unknown_ns; /* of ready time: as in clusters */
	int64_t contended_ns;	  /* the rest of it: others are known to have had the CPU */
	int64_t aoi_unsampled_ns; /* of running time: no sample was taken */
	/* Who ran during ready time, by cost; they sum to it, but for digests of older versions. */
	const struct lode_digest_runner *ran_instead;
	size_t n_ran_instead;
	uint64_t n_aoi_events;
	size_t n_aoi_stacks;
	int64_t min_cost; /* λ used */
	bool is_raised;	  /* the λ that was asked for gives too many patterns */
	uint32_t n_rounds;
	size_t n_not_compared; /* patterns too long for clustering: each is a cluster of its own */
	size_t n_patterns;
	int64_t other_ns;
	const int64_t *frame_ns; /* per frame of the digest's tree: cost of the area's stacks that
				    have it */
	struct lode_cluster *clusters; /* in rank order */
	size_t n_clusters;
	struct lode_arena arena, pattern_arena;
};

/* Ready time in which others are known to have had the CPU. */
static inline int64_t lode_cluster_contended_ns(const struct lode_cluster *cluster)
{
	return cluster->split_ns[LODE_EVENT_READY] - cluster->ready_unknown_ns;
}

/* Time without an event: no problem that could be named. */
bool lode_cluster_is_unrecorded(const struct lode_mined *mined, const struct lode_cluster *cluster);

int lode_mine(struct lode_mined **out, const struct lode_digest *digest,
	      const struct lode_mine_options *options, struct lode_error *err);
void lode_mined_free(struct lode_mined *mined);

/* "5681ms": a cost in a digest's unit as --min-cost takes it; of times 10 ms and longer, rounded
   up to ms. */
const char *lode_min_cost_option(char *buffer, size_t size, int64_t cost, const char *unit);

/* What a cluster costs in each stream that `worst` is in, by stream; appended. O(n_worst log). */
typedef LODE_VEC(struct lode_cluster_stream) lode_cluster_streams;
void lode_cluster_streams_of(lode_cluster_streams *out, const struct lode_mined *mined,
			     const struct lode_cluster *cluster);
