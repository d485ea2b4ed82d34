/* Distribution of the durations of each function's calls. */
#include "model/call_spread.h"

#include "base/pool.h"
#include "base/sorted.h"
#include "model/call_cursor.h"

enum {
	/* Values of one bucket that are kept and looked through; where there are more, parts of the
	   bucket are counted first. */
	kept_max = 16 << 10,
	n_parts = 4096,
	/* From so many calls on a function has all of its buckets (15 KB). */
	few_max = 256,
};

/* The least value of a bucket. */
static uint64_t start_of_bucket(uint32_t bucket)
{
	uint32_t shift = bucket >> LODE_SPREAD_BITS;
	uint64_t low = bucket & ((1u << LODE_SPREAD_BITS) - 1);

	return shift ? (low | 1u << LODE_SPREAD_BITS) << (shift - 1) : low;
}

void lode_call_buckets_release(struct lode_call_buckets *buckets)
{
	for (size_t i = 0; i < buckets->at.n; i++) {
		free(buckets->at.at[i].counts);
		lode_vec_release(&buckets->at.at[i].few);
	}
	lode_vec_release(&buckets->at);
}

static struct lode_bucket_counts *counts_of(struct lode_call_buckets *buckets, uint32_t function)
{
	while (buckets->at.n <= function)
		lode_vec_append(&buckets->at, ((struct lode_bucket_counts){0}));
	return &buckets->at.at[function];
}

static void count_in_full(struct lode_bucket_counts *c)
{
	if (c->counts)
		return;
	c->counts = lode_alloc0(LODE_SPREAD_BUCKETS, sizeof(*c->counts));
	for (size_t i = 0; i < c->few.n; i++)
		c->counts[c->few.at[i]]++;
	lode_vec_release(&c->few);
}

void lode_call_buckets_add_few(struct lode_call_buckets *buckets, uint32_t function,
			       uint32_t bucket)
{
	struct lode_bucket_counts *c = counts_of(buckets, function);

	lode_vec_append(&c->few, (uint16_t)bucket);
	if (c->few.n == few_max)
		count_in_full(c);
}

/* A quantile that is looked for: the value with `rank` values of its function's before it. It is
   one of the `n` in [low, low + width), with `before` values below. */
struct search {
	uint64_t rank, before, n, low, width;
	uint32_t function;
	int64_t *found;
};

struct kept {
	uint32_t search;
	uint64_t value;
};

/* What one of our threads has seen of the calls. */
struct counting {
	struct lode_call_cursor cursor;
	bool is_open;
	LODE_VEC(struct kept) kept;
	uint64_t **parts; /* by search: counts of parts, or NULL */
	size_t n_parts;
	int64_t *min, *max; /* by function */
};

struct searches {
	struct lode_call_trace *trace;
	LODE_VEC(struct search) at;
	uint32_t *first_of; /* by function: first search that is open; LODE_NONE */
	struct counting *workers;
	struct lode_pool_failure *failures; /* by worker */
	unsigned n_workers;
};

/* ---- The buckets of all workers ---- */

static void merge(struct lode_call_buckets *to, const struct lode_call_buckets *from)
{
	for (uint32_t f = 0; f < from->at.n; f++) {
		const struct lode_bucket_counts *c = &from->at.at[f];

		if (c->counts) {
			count_in_full(counts_of(to, f));
			for (size_t k = 0; k < LODE_SPREAD_BUCKETS; k++)
				to->at.at[f].counts[k] += c->counts[k];
		}
		for (size_t k = 0; k < c->few.n; k++)
			lode_call_buckets_add(to, f, start_of_bucket(c->few.at[k]));
	}
}

/* Nearest rank, from 0: the least value that `per_cent` of all do not exceed. */
static uint64_t rank_of(uint64_t n, unsigned per_cent)
{
	return (uint64_t)(((unsigned __int128)n * per_cent + 99) / 100) - 1;
}

LODE_COMPARE(by_bucket, uint16_t, *a - *b)

/* The bucket that has `rank`; few calls are in order of their buckets. */
static struct search find_bucket(const struct lode_bucket_counts *c, uint64_t rank)
{
	struct search s = {.rank = rank};
	uint32_t bucket = 0;

