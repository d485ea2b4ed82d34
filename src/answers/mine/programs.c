/* Sums the area of interest by the names of its threads. */
#include "answers/mine/programs.h"

#include "base/ascii.h"
#include "base/escape.h"
#include "base/sorted.h"
#include "base/written.h"
#include "document/units.h"
#include "engine/mine/mine.h"

enum { NAMED = 5, NAME_COLUMNS = 24 };

LODE_COMPARE(most_other_first, struct lode_mine_program,
	     LODE_ORDER(b->other_ns, a->other_ns) ?: strcmp(a->name, b->name))
LODE_COMPARE(most_cpu_first, struct lode_mine_program,
	     LODE_ORDER(b->cost_ns, a->cost_ns) ?: strcmp(a->name, b->name))

size_t lode_mine_programs_find(const struct lode_mine_program **out, const struct lode_mined *mined,
			       struct lode_arena *arena)
{
	const struct lode_digest *digest = mined->digest;
	const char *const *text = digest->tree.strings.text.at;
	uint32_t *program_of = lode_alloc((digest->symptoms.n + 1) * sizeof(*program_of));
	struct lode_mine_program *programs =
		lode_arena_array(arena, struct lode_mine_program, digest->symptoms.n + 1);
	struct lode_map index = {0};
	size_t n = 0;

	for (size_t i = 0; i < digest->symptoms.n; i++) {
		uint32_t slot = lode_map_number(&index, digest->symptoms.at[i].comm, n);

		if (slot == n)
			programs[n++] = (struct lode_mine_program){
				.name = text[digest->symptoms.at[i].comm]};
		program_of[i] = slot;
		programs[slot].n_threads++;
	}
	for (size_t i = 0; i < digest->rows.n; i++)
		programs[program_of[digest->rows.at[i].symptom]].cost_ns +=
			digest->rows.at[i].cost_ns;
	for (size_t i = 0; i < n; i++)
		programs[i].other_ns = programs[i].cost_ns;
	for (size_t c = 0; c < mined->n_clusters; c++) {
		const struct lode_cluster *cluster = &mined->clusters[c];

		/* Without own cost these are costs of others. */
		for (size_t i = 0; cluster->own_ns > 0 && i < cluster->n_worst; i++)
			programs[program_of[cluster->worst[i].symptom]].other_ns -=
				cluster->worst[i].symptom_cost_ns;
	}
	lode_sort(programs, n, most_cpu_first);
	lode_map_release(&index);
	free(program_of);
	*out = programs;
	return n;
}

static const char *join_programs(struct lode_arena *arena, const struct lode_mine_program *programs,
				 size_t n, int64_t whole_ns, bool of_other)
{
	size_t n_named = n > NAMED + 1 ? NAMED : n, size;
	char name[4 * NAME_COLUMNS + 16], share[LODE_UNITS_BUFFER];
	int64_t rest_ns = 0;
	char *text;
	FILE *out = lode_written_open(&text, &size);

	for (size_t i = 0; i < n; i++) {
		const char *shown =
			lode_is_blank_text(programs[i].name) ? LODE_UNNAMED : programs[i].name;
		int64_t cost_ns = of_other ? programs[i].other_ns : programs[i].cost_ns;

		if (i < n_named)
			fprintf(out, "%s%s %s", i ? ", " : "",
				lode_escape_fit(name, sizeof(name), shown, NAME_COLUMNS),
				lode_format_share(share, cost_ns, whole_ns));
		else
			rest_ns += cost_ns;
	}
	if (n > n_named)
		fprintf(out, ", %zu others %s", n - n_named,
			lode_format_share(share, rest_ns, whole_ns));
	return lode_written_keep(out, &text, &size, arena);
}

const char *lode_mine_programs_text(struct lode_arena *arena,
				    const struct lode_mine_program *programs, size_t n,
				    int64_t whole_ns, bool of_other)
{
	struct lode_mine_program *sorted;

	if (!of_other)
		return join_programs(arena, programs, n, whole_ns, false);
	sorted = lode_arena_array(arena, struct lode_mine_program, n + 1);
	memcpy(sorted, programs, n * sizeof(*sorted));
	lode_sort(sorted, n, most_other_first);
	while (n && !sorted[n - 1].other_ns)
		n--;
	return join_programs(arena, sorted, n, whole_ns, true);
}
