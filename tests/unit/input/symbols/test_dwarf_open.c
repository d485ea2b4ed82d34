/* Debug information that would unpack to more than it should is refused before it is unpacked. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <fcntl.h>
#include <zlib.h>
#include <cmocka.h>

#include "scratch.h"
#include "base/memory_bound.h"
#include "input/symbols/cfi.h"
#include "input/symbols/dwarf_open.h"
#include "input/symbols/inlines.h"

static const char names[] = "\0.shstrtab\0.debug_info\0.zdebug_line\0.debug_str";
enum { SHSTRTAB = 1, DEBUG_INFO = 11, ZDEBUG_LINE = 23, DEBUG_STR = 36 };

struct part {
	unsigned name;
	bool has_header;   /* SHF_COMPRESSED; else "ZLIB" and a size */
	uint64_t unpacked; /* as the section says */
	size_t n;	   /* bytes that are really in it */
};

static void append_part(Elf *elf, const struct part *part, uint8_t *buffer)
{
	Elf_Scn *section = elf_newscn(elf);
	Elf_Data *data = elf_newdata(section);
	GElf_Shdr header;
	uint8_t *plain = calloc(1, part->n + 1);
	uLongf n = compressBound(part->n);
	size_t before = part->has_header ? sizeof(Elf64_Chdr) : 12;

	assert_int_equal(compress2(buffer + before, &n, plain, part->n, 9), Z_OK);
	free(plain);
	if (part->has_header) {
		Elf64_Chdr chdr = {ELFCOMPRESS_ZLIB, 0, part->unpacked, 1};

		memcpy(buffer, &chdr, sizeof(chdr));
	} else {
		memcpy(buffer, "ZLIB", 4);
		for (int i = 0; i < 8; i++)
			buffer[4 + i] = (uint8_t)(part->unpacked >> (56 - 8 * i));
	}
	*data = (Elf_Data){.d_buf = buffer,
			   .d_size = before + n,
			   .d_align = 1,
			   .d_version = EV_CURRENT,
			   .d_type = ELF_T_BYTE};
	gelf_getshdr(section, &header);
	header.sh_name = part->name;
	header.sh_type = SHT_PROGBITS;
	header.sh_flags = part->has_header ? SHF_COMPRESSED : 0;
	gelf_update_shdr(section, &header);
}

static const char *make_file(const struct part *parts, size_t n)
{
	static uint8_t buffers[4][1 << 17];
	const char *path = "made.elf";
	int fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
	GElf_Ehdr ehdr = {.e_type = ET_EXEC, .e_machine = EM_X86_64, .e_version = EV_CURRENT};
	GElf_Shdr header;
	Elf_Scn *section;
	Elf_Data *data;
	Elf *elf;

	elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_WRITE, NULL);
	assert_non_null(elf);
	gelf_newehdr(elf, ELFCLASS64);
	gelf_getehdr(elf, &ehdr);
	ehdr.e_ident[EI_DATA] = ELFDATA2LSB;
	ehdr.e_machine = EM_X86_64;
	ehdr.e_type = ET_EXEC;
	ehdr.e_version = EV_CURRENT;
	for (size_t i = 0; i < n; i++)
		append_part(elf, &parts[i], buffers[i]);
	section = elf_newscn(elf);
	data = elf_newdata(section);
	*data = (Elf_Data){.d_buf = (void *)(uintptr_t)names,
			   .d_size = sizeof(names),
			   .d_align = 1,
			   .d_version = EV_CURRENT,
			   .d_type = ELF_T_BYTE};
	gelf_getshdr(section, &header);
	header.sh_name = SHSTRTAB;
	header.sh_type = SHT_STRTAB;
	gelf_update_shdr(section, &header);
	ehdr.e_shstrndx = (uint16_t)elf_ndxscn(section);
	gelf_update_ehdr(elf, &ehdr);
	assert_true(elf_update(elf, ELF_C_WRITE) > 0);
	elf_end(elf);
	close(fd);
	return path;
}

/* How all that open DWARF answer: the same. */
static int status_of_opening(const struct part *parts, size_t n)
{
	const char *path = make_file(parts, n);
	struct lode_error err = {.status = LODE_OK};
	struct lode_inlines *inlines = lode_inlines_open(path, false, &err);
	struct lode_elf_file *file = lode_elf_open(path);
	bool is_damaged = false;

	assert_int_equal(inlines ? LODE_OK : LODE_ERR_LIMIT, err.status);
	assert_non_null(file);
	assert_int_equal(lode_dwarf_fits(file, NULL), inlines != NULL);
	lode_cfi_free(lode_cfi_new_take(file, NULL, &is_damaged));
	assert_int_equal(is_damaged, inlines == NULL);
	lode_inlines_free(inlines);
	return err.status;
}

static void sections_that_unpack_to_too_much_are_refused(void **state)
{
	static const struct {
		struct part parts[3];
		size_t n;
		bool is_fine;
	} cases[] = {
		{{{DEBUG_INFO, true, 1000, 1000}}, 1, true},
		{{{DEBUG_INFO, true, 8 << 20, 8 << 20}}, 1, true},
		{{{DEBUG_INFO, true, 1000000000, 100000}}, 1, false},
		{{{DEBUG_INFO, true, UINT64_MAX, 100}}, 1, false},
		{{{ZDEBUG_LINE, false, 1000000000, 100000}}, 1, false},
		{{{DEBUG_INFO, true, 1000, 1000}, {ZDEBUG_LINE, false, 1000, 1000}}, 2, true},
		/* Together. */
		{{{DEBUG_INFO, true, 12 << 20, 1000},
		  {ZDEBUG_LINE, false, 12 << 20, 1000},
		  {DEBUG_STR, true, 12 << 20, 1000}},
		 3,
		 false},
		{{{DEBUG_INFO, true, UINT64_MAX - 5, 1000}, {DEBUG_STR, true, 100, 100}}, 2, false},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		if (status_of_opening(cases[i].parts, cases[i].n) !=
		    (cases[i].is_fine ? LODE_OK : LODE_ERR_LIMIT))
			fail_msg("case %zu", i);
}

static void the_memory_bound_counts(void **state)
{
	const struct part part = {DEBUG_INFO, true, 12 << 20, 12 << 20};

	(void)state;
	assert_int_equal(status_of_opening(&part, 1), LODE_OK);
	lode_memory_keep_to((size_t)16 << 20);
	assert_int_equal(status_of_opening(&part, 1), LODE_ERR_LIMIT);
	lode_memory_keep_to(0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(sections_that_unpack_to_too_much_are_refused,
						scratch_enter, scratch_leave),
		cmocka_unit_test_setup_teardown(the_memory_bound_counts, scratch_enter,
						scratch_leave),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