	if (c->counts) {
		for (; s.before + c->counts[bucket] <= rank; bucket++)
			s.before += c->counts[bucket];
		s.n = c->counts[bucket];
	} else {
		bucket = c->few.at[rank];
		for (s.before = rank; s.before && c->few.at[s.before - 1] == bucket;)
			s.before--;
		while (s.before + s.n < c->few.n && c->few.at[s.before + s.n] == bucket)
			s.n++;
	}
	s.low = start_of_bucket(bucket);
	s.width = start_of_bucket(bucket + 1) - s.low;
	return s;
}

static void begin_quantile(struct searches *all, const struct lode_bucket_counts *c,
			   uint32_t function, unsigned per_cent, int64_t *found)
{
	struct search s = find_bucket(c, rank_of(all->trace->spreads.at[function].n, per_cent));

	s.function = function;
	s.found = found;
	*found = (int64_t)s.low;
	if (s.width > 1)
		lode_vec_append(&all->at, s);
}

static void begin_searches(struct searches *all, struct lode_call_buckets *buckets)
{
	for (uint32_t f = 0; f < buckets->at.n; f++) {
		struct lode_call_spread *spread = &all->trace->spreads.at[f];
		struct lode_bucket_counts *c = &buckets->at.at[f];

		spread->n = c->few.n;
		for (size_t i = 0; c->counts && i < LODE_SPREAD_BUCKETS; i++)
			spread->n += c->counts[i];
		if (!spread->n)
			continue;
		if (c->few.n)
			qsort(c->few.at, c->few.n, sizeof(*c->few.at), by_bucket);
		begin_quantile(all, c, f, 50, &spread->median_ns);
		begin_quantile(all, c, f, 99, &spread->p99_ns);
	}
}

/* ---- One pass over the calls ---- */

static void count_call(struct counting *c, const struct searches *all, uint32_t function,
		       int64_t duration_ns)
{
	uint64_t value = (uint64_t)duration_ns;

	if (duration_ns < c->min[function])
		c->min[function] = duration_ns;
	if (duration_ns > c->max[function])
		c->max[function] = duration_ns;
	for (uint32_t i = all->first_of[function];
	     i < all->at.n && all->at.at[i].function == function; i++) {
		const struct search *s = &all->at.at[i];

		if (value - s->low >= s->width)
			continue;
		if (c->parts[i])
			c->parts[i][(unsigned __int128)(value - s->low) * n_parts / s->width]++;
		else
			lode_vec_append(&c->kept, ((struct kept){i, value}));
	}
}

static void count_thread(void *context, size_t index, unsigned worker)
{
	struct searches *all = context;
	struct counting *c = &all->workers[worker];
	const struct lode_call_thread *thread = all->trace->threads.at[index];
	struct lode_call_run run;
	uint64_t at = 0;

	if (!c->is_open)
		lode_call_cursor_init(&c->cursor, all->trace, thread);
	c->is_open = true;
	lode_call_cursor_move(&c->cursor, thread);
	while (lode_call_cursor_next(&run, &c->cursor, &at, thread->n_calls) > 0)
		for (size_t i = 0; i < run.n; i++)
			count_call(c, all, lode_call_function(thread, run.at[i].stack),
				   run.at[i].duration_ns);
	lode_pool_note(&all->failures[worker], index, c->cursor.rc, &c->cursor.err);
}

static void start_worker(struct counting *c, const struct searches *all)
{
	size_t n_functions = all->trace->spreads.n;

	memset(c, 0, sizeof(*c));
	c->n_parts = all->at.n;
	c->parts = lode_alloc0(all->at.n, sizeof(*c->parts));
	for (size_t i = 0; i < all->at.n; i++)
		if (all->at.at[i].n > kept_max)
			c->parts[i] = lode_alloc0(n_parts, sizeof(**c->parts));
	c->min = lode_alloc(n_functions * sizeof(*c->min));
	c->max = lode_alloc(n_functions * sizeof(*c->max));
	for (size_t f = 0; f < n_functions; f++) {
		c->min[f] = INT64_MAX;
		c->max[f] = -1;
	}
}

