/* Turns callchains into stacks of places. */
#include "input/formats/perf/perf_stacks.h"

static uint32_t add_node(struct lode_perf_stacks *stacks, uint32_t parent, uint32_t place)
{
	uint32_t node = (uint32_t)stacks->nodes.n;

	lode_vec_append(&stacks->nodes, ((struct lode_perf_place_node){parent, place}));
	lode_pair_index_add(&stacks->node_index, stacks->nodes.at, sizeof(*stacks->nodes.at),
			    parent, place);
	return node;
}

void lode_perf_stacks_init(struct lode_perf_stacks *stacks, struct lode_spaces *spaces,
			   unsigned n_workers)
{
	struct lode_perf_known_chain none = {0};

	memset(stacks, 0, sizeof(*stacks));
	stacks->spaces = spaces;
	stacks->kernel_epoch = 1;
	stacks->n_workers = n_workers;
	stacks->recent = lode_alloc0(LODE_PERF_RECENT, sizeof(*stacks->recent));
	stacks->workers = lode_alloc0(n_workers, sizeof(*stacks->workers));
	for (unsigned i = 0; i < n_workers; i++) {
		lode_vec_append(&stacks->workers[i].chains, none);
		(void)lode_vec_append_zero(&stacks->workers[i].kernel);
		(void)lode_vec_append_zero(&stacks->workers[i].user);
	}
	/* As no child is: of no place. */
	add_node(stacks, LODE_PERF_USER_ROOT, LODE_NONE);
	add_node(stacks, LODE_PERF_KERNEL_ROOT, LODE_NONE);
	(void)lode_vec_append_zero(&stacks->raws);
}

void lode_perf_stacks_release(struct lode_perf_stacks *stacks)
{
	for (unsigned i = 0; i < stacks->n_workers; i++) {
		lode_vec_release(&stacks->workers[i].chains);
		lode_vec_release(&stacks->workers[i].kernel);
		lode_vec_release(&stacks->workers[i].user);
		lode_map_release(&stacks->workers[i].older);
		lode_map_release(&stacks->workers[i].older_raws);
	}
	free(stacks->workers);
	lode_vec_release(&stacks->places);
	lode_map_release(&stacks->place_index);
	lode_vec_release(&stacks->nodes);
	lode_pair_index_release(&stacks->node_index);
	lode_vec_release(&stacks->raws);
	lode_vec_release(&stacks->latest.nodes);
	free(stacks->recent);
	lode_map_release(&stacks->raw_index);
	memset(stacks, 0, sizeof(*stacks));
}

void lode_perf_stacks_add(struct lode_perf_stacks *stacks, unsigned worker,
			  const struct lode_perf_new_chains *fresh)
{
	struct lode_perf_known *known = &stacks->workers[worker];

	for (size_t i = 0; i < fresh->kernel.n; i++)
		lode_vec_append(&known->kernel,
				((struct lode_perf_known_part){.part = fresh->kernel.at[i]}));
	for (size_t i = 0; i < fresh->user.n; i++)
		lode_vec_append(&known->user,
				((struct lode_perf_known_part){.part = fresh->user.at[i]}));
	for (size_t i = 0; i < fresh->chains.n; i++)
		lode_vec_append(&known->chains,
				((struct lode_perf_known_chain){.chain = fresh->chains.at[i]}));
}

void lode_perf_stacks_kernel_changed(struct lode_perf_stacks *stacks)
{
	stacks->kernel_epoch++;
}

/* ---- Places ---- */

static uint32_t place_id(struct lode_perf_stacks *stacks, uint32_t dso, uint64_t address)
{
	uint64_t key = address * 0x9e3779b97f4a7c15u + dso;
	uint32_t *slot;

	for (;; key++) {
		slot = lode_map_slot(&stacks->place_index, key);
		if (*slot == LODE_NONE)
			break;
		if (stacks->places.at[*slot].dso == dso &&
		    stacks->places.at[*slot].address == address)
			return *slot;
	}
	*slot = (uint32_t)stacks->places.n;
	lode_vec_append(&stacks->places, ((struct lode_perf_place){dso, address}));
	return (uint32_t)stacks->places.n - 1;
}

