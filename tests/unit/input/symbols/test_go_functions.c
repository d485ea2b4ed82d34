/*
 * Functions of Go programs from their own table, in all of its layouts; programs without a build-id
 * in a bundle.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "cases.h"
#include "own.h"
#include "random.h"
#include "record/elf_reduce.h"
#include "scratch.h"
#include "base/map.h"
#include "input/symbols/elf_file.h"
#include "input/symbols/elf_symbols.h"
#include "input/symbols/go_functions.h"

enum { MOST_FUNCTIONS = 64, TABLE_BYTES = 8192, TEXT_START = 0x401000 };

struct function {
	uint64_t start, end;
	char name[32];
};

/* A table as the linker of some version writes it: sections in another order than it does. */
struct made {
	uint8_t bytes[TABLE_BYTES];
	size_t n;
};

static void put(struct made *t, size_t at, uint64_t value, size_t width)
{
	memcpy(t->bytes + at, &value, width);
}

static void make_table(struct made *t, int version, size_t word, uint64_t text_start,
		       const struct function *functions, size_t n)
{
	static const uint32_t magics[] = {0xfffffffb, 0xfffffffa, 0xfffffff0, 0xfffffff1};
	size_t entry = version >= 2 ? 4 : word, table, at, names_at[MOST_FUNCTIONS], base = 0;

	memset(t, 0, sizeof(*t));
	put(t, 0, magics[version], 4);
	t->bytes[6] = 1;
	t->bytes[7] = (uint8_t)word;
	put(t, 8, n, word);
	table = version ? 8 + 9 * word : 8 + word;
	at = table + n * 2 * entry + entry;
	if (version == 0)
		at += 4; /* the table of files */
	/* Functions' records, then names. */
	if (version)
		base = table;
	for (size_t i = 0; i < n; i++) {
		put(t, table + 2 * i * entry, functions[i].start - (version >= 2 ? text_start : 0),
		    entry);
		put(t, table + (2 * i + 1) * entry, at - base, entry);
		put(t, at, functions[i].start - (version >= 2 ? text_start : 0), entry);
		names_at[i] = at + entry;
		at += entry + 4;
	}
	put(t, table + 2 * n * entry, functions[n - 1].end - (version >= 2 ? text_start : 0),
	    entry);
	base = version ? at : 0;
	if (version == 1) {
		put(t, 8 + 2 * word, base, word);
		put(t, 8 + 6 * word, table, word);
	} else if (version >= 2) {
		put(t, 8 + 2 * word, text_start, word);
		put(t, 8 + 3 * word, base, word);
		put(t, 8 + 7 * word, table, word);
	}
	for (size_t i = 0; i < n; i++) {
		put(t, names_at[i], at - base, 4);
		memcpy(t->bytes + at, functions[i].name, strlen(functions[i].name) + 1);
		at += strlen(functions[i].name) + 1;
	}
	t->n = at;
	assert_true(at <= sizeof(t->bytes));
}

static size_t make_functions(struct function *functions, struct test_random *random)
{
	size_t n = 1 + test_random_below(random, MOST_FUNCTIONS);
	uint64_t at = TEXT_START;

	for (size_t i = 0; i < n; i++) {
		functions[i].start = at;
		at += 1 + test_random_below(random, 300);
		functions[i].end = at;
		snprintf(functions[i].name, sizeof(functions[i].name), "main.(*T%u).f%zu",
			 test_random_below(random, 9), i);
	}
	return n;
}

static void test_all_layouts_are_read(void **state)
{
	struct test_random random = {20};

	(void)state;
	for (int round = 0; round < TEST_CASES(800); round++) {
		struct function functions[MOST_FUNCTIONS];
		size_t n = make_functions(functions, &random);
		struct lode_symtab symtab = {0};
		struct lode_arena names = {0};
		struct made table;

		make_table(&table, round % 4, round & 4 ? 8 : 4, TEXT_START, functions, n);
		/* The section goes on behind what lode reads. */
		assert_int_equal(lode_go_table_parse(&symtab, &names, table.bytes,
						     table.n + (size_t)(round % 3), 0),
				 n);
		lode_symtab_settle(&symtab, LODE_SYMTAB_ELF);
		for (size_t i = 0; i < n; i++) {
			uint32_t first = lode_symtab_find(&symtab, functions[i].start);
			uint32_t last = lode_symtab_find(&symtab, functions[i].end - 1);

			assert_true(first != LODE_NONE && first == last);
			assert_string_equal(symtab.entries.at[first].name, functions[i].name);
		}
		assert_int_equal(lode_symtab_find(&symtab, functions[n - 1].end), LODE_NONE);
		lode_symtab_release(&symtab);
		lode_arena_release(&names);
	}
}

/* Cut and changed bytes: whatever is taken has a name that ends. */
static void test_damaged_tables_are_harmless(void **state)
{
	struct test_random random = {21};

	(void)state;
	for (int round = 0; round < TEST_CASES(4000); round++) {
		struct function functions[MOST_FUNCTIONS];
		size_t n = make_functions(functions, &random), size;
		struct lode_symtab symtab = {0};
		struct lode_arena names = {0};
		struct made table;
		uint8_t *exact;

		make_table(&table, round % 4, round & 4 ? 8 : 4, TEXT_START, functions, n);
		for (unsigned i = test_random_below(&random, 4); i > 0; i--)
			table.bytes[test_random_below(&random, i & 1 ? 96 : (uint32_t)table.n)] =
				(uint8_t)test_random_next(&random);
		size = test_random_below(&random, (uint32_t)table.n + 1);
		exact = malloc(size + !size);
		memcpy(exact, table.bytes, size);
		(void)lode_go_table_parse(&symtab, &names, exact, size, 0);
		free(exact);
		for (size_t i = 0; i < symtab.entries.n; i++)
			assert_true(strlen(symtab.entries.at[i].name) > 0);
		lode_symtab_release(&symtab);
		lode_arena_release(&names);
	}
}

