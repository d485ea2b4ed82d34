/* Reads the symbols of an ELF file. */
#include "input/symbols/elf_symbols.h"

#include <lzma.h>

static bool is_text_or_data(const struct lode_elf_file *file, const GElf_Sym *symbol)
{
	Elf_Scn *section = elf_getscn(file->elf, symbol->st_shndx);
	const char *name;
	GElf_Shdr header;

	if (!section || !gelf_getshdr(section, &header))
		return false;
	name = lode_elf_section_name(file, &header);
	return strstr(name, "text") || strstr(name, "data");
}

/* "$x", "$d.12": where ARM and RISC-V switch between code and data, no functions. */
static bool is_mapping_symbol(const char *name)
{
	return name[0] == '$' && name[1] && strchr("adtx", name[1]) &&
	       (!name[2] || name[2] == '.' || name[1] == 'x');
}

/* What perf shows: functions and objects with a name, and labels in code or data. */
static bool is_shown_by_perf(const struct lode_elf_file *file, const GElf_Sym *symbol)
{
	if (!symbol->st_name || symbol->st_shndx == SHN_UNDEF || symbol->st_shndx == SHN_ABS)
		return false;
	switch (GELF_ST_TYPE(symbol->st_info)) {
	case STT_FUNC:
	case STT_GNU_IFUNC:
	case STT_OBJECT:
		return true;
	case STT_NOTYPE:
		return GELF_ST_VISIBILITY(symbol->st_other) != STV_HIDDEN &&
		       GELF_ST_VISIBILITY(symbol->st_other) != STV_INTERNAL &&
		       is_text_or_data(file, symbol);
	default:
		return false;
	}
}

static enum lode_binding binding_of(const GElf_Sym *symbol)
{
	switch (GELF_ST_BIND(symbol->st_info)) {
	case STB_WEAK:
		return LODE_BINDING_WEAK;
	case STB_GLOBAL:
	case STB_GNU_UNIQUE:
		return LODE_BINDING_GLOBAL;
	default:
		return LODE_BINDING_LOCAL;
	}
}

/* A table of symbols with its strings, copied so that they outlive the file. */
struct table {
	Elf_Data *data;
	size_t n;
	const char *strings;
	size_t strings_size;
};

static bool open_table(struct table *table, struct lode_arena *names,
		       const struct lode_elf_file *file, GElf_Word type)
{
	Elf_Scn *section = NULL, *strings;
	GElf_Shdr header, strings_header;
	const void *bytes;
	size_t entry = gelf_fsize(file->elf, ELF_T_SYM, 1, EV_CURRENT);

	while ((section = elf_nextscn(file->elf, section)))
		if (gelf_getshdr(section, &header) && header.sh_type == type)
			break;
	if (!section || !entry)
		return false;
	table->data = elf_getdata(section, NULL);
	strings = elf_getscn(file->elf, header.sh_link);
	if (!table->data || !table->data->d_buf || !strings ||
	    !gelf_getshdr(strings, &strings_header))
		return false;
	bytes = lode_elf_bytes(strings, &strings_header, &table->strings_size);
	if (!bytes)
		return false;
	table->n = table->data->d_size / entry;
	table->strings = lode_arena_strndup(names, bytes, table->strings_size);
	return true;
}

/* The symbol's name, "" when it lies outside of the strings. */
static const char *name_of_elf_symbols(const struct table *table, const GElf_Sym *symbol)
{
	return symbol->st_name < table->strings_size ? table->strings + symbol->st_name : "";
}

size_t lode_elf_add_symbols(struct lode_symtab *symtab, struct lode_arena *names,
			    const struct lode_elf_file *file, enum lode_elf_table which)
{
	struct table table;
	GElf_Sym symbol;
	size_t n = 0;

	if (!open_table(&table, names, file, which == LODE_ELF_SYMTAB ? SHT_SYMTAB : SHT_DYNSYM))
		return 0;
	for (size_t i = 0; i < table.n && i < INT32_MAX; i++) {
		const char *name;

		if (!gelf_getsym(table.data, (int)i, &symbol) || !is_shown_by_perf(file, &symbol))
			continue;
		name = name_of_elf_symbols(&table, &symbol);
		if (!name[0] || is_mapping_symbol(name))
			continue;
		lode_symtab_add(symtab, symbol.st_value, symbol.st_size, name, binding_of(&symbol));
		n++;
	}
	return n;
}

