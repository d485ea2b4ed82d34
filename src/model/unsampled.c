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

/* Which runs are of one kind does not depend on addresses within a function. */
static uint32_t alike(const struct lode_stream *stream, uint32_t node)
{
	return stream->stack_like ? stream->stack_like[node] : node;
}

/* ---- What there is: kinds of runs, samples, gaps ---- */

static uint32_t kind_of_run(struct placing *p, uint32_t before, uint32_t after)
{
	struct run_kind kind = {before, after, LODE_NONE};
	uint32_t slot = lode_map_number(&p->kind_of, (uint64_t)before << 32 | after, p->kinds.n);

	if (slot < p->kinds.n)
		return slot;
	if (after) {
		kind.end = lode_map_number(&p->end_of, after, p->n_ends);
		if (kind.end == p->n_ends)
			p->n_ends++;
	}
	lode_vec_append(&p->kinds, kind);
	return slot;
}

/* Events [first, end) of a thread are a run. */
static void note_run(struct placing *p, lode_thread_id thread, size_t first, size_t end)
{
	const struct lode_events *e = &p->stream->threads.at[thread].events;
	uint32_t before = first ? user_part(p, e->stack[first - 1]) : 0;
	uint32_t after = end < e->n ? user_part(p, e->stack[end]) : 0;
	uint32_t kind = kind_of_run(p, alike(p->stream, before), alike(p->stream, after));

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

LODE_COMPARE(by_program, struct program_thread,
	     LODE_ORDER(a->comm, b->comm) ?: LODE_ORDER(a->thread, b->thread))

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

/*
 * Costs and stacks of items by group, in their own order within one; some items have none. Items
 * and groups are each passed through in order: what is far apart is slow when it lies on a file
 * (base/memory_bound.h).
 */
struct grouped {
	size_t *start; /* n_groups + 1 */
	int64_t *cost_ns;
	uint32_t *stack;
};

static void grouped_release(struct grouped *g)
{
	free(g->start);
	free(g->cost_ns);
	free(g->stack);
}

/* Room for items, which begin with their kinds. */
static struct grouped grouped_new(const void *items, size_t n, size_t item_bytes,
				  const uint32_t *group_of, size_t n_groups)
{
	struct grouped g = {.start = lode_alloc0(n_groups + 2, sizeof(*g.start))};

	for (size_t i = 0; i < n; i++) {
		uint32_t group =
			group_of[*(const uint32_t *)((const char *)items + i * item_bytes)];

		if (group != LODE_NONE)
			g.start[group + 2]++;
	}
	for (size_t i = 2; i < n_groups + 2; i++)
		g.start[i] += g.start[i - 1];
	g.cost_ns = lode_alloc(g.start[n_groups + 1] * sizeof(*g.cost_ns));
	g.stack = lode_alloc(g.start[n_groups + 1] * sizeof(*g.stack));
	return g;
}

/* start[group + 1] is where the group is filled next, and thus ends as what it says. */
static void grouped_append(struct grouped *g, uint32_t group, int64_t cost_ns, uint32_t stack)
{
	size_t at = g->start[group + 1]++;

	g->cost_ns[at] = cost_ns;
	g->stack[at] = stack;
}

static size_t grouped_n(const struct grouped *g, size_t group)
{
	return g->start[group + 1] - g->start[group];
}

static struct grouped group_samples(const struct placing *p, const uint32_t *group_of,
				    size_t n_groups)
{
	struct grouped g = grouped_new(p->samples.at, p->samples.n, sizeof(*p->samples.at),
				       group_of, n_groups);

	for (size_t i = 0; i < p->samples.n; i++) {
		const struct run_sample *sample = &p->samples.at[i];

		if (group_of[sample->kind] != LODE_NONE)
			grouped_append(&g, group_of[sample->kind], sample->cost_ns, sample->stack);
	}
	return g;
}

static struct lode_events *events_of(const struct placing *p, const struct run_gap *gap)
{
	return &p->stream->threads.at[gap->thread].events;
}

static struct grouped group_gaps(const struct placing *p, const uint32_t *group_of, size_t n_groups)
{
	struct grouped g =
		grouped_new(p->gaps.at, p->gaps.n, sizeof(*p->gaps.at), group_of, n_groups);

	for (size_t i = 0; i < p->gaps.n; i++) {
		const struct run_gap *gap = &p->gaps.at[i];

		if (group_of[gap->kind] != LODE_NONE)
			grouped_append(&g, group_of[gap->kind],
				       events_of(p, gap)->cost_ns[gap->event], 0);
	}
	return g;
}

/* `n_samples` times what a sample stands for beyond its own run: a whole number. */
static double rest_of(int64_t cost_ns, double n_samples, double whole_ns)
{
	double run_ns = n_samples * (double)cost_ns;

	return run_ns < whole_ns ? whole_ns - run_ns : 0;
}

/*
 * Gaps and samples of one group, each in order of time. What samples stand for beyond their own
 * runs is laid end to end, as long as all gaps together, and so are the gaps: a gap has the sample
 * that lies at its middle.
 */
static void share_gaps(const struct grouped *samples, const struct grouped *gaps, size_t group)
{
	const int64_t *sample_ns = samples->cost_ns + samples->start[group];
	const int64_t *gap_ns = gaps->cost_ns + gaps->start[group];
	size_t n_samples = grouped_n(samples, group), n_gaps = grouped_n(gaps, group), s = 0;
	double gaps_ns = 0, whole_ns = 0, n = (double)n_samples, rests = 0, at_ns = 0, end;

	for (size_t i = 0; i < n_gaps; i++)
		gaps_ns += (double)gap_ns[i];
	for (size_t i = 0; i < n_samples; i++)
		whole_ns += (double)sample_ns[i];
	whole_ns += gaps_ns;
	for (size_t i = 0; i < n_samples; i++)
		rests += rest_of(sample_ns[i], n, whole_ns);
	end = rest_of(sample_ns[0], n, whole_ns);
	for (size_t i = 0; i < n_gaps; i++) {
		double cost_ns = (double)gap_ns[i];

		/* end / rests <= (at_ns + cost_ns / 2) / gaps_ns */
		while (s + 1 < n_samples && 2 * end * gaps_ns <= (2 * at_ns + cost_ns) * rests)
			end += rest_of(sample_ns[++s], n, whole_ns);
		gaps->stack[gaps->start[group] + i] = samples->stack[samples->start[group] + s];
		at_ns += cost_ns;
	}
}

/* Gaps of groups with enough samples get theirs; the others are left. */
static void place_by_group(struct placing *p, const uint32_t *group_of, size_t n_groups)
{
	struct grouped samples = group_samples(p, group_of, n_groups);
	struct grouped gaps = group_gaps(p, group_of, n_groups);
	size_t n_left = 0;

	for (size_t g = 0; g < n_groups; g++)
		if (grouped_n(&gaps, g) && grouped_n(&samples, g) >= LODE_UNSAMPLED_ENOUGH)
			share_gaps(&samples, &gaps, g);
	/* A group's last gap is the first to be taken: start[g + 1] becomes its beginning. */
	for (size_t i = p->gaps.n; i-- > 0;) {
		const struct run_gap *gap = &p->gaps.at[i];
		uint32_t g = group_of[gap->kind];
		size_t at = g == LODE_NONE ? 0 : --gaps.start[g + 1];

		if (g != LODE_NONE && grouped_n(&samples, g) >= LODE_UNSAMPLED_ENOUGH)
			events_of(p, gap)->stack[gap->event] = gaps.stack[at];
	}
	for (size_t i = 0; i < p->gaps.n; i++) {
		uint32_t g = group_of[p->gaps.at[i].kind];

		if (g == LODE_NONE || grouped_n(&samples, g) < LODE_UNSAMPLED_ENOUGH)
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
static uint32_t common_callers(const struct lode_stream *stream, uint32_t a, uint32_t b)
{
	const struct lode_calltree *tree = &stream->tree;

	while (a != b) {
		if (a > b)
			a = alike(stream, tree->nodes.at[a].parent);
		else
			b = alike(stream, tree->nodes.at[b].parent);
	}
	return a;
}

/* Those callers, at the addresses that they have in `stack`, if they are in it. */
static uint32_t callers_in(const struct lode_stream *stream, uint32_t callers, uint32_t stack)
{
	for (uint32_t at = stack; at; at = stream->tree.nodes.at[at].parent)
		if (alike(stream, at) == callers)
			return at;
	return callers;
}

static void place_by_callers(struct placing *p)
{
	for (size_t i = 0; i < p->gaps.n; i++) {
		const struct run_gap *gap = &p->gaps.at[i];
		const struct run_kind *kind = &p->kinds.at[gap->kind];
		uint32_t *stack = &events_of(p, gap)->stack[gap->event];
		uint32_t common = common_callers(p->stream, kind->before, kind->after);

		*stack = common ? callers_in(p->stream, common, *stack) : user_part(p, *stack);
	}
}

/* Room for all of them: what grows to millions is copied on its way, and has room to spare. */
static void make_room(struct placing *p)
{
	size_t n_runs = 0, n_gaps = 0;

	for (lode_thread_id id = 0; id < p->stream->threads.n; id++) {
		const struct lode_events *e = &p->stream->threads.at[id].events;

		for (size_t i = 0; i < e->n; i++) {
			bool is_run = e->kind[i] == LODE_EVENT_RUNNING;

			n_runs += is_run;
			n_gaps += is_run && e->flags[i] & LODE_EVENT_UNSAMPLED;
		}
	}
	lode_vec_reserve(&p->samples, n_runs - n_gaps);
	lode_vec_reserve(&p->gaps, n_gaps);
}

void lode_unsampled_place(struct lode_stream *stream)
{
	struct placing p = {.stream = stream, .user_of = find_user_parts(&stream->tree)};

	make_room(&p);
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
