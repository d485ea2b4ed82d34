/* input/formats/perf/perf_chains.h: equal chains have equal ids, and parts are what the markers
 * say. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>

#include "random.h"
#include "input/formats/perf/perf_abi.h"
#include "input/formats/perf/perf_chains.h"

enum { MAX_WORDS = 12, LIMIT = 9 };

/* A chain taken apart the slow way. */
struct parts {
	uint64_t kernel[MAX_WORDS], user[MAX_WORDS];
	size_t n_kernel, n_user;
	bool is_truncated;
};

/* Chains as kernels write them, and damaged ones: [KERNEL k..] [USER u..] with junk thrown in. */
static size_t random_chain(struct test_random *random, uint64_t *words, struct parts *expected)
{
	size_t n = 0, n_frames = 0;
	bool is_skipping = false;

	memset(expected, 0, sizeof(*expected));
	if (test_random_below(random, 3)) {
		words[n++] = PERF_CONTEXT_KERNEL;
		for (uint32_t i = test_random_below(random, 4); i > 0; i--) {
			words[n] = 0xffffffff81000000 + test_random_below(random, 3);
			expected->kernel[expected->n_kernel++] = words[n++];
			n_frames++;
		}
		if (test_random_below(random, 8) == 0) { /* a frame that looks like a marker */
			words[n++] = (uint64_t)-360;
			words[n++] = 0xffffffff81000000;
			n_frames++;
			expected->is_truncated = true;
		}
	}
	if (test_random_below(random, 3)) {
		words[n++] = PERF_CONTEXT_USER;
		for (uint32_t i = test_random_below(random, 5); i > 0; i--) {
			/* Frames before the junk are good, those behind it are not. */
			if (expected->n_user && test_random_below(random, 8) == 0) {
				words[n++] = test_random_below(random, 2) ? PERF_CONTEXT_KERNEL
									  : PERF_CONTEXT_GUEST;
				expected->is_truncated = is_skipping = true;
			}
			words[n] = 0x400000 + test_random_below(random, 3);
			if (!is_skipping)
				expected->user[expected->n_user++] = words[n];
			n++;
			n_frames++;
		}
	}
	expected->is_truncated |= n_frames >= LIMIT;
	return n;
}

static bool is_part(const struct lode_perf_part *part, const uint64_t *words, size_t n)
{
	return part->n == n && (n == 0 || !memcmp(part->words, words, n * sizeof(*words)));
}

/* Everything that was reported as new, as a consumer collects it. */
struct collected {
	LODE_VEC(struct lode_perf_part) kernel, user;
	LODE_VEC(struct lode_perf_chain) chains;
};

static void collect(struct collected *all, struct lode_perf_new_chains *fresh)
{
	for (size_t i = 0; i < fresh->kernel.n; i++)
		lode_vec_append(&all->kernel, fresh->kernel.at[i]);
	for (size_t i = 0; i < fresh->user.n; i++)
		lode_vec_append(&all->user, fresh->user.at[i]);
	for (size_t i = 0; i < fresh->chains.n; i++)
		lode_vec_append(&all->chains, fresh->chains.at[i]);
	fresh->kernel.n = fresh->user.n = fresh->chains.n = 0;
}

/* Whether chain `id` is `expected`, part by part. */
static bool is_chain(const struct collected *all, uint32_t id, const struct parts *expected)
{
	const struct lode_perf_chain *chain = &all->chains.at[id];

	if (id == 0)
		return !expected->n_kernel && !expected->n_user;
	return is_part(&all->kernel.at[chain->kernel], expected->kernel, expected->n_kernel) &&
	       is_part(&all->user.at[chain->user], expected->user, expected->n_user) &&
	       chain->is_truncated == expected->is_truncated;
}

static void test_chains_are_their_parts_and_known_once(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 20; seed++) {
		struct test_random random = {seed};
		struct lode_perf_chains *chains = lode_perf_chains_new();
		struct lode_perf_new_chains fresh = {0};
		struct collected all = {0};

		(void)lode_vec_append_zero(&all.kernel);
		(void)lode_vec_append_zero(&all.user);
		(void)lode_vec_append_zero(&all.chains);
		for (int i = 0; i < 3000; i++) {
			uint64_t words[2 * MAX_WORDS];
			struct parts expected;
			size_t n = random_chain(&random, words, &expected);
			uint32_t id = lode_perf_chains_intern(chains, (const uint8_t *)words, n,
							      LIMIT, &fresh);

			collect(&all, &fresh);
			if (id >= all.chains.n || !is_chain(&all, id, &expected))
				fail_msg("seed %llu, chain %d", (unsigned long long)seed, i);
		}
		/* No two chains are the same one. */
		for (size_t a = 1; a < all.chains.n; a++)
			for (size_t b = a + 1; b < all.chains.n; b++)
				assert_memory_not_equal(
					&all.chains.at[a], &all.chains.at[b],
					offsetof(struct lode_perf_chain, is_truncated) + 1);
		assert_true(all.chains.n > 100);
		lode_vec_release(&all.kernel);
		lode_vec_release(&all.user);
		lode_vec_release(&all.chains);
		lode_vec_release(&fresh.kernel);
		lode_vec_release(&fresh.user);
		lode_vec_release(&fresh.chains);
		lode_perf_chains_free(chains);
	}
}

