/*
 * What is measured from a stream's events, against a plain oracle that keeps every event in a list
 * and looks through all of it: random threads, calls in calls, events that are missing, threads
 * that die and whose tids are used again, places where the recorder dropped events.
 */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "engine/suspects/collect.h"
#include "random.h"
#include "cases.h"

/* ---- The source's side: asks, then hands over ---- */

struct feed {
	struct lode_execution_set *set;
	struct lode_metric_spec spec;
	struct lode_collect *collect;
	struct lode_tap *tap;
};

static void feed_init(struct feed *feed, const char *const *metrics)
{
	struct lode_error err;

	memset(feed, 0, sizeof(*feed));
	for (; metrics && *metrics; metrics++)
		assert_int_equal(lode_metric_spec_add(&feed->spec, *metrics, &err), 0);
	feed->set = lode_execution_set_new(1 << 20);
	feed->collect = lode_collect_new(feed->set, &feed->spec, false);
	feed->tap = lode_collect_tap(feed->collect);
	lode_collect_begin(feed->collect, "a stream");
}

/* The id of a tracepoint's events, LODE_NONE when they are not wanted. */
static struct lode_tap_wish ask(struct feed *feed, const char *tracepoint, bool is_sampled)
{
	struct lode_tap_wish wish = {.id = LODE_NONE};
	struct lode_tap_kind kind = {
		.name = tracepoint, .tracepoint = tracepoint, .is_sampled = is_sampled};

	feed->tap->kind(feed->tap->context, &kind, &wish);
	return wish;
}

static void feed_begin(struct feed *feed)
{
	feed->tap->begin(feed->tap->context,
			 &(struct lode_tap_about){.arch = "x86_64", .has_all_kinds = true});
}

static void feed_event(struct feed *feed, uint32_t id, int64_t t_ns, int32_t tid, uint32_t cpu,
		       uint32_t stack, unsigned n_values, const uint64_t *values)
{
	struct lode_tap_event event = {.t_ns = t_ns,
				       .id = id,
				       .pid = tid,
				       .tid = tid,
				       .cpu = cpu,
				       .stack = stack,
				       .is_inside = true,
				       .found = (uint8_t)((1u << n_values) - 1)};

	for (unsigned i = 0; i < n_values; i++)
		event.values[i] = values[i];
	feed->tap->event(feed->tap->context, &event);
}

/* A stream with a node per raw stack: raw i is a function of depth 1 in user space. */
static struct lode_stream *make_stream(size_t n_raw, uint32_t *node_of_raw)
{
	struct lode_stream *stream = lode_alloc0(1, sizeof(*stream));
	char name[32];

	lode_calltree_init(&stream->tree);
	stream->path = "a stream";
	node_of_raw[0] = 0;
	for (size_t i = 1; i < n_raw; i++) {
		snprintf(name, sizeof(name), "f%zu", i);
		node_of_raw[i] = lode_calltree_push(&stream->tree, 0,
						    lode_frame_intern(&stream->tree, "m", name, 0));
	}
	return stream;
}

enum { N_RAW = 8 };

static void feed_end(struct feed *feed)
{
	uint32_t node_of_raw[N_RAW];
	struct lode_stream *stream = make_stream(N_RAW, node_of_raw);
	struct lode_error err;

	feed->tap->finish(feed->tap->context, stream, node_of_raw, N_RAW);
	assert_int_equal(lode_collect_end(feed->collect, &err), 0);
	lode_collect_free(feed->collect);
	lode_stream_free(stream);
}

static void feed_release(struct feed *feed)
{
	lode_execution_set_free(feed->set);
	lode_metric_spec_release(&feed->spec);
}

/* ---- What came out ---- */

struct measured {
	char metric[32];
	int64_t start_ns, value;
	int32_t tid;
	char function[16];
};

struct lost {
	char metric[32];
	uint64_t by_kind[LODE_N_EXECUTION_LOSSES];
};

struct outcome {
	LODE_VEC(struct measured) executions;
	LODE_VEC(struct lost) lost;
	const struct lode_execution_set *set;
};

