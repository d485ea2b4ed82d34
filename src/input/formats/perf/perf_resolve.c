/* Resolves places to names, and raw stacks to nodes of the call tree. */
#include "input/formats/perf/perf_resolve.h"

#include <stdio.h>

#include "base/folder.h"
#include "base/glob.h"
#include "base/pool.h"
#include "input/symbols/chain_check.h"
#include "input/symbols/files.h"
#include "model/skipped.h"

/* A place's frames: the function, then what was inlined into it. */
struct named {
	const char *name; /* NULL: unknown */
	const char *const *inlined;
	uint32_t n_inlined;
	uint32_t frame;		/* LODE_NONE: not interned yet */
	uint32_t inlined_frame; /* index of the first of n_inlined in `inlined_frames` */
	bool is_entry;		/* threads begin in this function */
	bool is_part;		/* cut out of its caller, which has the same name */
};

struct resolving {
	struct lode_stream *stream;
	const struct lode_perf_stacks *stacks;
	const struct lode_perf_dsos *dsos;
	struct lode_function_addresses *addresses; /* NULL: no function is taken apart */
	struct named *named;			   /* per place */
	uint8_t *chain;				   /* per place: enum lode_chain_check */
	/* Places grouped by module: those of module i are by_dso[first[i]] .. by_dso[first[i + 1]].
	 */
	uint32_t *by_dso, *first;
	LODE_VEC(uint32_t) inlined_frames;
	uint32_t *module; /* per module: index into stream->modules */
};

/* ---- Names ---- */

/*
 * Addresses are one byte back from where a function returns to. That misses what is returned to but
 * was not called: a signal's trampoline stands behind padding. So what has no name is asked for
 * again, one byte on.
 */
static void ask_again(struct lode_dso *dso, const uint64_t *addresses, size_t n,
		      struct lode_symbol *symbols)
{
	for (size_t i = 0; i < n; i++) {
		uint64_t next = addresses[i] + 1;

		if (!symbols[i].name)
			lode_dso_resolve(dso, &next, 1, &symbols[i]);
	}
}

/* Where threads begin: a stack that ends in none of these (from the root) has lost its start. */
static bool is_entry_name(const char *name, bool is_kernel)
{
	static const char *const user[] = {
		"_start",	   "_start_c",	      "_dlstart*",
		"_dl_start*",	   "start_thread",    "start",
		"clone*",	   "__clone*",	      "__libc_start_*",
		"thread_start",	   "runtime.goexit*", "runtime.mstart*",
		"runtime.rt0_go*", "runtime.mcall*",  "runtime.systemstack*",
	};
	static const char *const kernel[] = {
		"ret_from_fork*", "secondary_startup*", "common_startup*",     "start_kernel",
		"x86_64_start_*", "cpu_startup_entry*", "__secondary_switch*",
	};
	const char *const *names = is_kernel ? kernel : user;
	size_t n = is_kernel ? sizeof(kernel) / sizeof(*kernel) : sizeof(user) / sizeof(*user);

	for (size_t i = 0; name && i < n; i++)
		if (lode_glob_match(names[i], name))
			return true;
	return false;
}

/* How places occur in the chains that the kernel walked. A chain of one place skips nothing. */
static void mark_chains(struct resolving *r)
{
	const struct lode_perf_place_node *nodes = r->stacks->nodes.at;
	uint8_t *is_seen = lode_alloc0(r->stacks->nodes.n, 1);

	for (size_t i = 1; i < r->stacks->raws.n; i++) {
		const struct lode_perf_raw *raw = &r->stacks->raws.at[i];
		uint32_t node = raw->user;

		if (!node || raw->is_unwound || nodes[node].parent <= LODE_PERF_KERNEL_ROOT)
			continue;
		r->chain[nodes[node].place] |= LODE_CHAIN_LEAF;
		for (node = nodes[node].parent; node > LODE_PERF_KERNEL_ROOT && !is_seen[node];
		     node = nodes[node].parent) {
			is_seen[node] = true;
			r->chain[nodes[node].place] |= LODE_CHAIN_CALLER;
		}
	}
	free(is_seen);
}

/* Code of crtstuff.c, which calls nothing that returns to it: it jumps. In a bundle, whose modules
   have no code, its names alone tell that. */
static bool is_startup_stub(const char *name)
{
	static const char *const names[] = {"register_tm_clones", "deregister_tm_clones",
					    "frame_dummy"};

	for (size_t i = 0; name && i < sizeof(names) / sizeof(*names); i++)
		if (strcmp(names[i], name) == 0)
			return true;
	return false;
}

