/* Call frame information of one module. */
#include "input/symbols/cfi.h"

#include <dwarf.h>

#include "base/map.h"
#include "input/symbols/cfi_check.h"
#include "input/symbols/cfi_expression.h"
#include "input/symbols/dwarf_open.h"

enum rule_kind {
	RULE_SAVED,	/* at CFA + offset */
	RULE_VALUE,	/* is CFA + offset */
	RULE_UNDEFINED, /* not recoverable */
	RULE_LOCATION,	/* at what the expression gives */
	RULE_COMPUTED,	/* is what the expression gives */
};

struct rule {
	uint8_t reg, kind; /* enum rule_kind */
	uint32_t n_ops;
	int64_t offset;
	const Dwarf_Op *ops;
};

/* Registers without a rule keep their value. */
struct row {
	bool is_known, is_signal;
	uint8_t return_reg;
	uint8_t cfa_reg; /* when n_cfa_ops is 0: CFA = cfa_reg + cfa_offset */
	int64_t cfa_offset;
	uint32_t n_cfa_ops, first_rule, n_rules;
	const Dwarf_Op *cfa_ops;
};

struct lode_cfi {
	struct lode_elf_file *program, *debug;
	Dwarf_CFI *eh_frame; /* owned by libdw's handle of the file */
	Dwarf_CFI *debug_frame;
	Dwarf *dwarf; /* of debug_frame */
	struct lode_arena ops;
	struct lode_map row_of; /* address -> index into rows */
	LODE_VEC(struct row) rows;
	LODE_VEC(struct rule) rules;
};

struct lode_cfi *lode_cfi_new_take(struct lode_elf_file *program, struct lode_elf_file *debug,
				   bool *is_damaged)
{
	struct lode_cfi *cfi = lode_alloc0(1, sizeof(*cfi));
	bool is_program_sound = !program || lode_cfi_is_eh_frame_sound(program->elf);
	struct lode_elf_file *frames = debug ? debug : program;
	bool is_debug_sound = !frames || lode_dwarf_fits(frames, NULL);

	cfi->program = program;
	cfi->debug = debug;
	if (program && is_program_sound)
		cfi->eh_frame = dwarf_getcfi_elf(program->elf);
	if (frames && is_debug_sound)
		cfi->dwarf = dwarf_begin_elf(frames->elf, DWARF_C_READ, NULL);
	if (frames && cfi->dwarf)
		is_debug_sound = lode_cfi_is_debug_frame_sound(frames->elf);
	if (cfi->dwarf && is_debug_sound)
		cfi->debug_frame = dwarf_getcfi(cfi->dwarf);
	if (is_damaged)
		*is_damaged = !is_program_sound || !is_debug_sound;
	if (cfi->eh_frame || cfi->debug_frame)
		return cfi;
	lode_cfi_free(cfi);
	return NULL;
}

void lode_cfi_free(struct lode_cfi *cfi)
{
	if (!cfi)
		return;
	dwarf_cfi_end(cfi->eh_frame);
	dwarf_end(cfi->dwarf);
	lode_elf_close(cfi->program);
	lode_elf_close(cfi->debug);
	lode_arena_release(&cfi->ops);
	lode_map_release(&cfi->row_of);
	lode_vec_release(&cfi->rows);
	lode_vec_release(&cfi->rules);
	free(cfi);
}

/* ---- Rows ---- */

static const Dwarf_Op *keep_ops(struct lode_cfi *cfi, const Dwarf_Op *ops, size_t n)
{
	Dwarf_Op *kept = lode_arena_array(&cfi->ops, Dwarf_Op, n);

	memcpy(kept, ops, n * sizeof(*ops));
	return kept;
}

static bool read_cfa(struct lode_cfi *cfi, struct row *row, Dwarf_Frame *frame)
{
	Dwarf_Op *ops;
	size_t n;

	if (dwarf_frame_cfa(frame, &ops, &n) != 0 || !n || n > UINT32_MAX)
		return false;
	if (n == 1 && ops[0].atom >= DW_OP_breg0 && ops[0].atom <= DW_OP_breg31) {
		row->cfa_reg = (uint8_t)(ops[0].atom - DW_OP_breg0);
		row->cfa_offset = (int64_t)ops[0].number;
		return true;
	}
	if (n == 1 && ops[0].atom == DW_OP_bregx && ops[0].number < LODE_CFI_N_REGS) {
		row->cfa_reg = (uint8_t)ops[0].number;
		row->cfa_offset = (int64_t)ops[0].number2;
		return true;
	}
	row->cfa_ops = keep_ops(cfi, ops, n);
	row->n_cfa_ops = (uint32_t)n;
	return true;
}

