#include "unit/model/random_calls.h"

#include <stdint.h>
#include <stdlib.h>

/* ---- Making ---- */

static bool chance(struct test_random *random, unsigned of_100)
{
	return test_random_below(random, 100) < of_100;
}

static void add(struct random_thread *thread, int64_t t_ns, uint32_t function, unsigned kind)
{
	lode_vec_append(&thread->events, ((struct lode_call_event){.t_ns = t_ns,
								   .function = function,
								   .kind = (uint8_t)kind}));
}

/* Times of good events are even, those of events that go back odd: so none repeats another. */
static int64_t pass_time(struct test_random *random, const struct random_options *options)
{
	if (chance(random, 20))
		return 0;
	if (chance(random, 5))
		return 2 * (int64_t)test_random_below(random, (uint32_t)options->long_step);
	return 2 * (int64_t)test_random_below(random, 12);
}

static void add_fault(struct random_thread *thread, struct test_random *random, int64_t t,
		      uint32_t function)
{
	switch (test_random_below(random, 5)) {
	case 0:
		add(thread, t, function, LODE_CALL_EXIT);
		break;
	case 1:
		add(thread, t, function, LODE_CALL_ENTER);
		break;
	case 2:
		add(thread, 0, 0, LODE_CALL_CUT);
		break;
	case 3:
		add(thread, t - 1 - 2 * (int64_t)test_random_below(random, 20), function,
		    test_random_below(random, 2) ? LODE_CALL_EXIT : LODE_CALL_ENTER);
		break;
	default:
		add(thread, INT64_MAX - test_random_below(random, 9), function, LODE_CALL_ENTER);
	}
}

static void make_thread(struct random_thread *thread, struct test_random *random,
			const struct random_options *options, uint32_t n_functions)
{
	size_t n = test_random_below(random, (uint32_t)options->max_events + 1);
	uint32_t stack[64], depth = 0;
	int64_t t = 2 * (int64_t)test_random_below(random, 1000);

	for (size_t i = 0; i < n; i++) {
		uint32_t function = test_random_below(random, n_functions);

		t += pass_time(random, options);
		if (chance(random, options->faults)) {
			add_fault(thread, random, t, function);
		} else if (depth &&
			   (depth >= 64 || test_random_below(random, options->depth) < depth)) {
			unsigned kind = chance(random, 80)   ? LODE_CALL_EXIT
					: chance(random, 50) ? LODE_CALL_EXIT_TAIL
							     : LODE_CALL_EXIT_ANY;

			add(thread, t, stack[--depth], kind);
		} else {
			add(thread, t, function, LODE_CALL_ENTER);
			stack[depth++] = function;
		}
	}
	while (depth && !options->faults)
		add(thread, t += 2, stack[--depth], LODE_CALL_EXIT);
}

void random_trace_make(struct random_trace *trace, struct test_random *random,
		       const struct random_options *options)
{
	memset(trace, 0, sizeof(*trace));
	trace->n_threads = 1 + test_random_below(random, RANDOM_MAX_THREADS);
	trace->n_functions = 1 + test_random_below(random, RANDOM_MAX_FUNCTIONS);
	for (size_t i = 0; i < trace->n_threads; i++)
		make_thread(&trace->threads[i], random, options, (uint32_t)trace->n_functions);
	trace->random.state = test_random_next(random);
}

void random_trace_release(struct random_trace *trace)
{
	for (size_t i = 0; i < trace->n_threads; i++)
		lode_vec_release(&trace->threads[i].events);
}

/* ---- Delivering ---- */

int random_trace_read(void *context, struct lode_call_sink *sink, struct lode_error *err)
{
	static const char *const names[RANDOM_MAX_FUNCTIONS] = {"a", "b", "c", "d",
								"e", "f", "g", "h"};
	struct random_trace *trace = context;
	struct test_random random = trace->random;
	uint32_t threads[RANDOM_MAX_THREADS];
	size_t at[RANDOM_MAX_THREADS] = {0}, n_left = 0;
	struct lode_calls_about about = {.format = "random"};

	sink->about(sink->context, &about);
	for (uint32_t f = 0; f < trace->n_functions; f++)
		sink->function(sink->context, NULL, names[f]);
	for (size_t i = 0; i < trace->n_threads; i++) {
		threads[i] = sink->thread(sink->context, 1, 100 - (int32_t)i, i ? "worker" : NULL);
		n_left += trace->threads[i].events.n;
	}
	while (n_left) {
		size_t i = test_random_below(&random, (uint32_t)trace->n_threads), n;
		int rc;

		n = trace->threads[i].events.n - at[i];
		if (!n)
			continue;
		n = 1 + test_random_below(&random, (uint32_t)(n < 40 ? n : 40));
		rc = sink->events(sink->context, threads[i], trace->threads[i].events.at + at[i], n,
				  err);
		if (rc < 0)
			return rc;
		at[i] += n;
		n_left -= n;
	}
	return LODE_OK;
}

