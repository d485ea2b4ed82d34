/* Orders recordings so that the first ones show most problems (StackMine §VII.A Q3). */
#include "engine/order/order.h"

#include "base/sorted.h"

/* Lists by another key: at[start[k] .. start[k + 1]) are those of key k, ascending. */
struct lists {
	size_t *start;
	uint32_t *at;
};

/* Which signatures are seen, and what that covers. */
struct known {
	struct lode_arena arena; /* of the arrays */
	const struct lode_order_input *input;
	struct lists parts; /* per signature */
	bool *is_seen;	    /* per signature */
	bool *is_covered;   /* per part */
	int64_t *gain_ns;   /* per signature: of its parts, what is not covered */
	int64_t covered_ns;
	uint32_t *stamp; /* per part: last sum that it was counted in */
	uint32_t n_stamps;
};

static void parts_by_signature(struct lists *out, const struct lode_order_input *input)
{
	out->start = lode_alloc0(input->n_signatures + 2, sizeof(*out->start));
	out->at = lode_alloc(input->part_start[input->n_parts] * sizeof(*out->at));
	for (size_t i = 0; i < input->part_start[input->n_parts]; i++)
		out->start[input->part_signatures[i] + 2]++;
	for (size_t s = 0; s < input->n_signatures; s++)
		out->start[s + 2] += out->start[s + 1];
	for (size_t p = 0; p < input->n_parts; p++)
		for (size_t i = input->part_start[p]; i < input->part_start[p + 1]; i++)
			out->at[out->start[input->part_signatures[i] + 1]++] = (uint32_t)p;
}

/* Streams that are not opened. */
static void streams_by_signature(struct lists *out, const struct lode_order_input *input)
{
	size_t n_sights = input->sight_start[input->n_streams];

	out->start = lode_alloc0(input->n_signatures + 2, sizeof(*out->start));
	out->at = lode_alloc(n_sights * sizeof(*out->at));
	for (size_t i = 0; i < input->n_streams; i++)
		for (size_t k = input->sight_start[i]; k < input->sight_start[i + 1]; k++)
			out->start[input->sights[k].signature + 2] += !input->streams[i].is_opened;
	for (size_t s = 0; s < input->n_signatures; s++)
		out->start[s + 2] += out->start[s + 1];
	for (size_t i = 0; i < input->n_streams; i++)
		for (size_t k = input->sight_start[i]; k < input->sight_start[i + 1]; k++)
			if (!input->streams[i].is_opened)
				out->at[out->start[input->sights[k].signature + 1]++] = (uint32_t)i;
}

static void lists_release(struct lists *lists)
{
	free(lists->start);
	free(lists->at);
}

/* Sees a signature: what it explains is covered, and adds nothing for any other. */
static void see(struct known *known, uint32_t signature)
{
	const struct lode_order_input *input = known->input;

	known->is_seen[signature] = true;
	for (size_t i = known->parts.start[signature]; i < known->parts.start[signature + 1]; i++) {
		uint32_t p = known->parts.at[i];

		if (known->is_covered[p])
			continue;
		known->is_covered[p] = true;
		known->covered_ns += input->part_ns[p];
		for (size_t k = input->part_start[p]; k < input->part_start[p + 1]; k++)
			known->gain_ns[input->part_signatures[k]] -= input->part_ns[p];
	}
}

/* Opens a stream; gives how many signatures in it were new. */
static uint32_t open_stream(struct known *known, size_t stream)
{
	const struct lode_order_input *input = known->input;
	uint32_t n_new = 0;

	for (size_t k = input->sight_start[stream]; k < input->sight_start[stream + 1]; k++) {
		uint32_t signature = input->sights[k].signature;

		if (known->is_seen[signature])
			continue;
		see(known, signature);
		n_new++;
	}
	return n_new;
}

static void known_init(struct known *known, const struct lode_order_input *input)
{
	memset(known, 0, sizeof(*known));
	known->input = input;
	parts_by_signature(&known->parts, input);
	known->is_seen = lode_arena_array0(&known->arena, bool, input->n_signatures);
	known->is_covered = lode_arena_array0(&known->arena, bool, input->n_parts);
	known->gain_ns = lode_arena_array0(&known->arena, int64_t, input->n_signatures);
	known->stamp = lode_arena_array0(&known->arena, uint32_t, input->n_parts);
	for (size_t p = 0; p < input->n_parts; p++)
		for (size_t k = input->part_start[p]; k < input->part_start[p + 1]; k++)
			known->gain_ns[input->part_signatures[k]] += input->part_ns[p];
	for (size_t i = 0; i < input->n_streams; i++)
		if (input->streams[i].is_opened)
			open_stream(known, i);
}

static void known_release(struct known *known)
{
	lists_release(&known->parts);
	lode_arena_release(&known->arena);
}

