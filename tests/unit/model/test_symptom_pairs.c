/* model/symptom_pairs.h and model/symptom_events.h: from which event to which. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/builder.h"
#include "model/symptom.h"
#include "model/symptom_pairs.h"
#include "random.h"
#include "cases.h"

/* ---- Pairs, against a search that looks at everything again for each of them ---- */

enum { MOST = 40 };

struct made {
	struct lode_point_event events[MOST];
	struct lode_event_gap gaps[8];
	size_t n_events, n_gaps;
	bool is_nesting;
};

static void make_events(struct made *made, struct test_random *random)
{
	int64_t t_ns = 0;
	bool has_gaps = test_random_below(random, 2);

	memset(made, 0, sizeof(*made));
	made->is_nesting = test_random_below(random, 2);
	made->n_events = test_random_below(random, MOST + 1);
	for (size_t i = 0; i < made->n_events; i++) {
		unsigned what = (unsigned)test_random_below(random, 8);

		t_ns += (int64_t)test_random_below(random, 4);
		made->events[i] = (struct lode_point_event){
			.t_ns = t_ns,
			.scope = (uint32_t)test_random_below(random, 3),
			.cpu = test_random_below(random, 10)
				       ? (uint32_t)test_random_below(random, 2)
				       : UINT32_MAX,
			.begins = what < 4 || what == 7,
			.ends = what >= 4,
		};
		if (has_gaps && made->n_gaps < 8 && test_random_below(random, 10) == 0)
			made->gaps[made->n_gaps++] = (struct lode_event_gap){
				t_ns, test_random_below(random, 4)
					      ? (uint32_t)test_random_below(random, 2)
					      : UINT32_MAX};
	}
}

/* Were events dropped between two events, on the CPU of either? */
static bool is_doubtful(const struct made *made, size_t begin, size_t end)
{
	for (size_t g = 0; g < made->n_gaps; g++) {
		const struct lode_event_gap *gap = &made->gaps[g];
		uint32_t a = made->events[begin].cpu, b = made->events[end].cpu;

		if (gap->t_ns > made->events[begin].t_ns && gap->t_ns <= made->events[end].t_ns &&
		    (gap->cpu == UINT32_MAX || a == UINT32_MAX || b == UINT32_MAX ||
		     gap->cpu == a || gap->cpu == b))
			return true;
	}
	return false;
}

enum fate { FATE_PAIR, FATE_DOUBTFUL, FATE_UNFINISHED };

/* What becomes of the request that begins at `begin`, and where it stops being open. */
static enum fate fate_of(const struct made *made, size_t begin, size_t *at)
{
	const struct lode_point_event *e = made->events;
	int depth = 0;

	for (*at = begin + 1; *at < made->n_events; (*at)++) {
		if (e[*at].scope != e[begin].scope)
			continue;
		if (e[*at].ends && e[*at].t_ns > e[begin].t_ns) {
			if (is_doubtful(made, begin, *at))
				return FATE_DOUBTFUL;
			if (!made->is_nesting || depth == 0)
				return FATE_PAIR;
			depth--;
		}
		if (e[*at].begins) {
			if (is_doubtful(made, begin, *at))
				return FATE_DOUBTFUL;
			depth++;
		}
	}
	return FATE_UNFINISHED;
}

static void check_pairs(const struct made *made, unsigned long long seed)
{
	struct lode_point_pairs got = {0};
	uint64_t counts[3] = {0};
	size_t at;

	lode_point_pairs_find(&got, made->events, made->n_events, made->gaps, made->n_gaps,
			      made->is_nesting);
	for (uint32_t scope = 0; scope < 3; scope++)
		for (size_t i = 0; i < made->n_events; i = at) {
			enum fate fate;
			size_t k = 0;

			at = i + 1;
			if (made->events[i].scope != scope || !made->events[i].begins)
				continue;
			fate = fate_of(made, i, &at);
			counts[fate]++;
			while (fate == FATE_PAIR && k < got.at.n &&
			       (got.at.at[k].begin != &made->events[i] ||
				got.at.at[k].end != &made->events[at]))
				k++;
			if (fate == FATE_PAIR && k == got.at.n)
				fail_msg("seed %llu: the request of event %zu, to %zu, is missing",
					 seed, i, at);
		}
	if (got.at.n != counts[FATE_PAIR] || got.n_doubtful != counts[FATE_DOUBTFUL] ||
	    got.n_unfinished != counts[FATE_UNFINISHED])
		fail_msg("seed %llu: %zu pairs, %llu in doubt, %llu open; not %llu, %llu, %llu",
			 seed, got.at.n, (unsigned long long)got.n_doubtful,
			 (unsigned long long)got.n_unfinished,
			 (unsigned long long)counts[FATE_PAIR],
			 (unsigned long long)counts[FATE_DOUBTFUL],
			 (unsigned long long)counts[FATE_UNFINISHED]);
	lode_point_pairs_release(&got);
}

