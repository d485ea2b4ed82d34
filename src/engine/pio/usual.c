/* Usual response times by action and user, and which requests are slow (PIO13 2.2). */
#include "engine/pio/usual.h"

/* What a response time of 0 stands for where logarithms are taken. */
#define ZERO_NS 500000.0

uint32_t lode_usual_pair(struct lode_usual *usual, uint32_t action, uint32_t user)
{
	uint32_t *slot;

	if (usual->is_per_action)
		user = LODE_NONE;
	slot = lode_map_slot(&usual->index, (uint64_t)action << 32 | user);
	if (*slot == LODE_NONE) {
		*slot = (uint32_t)usual->pairs.n;
		while (usual->actions.n <= action)
			lode_vec_append(
				&usual->actions,
				((struct lode_usual_pair){.action = (uint32_t)usual->actions.n,
							  .user = LODE_NONE,
							  .slow_above_ns = INFINITY}));
		/* New after the bounds were worked out: judged by its action. */
		lode_vec_append(&usual->pairs,
				((struct lode_usual_pair){
					.action = action,
					.user = user,
					.slow_above_ns = usual->actions.at[action].slow_above_ns}));
	}
	return *slot;
}

void lode_usual_add(struct lode_usual *usual, uint32_t pair, int64_t response_ns)
{
	double x = (double)response_ns;

	if (usual->is_log)
		x = log(x > 0 ? x : ZERO_NS);
	lode_usual_moments_add(&usual->pairs.at[pair].moments, x);
}

static double bound_of(const struct lode_usual *usual, const struct lode_usual_moments *m)
{
	double bound = m->mean + lode_usual_moments_deviation(m);

	if (!m->n)
		return INFINITY;
	return usual->is_log ? exp(bound) : bound;
}

void lode_usual_settle(struct lode_usual *usual)
{
	for (size_t a = 0; a < usual->actions.n; a++)
		usual->actions.at[a].moments = (struct lode_usual_moments){0};
	for (size_t i = 0; i < usual->pairs.n; i++)
		lode_usual_moments_merge(&usual->actions.at[usual->pairs.at[i].action].moments,
					 &usual->pairs.at[i].moments);
	for (size_t a = 0; a < usual->actions.n; a++)
		usual->actions.at[a].slow_above_ns = bound_of(usual, &usual->actions.at[a].moments);
	for (size_t i = 0; i < usual->pairs.n; i++) {
		struct lode_usual_pair *p = &usual->pairs.at[i];

		p->slow_above_ns = p->moments.n && p->moments.n >= usual->min_requests
					   ? bound_of(usual, &p->moments)
					   : usual->actions.at[p->action].slow_above_ns;
	}
}

double lode_usual_bound(const struct lode_usual *usual, uint32_t pair)
{
	return usual->pairs.at[pair].slow_above_ns;
}

void lode_usual_release(struct lode_usual *usual)
{
	lode_map_release(&usual->index);
	lode_vec_release(&usual->pairs);
	lode_vec_release(&usual->actions);
}
