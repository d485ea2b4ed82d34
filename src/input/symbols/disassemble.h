/*
 * Machine code as text, by libcapstone, which is opened when somebody asks for it.
 */
#pragma once

#include "base/error.h"
#include "base/mem.h"

struct lode_instruction {
	uint64_t address;
	uint32_t size_bytes;
	const char *text;
	uint64_t target; /* of a jump or a call to a fixed address; UINT64_MAX: it has none */
};

typedef LODE_VEC(struct lode_instruction) lode_instructions;

/*
 * Appends the instructions of `n` bytes of code that lie at `address`; bytes that are none are
 * `.byte` lines, so that the whole is covered. `machine`: EM_X86_64, EM_386 or EM_AARCH64 of elf.h.
 * LODE_ERR_UNSUPPORTED: another machine, or no libcapstone here. Texts are the arena's.
 */
int lode_disassemble(lode_instructions *out, struct lode_arena *arena, unsigned machine,
		     const uint8_t *code, size_t n, uint64_t address, struct lode_error *err);
