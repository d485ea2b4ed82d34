/*
 * Runs a fuzz target without a fuzzer: on each file of its corpus, on every shorter prefix of the
 * small ones, and on seeded mutations. The same inputs on every machine.
 *
 * usage: fuzz_x CORPUS_DIR | FILE...
 */
#include <dirent.h>
#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "base/mem.h"
#include "cases.h"
#include "fuzz/fuzz.h"
#include "random.h"

#define N_MUTATIONS	(LODE_IS_SANITIZED ? 200 : 50) /* per file; sanitizers see more of them */
#define MAX_PREFIX_FILE 2048 /* bytes: files up to this are cut at every length */

static void apply(uint8_t *data, size_t *size, struct test_random *random)
{
	uint32_t at = *size ? test_random_below(random, (uint32_t)*size) : 0;
	uint32_t n = test_random_below(random, 16) + 1;

	if (!*size)
		return;
	switch (test_random_below(random, 6)) {
	case 0:
		data[at] ^= (uint8_t)(1U << test_random_below(random, 8));
		break;
	case 1:
		data[at] = (uint8_t)test_random_below(random, 256);
		break;
	case 2: /* a number at its limits */
		if (n > *size - at)
			n = (uint32_t)(*size - at);
		memset(data + at, test_random_below(random, 2) ? 0xff : 0, n);
		break;
	case 3: /* digits, to meet text formats */
		data[at] = (uint8_t) "0123456789 ;:/[]()\n\t"[test_random_below(random, 20)];
		break;
	case 4: /* cut something out */
		if (n > *size - at)
			n = (uint32_t)(*size - at);
		memmove(data + at, data + at + n, *size - at - n);
		*size -= n;
		break;
	default: /* one part over another */
		if (n > *size - at)
			n = (uint32_t)(*size - at);
		memmove(data + at, data + test_random_below(random, (uint32_t)*size - n + 1), n);
		break;
	}
}

/* A copy of exactly that size, so that a sanitizer sees each byte read past it. */
static void run(const uint8_t *data, size_t size)
{
	uint8_t *copy = malloc(size ? size : 1);

	FUZZ_CHECK(copy);
	memcpy(copy, data, size);
	LLVMFuzzerTestOneInput(copy, size);
	free(copy);
}

static int replay_file(const char *path)
{
	struct test_random random = {.state = 1};
	FILE *f = fopen(path, "rb");
	uint8_t *data, *mutated;
	struct stat st;
	size_t size;

	if (!f || fstat(fileno(f), &st)) {
		fprintf(stderr, "%s: %s\n", path, strerror(errno));
		return 1;
	}
	data = lode_alloc((size_t)st.st_size + 1);
	mutated = lode_alloc((size_t)st.st_size + 1);
	size = fread(data, 1, (size_t)st.st_size, f);
	fclose(f);
	run(data, size);
	for (size_t cut = 0; size <= MAX_PREFIX_FILE && cut < size; cut++)
		run(data, cut);
	for (int i = 0; i < N_MUTATIONS; i++) {
		size_t n = size;

		memcpy(mutated, data, size);
		for (uint32_t k = 1 + test_random_below(&random, 4); k; k--)
			apply(mutated, &n, &random);
		run(mutated, n);
	}
	free(data);
	free(mutated);
	return 0;
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

static int replay_dir(const char *dir)
{
	struct dirent **entries;
	int n = scandir(dir, &entries, NULL, by_name), rc = 0, n_run = 0;
	char path[4096];

	if (n < 0) {
		fprintf(stderr, "%s: %s\n", dir, strerror(errno));
		return 1;
	}
	for (int i = 0; i < n; i++) {
		if (entries[i]->d_name[0] != '.') {
			snprintf(path, sizeof(path), "%s/%s", dir, entries[i]->d_name);
			rc |= replay_file(path);
			n_run++;
		}
		free(entries[i]);
	}
	free(entries);
	run((const uint8_t *)"", 0);
	printf("%d files, %d mutations each\n", n_run, N_MUTATIONS);
	return rc || !n_run; /* an empty corpus tests nothing */
}

int main(int argc, char **argv)
{
	struct stat st;
	int rc = 0;

	for (int i = 1; i < argc; i++)
		rc |= !stat(argv[i], &st) && S_ISDIR(st.st_mode) ? replay_dir(argv[i])
								 : replay_file(argv[i]);
	return rc;
}
