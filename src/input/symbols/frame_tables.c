/* Tells from .eh_frame whether a function keeps a frame pointer. */
#include "input/symbols/frame_tables.h"

#include <dwarf.h>

#include "base/varint.h"

enum {
	X86_64_FRAME = 6,
	AARCH64_FRAME = 29,
	HEAD_BYTES = 12, /* of .eh_frame_hdr */
	PAIR_BYTES = 8,
	MOST_REMEMBERED = 8,
	MOST_DISTANCE = 64, /* from the frame pointer to what lies above the frame */
};

static const void *section_bytes(const struct lode_elf_file *file, const char *name, size_t *size,
				 uint64_t *address)
{
	GElf_Shdr header;
	Elf_Scn *section = lode_elf_section(file, name, &header);

	*address = section ? header.sh_addr : 0;
	return section ? lode_elf_bytes(section, &header, size) : NULL;
}

/* The search table must have the form that linkers write: pairs of distances of 32 bits. */
bool lode_frame_tables_init(struct lode_frame_tables *tables, const struct lode_elf_file *file)
{
	static const uint8_t form[] = {1, DW_EH_PE_pcrel | DW_EH_PE_sdata4, DW_EH_PE_udata4,
				       DW_EH_PE_datarel | DW_EH_PE_sdata4};
	GElf_Ehdr header;

	*tables = (struct lode_frame_tables){0};
	if (!gelf_getehdr(file->elf, &header))
		return false;
	tables->frame_register = header.e_machine == EM_X86_64	  ? X86_64_FRAME
				 : header.e_machine == EM_AARCH64 ? AARCH64_FRAME
								  : 0;
	if (!tables->frame_register)
		return false;
	tables->search = section_bytes(file, ".eh_frame_hdr", &tables->search_bytes,
				       &tables->search_address);
	tables->frames =
		section_bytes(file, ".eh_frame", &tables->frame_bytes, &tables->frame_address);
	return tables->search && tables->frames && tables->search_bytes >= HEAD_BYTES &&
	       !memcmp(tables->search, form, sizeof(form));
}

/* ---- Entries ---- */

struct entry {
	struct lode_bytes first, program; /* instructions of the CIE, then of the FDE */
	uint64_t start, size, code_unit, return_register;
};

/* A record at an offset of .eh_frame, behind its length; empty if there is none. */
static struct lode_bytes record_at(const struct lode_frame_tables *tables, uint64_t offset)
{
	struct lode_bytes none = lode_bytes_make(NULL, 0, 0), bytes;
	uint32_t size;

	if (offset >= tables->frame_bytes)
		return none;
	bytes = lode_bytes_make(tables->frames + offset, tables->frame_bytes - offset,
				(int64_t)offset);
	size = lode_bytes_u32(&bytes);
	return size == UINT32_MAX ? none : lode_bytes_sub(&bytes, size);
}

uint32_t lode_frame_tables_count(const struct lode_frame_tables *tables)
{
	uint32_t n;

	memcpy(&n, tables->search + 8, sizeof(n));
	return n <= (tables->search_bytes - HEAD_BYTES) / PAIR_BYTES ? n : 0;
}

/* A pair's first word, the function, or its second, the FDE. */
static uint64_t pair_address(const struct lode_frame_tables *tables, uint64_t i, size_t word)
{
	int32_t distance;

	memcpy(&distance, tables->search + HEAD_BYTES + i * PAIR_BYTES + word * sizeof(distance),
	       sizeof(distance));
	return tables->search_address + (uint64_t)(int64_t)distance;
}

uint64_t lode_frame_tables_function(const struct lode_frame_tables *tables, uint64_t i)
{
	return pair_address(tables, i, 0);
}

