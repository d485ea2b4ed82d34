#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "reports/cluster_brief.h"
#include "reports/common_part.h"
#include "reports/mine_report.h"
#include "reports/sheet.h"
#include "reports/triage_report.h"
#include "reports/units.h"
#include "reports/variants.h"

enum { lines_per_cluster = 3, path_columns = 44, known_bytes = 4096 };

static const struct lode_digest *digest_of(const struct lode_triage_report *report)
{
	return report->job->coverage.streams.job.digest;
}

static const struct lode_coverage *coverage_of(const struct lode_triage_report *report)
{
	return &report->job->coverage.coverage;
}

static size_t shown(const struct lode_triage_report *report, size_t n)
{
	return report->top && report->top < n ? report->top : n;
}

/* ---- Above the tables ---- */

static size_t count_active(const struct lode_signatures *list)
{
	size_t n = 0;

	for (size_t i = 0; i < list->list.n; i++)
		n += !list->list.at[i].is_retired;
	return n;
}

static void print_heading(FILE *out, const struct lode_triage_report *report)
{
	const struct lode_digest *digest = digest_of(report);
	const struct lode_stream_cover *all = &coverage_of(report)->all;
	char a[LODE_UNITS_BUFFER], b[LODE_UNITS_BUFFER], c[LODE_UNITS_BUFFER], d[LODE_UNITS_BUFFER],
		e[LODE_UNITS_BUFFER], f[LODE_UNITS_BUFFER], g[LODE_UNITS_BUFFER];

	fprintf(out, "%s, %s of %s: %s known (%s, by %s), %s not explained\n",
		lode_format_plural(a, digest->streams.n, "stream"),
		lode_format_plural(b, digest->symptoms.n, "symptom"),
		lode_format_cost_long(c, all->symptom_ns, digest->unit),
		lode_format_cost(d, all->covered_ns, digest->unit),
		lode_format_share(e, all->covered_ns, all->symptom_ns),
		lode_format_plural(f, count_active(report->job->coverage.signatures), "signature"),
		lode_format_cost(g, all->aoi_ns - all->covered_ns, digest->unit));
}

/* ---- Streams ---- */

enum column { STREAM, SYMPTOM, KNOWN, REST, MARK, AS, N_COLUMNS };

static const struct lode_sheet_column sheet_columns[N_COLUMNS] = {
	[STREAM] = {"stream", false, 0}, [SYMPTOM] = {"symptoms", true, 2},
	[KNOWN] = {"known", true, 1},	 [REST] = {"unexplained", true, 0},
	[MARK] = {"", false, 0},	 [AS] = {"known as", false, 0},
};

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}

static void set_numbers(struct lode_sheet *sheet, const struct lode_triage_report *report,
			const struct lode_triage_stream *stream)
{
	const struct lode_digest *digest = digest_of(report);
	const struct lode_stream_cover *cover = &coverage_of(report)->streams[stream->stream];
	char text[LODE_UNITS_BUFFER], name[1024];
	size_t row = lode_sheet_row(sheet);

	lode_sheet_set(
		sheet, row, STREAM, "%s",
		lode_escape_fit(name, sizeof(name),
				base_name(digest->tree.strings.text
						  .at[digest->streams.at[stream->stream].path]),
				path_columns));
	lode_sheet_set(sheet, row, SYMPTOM, "%s",
		       lode_format_cost(text, cover->symptom_ns, digest->unit));
	lode_sheet_set(sheet, row, KNOWN, "%s",
		       lode_format_share(text, cover->covered_ns, cover->symptom_ns));
	lode_sheet_set(sheet, row, REST, "%s",
		       lode_format_cost(text, stream->unexplained_ns, digest->unit));
	lode_sheet_set(sheet, row, MARK, "%s", stream->is_over ? "!" : "");
}

/*
 * "slow-path 1.92 s, crc 812 ms,
 *  store-lock 34 ms, 2 more": on as many lines as a stream may have.
 */
