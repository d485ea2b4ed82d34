/* streams/shape.h: which digests go together, and what is said of those that do not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "streams/digest_job.h"
#include "streams/shape.h"

static struct lode_digest_job_options plain_options(void)
{
	return (struct lode_digest_job_options){
		.narrow = {.from_ns = INT64_MIN, .to_ns = INT64_MAX, .cpu = -1},
		.unit = "samples",
		.symptoms = {.pid = -1},
	};
}

static void test_every_option_that_decides_is_in_the_shape(void **state)
{
	static const char *const globs[] = {"a*", "b\nc"};
	struct lode_digest_job_options options = plain_options();
	struct lode_arena arena = {0};

	(void)state;
	assert_string_equal(lode_shape_of(&options, true, &arena), "");
	assert_string_equal(lode_shape_of(&options, false, &arena),
			    "--scope critical\n--stacks chained\n");
	options.symptoms = (struct lode_symptom_options){
		.select = "comm=git", .tsv_path = "a.tsv", .comm = "x", .pid = 5, .min_ns = 7};
	options.aoi =
		(struct lode_aoi_options){.scope = LODE_SCOPE_GRAPH,
					  .own_stacks = true,
					  .include = globs,
					  .n_include = 2,
					  .exclude = globs,
					  .n_exclude = 1,
					  .kinds = 1 << LODE_EVENT_RUNNING | 1 << LODE_EVENT_READY,
					  .reasons = 1 << LODE_REASON_DISK};
	options.narrow = (struct lode_narrow){
		.from_ns = 5, .to_ns = INT64_MAX, .cpu = 0, .is_from_offset = true};
	options.folded_kind = LODE_EVENT_WAITING;
	options.unit = "ns";
	options.symbols.want_inlined = options.symbols.keep_mangled = true;
	options.is_scope_given = true;
	assert_string_equal(lode_shape_of(&options, true, &arena),
			    "--symptom comm=git\n--symptoms FILE\n--comm x\n--pid 5\n"
			    "--slower-than 7ns\n--scope graph\n--include a*\n--include b\\nc\n"
			    "--exclude a*\n--only run,ready\n--reason disk\n--time +5,\n--cpu 0\n"
			    "--kind wait\n--unit ns\n--inline\n--no-demangle\n");
	lode_arena_release(&arena);
}

static void test_values_are_found_by_their_whole_name(void **state)
{
	static const char shape[] = "--symptoms FILE\n--scope graph\n--inline\n";
	const char *value;
	size_t len;

	(void)state;
	value = lode_shape_value(shape, "--scope", &len);
	assert_true(value && len == 5 && !memcmp(value, "graph", 5));
	assert_non_null(lode_shape_value(shape, "--inline", &len));
	assert_int_equal(len, 0);
	assert_null(lode_shape_value(shape, "--symptom", &len));
	assert_null(lode_shape_value("", "--scope", &len));
	assert_true(lode_shape_has_filters("--scope graph\n--only run\n"));
	assert_false(lode_shape_has_filters(shape));
}

#define BASE "--scope critical\n--stacks chained\n"

struct agree_case {
	const char *given, *full, *first, *shape;
	bool has_streams;
	const char *refused; /* a part of what is said; NULL: agreed */
	bool needs_filter;
};

static const struct agree_case cases[] = {
	/* digests alone: what was given must be theirs, and all are alike */
	{"", BASE, NULL, BASE},
	{"", BASE, NULL, "--symptom comm=git\n" BASE},
	{"--scope critical\n", BASE, NULL, BASE},
	{"--scope graph\n", BASE, NULL, BASE,
	 .refused = "with --scope critical and cannot be "
		    "mined with --scope graph"},
	{"--pid 4\n", BASE, NULL, BASE,
	 .refused = "without --pid and cannot be mined with --pid 4"},
	{"", BASE, BASE, BASE},
	{"", BASE, BASE, "--inline\n" BASE,
	 .refused = "with --inline, first.digest without --inline"},
	{"", BASE, "--cpu 1\n" BASE, "--cpu 0\n" BASE,
	 .refused = "with --cpu 0, first.digest with --cpu 1"},
	{"", BASE, "--cpu 1\n" BASE, BASE, .refused = "without --cpu, first.digest with --cpu 1"},
	/* with streams beside them, they must have the streams' shape */
	{"", BASE, NULL, BASE, .has_streams = true},
	{"", BASE, NULL, "--pid 4\n" BASE, .has_streams = true,
	 .refused = "with --pid 4, the recordings beside it are read without --pid"},
	/* filters can be applied later, but not taken away or doubled */
	{"--only run\n", BASE "--only run\n", NULL, BASE, .needs_filter = true},
	{"--only run\n", BASE "--only run\n", NULL, BASE, .has_streams = true,
	 .needs_filter = true},
	{"--only run\n", BASE "--only run\n", NULL, BASE "--only run\n"},
	{"--only run\n", BASE "--only run\n", NULL, BASE "--only wait\n",
	 .refused = "with --only wait"},
	{"", BASE, NULL, BASE "--only wait\n", .has_streams = true, .refused = "with --only wait"},
	{"--only run\n--pid 4\n", BASE "--only run\n", NULL, BASE, .refused = "without --pid"},
};

static void test_only_what_was_made_alike_agrees(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		const struct agree_case *c = &cases[i];
		struct lode_shape_demand demand = {
			.given = c->given,
			.full = c->full,
			.has_streams = c->has_streams,
			.first = c->first,
			.first_path = "first.digest",
		};
		struct lode_error err = {0};
		bool needs_filter;
		int rc = lode_shape_agree(&needs_filter, &demand, c->shape, "x.digest", &err);

		if (rc != (c->refused ? LODE_ERR_ARG : 0))
			fail_msg("case %zu: %d %s", i, rc, err.message);
		if (c->refused && !strstr(err.message, c->refused))
			fail_msg("case %zu: '%s'", i, err.message);
		if (!c->refused && needs_filter != c->needs_filter)
			fail_msg("case %zu: filter %d", i, needs_filter);
	}
}

/* What is stored becomes a command line: no other option and no input may come in by it. */
static void test_nothing_but_options_of_shapes_is_sound(void **state)
{
	static const char *const sound[] = {"", BASE, BASE "--include a b\n--inline\n",
					    "--symptoms FILE\n--time +0,+5\n--cpu 3\n"};
	static const char *const unsound[] = {
		"--symptom\n",
		"x\n",
		"--symptom comm=*\n] c\n",
		"--html page.html\n",
		"--inline a.data\n",
		"--symptom a\n\n--pid 3\n",
		"--no-demangle=1\n",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(sound) / sizeof(*sound); i++)
		assert_true(lode_shape_is_sound(sound[i]));
	for (size_t i = 0; i < sizeof(unsound) / sizeof(*unsound); i++)
		assert_false(lode_shape_is_sound(unsound[i]));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_option_that_decides_is_in_the_shape),
		cmocka_unit_test(test_values_are_found_by_their_whole_name),
		cmocka_unit_test(test_only_what_was_made_alike_agrees),
		cmocka_unit_test(test_nothing_but_options_of_shapes_is_sound),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
