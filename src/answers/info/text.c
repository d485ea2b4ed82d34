/* lode info for terminals. */
#include "answers/info/info.h"
#include "base/escape.h"
#include "base/duration.h"
#include "document/prose.h"
#include "document/table.h"
#include "document/units.h"

enum { label_columns = 11 };

/* "host       vm, kernel ...": a label, then what the caller prints. */
static void label(FILE *out, const char *text)
{
	fprintf(out, "%-*s", label_columns, text);
}

/* The same with a text of any length, whose further lines are indented by `indent`. */
static void put_labelled(FILE *out, const struct lode_text_page *page, const char *name,
			 const char *text, unsigned indent)
{
	size_t size = 4 * strlen(text) + 1;
	char *safe = lode_alloc(size);

	lode_prose(out, page, indent, "%-*s%s\n", label_columns, name,
		   lode_escape(safe, size, text));
	free(safe);
}

/* "2026-11-21 04:04:24.572" */
static void print_day(FILE *out, int64_t t_ns)
{
	char text[LODE_UTC_BYTES];

	fprintf(out, "%s.%03d", lode_utc_text(text, t_ns, LODE_UTC_SECONDS),
		(int)(t_ns / 1000000 % 1000));
}

static void print_origin(FILE *out, const struct lode_info_stream *s,
			 const struct lode_text_page *page)
{
	char text[2400], cost[LODE_UNITS_BUFFER], line[1400];

	fprintf(out, "%s\n", lode_escape(text, sizeof(text), s->path));
	label(out, "format");
	fprintf(out, "%s", s->format);
	if (strcmp(s->unit, "ns") == 0)
		fprintf(out, ", %s long (%.6f s to %.6f s)",
			lode_format_cost(cost, s->t1_ns - s->t0_ns, "ns"), (double)s->t0_ns / 1e9,
			(double)s->t1_ns / 1e9);
	fputc('\n', out);
	if (s->has_wall_clock) {
		label(out, "clock");
		print_day(out, s->t0_ns + s->wall_offset_ns);
		fputs(" to ", out);
		print_day(out, s->t1_ns + s->wall_offset_ns);
		fputs(" UTC\n", out);
	}
	if (s->host[0] || s->kernel[0]) {
		snprintf(line, sizeof(line), "%.300s, kernel %.300s %.100s, %u CPUs",
			 s->host[0] ? s->host : "unknown", s->kernel[0] ? s->kernel : "unknown",
			 s->arch, s->n_cpus);
		put_labelled(out, page, "host", line, label_columns);
	}
	if (s->command[0]) {
		const char *separator = strstr(s->command, " -- ");
		bool is_machine = !separator && s->quality.n_command_threads == 0;

		put_labelled(out, page, is_machine ? "recorder" : "command",
			     separator ? separator + 4 : s->command, label_columns);
		if (separator) {
			snprintf(line, sizeof(line), "%.*s",
				 (int)(separator - s->command < 1300 ? separator - s->command
								     : 1300),
				 s->command);
			put_labelled(out, page, "recorder", line, label_columns);
		}
	}
}

static void print_lacks(FILE *out, const struct lode_info_stream *s,
			const struct lode_text_page *page)
{
	for (size_t i = 0; i < s->n_lacks; i++)
		put_labelled(out, page, i == 0 ? "incomplete" : "", s->lacks[i], label_columns);
}

static void print_contents(FILE *out, const struct lode_info_stream *s)
{
	const struct lode_quality *q = &s->quality;
	char a[LODE_UNITS_BUFFER], b[LODE_UNITS_BUFFER], c[LODE_UNITS_BUFFER], d[LODE_UNITS_BUFFER];
	const char *unit = s->unit;

	label(out, "threads");
	fprintf(out, "%s", lode_format_count(a, q->n_threads));
	if (q->subject == LODE_SUBJECT_PROCESSES)
		fprintf(out, ", %s of processes that ran already (perf's --pid or --tid)",
			lode_format_count(b, q->n_command_threads));
	else if (s->command[0] && q->n_command_threads + (strstr(s->command, " -- ") != NULL) > 0)
		fprintf(out, ", %s of the recorded command",
			lode_format_count(b, q->n_command_threads));
	if (q->subject == LODE_SUBJECT_MACHINE)
		fputs(", which only waited: all threads count", out);
	fputc('\n', out);
	label(out, "cost");
	fprintf(out, "%s running, %s waiting, %s ready\n",
		lode_format_cost_long(a, q->machine.kind_ns[LODE_EVENT_RUNNING], unit),
		lode_format_cost(b, q->machine.kind_ns[LODE_EVENT_WAITING], unit),
		lode_format_cost(c, q->machine.kind_ns[LODE_EVENT_READY], unit));
	label(out, "samples");
	fprintf(out, "%s, %s in the model\n", lode_format_plural(a, s->n_samples, "record"),
		lode_format_plural(d, q->n_events, "event"));
}

