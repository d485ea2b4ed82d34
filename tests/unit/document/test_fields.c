/* Whatever a record holds, its JSON has its values, and fits the schema of its table. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <math.h>
#include <regex.h>
#include <cmocka.h>
#include <yajl/yajl_tree.h>

#include "base/mem.h"
#include "cases.h"
#include "document/fields.h"
#include "random.h"

struct part {
	uint32_t number;
	const char *text;
};

struct pair {
	const char *key;
	int64_t value;
};

struct all {
	int64_t cost_ns, maybe_ns;
	uint64_t id;
	size_t n_left, n_more;
	bool is_new;
	double share, maybe, change;
	const char *hex;
	const char *text, *maybe_text, *null_text;
	uint8_t colour;
	uint32_t name, frame, label;
	struct part part;
	const struct part *pointed;
	struct part flat;
	struct part *parts;
	size_t n_parts;
	int64_t *column;
	size_t n_column;
	struct pair *pairs;
	size_t n_pairs, n_rows;
	float *gaps;
	size_t n_gaps;
	uint32_t *spans;
	size_t n_spans;
	float part_of, maybe_part;
	uint32_t place;
	const struct part *maybe_here;
};

static const char *const colours[] = {"red", "green", "blue", NULL};

static const struct lode_field part_fields[] = {
	LODE_FIELD(struct part, number, "of the part"),
	LODE_FIELD(struct part, text, NULL, .absent = "it has none"),
};
LODE_RECORD(part, struct part, .is_shared = true);

static const struct lode_field flat_fields[] = {
	LODE_FIELD_AS("flat_number", struct part, number, NULL),
};
LODE_RECORD(flat, struct part);

static const struct lode_field pair_fields[] = {
	LODE_FIELD(struct pair, key, NULL),
	LODE_FIELD(struct pair, value, NULL),
};
LODE_RECORD(pair, struct pair);

static void square(void *row, const void *owner, size_t i)
{
	struct part *part = row;

	(void)owner;
	part->number = (uint32_t)(i * i);
}

static void cube(void *row, const void *owner, size_t i)
{
	(void)owner;
	*(int64_t *)row = (int64_t)(i * i * i);
}

static const char *const pair_names[] = {"a", "b", NULL};

static const struct lode_field here_fields[] = {
	LODE_FIELD_AS("here_number", struct part, number, NULL),
	LODE_FIELD_AS("here_text", struct part, text, NULL, .absent = "it has none"),
};
LODE_RECORD(here, struct part);

/* A record in two forms: odd numbers have no text. */
static const char *const even_kind[] = {"even", NULL};

struct formed {
	const char *kind;
	uint32_t number;
};

static const struct lode_field even_fields[] = {
	LODE_FIELD(struct formed, kind, NULL, .choices = even_kind),
	LODE_FIELD(struct formed, number, NULL),
};
LODE_RECORD(even, struct formed);

static const struct lode_field odd_fields[] = {
	LODE_FIELD_AS("odd", struct formed, number, NULL),
};
LODE_RECORD(odd, struct formed);

static const struct lode_record *const forms[] = {&even_record, &odd_record, NULL};

static size_t form_of(const void *at)
{
	return ((const struct formed *)at)->number % 2;
}

static const struct lode_record formed_record = {.name = "formed",
						 .size_bytes = sizeof(struct formed),
						 .is_shared = true,
						 .forms = forms,
						 .form_of = form_of};

static void make_formed(void *row, const void *owner, size_t i)
{
	(void)owner;
	*(struct formed *)row = (struct formed){"even", (uint32_t)i};
}

static void make_counted(void *value, const void *owner, size_t i)
{
	static const int64_t numbers[] = {-1, 0, 1, 2};

	(void)owner;
	*(struct lode_value_list *)value = (struct lode_value_list){numbers, i};
}

