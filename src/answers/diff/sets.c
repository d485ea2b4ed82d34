/* Two sets of streams as one digest. */
#include "answers/diff/sets.h"

#include <stdio.h>

#include "streams/shape.h"
#include "store/repo_query.h"

/* ---- Sides of inputs ---- */

/* First places of the streams' contents in [from, to), so that later ones are known. */
static void find_repeated(struct lode_diff_sets *sets, size_t from, size_t to,
			  struct lode_map *seen)
{
	for (size_t i = from; i < to; i++) {
		uint32_t first = lode_map_number(seen, sets->digest->streams.at[i].content_hash, i);

		if (first == i)
			continue;
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

/* Numbers the labels of a set's streams, those of the digest from `at` on. */
static void number_labels(struct lode_diff_sets *sets, unsigned s, size_t at, const char *within,
			  struct lode_strings *values, bool *is_any)
{
	struct lode_stream_set *set = &sets->sets[s];

	for (size_t i = 0; set->job.digest && i < set->job.digest->streams.n; i++) {
		const char *value = lode_stream_set_label(set, i, within);

		*is_any |= value != NULL;
		/* No label is a value of its own, which no text is. */
		sets->stratum[at + i] =
			value ? 1 + lode_strings_intern(values, value, strlen(value)) : 0;
	}
}

static size_t count_strata(const struct lode_diff_sets *sets, size_t n, size_t n_values)
{
	for (size_t i = 0; i < n; i++)
		if (sets->stratum[i] == 0)
			return n_values + 1;
	return n_values;
}

/* While the sets still have their digests: those know the labels. */
static int number_strata(struct lode_diff_sets *sets, const char *within, struct lode_error *err)
{
	struct lode_strings values = {0};
	size_t n[LODE_N_DIFF_SIDES] = {0};
	bool is_any = false;

	for (unsigned s = 0; s < LODE_N_DIFF_SIDES; s++)
		if (sets->sets[s].job.digest)
			n[s] = sets->sets[s].job.digest->streams.n;
	sets->stratum = lode_alloc0(n[LODE_DIFF_A] + n[LODE_DIFF_B], sizeof(*sets->stratum));
	sets->n_strata = 1;
	if (!within)
		return 0;
	number_labels(sets, LODE_DIFF_A, 0, within, &values, &is_any);
	number_labels(sets, LODE_DIFF_B, n[LODE_DIFF_A], within, &values, &is_any);
	sets->n_strata = count_strata(sets, n[LODE_DIFF_A] + n[LODE_DIFF_B], values.text.n);
	lode_strings_release(&values);
	if (!is_any)
		return lode_fail(
			err, LODE_ERR_ARG, NULL, -1,
			"--within %.60s: no recording has that label; recordings and digests "
			"have host, kernel and day",
			within);
	return 0;
}

/* ---- Inputs ---- */

/* Both sets must have been made alike. */
static int agree(const struct lode_diff_sets *sets, const struct lode_diff_sets_options *options,
		 struct lode_error *err)
{
	const char *shape = sets->sets[LODE_DIFF_A].job.origin.shape;
	struct lode_shape_demand demand = {
		.given = "",
		.full = shape,
		.first = shape,
		.first_path = options->inputs[LODE_DIFF_A][0],
	};
	bool needs_filter;

	return lode_shape_agree(&needs_filter, &demand, sets->sets[LODE_DIFF_B].job.origin.shape,
				options->inputs[LODE_DIFF_B][0], err);
}

static int join_diff_sets(struct lode_diff_sets *sets, const struct lode_diff_sets_options *options,
			  struct lode_error *err)
{
	struct lode_digest_job *a = &sets->sets[LODE_DIFF_A].job;
	struct lode_digest_job *b = &sets->sets[LODE_DIFF_B].job;
	size_t n_first;
	int rc = agree(sets, options, err);

	if (rc == 0)
		rc = number_strata(sets, options->within, err);
	if (rc < 0)
		return rc;
	sets->digest = a->digest;
	a->digest = NULL;
	n_first = sets->digest->streams.n;
	if (!lode_digest_fits(sets->digest, b->digest))
		return lode_fail(err, LODE_ERR_FORMAT, NULL, -1,
				 "the costs of both sets add up to 2^63 or more");
	lode_digest_merge(sets->digest, b->digest);
	lode_digest_free(b->digest);
	b->digest = NULL;
	choose_sides(sets, n_first);
	return 0;
}

static int read_inputs(struct lode_diff_sets *sets, const struct lode_diff_sets_options *options,
		       struct lode_error *err)
{
	for (unsigned s = 0; s < LODE_N_DIFF_SIDES; s++) {
		struct lode_stream_set_options set = {
			.inputs = options->inputs[s],
			.n_inputs = options->n_inputs[s],
			.job = options->job,
		};
		int rc = lode_stream_set_read(&sets->sets[s], &set, err);

		if (rc < 0)
			return rc;
	}
	for (unsigned s = 0; s < LODE_N_DIFF_SIDES; s++)
		if (!sets->sets[s].job.digest) {
			sets->empty = s;
			return 0;
		}
	return join_diff_sets(sets, options, err);
}

/* ---- Repository ---- */

/* "(release=2.0) or (release=2.1)" of the queries of sides from .. to - 1; the caller's to free. */
static char *any_of(const struct lode_diff_sets_options *options, unsigned from, unsigned to)
{
	size_t size = 1, used = 0;
	char *text;

	for (unsigned s = from; s < to; s++)
		for (size_t i = 0; i < options->n_inputs[s]; i++)
			size += strlen(options->inputs[s][i]) + 6;
	text = lode_alloc(size);
	for (unsigned s = from; s < to; s++)
		for (size_t i = 0; i < options->n_inputs[s]; i++)
			used += (size_t)snprintf(text + used, size - used, "%s(%s)",
						 used ? " or " : "", options->inputs[s][i]);
	return text;
}

/* Each query by itself, so that a mistake in one is shown where it was made. */
static int check_queries(const struct lode_diff_sets_options *options, struct lode_error *err)
{
	for (unsigned s = 0; s < LODE_N_DIFF_SIDES; s++)
		for (size_t i = 0; i < options->n_inputs[s]; i++) {
			struct lode_repo_query *query;
			int rc = lode_repo_query_parse(&query, options->inputs[s][i],
						       options->now_ns, err);

			if (rc < 0)
				return rc;
			lode_repo_query_free(query);
		}
	return 0;
}

/* Contents of the streams that a side's queries pick. */
static int find_side(struct lode_map *found, const struct lode_diff_sets_options *options,
		     unsigned side, struct lode_error *err)
{
	char *where = any_of(options, side, side + 1);
	struct lode_repo_query *query = NULL;
	struct lode_repo_streams streams = {0};
	int rc = lode_repo_query_parse(&query, where, options->now_ns, err);

	if (rc == 0)
		rc = lode_repo_find(&streams, options->repo, query, err);
	for (size_t i = 0; rc == 0 && i < streams.list.n; i++)
		*lode_map_slot(found, streams.list.at[i].content_hash) = (uint32_t)i;
	lode_repo_query_free(query);
	lode_repo_streams_release(&streams);
	free(where);
	return rc;
}

/* What another process adds meanwhile is in no digest, what it forgets on neither side. */
static int pick_sides(struct lode_diff_sets *sets, const struct lode_diff_sets_options *options,
		      struct lode_error *err)
{
	const struct lode_digest *digest = sets->digest;
	struct lode_map found[LODE_N_DIFF_SIDES] = {{0}};
	size_t n_of[LODE_N_DIFF_SIDES + 1] = {0};
	int rc = 0;

	for (unsigned s = 0; s < LODE_N_DIFF_SIDES && rc == 0; s++)
		rc = find_side(&found[s], options, s, err);
	sets->side = lode_alloc0(digest->streams.n, sizeof(*sets->side));
	for (size_t i = 0; i < digest->streams.n && rc == 0; i++) {
		uint64_t hash = digest->streams.at[i].content_hash;
		bool in_a = lode_map_find(&found[LODE_DIFF_A], hash) != LODE_NONE;
		bool in_b = lode_map_find(&found[LODE_DIFF_B], hash) != LODE_NONE;

		sets->n_in_both += in_a && in_b;
		sets->side[i] = in_a == in_b ? LODE_DIFF_NEITHER : in_a ? LODE_DIFF_A : LODE_DIFF_B;
		n_of[LODE_DIFF_A] += in_a;
		n_of[LODE_DIFF_B] += in_b;
	}
	for (unsigned s = 0; s < LODE_N_DIFF_SIDES; s++) {
		if (rc == 0 && n_of[s] == 0 && sets->digest) {
			lode_digest_free(sets->digest);
			sets->digest = NULL;
			sets->empty = s;
		}
		lode_map_release(&found[s]);
	}
	return rc;
}

static int read_repository(struct lode_diff_sets *sets,
			   const struct lode_diff_sets_options *options, struct lode_error *err)
{
	char *where = any_of(options, LODE_DIFF_A, LODE_N_DIFF_SIDES);
	struct lode_stream_set *all = &sets->sets[LODE_DIFF_A];
	struct lode_stream_set_options set = {
		.repo = options->repo,
		.where = where,
		.now_ns = options->now_ns,
		.job = options->job,
	};
	int rc = check_queries(options, err);

	if (rc == 0)
		rc = lode_stream_set_read(all, &set, err);
	free(where);
	if (rc < 0 || !all->job.digest)
		return rc;
	rc = number_strata(sets, options->within, err);
	if (rc < 0)
		return rc;
	sets->digest = all->job.digest;
	all->job.digest = NULL;
	return pick_sides(sets, options, err);
}

int lode_diff_sets_read(struct lode_diff_sets *out, const struct lode_diff_sets_options *options,
			struct lode_error *err)
{
	memset(out, 0, sizeof(*out));
	return options->repo ? read_repository(out, options, err) : read_inputs(out, options, err);
}

void lode_diff_sets_release(struct lode_diff_sets *sets)
{
	for (unsigned s = 0; s < LODE_N_DIFF_SIDES; s++)
		lode_stream_set_release(&sets->sets[s]);
	lode_digest_free(sets->digest);
	free(sets->side);
	free(sets->stratum);
	memset(sets, 0, sizeof(*sets));
}
