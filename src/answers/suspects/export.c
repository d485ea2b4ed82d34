/* Stacks of lode suspects for other tools. */
#include "answers/suspects/suspects.h"
#include "document/export/export_stacks.h"

/* In this order the groups stand in the file. */
enum group { SLOW, OTHERS, N_GROUPS };

/* What a row has for a group: its executions and their time. */
struct part {
	uint64_t n;
	int64_t sum_ns;
};

/* Times of 290 years are no times. */
static int64_t time_of(lode_u128 sum)
{
	return sum > (lode_u128)INT64_MAX ? INT64_MAX : (int64_t)sum;
}

static struct part part_of(const struct lode_suspects *s, const struct lode_tally_row *row,
			   enum group group)
{
	const struct lode_moments *all = &row->moments;
	uint64_t n_failed = row->n[LODE_LABEL_FAILED];

	if (s->options.kind == LODE_EVIDENCE_SIDES) {
		if ((row->side == LODE_SIDE_SUBJECT) != (group == SLOW))
			return (struct part){0};
		return (struct part){all->n, time_of(all->sum)};
	}
	if (row->side !=
	    LODE_SIDE_SUBJECT) /* a baseline says what is slow, and is not asked about */
		return (struct part){0};
	if (group == SLOW)
		return (struct part){n_failed, time_of(row->failed_sum)};
	return (struct part){all->n - n_failed, time_of(all->sum - row->failed_sum)};
}

static void describe_row(struct lode_export_details *out, const struct lode_export_stacks *stacks,
			 const struct lode_export_sample *sample)
{
	const struct lode_suspects *s = stacks->context;
	const struct lode_tally_row *row = &s->tally.rows.at[sample->row];
	struct part part = part_of(s, row, (enum group)sample->group);

	out->values[0] = (int64_t)part.n;
	out->values[1] = part.sum_ns;
	/* So that a graph of slow ones alone needs no filter. */
	out->values[2] = sample->group == SLOW ? (int64_t)part.n : 0;
	out->values[3] = sample->group == SLOW ? part.sum_ns : 0;
	out->labels[0] = (struct lode_export_label){.key = "executions",
						    .text = stacks->groups.at[sample->group].id};
	out->labels[1] = (struct lode_export_label){.key = "metric",
						    .text = s->tally.metrics.at[row->metric].name};
	out->n_labels = 2;
}

static void add_groups(struct lode_export_stacks *out, bool versus)
{
	static const char *const names[2][N_GROUPS] = {
		{"slow calls", "other calls"},
		{"slow recordings", "fast recordings"},
	};
	static const char *const ids[2][N_GROUPS] = {{"slow", "other"}, {"slow", "fast"}};

	for (unsigned g = 0; g < N_GROUPS; g++) {
		struct lode_export_group group = {.name = lode_strdup(names[versus][g])};

		snprintf(group.id, sizeof(group.id), "%s", ids[versus][g]);
		lode_vec_append(&out->groups, group);
	}
}

void lode_suspects_export(struct lode_export_stacks *out, const struct lode_suspects_answer *answer)
{
	const struct lode_suspects *suspects = answer->suspects;
	static const struct lode_export_value_type types[] = {
		{"executions", "count"},
		{"time", "nanoseconds"},
		{"slow_executions", "count"},
		{"slow_time", "nanoseconds"},
	};
	const struct lode_tally *tally = &suspects->tally;

	memset(out, 0, sizeof(*out));
	out->tree = &tally->set->tree;
	out->unit = "ns";
	out->title = lode_strdup("lode suspects");
	out->describe = describe_row;
	out->context = suspects;
	memcpy(out->value_types, types, sizeof(types));
	out->n_value_types = sizeof(types) / sizeof(*types);
	out->default_type = 3;
	add_groups(out, suspects->options.kind == LODE_EVIDENCE_SIDES);
	for (size_t i = 0; i < tally->rows.n; i++) {
		const struct lode_tally_row *row = &tally->rows.at[i];

		if (strcmp(tally->metrics.at[row->metric].unit, "ns") != 0)
			continue;
		for (unsigned g = 0; g < N_GROUPS; g++) {
			struct part part = part_of(suspects, row, (enum group)g);
			struct lode_export_sample sample = {g, row->stack, part.sum_ns, i};

			if (part.n)
				lode_vec_append(&out->samples, sample);
		}
	}
}

void lode_suspects_folded(FILE *out, const struct lode_suspects_answer *answer)
{
	const struct lode_suspects *s = answer->suspects;
	const struct lode_calltree *tree = &s->tally.set->tree;
	int64_t *cost = lode_alloc0(tree->nodes.n, sizeof(*cost));

	for (size_t i = 0; i < s->tally.rows.n; i++) {
		const struct lode_tally_row *row = &s->tally.rows.at[i];
		lode_u128 sum = answer->is_versus ? row->moments.sum : row->failed_sum;

		/* Lengths of queues and the like are no times to be added to others. */
		if (row->side != LODE_SIDE_SUBJECT ||
		    strcmp(s->tally.metrics.at[row->metric].unit, "ns") != 0 ||
		    sum > (lode_u128)(INT64_MAX - cost[row->stack]))
			continue;
		cost[row->stack] += (int64_t)sum;
	}
	lode_folded_print(out, tree, cost);
	free(cost);
}