static const struct lode_field all_fields[] = {
	LODE_FIELD(struct all, cost_ns, "what it costs"),
	LODE_FIELD(struct all, maybe_ns, "or not", .absent = "free"),
	LODE_FIELD_ID("id", struct all, id, NULL),
	LODE_FIELD_AS("left", struct all, n_left, NULL),
	LODE_FIELD_AS("more", struct all, n_more, "left out", .absent = "none"),
	LODE_FIELD_AS("new", struct all, is_new, NULL),
	LODE_FIELD(struct all, share, NULL, .is_positive = true, .most = 1),
	LODE_FIELD(struct all, maybe, NULL, .absent = "unknown", .is_negative = true),
	LODE_FIELD(struct all, change, NULL, .least = -1, .most = 1),
	LODE_FIELD(struct all, hex, NULL, .pattern = "^[0-9a-f]*$"),
	LODE_FIELD(struct all, text, NULL),
	LODE_FIELD(struct all, maybe_text, NULL, .absent = "no text"),
	LODE_FIELD(struct all, null_text, NULL, .absent = "no text", .is_null = true),
	LODE_FIELD_CHOICE("colour", struct all, colour, colours, NULL),
	LODE_FIELD_OF("name", LODE_TYPE_NAME, struct all, name, NULL),
	LODE_FIELD_OF("frame", LODE_TYPE_FRAME, struct all, frame, NULL, .absent = "nowhere"),
	LODE_FIELD_OF("label", LODE_TYPE_LABEL, struct all, label, NULL),
	LODE_FIELD_OF("module", LODE_TYPE_MODULE, struct all, name, NULL),
	LODE_FIELD_RECORD("part", struct all, part, &part_record, NULL),
	LODE_FIELD_POINTER("pointed", struct all, pointed, &part_record, NULL, .absent = "none"),
	LODE_FIELDS_OF(struct all, flat, &flat_record),
	LODE_LIST("parts", struct all, parts, n_parts, &part_record, NULL),
	LODE_COLUMN("column", struct all, column, n_column, NULL),
	LODE_MAP_FIELD("pairs", struct all, pairs, n_pairs, &pair_record, NULL),
	LODE_MAP_FIELD("known_pairs", struct all, pairs, n_pairs, &pair_record, NULL,
		       .choices = pair_names),
	LODE_COLUMN_OF("values", struct all, pairs, n_pairs, struct pair, value, NULL),
	LODE_MEMBERS_OF("numbers", LODE_TYPE_INDEX, struct all, parts, n_parts, struct part, number,
			NULL),
	LODE_FIELD_OF("place", LODE_TYPE_INDEX, struct all, place, NULL),
	LODE_FIELDS_AT(struct all, maybe_here, &here_record, .absent = "not here"),
	LODE_ROWS("formed", struct all, n_rows, make_formed, &formed_record, NULL),
	LODE_LISTS("lists", LODE_TYPE_INT64, struct all, n_rows, make_counted, NULL, .least = -1),
	LODE_ROWS("rows", struct all, n_rows, square, &part_record, NULL),
	LODE_COLUMN("gaps", struct all, gaps, n_gaps, NULL, .has_gaps = true),
	LODE_TUPLES("spans", struct all, spans, n_spans, 2, "first, last"),
	LODE_FIELD(struct all, part_of, NULL, .is_positive = true, .most = 1),
	LODE_FIELD(struct all, maybe_part, NULL, .absent = "unknown"),
	LODE_VALUES("cubes", LODE_TYPE_INT64, struct all, n_rows, cube, NULL),
};
LODE_RECORD(all, struct all);
static const struct lode_document document = {
	.schema = "lode/all/1", .file = "all", .title = "all", .record = &all_record};

/* One part stands alone, more are a list. */
static const struct lode_field one_fields[] = {
	LODE_FIELDS_AT(struct all, parts, &part_record),
};
LODE_RECORD(one, struct all);

static const struct lode_field several_fields[] = {
	LODE_LIST("parts", struct all, parts, n_parts, &part_record, NULL),
};
LODE_RECORD(several, struct all);

static bool has_several(const void *all)
{
	return ((const struct all *)all)->n_parts != 1;
}

static const struct lode_document either = {
	.schema = "lode/either/1",
	.file = "either",
	.title = "either",
	.record = &one_record,
	.other_record = &several_record,
	.is_other = has_several,
};

static const char *name_text(const void *context, uint32_t id)
{
	const char *const *names = context;

	return names[id];
}

