/*
 * Whether a function keeps a frame pointer at one of its places, by .eh_frame.
 *
 * Reads only the entry of that place, found by .eh_frame_hdr, and follows no more of its rules than
 * those for the frame's base, the frame pointer and the return address. So nothing but that entry
 * needs to be sound, and libdw, whose way to a rule is cfi.h, is not needed.
 */
#pragma once

#include "input/symbols/elf_file.h"

struct lode_frame_tables {
	const uint8_t *search, *frames; /* of .eh_frame_hdr and .eh_frame, borrowed */
	size_t search_bytes, frame_bytes;
	uint64_t search_address, frame_address;
	unsigned frame_register; /* number in DWARF */
};

enum lode_frame_rule {
	LODE_FRAME_UNTOLD,
	LODE_FRAME_KEPT,      /* the frame pointer is this frame's: its caller is found by it */
	LODE_FRAME_LACKING,   /* it is still a caller's: a walk by it skips this one's caller */
	LODE_FRAME_OUTERMOST, /* there is no caller */
};

/* False: another machine than x86-64 and AArch64, or no such tables. Borrows from `file`. */
bool lode_frame_tables_init(struct lode_frame_tables *tables, const struct lode_elf_file *file);
/* Functions in order of their addresses: how many, and where one begins. */
uint32_t lode_frame_tables_count(const struct lode_frame_tables *tables);
uint64_t lode_frame_tables_function(const struct lode_frame_tables *tables, uint64_t i);
/* At the file's own address. O(log functions). */
enum lode_frame_rule lode_frame_tables_at(const struct lode_frame_tables *tables, uint64_t address);
