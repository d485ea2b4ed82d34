/* Pairs begins and ends of requests. */
#include "model/symptom_pairs.h"

/* The open request of a scope. */
struct open {
	const struct lode_point_event *begin; /* NULL: none */
	size_t first_gap;		      /* that came after it began */
	uint32_t depth;			      /* calls that are nested in it */
};

struct pairing {
	struct lode_point_pairs *out;
	const struct lode_event_gap *gaps;
	size_t n_gaps; /* so far */
	bool is_nesting;
};

static bool has_gap(const struct pairing *p, const struct open *open, uint32_t cpu)
{
	for (size_t i = open->first_gap; i < p->n_gaps; i++) {
		uint32_t lost = p->gaps[i].cpu;

		if (lost == UINT32_MAX || lost == cpu || lost == open->begin->cpu ||
		    cpu == UINT32_MAX || open->begin->cpu == UINT32_MAX)
			return true;
	}
	return false;
}

static void leave_out(struct lode_point_pairs *out, struct open *open, uint64_t *counter)
{
	if (out->first_ns == INT64_MIN || open->begin->t_ns < out->first_ns)
		out->first_ns = open->begin->t_ns;
	(*counter)++;
	open->begin = NULL;
}

static void begin_request(const struct pairing *p, struct open *open,
			  const struct lode_point_event *event)
{
	if (open->begin && has_gap(p, open, event->cpu))
		leave_out(p->out, open, &p->out->n_doubtful);
	if (open->begin)
		open->depth++;
	else
		*open = (struct open){.begin = event, .first_gap = p->n_gaps};
}

static void end_request(const struct pairing *p, struct open *open,
			const struct lode_point_event *event)
{
	struct lode_point_pair pair = {open->begin, event};

	/* What happens at the very same time ends what began before. */
	if (!open->begin || event->t_ns <= open->begin->t_ns)
		return;
	if (has_gap(p, open, event->cpu)) {
		leave_out(p->out, open, &p->out->n_doubtful);
		return;
	}
	if (p->is_nesting && open->depth) {
		open->depth--;
		return;
	}
	lode_vec_append(&p->out->at, pair);
	open->begin = NULL;
}

void lode_point_pairs_find(struct lode_point_pairs *out, const struct lode_point_event *events,
			   size_t n_events, const struct lode_event_gap *gaps, size_t n_gaps,
			   bool is_nesting)
{
	struct pairing p = {.out = out, .gaps = gaps, .is_nesting = is_nesting};
	struct open *open;
	uint32_t n_scopes = 0;

	out->first_ns = INT64_MIN;
	for (size_t i = 0; i < n_events; i++)
		if (events[i].scope >= n_scopes)
			n_scopes = events[i].scope + 1;
	open = lode_alloc0(n_scopes, sizeof(*open));
	for (size_t i = 0; i < n_events; i++) {
		struct open *its = &open[events[i].scope];

		while (p.n_gaps < n_gaps && gaps[p.n_gaps].t_ns <= events[i].t_ns)
			p.n_gaps++;
		if (events[i].ends)
			end_request(&p, its, &events[i]);
		if (events[i].begins)
			begin_request(&p, its, &events[i]);
	}
	for (uint32_t scope = 0; scope < n_scopes; scope++)
		if (open[scope].begin)
			leave_out(out, &open[scope], &out->n_unfinished);
	free(open);
}

void lode_point_pairs_release(struct lode_point_pairs *pairs)
{
	lode_vec_release(&pairs->at);
}
