/* Caller contrast: which callers go with slow executions of a function. */
#include "engine/suspects/contrast.h"

#include <math.h>

#include "base/sorted.h"

/* A row in the order of its leaf and metric: rows of one unit stand side by side. */
struct item {
	uint32_t leaf, metric, row;
};

struct caller {
	uint32_t frame;
	struct lode_contrast_half with;
	uint64_t mark[2];
	uint32_t first_row, depth; /* where it was first met: for the order of a group */
};

struct contrasting {
	const struct lode_tally *tally;
	enum lode_evidence_kind kind;
	lode_contrasts *contrasts;
	struct lode_arena *arena;
	LODE_VEC(struct caller) callers; /* of the unit at hand */
	uint32_t *caller_of, *seen_in;	 /* by frame */
	LODE_VEC(double) log_p;		 /* of all tests */
	LODE_VEC(uint32_t) test_of;	 /* contrast -> test */
	uint32_t stamp;
};

LODE_COMPARE(by_unit, struct item,
	     LODE_ORDER(a->leaf, b->leaf) ?: LODE_ORDER(a->metric, b->metric)
		     ?: LODE_ORDER(a->row, b->row))

static void half_add(struct lode_contrast_half *half, struct lode_outcome outcome, uint64_t n,
		     lode_u128 sum)
{
	half->outcome.failed += outcome.failed;
	half->outcome.succeeded += outcome.succeeded;
	half->n += n;
	half->sum += sum;
}

static struct caller *caller_of(struct contrasting *c, uint32_t frame)
{
	struct caller *caller;

	if (c->caller_of[frame] != LODE_NONE)
		return &c->callers.at[c->caller_of[frame]];
	c->caller_of[frame] = (uint32_t)c->callers.n;
	caller = lode_vec_append_zero(&c->callers);
	caller->frame = frame;
	return caller;
}

static void add_row_contrast(struct contrasting *c, const struct item *item,
			     struct lode_contrast_half *all)
{
	const struct lode_tally_row *row = &c->tally->rows.at[item->row];
	const struct lode_callnode *nodes = c->tally->set->tree.nodes.at;
	struct lode_outcome outcome = lode_row_outcome(row, c->kind);
	uint64_t mark[2];

	lode_stack_mark(mark, row->stack);
	half_add(all, outcome, row->moments.n, row->moments.sum);
	c->stamp++;
	for (uint32_t node = nodes[row->stack].parent; node; node = nodes[node].parent) {
		uint32_t frame = nodes[node].frame;
		struct caller *caller;

		if (frame == item->leaf || c->seen_in[frame] == c->stamp)
			continue;
		c->seen_in[frame] = c->stamp;
		caller = caller_of(c, frame);
		half_add(&caller->with, outcome, row->moments.n, row->moments.sum);
		caller->mark[0] += mark[0];
		caller->mark[1] += mark[1];
		if (!caller->depth) {
			caller->first_row = item->row;
			caller->depth = nodes[node].depth;
		}
	}
}

/* Callers that are in the same stacks stand side by side, outermost first. */
LODE_COMPARE(by_mark, struct caller,
	     LODE_ORDER(a->mark[0], b->mark[0]) ?: LODE_ORDER(a->mark[1], b->mark[1])
		     ?: LODE_ORDER(a->depth, b->depth))

static double share(const struct lode_outcome *o)
{
	uint64_t n = o->failed + o->succeeded;

	return n ? (double)o->failed / (double)n : 0;
}

/* One test: a group of callers against the rest of the unit. */
static void test(struct contrasting *c, const struct item *unit,
		 const struct lode_contrast_half *all, const struct caller *group, size_t n)
{
	struct lode_contrast contrast = {
		.leaf = unit->leaf,
		.metric = c->kind == LODE_EVIDENCE_SIDES ? LODE_NONE : unit->metric,
		.n_callers = n,
		.with = group->with,
	};
	struct lode_contrast_half *without = &contrast.without;
	uint32_t *callers;

	*without = *all;
	without->outcome.failed -= group->with.outcome.failed;
	without->outcome.succeeded -= group->with.outcome.succeeded;
	without->n -= group->with.n;
	without->sum -= group->with.sum;
	/* Where one of both has no execution that counts, there is nothing to compare. */
	if (!(group->with.outcome.failed + group->with.outcome.succeeded) ||
	    !(without->outcome.failed + without->outcome.succeeded))
		return;
	contrast.log_p =
		lode_fisher_log_p(group->with.outcome.failed, group->with.outcome.succeeded,
				  without->outcome.failed, without->outcome.succeeded);
	lode_vec_append(&c->log_p, contrast.log_p);
	if (share(&group->with.outcome) <= share(&without->outcome))
		return;
	callers = lode_arena_array(c->arena, uint32_t, n);
	for (size_t i = 0; i < n; i++)
		callers[i] = group[i].frame;
	contrast.callers = callers;
	lode_vec_append(&c->contrasts[0], contrast);
	lode_vec_append(&c->test_of, (uint32_t)c->log_p.n - 1);
}

