/* serve/kept.h: what was put is found until there was much else, and never more is kept than said.
 */
#include "serve/kept.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
/* after those */
#include <cmocka.h>

#include "random.h"

enum { KEYS = 200, BOUND = 64 << 10 };

/* What is kept under key number k. */
static struct lode_made *make(unsigned k)
{
	char json[5000];
	int n = snprintf(json, sizeof(json), "{\"k\": %u, \"a\": \"%0*u\"}", k,
			 (int)(1 + k * 37 % 4000), k);

	return lode_made_of_json(json, (size_t)n);
}

static const char *key_of(unsigned k, char key[20])
{
	snprintf(key, 20, "0/cluster\n=%u", k);
	return key;
}

static void check(const struct lode_made *made, unsigned k)
{
	char start[30];

	snprintf(start, sizeof(start), "{\"k\": %u,", k);
	assert_memory_equal(made->document.plain, start, strlen(start));
}

/* The last ones that were asked for, within half of the bound, are always there; all that are there
   are within the bound. */
static void the_last_ones_are_there_and_not_too_many(void **state)
{
	struct lode_kept *kept = lode_kept_new(BOUND);
	struct test_random random = {4711};
	unsigned last[2000];
	size_t n_found = 0, n_made = 0;
	char key[20];

	(void)state;
	for (int i = 0; i < 2000; i++) {
		unsigned k = test_random_below(&random, KEYS);
		struct lode_made *made = lode_kept_find(kept, key_of(k, key));
		size_t bytes = 0;
		bool is_recent = false;

		for (int j = i - 1; j >= 0 && bytes < BOUND / 4 && !is_recent; j--) {
			bytes += 1 + last[j] * 37 % 4000 + 600; /* at least what it takes */
			is_recent = last[j] == k && bytes < BOUND / 4;
		}
		if (is_recent)
			assert_non_null(made);
		n_found += made != NULL;
		if (!made) {
			made = make(k);
			lode_kept_put(kept, key, made);
			n_made++;
		}
		check(made, k);
		lode_made_release(made);
		last[i] = k;
	}
	assert_true(n_found > 100 && n_made > KEYS);
	n_found = 0;
	for (unsigned k = 0; k < KEYS; k++) {
		struct lode_made *made = lode_kept_find(kept, key_of(k, key));

		n_found += made ? made->document.plain_bytes : 0;
		lode_made_release(made);
	}
	assert_true(n_found > 0 && n_found < BOUND + 5000);
	lode_kept_free(kept);
	lode_kept_free(NULL);
}

static void what_somebody_has_outlives_the_rest(void **state)
{
	struct lode_kept *kept = lode_kept_new(BOUND);
	struct lode_made *mine = make(7), *found;
	char key[20];

	(void)state;
	lode_kept_put(kept, key_of(7, key), mine);
	found = lode_kept_find(kept, key);
	assert_ptr_equal(found, mine);
	lode_made_release(mine);
	for (unsigned k = 10; k < 10 + 4 * KEYS; k++) {
		struct lode_made *made = make(k);

		lode_kept_put(kept, key_of(k, key), made);
		lode_made_release(made);
	}
	assert_null(lode_kept_find(kept, key_of(7, key)));
	check(found, 7);
	lode_kept_free(kept);
	check(found, 7);
	lode_made_release(found);
	lode_made_release(NULL);
}

struct looker {
	struct lode_kept *kept;
	uint64_t seed;
};

static void *look_often(void *context)
{
	const struct looker *looker = context;
	struct test_random random = {looker->seed};
	struct lode_kept *kept = looker->kept;
	char key[20];

	for (int i = 0; i < 1000; i++) {
		unsigned k = test_random_below(&random, KEYS);
		struct lode_made *made = lode_kept_find(kept, key_of(k, key));

		if (!made) {
			made = make(k);
			lode_kept_put(kept, key, made);
		}
		if (made->document.plain[6] != key[strlen("0/cluster\n=")])
			abort();
		lode_made_release(made);
	}
	return NULL;
}

static void many_threads_may_look(void **state)
{
	struct lode_kept *kept = lode_kept_new(BOUND);
	struct looker lookers[4];
	pthread_t threads[4];

	(void)state;
	for (int i = 0; i < 4; i++) {
		lookers[i] = (struct looker){kept, (uint64_t)i};
		assert_int_equal(pthread_create(&threads[i], NULL, look_often, &lookers[i]), 0);
	}
	for (int i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	lode_kept_free(kept);
}

static int open_library(void **state)
{
	(void)state;
	return lode_http_open(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_last_ones_are_there_and_not_too_many),
		cmocka_unit_test(what_somebody_has_outlives_the_rest),
		cmocka_unit_test(many_threads_may_look),
	};

	return cmocka_run_group_tests(tests, open_library, NULL);
}
