/* All evidence about one function. */
#include "engine/suspects/explain.h"

#include "base/sorted.h"

const struct lode_suspect *lode_suspects_find(const struct lode_suspects *s, const char *name,
					      size_t *n_found)
{
	const struct lode_calltree *tree = &s->tally.set->tree;
	const struct lode_suspect *found = NULL;
	char label[4096];

	*n_found = 0;
	for (size_t i = 0; i < s->functions.n; i++) {
		uint32_t frame = s->ranked[i].function->frame;

		if (strcmp(lode_frame_label(tree, frame, label, sizeof(label)), name) != 0 &&
		    strcmp(lode_frame_full_name(tree, frame, label, sizeof(label)), name) != 0)
			continue;
		found = found ? found : &s->ranked[i];
		++*n_found;
	}
	return found;
}

struct explaining {
	struct lode_explanation *out;
	const struct lode_suspects *suspects;
	uint32_t frame;
	bool *has;		    /* by node of the tree: its stack has the function */
	uint32_t *slot_of;	    /* metric of the tally -> index in out->metrics, or LODE_NONE */
	struct lode_map neighbours; /* caller or callee, and frame -> index */
};

static bool is_looked_at(const struct explaining *x, enum lode_side side)
{
	return side == LODE_SIDE_SUBJECT || x->suspects->options.kind == LODE_EVIDENCE_SIDES;
}

static void mark_stacks(struct explaining *x)
{
	const struct lode_calltree *tree = &x->suspects->tally.set->tree;

	x->has = lode_alloc0(tree->nodes.n, sizeof(*x->has));
	for (size_t i = 1; i < tree->nodes.n; i++)
		x->has[i] = x->has[tree->nodes.at[i].parent] || tree->nodes.at[i].frame == x->frame;
}

/* ---- What the counts say ---- */

static void add_outcome(struct lode_outcome *to, struct lode_outcome from)
{
	to->failed += from.failed;
	to->succeeded += from.succeeded;
}

static void add_metric_rows(struct explaining *x)
{
	const struct lode_tally *tally = &x->suspects->tally;
	struct lode_explained_metric *m;

	for (size_t i = 0; i < tally->rows.n; i++) {
		const struct lode_tally_row *row = &tally->rows.at[i];

		if (!x->has[row->stack] || x->slot_of[row->metric] != LODE_NONE ||
		    !is_looked_at(x, row->side))
			continue;
		x->slot_of[row->metric] = (uint32_t)x->out->metrics.n;
		m = lode_vec_append_zero(&x->out->metrics);
		m->metric = row->metric;
	}
	for (size_t i = 0; i < tally->rows.n; i++) {
		const struct lode_tally_row *row = &tally->rows.at[i];
		struct lode_outcome outcome = lode_row_outcome(row, x->suspects->options.kind);

		if (x->slot_of[row->metric] == LODE_NONE || !is_looked_at(x, row->side))
			continue;
		m = &x->out->metrics.at[x->slot_of[row->metric]];
		add_outcome(x->has[row->stack] ? &m->with : &m->without, outcome);
		/* With two sets, times are those of the slow one. */
		if (row->side == LODE_SIDE_SUBJECT)
			lode_moments_merge(x->has[row->stack] ? &m->moments_with
							      : &m->moments_without,
					   &row->moments);
	}
}

static void add_neighbour(struct explaining *x, bool is_callee, uint32_t frame,
			  const struct lode_tally_row *row)
{
	uint32_t *slot = lode_map_slot(&x->neighbours, (uint64_t)is_callee << 32 | frame);
	struct lode_explained_neighbour *n;
	bool is_new = *slot == LODE_NONE;

	if (is_callee) {
		if (is_new) {
			*slot = (uint32_t)x->out->callees.n;
			lode_vec_append_zero(&x->out->callees)->frame = frame;
		}
		n = &x->out->callees.at[*slot];
	} else {
		if (is_new) {
			*slot = (uint32_t)x->out->callers.n;
			lode_vec_append_zero(&x->out->callers)->frame = frame;
		}
		n = &x->out->callers.at[*slot];
	}
	add_outcome(&n->outcome, lode_row_outcome(row, x->suspects->options.kind));
	n->n += row->moments.n;
	if (strcmp(x->suspects->tally.metrics.at[row->metric].unit, "ns") == 0)
		n->sum += row->moments.sum;
}

