/* What was written into a page comes back as it was; what is no report is said with its place. */
#include "document/html_read.h"

#include <math.h>
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

/* What was found stands on the page, and is the same when the page is opened again. */
static void findings_come_back_as_they_were(void **state)
{
	static const char *const texts[] = {"12 %  a > b: lock", "\"<&' \t", "", "x\xc3\xa4"};

	(void)state;
	if (lode_html_missing())
		skip();
	for (unsigned seed = 0; seed < 200; seed++) {
		struct lode_findings findings = {.summary = texts[seed % 4], .weight = seed - 3},
				     back;
		struct lode_html_part part = {.name = "mine",
					      .schema = "x/1",
					      .title = "t",
					      .json = "{}",
					      .json_bytes = 2};
		struct lode_html_reports reports = {0};
		struct lode_arena arena = {0};
		char *text = NULL;
		size_t n;
		FILE *out = open_memstream(&text, &n);

		for (size_t i = 0; i < seed % (LODE_FINDINGS_MOST + 1); i++) {
			struct lode_finding *f = lode_findings_add(&findings, texts[(seed + i) % 4],
								   i % 2 ? texts[i % 4] : NULL);

			if (i % 3)
				f->share = (double)seed / 200;
			for (size_t k = 0; k < (seed + i) % (LODE_FINDING_PARAMS + 1); k++)
				f->params[k] =
					(struct lode_finding_param){k ? "w" : "sel", texts[k]};
		}
		lode_findings_put(out, &findings);
		fclose(out);
		part.findings = text;
		assert_int_equal(lode_html_write(path, &part, 1, NULL), LODE_OK);
		assert_int_equal(lode_html_read(&reports, path, NULL), LODE_OK);
		assert_true(lode_findings_parse(&back, reports.parts.at[0].findings,
						strlen(reports.parts.at[0].findings), &arena));
		assert_string_equal(back.summary, findings.summary);
		assert_int_equal(back.weight, findings.weight);
		assert_int_equal(back.n_details, findings.n_details);
		for (size_t i = 0; i < back.n_details; i++) {
			const struct lode_finding *a = &findings.details[i], *b = &back.details[i];

			assert_string_equal(a->text, b->text);
			assert_true(isnan(a->share) ? isnan(b->share) : a->share == b->share);
			assert_true(!a->path == !b->path &&
				    (!a->path || !strcmp(a->path, b->path)));
			for (size_t k = 0; k < LODE_FINDING_PARAMS; k++) {
				assert_true(!a->params[k].name == !b->params[k].name);
				if (a->params[k].name)
					assert_string_equal(a->params[k].value, b->params[k].value);
			}
		}
		free(text);
		lode_arena_release(&arena);
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
	check_fault("<!doctype html>", LODE_ERR_FORMAT, "contains no lode report");
	check_fault(ELEMENT ">", LODE_ERR_FORMAT, "malformed");
	check_fault(ELEMENT " data-name=\"a b\" data-schema=\"s\" data-title=\"t\" "
			    "data-encoding=\"deflate\">",
		    LODE_ERR_FORMAT, "name");
	check_fault(NAMED "\"lzma\">", LODE_ERR_UNSUPPORTED, "unknown encoding");
	check_fault(NAMED "\"deflate\">eJyLjgUAARUAuQ==", LODE_ERR_TRUNCATED, "ends within");
	check_fault(NAMED "\"deflate\">eJy*</script>", LODE_ERR_FORMAT, "base64");
	check_fault(NAMED "\"deflate\">AAAA</script>", LODE_ERR_FORMAT, "decompressed");
	check_fault(NAMED "\"deflate\">eJyLjgUAARUAuQ==</script>\n" REST ">", LODE_ERR_FORMAT,
		    "second part");
	check_fault(NAMED "\"deflate\">eJyLjgUAARUAuQ==</script>\n" REST
			  " data-line=\"0\" data-encoding=\"deflate\">eJyLjgUAARUAuQ==</script>",
		    LODE_ERR_FORMAT, "do not match");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reports_come_back_as_they_were),
		cmocka_unit_test(findings_come_back_as_they_were),
		cmocka_unit_test(parted_reports_are_whole_again),
		cmocka_unit_test(faults_are_told),
	};
	int fd = mkstemp(path), failed;

	close(fd);
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	unlink(path);
	return failed;
}
