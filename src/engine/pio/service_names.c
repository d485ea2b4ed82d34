/* Services in the names of columns. */
#include "engine/pio/service_names.h"

#include <math.h>

#include "engine/pio/intensity.h"

/* Names that have the separator; different parts, of the number of names. */
#define LEAST_CUT  0.9
#define MOST_PARTS 0.75
enum { LEAST_NAMES = 6 };

static const char separators[] = "_.:/|; -";

/* Labels that tell copies of one service apart, or the parts of one histogram. */
static const char *const copy_labels[] = {"pod",	  "pod_name", "instance",
					  "container_id", "id",	      NULL};
static const char *const part_labels[] = {"le", "quantile", NULL};

static const char *cut_at(const struct lode_service_names *rule, const char *name)
{
	const char *at =
		rule->is_last ? strrchr(name, rule->separator) : strchr(name, rule->separator);

	return at && at > name && at[1] ? at : NULL;
}

bool lode_label_next(const char **at, struct lode_slice *key, struct lode_slice *value)
{
	const char *p = *at, *equals = strchr(p, '=');

	if (!equals || equals[1] != '"')
		return false;
	*key = (struct lode_slice){p, (size_t)(equals - p)};
	for (p = equals + 2; *p && *p != '"'; p++)
		p += *p == '\\' && p[1];
	if (!*p)
		return false;
	*value = (struct lode_slice){equals + 2, (size_t)(p - equals - 2)};
	*at = p + 1 + (p[1] == ',');
	return true;
}

static bool is_label_of(struct lode_slice key, const char *const *labels)
{
	for (; *labels; labels++)
		if (lode_slice_is(key, *labels))
			return true;
	return false;
}

/* name{service="carts",code="200"} -> carts, name{code="200"} */
static bool cut_label(const char *label, const char *name, char **service, char **metric)
{
	const char *at = strchr(name, '{');
	struct lode_slice key, value;
	size_t n = at ? (size_t)(at - name) : 0;
	char *rest, mark = '{';

	*service = NULL;
	if (!at)
		return false;
	rest = lode_alloc(strlen(name) + 2);
	memcpy(rest, name, n);
	for (at++; lode_label_next(&at, &key, &value);) {
		if (lode_slice_is(key, label)) {
			*service = lode_alloc(value.len + 1);
			memcpy(*service, value.at, value.len);
			(*service)[value.len] = '\0';
		} else if (!is_label_of(key, copy_labels)) {
			rest[n++] = mark;
			memcpy(rest + n, key.at, key.len + value.len + 3);
			n += key.len + value.len + 3;
			mark = ',';
		}
	}
	if (mark == ',')
		rest[n++] = '}';
	rest[n] = '\0';
	if (*service)
		*metric = rest;
	else
		free(rest);
	return *service != NULL;
}

bool lode_service_names_cut(const struct lode_service_names *rule, const char *name, char **service,
			    char **metric)
{
	const char *at = rule->separator ? cut_at(rule, name) : NULL;
	char *left, *right;

	if (rule->label[0] && cut_label(rule->label, name, service, metric))
		return true;
	if (!at) {
		*service = lode_strdup("");
		*metric = lode_strdup(name);
		return false;
	}
	left = lode_strdup(name);
	left[at - name] = '\0';
	right = lode_strdup(at + 1);
	*service = rule->is_suffix ? right : left;
	*metric = rule->is_suffix ? left : right;
	return true;
}

/* One side of all names, with the logarithms of their levels. */
struct part {
	char *text;
	double size; /* NaN: not known */
};
typedef LODE_VEC(struct part) parts;

LODE_COMPARE(by_text, struct part, strcmp(a->text, b->text))

/* Gives the number of different texts, and how far sizes are from the mean of their text's. */
static size_t group(parts *all, double *scatter)
{
	size_t n_groups = 0;

	*scatter = 0;
	lode_sort(all->at, all->n, by_text);
	for (size_t first = 0, end; first < all->n; first = end, n_groups++) {
		double sum = 0, squares = 0, n = 0;

		for (end = first;
		     end < all->n && strcmp(all->at[end].text, all->at[first].text) == 0; end++) {
			if (isnan(all->at[end].size))
				continue;
			sum += all->at[end].size;
			squares += all->at[end].size * all->at[end].size;
			n++;
		}
		*scatter += n > 0 ? squares - sum * sum / n : 0;
	}
	return n_groups;
}

