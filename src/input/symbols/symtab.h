/*
 * Symbol table of one module: collect, settle, look up.
 *
 *   added       |--- f ---|            |-- g --|   (h: no size)
 *   settled     |f|- f.cold -|  hole   |-- g --|h .... to the next symbol
 *
 * Names are borrowed: the caller that adds keeps them alive as long as the table. After settling
 * the table is disjoint ranges, each with one symbol, and does not change any more. Which of
 * several symbols at one address wins, and where a symbol without a size ends, follows `perf
 * script`, so that both show the same function for the same address.
 */
#pragma once

#include "base/mem.h"

enum lode_binding {
	LODE_BINDING_LOCAL,
	LODE_BINDING_GLOBAL,
	LODE_BINDING_WEAK,
};

struct lode_symtab_entry {
	uint64_t start, end; /* [start, end); equal: no size is known */
	const char *name;    /* as the file has it: mangled */
	uint32_t order;	     /* of adding */
	uint8_t binding;     /* enum lode_binding */
};

enum lode_symtab_rule {
	LODE_SYMTAB_ELF,       /* aliases: the best name; nested: the innermost; also kallsyms */
	LODE_SYMTAB_LAST_WINS, /* code that is replaced over time: a later symbol cuts earlier ones
				*/
};

/* `{ 0 }` is an empty table, settled. */
struct lode_symtab {
	LODE_VEC(struct lode_symtab_entry) entries; /* sorted once settled: the index of a symbol */
	LODE_VEC(uint64_t) starts;		    /* ranges in order */
	LODE_VEC(uint64_t) ends;
	LODE_VEC(uint32_t) owners; /* index into entries */
};

void lode_symtab_add(struct lode_symtab *symtab, uint64_t start, uint64_t size, const char *name,
		     enum lode_binding binding);
/* O(n log n) where symbols overlap, else O(n). Once. */
void lode_symtab_settle(struct lode_symtab *symtab, enum lode_symtab_rule rule);
void lode_symtab_release(struct lode_symtab *symtab);

/* Index into entries, or LODE_NONE (base/map.h): a hole. O(log n). Thread-safe once settled. */
uint32_t lode_symtab_find(const struct lode_symtab *symtab, uint64_t address);
