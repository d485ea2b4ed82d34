#include "gen_world.h"

#include <stdlib.h>

#include "base/map.h"
#include "gen_names.h"

enum {
	USER_LAYERS = 48,
	KERNEL_LAYERS = 14,
	KERNEL_WIDTH = 80,
	MAX_CALLEES = 5,
	SITES_PER_PATTERN = 8,
};

static const uint64_t context_kernel = (uint64_t)-128, context_user = (uint64_t)-512;

const char *const gen_module_path[GEN_N_MODULES] = {
	"[kernel.kallsyms]",
	"/opt/synth/bin/synthapp",
	"/opt/synth/lib/libwork.so",
	"/opt/synth/lib/libsys.so",
};

/* What building needs; names are unique per module. */
struct builder {
	struct gen_world *world;
	struct gen_random random;
	struct lode_strings names[GEN_N_MODULES];
	uint32_t *of_name[GEN_N_MODULES]; /* string id -> function */
	size_t n_of_name[GEN_N_MODULES];
	uint32_t user_first, user_width, kernel_first;
	uint32_t start, start_thread, main, worker_main;
	double user_depth;
};

static uint32_t function_of(struct builder *b, enum gen_module module, const char *name)
{
	struct gen_world *world = b->world;
	struct gen_function f = {.module = (uint8_t)module};
	uint32_t id = lode_strings_intern(&b->names[module], name, strlen(name));

	if (id < b->n_of_name[module])
		return b->of_name[module][id];
	b->of_name[module] =
		lode_realloc_n(b->of_name[module], id + (size_t)1, sizeof(*b->of_name[module]));
	b->n_of_name[module] = id + (size_t)1;
	b->of_name[module][id] = (uint32_t)world->functions.n;
	f.name = lode_arena_strndup(&world->arena, name, strlen(name));
	f.offset = world->module_bytes[module];
	world->module_bytes[module] += GEN_FUNCTION_BYTES;
	lode_vec_append(&world->functions, f);
	lode_vec_append(&world->first_callee, (uint32_t)world->callee.n);
	return b->of_name[module][id];
}

/* A function with a name that its module does not have yet. */
static uint32_t new_function(struct builder *b, enum gen_module module)
{
	char name[128], first, second;
	size_t length;

	gen_name(&b->random, module, name, sizeof(name));
	for (int tries = 0;
	     lode_strings_find(&b->names[module], name, strlen(name)) != LODE_NONE;) {
		if (++tries < 4) {
			gen_name(&b->random, module, name, sizeof(name));
			continue;
		}
		/* The words are used up: one more of them, until it is new. */
		length = strlen(name);
		second = 'a' + (char)gen_below(&b->random, 26);
		first = 'a' + (char)gen_below(&b->random, 26);
		snprintf(name + length, sizeof(name) - length, "_%c%c", first, second);
	}
	return function_of(b, module, name);
}

/* ---- The call graph: functions in layers, calls mostly to the next ---- */

/* Functions first .. first + n_layers * width get callees; popular ones stand first in a layer. */
static void add_calls(struct builder *b, uint32_t first, uint32_t n_layers, uint32_t width)
{
	struct gen_world *world = b->world;

	for (uint32_t layer = 0; layer < n_layers; layer++)
		for (uint32_t i = 0; i < width; i++) {
			uint32_t n = 1 + gen_below(&b->random, MAX_CALLEES), to, kind;

			world->first_callee.at[first + layer * width + i] =
				(uint32_t)world->callee.n;
			for (uint32_t k = 0; k < n; k++) {
				kind = gen_below(&b->random, 20);
				to = layer + (kind == 0 ? 0 : kind < 3 ? 2 : 1);
				if (to >= n_layers)
					to = n_layers - 1;
				lode_vec_append(&world->callee,
						first + to * width + gen_zipf(&b->random, width));
			}
			/* The end of the last list; overwritten by the next function's start. */
			world->first_callee.at[first + layer * width + i + 1] =
				(uint32_t)world->callee.n;
		}
}

static uint32_t call(struct gen_world *world, struct gen_random *random, uint32_t function)
{
	uint32_t from = world->first_callee.at[function];
	uint32_t n = world->first_callee.at[function + 1] - from;

	return world->callee.at[from + gen_zipf(random, n)];
}

