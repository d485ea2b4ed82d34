/*
 * DWARF expressions, as far as call frame information uses them.
 */
#pragma once

#include <elfutils/libdw.h>
#include <stddef.h>

#include "input/symbols/cfi.h"

/* What an expression may look at. */
struct lode_cfi_memory {
	const struct lode_cfi_regs *regs;
	bool has_cfa;
	uint64_t cfa;
	lode_cfi_read *read;
	void *context;
};

/* False when it needs what is not known, or is not sound. Always ends. */
bool lode_cfi_evaluate(const Dwarf_Op *ops, size_t n, const struct lode_cfi_memory *memory,
		       uint64_t *result);
