/* Items made in order, worked on in parallel, taken in order. */
#include "base/pipeline.h"

#include <pthread.h>

#include "base/mem.h"
#include "base/pool.h"

/* Item k of the sequence lives in slot k % n_items; is_done[slot]: worked on, not yet taken. */
struct run {
	const struct lode_pipeline *pipeline;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	uint64_t n_made, n_taken;
	bool *is_done;
	bool is_making, is_taking; /* some thread is in that step */
	bool is_draining, has_ended;
	int status;
};

static bool can_take(const struct run *run)
{
	return !run->is_taking && run->n_taken < run->n_made &&
	       run->is_done[run->n_taken % run->pipeline->n_items];
}

static bool can_make(const struct run *run)
{
	if (run->is_making || run->has_ended)
		return false;
	if (run->is_draining)
		return run->n_taken == run->n_made;
	return run->n_made - run->n_taken < run->pipeline->n_items;
}

static void *item_at(const struct lode_pipeline *pipeline, size_t slot)
{
	return (char *)pipeline->items + slot * pipeline->item_bytes;
}

/* Called and left with the lock held, as make_and_work. */
static void take_pipeline(struct run *run)
{
	const struct lode_pipeline *p = run->pipeline;
	size_t slot = run->n_taken % p->n_items;
	int rc;

	run->is_taking = true;
	pthread_mutex_unlock(&run->lock);
	rc = p->take(p->context, item_at(p, slot));
	pthread_mutex_lock(&run->lock);
	run->is_done[slot] = false;
	run->is_taking = false;
	run->n_taken++;
	if (rc < 0) {
		run->status = rc;
		run->has_ended = true;
		run->n_taken = run->n_made; /* what is under way is dropped */
	}
	pthread_cond_broadcast(&run->changed);
}

static void make_and_work(struct run *run, unsigned worker)
{
	const struct lode_pipeline *p = run->pipeline;
	size_t slot = run->n_made % p->n_items;
	int rc;

	run->is_making = true;
	run->is_draining = false;
	pthread_mutex_unlock(&run->lock);
	rc = p->make(p->context, item_at(p, slot));
	pthread_mutex_lock(&run->lock);
	run->is_making = false;
	if (rc == LODE_PIPELINE_DRAIN) {
		run->is_draining = true;
	} else if (rc != LODE_PIPELINE_ITEM) {
		run->has_ended = true;
		if (rc < 0 && run->status == 0)
			run->status = rc;
	} else if (run->status == 0 || !run->has_ended) {
		run->n_made++;
		pthread_cond_broadcast(&run->changed);
		pthread_mutex_unlock(&run->lock);
		p->work(p->context, item_at(p, slot), worker);
		pthread_mutex_lock(&run->lock);
		run->is_done[slot] = true;
	}
	pthread_cond_broadcast(&run->changed);
}

static void work_pipeline(void *context, size_t index, unsigned worker)
{
	struct run *run = context;

	(void)index;
	pthread_mutex_lock(&run->lock);
	while (!run->has_ended || run->n_taken < run->n_made) {
		if (can_take(run))
			take_pipeline(run);
		else if (can_make(run))
			make_and_work(run, worker);
		else
			pthread_cond_wait(&run->changed, &run->lock);
	}
	pthread_mutex_unlock(&run->lock);
}

int lode_pipeline_run(const struct lode_pipeline *pipeline, unsigned n_threads)
{
	struct run run = {.pipeline = pipeline};

	run.is_done = lode_alloc0(pipeline->n_items, sizeof(*run.is_done));
	pthread_mutex_init(&run.lock, NULL);
	pthread_cond_init(&run.changed, NULL);
	lode_pool_run(n_threads, n_threads ? n_threads : 1, work_pipeline, &run);
	pthread_cond_destroy(&run.changed);
	pthread_mutex_destroy(&run.lock);
	free(run.is_done);
	return run.status;
}
