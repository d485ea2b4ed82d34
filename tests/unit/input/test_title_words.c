/* Of a command line, what a line can show is left. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "input/title_words.h"

/* Arguments are parted by '|'; files begin with "f/" or are f.c. */
static const struct {
	const char *before, *after;
} cases[] = {
	{"/usr/lib/gcc/cc1|-quiet|-imultiarch|x86_64-linux-gnu|f.c|-o|/tmp/x.s", "cc1|f.c"},
	{"git|log|--all", "git|log"},
	{"git|-C|/srv|log", "git"},
	{"tool|f/of/some.conf|f.c", "tool|some.conf"},
	{"tool|hunter2|Word|words with blanks|-f|12", "tool"},
	{"tool|f*", "tool"},
	{"/usr/bin/python3|-u|f/app.py|--port|80", "python3|app.py"},
	{"python3|-m|http.server|80", "python3|http.server"},
	{"python3|missing.py|f.c", "python3"},
	{"python3|secret", "python3"},
	{"bash|-c|tool secret", "bash"},
	{"bash|-lc|f.c", "bash"},
	{"perl|-ne|f.c", "perl"},
	{"java|-Xmx1g|-cp|f.c|com.acme.Main|secret", "java|com.acme.Main"},
	{"java|-jar|f/shop.jar|x", "java|shop.jar"},
	{"-bash", "-bash"},
	{"sleep|0.7", "sleep"},
	{"postgres: app shop 10.0.0.7(51234) idle", "postgres: app shop 10.0.0.7(51234)"},
	{"nginx: master process /usr/sbin/nginx -g daemon off;",
	 "nginx: master process /usr/sbin/nginx"},
	{"chrome --type=renderer --token=x", "chrome"},
	{"titled: worker --password=x|0.5", "titled: worker"},
	{"/opt/My Tool/app|f.c", "app|f.c"},
	{"", ""},
};

static bool is_file(const void *context, const char *path)
{
	(void)context;
	return !strncmp(path, "f/", 2) || !strcmp(path, "f.c");
}

static void test_the_words_that_say_what_it_is_for_are_left(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		size_t size = strlen(cases[i].before);
		char text[256];

		memcpy(text, cases[i].before, size + 1);
		for (size_t k = 0; k < size; k++)
			text[k] = text[k] == '|' ? '\0' : text[k];
		size = lode_title_shorten(text, size, is_file, NULL);
		for (size_t k = 0; k < size; k++)
			text[k] = text[k] ? text[k] : '|';
		text[size] = '\0';
		assert_string_equal(text, cases[i].after);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_the_words_that_say_what_it_is_for_are_left),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
