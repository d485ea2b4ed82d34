#include <math.h>

#include "clusters_fixture.h"
#include "linkage_oracle.h"

enum { MOST = 14 };

/* The plain method: members of two clusters, the linkage from all their pairs, O(n^2) per pair. */
static double oracle_linkage(const uint32_t *first_of, size_t n, const uint32_t *triangle,
			     uint32_t a, uint32_t b, enum lode_linkage linkage)
{
	double sum = 0, n_pairs = 0, low = INFINITY, high = 0, s;

	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < n; k++) {
			if (first_of[i] != a || first_of[k] != b)
				continue;
			s = triangle[i < k ? lode_triangle_at(i, k) : lode_triangle_at(k, i)];
			sum += s;
			n_pairs++;
			low = s < low ? s : low;
			high = s > high ? s : high;
		}
	if (linkage == LODE_LINKAGE_AVERAGE)
		return sum / n_pairs;
	return linkage == LODE_LINKAGE_COMPLETE ? low : high;
}

static void oracle_agglomerate(uint32_t *first_of, size_t n, const uint32_t *triangle,
			       enum lode_linkage linkage, uint32_t cut)
{
	uint32_t best_a, best_b;
	double best, s;

	for (uint32_t i = 0; i < n; i++)
		first_of[i] = i;
	for (;;) {
		best = -1;
		best_a = best_b = 0;
		for (uint32_t a = 0; a < n; a++)
			for (uint32_t b = a + 1; b < n; b++) {
				if (first_of[a] != a || first_of[b] != b)
					continue;
				s = oracle_linkage(first_of, n, triangle, a, b, linkage);
				if (s > best) {
					best = s;
					best_a = a;
					best_b = b;
				}
			}
		if (best < cut)
			return;
		for (uint32_t i = 0; i < n; i++)
			if (first_of[i] == best_b)
				first_of[i] = best_a;
	}
}

/* Few distinct values make many ties. */
static void random_triangles_agree_with_the_plain_method(void **state)
{
	uint32_t triangle[MOST * MOST], found[MOST], expected[MOST];
	uint64_t random = 5;

	(void)state;
	for (uint32_t run = 0; run < 12000; run++) {
		uint32_t n = 1 + random_below(&random, MOST), values = 2 + random_below(&random, 9);
		enum lode_linkage linkage = (enum lode_linkage)(run % 3);
		uint32_t cut = random_below(&random, values + 1);

		for (size_t i = 0; i < (size_t)n * (n - 1) / 2; i++)
			triangle[i] = random_below(&random, values);
		lode_agglomerate(found, n, triangle, linkage, cut);
		oracle_agglomerate(expected, n, triangle, linkage, cut);
		if (memcmp(found, expected, n * sizeof(*found)))
			fail_msg("run %u: n %u, %u values, linkage %d, cut %u", run, n, values,
				 (int)linkage, cut);
	}
}

static void random_similarities_agree_with_the_plain_method(void **state)
{
	uint32_t triangle[MOST * MOST], found[MOST], expected[MOST];
	uint64_t random = 6;

	(void)state;
	for (uint32_t run = 0; run < 6000; run++) {
		uint32_t n = 1 + random_below(&random, MOST);
		enum lode_linkage linkage = (enum lode_linkage)(run % 3);
		uint32_t cut = random_below(&random, LODE_SIMILARITY_ONE);

		for (size_t i = 0; i < (size_t)n * (n - 1) / 2; i++)
			triangle[i] = random_below(&random, LODE_SIMILARITY_ONE + 1);
		lode_agglomerate(found, n, triangle, linkage, cut);
		oracle_agglomerate(expected, n, triangle, linkage, cut);
		if (memcmp(found, expected, n * sizeof(*found)))
			fail_msg("run %u: n %u, linkage %d, cut %u", run, n, (int)linkage, cut);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(random_triangles_agree_with_the_plain_method),
		cmocka_unit_test(random_similarities_agree_with_the_plain_method),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
