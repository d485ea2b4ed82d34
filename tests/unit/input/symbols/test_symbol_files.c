/*
 * Which file on disk is the module that was recorded.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include <lzma.h>

#include "own.h"
#include "scratch.h"
#include "input/symbols/elf_file.h"
#include "input/symbols/files.h"
#include "input/symbols/symbols.h"
#include "input/symbols/packages.h"

int lode_test_marked(volatile int *p);
__attribute__((noinline)) int lode_test_marked(volatile int *p)
{
	return *p * 3;
}

static struct lode_dso *own_dso(struct lode_symboliser *symboliser, const char *path,
				const char *recording, const struct own_id *id)
{
	return lode_symboliser_dso(symboliser, &(struct lode_dso_key){.kind = LODE_DSO_USER,
								      .path = path,
								      .build_id = id->bytes,
								      .build_id_size = id->size,
								      .recording = recording});
}

static void test_the_recorded_build_id_decides(void **state)
{
	struct lode_symboliser *symboliser = make(&(struct lode_symbol_options){0});
	uint64_t offset = offset_of((const void *)(uintptr_t)lode_test_marked);
	struct own_id id = own_build_id(), wrong = id, none = {.size = 0};
	struct lode_dso *dso;
	char part[32];

	(void)state;
	if (!id.size)
		skip();
	dso = own_dso(symboliser, own_path(), NULL, &id);
	assert_string_equal(resolve(dso, offset), "lode_test_marked");
	assert_contains(lode_dso_status(dso), "build-id verified");
	assert_string_equal(lode_dso_build_id(dso), id.hex);
	assert_true(lode_dso_has_symbols(dso));

	wrong.bytes[0] ^= 0xff;
	dso = own_dso(symboliser, own_path(), NULL, &wrong);
	assert_string_equal(resolve(dso, offset), "-");
	assert_false(lode_dso_has_symbols(dso));
	assert_contains(lode_dso_status(dso), own_path());
	assert_contains(lode_dso_status(dso), "--buildid-dir");
	snprintf(part, sizeof(part), "file has %.16s;", id.hex);
	assert_contains(lode_dso_status(dso), part);

	dso = own_dso(symboliser, own_path(), NULL, &none);
	assert_string_equal(resolve(dso, offset), "lode_test_marked");
	assert_contains(lode_dso_status(dso), "not verified");

	dso = own_dso(symboliser, "/nonexistent/program", NULL, &id);
	assert_string_equal(resolve(dso, offset), "-");
	assert_contains(lode_dso_status(dso), "no file with build-id");
	lode_symboliser_free(symboliser);
}

static void test_every_place_is_looked_at(void **state)
{
	/* %d: the scratch directory is --buildid-dir, --symfs or holds the recording. */
	enum { CACHE, SYMFS, BESIDE };
	static const struct {
		int as;
		const char *place; /* with the build-id's first byte, its rest, and all of it */
	} places[] = {
		{CACHE, ".build-id/%.2s/%s/elf"},
		{CACHE, ".build-id/%.2s/%s"},
		{CACHE, "gone/program/%.0s%.0s%s/elf"},
		{SYMFS, "gone/program%.0s%.0s"},
		{SYMFS, "usr/lib/debug/.build-id/%.2s/%s.debug"},
		{BESIDE, "symbols/.build-id/%.2s/%s/elf"},
		{BESIDE, ".debug/.build-id/%.2s/%s/elf"},
		{BESIDE, ".build-id/%.2s/%s/elf"},
		{BESIDE, "symbols/gone/program%.0s%.0s"},
		{BESIDE, "symbols/program%.0s%.0s"},
	};
	uint64_t offset = offset_of((const void *)(uintptr_t)lode_test_marked);
	struct own_id id = own_build_id();

	(void)state;
	if (!id.size)
		skip();
	for (size_t i = 0; i < sizeof(places) / sizeof(*places); i++) {
		struct lode_symbol_options options = {0};
		struct lode_symboliser *symboliser;
		struct scratch scratch;
		struct lode_dso *dso;
		char place[256], recording[128];

		scratch_make(&scratch);
		snprintf(place, sizeof(place), places[i].place, id.hex, id.hex + 2, id.hex);
		scratch_copy(scratch_path(&scratch, "%s", place), own_path());
		options.buildid_dir = places[i].as == CACHE ? scratch.dir : NULL;
		options.symfs = places[i].as == SYMFS ? scratch.dir : NULL;
		snprintf(recording, sizeof(recording), "%s/perf.data", scratch.dir);
		symboliser = make(&options);
		dso = own_dso(symboliser, "/gone/program",
			      places[i].as == BESIDE ? recording : "/elsewhere/perf.data", &id);
		if (strcmp(resolve(dso, offset), "lode_test_marked") != 0) {
			print_error("%s: %s\n", place, lode_dso_status(dso));
			fail();
		}
		assert_contains(lode_dso_status(dso), scratch.dir);
		lode_symboliser_free(symboliser);
		scratch_remove(&scratch);
	}
}

