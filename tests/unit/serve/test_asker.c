/* serve/asker.h: every job runs once, those of a lane in order and never two at a time. */
#include "serve/asker.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>
/* after those */
#include <cmocka.h>

enum { LANES = 5, JOBS = 3000, PUTTERS = 3 };

struct job {
	struct lode_asker_job job;
	struct lane *lane;
	int number; /* of its putter */
	int putter;
};

struct lane {
	int n_running, most_running, n_done;
	int last[PUTTERS]; /* the number of the last one of each putter */
	bool is_disordered;
};

static void run(void *context)
{
	struct job *job = context;
	struct lane *lane = job->lane;

	/* No lock: the asker's promise is what keeps these whole. ThreadSanitizer looks. */
	if (++lane->n_running > lane->most_running)
		lane->most_running = lane->n_running;
	lane->is_disordered |= lane->last[job->putter] >= job->number;
	lane->last[job->putter] = job->number;
	lane->n_done++;
	lane->n_running--;
}

struct putter {
	struct lode_asker *asker;
	struct job *jobs;
	int n_refused;
};

static void *put_all(void *context)
{
	struct putter *putter = context;

	for (int i = 0; i < JOBS; i++)
		putter->n_refused += !lode_asker_put(putter->asker, &putter->jobs[i].job);
	return NULL;
}

static void lanes_are_in_order_and_alone(void **state)
{
	struct lane lanes[LANES] = {{0}};
	struct putter putters[PUTTERS];
	pthread_t threads[PUTTERS];
	struct lode_asker *asker = lode_asker_start(LANES, 4);
	struct lode_asker_job late = {.run = run};
	int n_done = 0;

	(void)state;
	for (int l = 0; l < LANES; l++)
		for (int p = 0; p < PUTTERS; p++)
			lanes[l].last[p] = -1;
	for (int p = 0; p < PUTTERS; p++) {
		putters[p] = (struct putter){asker, calloc(JOBS, sizeof(struct job)), 0};
		assert_non_null(putters[p].jobs);
		for (int i = 0; i < JOBS; i++) {
			struct job *job = &putters[p].jobs[i];

			*job = (struct job){.number = i, .putter = p};
			job->lane = &lanes[(i * 7 + i / 11) % LANES];
			job->job = (struct lode_asker_job){
				.lane = (size_t)(job->lane - lanes), .run = run, .context = job};
		}
		assert_int_equal(pthread_create(&threads[p], NULL, put_all, &putters[p]), 0);
	}
	for (int p = 0; p < PUTTERS; p++)
		pthread_join(threads[p], NULL);
	lode_asker_stop(asker);
	for (int p = 0; p < PUTTERS; p++) {
		assert_int_equal(putters[p].n_refused, 0);
		free(putters[p].jobs);
	}
	for (int l = 0; l < LANES; l++) {
		n_done += lanes[l].n_done;
		assert_int_equal(lanes[l].most_running, 1);
		assert_false(lanes[l].is_disordered);
	}
	assert_int_equal(n_done, JOBS * PUTTERS);
	assert_false(lode_asker_put(asker, &late));
	lode_asker_free(asker);
}

/* ---- A lane that is busy keeps no other waiting ---- */

struct gate {
	pthread_mutex_t lock;
	pthread_cond_t changed;
	bool is_open, is_other_done;
};

static void wait_at_gate(void *context)
{
	struct gate *gate = context;

	pthread_mutex_lock(&gate->lock);
	while (!gate->is_open)
		pthread_cond_wait(&gate->changed, &gate->lock);
	pthread_mutex_unlock(&gate->lock);
}

static void pass_by(void *context)
{
	struct gate *gate = context;

	pthread_mutex_lock(&gate->lock);
	gate->is_other_done = true;
	pthread_cond_broadcast(&gate->changed);
	pthread_mutex_unlock(&gate->lock);
}

static void a_busy_lane_keeps_no_other_waiting(void **state)
{
	struct gate gate = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, false, false};
	struct lode_asker *asker = lode_asker_start(2, 2);
	struct lode_asker_job jobs[] = {
		{.lane = 0, .run = wait_at_gate, .context = &gate},
		{.lane = 0, .run = wait_at_gate, .context = &gate},
		{.lane = 1, .run = pass_by, .context = &gate},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(jobs) / sizeof(*jobs); i++)
		assert_true(lode_asker_put(asker, &jobs[i]));
	pthread_mutex_lock(&gate.lock);
	while (!gate.is_other_done) /* for ever, if it waited for the second of lane 0 */
		pthread_cond_wait(&gate.changed, &gate.lock);
	gate.is_open = true;
	pthread_cond_broadcast(&gate.changed);
	pthread_mutex_unlock(&gate.lock);
	lode_asker_stop(asker);
	lode_asker_free(asker);
	lode_asker_free(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lanes_are_in_order_and_alone),
		cmocka_unit_test(a_busy_lane_keeps_no_other_waiting),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
