/*
 * Unwinding user stacks from what a sample copied: registers and the top of the stack
 * (`perf record --call-graph dwarf`).
 *
 *   registers: pc, sp ...   ->  module of pc, its call frame information (.eh_frame)
 *   stack dump: sp .. sp+n  ->  return address, caller's registers, and so on up to the root
 *
 * One unwinder per thread of work: it is not thread-safe, but modules are shared with all. Rules
 * are worked out once per distinct address and kept. x86-64 and AArch64.
 */
#pragma once

#include "input/symbols/spaces.h"
#include "input/symbols/symbols.h"

struct lode_unwinder;

/*
 * `machine` is that of the recording ("x86_64", "aarch64"); NULL when lode cannot unwind it.
 * `dso_of` gives the module behind an id that was put into the spaces, or NULL.
 */
struct lode_unwinder *lode_unwinder_new(const char *machine,
					struct lode_dso *(*dso_of)(void *context, uint32_t dso),
					void *context);
void lode_unwinder_free(struct lode_unwinder *unwinder);

/* A sample's registers and stack, as perf records them. Nothing needs to be aligned. */
struct lode_stack_dump {
	const struct lode_spaces *spaces; /* as of the sample's time */
	int32_t pid;
	uint64_t abi;	     /* PERF_SAMPLE_REGS_ABI_*: 0 none, 1 a 32-bit process, 2 */
	uint64_t mask;	     /* sample_regs_user of the event: which registers there are */
	const uint8_t *regs; /* 8 bytes for each bit of `mask`, lowest first */
	size_t n_regs;
	const uint8_t *stack; /* from the stack pointer upwards */
	size_t stack_bytes;   /* that are valid (dyn_size) */
};

enum lode_unwind_end {
	LODE_UNWIND_ROOT,  /* the outermost function was reached */
	LODE_UNWIND_CUT,   /* the dump ends before the stack does, or `max` was reached */
	LODE_UNWIND_STUCK, /* a module without symbols files or frame information is in the way */
};

/*
 * The user part of the call chain, leaf first, as the kernel would have given it: the interrupted
 * address, then return addresses (look those up one byte back). A frame that was interrupted by a
 * signal has its address + 1, so that this rule holds for it, too. Gives the number of addresses,
 * at most `max`; 0 when the dump has no registers. `end` may be NULL.
 */
size_t lode_unwind(struct lode_unwinder *unwinder, const struct lode_stack_dump *dump,
		   uint64_t *addresses, size_t max, enum lode_unwind_end *end);

/* The first module of the last stack that had to do without its call frame information, since that
   is damaged: the stack ends there, or goes on by a frame pointer. NULL: none. */
const struct lode_dso *lode_unwinder_damaged(const struct lode_unwinder *unwinder);
