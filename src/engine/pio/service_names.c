/* Services in the names of columns. */
#include "engine/pio/service_names.h"

#include <math.h>

#include "base/sorted.h"

/* Names that have the separator; different parts, of the number of names. */
#define LEAST_CUT  0.9
#define MOST_PARTS 0.75
enum { LEAST_NAMES = 6 };

static const char separators[] = "_.:/|; -";

static const char *cut_at(const struct lode_service_names *rule, const char *name)
{
	const char *at =
		rule->is_last ? strrchr(name, rule->separator) : strchr(name, rule->separator);

	return at && at > name && at[1] ? at : NULL;
}

void lode_service_names_cut(const struct lode_service_names *rule, const char *name, char **service,
			    char **metric)
{
	const char *at = rule->separator ? cut_at(rule, name) : NULL;
	char *left, *right;

	if (!at) {
		*service = lode_strdup("");
		*metric = lode_strdup(name);
		return;
	}
	left = lode_strdup(name);
	left[at - name] = '\0';
	right = lode_strdup(at + 1);
	*service = rule->is_suffix ? right : left;
	*metric = rule->is_suffix ? left : right;
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

		if (!cut_at(rule, names[i]))
			continue;
		lode_service_names_cut(rule, names[i], &l.text, &r.text);
		lode_vec_append(&heads, l);
		lode_vec_append(&tails, r);
	}
	n_left = group(&heads, &left_scatter);
	n_right = group(&tails, &right_scatter);
	rule->is_suffix = left_scatter < right_scatter;
	rule->n_services = rule->is_suffix ? n_right : n_left;
	if ((double)heads.n >= LEAST_CUT * (double)n && rule->n_services > 1 &&
	    (double)(n_left + n_right) <= MOST_PARTS * (double)n)
		n_parts = n_left + n_right;
	lode_vec_release_each(&heads, it, free(it->text));
	lode_vec_release_each(&tails, it, free(it->text));
	return n_parts;
}

void lode_service_names_find(struct lode_service_names *out, const char *const *names,
			     const double *levels, size_t n)
{
	size_t fewest = SIZE_MAX;

	*out = (struct lode_service_names){0};
	if (n < LEAST_NAMES)
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
