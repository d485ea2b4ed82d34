/* Counts executions by metric, stack, set and label. */
#include "engine/suspects/tally.h"

/* ---- The k-th smallest ---- */

enum { bucket_bits = 11 };

static unsigned bits_of(uint64_t x)
{
	return x ? 64 - (unsigned)__builtin_clzll(x) : 0;
}

void lode_order_init(struct lode_order_statistic *order, uint64_t least, uint64_t largest,
		     uint64_t rank)
{
	unsigned bits = bits_of(largest - least);

	order->low = least;
	order->shift = bits > bucket_bits ? bits - bucket_bits : 0;
	order->rank = rank;
	order->counts = lode_alloc0(LODE_ORDER_BUCKETS, sizeof(*order->counts));
}

static void order_release(struct lode_order_statistic *order)
{
	free(order->counts);
	order->counts = NULL;
}

bool lode_order_end_pass(struct lode_order_statistic *order)
{
	uint64_t bucket = 0;

	while (bucket + 1 < LODE_ORDER_BUCKETS && order->rank >= order->counts[bucket])
		order->rank -= order->counts[bucket++];
	order->low += bucket << order->shift;
	if (order->shift == 0) {
		order_release(order);
		return true;
	}
	order->shift = order->shift > bucket_bits ? order->shift - bucket_bits : 0;
	memset(order->counts, 0, LODE_ORDER_BUCKETS * sizeof(*order->counts));
	return false;
}

/* ---- Both passes ---- */

static const char syscall_prefix[] = "syscall:";

/* ---- Metrics ---- */

static uint32_t add_metric(struct lode_tally *tally, const char *name, const char *unit)
{
	struct lode_tally_metric *m = lode_vec_append_zero(&tally->metrics);

	m->name = name;
	m->unit = unit;
	return (uint32_t)(tally->metrics.n - 1);
}

static void map_metrics(struct lode_tally *tally)
{
	const struct lode_execution_set *set = tally->set;
	uint32_t pooled = LODE_NONE;

	tally->metric_of = lode_alloc(set->metrics.n * sizeof(*tally->metric_of));
	for (uint32_t i = 0; i < set->metrics.n; i++) {
		const struct lode_metric *from = &set->metrics.at[i];
		bool is_syscall = strncmp(from->name, syscall_prefix, 8) == 0;
		uint32_t to;

		if (tally->options.pooled && is_syscall) {
			if (pooled == LODE_NONE)
				pooled = add_metric(tally, "syscall:*", from->unit);
			to = pooled;
		} else {
			to = add_metric(tally, from->name, from->unit);
		}
		tally->metric_of[i] = to;
		for (unsigned k = 0; k < LODE_N_EXECUTION_LOSSES; k++)
			tally->metrics.at[to].losses[k] += from->losses[k];
	}
}

/* ---- Pass 1 ---- */

static void measure_tally(void *context, const struct lode_execution *at, size_t n)
{
	struct lode_tally *tally = context;

	for (size_t i = 0; i < n; i++) {
		struct lode_tally_metric *m = &tally->metrics.at[tally->metric_of[at[i].metric]];
		enum lode_side side = lode_tally_side(tally, at[i].stream);

		lode_moments_add(&m->moments[side], at[i].value);
		if (!m->histogram[side])
			m->histogram[side] = lode_alloc0(1, sizeof(*m->histogram[side]));
		m->histogram[side]->n[lode_latency_bucket((uint64_t)at[i].value)]++;
	}
}

/* ---- Median and MAD ---- */

/*
 * Both middle values of the values, then of their distances from the median, of all metrics at
 * once. Distances are doubled: the median may lie between two integers.
 */
struct robust {
	struct lode_tally *tally;
	enum lode_side side;
	struct lode_robust *of; /* by metric */
	struct lode_order_statistic (*middles)[2];
	bool of_distances;
};

static uint64_t distance2(uint64_t value, lode_u128 median2)
{
	lode_u128 twice = (lode_u128)value * 2;

	return (uint64_t)(twice > median2 ? twice - median2 : median2 - twice);
}

static void select_middles(void *context, const struct lode_execution *at, size_t n)
{
	struct robust *r = context;

	for (size_t i = 0; i < n; i++) {
		uint32_t m = r->tally->metric_of[at[i].metric];
		uint64_t value = (uint64_t)at[i].value;

		if (lode_tally_side(r->tally, at[i].stream) != r->side)
			continue;
		if (r->of_distances)
			value = distance2(value, r->of[m].median2);
		for (unsigned k = 0; k < 2; k++) {
			if (r->middles[m][k].counts)
				lode_order_add(&r->middles[m][k], value);
		}
	}
}

