/*
 * The symboliser on real ELF files: first of all, this test's own.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>
#include <elfutils/libdwelf.h>

#include <gelf.h>
#include <pthread.h>
#include <sys/auxv.h>
#include <sys/utsname.h>

#include "base/map.h"
#include "own.h"
#include "random.h"
#include "scratch.h"
#include "input/symbols/elf_file.h"
#include "input/symbols/elf_symbols.h"
#include "input/symbols/symbols.h"

/* ---- Functions whose names are looked up ---- */

int lode_test_mangled(volatile int *p) __asm__("_ZN9lode_test3Foo3barEPVi");
__attribute__((noinline)) int lode_test_mangled(volatile int *p)
{
	return *p * 5;
}

static inline __attribute__((always_inline)) int lode_test_inlined(volatile int *p)
{
	return *p * 7 + p[1];
}

int lode_test_with_inlined(volatile int *p);
__attribute__((noinline)) int lode_test_with_inlined(volatile int *p)
{
	return lode_test_inlined(p) ^ lode_test_inlined(p + 1);
}

/* ---- Lookups ---- */

struct raw_symbol {
	uint64_t start, size;
	const char *name;
};

/* A function without a size is another name for the one that begins there, if one does. */
static size_t give_aliases_a_size(struct raw_symbol *symbols, size_t n)
{
	size_t n_kept = 0;

	for (size_t i = 0; i < n; i++) {
		for (size_t k = 0; k < n && !symbols[i].size; k++)
			if (symbols[k].start == symbols[i].start)
				symbols[i].size = symbols[k].size;
		if (symbols[i].size)
			symbols[n_kept++] = symbols[i];
	}
	return n_kept;
}

/* All functions of a .symtab, as libelf gives them. */
static size_t read_raw_symbols(struct lode_elf_file *file, struct raw_symbol **out)
{
	Elf_Scn *section = NULL;
	GElf_Shdr header;
	Elf_Data *data;
	size_t n = 0;

	while ((section = elf_nextscn(file->elf, section)))
		if (gelf_getshdr(section, &header) && header.sh_type == SHT_SYMTAB)
			break;
	assert_non_null(section);
	data = elf_getdata(section, NULL);
	*out = calloc(header.sh_size / header.sh_entsize, sizeof(**out));
	for (size_t i = 0; i < header.sh_size / header.sh_entsize; i++) {
		GElf_Sym symbol;

		gelf_getsym(data, (int)i, &symbol);
		if (GELF_ST_TYPE(symbol.st_info) != STT_FUNC || symbol.st_shndx == SHN_UNDEF)
			continue;
		(*out)[n].start = symbol.st_value;
		(*out)[n].size = symbol.st_size;
		(*out)[n++].name = elf_strptr(file->elf, header.sh_link, symbol.st_name);
	}
	return give_aliases_a_size(*out, n);
}

static bool is_one_of(const struct raw_symbol *symbols, size_t n, uint64_t address,
		      const char *name, bool *any)
{
	bool found = false;

	for (size_t i = 0; i < n; i++) {
		if (address < symbols[i].start || address - symbols[i].start >= symbols[i].size)
			continue;
		*any = true;
		found |= !strcmp(symbols[i].name, name);
	}
	return found;
}

static void test_every_function_of_this_program_matches_a_scan_of_its_symtab(void **state)
{
	struct lode_symboliser *symboliser =
		make(&(struct lode_symbol_options){.keep_mangled = true});
	struct lode_dso *dso = lode_symboliser_dso(
		symboliser, &(struct lode_dso_key){.kind = LODE_DSO_USER, .path = own_path()});
	struct lode_elf_file *file = lode_elf_open(own_path());
	struct test_random random = {11};
	struct raw_symbol *symbols;
	size_t n = read_raw_symbols(file, &symbols), n_seen = 0;
	GElf_Shdr text;

	(void)state;
	assert_true(n > 20);
	assert_non_null(lode_elf_section(file, ".text", &text));
	for (size_t i = 0; i < 4000; i++) {
		const struct raw_symbol *symbol = &symbols[i % n];
		uint64_t address =
			i < 2 * n
				? symbol->start + (i < n ? 0 : symbol->size - 1)
				: text.sh_addr + test_random_below(&random, (uint32_t)text.sh_size);
		const char *name = resolve(dso, address - text.sh_addr + text.sh_offset);
		bool any = false;

		if (address < text.sh_addr || address >= text.sh_addr + text.sh_size)
			continue;
		if (!is_one_of(symbols, n, address, name, &any) && any) {
			print_error("0x%llx: %s\n", (unsigned long long)address, name);
			fail();
		}
		n_seen += any;
	}
	assert_true(n_seen > 1000);
	free(symbols);
	lode_elf_close(file);
	lode_symboliser_free(symboliser);
}