static void test_the_package_of_a_stripped_file_is_named(void **state)
{
	static const char *const lists[][2] = {
		{"postgresql-15.list", "/.\n/usr/lib/postgresql/15/bin/postgres\n/usr/share\n"},
		{"libpq5:amd64.list", "/usr/lib/x86_64-linux-gnu/libpq.so.5.15\n"},
		{"libc6:amd64.list", "/lib/x86_64-linux-gnu/libc.so.6"},
		{"noise.md5sums", "/usr/bin/other\n"},
		{"near.list", "/usr/bin/others\n/a/usr/bin/other\n"},
	};
	static const char *const cases[][2] = {
		{"/usr/lib/postgresql/15/bin/postgres", "postgresql-15-dbgsym"},
		{"/lib/x86_64-linux-gnu/libpq.so.5.15", "libpq5-dbgsym"},
		{"/usr/lib/x86_64-linux-gnu/libc.so.6", "libc6-dbg"},
		{"/usr/bin/other", NULL},
		{"relative", NULL},
	};
	struct scratch scratch;
	char package[64];

	(void)state;
	scratch_make(&scratch);
	for (size_t i = 0; i < sizeof(lists) / sizeof(*lists); i++)
		scratch_write(scratch_path(&scratch, "var/lib/dpkg/info/%s", lists[i][0]),
			      lists[i][1], strlen(lists[i][1]));
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		bool is_found =
			lode_debug_package(package, sizeof(package), scratch.dir, cases[i][0]);

		assert_int_equal(is_found, cases[i][1] != NULL);
		if (is_found)
			assert_string_equal(package, cases[i][1]);
	}
	scratch_remove(&scratch);
}

static void test_without_a_build_id_the_only_one_of_its_layout_is_taken(void **state)
{
	uint64_t offset = offset_of((const void *)(uintptr_t)lode_test_marked);
	struct lode_dso_key key = {.kind = LODE_DSO_USER, .path = "/gone/program"};
	struct scratch scratch;

	(void)state;
	scratch_make(&scratch);
	scratch_copy(scratch_path(&scratch, ".build-id/11/22/elf"), own_path());
	scratch_write(scratch_path(&scratch, ".build-id/11/33/elf"), "no ELF", 6);
	key.n_code = 1;
	own_layout(&key.code[0].offset, &key.code[0].bytes);
	for (int turn = 0; turn < 3; turn++) {
		struct lode_symboliser *symboliser;
		struct lode_dso *dso;

		/* Another size: another program. The same once more: which one it was is not known.
		 */
		key.code[0].bytes += turn == 1 ? 4096 : turn == 2 ? (uint64_t)-4096 : 0;
		if (turn == 2)
			scratch_copy(scratch_path(&scratch, ".build-id/44/55/elf"), own_path());
		symboliser = make(&(struct lode_symbol_options){.buildid_dir = scratch.dir});
		dso = lode_symboliser_dso(symboliser, &key);
		assert_string_equal(resolve(dso, offset), turn ? "-" : "lode_test_marked");
		assert_contains(lode_dso_status(dso),
				turn ? "no such ELF file" : "the only program found");
		lode_symboliser_free(symboliser);
	}
	scratch_remove(&scratch);
}

