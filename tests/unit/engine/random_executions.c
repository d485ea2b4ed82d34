/* Makes random sets of executions. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "unit/engine/random_executions.h"
#include "random.h"

const char *const random_metric_names[max_metrics] = {"syscall:read", "block:device",
						      "syscall:stat", "syscall:futex"};

void random_executions_print(const struct random_executions *in)
{
	fprintf(stderr, "seed %llu: %u executions\n", (unsigned long long)in->seed, in->n);
	for (uint32_t i = 0; i < in->n; i++) {
		fprintf(stderr, "  stream %u %s %lld:", in->e[i].stream,
			random_metric_names[in->e[i].metric], (long long)in->e[i].value);
		for (uint32_t d = 0; d < in->e[i].depth; d++)
			fprintf(stderr, " F%u", in->e[i].frames[d]);
		fputc('\n', stderr);
	}
}

void random_executions_make(struct random_executions *in, uint64_t seed)
{
	struct test_random r = {seed};
	uint32_t n_metrics = 1 + test_random_below(&r, max_metrics);
	uint32_t names = 2 + test_random_below(&r, n_names - 1);
	static const int64_t spans[] = {2, 5, 40, 1000000, INT64_MAX / 2};
	int64_t span = spans[test_random_below(&r, 5)];
	struct lode_tally_options *tally = &in->options.tally;

	memset(in, 0, sizeof(*in));
	in->seed = seed;
	in->n = test_random_below(&r, max_executions + 1);
	in->n_streams = 1 + test_random_below(&r, 4);
	for (uint32_t i = 0; i < in->n; i++) {
		struct execution *e = &in->e[i];

		e->metric = test_random_below(&r, n_metrics);
		e->stream = (uint32_t)((uint64_t)i * in->n_streams / in->n);
		e->depth = test_random_below(&r, max_depth + 1);
		for (uint32_t d = 0; d < e->depth; d++)
			e->frames[d] = test_random_below(&r, names);
		e->value = (int64_t)(test_random_next(&r) % (uint64_t)span);
		/* A long tail, so that some are beyond mean + 2σ. */
		if (test_random_below(&r, 8) == 0 && span < 1 << 30)
			e->value *= 50;
	}
	tally->n_subject_streams = UINT32_MAX;
	if (in->n_streams > 1 && test_random_below(&r, 2)) {
		tally->n_subject_streams = 1 + test_random_below(&r, in->n_streams - 1);
		if (test_random_below(&r, 2))
			in->options.kind = LODE_EVIDENCE_SIDES;
		else
			tally->source = LODE_THRESHOLDS_OTHER;
	}
	tally->pooled = test_random_below(&r, 4) == 0;
	tally->robust = test_random_below(&r, 4) == 0;
	in->options.correction = (enum lode_correction)test_random_below(&r, 3);
}

struct lode_suspects *random_executions_run(const struct random_executions *in,
					    struct lode_execution_set **set)
{
	uint32_t nodes[max_executions + 1], frame;
	struct lode_suspects *s;
	struct lode_error err;
	char name[8];

	*set = lode_execution_set_new(0);
	for (uint32_t stream = 0; stream < in->n_streams; stream++) {
		nodes[0] = 0;
		lode_execution_set_begin(*set, "stream");
		for (uint32_t i = 0; i < in->n; i++) {
			const struct execution *e = &in->e[i];
			struct lode_execution x = {
				.start_ns = i, .value = e->value, .stack = i + 1};

			nodes[i + 1] = 0;
			if (e->stream != stream)
				continue;
			for (uint32_t d = 0; d < e->depth; d++) {
				snprintf(name, sizeof(name), "F%u", e->frames[d]);
				frame = lode_frame_intern(&(*set)->tree, "m", name, 0);
				nodes[i + 1] =
					lode_calltree_child(&(*set)->tree, nodes[i + 1], frame);
			}
			x.metric = lode_execution_set_metric(*set, random_metric_names[e->metric],
							     "ns");
			assert_int_equal(lode_execution_set_append(*set, &x, &err), 0);
		}
		lode_execution_set_end(*set, nodes, in->n + 1);
	}
	assert_int_equal(lode_suspects(&s, *set, &in->options, &err), 0);
	return s;
}
