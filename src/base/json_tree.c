/* JSON from outside as a tree: what would not be safe is refused before it is parsed. */
#include "base/json_tree.h"

#include <stdbool.h>
#include <string.h>

static bool is_nested_too_deep(const char *text)
{
	int depth = 0;
	bool in_text = false;

	for (; *text; text++) {
		if (*text == '"')
			in_text = !in_text;
		else if (in_text && *text == '\\' && text[1])
			text++;
		else if (!in_text && (*text == '[' || *text == '{') &&
			 ++depth > LODE_JSON_MAX_NESTING)
			return true;
		else if (!in_text && (*text == ']' || *text == '}'))
			depth--;
	}
	return false;
}

/* "\u0000" would end a text before its end. Where; NULL: nowhere. */
static const char *find_escaped_nul(const char *text)
{
	for (; *text; text++) {
		if (*text != '\\' || !text[1])
			continue;
		if (strncmp(text, "\\u0000", 6) == 0)
			return text;
		text++;
	}
	return NULL;
}

int lode_json_tree_parse(yajl_val *out, const char *text, size_t size, const char *name,
			 struct lode_error *err)
{
	char message[256] = "";
	const char *nul;

	*out = NULL;
	if (strlen(text) != size)
		return lode_fail(err, LODE_ERR_FORMAT, name, (int64_t)strlen(text),
				 "a NUL byte: not JSON");
	if (is_nested_too_deep(text))
		return lode_fail(err, LODE_ERR_LIMIT, name, -1, "more than %d nested brackets",
				 (int)LODE_JSON_MAX_NESTING);
	nul = find_escaped_nul(text);
	if (nul)
		return lode_fail(err, LODE_ERR_FORMAT, name, (int64_t)(nul - text),
				 "a string that contains a NUL");
	*out = yajl_tree_parse(text, message, sizeof(message));
	if (*out)
		return 0;
	message[strcspn(message, "\n")] = '\0';
	return lode_fail(err, LODE_ERR_FORMAT, name, -1, "not JSON: %.200s",
			 *message ? message : "only blanks");
}

yajl_val lode_json_tree_member(yajl_val object, const char *name)
{
	const char *path[] = {name, NULL};

	return object && YAJL_IS_OBJECT(object) ? yajl_tree_get(object, path, yajl_t_any) : NULL;
}
