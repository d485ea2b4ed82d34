/* Takes one function apart by address: module names that hold the index of one. */
#include "input/symbols/function_addresses.h"

#include <stdio.h>

#include "base/decimal.h"
#include "base/map.h"

/* A file's name has it only in a damaged recording; if one has, what follows
   behind it must be an index that was given out. */
static const char mark = '\x1f';

void lode_function_addresses_release(struct lode_function_addresses *addresses)
{
	lode_vec_release(&addresses->at);
	lode_arena_release(&addresses->names);
}

static bool is_wanted(const char *wanted, const char *module, const char *function)
{
	size_t n = strlen(module);

	if (!*function)
		return false;
	if (!n)
		return strcmp(wanted, function) == 0;
	return strncmp(wanted, module, n) == 0 && wanted[n] == '!' &&
	       strcmp(wanted + n + 1, function) == 0;
}

const char *lode_function_addresses_module(struct lode_function_addresses *addresses,
					   const char *module, const char *function,
					   const struct lode_function_address *address)
{
	size_t size = strlen(module) + 16;
	char *name;

	if (!addresses || !is_wanted(addresses->wanted, module, function))
		return module;
	name = lode_arena_array(&addresses->names, char, size);
	snprintf(name, size, "%s%c%zu", module, mark, addresses->at.n);
	lode_vec_append(&addresses->at, *address);
	return name;
}

uint32_t lode_function_addresses_index(const char *module)
{
	const char *at = strrchr(module, mark);
	int64_t index;

	return at && lode_int_parse(&index, at + 1, strlen(at + 1)) && index >= 0 &&
			       index < LODE_NONE
		       ? (uint32_t)index
		       : LODE_NONE;
}
