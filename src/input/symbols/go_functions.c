/* Reads .gopclntab as far as it tells where functions begin and what they are called. */
#include "input/symbols/go_functions.h"

#include "base/bytes.h"

enum {
	HEADER_BYTES = 8,    /* then words of the program's size: counts, and offsets of tables */
	TEXT_START_WORD = 2, /* since Go 1.18 */
};

static const uint32_t magic_1_2 = 0xfffffffb, magic_1_16 = 0xfffffffa, magic_1_18 = 0xfffffff0,
		      magic_1_20 = 0xfffffff1;

struct go_table {
	const uint8_t *bytes;
	size_t size, word, entry; /* bytes of an address, and of half a row of the table */
	uint64_t n, table, names; /* offsets; those of rows count from `functions` */
	uint64_t functions, text_start;
};

/* An offset beyond the end reads as 0. */
static uint64_t number_at(const struct go_table *t, uint64_t at, size_t width)
{
	struct lode_bytes b = lode_bytes_make(t->bytes, t->size, 0);

	lode_bytes_take(&b, at < SIZE_MAX ? (size_t)at : SIZE_MAX);
	return width == 4 ? lode_bytes_u32(&b) : lode_bytes_u64(&b);
}

static uint64_t word_of_header(const struct go_table *t, unsigned index)
{
	return number_at(t, HEADER_BYTES + index * t->word, t->word);
}

static bool read_go_header(struct go_table *t)
{
	uint32_t magic = (uint32_t)number_at(t, 0, 4);

	if (t->size < HEADER_BYTES || t->bytes[4] || t->bytes[5] ||
	    (t->bytes[7] != 4 && t->bytes[7] != 8))
		return false;
	t->word = t->entry = t->bytes[7];
	t->n = word_of_header(t, 0);
	if (magic == magic_1_2) {
		t->table = HEADER_BYTES + t->word;
	} else if (magic == magic_1_16) {
		t->names = word_of_header(t, 2);
		t->table = t->functions = word_of_header(t, 6);
	} else if (magic == magic_1_18 || magic == magic_1_20) {
		t->entry = 4;
		if (word_of_header(t, TEXT_START_WORD))
			t->text_start = word_of_header(t, TEXT_START_WORD);
		t->names = word_of_header(t, 3);
		t->table = t->functions = word_of_header(t, 7);
		if (!t->text_start)
			return false;
	} else {
		return false;
	}
	if (magic == magic_1_2 || magic == magic_1_16)
		t->text_start = 0; /* addresses are whole */
	return t->names < t->size && t->table < t->size &&
	       t->n < (t->size - t->table) / (2 * t->entry);
}

size_t lode_go_table_parse(struct lode_symtab *symtab, struct lode_arena *names, const void *bytes,
			   size_t size, uint64_t text_start)
{
	struct go_table t = {.bytes = bytes, .size = size, .text_start = text_start};
	const char *texts;
	size_t n = 0;

	if (!read_go_header(&t))
		return 0;
	/* One copy, in which the names lie; it ends in NUL. */
	texts = lode_arena_strndup(names, (const char *)t.bytes + t.names, t.size - t.names);
	for (uint64_t i = 0; i < t.n; i++) {
		uint64_t row = t.table + i * 2 * t.entry;
		uint64_t start = number_at(&t, row, t.entry);
		uint64_t end = number_at(&t, row + 2 * t.entry, t.entry);
		uint64_t function = t.functions + number_at(&t, row + t.entry, t.entry);
		uint64_t name = number_at(&t, function + t.entry, 4);

		if (end <= start || function >= t.size || name >= t.size - t.names || !texts[name])
			continue;
		lode_symtab_add(symtab, t.text_start + start, end - start, texts + name,
				LODE_BINDING_LOCAL);
		n++;
	}
	return n;
}

/* ---- In a file ---- */

bool lode_is_go_table(const char *section)
{
	return !strcmp(section, ".gopclntab") || !strcmp(section, ".data.rel.ro.gopclntab");
}

/* What the dynamic linker would put at that address of a position-independent program. */
static uint64_t relocated(const struct lode_elf_file *file, uint64_t address)
{
	Elf_Scn *section = NULL;
	GElf_Shdr header;

	while ((section = elf_nextscn(file->elf, section))) {
		Elf_Data *data = NULL;
		GElf_Rela rela;

		if (gelf_getshdr(section, &header) && header.sh_type == SHT_RELA)
			data = elf_getdata(section, NULL);
		for (int i = 0; data && gelf_getrela(data, i, &rela); i++)
			if (rela.r_offset == address && !GELF_R_SYM(rela.r_info))
				return (uint64_t)rela.r_addend;
	}
	return 0;
}

size_t lode_elf_add_go_functions(struct lode_symtab *symtab, struct lode_arena *names,
				 const struct lode_elf_file *file)
{
	Elf_Scn *section = NULL;
	GElf_Shdr header;
	size_t size;

	while ((section = elf_nextscn(file->elf, section))) {
		const uint8_t *bytes;

		if (!gelf_getshdr(section, &header) ||
		    !lode_is_go_table(lode_elf_section_name(file, &header)))
			continue;
		bytes = lode_elf_bytes(section, &header, &size);
		if (!bytes || size < HEADER_BYTES)
			return 0;
		return lode_go_table_parse(symtab, names, bytes, size,
					   relocated(file, header.sh_addr + HEADER_BYTES +
								   TEXT_START_WORD * bytes[7]));
	}
	return 0;
}
