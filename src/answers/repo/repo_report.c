#include "answers/repo/repo_report.h"

#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "base/utc_text.h"
#include "streams/shape.h"
#include "answers/repo/repo_fields.h"
#include "document/table.h"
#include "document/units.h"

/* "release=2.1 arch=x86", made harmless; to be freed. */
static char *labels_text(const struct lode_repo_stream *stream)
{
	char *text = NULL, safe[1024];
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		lode_oom(0);
	for (size_t i = 0; i < stream->n_labels; i++) {
		fprintf(out, "%s%s=", i ? " " : "",
			lode_escape(safe, sizeof(safe), stream->labels[i].key));
		fputs(lode_escape(safe, sizeof(safe), stream->labels[i].value), out);
	}
	if (fclose(out) != 0)
		lode_oom(size);
	return text;
}

/* Streams are shown newest last: the end of the list is what is seen. */
static size_t first_shown(const struct lode_repo_report *report)
{
	size_t n = report->streams->list.n;

	return report->top && report->top < n ? n - report->top : 0;
}

static void put_row(struct lode_table *table, const struct lode_repo_stream *stream)
{
	char cost[LODE_UNITS_BUFFER], when[LODE_UTC_BYTES], safe[4096];
	size_t row = lode_table_row(table);
	char *labels = labels_text(stream);

	lode_table_set(table, row, 0, "%.8llx", (unsigned long long)(stream->content_hash >> 32));
	lode_table_set(table, row, 1, "%s%s", stream->is_clock ? "" : "~",
		       lode_utc_text(when, stream->time_ns, "%Y-%m-%d %H:%M"));
	lode_table_set(table, row, 2, "%s", lode_escape_fit(safe, sizeof(safe), stream->host, 20));
	lode_table_set(table, row, 3, "%zu", stream->n_symptoms);
	lode_table_set(table, row, 4, "%s", lode_format_cost(cost, stream->symptom_ns, "ns"));
	lode_table_set(table, row, 5, "%s", labels);
	lode_table_set(table, row, 6, "%s", stream->path);
	free(labels);
}

/* Paths end in what tells them apart: the front is cut. */
static void cut_path(char *buffer, size_t size, const char *path, size_t columns)
{
	char whole[4096];
	const char *at = lode_escape(whole, sizeof(whole), path);
	bool is_cut = false;

	while (lode_escape_width(at) + is_cut > columns && *at) {
		at++;
		while ((*at & 0xc0) == 0x80)
			at++;
		is_cut = true;
	}
	snprintf(buffer, size, "%s%s", is_cut ? "…" : "", at);
}

void lode_repo_report_list(FILE *out, const struct lode_repo_report *report)
{
	static const struct lode_table_column columns[] = {
		{"id", false},	      {"time (UTC)", false}, {"host", false}, {"symptoms", true},
		{"their time", true}, {"labels", false},     {"path", false}};
	const struct lode_repo_streams *streams = report->streams;
	struct lode_table *table = lode_table_new(columns, 7, 0);
	size_t first = first_shown(report), room;
	char path[4096], a[LODE_UNITS_BUFFER], b[LODE_UNITS_BUFFER];
	bool has_file_time = false;

	for (size_t i = first; i < streams->list.n; i++) {
		put_row(table, &streams->list.at[i]);
		has_file_time |= !streams->list.at[i].is_clock;
	}
	room = lode_table_room(table, report->columns);
	for (size_t i = first; i < streams->list.n; i++) {
		cut_path(path, sizeof(path), streams->list.at[i].path, room);
		lode_table_set(table, i - first, 6, "%s", path);
	}
	if (streams->list.n)
		lode_table_print(table, out, report->is_terminal);
	lode_table_free(table);
	if (first)
		fprintf(out, "and %s before these (--top)\n",
			lode_format_plural(a, first, "stream"));
	if (has_file_time)
		fputs("~ the recording does not say when it was made: the time of its file\n", out);
	fprintf(out, "%s%s", streams->list.n ? "\n" : "",
		lode_format_plural(a, streams->list.n, "stream"));
	if (report->where)
		fprintf(out, " of %s", lode_format_count(b, (uint64_t)report->sums.n_streams));
	fputc('\n', out);
}

void lode_repo_report_list_json(FILE *out, const struct lode_repo_report *report)
{
	const struct lode_repo_streams *streams = report->streams;
	size_t first = first_shown(report);
	struct lode_arena arena = {0};
	struct lode_repo_listing listing = {
		.path = lode_repo_path(report->repo),
		.sums = report->sums,
		.where = report->where,
		.n_picked = streams->list.n,
		.streams = streams->list.at + first,
		.n_streams = streams->list.n - first,
		.n_more = first,
	};

	listing.shape = lode_shape_lines(lode_repo_shape(report->repo), &listing.n_shape, &arena);
	lode_document_put(out, &lode_repo_document, &listing, NULL);
	lode_arena_release(&arena);
}

