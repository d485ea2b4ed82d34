/* Looks through tables of call frame information before libdw runs them. */
#include "input/symbols/cfi_check.h"

#include <dwarf.h>

#include "base/ascii.h"
#include "base/sorted.h"
#include "base/varint.h"

/* AArch64's SVE registers end at 127, those of x86-64 at 145; compilers remember one state or two.
 */
enum { MOST_REGISTERS = 256, MOST_REMEMBERED = 64 };

/* What FDEs need of the CIE that they name. */
struct cie {
	uint64_t offset;
	unsigned address_bytes; /* 0: encoded in a way that is not known here */
	bool is_sized;		/* FDEs have augmentation data, behind its size */
};

struct table {
	Elf_Data *data;
	const unsigned char *ident;
	bool is_eh;
	unsigned word_bytes;
	LODE_VEC(struct cie) cies;  /* by offset, as they stand in the table */
	LODE_VEC(uint64_t) entries; /* offsets of FDEs, the same */
};

/* ---- Instructions ---- */

/* Operands: r a register, u a number, b a block behind its size, a an address, digits bytes. */
static const char *const operands[] = {
	[DW_CFA_nop] = "",
	[DW_CFA_set_loc] = "a",
	[DW_CFA_advance_loc1] = "1",
	[DW_CFA_advance_loc2] = "2",
	[DW_CFA_advance_loc4] = "4",
	[DW_CFA_offset_extended] = "ru",
	[DW_CFA_restore_extended] = "r",
	[DW_CFA_undefined] = "r",
	[DW_CFA_same_value] = "r",
	[DW_CFA_register] = "ru",
	[DW_CFA_remember_state] = "",
	[DW_CFA_restore_state] = "",
	[DW_CFA_def_cfa] = "uu",
	[DW_CFA_def_cfa_register] = "u",
	[DW_CFA_def_cfa_offset] = "u",
	[DW_CFA_def_cfa_expression] = "b",
	[DW_CFA_expression] = "rb",
	[DW_CFA_offset_extended_sf] = "ru",
	[DW_CFA_def_cfa_sf] = "uu",
	[DW_CFA_def_cfa_offset_sf] = "u",
	[DW_CFA_val_offset] = "ru",
	[DW_CFA_val_offset_sf] = "ru",
	[DW_CFA_val_expression] = "rb",
	[DW_CFA_MIPS_advance_loc8] = "8",
	[DW_CFA_GNU_window_save] = "",
	[DW_CFA_GNU_args_size] = "u",
	[DW_CFA_GNU_negative_offset_extended] = "ru",
};

/* NULL: no such instruction, where libdw ends too. */
static const char *operands_of(uint8_t code)
{
	if (code >= DW_CFA_advance_loc) /* a register or a distance in the low bits */
		return (code & 0xc0) == DW_CFA_offset ? "u" : "";
	return code < sizeof(operands) / sizeof(*operands) ? operands[code] : NULL;
}

/* False: a register that there cannot be. */
static bool skip_operand(struct lode_bytes *program, char kind, const struct cie *cie)
{
	uint64_t value;

	if (lode_is_digit(kind)) {
		(void)lode_bytes_take(program, (size_t)(kind - '0'));
	} else if (kind == 'a') {
		(void)lode_bytes_take(program, cie->address_bytes);
	} else {
		value = lode_varint_get(program);
		if (kind == 'b')
			(void)lode_bytes_take(program, value);
		return kind != 'r' || value < MOST_REGISTERS;
	}
	return true;
}

static bool is_program_sound(struct lode_bytes program, const struct cie *cie)
{
	unsigned n_remembered = 0;

	while (lode_bytes_left(&program)) {
		uint8_t code = lode_bytes_u8(&program);
		const char *kinds = operands_of(code);

		if (!kinds)
			return true;
		if (code == DW_CFA_remember_state && ++n_remembered > MOST_REMEMBERED)
			return false;
		if (code == DW_CFA_restore_state && n_remembered)
			n_remembered--;
		for (; *kinds; kinds++)
			if (!skip_operand(&program, *kinds, cie))
				return false;
	}
	return !program.overrun;
}

static struct lode_bytes bytes_between(const uint8_t *at, const uint8_t *end)
{
	return lode_bytes_make(at, at < end ? (size_t)(end - at) : 0, 0);
}

/* ---- Entries ---- */

