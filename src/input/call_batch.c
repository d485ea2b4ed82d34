/* Batches mixed events of many threads by thread. */
#include "input/call_batch.h"

/* With very many threads all is handed over before it gets much, however small the batches are. */
#define HELD_MAX ((size_t)1 << 20)

static int flush_one(struct lode_call_batches *batches, uint32_t thread, struct lode_error *err)
{
	struct lode_call_batch *batch = &batches->threads.at[thread];
	size_t n = batch->n;

	if (n == 0)
		return LODE_OK;
	batch->n = 0;
	batches->n_held -= n;
	return batches->sink->events(batches->sink->context, thread, batch->at, n, err);
}

int lode_call_batches_flush(struct lode_call_batches *batches, struct lode_error *err)
{
	for (size_t i = 0; i < batches->threads.n; i++) {
		int rc = flush_one(batches, (uint32_t)i, err);

		if (rc < 0)
			return rc;
	}
	return LODE_OK;
}

int lode_call_batches_add(struct lode_call_batches *batches, uint32_t thread, int64_t t_ns,
			  enum lode_call_event_kind kind, uint32_t function, struct lode_error *err)
{
	struct lode_call_batch *batch;
	int rc = LODE_OK;

	while (batches->threads.n <= thread)
		(void)lode_vec_append_zero(&batches->threads);
	batch = &batches->threads.at[thread];
	if (batch->n == batch->capacity) {
		uint32_t capacity = batch->capacity ? 4 * batch->capacity : 16;

		batch->at = lode_realloc_n(batch->at, capacity, sizeof(*batch->at));
		batch->capacity = capacity;
	}
	batch->at[batch->n++] =
		(struct lode_call_event){.t_ns = t_ns, .function = function, .kind = (uint8_t)kind};
	batches->n_held++;
	if (batch->n == LODE_CALL_BATCH_EVENTS)
		rc = flush_one(batches, thread, err);
	else if (batches->n_held == HELD_MAX)
		rc = lode_call_batches_flush(batches, err);
	return rc;
}

void lode_call_batches_release(struct lode_call_batches *batches)
{
	for (size_t i = 0; i < batches->threads.n; i++)
		free(batches->threads.at[i].at);
	lode_vec_release(&batches->threads);
}
