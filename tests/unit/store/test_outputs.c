/* store/outputs.h, store/file_kind.h: an output is never an input, whatever links lead to it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "random.h"
#include "scratch.h"
#include "base/atomic_file.h"
#include "store/outputs.h"

/* ---- Kinds ---- */

static const struct sample {
	enum lode_file_kind kind;
	const char *bytes;
	size_t size;
} samples[] = {
#define SAMPLE(kind, bytes)                                \
	{                                                  \
		LODE_KIND_##kind, bytes, sizeof(bytes) - 1 \
	}
	SAMPLE(EMPTY, ""),
	SAMPLE(TEXT, "main;a;b 60\n"),
	SAMPLE(TEXT, "\xc3\xa9\xff caf\xc3\xa9\n"),
	SAMPLE(UNKNOWN, "a\0b"),
	SAMPLE(UNKNOWN, "\001\002"),
	SAMPLE(PAGE, "<!doctype html>\n<html lang=\"en\">\n<title>lode</title>"),
	SAMPLE(HTML, "<!DOCTYPE HTML>\n<title>Minutes</title>"),
	SAMPLE(HTML, "<html><body>lode"),
	SAMPLE(DIGEST, "\x8flode\r\n\n\001"),
	SAMPLE(INDEX, "LODETML\0\001"),
	SAMPLE(MODEL, "{\n  \"schema\": \"lode/pio-model/3\",\n"),
	SAMPLE(REPORT, "{\n \"schema\": \"lode/mine/1\","),
	SAMPLE(JSON, "{\"traceEvents\": []}"),
	SAMPLE(JSON, "{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\"}"),
	SAMPLE(SPEEDSCOPE, "{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\","
			   "\"exporter\":\"lode\""),
	SAMPLE(CHROME_TRACE, "{\"displayTimeUnit\":\"ns\",\"otherData\":{\"exporter\":\"lode\""),
	SAMPLE(WATCH_STATE, "lode-pio-watch 1\nmodel 5\n"),
	SAMPLE(SIGNATURES, "format: lode/signatures/1\n"),
	SAMPLE(SYMPTOMS, "stream\ttid\tt0_ns\tt1_ns\tcomm\n"),
	SAMPLE(TEXT, "stream\ttid\tt0_ns\tt1_ns\n"),
	SAMPLE(RECORDING, "PERFILE2h\0\0\0"),
	SAMPLE(PROGRAM, "\177ELF\002\001"),
	SAMPLE(DATABASE, "SQLite format 3\0\020\0"),
	SAMPLE(COMPRESSED, "\x1f\x8b\x08\0\0\0\0\0\0\003"),
	SAMPLE(COMPRESSED, "\x1f\x8b\x08\020\0\0\0\0\0\377lode pprof of mine\0"),
	SAMPLE(PPROF, "\x1f\x8b\x08\020\0\0\0\0\0\377lode pprof\0\005"),
#undef SAMPLE
};

enum { N_SAMPLES = sizeof(samples) / sizeof(*samples) };

static void test_kinds_are_told_by_first_bytes(void **state)
{
	char database[100] = "SQLite format 3";

	(void)state;
	for (size_t i = 0; i < N_SAMPLES; i++) {
		enum lode_file_kind kind = lode_file_kind_of(samples[i].bytes, samples[i].size);

		if (kind != samples[i].kind)
			fail_msg("sample %zu is %s, not %s", i, lode_file_kind_words(kind),
				 lode_file_kind_words(samples[i].kind));
	}
	memcpy(database + 68, "lode", 4);
	assert_int_equal(lode_file_kind_of(database, sizeof(database)), LODE_KIND_REPOSITORY);
	assert_int_equal(lode_file_kind_of(database, 71), LODE_KIND_DATABASE);
}

/* On the heap, so that a byte too many is seen by sanitizers. */
static void test_no_byte_beyond_the_head_is_read(void **state)
{
	(void)state;
	for (size_t i = 0; i < N_SAMPLES; i++)
		for (size_t n = 0; n <= samples[i].size; n++) {
			char *head = malloc(n ? n : 1);

			assert_non_null(head);
			memcpy(head, samples[i].bytes, n);
			assert_in_range(lode_file_kind_of(head, n), 0, LODE_N_FILE_KINDS - 1);
			free(head);
		}
}

/* ---- Random names, links and folders, against who knows what each name stands for ---- */

enum { N_FILES = 8, N_LINKS = 10, N_NAMES = N_FILES + N_LINKS, ROUNDS = 1500 };

struct place {
	char name[32];
	size_t file;	/* which it is, in the end */
	bool is_nested; /* below "folder" */
};

struct house {
	size_t kinds[N_FILES]; /* of samples */
	struct place places[N_NAMES];
};

