/*
 * Any bytes as a table of symptoms: an error that names a line, or rows that keep their promises.
 */
#include "fuzz/fuzz.h"

#include "model/symptom_table.h"

/* Feeds the lines as lode_lines would; each in memory of its own, so that overruns are seen. */
static int read_table(struct lode_symptom_table *table, const uint8_t *data, size_t size,
		      struct lode_error *err)
{
	int64_t number = 0;
	int rc = 0;

	while (size > 0 && rc == 0) {
		const uint8_t *feed = memchr(data, '\n', size);
		size_t len = feed ? (size_t)(feed - data) : size;
		char *line = lode_alloc(len);

		memcpy(line, data, len);
		rc = lode_symptom_table_line(table, line, len, ++number, err);
		free(line);
		len += feed != NULL;
		data += len;
		size -= len;
	}
	return rc < 0 ? rc : lode_symptom_table_end(table, err);
}

/* Every row is found under its own name, whatever the stream is compressed with. */
static void check_row(const struct lode_symptom_table *table, size_t i)
{
	const struct lode_symptom_row *row = &table->rows.at[i];
	size_t size = strlen(row->stream) + sizeof(".zst"), first, n;
	char *path = lode_alloc(size);

	FUZZ_CHECK(row->tid > 0 && row->t1_ns > row->t0_ns && *row->stream);
	snprintf(path, size, "%s.zst", row->stream);
	n = lode_symptom_table_find(table, path, &first);
	FUZZ_CHECK(i >= first && i < first + n);
	FUZZ_CHECK(lode_symptom_row_names(row, path));
	free(path);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct lode_symptom_table table = {.path = "fuzz.tsv"};
	struct lode_error err = {0};
	int rc = read_table(&table, data, size, &err);

	if (rc < 0)
		FUZZ_CHECK(err.status == LODE_ERR_FORMAT && err.message[0]);
	for (size_t i = 0; rc == 0 && i < table.rows.n; i++)
		check_row(&table, i);
	lode_symptom_table_release(&table);
	return 0;
}
