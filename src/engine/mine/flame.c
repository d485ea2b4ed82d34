/* Builds the tree of a cluster's flame graph within a number of nodes. */
#include "engine/mine/flame.h"

#include "base/sorted.h"

/* A node of the digest's tree that a stack passes through. */
struct passed {
	uint32_t node;
	int64_t own_ns, wait_ns, ready_ns, total_ns;
	bool is_kept;
	uint32_t nearest; /* index in the flame of itself or of its nearest caller that is kept */
};

typedef LODE_VEC(struct passed) passed_vec;

/* Adds the node and its callers, as far as they are not there. */
static void pass_stack(passed_vec *passed, struct lode_map *slots, const struct lode_calltree *tree,
		       const struct lode_cluster_stack *stack)
{
	uint32_t node = stack->node, slot;

	do {
		slot = lode_map_number(slots, node, passed->n);
		if (slot < passed->n)
			break;
		lode_vec_append(passed, ((struct passed){.node = node}));
	} while (node && (node = tree->nodes.at[node].parent) != 0);
	slot = lode_map_find(slots, stack->node);
	lode_vec_is_there(passed);
	passed->at[slot].own_ns += stack->cost_ns;
	passed->at[slot].wait_ns += stack->wait_ns;
	passed->at[slot].ready_ns += stack->ready_ns;
}

LODE_COMPARE(by_node, struct passed, LODE_ORDER(a->node, b->node))

/* Costliest first; of equal ones callers first, whose nodes are smaller. */
LODE_COMPARE_WITH(dearest_node_first, uint32_t, const struct passed *all,
		  LODE_ORDER(all[*b].total_ns, all[*a].total_ns)
			  ?: LODE_ORDER(all[*a].node, all[*b].node))

/* Marks the nodes to keep. Callers go before what they call, whatever it costs. */
static void choose_flame(passed_vec *passed, size_t max_nodes)
{
	uint32_t *order = lode_alloc(passed->n * sizeof(*order));

	for (size_t i = 0; i < passed->n; i++)
		order[i] = (uint32_t)i;
	if (passed->n > max_nodes)
		lode_sort_r(order, passed->n, dearest_node_first, passed->at);
	for (size_t i = 0; i < passed->n && i < max_nodes; i++)
		passed->at[order[i]].is_kept = true;
	free(order);
}

/* Where the node is now that the passed ones are in order. */
static struct passed *find_flame(const passed_vec *passed, uint32_t node)
{
	struct passed key = {.node = node};

	return bsearch(&key, passed->at, passed->n, sizeof(key), by_node);
}

/* Costs of nodes with all below them: callers have smaller nodes than what they call. */
static void sum_totals(passed_vec *passed, const struct lode_calltree *tree)
{
	for (size_t i = passed->n; i-- > 0;) {
		struct passed *p = &passed->at[i];
		uint32_t caller = tree->nodes.at[p->node].parent;

		if (p->node == 0) /* the empty stack has no frame to draw */
			continue;
		p->total_ns += p->own_ns;
		if (caller)
			find_flame(passed, caller)->total_ns += p->total_ns;
	}
}

void lode_flame_build(struct lode_flame *flame, const struct lode_calltree *tree,
		      const struct lode_cluster_stack *stacks, size_t n_stacks, size_t max_nodes)
{
	struct lode_map slots = {0};
	passed_vec passed = {0};

	flame->nodes.n = flame->n_left_out = 0;
	flame->left_out_ns = 0;
	for (size_t i = 0; i < n_stacks; i++)
		pass_stack(&passed, &slots, tree, &stacks[i]);
	lode_map_release(&slots);
	if (!passed.n)
		return;
	lode_sort(passed.at, passed.n, by_node);
	sum_totals(&passed, tree);
	choose_flame(&passed, max_nodes);
	for (size_t i = 0; i < passed.n; i++) {
		struct passed *p = &passed.at[i];
		uint32_t caller = tree->nodes.at[p->node].parent;
		uint32_t above = caller ? find_flame(&passed, caller)->nearest : LODE_NONE;

		if (p->node == 0)
			continue;
		p->nearest = above;
		if (!p->is_kept) {
			flame->n_left_out++;
			flame->left_out_ns += p->own_ns;
			if (above != LODE_NONE) {
				flame->nodes.at[above].own_ns += p->own_ns;
				flame->nodes.at[above].wait_ns += p->wait_ns;
				flame->nodes.at[above].ready_ns += p->ready_ns;
			}
			continue;
		}
		p->nearest = (uint32_t)flame->nodes.n;
		lode_vec_append(&flame->nodes, ((struct lode_flame_node){
						       .parent = above,
						       .node = p->node,
						       .frame = tree->nodes.at[p->node].frame,
						       .own_ns = p->own_ns,
						       .wait_ns = p->wait_ns,
						       .ready_ns = p->ready_ns,
					       }));
	}
	lode_vec_release(&passed);
}

LODE_COMPARE(by_tree_node, struct lode_flame_node, LODE_ORDER(a->node, b->node))

void lode_flame_spread(int64_t *own_ns, const struct lode_flame *flame,
		       const struct lode_calltree *tree, const struct lode_cluster_stack *stacks,
		       size_t n_stacks)
{
	const struct lode_flame_node *found;

	for (size_t i = 0; i < flame->nodes.n; i++)
		own_ns[i] = 0;
	for (size_t i = 0; i < n_stacks && flame->nodes.n; i++) {
		struct lode_flame_node key = {.node = stacks[i].node};

		do {
			found = bsearch(&key, flame->nodes.at, flame->nodes.n, sizeof(key),
					by_tree_node);
			if (found)
				own_ns[found - flame->nodes.at] += stacks[i].cost_ns;
			key.node = tree->nodes.at[key.node].parent;
		} while (!found && key.node);
	}
}

void lode_flame_release(struct lode_flame *flame)
{
	lode_vec_release(&flame->nodes);
}
