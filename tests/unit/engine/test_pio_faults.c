/*
 * What lode pio makes of faults, in a made world: two at once, on two servers or on one; kinds that
 * training never saw; slow clients; and whether it is worse than before, when it is not.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "engine/pio/analyse.h"
#include "engine/pio/train.h"
#include "answers/pio/parts.h"
#include "base/random.h"

#define STEP 1000000000LL
#define T0   (1700000000 * STEP)
enum { N_SERVERS = 3, N_KINDS = 5, N_COUNTERS = N_SERVERS * N_KINDS, WINDOW = 5 };
enum { APP, DB, WEB };
enum { LOAD, CPU, LOCKS, QUEUE, CONNECTIONS };

/* What goes on in an interval: bits. */
#define FAULT(server, kind) (1U << ((server)*N_KINDS + (kind)))
#define ALL_FAULTS	    (FAULT(N_SERVERS, 0) - 1)
#define SLOW_CLIENT	    (1U << 30) /* a client reads slowly: connections stay open */
#define LATE		    (1U << 29) /* requests are slow, whatever counters say */

static const char *const servers[N_SERVERS] = {"app", "db", "web"};
static const char *const kinds[N_KINDS] = {"load", "cpu", "locks", "queue", "connections"};

static double uniform(struct lode_random *r)
{
	return (double)(lode_random_next(r) >> 11) / 9007199254740992.0;
}

static void put(uint32_t *world, int first, int last, uint32_t what)
{
	for (int i = first; i <= last; i++)
		world[i] |= what;
}

static void make_counters(struct lode_counters *out, const uint32_t *world, int n, uint64_t seed)
{
	struct lode_counter_log *log = lode_counter_log_new();
	struct lode_counter_column columns[N_COUNTERS];
	struct lode_random r = {seed};
	struct lode_error err;

	for (int c = 0; c < N_COUNTERS; c++)
		columns[c] = (struct lode_counter_column){servers[c / N_KINDS], kinds[c % N_KINDS],
							  LODE_COUNTER_RATE};
	lode_counter_log_group(log, columns, N_COUNTERS);
	for (int i = 0; i < n; i++) {
		bool is_slow = world[i] & ALL_FAULTS;
		double row[N_COUNTERS];

		for (int s = 0; s < N_SERVERS; s++) {
			double *at = row + (ptrdiff_t)s * N_KINDS;

			at[LOAD] = 100 + 30 * uniform(&r) - (is_slow ? 60 : 0);
			at[CPU] = 20 + 20 * uniform(&r);
			at[CPU] += world[i] & FAULT(s, CPU) ? 80 + 40 * uniform(&r) : 0;
			at[LOCKS] = floor(3 * uniform(&r));
			at[LOCKS] += world[i] & FAULT(s, LOCKS) ? 8 + floor(9 * uniform(&r)) : 0;
			/* In front of whatever is slow. */
			at[QUEUE] = floor(3 * uniform(&r)) + (s != DB && is_slow ? 30 : 0);
			at[CONNECTIONS] = 20 + floor(5 * uniform(&r));
			if (s == WEB)
				at[CONNECTIONS] += world[i] & SLOW_CLIENT ? 60 : is_slow ? 20 : 0;
		}
		lode_counter_log_row(log, 0, T0 + (i + 1) * STEP, row);
	}
	assert_int_equal(lode_counters_align(out, log, STEP, NULL, &err), 0);
	lode_counter_log_free(log);
}

static void make_requests(struct lode_request_log *log, struct lode_request_names *names,
			  const uint32_t *world, int n, uint64_t seed)
{
	struct lode_request_sink sink = lode_request_log_sink(log, names);
	struct lode_random r = {seed ^ 99};
	struct lode_error err;

	for (int i = 0; i < n; i++) {
		bool is_slow = world[i] & (ALL_FAULTS | LATE);

		for (int k = 0; k < 15; k++) {
			/* Large answers to slow clients hold up the server a little, too. */
			bool is_held = world[i] & SLOW_CLIENT && k == 3;
			int64_t upstream = (int64_t)((20 + 10 * uniform(&r)) * 1e6 *
						     (is_slow || is_held ? 5 : 1));
			bool is_client = world[i] & SLOW_CLIENT && k % 4 == 0;
			struct lode_request q = {
				.upstream_ns = upstream,
				.response_ns = upstream + (is_client ? 2 * STEP : 0),
				.user = (uint32_t)k % 2,
			};

			q.end_ns = T0 + i * STEP + k * 10000000 + q.response_ns;
			assert_int_equal(sink.requests(sink.context, &q, 1, &err), 0);
		}
	}
}

