/*
 * Performance counters (the PerformanceLog of PIO13): as sources deliver them, and on one grid.
 *
 *   source  ->  counter log: groups of columns, rows of samples at their own times
 *                   |  lode_counters_align
 *                   v
 *   grid    interval    0    1    2    3   ...      [start + i * step, start + (i + 1) * step)
 *           web/cpu    12   14  NaN   13            NaN: missing
 *           db/locks    0    0    3    1
 *
 * How samples get onto the grid. A group's own period d is the median distance of its rows. The
 * sample at time t speaks of the time that ended then:
 *   d >= step   it fills the last round(d / step) whole intervals that end at or before t (a sample
 *               may be late by less than a step, as collectors are; or early by 0.5 % of it)
 *   d < step    it belongs to the interval that holds t - d/2; several rates of an interval are
 *               averaged, of several states the last one holds
 *   totals      become rates per second over the time since the sample before, and fill all of it
 *               (also over a gap); one that fell (reset, wrap) gives no value, and is counted
 * A sample speaks for LODE_SAMPLE_REACH intervals at most, and totals give no value over a pause:
 * of a stretch of more than LODE_PAUSE_INTERVALS in which there is no sample of any counter the
 * grid keeps LODE_PAUSE_KEPT (model/interval_axis.h). So its size follows the samples, not the time
 * between them. A missing sample leaves NaN: nothing is carried over a gap. Rows may come in any
 * order; of two at the same time the later one delivered holds. One counter may come in several
 * groups (rotated files): they are laid over each other, later groups over earlier ones.
 */
#pragma once

#include "base/error.h"
#include "model/interval_axis.h"
#include "model/loss.h"

enum lode_counter_kind {
	LODE_COUNTER_STATE, /* what was true at the sample: memory, queue length */
	LODE_COUNTER_RATE,  /* of the time since the sample before: per second, or a share */
	LODE_COUNTER_TOTAL, /* counts up since some start */
	LODE_COUNTER_VALUE, /* the source cannot tell; taken as a rate is */
};

struct lode_counter_column {
	const char *server, *name; /* copied by the log; "" is no server's name */
	enum lode_counter_kind kind;
};

/* ---- What sources fill ---- */

struct lode_counter_log;

struct lode_counter_log *lode_counter_log_new(void);
void lode_counter_log_free(struct lode_counter_log *log);
/* Columns that are sampled together: a file's, or one counter alone. Gives the group's number. */
uint32_t lode_counter_log_group(struct lode_counter_log *log,
				const struct lode_counter_column *columns, size_t n);
/* One sample of a group at `t_ns` since the epoch (UTC): a value per column, NaN where missing.
   A time before 1970 or after 2116 is a loss. */
void lode_counter_log_row(struct lode_counter_log *log, uint32_t group, int64_t t_ns,
			  const double *values);
/* Where rows that are delivered from now on stand: in messages. `path` is borrowed until the next.
 */
void lode_counter_log_place(struct lode_counter_log *log, const char *path, int64_t line);

/*
 * Ends a source, whose groups are those from number `first` on: rows whose time is wrong are
 * dropped and counted (LODE_LOSS_CLOCK_JUMP), with the place of the first. A time is wrong when it
 * stands alone: no other time of the source is within half a day of it, and none of its group
 * within ten times the group's period, where that is longer. A source with fewer than three times
 * is left as it is.
 */
void lode_counter_log_sift(struct lode_counter_log *log, uint32_t first);
uint32_t lode_counter_log_groups(const struct lode_counter_log *log); /* how many there are */
/* From the first to the last sample of the groups from number `first` on; false: there is none. */
bool lode_counter_log_span(const struct lode_counter_log *log, uint32_t first, int64_t *first_ns,
			   int64_t *last_ns);

/* Where sources count what they could not read. */
struct lode_losses *lode_counter_log_losses(struct lode_counter_log *log);
/* A file of a folder that could not be read, in words with its path; kept until they are asked for.
 */
void lode_counter_log_skip(struct lode_counter_log *log, const char *text);
/* The next one that was kept, the caller's to free; NULL: there is none any more. */
char *lode_counter_log_next_skipped(struct lode_counter_log *log);
/* Samples (not NaN) so far. */
uint64_t lode_counter_log_values(const struct lode_counter_log *log);

/* ---- Following: one log that is fed, aligned and thinned out again and again ---- */

/*
 * From now on a group with the columns of an earlier one is that group, and its rows go on. A row
 * more than a day from the one before waits for the next one: if that is nearer to those before,
 * the time was wrong, and the row is dropped and counted (LODE_LOSS_CLOCK_JUMP).
 */
void lode_counter_log_follow(struct lode_counter_log *log);

/*
 * Forgets rows before `before_ns`, and takes none from then on; but each group keeps its last
 * `n_least` (so that its period and its totals stay known), unless it has been silent for longer
 * than those would take.
 */
void lode_counter_log_forget(struct lode_counter_log *log, int64_t before_ns, size_t n_least);

/* The newest time delivered since this was last asked; INT64_MIN: none. */
int64_t lode_counter_log_newest(struct lode_counter_log *log);

/* How far a log goes: intervals counted from the epoch. */
struct lode_counter_reach {
	int64_t all;  /* all intervals before it are complete in every group that still delivers */
	int64_t most; /* ... in the one that is ahead */
};

/*
 * A group still delivers unless it is behind `now_ns` (the newest time known of anything) by more
 * than two of its periods and three steps. False: no group does.
 */
bool lode_counter_log_reach(struct lode_counter_reach *reach, struct lode_counter_log *log,
			    int64_t step_ns, int64_t now_ns);

/* Gives what the log holds to `to`, as sources would: groups, then each one's rows. */
struct lode_counter_taker {
	void *context;
	void (*group)(void *context, const struct lode_counter_column *columns, size_t n);
	void (*row)(void *context, uint32_t group, int64_t t_ns, const double *values, size_t n);
};
void lode_counter_log_give(struct lode_counter_log *log, const struct lode_counter_taker *to);

/* ---- On the grid ---- */

struct lode_counter {
	char *server, *name;
	double *at;	   /* n_intervals values; NaN: missing */
	int64_t period_ns; /* how often it was sampled: the median distance */
};

struct lode_counters {
	int64_t start_ns, step_ns; /* start is a multiple of step */
	size_t n_intervals;
	lode_interval_pauses pauses;
	struct lode_counter *counters; /* by server, then name */
	size_t n_counters;
	uint64_t n_resets; /* totals that fell */
};

struct lode_counter_bound {
	size_t memory_bytes; /* 0: no bound */
	size_t n_counters;   /* that the grid is used with, if there are more of them */
};

/* The finest period of all groups, to take for a step: at least 1 ms; 0 without two rows. */
int64_t lode_counter_log_period(struct lode_counter_log *log);

/*
 * Lays the log on a grid of `step_ns` (> 0) from its first to its last sample. Fails with
 * LODE_ERR_LIMIT when what is made of the grid would take more than the bound (NULL: none), with
 * LODE_ERR_ARG without any sample.
 */
int lode_counters_align(struct lode_counters *out, struct lode_counter_log *log, int64_t step_ns,
			const struct lode_counter_bound *bound, struct lode_error *err);
/* When an interval begins, also the one behind the last. */
int64_t lode_counters_time(const struct lode_counters *counters, size_t interval);
void lode_counters_release(struct lode_counters *counters);

#define LODE_SAMPLE_REACH    ((int64_t)3600)
#define LODE_PAUSE_INTERVALS ((int64_t)3600)
#define LODE_PAUSE_KEPT	     ((int64_t)512) /* more than any window looks back */
