/* lode coverage for terminals. */
#include "answers/clusters/cluster_brief.h"
#include "answers/coverage/coverage.h"
#include "base/escape.h"
#include "document/prose.h"
#include "document/recording_names.h"
#include "document/table.h"
#include "document/units.h"

enum {
	NAME_COLUMNS = 40,
	TEXT_COLUMNS = 32,
	GROUP_COLUMNS = 20,
	MOST_GROUPS = 15,
	SHOWN_PARTS = 5,
	LINES_PER_PART = 3
};

/* ---- The table ---- */

enum column { NAME, TOTAL, SHARE, EXCLUSIVE, STREAMS, AVERAGE, OWNER, BUG, WORST, N_COLUMNS };

static const struct lode_table_column table_columns[N_COLUMNS] = {
	[NAME] = {"signature", false, 0}, [TOTAL] = {"total", true, 0},
	[SHARE] = {"share", true, 0},	  [EXCLUSIVE] = {"exclusive", true, 5},
	[STREAMS] = {"recs", true, 4},	  [AVERAGE] = {"avg", true, 1},
	[OWNER] = {"owner", false, 3},	  [BUG] = {"bug", false, 2},
	[WORST] = {"worst in", false, 0},
};

static void set_numbers(struct lode_table *table, const struct lode_coverage_answer *answer,
			const struct lode_coverage_signature *s)
{
	const struct lode_signature_cost *cost = s->cost;
	char text[LODE_UNITS_BUFFER], name[256];
	size_t row = lode_table_row(table);

	snprintf(name, sizeof(name), "%s%s", s->name, s->is_retired ? " (retired)" : "");
	lode_table_set_text(table, row, NAME, name, NAME_COLUMNS);
	lode_table_set_cost(table, row, TOTAL, cost->total_ns, answer->unit);
	lode_table_set_share(table, row, SHARE, cost->total_ns, answer->all.symptom_ns);
	lode_table_set_cost(table, row, EXCLUSIVE, cost->exclusive_ns, answer->unit);
	lode_table_set(table, row, STREAMS, "%u", cost->n_streams);
	lode_table_set(table, row, AVERAGE, "%s",
		       s->average_ns != LODE_NO_INT
			       ? lode_format_cost(text, s->average_ns, answer->unit)
			       : "-");
	lode_table_set_text(table, row, OWNER, *s->owner ? s->owner : "-", TEXT_COLUMNS);
	lode_table_set_text(table, row, BUG, *s->bug ? s->bug : "-", TEXT_COLUMNS);
}

/* "startup-07.perf.data.zst, 2.10 s" */
static void set_worst(struct lode_table *table, const struct lode_coverage_answer *answer,
		      size_t row, const char *stream, size_t room)
{
	const struct lode_coverage_worst *worst = answer->signatures[row].worst;
	char text[LODE_UNITS_BUFFER], name[1024];
	size_t width;

	if (!worst) {
		lode_table_set(table, row, WORST, "-");
		return;
	}
	lode_format_cost(text, worst->cost_ns, answer->unit);
	width = strlen(text) + 2;
	lode_escape_fit(name, sizeof(name), stream, room > width + 4 ? room - width : 4);
	lode_table_set(table, row, WORST, "%s, %s", name, text);
}

static const char *path_of_worst(const void *context, size_t row)
{
	const struct lode_coverage_answer *answer = context;
	const struct lode_coverage_worst *worst = answer->signatures[row].worst;

	return worst ? worst->stream : NULL;
}

static void print_table(FILE *out, const struct lode_coverage_answer *answer,
			const struct lode_text_page *page)
{
	struct lode_table *table = lode_table_new(table_columns, N_COLUMNS, 0);
	char **names;
	size_t room;

	for (size_t i = 0; i < answer->n_told; i++)
		set_numbers(table, answer, &answer->signatures[i]);
	names = lode_recording_names(answer->n_told, path_of_worst, answer);
	room = lode_table_fit(table, page->columns, 24, WORST, NULL);
	for (size_t i = 0; i < answer->n_told; i++)
		set_worst(table, answer, i, names[i], room);
	free(names);
	lode_table_end(table, out, page);
}

