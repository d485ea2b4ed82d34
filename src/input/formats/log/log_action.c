/* Derives a request's action from its URL. */
#define PCRE2_CODE_UNIT_WIDTH 8

#include "input/formats/log/log_action.h"

#include <pcre2.h>

#include "base/mem.h"

/* LIMIT: what stands behind it in a longer path is not part of the action. */
enum { MAX_ACTION_BYTES = 512, MAX_METHOD_BYTES = 16 };

enum rule { RULE_NORMAL, RULE_PATH, RULE_FIRST, RULE_LAST, RULE_REGEX };

struct lode_log_action {
	enum rule rule;
	pcre2_code *regex;
	pcre2_match_data *match;
	char *replacement;
	char buffer[MAX_METHOD_BYTES + 1 + MAX_ACTION_BYTES];
	char replaced[MAX_ACTION_BYTES];
};

static int compile(struct lode_log_action *action, const char *rule, const char *arrow,
		   struct lode_error *err)
{
	int code;
	PCRE2_SIZE at;
	PCRE2_UCHAR message[128];

	action->rule = RULE_REGEX;
	action->regex =
		pcre2_compile((PCRE2_SPTR)rule, (PCRE2_SIZE)(arrow - rule), 0, &code, &at, NULL);
	if (!action->regex) {
		pcre2_get_error_message(code, message, sizeof(message));
		return lode_fail(err, LODE_ERR_ARG, NULL, -1,
				 "invalid regular expression for actions: %s at '%.40s'",
				 (const char *)message, rule + at);
	}
	(void)pcre2_jit_compile(action->regex, PCRE2_JIT_COMPLETE);
	action->match = pcre2_match_data_create_from_pattern(action->regex, NULL);
	action->replacement = lode_strdup(arrow + 2);
	return LODE_OK;
}

int lode_log_action_new(struct lode_log_action **out, const char *rule, struct lode_error *err)
{
	struct lode_log_action *action = lode_alloc0(1, sizeof(*action));
	const char *arrow = rule ? strstr(rule, "=>") : NULL;
	int rc = LODE_OK;

	*out = NULL;
	if (!rule)
		action->rule = RULE_NORMAL;
	else if (!strcmp(rule, "path"))
		action->rule = RULE_PATH;
	else if (!strcmp(rule, "first"))
		action->rule = RULE_FIRST;
	else if (!strcmp(rule, "last"))
		action->rule = RULE_LAST;
	else if (arrow)
		rc = compile(action, rule, arrow, err);
	else
		rc = lode_fail(err, LODE_ERR_ARG, NULL, -1,
			       "'%.60s' is not a rule for actions: expected path, first, last, or "
			       "'REGEX=>TEXT'",
			       rule);
	if (rc < 0) {
		lode_log_action_free(action);
		return rc;
	}
	*out = action;
	return LODE_OK;
}

void lode_log_action_free(struct lode_log_action *action)
{
	if (!action)
		return;
	pcre2_code_free(action->regex);
	pcre2_match_data_free(action->match);
	free(action->replacement);
	free(action);
}

/* What a character of a path can be a part of. */
enum { DIGIT = 1, HEX = 2, DASH = 4, END = 8 };
static const uint8_t class_of[256] = {
	['0' ... '9'] = DIGIT | HEX,
	['a' ... 'f'] = HEX,
	['A' ... 'F'] = HEX,
	['-'] = DASH,
	['?'] = END,
	['#'] = END,
	[';'] = END,
};

static unsigned look_up_log_action(const char *p)
{
	return class_of[(unsigned char)*p];
}

/* The path of a URL: without scheme and host, query and fragment. */
static const char *path_of(const char *url, size_t *len)
{
	const char *end = url + *len, *p, *scheme;

	scheme = *len > 8 ? memchr(url, ':', *len < 12 ? *len : 12) : NULL;
	if (scheme && end - scheme > 3 && scheme[1] == '/' && scheme[2] == '/' &&
	    !memchr(url, '?', (size_t)(scheme - url))) {
		url = memchr(scheme + 3, '/', (size_t)(end - scheme - 3));
		if (!url)
			url = end;
	}
	for (p = url; p < end && !(look_up_log_action(p) & END); p++)
		;
	*len = (size_t)(p - url);
	return url;
}