static void build(struct house *house, struct test_random *random)
{
	(void)!system("rm -rf folder ./f* ./l*");
	assert_int_equal(mkdir("folder", 0755), 0);
	for (size_t i = 0; i < N_NAMES; i++) {
		struct place *p = &house->places[i];

		p->is_nested = test_random_below(random, 3) == 0;
		snprintf(p->name, sizeof(p->name), "%s%c%zu", p->is_nested ? "folder/" : "",
			 i < N_FILES ? 'f' : 'l', i);
		if (i < N_FILES) {
			const struct sample *sample;

			p->file = i;
			house->kinds[i] = test_random_below(random, N_SAMPLES);
			sample = &samples[house->kinds[i]];
			scratch_write(p->name, sample->bytes, sample->size);
		} else {
			size_t to = test_random_below(random, i);
			char target[64];

			p->file = house->places[to].file;
			snprintf(target, sizeof(target), "%s%s", p->is_nested ? "../" : "",
				 house->places[to].name);
			/* A hard link to a symbolic one would be relative to another folder. */
			if (to < N_FILES && test_random_below(random, 2))
				assert_int_equal(link(house->places[to].name, p->name), 0);
			else
				assert_int_equal(symlink(target, p->name), 0);
		}
	}
}

static bool is_in_folder(const struct house *house, size_t file)
{
	for (size_t i = 0; i < N_NAMES; i++)
		if (house->places[i].is_nested && house->places[i].file == file)
			return true;
	return false;
}

/* What must be said of an output; NULL: nothing. */
static const char *oracle(const struct house *house, const struct lode_named_files *files,
			  const size_t *inputs, size_t n, size_t output, enum lode_file_kind kind)
{
	enum lode_file_kind found = samples[house->kinds[house->places[output].file]].kind;
	bool is_gathered = found != kind || kind == LODE_KIND_DIGEST;
	size_t file = house->places[output].file;

	for (size_t i = 0; i < n; i++) {
		if (inputs[i] == SIZE_MAX && is_gathered && is_in_folder(house, file))
			return "is in folder";
		if (inputs[i] != SIZE_MAX && house->places[inputs[i]].file == file)
			return "is an input";
	}
	if (found == LODE_KIND_PROGRAM && files->is_forced)
		return "is a program or library";
	if (found != LODE_KIND_EMPTY && found != kind && !files->is_forced)
		return "not an earlier ";
	return NULL;
}

static void test_random_links_are_seen_through(void **state)
{
	struct test_random random = {20261122};
	struct house house;
	size_t n_refused = 0;

	(void)state;
	for (int round = 0; round < ROUNDS; round++) {
		enum lode_file_kind kind =
			test_random_below(&random, 2) ? LODE_KIND_PAGE : LODE_KIND_DIGEST;
		size_t inputs[3], n = 1 + test_random_below(&random, 3);
		size_t output = test_random_below(&random, N_NAMES);
		struct lode_named_files files = {.is_forced = test_random_below(&random, 2)};
		const char *expected;
		struct lode_error err;
		int rc;

		if (round % 10 == 0)
			build(&house, &random);
		for (size_t i = 0; i < n; i++) {
			struct lode_named_file file = {.path = "folder", .use = LODE_FILE_READ};

			inputs[i] = SIZE_MAX;
			if (test_random_below(&random, 6)) {
				inputs[i] = test_random_below(&random, N_NAMES);
				file.path = house.places[inputs[i]].name;
			}
			lode_vec_append(&files.list, file);
		}
		lode_vec_append(&files.list,
				((struct lode_named_file){.path = house.places[output].name,
							  .by = "html",
							  .use = LODE_FILE_WRITTEN,
							  .kind = kind}));
		expected = oracle(&house, &files, inputs, n, output, kind);
		rc = lode_outputs_check(&files, &err);
		if (!expected && rc < 0)
			fail_msg("round %d: %s", round, err.message);
		if (expected && (rc != LODE_ERR_ARG || !strstr(err.message, expected)))
			fail_msg("round %d: %d, '%s', not '%s'", round, rc,
				 rc < 0 ? err.message : "", expected);
		n_refused += expected != NULL;
		lode_named_files_release(&files);
	}
	assert_in_range(n_refused, ROUNDS / 4, 9 * ROUNDS / 10);
}

/* ---- Single cases ---- */

struct named {
	const char *by, *path;
	enum lode_file_use use;
	enum lode_file_kind kind;
};

static int check(struct lode_error *err, const struct named *named, size_t n)
{
	struct lode_named_files files = {.is_forced = true};
	int rc;

	for (size_t i = 0; i < n; i++)
		lode_vec_append(&files.list, ((struct lode_named_file){.path = named[i].path,
								       .by = named[i].by,
								       .use = named[i].use,
								       .kind = named[i].kind}));
	rc = lode_outputs_check(&files, err);
	lode_named_files_release(&files);
	return rc;
}

/* Checked with --force: these are refused even so. */
#define CHECK_REFUSED(words, ...)                                                              \
	do {                                                                                   \
		const struct named all[] = {__VA_ARGS__};                                      \
		struct lode_error said = {.message = ""};                                      \
                                                                                               \
		assert_int_equal(check(&said, all, sizeof(all) / sizeof(*all)), LODE_ERR_ARG); \
		if (!strstr(said.message, words))                                              \
			fail_msg("'%s' does not say '%s'", said.message, words);               \
	} while (0)
