/* Searches the λ that gives at most a number of patterns. */
#include "engine/patterns/min_cost.h"

#include <math.h>

/* λs that all give too many: from..to. */
struct range {
	int64_t from, to;
};

/* Probes of the whole effort that took too long: more are not worth their time. */
enum { MOST_IN_VAIN = 4, MOST_IN_VAIN_TO_FIT = 3 };

struct narrowing {
	const struct lode_min_cost_search *search;
	enum lode_effort effort;
	LODE_VEC(struct range) crowded;
	int64_t few, many; /* many: 0 when none is known */
	bool is_vague;	   /* `many` took too long to tell */
	bool has_jumped;   /* `many` is the end of a range of more than one */
	unsigned n_in_vain;
	struct lode_error *err;
};

static int probe(struct narrowing *n, int64_t min_cost)
{
	int64_t crowded_to = 0;
	int rc = n->search->probe(n->search->context, min_cost, n->effort, &crowded_to, n->err);

	if (rc == 0) {
		n->is_vague = crowded_to == 0;
		n->n_in_vain += n->is_vague && n->effort == LODE_EFFORT_WHOLE;
		n->has_jumped = crowded_to > min_cost;
		if (crowded_to < min_cost)
			crowded_to = min_cost;
		lode_vec_append(&n->crowded, ((struct range){min_cost, crowded_to}));
	}
	return rc;
}

/* Asks about one λ between the bounds, and moves one of them. What a part of the effort does not
   tell moves nothing: from then on the whole is worth while. */
static int move(struct narrowing *n, int64_t min_cost)
{
	int rc = probe(n, min_cost);

	if (rc > 0)
		n->few = min_cost;
	if (rc != 0)
		return rc;
	if (n->is_vague && n->effort == LODE_EFFORT_PART) {
		n->is_vague = n->has_jumped = false;
		n->effort = LODE_EFFORT_WHOLE;
	} else {
		n->many = n->crowded.at[n->crowded.n - 1].to;
	}
	return 0;
}

/* Down in halves: the expensive checks come last. */
static int descend(struct narrowing *n, int64_t lowest)
{
	int rc = 1;

	while (rc > 0 && n->few / 2 > lowest)
		rc = move(n, n->few / 2);
	return rc;
}

/* In ratio while they are far apart. */
static int64_t middle(const struct narrowing *n)
{
	if (n->many > 0 && n->few / n->many >= 4)
		return (int64_t)(sqrt((double)n->many) * sqrt((double)n->few));
	return n->many + (n->few - n->many) / 2;
}

static bool is_narrow(const struct narrowing *n)
{
	int64_t gap = n->few - n->many;

	return gap <= 1 || (n->is_vague && gap <= n->many / 100) ||
	       (!n->has_jumped && (double)gap <= n->search->tolerance * (double)n->many);
}

/* Of what is between the bounds the middle, and, where `many` came to stand by a range's end, the
   least: the answer is likely there. */
static int narrow(struct narrowing *n)
{
	int rc;

	while (!is_narrow(n) && n->n_in_vain < MOST_IN_VAIN) {
		if ((rc = move(n, middle(n))) < 0)
			return rc;
		if ((n->has_jumped || n->search->tolerance == 0) && !n->is_vague && !is_narrow(n) &&
		    (rc = move(n, n->many + 1)) < 0)
			return rc;
	}
	return 0;
}

/* The first λ from `at` on that is not known to be crowded. */
static int64_t skip_crowded(const struct narrowing *n, int64_t at)
{
	bool has_moved = true;

	while (has_moved) {
		has_moved = false;
		for (size_t k = 0; k < n->crowded.n; k++)
			if (n->crowded.at[k].from <= at && at <= n->crowded.at[k].to) {
				at = n->crowded.at[k].to + 1;
				has_moved = true;
			}
	}
	return at;
}

/* From below: is a smaller one few enough? */
static int look_below(struct narrowing *n)
{
	int64_t at = 1;

	n->effort = LODE_EFFORT_PART;
	for (size_t k = 0; k < n->search->max_upward; k++) {
		int rc;

		at = skip_crowded(n, at);
		if (at >= n->few)
			break;
		if ((rc = probe(n, at)) < 0)
			return rc;
		if (rc > 0)
			n->few = at;
		if (rc > 0 || n->is_vague)
			break;
	}
	return 0;
}

int lode_min_cost_find(int64_t *min_cost, const struct lode_min_cost_search *search,
		       struct lode_error *err)
{
	struct narrowing n = {.search = search, .few = search->total + 1, .err = err};
	int rc = descend(&n, 0);

	if (rc >= 0)
		rc = narrow(&n);
	if (rc >= 0)
		rc = look_below(&n);
	*min_cost = rc < 0 ? 0 : n.few;
	lode_vec_release(&n.crowded);
	return rc < 0 ? rc : 0;
}

int lode_min_cost_fit(int64_t *min_cost, const struct lode_min_cost_search *search, int64_t too_low,
		      struct lode_error *err)
{
	struct narrowing n = {
		.search = search, .few = search->total + 1, .many = too_low, .err = err};
	int rc = descend(&n, too_low);

	if (rc == 0 && n.effort == LODE_EFFORT_WHOLE)
		rc = descend(&n, too_low);
	while (rc >= 0 && n.n_in_vain < MOST_IN_VAIN_TO_FIT &&
	       (double)n.few > 1.2 * (double)n.many && n.few - n.many > 1)
		rc = move(&n, n.many + (n.few - n.many) / 3 + 1);
	*min_cost = rc < 0 ? 0 : n.few;
	lode_vec_release(&n.crowded);
	return rc < 0 ? rc : 0;
}

size_t lode_min_cost_max_upward(size_t n_items)
{
	return 4 + ((size_t)1 << 22) / (n_items + 1);
}
