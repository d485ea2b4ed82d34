/*
 * A made-up program and kernel: functions with addresses, a call graph, and the stacks of it.
 *
 *   libsys.so!_start > synthapp!main > ... > libsys.so!sys_read > [kernel] entry > ... > leaf
 *
 * User code is a layered random graph that is walked from the root, so stacks share prefixes; some
 * calls stay in their layer (recursion). Kernel paths hang below system calls that many callers
 * reach. A site is one user path with the kernel paths seen below it. Planted patterns are chains
 * of functions of their own, put with gaps between them into the walks of several callers: one
 * site per variant.
 */
#ifndef GEN_WORLD_H
#define GEN_WORLD_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/mem.h"
#include "gen_random.h"

enum gen_module {
	GEN_KERNEL,
	GEN_APP,
	GEN_LIBRARY, /* libwork.so: what several programs share */
	GEN_SYSTEM,  /* libsys.so: entry functions and system call wrappers */
	GEN_N_MODULES,
};

/* How the thread leaves the CPU at the end of a site's activity, and who ends that. */
enum gen_wait {
	GEN_WAIT_LOCK, /* another thread */
	GEN_WAIT_PIPE, /* another thread */
	GEN_WAIT_DISK,
	GEN_WAIT_FAULT, /* disk */
	GEN_WAIT_TIMER,
	GEN_WAIT_NETWORK,
	GEN_N_WAITS,
};

struct gen_function {
	const char *name;
	uint8_t module;
	uint64_t offset; /* in its module; kernel: address */
};

enum { GEN_FUNCTION_BYTES = 256, GEN_MAX_DEPTH = 120, GEN_RUNS_PER_SITE = 3 };

/* A callchain as perf records it: context markers and addresses, innermost first. */
struct gen_chain {
	uint64_t *ip;
	uint32_t n;
};

struct gen_site {
	uint32_t path[GEN_MAX_DEPTH]; /* user functions, root first */
	uint32_t n_path;
	uint8_t wait;				 /* enum gen_wait */
	int16_t planted;			 /* index of the planted pattern, or -1 */
	struct gen_chain run[GEN_RUNS_PER_SITE]; /* on the CPU */
	struct gen_chain blocked, preempted, waking, interrupted;
};

enum { GEN_PATTERN_MAX = 10 };

/* A costly pattern that was put into the program on purpose. */
struct gen_planted {
	char name[32];
	uint32_t function[GEN_PATTERN_MAX];
	uint32_t n;
	bool is_cpu; /* burns CPU; else waits, as `wait` says */
	uint8_t wait;
	uint32_t first_site, n_sites;
};

struct gen_world_options {
	uint64_t seed;
	uint32_t n_distinct; /* stacks, about */
	double depth;	     /* mean */
	uint32_t n_planted;
};

struct gen_world {
	LODE_VEC(struct gen_function) functions;
	LODE_VEC(struct gen_site) sites; /* main threads' first, then workers', then planted */
	uint32_t n_main_sites, n_worker_sites;
	struct gen_planted *planted;
	uint32_t n_planted;
	struct gen_chain idle, idle_interrupted, exiting;
	uint64_t module_base[GEN_N_MODULES];
	uint64_t module_bytes[GEN_N_MODULES];
	uint8_t build_id[GEN_N_MODULES][20];
	struct lode_arena arena;
	/* For building only. */
	LODE_VEC(uint32_t) callee; /* of functions in layers: where first_callee says */
	LODE_VEC(uint32_t) first_callee;
};

extern const char *const gen_module_path[GEN_N_MODULES];

void gen_world_init(struct gen_world *world, const struct gen_world_options *options);
void gen_world_release(struct gen_world *world);

/* Symbols in the layout of perf's build-id cache below `dir`. 0, or -1 with errno set. */
int gen_world_write_symbols(const struct gen_world *world, const char *dir);

/* `n` distinct stacks of such a program with Pareto costs, as folded text. */
void gen_world_write_folded(FILE *out, uint64_t n, const struct gen_world_options *options);

#endif
