/* Walks one thread's calls and makes the items and nodes of RegTime. */
#include "engine/regtime/regtime_walk.h"

#define NO_TIME INT64_MIN

struct walk {
	struct lode_regtime_thread *out;
	struct lode_call_cursor *cursor;
	const lode_border_vec *borders;
	bool wants_gaps, keeps_folded;
	int64_t long_call_ns;			 /* what is longer is kept */
	uint32_t *folded_in;			 /* scratch of folding */
	struct lode_regtime_function *functions; /* all */
	struct lode_call_sums sums;		 /* of the expression that is open */
	/* That expression: */
	bool is_open;
	uint32_t depth;
	int64_t start_ns, end_ns;
	size_t next_border; /* first one behind its start */
	/* Of calls that can be seen: by depth, end of the last one of the present caller. */
	LODE_VEC(int64_t) ends;
};

static void add_item(struct walk *w, struct lode_regtime_item item)
{
	lode_vec_append(&w->out->items, item);
}

static void note_end(struct walk *w, uint32_t depth, int64_t end_ns)
{
	while (w->ends.n <= depth)
		lode_vec_append(&w->ends, NO_TIME);
	w->ends.n = depth + 1;
	w->ends.at[depth] = end_ns;
}

/* Each call goes into an expression or is kept, so functions are summed up on the way. */
static void add_to_functions(struct walk *w, uint32_t stack, uint64_t n, uint64_t ns)
{
	const struct lode_call_stack *stacks = w->out->thread->stacks.at.at;
	struct lode_regtime_function *functions = w->functions;
	struct lode_regtime_function *function = &functions[stacks[stack].function];
	uint32_t caller = stacks[stack].caller;

	function->n_calls += n;
	function->total_ns += ns;
	function->leaf_ns += ns;
	if (caller)
		functions[stacks[caller].function].leaf_ns -= ns;
}

/* ---- Folding: what takes negligible time becomes "and 14 more, 0.02 %" (docs/timeline.md) ---- */

/* The outermost node with the most time, the first of equals: it says what an expression is, so it
   is never folded. */
static size_t heaviest(const struct lode_regtime_node *nodes, size_t n)
{
	size_t found = 0;

	for (size_t i = 1; i < n; i++)
		if (nodes[i].caller == LODE_NONE && nodes[i].total_ns > nodes[found].total_ns)
			found = i;
	return found;
}

/* Callers stand before their callees, so one pass folds whole branches. */
static void mark_folded(struct lode_regtime_thread *thread, struct lode_regtime_item *item,
			uint32_t *folded_in)
{
	struct lode_regtime_node *nodes = thread->nodes.at + item->first_node;
	uint64_t negligible = (uint64_t)thread->negligible_ns;
	uint32_t number = (uint32_t)(item - thread->items.at + 1);
	size_t always = heaviest(nodes, item->n_nodes);

	for (size_t i = 0; i < item->n_nodes; i++) {
		struct lode_regtime_node *node = &nodes[i];
		uint32_t function = lode_call_function(thread->thread, node->stack);

		/* A function that is negligible in the whole thread is so in each of its nodes. */
		node->is_folded = i != always &&
				  ((node->caller != LODE_NONE && nodes[node->caller].is_folded) ||
				   node->total_ns < negligible);
		if (!node->is_folded)
			continue;
		item->n_folded++;
		item->folded_calls += node->n_calls;
		item->folded_ns += node->own_ns;
		item->n_folded_functions += folded_in[function] != number;
		folded_in[function] = number;
	}
}

/* The nodes that are shown, whose callers are too, move together. */
static void drop_folded(struct lode_regtime_thread *thread, struct lode_regtime_item *item)
{
	struct lode_regtime_node *nodes = thread->nodes.at + item->first_node;
	uint32_t *place = lode_alloc(item->n_nodes * sizeof(*place)), n = 0;

	for (size_t i = 0; i < item->n_nodes; i++) {
		if (nodes[i].is_folded)
			continue;
		place[i] = n;
		nodes[n] = nodes[i];
		if (nodes[n].caller != LODE_NONE)
			nodes[n].caller = place[nodes[n].caller];
		n++;
	}
	item->n_nodes = n;
	thread->nodes.n = item->first_node + n;
	free(place);
}

/* Folds an expression, the last item of `thread`: marks its nodes, or drops them if `keeps` is
   false, and sums them up in the item. */
static void fold_expression(struct lode_regtime_thread *thread, struct lode_regtime_item *item,
			    bool keeps, uint32_t *folded_in)
{
	if (thread->negligible_ns > 0)
		mark_folded(thread, item, folded_in);
	thread->n_glyphs += item->n_nodes - item->n_folded + (item->n_folded > 0);
	if (item->n_folded && !keeps)
		drop_folded(thread, item);
}

