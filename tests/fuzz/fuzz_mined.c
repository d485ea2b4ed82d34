/*
 * Any bytes as a document of `lode mine --json`: an error, or a cluster whose patterns a signature
 * may hold.
 */
#include "fuzz/fuzz.h"

#include "answers/clusters/cluster_choice.h"
#include "model/signature.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const names[] = {"1", "2", "0f", "9d6b"};
	const char *path = fuzz_file(data, size);

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		struct lode_cluster_choice choice;
		struct lode_error err = {0};

		if (lode_cluster_choice_of_json(&choice, path, names[i], &err) < 0) {
			FUZZ_CHECK(err.message[0]);
			continue;
		}
		FUZZ_CHECK(choice.n_patterns > 0);
		for (size_t p = 0; p < choice.n_patterns; p++)
			FUZZ_CHECK(choice.patterns[p] != NULL);
		lode_cluster_choice_release(&choice);
	}
	return 0;
}
