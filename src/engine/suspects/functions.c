/* Sums counts per stack to evidence per function. */
#include "engine/suspects/functions.h"

#include "base/sorted.h"

struct lode_outcome lode_row_outcome(const struct lode_tally_row *row, enum lode_evidence_kind kind)
{
	if (kind == LODE_EVIDENCE_SIDES)
		return row->side == LODE_SIDE_SUBJECT
			       ? (struct lode_outcome){.failed = row->moments.n}
			       : (struct lode_outcome){.succeeded = row->moments.n};
	if (row->side == LODE_SIDE_OTHER)
		return (struct lode_outcome){0};
	return (struct lode_outcome){.failed = row->n[LODE_LABEL_FAILED],
				     .succeeded = row->n[LODE_LABEL_SUCCEEDED]};
}

void lode_stack_mark(uint64_t mark[2], uint32_t stack)
{
	mark[0] = lode_hash_u64(stack + 0x9e3779b97f4a7c15u);
	mark[1] = lode_hash_u64(mark[0] ^ 0xd1342543de82ef95u);
}

struct expansion {
	const struct lode_tally *tally;
	enum lode_evidence_kind kind;
	lode_functions *functions;
	uint32_t *function_of; /* by frame; LODE_NONE: not seen */
	uint32_t *seen_in;     /* by frame: last row (from 1) that counted it */
};

static struct lode_function *function_of_functions(struct expansion *x, uint32_t frame)
{
	struct lode_function *f;

	if (x->function_of[frame] != LODE_NONE)
		return &x->functions->at[x->function_of[frame]];
	x->function_of[frame] = (uint32_t)x->functions->n;
	f = lode_vec_append_zero(x->functions);
	f->frame = frame;
	return f;
}

static void expand(struct expansion *x, uint32_t index, struct lode_outcome outcome)
{
	const struct lode_tally_row *row = &x->tally->rows.at[index];
	const struct lode_callnode *nodes = x->tally->set->tree.nodes.at;
	bool is_time = strcmp(x->tally->metrics.at[row->metric].unit, "ns") == 0;
	uint64_t mark[2];

	lode_stack_mark(mark, row->stack);
	for (uint32_t node = row->stack; node; node = nodes[node].parent) {
		struct lode_function *f = function_of_functions(x, nodes[node].frame);

		if (node == row->stack) {
			f->evidence.d_failed += outcome.failed;
			f->evidence.d_success += outcome.succeeded;
		}
		if (x->seen_in[f->frame] == index + 1)
			continue; /* recursion counts once */
		x->seen_in[f->frame] = index + 1;
		f->evidence.o_failed += outcome.failed;
		f->evidence.o_success += outcome.succeeded;
		f->n[row->side] += row->moments.n;
		if (is_time)
			lode_moments_merge(&f->moments[row->side], &row->moments);
		f->mark[0] += mark[0];
		f->mark[1] += mark[1];
	}
}

LODE_COMPARE(by_frame, struct lode_function, LODE_ORDER(a->frame, b->frame))

struct lode_outcome lode_functions_build(lode_functions *functions, const struct lode_tally *tally,
					 enum lode_evidence_kind kind)
{
	size_t n_frames = tally->set->tree.frames.n;
	struct expansion x = {.tally = tally, .kind = kind, .functions = functions};
	struct lode_outcome all = {0};

	x.function_of = lode_alloc(n_frames * sizeof(*x.function_of));
	memset(x.function_of, 0xff, n_frames * sizeof(*x.function_of)); /* LODE_NONE */
	x.seen_in = lode_alloc0(n_frames, sizeof(*x.seen_in));
	for (uint32_t i = 0; i < tally->rows.n; i++) {
		struct lode_outcome outcome = lode_row_outcome(&tally->rows.at[i], kind);

		/* The other side's stacks are only looked at where they are evidence. */
		if (kind == LODE_EVIDENCE_LABELS && tally->rows.at[i].side == LODE_SIDE_OTHER)
			continue;
		all.failed += outcome.failed;
		all.succeeded += outcome.succeeded;
		expand(&x, i, outcome);
	}
	free(x.function_of);
	free(x.seen_in);
	lode_sort(functions->at, functions->n, by_frame);
	return all;
}