static const char *frame_text(const void *context, uint32_t id, char *buffer, size_t size)
{
	(void)context;
	snprintf(buffer, size, "f%u", id);
	return buffer;
}

static const char *label_text(const void *context, uint32_t id, char *buffer, size_t size)
{
	(void)context;
	snprintf(buffer, size, "l%u", id);
	return buffer;
}

static const char *const some_names[] = {"one", "two", "th\"ree"};
static const struct lode_names names = {some_names, name_text, frame_text, label_text, name_text};

static yajl_val parsed(void (*put)(FILE *, const void *), const void *what)
{
	char *text = NULL, message[256] = "";
	size_t size;
	FILE *out = open_memstream(&text, &size);
	yajl_val root;

	put(out, what);
	fclose(out);
	root = yajl_tree_parse(text, message, sizeof(message));
	if (!root)
		print_error("%s\n%s\n", message, text);
	assert_non_null(root);
	free(text);
	return root;
}

static void put_all(FILE *out, const void *all)
{
	lode_document_put(out, &document, all, &names);
}

static void put_either(FILE *out, const void *all)
{
	lode_document_put(out, &either, all, NULL);
}

static void put_schema(FILE *out, const void *of)
{
	lode_document_put_schema(out, of);
}

/* Of values that are known to be texts, or numbers. */
static const char *text_of(yajl_val value)
{
	assert_true(YAJL_IS_STRING(value));
	return value->u.string;
}

static const char *digits_of(yajl_val value)
{
	assert_true(YAJL_IS_NUMBER(value));
	return value->u.number.r;
}

static yajl_val member(yajl_val object, const char *name)
{
	const char *path[] = {name, NULL};

	return yajl_tree_get(object, path, yajl_t_any);
}

/* ---- A validator of as much JSON Schema as tables make ---- */

static bool is_one_of(yajl_val list, const char *text)
{
	for (size_t i = 0; i < YAJL_GET_ARRAY(list)->len; i++) {
		yajl_val item = YAJL_GET_ARRAY(list)->values[i];

		if (YAJL_IS_STRING(item) && strcmp(text_of(item), text) == 0)
			return true;
	}
	return false;
}

static const char *type_of(yajl_val value)
{
	return YAJL_IS_OBJECT(value)   ? "object"
	       : YAJL_IS_ARRAY(value)  ? "array"
	       : YAJL_IS_STRING(value) ? "string"
	       : YAJL_IS_NULL(value)   ? "null"
	       : YAJL_IS_NUMBER(value) ? strpbrk(digits_of(value), ".e") ? "number" : "integer"
				       : "boolean";
}

static bool fits_type(yajl_val schema, const char *type)
{
	yajl_val said = member(schema, "type");

	if (!said)
		return true;
	if (YAJL_IS_ARRAY(said))
		return is_one_of(said, type) ||
		       (is_one_of(said, "number") && strcmp(type, "integer") == 0);
	return strcmp(text_of(said), type) == 0 ||
	       (strcmp(text_of(said), "number") == 0 && strcmp(type, "integer") == 0);
}

static bool fits_bounds(yajl_val least, yajl_val most, yajl_val value)
{
	return (!least || strtod(digits_of(value), NULL) >= strtod(digits_of(least), NULL)) &&
	       (!most || strtod(digits_of(value), NULL) <= strtod(digits_of(most), NULL));
}

static bool fits(yajl_val root, yajl_val schema, yajl_val value);

static bool is_named(yajl_val patterns, const char *key, yajl_val *schema)
{
	regex_t regex;

	for (size_t i = 0; patterns && i < YAJL_GET_OBJECT(patterns)->len; i++) {
		bool fits_it;

		assert_int_equal(regcomp(&regex, YAJL_GET_OBJECT(patterns)->keys[i], REG_EXTENDED),
				 0);
		fits_it = regexec(&regex, key, 0, NULL, 0) == 0;
		regfree(&regex);
		*schema = YAJL_GET_OBJECT(patterns)->values[i];
		if (fits_it)
			return true;
	}
	return false;
}

