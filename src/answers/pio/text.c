/* lode pio for terminals. */
#include <inttypes.h>

#include "answers/pio/parts.h"
#include "base/duration.h"
#include "base/escape.h"
#include "document/prose.h"
#include "answers/pio/watch.h"
#include "base/written.h"

enum { NAME_COLUMNS = 28, SHOWN_RULES = 2, SHOWN_NAMES = 3 };

/* ---- One period ---- */

static void print_servers(FILE *out, const struct lode_pio_found *p)
{
	char name[256], from[LODE_PIO_TIME_BYTES], to[LODE_PIO_TIME_BYTES];
	size_t n_then = 0;

	if (!p->n_servers)
		fputs("no server stands out", out);
	for (size_t i = 0; i < p->n_servers && n_then < 2; i++) {
		const struct lode_pio_found_server *s = &p->servers[i];

		lode_escape_fit(name, sizeof(name), s->server, 40);
		if (i >= p->n_bottlenecks) {
			fprintf(out, "%s%s %.0f %%", n_then++ ? ", " : "   (then ", name,
				s->share_pct);
			continue;
		}
		fprintf(out, "%s%s", i ? " and " : "", name);
		if (p->n_bottlenecks > 1)
			fprintf(out, " (%s to %s)", lode_pio_time_text(from, s->start_ns, true),
				lode_pio_time_text(to, s->end_ns, true));
	}
	fputs(n_then ? " of its evidence)" : "", out);
}

static void print_counters(FILE *out, const struct lode_pio_found *p, unsigned columns)
{
	char name[512], item[640], from[LODE_PIO_TIME_BYTES], deviation[LODE_PIO_TIME_BYTES];
	size_t column = 0;

	for (size_t i = 0; i < p->n_counters; i++) {
		const struct lode_pio_found_counter *c = &p->counters[i];
		size_t width;

		lode_pio_counter_text(name, sizeof(name), c->server, c->counter, 40);
		lode_pio_deviation_text(deviation, c->deviation);
		if (isnan(c->deviation))
			snprintf(item, sizeof(item), "%s %.1f", name, c->value);
		else if (*deviation)
			snprintf(item, sizeof(item), "%s%s%s%s", name, deviation,
				 c->is_late ? " from " : "",
				 c->is_late ? lode_pio_time_text(from, c->start_ns, true) : "");
		else
			snprintf(item, sizeof(item), "%s at times", name);
		width = lode_escape_width(item) + 2;
		if (i && column + width > columns) {
			fputc('\n', out);
			column = 0;
		}
		if (!column)
			column = (size_t)fprintf(out, "    ");
		fprintf(out, "%s%s", item, i + 1 < p->n_counters ? "  " : "");
		column += width;
	}
	if (p->n_counters)
		fputc('\n', out);
}

static void print_hits(FILE *out, const char *what, const struct lode_pio_found_hits *hits)
{
	size_t n_all = hits->n + hits->n_more;
	char name[256];

	if (!n_all)
		return;
	fprintf(out, "    %s affected:", what);
	for (size_t i = 0; i < n_all && i < LODE_PIO_FEW; i++) {
		lode_escape_fit(name, sizeof(name), hits->at[i].name, 24);
		fprintf(out, "%s %s %" PRIu64, i ? "," : "", name, hits->at[i].n_slow);
	}
	if (n_all > LODE_PIO_FEW)
		fprintf(out, " and %zu more", n_all - LODE_PIO_FEW);
	fputc('\n', out);
}

static void print_rules(FILE *out, const struct lode_pio_found *p, unsigned columns)
{
	for (size_t i = 0; i < p->n_rules_there && i < SHOWN_RULES; i++) {
		const char *text = p->rules[i].text;
		size_t size = 4 * strlen(text) + 1;
		char *cut = lode_alloc(size);

		/* The text is harmless already: cutting does not escape again. */
		fprintf(out, "    rule: %s\n",
			lode_escape_fit(cut, size, text, columns > 24 ? columns - 10 : 20));
		free(cut);
	}
}

