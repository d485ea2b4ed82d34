/* Answers long questions in threads of their own. */
#include "serve/asker.h"

#include <pthread.h>

#include "base/mem.h"

struct lode_asker {
	pthread_mutex_t lock;
	pthread_cond_t changed; /* a job came, a lane is free, or it is stopping */
	struct lode_asker_job *first, **end;
	bool *is_busy; /* per lane */
	bool is_stopping;
	pthread_t *threads;
	unsigned n_threads;
};

/* Takes the first job whose lane is free; NULL: there is none. Under the lock. */
static struct lode_asker_job *take_asker(struct lode_asker *asker)
{
	struct lode_asker_job **at = &asker->first, *job;

	while (*at && asker->is_busy[(*at)->lane])
		at = &(*at)->next;
	job = *at;
	if (!job)
		return NULL;
	*at = job->next;
	if (!job->next)
		asker->end = at;
	asker->is_busy[job->lane] = true;
	return job;
}

static void *work_asker(void *context)
{
	struct lode_asker *asker = context;
	struct lode_asker_job *job;
	size_t lane;

	pthread_mutex_lock(&asker->lock);
	for (;;) {
		job = take_asker(asker);
		if (!job && asker->is_stopping && !asker->first)
			break;
		if (!job) {
			pthread_cond_wait(&asker->changed, &asker->lock);
			continue;
		}
		lane = job->lane;
		pthread_mutex_unlock(&asker->lock);
		job->run(job->context); /* it is no more, from here on */
		pthread_mutex_lock(&asker->lock);
		asker->is_busy[lane] = false;
		pthread_cond_broadcast(&asker->changed);
	}
	pthread_mutex_unlock(&asker->lock);
	return NULL;
}

struct lode_asker *lode_asker_start(size_t n_lanes, unsigned n_threads)
{
	struct lode_asker *asker = lode_alloc0(1, sizeof(*asker));

	pthread_mutex_init(&asker->lock, NULL);
	pthread_cond_init(&asker->changed, NULL);
	asker->end = &asker->first;
	asker->is_busy = lode_alloc0(n_lanes + 1, sizeof(*asker->is_busy));
	asker->threads = lode_alloc0(n_threads, sizeof(*asker->threads));
	while (asker->n_threads < n_threads &&
	       pthread_create(&asker->threads[asker->n_threads], NULL, work_asker, asker) == 0)
		asker->n_threads++;
	if (!asker->n_threads)
		lode_oom(0);
	return asker;
}

bool lode_asker_put(struct lode_asker *asker, struct lode_asker_job *job)
{
	bool is_taken;

	job->next = NULL;
	pthread_mutex_lock(&asker->lock);
	is_taken = !asker->is_stopping;
	if (is_taken) {
		*asker->end = job;
		asker->end = &job->next;
		pthread_cond_signal(&asker->changed);
	}
	pthread_mutex_unlock(&asker->lock);
	return is_taken;
}

void lode_asker_stop(struct lode_asker *asker)
{
	pthread_mutex_lock(&asker->lock);
	asker->is_stopping = true;
	pthread_cond_broadcast(&asker->changed);
	pthread_mutex_unlock(&asker->lock);
	for (unsigned i = 0; i < asker->n_threads; i++)
		pthread_join(asker->threads[i], NULL);
	asker->n_threads = 0;
}

void lode_asker_free(struct lode_asker *asker)
{
	if (!asker)
		return;
	pthread_cond_destroy(&asker->changed);
	pthread_mutex_destroy(&asker->lock);
	free(asker->is_busy);
	free(asker->threads);
	free(asker);
}
