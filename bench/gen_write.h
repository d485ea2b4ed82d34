/*
 * What generators of digests write: a folder of digests, and the manifest that names them.
 *
 *   OUT_DIR/manifest     "#lode manifest 1", then a line for each: its path, release=N
 */
#ifndef GEN_WRITE_H
#define GEN_WRITE_H

#include <stdio.h>

#include "store/digest_file.h"

/* Makes the folder and its manifest; ends the program if it cannot. */
FILE *gen_manifest_open(const char *folder);
/* Writes a digest, and its line; ends the program if it cannot. */
void gen_digest_write(FILE *manifest, const char *path, unsigned release,
		      const struct lode_digest *digest, const struct lode_digest_origin *origin);

/* A text of the digest's own, by its number. */
uint32_t gen_intern(struct lode_digest *digest, const char *text);

#endif
