/*
 * Prints every execution that `lode suspects` measures, in the order in which they are kept:
 *
 *   dump_executions [--metric TEXT]... [--symbols DIR] [--kallsyms FILE] [--threads N]
 *                   [--kernel-frames] [--symptom TEXT] [--quiet] FILE...
 *
 *   X <metric> <start ns> <value> <tid> <innermost function> <depth>
 *   	<module> <function>                      leaf first, with --stacks
 *   M <metric> <unit> <executions> <six losses, as in enum lode_execution_loss>...
 *   N <note>
 *   S <skipped or incomplete input>: <reason>
 *   T <events> <lost> <streams>
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "answers/suspects/read.h"

struct dump {
	struct lode_execution_set *set;
	uint64_t *n; /* per metric */
	bool is_quiet, has_stacks;
};

static void take(void *context, const struct lode_execution *at, size_t n)
{
	struct dump *dump = context;
	const struct lode_calltree *tree = &dump->set->tree;

	for (size_t i = 0; i < n; i++) {
		uint32_t node = at[i].stack;

		dump->n[at[i].metric]++;
		if (dump->is_quiet)
			continue;
		printf("X %s %" PRId64 " %" PRId64 " %d %s %u\n",
		       dump->set->metrics.at[at[i].metric].name, at[i].start_ns, at[i].value,
		       at[i].tid,
		       node ? lode_frame_function(tree, tree->nodes.at[node].frame) : "-",
		       tree->nodes.at[node].depth);
		for (; dump->has_stacks && node; node = tree->nodes.at[node].parent)
			printf("\t%s %s\n", lode_frame_module(tree, tree->nodes.at[node].frame),
			       lode_frame_function(tree, tree->nodes.at[node].frame));
	}
}

static void print_metrics(const struct dump *dump)
{
	for (size_t i = 0; i < dump->set->metrics.n; i++) {
		const struct lode_metric *metric = &dump->set->metrics.at[i];

		printf("M %s %s %" PRIu64, metric->name, metric->unit, dump->n[i]);
		for (int k = 0; k < LODE_N_EXECUTION_LOSSES; k++)
			printf(" %" PRIu64, metric->losses[k]);
		printf("\n");
	}
}

static void print_job(const struct lode_suspects_job *job)
{
	for (size_t i = 0; i < job->notes.n; i++)
		printf("N %s\n", job->notes.at[i].text);
	for (size_t i = 0; i < job->skipped.n; i++)
		printf("S %s: %s\n", job->skipped.at[i].path, job->skipped.at[i].reason);
	for (size_t i = 0; i < job->incomplete.n; i++)
		printf("S %s: %s\n", job->incomplete.at[i].path, job->incomplete.at[i].reason);
	printf("T %" PRIu64 " %" PRIu64 " %zu\n", job->n_events, job->n_lost, job->n_streams);
}

static int fail(const struct lode_error *err)
{
	char text[1200];

	fprintf(stderr, "dump_executions: %s\n", lode_error_text(err, text, sizeof(text)));
	return 1;
}

static int run(struct dump *dump, const struct lode_suspects_job_options *options, char **inputs,
	       size_t n_inputs)
{
	struct lode_suspects_job job;
	struct lode_error err;
	int rc;

	dump->set = lode_execution_set_new((size_t)64 << 20);
	rc = lode_suspects_job_run(&job, dump->set, inputs, n_inputs, options, &err);
	dump->n = lode_alloc0(dump->set->metrics.n + 1, sizeof(*dump->n));
	if (rc == 0)
		rc = lode_execution_set_each(dump->set, take, dump, &err);
	if (rc == 0) {
		print_metrics(dump);
		print_job(&job);
	}
	lode_suspects_job_release(&job);
	lode_execution_set_free(dump->set);
	free(dump->n);
	return rc == 0 ? 0 : fail(&err);
}

int main(int argc, char **argv)
{
	struct lode_metric_spec spec = {0};
	struct lode_suspects_job_options options = {
		.narrow = lode_narrow_none, .symptoms = {.pid = -1}, .metrics = &spec};
	struct dump dump = {0};
	struct lode_error err;
	char **inputs = lode_alloc0((size_t)argc, sizeof(*inputs));
	size_t n_inputs = 0;
	int rc = 0;

	for (int i = 1; i < argc && rc == 0; i++) {
		if (!strcmp(argv[i], "--metric") && i + 1 < argc)
			rc = lode_metric_spec_add(&spec, argv[++i], &err);
		else if (!strcmp(argv[i], "--symbols") && i + 1 < argc)
			options.symbols.buildid_dir = argv[++i];
		else if (!strcmp(argv[i], "--kallsyms") && i + 1 < argc)
			options.symbols.kallsyms = argv[++i];
		else if (!strcmp(argv[i], "--threads") && i + 1 < argc)
			options.n_threads = (unsigned)strtoul(argv[++i], NULL, 10);
		else if (!strcmp(argv[i], "--symptom") && i + 1 < argc)
			options.symptoms.select = argv[++i];
		else if (!strcmp(argv[i], "--kernel-frames"))
			options.kernel_frames = true;
		else if (!strcmp(argv[i], "--quiet"))
			dump.is_quiet = true;
		else if (!strcmp(argv[i], "--stacks"))
			dump.has_stacks = true;
		else
			inputs[n_inputs++] = argv[i];
	}
	rc = rc < 0 ? fail(&err) : run(&dump, &options, inputs, n_inputs);
	lode_metric_spec_release(&spec);
	free(inputs);
	return rc;
}