/* Checks a module's places. Where threads begin was not called. */
static void check_chains(struct resolving *r, struct lode_dso *dso, const uint64_t *addresses,
			 const uint32_t *places, uint32_t n)
{
	uint8_t *flags = lode_alloc(n);

	for (uint32_t i = 0; i < n; i++)
		flags[i] = r->chain[places[i]];
	lode_dso_check_chains(dso, addresses, flags, n);
	for (uint32_t i = 0; i < n; i++) {
		if (is_entry_name(r->named[places[i]].name, false))
			flags[i] &= (uint8_t)~LODE_CHAIN_NOT_CALLER;
		else if (flags[i] & LODE_CHAIN_CALLER && !(flags[i] & LODE_CHAIN_CALLS) &&
			 is_startup_stub(r->named[places[i]].name))
			flags[i] |= LODE_CHAIN_NOT_CALLER;
		r->chain[places[i]] = flags[i];
	}
	free(flags);
}

static void resolve_module(void *context, size_t index, unsigned worker)
{
	struct resolving *r = context;
	uint32_t begin = r->first[index], n = r->first[index + 1] - begin;
	struct lode_dso *dso = r->dsos->at.at[index].dso;
	struct lode_symbol *symbols;
	uint64_t *addresses;

	(void)worker;
	if (n == 0 || !dso)
		return;
	addresses = lode_alloc(n * sizeof(*addresses));
	symbols = lode_alloc0(n, sizeof(*symbols));
	for (uint32_t i = 0; i < n; i++)
		addresses[i] = r->stacks->places.at[r->by_dso[begin + i]].address;
	lode_dso_resolve(dso, addresses, n, symbols);
	if (lode_dso_has_symbols(dso))
		ask_again(dso, addresses, n, symbols);
	for (uint32_t i = 0; i < n; i++) {
		struct named *named = &r->named[r->by_dso[begin + i]];

		named->name = symbols[i].name;
		named->is_part = symbols[i].is_part;
		named->inlined = symbols[i].inlined;
		named->n_inlined = symbols[i].n_inlined;
	}
	check_chains(r, dso, addresses, r->by_dso + begin, n);
	free(addresses);
	free(symbols);
}

static void group_by_module(struct resolving *r)
{
	size_t n_places = r->stacks->places.n, n = r->dsos->at.n, i;
	uint32_t *next;

	r->first = lode_alloc0(n + 1, sizeof(*r->first));
	r->by_dso = lode_alloc0(n_places, sizeof(*r->by_dso));
	next = lode_alloc0(n + 1, sizeof(*next));
	for (i = 0; i < n_places; i++)
		if (r->stacks->places.at[i].dso < n)
			r->first[r->stacks->places.at[i].dso + 1]++;
	for (i = 0; i < n; i++) {
		r->first[i + 1] += r->first[i];
		next[i] = r->first[i];
	}
	for (i = 0; i < n_places; i++)
		if (r->stacks->places.at[i].dso < n)
			r->by_dso[next[r->stacks->places.at[i].dso]++] = (uint32_t)i;
	free(next);
}

/* ---- Modules ---- */

static const char *module_name(const struct resolving *r, uint32_t dso)
{
	const struct lode_perf_dso *d;

	if (dso == LODE_PERF_GUEST_DSO)
		return "[guest]";
	if (dso == LODE_PERF_NO_DSO)
		return "[unknown]";
	d = &r->dsos->at.at[dso];
	if (d->dso)
		return lode_dso_name(d->dso);
	if (d->kind == LODE_DSO_KERNEL || d->kind == LODE_DSO_KMODULE)
		return "[kernel]";
	return lode_path_base(d->path);
}

