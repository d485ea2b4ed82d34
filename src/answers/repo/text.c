/* lode repo for terminals. */
#include "answers/repo/repo.h"
#include "base/escape.h"
#include "base/duration.h"
#include "base/written.h"
#include "document/recording_names.h"
#include "document/table.h"
#include "document/units.h"

/* ---- Streams ---- */

/* "release=2.1 arch=x86", made harmless; to be freed. */
static char *labels_text(const struct lode_repo_stream *stream)
{
	char *text = NULL, safe[1024];
	size_t size;
	FILE *out = lode_written_open(&text, &size);

	for (size_t i = 0; i < stream->n_labels; i++) {
		fprintf(out, "%s%s=", i ? " " : "",
			lode_escape(safe, sizeof(safe), stream->labels[i].key));
		fputs(lode_escape(safe, sizeof(safe), stream->labels[i].value), out);
	}
	lode_written_close(out);
	return text;
}

/* All but the path. A '~' stands before a file's time. */
static void set_stream_row(struct lode_table *table, const struct lode_repo_stream *stream)
{
	char when[LODE_UTC_BYTES];
	size_t row = lode_table_row(table);
	char *labels = labels_text(stream);

	lode_table_set(table, row, 0, "%.8llx", (unsigned long long)(stream->content_hash >> 32));
	lode_table_set(table, row, 1, "%s%s", stream->is_clock ? "" : "~",
		       lode_utc_text(when, stream->time_ns, "%Y-%m-%d %H:%M"));
	lode_table_set_text(table, row, 2, stream->host, 20);
	lode_table_set(table, row, 3, "%zu", stream->n_symptoms);
	lode_table_set_cost(table, row, 4, stream->symptom_ns, "ns");
	lode_table_set(table, row, 5, "%s", labels);
	free(labels);
}

/* Paths end in what tells them apart: the front is cut, but not the name. */
static void set_path(struct lode_table *table, size_t row, const char *path, const char *name,
		     size_t columns)
{
	char whole[4096];
	size_t name_columns =
		lode_escape_width(lode_escape(whole, sizeof(whole), strstr(path, name)));
	const char *at = lode_escape(whole, sizeof(whole), path);
	bool is_cut = false;

	if (lode_escape_width(at) > columns && name_columns >= columns) {
		lode_table_set(table, row, 6, "%s", lode_escape(whole, sizeof(whole), name));
		return;
	}
	while (lode_escape_width(at) + is_cut > columns && *at) {
		at++;
		while ((*at & 0xc0) == 0x80)
			at++;
		is_cut = true;
	}
	lode_table_set(table, row, 6, "%s%s", is_cut ? "…" : "", at);
}

static void print_list(FILE *out, const struct lode_repo_answer *answer,
		       const struct lode_text_page *page)
{
	static const struct lode_table_column columns[] = {
		{"id", false},	       {"time (UTC)", false},	{"host", false, 2},
		{"symptoms", true, 1}, {"their time", true, 3}, {"labels", false},
		{"path", false}};
	struct lode_table *table = lode_table_new(columns, 7, 0);
	char a[LODE_UNITS_BUFFER], **names;
	size_t room, least = 0;

	for (size_t i = 0; i < answer->n_streams; i++)
		set_stream_row(table, &answer->streams[i]);
	names = LODE_RECORDING_NAMES(answer->streams, answer->n_streams, path);
	for (size_t i = 0; i < answer->n_streams; i++) {
		size_t width = lode_escape_width(names[i]);

		least = width > least ? width : least;
	}
	room = lode_table_fit(table, page->columns, least, 6, NULL);
	for (size_t i = 0; i < answer->n_streams; i++)
		set_path(table, i, answer->streams[i].path, names[i], room);
	free(names);
	if (answer->n_streams)
		lode_table_print(table, out, page->has_color);
	lode_table_free(table);
	if (answer->n_more)
		fprintf(out, "and %s earlier (--top)\n",
			lode_format_plural(a, answer->n_more, "recording"));
	if (answer->has_file_times)
		fputs("~ modification time of the file: the recording has no wall clock time\n",
		      out);
}

