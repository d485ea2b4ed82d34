/* Finds lines of source and machine code at a module's addresses. */
#include "input/symbols/listing.h"

#include <elf.h>
#include <inttypes.h>
#include <stdio.h>
#include <sys/stat.h>

#include "input/symbols/demangle.h"
#include "input/symbols/dso.h"
#include "input/symbols/packages.h"
#include "base/late_library.h"

/*
 * Machine code as text, by libcapstone, which is opened on demand.
 *
 * Appends the instructions of `n` bytes of code that lie at `address`; bytes that are none are
 * `.byte` lines, so that the whole is covered. `machine`: EM_X86_64, EM_386 or EM_AARCH64 of elf.h.
 * LODE_ERR_UNSUPPORTED: another machine, or no libcapstone here. Texts are the arena's.
 */

#if !__has_include(<capstone/capstone.h>)

static int disassemble(lode_instructions *out, struct lode_arena *arena, unsigned machine,
		       const uint8_t *code, size_t n, uint64_t address, struct lode_error *err)
{
	(void)out, (void)arena, (void)machine, (void)code, (void)n, (void)address;
	return lode_fail(err, LODE_ERR_UNSUPPORTED, NULL, -1,
			 "this lode was built without libcapstone-dev");
}

#else

#include <capstone/capstone.h>

/* ---- Machine code ---- */

#define CAPSTONE_FUNCTIONS(X) \
	X(cs_open)            \
	X(cs_close)           \
	X(cs_option)          \
	X(cs_malloc)          \
	X(cs_free)            \
	X(cs_disasm_iter)

struct capstone {
	CAPSTONE_FUNCTIONS(LODE_LATE_MEMBER)
};

static int mode_of(unsigned machine, cs_arch *arch, cs_mode *mode, struct lode_error *err)
{
	*arch = CS_ARCH_X86;
	*mode = CS_MODE_64;
	switch (machine) {
	case EM_X86_64:
		return LODE_OK;
	case EM_386:
		*mode = CS_MODE_32;
		return LODE_OK;
	case EM_AARCH64:
		*arch = CS_ARCH_ARM64;
		*mode = CS_MODE_ARM;
		return LODE_OK;
	default:
		return lode_fail(err, LODE_ERR_UNSUPPORTED, NULL, -1,
				 "its code is for an unsupported machine (%u in ELF)", machine);
	}
}

/* Operands that are an address and nothing else, "0x1139" or "#0x1139". */
static uint64_t target_of(const char *operands)
{
	uint64_t target;
	char *end;

	operands += *operands == '#';
	if (strncmp(operands, "0x", 2) != 0)
		return UINT64_MAX;
	target = strtoull(operands, &end, 16);
	return *end ? UINT64_MAX : target;
}

static void take_instruction(lode_instructions *out, struct lode_arena *arena, const cs_insn *insn)
{
	char text[sizeof(insn->mnemonic) + sizeof(insn->op_str) + 2];
	int n = snprintf(text, sizeof(text), "%s%s%s", insn->mnemonic, insn->op_str[0] ? " " : "",
			 insn->op_str);
	struct lode_instruction instruction = {
		.address = insn->address,
		.size_bytes = insn->size,
		.text = lode_arena_strndup(arena, text, (size_t)n),
		.target = target_of(insn->op_str),
	};

	lode_vec_append(out, instruction);
}

static int disassemble(lode_instructions *out, struct lode_arena *arena, unsigned machine,
		       const uint8_t *code, size_t n, uint64_t address, struct lode_error *err)
{
	struct capstone lib;
	cs_insn *insn;
	cs_arch arch;
	cs_mode mode;
	csh handle;
	int rc = mode_of(machine, &arch, &mode, err);

	if (rc == LODE_OK)
		rc = LODE_LATE_OPEN(&lib, CAPSTONE_FUNCTIONS, "libcapstone.so.4", err);
	if (rc != LODE_OK)
		return rc;
	if (lib.cs_open(arch, mode, &handle) != CS_ERR_OK)
		return lode_fail(err, LODE_ERR_UNSUPPORTED, NULL, -1,
				 "this libcapstone does not know machine %u of ELF", machine);
	if (arch == CS_ARCH_X86)
		lib.cs_option(handle, CS_OPT_SYNTAX, CS_OPT_SYNTAX_ATT);
	lib.cs_option(handle, CS_OPT_SKIPDATA, CS_OPT_ON);
	insn = lib.cs_malloc(handle);
	if (!insn)
		lode_oom(sizeof(*insn));
	while (n && lib.cs_disasm_iter(handle, &code, &n, &address, insn))
		take_instruction(out, arena, insn);
	lib.cs_free(insn, 1);
	lib.cs_close(&handle);
	return LODE_OK;
}

