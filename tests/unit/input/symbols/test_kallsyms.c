/*
 * Kernel symbols: what is read of a kallsyms file and what is refused.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "base/map.h"
#include "random.h"
#include "scratch.h"
#include "input/symbols/kallsyms.h"

struct loaded {
	struct lode_kallsyms kallsyms;
	struct lode_error err;
	int rc;
};

static struct loaded parse(const char *text, const struct lode_kallsyms_options *options)
{
	static const struct lode_kallsyms_options same_boot = {"_text", 0xffffffff81000000};
	struct loaded loaded = {0};
	char *copy = malloc(strlen(text) + 1);

	memcpy(copy, text, strlen(text) + 1);
	loaded.rc = lode_kallsyms_parse(&loaded.kallsyms, copy, strlen(text), "k",
					options ? options : &same_boot, &loaded.err);
	return loaded;
}

static void release(struct loaded *loaded)
{
	lode_kallsyms_release(&loaded->kallsyms);
}

static const char *symtab_name(const struct lode_symtab *symtab, uint64_t address)
{
	uint32_t i = lode_symtab_find(symtab, address);

	return i == LODE_NONE ? "-" : symtab->entries.at[i].name;
}

static const char *name_at(const struct loaded *loaded, uint64_t address)
{
	return symtab_name(&loaded->kallsyms.kernel, address);
}

/* The name at `address` of a module that was recorded in [start, start + size). */
static const char *module_name_at(const struct loaded *loaded, const char *module, uint64_t start,
				  uint64_t size, uint64_t address)
{
	struct lode_symtab symtab = {0};
	const char *name = "-";

	if (lode_kallsyms_add_module(&symtab, &loaded->kallsyms, module, start, size))
		name = symtab_name(&symtab, address);
	lode_symtab_release(&symtab);
	return name;
}

static void test_reads_functions_data_and_modules(void **state)
{
	struct loaded k = parse("0000000000000000 A fixed_percpu_data\n"
				"ffffffff81000000 T _text\n"
				"ffffffff81000000 T startup\n"
				"ffffffff81000100 t do_it\n"
				"ffffffff81000200 D table\n"
				"ffffffff81000240 r strings\n"
				"ffffffff81000300 W weak_one\n"
				"ffffffff81000300 T strong_one\n"
				"ffffffffc0001000 t ext4_read\t[ext4]\n"
				"ffffffffc0001080 t ext4_write\t[ext4]\n",
				NULL);

	(void)state;
	assert_int_equal(k.rc, 0);
	assert_string_equal(name_at(&k, 0x10), "-");
	/* Without sizes the last alias is the one that gets an extent, as in perf. */
	assert_string_equal(name_at(&k, 0xffffffff81000000), "startup");
	assert_string_equal(name_at(&k, 0xffffffff810000ff), "startup");
	assert_string_equal(name_at(&k, 0xffffffff81000100), "do_it");
	/* Data ends the function before it; read-only data is not in perf's table. */
	assert_string_equal(name_at(&k, 0xffffffff81000250), "table");
	assert_string_equal(name_at(&k, 0xffffffff81000301), "strong_one");
	/* The last symbol of the kernel does not reach to the first module. */
	assert_string_equal(name_at(&k, 0xffffffff81001fff), "strong_one");
	assert_string_equal(name_at(&k, 0xffffffff81002000), "-");
	assert_string_equal(name_at(&k, 0xffffffffc0001000), "-");
	assert_string_equal(module_name_at(&k, "ext4", 0xffffffffc0001000, 0x1000,
					   0xffffffffc0001100),
			    "ext4_write");
	release(&k);
}

static void test_unsorted_files_and_odd_lines_are_read(void **state)
{
	struct loaded k = parse("ffffffff81000200 T second\r\n"
				"\n"
				"ffffffff81000100 T first\n"
				"zzz T bad\n"
				"ffffffff81000180 t $x\n"
				"ffffffff81000000 T _text\n"
				"ffffffff81000300 T cut_short",
				NULL);

	(void)state;
	assert_int_equal(k.rc, 0);
	assert_string_equal(name_at(&k, 0xffffffff810001ff), "first");
	assert_string_equal(name_at(&k, 0xffffffff81000200), "second");
	assert_string_equal(name_at(&k, 0xffffffff81000300), "cut_short");
	release(&k);
}

static void test_hidden_addresses_are_refused_with_advice(void **state)
{
	struct loaded k = parse("0000000000000000 T _text\n0000000000000000 T main\n", NULL);

	(void)state;
	assert_int_equal(k.rc, LODE_ERR_FORMAT);
	assert_non_null(strstr(k.err.message, "kptr_restrict"));
	release(&k);
}

static void test_other_text_is_refused(void **state)
{
	static const char *const texts[] = {"", "hello\nworld\n", "{\"a\": 1}\n",
					    "ffffffff81000000\n"};

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		struct loaded k = parse(texts[i], NULL);

		assert_int_equal(k.rc, LODE_ERR_FORMAT);
		assert_non_null(strstr(k.err.message, "kallsyms"));
		release(&k);
	}
}

static const char two_modules[] = "0000000000001000 D cpu_data\n"
				  "ffffffff81000000 T _text\n"
				  "ffffffff81000100 T do_it\n"
				  "ffffffff81000200 T _etext\n"
				  "ffffffffc0001010 t ext4_read\t[ext4]\n"
				  "ffffffffc0002080 t ext4_write\t[ext4]\n"
				  "ffffffffc0003000 d ext4_data\t[ext4]\n"
				  "ffffffffc0105000 t xfs_read\t[xfs]\n";