static bool fits_object(yajl_val root, yajl_val schema, yajl_val value)
{
	yajl_val required = member(schema, "required"), properties = member(schema, "properties");
	yajl_val other = member(schema, "additionalProperties");

	for (size_t i = 0; required && i < YAJL_GET_ARRAY(required)->len; i++)
		if (!member(value, text_of(YAJL_GET_ARRAY(required)->values[i])))
			return false;
	for (size_t i = 0; i < YAJL_GET_OBJECT(value)->len; i++) {
		const char *key = YAJL_GET_OBJECT(value)->keys[i];
		yajl_val known = properties ? member(properties, key) : NULL, named;

		if (!known && is_named(member(schema, "patternProperties"), key, &named))
			known = named;

		if (!known && other && YAJL_IS_FALSE(other))
			return false;
		if (!known)
			known = other;
		if (known && YAJL_IS_OBJECT(known) &&
		    !fits(root, known, YAJL_GET_OBJECT(value)->values[i]))
			return false;
	}
	return true;
}

/* Of several, only one may fit. */
static bool fits_one_form(yajl_val root, yajl_val forms, yajl_val value)
{
	size_t n = 0;

	for (size_t i = 0; forms && i < YAJL_GET_ARRAY(forms)->len; i++)
		n += fits(root, YAJL_GET_ARRAY(forms)->values[i], value);
	return !forms || n == 1;
}

static bool fits(yajl_val root, yajl_val schema, yajl_val value)
{
	yajl_val ref = member(schema, "$ref"), choices = member(schema, "enum");
	const char *path[] = {"definitions", NULL, NULL};

	if (ref) {
		path[1] = text_of(ref) + strlen("#/definitions/");
		return fits(root, yajl_tree_get(root, path, yajl_t_object), value);
	}
	if (choices && !is_one_of(choices, text_of(value)))
		return false;
	if (!fits_type(schema, type_of(value)))
		return false;
	if (!fits_bounds(member(schema, "minimum"), member(schema, "maximum"), value) ||
	    !fits_one_form(root, member(schema, "oneOf"), value))
		return false;
	if (member(schema, "maximum") &&
	    YAJL_GET_DOUBLE(value) > YAJL_GET_DOUBLE(member(schema, "maximum")))
		return false;
	if (member(schema, "maxItems") &&
	    (long long)YAJL_GET_ARRAY(value)->len > YAJL_GET_INTEGER(member(schema, "maxItems")))
		return false;
	if (member(schema, "minItems") &&
	    (long long)YAJL_GET_ARRAY(value)->len < YAJL_GET_INTEGER(member(schema, "minItems")))
		return false;
	if (YAJL_IS_ARRAY(value))
		for (size_t i = 0; i < YAJL_GET_ARRAY(value)->len; i++)
			if (!fits(root, member(schema, "items"), YAJL_GET_ARRAY(value)->values[i]))
				return false;
	return !YAJL_IS_OBJECT(value) || fits_object(root, schema, value);
}

/* ---- Random records ---- */

static const char *some_text(struct test_random *random, bool may_be_none)
{
	static const char *const texts[] = {"", "a", "\xff\"\\", "line\nfeed", "\xe2\x86\x92"};
	uint32_t i = test_random_below(random, may_be_none ? 6 : 5);

	return i < 5 ? texts[i] : NULL;
}

struct made {
	struct all all;
	struct part parts[4], pointed;
	int64_t column[5];
	struct pair pairs[2];
	float gaps[4];
	uint32_t spans[6];
};