/* Bytes of an encoded address; 0: no fixed number of them. */
static unsigned encoded_bytes(const struct table *table, uint8_t encoding)
{
	if ((encoding & 0x70) >= DW_EH_PE_aligned)
		return 0;
	switch (encoding & 0x07) {
	case DW_EH_PE_absptr:
		return table->word_bytes;
	case DW_EH_PE_udata2:
		return 2;
	case DW_EH_PE_udata4:
		return 4;
	case DW_EH_PE_udata8:
		return 8;
	default:
		return 0;
	}
}

/* How the FDEs of an entry with this augmentation ("", "zR", "zPLR" ...) begin. */
static struct cie read_augmentation(const struct table *table, uint64_t offset,
				    const Dwarf_CIE *entry)
{
	struct cie cie = {offset, table->word_bytes, entry->augmentation[0] == 'z'};
	struct lode_bytes data =
		lode_bytes_make(entry->augmentation_data, entry->augmentation_data_size, 0);

	if (entry->augmentation[0] && !cie.is_sized)
		cie.address_bytes = 0;
	for (const char *at = entry->augmentation + cie.is_sized; *at && cie.address_bytes; at++) {
		if (*at == 'R')
			cie.address_bytes = encoded_bytes(table, lode_bytes_u8(&data));
		else if (*at == 'P')
			(void)lode_bytes_take(&data, encoded_bytes(table, lode_bytes_u8(&data)));
		else if (*at == 'L')
			(void)lode_bytes_u8(&data);
		else if (*at != 'S' && strspn(at, "BG") != strlen(at))
			cie.address_bytes = 0; /* what follows may be read in more than one way */
	}
	if (data.overrun)
		cie.address_bytes = 0;
	return cie;
}

LODE_COMPARE(by_offset, uint64_t, LODE_ORDER(*a, *b))

static bool is_cie_sound(struct table *table, uint64_t offset, const Dwarf_CIE *entry)
{
	struct cie cie = read_augmentation(table, offset, entry);

	lode_vec_append(&table->cies, cie);
	return is_program_sound(
		bytes_between(entry->initial_instructions, entry->initial_instructions_end), &cie);
}

static bool is_fde_sound(struct table *table, uint64_t offset, const Dwarf_FDE *entry)
{
	uint64_t at = entry->CIE_pointer;
	const struct cie *cie = table->cies.n ? bsearch(&at, table->cies.at, table->cies.n,
							sizeof(*table->cies.at), by_offset)
					      : NULL;
	struct lode_bytes rest = bytes_between(entry->start, entry->end);

	if (!cie || !cie->address_bytes)
		return false;
	lode_vec_append(&table->entries, offset);
	(void)lode_bytes_take(&rest, 2 * (size_t)cie->address_bytes);
	if (cie->is_sized)
		(void)lode_bytes_take(&rest, lode_varint_get(&rest));
	return !rest.overrun && is_program_sound(rest, cie);
}

/* One round for CIEs, which may stand behind their FDEs, and one for those. */
static bool are_entries_sound(struct table *table, bool wants_cies)
{
	Dwarf_CFI_Entry entry;
	Dwarf_Off next;
	int rc;

	for (Dwarf_Off at = 0;; at = next) {
		next = at;
		rc = dwarf_next_cfi(table->ident, table->data, table->is_eh, at, &next, &entry);
		if (rc > 0 || (rc < 0 && next <= at))
			return true;
		if (rc < 0 || dwarf_cfi_cie_p(&entry) != wants_cies)
			continue;
		if (wants_cies ? !is_cie_sound(table, at, &entry.cie)
			       : !is_fde_sound(table, at, &entry.fde))
			return false;
	}
}

/* ---- Tables ---- */

static bool make_table(struct table *table, Elf *elf, bool is_eh)
{
	*table = (struct table){.is_eh = is_eh};
	table->ident = (const unsigned char *)elf_getident(elf, NULL);
	if (!table->ident)
		return false;
	table->word_bytes = table->ident[EI_CLASS] == ELFCLASS32 ? 4 : 8;
	return true;
}

static bool read_table(struct table *table, Elf_Data *data)
{
	table->data = data;
	table->cies.n = table->entries.n = 0;
	return are_entries_sound(table, true) && are_entries_sound(table, false);
}

static void release_table(struct table *table)
{
	lode_vec_release(&table->cies);
	lode_vec_release(&table->entries);
}

/* The table by which libdw finds entries leads to such as were looked at: pairs of distances of an
   address and its FDE. */
