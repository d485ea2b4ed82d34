/* input/formats/perf/perf_stacks.h: the same addresses in many processes, whose maps change. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "random.h"
#include "input/formats/perf/perf_stacks.h"

enum { N_PROCESSES = 5, N_PAGES = 3, PAGE = 0x1000, N_CHAINS = 12, KERNEL_DSO = 1000 };

static const uint64_t kernel_start = 0xffffffff80000000;

/* What is mapped where, kept in the plainest way. */
struct truth {
	uint32_t dso[N_PROCESSES][N_PAGES]; /* LODE_PERF_NO_DSO: nothing */
};

/* The stack's places, root first, as what was asked for says they must be. */
static void check_part(const struct lode_perf_stacks *stacks, uint32_t node, uint32_t root,
		       const struct lode_perf_part *part, const uint32_t *pages, uint64_t seed)
{
	for (uint32_t i = 0; i < part->n; i++) { /* leaf first, as recorded */
		const struct lode_perf_place *place;
		uint64_t address = part->words[i] - (i > 0);
		uint32_t dso = pages ? pages[address / PAGE] : KERNEL_DSO;

		if (node == root)
			fail_msg("seed %llu: the stack ends early", (unsigned long long)seed);
		place = &stacks->places.at[stacks->nodes.at[node].place];
		if (place->dso != dso)
			fail_msg("seed %llu: dso %u, not %u", (unsigned long long)seed, place->dso,
				 dso);
		if (dso < KERNEL_DSO)
			assert_int_equal(place->address, address % PAGE);
		node = stacks->nodes.at[node].parent;
	}
	assert_int_equal(node, root);
}

static void map_page(struct test_random *random, struct lode_spaces *spaces, struct truth *truth,
		     uint32_t process)
{
	uint32_t page = test_random_below(random, N_PAGES), dso = test_random_below(random, 4);

	lode_spaces_mmap(spaces, (int32_t)process + 1, page * PAGE, PAGE, 0, dso);
	truth->dso[process][page] = dso;
}

static void test_addresses_are_looked_up_in_their_process_as_it_is_now(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 200; seed++) {
		struct test_random random = {seed};
		struct lode_spaces *spaces = lode_spaces_new();
		struct lode_perf_new_chains fresh = {0};
		struct lode_perf_stacks stacks;
		uint64_t words[N_CHAINS][4], kernel_words[1] = {kernel_start + 16};
		struct truth truth;

		memset(&truth, 0xff, sizeof(truth));
		lode_spaces_mmap_kernel(spaces, kernel_start, 1 << 20, 0, KERNEL_DSO);
		lode_perf_stacks_init(&stacks, spaces, 1);
		lode_vec_append(&fresh.kernel, ((struct lode_perf_part){kernel_words, 1}));
		for (uint32_t i = 0; i < N_CHAINS; i++) {
			uint32_t n = 1 + test_random_below(&random, 4);

			for (uint32_t k = 0; k < n; k++)
				words[i][k] = 1 + test_random_below(&random, N_PAGES * PAGE - 1);
			lode_vec_append(&fresh.user, ((struct lode_perf_part){words[i], n}));
			lode_vec_append(&fresh.chains,
					((struct lode_perf_chain){test_random_below(&random, 2),
								  i + 1, false}));
		}
		lode_perf_stacks_add(&stacks, 0, &fresh);
		for (int step = 0; step < 400; step++) {
			uint32_t process = test_random_below(&random, N_PROCESSES);
			uint32_t chain = test_random_below(&random, N_CHAINS), raw;
			const struct lode_perf_chain *asked = &fresh.chains.at[chain];

			if (test_random_below(&random, 20) == 0)
				map_page(&random, spaces, &truth, process);
			raw = lode_perf_stacks_raw(&stacks, 0, chain + 1, (int32_t)process + 1);
			check_part(&stacks, stacks.raws.at[raw].user, 0, &fresh.user.at[chain],
				   truth.dso[process], seed);
			if (asked->kernel)
				check_part(&stacks, stacks.raws.at[raw].kernel, 1,
					   &fresh.kernel.at[0], NULL, seed);
			else
				assert_int_equal(stacks.raws.at[raw].kernel, 0);
		}
		/* Equal stacks are one. */
		for (size_t a = 1; a < stacks.raws.n; a++)
			for (size_t b = 1; b < a; b++)
				assert_false(stacks.raws.at[a].user == stacks.raws.at[b].user &&
					     stacks.raws.at[a].kernel == stacks.raws.at[b].kernel);
		lode_perf_stacks_release(&stacks);
		lode_spaces_free(spaces);
		lode_vec_release(&fresh.kernel);
		lode_vec_release(&fresh.user);
		lode_vec_release(&fresh.chains);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_addresses_are_looked_up_in_their_process_as_it_is_now),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
