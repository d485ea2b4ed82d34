/*
 * A client and a server that were recorded by themselves, each on its own clock: together they are
 * one stream, in which the client's waits go on in the server.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "cases.h"
#include "engine/waits/critpath.h"
#include "model/builder.h"
#include "model/connections.h"
#include "engine/waits/ran_instead.h"
#include "model/join.h"
#include "random.h"
#include "unit/model/sched_sim.h"

enum { CLIENT = 10, SERVER = 10, N_EXCHANGES = 12 };
enum { AT_WORK = 1, IN_RECV, IN_SOFTIRQ, N_RAW };
enum { CLIENT_END = 7001, SERVER_END = 80 };
#define US INT64_C(1000)

/* One exchange: the request's way, the server's work, the answer's way. */
struct exchange {
	int64_t asked_ns, taken_ns, answered_ns, got_ns;
};

struct world {
	struct test_random random;
	struct exchange at[N_EXCHANGES];
	int64_t end_ns;
};

static int64_t between(struct world *w, int64_t low, int64_t high)
{
	return low + (int64_t)test_random_below(&w->random, (uint32_t)(high - low));
}

static void live(struct world *w, uint64_t seed)
{
	int64_t t_ns = 1000 * US;

	w->random.state = seed;
	for (int i = 0; i < N_EXCHANGES; i++) {
		struct exchange *e = &w->at[i];
		int64_t there_ns = between(w, 20 * US, 400 * US);
		int64_t back_ns = between(w, 20 * US, 400 * US);

		e->asked_ns = t_ns;
		e->taken_ns = e->asked_ns + there_ns;
		e->answered_ns = e->taken_ns + between(w, 100 * US, 3000 * US);
		e->got_ns = e->answered_ns + back_ns;
		t_ns = e->got_ns + between(w, 50 * US, 2000 * US);
	}
	w->end_ns = t_ns;
}

/* ---- One host's recording ---- */

static uint32_t push(struct lode_calltree *tree, uint32_t node, const char *function)
{
	return lode_calltree_push(tree, node,
				  lode_frame_intern(tree, "[kernel]", function, LODE_FRAME_KERNEL));
}

static struct lode_stream *finish(struct lode_builder *b, const char *host)
{
	struct lode_stream *stream = lode_builder_stream(b);
	struct lode_calltree *tree = &stream->tree;
	uint32_t nodes[N_RAW] = {0};

	stream->host = host;
	nodes[AT_WORK] = lode_calltree_push(tree, 0, lode_frame_intern(tree, host, "work", 0));
	nodes[IN_RECV] = push(tree, push(tree, 0, "tcp_recvmsg"), "sk_wait_data");
	nodes[IN_SOFTIRQ] = push(tree, push(tree, 0, "common_interrupt"), "net_rx_action");
	return lode_builder_finish(b, nodes, N_RAW);
}

static void leave(struct lode_builder *b, int64_t t_ns, int32_t prev, int32_t next)
{
	struct lode_switch record = {.t_ns = t_ns,
				     .prev_pid = prev,
				     .next_pid = next,
				     .prev_comm = "desk",
				     .next_comm = "desk",
				     .left = prev ? LODE_LEFT_SLEEPING : LODE_LEFT_RUNNABLE,
				     .stack = prev ? IN_RECV : 0};

	lode_builder_switch(b, &record);
}

/* By an interrupt of the network card. */
static void wake(struct lode_builder *b, int64_t t_ns, int32_t wakee)
{
	struct lode_waking record = {.t_ns = t_ns,
				     .cpu = 1,
				     .wakee_tid = wakee,
				     .has_context = true,
				     .in_interrupt = true,
				     .in_hardirq = true,
				     .stack = IN_SOFTIRQ};

	lode_builder_waking(b, &record);
}

static void tell(struct lode_builder *b, int64_t t_ns, enum lode_socket_act act, uint64_t own,
		 uint64_t peer, int64_t n_bytes)
{
	struct lode_socket_record record = {.t_ns = t_ns,
					    .tid = CLIENT,
					    .act = act,
					    .socket = 0xffff,
					    .n_bytes = n_bytes,
					    .own = own,
					    .peer = peer,
					    .asks = own > peer};

	lode_builder_socket(b, &record);
}

static struct lode_stream *record_client(const struct world *w)
{
	struct lode_builder *b = lode_builder_new("web1", "made", "ns", NULL);

