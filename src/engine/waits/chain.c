/* Joins the stacks of a chain of waiting threads to one (docs/waits.md). */
#include "engine/waits/chain.h"

#include <stdio.h>

#include "base/decimal.h"
#include "model/tracers.h"

static bool is_separator(char c)
{
	return c && strchr("/-_:# ", c);
}

const char *lode_link_name(const char *comm, char *buffer, size_t size)
{
	static const char kworker[] = "kworker/";
	const char *start = comm, *p = comm;
	size_t n = 0, run;

	if (lode_is_blank_text(comm))
		p = start = LODE_UNNAMED;
	if (!strncmp(comm, kworker, sizeof(kworker) - 1))
		p = start = "kworker";
	while (*p && n + 1 < size) {
		for (run = 0; lode_is_digit(p[run]);)
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
		.n_stacks = (uint32_t)from->tree.nodes.n,
		.name_of = no_ids(from->threads.n),
		.link_of = no_ids(from->threads.n),
		.unrecorded = LODE_NONE,
		.recording = LODE_NONE,
	};
	/* Base 0: of no chain, and never found. */
	lode_vec_append(&joiner->bases, ((struct lode_chain_base){LODE_NONE, LODE_NONE}));
	lode_pair_index_add(&joiner->base_of, joiner->bases.at, sizeof(*joiner->bases.at),
			    LODE_NONE, LODE_NONE);
}

void lode_chain_release(struct lode_chain_joiner *joiner)
{
	free(joiner->name_of);
	free(joiner->link_of);
	lode_pair_index_release(&joiner->chain_of);
	lode_pair_index_release(&joiner->base_of);
	lode_vec_release(&joiner->chains);
	lode_vec_release(&joiner->bases);
	lode_vec_release(&joiner->node_of);
	memset(joiner, 0, sizeof(*joiner));
}

/* ---- Names ---- */

uint32_t lode_chain_thread_name(struct lode_chain_joiner *joiner, lode_thread_id thread)
{
	uint32_t *known = &joiner->name_of[thread];
	char name[64];

	if (*known == LODE_NONE) {
		lode_link_name(lode_thread_name(joiner->from, thread), name, sizeof(name));
		*known = lode_strings_intern(&joiner->tree->strings, name, strlen(name));
	}
	return *known;
}

uint32_t lode_chain_device_name(struct lode_chain_joiner *joiner, enum lode_device device)
{
	const char *name = lode_device_name(device);

	return lode_strings_intern(&joiner->tree->strings, name, strlen(name));
}

/* ---- Joining ---- */

uint32_t lode_chain_stack(struct lode_chain_joiner *joiner, uint32_t base, uint32_t stack)
{
	struct lode_chain chain = {base, stack};
	uint32_t found;

	if (base == 0)
		return stack;
	found = lode_pair_index_find(&joiner->chain_of, joiner->chains.at, sizeof(chain), base,
				     stack);
	if (found == LODE_NONE) {
		found = (uint32_t)joiner->chains.n;
		lode_pair_index_add(&joiner->chain_of, joiner->chains.at, sizeof(chain), base,
				    stack);
		lode_vec_append(&joiner->chains, chain);
	}
	return joiner->n_stacks + found;
}

static uint32_t base_of(struct lode_chain_joiner *joiner, uint32_t chain, uint32_t frame)
{
	struct lode_chain_base base = {chain, frame};
	uint32_t found = lode_pair_index_find(&joiner->base_of, joiner->bases.at, sizeof(base),
					      chain, frame);

	if (found == LODE_NONE) {
		found = (uint32_t)joiner->bases.n;
		lode_pair_index_add(&joiner->base_of, joiner->bases.at, sizeof(base), chain, frame);
		lode_vec_append(&joiner->bases, base);
	}
	return found;
}

uint32_t lode_chain_thread(struct lode_chain_joiner *joiner, uint32_t chain, lode_thread_id thread)
{
	uint32_t name = lode_chain_thread_name(joiner, thread), *known = &joiner->link_of[thread];

	if (*known == LODE_NONE)
		*known = lode_frame_link(joiner->tree, joiner->tree->strings.text.at[name]);
	return base_of(joiner, chain, *known);
}

