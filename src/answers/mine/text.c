/* lode mine for terminals: the table of clusters. */
#include "answers/mine/mine.h"
#include "answers/clusters/alias_words.h"
#include "base/escape.h"
#include "answers/clusters/cluster_brief.h"
#include "answers/clusters/cluster_rows.h"
#include "answers/clusters/headline.h"
#include "document/prose.h"
#include "document/table.h"
#include "document/units.h"
#include "answers/clusters/variants.h"

enum { lines_per_cluster = 4 };

/* ---- The table ---- */

/* Behind its share, the figures of a cluster that have a heading (cluster_fields.c); then two more,
   or on a busy machine three. */
enum { RANK, SHARE, FIGURES, MOST_COLUMNS = 16 };

static size_t make_columns(struct lode_table_column *columns, const struct lode_mine_answer *answer)
{
	bool is_busy = answer->busy != NULL, is_cpu_time = answer->cpu != NULL;
	bool is_sampled = is_cpu_time || strcmp(answer->mined->digest->unit, "samples") == 0;
	bool has_occurrences = false;
	size_t n = FIGURES;

	columns[RANK] = (struct lode_table_column){"#", true};
	columns[SHARE] = (struct lode_table_column){"share", true};
	n += lode_table_headings(columns + n, MOST_COLUMNS - 3 - n, &lode_cluster_cost_record);
	if (is_busy)
		columns[n++] = (struct lode_table_column){"w/o ready", true, 4};
	for (size_t i = 0; i < answer->mined->n_clusters; i++)
		has_occurrences |= answer->mined->clusters[i].n_occurrences > 0;
	/* How often threads ran is not in samples, nor in digests of older versions. */
	for (size_t i = FIGURES; (is_sampled || !has_occurrences) && i < n; i++)
		if (!strcmp(columns[i].title, "times") || !strcmp(columns[i].title, "mean"))
			columns[i].drop = LODE_TABLE_WITHOUT;
	columns[n++] =
		(struct lode_table_column){"why", false, is_cpu_time ? LODE_TABLE_WITHOUT : 5};
	columns[n++] = (struct lode_table_column){
		is_cpu_time ? "program  call path" : "who waits → for whom", false};
	return n;
}

static void set_cluster_numbers(struct lode_table *table, const struct lode_mine_answer *answer,
				const struct lode_cluster *cluster)
{
	const char *unit = answer->mined->digest->unit;
	size_t row = lode_table_row(table), why;

	lode_table_set(table, row, RANK, "%u", cluster->rank);
	lode_table_set_share(table, row, SHARE, cluster->own_ns, answer->mined->symptom_ns);
	why = FIGURES +
	      lode_table_set_figures(table, row, FIGURES, &lode_cluster_cost_record, cluster, unit);
	if (answer->busy)
		lode_table_set_cost(table, row, why++,
				    cluster->own_ns - lode_cluster_contended_ns(cluster), unit);
	lode_cluster_set_why(table, row, why, cluster);
}

static void set_common(struct lode_table *table, const struct lode_mine_answer *answer, size_t row,
		       size_t column, size_t room, size_t more_room)
{
	const struct lode_digest *digest = answer->mined->digest;
	const struct lode_cluster *c = &answer->mined->clusters[row];
	char text[lines_per_cluster * (LODE_COMMON_LINE + 160)], variants[1024];

	lode_headline_text(text, sizeof(text), answer->mined, c, room, more_room,
			   lines_per_cluster);
	lode_variants_short(variants, sizeof(variants), digest, c, more_room);
	lode_table_set(table, row, column, "%s%s%s", text, variants[0] ? "\n" : "", variants);
}

