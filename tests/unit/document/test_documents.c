/* docs/schema and docs/fields.md are what the tables of fields say: `make schemas` writes them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "answers/documents.h"

static char *file_text(const char *path)
{
	char *text = NULL;
	size_t size = 0;
	FILE *in = fopen(path, "r");

	if (!in)
		fail_msg("%s is missing: make schemas", path);
	assert_true(getdelim(&text, &size, '\0', in) > 0);
	fclose(in);
	return text;
}

static char *written(void (*put)(FILE *out, const struct lode_document *document),
		     const struct lode_document *document)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	put(out, document);
	fclose(out);
	return text;
}

static void schemas_are_those_of_the_tables(void **state)
{
	(void)state;
	for (size_t i = 0; lode_documents[i]; i++) {
		char path[4096], *ours, *theirs;

		snprintf(path, sizeof(path), "%s/docs/schema/%s.json", getenv("LODE_TOP"),
			 lode_documents[i]->file);
		theirs = file_text(path);
		ours = written(lode_document_put_schema, lode_documents[i]);
		if (strcmp(ours, theirs) != 0)
			fail_msg("%s is not what its table says: make schemas", path);
		free(ours);
		free(theirs);
	}
}

static void fields_are_listed(void **state)
{
	char path[4096], *text;

	(void)state;
	snprintf(path, sizeof(path), "%s/docs/fields.md", getenv("LODE_TOP"));
	text = file_text(path);
	for (size_t i = 0; lode_documents[i]; i++) {
		char *table = written(lode_document_put_table, lode_documents[i]);

		if (!strstr(text, table))
			fail_msg("%s: the table of %s is another one: make schemas", path,
				 lode_documents[i]->file);
		free(table);
	}
	free(text);
}

static void names_of_fields_are_unique(void **state)
{
	(void)state;
	for (size_t i = 0; lode_documents[i]; i++) {
		const struct lode_record *record = lode_documents[i]->record;
		const struct lode_field *fields = record->fields;

		for (size_t a = 0; a < record->n_fields; a++)
			for (size_t b = a + 1; b < record->n_fields && *fields[a].name; b++)
				assert_string_not_equal(fields[a].name, fields[b].name);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(schemas_are_those_of_the_tables),
		cmocka_unit_test(fields_are_listed),
		cmocka_unit_test(names_of_fields_are_unique),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
