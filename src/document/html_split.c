/* Splits a report into what its page shows at once and the rest. */
#include "document/html_split.h"

#include "base/ascii.h"

/* What is set apart, by schema. */
struct plan {
	const char *schema;
	const char *items; /* the member that is an array of objects */
	const char *const *of_document, *const *of_item;
};

static const char *const mine_document[] = {"frames", "reasons", "devices", "paths", NULL};
static const char *const mine_item[] = {"patterns",	"patterns_more", "signature",
					"worst",	"worst_more",	 "by_stream",
					"gap_variants", "flame",	 NULL};

static const struct plan plans[] = {
	{"lode/mine/1", "clusters", mine_document, mine_item},
};

static const struct plan *plan_of(const char *schema)
{
	for (size_t i = 0; i < sizeof(plans) / sizeof(*plans); i++)
		if (strcmp(plans[i].schema, schema) == 0)
			return &plans[i];
	return NULL;
}

static void add_html_split(struct lode_html_text *text, const char *bytes, size_t n)
{
	lode_vec_append_all(&text->bytes, bytes, n);
}

static char last_of(const struct lode_html_text *text)
{
	return text->bytes.n ? text->bytes.at[text->bytes.n - 1] : 0;
}

/* ---- Walking over JSON; what is not sound has no end, and gives NULL ---- */

static const char *skip_blank(const char *at, const char *end)
{
	while (at < end && lode_is_blank(*at))
		at++;
	return at;
}

/* Past the string that begins at `at`. */
static const char *skip_string(const char *at, const char *end)
{
	if (at >= end || *at != '"')
		return NULL;
	for (at++; at < end; at++) {
		if (*at == '"')
			return at + 1;
		if (*at == '\\' && ++at == end)
			return NULL;
	}
	return NULL;
}

/* Past any value: brackets are counted, not matched, since the text is only passed on. */
static const char *skip_value(const char *at, const char *end)
{
	const char *start = at;
	size_t depth = 0;

	while (at && at < end) {
		if (*at == '"') {
			at = skip_string(at, end);
			if (at && depth == 0)
				return at;
			continue;
		}
		if (*at == '{' || *at == '[') {
			depth++;
		} else if (*at == '}' || *at == ']') {
			if (depth == 0)
				return at > start ? at : NULL; /* a number or a word ends here */
			if (--depth == 0)
				return at + 1;
		} else if (*at == ',' && depth == 0) {
			return at > start ? at : NULL;
		}
		at++;
	}
	return NULL;
}

struct member {
	const char *key, *value, *end; /* the key's quotation mark, and past the value */
};

/*
 * Takes the next member of the object that *at is in, behind its '{' or a member; false at its '}',
 * which *at then is behind. *at becomes NULL where the text is not sound.
 */
static bool next_member(struct member *m, const char **at, const char *end)
{
	const char *p = skip_blank(*at, end);

	if (p < end && *p == ',')
		p = skip_blank(p + 1, end);
	else if (p < end && *p == '}') {
		*at = p + 1;
		return false;
	}
	m->key = p;
	p = skip_string(p, end);
	p = p ? skip_blank(p, end) : NULL;
	if (!p || p >= end || *p != ':') {
		*at = NULL;
		return false;
	}
	m->value = skip_blank(p + 1, end);
	m->end = skip_value(m->value, end);
	*at = m->end;
	return m->end != NULL;
}

static bool key_is(const struct member *m, const char *name)
{
	size_t n = strlen(name);

	return strncmp(m->key + 1, name, n) == 0 && m->key[1 + n] == '"';
}

static bool is_set_apart(const struct member *m, const char *const *names)
{
	while (*names && !key_is(m, *names))
		names++;
	return *names != NULL;
}

/* ---- Parting ---- */

static void begin_line(struct lode_html_split *out)
{
	lode_vec_append(&out->lines, out->rest.bytes.n);
}

static void end_line(struct lode_html_split *out)
{
	add_html_split(&out->rest, "\n", 1);
}

static void put_member(struct lode_html_text *text, const struct member *m, bool is_first)
{
	if (!is_first)
		add_html_split(text, ",", 1);
	add_html_split(text, m->key, (size_t)(m->end - m->key));
}

/* One item, an object; past it, or NULL. */
static const char *split_item(struct lode_html_split *out, const struct plan *plan, const char *at,
			      const char *end)
{
	struct member m;
	bool is_first_apart = true;

	if (at >= end || *at != '{')
		return NULL;
	at++;
	add_html_split(&out->light, "{", 1);
	begin_line(out);
	while (next_member(&m, &at, end)) {
		if (is_set_apart(&m, plan->of_item)) {
			put_member(&out->rest, &m, is_first_apart);
			is_first_apart = false;
		} else {
			put_member(&out->light, &m, last_of(&out->light) == '{');
		}
	}
	add_html_split(&out->light, "}", 1);
	end_line(out);
	return at;
}

