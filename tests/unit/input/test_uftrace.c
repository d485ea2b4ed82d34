/* input/formats/uftrace: directories as uftrace writes them: records, arguments, symbols, switches.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "input/call_source.h"
#include "input/formats/uftrace/uftrace_tasks.h"
#include "unit/input/call_trace.h"
#include "scratch.h"

enum { ENTRY, EXIT, LOST, EVENT };

#define MODULE_BASE  UINT64_C(0x555555554000)
#define LIBRARY_BASE UINT64_C(0x7f0000000000)
#define FIRST_SYMBOL UINT64_C(0x1000)
#define SYMBOL_BYTES 64

static struct scratch scratch;

struct image {
	LODE_VEC(uint8_t) bytes;
};

static void put(struct image *image, const void *data, size_t size)
{
	lode_vec_reserve(&image->bytes, image->bytes.n + size + 1);
	memcpy(image->bytes.at + image->bytes.n, data, size);
	image->bytes.n += size;
}

static void put_text(struct image *image, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
static void put_text(struct image *image, const char *format, ...)
{
	char text[512];
	va_list args;
	int n;

	va_start(args, format);
	n = vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	put(image, text, (size_t)n);
}

static const char *in_scratch(const char *format, ...) __attribute__((format(printf, 1, 2)));
static const char *in_scratch(const char *format, ...)
{
	int n = snprintf(scratch.path, sizeof(scratch.path), "%s/", scratch.dir);
	va_list args;

	va_start(args, format);
	vsnprintf(scratch.path + n, sizeof(scratch.path) - (size_t)n, format, args);
	va_end(args);
	return scratch.path;
}

static void write_image(struct image *image, const char *path)
{
	scratch_write(path, image->bytes.at ? (const void *)image->bytes.at : "", image->bytes.n);
	lode_vec_release(&image->bytes);
}

/* Odd functions are the program's, even ones a library's. */
static uint64_t address_of(uint32_t function)
{
	return (function % 2 ? MODULE_BASE : LIBRARY_BASE) + FIRST_SYMBOL +
	       (uint64_t)function * SYMBOL_BYTES + 4;
}

static void write_info(void)
{
	struct image image = {0};
	uint32_t version = 4;
	uint64_t features = 0x362, info = 0x3bff;

	put(&image, "Ftrace!", 8);
	put(&image, &version, 4);
	put(&image, "\x28\x00\x01\x02", 4);
	put(&image, &features, 8);
	put(&image, &info, 8);
	put(&image, "\x00\x04\0\0\0\0\0\0", 8);
	put_text(&image, "exename:./demo\ncmdline:uftrace record ./demo\n");
	write_image(&image, in_scratch("info"));
}

static void write_symbols(uint32_t n_functions)
{
	for (uint32_t odd = 0; odd < 2; odd++) {
		struct image image = {0};

		put_text(&image, "# symbols: %u\n# path name: %s\n", n_functions,
			 odd ? "/opt/demo" : "/lib/libx.so.1");
		for (uint32_t f = 0; f <= n_functions; f++)
			if (f % 2 == odd)
				put_text(&image, "%016" PRIx64 " T f%u\n",
					 FIRST_SYMBOL + (uint64_t)f * SYMBOL_BYTES, f);
		put_text(&image, "%016" PRIx64 " ? __sym_end\n",
			 FIRST_SYMBOL + ((uint64_t)n_functions + 2) * SYMBOL_BYTES);
		write_image(&image, in_scratch(odd ? "demo.sym" : "libx.so.1.sym"));
	}
}

static void write_maps(const struct test_trace *trace)
{
	struct image image = {0};

	put_text(&image, "%" PRIx64 "-%" PRIx64 " r-xp 00000000 00:00 0     /opt/demo\n",
		 MODULE_BASE, MODULE_BASE + 0x100000);
	put_text(&image, "%" PRIx64 "-%" PRIx64 " r-xp 00000000 00:00 0     /lib/libx.so.1\n",
		 LIBRARY_BASE, LIBRARY_BASE + 0x100000);
	put_text(&image, "7ffc00000000-7ffc00021000 rw-p 00000000 00:00 0    [stack]\n");
	write_image(&image, in_scratch("sid-0123456789abcdef.map"));
	put_text(&image, "SESS timestamp=1.000000001 pid=100 sid=0123456789abcdef "
			 "exename=\"/opt/demo\"\n");
	for (size_t i = 0; i < trace->threads.n; i++)
		put_text(&image, "TASK timestamp=1.000000002 tid=%d pid=%d\n",
			 trace->threads.at[i].tid, trace->threads.at[i].pid);
	write_image(&image, in_scratch("task.txt"));
}

