/* Arguments and environment are erased from stack dumps, and nothing else is. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <elf.h>
#include <linux/perf_event.h>
#include <cmocka.h>

#include "record/dump_arguments.h"
#include "scratch.h"

enum { N_FRAMES = 30, N_WORDS = 64, DUMP_BYTES = N_WORDS * 8 };

/* Frames, a vector, a secret. Gives where the secret is. */
static size_t make_dump(uint64_t *words)
{
	static const uint64_t vector[] = {AT_SYSINFO_EHDR, 0x7ffff7fc1000, AT_HWCAP,  1,
					  AT_PAGESZ,	   4096,	   AT_CLKTCK, 100,
					  AT_PHDR,	   0x400040,	   AT_NULL,   0};
	size_t at = N_FRAMES;

	for (size_t i = 0; i < N_WORDS; i++)
		words[i] = 0x1000 + i;
	memcpy(words + at, vector, sizeof(vector));
	at += sizeof(vector) / 8;
	memcpy(words + at, "--token=tok12345", 16);
	return at * 8;
}

static void expect_erased(uint64_t *words, size_t from, size_t size)
{
	uint64_t kept[N_WORDS];

	memcpy(kept, words, sizeof(kept));
	lode_dump_erase_arguments((char *)words, size);
	assert_memory_equal(words, kept, from);
	for (size_t i = from; i < size; i++)
		assert_int_equal(((char *)words)[i], 0);
	assert_memory_equal((char *)words + size, (char *)kept + size, sizeof(kept) - size);
}

static void test_what_is_behind_the_vector_is_erased(void **state)
{
	uint64_t words[N_WORDS];
	size_t at = make_dump(words);

	(void)state;
	expect_erased(words, at, sizeof(words));
	/* The dump ends with the vector, or within it. */
	make_dump(words);
	expect_erased(words, at, at);
	make_dump(words);
	expect_erased(words, at - 16, at - 16);
	/* A page size that is none. */
	make_dump(words);
	words[N_FRAMES + 5] = 4097;
	expect_erased(words, sizeof(words), sizeof(words));
	lode_dump_erase_arguments((char *)words, 0);
}

static void test_lists_of_texts_are_erased(void **state)
{
	static const char list[] = "bash\0-c\0tool --token=tok12345\0HOME=/root";
	uint64_t words[N_WORDS], kept[N_WORDS];

	(void)state;
	for (size_t i = 0; i < N_WORDS; i++)
		words[i] = 0x0000555555554141 + i;
	memcpy(words + 10, "a text\0\0another", 16);
	memcpy(kept, words, sizeof(kept));
	lode_dump_erase_arguments((char *)words, sizeof(words));
	assert_memory_equal(words, kept, sizeof(words));
	memcpy(words + 20, list, sizeof(list));
	lode_dump_erase_arguments((char *)words, sizeof(words));
	assert_null(memmem(words, sizeof(words), "tok12345", 8));
	assert_memory_equal(words, kept, 20 * 8 - 8);
	assert_memory_equal(words + 27, kept + 27, (N_WORDS - 27) * 8);
}

static void test_a_file_of_perf_keeps_all_else(void **state)
{
	enum { ATTRS_AT = 104, DATA_AT = 104 + PERF_ATTR_SIZE_VER5 };
	uint64_t words[N_WORDS];
	size_t secret = make_dump(words), n = DATA_AT;
	struct perf_event_attr attr = {.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_STACK_USER |
						      PERF_SAMPLE_DATA_SRC,
				       .sample_stack_user = DUMP_BYTES};
	/* The address, the size of the dump, what is filled of it, DATA_SRC. */
	const struct perf_event_header header = {.type = PERF_RECORD_SAMPLE,
						 .size = 8 + 16 + DUMP_BYTES + 16};
	const struct perf_event_header comm = {.type = PERF_RECORD_COMM, .size = header.size};
	const uint64_t size = DUMP_BYTES;
	char file[4096] = "PERFILE2", got[4096];
	struct scratch scratch;
	struct lode_error err;
	const char *path;
	FILE *in;

	(void)state;
	memcpy(file + 16, &(uint64_t){PERF_ATTR_SIZE_VER5}, 8);
	memcpy(file + 24, &(uint64_t){ATTRS_AT}, 8);
	memcpy(file + 32, &(uint64_t){PERF_ATTR_SIZE_VER5}, 8);
	memcpy(file + 40, &(uint64_t){DATA_AT}, 8);
	memcpy(file + 48, &(uint64_t){2 * header.size}, 8);
	memcpy(file + ATTRS_AT, &attr, PERF_ATTR_SIZE_VER5);
	for (int i = 0; i < 2; i++) {
		memcpy(file + n, i ? &comm : &header, 8);
		memcpy(file + n + 16, &size, 8);
		memcpy(file + n + 24, words, DUMP_BYTES);
		memcpy(file + n + 24 + DUMP_BYTES, &size, 8);
		memcpy(file + n + 32 + DUMP_BYTES, &(uint64_t){0x1e05080021}, 8);
		n += header.size;
	}
	scratch_make(&scratch);
	path = scratch_path(&scratch, "perf.data");
	scratch_write(path, file, n);
	assert_int_equal(lode_dumps_erase_arguments(path, &err), 0);
	in = fopen(path, "rb");
	assert_non_null(in);
	assert_int_equal(fread(got, 1, sizeof(got), in), n);
	fclose(in);
	memset(file + DATA_AT + 24 + secret, 0, DUMP_BYTES - secret);
	assert_memory_equal(got, file, n);
	/* More behind the dump than is known. */
	attr.sample_type |= PERF_SAMPLE_REGS_INTR;
	memcpy(file + ATTRS_AT, &attr, PERF_ATTR_SIZE_VER5);
	scratch_write(path, file, n);
	assert_int_equal(lode_dumps_erase_arguments(path, &err), LODE_ERR_UNSUPPORTED);
	/* Damaged, empty, not there. */
	attr.sample_type &= ~(uint64_t)PERF_SAMPLE_REGS_INTR;
	memcpy(file + ATTRS_AT, &attr, PERF_ATTR_SIZE_VER5);
	memset(file + DATA_AT, 0, 8);
	scratch_write(path, file, n);
	assert_int_equal(lode_dumps_erase_arguments(path, &err), 0);
	memset(file + 24, 0xff, 32);
	scratch_write(path, file, n);
	assert_int_equal(lode_dumps_erase_arguments(path, &err), 0);
	scratch_write(path, file, 0);
	assert_int_equal(lode_dumps_erase_arguments(path, &err), 0);
	assert_int_equal(lode_dumps_erase_arguments("/nowhere/perf.data", &err), LODE_ERR_IO);
	scratch_remove(&scratch);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_what_is_behind_the_vector_is_erased),
		cmocka_unit_test(test_lists_of_texts_are_erased),
		cmocka_unit_test(test_a_file_of_perf_keeps_all_else),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
