/* What the patterns of a cluster hold between their shared functions. */
#include "answers/clusters/variants.h"

#include <stdio.h>

#include "base/escape.h"
#include "base/sorted.h"
#include "answers/clusters/cluster_who.h"
#include "answers/clusters/common_part.h"
#include "document/units.h"

static void add_variant(struct lode_gap *gap, const uint32_t *frames, size_t n, int64_t own_ns)
{
	for (size_t i = 0; i < gap->variants.n; i++) {
		struct lode_variant *v = &gap->variants.at[i];

		if (v->n == n && (n == 0 || memcmp(v->frames, frames, n * sizeof(*frames)) == 0)) {
			v->own_ns += own_ns;
			return;
		}
	}
	lode_vec_append(&gap->variants, ((struct lode_variant){frames, n, own_ns}));
}

/*
 * What `pattern` holds between the frames of the common part. Where a common frame occurs more than
 * once, its first place that leaves room for the rest is taken.
 */
static void add_pattern(struct lode_gap *gaps, const struct lode_cluster *c,
			const struct lode_mined_pattern *pattern)
{
	size_t at = 0;

	for (size_t i = 0; i <= c->n_common; i++) {
		size_t start = at;

		if (i == c->n_common)
			at = pattern->n_frames;
		while (i < c->n_common && at < pattern->n_frames &&
		       pattern->frames[at] != c->common[i])
			at++;
		add_variant(&gaps[i], pattern->frames + start, at - start, pattern->own_ns);
		at++;
		if (at > pattern->n_frames)
			break;
	}
}

static int dearest_variant_first(const void *a, const void *b)
{
	const struct lode_variant *x = a, *y = b;
	int order = LODE_ORDER(y->own_ns, x->own_ns) ?: LODE_ORDER(x->n, y->n);

	return order || !x->n ? order : memcmp(x->frames, y->frames, x->n * sizeof(*x->frames));
}

struct lode_gap *lode_gaps_new(const struct lode_cluster *cluster)
{
	struct lode_gap *gaps = lode_alloc0(cluster->n_common + 1, sizeof(*gaps));

	for (size_t i = 0; i < cluster->n_patterns; i++)
		if (cluster->patterns[i].holds_common)
			add_pattern(gaps, cluster, &cluster->patterns[i]);
	for (size_t i = 0; i <= cluster->n_common; i++) {
		lode_sort(gaps[i].variants.at, gaps[i].variants.n, dearest_variant_first);
	}
	return gaps;
}

void lode_gaps_free(struct lode_gap *gaps, const struct lode_cluster *cluster)
{
	for (size_t i = 0; i <= cluster->n_common; i++)
		lode_vec_release(&gaps[i].variants);
	free(gaps);
}

static bool is_most(const struct lode_gap *gap, int64_t own_ns)
{
	int64_t all_ns = 0;

	for (size_t i = 0; i < gap->variants.n; i++)
		all_ns += gap->variants.at[i].own_ns;
	return own_ns >= lode_agreed_ns(all_ns);
}

const struct lode_variant *lode_gap_main(const struct lode_gap *gap)
{
	if (gap->variants.n == 0 || !is_most(gap, gap->variants.at[0].own_ns))
		return NULL;
	return &gap->variants.at[0];
}

/* ---- In one line ---- */

enum { max_named = 4 };

/* A function that stands for variants, and what they cost. */
struct named {
	uint32_t frame;
	int64_t own_ns;
};

/* The functions that tell the gap's variants apart, costliest first; gives how many. */
static size_t name_variants(struct named *named, const struct lode_digest *digest,
			    const struct lode_gap *gap)
{
	size_t n = 0;

	for (size_t i = 0; i < gap->variants.n; i++) {
		const struct lode_variant *v = &gap->variants.at[i];
		uint32_t frame = lode_telling_frame(digest, v->frames, v->n);
		size_t at = 0;

		if (frame == LODE_NONE)
			continue;
		while (at < n && named[at].frame != frame)
			at++;
		if (at < n)
			named[at].own_ns += v->own_ns;
		else if (n < max_named)
			named[n++] = (struct named){frame, v->own_ns};
	}
	return n;
}

static int64_t cost_of(const struct named *named, size_t n)
{
	int64_t sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += named[i].own_ns;
	return sum;
}

static void put_named(char *buffer, size_t size, const struct lode_digest *digest,
		      const struct named *named, size_t n, size_t columns)
{
	char label[1600], cost[LODE_UNITS_BUFFER], more[2048];
	size_t used = 0;

	buffer[0] = '\0';
	for (size_t i = 0; i < n; i++) {
		snprintf(more, sizeof(more), "%s%s %s", i ? ", " : "┆ ",
			 lode_short_label(label, sizeof(label), &digest->tree, named[i].frame),
			 lode_format_cost(cost, named[i].own_ns, digest->unit));
		if (lode_escape_width(buffer) + lode_escape_width(more) > columns ||
		    used + strlen(more) >= size)
			break;
		used += (size_t)snprintf(buffer + used, size - used, "%s", more);
	}
}

const char *lode_variants_short(char *buffer, size_t size, const struct lode_digest *digest,
				const struct lode_cluster *cluster, size_t columns)
{
	struct lode_gap *gaps = lode_gaps_new(cluster);
	struct named best[max_named];
	size_t n_best = 0;

	buffer[0] = '\0';
	for (size_t i = 0; i <= cluster->n_common; i++) {
		struct named named[max_named];
		/* What nearly all of the cluster has is part of its headline. */
		size_t n = lode_gap_main(&gaps[i]) ? 0 : name_variants(named, digest, &gaps[i]);

		if (n < 2 || is_most(&gaps[i], named[0].own_ns) ||
		    (n_best && cost_of(named, n) <= cost_of(best, n_best)))
			continue;
		memcpy(best, named, n * sizeof(*named));
		n_best = n;
	}
	lode_gaps_free(gaps, cluster);
	put_named(buffer, size, digest, best, n_best, columns);
	return buffer;
}
