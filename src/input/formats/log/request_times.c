/* Which requests' times are wrong, told by the ones beside them in the log. */
#include "input/formats/log/request_times.h"

#include <stdio.h>

#include "base/duration.h"

static const int64_t DAY_NS = (int64_t)86400 * 1000000000;

/* Times may be anything that fits. */
static uint64_t apart(int64_t a, int64_t b)
{
	return a < b ? (uint64_t)b - (uint64_t)a : (uint64_t)a - (uint64_t)b;
}

static bool is_near(int64_t a, int64_t b)
{
	return apart(a, b) <= (uint64_t)DAY_NS;
}

static int64_t day_of(int64_t t_ns)
{
	return t_ns / DAY_NS - (t_ns % DAY_NS < 0);
}

static void note_day(struct lode_request_times *times, int64_t t_ns)
{
	uint32_t at = lode_map_number(&times->days, (uint64_t)day_of(t_ns), times->at_days.n);
	struct lode_request_day *day;

	if (at == times->at_days.n) {
		lode_vec_append(&times->at_days, ((struct lode_request_day){t_ns, t_ns}));
		return;
	}
	day = &times->at_days.at[at];
	day->first_ns = t_ns < day->first_ns ? t_ns : day->first_ns;
	day->last_ns = t_ns > day->last_ns ? t_ns : day->last_ns;
}

static bool is_other(int64_t a, int64_t b)
{
	return a != b && is_near(a, b);
}

/* Did others come within a day of it? */
static bool has_company(const struct lode_request_times *times, int64_t t_ns)
{
	for (int64_t day = day_of(t_ns) - 1; day <= day_of(t_ns) + 1; day++) {
		uint32_t at = lode_map_find(&times->days, (uint64_t)day);

		if (at != LODE_NONE && (is_other(times->at_days.at[at].first_ns, t_ns) ||
					is_other(times->at_days.at[at].last_ns, t_ns)))
			return true;
	}
	return false;
}

static void count_wrong(struct lode_request_times *times, const struct lode_timed_request *stray)
{
	char place[LODE_LOSS_PLACE_BYTES], when[LODE_UTC_BYTES];

	lode_utc_text(when, stray->request.end_ns, LODE_UTC_SECONDS);
	lode_loss_add(times->sink->losses, LODE_LOSS_CLOCK_JUMP, 1, -1, stray->request.end_ns,
		      "%sa request of %s UTC, more than a day from its neighbours: dropped",
		      lode_loss_place(place, times->path, stray->line), when);
}

/* It seems wrong; with too many of that kind they are the log's way. */
static void drop_request_times(struct lode_request_times *times,
			       const struct lode_timed_request *held)
{
	if (times->strays.n < LODE_REQUEST_STRAYS) {
		lode_vec_append(&times->strays, *held);
		return;
	}
	for (size_t i = 0; i < times->strays.n; i++)
		lode_vec_append(&times->out, times->strays.at[i].request);
	times->strays.n = 0;
	lode_vec_append(&times->out, held->request);
}

static void judge_strays(struct lode_request_times *times)
{
	for (size_t i = 0; i < times->strays.n; i++)
		note_day(times, times->strays.at[i].request.end_ns);
	for (size_t i = 0; i < times->strays.n; i++) {
		const struct lode_timed_request *stray = &times->strays.at[i];

		if (has_company(times, stray->request.end_ns))
			lode_vec_append(&times->out, stray->request);
		else
			count_wrong(times, stray);
	}
	times->strays.n = 0;
}

static void pass_request_times(struct lode_request_times *times, const struct lode_request *request,
			       int64_t line)
{
	if (times->n_passed && !is_near(times->last_ns, request->end_ns) && times->leaps.n++ == 0) {
		times->leaps.line = line;
		times->leaps.from_ns = times->last_ns;
		times->leaps.to_ns = request->end_ns;
	}
	note_day(times, request->end_ns);
	lode_vec_append(&times->out, *request);
	times->before_ns = times->last_ns;
	times->last_ns = request->end_ns;
	times->n_passed++;
}

static void pass_held(struct lode_request_times *times)
{
	for (unsigned i = 0; i < times->n_held; i++)
		pass_request_times(times, &times->held[i].request, times->held[i].line);
	times->n_held = 0;
}

