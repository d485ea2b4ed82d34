/* input/formats/text/folded.c: a folded file reads as its stacks and counts, and says what it is
 * not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "random.h"
#include "scratch.h"
#include "input/source.h"

static struct scratch scratch;
static const char *path;

static int load_bytes(struct lode_stream **out, const char *text, size_t n,
		      enum lode_event_kind kind, struct lode_error *err)
{
	struct lode_source_options options = {
		.narrow = lode_narrow_none, .n_threads = 1, .folded_kind = kind};
	struct lode_input *input;
	int rc;

	scratch_write(path, text, n);
	assert_int_equal(lode_input_open(&input, path, err), 0);
	rc = lode_format_folded.load(out, input, &options, err);
	assert_true((rc == 0) == (*out != NULL));
	lode_input_close(input);
	return rc;
}

static int load(struct lode_stream **out, const char *text, struct lode_error *err)
{
	return load_bytes(out, text, strlen(text), LODE_EVENT_RUNNING, err);
}

/* The stack of an event as text, frames by their full names. */
static void stack_text(const struct lode_stream *stream, uint32_t stack, char *text, size_t size)
{
	uint32_t frames[64];
	size_t n = lode_calltree_path(&stream->tree, stack, frames), at = 0;
	char name[256];

	*text = '\0';
	for (size_t i = 0; i < n; i++) {
		const struct lode_frame *frame = &stream->tree.frames.at[frames[i]];

		if (*lode_frame_module(&stream->tree, frames[i]))
			lode_frame_full_name(&stream->tree, frames[i], name, sizeof(name));
		else
			lode_frame_label(&stream->tree, frames[i], name, sizeof(name));
		at += (size_t)snprintf(text + at, size - at, "%s%s%s", i ? " > " : "", name,
				       frame->flags & LODE_FRAME_INLINED ? "~" : "");
	}
}

static void expect_stack(const char *line, const char *want)
{
	struct lode_stream *stream;
	struct lode_error err;
	char got[1024];

	assert_int_equal(load(&stream, line, &err), 0);
	assert_int_equal(stream->threads.n, 1);
	assert_int_equal(stream->threads.at[0].events.n, 1);
	stack_text(stream, stream->threads.at[0].events.stack[0], got, sizeof(got));
	assert_string_equal(got, want);
	lode_stream_free(stream);
}

static void frames_carry_what_their_annotations_say(void **state)
{
	(void)state;
	expect_stack("git;main;read 12\n", "git > main > read");
	expect_stack("main;vfs_read_[k];x_[i];y_[j] 1\n",
		     "main > [kernel]!vfs_read > x~ > [jit]!y");
	expect_stack("a.out!main;/usr/lib/libc.so.6!read;[kernel]!vfs_read 1\n",
		     "a.out!main > libc.so.6!read > [kernel]!vfs_read");
	/* Not modules: operators, text with blanks or brackets before the mark. */
	expect_stack("operator!=;ns::operator!(T);Foo<a b>!x 1\n",
		     "operator!= > ns::operator!(T) > Foo<a b>!x");
	expect_stack("main;[libc.so.6];[unknown];[kernel.kallsyms] 1\n",
		     "main > [libc.so.6] > [unknown] > [kernel]");
	/* Frames may hold blanks and digits; the count is behind the last blank. */
	expect_stack("Web Content 2;f(int, char) const 7\n", "Web Content 2 > f(int, char) const");
	/* Runs of the same unknown module are one frame. */
	expect_stack("main;[x.so];[x.so];f 1\n", "main > [x.so] > f");
	expect_stack("main;;f 1\n", "main > [unknown] > f");
	expect_stack("main;f; 1\r\n", "main > f");
	expect_stack("main\t1\n", "main");
}

static void a_dash_parts_user_from_kernel_frames(void **state)
{
	(void)state;
	expect_stack("dd;main;read;-;vfs_read;schedule 5\n",
		     "dd > main > read > [kernel]!vfs_read > [kernel]!schedule");
	expect_stack("dd;--;schedule;[unknown] 5\n", "dd > [kernel]!schedule > [kernel]");
	expect_stack("-;main 5\n", "- > main"); /* a process may be called so */
	/* The same name above and below is two functions. */
	expect_stack("dd;read;-;read 5\n", "dd > read > [kernel]!read");
}

static void counts_that_are_no_whole_numbers_are_refused_with_their_line(void **state)
{
	static const char *const bad[] = {"12.5", "1,234", "1'000", "-3", "1e6", "1_000", ".5"};
	struct lode_stream *stream;
	struct lode_error err;
	char text[64];

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		snprintf(text, sizeof(text), "main;a 1\nmain;b %s\n", bad[i]);
		assert_int_equal(load(&stream, text, &err), LODE_ERR_UNSUPPORTED);
		assert_true(err.is_line);
		assert_int_equal(err.offset, 2);
		assert_non_null(strstr(err.message, bad[i]));
	}
	assert_int_equal(load(&stream, "a 9223372036854775808\n", &err), LODE_ERR_LIMIT);
	assert_int_equal(err.offset, 1);
	assert_int_equal(load(&stream, "a 2305843009213693951\nb 1\n", &err), LODE_ERR_LIMIT);
	assert_int_equal(err.offset, 2);
	assert_int_equal(load(&stream, "a 2305843009213693950\nb 1\n", &err), 0);
	assert_true(stream->t1_ns == ((int64_t)1 << 61) - 1);
	lode_stream_free(stream);
}