/* What the rest is: its largest problems. */

enum part_column { PART_SHARE, PART_COST, PART_WHY, PART_LINE, N_PART_COLUMNS };

static const struct lode_table_column part_columns[N_PART_COLUMNS] = {
	[PART_SHARE] = {"share", true, 0},
	[PART_COST] = {"unexplained", true, 0},
	[PART_WHY] = {"why", false, 1},
	[PART_LINE] = {"who waits → for whom", false, 0},
};

static void print_parts(FILE *out, const struct lode_coverage_answer *answer,
			const struct lode_text_page *page)
{
	size_t n = answer->n_rest < SHOWN_PARTS ? answer->n_rest : SHOWN_PARTS, room, more_room;
	struct lode_table *table = lode_table_new(part_columns, N_PART_COLUMNS, 0);

	for (size_t i = 0; i < n; i++) {
		const struct lode_coverage_rest *rest = &answer->rest[i];
		size_t row = lode_table_row(table);

		lode_table_set_share(table, row, PART_SHARE, rest->own_ns, answer->all.symptom_ns);
		lode_table_set_cost(table, row, PART_COST, rest->own_ns, answer->unit);
		lode_cluster_set_why(table, row, PART_WHY, rest->cluster);
	}
	room = lode_table_fit(table, page->columns, 30, PART_WHY, &more_room);
	for (size_t i = 0; i < n; i++)
		lode_cluster_set_headline(table, i, PART_LINE, answer->mined,
					  answer->rest[i].cluster, room, more_room, LINES_PER_PART);
	if (n) {
		fputc('\n', out);
		lode_table_print(table, out, page->has_color);
	}
	lode_table_free(table);
	if (answer->n_rest + answer->n_rest_more > n)
		fprintf(out, "\n%zu more in the rest; lode triage lists them.\n",
			answer->n_rest + answer->n_rest_more - n);
}

static void print_rest(FILE *out, const struct lode_coverage_answer *answer,
		       const struct lode_text_page *page)
{
	const struct lode_cover *all = &answer->all;
	char a[LODE_UNITS_BUFFER], b[LODE_UNITS_BUFFER], c[LODE_UNITS_BUFFER], d[LODE_UNITS_BUFFER];
	char safe[4096];
	struct lode_prose prose;
	FILE *words = lode_prose_open(&prose);

	fputc('\n', words);
	if (answer->n_told_more)
		fprintf(words, "%zu more; --top 0 shows all.\n", answer->n_told_more);
	if (answer->n_quiet)
		fprintf(words, "%zu retired %s not come back.\n", answer->n_quiet,
			answer->n_quiet == 1 ? "signature has" : "signatures have");
	fprintf(words, "Not explained: %s (%s)",
		lode_format_cost(a, all->unexplained_ns, answer->unit),
		lode_format_share(b, all->unexplained_ns, all->symptom_ns));
	if (all->returned_ns)
		fprintf(words, "; %s of it matched by retired signatures only",
			lode_format_cost(a, all->returned_ns, answer->unit));
	fputs(".\n", words);
	lode_prose_close(out, page, 2, &prose);
	if (answer->not_mined)
		lode_prose(out, page, 2, "\nThe rest was not mined: %s.\n",
			   lode_escape(safe, sizeof(safe), answer->not_mined));
	print_parts(out, answer, page);
	words = lode_prose_open(&prose);
	fprintf(words, "\nData and method\n%s, %s of %s; %s.\n",
		lode_format_plural(a, answer->n_streams, "recording"),
		lode_format_plural(b, answer->n_symptoms, "symptom"),
		lode_format_cost_long(c, all->symptom_ns, answer->unit),
		lode_format_plural(d, answer->n_active, "signature"));
	if (all->aoi_ns != all->symptom_ns)
		fprintf(words, "Area of interest: %s, %s of symptom time.\n",
			lode_format_cost(a, all->aoi_ns, answer->unit),
			lode_format_share(b, all->aoi_ns, all->symptom_ns));
	lode_prose_close(out, page, 2, &prose);
}

