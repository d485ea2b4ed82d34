/*
 * Kernel symbols as text: /proc/kallsyms or a copy of it.
 *
 *   ffffffff81000000 T _text
 *   ffffffffc0201000 t ext4_getattr	[ext4]
 */
#pragma once

#include "base/error.h"
#include "input/symbols/symtab.h"

struct lode_kallsyms_options {
	/* Where the symbol `anchor` lay in the recording: if it lies elsewhere in the file (another
	   boot, KASLR) the kernel's symbols are moved, and modules', which moved on their own,
	   left out. NULL: take the addresses as they are. */
	const char *anchor;
	uint64_t anchor_address;
};

/*
 * Adds the file's function and data symbols and settles. The names lie in `*text`, the caller's to
 * free after the table. Refuses a file whose addresses are all zero: the kernel hides them from
 * readers without rights (kptr_restrict).
 */
int lode_kallsyms_load(struct lode_symtab *symtab, char **text, const char *path,
		       const struct lode_kallsyms_options *options, struct lode_error *err);

/* As lode_kallsyms_load, from memory: `text` has `size` bytes and one more, which becomes NUL. */
int lode_kallsyms_parse(struct lode_symtab *symtab, char *text, size_t size, const char *path,
			const struct lode_kallsyms_options *options, struct lode_error *err);
