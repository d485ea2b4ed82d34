/*
 * Tables of call frame information that libdw is given, and those that it is not: random rules
 * whose highest register and deepest nesting are known, and every module of this process.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include <dwarf.h>

#include "random.h"
#include "base/mem.h"
#include "base/varint.h"
#include "input/symbols/cfi_check.h"
#include "input/symbols/elf_file.h"

/* The two lie as far from each other in memory as in the file. */
enum { SEARCH_ADDRESS = 0x1000, TABLE_HEAD = 12, FRAME_ADDRESS = SEARCH_ADDRESS + TABLE_HEAD + 8 };

/* What a table is made of. */
struct table {
	lode_byte_vec frame, search;
	uint32_t cie, fde; /* offsets in `frame` */
};

static void put(lode_byte_vec *to, const void *bytes, size_t n)
{
	lode_vec_append_all(to, (const uint8_t *)bytes, n);
}

static void put_u32(lode_byte_vec *to, uint32_t value)
{
	put(to, &value, sizeof(value));
}

/* An entry behind its size, filled up to whole words; gives its offset. */
static uint32_t put_entry(lode_byte_vec *to, const lode_byte_vec *entry)
{
	uint32_t at = (uint32_t)to->n, size = (uint32_t)(entry->n + 3) / 4 * 4;

	put_u32(to, size);
	put(to, entry->at, entry->n);
	while (to->n < at + 4 + size)
		lode_vec_append(to, DW_CFA_nop);
	return at;
}

/* One CIE and one FDE of the addresses 0x2000 to 0x2100, and the table that leads to it. */
static void make_table(struct table *t, const lode_byte_vec *initial, const lode_byte_vec *program)
{
	static const char head[] = {0, 0, 0, 0, 1, 'z', 'R', 0, 1, 0x78, 16, 1, 0x1b, 0x0c, 7, 8};
	static const uint8_t search[] = {1, 0x1b, 3, 0x3b};
	lode_byte_vec entry = {0};

	memset(t, 0, sizeof(*t));
	put(&entry, head, sizeof(head));
	put(&entry, initial->at, initial->n);
	t->cie = put_entry(&t->frame, &entry);
	entry.n = 0;
	put_u32(&entry, (uint32_t)t->frame.n + 4 - t->cie);
	put_u32(&entry, 0x2000 - (FRAME_ADDRESS + (uint32_t)t->frame.n + 8));
	put_u32(&entry, 0x100);
	lode_vec_append(&entry, 0);
	put(&entry, program->at, program->n);
	t->fde = put_entry(&t->frame, &entry);
	put_u32(&t->frame, 0);
	put(&t->search, search, sizeof(search));
	put_u32(&t->search, FRAME_ADDRESS - (SEARCH_ADDRESS + 4));
	put_u32(&t->search, 1);
	put_u32(&t->search, 0x2000 - SEARCH_ADDRESS);
	put_u32(&t->search, FRAME_ADDRESS + t->fde - SEARCH_ADDRESS);
	lode_vec_release(&entry);
}

static void release_table(struct table *t)
{
	lode_vec_release(&t->frame);
	lode_vec_release(&t->search);
}

/* An ELF file of these two sections; `frame_name` NULL: without sections. */
static struct lode_elf_file *make_file(const struct table *t, const char *frame_name)
{
	char names[64];
	size_t n_names = (size_t)snprintf(names, sizeof(names), "%c.eh_frame_hdr%c%s%c.shstrtab", 0,
					  0, frame_name ? frame_name : "", 0) +
			 1;
	uint32_t frame_at = 14 + 1, names_at;
	size_t search_offset = sizeof(Elf64_Ehdr) + sizeof(Elf64_Phdr);
	size_t frame_offset = search_offset + t->search.n, names_offset = frame_offset + t->frame.n;
	size_t sections_offset = names_offset + n_names, size;
	Elf64_Ehdr header = {.e_type = ET_DYN,
			     .e_machine = EM_X86_64,
			     .e_version = EV_CURRENT,
			     .e_phoff = sizeof(Elf64_Ehdr),
			     .e_shoff = frame_name ? sections_offset : 0,
			     .e_ehsize = sizeof(Elf64_Ehdr),
			     .e_phentsize = sizeof(Elf64_Phdr),
			     .e_phnum = 1,
			     .e_shentsize = sizeof(Elf64_Shdr),
			     .e_shnum = frame_name ? 4 : 0,
			     .e_shstrndx = frame_name ? 3 : 0};
	Elf64_Phdr segment = {.p_type = PT_GNU_EH_FRAME,
			      .p_offset = search_offset,
			      .p_vaddr = SEARCH_ADDRESS,
			      .p_filesz = t->search.n};
	Elf64_Shdr sections[4] = {{0}};
	char *image;

