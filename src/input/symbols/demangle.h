/*
 * Readable names: C++ (Itanium) and Rust (legacy and v0) without parameter lists, as perf shows
 * them by default: `foo::Bar<int>::run`, `<r::m::S<u32>>::go`; and D.
 */
#pragma once

#include "base/mem.h"

/*
 * How much of a name is the function's own. Behind it stands what compilers append to a copy of a
 * function or to a part of it: "f.constprop.0", "f.isra.0.cold", "f.lto_priv.3", "f.llvm.8812",
 * " [clone .part.0]". In a stack all of these are f.
 */
size_t lode_function_bytes(const char *name, size_t len);
/* Whether the compiler cut it out of the function ("f.part.0"), which alone calls it. */
bool lode_function_is_part(const char *name, size_t len);

/*
 * The readable name in `arena`, or NULL when `name` is readable as it is. It is the function's:
 * without what compilers append. "f@plt" keeps its tail.
 */
const char *lode_demangle(const char *name, struct lode_arena *arena);

/*
 * The same of code made at run time, which interpreters name by function and place: V8
 * "JS:*render /srv/shop/pages.js:4:22" (before the name, how far it is optimised), CPython
 * "py::render:/srv/shop/pages.py". To a reader they are "render pages.js:4" and "render pages.py",
 * however far they are optimised and wherever they lie.
 */
const char *lode_script_name(const char *name, struct lode_arena *arena);

/* The start of the readable name (or of `name` itself), cut to fit; for comparing names. */
void lode_demangle_short(const char *name, char *buffer, size_t size);