static void print_clusters(FILE *out, const struct lode_mine_answer *answer,
			   const struct lode_text_page *page)
{
	struct lode_table_column columns[MOST_COLUMNS];
	size_t n_columns = make_columns(columns, answer);
	struct lode_table *table = lode_table_new(columns, n_columns, 0);
	const struct lode_mined *m = answer->mined;
	size_t room, hang_room;

	for (size_t i = 0; i < answer->n_shown; i++)
		set_cluster_numbers(table, answer, &m->clusters[i]);
	room = lode_table_fit(table, page->columns, 20, FIGURES, &hang_room);
	for (size_t i = 0; i < answer->n_shown; i++)
		set_common(table, answer, i, n_columns - 1, room, hang_room);
	lode_table_end(table, out, page);
}

/* ---- Below the table ---- */

static void print_mined_rest(FILE *out, const struct lode_mine_answer *answer)
{
	const struct lode_mined *m = answer->mined;
	const char *unit = m->digest->unit, *other = answer->cpu ? answer->cpu->other : NULL;
	const char *below = answer->n_more == 1 ? " below 1 %" : " below 1 % each";
	char a[LODE_UNITS_BUFFER], b[LODE_UNITS_BUFFER];
	bool are_small = answer->n_more && lode_cluster_is_small(m, &m->clusters[answer->n_shown]);

	if (answer->n_more)
		fprintf(out, "%zu more cluster%s%s: %s (%s)%s; --top 0 shows all.\n",
			answer->n_more, answer->n_more == 1 ? "" : "s", are_small ? below : "",
			lode_format_share(a, answer->more_ns, m->symptom_ns),
			lode_format_cost(b, answer->more_ns, unit),
			are_small && answer->n_more > 1 ? " together" : "");
	fprintf(out, "Other: %s (%s), in stacks that no pattern explains%s%s.\n",
		lode_format_share(a, m->other_ns, m->symptom_ns),
		lode_format_cost(b, m->other_ns, unit), other ? ": " : "", other ? other : "");
	if (answer->busy)
		fprintf(out,
			"Ready, waiting for a CPU: %s (%s), while the CPUs ran %s.\n"
			"Column \"w/o ready\": cost without that time.\n",
			lode_format_share(a, m->contended_ns, m->aoi_ns),
			lode_format_cost(b, m->contended_ns, unit), answer->busy);
	if (answer->ready_unknown)
		fprintf(out, "Ready, but no other thread is known to have run: %s (%s): %s.\n",
			lode_format_share(a, m->ready_unknown_ns, m->symptom_ns),
			lode_format_cost(b, m->ready_unknown_ns, unit), answer->ready_unknown);
	if (m->recording_ns)
		fprintf(out,
			"Recording: %s (%s), in tracing code and threads of the recorder; in no "
			"cluster.\n",
			lode_format_share(a, m->recording_ns, m->symptom_ns),
			lode_format_cost(b, m->recording_ns, unit));
}

/* ---- Data and method ---- */

static void print_read(FILE *out, const struct lode_mine_answer *answer)
{
	const struct lode_mined *m = answer->mined;
	const char *unit = m->digest->unit;
	char a[LODE_UNITS_BUFFER], b[LODE_UNITS_BUFFER], c[LODE_UNITS_BUFFER], d[LODE_UNITS_BUFFER];

	fprintf(out, "\nData and method\n%s, ",
		lode_format_plural(a, m->digest->streams.n, "recording"));
	if (answer->cpu)
		fprintf(out, "%s%s in %s; ", lode_format_cost_long(c, m->symptom_ns, unit),
			strcmp(unit, "ns") == 0 ? " of CPU time" : "",
			lode_format_plural(b, m->digest->symptoms.n, "thread"));
	else
		fprintf(out, "%s of %s; ", lode_format_plural(b, m->digest->symptoms.n, "symptom"),
			lode_format_cost_long(c, m->symptom_ns, unit));
	fprintf(out, "%zu cluster%s explain%s %s of %s.\n", m->n_clusters,
		m->n_clusters == 1 ? "" : "s", m->n_clusters == 1 ? "s" : "",
		lode_format_share(d, answer->explained_ns, m->aoi_ns),
		m->aoi_ns + m->recording_ns == m->symptom_ns ? "it" : "the area of interest");
	if (m->n_cpu_symptoms && !answer->cpu)
		fprintf(out,
			"Of this time, %s in %s is CPU time alone: their recordings have no "
			"context switches.\n",
			lode_format_cost_long(c, m->symptom_cpu_ns, unit),
			lode_format_plural(b, m->n_cpu_symptoms, "symptom"));
}