#endif

/* ---- Listings ---- */

struct lode_listing {
	struct lode_dso *dso; /* its table and map do not change once it is loaded */
	struct lode_elf_file *program, *debug;
	struct lode_inlines *inlines; /* NULL: no DWARF */
	struct lode_error refused;    /* status LODE_OK: none was */
};

static bool has_file(const struct lode_dso *dso)
{
	return dso->kind == LODE_DSO_USER || dso->kind == LODE_DSO_VDSO;
}

/* ---- Files ---- */

static bool is_reduced(const struct lode_elf_file *file)
{
	GElf_Shdr header;

	return lode_elf_section(file, LODE_ELF_REDUCED, &header) != NULL;
}

static void take_dwarf(struct lode_listing *listing, const struct lode_elf_file *file)
{
	struct lode_error err = {.status = LODE_OK};
	GElf_Shdr header;

	if (listing->inlines || !file || file->image ||
	    !(lode_elf_section(file, ".debug_info", &header) ||
	      lode_elf_section(file, ".zdebug_info", &header)))
		return;
	listing->inlines =
		lode_inlines_open(file->path, listing->dso->symboliser->keep_mangled, &err);
	if (!listing->inlines && err.status != LODE_ERR_EMPTY)
		listing->refused = err;
}

/* A file that may be the recorded program as a whole: a bundle holds its tables alone. True when
   nothing more is wanted. */
static bool consider_whole(void *context, const char *path)
{
	struct lode_listing *listing = context;
	const struct lode_elf_file *program = listing->program;
	struct lode_elf_file *file = lode_elf_open(path);

	if (!file || !file->build_id_size || file->build_id_size != program->build_id_size ||
	    memcmp(file->build_id, program->build_id, file->build_id_size) != 0) {
		lode_elf_close(file);
		return false;
	}
	take_dwarf(listing, file);
	if (file->has_code && !is_reduced(file) && is_reduced(program)) {
		lode_elf_close(listing->program);
		listing->program = file;
	} else {
		lode_elf_close(file);
	}
	return listing->inlines && !is_reduced(listing->program);
}

/* What the files that gave names lack: at the recorded path, below --symfs, among debug files. */
static void find_whole(struct lode_listing *listing)
{
	struct lode_roots roots = lode_dso_roots(listing->dso);
	char hex[2 * LODE_BUILD_ID_MAX + 1];

	if (!listing->program || !listing->program->build_id_size ||
	    (listing->inlines && !is_reduced(listing->program)))
		return;
	lode_hex(hex, listing->program->build_id, listing->program->build_id_size);
	if (!lode_files_by_path(&roots, listing->dso->path, consider_whole, listing))
		(void)lode_files_debug_by_id(&roots, hex, consider_whole, listing);
}

struct lode_listing *lode_listing_open(struct lode_dso *dso)
{
	struct lode_listing *listing = lode_alloc0(1, sizeof(*listing));

	listing->dso = dso;
	lode_dso_open_files(dso, &listing->program, &listing->debug);
	take_dwarf(listing, listing->debug);
	take_dwarf(listing, listing->program);
	find_whole(listing);
	return listing;
}

void lode_listing_close(struct lode_listing *listing)
{
	if (!listing)
		return;
	lode_inlines_free(listing->inlines);
	lode_elf_close(listing->program);
	lode_elf_close(listing->debug);
	free(listing);
}

bool lode_listing_find(struct lode_listing *listing, uint64_t address, uint32_t level,
		       struct lode_listing_place *out)
{
	const struct lode_dso *dso = listing->dso;
	uint32_t index;

	*out = (struct lode_listing_place){0};
	if (!has_file(dso) || !lode_elf_map_find(&dso->map, address, &out->address))
		return false;
	index = lode_symtab_find(&dso->table, out->address);
	if (index != LODE_NONE) {
		out->start = dso->table.entries.at[index].start;
		out->end = dso->table.entries.at[index].end;
	}
	if (listing->inlines)
		out->line = lode_inlines_line(listing->inlines, out->address, level);
	return true;
}

bool lode_listing_span(struct lode_listing *listing, const struct lode_listing_place *place,
		       uint32_t level, struct lode_source_line *first, uint32_t *last)
{
	return listing->inlines &&
	       lode_inlines_span(listing->inlines, place->address, level, first, last);
}

struct lode_source_line lode_listing_line(struct lode_listing *listing, uint64_t address)
{
	return listing->inlines ? lode_inlines_line(listing->inlines, address, UINT32_MAX)
				: (struct lode_source_line){0};
}