static void print_period(FILE *out, const struct lode_pio_found *p,
			 const struct lode_text_page *page, bool is_full)
{
	struct lode_prose prose;
	FILE *words = lode_prose_open(&prose);
	char from[LODE_PIO_TIME_BYTES], to[LODE_PIO_TIME_BYTES], length[LODE_DURATION_BYTES];
	char name[256];

	fprintf(words, "  %s to %s  %s", lode_pio_time_text(from, p->start_ns, true),
		lode_pio_time_text(to, p->end_ns, true),
		lode_duration_text(p->duration_ns, length, sizeof(length)));
	if (!isnan(p->slow_pct))
		fprintf(words, "  %.0f %% of %" PRId64 " %s slow", p->slow_pct, p->n_requests,
			p->judged);
	else if (!p->n_requests)
		fputs("  no requests", words);
	if (!isnan(p->client_pct))
		fprintf(words, ", %.0f %% for the client alone", p->client_pct);
	fputs("   ", words);
	if (is_full)
		print_servers(words, p);
	else if (p->moved)
		fprintf(words, "most moved: %s, from %.4g to %.4g",
			lode_pio_counter_text(name, sizeof(name), p->moved->server,
					      p->moved->counter, 40),
			p->moved->before, p->moved->within);
	lode_prose_close(out, page, 4, &prose);
	if (!is_full)
		return;
	print_counters(out, p, page->columns);
	print_rules(out, p, page->columns);
	print_hits(out, "actions", &p->actions);
	print_hits(out, "users", &p->users);
}

static void print_short_list(FILE *out, const struct lode_pio_found_list *list,
			     const struct lode_text_page *page, const char *title)
{
	if (!list->n)
		return;
	fprintf(out, "\n%s\n", title);
	for (size_t i = 0; i < list->n_top; i++)
		print_period(out, &list->at[i], page, false);
	if (list->n_top < list->n)
		fprintf(out, "  and %zu more\n", list->n - list->n_top);
}

/* ---- The heat map ---- */

size_t lode_pio_text_map_columns(const struct lode_text_page *page)
{
	return page->columns > NAME_COLUMNS + 24 ? page->columns - NAME_COLUMNS - 4 : 20;
}

static const char *shade(double value)
{
	static const char *const shades[] = {" ", "░", "▒", "▓", "█"};

	if (!(value > 0))
		return shades[0];
	/* Square root: small values of short periods stay visible beside long ones. */
	return shades[1 + (size_t)fmin(3, 4 * sqrt(value) * 0.999)];
}

/* A line of marks: which columns hold a slow interval, or a period. */
static void print_marks(FILE *out, const char *what, const bool *is_marked, size_t n,
			const char *mark)
{
	fprintf(out, "  %-*s ", NAME_COLUMNS, what);
	for (size_t c = 0; c < n; c++)
		fputs(is_marked[c] ? mark : ".", out);
	fputc('\n', out);
}

static void print_heat_map(FILE *out, const struct lode_pio_answer *answer)
{
	const struct lode_pio_map *map = &answer->map;
	char name[512], from[LODE_PIO_TIME_BYTES], each[LODE_DURATION_BYTES];
	const char *server = NULL;

	if (!map->n_rows)
		return;
	fprintf(out, "\nrule coverage, from %s, %s per column\n",
		lode_pio_time_text(from, answer->start_ns, true),
		lode_duration_text(map->column_ns, each, sizeof(each)));
	print_marks(out, "slow periods", map->is_slow, map->n_columns, "=");
	if (answer->has_log)
		print_marks(out, "HIGH in the log", map->is_high, map->n_columns, "*");
	for (size_t i = 0; i < map->n_rows; i++) {
		const struct lode_pio_map_row *row = &map->rows[i];
		int pad;

		if (!server || strcmp(server, row->server) != 0)
			fprintf(out, "  %s\n",
				lode_escape_fit(name, sizeof(name),
						row->server[0] ? row->server : "(no server)", 60));
		server = row->server;
		lode_escape_fit(name, sizeof(name), row->counter, NAME_COLUMNS - 2);
		pad = NAME_COLUMNS - 2 - (int)lode_escape_width(name);
		fprintf(out, "    %s%*s ", name, pad > 0 ? pad : 0, "");
		for (size_t k = 0; k < map->n_columns; k++)
			fputs(shade(row->cells[k]), out);
		fputc('\n', out);
	}
}

/* ---- Advice ---- */

static void print_named(FILE *out, const char *one, const char *many,
			const struct lode_pio_named_list *list)
{
	char name[512];

	if (!list->n)
		return;
	fprintf(out, "  %zu %s:", list->n, list->n == 1 ? one : many);
	for (size_t i = 0; i < list->n && i < SHOWN_NAMES; i++)
		fprintf(out, "%s %s", i ? "," : "",
			lode_pio_counter_text(name, sizeof(name), list->at[i].server,
					      list->at[i].counter, 40));
	fputs(list->n > SHOWN_NAMES ? ", ...\n" : "\n", out);
}

