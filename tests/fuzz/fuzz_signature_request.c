/*
 * Any bytes as what a page posts to change signatures: the first byte says which change. An error
 * that says why, and a list that is as it was; or a list whose text is read back as the same list.
 */
#include "fuzz/fuzz.h"

#include <string.h>

#include "answers/sign/signature_request.h"

static const char known[] = "signature: known\nbug: 7\npattern: a;b\npattern: c\n\n"
			    "signature: other\nstate: retired\nkind: wait\npattern: *;d\n";

static void check_list(const struct lode_signatures *list)
{
	struct lode_signatures back = {0};
	size_t size, again_size;
	char *text = lode_signatures_format(list, &size), *again;

	FUZZ_CHECK(lode_signatures_parse(&back, "again", text, size, NULL) == 0);
	again = lode_signatures_format(&back, &again_size);
	FUZZ_CHECK(size == again_size && memcmp(text, again, size) == 0);
	free(text);
	free(again);
	lode_signatures_release(&back);
}

/* Does it, to two signatures that are there. */
static void apply(struct lode_signature_request *request)
{
	static const char *const patterns[] = {"x;y"};
	struct lode_cluster_choice choice = {.patterns = patterns, .n_patterns = 1};
	struct lode_signatures list = {0};
	struct lode_error err = {0};
	size_t size, now_size;
	char *before, *now;
	int rc = lode_signatures_parse(&list, "known", known, strlen(known), NULL);

	FUZZ_CHECK(rc == 0);
	before = lode_signatures_format(&list, &size);
	request->edit.words.cluster = request->cluster ? &choice : NULL;
	rc = lode_signature_request_apply(&list, request, 1700000000, &err);
	if (rc < 0) {
		FUZZ_CHECK(rc == LODE_ERR_ARG && err.status == rc && err.message[0]);
		now = lode_signatures_format(&list, &now_size);
		FUZZ_CHECK(size == now_size && memcmp(before, now, size) == 0);
		free(now);
	} else {
		check_list(&list);
	}
	free(before);
	lode_signatures_release(&list);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct lode_signature_request request;
	struct lode_error err = {0};
	char *text;
	int rc;

	if (!size)
		return 0;
	text = malloc(size);
	FUZZ_CHECK(text);
	memcpy(text, data + 1, size - 1);
	text[size - 1] = '\0';
	rc = lode_signature_request_parse(
		&request, (enum lode_signature_act)(data[0] % LODE_N_SIGNATURE_CHANGES), text,
		size - 1, &err);
	if (rc < 0)
		FUZZ_CHECK((rc == LODE_ERR_ARG || rc == LODE_ERR_LIMIT) && err.status == rc &&
			   err.message[0]);
	else
		apply(&request);
	lode_signature_request_release(&request);
	free(text);
	return 0;
}
