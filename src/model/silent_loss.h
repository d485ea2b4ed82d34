/*
 * Losses that no recorder announced: what the records themselves show.
 *
 *   repeated   the same record twice in a row: time, CPU, thread, stack
 *   gap        nothing on any CPU for far longer than ever else: the clock was set, or all slept
 *   missing    switches that contradict the one before on their CPU, and waits that end without a
 *              waking, far more of them than a sound recording has
 *
 * Sound recordings have some of each: switches are written out of order when a CPU's buffer wraps,
 * and an idle CPU of some virtual machines records no interrupts. So a wait without a waking counts
 * only if no CPU was idle meanwhile. Recordings of single processes lack what other threads do by
 * design; that is how they are recognised: threads come to a CPU that never leave one.
 *
 * Only builder.c and schedule.c use this. `{ 0 }` is ready, but for `all_busy_ns`.
 */
#pragma once

#include "model/stream.h"

enum { LODE_SILENT_GAPS = 8 };
/* Shorter gaps are not looked at. */
#define LODE_SILENT_GAP_NS INT64_C(100000000)

/* What a record is, to find the next one equal. */
struct lode_silent_record {
	int64_t t_ns;
	uint32_t cpu, stack;
	int32_t tids[2];
};

/* Records of a kind, and those equal to the one before. */
struct lode_silent_twins {
	struct lode_silent_record last;
	uint64_t n, n_repeated;
	int64_t repeated_ns; /* weight of the repeated ones, where samples have any */
};

/* How often a thread got a CPU and left one. */
struct lode_silent_thread {
	uint32_t n_in, n_out;
};

struct lode_silent_gap {
	int64_t start_ns, length_ns;
};

struct lode_silent {
	struct lode_silent_twins switches, wakings, samples;
	LODE_VEC(struct lode_silent_thread) threads;
	bool has_idle;	 /* records of idle threads: of the whole machine */
	bool has_halves; /* of some switches only who came or who left */
	/* The longest gaps, longest first. */
	struct lode_silent_gap gaps[LODE_SILENT_GAPS];
	size_t n_gaps;
	/* Waits during which no CPU was idle, and those of them that ended without a waking. */
	uint64_t n_watched, n_unwoken;
	int64_t unwoken_ns;
	/* Since when no CPU has been idle; INT64_MAX while one is. What it was, and when it ended.
	 */
	int64_t all_busy_ns, was_busy_ns, left_ns;
	uint32_t n_not_busy; /* CPUs */
};

/* Whether a record repeats the one before. */
static inline bool lode_silent_is_twin(struct lode_silent_twins *twins,
				       const struct lode_silent_record *record)
{
	const struct lode_silent_record *last = &twins->last;
	bool is_twin = last->t_ns == record->t_ns && last->cpu == record->cpu &&
		       last->stack == record->stack && last->tids[0] == record->tids[0] &&
		       last->tids[1] == record->tids[1] && twins->n;

	twins->n++;
	twins->n_repeated += is_twin;
	twins->last = *record;
	return is_twin;
}

/* A CPU becomes busy or idle. */
static inline void lode_silent_busy(struct lode_silent *s, int64_t t_ns)
{
	if (--s->n_not_busy)
		return;
	/* Between the halves of a switch no time passes. */
	s->all_busy_ns = t_ns == s->left_ns ? s->was_busy_ns : t_ns;
}

static inline void lode_silent_idle(struct lode_silent *s, int64_t t_ns)
{
	if (s->n_not_busy++)
		return;
	s->was_busy_ns = s->all_busy_ns;
	s->left_ns = t_ns;
	s->all_busy_ns = INT64_MAX;
}

/* Since when no CPU has been idle at `t_ns`; INT64_MAX: one is. */
static inline int64_t lode_silent_busy_since(const struct lode_silent *s, int64_t t_ns)
{
	return s->n_not_busy == 1 && s->left_ns == t_ns ? s->was_busy_ns : s->all_busy_ns;
}

/* A wait that began at `since_ns` ends, with a recorded waking or without. */
static inline void lode_silent_wait(struct lode_silent *s, int64_t since_ns, int64_t t_ns,
				    bool is_woken)
{
	if (lode_silent_busy_since(s, t_ns) > since_ns)
		return;
	s->n_watched++;
	if (is_woken)
		return;
	s->n_unwoken++;
	s->unwoken_ns += t_ns - since_ns;
}

/* Counts a recorded switch; threads may be LODE_NONE or LODE_IDLE. */
void lode_silent_switch(struct lode_silent *silent, lode_thread_id prev, lode_thread_id next);
/* Counts a gap of at least LODE_SILENT_GAP_NS. */
void lode_silent_gap(struct lode_silent *silent, int64_t start_ns, int64_t length_ns);

/* Adds what they come to to the stream's losses. `n_cpus` that were seen. */
void lode_silent_judge(const struct lode_silent *silent, struct lode_stream *stream, size_t n_cpus);
void lode_silent_release(struct lode_silent *silent);