static void put_record(struct image *image, int64_t t, unsigned type, bool has_more, uint32_t depth,
		       uint64_t address)
{
	uint64_t word = type | (uint64_t)has_more << 2 | 5 << 3 | (uint64_t)(depth & 0x3ff) << 6 |
			address << 16;

	put(image, &t, 8);
	put(image, &word, 8);
}

/* Arguments of a length that no record tells, and user events with theirs. */
static void put_arguments(struct image *image, struct test_random *random)
{
	for (uint32_t n = 1 + test_random_below(random, 12); n; n--) {
		uint64_t word = test_random_next(random);

		if (test_random_below(random, 2))
			word &= 0xff;
		put(image, &word, 8);
	}
}

static void put_event(struct image *image, int64_t t, struct test_random *random)
{
	uint16_t size = (uint16_t)test_random_below(random, 40);
	uint8_t data[48] = {0};

	put_record(image, t, EVENT, size > 0, 0, 1000000);
	if (size) {
		memset(data + 2, 0x5a, size);
		memcpy(data, &size, 2);
		put(image, data, (sizeof(size) + size + 7u) & ~7u);
	}
}

static void write_thread(const struct test_thread *thread, struct test_random *random)
{
	struct image image = {0};
	uint32_t depth = 0;

	for (size_t i = 0; i < thread->events.n; i++) {
		const struct test_event *e = &thread->events.at[i];
		bool is_entry = e->kind == LODE_CALL_ENTER;
		bool has_more = test_random_below(random, 4) == 0;

		if (!is_entry)
			depth--;
		put_record(&image, e->t, is_entry ? ENTRY : EXIT, has_more, depth,
			   address_of(e->function));
		if (is_entry)
			depth++;
		if (has_more)
			put_arguments(&image, random);
		else if (test_random_below(random, 20) == 0)
			put_event(&image, e->t, random);
	}
	write_image(&image, in_scratch("%d.dat", thread->tid));
}

static int read_scratch(struct test_collector *collector, struct lode_error *err)
{
	struct lode_call_options options = {.n_threads = 1};

	test_collector_init(collector);
	return lode_calls_read(scratch.dir, &options, &collector->sink, err);
}

static const struct test_shape shape = {.max_threads = 4,
					.max_events = 200,
					.n_functions = 60,
					.start = INT64_C(2382992937134),
					.typical_gap = 2000,
					.rare_gap = INT64_C(3000000000)};

static void write_directory(const struct test_trace *trace, struct test_random *random)
{
	scratch_make(&scratch);
	write_info();
	write_symbols(shape.n_functions);
	write_maps(trace);
	for (size_t i = 0; i < trace->threads.n; i++)
		write_thread(&trace->threads.at[i], random);
}

static void directories_read_as_they_were_written(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 200; seed++) {
		struct test_random random = {seed};
		struct test_collector collector;
		struct test_trace trace;
		struct lode_error err = {0};

		test_trace_random(&trace, &shape, &random);
		write_directory(&trace, &random);
		if (read_scratch(&collector, &err) < 0)
			fail_msg("seed %" PRIu64 ": %s", seed, err.message);
		if (!test_trace_equal(&trace, &collector.trace))
			fail_msg("seed %" PRIu64, seed);
		for (unsigned k = 0; k < LODE_N_LOSS_KINDS; k++)
			if (collector.losses.by_kind[k].count)
				fail_msg("seed %" PRIu64 ": %s", seed,
					 collector.losses.by_kind[k].detail);
		assert_string_equal(test_trace_thread(&collector.trace, 100, 100)->name, "demo");
		test_collector_release(&collector);
		test_trace_release(&trace);
		scratch_remove(&scratch);
	}
}

/* ---- Calls that longjmp() left ---- */

struct jump_record {
	int64_t t;
	uint32_t depth, function;
	bool is_entry;
};

typedef LODE_VEC(struct jump_record) jump_records;