	leave(b, 0, 0, CLIENT);
	tell(b, 10 * US, LODE_SOCKET_CONNECTS, 0, 0, 0);
	tell(b, 300 * US, LODE_SOCKET_UP, CLIENT_END, SERVER_END, 0);
	for (int i = 0; i < N_EXCHANGES; i++) {
		const struct exchange *e = &w->at[i];

		tell(b, e->asked_ns, LODE_SOCKET_SENT, 0, 0, 100);
		leave(b, e->asked_ns + 5 * US, CLIENT, 0);
		wake(b, e->got_ns - 5 * US, CLIENT);
		leave(b, e->got_ns - 3 * US, 0, CLIENT);
		tell(b, e->got_ns, LODE_SOCKET_RECEIVED, 0, 0, 500);
	}
	leave(b, w->end_ns, CLIENT, 0);
	return finish(b, "web1");
}

/* Its clock is `ahead_ns` ahead. It sleeps between requests. */
static struct lode_stream *record_server(const struct world *w, int64_t ahead_ns)
{
	struct lode_builder *b = lode_builder_new("db1", "made", "ns", NULL);

	leave(b, ahead_ns, 0, SERVER);
	tell(b, ahead_ns + 150 * US, LODE_SOCKET_UP, SERVER_END, CLIENT_END, 0);
	leave(b, ahead_ns + 200 * US, SERVER, 0);
	for (int i = 0; i < N_EXCHANGES; i++) {
		const struct exchange *e = &w->at[i];

		wake(b, ahead_ns + e->taken_ns - 4 * US, SERVER);
		leave(b, ahead_ns + e->taken_ns - 2 * US, 0, SERVER);
		tell(b, ahead_ns + e->taken_ns, LODE_SOCKET_RECEIVED, 0, 0, 100);
		tell(b, ahead_ns + e->answered_ns, LODE_SOCKET_SENT, 0, 0, 500);
		leave(b, ahead_ns + e->answered_ns + 3 * US, SERVER, 0);
	}
	return finish(b, "db1");
}

static void set_time_of_day(struct lode_stream *stream, int64_t offset_ns)
{
	stream->has_wall_clock = true;
	stream->wall_offset_ns = offset_ns;
}

/* How far the found offset may be from the truth: half of the smallest ways there and back. */
static int64_t tolerance(const struct world *w)
{
	int64_t there_ns = INT64_MAX, back_ns = INT64_MAX;

	for (int i = 0; i < N_EXCHANGES; i++) {
		const struct exchange *e = &w->at[i];

		if (e->taken_ns - e->asked_ns < there_ns)
			there_ns = e->taken_ns - e->asked_ns;
		if (e->got_ns - e->answered_ns < back_ns)
			back_ns = e->got_ns - e->answered_ns;
	}
	return (there_ns + back_ns) / 2 + 1;
}

/* The client's waits are the server's doing, and the path has every ns once. */
static void check_chains(const struct lode_stream *stream, const struct world *w, uint64_t seed)
{
	const struct lode_events *events = &stream->threads.at[0].events;
	struct lode_symptom symptom = {
		.thread = 0, .t0_ns = w->at[0].asked_ns, .t1_ns = w->at[N_EXCHANGES - 1].got_ns};
	struct lode_critpath path = {0};
	int64_t sum_ns = 0, server_ns = 0, work_ns = 0;
	size_t n_waits = 0;

	for (size_t i = 0; i < events->n; i++) {
		if (events->kind[i] != LODE_EVENT_WAITING || events->flags[i] & LODE_EVENT_CUT_END)
			continue;
		n_waits++;
		if (events->other[i] != 1 || events->device[i] != LODE_DEVICE_NONE)
			fail_msg("seed %lu: wait %zu ended by %u", seed, i, events->other[i]);
	}
	assert_int_equal(n_waits, N_EXCHANGES);
	lode_critpath_build(&path, stream, &symptom);
	for (size_t i = 0; i < path.spans.n; i++) {
		const struct lode_link *link = &path.links.at[path.spans.at[i].link];
		int64_t length_ns = path.spans.at[i].end_ns - path.spans.at[i].start_ns;

		sum_ns += length_ns;
		if (link->thread == 1 &&
		    stream->threads.at[1].events.kind[link->event] == LODE_EVENT_RUNNING)
			server_ns += length_ns;
	}
	for (int i = 0; i < N_EXCHANGES; i++)
		work_ns += w->at[i].answered_ns - w->at[i].taken_ns;
	assert_int_equal(sum_ns, symptom.t1_ns - symptom.t0_ns);
	/* The server's work is on the path, but for what the clocks' error cuts off. */
	if (server_ns > work_ns + N_EXCHANGES * 20 * US ||
	    server_ns < work_ns - N_EXCHANGES * tolerance(w))
		fail_msg("seed %lu: %ld ns of the server's work, not %ld", seed, server_ns,
			 work_ns);
	lode_critpath_release(&path);
}

