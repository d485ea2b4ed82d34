/* Store of the patterns found so far, shared by all threads of a search. */
#include "engine/patterns/found.h"

void lode_found_init(struct lode_found *found, uint32_t n_items)
{
	memset(found, 0, sizeof(*found));
	pthread_mutex_init(&found->lock, NULL);
	found->n_items = n_items;
	found->with_item = lode_alloc0(n_items, sizeof(*found->with_item));
	found->is_done = lode_alloc0(n_items, sizeof(*found->is_done));
}

void lode_found_release(struct lode_found *found)
{
	for (uint32_t i = 0; i < found->n_items; i++)
		lode_vec_release(&found->with_item[i]);
	free(found->with_item);
	free(found->is_done);
	lode_vec_release(&found->all);
	lode_arena_release(&found->arena);
	pthread_mutex_destroy(&found->lock);
}

bool lode_is_subsequence(const uint32_t *p, uint32_t n_p, const uint32_t *q, uint32_t n_q)
{
	uint32_t i = 0;

	if (n_p > n_q)
		return false;
	for (uint32_t j = 0; j < n_q && i < n_p; j++)
		i += p[i] == q[j];
	return i == n_p;
}

void lode_found_import(struct lode_found *found, uint32_t item, size_t *n_known,
		       lode_found_vec *into)
{
	const lode_found_vec *with = &found->with_item[item];

	pthread_mutex_lock(&found->lock);
	for (; *n_known < with->n; ++*n_known)
		lode_vec_append(into, with->at[*n_known]);
	pthread_mutex_unlock(&found->lock);
}

static struct lode_found_pattern *add(struct lode_found *found, const uint32_t *items, uint32_t n,
				      int64_t cost, uint32_t job)
{
	struct lode_found_pattern *p =
		lode_arena_alloc(&found->arena, sizeof(*p) + n * sizeof(*items), _Alignof(int64_t));

	p->cost = cost;
	p->id = (uint32_t)found->all.n;
	p->job = job;
	p->n = n;
	memcpy(p->items, items, n * sizeof(*items));
	lode_vec_append(&found->all, p);
	for (uint32_t i = 0; i < n; i++) {
		lode_found_vec *with = &found->with_item[items[i]];

		if (with->n == 0 || with->at[with->n - 1] != p) /* an item may stand there twice */
			lode_vec_append(with, p);
	}
	return p;
}

size_t lode_found_publish(struct lode_found *found, const uint32_t *items, uint32_t n, int64_t cost,
			  uint32_t job, size_t *n_known, lode_found_vec *fresh)
{
	const lode_found_vec *with = &found->with_item[job];
	bool is_covered = false;
	size_t n_published;

	pthread_mutex_lock(&found->lock);
	for (; *n_known < with->n; ++*n_known) {
		const struct lode_found_pattern *q = with->at[*n_known];

		lode_vec_append(fresh, q);
		is_covered |= lode_is_subsequence(items, n, q->items, q->n);
	}
	if (!is_covered) {
		lode_vec_append(fresh, add(found, items, n, cost, job));
		*n_known = with->n;
	}
	n_published = found->all.n;
	pthread_mutex_unlock(&found->lock);
	return n_published;
}

bool lode_found_is_covered(const struct lode_found *found, const struct lode_found_pattern *pattern)
{
	const lode_found_vec *with = &found->with_item[pattern->job];

	/* What was published before `pattern` was known to its branch and does not contain it. */
	for (size_t i = with->n; i-- > 0 && with->at[i]->id > pattern->id;)
		if (with->at[i]->job < pattern->job &&
		    lode_is_subsequence(pattern->items, pattern->n, with->at[i]->items,
					with->at[i]->n))
			return true;
	return false;
}

size_t lode_found_count(struct lode_found *found, uint32_t last_job)
{
	size_t n = 0;

	pthread_mutex_lock(&found->lock);
	for (size_t i = 0; i < found->all.n; i++)
		n += found->all.at[i]->job <= last_job &&
		     !lode_found_is_covered(found, found->all.at[i]);
	pthread_mutex_unlock(&found->lock);
	return n;
}
