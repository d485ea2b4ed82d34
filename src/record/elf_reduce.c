/* Reduces an ELF file to what names and unwinding need. */
#include "record/elf_reduce.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "input/symbols/elf_file.h"
#include "input/symbols/elf_symbols.h"
#include "input/symbols/go_functions.h"

struct reducing {
	const struct lode_elf_file *from;
	Elf *to;
	size_t names;		  /* index of the table of section names */
	uint64_t end;		  /* of what is laid out in the new file */
	struct lode_arena memory; /* contents that are not the original's */
	bool has_symtab;
};

/* ---- What is kept ---- */

static bool starts_with(const char *text, const char *prefix)
{
	return !strncmp(text, prefix, strlen(prefix));
}

/* Whether it holds the strings of a symbol table. */
static bool is_of_symbols(const struct reducing *r, size_t index)
{
	Elf_Scn *section = NULL;
	GElf_Shdr header;

	while ((section = elf_nextscn(r->from->elf, section)))
		if (gelf_getshdr(section, &header) && header.sh_link == index &&
		    (header.sh_type == SHT_SYMTAB || header.sh_type == SHT_DYNSYM))
			return true;
	return false;
}

static bool is_kept(const struct reducing *r, size_t index, const GElf_Shdr *header)
{
	static const char *const kept[] = {".eh_frame",	    ".eh_frame_hdr",  ".debug_frame",
					   ".zdebug_frame", ".gnu_debuglink", ".gnu_debugaltlink"};
	const char *name = lode_elf_section_name(r->from, header);

	switch (header->sh_type) {
	case SHT_SYMTAB:
	case SHT_DYNSYM:
	case SHT_SYMTAB_SHNDX:
	case SHT_NOTE:
		return true;
	case SHT_STRTAB:
		return index == r->names || is_of_symbols(r, index);
	case SHT_REL:
	case SHT_RELA:
		return header->sh_flags & SHF_ALLOC;
	case SHT_NOBITS:
		return false;
	default:
		break;
	}
	for (size_t i = 0; i < sizeof(kept) / sizeof(*kept); i++)
		if (!strcmp(name, kept[i]))
			return true;
	return starts_with(name, ".plt") ||
	       (!r->has_symtab && (!strcmp(name, ".gnu_debugdata") || lode_is_go_table(name)));
}

/* ---- Contents ---- */

/* Relocations that name no symbol are most of a program's, and lead to no stub of the PLT. */
static void keep_named_relocations(struct reducing *r, Elf_Scn *section, Elf_Data *out)
{
	Elf_Data *in = elf_getdata(section, NULL);
	bool has_addend = in && in->d_type == ELF_T_RELA;
	size_t entry = gelf_fsize(r->from->elf, has_addend ? ELF_T_RELA : ELF_T_REL, 1, EV_CURRENT);
	size_t n = in && in->d_buf && entry ? in->d_size / entry : 0, kept = 0;

	if (!in || (in->d_type != ELF_T_RELA && in->d_type != ELF_T_REL))
		n = 0;
	out->d_type = has_addend ? ELF_T_RELA : ELF_T_REL;
	out->d_buf = lode_arena_alloc(&r->memory, n * entry + 1, 8);
	out->d_size = n * entry;
	for (size_t i = 0; i < n && i < INT32_MAX; i++) {
		GElf_Rela rela;
		GElf_Rel rel;

		if (has_addend && gelf_getrela(in, (int)i, &rela) && GELF_R_SYM(rela.r_info))
			(void)gelf_update_rela(out, (int)kept++, &rela);
		if (!has_addend && gelf_getrel(in, (int)i, &rel) && GELF_R_SYM(rel.r_info))
			(void)gelf_update_rel(out, (int)kept++, &rel);
	}
	out->d_size = kept * entry;
}

/* The table of section names, with one more. */
static void add_mark_name(struct reducing *r, Elf_Data *data)
{
	char *names = lode_arena_alloc(&r->memory, data->d_size + sizeof(LODE_ELF_REDUCED), 1);

	memcpy(names, data->d_buf, data->d_size);
	memcpy(names + data->d_size, LODE_ELF_REDUCED, sizeof(LODE_ELF_REDUCED));
	data->d_buf = names;
	data->d_size += sizeof(LODE_ELF_REDUCED);
}

