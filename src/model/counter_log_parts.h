/*
 * What a counter log is made of. Inside of model/counter*.c.
 */
#pragma once

#include "base/map.h"
#include "model/counters.h"

/* A time is alone that is so far from all others. */
#define LODE_COUNTER_ALONE_NS ((int64_t)43200 * 1000000000)

struct lode_counter_series {
	uint32_t server, name; /* ids in the log's strings */
	enum lode_counter_kind kind;
};

/* A row that came first, or far from the one before it: only there can a time stand alone, so only
   these have their place kept. */
struct lode_counter_leap {
	int64_t t_ns, line;
};

struct lode_counter_group {
	struct lode_counter_series *columns;
	size_t n_columns;
	LODE_VEC(int64_t) times;
	LODE_VEC(double) values; /* n_columns per row */
	LODE_VEC(struct lode_counter_leap) leaps;
	double *held; /* followed: a row that waits for the next one; its time is in held_ns */
	int64_t held_ns, held_line, last_ns;
	bool is_sorted, has_held, has_last;
	int64_t period_ns; /* once sorted */
};

struct lode_counter_log {
	LODE_VEC(struct lode_counter_group) groups;
	struct lode_strings strings;
	struct lode_losses losses;
	uint64_t n_values;
	bool is_followed; /* groups are found again */
	int64_t newest_ns;
	int64_t floor_ns; /* rows before it are not taken */
	const char *path; /* where rows stand; borrowed */
	LODE_VEC(char *) skipped;
	size_t n_told; /* of them */
	int64_t line;
};

/* Sorts a group's rows by time. */
void lode_counter_group_sort(struct lode_counter_group *group);
/* The median distance of rows, of an even number the upper or the lower one; 0 with fewer than two.
 */
int64_t lode_counter_group_distance(struct lode_counter_group *group, bool is_upper);
/* The upper one, kept. */
int64_t lode_counter_group_period(struct lode_counter_group *group);
/* Counts a row whose time is wrong: "web.csv: line 7: a sample of ... UTC, WHAT". */
void lode_counter_log_wrong_time(struct lode_counter_log *log, enum lode_loss_kind kind,
				 int64_t t_ns, int64_t line, const char *what);