/* ---- PLT: stubs "jmp *slot", where the relocation of the slot tells the function ---- */

/* Slots and the names of what they lead to. */
struct slots {
	struct lode_map by_address; /* -> index into names */
	LODE_VEC(const char *) names;
};

static void add_slots(struct slots *slots, const struct table *table, Elf_Scn *section,
		      const GElf_Shdr *header, Elf *elf)
{
	bool has_addend = header->sh_type == SHT_RELA;
	Elf_Data *data = elf_getdata(section, NULL);
	size_t entry = gelf_fsize(elf, has_addend ? ELF_T_RELA : ELF_T_REL, 1, EV_CURRENT);
	size_t n = data && data->d_buf && entry ? data->d_size / entry : 0;

	for (size_t i = 0; i < n && i < INT32_MAX; i++) {
		GElf_Rela rela;
		GElf_Rel rel;
		GElf_Sym symbol;
		const char *name;

		if (has_addend) {
			if (!gelf_getrela(data, (int)i, &rela))
				return;
			rel.r_offset = rela.r_offset;
			rel.r_info = rela.r_info;
		} else if (!gelf_getrel(data, (int)i, &rel)) {
			return;
		}
		if (!gelf_getsym(table->data, (int)GELF_R_SYM(rel.r_info), &symbol))
			continue;
		name = name_of_elf_symbols(table, &symbol);
		if (!name[0])
			continue;
		*lode_map_slot(&slots->by_address, rel.r_offset) = (uint32_t)slots->names.n;
		lode_vec_append(&slots->names, name);
	}
}

/* x86-64: [endbr64] [bnd] jmp *disp(%rip), at one of the first bytes of a stub. */
static bool slot_of_x86_stub(const uint8_t *stub, size_t size, uint64_t address, uint64_t *slot)
{
	size_t at = size >= 4 && !memcmp(stub, "\xf3\x0f\x1e\xfa", 4) ? 4 : 0;
	int32_t displacement;

	if (at < size && stub[at] == 0xf2)
		at++;
	if (size < 6 || at > size - 6 || stub[at] != 0xff || stub[at + 1] != 0x25)
		return false;
	memcpy(&displacement, stub + at + 2, 4);
	*slot = address + at + 6 + (uint64_t)(int64_t)displacement;
	return true;
}

/* AArch64: [bti c] adrp x16, page; ldr x17, [x16, #offset]. */
static bool slot_of_arm64_stub(const uint8_t *stub, size_t size, uint64_t address, uint64_t *slot)
{
	uint32_t word[3] = {0}, adrp, ldr;
	size_t at;
	int64_t pages;

	memcpy(word, stub, size < sizeof(word) ? size & ~(size_t)3 : sizeof(word));
	at = word[0] == 0xd503245f;
	adrp = word[at];
	ldr = word[at + 1];
	if ((adrp & 0x9f00001f) != 0x90000010 || (ldr & 0xffc003ff) != 0xf9400211)
		return false;
	pages = (int64_t)((adrp >> 29 & 3) | (adrp >> 3 & 0x1ffffc));
	pages = (pages ^ 0x100000) - 0x100000; /* 21 bits with a sign */
	*slot = ((address + 4 * at) & ~(uint64_t)0xfff) + (uint64_t)(pages * 4096) +
		((ldr >> 10 & 0xfff) << 3);
	return true;
}