static void take(void *context, const struct lode_execution *at, size_t n)
{
	struct outcome *out = context;
	const struct lode_calltree *tree = &out->set->tree;

	for (size_t i = 0; i < n; i++) {
		struct measured m = {
			.start_ns = at[i].start_ns, .value = at[i].value, .tid = at[i].tid};

		snprintf(m.metric, sizeof(m.metric), "%s", out->set->metrics.at[at[i].metric].name);
		snprintf(m.function, sizeof(m.function), "%s",
			 at[i].stack ? lode_frame_function(tree, tree->nodes.at[at[i].stack].frame)
				     : "");
		lode_vec_append(&out->executions, m);
	}
}

static struct lost *lost_of(struct outcome *out, const char *metric)
{
	struct lost *lost;

	for (size_t i = 0; i < out->lost.n; i++)
		if (!strcmp(out->lost.at[i].metric, metric))
			return &out->lost.at[i];
	lost = lode_vec_append_zero(&out->lost);
	snprintf(lost->metric, sizeof(lost->metric), "%s", metric);
	return lost;
}

static int compare_measured(const void *a, const void *b)
{
	const struct measured *x = a, *y = b;
	int by_name = strcmp(x->metric, y->metric);

	if (by_name)
		return by_name;
	if (x->start_ns != y->start_ns)
		return x->start_ns < y->start_ns ? -1 : 1;
	if (x->tid != y->tid)
		return x->tid < y->tid ? -1 : 1;
	return x->value < y->value ? -1 : x->value > y->value;
}

static void outcome_of(struct outcome *out, struct feed *feed)
{
	struct lode_error err;

	memset(out, 0, sizeof(*out));
	out->set = feed->set;
	assert_int_equal(lode_execution_set_each(feed->set, take, out, &err), 0);
	for (size_t i = 0; i < feed->set->metrics.n; i++)
		memcpy(lost_of(out, feed->set->metrics.at[i].name)->by_kind,
		       feed->set->metrics.at[i].losses, sizeof(out->lost.at->by_kind));
}

static void outcome_release(struct outcome *out)
{
	lode_vec_release(&out->executions);
	lode_vec_release(&out->lost);
}

static void sort(struct outcome *out)
{
	if (out->executions.n)
		qsort(out->executions.at, out->executions.n, sizeof(*out->executions.at),
		      compare_measured);
}

static void check_same(uint64_t seed, struct outcome *got, struct outcome *want)
{
	sort(got);
	sort(want);
	for (size_t i = 0; i < got->executions.n && i < want->executions.n; i++) {
		const struct measured *g = &got->executions.at[i], *w = &want->executions.at[i];

		if (compare_measured(g, w) != 0 || strcmp(g->function, w->function) != 0)
			fail_msg("seed %llu: execution %zu: %s at %lld of %d takes %lld in '%s', "
				 "expected %s at %lld of %d, %lld in '%s'",
				 (unsigned long long)seed, i, g->metric, (long long)g->start_ns,
				 g->tid, (long long)g->value, g->function, w->metric,
				 (long long)w->start_ns, w->tid, (long long)w->value, w->function);
	}
	if (got->executions.n != want->executions.n)
		fail_msg("seed %llu: %zu executions, expected %zu", (unsigned long long)seed,
			 got->executions.n, want->executions.n);
	for (size_t i = 0; i < want->lost.n; i++)
		(void)lost_of(got, want->lost.at[i].metric);
	for (size_t i = 0; i < got->lost.n; i++) {
		const struct lost *g = &got->lost.at[i], *w = lost_of(want, g->metric);

		for (int k = 0; k < LODE_N_EXECUTION_LOSSES; k++)
			if (g->by_kind[k] != w->by_kind[k])
				fail_msg("seed %llu: %s lost %llu of kind %d, expected %llu",
					 (unsigned long long)seed, g->metric,
					 (unsigned long long)g->by_kind[k], k,
					 (unsigned long long)w->by_kind[k]);
	}
}

/* ---- System calls: random life, and the oracle ---- */

enum action { ENTER, LEAVE, BORN, ENDED, LOST };

struct happening {
	enum action action;
	int64_t t_ns;
	int32_t tid;
	uint32_t cpu, stack;
	uint64_t nr, op; /* LEAVE: -1 when the number is gone */
};

typedef LODE_VEC(struct happening) happening_vec;

static const struct {
	uint64_t nr;
	const char *name;
} calls[] = {
	{0, "syscall:read"}, {1, "syscall:write"}, {202, "syscall:futex"}, {332, "syscall:statx"}};