/* `error_ns`: by how much the time of day of the server's host is wrong. */
static void check_joined(uint64_t seed, int64_t ahead_ns, int64_t error_ns)
{
	struct world w = {0};
	struct lode_join_part parts[2] = {0};
	struct lode_error err;
	struct lode_stream *stream;
	int64_t off_ns;

	live(&w, seed);
	parts[0].stream = record_client(&w);
	parts[1].stream = record_server(&w, ahead_ns);
	set_time_of_day(parts[0].stream, INT64_C(1700000000000000000));
	set_time_of_day(parts[1].stream, INT64_C(1700000000000000000) - ahead_ns + error_ns);
	assert_int_equal(lode_streams_join(parts, 2, &err), 0);
	stream = parts[0].stream;
	assert_int_equal(stream->threads.n, 2);
	assert_string_equal(stream->tree.strings.text.at[stream->threads.at[0].comm], "desk@web1");
	assert_string_equal(stream->tree.strings.text.at[stream->threads.at[1].comm], "desk@db1");
	assert_int_equal(parts[1].n_links, 2 * N_EXCHANGES);
	off_ns = parts[1].offset_ns + ahead_ns;
	if (off_ns > tolerance(&w) || off_ns < -tolerance(&w))
		fail_msg("seed %lu: the clock is off by %ld ns, more than %ld", seed, off_ns,
			 tolerance(&w));
	check_chains(stream, &w, seed);
	lode_stream_free(stream);
}

static void test_clocks_are_held_to_what_was_sent_both_ways(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= TEST_CASES(1000); seed++) {
		struct test_random random = {seed};
		int64_t ahead_ns = (int64_t)test_random_below(&random, 2000000000) * 1000;
		int64_t error_ns = (int64_t)test_random_below(&random, 8000) * US - 4000 * US;

		check_joined(seed, ahead_ns, error_ns);
	}
}

static void test_without_sends_the_time_of_day_has_to_do(void **state)
{
	struct world w = {0};
	struct lode_join_part parts[2] = {0};
	struct lode_error err;
	const struct lode_events *events;

	(void)state;
	live(&w, 1);
	parts[0].stream = record_client(&w);
	parts[1].stream = record_server(&w, 5000 * US);
	lode_connections_free(parts[1].stream->connections);
	parts[1].stream->connections = NULL;
	parts[1].has_offset = true;
	parts[1].offset_ns = -5000 * US;
	assert_int_equal(lode_streams_join(parts, 2, &err), 0);
	assert_int_equal(parts[1].offset_ns, -5000 * US);
	assert_int_equal(parts[1].n_links, 0);
	assert_int_equal(parts[1].n_turns, 0);
	/* Nobody is made up. */
	events = &parts[0].stream->threads.at[0].events;
	for (size_t i = 0; i < events->n; i++)
		assert_int_equal(events->other[i], LODE_NONE);
	lode_stream_free(parts[0].stream);
}

/* Whatever the clocks say, or nothing: what went between the hosts says it. */
static void test_clocks_that_are_hours_off_are_aligned(void **state)
{
	const int64_t hour_ns = INT64_C(3600000000000);

	(void)state;
	for (int64_t hours = -30; hours <= 30; hours += 5) {
		struct world w = {0};
		struct lode_join_part parts[2] = {0};
		struct lode_error err;

		live(&w, (uint64_t)(hours + 31));
		parts[0].stream = record_client(&w);
		parts[1].stream = record_server(&w, 5000 * US);
		parts[1].has_offset = hours != 0;
		parts[1].offset_ns = hours * hour_ns;
		assert_int_equal(lode_streams_join(parts, 2, &err), 0);
		assert_true(llabs(parts[1].offset_ns + 5000 * US) < 1000 * US);
		assert_true(parts[1].n_links > 0);
		assert_true(parts[1].n_turns >= 8);
		lode_stream_free(parts[0].stream);
	}
}

static void test_what_cannot_be_joined_says_why(void **state)
{
	struct world w = {0};
	struct lode_join_part parts[2] = {0};
	struct lode_error err;

	(void)state;
	live(&w, 1);
	parts[0].stream = record_client(&w);
	parts[1].stream = record_server(&w, 0);
	lode_connections_free(parts[1].stream->connections);
	parts[1].stream->connections = NULL;
	assert_int_equal(lode_streams_join(parts, 2, &err), LODE_ERR_ARG);
	assert_non_null(strstr(err.message, "--clock-offset"));
	parts[1].has_offset = true;
	parts[1].offset_ns = INT64_C(3600000000000);
	assert_int_equal(lode_streams_join(parts, 2, &err), LODE_ERR_ARG);
	assert_non_null(strstr(err.message, "at another time"));
	lode_stream_free(parts[0].stream);
	lode_stream_free(parts[1].stream);
}

