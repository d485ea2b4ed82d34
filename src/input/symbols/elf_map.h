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
#pragma once

#include "base/mem.h"

struct lode_code_range;
struct lode_elf_file;

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