/*
 * Threads do calls, now and then one in another; some events are left out, as if they had not been
 * recorded, some places say that the recorder dropped events.
 */
static void make_life(happening_vec *life, struct test_random *random)
{
	struct {
		uint64_t open[8];
		unsigned n_open;
		bool is_alive;
	} threads[4] = {0};
	uint32_t n = 1 + test_random_below(random, 60), missing = test_random_below(random, 30);
	int64_t t_ns = 1000;

	threads[0].is_alive = threads[1].is_alive = true;
	for (uint32_t i = 0; i < n; i++) {
		uint32_t who = test_random_below(random, 4), dice = test_random_below(random, 100);
		struct happening h = {.tid = 100 + (int32_t)who,
				      .cpu = test_random_below(random, 2),
				      .stack = test_random_below(random, N_RAW)};

		t_ns += test_random_below(random, 3); /* several at one time */
		h.t_ns = t_ns;
		if (!threads[who].is_alive || dice < 3) {
			h.action = BORN;
			threads[who].is_alive = true;
			threads[who].n_open = 0;
			if (test_random_below(random, 2)) /* returns from clone */
				threads[who].open[threads[who].n_open++] = 56;
		} else if (dice < 8) {
			h.action = ENDED;
			threads[who].is_alive = false;
		} else if (dice < 10) {
			h.action = LOST;
		} else if (threads[who].n_open && (threads[who].n_open == 8 || dice < 60)) {
			h.action = LEAVE;
			h.nr = threads[who].open[--threads[who].n_open];
			if (test_random_below(random, 20) == 0)
				h.nr = UINT64_MAX;
		} else {
			h.action = ENTER;
			h.nr = calls[test_random_below(random, 4)].nr;
			h.op = test_random_below(random, 3) | 128;
			threads[who].open[threads[who].n_open++] = h.nr;
		}
		if ((h.action == ENTER || h.action == LEAVE) &&
		    test_random_below(random, 100) < missing)
			continue;
		lode_vec_append(life, h);
	}
}

static const char *name_of(uint64_t nr)
{
	for (size_t i = 0; i < sizeof(calls) / sizeof(*calls); i++)
		if (calls[i].nr == nr)
			return calls[i].name;
	return nr == 56 ? "syscall:clone" : "?";
}

/* What is open, as indices of the happenings that began it; `end`: index where it was closed. */
struct oracle {
	const happening_vec *life;
	struct outcome *out;
	struct {
		size_t begin;
		bool is_open, is_birth;
	} calls[256];
	size_t n_calls;
};

static void oracle_lose(struct oracle *o, const struct happening *begin,
			enum lode_execution_loss loss)
{
	lost_of(o->out, name_of(begin->nr))->by_kind[loss]++;
	if (begin->nr == 202 && (begin->op & 127) == 0)
		lost_of(o->out, "futex:wait")->by_kind[loss]++;
}

static void oracle_close(struct oracle *o, size_t i, enum lode_execution_loss loss)
{
	o->calls[i].is_open = false;
	if (!o->calls[i].is_birth)
		oracle_lose(o, &o->life->at[o->calls[i].begin], loss);
}

/* The innermost open call of a thread; -1. */
static int oracle_innermost(const struct oracle *o, int32_t tid)
{
	for (int i = (int)o->n_calls; i-- > 0;)
		if (o->calls[i].is_open && o->life->at[o->calls[i].begin].tid == tid)
			return i;
	return -1;
}

static bool oracle_has_open(const struct oracle *o, int32_t tid, uint64_t nr)
{
	for (size_t i = 0; i < o->n_calls; i++) {
		const struct happening *begin = &o->life->at[o->calls[i].begin];

		if (o->calls[i].is_open && !o->calls[i].is_birth && begin->tid == tid &&
		    begin->nr == nr)
			return true;
	}
	return false;
}

