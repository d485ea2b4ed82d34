/* base/pipeline.h: items are taken in the order in which they were made, whoever works on them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdbool.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/pipeline.h"

#define N_ITEMS 12

struct item {
	uint64_t number, result;
};

/* Plain fields: only the pipeline keeps its threads apart. */
struct line {
	uint64_t n, n_made, n_taken;
	uint64_t fail_make_at, fail_take_at, drain_every;
	bool was_drained; /* the last answer was DRAIN */
	unsigned n_faults;
};

static int make(void *context, void *to)
{
	struct line *line = context;
	struct item *item = to;

	if (line->n_made == line->n)
		return LODE_PIPELINE_END;
	if (line->n_made == line->fail_make_at)
		return -7;
	if (line->drain_every && line->n_made % line->drain_every == 0 && !line->was_drained) {
		line->was_drained = true;
		return LODE_PIPELINE_DRAIN;
	}
	if (line->was_drained)
		line->n_faults += line->n_taken != line->n_made;
	line->was_drained = false;
	item->number = line->n_made++;
	item->result = 0;
	return LODE_PIPELINE_ITEM;
}

static void work(void *context, void *on, unsigned worker)
{
	struct item *item = on;

	(void)context;
	(void)worker;
	/* Uneven lengths, so that later items are done first. */
	for (uint64_t i = 0; i < (item->number * 7919) % 5000; i++)
		item->result += i ^ item->number;
	item->result = item->number * 3 + 1;
}

static int take(void *context, void *of)
{
	struct line *line = context;
	const struct item *item = of;

	line->n_faults += item->number != line->n_taken || item->result != item->number * 3 + 1;
	if (line->n_taken == line->fail_take_at)
		return -9;
	line->n_taken++;
	return 0;
}

static int run(struct line *line, unsigned n_threads)
{
	struct item items[N_ITEMS];
	const struct lode_pipeline pipeline = {make,  work,    take,	      line,
					       items, N_ITEMS, sizeof(*items)};

	return lode_pipeline_run(&pipeline, n_threads);
}

static void items_are_taken_in_order_for_any_number_of_threads(void **state)
{
	(void)state;
	for (unsigned n_threads = 1; n_threads <= 6; n_threads++) {
		for (uint64_t n = 0; n < 3000; n = n * 5 + 1) {
			for (uint64_t drain = 0; drain < 40; drain += 13) {
				struct line line = {.n = n,
						    .fail_make_at = UINT64_MAX,
						    .fail_take_at = UINT64_MAX,
						    .drain_every = drain};

				assert_int_equal(run(&line, n_threads), 0);
				assert_int_equal(line.n_faults, 0);
				assert_int_equal(line.n_taken, n);
			}
		}
	}
}

static void what_was_made_before_an_error_is_still_taken(void **state)
{
	(void)state;
	for (unsigned n_threads = 1; n_threads <= 4; n_threads++) {
		struct line line = {.n = 100, .fail_make_at = 57, .fail_take_at = UINT64_MAX};

		assert_int_equal(run(&line, n_threads), -7);
		assert_int_equal(line.n_faults, 0);
		assert_int_equal(line.n_taken, 57);
	}
}

static void an_error_while_taking_ends_everything(void **state)
{
	(void)state;
	for (unsigned n_threads = 1; n_threads <= 4; n_threads++) {
		struct line line = {.n = 1000, .fail_make_at = UINT64_MAX, .fail_take_at = 20};

		assert_int_equal(run(&line, n_threads), -9);
		assert_int_equal(line.n_faults, 0);
		assert_int_equal(line.n_taken, 20);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(items_are_taken_in_order_for_any_number_of_threads),
		cmocka_unit_test(what_was_made_before_an_error_is_still_taken),
		cmocka_unit_test(an_error_while_taking_ends_everything),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