static uint32_t child(struct lode_perf_stacks *stacks, uint32_t parent, uint32_t place)
{
	size_t size = sizeof(*stacks->nodes.at);
	uint32_t node =
		lode_pair_index_find(&stacks->node_index, stacks->nodes.at, size, parent, place);

	return node != LODE_NONE ? node : add_node(stacks, parent, place);
}

static uint32_t user_place(struct lode_perf_stacks *stacks, int32_t pid, uint32_t epoch,
			   uint64_t address)
{
	struct lode_perf_recent *recent =
		&stacks->recent[lode_map_hash(address) % LODE_PERF_RECENT];
	struct lode_place place;

	if (recent->epoch == epoch && recent->address == address)
		return recent->place;
	recent->epoch = epoch;
	recent->address = address;
	recent->place = lode_spaces_find(stacks->spaces, pid, address, &place)
				? place_id(stacks, place.dso, place.address)
				: place_id(stacks, LODE_PERF_NO_DSO, 0);
	return recent->place;
}

static uint32_t kernel_place(struct lode_perf_stacks *stacks, uint64_t address, bool is_return)
{
	struct lode_place place;

	if (lode_perf_is_marker(address))
		return place_id(stacks, LODE_PERF_GUEST_DSO, 0);
	if (!lode_spaces_find_kernel(stacks->spaces, address - is_return, &place))
		return place_id(stacks, LODE_PERF_NO_DSO, 0);
	return place_id(stacks, place.dso, place.address);
}

/* From the root; the addresses of the leaves are no return addresses. */
static size_t callers_in_common(const struct lode_perf_latest *latest,
				const struct lode_perf_part *part)
{
	const uint64_t *a = latest->part.words + latest->part.n, *b = part->words + part->n;
	size_t most = latest->part.n < part->n ? latest->part.n : part->n, n = 0;

	while (n + 1 < most && a[-1 - (ptrdiff_t)n] == b[-1 - (ptrdiff_t)n])
		n++;
	return n;
}

/*
 * The first address of a part is where the thread was (or, of a user part below a kernel part,
 * where it was interrupted or entered the kernel); all others are return addresses, which belong to
 * the call one byte before.
 */
static uint32_t user_node(struct lode_perf_stacks *stacks, const struct lode_perf_part *part,
			  int32_t pid, uint32_t epoch)
{
	struct lode_perf_latest *latest = &stacks->latest;
	size_t n = latest->epoch == epoch ? callers_in_common(latest, part) : 0;
	uint32_t node = n ? latest->nodes.at[n - 1] : LODE_PERF_USER_ROOT;

	latest->epoch = epoch;
	latest->part = *part;
	latest->nodes.n = n;
	for (uint32_t i = part->n - (uint32_t)n; i-- > 0;) {
		node = child(stacks, node,
			     user_place(stacks, pid, epoch, part->words[i] - (i > 0)));
		lode_vec_append(&latest->nodes, node);
	}
	return node;
}

static uint32_t kernel_node(struct lode_perf_stacks *stacks, const struct lode_perf_part *part)
{
	uint32_t node = LODE_PERF_KERNEL_ROOT;

	for (uint32_t i = part->n; i-- > 0;)
		node = child(stacks, node, kernel_place(stacks, part->words[i], i > 0));
	return node;
}

/* ---- Raw stacks ---- */

/* LIMIT: beyond 2^30 kernel nodes two stacks could become one. */
static uint32_t raw_id(struct lode_perf_stacks *stacks, const struct lode_perf_raw *raw)
{
	uint32_t slot;

	if (!raw->user && !raw->kernel)
		return 0;
	slot = lode_map_number(&stacks->raw_index,
			       (uint64_t)raw->user << 32 |
				       (uint32_t)(raw->kernel << 2 | raw->is_unwound << 1 |
						  raw->is_truncated),
			       stacks->raws.n);
	if (slot == stacks->raws.n)
		lode_vec_append(&stacks->raws, *raw);
	return slot;
}

