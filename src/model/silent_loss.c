/* Decides whether a recording lacks or repeats records that its recorder did not report. */
#include "model/silent_loss.h"

#include "base/duration.h"

/*
 * Of 110 sound recordings of 100 to 50,000 switches, whole machines with and without idle CPUs, at
 * most 0.8 % of the switches contradict and 3 % of the watched waits have no waking; of switches or
 * wakings of which every tenth was dropped, 10 % do.
 */
enum {
	LEAST = 30,		 /* records that must show it */
	LEAST_MISSING_PCT = 5,	 /* of the switches, or of the watched waits */
	LEAST_REPEATED_PCT = 20, /* of the samples and wakings: every one doubled is 50 */
	MOST_FOREIGN_PCT = 20,	 /* switches to threads that do not leave again */
	OUTLYING_GAP = 100,	 /* times the next longest one */
};
static const int64_t LEAST_GAP_NS = INT64_C(10000000000);

void lode_silent_switch(struct lode_silent *silent, lode_thread_id prev, lode_thread_id next)
{
	lode_thread_id most = 0;

	silent->has_idle |= prev == LODE_IDLE;
	silent->has_halves |= prev == LODE_NONE || next == LODE_NONE;
	if (prev < LODE_IDLE)
		most = prev + 1;
	if (next < LODE_IDLE && next >= most)
		most = next + 1;
	while (silent->threads.n < most)
		(void)lode_vec_append_zero(&silent->threads);
	if (prev < LODE_IDLE)
		silent->threads.at[prev].n_out++;
	if (next < LODE_IDLE)
		silent->threads.at[next].n_in++;
}

void lode_silent_gap(struct lode_silent *silent, int64_t start_ns, int64_t length_ns)
{
	size_t at = silent->n_gaps;

	if (at < LODE_SILENT_GAPS)
		silent->n_gaps++;
	else if (length_ns <= silent->gaps[--at].length_ns)
		return;
	for (; at > 0 && silent->gaps[at - 1].length_ns < length_ns; at--)
		silent->gaps[at] = silent->gaps[at - 1];
	silent->gaps[at] = (struct lode_silent_gap){start_ns, length_ns};
}

static bool is_share(uint64_t part, uint64_t whole, unsigned pct)
{
	return part >= LEAST && part * 100 >= whole * pct;
}

/* ---- Repeated records ---- */

static void judge_twins(struct lode_stream *stream, const struct lode_silent_twins *twins,
			const char *what)
{
	int64_t t_ns = twins->last.t_ns;

	if (!is_share(twins->n_repeated, twins->n, LEAST_REPEATED_PCT))
		return;
	lode_loss_add(&stream->losses, LODE_LOSS_REPEATED, twins->n_repeated, -1, t_ns,
		      "%llu of %llu %s repeat the one before: same time, CPU, thread and stack",
		      (unsigned long long)twins->n_repeated, (unsigned long long)twins->n, what);
	stream->losses.by_kind[LODE_LOSS_REPEATED].cost_ns += twins->repeated_ns;
}

/* Some recorders write a switch or two twice. */
static void judge_switch_twins(struct lode_stream *stream, const struct lode_silent_twins *twins)
{
	judge_twins(stream, twins, "switches");
	if (twins->n_repeated && !stream->losses.by_kind[LODE_LOSS_REPEATED].count)
		lode_loss_add(&stream->losses, LODE_LOSS_CONTRADICTION, twins->n_repeated, -1,
			      twins->last.t_ns, "a switch is recorded twice");
}

/* ---- Gaps ---- */

/* Gaps that are far longer than all others: how many of the longest. */
static size_t count_outlying(const struct lode_silent *s)
{
	size_t n = 0;

	for (size_t i = 0; i < s->n_gaps && s->gaps[i].length_ns >= LEAST_GAP_NS; i++) {
		int64_t next_ns = i + 1 < s->n_gaps ? s->gaps[i + 1].length_ns : LODE_SILENT_GAP_NS;

		if (s->gaps[i].length_ns / OUTLYING_GAP >= next_ns)
			n = i + 1;
	}
	return n;
}

static void judge_gaps(const struct lode_silent *s, struct lode_stream *stream, bool is_machine)
{
	size_t n = count_outlying(s);
	char length[LODE_DURATION_BYTES], start[LODE_DURATION_BYTES];

	if (!n)
		return;
	lode_loss_add(&stream->losses, is_machine ? LODE_LOSS_CLOCK_JUMP : LODE_LOSS_GAP, n, -1,
		      s->gaps[0].start_ns, "no record of any CPU for %s, %s after the first: %s",
		      lode_duration_text(s->gaps[0].length_ns, length, sizeof(length)),
		      lode_duration_text(s->gaps[0].start_ns - stream->t0_ns, start, sizeof(start)),
		      is_machine ? "the clock was set, or the machine was suspended"
				 : "a pause, or the clock was set");
}

/* ---- Missing records ---- */

/* Is it a recording of some threads, in which the others only come? */
static bool is_of_some_threads(const struct lode_silent *s)
{
	uint64_t n_in = 0, n_foreign = 0;

	for (size_t i = 0; i < s->threads.n; i++) {
		const struct lode_silent_thread *t = &s->threads.at[i];

		n_in += t->n_in;
		if (t->n_in > t->n_out + 1)
			n_foreign += t->n_in - t->n_out - 1;
	}
	return n_foreign * 100 >= n_in * MOST_FOREIGN_PCT;
}

static void judge_switches(const struct lode_silent *s, struct lode_stream *stream)
{
	const struct lode_loss *loss = &stream->losses.by_kind[LODE_LOSS_CONTRADICTION];
	uint64_t n = s->switches.n - s->switches.n_repeated;

	if (!is_share(loss->count, n, LEAST_MISSING_PCT))
		return;
	lode_loss_add(&stream->losses, LODE_LOSS_SILENT, loss->count, -1, loss->first_ns,
		      "%llu of %llu switches contradict the one before on their CPU, and no lost "
		      "events are reported: switches are missing",
		      (unsigned long long)loss->count, (unsigned long long)n);
	stream->losses.by_kind[LODE_LOSS_SILENT].cost_ns += loss->cost_ns;
}

static void judge_wakings(const struct lode_silent *s, struct lode_stream *stream)
{
	if (!stream->has_wakings || !is_share(s->n_unwoken, s->n_watched, LEAST_MISSING_PCT))
		return;
	lode_loss_add(&stream->losses, LODE_LOSS_SILENT, s->n_unwoken, -1, stream->t0_ns,
		      "%llu of %llu waits during which no CPU was idle ended without a waking, "
		      "and no lost events are reported: wakings are missing",
		      (unsigned long long)s->n_unwoken, (unsigned long long)s->n_watched);
	stream->losses.by_kind[LODE_LOSS_SILENT].cost_ns += s->unwoken_ns;
}

void lode_silent_judge(const struct lode_silent *silent, struct lode_stream *stream, size_t n_cpus)
{
	bool is_machine = stream->has_switches && !is_of_some_threads(silent);

	judge_switch_twins(stream, &silent->switches);
	judge_twins(stream, &silent->wakings, "wakings");
	judge_twins(stream, &silent->samples, "samples");
	judge_gaps(silent, stream, silent->has_idle || (is_machine && !silent->has_halves));
	if (!is_machine || stream->is_one_cpu)
		return;
	judge_switches(silent, stream);
	if (n_cpus >= stream->n_cpus)
		judge_wakings(silent, stream);
}

void lode_silent_release(struct lode_silent *silent)
{
	lode_vec_release(&silent->threads);
}