static void test_names_are_demangled_unless_kept(void **state)
{
	uint64_t offset = offset_of((const void *)(uintptr_t)lode_test_mangled);

	(void)state;
	for (int keep = 0; keep < 2; keep++) {
		struct lode_symboliser *symboliser =
			make(&(struct lode_symbol_options){.keep_mangled = keep});
		struct lode_dso *dso = lode_symboliser_dso(
			symboliser,
			&(struct lode_dso_key){.kind = LODE_DSO_USER, .path = own_path()});

		assert_string_equal(resolve(dso, offset),
				    keep ? "_ZN9lode_test3Foo3barEPVi" : "lode_test::Foo::bar");
		lode_symboliser_free(symboliser);
	}
}

static void test_calls_through_the_plt_have_names(void **state)
{
	struct lode_symboliser *symboliser = make(&(struct lode_symbol_options){0});
	struct lode_dso *dso = lode_symboliser_dso(
		symboliser, &(struct lode_dso_key){.kind = LODE_DSO_USER, .path = own_path()});
	struct lode_elf_file *file = lode_elf_open(own_path());
	Elf_Scn *section = NULL;
	GElf_Shdr header;
	size_t n_stubs = 0, n_named = 0;

	(void)state;
	while ((section = elf_nextscn(file->elf, section))) {
		if (!gelf_getshdr(section, &header) ||
		    strncmp(lode_elf_section_name(file, &header), ".plt", 4) != 0)
			continue;
		for (uint64_t at = 0; at < header.sh_size; at += 16) {
			const char *name = resolve(dso, header.sh_offset + at);

			n_stubs++;
			n_named += strlen(name) > 4 && !strcmp(name + strlen(name) - 4, "@plt");
		}
	}
	/* All but the first, which calls the linker, and a few that are mere padding. */
	if (n_stubs > 8)
		assert_true(n_named * 2 >= n_stubs);
	lode_elf_close(file);
	lode_symboliser_free(symboliser);
}

static void test_inlined_functions_are_told_when_wanted(void **state)
{
	struct lode_symboliser *symboliser =
		make(&(struct lode_symbol_options){.want_inlined = true});
	struct lode_dso *dso = lode_symboliser_dso(
		symboliser, &(struct lode_dso_key){.kind = LODE_DSO_USER, .path = own_path()});
	uint64_t start = offset_of((const void *)(uintptr_t)lode_test_with_inlined);
	struct lode_elf_file *file = lode_elf_open(own_path());
	bool has_dwarf, found = false;
	GElf_Shdr header;

	(void)state;
	has_dwarf = lode_elf_section(file, ".debug_info", &header) != NULL;
	lode_elf_close(file);
	for (uint64_t at = start; at < start + 400; at++) {
		struct lode_symbol symbol;

		lode_dso_resolve(dso, &at, 1, &symbol);
		if (!symbol.name || strcmp(symbol.name, "lode_test_with_inlined") != 0)
			break;
		if (!symbol.n_inlined)
			continue;
		assert_int_equal(symbol.n_inlined, 1);
		assert_string_equal(symbol.inlined[0], "lode_test_inlined");
		found = true;
	}
	lode_symboliser_free(symboliser);
	if (!has_dwarf)
		skip();
	assert_true(found);
}

/* ---- Kernel, its modules, vdso ---- */

static const char kallsyms[] = "ffffffff81000000 T _text\n"
			       "ffffffff81000100 t do_it\n"
			       "ffffffff81000200 T end\n"
			       "ffffffffc0001000 t ext4_read\t[ext4]\n";

