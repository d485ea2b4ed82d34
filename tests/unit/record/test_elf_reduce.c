/*
 * Programs reduced to their tables: every name and every step of the unwinder as with the whole
 * file, for all modules of this very process, or of those that LODE_TEST_MODULES names.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "base/map.h"
#include "record/elf_reduce.h"
#include "input/symbols/cfi.h"
#include "input/symbols/elf_file.h"
#include "input/symbols/elf_symbols.h"
#include "scratch.h"

/* At most that many addresses of each module are asked for: all symbols of small ones. */
enum { MOST_ADDRESSES = 4000 };

struct module {
	struct lode_elf_file *file;
	struct lode_symtab table;
	struct lode_arena names;
	struct lode_elf_map map;
};

static void open_module(struct module *m, const char *path)
{
	memset(m, 0, sizeof(*m));
	m->file = lode_elf_open(path);
	assert_non_null(m->file);
	lode_elf_add_symbols(&m->table, &m->names, m->file, LODE_ELF_SYMTAB);
	lode_elf_add_symbols(&m->table, &m->names, m->file, LODE_ELF_DYNSYM);
	lode_elf_add_plt(&m->table, &m->names, m->file);
	lode_symtab_settle(&m->table, LODE_SYMTAB_ELF);
	lode_elf_map_build(&m->map, m->file);
}

static void close_module(struct module *m)
{
	lode_elf_close(m->file);
	lode_symtab_release(&m->table);
	lode_arena_release(&m->names);
	lode_elf_map_release(&m->map);
}

static const char *name_at(const struct module *m, uint64_t address)
{
	uint32_t index = lode_symtab_find(&m->table, address);

	return index == LODE_NONE ? "-" : m->table.entries.at[index].name;
}

/* A stack on which every word tells its own place. */
static bool read_made(void *context, uint64_t address, uint64_t *value)
{
	(void)context;
	*value = address * 0x9e3779b97f4a7c15;
	return true;
}

static void compare_step(struct lode_cfi *a, struct lode_cfi *b, uint64_t address)
{
	struct lode_cfi_regs of_a = {.valid = UINT64_MAX}, of_b;
	struct lode_cfi_step step_a = {0}, step_b = {0};

	for (unsigned i = 0; i < LODE_CFI_N_REGS; i++)
		of_a.value[i] = 0x7f0000000000 + 4096 * i;
	of_b = of_a;
	if (a && b) {
		assert_int_equal(lode_cfi_step(a, address, &of_a, &step_a, read_made, NULL),
				 lode_cfi_step(b, address, &of_b, &step_b, read_made, NULL));
		assert_memory_equal(&of_a, &of_b, sizeof(of_a));
		assert_int_equal(step_a.cfa, step_b.cfa);
		assert_int_equal(step_a.return_address, step_b.return_address);
	} else {
		assert_true(a == b);
	}
}

static void compare_modules(const char *whole, const char *reduced)
{
	struct lode_cfi *cfi_a, *cfi_b;
	struct module a, b;
	size_t step;

	open_module(&a, whole);
	open_module(&b, reduced);
	assert_int_equal(a.table.entries.n, b.table.entries.n);
	assert_int_equal(a.map.segments.n, b.map.segments.n);
	for (size_t i = 0; i < a.map.segments.n; i++) {
		uint64_t in_a = 0, in_b = 1;

		assert_true(lode_elf_map_find(&a.map, a.map.segments.at[i].offset, &in_a));
		assert_true(lode_elf_map_find(&b.map, a.map.segments.at[i].offset, &in_b));
		assert_int_equal(in_a, in_b);
	}
	cfi_a = lode_cfi_new_take(lode_elf_open(whole), NULL, NULL);
	cfi_b = lode_cfi_new_take(lode_elf_open(reduced), NULL, NULL);
	step = a.table.entries.n / MOST_ADDRESSES + 1;
	for (size_t i = 0; i < a.table.entries.n; i += step) {
		uint64_t start = a.table.entries.at[i].start, end = a.table.entries.at[i].end;
		uint64_t inside = start + (end > start ? (end - start) / 2 : 0);

		assert_string_equal(name_at(&a, start), name_at(&b, start));
		assert_string_equal(name_at(&a, inside), name_at(&b, inside));
		compare_step(cfi_a, cfi_b, inside);
	}
	lode_cfi_free(cfi_a);
	lode_cfi_free(cfi_b);
	close_module(&a);
	close_module(&b);
}

static long long size_of(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 ? (long long)st.st_size : -1;
}

/* Code and debug information are most of a program: what is left must be worth it. */
static void reduce_one(const char *path)
{
	struct scratch scratch;
	struct lode_error err;
	const char *to;

	scratch_make(&scratch);
	to = scratch_path(&scratch, "reduced");
	if (lode_elf_reduce(to, path, &err) < 0) {
		print_error("%s: %s\n", path, err.message);
		fail();
	}
	compare_modules(path, to);
	print_message("%s: %lld of %lld bytes\n", path, size_of(to), size_of(path));
	assert_true(size_of(to) < size_of(path));
	scratch_remove(&scratch);
}

static void test_names_and_unwinding_are_those_of_the_whole_file(void **state)
{
	const char *list = getenv("LODE_TEST_MODULES");
	FILE *in = fopen(list ? list : "/proc/self/maps", "r");
	struct lode_strings seen = {0};
	char line[4400];

	(void)state;
	assert_non_null(in);
	while (fgets(line, sizeof(line), in)) {
		const char *path = list ? line : strchr(line, '/');
		size_t n = seen.text.n;

		if (!path || (!list && !strstr(line, " r-xp ")))
			continue;
		line[strcspn(line, "\n")] = '\0';
		if (lode_strings_intern(&seen, path, strlen(path)) == n)
			reduce_one(path);
	}
	fclose(in);
	lode_strings_release(&seen);
}

static void test_what_is_no_program_is_refused(void **state)
{
	struct scratch scratch;
	struct lode_error err;
	char from[PATH_MAX];

	(void)state;
	scratch_make(&scratch);
	snprintf(from, sizeof(from), "%s", scratch_path(&scratch, "text"));
	scratch_write(from, "no ELF", 6);
	assert_int_equal(lode_elf_reduce(scratch_path(&scratch, "to"), from, &err),
			 LODE_ERR_UNSUPPORTED);
	assert_int_equal(size_of(scratch_path(&scratch, "to")), -1);
	scratch_remove(&scratch);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names_and_unwinding_are_those_of_the_whole_file),
		cmocka_unit_test(test_what_is_no_program_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
