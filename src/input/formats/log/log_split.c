/* Splits a line of a log into fields. */
#include <stdio.h>
#include <yajl/yajl_parse.h>

#include "base/delimited.h"
#include "base/map.h"
#include "input/formats/log/log_layout.h"
#include "input/formats/log/log_tail.h"

enum { MAX_JSON_DEPTH = 8, MAX_JSON_NAME = 256 };

/* What the name of a JSON field suggests: a whole name more than the last part of a nested one. */
enum claim { NO_CLAIM, BY_LAST_PART, BY_NAME };
struct named {
	struct lode_log_meaning meaning;
	enum claim claim;
};

struct lode_log_splitter {
	/* JSON: where the parser is, and copies of what is wanted. */
	const struct lode_log_layout *layout;
	struct lode_strings names; /* names seen, and what each means */
	LODE_VEC(struct named) meanings;
	char name[MAX_JSON_NAME]; /* nested names, joined by dots */
	size_t ends[MAX_JSON_DEPTH + 1];
	struct lode_log_units units;
	int depth, array_depth;
	bool is_too_deep;
	LODE_VEC(char) text;
	size_t at[LODE_N_LOG_ROLES], len[LODE_N_LOG_ROLES];
	enum claim has[LODE_N_LOG_ROLES];
	uint32_t name_of[LODE_N_LOG_ROLES]; /* in names; LODE_NONE: not remembered */
};

struct lode_log_splitter *lode_log_splitter_new(void)
{
	return lode_alloc0(1, sizeof(struct lode_log_splitter));
}

void lode_log_splitter_free(struct lode_log_splitter *splitter)
{
	if (!splitter)
		return;
	lode_vec_release(&splitter->text);
	lode_strings_release(&splitter->names);
	lode_vec_release(&splitter->meanings);
	free(splitter);
}

/* ---- Literals ---- */

/* A quote behind an odd number of backslashes belongs to the field. */
static bool is_escaped(const char *p, const char *start)
{
	size_t n = 0;

	while (p - n > start && p[-1 - (ptrdiff_t)n] == '\\')
		n++;
	return n % 2 == 1;
}

/* Where the field from `start` ends: before `text`. NULL: nowhere. */
static const char *field_end(const char *start, const char *end, const char *text, size_t len,
			     enum lode_log_role role)
{
	for (const char *p = start; p < end; p++) {
		p = memchr(p, *text, (size_t)(end - p));
		if (!p || (size_t)(end - p) < len)
			return NULL;
		if (p[len - 1] != text[len - 1] || (len > 2 && memcmp(p, text, len) != 0))
			continue;
		if (*text == '"' && is_escaped(p, start))
			continue;
		if (role == LODE_LOG_UPSTREAM && *text == ' ' &&
		    lode_log_is_within_list(p, start, end))
			continue;
		return p;
	}
	return NULL;
}

static bool split_literals(const struct lode_log_layout *layout, const char *line, size_t len,
			   struct lode_slice *spans)
{
	const struct lode_log_step *steps = layout->steps.at;
	const char *at = line, *end = line + len, *stop;
	size_t n = layout->steps.n;

	if (len < steps[0].before_len || memcmp(line, steps[0].before, steps[0].before_len) != 0)
		return false;
	at += steps[0].before_len;
	for (size_t i = 0; i < n; i++) {
		bool is_last = i + 1 == n;
		const char *text = is_last ? layout->tail : steps[i + 1].before;
		size_t text_len = is_last ? layout->tail_len : steps[i + 1].before_len;

		if (is_last && text_len == 0)
			stop = end;
		else
			stop = field_end(at, end, text, text_len, steps[i].role);
		if (!stop)
			return false;
		spans[steps[i].role] = (struct lode_slice){at, (size_t)(stop - at)};
		at = stop + text_len;
	}
	return at == end;
}

/* ---- Columns ---- */

static bool split_by(const struct lode_log_layout *layout, char *line, size_t len, char delimiter,
		     struct lode_slice *spans)
{
	struct lode_cells cells = lode_cells(line, len, delimiter);

	cells.is_bare = layout->family == LODE_LOG_W3C; /* W3C logs have no quotes */
	for (size_t i = 0; i < layout->columns.n; i++)
		if (!lode_cells_next(&cells, &spans[layout->columns.at[i].role]))
			return false;
	return !cells.at && !cells.is_odd;
}

/* CloudFront names its columns with blanks between, and puts tabs between their values. */
static bool split_columns(const struct lode_log_layout *layout, char *line, size_t len,
			  struct lode_slice *spans)
{
	return split_by(layout, line, len, layout->delimiter, spans) ||
	       (layout->family == LODE_LOG_W3C && split_by(layout, line, len, '\t', spans));
}

/* ---- JSON ---- */

static bool is_time_role(enum lode_log_role role)
{
	return role == LODE_LOG_TIME || role == LODE_LOG_FINE_TIME || role == LODE_LOG_DATE;
}

/* "request.uri" is an action for its last part, unless a field of a whole known name is. A time of
   something nested is not the request's. */
static struct named name_json_field(const struct lode_log_layout *layout, const char *name,
				    size_t len)
{
	const char *dot = memrchr(name, '.', len), *part = dot ? dot + 1 : name;
	struct named named = {lode_log_meaning_with(layout->fields, name, len), BY_NAME};

	if (named.meaning.role != LODE_LOG_NONE || !dot)
		return named;
	named = (struct named){lode_log_meaning_with(layout->fields, part,
						     len - (size_t)(part - name)),
			       BY_LAST_PART};
	if (is_time_role(named.meaning.role))
		named.meaning.role = LODE_LOG_NONE;
	return named;
}