static void test_another_boot_moves_the_kernel(void **state)
{
	static const int64_t moves[] = {0, 0x1000000, -0x400000, 0x3f000000};

	(void)state;
	for (size_t i = 0; i < sizeof(moves) / sizeof(*moves); i++) {
		uint64_t moved = (uint64_t)moves[i];
		struct lode_kallsyms_options options = {"_text", 0xffffffff81000000 + moved};
		struct loaded k = parse(two_modules, &options);

		assert_int_equal(k.rc, 0);
		assert_int_equal(k.kallsyms.moved_by, moved);
		assert_string_equal(name_at(&k, 0xffffffff81000110 + moved), "do_it");
		assert_string_equal(name_at(&k, 0xffffffff80ffffff + moved), "cpu_data");
		assert_string_equal(name_at(&k, 0xffffffff81002200 + moved), "-");
		release(&k);
	}
}

static void test_a_file_without_the_anchor_is_refused(void **state)
{
	struct lode_kallsyms_options options = {"_stext", 0xffffffff81000000};
	struct loaded k = parse(two_modules, &options);

	(void)state;
	assert_int_equal(k.rc, LODE_ERR_FORMAT);
	assert_non_null(strstr(k.err.message, "_stext"));
	release(&k);
}

static void test_modules_are_named_where_they_were_recorded(void **state)
{
	static const uint64_t kernels[] = {0xffffffff81000000, 0xffffffff9a000000};
	enum { OTHER = 0x7000, SIZE = 0x3000 };

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct lode_kallsyms_options options = {"_text", kernels[i]};
		struct loaded k = parse(two_modules, &options);
		uint64_t at = 0xffffffffc0001000, other = at + OTHER;

		assert_string_equal(module_name_at(&k, "ext4", at, SIZE, at + 0x10), "ext4_read");
		assert_string_equal(module_name_at(&k, "ext4", at, SIZE, at + 0x1090),
				    "ext4_write");
		assert_string_equal(module_name_at(&k, "ext4", other, SIZE, other + 0x1090),
				    "ext4_write");
		assert_string_equal(module_name_at(&k, "ext4", other, SIZE, at + 0x1090), "-");
		/* It cannot be this module: what was recorded is too small. */
		assert_string_equal(module_name_at(&k, "ext4", other, 0x1000, other + 0x10), "-");
		assert_string_equal(module_name_at(&k, "btrfs", at, SIZE, at + 0x10), "-");
		release(&k);
	}
}

static void test_every_prefix_of_a_file_is_survived(void **state)
{
	static const char text[] = "ffffffff81000000 T _text\n"
				   "ffffffff81000100 T do_it\t[ext4]\r\n";
	char part[sizeof(text)];

	(void)state;
	for (size_t n = 0; n < sizeof(text); n++) {
		struct loaded k;

		memcpy(part, text, n);
		part[n] = '\0';
		k = parse(part, NULL);
		assert_true(k.rc == 0 || k.rc == LODE_ERR_FORMAT);
		release(&k);
	}
}

enum { N_ADDRESSES = 200 };

/* What a line-by-line reader finds: the last line of the highest address at or below. */
struct scanned {
	uint64_t address, best;
	char name[256];
};

static void scan(const char *text, struct scanned *scanned)
{
	for (const char *line = text, *end; (end = strchr(line, '\n')); line = end + 1) {
		unsigned long long start;
		char copy[600], found[256], type;

		/* sscanf measures its whole input: give it one line only */
		snprintf(copy, sizeof(copy), "%.*s", (int)(end - line), line);
		if (sscanf(copy, "%llx %c %255[^\t\n]", &start, &type, found) != 3 ||
		    !strchr("tTwWdDbB", type))
			continue;
		for (size_t i = 0; i < N_ADDRESSES; i++) {
			if (start > scanned[i].address || start < scanned[i].best)
				continue;
			scanned[i].best = start;
			memcpy(scanned[i].name, found, sizeof(found));
		}
	}
}

static void test_shared_kallsyms_matches_a_scan_of_all_lines(void **state)
{
	static const struct lode_kallsyms_options same_boot = {"_text", 0xffffffff81000000};
	static struct scanned scanned[N_ADDRESSES];
	const char *top = getenv("LODE_TOP");
	struct test_random random = {7};
	struct loaded k = {0};
	char path[4096], *text;
	size_t size;

	(void)state;
	snprintf(path, sizeof(path),
		 "%s/../shared/traces/startup/symbols/.build-id/4a/"
		 "5a9b0affb66c437abcd455d2738af879985fa9/kallsyms",
		 top ? top : ".");
	text = scratch_read(path, &size);
	if (!text)
		skip();
	text = realloc(text, size + 1);
	text[size] = '\0';
	for (int i = 0; i < N_ADDRESSES; i++)
		scanned[i].address = 0xffffffff81000000 + test_random_below(&random, 0x1200000);
	scan(text, scanned);
	assert_int_equal(lode_kallsyms_load(&k.kallsyms, path, &same_boot, &k.err), 0);
	assert_true(k.kallsyms.kernel.entries.n > 50000);
	for (int i = 0; i < N_ADDRESSES; i++)
		assert_string_equal(name_at(&k, scanned[i].address), scanned[i].name);
	release(&k);
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_reads_functions_data_and_modules),
		cmocka_unit_test(test_unsorted_files_and_odd_lines_are_read),
		cmocka_unit_test(test_hidden_addresses_are_refused_with_advice),
		cmocka_unit_test(test_other_text_is_refused),
		cmocka_unit_test(test_another_boot_moves_the_kernel),
		cmocka_unit_test(test_a_file_without_the_anchor_is_refused),
		cmocka_unit_test(test_modules_are_named_where_they_were_recorded),
		cmocka_unit_test(test_every_prefix_of_a_file_is_survived),
		cmocka_unit_test(test_shared_kallsyms_matches_a_scan_of_all_lines),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
