/* The branches of a headline that ends before half of the cost has gone the same way. */
#include "answers/clusters/headline_forks.h"

#include <stdio.h>

#include "answers/clusters/common_part.h"
#include "base/escape.h"
#include "base/sorted.h"

/* What a branch can be, in the order in which they are looked for. */
enum way { OWN_FUNCTION, THREAD, LIBRARY_FUNCTION, N_WAYS };

/* A branch has at least this part of the cost. */
enum { LEAST_PART = 10 };

struct branch_cost {
	uint32_t frame;
	uint32_t rest; /* that counted it last */
	int64_t cost_ns;
	double after; /* sum over its cost of how many others precede it */
};

struct forking {
	const struct lode_digest *digest;
	const struct lode_headline_rest *rests;
	size_t n_rests;
	uint32_t *program; /* per rest: the first link to that program; LODE_NONE: none */
	bool *is_taken;	   /* it counts for a branch that is named */
	int64_t least_ns;
	/* Of one search. */
	LODE_VEC(struct branch_cost) costs;
	struct lode_map cost_of; /* frame -> index */
};

static const char *program_of(char name[LODE_HOP_NAME], const struct forking *f, uint32_t link)
{
	return lode_hop_program(name, LODE_HOP_NAME, lode_frame_function(&f->digest->tree, link));
}

/* Links to several threads of one program become one of them. */
static void find_programs(struct forking *f)
{
	char name[LODE_HOP_NAME], other[LODE_HOP_NAME];
	struct lode_map first_of = {0}; /* link -> the first of its program */
	LODE_VEC(uint32_t) firsts = {0};

	for (size_t i = 0; i < f->n_rests; i++) {
		uint32_t link = f->rests[i].link, *first;
		size_t k = 0;

		f->program[i] = LODE_NONE;
		if (link == LODE_NONE)
			continue;
		first = lode_map_slot(&first_of, link);
		if (*first == LODE_NONE) {
			program_of(name, f, link);
			while (k < firsts.n &&
			       strcmp(name, program_of(other, f, firsts.at[k])) != 0)
				k++;
			if (k == firsts.n)
				lode_vec_append(&firsts, link);
			*first = firsts.at[k];
		}
		f->program[i] = *first;
	}
	lode_vec_release(&firsts);
	lode_map_release(&first_of);
}

static bool is_way(const struct forking *f, uint32_t frame, enum way way)
{
	return way == THREAD	     ? frame != LODE_NONE
	       : way == OWN_FUNCTION ? lode_telling_frame(f->digest, &frame, 1) != LODE_NONE
				     : lode_is_telling(f->digest, frame);
}

/* What of rest `i` may be a branch of that kind; gives how many. */
static size_t frames_of(const struct forking *f, size_t i, enum way way, const uint32_t **frames)
{
	*frames = way == THREAD ? &f->program[i] : f->rests[i].frames;
	return way == THREAD ? 1 : f->rests[i].n;
}

static void count_branches(struct forking *f, enum way way)
{
	f->costs.n = 0;
	for (uint32_t i = 0; i < f->n_rests; i++) {
		const uint32_t *frames;
		size_t n = f->is_taken[i] ? 0 : frames_of(f, i, way, &frames), n_before = 0;

		for (size_t k = 0; k < n; k++) {
			struct branch_cost *cost;
			uint32_t place;

			if (!is_way(f, frames[k], way))
				continue;
			place = lode_map_number(&f->cost_of, frames[k], f->costs.n);
			if (place == f->costs.n)
				lode_vec_append(&f->costs,
						((struct branch_cost){frames[k], LODE_NONE, 0, 0}));
			cost = &f->costs.at[place];
			if (cost->rest == i)
				continue;
			cost->rest = i;
			cost->cost_ns += f->rests[i].cost_ns;
			cost->after += (double)f->rests[i].cost_ns * (double)n_before++;
		}
	}
	lode_map_release(&f->cost_of);
	memset(&f->cost_of, 0, sizeof(f->cost_of));
}