/* ---- By groups ---- */

/* As many of the last groups as fit beside the names. */
static size_t first_group(const struct lode_coverage_answer *answer, size_t name_width,
			  unsigned columns)
{
	size_t first = answer->n_groups, used = name_width, width;

	while (first > 0 && answer->n_groups - first < MOST_GROUPS) {
		width = lode_escape_width(answer->groups[first - 1].name);
		width = width > GROUP_COLUMNS ? GROUP_COLUMNS : width < 7 ? 7 : width;
		if (used + 2 + width > columns && first < answer->n_groups)
			break;
		used += 2 + width;
		first--;
	}
	return first;
}

static void set_share(struct lode_table *table, size_t row, size_t column, int64_t part,
		      int64_t whole)
{
	char text[LODE_UNITS_BUFFER];

	lode_table_set(table, row, column, "%s", part ? lode_format_share(text, part, whole) : "-");
}

static size_t widest_name(const struct lode_coverage_answer *answer, size_t least)
{
	for (size_t i = 0; i < answer->n_told; i++) {
		size_t width = lode_escape_width(answer->signatures[i].name);

		width = width > NAME_COLUMNS ? NAME_COLUMNS : width;
		least = width > least ? width : least;
	}
	return least;
}

/* A row for each signature, then for all of them. */
static void set_trend(struct lode_table *table, const struct lode_coverage_answer *answer,
		      size_t first)
{
	const struct lode_coverage_group *groups = answer->groups;
	size_t row;

	for (size_t i = 0; i < answer->n_told; i++) {
		const struct lode_coverage_signature *s = &answer->signatures[i];

		row = lode_table_row(table);
		lode_table_set_text(table, row, 0, s->name, NAME_COLUMNS);
		for (size_t g = first; g < answer->n_groups; g++)
			set_share(table, row, g - first + 1, s->in_groups[g].total_ns,
				  groups[g].cover.symptom_ns);
	}
	row = lode_table_row(table);
	lode_table_set(table, row, 0, "any of them");
	for (size_t g = first; g < answer->n_groups; g++)
		set_share(table, row, g - first + 1, groups[g].cover.covered_ns,
			  groups[g].cover.symptom_ns);
	row = lode_table_row(table);
	lode_table_set(table, row, 0, "recordings");
	for (size_t g = first; g < answer->n_groups; g++)
		lode_table_set(table, row, g - first + 1, "%u", groups[g].n_streams);
}

static void print_trend(FILE *out, const struct lode_coverage_answer *answer,
			const struct lode_text_page *page)
{
	struct lode_table_column columns[MOST_GROUPS + 1] = {{"share of symptom time", false}};
	char titles[MOST_GROUPS][4 * GROUP_COLUMNS + 8], name[1024];
	size_t first =
		first_group(answer, widest_name(answer, strlen(columns[0].title)), page->columns);
	size_t n_shown = answer->n_groups - first;
	struct lode_table *table;

	for (size_t g = 0; g < n_shown; g++)
		columns[g + 1] = (struct lode_table_column){
			lode_escape_fit(titles[g], sizeof(titles[g]),
					answer->groups[first + g].name, GROUP_COLUMNS),
			true};
	table = lode_table_new(columns, n_shown + 1, 0);
	set_trend(table, answer, first);
	fprintf(out, "\nBy %s%s:\n\n",
		lode_escape_fit(name, sizeof(name), answer->by, NAME_COLUMNS),
		first ? ", latest" : "");
	lode_table_end(table, out, page);
	if (first)
		fprintf(out,
			"\n"
			"%zu earlier ones omitted; --json has all.\n",
			first);
}

void lode_coverage_text(FILE *out, const struct lode_coverage_answer *answer,
			const struct lode_text_page *page)
{
	lode_opening_put(out, &answer->opening, page);
	fputc('\n', out);
	if (answer->n_told)
		print_table(out, answer, page);
	print_rest(out, answer, page);
	if (answer->by)
		print_trend(out, answer, page);
}
