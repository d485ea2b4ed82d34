/* Chains of waits made by hand: through locks to a disk, to the client that keeps a server busy. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "engine/waits/aoi.h"
#include "unit/engine/random_stream.h"

enum { STACK_BYTES = 4096 };

static int64_t cost_of(const struct lode_digest *digest, const char *stack)
{
	char text[STACK_BYTES];
	int64_t cost_ns = 0;

	for (size_t i = 0; i < digest->rows.n; i++) {
		text[0] = '\0';
		append_frames(text, sizeof(text), &digest->tree, digest->rows.at[i].stack);
		if (!strcmp(text, stack))
			cost_ns += digest->rows.at[i].cost_ns;
	}
	return cost_ns;
}

/* Sums the costs of `stack` for a symptom of thread 0 over all of its time; frees the stream. */
static int64_t cost_in(struct lode_stream *stream, const char *stack)
{
	struct lode_symptom symptom = {.thread = 0, .t0_ns = 0, .t1_ns = stream->t1_ns};
	struct lode_aoi_options options = {.scope = LODE_SCOPE_CRITICAL};
	struct lode_digest *digest;
	struct lode_error err;
	int64_t cost_ns;

	assert_int_equal(lode_aoi_digest(&digest, stream, &symptom, 1, &options, &err), LODE_OK);
	cost_ns = cost_of(digest, stack);
	lode_digest_free(digest);
	lode_stream_free(stream);
	return cost_ns;
}

static struct lode_stream *lock_chain(void)
{
	static const char *const comms[] = {"pluginhost", "ph-store", "ph-journal"};
	struct lode_stream *stream = stream_of_threads(comms, 3);

	add_run(stream, 0, 0, 10, "main");
	add_wait(stream, 0, 10, 100, "main;restore;lock", 1, LODE_DEVICE_NONE);
	add_run(stream, 0, 100, 110, "main");
	add_run(stream, 1, 0, 20, "start;checkpoint");
	add_wait(stream, 1, 20, 90, "start;checkpoint;lock", 2, LODE_DEVICE_NONE);
	add_run(stream, 1, 90, 120, "start;checkpoint");
	add_wait(stream, 2, 0, 85, "start;flush;fsync", LODE_NONE, LODE_DEVICE_DISK);
	add_run(stream, 2, 85, 120, "start;flush");
	stream->t1_ns = 120;
	return stream;
}

static void test_a_lock_held_over_two_hops_shows_its_chain_down_to_the_disk(void **state)
{
	struct lode_stream *stream = lock_chain();
	struct lode_symptom symptom = {.thread = 0, .t0_ns = 0, .t1_ns = 110};
	struct lode_aoi_options options = {.scope = LODE_SCOPE_CRITICAL};
	struct lode_digest *digest;

	(void)state;
	assert_int_equal(lode_aoi_digest(&digest, stream, &symptom, 1, &options, NULL), 0);
	assert_int_equal(digest->rows.n, 4);
	assert_int_equal(cost_of(digest, ";app!main"), 20);
	assert_int_equal(cost_of(digest, ";app!main;app!restore;app!lock;→ ph-store;app!start;"
					 "app!checkpoint"),
			 20);
	assert_int_equal(cost_of(digest, ";app!main;app!restore;app!lock;→ ph-store;app!start;"
					 "app!checkpoint;app!lock;→ ph-journal;app!start;app!flush;"
					 "app!fsync;→ disk"),
			 65);
	assert_int_equal(cost_of(digest, ";app!main;app!restore;app!lock;→ ph-store;app!start;"
					 "app!checkpoint;app!lock;→ ph-journal;app!start;"
					 "app!flush"),
			 5);
	lode_digest_free(digest);
	options.own_stacks = true;
	assert_int_equal(lode_aoi_digest(&digest, stream, &symptom, 1, &options, NULL), 0);
	assert_int_equal(cost_of(digest, ";app!start;app!flush;app!fsync"), 65);
	lode_digest_free(digest);
	lode_stream_free(stream);
}

/* A server that `keys` keeps busy until 80, while `get` waits since `asked_ns`. */
static struct lode_stream *busy_server(int64_t asked_ns, int32_t keys_pid, const char *keys_place)
{
	static const char *const comms[] = {"get", "server", "keys"};
	struct lode_stream *stream = stream_of_threads(comms, 3);

	for (int i = 0; i < 3; i++)
		stream->threads.at[i].pid = i + 1;
	stream->threads.at[2].pid = keys_pid;
	add_run(stream, 0, 0, asked_ns, "main");
	add_request_wait(stream, 0, asked_ns, 90, "main;read", 1);
	add_run(stream, 0, 90, 100, "main");
	add_request_wait(stream, 1, 0, 2, "loop;epoll_wait", 0);
	add_run(stream, 1, 2, 4, "loop");
	add_request_wait(stream, 1, 4, 20, keys_place, 2);
	add_run(stream, 1, 20, 80, "loop;keysCommand");
	add_run(stream, 1, 80, 100, "loop;getCommand");
	add_run(stream, 2, 0, 22, "main");
	add_request_wait(stream, 2, 22, 80, "main;read", 1);
	add_run(stream, 2, 80, 100, "main");
	stream->t1_ns = 100;
	return stream;
}

