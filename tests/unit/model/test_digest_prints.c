/* model/digest_prints.h: merged digests match what was merged, and nothing that differs does. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cases.h"
#include "model/digest_canonical.h"
#include "model/digest_prints.h"
#include "unit/model/random_digest.h"

enum { N_DIGESTS = 5 };

struct printed {
	struct lode_digest *digests[N_DIGESTS], *merged;
	struct lode_digest_prints prints;
};

static void print_digests(struct printed *out, struct rng *rng)
{
	struct lode_digest *merged = lode_digest_new();
	int first = (int)rng_below(rng, N_DIGESTS);

	memset(out, 0, sizeof(*out));
	for (int i = 0; i < N_DIGESTS; i++) {
		out->digests[i] = random_digest(rng, i);
		assert_true(lode_digest_prints_add(&out->prints, out->digests[i]));
	}
	for (int i = 0; i < N_DIGESTS; i++)
		lode_digest_merge(merged, out->digests[(first + i) % N_DIGESTS]);
	out->merged = lode_digest_canonical_take(merged);
}

static void release_printed(struct printed *of)
{
	for (int i = 0; i < N_DIGESTS; i++)
		lode_digest_free(of->digests[i]);
	lode_digest_free(of->merged);
	lode_digest_prints_release(&of->prints);
}

static void merged_digests_match_in_any_order(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= TEST_CASES(400); seed++) {
		struct rng rng = {seed};
		struct lode_digest *names;
		struct printed it;
		bool keep[N_DIGESTS] = {false};

		print_digests(&it, &rng);
		names = lode_digest_canonical(it.merged, keep);
		if (!lode_digest_prints_match(&it.prints, it.merged))
			fail_msg("seed %lu: merged, and no match", seed);
		if (!lode_digest_prints_match_names(&it.prints, names))
			fail_msg("seed %lu: names of all, and no match", seed);
		assert_false(lode_digest_prints_match(&it.prints, names));
		assert_false(lode_digest_prints_add(&it.prints, it.digests[0]));
		lode_digest_free(names);
		release_printed(&it);
	}
}

/* Something else in one place; false: there is no such place. */
static bool change(struct lode_digest *d, uint32_t what, struct rng *rng)
{
	struct lode_digest_stream *stream =
		d->streams.n ? &d->streams.at[rng_below(rng, (uint32_t)d->streams.n)] : NULL;
	struct lode_digest_symptom *symptom =
		d->symptoms.n ? &d->symptoms.at[rng_below(rng, (uint32_t)d->symptoms.n)] : NULL;
	struct lode_digest_row *row =
		d->rows.n ? &d->rows.at[rng_below(rng, (uint32_t)d->rows.n)] : NULL;
	struct lode_name_pair *pair =
		d->names.pairs.n ? &d->names.pairs.at[rng_below(rng, (uint32_t)d->names.pairs.n)]
				 : NULL;

	switch (what) {
	case 0:
		return row && ++row->cost_ns;
	case 1:
		return row && ++row->worst_t0_ns;
	case 2:
		return row && ++row->n_events;
	case 3:
		if (row && d->tree.nodes.n > 1)
			row->stack = row->stack ? 0 : 1;
		return row && d->tree.nodes.n > 1;
	case 4:
		return row && (row->reason ^= 1, true);
	case 5:
		return symptom && (symptom->t1_ns++, true);
	case 6:
		return symptom && (symptom->tid++, true);
	case 7:
		return stream && (stream->wall_offset_ns++, true);
	case 8:
		return stream && (stream->content_hash++, true);
	case 9:
		return pair && ++pair->n;
	case 10:
		return ++d->names.n_stacks;
	case 11:
		return d->names.n_with.n && ++d->names.n_with.at[0];
	case 12:
		return d->losses.n && ++d->losses.at[0].count;
	case 13:
		return d->runners.n && ++d->runners.at[0].cost_ns;
	case 14:
		return d->tree.frames.n && (d->tree.frames.at[0].flags ^= LODE_FRAME_INLINED, true);
	case 15:
		return stream && ++stream->n_records;
	case 16:
		return row && (row->n_alone++, true);
	case 17:
		return row && row->n_shared && row->n_shared--;
	case 18:
		return row && row->n_shared &&
		       d->groups.at[d->symptoms.at[row->symptom].first_group +
				    d->shared.at[row->first_shared]]++;
	default:
		d->unit = "something else";
		return true;
	}
}

static void nothing_that_differs_matches(void **state)
{
	enum { N_CHANGES = 20 };
	size_t n_made[N_CHANGES] = {0};

	(void)state;
	for (uint64_t seed = 1; seed <= 64 * N_CHANGES; seed++) {
		struct rng rng = {seed};
		uint32_t what = (uint32_t)(seed % N_CHANGES);
		struct printed it;

		print_digests(&it, &rng);
		if (change(it.merged, what, &rng)) {
			n_made[what]++;
			if (lode_digest_prints_match(&it.prints, it.merged))
				fail_msg("seed %lu: change %u is not seen", seed, what);
		}
		release_printed(&it);
	}
	for (uint32_t i = 0; i < N_CHANGES; i++)
		if (!n_made[i])
			fail_msg("change %u was never made", i);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(merged_digests_match_in_any_order),
		cmocka_unit_test(nothing_that_differs_matches),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
