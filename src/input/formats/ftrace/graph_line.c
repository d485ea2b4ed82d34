/* Parses one line of function_graph text. */
#include "input/formats/ftrace/graph_line.h"

#include "base/decimal.h"

static struct lode_slice trim(const char *at, const char *end)
{
	return lode_slice_trim(lode_slice_between(at, end));
}

/* "bash-123", "kworker/0:1-45", "<...>-9": the number behind the last dash. */
static bool parse_task(struct lode_graph_task *task, struct lode_slice text)
{
	const char *end = text.at + text.len, *at = end;

	while (at > text.at && lode_is_digit(at[-1]))
		at--;
	if (at == end || at - text.at < 2 || at[-1] != '-' ||
	    !lode_int32_parse(&task->tid, at, (size_t)(end - at)))
		return false;
	task->comm = trim(text.at, at - 1);
	return task->comm.len > 0;
}

/* "1234.567890": seconds with six digits behind the point, or nine. */
static bool parse_time_graph_line(struct lode_graph_line *out, struct lode_slice text)
{
	const char *point = memchr(text.at, '.', text.len);

	if (!point || point == text.at || text.at + text.len - point < 4)
		return false;
	for (size_t i = 0; i < text.len; i++)
		if (!lode_is_digit(text.at[i]) && text.at + i != point)
			return false;
	out->has_time = lode_decimal_parse(&out->t_ns, text.at, text.len, 9);
	return out->has_time;
}

/* "0.123 us", "+ 12.345 us", "$ 1234567 us": a mark of how long it is may stand before. */
static bool parse_duration(struct lode_graph_line *out, struct lode_slice text)
{
	const char *end = text.at + text.len;

	if (text.len < 4 || memcmp(end - 3, " us", 3) != 0)
		return false;
	if (memchr("+!#*@$", *text.at, 6))
		text = trim(text.at + 1, end);
	end -= 3;
	text = trim(text.at, end);
	out->has_duration = lode_decimal_parse(&out->duration_ns, text.at, text.len, 3) &&
			    out->duration_ns >= 0;
	return out->has_duration;
}

/* "read_page", "read_page+0x10/0x40", "ext4_getattr [ext4]": what stands before the bracket. */
static void set_function(struct lode_graph_line *out, struct lode_slice name)
{
	const char *bracket = memchr(name.at, '[', name.len), *plus;

	if (bracket && name.at[name.len - 1] == ']') {
		out->module = trim(bracket + 1, name.at + name.len - 1);
		name = trim(name.at, bracket);
	}
	plus = lode_slice_find(name, "+0x");
	if (plus)
		name.len = (size_t)(plus - name.at);
	out->function = name;
}

/* The comment of a closing brace may name its function: read_page, read_page [ext4], read_page =
   0x0, read_page ret=0x0; or only tell what it gave: "= 0x0", "ret=0x0". */
static void parse_exit(struct lode_graph_line *out, struct lode_slice text)
{
	const char *at = lode_slice_find(text, "/*"), *end, *mark;
	struct lode_slice comment;

	out->kind = LODE_GRAPH_EXIT;
	if (!at)
		return;
	comment = (struct lode_slice){at + 2, text.len - (size_t)(at + 2 - text.at)};
	end = lode_slice_find(comment, "*/");
	comment = trim(comment.at, end ? end : text.at + text.len);
	mark = lode_slice_find(comment, "= ");
	if (!mark)
		mark = lode_slice_find(comment, "ret=");
	if (mark)
		comment = trim(comment.at, mark);
	if (comment.len)
		set_function(out, comment);
}

static void parse_function(struct lode_graph_line *out, struct lode_slice text)
{
	const char *bracket;

	out->kind = LODE_GRAPH_BAD;
	if (!text.len || !strncmp(text.at, "/*", 2)) {
		out->kind = LODE_GRAPH_NOTHING;
		return;
	}
	if (*text.at == '}') {
		parse_exit(out, text);
		return;
	}
	bracket = memchr(text.at, '(', text.len);
	if (!bracket || bracket == text.at)
		return;
	set_function(out, trim(text.at, bracket));
	text = (struct lode_slice){bracket, text.len - (size_t)(bracket - text.at)};
	if (lode_slice_find(text, ") {"))
		out->kind = LODE_GRAPH_ENTER;
	else if (lode_slice_find(text, ");"))
		out->kind = LODE_GRAPH_LEAF;
}

/* "0)  bash-123  =>  sshd-456" */
static bool parse_switch(struct lode_graph_line *out, struct lode_slice text)
{
	const char *arrow = lode_slice_find(text, "=>");

	if (!arrow || !parse_task(&out->task, trim(text.at, arrow)) ||
	    !parse_task(&out->next, trim(arrow + 2, text.at + text.len)))
		return false;
	out->kind = LODE_GRAPH_SWITCH;
	return true;
}

