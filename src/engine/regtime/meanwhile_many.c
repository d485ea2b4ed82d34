/* What every thread did during many spans, in one pass over the calls. */
#include "engine/regtime/meanwhile_many.h"

#include "base/pool.h"
#include "base/sorted.h"
#include "model/open_calls.h"

/* LIMIT: of what one of our threads sums up side by side; more spans take more passes. */
#define SCRATCH_BYTES ((size_t)16 << 20)

/* Where a span begins or ends. */
struct border {
	int64_t t_ns;
	uint32_t span;
	bool is_end;
};

/* Of one function: time in which it was innermost, and calls that have begun. Sums are modulo 2^64:
   differences are right. */
struct tally {
	uint64_t leaf_ns, n_calls;
};

/* Of the open calls of one function: what is missing of their time at t is end_ns - n_leaves * t.
   A call's time is no longer its caller's, so only the innermost one counts in the sum. */
struct open_tally {
	uint64_t end_ns, n_leaves, n_calls;
};

struct many {
	struct lode_meanwhile *out;
	size_t n;
	struct lode_call_trace *trace;
	size_t most_leaves;
	int *rc;
	struct lode_error *errs;
};

/* One thread's way through the spans. Functions are numbered by the thread: it has few of them. */
struct pass {
	const struct many *many;
	size_t index; /* of the thread */
	struct lode_call_cursor cursor;
	struct lode_call_sums sums;
	struct lode_open_calls open;
	uint64_t at;	     /* calls that are passed */
	uint32_t *number_of; /* by function */
	LODE_VEC(uint32_t) functions;
	struct tally *now; /* by number: up to `at`, calls that are open as if they had ended */
	uint64_t busy_ns;  /* of outermost calls, as `now` */
	struct open_tally *left;     /* by number: of the calls that are open now */
	struct open_tally outermost; /* of that one's */
	struct tally *spans;	     /* by span, then by number */
	uint64_t *busy_of;	     /* by span */
};

/* ---- Sums ---- */

static void number_functions(struct pass *p)
{
	const struct lode_call_stacks *stacks = &p->cursor.thread->stacks;

	p->number_of = lode_alloc0(p->many->trace->functions.frames.n + 1, sizeof(*p->number_of));
	for (size_t i = 1; i < stacks->at.n; i++) {
		uint32_t function = stacks->at.at[i].function;

		if (p->number_of[function])
			continue;
		lode_vec_append(&p->functions, function);
		p->number_of[function] = (uint32_t)p->functions.n; /* from 1 on */
	}
}

static size_t number(const struct pass *p, uint32_t stack)
{
	return p->number_of[lode_call_function(p->cursor.thread, stack)] - 1;
}

/* A call is open from now on, or no longer. */
static void change_open(void *context, const struct lode_call *call, bool is_opened)
{
	struct pass *p = context;
	const struct lode_call_stack *s = &p->cursor.thread->stacks.at.at[call->stack];
	uint64_t one = is_opened ? 1 : -(uint64_t)1, end_ns = one * (uint64_t)lode_call_end(call);
	struct open_tally *own = &p->left[number(p, call->stack)];

	own->end_ns += end_ns;
	own->n_leaves += one;
	own->n_calls += one;
	if (s->caller) {
		struct open_tally *callers = &p->left[number(p, s->caller)];

		callers->end_ns -= end_ns;
		callers->n_leaves -= one;
	}
	if (s->n_functions == 1) {
		p->outermost.end_ns += end_ns;
		p->outermost.n_leaves += one;
	}
}

static uint64_t left_ns(const struct open_tally *left, int64_t t_ns)
{
	return left->end_ns - left->n_leaves * (uint64_t)t_ns;
}

/* Time of a stack: its function's, and no longer its caller's. */
static void add_calls(struct pass *p, const struct lode_call_sum *sum)
{
	const struct lode_call_stack *s = &p->cursor.thread->stacks.at.at[sum->stack];
	struct tally *own = &p->now[number(p, sum->stack)];

	own->n_calls += sum->n;
	own->leaf_ns += sum->ns;
	if (s->caller)
		p->now[number(p, s->caller)].leaf_ns -= sum->ns;
	if (s->n_functions == 1)
		p->busy_ns += sum->ns;
}