static void print_comparison(FILE *out, const struct lode_pio_comparison *g)
{
	if (!g->n)
		return; /* no interval has a class: no requests, and no rules */
	fprintf(out,
		"\n"
		"Very slow (HIGH) intervals: %.1f %% of %" PRIu64 "%s (training: %.1f %%): ",
		g->high_pct, g->n, g->is_estimated ? " (by counters)" : "", g->expected_pct);
	if (isnan(g->z))
		fputs("too few to compare\n", out);
	else
		fprintf(out, "%s (z = %.1f)\n",
			g->z > 2    ? "worse than training"
			: g->z < -2 ? "better than training"
				    : "no significant change",
			g->z);
}

static void print_retraining(FILE *out, const struct lode_pio_retraining *r)
{
	if (!r->is_advised)
		return;
	fputs("retrain the model: counters or requests differ from training\n", out);
	print_named(out, "counter no longer has values", "counters no longer have values",
		    &r->vanished);
	print_named(out, "counter has a new level (ignored)", "counters have a new level (ignored)",
		    &r->shifted);
	if (r->appeared.n)
		fprintf(out, "  %zu %s new\n", r->appeared.n,
			r->appeared.n == 1 ? "counter is" : "counters are");
	if (r->n_unjudged)
		fprintf(out, "  %" PRIu64 " requests are of actions not seen in training\n",
			r->n_unjudged);
	if (r->is_class_drift)
		fputs("  the share of HIGH intervals differs greatly from training\n", out);
}

void lode_pio_text(FILE *out, const struct lode_pio_answer *answer,
		   const struct lode_text_page *page)
{
	const struct lode_pio_found_list *periods = &answer->periods;
	size_t n_slow = periods->n + answer->unexplained.n;
	char from[LODE_PIO_TIME_BYTES], length[LODE_DURATION_BYTES], step[LODE_DURATION_BYTES];
	char detail[4 * sizeof(((struct lode_loss *)0)->detail)];
	struct lode_prose prose;
	FILE *words;

	lode_opening_put(out, &answer->opening, page);
	fputc('\n', out);
	words = lode_prose_open(&prose);
	fprintf(words, "%zu %speriod%s %sin %s from %s, intervals of %s%s\n", n_slow,
		answer->training.has_log ? "slow " : "", n_slow == 1 ? "" : "s",
		answer->training.has_log ? "" : "out of range ",
		lode_duration_text(answer->length_ns, length, sizeof(length)),
		lode_pio_time_text(from, answer->start_ns, false),
		lode_duration_text(answer->step_ns, step, sizeof(step)),
		answer->has_log ? "" : ", estimated from counters alone");
	for (size_t i = 0; i < answer->n_losses; i++)
		fprintf(words, "not read: %s; first: %s\n", answer->losses[i].words,
			lode_escape(detail, sizeof(detail), answer->losses[i].detail));
	lode_prose_close(out, page, 2, &prose);
	for (size_t i = 0; i < periods->n_top; i++) {
		fputc('\n', out);
		print_period(out, &periods->at[i], page, true);
	}
	if (periods->n_top < periods->n)
		fprintf(out, "\n  and %zu more periods\n", periods->n - periods->n_top);
	print_short_list(out, &answer->unexplained, page,
			 "slow by the log, but not explained by the model");
	print_short_list(out, &answer->unfelt, page,
			 "counters out of range, but users were not affected");
	print_heat_map(out, answer);
	words = lode_prose_open(&prose);
	print_comparison(words, &answer->regression);
	print_retraining(words, &answer->retraining);
	lode_prose_close(out, page, 2, &prose);
}

/* ---- News of a watch as a line ---- */

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
		[LODE_PIO_UNEXPLAINED] = "slow, not explained by the model,",
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
		fprintf(out, "  %.0f %% of %" PRId64 " %s slow", p->slow_pct, p->n_requests,
			p->judged);
	if (event->kind == LODE_PIO_UNEXPLAINED)
		return;
	if (event->kind == LODE_PIO_UNEXPLAINED_ENDED) {
		fputs("  not explained by the model", out);
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
		/* Names are harmless already: cutting does not escape again. */
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