static void pairs_are_those_of_a_plain_search(void **state)
{
	(void)state;
	for (unsigned seed = 0; seed < TEST_CASES(20000); seed++) {
		struct test_random random = {seed};
		struct made made;

		make_events(&made, &random);
		check_pairs(&made, seed);
	}
}

/* ---- Events of a recording ---- */

/* What an inner tap heard. */
struct heard {
	unsigned n_kinds, n_events, n_lost;
	uint64_t value;
};

static void hear_kind(void *context, const struct lode_tap_kind *kind, struct lode_tap_wish *wish)
{
	struct heard *heard = context;

	heard->n_kinds++;
	if (strcmp(kind->name, "sdt_shop:begin") != 0)
		return;
	wish->id = 77;
	wish->n_fields = 1;
	wish->field[0] = "other";
}

static void hear_event(void *context, const struct lode_tap_event *event)
{
	struct heard *heard = context;

	assert_int_equal(event->id, 77);
	heard->n_events++;
	heard->value = event->values[0];
}

static void hear_lost(void *context, int64_t t_ns, uint32_t cpu)
{
	(void)t_ns;
	(void)cpu;
	((struct heard *)context)->n_lost++;
}

/* One event, as a recording has it: two fields at most. */
struct row {
	int64_t t_ns;
	const char *name;
	int32_t tid;
	uint64_t key, other;
	bool in_softirq;
};

/* Two processes: 10 with thread 11, and 20; the command runs neither. */
static struct lode_stream *make_stream(void)
{
	struct lode_builder *b = lode_builder_new("made", "x", "ns", NULL);
	static const int32_t tids[][2] = {{10, 10}, {10, 11}, {20, 20}};
	uint32_t nodes[1] = {0};

	lode_builder_expect_switches(b, true);
	lode_builder_time(b, 1);
	for (size_t i = 0; i < 3; i++) {
		lode_builder_comm(b, 0, tids[i][0], tids[i][1], i == 1 ? "shop-worker" : "shop",
				  false);
		lode_builder_switch(b, &(struct lode_switch){.t_ns = 2,
							     .cpu = (uint32_t)i,
							     .next_pid = tids[i][1]});
	}
	lode_builder_time(b, 1000);
	return lode_builder_finish(b, nodes, 1);
}

static void feed_row(const struct lode_tap *tap, const struct row *row, bool has_key)
{
	struct lode_tap_wish wish = {.id = LODE_NONE};
	struct lode_tap_kind kind = {.name = row->name, .tracepoint = row->name};
	struct lode_tap_event event = {.t_ns = row->t_ns,
				       .pid = -1,
				       .tid = row->tid,
				       .has_context = true,
				       .in_softirq = row->in_softirq};

	tap->kind(tap->context, &kind, &wish);
	if (wish.id == LODE_NONE)
		return;
	event.id = wish.id;
	for (unsigned i = 0; i < wish.n_fields; i++) {
		bool is_key = !strcmp(wish.field[i], "key") || !strcmp(wish.field[i], "id") ||
			      (!strcmp(wish.field[i], "args") && wish.element[i] == 1);

		event.values[i] = is_key ? row->key : row->other;
		if (has_key || !is_key)
			event.found |= (uint8_t)(1u << i);
	}
	tap->event(tap->context, &event);
}