static void test_who_keeps_a_server_busy_is_named(void **state)
{
#define LOOP "loop;epoll_wait"
#define FOR_KEYS \
	";app!main;app!read;→ server;[client]!(busy with keys, inferred);app!loop;app!keysCommand"
#define FOR_NONE ";app!main;app!read;→ server;app!loop;app!"
	(void)state;
	assert_int_equal(cost_in(busy_server(30, 3, LOOP), FOR_KEYS), 50);
	assert_int_equal(cost_in(busy_server(30, 3, LOOP), FOR_NONE "getCommand"), 10);
	/* Who asked later than the symptom's thread is not what it waits for. */
	assert_int_equal(cost_in(busy_server(10, 3, LOOP), FOR_NONE "keysCommand"), 60);
	/* Threads of one process are not each other's clients. */
	assert_int_equal(cost_in(busy_server(30, 2, LOOP), FOR_NONE "keysCommand"), 50);
	/* Nor is a database of its own a server's client. */
	assert_int_equal(cost_in(busy_server(30, 3, "loop;query"), FOR_NONE "keysCommand"), 50);
}

static void test_a_request_handed_on_to_a_pool_is_the_first_client_s(void **state)
{
	static const char *const comms[] = {"fast", "nginx", "php-fpm", "slow"};
	struct lode_stream *stream = stream_of_threads(comms, 4);

	(void)state;
	for (int i = 0; i < 4; i++)
		stream->threads.at[i].pid = i + 1;
	add_run(stream, 0, 0, 30, "main");
	add_request_wait(stream, 0, 30, 100, "main;poll", 1);
	add_run(stream, 0, 100, 110, "main");
	add_request_wait(stream, 1, 0, 10, "epoll", 3);
	add_run(stream, 1, 10, 15, "send");
	add_request_wait(stream, 1, 15, 31, "epoll", 0);
	add_run(stream, 1, 31, 33, "send");
	add_request_wait(stream, 1, 33, 95, "epoll", 2);
	add_run(stream, 1, 95, 110, "send");
	add_request_wait(stream, 2, 0, 14, "accept", 1);
	add_run(stream, 2, 14, 80, "report");
	add_run(stream, 2, 80, 110, "hello");
	add_run(stream, 3, 0, 11, "main");
	add_request_wait(stream, 3, 11, 110, "main;poll", 1);
	stream->t1_ns = 110;
	assert_int_equal(cost_in(stream, ";app!main;app!poll;→ nginx;app!epoll;→ php-fpm;"
					 "[client]!(busy with slow, inferred);app!report"),
			 47); /* from 33 on, when nginx waits again, to 80 */
}

/* `fast` waits from 10 to 90 for worker 1, which another keeps busy until 80 as worker 2 is; or
   that idles. */
static struct lode_stream *two_workers(bool does_one_idle)
{
	static const char *const comms[] = {"fast", "slow", "worker", "worker", "master"};
	struct lode_stream *stream = stream_of_threads(comms, 5);

	for (int i = 0; i < 5; i++)
		stream->threads.at[i].pid = stream->threads.at[i].tid = i + 1;
	stream->threads.at[0].tid = stream->threads.at[0].pid = 6;
	stream->threads.at[2].parent = stream->threads.at[3].parent = 4;
	add_run(stream, 0, 0, 10, "main");
	add_request_wait(stream, 0, 10, 90, "main;read", 2);
	add_run(stream, 0, 90, 100, "main");
	add_run(stream, 1, 0, 5, "main");
	add_request_wait(stream, 1, 5, 80, "main;read", 2);
	add_run(stream, 1, 80, 100, "main");
	add_request_wait(stream, 2, 0, 2, "accept", 0);
	add_run(stream, 2, 2, 3, "hello");
	add_request_wait(stream, 2, 3, 7, "accept", 1);
	add_run(stream, 2, 7, 80, "sort");
	add_run(stream, 2, 80, 100, "hello");
	add_request_wait(stream, 3, 0, 3, "accept", 0);
	if (does_one_idle) {
		add_run(stream, 3, 3, 6, "md5");
		add_request_wait(stream, 3, 6, 100, "accept", LODE_NONE);
	} else {
		add_run(stream, 3, 3, 60, "md5");
		add_wait(stream, 3, 60, 100, "query", LODE_NONE, LODE_DEVICE_DISK);
	}
	stream->t1_ns = 100;
	return stream;
}

static void test_a_queue_s_time_is_that_of_all_its_workers(void **state)
{
#define WORKER ";app!main;app!read;→ worker;"
	(void)state;
	assert_int_equal(cost_in(two_workers(false), WORKER "[client]!(busy with slow, inferred);"
							    "app!sort"),
			 35);
	assert_int_equal(cost_in(two_workers(false), WORKER "app!md5"), 25);
	assert_int_equal(cost_in(two_workers(false), WORKER "app!query;→ disk"), 10);
	assert_int_equal(cost_in(two_workers(false), WORKER "app!hello"), 10);
	assert_int_equal(cost_in(two_workers(true), WORKER "[client]!(busy with slow, inferred);"
							   "app!sort"),
			 70);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_lock_held_over_two_hops_shows_its_chain_down_to_the_disk),
		cmocka_unit_test(test_who_keeps_a_server_busy_is_named),
		cmocka_unit_test(test_a_request_handed_on_to_a_pool_is_the_first_client_s),
		cmocka_unit_test(test_a_queue_s_time_is_that_of_all_its_workers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