/* ---- Expressions ---- */

static void add_nodes(struct walk *w)
{
	const struct lode_call_stacks *stacks = &w->out->thread->stacks;
	size_t first = w->out->nodes.n, n = w->sums.at.n;
	struct lode_regtime_node *nodes;

	lode_vec_reserve(&w->out->nodes, first + n);
	w->out->nodes.n += n;
	nodes = w->out->nodes.at + first;
	for (size_t i = 0; i < n; i++) {
		const struct lode_call_sum *sum = &w->sums.at.at[i];
		const struct lode_call_sum *caller =
			lode_call_sums_find(&w->sums, stacks->at.at[sum->stack].caller);

		nodes[i] = (struct lode_regtime_node){
			.stack = sum->stack,
			.caller = caller ? (uint32_t)(caller - w->sums.at.at) : LODE_NONE,
			.n_calls = sum->n,
			.total_ns = sum->ns,
		};
	}
	for (size_t i = 0; i < n; i++) {
		nodes[i].own_ns += nodes[i].total_ns;
		if (nodes[i].caller != LODE_NONE)
			nodes[nodes[i].caller].own_ns -= nodes[i].total_ns;
	}
}

static void close_expression(struct walk *w)
{
	struct lode_regtime_item item = {
		.kind = LODE_REGTIME_EXPRESSION,
		.depth = w->depth,
		.start_ns = w->start_ns,
		.end_ns = w->end_ns,
		.first_node = w->out->nodes.n,
		.n_nodes = w->sums.at.n,
	};

	add_nodes(w);
	for (size_t i = 0; i < w->sums.at.n; i++) {
		const struct lode_call_sum *sum = &w->sums.at.at[i];

		item.n_calls += sum->n;
		add_to_functions(w, sum->stack, sum->n, sum->ns);
	}
	add_item(w, item);
	fold_expression(w->out, &w->out->items.at[w->out->items.n - 1], w->keeps_folded,
			w->folded_in);
	note_end(w, w->depth, w->end_ns);
	w->out->n_expressions++;
	w->out->n_calls += item.n_calls;
	w->is_open = false;
}

static int64_t border(const struct walk *w)
{
	return w->next_border < w->borders->n ? w->borders->at[w->next_border] : INT64_MAX;
}

static void open_expression(struct walk *w, uint32_t depth, const struct lode_call *call)
{
	lode_call_sums_clear(&w->sums);
	lode_call_sums_add(&w->sums, call->stack, 1, (uint64_t)call->duration_ns);
	w->is_open = true;
	w->depth = depth;
	w->start_ns = call->start_ns;
	w->end_ns = lode_call_end(call);
	while (border(w) <= w->start_ns && w->next_border < w->borders->n)
		w->next_border++;
}

/* The rules that are asked at calls of the expression's depth. */
static bool ends_before(const struct walk *w, int64_t start_ns, int64_t end_ns, int64_t duration_ns,
			int64_t gap_ns)
{
	return duration_ns > w->long_call_ns || gap_ns > w->out->gap_ns ||
	       end_ns - w->start_ns > w->out->expression_ns || border(w) <= start_ns;
}

/* ---- Calls ---- */

static void see_gap(struct walk *w, uint32_t depth, int64_t start_ns)
{
	int64_t from = depth < w->ends.n ? w->ends.at[depth] : NO_TIME;

	if (!w->wants_gaps || from == NO_TIME || start_ns - from <= w->out->gap_ns)
		return;
	add_item(w, (struct lode_regtime_item){.kind = LODE_REGTIME_GAP,
					       .depth = depth,
					       .start_ns = from,
					       .end_ns = start_ns});
	w->out->n_gaps++;
}

static void keep_regtime_walk(struct walk *w, uint32_t depth, const struct lode_call *call)
{
	add_item(w, (struct lode_regtime_item){.kind = LODE_REGTIME_CALL,
					       .depth = depth,
					       .stack = call->stack,
					       .start_ns = call->start_ns,
					       .end_ns = lode_call_end(call)});
	note_end(w, depth, lode_call_end(call));
	add_to_functions(w, call->stack, 1, (uint64_t)call->duration_ns);
	w->out->n_kept++;
	w->out->n_glyphs++;
	w->out->n_calls++;
}

static inline void see_call(struct walk *w, const struct lode_call *call)
{
	uint32_t depth = lode_call_depth(w->out->thread, call->stack);

	if (w->is_open) {
		if (depth > w->depth ||
		    (depth == w->depth &&
		     !ends_before(w, call->start_ns, lode_call_end(call), call->duration_ns,
				  call->start_ns - w->end_ns))) {
			lode_call_sums_add(&w->sums, call->stack, 1, (uint64_t)call->duration_ns);
			if (depth == w->depth)
				w->end_ns = lode_call_end(call);
			return;
		}
		close_expression(w);
	}
	see_gap(w, depth, call->start_ns);
	if (call->duration_ns > w->long_call_ns)
		keep_regtime_walk(w, depth, call);
	else
		open_expression(w, depth, call);
}

