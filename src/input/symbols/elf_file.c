/* Opens an ELF file and finds its sections. */
#include "input/symbols/elf_file.h"

#include <elfutils/libdwelf.h>
#include <fcntl.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "input/symbols/symbols.h"
#include "base/found_file.h"

/* ---- Where the bytes lie ---- */

/* Pages of the kernels that lode reads recordings of. */
static const uint64_t page_sizes[] = {4096, 16384, 65536};

enum { N_PAGE_SIZES = sizeof(page_sizes) / sizeof(*page_sizes) };

void lode_elf_map_release(struct lode_elf_map *map)
{
	lode_vec_release(&map->segments);
}

static void map_sections(struct lode_elf_map *map, const struct lode_elf_file *file)
{
	Elf_Scn *section = NULL;
	GElf_Shdr header;

	while ((section = elf_nextscn(file->elf, section)))
		if (gelf_getshdr(section, &header) && (header.sh_flags & SHF_ALLOC) &&
		    header.sh_type != SHT_NOBITS)
			lode_vec_append(&map->segments,
					((struct lode_elf_segment){
						header.sh_offset, header.sh_size, header.sh_addr,
						header.sh_flags & SHF_EXECINSTR}));
}

void lode_elf_map_build(struct lode_elf_map *map, const struct lode_elf_file *file)
{
	GElf_Phdr segment;
	GElf_Ehdr header;
	size_t n = 0;

	/* A mapping may fit into larger pages by chance. */
	map->largest_page = gelf_getehdr(file->elf, &header) && (header.e_machine == EM_X86_64 ||
								 header.e_machine == EM_386)
				    ? page_sizes[0]
				    : page_sizes[N_PAGE_SIZES - 1];
	if (elf_getphdrnum(file->elf, &n) < 0)
		n = 0;
	for (size_t i = 0; i < n && i < INT32_MAX; i++)
		if (gelf_getphdr(file->elf, (int)i, &segment) && segment.p_type == PT_LOAD &&
		    segment.p_filesz)
			lode_vec_append(&map->segments,
					((struct lode_elf_segment){
						segment.p_offset, segment.p_filesz, segment.p_vaddr,
						segment.p_flags & PF_X}));
	map->has_headers = n > 0;
	if (!n)
		map_sections(map, file);
}

bool lode_elf_map_find(const struct lode_elf_map *map, uint64_t offset, uint64_t *address)
{
	bool found = false;

	for (size_t i = 0; i < map->segments.n; i++) {
		const struct lode_elf_segment *segment = &map->segments.at[i];

		if (offset < segment->offset || offset - segment->offset >= segment->size)
			continue;
		*address = segment->address + (offset - segment->offset);
		if (segment->is_code)
			return true;
		found = true;
	}
	return found;
}

/* ---- Against what was recorded ---- */

/* Which part of the file is mapped for a segment. */
static struct lode_code_range in_pages(const struct lode_elf_segment *segment, uint64_t page)
{
	uint64_t begin = segment->offset / page * page;
	uint64_t end = segment->offset + segment->size;

	return (struct lode_code_range){begin, (end - begin + page - 1) / page * page};
}

static bool is_of_pages(const struct lode_code_range *range, uint64_t page)
{
	return range->offset % page == 0 && range->bytes % page == 0;
}

static bool is_just(const struct lode_elf_map *map, const struct lode_elf_segment *segment,
		    const struct lode_code_range *mapped)
{
	for (size_t i = 0; i < N_PAGE_SIZES && page_sizes[i] <= map->largest_page; i++) {
		struct lode_code_range own = in_pages(segment, page_sizes[i]);

		if (is_of_pages(mapped, page_sizes[i]) && own.offset == mapped->offset &&
		    own.bytes == mapped->bytes)
			return true;
	}
	return false;
}

bool lode_elf_segment_is(const struct lode_elf_map *map, const struct lode_elf_segment *segment,
			 const struct lode_code_range *mapped)
{
	return segment->is_code && is_just(map, segment, mapped);
}

