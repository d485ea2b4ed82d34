/* Records as JSON, by their tables of fields. */
#include "document/fields.h"

#include <assert.h>
#include <math.h>

#include "base/json.h"

/* ---- One value ---- */

static const size_t item_bytes[] = {
	[LODE_TYPE_INT64] = sizeof(int64_t),	 [LODE_TYPE_INT32] = sizeof(int32_t),
	[LODE_TYPE_UINT64] = sizeof(uint64_t),	 [LODE_TYPE_UINT32] = sizeof(uint32_t),
	[LODE_TYPE_UINT16] = sizeof(uint16_t),	 [LODE_TYPE_UINT8] = sizeof(uint8_t),
	[LODE_TYPE_BOOL] = sizeof(bool),	 [LODE_TYPE_NUMBER] = sizeof(double),
	[LODE_TYPE_EXACT] = sizeof(double),	 [LODE_TYPE_FLOAT] = sizeof(float),
	[LODE_TYPE_TEXT] = sizeof(const char *), [LODE_TYPE_ID] = sizeof(uint64_t),
	[LODE_TYPE_NAME] = sizeof(uint32_t),	 [LODE_TYPE_FRAME] = sizeof(uint32_t),
	[LODE_TYPE_LABEL] = sizeof(uint32_t),	 [LODE_TYPE_MODULE] = sizeof(uint32_t),
	[LODE_TYPE_INDEX] = sizeof(uint32_t),	 [LODE_TYPE_CHOICE] = sizeof(uint32_t),
};

static int64_t integer_at(enum lode_field_type type, const void *at)
{
	switch (type) {
	case LODE_TYPE_INT64:
		return *(const int64_t *)at;
	case LODE_TYPE_INT32:
		return *(const int32_t *)at;
	case LODE_TYPE_UINT64:
	case LODE_TYPE_ID:
		return (int64_t) * (const uint64_t *)at;
	case LODE_TYPE_UINT16:
		return *(const uint16_t *)at;
	case LODE_TYPE_UINT8:
		return *(const uint8_t *)at;
	case LODE_TYPE_BOOL:
		return *(const bool *)at;
	case LODE_TYPE_INDEX:
		return *(const uint32_t *)at == UINT32_MAX ? -1 : (int64_t) * (const uint32_t *)at;
	default: /* UINT32, NAME, FRAME, LABEL */
		return *(const uint32_t *)at;
	}
}

int64_t lode_field_integer(const struct lode_field *field, const void *at)
{
	return integer_at(field->type, (const char *)at + field->offset);
}

bool lode_field_is_ns(const struct lode_field *field)
{
	size_t len = strlen(field->name);

	return len > 3 && strcmp(field->name + len - 3, "_ns") == 0;
}

static bool is_number(enum lode_field_type type)
{
	return type == LODE_TYPE_NUMBER || type == LODE_TYPE_EXACT || type == LODE_TYPE_FLOAT;
}

static double number_at(enum lode_field_type type, const void *at)
{
	return type == LODE_TYPE_FLOAT ? (double)*(const float *)at : *(const double *)at;
}

static void put_value(struct lode_json *json, const char *key, const struct lode_field *field,
		      const void *at, const struct lode_names *names)
{
	char frame[4096];

	switch (field->type) {
	case LODE_TYPE_TEXT:
		lode_json_text(json, key, *(const char *const *)at);
		break;
	case LODE_TYPE_ID:
		lode_json_id(json, key, *(const uint64_t *)at);
		break;
	case LODE_TYPE_NUMBER:
	case LODE_TYPE_FLOAT:
		lode_json_number(json, key, number_at(field->type, at));
		break;
	case LODE_TYPE_EXACT:
		lode_json_exact(json, key, *(const double *)at);
		break;
	case LODE_TYPE_BOOL:
		lode_json_bool(json, key, *(const bool *)at);
		break;
	case LODE_TYPE_NAME:
		lode_json_text(json, key, names->text(names->context, *(const uint32_t *)at));
		break;
	case LODE_TYPE_FRAME:
		lode_json_text(json, key,
			       names->frame(names->context, *(const uint32_t *)at, frame,
					    sizeof(frame)));
		break;
	case LODE_TYPE_MODULE:
		lode_json_text(json, key, names->module(names->context, *(const uint32_t *)at));
		break;
	case LODE_TYPE_LABEL:
		lode_json_text(json, key,
			       names->label(names->context, *(const uint32_t *)at, frame,
					    sizeof(frame)));
		break;
	case LODE_TYPE_CHOICE:
		lode_json_text(json, key, field->choices[integer_at(field->storage, at)]);
		break;
	default:
		lode_json_int(json, key, integer_at(field->type, at));
	}
}

/* ---- Many ---- */

/* What a record field's member is, or points to. */
static const void *record_at(const struct lode_field *field, const void *at)
{
	return field->is_pointer ? *(const void *const *)at : at;
}

/* Calls `put` with each item. */
static void put_items(struct lode_json *json, const struct lode_field *field, const void *owner,
		      const struct lode_names *names,
		      void (*put)(struct lode_json *, const struct lode_field *, const void *,
				  const struct lode_names *))
{
	size_t n = *(const size_t *)((const char *)owner + field->n_offset);
	size_t size = field->shape == LODE_SHAPE_LISTS ? sizeof(struct lode_value_list)
		      : field->stride_bytes	       ? field->stride_bytes
		      : field->record		       ? field->record->size_bytes
		      : field->n_each		       ? field->n_each * item_bytes[field->type]
						       : item_bytes[field->type];
	const char *items = NULL;
	void *row = NULL;

	if (!n)
		return;
	if (field->make_row)
		row = lode_alloc(size);
	else
		items = *(const char *const *)((const char *)owner + field->offset) +
			field->item_offset;
	for (size_t i = 0; i < n; i++) {
		if (row) {
			memset(row, 0, size);
			field->make_row(row, owner, i);
		}
		put(json, field, row ? row : items + i * size, names);
	}
	free(row);
}

