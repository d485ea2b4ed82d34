/* Recognises which text of a log's lines has which role. */
#include "input/formats/log/log_layout.h"

#include <stdio.h>

#include "base/delimited.h"
#include "base/escape.h"
#include "input/formats/log/log_tail.h"

static const int64_t ns_per_s = 1000000000;

static const char combined[] = "$remote_addr - $remote_user [$time_local] \"$request\" $status "
			       "$body_bytes_sent \"$http_referer\" \"$http_user_agent\"";
static const char common[] =
	"$remote_addr - $remote_user [$time_local] \"$request\" $status $body_bytes_sent";
/* Behind whatever syslog puts before it. */
static const char haproxy[] =
	"haproxy:%ci [%tr] %ft %bs %TIMERS %ST %B %CC %CS %tsc %ac %sq \"%r\"";

/* ---- Making ---- */

static struct lode_log_layout *new_layout(enum lode_log_family family, const char *words)
{
	struct lode_log_layout *layout = lode_alloc0(1, sizeof(*layout));

	layout->family = family;
	snprintf(layout->words, sizeof(layout->words), "%s", words);
	return layout;
}

void lode_log_layout_free(struct lode_log_layout *layout)
{
	if (!layout)
		return;
	lode_vec_release_each(&layout->steps, it, free(it->before));
	lode_vec_release(&layout->columns);
	free(layout->tail);
	free(layout);
}

/* A format under way: the literal text since the last field. */
struct compiler {
	struct lode_log_layout *layout;
	const char *fields;
	LODE_VEC(char) literal;
};

static void add_field(struct compiler *c, struct lode_log_meaning meaning)
{
	struct lode_log_step *step = lode_vec_append_zero(&c->layout->steps);

	lode_vec_append(&c->literal, '\0');
	step->before = lode_strdup(c->literal.at);
	step->before_len = c->literal.n - 1;
	step->role = meaning.role;
	lode_log_units_add(&c->layout->units, &meaning);
	c->literal.n = 0;
}

/* nginx: $name or ${name}. */
static const char *take_variable(struct compiler *c, const char *p)
{
	const char *name = p + 1 + (p[1] == '{'), *end = name;

	while (lode_is_word(*end))
		end++;
	add_field(c, lode_log_meaning_with(c->fields, name, (size_t)(end - name)));
	return end + (p[1] == '{' && *end == '}');
}

/* What a directive of Apache means: `letter` behind % and its modifiers, `inside` its braces. */
static struct lode_log_meaning apache_meaning(const char *letter, const char *inside, size_t len)
{
	struct lode_log_meaning m = {0};
	bool is_end = len > 4 && !memcmp(inside, "end:", 4);

	if (len > 6 && !memcmp(inside, "begin:", 6)) {
		inside += 6;
		len -= 6;
	} else if (is_end) {
		inside += 4;
		len -= 4;
	}
	switch (*letter) {
	case 'u':
		m.role = LODE_LOG_USER;
		break;
	case 'r':
		m.role = LODE_LOG_REQUEST;
		break;
	case 's':
		m.role = LODE_LOG_STATUS;
		break;
	case 'm':
		m.role = LODE_LOG_METHOD;
		break;
	case 'U':
		m.role = LODE_LOG_URL;
		break;
	case 'D':
		m = (struct lode_log_meaning){LODE_LOG_RESPONSE, 1000, false};
		break;
	case 'T':
		m = (struct lode_log_meaning){LODE_LOG_RESPONSE, ns_per_s, false};
		if (len == 2 && inside[0] == 'm')
			m.unit_ns = 1000000;
		else if (len == 2 && inside[0] == 'u')
			m.unit_ns = 1000;
		break;
	case 't': /* Apache's time is the request's arrival, unless it is set otherwise */
		m = (struct lode_log_meaning){LODE_LOG_TIME, 0, !is_end};
		if (len == 9 && !memcmp(inside, "msec_frac", 9))
			m = (struct lode_log_meaning){LODE_LOG_FRACTION, 1000000, false};
		else if (len == 9 && !memcmp(inside, "usec_frac", 9))
			m = (struct lode_log_meaning){LODE_LOG_FRACTION, 1000, false};
		else if (len >= 4 && (!memcmp(inside, "msec", 4) || !memcmp(inside, "usec", 4)))
			m.role = LODE_LOG_FINE_TIME;
		break;
	default:
		break;
	}
	return m;
}

