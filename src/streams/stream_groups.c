/* Groups recordings by a label. */
#include "streams/stream_groups.h"

#include "base/sorted.h"

const char lode_coverage_no_label[] = "(none)";

/* Numbers inside as numbers; no label is last. */
static int by_name(const void *a, const void *b)
{
	const char *x = *(const char *const *)a, *y = *(const char *const *)b;

	if (!x || !y)
		return !x - !y;
	return strverscmp(x, y);
}

static bool is_same_label(const char *x, const char *y)
{
	return x && y ? strcmp(x, y) == 0 : x == y;
}

/* The group of `label`, which there is. */
static uint32_t find_group(const char *const *groups, size_t n, const char *label)
{
	const char *const *found = bsearch(&label, groups, n, sizeof(*groups), by_name);

	/* strverscmp can find texts equal that are not: they stand side by side. */
	while (found > groups && by_name(&found[-1], &label) == 0)
		found--;
	while (!is_same_label(*found, label))
		found++;
	return (uint32_t)(found - groups);
}

int lode_stream_groups_make(struct lode_stream_groups *out, struct lode_stream_set *set,
			    const char *by, struct lode_error *err)
{
	size_t n = set->job.digest->streams.n, n_groups = 0;
	const char **labels = lode_alloc0(n + 1, sizeof(*labels));
	bool is_known = false;

	out->names = lode_alloc0(n + 1, sizeof(*out->names));
	out->group_of = lode_alloc0(n + 1, sizeof(*out->group_of));
	out->n = 0;
	for (size_t i = 0; i < n; i++) {
		labels[i] = lode_stream_set_label(set, i, by);
		out->names[i] = labels[i];
		is_known |= labels[i] != NULL;
	}
	if (n && !is_known) {
		free(labels);
		return lode_fail(err, LODE_ERR_ARG, NULL, -1, "no recording has the label '%.60s'",
				 by);
	}
	lode_sort(out->names, n, by_name);
	for (size_t i = 0; i < n; i++)
		if (n_groups == 0 || !is_same_label(out->names[i], out->names[n_groups - 1]))
			out->names[n_groups++] = out->names[i];
	for (size_t i = 0; i < n; i++)
		out->group_of[i] = find_group(out->names, n_groups, labels[i]);
	for (size_t g = 0; g < n_groups; g++)
		if (!out->names[g])
			out->names[g] = lode_coverage_no_label;
	out->n = n_groups;
	free(labels);
	return 0;
}

void lode_stream_groups_release(struct lode_stream_groups *groups)
{
	free(groups->names);
	free(groups->group_of);
	memset(groups, 0, sizeof(*groups));
}

/* ---- Keys ---- */

static bool any_has(struct lode_stream_set *set, const char *key)
{
	const char *value = NULL;

	for (size_t i = 0; i < set->job.digest->streams.n && (!value || !*value); i++)
		value = lode_stream_set_label(set, i, key);
	return value && *value;
}

void lode_stream_groups_keys(lode_stream_keys *out, struct lode_stream_set *set)
{
	static const char *const fields[] = {"day", "host", "kernel"};
	const struct lode_repo_streams *described = &set->described;
	size_t first, n;

	for (size_t i = 0; i < sizeof(fields) / sizeof(*fields); i++)
		if (any_has(set, fields[i]))
			lode_vec_append(out, fields[i]);
	first = n = out->n;
	for (size_t i = 0; i < described->list.n; i++)
		for (size_t k = 0; k < described->list.at[i].n_labels; k++)
			lode_vec_append(out, described->list.at[i].labels[k].key);
	if (out->n == first)
		return;
	lode_sort(out->at + first, out->n - first, lode_compare_text);
	for (size_t i = first; i < out->n; i++)
		if (n == first || strcmp(out->at[n - 1], out->at[i]) != 0)
			out->at[n++] = out->at[i];
	out->n = n;
}
