/* input/formats/xray/xray_names: ids of programs of all kinds, and of tables. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <fcntl.h>
#include <gelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "scratch.h"
#include "input/formats/xray/xray_names.h"
#include "unit/input/call_trace.h"

static struct scratch scratch;
static const char *path;

enum {
	MAP_ADDRESS = 0x5000,
	FIRST = 0x1000, /* function i is at FIRST + i * STEP */
	STEP = 0x40,
	N_FUNCTIONS = 5,
	N_SLEDS = 13, /* two or three per function */
};

static const int function_of_sled[N_SLEDS] = {0, 0, 2, 2, 2, 1, 1, 4, 4, 3, 3, 0, 0};

enum layout {
	RELATIVE,  /* version 2 */
	ABSOLUTE,  /* version 1, not a PIE */
	RELOCATED, /* version 1, a PIE: words are 0, and relocations say what they become */
	BY_SYMBOL, /* version 0, relocations against symbols */
};

struct program {
	Elf *elf;
	struct sled {
		uint64_t address, function;
		uint8_t kind, always, version, padding[13];
	} sleds[N_SLEDS];
	Elf64_Rela relas[N_SLEDS];
	Elf64_Sym symbols[1 + N_FUNCTIONS];
};

static const char strings[] = "\0f10\0f11\0f12\0f13\0_ZN3foo3f14Ev";
static const char section_names[] =
	"\0.shstrtab\0.strtab\0.symtab\0xray_instr_map\0.rela.dyn\0.text";

static uint64_t address_of(int function)
{
	return FIRST + (uint64_t)function * STEP;
}

static void fill(struct program *p, enum layout layout)
{
	uint32_t name = 1;

	for (int i = 0; i < N_FUNCTIONS; i++) {
		p->symbols[1 + i] = (Elf64_Sym){.st_name = name,
						.st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC),
						.st_shndx = 5,
						.st_value = address_of(i),
						.st_size = STEP};
		name += (uint32_t)strlen(strings + name) + 1;
	}
	for (int i = 0; i < N_SLEDS; i++) {
		uint64_t at = MAP_ADDRESS + (uint64_t)i * sizeof(struct sled);
		uint64_t function = address_of(function_of_sled[i]);
		struct sled *sled = &p->sleds[i];

		sled->address = 1;
		sled->kind = i % 2 ? 1 : 0;
		sled->version = layout == RELATIVE ? 2 : layout == BY_SYMBOL ? 0 : 1;
		sled->function = layout == RELATIVE   ? function - (at + 8)
				 : layout == ABSOLUTE ? function
						      : 0;
		p->relas[i].r_offset = at + 8;
		p->relas[i].r_info =
			layout == BY_SYMBOL
				? ELF64_R_INFO((uint64_t)function_of_sled[i] + 1, R_X86_64_64)
				: ELF64_R_INFO(0, R_X86_64_RELATIVE);
		p->relas[i].r_addend = layout == BY_SYMBOL ? 0 : (int64_t)function;
	}
}

static void add_section(struct program *p, uint32_t name, uint32_t type, void *data, size_t size,
			uint64_t address, uint32_t link, size_t entry)
{
	Elf_Scn *section = elf_newscn(p->elf);
	Elf_Data *content = elf_newdata(section);
	GElf_Shdr header;

	content->d_buf = data;
	content->d_size = size;
	content->d_align = 8;
	content->d_version = EV_CURRENT;
	content->d_type = type == SHT_SYMTAB ? ELF_T_SYM
			  : type == SHT_RELA ? ELF_T_RELA
					     : ELF_T_BYTE;
	assert_non_null(gelf_getshdr(section, &header));
	header.sh_name = name;
	header.sh_type = type;
	header.sh_addr = address;
	header.sh_flags = address ? SHF_ALLOC : 0;
	header.sh_link = link;
	header.sh_entsize = entry;
	assert_true(gelf_update_shdr(section, &header));
}

static uint32_t section_name(const char *name)
{
	uint32_t at = 1;

	while (strcmp(section_names + at, name) != 0)
		at += (uint32_t)strlen(section_names + at) + 1;
	return at;
}

