#include "engine/suspects/block_requests.h"

#include <stdlib.h>

static struct lode_block_list *list_of(const struct lode_block_requests *requests, uint64_t device)
{
	uint32_t i = lode_map_find(&requests->index, device);

	return i == LODE_NONE ? NULL : &requests->lists.at[i];
}

static struct lode_block_request take_at(struct lode_block_list *list, size_t i)
{
	struct lode_block_request request = list->requests.at[i];

	list->requests.n--;
	memmove(&list->requests.at[i], &list->requests.at[i + 1],
		(list->requests.n - i) * sizeof(request));
	return request;
}

bool lode_block_add(struct lode_block_requests *requests, uint64_t device,
		    const struct lode_block_request *request, struct lode_block_request *dropped)
{
	uint32_t *slot = lode_map_slot(&requests->index, device);
	struct lode_block_list *list;
	bool is_full;

	if (*slot == LODE_NONE) {
		*slot = (uint32_t)requests->lists.n;
		(void)lode_vec_append_zero(&requests->lists);
	}
	list = &requests->lists.at[*slot];
	is_full = list->requests.n == LODE_BLOCK_WAITING;
	if (is_full)
		*dropped = take_at(list, 0);
	lode_vec_append(&list->requests, *request);
	return is_full;
}

size_t lode_block_count(const struct lode_block_requests *requests, uint64_t device)
{
	const struct lode_block_list *list = list_of(requests, device);

	return list ? list->requests.n : 0;
}

bool lode_block_take_within(struct lode_block_requests *requests, uint64_t device, uint64_t sector,
			    uint64_t n_sectors, struct lode_block_request *out)
{
	struct lode_block_list *list = list_of(requests, device);

	for (size_t i = 0; list && i < list->requests.n; i++) {
		const struct lode_block_request *r = &list->requests.at[i];

		/* Sectors come from the recording: differences only, no sums that could overflow.
		 */
		if (r->sector < sector || (!n_sectors != !r->n_sectors))
			continue;
		if (n_sectors ? r->n_sectors <= n_sectors &&
					r->sector - sector <= n_sectors - r->n_sectors
			      : r->sector == sector) {
			*out = take_at(list, i);
			return true;
		}
	}
	return false;
}

enum lode_block_done lode_block_complete(struct lode_block_requests *requests, uint64_t device,
					 uint64_t sector, uint64_t n_sectors,
					 struct lode_block_request *out)
{
	struct lode_block_list *list = list_of(requests, device);

	for (size_t i = 0; list && i < list->requests.n; i++) {
		struct lode_block_request *r = &list->requests.at[i];

		if (r->sector != sector)
			continue;
		if (n_sectors < r->n_sectors && n_sectors) {
			r->sector += n_sectors;
			r->n_sectors -= n_sectors;
			return LODE_BLOCK_PART;
		}
		*out = take_at(list, i);
		return LODE_BLOCK_DONE;
	}
	return LODE_BLOCK_NONE;
}

void lode_block_close(struct lode_block_requests *requests,
		      void (*take)(void *context, const struct lode_block_request *request),
		      void *context)
{
	for (size_t i = 0; i < requests->lists.n; i++) {
		struct lode_block_list *list = &requests->lists.at[i];

		for (size_t k = 0; k < list->requests.n; k++)
			take(context, &list->requests.at[k]);
		list->requests.n = 0;
	}
}

void lode_block_release(struct lode_block_requests *requests)
{
	for (size_t i = 0; i < requests->lists.n; i++)
		lode_vec_release(&requests->lists.at[i].requests);
	lode_vec_release(&requests->lists);
	lode_map_release(&requests->index);
}