/* One thread, by entries, exits and jumps: the jump's record is the second exit of a function that
 * is open no more, at the depth of the frame it returns to. */
static void make_jumps(jump_records *out, struct test_random *random)
{
	uint32_t stack[1400], depth = 0;
	uint32_t deep = test_random_below(random, 4) ? 8 : 1200;

	for (int i = 0; i < 3000; i++) {
		struct jump_record r = {.t = 1000 + 10 * (int64_t)i};
		uint32_t kind = test_random_below(random, 100);

		if (depth == 0 || (depth < deep && kind < 60)) {
			r.is_entry = true;
			r.function = 1 + test_random_below(random, 5);
			r.depth = depth;
			stack[depth++] = r.function;
		} else if (kind < 95) {
			r.depth = --depth;
			r.function = stack[depth];
		} else {
			uint32_t n = test_random_below(random, depth < 1000 ? depth : 1000);

			depth -= n;
			r.depth = depth;
			r.function = 6;
		}
		lode_vec_append(out, r);
	}
}

/* By definition: a call ends with the first later record that is not deeper than it. */
static int64_t end_of_jump(const jump_records *records, size_t i)
{
	for (size_t k = i + 1; k < records->n; k++)
		if (records->at[k].depth <= records->at[i].depth)
			return records->at[k].t;
	return -1;
}

static void calls_deeper_than_a_record_are_over(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 20; seed++) {
		struct test_random random = {seed};
		struct test_trace trace = {0};
		struct test_collector collector;
		struct lode_error err = {0};
		struct image image = {0};
		jump_records records = {0};
		LODE_VEC(size_t) open = {0};
		const struct test_thread *thread;
		size_t n_seen = 0;

		write_directory(&trace, &random);
		make_jumps(&records, &random);
		for (size_t i = 0; i < records.n; i++)
			put_record(&image, records.at[i].t, records.at[i].is_entry ? ENTRY : EXIT,
				   false, records.at[i].depth, address_of(records.at[i].function));
		write_image(&image, in_scratch("100.dat"));
		assert_int_equal(read_scratch(&collector, &err), 0);
		thread = test_trace_thread(&collector.trace, 100, 100);
		for (size_t i = 0; i < thread->events.n; i++) {
			const struct test_event *e = &thread->events.at[i];
			size_t entry;

			if (e->kind == LODE_CALL_ENTER) {
				while (!records.at[n_seen].is_entry)
					n_seen++;
				assert_int_equal(e->t, records.at[n_seen].t);
				assert_int_equal(e->function, records.at[n_seen].function);
				lode_vec_append(&open, n_seen++);
			} else if (e->function != 6) {
				assert_true(open.n > 0);
				entry = open.at[--open.n];
				assert_int_equal(e->function, records.at[entry].function);
				assert_int_equal(e->t, end_of_jump(&records, entry));
			}
		}
		for (; open.n; open.n--)
			assert_int_equal(end_of_jump(&records, open.at[open.n - 1]), -1);
		lode_vec_release(&open);
		lode_vec_release(&records);
		test_collector_release(&collector);
		scratch_remove(&scratch);
	}
}

/* Of a function that is open further out: recursive, its entry not recorded. */
static void an_exit_without_entry_ends_no_call_further_out(void **state)
{
	struct test_trace trace = {0};
	struct test_random random = {1};
	struct test_collector collector;
	struct lode_error err = {0};
	struct image image = {0};
	const struct test_thread *thread;

	(void)state;
	write_directory(&trace, &random);
	put_record(&image, 10, ENTRY, false, 0, address_of(1));
	put_record(&image, 20, ENTRY, false, 1, address_of(3));
	put_record(&image, 30, EXIT, false, 3, address_of(1));
	put_record(&image, 40, EXIT, false, 1, address_of(3));
	put_record(&image, 50, EXIT, false, 0, address_of(1));
	write_image(&image, in_scratch("100.dat"));
	assert_int_equal(read_scratch(&collector, &err), 0);
	thread = test_trace_thread(&collector.trace, 100, 100);
	assert_int_equal(thread->events.n, 4);
	assert_int_equal(thread->events.at[2].t, 40);
	assert_int_equal(collector.losses.by_kind[LODE_LOSS_BAD_RECORD].count, 1);
	test_collector_release(&collector);
	scratch_remove(&scratch);
}