/* Apache: %>s, %{User-agent}i, %!200{X}i, %%. */
static const char *take_directive(struct compiler *c, const char *p)
{
	const char *start = p++, *inside = "", *letter;
	size_t len = 0;
	struct lode_log_meaning meaning, given;

	while (*p == '<' || *p == '>' || *p == '!' || *p == ',' || lode_is_digit(*p))
		p++;
	if (*p == '{') {
		inside = p + 1;
		len = strcspn(inside, "}");
		p = inside + len + (inside[len] == '}');
	}
	letter = p;
	if (!*letter)
		return p;
	p += *letter == '^' && p[1] && p[2] ? 3 : 1;
	meaning = apache_meaning(letter, inside, len);
	/* The user may name the directive, or what is in its braces. */
	given = lode_log_meaning_with(c->fields, start, (size_t)(p - start));
	if (given.role == LODE_LOG_NONE && len && *letter != 't' && *letter != 'T')
		given = lode_log_meaning_with(c->fields, inside, len);
	if (given.role != LODE_LOG_NONE)
		meaning = given;
	else if (meaning.role == LODE_LOG_USER && c->fields && strstr(c->fields, "user="))
		meaning.role = LODE_LOG_NONE;
	add_field(c, meaning);
	return p;
}

/* HAProxy: %ci, %{+Q}r, %[expression]. */
static const char *take_haproxy(struct compiler *c, const char *p)
{
	static const struct {
		const char *name;
		struct lode_log_meaning meaning;
	} known[] = {
		{"tr", {LODE_LOG_TIME, 0, true}},	 {"trg", {LODE_LOG_TIME, 0, true}},
		{"trl", {LODE_LOG_TIME, 0, true}},	 {"t", {LODE_LOG_TIME, 0, true}},
		{"T", {LODE_LOG_TIME, 0, true}},	 {"TIMERS", {LODE_LOG_TIMERS, 0, false}},
		{"Ta", {LODE_LOG_RESPONSE, 1000000, 0}}, {"Tt", {LODE_LOG_RESPONSE, 1000000, 0}},
		{"Tr", {LODE_LOG_UPSTREAM, 1000000, 0}}, {"ST", {LODE_LOG_STATUS, 0, false}},
		{"r", {LODE_LOG_REQUEST, 0, false}},	 {"HM", {LODE_LOG_METHOD, 0, false}},
		{"HU", {LODE_LOG_URL, 0, false}},	 {"HP", {LODE_LOG_URL, 0, false}},
	};
	const char *name = p + 1, *end;
	struct lode_log_meaning meaning;

	if (*name == '{')
		name += strcspn(name, "}") + 1;
	if (*name == '[') {
		end = name + strcspn(name, "]");
		end += *end == ']';
	} else {
		for (end = name; lode_is_word(*end); end++)
			;
	}
	meaning = lode_log_meaning_with(c->fields, name, (size_t)(end - name));
	for (size_t i = 0; meaning.role == LODE_LOG_NONE && i < sizeof(known) / sizeof(known[0]);
	     i++)
		if (strlen(known[i].name) == (size_t)(end - name) &&
		    !memcmp(known[i].name, name, (size_t)(end - name)))
			meaning = known[i].meaning;
	add_field(c, meaning);
	return end;
}

/* Takes the log_format directive off, as it stands in nginx.conf: name, quotes, semicolon. */
static char *bare_format(const char *format)
{
	static const char directive[] = "log_format";
	const char *p = format + strspn(format, " \t");
	char *out = lode_alloc(strlen(format) + 1), *q = out;

	if (strncmp(p, directive, sizeof(directive) - 1) != 0) {
		memcpy(out, format, strlen(format) + 1);
		return out;
	}
	for (p = strchr(p, '\''); p; p = strchr(p, '\'')) {
		size_t n = strcspn(++p, "'");

		memcpy(q, p, n);
		q += n;
		p += n;
		if (*p)
			p++;
	}
	*q = '\0';
	return out;
}

static int check_steps(const struct lode_log_layout *layout, const char *format,
		       struct lode_error *err)
{
	bool has_time = false, has_response = false;

	for (size_t i = 0; i < layout->steps.n; i++) {
		enum lode_log_role role = layout->steps.at[i].role;

		if (i && !layout->steps.at[i].before_len)
			return lode_fail(
				err, LODE_ERR_ARG, NULL, -1,
				"the log format has two fields without a separator: '%.80s'",
				format);
		has_time |= role == LODE_LOG_TIME || role == LODE_LOG_FINE_TIME;
		has_response |= role == LODE_LOG_RESPONSE || role == LODE_LOG_TIMERS;
	}
	if (!has_time || !has_response)
		return lode_fail(err, LODE_ERR_ARG, NULL, -1, "the log format has no %s: '%.80s'",
				 has_time ? "response time ($request_time, %D, %Ta ...)"
					  : "time ($time_local, $msec, %t ...)",
				 format);
	return LODE_OK;
}

