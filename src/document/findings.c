/* What was found, in a sentence and in lines, and the latter as JSON. */
#include "document/findings.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>

#include "base/json_tree.h"
#include "base/json.h"
#include "base/escape.h"
#include "base/shell_words.h"
#include "base/written.h"
#include "document/fields.h"
#include "document/prose.h"
#include "document/units.h"

/* ---- What an answer says first, and the command that comes next ---- */

static const struct lode_field opening_fields[] = {
	LODE_FIELD(struct lode_opening, finding,
		   "the main finding in a sentence or two: how much, in how many recordings"),
	LODE_FIELD(struct lode_opening, next_command, "the command to run next, quoted for a shell",
		   .absent = "there is no next step, or no command made the document"),
};
const struct lode_record lode_opening_record =
	LODE_RECORD_OF("opening", opening_fields, struct lode_opening, .is_shared = true);

void lode_asked_release(struct lode_asked *asked)
{
	free(asked->options);
	free(asked->next_options);
	free(asked->operands);
	*asked = (struct lode_asked){0};
}

const char *lode_next_again(struct lode_arena *arena, const struct lode_asked *asked,
			    const char *format, ...)
{
	char *text;
	size_t size;
	va_list args;
	FILE *out;

	if (!asked)
		return NULL;
	out = lode_written_open(&text, &size);
	fprintf(out, "lode %s%s ", asked->command, asked->options);
	va_start(args, format);
	vfprintf(out, format, args);
	va_end(args);
	fputs(asked->operands, out);
	return lode_written_keep(out, &text, &size, arena);
}

const char *lode_next_page(struct lode_arena *arena, const struct lode_asked *asked)
{
	if (!asked || asked->has_page)
		return NULL;
	return lode_next_again(arena, asked, "--html %.*s.html", (int)strcspn(asked->command, " "),
			       asked->command);
}

const char *lode_next_word(struct lode_arena *arena, const char *word)
{
	char *text;
	size_t size;
	FILE *out = lode_written_open(&text, &size);

	lode_shell_word_put(out, word);
	return lode_written_keep(out, &text, &size, arena);
}

const char *lode_next_words(struct lode_arena *arena, const char *const *words, size_t n_words)
{
	char *text;
	size_t size;
	FILE *out = lode_written_open(&text, &size);

	lode_shell_words_put(out, words, n_words);
	return lode_written_keep(out, &text, &size, arena);
}

const char *lode_next_of_repo(struct lode_arena *arena, const char *command, const char *repo)
{
	return lode_finding_text(arena, "lode %s --repo %s", command, lode_next_word(arena, repo));
}

const char *lode_opening_spread(struct lode_arena *arena, size_t n, size_t n_all)
{
	char all[LODE_UNITS_BUFFER], some[LODE_UNITS_BUFFER];

	if (n_all <= 1)
		return "";
	lode_format_count(all, n_all);
	if (n == n_all)
		return lode_finding_text(arena, ", in all %s recordings", all);
	return lode_finding_text(arena, ", in %s of %s recordings", lode_format_count(some, n),
				 all);
}

const char *lode_opening_part(int64_t part_ns, int64_t whole_ns)
{
	return part_ns > whole_ns - part_ns ? "most of it" : "the largest part of it";
}

void lode_opening_put(FILE *out, const struct lode_opening *opening,
		      const struct lode_text_page *page)
{
	size_t size = 4 * strlen(opening->finding) + 1;
	size_t next_size = opening->next_command ? 4 * strlen(opening->next_command) + 1 : 0;
	char *safe = lode_alloc(size + next_size);

	fputs(lode_style_start(LODE_STYLE_BOLD, page->has_color), out);
	lode_prose_put(out, page, 0, lode_escape(safe, size, opening->finding));
	fputs(lode_style_end(LODE_STYLE_BOLD, page->has_color), out);
	if (next_size)
		fprintf(out, "Next: %s%s%s\n", lode_style_start(LODE_STYLE_ACCENT, page->has_color),
			lode_escape(safe, next_size, opening->next_command),
			lode_style_end(LODE_STYLE_ACCENT, page->has_color));
	free(safe);
}

/* ---- Findings ---- */

const char *lode_finding_text(struct lode_arena *arena, const char *format, ...)
{
	char text[2000];
	va_list args;

	va_start(args, format);
	if (vsnprintf(text, sizeof(text), format, args) < 0)
		text[0] = '\0';
	va_end(args);
	return lode_arena_strdup(arena, text);
}

void lode_findings_open(struct lode_findings *out, const struct lode_opening *opening,
			struct lode_arena *arena)
{
	*out = (struct lode_findings){.summary = lode_arena_strdup(arena, opening->finding),
				      .next_command =
					      lode_arena_strdup(arena, opening->next_command)};
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

	return value ? lode_arena_strdup(arena, YAJL_GET_STRING(value)) : NULL;
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

		finding->params[i].name = lode_arena_strdup(arena, name);
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
