/* Disassembles with libcapstone, which is opened when somebody wants it. */
#include "input/symbols/disassemble.h"

#if !__has_include(<capstone/capstone.h>)

int lode_disassemble(lode_instructions *out, struct lode_arena *arena, unsigned machine,
		     const uint8_t *code, size_t n, uint64_t address, struct lode_error *err)
{
	(void)out, (void)arena, (void)machine, (void)code, (void)n, (void)address;
	return lode_fail(err, LODE_ERR_UNSUPPORTED, NULL, -1,
			 "this lode was built without libcapstone-dev");
}

#else

#include <capstone/capstone.h>
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/late_library.h"

#define CAPSTONE_FUNCTIONS(X) \
	X(cs_open)            \
	X(cs_close)           \
	X(cs_option)          \
	X(cs_malloc)          \
	X(cs_free)            \
	X(cs_disasm_iter)

struct capstone {
	CAPSTONE_FUNCTIONS(LODE_LATE_MEMBER)
};

static int mode_of(unsigned machine, cs_arch *arch, cs_mode *mode, struct lode_error *err)
{
	*arch = CS_ARCH_X86;
	*mode = CS_MODE_64;
	switch (machine) {
	case EM_X86_64:
		return LODE_OK;
	case EM_386:
		*mode = CS_MODE_32;
		return LODE_OK;
	case EM_AARCH64:
		*arch = CS_ARCH_ARM64;
		*mode = CS_MODE_ARM;
		return LODE_OK;
	default:
		return lode_fail(err, LODE_ERR_UNSUPPORTED, NULL, -1,
				 "its code is for an unsupported machine (%u in ELF)", machine);
	}
}

/* Operands that are an address and nothing else, "0x1139" or "#0x1139". */
static uint64_t target_of(const char *operands)
{
	uint64_t target;
	char *end;

	operands += *operands == '#';
	if (strncmp(operands, "0x", 2) != 0)
		return UINT64_MAX;
	target = strtoull(operands, &end, 16);
	return *end ? UINT64_MAX : target;
}

static void take_instruction(lode_instructions *out, struct lode_arena *arena, const cs_insn *insn)
{
	char text[sizeof(insn->mnemonic) + sizeof(insn->op_str) + 2];
	int n = snprintf(text, sizeof(text), "%s%s%s", insn->mnemonic, insn->op_str[0] ? " " : "",
			 insn->op_str);
	struct lode_instruction instruction = {
		.address = insn->address,
		.size_bytes = insn->size,
		.text = lode_arena_strndup(arena, text, (size_t)n),
		.target = target_of(insn->op_str),
	};

	lode_vec_append(out, instruction);
}

int lode_disassemble(lode_instructions *out, struct lode_arena *arena, unsigned machine,
		     const uint8_t *code, size_t n, uint64_t address, struct lode_error *err)
{
	struct capstone lib;
	cs_insn *insn;
	cs_arch arch;
	cs_mode mode;
	csh handle;
	int rc = mode_of(machine, &arch, &mode, err);

	if (rc == LODE_OK)
		rc = LODE_LATE_OPEN(&lib, CAPSTONE_FUNCTIONS, "libcapstone.so.4", err);
	if (rc != LODE_OK)
		return rc;
	if (lib.cs_open(arch, mode, &handle) != CS_ERR_OK)
		return lode_fail(err, LODE_ERR_UNSUPPORTED, NULL, -1,
				 "this libcapstone does not know machine %u of ELF", machine);
	if (arch == CS_ARCH_X86)
		lib.cs_option(handle, CS_OPT_SYNTAX, CS_OPT_SYNTAX_ATT);
	lib.cs_option(handle, CS_OPT_SKIPDATA, CS_OPT_ON);
	insn = lib.cs_malloc(handle);
	if (!insn)
		lode_oom(sizeof(*insn));
	while (n && lib.cs_disasm_iter(handle, &code, &n, &address, insn))
		take_instruction(out, arena, insn);
	lib.cs_free(insn, 1);
	lib.cs_close(&handle);
	return LODE_OK;
}

#endif
