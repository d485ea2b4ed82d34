/*
 * Whether the yajl that is installed has the fixes of faults that its last release (2.1.0) has and
 * that distributions fix in packages of the same version. Run by meson.build; exit code 1: not.
 */
#include <malloc.h>
#include <stdio.h>
#include <string.h>
#include <yajl/yajl_parse.h>
#include <yajl/yajl_tree.h>

static int take_text(void *context, const unsigned char *text, size_t size)
{
	int *is_right = context;

	*is_right = size == 2 && memcmp(text, "?x", 2) == 0;
	return 1;
}

/* CVE-2017-16516: half of a surrogate pair was read on behind the string's end; what is seen of it:
   the character that follows it is lost. */
static int has_surrogates_fixed(void)
{
	static const char text[] = "[\"\\ud800x\"]";
	static const yajl_callbacks callbacks = {.yajl_string = take_text};
	int is_right = 0;
	yajl_handle parser = yajl_alloc(&callbacks, NULL, &is_right);

	yajl_parse(parser, (const unsigned char *)text, sizeof(text) - 1);
	yajl_complete_parse(parser);
	yajl_free(parser);
	return is_right;
}

/* CVE-2023-33460: yajl_tree_parse kept what it had of a document with a mistake. */
static int has_leak_fixed(void)
{
	enum { ROUNDS = 2000 };
	size_t before = mallinfo2().uordblks;
	char message[200];

	for (int i = 0; i < ROUNDS; i++)
		yajl_tree_free(yajl_tree_parse("{\"a\": [\"b\", {\"c\": 1, \"@\\\n", message,
					       sizeof(message)));
	return mallinfo2().uordblks < before + 24 * (size_t)ROUNDS;
}

int main(void)
{
	if (!has_surrogates_fixed())
		puts("CVE-2017-16516 is not fixed");
	if (!has_leak_fixed())
		puts("CVE-2023-33460 is not fixed");
	/* CVE-2022-24795, an overflow at 2 GB, is one where size_t has 32 bits. */
	return has_surrogates_fixed() && has_leak_fixed() && sizeof(size_t) > 4 ? 0 : 1;
}