static void compile_steps(struct compiler *c, const char *p, bool is_haproxy, bool is_nginx)
{
	while (*p) {
		if (is_haproxy && *p == '%' && p[1] && p[1] != '%')
			p = take_haproxy(c, p);
		else if (is_nginx && *p == '$' && (p[1] == '{' || lode_is_word(p[1])))
			p = take_variable(c, p);
		else if (!is_haproxy && !is_nginx && *p == '%' && p[1] && p[1] != '%')
			p = take_directive(c, p);
		else {
			bool is_escaped = (p[0] == '\\' && p[1] == '"') ||
					  (!is_nginx && p[0] == '%' && p[1] == '%');

			lode_vec_append(&c->literal, is_escaped ? p[1] : *p);
			p += is_escaped ? 2 : 1;
		}
	}
}

static struct lode_log_layout *compile(const char *format, const char *fields, const char *words)
{
	struct compiler c = {.fields = fields};
	char *bare = bare_format(format);
	bool is_haproxy = strncmp(bare, "haproxy:", 8) == 0;

	c.layout = new_layout(LODE_LOG_LITERALS, words);
	compile_steps(&c, bare + (is_haproxy ? 8 : 0), is_haproxy,
		      !is_haproxy && strchr(bare, '$') != NULL);
	lode_vec_append(&c.literal, '\0');
	c.layout->tail = lode_strdup(c.literal.at);
	c.layout->tail_len = c.literal.n - 1;
	lode_vec_release(&c.literal);
	free(bare);
	return c.layout;
}

int lode_log_layout_compile(struct lode_log_layout **out, const char *format, const char *fields,
			    struct lode_error *err)
{
	struct lode_log_layout *layout;
	int rc;

	*out = NULL;
	if (!strcmp(format, "haproxy"))
		layout = compile(haproxy, fields, "HAProxy's httplog");
	else if (!strcmp(format, "combined"))
		layout = compile("$remote_addr - $remote_user [$time_local] \"$request\" $status "
				 "$body_bytes_sent \"$http_referer\" \"$http_user_agent\" "
				 "$request_time",
				 fields, "combined, then the response time");
	else
		layout = compile(format, fields, "the format given");
	rc = check_steps(layout, format, err);
	if (rc < 0) {
		lode_log_layout_free(layout);
		return rc;
	}
	*out = layout;
	return LODE_OK;
}

static bool is_complete(const struct lode_log_layout *layout)
{
	bool has_time = false, has_response = false;

	for (size_t i = 0; i < layout->columns.n; i++) {
		enum lode_log_role role = layout->columns.at[i].role;

		has_time |= role == LODE_LOG_TIME || role == LODE_LOG_FINE_TIME;
		has_response |= role == LODE_LOG_RESPONSE;
	}
	return has_time && has_response;
}

static void add_column(struct lode_log_layout *layout, const char *name, size_t len,
		       const char *fields)
{
	struct lode_log_meaning meaning = lode_log_meaning_with(fields, name, len);

	/* Of two columns of one role the first has it. */
	for (size_t i = 0; i < layout->columns.n; i++)
		if (layout->columns.at[i].role == meaning.role)
			meaning = (struct lode_log_meaning){0};
	lode_vec_append(&layout->columns, meaning);
	lode_log_units_add(&layout->units, &meaning);
	if (meaning.role)
		snprintf(layout->names[meaning.role], sizeof(layout->names[0]), "%.*s", (int)len,
			 name);
}

/* A date of its own is one only beside a time of day: alone it is the time. */
static void settle_date(struct lode_log_layout *layout)
{
	bool has_time = false;

	for (size_t i = 0; i < layout->columns.n; i++)
		has_time |= layout->columns.at[i].role == LODE_LOG_TIME;
	for (size_t i = 0; !has_time && i < layout->columns.n; i++)
		if (layout->columns.at[i].role == LODE_LOG_DATE)
			layout->columns.at[i].role = LODE_LOG_TIME;
}