static void contrast_unit(struct contrasting *c, const struct item *items, size_t n)
{
	struct lode_contrast_half all = {0};
	size_t end;

	for (size_t i = 0; i < n; i++)
		add_row_contrast(c, &items[i], &all);
	if (all.outcome.failed && all.outcome.succeeded && c->callers.n) {
		lode_sort(c->callers.at, c->callers.n, by_mark);
		for (size_t i = 0; i < c->callers.n; i = end) {
			const struct caller *first = &c->callers.at[i];

			for (end = i + 1; end < c->callers.n; end++) {
				if (memcmp(c->callers.at[end].mark, first->mark,
					   sizeof(first->mark)) != 0)
					break;
			}
			test(c, items, &all, first, end - i);
		}
	}
	for (size_t i = 0; i < c->callers.n; i++)
		c->caller_of[c->callers.at[i].frame] = LODE_NONE;
	c->callers.n = 0;
}

LODE_COMPARE(most_significant_first, struct lode_contrast,
	     LODE_ORDER(a->log_p, b->log_p)
		     ?: LODE_ORDER(share(&b->with.outcome), share(&a->with.outcome))
		     ?: LODE_ORDER(a->leaf, b->leaf)
		     ?: LODE_ORDER(a->metric, b->metric)
		     ?: LODE_ORDER(a->callers[0], b->callers[0]))

static void sort_items(struct contrasting *c, struct item *items, size_t *n)
{
	const struct lode_tally *tally = c->tally;

	*n = 0;
	for (uint32_t i = 0; i < tally->rows.n; i++) {
		const struct lode_tally_row *row = &tally->rows.at[i];

		if (row->stack == 0 || !lode_row_counts(tally, row, c->kind))
			continue;
		items[(*n)++] = (struct item){
			.leaf = tally->set->tree.nodes.at[row->stack].frame,
			.metric = c->kind == LODE_EVIDENCE_SIDES ? 0 : row->metric,
			.row = i,
		};
	}
	lode_sort(items, *n, by_unit);
}

void lode_contrasts_build(lode_contrasts *contrasts, size_t *n_tests,
			  const struct lode_tally *tally, enum lode_evidence_kind kind,
			  enum lode_correction correction, struct lode_arena *arena)
{
	size_t n_frames = tally->set->tree.frames.n, n, end;
	struct contrasting c = {
		.tally = tally, .kind = kind, .contrasts = contrasts, .arena = arena};
	struct item *items = lode_alloc(tally->rows.n * sizeof(*items));

	c.caller_of = lode_alloc_none(n_frames);
	c.seen_in = lode_alloc0(n_frames, sizeof(*c.seen_in));
	sort_items(&c, items, &n);
	for (size_t i = 0; i < n; i = end) {
		for (end = i + 1; end < n && items[end].leaf == items[i].leaf &&
				  items[end].metric == items[i].metric;)
			end++;
		contrast_unit(&c, &items[i], end - i);
	}
	lode_correct_log_p(c.log_p.at, c.log_p.n, correction);
	for (size_t i = 0; i < c.test_of.n; i++)
		contrasts->at[i].log_q = c.log_p.at[c.test_of.at[i]];
	lode_sort(contrasts->at, contrasts->n, most_significant_first);
	*n_tests = c.log_p.n;
	lode_vec_release(&c.callers);
	lode_vec_release(&c.log_p);
	lode_vec_release(&c.test_of);
	free(c.caller_of);
	free(c.seen_in);
	free(items);
}
