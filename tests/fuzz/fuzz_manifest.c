/* Any bytes as a manifest: an error that names a line, or lines that are written as they were read.
 */
#include "fuzz/fuzz.h"

#include "base/manifest.h"

static void check_same(const struct lode_manifest *a, const struct lode_manifest *b)
{
	FUZZ_CHECK(a->lines.n == b->lines.n);
	for (size_t i = 0; i < a->lines.n; i++) {
		const struct lode_manifest_line *x = &a->lines.at[i], *y = &b->lines.at[i];

		FUZZ_CHECK(*x->path && *x->name && x->bytes >= -1 && x->bytes == y->bytes);
		FUZZ_CHECK(strcmp(x->path, y->path) == 0 && strcmp(x->name, y->name) == 0);
		FUZZ_CHECK(strcmp(x->labels, y->labels) == 0);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct lode_manifest read = {0}, again = {0};
	struct lode_error err = {0};
	lode_byte_vec text = {0};
	int rc = lode_manifest_read(&read, fuzz_file(data, size), true, &err);

	lode_manifest_recognise(data, size);
	if (rc < 0) {
		FUZZ_CHECK(err.status == (enum lode_status)rc && err.message[0]);
	} else {
		lode_vec_append_all(&text, (const uint8_t *)LODE_MANIFEST_HEAD,
				    sizeof(LODE_MANIFEST_HEAD) - 1);
		for (size_t i = 0; i < read.lines.n; i++)
			lode_manifest_put(&text, &read.lines.at[i]);
		FUZZ_CHECK(lode_manifest_read(&again, fuzz_file(text.at, text.n), false, &err) ==
			   0);
		check_same(&read, &again);
	}
	lode_vec_release(&text);
	lode_manifest_release(&read);
	lode_manifest_release(&again);
	return 0;
}
