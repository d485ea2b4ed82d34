/* Tables of fields as JSON Schema and as Markdown. */
#include "document/fields.h"
#include "base/json.h"

/* Records that a schema defines once. */
typedef LODE_VEC(const struct lode_record *) record_list;

static void put_record(struct lode_json *json, const struct lode_record *record);

static void put_reference(struct lode_json *json, const struct lode_record *record)
{
	char text[200];

	snprintf(text, sizeof(text), "#/definitions/%s", record->name);
	lode_json_text(json, "$ref", text);
}

static bool is_unsigned(const struct lode_field *field)
{
	switch (field->type) {
	case LODE_TYPE_UINT64:
	case LODE_TYPE_UINT32:
	case LODE_TYPE_UINT16:
	case LODE_TYPE_UINT8:
		return true;
	default:
		return field->is_positive;
	}
}

static const char *json_type(enum lode_field_type type)
{
	switch (type) {
	case LODE_TYPE_BOOL:
		return "boolean";
	case LODE_TYPE_NUMBER:
	case LODE_TYPE_EXACT:
	case LODE_TYPE_FLOAT:
		return "number";
	case LODE_TYPE_TEXT:
	case LODE_TYPE_ID:
	case LODE_TYPE_NAME:
	case LODE_TYPE_FRAME:
	case LODE_TYPE_LABEL:
	case LODE_TYPE_MODULE:
	case LODE_TYPE_CHOICE:
		return "string";
	case LODE_TYPE_RECORD:
	case LODE_TYPE_FIELDS:
		return "object";
	default:
		return "integer";
	}
}

static void put_type(struct lode_json *json, const char *type, bool or_null)
{
	if (!or_null) {
		lode_json_text(json, "type", type);
		return;
	}
	lode_json_array(json, "type");
	lode_json_text(json, NULL, type);
	lode_json_text(json, NULL, "null");
	lode_json_end_array(json);
}

/* The members of the schema of one value. */
static void put_value(struct lode_json *json, const struct lode_field *field, bool or_null)
{
	if (field->choices && !field->choices[1] && !or_null) {
		lode_json_text(json, "const", field->choices[0]);
		return;
	}
	if (field->choices) {
		bool is_integer = strcmp(json_type(field->type), "integer") == 0;

		if (is_integer)
			put_type(json, "integer", or_null);
		lode_json_array(json, "enum");
		for (const char *const *name = field->choices; *name; name++) {
			if (is_integer)
				lode_json_int(json, NULL, strtoll(*name, NULL, 10));
			else
				lode_json_text(json, NULL, *name);
		}
		if (or_null)
			lode_json_null(json, NULL);
		lode_json_end_array(json);
		return;
	}
	if (field->type == LODE_TYPE_RECORD && field->record->is_shared && !or_null) {
		put_reference(json, field->record);
		return;
	}
	if (field->type != LODE_TYPE_RECORD || !field->record->forms)
		put_type(json, json_type(field->type), or_null);
	if (field->type == LODE_TYPE_RECORD)
		put_record(json, field->record);
	if (field->type == LODE_TYPE_ID)
		lode_json_text(json, "pattern", "^[0-9a-f]{16}$");
	if (field->pattern)
		lode_json_text(json, "pattern", field->pattern);
	if (is_unsigned(field) || field->least < 0)
		lode_json_int(json, "minimum",
			      field->shape == LODE_SHAPE_ONE || field->least < 0 ? field->least
										 : 0);
	if (field->most || field->is_negative)
		lode_json_int(json, "maximum", field->most);
}

/* The names that a map may have, as a pattern. */
static void open_map_names(struct lode_json *json, const char *const *names)
{
	char pattern[1000] = "^";
	size_t used = 1;

	for (const char *const *name = names; *name && used < sizeof(pattern); name++)
		used += (size_t)snprintf(pattern + used, sizeof(pattern) - used, "%c%s",
					 name == names ? '(' : '|', *name);
	snprintf(pattern + used, sizeof(pattern) - used, ")$");
	lode_json_object(json, "patternProperties");
	lode_json_object(json, pattern);
}

/* `absent`: when the field is, in words. */
static void put_doc(struct lode_json *json, const struct lode_field *field, const char *absent)
{
	char text[1000];

	if (!field->doc && !absent)
		return;
	snprintf(text, sizeof(text), "%s%s%s%s", field->doc ? field->doc : "",
		 field->doc && absent ? "; " : "",
		 !absent	  ? ""
		 : field->is_null ? "null if "
				  : "absent if ",
		 absent ? absent : "");
	lode_json_text(json, "description", text);
}

