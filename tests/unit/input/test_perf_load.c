/* The perf source: recordings written here come back sample by sample, damaged or whole.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <linux/perf_event.h>
#include <stdlib.h>
#include <unistd.h>
#include <zstd.h>

#include "model/connections.h"
#include "random.h"
#include "input/formats/perf/perf_abi.h"
#include "input/source.h"
#include "unit/input/perf_image.h"

/* ---- Loading images ---- */

struct watched {
	LODE_VEC(struct lode_tap_event) samples;
	LODE_VEC(uint32_t) depths; /* of each sample's stack */
};

static void on_kind(void *context, const struct lode_tap_kind *kind, struct lode_tap_wish *wish)
{
	(void)context;
	(void)kind;
	wish->id = 0;
	wish->wants_stack = true;
}

static void on_event(void *context, const struct lode_tap_event *event)
{
	struct watched *watched = context;

	lode_vec_append(&watched->samples, *event);
}

static void on_finish(void *context, const struct lode_stream *stream, const uint32_t *node_of_raw,
		      size_t n_raw)
{
	struct watched *watched = context;

	for (size_t i = 0; i < watched->samples.n; i++) {
		uint32_t raw = watched->samples.at[i].stack;

		assert_true(raw < n_raw);
		lode_vec_append(&watched->depths, stream->tree.nodes.at[node_of_raw[raw]].depth);
	}
}

static void watched_release(struct watched *watched)
{
	lode_vec_release(&watched->samples);
	lode_vec_release(&watched->depths);
}

static int load_bytes(const void *data, size_t size, unsigned n_threads,
		      struct lode_stream **stream, struct watched *watched, struct lode_error *err)
{
	struct lode_source_options options = {.narrow = lode_narrow_none, .n_threads = n_threads};
	struct lode_tap tap = {.context = watched,
			       .wants_model = true,
			       .kind = on_kind,
			       .event = on_event,
			       .finish = on_finish};
	struct lode_input *input;
	char path[64];
	int fd = perf_memory_file(data, size, path), rc;

	*stream = NULL;
	assert_int_equal(lode_input_open(&input, path, err), 0);
	options.tap = watched ? &tap : NULL;
	rc = lode_format_perf.load(stream, input, &options, err);
	lode_input_close(input);
	close(fd);
	assert_true((rc == 0) == (*stream != NULL));
	return rc;
}

static struct lode_stream *load_image(const struct perf_image *image, struct watched *watched)
{
	perf_bytes bytes = perf_image_write(image);
	struct lode_stream *stream;
	struct lode_error err = {0};

	if (load_bytes(bytes.at, bytes.n, 1, &stream, watched, &err) < 0)
		fail_msg("%s", err.message);
	lode_vec_release(&bytes);
	return stream;
}

/* ---- Images ---- */

/* Threads 100 and 200 take turns; 200 is woken by 100. */
static void small_image(struct perf_image *image, bool is_pipe)
{
	static const uint64_t chain[] = {
		PERF_CONTEXT_KERNEL, 0xffffffff81000100, 0xffffffff81000200,
		PERF_CONTEXT_USER,   0x401000,		 0x401100};
	struct perf_image_sample s = {.pid = 100, .tid = 100, .chain = chain, .n_chain = 6};
	const struct perf_image_event *clock, *sw, *wake;
	uint8_t raw[64];

	memset(image, 0, sizeof(*image));
	image->is_pipe = is_pipe;
	image->command = "prog";
	lode_vec_append(&image->events, perf_image_clock());
	lode_vec_append(&image->events,
			perf_image_trace(PERF_TRACE_SWITCH, 12, "sched:sched_switch"));
	lode_vec_append(&image->events,
			perf_image_trace(PERF_TRACE_WAKING, 13, "sched:sched_waking"));
	perf_image_trace_formats(image);
	clock = &image->events.at[0];
	sw = &image->events.at[1];
	wake = &image->events.at[2];
	perf_put_mmap(&image->records, clock, -1, 0xffffffff81000000, 0x100000,
		      "[kernel.kallsyms]_text", 0);
	perf_put_comm(&image->records, clock, 100, "perf-exec", false, 0);
	perf_put_comm(&image->records, clock, 100, "prog", true, 1000);
	perf_put_mmap(&image->records, clock, 100, 0x400000, 0x10000, "/bin/prog", 1100);
	s.time = 2000;
	s.period = 1001001;
	perf_put_sample(&image->records, clock, &s, 0);
	s.raw = raw;
	perf_switch_payload(raw, 200, "other", 1, 100, "prog");
	s.raw_bytes = 64;
	s.pid = s.tid = 200;
	s.time = 2500;
	perf_put_sample(&image->records, sw, &s, 0);
	perf_waking_payload(raw, 0, 200, "other");
	s.raw_bytes = 40;
	s.pid = s.tid = 100;
	s.time = 3000;
	perf_put_sample(&image->records, wake, &s, 0);
	perf_switch_payload(raw, 100, "prog", 2, 200, "other");
	s.raw_bytes = 64;
	s.time = 4000;
	perf_put_sample(&image->records, sw, &s, 0);
	perf_switch_payload(raw, 200, "other", 0x100, 0, "swapper/0");
	s.pid = s.tid = 200;
	s.time = 5000;
	perf_put_sample(&image->records, sw, &s, 0);
	perf_put_record(&image->records, LODE_PERF_FINISHED_ROUND, 0, NULL, 0);
}

