/* input/formats/text/script*.c: what `perf script` prints reads as what was recorded. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "perf_image.h"
#include "random.h"
#include "scratch.h"
#include "input/source.h"
#include "input/formats/text/script_line.h"

static struct scratch scratch;
static const char *path;

static bool is_text(struct lode_slice text, const char *want)
{
	if (text.len == strlen(want) && !memcmp(text.at, want, text.len))
		return true;
	print_error("got '%.*s', want '%s'\n", (int)text.len, text.at, want);
	return false;
}

/* ---- Lines ---- */

static const struct {
	const char *line, *comm;
	int32_t pid, tid;
	uint32_t cpu;
	int64_t t_ns;
	int64_t period; /* -1: none */
	const char *event, *payload;
} samples[] = {
	{"perf 17160 [000]  1869.768273:      sched:sched_waking: comm=a pid=1", "perf", -1, 17160,
	 0, 1869768273000, -1, "sched:sched_waking", "comm=a pid=1"},
	{"            perf 17160/17161 [003] K      1869.768273123:          1      cycles:ppp: ",
	 "perf", 17160, 17161, 3, 1869768273123, 1, "cycles:ppp", ""},
	{"     migration/0    18/18    [000] 0.000001:  5 cpu-clock:  ffff f+0x1 (x)",
	 "migration/0", 18, 18, 0, 1000, 5, "cpu-clock", "ffff f+0x1 (x)"},
	{"Web Content [1] 2 77 1.000000: x:", "Web Content [1] 2", -1, 77, UINT32_MAX, 1000000000,
	 -1, "x", ""},
	{"kworker/0:1 1.5: 9 [001] 3.000000: a:b: p", "kworker/0:1 1.5:", -1, 9, 1, 3000000000, -1,
	 "a:b", "p"},
	{":-1    -1 [001]  2.000000: sched:sched_switch: prev_comm=x", ":-1", -1, -1, 1, 2000000000,
	 -1, "sched:sched_switch", "prev_comm=x"},
	{"12 [001] 7.000000: ffffffff81 f ([k])", "", -1, 12, 1, 7000000000, -1, "",
	 "ffffffff81 f ([k])"},
	{"a 1 9000000000.999999999: e: ", "a", -1, 1, UINT32_MAX, 9000000000999999999, -1, "e", ""},
	{"a 1 1.000000: cpu/event=0x3c,umask=0x0/u: x: y", "a", -1, 1, UINT32_MAX, 1000000000, -1,
	 "cpu/event=0x3c,umask=0x0/u", "x: y"},
};

static void all_variants_of_sample_lines_are_taken_apart(void **state)
{
	struct lode_script_sample s;

	(void)state;
	for (size_t i = 0; i < sizeof(samples) / sizeof(*samples); i++) {
		assert_true(lode_script_parse_sample(&s, samples[i].line, strlen(samples[i].line)));
		assert_true(is_text(s.comm, samples[i].comm));
		assert_int_equal(s.pid, samples[i].pid);
		assert_int_equal(s.tid, samples[i].tid);
		assert_int_equal(s.cpu, samples[i].cpu);
		assert_true(s.t_ns == samples[i].t_ns);
		assert_int_equal(s.has_period, samples[i].period >= 0);
		if (s.has_period)
			assert_int_equal(s.period, samples[i].period);
		assert_true(is_text(s.event, samples[i].event));
		assert_true(is_text(s.payload, samples[i].payload));
	}
}

static void lines_that_are_no_samples_are_not_taken_for_one(void **state)
{
	static const char *const lines[] = {
		"",
		"hello",
		"a 1 1.00000: e:",	      /* five digits: neither us nor ns */
		"a 1 1.0000000: e:",	      /* seven */
		"a 1 99999999999.000000: e:", /* does not fit */
		"a x 1.000000: e:",	      /* no tid */
		"1.000000: e:",
		"a 99999999999 1.000000: e:",
		"\t ffffffff821facd8 schedule+0x28 ([kernel.kallsyms])",
		"\t 1000 std::x::y+0x28 (/a.so)",
		"a 1 e",
		"a e:",
		"1 e:",
		"a 1 e: 2",
		"a 1 1.5 e:",
	};
	struct lode_script_sample s;

	(void)state;
	for (size_t i = 0; i < sizeof(lines) / sizeof(*lines); i++)
		if (lode_script_parse_sample(&s, lines[i], strlen(lines[i])))
			fail_msg("taken: %s", lines[i]);
}

