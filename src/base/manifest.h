/*
 * Manifests: recordings named in a file, one to a line, for more of them than a command line holds.
 *
 *   #lode manifest 1
 *   /data/web1/0001.perf.data.zst	bytes=1830112	release=2.1
 *   /tmp/fetched/7	name=s3://traces/web2/0007.perf.data	bytes=92771320	release=2.1
 *
 * Fields are separated by tabs: the recording's path, then KEY=VALUE. `name` and `bytes` are ours,
 * all else are labels. Empty lines and those that begin with # say nothing. What a manifest means
 * is in docs/scale.md.
 */
#pragma once

#include "base/error.h"
#include "base/map.h"
#include "base/varint.h"

struct lode_manifest_line {
	const char *path;   /* where it lies: a file, or what only a driver can fetch */
	const char *name;   /* what results call it: the path, unless something else is said */
	const char *labels; /* "KEY=VALUE", separated by tabs; "" */
	int64_t bytes;	    /* its size there; -1: not said */
};

struct lode_manifest {
	LODE_VEC(struct lode_manifest_line) lines;
	struct lode_strings names;
	struct lode_arena arena;
};

/* The first line; from the first bytes of a file. */
#define LODE_MANIFEST_HEAD "#lode manifest 1\n"
bool lode_manifest_recognise(const uint8_t *head, size_t size);
/* The same of a file. */
bool lode_manifest_is(const char *path);

/*
 * `out` must be `{ 0 }`, and is the caller's to release also on failure. `may_lack_head`: a plain
 * list of paths will do. Fails on the first line that is not understood, and on a name that is
 * there twice, whose recording would count twice.
 */
int lode_manifest_read(struct lode_manifest *out, const char *path, bool may_lack_head,
		       struct lode_error *err);
void lode_manifest_release(struct lode_manifest *manifest);

/* Appends a line that reads back as `line`. */
void lode_manifest_put(lode_byte_vec *out, const struct lode_manifest_line *line);