/* The same of one item of a list. */
static void put_item(struct lode_json *json, const struct lode_field *field)
{
	if (!field->n_each && field->shape != LODE_SHAPE_LISTS) {
		put_value(json, field, field->has_gaps);
		return;
	}
	put_type(json, "array", false);
	lode_json_object(json, "items");
	put_value(json, field, false);
	lode_json_end_object(json);
	if (!field->n_each)
		return;
	lode_json_int(json, "minItems", field->n_each);
	lode_json_int(json, "maxItems", field->n_each);
}

/* When a field is absent, in words: as it says itself, or those around it. */
static const char *absence_of(const struct lode_field *field, const char *around)
{
	return field->absent ? field->absent : around;
}

static void put_field(struct lode_json *json, const struct lode_field *field, const char *around)
{
	lode_json_object(json, field->name);
	if (field->label)
		lode_json_text(json, "title", field->label);
	if (field->shape == LODE_SHAPE_LIST || field->shape == LODE_SHAPE_LISTS) {
		put_type(json, "array", field->absent && field->is_null);
		lode_json_object(json, "items");
		put_item(json, field);
		lode_json_end_object(json);
		if (field->least > 0)
			lode_json_int(json, "minItems", field->least);
	} else if (field->shape == LODE_SHAPE_MAP) {
		put_type(json, "object", false);
		if (field->choices)
			open_map_names(json, field->choices);
		else
			lode_json_object(json, "additionalProperties");
		put_value(json, &field->record->fields[1], false);
		lode_json_end_object(json);
		if (field->choices) {
			lode_json_end_object(json);
			lode_json_bool(json, "additionalProperties", false);
		}
	} else {
		put_value(json, field, field->absent && field->is_null);
	}
	put_doc(json, field, absence_of(field, around));
	lode_json_end_object(json);
}

static void put_properties(struct lode_json *json, const struct lode_record *record,
			   const char *around)
{
	for (size_t i = 0; i < record->n_fields; i++) {
		const struct lode_field *field = &record->fields[i];

		if (field->type == LODE_TYPE_FIELDS)
			put_properties(json, field->record, absence_of(field, around));
		else
			put_field(json, field, around);
	}
}

static void put_required(struct lode_json *json, const struct lode_record *record)
{
	for (size_t i = 0; i < record->n_fields; i++) {
		const struct lode_field *field = &record->fields[i];

		if (field->absent && !field->is_null)
			continue;
		if (field->type == LODE_TYPE_FIELDS)
			put_required(json, field->record);
		else
			lode_json_text(json, NULL, field->name);
	}
}

/* The member of a document that names its schema; "" any. */
static void put_schema_name(struct lode_json *json, const char *schema)
{
	lode_json_object(json, "schema");
	if (*schema)
		lode_json_text(json, "const", schema);
	lode_json_end_object(json);
}

/* What stands behind "type": "object"; `schema` of a document, else NULL. */
static void put_members(struct lode_json *json, const struct lode_record *record,
			const char *schema)
{
	lode_json_object(json, "properties");
	if (schema)
		put_schema_name(json, schema);
	put_properties(json, record, NULL);
	lode_json_end_object(json);
	lode_json_array(json, "required");
	if (schema)
		lode_json_text(json, NULL, "schema");
	put_required(json, record);
	lode_json_end_array(json);
	if (!record->is_open)
		lode_json_bool(json, "additionalProperties", false);
}

static void put_record(struct lode_json *json, const struct lode_record *record)
{
	if (!record->forms) {
		put_members(json, record, NULL);
		return;
	}
	lode_json_array(json, "oneOf");
	for (const struct lode_record *const *form = record->forms; *form; form++) {
		lode_json_object(json, NULL);
		lode_json_text(json, "type", "object");
		put_members(json, *form, NULL);
		lode_json_end_object(json);
	}
	lode_json_end_array(json);
}

/* ---- What is defined once ---- */

static void find_shared(record_list *found, const struct lode_record *record)
{
	for (const struct lode_record *const *form = record->forms; form && *form; form++)
		find_shared(found, *form);
	for (size_t i = 0; i < record->n_fields; i++) {
		const struct lode_field *field = &record->fields[i];
		bool is_new = field->record && field->record->is_shared;

		for (size_t k = 0; is_new && k < found->n; k++)
			is_new = found->at[k] != field->record;
		if (is_new)
			lode_vec_append(found, field->record);
		if (field->record && (is_new || !field->record->is_shared))
			find_shared(found, field->record);
	}
}

