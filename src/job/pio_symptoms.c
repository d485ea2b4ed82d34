#include "job/pio_symptoms.h"

#include <inttypes.h>
#include <string.h>

#include "base/glob.h"

void lode_pio_symptoms_head(FILE *out)
{
	fputs("stream\ttid\tt0_ns\tt1_ns\tcomm\n", out);
}

/* A comm is anybody's text: nothing in it may end a field. */
static void put_comm(FILE *out, const char *comm)
{
	for (; *comm; comm++)
		fputc((unsigned char)*comm < ' ' ? '?' : *comm, out);
}

static bool is_wanted(const struct lode_thread *thread, const char *comm, const char *glob)
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

int64_t lode_pio_symptoms_write(FILE *out, const struct lode_stream *stream, const char *path,
				const struct lode_wall_span *periods, size_t n_periods,
				const struct lode_pio_symptoms_options *options,
				struct lode_error *err)
{
	int64_t offset = options->has_offset ? options->wall_offset_ns : stream->wall_offset_ns;
	int64_t n = 0;

	if (!options->has_offset && !stream->has_wall_clock)
		return lode_fail(err, LODE_ERR_UNSUPPORTED, path, -1,
				 "does not say which time of day its times are: record with 'perf "
				 "record -k CLOCK_MONOTONIC', or give --clock-offset (wall clock "
				 "minus the recording's, whose first time is %" PRId64 " ns)",
				 stream->t0_ns);
	if (strpbrk(path, "\t\n\r") || path[0] == '#')
		return lode_fail(err, LODE_ERR_ARG, path, -1,
				 "its name cannot stand in a table of symptoms");
	for (size_t p = 0; p < n_periods; p++) {
		int64_t from = later(periods[p].start_ns - offset, stream->t0_ns);
		int64_t to = earlier(periods[p].end_ns - offset, stream->t1_ns);

		for (size_t i = 0; i < stream->threads.n; i++) {
			const struct lode_thread *t = &stream->threads.at[i];
			const char *comm = stream->tree.strings.text.at[t->comm];
			int64_t t0 = later(from, t->born_ns), t1 = earlier(to, t->died_ns);

			if (t0 >= t1 || !is_wanted(t, comm, options->comm))
				continue;
			fprintf(out, "%s\t%d\t%" PRId64 "\t%" PRId64 "\t", path, (int)t->tid, t0,
				t1);
			put_comm(out, comm);
			fputc('\n', out);
			n++;
		}
	}
	return n;
}