static void samples_without_a_time_are_taken_apart(void **state)
{
	static const struct {
		const char *line, *comm, *event;
		int32_t pid, tid;
		uint32_t cpu;
		int64_t period; /* -1: none */
	} cases[] = {
		{"java  3244 cpu-clock: ", "java", "cpu-clock", -1, 3244, UINT32_MAX, -1},
		{"my java 3 3244/3250 [001] 700 cycles:u:", "my java 3", "cycles:u", 3244, 3250, 1,
		 700},
		{"   java 3244 [001] cycles:", "java", "cycles", -1, 3244, 1, -1},
		{"java 3244 250000 cycles:\r", "java", "cycles", -1, 3244, UINT32_MAX, 250000},
	};
	struct lode_script_sample s;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		if (!lode_script_parse_sample(&s, cases[i].line, strcspn(cases[i].line, "\r")))
			fail_msg("not taken: %s", cases[i].line);
		assert_true(lode_slice_is(s.comm, cases[i].comm));
		assert_true(lode_slice_is(s.event, cases[i].event));
		assert_int_equal(s.payload.len, 0);
		assert_int_equal(s.pid, cases[i].pid);
		assert_int_equal(s.tid, cases[i].tid);
		assert_int_equal(s.cpu, cases[i].cpu);
		assert_int_equal(s.t_ns, 0);
		assert_int_equal(s.has_period ? (int64_t)s.period : -1, cases[i].period);
	}
}

static const struct {
	const char *line;
	uint64_t address;
	const char *function, *module;
	bool is_kernel, is_inlined;
} frames[] = {
	{"\tffffffff821facd8 schedule+0x28 ([kernel.kallsyms])", 0xffffffff821facd8, "schedule",
	 "[kernel.kallsyms]", true, false},
	{"\tffffffffc0123456 nft_do_chain+0x1 ([nf_tables])", 0xffffffffc0123456, "nft_do_chain",
	 "[nf_tables]", true, false},
	{"\t           ee137 read@@GLIBC_2.2.5+0x7 (/usr/lib/libc.so.6)", 0xee137, "read",
	 "libc.so.6", false, false},
	{"\t 1 [unknown] (/usr/bin/perf)", 1, "", "perf", false, false},
	{"\t 7f00 [unknown] ([unknown])", 0x7f00, "", "[unknown]", false, false},
	{"\t 10 foo(int, char (*)(long)) const+0x1f (/opt/my app/x.so)", 0x10,
	 "foo(int, char (*)(long)) const", "x.so", false, false},
	{"\t 10 operator+(A, B)+0x2 (/tmp/x (deleted))", 0x10, "operator+(A, B)", "x", false,
	 false},
	{"\t 10 helper (inlined)", 0x10, "helper", "", false, true},
	{"\t 10 f(int)", 0x10, "f(int)", "", false, false},
	{"\t 10 f (/a.so+0x123)", 0x10, "f", "a.so", false, false},
	{"\t 7ffd __vdso_gettime+0x5 ([vdso])", 0x7ffd, "__vdso_gettime", "[vdso]", false, false},
	{"\tffffffffff600000 [unknown] ([vsyscall])", 0xffffffffff600000, "", "[vsyscall]", false,
	 false},
	{"\t deadbeef", 0xdeadbeef, "", "", false, false},
	{"\t 10 core::iter::{{closure}}+0x1 (/a)", 0x10, "core::iter::{{closure}}", "a", false,
	 false},
	{"\t 10 x@plt+0x6 (/a)", 0x10, "x@plt", "a", false, false},
};