static void put_definitions(struct lode_json *json, const struct lode_document *document)
{
	record_list shared = {0};

	find_shared(&shared, document->record);
	if (document->other_record)
		find_shared(&shared, document->other_record);
	if (shared.n)
		lode_json_object(json, "definitions");
	for (size_t i = 0; i < shared.n; i++) {
		lode_json_object(json, shared.at[i]->name);
		if (!shared.at[i]->forms)
			lode_json_text(json, "type", "object");
		put_record(json, shared.at[i]);
		lode_json_end_object(json);
	}
	if (shared.n)
		lode_json_end_object(json);
	lode_vec_release(&shared);
}

/* Either of two: what they have in common, then each. */
static void put_forms(struct lode_json *json, const struct lode_document *document)
{
	const struct lode_record *forms[] = {document->record, document->other_record};

	lode_json_object(json, "properties");
	put_schema_name(json, document->schema);
	lode_json_end_object(json);
	lode_json_array(json, "required");
	lode_json_text(json, NULL, "schema");
	lode_json_end_array(json);
	lode_json_array(json, "oneOf");
	for (size_t i = 0; i < 2; i++) {
		lode_json_object(json, NULL);
		lode_json_text(json, "type", "object");
		put_members(json, forms[i], "");
		lode_json_end_object(json);
	}
	lode_json_end_array(json);
}

void lode_document_put_schema(FILE *out, const struct lode_document *document)
{
	struct lode_json *json = lode_json_open_pretty(out);

	lode_json_text(json, "$schema", "http://json-schema.org/draft-07/schema#");
	lode_json_text(json, "$id", document->schema);
	lode_json_text(json, "title", document->title);
	if (document->doc)
		lode_json_text(json, "description", document->doc);
	put_definitions(json, document);
	lode_json_text(json, "type", "object");
	if (document->other_record)
		put_forms(json, document);
	else
		put_members(json, document->record, document->schema);
	lode_json_close(json);
}

/* ---- Markdown ---- */

static const char *type_text(const struct lode_field *field)
{
	switch (field->type) {
	case LODE_TYPE_ID:
		return "id";
	case LODE_TYPE_CHOICE:
		return "choice";
	case LODE_TYPE_TEXT:
	case LODE_TYPE_NAME:
	case LODE_TYPE_MODULE:
		return "text";
	case LODE_TYPE_FRAME:
	case LODE_TYPE_LABEL:
		return "function";
	case LODE_TYPE_BOOL:
		return "boolean";
	case LODE_TYPE_NUMBER:
	case LODE_TYPE_EXACT:
	case LODE_TYPE_FLOAT:
		return "number";
	case LODE_TYPE_RECORD:
		return "object";
	default:
		return lode_field_is_ns(field) ? "ns" : "integer";
	}
}

static void put_doc_cell(FILE *out, const struct lode_field *field, const char *absent)
{
	for (const char *const *name = field->choices; name && *name; name++)
		fprintf(out, "%s`%s`", name == field->choices ? "" : ", ", *name);
	if (field->choices && field->doc)
		fputs(": ", out);
	fputs(field->doc ? field->doc : "", out);
	if (absent)
		fprintf(out, "%s%s if %s", field->doc || field->choices ? "; " : "",
			field->is_null ? "null" : "absent", absent);
}

static void put_rows(FILE *out, const struct lode_record *record, const char *prefix,
		     const char *around)
{
	char path[500];

	for (const struct lode_record *const *form = record->forms; form && *form; form++)
		put_rows(out, *form, prefix, around);
	for (size_t i = 0; i < record->n_fields; i++) {
		const struct lode_field *field = &record->fields[i];

		if (field->type == LODE_TYPE_FIELDS) {
			put_rows(out, field->record, prefix, absence_of(field, around));
			continue;
		}
		snprintf(path, sizeof(path), "%s%s%s", prefix, field->name,
			 field->shape == LODE_SHAPE_LIST    ? "[]"
			 : field->shape == LODE_SHAPE_LISTS ? "[][]"
			 : field->shape == LODE_SHAPE_MAP   ? "{}"
							    : "");
		fprintf(out, "| `%s` | %s | ", path,
			type_text(field->shape == LODE_SHAPE_MAP ? &field->record->fields[1]
								 : field));
		put_doc_cell(out, field, absence_of(field, around));
		fputs(" |\n", out);
		if (field->type != LODE_TYPE_RECORD || field->shape == LODE_SHAPE_MAP)
			continue;
		strncat(path, ".", sizeof(path) - strlen(path) - 1);
		put_rows(out, field->record, path, NULL);
	}
}

void lode_document_put_table(FILE *out, const struct lode_document *document)
{
	fputs("| field | type | |\n|---|---|---|\n", out);
	put_rows(out, document->record, "", NULL);
	if (document->other_record)
		put_rows(out, document->other_record, "", NULL);
}