static void make(struct made *m, struct test_random *random)
{
	struct all *all = &m->all;

	memset(m, 0, sizeof(*m));
	all->cost_ns = (int64_t)test_random_next(random);
	all->maybe_ns =
		test_random_below(random, 2) ? LODE_NO_INT : (int64_t)test_random_next(random) / 2;
	all->id = test_random_next(random);
	all->n_left = test_random_below(random, 3);
	all->n_more = test_random_below(random, 2);
	all->is_new = test_random_below(random, 2);
	all->share = test_random_below(random, 1000) / 1000.0;
	all->maybe = (double[]){NAN, INFINITY, -0.5}[test_random_below(random, 3)];
	all->change = test_random_below(random, 2001) / 1000.0 - 1;
	all->hex = test_random_below(random, 2) ? "" : "09af";
	all->text = some_text(random, false);
	all->maybe_text = some_text(random, true);
	all->null_text = some_text(random, true);
	all->colour = (uint8_t)test_random_below(random, 3);
	all->name = test_random_below(random, 3);
	all->frame = test_random_below(random, 2) ? UINT32_MAX : test_random_below(random, 99);
	all->label = test_random_below(random, 99);
	all->part = m->pointed =
		(struct part){test_random_below(random, 9), some_text(random, true)};
	all->pointed = test_random_below(random, 2) ? &m->pointed : NULL;
	all->flat.number = test_random_below(random, 9);
	all->parts = m->parts;
	all->n_parts = test_random_below(random, 5);
	for (size_t i = 0; i < all->n_parts; i++)
		m->parts[i] = (struct part){(uint32_t)i, some_text(random, true)};
	all->column = m->column;
	all->n_column = test_random_below(random, 6);
	for (size_t i = 0; i < all->n_column; i++)
		m->column[i] = (int64_t)test_random_next(random);
	all->pairs = m->pairs;
	all->n_pairs = test_random_below(random, 3);
	for (size_t i = 0; i < all->n_pairs; i++)
		m->pairs[i] = (struct pair){i ? "b" : "a", (int64_t)i - 5};
	all->n_rows = test_random_below(random, 4);
	all->gaps = m->gaps;
	all->n_gaps = test_random_below(random, 5);
	for (size_t i = 0; i < all->n_gaps; i++)
		m->gaps[i] = test_random_below(random, 2) ? NAN : (float)i / 2 - 1;
	all->spans = m->spans;
	all->n_spans = test_random_below(random, 4);
	for (size_t i = 0; i < 2 * all->n_spans; i++)
		m->spans[i] = test_random_below(random, 99);
	all->part_of = (float)test_random_below(random, 5) / 4;
	all->maybe_part = test_random_below(random, 2) ? NAN : 0.25F;
	all->place = test_random_below(random, 2) ? UINT32_MAX : test_random_below(random, 99);
	all->maybe_here = test_random_below(random, 2) ? &m->pointed : NULL;
}

static void check_int(yajl_val object, const char *name, int64_t value)
{
	char text[32];

	snprintf(text, sizeof(text), "%lld", (long long)value);
	assert_string_equal(digits_of(member(object, name)), text);
}

static void check_presence(yajl_val object, const char *name, bool is_there)
{
	assert_int_equal(member(object, name) != NULL, is_there);
}

static void check_item(yajl_val list, size_t i, int64_t value)
{
	assert_true(YAJL_GET_INTEGER(YAJL_GET_ARRAY(list)->values[i]) == value);
}

