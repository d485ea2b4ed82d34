/* Counts switches, and says when their stack dumps are too many. */
#include "record/dump_budget.h"

#include <unistd.h>

#include "record/dump_recorder.h"
#include "record/rights.h"

static const int64_t second_ns = 1000000000;

void lode_dump_budget_open(struct lode_dump_budget *budget,
			   const struct lode_record_options *options, int64_t now_ns)
{
	const struct lode_record_options with = lode_dump_options(options);

	*budget = (struct lode_dump_budget){
		.most_bytes = (int64_t)lode_record_buffer_bytes(&with) / 2,
		.emptied_per_s = LODE_MOST_DUMP_BYTES,
		.samples_per_s = options->cpu_rate,
		.dump_bytes = (int64_t)with.dump_bytes,
		.n_cpus = (size_t)sysconf(_SC_NPROCESSORS_CONF),
		.seen_ns = now_ns,
	};
	budget->cpus = lode_alloc0(budget->n_cpus, sizeof(*budget->cpus));
	for (size_t i = 0; i < budget->n_cpus; i++)
		budget->cpus[i].counter = lode_open_switch_counter((int)i);
}

void lode_dump_budget_close(struct lode_dump_budget *budget)
{
	for (size_t i = 0; i < budget->n_cpus; i++)
		if (budget->cpus[i].counter >= 0)
			close(budget->cpus[i].counter);
	free(budget->cpus);
	*budget = (struct lode_dump_budget){0};
}

bool lode_dump_budget_take(const struct lode_dump_budget *budget, struct lode_dump_cpu *cpu,
			   uint64_t n_switches, int64_t for_ns)
{
	int64_t bytes = (int64_t)n_switches * budget->dump_bytes;

	/* In microseconds, bytes of a day fit; what waits longer is written by then. */
	for_ns = for_ns < 0 ? 0 : for_ns > 86400 * second_ns ? 86400 * second_ns : for_ns;
	bytes += (budget->samples_per_s * budget->dump_bytes - budget->emptied_per_s) *
		 (for_ns / 1000) / (second_ns / 1000);
	cpu->waiting_bytes += bytes;
	if (cpu->waiting_bytes < 0)
		cpu->waiting_bytes = 0;
	return cpu->waiting_bytes > budget->most_bytes;
}

bool lode_dump_budget_is_spent(struct lode_dump_budget *budget, int64_t now_ns)
{
	bool is_spent = false;

	for (size_t i = 0; i < budget->n_cpus; i++) {
		struct lode_dump_cpu *cpu = &budget->cpus[i];
		uint64_t n;

		if (cpu->counter < 0 || read(cpu->counter, &n, sizeof(n)) != sizeof(n))
			continue;
		is_spent |= lode_dump_budget_take(budget, cpu, n - cpu->n_counted,
						  now_ns - budget->seen_ns);
		cpu->n_counted = n;
	}
	budget->seen_ns = now_ns;
	return is_spent;
}