static void train(struct lode_pio_model *model, const uint32_t *world, int n, uint64_t seed)
{
	struct lode_request_log_options options = {.step_ns = STEP, .is_by_start = true};
	struct lode_pio_train_options how = {.n_threads = 1};
	struct lode_request_log log;
	struct lode_counters counters;
	struct lode_pio_training training = {&log, &counters};
	struct lode_error err;

	memset(model, 0, sizeof(*model));
	model->settings = lode_pio_settings_default(false);
	model->settings.step_ns = STEP;
	model->settings.n_rulesets = 1;
	model->usual.is_log = true;
	model->usual.min_requests = model->settings.min_requests;
	lode_strings_intern(&model->names.actions, "page", 4);
	lode_strings_intern(&model->names.users, "ann", 3);
	lode_strings_intern(&model->names.users, "bob", 3);
	make_counters(&counters, world, n, seed);
	lode_request_log_init(&log, &options, &model->usual, false);
	make_requests(&log, &model->names, world, n, seed);
	assert_int_equal(lode_pio_train(model, &training, 1, &how, &err), 0);
	lode_request_log_release(&log);
	lode_counters_release(&counters);
}

/* `a` borrows nothing but the model. */
static void analyse(struct lode_pio_analysis *a, struct lode_pio_model *model,
		    const uint32_t *world, int n, uint64_t seed)
{
	struct lode_request_log_options options = {.step_ns = STEP, .is_by_start = true};
	struct lode_request_log log;
	struct lode_counters counters;

	make_counters(&counters, world, n, seed);
	lode_request_log_init(&log, &options, &model->usual, true);
	make_requests(&log, &model->names, world, n, seed);
	lode_pio_analyse(a, model, &counters, &log);
	lode_request_log_release(&log);
	lode_counters_release(&counters);
}

/* Each of the faults three times, one at a time. */
static void train_on(struct lode_pio_model *model, const uint32_t *faults, size_t n_faults,
		     uint64_t seed)
{
	enum { EACH = 60 };
	int n = (int)(3 * n_faults + 1) * EACH;
	uint32_t *world = lode_alloc0((size_t)n, sizeof(*world));

	for (int k = 0; k < (int)(3 * n_faults); k++)
		put(world, k * EACH + 30, k * EACH + 49, faults[(size_t)k % n_faults]);
	train(model, world, n, seed);
	free(world);
}

static const uint32_t six_faults[] = {FAULT(APP, CPU),	 FAULT(DB, CPU),   FAULT(WEB, CPU),
				      FAULT(APP, LOCKS), FAULT(DB, LOCKS), FAULT(WEB, LOCKS)};
enum { N_FAULTS = 6 };

/* ---- What stands behind a period ---- */

static int server_of(uint32_t fault)
{
	return __builtin_ctz(fault) / N_KINDS;
}

static const struct lode_pio_ranked *find(const lode_pio_ranking *ranking, uint32_t at)
{
	for (size_t i = 0; i < ranking->n; i++) {
		if (ranking->at[i].at == at)
			return &ranking->at[i];
	}
	return NULL;
}

/* Smoothing sees things up to half a window late, and may be a window off at the edges. */
static void assert_time(uint64_t seed, const struct lode_pio_ranked *r, int first, int last)
{
	if (!r || abs((int)r->first - first) > WINDOW || abs((int)r->last - last) > WINDOW)
		fail_msg("seed %llu: %d to %d is %d to %d", (unsigned long long)seed, first, last,
			 r ? (int)r->first : -1, r ? (int)r->last : -1);
}

/* Counters of the model are by server and name, as the world's are by server and kind. */
static uint32_t counter_of(const struct lode_pio_model *model, uint32_t fault)
{
	int bit = __builtin_ctz(fault);
	uint32_t c = lode_pio_model_counter(model, servers[bit / N_KINDS], kinds[bit % N_KINDS]);

	assert_true(c != LODE_NONE);
	return c;
}

/* Two faults, the second while the first lasts or soon after: one period, and who was when. */
static void check_pair(uint64_t seed, struct lode_pio_model *model, uint32_t a, uint32_t b)
{
	enum { N = 160 };
	uint32_t world[N] = {0};
	int shift = 8 + (int)(seed % 17); /* from beside each other to one behind the other */
	struct lode_pio_analysis out;
	const struct lode_pio_period *p;

	put(world, 60, 79, a);
	put(world, 60 + shift, 79 + shift, b);
	analyse(&out, model, world, N, seed);
	if (out.periods.n != 1)
		fail_msg("seed %llu: %zu periods", (unsigned long long)seed, out.periods.n);
	p = &out.periods.at[0];
	if (p->n_at_fault != 1 + (server_of(a) != server_of(b)))
		fail_msg("seed %llu: %u servers at fault", (unsigned long long)seed, p->n_at_fault);
	for (uint32_t i = 0; i < p->n_at_fault; i++)
		assert_true(p->servers.at[i].is_at_fault);
	if (server_of(a) != server_of(b)) {
		assert_time(seed, find(&p->servers, (uint32_t)server_of(a)), 60, 79);
		assert_time(seed, find(&p->servers, (uint32_t)server_of(b)), 60 + shift,
			    79 + shift);
	}
	assert_time(seed, find(&p->counters, counter_of(model, a)), 60, 79);
	assert_time(seed, find(&p->counters, counter_of(model, b)), 60 + shift, 79 + shift);
	lode_pio_analysis_release(&out);
}