uint32_t lode_chain_server(struct lode_chain_joiner *joiner, uint32_t chain, lode_thread_id thread,
			   lode_thread_id serving)
{
	const struct lode_strings *strings = &joiner->tree->strings;
	char text[160];
	uint32_t name, other;

	if (serving == LODE_NONE)
		return lode_chain_thread(joiner, chain, thread);
	name = lode_chain_thread_name(joiner, thread);
	other = lode_chain_thread_name(joiner, serving);
	snprintf(text, sizeof(text), "%s, busy with %s", strings->text.at[name],
		 strings->text.at[other]);
	return base_of(joiner, chain, lode_frame_link(joiner->tree, text));
}

uint32_t lode_chain_client(struct lode_chain_joiner *joiner, uint32_t base, lode_thread_id client)
{
	uint32_t name = lode_chain_thread_name(joiner, client);
	char text[96];

	snprintf(text, sizeof(text), "(busy with %.64s, inferred)",
		 joiner->tree->strings.text.at[name]);
	return base_of(joiner, lode_chain_stack(joiner, base, 0),
		       lode_frame_intern(joiner->tree, LODE_CLIENT_MODULE, text, 0));
}

uint32_t lode_chain_holder(struct lode_chain_joiner *joiner, uint32_t chain, lode_thread_id holder)
{
	uint32_t name = lode_chain_thread_name(joiner, holder);
	char text[128];

	snprintf(text, sizeof(text), "%.64s (likely holder, inferred)",
		 joiner->tree->strings.text.at[name]);
	return base_of(joiner, chain, lode_frame_link(joiner->tree, text));
}

uint32_t lode_chain_device(struct lode_chain_joiner *joiner, uint32_t chain,
			   enum lode_device device)
{
	uint32_t link = lode_frame_link(joiner->tree, lode_device_name(device));

	return lode_chain_stack(joiner, base_of(joiner, chain, link), 0);
}

/* Chain of one frame, `module`; it may be a stack of the stream's. */
static uint32_t chain_of_module(struct lode_chain_joiner *joiner, const char *module)
{
	const struct lode_calltree *from = &joiner->from->tree;
	uint32_t frame = lode_frame_intern(joiner->tree, module, "", 0);

	for (uint32_t i = 1; i < joiner->n_stacks; i++)
		if (from->nodes.at[i].parent == 0 &&
		    !*lode_frame_function(from, from->nodes.at[i].frame) &&
		    strcmp(lode_frame_module(from, from->nodes.at[i].frame), module) == 0)
			return i;
	return lode_chain_stack(joiner, base_of(joiner, 0, frame), 0);
}

uint32_t lode_chain_unrecorded(struct lode_chain_joiner *joiner)
{
	if (joiner->unrecorded == LODE_NONE)
		joiner->unrecorded = chain_of_module(joiner, "[unrecorded]");
	return joiner->unrecorded;
}

uint32_t lode_chain_recording(struct lode_chain_joiner *joiner)
{
	if (joiner->recording == LODE_NONE)
		joiner->recording = chain_of_module(joiner, LODE_RECORDING_MODULE);
	return joiner->recording;
}

/* ---- Planting ---- */

/*
 * Where the stream's stacks are below the base at hand. Stacks of one base share callers; what is
 * there already is told by the mark, so that going from one base to the next clears nothing. Both
 * stand on one cache line, and all of it in the cache: a stream has few stacks, but many chains.
 */
struct planted {
	uint32_t base; /* for which `node` holds */
	uint32_t node;
};

struct planting {
	struct lode_chain_joiner *joiner;
	struct planted *planted; /* per stack of the stream */
	uint32_t *frame_of;	 /* per frame of the stream: the tree's, LODE_NONE not met yet */
	LODE_VEC(uint32_t) pending;
};

static uint32_t frame_in_tree(struct planting *p, uint32_t frame)
{
	uint32_t *known = &p->frame_of[frame];

	if (*known == LODE_NONE)
		*known = lode_frame_copy(p->joiner->tree, &p->joiner->from->tree, frame);
	return *known;
}