static bool lies_in(const struct lode_code_range *part, const struct lode_code_range *whole)
{
	return part->offset >= whole->offset && part->bytes <= whole->bytes &&
	       part->offset - whole->offset <= whole->bytes - part->bytes;
}

/*
 * Starts there, or lies in it: dynamic linkers map more than a segment at first, and programs split
 * their mappings.
 */
static bool agrees(const struct lode_elf_map *map, const struct lode_elf_segment *segment,
		   const struct lode_code_range *mapped)
{
	for (size_t i = 0; i < N_PAGE_SIZES && page_sizes[i] <= map->largest_page; i++) {
		struct lode_code_range own = in_pages(segment, page_sizes[i]);

		if (is_of_pages(mapped, page_sizes[i]) &&
		    (own.offset == mapped->offset || lies_in(mapped, &own)))
			return true;
	}
	return false;
}

/* The one code segment of that size, and how far it has moved; NULL: none, or several. */
static struct lode_elf_segment *moved_segment(struct lode_elf_map *map,
					      const struct lode_code_range *mapped, uint64_t *by)
{
	struct lode_elf_segment *found = NULL;

	for (size_t i = 0; i < map->segments.n; i++) {
		struct lode_elf_segment *segment = &map->segments.at[i];

		if (!segment->is_code)
			continue;
		for (size_t k = 0; k < N_PAGE_SIZES && page_sizes[k] <= map->largest_page; k++) {
			struct lode_code_range own = in_pages(segment, page_sizes[k]);

			if (!is_of_pages(mapped, page_sizes[k]) || own.bytes != mapped->bytes)
				continue;
			if (found)
				return NULL;
			found = segment;
			*by = mapped->offset - own.offset;
			break;
		}
	}
	return found;
}

/* Data are code to old programs: those with executable stacks. */
static bool has_data_for(const struct lode_elf_map *map, const struct lode_code_range *mapped,
			 bool (*fits)(const struct lode_elf_map *, const struct lode_elf_segment *,
				      const struct lode_code_range *))
{
	for (size_t i = 0; i < map->segments.n; i++)
		if (!map->segments.at[i].is_code && fits(map, &map->segments.at[i], mapped))
			return true;
	return false;
}

static bool has_code_for(const struct lode_elf_map *map, const struct lode_code_range *mapped)
{
	for (size_t i = 0; i < map->segments.n; i++)
		if (map->segments.at[i].is_code && agrees(map, &map->segments.at[i], mapped))
			return true;
	return false;
}

enum lode_elf_fit lode_elf_map_fit(struct lode_elf_map *map, const struct lode_code_range *mapped,
				   size_t n)
{
	enum lode_elf_fit fit = LODE_ELF_FITS;

	for (size_t i = 0; map->has_headers && i < n; i++) {
		struct lode_elf_segment *segment;
		uint64_t by = 0;

		if (!is_of_pages(&mapped[i], page_sizes[0]) || has_code_for(map, &mapped[i]) ||
		    has_data_for(map, &mapped[i], is_just))
			continue;
		segment = moved_segment(map, &mapped[i], &by);
		if (!segment && !has_data_for(map, &mapped[i], agrees))
			return LODE_ELF_OTHER;
		if (!segment)
			continue;
		segment->offset += by;
		fit = LODE_ELF_MOVED;
	}
	return fit;
}

/* ---- The file ---- */

/*
 * LIMIT: libelf 0.188 leaks the notes that are read here (some 100 bytes for each open file) if a
 * damaged file makes libdw read it as a whole later: elf_end frees the raw data of sections only
 * as long as the file is not in memory, and elf_rawfile puts it there. Nothing that lode could call
 * frees them; in lode serve they end with the process of the question.
 */
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
	int fd = lode_found_open(path);

	if (fd < 0)
		return NULL;
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
	int fd = lode_found_open(path);
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
