/* Fields of payloads as perf script prints them. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/map.h"
#include "random.h"
#include "input/formats/text/script_event.h"
#include "cases.h"

static struct lode_slice text_of(const char *text)
{
	return (struct lode_slice){text, strlen(text)};
}

static void test_fields_are_found_where_each_event_has_them(void **state)
{
	static const struct {
		const char *tracepoint, *payload, *field;
		unsigned element;
		bool is_there;
		uint64_t value;
	} cases[] = {
		{"raw_syscalls:sys_enter", "NR 202 (7f10a8, 80, 2, 0, 0, 0)", "id", 0, true, 202},
		{"raw_syscalls:sys_enter", "NR 202 (7f10a8, 80, 2, 0, 0, 0)", "args", 1, true, 128},
		{"raw_syscalls:sys_enter", "NR 202 (7f10a8, 80, 2, 0, 0, 0)", "args", 6, false, 0},
		{"raw_syscalls:sys_exit", "NR -1 = 0", "id", 0, true, UINT64_MAX},
		{"raw_syscalls:sys_exit", "NR 0 = 832", "args", 0, false, 0},
		{"block:block_rq_issue", "254,1 WS 65536 () 1234 + 128 none,0,0 [dd]", "dev", 0,
		 true, 254 << 20 | 1},
		{"block:block_rq_issue", "254,1 WS 65536 (a) 9 + 1 b) 1234 + 128 [dd]", "sector", 0,
		 true, 9},
		{"block:block_rq_complete", "8,0 RA () 12654440 + 8 [0]", "nr_sector", 0, true, 8},
		{"block:block_rq_complete", "8,0 RA () 12654440 + ", "nr_sector", 0, false, 0},
		{"irq:softirq_entry", "vec=9 [action=RCU]", "vec", 0, true, 9},
		{"irq:irq_handler_entry", "xirq=3 irq=24 name=virtio1-req.0", "irq", 0, true, 24},
		{"sched:sched_waking", "comm=a pid=3 b pid=17 prio=120 target_cpu=001", "pid", 0,
		 true, 17},
		{"sched:sched_waking", "dd:17 [120] CPU:001", "pid", 0, true, 17},
		{"syscalls:sys_enter_futex", "uaddr: 0x7f10a8, op: 0x00000080, val: 0x2", "op", 0,
		 true, 128},
		{"a:b", "x=-5,y=0x1f", "x", 0, true, (uint64_t)-5},
		{"a:b", "x=-5,y=0x1f", "y", 0, true, 31},
		{"a:b", "x=", "x", 0, false, 0},
		{"a:b", "", "x", 0, false, 0},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		uint64_t value = 0;
		bool is_there =
			lode_script_value(&value, cases[i].tracepoint, text_of(cases[i].payload),
					  cases[i].field, cases[i].element);

		if (is_there != cases[i].is_there || (is_there && value != cases[i].value))
			fail_msg("%s of '%s' is %s %llu", cases[i].field, cases[i].payload,
				 is_there ? "" : "not there,", (unsigned long long)value);
	}
}

static void test_texts_are_told_apart(void **state)
{
	struct lode_slice name = lode_script_text("irq:irq_handler_entry",
						  text_of("irq=24 name=virtio1-req.0"), "name");
	struct lode_slice rwbs = lode_script_text("block:block_rq_issue",
						  text_of("254,1 WFS 65536 () 1234 + 128"), "rwbs");
	uint64_t a, b, c;

	(void)state;
	assert_int_equal(name.len, 13);
	assert_memory_equal(name.at, "virtio1-req.0", name.len);
	assert_int_equal(rwbs.len, 3);
	assert_memory_equal(rwbs.at, "WFS", rwbs.len);
	assert_int_equal(lode_script_text("block:block_rq_issue", text_of("254,1 "), "rwbs").len,
			 0);
	assert_true(lode_script_value(&a, "x:y", text_of("dev=eth0 len=3"), "dev", 0));
	assert_true(lode_script_value(&b, "x:y", text_of("dev=eth1 len=3"), "dev", 0));
	assert_true(lode_script_value(&c, "x:y", text_of("len=7 dev=eth0"), "dev", 0));
	assert_true(a != b && a == c);
}

/* Any payload, also one that ends in the middle of what is looked for. */
static void test_no_payload_is_read_beyond_its_end(void **state)
{
	static const char *const parts[] = {"NR ",  "202",	    " (",  "0x",   "-",	  ", ",
					    "8,0 ", ") ",	    " + ", "dev=", "pid", "=",
					    ": ",   "comm=a pid=3", "[",   " "};
	static const char *const events[] = {"raw_syscalls:sys_enter", "block:block_rq_issue",
					     "sched:sched_waking", "a:b"};
	static const char *const fields[] = {"id", "args", "dev", "sector", "nr_sector", "pid", ""};

	(void)state;
	for (uint64_t seed = 1; seed <= TEST_CASES(20000); seed++) {
		struct test_random random = {seed};
		char text[128] = "", *exact;
		uint64_t value;
		size_t n;

		for (uint32_t i = test_random_below(&random, 9); i > 0; i--)
			strncat(text, parts[test_random_below(&random, 16)],
				sizeof(text) - strlen(text) - 1);
		/* On the heap, without a byte behind it: a sanitizer sees what reads too far. */
		n = strlen(text);
		exact = malloc(n + !n);
		assert_non_null(exact);
		memcpy(exact, text, n);
		(void)lode_script_text("block:block_rq_issue", (struct lode_slice){exact, n},
				       "rwbs");
		(void)lode_script_value(&value, events[test_random_below(&random, 4)],
					(struct lode_slice){exact, n},
					fields[test_random_below(&random, 7)],
					test_random_below(&random, 3));
		free(exact);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_fields_are_found_where_each_event_has_them),
		cmocka_unit_test(test_texts_are_told_apart),
		cmocka_unit_test(test_no_payload_is_read_beyond_its_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
