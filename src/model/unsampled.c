/* Gives runs on a CPU in which no sample fell the stacks of runs like them. */
#include "model/unsampled.h"

#include "base/sorted.h"
#include "model/stream.h"

/* A kind of run of one program: user frames before and after, nodes of the tree; 0: not known. */
struct run_kind {
	uint32_t before, after;
	uint32_t end; /* all kinds of the program that end alike; LODE_NONE: not known how */
};

/* A sample, and a run without any. */
struct run_sample {
	uint32_t kind, stack;
	int64_t cost_ns;
};
struct run_gap {
	uint32_t kind, event;
	lode_thread_id thread;
};

struct placing {
	struct lode_stream *stream;
	uint32_t *user_of;		 /* per node: its user frames; 0: it has none */
	struct lode_map kind_of, end_of; /* of the program at hand */
	uint32_t n_ends;
	LODE_VEC(struct run_kind) kinds;
	LODE_VEC(struct run_sample) samples; /* by program, thread and time, as gaps */
	LODE_VEC(struct run_gap) gaps;
};

/* Kernel frames stand innermost. */
static uint32_t *find_user_parts(const struct lode_calltree *tree)
{
	uint32_t *user_of = lode_alloc(tree->nodes.n * sizeof(*user_of));
	const struct lode_callnode *node;

	user_of[0] = 0;
	for (uint32_t i = 1; i < tree->nodes.n; i++) {
		node = &tree->nodes.at[i];
		if (!(tree->frames.at[node->frame].flags & LODE_FRAME_KERNEL))
			user_of[i] = i;
		else
			user_of[i] = user_of[node->parent];
	}
	return user_of;
}

static uint32_t user_part(const struct placing *p, uint32_t node)
{
	return p->user_of[node] ? p->user_of[node] : node;
}

/* ---- What there is: kinds of runs, samples, gaps ---- */

static uint32_t kind_of_run(struct placing *p, uint32_t before, uint32_t after)
{
	struct run_kind kind = {before, after, LODE_NONE};
	uint32_t *slot = lode_map_slot(&p->kind_of, (uint64_t)before << 32 | after), *end;

	if (*slot != LODE_NONE)
		return *slot;
	if (after) {
		end = lode_map_slot(&p->end_of, after);
		if (*end == LODE_NONE)
			*end = p->n_ends++;
		kind.end = *end;
	}
	*slot = (uint32_t)p->kinds.n;
	lode_vec_append(&p->kinds, kind);
	return (uint32_t)p->kinds.n - 1;
}

/* Events [first, end) of a thread are a run. */
static void note_run(struct placing *p, lode_thread_id thread, size_t first, size_t end)
{
	const struct lode_events *e = &p->stream->threads.at[thread].events;
	uint32_t kind = kind_of_run(p, first ? user_part(p, e->stack[first - 1]) : 0,
				    end < e->n ? user_part(p, e->stack[end]) : 0);

	for (size_t i = first; i < end; i++) {
		struct run_sample sample = {kind, e->stack[i], e->cost_ns[i]};
		struct run_gap gap = {kind, (uint32_t)i, thread};

		if (e->flags[i] & LODE_EVENT_UNSAMPLED)
			lode_vec_append(&p->gaps, gap);
		else
			lode_vec_append(&p->samples, sample);
	}
}

static void note_runs(struct placing *p, lode_thread_id thread)
{
	const struct lode_events *e = &p->stream->threads.at[thread].events;

	for (size_t first = 0, end; first < e->n; first = end) {
		for (end = first; end < e->n && e->kind[end] == LODE_EVENT_RUNNING; end++)
			;
		if (end > first)
			note_run(p, thread, first, end);
		else
			end++;
	}
}

/* A thread and the name of its process, which stands for the program. */
struct program_thread {
	uint32_t comm;
	lode_thread_id thread;
};

static int by_program(const void *left, const void *right)
{
	const struct program_thread *a = left, *b = right;

	return LODE_ORDER(a->comm, b->comm) ?: LODE_ORDER(a->thread, b->thread);
}

