/* Writes generated digests and their manifest. */
#include "gen_write.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static void fail_at(const char *path)
{
	perror(path);
	exit(1);
}

FILE *gen_manifest_open(const char *folder)
{
	char path[4096];
	FILE *manifest;

	mkdir(folder, 0777);
	snprintf(path, sizeof(path), "%s/manifest", folder);
	manifest = fopen(path, "w");
	if (!manifest)
		fail_at(path);
	fputs("#lode manifest 1\n", manifest);
	return manifest;
}

void gen_digest_write(FILE *manifest, const char *path, unsigned release,
		      const struct lode_digest *digest, const struct lode_digest_origin *origin)
{
	lode_byte_vec data = {0};
	FILE *f = fopen(path, "wb");

	lode_digest_pack(&data, digest, origin, LODE_DIGEST_LEVEL_FILE);
	if (!f || fwrite(data.at, 1, data.n, f) != data.n || fclose(f) != 0)
		fail_at(path);
	lode_vec_release(&data);
	fprintf(manifest, "%s\trelease=%u\n", path, release);
}

uint32_t gen_intern(struct lode_digest *digest, const char *text)
{
	return lode_strings_intern(&digest->tree.strings, text, strlen(text));
}
