/*
 * The only way to the DWARF of a file: what its sections unpack to is checked before libdw unpacks
 * them, and of the files that they refer to.
 *
 *   .debug_info, SHF_COMPRESSED: 0.97 MB says "1,000,000,000 bytes"  -->  refused, with a sentence
 */
#pragma once

#include <elfutils/libdw.h>

#include "base/error.h"
#include "input/symbols/elf_file.h"

/*
 * LIMIT: compressed sections of a file may unpack to LODE_UNPACKED_FREE_BYTES and to
 * LODE_UNPACKED_RATIO times their bytes, together, if that much memory is left below --memory.
 * (Debug information has a ratio of 3 to 5, its most regular sections of 20.) False, with the
 * reason in `err` (may be NULL): it must not be given to libdw.
 */
bool lode_dwarf_fits(const struct lode_elf_file *file, struct lode_error *err);
#define LODE_UNPACKED_FREE_BYTES ((uint64_t)16 << 20)
#define LODE_UNPACKED_RATIO	 64

struct lode_dwarf {
	Dwarf *dwarf;
	struct lode_elf_file *file;
	Dwarf *shared; /* what dwz moved to a file of its own; NULL: nothing */
	struct lode_elf_file *shared_file;
};

/*
 * Opens the DWARF of `path`; LODE_ERR_EMPTY: it has none. A file that .gnu_debugaltlink names must
 * be there, below /usr/lib/debug/.build-id or at its path, with its build-id: libdw would open
 * whatever is at that path.
 */
int lode_dwarf_open(struct lode_dwarf *out, const char *path, struct lode_error *err);
void lode_dwarf_close(struct lode_dwarf *dwarf);
