/*
 * Address spaces against an oracle: a plain array of pages per process.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "random.h"
#include "input/symbols/spaces.h"

enum { N_PIDS = 6, N_PAGES = 48, PAGE = 4096 };

/* What a page means: 0 nothing, else dso + 1, and the offset that its first byte has there. */
struct page {
	uint32_t dso_plus_1;
	uint64_t offset;
};

struct oracle {
	uint64_t seed;
	struct page pages[N_PIDS][N_PAGES];
	struct page kernel[N_PAGES];
};

#define CHECK(oracle, statement)                                                           \
	do {                                                                               \
		if (!(statement)) {                                                        \
			print_error("seed %llu: %s\n", (unsigned long long)(oracle)->seed, \
				    #statement);                                           \
			fail();                                                            \
		}                                                                          \
	} while (0)

static const uint64_t kernel_base = 0xffffffff80000000u;

static void one_step(struct lode_spaces *spaces, struct oracle *oracle, struct test_random *random)
{
	int32_t pid = (int32_t)test_random_below(random, N_PIDS),
		parent = (int32_t)test_random_below(random, N_PIDS);
	uint32_t first = test_random_below(random, N_PAGES),
		 n = 1 + test_random_below(random, N_PAGES - first);
	uint32_t dso = test_random_below(random, 4), what = test_random_below(random, 20);
	uint64_t offset = (uint64_t)test_random_below(random, 8) * PAGE;
	struct page *pages = oracle->pages[pid];

	if (what == 0) {
		lode_spaces_exec(spaces, pid);
		memset(pages, 0, sizeof(oracle->pages[pid]));
		return;
	}
	if (what < 4) {
		lode_spaces_fork(spaces, pid, parent);
		memmove(pages, oracle->pages[parent], sizeof(oracle->pages[pid]));
		return;
	}
	if (what == 4) {
		lode_spaces_mmap_kernel(spaces, kernel_base + (uint64_t)first * PAGE,
					(uint64_t)n * PAGE, 0, dso);
		pages = oracle->kernel;
		offset = (uint64_t)first * PAGE; /* a kernel page means its address */
	} else {
		lode_spaces_mmap(spaces, pid, (uint64_t)first * PAGE, (uint64_t)n * PAGE, offset,
				 dso);
	}
	for (uint32_t i = 0; i < n; i++)
		pages[first + i] = (struct page){dso + 1, offset + (uint64_t)i * PAGE};
}

static void check_same(const struct lode_spaces *spaces, const struct oracle *oracle, int32_t pid,
		       uint32_t byte)
{
	struct lode_place place;

	for (uint32_t i = 0; i < N_PAGES; i++) {
		const struct page *page = &oracle->pages[pid][i];
		bool found = lode_spaces_find(spaces, pid, (uint64_t)i * PAGE + byte, &place);

		CHECK(oracle, found == (page->dso_plus_1 != 0));
		if (!found)
			continue;
		CHECK(oracle, place.dso + 1 == page->dso_plus_1);
		CHECK(oracle, place.address == page->offset + byte);
	}
}

static void check_kernel(const struct lode_spaces *spaces, const struct oracle *oracle,
			 uint32_t byte)
{
	struct lode_place place;

	for (uint32_t i = 0; i < N_PAGES; i++) {
		uint64_t address = kernel_base + (uint64_t)i * PAGE + byte;

		if (!oracle->kernel[i].dso_plus_1)
			continue;
		CHECK(oracle, lode_spaces_find_kernel(spaces, address, &place));
		CHECK(oracle, place.dso + 1 == oracle->kernel[i].dso_plus_1);
		CHECK(oracle, place.address == address);
	}
}

/* Equal epochs must mean equal maps: remembers what each epoch looked like. */
struct seen {
	struct page pages[N_PAGES], kernel[N_PAGES];
	bool is_set;
};

static void check_epoch(struct seen *seen, size_t n_seen, struct lode_spaces *spaces,
			const struct oracle *oracle, int32_t pid)
{
	uint32_t epoch = lode_spaces_epoch(spaces, pid);

	CHECK(oracle, epoch > 0 && epoch < n_seen);
	CHECK(oracle, epoch == lode_spaces_epoch(spaces, pid));
	if (!seen[epoch].is_set) {
		memcpy(seen[epoch].pages, oracle->pages[pid], sizeof(seen[epoch].pages));
		memcpy(seen[epoch].kernel, oracle->kernel, sizeof(seen[epoch].kernel));
		seen[epoch].is_set = true;
		return;
	}
	CHECK(oracle, !memcmp(seen[epoch].pages, oracle->pages[pid], sizeof(seen[epoch].pages)));
	CHECK(oracle, !memcmp(seen[epoch].kernel, oracle->kernel, sizeof(seen[epoch].kernel)));
}

static void test_random_histories_match_page_arrays(void **state)
{
	enum { N_STEPS = 120, N_SEEN = N_STEPS * (N_PIDS + 2) + N_PIDS };
	struct seen *seen = calloc(N_SEEN, sizeof(*seen));

	(void)state;
	for (uint64_t seed = 1; seed <= 300; seed++) {
		struct lode_spaces *spaces = lode_spaces_new();
		struct oracle *oracle = calloc(1, sizeof(*oracle));
		struct test_random random = {seed};

		oracle->seed = seed;
		memset(seen, 0, N_SEEN * sizeof(*seen));
		for (int step = 0; step < N_STEPS; step++) {
			one_step(spaces, oracle, &random);
			for (int32_t pid = 0; pid < N_PIDS; pid++)
				check_epoch(seen, N_SEEN, spaces, oracle, pid);
			check_same(spaces, oracle, (int32_t)test_random_below(&random, N_PIDS),
				   test_random_below(&random, PAGE));
			check_kernel(spaces, oracle, test_random_below(&random, PAGE));
		}
		free(oracle);
		lode_spaces_free(spaces);
	}
	free(seen);
}

static void test_epoch_stays_while_nothing_changes(void **state)
{
	struct lode_spaces *spaces = lode_spaces_new();
	uint32_t before, unknown;

	(void)state;
	unknown = lode_spaces_epoch(spaces, 99);
	lode_spaces_mmap(spaces, 1, 0x1000, 0x3000, 0, 5);
	before = lode_spaces_epoch(spaces, 1);
	lode_spaces_mmap(spaces, 1, 0x2000, 0x1000, 0x1000, 5); /* says the same again */
	lode_spaces_mmap(spaces, 1, 0x9000, 0, 0, 6);		/* empty */
	lode_spaces_mmap(spaces, 2, 0x1000, 0x1000, 0, 7);	/* another process */
	lode_spaces_fork(spaces, 1, 1);				/* a thread */
	lode_spaces_exec(spaces, 98);				/* never had maps */
	assert_int_equal(lode_spaces_epoch(spaces, 1), before);
	assert_int_equal(lode_spaces_epoch(spaces, 99), unknown);
	lode_spaces_fork(spaces, 3, 1);
	assert_int_equal(lode_spaces_epoch(spaces, 3), before);
	lode_spaces_mmap_kernel(spaces, kernel_base, 0x1000, 0, 0);
	assert_int_not_equal(lode_spaces_epoch(spaces, 1), before);
	lode_spaces_free(spaces);
}

static void test_maps_at_the_edges_of_the_address_space(void **state)
{
	struct lode_spaces *spaces = lode_spaces_new();
	struct lode_place place;

	(void)state;
	assert_false(lode_spaces_find_kernel(spaces, UINT64_MAX, &place));
	lode_spaces_mmap(spaces, 1, 0, UINT64_MAX, 7, 1);
	lode_spaces_mmap(spaces, 1, UINT64_MAX - 10, UINT64_MAX, 0, 2); /* runs past the top */
	assert_true(lode_spaces_find(spaces, 1, UINT64_MAX, &place));
	assert_int_equal(place.dso, 2);
	assert_true(lode_spaces_find(spaces, 1, 0, &place));
	assert_int_equal(place.address, 7);
	lode_spaces_mmap(spaces, 1, 0, 1, 0, 3);
	assert_true(lode_spaces_find(spaces, 1, 1, &place));
	assert_int_equal(place.address, 8);
	lode_spaces_mmap_kernel(spaces, kernel_base, 0x1000, 0, 4);
	lode_spaces_mmap_kernel(spaces, kernel_base + 0x100000, 0x1000, 0, 5);
	assert_true(lode_spaces_find_kernel(spaces, 0xffff888000000000u, &place));
	assert_int_equal(place.dso, 4);
	assert_false(lode_spaces_find_kernel(spaces, 0x1000, &place));
	lode_spaces_free(spaces);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_random_histories_match_page_arrays),
		cmocka_unit_test(test_epoch_stays_while_nothing_changes),
		cmocka_unit_test(test_maps_at_the_edges_of_the_address_space),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
