/*
 * What the file of a module says of places in call chains that a kernel walked by frame pointers.
 *
 *   chain     write (libc), main          the walk skipped the function that called write
 *   tables    at write+0x1d the frame     so its caller is missing
 *             pointer is a caller's
 *   code      no call before an address   no caller: a register held something else
 */
#pragma once

#include "input/symbols/symbols.h"

enum lode_chain_check {
	/* asked: how the place occurs in chains */
	LODE_CHAIN_LEAF = 1,
	LODE_CHAIN_CALLER = 2, /* its address is one byte back */
	/* found */
	LODE_CHAIN_SKIPS_CALLER = 4, /* as a leaf: it keeps no frame pointer at that place */
	LODE_CHAIN_NOT_CALLER = 8,   /* as a caller: the code before it is no call, */
	LODE_CHAIN_CALLS = 16,	     /* or is one; neither: the code is not known */
};

/* Adds to `flags` what was found; what the file does not tell is not added. Thread-safe. */
void lode_dso_check_chains(struct lode_dso *dso, const uint64_t *addresses, uint8_t *flags,
			   size_t n);