static void oracle_measure(struct oracle *o, size_t begin_at, size_t end_at)
{
	const struct happening *begin = &o->life->at[begin_at], *end = &o->life->at[end_at];
	struct measured m = {
		.start_ns = begin->t_ns, .value = end->t_ns - begin->t_ns, .tid = begin->tid};

	for (size_t i = begin_at; i < end_at; i++) {
		const struct happening *h = &o->life->at[i];

		if (h->action == LOST && h->t_ns > begin->t_ns &&
		    (h->cpu == begin->cpu || h->cpu == end->cpu)) {
			oracle_lose(o, begin, LODE_EXECUTION_DOUBTFUL);
			return;
		}
	}
	if (begin->stack)
		snprintf(m.function, sizeof(m.function), "f%u", begin->stack);
	for (int futex = 0; futex < 2; futex++) {
		if (futex && (begin->nr != 202 || (begin->op & 127) != 0))
			break;
		snprintf(m.metric, sizeof(m.metric), "%s",
			 futex ? "futex:wait" : name_of(begin->nr));
		lode_vec_append(&o->out->executions, m);
		if (!begin->stack)
			lost_of(o->out, m.metric)->by_kind[LODE_EXECUTION_NO_STACK]++;
	}
}

static void oracle_leave(struct oracle *o, size_t at)
{
	const struct happening *h = &o->life->at[at];
	bool is_any = h->nr == UINT64_MAX;
	int i = oracle_innermost(o, h->tid);

	if (i < 0) {
		if (!is_any)
			lost_of(o->out, name_of(h->nr))->by_kind[LODE_EXECUTION_NO_START]++;
		return;
	}
	if (o->calls[i].is_birth) {
		o->calls[i].is_open = false;
		return;
	}
	if (!is_any && !oracle_has_open(o, h->tid, h->nr)) {
		lost_of(o->out, name_of(h->nr))->by_kind[LODE_EXECUTION_MISMATCHED]++;
		oracle_close(o, (size_t)i, LODE_EXECUTION_MISMATCHED);
		return;
	}
	while (!is_any && o->life->at[o->calls[i].begin].nr != h->nr) {
		oracle_close(o, (size_t)i, LODE_EXECUTION_NO_END);
		i = oracle_innermost(o, h->tid);
	}
	o->calls[i].is_open = false;
	oracle_measure(o, o->calls[i].begin, at);
}

static void oracle_enter(struct oracle *o, size_t at)
{
	const struct happening *h = &o->life->at[at];
	int i = oracle_innermost(o, h->tid);

	if (i >= 0 && o->calls[i].is_birth)
		o->calls[i].is_open = false;
	while (oracle_has_open(o, h->tid, h->nr))
		oracle_close(o, (size_t)oracle_innermost(o, h->tid), LODE_EXECUTION_NO_END);
	o->calls[o->n_calls].begin = at;
	o->calls[o->n_calls].is_birth = false;
	o->calls[o->n_calls++].is_open = true;
}

static void oracle_run(const happening_vec *life, struct outcome *out)
{
	struct oracle o = {.life = life, .out = out};
	int open;

	memset(out, 0, sizeof(*out));
	for (size_t i = 0; i < life->n; i++) {
		const struct happening *h = &life->at[i];

		switch (h->action) {
		case ENTER:
			oracle_enter(&o, i);
			break;
		case LEAVE:
			oracle_leave(&o, i);
			break;
		case BORN:
		case ENDED:
			while ((open = oracle_innermost(&o, h->tid)) >= 0)
				oracle_close(&o, (size_t)open, LODE_EXECUTION_DIED);
			if (h->action == BORN) {
				o.calls[o.n_calls].begin = i;
				o.calls[o.n_calls].is_birth = true;
				o.calls[o.n_calls++].is_open = true;
			}
			break;
		case LOST:
			break;
		}
	}
	for (size_t i = 0; i < o.n_calls; i++)
		if (o.calls[i].is_open)
			oracle_close(&o, i, LODE_EXECUTION_NO_END);
}

static void feed_life(struct feed *feed, const happening_vec *life, uint32_t enter, uint32_t leave)
{
	for (size_t i = 0; i < life->n; i++) {
		const struct happening *h = &life->at[i];
		uint64_t values[2] = {h->nr, h->op};

		switch (h->action) {
		case ENTER:
			feed_event(feed, enter, h->t_ns, h->tid, h->cpu, h->stack, 2, values);
			break;
		case LEAVE:
			feed_event(feed, leave, h->t_ns, h->tid, h->cpu, 0, 1, values);
			break;
		case BORN:
			feed->tap->born(feed->tap->context, h->t_ns, 1, h->tid);
			break;
		case ENDED:
			feed->tap->ended(feed->tap->context, h->t_ns, h->tid);
			break;
		case LOST:
			feed->tap->lost(feed->tap->context, h->t_ns, h->cpu);
			break;
		}
	}
}

