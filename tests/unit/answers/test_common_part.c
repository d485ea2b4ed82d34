/* The frames that tell most, one line per thread, never wider than asked for. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/escape.h"
#include "random.h"
#include "answers/clusters/common_part.h"
#include "answers/clusters/variants.h"
#include "cases.h"

struct common {
	struct lode_digest *digest;
	uint32_t frames[64];
	bool gaps[64];
	size_t n;
	const char *who;
};

static struct common common_new(void)
{
	return (struct common){.digest = lode_digest_new()};
}

static void add(struct common *c, const char *module, const char *function)
{
	uint32_t flags = strcmp(module, "[kernel]") == 0 ? LODE_FRAME_KERNEL : 0;

	c->frames[c->n++] = lode_frame_intern(&c->digest->tree, module, function, flags);
}

static void add_link(struct common *c, const char *comm)
{
	c->frames[c->n++] = lode_frame_link(&c->digest->tree, comm);
}

static const char *shorten(struct common *c, char *buffer, size_t size, size_t columns,
			   size_t lines)
{
	return lode_common_part_short(buffer, size, c->digest,
				      &(struct lode_line_frames){.name = LODE_NONE,
								 .who = c->who,
								 .frames = c->frames,
								 .gap_before = c->gaps,
								 .n = c->n},
				      columns, columns, lines);
}

static void kernel_frames_give_way_to_the_program(void **state)
{
	struct common c = common_new();
	char text[4096];

	(void)state;
	add(&c, "app", "main"); /* every program has it: it tells nothing */
	add(&c, "app", "start_up");
	add(&c, "app", "load");
	add(&c, "libc.so.6", "__read_cancel");
	add(&c, "[kernel]", "do_syscall_64");
	add(&c, "[kernel]", "io_schedule");
	assert_string_equal(shorten(&c, text, sizeof(text), 80, 4), "start_up › load");
	lode_digest_free(c.digest);
}

static void a_kernel_thread_shows_its_kernel_frames(void **state)
{
	struct common c = common_new();
	char text[4096];

	(void)state;
	add(&c, "app", "main");
	add_link(&c, "kworker/0:1");
	add(&c, "[kernel]", "worker_thread");
	add(&c, "[kernel]", "loop_workfn");
	assert_string_equal(shorten(&c, text, sizeof(text), 80, 4),
			    "main\n→ kworker/0:1  worker_thread › loop_workfn");
	lode_digest_free(c.digest);
}

/* Two kinds of waits that have nothing in common, and a thread that was preempted anywhere. */
static void how_a_thread_leaves_its_cpu_gives_way_to_its_name(void **state)
{
	struct common c = common_new();
	char text[4096];

	(void)state;
	c.who = "sh";
	add(&c, "[kernel]", "entry_SYSCALL_64_after_hwframe");
	add(&c, "[kernel]", "__schedule");
	assert_string_equal(shorten(&c, text, sizeof(text), 80, 4), "sh  __schedule");
	add_link(&c, "gzip");
	add(&c, "[kernel]", "irqentry_exit_to_user_mode");
	add(&c, "[kernel]", "exit_to_user_mode_loop");
	assert_string_equal(shorten(&c, text, sizeof(text), 80, 4), "sh → gzip");
	add_link(&c, "store");
	add(&c, "[kernel]", "do_futex");
	add(&c, "[kernel]", "futex_wait");
	add(&c, "[kernel]", "__futex_wait");
	assert_string_equal(shorten(&c, text, sizeof(text), 80, 4),
			    "sh → gzip\n→ store  futex_wait");
	lode_digest_free(c.digest);
}

static void what_is_left_out_shows(void **state)
{
	struct common c = common_new();
	char text[4096];

	(void)state;
	add(&c, "app", "first");
	add(&c, "app", "outer");
	c.gaps[2] = true; /* variants stand before it */
	add(&c, "app", "inner");
	assert_string_equal(shorten(&c, text, sizeof(text), 80, 4), "first › outer … inner");
	/* No room for all: the deepest tell most. */
	assert_string_equal(shorten(&c, text, sizeof(text), 13, 4), "outer … inner");
	assert_string_equal(shorten(&c, text, sizeof(text), 5, 4), "inner");
	/* Names are not cut. */
	assert_string_equal(shorten(&c, text, sizeof(text), 4, 4), "…");
	lode_digest_free(c.digest);
}

