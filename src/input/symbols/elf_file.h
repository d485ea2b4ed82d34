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

/*
 * Where the bytes of an ELF file lie when it runs: from file offsets, which recordings have, to the
 * file's own addresses, which its symbols have.
 *
 *   recorded        |  code: 0x772000, 6,796 pages |       `perf record`: mappings of the file
 *   the same file   |  segment at 0x772000 ...            fits
 *   stripped since  | segment at 0x771000 ...             moved: the recorded offset counts
 *   another layout  |       segment at 0x780000 ...       other: no name would be right
 *
 * objcopy and strip may move segments within a file and keep its build-id. Addresses and sizes
 * stay, so that a recorded mapping tells which segment it was.
 */

struct lode_code_range;

/* A loaded segment: file offsets [offset, offset + size) are at `address`. */
struct lode_elf_segment {
	uint64_t offset, size, address;
	bool is_code;
};

/* `{ 0 }` maps nothing. */
struct lode_elf_map {
	LODE_VEC(struct lode_elf_segment) segments;
	bool has_headers;      /* segments are program headers, not sections */
	uint64_t largest_page; /* of kernels for its processor: 4, 16 or 64 KiB */
};

/* The file's segments; sections stand in when it has none (code written by `perf inject`). */
void lode_elf_map_build(struct lode_elf_map *map, const struct lode_elf_file *file);
void lode_elf_map_release(struct lode_elf_map *map);

enum lode_elf_fit {
	LODE_ELF_FITS,	/* as far as the mappings tell */
	LODE_ELF_MOVED, /* as recorded, once code segments are set to the recorded offsets: done */
	LODE_ELF_OTHER, /* some mapping is no code of this file */
};

/* Holds the map against the parts of the file that a process had mapped as code. */
enum lode_elf_fit lode_elf_map_fit(struct lode_elf_map *map, const struct lode_code_range *mapped,
				   size_t n);

/* Whether a segment is code and, rounded to pages, just that part of the file. */
bool lode_elf_segment_is(const struct lode_elf_map *map, const struct lode_elf_segment *segment,
			 const struct lode_code_range *mapped);

/* The file's own address of a file offset; false when it is not loaded. */
bool lode_elf_map_find(const struct lode_elf_map *map, uint64_t offset, uint64_t *address);