static void test_system_calls_pair_as_the_oracle_says(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= TEST_CASES(12000); seed++) {
		struct test_random random = {seed};
		happening_vec life = {0};
		struct outcome got, want;
		struct feed feed;
		uint32_t enter, leave;

		make_life(&life, &random);
		oracle_run(&life, &want);
		feed_init(&feed, NULL);
		enter = ask(&feed, "raw_syscalls:sys_enter", false).id;
		leave = ask(&feed, "raw_syscalls:sys_exit", false).id;
		feed_begin(&feed);
		feed_life(&feed, &life, enter, leave);
		feed_end(&feed);
		outcome_of(&got, &feed);
		check_same(seed, &got, &want);
		outcome_release(&got);
		outcome_release(&want);
		feed_release(&feed);
		lode_vec_release(&life);
	}
}

/* ---- Examples ---- */

static void expect(const struct outcome *out, size_t i, const char *metric, int64_t start_ns,
		   int64_t value)
{
	assert_true(i < out->executions.n);
	assert_string_equal(out->executions.at[i].metric, metric);
	assert_int_equal(out->executions.at[i].start_ns, start_ns);
	assert_int_equal(out->executions.at[i].value, value);
}

static uint64_t lost_n(struct outcome *out, const char *metric, enum lode_execution_loss loss)
{
	return lost_of(out, metric)->by_kind[loss];
}

static void block(struct feed *feed, uint32_t id, int64_t t_ns, uint64_t sector, uint64_t n)
{
	feed_event(feed, id, t_ns, 7, 0, 1, 3, (uint64_t[]){8, sector, n});
}

static void test_requests_merge_and_complete_in_parts(void **state)
{
	struct feed feed;
	struct outcome out;
	uint32_t insert, issue, complete, requeue;

	(void)state;
	feed_init(&feed, (const char *[]){"block", NULL});
	insert = ask(&feed, "block:block_rq_insert", false).id;
	issue = ask(&feed, "block:block_rq_issue", false).id;
	complete = ask(&feed, "block:block_rq_complete", false).id;
	requeue = ask(&feed, "block:block_rq_requeue", false).id;
	feed_begin(&feed);
	block(&feed, insert, 10, 100, 8);
	block(&feed, insert, 12, 200, 8);
	block(&feed, insert, 14, 208, 8); /* merged into the one before */
	block(&feed, issue, 20, 200, 16);
	block(&feed, issue, 21, 900, 8); /* went to the device at once */
	block(&feed, complete, 30, 200, 4);
	block(&feed, complete, 33, 204, 12);
	block(&feed, complete, 34, 500, 8); /* begun before the recording */
	block(&feed, requeue, 35, 900, 8);
	block(&feed, issue, 40, 900, 8);
	block(&feed, complete, 45, 900, 8);
	feed_end(&feed);
	outcome_of(&out, &feed);
	sort(&out);
	assert_int_equal(out.executions.n, 2 + 3 + 2);
	expect(&out, 0, "block:device", 20, 13);
	expect(&out, 1, "block:device", 40, 5);
	expect(&out, 2, "block:length", 10, 1);
	expect(&out, 3, "block:length", 12, 2);
	expect(&out, 4, "block:length", 14, 3);
	expect(&out, 5, "block:queue", 12, 8);
	expect(&out, 6, "block:queue", 14, 6);
	assert_int_equal(lost_n(&out, "block:queue", LODE_EXECUTION_NO_END), 1);
	assert_int_equal(lost_n(&out, "block:device", LODE_EXECUTION_NO_START), 1);
	outcome_release(&out);
	feed_release(&feed);
}