/* ---- Switches ---- */

static void put_switch(struct image *image, int32_t tid, int64_t t, uint16_t misc)
{
	uint32_t type = 14;
	uint16_t size = 24;
	int32_t pid = 100;

	put(image, &type, 4);
	put(image, &misc, 2);
	put(image, &size, 2);
	put(image, &pid, 4);
	put(image, &tid, 4);
	put(image, &t, 8);
}

static void put_comm(struct image *image, int32_t tid, const char *comm)
{
	uint32_t type = 3;
	uint16_t misc = 0, size = 8 + 8 + 16 + 16;
	int32_t ids[2] = {100, tid};
	char text[16] = {0};
	uint8_t sample_id[16] = {0};

	memcpy(text, comm, strlen(comm));
	put(image, &type, 4);
	put(image, &misc, 2);
	put(image, &size, 2);
	put(image, ids, 8);
	put(image, text, 16);
	put(image, sample_id, 16);
}

enum { OUT = 1 << 13, PREEMPT = 1 << 14 };

static void time_off_the_cpu_is_a_call_where_the_thread_was(void **state)
{
	struct test_trace trace = {0};
	struct test_thread *thread = lode_vec_append_zero(&trace.threads);
	const struct test_event events[] = {{1000, 1, LODE_CALL_ENTER},
					    {2000, 2, LODE_CALL_ENTER},
					    {3000, 2, LODE_CALL_EXIT},
					    {5000, 1, LODE_CALL_EXIT}};
	static const int64_t want_t[] = {1000, 2000, 2100, 2200, 2300,
					 3000, 3100, 3200, 3300, 5000};
	/* main, f2, off, on, on again, f2's end, off, on, off, main's end */
	static const char want_kinds[] = ">>><<<><><";
	struct test_random random = {1};
	struct test_collector collector;
	struct lode_error err = {0};
	struct image image = {0};
	const struct test_thread *have;

	(void)state;
	thread->pid = thread->tid = 100;
	for (size_t i = 0; i < 4; i++)
		lode_vec_append(&thread->events, events[i]);
	write_directory(&trace, &random);
	put_switch(&image, 100, 500, OUT); /* before its first function: left out */
	put_switch(&image, 100, 900, 0);
	put_switch(&image, 100, 2100, OUT);
	put_comm(&image, 100, "worker");
	put_switch(&image, 100, 2200, 0);
	put_switch(&image, 100, 6000, OUT); /* behind its last */
	write_image(&image, in_scratch("perf-cpu0.dat"));
	put_switch(&image, 100, 2300, 0); /* a return whose leaving is missing */
	put_switch(&image, 100, 3100, OUT | PREEMPT);
	put_switch(&image, 100, 3200, 0);
	put_switch(&image, 100, 3300, OUT);
	put_switch(&image, 77, 3300, OUT); /* another program's */
	write_image(&image, in_scratch("perf-cpu3.dat"));
	assert_int_equal(read_scratch(&collector, &err), 0);
	have = test_trace_thread(&collector.trace, 100, 100);
	assert_string_equal(have->name, "worker");
	assert_int_equal(have->events.n, 10);
	for (size_t i = 0; i < 10; i++)
		assert_int_equal(have->events.at[i].t, want_t[i]);
	for (size_t i = 0; i < 10; i++)
		assert_int_equal(have->events.at[i].kind,
				 want_kinds[i] == '>' ? LODE_CALL_ENTER : LODE_CALL_EXIT);
	assert_string_equal(
		collector.names.text.at[have->events.at[2].function - TEST_OTHER_FUNCTION],
		"linux:schedule");
	assert_int_equal(have->events.at[3].function, have->events.at[2].function);
	assert_int_equal(have->events.at[4].function, have->events.at[2].function);
	assert_string_equal(
		collector.names.text.at[have->events.at[6].function - TEST_OTHER_FUNCTION],
		"linux:schedule (pre-empted)");
	assert_int_equal(have->events.at[7].function, have->events.at[6].function);
	test_collector_release(&collector);
	test_trace_release(&trace);
	scratch_remove(&scratch);
}

/* ---- Faults ---- */

