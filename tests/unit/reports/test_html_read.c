/* What was written into a page comes back as it was; what is no report is said with its place. */
#include "reports/html_read.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
/* after those */
#include <cmocka.h>

static char path[] = "/tmp/lode-html-XXXXXX";

static void random_json(char *text, size_t n, unsigned *seed)
{
	size_t at = 0;

	text[at++] = '[';
	while (at + 8 < n && rand_r(seed) % 200)
		at += (size_t)snprintf(text + at, n - at, "%d,", rand_r(seed) % 1000);
	snprintf(text + at, n - at, "0]");
}

static void reports_come_back_as_they_were(void **state)
{
	static char texts[4][4000];

	(void)state;
	if (lode_html_missing())
		skip();
	for (unsigned seed = 1; seed <= 200; seed++) {
		static const char *const titles[] = {"slow/", "\"><script>&#60;", "a&b 'c'", ""};
		struct lode_html_part parts[4];
		struct lode_html_reports reports = {0};
		unsigned random = seed, n = 1 + seed % 4;
		struct lode_error err;

		for (unsigned i = 0; i < n; i++) {
			static const char *const names[] = {"mine", "mine-2", "pio", "x-part-0"};

			random_json(texts[i], sizeof(texts[i]), &random);
			parts[i] = (struct lode_html_part){.name = names[i],
							   .schema = "lode/mine/1",
							   .title = titles[(seed + i) % 4],
							   .json = texts[i],
							   .json_bytes = strlen(texts[i])};
		}
		assert_int_equal(lode_html_write(path, parts, n, &err), LODE_OK);
		assert_int_equal(lode_html_read(&reports, path, &err), LODE_OK);
		assert_int_equal(reports.parts.n, n);
		for (unsigned i = 0; i < n; i++) {
			assert_string_equal(reports.parts.at[i].name, parts[i].name);
			assert_string_equal(reports.parts.at[i].title, parts[i].title);
			assert_string_equal(reports.parts.at[i].schema, parts[i].schema);
			assert_string_equal(reports.parts.at[i].json, parts[i].json);
		}
		lode_html_reports_release(&reports);
	}
}

/* A report that is parted when it is written is whole again when it is read. */
static void parted_reports_are_whole_again(void **state)
{
	static char text[1 << 21];
	struct lode_html_part part = {.name = "mine", .schema = "lode/mine/1", .title = "t"};
	struct lode_html_reports reports = {0};
	struct lode_error err;
	unsigned seed = 1;
	size_t at;

	(void)state;
	if (lode_html_missing())
		skip();
	at = (size_t)sprintf(text, "{\n \"streams\": 1,\n \"clusters\": [");
	for (unsigned i = 0; i < 300; i++) /* more than one block */
		at += (size_t)sprintf(text + at,
				      "%s\n  {\n   \"id\": %u,\n   \"flame\": \"%04000u\"\n  }",
				      i ? "," : "", i, (unsigned)rand_r(&seed));
	sprintf(text + at, "\n ],\n \"frames\": [\"a\"]\n}\n");
	part.json = text;
	part.json_bytes = strlen(text);
	assert_int_equal(lode_html_write(path, &part, 1, &err), LODE_OK);
	assert_int_equal(lode_html_read(&reports, path, &err), LODE_OK);
	assert_int_equal(reports.parts.n, 1);
	for (char *from = text, *to = text;; from++) { /* one line, as pages hold it */
		while (*from == '\n' || (*from == ' ' && from[-1] != ':'))
			from++;
		*to++ = *from;
		if (!*from)
			break;
	}
	assert_string_equal(reports.parts.at[0].json, text);
	lode_html_reports_release(&reports);
}

static void check_fault(const char *text, enum lode_status status, const char *what)
{
	struct lode_html_reports reports = {0};
	struct lode_error err = {0};

	assert_int_equal(lode_html_read_bytes(&reports, text, strlen(text), "p", &err), status);
	assert_non_null(strstr(err.message, what));
	lode_html_reports_release(&reports);
}

static void faults_are_told(void **state)
{
#define ELEMENT "<script type=\"application/octet-stream\" class=\"lode-report\""
#define REST	"<script type=\"application/octet-stream\" class=\"lode-rest\""
#define NAMED	ELEMENT " data-name=\"a\" data-schema=\"s\" data-title=\"t\" data-encoding="

	(void)state;
	check_fault("<!doctype html>", LODE_ERR_FORMAT, "no report");
	check_fault(ELEMENT ">", LODE_ERR_FORMAT, "not as lode writes");
	check_fault(ELEMENT " data-name=\"a b\" data-schema=\"s\" data-title=\"t\" "
			    "data-encoding=\"deflate\">",
		    LODE_ERR_FORMAT, "name");
	check_fault(NAMED "\"lzma\">", LODE_ERR_UNSUPPORTED, "unknown way");
	check_fault(NAMED "\"deflate\">eJyLjgUAARUAuQ==", LODE_ERR_TRUNCATED, "ends within");
	check_fault(NAMED "\"deflate\">eJy*</script>", LODE_ERR_FORMAT, "base64");
	check_fault(NAMED "\"deflate\">AAAA</script>", LODE_ERR_FORMAT, "unpack");
	check_fault(NAMED "\"deflate\">eJyLjgUAARUAuQ==</script>\n" REST ">", LODE_ERR_FORMAT,
		    "rest is not as");
	check_fault(NAMED "\"deflate\">eJyLjgUAARUAuQ==</script>\n" REST
			  " data-line=\"0\" data-encoding=\"deflate\">eJyLjgUAARUAuQ==</script>",
		    LODE_ERR_FORMAT, "do not fit together");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reports_come_back_as_they_were),
		cmocka_unit_test(parted_reports_are_whole_again),
		cmocka_unit_test(faults_are_told),
	};
	int fd = mkstemp(path), failed;

	close(fd);
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	unlink(path);
	return failed;
}
