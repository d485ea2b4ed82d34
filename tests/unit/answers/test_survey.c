/* What is in folders, by content; folders apart, bundles together. */
#include "answers/analyze/survey.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
/* after those */
#include <cmocka.h>

static char top[] = "/tmp/lode-survey-XXXXXX";

static void put(const char *name, const char *text)
{
	char path[200];
	FILE *out;

	snprintf(path, sizeof(path), "%s/%s", top, name);
	out = fopen(path, "we");
	assert_non_null(out);
	fputs(text, out);
	fclose(out);
}

static void folder(const char *name)
{
	char path[200];

	snprintf(path, sizeof(path), "%s/%s", top, name);
	assert_int_equal(mkdir(path, 0700), 0);
}

static void survey_top(struct lode_survey *survey)
{
	char *inputs[] = {top};

	lode_survey(survey, inputs, 1);
}

static const char *below(const char *path)
{
	return path + strlen(top);
}

static void files_are_told_by_content(void **state)
{
	struct lode_survey survey = {0};
	const struct lode_survey_folder *f;

	(void)state;
	put("b.txt", "main;a;b 60\nmain;c 3\n");
	put("a.log", "main;a;b 60\n");
	put("page.html", "<!doctype html>\n<title>x</title>");
	put("shop.model", "{\n  \"schema\": \"lode/pio-model/1\",\n");
	put("calls", "tid,enter/exit,function,ns\n1,enter,main,0\n1,exit,main,9\n");
	put("README", "Read me.\n");
	put(".hidden", "main;a;b 60\n");
	folder("more");
	put("more/c.folded", "x;y 1\n");
	folder("x.lode");
	folder("symbols");
	put("symbols/s.folded", "x;y 1\n");
	survey_top(&survey);
	assert_int_equal(survey.folders.n, 2);
	f = &survey.folders.at[0];
	assert_int_equal(f->of[LODE_SURVEY_RECORDING].n, 3);
	assert_string_equal(below(f->of[LODE_SURVEY_RECORDING].at[0]), "/a.log");
	assert_string_equal(below(f->of[LODE_SURVEY_RECORDING].at[1]), "/b.txt");
	assert_string_equal(below(f->of[LODE_SURVEY_RECORDING].at[2]), "/x.lode");
	assert_int_equal(f->of[LODE_SURVEY_PAGE].n, 1);
	assert_int_equal(f->of[LODE_SURVEY_MODEL].n, 1);
	assert_int_equal(f->of[LODE_SURVEY_CALLS].n, 1);
	assert_string_equal(below(survey.folders.at[1].path), "/more");
	assert_int_equal(survey.folders.at[1].of[LODE_SURVEY_RECORDING].n, 1);
	assert_int_equal(survey.n_other, 1);
	lode_survey_release(&survey);
}

static void what_is_not_there_is_told(void **state)
{
	char missing[] = "/no/such/folder", *inputs[] = {missing, top};
	struct lode_survey survey = {0};

	(void)state;
	lode_survey(&survey, inputs, 2);
	assert_int_equal(survey.unread.n, 1);
	assert_string_equal(survey.unread.at[0].path, missing);
	assert_int_equal(survey.folders.n, 3);
	lode_survey_release(&survey);
}

/* By what it is called, or by the rest of its first bytes. */
static void what_is_not_what_it_is_called_is_told(void **state)
{
	static const struct {
		const char *name, *text, *reason; /* NULL: it is passed over */
	} files[] = {
		{"more/a.perf.data", "XERFILE2 and so on", "begins with 'XERFILE2'"},
		{"more/b.perf.data.zst", "\x85\xb5\x2f\xfd", "packed with zstd"},
		{"more/d.folded.gz", "\xff\xff", "packed with gzip"},
		{"more/e.digest", "7lode\r\n\n", "lode's digests"},
		{"more/perf.data.old", "?", "perf's recordings"},
		{"more/xray-log.web.1", "\x81\x82", "XRay's logs"},
		{"more/perf.data", "", "empty"},
		{"more/perf.data.sha256", "0123  perf.data\n", NULL},
		{"more/perf.data.md", "How it was recorded\n", NULL},
		{"more/notes", "a.perf.data is the slow one\n", NULL},
		{"more/repo.lode", "SQLite format 3", NULL},
	};
	size_t n = sizeof(files) / sizeof(*files), at = 0, n_passed = 0;
	struct lode_survey survey = {0};
	char more[200], *inputs[] = {more};

	(void)state;
	snprintf(more, sizeof(more), "%s/more", top);
	for (size_t i = 0; i < n; i++)
		put(files[i].name, files[i].text);
	put("more/repo.lode", "SQLite format 3");
	snprintf(more, sizeof(more), "%s/more/repo.lode", top);
	assert_int_equal(truncate(more, 16), 0); /* its magic number ends in a NUL */
	snprintf(more, sizeof(more), "%s/more", top);
	lode_survey(&survey, inputs, 1);
	for (size_t i = 0; i < n; i++) {
		bool is_told = false;
		size_t k = 0;

		while (k < survey.unread.n &&
		       strcmp(below(survey.unread.at[k].path) + 1, files[i].name) != 0)
			k++;
		is_told = k < survey.unread.n;
		if (is_told != (files[i].reason != NULL))
			fail_msg("%s: %s", files[i].name, is_told ? "told" : "passed over");
		n_passed += !is_told;
		if (is_told && !strstr(survey.unread.at[k].reason, files[i].reason))
			fail_msg("%s: %s", files[i].name, survey.unread.at[k].reason);
		at += is_told;
	}
	assert_int_equal(survey.unread.n, at);
	assert_int_equal(survey.n_other, n_passed);
	lode_survey_release(&survey);
}

static int remove_top(void **state)
{
	char command[100];

	(void)state;
	snprintf(command, sizeof(command), "rm -r %s", top);
	return system(command);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(files_are_told_by_content),
		cmocka_unit_test(what_is_not_there_is_told),
		cmocka_unit_test(what_is_not_what_it_is_called_is_told),
	};

	if (!mkdtemp(top))
		return 1;
	return cmocka_run_group_tests(tests, NULL, remove_top);
}