/* ---- What a small recording says ---- */

static void check_small(const struct lode_stream *stream)
{
	const struct lode_thread *prog = perf_image_thread(stream, 100),
				 *other = perf_image_thread(stream, 200);

	assert_string_equal(stream->host, "testhost");
	assert_string_equal(stream->command, "perf prog");
	assert_int_equal(stream->n_samples, 5);
	assert_int_equal(stream->t1_ns, 5000);
	assert_true(stream->has_switches && stream->has_wakings && stream->has_samples);
	assert_int_equal(stream->event_counts.n, 3);
	assert_string_equal(stream->event_counts.at[1].name, "sched:sched_switch");
	assert_int_equal(stream->event_counts.at[1].n, 3);
	assert_int_equal(stream->event_counts.at[0].frequency, 999);
	assert_true(prog->is_command);
	assert_false(other->is_command);
	/* 200 waited from 2500 to its waking at 3000, was ready to 4000, ran, and was preempted. */
	assert_true(other->events.n >= 2);
	for (size_t i = 0; i < other->events.n; i++) {
		if (other->events.start_ns[i] == 2500) {
			assert_int_equal(other->events.kind[i], LODE_EVENT_WAITING);
			assert_int_equal(other->events.cost_ns[i], 500);
			assert_ptr_equal(&stream->threads.at[other->events.other[i]], prog);
		}
		if (other->events.start_ns[i] == 3000)
			assert_int_equal(other->events.kind[i], LODE_EVENT_READY);
	}
	for (int kind = 0; kind <= LODE_LOSS_BAD_RECORD; kind++)
		assert_int_equal(stream->losses.by_kind[kind].count, 0);
}

static void test_small_recordings_mean_what_they_say(void **state)
{
	struct perf_image image;
	struct lode_stream *stream;

	(void)state;
	for (int is_pipe = 0; is_pipe < 2; is_pipe++) {
		small_image(&image, is_pipe);
		stream = load_image(&image, NULL);
		check_small(stream);
		lode_stream_free(stream);
		perf_image_release(&image);
	}
}

/* ---- Sends and receives ---- */

static void put_traced_sample(struct perf_image *image, size_t event, int32_t tid, uint64_t time,
			      const void *raw, size_t raw_bytes)
{
	struct perf_image_sample s = {
		.pid = tid, .tid = tid, .time = time, .raw = raw, .raw_bytes = raw_bytes};

	perf_put_sample(&image->records, &image->events.at[event], &s, 0);
}

