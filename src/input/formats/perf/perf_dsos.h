/*
 * The modules that a recording names: each distinct one once, as a small id.
 *
 * Build-ids may come late (in a pipe they do), so modules meet the symboliser only at the end.
 */
#pragma once

#include "input/formats/perf/perf_header.h"
#include "input/symbols/symbols.h"

struct lode_perf_dso {
	enum lode_dso_kind kind;
	const char *path;
	int32_t pid; /* of JIT code, else 0 */
	uint8_t build_id[20];
	uint8_t build_id_size; /* 0: not known */
	/* KMODULE: its addresses; KERNEL: start is the address of the symbol in its path. */
	uint64_t start, size;
	struct lode_code_range code[LODE_MAX_CODE_RANGES]; /* the first that differ */
	size_t n_code;
	uint64_t inode;	      /* of a file as it was mapped first; 0: unknown */
	bool is_of_command;   /* a process of the recorded command has mapped it */
	const char *symbol;   /* NULL: none */
	struct lode_dso *dso; /* once asked for */
};

struct lode_perf_dsos {
	LODE_VEC(struct lode_perf_dso) at;
	struct lode_strings keys; /* all that tells modules apart; its ids are indices of `at` */
	/* The header's build-ids by path, as far as they have been looked at. */
	struct lode_strings paths;
	LODE_VEC(size_t) id_of_path;
	size_t n_ids;
};

void lode_perf_dsos_release(struct lode_perf_dsos *dsos);

/* The module behind a mapping of a user process; anonymous memory is its process's JIT code. */
uint32_t lode_perf_dsos_user(struct lode_perf_dsos *dsos, const char *path, int32_t pid,
			     const uint8_t *build_id, uint8_t build_id_size);
/* Which part of the file was mapped as code. */
void lode_perf_dsos_mapped(struct lode_perf_dsos *dsos, uint32_t id, uint64_t offset,
			   uint64_t bytes);
/* The kernel ("[kernel.kallsyms]_text", at `page_offset`) or one of its modules. */
uint32_t lode_perf_dsos_kernel(struct lode_perf_dsos *dsos, const char *path, uint64_t start,
			       uint64_t size, uint64_t page_offset, const uint8_t *build_id,
			       uint8_t build_id_size);
/* Kernel code that the recording names itself: BPF programs, trampolines. */
uint32_t lode_perf_dsos_ksymbol(struct lode_perf_dsos *dsos, const char *name, uint64_t start,
				uint64_t size);

/*
 * The symboliser's module of `id`; NULL without a symboliser. Without a build-id of its own a
 * module has the header's, as far as that is known by the time of the first call.
 */
struct lode_dso *lode_perf_dsos_open(struct lode_perf_dsos *dsos, uint32_t id,
				     const struct lode_perf_header *header,
				     struct lode_symboliser *symboliser, const char *recording);
