/* model/subject.h: whose time a recording is about, and what its symptoms take. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "engine/waits/aoi.h"
#include "model/builder.h"
#include "model/symptom.h"

enum { MS = 1000000, COMMAND = 7, SERVER = 9, KTHREAD = 3, RAW_WORK = 1 };

struct recording {
	const char *command;	       /* what perf runs; NULL: nothing is known of it */
	int64_t length_ms, command_ms; /* CPU time of the command, */
	int64_t server_ms, kthread_ms; /* of a program that ran before, and of a kernel thread */
	bool has_offcpu;	       /* sampled waits of the command beside the samples */
	bool is_attached;
};

/* One each ms, of `each_ms` of CPU time: several CPUs'. */
static void samples(struct lode_builder *b, int32_t tid, int64_t begin_ms, int64_t n,
		    int64_t each_ms)
{
	for (int64_t i = 0; i < n; i++)
		lode_builder_sample(b, &(struct lode_sample){.t_ns = (begin_ms + i) * MS,
							     .pid = tid,
							     .tid = tid,
							     .weight_ns = each_ms * MS,
							     .stack = RAW_WORK});
}

/* One after another; the idle thread has a sample as well. */
static struct lode_stream *make_recording(const struct recording *of)
{
	struct lode_builder *b = lode_builder_new("x.data", "x", "ns", NULL);
	struct lode_calltree *tree = &lode_builder_stream(b)->tree;
	struct lode_stream *stream;
	uint32_t nodes[2] = {0};

	nodes[RAW_WORK] = lode_calltree_push(tree, 0, lode_frame_intern(tree, "a.out", "work", 0));
	lode_builder_expect_switches(b, false);
	lode_builder_fork(b, 0, 2, 2, 0, 0);
	lode_builder_fork(b, 0, KTHREAD, KTHREAD, 2, 2);
	lode_builder_comm(b, 0, SERVER, SERVER, "server", false);
	if (of->command)
		lode_builder_comm(b, 0, COMMAND, COMMAND, "perf-exec", false);
	lode_builder_time(b, 1);
	if (of->command)
		lode_builder_comm(b, 2, COMMAND, COMMAND, of->command, true);
	samples(b, COMMAND, 2, of->command_ms, 1);
	samples(b, SERVER, 2 + of->command_ms, of->server_ms / 2, 2);
	samples(b, 0, 2 + of->command_ms + of->server_ms / 2, 1, 1);
	samples(b, KTHREAD, 3 + of->command_ms + of->server_ms / 2, of->kthread_ms, 1);
	lode_builder_time(b, of->length_ms * MS + 1);
	if (of->has_offcpu)
		lode_builder_offcpu(b, &(struct lode_sample){.t_ns = of->length_ms * MS + 1,
							     .pid = COMMAND,
							     .tid = COMMAND,
							     .weight_ns = of->length_ms * MS / 2,
							     .stack = RAW_WORK});
	stream = lode_builder_finish(b, nodes, 2);
	stream->is_attached = of->is_attached;
	return stream;
}