struct lode_log_layout *lode_log_layout_table(const char *header, size_t len, const char *fields)
{
	struct lode_log_layout *layout = new_layout(LODE_LOG_TABLE, "a table with a header");
	char *copy = lode_alloc(len + 1);
	struct lode_cells cells = lode_cells(copy, len, '\0');
	struct lode_slice name;

	memcpy(copy, header, len);
	cells.delimiter = layout->delimiter = lode_cells_delimiter(header, len, ",;\t|");
	while (layout->delimiter && lode_cells_next(&cells, &name)) {
		name = lode_cells_name(name);
		add_column(layout, name.at, name.len, fields);
	}
	free(copy);
	settle_date(layout);
	if (!is_complete(layout)) {
		lode_log_layout_free(layout);
		return NULL;
	}
	return layout;
}

bool lode_log_is_iis(const char *head, size_t len)
{
	return memmem(head, len, "Microsoft Internet Information", 30) ||
	       memmem(head, len, " sc-win32-status", 16) || memmem(head, len, " sc-substatus", 13);
}

struct lode_log_layout *lode_log_layout_w3c(const char *names, size_t len, const char *fields,
					    bool is_iis)
{
	struct lode_log_layout *layout = new_layout(LODE_LOG_W3C, "W3C extended");
	const char *end = names + len;

	layout->delimiter = ' ';
	while (names < end) {
		const char *p;

		while (names < end && (lode_is_blank(*names) || *names == '\r'))
			names++;
		for (p = names; p < end && *p != ' ' && *p != '\t' && *p != '\r'; p++)
			;
		if (p > names)
			add_column(layout, names, (size_t)(p - names), fields);
		names = p;
	}
	settle_date(layout);
	/* IIS has ms; others (CloudFront, Tomcat) seconds with a fraction, which say so themselves.
	 */
	layout->is_iis = is_iis;
	if (is_iis && !layout->units.response_ns)
		layout->units.response_ns = 1000000;
	return layout;
}

struct lode_log_layout *lode_log_layout_json(const char *fields)
{
	struct lode_log_layout *layout = new_layout(LODE_LOG_JSON, "JSON lines");

	layout->fields = fields;
	return layout;
}

/* ---- Guessing ---- */

/* The common fields of a line, and what follows them as one more (any role that they do not use).
 */
static struct lode_log_layout *compile_head(bool has_agent)
{
	struct lode_log_layout *layout = compile(has_agent ? combined : common, NULL, "");
	struct lode_log_step *rest;

	if (has_agent) {
		rest = lode_vec_append_zero(&layout->steps);
		rest->before = lode_strdup("\"");
		rest->before_len = 1;
	} else {
		rest = &layout->steps.at[layout->steps.n - 1]; /* the size begins it */
	}
	rest->role = LODE_LOG_FRACTION;
	free(layout->tail);
	layout->tail = lode_strdup("");
	layout->tail_len = 0;
	return layout;
}

typedef LODE_VEC(struct lode_slice) tail_list;

/* What follows the common fields in each line that has them. A log that was cut may begin within a
   line; if the first three have none, others are not looked at. */
static void collect_tails(tail_list *tails, char *text, char *end, bool has_agent)
{
	struct lode_log_splitter *splitter = lode_log_splitter_new();
	struct lode_log_layout *layout = compile_head(has_agent);
	struct lode_slice spans[LODE_N_LOG_ROLES];
	int n_missed = 0;

	for (char *feed; text < end; text = feed + 1) {
		struct lode_slice *tail = &spans[LODE_LOG_FRACTION];
		size_t skipped = 0;

		feed = memchr(text, '\n', (size_t)(end - text));
		if (!feed && tails->n) /* it may be cut */
			break;
		feed = feed ? feed : end;
		if (lode_log_split(splitter, layout, text,
				   (size_t)(feed - text - (feed > text && feed[-1] == '\r')),
				   spans) &&
		    spans[LODE_LOG_STATUS].len == 3) {
			while (!has_agent && skipped < tail->len && tail->at[skipped] != ' ')
				skipped++;
			lode_vec_append(tails, ((struct lode_slice){tail->at + skipped,
								    tail->len - skipped}));
		} else if (!tails->n && ++n_missed == 3) {
			break;
		}
	}
	lode_log_layout_free(layout);
	lode_log_splitter_free(splitter);
}

