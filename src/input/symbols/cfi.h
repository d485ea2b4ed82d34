/*
 * Call frame information of one module: how to get from a frame to its caller's.
 *
 * A row holds for one address: where the frame's base (CFA) is, and where the caller's registers
 * are, mostly "saved at CFA + offset". Rows come from .eh_frame or .debug_frame through libdw and
 * are kept. Not thread-safe.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum { LODE_CFI_N_REGS = 34 }; /* DWARF numbers of the integer registers of all machines */

struct lode_cfi;
struct lode_elf_file;

/* Takes both; `debug` (with .debug_frame) may be NULL. NULL when there is nothing to unwind by.
   `*is_damaged` (may be NULL): a table is damaged, and is not used. */
struct lode_cfi *lode_cfi_new_take(struct lode_elf_file *program, struct lode_elf_file *debug,
				   bool *is_damaged);
void lode_cfi_free(struct lode_cfi *cfi);

/* Registers of a frame; those that are not known any more are not valid. */
struct lode_cfi_regs {
	uint64_t value[LODE_CFI_N_REGS];
	uint64_t valid; /* bit per register */
};

/* Memory of the recorded process; false when it was not recorded. */
typedef bool lode_cfi_read(void *context, uint64_t address, uint64_t *value);

struct lode_cfi_step {
	uint64_t cfa;
	uint64_t return_address; /* 0: none, this is the outermost frame */
	bool is_signal;		 /* the caller was interrupted here, it did not call */
};

enum lode_cfi_result {
	LODE_CFI_OK,
	LODE_CFI_NO_ROW,    /* nothing is known of that address */
	LODE_CFI_NO_MEMORY, /* a value that is needed was not recorded */
};

/* Replaces `regs` of a frame at the module's own address `address` by its caller's. */
enum lode_cfi_result lode_cfi_step(struct lode_cfi *cfi, uint64_t address,
				   struct lode_cfi_regs *regs, struct lode_cfi_step *step,
				   lode_cfi_read *read, void *context);
