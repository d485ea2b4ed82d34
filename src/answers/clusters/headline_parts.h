/*
 * What the parts of a headline are made of (headline.c, headline_threads.c): functions of a
 * cluster's stacks, counted by the place where stacks have them.
 */
#pragma once

#include "answers/clusters/headline.h"

/* A function in a gap of the common part. */
struct lode_headline_held {
	uint32_t frame;
	int64_t cost_ns; /* of the stacks that have it there, as lode_headline_cost_of */
	double after;	 /* sum over these of cost * how many of the others stand before it */
	uint32_t stack;	 /* that counted it last */
};

/* What stands in one gap: before common function i, or behind the last. */
struct lode_headline_gap {
	LODE_VEC(struct lode_headline_held) held;
	struct lode_map place_of; /* frame -> index into held */
};

struct lode_headline_building {
	const struct lode_mined *mined;
	const struct lode_cluster *cluster;
	int64_t enough_ns;		/* four fifths of its cost, as lode_headline_cost_of */
	bool is_ready_apart;		/* time without a CPU does not count */
	struct lode_headline_gap *gaps; /* n_common + 1 */
	uint32_t *path;			/* frames of a stack */
	uint32_t *gap_of;		/* per frame of it: its gap; LODE_NONE: a common function */
	const struct lode_hop_names *hop_names;
};

/* What a stack counts for. Threads that wait for a CPU do so wherever they are, mostly where they
   were woken: that time says how busy the machine was, not what the others have in common. */
static inline int64_t lode_headline_cost_of(const struct lode_headline_building *b, size_t stack)
{
	const struct lode_cluster_stack *s = &b->cluster->stacks[stack];

	return b->is_ready_apart ? s->cost_ns - s->ready_ns : s->cost_ns;
}

/* Its frames into b->path, threads by their common names; gives how many. */
size_t lode_headline_path_of(struct lode_headline_building *b, uint32_t node);

/* What the gap has of a function; added if it is new. */
struct lode_headline_held *lode_headline_held_at(struct lode_headline_gap *gap, uint32_t frame);
/* Counts what stack s has in [start, end) of b->path. */
void lode_headline_count_once(struct lode_headline_gap *gap, const struct lode_headline_building *b,
			      uint32_t s, size_t start, size_t end);
/* In the order in which they mostly follow each other. */
void lode_headline_gap_sort(struct lode_headline_gap *gap);
void lode_headline_gap_release(struct lode_headline_gap *gap);

/* A function of the program that says something. */
bool lode_headline_tells(const struct lode_headline_building *b, uint32_t frame);
/* What all kernel threads begin with. */
bool lode_headline_is_kthread(const struct lode_calltree *tree, uint32_t frame);
/* How much of the rest of the area of interest does without a function that so much of the cluster
   has. */
double lode_headline_rarity_of(const struct lode_headline_building *b, uint32_t frame,
			       int64_t held_ns);

/* The link to the headline's last thread; whether that has a function of a program, or is a kernel
   thread, which works for others. */
uint32_t lode_headline_last_link(const struct lode_headline *out,
				 const struct lode_headline_building *b, bool *has_own,
				 bool *is_kernel);
/* Behind the threads that all agree on, where more than half of the cost waits for one and the
   same; and on where most of that does. Behind a thread with a function of a program, up to the
   last one that has one, too: others would take its room. `depth`: of the deepest stack. */
void lode_headline_follow_threads(struct lode_headline *out, struct lode_headline_building *b,
				  size_t depth);