/* The row of a module; modules of one name share it, as they share their frames. */
static struct lode_module_quality *module_row(struct resolving *r, struct lode_map *rows,
					      uint32_t dso)
{
	struct lode_stream *stream = r->stream;
	const char *name = module_name(r, dso), *status = "addresses outside all mappings";
	uint32_t id = lode_strings_intern(&stream->tree.strings, name, strlen(name));
	uint32_t row = lode_map_number(rows, id, stream->modules.n);
	struct lode_module_quality *module;

	if (row < stream->modules.n)
		return &stream->modules.at[row];
	module = lode_vec_append_zero(&stream->modules);
	module->name = stream->tree.strings.text.at[id];
	if (dso == LODE_PERF_GUEST_DSO)
		status = "code of a guest";
	else if (dso != LODE_PERF_NO_DSO && r->dsos->at.at[dso].dso)
		status = lode_dso_status(r->dsos->at.at[dso].dso);
	else if (dso != LODE_PERF_NO_DSO)
		status = "no symboliser";
	if (dso < r->dsos->at.n && r->dsos->at.at[dso].dso)
		snprintf(module->build_id, sizeof(module->build_id), "%s",
			 lode_dso_build_id(r->dsos->at.at[dso].dso));
	if (dso < r->dsos->at.n && r->dsos->at.at[dso].dso) {
		const char *file = lode_dso_stripped_file(r->dsos->at.at[dso].dso);

		if (file)
			module->stripped = lode_arena_strndup(&stream->arena, file, strlen(file));
	}
	module->symbols = lode_arena_strndup(&stream->arena, status, strlen(status));
	return module;
}

/* Names that do not rest on what was recorded. */
static void note_inferred(struct resolving *r, uint32_t dso)
{
	const struct lode_dso *module = r->dsos->at.at[dso].dso;

	if (module && r->first[dso + 1] > r->first[dso] && lode_dso_is_inferred(module) &&
	    lode_dso_has_symbols(module))
		lode_loss_add(&r->stream->losses, LODE_LOSS_BUILD_ID, 1, -1, 0, "%s",
			      lode_dso_name(module));
}

static void list_code_file(struct resolving *r, uint32_t dso)
{
	const struct lode_perf_dso *d = &r->dsos->at.at[dso];
	const char *name = module_name(r, dso);
	struct lode_code_file *file;

	if ((d->kind != LODE_DSO_USER && d->kind != LODE_DSO_VDSO) ||
	    r->first[dso + 1] == r->first[dso])
		return;
	file = lode_vec_append_zero(&r->stream->code_files);
	file->module = lode_arena_strndup(&r->stream->arena, name, strlen(name));
	file->path = lode_arena_strndup(&r->stream->arena, d->path, strlen(d->path));
	file->inode = d->inode;
	lode_hex(file->build_id, d->build_id, d->build_id_size);
}

static void count_modules(struct resolving *r)
{
	struct lode_map rows = {0};

	for (uint32_t i = 0; i < r->dsos->at.n; i++) {
		note_inferred(r, i);
		list_code_file(r, i);
	}
	for (size_t i = 0; i < r->stacks->places.n; i++) {
		struct lode_module_quality *module =
			module_row(r, &rows, r->stacks->places.at[i].dso);

		module->n_frames++;
		module->n_unknown += !r->named[i].name;
	}
	lode_map_release(&rows);
}

/* ---- Frames ---- */

/* The frame of a place's function (level 0) or of what was inlined there. */
static uint32_t make_frame(struct resolving *r, uint32_t place, uint32_t level,
			   const char *function, uint32_t flags)
{
	const struct lode_perf_place *at = &r->stacks->places.at[place];
	struct lode_function_address address = {
		at->dso < r->dsos->at.n ? r->dsos->at.at[at->dso].dso : NULL, at->address, level};
	const char *module = lode_function_addresses_module(r->addresses, module_name(r, at->dso),
							    function, &address);

	return lode_frame_intern(&r->stream->tree, module, function, flags);
}

/* Interns a place's frames: on first use, so that frame ids follow the stacks. */
static void make_frames(struct resolving *r, uint32_t place)
{
	uint32_t dso = r->stacks->places.at[place].dso, flags = 0;
	struct named *named = &r->named[place];

	if (dso < r->dsos->at.n && (r->dsos->at.at[dso].kind == LODE_DSO_KERNEL ||
				    r->dsos->at.at[dso].kind == LODE_DSO_KMODULE))
		flags = LODE_FRAME_KERNEL;
	named->frame = make_frame(r, place, 0, named->name ? named->name : "", flags);
	named->inlined_frame = (uint32_t)r->inlined_frames.n;
	for (uint32_t i = 0; i < named->n_inlined; i++) {
		uint32_t frame =
			make_frame(r, place, i + 1, named->inlined[i], flags | LODE_FRAME_INLINED);

		lode_vec_append(&r->inlined_frames, frame);
	}
	named->is_entry = is_entry_name(named->name, flags & LODE_FRAME_KERNEL);
}