static uint32_t kernel_part_node(struct lode_perf_stacks *stacks, struct lode_perf_known *known,
				 uint32_t id)
{
	struct lode_perf_known_part *part = &known->kernel.at[id];

	if (id == 0)
		return 0;
	if (part->epoch != stacks->kernel_epoch) {
		part->node = kernel_node(stacks, &part->part);
		part->epoch = stacks->kernel_epoch;
	}
	return part->node;
}

/* Node of a user part in the state `epoch` of its process's maps. */
static uint32_t user_part_node(struct lode_perf_stacks *stacks, struct lode_perf_known *known,
			       uint32_t id, int32_t pid, uint32_t epoch)
{
	struct lode_perf_known_part *part = &known->user.at[id];
	uint32_t node;

	if (id == 0 || part->epoch == epoch)
		return part->node;
	if (part->epoch) {
		*lode_map_slot(&known->older, (uint64_t)id << 32 | part->epoch) = part->node;
		node = lode_map_find(&known->older, (uint64_t)id << 32 | epoch);
	} else {
		node = LODE_NONE;
	}
	if (node == LODE_NONE)
		node = user_node(stacks, &part->part, pid, epoch);
	part->node = node;
	part->epoch = epoch;
	return node;
}

/* A chain that neither of its latest two answers is for. */
static uint32_t look_up_perf_stacks(struct lode_perf_stacks *stacks, struct lode_perf_known *known,
				    uint32_t chain, int32_t pid, uint32_t epoch)
{
	struct lode_perf_known_chain *c = &known->chains.at[chain];
	uint64_t row = (uint64_t)chain << 32;
	uint32_t raw = LODE_NONE;

	if (c->epoch[1]) {
		*lode_map_slot(&known->older_raws, row | c->epoch[1]) = c->raw[1];
		raw = lode_map_find(&known->older_raws, row | epoch);
	}
	if (raw == LODE_NONE)
		raw = raw_id(
			stacks,
			&(struct lode_perf_raw){
				.user = user_part_node(stacks, known, c->chain.user, pid, epoch),
				.kernel = kernel_part_node(stacks, known, c->chain.kernel),
				.is_truncated = c->chain.is_truncated,
			});
	c->epoch[1] = c->epoch[0];
	c->raw[1] = c->raw[0];
	c->epoch[0] = epoch;
	c->raw[0] = raw;
	return raw;
}

uint32_t lode_perf_stacks_raw(struct lode_perf_stacks *stacks, unsigned worker, uint32_t chain,
			      int32_t pid)
{
	struct lode_perf_known *known = &stacks->workers[worker];
	const struct lode_perf_known_chain *c = &known->chains.at[chain];
	uint32_t epoch;

	if (chain == 0)
		return 0;
	/* A user epoch ends with the kernel's too; those of chains without user part are apart. */
	epoch = c->chain.user ? lode_spaces_epoch(stacks->spaces, pid) : stacks->kernel_epoch;
	if (c->epoch[0] == epoch)
		return c->raw[0];
	if (c->epoch[1] == epoch)
		return c->raw[1];
	return look_up_perf_stacks(stacks, known, chain, pid, epoch);
}

uint32_t lode_perf_stacks_unwound(struct lode_perf_stacks *stacks, unsigned worker, uint32_t chain,
				  int32_t pid, const uint64_t *addresses, size_t n,
				  bool is_truncated)
{
	struct lode_perf_known *known = &stacks->workers[worker];
	const struct lode_perf_known_chain *c = &known->chains.at[chain];
	uint32_t node = LODE_PERF_USER_ROOT, epoch = lode_spaces_epoch(stacks->spaces, pid);

	while (n-- > 0)
		node = child(stacks, node, user_place(stacks, pid, epoch, addresses[n] - (n > 0)));
	return raw_id(stacks, &(struct lode_perf_raw){
				      .user = node,
				      .kernel = kernel_part_node(stacks, known, c->chain.kernel),
				      .is_truncated = is_truncated || c->chain.is_truncated,
				      .is_unwound = true,
			      });
}
