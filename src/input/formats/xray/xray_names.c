/* Names of XRay's function ids, from the program or a table. */
#include "input/formats/xray/xray_names.h"

#include <elf.h>
#include <errno.h>

#include "base/ascii.h"
#include "base/bytes.h"
#include "base/folder.h"
#include "base/lines.h"
#include "input/symbols/demangle.h"
#include "input/symbols/elf_file.h"
#include "input/symbols/elf_symbols.h"
#include "input/symbols/symtab.h"

/* LIMIT: function ids have 28 bits in a log; no program has that many functions. */
#define ID_MAX	   UINT32_C(0xffffff)
#define SLED_BYTES 32

static void set_name(struct lode_xray_names *names, uint32_t id, const char *name)
{
	while (names->of_id.n <= id)
		lode_vec_append(&names->of_id, NULL);
	if (!names->of_id.at[id])
		names->of_id.at[id] = name;
}

/* ---- From a program ---- */

/* Words of the map that the dynamic linker fills in: address -> what it writes there. */
static bool is_address_relocation(unsigned machine, uint64_t type, bool *has_symbol)
{
	*has_symbol = (machine == EM_X86_64 && type == R_X86_64_64) ||
		      (machine == EM_AARCH64 && type == R_AARCH64_ABS64);
	return *has_symbol || (machine == EM_X86_64 && type == R_X86_64_RELATIVE) ||
	       (machine == EM_AARCH64 && type == R_AARCH64_RELATIVE);
}

struct fixups {
	struct lode_map index; /* address of the word -> index into `values` */
	LODE_VEC(uint64_t) values;
};

static void collect_fixups(struct fixups *fixups, const struct lode_elf_file *file, uint64_t start,
			   uint64_t end)
{
	Elf_Scn *section = NULL;
	GElf_Ehdr ehdr;

	if (!gelf_getehdr(file->elf, &ehdr))
		return;
	while ((section = elf_nextscn(file->elf, section))) {
		GElf_Shdr header;
		Elf_Data *data, *symbols = NULL;

		if (!gelf_getshdr(section, &header) || header.sh_type != SHT_RELA)
			continue;
		data = elf_getdata(section, NULL);
		if (header.sh_link)
			symbols = elf_getdata(elf_getscn(file->elf, header.sh_link), NULL);
		for (int i = 0; data; i++) {
			GElf_Rela rela;
			GElf_Sym symbol = {0};
			bool has_symbol;
			uint32_t *slot;

			if (!gelf_getrela(data, i, &rela))
				break;
			if (rela.r_offset < start || rela.r_offset >= end ||
			    !is_address_relocation(ehdr.e_machine, GELF_R_TYPE(rela.r_info),
						   &has_symbol))
				continue;
			if (has_symbol &&
			    !gelf_getsym(symbols, (int)GELF_R_SYM(rela.r_info), &symbol))
				continue;
			slot = lode_map_slot(&fixups->index, rela.r_offset);
			*slot = (uint32_t)fixups->values.n;
			lode_vec_append(&fixups->values, symbol.st_value + (uint64_t)rela.r_addend);
		}
	}
}

static uint64_t fixed_up(const struct fixups *fixups, uint64_t word_address, uint64_t value)
{
	uint32_t i = value ? LODE_NONE : lode_map_find(&fixups->index, word_address);

	return i < fixups->values.n ? fixups->values.at[i] : value;
}

static const char *name_at(struct lode_xray_names *names, const struct lode_symtab *symtab,
			   uint64_t address)
{
	uint32_t i = lode_symtab_find(symtab, address);
	const char *raw, *readable;

	if (i == LODE_NONE)
		return NULL;
	raw = symtab->entries.at[i].name;
	readable = lode_demangle(raw, &names->arena);
	return readable ? readable : raw;
}

/*
 * Ids count the functions in the order of their sleds: a function's sleds lie together, and the
 * first is 1. In sleds of version 2 both addresses are relative to where they stand; in older ones
 * they are absolute, and in a PIE filled in by relocations.
 */
static void name_sleds(struct lode_xray_names *names, const struct lode_symtab *symtab,
		       const struct fixups *fixups, struct lode_bytes sleds, uint64_t address)
{
	uint64_t current = 0;
	uint32_t id = 0;

	while (lode_bytes_left(&sleds) >= SLED_BYTES && id < ID_MAX) {
		struct lode_bytes sled = lode_bytes_sub(&sleds, SLED_BYTES);
		uint64_t function;

		lode_bytes_u64(&sled); /* where the sled is */
		function = lode_bytes_u64(&sled);
		lode_bytes_u16(&sled); /* its kind; always instrumented */
		if (lode_bytes_u8(&sled) >= 2)
			function += address + 8;
		else
			function = fixed_up(fixups, address + 8, function);
		if (id == 0 || function != current) {
			const char *name = name_at(names, symtab, function);

			id++;
			current = function;
			if (name)
				set_name(names, id, name);
		}
		address += SLED_BYTES;
	}
}

