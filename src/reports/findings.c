#include "reports/findings.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <yajl/yajl_tree.h>

#include "base/json_tree.h"
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

/* "module!function", what pages call a function; its name alone without a module. */
static const char *name_of(struct lode_arena *arena, yajl_val function)
{
	const char *module = text_of(function, "module"), *name = text_of(function, "function");
	size_t n = strlen(module) + strlen(name) + 2;
	char *text;

	if (!*module)
		return name;
	text = lode_arena_alloc(arena, n, 1);
	snprintf(text, n, "%s!%s", module, name);
	return text;
}

/* ---- Lines ---- */

struct lines {
	struct lode_findings *out;
	struct lode_arena *arena;
	size_t most;
};

static const char *format_list(struct lode_arena *arena, const char *format, va_list args)
{
	char text[600];
	int n = vsnprintf(text, sizeof(text), format, args);

	return lode_arena_strndup(arena, text,
				  n < 0			   ? 0
				  : n >= (int)sizeof(text) ? sizeof(text) - 1
							   : (size_t)n);
}

__attribute__((format(printf, 2, 3))) static const char *format(const struct lines *lines,
								const char *text, ...)
{
	const char *made;
	va_list args;

	va_start(args, text);
	made = format_list(lines->arena, text, args);
	va_end(args);
	return made;
}

/* `path` is copied: the document goes. */
static struct lode_finding *add(const struct lines *lines, const char *text, const char *path)
{
	struct lode_finding *finding = lode_vec_append_zero(&lines->out->details);

	finding->text = text;
	finding->share = NAN;
	finding->path = path ? lode_arena_strndup(lines->arena, path, strlen(path)) : NULL;
	return finding;
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

	lines->out->weight = whole;
	lines->out->summary = format(
		lines, "%s in %s of %s; %s explain%s %s of it", lode_format_cost(cost, whole, unit),
		lode_format_plural(symptoms, (uint64_t)number_of(root, "symptoms"), "symptom"),
		lode_format_plural(streams, (uint64_t)number_of(root, "streams"), "recording"),
		lode_format_plural(found, n, "cluster"), n == 1 ? "s" : "",
		lode_format_share(share, whole - number_of(root, "other_ns"), whole));
	for (size_t i = 0; i < length(clusters) && has_room(lines); i++) {
		yajl_val c = item(clusters, i);
		int64_t own = number_of(c, "own_ns");
		const char *text =
			format(lines, "%s  %s  %s: %s, in %s", lode_format_share(share, own, whole),
			       lode_format_cost(cost, own, unit), known_by(get(c, "common")),
			       why_of(c),
			       lode_format_plural(streams, (uint64_t)number_of(c, "streams"),
						  "recording"));

		if (own > 0)
			add(lines, text, text_of(c, "id"))->share = (double)own / (double)whole;
	}
}

/* ---- lode suspects ---- */

/* What is rarer than this by accident is said; the page has the rest, too. */
static const double significant = 0.05;

/* What the executions of a contrast's caller took longer than those of others, ns in all. */
static double lost_by(yajl_val contrast)
{
	yajl_val with = get(contrast, "with"), other = get(contrast, "without");

	return ratio_of(with, "n") * (ratio_of(with, "mean_ns") - ratio_of(other, "mean_ns"));
}

/* The significant contrast of a metric that costs most; NULL: there is none. */
static yajl_val contrast_of(yajl_val contrasts, const char *metric)
{
	yajl_val best = NULL;

	for (size_t i = 0; i < length(contrasts); i++) {
		yajl_val c = item(contrasts, i);

		if (strcmp(text_of(c, "metric"), metric) != 0 || ratio_of(c, "q") >= significant ||
		    lost_by(c) <= 0)
			continue;
		if (!best || lost_by(c) > lost_by(best))
			best = c;
	}
	return best;
}

static void add_contrast(const struct lines *lines, yajl_val contrast)
{
	yajl_val callers = get(contrast, "callers"), with = get(contrast, "with");
	yajl_val other = get(contrast, "without");
	const char *caller = text_at(callers, length(callers) - 1);
	int64_t n = number_of(with, "failed") + number_of(with, "succeeded");
	int64_t n_other = number_of(other, "failed") + number_of(other, "succeeded");
	char pct[LODE_UNITS_BUFFER], else_pct[LODE_UNITS_BUFFER];

	add(lines,
	    format(lines, "%s: slow in %s of its calls from %s, else in %s",
		   text_of(contrast, "metric"),
		   lode_format_share(pct, number_of(with, "failed"), n), function_of(caller),
		   lode_format_share(else_pct, number_of(other, "failed"), n_other)),
	    *caller ? caller : name_of(lines->arena, contrast));
}

