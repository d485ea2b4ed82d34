/*
 * Build-ids that a recording lacks: recordings beside it tell, unless they contradict each other.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include <zstd.h>

#include "scratch.h"
#include "input/siblings.h"
#include "unit/input/perf_image.h"
#include "unit/input/symbols/own.h"

int lode_test_lent(volatile int *p);
__attribute__((noinline)) int lode_test_lent(volatile int *p)
{
	return *p * 3;
}

enum { PLAIN, PACKED, PIPED };

/* A recording of "testhost" that knows `path` by `id`. */
static void write_recording(struct scratch *scratch, const char *name, const char *path,
			    const uint8_t *id, int how)
{
	struct perf_image_event clock = {.id = 1, .type = 1};
	struct perf_image image = {.is_pipe = how == PIPED};
	perf_bytes bytes;

	lode_vec_append(&image.events, clock);
	perf_put_comm(&image.records, &clock, 1, "a", false, 1);
	perf_image_build_id(&image, path, id);
	bytes = perf_image_write(&image);
	if (how == PACKED) {
		char packed[65536];
		size_t n = ZSTD_compress(packed, sizeof(packed), bytes.at, bytes.n, 1);

		assert_false(ZSTD_isError(n));
		scratch_write(scratch_path(scratch, "%s", name), packed, n);
	} else {
		scratch_write(scratch_path(scratch, "%s", name), bytes.at, bytes.n);
	}
	lode_vec_release(&bytes);
	perf_image_release(&image);
}

/* What becomes of this program as one of which a.perf.data has no build-id. */
static void expect(struct scratch *scratch, const struct lode_dso_key *key, bool is_named,
		   const char *status)
{
	struct lode_symboliser *symboliser =
		make(&(struct lode_symbol_options){.buildid_dir = scratch->dir});
	struct lode_dso *dso = lode_symboliser_dso(symboliser, key);
	char *recording = lode_strdup(scratch_path(scratch, "rec/a.perf.data"));

	lode_siblings_lend(symboliser, &recording, 1);
	assert_string_equal(resolve(dso, offset_of((const void *)(uintptr_t)lode_test_lent)),
			    is_named ? "lode_test_lent" : "-");
	assert_contains(lode_dso_status(dso), status);
	assert_int_equal(lode_dso_is_inferred(dso), is_named);
	if (is_named)
		assert_string_equal(lode_dso_build_id(dso), own_build_id().hex);
	lode_symboliser_free(symboliser);
	free(recording);
}

/* This program in a cache, and another file of the same layout, so that the layout tells nothing.
 */
static struct lode_dso_key set_up(struct scratch *scratch, struct own_id *own)
{
	struct lode_dso_key key = {
		.kind = LODE_DSO_USER, .path = "/gone/program", .host = "testhost"};

	*own = own_build_id();
	assert_int_equal(own->size, 20);
	scratch_make(scratch);
	scratch_copy(scratch_path(scratch, ".build-id/%.2s/%s/elf", own->hex, own->hex + 2),
		     own_path());
	scratch_copy(scratch_path(scratch, ".build-id/11/22/elf"), own_path());
	key.n_code = 1;
	own_layout(&key.code[0].offset, &key.code[0].bytes);
	return key;
}

static void test_another_recording_of_the_host_tells(void **state)
{
	struct scratch scratch;
	struct own_id own;
	struct lode_dso_key key = set_up(&scratch, &own), other;
	uint8_t different[20] = {1};

	(void)state;
	write_recording(&scratch, "rec/a.perf.data", "/bin/else", different, PLAIN);
	expect(&scratch, &key, false, "no such ELF file");
	write_recording(&scratch, "rec/b.perf.data", "/gone/program", own.bytes, PLAIN);
	scratch_write(scratch_path(&scratch, "rec/c.perf.data"), "PERFILE2", 8);
	scratch_write(scratch_path(&scratch, "rec/notes"), "x", 1);
	expect(&scratch, &key, true, "build-id inferred: by other recordings of this host");
	other = key;
	other.host = "elsewhere";
	expect(&scratch, &other, false, "no such ELF file");
	other = key;
	other.path = "/gone/other";
	expect(&scratch, &other, false, "no such ELF file");
	/* A file of that build-id, but not the one that was mapped, with pages of any size. */
	other = key;
	other.code[0].bytes += 1 << 20;
	expect(&scratch, &other, false, "not have the recorded size and place");
	scratch_remove(&scratch);
}

static void test_recordings_that_contradict_each_other_tell_nothing(void **state)
{
	struct scratch scratch;
	struct own_id own;
	struct lode_dso_key key = set_up(&scratch, &own);
	uint8_t different[20] = {1};

	(void)state;
	key.is_of_command = true;
	write_recording(&scratch, "rec/b.perf.data", "/gone/program", own.bytes, PLAIN);
	expect(&scratch, &key, true, "build-id inferred");
	write_recording(&scratch, "rec/c.perf.data", "/gone/program", different, PLAIN);
	expect(&scratch, &key, false, "other recordings of this host have several build-ids");
	scratch_remove(&scratch);
}

