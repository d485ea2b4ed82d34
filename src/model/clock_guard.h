/*
 * The clock of a recording, record by record in the order of the file: no record is silent for a
 * day, so one that is more than a day from the one before has a wrong time, or the clock was set.
 *
 *   read    100  101  [9e15]  102  103        a time that does not stay: it is that of the one
 * before becomes 100  101   101    102  103
 *
 *   read    100  101  9e15  9e15+1  9e15+2    a clock that leaps and stays: it goes on from before
 *   becomes 100  101   101   102     103
 *
 * So no wrong time stretches a wait or the recording, and all others keep their distances. A clock
 * that comes back is as it was.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define LODE_CLOCK_DAY_NS   ((int64_t)86400 * 1000000000)
#define LODE_CLOCK_PAUSE_NS (30 * LODE_CLOCK_DAY_NS)

/* `{ 0 }` before the first record. */
struct lode_clock_guard {
	bool has_now, has_stray;
	int64_t now_ns;	  /* of the last record, as it is told */
	int64_t shift_ns; /* what is added to what is read */
	int64_t stray_ns; /* a time that was read and did not fit */
};

static inline bool lode_clock_is_near(int64_t a_ns, int64_t b_ns)
{
	int64_t apart;

	return !__builtin_sub_overflow(a_ns, b_ns, &apart) && apart <= LODE_CLOCK_DAY_NS &&
	       apart >= -LODE_CLOCK_DAY_NS;
}

/*
 * Whether the time of an event is wrong, for inputs in which a silence of more than a day may be
 * real: it is far from `before`, and `next` is near that again; or it is first, and the next two
 * are near each other and far from it. A time that may come behind a pause (lode_clock_may_pause)
 * is wrong only if the next one goes back. NULL: there is no such event.
 */
bool lode_clock_is_stray(const int64_t *before_ns, int64_t t_ns, const int64_t *next_ns,
			 const int64_t *after_next_ns);
/* Whether nothing may have happened from `from_ns` to `to_ns`; no recording lasts longer. */
static inline bool lode_clock_may_pause(int64_t from_ns, int64_t to_ns)
{
	int64_t apart;

	return !__builtin_sub_overflow(to_ns, from_ns, &apart) && apart >= 0 &&
	       apart <= LODE_CLOCK_PAUSE_NS;
}

/* The time of the next record; *is_odd: it is not what was read, or the clock was set here. */
int64_t lode_clock_guard_next(struct lode_clock_guard *guard, int64_t read_ns, bool *is_odd);
