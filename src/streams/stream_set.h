/*
 * Which streams a command is about: recordings and digests named on the command line, or those of
 * a repository that a query picks. What they come to is one merged digest, with what the repository
 * knows of each stream beside it.
 *
 *   INPUT... ------------- digest job ---+
 *   --repo R --where W --- repository ---+--> digest, streams
 */
#pragma once

#include "streams/digest_job.h"
#include "store/repo.h"

struct lode_covers; /* streams/cover_form.h */

struct lode_stream_set_options {
	char *const *inputs; /* n_inputs 0: the repository's streams */
	size_t n_inputs;
	struct lode_repo *repo; /* NULL: none. With inputs: it gives name statistics only */
	const char *where;	/* query for the repository's streams; NULL: all */
	int64_t now_ns;		/* that ages in it count from; 0: the clock's */
	struct lode_digest_job_options job; /* of inputs; its content filters apply to all */
	/* Of the repository's streams, unless content filters apply: their covers, in place of
	   digests and name statistics. NULL: digests. */
	struct lode_covers *covers;
	bool needs_no_labels; /* of the repository's streams nothing but the digest is asked for */
};

struct lode_stream_set {
	/* As if its streams had been inputs: digest (NULL: nothing usable, or no stream picked),
	   origin, skipped ... */
	struct lode_digest_job job;
	/* Of the repository's streams: described.list.at[i] is job.digest->streams.at[i]. Empty
	   when they came from inputs, and when no labels are needed. */
	struct lode_repo_streams described;
	bool has_covers; /* the digest is a cover of these */
};

/*
 * `*out` is the caller's to release, also on failure. Name statistics are those of the whole
 * repository if there is one. Fails as lode_digest_job_run and lode_repo_read do, and on a wrong
 * query; options that the repository's digests were not made with are LODE_ERR_ARG.
 */
int lode_stream_set_read(struct lode_stream_set *out, const struct lode_stream_set_options *options,
			 struct lode_error *err);
/* The same, where there must be a stream with a symptom: LODE_ERR_EMPTY says why there is none. */
int lode_stream_set_require(struct lode_stream_set *out,
			    const struct lode_stream_set_options *options, struct lode_error *err);
void lode_stream_set_release(struct lode_stream_set *set);

/*
 * A label of stream i of set->job.digest, or NULL: also host, kernel, path and day ("2026-11-01",
 * UTC: of the repository's time, or of the recording's own clock). Lives as long as the set.
 */
const char *lode_stream_set_label(struct lode_stream_set *set, size_t i, const char *key);
/* Its labels of the repository, and how many; NULL and 0 where it has none. */
size_t lode_stream_set_labels(const struct lode_repo_label **labels,
			      const struct lode_stream_set *set, size_t i);

/*
 * Streams side by side by a label: releases, hosts, days.
 */
struct lode_stream_groups {
	const char **names; /* n; in their order (2.9 before 2.10), streams without it last */
	size_t n;
	uint32_t *group_of; /* per stream of the digest */
};

/* What a stream without the label is grouped under. */
extern const char lode_coverage_no_label[];

/*
 * `by`: a label, or a field as lode_stream_set_label has it. LODE_ERR_ARG if no stream has it.
 * Texts are the set's; `*out` is the caller's to release, also on failure.
 */
int lode_stream_groups_make(struct lode_stream_groups *out, struct lode_stream_set *set,
			    const char *by, struct lode_error *err);
void lode_stream_groups_release(struct lode_stream_groups *groups);

/* What streams of the set can be grouped by: day, host and kernel where any has it, then labels by
   name. Appended; texts are the set's. */
typedef LODE_VEC(const char *) lode_stream_keys;
void lode_stream_groups_keys(lode_stream_keys *out, struct lode_stream_set *set);