	names_at = frame_at + (uint32_t)strlen(frame_name ? frame_name : "") + 1;
	memcpy(header.e_ident, ELFMAG, SELFMAG);
	header.e_ident[EI_CLASS] = ELFCLASS64;
	header.e_ident[EI_DATA] = ELFDATA2LSB;
	header.e_ident[EI_VERSION] = EV_CURRENT;
	sections[1] = (Elf64_Shdr){.sh_name = 1,
				   .sh_type = SHT_PROGBITS,
				   .sh_addr = SEARCH_ADDRESS,
				   .sh_offset = search_offset,
				   .sh_size = t->search.n};
	sections[2] = (Elf64_Shdr){.sh_name = frame_at,
				   .sh_type = SHT_PROGBITS,
				   .sh_addr = FRAME_ADDRESS,
				   .sh_offset = frame_offset,
				   .sh_size = t->frame.n};
	sections[3] = (Elf64_Shdr){.sh_name = names_at,
				   .sh_type = SHT_STRTAB,
				   .sh_offset = names_offset,
				   .sh_size = n_names};
	size = sections_offset + sizeof(sections);
	image = lode_alloc0(1, size);
	memcpy(image, &header, sizeof(header));
	memcpy(image + sizeof(header), &segment, sizeof(segment));
	memcpy(image + search_offset, t->search.at, t->search.n);
	memcpy(image + frame_offset, t->frame.at, t->frame.n);
	memcpy(image + names_offset, names, n_names);
	memcpy(image + sections_offset, sections, sizeof(sections));
	return lode_elf_open_take(image, size, "made");
}

static bool is_eh_sound(const struct table *t)
{
	struct lode_elf_file *file = make_file(t, ".eh_frame");
	bool is_sound;

	assert_non_null(file);
	is_sound = lode_cfi_is_eh_frame_sound(file->elf);
	lode_elf_close(file);
	return is_sound;
}

/* ---- Random rules ---- */

struct program {
	lode_byte_vec bytes;
	uint64_t most_reg;
	unsigned depth, deepest;
};

static void put_reg(struct program *p, struct test_random *r)
{
	static const uint64_t edges[] = {0, 16, 145, 255, 256, 8191, 22000000, UINT64_MAX};
	bool is_edge = test_random_below(r, 100) == 0;
	uint64_t reg = is_edge ? edges[test_random_below(r, 8)] : test_random_below(r, 130);

	lode_varint_put(&p->bytes, reg);
	if (reg > p->most_reg)
		p->most_reg = reg;
}

static void put_block(struct program *p, struct test_random *r)
{
	uint32_t n = test_random_below(r, 20);

	lode_varint_put(&p->bytes, n);
	for (uint32_t i = 0; i < n; i++)
		lode_vec_append(&p->bytes, (uint8_t)test_random_next(r));
}

/* Bytes within operands are anything: taken for instructions they would tell other registers. */
static void put_rule(struct program *p, struct test_random *r)
{
	static const uint8_t with_reg[] = {DW_CFA_undefined, DW_CFA_same_value, DW_CFA_register,
					   DW_CFA_offset_extended, DW_CFA_val_offset_sf};
	uint8_t code;

	switch (test_random_below(r, 7)) {
	case 0:
		code = with_reg[test_random_below(r, sizeof(with_reg))];
		lode_vec_append(&p->bytes, code);
		put_reg(p, r);
		if (code != DW_CFA_undefined && code != DW_CFA_same_value)
			lode_varint_put(&p->bytes, test_random_next(r));
		break;
	case 1:
		lode_vec_append(&p->bytes, DW_CFA_val_expression);
		put_reg(p, r);
		put_block(p, r);
		break;
	case 2:
		lode_vec_append(&p->bytes, DW_CFA_advance_loc4);
		put_u32(&p->bytes, (uint32_t)test_random_next(r));
		break;
	case 3:
		lode_vec_append(&p->bytes, DW_CFA_remember_state);
		p->depth++;
		if (p->depth > p->deepest)
			p->deepest = p->depth;
		break;
	case 4:
		if (!p->depth)
			break;
		lode_vec_append(&p->bytes, DW_CFA_restore_state);
		p->depth--;
		break;
	case 5: /* any number is as good here: nothing is made room for */
		lode_vec_append(&p->bytes, DW_CFA_def_cfa);
		lode_varint_put(&p->bytes, test_random_next(r));
		lode_varint_put(&p->bytes, test_random_next(r));
		break;
	default:
		code = DW_CFA_offset | (uint8_t)test_random_below(r, 64);
		lode_vec_append(&p->bytes, code);
		lode_varint_put(&p->bytes, test_random_next(r));
	}
}

