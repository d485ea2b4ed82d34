/* Texts of --metric. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "engine/suspects/metric_spec.h"

static void test_globs_and_kinds_choose(void **state)
{
	struct lode_metric_spec spec = {0};
	struct lode_error err;

	(void)state;
	assert_true(lode_metric_spec_wants(NULL, "syscall:read"));
	assert_true(lode_metric_spec_wants(&spec, "syscall:read"));
	assert_true(lode_metric_spec_may_want(&spec, "offcpu"));
	assert_int_equal(lode_metric_spec_add(&spec, "syscall:*stat*", &err), 0);
	assert_int_equal(lode_metric_spec_add(&spec, "block", &err), 0);
	assert_true(lode_metric_spec_wants(&spec, "syscall:statx"));
	assert_true(lode_metric_spec_wants(&spec, "syscall:newfstatat"));
	assert_false(lode_metric_spec_wants(&spec, "syscall:read"));
	assert_true(lode_metric_spec_wants(&spec, "block:queue"));
	assert_false(lode_metric_spec_wants(&spec, "blocker:queue"));
	assert_true(lode_metric_spec_may_want(&spec, "syscall"));
	assert_true(lode_metric_spec_may_want(&spec, "block"));
	assert_false(lode_metric_spec_may_want(&spec, "offcpu"));
	assert_int_equal(lode_metric_spec_add(&spec, "off*", &err), 0);
	assert_true(lode_metric_spec_may_want(&spec, "offcpu"));
	assert_false(lode_metric_spec_may_want(&spec, "cpu"));
	lode_metric_spec_release(&spec);
}

static void test_own_metrics_are_taken_apart(void **state)
{
	static const char *const texts[] = {
		"a=x:begin..y:end",
		"b = x:begin .. y:end [by f]",
		"c=x:begin..y:end by f , g=h,cpu",
		"d=probe:main__entry..probe:main%return[by common_pid]",
	};
	struct lode_metric_spec spec = {0};
	struct lode_error err;

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
		assert_int_equal(lode_metric_spec_add(&spec, texts[i], &err), 0);
	assert_int_equal(spec.own.n, 4);
	for (size_t i = 0; i < 3; i++) {
		assert_int_equal(spec.own.at[i].name[0], 'a' + i);
		assert_string_equal(spec.own.at[i].begin, "x:begin");
		assert_string_equal(spec.own.at[i].end, "y:end");
	}
	assert_int_equal(spec.own.at[0].n_keys, 0);
	assert_int_equal(spec.own.at[1].n_keys, 1);
	assert_string_equal(spec.own.at[1].begin_key[0], "f");
	assert_int_equal(spec.own.at[2].n_keys, 3);
	assert_string_equal(spec.own.at[2].begin_key[1], "g");
	assert_string_equal(spec.own.at[2].end_key[1], "h");
	assert_string_equal(spec.own.at[2].end_key[2], "cpu");
	assert_string_equal(spec.own.at[3].end, "probe:main%return");
	/* Own metrics alone: no others. */
	assert_false(lode_metric_spec_wants(&spec, "syscall:read"));
	lode_metric_spec_release(&spec);
}

static void test_what_is_wrong_is_said(void **state)
{
	static const struct {
		const char *text, *what;
	} cases[] = {
		{"", "is empty"},
		{"a=", "begin and end event"},
		{"a=x:y", "begin and end event"},
		{"x:y..x:z", "has no name"},
		{"=x:y..x:z", "has no name"},
		{"a=..x:z", "no begin event"},
		{"a=x:y..", "no end event"},
		{"a=x y..x:z", "no begin event"},
		{"a=x:y..x:z[by]", "no end event"},
		{"a=x:y..x:z[by ]", "no field name"},
		{"a=x:y..x:z[by f,]", "no field name"},
		{"a=x:y..x:z[by f=]", "no field name"},
		{"a=x:y..x:z[by f g]", "no field name"},
		{"a=x:y..x:z[by a,b,c,d,e]", "more than four fields"},
		{"twice=x:y..x:z", "the same name as"},
	};
	struct lode_metric_spec spec = {0};
	struct lode_error err;

	(void)state;
	assert_int_equal(lode_metric_spec_add(&spec, "twice=a:b..c:d", &err), 0);
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		memset(&err, 0, sizeof(err));
		assert_int_equal(lode_metric_spec_add(&spec, cases[i].text, &err), LODE_ERR_ARG);
		if (!strstr(err.message, cases[i].what))
			fail_msg("'%s': %s", cases[i].text, err.message);
	}
	assert_int_equal(spec.own.n, 1);
	assert_int_equal(spec.globs.n, 0);
	lode_metric_spec_release(&spec);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_globs_and_kinds_choose),
		cmocka_unit_test(test_own_metrics_are_taken_apart),
		cmocka_unit_test(test_what_is_wrong_is_said),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
