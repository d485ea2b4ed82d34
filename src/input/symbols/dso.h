/*
 * The inside of a module: what symbols.c interns and load_*.c fill. Not for other folders.
 *
 * Locks: `dso->lock` is held while the module loads and resolves; a kernel module then takes its
 * kernel's lock, and a JIT module the symboliser's. Never the other way round.
 */
#pragma once

#include <pthread.h>

#include "base/map.h"
#include "input/symbols/elf_file.h"
#include "input/symbols/files.h"
#include "input/symbols/kallsyms.h"
#include "input/symbols/symbols.h"
#include "input/symbols/symtab.h"

struct lode_debuginfod;
struct lode_inlines;

struct lode_dso {
	struct lode_symboliser *symboliser;
	enum lode_dso_kind kind;
	char *path; /* as recorded, without " (deleted)" */
	char *name; /* for frames */
	uint8_t build_id[LODE_BUILD_ID_MAX];
	size_t build_id_size;
	char hex[2 * LODE_BUILD_ID_MAX + 1];
	int32_t pid;
	char *kernel_release;	/* "" when unknown */
	char *recording;	/* "" when unknown */
	char *host;		/* "" when unknown */
	char *recording_dir;	/* NULL when unknown */
	uint64_t kernel_anchor; /* address of the symbol behind the "]" of `path`; 0 unknown */
	struct lode_code_range code[LODE_MAX_CODE_RANGES]; /* as mapped */
	size_t n_code;

	pthread_mutex_t lock; /* for all below */
	bool is_of_command;   /* USER, without build-id: not for the lock, it does not change */
	bool is_loaded;
	bool is_stripped; /* USER: its file has the names of exported functions alone */
	bool is_inferred; /* USER: without a recorded build-id; `hex` is that of its file */
	struct lode_symtab table;
	struct lode_elf_map map; /* USER, VDSO: file offset -> address in the table */
	struct lode_arena names;
	char *text;		       /* file content in which names lie, or NULL */
	struct lode_kallsyms kallsyms; /* KERNEL: of its modules; its own symbols are in `table` */
	const char **shown; /* per entry of the table: its readable name, NULL before use */
	bool is_mangled;    /* names may be mangled: ELF */
	struct lode_inlines *inlines;	   /* NULL: not wanted or no DWARF */
	char *program_path, *symbols_path; /* USER: of the files that were found */
	char status[640];

	struct lode_symtab added;		      /* of the recording, settled */
	LODE_VEC(struct lode_symtab_entry) additions; /* in order; the index of a symbol */
	bool has_new_additions;
};

struct lode_symboliser {
	bool want_inlined, keep_mangled, tells_missing;
	char *kallsyms, *buildid_dir, *symfs, *home_debug; /* NULL when there is none */
	struct lode_build_ids *build_ids;		   /* may be NULL */
	struct lode_debuginfod *debuginfod;		   /* the same */

	pthread_mutex_t lock; /* for all below */
	struct lode_strings keys;
	LODE_VEC(struct lode_dso *) dsos; /* by key id */
	struct lode_strings recordings;
	LODE_VEC(struct lode_dso *) kernel_of; /* by recording id */
	LODE_VEC(struct lode_dso *) dumps;     /* jit-PID.dump files that processes have mapped */
};

/* Says where symbols came from, or why there are none. */
void lode_dso_say(struct lode_dso *dso, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Loads the module, once; it does not change any more then. Takes its lock. */
void lode_dso_load(struct lode_dso *dso);
/* The kernel of the module's recording. */
struct lode_dso *lode_symboliser_kernel(struct lode_symboliser *symboliser,
					const struct lode_dso *module);
/* The jit-PID.dump that the module's process has mapped, or NULL. */
struct lode_dso *lode_symboliser_dump(struct lode_symboliser *symboliser,
				      const struct lode_dso *jit);

struct lode_roots lode_dso_roots(const struct lode_dso *dso);

/* Opens the module's files again: the program, and its debug file if that is another; NULL: none.
 */
void lode_dso_open_files(struct lode_dso *dso, struct lode_elf_file **program,
			 struct lode_elf_file **debug);

/* Fill table and status; called once, with the lock held. */
void lode_dso_load_user(struct lode_dso *dso);
void lode_dso_load_vdso(struct lode_dso *dso);
void lode_dso_load_kernel(struct lode_dso *dso);
void lode_dso_load_kmodule(struct lode_dso *dso);
void lode_dso_load_jit(struct lode_dso *dso);
