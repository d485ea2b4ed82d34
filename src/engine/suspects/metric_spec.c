/* Parses and matches the metrics of --metric. */
#include "engine/suspects/metric_spec.h"

#include "base/glob.h"
#include "base/slice.h"

static struct lode_slice trimmed(const char *begin, const char *end)
{
	return lode_slice_trim(lode_slice_between(begin, end));
}

static const char *keep_metric_spec(struct lode_metric_spec *spec, struct lode_slice piece)
{
	return lode_arena_strndup(&spec->arena, piece.at, piece.len);
}

static int wrong(struct lode_error *err, const char *text, const char *what)
{
	return lode_fail(err, LODE_ERR_ARG, NULL, -1,
			 "the metric '%s' %s (a glob such as 'syscall:*', or "
			 "'name=begin_event..end_event[by field]')",
			 text, what);
}

/* "system:event", as recordings name their tracepoints; probes and counters have other forms. */
static bool is_event(struct lode_slice piece)
{
	for (size_t i = 0; i < piece.len; i++)
		if (piece.at[i] == '[' || piece.at[i] == ']' || piece.at[i] == '=' ||
		    (unsigned char)piece.at[i] <= ' ')
			return false;
	return piece.len > 0;
}

static bool is_field(struct lode_slice piece)
{
	for (size_t i = 0; i < piece.len; i++) {
		char c = piece.at[i];

		if (!lode_is_word(c) || (lode_is_digit(c) && !i))
			return false;
	}
	return piece.len > 0;
}

/* "dev,sector", "pid=next_pid". */
static int add_keys(struct lode_metric_spec *spec, struct lode_own_metric *own,
		    struct lode_slice keys, struct lode_error *err)
{
	const char *at = keys.at, *end = keys.at + keys.len, *comma, *equals;
	struct lode_slice begin_key, end_key;

	do {
		comma = memchr(at, ',', (size_t)(end - at));
		if (!comma)
			comma = end;
		equals = memchr(at, '=', (size_t)(comma - at));
		begin_key = trimmed(at, equals ? equals : comma);
		end_key = equals ? trimmed(equals + 1, comma) : begin_key;
		if (!is_field(begin_key) || !is_field(end_key))
			return wrong(err, own->text, "has no field name after 'by'");
		if (own->n_keys == LODE_METRIC_KEYS)
			return wrong(err, own->text, "has more than four fields");
		own->begin_key[own->n_keys] = keep_metric_spec(spec, begin_key);
		own->end_key[own->n_keys++] = keep_metric_spec(spec, end_key);
		at = comma + 1;
	} while (comma < end);
	return 0;
}

/* Where " by " or "[by " begins behind `at`; `*keys` is what follows, without the brackets. */
static const char *find_by(const char *at, const char *end, struct lode_slice *keys)
{
	for (const char *p = at; p + 3 < end; p++) {
		if ((*p != '[' && *p != ' ') || memcmp(p + 1, "by ", 3) != 0)
			continue;
		if (*p == '[' && end[-1] == ']')
			end--;
		*keys = trimmed(p + 4, end);
		return p;
	}
	return NULL;
}

static int add_own(struct lode_metric_spec *spec, const char *text, struct lode_error *err)
{
	const char *equals = strchr(text, '='), *dots = strstr(text, "..");
	struct lode_own_metric own = {
		.text = keep_metric_spec(spec, (struct lode_slice){text, strlen(text)})};
	struct lode_slice name = trimmed(text, equals), begin, end, keys = {0};
	const char *by;
	int rc = 0;

	if (!dots || dots < equals)
		return wrong(err, text, "has no begin and end event");
	by = find_by(dots + 2, text + strlen(text), &keys);
	begin = trimmed(equals + 1, dots);
	end = trimmed(dots + 2, by ? by : text + strlen(text));
	if (!name.len)
		return wrong(err, text, "has no name");
	if (!is_event(begin))
		return wrong(err, text, "has no begin event");
	if (!is_event(end))
		return wrong(err, text, "has no end event");
	own.name = keep_metric_spec(spec, name);
	own.begin = keep_metric_spec(spec, begin);
	own.end = keep_metric_spec(spec, end);
	if (by)
		rc = add_keys(spec, &own, keys, err);
	for (size_t i = 0; rc == 0 && i < spec->own.n; i++)
		if (!strcmp(spec->own.at[i].name, own.name))
			rc = wrong(err, text, "has the same name as an earlier one");
	if (rc == 0)
		lode_vec_append(&spec->own, own);
	return rc;
}

int lode_metric_spec_add(struct lode_metric_spec *spec, const char *text, struct lode_error *err)
{
	if (!*text)
		return wrong(err, text, "is empty");
	if (strchr(text, '='))
		return add_own(spec, text, err);
	if (strstr(text, ".."))
		return wrong(err, text, "has no name");
	lode_vec_append(&spec->globs,
			keep_metric_spec(spec, (struct lode_slice){text, strlen(text)}));
	return 0;
}

void lode_metric_spec_release(struct lode_metric_spec *spec)
{
	lode_vec_release(&spec->globs);
	lode_vec_release(&spec->own);
	lode_arena_release(&spec->arena);
}

static bool is_everything(const struct lode_metric_spec *spec)
{
	return !spec || (!spec->globs.n && !spec->own.n);
}

/* "syscall" alone stands for "syscall:*". */
static bool is_kind_of(const char *glob, const char *name)
{
	size_t len = strlen(glob);

	return !strncmp(glob, name, len) && name[len] == ':';
}

bool lode_metric_spec_wants(const struct lode_metric_spec *spec, const char *name)
{
	if (is_everything(spec))
		return true;
	for (size_t i = 0; i < spec->globs.n; i++)
		if (lode_glob_match(spec->globs.at[i], name) || is_kind_of(spec->globs.at[i], name))
			return true;
	return false;
}

bool lode_metric_spec_may_want(const struct lode_metric_spec *spec, const char *kind)
{
	size_t len = strlen(kind);

	if (is_everything(spec))
		return true;
	for (size_t i = 0; i < spec->globs.n; i++) {
		const char *glob = spec->globs.at[i];
		size_t plain = strcspn(glob, "*?[\\:");

		/* Up to its first special character a glob must agree with the kind. */
		if (glob[plain] == ':' || !glob[plain] ? plain == len && !memcmp(glob, kind, len)
						       : plain <= len && !memcmp(glob, kind, plain))
			return true;
	}
	return false;
}
