/* Follows the open calls of a thread from time to time. */
#include "model/open_calls.h"

void lode_open_calls_start(struct lode_open_calls *open,
			   void (*change)(void *context, const struct lode_call *call,
					  bool is_opened),
			   void *context)
{
	open->at.n = 0;
	open->index = 0;
	open->n_blocks = 0;
	open->change = change;
	open->context = context;
}

static void add(struct lode_open_calls *open, const struct lode_call *call)
{
	lode_vec_append(&open->at, *call);
	if (open->change)
		open->change(open->context, call, true);
}

static void take_last(struct lode_open_calls *open)
{
	open->at.n--;
	if (open->change)
		open->change(open->context, &open->at.at[open->at.n], false);
}

/* Of two calls with one stack and one start, one has no duration, and is not open. */
static bool is_last(const struct lode_open_calls *open, const struct lode_call *call)
{
	const struct lode_call *last = open->at.n ? &open->at.at[open->at.n - 1] : NULL;

	return last && last->start_ns == call->start_ns && last->duration_ns == call->duration_ns &&
	       last->stack == call->stack;
}

/* Adds what is open at the beginning of a block and still is at `t_ns`: from the innermost outwards
   up to what is known, since whatever was open before and has not ended is open there. */
static void add_before(struct lode_open_calls *open, const struct lode_call_thread *thread,
		       size_t block, int64_t t_ns)
{
	uint32_t at = thread->levels[0].at[block].open;

	while (at != LODE_NONE && lode_call_end(&thread->late.at[at].call) <= t_ns)
		at = thread->late.at[at].caller;
	open->found.n = 0;
	for (; at != LODE_NONE && !is_last(open, &thread->late.at[at].call);
	     at = thread->late.at[at].caller)
		lode_vec_append(&open->found, at);
	while (at == LODE_NONE && open->at.n)
		take_last(open);
	while (open->found.n)
		add(open, &thread->late.at[open->found.at[--open->found.n]].call);
}

int lode_open_calls_move(struct lode_open_calls *open, struct lode_call_cursor *cursor,
			 uint64_t index, int64_t t_ns)
{
	struct lode_call_run run;
	uint64_t from;
	size_t block;

	if (index == 0 || !cursor->thread->n_calls)
		return cursor->rc;
	/* Of the block with the call before: `index` may be one behind the last. */
	if (lode_call_cursor_block(&run, cursor, index - 1) < 0)
		return cursor->rc;
	/* Calls that have ended are not callers of those that have not. */
	while (open->at.n && lode_call_end(&open->at.at[open->at.n - 1]) <= t_ns)
		take_last(open);
	block = (size_t)(run.first >> cursor->thread->block_bits);
	from = open->index;
	if (block + 1 != open->n_blocks) {
		add_before(open, cursor->thread, block, t_ns);
		from = run.first;
	}
	for (uint64_t i = from; i < index; i++)
		if (lode_call_end(&run.at[i - run.first]) > t_ns)
			add(open, &run.at[i - run.first]);
	open->index = index;
	open->n_blocks = block + 1;
	return LODE_OK;
}

void lode_open_calls_release(struct lode_open_calls *open)
{
	lode_vec_release(&open->at);
	lode_vec_release(&open->found);
}
