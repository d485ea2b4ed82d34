/* Tables of fields say what docs/schema says: the same members, types, bounds and what must be
 * there. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include <yajl/yajl_tree.h>

#include "base/mem.h"
#include "answers/documents.h"

static yajl_val parse(const char *text, const char *what)
{
	char message[512] = "";
	yajl_val root = yajl_tree_parse(text, message, sizeof(message));

	if (!root)
		print_error("%s: %s\n%s\n", what, message, text);
	assert_non_null(root);
	return root;
}

static yajl_val published(const struct lode_document *document)
{
	char path[4096], *text = NULL;
	size_t size = 0;
	FILE *in;
	yajl_val root;

	snprintf(path, sizeof(path), "%s/docs/schema/%s.json", getenv("LODE_TOP"), document->file);
	in = fopen(path, "r");
	if (!in)
		print_error("%s is missing\n", path);
	assert_non_null(in);
	assert_true(getdelim(&text, &size, '\0', in) > 0);
	fclose(in);
	root = parse(text, path);
	free(text);
	return root;
}

static yajl_val generated(const struct lode_document *document)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	yajl_val root;

	lode_document_put_schema(out, document);
	fclose(out);
	root = parse(text, document->schema);
	free(text);
	return root;
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

/* A reference stands for what it names. */
static yajl_val resolved(yajl_val root, yajl_val schema)
{
	yajl_val ref = YAJL_IS_OBJECT(schema) ? member(schema, "$ref") : NULL;
	const char *path[] = {"definitions", NULL, NULL};

	if (!ref)
		return schema;
	path[1] = text_of(ref) + strlen("#/definitions/");
	return yajl_tree_get(root, path, yajl_t_any);
}

static void same(yajl_val a_root, yajl_val a, yajl_val b_root, yajl_val b, const char *where);

/* What documents are held to. Texts that explain, and where shared parts are defined, may differ.
 */
static bool is_binding(const char *key)
{
	static const char *const free_keys[] = {"description", "definitions", "title", "$schema",
						"$id"};

	for (size_t i = 0; i < sizeof(free_keys) / sizeof(*free_keys); i++)
		if (strcmp(key, free_keys[i]) == 0)
			return false;
	return true;
}

static bool is_empty_list(yajl_val value)
{
	return YAJL_IS_ARRAY(value) && !YAJL_GET_ARRAY(value)->len;
}

static void same_members(yajl_val a_root, yajl_val a, yajl_val b_root, yajl_val b,
			 const char *where, bool are_names)
{
	char path[1000];

	for (size_t i = 0; i < YAJL_GET_OBJECT(a)->len; i++) {
		const char *key = YAJL_GET_OBJECT(a)->keys[i];
		yajl_val other = member(b, key);

		if (!are_names && !is_binding(key))
			continue;
		snprintf(path, sizeof(path), "%s/%s", where, key);
		if (!other && !are_names && is_empty_list(YAJL_GET_OBJECT(a)->values[i]))
			continue; /* nothing is required, said or not */
		if (!other)
			print_error("%s is only on one side\n", path);
		assert_non_null(other);
		same(a_root, YAJL_GET_OBJECT(a)->values[i], b_root, other, path);
	}
}

/* A text, or a number as it is written. */
static const char *words_of(yajl_val value)
{
	return YAJL_IS_NUMBER(value) ? digits_of(value) : text_of(value);
}

static bool holds(yajl_val list, yajl_val item)
{
	for (size_t i = 0; i < YAJL_GET_ARRAY(list)->len; i++)
		if (YAJL_GET_ARRAY(list)->values[i]->type == item->type &&
		    strcmp(words_of(YAJL_GET_ARRAY(list)->values[i]), words_of(item)) == 0)
			return true;
	return false;
}

/* Lists in schemas are sets of texts or numbers: of names that are required, of an enum, of types.
   Forms that a document may have are objects, in one order. */
static void same_sets(yajl_val a, yajl_val b, const char *where)
{
	if (YAJL_GET_ARRAY(a)->len != YAJL_GET_ARRAY(b)->len)
		print_error("%s: %zu and %zu\n", where, YAJL_GET_ARRAY(a)->len,
			    YAJL_GET_ARRAY(b)->len);
	assert_int_equal(YAJL_GET_ARRAY(a)->len, YAJL_GET_ARRAY(b)->len);
	for (size_t i = 0; i < YAJL_GET_ARRAY(a)->len; i++) {
		yajl_val item = YAJL_GET_ARRAY(a)->values[i];

		if (!holds(b, item))
			print_error("%s: %s is only on one side\n", where, words_of(item));
		assert_true(holds(b, item));
	}
}

static void same(yajl_val a_root, yajl_val a, yajl_val b_root, yajl_val b, const char *where)
{
	size_t len = strlen(where);

	a = resolved(a_root, a);
	b = resolved(b_root, b);
	assert_int_equal(a->type, b->type);
	if (YAJL_IS_OBJECT(a)) {
		bool are_names = len >= 10 && strcmp(where + len - 10, "properties") == 0;

		same_members(a_root, a, b_root, b, where, are_names);
		same_members(b_root, b, a_root, a, where, are_names);
	} else if (YAJL_IS_ARRAY(a) && len >= 5 && strcmp(where + len - 5, "oneOf") == 0) {
		assert_int_equal(YAJL_GET_ARRAY(a)->len, YAJL_GET_ARRAY(b)->len);
		for (size_t i = 0; i < YAJL_GET_ARRAY(a)->len; i++)
			same(a_root, YAJL_GET_ARRAY(a)->values[i], b_root,
			     YAJL_GET_ARRAY(b)->values[i], where);
	} else if (YAJL_IS_ARRAY(a)) {
		same_sets(a, b, where);
	} else if (YAJL_IS_STRING(a)) {
		assert_string_equal(text_of(a), text_of(b));
	} else if (YAJL_IS_NUMBER(a)) {
		assert_string_equal(digits_of(a), digits_of(b));
	}
}

static void tables_say_what_the_schemas_say(void **state)
{
	(void)state;
	for (size_t i = 0; lode_documents[i]; i++) {
		yajl_val ours = generated(lode_documents[i]), theirs = published(lode_documents[i]);

		same(ours, ours, theirs, theirs, lode_documents[i]->file);
		yajl_tree_free(ours);
		yajl_tree_free(theirs);
	}
}

static void names_of_fields_are_unique(void **state)
{
	(void)state;
	for (size_t i = 0; lode_documents[i]; i++) {
		const struct lode_field *fields = lode_documents[i]->record->fields;

		for (size_t a = 0; fields[a].type; a++)
			for (size_t b = a + 1; fields[b].type && *fields[a].name; b++)
				assert_string_not_equal(fields[a].name, fields[b].name);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tables_say_what_the_schemas_say),
		cmocka_unit_test(names_of_fields_are_unique),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