static void add_metric(const struct lines *lines, yajl_val metric)
{
	const char *unit = text_of(metric, "unit"), *name = text_of(metric, "metric");
	char n[LODE_UNITS_BUFFER], all[LODE_UNITS_BUFFER], cost[LODE_UNITS_BUFFER];
	char bound[LODE_UNITS_BUFFER];
	struct lode_finding *finding;

	finding = add(lines,
		      format(lines, "%s: %s of %s took longer than %s, %s in all", name,
			     lode_format_count(n, (uint64_t)number_of(metric, "failed")),
			     lode_format_count(all, (uint64_t)number_of(metric, "n")),
			     lode_format_cost(bound, number_of(metric, "failed_ns"), unit),
			     lode_format_cost(cost, number_of(metric, "failed_total_ns"), unit)),
		      NULL);
	finding->params[0] =
		(struct lode_finding_param){"metric",
					    lode_arena_strndup(lines->arena, name, strlen(name))};
}

/* Two sets of recordings: what the slow ones do more. */
static void add_excess(const struct lines *lines, yajl_val functions)
{
	for (size_t i = 0; i < length(functions) && has_room(lines); i++) {
		yajl_val f = item(functions, i);
		char pct[LODE_UNITS_BUFFER];

		if (ratio_of(f, "q") >= significant || ratio_of(f, "excess") <= 0)
			continue;
		add(lines,
		    format(lines, "%s: at least %s of it is not in fast recordings",
			   text_of(f, "function"),
			   lode_format_pct(pct, 100 * ratio_of(f, "excess"))),
		    name_of(lines->arena, f));
	}
}

/*
 * Metrics stand in the order of the time in what was slow of them: the caller that makes one slow
 * is its line, else how slow it was.
 */
static void suspects_lines(const struct lines *lines, yajl_val root)
{
	yajl_val contrasts = get(root, "contrasts"), metrics = get(root, "metrics");
	char failed[LODE_UNITS_BUFFER], all[LODE_UNITS_BUFFER], n_metrics[LODE_UNITS_BUFFER];

	lines->out->weight = 0;
	for (size_t i = 0; i < length(metrics); i++)
		lines->out->weight += number_of(item(metrics, i), "failed_total_ns");
	lines->out->summary = format(
		lines, "%s slow executions among %s of %s",
		lode_format_count(failed, (uint64_t)number_of(root, "failed")),
		lode_format_count(all, (uint64_t)number_of(root, "executions")),
		lode_format_plural(n_metrics,
				   length(metrics) + (uint64_t)number_of(root, "metrics_more"),
				   "metric"));
	if (strcmp(text_of(get(root, "options"), "evidence"), "sets") == 0) {
		add_excess(lines, get(root, "functions"));
		return;
	}
	for (int is_plain = 0; is_plain < 2; is_plain++) {
		for (size_t i = 0; i < length(metrics) && has_room(lines); i++) {
			yajl_val m = item(metrics, i);
			yajl_val c = contrast_of(contrasts, text_of(m, "metric"));

			if (c && !is_plain)
				add_contrast(lines, c);
			else if (!c && is_plain && number_of(m, "failed") > 0)
				add_metric(lines, m);
		}
	}
}

/* ---- lode timeline ---- */

struct outliers {
	yajl_val function, thread, start, duration, depth;
};

static bool is_within(const struct outliers *o, size_t a, size_t b)
{
	int64_t a0 = number_at(o->start, a), a1 = a0 + number_at(o->duration, a);
	int64_t b0 = number_at(o->start, b), b1 = b0 + number_at(o->duration, b);

	return number_at(o->thread, a) == number_at(o->thread, b) && a0 >= b0 && a1 <= b1;
}

/* Is its function told already, or one that it called or that called it? They share their time. */
static bool is_told(const struct outliers *o, const size_t *told, size_t n_told, size_t i)
{
	for (size_t k = 0; k < i; k++) {
		bool is_of_told = false;

		for (size_t t = 0; t < n_told && !is_of_told; t++)
			is_of_told = number_at(o->function, k) == number_at(o->function, told[t]);
		if (is_of_told && (number_at(o->function, k) == number_at(o->function, i) ||
				   is_within(o, i, k) || is_within(o, k, i)))
			return true;
	}
	return false;
}