static void print_stream(FILE *out, const struct lode_repo_stream *stream)
{
	char safe[8192], when[LODE_UTC_BYTES], cost[LODE_UNITS_BUFFER];

	fprintf(out, "recording %016llx\n", (unsigned long long)stream->content_hash);
	fprintf(out, "  path      %s\n", lode_escape(safe, sizeof(safe), stream->path));
	fprintf(out, "  host      %s\n", lode_escape(safe, sizeof(safe), stream->host));
	fprintf(out, "  kernel    %s\n", lode_escape(safe, sizeof(safe), stream->kernel));
	fprintf(out, "  time      %s UTC%s\n",
		lode_utc_text(when, stream->time_ns, "%Y-%m-%d %H:%M:%S"),
		stream->is_clock
			? ""
			: ", modification time of the file: the recording has no wall clock time");
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

/* ---- The repository ---- */

static void print_sums(FILE *out, const struct lode_repo_answer *answer)
{
	const struct lode_repo_sums *sums = &answer->sums;
	char a[LODE_UNITS_BUFFER], b[LODE_UNITS_BUFFER], c[LODE_UNITS_BUFFER];
	char first[LODE_UTC_BYTES], last[LODE_UTC_BYTES];

	if (sums->n_streams)
		fprintf(out, "from %s to %s, %s\n",
			lode_utc_text(first, sums->first_ns, "%Y-%m-%d %H:%M"),
			lode_utc_text(last, sums->last_ns, "%Y-%m-%d %H:%M"),
			lode_format_plural(a, (uint64_t)sums->n_hosts, "host"));
	for (size_t i = 0; i < answer->n_shape; i++)
		fprintf(out, "%s %s", i ? "" : "made with", answer->shape[i]);
	if (answer->n_shape)
		fputc('\n', out);
	fprintf(out, "%s: digests %s, ", lode_format_bytes(a, sums->file_bytes),
		lode_format_bytes(b, sums->digest_bytes));
	fprintf(out, "%s %s", lode_format_plural(a, (uint64_t)sums->n_segments, "segment"),
		lode_format_bytes(b, sums->segment_bytes));
	fprintf(out, ", unused %s\n", lode_format_bytes(c, sums->free_bytes));
}

static void print_labels(FILE *out, const struct lode_repo_label_counts *counts)
{
	static const struct lode_table_column columns[] = {
		{"label", false}, {"recordings", true}, {"value", false}};
	struct lode_table *table = lode_table_new(columns, 3, 0);
	char safe[4096];

	for (size_t i = 0; i < counts->list.n; i++) {
		const struct lode_repo_label_count *count = &counts->list.at[i];
		size_t row = lode_table_row(table);
		bool is_first = !i || strcmp(count[-1].key, count->key) != 0;

		lode_table_set(table, row, 0, "%s",
			       is_first ? lode_escape(safe, sizeof(safe), count->key) : "");
		lode_table_set_count(table, row, 1, (uint64_t)count->n_streams);
		lode_table_set(table, row, 2, "%s", lode_escape(safe, sizeof(safe), count->value));
	}
	if (counts->list.n)
		lode_table_print(table, out, false);
	lode_table_free(table);
}

static void print_faults(FILE *out, const struct lode_repo_answer *answer)
{
	const struct lode_repo_check *check = &answer->check;
	char safe[8192];

	for (size_t i = 0; i < check->faults.n; i++)
		fprintf(out, "%s\n", lode_escape(safe, sizeof(safe), check->faults.at[i]));
	if (answer->n_more_faults)
		fprintf(out, "and %lld more\n", (long long)answer->n_more_faults);
}

static void print_retention(FILE *out, const struct lode_repo_answer *answer)
{
	const struct lode_repo_pruned *pruned = answer->pruned;
	char a[LODE_UNITS_BUFFER];

	if (pruned->is_over)
		fprintf(out, "still more than %s: no other recording may be removed\n",
			lode_format_bytes(a, answer->max_bytes));
	else if (pruned->n && answer->is_forgotten)
		fputs("later imports reuse the space; 'lode repo compact' frees it\n", out);
}

void lode_repo_text(FILE *out, const struct lode_repo_answer *answer,
		    const struct lode_text_page *page)
{
	enum lode_repo_word word = answer->word;
	bool is_listed = word == LODE_REPO_LIST || (answer->n_picked && !answer->is_forgotten &&
						    (word == LODE_REPO_FORGET || answer->pruned));

	/* The message on standard error says that there is nothing. */
	if (answer->is_of_streams && !answer->n_picked &&
	    (word == LODE_REPO_SHOW || word == LODE_REPO_FORGET))
		return;
	lode_opening_put(out, &answer->opening, page);
	if ((is_listed && answer->n_streams) || word == LODE_REPO_SHOW ||
	    (word == LODE_REPO_LABELS && answer->labels.list.n))
		fputc('\n', out);
	if (is_listed)
		print_list(out, answer, page);
	if (answer->pruned)
		print_retention(out, answer);
	if (word == LODE_REPO_FORGET && is_listed)
		fputs("--yes removes them\n", out);
	if (word == LODE_REPO_SHOW)
		for (size_t i = 0; i < answer->n_streams; i++)
			print_stream(out, &answer->streams[i]);
	if (word == LODE_REPO_SHOW && !answer->is_of_streams)
		print_sums(out, answer);
	if (word == LODE_REPO_LABELS)
		print_labels(out, &answer->labels);
	if (word == LODE_REPO_CHECK)
		print_faults(out, answer);
}
