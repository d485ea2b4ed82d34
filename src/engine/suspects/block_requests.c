/* Which issue a completion of a block device ends, and which insertions an issue does. */
#include "engine/suspects/block_requests.h"

#include "base/sorted.h"

/* ---- Flags ---- */

uint64_t lode_block_flags(const char *rwbs)
{
	uint64_t flags = 0;

	/* At most F, operation, F, A, S, M, U: eight letters are enough. */
	for (unsigned i = 0; rwbs && rwbs[i] && i < sizeof(flags); i++)
		flags |= (uint64_t)(uint8_t)rwbs[i] << 8 * i;
	return flags;
}

/* The operation's letter: the second where an F before it says that a flush comes first. */
static char operation(uint64_t flags)
{
	char first = (char)flags, second = (char)(flags >> 8);

	return first == 'F' && second ? second : first;
}

/* Not of flushes (old kernels: empty writes with a flush before) and commands passed through,
   whatever their events say. */
bool lode_block_has_sectors(const struct lode_block_request *request)
{
	char letter = operation(request->flags);
	bool is_flushed_first = letter != (char)request->flags;

	if (letter == 'F' || letter == 'N')
		return false;
	return request->n_sectors || (letter && !is_flushed_first);
}

/* ---- Lists ---- */

static uint64_t key_of(const struct lode_block_requests *requests,
		       const struct lode_block_request *request)
{
	uint64_t words[] = {request->device,
			    requests->is_by_operation ? (uint64_t)operation(request->flags)
						      : request->flags,
			    lode_block_has_sectors(request)};

	return lode_hash_bytes(words, sizeof(words), 0);
}

static struct lode_block_list *find_list(const struct lode_block_requests *requests,
					 const struct lode_block_request *request)
{
	uint32_t i = lode_map_find(&requests->index, key_of(requests, request));

	return i == LODE_NONE ? NULL : &requests->lists.at[i];
}

static struct lode_block_list *make_list(struct lode_block_requests *requests,
					 const struct lode_block_request *request)
{
	uint32_t slot =
		lode_map_number(&requests->index, key_of(requests, request), requests->lists.n);

	if (slot == requests->lists.n)
		lode_vec_append_zero(&requests->lists)->device = request->device;
	return &requests->lists.at[slot];
}

static uint32_t *count_of(struct lode_block_requests *requests, uint64_t device)
{
	uint32_t slot = lode_map_number(&requests->device_index, device, requests->n_waiting.n);

	if (slot == requests->n_waiting.n)
		lode_vec_append(&requests->n_waiting, 0);
	return &requests->n_waiting.at[slot];
}

uint32_t lode_block_count(const struct lode_block_requests *requests, uint64_t device)
{
	uint32_t i = lode_map_find(&requests->device_index, device);

	return i == LODE_NONE ? 0 : requests->n_waiting.at[i];
}

static bool begins_before(const void *item, const void *sector)
{
	const struct lode_block_request *request = item;

	return request->sector < *(const uint64_t *)sector;
}

/* The first request of the list that begins at or after `sector`. */
static size_t first_at_or_after(const struct lode_block_list *list, uint64_t sector)
{
	return lode_sorted_before(list->requests.at, list->requests.n, sizeof(*list->requests.at),
				  &sector, begins_before);
}

static struct lode_block_request take_at(struct lode_block_requests *requests,
					 struct lode_block_list *list, size_t i)
{
	struct lode_block_request request = list->requests.at[i];

	list->requests.n--;
	memmove(&list->requests.at[i], &list->requests.at[i + 1],
		(list->requests.n - i) * sizeof(request));
	--*count_of(requests, list->device);
	return request;
}

static void lose_at(struct lode_block_requests *requests, struct lode_block_list *list, size_t i,
		    enum lode_execution_loss loss)
{
	struct lode_block_request request = take_at(requests, list, i);

	requests->lost(requests->context, &request.call, loss);
}

static void lose_oldest(struct lode_block_requests *requests, struct lode_block_list *list)
{
	size_t oldest = 0;

	for (size_t i = 1; i < list->requests.n; i++)
		if (list->requests.at[i].call.start_ns < list->requests.at[oldest].call.start_ns)
			oldest = i;
	lose_at(requests, list, oldest, LODE_EXECUTION_NO_END);
}

static void insert_at(struct lode_block_requests *requests, struct lode_block_list *list, size_t i,
		      const struct lode_block_request *request)
{
	lode_vec_append(&list->requests, *request);
	memmove(&list->requests.at[i + 1], &list->requests.at[i],
		(list->requests.n - 1 - i) * sizeof(*request));
	list->requests.at[i] = *request;
	++*count_of(requests, list->device);
}

/* ---- Beginning ---- */

/* Sectors come from the recording: differences only, no sums that could overflow. */
static bool overlap(const struct lode_block_request *a, const struct lode_block_request *b)
{
	return a->sector <= b->sector ? b->sector - a->sector < a->n_sectors
				      : a->sector - b->sector < b->n_sectors;
}