static void print_method(FILE *out, const struct lode_mine_answer *answer)
{
	const struct lode_mined *m = answer->mined;
	const char *unit = m->digest->unit;
	char a[LODE_UNITS_BUFFER], b[LODE_UNITS_BUFFER], c[LODE_UNITS_BUFFER], d[LODE_UNITS_BUFFER];
	char text[1024];

	/* Bare stacks with costs have no symptoms and no threads to speak of. */
	if (strcmp(unit, "ns") == 0) {
		fprintf(out, "Symptoms: %s.\n", lode_escape(text, sizeof(text), answer->symptoms));
		if (answer->is_default_symptoms && !answer->cpu)
			fprintf(out, "  No symptoms were specified (see --symptom, --symptoms); if "
				     "no command was recorded, every thread counts.\n");
	}
	if (answer->cpu)
		fprintf(out, "Only CPU samples were recorded: shares are of %s, without waits; ",
			strcmp(unit, "ns") == 0 ? "CPU time" : "samples");
	else if (strcmp(unit, "ns") == 0)
		fprintf(out, "Area of interest (%s, %s): %s waiting, %s running, %s ready; ",
			answer->scope, answer->stacks,
			lode_format_cost(a, m->aoi_kind_ns[LODE_EVENT_WAITING], unit),
			lode_format_cost(b, m->aoi_kind_ns[LODE_EVENT_RUNNING], unit),
			lode_format_cost(c, m->aoi_kind_ns[LODE_EVENT_READY], unit));
	fprintf(out, "%s, %s.\n", lode_format_plural(a, m->n_aoi_events, "event"),
		lode_format_plural(b, m->n_aoi_stacks, "stack"));
	if (answer->is_filtered && m->aoi_ns + m->recording_ns < m->symptom_ns)
		fprintf(out, "Content filters exclude %s of symptom time.\n",
			lode_format_share(a, m->symptom_ns - m->aoi_ns - m->recording_ns,
					  m->symptom_ns));
	fprintf(out, "Patterns under λ = %s (%s) ignored: %s in %s, ranked by %s.\n",
		lode_format_cost_long(a, m->min_cost, unit), answer->lambda,
		lode_format_plural(b, m->n_patterns, "pattern"),
		lode_format_plural(d, m->n_rounds, "round"), answer->rank);
	lode_alias_lines(out, m->digest);
	if (m->n_not_compared)
		fprintf(out, "Too long to compare with others: %s, each its own cluster.\n",
			lode_format_plural(b, m->n_not_compared, "pattern"));
}

/* Said where a tenth of a cluster's cost hangs on it. */
static void print_unsampled(FILE *out, const struct lode_mine_answer *answer)
{
	const struct lode_mined *m = answer->mined;
	const char *unit = m->digest->unit, *sep = "";
	char a[LODE_UNITS_BUFFER], b[LODE_UNITS_BUFFER];

	for (size_t i = 0; i < answer->n_shown; i++) {
		const struct lode_cluster *c = &m->clusters[i];

		if (c->unsampled_ns <= c->own_ns / 10)
			continue;
		if (!*sep)
			fprintf(out,
				"Running time without a CPU sample, attributed by samples of "
				"similar runs: %s of %s.\n"
				"  10 %% or more of the own cost depends on it in cluster",
				lode_format_cost(a, m->aoi_unsampled_ns, unit),
				lode_format_cost(b, m->aoi_kind_ns[LODE_EVENT_RUNNING], unit));
		fprintf(out, "%s %u (%s without it)", sep, c->rank,
			lode_format_cost(a, c->least_ns, unit));
		sep = ",";
	}
	fputs(*sep ? ".\n" : "", out);
}

