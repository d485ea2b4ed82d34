/*
 * Symbols of code made at run time: perf-PID.map and jitdump.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "base/map.h"
#include "input/symbols/jit.h"

static const char *name_at(const struct lode_symtab *symtab, uint64_t address)
{
	uint32_t i = lode_symtab_find(symtab, address);

	return i == LODE_NONE ? "-" : symtab->entries.at[i].name;
}

static void test_perf_map_lines(void **state)
{
	char text[] = "7f0000001000 20 Lcom/Main;::run\n"
		      "0x7f0000002000 0x10 with blanks in it\n"
		      "junk\n"
		      "7f0000003000 0 empty\n"
		      "7f0000001010 8 newer\n"
		      "7f0000004000 10 cut";
	struct lode_symtab symtab = {0};

	(void)state;
	assert_int_equal(lode_perfmap_parse(&symtab, text, strlen(text), "m", NULL), 0);
	lode_symtab_settle(&symtab, LODE_SYMTAB_LAST_WINS);
	assert_string_equal(name_at(&symtab, 0x7f0000001000), "Lcom/Main;::run");
	assert_string_equal(name_at(&symtab, 0x7f0000001010), "newer");
	assert_string_equal(name_at(&symtab, 0x7f0000001018), "Lcom/Main;::run");
	assert_string_equal(name_at(&symtab, 0x7f000000200f), "with blanks in it");
	assert_string_equal(name_at(&symtab, 0x7f0000002010), "-");
	assert_string_equal(name_at(&symtab, 0x7f0000003000), "-");
	assert_string_equal(name_at(&symtab, 0x7f0000004000), "cut");
	lode_symtab_release(&symtab);
}

static void test_a_map_without_functions_is_an_error(void **state)
{
	char text[] = "no\nmap\n";
	struct lode_symtab symtab = {0};
	struct lode_error err;

	(void)state;
	assert_int_equal(lode_perfmap_parse(&symtab, text, strlen(text), "m", &err),
			 LODE_ERR_FORMAT);
	assert_string_equal(err.path, "m");
	lode_symtab_release(&symtab);
}

/* ---- jitdump ---- */

struct dump {
	uint8_t bytes[1024];
	size_t n;
};

static void put(struct dump *dump, const void *data, size_t size)
{
	memcpy(dump->bytes + dump->n, data, size);
	dump->n += size;
}

static void put_u32(struct dump *dump, uint32_t value)
{
	put(dump, &value, 4);
}

static void put_u64(struct dump *dump, uint64_t value)
{
	put(dump, &value, 8);
}

static void put_header(struct dump *dump)
{
	put_u32(dump, 0x4a695444);
	put_u32(dump, 1);
	put_u32(dump, 40);
	put_u32(dump, 62);
	put_u32(dump, 0);
	put_u32(dump, 1234);
	put_u64(dump, 5);
	put_u64(dump, 0);
}

static void put_load(struct dump *dump, uint64_t time, uint64_t address, uint64_t size, uint64_t id,
		     const char *name)
{
	uint32_t total = (uint32_t)(16 + 40 + strlen(name) + 1 + size);

	put_u32(dump, 0);
	put_u32(dump, total);
	put_u64(dump, time);
	put_u32(dump, 1234);
	put_u32(dump, 1234);
	put_u64(dump, address);
	put_u64(dump, address);
	put_u64(dump, size);
	put_u64(dump, id);
	put(dump, name, strlen(name) + 1);
	memset(dump->bytes + dump->n, 0x90, size);
	dump->n += size;
}

static void put_move(struct dump *dump, uint64_t time, uint64_t from, uint64_t to, uint64_t size,
		     uint64_t id)
{
	put_u32(dump, 1);
	put_u32(dump, 16 + 48);
	put_u64(dump, time);
	put_u32(dump, 1234);
	put_u32(dump, 1234);
	put_u64(dump, to);
	put_u64(dump, from);
	put_u64(dump, to);
	put_u64(dump, size);
	put_u64(dump, id);
}