/* The symptoms as one text: "10 5-7, 11 8-9", and what could not be measured; or the error. */
static const char *found(const char *select, const struct row *rows, size_t n, bool has_key,
			 const struct lode_tap *inner)
{
	static char text[1000];
	const struct lode_symptom_options options = {.select = select, .pid = -1};
	struct lode_stream *stream = make_stream();
	struct lode_symptom_events *events;
	struct lode_symptom_spec *spec;
	lode_symptom_vec symptoms = {0};
	const struct lode_tap *tap;
	struct lode_error err;
	size_t at = 0;

	assert_int_equal(lode_symptom_spec_new(&spec, &options, &err), 0);
	events = lode_symptom_events_new(spec, inner);
	tap = lode_symptom_events_tap(events);
	tap->begin(tap->context, &(struct lode_tap_about){.arch = "x86_64"});
	for (size_t i = 0; i < n; i++)
		if (rows[i].name)
			feed_row(tap, &rows[i], has_key);
		else
			tap->lost(tap->context, rows[i].t_ns, UINT32_MAX);
	text[0] = '\0';
	if (lode_symptoms_find(&symptoms, spec, stream, events, &err) < 0)
		lode_error_text(&err, text, sizeof(text));
	else
		lode_symptoms_count_skipped(spec, stream, events);
	for (size_t i = 0; i < symptoms.n; i++)
		at += (size_t)snprintf(text + at, sizeof(text) - at, "%s%d %lld-%lld",
				       i ? ", " : "", stream->threads.at[symptoms.at[i].thread].tid,
				       (long long)symptoms.at[i].t0_ns,
				       (long long)symptoms.at[i].t1_ns);
	if (stream->losses.by_kind[LODE_LOSS_REQUEST].count)
		snprintf(text + at, sizeof(text) - at, "; %s",
			 stream->losses.by_kind[LODE_LOSS_REQUEST].detail);
	lode_vec_release(&symptoms);
	lode_symptom_events_free(events);
	lode_symptom_spec_free(spec);
	lode_stream_free(stream);
	return text;
}

static const struct row recorded[] = {
	{10, "syscalls:sys_enter_write", 10, 3, 0, false},
	{12, "syscalls:sys_exit_write", 10, 0, 0, false},
	{12, "sdt_shop:begin", 10, 501, 9, false},
	{13, "syscalls:sys_enter_read", 10, 3, 0, false},
	{14, "sdt_shop:begin", 20, 501, 8, false},
	{15, "raw_syscalls:sys_enter", 11, 1, 0, false}, /* write; the names count */
	{16, "probe_shop:serve", 11, 0, 0, false},
	{17, "probe_shop:serve", 11, 0, 0, false},
	{18, "probe_shop:serve__return", 11, 0, 0, false},
	{19, "probe_shop:serve__return", 11, 0, 0, false},
	{20, "sdt_shop:done", 11, 501, 0, false},
	{22, "sdt_shop:begin", 10, 502, 7, false},
	{30, "sdt_shop:done", 0, 502, 0, true},
	{40, "syscalls:sys_enter_write", 10, 3, 0, false},
	{44, "syscalls:sys_enter_read", 10, 3, 0, false},
	{50, "syscalls:sys_enter_write", 10, 3, 0, false},
	{51, NULL, 0, 0, 0, false},
	{52, "syscalls:sys_enter_read", 10, 3, 0, false},
	{60, "syscalls:sys_enter_write", 10, 3, 0, false},
};

