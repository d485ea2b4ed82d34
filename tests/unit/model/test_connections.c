/* Who ended waits, told from sends and receives, in recordings made by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "engine/waits/critpath.h"
#include "model/builder.h"
#include "model/connections.h"

enum { CLIENT = 10, SERVER = 20, OTHER = 30, KSOFTIRQD = 40 };
enum { AT_WORK = 1, IN_RECV, IN_SOFTIRQ, N_RAW };
/* The kernel's numbers of sockets, and their ends. */
enum { CLIENT_END = 0xc1, SERVER_END = 0x51, OTHER_END = 0xc2, SERVER_OTHER_END = 0x52 };
#define MS INT64_C(1000000)

static uint32_t push(struct lode_calltree *tree, uint32_t node, const char *function)
{
	return lode_calltree_push(tree, node,
				  lode_frame_intern(tree, "[kernel]", function, LODE_FRAME_KERNEL));
}

static struct lode_stream *finish(struct lode_builder *b)
{
	struct lode_calltree *tree = &lode_builder_stream(b)->tree;
	uint32_t nodes[N_RAW] = {0};

	nodes[AT_WORK] =
		lode_calltree_push(tree, 0, lode_frame_intern(tree, "server", "rebuild", 0));
	nodes[IN_RECV] = push(tree, push(tree, 0, "tcp_recvmsg"), "sk_wait_data");
	nodes[IN_SOFTIRQ] = push(tree, push(tree, 0, "run_ksoftirqd"), "net_rx_action");
	return lode_builder_finish(b, nodes, N_RAW);
}

/* ---- Records ---- */

static void leave(struct lode_builder *b, int64_t ms, uint32_t cpu, int32_t prev, int32_t next,
		  enum lode_left_state left)
{
	struct lode_switch record = {.t_ns = ms * MS,
				     .cpu = cpu,
				     .prev_pid = prev,
				     .next_pid = next,
				     .left = left,
				     .stack = prev ? IN_RECV : 0};

	lode_builder_switch(b, &record);
}

static void wake(struct lode_builder *b, int64_t ms, int32_t wakee)
{
	struct lode_waking record = {.t_ns = ms * MS,
				     .cpu = 3,
				     .waker_tid = KSOFTIRQD,
				     .wakee_tid = wakee,
				     .has_context = true,
				     .in_interrupt = true,
				     .stack = IN_SOFTIRQ};

	lode_builder_waking(b, &record);
}

static void tell(struct lode_builder *b, int64_t ms, int32_t tid, enum lode_socket_act act,
		 uint64_t socket, int64_t n_bytes)
{
	struct lode_socket_record record = {.t_ns = ms * MS,
					    .cpu = 1,
					    .tid = tid,
					    .act = act,
					    .socket = socket,
					    .n_bytes = n_bytes};

	switch (socket) {
	case CLIENT_END:
	case OTHER_END:
		record.own = socket;
		record.peer = 80;
		record.asks = true;
		break;
	default:
		record.own = 80;
		record.peer = socket == SERVER_END ? CLIENT_END : OTHER_END;
		break;
	}
	lode_builder_socket(b, &record);
}

static void connect_both(struct lode_builder *b)
{
	tell(b, 0, CLIENT, LODE_SOCKET_CONNECTS, CLIENT_END, 0);
	tell(b, 0, CLIENT, LODE_SOCKET_UP, CLIENT_END, 0);
	tell(b, 0, CLIENT, LODE_SOCKET_UP, SERVER_END, 0);
	tell(b, 0, OTHER, LODE_SOCKET_CONNECTS, OTHER_END, 0);
	tell(b, 0, OTHER, LODE_SOCKET_UP, OTHER_END, 0);
	tell(b, 0, OTHER, LODE_SOCKET_UP, SERVER_OTHER_END, 0);
}

enum omission {
	NOTHING,
	ANSWER,	   /* the record of the answer's send */
	BEGINNING, /* the connections are older */
	SOME,	   /* the recorder says that it lost records before the answer */
	TWIN,	   /* and there is another socket with the same ends */
};

/*
 * The server is at work for `other` when the client asks at 3 ms, takes its request at 11, answers
 * at 15; and once more from 20 ms on, when it is idle. ksoftirqd wakes the client.
 */
static struct lode_stream *busy_server(enum omission omission)
{
	struct lode_builder *b = lode_builder_new("made", "made", "ns", NULL);