static bool fill_section(struct reducing *r, Elf_Scn *from, Elf_Scn *to, GElf_Shdr *header)
{
	bool is_relocations = header->sh_type == SHT_REL || header->sh_type == SHT_RELA;
	Elf_Data *in = elf_rawdata(from, NULL), *out = elf_newdata(to);
	uint64_t align = header->sh_addralign ? header->sh_addralign : 1;

	if (!in || !out || (header->sh_size && !in->d_buf) || align > 4096)
		return false;
	*out = (Elf_Data){.d_buf = in->d_buf,
			  .d_size = in->d_size,
			  .d_type = ELF_T_BYTE,
			  .d_version = EV_CURRENT,
			  .d_align = 1};
	if (is_relocations)
		keep_named_relocations(r, from, out);
	else if (elf_ndxscn(from) == r->names)
		add_mark_name(r, out);
	r->end = (r->end + align - 1) / align * align;
	header->sh_offset = r->end;
	header->sh_size = out->d_size;
	r->end += out->d_size;
	return true;
}

static bool copy_section(struct reducing *r, Elf_Scn *from)
{
	Elf_Scn *to = elf_newscn(r->to);
	GElf_Shdr header;

	if (!to || !gelf_getshdr(from, &header) || elf_ndxscn(to) != elf_ndxscn(from))
		return false;
	if (is_kept(r, elf_ndxscn(from), &header)) {
		if (!fill_section(r, from, to, &header))
			return false;
	} else {
		header.sh_type = SHT_NOBITS;
		header.sh_flags &= ~(GElf_Xword)SHF_COMPRESSED;
		header.sh_offset = r->end;
	}
	return gelf_update_shdr(to, &header);
}

/* ---- The file ---- */

static bool copy_headers(struct reducing *r)
{
	size_t n = 0, entry = gelf_fsize(r->from->elf, ELF_T_PHDR, 1, EV_CURRENT);
	GElf_Phdr segment;
	GElf_Ehdr header;

	if (!gelf_getehdr(r->from->elf, &header) || elf_getphdrnum(r->from->elf, &n) < 0 ||
	    elf_getshdrstrndx(r->from->elf, &r->names) < 0 || !r->names ||
	    r->names >= SHN_LORESERVE || !gelf_newehdr(r->to, gelf_getclass(r->from->elf)) ||
	    (n && !gelf_newphdr(r->to, n)))
		return false;
	header.e_phoff = n ? header.e_ehsize : 0;
	header.e_shoff = 0;
	if (!gelf_update_ehdr(r->to, &header))
		return false;
	for (size_t i = 0; i < n; i++)
		if (!gelf_getphdr(r->from->elf, (int)i, &segment) ||
		    !gelf_update_phdr(r->to, (int)i, &segment))
			return false;
	r->end = header.e_ehsize + n * entry;
	return true;
}

/* Behind all others, so that symbols' section numbers hold. */
static bool add_mark(struct reducing *r, size_t name)
{
	Elf_Scn *section = elf_newscn(r->to);
	GElf_Shdr header = {.sh_name = (GElf_Word)name,
			    .sh_type = SHT_NOBITS,
			    .sh_offset = r->end,
			    .sh_addralign = 1};

	return section && gelf_update_shdr(section, &header);
}

static bool place_sections(struct reducing *r)
{
	GElf_Ehdr header;

	if (!gelf_getehdr(r->to, &header))
		return false;
	header.e_shoff = (r->end + 15) / 16 * 16;
	return gelf_update_ehdr(r->to, &header);
}

static bool write_reduced(struct reducing *r)
{
	Elf_Scn *section = NULL;
	GElf_Shdr names;

	elf_flagelf(r->to, ELF_C_SET, ELF_F_LAYOUT);
	if (!copy_headers(r) || !gelf_getshdr(elf_getscn(r->from->elf, r->names), &names))
		return false;
	while ((section = elf_nextscn(r->from->elf, section)))
		if (!copy_section(r, section))
			return false;
	if (r->from->has_code && !add_mark(r, names.sh_size))
		return false;
	return place_sections(r) && elf_update(r->to, ELF_C_WRITE) >= 0;
}

