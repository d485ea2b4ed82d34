/* lode next for terminals. */
#include <inttypes.h>

#include "answers/next/next.h"
#include "base/escape.h"
#include "answers/clusters/headline.h"
#include "document/prose.h"
#include "document/recording_names.h"
#include "document/table.h"
#include "document/units.h"

enum { least_room = 32, stream_columns = 36 };

/* A signature's name, or what tells of a cluster. A stream without anything new is good for finding
   what has no signature. */
static const char *what_name(char *buffer, size_t size, const struct lode_next_answer *answer,
			     const struct lode_next_step *step, size_t columns)
{
	const struct lode_cluster *cluster = step->opened_for.cluster;
	char cost[LODE_UNITS_BUFFER];
	size_t used;

	if (step->opened_for.signature)
		return lode_escape_fit(buffer, size, step->opened_for.signature, columns);
	if (!cluster) {
		snprintf(buffer, size, "nothing new; %s unexplained",
			 lode_format_cost(cost, step->unexplained_ns, answer->unit));
		return buffer;
	}
	snprintf(buffer, size, "#%u ", cluster->rank);
	used = strlen(buffer);
	lode_headline_text(buffer + used, size - used, answer->mined, cluster,
			   columns > used ? columns - used : 1, columns, 1);
	return buffer;
}

/* What was read, and what is known of it. */
static void print_data(FILE *out, const struct lode_next_answer *answer)
{
	char a[LODE_UNITS_BUFFER], b[LODE_UNITS_BUFFER];

	fprintf(out, "\nData and method\n%s, %s of symptoms; ",
		lode_format_plural(a, answer->n_streams, "recording"),
		lode_format_cost_long(b, answer->symptom_ns, answer->unit));
	fprintf(out, "%s%s.\n",
		lode_format_plural(a, answer->n_known,
				   answer->is_of_clusters ? "cluster" : "signature"),
		answer->is_of_clusters ? " used instead of signatures" : "");
	if (answer->n_opened)
		fprintf(out, "Already reviewed: %s with %zu of them, %s.\n",
			lode_format_plural(a, answer->n_opened, "recording"), answer->n_seen,
			lode_format_share(b, answer->start_ns, answer->symptom_ns));
}

/* ---- The streams to open ---- */

enum column { NUMBER, STREAM, COVERED, ADDS, NEW, FOR, n_columns };

static const struct lode_table_column columns[n_columns] = {
	[NUMBER] = {"#", true, 0},	  [STREAM] = {"recording", false, 0},
	[COVERED] = {"covered", true, 0}, [ADDS] = {"adds", true, 1},
	[NEW] = {"new", true, 2},	  [FOR] = {"opened for", false, 0},
};

static void print_steps(FILE *out, const struct lode_next_answer *answer,
			const struct lode_text_page *page)
{
	struct lode_table *table = lode_table_new(columns, n_columns, 0);
	char **names = LODE_RECORDING_NAMES(answer->steps, answer->n_steps, stream);
	char text[LODE_COMMON_LINE + 200];
	size_t room;

	for (size_t i = 0; i < answer->n_steps; i++) {
		const struct lode_next_step *step = &answer->steps[i];
		size_t row = lode_table_row(table);

		lode_table_set(table, row, NUMBER, "%zu", i + 1);
		lode_table_set_text(table, row, STREAM, names[i], stream_columns);
		lode_table_set_share(table, row, COVERED, step->covered_ns, answer->symptom_ns);
		lode_table_set_share(table, row, ADDS, step->adds_ns, answer->symptom_ns);
		lode_table_set(table, row, NEW, "%u", step->n_new);
	}
	free(names);
	room = lode_table_fit(table, page->columns, least_room, FOR, NULL);
	for (size_t i = 0; i < answer->n_steps; i++)
		lode_table_set(table, i, FOR, "%s",
			       what_name(text, sizeof(text), answer, &answer->steps[i], room));
	lode_table_end(table, out, page);
}

/* ---- The four curves ---- */

/* In the order of the paper's legend, ours last as there. */
static const enum lode_next_order shown_curves[LODE_N_NEXT_ORDERS] = {
	LODE_NEXT_RANDOM, LODE_NEXT_TOTAL, LODE_NEXT_MAX, LODE_NEXT_BEST};