static void all_variants_of_frames_are_taken_apart(void **state)
{
	struct lode_script_frame f;

	(void)state;
	for (size_t i = 0; i < sizeof(frames) / sizeof(*frames); i++) {
		assert_true(lode_script_parse_frame(&f, frames[i].line, strlen(frames[i].line)));
		assert_true(f.address == frames[i].address);
		assert_true(is_text(f.function, frames[i].function));
		assert_true(is_text(f.module, frames[i].module));
		assert_int_equal(f.is_kernel, frames[i].is_kernel);
		assert_int_equal(f.is_inlined, frames[i].is_inlined);
	}
	assert_false(lode_script_parse_frame(&f, "\tnot hex", 8));
	assert_false(lode_script_parse_frame(&f, "\t", 1));
	assert_false(lode_script_parse_frame(&f, "\t11112222333344445 f (x)", 24));
}

static struct lode_slice text_of(const char *s)
{
	return (struct lode_slice){s, strlen(s)};
}

static void switches_and_wakings_are_read_in_both_forms(void **state)
{
	static const struct {
		const char *payload, *prev, *next, *state;
		int32_t prev_pid, next_pid;
	} switches[] = {
		{"prev_comm=a b prev_pid=1 prev_prio=120 prev_state=S ==> next_comm=swapper/0 "
		 "next_pid=0 next_prio=120",
		 "a b", "swapper/0", "S", 1, 0},
		{"prev_comm=x prev_pid=7 prev_pid=1 prev_prio=120 prev_state=R+ ==> next_comm= "
		 "next_pid=2 next_prio=1",
		 "x prev_pid=7", "", "R+", 1, 2},
		{"prev_comm=kworker/0:1 prev_pid=5 prev_prio=0 prev_state=D|K ==> next_comm=a==>b "
		 "next_pid=9 next_prio=0 ffffffff81 [unknown] ([kernel.kallsyms])",
		 "kworker/0:1", "a==>b", "D|K", 5, 9},
		{"swapper/0:0 [120] R ==> kworker/0:1:12 [120]", "swapper/0", "kworker/0:1", "R", 0,
		 12},
		{"a [b]:7 [120] S ==> c:8 [120]", "a [b]", "c", "S", 7, 8},
	};
	struct lode_script_switch s;
	struct lode_script_waking w;
	int64_t n;

	(void)state;
	for (size_t i = 0; i < sizeof(switches) / sizeof(*switches); i++) {
		assert_true(lode_script_parse_switch(&s, text_of(switches[i].payload)));
		assert_true(is_text(s.prev_comm, switches[i].prev));
		assert_true(is_text(s.next_comm, switches[i].next));
		assert_true(is_text(s.prev_state, switches[i].state));
		assert_int_equal(s.prev_pid, switches[i].prev_pid);
		assert_int_equal(s.next_pid, switches[i].next_pid);
	}
	assert_false(lode_script_parse_switch(&s, text_of("")));
	assert_false(lode_script_parse_switch(&s, text_of("prev_comm=a prev_pid=1")));
	assert_false(lode_script_parse_switch(&s, text_of("a:1 [2] S ==> ")));
	assert_true(lode_script_parse_waking(
		&w, text_of("comm=a pid=3 pid=17197 prio=120 target_cpu=000")));
	assert_true(is_text(w.comm, "a pid=3"));
	assert_int_equal(w.pid, 17197);
	assert_true(lode_script_parse_waking(&w, text_of("ku:1:5 [120] success=1 CPU:000")));
	assert_true(is_text(w.comm, "ku:1"));
	assert_int_equal(w.pid, 5);
	assert_false(lode_script_parse_waking(&w, text_of("comm=a")));
	assert_true(lode_script_number(text_of("comm=b pid=1 child_pid=22"), "pid=", &n));
	assert_int_equal(n, 1);
	assert_true(lode_script_number(text_of("child_comm=b child_pid=22"), "child_pid=", &n));
	assert_int_equal(n, 22);
	assert_false(lode_script_number(text_of("child_pid=22"), "pid=", &n));
}

