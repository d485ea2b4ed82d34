/*
 * Where the files of a recorded module may lie, and reading small ones.
 *
 *   --buildid-dir D      D/.build-id/9a/d8f1.../{elf,debug,vdso,kallsyms}, perf's cache
 *   beside the recording symbols/, .debug/ and .build-id/ there: a self-contained bundle
 *   ~/.debug             perf's cache of this user
 *   --symfs S            S/usr/bin/git, S/usr/lib/debug/...
 *   the recorded path    if it still is that file
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/* Whole file, compressed or not, into heap memory with a NUL behind it; fails beyond `max_bytes`.
   Files that do not tell their size (/proc) are read as well. */
int lode_file_read(char **data, size_t *size, const char *path, size_t max_bytes,
		   struct lode_error *err);

/* Texts of lower-case hex digits. `hex` needs 2 * size + 1 bytes. */
void lode_hex(char *hex, const uint8_t *bytes, size_t size);

/* Roots to look in, each NULL when there is none. */
struct lode_roots {
	const char *buildid_dir;   /* --buildid-dir */
	const char *recording_dir; /* directory of the recording */
	const char *home_debug;	   /* ~/.debug */
	const char *symfs;	   /* --symfs */
};

/* Called with one candidate path after the other, likely ones first, until it gives true. */
typedef bool lode_candidate(void *context, const char *path);

/*
 * Cached copies of the module `path` with that build-id. `kinds`: names of files inside an entry of
 * the cache, ended by NULL. Entries that are themselves the file (perf's old layout) come last.
 */
bool lode_files_by_build_id(const struct lode_roots *roots, const char *path, const char *hex,
			    const char *const *kinds, lode_candidate *candidate, void *context);

/* Separate debug files of a build-id: /usr/lib/debug/.build-id/9a/d8f1....debug. */
bool lode_files_debug_by_id(const struct lode_roots *roots, const char *hex,
			    lode_candidate *candidate, void *context);

/* Separate debug file `link` of the module `path` (.gnu_debuglink). */
bool lode_files_debuglink(const struct lode_roots *roots, const char *path, const char *link,
			  lode_candidate *candidate, void *context);

/* The recorded path beside the recording: what a bundle has of a module without build-id. */
bool lode_files_in_bundle(const struct lode_roots *roots, const char *path,
			  lode_candidate *candidate, void *context);

/* The recorded path below --symfs, beside the recording, and as it is. */
bool lode_files_by_path(const struct lode_roots *roots, const char *path, lode_candidate *candidate,
			void *context);

/* Every program in the build-id caches that were given or lie beside the recording, in no order. */
bool lode_files_in_caches(const struct lode_roots *roots, lode_candidate *candidate, void *context);

/* A file known by its base name alone (perf-PID.map): beside the recording, in the caches, below
   --symfs and as it is. */
bool lode_files_by_name(const struct lode_roots *roots, const char *path, lode_candidate *candidate,
			void *context);