/* Thread 100 asks 200 over a new connection, and again over one that is older. */
static void sockets_image(struct perf_image *image, bool is_pipe)
{
	enum { SEND = 3, RECEIVE, STATE, NAMED };
	const struct {
		size_t event;
		int32_t tid;
		uint64_t socket;
		int32_t amount; /* bytes, or the new state */
		uint16_t port, peer_port;
	} records[] = {
		{STATE, 100, 0xa, 2, 0, 80},	{STATE, 100, 0xa, 1, 4711, 80},
		{STATE, 100, 0xb, 1, 80, 4711}, {SEND, 100, 0xa, 50, 0, 0},
		{NAMED, 200, 0xb, 0, 80, 4711}, {RECEIVE, 200, 0xb, 50, 0, 0},
		{SEND, 200, 0xb, 70, 0, 0},	{NAMED, 100, 0xa, 0, 4711, 80},
		{RECEIVE, 100, 0xa, 70, 0, 0},	{SEND, 100, 0xc, 10, 0, 0},
		{NAMED, 200, 0xd, 0, 80, 4712}, {RECEIVE, 200, 0xd, 10, 0, 0},
		{STATE, 100, 0xa, 7, 4711, 80},
	};
	uint8_t raw[72];

	small_image(image, is_pipe);
	image->records.n = 0;
	lode_vec_append(&image->events,
			perf_image_trace(PERF_TRACE_SEND, 14, "sock:sock_send_length"));
	lode_vec_append(&image->events,
			perf_image_trace(PERF_TRACE_RECEIVE, 15, "sock:sock_recv_length"));
	lode_vec_append(&image->events,
			perf_image_trace(PERF_TRACE_SOCKET_STATE, 16, "sock:inet_sock_set_state"));
	lode_vec_append(&image->events,
			perf_image_trace(PERF_TRACE_SOCKET_NAMED, 17, "tcp:tcp_rcv_space_adjust"));
	for (size_t i = 0; i < sizeof(records) / sizeof(*records); i++) {
		bool is_transfer = records[i].event == SEND || records[i].event == RECEIVE;
		int id = PERF_TRACE_SEND + (int)(records[i].event - SEND);

		if (is_transfer)
			perf_transfer_payload(raw, id, records[i].socket, records[i].amount);
		else
			perf_socket_payload(raw, id, records[i].socket, records[i].amount,
					    records[i].port, records[i].peer_port);
		put_traced_sample(image, records[i].event, records[i].tid, 1000 * (i + 1), raw,
				  is_transfer ? 28 : 72);
	}
}

static void test_sends_and_receives_make_connections(void **state)
{
	(void)state;
	for (int is_pipe = 0; is_pipe < 2; is_pipe++) {
		struct perf_image image;
		struct lode_stream *stream;
		const struct lode_connections *c;
		const struct lode_socket *a, *b;

		sockets_image(&image, is_pipe);
		stream = load_image(&image, NULL);
		c = stream->connections;
		assert_non_null(c);
		/* The two ends of the new one; of the old one, one end, and one without a name. */
		assert_int_equal(c->sockets.n, 4);
		a = &c->sockets.at[0];
		b = &c->sockets.at[1];
		assert_int_equal(a->other, 1);
		assert_int_equal(b->other, 0);
		assert_true(a->asks && !b->asks && a->is_loopback && b->is_loopback);
		assert_int_equal(a->born_ns, 1000);
		assert_int_equal(b->born_ns, 3000);
		assert_int_equal(a->died_ns, 13000);
		assert_int_equal(c->sockets.at[3].born_ns, INT64_MIN);
		assert_int_equal(c->sockets.at[3].other, LODE_NONE);
		assert_int_equal(c->transfers.n, 6);
		assert_int_equal(c->n_linked, 2);
		assert_int_equal(c->transfers.at[1].last, 0);
		assert_int_equal(c->transfers.at[3].last, 2);
		assert_int_equal(c->transfers.at[5].last, LODE_NONE);
		assert_int_equal(stream->threads.at[c->transfers.at[1].thread].tid, 200);
		assert_int_equal(stream->losses.by_kind[LODE_LOSS_BAD_RECORD].count, 0);
		lode_stream_free(stream);
		perf_image_release(&image);
	}
}

