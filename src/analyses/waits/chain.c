#include "analyses/waits/chain.h"

#include <stdlib.h>
#include <string.h>

static bool is_separator(char c)
{
	return c && strchr("/-_:# ", c);
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

const char *lode_link_name(const char *comm, char *buffer, size_t size)
{
	static const char kworker[] = "kworker/";
	const char *start = comm, *p = comm;
	size_t n = 0, run;

	if (!strncmp(comm, kworker, sizeof(kworker) - 1))
		p = start = "kworker";
	while (*p && n + 1 < size) {
		for (run = 0; is_digit(p[run]);)
			run++;
		if (run && p > start && is_separator(p[-1]) && (!p[run] || is_separator(p[run]))) {
			buffer[n++] = 'N';
			p += run;
		} else {
			buffer[n++] = *p++;
		}
	}
	if (size)
		buffer[n] = '\0';
	return buffer;
}

static uint32_t *no_ids(size_t n)
{
	uint32_t *ids = lode_alloc(n * sizeof(*ids));

	for (size_t i = 0; i < n; i++)
		ids[i] = LODE_NONE;
	return ids;
}

void lode_chain_init(struct lode_chain_joiner *joiner, struct lode_calltree *tree,
		     const struct lode_stream *from)
{
	*joiner = (struct lode_chain_joiner){
		.tree = tree,
		.from = from,
		.frame_of = no_ids(from->tree.frames.n),
		.name_of = no_ids(from->threads.n),
		.link_of = no_ids(from->threads.n),
	};
}

void lode_chain_release(struct lode_chain_joiner *joiner)
{
	free(joiner->frame_of);
	free(joiner->name_of);
	free(joiner->link_of);
	lode_map_release(&joiner->memo);
	lode_vec_release(&joiner->pending);
	memset(joiner, 0, sizeof(*joiner));
}

static uint32_t frame_in_tree(struct lode_chain_joiner *joiner, uint32_t frame)
{
	uint32_t *known = &joiner->frame_of[frame];

	if (*known == LODE_NONE)
		*known = lode_frame_copy(joiner->tree, &joiner->from->tree, frame);
	return *known;
}

uint32_t lode_chain_stack(struct lode_chain_joiner *joiner, uint32_t node, uint32_t stack)
{
	const struct lode_calltree *from = &joiner->from->tree;
	uint64_t row = (uint64_t)node << 32;
	uint32_t known;

	/* Outwards to the first caller that was joined to this node before, then back in. */
	joiner->pending.n = 0;
	while (stack && (known = lode_map_find(&joiner->memo, row | stack)) == LODE_NONE) {
		lode_vec_append(&joiner->pending, stack);
		stack = from->nodes.at[stack].parent;
	}
	if (stack)
		node = known;
	while (joiner->pending.n) {
		stack = joiner->pending.at[--joiner->pending.n];
		node = lode_calltree_child(joiner->tree, node,
					   frame_in_tree(joiner, from->nodes.at[stack].frame));
		*lode_map_slot(&joiner->memo, row | stack) = node;
	}
	return node;
}

uint32_t lode_chain_thread_name(struct lode_chain_joiner *joiner, lode_thread_id thread)
{
	const struct lode_stream *from = joiner->from;
	uint32_t *known = &joiner->name_of[thread];
	const char *comm = from->tree.strings.text.at[from->threads.at[thread].comm];
	char name[64];

	if (*known == LODE_NONE) {
		lode_link_name(comm, name, sizeof(name));
		*known = lode_strings_intern(&joiner->tree->strings, name, strlen(name));
	}
	return *known;
}

uint32_t lode_chain_device_name(struct lode_chain_joiner *joiner, enum lode_device device)
{
	const char *name = lode_device_name(device);

	return lode_strings_intern(&joiner->tree->strings, name, strlen(name));
}

uint32_t lode_chain_thread(struct lode_chain_joiner *joiner, uint32_t node, lode_thread_id thread)
{
	uint32_t name = lode_chain_thread_name(joiner, thread), *known = &joiner->link_of[thread];

	if (*known == LODE_NONE)
		*known = lode_frame_link(joiner->tree, joiner->tree->strings.text.at[name]);
	return lode_calltree_child(joiner->tree, node, *known);
}

uint32_t lode_chain_device(struct lode_chain_joiner *joiner, uint32_t node, enum lode_device device)
{
	return lode_calltree_child(joiner->tree, node,
				   lode_frame_link(joiner->tree, lode_device_name(device)));
}