static void lines_without_a_count_are_losses_not_the_end(void **state)
{
	struct lode_stream *stream;
	struct lode_error err;

	(void)state;
	assert_int_equal(load(&stream, "a;b 1\nno count here\n\na;c 2\n42\na;d", &err), 0);
	assert_int_equal(stream->n_samples, 2);
	assert_int_equal(stream->losses.by_kind[LODE_LOSS_BAD_RECORD].count, 2);
	assert_non_null(strstr(stream->losses.by_kind[LODE_LOSS_BAD_RECORD].detail, "line 2"));
	assert_int_equal(stream->losses.by_kind[LODE_LOSS_TRUNCATED].count, 1);
	lode_stream_free(stream);
	assert_int_equal(load(&stream, "no count\nnone here\n", &err), LODE_ERR_FORMAT);
	assert_int_equal(load(&stream, "", &err), LODE_ERR_FORMAT);
}

static void events_lie_one_behind_the_other_with_the_kind_asked_for(void **state)
{
	static const enum lode_event_kind kinds[] = {LODE_EVENT_RUNNING, LODE_EVENT_WAITING,
						     LODE_EVENT_READY};
	static const char text[] = "a;b 10\na;c 5\na;b 7\n";
	struct lode_stream *stream;
	struct lode_error err;

	(void)state;
	for (size_t k = 0; k < 3; k++) {
		const struct lode_events *events;
		int64_t end = 0;

		assert_int_equal(load_bytes(&stream, text, sizeof(text) - 1, kinds[k], &err), 0);
		assert_string_equal(stream->unit, "samples");
		assert_int_equal(stream->t0_ns, 0);
		assert_int_equal(stream->t1_ns, 22);
		assert_true(stream->threads.at[0].is_command);
		events = &stream->threads.at[0].events;
		assert_int_equal(events->n, 3);
		assert_int_equal(events->stack[0], events->stack[2]);
		for (size_t i = 0; i < 3; i++) {
			assert_int_equal(events->kind[i], kinds[k]);
			assert_int_equal(events->start_ns[i], end);
			end = lode_event_end_ns(events, i);
		}
		assert_int_equal(end, 22);
		lode_stream_free(stream);
	}
}

/* Oracle: the generated stacks themselves, kept as text beside the file. */
static void random_files_read_as_they_were_written(void **state)
{
	static const char *const names[] = {"main", "read", "a",     "ab",   "b c",
					    "main", "f1",   "f_[x]", "~x()", "operator new"};
	static char text[200000], want[3000][200];
	static int64_t cost[3000];

	(void)state;
	for (uint64_t seed = 1; seed <= 60; seed++) {
		struct test_random random = {.state = seed};
		size_t n = 1 + test_random_below(&random, 300), at = 0;
		uint32_t n_names = 1 + test_random_below(&random, 10);
		struct lode_stream *stream;
		struct lode_error err;
		const struct lode_events *events;

		for (size_t i = 0; i < n; i++) {
			size_t depth = 1 + test_random_below(&random, 9), w = 0;

			for (size_t d = 0; d < depth; d++) {
				const char *name = names[test_random_below(&random, n_names)];

				at += (size_t)snprintf(text + at, sizeof(text) - at, "%s%s",
						       d ? ";" : "", name);
				w += (size_t)snprintf(want[i] + w, sizeof(want[i]) - w, "%s%s",
						      d ? " > " : "", name);
			}
			cost[i] = 1 + test_random_below(&random, 1000);
			at += (size_t)snprintf(text + at, sizeof(text) - at, " %lld\n",
					       (long long)cost[i]);
		}
		if (load_bytes(&stream, text, at, LODE_EVENT_RUNNING, &err) != 0)
			fail_msg("seed %llu: %s", (unsigned long long)seed, err.message);
		events = &stream->threads.at[0].events;
		if (events->n != n)
			fail_msg("seed %llu: %zu events", (unsigned long long)seed, events->n);
		for (size_t i = 0; i < n; i++) {
			char got[1024];

			stack_text(stream, events->stack[i], got, sizeof(got));
			if (strcmp(got, want[i]) != 0 || events->cost_ns[i] != cost[i])
				fail_msg("seed %llu line %zu: %s is not %s",
					 (unsigned long long)seed, i + 1, got, want[i]);
		}
		lode_stream_free(stream);
	}
}

static bool recognised(const char *text)
{
	return lode_format_folded.recognise((const uint8_t *)text, strlen(text));
}

static void other_texts_are_not_folded_stacks(void **state)
{
	(void)state;
	assert_true(recognised("a;b;c 12\nd;e 1\n"));
	assert_true(recognised("main 1"));
	assert_true(recognised("\n\na;b 1.5\n")); /* recognised, so that it can be refused */
	assert_false(recognised(""));
	assert_false(recognised("\n\n"));
	assert_false(recognised("# a comment\nint main(void)\n{\n\treturn 2;\n}\n"));
	assert_false(recognised("stream\ttid\tt0_ns\nx.data\t12\tabc\n"));
	assert_false(recognised("ffffffff81000000 T _stext\nffffffff81000040 t foo\n"));
	assert_false(recognised("trace\ttid\tt0_ns\nx.data\t12\t13\ny;z\t12\t13\n"));
	assert_false(recognised("{ \"a\": 12 }\n"));
	assert_false(lode_format_folded.recognise((const uint8_t *)"a;b\0 1\n", 7));
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
		cmocka_unit_test(frames_carry_what_their_annotations_say),
		cmocka_unit_test(a_dash_parts_user_from_kernel_frames),
		cmocka_unit_test(counts_that_are_no_whole_numbers_are_refused_with_their_line),
		cmocka_unit_test(lines_without_a_count_are_losses_not_the_end),
		cmocka_unit_test(events_lie_one_behind_the_other_with_the_kind_asked_for),
		cmocka_unit_test(random_files_read_as_they_were_written),
		cmocka_unit_test(other_texts_are_not_folded_stacks),
	};

	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