/* Passes until both middle values of every metric are known. */
static int run_selection(struct robust *r, struct lode_error *err)
{
	bool is_done = false;

	while (!is_done) {
		int rc = lode_execution_set_each(r->tally->set, select_middles, r, err);

		if (rc < 0)
			return rc;
		is_done = true;
		for (size_t m = 0; m < r->tally->metrics.n; m++) {
			for (unsigned k = 0; k < 2; k++) {
				if (r->middles[m][k].counts &&
				    !lode_order_end_pass(&r->middles[m][k]))
					is_done = false;
			}
		}
	}
	return 0;
}

static void start_selection(struct robust *r)
{
	for (size_t m = 0; m < r->tally->metrics.n; m++) {
		const struct lode_moments *moments = &r->tally->metrics.at[m].moments[r->side];
		uint64_t least = moments->least, largest = moments->largest, a, b;

		if (!moments->n)
			continue;
		if (r->of_distances) {
			a = distance2(least, r->of[m].median2);
			b = distance2(largest, r->of[m].median2);
			least = 0;
			largest = a > b ? a : b;
		}
		lode_order_init(&r->middles[m][0], least, largest, (moments->n - 1) / 2);
		lode_order_init(&r->middles[m][1], least, largest, moments->n / 2);
	}
}

static void sum_distances(void *context, const struct lode_execution *at, size_t n)
{
	struct robust *r = context;

	for (size_t i = 0; i < n; i++) {
		struct lode_robust *of = &r->of[r->tally->metric_of[at[i].metric]];

		if (lode_tally_side(r->tally, at[i].stream) == r->side)
			of->distances2 += distance2((uint64_t)at[i].value, of->median2);
	}
}

static int measure_robustly(struct robust *r, struct lode_error *err)
{
	size_t n = r->tally->metrics.n;
	int rc;

	start_selection(r);
	rc = run_selection(r, err);
	if (rc < 0)
		return rc;
	for (size_t m = 0; m < n; m++)
		r->of[m].median2 = (lode_u128)r->middles[m][0].low + r->middles[m][1].low;
	r->of_distances = true;
	start_selection(r);
	rc = run_selection(r, err);
	if (rc < 0)
		return rc;
	for (size_t m = 0; m < n; m++)
		r->of[m].mad4 = (lode_u128)r->middles[m][0].low + r->middles[m][1].low;
	return lode_execution_set_each(r->tally->set, sum_distances, r, err);
}

static int set_robust_thresholds(struct lode_tally *tally, enum lode_side side,
				 struct lode_error *err)
{
	size_t n = tally->metrics.n;
	struct robust r = {.tally = tally, .side = side};
	int rc;

	r.of = lode_alloc0(n, sizeof(*r.of));
	r.middles = lode_alloc0(n, sizeof(*r.middles));
	rc = measure_robustly(&r, err);
	for (size_t m = 0; m < n; m++) {
		r.of[m].n = tally->metrics.at[m].moments[side].n;
		if (rc == 0 && r.of[m].n)
			tally->metrics.at[m].thresholds = lode_thresholds_robust(&r.of[m]);
		order_release(&r.middles[m][0]);
		order_release(&r.middles[m][1]);
	}
	free(r.of);
	free(r.middles);
	return rc;
}

/* ---- Thresholds ---- */

static int set_thresholds(struct lode_tally *tally, struct lode_error *err)
{
	enum lode_side side = tally->options.source == LODE_THRESHOLDS_OTHER ? LODE_SIDE_OTHER
									     : LODE_SIDE_SUBJECT;
	const struct lode_threshold_rule *rule = NULL;
	int rc = 0;

	if (tally->options.robust)
		rc = set_robust_thresholds(tally, side, err);
	for (size_t i = 0; i < tally->metrics.n; i++) {
		struct lode_tally_metric *m = &tally->metrics.at[i];

		m->is_labelled = m->moments[side].n > 0;
		if (m->is_labelled && !tally->options.robust)
			m->thresholds = lode_thresholds_of(&m->moments[side]);
		if (tally->options.by_hand)
			rule = lode_threshold_rule_find(tally->options.by_hand, m->name);
		if (rule) {
			m->thresholds = rule->thresholds;
			m->is_labelled = true;
		}
	}
	return rc;
}

/* ---- Pass 2 ---- */