/* Two addresses of the function that is taken apart. */
static bool are_of_one_function(const struct resolving *r, uint32_t a, uint32_t b)
{
	const struct lode_calltree *tree = &r->stream->tree;

	return r->addresses && tree->frames.at[a].function == tree->frames.at[b].function &&
	       lode_function_addresses_index(lode_frame_module(tree, a)) != LODE_NONE &&
	       lode_function_addresses_index(lode_frame_module(tree, b)) != LODE_NONE;
}

static uint32_t push_place(struct resolving *r, uint32_t node, uint32_t place)
{
	const struct lode_calltree *tree = &r->stream->tree;
	struct named *named = &r->named[place];
	uint32_t caller;

	if (named->frame == LODE_NONE)
		make_frames(r, place);
	caller = named->is_part && node ? tree->nodes.at[node].frame : LODE_NONE;
	/* The part's address says more than where it was jumped from. */
	if (caller != LODE_NONE && caller != named->frame &&
	    are_of_one_function(r, caller, named->frame))
		node = tree->nodes.at[node].parent;
	if (caller != named->frame)
		node = lode_calltree_push(&r->stream->tree, node, named->frame);
	for (uint32_t i = 0; i < named->n_inlined; i++)
		node = lode_calltree_push(&r->stream->tree, node,
					  r->inlined_frames.at[named->inlined_frame + i]);
	return node;
}

/* ---- Stacks ---- */

enum { ROOT_FRAMES = 3 /* below garbage or a loader's frame there may still be the entry */ };

/* A path of places from a root, reused from stack to stack. */
struct path {
	LODE_VEC(uint32_t) places; /* leaf first */
};

/*
 * User parts' nodes in the call tree, kept per node of places: many stacks share them. Of a path
 * that has code alone, so are those of the path's nodes, since they are what the paths of others
 * begin with.
 */
struct user_parts {
	uint32_t *node; /* LODE_NONE: not made */
	uint8_t *flags;
};

enum {
	USER_PART_DEPTH = 3, /* bits: how deep it is, at most ROOT_FRAMES */
	USER_PART_ROOTED = 4,
	USER_PART_CODE = 8,  /* no stray in its path */
	USER_PART_LOST = 16, /* what stood for the caller of its leaf does not call */
};

static void path_to_node(struct path *path, const struct lode_perf_stacks *stacks, uint32_t node)
{
	path->places.n = 0;
	for (; node > 1; node = stacks->nodes.at[node].parent)
		lode_vec_append(&path->places, stacks->nodes.at[node].place);
}

static bool is_mapped(const struct resolving *r, uint32_t place)
{
	return r->stacks->places.at[place].dso != LODE_PERF_NO_DSO;
}

static bool is_caller(const struct resolving *r, uint32_t place)
{
	return is_mapped(r, place) && !(r->chain[place] & LODE_CHAIN_NOT_CALLER);
}

/*
 * A caller outside of all mappings, or that does not call, is none: without frame pointers,
 * whatever the register holds was taken for one. Such frames go if the stack has one nearer to its
 * leaf that is code; else they are all that is known of it.
 */
static void drop_strays(const struct resolving *r, struct path *path)
{
	size_t n = 0;

	for (size_t i = 0, n_code = 0; i < path->places.n; i++) {
		uint32_t place = path->places.at[i];

		bool is_code = i ? is_caller(r, place) : is_mapped(r, place);

		n_code += is_code;
		if (is_code || !n_code)
			path->places.at[n++] = place;
	}
	path->places.n = n;
}

static bool reaches_entry(const struct resolving *r, const struct path *path)
{
	size_t n = path->places.n;

	for (size_t i = 0; i < n && i < ROOT_FRAMES; i++)
		if (r->named[path->places.at[n - 1 - i]].is_entry)
			return true;
	return false;
}

static uint32_t push_path(struct resolving *r, uint32_t node, const struct path *path)
{
	for (size_t i = path->places.n; i-- > 0;)
		node = push_place(r, node, path->places.at[i]);
	return node;
}

/* One that has strays in its path. */
static void make_stray_part(struct resolving *r, struct user_parts *users, uint32_t part,
			    struct path *path)
{
	bool is_lost;

	path_to_node(path, r->stacks, part);
	is_lost = path->places.n > 1 && is_mapped(r, path->places.at[0]) &&
		  r->chain[path->places.at[1]] & LODE_CHAIN_NOT_CALLER;
	drop_strays(r, path);
	users->node[part] = push_path(r, 0, path);
	users->flags[part] = (uint8_t)((reaches_entry(r, path) ? USER_PART_ROOTED : 0) |
				       (is_lost ? USER_PART_LOST : 0));
}