/* What a stream would add with all that is new in it. */
static int64_t stream_gain(struct known *known, size_t stream)
{
	const struct lode_order_input *input = known->input;
	int64_t gain_ns = 0;

	known->n_stamps++;
	for (size_t k = input->sight_start[stream]; k < input->sight_start[stream + 1]; k++) {
		uint32_t signature = input->sights[k].signature;

		if (known->is_seen[signature])
			continue;
		for (size_t i = known->parts.start[signature];
		     i < known->parts.start[signature + 1]; i++) {
			uint32_t p = known->parts.at[i];

			if (known->is_covered[p] || known->stamp[p] == known->n_stamps)
				continue;
			known->stamp[p] = known->n_stamps;
			gain_ns += input->part_ns[p];
		}
	}
	return gain_ns;
}

/* ---- The best signature not seen yet ---- */

/* A stream that has the signature; its gain may have become less since it was worked out. */
struct candidate {
	int64_t gain_ns, cost_ns;
	uint32_t stream;
};

struct search {
	struct lode_arena arena; /* of the arrays */
	struct known *known;
	struct lists streams;	/* per signature: that show it and are not opened */
	int64_t *total_ns;	/* per signature, for ties */
	int64_t *bound_ns;	/* per stream: it adds no more than that */
	bool *is_taken;		/* per stream */
	struct candidate *heap; /* room for all streams */
	size_t n_heap;
};

static int64_t cost_in(const struct lode_order_input *input, uint32_t stream, uint32_t signature)
{
	size_t from = input->sight_start[stream], to = input->sight_start[stream + 1];

	while (from < to && input->sights[from].signature != signature)
		from++;
	return from < to ? input->sights[from].cost_ns : 0;
}

/* The signature that adds most; ties by its whole cost, then by number. LODE_NONE: all are seen, or
   in no stream that is left. */
static uint32_t best_signature(const struct search *search)
{
	const struct known *known = search->known;
	uint32_t best = LODE_NONE;

	for (size_t s = 0; s < known->input->n_signatures; s++) {
		if (known->is_seen[s] || search->streams.start[s] == search->streams.start[s + 1])
			continue;
		if (best == LODE_NONE || known->gain_ns[s] > known->gain_ns[best] ||
		    (known->gain_ns[s] == known->gain_ns[best] &&
		     search->total_ns[s] > search->total_ns[best]))
			best = (uint32_t)s;
	}
	return best;
}

static bool is_before(const struct candidate *a, const struct candidate *b)
{
	if (a->gain_ns != b->gain_ns)
		return a->gain_ns > b->gain_ns;
	if (a->cost_ns != b->cost_ns)
		return a->cost_ns > b->cost_ns;
	return a->stream < b->stream;
}

static void sink(struct candidate *heap, size_t n, size_t i)
{
	for (;;) {
		size_t child = 2 * i + 1;
		struct candidate swapped;

		if (child >= n)
			return;
		if (child + 1 < n && is_before(&heap[child + 1], &heap[child]))
			child++;
		if (!is_before(&heap[child], &heap[i]))
			return;
		swapped = heap[i];
		heap[i] = heap[child];
		heap[child] = swapped;
		i = child;
	}
}

/*
 * Of the streams with the signature, the one that adds most. What a stream adds only falls, so what
 * it was last time is a bound: the first whose fresh sum is no less than the next one's bound is
 * the best ("lazy greedy", Minoux 1978).
 */
static uint32_t best_stream(struct search *search, uint32_t signature)
{
	size_t n = 0;

	for (size_t i = search->streams.start[signature]; i < search->streams.start[signature + 1];
	     i++) {
		uint32_t stream = search->streams.at[i];

		search->heap[n++] =
			(struct candidate){search->bound_ns[stream],
					   cost_in(search->known->input, stream, signature),
					   stream};
	}
	for (size_t i = n / 2; i > 0; i--)
		sink(search->heap, n, i - 1);
	for (;;) {
		struct candidate *top = &search->heap[0];
		int64_t gain_ns = stream_gain(search->known, top->stream);

		if (gain_ns == top->gain_ns)
			return top->stream;
		search->bound_ns[top->stream] = top->gain_ns = gain_ns;
		sink(search->heap, n, 0);
	}
}

static void search_init(struct search *search, struct known *known)
{
	const struct lode_order_input *input = known->input;

	memset(search, 0, sizeof(*search));
	search->known = known;
	streams_by_signature(&search->streams, input);
	search->total_ns = lode_arena_array0(&search->arena, int64_t, input->n_signatures);
	search->bound_ns = lode_arena_array0(&search->arena, int64_t, input->n_streams);
	search->is_taken = lode_arena_array0(&search->arena, bool, input->n_streams);
	search->heap = lode_arena_array(&search->arena, struct candidate, input->n_streams);
	for (size_t p = 0; p < input->n_parts; p++)
		for (size_t k = input->part_start[p]; k < input->part_start[p + 1]; k++)
			search->total_ns[input->part_signatures[k]] += input->part_ns[p];
	for (size_t i = 0; i < input->n_streams; i++) {
		search->is_taken[i] = input->streams[i].is_opened;
		for (size_t k = input->sight_start[i]; k < input->sight_start[i + 1]; k++)
			if (!known->is_seen[input->sights[k].signature])
				search->bound_ns[i] += known->gain_ns[input->sights[k].signature];
	}
}