/* The lines of a common or combined log, with whatever stands behind these fields. */
static struct lode_log_layout *guess_combined(const char *head, size_t size, const char *fields,
					      char *why, size_t why_size)
{
	struct lode_log_layout *layout = NULL;
	char *copy = lode_alloc(size + 1), format[2000], chosen[300], words[600];
	tail_list tails = {0};
	bool has_agent = true;
	size_t n;

	memcpy(copy, head, size);
	copy[size] = '\0';
	collect_tails(&tails, copy, copy + size, has_agent);
	if (!tails.n)
		collect_tails(&tails, copy, copy + size, has_agent = false);
	n = (size_t)snprintf(format, sizeof(format), "%s", has_agent ? combined : common);
	if (tails.n && lode_log_tail_format(tails.at, tails.n, format + n, sizeof(format) - n,
					    chosen, sizeof(chosen), why, why_size)) {
		snprintf(words, sizeof(words), "%s log%s", has_agent ? "combined" : "common",
			 chosen);
		layout = compile(format, fields, words);
	}
	lode_vec_release(&tails);
	free(copy);
	return layout;
}

/* Five, as in "10/20/30/69/109"; quoted fields of other logs have HAProxy's blanks, too. */
static bool has_timers(const struct lode_slice *span)
{
	size_t n = 0;

	for (size_t i = 0; i < span->len; i++)
		n += span->at[i] == '/';
	return n == 4;
}

/* Does the layout fit this line, with a time and a response time? */
static bool fits(const struct lode_log_layout *layout, const char *line, size_t len)
{
	struct lode_log_splitter *splitter = lode_log_splitter_new();
	struct lode_slice spans[LODE_N_LOG_ROLES];
	char *copy = lode_alloc(len + 1);
	bool ok;

	memcpy(copy, line, len);
	copy[len] = '\0';
	ok = lode_log_split(splitter, layout, copy, len, spans) &&
	     (spans[LODE_LOG_TIME].at || spans[LODE_LOG_FINE_TIME].at) &&
	     (spans[LODE_LOG_RESPONSE].at || has_timers(&spans[LODE_LOG_TIMERS]));
	free(copy);
	lode_log_splitter_free(splitter);
	return ok;
}

struct lode_log_layout *lode_log_layout_guess(const char *head, size_t size, const char *fields,
					      char *why, size_t why_size)
{
	struct lode_log_layout *layout;
	const char *feed, *w3c;
	char shown[100];
	size_t len;

	/* A writer that goes on at its old place in a file that was truncated leaves a hole. */
	while (size && !*head)
		head++, size--;
	feed = memchr(head, '\n', size);
	len = feed ? (size_t)(feed - head) : size;
	if (len && head[len - 1] == '\r')
		len--;
	snprintf(why, why_size, "'%s' is not a line of a known log format; give the format",
		 lode_escape_fit(shown, sizeof(shown), head, 60));
	if (memchr(head, '\0', len) || !len)
		return NULL;
	if (head[0] == '#') {
		w3c = memmem(head, size, "#Fields:", 8);
		if (!w3c)
			return NULL;
		feed = memchr(w3c, '\n', size - (size_t)(w3c - head));
		return feed ? lode_log_layout_w3c(w3c + 8, (size_t)(feed - w3c - 8), fields,
						  lode_log_is_iis(head, (size_t)(feed - head)))
			    : NULL;
	}
	if (head[0] == '{') {
		layout = lode_log_layout_json(fields);
		if (fits(layout, head, len))
			return layout;
		lode_log_layout_free(layout);
		snprintf(why, why_size,
			 "its objects have no known time and response time fields; name them, as "
			 "in --fields 'time=ts,response=took:ms'");
		return NULL;
	}
	layout = compile(haproxy, fields, "HAProxy's httplog");
	if (fits(layout, head, len))
		return layout;
	lode_log_layout_free(layout);
	layout = lode_log_layout_table(head, len, fields);
	if (!layout)
		layout = guess_combined(head, size, fields, why, why_size);
	return layout;
}

/* "12ms", "0.25" or "31", read in the unit: "ms", "s, for its fraction". */
static const char *unit_words(int64_t unit_ns, const struct lode_slice *text, enum lode_comma comma)
{
	if (unit_ns)
		return unit_ns == 1	    ? "ns"
		       : unit_ns == 1000    ? "us"
		       : unit_ns == 1000000 ? "ms"
					    : "s";
	if (text->len && lode_is_digit(text->at[text->len - 1]))
		return memchr(text->at, comma == LODE_COMMA_DECIMAL ? ',' : '.', text->len)
			       ? "s, for its fraction"
			       : "no unit";
	return "with its unit";
}

