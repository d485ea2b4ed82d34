/*
 * A program without its code and data: what names and unwinding need, in the same ELF file.
 *
 *   program headers   as they were: recorded offsets are those of the whole file
 *   sections          all, at their addresses; contents only of symbol tables, unwind tables, PLT
 *                     and its relocations, notes; the others have none (NOBITS), as in debug files
 *
 * Names and stacks are those of the whole file, for lode and for perf; disassembling is not
 * possible.
 */
#pragma once

#include "base/error.h"

/*
 * Writes `from`, reduced, to `to`, and holds what was written against the original: its build-id,
 * segments and symbols. LODE_ERR_UNSUPPORTED, and no file, when it cannot be reduced or differs.
 */
int lode_elf_reduce(const char *to, const char *from, struct lode_error *err);