/* Whether no call of a span ends the expression. Calls deeper than its outermost need no asking:
   they are shorter than those, which were asked. */
static bool takes_in(const struct walk *w, const struct lode_call_span *span)
{
	if (span->min_depth > w->depth)
		return true;
	return span->min_depth == w->depth && !ends_before(w, span->top_start_ns, span->top_end_ns,
							   span->max_duration_ns, span->max_gap_ns);
}

/* The widest span from call `from` on, within `to`, that the open expression takes in; or NULL. */
static const struct lode_call_span *widest(const struct walk *w, uint64_t from, uint64_t to)
{
	const struct lode_call_thread *thread = w->out->thread;
	const struct lode_call_span *found = NULL;
	uint64_t width = (uint64_t)1 << thread->block_bits;

	for (unsigned level = 0; level < thread->n_levels; level++, width *= LODE_CALL_FAN_OUT) {
		const struct lode_call_span *span;

		if (from % width)
			break;
		span = &thread->levels[level].at[from / width];
		if (from + span->n_calls > to || !takes_in(w, span))
			break;
		if (span->sums.size)
			found = span;
	}
	return found;
}

static void see_range(struct walk *w, uint64_t from, uint64_t to)
{
	while (from < to && w->cursor->rc == LODE_OK) {
		const struct lode_call_span *span = w->is_open ? widest(w, from, to) : NULL;
		struct lode_call_run run;

		if (span) {
			lode_call_sum_span(&w->sums, w->cursor, span);
			if (span->min_depth == w->depth)
				w->end_ns = span->top_end_ns;
			from += span->n_calls;
			continue;
		}
		if (lode_call_cursor_next(&run, w->cursor, &from, to) < 0)
			break;
		for (size_t i = 0; i < run.n; i++)
			see_call(w, &run.at[i]);
	}
}

int lode_regtime_range_find(struct lode_regtime_range *range, struct lode_call_cursor *cursor,
			    int64_t t0_ns, int64_t t1_ns, bool is_all)
{
	range->open.n = 0;
	range->from = 0;
	range->to = cursor->thread->n_calls;
	if (is_all)
		return cursor->rc;
	/* The end first: the block of the beginning is asked for again at once. */
	range->to = lode_call_find(cursor, t1_ns);
	range->from = lode_call_find(cursor, t0_ns);
	return lode_call_open_at(&range->open, cursor, range->from, t0_ns);
}

static void keep_functions(struct lode_regtime_thread *out,
			   const struct lode_regtime_function *functions, size_t n)
{
	size_t n_called = 0;

	for (size_t i = 0; i < n; i++)
		n_called += functions[i].n_calls > 0;
	lode_vec_fit(&out->functions, n_called);
	for (size_t i = 0; i < n; i++)
		if (functions[i].n_calls) {
			lode_vec_append(&out->functions, functions[i]);
			out->functions.at[out->functions.n - 1].function = (uint32_t)i;
		}
}

int lode_regtime_walk(struct lode_regtime_thread *out, struct lode_call_cursor *cursor,
		      const struct lode_regtime_range *range, const lode_border_vec *borders,
		      const struct lode_regtime_options *options)
{
	struct walk w = {
		.out = out,
		.cursor = cursor,
		.borders = borders,
		.wants_gaps = !options->is_classic,
		.keeps_folded = options->keep_folded,
		.folded_in = lode_alloc0(cursor->trace->functions.frames.n, sizeof(uint32_t)),
	};
	size_t n_functions = cursor->trace->functions.frames.n;

	lode_call_sums_reserve(&w.sums, out->thread->stacks.at.n);
	w.functions = lode_alloc0(n_functions, sizeof(*w.functions));
	out->is_compressed = true;
	out->is_single = range->to - range->from + range->open.n <= options->single_calls;
	w.long_call_ns = out->is_single ? -1 : out->long_call_ns;
	for (size_t i = 0; i < range->open.n && cursor->rc == LODE_OK; i++)
		see_call(&w, &range->open.at[i]);
	see_range(&w, range->from, range->to);
	if (w.is_open)
		close_expression(&w);
	keep_functions(out, w.functions, n_functions);
	lode_vec_fit(&out->items, out->items.n);
	lode_vec_fit(&out->nodes, out->nodes.n);
	free(w.functions);
	lode_call_sums_release(&w.sums);
	lode_vec_release(&w.ends);
	free(w.folded_in);
	return cursor->rc;
}
