/* Opens an ELF file and finds its sections. */
#include "input/symbols/elf_file.h"

#include <elfutils/libdwelf.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

static void read_build_id(struct lode_elf_file *file)
{
	const void *bytes;
	ssize_t n = dwelf_elf_gnu_build_id(file->elf, &bytes);

	if (n <= 0 || n > LODE_BUILD_ID_MAX)
		return;
	memcpy(file->build_id, bytes, (size_t)n);
	file->build_id_size = (size_t)n;
}

static void read_sections(struct lode_elf_file *file)
{
	Elf_Scn *section = NULL;
	GElf_Shdr header;

	while ((section = elf_nextscn(file->elf, section))) {
		if (!gelf_getshdr(section, &header))
			continue;
		file->has_symtab |= header.sh_type == SHT_SYMTAB;
		file->has_dynsym |= header.sh_type == SHT_DYNSYM;
		file->has_code |= header.sh_type == SHT_PROGBITS &&
				  (header.sh_flags & SHF_EXECINSTR) && header.sh_size;
	}
	/* Of a program that was reduced to its tables, code is not kept. */
	file->has_code |= lode_elf_section(file, LODE_ELF_REDUCED, &header) != NULL;
}

/* ---- Opening ---- */

static struct lode_elf_file *finish_open(Elf *elf, int fd, char *image, const char *path)
{
	struct lode_elf_file *file;
	GElf_Ehdr header;

	if (!elf || elf_kind(elf) != ELF_K_ELF || !gelf_getehdr(elf, &header)) {
		elf_end(elf);
		if (fd >= 0)
			close(fd);
		free(image);
		return NULL;
	}
	file = lode_alloc0(1, sizeof(*file));
	file->elf = elf;
	file->fd = fd;
	file->image = image;
	file->path = lode_strdup(path);
	read_sections(file);
	read_build_id(file);
	return file;
}

struct lode_elf_file *lode_elf_open(const char *path)
{
	/* O_NONBLOCK: a pipe of that name must not make us wait for its other end. */
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct stat st;

	if (fd < 0)
		return NULL;
	if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode)) {
		close(fd);
		return NULL;
	}
	(void)elf_version(EV_CURRENT);
	/* Read, not mapped: a file that is cut while we look at it must not kill us. */
	return finish_open(elf_begin(fd, ELF_C_READ, NULL), fd, NULL, path);
}

struct lode_elf_file *lode_elf_open_take(char *image, size_t size, const char *path)
{
	(void)elf_version(EV_CURRENT);
	return finish_open(elf_memory(image, size), -1, image, path);
}

struct lode_elf_file *lode_own_vdso(void)
{
	uintptr_t start = getauxval(AT_SYSINFO_EHDR);
	unsigned long long from = 0, to = 0;
	char line[512], *image;
	FILE *maps = start ? fopen("/proc/self/maps", "re") : NULL;

	while (maps && fgets(line, sizeof(line), maps))
		if (sscanf(line, "%llx-%llx", &from, &to) == 2 && from == start)
			break;
	if (maps)
		fclose(maps);
	if (!start || from != start || to <= from)
		return NULL;
	image = lode_alloc(to - from);
	memcpy(image, (const void *)start, to - from); // NOLINT(performance-no-int-to-ptr)
	return lode_elf_open_take(image, to - from, "[vdso]");
}

void lode_elf_close(struct lode_elf_file *file)
{
	if (!file)
		return;
	elf_end(file->elf);
	if (file->fd >= 0)
		close(file->fd);
	free(file->image);
	free(file->path);
	free(file);
}

/* ---- Sections ---- */

const char *lode_elf_section_name(const struct lode_elf_file *file, const GElf_Shdr *header)
{
	const char *name;
	size_t names;

	if (elf_getshdrstrndx(file->elf, &names) < 0)
		return "";
	name = elf_strptr(file->elf, names, header->sh_name);
	return name ? name : "";
}

Elf_Scn *lode_elf_section(const struct lode_elf_file *file, const char *name, GElf_Shdr *header)
{
	Elf_Scn *section = NULL;

	while ((section = elf_nextscn(file->elf, section)))
		if (gelf_getshdr(section, header) &&
		    !strcmp(lode_elf_section_name(file, header), name))
			return section;
	return NULL;
}

const void *lode_elf_bytes(Elf_Scn *section, const GElf_Shdr *header, size_t *size)
{
	Elf_Data *data;

	*size = 0;
	if (!section || header->sh_type == SHT_NOBITS)
		return NULL;
	data = elf_rawdata(section, NULL);
	if (!data || !data->d_buf)
		return NULL;
	*size = data->d_size;
	return data->d_buf;
}

bool lode_file_crc(const char *path, uint32_t *crc)
{
	enum { CHUNK = 64 << 10 };
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	unsigned char *chunk;
	ssize_t got;

	if (fd < 0)
		return false;
	chunk = lode_alloc(CHUNK);
	*crc = 0;
	while ((got = read(fd, chunk, CHUNK)) > 0)
		*crc = (uint32_t)crc32(*crc, chunk, (unsigned)got);
	free(chunk);
	close(fd);
	return got == 0;
}