	if (omission != BEGINNING)
		connect_both(b);
	if (omission == TWIN)
		tell(b, 0, OTHER, LODE_SOCKET_UP, SERVER_END, 0);
	leave(b, 0, 0, 0, CLIENT, LODE_LEFT_RUNNABLE);
	leave(b, 0, 1, 0, SERVER, LODE_LEFT_RUNNABLE);
	leave(b, 0, 2, 0, OTHER, LODE_LEFT_RUNNABLE);
	tell(b, 1, OTHER, LODE_SOCKET_SENT, OTHER_END, 30);
	if (omission == BEGINNING)
		tell(b, 2, SERVER, LODE_SOCKET_NAMED, SERVER_OTHER_END, 0);
	tell(b, 2, SERVER, LODE_SOCKET_RECEIVED, SERVER_OTHER_END, 30);
	tell(b, 3, CLIENT, LODE_SOCKET_SENT, CLIENT_END, 50);
	leave(b, 4, 0, CLIENT, 0, LODE_LEFT_SLEEPING);
	tell(b, 10, SERVER, LODE_SOCKET_SENT, SERVER_OTHER_END, 1000);
	if (omission == BEGINNING)
		tell(b, 11, SERVER, LODE_SOCKET_NAMED, SERVER_END, 0);
	tell(b, 11, SERVER, LODE_SOCKET_RECEIVED, SERVER_END, 50);
	if (omission == SOME)
		lode_builder_lost(b, 14 * MS, 1);
	if (omission != ANSWER)
		tell(b, 15, SERVER, LODE_SOCKET_SENT, SERVER_END, 20);
	wake(b, 15, CLIENT);
	leave(b, 16, 0, 0, CLIENT, LODE_LEFT_RUNNABLE);
	if (omission == BEGINNING)
		tell(b, 17, CLIENT, LODE_SOCKET_NAMED, CLIENT_END, 0);
	tell(b, 17, CLIENT, LODE_SOCKET_RECEIVED, CLIENT_END, 20);
	leave(b, 18, 1, SERVER, 0, LODE_LEFT_SLEEPING);

	tell(b, 20, CLIENT, LODE_SOCKET_SENT, CLIENT_END, 50);
	leave(b, 21, 0, CLIENT, 0, LODE_LEFT_SLEEPING);
	wake(b, 21, SERVER);
	leave(b, 22, 1, 0, SERVER, LODE_LEFT_RUNNABLE);
	tell(b, 23, SERVER, LODE_SOCKET_RECEIVED, SERVER_END, 50);
	tell(b, 24, SERVER, LODE_SOCKET_SENT, SERVER_END, 20);
	wake(b, 24, CLIENT);
	leave(b, 25, 0, 0, CLIENT, LODE_LEFT_RUNNABLE);
	tell(b, 26, CLIENT, LODE_SOCKET_RECEIVED, CLIENT_END, 20);
	leave(b, 30, 0, CLIENT, 0, LODE_LEFT_SLEEPING);
	return finish(b);
}

/* ---- What is told of it ---- */

static lode_thread_id thread_of(const struct lode_stream *stream, int32_t tid)
{
	return lode_map_find(&stream->thread_index, (uint32_t)tid);
}

/* The client's wait that holds `ms`. */
static size_t wait_at(const struct lode_stream *stream, int64_t ms)
{
	const struct lode_events *events = &stream->threads.at[thread_of(stream, CLIENT)].events;
	size_t i = lode_events_find(events, ms * MS);

	assert_true(i < events->n);
	assert_int_equal(events->kind[i], LODE_EVENT_WAITING);
	assert_int_equal(events->reason[i], LODE_REASON_NETWORK);
	return i;
}

static int32_t who_ended(const struct lode_stream *stream, int64_t ms)
{
	const struct lode_events *events = &stream->threads.at[thread_of(stream, CLIENT)].events;
	size_t wait = wait_at(stream, ms);
	lode_thread_id who = events->other[wait];

	assert_int_equal(events->device[wait],
			 who == LODE_NONE ? LODE_DEVICE_NETWORK : LODE_DEVICE_NONE);
	return who == LODE_NONE ? 0 : stream->threads.at[who].tid;
}