static void test_handlers_nest_by_cpu(void **state)
{
	struct feed feed;
	struct outcome out;
	uint32_t entry, leave, soft, soft_leave, queue;

	(void)state;
	feed_init(&feed, NULL);
	entry = ask(&feed, "irq:irq_handler_entry", false).id;
	leave = ask(&feed, "irq:irq_handler_exit", false).id;
	soft = ask(&feed, "irq:softirq_entry", false).id;
	soft_leave = ask(&feed, "irq:softirq_exit", false).id;
	queue = ask(&feed, "net:net_dev_queue", false).id;
	feed_begin(&feed);
	feed_event(&feed, soft, 10, 1, 0, 0, 1, (uint64_t[]){3});
	feed_event(&feed, soft, 11, 2, 1, 0, 1, (uint64_t[]){1});
	feed_event(&feed, entry, 12, 1, 0, 0, 1, (uint64_t[]){24}); /* interrupts the softirq */
	feed_event(&feed, queue, 13, 1, 0, 0, 0, NULL);
	feed_event(&feed, queue, 14, 1, 0, 0, 0, NULL); /* not the first one */
	feed_event(&feed, leave, 15, 1, 0, 0, 1, (uint64_t[]){24});
	feed_event(&feed, soft_leave, 16, 2, 1, 0, 1, (uint64_t[]){1});
	feed_event(&feed, soft_leave, 19, 1, 0, 0, 1, (uint64_t[]){3});
	feed_event(&feed, soft_leave, 20, 1, 0, 0, 1, (uint64_t[]){3});
	feed_event(&feed, queue, 21, 1, 0, 0, 0, NULL); /* in no softirq */
	feed_end(&feed);
	outcome_of(&out, &feed);
	sort(&out);
	assert_int_equal(out.executions.n, 4);
	expect(&out, 0, "irq:24", 12, 3);
	expect(&out, 1, "net:send", 10, 3);
	expect(&out, 2, "softirq:NET_RX", 10, 9);
	expect(&out, 3, "softirq:TIMER", 11, 5);
	assert_int_equal(lost_n(&out, "softirq:NET_RX", LODE_EXECUTION_NO_START), 1);
	outcome_release(&out);
	feed_release(&feed);
}

static void test_packets_are_received_after_wakings(void **state)
{
	struct feed feed;
	struct outcome out;
	uint32_t waking, receive;

	(void)state;
	feed_init(&feed, (const char *[]){"net:*", NULL});
	waking = ask(&feed, "sched:sched_waking", false).id;
	receive = ask(&feed, "net:netif_receive_skb", false).id;
	feed_begin(&feed);
	feed_event(&feed, waking, 10, 1, 0, 1, 1, (uint64_t[]){5});
	feed_event(&feed, waking, 20, 1, 0, 1, 1, (uint64_t[]){5}); /* this one counts */
	feed_event(&feed, receive, 26, 5, 0, 0, 0, NULL);
	feed_event(&feed, receive, 27, 5, 0, 0, 0, NULL);
	feed_event(&feed, waking, 30, 1, 0, 1, 1, (uint64_t[]){6});
	feed_end(&feed);
	outcome_of(&out, &feed);
	assert_int_equal(out.executions.n, 1);
	expect(&out, 0, "net:receive", 20, 6);
	assert_int_equal(out.executions.at[0].tid, 1);
	assert_string_equal(out.executions.at[0].function, "f1");
	for (int k = 0; k < LODE_N_EXECUTION_LOSSES; k++)
		assert_int_equal(lost_n(&out, "net:receive", (enum lode_execution_loss)k), 0);
	outcome_release(&out);
	feed_release(&feed);
}

static void test_own_metrics_pair_by_their_fields(void **state)
{
	struct feed feed;
	struct outcome out;
	struct lode_tap_wish begin, end;

	(void)state;
	feed_init(&feed, (const char *[]){"hold=a:take..a:drop[by lock,cpu]", "gap=a:take..a:take",
					  "w=a:take..a:drop by lock=other",
					  "never=a:take..a:nothing", NULL});
	begin = ask(&feed, "a:take", false);
	end = ask(&feed, "a:drop", false);
	assert_string_equal(begin.field[0], "lock");
	assert_string_equal(begin.field[1], "cpu");
	assert_true(begin.wants_stack);
	assert_string_equal(end.field[2], "other");
	assert_false(end.wants_stack);
	feed_begin(&feed);
	/* The tracepoint has no field cpu: that on which it happened is meant. */
	feed_event(&feed, begin.id, 10, 1, 0, 1, 1, (uint64_t[]){77});
	feed_event(&feed, begin.id, 11, 2, 1, 1, 1, (uint64_t[]){77});
	feed_event(&feed, begin.id, 13, 1, 1, 1, 1, (uint64_t[]){77}); /* in the one before */
	feed_event(&feed, end.id, 15, 3, 1, 0, 3, (uint64_t[]){77, 1, 88});
	feed_event(&feed, end.id, 17, 3, 1, 0, 3, (uint64_t[]){77, 1, 77});
	feed_event(&feed, end.id, 18, 3, 0, 0, 3, (uint64_t[]){78, 0, 88});
	feed_end(&feed);
	outcome_of(&out, &feed);
	sort(&out);
	assert_int_equal(out.executions.n, 4);
	expect(&out, 0, "gap", 10, 3); /* thread 1's two */
	expect(&out, 1, "hold", 11, 6);
	expect(&out, 2, "hold", 13, 2);
	expect(&out, 3, "w", 13, 4); /* the innermost of lock 77 */
	assert_int_equal(lost_n(&out, "hold", LODE_EXECUTION_NO_START), 1);
	assert_int_equal(lost_n(&out, "hold", LODE_EXECUTION_NO_END), 1);
	outcome_release(&out);
	feed_release(&feed);
}