static void hold(struct lode_request_times *times, const struct lode_request *request, int64_t line)
{
	times->held[times->n_held++] = (struct lode_timed_request){*request, line};
}

/* The first ones of a log: which of them is right says the third. */
static void take_first(struct lode_request_times *times, const struct lode_request *request,
		       int64_t line)
{
	int64_t t = request->end_ns, first;

	if (!times->n_held) {
		hold(times, request, line);
		return;
	}
	first = times->held[0].request.end_ns;
	if (times->n_held == 1 && !is_near(first, t)) {
		hold(times, request, line);
		return;
	}
	if (times->n_held == 2 && is_near(times->held[1].request.end_ns, t)) {
		drop_request_times(times, &times->held[0]);
		times->held[0] = times->held[1];
		times->n_held = 1;
	} else if (times->n_held == 2 && is_near(first, t)) {
		drop_request_times(times, &times->held[1]);
		times->n_held = 1;
	}
	pass_held(times);
	if (is_near(times->last_ns, t))
		pass_request_times(times, request, line);
	else
		hold(times, request, line);
}

static void take_one(struct lode_request_times *times, const struct lode_request *request,
		     int64_t line)
{
	int64_t t = request->end_ns;

	if (!times->n_passed) {
		take_first(times, request, line);
		return;
	}
	if (times->n_held) {
		if (apart(t, times->last_ns) < apart(t, times->held[0].request.end_ns)) {
			drop_request_times(times, &times->held[0]);
			times->n_held = 0;
		}
		pass_held(times);
	}
	if (is_near(times->last_ns, t) || has_company(times, t))
		pass_request_times(times, request, line);
	else
		hold(times, request, line);
}

static int deliver(struct lode_request_times *times, struct lode_error *err)
{
	int rc = LODE_OK;

	if (times->out.n)
		rc = times->sink->requests(times->sink->context, times->out.at, times->out.n, err);
	times->out.n = 0;
	return rc;
}

/* The first and the last time of each of their days; they come in no order, but nearly so. */
static void note_days(struct lode_request_times *times, const struct lode_request *at, size_t n)
{
	int64_t low = at[0].end_ns, high = low;

	for (size_t i = 1; i < n; i++) {
		int64_t t = at[i].end_ns;

		if (day_of(t) == day_of(low)) {
			low = t < low ? t : low;
			high = t > high ? t : high;
			continue;
		}
		note_day(times, low);
		note_day(times, high);
		low = high = t;
	}
	note_day(times, low);
	note_day(times, high);
}

/* Nothing waits, and nothing leaps: so it is nearly always. */
static bool is_smooth(const struct lode_request_times *times, const struct lode_request *at,
		      size_t n)
{
	int64_t last = times->last_ns;

	if (times->n_held || times->n_passed < 2)
		return false;
	for (size_t i = 0; i < n; i++) {
		if (!is_near(last, at[i].end_ns))
			return false;
		last = at[i].end_ns;
	}
	return true;
}

int lode_request_times_take(struct lode_request_times *times, const struct lode_request *at,
			    const uint32_t *line, size_t n, int64_t first_line,
			    struct lode_error *err)
{
	if (n && is_smooth(times, at, n)) {
		times->before_ns = n > 1 ? at[n - 2].end_ns : times->last_ns;
		times->last_ns = at[n - 1].end_ns;
		times->n_passed += n;
		note_days(times, at, n);
		return times->sink->requests(times->sink->context, at, n, err);
	}
	for (size_t i = 0; i < n; i++)
		take_one(times, &at[i], first_line + line[i]);
	return deliver(times, err);
}

int lode_request_times_end(struct lode_request_times *times, struct lode_error *err)
{
	/* The last of a log that was dense is wrong; one of few requests is as good as the others.
	 */
	if (times->n_held && times->n_passed > 1 && is_near(times->last_ns, times->before_ns)) {
		drop_request_times(times, &times->held[0]);
		times->n_held = 0;
	}
	pass_held(times);
	judge_strays(times);
	return deliver(times, err);
}

void lode_request_times_release(struct lode_request_times *times)
{
	lode_vec_release(&times->out);
	lode_vec_release(&times->strays);
	lode_vec_release(&times->at_days);
	lode_map_release(&times->days);
}
