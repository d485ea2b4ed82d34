#include "cli/pio_bridge.h"

#include <stdio.h>

#include "base/duration.h"
#include "cli/messages.h"
#include "job/pio_symptoms.h"
#include "sources/source.h"
#include "store/atomic_file.h"

static bool parse_offset(int64_t *out, const char *text)
{
	bool is_negative = *text == '-';

	if (!lode_duration_parse(out, text + is_negative))
		return false;
	*out = is_negative ? -*out : *out;
	return true;
}

int pio_bridge_check(const struct lode_command *self, const struct pio_bridge *b)
{
	int64_t offset;

	if (b->clock_offset && !parse_offset(&offset, b->clock_offset))
		return lode_command_misused(self, "--clock-offset: '%.60s' is no time",
					    b->clock_offset);
	if (b->path && !b->streams.n)
		return lode_command_misused(self, "--symptoms-out needs recordings: --stream FILE");
	if (!b->path && (b->streams.n || b->comm || b->clock_offset))
		return lode_command_misused(self, "say where symptoms go: --symptoms-out FILE");
	return LODE_EXIT_OK;
}

/* The rows of one recording; < 0: failed. */
static int64_t write_stream(FILE *out, const char *path, const struct lode_source_options *source,
			    const struct lode_wall_span *periods, size_t n_periods,
			    const struct lode_pio_symptoms_options *o, struct lode_error *err)
{
	struct lode_stream *stream;
	int64_t n = lode_stream_load(&stream, path, source, err);

	if (n >= 0)
		n = lode_pio_symptoms_write(out, stream, path, periods, n_periods, o, err);
	lode_stream_free(stream);
	return n;
}

int pio_bridge_write(const struct lode_command *self, const struct pio_bridge *b,
		     const struct lode_pio_analysis *a)
{
	struct lode_pio_symptoms_options o = {.comm = b->comm, .has_offset = b->clock_offset};
	struct lode_symbol_options symbols = {0};
	struct lode_source_options source = {.narrow = lode_narrow_none};
	struct lode_wall_span *periods;
	int code = LODE_EXIT_OK;
	struct lode_error err;
	char *text = NULL;
	size_t size = 0;
	int64_t n_rows = 0;
	FILE *out;

	if (!b->path)
		return LODE_EXIT_OK;
	if (b->clock_offset)
		parse_offset(&o.wall_offset_ns, b->clock_offset);
	if (lode_symboliser_new(&source.symboliser, &symbols, &err) < 0)
		return lode_say_error(self, &err);
	out = open_memstream(&text, &size);
	if (!out)
		lode_oom(0);
	periods = lode_alloc0(a->periods.n + 1, sizeof(*periods));
	for (size_t i = 0; i < a->periods.n; i++)
		periods[i] = (struct lode_wall_span){lode_pio_time(a, a->periods.at[i].first),
						     lode_pio_time(a, a->periods.at[i].last + 1)};
	lode_pio_symptoms_head(out);
	for (size_t i = 0; i < b->streams.n; i++) {
		int64_t n = write_stream(out, b->streams.at[i], &source, periods, a->periods.n, &o,
					 &err);

		if (n < 0) {
			lode_say_error(self, &err);
			code = LODE_EXIT_INCOMPLETE;
		}
		n_rows += n > 0 ? n : 0;
	}
	if (fclose(out) != 0)
		lode_oom(0);
	if (lode_atomic_write(b->path, text, size, &err) < 0)
		code = lode_say_error(self, &err);
	else if (!n_rows)
		lode_say(self, "no slow period overlaps a thread of the recordings: no symptoms");
	free(text);
	free(periods);
	lode_symboliser_free(source.symboliser);
	return code;
}
