/*
 * Any bytes at all, read as a recording of which everything is measured: the same executions for
 * one thread and for two, all of them sound, whole streams and slow windows alike.
 */
#include "fuzz/fuzz.h"

#include <string.h>

#include "answers/suspects/read.h"

struct sum {
	struct lode_execution_set *set;
	uint64_t n, hash;
};

static void take(void *context, const struct lode_execution *at, size_t n)
{
	struct sum *sum = context;

	for (size_t i = 0; i < n; i++) {
		FUZZ_CHECK(at[i].value >= 0);
		FUZZ_CHECK(at[i].metric < sum->set->metrics.n);
		FUZZ_CHECK(at[i].stack < sum->set->tree.nodes.n);
		FUZZ_CHECK(at[i].stream < sum->set->streams.n);
		sum->hash = lode_stable_hash(&at[i].start_ns, 16, sum->hash) + at[i].stack;
	}
	sum->n += n;
}

static struct sum measure(const uint8_t *data, size_t size, unsigned n_threads, const char *symptom)
{
	static const char *const own[] = {
		"syscall",
		"futex:*",
		"b*",
		"irq",
		"softirq:?*",
		"net:*",
		"offcpu",
		"ready",
		"cpu",
		"critical",
		"gap=sched:sched_switch..sched:sched_switch[by cpu]",
		"wake=sched:sched_waking..sched:sched_switch by pid=next_pid",
		"x=irq:irq_handler_entry..irq:irq_handler_exit by name,irq,a,b"};
	struct lode_metric_spec spec = {0};
	struct lode_suspects_job_options options = {
		.narrow = lode_narrow_none,
		.symptoms = {.select = symptom, .pid = -1},
		.metrics = &spec,
		.n_threads = n_threads,
	};
	struct lode_suspects_job job;
	struct sum sum = {.set = lode_execution_set_new(0)};
	char *path = (char *)(uintptr_t)fuzz_file(data, size);
	struct lode_error err;
	uint64_t n_skipped;

	for (size_t i = 0; i < sizeof(own) / sizeof(*own); i++)
		FUZZ_CHECK(lode_metric_spec_add(&spec, own[i], &err) == 0);
	FUZZ_CHECK(lode_suspects_job_run(&job, sum.set, &path, 1, &options, &err) == 0);
	n_skipped = job.skipped.n;
	FUZZ_CHECK(n_skipped + job.n_streams == 1);
	lode_suspects_job_release(&job);
	FUZZ_CHECK(lode_execution_set_each(sum.set, take, &sum, &err) == 0);
	FUZZ_CHECK(sum.n == sum.set->n);
	lode_execution_set_free(sum.set);
	lode_metric_spec_release(&spec);
	return sum;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct sum one = measure(data, size, 1, NULL), other;

	if (size % 2) {
		other = measure(data, size, 2, NULL);
		FUZZ_CHECK(one.n == other.n && one.hash == other.hash);
	} else {
		(void)measure(data, size, 1, "comm=*,threads");
	}
	return 0;
}