/* What objcopy and strip do to programs whose segments do not lie side by side in the file. */
static void move_code(const char *path, int64_t by)
{
	size_t size;
	char *data = scratch_read(path, &size);
	ElfW(Ehdr) *header = (ElfW(Ehdr) *)(void *)data;
	ElfW(Phdr) *segments = (ElfW(Phdr) *)(void *)(data + header->e_phoff);

	for (int i = 0; i < header->e_phnum; i++)
		if (segments[i].p_type == PT_LOAD && segments[i].p_flags & PF_X)
			segments[i].p_offset += (ElfW(Off))by;
	scratch_write(path, data, size);
	free(data);
}

static void test_code_that_was_moved_in_the_file_keeps_its_names(void **state)
{
	uint64_t offset = offset_of((const void *)(uintptr_t)lode_test_marked);
	struct own_id id = own_build_id();
	struct lode_dso_key key = {.kind = LODE_DSO_USER,
				   .path = "/gone/program",
				   .build_id = id.bytes,
				   .build_id_size = id.size,
				   .n_code = 2};
	struct scratch scratch;

	(void)state;
	if (!id.size)
		skip();
	scratch_make(&scratch);
	own_layout(&key.code[0].offset, &key.code[0].bytes);
	/* A part of it tells nothing. */
	key.code[1] = (struct lode_code_range){key.code[0].offset + 8192, 4096};
	for (int turn = 0; turn < 3; turn++) {
		static const char *const said[] = {"build-id verified", "stripped since",
						   "is not at the recorded place"};
		struct lode_symboliser *symboliser;
		struct lode_dso *dso;
		const char *path =
			scratch_path(&scratch, ".build-id/%.2s/%s/elf", id.hex, id.hex + 2);

		scratch_copy(path, own_path());
		if (turn)
			move_code(path, turn == 1 ? -4096 : 8192);
		/* Behind its place, and of no segment's size, with pages of any size. */
		if (turn == 2)
			key.code[0].bytes += 1 << 20;
		symboliser = make(&(struct lode_symbol_options){.buildid_dir = scratch.dir});
		dso = lode_symboliser_dso(symboliser, &key);
		assert_string_equal(resolve(dso, offset), turn == 2 ? "-" : "lode_test_marked");
		assert_contains(lode_dso_status(dso), said[turn]);
		lode_symboliser_free(symboliser);
	}
	scratch_remove(&scratch);
}

/* What moved by 4 KiB fits into pages of 16 KiB where the mapping happens to end at one of these.
 */
static void test_pages_are_those_of_the_processor(void **state)
{
	const struct lode_code_range mapped = {0x40000, 0x108000};

	(void)state;
	for (uint64_t largest = 4096; largest <= 65536; largest *= 4) {
		struct lode_elf_map map = {.has_headers = true, .largest_page = largest};

		lode_vec_append(&map.segments,
				((struct lode_elf_segment){0x3f000, 0x107649, 0x40000, true}));
		assert_int_equal(lode_elf_map_fit(&map, &mapped, 1),
				 largest == 4096 ? LODE_ELF_MOVED : LODE_ELF_FITS);
		assert_int_equal(map.segments.at[0].offset, largest == 4096 ? 0x40000 : 0x3f000);
		lode_elf_map_release(&map);
	}
}

static void test_a_cache_with_the_wrong_file_is_not_believed(void **state)
{
	struct own_id id = own_build_id();
	struct lode_symboliser *symboliser;
	struct scratch scratch;
	struct lode_dso *dso;

	(void)state;
	if (!id.size)
		skip();
	id.bytes[3] ^= 1;
	scratch_make(&scratch);
	scratch_copy(scratch_path(&scratch, ".build-id/%.2s/%02x%02x%02x%s/elf", id.hex,
				  id.bytes[1], id.bytes[2], id.bytes[3], id.hex + 8),
		     own_path());
	symboliser = make(&(struct lode_symbol_options){.buildid_dir = scratch.dir});
	dso = own_dso(symboliser, "/gone/program", NULL, &id);
	assert_string_equal(resolve(dso, 0x1000), "-");
	assert_contains(lode_dso_status(dso), "recorded, file has");
	lode_symboliser_free(symboliser);
	scratch_remove(&scratch);
}

