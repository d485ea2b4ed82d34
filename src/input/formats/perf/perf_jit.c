/* Maps functions that shared addresses to places of their own, by time. */
#include "input/formats/perf/perf_jit.h"

void lode_perf_jit_release(struct lode_perf_jit *jit)
{
	lode_vec_release_each(&jit->processes, it, lode_vec_release(&it->turns));
}

static void find_next(struct lode_perf_jit *jit)
{
	jit->next_ns = INT64_MAX;
	for (size_t i = 0; i < jit->processes.n; i++) {
		const struct lode_perf_jit_process *process = &jit->processes.at[i];

		if (process->n_begun < process->turns.n &&
		    process->turns.at[process->n_begun].t_ns < jit->next_ns)
			jit->next_ns = process->turns.at[process->n_begun].t_ns;
	}
}

void lode_perf_jit_add(struct lode_perf_jit *jit, struct lode_dso *dump, int32_t pid, uint32_t dso)
{
	struct lode_perf_jit_process process = {.pid = pid, .dso = dso};

	for (size_t i = 0; i < jit->processes.n; i++)
		if (jit->processes.at[i].pid == pid)
			return;
	lode_dso_jit_turns(dump, &process.turns);
	if (!process.turns.n) {
		lode_vec_release(&process.turns);
		return;
	}
	lode_vec_append(&jit->processes, process);
	find_next(jit);
}

/* As far as it is within [start, start + size). */
static void map_turn(const struct lode_perf_jit_process *process, struct lode_spaces *spaces,
		     const struct lode_jit_turn *turn, uint64_t start, uint64_t size)
{
	uint64_t from = turn->start < start ? start - turn->start : 0;
	uint64_t before = turn->start > start ? turn->start - start : 0;
	uint64_t left;

	if (from >= turn->size || before >= size)
		return;
	left = turn->size - from < size - before ? turn->size - from : size - before;
	lode_spaces_mmap(spaces, process->pid, turn->start + from, left, turn->place + from,
			 process->dso);
}

void lode_perf_jit_advance(struct lode_perf_jit *jit, struct lode_spaces *spaces, int64_t t_ns)
{
	for (size_t i = 0; i < jit->processes.n; i++) {
		struct lode_perf_jit_process *process = &jit->processes.at[i];

		while (process->n_begun < process->turns.n &&
		       process->turns.at[process->n_begun].t_ns <= t_ns) {
			const struct lode_jit_turn *turn = &process->turns.at[process->n_begun++];

			map_turn(process, spaces, turn, turn->start, turn->size);
		}
	}
	find_next(jit);
}

void lode_perf_jit_mapped(struct lode_perf_jit *jit, struct lode_spaces *spaces, int32_t pid,
			  uint64_t start, uint64_t size)
{
	for (size_t i = 0; i < jit->processes.n; i++) {
		const struct lode_perf_jit_process *process = &jit->processes.at[i];

		for (size_t k = 0; process->pid == pid && k < process->n_begun; k++)
			map_turn(process, spaces, &process->turns.at[k], start, size);
	}
}
