/* Reads calls from CSV. */
#include <strings.h>

#include "base/decimal.h"
#include "base/delimited.h"
#include "base/duration.h"
#include "base/escape.h"
#include "base/lines.h"
#include "base/written_number.h"
#include "input/call_batch.h"
#include "input/formats/calltext/call_line.h"
#include "input/call_source.h"

/*
 * One event per line: tid, enter or exit, function, time in ns. A heading may give the columns
 * another order, and a file more of them.
 */

enum column { TID, KIND, FUNCTION, TIME, N_COLUMNS };
enum { FIELDS_MAX = 32 };

struct layout {
	char separator;
	enum lode_comma comma; /* in times */
	bool has_heading;
	size_t at[N_COLUMNS]; /* index of the field */
	size_t n_needed;      /* fields that a line must have */
};

struct reader {
	struct layout layout;
	struct lode_call_sink *sink;
	struct lode_call_names names;
	struct lode_strings thread_names; /* threads that are no numbers */
	struct lode_map threads;	  /* tid, or 2^32 + its name's string id -> the sink's */
	struct lode_call_batches batches;
	uint64_t n_events;
};

/* Gives how many there are; 0: more than FIELDS_MAX, or quotes that do not fit. */
static size_t split(struct lode_slice *fields, char *line, size_t len, char separator)
{
	struct lode_cells cells = lode_cells(line, len, separator);
	size_t n = 0;

	while (n < FIELDS_MAX && lode_cells_next(&cells, &fields[n])) {
		fields[n] = lode_slice_trim(fields[n]);
		n++;
	}
	return cells.at || cells.is_odd ? 0 : n;
}

static bool is_word_csv_calls(const struct lode_slice *field, const char *const *words)
{
	for (; *words; words++)
		if (field->len == strlen(*words) && !strncasecmp(field->at, *words, field->len))
			return true;
	return false;
}

static bool parse_heading(struct layout *layout, const struct lode_slice *fields, size_t n)
{
	static const char *const words[N_COLUMNS][8] = {
		[TID] = {"tid", "thread", "thread_id"},
		[KIND] = {"event", "kind", "type", "direction", "enter/exit", "what"},
		[FUNCTION] = {"function", "name", "func", "symbol"},
		[TIME] = {"ns", "t_ns", "time_ns", "time", "timestamp", "t", "timestamp_ns"},
	};
	unsigned found = 0;

	for (size_t i = 0; i < n; i++)
		for (unsigned column = 0; column < N_COLUMNS; column++)
			if (!(found & 1u << column) &&
			    is_word_csv_calls(&fields[i], words[column])) {
				found |= 1u << column;
				layout->at[column] = i;
				if (i >= layout->n_needed)
					layout->n_needed = i + 1;
			}
	layout->has_heading = found == (1u << N_COLUMNS) - 1;
	return layout->has_heading;
}

struct row {
	struct lode_slice thread, time;
	struct lode_call_line call;
};

/* Whole nanoseconds, or a number with its unit. NULL, or what is wrong, as words behind "a time
   that". */
static const char *parse_time_csv_calls(int64_t *out_ns, const struct lode_slice *cell,
					enum lode_comma comma)
{
	char plain[LODE_WRITTEN_BYTES];
	const char *fault;

	if (lode_int_parse(out_ns, cell->at, cell->len))
		return NULL;
	fault = lode_written_plain(plain, cell->at, cell->len, comma);
	if (fault || lode_int_parse(out_ns, plain, strlen(plain)) ||
	    (!lode_is_digit(plain[strlen(plain) - 1]) && lode_duration_parse(out_ns, plain)))
		return fault;
	return "is not in whole nanoseconds, or needs a unit (ns, us, ms, s, min or h)";
}

static const char not_a_row[] = "not \"tid, enter|exit, function, ns\"";

