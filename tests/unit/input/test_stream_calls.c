/* input/stream_calls: what a stream holds of a thread, as calls: nothing more, nothing less. */
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
#include "input/source.h"
#include "unit/input/call_trace.h"

/* Time by function of one thread: `inside` counts the innermost call only. */
struct sums {
	LODE_VEC(int64_t) inside; /* [number - TEST_OTHER_FUNCTION] */
	int64_t all;		  /* from the first event to the last, but for gaps at depth 0 */
};

static void add(struct sums *sums, uint32_t function, int64_t ns)
{
	uint32_t i = function - TEST_OTHER_FUNCTION;

	while (sums->inside.n <= i)
		lode_vec_append(&sums->inside, 0);
	sums->inside.at[i] += ns;
	sums->all += ns;
}

/* Also checks that calls nest and times never fall. */
static void sum_thread(struct sums *sums, const struct test_thread *thread)
{
	uint32_t stack[4];
	size_t depth = 0;
	int64_t since = 0;

	for (size_t i = 0; i < thread->events.n; i++) {
		const struct test_event *e = &thread->events.at[i];

		assert_true(i == 0 || e->t >= since);
		if (depth)
			add(sums, stack[depth - 1], e->t - since);
		since = e->t;
		if (e->kind == LODE_CALL_ENTER) {
			assert_true(depth < 2);
			stack[depth++] = e->function;
		} else {
			assert_int_equal(e->kind, LODE_CALL_EXIT);
			assert_true(depth > 0 && stack[depth - 1] == e->function);
			depth--;
		}
	}
	assert_int_equal(depth, 0);
}

static int64_t sum_of(const struct test_collector *collector, const struct sums *sums,
		      const char *name)
{
	uint32_t id = lode_strings_find(&collector->names, name, strlen(name));

	return id == LODE_NONE || id >= sums->inside.n ? 0 : sums->inside.at[id];
}

/* A thread's waits by reason and its time ready are the model's, to the nanosecond; all its calls
   together are all of its events. */
static void check_thread(const struct test_collector *collector, const struct sums *sums,
			 const struct lode_thread *thread)
{
	int64_t waits[LODE_N_REASONS] = {0}, ready = 0, all = 0;
	const struct lode_events *events = &thread->events;

	for (size_t i = 0; i < events->n; i++) {
		int64_t cost_ns = events->cost_ns[i];

		/* Nobody runs or waits after death, whatever was not recorded. */
		assert_true(lode_event_end_ns(events, i) <= thread->died_ns);
		all += cost_ns;
		if (events->kind[i] == LODE_EVENT_WAITING)
			waits[events->reason[i]] += cost_ns;
		else if (events->kind[i] == LODE_EVENT_READY)
			ready += cost_ns;
	}
	assert_int_equal(sums->all, all);
	assert_int_equal(sum_of(collector, sums, "ready"), ready);
	for (unsigned reason = 0; reason < LODE_N_REASONS; reason++) {
		char name[64];

		snprintf(name, sizeof(name), "wait:%s",
			 lode_wait_reason_name((enum lode_wait_reason)reason));
		assert_int_equal(sum_of(collector, sums, name), waits[reason]);
	}
}

static void check_losses(const struct lode_losses *told, const struct lode_losses *recorded)
{
	for (int k = 0; k < LODE_N_LOSS_KINDS; k++) {
		const struct lode_loss *is = &told->by_kind[k], *want = &recorded->by_kind[k];

		assert_int_equal(is->count, want->count);
		assert_int_equal(is->first_ns, want->first_ns);
		assert_int_equal(is->last_ns, want->last_ns);
		assert_int_equal(is->cost_ns, want->cost_ns);
	}
}

static char *shared(const char *file)
{
	static char path[4096];
	const char *top = getenv("LODE_TOP");

	if (!top)
		return NULL;
	snprintf(path, sizeof(path), "%s/../shared/traces/%s", top, file);
	return access(path, R_OK) ? NULL : path;
}

static void waits_of_a_recording_are_calls_of_the_same_length(void **state)
{
	const char *path = shared("startup/startup-01.perf.data.zst");
	struct lode_symbol_options none = {0};
	struct lode_call_options options = {.n_threads = 2};
	struct lode_source_options source = {.narrow = lode_narrow_none, .n_threads = 2};
	struct test_collector collector;
	struct lode_stream *stream;
	struct lode_error err = {0};
	size_t n_checked = 0;

	(void)state;
	if (!path)
		skip();
	test_collector_init(&collector);
	assert_int_equal(lode_symboliser_new(&options.symboliser, &none, &err), 0);
	source.symboliser = options.symboliser;
	assert_int_equal(lode_calls_read(path, &options, &collector.sink, &err), 0);
	assert_int_equal(lode_stream_load(&stream, path, &source, &err), 0);
	for (size_t i = 0; i < stream->threads.n; i++) {
		const struct lode_thread *thread = &stream->threads.at[i];
		const struct test_thread *calls =
			test_trace_thread(&collector.trace, thread->pid, thread->tid);
		struct sums sums = {0};

		if (!thread->events.n ||
		    lode_map_find(&stream->thread_index, (uint32_t)thread->tid) != i)
			continue; /* a number that two threads had */
		assert_non_null(calls);
		sum_thread(&sums, calls);
		check_thread(&collector, &sums, thread);
		lode_vec_release(&sums.inside);
		n_checked++;
	}
	assert_true(n_checked > 50);
	check_losses(collector.sink.losses, &stream->losses);
	lode_stream_free(stream);
	lode_symboliser_free(options.symboliser);
	test_collector_release(&collector);
}

/* Its README counts the entries and exits of the recording. */
static void system_calls_of_a_recording_are_calls(void **state)
{
	const char *path = shared("syscalls-ls/ls-02-color-warm.perf.data.zst");
	struct lode_call_options options = {.n_threads = 1};
	struct test_collector collector;
	struct lode_error err = {0};

	(void)state;
	if (!path)
		skip();
	test_collector_init(&collector);
	assert_int_equal(lode_calls_read(path, &options, &collector.sink, &err), 0);
	assert_int_equal(collector.n_events, 171870);
	assert_int_equal(collector.trace.threads.n, 1);
	for (size_t i = 0; i < collector.names.text.n; i++)
		assert_int_equal(strncmp(collector.names.text.at[i], "syscall:", 8), 0);
	test_collector_release(&collector);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(waits_of_a_recording_are_calls_of_the_same_length),
		cmocka_unit_test(system_calls_of_a_recording_are_calls),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