/* ---- Two hosts that have nothing to do with each other ---- */

enum { HOST_RECORDS = 300 };

static struct lode_stream *record_host(uint64_t seed, const char *host)
{
	struct lode_builder *b = lode_builder_new(host, "sim", "ns", NULL);
	struct sim sim = {0};
	struct lode_stream *stream;
	uint32_t nodes[SIM_RAW];

	sim_play(&sim, seed, HOST_RECORDS);
	for (size_t i = 0; i < sim.records.n; i++)
		sim_feed(b, &sim.records.at[i]);
	sim_nodes(&lode_builder_stream(b)->tree, nodes);
	stream = lode_builder_finish(b, nodes, SIM_RAW);
	stream->host = host;
	for (size_t i = 0; i < stream->threads.n; i += 2)
		stream->threads.at[i].title =
			lode_strings_intern(&stream->tree.strings, host, strlen(host));
	sim_release(&sim);
	return stream;
}

/* What a thread was called without its host, and did, one number for each row. */
static uint64_t hash_thread(const struct lode_stream *stream, lode_thread_id id, int64_t by_ns,
			    lode_thread_id first_thread)
{
	const struct lode_events *e = &stream->threads.at[id].events;
	const char *name = lode_thread_name(stream, id);
	uint64_t hash = lode_stable_hash(name, strcspn(name, "@"), 0);
	struct lode_ran_instead ran;

	for (size_t i = 0; i < e->n; i++) {
		int64_t row[] = {e->start_ns[i] - by_ns, e->cost_ns[i], e->kind[i], e->reason[i]};

		hash = lode_stable_hash(row, sizeof(row), hash);
		if (e->kind[i] != LODE_EVENT_READY)
			continue;
		lode_ran_instead_begin(&ran, stream, id, i, e->start_ns[i], lode_event_end_ns(e, i),
				       NULL);
		while (lode_ran_instead_next(&ran)) {
			bool is_thread = ran.thread < stream->threads.n;
			int64_t share[] = {is_thread ? ran.thread - first_thread : ran.thread,
					   ran.cost_ns};

			hash = lode_stable_hash(share, sizeof(share), hash);
		}
	}
	return hash;
}

/* Each thread did the same as before, and the same ones of its own host ran instead of it. */
static void test_hosts_keep_their_own_cpus_and_names(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= TEST_CASES(300); seed++) {
		struct lode_join_part parts[3] = {0};
		LODE_VEC(uint64_t) before = {0};
		struct lode_stream *stream;
		struct lode_error err;
		size_t n = 0;

		for (size_t p = 0; p < 3; p++) {
			parts[p].stream = stream =
				record_host(3 * seed + p, (const char *[]){"a", "b", "c"}[p]);
			parts[p].has_offset = true;
			parts[p].offset_ns = parts[0].stream->t0_ns - stream->t0_ns;
			for (lode_thread_id id = 0; id < stream->threads.n; id++)
				lode_vec_append(&before, hash_thread(stream, id, 0, 0));
		}
		assert_int_equal(lode_streams_join(parts, 3, &err), 0);
		stream = parts[0].stream;
		assert_int_equal(stream->threads.n, before.n);
		for (size_t p = 0; p < 3; p++) {
			size_t end = p < 2 ? parts[p + 1].first_thread : stream->threads.n;

			for (; n < end; n++) {
				const char *name = lode_thread_name(stream, (lode_thread_id)n);

				assert_int_equal(name[strlen(name) - 1], "abc"[p]);
				if (hash_thread(stream, (lode_thread_id)n, parts[p].offset_ns,
						parts[p].first_thread) != before.at[n])
					fail_msg("seed %llu: thread %zu", (unsigned long long)seed,
						 n);
			}
		}
		lode_stream_free(stream);
		lode_vec_release(&before);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_hosts_keep_their_own_cpus_and_names),
		cmocka_unit_test(test_clocks_are_held_to_what_was_sent_both_ways),
		cmocka_unit_test(test_without_sends_the_time_of_day_has_to_do),
		cmocka_unit_test(test_clocks_that_are_hours_off_are_aligned),
		cmocka_unit_test(test_what_cannot_be_joined_says_why),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