/* "CPU:1 [LOST 23 EVENTS]"; trace-cmd: "CPU:1 [23 EVENTS DROPPED]", "CPU:1 [EVENTS DROPPED]". */
static bool parse_lost(struct lode_graph_line *out, struct lode_slice text)
{
	const char *end = text.at + text.len, *at = text.at;
	int32_t cpu;
	bool is_lost;
	int64_t n = 1;
	size_t len = 0;

	if (!lode_text_skip(&at, end, "CPU:"))
		return false;
	while (at + len < end && lode_is_digit(at[len]))
		len++;
	if (!lode_int32_parse(&cpu, at, len))
		return false;
	at += len;
	if (!lode_text_skip(&at, end, " ["))
		return false;
	is_lost = lode_text_skip(&at, end, "LOST ");
	for (len = 0; at + len < end && lode_is_digit(at[len]);)
		len++;
	if ((len || is_lost) && !lode_decimal_parse(&n, at, len, 0))
		return false;
	at += len + (len && at + len < end && at[len] == ' ');
	if (!lode_slice_begins(lode_slice_between(at, end), is_lost ? "EVENTS" : "EVENTS DROPPED"))
		return false;
	out->cpu = cpu;
	out->n_lost = (uint64_t)n;
	out->kind = LODE_GRAPH_LOST;
	return true;
}

/* Before trace-cmd's report: "version = 7", "cpus=2", "CPU 1 is empty". */
static bool is_report_heading(struct lode_slice text)
{
	return lode_slice_begins(text, "version = ") || lode_slice_begins(text, "cpus=") ||
	       (lode_slice_begins(text, "CPU ") && lode_slice_ends(text, " is empty"));
}

/* "0)", from the left; what follows it. */
static struct lode_slice parse_cpu(struct lode_graph_line *out, struct lode_slice text)
{
	size_t n = 0;

	while (n < text.len && lode_is_digit(text.at[n]))
		n++;
	if (n && n < text.len && text.at[n] == ')' && lode_int32_parse(&out->cpu, text.at, n))
		return trim(text.at + n + 1, text.at + text.len);
	return text;
}

static bool is_mark(struct lode_slice text)
{
	return lode_slice_is(text, "==========>") || lode_slice_is(text, "<==========");
}

/*
 * Columns end in '|'; the function is what follows the last one, and may itself have '|' in its
 * arguments. So columns are taken from the left as long as they look like one.
 */
static void parse_columns(struct lode_graph_line *out, struct lode_slice text)
{
	const char *end = text.at + text.len, *bar;

	while ((bar = memchr(text.at, '|', (size_t)(end - text.at)))) {
		struct lode_slice column = trim(text.at, bar);

		column = parse_cpu(out, column);
		if (is_mark(column)) {
			out->kind = LODE_GRAPH_NOTHING;
			return;
		}
		if (column.len && !parse_duration(out, column) &&
		    !parse_time_graph_line(out, column) && !parse_task(&out->task, column)) {
			/* flags, such as "d..1": a few characters without a blank */
			if (column.len > 8 || memchr(column.at, ' ', column.len) ||
			    memchr(column.at, '(', column.len))
				break;
		}
		text = trim(bar + 1, end);
	}
	parse_function(out, parse_cpu(out, trim(text.at, end)));
}

/*
 * A line of trace-cmd's report. Events that are not the tracer's ("sched_switch: ...") are nothing.
 *
 *   bash-123   [000]  1234.567890: funcgraph_entry:   0.734 us   |  f();
 */
static bool parse_report(struct lode_graph_line *out, struct lode_slice text)
{
	const char *end = text.at + text.len, *time_end = lode_slice_find(text, ": "), *at, *open,
		   *close, *event, *colon;

	if (!time_end)
		return false;
	for (at = time_end; at > text.at && at[-1] != ' ';)
		at--;
	open = memchr(text.at, '[', (size_t)(at - text.at));
	close = open ? memchr(open, ']', (size_t)(at - open)) : NULL;
	event = time_end + strlen(": ");
	colon = memchr(event, ':', (size_t)(end - event));
	if (!close || !colon || !parse_time_graph_line(out, trim(at, time_end)) ||
	    !parse_task(&out->task, trim(text.at, open)) ||
	    !lode_int32_parse(&out->cpu, open + 1, (size_t)(close - open - 1)))
		return false;
	event = trim(event, colon).at;
	if (lode_slice_begins(lode_slice_between(event, colon), "funcgraph_"))
		parse_columns(out, trim(colon + 1, end));
	return true;
}

void lode_graph_parse(struct lode_graph_line *out, const char *line, size_t len)
{
	struct lode_slice text = trim(line, line + len);

	*out = (struct lode_graph_line){.cpu = -1, .kind = LODE_GRAPH_NOTHING};
	if (!text.len || *text.at == '#' || !strncmp(text.at, "-----", 5) ||
	    is_report_heading(text) || parse_lost(out, text))
		return;
	if (!memchr(text.at, '|', text.len)) {
		struct lode_slice rest = parse_cpu(out, text);

		if (parse_switch(out, rest))
			return;
	}
	if (!parse_report(out, text))
		parse_columns(out, text);
}
