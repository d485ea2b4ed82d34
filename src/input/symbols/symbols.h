/*
 * Symbols: from (module, address) to a function name.
 *
 * A symboliser is shared by all streams and thread-safe; a module (DSO) is loaded once, on first
 * need, and is immutable from then on. The build-id decides whether a file on disk is the one that
 * was recorded: a mismatch is said in lode_dso_status and never silently used.
 */
#pragma once

#include "base/error.h"
#include "base/mem.h"

struct lode_symboliser;
struct lode_dso;
struct lode_build_ids;

struct lode_symbol_options {
	const char *kallsyms;	 /* file for kernel symbols; NULL: look */
	const char *buildid_dir; /* perf's build-id cache; NULL: ~/.debug */
	const char *symfs;	 /* prefix of all paths; NULL: none */
	bool want_inlined;	 /* read DWARF for inlined frames */
	bool keep_mangled;	 /* --no-demangle */
	bool tells_missing;	 /* build-ids of files that are not here, whatever it takes */
	int64_t debuginfod_ns;	 /* how long debuginfod servers may be asked, in all; 0: never */
};

int lode_symboliser_new(struct lode_symboliser **out, const struct lode_symbol_options *options,
			struct lode_error *err);
/* What a recording lacks of build-ids is then looked for there; the symboliser frees it. */
void lode_symboliser_borrow(struct lode_symboliser *symboliser, struct lode_build_ids *build_ids);
void lode_symboliser_free(struct lode_symboliser *symboliser);

enum lode_dso_kind {
	LODE_DSO_USER,	  /* an ELF file: addresses are file offsets (addr - map start + pgoff) */
	LODE_DSO_KERNEL,  /* [kernel.kallsyms]: absolute addresses */
	LODE_DSO_KMODULE, /* a kernel module or BPF program: absolute addresses, via kallsyms */
	LODE_DSO_VDSO,
	LODE_DSO_JIT, /* anonymous executable memory of `pid`: perf-PID.map, absolute */
};

/* Whole pages of a file that a process had mapped as code. */
struct lode_code_range {
	uint64_t offset, bytes;
};

enum { LODE_MAX_CODE_RANGES = 4 };

struct lode_dso_key {
	enum lode_dso_kind kind;
	const char *path;	 /* as recorded */
	const uint8_t *build_id; /* NULL when unknown */
	size_t build_id_size;
	int32_t pid;		    /* JIT, and the process that has mapped a jit-PID.dump */
	const char *kernel_release; /* of the recording; decides whether the running kernel fits */
	const char *recording;	    /* path of the recording: files beside it are looked at too */
	const char *host;	    /* that was recorded */
	/*
	 * USER: which parts of the file were mapped as code, the first at most; none when unknown.
	 * A file whose code lies elsewhere is not the recorded one, or was stripped since. Without
	 * build-id, the one program of a build-id cache with just that layout is taken for it.
	 * KMODULE: the addresses of the module, one range; none: they are unknown, and so are its
	 * functions.
	 */
	struct lode_code_range code[LODE_MAX_CODE_RANGES];
	size_t n_code;
	bool is_of_command; /* worth reading other recordings as a whole for its build-id */
	/*
	 * KERNEL: page offset of the kernel's map record, which is the address of the symbol behind
	 * the "]" of its path ("[kernel.kallsyms]_text"). A kallsyms file of another boot is moved
	 * by it. 0: unknown; no kallsyms file can be used then.
	 */
	uint64_t kernel_anchor;
};

/* Interned: equal keys give the same module. Nothing is read yet. Never NULL. */
struct lode_dso *lode_symboliser_dso(struct lode_symboliser *symboliser,
				     const struct lode_dso_key *key);

/* A symbol of the recording itself (KSYMBOL records, jitdump): absolute [start, start + size). */
void lode_dso_add_symbol(struct lode_dso *dso, uint64_t start, uint64_t size, const char *name);

/* Short name for frames: base name of the path; "[kernel]" for kernel and modules; "[vdso]";
 * "[jit]".
 */
const char *lode_dso_name(const struct lode_dso *dso);

struct lode_symbol {
	/* Demangled, without what compilers append to copies and parts of functions; borrowed from
	   the symboliser; NULL: unknown. */
	const char *name;
	bool is_part;	/* the compiler cut it out of the function that has its name */
	uint32_t index; /* dense per DSO and stable: equal index = equal name */
	/* Functions inlined at that address, outermost first; NULL / 0 unless want_inlined. */
	const char *const *inlined;
	uint32_t n_inlined;
};

/*
 * Resolves n addresses (any order, as in enum lode_dso_kind). Return addresses must have been moved
 * one byte back by the caller. Loads the module at first use. Thread-safe.
 */
void lode_dso_resolve(struct lode_dso *dso, const uint64_t *addresses, size_t n,
		      struct lode_symbol *out);

/* From `t_ns` on (CLOCK_MONOTONIC), addresses from `start` on mean those from `place` on. */
struct lode_jit_turn {
	int64_t t_ns;
	uint64_t start, size, place;
};

typedef LODE_VEC(struct lode_jit_turn) lode_jit_turns;

/* Of a jit-PID.dump: functions that were at addresses of others, in order of time. None where the
   module is no such file, or counts another clock. Places are addresses in the process's JIT code.
 */
void lode_dso_jit_turns(struct lode_dso *dump, lode_jit_turns *out);

/* Where the symbols came from, or one sentence why there are none (build-id mismatch, ...). */
const char *lode_dso_status(const struct lode_dso *dso);
/* Has symbols (valid after the first resolve). */
bool lode_dso_has_symbols(const struct lode_dso *dso);
/* The build-id does not stand in the recording: its file was told in another way, which the status
   says. */
bool lode_dso_is_inferred(const struct lode_dso *dso);
/* The file of which only exported functions have names, if it is the recorded one for sure: at the
   recorded path if it is there too, not the copy in a bundle or a cache. NULL: it has more, or is
   not known so well. Valid after the first resolve. */
const char *lode_dso_stripped_file(const struct lode_dso *dso);
/* Hex build-id as recorded, or of the file that was inferred; "" if unknown. */
const char *lode_dso_build_id(const struct lode_dso *dso);
