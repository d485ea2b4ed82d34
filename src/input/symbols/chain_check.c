/* Checks places of call chains against unwind tables and code. */
#include "input/symbols/chain_check.h"

#include <unistd.h>

#include "input/symbols/dso.h"
#include "input/symbols/frame_tables.h"

enum { MOST_CALL_BYTES = 7, MOST_RETURN_BYTES = 9, CODE_BYTES = 16 };

/* ---- Code ---- */

struct code {
	const struct lode_elf_file *file; /* NULL: none */
	GElf_Half machine;
	GElf_Shdr section; /* that was looked up last */
};

/* Finds the section of code with the address, which has its bytes in the file. */
static bool find_section(struct code *code, uint64_t address)
{
	Elf_Scn *section = NULL;

	if (address - code->section.sh_addr < code->section.sh_size)
		return true;
	while ((section = elf_nextscn(code->file->elf, section)))
		if (gelf_getshdr(section, &code->section) &&
		    code->section.sh_flags & SHF_EXECINSTR &&
		    code->section.sh_type == SHT_PROGBITS &&
		    address - code->section.sh_addr < code->section.sh_size)
			return true;
	code->section.sh_size = 0;
	return false;
}

/* The bytes around `address`: a page or two are read, not the section. */
static bool read_code(struct code *code, uint64_t address, uint8_t bytes[CODE_BYTES])
{
	uint64_t at;

	if (!find_section(code, address))
		return false;
	at = address - code->section.sh_addr;
	if (at < MOST_CALL_BYTES || code->section.sh_size - at < MOST_RETURN_BYTES)
		return false;
	at += code->section.sh_offset - MOST_CALL_BYTES;
	return at <= INT64_MAX && pread(code->file->fd, bytes, CODE_BYTES, (off_t)at) == CODE_BYTES;
}

/* Bytes of `call *operand`, whose first is 0xff; 0: it is another instruction. */
static size_t indirect_call_bytes(const uint8_t *at)
{
	unsigned mod = at[1] >> 6, rm = at[1] & 7;
	size_t n = 2;

	if (at[0] != 0xff || (at[1] >> 3 & 7) != 2)
		return 0;
	if (mod == 3)
		return n;
	n += rm == 4;
	if (mod == 0 && (rm == 5 || (rm == 4 && (at[2] & 7) == 5)))
		return n + 4;
	return n + (mod == 1 ? 1 : mod == 2 ? 4 : 0);
}

static bool is_behind_x86_call(const uint8_t *behind)
{
	if (behind[-5] == 0xe8)
		return true;
	for (size_t n = 2; n <= MOST_CALL_BYTES; n++)
		if (indirect_call_bytes(behind - n) == n)
			return true;
	return false;
}

static bool is_behind_arm_call(const uint8_t *behind)
{
	uint32_t word;

	memcpy(&word, behind - sizeof(word), sizeof(word));
	return (word & 0xfc000000) == 0x94000000 || (word & 0xfefff000) == 0xd63f0000;
}

/* Where a handler of signals returns to: the kernel put the address there. */
static bool is_signal_return(GElf_Half machine, const uint8_t *at)
{
	static const uint8_t x86_long[] = {0x48, 0xc7, 0xc0, 0x0f, 0, 0, 0, 0x0f, 0x05};
	static const uint8_t x86_short[] = {0xb8, 0x0f, 0, 0, 0, 0x0f, 0x05};
	static const uint8_t arm[] = {0x68, 0x11, 0x80, 0xd2, 0x01, 0, 0, 0xd4};

	if (machine == EM_AARCH64)
		return !memcmp(at, arm, sizeof(arm));
	return !memcmp(at, x86_long, sizeof(x86_long)) || !memcmp(at, x86_short, sizeof(x86_short));
}

/* Does a call return to the address? 0: its code is not known. */
static uint8_t check_return_address(struct code *code, uint64_t address)
{
	uint8_t bytes[CODE_BYTES];
	const uint8_t *at = bytes + MOST_CALL_BYTES;

	if (!read_code(code, address, bytes))
		return 0;
	return is_signal_return(code->machine, at) ||
			       (code->machine == EM_AARCH64 ? is_behind_arm_call(at)
							    : is_behind_x86_call(at))
		       ? LODE_CHAIN_CALLS
		       : LODE_CHAIN_NOT_CALLER;
}

/* The recorded file itself: that in a bundle may have no code. */
static struct lode_elf_file *open_code(const struct lode_dso *dso,
				       const struct lode_elf_file *program)
{
	struct lode_elf_file *file;

	if (!dso->build_id_size)
		return NULL;
	file = lode_elf_open(lode_elf_section(program, LODE_ELF_REDUCED, &(GElf_Shdr){0})
				     ? dso->path
				     : program->path);
	if (file && file->build_id_size == dso->build_id_size &&
	    !memcmp(file->build_id, dso->build_id, dso->build_id_size))
		return file;
	lode_elf_close(file);
	return NULL;
}

/* ---- Places ---- */

struct check {
	bool has_tables;
	struct lode_frame_tables tables;
	struct code code; /* without file: no code */
};

static uint8_t check_place(struct check *check, uint64_t address, unsigned asked)
{
	uint8_t found = 0;

	if (asked & LODE_CHAIN_LEAF && check->has_tables &&
	    lode_frame_tables_at(&check->tables, address) == LODE_FRAME_LACKING)
		found |= LODE_CHAIN_SKIPS_CALLER;
	if (asked & LODE_CHAIN_CALLER && check->code.file)
		found |= check_return_address(&check->code, address + 1);
	return found;
}

static bool is_any_asked(const uint8_t *flags, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (flags[i])
			return true;
	return false;
}

static void check_places(const struct lode_dso *dso, struct check *check, const uint64_t *addresses,
			 uint8_t *flags, size_t n)
{
	uint64_t address;

	for (size_t i = 0; i < n; i++)
		if (flags[i] && lode_elf_map_find(&dso->map, addresses[i], &address))
			flags[i] |= check_place(check, address, flags[i]);
}

void lode_dso_check_chains(struct lode_dso *dso, const uint64_t *addresses, uint8_t *flags,
			   size_t n)
{
	struct lode_elf_file *program, *debug, *code;
	struct check check = {0};
	GElf_Ehdr header;

	if (dso->kind != LODE_DSO_USER || !is_any_asked(flags, n))
		return;
	lode_dso_open_files(dso, &program, &debug);
	lode_elf_close(debug);
	if (!program)
		return;
	code = open_code(dso, program);
	check.has_tables = lode_frame_tables_init(&check.tables, program);
	if (code && check.tables.frame_register && gelf_getehdr(code->elf, &header)) {
		check.code.file = code;
		check.code.machine = header.e_machine;
	}
	check_places(dso, &check, addresses, flags, n);
	lode_elf_close(code);
	lode_elf_close(program);
}
