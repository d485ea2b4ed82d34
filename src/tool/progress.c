/* One line of progress on stderr. */
#include "tool/progress.h"

#include <stdio.h>
#include <unistd.h>

#include "base/clock.h"
#include "document/units.h"

static const int64_t interval_ns = 100000000, first_ns = 400000000;

static bool is_shown(void)
{
	const char *term = getenv("TERM");

	return isatty(STDERR_FILENO) && (!term || strcmp(term, "dumb") != 0);
}

void lode_progress_start(struct lode_progress *progress)
{
	progress->is_shown = is_shown();
	progress->start_ns = lode_clock_ns(CLOCK_MONOTONIC);
	/* What is done at once needs no progress. */
	atomic_init(&progress->next_ns, progress->start_ns + first_ns);
}

/* True for one caller at a time, and not too often. */
static bool is_due(struct lode_progress *progress, int64_t now)
{
	long long next = atomic_load(&progress->next_ns);

	return progress->is_shown && now >= next &&
	       atomic_compare_exchange_strong(&progress->next_ns, &next, now + interval_ns);
}

void lode_progress_read(void *context, const struct lode_digest_progress *state)
{
	struct lode_progress *progress = context;
	char done[LODE_UNITS_BUFFER], rate[LODE_UNITS_BUFFER], left[64] = "";
	int64_t now = lode_clock_ns(CLOCK_MONOTONIC);
	double seconds = (double)(now - progress->start_ns) / 1e9;

	if (!is_due(progress, now))
		return;
	if (!state->total_bytes && !state->done_bytes) {
		fprintf(stderr, "\r\033[Kreading: %zu of %zu recordings", state->n_done,
			state->n_streams);
		return;
	}
	if (state->done_bytes > 0 && state->total_bytes > state->done_bytes)
		snprintf(left, sizeof(left), ", %.0f s left",
			 seconds * (double)(state->total_bytes - state->done_bytes) /
				 (double)state->done_bytes);
	fprintf(stderr, "\r\033[Kreading: %zu of %zu recordings, %s at %s/s%s", state->n_done,
		state->n_streams, lode_format_bytes(done, state->done_bytes),
		lode_format_bytes(rate, (int64_t)((double)state->done_bytes / seconds)), left);
}

void lode_progress_stage(void *context, const char *stage, double done)
{
	struct lode_progress *progress = context;

	if (!is_due(progress, lode_clock_ns(CLOCK_MONOTONIC)))
		return;
	fprintf(stderr, "\r\033[K%s: %.0f %%", stage, 100 * done);
}

void lode_progress_part(void *context, int64_t done, int64_t total)
{
	struct lode_progress *progress = context;
	int64_t now = lode_clock_ns(CLOCK_MONOTONIC);

	if (!is_due(progress, now))
		return;
	if (done > 0 && total >= done)
		fprintf(stderr, "\r\033[Kreading: %.0f %%, %.0f s left",
			100.0 * (double)done / (double)total,
			(double)(now - progress->start_ns) / 1e9 * (double)(total - done) /
				(double)done);
	else
		fputs("\r\033[Kreading", stderr);
}

void lode_progress_end(struct lode_progress *progress)
{
	/* Only what was printed must go. */
	if (progress->is_shown && atomic_load(&progress->next_ns) != progress->start_ns + first_ns)
		fprintf(stderr, "\r\033[K");
}

/* ---- Stopwatch ---- */

static void *tell_time(void *context)
{
	struct lode_stopwatch *watch = context;
	struct timespec next;

	clock_gettime(CLOCK_MONOTONIC, &next);
	pthread_mutex_lock(&watch->lock);
	while (!watch->is_ended) {
		int64_t took_ns;

		next.tv_sec++;
		while (!watch->is_ended &&
		       pthread_cond_timedwait(&watch->ended, &watch->lock, &next) == 0)
			;
		took_ns = lode_clock_ns(CLOCK_MONOTONIC) - watch->start_ns;
		if (!watch->is_ended)
			fprintf(stderr, "\r\033[K%s, %lld s", watch->what,
				(long long)(took_ns / 1000000000));
	}
	pthread_mutex_unlock(&watch->lock);
	return NULL;
}

void lode_stopwatch_start(struct lode_stopwatch *watch, const char *what)
{
	pthread_condattr_t monotonic;

	*watch = (struct lode_stopwatch){.what = what, .start_ns = lode_clock_ns(CLOCK_MONOTONIC)};
	if (!is_shown())
		return;
	pthread_mutex_init(&watch->lock, NULL);
	pthread_condattr_init(&monotonic);
	pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
	pthread_cond_init(&watch->ended, &monotonic);
	pthread_condattr_destroy(&monotonic);
	watch->is_shown = pthread_create(&watch->thread, NULL, tell_time, watch) == 0;
}

void lode_stopwatch_end(struct lode_stopwatch *watch)
{
	if (!watch->is_shown)
		return;
	pthread_mutex_lock(&watch->lock);
	watch->is_ended = true;
	pthread_cond_signal(&watch->ended);
	pthread_mutex_unlock(&watch->lock);
	pthread_join(watch->thread, NULL);
	pthread_cond_destroy(&watch->ended);
	pthread_mutex_destroy(&watch->lock);
	watch->is_shown = false;
	if (lode_clock_ns(CLOCK_MONOTONIC) - watch->start_ns >= 1000000000)
		fputs("\r\033[K", stderr);
}