static void add_outlier(const struct lines *lines, yajl_val root, const struct outliers *o,
			size_t i)
{
	yajl_val functions = get(root, "functions"), threads = get(root, "threads");
	size_t f = (size_t)number_at(o->function, i), n_such = 0;
	yajl_val thread = item(threads, (size_t)number_at(o->thread, i));
	int64_t start = number_at(o->start, i), duration = number_at(o->duration, i);
	int64_t room = duration / 3 + 20, length_ns = number_of(get(root, "trace"), "length_ns");
	char took[LODE_UNITS_BUFFER], usual[LODE_UNITS_BUFFER], such[40] = "";
	const char *thread_name = text_of(thread, "name");
	struct lode_finding *finding;

	if (!*thread_name)
		thread_name = format(lines, "%" PRId64, number_of(thread, "tid"));
	for (size_t k = 0; k < length(o->function); k++)
		n_such += number_at(o->function, k) == (int64_t)f;
	if (n_such > 1)
		snprintf(such, sizeof(such), "; %zu such calls", n_such);
	finding =
		add(lines,
		    format(lines, "%s took %s in thread %s, usually %s%s",
			   text_at(get(functions, "name"), f),
			   lode_format_cost(took, duration, "ns"), thread_name,
			   lode_format_cost(usual, number_at(get(functions, "median_ns"), f), "ns"),
			   such),
		    NULL);
	/* As the page's own links: a stretch of time, and a call by thread, time and depth. */
	finding->params[0] = (struct lode_finding_param){
		"w",
		format(lines, "%" PRId64 "-%" PRId64, start > room ? start - room : 0,
		       start + duration + room < length_ns ? start + duration + room : length_ns)};
	finding->params[1] = (struct lode_finding_param){
		"sel",
		format(lines, "%" PRId64 "_%" PRId64 "_%" PRId64 "_%" PRId64 "_call_0",
		       number_of(thread, "tid"), start, start + duration, number_at(o->depth, i))};
}

static void timeline_lines(const struct lines *lines, yajl_val root)
{
	yajl_val trace = get(root, "trace"), all = get(root, "outliers");
	yajl_val median = get(get(root, "functions"), "median_ns");
	const struct outliers o = {get(all, "function"), get(all, "thread"), get(all, "start"),
				   get(all, "duration"), get(all, "depth")};
	char calls[LODE_UNITS_BUFFER], n_threads[LODE_UNITS_BUFFER], lasted[LODE_UNITS_BUFFER];
	char n_outliers[LODE_UNITS_BUFFER];
	LODE_VEC(size_t) told = {0};

	lines->out->weight = number_of(trace, "length_ns");
	lines->out->summary =
		format(lines, "%s calls of %s in %s; %s",
		       lode_format_count(calls, (uint64_t)number_of(trace, "calls")),
		       lode_format_plural(n_threads, length(get(root, "threads")), "thread"),
		       lode_format_cost(lasted, number_of(trace, "length_ns"), "ns"),
		       lode_format_plural(n_outliers, length(o.function), "outlier"));
	/* In the report's order: the longest beside their median first. */
	for (size_t i = 0; i < length(o.function) && has_room(lines); i++) {
		int64_t f = number_at(o.function, i);

		if (f < 0 || number_at(o.duration, i) < 2 * number_at(median, (size_t)f) ||
		    is_told(&o, told.at, told.n, i))
			continue;
		add_outlier(lines, root, &o, i);
		lode_vec_append(&told, i);
	}
	lode_vec_release(&told);
}

/* ---- lode pio ---- */

/* How much a period hurt: requests that were slow; without a log, how sure and how long it was. */
static double hurt(yajl_val period)
{
	double slow = ratio_of(period, "slow");

	return slow > 0 ? slow : ratio_of(period, "duration_ns") * 1e-18;
}

/* The period that hurt most of those that are not in `told`. */
static size_t worst_of(yajl_val periods, const bool *told)
{
	size_t worst = length(periods);

	for (size_t i = 0; i < length(periods); i++)
		if (!told[i] && (worst == length(periods) ||
				 hurt(item(periods, i)) > hurt(item(periods, worst))))
			worst = i;
	return worst;
}

/* Of the counters behind a period the first of the server at its head. */
static yajl_val counter_of(yajl_val period, const char *server)
{
	yajl_val counters = get(period, "counters");

	for (size_t i = 0; i < length(counters); i++)
		if (strcmp(text_of(item(counters, i), "server"), server) == 0)
			return item(counters, i);
	return item(counters, 0);
}