static void end_worker(struct counting *c)
{
	for (size_t i = 0; i < c->n_parts; i++)
		free(c->parts[i]);
	free(c->parts);
	free(c->min);
	free(c->max);
	lode_vec_release(&c->kept);
	if (c->is_open)
		lode_call_cursor_release(&c->cursor);
}

/* ---- What a pass has found ---- */

static void swap(uint64_t *a, uint64_t *b)
{
	uint64_t kept = *a;

	*a = *b;
	*b = kept;
}

/* The value that would stand at `rank` if the values were sorted; moves them. */
static uint64_t value_at_rank(uint64_t *values, size_t n, size_t rank)
{
	size_t from = 0, to = n;

	while (to - from > 1) {
		/* The middle one of three; then those equal to it in the middle, so that many equal
		   values are no worst case. */
		uint64_t a = values[from], b = values[from + (to - from) / 2], c = values[to - 1];
		uint64_t pivot = a < b ? (b < c ? b : a < c ? c : a) : (a < c ? a : b < c ? c : b);
		size_t low = from, high = to;

		for (size_t i = from; i < high;) {
			if (values[i] < pivot)
				swap(&values[i++], &values[low++]);
			else if (values[i] > pivot)
				swap(&values[i], &values[--high]);
			else
				i++;
		}
		if (rank >= low && rank < high)
			return pivot;
		if (rank < low)
			to = low;
		else
			from = high;
	}
	return values[from];
}

/* The kept values of all workers, by search; search i has those from ends[i - 1] on. */
static uint64_t *gather_kept(const struct searches *all, size_t *ends)
{
	size_t n = 0, *next = lode_alloc0(all->at.n + 1, sizeof(*next));
	uint64_t *values;

	for (unsigned w = 0; w < all->n_workers; n += all->workers[w++].kept.n)
		for (size_t k = 0; k < all->workers[w].kept.n; k++)
			next[all->workers[w].kept.at[k].search + 1]++;
	for (size_t i = 0; i < all->at.n; i++)
		next[i + 1] += next[i];
	values = lode_alloc(n * sizeof(*values));
	for (unsigned w = 0; w < all->n_workers; w++)
		for (size_t k = 0; k < all->workers[w].kept.n; k++)
			values[next[all->workers[w].kept.at[k].search]++] =
				all->workers[w].kept.at[k].value;
	memcpy(ends, next, all->at.n * sizeof(*ends));
	free(next);
	return values;
}

/* The first value that falls into a part. */
static uint64_t part_start(const struct search *s, uint64_t part)
{
	return s->low + (uint64_t)(((unsigned __int128)part * s->width + n_parts - 1) / n_parts);
}

static void narrow(struct searches *all, uint32_t i)
{
	struct search *s = &all->at.at[i];
	uint64_t part = 0, n = 0, low;

	for (;; part++) {
		n = 0;
		for (unsigned w = 0; w < all->n_workers; w++)
			n += all->workers[w].parts[i][part];
		if (s->before + n > s->rank || part == n_parts - 1)
			break;
		s->before += n;
	}
	low = part_start(s, part);
	s->width = part_start(s, part + 1) - low;
	s->low = low;
	s->n = n;
	*s->found = (int64_t)low;
}

static void take_extremes(struct searches *all)
{
	for (unsigned w = 0; w < all->n_workers; w++) {
		for (size_t f = 0; f < all->trace->spreads.n; f++) {
			struct lode_call_spread *spread = &all->trace->spreads.at[f];

			if (all->workers[w].max[f] < 0)
				continue;
			if (all->workers[w].min[f] < spread->min_ns)
				spread->min_ns = all->workers[w].min[f];
			if (all->workers[w].max[f] > spread->max_ns)
				spread->max_ns = all->workers[w].max[f];
		}
	}
}

