/* Which of a recording's times are none. */
#include "model/clock_guard.h"

static bool shifted(int64_t *out_ns, int64_t read_ns, int64_t shift_ns)
{
	return !__builtin_add_overflow(read_ns, shift_ns, out_ns);
}

int64_t lode_clock_guard_next(struct lode_clock_guard *guard, int64_t read_ns, bool *is_odd)
{
	int64_t t_ns = read_ns, shift_ns;

	*is_odd = false;
	if (!guard->has_now) {
		guard->has_now = true;
		return guard->now_ns = read_ns;
	}
	if (shifted(&t_ns, read_ns, guard->shift_ns) && lode_clock_is_near(t_ns, guard->now_ns)) {
		guard->has_stray = false;
		return guard->now_ns = t_ns;
	}
	*is_odd = true;
	if (lode_clock_is_near(read_ns, guard->now_ns)) { /* the clock is as it was */
		guard->shift_ns = 0;
		guard->has_stray = false;
		return guard->now_ns = read_ns;
	}
	if (guard->has_stray && lode_clock_is_near(read_ns, guard->stray_ns) &&
	    !__builtin_sub_overflow(guard->now_ns, guard->stray_ns, &shift_ns) &&
	    shifted(&t_ns, read_ns, shift_ns)) {
		*is_odd = false; /* that the clock leapt was told with the stray one */
		guard->has_stray = false;
		guard->shift_ns = shift_ns;
		return guard->now_ns = t_ns;
	}
	guard->has_stray = true;
	guard->stray_ns = read_ns;
	return guard->now_ns;
}

static uint64_t distance(int64_t a_ns, int64_t b_ns)
{
	return a_ns < b_ns ? (uint64_t)b_ns - (uint64_t)a_ns : (uint64_t)a_ns - (uint64_t)b_ns;
}

bool lode_clock_is_stray(const int64_t *before_ns, int64_t t_ns, const int64_t *next_ns,
			 const int64_t *after_next_ns)
{
	if (!before_ns)
		return next_ns && after_next_ns && !lode_clock_is_near(t_ns, *next_ns) &&
		       lode_clock_is_near(*next_ns, *after_next_ns) &&
		       !lode_clock_may_pause(t_ns, *next_ns);
	if (lode_clock_is_near(t_ns, *before_ns))
		return false;
	if (!next_ns)
		return !lode_clock_may_pause(*before_ns, t_ns);
	return distance(*next_ns, *before_ns) < distance(*next_ns, t_ns);
}