/* More events without a record than this, as of each system call, are only counted. */
enum { most_empty = 10 };

static void print_events(FILE *out, const struct lode_info_stream *s,
			 const struct lode_text_page *page)
{
	static const struct lode_table_column columns[] = {
		{"event", false}, {"records", true}, {"taken", false}, {"stack", false}};
	struct lode_table *table;
	char n[LODE_UNITS_BUFFER];

	if (!s->n_events)
		return;
	table = lode_table_new(columns, 4, 2);
	for (size_t i = 0; i < s->n_events; i++) {
		const struct lode_event_count *e = &s->events[i];
		size_t row;

		/* perf's own helper, for mappings and names. */
		if (e->n == 0 &&
		    (s->n_empty_events > most_empty || strncmp(e->name, "dummy", 5) == 0))
			continue;
		row = lode_table_row(table);
		lode_table_set_text(table, row, 0, e->name, 48);
		lode_table_set_count(table, row, 1, e->n);
		if (e->frequency)
			lode_table_set(table, row, 2, "at %llu Hz%s",
				       (unsigned long long)e->frequency,
				       e->is_tracepoint ? ": most events missing" : "");
		else if (e->period == 1)
			lode_table_set(table, row, 2, "every event");
		else if (e->period)
			lode_table_set(table, row, 2, "every %sth",
				       lode_format_count(n, e->period));
		lode_table_set(table, row, 3, "%s", e->has_callchain ? "callchain" : "none");
	}
	fputc('\n', out);
	lode_table_end(table, out, page);
	if (s->n_empty_events > most_empty)
		fprintf(out, "  and %zu events that never occurred\n", s->n_empty_events);
}

/* ---- Losses and quality ---- */

static void print_losses(FILE *out, const struct lode_info_stream *s,
			 const struct lode_text_page *page)
{
	char n[LODE_UNITS_BUFFER], line[512];

	fputc('\n', out);
	for (size_t i = 0; i < s->n_loss_rows; i++) {
		const struct lode_loss_row *loss = &s->loss_rows[i];

		snprintf(line, sizeof(line), "%s %s%s%s", lode_format_count(n, loss->count),
			 loss->words, loss->detail[0] ? ", first: " : "", loss->detail);
		put_labelled(out, page, i ? "" : "losses", line, label_columns + 2);
	}
	if (!s->n_loss_rows)
		put_labelled(out, page, "losses", "none", label_columns);
}

/* A row for one flaw: its share of the command's cost, and of the machine's. */
static void add_part(struct lode_table *table, struct lode_part command, struct lode_part machine,
		     const char *what)
{
	char pct[LODE_UNITS_BUFFER];
	size_t row = lode_table_row(table);

	lode_table_set(table, row, 0, "%s",
		       command.whole_ns > 0 ? lode_format_pct(pct, lode_part_pct(command)) : "-");
	lode_table_set(table, row, 1, "%s",
		       machine.whole_ns > 0 ? lode_format_pct(pct, lode_part_pct(machine)) : "-");
	lode_table_set(table, row, 2, "%s", what);
}

static void print_quality(FILE *out, const struct lode_info_stream *s,
			  const struct lode_text_page *page)
{
	const struct lode_table_column columns[] = {
		{s->quality.subject == LODE_SUBJECT_PROCESSES ? "processes" : "command", true,
		 s->quality.has_command ? 0 : LODE_TABLE_WITHOUT},
		{"machine", true},
		{"share of the cost that", false}};
	const struct lode_flaws *c = &s->quality.command, *m = &s->quality.machine;
	struct lode_table *table = lode_table_new(columns, 3, 2);

	add_part(table, c->no_stack, m->no_stack, "has no callchain");
	add_part(table, c->unrooted, m->unrooted,
		 "has a stack that does not reach its thread's entry");
	add_part(table, c->skips_caller, m->skips_caller,
		 "lacks its innermost function's caller (no frame pointer)");
	add_part(table, c->truncated, m->truncated, "has a stack cut at the recorder's limit");
	add_part(table, c->kernel_only, m->kernel_only, "has kernel frames only, in a user thread");
	add_part(table, c->unknown, m->unknown, "has a frame without a symbol");
	add_part(table, c->no_waker, m->no_waker, "is waiting time without a recorded waker");
	add_part(table, c->inferred, m->inferred, "has an inferred end");
	add_part(table, c->unsampled, m->unsampled, "is running time without a CPU sample");
	fputc('\n', out);
	lode_table_end(table, out, page);
}

