/* Options that decide what is in a digest, as text. */
#include "streams/shape.h"

#include "base/escape.h"
#include "base/written.h"
#include "streams/digest_job.h"

/* ---- Options -> text ---- */

/* A value is one line, whatever bytes it has. */
static void put_text_shape(FILE *f, const char *name, const char *value)
{
	size_t size = 4 * strlen(value) + 1;
	char *safe = lode_alloc(size);

	fprintf(f, "%s %s\n", name, lode_escape(safe, size, value));
	free(safe);
}

static void put_texts(FILE *f, const char *name, const char *const *values, size_t n)
{
	for (size_t i = 0; i < n; i++)
		put_text_shape(f, name, values[i]);
}

static void put_end(FILE *f, int64_t ns, int64_t open_ns, bool is_offset)
{
	if (ns != open_ns)
		fprintf(f, "%s%lld", is_offset ? "+" : "", (long long)ns);
}

static void put_narrow(FILE *f, const struct lode_narrow *narrow)
{
	if (narrow->from_ns != INT64_MIN || narrow->to_ns != INT64_MAX) {
		fputs("--time ", f);
		put_end(f, narrow->from_ns, INT64_MIN, narrow->is_from_offset);
		fputc(',', f);
		put_end(f, narrow->to_ns, INT64_MAX, narrow->is_to_offset);
		fputc('\n', f);
	}
	if (narrow->cpu >= 0)
		fprintf(f, "--cpu %d\n", narrow->cpu);
}

static void put_symptoms(FILE *f, const struct lode_symptom_options *symptoms)
{
	if (symptoms->select)
		put_text_shape(f, "--symptom", symptoms->select);
	/* Which table is of no account: each has its own streams. */
	if (symptoms->tsv_path)
		fputs("--symptoms FILE\n", f);
	if (symptoms->comm)
		put_text_shape(f, "--comm", symptoms->comm);
	if (symptoms->pid >= 0)
		fprintf(f, "--pid %d\n", symptoms->pid);
	if (symptoms->min_ns > 0)
		fprintf(f, "--slower-than %lldns\n", (long long)symptoms->min_ns);
}

static void put_bits(FILE *f, const char *option, unsigned bits, unsigned n,
		     const char *(*name)(unsigned i))
{
	const char *comma = "";

	if (!bits)
		return;
	fprintf(f, "%s ", option);
	for (unsigned i = 0; i < n; i++) {
		if (!(bits >> i & 1))
			continue;
		fprintf(f, "%s%s", comma, name(i));
		comma = ",";
	}
	fputc('\n', f);
}

static const char *kind_name(unsigned i)
{
	return lode_event_kind_name((enum lode_event_kind)i);
}

static const char *reason_name(unsigned i)
{
	return lode_wait_reason_name((enum lode_wait_reason)i);
}

static void put_aoi(FILE *f, const struct lode_digest_job_options *options, bool only_given)
{
	static const char *const scopes[] = {"critical", "graph", "thread"};
	const struct lode_aoi_options *aoi = &options->aoi;

	if (!only_given || options->is_scope_given)
		fprintf(f, "--scope %s\n", scopes[aoi->scope]);
	if (!only_given || options->are_stacks_given)
		fprintf(f, "--stacks %s\n", aoi->own_stacks ? "own" : "chained");
	put_texts(f, "--include", aoi->include, aoi->n_include);
	put_texts(f, "--exclude", aoi->exclude, aoi->n_exclude);
	put_bits(f, "--only", aoi->kinds, LODE_N_EVENT_KINDS, kind_name);
	put_bits(f, "--reason", aoi->reasons, LODE_N_REASONS, reason_name);
}

const char *lode_shape_of(const struct lode_digest_job_options *options, bool only_given,
			  struct lode_arena *arena)
{
	char *text = NULL;
	size_t size;
	FILE *f = lode_written_open(&text, &size);

	put_symptoms(f, &options->symptoms);
	put_aoi(f, options, only_given);
	put_narrow(f, &options->narrow);
	if (options->folded_kind != LODE_EVENT_RUNNING)
		fprintf(f, "--kind %s\n", kind_name(options->folded_kind));
	if (options->unit && strcmp(options->unit, "samples") != 0)
		put_text_shape(f, "--unit", options->unit);
	if (options->symbols.want_inlined)
		fputs("--inline\n", f);
	if (options->symbols.keep_mangled)
		fputs("--no-demangle\n", f);
	return lode_written_keep(f, &text, &size, arena);
}

/* ---- Text -> questions ---- */

/* The next line from *at, without its end; NULL when there is none. */
static const char *next_line(const char **at, size_t *len)
{
	const char *line = *at, *feed = strchr(line, '\n');

	if (!*line)
		return NULL;
	*len = feed ? (size_t)(feed - line) : strlen(line);
	*at = line + *len + (feed != NULL);
	return line;
}

/* Of "--name value" */
static size_t name_length(const char *line, size_t len)
{
	const char *space = memchr(line, ' ', len);

	return space ? (size_t)(space - line) : len;
}

const char *lode_shape_value(const char *shape, const char *name, size_t *len)
{
	const char *line;
	size_t n, n_name = strlen(name);

	while ((line = next_line(&shape, &n))) {
		if (name_length(line, n) != n_name || memcmp(line, name, n_name) != 0)
			continue;
		*len = n > n_name ? n - n_name - 1 : 0;
		return line + (n > n_name ? n_name + 1 : n);
	}
	return NULL;
}