static void build_graph(struct builder *b, uint32_t n_distinct)
{
	struct gen_world *world = b->world;
	uint32_t i;

	b->start = function_of(b, GEN_SYSTEM, "_start");
	b->start_thread = function_of(b, GEN_SYSTEM, "start_thread");
	b->main = function_of(b, GEN_APP, "main");
	b->worker_main = function_of(b, GEN_APP, "worker_main");
	b->user_width = n_distinct / 480;
	b->user_width = b->user_width < 20 ? 20 : b->user_width > 200 ? 200 : b->user_width;
	b->user_first = (uint32_t)world->functions.n;
	for (i = 0; i < USER_LAYERS * b->user_width; i++)
		new_function(b, gen_below(&b->random, 3) ? GEN_APP : GEN_LIBRARY);
	b->kernel_first = (uint32_t)world->functions.n;
	for (i = 0; i < KERNEL_LAYERS * KERNEL_WIDTH; i++)
		new_function(b, GEN_KERNEL);
	new_function(b, GEN_KERNEL); /* a function behind the last, where its list ends */
	add_calls(b, b->user_first, USER_LAYERS, b->user_width);
	add_calls(b, b->kernel_first, KERNEL_LAYERS, KERNEL_WIDTH);
}

/* ---- Walks ---- */

struct walk {
	uint32_t function[GEN_MAX_DEPTH];
	uint32_t n;
};

static void walk_append(struct walk *walk, uint32_t function)
{
	if (walk->n < GEN_MAX_DEPTH)
		walk->function[walk->n++] = function;
}

static void walk_user(struct builder *b, struct gen_random *random, bool is_worker,
		      struct walk *walk)
{
	/* The mean of three uniform numbers: a hump between half and one and a half. */
	double first = gen_unit(random), second = gen_unit(random);
	double spread = (first + second + gen_unit(random)) / 3;
	uint32_t depth = (uint32_t)(b->user_depth * (0.5 + spread) + 0.5), f;

	walk->n = 0;
	walk_append(walk, is_worker ? b->start_thread : b->start);
	walk_append(walk, is_worker ? b->worker_main : b->main);
	f = b->user_first + (is_worker ? 1 : 0);
	while (walk->n < depth) {
		walk_append(walk, f);
		f = call(b->world, random, f);
	}
}

static void walk_names(struct builder *b, struct walk *walk, const char *const *names)
{
	for (; *names; names++)
		walk_append(walk, function_of(b, GEN_KERNEL, *names));
}

/* A system call (with its wrapper) and some way down into the kernel. */
static void walk_kernel(struct builder *b, struct gen_random *random, struct walk *walk)
{
	static const char *const entry[] = {"entry_SYSCALL_64_after_hwframe", "do_syscall_64",
					    NULL};
	uint32_t n_syscalls = 0, depth, f, which;
	char name[64];

	while (gen_syscalls[n_syscalls])
		n_syscalls++;
	which = gen_zipf(random, n_syscalls);
	walk_append(walk, function_of(b, GEN_SYSTEM, gen_syscalls[which]));
	walk_names(b, walk, entry);
	snprintf(name, sizeof(name), "__x64_sys_%s", gen_syscalls[which]);
	walk_append(walk, function_of(b, GEN_KERNEL, name));
	depth = 2 + gen_below(random, 8);
	/* System calls share the subtrees below a few functions of the first layer. */
	f = b->kernel_first + which % 8;
	while (depth-- > 0) {
		walk_append(walk, f);
		f = call(b->world, random, f);
	}
}

/* ---- Callchains ---- */

/*
 * Where `function` stands in a stack: behind the call to `callee`, one place per pair; the
 * innermost has a few places of its own.
 */
static uint64_t address_in(const struct gen_world *world, uint32_t function, uint32_t callee)
{
	const struct gen_function *f = &world->functions.at[function];
	uint64_t place = ((uint64_t)callee * 0x9e3779b97f4a7c15u) >> 58;

	return world->module_base[f->module] + f->offset + 4 + place % 60 * 4;
}

static void chain_of(const struct gen_world *world, struct gen_chain *chain,
		     const struct walk *walk, uint32_t leaf_place, struct lode_arena *arena)
{
	const struct gen_function *functions = world->functions.at;
	uint64_t *ip = lode_arena_array(arena, uint64_t, walk->n + 2);
	int context = -1;
	uint32_t n = 0;

	for (uint32_t i = walk->n; i-- > 0;) {
		int kernel = functions[walk->function[i]].module == GEN_KERNEL;

		if (kernel != context)
			ip[n++] = kernel ? context_kernel : context_user;
		context = kernel;
		ip[n++] = address_in(world, walk->function[i],
				     i + 1 < walk->n ? walk->function[i + 1] : leaf_place);
	}
	chain->ip = ip;
	chain->n = n;
}