/* Of its innermost occurrence in each stack. */
static void add_neighbours(struct explaining *x)
{
	const struct lode_tally *tally = &x->suspects->tally;
	const struct lode_callnode *nodes = tally->set->tree.nodes.at;

	for (size_t i = 0; i < tally->rows.n; i++) {
		const struct lode_tally_row *row = &tally->rows.at[i];
		uint32_t node = row->stack, callee = LODE_NONE;

		if (!x->has[row->stack] || !is_looked_at(x, row->side))
			continue;
		for (; nodes[node].frame != x->frame; node = nodes[node].parent)
			callee = nodes[node].frame;
		add_neighbour(x, false, nodes[nodes[node].parent].frame, row);
		add_neighbour(x, true, callee, row);
	}
}

/* ---- What single executions say ---- */

static bool is_worse(const struct lode_execution *a, const struct lode_execution *b)
{
	if (a->value != b->value)
		return a->value > b->value;
	if (a->stream != b->stream)
		return a->stream < b->stream;
	return a->start_ns < b->start_ns;
}

static void keep_worst(struct lode_explanation *out, const struct lode_execution *execution)
{
	size_t i = out->n_worst;

	if (i == LODE_EXPLAIN_WORST) {
		if (!is_worse(execution, &out->worst[i - 1]))
			return;
		i--;
	} else {
		out->n_worst++;
	}
	for (; i > 0 && is_worse(execution, &out->worst[i - 1]); i--)
		out->worst[i] = out->worst[i - 1];
	out->worst[i] = *execution;
}

static void look_at(void *context, const struct lode_execution *at, size_t n)
{
	struct explaining *x = context;
	const struct lode_tally *tally = &x->suspects->tally;

	for (size_t i = 0; i < n; i++) {
		struct lode_execution e = at[i];
		struct lode_explained_metric *m;
		unsigned bucket = lode_latency_bucket((uint64_t)e.value);

		e.metric = tally->metric_of[e.metric];
		if (x->slot_of[e.metric] == LODE_NONE ||
		    lode_tally_side(tally, e.stream) != LODE_SIDE_SUBJECT)
			continue;
		m = &x->out->metrics.at[x->slot_of[e.metric]];
		if (!x->has[e.stack]) {
			m->histogram_without.n[bucket]++;
			continue;
		}
		m->histogram_with.n[bucket]++;
		if (strcmp(tally->metrics.at[e.metric].unit, "ns") == 0)
			keep_worst(x->out, &e);
	}
}

LODE_COMPARE(longest_first, struct lode_explained_metric,
	     LODE_ORDER(b->moments_with.sum, a->moments_with.sum)
		     ?: LODE_ORDER(a->metric, b->metric))

LODE_COMPARE(most_failed_first, struct lode_explained_neighbour,
	     LODE_ORDER(b->outcome.failed, a->outcome.failed) ?: LODE_ORDER(b->n, a->n)
		     ?: LODE_ORDER(a->frame, b->frame))

int lode_explain(struct lode_explanation *out, const struct lode_suspects *suspects,
		 const struct lode_suspect *suspect, struct lode_error *err)
{
	struct explaining x = {.out = out, .suspects = suspects, .frame = suspect->function->frame};
	size_t n_metrics = suspects->tally.metrics.n;
	int rc;

	memset(out, 0, sizeof(*out));
	out->suspect = suspect;
	x.slot_of = lode_alloc_none(n_metrics);
	mark_stacks(&x);
	add_metric_rows(&x);
	add_neighbours(&x);
	rc = lode_execution_set_each(suspects->tally.set, look_at, &x, err);
	lode_sort(out->metrics.at, out->metrics.n, longest_first);
	lode_sort(out->callers.at, out->callers.n, most_failed_first);
	lode_sort(out->callees.at, out->callees.n, most_failed_first);
	lode_map_release(&x.neighbours);
	free(x.slot_of);
	free(x.has);
	if (rc < 0)
		lode_explanation_release(out);
	return rc;
}

void lode_explanation_release(struct lode_explanation *explanation)
{
	lode_vec_release(&explanation->metrics);
	lode_vec_release(&explanation->callers);
	lode_vec_release(&explanation->callees);
}