/* The part grows by one place what its parent has in the call tree. */
static void grow_part(struct resolving *r, struct user_parts *users, uint32_t part)
{
	const struct lode_perf_place_node *node = &r->stacks->nodes.at[part];
	uint8_t flags = users->flags[node->parent];

	users->node[part] = push_place(r, users->node[node->parent], node->place);
	if ((flags & USER_PART_DEPTH) < ROOT_FRAMES) {
		flags++;
		if (r->named[node->place].is_entry)
			flags |= USER_PART_ROOTED;
	}
	users->flags[part] = flags;
}

static void make_part(struct resolving *r, struct user_parts *users, uint32_t part,
		      struct path *path)
{
	const struct lode_perf_place_node *nodes = r->stacks->nodes.at;
	uint32_t at = part;

	path->places.n = 0;
	for (; !(users->flags[at] & USER_PART_CODE); at = nodes[at].parent) {
		if (!is_caller(r, nodes[at].place)) {
			make_stray_part(r, users, part, path);
			return;
		}
		lode_vec_append(&path->places, at);
	}
	for (size_t i = path->places.n; i-- > 0;)
		grow_part(r, users, path->places.at[i]);
}

static void flag(struct lode_stream *stream, uint32_t node, uint8_t flags)
{
	size_t n = stream->tree.nodes.n;

	if (n > stream->n_stack_flags) {
		n += n / 2;
		stream->stack_flags = lode_realloc_n(stream->stack_flags, n, 1);
		memset(stream->stack_flags + stream->n_stack_flags, 0, n - stream->n_stack_flags);
		stream->n_stack_flags = n;
	}
	stream->stack_flags[node] |= flags;
}

/* The innermost user function kept no frame pointer where the kernel walked by them: by its tables,
   or as what the walk found next does not call. */
static bool skips_caller(const struct resolving *r, const struct lode_perf_raw *raw,
			 const struct user_parts *users)
{
	const struct lode_perf_place_node *leaf = &r->stacks->nodes.at[raw->user];

	return !raw->is_unwound && leaf->parent > LODE_PERF_KERNEL_ROOT &&
	       (r->chain[leaf->place] & LODE_CHAIN_SKIPS_CALLER ||
		users->flags[raw->user] & USER_PART_LOST);
}

static uint32_t node_of(struct resolving *r, const struct lode_perf_raw *raw,
			struct user_parts *users, struct path *path)
{
	uint32_t node = 0;
	bool is_rooted = false;
	uint8_t flags = raw->is_truncated ? LODE_STACK_TRUNCATED : 0;

	if (raw->user) {
		flags |= LODE_STACK_USER;
		if (users->node[raw->user] == LODE_NONE)
			make_part(r, users, raw->user, path);
		if (skips_caller(r, raw, users))
			flags |= LODE_STACK_SKIPS_CALLER;
		node = users->node[raw->user];
		is_rooted = users->flags[raw->user] & USER_PART_ROOTED;
	}
	if (raw->kernel) {
		path_to_node(path, r->stacks, raw->kernel);
		node = push_path(r, node, path);
		if (!raw->user)
			is_rooted = reaches_entry(r, path);
	}
	flag(r->stream, node, flags | (is_rooted ? 0 : LODE_STACK_UNROOTED));
	return node;
}

/* Which stacks differ in addresses alone. */
static void note_alike(const struct resolving *r)
{
	struct lode_stream *stream = r->stream;
	const struct lode_calltree *tree = &stream->tree;
	uint32_t any = LODE_NONE, *like = lode_alloc0(tree->nodes.n, sizeof(*like));
	struct lode_map first = {0}; /* parent, frame -> stack */

	for (uint32_t i = 1; i < tree->nodes.n; i++) {
		const struct lode_callnode *node = &tree->nodes.at[i];
		uint32_t frame = node->frame;

		if (lode_function_addresses_index(lode_frame_module(tree, frame)) != LODE_NONE)
			frame = any = any == LODE_NONE ? frame : any;
		like[i] = lode_map_number(&first, (uint64_t)like[node->parent] << 32 | frame, i);
	}
	lode_map_release(&first);
	stream->stack_like = like;
}

uint32_t *lode_perf_resolve(struct lode_stream *stream, const struct lode_perf_stacks *stacks,
			    const struct lode_perf_dsos *dsos,
			    struct lode_function_addresses *addresses, unsigned n_threads)
{
	struct resolving r = {
		.stream = stream, .stacks = stacks, .dsos = dsos, .addresses = addresses};
	uint32_t *node_of_raw = lode_alloc0(stacks->raws.n, sizeof(*node_of_raw));
	struct user_parts users;
	struct path path = {0};

