/* Only executions in slow windows: against a look at every window for every execution. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "answers/suspects/windows.h"
#include "random.h"

enum { N_THREADS = 3, N_METRICS = 6, N_NODES = 6 };

static const struct {
	const char *name, *unit;
	bool is_of_machine;
} metrics[N_METRICS] = {{"syscall:read", "ns", false},	     {"block:device", "ns", false},
			{"block:length", "requests", false}, {"softirq:NET_RX", "ns", true},
			{"irq:nvme0q1", "ns", true},	     {"net:send", "ns", true}};

static struct lode_stream *make_stream(void)
{
	struct lode_stream *stream = lode_alloc0(1, sizeof(*stream));

	lode_calltree_init(&stream->tree);
	stream->path = "a stream";
	for (int i = 0; i < N_THREADS; i++) {
		struct lode_thread *thread = lode_vec_append_zero(&stream->threads);

		/* Two threads that had the same tid, one after the other. */
		thread->tid = i == 2 ? 11 : 10 + i;
	}
	return stream;
}

/* The set of one stream: its own stack ids are those of the nodes. */
static struct lode_execution_set *make_set(struct test_random *random)
{
	struct lode_execution_set *set = lode_execution_set_new(1 << 20);
	uint32_t nodes[N_NODES] = {0}, n = test_random_below(random, 40);
	struct lode_error err;
	char name[8];

	lode_execution_set_begin(set, "a stream");
	for (uint32_t i = 1; i < N_NODES; i++) {
		snprintf(name, sizeof(name), "f%u", i);
		nodes[i] = lode_calltree_push(&set->tree,
					      test_random_below(random, i) ? nodes[i - 1] : 0,
					      lode_frame_intern(&set->tree, "m", name, 0));
	}
	for (uint32_t i = 0; i < N_METRICS; i++) {
		uint32_t id = lode_execution_set_metric(set, metrics[i].name, metrics[i].unit);

		set->metrics.at[id].losses[LODE_EXECUTION_DIED] = i + 1;
	}
	for (uint32_t i = 0; i < n; i++) {
		struct lode_execution e = {
			.start_ns = test_random_below(random, 100),
			.value = test_random_below(random, 3) ? test_random_below(random, 40) : 0,
			.metric = test_random_below(random, N_METRICS),
			.stack = test_random_below(random, N_NODES),
			.tid = 10 + (int32_t)test_random_below(random, 3)};

		assert_int_equal(lode_execution_set_append(set, &e, &err), 0);
	}
	lode_execution_set_end(set, nodes, N_NODES);
	return set;
}

static bool is_within(const struct lode_execution *e, const struct lode_stream *stream,
		      const struct lode_symptom *symptoms, size_t n)
{
	int64_t end = e->start_ns + (strcmp(metrics[e->metric].unit, "ns") == 0 ? e->value : 0);

	for (size_t i = 0; i < n; i++) {
		const struct lode_symptom *s = &symptoms[i];
		bool overlaps =
			e->start_ns < s->t1_ns && (end > s->t0_ns || e->start_ns >= s->t0_ns);

		if (!metrics[e->metric].is_of_machine &&
		    stream->threads.at[s->thread].tid != e->tid)
			continue;
		if (overlaps)
			return true;
	}
	return false;
}

struct list {
	LODE_VEC(struct lode_execution) at;
};

static void take(void *context, const struct lode_execution *at, size_t n)
{
	struct list *list = context;

	for (size_t i = 0; i < n; i++)
		lode_vec_append(&list->at, at[i]);
}