/* Program by program: in another one, equal frames need not mean the same. */
static void note_programs(struct placing *p)
{
	const struct lode_stream *stream = p->stream;
	size_t n = stream->threads.n;
	struct program_thread *threads = lode_alloc(n * sizeof(*threads));

	for (lode_thread_id id = 0; id < n; id++) {
		uint32_t leader =
			lode_map_find(&stream->thread_index, (uint32_t)stream->threads.at[id].pid);

		leader = leader == LODE_NONE ? id : leader;
		threads[id] = (struct program_thread){stream->threads.at[leader].comm, id};
	}
	lode_sort(threads, n, by_program);
	for (size_t i = 0; i < n; i++) {
		if (i && threads[i].comm != threads[i - 1].comm) {
			lode_map_release(&p->kind_of);
			lode_map_release(&p->end_of);
		}
		note_runs(p, threads[i].thread);
	}
	free(threads);
}

/* ---- Who is like whom ---- */

/* Indices of items by group, in their own order within one; some have none. */
struct grouped {
	uint32_t *at;
	size_t *start; /* n_groups + 1 */
};

static void grouped_release(struct grouped *g)
{
	free(g->at);
	free(g->start);
}

/* An item begins with its kind. */
static uint32_t group_of_item(const void *items, size_t item_bytes, size_t i,
			      const uint32_t *group_of)
{
	return group_of[*(const uint32_t *)((const char *)items + i * item_bytes)];
}

static struct grouped group_items(const void *items, size_t n, size_t item_bytes,
				  const uint32_t *group_of, size_t n_groups)
{
	struct grouped g = {lode_alloc(n * sizeof(*g.at)),
			    lode_alloc0(n_groups + 2, sizeof(*g.start))};
	uint32_t group;

	/* start[g + 1] is where group g is filled next, and thus ends as start[g + 1]. */
	for (size_t i = 0; i < n; i++)
		if ((group = group_of_item(items, item_bytes, i, group_of)) != LODE_NONE)
			g.start[group + 2]++;
	for (size_t i = 2; i < n_groups + 2; i++)
		g.start[i] += g.start[i - 1];
	for (size_t i = 0; i < n; i++)
		if ((group = group_of_item(items, item_bytes, i, group_of)) != LODE_NONE)
			g.at[g.start[group + 1]++] = (uint32_t)i;
	return g;
}

static struct lode_events *events_of(const struct placing *p, const struct run_gap *gap)
{
	return &p->stream->threads.at[gap->thread].events;
}

/* `n_samples` times what a sample stands for beyond its own run: a whole number. */
static double rest_of(const struct placing *p, uint32_t sample, double n_samples, double whole_ns)
{
	double run_ns = n_samples * (double)p->samples.at[sample].cost_ns;

	return run_ns < whole_ns ? whole_ns - run_ns : 0;
}

/*
 * Gaps and samples of one group, each in order of time. What samples stand for beyond their own
 * runs is laid end to end, as long as all gaps together, and so are the gaps: a gap has the sample
 * that lies at its middle.
 */
static void share_gaps(struct placing *p, const uint32_t *samples, size_t n_samples,
		       const uint32_t *gaps, size_t n_gaps)
{
	double gaps_ns = 0, whole_ns = 0, n = (double)n_samples, rests = 0, at_ns = 0, end;
	size_t s = 0;

	for (size_t i = 0; i < n_gaps; i++) {
		const struct run_gap *gap = &p->gaps.at[gaps[i]];

		gaps_ns += (double)events_of(p, gap)->cost_ns[gap->event];
	}
	for (size_t i = 0; i < n_samples; i++)
		whole_ns += (double)p->samples.at[samples[i]].cost_ns;
	whole_ns += gaps_ns;
	for (size_t i = 0; i < n_samples; i++)
		rests += rest_of(p, samples[i], n, whole_ns);
	end = rest_of(p, samples[0], n, whole_ns);
	for (size_t i = 0; i < n_gaps; i++) {
		const struct run_gap *gap = &p->gaps.at[gaps[i]];
		struct lode_events *e = events_of(p, gap);
		double cost_ns = (double)e->cost_ns[gap->event];

		/* end / rests <= (at_ns + cost_ns / 2) / gaps_ns */
		while (s + 1 < n_samples && 2 * end * gaps_ns <= (2 * at_ns + cost_ns) * rests)
			end += rest_of(p, samples[++s], n, whole_ns);
		e->stack[gap->event] = p->samples.at[samples[s]].stack;
		at_ns += cost_ns;
	}
}