void lode_repo_report_stream(FILE *out, const struct lode_repo_stream *stream)
{
	char safe[8192], when[LODE_UTC_BYTES], cost[LODE_UNITS_BUFFER];

	fprintf(out, "stream %016llx\n", (unsigned long long)stream->content_hash);
	fprintf(out, "  path      %s\n", lode_escape(safe, sizeof(safe), stream->path));
	fprintf(out, "  host      %s\n", lode_escape(safe, sizeof(safe), stream->host));
	fprintf(out, "  kernel    %s\n", lode_escape(safe, sizeof(safe), stream->kernel));
	fprintf(out, "  time      %s UTC%s\n",
		lode_utc_text(when, stream->time_ns, "%Y-%m-%d %H:%M:%S"),
		stream->is_clock ? "" : ", of its file: the recording does not say");
	fprintf(out, "  imported  %s UTC\n",
		lode_utc_text(when, stream->imported_ns, "%Y-%m-%d %H:%M:%S"));
	fprintf(out, "  length    %s\n", lode_format_cost(cost, stream->length_ns, "ns"));
	fprintf(out, "  symptoms  %zu, ", stream->n_symptoms);
	fprintf(out, "%s\n", lode_format_cost(cost, stream->symptom_ns, "ns"));
	for (size_t i = 0; i < stream->n_labels; i++) {
		fprintf(out,
			"  label     %s=", lode_escape(safe, sizeof(safe), stream->labels[i].key));
		fprintf(out, "%s\n", lode_escape(safe, sizeof(safe), stream->labels[i].value));
	}
}

void lode_repo_report_sums(FILE *out, const struct lode_repo_report *report)
{
	const struct lode_repo_sums *sums = &report->sums;
	const char *shape = lode_repo_shape(report->repo);
	char a[LODE_UNITS_BUFFER], b[LODE_UNITS_BUFFER], c[LODE_UNITS_BUFFER], safe[4096];
	char first[LODE_UTC_BYTES], last[LODE_UTC_BYTES];

	fprintf(out, "%s: %s, %s of ",
		lode_escape(safe, sizeof(safe), lode_repo_path(report->repo)),
		lode_format_plural(a, (uint64_t)sums->n_streams, "stream"),
		lode_format_plural(b, (uint64_t)sums->n_symptoms, "symptom"));
	fprintf(out, "%s, %s\n", lode_format_cost(c, sums->symptom_ns, "ns"),
		lode_format_plural(a, (uint64_t)sums->n_signatures, "signature"));
	if (sums->n_streams)
		fprintf(out, "from %s to %s, %s\n",
			lode_utc_text(first, sums->first_ns, "%Y-%m-%d %H:%M"),
			lode_utc_text(last, sums->last_ns, "%Y-%m-%d %H:%M"),
			lode_format_plural(a, (uint64_t)sums->n_hosts, "host"));
	if (shape) {
		fputs("made with", out);
		for (const char *line = shape; *line; line += strcspn(line, "\n") + 1) {
			fprintf(out, " %.*s", (int)strcspn(line, "\n"), line);
			if (!line[strcspn(line, "\n")])
				break;
		}
		fputc('\n', out);
	}
	fprintf(out, "%s: digests %s, ", lode_format_bytes(a, sums->file_bytes),
		lode_format_bytes(b, sums->digest_bytes));
	fprintf(out, "%s %s", lode_format_plural(a, (uint64_t)sums->n_segments, "segment"),
		lode_format_bytes(b, sums->segment_bytes));
	fprintf(out, ", unused %s\n", lode_format_bytes(c, sums->free_bytes));
}

void lode_repo_report_labels(FILE *out, const struct lode_repo_label_counts *counts)
{
	static const struct lode_table_column columns[] = {
		{"label", false}, {"streams", true}, {"value", false}};
	struct lode_table *table = lode_table_new(columns, 3, 0);
	char safe[4096], n[LODE_UNITS_BUFFER];

	for (size_t i = 0; i < counts->list.n; i++) {
		const struct lode_repo_label_count *count = &counts->list.at[i];
		size_t row = lode_table_row(table);
		bool is_first = !i || strcmp(count[-1].key, count->key) != 0;

		lode_table_set(table, row, 0, "%s",
			       is_first ? lode_escape(safe, sizeof(safe), count->key) : "");
		lode_table_set(table, row, 1, "%s",
			       lode_format_count(n, (uint64_t)count->n_streams));
		lode_table_set(table, row, 2, "%s", lode_escape(safe, sizeof(safe), count->value));
	}
	if (counts->list.n)
		lode_table_print(table, out, false);
	else
		fputs("no labels\n", out);
	lode_table_free(table);
}

void lode_repo_report_labels_json(FILE *out, const struct lode_repo_label_counts *counts)
{
	lode_document_put(out, &lode_repo_labels_document, counts, NULL);
}

void lode_repo_report_check(FILE *out, const struct lode_repo_check *check)
{
	char safe[8192], a[LODE_UNITS_BUFFER], b[LODE_UNITS_BUFFER];

	for (size_t i = 0; i < check->faults.n; i++)
		fprintf(out, "%s\n", lode_escape(safe, sizeof(safe), check->faults.at[i]));
	if (check->n_faults > (int64_t)check->faults.n)
		fprintf(out, "and %lld more\n",
			(long long)(check->n_faults - (int64_t)check->faults.n));
	fprintf(out,
		"%s and %s read: ", lode_format_plural(a, (uint64_t)check->n_digests, "digest"),
		lode_format_plural(b, (uint64_t)check->n_segments, "segment"));
	if (check->n_faults)
		fprintf(out, "%s\n", lode_format_plural(a, (uint64_t)check->n_faults, "fault"));
	else
		fputs("sound\n", out);
}

void lode_repo_report_check_json(FILE *out, const struct lode_repo_check *check)
{
	struct lode_repo_verdict verdict = {check->n_faults == 0, check};

	lode_document_put(out, &lode_repo_check_document, &verdict, NULL);
}