struct lode_call_trace *random_trace_intake(struct random_trace *trace, unsigned n_threads,
					    unsigned block_bits)
{
	struct lode_call_intake_options options = {.n_threads = n_threads,
						   .block_bits = block_bits};
	struct lode_call_trace *out;

	if (lode_call_intake(&out, "random", random_trace_read, trace, &options, NULL) < 0)
		abort();
	return out;
}

/* ---- Plain pairing ---- */

struct plain_open {
	LODE_VEC(size_t) calls; /* indices, innermost last */
};

static void end_innermost(struct plain_thread *out, struct plain_open *open, int64_t t)
{
	out->calls.at[open->calls.at[--open->calls.n]].end = t;
}

static void end_all(struct plain_thread *out, struct plain_open *open, int64_t t,
		    enum lode_call_repair repair)
{
	for (; open->calls.n; out->repairs[repair]++)
		end_innermost(out, open, t);
}

static void plain_exit(struct plain_thread *out, struct plain_open *open,
		       const struct lode_call_event *event, int64_t t)
{
	size_t i = open->calls.n;

	if (event->kind == LODE_CALL_EXIT_ANY) {
		if (i)
			end_innermost(out, open, t);
		else
			out->repairs[LODE_REPAIR_EXIT_ALONE]++;
		return;
	}
	while (i && out->calls.at[open->calls.at[i - 1]].function != event->function)
		i--;
	if (!i) {
		out->repairs[LODE_REPAIR_EXIT_ALONE]++;
		return;
	}
	for (; open->calls.n > i; out->repairs[LODE_REPAIR_NO_EXIT]++)
		end_innermost(out, open, t);
	end_innermost(out, open, t);
}

static bool is_time(int64_t t)
{
	return t <= LODE_CALL_TIME_MAX && t >= -LODE_CALL_TIME_MAX;
}

/* An impossible time becomes the last one; before the first, that of the event behind it. */
static int64_t possible_time(const struct random_thread *thread, size_t i, int64_t last)
{
	if (is_time(thread->events.at[i].t_ns) || last != INT64_MIN)
		return is_time(thread->events.at[i].t_ns) ? thread->events.at[i].t_ns : last;
	while (++i < thread->events.n)
		if (thread->events.at[i].kind != LODE_CALL_CUT)
			return thread->events.at[i].t_ns;
	return INT64_MAX;
}

void plain_pair(struct plain_thread *out, const struct random_thread *thread)
{
	struct plain_open open = {0};
	int64_t last = INT64_MIN;

	memset(out, 0, sizeof(*out));
	for (size_t i = 0; i < thread->events.n; i++) {
		const struct lode_call_event *event = &thread->events.at[i];
		int64_t t;

		if (event->kind == LODE_CALL_CUT) {
			end_all(out, &open, last, LODE_REPAIR_CUT_AT_LOSS);
			continue;
		}
		t = possible_time(thread, i, last);
		if (!is_time(t)) {
			out->repairs[LODE_REPAIR_BAD_TIME]++;
			continue;
		}
		if (t < last) {
			t = last;
			out->repairs[LODE_REPAIR_BACKWARDS]++;
		}
		last = t;
		if (event->kind != LODE_CALL_ENTER) {
			plain_exit(out, &open, event, t);
			continue;
		}
		lode_vec_append(&out->calls,
				((struct plain_call){
					.start = t,
					.function = event->function,
					.depth = (uint32_t)open.calls.n,
					.caller = open.calls.n ? open.calls.at[open.calls.n - 1]
							       : SIZE_MAX}));
		lode_vec_append(&open.calls, out->calls.n - 1);
	}
	end_all(out, &open, last, LODE_REPAIR_CUT_AT_END);
	lode_vec_release(&open.calls);
}

bool plain_same_stack(const struct plain_thread *thread, size_t a, size_t b)
{
	for (; a != SIZE_MAX && b != SIZE_MAX;
	     a = thread->calls.at[a].caller, b = thread->calls.at[b].caller) {
		if (a == b)
			return true;
		if (thread->calls.at[a].function != thread->calls.at[b].function)
			return false;
	}
	return a == b;
}