static void test_compressed_recordings_are_unpacked_for_the_command_alone(void **state)
{
	struct scratch scratch;
	struct own_id own;
	struct lode_dso_key key = set_up(&scratch, &own);

	(void)state;
	write_recording(&scratch, "rec/b.perf.data.zst", "/gone/program", own.bytes, PACKED);
	write_recording(&scratch, "rec/c.perf.data", "/gone/program", own.bytes, PIPED);
	expect(&scratch, &key, false, "no such ELF file");
	key.is_of_command = true;
	expect(&scratch, &key, true, "build-id inferred");
	scratch_remove(&scratch);
}

static void test_compressed_recordings_beside_are_asked_until_one_knows(void **state)
{
	struct scratch scratch;
	struct own_id own;
	struct lode_dso_key key = set_up(&scratch, &own);
	uint8_t different[20] = {1};

	(void)state;
	key.is_of_command = true;
	/* The nearest of them by name that knows it; c is asked, and knows another path. */
	write_recording(&scratch, "rec/a.perf.data", "/bin/else", different, PLAIN);
	write_recording(&scratch, "rec/c.perf.data.zst", "/bin/else", own.bytes, PACKED);
	write_recording(&scratch, "rec/d.perf.data.zst", "/gone/program", own.bytes, PACKED);
	write_recording(&scratch, "rec/e.perf.data.zst", "/gone/program", different, PACKED);
	expect(&scratch, &key, true, "build-id inferred: by other recordings of this host");
	/* None is, if a plain one knows. */
	write_recording(&scratch, "rec/d.perf.data.zst", "/gone/program", different, PACKED);
	write_recording(&scratch, "rec/f.perf.data", "/gone/program", own.bytes, PLAIN);
	expect(&scratch, &key, true, "build-id inferred");
	scratch_remove(&scratch);
}

static void test_at_most_eight_compressed_recordings_beside_are_asked(void **state)
{
	struct scratch scratch;
	struct own_id own;
	struct lode_dso_key key = set_up(&scratch, &own);
	uint8_t different[20] = {1};
	char name[] = "rec/b0.perf.data.zst";

	(void)state;
	key.is_of_command = true;
	write_recording(&scratch, "rec/a.perf.data", "/bin/else", different, PLAIN);
	write_recording(&scratch, "rec/b9.perf.data.zst", "/gone/program", own.bytes, PACKED);
	for (; name[5] < '7'; name[5]++)
		write_recording(&scratch, name, "/bin/else", different, PACKED);
	expect(&scratch, &key, true, "build-id inferred");
	write_recording(&scratch, name, "/bin/else", different, PACKED);
	expect(&scratch, &key, false, "no such ELF file");
	scratch_remove(&scratch);
}

static void test_all_compressed_inputs_are_asked(void **state)
{
	struct scratch scratch;
	struct own_id own;
	struct lode_dso_key key = set_up(&scratch, &own);
	uint8_t different[20] = {1};
	char name[] = "rec/b0.perf.data.zst", *inputs[12] = {NULL};
	struct lode_symboliser *symboliser =
		make(&(struct lode_symbol_options){.buildid_dir = scratch.dir});
	size_t n = 0;

	(void)state;
	key.is_of_command = true;
	write_recording(&scratch, "rec/a.perf.data.zst", "/gone/program", own.bytes, PACKED);
	for (; name[5] <= '9'; name[5]++) {
		write_recording(&scratch, name, "/bin/else", different, PACKED);
		inputs[n++] = lode_strdup(scratch_path(&scratch, "%s", name));
	}
	write_recording(&scratch, "rec/c.perf.data.zst", "/gone/program", different, PACKED);
	inputs[n++] = lode_strdup(scratch_path(&scratch, "rec/c.perf.data.zst"));
	inputs[n++] = lode_strdup(scratch_path(&scratch, "rec/a.perf.data.zst"));
	lode_siblings_lend(symboliser, inputs, n);
	assert_string_equal(resolve(lode_symboliser_dso(symboliser, &key),
				    offset_of((const void *)(uintptr_t)lode_test_lent)),
			    "-");
	assert_contains(lode_dso_status(lode_symboliser_dso(symboliser, &key)),
			"other recordings of this host have several build-ids");
	lode_symboliser_free(symboliser);
	for (size_t i = 0; i < n; i++)
		free(inputs[i]);
	scratch_remove(&scratch);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_another_recording_of_the_host_tells),
		cmocka_unit_test(test_recordings_that_contradict_each_other_tell_nothing),
		cmocka_unit_test(test_compressed_recordings_are_unpacked_for_the_command_alone),
		cmocka_unit_test(test_compressed_recordings_beside_are_asked_until_one_knows),
		cmocka_unit_test(test_at_most_eight_compressed_recordings_beside_are_asked),
		cmocka_unit_test(test_all_compressed_inputs_are_asked),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
