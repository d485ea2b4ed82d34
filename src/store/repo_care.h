/*
 * Looking after a repository: what is in it, whether it is sound, and making and keeping it small.
 */
#pragma once

#include "store/repo.h"

struct lode_repo_sums {
	int64_t n_streams, n_digests, n_segments, n_loose; /* digests that are in no segment */
	int64_t n_symptoms, symptom_ns, n_hosts, n_signatures;
	int64_t first_ns, last_ns; /* times of streams; 0 if there are none */
	int64_t digest_bytes, segment_bytes, file_bytes, free_bytes;
};

int lode_repo_sums(struct lode_repo_sums *out, struct lode_repo *repo, struct lode_error *err);

/* How many streams have each value of each label, by key and then in natural order. */
struct lode_repo_label_count {
	const char *key, *value;
	int64_t n_streams;
};

struct lode_repo_label_counts {
	LODE_VEC(struct lode_repo_label_count) list;
	struct lode_arena arena;
};

int lode_repo_label_counts(struct lode_repo_label_counts *out, struct lode_repo *repo,
			   struct lode_error *err);
void lode_repo_label_counts_release(struct lode_repo_label_counts *counts);

/* What is wrong with a repository, in words. */
struct lode_repo_check {
	LODE_VEC(const char *) faults; /* at most 100 */
	int64_t n_faults;
	int64_t n_digests, n_segments; /* looked at */
	struct lode_arena arena;
};

/*
 * Looks at everything: SQLite's own structure and references; the checksum and content of each
 * digest, and that its streams are those that are listed; that each segment and its names are what
 * its digests come to. Faults are no failure.
 */
int lode_repo_check(struct lode_repo_check *out, struct lode_repo *repo, struct lode_error *err);
void lode_repo_check_release(struct lode_repo_check *check);

/*
 * Merges all segments as far as they go (lode_repo_merge_all), and gives unused space back to the
 * file system. `rebuild`: rebuilds all segments from the digests first, whatever they held.
 */
int lode_repo_compact(struct lode_repo *repo, bool rebuild, struct lode_error *err);

/* ---- Retention ---- */

struct lode_repo_limits {
	int64_t oldest_ns; /* what began before is too old; INT64_MIN: nothing is */
	int64_t max_bytes; /* of the file's pages in use; 0: no bound */
	bool is_dry;	   /* finds out what would go, and changes nothing */
};

struct lode_repo_pruned {
	struct lode_repo_streams streams; /* that went, or would go, by time */
	size_t n;			  /* so many */
	int64_t was_bytes, used_bytes;	  /* pages in use before and after */
	bool is_over;			  /* more than max_bytes: no other stream might go */
};

/*
 * Takes out the streams that are too old, then the oldest until the rest keeps to the size, of
 * those that the query picks (NULL: all), as lode_repo_forget does; in one transaction, all or
 * none. Signatures, the last run and the shape stay. LODE_ERR_EMPTY if no stream of the repository
 * would be left: nothing goes then. `*out` is the caller's to release, also on failure.
 */
int lode_repo_prune(struct lode_repo_pruned *out, struct lode_repo *repo,
		    const struct lode_repo_query *query, const struct lode_repo_limits *limits,
		    struct lode_error *err);
void lode_repo_pruned_release(struct lode_repo_pruned *pruned);