/* Tries one cut; gives the number of different parts, SIZE_MAX if it is none. */
static size_t try_cut(struct lode_service_names *rule, const char *const *names,
		      const double *levels, size_t n)
{
	parts heads = {0}, tails = {0};
	size_t n_left, n_right, n_parts = SIZE_MAX;
	double left_scatter, right_scatter;

	rule->is_suffix = false;
	for (size_t i = 0; i < n; i++) {
		double size = fabs(levels[i]) > 0 ? log10(fabs(levels[i])) : NAN;
		struct part l = {.size = size}, r = {.size = size};

		if (!lode_service_names_cut(rule, names[i], &l.text, &r.text)) {
			free(l.text);
			free(r.text);
			continue;
		}
		lode_vec_append(&heads, l);
		lode_vec_append(&tails, r);
	}
	n_left = group(&heads, &left_scatter);
	n_right = group(&tails, &right_scatter);
	rule->is_suffix = !rule->label[0] && left_scatter < right_scatter;
	rule->n_services = rule->is_suffix ? n_right : n_left;
	if ((double)heads.n >= LEAST_CUT * (double)n && rule->n_services > 1 &&
	    (double)(n_left + n_right) <= MOST_PARTS * (double)n)
		n_parts = n_left + n_right;
	lode_vec_release_each(&heads, it, free(it->text));
	lode_vec_release_each(&tails, it, free(it->text));
	return n_parts;
}

/* Of the labels of the first name that has some. */
static size_t find_label(struct lode_service_names *out, const char *const *names,
			 const double *levels, size_t n)
{
	size_t fewest = SIZE_MAX, i = 0;
	struct lode_slice key, value;
	const char *at;

	while (i < n && !strchr(names[i], '{'))
		i++;
	at = i < n ? strchr(names[i], '{') + 1 : "";
	while (lode_label_next(&at, &key, &value)) {
		struct lode_service_names rule = {0};
		size_t n_parts;

		if (key.len >= sizeof(rule.label) || is_label_of(key, part_labels))
			continue;
		memcpy(rule.label, key.at, key.len);
		n_parts = try_cut(&rule, names, levels, n);
		if (n_parts >= fewest)
			continue;
		fewest = n_parts;
		*out = rule;
	}
	return fewest;
}

void lode_service_names_find(struct lode_service_names *out, const char *const *names,
			     const double *levels, size_t n)
{
	size_t fewest = SIZE_MAX;

	*out = (struct lode_service_names){0};
	if (n < LEAST_NAMES || find_label(out, names, levels, n) != SIZE_MAX)
		return;
	for (size_t i = 0; i < 2 * (sizeof(separators) - 1); i++) {
		struct lode_service_names rule = {.separator = separators[i / 2], .is_last = i % 2};
		size_t n_parts = try_cut(&rule, names, levels, n);

		if (n_parts < fewest) {
			fewest = n_parts;
			*out = rule;
		}
	}
}

/* ---- Of counters ---- */

bool lode_service_names_is_one(const struct lode_counters *counters)
{
	for (size_t i = 1; i < counters->n_counters; i++)
		if (strcmp(counters->counters[i].server, counters->counters[0].server) != 0)
			return false;
	return true;
}

void lode_service_names_learn(struct lode_service_names *out, const struct lode_counters *counters)
{
	size_t n = counters->n_counters;
	const char **names = lode_alloc0(n + 1, sizeof(*names));
	double *levels = lode_alloc0(n + 1, sizeof(*levels));

	for (size_t i = 0; i < n; i++) {
		names[i] = counters->counters[i].name;
		levels[i] = lode_percentile(counters->counters[i].at, counters->n_intervals, 50);
	}
	lode_service_names_find(out, names, levels, n);
	free(names);
	free(levels);
}

LODE_COMPARE(by_service, struct lode_counter,
	     strcmp(a->server, b->server) ?: strcmp(a->name, b->name))

/* The mean of those that have a value. */
static void merge_copies(struct lode_counter *copies, size_t n, size_t n_intervals)
{
	for (size_t t = 0; n > 1 && t < n_intervals; t++) {
		double sum = 0, n_values = 0;

		for (size_t i = 0; i < n; i++) {
			sum += isnan(copies[i].at[t]) ? 0 : copies[i].at[t];
			n_values += !isnan(copies[i].at[t]);
		}
		copies[0].at[t] = n_values > 0 ? sum / n_values : NAN;
	}
	for (size_t i = 1; i < n; i++) {
		free(copies[i].server);
		free(copies[i].name);
		free(copies[i].at);
	}
}

void lode_service_names_apply(const struct lode_service_names *rule, struct lode_counters *counters)
{
	struct lode_counter *all = counters->counters;
	size_t n_kept = 0;

	if (!lode_service_names_has(rule))
		return;
	for (size_t i = 0; i < counters->n_counters; i++) {
		char *service, *metric;

		/* A counter without the label stays of its server. */
		if (!lode_service_names_cut(rule, all[i].name, &service, &metric) &&
		    rule->label[0]) {
			free(service);
			free(metric);
			continue;
		}
		free(all[i].server);
		free(all[i].name);
		all[i].server = service;
		all[i].name = metric;
	}
	lode_sort(all, counters->n_counters, by_service);
	for (size_t first = 0, end; first < counters->n_counters; first = end) {
		for (end = first + 1; end < counters->n_counters &&
				      strcmp(all[end].server, all[first].server) == 0 &&
				      strcmp(all[end].name, all[first].name) == 0;
		     end++)
			;
		merge_copies(&all[first], end - first, counters->n_intervals);
		all[n_kept++] = all[first];
	}
	counters->n_counters = n_kept;
}
