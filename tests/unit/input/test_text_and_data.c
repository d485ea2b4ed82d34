/* One recording, read as perf.data and as the text that `perf script` makes of it: one stream. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "input/source.h"

static char data_path[] = "/tmp/lode-test-data-XXXXXX";
static char text_path[] = "/tmp/lode-test-text-XXXXXX";
static char kallsyms_path[] = "/tmp/lode-test-kallsyms-XXXXXX";

/* Fills the paths from a recording of samples/startup. */
static void make_files(const char *top, const char *name)
{
	char command[2048];

	snprintf(command, sizeof(command),
		 "set -e; cd '%s/samples/startup'; "
		 "zstd -q -d -c %s > %s; "
		 "zstd -q -d -c $(find symbols -name kallsyms.zst | head -n 1) > %s; "
		 "HOME=/nonexistent perf --buildid-dir symbols script --ns --header "
		 "--show-task-events --kallsyms %s -i %s > %s 2>/dev/null",
		 top, name, data_path, kallsyms_path, kallsyms_path, data_path, text_path);
	if (system(command) != 0)
		fail_msg("failed: %s", command);
}

static struct lode_stream *load(const char *path, struct lode_symboliser *symboliser)
{
	struct lode_source_options options = {
		.symboliser = symboliser, .narrow = lode_narrow_none, .n_threads = 1};
	struct lode_stream *stream;
	struct lode_error err;

	if (lode_stream_load(&stream, path, &options, &err) != 0)
		fail_msg("%s: %s", path, err.message);
	return stream;
}

static int32_t tid_of(const struct lode_stream *stream, lode_thread_id thread)
{
	return thread == LODE_NONE ? -1 : stream->threads.at[thread].tid;
}

/* Counts of what must agree, and of what may differ for a stated reason. */
struct tally {
	size_t n_events, n_other_waker, n_lost_stacks, n_other_stacks;
};

/*
 * Frames of a stack without those that have no symbol: lode and perf look for files elsewhere. And
 * without _start: it ends in a call, and perf takes the address behind that for the next function.
 */
static size_t known_frames(const struct lode_stream *stream, uint32_t stack, uint32_t *frames)
{
	uint32_t all[256];
	size_t n_all, n = 0;

	assert_true(stream->tree.nodes.at[stack].depth <= 256);
	n_all = lode_calltree_path(&stream->tree, stack, all);
	for (size_t i = 0; i < n_all; i++) {
		/* The libc and the program were kept with the recording; others may differ. */
		const char *module = lode_frame_module(&stream->tree, all[i]);

		if (*lode_frame_function(&stream->tree, all[i]) &&
		    strncmp(lode_frame_function(&stream->tree, all[i]), "_start", 6) != 0 &&
		    (!strcmp(module, "[kernel]") || !strcmp(module, "pluginhost")))
			frames[n++] = all[i];
	}
	return n;
}

static bool is_same_stack(const struct lode_stream *data, uint32_t a,
			  const struct lode_stream *text, uint32_t b)
{
	uint32_t x[256], y[256];
	size_t n = known_frames(data, a, x);

	if (n != known_frames(text, b, y))
		return false;
	for (size_t i = 0; i < n; i++)
		if (strcmp(lode_frame_function(&data->tree, x[i]),
			   lode_frame_function(&text->tree, y[i])) != 0)
			return false;
	return true;
}