/* ---- Code ---- */

/* The bytes from `start` on, as far as the section goes; NULL: the file has none there. */
static const uint8_t *code_at(const struct lode_elf_file *file, uint64_t start, uint64_t *n)
{
	Elf_Scn *section = NULL;

	while ((section = elf_nextscn(file->elf, section))) {
		const uint8_t *bytes;
		GElf_Shdr header;
		size_t size = 0;

		if (!gelf_getshdr(section, &header) || header.sh_type != SHT_PROGBITS ||
		    !(header.sh_flags & SHF_EXECINSTR) || start < header.sh_addr ||
		    start - header.sh_addr >= header.sh_size)
			continue;
		bytes = lode_elf_bytes(section, &header, &size);
		if (!bytes || start - header.sh_addr >= size)
			return NULL;
		*n = size - (start - header.sh_addr);
		return bytes + (start - header.sh_addr);
	}
	return NULL;
}

/* "call 0x1139" -> "call 0x1139 <work>", "jmp 0x1140" -> "jmp 0x1140 <work+0x7>" */
static void name_target(struct lode_instruction *instruction, struct lode_arena *arena,
			const struct lode_dso *dso)
{
	uint32_t index = lode_symtab_find(&dso->table, instruction->target);
	const struct lode_symtab_entry *entry;
	const char *name = NULL;
	uint64_t offset;
	size_t size;
	char *text;

	if (instruction->target == UINT64_MAX || index == LODE_NONE)
		return;
	entry = &dso->table.entries.at[index];
	offset = instruction->target - entry->start;
	if (!dso->symboliser->keep_mangled)
		name = lode_demangle(entry->name, arena);
	if (!name)
		name = entry->name;
	size = strlen(instruction->text) + strlen(name) + 32;
	text = lode_arena_array(arena, char, size);
	if (offset)
		snprintf(text, size, "%s <%s+0x%" PRIx64 ">", instruction->text, name, offset);
	else
		snprintf(text, size, "%s <%s>", instruction->text, name);
	instruction->text = text;
}

int lode_listing_code(lode_instructions *out, struct lode_arena *arena,
		      struct lode_listing *listing, uint64_t start, uint64_t end,
		      struct lode_error *err)
{
	const struct lode_elf_file *program = listing->program;
	const uint8_t *code;
	size_t from = out->n;
	GElf_Ehdr header;
	uint64_t n = 0;
	int rc;

	if (!program || !gelf_getehdr(program->elf, &header))
		return lode_fail(err, LODE_ERR_UNSUPPORTED, NULL, -1,
				 "its program is not available");
	code = end > start ? code_at(program, start, &n) : NULL;
	if (!code)
		return lode_fail(err, LODE_ERR_UNSUPPORTED, NULL, -1,
				 "the recording has only the symbols of %s, not its code, and that "
				 "file is missing or has changed: put it into --symfs",
				 listing->dso->path);
	n = n < end - start ? n : end - start;
	n = n < LODE_LISTING_BYTES ? n : LODE_LISTING_BYTES;
	rc = disassemble(out, arena, header.e_machine, code, n, start, err);
	for (size_t i = from; rc == LODE_OK && i < out->n; i++)
		name_target(&out->at[i], arena, listing->dso);
	return rc;
}

/* ---- What is missing ---- */

void lode_listing_lacks(const struct lode_listing *listing, char *text, size_t size)
{
	const struct lode_dso *dso = listing->dso;
	const char *installed = lode_dso_stripped_file(dso);
	char package[256];

	if (dso->kind == LODE_DSO_KERNEL || dso->kind == LODE_DSO_KMODULE)
		snprintf(text, size, "kernel source is not supported");
	else if (dso->kind == LODE_DSO_JIT)
		snprintf(text, size, "it was compiled at run time: no file has it");
	else if (!listing->program)
		snprintf(text, size, "%s", lode_dso_status(dso));
	else if (listing->refused.status != LODE_OK)
		lode_error_text(&listing->refused, text, size);
	else if (lode_debug_package(package, sizeof(package), "",
				    installed ? installed : dso->path))
		snprintf(text, size,
			 "%s has no debug information for it: install %s, or build it "
			 "with -g",
			 dso->path, package);
	else
		snprintf(text, size,
			 "%s has no debug information for it: build it with -g, or put "
			 "its debug file into --symfs",
			 dso->path);
}

int64_t lode_listing_time(const struct lode_listing *listing)
{
	struct stat st;

	if (!listing->program || listing->program->image || stat(listing->program->path, &st) < 0)
		return 0;
	return st.st_mtim.tv_sec;
}