	r.named = lode_alloc0(stacks->places.n, sizeof(*r.named));
	r.chain = lode_alloc0(stacks->places.n, sizeof(*r.chain));
	mark_chains(&r);
	for (size_t i = 0; i < stacks->places.n; i++)
		r.named[i].frame = LODE_NONE;
	group_by_module(&r);
	lode_pool_run(n_threads, dsos->at.n, resolve_module, &r);
	count_modules(&r);
	users.node = lode_alloc_none(stacks->nodes.n);
	users.flags = lode_alloc0(stacks->nodes.n, sizeof(*users.flags));
	users.node[LODE_PERF_USER_ROOT] = 0;
	users.flags[LODE_PERF_USER_ROOT] = USER_PART_CODE;
	for (size_t i = 1; i < stacks->raws.n; i++)
		node_of_raw[i] = node_of(&r, &stacks->raws.at[i], &users, &path);
	if (addresses)
		note_alike(&r);
	flag(stream, 0, 0);
	stream->n_stack_flags = stream->tree.nodes.n;
	free(users.node);
	free(users.flags);
	lode_vec_release(&path.places);
	lode_vec_release(&r.inlined_frames);
	free(r.named);
	free(r.chain);
	free(r.by_dso);
	free(r.first);
	return node_of_raw;
}

/* ---- Costs ---- */

void lode_perf_cost_modules(struct lode_stream *stream)
{
	const struct lode_calltree *tree = &stream->tree;
	int64_t *cost = lode_alloc0(tree->nodes.n, sizeof(*cost));
	uint32_t *seen = lode_alloc0(stream->modules.n, sizeof(*seen));
	uint32_t *seen_unknown = lode_alloc0(stream->modules.n, sizeof(*seen_unknown));
	struct lode_map rows = {0};
	size_t i, t;

	for (i = 0; i < stream->modules.n; i++) {
		const char *name = stream->modules.at[i].name;
		uint32_t id = lode_strings_find(&tree->strings, name, strlen(name));

		*lode_map_slot(&rows, id) = (uint32_t)i;
	}
	for (t = 0; t < stream->threads.n; t++) {
		const struct lode_events *events = &stream->threads.at[t].events;

		for (i = 0; i < events->n; i++)
			cost[events->stack[i]] += events->cost_ns[i];
	}
	/* Each stack's modules once, however many frames they have in it. */
	for (uint32_t n = 1; n < tree->nodes.n; n++) {
		for (uint32_t at = n; cost[n] && at; at = tree->nodes.at[at].parent) {
			const struct lode_frame *frame = &tree->frames.at[tree->nodes.at[at].frame];
			uint32_t row = lode_map_find(&rows, frame->module);

			if (row == LODE_NONE)
				continue;
			if (seen[row] != n)
				stream->modules.at[row].cost_ns += cost[n];
			seen[row] = n;
			if (frame->flags & LODE_FRAME_UNKNOWN && seen_unknown[row] != n) {
				stream->modules.at[row].unknown_ns += cost[n];
				seen_unknown[row] = n;
			}
		}
	}
	lode_map_release(&rows);
	free(cost);
	free(seen);
	free(seen_unknown);
}

/* ---- Skipped callers ---- */

enum { NOTABLE_PCT = 5 };

void lode_perf_note_skipped(struct lode_stream *stream)
{
	struct lode_skipped_callers skipped;
	bool of_command = false;

	for (size_t i = 0; i < stream->threads.n; i++)
		of_command |= stream->threads.at[i].is_command;
	lode_skipped_callers_count(&skipped, stream, of_command);
	if (!skipped.module ||
	    (double)skipped.cost_ns * 100 <= NOTABLE_PCT * (double)skipped.whole_ns)
		return;
	lode_loss_add(&stream->losses, LODE_LOSS_SKIPPED_CALLER, skipped.n_events, -1, 0,
		      "%.0f %% of the time lacks the callers of functions like %.40s!%.60s, which "
		      "keep no frame pointers",
		      100 * (double)skipped.cost_ns / (double)skipped.whole_ns, skipped.module,
		      skipped.function);
	stream->losses.by_kind[LODE_LOSS_SKIPPED_CALLER].cost_ns = skipped.cost_ns;
}
