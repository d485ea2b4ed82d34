/* Batches mixed events of many threads by thread. */
#include "input/call_batch.h"

/* ---- Names ---- */

/* Tells names of a program apart well enough: they differ in length or towards their end. */
static uint32_t ends_of(const char *name, size_t len)
{
	uint32_t first = 0, last = 0;

	if (len >= 4) {
		memcpy(&first, name + len / 2 - 2, 4);
		memcpy(&last, name + len - 4, 4);
	} else if (len) {
		first = (uint8_t)name[0];
		last = (uint8_t)name[len - 1];
	}
	return (first * 0x9e3779b1u ^ last * 0x85ebca6bu ^ (uint32_t)len * 0xc2b2ae35u) >> 24;
}

uint32_t lode_call_names_string(struct lode_call_names *names, const char *name, size_t len)
{
	uint32_t *recent = &names->recent[ends_of(name, len) % 256], string = *recent - 1;

	if (string < names->strings.text.n && names->strings.len.at[string] == len &&
	    memcmp(names->strings.text.at[string], name, len) == 0)
		return string;
	string = lode_strings_intern(&names->strings, name, len);
	*recent = string + 1;
	if (string == names->ids.n)
		lode_vec_append(&names->ids, LODE_NONE);
	return string;
}

uint32_t lode_call_names_of(struct lode_call_names *names, struct lode_call_sink *sink,
			    const char *module, uint32_t string)
{
	uint32_t *id = &names->ids.at[string];

	if (*id == LODE_NONE)
		*id = sink->function(sink->context, module, names->strings.text.at[string]);
	return *id;
}

uint32_t lode_call_names_id(struct lode_call_names *names, struct lode_call_sink *sink,
			    const char *module, const char *name, size_t len)
{
	return lode_call_names_of(names, sink, module, lode_call_names_string(names, name, len));
}

void lode_call_names_release(struct lode_call_names *names)
{
	lode_strings_release(&names->strings);
	lode_vec_release(&names->ids);
}

/* ---- Batches ---- */

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
	lode_vec_release_each(&batches->threads, it, free(it->at));
}