static void lost_records_are_cuts_and_bad_ones_end_a_thread(void **state)
{
	struct test_trace trace = {0};
	struct test_random random = {1};
	struct test_collector collector;
	struct lode_error err = {0};
	struct image image = {0};

	(void)state;
	write_directory(&trace, &random);
	put_record(&image, 10, ENTRY, false, 0, address_of(1));
	put_record(&image, 20, LOST, false, 0, 7);
	put_record(&image, 30, EXIT, false, 0, 0x1234); /* no symbol there */
	put(&image, "not a record at all", 16);
	put_record(&image, 40, ENTRY, false, 0, address_of(1));
	write_image(&image, in_scratch("100.dat"));
	put_record(&image, 10, ENTRY, false, 0, address_of(1));
	put(&image, "cut", 3);
	write_image(&image, in_scratch("101.dat"));
	put(&image, "x", 1);
	write_image(&image, in_scratch("kernel-cpu0.dat"));
	assert_int_equal(read_scratch(&collector, &err), 0);
	assert_int_equal(collector.n_events, 4);
	assert_int_equal(test_trace_thread(&collector.trace, 100, 100)->events.at[1].kind,
			 LODE_CALL_CUT);
	assert_string_equal(collector.names.text.at[0], "0x1234");
	assert_int_equal(collector.losses.by_kind[LODE_LOSS_EVENTS].count, 7);
	assert_int_equal(collector.losses.by_kind[LODE_LOSS_BAD_RECORD].count, 1);
	assert_int_equal(collector.losses.by_kind[LODE_LOSS_TRUNCATED].count, 1);
	assert_int_equal(collector.losses.by_kind[LODE_LOSS_UNDECODABLE].count, 1);
	test_collector_release(&collector);
	scratch_remove(&scratch);
}

static void a_directory_without_records_or_of_another_version_is_refused(void **state)
{
	struct test_trace trace = {0};
	struct test_random random = {1};
	struct test_collector collector;
	struct lode_error err = {0};

	(void)state;
	write_directory(&trace, &random);
	assert_int_equal(read_scratch(&collector, &err), LODE_ERR_FORMAT);
	test_collector_release(&collector);
	scratch_write(in_scratch("info"), "Ftrace!\0\x63\0\0\0\x28\0\1\2\0\0\0\0\0\0\0\0", 24);
	assert_int_equal(read_scratch(&collector, &err), LODE_ERR_UNSUPPORTED);
	test_collector_release(&collector);
	scratch_write(in_scratch("info"), "Ftrace!\0\4", 9);
	assert_int_equal(read_scratch(&collector, &err), LODE_ERR_TRUNCATED);
	test_collector_release(&collector);
	scratch_remove(&scratch);
}

/* A fraction of any length: ".5" is half a second. */
static void times_of_tasks_are_decimal_numbers(void **state)
{
	static const char text[] = "SESS timestamp=1.5 pid=100 sid=a exename=\"/opt/demo\"\n"
				   "SESS timestamp=2382.992937134 pid=100 sid=b exename=\"/x\"\n"
				   "SESS timestamp=-1.5 pid=100 sid=c exename=\"/x\"\n"
				   "SESS timestamp=7 pid=100 sid=d exename=\"/x\"\n";
	struct lode_uftrace_tasks tasks = {0};
	struct lode_losses losses = {0};

	(void)state;
	scratch_make(&scratch);
	scratch_write(in_scratch("task.txt"), text, sizeof(text) - 1);
	lode_uftrace_tasks_load(&tasks, scratch.dir, &losses);
	assert_int_equal(tasks.sessions.n, 3);
	assert_int_equal(tasks.sessions.at[0].t_ns, 1500000000);
	assert_int_equal(tasks.sessions.at[1].t_ns, INT64_C(2382992937134));
	assert_int_equal(tasks.sessions.at[2].t_ns, INT64_C(7000000000));
	lode_uftrace_tasks_release(&tasks);
	scratch_remove(&scratch);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(directories_read_as_they_were_written),
		cmocka_unit_test(calls_deeper_than_a_record_are_over),
		cmocka_unit_test(an_exit_without_entry_ends_no_call_further_out),
		cmocka_unit_test(time_off_the_cpu_is_a_call_where_the_thread_was),
		cmocka_unit_test(lost_records_are_cuts_and_bad_ones_end_a_thread),
		cmocka_unit_test(times_of_tasks_are_decimal_numbers),
		cmocka_unit_test(a_directory_without_records_or_of_another_version_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
