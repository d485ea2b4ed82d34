/* Address spaces: which module is mapped where, by process and time. */
#include "input/symbols/spaces.h"

#include <assert.h>

#include "base/map.h"

/*
 * The maps of a process are a treap: a search tree by start address, a heap by random priority.
 * Nodes are counted and never changed while shared, so fork is one reference and a change copies
 * only the path to it. Every step is O(log maps), also for input made to hurt.
 */
struct node {
	struct node *left, *right;
	uint32_t refs, dso;
	uint64_t priority;
	uint64_t start, last; /* both inclusive: a map may end at the top of the address space */
	uint64_t page_offset;
};

struct space {
	struct node *maps;
	uint32_t epoch;		    /* 0: changed since the last name was given */
	uint32_t kernel_generation; /* of the kernel maps when `epoch` was given */
};

enum { UNKNOWN = 0 }; /* index of the empty space of unknown processes */

struct lode_spaces {
	struct lode_map index; /* pid -> index into spaces */
	LODE_VEC(struct space) spaces;
	struct space kernel;
	uint32_t kernel_generation;
	uint32_t kernel_dso; /* of the first kernel map */
	bool has_kernel;
	uint64_t n_nodes, seed;
	uint32_t *last_epoch; /* epochs are named when asked for, which a const call may do */
};

/* ---- The treap. Functions that take a node take the caller's reference with it. ---- */

static struct node *node_ref(struct node *node)
{
	if (node)
		node->refs++;
	return node;
}

static void node_unref(struct node *node)
{
	if (!node || --node->refs)
		return;
	node_unref(node->left);
	node_unref(node->right);
	free(node);
}

/* A node that may be changed: itself if this is the only reference, else a copy. */
static struct node *node_own(struct node *node)
{
	struct node *copy;

	assert(node);
	if (node->refs == 1)
		return node;
	copy = lode_alloc(sizeof(*copy));
	*copy = *node;
	copy->refs = 1;
	node_ref(copy->left);
	node_ref(copy->right);
	node_unref(node);
	return copy;
}

/* Nodes that start below `key` go to *low, the others to *high. */
static void treap_split(struct node *node, uint64_t key, struct node **low, struct node **high)
{
	if (!node) {
		*low = *high = NULL;
		return;
	}
	node = node_own(node);
	if (node->start < key) {
		treap_split(node->right, key, &node->right, high);
		*low = node;
	} else {
		treap_split(node->left, key, low, &node->left);
		*high = node;
	}
}

/* All of `low` lies below all of `high`. */
static struct node *treap_merge(struct node *low, struct node *high)
{
	if (!low || !high)
		return low ? low : high;
	if (low->priority > high->priority) {
		low = node_own(low);
		low->right = treap_merge(low->right, high);
		return low;
	}
	high = node_own(high);
	high->left = treap_merge(low, high->left);
	return high;
}

static const struct node *treap_last(const struct node *node)
{
	while (node && node->right)
		node = node->right;
	return node;
}

static const struct node *treap_find(const struct node *node, uint64_t address)
{
	const struct node *best = NULL;

	while (node) {
		if (node->start <= address) {
			best = node;
			node = node->right;
		} else {
			node = node->left;
		}
	}
	return best && best->last >= address ? best : NULL;
}

static struct node *node_new(struct lode_spaces *spaces, uint64_t start, uint64_t last,
			     uint64_t page_offset, uint32_t dso)
{
	struct node *node = lode_alloc0(1, sizeof(*node));

	node->refs = 1;
	node->start = start;
	node->last = last;
	node->page_offset = page_offset;
	node->dso = dso;
	node->priority = lode_hash_u64(spaces->seed + ++spaces->n_nodes);
	return node;
}

/* Cuts [start, last] out of the maps; what sticks out on either side stays. */
static struct node *maps_cut(struct lode_spaces *spaces, struct node *maps, uint64_t start,
			     uint64_t last, struct node **above)
{
	struct node *low, *middle, *high = NULL, *rest = NULL;
	const struct node *tail;

	treap_split(maps, start, &low, &middle);
	if (last != UINT64_MAX)
		treap_split(middle, last + 1, &middle, &high);
	tail = treap_last(middle ? middle : low);
	if (tail && tail->last > last)
		rest = node_new(spaces, last + 1, tail->last,
				tail->page_offset + (last + 1 - tail->start), tail->dso);
	tail = treap_last(low);
	if (tail && tail->last >= start) {
		struct node *cut = NULL;

		treap_split(low, tail->start, &low, &cut);
		cut = node_own(cut);
		cut->last = start - 1;
		low = treap_merge(low, cut);
	}
	node_unref(middle);
	*above = treap_merge(rest, high);
	return low;
}