static void add_period(const struct lines *lines, yajl_val root, yajl_val p)
{
	int64_t step = number_of(root, "step_ns"), from, to, margin, n;
	const char *server = text_of(item(get(p, "servers"), 0), "server");
	yajl_val counter = counter_of(p, server);
	char lasted[LODE_UNITS_BUFFER], slow[LODE_UNITS_BUFFER], all[LODE_UNITS_BUFFER];
	const char *requests = "", *behind = "";
	struct lode_finding *finding;

	if (number_of(p, "requests") > 0)
		requests = format(lines, ": %s of %s requests slow",
				  lode_format_count(slow, (uint64_t)number_of(p, "slow")),
				  lode_format_count(all, (uint64_t)number_of(p, "requests")));
	if (counter)
		behind = format(lines, "; %s: %s", text_of(counter, "server"),
				text_of(counter, "counter"));
	finding = add(lines,
		      format(lines, "%s, %s%s%s", text_of(p, "start_utc"),
			     lode_format_cost(lasted, number_of(p, "duration_ns"), "ns"), requests,
			     behind),
		      NULL);
	if (step <= 0)
		return;
	from = (number_of(p, "start") - number_of(root, "start")) / step;
	to = (number_of(p, "end") - number_of(root, "start")) / step;
	n = (int64_t)length(get(root, "intervals"));
	margin = 2 * (to - from) > 20 ? 2 * (to - from) : 20;
	finding->params[0] = (struct lode_finding_param){"at", format(lines, "%" PRId64,
								      from + (to - from) / 2)};
	finding->params[1] = (struct lode_finding_param){
		"zoom", format(lines, "%" PRId64 "-%" PRId64, from > margin ? from - margin : 0,
			       to + margin < n ? to + margin : n)};
}

static void pio_lines(const struct lines *lines, yajl_val root)
{
	yajl_val periods = get(root, "periods");
	char n[LODE_UNITS_BUFFER], lasted[LODE_UNITS_BUFFER], slow[LODE_UNITS_BUFFER];
	bool *told = lode_alloc0(length(periods) + 1, sizeof(*told));
	int64_t slow_ns = 0;
	size_t i;

	for (i = 0; i < length(periods); i++)
		slow_ns += number_of(item(periods, i), "duration_ns");
	lines->out->weight = slow_ns;
	lines->out->summary = format(
		lines, "%s, %s of %s",
		lode_format_plural(n, length(periods) + (uint64_t)number_of(root, "periods_more"),
				   "slow period"),
		lode_format_cost(slow, slow_ns, "ns"),
		lode_format_cost(lasted, number_of(root, "end") - number_of(root, "start"), "ns"));
	while (has_room(lines) && (i = worst_of(periods, told)) < length(periods)) {
		told[i] = true;
		add_period(lines, root, item(periods, i));
	}
	free(told);
}

/* ---- lode diff ---- */

static void diff_lines(const struct lines *lines, yajl_val root)
{
	yajl_val clusters = get(root, "clusters"), counts = get(root, "counts");
	const char *unit = text_of(root, "unit");
	char a[LODE_UNITS_BUFFER], b[LODE_UNITS_BUFFER], cost[LODE_UNITS_BUFFER];

	lines->out->weight = number_of(get(root, "b"), "symptom_ns");
	lines->out->summary =
		format(lines,
		       "A symptom takes %s in B, %s in A; %" PRId64 " new, %" PRId64
		       " gone, %" PRId64 " worse, %" PRId64 " better",
		       lode_format_cost(b, number_of(get(root, "b"), "per_symptom_ns"), unit),
		       lode_format_cost(a, number_of(get(root, "a"), "per_symptom_ns"), unit),
		       number_of(counts, "new"), number_of(counts, "gone"),
		       number_of(counts, "worse"), number_of(counts, "better"));
	for (size_t i = 0; i < length(clusters) && has_room(lines); i++) {
		yajl_val c = item(clusters, i);
		int64_t change = number_of(c, "change_ns");

		if (strcmp(text_of(c, "class"), "same") == 0)
			break;
		add(lines,
		    format(lines, "%s  %s%s a symptom  %s: %s", text_of(c, "class"),
			   change < 0 ? "-" : "+",
			   lode_format_cost(cost, change < 0 ? -change : change, unit),
			   known_by(get(c, "common")), why_of(c)),
		    text_of(c, "id"));
	}
}

/* ---- lode next ---- */

