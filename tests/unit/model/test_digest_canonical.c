/* model/digest_canonical.h: the same streams give the same digest, id by id. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "model/digest_canonical.h"
#include "store/digest_file.h"
#include "unit/model/random_digest.h"

enum { N_DIGESTS = 5 };

/* All ids and all contents, as bytes. */
static lode_byte_vec bytes_of(const struct lode_digest *digest)
{
	struct lode_digest_origin origin = {0};
	lode_byte_vec bytes = {0};

	lode_digest_pack(&bytes, digest, &origin, 1);
	return bytes;
}

/* Merged in a random order, in two groups, each made canonical first or not. */
static struct lode_digest *merge_somehow(struct rng *rng, struct lode_digest *const *digests)
{
	struct lode_digest *parts[2] = {lode_digest_new(), lode_digest_new()}, *part;
	int order[N_DIGESTS];

	for (int i = 0; i < N_DIGESTS; i++) {
		uint32_t k = rng_below(rng, (uint32_t)i + 1);

		order[i] = order[k];
		order[k] = i;
	}
	for (int i = 0; i < N_DIGESTS; i++)
		lode_digest_merge(parts[rng_below(rng, 2)], digests[order[i]]);
	for (int i = 0; i < 2; i++)
		if (rng_chance(rng, 50)) {
			part = lode_digest_canonical(parts[i], NULL);
			lode_digest_free(parts[i]);
			parts[i] = part;
		}
	lode_digest_merge(parts[0], parts[1]);
	lode_digest_free(parts[1]);
	return parts[0];
}

static void order_and_groups_leave_no_trace(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 500; seed++) {
		struct rng rng = {seed};
		struct lode_digest *digests[N_DIGESTS], *a, *b, *x, *y;
		lode_byte_vec p, q;

		for (int i = 0; i < N_DIGESTS; i++)
			digests[i] = random_digest(&rng, i);
		a = merge_somehow(&rng, digests);
		b = merge_somehow(&rng, digests);
		x = lode_digest_canonical(a, NULL);
		check_same_digest(a, x, seed);
		y = lode_digest_canonical_take(b);
		p = bytes_of(x);
		q = bytes_of(y);
		if (p.n != q.n || memcmp(p.at, q.at, p.n) != 0)
			fail_msg("seed %lu: two orders, two digests", seed);
		lode_vec_release(&p);
		lode_vec_release(&q);
		lode_digest_free(a);
		lode_digest_free(x);
		lode_digest_free(y);
		for (int i = 0; i < N_DIGESTS; i++)
			lode_digest_free(digests[i]);
	}
}

static void chosen_streams_are_as_if_alone(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 300; seed++) {
		struct rng rng = {seed};
		struct lode_digest *all = lode_digest_new(), *some = lode_digest_new(), *kept;
		bool keep[N_DIGESTS];

		all->unit = some->unit = "ns";
		for (int i = 0; i < N_DIGESTS; i++) {
			struct lode_digest *digest = random_digest(&rng, i);

			digest->unit = "ns";
			keep[i] = rng_chance(&rng, 50);
			lode_digest_merge(all, digest);
			if (keep[i])
				lode_digest_merge(some, digest);
			lode_digest_free(digest);
		}
		kept = lode_digest_canonical(all, keep);
		check_same_part(kept, some, false, seed);
		check_same_part(kept, all, true, seed);
		lode_digest_free(all);
		lode_digest_free(some);
		lode_digest_free(kept);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(order_and_groups_leave_no_trace),
		cmocka_unit_test(chosen_streams_are_as_if_alone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
