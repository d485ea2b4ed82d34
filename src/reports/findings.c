#include "reports/findings.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <yajl/yajl_tree.h>

#include "reports/units.h"

/* ---- Values of a document; what is not there is empty ---- */

static yajl_val get(yajl_val object, const char *name)
{
	const char *path[] = {name, NULL};

	return object && YAJL_IS_OBJECT(object) ? yajl_tree_get(object, path, yajl_t_any) : NULL;
}

static const char *text_of(yajl_val object, const char *name)
{
	yajl_val value = get(object, name);

	return value && YAJL_IS_STRING(value) ? YAJL_GET_STRING(value) : "";
}

static int64_t number_of(yajl_val object, const char *name)
{
	yajl_val value = get(object, name);

	if (!value || !YAJL_IS_NUMBER(value))
		return 0;
	return YAJL_IS_INTEGER(value) ? YAJL_GET_INTEGER(value) : (int64_t)YAJL_GET_DOUBLE(value);
}

static double ratio_of(yajl_val object, const char *name)
{
	yajl_val value = get(object, name);

	return value && YAJL_IS_NUMBER(value) ? YAJL_GET_DOUBLE(value) : 0;
}

static size_t length(yajl_val array)
{
	return array && YAJL_IS_ARRAY(array) ? array->u.array.len : 0;
}

static yajl_val item(yajl_val array, size_t i)
{
	return i < length(array) ? array->u.array.values[i] : NULL;
}

static int64_t number_at(yajl_val array, size_t i)
{
	yajl_val value = item(array, i);

	return value && YAJL_IS_INTEGER(value) ? YAJL_GET_INTEGER(value) : 0;
}

static const char *text_at(yajl_val array, size_t i)
{
	yajl_val value = item(array, i);

	return value && YAJL_IS_STRING(value) ? YAJL_GET_STRING(value) : "";
}

/* ---- Lines ---- */

struct lines {
	struct lode_findings *out;
	struct lode_arena *arena;
	size_t most;
};

static const char *format(struct lode_arena *arena, const char *format, va_list args)
{
	char text[600];
	int n = vsnprintf(text, sizeof(text), format, args);

	return lode_arena_strndup(arena, text,
				  n < 0			   ? 0
				  : n >= (int)sizeof(text) ? sizeof(text) - 1
							   : (size_t)n);
}

__attribute__((format(printf, 2, 3))) static void summarise(const struct lines *lines,
							    const char *text, ...)
{
	va_list args;

	va_start(args, text);
	lines->out->summary = format(lines->arena, text, args);
	va_end(args);
}

__attribute__((format(printf, 2, 3))) static void add(const struct lines *lines, const char *text,
						      ...)
{
	va_list args;

	va_start(args, text);
	lode_vec_append(&lines->out->details, format(lines->arena, text, args));
	va_end(args);
}

static bool has_room(const struct lines *lines)
{
	return lines->out->details.n < lines->most;
}

/* ---- lode mine ---- */

static const char *function_of(const char *frame)
{
	const char *bang = strchr(frame, '!');

	return bang && bang[1] ? bang + 1 : frame;
}

/*
 * The function that a cluster is best known by: the deepest that its own program has in all
 * variants. Below it are the kernel and the C library, which all programs share.
 */
static const char *known_by(yajl_val common)
{
	size_t n = length(common);

	for (size_t i = n; i-- > 0;) {
		const char *frame = text_at(common, i);

		if (*frame != '[' && strncmp(frame, "libc", 4) != 0 &&
		    strncmp(frame, "ld-", 3) != 0 && strchr(frame, '!'))
			return function_of(frame);
	}
	return n ? function_of(text_at(common, n - 1)) : "no common function";
}

/* Why it waited, in the words of the report's own table. */
static const char *why_of(yajl_val cluster)
{
	const char *why = text_of(cluster, "why"), *reason = text_of(cluster, "reason");

	if (*why)
		return why;
	return *reason && strcmp(reason, "none") != 0 ? reason : text_of(cluster, "kind");
}

static void mine_lines(const struct lines *lines, yajl_val root)
{
	yajl_val clusters = get(root, "clusters");
	const char *unit = text_of(root, "unit");
	int64_t whole = number_of(root, "symptom_ns");
	char cost[LODE_UNITS_BUFFER], share[LODE_UNITS_BUFFER], symptoms[LODE_UNITS_BUFFER];
	char streams[LODE_UNITS_BUFFER], found[LODE_UNITS_BUFFER];
	size_t n = length(clusters) + (size_t)number_of(root, "more");

	summarise(lines, "%s in %s of %s; %s explain%s %s of it",
		  lode_format_cost(cost, whole, unit),
		  lode_format_plural(symptoms, (uint64_t)number_of(root, "symptoms"), "symptom"),
		  lode_format_plural(streams, (uint64_t)number_of(root, "streams"), "recording"),
		  lode_format_plural(found, n, "cluster"), n == 1 ? "s" : "",
		  lode_format_share(share, whole - number_of(root, "other_ns"), whole));
	for (size_t i = 0; i < length(clusters) && has_room(lines); i++) {
		yajl_val c = item(clusters, i);

		add(lines, "%s  %s  %s: %s, in %s",
		    lode_format_share(share, number_of(c, "own_ns"), whole),
		    lode_format_cost(cost, number_of(c, "own_ns"), unit),
		    known_by(get(c, "common")), why_of(c),
		    lode_format_plural(streams, (uint64_t)number_of(c, "streams"), "recording"));
	}
}