static void test_payloads_of_sockets_that_are_cut_are_bad_records(void **state)
{
	struct perf_image image;
	struct lode_stream *stream;
	uint8_t raw[28];

	(void)state;
	sockets_image(&image, false);
	perf_transfer_payload(raw, PERF_TRACE_SEND, 0xa, 5);
	put_traced_sample(&image, 3, 100, 20000, raw, 20);
	stream = load_image(&image, NULL);
	assert_int_equal(stream->losses.by_kind[LODE_LOSS_BAD_RECORD].count, 1);
	assert_int_equal(stream->connections->transfers.n, 6);
	lode_stream_free(stream);
	perf_image_release(&image);
}

/* The same content hash and the same stream, however the bytes arrive. */
static void test_wrapped_recordings_are_the_same(void **state)
{
	struct perf_image image;
	struct lode_stream *plain, *wrapped;
	struct lode_error err;
	perf_bytes bytes, packed = {0};

	(void)state;
	for (int is_pipe = 0; is_pipe < 2; is_pipe++) {
		small_image(&image, is_pipe);
		bytes = perf_image_write(&image);
		lode_vec_reserve(&packed, ZSTD_compressBound(bytes.n));
		packed.n = ZSTD_compress(packed.at, packed.capacity, bytes.at, bytes.n, 3);
		assert_int_equal(load_bytes(bytes.at, bytes.n, 1, &plain, NULL, &err), 0);
		assert_int_equal(load_bytes(packed.at, packed.n, 2, &wrapped, NULL, &err), 0);
		check_small(wrapped);
		assert_true(plain->content_hash == wrapped->content_hash);
		lode_stream_free(plain);
		lode_stream_free(wrapped);
		lode_vec_release(&bytes);
		perf_image_release(&image);
	}
	lode_vec_release(&packed);
}

/* ---- All fields of samples ---- */

enum { N_SAMPLE_BITS = 25, N_RANDOM_EVENTS = 3 };

static struct perf_image_event random_event(struct test_random *random, uint64_t id)
{
	struct perf_image_event event = perf_image_clock();

	event.type = PERF_TYPE_RAW;
	event.name = "raw";
	event.config = id;
	event.id = id;
	event.sample_type = test_random_next(random) & ((UINT64_C(1) << N_SAMPLE_BITS) - 1);
	event.sample_type |= PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TID | PERF_SAMPLE_TIME;
	event.read_format = test_random_next(random) & 31;
	event.branch_sample_type =
		test_random_next(random) & (LODE_PERF_BRANCH_HW_INDEX | LODE_PERF_BRANCH_COUNTERS);
	event.regs_user = test_random_next(random) & 0xffffff;
	event.regs_intr = test_random_next(random) & 0xffffff;
	return event;
}

/* The first event whose samples say where they were taken; NULL: none's do. */
static const struct perf_image_event *first_counter(const struct perf_image *image)
{
	for (size_t i = 0; i < image->events.n; i++)
		if (image->events.at[i].sample_type & (PERF_SAMPLE_IP | PERF_SAMPLE_CALLCHAIN))
			return &image->events.at[i];
	return NULL;
}

static void put_random_sample(struct test_random *random, struct perf_image *image,
			      struct watched *expected, uint64_t time)
{
	const struct perf_image_event *event =
		&image->events.at[test_random_below(random, (uint32_t)image->events.n)];
	uint64_t type = event->sample_type, chain[12], raw[4] = {0};
	uint32_t n_user = test_random_below(random, 10);
	struct perf_image_sample s = {.time = time, .chain = chain, .raw = raw};
	struct lode_tap_event seen = {.t_ns = (int64_t)time};
	bool has_stack;

	s.pid = (int32_t)test_random_below(random, 1000) + 1;
	s.tid = s.pid + 1;
	s.cpu = test_random_below(random, 8);
	s.n_chain = n_user ? n_user + 1 : 0;
	s.raw_bytes = test_random_below(random, 33);
	chain[0] = PERF_CONTEXT_USER;
	for (uint32_t i = 1; i <= n_user; i++)
		chain[i] = 0x1000 + test_random_below(random, 50);
	perf_put_sample(&image->records, event, &s, test_random_below(random, 60));
	seen.pid = s.pid;
	seen.tid = s.tid;
	seen.cpu = type & PERF_SAMPLE_CPU ? s.cpu : UINT32_MAX;
	lode_vec_append(&expected->samples, seen);
	/* Nothing is mapped: all frames of a chain are one. Of the counter that carries the cost
	   the address does without a chain. */
	has_stack = type & PERF_SAMPLE_CALLCHAIN
			    ? n_user > 0
			    : event == first_counter(image) && type & PERF_SAMPLE_IP;
	lode_vec_append(&expected->depths, has_stack);
}

