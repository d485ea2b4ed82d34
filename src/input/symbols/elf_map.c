/* Maps file offsets of an ELF file to its own addresses. */
#include "input/symbols/elf_map.h"

#include "input/symbols/elf_file.h"
#include "input/symbols/symbols.h"

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
