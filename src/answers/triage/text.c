/* lode triage for terminals. */
#include "answers/triage/triage.h"
#include "base/escape.h"
#include "answers/clusters/cluster_brief.h"
#include "answers/clusters/headline.h"
#include "document/prose.h"
#include "document/recording_names.h"
#include "document/table.h"
#include "document/units.h"

enum { lines_per_cluster = 3, path_columns = 44, known_bytes = 4096 };

/* ---- Streams ---- */

enum column { STREAM, SYMPTOM, KNOWN, REST, MARK, AS, N_COLUMNS };

static const struct lode_table_column table_columns[N_COLUMNS] = {
	[STREAM] = {"recording", false, 0},
	[SYMPTOM] = {"symptoms", true, 2},
	[KNOWN] = {"known", true, 1},
	[REST] = {"unexplained", true, 0},
	[MARK] = {"", false, 0},
	[AS] = {"known as", false, 0},
};

static void set_numbers(struct lode_table *table, const struct lode_triage_answer *answer,
			const struct lode_triage_stream *stream, const char *name)
{
	const struct lode_cover *cover = &stream->cover;
	size_t row = lode_table_row(table);

	lode_table_set_text(table, row, STREAM, name, path_columns);
	lode_table_set_cost(table, row, SYMPTOM, cover->symptom_ns, answer->unit);
	lode_table_set_share(table, row, KNOWN, cover->covered_ns, cover->symptom_ns);
	lode_table_set_cost(table, row, REST, cover->unexplained_ns, answer->unit);
	lode_table_set(table, row, MARK, "%s", stream->is_over ? "!" : "");
	lode_table_style(table, row, MARK, LODE_STYLE_BAD);
}

/*
 * "slow-path 1.92 s, crc 812 ms,
 *  store-lock 34 ms, 2 more": on as many lines as a stream may have.
 */
static void set_known(struct lode_table *table, const struct lode_triage_answer *answer, size_t row,
		      size_t room)
{
	const struct lode_triage_stream *stream = &answer->streams[row];
	size_t n = stream->n_known + stream->n_known_more;
	size_t max_lines = answer->n_streams == 1 ? 12 : 3, line = 0, width = 0, used = 0;
	char text[known_bytes] = "", one[1024], name[512], cost[LODE_UNITS_BUFFER];

	for (size_t i = 0; i < n; i++) {
		const struct lode_triage_known *known = &stream->known[i];
		size_t one_width, more_width = i + 1 < n ? strlen(", 999 more") : 0;

		snprintf(one, sizeof(one), "%s%s %s",
			 lode_escape_fit(name, sizeof(name), known->name, 40),
			 known->is_retired ? " (came back)" : "",
			 lode_format_cost(cost, known->total_ns, answer->unit));
		one_width = lode_escape_width(one);
		if (i && width + 2 + one_width + more_width > room) {
			if (line + 1 == max_lines || used + sizeof(one) > sizeof(text)) {
				snprintf(text + used, sizeof(text) - used, ", %zu more", n - i);
				break;
			}
			line++;
			width = 0;
			snprintf(text + used, sizeof(text) - used, ",\n%s", one);
		} else {
			snprintf(text + used, sizeof(text) - used, "%s%s", i ? ", " : "", one);
			width += i ? 2 : 0;
		}
		width += one_width;
		used = strlen(text);
	}
	lode_table_set(table, row, AS, "%s", n ? text : "-");
}

static void print_streams(FILE *out, const struct lode_triage_answer *answer,
			  const struct lode_text_page *page)
{
	struct lode_table *table = lode_table_new(table_columns, N_COLUMNS, 0);
	char **names = LODE_RECORDING_NAMES(answer->streams, answer->n_listed, path);
	size_t room;

	for (size_t i = 0; i < answer->n_listed; i++)
		set_numbers(table, answer, &answer->streams[i], names[i]);
	free(names);
	room = lode_table_fit(table, page->columns, 28, AS, NULL);
	for (size_t i = 0; i < answer->n_listed; i++)
		set_known(table, answer, i, room);
	lode_table_end(table, out, page);
	if (answer->n_more)
		fprintf(out, "\n%zu more recording%s, with less to explain; --top 0 shows all.\n",
			answer->n_more, answer->n_more == 1 ? "" : "s");
}

/* ---- What came back ---- */

