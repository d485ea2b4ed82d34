/* base/shell_words.h: a shell reads back the words that were put, patterns or not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/shell_words.h"
#include "base/written.h"
#include "random.h"
#include "scratch.h"

typedef LODE_VEC(char *) word_list; /* on the heap */

static void release(word_list *words)
{
	for (size_t i = 0; i < words->n; i++)
		free(words->at[i]);
	lode_vec_release(words);
}

static char *text_of(const char *const *words, size_t n)
{
	char *text;
	size_t size;
	FILE *out = lode_written_open(&text, &size);

	lode_shell_words_put(out, words, n);
	lode_written_close(out);
	return text;
}

static void add_random_text(FILE *out, struct test_random *random, uint32_t max)
{
	static const char *const letters[] = {"a",  "b", "1", "2", "10",   ".", "-", "_",  " ",
					      "'",  "*", "?", "[", "]",	   "$", "`", "\\", "~",
					      "\n", "!", "é", "è", "\xc3", "#", "&", "\"", "="};
	static const size_t n_letters = sizeof(letters) / sizeof(letters[0]);
	/* Half of the names have nothing to quote. */
	uint32_t n_kinds = test_random_below(random, 2) ? 8 : (uint32_t)n_letters;

	for (uint32_t n = test_random_below(random, max + 1); n; n--)
		fputs(letters[test_random_below(random, n_kinds)], out);
}

static char *random_name(struct test_random *random, const char *folder, const char *prefix,
			 const char *suffix)
{
	char *text;
	size_t size;
	FILE *out = lode_written_open(&text, &size);

	fprintf(out, "%s%s", folder, prefix);
	add_random_text(out, random, 3);
	fputs(suffix, out);
	/* "", "." and ".." are no files, "x/" no file of a folder. */
	fputs("x", out);
	lode_written_close(out);
	return text;
}

static int by_bytes(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Words of files that are there, mostly many of one folder and in order; and some that are not. */
static void make_words(word_list *words, struct test_random *random)
{
	static const char *const folders[] = {"",      "d/",  "./",	 "d//",
					      "my d/", "d*/", "d[a]/e/", "d'/"};
	static const char *const parts[] = {"", "slow-", ".perf.data", "é", "-", ".", "*", "a b"};
	uint32_t n_folders = 1 + test_random_below(random, 2);

	for (uint32_t f = 0; f < n_folders; f++) {
		const char *folder = folders[test_random_below(random, 8)];
		const char *prefix = parts[test_random_below(random, 8)];
		const char *suffix = parts[test_random_below(random, 8)];
		bool is_order = test_random_below(random, 8), is_all = test_random_below(random, 3);
		size_t first = words->n;

		for (uint32_t n = test_random_below(random, 13); n; n--) {
			char *name = random_name(random, folder, prefix, suffix);

			if (test_random_below(random, 20))
				scratch_write(name, "", 0);
			if (is_all || test_random_below(random, 4))
				lode_vec_append(words, name);
			else
				free(name);
		}
		if (is_order && words->n > first)
			qsort(words->at + first, words->n - first, sizeof(*words->at), by_bytes);
	}
}

/* What `shell` makes of all lines of the script, each word with a NUL behind it. */
static void assert_read_back(const char *shell, const word_list *words)
{
	size_t size, at = 0;
	char command[64], *data;

	snprintf(command, sizeof(command), "%s ../script >../words", shell);
	assert_int_equal(system(command), 0);
	data = scratch_read("../words", &size);
	for (size_t i = 0; i < words->n; i++) {
		size_t n = strlen(words->at[i]) + 1;

		if (at + n > size || memcmp(data + at, words->at[i], n) != 0)
			fail_msg("%s: word %zu: %s, not %s", shell, i,
				 at < size ? data + at : "none", words->at[i]);
		at += n;
	}
	assert_int_equal(at, size);
	free(data);
}

static bool has_pattern(const char *text)
{
	bool is_quoted = false;

	for (; *text; text++) {
		is_quoted ^= *text == '\'';
		if (*text == '\\' && !is_quoted)
			text++;
		else if (*text == '*' && !is_quoted)
			return true;
	}
	return false;
}

static void a_shell_reads_back_random_words(void **state)
{
	struct scratch scratch;
	word_list all = {0};
	unsigned n_patterns = 0;
	FILE *script;

	(void)state;
	scratch_make(&scratch);
	script = fopen(scratch_path(&scratch, "script"), "w");
	for (unsigned seed = 1; seed <= 1000; seed++) {
		static const char *const folders[] = {"d", "my d", "d*", "d[a]/e", "d'"};
		struct test_random random = {seed};
		word_list words = {0};
		char *text, *text_of_seed;

		for (size_t i = 0; i < 5; i++)
			(void)scratch_path(&scratch, "%u/%s/", seed, folders[i]);
		if (chdir(scratch_path(&scratch, "%u", seed)) != 0)
			abort();
		make_words(&words, &random);
		text = text_of((const char *const *)words.at, words.n);
		n_patterns += has_pattern(text);
		fprintf(script, "cd ../%u\nset -- %u%s\nprintf '%%s\\0' \"$@\"\n", seed, seed,
			text);
		if (asprintf(&text_of_seed, "%u", seed) < 0)
			abort();
		lode_vec_append(&all, text_of_seed);
		lode_vec_append_all(&all, words.at, words.n);
		free(text);
		lode_vec_release(&words);
	}
	fclose(script);
	assert_read_back("sh", &all);
	if (system("command -v bash >/dev/null 2>&1") == 0)
		assert_read_back("bash", &all);
	/* Random names are not to make the test an empty one. */
	assert_in_range(n_patterns, 200, 1000);
	release(&all);
	if (chdir("/") != 0)
		abort();
	scratch_remove(&scratch);
}

static void many_files_of_a_folder_are_a_pattern(void **state)
{
	static const char *const words[] = {"fast/1.perf.data.zst", "fast/2.perf.data.zst",
					    "fast/3.perf.data.zst", "fast/4.perf.data.zst"};
	static const char *const more[] = {"more/slow-1.a", "more/slow-2.a", "more/slow-3.a",
					   "more/slow-4.a"};
	struct scratch scratch;
	char *text;

	(void)state;
	scratch_make(&scratch);
	for (size_t i = 0; i < 4; i++) {
		scratch_write(scratch_path(&scratch, "%s", words[i]), "", 0);
		scratch_write(scratch_path(&scratch, "%s", more[i]), "", 0);
	}
	scratch_write(scratch_path(&scratch, "fast/notes"), "", 0);
	scratch_write(scratch_path(&scratch, "more/fast-1.a"), "", 0);
	if (chdir(scratch.dir) != 0)
		abort();

	text = text_of(words, 4);
	assert_string_equal(text, " fast/*.perf.data.zst");
	free(text);
	text = text_of(more, 4);
	assert_string_equal(text, " more/slow-*.a");
	free(text);
	/* Three are no longer than a pattern, and a pattern would give a fourth. */
	text = text_of(words, 3);
	assert_string_equal(text,
			    " fast/1.perf.data.zst fast/2.perf.data.zst fast/3.perf.data.zst");
	free(text);
	scratch_write(scratch_path(&scratch, "more/slow-5.a"), "", 0);
	text = text_of(more, 4);
	assert_string_equal(text, " more/slow-1.a more/slow-2.a more/slow-3.a more/slow-4.a");
	free(text);
	if (chdir("/") != 0)
		abort();
	scratch_remove(&scratch);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_shell_reads_back_random_words),
		cmocka_unit_test(many_files_of_a_folder_are_a_pattern),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