static bool is_search_sound(const struct table *table, const Elf_Data *search, uint64_t address,
			    uint64_t frame_address)
{
	static const uint8_t form[] = {1, DW_EH_PE_pcrel | DW_EH_PE_sdata4, DW_EH_PE_udata4,
				       DW_EH_PE_datarel | DW_EH_PE_sdata4};
	struct lode_bytes bytes = lode_bytes_make(search->d_buf, search->d_size, 0);
	const uint8_t *head = lode_bytes_take(&bytes, sizeof(form));
	uint32_t n;

	if (head && head[3] == DW_EH_PE_omit)
		return true;
	(void)lode_bytes_u32(&bytes);
	n = lode_bytes_u32(&bytes);
	if (!head || memcmp(head, form, sizeof(form)) != 0 || n > lode_bytes_left(&bytes) / 8)
		return false;
	for (uint32_t i = 0; i < n; i++) {
		uint64_t offset;

		(void)lode_bytes_u32(&bytes);
		offset = address + (uint64_t)(int64_t)lode_bytes_i32(&bytes) - frame_address;
		if (!table->entries.n || !bsearch(&offset, table->entries.at, table->entries.n,
						  sizeof(offset), by_offset))
			return false;
	}
	return true;
}

/* Without names of sections, libdw goes by the program header of the search table. */
static bool is_segment_sound(struct table *table, Elf *elf)
{
	GElf_Phdr header;
	size_t n, size;

	if (elf_getphdrnum(elf, &n) != 0)
		return true;
	for (size_t i = 0; i < n; i++) {
		Elf_Data *search, *data;
		uint64_t offset, address;
		int32_t distance;

		if (!gelf_getphdr(elf, (int)i, &header))
			return true;
		if (header.p_type != PT_GNU_EH_FRAME)
			continue;
		search = elf_getdata_rawchunk(elf, (int64_t)header.p_offset, header.p_filesz,
					      ELF_T_BYTE);
		if (!search || search->d_size < 8 || !elf_rawfile(elf, &size))
			return true;
		memcpy(&distance, (const char *)search->d_buf + 4, sizeof(distance));
		offset = header.p_offset + 4 + (uint64_t)(int64_t)distance;
		address = header.p_vaddr + 4 + (uint64_t)(int64_t)distance;
		data = elf_getdata_rawchunk(elf, (int64_t)offset, size - offset, ELF_T_BYTE);
		return !data || (read_table(table, data) &&
				 is_search_sound(table, search, header.p_vaddr, address));
	}
	return true;
}

static const char *section_name(Elf *elf, const GElf_Shdr *header)
{
	size_t names;
	const char *name = elf_getshdrstrndx(elf, &names) == 0
				   ? elf_strptr(elf, names, header->sh_name)
				   : NULL;

	return name ? name : "";
}

bool lode_cfi_is_eh_frame_sound(Elf *elf)
{
	Elf_Scn *section = NULL;
	Elf_Data *search = NULL, *data;
	GElf_Shdr header, search_header = {0};
	struct table table;
	bool is_sound = make_table(&table, elf, true), is_there = false;

	while (is_sound && !is_there && (section = elf_nextscn(elf, section))) {
		const char *name = gelf_getshdr(section, &header) ? section_name(elf, &header) : "";

		if (!strcmp(name, ".eh_frame_hdr")) {
			search = elf_rawdata(section, NULL);
			search_header = header;
		}
		is_there = !strcmp(name, ".eh_frame");
		data = is_there && header.sh_type == SHT_PROGBITS ? elf_rawdata(section, NULL)
								  : NULL;
		if (data && data->d_buf)
			is_sound = read_table(&table, data) &&
				   (!search || !search->d_buf ||
				    is_search_sound(&table, search, search_header.sh_addr,
						    header.sh_addr));
	}
	if (is_sound && !is_there)
		is_sound = is_segment_sound(&table, elf);
	release_table(&table);
	return is_sound;
}

bool lode_cfi_is_debug_frame_sound(Elf *elf)
{
	Elf_Scn *section = NULL;
	GElf_Shdr header;
	struct table table;
	bool is_sound = make_table(&table, elf, false);

	while (is_sound && (section = elf_nextscn(elf, section))) {
		Elf_Data *data = NULL;

		/* ".debug_frame", ".zdebug_frame", and those of link-time optimisation */
		if (gelf_getshdr(section, &header) && header.sh_type != SHT_NOBITS &&
		    strstr(section_name(elf, &header), "debug_frame"))
			data = elf_getdata(section, NULL);
		if (data && data->d_buf)
			is_sound = read_table(&table, data);
	}
	release_table(&table);
	return is_sound;
}