static int load_elf(struct lode_xray_names *names, const struct lode_elf_file *file,
		    const char *path, struct lode_error *err)
{
	struct fixups fixups = {0};
	struct lode_symtab symtab = {0};
	GElf_Shdr header;
	Elf_Scn *section = lode_elf_section(file, "xray_instr_map", &header);
	const void *bytes;
	size_t size;

	if (gelf_getclass(file->elf) != ELFCLASS64)
		return lode_fail(err, LODE_ERR_UNSUPPORTED, path, -1,
				 "only 64-bit programs are read");
	bytes = section ? lode_elf_bytes(section, &header, &size) : NULL;
	if (!bytes)
		return lode_fail(err, LODE_ERR_FORMAT, path, -1,
				 "has no section xray_instr_map: it was not built with "
				 "-fxray-instrument, or is a debug file without code");
	lode_elf_add_symbols(&symtab, &names->arena, file, LODE_ELF_SYMTAB);
	lode_elf_add_symbols(&symtab, &names->arena, file, LODE_ELF_DYNSYM);
	lode_symtab_settle(&symtab, LODE_SYMTAB_ELF);
	collect_fixups(&fixups, file, header.sh_addr, header.sh_addr + size);
	name_sleds(names, &symtab, &fixups, lode_bytes_make(bytes, size, 0), header.sh_addr);
	path = lode_path_base(path);
	names->module = lode_arena_strndup(&names->arena, path, strlen(path));
	lode_symtab_release(&symtab);
	lode_map_release(&fixups.index);
	lode_vec_release(&fixups.values);
	if (names->of_id.n == 0)
		return lode_fail(err, LODE_ERR_FORMAT, path, -1,
				 "has no symbols for its sleds: it was stripped");
	return LODE_OK;
}

/* ---- From a table ---- */

/* "id [address] name", by tabs or, without any, by spaces (names may then hold spaces too). */
static bool parse_row(char *line, size_t len, uint32_t *id, const char **name)
{
	char separator = memchr(line, '\t', len) ? '\t' : ' ';
	char *end, *rest;
	unsigned long long value;

	if (!lode_is_digit(*line))
		return false;
	errno = 0;
	value = strtoull(line, &end, 10);
	if (errno || *end != separator || value == 0 || value > ID_MAX)
		return false;
	rest = end + 1;
	if (!strncmp(rest, "0x", 2) || !strncmp(rest, "0X", 2)) {
		strtoull(rest, &end, 16);
		if (*end == separator)
			rest = end + 1;
	}
	*id = (uint32_t)value;
	*name = rest;
	return *rest != '\0';
}

static int load_table(struct lode_xray_names *names, struct lode_input *input,
		      struct lode_error *err)
{
	struct lode_lines lines;
	char *line;
	size_t len;
	int rc;

	lode_lines_init(&lines, input);
	while ((rc = lode_lines_next(&lines, &line, &len, err)) > 0) {
		const char *name;
		uint32_t id;

		if (len == 0 || *line == '#')
			continue;
		if (parse_row(line, len, &id, &name))
			set_name(names, id, lode_arena_strndup(&names->arena, name, strlen(name)));
		else if (lines.number > 1) { /* the first may be a heading */
			rc = lode_fail_line(
				err, LODE_ERR_FORMAT, lode_input_path(input), lines.number,
				"expected \"id <tab> address <tab> name\", or an ELF program");
			break;
		}
	}
	lode_lines_release(&lines);
	if (rc == 0 && names->of_id.n == 0)
		rc = lode_fail(err, LODE_ERR_FORMAT, lode_input_path(input), -1,
			       "has no functions: expected \"id <tab> address <tab> name\" or an "
			       "ELF program");
	return rc;
}

int lode_xray_names_load(struct lode_xray_names *names, const char *path, struct lode_error *err)
{
	struct lode_elf_file *file;
	struct lode_input *input;
	int rc;

	if (!path)
		return LODE_OK;
	file = lode_elf_open(path);
	if (file) {
		rc = load_elf(names, file, path, err);
		lode_elf_close(file);
		return rc;
	}
	rc = lode_input_open(&input, path, err);
	if (rc < 0)
		return rc;
	rc = load_table(names, input, err);
	lode_input_close(input);
	return rc;
}

void lode_xray_names_release(struct lode_xray_names *names)
{
	lode_vec_release(&names->of_id);
	lode_arena_release(&names->arena);
	names->module = NULL;
}