static void the_command_is_meant_unless_it_only_waited(void **state)
{
	static const struct {
		struct recording recording;
		enum lode_subject expected;
	} rows[] = {
		/* It works, or it is all that there is. */
		{{"make", 1000, 400, 500, 0}, LODE_SUBJECT_COMMAND},
		{{"make", 1000, 11, 500, 0}, LODE_SUBJECT_COMMAND},
		{{"sleep", 1000, 2, 0, 0}, LODE_SUBJECT_COMMAND},
		{{"make", 1000, 4, 2, 0}, LODE_SUBJECT_COMMAND},
		/* It waits while others work; without a sample it waits as well. */
		{{"sleep", 1000, 2, 500, 0}, LODE_SUBJECT_MACHINE},
		{{"sleep", 1000, 0, 500, 0}, LODE_SUBJECT_MACHINE},
		{{"curl", 1000, 9, 500, 0}, LODE_SUBJECT_MACHINE},
		/* Its start is much of a short recording; that of another command may be all of it.
		 */
		{{"sleep", 20, 2, 10, 0}, LODE_SUBJECT_MACHINE},
		{{"true", 20, 2, 10, 0}, LODE_SUBJECT_COMMAND},
		/* Of a program called so, which works. */
		{{"sleep", 1000, 600, 700, 0}, LODE_SUBJECT_COMMAND},
		/* Where waits are known, a wait may be what the recording is about. */
		{{"curl", 1000, 9, 500, 0, .has_offcpu = true}, LODE_SUBJECT_COMMAND},
		{{"sleep", 1000, 2, 500, 0, .has_offcpu = true}, LODE_SUBJECT_MACHINE},
		{{NULL, 1000, 0, 500, 10}, LODE_SUBJECT_UNNAMED},
		{{"server", 1000, 1, 500, 0, .is_attached = true}, LODE_SUBJECT_PROCESSES},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct lode_stream *stream = make_recording(&rows[i].recording);

		if (lode_subject_of(stream) != rows[i].expected)
			fail_msg("row %zu: %u", i, lode_subject_of(stream));
		assert_int_equal(lode_stream_is_cpu_only(stream), !rows[i].recording.has_offcpu);
		lode_stream_free(stream);
	}
}

/* "7 2ms, 9 500ms": tids and what their symptoms take. */
static const char *taken(const struct recording *of, const struct lode_symptom_options *options,
			 const struct lode_aoi_options *aoi)
{
	static char text[256];
	struct lode_stream *stream = make_recording(of);
	struct lode_digest *digest;
	struct lode_symptom_spec *spec;
	lode_symptom_vec symptoms = {0};
	struct lode_error err;
	size_t at = 0;

	assert_int_equal(lode_symptom_spec_new(&spec, options, &err), 0);
	assert_int_equal(lode_symptoms_find(&symptoms, spec, stream, NULL, &err), 0);
	assert_int_equal(lode_aoi_digest(&digest, stream, symptoms.at, symptoms.n, aoi, &err), 0);
	text[0] = '\0';
	for (size_t i = 0; i < digest->symptoms.n; i++) {
		const struct lode_digest_symptom *s = &digest->symptoms.at[i];

		at += (size_t)snprintf(text + at, sizeof(text) - at, "%s%d %lldms", i ? ", " : "",
				       s->tid, (long long)(lode_digest_symptom_ns(s) / MS));
	}
	lode_digest_free(digest);
	lode_vec_release(&symptoms);
	lode_symptom_spec_free(spec);
	lode_stream_free(stream);
	return text;
}

static void cpu_time_is_what_lives_of_samples_take(void **state)
{
	static const struct recording machine = {"sleep", 1000, 2, 500, 30};
	static const struct recording waits = {"sleep", 1000, 2, 500, 30, .has_offcpu = true};
	static const struct recording plain = {"make", 1000, 400, 500, 30};
	static const struct lode_symptom_options none = {.pid = -1};
	static const struct lode_symptom_options server = {.select = "comm=server", .pid = -1};
	static const struct lode_symptom_options part = {.select = "comm=server,from=work",
							 .pid = -1};
	struct lode_aoi_options all = {0};
	const char *exclude[] = {"work"};
	struct lode_aoi_options filtered = {.exclude = exclude, .n_exclude = 1};

	(void)state;
	/* All threads but the idle one; kernel threads use CPU time as well. */
	assert_string_equal(taken(&machine, &none, &all), "3 30ms, 9 500ms, 7 2ms");
	assert_string_equal(taken(&plain, &none, &all), "7 400ms");
	assert_string_equal(taken(&machine, &server, &all), "9 500ms");
	/* Filters leave parts of it out, it stays what it is. */
	assert_string_equal(taken(&machine, &server, &filtered), "9 500ms");
	/* Where waits are known, lives are; so are symptoms that begin or end with something. */
	assert_string_equal(taken(&waits, &none, &all), "9 1000ms");
	assert_string_equal(taken(&machine, &part, &all), "9 996ms");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_command_is_meant_unless_it_only_waited),
		cmocka_unit_test(cpu_time_is_what_lives_of_samples_take),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
