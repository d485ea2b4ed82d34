/* Exports clusters as stacks for speedscope and pprof. */
#include "base/escape.h"
#include "answers/clusters/cluster_brief.h"
#include "answers/clusters/headline.h"
#include "document/export/export_stacks.h"
#include "document/units.h"

/* The unexplained rest has no cluster's id. */
static const char rest_id[] = "none";

static void describe_row(struct lode_export_details *out, const struct lode_export_stacks *stacks,
			 const struct lode_export_sample *sample)
{
	const struct lode_mined *m = stacks->context;
	const struct lode_digest *digest = m->digest;
	const struct lode_digest_row *row = &digest->rows.at[sample->row];
	const struct lode_digest_symptom *symptom = &digest->symptoms.at[row->symptom];
	const struct lode_export_group *group = &stacks->groups.at[sample->group];
	const char *const *strings = digest->tree.strings.text.at;
	const char *stream = strings[digest->streams.at[symptom->stream].path];

	out->n_labels = 0;
	memset(out->values, 0, sizeof(out->values));
	out->values[0] = row->n_events;
	out->values[1] = row->cost_ns;
	out->values[2 + row->kind] = row->cost_ns;
#define ADD(...) (out->labels[out->n_labels++] = (struct lode_export_label){__VA_ARGS__})
	ADD(.key = "cluster", .text = group->id);
	if (group->rank)
		ADD(.key = "rank", .number = group->rank);
	ADD(.key = "stream", .text = stream);
	if (strings[symptom->comm][0])
		ADD(.key = "thread", .text = strings[symptom->comm]);
	if (symptom->tid)
		ADD(.key = "tid", .number = symptom->tid);
	ADD(.key = "kind", .text = lode_event_kind_name((enum lode_event_kind)row->kind));
	if (row->reason)
		ADD(.key = "reason",
		    .text = lode_wait_reason_name((enum lode_wait_reason)row->reason));
	if (row->waker)
		ADD(.key = "waker", .text = strings[row->waker]);
#undef ADD
}

/* "#3 lock, 5.1 s: session_restore › pthread_mutex_lock" */
static void add_group(struct lode_export_stacks *out, const struct lode_mined *m,
		      const struct lode_cluster *c)
{
	struct lode_export_group group = {.rank = c->rank};
	char cost[LODE_UNITS_BUFFER], why[64], common[LODE_COMMON_LINE],
		name[LODE_COMMON_LINE + 160];

	lode_headline_text(common, sizeof(common), m, c, 100, 100, 1);
	snprintf(name, sizeof(name), "#%u %s, %s: %s", c->rank,
		 lode_cluster_why(why, sizeof(why), c),
		 lode_format_cost(cost, c->own_ns, m->digest->unit), common);
	group.name = lode_strdup(name);
	snprintf(group.id, sizeof(group.id), "%016llx", (unsigned long long)c->id);
	lode_vec_append(&out->groups, group);
}

static void add_rest(struct lode_export_stacks *out, const struct lode_mined *m)
{
	struct lode_export_group group = {0};
	char cost[LODE_UNITS_BUFFER], name[LODE_UNITS_BUFFER + 40];

	snprintf(name, sizeof(name), "not explained, %s",
		 lode_format_cost(cost, m->other_ns, m->digest->unit));
	group.name = lode_strdup(name);
	memcpy(group.id, rest_id, sizeof(rest_id));
	lode_vec_append(&out->groups, group);
}

/* Which group a stack is of: by the kinds that were mined together, and its node. */
static uint64_t key_of_export_mined(uint32_t kind_group, uint32_t node)
{
	return (uint64_t)kind_group << 32 | node;
}

static void place_stacks(struct lode_map *groups, const struct lode_cluster *c, uint32_t group)
{
	for (size_t i = 0; i < c->n_stacks; i++)
		*lode_map_slot(groups, key_of_export_mined(c->kind_group, c->stacks[i].node)) =
			group;
}

static uint32_t group_of(const struct lode_map *groups, const struct lode_digest_row *row)
{
	uint32_t group = lode_map_find(groups, key_of_export_mined(0, row->stack));

	return group != LODE_NONE
		       ? group
		       : lode_map_find(groups, key_of_export_mined(1 + row->kind, row->stack));
}

static void add_samples(struct lode_export_stacks *out, const struct lode_digest *digest,
			const struct lode_map *groups, uint32_t rest)
{
	for (size_t i = 0; i < digest->rows.n; i++) {
		const struct lode_digest_row *row = &digest->rows.at[i];
		struct lode_export_sample sample = {
			.group = group_of(groups, row),
			.stack = row->stack,
			.cost = row->cost_ns,
			.row = i,
		};

		if (sample.group == LODE_NONE)
			sample.group = rest;
		if (sample.group != LODE_NONE && row->cost_ns > 0)
			lode_vec_append(&out->samples, sample);
	}
}

static void set_types(struct lode_export_stacks *out, const char *unit)
{
	static const char events[] = "events", ns[] = "nanoseconds";

	out->default_type = 1;
	out->value_types[0] = (struct lode_export_value_type){events, "count"};
	if (strcmp(unit, "ns") != 0) {
		out->value_types[1] = (struct lode_export_value_type){"cost", unit};
		out->n_value_types = 2;
		return;
	}
	out->value_types[1] = (struct lode_export_value_type){"wall", ns};
	out->value_types[2 + LODE_EVENT_RUNNING] = (struct lode_export_value_type){"running", ns};
	out->value_types[2 + LODE_EVENT_WAITING] = (struct lode_export_value_type){"waiting", ns};
	out->value_types[2 + LODE_EVENT_READY] = (struct lode_export_value_type){"ready", ns};
	out->n_value_types = LODE_EXPORT_VALUES;
}

static void set_title(struct lode_export_stacks *out, const struct lode_mined *m)
{
	char streams[LODE_UNITS_BUFFER], symptoms[LODE_UNITS_BUFFER], cost[LODE_UNITS_BUFFER];
	char title[4 * LODE_UNITS_BUFFER];

	snprintf(title, sizeof(title), "lode mine: %s, %s of %s",
		 lode_format_plural(streams, m->digest->streams.n, "stream"),
		 lode_format_plural(symptoms, m->digest->symptoms.n, "symptom"),
		 lode_format_cost_long(cost, m->symptom_ns, m->digest->unit));
	out->title = lode_strdup(title);
}

void lode_export_mined(struct lode_export_stacks *out, const struct lode_mined *mined,
		       const struct lode_cluster *only)
{
	const struct lode_digest *digest = mined->digest;
	struct lode_map groups = {0};
	uint32_t rest = LODE_NONE;

	memset(out, 0, sizeof(*out));
	out->tree = &digest->tree;
	out->unit = digest->unit;
	out->describe = describe_row;
	out->context = mined;
	if (strcmp(digest->unit, "ns") == 0)
		out->duration_ns = mined->symptom_ns;
	set_types(out, digest->unit);
	set_title(out, mined);
	for (size_t c = 0; c < mined->n_clusters; c++) {
		const struct lode_cluster *cluster = &mined->clusters[c];

		/* One that owns nothing has others' stacks. */
		if (only ? cluster != only : cluster->own_ns == 0)
			continue;
		place_stacks(&groups, cluster, (uint32_t)out->groups.n);
		add_group(out, mined, cluster);
	}
	if (!only && mined->other_ns > 0) {
		rest = (uint32_t)out->groups.n;
		add_rest(out, mined);
	}
	add_samples(out, digest, &groups, rest);
	lode_map_release(&groups);
}