static void check_values(const struct all *all, yajl_val root)
{
	yajl_val list;
	char text[32];

	check_int(root, "cost_ns", all->cost_ns);
	check_presence(root, "maybe_ns", all->maybe_ns != LODE_NO_INT);
	check_int(root, "left", (int64_t)all->n_left);
	check_presence(root, "more", all->n_more > 0);
	check_presence(root, "maybe", isfinite(all->maybe));
	check_presence(root, "maybe_text", all->maybe_text != NULL);
	assert_int_equal(YAJL_IS_NULL(member(root, "null_text")), !all->null_text);
	snprintf(text, sizeof(text), "%016llx", (unsigned long long)all->id);
	assert_string_equal(text_of(member(root, "id")), text);
	assert_string_equal(text_of(member(root, "colour")), colours[all->colour]);
	assert_string_equal(text_of(member(root, "name")), some_names[all->name]);
	assert_string_equal(text_of(member(root, "module")), some_names[all->name]);
	check_presence(root, "frame", all->frame != UINT32_MAX);
	snprintf(text, sizeof(text), "l%u", all->label);
	assert_string_equal(text_of(member(root, "label")), text);
	check_int(member(root, "part"), "number", all->part.number);
	check_presence(root, "pointed", all->pointed != NULL);
	check_int(root, "flat_number", all->flat.number);
	list = member(root, "parts");
	assert_int_equal(YAJL_GET_ARRAY(list)->len, all->n_parts);
	for (size_t i = 0; i < all->n_parts; i++) {
		check_int(YAJL_GET_ARRAY(list)->values[i], "number", all->parts[i].number);
		check_presence(YAJL_GET_ARRAY(list)->values[i], "text", all->parts[i].text != NULL);
	}
	list = member(root, "column");
	assert_int_equal(YAJL_GET_ARRAY(list)->len, all->n_column);
	for (size_t i = 0; i < all->n_column; i++)
		check_item(list, i, all->column[i]);
	assert_int_equal(YAJL_GET_OBJECT(member(root, "pairs"))->len, all->n_pairs);
	if (all->n_pairs > 1)
		check_int(member(root, "pairs"), "b", -4);
	check_int(root, "place", all->place == UINT32_MAX ? -1 : (int64_t)all->place);
	check_presence(root, "here_number", all->maybe_here != NULL);
	check_presence(root, "here_text", all->maybe_here && all->maybe_here->text);
	list = member(root, "values");
	assert_int_equal(YAJL_GET_ARRAY(list)->len, all->n_pairs);
	for (size_t i = 0; i < all->n_pairs; i++)
		assert_true(YAJL_GET_INTEGER(YAJL_GET_ARRAY(list)->values[i]) ==
			    all->pairs[i].value);
	list = member(root, "numbers");
	assert_int_equal(YAJL_GET_ARRAY(list)->len, all->n_parts);
	for (size_t i = 0; i < all->n_parts; i++)
		assert_true(YAJL_GET_INTEGER(YAJL_GET_ARRAY(list)->values[i]) ==
			    all->parts[i].number);
	for (size_t i = 0; i < all->n_rows; i++) {
		yajl_val formed = YAJL_GET_ARRAY(member(root, "formed"))->values[i];

		list = YAJL_GET_ARRAY(member(root, "lists"))->values[i];
		assert_int_equal(YAJL_GET_ARRAY(list)->len, i);
		check_int(formed, i % 2 ? "odd" : "number", (int64_t)i);
		check_presence(formed, "kind", i % 2 == 0);
	}
	list = member(root, "rows");
	assert_int_equal(YAJL_GET_ARRAY(list)->len, all->n_rows);
	for (size_t i = 0; i < all->n_rows; i++)
		check_int(YAJL_GET_ARRAY(list)->values[i], "number", (int64_t)(i * i));
	check_presence(root, "maybe_part", !isnan(all->maybe_part));
	assert_true(YAJL_GET_DOUBLE(member(root, "part_of")) == (double)all->part_of);
	list = member(root, "gaps");
	assert_int_equal(YAJL_GET_ARRAY(list)->len, all->n_gaps);
	for (size_t i = 0; i < all->n_gaps; i++) {
		yajl_val item = YAJL_GET_ARRAY(list)->values[i];

		assert_int_equal(YAJL_IS_NULL(item), isnan(all->gaps[i]));
		if (!isnan(all->gaps[i]))
			assert_true(YAJL_GET_DOUBLE(item) == (double)all->gaps[i]);
	}
	list = member(root, "spans");
	assert_int_equal(YAJL_GET_ARRAY(list)->len, all->n_spans);
	for (size_t i = 0; i < 2 * all->n_spans; i++) {
		yajl_val span = YAJL_GET_ARRAY(list)->values[i / 2];

		assert_int_equal(YAJL_GET_ARRAY(span)->len, 2);
		assert_true(YAJL_GET_INTEGER(YAJL_GET_ARRAY(span)->values[i % 2]) == all->spans[i]);
	}
	list = member(root, "cubes");
	assert_int_equal(YAJL_GET_ARRAY(list)->len, all->n_rows);
	for (size_t i = 0; i < all->n_rows; i++)
		check_item(list, i, (int64_t)(i * i * i));
}

