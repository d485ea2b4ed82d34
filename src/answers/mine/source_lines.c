/* The lines of a function's source files, with what each cost. */
#include "answers/mine/source_rows.h"
#include "base/sorted.h"

enum {
	MAX_FILES = 16,
	MAX_LINES = 4000, /* LIMIT: of one file; those behind are counted */
	AROUND_LINES = 3, /* shown beside a line that cost something, outside of the function */
	MAX_SPANS = 64,	  /* LIMIT: copies of a function that are looked at for where it ends */
	MAX_LINE_BYTES = 400
};

struct file {
	const char *path;
	const struct lode_source_point *first; /* which made it known */
	struct lode_map line_index;	       /* line -> index into costs */
	LODE_VEC(struct lode_code_cost) costs;
	LODE_VEC(uint32_t) lines; /* that are to be shown */
	struct lode_code_cost all;
};

struct files {
	struct lode_strings paths;
	LODE_VEC(struct file) at; /* by path id */
};

static struct file *file_of(struct files *files, const char *path,
			    const struct lode_source_point *point)
{
	uint32_t id = lode_strings_intern(&files->paths, path, strlen(path));

	if (id == files->at.n) {
		struct file *file = lode_vec_append_zero(&files->at);

		file->path = files->paths.text.at[id];
		file->first = point;
	}
	return &files->at.at[id];
}

static void add_cost(struct file *file, const struct lode_source_point *point)
{
	uint32_t line = point->place.line.line;
	uint32_t slot = lode_map_number(&file->line_index, line, file->costs.n);

	if (slot == file->costs.n) {
		(void)lode_vec_append_zero(&file->costs);
		for (uint32_t at = line > AROUND_LINES ? line - AROUND_LINES : 1;
		     at <= line + AROUND_LINES; at++)
			lode_vec_append(&file->lines, at);
	}
	lode_code_cost_add(&file->costs.at[slot], &point->cost);
	lode_code_cost_add(&file->all, &point->cost);
}

/* All lines of the function, once for each copy that the compiler made of it. */
static void add_spans(struct files *files, const lode_source_points *points)
{
	struct lode_map seen = {0};
	int n = 0;

	for (size_t i = 0; i < points->n && n < MAX_SPANS; i++) {
		const struct lode_source_point *point = &points->at[i];
		struct lode_source_line first;
		struct file *file;
		uint32_t last, *slot;

		if (!point->place.line.file)
			continue;
		slot = lode_map_slot(&seen, point->place.start ^ (uint64_t)point->level << 56);
		if (*slot != LODE_NONE)
			continue;
		*slot = (uint32_t)n++;
		if (!lode_listing_span(point->listing, &point->place, point->level, &first,
				       &last) ||
		    last - first.line >= MAX_LINES)
			continue;
		file = file_of(files, first.file, point);
		for (uint32_t line = first.line; line <= last; line++)
			lode_vec_append(&file->lines, line);
	}
	lode_map_release(&seen);
}

/* ---- Rows ---- */

static const char *line_text(struct lode_mine_source *source, const struct lode_source_text *text,
			     uint32_t line)
{
	size_t n;
	const char *at = lode_source_text_line(text, line, &n);

	if (!at)
		return NULL;
	return lode_arena_strndup(&source->arena, at, n < MAX_LINE_BYTES ? n : MAX_LINE_BYTES);
}

static void sort_once(struct file *file)
{
	size_t n = 0;

	lode_sort(file->lines.at, file->lines.n, lode_compare_u32);
	for (size_t i = 0; i < file->lines.n; i++)
		if (!n || file->lines.at[i] != file->lines.at[n - 1])
			file->lines.at[n++] = file->lines.at[i];
	file->lines.n = n;
}

static void make_lines(struct lode_source_file_row *row, struct lode_mine_source *source,
		       struct file *file, const struct lode_source_text *text)
{
	row->lines = lode_arena_array(&source->arena, struct lode_source_line_row, file->lines.n);
	for (size_t i = 0; i < file->lines.n; i++) {
		uint32_t line = file->lines.at[i], cost = lode_map_find(&file->line_index, line);
		const char *shown = text->bytes ? line_text(source, text, line) : NULL;
		static const struct lode_code_cost nothing;

		if (cost == LODE_NONE && !shown)
			continue;
		if (row->n_lines == MAX_LINES) {
			row->n_more += cost != LODE_NONE;
			continue;
		}
		row->lines[row->n_lines++] = (struct lode_source_line_row){
			line, shown,
			lode_source_cost_of(cost == LODE_NONE ? &nothing : &file->costs.at[cost])};
	}
}

static void make_file(struct lode_source_file_row *row, struct lode_mine_source *source,
		      struct file *file)
{
	struct lode_source_text *text = lode_vec_append_zero(&source->texts);
	int64_t program_s = lode_listing_time(file->first->listing);
	struct lode_error err;
	char words[sizeof(err.path) + sizeof(err.message) + 64];

	*row = (struct lode_source_file_row){.path = lode_arena_strdup(&source->arena, file->path),
					     .inclusive_ns = lode_code_cost_total(&file->all)};
	if (lode_source_text_load(text, source->dirs, file->path, &err) < 0) {
		const char *why = lode_error_text(&err, words, sizeof(words));

		row->missing = lode_arena_strdup(&source->arena, why);
	}
	row->found = text->path;
	row->is_newer = text->bytes && program_s && text->changed_s > program_s;
	sort_once(file);
	make_lines(row, source, file, text);
}

LODE_COMPARE(by_cost_source_lines, struct file,
	     LODE_ORDER(lode_code_cost_total(&b->all), lode_code_cost_total(&a->all))
		     ?: strcmp(a->path, b->path))

void lode_source_make_files(struct lode_mine_source *source, const lode_source_points *points)
{
	struct files files = {0};

	add_spans(&files, points);
	for (size_t i = 0; i < points->n; i++)
		if (points->at[i].place.line.file)
			add_cost(file_of(&files, points->at[i].place.line.file, &points->at[i]),
				 &points->at[i]);
	lode_sort(files.at.at, files.at.n, by_cost_source_lines);
	source->files =
		lode_arena_array(&source->arena, struct lode_source_file_row, files.at.n + 1);
	for (size_t i = 0; i < files.at.n && i < MAX_FILES; i++)
		make_file(&source->files[source->n_files++], source, &files.at.at[i]);
	for (size_t i = 0; i < files.at.n; i++) {
		lode_map_release(&files.at.at[i].line_index);
		lode_vec_release(&files.at.at[i].costs);
		lode_vec_release(&files.at.at[i].lines);
	}
	lode_vec_release(&files.at);
	lode_strings_release(&files.paths);
}