static bool is_bounded(const struct program *p)
{
	return p->most_reg < 256 && p->deepest <= 64;
}

static void test_rules_are_judged_by_register_and_nesting(void **state)
{
	struct test_random r = {14};
	unsigned n[2] = {0, 0};

	(void)state;
	for (int i = 0; i < 4000; i++) {
		struct program initial = {{0}}, program = {{0}};
		struct table t;
		bool expected;

		for (uint32_t k = test_random_below(&r, 4); k; k--)
			put_rule(&initial, &r);
		for (uint32_t k = test_random_below(&r, i % 2 ? 30 : 900); k; k--)
			put_rule(&program, &r);
		expected = is_bounded(&initial) && is_bounded(&program);
		make_table(&t, &initial.bytes, &program.bytes);
		assert_int_equal(is_eh_sound(&t), expected);
		n[expected]++;
		release_table(&t);
		lode_vec_release(&initial.bytes);
		lode_vec_release(&program.bytes);
	}
	assert_true(n[0] > 500 && n[1] > 500);
}

/* ---- Other ways to the same entries ---- */

static void test_all_tables_are_looked_at(void **state)
{
	static const uint8_t rule[] = {DW_CFA_undefined, 0x80, 0xe6, 0xbe, 0x0a};
	lode_byte_vec good = {0}, bad = {0};
	struct table t;

	(void)state;
	put(&bad, rule, sizeof(rule)); /* 22 million registers: 553 MB at every address */
	for (int k = 0; k < 2; k++) {
		struct lode_elf_file *file;

		make_table(&t, &good, k ? &bad : &good);
		assert_int_equal(is_eh_sound(&t), !k);
		file = make_file(&t, NULL);
		assert_non_null(file);
		assert_int_equal(lode_cfi_is_eh_frame_sound(file->elf), !k);
		lode_elf_close(file);
		release_table(&t);
	}
	lode_vec_release(&bad);
}

static void test_search_tables_lead_to_entries(void **state)
{
	lode_byte_vec none = {0};
	struct table t;

	(void)state;
	make_table(&t, &none, &none);
	assert_true(is_eh_sound(&t));
	t.search.at[TABLE_HEAD + 4] += 4; /* into the middle of the entry */
	assert_false(is_eh_sound(&t));
	t.search.at[TABLE_HEAD + 4] -= 4;
	t.search.at[8] = 2; /* more than there are */
	assert_false(is_eh_sound(&t));
	t.search.at[8] = 1;
	t.frame.at[t.fde + 4] -= 4; /* the CIE is none */
	assert_false(is_eh_sound(&t));
	release_table(&t);
}

static void test_modules_of_this_process_are_sound(void **state)
{
	const char *given = getenv("LODE_TEST_MODULES");
	char line[4096 + 128], path[4096], last[4096] = "";
	FILE *in = fopen(given ? given : "/proc/self/maps", "r");
	size_t n = 0;

	(void)state;
	assert_non_null(in);
	while (fgets(line, sizeof(line), in)) {
		struct lode_elf_file *file;
		Dwarf *dwarf;

		if (!strchr(line, '/') || sscanf(strchr(line, '/'), "%4095s", path) != 1 ||
		    !strcmp(path, last))
			continue;
		memcpy(last, path, sizeof(last));
		file = lode_elf_open(path);
		if (!file)
			continue;
		if (!lode_cfi_is_eh_frame_sound(file->elf))
			fail_msg("%s: .eh_frame is refused", path);
		dwarf = dwarf_begin_elf(file->elf, DWARF_C_READ, NULL);
		if (dwarf && !lode_cfi_is_debug_frame_sound(file->elf))
			fail_msg("%s: .debug_frame is refused", path);
		dwarf_end(dwarf);
		lode_elf_close(file);
		n++;
	}
	fclose(in);
	assert_true(n > 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rules_are_judged_by_register_and_nesting),
		cmocka_unit_test(test_all_tables_are_looked_at),
		cmocka_unit_test(test_search_tables_lead_to_entries),
		cmocka_unit_test(test_modules_of_this_process_are_sound),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
