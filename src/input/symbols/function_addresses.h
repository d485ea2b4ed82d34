/*
 * One function taken apart by address: where in it time was spent, for its source and its code.
 *
 *   stack as usual     a.out!main > a.out!work > libc.so.6!read
 *   `work` wanted      a.out!main > a.out<0x1f>2!work > libc.so.6!read      2: an index into `at`
 *
 * Frames of the function get a module name of their own for each address, so that everything that
 * folds stacks keeps them apart, down to a digest's rows. Functions keep their names, on which
 * reasons of waits rest. Not thread-safe while it grows.
 */
#pragma once

#include "input/symbols/symbols.h"

struct lode_function_address {
	struct lode_dso *dso;
	uint64_t address; /* as in enum lode_dso_kind; of a caller, one byte back */
	uint32_t level;	  /* 0: the function itself; n: the n-th that was inlined there */
};

struct lode_function_addresses {
	const char *wanted; /* "module!function", as lode_frame_full_name says it; borrowed */
	LODE_VEC(struct lode_function_address) at;
	struct lode_arena names;
};

void lode_function_addresses_release(struct lode_function_addresses *addresses);

/* The module's name for a frame at that address: another one if the function is wanted. The name
   lives as long as `addresses`, which may be NULL: nothing is wanted. */
const char *lode_function_addresses_module(struct lode_function_addresses *addresses,
					   const char *module, const char *function,
					   const struct lode_function_address *address);

/* Index into `at` of a frame's module, or LODE_NONE (base/map.h): of another function. */
uint32_t lode_function_addresses_index(const char *module);
