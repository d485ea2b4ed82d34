#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "engine/waits/critpath.h"
#include "model/connections.h"
#include "unit/engine/random_stream.h"
#include "unit/engine/waits_oracle.h"
#include "cases.h"

/* Spans touch, are not empty, and together are [t0, t1). */
static void check_tiles(const struct lode_critpath *path, const struct lode_symptom *symptom,
			uint64_t seed)
{
	int64_t t = symptom->t0_ns;

	for (size_t i = 0; i < path->spans.n; i++) {
		if (path->spans.at[i].start_ns != t || path->spans.at[i].end_ns <= t)
			fail_msg("seed %lu: span %zu starts at %ld, not at %ld", seed, i,
				 path->spans.at[i].start_ns, t);
		t = path->spans.at[i].end_ns;
	}
	if (t != symptom->t1_ns)
		fail_msg("seed %lu: spans end at %ld, not at %ld", seed, t, symptom->t1_ns);
}

static size_t chain_length(const struct lode_critpath *path, uint32_t link)
{
	size_t n = 0;

	for (; link != LODE_NONE; link = path->links.at[link].parent)
		n++;
	return n;
}

static void check_chain(const struct lode_critpath *path, uint32_t link,
			const struct oracle_link *chain, size_t n, uint64_t seed, int64_t t)
{
	if (chain_length(path, link) != n)
		fail_msg("seed %lu: at %ld the chain has %zu links, not %zu", seed, t,
			 chain_length(path, link), n);
	for (; n > 0; n--, link = path->links.at[link].parent)
		if (path->links.at[link].thread != chain[n - 1].thread ||
		    path->links.at[link].event != chain[n - 1].event)
			fail_msg("seed %lu: at %ld link %zu is (%u, %u), not (%u, %u)", seed, t,
				 n - 1, path->links.at[link].thread, path->links.at[link].event,
				 chain[n - 1].thread, chain[n - 1].event);
}

/* Sends and receives of its threads at any time, over connections whose ends are known. */
static void add_connections(struct rng *rng, struct lode_stream *stream)
{
	int64_t t_ns = stream->t0_ns;
	uint32_t n_threads = (uint32_t)stream->threads.n;

	stream->connections = lode_alloc0(1, sizeof(*stream->connections));
	for (uint64_t socket = 1; socket < 5; socket++)
		lode_connections_add(stream->connections,
				     &(struct lode_socket_record){.t_ns = t_ns,
								  .act = LODE_SOCKET_UP,
								  .socket = socket,
								  .own = socket,
								  .peer = ((socket - 1) ^ 1) + 1},
				     0);
	for (uint64_t socket = 1; socket < 5; socket++)
		stream->connections->sockets.at[socket - 1].asks = socket & 1;
	for (int i = 0; i < 60; i++) {
		bool is_answer = rng_chance(rng, 50);
		/* Requests and answers of one size: some receives have what was sent. */
		struct lode_socket_record record = {
			.t_ns = t_ns,
			.act = i & 1 ? LODE_SOCKET_RECEIVED : LODE_SOCKET_SENT,
			.socket = 1 + 2 * rng_below(rng, 2) + (is_answer != (i & 1)),
			.n_bytes = 1 + rng_below(rng, 2)};

		lode_connections_add(stream->connections, &record, rng_below(rng, n_threads));
		t_ns += rng_below(rng, 4);
	}
	lode_connections_link(stream);
}

static void check_each_ns(bool has_connections)
{
	struct oracle_link chain[ORACLE_MAX_LINKS];
	struct lode_critpath path = {0};
	size_t n_long = 0, n_linked = 0, n;

	for (uint64_t seed = 1; seed <= TEST_CASES(10000); seed++) {
		struct rng rng = {seed};
		struct lode_stream *stream = random_stream(&rng);
		struct lode_symptom symptom = random_symptom(&rng, stream);

		if (has_connections) {
			add_connections(&rng, stream);
			n_linked += stream->connections->n_linked;
		}
		lode_critpath_build(&path, stream, &symptom);
		check_tiles(&path, &symptom, seed);
		for (size_t i = 0; i < path.spans.n; i++) {
			const struct lode_span *span = &path.spans.at[i];

			for (int64_t t = span->start_ns; t < span->end_ns; t++) {
				n = oracle_chain_at(stream, symptom.thread, t, chain);
				check_chain(&path, span->link, chain, n, seed, t);
				n_long += n > 2;
			}
		}
		lode_stream_free(stream);
	}
	/* The inputs are worth something: chains of three threads and more. */
	assert_true(n_long > TEST_CASES(5000));
	assert_true(!has_connections || n_linked > TEST_CASES(5000));
	lode_critpath_release(&path);
}

static void test_each_ns_belongs_to_whom_the_definition_says(void **state)
{
	(void)state;
	check_each_ns(false);
}

/* What connections tell of waits is in the events, and what they tell of servers splits spans. */
static void test_connections_move_no_ns(void **state)
{
	(void)state;
	check_each_ns(true);
}

/* The model promises order and sane wakers; nothing here may hang or lose time if that breaks. */
static void test_spans_tile_the_symptom_whatever_the_events_are(void **state)
{
	static const char *const comms[] = {"a", "b", "c", "d"};
	struct lode_critpath path = {0};

	(void)state;
	for (uint64_t seed = 1; seed <= TEST_CASES(5000); seed++) {
		struct rng rng = {seed};
		struct lode_stream *stream = stream_of_threads(comms, 4);
		struct lode_symptom symptom = {.thread = rng_below(&rng, 4), .t0_ns = -10};

		for (int k = 0; k < 40; k++) {
			struct lode_events *events = &stream->threads.at[rng_below(&rng, 4)].events;
			size_t i = lode_events_append(
				events, (enum lode_event_kind)rng_below(&rng, LODE_N_EVENT_KINDS),
				(int64_t)rng_below(&rng, 100) - 20,
				(int64_t)rng_below(&rng, 30) - 2, 0);

			events->other[i] = rng_below(&rng, 6);
		}
		symptom.t1_ns = symptom.t0_ns + rng_below(&rng, 120);
		lode_critpath_build(&path, stream, &symptom);
		check_tiles(&path, &symptom, seed);
		lode_stream_free(stream);
	}
	lode_critpath_release(&path);
}