static void check_same(const struct watched *seen, const struct watched *expected, uint64_t seed)
{
	if (seen->samples.n != expected->samples.n)
		fail_msg("seed %llu: %zu samples of %zu", (unsigned long long)seed, seen->samples.n,
			 expected->samples.n);
	for (size_t i = 0; i < seen->samples.n; i++) {
		const struct lode_tap_event *a = &seen->samples.at[i],
					    *b = &expected->samples.at[i];

		if (a->t_ns != b->t_ns || a->pid != b->pid || a->tid != b->tid ||
		    a->cpu != b->cpu || seen->depths.at[i] != expected->depths.at[i])
			fail_msg("seed %llu: sample %zu differs", (unsigned long long)seed, i);
	}
}

/* Records of random events, as they are or compressed, in files and pipes, by 1 to 3 threads. */
static void test_every_sample_type_is_taken_apart(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 300; seed++) {
		struct test_random random = {seed};
		struct perf_image image = {.is_pipe = seed & 1};
		struct watched expected = {0}, seen = {0};
		struct lode_stream *stream;
		struct lode_error err = {0};
		perf_bytes packed = {0}, bytes;

		for (uint64_t id = 1; id <= N_RANDOM_EVENTS; id++)
			lode_vec_append(&image.events, random_event(&random, id));
		for (uint64_t i = 0; i < 60; i++)
			put_random_sample(&random, &image, &expected, 1000 + i * 10);
		if (test_random_below(&random, 2)) {
			perf_compress_records(&packed, &image.records,
					      1 + test_random_below(&random, 3000));
			lode_vec_release(&image.records);
			memcpy(&image.records, &packed, sizeof(packed));
		}
		bytes = perf_image_write(&image);
		if (load_bytes(bytes.at, bytes.n, 1 + test_random_below(&random, 3), &stream, &seen,
			       &err) < 0)
			fail_msg("seed %llu: %s", (unsigned long long)seed, err.message);
		check_same(&seen, &expected, seed);
		if (stream->losses.by_kind[LODE_LOSS_BAD_RECORD].count)
			fail_msg("seed %llu: %s", (unsigned long long)seed,
				 stream->losses.by_kind[LODE_LOSS_BAD_RECORD].detail);
		lode_stream_free(stream);
		watched_release(&expected);
		watched_release(&seen);
		lode_vec_release(&bytes);
		perf_image_release(&image);
	}
}

/* ---- Order ---- */

static int compare_times(const void *a, const void *b)
{
	const struct lode_tap_event *x = a, *y = b;

	/* `stack` is the place in the file. */
	return x->t_ns != y->t_ns ? (x->t_ns < y->t_ns ? -1 : 1) : x->stack < y->stack ? -1 : 1;
}

/* Rounds of buffers of several CPUs: each buffer ascends, rounds overlap by less than a round. */
static void put_rounds(struct test_random *random, struct perf_image *image,
		       struct watched *expected)
{
	uint32_t n_rounds = 1 + test_random_below(random, 6),
		 n_cpus = 1 + test_random_below(random, 4);
	struct perf_image_sample s = {.pid = 1};

	for (uint32_t round = 0; round < n_rounds; round++) {
		for (uint32_t cpu = 0; cpu < n_cpus; cpu++) {
			uint32_t n = test_random_below(random, 20);
			uint64_t time = 1000 + round * 100 - test_random_below(random, 50);

			for (uint32_t i = 0; i < n; i++) {
				struct lode_tap_event seen = {.pid = 1, .cpu = cpu};

				time += test_random_below(random, 4);
				s.time = time;
				s.cpu = cpu;
				s.tid = (int32_t)expected->samples.n;
				perf_put_sample(&image->records, &image->events.at[0], &s, 0);
				seen.t_ns = (int64_t)time;
				seen.tid = s.tid;
				seen.stack = (uint32_t)expected->samples.n;
				lode_vec_append(&expected->samples, seen);
				lode_vec_append(&expected->depths, 0);
			}
		}
		if (test_random_below(random, 8))
			perf_put_record(&image->records, LODE_PERF_FINISHED_ROUND, 0, NULL, 0);
	}
}