/* Gaps of groups with enough samples get theirs; the others are left. */
static void place_by_group(struct placing *p, const uint32_t *group_of, size_t n_groups)
{
	struct grouped samples = group_items(p->samples.at, p->samples.n, sizeof(*p->samples.at),
					     group_of, n_groups);
	struct grouped gaps =
		group_items(p->gaps.at, p->gaps.n, sizeof(*p->gaps.at), group_of, n_groups);
	size_t n_left = 0;

	for (size_t g = 0; g < n_groups; g++) {
		size_t n_samples = samples.start[g + 1] - samples.start[g];
		size_t n_gaps = gaps.start[g + 1] - gaps.start[g];

		if (n_gaps && n_samples >= LODE_UNSAMPLED_ENOUGH)
			share_gaps(p, samples.at + samples.start[g], n_samples,
				   gaps.at + gaps.start[g], n_gaps);
	}
	for (size_t i = 0; i < p->gaps.n; i++) {
		uint32_t g = group_of[p->gaps.at[i].kind];

		if (g == LODE_NONE ||
		    samples.start[g + 1] - samples.start[g] < LODE_UNSAMPLED_ENOUGH)
			p->gaps.at[n_left++] = p->gaps.at[i];
	}
	p->gaps.n = n_left;
	grouped_release(&samples);
	grouped_release(&gaps);
}

/* Runs of one kind; then all that end alike. */
static void place_by_samples(struct placing *p)
{
	uint32_t *group_of = lode_alloc(p->kinds.n * sizeof(*group_of));

	for (uint32_t k = 0; k < p->kinds.n; k++)
		group_of[k] = p->kinds.at[k].before || p->kinds.at[k].after ? k : LODE_NONE;
	place_by_group(p, group_of, p->kinds.n);
	for (uint32_t k = 0; k < p->kinds.n; k++)
		group_of[k] = p->kinds.at[k].end;
	place_by_group(p, group_of, p->n_ends);
	free(group_of);
}

/* ---- What is certain ---- */

/* The callers that two stacks have in common: a parent's id is the smaller one. */
static uint32_t common_callers(const struct lode_calltree *tree, uint32_t a, uint32_t b)
{
	while (a != b) {
		if (a > b)
			a = tree->nodes.at[a].parent;
		else
			b = tree->nodes.at[b].parent;
	}
	return a;
}

static void place_by_callers(struct placing *p)
{
	for (size_t i = 0; i < p->gaps.n; i++) {
		const struct run_gap *gap = &p->gaps.at[i];
		const struct run_kind *kind = &p->kinds.at[gap->kind];
		uint32_t *stack = &events_of(p, gap)->stack[gap->event];
		uint32_t common = common_callers(&p->stream->tree, kind->before, kind->after);

		*stack = common ? common : user_part(p, *stack);
	}
}

void lode_unsampled_place(struct lode_stream *stream)
{
	struct placing p = {.stream = stream, .user_of = find_user_parts(&stream->tree)};

	note_programs(&p);
	if (p.gaps.n && p.samples.n)
		place_by_samples(&p);
	place_by_callers(&p);
	free(p.user_of);
	lode_map_release(&p.kind_of);
	lode_map_release(&p.end_of);
	lode_vec_release(&p.kinds);
	lode_vec_release(&p.samples);
	lode_vec_release(&p.gaps);
}