bool lode_shape_is_sound(const char *shape)
{
	static const struct {
		const char *name;
		bool has_value;
	} options[] = {
		{"--symptom", true}, {"--symptoms", true},     {"--comm", true},
		{"--pid", true},     {"--slower-than", true},  {"--scope", true},
		{"--stacks", true},  {"--include", true},      {"--exclude", true},
		{"--only", true},    {"--reason", true},       {"--time", true},
		{"--cpu", true},     {"--kind", true},	       {"--unit", true},
		{"--inline", false}, {"--no-demangle", false},
	};
	const char *line;
	size_t len, n_options = sizeof(options) / sizeof(*options);

	while ((line = next_line(&shape, &len))) {
		size_t n = name_length(line, len), i = 0;

		while (i < n_options &&
		       (strlen(options[i].name) != n || memcmp(options[i].name, line, n) != 0))
			i++;
		if (i == n_options || options[i].has_value != (len > n))
			return false;
	}
	return true;
}

bool lode_shape_is(const char *shape, const char *name, const char *value)
{
	size_t len = 0;
	const char *found = lode_shape_value(shape, name, &len);

	return found && strlen(value) == len && memcmp(found, value, len) == 0;
}

const char *const lode_scope_choices[] = {"critical", "graph", "thread", NULL};
const char *const lode_stacks_choices[] = {"chained", "own", NULL};

const char *lode_shape_choice(const char *shape, const char *option, const char *const *choices)
{
	size_t len = 0;
	const char *value = lode_shape_value(shape, option, &len);

	for (; *choices; choices++)
		if (value && strlen(*choices) == len && memcmp(value, *choices, len) == 0)
			return *choices;
	return "unknown";
}

bool lode_shape_has_default_symptoms(const char *shape)
{
	static const char *const options[] = {"--symptom", "--symptoms", "--comm", "--pid"};
	size_t len;

	for (size_t i = 0; i < sizeof(options) / sizeof(*options); i++)
		if (lode_shape_value(shape, options[i], &len))
			return false;
	return true;
}

static bool is_filter(const char *line, size_t len)
{
	static const char *const filters[] = {"--include", "--exclude", "--only", "--reason"};
	size_t n = name_length(line, len);

	for (size_t i = 0; i < sizeof(filters) / sizeof(*filters); i++)
		if (strlen(filters[i]) == n && memcmp(filters[i], line, n) == 0)
			return true;
	return false;
}

bool lode_shape_has_filters(const char *shape)
{
	const char *line;
	size_t len;

	while ((line = next_line(&shape, &len)))
		if (is_filter(line, len))
			return true;
	return false;
}

static bool has_line(const char *shape, const char *wanted, size_t n_wanted)
{
	const char *line;
	size_t len;

	while ((line = next_line(&shape, &len)))
		if (len == n_wanted && memcmp(line, wanted, len) == 0)
			return true;
	return false;
}

/* The first line of `shape` that `other` has not. */
static const char *missing_line(const char *shape, const char *other, bool pass_filters,
				size_t *len)
{
	const char *line;

	while ((line = next_line(&shape, len)))
		if (!(pass_filters && is_filter(line, *len)) && !has_line(other, line, *len))
			return line;
	return NULL;
}

/* How `shape` has the option of that line: "with --scope graph", "without --symptom". */
static void words(char *buffer, size_t size, const char *shape, const char *line, size_t len)
{
	char name[64];
	const char *value;
	size_t n;

	snprintf(name, sizeof(name), "%.*s", (int)name_length(line, len), line);
	value = lode_shape_value(shape, name, &n);
	if (value)
		snprintf(buffer, size, "with %s%s%.*s", name, n ? " " : "",
			 (int)(n < 100 ? n : 100), value);
	else
		snprintf(buffer, size, "without %s", name);
}

/* Says what is different in `shape` from `other`, if anything is. */
static int differ(const char *shape, const char *path, const char *other, const char *other_words,
		  bool pass_filters, struct lode_error *err)
{
	char here[256], there[256];
	size_t len;
	const char *line = missing_line(other, shape, pass_filters, &len);

	if (!line)
		line = missing_line(shape, other, pass_filters, &len);
	if (!line)
		return 0;
	words(here, sizeof(here), shape, line, len);
	words(there, sizeof(there), other, line, len);
	return lode_fail(err, LODE_ERR_ARG, path, -1,
			 "this digest was made %s, %s %s; digests made with different options "
			 "cannot be merged",
			 here, other_words, there);
}

int lode_shape_agree(bool *needs_filter, const struct lode_shape_demand *demand, const char *shape,
		     const char *path, struct lode_error *err)
{
	char other[600], here[256], asked[256];
	const char *line;
	size_t len;

	*needs_filter = lode_shape_has_filters(demand->given) && !lode_shape_has_filters(shape);
	line = missing_line(demand->given, shape, *needs_filter, &len);
	if (line) {
		words(here, sizeof(here), shape, line, len);
		words(asked, sizeof(asked), demand->given, line, len);
		return lode_fail(err, LODE_ERR_ARG, path, -1,
				 "this digest was made %s and cannot be mined %s: rebuild it from "
				 "its recording",
				 here, asked);
	}
	if (demand->has_streams)
		return differ(shape, path, demand->full, "the recordings beside it are read",
			      *needs_filter, err);
	if (!demand->first)
		return 0;
	snprintf(other, sizeof(other), "%.500s", demand->first_path);
	return differ(shape, path, demand->first, other, false, err);
}

bool lode_shape_difference(char a_words[256], char b_words[256], const char *a, const char *b)
{
	size_t len;
	const char *line = missing_line(b, a, false, &len);

	if (!line)
		line = missing_line(a, b, false, &len);
	if (!line)
		return false;
	words(a_words, 256, a, line, len);
	words(b_words, 256, b, line, len);
	return true;
}
