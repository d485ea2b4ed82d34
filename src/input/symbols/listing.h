/*
 * The inside of one module's functions: lines of source and machine code at its addresses.
 *
 *   address in a recording --> the file's own address --> symbol [start, end) --> code
 *                                                   +---> line of source (DWARF)
 *
 * Opens the files that the module's symbols came from once more; reads no source. Not thread-safe.
 */
#pragma once

#include "input/symbols/inlines.h"
#include "input/symbols/symbols.h"

/*
 * Machine code as text, by libcapstone, which is opened on demand.
 */

struct lode_instruction {
	uint64_t address;
	uint32_t size_bytes;
	const char *text;
	uint64_t target; /* of a jump or a call to a fixed address; UINT64_MAX: it has none */
};

typedef LODE_VEC(struct lode_instruction) lode_instructions;

struct lode_listing;

struct lode_listing_place {
	uint64_t address;    /* the file's own */
	uint64_t start, end; /* of the symbol; equal: not known */
	struct lode_source_line line;
};

/* Never NULL: what it lacks is said by the two below. */
struct lode_listing *lode_listing_open(struct lode_dso *dso);
void lode_listing_close(struct lode_listing *listing); /* NULL does nothing */

/* Of an address of the recording (as in enum lode_dso_kind) and a level of inlining; false: the
   module has no file that says more. */
bool lode_listing_find(struct lode_listing *listing, uint64_t address, uint32_t level,
		       struct lode_listing_place *out);
/* First and last line of the function there; false: not known. */
bool lode_listing_span(struct lode_listing *listing, const struct lode_listing_place *place,
		       uint32_t level, struct lode_source_line *first, uint32_t *last);
/* Line that one instruction is of; at a file's own address. */
struct lode_source_line lode_listing_line(struct lode_listing *listing, uint64_t address);

/*
 * Appends the instructions of [start, end), own addresses, with the names of what they call or jump
 * to. At most LODE_LISTING_BYTES of code. Fails where the file has no code (`lode record` keeps the
 * tables of programs alone) or disassemble does.
 */
int lode_listing_code(lode_instructions *out, struct lode_arena *arena,
		      struct lode_listing *listing, uint64_t start, uint64_t end,
		      struct lode_error *err);
/* LIMIT: of one function; what is behind is not shown. */
#define LODE_LISTING_BYTES ((uint64_t)1 << 20)

/* In a sentence, what to do about a module without lines of source. */
void lode_listing_lacks(const struct lode_listing *listing, char *text, size_t size);
/* When the program was last changed, in seconds since 1970: source that is newer may differ; 0: not
   known. */
int64_t lode_listing_time(const struct lode_listing *listing);