static void test_kernel_symbols_come_from_the_given_file(void **state)
{
	struct lode_symboliser *symboliser;
	struct scratch scratch;
	struct lode_dso *kernel, *module, *bpf;
	char file[PATH_MAX];

	(void)state;
	scratch_make(&scratch);
	snprintf(file, sizeof(file), "%s", scratch_path(&scratch, "k"));
	scratch_write(file, kallsyms, strlen(kallsyms));
	symboliser = make(&(struct lode_symbol_options){.kallsyms = file});
	kernel = lode_symboliser_dso(symboliser,
				     &(struct lode_dso_key){.kind = LODE_DSO_KERNEL,
							    .path = "[kernel.kallsyms]_text",
							    .kernel_anchor = 0xffffffff81000000,
							    .recording = "/r/perf.data"});
	module = lode_symboliser_dso(symboliser,
				     &(struct lode_dso_key){.kind = LODE_DSO_KMODULE,
							    .path = "/lib/modules/1/ext4.ko.xz",
							    .code = {{0xffffffffc0001000, 0x1000}},
							    .n_code = 1,
							    .recording = "/r/perf.data"});
	bpf = lode_symboliser_dso(symboliser,
				  &(struct lode_dso_key){.kind = LODE_DSO_KMODULE,
							 .path = "[bpf:ffffffffc0009000]bpf_prog_1",
							 .code = {{0xffffffffc0009000, 0x10}},
							 .n_code = 1,
							 .recording = "/r/perf.data"});
	assert_string_equal(lode_dso_name(kernel), "[kernel]");
	assert_string_equal(lode_dso_name(module), "[kernel]");
	assert_string_equal(resolve(kernel, 0xffffffff81000104), "do_it");
	lode_dso_add_symbol(bpf, 0xffffffffc0009000, 0x10, "bpf_prog_1");
	assert_string_equal(resolve(module, 0xffffffffc0001004), "ext4_read");
	assert_string_equal(resolve(module, 0xffffffff81000104), "-");
	assert_string_equal(resolve(bpf, 0xffffffffc0009004), "bpf_prog_1");
	lode_dso_add_symbol(kernel, 0xffffffff81000100, 0x10, "patched");
	assert_string_equal(resolve(kernel, 0xffffffff81000104), "patched");
	assert_string_equal(resolve(kernel, 0xffffffff81000114), "do_it");
	assert_contains(lode_dso_status(module), "--kallsyms");
	lode_symboliser_free(symboliser);
	scratch_remove(&scratch);
}

static void test_kallsyms_is_found_in_caches_by_build_id(void **state)
{
	static const char *const places[] = {"symbols/.build-id/ab/cd01/kallsyms",
					     ".debug/.build-id/ab/cd01",
					     "symbols/[kernel.kallsyms]/abcd01/kallsyms",
					     "[kernel.kallsyms]/abcd01"};
	static const uint8_t id[] = {0xab, 0xcd, 0x01};

	(void)state;
	for (size_t i = 0; i < sizeof(places) / sizeof(*places); i++) {
		struct lode_symboliser *symboliser = make(&(struct lode_symbol_options){0});
		struct scratch scratch;
		struct lode_dso *dso;
		struct lode_dso_key key = {.kind = LODE_DSO_KERNEL,
					   .path = "[kernel.kallsyms]_text",
					   .kernel_anchor = 0xffffffff81000000,
					   .build_id = id,
					   .build_id_size = sizeof(id)};
		char recording[128];

		scratch_make(&scratch);
		(void)mkdir(scratch_path(&scratch, "symbols"), 0755);
		scratch_write(scratch_path(&scratch, "%s", places[i]), kallsyms, strlen(kallsyms));
		snprintf(recording, sizeof(recording), "%s/perf.data", scratch.dir);
		key.recording = recording;
		dso = lode_symboliser_dso(symboliser, &key);
		assert_string_equal(resolve(dso, 0xffffffff81000104), "do_it");
		assert_contains(lode_dso_status(dso), "verified");

		key.recording = "/nonexistent/perf.data"; /* this one has no such file beside it */
		dso = lode_symboliser_dso(symboliser, &key);
		assert_string_equal(resolve(dso, 0xffffffff81000104), "-");
		assert_contains(lode_dso_status(dso), "--kallsyms");
		lode_symboliser_free(symboliser);
		scratch_remove(&scratch);
	}
}

static void test_another_kernel_than_the_running_one_is_refused(void **state)
{
	struct lode_symboliser *symboliser = make(&(struct lode_symbol_options){0});
	struct lode_dso *dso =
		lode_symboliser_dso(symboliser,
				    &(struct lode_dso_key){.kind = LODE_DSO_KERNEL,
							   .path = "[kernel.kallsyms]_text",
							   .kernel_anchor = 0xffffffff81000000,
							   .kernel_release = "1.2.3-other"});

	(void)state;
	assert_string_equal(resolve(dso, 0xffffffff81000104), "-");
	assert_contains(lode_dso_status(dso), "--kallsyms");
	lode_symboliser_free(symboliser);
}

