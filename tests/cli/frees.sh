#!/usr/bin/env bash
# Whatever lode frees goes through lode_free (base/mem.h): memory_bound gives up pages of blocks on
# files, and has to know when such a block's place is another's.
# usage: frees.sh LIBLODE.A
set -euo pipefail

symbols=$(nm -A "$1" 2>/dev/null)
grep -q ' U lode_free$' <<<"$symbols" || { echo "frees: nothing in $1 frees" >&2; exit 1; }
# base/mem.c is where lode_free is; base/memory_limit.c frees one struct before there is a bound.
others=$(grep ' U free$' <<<"$symbols" | grep -v 'base_mem\.c\|base_memory_limit\.c' || true)
[ -z "$others" ] || { echo "free() without base/mem.h: $others" >&2; exit 1; }