/* Names the stubs of one PLT section. `budget` bounds the bytes that the names may take. */
static size_t add_stubs(struct lode_symtab *symtab, struct lode_arena *names, Elf_Scn *section,
			const GElf_Shdr *header, const struct slots *slots, GElf_Half machine,
			size_t *budget)
{
	size_t size, n = 0, step = header->sh_entsize >= 8 ? header->sh_entsize : 16;
	const uint8_t *bytes = lode_elf_bytes(section, header, &size);

	for (size_t at = 0; bytes && at < size; at += step) {
		size_t left = size - at < step ? size - at : step, length;
		uint64_t address = header->sh_addr + at, slot = 0;
		uint32_t found;
		char *name;

		if (machine == EM_AARCH64 ? !slot_of_arm64_stub(bytes + at, left, address, &slot)
					  : !slot_of_x86_stub(bytes + at, left, address, &slot))
			continue;
		found = lode_map_find(&slots->by_address, slot);
		if (found == LODE_NONE)
			continue;
		length = strlen(slots->names.at[found]);
		if (length + sizeof("@plt") > *budget)
			break;
		*budget -= length + sizeof("@plt");
		name = lode_arena_alloc(names, length + sizeof("@plt"), 1);
		memcpy(name, slots->names.at[found], length);
		memcpy(name + length, "@plt", sizeof("@plt"));
		lode_symtab_add(symtab, address, left, name, LODE_BINDING_GLOBAL);
		n++;
	}
	return n;
}

size_t lode_elf_add_plt(struct lode_symtab *symtab, struct lode_arena *names,
			const struct lode_elf_file *file)
{
	struct slots slots = {0};
	struct table table;
	Elf_Scn *section = NULL;
	GElf_Ehdr ehdr;
	GElf_Shdr header;
	size_t n = 0, budget = 64 << 20;

	if (!gelf_getehdr(file->elf, &ehdr) || !file->has_code ||
	    (ehdr.e_machine != EM_X86_64 && ehdr.e_machine != EM_AARCH64) ||
	    !open_table(&table, names, file, SHT_DYNSYM))
		return 0;
	while ((section = elf_nextscn(file->elf, section)))
		if (gelf_getshdr(section, &header) && (header.sh_flags & SHF_ALLOC) &&
		    (header.sh_type == SHT_RELA || header.sh_type == SHT_REL))
			add_slots(&slots, &table, section, &header, file->elf);
	while (slots.names.n && (section = elf_nextscn(file->elf, section)))
		if (gelf_getshdr(section, &header) &&
		    !strncmp(lode_elf_section_name(file, &header), ".plt", 4))
			n += add_stubs(symtab, names, section, &header, &slots, ehdr.e_machine,
				       &budget);
	lode_map_release(&slots.by_address);
	lode_vec_release(&slots.names);
	return n;
}

/* ---- .gnu_debugdata ---- */

struct lode_elf_file *lode_elf_open_minidebug(const struct lode_elf_file *file)
{
	enum { MAX_BYTES = 256 << 20, MAX_MEMORY = 128 << 20 };
	GElf_Shdr header;
	Elf_Scn *section = lode_elf_section(file, ".gnu_debugdata", &header);
	lzma_stream stream = LZMA_STREAM_INIT;
	size_t size, capacity = 64 << 10, n = 0;
	const void *bytes = lode_elf_bytes(section, &header, &size);
	char *image;
	lzma_ret rc = LZMA_OK;

	if (!bytes || lzma_stream_decoder(&stream, MAX_MEMORY, 0) != LZMA_OK)
		return NULL;
	image = lode_alloc(capacity);
	stream.next_in = bytes;
	stream.avail_in = size;
	while (rc == LZMA_OK && n < MAX_BYTES) {
		if (n == capacity) {
			capacity *= 2;
			image = lode_realloc_n(image, capacity, 1);
		}
		stream.next_out = (uint8_t *)image + n;
		stream.avail_out = capacity - n;
		rc = lzma_code(&stream, LZMA_FINISH);
		n = capacity - stream.avail_out;
	}
	lzma_end(&stream);
	if (rc != LZMA_STREAM_END) {
		free(image);
		return NULL;
	}
	return lode_elf_open_take(image, n, file->path);
}
