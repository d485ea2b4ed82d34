/*
 * Names of XRay's function ids: from the program (its section xray_instr_map and its symbols) or
 * from a table in text, where the program is gone.
 *
 *   # function id <tab> address <tab> name          (the address may be left out)
 *   1 <tab> 0x404A6C <tab> __wt_cursor_copy_release_item
 */
#pragma once

#include "base/error.h"
#include "base/mem.h"

struct lode_xray_names {
	LODE_VEC(const char *) of_id; /* [id]: readable name, NULL where none is known */
	const char *module;	      /* base name of the program; NULL from a table */
	struct lode_arena arena;
};

/* `path` NULL: no names. `{ 0 }` is ready to be loaded, and can be released after a failure. */
int lode_xray_names_load(struct lode_xray_names *names, const char *path, struct lode_error *err);
void lode_xray_names_release(struct lode_xray_names *names);

/* The name of `id`, NULL if it has none. */
static inline const char *lode_xray_name(const struct lode_xray_names *names, uint32_t id)
{
	return id < names->of_id.n ? names->of_id.at[id] : NULL;
}
