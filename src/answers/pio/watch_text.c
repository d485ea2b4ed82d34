/* News of a watch as a line for people. */
#include <inttypes.h>

#include "answers/pio/parts.h"
#include "answers/pio/watch.h"
#include "base/duration.h"
#include "base/escape.h"
#include "base/written.h"

enum { SHOWN_COUNTERS = 3, NEWS_NAME_COLUMNS = 40 };

static void print_bottlenecks(FILE *out, const struct lode_pio_found *p)
{
	char name[256];

	for (size_t i = 0; i < p->n_bottlenecks; i++)
		fprintf(out, "%s%s", i ? " and " : "  ",
			lode_escape_fit(name, sizeof(name), p->servers[i].server,
					NEWS_NAME_COLUMNS));
	if (!p->n_bottlenecks)
		fputs("  no server stands out", out);
}

static void print_first_counters(FILE *out, const struct lode_pio_found *p)
{
	char name[256], deviation[LODE_PIO_TIME_BYTES];

	for (size_t i = 0; i < p->n_counters_there && i < SHOWN_COUNTERS; i++) {
		const struct lode_pio_found_counter *c = &p->counters[i];

		fprintf(out, "%s %s%s", i ? "," : ":",
			lode_pio_counter_text(name, sizeof(name), c->server, c->counter,
					      NEWS_NAME_COLUMNS),
			lode_pio_deviation_text(deviation, c->deviation));
	}
}

static void print_news(FILE *out, const struct lode_pio_event *event)
{
	static const char *const what[] = {
		[LODE_PIO_STARTED] = "started",
		[LODE_PIO_ENDED] = "ended",
		[LODE_PIO_WITHDRAWN] = "withdrawn (users were not affected)",
		[LODE_PIO_UNEXPLAINED] = "slow, not explained by any counter,",
		[LODE_PIO_UNEXPLAINED_ENDED] = "ended",
	};
	const struct lode_pio_found *p = &event->found;
	char other[LODE_PIO_TIME_BYTES], length[LODE_DURATION_BYTES];

	fprintf(out, "%s  %s", p->start_utc, what[event->kind]);
	if (event->kind == LODE_PIO_STARTED || event->kind == LODE_PIO_UNEXPLAINED)
		fprintf(out, "%s detected %s", event->kind == LODE_PIO_STARTED ? "," : "",
			lode_pio_time_text(other, p->known_ns, true));
	else
		fprintf(out, " %s after %s", lode_pio_time_text(other, p->end_ns, true),
			lode_duration_text(p->duration_ns, length, sizeof(length)));
	if (!isnan(p->slow_pct))
		fprintf(out, "  %.0f %% of %" PRId64 " requests slow", p->slow_pct, p->n_requests);
	if (event->kind == LODE_PIO_UNEXPLAINED)
		return;
	if (event->kind == LODE_PIO_UNEXPLAINED_ENDED) {
		fputs("  not explained by any counter", out);
		return;
	}
	print_bottlenecks(out, p);
	print_first_counters(out, p);
}

void lode_pio_event_text(FILE *out, const struct lode_pio_event *event, size_t columns)
{
	char *text = NULL, *cut;
	size_t size = 0, room;
	FILE *line = lode_written_open(&text, &size);

	print_news(line, event);
	lode_written_close(line);
	if (columns && lode_escape_width(text) > columns) {
		/* Names are harmless already: cutting escapes nothing anew. */
		room = 4 * size + 1;
		cut = lode_alloc(room);
		fputs(lode_escape_fit(cut, room, text, columns), out);
		free(cut);
	} else {
		fputs(text, out);
	}
	fputc('\n', out);
	free(text);
}