static void check(uint64_t seed, struct lode_execution_set *from, struct lode_execution_set *to,
		  const struct lode_stream *stream, const struct lode_symptom *symptoms, size_t n,
		  const uint64_t *n_of_machine)
{
	uint64_t n_left_out = 0;
	struct list all = {0}, got = {0};
	struct lode_error err;
	size_t k = 0;

	assert_int_equal(lode_execution_set_each(from, take, &all, &err), 0);
	assert_int_equal(lode_execution_set_each(to, take, &got, &err), 0);
	for (size_t i = 0; i < all.at.n; i++) {
		const struct lode_execution *want = &all.at.at[i], *is;
		char a[8], b[8];

		if (!is_within(want, stream, symptoms, n))
			continue;
		if (metrics[want->metric].is_of_machine && n_of_machine) {
			n_left_out++;
			continue;
		}
		if (k == got.at.n)
			fail_msg("seed %llu: execution %zu is missing", (unsigned long long)seed,
				 i);
		is = &got.at.at[k++];
		/* The other set has had a metric and a stream before. */
		snprintf(a, sizeof(a), "%s",
			 want->stack ? lode_frame_function(&from->tree,
							   from->tree.nodes.at[want->stack].frame)
				     : "-");
		snprintf(b, sizeof(b), "%s",
			 is->stack ? lode_frame_function(&to->tree,
							 to->tree.nodes.at[is->stack].frame)
				   : "-");
		if (is->start_ns != want->start_ns || is->value != want->value ||
		    is->tid != want->tid ||
		    strcmp(to->metrics.at[is->metric].name, metrics[want->metric].name) != 0 ||
		    is->stream != 1 || strcmp(a, b) != 0)
			fail_msg("seed %llu: execution %zu differs", (unsigned long long)seed, i);
	}
	if (k != got.at.n)
		fail_msg("seed %llu: %zu executions too many", (unsigned long long)seed,
			 got.at.n - k);
	for (uint32_t i = 0; i < to->metrics.n - 1; i++)
		assert_int_equal(to->metrics.at[i + 1].losses[LODE_EXECUTION_DIED], i + 1);
	assert_int_equal(to->metrics.n, n_of_machine ? 4 : 1 + N_METRICS);
	assert_int_equal(n_of_machine ? *n_of_machine : 0, n_left_out);
	lode_vec_release(&all.at);
	lode_vec_release(&got.at);
}

static void test_executions_in_windows_are_copied(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 500; seed++) {
		struct test_random random = {seed};
		struct lode_stream *stream = make_stream();
		struct lode_execution_set *from = make_set(&random),
					  *to = lode_execution_set_new(0);
		struct lode_symptom symptoms[6];
		uint32_t n = test_random_below(&random, 7);
		uint64_t n_left_out = 0, *n_of_machine = seed % 2 ? &n_left_out : NULL;
		struct lode_error err;

		for (uint32_t i = 0; i < n; i++) {
			symptoms[i].thread = test_random_below(&random, N_THREADS);
			symptoms[i].t0_ns = test_random_below(&random, 120);
			symptoms[i].t1_ns = symptoms[i].t0_ns + 1 + test_random_below(&random, 30);
		}
		(void)lode_execution_set_metric(to, "something else", "ns");
		lode_execution_set_begin(to, "another stream");
		lode_execution_set_end(to, NULL, 0);
		assert_int_equal(lode_suspects_copy_within(to, from, stream, symptoms, n,
							   n_of_machine, &err),
				 0);
		check(seed, from, to, stream, symptoms, n, n_of_machine);
		lode_execution_set_free(from);
		lode_execution_set_free(to);
		lode_stream_free(stream);
	}
}

/* A command of two threads, with a child that outlives it, beside another program. */
static void test_a_command_is_all_its_threads_and_children(void **state)
{
	static const struct {
		int32_t tid;
		bool is_command;
		int64_t born_ns, exec_ns, died_ns;
	} lives[] = {{10, true, 5, 20, 90},
		     {11, true, 30, INT64_MIN, 80},
		     {12, true, 40, INT64_MIN, INT64_MAX},
		     {13, false, INT64_MIN, INT64_MIN, INT64_MAX}};
	struct lode_stream *stream = make_stream();
	lode_symptom_vec symptoms = {0};

	(void)state;
	stream->threads.n = 0;
	stream->t1_ns = 100;
	for (size_t i = 0; i < 4; i++) {
		struct lode_thread *thread = lode_vec_append_zero(&stream->threads);

		thread->tid = lives[i].tid;
		thread->is_command = lives[i].is_command;
		thread->born_ns = lives[i].born_ns;
		thread->exec_ns = lives[i].exec_ns;
		thread->died_ns = lives[i].died_ns;
	}
	lode_vec_append(&symptoms, ((struct lode_symptom){0, 20, 90, false}));
	lode_suspects_add_family(&symptoms, stream);
	assert_int_equal(symptoms.n, 4);
	for (size_t i = 0; i < 3; i++) {
		static const int64_t from[] = {20, 30, 40}, to[] = {90, 80, 90};

		assert_int_equal(symptoms.at[i + 1].thread, i);
		assert_int_equal(symptoms.at[i + 1].t0_ns, from[i]);
		assert_int_equal(symptoms.at[i + 1].t1_ns, to[i]);
	}
	/* A row that someone wrote means what it says. */
	symptoms.n = 0;
	lode_vec_append(&symptoms, ((struct lode_symptom){0, 25, 60, false}));
	lode_vec_append(&symptoms, ((struct lode_symptom){3, 20, 100, false}));
	lode_suspects_add_family(&symptoms, stream);
	assert_int_equal(symptoms.n, 2);
	lode_vec_release(&symptoms);
	lode_stream_free(stream);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_executions_in_windows_are_copied),
		cmocka_unit_test(test_a_command_is_all_its_threads_and_children),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