static void search_release(struct search *search)
{
	lists_release(&search->streams);
	lode_arena_release(&search->arena);
}

/* ---- Orders by a number ---- */

struct sorting {
	const struct lode_order_input *input;
	int64_t (*value)(const struct lode_order_stream *stream);
};

static int64_t total_of(const struct lode_order_stream *stream)
{
	return stream->symptom_ns;
}

static int64_t longest_of(const struct lode_order_stream *stream)
{
	return stream->longest_ns;
}

static int64_t unexplained_of(const struct lode_order_stream *stream)
{
	return stream->symptom_ns - stream->covered_ns;
}

LODE_COMPARE_WITH(largest_first, uint32_t, const struct sorting *sorting,
		  LODE_ORDER(sorting->value(&sorting->input->streams[*b]),
			     sorting->value(&sorting->input->streams[*a]))
			  ?: LODE_ORDER(*a, *b))

static void add_step(struct lode_stream_order *out, struct known *known, uint32_t stream,
		     uint32_t signature)
{
	struct lode_order_step step = {.stream = stream, .signature = signature};

	step.n_new = open_stream(known, stream);
	step.covered_ns = known->covered_ns;
	lode_vec_append(&out->steps, step);
}

/* The streams not taken yet, the largest value first, up to `most` steps in all. */
static void add_sorted(struct lode_stream_order *out, struct known *known, const bool *is_taken,
		       int64_t (*value)(const struct lode_order_stream *stream), size_t most)
{
	struct sorting sorting = {known->input, value};
	size_t n = 0;
	uint32_t *order = lode_alloc(known->input->n_streams * sizeof(*order));

	for (size_t i = 0; i < known->input->n_streams; i++)
		if (!is_taken[i])
			order[n++] = (uint32_t)i;
	lode_sort_r(order, n, largest_first, &sorting);
	for (size_t i = 0; i < n && out->steps.n < most; i++)
		add_step(out, known, order[i], LODE_NONE);
	free(order);
}

void lode_stream_order_build(struct lode_stream_order *out, const struct lode_order_input *input,
			     enum lode_order_kind kind, size_t most)
{
	struct known known;
	struct search search;
	uint32_t signature;

	known_init(&known, input);
	search_init(&search, &known);
	out->start_ns = known.covered_ns;
	for (size_t s = 0; s < input->n_signatures; s++)
		out->n_seen += known.is_seen[s];
	if (most == 0)
		most = input->n_streams;
	while (kind == LODE_ORDER_BEST && out->steps.n < most &&
	       (signature = best_signature(&search)) != LODE_NONE) {
		uint32_t stream = best_stream(&search, signature);

		search.is_taken[stream] = true;
		add_step(out, &known, stream, signature);
	}
	add_sorted(out, &known, search.is_taken,
		   kind == LODE_ORDER_BEST    ? unexplained_of
		   : kind == LODE_ORDER_TOTAL ? total_of
					      : longest_of,
		   most);
	search_release(&search);
	known_release(&known);
}

void lode_stream_order_release(struct lode_stream_order *order)
{
	lode_vec_release(&order->steps);
	memset(order, 0, sizeof(*order));
}

/* ---- Any order ---- */

/* Streams that show any signature of part `p`. */
static size_t streams_of_part(const struct lode_order_input *input, const struct lists *streams,
			      size_t p, uint32_t *stamp)
{
	size_t n = 0;

	for (size_t k = input->part_start[p]; k < input->part_start[p + 1]; k++) {
		uint32_t s = input->part_signatures[k];

		for (size_t i = streams->start[s]; i < streams->start[s + 1]; i++) {
			n += stamp[streams->at[i]] != p + 1;
			stamp[streams->at[i]] = (uint32_t)p + 1;
		}
	}
	return n;
}

void lode_stream_order_random(double *covered_ns, const struct lode_order_input *input)
{
	struct known known;
	struct lists streams;
	uint32_t *stamp = lode_alloc0(input->n_streams, sizeof(*stamp));
	double *cost_of; /* per number of streams: cost of the parts that so many show */
	size_t n = 0;

	known_init(&known, input);
	streams_by_signature(&streams, input);
	for (size_t i = 0; i < input->n_streams; i++)
		n += !input->streams[i].is_opened;
	cost_of = lode_alloc0(n + 1, sizeof(*cost_of));
	for (size_t p = 0; p < input->n_parts; p++)
		if (!known.is_covered[p])
			cost_of[streams_of_part(input, &streams, p, stamp)] +=
				(double)input->part_ns[p];
	for (size_t k = 0; k <= n; k++)
		covered_ns[k] = (double)known.covered_ns;
	for (size_t d = 1; d <= n; d++) {
		double none = 1; /* that none of the first k streams shows it */

		if (cost_of[d] <= 0)
			continue;
		for (size_t k = 1; k <= n; k++) {
			none *= k <= n - d ? (double)(n - d - (k - 1)) / (double)(n - (k - 1)) : 0;
			covered_ns[k] += cost_of[d] * (1 - none);
		}
	}
	free(cost_of);
	free(stamp);
	lists_release(&streams);
	known_release(&known);
}
