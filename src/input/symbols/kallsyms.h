/*
 * Kernel symbols as text: /proc/kallsyms or a copy of it.
 *
 *   ffffffff81000000 T _text
 *   ffffffffc0201000 t ext4_getattr	[ext4]
 *
 * KASLR places the kernel elsewhere at each boot, and each module independently of it.
 */
#pragma once

#include "base/error.h"
#include "input/symbols/symtab.h"

struct lode_kallsyms_options {
	/* The address of the symbol `anchor` in the recording: the kernel's symbols are moved so
	   that it has the same address here. */
	const char *anchor;
	uint64_t anchor_address;
};

/* A symbol of a kernel module, at its address in the file. */
struct lode_module_symbol {
	uint64_t address;
	const char *name, *module; /* "ext4_getattr", "ext4" */
	enum lode_binding binding;
	bool is_code;
};

struct lode_kallsyms {
	struct lode_symtab kernel; /* functions and data, moved; settled */
	LODE_VEC(struct lode_module_symbol) modules;
	uint64_t moved_by; /* modulo 2^64; 0: the kernel of the file has the recorded address */
	char *text;	   /* all names lie in it */
};

/*
 * Refuses a file without the anchor, and one whose addresses are all zero: the kernel hides them
 * from readers without rights (kptr_restrict).
 */
int lode_kallsyms_load(struct lode_kallsyms *out, const char *path,
		       const struct lode_kallsyms_options *options, struct lode_error *err);
/* As lode_kallsyms_load, from memory; takes `text`, of `size` bytes and one more, also on failure.
 */
int lode_kallsyms_parse(struct lode_kallsyms *out, char *text, size_t size, const char *path,
			const struct lode_kallsyms_options *options, struct lode_error *err);
void lode_kallsyms_release(struct lode_kallsyms *kallsyms);

/*
 * Adds the symbols of one module, whose code was recorded in [start, start + size), and settles;
 * false if the file has no such module, or one that does not fit there.
 */
bool lode_kallsyms_add_module(struct lode_symtab *symtab, const struct lode_kallsyms *kallsyms,
			      const char *module, uint64_t start, uint64_t size);