static void two_faults_at_once_are_told_apart(void **state)
{
	(void)state;
	for (uint64_t m = 1; m <= 4; m++) {
		struct lode_pio_model model;

		train_on(&model, six_faults, N_FAULTS, m);
		for (uint64_t k = 0; k < N_FAULTS * N_FAULTS; k++) {
			if (k / N_FAULTS != k % N_FAULTS)
				check_pair(m * 100 + k, &model, six_faults[k / N_FAULTS],
					   six_faults[k % N_FAULTS]);
		}
		lode_pio_model_release(&model);
	}
}

static void a_single_fault_names_one_server(void **state)
{
	(void)state;
	for (uint64_t m = 1; m <= 4; m++) {
		struct lode_pio_model model;

		train_on(&model, six_faults, N_FAULTS, m);
		for (uint64_t k = 0; k < N_FAULTS; k++) {
			uint32_t world[150] = {0};
			struct lode_pio_analysis a;

			put(world, 60, 85, six_faults[k]);
			analyse(&a, &model, world, 150, m * 50 + k);
			assert_int_equal(a.periods.n, 1);
			assert_int_equal(a.periods.at[0].n_at_fault, 1);
			assert_int_equal(a.periods.at[0].servers.at[0].at,
					 server_of(six_faults[k]));
			assert_int_equal(a.periods.at[0].counters.at[0].at,
					 counter_of(&model, six_faults[k]));
			/* Dated back to its first interval, known soon after. */
			assert_true(a.periods.at[0].first >= 58 && a.periods.at[0].first <= 61);
			assert_true(a.periods.at[0].reported <= 60 + WINDOW);
			lode_pio_analysis_release(&a);
		}
		lode_pio_model_release(&model);
	}
}

static void a_kind_that_training_never_saw_is_found(void **state)
{
	(void)state;
	for (uint64_t k = 0; k < N_FAULTS; k++) {
		uint32_t others[N_FAULTS], world[150] = {0};
		struct lode_pio_model model;
		struct lode_pio_analysis a;
		size_t n = 0;

		for (size_t i = 0; i < N_FAULTS; i++) {
			if (i != k)
				others[n++] = six_faults[i];
		}
		train_on(&model, others, n, k + 1);
		put(world, 60, 85, six_faults[k]);
		analyse(&a, &model, world, 150, k + 31);
		assert_int_equal(a.periods.n, 1);
		assert_int_equal(a.periods.at[0].servers.at[0].at, server_of(six_faults[k]));
		lode_pio_analysis_release(&a);
		lode_pio_model_release(&model);
	}
}

/* ---- Whose slowness ---- */

/* Connections pile up as they never did in training: no server is at fault all the same. */
static void slow_clients_are_no_slow_period(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 10; seed++) {
		uint32_t world[250] = {0};
		struct lode_pio_model model;
		struct lode_pio_analysis a;

		train_on(&model, six_faults, N_FAULTS, seed);
		put(world, 60, 90, SLOW_CLIENT);
		/* A fault while a client is slow, too, is a fault. */
		put(world, 180, 220, SLOW_CLIENT);
		put(world, 190, 210, six_faults[seed % N_FAULTS]);
		analyse(&a, &model, world, 250, seed + 7);
		for (size_t i = 0; i < a.periods.n; i++)
			assert_true(a.periods.at[i].first > 170);
		assert_true(a.periods.n >= 1);
		assert_int_equal(a.periods.at[0].servers.at[0].at,
				 server_of(six_faults[seed % N_FAULTS]));
		assert_int_equal(a.unexplained.n, 0);
		assert_true(a.unfelt.n == 0 ||
			    (double)a.unfelt.at[0].n_client > a.unfelt.at[0].excess);
		lode_pio_analysis_release(&a);
		lode_pio_model_release(&model);
	}
}

