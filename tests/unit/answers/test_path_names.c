/* answers/info/path_names.h against its definition, nanosecond by nanosecond. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "answers/info/path_names.h"
#include "unit/engine/random_stream.h"
#include "unit/engine/waits_oracle.h"
#include "cases.h"

/* Frames of the random stacks become the kernel's, or lose their names. */
static void unname(struct rng *rng, struct lode_stream *stream)
{
	static const char *const modules[] = {"psql", "postgres", "libpq.so.5"};

	for (uint32_t i = 0; i < stream->tree.frames.n; i++) {
		struct lode_frame *frame = &stream->tree.frames.at[i];
		const char *module = modules[rng_below(rng, 3)];

		if (frame->flags & LODE_FRAME_LINK)
			continue;
		frame->flags = rng_chance(rng, 30)   ? LODE_FRAME_KERNEL
			       : rng_chance(rng, 50) ? LODE_FRAME_UNKNOWN
						     : 0;
		frame->module = lode_strings_intern(&stream->tree.strings, module, strlen(module));
	}
}

/* The file that the innermost function is of, or the innermost one that is not the kernel's, if
   that has no name; NULL: it has. */
static const char *lacking(const struct lode_stream *stream, uint32_t stack)
{
	uint32_t frames[64];
	size_t n = lode_calltree_path(&stream->tree, stack, frames);

	while (n > 1 && stream->tree.frames.at[frames[n - 1]].flags == LODE_FRAME_KERNEL)
		n--;
	if (!n || !(stream->tree.frames.at[frames[n - 1]].flags & LODE_FRAME_UNKNOWN))
		return NULL;
	return lode_frame_module(&stream->tree, frames[n - 1]);
}

static int64_t defined_ns(const struct lode_stream *stream, const char *module)
{
	struct oracle_link chain[ORACLE_MAX_LINKS];
	int64_t sum_ns = 0;

	for (uint32_t i = 0; i < stream->threads.n; i++) {
		const struct lode_thread *thread = &stream->threads.at[i];
		const struct lode_events *e = &thread->events;

		if (!thread->is_command || !e->n ||
		    (thread->parent != LODE_NONE && stream->threads.at[thread->parent].is_command))
			continue;
		for (int64_t t = e->start_ns[0]; t < lode_event_end_ns(e, e->n - 1); t++) {
			size_t n = t < thread->exec_ns ? 0 : oracle_chain_at(stream, i, t, chain);
			const struct lode_events *of =
				n ? &stream->threads.at[chain[n - 1].thread].events : NULL;
			const char *name = NULL;

			if (n && chain[n - 1].event != LODE_NONE)
				name = lacking(stream, of->stack[chain[n - 1].event]);
			sum_ns += name && !strcmp(name, module);
		}
	}
	return sum_ns;
}

static void each_ns_counts_for_its_file(void **state)
{
	size_t n_found = 0;

	(void)state;
	for (uint64_t seed = 1; seed <= TEST_CASES(2000); seed++) {
		struct rng rng = {seed};
		struct lode_stream *stream = random_stream(&rng);
		struct lode_arena arena = {0};
		struct lode_path_names names;

		unname(&rng, stream);
		for (uint32_t i = 0; i < stream->threads.n; i++) {
			stream->threads.at[i].is_command = rng_chance(&rng, 40);
			stream->threads.at[i].exec_ns =
				rng_chance(&rng, 30) ? stream->t0_ns + rng_below(&rng, 20)
						     : INT64_MIN;
		}
		lode_path_names_find(&names, stream, &arena);
		for (size_t i = 0; i < names.n; i++) {
			assert_int_equal(names.modules[i].unnamed_ns,
					 defined_ns(stream, names.modules[i].name));
			assert_true(!i ||
				    names.modules[i - 1].unnamed_ns >= names.modules[i].unnamed_ns);
		}
		n_found += names.n > 1;
		lode_arena_release(&arena);
		lode_stream_free(stream);
	}
	assert_true(n_found > TEST_CASES(2000) / 10);
}

/* psql, as perl and then as itself, waits for postgres: the server's names are what is lacking. */
static void the_servers_names_count(void **state)
{
	static const char *const comms[] = {"psql", "postgres", "other"};
	struct lode_stream *stream = stream_of_threads(comms, 3);
	struct lode_arena arena = {0};
	struct lode_path_names names;
	uint32_t frame;

	(void)state;
	stream->threads.at[0].is_command = true;
	stream->threads.at[0].exec_ns = 10;
	add_run(stream, 0, 0, 10, "perf");
	add_wait(stream, 0, 10, 110, "poll", 1, LODE_DEVICE_NONE);
	add_run(stream, 1, 0, 110, "serve");
	add_run(stream, 2, 0, 110, "else");
	for (size_t i = 0; i < 3; i++) {
		frame = stream->tree.nodes
				.at[stack_of(stream, (const char *[]){"serve", "else", "perf"}[i])]
				.frame;
		stream->tree.frames.at[frame].flags = LODE_FRAME_UNKNOWN;
		stream->tree.frames.at[frame].module =
			lode_strings_intern(&stream->tree.strings,
					    comms[i == 0   ? 1
						  : i == 1 ? 2
							   : 0],
					    strlen(comms[i == 0	  ? 1
							 : i == 1 ? 2
								  : 0]));
	}
	lode_path_names_find(&names, stream, &arena);
	assert_int_equal(names.n, 1);
	assert_string_equal(names.modules[0].name, "postgres");
	assert_int_equal(names.modules[0].unnamed_ns, 100);
	assert_int_equal(names.path_ns, 100);
	lode_arena_release(&arena);
	lode_stream_free(stream);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_ns_counts_for_its_file),
		cmocka_unit_test(the_servers_names_count),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
