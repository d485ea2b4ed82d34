/*
 * Slow periods as symptoms of recordings that overlap them: the bridge to `lode mine` and `lode
 * suspects`.
 *
 *   period, wall clock      |======|                  a row per thread that matches and lives then:
 *   recording, own clock  |----------------|          stream  tid  t0_ns  t1_ns  (symptom_table.h)
 *
 * perf.data tells how its clock and the wall clock go together when it was recorded with `-k`
 * (HEADER_CLOCK_DATA); otherwise the user says what to add. Nothing is guessed.
 */
#include <inttypes.h>

#include "answers/pio/parts.h"
#include "base/glob.h"
#include "input/source.h"

static bool is_symptom_thread(const struct lode_thread *thread, const char *comm, const char *glob)
{
	return thread->tid > 0 && (glob ? lode_glob_match(glob, comm) : !thread->is_kernel);
}

static int64_t later(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

static int64_t earlier(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

/* The threads that live in a part of the recording from `from` to `to`. */
static void add_symptoms(struct lode_pio_answer *answer, const struct lode_stream *stream,
			 const char *path, int64_t from, int64_t to, const char *glob)
{
	for (size_t i = 0; i < stream->threads.n; i++) {
		const struct lode_thread *t = &stream->threads.at[i];
		const char *comm = stream->tree.strings.text.at[t->comm];
		int64_t t0 = later(from, t->born_ns), t1 = earlier(to, t->died_ns);

		if (t0 < t1 && is_symptom_thread(t, comm, glob))
			lode_vec_append(&answer->symptoms,
					((struct lode_pio_symptom){
						path, lode_arena_strdup(&answer->arena, comm),
						t->tid, t0, t1}));
	}
}

/*
 * The rows of one recording, called `path` in them. LODE_ERR_UNSUPPORTED when nothing says what its
 * clock is, LODE_ERR_ARG when the path cannot stand in a table.
 */
static int find_symptoms(struct lode_pio_answer *answer, const struct lode_pio_analysis *analysis,
			 const struct lode_stream *stream, const char *path,
			 const struct lode_pio_bridge *bridge, struct lode_error *err)
{
	int64_t offset = bridge->has_offset ? bridge->wall_offset_ns : stream->wall_offset_ns;

	if (!bridge->has_offset && !stream->has_wall_clock)
		return lode_fail(err, LODE_ERR_UNSUPPORTED, path, -1,
				 "has no wall clock times: record with 'perf record -k "
				 "CLOCK_MONOTONIC', or give --clock-offset (wall clock minus the "
				 "recording's clock, whose first time is %" PRId64 " ns)",
				 stream->t0_ns);
	if (strpbrk(path, "\t\n\r") || path[0] == '#')
		return lode_fail(err, LODE_ERR_ARG, path, -1,
				 "its name cannot be written to a symptom table");
	for (size_t p = 0; p < analysis->periods.n; p++) {
		const struct lode_pio_period *period = &analysis->periods.at[p];
		int64_t from = lode_pio_time(analysis, period->first) - offset;
		int64_t to = lode_pio_time(analysis, period->last + 1) - offset;

		add_symptoms(answer, stream, path, later(from, stream->t0_ns),
			     earlier(to, stream->t1_ns), bridge->comm);
	}
	return LODE_OK;
}

void lode_pio_bridge_build(struct lode_pio_answer *answer, const struct lode_pio_analysis *analysis,
			   const struct lode_pio_bridge *bridge)
{
	struct lode_symbol_options symbols = {0};
	struct lode_source_options source = {.narrow = lode_narrow_none};
	struct lode_error err;

	if (lode_symboliser_new(&source.symboliser, &symbols, &err) < 0) {
		lode_pio_note_error(&answer->notes, LODE_PIO_FAILED, &err);
		return;
	}
	for (size_t i = 0; i < bridge->n_streams; i++) {
		const char *path = bridge->streams[i];
		struct lode_stream *stream;
		int rc = lode_stream_load(&stream, path, &source, &err);

		if (rc >= 0)
			rc = find_symptoms(answer, analysis, stream, path, bridge, &err);
		if (rc < 0)
			lode_pio_note_error(&answer->notes, LODE_PIO_LOST, &err);
		lode_stream_free(stream);
	}
	answer->has_symptoms = true;
	lode_symboliser_free(source.symboliser);
}

/* ---- As a table ---- */

/* A comm is any program's text: nothing in it may end a field. */
static void put_comm(FILE *out, const char *comm)
{
	for (; *comm; comm++)
		fputc((unsigned char)*comm < ' ' ? '?' : *comm, out);
}

void lode_pio_symptoms_put(FILE *out, const struct lode_pio_answer *answer)
{
	fputs("stream\ttid\tt0_ns\tt1_ns\tcomm\n", out);
	for (size_t i = 0; i < answer->symptoms.n; i++) {
		const struct lode_pio_symptom *s = &answer->symptoms.at[i];

		fprintf(out, "%s\t%d\t%" PRId64 "\t%" PRId64 "\t", s->stream, (int)s->tid, s->t0_ns,
			s->t1_ns);
		put_comm(out, s->comm);
		fputc('\n', out);
	}
}