static void chain_below(struct builder *b, struct gen_chain *chain, const struct walk *user,
			const char *wrapper, const char *const *kernel)
{
	struct walk walk = *user;

	if (wrapper && *wrapper)
		walk_append(&walk, function_of(b, GEN_SYSTEM, wrapper));
	walk_names(b, &walk, kernel);
	chain_of(b->world, chain, &walk, 0, &b->world->arena);
}

static void add_site(struct builder *b, const struct walk *user, enum gen_wait wait, int planted)
{
	struct gen_site *site = lode_vec_append_zero(&b->world->sites);
	struct walk walk;

	memcpy(site->path, user->function, user->n * sizeof(*user->function));
	site->n_path = user->n;
	site->wait = (uint8_t)wait;
	site->planted = (int16_t)planted;
	for (int i = 0; i < GEN_RUNS_PER_SITE; i++) {
		walk = *user;
		if (gen_below(&b->random, 4)) /* a quarter of the samples is in user code */
			walk_kernel(b, &b->random, &walk);
		chain_of(b->world, &site->run[i], &walk, gen_below(&b->random, 4),
			 &b->world->arena);
	}
	chain_below(b, &site->blocked, user, gen_wait_names[wait].wrapper,
		    gen_wait_names[wait].kernel);
	chain_below(b, &site->preempted, user, NULL, gen_preempted_kernel);
	chain_below(b, &site->waking, user, gen_waking_wrapper, gen_waking_kernel);
	chain_below(b, &site->interrupted, user, NULL, gen_interrupt_kernel);
}

/* ---- Planted patterns ---- */

/*
 * Puts the pattern's functions, in order, into the lower half of a walk: after some there is one
 * function of the walk, so that variants differ inside the pattern as well as above it.
 */
static void plant(struct builder *b, const struct gen_planted *pattern, struct walk *walk)
{
	struct walk base = *walk;
	uint32_t k = base.n / 2;

	walk->n = k;
	for (uint32_t i = 0; i < pattern->n; i++) {
		walk_append(walk, pattern->function[i]);
		if (gen_below(&b->random, 3) == 0 && k < base.n)
			walk_append(walk, base.function[k++]);
	}
}

static void add_planted(struct builder *b, uint32_t index)
{
	struct gen_planted *pattern = &b->world->planted[index];
	char name[128], part[96];
	struct walk walk;

	pattern->is_cpu = index % 3 == 2;
	pattern->wait = (uint8_t)(index % 2 ? GEN_WAIT_DISK : GEN_WAIT_LOCK);
	snprintf(pattern->name, sizeof(pattern->name), "planted_%u", index);
	pattern->n = 6 + gen_below(&b->random, GEN_PATTERN_MAX - 6 + 1);
	for (uint32_t i = 0; i < pattern->n; i++) {
		gen_name(&b->random, GEN_APP, part, sizeof(part));
		snprintf(name, sizeof(name), "costly_%u_%u_%s", index, i, part);
		pattern->function[i] = function_of(b, GEN_APP, name);
	}
	pattern->first_site = (uint32_t)b->world->sites.n;
	pattern->n_sites = SITES_PER_PATTERN;
	for (uint32_t i = 0; i < pattern->n_sites; i++) {
		walk_user(b, &b->random, i & 1, &walk);
		plant(b, pattern, &walk);
		add_site(b, &walk, pattern->wait, (int)index);
	}
}

/* ---- The whole ---- */

static void kernel_only(struct builder *b, struct gen_chain *chain, const char *const *names)
{
	struct walk none = {.n = 0};

	chain_below(b, chain, &none, NULL, names);
}

