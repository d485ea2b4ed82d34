/* Secrets on command lines are hidden, and nothing else is. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "record/secrets.h"

/* Arguments are parted by '|'. */
static const struct {
	const char *before, *after;
} cases[] = {
	{"cc1|-quiet|-imultiarch|x86_64-linux-gnu|giant.c", NULL},
	{"postgres: app shop [local] SELECT", NULL},
	{"git|log|--author=me|--|keys.c|tokens", NULL},
	{"git|show|1234567890abcdef", NULL},
	{"/usr/lib/libreoffice/program/soffice.bin|--splash-pipe=5", NULL},
	{"php-fpm: pool www", NULL},
	{"app|--password=hunter2|--port=80", "app|--password=*|--port=80"},
	{"app|--db-password|hunter2|start", "app|--db-password|*|start"},
	{"app|--api-key|7", "app|--api-key|*"},
	{"env|PGPASSWORD=x y|psql", "env|PGPASSWORD=* y|psql"},
	{"mysql|-uroot|-phunter2|shop", "mysql|-uroot|-p*|shop"},
	{"make|-pj4", NULL},
	{"sh|-c|mysqldump -psecret shop", "sh|-c|mysqldump -p* shop"},
	{"curl|-u|me:pw|https://host/", "curl|-u|*|https://host/"},
	{"wget|https://me:pw@host/a@b", "wget|https://*@host/a@b"},
	{"git|clone|https://host/me@x", NULL},
	{"run|AKIAIOSFODNN7EXAMPLEabc123xyz", "run|*"},
	{"run|id=0123456789abcdef0123456789abcdef", "run|id=*"},
	{"java|-Dspring.datasource.password=pw|-jar|shop.jar",
	 "java|-Dspring.datasource.password=*|-jar|shop.jar"},
	{"app|--password", NULL},
};

static void test_what_looks_like_a_secret_is_hidden(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		const char *after = cases[i].after ? cases[i].after : cases[i].before;
		size_t size = strlen(cases[i].before);
		char text[256];

		memcpy(text, cases[i].before, size + 1);
		for (size_t k = 0; k < size; k++)
			text[k] = text[k] == '|' ? '\0' : text[k];
		size = lode_secrets_hide(text, size);
		for (size_t k = 0; k < size; k++)
			if (!text[k])
				text[k] = '|';
		text[size] = '\0';
		assert_string_equal(text, after);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_what_looks_like_a_secret_is_hidden),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