/* Without that address, names would stand at wrong places. */
static void test_an_unknown_start_gives_no_names(void **state)
{
	struct function function = {0x500, 0x600, "main.main"};
	struct lode_symtab symtab = {0};
	struct lode_arena names = {0};
	struct made table;

	(void)state;
	make_table(&table, 3, 8, 0, &function, 1);
	assert_int_equal(lode_go_table_parse(&symtab, &names, table.bytes, table.n, 0), 0);
	assert_int_equal(lode_go_table_parse(&symtab, &names, table.bytes, table.n, 0x1000), 1);
	assert_int_equal(symtab.entries.at[0].start, 0x1500);
	lode_symtab_release(&symtab);
	lode_arena_release(&names);
}

/* ---- In a program ---- */

static bool run_in(const struct scratch *scratch, const char *script)
{
	char command[1024];

	snprintf(command, sizeof(command), "cd %s && { %s; } >/dev/null 2>&1", scratch->dir,
		 script);
	return system(command) == 0; // NOLINT(cert-env33-c)
}

/* The program's function `work` at its place in the file, and its code as it would be mapped. */
static uint64_t find_work(const char *path, struct function *work, struct lode_code_range *code)
{
	struct lode_elf_file *file = lode_elf_open(path);
	struct lode_symtab symtab = {0};
	struct lode_arena names = {0};
	struct lode_elf_map map = {0};
	uint64_t offset = 0;

	assert_non_null(file);
	lode_elf_add_symbols(&symtab, &names, file, LODE_ELF_SYMTAB);
	lode_elf_map_build(&map, file);
	for (size_t i = 0; i < symtab.entries.n; i++)
		if (!strcmp(symtab.entries.at[i].name, "work"))
			*work = (struct function){symtab.entries.at[i].start,
						  symtab.entries.at[i].end, "main.(*Pool).work"};
	for (size_t i = 0; i < map.segments.n; i++) {
		const struct lode_elf_segment *s = &map.segments.at[i];

		if (!s->is_code || work->start < s->address || work->start - s->address >= s->size)
			continue;
		offset = s->offset + (work->start - s->address);
		code->offset = s->offset / 4096 * 4096;
		code->bytes = (s->offset + s->size + 4095) / 4096 * 4096 - code->offset;
	}
	lode_elf_map_release(&map);
	lode_symtab_release(&symtab);
	lode_arena_release(&names);
	lode_elf_close(file);
	assert_true(offset > 0);
	return offset;
}

static void assert_named(const struct scratch *scratch, const char *path,
			 const struct lode_code_range *code, uint64_t offset, const char *name,
			 const char *status)
{
	struct lode_symboliser *symboliser = make(&(struct lode_symbol_options){0});
	char recording[128];
	struct lode_dso *dso;

	snprintf(recording, sizeof(recording), "%s/perf.data", scratch->dir);
	dso = lode_symboliser_dso(symboliser, &(struct lode_dso_key){.kind = LODE_DSO_USER,
								     .path = path,
								     .recording = recording,
								     .code = {*code},
								     .n_code = 1});
	(void)resolve(dso, offset);
	assert_contains(lode_dso_status(dso), status);
	assert_string_equal(resolve(dso, offset), name);
	assert_int_equal(lode_dso_is_inferred(dso), strcmp(name, "-") != 0);
	lode_symboliser_free(symboliser);
}

static void test_programs_without_build_id_are_found_in_a_bundle(void **state)
{
	struct lode_code_range code = {0};
	struct function work = {0};
	struct scratch scratch;
	struct made table;
	char program[256];
	uint64_t offset;

	(void)state;
	scratch_make(&scratch);
	if (!run_in(&scratch, "echo 'int work(int n) { return n * n; } int main(void) { return "
			      "work(3); }' >p.c && cc -O0 -Wl,--build-id=none -o p p.c")) {
		scratch_remove(&scratch);
		skip();
	}
	snprintf(program, sizeof(program), "%s/p", scratch.dir);
	offset = find_work(program, &work, &code);
	scratch_copy(scratch_path(&scratch, "symbols/opt/app"), program);
	assert_named(&scratch, "/opt/app", &code, offset, "work", "beside the recording");
	/* A file of another layout is none of it. */
	code.offset += 1 << 20;
	assert_named(&scratch, "/opt/app", &code, offset, "-", "not at the recorded place");
	code.offset -= 1 << 20;

	/* Stripped, with Go's table: as it is, and without its code and data. */
	make_table(&table, 2, 8, work.start, &work, 1);
	scratch_write(scratch_path(&scratch, "table"), table.bytes, table.n);
	if (!run_in(&scratch, "strip p && objcopy --add-section .gopclntab=table p")) {
		scratch_remove(&scratch);
		skip();
	}
	scratch_copy(scratch_path(&scratch, "symbols/opt/app"), program);
	assert_named(&scratch, "/opt/app", &code, offset, "main.(*Pool).work", ".gopclntab");
	assert_int_equal(lode_elf_reduce(scratch_path(&scratch, "symbols/opt/app"), program, NULL),
			 0);
	assert_named(&scratch, "/opt/app", &code, offset, "main.(*Pool).work", ".gopclntab");
	scratch_remove(&scratch);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_all_layouts_are_read),
		cmocka_unit_test(test_damaged_tables_are_harmless),
		cmocka_unit_test(test_an_unknown_start_gives_no_names),
		cmocka_unit_test(test_programs_without_build_id_are_found_in_a_bundle),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
