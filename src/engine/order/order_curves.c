/* Coverage by number of opened recordings, for each order (StackMine, Figure 4). */
#include "engine/order/order_curves.h"

/* The smallest k with covered_ns[k] >= target_ns; n if there is none. */
static size_t needed_for(const double *covered_ns, size_t n, double target_ns)
{
	size_t from = 0, to = n;

	while (from < to) {
		size_t middle = from + (to - from) / 2;

		if (covered_ns[middle] >= target_ns)
			to = middle;
		else
			from = middle + 1;
	}
	return from;
}

static void add_level(struct lode_order_curves *curves, double target_ns)
{
	struct lode_curve_level level = {
		.share = target_ns / (double)curves->symptom_ns,
		.covered_ns = target_ns,
	};

	/* Expectations are sums of doubles: half a nanosecond is none. */
	for (unsigned c = 0; c < LODE_N_CURVES; c++)
		level.needed[c] = needed_for(curves->covered_ns[c], curves->n, target_ns - 0.5);
	lode_vec_append(&curves->levels, level);
}

static void find_levels(struct lode_order_curves *curves)
{
	const double *best = curves->covered_ns[LODE_ORDER_BEST];
	double end = best[curves->n];

	if (curves->symptom_ns <= 0 || end <= best[0])
		return;
	for (unsigned tenth = 1; tenth < 10; tenth++) {
		double target = (double)curves->symptom_ns * tenth / 10;

		if (target > best[0] && target < end)
			add_level(curves, target);
	}
	add_level(curves, end);
	for (unsigned c = 0; c < LODE_N_CURVES; c++) {
		double sum = 0;

		for (size_t i = 0; i < curves->levels.n; i++)
			sum += (double)curves->levels.at[i].needed[LODE_ORDER_BEST] /
			       (double)curves->levels.at[i].needed[c];
		curves->best_share[c] = sum / (double)curves->levels.n;
	}
}

void lode_order_curves_build(struct lode_order_curves *out, const struct lode_order_input *input)
{
	memset(out, 0, sizeof(*out));
	for (size_t i = 0; i < input->n_streams; i++) {
		out->n += !input->streams[i].is_opened;
		out->symptom_ns += input->streams[i].symptom_ns;
	}
	for (unsigned c = 0; c < LODE_N_CURVES; c++)
		out->covered_ns[c] = lode_alloc0(out->n + 1, sizeof(double));
	for (unsigned c = 0; c < LODE_CURVE_RANDOM; c++) {
		struct lode_stream_order order = {0};

		lode_stream_order_build(&order, input, (enum lode_order_kind)c, 0);
		out->covered_ns[c][0] = (double)order.start_ns;
		for (size_t k = 0; k < order.steps.n; k++)
			out->covered_ns[c][k + 1] = (double)order.steps.at[k].covered_ns;
		lode_stream_order_release(&order);
	}
	lode_stream_order_random(out->covered_ns[LODE_CURVE_RANDOM], input);
	find_levels(out);
}

void lode_order_curves_release(struct lode_order_curves *curves)
{
	for (unsigned c = 0; c < LODE_N_CURVES; c++)
		free(curves->covered_ns[c]);
	lode_vec_release(&curves->levels);
	memset(curves, 0, sizeof(*curves));
}