static void put_tuple(struct lode_json *json, const struct lode_field *field, const void *item,
		      const struct lode_names *names)
{
	lode_json_array(json, NULL);
	for (size_t i = 0; i < field->n_each; i++)
		put_value(json, NULL, field, (const char *)item + i * item_bytes[field->type],
			  names);
	lode_json_end_array(json);
}

static void put_item(struct lode_json *json, const struct lode_field *field, const void *item,
		     const struct lode_names *names)
{
	if (field->record)
		lode_record_put(json, NULL, field->record, item, names);
	else if (field->n_each)
		put_tuple(json, field, item, names);
	else if (field->has_gaps && isnan(number_at(field->type, item)))
		lode_json_null(json, NULL);
	else
		put_value(json, NULL, field, item, names);
}

static void put_value_list(struct lode_json *json, const struct lode_field *field, const void *item,
			   const struct lode_names *names)
{
	const struct lode_value_list *list = item;

	lode_json_array(json, NULL);
	for (size_t i = 0; i < list->n; i++)
		put_value(json, NULL, field, (const char *)list->at + i * item_bytes[field->type],
			  names);
	lode_json_end_array(json);
}

static void put_pair(struct lode_json *json, const struct lode_field *field, const void *item,
		     const struct lode_names *names)
{
	const struct lode_field *key, *value;

	assert(field->record && field->record->fields[0].type == LODE_TYPE_TEXT);
	key = &field->record->fields[0];
	value = key + 1;
	put_value(json, *(const char *const *)((const char *)item + key->offset), value,
		  (const char *)item + value->offset, names);
}

/* ---- Records ---- */

bool lode_field_is_absent(const struct lode_field *field, const void *record)
{
	const void *at = (const char *)record + field->offset;

	if (!field->absent)
		return false;
	if (field->shape != LODE_SHAPE_ONE)
		return !field->make_row ? !*(const void *const *)at : !*(const size_t *)at;
	if (field->type == LODE_TYPE_TEXT)
		return !*(const char *const *)at;
	if (field->type == LODE_TYPE_RECORD || field->type == LODE_TYPE_FIELDS)
		return !record_at(field, at);
	if (is_number(field->type))
		return !isfinite(number_at(field->type, at));
	if (field->type == LODE_TYPE_INT64)
		return *(const int64_t *)at == LODE_NO_INT;
	if (field->type == LODE_TYPE_NAME || field->type == LODE_TYPE_FRAME ||
	    field->type == LODE_TYPE_LABEL || field->type == LODE_TYPE_MODULE ||
	    field->type == LODE_TYPE_INDEX)
		return *(const uint32_t *)at == UINT32_MAX;
	return integer_at(field->type, at) == 0;
}

static void put_field(struct lode_json *json, const struct lode_field *field, const void *owner,
		      const struct lode_names *names)
{
	const void *at = (const char *)owner + field->offset;

	if (lode_field_is_absent(field, owner)) {
		if (field->is_null)
			lode_json_null(json, field->name);
	} else if (field->shape == LODE_SHAPE_LIST) {
		lode_json_array(json, field->name);
		put_items(json, field, owner, names, put_item);
		lode_json_end_array(json);
	} else if (field->shape == LODE_SHAPE_LISTS) {
		lode_json_array(json, field->name);
		put_items(json, field, owner, names, put_value_list);
		lode_json_end_array(json);
	} else if (field->shape == LODE_SHAPE_MAP) {
		lode_json_object(json, field->name);
		put_items(json, field, owner, names, put_pair);
		lode_json_end_object(json);
	} else if (field->type == LODE_TYPE_RECORD) {
		lode_record_put(json, field->name, field->record, record_at(field, at), names);
	} else if (field->type == LODE_TYPE_FIELDS) {
		lode_fields_put(json, field->record, record_at(field, at), names);
	} else {
		put_value(json, field->name, field, at, names);
	}
}

void lode_fields_put(struct lode_json *json, const struct lode_record *record, const void *at,
		     const struct lode_names *names)
{
	if (record->forms)
		record = record->forms[record->form_of(at)];
	for (size_t i = 0; i < record->n_fields; i++)
		put_field(json, &record->fields[i], at, names);
}

void lode_record_put(struct lode_json *json, const char *key, const struct lode_record *record,
		     const void *at, const struct lode_names *names)
{
	lode_json_object(json, key);
	lode_fields_put(json, record, at, names);
	lode_json_end_object(json);
}

void lode_document_put(FILE *out, const struct lode_document *document, const void *answer,
		       const struct lode_names *names)
{
	struct lode_json *json = lode_json_open(out, document->schema);
	bool is_other = document->other_record && document->is_other(answer);
	struct lode_names own;

	if (!names && document->names) {
		own = document->names(answer);
		names = &own;
	}
	lode_fields_put(json, is_other ? document->other_record : document->record, answer, names);
	lode_json_close(json);
}

void lode_document_put_line(FILE *out, const struct lode_document *document, const void *answer,
			    const struct lode_names *names)
{
	struct lode_json *json = lode_json_open_line(out, document->schema);

	lode_fields_put(json, document->record, answer, names);
	lode_json_close(json);
	fputc('\n', out);
}