static void records_that_are_no_samples_are_read(void **state)
{
	struct lode_script_record r;

	(void)state;
	assert_true(lode_script_parse_record(&r, text_of("PERF_RECORD_COMM exec: a:b:12/13")));
	assert_int_equal(r.kind, LODE_SCRIPT_RECORD_COMM);
	assert_true(r.is_exec && is_text(r.comm, "a:b") && r.pid == 12 && r.tid == 13);
	assert_true(lode_script_parse_record(&r, text_of("PERF_RECORD_FORK(12:13):(1:2)")));
	assert_int_equal(r.kind, LODE_SCRIPT_RECORD_FORK);
	assert_true(r.pid == 12 && r.tid == 13 && r.parent_pid == 1 && r.parent_tid == 2);
	assert_true(lode_script_parse_record(&r, text_of("PERF_RECORD_EXIT(12:13):(1:2)")));
	assert_int_equal(r.kind, LODE_SCRIPT_RECORD_EXIT);
	assert_true(lode_script_parse_record(&r, text_of("PERF_RECORD_LOST lost 5")));
	assert_int_equal(r.n_lost, 5);
	assert_false(lode_script_parse_record(&r, text_of("PERF_RECORD_FORK")));
	assert_false(lode_script_parse_record(&r, text_of("PERF_RECORD_FORK(1:2)")));
	assert_false(lode_script_parse_record(&r, text_of("PERF_RECORD_LOST lost x")));
	assert_false(lode_script_parse_record(&r, text_of("PERF_RECORD_MMAP2 1/1: [0x1]")));
}

/* ---- Files ---- */

static int load(struct lode_stream **out, const char *text, struct lode_error *err)
{
	struct lode_source_options options = {.narrow = lode_narrow_none, .n_threads = 1};
	struct lode_input *input;
	int rc;

	scratch_write(path, text, strlen(text));
	assert_int_equal(lode_input_open(&input, path, err), 0);
	assert_true(!*text || lode_format_script.recognise((const uint8_t *)text, strlen(text)));
	rc = lode_format_script.load(out, input, &options, err);
	assert_true((rc == 0) == (*out != NULL));
	lode_input_close(input);
	return rc;
}

static void stack_text(const struct lode_stream *stream, uint32_t stack, char *text, size_t size)
{
	uint32_t ids[200];
	size_t n = lode_calltree_path(&stream->tree, stack, ids), at = 0;
	char name[256];

	*text = '\0';
	for (size_t i = 0; i < n; i++)
		at += (size_t)snprintf(text + at, size - at, "%s%s", i ? " > " : "",
				       lode_frame_full_name(&stream->tree, ids[i], name,
							    sizeof(name)));
}

static void a_small_text_gives_stacks_costs_and_header_fields(void **state)
{
	static const char text[] =
		"# ========\n# captured on    : Sat Nov 21 05:59:41 2026\n"
		"# hostname : box\n# os release : 6.1.0\n# arch : x86_64\n# nrcpus online : 2\n"
		"# cmdline : /usr/bin/perf record -g -- ./a b \n"
		"# event : name = cycles, , id = { 1 }, { sample_period, sample_freq } = 4000, "
		"sample_type = IP, freq = 1, x = 1\n"
		"# ========\n#\n"
		"perf-exec 10/10 [001] 1.000000: 7 cycles: \n"
		"\tffffffff81000001 do_exec+0x1 ([kernel.kallsyms])\n\n"
		"a 10/10 [001] 1.000250: 7 cycles: \n"
		"\t 12 leaf (inlined)\n"
		"\t 12 middle+0x2 (/x/a)\n"
		"\t 10 main+0x1 (/x/a)\n\n"
		"a 10/11 [000] 1.000251: 7 cycles:  13 solo+0x1 (/x/a)\n";
	struct lode_stream *stream;
	struct lode_error err;
	const struct lode_events *events;
	char got[512];

	(void)state;
	assert_int_equal(load(&stream, text, &err), 0);
	assert_string_equal(stream->host, "box");
	assert_string_equal(stream->kernel, "6.1.0");
	assert_string_equal(stream->arch, "x86_64");
	assert_string_equal(stream->command, "/usr/bin/perf record -g -- ./a b");
	assert_string_equal(stream->unit, "ns");
	assert_int_equal(stream->n_cpus, 2);
	assert_int_equal(stream->n_samples, 3);
	assert_int_equal(stream->threads.n, 2);
	assert_int_equal(stream->event_counts.n, 1);
	assert_int_equal(stream->event_counts.at[0].n, 3);
	assert_int_equal(stream->event_counts.at[0].frequency, 4000);
	assert_true(stream->event_counts.at[0].has_callchain);
	for (int k = 0; k < LODE_N_LOSS_KINDS; k++)
		assert_int_equal(stream->losses.by_kind[k].count, 0);
	events = &stream->threads.at[0].events;
	assert_int_equal(events->n, 2);
	assert_int_equal(events->cost_ns[0], 250000); /* 4000 Hz */
	assert_true(events->start_ns[1] == 1000250000);
	stack_text(stream, events->stack[0], got, sizeof(got));
	assert_string_equal(got, "[kernel]!do_exec");
	stack_text(stream, events->stack[1], got, sizeof(got));
	assert_string_equal(got, "a!main > a!middle > a!leaf");
	/* What followed perf-exec is the command, with all threads of its process. */
	assert_true(stream->threads.at[0].is_command && stream->threads.at[1].is_command);
	stack_text(stream, stream->threads.at[1].events.stack[0], got, sizeof(got));
	assert_string_equal(got, "a!solo");
	lode_stream_free(stream);
}