static void test_buffers_are_merged_by_time_and_keep_file_order(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 500; seed++) {
		struct test_random random = {seed};
		struct perf_image image = {0};
		struct watched expected = {0}, seen = {0};
		struct lode_stream *stream;

		lode_vec_append(&image.events, perf_image_clock());
		put_rounds(&random, &image, &expected);
		/* A recording without any record is an error of its own. */
		if (expected.samples.n) {
			qsort(expected.samples.at, expected.samples.n, sizeof(*expected.samples.at),
			      compare_times);
			stream = load_image(&image, &seen);
			check_same(&seen, &expected, seed);
			assert_int_equal(stream->losses.by_kind[LODE_LOSS_UNORDERED].count, 0);
			lode_stream_free(stream);
		}
		watched_release(&expected);
		watched_release(&seen);
		perf_image_release(&image);
	}
}

/* ---- Damage ---- */

/* Every prefix is an error with words, or a stream that says that it is cut. */
static void test_every_prefix_is_sound(void **state)
{
	struct perf_image image;
	struct lode_stream *stream;
	struct lode_error err;
	perf_bytes bytes;

	(void)state;
	for (int is_pipe = 0; is_pipe < 2; is_pipe++) {
		size_t n_streams = 0, last_samples = 0;

		small_image(&image, is_pipe);
		bytes = perf_image_write(&image);
		for (size_t size = 1; size < bytes.n; size++) {
			err.message[0] = 0;
			if (load_bytes(bytes.at, size, 1, &stream, NULL, &err) < 0) {
				assert_true(err.message[0] && err.status < 0);
				continue;
			}
			n_streams++;
			/* More bytes never mean fewer samples; a pipe has no promised end. */
			assert_true(stream->n_samples >= last_samples);
			last_samples = stream->n_samples;
			if (!is_pipe)
				assert_true(stream->losses.by_kind[LODE_LOSS_TRUNCATED].count);
			lode_stream_free(stream);
		}
		assert_true(n_streams > 100);
		assert_int_equal(last_samples, 5);
		lode_vec_release(&bytes);
		perf_image_release(&image);
	}
}

static void test_flipped_bytes_do_no_harm(void **state)
{
	struct perf_image image;
	struct lode_stream *stream;
	struct lode_error err;
	perf_bytes bytes;

	(void)state;
	for (int is_pipe = 0; is_pipe < 2; is_pipe++) {
		small_image(&image, is_pipe);
		bytes = perf_image_write(&image);
		for (size_t i = 0; i < bytes.n; i++) {
			static const uint8_t flips[] = {0x01, 0x80, 0xff};
			uint8_t good = bytes.at[i];

			bytes.at[i] = good ^ flips[i % 3];
			err.message[0] = 0;
			if (load_bytes(bytes.at, bytes.n, 1, &stream, NULL, &err) < 0)
				assert_true(err.message[0] && err.status < 0);
			else
				assert_true(stream->n_samples <= 5);
			lode_stream_free(stream);
			bytes.at[i] = good;
		}
		lode_vec_release(&bytes);
		perf_image_release(&image);
	}
}

static void check_refused(const void *data, size_t size, enum lode_status status, const char *words)
{
	struct lode_stream *stream;
	struct lode_error err = {0};

	assert_int_equal(load_bytes(data, size, 1, &stream, NULL, &err), status);
	assert_non_null(strstr(err.message, words));
}

static void test_what_cannot_be_read_is_refused_in_words(void **state)
{
	(void)state;
	check_refused("2ELIFREP\0\0\0\0\0\0\0\x68", 16, LODE_ERR_UNSUPPORTED, "big-endian");
	check_refused("PERFFILE\x68\0\0\0\0\0\0\0", 16, LODE_ERR_UNSUPPORTED, "version 1");
	check_refused("PERFILE2\x68\0\0\0\0\0\0\0", 16, LODE_ERR_TRUNCATED, "header");
	check_refused("PERFILE2\x10\0\0\0\0\0\0\0", 16, LODE_ERR_TRUNCATED, "describes an event");
	check_refused("something else..", 16, LODE_ERR_FORMAT, "PERFILE2");
}