static int __attribute__((format(printf, 1, 2))) shell(const char *format, ...)
{
	char command[4 * PATH_MAX];
	va_list args;

	va_start(args, format);
	vsnprintf(command, sizeof(command), format, args);
	va_end(args);
	return system(command); // NOLINT(cert-env33-c)
}

/* A program without symbols, and its debug file under the name that its .gnu_debuglink tells. */
static bool make_stripped(struct scratch *scratch, const char *link_options)
{
	const char *dir = scratch->dir;

	return shell("cd %s && echo 'int marked(volatile int *p) { return *p; } "
		     "int main(int c, char **v) { (void)v; return marked(&c); }' > p.c && "
		     "cc -g -O1 -fno-inline %s p.c -o p 2>/dev/null && "
		     "objcopy --only-keep-debug p p.debug 2>/dev/null && "
		     "nm p | sed -n 's/ [tT] marked$//p' > address && strip p 2>/dev/null && "
		     "objcopy --add-gnu-debuglink=p.debug p 2>/dev/null",
		     dir, link_options) == 0;
}

static uint64_t marked_address(struct scratch *scratch)
{
	unsigned long long address = 0;
	FILE *file = fopen(scratch_path(scratch, "address"), "r");

	if (!file || fscanf(file, "%llx", &address) != 1)
		abort();
	fclose(file);
	return address;
}

/* In small programs of the usual linkers the file offset of code is its address, less the base. */
static const char *resolve_marked(struct scratch *scratch, const struct lode_dso_key *key,
				  char *status, size_t size)
{
	static char name[128];
	struct lode_symboliser *symboliser = make(&(struct lode_symbol_options){0});
	struct lode_dso *dso = lode_symboliser_dso(symboliser, key);
	struct lode_elf_file *file = lode_elf_open(key->path);
	GElf_Shdr text;

	assert_non_null(lode_elf_section(file, ".text", &text));
	snprintf(name, sizeof(name), "%s",
		 resolve(dso, marked_address(scratch) - text.sh_addr + text.sh_offset));
	snprintf(status, size, "%s", lode_dso_status(dso));
	lode_elf_close(file);
	lode_symboliser_free(symboliser);
	return name;
}

static void test_debug_links_are_followed_and_checked(void **state)
{
	static const char *const link_options[] = {"", "-Wl,--build-id=none"};
	struct lode_dso_key key = {.kind = LODE_DSO_USER};
	char status[1024], path[PATH_MAX];

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct scratch scratch;
		size_t size;
		char *data;

		scratch_make(&scratch);
		if (!make_stripped(&scratch, link_options[i])) {
			scratch_remove(&scratch);
			skip();
		}
		snprintf(path, sizeof(path), "%s", scratch_path(&scratch, "p"));
		key.path = path;
		assert_string_equal(resolve_marked(&scratch, &key, status, sizeof(status)),
				    "marked");
		assert_contains(status, "p.debug");

		/* Another content under the same name: neither CRC nor build-id may pass. */
		data = scratch_read(scratch_path(&scratch, "p.debug"), &size);
		if (i == 0)
			scratch_copy(scratch_path(&scratch, "p.debug"), own_path());
		else
			scratch_write(scratch_path(&scratch, "p.debug"), data, size - 1);
		free(data);
		assert_string_equal(resolve_marked(&scratch, &key, status, sizeof(status)), "-");
		assert_contains(status, ".dynsym only");
		scratch_remove(&scratch);
	}
}

static void test_a_debug_file_alone_is_not_enough(void **state)
{
	struct lode_symboliser *symboliser;
	struct scratch scratch;
	struct lode_dso *dso;
	char debug[PATH_MAX];

	(void)state;
	scratch_make(&scratch);
	if (!make_stripped(&scratch, "")) {
		scratch_remove(&scratch);
		skip();
	}
	snprintf(debug, sizeof(debug), "%s", scratch_path(&scratch, "p.debug"));
	symboliser = make(&(struct lode_symbol_options){0});
	dso = lode_symboliser_dso(symboliser,
				  &(struct lode_dso_key){.kind = LODE_DSO_USER, .path = debug});
	assert_string_equal(resolve(dso, 0x1000), "-");
	assert_contains(lode_dso_status(dso), "debug file without its program");
	lode_symboliser_free(symboliser);
	scratch_remove(&scratch);
}