static struct dump make_dump(void)
{
	struct dump dump = {.n = 0};

	put_header(&dump);
	put_load(&dump, 10, 0x1000, 16, 1, "early");
	put_load(&dump, 30, 0x1000, 8, 2, "latest"); /* written before, but made after the next */
	put_load(&dump, 20, 0x1004, 8, 3, "middle");
	put_move(&dump, 40, 0x1004, 0x2000, 8, 3);
	put_u32(&dump, 2); /* debug info: skipped by its size */
	put_u32(&dump, 24);
	put_u64(&dump, 41);
	put_u64(&dump, 0);
	put_u32(&dump, 3); /* close */
	put_u32(&dump, 16);
	put_u64(&dump, 50);
	put_load(&dump, 60, 0x3000, 8, 4, "after the close");
	return dump;
}

static void test_jitdump_replays_in_order_of_time(void **state)
{
	struct dump dump = make_dump();
	struct lode_symtab symtab = {0};
	struct lode_arena arena = {0};

	(void)state;
	assert_int_equal(lode_jitdump_parse(&symtab, &arena, dump.bytes, dump.n, "d", NULL), 0);
	lode_symtab_settle(&symtab, LODE_SYMTAB_LAST_WINS);
	assert_string_equal(name_at(&symtab, 0x1000), "latest");
	assert_string_equal(name_at(&symtab, 0x1007), "latest");
	assert_string_equal(name_at(&symtab, 0x1008), "middle");
	assert_string_equal(name_at(&symtab, 0x100c), "early");
	assert_string_equal(name_at(&symtab, 0x2000), "middle");
	assert_string_equal(name_at(&symtab, 0x3000), "-");
	lode_symtab_release(&symtab);
	lode_arena_release(&arena);
}

static void test_every_prefix_and_every_flipped_byte_of_a_jitdump_is_survived(void **state)
{
	struct dump dump = make_dump();

	(void)state;
	for (size_t n = 0; n < 2 * dump.n; n++) {
		struct lode_symtab symtab = {0};
		struct lode_arena arena = {0};
		size_t size = n < dump.n ? n : dump.n;
		uint8_t *copy = malloc(size ? size : 1);
		int rc;

		memcpy(copy, dump.bytes, size);
		if (n >= dump.n)
			copy[n - dump.n] ^= 0xff;
		rc = lode_jitdump_parse(&symtab, &arena, copy, size, "d", NULL);
		assert_true(rc == 0 || rc == LODE_ERR_FORMAT);
		assert_int_equal(rc == 0, symtab.entries.n > 0);
		lode_symtab_settle(&symtab, LODE_SYMTAB_LAST_WINS);
		lode_symtab_release(&symtab);
		lode_arena_release(&arena);
		free(copy);
	}
}

static void test_names_of_dump_files(void **state)
{
	(void)state;
	assert_int_equal(lode_jit_dump_pid("/home/u/.debug/jit/x/jit-1234.dump"), 1234);
	assert_int_equal(lode_jit_dump_pid("jit-7.dump"), 7);
	assert_int_equal(lode_jit_dump_pid("/tmp/jit-7.dump.old"), 0);
	assert_int_equal(lode_jit_dump_pid("/tmp/jit-.dump"), 0);
	assert_int_equal(lode_jit_dump_pid("/tmp/jit--7.dump"), 0);
	assert_int_equal(lode_jit_dump_pid("/tmp/jit-99999999999999999999.dump"), 0);
	assert_int_equal(lode_jit_dump_pid("/usr/lib/libjit-1.so"), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_perf_map_lines),
		cmocka_unit_test(test_a_map_without_functions_is_an_error),
		cmocka_unit_test(test_jitdump_replays_in_order_of_time),
		cmocka_unit_test(test_every_prefix_and_every_flipped_byte_of_a_jitdump_is_survived),
		cmocka_unit_test(test_names_of_dump_files),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
