/* Rows that are made again are the rows that were made first, in however little memory. */
#include "engine/clusters/row_table.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/random.h"

enum { MOST_ROWS = 300, MOST_WIDTH = 12 };

struct source {
	size_t width;
	uint64_t *n_made;
};

static void make(const void *context, size_t row, const int64_t *above, int64_t *cells)
{
	const struct source *source = context;

	++*source->n_made;
	for (size_t k = 0; k < source->width; k++) {
		cells[k] = (int64_t)(row * 31 + k);
		if (above)
			cells[k] += 7 * above[k] % 1009 + (k ? above[k - 1] % 31 : 0);
	}
}

static void rows_are_the_same_however_little_is_kept(void **state)
{
	static int64_t whole[MOST_ROWS][MOST_WIDTH];
	struct lode_row_table table = {0};
	struct lode_random random = {4};
	uint64_t n_made = 0;

	(void)state;
	for (uint32_t run = 0; run < 3000; run++) {
		size_t n_rows = 1 + lode_random_below(&random, MOST_ROWS);
		struct source source = {1 + lode_random_below(&random, MOST_WIDTH), &n_made};

		for (size_t i = 0; i < n_rows; i++)
			make(&source, i, i ? whole[i - 1] : NULL, whole[i]);
		table.most_cells = lode_random_below(&random, 600);
		lode_row_table_fill(&table, n_rows, source.width, make, &source);
		n_made = 0;
		for (size_t i = n_rows; i-- > 0;) {
			const int64_t *row = lode_row_table_at(&table, i);

			assert_memory_equal(row, whole[i], source.width * sizeof(*row));
			if (i)
				assert_memory_equal(row - source.width, whole[i - 1],
						    source.width * sizeof(*row));
		}
		/* On the way back no row is made more than once. */
		assert_true(n_made <= n_rows);
		for (int i = 0; i < 20; i++) {
			size_t at = lode_random_below(&random, n_rows);

			assert_memory_equal(lode_row_table_at(&table, at), whole[at],
					    source.width * sizeof(**whole));
		}
	}
	lode_row_table_release(&table);
}

static void memory_grows_with_the_root_of_the_rows(void **state)
{
	struct lode_row_table table = {.most_cells = 1000};
	uint64_t n_made = 0;
	struct source source = {200, &n_made};

	(void)state;
	lode_row_table_fill(&table, 40000, source.width, make, &source);
	assert_true(table.kept.capacity + table.block.capacity <= 3 * 200 * 200);
	assert_true(n_made == 40000);
	lode_row_table_release(&table);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_are_the_same_however_little_is_kept),
		cmocka_unit_test(memory_grows_with_the_root_of_the_rows),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