static void test_wrong_options_are_told(void **state)
{
	struct lode_symboliser *symboliser;
	struct lode_error err;

	(void)state;
	assert_int_equal(lode_symboliser_new(&symboliser,
					     &(struct lode_symbol_options){.kallsyms = "/no/such"},
					     &err),
			 LODE_ERR_IO);
	assert_null(symboliser);
	assert_string_equal(err.path, "/no/such");
	assert_int_equal(
		lode_symboliser_new(&symboliser,
				    &(struct lode_symbol_options){.buildid_dir = "/proc/self/exe"},
				    &err),
		LODE_ERR_ARG);
	assert_int_equal(lode_symboliser_new(&symboliser,
					     &(struct lode_symbol_options){.symfs = "/no/such"},
					     &err),
			 LODE_ERR_IO);
}

static char *own_vdso(size_t *size)
{
	const char *start = (const char *)getauxval(AT_SYSINFO_EHDR);
	const ElfW(Ehdr) *header = (const void *)start;
	char *copy;

	if (!start)
		return NULL;
	*size = header->e_shoff + (size_t)header->e_shnum * header->e_shentsize;
	copy = malloc(*size);
	memcpy(copy, start, *size);
	return copy;
}

static void test_the_own_vdso_is_used_for_the_same_kernel(void **state)
{
	struct lode_symboliser *symboliser = make(&(struct lode_symbol_options){0});
	struct utsname name;
	struct lode_dso *dso;
	size_t size, n_named = 0;
	char *image = own_vdso(&size);

	(void)state;
	uname(&name);
	dso = lode_symboliser_dso(symboliser,
				  &(struct lode_dso_key){.kind = LODE_DSO_VDSO,
							 .path = "[vdso]",
							 .kernel_release = name.release});
	for (uint64_t at = 0; image && at < size; at += 16)
		n_named += strstr(resolve(dso, at), "gettime") != NULL;
	free(image);
	assert_string_equal(lode_dso_name(dso), "[vdso]");
	if (image)
		assert_true(n_named > 0);
	dso = lode_symboliser_dso(symboliser,
				  &(struct lode_dso_key){.kind = LODE_DSO_VDSO,
							 .path = "[vdso]",
							 .kernel_release = "1.2.3-other"});
	assert_string_equal(resolve(dso, 0x700), "-");
	lode_symboliser_free(symboliser);
}

/* ---- JIT ---- */

static void test_jit_maps_are_found_beside_the_recording(void **state)
{
	struct lode_symboliser *symboliser = make(&(struct lode_symbol_options){0});
	struct scratch scratch;
	struct lode_dso *dso, *other;
	char recording[128];

	(void)state;
	scratch_make(&scratch);
	snprintf(recording, sizeof(recording), "%s/perf.data", scratch.dir);
	scratch_write(scratch_path(&scratch, "perf-999999999.map"), "1000 20 Main::run\n", 18);
	dso = lode_symboliser_dso(symboliser, &(struct lode_dso_key){.kind = LODE_DSO_JIT,
								     .path = "//anon",
								     .pid = 999999999,
								     .recording = recording});
	assert_string_equal(lode_dso_name(dso), "[jit]");
	assert_string_equal(resolve(dso, 0x1010), "Main::run");
	other = lode_symboliser_dso(symboliser, &(struct lode_dso_key){.kind = LODE_DSO_JIT,
								       .path = "//anon",
								       .pid = 999999998,
								       .recording = recording});
	assert_ptr_not_equal(dso, other);
	assert_string_equal(resolve(other, 0x1010), "-");
	assert_contains(lode_dso_status(other), "perf-999999998.map");
	lode_dso_add_symbol(other, 0x1000, 0x100, "told_by_the_recording");
	assert_string_equal(resolve(other, 0x1010), "told_by_the_recording");
	lode_symboliser_free(symboliser);
	scratch_remove(&scratch);
}

/* ---- Many threads, bad files ---- */

struct racer {
	struct lode_symboliser *symboliser;
	const char *path;
	uint64_t offset;
	int n_wrong;
};

