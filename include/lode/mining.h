/*
 * Mining: what makes the symptoms of many recordings slow, as clusters of costly stack patterns
 * (`lode mine`).
 *
 * Texts live as long as the answer. An answer does not change.
 */
#ifndef LODE_PUBLIC_MINING_H
#define LODE_PUBLIC_MINING_H

#include <lode/error.h>
#include <lode/event.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What is 0 or NULL is as `lode mine` has it. */
struct lode_mining_options {
	const char *symptoms;  /* --symptom */
	int64_t min_cost;      /* --min-cost, in ns (or the unit of folded stacks) */
	double min_cost_share; /* the same as a share of all cost, 0.002 */
	const char *kallsyms, *buildid_dir, *symfs;
	unsigned n_threads;  /* 0: one, the caller's (lode/memory.h) */
	size_t memory_bytes; /* bound of what reading may hold at once */
};

struct lode_mining;

/*
 * Inputs are recordings, digests, and folders of them. One that cannot be used costs no other: see
 * lode_mining_skipped. LODE_ERR_EMPTY: none gave a symptom.
 */
int lode_mining_run(struct lode_mining **out, const char *const *inputs, size_t n_inputs,
		    const struct lode_mining_options *options, struct lode_error *err);
void lode_mining_free(struct lode_mining *mining);

struct lode_mining_sums {
	const char *unit;   /* of all costs: "ns" */
	int64_t symptom_ns; /* sum of the symptoms' lengths */
	int64_t cost;	    /* of all that was mined: sum of own costs, and `other` */
	int64_t other;	    /* what no cluster explains */
	int64_t min_cost;   /* that was used */
	size_t n_streams, n_symptoms, n_patterns, n_clusters;
};
void lode_mining_tell(const struct lode_mining *mining, struct lode_mining_sums *out);

struct lode_mining_cluster {
	uint64_t id;   /* the same for the same patterns, in every run */
	int64_t own;   /* cost that this cluster explains, and none before it */
	int64_t total; /* cost of all that its patterns match */
	int64_t own_of[LODE_N_EVENT_KINDS];
	size_t n_streams, n_symptoms, n_patterns;
	const char *const *common; /* "module!function", root first: what its patterns share */
	size_t n_common;
};
/* Clusters by rank, the costliest first; `cluster` counts from 0. */
void lode_mining_cluster(const struct lode_mining *mining, size_t cluster,
			 struct lode_mining_cluster *out);

/* An input that gave nothing, or (is_used) not all that it holds. */
struct lode_mining_skipped {
	const char *path, *reason;
	bool is_used;
};
size_t lode_mining_n_skipped(const struct lode_mining *mining);
void lode_mining_skipped(const struct lode_mining *mining, size_t i,
			 struct lode_mining_skipped *out);

#ifdef __cplusplus
}
#endif

#endif
