/*
 * Readable names: C++ (Itanium) and Rust (legacy and v0) without parameter lists, as perf shows
 * them by default: `foo::Bar<int>::run`, `<r::m::S<u32>>::go`; and D.
 */
#pragma once

#include "base/mem.h"

/* The readable name in `arena`, or NULL when `name` is not mangled. "f@plt" keeps its tail. */
const char *lode_demangle(const char *name, struct lode_arena *arena);

/* The start of the readable name (or of `name` itself), cut to fit; for comparing names. */
void lode_demangle_short(const char *name, char *buffer, size_t size);