/* Adds the calls up to `to`. */
static void pass_calls(struct pass *p, uint64_t to)
{
	if (to <= p->at)
		return;
	lode_call_sums_clear(&p->sums);
	lode_call_sum_range(&p->sums, &p->cursor, p->at, to);
	for (size_t i = 0; i < p->sums.at.n; i++)
		add_calls(p, &p->sums.at.at[i]);
	p->at = to;
}

/* To the calls that begin before `t_ns`. Blocks are asked for in their order, so that none is
   unpacked twice. */
static void pass_until(struct pass *p, int64_t t_ns)
{
	const struct lode_call_thread *thread = p->cursor.thread;
	const lode_call_level blocks = lode_call_blocks(thread);
	size_t from = (size_t)(p->at >> thread->block_bits), to = blocks.n;

	while (from < to) { /* the first block that begins at t_ns or later */
		size_t middle = from + (to - from) / 2;

		if (blocks.at[middle].first_ns < t_ns)
			from = middle + 1;
		else
			to = middle;
	}
	if (from)
		pass_calls(p, (uint64_t)(from - 1) << thread->block_bits);
	pass_calls(p, lode_call_find(&p->cursor, t_ns));
}

/* ---- Spans ---- */

static void begin_span(struct pass *p, uint32_t span, int64_t t_ns)
{
	struct tally *row = p->spans + span * p->functions.n;

	for (size_t i = 0; i < p->functions.n; i++) {
		row[i].leaf_ns = left_ns(&p->left[i], t_ns) - p->now[i].leaf_ns;
		row[i].n_calls = p->left[i].n_calls - p->now[i].n_calls;
	}
	p->busy_of[span] = left_ns(&p->outermost, t_ns) - p->busy_ns;
}

/* Keeps the first `most` in order: there are hundreds, and few are asked for. */
static void add_leaf(struct lode_meanwhile_thread *out, const struct lode_calltree *functions,
		     size_t most, const struct lode_leaf *leaf)
{
	size_t at = out->leaves.n;

	if (at == most) {
		if (lode_leaf_compare(leaf, &out->leaves.at[at - 1], functions) >= 0)
			return;
		at--;
	} else {
		lode_vec_append(&out->leaves, *leaf);
	}
	for (; at && lode_leaf_compare(leaf, &out->leaves.at[at - 1], functions) < 0; at--)
		out->leaves.at[at] = out->leaves.at[at - 1];
	out->leaves.at[at] = *leaf;
}

static void end_span(struct pass *p, uint32_t span, int64_t t_ns, struct lode_meanwhile *meanwhile)
{
	struct lode_meanwhile_thread *out = &meanwhile->threads[p->index];
	struct tally *row = p->spans + span * p->functions.n;
	const struct lode_calltree *functions = &p->many->trace->functions;
	size_t most = p->many->most_leaves;

	for (size_t i = 0; i < p->functions.n; i++) {
		row[i].leaf_ns += p->now[i].leaf_ns - left_ns(&p->left[i], t_ns);
		row[i].n_calls += p->now[i].n_calls;
	}
	p->busy_of[span] += p->busy_ns - left_ns(&p->outermost, t_ns);
	for (size_t i = 0; i < p->functions.n; i++) {
		const struct lode_leaf leaf = {p->functions.at[i], row[i].leaf_ns, row[i].n_calls};

		out->n_calls += leaf.n_calls;
		if (!leaf.n_calls)
			continue;
		if (most)
			add_leaf(out, functions, most, &leaf);
		else
			lode_vec_append(&out->leaves, leaf);
	}
	if (!most)
		lode_leaves_sort(out, functions);
	out->idle_ns = (uint64_t)(meanwhile->t1_ns - meanwhile->t0_ns) - p->busy_of[span];
}

/* Ends stand before beginnings nowhere: a span is not empty, so any order of equal times will do.
 */
LODE_COMPARE(compare_borders, struct border,
	     LODE_ORDER(a->t_ns, b->t_ns) ?: LODE_ORDER(a->span, b->span))