/* libdw tells each rule as an expression; the two common ones are recognised again. */
static bool read_rule(struct lode_cfi *cfi, struct rule *rule, Dwarf_Frame *frame, int reg)
{
	Dwarf_Op memory[3], *ops;
	size_t n;
	bool is_value;

	if (dwarf_frame_register(frame, reg, memory, &ops, &n) != 0)
		return false;
	*rule = (struct rule){.reg = (uint8_t)reg};
	if (!n) {
		rule->kind = RULE_UNDEFINED;
		return ops != NULL; /* NULL: keeps its value */
	}
	is_value = ops[n - 1].atom == DW_OP_stack_value;
	n -= is_value;
	if (n && ops[0].atom == DW_OP_call_frame_cfa &&
	    (n == 1 || (n == 2 && ops[1].atom == DW_OP_plus_uconst))) {
		rule->kind = is_value ? RULE_VALUE : RULE_SAVED;
		rule->offset = n == 2 ? (int64_t)ops[1].number : 0;
		return true;
	}
	if (n == 1 && (ops[0].atom == DW_OP_regx ||
		       (ops[0].atom >= DW_OP_reg0 && ops[0].atom <= DW_OP_reg31)))
		is_value = true; /* the expression gives the other register's value */
	rule->kind = is_value ? RULE_COMPUTED : RULE_LOCATION;
	rule->ops = keep_ops(cfi, ops, n);
	rule->n_ops = (uint32_t)n;
	return true;
}

static void read_row_cfi(struct lode_cfi *cfi, struct row *row, Dwarf_Frame *frame)
{
	Dwarf_Addr start, end;
	struct rule rule;
	bool is_signal;
	int return_reg = dwarf_frame_info(frame, &start, &end, &is_signal);

	if (return_reg < 0 || return_reg >= LODE_CFI_N_REGS || !read_cfa(cfi, row, frame))
		return;
	row->return_reg = (uint8_t)return_reg;
	row->is_signal = is_signal;
	row->first_rule = (uint32_t)cfi->rules.n;
	for (int reg = 0; reg < LODE_CFI_N_REGS; reg++)
		if (read_rule(cfi, &rule, frame, reg))
			lode_vec_append(&cfi->rules, rule);
	row->n_rules = (uint32_t)cfi->rules.n - row->first_rule;
	row->is_known = true;
}

static const struct row *find_row(struct lode_cfi *cfi, uint64_t address)
{
	uint32_t slot = lode_map_number(&cfi->row_of, address, cfi->rows.n);
	Dwarf_Frame *frame = NULL;
	struct row *row;

	if (slot < cfi->rows.n)
		return &cfi->rows.at[slot];
	row = lode_vec_append_zero(&cfi->rows);
	if (!cfi->eh_frame || dwarf_cfi_addrframe(cfi->eh_frame, address, &frame) != 0)
		frame = NULL;
	if (!frame && cfi->debug_frame &&
	    dwarf_cfi_addrframe(cfi->debug_frame, address, &frame) != 0)
		frame = NULL;
	if (frame)
		read_row_cfi(cfi, row, frame);
	free(frame);
	return row;
}

/* ---- Steps ---- */

static bool reg_value(const struct lode_cfi_regs *regs, unsigned reg, uint64_t *value)
{
	if (reg >= LODE_CFI_N_REGS || !(regs->valid >> reg & 1))
		return false;
	*value = regs->value[reg];
	return true;
}

static bool apply(const struct rule *rule, struct lode_cfi_memory *memory, uint64_t *value)
{
	uint64_t location;

	switch (rule->kind) {
	case RULE_SAVED:
		return memory->read(memory->context, memory->cfa + (uint64_t)rule->offset, value);
	case RULE_VALUE:
		*value = memory->cfa + (uint64_t)rule->offset;
		return true;
	case RULE_LOCATION:
		return lode_cfi_evaluate(rule->ops, rule->n_ops, memory, &location) &&
		       memory->read(memory->context, location, value);
	case RULE_COMPUTED:
		return lode_cfi_evaluate(rule->ops, rule->n_ops, memory, value);
	default:
		return false;
	}
}

enum lode_cfi_result lode_cfi_step(struct lode_cfi *cfi, uint64_t address,
				   struct lode_cfi_regs *regs, struct lode_cfi_step *step,
				   lode_cfi_read *read, void *context)
{
	const struct row *row = find_row(cfi, address);
	struct lode_cfi_memory memory = {.regs = regs, .read = read, .context = context};
	struct lode_cfi_regs caller = *regs;
	bool has_return;

	if (!row->is_known)
		return LODE_CFI_NO_ROW;
	if (row->n_cfa_ops) {
		if (!lode_cfi_evaluate(row->cfa_ops, row->n_cfa_ops, &memory, &memory.cfa))
			return LODE_CFI_NO_MEMORY;
	} else {
		if (!reg_value(regs, row->cfa_reg, &memory.cfa))
			return LODE_CFI_NO_MEMORY;
		memory.cfa += (uint64_t)row->cfa_offset;
	}
	memory.has_cfa = true;
	has_return = true;
	for (uint32_t i = 0; i < row->n_rules; i++) {
		const struct rule *rule = &cfi->rules.at[row->first_rule + i];
		uint64_t bit = (uint64_t)1 << rule->reg;

		if (apply(rule, &memory, &caller.value[rule->reg])) {
			caller.valid |= bit;
			continue;
		}
		caller.valid &= ~bit;
		if (rule->reg != row->return_reg)
			continue; /* it may not be needed */
		if (rule->kind != RULE_UNDEFINED)
			return LODE_CFI_NO_MEMORY;
		has_return = false; /* the mark of the outermost frame */
	}
	step->cfa = memory.cfa;
	step->is_signal = row->is_signal;
	step->return_address = 0;
	if (has_return && !reg_value(&caller, row->return_reg, &step->return_address))
		return LODE_CFI_NO_MEMORY;
	*regs = caller;
	return LODE_CFI_OK;
}