static bool split_items(struct lode_html_split *out, const struct plan *plan,
			const struct member *items)
{
	const char *at = items->value, *end = items->end;

	if (*at != '[')
		return false;
	add_html_split(&out->light, items->key, (size_t)(items->value - items->key));
	add_html_split(&out->light, "[", 1);
	at = skip_blank(at + 1, end);
	while (at && at < end && *at != ']') {
		if (*at == ',') {
			add_html_split(&out->light, ",", 1);
			at = skip_blank(at + 1, end);
		}
		at = split_item(out, plan, at, end);
		at = at ? skip_blank(at, end) : NULL;
	}
	add_html_split(&out->light, "]", 1);
	return at && at < end;
}

static bool split_document(struct lode_html_split *out, const struct plan *plan, const char *json,
			   size_t n)
{
	const char *end = json + n, *at = json;
	struct lode_html_text top = {0}; /* line 0 comes first, and is known last */
	struct member m, items = {0};
	bool is_sound;

	if (n == 0 || *at++ != '{')
		return false;
	while (next_member(&m, &at, end)) {
		if (key_is(&m, plan->items))
			items = m;
		else if (is_set_apart(&m, plan->of_document))
			put_member(&top, &m, top.bytes.n == 0);
	}
	is_sound = at && skip_blank(at, end) == end && items.key;
	if (is_sound) {
		begin_line(out);
		add_html_split(&out->rest, top.bytes.at, top.bytes.n);
		end_line(out);
	}
	lode_vec_release(&top.bytes);
	add_html_split(&out->light, "{", 1);
	for (at = json + 1; is_sound && next_member(&m, &at, end);) {
		if (is_set_apart(&m, plan->of_document))
			continue;
		if (last_of(&out->light) != '{')
			add_html_split(&out->light, ",", 1);
		if (m.key == items.key)
			is_sound = split_items(out, plan, &m);
		else
			add_html_split(&out->light, m.key, (size_t)(m.end - m.key));
	}
	add_html_split(&out->light, "}", 1);
	return is_sound;
}

bool lode_html_split(struct lode_html_split *out, const char *schema, const char *json, size_t n)
{
	const struct plan *plan = plan_of(schema);

	*out = (struct lode_html_split){0};
	if (plan && split_document(out, plan, json, n))
		return true;
	lode_html_split_release(out);
	return false;
}

void lode_html_split_release(struct lode_html_split *split)
{
	lode_vec_release(&split->light.bytes);
	lode_vec_release(&split->rest.bytes);
	lode_vec_release(&split->lines);
}

/* ---- Putting together ---- */

struct lines {
	const char *at, *end;
};

/* Adds the next line's members to the object that `out` is about to end. */
static bool add_line(struct lode_html_text *out, struct lines *lines)
{
	const char *newline = memchr(lines->at, '\n', (size_t)(lines->end - lines->at));

	if (!newline)
		return false;
	if (newline > lines->at && last_of(out) != '{')
		add_html_split(out, ",", 1);
	add_html_split(out, lines->at, (size_t)(newline - lines->at));
	lines->at = newline + 1;
	return true;
}

static bool join_items(struct lode_html_text *out, struct lines *lines, const struct member *items)
{
	const char *at = items->value, *end = items->end;

	if (*at != '[')
		return false;
	add_html_split(out, items->key, (size_t)(at + 1 - items->key));
	for (at++; at < end && *at != ']';) {
		const char *next;

		if (*at == ',') {
			add_html_split(out, at++, 1);
			continue;
		}
		next = skip_value(at, end);
		if (*at != '{' || !next || next[-1] != '}')
			return false;
		add_html_split(out, at, (size_t)(next - at) - 1);
		if (!add_line(out, lines))
			return false;
		add_html_split(out, "}", 1);
		at = next;
	}
	add_html_split(out, "]", 1);
	return at + 1 == end;
}

bool lode_html_join(struct lode_html_text *out, const char *schema, const char *light,
		    size_t light_bytes, const char *rest, size_t rest_bytes)
{
	const struct plan *plan = plan_of(schema);
	const char *end = light + light_bytes, *at = light;
	struct lines top = {rest, rest + rest_bytes}, lines = top;
	struct lode_html_text nothing = {0};
	bool is_sound = plan && light_bytes && *at++ == '{' && add_line(&nothing, &lines);
	struct member m;

	lode_vec_release(&nothing.bytes);
	if (!is_sound)
		return false;
	add_html_split(out, "{", 1);
	while (is_sound && next_member(&m, &at, end)) {
		if (last_of(out) != '{')
			add_html_split(out, ",", 1);
		if (key_is(&m, plan->items))
			is_sound = join_items(out, &lines, &m);
		else
			add_html_split(out, m.key, (size_t)(m.end - m.key));
	}
	is_sound = is_sound && at && skip_blank(at, end) == end && lines.at == lines.end;
	if (is_sound)
		is_sound = add_line(out, &top);
	add_html_split(out, "}", 1);
	return is_sound;
}
