/*
 * The symbols of a generated world: ELF files with nothing but a symbol table in them, and
 * kallsyms, in the layout of perf's build-id cache.
 */
#include <elf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "gen_world.h"

static int make_folders(char *path)
{
	for (char *p = path + 1; *p; p++) {
		if (*p != '/')
			continue;
		*p = '\0';
		if (mkdir(path, 0777) && errno != EEXIST)
			return -1;
		*p = '/';
	}
	return 0;
}

/*
 * DIR/.build-id/xx/rest/NAME. perf itself looks for kernel symbols in DIR/[kernel.kallsyms]/ID, and
 * .build-id/xx/rest is a link to that, as `perf buildid-cache` makes it.
 */
static FILE *open_cached(const char *dir, const uint8_t *build_id, bool is_kernel)
{
	char path[4096], target[128], hex[41];

	for (int i = 0; i < 20; i++)
		snprintf(hex + (size_t)2 * i, 3, "%02x", build_id[i]);
	snprintf(path, sizeof(path), "%s/.build-id/%.2s/%s/elf", dir, hex, hex + 2);
	if (is_kernel) {
		*strrchr(path, '/') = '\0';
		snprintf(target, sizeof(target), "../../[kernel.kallsyms]/%s", hex);
		if (make_folders(path) || (symlink(target, path) && errno != EEXIST))
			return NULL;
		snprintf(path, sizeof(path), "%s/[kernel.kallsyms]/%s/kallsyms", dir, hex);
	}
	return make_folders(path) ? NULL : fopen(path, "w");
}

static int write_kallsyms(const struct gen_world *world, FILE *out)
{
	uint64_t base = world->module_base[GEN_KERNEL];

	fprintf(out, "%016llx T _text\n%016llx T _stext\n", (unsigned long long)base,
		(unsigned long long)base);
	for (size_t i = 0; i < world->functions.n; i++) {
		const struct gen_function *f = &world->functions.at[i];

		if (f->module == GEN_KERNEL)
			fprintf(out, "%016llx t %s\n", (unsigned long long)(base + f->offset),
				f->name);
	}
	fprintf(out, "%016llx T _etext\n",
		(unsigned long long)(base + world->module_bytes[GEN_KERNEL]));
	return fclose(out) ? -1 : 0;
}

enum { SECTION_NOTE = 1, SECTION_TEXT, SECTION_SYMTAB, SECTION_STRTAB, SECTION_NAMES, N_SECTIONS };

struct image {
	LODE_VEC(Elf64_Sym) symbols;
	LODE_VEC(char) strings;
};

static void add_string(struct image *image, const char *s)
{
	do {
		lode_vec_append(&image->strings, *s);
	} while (*s++);
}

/* Text lies at 0x1000 of the file as of the memory image: addresses are file offsets. */
static void collect(struct image *image, const struct gen_world *world, int module)
{
	Elf64_Sym symbol = {0};

	lode_vec_append(&image->symbols, symbol);
	add_string(image, "");
	for (size_t i = 0; i < world->functions.n; i++) {
		const struct gen_function *f = &world->functions.at[i];

		if (f->module != module)
			continue;
		symbol.st_name = (Elf64_Word)image->strings.n;
		symbol.st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC);
		symbol.st_shndx = SECTION_TEXT;
		symbol.st_value = f->offset;
		symbol.st_size = GEN_FUNCTION_BYTES;
		lode_vec_append(&image->symbols, symbol);
		add_string(image, f->name);
	}
}

struct note {
	Elf64_Nhdr header;
	char name[4];
	uint8_t build_id[20];
};

static int write_elf(const struct gen_world *world, int module, FILE *out)
{
	static const char names[] = "\0.note.gnu.build-id\0.text\0.symtab\0.strtab\0.shstrtab";
	struct note note = {{4, 20, NT_GNU_BUILD_ID}, "GNU", {0}};
	uint64_t end = world->module_bytes[module], sections;
	struct image image = {0};
	Elf64_Shdr section[N_SECTIONS] = {0};
	Elf64_Phdr segment[2] = {0};
	Elf64_Ehdr header = {
		.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB,
			    EV_CURRENT},
		.e_type = ET_DYN,
		.e_machine = EM_X86_64,
		.e_version = EV_CURRENT,
		.e_phoff = sizeof(Elf64_Ehdr),
		.e_ehsize = sizeof(Elf64_Ehdr),
		.e_phentsize = sizeof(Elf64_Phdr),
		.e_phnum = 2,
		.e_shentsize = sizeof(Elf64_Shdr),
		.e_shnum = N_SECTIONS,
		.e_shstrndx = SECTION_NAMES,
	};
	const uint64_t note_at = sizeof(header) + sizeof(segment);

	collect(&image, world, module);
	memcpy(note.build_id, world->build_id[module], 20);
	segment[0] = (Elf64_Phdr){PT_LOAD, PF_R | PF_X, 0, 0, 0, end, end, 0x1000};
	segment[1] = (Elf64_Phdr){PT_NOTE, PF_R,	 note_at,      note_at,
				  note_at, sizeof(note), sizeof(note), 4};
	section[SECTION_NOTE] =
		(Elf64_Shdr){1, SHT_NOTE, SHF_ALLOC, note_at, note_at, sizeof(note), 0, 0, 4, 0};
	section[SECTION_TEXT] = (Elf64_Shdr){
		20, SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, 0x1000, 0x1000, end - 0x1000, 0, 0, 16,
		0};
	section[SECTION_SYMTAB] = (Elf64_Shdr){26,
					       SHT_SYMTAB,
					       0,
					       0,
					       end,
					       image.symbols.n * sizeof(Elf64_Sym),
					       SECTION_STRTAB,
					       1,
					       8,
					       sizeof(Elf64_Sym)};
	section[SECTION_STRTAB] = (Elf64_Shdr){
		34, SHT_STRTAB, 0, 0, end + section[SECTION_SYMTAB].sh_size, image.strings.n,
		0,  0,		1, 0};
	section[SECTION_NAMES] = (Elf64_Shdr){42,
					      SHT_STRTAB,
					      0,
					      0,
					      section[SECTION_STRTAB].sh_offset + image.strings.n,
					      sizeof(names),
					      0,
					      0,
					      1,
					      0};
	sections = (section[SECTION_NAMES].sh_offset + sizeof(names) + 7) / 8 * 8;
	header.e_shoff = sections;
	fwrite(&header, sizeof(header), 1, out);
	fwrite(segment, sizeof(segment), 1, out);
	fwrite(&note, sizeof(note), 1, out);
	fseek(out, 0x1000, SEEK_SET);
	for (uint64_t i = 0x1000; i < end; i++)
		putc(0xe8, out); /* a call: any address may be returned to */
	fseek(out, (long)end, SEEK_SET);
	fwrite(image.symbols.at, sizeof(*image.symbols.at), image.symbols.n, out);
	fwrite(image.strings.at, 1, image.strings.n, out);
	fwrite(names, sizeof(names), 1, out);
	fseek(out, (long)sections, SEEK_SET);
	fwrite(section, sizeof(section), 1, out);
	lode_vec_release(&image.symbols);
	lode_vec_release(&image.strings);
	return ferror(out) | fclose(out) ? -1 : 0;
}

int gen_world_write_symbols(const struct gen_world *world, const char *dir)
{
	for (int module = 0; module < GEN_N_MODULES; module++) {
		FILE *out = open_cached(dir, world->build_id[module], module == GEN_KERNEL);

		if (!out || (module == GEN_KERNEL ? write_kallsyms(world, out)
						  : write_elf(world, module, out)))
			return -1;
	}
	return 0;
}