/* ---- One record at a time ---- */

static void test_lost_records_are_counted(void **state)
{
	/* In LOST records; in LOST_SAMPLES, which repeat them; lost. */
	static const uint64_t cases[][3] = {{42, 11, 42}, {42, 42, 42}, {42, 53, 53}, {0, 11, 11}};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		uint64_t lost[2] = {7, cases[i][0]}, samples = cases[i][1];
		struct lode_stream *stream;
		struct perf_image image;

		small_image(&image, false);
		perf_put_traced(&image.records, &image.events.at[0], PERF_RECORD_LOST, 0, lost, 16,
				100, 6000, 0);
		perf_put_traced(&image.records, &image.events.at[0], PERF_RECORD_LOST_SAMPLES, 0,
				&samples, 8, 100, i % 2 ? 0 : 6001, 0);
		stream = load_image(&image, NULL);
		assert_int_equal(stream->losses.by_kind[LODE_LOSS_EVENTS].count, cases[i][2]);
		lode_stream_free(stream);
		perf_image_release(&image);
	}
}

static void test_unknown_records_and_aux_traces_are_passed_over(void **state)
{
	struct perf_image image;
	struct lode_stream *stream;
	uint64_t aux[5] = {5000};
	perf_bytes before;

	(void)state;
	for (int is_pipe = 0; is_pipe < 2; is_pipe++) {
		small_image(&image, is_pipe);
		memcpy(&before, &image.records, sizeof(before));
		memset(&image.records, 0, sizeof(image.records));
		perf_put_record(&image.records, 60, 0, aux, 40);
		perf_put_record(&image.records, 200, 0, aux, 24);
		perf_put_record(&image.records, LODE_PERF_AUXTRACE, 0, aux, 40);
		for (int i = 0; i < 5000 / 8; i++)
			perf_put_u64(&image.records, UINT64_MAX);
		perf_put(&image.records, before.at, before.n);
		stream = load_image(&image, NULL);
		check_small(stream);
		lode_stream_free(stream);
		lode_vec_release(&before);
		perf_image_release(&image);
	}
}

/* A CPU that idles runs no tracepoint on some virtual machines, and writes switch records. */
static void test_switch_records_tell_who_comes_in_after_idle(void **state)
{
	static const int32_t idle[2] = {0, 0}, other[2] = {200, 200};
	struct perf_image_sample s = {.pid = 100, .tid = 100, .time = 9000};
	uint64_t contradictions[2];

	(void)state;
	for (int has_record = 0; has_record < 2; has_record++) {
		const struct perf_image_event *sw;
		const struct lode_thread *prog;
		struct lode_stream *stream;
		struct perf_image image;
		uint8_t raw[64];
		size_t last;

		small_image(&image, false);
		sw = &image.events.at[1];
		image.records.n -= LODE_PERF_RECORD_HEADER_BYTES; /* the round goes on */
		if (has_record) {
			perf_put_traced(&image.records, sw, PERF_RECORD_SWITCH_CPU_WIDE, 0, idle,
					sizeof(idle), 100, 7000, 0);
			/* Not after idle: what the tracepoint says counts. */
			perf_put_traced(&image.records, sw, PERF_RECORD_SWITCH_CPU_WIDE, 0, other,
					sizeof(other), 200, 7500, 0);
		}
		perf_switch_payload(raw, 100, "prog", 1, 0, "swapper/0");
		s.raw = raw;
		s.raw_bytes = sizeof(raw);
		perf_put_sample(&image.records, sw, &s, 0);
		perf_put_record(&image.records, LODE_PERF_FINISHED_ROUND, 0, NULL, 0);
		stream = load_image(&image, NULL);
		prog = perf_image_thread(stream, 100);
		last = prog->events.n - 1;
		/* Without the record nothing says that it ran at all since it left at 4000. */
		assert_int_equal(stream->losses.by_kind[LODE_LOSS_IDLE_GAP].count, !has_record);
		/* The first sight of a thread is one, too. */
		assert_int_equal(stream->losses.by_kind[LODE_LOSS_NO_SWITCH_IN].count,
				 1 + !has_record);
		contradictions[has_record] = stream->losses.by_kind[LODE_LOSS_CONTRADICTION].count;
		if (has_record) {
			assert_int_equal(contradictions[1], contradictions[0]);
			assert_int_equal(prog->events.kind[last], LODE_EVENT_RUNNING);
			assert_int_equal(prog->events.start_ns[last], 7000);
			assert_int_equal(prog->events.cost_ns[last], 2000);
			assert_int_equal(prog->events.kind[last - 1], LODE_EVENT_WAITING);
			assert_int_equal(prog->events.start_ns[last - 1], 4000);
			assert_int_equal(prog->events.cost_ns[last - 1], 3000);
			assert_true(prog->events.flags[last - 1] & LODE_EVENT_NO_WAKER);
		}
		lode_stream_free(stream);
		perf_image_release(&image);
	}
}