static void builder_init(struct builder *b, struct gen_world *world,
			 const struct gen_world_options *options)
{
	static const uint64_t base[GEN_N_MODULES] = {0xffffffff81000000, 0x555555000000,
						     0x7ffff5000000, 0x7ffff7000000};
	struct gen_random id = {options->seed ^ 0xb1d};

	memset(world, 0, sizeof(*world));
	memset(b, 0, sizeof(*b));
	b->world = world;
	b->random.state = options->seed;
	/* Kernel parts are 10.5 deep on average and there in three stacks of four. */
	b->user_depth = options->depth - 0.75 * 9.5;
	b->user_depth = b->user_depth < 6 ? 6 : b->user_depth > 70 ? 70 : b->user_depth;
	for (int m = 0; m < GEN_N_MODULES; m++) {
		world->module_base[m] = base[m];
		world->module_bytes[m] = 0x1000; /* headers of the file; kernel: its entry code */
		for (int i = 0; i < 20; i++)
			world->build_id[m][i] = (uint8_t)gen_below(&id, 256);
	}
	build_graph(b, options->n_distinct);
}

static void builder_release(struct builder *b)
{
	for (int m = 0; m < GEN_N_MODULES; m++) {
		lode_strings_release(&b->names[m]);
		free(b->of_name[m]);
	}
}

void gen_world_init(struct gen_world *world, const struct gen_world_options *options)
{
	struct builder b;
	struct walk walk;
	uint32_t n_sites = options->n_distinct / GEN_RUNS_PER_SITE;

	builder_init(&b, world, options);
	n_sites = n_sites < 8 ? 8 : n_sites;
	world->n_main_sites = n_sites / 2;
	world->n_worker_sites = n_sites - world->n_main_sites;
	for (uint32_t i = 0; i < n_sites; i++) {
		walk_user(&b, &b.random, i >= world->n_main_sites, &walk);
		add_site(&b, &walk, (enum gen_wait)gen_below(&b.random, GEN_N_WAITS), -1);
	}
	world->n_planted = options->n_planted;
	world->planted = lode_alloc0(world->n_planted, sizeof(*world->planted));
	for (uint32_t i = 0; i < world->n_planted; i++)
		add_planted(&b, i);
	kernel_only(&b, &world->idle, gen_idle_kernel);
	kernel_only(&b, &world->idle_interrupted, gen_idle_interrupt_kernel);
	walk.n = 0;
	walk_append(&walk, b.start_thread);
	chain_below(&b, &world->exiting, &walk, "pthread_exit", gen_exit_kernel);
	builder_release(&b);
}

void gen_world_release(struct gen_world *world)
{
	lode_vec_release(&world->functions);
	lode_vec_release(&world->sites);
	lode_vec_release(&world->callee);
	lode_vec_release(&world->first_callee);
	free(world->planted);
	lode_arena_release(&world->arena);
}

static void print_folded(const struct gen_world *world, FILE *out, const struct walk *walk,
			 uint64_t cost)
{
	for (uint32_t i = 0; i < walk->n; i++)
		fprintf(out, "%s%s", i ? ";" : "", world->functions.at[walk->function[i]].name);
	fprintf(out, " %llu\n", (unsigned long long)cost);
}

void gen_world_write_folded(FILE *out, uint64_t n, const struct gen_world_options *options)
{
	struct gen_world world;
	struct builder b;
	struct walk walk;
	struct lode_map seen = {0};
	uint32_t *slot, planted = 0;

	builder_init(&b, &world, options);
	world.n_planted = options->n_planted;
	world.planted = lode_alloc0(world.n_planted, sizeof(*world.planted));
	for (uint32_t i = 0; i < world.n_planted; i++)
		add_planted(&b, i);
	while (seen.n < n) {
		walk_user(&b, &b.random, gen_below(&b.random, 2), &walk);
		/* One in twelve has a planted pattern; its cost is that of any other. */
		if (world.n_planted && gen_below(&b.random, 12) == 0) {
			planted = gen_zipf(&b.random, world.n_planted);
			plant(&b, &world.planted[planted], &walk);
		}
		if (gen_below(&b.random, 4))
			walk_kernel(&b, &b.random, &walk);
		slot = lode_map_slot(&seen, lode_hash_bytes(walk.function,
							    walk.n * sizeof(*walk.function), 0));
		if (*slot != LODE_NONE)
			continue;
		*slot = 0;
		/* Pareto: the heavier the rarer, with a mean of some milliseconds. */
		print_folded(&world, out, &walk,
			     (uint64_t)(100000 / pow(1 - gen_unit(&b.random), 0.8)));
	}
	lode_map_release(&seen);
	builder_release(&b);
	gen_world_release(&world);
}