static void long_chains_keep_their_ends(void **state)
{
	struct common c = common_new();
	char text[4096];

	(void)state;
	add(&c, "app", "a");
	for (int i = 1; i <= 5; i++) {
		char comm[16], function[16];

		snprintf(comm, sizeof(comm), "t%d", i);
		snprintf(function, sizeof(function), "f%d", i);
		add_link(&c, comm);
		add(&c, "app", function);
	}
	assert_string_equal(shorten(&c, text, sizeof(text), 80, 4),
			    "a\n→ t1 → t2 → t3\n→ t4  f4\n→ t5  f5");
	assert_string_equal(shorten(&c, text, sizeof(text), 80, 3),
			    "a\n→ t1 → t2 → t3 → t4\n→ t5  f5");
	/* Where even the names are too many, that shows. */
	assert_string_equal(shorten(&c, text, sizeof(text), 12, 3), "a\n→ t1 → t2 …\n→ t5  f5");
	c.who = "shop";
	assert_string_equal(shorten(&c, text, sizeof(text), 80, 6),
			    "shop  a\n→ t1  f1\n→ t2  f2\n→ t3  f3\n→ t4  f4\n→ t5  f5");
	assert_string_equal(shorten(&c, text, sizeof(text), 80, 1),
			    "shop → t1 → t2 → t3 → t4 → t5  f5");
	lode_digest_free(c.digest);
}

/* The chain ends in a device, or in a kernel thread that serves whoever asks: the function that
   waits for it is named all the same. */
static void one_line_names_the_last_function_of_a_program(void **state)
{
	struct common c = common_new();
	char text[4096];

	(void)state;
	c.who = "shop";
	add(&c, "app", "load");
	add(&c, "app", "read_config");
	add_link(&c, "disk");
	assert_string_equal(shorten(&c, text, sizeof(text), 80, 1),
			    "shop  load › read_config → disk");
	assert_string_equal(shorten(&c, text, sizeof(text), 25, 1), "shop  read_config → disk");
	c.n--;
	add_link(&c, "store");
	add(&c, "app", "append_record");
	add_link(&c, "kworker");
	add(&c, "[kernel]", "worker_thread");
	assert_string_equal(shorten(&c, text, sizeof(text), 80, 1),
			    "shop → store  append_record → kworker");
	/* The names beside it go first. */
	assert_string_equal(shorten(&c, text, sizeof(text), 27, 1), "… → store  append_record …");
	lode_digest_free(c.digest);
}