/* ---- Against the original ---- */

static bool has_same_segments(const struct lode_elf_file *a, const struct lode_elf_file *b)
{
	struct lode_elf_map of_a = {0}, of_b = {0};
	bool is_same;

	lode_elf_map_build(&of_a, a);
	lode_elf_map_build(&of_b, b);
	is_same = of_a.has_headers == of_b.has_headers && of_a.segments.n == of_b.segments.n;
	for (size_t i = 0; is_same && i < of_a.segments.n; i++) {
		const struct lode_elf_segment *s = &of_a.segments.at[i], *t = &of_b.segments.at[i];

		is_same = s->offset == t->offset && s->size == t->size &&
			  s->address == t->address && s->is_code == t->is_code;
	}
	lode_elf_map_release(&of_a);
	lode_elf_map_release(&of_b);
	return is_same;
}

static void take_symbols(struct lode_symtab *table, struct lode_arena *names,
			 const struct lode_elf_file *file)
{
	lode_elf_add_symbols(table, names, file, LODE_ELF_SYMTAB);
	lode_elf_add_symbols(table, names, file, LODE_ELF_DYNSYM);
	lode_elf_add_plt(table, names, file);
	if (!file->has_symtab)
		lode_elf_add_go_functions(table, names, file);
}

static bool has_same_symbols(const struct lode_elf_file *a, const struct lode_elf_file *b)
{
	struct lode_symtab of_a = {0}, of_b = {0};
	struct lode_arena names = {0};
	bool is_same;

	take_symbols(&of_a, &names, a);
	take_symbols(&of_b, &names, b);
	is_same = of_a.entries.n == of_b.entries.n;
	for (size_t i = 0; is_same && i < of_a.entries.n; i++) {
		const struct lode_symtab_entry *s = &of_a.entries.at[i], *t = &of_b.entries.at[i];

		is_same = s->start == t->start && s->end == t->end && !strcmp(s->name, t->name);
	}
	lode_symtab_release(&of_a);
	lode_symtab_release(&of_b);
	lode_arena_release(&names);
	return is_same;
}

static bool is_as(const char *path, const struct lode_elf_file *original)
{
	struct lode_elf_file *file = lode_elf_open(path);
	bool is_same = file && file->has_code == original->has_code &&
		       file->has_symtab == original->has_symtab &&
		       file->build_id_size == original->build_id_size &&
		       !memcmp(file->build_id, original->build_id, file->build_id_size) &&
		       has_same_segments(file, original) && has_same_symbols(file, original);

	lode_elf_close(file);
	return is_same;
}

int lode_elf_reduce(const char *to, const char *from, struct lode_error *err)
{
	struct lode_elf_file *original = lode_elf_open(from);
	struct reducing r = {.from = original};
	int fd, rc = 0;

	if (!original)
		return lode_fail(err, LODE_ERR_UNSUPPORTED, from, -1, "not an ELF file");
	fd = open(to, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	if (fd < 0)
		rc = lode_fail_errno(err, errno, to, "cannot create it");
	r.has_symtab = original->has_symtab;
	if (rc == 0)
		r.to = elf_begin(fd, ELF_C_WRITE, NULL);
	if (rc == 0 && (!r.to || !write_reduced(&r)))
		rc = lode_fail(err, LODE_ERR_UNSUPPORTED, from, -1, "reducing it: %s",
			       elf_errmsg(-1));
	elf_end(r.to);
	if (fd >= 0)
		close(fd);
	if (rc == 0 && !is_as(to, original))
		rc = lode_fail(err, LODE_ERR_UNSUPPORTED, from, -1,
			       "reducing it to its tables would change its symbols");
	if (rc < 0 && fd >= 0)
		unlink(to);
	lode_elf_close(original);
	lode_arena_release(&r.memory);
	return rc;
}