static void switches_make_waits_with_wakers(void **state)
{
	static const char text[] =
		"a 10 [000] 1.000000000: 1 cpu-clock:  1 f (/a)\n"
		"a 10 [000] 1.000100000: sched:sched_switch: prev_comm=a prev_pid=10 prev_prio=120 "
		"prev_state=S ==> next_comm=b next_pid=20 next_prio=120\n"
		"\tffffffff81000001 schedule+0x1 ([kernel.kallsyms])\n\t 1 f (/a)\n\n"
		"b 20 [000] 1.000300000: sched:sched_waking: comm=a pid=10 prio=120 "
		"target_cpu=000\n"
		"\tffffffff81000002 try_to_wake_up+0x1 ([kernel.kallsyms])\n\t 2 g (/b)\n\n"
		"b 20 [000] 1.000300001: sched:sched_wakeup: comm=a pid=10 prio=120 "
		"target_cpu=000\n\n"
		"b 20 [000] 1.000400000: sched:sched_switch: prev_comm=b prev_pid=20 prev_prio=120 "
		"prev_state=R+ ==> next_comm=a next_pid=10 next_prio=120\n\n"
		"a 10 [000] 1.000500000: 1 cpu-clock:  1 f (/a)\n";
	struct lode_stream *stream;
	struct lode_error err;
	const struct lode_events *e;
	int64_t total[LODE_N_EVENT_KINDS] = {0};
	char got[512];

	(void)state;
	assert_int_equal(load(&stream, text, &err), 0);
	assert_true(stream->has_switches && stream->has_wakings);
	e = &stream->threads.at[lode_map_find(&stream->thread_index, 10)].events;
	for (size_t i = 0; i < e->n; i++) {
		total[e->kind[i]] += e->cost_ns[i];
		if (e->kind[i] != LODE_EVENT_WAITING)
			continue;
		assert_true(e->start_ns[i] == 1000100000);
		assert_int_equal(stream->threads.at[e->other[i]].tid, 20);
		stack_text(stream, e->stack[i], got, sizeof(got));
		assert_string_equal(got, "a!f > [kernel]!schedule");
		stack_text(stream, e->other_stack[i], got, sizeof(got));
		assert_string_equal(got, "b!g > [kernel]!try_to_wake_up");
	}
	assert_int_equal(total[LODE_EVENT_WAITING], 200000);
	assert_int_equal(total[LODE_EVENT_READY], 100000);
	lode_stream_free(stream);
}