static void next_lines(const struct lines *lines, yajl_val root)
{
	yajl_val order = get(root, "order");
	int64_t whole = number_of(root, "symptom_ns");
	char n[LODE_UNITS_BUFFER], share[LODE_UNITS_BUFFER], adds[LODE_UNITS_BUFFER];

	lines->out->weight = whole;
	lines->out->summary =
		format(lines, "%s; %" PRId64 " %s explain %s of their symptoms' time",
		       lode_format_plural(n, (uint64_t)number_of(root, "streams"), "recording"),
		       number_of(root, "signatures"), text_of(root, "of"),
		       lode_format_share(share, number_of(root, "explained_ns"), whole));
	for (size_t i = 0; i < length(order) && has_room(lines); i++) {
		yajl_val step = item(order, i);
		int64_t added = number_of(step, "adds_ns");

		if (number_of(step, "new") == 0)
			break;
		add(lines,
		    format(lines, "%zu  %s: %" PRId64 " new, adds %s, covers %s then", i + 1,
			   text_of(step, "stream"), number_of(step, "new"),
			   lode_format_share(adds, added, whole),
			   lode_format_share(share, number_of(step, "covered_ns"), whole)),
		    text_of(step, "stream_id"))
			->share = whole > 0 ? (double)added / (double)whole : NAN;
	}
}

/* ---- lode coverage, lode triage ---- */

static bool is_retired(yajl_val signature)
{
	return strcmp(text_of(signature, "state"), "retired") == 0;
}

static void known_line(const struct lines *lines, yajl_val root)
{
	const char *unit = text_of(root, "unit");
	int64_t whole = number_of(root, "symptom_ns"), covered = number_of(root, "covered_ns");
	char cost[LODE_UNITS_BUFFER], share[LODE_UNITS_BUFFER], n[LODE_UNITS_BUFFER];
	char rest[LODE_UNITS_BUFFER];

	lines->out->weight = whole;
	lines->out->summary =
		format(lines, "%s of %s in %s is known, %s is not explained",
		       lode_format_share(share, covered, whole),
		       lode_format_cost(cost, whole, unit),
		       lode_format_plural(n, (uint64_t)number_of(root, "streams"), "recording"),
		       lode_format_cost(rest, number_of(root, "aoi_ns") - covered, unit));
}

/* A part of all symptoms' time, and what it is. */
static void add_part(const struct lines *lines, yajl_val root, int64_t cost_ns, const char *words,
		     const char *what, const char *why, const char *path)
{
	int64_t whole = number_of(root, "symptom_ns");
	char cost[LODE_UNITS_BUFFER], share[LODE_UNITS_BUFFER];

	add(lines,
	    format(lines, "%s  %s  %s%s%s%s", lode_format_share(share, cost_ns, whole),
		   lode_format_cost(cost, cost_ns, text_of(root, "unit")), words, what,
		   *why ? ": " : "", why),
	    path)
		->share = whole > 0 ? (double)cost_ns / (double)whole : NAN;
}

/* What came back first: nobody expects it. */
static void coverage_lines(const struct lines *lines, yajl_val root)
{
	yajl_val signatures = get(root, "signatures");

	known_line(lines, root);
	for (int pass = 0; pass < 2; pass++)
		for (size_t i = 0; i < length(signatures) && has_room(lines); i++) {
			yajl_val s = item(signatures, i);
			const char *name = text_of(s, "name");

			if (is_retired(s) == (pass == 0) && number_of(s, "total_ns") > 0)
				add_part(lines, root, number_of(s, "total_ns"),
					 pass == 0 ? "came back: " : "", name, "", name);
		}
}

static void triage_lines(const struct lines *lines, yajl_val root)
{
	yajl_val returned = get(root, "returned"), clusters = get(root, "clusters");

	known_line(lines, root);
	for (size_t i = 0; i < length(returned) && has_room(lines); i++)
		add_part(lines, root, number_of(item(returned, i), "total_ns"),
			 "came back: ", text_of(item(returned, i), "name"), "", NULL);
	for (size_t i = 0; i < length(clusters) && has_room(lines); i++) {
		yajl_val c = item(clusters, i);

		add_part(lines, root, number_of(c, "own_ns"),
			 "not known: ", known_by(get(c, "common")), why_of(c), text_of(c, "id"));
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
		{"lode/diff/1", diff_lines},
		{"lode/next/1", next_lines},
		{"lode/coverage/1", coverage_lines},
		{"lode/triage/1", triage_lines},
	};
	struct lines lines = {out, arena, most};
	yajl_val root = NULL;

	*out = (struct lode_findings){.summary = ""};
	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++) {
		if (strcmp(part->schema, known[i].schema) != 0)
			continue;
		if (lode_json_tree_parse(&root, part->json, part->json_bytes, NULL, NULL) == 0)
			known[i].put(&lines, root);
		yajl_tree_free(root);
	}
}

void lode_findings_release(struct lode_findings *findings)
{
	lode_vec_release(&findings->details);
}