/* NULL, or what is wrong: not_a_row, or the fault of its time, which is `row->time`. */
static const char *parse_row(struct row *row, const struct layout *layout, char *line, size_t len)
{
	struct lode_slice fields[FIELDS_MAX];
	size_t n = split(fields, line, len, layout->separator);
	const struct lode_slice *kind = &fields[layout->at[KIND]],
				*function = &fields[layout->at[FUNCTION]];

	if (n < layout->n_needed)
		return not_a_row;
	row->thread = fields[layout->at[TID]];
	row->call.function = function->at;
	row->call.function_len = function->len;
	row->time = fields[layout->at[TIME]];
	if (!row->thread.len || !lode_call_parse_kind(&row->call.kind, kind->at, kind->len))
		return not_a_row;
	if (function->len == 0 && row->call.kind == LODE_CALL_EXIT)
		row->call.kind = LODE_CALL_EXIT_ANY;
	if (function->len == 0 && row->call.kind != LODE_CALL_EXIT_ANY)
		return not_a_row;
	return parse_time_csv_calls(&row->call.t_ns, &row->time, layout->comma);
}

/* What commas in the times of these lines mean. Changes them; the last may be cut. */
static enum lode_comma comma_of_lines(const struct layout *layout, char *text, size_t size)
{
	struct lode_comma_sight sight = {0};
	char *end = text + size, *feed;

	for (char *line = text; line < end; line = feed + 1) {
		struct lode_slice fields[FIELDS_MAX];
		size_t n;

		feed = memchr(line, '\n', (size_t)(end - line));
		if (!feed && line != text)
			break;
		feed = feed ? feed : end;
		n = split(fields, line, (size_t)(feed - line), layout->separator);
		if (n >= layout->n_needed)
			lode_comma_look(&sight, fields[layout->at[TIME]].at,
					fields[layout->at[TIME]].len);
	}
	return lode_comma_decide(&sight, layout->separator);
}

/* Is the first line a heading or an event? Changes the line. */
static bool parse_first(struct layout *layout, char *line, size_t len)
{
	static const char separators[] = {',', '\t', ';'};
	char *copy = lode_alloc(len + 1);
	bool ok = false;

	for (size_t i = 0; i < sizeof(separators) && !ok; i++) {
		struct lode_slice fields[FIELDS_MAX];
		struct row row;
		size_t n;

		*layout = (struct layout){.separator = separators[i]};
		memcpy(copy, line, len);
		n = split(fields, copy, len, separators[i]);
		ok = n >= N_COLUMNS && parse_heading(layout, fields, n);
		if (!ok) {
			*layout = (struct layout){.separator = separators[i],
						  .at = {TID, KIND, FUNCTION, TIME},
						  .n_needed = N_COLUMNS};
			memcpy(copy, line, len);
			layout->comma = comma_of_lines(layout, copy, len);
			memcpy(copy, line, len);
			ok = !parse_row(&row, layout, copy, len);
		}
	}
	free(copy);
	return ok;
}

/* Nothing, a comment, or "sep=;". */
static bool is_no_row(const char *line, size_t len)
{
	return len == 0 || *line == '#' || lode_cells_stated_delimiter(line, len);
}

static bool recognise_csv_calls(const uint8_t *head, size_t size)
{
	const char *at = (const char *)head, *end = at + size;

	while (at < end) {
		const char *stop = memchr(at, '\n', (size_t)(end - at));
		size_t len = (size_t)((stop ? stop : end) - at);
		struct layout layout;
		char line[1024];

		if (len && at[len - 1] == '\r')
			len--;
		if (!is_no_row(at, len)) {
			if (len > sizeof(line))
				return false;
			memcpy(line, at, len);
			return parse_first(&layout, line, len);
		}
		if (!stop)
			return false;
		at = stop + 1;
	}
	return false;
}

static uint32_t thread_of(struct reader *reader, const struct lode_slice *field)
{
	struct lode_call_sink *sink = reader->sink;
	int64_t number;
	const char *name = NULL;
	uint32_t *slot;

	if (lode_int_parse(&number, field->at, field->len) && number >= 0 && number <= INT32_MAX) {
		slot = lode_map_slot(&reader->threads, (uint64_t)number);
	} else { /* a name: it gets a number of its own, which no kernel gives */
		uint32_t id = lode_strings_intern(&reader->thread_names, field->at, field->len);

		slot = lode_map_slot(&reader->threads, ((uint64_t)1 << 32) + id);
		name = reader->thread_names.text.at[id];
		number = -1 - (int64_t)id;
	}
	if (*slot == LODE_NONE)
		*slot = sink->thread(sink->context, 0, (int32_t)number, name);
	return *slot;
}

