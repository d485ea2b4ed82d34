/*
 * Any bytes as a file of signatures: an error that names a line, or signatures whose text is read
 * back as the same text, and whose patterns mean the same when they are written anew.
 */
#include "fuzz/fuzz.h"

#include <string.h>

#include "model/signature.h"
#include "model/signature_pattern.h"

static void check_pattern(const char *text)
{
	lode_signature_step_vec steps = {0};
	struct lode_arena arena = {0};

	FUZZ_CHECK(lode_signature_pattern_parse(&steps, text, &arena, NULL) == 0);
	FUZZ_CHECK(strcmp(lode_signature_pattern_text(steps.at, steps.n, &arena), text) == 0);
	lode_vec_release(&steps);
	lode_arena_release(&arena);
}

static void check_list(const struct lode_signatures *list)
{
	struct lode_signatures back = {0};
	size_t size, again_size;
	char *text = lode_signatures_format(list, &size), *again;

	FUZZ_CHECK(lode_signatures_parse(&back, "again", text, size, NULL) == 0);
	again = lode_signatures_format(&back, &again_size);
	FUZZ_CHECK(size == again_size && memcmp(text, again, size) == 0);
	for (size_t i = 0; i < list->list.n; i++) {
		FUZZ_CHECK(i == 0 || strcmp(list->list.at[i - 1].name, list->list.at[i].name) < 0);
		FUZZ_CHECK(list->list.at[i].n_patterns > 0);
		for (size_t p = 0; p < list->list.at[i].n_patterns; p++)
			check_pattern(list->list.at[i].patterns[p]);
	}
	free(text);
	free(again);
	lode_signatures_release(&back);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct lode_signatures list = {0};
	struct lode_error err = {0};
	int rc = lode_signatures_parse(&list, "fuzz.txt", (const char *)data, size, &err);

	if (rc < 0)
		FUZZ_CHECK((err.status == LODE_ERR_FORMAT || err.status == LODE_ERR_LIMIT ||
			    err.status == LODE_ERR_UNSUPPORTED) &&
			   err.message[0]);
	check_list(&list); /* also what stood before a fault */
	lode_signatures_release(&list);
	return 0;
}