static void print_mined_losses(FILE *out, const struct lode_mine_answer *answer)
{
	const struct lode_mine_quality *quality = &answer->quality;
	char a[LODE_UNITS_BUFFER], b[LODE_UNITS_BUFFER], module[200], what[600];
	bool is_any = false;

	fprintf(out, "Recordings: %s of the cost has no symbol for a shown or innermost function",
		lode_format_share(a, quality->unknown_ns, answer->mined->aoi_ns));
	if (quality->unknown_module &&
	    (double)quality->unknown_ns * 100 >= (double)answer->mined->aoi_ns)
		fprintf(out, ", mostly in %s (lode info shows how to add them)",
			lode_escape_fit(module, sizeof(module), quality->unknown_module, 40));
	if (strcmp(answer->digest->unit, "ns") == 0 && !answer->cpu)
		fprintf(out, ", %s of symptom time is in waits without a known waker",
			lode_format_share(b, quality->no_waker_ns, answer->mined->symptom_ns));
	fprintf(out, ".\n");
	for (unsigned k = 0; k < LODE_N_LOSS_KINDS; k++) {
		if (!quality->n_losses[k] || k == LODE_LOSS_NO_WAKER)
			continue;
		fprintf(out, "%s%s %s",
			is_any ? ", " : "  Losses: ", lode_format_count(a, quality->n_losses[k]),
			lode_loss_words((enum lode_loss_kind)k, quality->n_losses[k]));
		is_any = true;
	}
	fputs(is_any ? ".\n" : "", out);
	if (quality->skipped_callers)
		fprintf(out,
			"Missing callers: %s. Builds with -fno-omit-frame-pointer have them; so "
			"has lode record --call-graph dwarf, where events are few enough for stack "
			"dumps.\n",
			lode_escape_fit(what, sizeof(what), quality->skipped_callers, 160));
}

static void print_skipped(FILE *out, const struct lode_mine_answer *answer)
{
	const struct lode_digest_job *job = &answer->set->job;
	char path[600], reason[1024];

	if (job->skipped.n)
		fprintf(out, "Skipped %zu of %zu inputs:\n", job->skipped.n,
			answer->n_streams + job->skipped.n);
	for (size_t i = 0; i < job->skipped.n && i < 3; i++)
		fprintf(out, "  %s: %s\n",
			lode_escape_fit(path, sizeof(path), job->skipped.at[i].path, 60),
			lode_escape_fit(reason, sizeof(reason), job->skipped.at[i].reason, 120));
	if (job->skipped.n > 3)
		fprintf(out, "  and %zu more.\n", job->skipped.n - 3);
	if (job->incomplete.n)
		fprintf(out, "Incomplete: %zu of %zu inputs are cut or damaged (see stderr).\n",
			job->incomplete.n, answer->n_streams + job->skipped.n);
}

static void print_shown(FILE *out, const struct lode_cluster_shown *shown,
			const struct lode_text_page *page)
{
	fprintf(out, "Cluster %u of %zu  (id %016llx)\n\n", shown->cluster->rank,
		shown->mined->n_clusters, (unsigned long long)shown->cluster->id);
	lode_cluster_shown_headline(out, shown, page);
	lode_cluster_shown_text(out, shown, page);
}

void lode_mine_text(FILE *out, const struct lode_mine_answer *answer,
		    const struct lode_text_page *page)
{
	struct lode_prose prose;
	FILE *words;

	lode_opening_put(out, &answer->opening, page);
	fputc('\n', out);
	if (answer->shown) {
		print_shown(out, answer->shown, page);
		return;
	}
	if (answer->n_shown) {
		print_clusters(out, answer, page);
		fputc('\n', out);
	}
	words = lode_prose_open(&prose);
	print_mined_rest(words, answer);
	print_read(words, answer);
	print_method(words, answer);
	print_unsampled(words, answer);
	print_mined_losses(words, answer);
	print_skipped(words, answer);
	lode_prose_close(out, page, 2, &prose);
}
