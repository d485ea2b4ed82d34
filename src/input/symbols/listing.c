/* Finds lines of source and machine code at a module's addresses. */
#include "input/symbols/listing.h"

#include <inttypes.h>
#include <stdio.h>
#include <sys/stat.h>

#include "input/symbols/demangle.h"
#include "input/symbols/dso.h"
#include "input/symbols/packages.h"

struct lode_listing {
	struct lode_dso *dso; /* its table and map do not change once it is loaded */
	struct lode_elf_file *program, *debug;
	struct lode_inlines *inlines; /* NULL: no DWARF */
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
	GElf_Shdr header;

	if (!listing->inlines && file && !file->image &&
	    lode_elf_section(file, ".debug_info", &header))
		listing->inlines =
			lode_inlines_open(file->path, listing->dso->symboliser->keep_mangled);
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
	rc = lode_disassemble(out, arena, header.e_machine, code, n, start, err);
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