static void write_program(enum layout layout)
{
	static uint8_t text[N_FUNCTIONS * STEP];
	struct program p = {0};
	int fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
	GElf_Ehdr ehdr;

	assert_true(fd >= 0);
	fill(&p, layout);
	elf_version(EV_CURRENT);
	p.elf = elf_begin(fd, ELF_C_WRITE, NULL);
	assert_non_null(p.elf);
	assert_true(gelf_newehdr(p.elf, ELFCLASS64) != 0);
	assert_non_null(gelf_getehdr(p.elf, &ehdr));
	ehdr.e_ident[EI_DATA] = ELFDATA2LSB;
	ehdr.e_type = layout == ABSOLUTE ? ET_EXEC : ET_DYN;
	ehdr.e_machine = EM_X86_64;
	ehdr.e_version = EV_CURRENT;
	ehdr.e_shstrndx = 1;
	assert_true(gelf_update_ehdr(p.elf, &ehdr));
	add_section(&p, section_name(".shstrtab"), SHT_STRTAB, (void *)(uintptr_t)section_names,
		    sizeof(section_names), 0, 0, 0);
	add_section(&p, section_name(".strtab"), SHT_STRTAB, (void *)(uintptr_t)strings,
		    sizeof(strings), 0, 0, 0);
	add_section(&p, section_name(".symtab"), SHT_SYMTAB, p.symbols, sizeof(p.symbols), 0, 2,
		    sizeof(Elf64_Sym));
	add_section(&p, section_name("xray_instr_map"), SHT_PROGBITS, p.sleds, sizeof(p.sleds),
		    MAP_ADDRESS, 0, 0);
	add_section(&p, section_name(".text"), SHT_PROGBITS, text, sizeof(text), FIRST, 0, 0);
	if (layout >= RELOCATED)
		add_section(&p, section_name(".rela.dyn"), SHT_RELA, p.relas, sizeof(p.relas),
			    0x6000, 3, sizeof(Elf64_Rela));
	assert_true(elf_update(p.elf, ELF_C_WRITE) > 0);
	elf_end(p.elf);
	close(fd);
}

/* Ids count functions in the order of their sleds; one whose sleds come again has another. */
static void ids_of_programs_are_those_of_their_sleds(void **state)
{
	static const char *const want[] = {NULL, "f10", "f12", "f11", "foo::f14", "f13", "f10"};

	(void)state;
	for (int layout = RELATIVE; layout <= BY_SYMBOL; layout++) {
		struct lode_xray_names names = {0};
		struct lode_error err = {0};

		write_program((enum layout)layout);
		if (lode_xray_names_load(&names, path, &err) < 0)
			fail_msg("layout %d: %s", layout, err.message);
		for (uint32_t id = 1; id < 7; id++) {
			const char *name = lode_xray_name(&names, id);

			if (!name || strcmp(name, want[id]) != 0)
				fail_msg("layout %d: %u is %s", layout, id,
					 name ? name : "nothing");
		}
		assert_null(lode_xray_name(&names, 0));
		assert_null(lode_xray_name(&names, 7));
		assert_string_equal(names.module, strrchr(path, '/') + 1);
		lode_xray_names_release(&names);
	}
}

static int load_text(struct lode_xray_names *names, const char *text, struct lode_error *err)
{
	memset(names, 0, sizeof(*names));
	scratch_write(path, text, strlen(text));
	return lode_xray_names_load(names, path, err);
}

static void tables_of_all_shapes_name_ids(void **state)
{
	static const char *const tables[] = {
		"# function id\taddress\tname\n1\t0x404A6C\ta b(int)\n3\t0x1\tc\n",
		"id\taddress\tname\n3\t0X1\tc\n\n1\t0x2\ta b(int)\r\n",
		"1 a b(int)\n3 0x10 c",
	};
	struct lode_xray_names names;
	struct lode_error err = {0};

	(void)state;
	for (size_t i = 0; i < sizeof(tables) / sizeof(*tables); i++) {
		assert_int_equal(load_text(&names, tables[i], &err), 0);
		assert_string_equal(lode_xray_name(&names, 1), "a b(int)");
		assert_null(lode_xray_name(&names, 2));
		assert_string_equal(lode_xray_name(&names, 3), "c");
		assert_null(names.module);
		lode_xray_names_release(&names);
	}
}

static void bad_tables_name_their_line(void **state)
{
	struct lode_xray_names names;
	struct lode_error err = {0};

	(void)state;
	assert_int_equal(load_text(&names, "1\t0x1\ta\n2\t\n", &err), LODE_ERR_FORMAT);
	assert_true(err.is_line && err.offset == 2);
	lode_xray_names_release(&names);
	assert_int_equal(load_text(&names, "1\t0x1\ta\n99999999999\t0x1\tb\n", &err),
			 LODE_ERR_FORMAT);
	lode_xray_names_release(&names);
	assert_int_equal(load_text(&names, "", &err), LODE_ERR_FORMAT);
	lode_xray_names_release(&names);
	memset(&names, 0, sizeof(names));
	assert_int_equal(lode_xray_names_load(&names, "/proc/self/exe", &err), LODE_ERR_FORMAT);
	assert_non_null(strstr(err.message, "-fxray-instrument"));
	lode_xray_names_release(&names);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ids_of_programs_are_those_of_their_sleds),
		cmocka_unit_test(tables_of_all_shapes_name_ids),
		cmocka_unit_test(bad_tables_name_their_line),
	};
	int failed;

	scratch_make(&scratch);
	path = scratch_path(&scratch, "names");
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	scratch_remove(&scratch);
	return failed;
}
