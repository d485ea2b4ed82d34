#include "reports/pio_news.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/duration.h"
#include "base/escape.h"
#include "base/mem.h"
#include "reports/pio_parts.h"

enum { SHOWN_COUNTERS = 3, NAME_COLUMNS = 40 };

const char *lode_pio_news_word(enum lode_pio_news_kind kind)
{
	static const char *const words[] = {"started", "ended", "withdrawn", "unexplained",
					    "unexplained_ended"};

	return words[kind];
}

static void put_servers(FILE *out, const struct lode_pio_news *news)
{
	const struct lode_pio_period *p = news->period;
	char name[256];

	for (uint32_t i = 0; i < p->n_at_fault; i++)
		fprintf(out, "%s%s", i ? " and " : "  ",
			lode_escape_fit(name, sizeof(name),
					lode_pio_server_name(news->analysis, p->servers.at[i].at),
					NAME_COLUMNS));
	if (!p->n_at_fault)
		fputs("  no server stands out", out);
}

static void put_counters(FILE *out, const struct lode_pio_news *news)
{
	const struct lode_pio_period *p = news->period;
	const struct lode_pio_analysis *a = news->analysis;

	for (size_t i = 0; i < p->counters.n && i < SHOWN_COUNTERS; i++) {
		const struct lode_pio_ranked *c = &p->counters.at[i];
		const struct lode_pio_counter *counter = &a->model->counters.at[c->at];
		char whole[1024], name[256];

		snprintf(whole, sizeof(whole), "%s%s%s", counter->server,
			 counter->server[0] ? "/" : "", counter->name);
		fprintf(out, "%s %s", i ? "," : ":",
			lode_escape_fit(name, sizeof(name), whole, NAME_COLUMNS));
		if (a->deviations && fabs(c->deviation) > 1)
			fprintf(out, " %s%.*f×", c->deviation > 0 ? "↑" : "↓",
				fabs(c->deviation) < 10, fabs(c->deviation));
	}
}

static bool is_unexplained(const struct lode_pio_news *news)
{
	return news->kind == LODE_PIO_UNEXPLAINED || news->kind == LODE_PIO_UNEXPLAINED_ENDED;
}

static void put_line(FILE *out, const struct lode_pio_news *news)
{
	static const char *const what[] = {
		[LODE_PIO_STARTED] = "started",
		[LODE_PIO_ENDED] = "ended",
		[LODE_PIO_WITHDRAWN] = "withdrawn (no server made users wait)",
		[LODE_PIO_UNEXPLAINED] = "slow, no counter says why,",
		[LODE_PIO_UNEXPLAINED_ENDED] = "ended",
	};
	const struct lode_pio_period *p = news->period;
	char start[LODE_PIO_TIME_BYTES], other[LODE_PIO_TIME_BYTES], length[LODE_DURATION_BYTES];

	fprintf(out, "%s  %s", lode_pio_time_text(start, news->start_ns, false), what[news->kind]);
	if (news->kind == LODE_PIO_STARTED || news->kind == LODE_PIO_UNEXPLAINED)
		fprintf(out, "%s known %s", news->kind == LODE_PIO_STARTED ? "," : "",
			lode_pio_time_text(other, news->known_ns, true));
	else
		fprintf(out, " %s after %s", lode_pio_time_text(other, news->end_ns, true),
			lode_duration_text(news->end_ns - news->start_ns, length, sizeof(length)));
	if (p->n)
		fprintf(out, "  %.0f %% of %llu requests slow",
			100.0 * (double)p->n_slow / (double)p->n, (unsigned long long)p->n);
	if (is_unexplained(news)) {
		fputs(news->kind == LODE_PIO_UNEXPLAINED ? "" : "  no counter says why", out);
		return;
	}
	put_servers(out, news);
	put_counters(out, news);
}

void lode_pio_news_text(FILE *out, const struct lode_pio_news *news, size_t columns)
{
	char *text = NULL, *cut;
	size_t size = 0, room;
	FILE *line = open_memstream(&text, &size);

	if (!line)
		lode_oom(0);
	put_line(line, news);
	if (fclose(line) != 0)
		lode_oom(0);
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

/* ---- JSON ---- */

void lode_pio_news_json(FILE *out, const struct lode_pio_news *news,
			const struct lode_request_names *names, size_t top)
{
	struct lode_json *json = lode_json_open_line(out, "lode/pio-watch/1");
	const struct lode_pio_period *p = news->period;
	char text[LODE_PIO_TIME_BYTES];

	lode_json_text(json, "event", lode_pio_news_word(news->kind));
	lode_json_int(json, "start", news->start_ns);
	lode_json_int(json, "end", news->end_ns);
	lode_json_int(json, "known", news->known_ns);
	lode_json_text(json, "start_utc", lode_pio_time_text(text, news->start_ns, false));
	lode_json_int(json, "duration_ns", news->end_ns - news->start_ns);
	lode_json_int(json, "intensity_max", p->intensity_max);
	if (news->analysis->deviations)
		lode_json_number(json, "evidence_max", p->evidence_max);
	if (news->analysis->has_log) {
		lode_json_int(json, "requests", (int64_t)p->n);
		lode_json_int(json, "slow", (int64_t)p->n_slow);
		lode_json_int(json, "client", (int64_t)p->n_client);
	}
	lode_pio_put_ranked(json, news->analysis, p, names, top);
	lode_json_close(json);
	fputc('\n', out);
}
