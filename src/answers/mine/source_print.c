/* lode mine --source for terminals: lines of source with what they cost, and the costliest code. */
#include "answers/mine/source_rows.h"
#include "base/escape.h"
#include "base/sorted.h"
#include "document/text_page.h"
#include "document/table.h"
#include "document/recording_names.h"
#include "document/units.h"

enum { LINE_BYTES = 2048, TOP_CODE = 20 };

static const struct lode_table_column columns[] = {
	{"inclusive", true, 0}, {"exclusive", true, 2}, {"waiting", true, 1},
	{"line", true, 0},	{"source", false, 0},
};

/* Indents are shown as blanks: a tab would be written out. */
static const char *plain_line(char *buffer, size_t size, const char *text, size_t room)
{
	char blanks[LINE_BYTES];
	size_t n = 0;

	for (; *text && n + 5 < sizeof(blanks); text++) {
		if (*text != '\t') {
			blanks[n++] = *text;
			continue;
		}
		do
			blanks[n++] = ' ';
		while (n % 4);
	}
	blanks[n] = '\0';
	return lode_escape_fit(buffer, size, blanks, room);
}

static void set_cost(struct lode_table *table, size_t row, size_t column, int64_t cost_ns,
		     const char *unit)
{
	if (cost_ns > 0)
		lode_table_set_cost(table, row, column, cost_ns, unit);
}

static void set_costs(struct lode_table *table, size_t row, const struct lode_source_cost *cost,
		      const char *unit)
{
	set_cost(table, row, 0, cost->inclusive_ns, unit);
	set_cost(table, row, 1, cost->exclusive_ns, unit);
	set_cost(table, row, 2, cost->waiting_ns, unit);
}

/* 0: none costs anything. */
static unsigned costliest_line(const struct lode_source_file_row *file)
{
	const struct lode_source_line_row *most = NULL;

	for (size_t i = 0; i < file->n_lines; i++)
		if (file->lines[i].cost.inclusive_ns > (most ? most->cost.inclusive_ns : 0))
			most = &file->lines[i];
	return most ? most->line : 0;
}

static void print_file(FILE *out, const struct lode_mine_source *source,
		       const struct lode_source_file_row *file, const struct lode_text_page *page)
{
	struct lode_table *table = lode_table_new(columns, sizeof(columns) / sizeof(*columns), 0);
	char text[4 * LINE_BYTES];
	size_t room;

	fputc('\n', out);
	lode_style_link_put(out, file->found ? file->found : "", costliest_line(file),
			    lode_escape(text, sizeof(text), file->path), page);
	fputc('\n', out);
	if (file->found && strcmp(file->found, file->path) != 0)
		fprintf(out, "text from %s\n", lode_escape(text, sizeof(text), file->found));
	if (file->missing)
		fprintf(out, "%s\n", lode_escape(text, sizeof(text), file->missing));
	if (file->is_newer)
		fputs("changed after the program was built: lines may have moved\n", out);
	for (size_t i = 0; i < file->n_lines; i++) {
		size_t row = lode_table_row(table);

		set_costs(table, row, &file->lines[i].cost, source->unit);
		lode_table_set(table, row, 3, "%u", file->lines[i].line);
	}
	room = lode_table_fit(table, page->columns, 30, 4, NULL);
	for (size_t i = 0; i < file->n_lines; i++)
		if (file->lines[i].text)
			lode_table_set(table, i, 4, "%s",
				       plain_line(text, sizeof(text), file->lines[i].text, room));
	lode_table_end(table, out, page);
	if (file->n_more)
		fprintf(out, "and %s that cost something\n",
			lode_format_plural(text, file->n_more, "line"));
}

/* ---- Code ---- */

LODE_COMPARE_AT(by_cost_source_print, struct lode_source_instruction_row,
		LODE_ORDER(b->cost.inclusive_ns, a->cost.inclusive_ns) ?: LODE_ORDER(a, b))

static void print_code(FILE *out, const struct lode_mine_source *source,
		       const struct lode_source_code_row *code, const struct lode_text_page *page)
{
	static const struct lode_table_column code_columns[] = {
		{"inclusive", true, 0}, {"exclusive", true, 2}, {"waiting", true, 1},
		{"line", true, 3},	{"address", true, 0},	{"instruction", false, 0},
	};
	LODE_VEC(const struct lode_source_instruction_row *) shown = {0};
	struct lode_table *table;
	char text[4 * LINE_BYTES];
	size_t room;

	for (size_t i = 0; i < code->n_instructions; i++)
		if (code->instructions[i].cost.inclusive_ns > 0)
			lode_vec_append(&shown, &code->instructions[i]);
	lode_sort(shown.at, shown.n, by_cost_source_print);
	shown.n = shown.n < TOP_CODE ? shown.n : TOP_CODE;
	fprintf(out, "\nCode of %s at %s", lode_escape(text, sizeof(text), code->module),
		code->start);
	fprintf(out, "%s%s\n", code->missing ? ": " : ", its costliest instructions",
		code->missing ? lode_escape(text, sizeof(text), code->missing) : "");
	table = lode_table_new(code_columns, sizeof(code_columns) / sizeof(*code_columns), 0);
	for (size_t i = 0; i < shown.n; i++) {
		size_t row = lode_table_row(table);

		set_costs(table, row, &shown.at[i]->cost, source->unit);
		if (shown.at[i]->line)
			lode_table_set(table, row, 3, "%u", shown.at[i]->line);
		lode_table_set(table, row, 4, "%s", shown.at[i]->address);
	}
	room = lode_table_fit(table, page->columns, 30, 5, NULL);
	for (size_t i = 0; i < shown.n; i++)
		lode_table_set(table, i, 5, "%s",
			       plain_line(text, sizeof(text), shown.at[i]->text, room));
	if (shown.n)
		lode_table_print(table, out, page->has_color);
	lode_table_free(table);
	lode_vec_release(&shown);
}

void lode_mine_source_text(FILE *out, const struct lode_mine_source *source,
			   const struct lode_text_page *page)
{
	const char *path = source->digest->tree.strings.text.at[source->stream->path];
	char text[4 * LINE_BYTES], a[LODE_UNITS_BUFFER], b[LODE_UNITS_BUFFER];
	char c[LODE_UNITS_BUFFER];

	fprintf(out, "%s takes ", lode_escape(text, sizeof(text), source->function));
	fprintf(out, "%s, %s of symptom time, in %s; %s of that exclusive.\n",
		lode_format_cost(a, source->cost.inclusive_ns, source->unit),
		lode_format_share(b, source->cost.inclusive_ns, source->symptom_ns),
		lode_format_recording(text, sizeof(text), path, page->columns),
		lode_format_cost(c, source->cost.exclusive_ns, source->unit));
	if (source->n_streams > 1)
		fprintf(out, "That is %s of what it takes in %s.\n",
			lode_format_share(a, source->cost.inclusive_ns, source->all_ns),
			lode_format_plural(b, source->n_streams, "recording"));
	if (source->no_lines)
		fprintf(out, "%s without line information: %s.\n",
			lode_format_cost(a, source->unplaced.inclusive_ns, source->unit),
			lode_escape(text, sizeof(text), source->no_lines));
	for (size_t i = 0; i < source->n_files; i++)
		print_file(out, source, &source->files[i], page);
	for (size_t i = 0; i < source->n_code; i++)
		print_code(out, source, &source->code[i], page);
	if (source->n_more_code)
		fprintf(out, "\nand %s\n",
			lode_format_plural(text, source->n_more_code, "more place"));
}