/* perf begins with a period of one cycle, on each CPU: those samples are microseconds apart, and
   once stood for a whole interval each, so that a program of 2 ms cost 3.3 ms. */
static void test_samples_of_a_rate_that_is_being_found_cost_their_distance(void **state)
{
	static const struct {
		uint64_t us, period;
		uint32_t cpu;
		int64_t cost_us;
	} samples[] = {
		{1000, 1, 0, 0},	{1003, 1, 0, 3},	{1005, 13, 0, 2},
		{1007, 204, 0, 2},	{1008, 1, 1, 0},	{1009, 3296, 0, 2},
		{1010, 7, 1, 2},	{1011, 52475, 0, 2},	{1024, 826009, 0, 13},
		{1274, 800000, 0, 250}, {1394, 810000, 0, 250}, /* jitter is none of it */
		{9000, 400000, 1, 250}, {9010, 390000, 1, 250},
	};
	struct perf_image image = {.command = "prog"};
	struct perf_image_event event = perf_image_clock();
	struct lode_stream *stream;
	const struct lode_events *events;

	(void)state;
	event.type = PERF_TYPE_HARDWARE;
	event.config = PERF_COUNT_HW_CPU_CYCLES;
	event.period = 4000;
	event.name = "cycles";
	lode_vec_append(&image.events, event);
	for (size_t i = 0; i < sizeof(samples) / sizeof(*samples); i++) {
		struct perf_image_sample s = {.pid = 7,
					      .tid = 7,
					      .cpu = samples[i].cpu,
					      .time = samples[i].us * 1000,
					      .period = samples[i].period};

		perf_put_sample(&image.records, &event, &s, 0);
	}
	stream = load_image(&image, NULL);
	events = &perf_image_thread(stream, 7)->events;
	for (size_t i = 0, n = 0; i < sizeof(samples) / sizeof(*samples); i++) {
		if (!samples[i].cost_us) /* the model has no event without a cost */
			continue;
		assert_true(n < events->n);
		assert_int_equal(events->cost_ns[n++], samples[i].cost_us * 1000);
	}
	lode_stream_free(stream);
	perf_image_release(&image);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_small_recordings_mean_what_they_say),
		cmocka_unit_test(test_samples_of_a_rate_that_is_being_found_cost_their_distance),
		cmocka_unit_test(test_wrapped_recordings_are_the_same),
		cmocka_unit_test(test_every_sample_type_is_taken_apart),
		cmocka_unit_test(test_buffers_are_merged_by_time_and_keep_file_order),
		cmocka_unit_test(test_every_prefix_is_sound),
		cmocka_unit_test(test_flipped_bytes_do_no_harm),
		cmocka_unit_test(test_what_cannot_be_read_is_refused_in_words),
		cmocka_unit_test(test_lost_records_are_counted),
		cmocka_unit_test(test_sends_and_receives_make_connections),
		cmocka_unit_test(test_payloads_of_sockets_that_are_cut_are_bad_records),
		cmocka_unit_test(test_switch_records_tell_who_comes_in_after_idle),
		cmocka_unit_test(test_unknown_records_and_aux_traces_are_passed_over),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