/* What the field that the parser is in means. LIMIT: names beyond 64k are not remembered. */
static struct named json_meaning(struct lode_log_splitter *s, uint32_t *id)
{
	size_t len = s->ends[s->depth];
	struct named named;

	*id = lode_strings_find(&s->names, s->name, len);
	if (*id != LODE_NONE)
		return s->meanings.at[*id];
	named = name_json_field(s->layout, s->name, len);
	if (s->meanings.n < 65536) {
		*id = lode_strings_intern(&s->names, s->name, len);
		lode_vec_append(&s->meanings, named);
	}
	return named;
}

static int json_value(struct lode_log_splitter *s, const char *text, size_t len)
{
	struct named named;
	enum lode_log_role role;
	uint32_t id;

	if (s->is_too_deep || s->array_depth)
		return 1;
	named = json_meaning(s, &id);
	role = named.meaning.role;
	if (role == LODE_LOG_NONE || s->has[role] >= named.claim)
		return 1;
	lode_log_units_add(&s->units, &named.meaning);
	s->has[role] = named.claim;
	s->name_of[role] = id;
	s->at[role] = s->text.n;
	s->len[role] = len;
	lode_vec_reserve(&s->text, s->text.n + len + 1);
	memcpy(s->text.at + s->text.n, text, len);
	s->text.n += len;
	return 1;
}

static int json_number(void *context, const char *text, size_t len)
{
	return json_value(context, text, len);
}

static int json_string(void *context, const unsigned char *text, size_t len)
{
	return json_value(context, (const char *)text, len);
}

static int json_key(void *context, const unsigned char *text, size_t len)
{
	struct lode_log_splitter *s = context;
	size_t from = s->depth > 1 ? s->ends[s->depth - 1] : 0;

	if (s->array_depth)
		return 1;
	s->is_too_deep = s->depth > MAX_JSON_DEPTH || from + len + 1 > MAX_JSON_NAME;
	if (s->is_too_deep)
		return 1;
	if (s->depth > 1)
		s->name[from++] = '.';
	memcpy(s->name + from, text, len);
	s->ends[s->depth] = from + len;
	return 1;
}

static int json_start_map(void *context)
{
	struct lode_log_splitter *s = context;

	if (s->depth < MAX_JSON_DEPTH) {
		s->depth++;
		s->ends[s->depth] = s->depth > 1 ? s->ends[s->depth - 1] : 0;
		return 1;
	}
	return 0; /* deeper than any log's record */
}

static int json_end_map(void *context)
{
	((struct lode_log_splitter *)context)->depth--;
	return 1;
}

static int json_start_array(void *context)
{
	((struct lode_log_splitter *)context)->array_depth++;
	return 1;
}

static int json_end_array(void *context)
{
	((struct lode_log_splitter *)context)->array_depth--;
	return 1;
}

static bool split_json(struct lode_log_splitter *s, const struct lode_log_layout *layout,
		       const char *line, size_t len, struct lode_slice *spans)
{
	static const yajl_callbacks callbacks = {
		.yajl_number = json_number,
		.yajl_string = json_string,
		.yajl_start_map = json_start_map,
		.yajl_map_key = json_key,
		.yajl_end_map = json_end_map,
		.yajl_start_array = json_start_array,
		.yajl_end_array = json_end_array,
	};
	yajl_handle parser;
	bool ok;

	s->layout = layout;
	s->depth = s->array_depth = 0;
	s->is_too_deep = false;
	s->text.n = 0;
	memset(s->has, 0, sizeof(s->has));
	parser = yajl_alloc(&callbacks, NULL, s);
	ok = parser && yajl_parse(parser, (const unsigned char *)line, len) == yajl_status_ok &&
	     yajl_complete_parse(parser) == yajl_status_ok;
	if (parser)
		yajl_free(parser);
	for (int role = 0; ok && role < LODE_N_LOG_ROLES; role++)
		if (s->has[role])
			spans[role] = (struct lode_slice){s->text.at + s->at[role], s->len[role]};
	return ok;
}

bool lode_log_split(struct lode_log_splitter *splitter, const struct lode_log_layout *layout,
		    char *line, size_t len, struct lode_slice spans[LODE_N_LOG_ROLES])
{
	memset(spans, 0, LODE_N_LOG_ROLES * sizeof(*spans));
	switch (layout->family) {
	case LODE_LOG_LITERALS:
		return split_literals(layout, line, len, spans);
	case LODE_LOG_TABLE:
	case LODE_LOG_W3C:
		return split_columns(layout, line, len, spans);
	case LODE_LOG_JSON:
		return split_json(splitter, layout, line, len, spans);
	}
	return false;
}

const struct lode_log_units *lode_log_split_units(const struct lode_log_splitter *splitter,
						  const struct lode_log_layout *layout)
{
	return layout->family == LODE_LOG_JSON ? &splitter->units : &layout->units;
}

const char *lode_log_split_name(const struct lode_log_splitter *splitter,
				const struct lode_log_layout *layout, enum lode_log_role role)
{
	if (layout->family != LODE_LOG_JSON)
		return layout->names[role];
	return splitter->has[role] && splitter->name_of[role] != LODE_NONE
		       ? splitter->names.text.at[splitter->name_of[role]]
		       : "";
}