/* ---- lode suspects ---- */

static void suspects_lines(const struct lines *lines, yajl_val root)
{
	yajl_val contrasts = get(root, "contrasts"), functions = get(root, "functions");
	char failed[LODE_UNITS_BUFFER], all[LODE_UNITS_BUFFER], pct[LODE_UNITS_BUFFER];
	char without[LODE_UNITS_BUFFER];

	summarise(lines, "%s slow executions among %s of %zu metrics",
		  lode_format_count(failed, (uint64_t)number_of(root, "failed")),
		  lode_format_count(all, (uint64_t)number_of(root, "executions")),
		  length(get(root, "metrics")) + (size_t)number_of(root, "metrics_more"));
	for (size_t i = 0; i < length(contrasts) && has_room(lines); i++) {
		yajl_val c = item(contrasts, i), with = get(c, "with"), other = get(c, "without");
		int64_t n = number_of(with, "failed") + number_of(with, "succeeded");
		int64_t n_other = number_of(other, "failed") + number_of(other, "succeeded");

		if (n == 0)
			continue;
		add(lines, "%s: slow in %s of its calls from %s, else in %s", text_of(c, "metric"),
		    lode_format_share(pct, number_of(with, "failed"), n),
		    function_of(text_at(get(c, "callers"), length(get(c, "callers")) - 1)),
		    lode_format_share(without, number_of(other, "failed"), n_other));
	}
	for (size_t i = 0; i < length(functions) && lines->out->details.n == 0 && has_room(lines);
	     i++)
		add(lines, "%s goes with slow executions (Increase %.2f)",
		    text_of(item(functions, i), "function"),
		    ratio_of(item(functions, i), "increase"));
}

/* ---- lode timeline ---- */

static void timeline_lines(const struct lines *lines, yajl_val root)
{
	yajl_val trace = get(root, "trace"), functions = get(root, "functions");
	yajl_val outliers = get(root, "outliers"), of = get(outliers, "function");
	yajl_val names = get(functions, "name"), longest = get(functions, "max_ns");
	yajl_val median = get(functions, "median_ns"), threads = get(outliers, "thread");
	char calls[LODE_UNITS_BUFFER], n_threads[LODE_UNITS_BUFFER], length_text[LODE_UNITS_BUFFER];
	char max_text[LODE_UNITS_BUFFER], median_text[LODE_UNITS_BUFFER];
	int64_t last = -1;

	summarise(lines, "%s calls of %s in %s; %zu outliers",
		  lode_format_count(calls, (uint64_t)number_of(trace, "calls")),
		  lode_format_plural(n_threads, length(get(root, "threads")), "thread"),
		  lode_format_cost(length_text, number_of(trace, "length_ns"), "ns"),
		  length(threads));
	/* In the report's order, function by function: the longest beside their median first. */
	for (size_t i = 0; i < length(of) && has_room(lines); i++) {
		int64_t f = number_at(of, i);

		if (f == last || f < 0)
			continue;
		last = f;
		if (number_at(longest, (size_t)f) < 2 * number_at(median, (size_t)f))
			continue;
		add(lines, "%s took %s once, usually %s", text_at(names, (size_t)f),
		    lode_format_cost(max_text, number_at(longest, (size_t)f), "ns"),
		    lode_format_cost(median_text, number_at(median, (size_t)f), "ns"));
	}
}

/* ---- lode pio ---- */

static void pio_lines(const struct lines *lines, yajl_val root)
{
	yajl_val periods = get(root, "periods");
	char n[LODE_UNITS_BUFFER], lasted[LODE_UNITS_BUFFER], slow[LODE_UNITS_BUFFER];

	summarise(lines, "%s in %s",
		  lode_format_plural(n, length(periods) + (size_t)number_of(root, "periods_more"),
				     "slow period"),
		  lode_format_cost(lasted, number_of(root, "end") - number_of(root, "start"),
				   "ns"));
	for (size_t i = 0; i < length(periods) && has_room(lines); i++) {
		yajl_val p = item(periods, i), counter = item(get(p, "counters"), 0);

		add(lines, "%s, %s: %s slow requests%s%s%s%s", text_of(p, "start_utc"),
		    lode_format_cost(lasted, number_of(p, "duration_ns"), "ns"),
		    lode_format_count(slow, (uint64_t)number_of(p, "slow")), counter ? "; " : "",
		    text_of(counter, "server"), counter ? ": " : "", text_of(counter, "counter"));
	}
}

void lode_findings_make(struct lode_findings *out, const struct lode_html_part *part, size_t most,
			struct lode_arena *arena)
{
	static const struct {
		const char *schema;
		void (*put)(const struct lines *lines, yajl_val root);
	} known[] = {
		{"lode/mine/1", mine_lines},
		{"lode/suspects/1", suspects_lines},
		{"lode/timeline-page/1", timeline_lines},
		{"lode/pio/1", pio_lines},
	};
	struct lines lines = {out, arena, most};
	yajl_val root = NULL;

	*out = (struct lode_findings){.summary = ""};
	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++) {
		if (strcmp(part->schema, known[i].schema) != 0)
			continue;
		root = yajl_tree_parse(part->json, NULL, 0);
		if (root)
			known[i].put(&lines, root);
		yajl_tree_free(root);
	}
}

void lode_findings_release(struct lode_findings *findings)
{
	lode_vec_release(&findings->details);
}
