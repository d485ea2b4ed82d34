/*
 * Streams side by side by a label: releases, hosts, days.
 */
#pragma once

#include "streams/stream_set.h"

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