static void compare_thread(struct tally *tally, const struct lode_stream *data,
			   const struct lode_thread *a, const struct lode_stream *text,
			   const struct lode_thread *b)
{
	const struct lode_events *x = &a->events, *y = &b->events;

	if (x->n != y->n)
		fail_msg("thread %d: %zu events in the data, %zu in the text", a->tid, x->n, y->n);
	assert_int_equal(a->tid, b->tid);
	assert_string_equal(data->tree.strings.text.at[a->comm],
			    text->tree.strings.text.at[b->comm]);
	assert_true(a->born_ns == b->born_ns);
	for (size_t i = 0; i < x->n; i++) {
		if (x->kind[i] != y->kind[i] || x->start_ns[i] != y->start_ns[i] ||
		    x->cost_ns[i] != y->cost_ns[i] || x->cpu[i] != y->cpu[i])
			fail_msg("thread %d, event %zu: %d at %lld for %lld in the data, %d at "
				 "%lld for %lld in the text",
				 a->tid, i, x->kind[i], (long long)x->start_ns[i],
				 (long long)x->cost_ns[i], y->kind[i], (long long)y->start_ns[i],
				 (long long)y->cost_ns[i]);
		/* The text has no common_flags: without kernel symbols, or where the entry of the
		   interrupt is not in the stack, a waking looks like the interrupted thread's. */
		tally->n_other_waker += tid_of(data, x->other[i]) != tid_of(text, y->other[i]);
		/* perf drops a whole callchain for one word in it that looks like a marker. */
		assert_true(x->stack[i] || !y->stack[i]);
		if (x->stack[i] && y->stack[i])
			tally->n_other_stacks +=
				!is_same_stack(data, x->stack[i], text, y->stack[i]);
		tally->n_lost_stacks += x->stack[i] && !y->stack[i];
	}
	tally->n_events += x->n;
}

static void text_and_data_of_a_recording_give_the_same_events(void **state)
{
	const char *top = getenv("LODE_TOP");
	char symbols[1024];
	struct lode_symbol_options options = {.buildid_dir = symbols, .kallsyms = kallsyms_path};
	struct lode_symboliser *symboliser;
	struct lode_stream *data, *text;
	struct tally tally = {0};
	struct lode_error err;

	(void)state;
	if (!top || system("command -v perf >/dev/null && command -v zstd >/dev/null") != 0)
		skip();
	make_files(top, "startup-08.perf.data.zst");
	snprintf(symbols, sizeof(symbols), "%s/samples/startup/symbols", top);
	assert_int_equal(lode_symboliser_new(&symboliser, &options, &err), 0);
	data = load(data_path, symboliser);
	text = load(text_path, NULL);
	assert_string_equal(data->format, "perf.data");
	assert_string_equal(text->format, "perf script");
	assert_true(data->t0_ns == text->t0_ns && data->t1_ns == text->t1_ns);
	assert_string_equal(data->host, text->host);
	assert_string_equal(data->kernel, text->kernel);
	assert_string_equal(data->arch, text->arch);
	assert_int_equal(data->n_cpus, text->n_cpus);
	assert_int_equal(data->n_samples, text->n_samples);
	assert_int_equal(data->threads.n, text->threads.n);
	for (size_t i = 0; i < data->threads.n; i++)
		compare_thread(&tally, data, &data->threads.at[i], text, &text->threads.at[i]);
	print_message("%zu events, %zu with another waker, %zu without their stack\n",
		      tally.n_events, tally.n_other_waker, tally.n_lost_stacks);
	print_message("%zu with another stack\n", tally.n_other_stacks);
	assert_true(tally.n_events > 1000);
	/* Where several symbols have one address, perf may pick another of them. */
	assert_true(tally.n_other_stacks * 100 < tally.n_events);
	assert_true(tally.n_lost_stacks * 1000 < tally.n_events);
	assert_true(tally.n_other_waker * 100 < tally.n_events);
	lode_stream_free(data);
	lode_stream_free(text);
	lode_symboliser_free(symboliser);
}

static int make_paths(void **state)
{
	int a = mkstemp(data_path), b = mkstemp(text_path), c = mkstemp(kallsyms_path);

	(void)state;
	return a < 0 || b < 0 || c < 0 ? -1 : close(a) | close(b) | close(c);
}

static int remove_paths(void **state)
{
	(void)state;
	return unlink(data_path) | unlink(text_path) | unlink(kallsyms_path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(text_and_data_of_a_recording_give_the_same_events),
	};

	return cmocka_run_group_tests(tests, make_paths, remove_paths);
}