static void counts_of_a_counter_without_a_known_rate_keep_its_unit(void **state)
{
	static const char text[] = "a 10 [000] 1.000000: 700 cycles:u:  1 f (/a)\n"
				   "a 10 [000] 1.100000: 3 instructions:  1 f (/a)\n"
				   "a 10 [000] 1.200000: 500 cycles:u:  1 f (/a)\n";
	struct lode_stream *stream;
	struct lode_error err;

	(void)state;
	assert_int_equal(load(&stream, text, &err), 0);
	assert_string_equal(stream->unit, "cycles:u");
	assert_int_equal(stream->threads.at[0].events.n, 2); /* one counter carries the cost */
	assert_int_equal(stream->threads.at[0].events.cost_ns[0], 700);
	lode_stream_free(stream);
}

/* Shares are of what a thread costs, not of the seconds that it took: "88 of 169 samples". */
static void without_times_a_thread_lives_for_as_long_as_it_costs(void **state)
{
	static const char *const texts[] = {
		"a 10 1.000000: 700 cycles:  1 f (/a)\n"
		"b 11 1.000000: 9 cycles:  1 f (/a)\n"
		"a 10 9.200000: 500 cycles:  1 g (/a)\n",
		"a 10 700 cycles:\n\t1 f (/a)\n\nb 11 9 cycles:\n\t1 f (/a)\n\n"
		"a 10 500 cycles:\n\t1 g (/a)\n\n",
		"a 10 700 cpu-clock:\n\t1 f (/a)\n\nb 11 9 cpu-clock:\n\t1 f (/a)\n\n"
		"a 10 500 cpu-clock:\n1 _ZN1q1gEi (/a)\n\n",
	};
	char got[64];
	struct lode_stream *stream;
	struct lode_error err;

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		const struct lode_thread *a, *b;

		assert_int_equal(load(&stream, texts[i], &err), 0);
		assert_string_equal(stream->unit, i < 2 ? "cycles" : "ns");
		assert_int_equal(stream->losses.by_kind[LODE_LOSS_BAD_RECORD].count, 0);
		a = perf_image_thread(stream, 10);
		b = perf_image_thread(stream, 11);
		assert_int_equal(stream->t0_ns, 0);
		assert_int_equal(stream->t1_ns, 1200);
		assert_int_equal(a->died_ns, 1200);
		assert_int_equal(b->died_ns, 9);
		assert_int_equal(a->events.start_ns[0], 0);
		assert_int_equal(a->events.start_ns[1], 700);
		stack_text(stream, a->events.stack[1], got, sizeof(got));
		assert_string_equal(got, i < 2 ? "a!g" : "a!q::g");
		lode_stream_free(stream);
	}
}

static void damage_is_counted_and_the_rest_is_read(void **state)
{
	struct lode_stream *stream;
	struct lode_error err;

	(void)state;
	assert_int_equal(load(&stream,
			      "a 10 [000] 1.000000: 5 cpu-clock: \n"
			      "\tzzz\n"
			      "\t1 f (/a)\n\n"
			      "what is this\n"
			      "\t2 alone (/a)\n"
			      "a 10 [000] 1.000001: sched:sched_switch: garbage\n\n"
			      "a 10 [000] 1.000002: 5 cpu-clock: \n"
			      "\t1 f (/a)\n"
			      "\t1 ma",
			      &err),
			 0);
	assert_int_equal(stream->losses.by_kind[LODE_LOSS_BAD_RECORD].count, 3);
	assert_non_null(strstr(stream->losses.by_kind[LODE_LOSS_BAD_RECORD].detail, "line 2"));
	assert_int_equal(stream->losses.by_kind[LODE_LOSS_UNDECODABLE].count, 1);
	assert_int_equal(stream->losses.by_kind[LODE_LOSS_TRUNCATED].count, 1);
	assert_int_equal(stream->threads.at[0].events.n, 1); /* the cut stack is not used */
	lode_stream_free(stream);
}

