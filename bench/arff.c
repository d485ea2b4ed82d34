#include "arff.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/lines.h"
#include "base/mem.h"

struct reader {
	struct arff *arff;
	const char *path;
	size_t n_declared, capacity; /* attributes with the class; rows there is room for */
	LODE_VEC(char *) names;
	LODE_VEC(char **) values; /* NULL: numeric */
	LODE_VEC(size_t) n_values;
	double *row;
};

/* The next word of a list parted by commas, quotes taken off; NULL at the end. Cuts the text. */
static char *next_word(char **at)
{
	char *p = *at + strspn(*at, " \t"), *word, *end;

	if (!*p)
		return NULL;
	if (*p == '\'' || *p == '"') {
		word = p + 1;
		end = strchr(word, *p);
		if (!end)
			end = word + strlen(word);
		p = *end ? end + 1 : end;
		p += strcspn(p, ",");
	} else {
		word = p;
		p += strcspn(p, ",");
		end = p;
		while (end > word && isspace((unsigned char)end[-1]))
			end--;
	}
	*at = *p ? p + 1 : p;
	*end = 0;
	return word;
}

static void declare(struct reader *r, char *line)
{
	char *p = line + strlen("@attribute"), *name, **values = NULL;
	size_t n = 0;

	p += strspn(p, " \t");
	if (*p == '\'' || *p == '"') {
		char quote = *p++;

		name = p;
		p += strcspn(p, (char[]){quote, 0});
	} else {
		name = p;
		p += strcspn(p, " \t");
	}
	if (*p)
		*p++ = 0;
	p += strspn(p, " \t");
	if (*p == '{') {
		char *close = strrchr(p, '}'), *word;

		if (close)
			*close = 0;
		p++;
		while ((word = next_word(&p))) {
			values = lode_realloc_n(values, n + 2, sizeof(*values));
			values[n++] = lode_strdup(word);
			values[n] = NULL;
		}
	}
	lode_vec_append(&r->names, lode_strdup(name));
	lode_vec_append(&r->values, values);
	lode_vec_append(&r->n_values, n);
}

static int value_of(const struct reader *r, size_t attribute, const char *word, double *value)
{
	char *end;

	*value = NAN;
	if (strcmp(word, "?") == 0)
		return 0;
	for (size_t v = 0; v < r->n_values.at[attribute]; v++) {
		if (strcmp(r->values.at[attribute][v], word) == 0) {
			*value = (double)v;
			return 0;
		}
	}
	if (r->n_values.at[attribute])
		return -1;
	*value = strtod(word, &end);
	return *end ? -1 : 0;
}

static int add_row(struct reader *r, char *line, const struct lode_lines *lines,
		   struct lode_error *err)
{
	size_t n = r->names.n, row = r->arff->data.n_rows;
	char *word;

	for (size_t a = 0; a < n; a++) {
		word = next_word(&line);
		if (!word || value_of(r, a, word, &r->row[a]) < 0)
			return lode_fail_line(err, LODE_ERR_FORMAT, r->path, lines->number,
					      "value %zu is missing or not one declared", a + 1);
	}
	if (isnan(r->row[n - 1]))
		return 0;
	if (row == r->capacity) {
		r->capacity = r->capacity ? 2 * r->capacity : 1024;
		for (size_t a = 0; a + 1 < n; a++)
			r->arff->columns[a] =
				lode_realloc_n(r->arff->columns[a], r->capacity, sizeof(double));
		r->arff->classes = lode_realloc_n(r->arff->classes, r->capacity, sizeof(uint32_t));
	}
	for (size_t a = 0; a + 1 < n; a++)
		r->arff->columns[a][row] = r->row[a];
	r->arff->classes[row] = (uint32_t)r->row[n - 1];
	r->arff->data.n_rows++;
	return 0;
}

static int end_header(struct reader *r, struct lode_error *err)
{
	size_t n = r->names.n;
	struct arff *a = r->arff;

	if (n < 2 || !r->n_values.at[n - 1])
		return lode_fail(err, LODE_ERR_FORMAT, r->path, -1, "no nominal class");
	a->attributes = lode_alloc0(n, sizeof(*a->attributes));
	a->columns = lode_alloc0(n, sizeof(*a->columns));
	r->row = lode_alloc0(n, sizeof(*r->row));
	for (size_t i = 0; i < n; i++)
		a->attributes[i] = (struct lode_attribute){
			r->names.at[i], (const char *const *)r->values.at[i], r->n_values.at[i]};
	a->values = r->values.at;
	a->data.attributes = a->attributes;
	a->data.columns = (const double *const *)a->columns;
	a->data.n_attributes = n - 1;
	a->data.class_names = (const char *const *)r->values.at[n - 1];
	a->data.n_classes = r->n_values.at[n - 1];
	return 0;
}

int arff_load(struct arff *out, const char *path, struct lode_error *err)
{
	struct reader r = {.arff = out, .path = path};
	struct lode_input *input;
	struct lode_lines lines;
	bool is_data = false;
	char *line;
	size_t len;
	int rc = lode_input_open(&input, path, err);

	memset(out, 0, sizeof(*out));
	if (rc < 0)
		return rc;
	lode_lines_init(&lines, input);
	while (rc >= 0 && (rc = lode_lines_next(&lines, &line, &len, err)) > 0) {
		line += strspn(line, " \t");
		if (!*line || *line == '%')
			continue;
		if (is_data)
			rc = add_row(&r, line, &lines, err);
		else if (strncasecmp(line, "@attribute", 10) == 0)
			declare(&r, line);
		else if (strncasecmp(line, "@data", 5) == 0) {
			rc = end_header(&r, err);
			is_data = true;
		}
	}
	out->data.classes = out->classes;
	free(r.row);
	lode_lines_release(&lines);
	lode_input_close(input);
	return rc < 0 ? rc : 0;
}

void arff_release(struct arff *arff)
{
	for (size_t a = 0; a < arff->data.n_attributes; a++)
		free(arff->columns[a]);
	free(arff->columns);
	free(arff->classes);
	free(arff->attributes);
}