static void take_results(struct searches *all)
{
	size_t *ends = lode_alloc0(all->at.n + 1, sizeof(*ends)), n_left = 0;
	uint64_t *values = gather_kept(all, ends);

	take_extremes(all);
	for (uint32_t i = 0; i < all->at.n; i++) {
		struct search *s = &all->at.at[i];
		size_t from = i ? ends[i - 1] : 0;

		if (all->workers[0].parts[i]) {
			narrow(all, i);
		} else if (s->rank - s->before < ends[i] - from) {
			*s->found = (int64_t)value_at_rank(values + from, ends[i] - from,
							   s->rank - s->before);
			s->width = 1;
		}
	}
	for (size_t i = 0; i < all->at.n; i++)
		if (all->at.at[i].width > 1)
			all->at.at[n_left++] = all->at.at[i];
	all->at.n = n_left;
	free(ends);
	free(values);
}

static int pass(struct searches *all, struct lode_error *err)
{
	size_t n_threads = all->trace->threads.n;
	int rc;

	for (uint32_t f = 0; f < all->trace->spreads.n; f++)
		all->first_of[f] = LODE_NONE;
	for (size_t i = all->at.n; i-- > 0;)
		all->first_of[all->at.at[i].function] = (uint32_t)i;
	for (unsigned w = 0; w < all->n_workers; w++)
		start_worker(&all->workers[w], all);
	lode_pool_run(all->n_workers, n_threads, count_thread, all);
	rc = lode_pool_first_failure(all->failures, all->n_workers, err);
	if (rc == LODE_OK)
		take_results(all);
	for (unsigned w = 0; w < all->n_workers; w++)
		end_worker(&all->workers[w]);
	return rc;
}

/* Numbers of calls and their time are in the sums of each thread's widest span. */
static int add_totals(struct lode_call_trace *trace, struct lode_error *err)
{
	struct lode_call_sums sums = {0};
	int rc = LODE_OK;

	for (size_t i = 0; i < trace->threads.n && rc == LODE_OK; i++) {
		const struct lode_call_thread *thread = trace->threads.at[i];
		struct lode_call_cursor cursor;

		lode_call_cursor_init(&cursor, trace, thread);
		lode_call_sums_reserve(&sums, thread->stacks.at.n);
		lode_call_sums_clear(&sums);
		rc = lode_call_sum_range(&sums, &cursor, 0, thread->n_calls);
		for (size_t k = 0; k < sums.at.n; k++)
			trace->spreads.at[lode_call_function(thread, sums.at.at[k].stack)]
				.total_ns += sums.at.at[k].ns;
		if (rc < 0 && err)
			*err = cursor.err;
		lode_call_cursor_release(&cursor);
	}
	lode_call_sums_release(&sums);
	return rc;
}

int lode_call_spreads_make(struct lode_call_trace *trace, struct lode_call_buckets *buckets,
			   size_t n, unsigned n_threads, struct lode_error *err)
{
	struct searches all = {.trace = trace, .n_workers = n_threads};
	size_t n_functions = trace->functions.frames.n;
	int rc;

	lode_vec_reserve(&trace->spreads, n_functions);
	for (size_t f = 0; f < n_functions; f++)
		lode_vec_append(&trace->spreads,
				((struct lode_call_spread){.min_ns = INT64_MAX, .max_ns = -1}));
	for (size_t i = 1; i < n; i++)
		merge(&buckets[0], &buckets[i]);
	begin_searches(&all, &buckets[0]);
	all.first_of = lode_alloc(n_functions * sizeof(*all.first_of));
	all.workers = lode_alloc0(n_threads, sizeof(*all.workers));
	all.failures = lode_alloc0(n_threads, sizeof(*all.failures));
	rc = add_totals(trace, err);
	/* Once at least: for the shortest and the longest. */
	if (rc == LODE_OK)
		rc = pass(&all, err);
	while (rc == LODE_OK && all.at.n)
		rc = pass(&all, err);
	for (size_t f = 0; f < n_functions; f++)
		if (!trace->spreads.at[f].n)
			trace->spreads.at[f].min_ns = trace->spreads.at[f].max_ns = 0;
	free(all.first_of);
	free(all.workers);
	free(all.failures);
	lode_vec_release(&all.at);
	return rc;
}
