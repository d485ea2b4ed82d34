/* Reads which service calls which. */
#include "answers/pio/compare.h"
#include "base/delimited.h"
#include "base/json_tree.h"

/* LIMIT */
enum { MAX_FILE_BYTES = 16 << 20 };

static void add_edge(lode_shift_edges *out, struct lode_arena *arena, struct lode_slice caller,
		     struct lode_slice callee)
{
	if (caller.len && callee.len)
		lode_vec_append(out, ((struct lode_shift_edge){
					     lode_arena_strndup(arena, caller.at, caller.len),
					     lode_arena_strndup(arena, callee.at, callee.len)}));
}

/* Two columns; a header names no service, and so does no harm. */
static void read_lines(lode_shift_edges *out, struct lode_arena *arena, char *text, size_t size)
{
	char *end = text + size, *feed;

	for (; text < end; text = feed + 1) {
		struct lode_cells cells;
		struct lode_slice caller, callee;
		size_t len;

		feed = memchr(text, '\n', (size_t)(end - text));
		feed = feed ? feed : end;
		len = (size_t)(feed - text) - (feed > text && feed[-1] == '\r');
		cells = lode_cells(text, len, lode_cells_delimiter(text, len, ",;\t "));
		if (lode_cells_next(&cells, &caller) && lode_cells_next(&cells, &callee))
			add_edge(out, arena, lode_cells_name(caller), lode_cells_name(callee));
	}
}

static struct lode_slice dependency_end(yajl_val object, const char *name)
{
	yajl_val v = lode_json_tree_member(object, name);

	return v && YAJL_IS_STRING(v) ? (struct lode_slice){v->u.string, strlen(v->u.string)}
				      : (struct lode_slice){0};
}

/* Jaeger's dependencies: [{"parent": "web", "child": "db"}], maybe under "data". */
static int read_dependencies(lode_shift_edges *out, struct lode_arena *arena, const char *path,
			     const char *text, size_t size, struct lode_error *err)
{
	yajl_val root, list;
	int rc = lode_json_tree_parse(&root, text, size, path, err);

	if (rc < 0)
		return rc;
	list = YAJL_IS_ARRAY(root) ? root : lode_json_tree_member(root, "data");
	for (size_t i = 0; list && YAJL_IS_ARRAY(list) && i < YAJL_GET_ARRAY(list)->len; i++) {
		yajl_val edge = YAJL_GET_ARRAY(list)->values[i];

		add_edge(out, arena, dependency_end(edge, "parent"), dependency_end(edge, "child"));
	}
	yajl_tree_free(root);
	return LODE_OK;
}

int lode_pio_edges_read(lode_shift_edges *out, const char *path, struct lode_arena *arena,
			struct lode_error *err)
{
	char *text = lode_alloc(MAX_FILE_BYTES + 1);
	struct lode_input *input;
	ssize_t n = lode_input_open(&input, path, err);
	int rc = (int)n;

	if (n == LODE_OK) {
		n = lode_input_read(input, text, MAX_FILE_BYTES, err);
		lode_input_close(input);
		rc = n < 0 ? (int)n : LODE_OK;
	}
	if (rc == LODE_OK) {
		size_t blanks = 0;

		text[n] = '\0';
		blanks = strspn(text, " \t\r\n");
		if (text[blanks] == '[' || text[blanks] == '{')
			rc = read_dependencies(out, arena, path, text, (size_t)n, err);
		else
			read_lines(out, arena, text, (size_t)n);
	}
	if (rc == LODE_OK && !out->n)
		rc = lode_fail(err, LODE_ERR_FORMAT, path, 0,
			       "no line has a caller and a callee, and it is not Jaeger's "
			       "dependencies ([{\"parent\": ..., \"child\": ...}])");
	free(text);
	return rc;
}