static void names_are_folded_and_harmless(void **state)
{
	static const char *const names[][2] = {
		{"plain", "plain"},
		{"std::vector<int, std::allocator<int> >::push_back(int const&)",
		 "std::vector<…>::push_back"},
		{"Foo::operator()(int) const", "Foo::operator()"},
		{"operator<<(std::ostream&, Foo<int> const&)", "operator<<"},
		{"Foo::operator->() const", "Foo::operator->"},
		{"(anonymous namespace)::helper(int)", "(anonymous namespace)::helper"},
		{"regexp.(*Regexp).doExecute", "regexp.(*Regexp).doExecute"},
		{"net/http.(*conn).serve.func1", "net/http.(*conn).serve.func1"},
		{"a<b", "a<b"}, /* no template: left alone */
		{"<alloc::vec::Vec<T> as core::ops::Drop>::drop",
		 "<alloc::vec::Vec<…> as core::ops::Drop>::drop"},
		{"evil\033[2J", "evil\\x1b[2J"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		struct lode_digest *digest = lode_digest_new();
		uint32_t frame = lode_frame_intern(&digest->tree, "m", names[i][0], 0);
		char text[2048];

		assert_string_equal(lode_short_label(text, sizeof(text), &digest->tree, frame),
				    names[i][1]);
		lode_digest_free(digest);
	}
}

/* Whatever stands in a stack: no line is wider than asked for, and no more lines. */
static void no_line_is_too_wide(void **state)
{
	static const char *const functions[] = {
		"f",
		"a_rather_long_function_name_that_tells",
		"漢字漢字漢字",
		"x\xff\033y",
		"std::map<std::string, int>::at(std::string const&)",
		""};
	static const char *const modules[] = {"app", "[kernel]", "libc.so.6", "libx.so"};

	(void)state;
	for (uint64_t seed = 1; seed <= TEST_CASES(1000); seed++) {
		struct test_random random = {seed};
		struct common c = common_new();
		size_t columns = 20 + test_random_below(&random, 80);
		size_t max_lines = 1 + test_random_below(&random, 5), n_lines = 0;
		size_t n = test_random_below(&random, 60);
		char text[16384], line[4096];

		for (size_t i = 0; i < n; i++) {
			c.gaps[c.n] = test_random_below(&random, 3) == 0;
			if (test_random_below(&random, 8) == 0)
				add_link(&c, "some-thread");
			else
				add(&c, modules[test_random_below(&random, 4)],
				    functions[test_random_below(&random, 6)]);
		}
		shorten(&c, text, sizeof(text), columns, max_lines);
		for (const char *at = text; *at; n_lines++) {
			size_t len = strcspn(at, "\n");

			snprintf(line, sizeof(line), "%.*s", (int)len, at);
			if (lode_escape_width(line) > columns)
				print_error("seed %llu: %zu > %zu: %s\n", (unsigned long long)seed,
					    lode_escape_width(line), columns, line);
			assert_true(lode_escape_width(line) <= columns);
			at += len + (at[len] == '\n');
		}
		assert_true(n_lines <= max_lines);
		lode_digest_free(c.digest);
	}
}

static void what_parts_a_cluster_is_named(void **state)
{
	static const char *const callers[] = {"from_config", "from_theme", "from_plugin"};
	struct lode_digest *digest = lode_digest_new();
	struct lode_mined_pattern patterns[3] = {
		{.round = 1, .holds_common = true},
		{.round = 1, .holds_common = true},
		{.round = 1, .holds_common = true},
	};
	uint32_t frames[3][3], common[2];
	bool gap_before[2] = {false, true};
	struct lode_cluster cluster = {.name = LODE_NONE,
				       .common = common,
				       .gap_before = gap_before,
				       .n_common = 2,
				       .patterns = patterns,
				       .n_patterns = 3};
	char text[1024];

	(void)state;
	digest->unit = "ns";
	common[0] = lode_frame_intern(&digest->tree, "app", "start_up", 0);
	common[1] = lode_frame_intern(&digest->tree, "app", "canonicalize", 0);
	for (int i = 0; i < 3; i++) {
		frames[i][0] = common[0];
		frames[i][1] = lode_frame_intern(&digest->tree, "app", callers[i], 0);
		frames[i][2] = common[1];
		patterns[i].frames = frames[i];
		patterns[i].n_frames = 3;
		patterns[i].own_ns = (i + 1) * 1000000000LL;
	}
	assert_string_equal(lode_variants_short(text, sizeof(text), digest, &cluster, 90),
			    "┆ from_plugin 3.00 s, from_theme 2.00 s, from_config 1.00 s");
	/* What does not fit is left out whole. */
	assert_string_equal(lode_variants_short(text, sizeof(text), digest, &cluster, 45),
			    "┆ from_plugin 3.00 s, from_theme 2.00 s");
	/* One variant alone parts nothing. */
	cluster.n_patterns = 1;
	assert_string_equal(lode_variants_short(text, sizeof(text), digest, &cluster, 90), "");
	lode_digest_free(digest);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(kernel_frames_give_way_to_the_program),
		cmocka_unit_test(a_kernel_thread_shows_its_kernel_frames),
		cmocka_unit_test(how_a_thread_leaves_its_cpu_gives_way_to_its_name),
		cmocka_unit_test(what_is_left_out_shows),
		cmocka_unit_test(long_chains_keep_their_ends),
		cmocka_unit_test(one_line_names_the_last_function_of_a_program),
		cmocka_unit_test(names_are_folded_and_harmless),
		cmocka_unit_test(no_line_is_too_wide),
		cmocka_unit_test(what_parts_a_cluster_is_named),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