static struct lode_tally_row *row_of(struct lode_tally *tally, uint32_t metric, uint32_t stack,
				     enum lode_side side)
{
	uint64_t key = (uint64_t)metric << 33 | (uint64_t)side << 32 | stack;
	uint32_t slot = lode_map_number(&tally->row_index, key, tally->rows.n);
	struct lode_tally_row *row;

	if (slot < tally->rows.n)
		return &tally->rows.at[slot];
	row = lode_vec_append_zero(&tally->rows);
	row->metric = metric;
	row->stack = stack;
	row->side = side;
	return row;
}

static void count_tally(void *context, const struct lode_execution *at, size_t n)
{
	struct lode_tally *tally = context;

	for (size_t i = 0; i < n; i++) {
		uint32_t metric = tally->metric_of[at[i].metric];
		struct lode_tally_metric *m = &tally->metrics.at[metric];
		enum lode_side side = lode_tally_side(tally, at[i].stream);
		struct lode_tally_row *row = row_of(tally, metric, at[i].stack, side);
		enum lode_label label;

		lode_moments_add(&row->moments, at[i].value);
		if (!m->is_labelled)
			continue;
		label = lode_label_of(at[i].value, &m->thresholds);
		m->n[side][label]++;
		row->n[label]++;
		if (label != LODE_LABEL_FAILED)
			continue;
		row->failed_sum += (uint64_t)at[i].value;
		if (side == LODE_SIDE_SUBJECT)
			m->failed_sum += (uint64_t)at[i].value;
	}
}

static bool has_calls_of(const struct lode_tally *tally, const char *prefix)
{
	for (size_t i = 0; i < tally->metrics.n; i++) {
		const struct lode_tally_metric *m = &tally->metrics.at[i];

		if (!strncmp(m->name, prefix, strlen(prefix)) &&
		    m->moments[LODE_SIDE_SUBJECT].n + m->moments[LODE_SIDE_OTHER].n)
			return true;
	}
	return false;
}

static void find_counted(struct lode_tally *tally)
{
	const char *prefix = has_calls_of(tally, syscall_prefix) ? syscall_prefix
			     : has_calls_of(tally, "offcpu:")	 ? "offcpu:"
								 : "";

	for (size_t i = 0; i < tally->metrics.n; i++)
		tally->metrics.at[i].is_counted =
			!strncmp(tally->metrics.at[i].name, prefix, strlen(prefix)) &&
			!strcmp(tally->metrics.at[i].unit, "ns");
}

static void find_one_sided(struct lode_tally *tally)
{
	enum { least_n = 30 }; /* of fewer calls some lack a stack by chance */
	uint64_t(*with)[LODE_N_SIDES] = lode_alloc0(tally->metrics.n + 1, sizeof(*with));

	for (size_t i = 0; i < tally->rows.n; i++) {
		const struct lode_tally_row *row = &tally->rows.at[i];

		if (row->stack)
			with[row->metric][row->side] += row->moments.n;
	}
	for (size_t i = 0; i < tally->metrics.n; i++) {
		struct lode_tally_metric *m = &tally->metrics.at[i];
		double n_a = (double)m->moments[LODE_SIDE_SUBJECT].n;
		double n_b = (double)m->moments[LODE_SIDE_OTHER].n;
		double a = (double)with[i][LODE_SIDE_SUBJECT] * n_b;
		double b = (double)with[i][LODE_SIDE_OTHER] * n_a;

		m->is_one_sided = n_a >= least_n && n_b >= least_n && (2 * a < b || 2 * b < a);
	}
	free(with);
}

int lode_tally_build(struct lode_tally *tally, struct lode_execution_set *set,
		     const struct lode_tally_options *options, struct lode_error *err)
{
	int rc;

	memset(tally, 0, sizeof(*tally));
	tally->set = set;
	tally->options = *options;
	map_metrics(tally);
	rc = lode_execution_set_each(set, measure_tally, tally, err);
	if (rc == 0)
		rc = set_thresholds(tally, err);
	if (rc == 0)
		rc = lode_execution_set_each(set, count_tally, tally, err);
	find_counted(tally);
	if (rc == 0)
		find_one_sided(tally);
	if (rc < 0)
		lode_tally_release(tally);
	return rc;
}

void lode_tally_release(struct lode_tally *tally)
{
	for (size_t i = 0; i < tally->metrics.n; i++) {
		for (unsigned side = 0; side < LODE_N_SIDES; side++)
			free(tally->metrics.at[i].histogram[side]);
	}
	lode_vec_release(&tally->metrics);
	lode_vec_release(&tally->rows);
	lode_map_release(&tally->row_index);
	free(tally->metric_of);
	memset(tally, 0, sizeof(*tally));
}