/* Outwards to the first caller that is there, then back in. */
static uint32_t plant_stack(struct planting *p, uint32_t base, uint32_t root, uint32_t stack)
{
	const struct lode_callnode *nodes = p->joiner->from->tree.nodes.at;
	uint32_t node;

	p->pending.n = 0;
	while (stack && p->planted[stack].base != base) {
		lode_vec_append(&p->pending, stack);
		stack = nodes[stack].parent;
	}
	node = stack ? p->planted[stack].node : root;
	while (p->pending.n) {
		stack = p->pending.at[--p->pending.n];
		node = lode_calltree_append(p->joiner->tree, node,
					    frame_in_tree(p, nodes[stack].frame));
		p->planted[stack] = (struct planted){base, node};
	}
	return node;
}

/* A chain that is wanted wants the one that its base continues, which has a smaller base. */
static void want_bases(const struct lode_chain_joiner *joiner, bool *is_wanted,
		       const uint32_t *by_base, const size_t *first)
{
	for (size_t base = joiner->bases.n; base-- > 1;)
		for (size_t i = first[base]; i < first[base + 1]; i++)
			if (is_wanted[by_base[i]]) {
				is_wanted[joiner->bases.at[base].chain] = true;
				break;
			}
}

/* Chains of bases other than 0, those of one base together, in order of their ids. */
static uint32_t *group_by_base(const struct lode_chain_joiner *joiner, size_t *first)
{
	size_t n = joiner->chains.n, n_bases = joiner->bases.n;
	uint32_t *by_base = lode_alloc(n * sizeof(*by_base));

	/* first[b + 1] is where base b is filled next, and thus ends as first[b + 1]. */
	for (size_t i = 0; i < n; i++)
		if (joiner->chains.at[i].base + 2 <= n_bases)
			first[joiner->chains.at[i].base + 2]++;
	for (size_t b = 2; b <= n_bases; b++)
		first[b] += first[b - 1];
	for (size_t i = 0; i < n; i++)
		by_base[first[joiner->chains.at[i].base + 1]++] = joiner->n_stacks + (uint32_t)i;
	return by_base;
}

/* Base 0: stacks as they are. */
static void plant_stacks(struct planting *p, const bool *is_wanted)
{
	struct lode_chain_joiner *joiner = p->joiner;

	for (uint32_t stack = 0; stack < joiner->n_stacks; stack++)
		joiner->node_of.at[stack] =
			is_wanted[stack] ? plant_stack(p, 0, 0, stack) : LODE_NONE;
}

static void plant_base(struct planting *p, uint32_t base, const bool *is_wanted,
		       const uint32_t *chains, size_t n)
{
	struct lode_chain_joiner *joiner = p->joiner;
	uint32_t root = 0;

	for (size_t i = 0; i < n; i++) {
		uint32_t chain = chains[i], *node = &joiner->node_of.at[chain];

		*node = LODE_NONE;
		if (!is_wanted[chain])
			continue;
		if (!root) {
			uint32_t parent = joiner->node_of.at[joiner->bases.at[base].chain];

			root = lode_calltree_append(joiner->tree, parent,
						    joiner->bases.at[base].frame);
		}
		*node = plant_stack(p, base, root,
				    joiner->chains.at[chain - joiner->n_stacks].stack);
	}
}

void lode_chain_plant(struct lode_chain_joiner *joiner, bool *is_wanted)
{
	size_t n_bases = joiner->bases.n;
	struct planting p = {.joiner = joiner};
	size_t *first = lode_alloc0(n_bases + 1, sizeof(*first));
	uint32_t *by_base = group_by_base(joiner, first);

	p.frame_of = no_ids(joiner->from->tree.frames.n);
	p.planted = lode_alloc(joiner->n_stacks * sizeof(*p.planted));
	for (uint32_t i = 0; i < joiner->n_stacks; i++)
		p.planted[i].base = LODE_NONE;
	lode_vec_reserve(&joiner->node_of, lode_chain_count(joiner));
	joiner->node_of.n = lode_chain_count(joiner);
	want_bases(joiner, is_wanted, by_base, first);
	plant_stacks(&p, is_wanted);
	for (uint32_t base = 1; base < n_bases; base++)
		plant_base(&p, base, is_wanted, by_base + first[base],
			   first[base + 1] - first[base]);
	free(first);
	free(by_base);
	free(p.frame_of);
	free(p.planted);
	lode_vec_release(&p.pending);
}
