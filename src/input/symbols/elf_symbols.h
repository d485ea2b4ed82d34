/*
 * Symbols of an ELF file: .symtab, .dynsym, the compressed mini-debuginfo, and calls through the
 * PLT ("read@plt"). Addresses are the file's own (as in `nm`).
 */
#pragma once

#include "base/map.h"
#include "input/symbols/elf_file.h"
#include "input/symbols/symtab.h"

enum lode_elf_table {
	LODE_ELF_SYMTAB,
	LODE_ELF_DYNSYM,
};

/* Adds the functions, data and code labels of one table; names go to `names`. Gives their number.
 */
size_t lode_elf_add_symbols(struct lode_symtab *symtab, struct lode_arena *names,
			    const struct lode_elf_file *file, enum lode_elf_table table);

/* Adds "name@plt" for the stubs through which `file` calls other modules. */
size_t lode_elf_add_plt(struct lode_symtab *symtab, struct lode_arena *names,
			const struct lode_elf_file *file);

/* The ELF file inside .gnu_debugdata, or NULL. */
struct lode_elf_file *lode_elf_open_minidebug(const struct lode_elf_file *file);