static int take_row(struct reader *reader, const struct row *row, struct lode_error *err)
{
	uint32_t function = 0;

	if (row->call.kind != LODE_CALL_EXIT_ANY)
		function = lode_call_names_id(&reader->names, reader->sink, NULL,
					      row->call.function, row->call.function_len);
	reader->n_events++;
	return lode_call_batches_add(&reader->batches, thread_of(reader, &row->thread),
				     row->call.t_ns, row->call.kind, function, err);
}

static void count_bad(struct lode_losses *losses, const struct lode_lines *lines,
		      const struct row *row, const char *fault)
{
	char shown[200];

	if (fault == not_a_row)
		lode_loss_add(losses, LODE_LOSS_BAD_RECORD, 1, lines->offset, 0, "line %lld: %s",
			      (long long)lines->number, fault);
	else
		lode_loss_add(losses, LODE_LOSS_BAD_RECORD, 1, lines->offset, 0,
			      "line %lld: a time that %s: '%s'", (long long)lines->number, fault,
			      lode_escape_n(shown, sizeof(shown), row->time.at,
					    row->time.len > 40 ? 40 : row->time.len));
}

static int read_lines_csv_calls(struct reader *reader, struct lode_input *input,
				const struct lode_call_options *options, struct lode_error *err)
{
	struct lode_losses *losses = reader->sink->losses;
	struct lode_error fault;
	struct lode_lines lines;
	bool is_first = true;
	int rc = LODE_OK, more = 0;
	char head[LODE_PEEK_BYTES], *line;
	ssize_t n = lode_input_peek_all(input, head, sizeof(head), err);
	size_t len;

	if (n < 0)
		return (int)n;
	lode_lines_init(&lines, input);
	while (rc == LODE_OK && (more = lode_lines_next(&lines, &line, &len, &fault)) > 0) {
		const char *bad;
		struct row row;

		if (is_no_row(line, len))
			continue;
		if (is_first) {
			is_first = false;
			(void)parse_first(&reader->layout, line, len);
			reader->layout.comma = comma_of_lines(&reader->layout, head, (size_t)n);
			if (reader->layout.has_heading)
				continue;
		}
		bad = parse_row(&row, &reader->layout, line, len);
		if (!bad)
			rc = take_row(reader, &row, err);
		else
			count_bad(losses, &lines, &row, bad);
		if (options->progress && lines.number % 65536 == 0)
			options->progress(options->progress_context,
					  lode_input_consumed_bytes(input),
					  lode_input_size_bytes(input));
	}
	if (more < 0)
		lode_loss_add(losses, LODE_LOSS_TRUNCATED, 1, lines.next_offset, 0, "%s",
			      fault.message);
	lode_lines_release(&lines);
	return rc < 0 ? rc : lode_call_batches_flush(&reader->batches, err);
}

static int read_csv(struct lode_input *input, const struct lode_call_options *options,
		    struct lode_call_sink *sink, struct lode_error *err)
{
	static const struct lode_calls_about about = {.format = "CSV of calls"};
	struct reader reader = {.sink = sink, .batches.sink = sink};
	int rc;

	if (sink->about)
		sink->about(sink->context, &about);
	rc = read_lines_csv_calls(&reader, input, options, err);
	if (rc == LODE_OK && reader.n_events == 0)
		rc = lode_fail(err, LODE_ERR_FORMAT, lode_input_path(input), -1,
			       "no line is \"tid, enter|exit, function, ns\"");
	lode_call_names_release(&reader.names);
	lode_strings_release(&reader.thread_names);
	lode_map_release(&reader.threads);
	lode_call_batches_release(&reader.batches);
	return rc;
}

const struct lode_format lode_format_csv_calls = {
	.name = "CSV of calls",
	.words = "CSV \"tid,enter|exit,function,ns\"",
	.recognise = recognise_csv_calls,
	.read_calls = read_csv,
};