static void records_are_written_and_fit_their_schema(void **state)
{
	struct test_random random = {20261122};
	yajl_val schema = parsed(put_schema, &document);
	yajl_val forms = parsed(put_schema, &either);

	(void)state;
	for (unsigned i = 0; i < TEST_CASES(4000); i++) {
		struct made m;
		yajl_val root;

		make(&m, &random);
		root = parsed(put_all, &m.all);
		check_values(&m.all, root);
		if (!fits(schema, schema, root))
			print_error("case %u does not fit\n", i);
		assert_true(fits(schema, schema, root));
		yajl_tree_free(root);
		root = parsed(put_either, &m.all);
		assert_true(fits(forms, forms, root));
		assert_int_equal(member(root, "parts") != NULL, m.all.n_parts != 1);
		yajl_tree_free(root);
	}
	yajl_tree_free(schema);
	yajl_tree_free(forms);
}

/* The validator above is one: what is not as the table says does not fit. */
static void other_documents_do_not_fit(void **state)
{
	static const char *const wrong[] = {
		"{}",
		"{\"schema\": \"lode/all/1\", \"cost_ns\": \"1\"}",
		"{\"schema\": \"lode/all/1\", \"other\": 1}",
	};
	static const char *const wrong_forms[] = {
		"{\"schema\": \"lode/either/1\"}",
		"{\"schema\": \"lode/either/1\", \"number\": 1, \"parts\": []}",
		"{\"schema\": \"lode/either/1\", \"number\": -1}",
	};
	yajl_val schema = parsed(put_schema, &document), forms = parsed(put_schema, &either);

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		yajl_val root = yajl_tree_parse(wrong[i], NULL, 0);

		assert_non_null(root);
		assert_false(fits(schema, schema, root));
		yajl_tree_free(root);
	}
	for (size_t i = 0; i < sizeof(wrong_forms) / sizeof(*wrong_forms); i++) {
		yajl_val root = yajl_tree_parse(wrong_forms[i], NULL, 0);

		assert_non_null(root);
		assert_false(fits(forms, forms, root));
		yajl_tree_free(root);
	}
	yajl_tree_free(schema);
	yajl_tree_free(forms);
}

static void a_line_is_the_same_document(void **state)
{
	struct all all = {.id = 7, .text = "a", .hex = "", .maybe_ns = LODE_NO_INT};
	char *line = NULL;
	size_t size;
	FILE *out = open_memstream(&line, &size);
	yajl_val schema = parsed(put_schema, &document), root;

	(void)state;
	all.frame = UINT32_MAX;
	lode_document_put_line(out, &document, &all, &names);
	fclose(out);
	assert_ptr_equal(strchr(line, '\n'), line + size - 1);
	root = yajl_tree_parse(line, NULL, 0);
	assert_non_null(root);
	assert_true(fits(schema, schema, root));
	yajl_tree_free(root);
	yajl_tree_free(schema);
	free(line);
}

/* Numbers have their bounds, and maps their names, in the schema. */
static void bounds_and_names_are_in_the_schema(void **state)
{
	static const char *const parts[] = {
		"\"patternProperties\": {\n    \"^(a|b)$\"",
		"\"minimum\": 0,\n   \"maximum\": 1",
	};
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	(void)state;
	lode_document_put_schema(out, &document);
	fclose(out);
	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++) {
		if (!strstr(text, parts[i]))
			print_error("%s is missing in\n%s\n", parts[i], text);
		assert_non_null(strstr(text, parts[i]));
	}
	free(text);
}

static void tables_name_every_field_with_its_path(void **state)
{
	static const char *const rows[] = {
		"| `cost_ns` | ns | what it costs |",
		"| `maybe_ns` | ns | or not; absent if free |",
		"| `colour` | choice | `red`, `green`, `blue` |",
		"| `parts[].text` | text | absent if it has none |",
		"| `pairs{}` | integer |  |",
		"| `flat_number` | integer |  |",
		"| `here_number` | integer | absent if not here |",
		"| `here_text` | text | absent if it has none |",
	};
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	(void)state;
	lode_document_put_table(out, &document);
	fclose(out);
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		if (!strstr(text, rows[i]))
			print_error("%s is missing in\n%s\n", rows[i], text);
		assert_non_null(strstr(text, rows[i]));
	}
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(records_are_written_and_fit_their_schema),
		cmocka_unit_test(other_documents_do_not_fit),
		cmocka_unit_test(a_line_is_the_same_document),
		cmocka_unit_test(bounds_and_names_are_in_the_schema),
		cmocka_unit_test(tables_name_every_field_with_its_path),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