/* False when the map says nothing new: each of its addresses already means the same. */
static bool maps_put(struct lode_spaces *spaces, struct space *space, uint64_t start, uint64_t size,
		     uint64_t page_offset, uint32_t dso)
{
	uint64_t last = size - 1 > UINT64_MAX - start ? UINT64_MAX : start + (size - 1);
	const struct node *old;
	struct node *low, *above;

	if (!size)
		return false;
	old = treap_find(space->maps, start);
	if (old && old->last >= last && old->dso == dso &&
	    old->page_offset + (start - old->start) == page_offset)
		return false;
	low = maps_cut(spaces, space->maps, start, last, &above);
	low = treap_merge(low, node_new(spaces, start, last, page_offset, dso));
	space->maps = treap_merge(low, above);
	return true;
}

/* ---- Processes ---- */

struct lode_spaces *lode_spaces_new(void)
{
	struct lode_spaces *spaces = lode_alloc0(1, sizeof(*spaces));

	spaces->last_epoch = lode_alloc0(1, sizeof(*spaces->last_epoch));
	spaces->seed =
		(uintptr_t)spaces; /* differs per run, so that no file can be made to collide */
	(void)lode_vec_append_zero(&spaces->spaces);
	return spaces;
}

void lode_spaces_free(struct lode_spaces *spaces)
{
	if (!spaces)
		return;
	for (size_t i = 0; i < spaces->spaces.n; i++)
		node_unref(spaces->spaces.at[i].maps);
	node_unref(spaces->kernel.maps);
	lode_vec_release(&spaces->spaces);
	lode_map_release(&spaces->index);
	free(spaces->last_epoch);
	free(spaces);
}

static struct space *space_find(const struct lode_spaces *spaces, int32_t pid)
{
	uint32_t i = lode_map_find(&spaces->index, (uint32_t)pid);

	return &spaces->spaces.at[i == LODE_NONE ? UNKNOWN : i];
}

static struct space *space_of(struct lode_spaces *spaces, int32_t pid)
{
	uint32_t slot = lode_map_number(&spaces->index, (uint32_t)pid, spaces->spaces.n);

	if (slot == spaces->spaces.n)
		(void)lode_vec_append_zero(&spaces->spaces);
	return &spaces->spaces.at[slot];
}

void lode_spaces_mmap(struct lode_spaces *spaces, int32_t pid, uint64_t start, uint64_t size,
		      uint64_t page_offset, uint32_t dso)
{
	struct space *space = space_of(spaces, pid);

	if (maps_put(spaces, space, start, size, page_offset, dso))
		space->epoch = 0;
}

void lode_spaces_mmap_kernel(struct lode_spaces *spaces, uint64_t start, uint64_t size,
			     uint64_t page_offset, uint32_t dso)
{
	if (!maps_put(spaces, &spaces->kernel, start, size, page_offset, dso))
		return;
	if (!spaces->has_kernel) {
		spaces->has_kernel = true;
		spaces->kernel_dso = dso;
	}
	/* Kernel addresses stand in the stacks of all processes: every epoch ends here. */
	spaces->kernel_generation++;
}

void lode_spaces_fork(struct lode_spaces *spaces, int32_t pid, int32_t parent_pid)
{
	struct space *child, *parent;
	struct node *maps;

	if (pid == parent_pid)
		return;
	(void)lode_spaces_epoch(spaces, parent_pid); /* names it, so that both share the name */
	child = space_of(spaces, pid);
	parent = space_find(spaces, parent_pid);
	maps = node_ref(parent->maps);
	node_unref(child->maps);
	*child = *parent;
	child->maps = maps;
}

void lode_spaces_exec(struct lode_spaces *spaces, int32_t pid)
{
	struct space *space = space_find(spaces, pid);

	if (!space->maps)
		return;
	node_unref(space->maps);
	space->maps = NULL;
	space->epoch = 0;
}

uint32_t lode_spaces_epoch(struct lode_spaces *spaces, int32_t pid)
{
	struct space *space = space_find(spaces, pid);

	if (!space->epoch || space->kernel_generation != spaces->kernel_generation) {
		space->epoch = ++*spaces->last_epoch;
		space->kernel_generation = spaces->kernel_generation;
	}
	return space->epoch;
}

/* ---- Lookups ---- */

bool lode_spaces_find(const struct lode_spaces *spaces, int32_t pid, uint64_t address,
		      struct lode_place *out)
{
	const struct node *node = treap_find(space_find(spaces, pid)->maps, address);

	if (!node)
		return false;
	out->dso = node->dso;
	out->address = address - node->start + node->page_offset;
	return true;
}

static bool is_kernel_half(uint64_t address)
{
	return address >> 63;
}

bool lode_spaces_find_kernel(const struct lode_spaces *spaces, uint64_t address,
			     struct lode_place *out)
{
	const struct node *node = treap_find(spaces->kernel.maps, address);

	if (!node && !(spaces->has_kernel && is_kernel_half(address)))
		return false;
	out->dso = node ? node->dso : spaces->kernel_dso;
	out->address = address;
	return true;
}