static void lose_overlapped(struct lode_block_requests *requests, struct lode_block_list *list,
			    const struct lode_block_request *request)
{
	size_t i = first_at_or_after(list, request->sector);

	if (i > 0 && overlap(&list->requests.at[i - 1], request))
		lose_at(requests, list, --i, LODE_EXECUTION_NO_END);
	while (i < list->requests.n && overlap(request, &list->requests.at[i]))
		lose_at(requests, list, i, LODE_EXECUTION_NO_END);
}

static void lose_timed_out(struct lode_block_requests *requests, struct lode_block_list *list,
			   int64_t now_ns)
{
	int64_t oldest_ns;

	if (__builtin_sub_overflow(now_ns, LODE_BLOCK_TIMEOUT_NS, &oldest_ns))
		return;
	while (list->requests.n && list->requests.at[0].call.start_ns < oldest_ns)
		lose_at(requests, list, 0, LODE_EXECUTION_NO_END);
}

void lode_block_add(struct lode_block_requests *requests, const struct lode_block_request *request)
{
	struct lode_block_list *list = make_list(requests, request);
	struct lode_block_request added = *request;
	size_t at;

	if (lode_block_has_sectors(request)) {
		lose_overlapped(requests, list, request);
	} else {
		lose_timed_out(requests, list, request->call.start_ns);
		added.is_ambiguous = list->requests.n > 0;
		for (size_t i = 0; i < list->requests.n; i++)
			list->requests.at[i].is_ambiguous = true;
	}
	if (list->requests.n == LODE_BLOCK_WAITING)
		lose_oldest(requests, list);
	at = lode_block_has_sectors(request) ? first_at_or_after(list, request->sector)
					     : list->requests.n;
	insert_at(requests, list, at, &added);
}

/* ---- Ending ---- */

bool lode_block_take_within(struct lode_block_requests *requests,
			    const struct lode_block_request *whole, struct lode_block_request *out)
{
	struct lode_block_list *list = find_list(requests, whole);
	const struct lode_block_request *part;
	size_t i;

	if (!list || !list->requests.n)
		return false;
	i = lode_block_has_sectors(whole) ? first_at_or_after(list, whole->sector) : 0;
	if (i == list->requests.n)
		return false;
	part = &list->requests.at[i];
	if (lode_block_has_sectors(whole) &&
	    (part->n_sectors > whole->n_sectors ||
	     part->sector - whole->sector > whole->n_sectors - part->n_sectors))
		return false;
	*out = take_at(requests, list, i);
	return true;
}

/* The request that begins where this one does; NULL: none does. */
static struct lode_block_request *find_at(struct lode_block_list *list,
					  const struct lode_block_request *request)
{
	size_t i = list ? first_at_or_after(list, request->sector) : 0;

	return list && i < list->requests.n && list->requests.at[i].sector == request->sector
		       ? &list->requests.at[i]
		       : NULL;
}

enum lode_block_end lode_block_complete(struct lode_block_requests *requests,
					const struct lode_block_request *end,
					struct lode_block_request *out)
{
	struct lode_block_list *list = find_list(requests, end);
	struct lode_block_request *request;

	if (!lode_block_has_sectors(end)) {
		if (!list || !list->requests.n)
			return LODE_BLOCK_UNKNOWN;
		*out = take_at(requests, list, 0);
		return LODE_BLOCK_DONE;
	}
	if (!end->n_sectors)
		return LODE_BLOCK_NOTHING;
	request = find_at(list, end);
	if (!request || request->n_sectors < end->n_sectors)
		return LODE_BLOCK_UNKNOWN;
	if (request->n_sectors > end->n_sectors) {
		request->sector += end->n_sectors;
		request->n_sectors -= end->n_sectors;
		return LODE_BLOCK_PART;
	}
	*out = take_at(requests, list, (size_t)(request - list->requests.at));
	return LODE_BLOCK_DONE;
}

void lode_block_requeue(struct lode_block_requests *requests,
			const struct lode_block_request *request)
{
	struct lode_block_list *list = find_list(requests, request);
	struct lode_block_request *found;

	if (!lode_block_has_sectors(request)) {
		if (list && list->requests.n)
			(void)take_at(requests, list, list->requests.n - 1);
		return;
	}
	found = find_at(list, request);
	if (found && found->n_sectors == request->n_sectors)
		(void)take_at(requests, list, (size_t)(found - list->requests.at));
}

void lode_block_close(struct lode_block_requests *requests, enum lode_execution_loss loss)
{
	for (size_t i = 0; i < requests->lists.n; i++) {
		struct lode_block_list *list = &requests->lists.at[i];

		for (size_t k = 0; k < list->requests.n; k++)
			requests->lost(requests->context, &list->requests.at[k].call, loss);
		*count_of(requests, list->device) -= (uint32_t)list->requests.n;
		list->requests.n = 0;
	}
}

void lode_block_release(struct lode_block_requests *requests)
{
	lode_vec_release_each(&requests->lists, it, lode_vec_release(&it->requests));
	lode_map_release(&requests->index);
	lode_map_release(&requests->device_index);
	lode_vec_release(&requests->n_waiting);
}