/* Where the FDE of the last function at or before `address` begins; UINT64_MAX: nowhere. */
static uint64_t find_entry(const struct lode_frame_tables *tables, uint64_t address)
{
	uint64_t low = 0, high = lode_frame_tables_count(tables);

	while (low < high) {
		uint64_t middle = low + (high - low) / 2;

		if (lode_frame_tables_function(tables, middle) <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low ? pair_address(tables, low - 1, 1) - tables->frame_address : UINT64_MAX;
}

/* Reads a CIE; false: it has what is not known here. `*encoding` is of its FDEs' addresses. */
static bool read_cie(struct lode_bytes cie, struct entry *entry, uint8_t *encoding, bool *is_sized)
{
	struct lode_bytes data;
	uint32_t id = lode_bytes_u32(&cie);
	uint8_t version = lode_bytes_u8(&cie);
	const char *letters = (const char *)cie.at;

	if (id || (version != 1 && version != 3) || !memchr(cie.at, 0, lode_bytes_left(&cie)))
		return false;
	(void)lode_bytes_take(&cie, strlen(letters) + 1);
	entry->code_unit = lode_varint_get(&cie);
	(void)lode_varint_get(&cie); /* unit of offsets, signed */
	entry->return_register = version == 1 ? lode_bytes_u8(&cie) : lode_varint_get(&cie);
	*encoding = DW_EH_PE_absptr;
	*is_sized = *letters == 'z';
	if (*letters && !*is_sized)
		return false;
	data = *is_sized ? lode_bytes_sub(&cie, lode_varint_get(&cie)) : lode_bytes_make("", 0, 0);
	for (letters += *is_sized; *letters; letters++) {
		uint8_t of_handler;

		if (*letters == 'R') {
			*encoding = lode_bytes_u8(&data);
		} else if (*letters == 'L') {
			(void)lode_bytes_u8(&data);
		} else if (*letters == 'P') {
			of_handler = lode_bytes_u8(&data) & 0x07;
			(void)lode_bytes_take(&data, of_handler == DW_EH_PE_udata4 ? 4 : 8);
		} else if (*letters != 'B') {
			return false; /* S: the caller of a signal's frame did not call */
		}
	}
	entry->first = cie;
	return !cie.overrun && !data.overrun;
}

static bool read_entry(const struct lode_frame_tables *tables, uint64_t offset, struct entry *entry)
{
	struct lode_bytes fde = record_at(tables, offset);
	uint64_t here;
	uint8_t encoding;
	bool is_sized;

	here = (uint64_t)lode_bytes_offset(&fde);
	if (!read_cie(record_at(tables, here - lode_bytes_u32(&fde)), entry, &encoding, &is_sized))
		return false;
	here = tables->frame_address + (uint64_t)lode_bytes_offset(&fde);
	if (encoding == (DW_EH_PE_pcrel | DW_EH_PE_sdata4)) {
		entry->start = here + (uint64_t)(int64_t)lode_bytes_i32(&fde);
		entry->size = lode_bytes_u32(&fde);
	} else if (encoding == DW_EH_PE_absptr || encoding == (DW_EH_PE_pcrel | DW_EH_PE_sdata8)) {
		entry->start = lode_bytes_u64(&fde) + (encoding ? here : 0);
		entry->size = lode_bytes_u64(&fde);
	} else {
		return false;
	}
	if (is_sized)
		(void)lode_bytes_take(&fde, lode_varint_get(&fde));
	entry->program = fde;
	return !fde.overrun;
}

/* ---- Rules ---- */

enum register_rule { RULE_SAME, RULE_SAVED, RULE_UNDEFINED };

struct rules {
	bool is_plain;		  /* the base is a register and an offset */
	uint64_t base, offset;	  /* of the frame's base */
	uint8_t frame, return_to; /* enum register_rule */
};

struct run {
	const struct lode_frame_tables *tables;
	const struct entry *entry;
	uint64_t at; /* the code reached */
	struct rules rules, initial, remembered[MOST_REMEMBERED];
	size_t n_remembered;
};

static void set_rule(struct run *run, uint64_t reg, enum register_rule rule)
{
	if (reg == run->tables->frame_register)
		run->rules.frame = (uint8_t)rule;
	if (reg == run->entry->return_register)
		run->rules.return_to = (uint8_t)rule;
}

static void restore_rule(struct run *run, uint64_t reg)
{
	if (reg == run->tables->frame_register)
		run->rules.frame = run->initial.frame;
	if (reg == run->entry->return_register)
		run->rules.return_to = run->initial.return_to;
}

static bool set_base(struct run *run, uint64_t base, uint64_t offset)
{
	run->rules.base = base;
	run->rules.offset = offset;
	run->rules.is_plain = true;
	return true;
}

static bool keep_rules(struct run *run, bool is_back)
{
	if (is_back ? !run->n_remembered : run->n_remembered == MOST_REMEMBERED)
		return false;
	if (is_back)
		run->rules = run->remembered[--run->n_remembered];
	else
		run->remembered[run->n_remembered++] = run->rules;
	return true;
}

/* One instruction with operands of its own; false: it is not known here. */
static bool run_instruction(struct run *run, struct lode_bytes *b, uint8_t code)
{
	uint64_t reg;

	switch (code) {
	case DW_CFA_nop:
		return true;
	case DW_CFA_GNU_args_size:
		(void)lode_varint_get(b);
		return true;
	case DW_CFA_GNU_window_save: /* AArch64: signed return addresses */
		return true;
	case DW_CFA_remember_state:
	case DW_CFA_restore_state:
		return keep_rules(run, code == DW_CFA_restore_state);
	case DW_CFA_def_cfa:
		reg = lode_varint_get(b);
		return set_base(run, reg, lode_varint_get(b));
	case DW_CFA_def_cfa_register:
		return set_base(run, lode_varint_get(b), run->rules.offset);
	case DW_CFA_def_cfa_offset:
		return set_base(run, run->rules.base, lode_varint_get(b));
	case DW_CFA_def_cfa_expression:
		run->rules.is_plain = false;
		(void)lode_bytes_take(b, lode_varint_get(b));
		return true;
	case DW_CFA_expression:
	case DW_CFA_val_expression:
		set_rule(run, lode_varint_get(b), RULE_SAVED);
		(void)lode_bytes_take(b, lode_varint_get(b));
		return true;
	case DW_CFA_offset_extended:
	case DW_CFA_offset_extended_sf:
	case DW_CFA_val_offset:
	case DW_CFA_val_offset_sf:
	case DW_CFA_register:
		set_rule(run, lode_varint_get(b), RULE_SAVED);
		(void)lode_varint_get(b);
		return true;
	case DW_CFA_restore_extended:
		restore_rule(run, lode_varint_get(b));
		return true;
	case DW_CFA_undefined:
		set_rule(run, lode_varint_get(b), RULE_UNDEFINED);
		return true;
	case DW_CFA_same_value:
		set_rule(run, lode_varint_get(b), RULE_SAME);
		return true;
	default:
		return false;
	}
}

/* Bytes of the distance that an instruction advances by; 0: it does not. */
static size_t advance_bytes(uint8_t code)
{
	return code == DW_CFA_advance_loc1   ? 1
	       : code == DW_CFA_advance_loc2 ? 2
	       : code == DW_CFA_advance_loc4 ? 4
					     : 0;
}

/* Runs instructions up to the code at `address`; false: one is not known. */
static bool run_program(struct run *run, struct lode_bytes program, uint64_t address)
{
	while (lode_bytes_left(&program)) {
		uint8_t code = lode_bytes_u8(&program), low = code & 0x3f;
		size_t n_bytes = advance_bytes(code);
		uint32_t distance = 0;
		const void *bytes;

		switch (code & 0xc0) {
		case DW_CFA_offset:
			set_rule(run, low, RULE_SAVED);
			(void)lode_varint_get(&program);
			break;
		case DW_CFA_restore:
			restore_rule(run, low);
			break;
		case DW_CFA_advance_loc:
			distance = low;
			break;
		default:
			if (!n_bytes && !run_instruction(run, &program, code))
				return false;
			bytes = lode_bytes_take(&program, n_bytes);
			if (bytes)
				memcpy(&distance, bytes, n_bytes);
		}
		run->at += distance * run->entry->code_unit;
		if (run->at > address)
			break;
	}
	return !program.overrun;
}

/*
 * x86-64: the frame lies right behind the frame pointer. AArch64 finds it by the stack pointer in
 * any case; there the caller's frame pointer is saved.
 */
enum lode_frame_rule lode_frame_tables_at(const struct lode_frame_tables *tables, uint64_t address)
{
	struct entry entry = {0};
	struct run run = {.tables = tables, .entry = &entry};
	uint64_t offset = find_entry(tables, address);
	bool is_kept;

	if (offset == UINT64_MAX || !read_entry(tables, offset, &entry) ||
	    address - entry.start >= entry.size || !run_program(&run, entry.first, UINT64_MAX))
		return LODE_FRAME_UNTOLD;
	run.initial = run.rules;
	run.at = entry.start;
	if (!run_program(&run, entry.program, address) || !run.rules.is_plain)
		return LODE_FRAME_UNTOLD;
	if (run.rules.return_to == RULE_UNDEFINED)
		return LODE_FRAME_OUTERMOST;
	is_kept = tables->frame_register == X86_64_FRAME
			  ? run.rules.base == X86_64_FRAME && run.rules.offset <= MOST_DISTANCE
			  : run.rules.frame != RULE_SAME;
	return is_kept ? LODE_FRAME_KEPT : LODE_FRAME_LACKING;
}