/* Of equal cost, the one that calls the others. */
LODE_COMPARE(largest_branch_first, struct branch_cost,
	     LODE_ORDER(b->cost_ns, a->cost_ns)
		     ?: LODE_ORDER(a->after, b->after)
		     ?: LODE_ORDER(a->frame, b->frame))

static void take_rests(struct forking *f, uint32_t frame, enum way way)
{
	for (size_t i = 0; i < f->n_rests; i++) {
		const uint32_t *frames;
		size_t n = frames_of(f, i, way, &frames);

		for (size_t k = 0; k < n; k++)
			f->is_taken[i] |= frames[k] == frame;
	}
}

/* The largest branch of that kind among the rests that count for no other; false: none has enough
   of the cost. */
static bool take_branch(struct lode_headline_fork *out, struct forking *f, enum way way,
			int64_t all_ns)
{
	const struct branch_cost *best;

	count_branches(f, way);
	lode_sort(f->costs.at, f->costs.n, largest_branch_first);
	best = f->costs.at;
	if (!f->costs.n || best->cost_ns < f->least_ns)
		return false;
	*out = (struct lode_headline_fork){.frame = best->frame,
					   .share = (double)best->cost_ns / (double)all_ns,
					   .is_thread = way == THREAD};
	take_rests(f, best->frame, way);
	return true;
}

LODE_COMPARE(largest_fork_first, struct lode_headline_fork,
	     LODE_ORDER(b->share, a->share) ?: LODE_ORDER(a->frame, b->frame))

size_t lode_headline_forks_find(struct lode_headline_fork out[LODE_HEADLINE_FORKS],
				const struct lode_digest *digest,
				const struct lode_headline_rest *rests, size_t n_rests)
{
	struct forking f = {.digest = digest,
			    .rests = rests,
			    .n_rests = n_rests,
			    .program = lode_alloc((n_rests + 1) * sizeof(*f.program)),
			    .is_taken = lode_alloc0(n_rests + 1, sizeof(*f.is_taken))};
	int64_t all_ns = 0;
	double share = 0;
	size_t n = 0;

	for (size_t i = 0; i < n_rests; i++)
		all_ns += rests[i].cost_ns;
	f.least_ns = all_ns / LEAST_PART + 1;
	find_programs(&f);
	for (enum way way = 0; way < N_WAYS; way++)
		while (n < LODE_HEADLINE_FORKS && take_branch(&out[n], &f, way, all_ns))
			n++;
	lode_sort(out, n, largest_fork_first);
	for (size_t i = 0; i < n; i++)
		share += out[i].share;
	n = share < 0.5 ? 0 : n;
	lode_vec_release(&f.costs);
	free(f.program);
	free(f.is_taken);
	return n;
}

const char *lode_headline_fork_name(char *buffer, size_t size, const struct lode_digest *digest,
				    const struct lode_headline_fork *fork)
{
	char name[LODE_HOP_NAME];

	if (!fork->is_thread)
		return lode_short_label(buffer, size, &digest->tree, fork->frame);
	lode_hop_program(name, sizeof(name), lode_frame_function(&digest->tree, fork->frame));
	return lode_escape(buffer, size, name);
}

const char *lode_headline_forks_text(char *buffer, size_t size, const struct lode_digest *digest,
				     const struct lode_headline_fork *forks, size_t n,
				     size_t columns)
{
	char name[1600], more[1700];
	size_t used = 0;

	buffer[0] = '\0';
	for (size_t i = 0; i < n; i++) {
		bool is_arrow = forks[i].is_thread && (!i || !forks[i - 1].is_thread);

		snprintf(more, sizeof(more), "%s%s%s %.0f %%", i ? ", " : "", is_arrow ? "→ " : "",
			 lode_headline_fork_name(name, sizeof(name), digest, &forks[i]),
			 100 * forks[i].share);
		if (used + strlen(more) >= size ||
		    lode_escape_width(buffer) + lode_escape_width(more) > columns)
			break;
		used += (size_t)snprintf(buffer + used, size - used, "%s", more);
	}
	return buffer;
}
