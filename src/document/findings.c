/* Lines that tell what was found, and the same as JSON. */
#include "document/findings.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>

#include "base/json_tree.h"
#include "base/json.h"
#include "document/opening.h"

const char *lode_finding_text(struct lode_arena *arena, const char *format, ...)
{
	char text[2000];
	va_list args;
	int n;

	va_start(args, format);
	n = vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	return lode_arena_strndup(arena, text,
				  n < 0			   ? 0
				  : n >= (int)sizeof(text) ? sizeof(text) - 1
							   : (size_t)n);
}

static const char *kept(struct lode_arena *arena, const char *text)
{
	return text ? lode_arena_strndup(arena, text, strlen(text)) : NULL;
}

void lode_findings_open(struct lode_findings *out, const struct lode_opening *opening,
			struct lode_arena *arena)
{
	*out = (struct lode_findings){.summary = kept(arena, opening->finding),
				      .next_command = kept(arena, opening->next_command)};
}

struct lode_finding *lode_findings_add(struct lode_findings *findings, const char *text,
				       const char *path)
{
	struct lode_finding *finding = &findings->details[findings->n_details++];

	*finding = (struct lode_finding){.text = text, .share = NAN, .path = path};
	return finding;
}

/* ---- Names ---- */

const char *lode_finding_id(struct lode_arena *arena, uint64_t id)
{
	return lode_finding_text(arena, "%016" PRIx64, id);
}

const char *lode_finding_function(const char *name)
{
	const char *bang = strchr(name, '!');

	return bang && bang[1] ? bang + 1 : name;
}

/* ---- JSON ---- */

void lode_findings_put(FILE *out, const struct lode_findings *findings)
{
	struct lode_json *json = lode_json_open_plain(out);

	lode_json_text(json, "summary", findings->summary);
	if (findings->next_command)
		lode_json_text(json, "next_command", findings->next_command);
	lode_json_int(json, "weight", findings->weight);
	lode_json_array(json, "details");
	for (size_t i = 0; i < findings->n_details; i++) {
		const struct lode_finding *finding = &findings->details[i];

		lode_json_object(json, NULL);
		lode_json_text(json, "text", finding->text);
		if (!isnan(finding->share))
			lode_json_exact(json, "share", finding->share);
		if (finding->path)
			lode_json_text(json, "path", finding->path);
		lode_json_object(json, "params");
		for (size_t k = 0; k < LODE_FINDING_PARAMS && finding->params[k].name; k++)
			lode_json_text(json, finding->params[k].name, finding->params[k].value);
		lode_json_end_object(json);
		lode_json_end_object(json);
	}
	lode_json_end_array(json);
	lode_json_close(json);
}

static const char *text_member(struct lode_arena *arena, yajl_val object, const char *name)
{
	yajl_val value = lode_json_tree_member(object, name);
	const char *text = value ? YAJL_GET_STRING(value) : NULL;

	return text ? lode_arena_strndup(arena, text, strlen(text)) : NULL;
}

static void parse_detail(struct lode_findings *out, yajl_val object, struct lode_arena *arena)
{
	const char *text = text_member(arena, object, "text");
	yajl_val share = lode_json_tree_member(object, "share");
	yajl_val params = lode_json_tree_member(object, "params");
	struct lode_finding *finding;

	if (!text || !lode_findings_have_room(out))
		return;
	finding = lode_findings_add(out, text, text_member(arena, object, "path"));
	if (share && YAJL_IS_NUMBER(share))
		finding->share = YAJL_GET_DOUBLE(share);
	for (size_t i = 0; params && YAJL_IS_OBJECT(params) && i < params->u.object.len &&
			   i < LODE_FINDING_PARAMS;
	     i++) {
		const char *name = params->u.object.keys[i];

		finding->params[i].name = lode_arena_strndup(arena, name, strlen(name));
		finding->params[i].value = text_member(arena, params, name);
		if (!finding->params[i].value)
			finding->params[i].value = "";
	}
}

bool lode_findings_parse(struct lode_findings *out, const char *json, size_t n,
			 struct lode_arena *arena)
{
	yajl_val root = NULL, weight, details;

	*out = (struct lode_findings){.summary = ""};
	if (lode_json_tree_parse(&root, json, n, NULL, NULL) < 0)
		return false;
	out->summary = text_member(arena, root, "summary");
	out->next_command = text_member(arena, root, "next_command");
	weight = lode_json_tree_member(root, "weight");
	details = lode_json_tree_member(root, "details");
	if (weight && YAJL_IS_INTEGER(weight))
		out->weight = YAJL_GET_INTEGER(weight);
	for (size_t i = 0; details && YAJL_IS_ARRAY(details) && i < details->u.array.len; i++)
		parse_detail(out, details->u.array.values[i], arena);
	yajl_tree_free(root);
	if (!out->summary)
		out->summary = "";
	return true;
}