static void events_begin_and_end_symptoms(void **state)
{
	static const struct {
		const char *select, *expected;
	} rows[] = {
		{"comm=shop,from=syscall:write,to=syscall:read",
		 "10 10-13, 10 40-44; 1 without an end, 1 with events dropped while they were "
		 "open"},
		{"comm=shop,from=syscall:sys_enter_write,to=syscall:sys_exit_write",
		 "10 10-12; 1 without an end, 1 with events dropped while they were open"},
		{"from=syscall:w*,to=syscall:write:exit,comm=shop,tid=11", ""},
		{"from=uprobe:serve,to=uretprobe:serve", "11 16-19"},
		{"from=uprobe:serve,to=probe_shop:serve__return", "11 16-18"},
		{"from=uprobe:serve,to=probe_shop:serve", "11 16-17; 1 without an end, 0 with "
							  "events dropped while they were open"},
		/* Within a process: whose request ends in a softirq is not known. */
		{"from=usdt:shop:begin,to=usdt:shop:done,key=key",
		 "11 12-20; 2 without an end, 0 with events dropped while they were open"},
		/* Among all, it is that of the thread that began it. */
		{"from=usdt:shop:begin,to=usdt:shop:done,shared-key=key", "10 22-30, 11 12-20"},
		{"comm=shop-worker,from=sdt_shop:begin,to=event:sdt_shop:done,key=key:key",
		 "11 12-20; 2 without an end, 0 with events dropped while they were open"},
		{"from=sdt_shop:begin,to=exit", ""},
		{"tid=11,from=sdt_shop:begin", ""},
		{"tid=10,from=sdt_shop:begin", "10 12-1000"},
		{"tid=10,to=sdt_shop:begin", "10 1-12"},
		{"from=usdt:bank:begin,to=exit",
		 "made: the recording has no event sdt_bank:begin: perf buildid-cache --add "
		 "PROGRAM, perf "
		 "probe 'sdt_bank:begin', then lode record --event 'sdt_bank:begin'"},
		{"from=uretprobe:f,to=exit", "made: the recording has no event probe_*:f__return: "
					     "perf probe -x PROGRAM 'f%return', then "
					     "lode record --event 'probe_*:f__return'"},
		{"from=net:net_dev_queue,to=exit",
		 "made: the recording has no event net:net_dev_queue: lode record --event "
		 "'net:net_dev_queue'"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		const char *got = found(rows[i].select, recorded,
					sizeof(recorded) / sizeof(*recorded), true, NULL);

		if (strcmp(got, rows[i].expected) != 0)
			fail_msg("%s gives %s, not %s", rows[i].select, got, rows[i].expected);
	}
}

static void numbers_stand_for_names_where_there_are_none(void **state)
{
	/* `key` is the number: write is 1, read is 0. */
	static const struct row raw[] = {
		{10, "raw_syscalls:sys_enter", 10, 1, 5, false},
		{12, "raw_syscalls:sys_exit", 10, 1, 0, false},
		{13, "raw_syscalls:sys_enter", 10, 0, 5, false},
		{14, "raw_syscalls:sys_exit", 10, 0, 0, false},
	};

	(void)state;
	assert_string_equal(found("tid=10,from=syscall:write,to=syscall:read:exit", raw, 4, true,
				  NULL),
			    "10 10-14");
	assert_string_equal(found("from=syscall:write,to=syscall:read,key=arg0", raw, 4, true,
				  NULL),
			    "10 10-13");
	assert_string_equal(
		found("tid=10,from=start,to=syscall:futex", raw, 0, true, NULL),
		"made: the recording has no system calls, and its stacks do not contain "
		"futex: lode record --syscalls");
	assert_string_equal(found("from=syscall:read,to=syscall:write,key=fd", raw, 0, true, NULL),
			    "made: the recording has no system calls: lode record --syscalls");
	assert_string_equal(found("from=raw_syscalls:sys_enter,to=raw_syscalls:sys_exit,key=key",
				  raw, 4, false, NULL),
			    "made: raw_syscalls:sys_enter has no field key");
}

static void another_tap_hears_what_it_asks_for(void **state)
{
	struct heard heard = {0};
	const struct lode_tap inner = {.context = &heard,
				       .wants_model = true,
				       .kind = hear_kind,
				       .event = hear_event,
				       .lost = hear_lost};
	const size_t n = sizeof(recorded) / sizeof(*recorded);

	(void)state;
	assert_string_equal(found("from=usdt:shop:begin,to=usdt:shop:done,shared-key=key", recorded,
				  n, true, &inner),
			    "10 22-30, 11 12-20");
	assert_int_equal(heard.n_kinds, n - 1);
	assert_int_equal(heard.n_events, 3);
	assert_int_equal(heard.value, 7);
	assert_int_equal(heard.n_lost, 1);
}

static void what_names_no_event_is_misuse(void **state)
{
	static const struct {
		const char *select, *expected;
	} rows[] = {
		{"from=exec,to=syscall:read,key=fd",
		 "symptom: key= needs events in from= and in to="},
		{"from=a:b,to=a:c,key=", "symptom: key= needs a field name"},
		{"from=a:b,to=a:c,shared-key=x:", "symptom: shared-key= needs a field name"},
		{"from=syscall:", "symptom: from=syscall: is empty"},
		{"to=uprobe:", "symptom: to=uprobe: is empty"},
		{"to=event:", "symptom: to=event: is empty"},
	};
	char text[200];

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		const struct lode_symptom_options options = {.select = rows[i].select, .pid = -1};
		struct lode_symptom_spec *spec;
		struct lode_error err;

		assert_true(lode_symptom_spec_new(&spec, &options, &err) < 0);
		assert_string_equal(lode_error_text(&err, text, sizeof(text)), rows[i].expected);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pairs_are_those_of_a_plain_search),
		cmocka_unit_test(events_begin_and_end_symptoms),
		cmocka_unit_test(numbers_stand_for_names_where_there_are_none),
		cmocka_unit_test(another_tap_hears_what_it_asks_for),
		cmocka_unit_test(what_names_no_event_is_misuse),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
