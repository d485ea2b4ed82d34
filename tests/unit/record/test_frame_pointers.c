/*
 * Programs with and without frame pointers, told by their unwind tables.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "record/frame_pointers.h"
#include "scratch.h"

/* A program of 40 functions that call, and are not leaves. */
static bool compile(const struct scratch *scratch, const char *options)
{
	char command[512];

	snprintf(
		command, sizeof(command),
		"cd %s && { echo 'int puts(const char *);'; for i in $(seq 40); do "
		"echo \"int f$i(int n) { int s = 0; for (int i = 0; i < n; i++) s += "
		"puts(\\\"x\\\") + "
		"i * $i; return s + puts(\\\"y\\\"); }\"; done; "
		"echo 'int main(void) { return f1(0); }'; } >p.c && cc -O1 %s p.c -o p 2>/dev/null",
		scratch->dir, options);
	return system(command) == 0; // NOLINT(cert-env33-c)
}

static void test_functions_that_keep_them_are_counted(void **state)
{
	static const char *const options[] = {"-fomit-frame-pointer", "-fno-omit-frame-pointer"};

	(void)state;
	for (int keeps = 0; keeps < 2; keeps++) {
		struct lode_frame_pointers found;
		struct scratch scratch;

		scratch_make(&scratch);
		if (!compile(&scratch, options[keeps])) {
			scratch_remove(&scratch);
			skip();
		}
		assert_true(lode_frame_pointers_ask(&found, scratch_path(&scratch, "p")));
		assert_true(found.n >= 40);
		assert_true(keeps ? found.n_kept >= 40 : found.n_kept < 4);
		/* What is no program tells nothing. */
		assert_false(lode_frame_pointers_ask(&found, scratch_path(&scratch, "p.c")));
		assert_false(lode_frame_pointers_ask(&found, scratch_path(&scratch, "none")));
		scratch_remove(&scratch);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_functions_that_keep_them_are_counted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