static void test_what_a_recording_lacks_is_noted(void **state)
{
	struct feed feed;

	(void)state;
	feed_init(&feed, (const char *[]){"never=a:take..a:nothing", "syscall:read", NULL});
	assert_int_not_equal(ask(&feed, "a:take", false).id, LODE_NONE);
	assert_int_equal(ask(&feed, "syscalls:sys_enter_write", false).id, LODE_NONE);
	assert_int_equal(ask(&feed, "syscalls:sys_enter_read", true).id, LODE_NONE);
	feed_begin(&feed);
	assert_int_equal(feed.collect->notes.n, 2);
	assert_non_null(strstr(feed.collect->notes.at[0], "sampled"));
	assert_string_equal(feed.collect->notes.at[1],
			    "never: the recording has no event a:nothing");
	feed_end(&feed);
	feed_release(&feed);
}

/* A text says what events there are only as they come. */
static void test_kinds_may_come_late(void **state)
{
	struct feed feed;
	struct outcome out;
	uint32_t enter, leave;

	(void)state;
	feed_init(&feed, (const char *[]){"syscall:read", "x=a:take..a:never", NULL});
	feed.tap->begin(feed.tap->context, &(struct lode_tap_about){.arch = ""});
	enter = ask(&feed, "syscalls:sys_enter_read", false).id;
	feed_event(&feed, enter, 10, 1, 0, 1, 0, NULL);
	leave = ask(&feed, "syscalls:sys_exit_read", false).id;
	feed_event(&feed, leave, 15, 1, 0, 0, 0, NULL);
	assert_int_equal(feed.collect->notes.n, 0);
	feed_end(&feed);
	outcome_of(&out, &feed);
	assert_int_equal(out.executions.n, 1);
	expect(&out, 0, "syscall:read", 10, 5);
	outcome_release(&out);
	feed_release(&feed);
}

/* Of raw and named events of the same calls only the raw ones count. */
static void test_calls_count_once(void **state)
{
	struct feed feed;
	struct outcome out;
	uint32_t raw[2], named[2];

	(void)state;
	feed_init(&feed, NULL);
	named[0] = ask(&feed, "syscalls:sys_enter_read", false).id;
	named[1] = ask(&feed, "syscalls:sys_exit_read", false).id;
	raw[0] = ask(&feed, "raw_syscalls:sys_enter", false).id;
	raw[1] = ask(&feed, "raw_syscalls:sys_exit", false).id;
	feed_begin(&feed);
	for (int i = 0; i < 2; i++) {
		feed_event(&feed, raw[i], 10 + i * 10, 1, 0, 1, 1, (uint64_t[]){0});
		feed_event(&feed, named[i], 11 + i * 10, 1, 0, 1, 0, NULL);
	}
	feed_end(&feed);
	outcome_of(&out, &feed);
	assert_int_equal(out.executions.n, 1);
	expect(&out, 0, "syscall:read", 10, 10);
	outcome_release(&out);
	feed_release(&feed);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_system_calls_pair_as_the_oracle_says),
		cmocka_unit_test(test_requests_merge_and_complete_in_parts),
		cmocka_unit_test(test_handlers_nest_by_cpu),
		cmocka_unit_test(test_packets_are_received_after_wakings),
		cmocka_unit_test(test_own_metrics_pair_by_their_fields),
		cmocka_unit_test(test_what_a_recording_lacks_is_noted),
		cmocka_unit_test(test_kinds_may_come_late),
		cmocka_unit_test(test_calls_count_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