/* Whether they are looked up one by one or together, chains have the same ids. */
static void test_chains_looked_up_together_are_those_one_by_one(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 20; seed++) {
		struct test_random random = {seed};
		struct lode_perf_chains *alone = lode_perf_chains_new();
		struct lode_perf_chains *together = lode_perf_chains_new();
		struct lode_perf_new_chains fresh[2] = {0};

		for (int i = 0; i < 300; i++) {
			static uint64_t words[LODE_PERF_CHAIN_REQUESTS][2 * MAX_WORDS];
			struct lode_perf_chain_request requests[LODE_PERF_CHAIN_REQUESTS];
			size_t n_requests =
				test_random_below(&random, LODE_PERF_CHAIN_REQUESTS + 1);
			struct parts ignored;

			for (size_t k = 0; k < n_requests; k++) {
				requests[k].n = (uint32_t)random_chain(&random, words[k], &ignored);
				requests[k].words = (const uint8_t *)words[k];
				requests[k].max_stack = LIMIT;
			}
			lode_perf_chains_intern_all(together, requests, n_requests, &fresh[0]);
			for (size_t k = 0; k < n_requests; k++) {
				uint32_t id =
					lode_perf_chains_intern(alone, requests[k].words,
								requests[k].n, LIMIT, &fresh[1]);

				if (id != requests[k].chain)
					fail_msg("seed %llu, batch %d", (unsigned long long)seed,
						 i);
			}
		}
		assert_int_equal(fresh[0].chains.n, fresh[1].chains.n);
		assert_true(fresh[0].chains.n > 100);
		for (int k = 0; k < 2; k++) {
			lode_vec_release(&fresh[k].kernel);
			lode_vec_release(&fresh[k].user);
			lode_vec_release(&fresh[k].chains);
		}
		lode_perf_chains_free(alone);
		lode_perf_chains_free(together);
	}
}

static uint32_t one(const uint64_t *words, size_t n, uint16_t limit, struct lode_perf_chain *chain,
		    size_t *n_kernel, size_t *n_user)
{
	struct lode_perf_chains *chains = lode_perf_chains_new();
	struct lode_perf_new_chains fresh = {0};
	uint32_t id = lode_perf_chains_intern(chains, (const uint8_t *)words, n, limit, &fresh);

	*n_kernel = fresh.kernel.n ? fresh.kernel.at[0].n : 0;
	*n_user = fresh.user.n ? fresh.user.at[0].n : 0;
	memset(chain, 0, sizeof(*chain));
	if (fresh.chains.n)
		*chain = fresh.chains.at[0];
	lode_vec_release(&fresh.kernel);
	lode_vec_release(&fresh.user);
	lode_vec_release(&fresh.chains);
	lode_perf_chains_free(chains);
	return id;
}

static void test_markers_of_other_kinds(void **state)
{
	static const uint64_t empty[] = {PERF_CONTEXT_KERNEL, PERF_CONTEXT_USER};
	static const uint64_t bare[] = {0xffffffff81000000, 0xffffffff81000001};
	static const uint64_t bare_user[] = {0x1000, 0x2000, 0x3000};
	static const uint64_t guest[] = {PERF_CONTEXT_GUEST_KERNEL, 0xffffffff81000000,
					 PERF_CONTEXT_GUEST_USER, 0x1000};
	static const uint64_t deferred[] = {PERF_CONTEXT_KERNEL, 0xffffffff81000000,
					    LODE_PERF_CONTEXT_USER_DEFERRED, 0x77};
	struct lode_perf_chain chain;
	size_t n_kernel, n_user;

	(void)state;
	assert_int_equal(one(empty, 2, 127, &chain, &n_kernel, &n_user), 0);
	assert_int_equal(one(bare, 2, 127, &chain, &n_kernel, &n_user), 1);
	assert_int_equal(n_kernel, 2);
	assert_int_equal(one(bare_user, 3, 3, &chain, &n_kernel, &n_user), 1);
	assert_int_equal(n_user, 3);
	assert_true(chain.is_truncated);
	assert_int_equal(one(guest, 4, 127, &chain, &n_kernel, &n_user), 1);
	assert_int_equal(n_kernel, 1);
	assert_int_equal(n_user, 0);
	assert_int_equal(one(deferred, 4, 127, &chain, &n_kernel, &n_user), 1);
	assert_int_equal(n_kernel, 1);
	assert_int_equal(n_user, 0);
	assert_false(chain.is_truncated);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_chains_are_their_parts_and_known_once),
		cmocka_unit_test(test_chains_looked_up_together_are_those_one_by_one),
		cmocka_unit_test(test_markers_of_other_kinds),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
