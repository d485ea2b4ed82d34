#include "job/diff_sets.h"

#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "job/shape.h"

/* ---- Sides ---- */

/* First places of the streams' contents in [from, to), so that later ones are known. */
static void find_repeated(struct lode_diff_sets *sets, size_t from, size_t to,
			  struct lode_map *seen)
{
	for (size_t i = from; i < to; i++) {
		uint32_t *first = lode_map_slot(seen, sets->digest->streams.at[i].content_hash);

		if (*first == LODE_NONE) {
			*first = (uint32_t)i;
			continue;
		}
		sets->side[i] = LODE_DIFF_NEITHER;
		sets->n_repeated++;
	}
}

static void choose_sides(struct lode_diff_sets *sets, size_t n_first)
{
	const struct lode_digest *digest = sets->digest;
	struct lode_map first = {0}, second = {0};
	size_t n = digest->streams.n;

	sets->side = lode_alloc0(n, sizeof(*sets->side));
	for (size_t i = 0; i < n; i++)
		sets->side[i] = i < n_first ? LODE_DIFF_A : LODE_DIFF_B;
	find_repeated(sets, 0, n_first, &first);
	find_repeated(sets, n_first, n, &second);
	for (size_t i = 0; i < n_first; i++) {
		uint32_t other = lode_map_find(&second, digest->streams.at[i].content_hash);

		if (other == LODE_NONE || sets->side[i] == LODE_DIFF_NEITHER)
			continue;
		sets->side[i] = sets->side[other] = LODE_DIFF_NEITHER;
		sets->n_in_both++;
	}
	lode_map_release(&first);
	lode_map_release(&second);
}

/* ---- Strata ---- */

static int number_strata(struct lode_diff_sets *sets, const char *within, struct lode_error *err)
{
	const struct lode_digest *digest = sets->digest;
	struct lode_map number = {0};
	int rc = 0;

	sets->stratum = lode_alloc0(digest->streams.n, sizeof(*sets->stratum));
	sets->n_strata = 1;
	if (!within)
		return 0;
	sets->n_strata = 0;
	for (size_t i = 0; i < digest->streams.n && rc == 0; i++) {
		const struct lode_digest_stream *stream = &digest->streams.at[i];
		uint32_t value = LODE_NONE, *slot;

		if (strcmp(within, "host") == 0)
			value = stream->host;
		else if (strcmp(within, "kernel") == 0)
			value = stream->kernel;
		else
			rc = lode_fail(err, LODE_ERR_ARG, NULL, -1,
				       "--within %.60s: recordings and digests have no labels but "
				       "host and kernel",
				       within);
		if (rc < 0)
			break;
		slot = lode_map_slot(&number, value);
		if (*slot == LODE_NONE)
			*slot = (uint32_t)sets->n_strata++;
		sets->stratum[i] = *slot;
	}
	lode_map_release(&number);
	return rc;
}

/* ---- Reading ---- */

/* Both sets must have been made alike. */
static int agree(const struct lode_diff_sets *sets, const struct lode_diff_sets_options *options,
		 struct lode_error *err)
{
	struct lode_shape_demand demand = {
		.given = "",
		.full = sets->jobs[LODE_DIFF_A].origin.shape,
		.first = sets->jobs[LODE_DIFF_A].origin.shape,
		.first_path = options->inputs[LODE_DIFF_A][0],
	};
	bool needs_filter;

	return lode_shape_agree(&needs_filter, &demand, sets->jobs[LODE_DIFF_B].origin.shape,
				options->inputs[LODE_DIFF_B][0], err);
}

static int join(struct lode_diff_sets *sets, const struct lode_diff_sets_options *options,
		struct lode_error *err)
{
	struct lode_digest_job *a = &sets->jobs[LODE_DIFF_A], *b = &sets->jobs[LODE_DIFF_B];
	size_t n_first;
	int rc = agree(sets, options, err);

	if (rc < 0)
		return rc;
	sets->digest = a->digest;
	a->digest = NULL;
	n_first = sets->digest->streams.n;
	lode_digest_merge(sets->digest, b->digest);
	lode_digest_free(b->digest);
	b->digest = NULL;
	choose_sides(sets, n_first);
	return number_strata(sets, options->within, err);
}

int lode_diff_sets_read(struct lode_diff_sets *out, const struct lode_diff_sets_options *options,
			struct lode_error *err)
{
	int rc = 0;

	memset(out, 0, sizeof(*out));
	for (unsigned s = 0; s < LODE_N_DIFF_SIDES && rc == 0; s++)
		rc = lode_digest_job_run(&out->jobs[s], options->inputs[s], options->n_inputs[s],
					 &options->job, err);
	if (rc < 0)
		return rc;
	for (unsigned s = 0; s < LODE_N_DIFF_SIDES; s++)
		if (!out->jobs[s].digest) {
			out->empty = s;
			return 0;
		}
	return join(out, options, err);
}

void lode_diff_sets_release(struct lode_diff_sets *sets)
{
	for (unsigned s = 0; s < LODE_N_DIFF_SIDES; s++)
		lode_digest_job_release(&sets->jobs[s]);
	lode_digest_free(sets->digest);
	free(sets->side);
	free(sets->stratum);
	memset(sets, 0, sizeof(*sets));
}
