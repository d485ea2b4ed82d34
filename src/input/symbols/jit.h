/*
 * Code that a program made while it ran, as its runtime wrote it down.
 *
 *   perf-PID.map   text: "START SIZE name" in hex, a line for each function
 *   jit-PID.dump   records with times: code loaded, moved, closed (jitdump)
 */
#pragma once

#include "input/symbols/symbols.h"
#include "input/symbols/symtab.h"

/* The PID when that is the name of a jitdump file, ".../jit-PID.dump", else 0. */
int32_t lode_jit_dump_pid(const char *path);

/*
 * Both add the file's functions in the order in which they came to be, unsettled (rule: last wins).
 * Names lie in `text` (perf-PID.map: `size` bytes and one more) or in `names`. A bad line or record
 * ends nothing before it; an input without any function fails.
 */
int lode_perfmap_parse(struct lode_symtab *symtab, char *text, size_t size, const char *path,
		       struct lode_error *err);
/*
 * Functions that share addresses are also added at a place of their own, above all addresses of
 * programs; `turns` (may be NULL) says from when on each of them was at its address, in order of
 * time.
 */
int lode_jitdump_parse(struct lode_symtab *symtab, struct lode_arena *names, lode_jit_turns *turns,
		       const void *data, size_t size, const char *path, struct lode_error *err);
