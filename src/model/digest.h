/*
 * Digest: what mining needs of one stream, or of many, and nothing else (docs/digest.md).
 *
 * The area of interest folded into rows (distinct stack x symptom x kind), plus name statistics
 * over all events of the stream. Merging is associative and commutative up to the order of ids;
 * merging in input order gives the same bytes for any number of threads. A digest owns its strings.
 */
#pragma once

#include "model/frame.h"
#include "model/stream.h"

struct lode_digest_stream {
	uint32_t path; /* string id in the digest's tree */
	uint64_t content_hash;
	uint32_t host, kernel; /* string ids */
	int64_t t0_ns, t1_ns;
	bool has_wall_clock;	/* wall_offset_ns is known */
	int64_t wall_offset_ns; /* what to add to its times for ns since the epoch (UTC), else 0 */
	int64_t lost_cost_ns;	/* symptom time that rests on waits without a waker */
	/* What it lacks: so many of `losses` from there on, by kind. */
	uint32_t first_loss, n_losses;
	uint8_t subject;    /* enum lode_subject: whose symptoms they are by default */
	uint64_t n_records; /* that were read of it; 0: unknown, as in digests of older versions */
};

struct lode_digest_symptom {
	uint32_t stream; /* index into streams */
	int32_t pid, tid;
	uint32_t comm; /* string id */
	int64_t t0_ns, t1_ns;
	/* Whose life of CPU samples alone it is: the time that it took is not its length, but the
	   CPU time in it. */
	bool is_cpu_time;
	int64_t cpu_ns;
	uint32_t first_group, n_groups; /* its part of `groups` */
};

/* The time that a symptom took: what shares are shares of. */
static inline int64_t lode_digest_symptom_ns(const struct lode_digest_symptom *symptom)
{
	return symptom->is_cpu_time ? symptom->cpu_ns : symptom->t1_ns - symptom->t0_ns;
}

/*
 * Is symptom `i` one to count where costs are compared by symptoms? All but CPU time: how many
 * threads it was spread over says nothing, so that of a stream counts once.
 */
#define lode_digest_symptom_counts(digest, i)                 \
	(!(digest)->symptoms.at[i].is_cpu_time || (i) == 0 || \
	 !(digest)->symptoms.at[(i)-1].is_cpu_time ||         \
	 (digest)->symptoms.at[(i)-1].stream != (digest)->symptoms.at[i].stream)

/*
 * One distinct (stack, symptom, kind, reason, waker): its summed cost.
 *
 * An occurrence is one run on the CPU, or one stay off it, of the symptom's thread, however many
 * events of the threads that it waited for belong to it. Those of a symptom that are in the same
 * rows, two or more, are a group, and each of the rows has the group's number:
 *
 *   occurrence   1   2   3   4   5         row A   1 alone, group 0
 *   its rows     A   AB  BC  AB  B         row B   1 alone, groups 0 and 1
 *   group            0   1   0             row C   group 1;          groups count 2 and 1
 *
 * So the number of occurrences of any rows is their own, and each group's once.
 */
struct lode_digest_row {
	uint32_t stack;	  /* node of the digest's tree: chained or own stack */
	uint32_t symptom; /* index into symptoms */
	uint32_t waker;	  /* string id: comm of the thread, or name of the device, that ended the
			     innermost wait; 0: none */
	uint8_t kind;	  /* enum lode_event_kind of the last link */
	uint8_t reason;	  /* enum lode_wait_reason of the symptom thread's own wait, if it waited */
	int64_t cost_ns;
	uint32_t n_events;
	uint32_t n_alone; /* occurrences that no other row has; with no group: number unknown */
	int64_t worst_t0_ns, worst_cost_ns; /* the costliest single event */
	int64_t unsampled_ns; /* running: of its cost, time in which no sample was taken */
	/* Ready: who ran instead, so many of `runners` from there on; they sum to its cost. */
	uint32_t first_runner, n_runners;
	uint32_t first_shared, n_shared; /* its part of `shared` */
};

/* Whether it is known how many occurrences the row has: not so of samples, and in older digests. */
static inline bool lode_digest_row_is_counted(const struct lode_digest_row *row)
{
	return row->n_alone || row->n_shared;
}

/* A thread that had the CPU while another was ready. */
struct lode_digest_runner {
	uint32_t name; /* string id: as links are named, or one of the two below */
	int64_t cost_ns;
};
#define LODE_RUNNER_IDLE       "[idle]"	       /* none did */
#define LODE_RUNNER_UNRECORDED "[unrecorded]"  /* the recording does not show who did */
#define LODE_RUNNER_NO_WAKEUPS "[no wake-ups]" /* nor can it: it has none */

/* Occurrences of `caller` directly above `callee`: frame ids. */
struct lode_name_pair {
	uint32_t caller, callee;
	uint64_t n;
};

/* How often functions occur in stacks and next to each other, in events (docs/clusters.md). */
struct lode_name_stats {
	uint64_t n_stacks;	     /* without the empty one */
	LODE_VEC(uint64_t) n_with;   /* per frame: stacks that contain it (once each) */
	LODE_VEC(uint64_t) n_callee; /* per frame: its occurrences that have a callee */
	LODE_VEC(uint64_t) n_caller; /* per frame: its occurrences that have a caller */
	struct lode_map pair_index;  /* caller << 32 | callee -> index into pairs */
	LODE_VEC(struct lode_name_pair) pairs;
};