static void print_returned(FILE *out, const struct lode_triage_answer *answer,
			   const struct lode_text_page *page)
{
	char name[1024], bug[1024], cost[LODE_UNITS_BUFFER], streams[LODE_UNITS_BUFFER];

	for (size_t i = 0; i < answer->n_returned; i++) {
		const struct lode_triage_returned *r = &answer->returned[i];

		lode_prose(out, page, 2, "\nCame back: %s, which was retired%s%s: %s in %s.\n",
			   lode_escape(name, sizeof(name), r->name), *r->bug ? ", " : "",
			   lode_escape(bug, sizeof(bug), r->bug),
			   lode_format_cost(cost, r->total_ns, answer->unit),
			   lode_format_plural(streams, r->n_streams, "recording"));
	}
}

/* ---- The rest ---- */

enum rest_column { RANK, SHARE, OWN, STREAMS, WHY, COMMON, N_REST_COLUMNS };

static const struct lode_table_column rest_columns[N_REST_COLUMNS] = {
	[RANK] = {"#", true, 0},	  [SHARE] = {"share", true, 3},
	[OWN] = {"unexplained", true, 0}, [STREAMS] = {"recs", true, 2},
	[WHY] = {"why", false, 1},	  [COMMON] = {"who waits → for whom", false, 0},
};

static void set_cluster(struct lode_table *table, const struct lode_triage_answer *answer,
			const struct lode_cluster *c)
{
	size_t row = lode_table_row(table);

	lode_table_set(table, row, RANK, "%u", c->rank);
	lode_table_set_share(table, row, SHARE, c->own_ns, answer->all.symptom_ns);
	lode_table_set_cost(table, row, OWN, c->own_ns, answer->unit);
	lode_table_set(table, row, STREAMS, "%u", c->n_streams);
	lode_cluster_set_why(table, row, WHY, c);
}

static void print_clusters(FILE *out, const struct lode_triage_answer *answer,
			   const struct lode_text_page *page)
{
	struct lode_table *table = lode_table_new(rest_columns, N_REST_COLUMNS, 0);
	size_t room, more_room;

	for (size_t i = 0; i < answer->n_clusters; i++)
		set_cluster(table, answer, &answer->mined->clusters[i]);
	room = lode_table_fit(table, page->columns, 30, WHY, &more_room);
	for (size_t i = 0; i < answer->n_clusters; i++)
		lode_cluster_set_headline(table, i, COMMON, answer->mined,
					  &answer->mined->clusters[i], room, more_room,
					  lines_per_cluster);
	fputs("\nNew problems in the rest:\n\n", out);
	lode_table_end(table, out, page);
	if (answer->n_clusters_more)
		fprintf(out, "\n%zu more cluster%s; --top 0 shows all.\n", answer->n_clusters_more,
			answer->n_clusters_more == 1 ? "" : "s");
}

static void print_rest(FILE *out, const struct lode_triage_answer *answer, bool keeps_rest,
		       const struct lode_text_page *page)
{
	const char *unit = answer->unit;
	char a[LODE_UNITS_BUFFER], b[LODE_UNITS_BUFFER], safe[4096];

	if (answer->not_mined)
		lode_prose(out, page, 2, "\nThe rest was not mined: %s.\n",
			   lode_escape(safe, sizeof(safe), answer->not_mined));
	if (!answer->mined)
		return;
	if (answer->n_clusters)
		print_clusters(out, answer, page);
	if (answer->other_ns)
		fprintf(out, "\n%s of the rest %s in no pattern of %s or more.\n",
			lode_format_cost(a, answer->other_ns, unit),
			strcmp(unit, "ns") == 0 ? "is" : "are",
			lode_format_cost(b, answer->lambda_ns, unit));
	if (answer->n_clusters && !keeps_rest)
		lode_prose_put(out, page, 2,
			       "\nlode triage --json ... >t.json, then lode sign --from t.json "
			       "--cluster 1 --name NAME signs the first; --rest FILE keeps the "
			       "rest for lode mine.\n");
}

void lode_triage_text(FILE *out, const struct lode_triage_answer *answer, bool keeps_rest,
		      const struct lode_text_page *page)
{
	char a[LODE_UNITS_BUFFER];

	lode_opening_put(out, &answer->opening, page);
	fputc('\n', out);
	print_streams(out, answer, page);
	print_returned(out, answer, page);
	print_rest(out, answer, keeps_rest, page);
	if (answer->n_over > 0)
		fprintf(out, "\n! %s %s more than %s unexplained.\n",
			lode_format_plural(a, (uint64_t)answer->n_over, "recording"),
			answer->n_over == 1 ? "has" : "have", answer->limit);
}