static void pass_spans(struct pass *p, struct lode_meanwhile *spans, size_t n)
{
	struct border *borders = lode_alloc(2 * n * sizeof(*borders));
	int64_t here_ns = 0;
	bool is_here = false;

	for (size_t i = 0; i < n; i++) {
		borders[2 * i] = (struct border){spans[i].t0_ns, (uint32_t)i, false};
		borders[2 * i + 1] = (struct border){spans[i].t1_ns, (uint32_t)i, true};
	}
	lode_sort(borders, 2 * n, compare_borders);
	memset(p->now, 0, p->functions.n * sizeof(*p->now));
	memset(p->left, 0, p->functions.n * sizeof(*p->left));
	memset(&p->outermost, 0, sizeof(p->outermost));
	lode_open_calls_start(&p->open, change_open, p);
	p->busy_ns = 0;
	p->at = 0;
	for (size_t i = 0; i < 2 * n && p->cursor.rc == LODE_OK; i++) {
		const struct border *border = &borders[i];

		if (!lode_meanwhile_knows(&spans[border->span], p->index))
			continue;
		if (!is_here || border->t_ns != here_ns) {
			pass_until(p, border->t_ns);
			lode_open_calls_move(&p->open, &p->cursor, p->at, border->t_ns);
			here_ns = border->t_ns;
			is_here = true;
		}
		if (p->cursor.rc < 0)
			break;
		if (border->is_end)
			end_span(p, border->span, border->t_ns, &spans[border->span]);
		else
			begin_span(p, border->span, border->t_ns);
	}
	free(borders);
}

static void pass_thread(void *context, size_t index, unsigned worker)
{
	const struct many *many = context;
	struct pass p = {.many = many, .index = index};
	size_t n, row_bytes;

	(void)worker;
	lode_call_cursor_init(&p.cursor, many->trace, many->trace->threads.at[index]);
	if (p.cursor.rc == LODE_OK) {
		number_functions(&p);
		lode_call_sums_reserve(&p.sums, p.cursor.thread->stacks.at.n);
		row_bytes = (p.functions.n + 1) * sizeof(*p.spans);
		n = SCRATCH_BYTES / row_bytes ? SCRATCH_BYTES / row_bytes : 1;
		if (n > many->n)
			n = many->n;
		p.now = lode_alloc(row_bytes);
		p.left = lode_alloc0(p.functions.n + 1, sizeof(*p.left));
		p.spans = lode_alloc(n * row_bytes);
		p.busy_of = lode_alloc(n * sizeof(*p.busy_of));
		for (size_t i = 0; i < many->n && p.cursor.rc == LODE_OK; i += n)
			pass_spans(&p, many->out + i, many->n - i < n ? many->n - i : n);
	}
	many->rc[index] = p.cursor.rc;
	many->errs[index] = p.cursor.err;
	lode_call_cursor_release(&p.cursor);
	lode_call_sums_release(&p.sums);
	lode_open_calls_release(&p.open);
	lode_vec_release(&p.functions);
	free(p.number_of);
	free(p.now);
	free(p.left);
	free(p.spans);
	free(p.busy_of);
}

int lode_meanwhile_make_many(struct lode_meanwhile *out, size_t n, struct lode_call_trace *trace,
			     size_t most_leaves, unsigned n_threads, struct lode_error *err)
{
	struct many many = {.out = out, .n = n, .trace = trace, .most_leaves = most_leaves};
	int rc = LODE_OK;

	for (size_t i = 0; i < n; i++) {
		out[i].n_threads = trace->threads.n;
		out[i].threads = lode_alloc0(trace->threads.n, sizeof(*out[i].threads));
		for (size_t k = 0; k < trace->threads.n; k++)
			out[i].threads[k].thread = trace->threads.at[k];
	}
	many.rc = lode_alloc0(trace->threads.n, sizeof(*many.rc));
	many.errs = lode_alloc0(trace->threads.n, sizeof(*many.errs));
	if (n)
		lode_pool_run(n_threads, trace->threads.n, pass_thread, &many);
	for (size_t k = 0; k < trace->threads.n && rc == LODE_OK; k++) {
		rc = many.rc[k];
		if (rc < 0 && err)
			*err = many.errs[k];
	}
	free(many.rc);
	free(many.errs);
	for (size_t i = 0; i < n && rc < 0; i++)
		lode_meanwhile_release(&out[i]);
	return rc;
}
