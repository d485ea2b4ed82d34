/*
 * lode shard: splits a manifest into parts that cost about the same, for as many machines.
 *
 *	manifest --> cost of each recording, by size and kind --> parts --> a manifest for each
 *
 * The same manifest and files give the same parts on every machine. A part is named after what it
 * says, so that an engine that finds its digest there need not make it again.
 */
#pragma once

#include "base/error.h"
#include "document/fields.h"
#include "document/findings.h"

struct lode_shard_request {
	const char *manifest, *folder; /* the folder is made if need be */
	size_t n_parts;		       /* 0: as many as `part_bytes` asks for */
	size_t part_bytes;	       /* cost of a part, about */
	size_t top;		       /* longest list; 0: no bound */
};

struct lode_shard_part {
	const char *path; /* its manifest */
	size_t n_recordings;
	int64_t bytes; /* of them, as far as known */
	int64_t cost;  /* bytes of a plain recording that take as long to read */
};

struct lode_shard_answer {
	struct lode_opening opening;
	const char *manifest, *folder;
	size_t n_recordings;
	size_t n_unmeasured; /* of these, whose size is not known: counted as average ones */
	int64_t bytes, cost; /* of all parts */
	int64_t least_cost, most_cost;
	size_t n_parts;
	const struct lode_shard_part *list;
	size_t n_listed, n_more;

	struct lode_shard_state *state; /* what all of this points into */
};

/*
 * `*out` is the caller's to free, also on failure. Fails on a manifest that is not understood, and
 * with LODE_ERR_ARG on a folder that has anything in it but these very parts: a part of another
 * split would be counted beside them.
 */
int lode_shard_run(struct lode_shard_answer **out, const struct lode_shard_request *request,
		   struct lode_error *err);
void lode_shard_free(struct lode_shard_answer *answer);

/* "lode/shard/1", docs/scale.md. */
extern const struct lode_document lode_shard_document;