/* Of a copy no package says anything: it is asked for by the path that was recorded. */
static void test_a_stripped_file_is_told_by_its_recorded_path(void **state)
{
	struct lode_symboliser *symboliser;
	char path[PATH_MAX], hex[2 * LODE_BUILD_ID_MAX + 1];
	struct lode_elf_file *file;
	struct scratch scratch;
	struct lode_dso *dso;

	(void)state;
	scratch_make(&scratch);
	if (!make_stripped(&scratch, "-Wl,--build-id=sha1")) {
		scratch_remove(&scratch);
		skip();
	}
	snprintf(path, sizeof(path), "%s", scratch_path(&scratch, "p"));
	file = lode_elf_open(path);
	assert_non_null(file);
	lode_hex(hex, file->build_id, file->build_id_size);
	scratch_copy(scratch_path(&scratch, ".build-id/%.2s/%s/elf", hex, hex + 2), path);
	symboliser = make(&(struct lode_symbol_options){.buildid_dir = scratch.dir});
	dso = lode_symboliser_dso(symboliser,
				  &(struct lode_dso_key){.kind = LODE_DSO_USER,
							 .path = path,
							 .build_id = file->build_id,
							 .build_id_size = file->build_id_size});
	assert_int_equal(unlink(scratch_path(&scratch, "p.debug")), 0);
	assert_string_equal(resolve(dso, 0x1000), "-");
	assert_contains(lode_dso_status(dso), ".build-id");
	assert_string_equal(lode_dso_stripped_file(dso), path);
	/* Another program under that name is not what was recorded. */
	scratch_copy(path, own_path());
	assert_contains(lode_dso_stripped_file(dso), ".build-id");
	lode_elf_close(file);
	lode_symboliser_free(symboliser);
	scratch_remove(&scratch);
}

static void test_compressed_mini_debuginfo_is_read(void **state)
{
	struct lode_dso_key key = {.kind = LODE_DSO_USER};
	char status[1024], path[PATH_MAX];
	struct scratch scratch;
	size_t size, packed = 0;
	uint8_t *out;
	char *data;

	(void)state;
	scratch_make(&scratch);
	if (!make_stripped(&scratch, "")) {
		scratch_remove(&scratch);
		skip();
	}
	data = scratch_read(scratch_path(&scratch, "p.debug"), &size);
	out = malloc(lzma_stream_buffer_bound(size));
	assert_int_equal(lzma_easy_buffer_encode(1, LZMA_CHECK_CRC32, NULL, (uint8_t *)data, size,
						 out, &packed, lzma_stream_buffer_bound(size)),
			 LZMA_OK);
	scratch_write(scratch_path(&scratch, "packed"), out, packed);
	free(data);
	free(out);
	assert_int_equal(shell("cd %s && rm p.debug && objcopy --remove-section .gnu_debuglink "
			       "--add-section .gnu_debugdata=packed p",
			       scratch.dir),
			 0);
	snprintf(path, sizeof(path), "%s", scratch_path(&scratch, "p"));
	key.path = path;
	assert_string_equal(resolve_marked(&scratch, &key, status, sizeof(status)), "marked");
	assert_contains(status, ".gnu_debugdata");
	scratch_remove(&scratch);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_the_recorded_build_id_decides),
		cmocka_unit_test(test_every_place_is_looked_at),
		cmocka_unit_test(test_the_package_of_a_stripped_file_is_named),
		cmocka_unit_test(test_a_stripped_file_is_told_by_its_recorded_path),
		cmocka_unit_test(test_without_a_build_id_the_only_one_of_its_layout_is_taken),
		cmocka_unit_test(test_code_that_was_moved_in_the_file_keeps_its_names),
		cmocka_unit_test(test_pages_are_those_of_the_processor),
		cmocka_unit_test(test_a_cache_with_the_wrong_file_is_not_believed),
		cmocka_unit_test(test_debug_links_are_followed_and_checked),
		cmocka_unit_test(test_a_debug_file_alone_is_not_enough),
		cmocka_unit_test(test_compressed_mini_debuginfo_is_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