static void test_who_sent_what_is_read_next_ended_the_wait(void **state)
{
	struct lode_stream *stream = busy_server(NOTHING);

	(void)state;
	assert_int_equal(who_ended(stream, 5), SERVER);
	assert_int_equal(who_ended(stream, 22), SERVER);
	lode_stream_free(stream);
}

static void test_whom_a_busy_server_was_at_is_known(void **state)
{
	struct lode_stream *stream = busy_server(NOTHING);
	lode_thread_id client = thread_of(stream, CLIENT), server = thread_of(stream, SERVER);
	size_t wait = wait_at(stream, 5);
	bool is_queued;
	int64_t until_ns;

	(void)state;
	assert_int_equal(lode_connections_serves(stream, client, wait, server, 5 * MS, &until_ns,
						 &is_queued),
			 thread_of(stream, OTHER));
	assert_true(is_queued);
	assert_int_equal(until_ns, 11 * MS);
	assert_int_equal(lode_connections_serves(stream, client, wait, server, 12 * MS, &until_ns,
						 &is_queued),
			 LODE_NONE);
	assert_false(is_queued);
	/* The second request was taken at once. */
	wait = wait_at(stream, 22);
	assert_int_equal(lode_connections_serves(stream, client, wait, server, 21 * MS, &until_ns,
						 &is_queued),
			 LODE_NONE);
	lode_stream_free(stream);
}

static void test_the_critical_path_says_whose_request_was_first(void **state)
{
	struct lode_stream *stream = busy_server(NOTHING);
	lode_thread_id client = thread_of(stream, CLIENT), server = thread_of(stream, SERVER);
	struct lode_symptom symptom = {.thread = client, .t0_ns = 3 * MS, .t1_ns = 17 * MS};
	struct lode_critpath path = {0};
	int64_t others_ns = 0, own_ns = 0, sum_ns = 0;

	(void)state;
	lode_critpath_build(&path, stream, &symptom);
	for (size_t i = 0; i < path.spans.n; i++) {
		const struct lode_link *link = &path.links.at[path.spans.at[i].link];
		int64_t length_ns = path.spans.at[i].end_ns - path.spans.at[i].start_ns;

		sum_ns += length_ns;
		if (link->thread != server)
			continue;
		if (path.links.at[link->parent].serving == thread_of(stream, OTHER))
			others_ns += length_ns;
		else
			own_ns += length_ns;
	}
	assert_int_equal(sum_ns, 14 * MS);
	assert_int_equal(others_ns, 7 * MS);
	assert_int_equal(own_ns, 4 * MS);
	lode_critpath_release(&path);
	lode_stream_free(stream);
}

static void test_nobody_is_named_without_the_record_of_the_send(void **state)
{
	struct lode_stream *stream = busy_server(ANSWER);

	(void)state;
	assert_int_equal(who_ended(stream, 5), 0);
	assert_int_equal(who_ended(stream, 22), 0);
	lode_stream_free(stream);
}

static void test_behind_lost_records_counting_begins_anew(void **state)
{
	struct lode_stream *stream = busy_server(SOME);

	(void)state;
	assert_int_equal(who_ended(stream, 5), SERVER);
	assert_int_equal(who_ended(stream, 22), SERVER);
	lode_stream_free(stream);
}

static void test_an_older_connection_is_known_once_its_ends_were_told(void **state)
{
	struct lode_stream *stream = busy_server(BEGINNING);

	(void)state;
	assert_int_equal(who_ended(stream, 5), SERVER);
	assert_int_equal(who_ended(stream, 22), SERVER);
	lode_stream_free(stream);
}

static void test_sockets_with_the_same_ends_are_not_joined(void **state)
{
	struct lode_stream *stream = busy_server(TWIN);

	(void)state;
	assert_int_equal(who_ended(stream, 5), 0);
	lode_stream_free(stream);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_who_sent_what_is_read_next_ended_the_wait),
		cmocka_unit_test(test_whom_a_busy_server_was_at_is_known),
		cmocka_unit_test(test_the_critical_path_says_whose_request_was_first),
		cmocka_unit_test(test_nobody_is_named_without_the_record_of_the_send),
		cmocka_unit_test(test_behind_lost_records_counting_begins_anew),
		cmocka_unit_test(test_an_older_connection_is_known_once_its_ends_were_told),
		cmocka_unit_test(test_sockets_with_the_same_ends_are_not_joined),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
