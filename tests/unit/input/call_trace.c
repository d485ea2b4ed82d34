#include "unit/input/call_trace.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Random traces ---- */

static int64_t random_gap(const struct test_shape *shape, struct test_random *random)
{
	uint32_t kind = test_random_below(random, 100);

	if (kind < 10)
		return 0;
	if (kind < 97 || !shape->rare_gap)
		return test_random_below(random, (uint32_t)shape->typical_gap + 1);
	return (int64_t)(test_random_next(random) % (uint64_t)shape->rare_gap);
}

static void random_thread(struct test_thread *thread, const struct test_shape *shape,
			  struct test_random *random)
{
	uint32_t n = 1 + test_random_below(random, shape->max_events), depth = 0;
	int64_t t = shape->start + test_random_below(random, 1000);
	uint32_t stack[64];

	if (shape->is_open) /* functions entered before the trace begins */
		for (depth = test_random_below(random, 5); depth;) {
			struct test_event event = {.t = t, .kind = LODE_CALL_EXIT};

			event.function = 1 + test_random_below(random, shape->n_functions);
			lode_vec_append(&thread->events, event);
			t += random_gap(shape, random);
			depth--;
		}
	for (uint32_t i = 0; i < n || depth; i++) {
		struct test_event event = {.t = t};

		if (i >= n && shape->is_open && test_random_below(random, 3) == 0)
			break;
		if (i < n && depth < 64 && (depth == 0 || test_random_below(random, 2))) {
			event.function = 1 + test_random_below(random, shape->n_functions);
			event.kind = LODE_CALL_ENTER;
			stack[depth++] = event.function;
		} else {
			event.function = stack[--depth];
			event.kind = shape->has_tail_exits && test_random_below(random, 4) == 0
					     ? LODE_CALL_EXIT_TAIL
					     : LODE_CALL_EXIT;
		}
		lode_vec_append(&thread->events, event);
		t += random_gap(shape, random);
	}
}

void test_trace_random(struct test_trace *trace, const struct test_shape *shape,
		       struct test_random *random)
{
	uint32_t n = 1 + test_random_below(random, shape->max_threads);

	memset(trace, 0, sizeof(*trace));
	for (uint32_t i = 0; i < n; i++) {
		struct test_thread *thread = lode_vec_append_zero(&trace->threads);

		thread->pid = 100;
		thread->tid = 100 + (int32_t)i;
		random_thread(thread, shape, random);
	}
}

void test_trace_release(struct test_trace *trace)
{
	for (size_t i = 0; i < trace->threads.n; i++)
		lode_vec_release(&trace->threads.at[i].events);
	lode_vec_release(&trace->threads);
}

struct test_thread *test_trace_thread(struct test_trace *trace, int32_t pid, int32_t tid)
{
	for (size_t i = 0; i < trace->threads.n; i++)
		if (trace->threads.at[i].pid == pid && trace->threads.at[i].tid == tid)
			return &trace->threads.at[i];
	return NULL;
}

static const char *kind_name(uint8_t kind)
{
	static const char *const names[] = {"enter", "exit", "tail exit", "exit any", "cut"};

	return names[kind];
}

static void print_event(const char *what, const struct test_thread *thread, size_t i)
{
	if (i >= thread->events.n)
		printf("  %s: ends after %zu events\n", what, thread->events.n);
	else
		printf("  %s: %" PRId64 " %s %u\n", what, thread->events.at[i].t,
		       kind_name(thread->events.at[i].kind), thread->events.at[i].function);
}

static bool thread_equal(const struct test_thread *want, const struct test_thread *have)
{
	for (size_t i = 0; i < want->events.n || i < have->events.n; i++) {
		const struct test_event *a = &want->events.at[i], *b = &have->events.at[i];

		if (i < want->events.n && i < have->events.n && a->t == b->t &&
		    a->kind == b->kind && a->function == b->function)
			continue;
		printf("thread %d, event %zu:\n", want->tid, i);
		print_event("want", want, i);
		print_event("have", have, i);
		return false;
	}
	return true;
}

bool test_trace_equal(const struct test_trace *want, const struct test_trace *have)
{
	static const struct test_thread none;
	size_t n_want = 0, n_have = 0;

	for (size_t i = 0; i < have->threads.n; i++)
		n_have += have->threads.at[i].events.n > 0;
	for (size_t i = 0; i < want->threads.n; i++) {
		const struct test_thread *thread = &want->threads.at[i], *other;

		if (thread->events.n == 0)
			continue;
		n_want++;
		other = test_trace_thread((struct test_trace *)have, thread->pid, thread->tid);
		if (!thread_equal(thread, other ? other : &none))
			return false;
	}
	if (n_want != n_have)
		printf("want %zu threads, have %zu\n", n_want, n_have);
	return n_want == n_have;
}

/* ---- Collecting ---- */

static uint32_t on_thread(void *context, int32_t pid, int32_t tid, const char *name)
{
	struct test_collector *collector = context;
	struct test_thread *thread = test_trace_thread(&collector->trace, pid, tid);

	if (!thread) {
		thread = lode_vec_append_zero(&collector->trace.threads);
		thread->pid = pid;
		thread->tid = tid;
	}
	if (name)
		snprintf(thread->name, sizeof(thread->name), "%s", name);
	return (uint32_t)(thread - collector->trace.threads.at);
}

static uint32_t on_function(void *context, const char *module, const char *name)
{
	struct test_collector *collector = context;
	char *end;
	uint32_t number = (uint32_t)strtoul(name + (*name != '\0'), &end, 10);

	(void)module;
	if ((*name != 'f' && *name != '#') || *end || number == 0)
		number = TEST_OTHER_FUNCTION +
			 lode_strings_intern(&collector->names, name, strlen(name));
	lode_vec_append(&collector->functions, number);
	return (uint32_t)(collector->functions.n - 1);
}

static int on_events(void *context, uint32_t thread, const struct lode_call_event *at, size_t n,
		     struct lode_error *err)
{
	struct test_collector *collector = context;

	(void)err;
	if (thread >= collector->trace.threads.n || n == 0)
		abort();
	collector->n_events += n;
	for (size_t i = 0; i < n; i++) {
		bool has_function = at[i].kind < LODE_CALL_EXIT_ANY;
		struct test_event event = {.t = at[i].t_ns, .kind = at[i].kind};

		if (at[i].kind > LODE_CALL_STILL_OPEN ||
		    (has_function && at[i].function >= collector->functions.n))
			abort();
		if (has_function)
			event.function = collector->functions.at[at[i].function];
		lode_vec_append(&collector->trace.threads.at[thread].events, event);
	}
	return LODE_OK;
}

void test_collector_init(struct test_collector *collector)
{
	memset(collector, 0, sizeof(*collector));
	collector->sink = (struct lode_call_sink){.context = collector,
						  .thread = on_thread,
						  .function = on_function,
						  .events = on_events,
						  .losses = &collector->losses};
}

void test_collector_release(struct test_collector *collector)
{
	test_trace_release(&collector->trace);
	lode_vec_release(&collector->functions);
	lode_strings_release(&collector->names);
}
