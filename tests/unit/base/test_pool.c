/* base/pool.h: each job runs exactly once, on a worker that is its own while it runs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdatomic.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/pool.h"

#define MAX_WORKERS 16

struct work {
	unsigned n_threads;
	atomic_int *runs; /* per job */
	atomic_int is_busy[MAX_WORKERS];
	size_t scratch[MAX_WORKERS]; /* plain: belongs to the worker */
	size_t *squares;	     /* plain: one per job */
	atomic_int n_faults;	     /* cmocka's asserts must not leave a thread */
};

static void job(void *context, size_t index, unsigned worker)
{
	struct work *w = context;

	if (worker >= w->n_threads || atomic_fetch_add(&w->is_busy[worker], 1) != 0) {
		atomic_fetch_add(&w->n_faults, 1);
		return;
	}
	w->scratch[worker] = index;
	w->squares[index] = w->scratch[worker] * index;
	atomic_fetch_add(&w->runs[index], 1);
	atomic_fetch_sub(&w->is_busy[worker], 1);
}

static void each_job_runs_once_for_any_number_of_threads(void **state)
{
	static const size_t n_jobs[] = {0, 1, 2, 7, 1000, 20000};

	(void)state;
	for (unsigned n_threads = 0; n_threads <= MAX_WORKERS; n_threads++) {
		for (size_t k = 0; k < sizeof(n_jobs) / sizeof(*n_jobs); k++) {
			size_t n = n_jobs[k];
			struct work w = {.n_threads = n_threads ? n_threads : 1};

			w.runs = lode_alloc0(n + 1, sizeof(*w.runs));
			w.squares = lode_alloc0(n + 1, sizeof(*w.squares));
			lode_pool_run(n_threads, n, job, &w);
			assert_int_equal(atomic_load(&w.n_faults), 0);
			for (size_t i = 0; i < n; i++) {
				assert_int_equal(atomic_load(&w.runs[i]), 1);
				assert_int_equal(w.squares[i], i * i);
			}
			free(w.runs);
			free(w.squares);
		}
	}
}

static void outer_job(void *context, size_t index, unsigned worker)
{
	struct work *works = context;

	(void)worker;
	lode_pool_run(2, 100, job, &works[index]);
}

static void a_job_may_run_jobs_of_its_own(void **state)
{
	struct work works[4] = {0};

	(void)state;
	for (size_t i = 0; i < 4; i++) {
		works[i].n_threads = 2;
		works[i].runs = lode_alloc0(100, sizeof(*works[i].runs));
		works[i].squares = lode_alloc0(100, sizeof(*works[i].squares));
	}
	lode_pool_run(4, 4, outer_job, works);
	for (size_t i = 0; i < 4; i++) {
		assert_int_equal(atomic_load(&works[i].n_faults), 0);
		for (size_t k = 0; k < 100; k++)
			assert_int_equal(atomic_load(&works[i].runs[k]), 1);
		free(works[i].runs);
		free(works[i].squares);
	}
}

static void at_least_one_cpu_may_be_used(void **state)
{
	(void)state;
	assert_true(lode_pool_cpus() >= 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_job_runs_once_for_any_number_of_threads),
		cmocka_unit_test(a_job_may_run_jobs_of_its_own),
		cmocka_unit_test(at_least_one_cpu_may_be_used),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