/* Unit of a digest whose streams have different ones. */
#define LODE_UNIT_MIXED "mixed units"
/* The unit of both together (NULL: none yet), one of the three pointers: if they differ none, as a
   sum of ns and samples would mean nothing. */
const char *lode_digest_unit(const char *a, const char *b);

/* A function that goes by another one's name in a digest in memory, or is left out of its stacks.
 */
struct lode_digest_alias {
	uint32_t frame, as;	     /* frames; as: LODE_NONE, it is left out */
	const char *function, *name; /* their full names; NULL for LODE_NONE. The tree's */
	size_t n_streams;	     /* that had it by its own name, at a cost */
};

/* Of the first so many rows and symptoms; up to the end of int64_t. */
struct lode_digest_totals {
	size_t n_rows, n_symptoms;
	int64_t cost_ns, length_ns;
};

struct lode_digest {
	struct lode_calltree tree;
	const char *unit; /* of costs; a static string or from the tree's strings */
	LODE_VEC(struct lode_digest_stream) streams;
	LODE_VEC(struct lode_loss_note) losses; /* of each stream together; texts are the tree's */
	LODE_VEC(struct lode_digest_symptom) symptoms;
	LODE_VEC(struct lode_digest_row) rows; /* sorted by (symptom, stack, kind, reason, waker) */
	LODE_VEC(struct lode_digest_runner) runners; /* of each row together, by name */
	LODE_VEC(uint32_t)
	groups; /* of each symptom together: occurrences in the group, 1 or more
		 */
	/* Of each row together, ascending: groups, numbered from its symptom's first. */
	LODE_VEC(uint32_t) shared;
	struct lode_name_stats names;
	LODE_VEC(struct lode_digest_alias) aliases; /* by name; of no digest that is stored */
	uint64_t n_events;			    /* events folded into the rows */
	struct lode_digest_totals totals;	    /* of lode_digest_fits */
};

/* Whether it is a thread: none of the names in brackets above. */
bool lode_runner_is_thread(const struct lode_digest *digest,
			   const struct lode_digest_runner *runner);

/* Ready time of a row in which no other thread is known to have run. */
int64_t lode_digest_ready_unknown_ns(const struct lode_digest *digest,
				     const struct lode_digest_row *row);

struct lode_digest *lode_digest_new(void);
void lode_digest_free(struct lode_digest *digest);

/* Appends copies of losses, which are in order of their kinds, and says in `stream` where they are.
 */
void lode_digest_losses_copy(struct lode_digest *to, struct lode_digest_stream *stream,
			     const struct lode_loss_note *losses, size_t n);
/* One more of the last stream, of a kind that it does not have, in the order of kinds. */
void lode_digest_loss_insert(struct lode_digest *digest, const struct lode_loss_note *loss);

static inline const struct lode_loss_note *
lode_digest_losses_of(const struct lode_digest *digest, const struct lode_digest_stream *stream)
{
	return stream->n_losses ? digest->losses.at + stream->first_loss : NULL;
}

/* Order of rows: symptom, stack, kind, reason, waker. For qsort. */
int lode_digest_row_compare(const void *left, const void *right);

/* Brings rows into that order which are in order of their symptoms already. O(rows). */
void lode_digest_rows_sort(struct lode_digest_row *rows, size_t n);

/*
 * Appends copies of a row's runners of `from` to `to`, and says in `row` where they are; names are
 * mapped by the caller afterwards.
 */
struct lode_digest_runner *lode_digest_runners_copy(struct lode_digest *to,
						    const struct lode_digest *from,
						    struct lode_digest_row *row);

/*
 * Whether costs and lengths of both together are within int64_t, which all sums of analyses rely
 * on (292 years). O(what `from` holds) where nothing but merges changes `into`.
 */
bool lode_digest_fits(struct lode_digest *into, const struct lode_digest *from);

/* Adds `from`'s streams behind `into`'s; it must fit. O(what `from` holds), however large `into`
 * is. */
void lode_digest_merge(struct lode_digest *into, const struct lode_digest *from);

/* Adds `from`'s name statistics alone. */
void lode_digest_merge_names(struct lode_digest *into, const struct lode_digest *from);

/*
 * Counts the stacks of all of a stream's events (waiting, running, preempted) into `names`; frames
 * are grafted into `tree`. The ready event behind a wait is the same stack again: not counted.
 * O(events + nodes of the stream's tree).
 */
void lode_name_stats_add_stream(struct lode_name_stats *names, struct lode_calltree *tree,
				const struct lode_stream *stream);
/* Adds `from`'s counts; its frame i, unless nothing of it is counted, is frame_of[i] here, all of
   them below `n_frames`. */
void lode_name_stats_merge(struct lode_name_stats *names, const struct lode_name_stats *from,
			   const uint32_t *frame_of, size_t n_frames);
/* Counts `pair->n` more occurrences. */
void lode_name_stats_add_pair(struct lode_name_stats *names, const struct lode_name_pair *pair);
void lode_name_stats_release(struct lode_name_stats *names);
/* Occurrences of `caller` directly above `callee`. */
uint64_t lode_name_stats_pair(const struct lode_name_stats *names, uint32_t caller,
			      uint32_t callee);
