/* Opens DWARF once it is known to fit into memory. */
#include "input/symbols/dwarf_open.h"

#include <elfutils/libdwelf.h>
#include <limits.h>
#include <stdio.h>

#include "base/folder.h"
#include "base/memory_bound.h"
#include "input/symbols/files.h"

/* What libdw would unpack a section to; 0: it is not compressed, or damaged, which libdw finds. */
static uint64_t unpacked_bytes(const struct lode_elf_file *file, Elf_Scn *section,
			       const GElf_Shdr *header)
{
	enum { HEADER_BYTES = 12 };
	const uint8_t *bytes;
	uint64_t unpacked = 0;
	GElf_Chdr compressed;
	size_t n;

	if (header->sh_flags & SHF_COMPRESSED)
		return gelf_getchdr(section, &compressed) ? compressed.ch_size : 0;
	/* The older kind: "ZLIB" and a big-endian size, marked by the name alone. */
	if (strncmp(lode_elf_section_name(file, header), ".z", 2) != 0)
		return 0;
	bytes = lode_elf_bytes(section, header, &n);
	if (!bytes || n < HEADER_BYTES || memcmp(bytes, "ZLIB", 4) != 0)
		return 0;
	for (int i = 4; i < HEADER_BYTES; i++)
		unpacked = unpacked << 8 | bytes[i];
	return unpacked;
}

bool lode_dwarf_fits(const struct lode_elf_file *file, struct lode_error *err)
{
	uint64_t packed = 0, unpacked = 0, most;
	Elf_Scn *section = NULL;
	GElf_Shdr header;

	while ((section = elf_nextscn(file->elf, section))) {
		uint64_t bytes;

		if (!gelf_getshdr(section, &header) || header.sh_type == SHT_NOBITS)
			continue;
		bytes = unpacked_bytes(file, section, &header);
		if (!bytes)
			continue;
		packed += header.sh_size;
		unpacked = bytes > UINT64_MAX - unpacked ? UINT64_MAX : unpacked + bytes;
	}
	most = LODE_UNPACKED_FREE_BYTES + LODE_UNPACKED_RATIO * packed;
	if (unpacked > most) {
		lode_fail(err, LODE_ERR_LIMIT, file->path, -1,
			  "debug information not read: %llu bytes unpack to %llu, more than "
			  "%d times as many",
			  (unsigned long long)packed, (unsigned long long)unpacked,
			  LODE_UNPACKED_RATIO);
		return false;
	}
	if (unpacked && lode_memory_is_short(unpacked)) {
		lode_fail(err, LODE_ERR_LIMIT, file->path, -1,
			  "debug information not read: its %llu unpacked bytes do not fit below "
			  "--memory",
			  (unsigned long long)unpacked);
		return false;
	}
	return true;
}

/* ---- What dwz moved elsewhere ---- */

static bool open_shared_at(struct lode_dwarf *out, const char *path, const void *id, size_t n_id,
			   struct lode_error *err)
{
	struct lode_elf_file *file = lode_elf_open(path);

	if (file && file->build_id_size == n_id && memcmp(file->build_id, id, n_id) == 0 &&
	    lode_dwarf_fits(file, err)) {
		out->shared = dwarf_begin_elf(file->elf, DWARF_C_READ, NULL);
		out->shared_file = file;
		return out->shared != NULL;
	}
	lode_elf_close(file);
	return false;
}

static int open_shared(struct lode_dwarf *out, struct lode_error *err)
{
	char path[PATH_MAX], hex[2 * LODE_BUILD_ID_MAX + 1];
	const char *name = NULL, *base = out->file->path;
	const void *id = NULL;
	ssize_t n = dwelf_dwarf_gnu_debugaltlink(out->dwarf, &name, &id);
	bool is_open = false;

	if (n == 0)
		return LODE_OK;
	lode_fail(
		err, LODE_ERR_IO, base, -1,
		"debug information not read: the file that its .gnu_debugaltlink names (%.200s) is "
		"missing",
		n > 0 && name ? name : "?");
	if (n < 2 || n > LODE_BUILD_ID_MAX || !name)
		return LODE_ERR_IO;
	lode_hex(hex, id, (size_t)n);
	snprintf(path, sizeof(path), "/usr/lib/debug/.build-id/%.2s/%s.debug", hex, hex + 2);
	is_open = open_shared_at(out, path, id, (size_t)n, err);
	if (!is_open && (size_t)snprintf(path, sizeof(path), "%.*s%s",
					 name[0] == '/' ? 0 : (int)lode_path_folder_bytes(base),
					 base, name) < sizeof(path))
		is_open = open_shared_at(out, path, id, (size_t)n, err);
	if (!is_open)
		return LODE_ERR_IO;
	dwarf_setalt(out->dwarf, out->shared);
	return LODE_OK;
}

int lode_dwarf_open(struct lode_dwarf *out, const char *path, struct lode_error *err)
{
	int rc;

	*out = (struct lode_dwarf){.file = lode_elf_open(path)};
	if (!out->file)
		return lode_fail(err, LODE_ERR_EMPTY, path, -1, "no ELF file");
	if (!lode_dwarf_fits(out->file, err)) {
		lode_dwarf_close(out);
		return LODE_ERR_LIMIT;
	}
	out->dwarf = dwarf_begin_elf(out->file->elf, DWARF_C_READ, NULL);
	rc = out->dwarf ? open_shared(out, err)
			: lode_fail(err, LODE_ERR_EMPTY, path, -1, "no debug information");
	if (rc != LODE_OK)
		lode_dwarf_close(out);
	return rc;
}

void lode_dwarf_close(struct lode_dwarf *dwarf)
{
	dwarf_end(dwarf->dwarf);
	dwarf_end(dwarf->shared);
	lode_elf_close(dwarf->file);
	lode_elf_close(dwarf->shared_file);
	*dwarf = (struct lode_dwarf){0};
}