/* Oracle: the random samples from which the text is printed. */
static void random_texts_read_as_they_were_written(void **state)
{
	static const char *const names[] = {"main", "f(int)", "operator()", "a b", "x"};
	static char text[400000], want[2000][512];
	static int64_t cost[2000], at_ns[2000];
	static uint32_t who[2000];

	(void)state;
	for (uint64_t seed = 1; seed <= 60; seed++) {
		struct test_random random = {.state = seed};
		size_t n = 1 + test_random_below(&random, 200), at = 0, seen[4] = {0};
		bool is_ns = test_random_below(&random, 2);
		int64_t t = test_random_below(&random, 1000000) * 1000LL;
		struct lode_stream *stream;
		struct lode_error err;

		for (size_t i = 0; i < n; i++) {
			size_t depth = 1 + test_random_below(&random, 8), w = 0;
			uint32_t functions[8];

			t += test_random_below(&random, 2000000) * (is_ns ? 1LL : 1000LL);
			at_ns[i] = t;
			cost[i] = 1 + test_random_below(&random, 5000);
			who[i] = test_random_below(&random, 4);
			at += (size_t)snprintf(text + at, sizeof(text) - at,
					       is_ns ? "t %u %5u [%03u] %5lld.%09lld: %lld "
						       "cpu-clock: \n"
						     : "t %u %5u [%03u] %5lld.%06lld: %lld "
						       "cpu-clock: \n",
					       who[i], 100 + who[i], who[i] % 2,
					       (long long)(t / 1000000000),
					       (long long)(t % 1000000000 / (is_ns ? 1 : 1000)),
					       (long long)cost[i]);
			for (size_t d = 0; d < depth; d++) { /* leaf first */
				functions[d] = test_random_below(&random, 5);
				at += (size_t)snprintf(text + at, sizeof(text) - at,
						       "\t%16x %s+0x%x (/lib/m%u)\n", 0x1000,
						       names[functions[d]], (unsigned)d,
						       functions[d]);
			}
			at += (size_t)snprintf(text + at, sizeof(text) - at, "\n");
			for (size_t d = depth; d-- > 0;)
				w += (size_t)snprintf(want[i] + w, sizeof(want[i]) - w, "%sm%u!%s",
						      w ? " > " : "", functions[d],
						      names[functions[d]]);
		}
		if (load(&stream, text, &err) != 0)
			fail_msg("seed %llu: %s", (unsigned long long)seed, err.message);
		for (size_t i = 0; i < n; i++) {
			uint32_t id = lode_map_find(&stream->thread_index, 100 + who[i]);
			const struct lode_events *e = &stream->threads.at[id].events;
			size_t k = seen[who[i]]++;
			char got[512];

			assert_true(k < e->n);
			stack_text(stream, e->stack[k], got, sizeof(got));
			if (strcmp(got, want[i]) != 0 || e->start_ns[k] != at_ns[i] ||
			    e->cost_ns[k] != cost[i])
				fail_msg("seed %llu sample %zu: %s is not %s",
					 (unsigned long long)seed, i, got, want[i]);
		}
		lode_stream_free(stream);
	}
}

static int make_folder(void **state)
{
	(void)state;
	scratch_make(&scratch);
	path = scratch_path(&scratch, "text");
	return 0;
}

static int remove_folder(void **state)
{
	(void)state;
	scratch_remove(&scratch);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_variants_of_sample_lines_are_taken_apart),
		cmocka_unit_test(lines_that_are_no_samples_are_not_taken_for_one),
		cmocka_unit_test(samples_without_a_time_are_taken_apart),
		cmocka_unit_test(all_variants_of_frames_are_taken_apart),
		cmocka_unit_test(switches_and_wakings_are_read_in_both_forms),
		cmocka_unit_test(records_that_are_no_samples_are_read),
		cmocka_unit_test(a_small_text_gives_stacks_costs_and_header_fields),
		cmocka_unit_test(switches_make_waits_with_wakers),
		cmocka_unit_test(counts_of_a_counter_without_a_known_rate_keep_its_unit),
		cmocka_unit_test(without_times_a_thread_lives_for_as_long_as_it_costs),
		cmocka_unit_test(damage_is_counted_and_the_rest_is_read),
		cmocka_unit_test(random_texts_read_as_they_were_written),
	};

	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