#define CHECK_TAKEN(...)                                               \
	do {                                                           \
		const struct named all[] = {__VA_ARGS__};              \
		struct lode_error said;                                \
                                                                       \
		if (check(&said, all, sizeof(all) / sizeof(*all)) < 0) \
			fail_msg("%s", said.message);                  \
	} while (0)
#define PAGE(path)                                              \
	{                                                       \
		"html", path, LODE_FILE_WRITTEN, LODE_KIND_PAGE \
	}
#define PPROF(path)                                               \
	{                                                         \
		"pprof", path, LODE_FILE_WRITTEN, LODE_KIND_PPROF \
	}
#define REPO(path)                                                    \
	{                                                             \
		"repo", path, LODE_FILE_UPDATED, LODE_KIND_REPOSITORY \
	}
#define INPUT(path)                                           \
	{                                                     \
		NULL, path, LODE_FILE_READ, LODE_KIND_UNKNOWN \
	}

static void test_files_beside_an_input_are_its_own(void **state)
{
	scratch_write(scratch_path(*state, "r.lode"), "x", 1);
	CHECK_REFUSED("is already used by --repo", REPO("r.lode"), PAGE("r.lode-wal"));
	CHECK_REFUSED("is already used by --repo", REPO("r.lode"), PAGE("./r.lode-journal"));
	assert_int_equal(symlink("r.lode", "link"), 0);
	CHECK_REFUSED("is already used by --repo", REPO("link"), PAGE("r.lode-shm"));
	CHECK_TAKEN(INPUT("r.lode"), PAGE("r.lode-wal"));
	scratch_write(scratch_path(*state, "run/perf.data"), "x", 1);
	scratch_write(scratch_path(*state, "run/symbols/ab/elf"), "x", 1);
	scratch_write(scratch_path(*state, "run/symptoms.tsv"), "x", 1);
	CHECK_REFUSED("which is an input", INPUT("run/perf.data"), PAGE("run/symbols/ab/elf"));
	CHECK_REFUSED("beside it", INPUT("run/perf.data"), PAGE("run/symptoms.tsv"));
	CHECK_TAKEN(INPUT("r.lode"), PAGE("run/symptoms.tsv"));
}

static void test_two_outputs_have_a_file_each(void **state)
{
	scratch_write(scratch_path(*state, "there"), "x", 1);
	scratch_write(scratch_path(*state, "a/b/x"), "x", 1);
	CHECK_REFUSED("is also used by --html", PAGE("new"), PPROF("./new"));
	CHECK_REFUSED("is also used by --html", PAGE("a/b/../new"), PPROF("a/new"));
	CHECK_REFUSED("is also used by --html", PAGE("there"), PPROF("a/../there"));
	assert_int_equal(symlink("a/later", "link"), 0);
	CHECK_REFUSED("is also used by --html", PAGE("link"), PPROF("a/later"));
	CHECK_TAKEN(PAGE("a/new"), PPROF("a/b/new"));
	/* The last of one option counts. */
	CHECK_TAKEN(PAGE("new"), PAGE("new"));
	CHECK_TAKEN(PAGE("/dev/null"), PPROF("/dev/null"));
}

static void test_what_cannot_be_written_is_said_before_the_work(void **state)
{
	const struct named nowhere[] = {PAGE("no/such/page")};
	struct lode_error err;

	scratch_write(scratch_path(*state, "dir/x"), "x", 1);
	CHECK_REFUSED("is a folder", PAGE("dir"));
	CHECK_REFUSED("looks like an option", PAGE("--top"));
	CHECK_REFUSED("/dev/stdout", PAGE("-"));
	CHECK_REFUSED("not a folder", {"output", "dir/x", LODE_FILE_WRITTEN, LODE_KIND_FOLDER});
	CHECK_TAKEN({"output", "dir", LODE_FILE_WRITTEN, LODE_KIND_FOLDER});
	CHECK_TAKEN({"output", "dir/new", LODE_FILE_WRITTEN, LODE_KIND_FOLDER});
	assert_int_equal(check(&err, nowhere, 1), LODE_ERR_IO);
}

static void test_names_in_messages_are_harmless(void **state)
{
	scratch_write(scratch_path(*state, "\033[31mred"), "x", 1);
	CHECK_REFUSED("\\x1b[31mred is an input", INPUT("\033[31mred"), PAGE("\033[31mred"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_kinds_are_told_by_first_bytes),
		cmocka_unit_test(test_no_byte_beyond_the_head_is_read),
		cmocka_unit_test_setup_teardown(test_random_links_are_seen_through, scratch_enter,
						scratch_leave),
		cmocka_unit_test_setup_teardown(test_files_beside_an_input_are_its_own,
						scratch_enter, scratch_leave),
		cmocka_unit_test_setup_teardown(test_two_outputs_have_a_file_each, scratch_enter,
						scratch_leave),
		cmocka_unit_test_setup_teardown(test_what_cannot_be_written_is_said_before_the_work,
						scratch_enter, scratch_leave),
		cmocka_unit_test_setup_teardown(test_names_in_messages_are_harmless, scratch_enter,
						scratch_leave),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