/* "PATH: what is in it" with the verdict first: the path is what may be cut. */
static void put_symbols(struct lode_table *table, size_t row, const char *symbols, size_t room)
{
	const char *colon = strstr(symbols, ": "), *slash = strchr(symbols, '/');
	char line[1200], text[2400];

	if (colon && slash && slash < colon)
		snprintf(line, sizeof(line), "%s: %.*s", colon + 2, (int)(colon - symbols),
			 symbols);
	else
		snprintf(line, sizeof(line), "%s", symbols);
	lode_table_set(table, row, 4, "%s", lode_escape_fit_names(text, sizeof(text), line, room));
}

static void print_modules(FILE *out, const struct lode_info_stream *s,
			  const struct lode_text_page *page)
{
	static const struct lode_table_column columns[] = {{"module", false},
							   {"cost", true},
							   {"unknown", true},
							   {"build-id", false},
							   {"symbols", false}};
	struct lode_table *table = lode_table_new(columns, 5, 2);
	char cost[LODE_UNITS_BUFFER];
	size_t room;

	for (size_t i = 0; i < s->n_worst; i++) {
		const struct lode_info_module *m = s->worst[i];
		size_t row = lode_table_row(table);

		lode_table_set_text(table, row, 0, m->name[0] ? m->name : "(not named)", 24);
		lode_table_set_cost(table, row, 1, m->cost_ns, s->unit);
		lode_table_set(table, row, 2, "%s", lode_format_pct(cost, m->unknown_pct));
		lode_table_set(table, row, 3, "%.12s", m->build_id);
	}
	room = lode_table_room(table, page->columns);
	for (size_t i = 0; i < s->n_worst; i++)
		put_symbols(table, i, s->worst[i]->symbols, room);
	if (s->n_worst) {
		fputc('\n', out);
		lode_table_print(table, out, page->has_color);
	}
	lode_table_free(table);
}

static void print_serves(FILE *out, const struct lode_info_stream *s,
			 const struct lode_text_page *page)
{
	enum { analysis_columns = 10 };

	fputc('\n', out);
	for (unsigned a = 0; a < LODE_N_ANALYSES; a++) {
		const struct lode_serves *serves = &s->quality.serves[a];

		lode_prose(out, page, label_columns + analysis_columns, "%-*s%-*s%s%s%s\n",
			   label_columns, a == 0 ? "serves" : "", analysis_columns,
			   lode_analysis_name((enum lode_analysis)a),
			   lode_service_name(serves->service), serves->reason[0] ? ": " : "",
			   serves->reason);
	}
}

static void print_advice(FILE *out, const struct lode_info_stream *s,
			 const struct lode_text_page *page)
{
	const struct lode_quality *q = &s->quality;

	fputs(q->advice.n ? "\n" : "", out);
	for (size_t i = 0; i < q->advice.n; i++)
		put_labelled(out, page, i == 0 ? "advice" : "", q->advice.at[i].text,
			     label_columns);
	if (q->record_line) {
		char text[2400];

		fprintf(out, "%*s%s\n", label_columns, "",
			lode_escape(text, sizeof(text), q->record_line));
	}
}

void lode_info_text(FILE *out, const struct lode_info_stream *stream,
		    const struct lode_text_page *page)
{
	lode_opening_put(out, &stream->opening, page);
	fputc('\n', out);
	print_origin(out, stream, page);
	print_lacks(out, stream, page);
	print_contents(out, stream);
	print_events(out, stream, page);
	print_losses(out, stream, page);
	print_quality(out, stream, page);
	print_modules(out, stream, page);
	print_serves(out, stream, page);
	print_advice(out, stream, page);
}