static const struct lode_table_column needed_columns[] = {
	{"coverage", true, 0},	 {"random", true, 0}, {"greedy-total", true, 0},
	{"greedy-max", true, 0}, {"lode", true, 0},
};

static const struct lode_table_column opened_columns[] = {
	{"opened", true, 0},	 {"random", true, 0}, {"greedy-total", true, 0},
	{"greedy-max", true, 0}, {"lode", true, 0},
};

static void print_needed(FILE *out, const struct lode_next_curves *curves)
{
	struct lode_table *table = lode_table_new(needed_columns, 1 + LODE_N_NEXT_ORDERS, 0);

	for (size_t i = 0; i < curves->n_levels; i++) {
		const struct lode_next_level *level = &curves->levels[i];
		size_t row = lode_table_row(table);
		char text[LODE_UNITS_BUFFER];

		lode_table_set(table, row, 0, "%s", lode_format_pct(text, 100 * level->coverage));
		for (unsigned c = 0; c < LODE_N_NEXT_ORDERS; c++)
			lode_table_set(table, row, 1 + c, "%" PRIu64,
				       level->needed[shown_curves[c]]);
	}
	fprintf(out, "Recordings to open for a coverage:\n\n");
	lode_table_print(table, out, false);
	lode_table_free(table);
}

/* 1, 2, 3, 5, 10, 20, 30, 50, 100 ... */
static size_t next_shown(size_t k)
{
	size_t decade = 1;

	while (k >= 10 * decade)
		decade *= 10;
	return k < 2 * decade	? 2 * decade
	       : k < 3 * decade ? 3 * decade
	       : k < 5 * decade ? 5 * decade
				: 10 * decade;
}

static void print_opened(FILE *out, const struct lode_next_answer *answer)
{
	const struct lode_next_curves *curves = answer->curves;
	struct lode_table *table = lode_table_new(opened_columns, 1 + LODE_N_NEXT_ORDERS, 0);
	size_t end = curves->levels[curves->n_levels - 1].needed[LODE_NEXT_RANDOM];

	for (size_t k = 1; k < curves->n_points; k = next_shown(k)) {
		size_t row = lode_table_row(table);
		char text[LODE_UNITS_BUFFER];

		lode_table_set(table, row, 0, "%zu", k);
		for (unsigned c = 0; c < LODE_N_NEXT_ORDERS; c++)
			lode_table_set(table, row, 1 + c, "%s",
				       lode_format_pct(text,
						       100 * curves->covered[shown_curves[c]][k] /
							       (double)answer->symptom_ns));
		if (k >= end)
			break;
	}
	fprintf(out, "\nCoverage by recordings opened:\n\n");
	lode_table_print(table, out, false);
	lode_table_free(table);
}

static void print_curves(FILE *out, const struct lode_next_answer *answer,
			 const struct lode_text_page *page)
{
	const struct lode_next_curves *curves = answer->curves;

	if (!curves->n_levels) {
		fprintf(out, "Nothing new is left to see: all orders are equal.\n");
		return;
	}
	print_needed(out, curves);
	print_opened(out, answer);
	lode_prose(out, page, 0,
		   "\n"
		   "random: expectation over all orders. For the coverages above, lode needs on "
		   "average %.0f %% of the recordings that random needs, %.0f %% of greedy-total's "
		   "and %.0f %% of greedy-max's.\n",
		   100 * curves->best_share_of[LODE_NEXT_RANDOM],
		   100 * curves->best_share_of[LODE_NEXT_TOTAL],
		   100 * curves->best_share_of[LODE_NEXT_MAX]);
}

void lode_next_text(FILE *out, const struct lode_next_answer *answer,
		    const struct lode_text_page *page)
{
	struct lode_prose prose;

	lode_opening_put(out, &answer->opening, page);
	fputc('\n', out);
	if (answer->curves)
		print_curves(out, answer, page);
	else if (answer->n_steps)
		print_steps(out, answer, page);
	else
		fprintf(out, "All recordings have been reviewed.\n");
	if (!answer->curves && answer->n_more)
		fprintf(out, "%zu more; --top 0 shows all.\n", answer->n_more);
	print_data(lode_prose_open(&prose), answer);
	lode_prose_close(out, page, 2, &prose);
}
