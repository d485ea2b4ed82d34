/* Differences for other tools. */
#include "answers/diff/export.h"

#include "document/units.h"

static const struct lode_diff_side *side_of(const struct lode_diff_job *job, unsigned side)
{
	return &job->diff->sides[side];
}

/* A's as if it had as many symptoms as B; to the nearest. */
static int64_t scale(const struct lode_diff_job *job, unsigned side, int64_t value)
{
	__int128 n_a = (__int128)side_of(job, LODE_DIFF_A)->n_symptoms;
	__int128 n_b = (__int128)side_of(job, LODE_DIFF_B)->n_symptoms;

	return side == LODE_DIFF_A ? (int64_t)((2 * value * n_b + n_a) / (2 * n_a)) : value;
}

static unsigned side_of_row(const struct lode_diff_sets *sets, const struct lode_digest_row *row)
{
	return sets->side[sets->digest->symptoms.at[row->symptom].stream];
}

/* ---- Folded ---- */

static void add_row(int64_t *const *costs, const struct lode_diff_sets *sets, size_t at)
{
	const struct lode_digest_row *row = &sets->digest->rows.at[at];
	unsigned s = side_of_row(sets, row);

	if (s < LODE_N_DIFF_SIDES)
		costs[s][row->stack] += row->cost_ns;
}

void lode_export_diff_folded(FILE *out, const struct lode_diff_sets *sets,
			     const struct lode_diff_job *job, const struct lode_cluster *only)
{
	const struct lode_digest *digest = sets->digest;
	size_t n = digest->tree.nodes.n;
	int64_t *costs[LODE_N_DIFF_SIDES];
	struct lode_export_stacks stacks = {0};

	for (unsigned s = 0; s < LODE_N_DIFF_SIDES; s++)
		costs[s] = lode_alloc0(n, sizeof(*costs[s]));
	if (only)
		lode_export_mined(&stacks, job->mined, only);
	for (size_t i = 0; i < (only ? stacks.samples.n : digest->rows.n); i++)
		add_row(costs, sets, only ? stacks.samples.at[i].row : i);
	lode_export_stacks_release(&stacks);
	for (size_t i = 0; i < n; i++)
		costs[LODE_DIFF_A][i] = scale(job, LODE_DIFF_A, costs[LODE_DIFF_A][i]);
	lode_folded_print_two(out, &digest->tree, costs[LODE_DIFF_A], costs[LODE_DIFF_B]);
	for (unsigned s = 0; s < LODE_N_DIFF_SIDES; s++)
		free(costs[s]);
}

/* ---- pprof ---- */

static void describe_diff_export(struct lode_export_details *out,
				 const struct lode_export_stacks *stacks,
				 const struct lode_export_sample *sample)
{
	const struct lode_export_diff *diff = stacks->context;
	const struct lode_digest_row *row = &diff->sets->digest->rows.at[sample->row];
	const struct lode_export_group *group = &stacks->groups.at[sample->group];
	unsigned side = side_of_row(diff->sets, row);

	diff->of_both.describe(out, &diff->of_both, sample);
	for (size_t i = 0; i < stacks->n_value_types && side == LODE_DIFF_A; i++)
		out->values[i] = -scale(diff->job, side, out->values[i]);
#define ADD(...) (out->labels[out->n_labels++] = (struct lode_export_label){__VA_ARGS__})
	ADD(.key = "set", .text = side == LODE_DIFF_A ? "A" : "B");
	if (side == LODE_DIFF_A)
		ADD(.key = "pprof::base", .text = "true");
	if (group->rank)
		ADD(.key = "change", .text = lode_diff_class_names[diff->class_of[group->rank]]);
#undef ADD
}

static void set_title(struct lode_export_stacks *out, const struct lode_diff_job *job)
{
	char a[LODE_UNITS_BUFFER], b[LODE_UNITS_BUFFER], title[4 * LODE_UNITS_BUFFER];

	snprintf(title, sizeof(title), "lode diff: B (%s) minus A (%s), per symptom",
		 lode_format_plural(b, side_of(job, LODE_DIFF_B)->n_streams, "stream"),
		 lode_format_plural(a, side_of(job, LODE_DIFF_A)->n_streams, "stream"));
	out->title = lode_strdup(title);
}

void lode_export_diff_make(struct lode_export_diff *out, const struct lode_diff_sets *sets,
			   const struct lode_diff_job *job, const struct lode_cluster *only)
{
	const struct lode_mined *mined = job->mined;
	struct lode_export_stacks *stacks = &out->stacks;

	memset(out, 0, sizeof(*out));
	out->sets = sets;
	out->job = job;
	lode_export_mined(&out->of_both, mined, only);
	out->class_of = lode_alloc0((size_t)mined->n_clusters + 1, sizeof(*out->class_of));
	for (size_t i = 0; i < job->diff->n_changes; i++) {
		const struct lode_diff_change *change = &job->diff->changes[i];

		out->class_of[mined->clusters[change->item].rank] = change->class;
	}
	/* Groups are the other's; the samples are those of either set. */
	*stacks = out->of_both;
	memset(&stacks->samples, 0, sizeof(stacks->samples));
	for (size_t i = 0; i < out->of_both.samples.n; i++) {
		const struct lode_export_sample *sample = &out->of_both.samples.at[i];

		if (side_of_row(sets, &sets->digest->rows.at[sample->row]) < LODE_N_DIFF_SIDES)
			lode_vec_append(&stacks->samples, *sample);
	}
	stacks->describe = describe_diff_export;
	stacks->context = out;
	if (stacks->duration_ns)
		stacks->duration_ns = side_of(job, LODE_DIFF_B)->symptom_ns;
	set_title(stacks, job);
}

void lode_export_diff_release(struct lode_export_diff *diff)
{
	lode_vec_release(&diff->stacks.samples);
	free(diff->stacks.title);
	lode_export_stacks_release(&diff->of_both);
	free(diff->class_of);
}