static void *race(void *context)
{
	struct racer *racer = context;
	struct lode_dso *dso =
		lode_symboliser_dso(racer->symboliser, &(struct lode_dso_key){.kind = LODE_DSO_USER,
									      .path = racer->path});

	for (int i = 0; i < 300; i++) {
		struct lode_symbol symbols[2];
		uint64_t addresses[2] = {racer->offset, racer->offset + (uint64_t)i * 64};

		lode_dso_resolve(dso, addresses, 2, symbols);
		racer->n_wrong += !symbols[0].name ||
				  strcmp(symbols[0].name, "lode_test::Foo::bar") != 0 ||
				  !strstr(lode_dso_status(dso), "verified");
	}
	return NULL;
}

static void test_threads_share_a_symboliser(void **state)
{
	enum { N = 4 };
	struct lode_symboliser *symboliser = make(&(struct lode_symbol_options){0});
	const char *path = own_path();
	struct racer racers[N];
	pthread_t threads[N];

	(void)state;
	for (int i = 0; i < N; i++) {
		racers[i] =
			(struct racer){symboliser, path,
				       offset_of((const void *)(uintptr_t)lode_test_mangled), 0};
		pthread_create(&threads[i], NULL, race, &racers[i]);
	}
	for (int i = 0; i < N; i++) {
		pthread_join(threads[i], NULL);
		assert_int_equal(racers[i].n_wrong, 0);
	}
	lode_symboliser_free(symboliser);
}

/* Reads all that the symboliser would read of a program. */
static void read_all(char *image, size_t size)
{
	struct lode_elf_file *file = lode_elf_open_take(image, size, "broken");
	struct lode_symtab symtab = {0};
	struct lode_arena names = {0};
	struct lode_elf_map map = {0};
	uint64_t address;
	uint32_t crc;

	if (!file)
		return;
	(void)lode_elf_add_symbols(&symtab, &names, file, LODE_ELF_SYMTAB);
	(void)lode_elf_add_symbols(&symtab, &names, file, LODE_ELF_DYNSYM);
	(void)lode_elf_add_plt(&symtab, &names, file);
	(void)dwelf_elf_gnu_debuglink(file->elf, &crc);
	lode_elf_close(lode_elf_open_minidebug(file));
	lode_elf_map_build(&map, file);
	lode_symtab_settle(&symtab, LODE_SYMTAB_ELF);
	for (uint64_t at = 0; at < 0x3000; at += 0x100)
		if (lode_elf_map_find(&map, at, &address))
			(void)lode_symtab_find(&symtab, address);
	lode_elf_map_release(&map);
	lode_symtab_release(&symtab);
	lode_arena_release(&names);
	lode_elf_close(file);
}

static void test_truncated_and_flipped_elf_files_are_survived(void **state)
{
	struct test_random random = {3};
	size_t size = 0;
	char *image = own_vdso(&size);

	(void)state;
	if (!image)
		skip();
	for (size_t n = 0; n <= size; n += n < 1200 ? 1 : 61) {
		char *copy = malloc(n ? n : 1);

		memcpy(copy, image, n);
		read_all(copy, n);
	}
	for (int i = 0; i < 3000; i++) {
		char *copy = malloc(size);

		memcpy(copy, image, size);
		for (uint32_t k = 0; k <= test_random_below(&random, 4); k++) {
			/* Headers are few and matter most: half of the flips go there. */
			uint32_t headers = test_random_below(&random, 2);

			copy[headers ? test_random_below(&random, 1200)
				     : test_random_below(&random, (uint32_t)size)] ^=
				(char)(1 + test_random_below(&random, 255));
		}
		read_all(copy, size);
	}
	free(image);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_function_of_this_program_matches_a_scan_of_its_symtab),
		cmocka_unit_test(test_names_are_demangled_unless_kept),
		cmocka_unit_test(test_calls_through_the_plt_have_names),
		cmocka_unit_test(test_inlined_functions_are_told_when_wanted),
		cmocka_unit_test(test_kernel_symbols_come_from_the_given_file),
		cmocka_unit_test(test_kallsyms_is_found_in_caches_by_build_id),
		cmocka_unit_test(test_another_kernel_than_the_running_one_is_refused),
		cmocka_unit_test(test_wrong_options_are_told),
		cmocka_unit_test(test_the_own_vdso_is_used_for_the_same_kernel),
		cmocka_unit_test(test_jit_maps_are_found_beside_the_recording),
		cmocka_unit_test(test_threads_share_a_symboliser),
		cmocka_unit_test(test_truncated_and_flipped_elf_files_are_survived),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
