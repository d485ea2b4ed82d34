/* Any bytes at all, read as a model of lode pio: what is taken can be written, and read back the
 * same. */
#include "fuzz/fuzz.h"

#include <string.h>

#include "engine/pio/model_file.h"

static char *written(const struct lode_pio_model *model, size_t *size)
{
	char *text = NULL;
	FILE *out = open_memstream(&text, size);

	FUZZ_CHECK(out);
	lode_pio_model_write(out, model);
	FUZZ_CHECK(!ferror(out));
	fclose(out);
	return text;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct lode_pio_model model, again;
	struct lode_error err = {0};
	size_t n_once, n_twice;
	char *once, *twice;
	int rc = lode_pio_model_read(&model, fuzz_file(data, size), &err);

	if (rc < 0) {
		FUZZ_CHECK(err.status == (enum lode_status)rc && err.message[0]);
		return 0;
	}
	once = written(&model, &n_once);
	lode_pio_model_release(&model);
	rc = lode_pio_model_read(&again, fuzz_file((const uint8_t *)once, n_once), &err);
	if (rc < 0)
		fprintf(stderr, "%s\n", err.message);
	FUZZ_CHECK(rc == 0);
	twice = written(&again, &n_twice);
	lode_pio_model_release(&again);
	FUZZ_CHECK(n_once == n_twice && memcmp(once, twice, n_once) == 0);
	free(once);
	free(twice);
	return 0;
}
