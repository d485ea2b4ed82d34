/*
 * Functions of a Go program from the table that its runtime needs for stack traces: it stays when
 * the program is stripped.
 *
 *   .gopclntab  | header | ... names ... | pc, place of function; pc, place; ...; last pc |
 *
 * Go 1.2 to 1.15, 1.16, 1.18 and 1.20 have tables of their own, distinguished by their first word.
 */
#pragma once

#include "input/symbols/elf_file.h"
#include "input/symbols/symtab.h"

/* Adds the functions of `file`, and gives their number; names go to `names`. */
size_t lode_elf_add_go_functions(struct lode_symtab *symtab, struct lode_arena *names,
				 const struct lode_elf_file *file);

/* Whether a section of that name is the table. */
bool lode_is_go_table(const char *section);

/*
 * The same of the table's bytes. `text_start` is the address of Go's code, for tables since 1.18
 * that leave it to the dynamic linker; 0: unknown.
 */
size_t lode_go_table_parse(struct lode_symtab *symtab, struct lode_arena *names, const void *bytes,
			   size_t size, uint64_t text_start);