/* The next line from *line on that is a request; a table's header is none. */
static bool next_request(const struct lode_log_layout *layout, struct lode_log_splitter *splitter,
			 struct lode_slice spans[LODE_N_LOG_ROLES], char **line, const char *text,
			 const char *end)
{
	char *feed;

	for (char *p = *line; (feed = memchr(p, '\n', (size_t)(end - p))) != NULL; p = feed + 1) {
		*line = feed + 1;
		if (*p != '#' && (p != text || layout->family != LODE_LOG_TABLE) &&
		    lode_log_split(splitter, layout, p,
				   (size_t)(feed - p - (feed > p && feed[-1] == '\r')), spans) &&
		    (spans[LODE_LOG_RESPONSE].at || spans[LODE_LOG_TIMERS].at))
			return true;
	}
	return false;
}

/* What commas in response times mean, by all of the head; the words that say it, "": there are
 * none.
 */
static const char *settle_commas(struct lode_log_layout *layout, struct lode_log_splitter *splitter,
				 char *text, const char *end)
{
	struct lode_slice spans[LODE_N_LOG_ROLES];
	struct lode_comma_sight sight = {0};
	bool has_commas = false;

	for (char *p = text; next_request(layout, splitter, spans, &p, text, end);) {
		const struct lode_slice *response = &spans[LODE_LOG_RESPONSE];

		if (!response->at)
			continue;
		has_commas |= memchr(response->at, ',', response->len) != NULL;
		lode_comma_look(&sight, response->at, response->len);
	}
	layout->comma = lode_comma_decide(&sight, layout->delimiter);
	if (!has_commas)
		return "";
	layout->is_comma_assumed = !sight.n_decimal && !sight.n_thousands;
	if (layout->is_comma_assumed)
		return layout->comma == LODE_COMMA_DECIMAL
			       ? "; decimal commas (assumed: no number shows it)"
			       : "; commas between thousands (assumed: no number shows it)";
	return layout->comma == LODE_COMMA_DECIMAL ? "; decimal commas"
						   : "; commas between thousands";
}

void lode_log_layout_describe(struct lode_log_layout *layout, const char *head, size_t size)
{
	static const struct {
		enum lode_log_role role;
		const char *words;
	} told[] = {
		{LODE_LOG_TIME, "time"},
		{LODE_LOG_FINE_TIME, "time"},
		{LODE_LOG_RESPONSE, "response time"},
		{LODE_LOG_UPSTREAM, "upstream time"},
		{LODE_LOG_REQUEST, "action"},
		{LODE_LOG_URL, "action"},
		{LODE_LOG_USER, "user"},
	};
	struct lode_log_splitter *splitter = lode_log_splitter_new();
	struct lode_slice spans[LODE_N_LOG_ROLES];
	char *copy = lode_alloc(size + 1), *p = copy, name[120];
	const struct lode_log_units *units;
	size_t n = strlen(layout->words);
	const char *commas;
	bool ok;

	copy[size] = '\0';
	memcpy(copy, head, size);
	commas = settle_commas(layout, splitter, copy, copy + size);
	memcpy(copy, head, size);
	ok = next_request(layout, splitter, spans, &p, copy, copy + size);
	units = lode_log_split_units(splitter, layout);
	for (size_t i = 0; ok && i < sizeof(told) / sizeof(told[0]); i++) {
		enum lode_log_role role = told[i].role;
		const char *field = lode_log_split_name(splitter, layout, role);
		bool is_duration = role == LODE_LOG_RESPONSE || role == LODE_LOG_UPSTREAM;

		if (!spans[role].at || !*field || n + 1 >= sizeof(layout->words))
			continue;
		n += (size_t)snprintf(
			layout->words + n, sizeof(layout->words) - n, "; %s: %s%s%s%s",
			told[i].words, lode_escape_fit(name, sizeof(name), field, 60),
			is_duration					? " ("
			: role <= LODE_LOG_FINE_TIME && units->is_start ? " (start"
									: "",
			is_duration ? unit_words(role == LODE_LOG_RESPONSE ? units->response_ns
									   : units->upstream_ns,
						 &spans[role], layout->comma)
				    : "",
			is_duration || (role <= LODE_LOG_FINE_TIME && units->is_start) ? ")" : "");
	}
	layout->has_action = !ok || spans[LODE_LOG_REQUEST].at || spans[LODE_LOG_URL].at;
	if (n < sizeof(layout->words))
		snprintf(layout->words + n, sizeof(layout->words) - n, "%s", commas);
	lode_log_splitter_free(splitter);
	free(copy);
}
