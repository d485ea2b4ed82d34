/* Runs independent jobs on a number of threads. */
#include "base/pool.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

#include "base/mem.h"

struct run {
	atomic_size_t next;
	size_t n_jobs;
	void (*job)(void *context, size_t index, unsigned worker);
	void *context;
};

struct worker {
	struct run *run;
	unsigned id;
	pthread_t thread;
};

static void *work_pool(void *arg)
{
	struct worker *w = arg;
	size_t i;

	while ((i = atomic_fetch_add(&w->run->next, 1)) < w->run->n_jobs)
		w->run->job(w->run->context, i, w->id);
	return NULL;
}

void lode_pool_run(unsigned n_threads, size_t n_jobs,
		   void (*job)(void *context, size_t index, unsigned worker), void *context)
{
	struct run run = {.n_jobs = n_jobs, .job = job, .context = context};
	struct worker *workers;
	unsigned n_started = 0, i;

	if (n_threads > n_jobs)
		n_threads = (unsigned)n_jobs;
	if (n_threads == 0)
		n_threads = 1;
	workers = lode_alloc0(n_threads, sizeof(*workers));
	for (i = 0; i < n_threads; i++)
		workers[i] = (struct worker){.run = &run, .id = i};
	/* The caller is worker 0. A thread that cannot be had is one thread less, not an error. */
	for (i = 1; i < n_threads; i++) {
		if (pthread_create(&workers[i].thread, NULL, work_pool, &workers[i]))
			break;
		n_started = i;
	}
	work_pool(&workers[0]);
	for (i = 1; i <= n_started; i++)
		pthread_join(workers[i].thread, NULL);
	free(workers);
}

unsigned lode_pool_cpus(void)
{
	cpu_set_t set;

	if (sched_getaffinity(0, sizeof(set), &set))
		return 1;
	return (unsigned)CPU_COUNT(&set);
}

void lode_pool_note(struct lode_pool_failure *failure, size_t job, int rc,
		    const struct lode_error *err)
{
	if (rc >= 0 || (failure->err.status != LODE_OK && failure->job < job))
		return;
	failure->job = job;
	failure->err = *err;
}

int lode_pool_first_failure(const struct lode_pool_failure *failures, unsigned n_workers,
			    struct lode_error *err)
{
	const struct lode_pool_failure *first = &failures[0];

	for (unsigned i = 1; i < n_workers; i++)
		if (failures[i].err.status != LODE_OK &&
		    (first->err.status == LODE_OK || failures[i].job < first->job))
			first = &failures[i];
	if (first->err.status != LODE_OK && err)
		*err = first->err;
	return first->err.status;
}