/* Every thread waits for the next one for as long as there is time. */
static void test_chains_of_any_length_end_and_sum_up(void **state)
{
	enum { N = 3 * LODE_CRITPATH_MAX_LINKS };
	const char *comms[N];
	struct lode_symptom symptom = {.thread = 0, .t0_ns = -5, .t1_ns = 1005};
	struct lode_critpath path = {0};
	struct lode_stream *stream;

	(void)state;
	for (size_t i = 0; i < N; i++)
		comms[i] = "t";
	stream = stream_of_threads(comms, N);
	for (uint32_t i = 0; i < N; i++)
		add_wait(stream, i, 0, 1000, "f", (i + 1) % N, LODE_DEVICE_NONE);
	lode_critpath_build(&path, stream, &symptom);
	check_tiles(&path, &symptom, 0);
	assert_int_equal(path.spans.n, 3);
	assert_int_equal(path.links.at[path.spans.at[0].link].event, LODE_NONE);
	assert_int_equal(chain_length(&path, path.spans.at[1].link), LODE_CRITPATH_MAX_LINKS);
	lode_critpath_release(&path);
	lode_stream_free(stream);
}

static void test_threads_that_wait_for_each_other_keep_their_time(void **state)
{
	static const char *const comms[] = {"a", "b"};
	struct lode_stream *stream = stream_of_threads(comms, 2);
	struct lode_symptom symptom = {.thread = 0, .t0_ns = 0, .t1_ns = 10};
	struct lode_critpath path = {0};

	(void)state;
	add_wait(stream, 0, 0, 10, "f", 1, LODE_DEVICE_NONE);
	add_wait(stream, 1, 0, 6, "g", 0, LODE_DEVICE_NONE);
	add_run(stream, 1, 6, 20, "h");
	lode_critpath_build(&path, stream, &symptom);
	check_tiles(&path, &symptom, 0);
	assert_int_equal(path.spans.n, 2);
	assert_int_equal(path.spans.at[0].end_ns, 6);
	assert_int_equal(path.links.at[path.spans.at[0].link].thread, 1);
	assert_int_equal(path.links.at[path.spans.at[0].link].event, 0);
	lode_critpath_release(&path);
	lode_stream_free(stream);
}

/* A server's new thread answers: who created it was at the request before. If that is the waiting
   thread itself, or nobody knows who it was, the time stays where it is. */
static void test_before_its_birth_a_thread_is_its_creator(void **state)
{
	static const char *const comms[] = {"client", "server", "server's thread"};
	static const struct {
		lode_thread_id parent, whose;
	} cases[] = {{1, 1}, {0, 0}, {LODE_NONE, 0}};

	(void)state;
	for (size_t k = 0; k < sizeof(cases) / sizeof(*cases); k++) {
		struct lode_stream *stream = stream_of_threads(comms, 3);
		struct lode_symptom symptom = {.thread = 0, .t0_ns = 0, .t1_ns = 100};
		struct lode_critpath path = {0};

		add_wait(stream, 0, 0, 100, "poll", 2, LODE_DEVICE_NONE);
		add_run(stream, 1, 0, 100, "serve");
		add_run(stream, 2, 60, 100, "answer");
		stream->threads.at[2].born_ns = 60;
		stream->threads.at[2].parent = cases[k].parent;
		lode_critpath_build(&path, stream, &symptom);
		check_tiles(&path, &symptom, 0);
		assert_int_equal(path.spans.n, 2);
		assert_int_equal(path.spans.at[0].end_ns, 60);
		assert_int_equal(path.links.at[path.spans.at[0].link].thread, cases[k].whose);
		assert_int_equal(path.links.at[path.spans.at[1].link].thread, 2);
		lode_critpath_release(&path);
		lode_stream_free(stream);
	}
}

static void test_a_symptom_without_any_event_is_one_unrecorded_span(void **state)
{
	static const char *const comms[] = {"a"};
	struct lode_stream *stream = stream_of_threads(comms, 1);
	struct lode_symptom symptom = {.thread = 0, .t0_ns = 3, .t1_ns = 9};
	struct lode_critpath path = {0};

	(void)state;
	lode_critpath_build(&path, stream, &symptom);
	check_tiles(&path, &symptom, 0);
	assert_int_equal(path.spans.n, 1);
	assert_int_equal(path.links.at[path.spans.at[0].link].parent, LODE_NONE);
	assert_int_equal(path.links.at[path.spans.at[0].link].event, LODE_NONE);
	symptom.t1_ns = 3;
	lode_critpath_build(&path, stream, &symptom);
	assert_int_equal(path.spans.n, 0);
	lode_critpath_release(&path);
	lode_stream_free(stream);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_each_ns_belongs_to_whom_the_definition_says),
		cmocka_unit_test(test_connections_move_no_ns),
		cmocka_unit_test(test_spans_tile_the_symptom_whatever_the_events_are),
		cmocka_unit_test(test_chains_of_any_length_end_and_sum_up),
		cmocka_unit_test(test_threads_that_wait_for_each_other_keep_their_time),
		cmocka_unit_test(test_before_its_birth_a_thread_is_its_creator),
		cmocka_unit_test(test_a_symptom_without_any_event_is_one_unrecorded_span),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
