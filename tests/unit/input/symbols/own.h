/*
 * This test's own program as the file whose symbols are looked up.
 */
#ifndef LODE_TEST_OWN_H
#define LODE_TEST_OWN_H

#include <limits.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "input/symbols/elf_file.h"
#include "input/symbols/symbols.h"

static inline int first_object(struct dl_phdr_info *info, size_t size, void *context)
{
	(void)size;
	*(struct dl_phdr_info *)context = *info;
	return 1;
}

/* Offset in the file of a function of this program, as a recording would have it. */
static inline uint64_t offset_of(const void *function)
{
	struct dl_phdr_info self;
	uint64_t address = (uintptr_t)function;

	dl_iterate_phdr(first_object, &self);
	address -= self.dlpi_addr;
	for (int i = 0; i < self.dlpi_phnum; i++) {
		const ElfW(Phdr) *segment = &self.dlpi_phdr[i];

		if (segment->p_type == PT_LOAD && address >= segment->p_vaddr &&
		    address < segment->p_vaddr + segment->p_filesz)
			return address - segment->p_vaddr + segment->p_offset;
	}
	abort();
}

/* The first code segment of this program, as it was mapped. */
static inline void own_layout(uint64_t *offset, uint64_t *bytes)
{
	struct dl_phdr_info self;

	dl_iterate_phdr(first_object, &self);
	for (int i = 0; i < self.dlpi_phnum; i++) {
		const ElfW(Phdr) *segment = &self.dlpi_phdr[i];

		if (segment->p_type != PT_LOAD || !(segment->p_flags & PF_X))
			continue;
		*offset = segment->p_offset / 4096 * 4096;
		*bytes = (segment->p_offset + segment->p_filesz + 4095) / 4096 * 4096 - *offset;
		return;
	}
	abort();
}

static inline const char *own_path(void)
{
	static char path[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", path, sizeof(path) - 1);

	if (n < 0)
		abort();
	path[n] = '\0';
	return path;
}

struct own_id {
	uint8_t bytes[LODE_BUILD_ID_MAX];
	size_t size;
	char hex[2 * LODE_BUILD_ID_MAX + 1];
};

static inline struct own_id own_build_id(void)
{
	struct lode_elf_file *file = lode_elf_open(own_path());
	struct own_id id = {.size = file->build_id_size};

	memcpy(id.bytes, file->build_id, id.size);
	for (size_t i = 0; i < id.size; i++)
		snprintf(id.hex + 2 * i, 3, "%02x", id.bytes[i]);
	lode_elf_close(file);
	return id;
}

static inline struct lode_symboliser *make(const struct lode_symbol_options *options)
{
	struct lode_symboliser *symboliser;
	struct lode_error err;

	assert_int_equal(lode_symboliser_new(&symboliser, options, &err), 0);
	return symboliser;
}

static inline const char *resolve(struct lode_dso *dso, uint64_t address)
{
	struct lode_symbol symbol;

	lode_dso_resolve(dso, &address, 1, &symbol);
	return symbol.name ? symbol.name : "-";
}

#define assert_contains(text, part)                                           \
	do {                                                                  \
		if (!strstr(text, part)) {                                    \
			print_error("\"%s\" is not in \"%s\"\n", part, text); \
			fail();                                               \
		}                                                             \
	} while (0)

#endif
