/*
 * One ELF file on disk: what it is, and its sections.
 */
#pragma once

#include <gelf.h>

#include "base/mem.h"

enum { LODE_BUILD_ID_MAX = 64 };

/* A section that marks a program of which only the tables are kept (record/elf_reduce.h): its
   program headers are those of the whole file, and tell nothing of where bytes lie in this one. */
#define LODE_ELF_REDUCED ".lode.reduced"

struct lode_elf_file {
	Elf *elf;
	int fd;
	char *path;
	char *image; /* memory of files that are not on disk as such (vdso, .gnu_debugdata) */
	uint8_t build_id[LODE_BUILD_ID_MAX];
	size_t build_id_size; /* 0: none */
	bool has_symtab, has_dynsym;
	bool has_code; /* the program itself, or its tables: not just debug information */
};

/* NULL when `path` is not a readable ELF file. */
struct lode_elf_file *lode_elf_open(const char *path);
/* From memory, which it takes; `path` is for messages. NULL (memory freed) when it is not ELF. */
struct lode_elf_file *lode_elf_open_take(char *image, size_t size, const char *path);
/* The vdso of this very process, copied; NULL if there is none. */
struct lode_elf_file *lode_own_vdso(void);
void lode_elf_close(struct lode_elf_file *file);

/* First section of that name, with its header; NULL if none. */
Elf_Scn *lode_elf_section(const struct lode_elf_file *file, const char *name, GElf_Shdr *header);
/* Its bytes, NULL if it has none in the file. */
const void *lode_elf_bytes(Elf_Scn *section, const GElf_Shdr *header, size_t *size);
/* Name of a section, "" if there is none. */
const char *lode_elf_section_name(const struct lode_elf_file *file, const GElf_Shdr *header);

/* CRC-32 of a file's content as .gnu_debuglink means it; false when it cannot be read. */
bool lode_file_crc(const char *path, uint32_t *crc);
