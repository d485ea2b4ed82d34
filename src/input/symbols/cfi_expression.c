/* Evaluates DWARF expressions of call frame information. */
#include "input/symbols/cfi_expression.h"

#include <dwarf.h>

enum { MAX_DEPTH = 64, MAX_STEPS = 4096 };

struct machine {
	uint64_t stack[MAX_DEPTH];
	size_t depth;
	const struct lode_cfi_memory *memory;
};

static bool push(struct machine *m, uint64_t value)
{
	if (m->depth == MAX_DEPTH)
		return false;
	m->stack[m->depth++] = value;
	return true;
}

static bool push_reg(struct machine *m, uint64_t reg, uint64_t offset)
{
	const struct lode_cfi_regs *regs = m->memory->regs;

	if (reg >= LODE_CFI_N_REGS || !(regs->valid >> reg & 1))
		return false;
	return push(m, regs->value[reg] + offset);
}

/* Copies the value `below` the top one to the top. */
static bool pick(struct machine *m, uint64_t below)
{
	return below < m->depth && push(m, m->stack[m->depth - 1 - below]);
}

static bool dereference(struct machine *m, uint64_t size)
{
	uint64_t value;

	if (!m->depth || !size || size > 8 ||
	    !m->memory->read(m->memory->context, m->stack[m->depth - 1], &value))
		return false;
	if (size < 8)
		value &= ((uint64_t)1 << 8 * size) - 1;
	m->stack[m->depth - 1] = value;
	return true;
}

static bool unary(struct machine *m, const Dwarf_Op *op)
{
	uint64_t *top;

	if (!m->depth)
		return false;
	top = &m->stack[m->depth - 1];
	switch (op->atom) {
	case DW_OP_abs:
		*top = (int64_t)*top < 0 ? -*top : *top;
		return true;
	case DW_OP_neg:
		*top = -*top;
		return true;
	case DW_OP_not:
		*top = ~*top;
		return true;
	case DW_OP_plus_uconst:
		*top += op->number;
		return true;
	default:
		return false;
	}
}

static bool binary(struct machine *m, uint8_t atom)
{
	uint64_t a, b, r;

	if (m->depth < 2)
		return false;
	b = m->stack[m->depth - 1];
	a = m->stack[m->depth - 2];
	switch (atom) {
	case DW_OP_and:
		r = a & b;
		break;
	case DW_OP_or:
		r = a | b;
		break;
	case DW_OP_xor:
		r = a ^ b;
		break;
	case DW_OP_plus:
		r = a + b;
		break;
	case DW_OP_minus:
		r = a - b;
		break;
	case DW_OP_mul:
		r = a * b;
		break;
	case DW_OP_shl:
		r = b < 64 ? a << b : 0;
		break;
	case DW_OP_shr:
		r = b < 64 ? a >> b : 0;
		break;
	case DW_OP_shra:
		r = (uint64_t)((int64_t)a >> (b < 64 ? b : 63));
		break;
	case DW_OP_eq:
		r = a == b;
		break;
	case DW_OP_ne:
		r = a != b;
		break;
	case DW_OP_ge:
		r = (int64_t)a >= (int64_t)b;
		break;
	case DW_OP_gt:
		r = (int64_t)a > (int64_t)b;
		break;
	case DW_OP_le:
		r = (int64_t)a <= (int64_t)b;
		break;
	case DW_OP_lt:
		r = (int64_t)a < (int64_t)b;
		break;
	default:
		return false;
	}
	m->depth--;
	m->stack[m->depth - 1] = r;
	return true;
}

static bool shuffle(struct machine *m, const Dwarf_Op *op)
{
	uint64_t top;

	switch (op->atom) {
	case DW_OP_dup:
		return pick(m, 0);
	case DW_OP_over:
		return pick(m, 1);
	case DW_OP_pick:
		return pick(m, op->number);
	case DW_OP_drop:
		return m->depth && m->depth--;
	case DW_OP_swap:
		if (m->depth < 2)
			return false;
		top = m->stack[m->depth - 1];
		m->stack[m->depth - 1] = m->stack[m->depth - 2];
		m->stack[m->depth - 2] = top;
		return true;
	default:
		return false;
	}
}

static bool execute(struct machine *m, const Dwarf_Op *op)
{
	uint8_t atom = op->atom;

	if (atom >= DW_OP_lit0 && atom <= DW_OP_lit31)
		return push(m, atom - DW_OP_lit0);
	if (atom >= DW_OP_breg0 && atom <= DW_OP_breg31)
		return push_reg(m, atom - DW_OP_breg0, op->number);
	if (atom >= DW_OP_reg0 && atom <= DW_OP_reg31)
		return push_reg(m, atom - DW_OP_reg0, 0);
	switch (atom) {
	case DW_OP_nop:
		return true;
	case DW_OP_addr:
	case DW_OP_const1u:
	case DW_OP_const1s:
	case DW_OP_const2u:
	case DW_OP_const2s:
	case DW_OP_const4u:
	case DW_OP_const4s:
	case DW_OP_const8u:
	case DW_OP_const8s:
	case DW_OP_constu:
	case DW_OP_consts:
		return push(m, op->number);
	case DW_OP_bregx:
		return push_reg(m, op->number, op->number2);
	case DW_OP_regx:
		return push_reg(m, op->number, 0);
	case DW_OP_call_frame_cfa:
		return m->memory->has_cfa && push(m, m->memory->cfa);
	case DW_OP_deref:
		return dereference(m, 8);
	case DW_OP_deref_size:
		return dereference(m, op->number);
	default:
		return unary(m, op) || binary(m, atom) || shuffle(m, op);
	}
}

/* The operation at which a jump lands; n is the end. */
static bool find_target(const Dwarf_Op *ops, size_t n, const Dwarf_Op *jump, size_t *target)
{
	/* A jump counts from behind its own 3 bytes. */
	uint64_t offset = jump->offset + 3 + (uint64_t)(int64_t)(int16_t)jump->number;

	for (size_t i = 0; i < n; i++)
		if (ops[i].offset == offset) {
			*target = i;
			return true;
		}
	*target = n;
	return n && offset > ops[n - 1].offset;
}

bool lode_cfi_evaluate(const Dwarf_Op *ops, size_t n, const struct lode_cfi_memory *memory,
		       uint64_t *result)
{
	struct machine m = {.memory = memory};
	size_t at = 0;

	for (int steps = 0; at < n; steps++) {
		const Dwarf_Op *op = &ops[at++];
		bool jumps = op->atom == DW_OP_skip;

		if (steps == MAX_STEPS)
			return false;
		if (op->atom == DW_OP_bra) {
			if (!m.depth)
				return false;
			jumps = m.stack[--m.depth] != 0;
		} else if (!jumps && !execute(&m, op)) {
			return false;
		}
		if (jumps && !find_target(ops, n, op, &at))
			return false;
	}
	if (!m.depth)
		return false;
	*result = m.stack[m.depth - 1];
	return true;
}