static void set_known(struct lode_sheet *sheet, const struct lode_triage_report *report, size_t row,
		      uint32_t stream, size_t room)
{
	const struct lode_triage_job *job = report->job;
	const struct lode_signature *list = job->coverage.signatures->list.at;
	size_t from = job->known_start[stream], n = job->known_start[stream + 1] - from;
	size_t max_lines = job->n_streams == 1 ? 12 : 3, line = 0, width = 0, used = 0;
	char text[known_bytes] = "", one[1024], name[512], cost[LODE_UNITS_BUFFER];

	for (size_t i = 0; i < n; i++) {
		const struct lode_signature_in_stream *in =
			&coverage_of(report)->in_streams.at[job->known[from + i]];
		size_t one_width, more_width = i + 1 < n ? strlen(", 999 more") : 0;

		snprintf(one, sizeof(one), "%s%s %s",
			 lode_escape_fit(name, sizeof(name), list[in->signature].name, 40),
			 list[in->signature].is_retired ? " (came back)" : "",
			 lode_format_cost(cost, in->total_ns, digest_of(report)->unit));
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
	lode_sheet_set(sheet, row, AS, "%s", n ? text : "-");
}

static void print_streams(FILE *out, const struct lode_triage_report *report)
{
	const struct lode_triage_job *job = report->job;
	struct lode_sheet *sheet = lode_sheet_new(sheet_columns, N_COLUMNS, 0);
	size_t n = shown(report, job->n_streams), room;

	for (size_t i = 0; i < n; i++)
		set_numbers(sheet, report, &job->streams[i]);
	room = lode_sheet_fit(sheet, report->columns, 28, AS, NULL);
	for (size_t i = 0; i < n; i++)
		set_known(sheet, report, i, job->streams[i].stream, room);
	fputc('\n', out);
	lode_sheet_print(sheet, out, report->is_terminal);
	lode_sheet_free(sheet);
	if (n < job->n_streams)
		fprintf(out, "\n%zu more stream%s, with less to explain; --top 0 shows all.\n",
			job->n_streams - n, job->n_streams - n == 1 ? "" : "s");
}

/* ---- What came back ---- */

static void print_returned(FILE *out, const struct lode_triage_report *report)
{
	const struct lode_signatures *list = report->job->coverage.signatures;
	char name[1024], bug[1024], cost[LODE_UNITS_BUFFER], streams[LODE_UNITS_BUFFER];

	for (size_t i = 0; i < list->list.n; i++) {
		const struct lode_signature *s = &list->list.at[i];
		const struct lode_signature_cost *c = &coverage_of(report)->signatures[i];

		if (!s->is_retired || !c->total_ns)
			continue;
		fprintf(out, "\nCame back: %s, which was retired%s%s: %s in %s.\n",
			lode_escape(name, sizeof(name), s->name), *s->bug ? ", " : "",
			lode_escape(bug, sizeof(bug), s->bug),
			lode_format_cost(cost, c->total_ns, digest_of(report)->unit),
			lode_format_plural(streams, c->n_streams, "stream"));
	}
}

/* ---- The rest ---- */

enum rest_column { RANK, SHARE, OWN, STREAMS, WHY, COMMON, N_REST_COLUMNS };

static const struct lode_sheet_column rest_columns[N_REST_COLUMNS] = {
	[RANK] = {"#", true, 0},	  [SHARE] = {"share", true, 3},
	[OWN] = {"unexplained", true, 0}, [STREAMS] = {"streams", true, 2},
	[WHY] = {"why", false, 1},	  [COMMON] = {"common part", false, 0},
};

static void set_cluster(struct lode_sheet *sheet, const struct lode_triage_report *report,
			const struct lode_cluster *c)
{
	size_t row = lode_sheet_row(sheet);
	char text[LODE_UNITS_BUFFER + 64];

	lode_sheet_set(sheet, row, RANK, "%u", c->rank);
	lode_sheet_set(sheet, row, SHARE, "%s",
		       lode_format_share(text, c->own_ns, coverage_of(report)->all.symptom_ns));
	lode_sheet_set(sheet, row, OWN, "%s",
		       lode_format_cost(text, c->own_ns, digest_of(report)->unit));
	lode_sheet_set(sheet, row, STREAMS, "%u", c->n_streams);
	lode_sheet_set(sheet, row, WHY, "%s", lode_cluster_why(text, sizeof(text), c));
}

static void set_common(struct lode_sheet *sheet, const struct lode_triage_report *report,
		       size_t row, const struct lode_cluster *c, size_t room, size_t more_room)
{
	char text[lines_per_cluster * (LODE_COMMON_LINE + 160)];
	struct lode_mainline mainline;

	lode_mainline_build(&mainline, c);
	lode_common_part_short(text, sizeof(text), digest_of(report), mainline.frames.at,
			       mainline.gap_before.at, mainline.frames.n, room, more_room,
			       lines_per_cluster);
	lode_mainline_release(&mainline);
	lode_sheet_set(sheet, row, COMMON, "%s", text);
}

static void print_clusters(FILE *out, const struct lode_triage_report *report)
{
	const struct lode_mined *mined = report->job->mined;
	struct lode_sheet *sheet = lode_sheet_new(rest_columns, N_REST_COLUMNS, 0);
	size_t n = shown(report, mined->n_clusters), room, more_room;

	for (size_t i = 0; i < n; i++)
		set_cluster(sheet, report, &mined->clusters[i]);
	room = lode_sheet_fit(sheet, report->columns, 30, WHY, &more_room);
	for (size_t i = 0; i < n; i++)
		set_common(sheet, report, i, &mined->clusters[i], room, more_room);
	fputs("\nNot explained, mined:\n\n", out);
	lode_sheet_print(sheet, out, report->is_terminal);
	lode_sheet_free(sheet);
	if (n < mined->n_clusters)
		fprintf(out, "\n%zu more cluster%s; --top 0 shows all.\n", mined->n_clusters - n,
			mined->n_clusters - n == 1 ? "" : "s");
}

static void print_rest(FILE *out, const struct lode_triage_report *report)
{
	const struct lode_triage_job *job = report->job;
	const char *unit = digest_of(report)->unit;
	char a[LODE_UNITS_BUFFER], b[LODE_UNITS_BUFFER], safe[4096];

	if (job->not_mined)
		fprintf(out, "\nThe rest was not mined: %s.\n",
			lode_escape(safe, sizeof(safe), job->not_mined));
	if (!job->mined)
		return;
	if (job->mined->n_clusters)
		print_clusters(out, report);
	if (job->mined->other_ns)
		fprintf(out, "\n%s of the rest %s in no pattern of %s or more.\n",
			lode_format_cost(a, job->mined->other_ns, unit),
			strcmp(unit, "ns") == 0 ? "is" : "are",
			lode_format_cost(b, job->mined->min_cost, unit));
	if (job->mined->n_clusters && !report->rest_path)
		fputs("\nlode triage --json ... >t.json, then lode sign --from t.json --cluster 1 "
		      "--name NAME signs the first;\n--rest FILE keeps the rest for lode mine.\n",
		      out);
}

void lode_triage_report_text(FILE *out, const struct lode_triage_report *report)
{
	const struct lode_triage_job *job = report->job;
	char a[LODE_UNITS_BUFFER];

	print_heading(out, report);
	print_streams(out, report);
	print_returned(out, report);
	print_rest(out, report);
	if (job->n_over)
		fprintf(out, "\n! %s %s more than %s unexplained.\n",
			lode_format_plural(a, job->n_over, "stream"),
			job->n_over == 1 ? "has" : "have", report->limit);
}
