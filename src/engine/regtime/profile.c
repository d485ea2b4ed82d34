/* Sums the calls of a trace by function, and by caller and callee. */
#include "engine/regtime/profile.h"

#include "base/sorted.h"
#include "engine/regtime/meanwhile.h"

struct maker {
	struct lode_profile *out;
	struct lode_map row_of;	  /* function -> row */
	struct lode_map edge_of;  /* (caller, callee) -> edge */
	LODE_VEC(size_t) seen_by; /* [row]: thread that called it last, + 1 */
	struct lode_call_sums sums;
};

static struct lode_profile_row *function_row(struct maker *m, uint32_t function)
{
	struct lode_profile *out = m->out;
	uint32_t i = lode_map_number(&m->row_of, function, out->rows.n);

	if (i == out->rows.n) {
		lode_vec_append(&out->rows, ((struct lode_profile_row){.function = function}));
		lode_vec_append(&m->seen_by, 0);
	}
	return &out->rows.at[i];
}

static void add_edge(struct maker *m, uint32_t caller, uint32_t callee,
		     const struct lode_call_sum *sum)
{
	struct lode_profile *out = m->out;
	uint32_t i = lode_map_number(&m->edge_of, (uint64_t)caller << 32 | callee, out->edges.n);

	if (i == out->edges.n)
		lode_vec_append(&out->edges, ((struct lode_profile_edge){caller, callee, 0, 0}));
	out->edges.at[i].n_calls += sum->n;
	out->edges.at[i].total_ns += sum->ns;
}

/* Whether the stack's function is among its callers as well. */
static bool is_recursive(const struct lode_call_stack *stacks, uint32_t stack)
{
	uint32_t function = stacks[stack].function;

	while ((stack = stacks[stack].caller) != 0)
		if (stacks[stack].function == function)
			return true;
	return false;
}

static void add_sum(struct maker *m, size_t thread, const struct lode_call_stack *stacks,
		    const struct lode_call_sum *sum)
{
	const struct lode_call_stack *stack = &stacks[sum->stack];
	struct lode_profile_row *row = function_row(m, stack->function);
	size_t *seen_by = &m->seen_by.at[row - m->out->rows.at];

	row->n_calls += sum->n;
	row->self_ns += sum->ns;
	if (!is_recursive(stacks, sum->stack))
		row->total_ns += sum->ns;
	row->n_threads += *seen_by != thread + 1;
	*seen_by = thread + 1;
	add_edge(m, stack->caller ? stacks[stack->caller].function : LODE_NONE, stack->function,
		 sum);
	if (stack->caller)
		function_row(m, stacks[stack->caller].function)->self_ns -= sum->ns;
	else
		m->out->self_ns += sum->ns;
}

static void add_thread(struct maker *m, struct lode_call_cursor *cursor, size_t index,
		       const struct lode_call_thread *thread, const struct lode_profile_span *span)
{
	lode_call_cursor_move(cursor, thread);
	lode_call_sums_clear(&m->sums);
	lode_call_sums_reserve(&m->sums, thread->stacks.at.n);
	if (span->t0_ns == span->t1_ns)
		lode_call_sum_range(&m->sums, cursor, 0, thread->n_calls);
	else
		lode_call_sum_window(&m->sums, cursor, span->t0_ns, span->t1_ns);
	for (size_t i = 0; i < m->sums.at.n && cursor->rc == LODE_OK; i++)
		add_sum(m, index, thread->stacks.at.at, &m->sums.at.at[i]);
}

/* A caller that ends where the span begins has no time in it, though a call at its very end is
   inside. */
static void drop_uncalled(struct lode_profile *out)
{
	size_t n = 0;

	for (size_t i = 0; i < out->rows.n; i++)
		if (out->rows.at[i].n_calls)
			out->rows.at[n++] = out->rows.at[i];
	out->rows.n = n;
}

LODE_COMPARE_WITH(compare_rows, struct lode_profile_row, const struct lode_calltree *functions,
		  LODE_ORDER(b->self_ns, a->self_ns)
			  ?: lode_function_compare(a->function, b->function, functions))

LODE_COMPARE_WITH(compare_edges, struct lode_profile_edge, const struct lode_calltree *functions,
		  LODE_ORDER(a->callee, b->callee)
			  ?: LODE_ORDER(b->total_ns, a->total_ns)
			  ?: lode_function_compare(a->caller, b->caller, functions))

int lode_profile_make(struct lode_profile *out, struct lode_call_trace *trace,
		      const struct lode_profile_span *span, struct lode_error *err)
{
	struct maker m = {.out = out};
	struct lode_call_cursor cursor;

	memset(out, 0, sizeof(*out));
	lode_call_cursor_init(&cursor, trace, NULL);
	for (size_t i = 0; i < trace->threads.n && cursor.rc == LODE_OK; i++)
		if ((!span->only || trace->threads.at[i] == span->only) &&
		    trace->threads.at[i]->n_calls)
			add_thread(&m, &cursor, i, trace->threads.at[i], span);
	drop_uncalled(out);
	lode_sort_r(out->rows.at, out->rows.n, compare_rows, (void *)&trace->functions);
	lode_sort_r(out->edges.at, out->edges.n, compare_edges, (void *)&trace->functions);
	if (cursor.rc < 0 && err)
		*err = cursor.err;
	lode_call_cursor_release(&cursor);
	lode_call_sums_release(&m.sums);
	lode_map_release(&m.row_of);
	lode_map_release(&m.edge_of);
	lode_vec_release(&m.seen_by);
	return cursor.rc;
}

void lode_profile_release(struct lode_profile *profile)
{
	lode_vec_release(&profile->rows);
	lode_vec_release(&profile->edges);
}

const struct lode_profile_row *lode_profile_find(const struct lode_profile *profile,
						 uint32_t function)
{
	for (size_t i = 0; i < profile->rows.n; i++)
		if (profile->rows.at[i].function == function)
			return &profile->rows.at[i];
	return NULL;
}
