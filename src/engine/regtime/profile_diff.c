/* Compares the profiles of two traces. */
#include "engine/regtime/profile_diff.h"

#include "base/normal.h"
#include "base/sorted.h"
#include "model/call_cursor.h"
#include "model/call_spread.h"

void lode_profile_diff_release(struct lode_profile_diff *diff)
{
	lode_vec_release(&diff->rows);
}

/* ---- Durations ---- */

static int count_durations(struct lode_call_buckets *out, struct lode_call_trace *trace,
			   struct lode_error *err)
{
	struct lode_call_cursor cursor;
	int rc;

	lode_call_cursor_init(&cursor, trace, NULL);
	for (size_t i = 0; i < trace->threads.n && cursor.rc == LODE_OK; i++) {
		const struct lode_call_thread *thread = trace->threads.at[i];
		struct lode_call_run run;
		uint64_t at = 0;

		lode_call_cursor_move(&cursor, thread);
		while (lode_call_cursor_next(&run, &cursor, &at, thread->n_calls) > 0)
			for (size_t k = 0; k < run.n; k++)
				lode_call_buckets_add(out,
						      lode_call_function(thread, run.at[k].stack),
						      (uint64_t)run.at[k].duration_ns);
	}
	rc = cursor.rc;
	if (rc < 0 && err)
		*err = cursor.err;
	lode_call_cursor_release(&cursor);
	return rc;
}

/* Adds a function's calls to counts[LODE_SPREAD_BUCKETS]. */
static void add_counts(double *counts, const struct lode_call_buckets *buckets, uint32_t function)
{
	const struct lode_bucket_counts *of;

	if (function >= buckets->at.n)
		return;
	of = &buckets->at.at[function];
	for (size_t k = 0; of->counts && k < LODE_SPREAD_BUCKETS; k++)
		counts[k] += (double)of->counts[k];
	for (size_t i = 0; i < of->few.n; i++)
		counts[of->few.at[i]]++;
}

/* The test of ranks, with its correction for ties. */
static void test_ranks(struct lode_profile_change *change, const double *here, const double *there)
{
	double n = 0, m = 0, longer = 0, ties = 0, whole, spread, distance;

	for (size_t k = 0; k < LODE_SPREAD_BUCKETS; k++) {
		double equal = here[k] + there[k];

		longer += here[k] * (m + there[k] / 2);
		ties += equal * equal * equal - equal;
		n += here[k];
		m += there[k];
	}
	whole = n + m;
	change->longer = longer / (n * m);
	spread = sqrt(n * m / 12 * (whole + 1 - ties / (whole * (whole - 1))));
	distance = fabs(longer - n * m / 2) - 0.5;
	change->log_p = spread > 0 && distance > 0
				? fmin(0, log(2) + lode_log_normal_above(distance / spread))
				: 0;
}

/* ---- Functions of both ---- */

struct differ {
	struct lode_profile_diff *out;
	const struct lode_profile_side *here, *there;
	struct lode_call_buckets here_buckets, there_buckets;
};

static void compare_durations(struct differ *d, struct lode_profile_change *change)
{
	double *here, *there;

	change->longer = change->log_p = NAN;
	if (!change->here || !change->there || change->here->n_calls < LODE_PROFILE_TESTED ||
	    change->there->n_calls < LODE_PROFILE_TESTED)
		return;
	here = lode_alloc0(LODE_SPREAD_BUCKETS, sizeof(*here));
	there = lode_alloc0(LODE_SPREAD_BUCKETS, sizeof(*there));
	add_counts(here, &d->here_buckets, change->here->function);
	add_counts(there, &d->there_buckets, change->there->function);
	test_ranks(change, here, there);
	free(here);
	free(there);
}

static void add_change(struct differ *d, const struct lode_profile_row *here,
		       const struct lode_profile_row *there)
{
	struct lode_profile_change change = {.here = here, .there = there};

	change.self_ns = (int64_t)((here ? here->self_ns : 0) - (there ? there->self_ns : 0));
	compare_durations(d, &change);
	lode_vec_append(&d->out->rows, change);
}

static uint32_t row_name(struct lode_strings *names, const struct lode_profile_side *side,
			 const struct lode_profile_row *row)
{
	char name[4096];

	lode_frame_full_name(&side->trace->functions, row->function, name, sizeof(name));
	return lode_strings_intern(names, name, strlen(name));
}

static void match_functions(struct differ *d)
{
	struct lode_strings names = {0};
	struct lode_map row_of = {0}; /* name -> row there */
	bool *is_matched = lode_alloc0(d->there->profile->rows.n + 1, sizeof(*is_matched));

	for (size_t i = 0; i < d->there->profile->rows.n; i++)
		*lode_map_slot(&row_of, row_name(&names, d->there,
						 &d->there->profile->rows.at[i])) = (uint32_t)i;
	for (size_t i = 0; i < d->here->profile->rows.n; i++) {
		const struct lode_profile_row *row = &d->here->profile->rows.at[i];
		uint32_t other = lode_map_find(&row_of, row_name(&names, d->here, row));

		add_change(d, row, other == LODE_NONE ? NULL : &d->there->profile->rows.at[other]);
		if (other != LODE_NONE)
			is_matched[other] = true;
	}
	for (size_t i = 0; i < d->there->profile->rows.n; i++)
		if (!is_matched[i])
			add_change(d, NULL, &d->there->profile->rows.at[i]);
	free(is_matched);
	lode_map_release(&row_of);
	lode_strings_release(&names);
}

static const char *change_name(const struct differ *d, const struct lode_profile_change *change)
{
	const struct lode_profile_side *side = change->here ? d->here : d->there;

	return lode_frame_function(&side->trace->functions,
				   (change->here ? change->here : change->there)->function);
}

LODE_COMPARE_WITH(compare_changes, struct lode_profile_change, const struct differ *d,
		  LODE_ORDER(llabs(b->self_ns), llabs(a->self_ns))
			  ?: strcmp(change_name(d, a), change_name(d, b)))

int lode_profile_diff_make(struct lode_profile_diff *out, const struct lode_profile_side *here,
			   const struct lode_profile_side *there, struct lode_error *err)
{
	struct differ d = {.out = out, .here = here, .there = there};
	int rc;

	memset(out, 0, sizeof(*out));
	rc = count_durations(&d.here_buckets, here->trace, err);
	if (rc == LODE_OK)
		rc = count_durations(&d.there_buckets, there->trace, err);
	if (rc == LODE_OK)
		match_functions(&d);
	lode_sort_r(out->rows.at, out->rows.n, compare_changes, &d);
	lode_call_buckets_release(&d.here_buckets);
	lode_call_buckets_release(&d.there_buckets);
	return rc;
}