/* A short, sharp period before a long one by peak, behind it by harm. */
static void short_periods_stand_beside_long_ones(void **state)
{
	uint32_t world[300] = {0};
	struct lode_pio_model model;
	struct lode_pio_analysis a;
	size_t *order;

	(void)state;
	train_on(&model, six_faults, N_FAULTS, 3);
	put(world, 40, 130, FAULT(DB, CPU));
	put(world, 70, 74, 0);
	for (int i = 40; i <= 130; i++)
		world[i] = i % 3 ? FAULT(DB, CPU) : 0; /* long, and a third of it is fine */
	put(world, 220, 229, FAULT(WEB, LOCKS));
	analyse(&a, &model, world, 300, 5);
	assert_int_equal(a.periods.n, 2);
	order = lode_pio_period_order(&a.periods, LODE_PIO_BY_HARM);
	assert_int_equal(order[0], 0);
	free(order);
	order = lode_pio_period_order(&a.periods, LODE_PIO_BY_PEAK);
	assert_int_equal(order[0], 1);
	free(order);
	lode_pio_analysis_release(&a);
	lode_pio_model_release(&model);
}

/* A counter that is at another level for most of the time is left out, and named. */
static void a_new_level_is_advice_and_no_evidence(void **state)
{
	enum { N = 700 };
	uint32_t *world = lode_alloc0(N, sizeof(*world));
	struct lode_pio_model model;
	struct lode_pio_analysis a;

	(void)state;
	train_on(&model, six_faults, N_FAULTS, 4);
	put(world, 100, N - 1, FAULT(APP, LOCKS)); /* nobody is slow by it any more */
	for (int i = 0; i < N; i++)
		world[i] |= i >= 400 && i < 420 ? FAULT(DB, CPU) : 0;
	analyse(&a, &model, world, N, 6);
	assert_true(lode_pio_is_retraining_advised(&a));
	assert_true(a.advice.shifted.n >= 1);
	for (size_t i = 0; i < a.advice.shifted.n; i++)
		assert_true(a.advice.shifted.at[i] != counter_of(&model, FAULT(DB, CPU)));
	lode_pio_analysis_release(&a);
	lode_pio_model_release(&model);
	free(world);
}

/* ---- Worse than before? ---- */

/* Slow time comes in bunches: begins with one chance, goes on with another. */
static void make_bunches(uint32_t *world, int n, double begin, double go_on, struct lode_random *r)
{
	bool is_late = false;

	for (int i = 0; i < n; i++) {
		is_late = uniform(r) < (is_late ? go_on : begin);
		world[i] = is_late ? LATE : 0;
	}
}

/*
 * Training and analysis are of the same service: "worse" or "better" is chance, and two standard
 * errors leave 5 % of it, whether slow intervals come alone or in bunches. A service that has
 * become slower is told.
 */
static void a_change_is_called_one_only_beyond_chance(void **state)
{
	enum { N_TRAINING = 1200, N = 900, RUNS = 80 };
	static const double lengths[] = {1, 4, 12};

	(void)state;
	for (size_t l = 0; l < sizeof(lengths) / sizeof(lengths[0]); l++) {
		double go_on = 1 - 1 / lengths[l];
		/* Of the bunches in training, HIGH are 5 % of the time. */
		double begin = 0.06 / lengths[l] / 0.94;
		unsigned n_called = 0, n_missed = 0;

		for (uint64_t run = 0; run < RUNS; run++) {
			struct lode_random r = {run * 3 + l};
			uint32_t *world = lode_alloc0(N_TRAINING, sizeof(*world));
			struct lode_pio_model model;
			struct lode_pio_analysis a;

			make_bunches(world, N_TRAINING, begin, go_on, &r);
			train(&model, world, N_TRAINING, run);
			make_bunches(world, N, begin, go_on, &r);
			analyse(&a, &model, world, N, run + 1000);
			n_called += fabs(a.regression.z) > 2;
			lode_pio_analysis_release(&a);
			make_bunches(world, N, 6 * begin, go_on, &r);
			analyse(&a, &model, world, N, run + 2000);
			n_missed += !(a.regression.z > 2);
			lode_pio_analysis_release(&a);
			lode_pio_model_release(&model);
			free(world);
		}
		print_message("bunches of %g: %u of %d called a change, %u changes missed\n",
			      lengths[l], n_called, RUNS, n_missed);
		/* 5 %, and three standard errors of the count. */
		assert_true(n_called <= RUNS * 0.05 + 3 * sqrt(RUNS * 0.05 * 0.95));
		assert_true(n_missed <= RUNS / 5);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(two_faults_at_once_are_told_apart),
		cmocka_unit_test(a_single_fault_names_one_server),
		cmocka_unit_test(a_kind_that_training_never_saw_is_found),
		cmocka_unit_test(slow_clients_are_no_slow_period),
		cmocka_unit_test(short_periods_stand_beside_long_ones),
		cmocka_unit_test(a_new_level_is_advice_and_no_evidence),
		cmocka_unit_test(a_change_is_called_one_only_beyond_chance),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
