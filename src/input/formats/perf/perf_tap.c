/* Offers a recording's events to a tap. */
#include "input/formats/perf/perf_tap.h"

#include <traceevent/event-parse.h>

#include "input/formats/perf/perf_sample.h"

/* ---- Asking ---- */

static bool is_text(const struct tep_format_field *field)
{
	return field->flags & TEP_FIELD_IS_STRING ||
	       (field->flags & TEP_FIELD_IS_ARRAY && field->elementsize <= 1);
}

static struct lode_perf_tapped tapped_of(struct tep_event *format, const char *name,
					 unsigned element)
{
	struct tep_format_field *field = format ? tep_find_any_field(format, name) : NULL;
	struct lode_perf_tapped out = {0};
	int offset, size;

	if (!field || field->offset < 0 || field->size <= 0 || field->flags & TEP_FIELD_IS_RELATIVE)
		return out;
	offset = field->offset;
	size = field->size;
	if (field->flags & TEP_FIELD_IS_DYNAMIC) {
		if (size != 4 || !is_text(field))
			return out;
		out.how = LODE_PERF_TEXT_ELSEWHERE;
	} else if (is_text(field)) {
		out.how = LODE_PERF_TEXT;
	} else {
		if (field->flags & TEP_FIELD_IS_ARRAY && field->elementsize <= (unsigned)size / 2) {
			size = (int)field->elementsize;
			offset += size * (int)element;
			if (offset > field->offset + field->size - size)
				return out;
		}
		if (size != 1 && size != 2 && size != 4 && size != 8)
			return out;
		out.how =
			field->flags & TEP_FIELD_IS_SIGNED ? LODE_PERF_SIGNED : LODE_PERF_UNSIGNED;
	}
	if (offset > UINT16_MAX - size || size > UINT16_MAX / 2)
		return out;
	out.offset = (uint16_t)offset;
	out.size = (uint16_t)size;
	return out;
}

static void need(struct lode_perf_tap *tap, const struct lode_perf_tapped *field)
{
	if (field->size && field->offset + field->size > tap->need)
		tap->need = (uint16_t)(field->offset + field->size);
}

void lode_perf_tap_ask(struct lode_perf_tap *out, const struct lode_tap *tap,
		       const struct lode_tap_kind *kind, struct tep_event *format)
{
	struct lode_tap_wish wish = {.id = LODE_NONE};

	*out = (struct lode_perf_tap){.id = LODE_NONE};
	if (!tap || !tap->kind)
		return;
	tap->kind(tap->context, kind, &wish);
	out->id = wish.id;
	out->wants_stack = wish.wants_stack;
	out->n_fields =
		(uint8_t)(wish.n_fields < LODE_TAP_FIELDS ? wish.n_fields : LODE_TAP_FIELDS);
	for (unsigned i = 0; i < out->n_fields; i++) {
		out->field[i] = tapped_of(format, wish.field[i], wish.element[i]);
		out->found |= (uint8_t)((out->field[i].size != 0) << i);
		need(out, &out->field[i]);
	}
	if (wish.text)
		out->text = tapped_of(format, wish.text, 0);
	if (out->text.how != LODE_PERF_TEXT && out->text.how != LODE_PERF_TEXT_ELSEWHERE)
		out->text.size = 0;
	need(out, &out->text);
}

/* ---- Keeping ---- */

struct text {
	const uint8_t *at;
	size_t len;
};

static struct text text_of(const struct lode_perf_tapped *field, const uint8_t *raw,
			   size_t raw_bytes)
{
	struct text text = {raw + field->offset, field->size};
	uint32_t place;

	if (field->how == LODE_PERF_TEXT_ELSEWHERE) {
		place = lode_perf_u32(raw + field->offset);
		text.len = place >> 16;
		if ((place & 0xffff) + text.len > raw_bytes)
			return (struct text){raw, 0};
		text.at = raw + (place & 0xffff);
	}
	text.len = strnlen((const char *)text.at, text.len);
	return text;
}

static uint64_t value_of_perf_tap(const struct lode_perf_tapped *field, const uint8_t *raw,
				  size_t raw_bytes)
{
	const uint8_t *p = raw + field->offset;
	bool is_signed = field->how == LODE_PERF_SIGNED;
	struct text text;

	if (field->how == LODE_PERF_TEXT || field->how == LODE_PERF_TEXT_ELSEWHERE) {
		text = text_of(field, raw, raw_bytes);
		return lode_hash_bytes(text.at, text.len, 0);
	}
	switch (field->size) {
	case 1:
		return is_signed ? (uint64_t)(int8_t)*p : *p;
	case 2:
		return is_signed ? (uint64_t)(int16_t)lode_perf_u16(p) : lode_perf_u16(p);
	case 4:
		return is_signed ? (uint64_t)(int32_t)lode_perf_u32(p) : lode_perf_u32(p);
	case 8:
		return lode_perf_u64(p);
	default:
		return 0;
	}
}

void lode_perf_tap_keep(const struct lode_perf_tap *tap, const uint8_t *raw, size_t raw_bytes,
			uint8_t *to)
{
	struct text text;
	uint64_t value;

	for (unsigned i = 0; i < tap->n_fields; i++, to += sizeof(value)) {
		value = tap->field[i].size ? value_of_perf_tap(&tap->field[i], raw, raw_bytes) : 0;
		memcpy(to, &value, sizeof(value));
	}
	if (!tap->text.size)
		return;
	text = text_of(&tap->text, raw, raw_bytes);
	if (text.len > LODE_TAP_TEXT_BYTES - 1)
		text.len = LODE_TAP_TEXT_BYTES - 1;
	memset(to, 0, LODE_TAP_TEXT_BYTES);
	memcpy(to, text.at, text.len);
}