/*
 * An element that names one thing of many: a number, a long hexadecimal number, a UUID. Gives where
 * it ends, or NULL; most elements that are none tell by their first letters.
 */
static const char *skip_id(const char *p, const char *end)
{
	const char *start = p;
	size_t n_digits = 0, n_dashes = 0, len;
	unsigned class;

	for (; p < end && (class = look_up_log_action(p)) != 0; p++) {
		n_digits += class & DIGIT;
		n_dashes += class == DASH;
	}
	len = (size_t)(p - start);
	if ((p < end && *p != '/') || n_digits == 0)
		return NULL;
	if (n_digits == len)
		return p;
	return len - n_dashes >= 8 && (n_dashes == 0 || n_dashes == 4) ? p : NULL;
}

static size_t normal(char *out, const char *path, size_t len)
{
	const char *p = path, *end = path + len;
	size_t n = 0;

	while (p < end && n + 2 < MAX_ACTION_BYTES) {
		const char *behind = skip_id(p, end);

		if (behind) {
			out[n++] = '*';
		} else {
			const char *slash = memchr(p, '/', (size_t)(end - p));
			size_t element;

			behind = slash ? slash : end;
			element = (size_t)(behind - p);
			if (element > MAX_ACTION_BYTES - n - 2)
				element = MAX_ACTION_BYTES - n - 2;
			memcpy(out + n, p, element);
			n += element;
		}
		p = behind;
		if (p < end)
			out[n++] = *p++;
	}
	/* "/items/" and "/items" are one */
	if (n > 1 && out[n - 1] == '/')
		n--;
	return n;
}

static const char *element_of(const char *path, size_t *len, bool is_last)
{
	const char *end = path + *len, *p;

	while (end > path && end[-1] == '/')
		end--;
	while (path < end && *path == '/')
		path++;
	if (is_last) {
		for (p = end; p > path && p[-1] != '/'; p--)
			;
		path = p;
	} else {
		p = memchr(path, '/', (size_t)(end - path));
		end = p ? p : end;
	}
	*len = (size_t)(end - path);
	return path;
}

static const char *replace(struct lode_log_action *action, const char *url, size_t *len)
{
	PCRE2_SIZE size = sizeof(action->replaced);
	int n = pcre2_substitute(action->regex, (PCRE2_SPTR)url, *len, 0,
				 PCRE2_SUBSTITUTE_EXTENDED | PCRE2_SUBSTITUTE_UNSET_EMPTY,
				 action->match, NULL, (PCRE2_SPTR)action->replacement,
				 PCRE2_ZERO_TERMINATED, (PCRE2_UCHAR *)action->replaced, &size);

	if (n <= 0)
		return NULL;
	*len = size;
	return action->replaced;
}

bool lode_log_action_wants_query(const struct lode_log_action *action)
{
	return action->rule == RULE_REGEX;
}

const char *lode_log_action_of(struct lode_log_action *action, const char *method,
			       size_t method_len, const char *url, size_t url_len, size_t *len)
{
	char *out = action->buffer;
	const char *path;
	size_t n = 0;

	if (action->rule == RULE_REGEX) {
		*len = url_len;
		path = replace(action, url, len);
		if (path)
			return path;
	}
	*len = url_len;
	path = path_of(url, len);
	switch (action->rule) {
	case RULE_FIRST:
	case RULE_LAST:
		path = element_of(path, len, action->rule == RULE_LAST);
		break;
	case RULE_NORMAL:
	case RULE_REGEX:
		if (method_len && method_len < MAX_METHOD_BYTES && memcmp(method, "GET", 3) != 0 &&
		    memcmp(method, "HEAD", method_len < 4 ? method_len : 4) != 0) {
			memcpy(out, method, method_len);
			out[method_len] = ' ';
			n = method_len + 1;
		}
		n += normal(out + n, path, *len);
		*len = n;
		return out;
	case RULE_PATH:
		break;
	}
	if (*len > MAX_ACTION_BYTES)
		*len = MAX_ACTION_BYTES;
	return path;
}
